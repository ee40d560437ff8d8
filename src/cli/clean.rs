//! `dehusk clean`: a corpus and pattern files in, cleaned documents out.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;
use serde_json::json;

use dehusk::cleaning::cut::is_emptied;
use dehusk::cleaning::drift::{Drift, Found, Watch, drift, removes_as_mined};
use dehusk::cleaning::{CleanOptions, Cleaner, Cleaning, Scratch};
use dehusk::corpus::{Content, Document, FileKind, InputFile, Inventory, JsonLines, Line, OutputRoot};

use super::library::Library;
use super::mine::scan;
use super::options::{CleanArgs, CorpusArgs, SummaryArgs, suited};
use super::reporter::Reporter;
use super::summary::{Cleaned, Summary};
use super::workers::share_out;
use super::{Exit, Global, interrupt};

/// Options of `dehusk clean`.
#[derive(Args, Debug)]
pub struct CleanCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the pattern files, or one file
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// Folder for the cleaned documents
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    cleaning: CleanArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Runs the command.
pub fn run(args: &CleanCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let library = summary.time("load patterns", || Library::load(&args.patterns, reporter))?;
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    let output = OutputRoot::create(&args.output, &inventory.inputs())?;
    clean(&inventory, &library, &output, &args.cleaning, global, reporter, &mut summary)?;
    summary.documents = summary.cleaned.as_ref().map_or(0, |cleaned| cleaned.documents);
    summary.skipped = reporter.skipped();
    summary.print(args.summary.json, global.quiet)?;
    Ok(reporter.exit())
}

/// Cleans all files of an inventory.
pub fn clean(
    inventory: &Inventory,
    library: &Library,
    output: &OutputRoot,
    args: &CleanArgs,
    global: &Global,
    reporter: &Reporter,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let files = inventory.files();
    if args.spans {
        refuse_collisions(files)?;
    }
    let run = CleaningRun {
        inventory,
        library,
        output,
        options: suited(args.method.options(), inventory.options().html),
        as_spans: args.spans,
        max_removed: args.max_removed,
        reporter,
        cleaners: Mutex::default(),
        counts: Mutex::default(),
    };
    reporter.start("cleaning", files.len());
    let clean_file = |bench: &mut Bench, index: usize| run.clean_file(&files[index], bench);
    let outcome = summary.time("clean", || share_out(global.threads(), files.len(), Bench::default, clean_file));
    reporter.finish();
    outcome?;
    let cleaners = run.cleaners.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut total = Cleaned::default();
    for (source, cleaned) in run.counts.into_inner().unwrap_or_else(PoisonError::into_inner) {
        total.add(&cleaned);
        let watch = cleaners.get(&source).and_then(|cleaner| cleaner.watch.as_ref());
        let drift = watch.and_then(|watch| drift_of(&source, &cleaned, watch, library, args.is_default()));
        if let Some(drift) = drift.filter(Drift::has_changed) {
            reporter.warn(&format!("source '{source}' {}", drift.in_words()));
        }
        let summary = summary.sources.entry(source).or_default();
        (summary.cleaned, summary.drift) = (Some(cleaned), drift);
    }
    summary.cleaned = Some(total);
    summary.wrote.push(output.path().display().to_string());
    Ok(())
}

/// What was found in a source's documents, beside what was when it was mined.
fn drift_of(source: &str, cleaned: &Cleaned, watch: &Watch, library: &Library, is_default: bool) -> Option<Drift> {
    let compares = is_default && removes_as_mined(&library.for_source(source));
    let removed = compares.then(|| cleaned.removed_percent() / 100.0);
    let found = Found { documents: cleaned.documents, patterns: cleaned.patterns_found, removed };
    drift(watch.when_mined(), library.get(source)?.mined.removed, &found)
}

/// Where the spans of a file go.
fn spans_name(file: &InputFile) -> String {
    match file.kind() {
        FileKind::JsonLines => file.name(),
        _ => format!("{}.jsonl", file.name()),
    }
}

/// The spans of `a.txt` and of `a.txt.jsonl` would be written to one file.
fn refuse_collisions(files: &[InputFile]) -> anyhow::Result<()> {
    let mut names: HashMap<String, &InputFile> = HashMap::new();
    for file in files {
        if let Some(other) = names.insert(spans_name(file), file) {
            let (one, two) = (other.path(), file.path());
            bail!("the spans of {one:?} and {two:?} would be written to one file; clean them in two runs");
        }
    }
    Ok(())
}

/// What all files of a run need.
struct CleaningRun<'a> {
    inventory: &'a Inventory,
    library: &'a Library,
    output: &'a OutputRoot,
    options: CleanOptions,
    as_spans: bool,
    /// The share of a document that may go.
    max_removed: f64,
    reporter: &'a Reporter,
    /// Compiled when their source's first document comes.
    cleaners: Mutex<BTreeMap<String, Arc<SourceCleaner>>>,
    counts: Mutex<Counts>,
}

/// What the documents of a source need.
struct SourceCleaner {
    cleaner: Cleaner,
    /// If the source has a file of its own.
    watch: Option<Watch>,
}

/// By source.
type Counts = BTreeMap<String, Cleaned>;

/// What one thread works with: the cleaners that it has used so far, and scratch space.
#[derive(Default)]
struct Bench {
    cleaners: BTreeMap<String, Arc<SourceCleaner>>,
    scratch: Scratch,
}

/// What became of one line of a JSONL file.
#[derive(Default)]
struct CleanLine {
    written: Option<Written>,
    /// Of its document, if it holds one.
    count: Option<(String, Cleaned)>,
}

/// What became of one document.
struct Outcome {
    source: String,
    count: Cleaned,
    written: Written,
}

/// What is to be written for a document.
enum Written {
    /// What was read, byte for byte: nothing is known to be boilerplate in it.
    AsRead,
    /// The cleaned text.
    Text(String),
    /// The line of spans.
    Spans(String),
}

impl CleaningRun<'_> {
    fn clean_file(&self, file: &InputFile, bench: &mut Bench) -> anyhow::Result<()> {
        interrupt::check()?;
        match self.inventory.open(file) {
            Ok(Content::Document(document)) => self.clean_document_file(file, &document, bench)?,
            Ok(Content::Lines(lines)) => self.clean_lines(file, &lines)?,
            Err(skipped) => self.reporter.skip(&skipped.to_string()),
        }
        self.reporter.step(1);
        Ok(())
    }

    fn clean_document_file(&self, file: &InputFile, document: &Document, bench: &mut Bench) -> anyhow::Result<()> {
        let place = file.path().display().to_string();
        let Some(outcome) = self.clean_document(document, &place, bench) else { return Ok(()) };
        let name = match self.as_spans {
            true => spans_name(file),
            false => file.output_name(self.inventory.options().html),
        };
        let _permission = interrupt::writing()?;
        self.output.write_atomic(name, |writer| match &outcome.written {
            Written::AsRead => io::copy(&mut File::open(file.path())?, writer).map(drop),
            Written::Text(written) | Written::Spans(written) => writer.write_all(written.as_bytes()),
        })?;
        self.count([(outcome.source, outcome.count)]);
        Ok(())
    }

    /// Cleans a JSONL file, many lines at a time, in order: some are written while the next are cleaned.
    fn clean_lines(&self, file: &InputFile, lines: &JsonLines) -> anyhow::Result<()> {
        let mut counts: Counts = BTreeMap::new();
        let permission = interrupt::writing()?;
        let written = self.output.write_atomic(file.name(), |writer| {
            std::thread::scope(|scope| {
                let (done, ready) = mpsc::sync_channel(0);
                scope.spawn(move || {
                    for batch in batches(lines) {
                        // If nobody takes them any more, writing has failed, and its error tells.
                        if interrupt::check().is_err() || done.send(self.clean_batch(lines, batch)).is_err() {
                            return;
                        }
                    }
                });
                ready.into_iter().try_for_each(|batch| write_lines(lines, batch, writer, &mut counts))?;
                interrupt::check().map_err(io::Error::other)
            })
        });
        // An interruption comes out of the writing as an error of it, so that nothing half is left behind.
        drop(permission);
        interrupt::check()?;
        written?;
        self.count(counts);
        Ok(())
    }

    fn clean_batch(&self, lines: &JsonLines, batch: Vec<Line>) -> Vec<(Line, CleanLine)> {
        let clean = |bench: &mut Bench, line: Line| {
            let cleaned = self.clean_line(lines, &line, bench);
            (line, cleaned)
        };
        batch.into_par_iter().map_init(Bench::default, clean).collect()
    }

    /// Cleans a line; one that could not be cleaned is reported.
    fn clean_line(&self, lines: &JsonLines, line: &Line, bench: &mut Bench) -> CleanLine {
        let place = || format!("{}:{}", lines.path().display(), line.number);
        let cleaned = lines.parse(line).and_then(|document| {
            let Some(document) = document else {
                // A blank line is no document, and stays.
                return Ok(CleanLine { written: (!self.as_spans).then_some(Written::AsRead), count: None });
            };
            let Some(outcome) = self.clean_document(&document, &place(), bench) else {
                return Ok(CleanLine::default());
            };
            let written = match outcome.written {
                Written::Text(text) => Written::Text(lines.rewrite(line, &text)?),
                written => written,
            };
            Ok(CleanLine { written: Some(written), count: Some((outcome.source, outcome.count)) })
        });
        cleaned.unwrap_or_else(|skipped| {
            self.reporter.skip(&skipped.to_string());
            CleanLine::default()
        })
    }

    /// The cleaned text. A document of which more would go than is allowed stays as it is, and that is said.
    fn within_limit(&self, document: &Document, cleaning: Cleaning, place: &str) -> (Cleaning, String, bool) {
        let text = cleaning.strip(&document.text);
        let removed = 1.0 - text.len() as f64 / document.text.len().max(1) as f64;
        if removed <= self.max_removed {
            return (cleaning, text, false);
        }
        self.reporter.warn(&format!(
            "{place}: kept whole, for {:.1} % of it would be removed, more than --max-removed allows",
            100.0 * removed
        ));
        (Cleaning { spans: Vec::new() }, document.text.to_string(), true)
    }

    /// Cleans one document; `None` if it could not be, which was reported.
    fn clean_document(&self, document: &Document, place: &str, bench: &mut Bench) -> Option<Outcome> {
        let source = document.source.as_str();
        if let Some(warning) = &document.warning {
            self.reporter.warn(&format!("{place}: {warning}"));
        }
        if !bench.cleaners.contains_key(source) {
            let cleaner = self.cleaner(source);
            bench.cleaners.insert(source.to_owned(), cleaner);
        }
        let Bench { cleaners, scratch } = bench;
        let SourceCleaner { cleaner, watch } = &**cleaners.get(source)?;
        let reading = match cleaner.read(scratch, &document.text) {
            Ok(reading) => reading,
            Err(error) => {
                self.reporter.skip(&format!("{place}: {error}"));
                return None;
            }
        };
        let cleaning = cleaner.cleaning(&document.text, &reading);
        let (cleaning, text, kept_whole) = self.within_limit(document, cleaning, place);
        let emptied = is_emptied(&document.text, &text);
        if emptied {
            self.reporter.warn(&format!("{place}: all its text is taken for boilerplate; nothing of it is left"));
        }
        let bytes_out = text.len() as u64;
        // Where there are patterns, what comes out is UTF-8 throughout, whether or not any of them matched.
        let is_untouched = cleaning.spans.is_empty() && !document.is_view;
        let written = match self.as_spans {
            true => Written::Spans(spans_line(document, &cleaning)),
            false if is_untouched && (document.encoding.is_none() || cleaner.patterns().is_empty()) => Written::AsRead,
            false => Written::Text(text),
        };
        let count = Cleaned {
            documents: 1,
            patterns_found: watch.as_ref().map_or(0, |watch| watch.found(&reading)),
            bytes_in: document.text.len() as u64,
            bytes_out,
            emptied: usize::from(emptied),
            kept_whole: usize::from(kept_whole),
            converted: usize::from(document.encoding.is_some() && matches!(written, Written::Text(_))),
        };
        Some(Outcome { source: source.to_owned(), count, written })
    }

    fn cleaner(&self, source: &str) -> Arc<SourceCleaner> {
        let mut cleaners = self.cleaners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cleaner) = cleaners.get(source) {
            return cleaner.clone();
        }
        if self.library.get(source).is_none() {
            let files = self.library.for_source(source);
            let what =
                if files.is_empty() { "its documents are copied as they are" } else { "only shared patterns apply" };
            self.reporter.warn(&format!("there is no pattern file for source '{source}'; {what}"));
        }
        let cleaner = Cleaner::new(&self.library.for_source(source), &self.options);
        let watch = self.library.get(source).map(|own| Watch::new(&cleaner, own));
        let cleaner = Arc::new(SourceCleaner { cleaner, watch });
        cleaners.insert(source.to_owned(), cleaner.clone());
        cleaner
    }

    fn count(&self, counts: impl IntoIterator<Item = (String, Cleaned)>) {
        let mut all = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (source, count) in counts {
            all.entry(source).or_default().add(&count);
        }
    }
}

/// The lines of a file, many at a time.
pub fn batches(lines: &JsonLines) -> impl Iterator<Item = Vec<Line>> {
    const BYTES_AT_A_TIME: usize = 8 << 20;
    let mut lines = lines.lines();
    std::iter::from_fn(move || {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while bytes < BYTES_AT_A_TIME
            && let Some(line) = lines.next()
        {
            bytes += line.range.len();
            batch.push(line);
        }
        (!batch.is_empty()).then_some(batch)
    })
}

fn write_lines(
    lines: &JsonLines,
    batch: Vec<(Line, CleanLine)>,
    writer: &mut dyn Write,
    counts: &mut Counts,
) -> io::Result<()> {
    for (line, cleaned) in batch {
        match cleaned.written {
            Some(Written::AsRead) => writer.write_all(lines.bytes(&line))?,
            Some(Written::Text(written) | Written::Spans(written)) => writer.write_all(written.as_bytes())?,
            None => {}
        }
        if let Some((source, count)) = cleaned.count {
            counts.entry(source).or_default().add(&count);
        }
    }
    Ok(())
}

/// One line of Dolma attributes: `[start, end, score]` for each cut, in code points, the end exclusive.
fn spans_line(document: &Document, cleaning: &Cleaning) -> String {
    let mut points = CodePoints { text: &document.text, byte: 0, points: 0 };
    let cuts = cleaning.cuts(&document.text);
    let spans = cuts.iter().map(|cut| {
        let inside =
            cleaning.spans.iter().filter(|span| cut.range.start <= span.range.start && span.range.end <= cut.range.end);
        let (weighed, bytes) = inside.fold((0.0, 0), |(weighed, bytes), span| {
            (weighed + f64::from(span.score) * span.range.len() as f64, bytes + span.range.len())
        });
        let score = (weighed / bytes.max(1) as f64 * 1000.0).round() / 1000.0;
        json!([points.before(cut.range.start), points.before(cut.range.end), score])
    });
    let spans: Vec<serde_json::Value> = spans.collect();
    format!("{}\n", json!({"id": document.id, "attributes": {"dehusk": spans}}))
}

/// Counts code points up to ever later bytes.
struct CodePoints<'t> {
    text: &'t str,
    byte: usize,
    points: usize,
}

impl CodePoints<'_> {
    fn before(&mut self, byte: usize) -> usize {
        self.points += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.points
    }
}
