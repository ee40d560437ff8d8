//! `dehusk clean`: a corpus and pattern files in, cleaned documents out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use rayon::prelude::*;
use serde_json::json;

use dehusk::cleaning::{CleanOptions, Cleaner, Cleaning, Scratch};
use dehusk::corpus::{Content, Document, InputFile, Inventory, JsonLines, Line, OutputRoot};

use super::library::Library;
use super::mine::scan;
use super::options::{CleanArgs, CorpusArgs, SummaryArgs};
use super::report::Reporter;
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
    let output = OutputRoot::create(&args.output, &args.corpus.corpus)?;
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
    let run = CleaningRun {
        inventory,
        library,
        output,
        options: args.method.options(),
        as_spans: args.spans,
        reporter,
        cleaners: Mutex::default(),
        counts: Mutex::default(),
    };
    reporter.start("cleaning", files.len());
    let clean_file = |bench: &mut Bench, index: usize| run.clean_file(&files[index], bench);
    let outcome = summary.time("clean", || share_out(global.threads(), files.len(), Bench::new, clean_file));
    reporter.finish();
    outcome?;
    let mut total = Cleaned::default();
    for (source, cleaned) in run.counts.into_inner().unwrap_or_else(PoisonError::into_inner) {
        total.add(&cleaned);
        summary.sources.entry(source).or_default().cleaned = Some(cleaned);
    }
    summary.cleaned = Some(total);
    summary.wrote.push(output.path().display().to_string());
    Ok(())
}

/// What all files of a run need.
struct CleaningRun<'a> {
    inventory: &'a Inventory,
    library: &'a Library,
    output: &'a OutputRoot,
    options: CleanOptions,
    as_spans: bool,
    reporter: &'a Reporter,
    /// Compiled when their source's first document comes.
    cleaners: Mutex<BTreeMap<String, Arc<Cleaner>>>,
    counts: Mutex<Counts>,
}

/// By source.
type Counts = BTreeMap<String, Cleaned>;

/// The cleaners and scratch spaces one thread has used so far.
type Bench = BTreeMap<String, (Arc<Cleaner>, Scratch)>;

/// What became of one document.
struct Outcome {
    source: String,
    count: Cleaned,
    /// The cleaned text, or the line of spans.
    written: String,
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
            true => format!("{}.jsonl", file.name()),
            false => file.output_name(self.inventory.options().html),
        };
        self.output.write_atomic(name, |writer| writer.write_all(outcome.written.as_bytes()))?;
        self.count([(outcome.source, outcome.count)]);
        Ok(())
    }

    /// Cleans a JSONL file, many lines at a time, in order.
    fn clean_lines(&self, file: &InputFile, lines: &JsonLines) -> anyhow::Result<()> {
        const BYTES_AT_A_TIME: usize = 8 << 20;
        let mut counts: Counts = BTreeMap::new();
        let written = self.output.write_atomic(file.name(), |writer| {
            let (mut batch, mut bytes) = (Vec::new(), 0);
            for line in lines.lines() {
                bytes += line.range.len();
                batch.push(line);
                if bytes >= BYTES_AT_A_TIME {
                    self.write_lines(lines, &batch, writer, &mut counts)?;
                    batch.clear();
                    bytes = 0;
                }
            }
            self.write_lines(lines, &batch, writer, &mut counts)
        });
        // An interruption comes out of the writing as an error of it, so that nothing half is left behind.
        interrupt::check()?;
        written?;
        self.count(counts);
        Ok(())
    }

    fn write_lines(
        &self,
        lines: &JsonLines,
        batch: &[Line],
        writer: &mut dyn Write,
        counts: &mut Counts,
    ) -> io::Result<()> {
        interrupt::check().map_err(io::Error::other)?;
        let cleaned: Vec<Option<Outcome>> =
            batch.par_iter().map_init(Bench::new, |bench, line| self.clean_line(lines, line, bench)).collect();
        for outcome in cleaned.into_iter().flatten() {
            writer.write_all(outcome.written.as_bytes())?;
            if !outcome.source.is_empty() {
                counts.entry(outcome.source).or_default().add(&outcome.count);
            }
        }
        Ok(())
    }

    fn clean_line(&self, lines: &JsonLines, line: &Line, bench: &mut Bench) -> Option<Outcome> {
        let cleaned = lines.parse(line).map(|document| match document {
            None if self.as_spans => None,
            None => {
                let written = String::from_utf8_lossy(lines.bytes(line)).into_owned();
                Some(Outcome { source: String::new(), count: Cleaned::default(), written })
            }
            Some(document) => {
                let place = format!("{}:{}", lines.path().display(), line.number);
                self.clean_document(&document, &place, bench)
            }
        });
        let rewritten = cleaned.and_then(|outcome| match outcome {
            Some(outcome) if !self.as_spans && !outcome.source.is_empty() => {
                let written = lines.rewrite(line, &outcome.written)?;
                Ok(Some(Outcome { written, ..outcome }))
            }
            outcome => Ok(outcome),
        });
        rewritten.unwrap_or_else(|skipped| {
            self.reporter.skip(&skipped.to_string());
            None
        })
    }

    /// Cleans one document; `None` if it could not be, which was reported.
    fn clean_document(&self, document: &Document, place: &str, bench: &mut Bench) -> Option<Outcome> {
        let source = document.source.as_str();
        if let Some(warning) = &document.warning {
            self.reporter.warn(&format!("{place}: {warning}"));
        }
        if !bench.contains_key(source) {
            let cleaner = self.cleaner(source);
            let scratch = cleaner.scratch();
            bench.insert(source.to_owned(), (cleaner, scratch));
        }
        let (cleaner, scratch) = bench.get_mut(source)?;
        let cleaning = match cleaner.clean(scratch, &document.text) {
            Ok(cleaning) => cleaning,
            Err(error) => {
                self.reporter.skip(&format!("{place}: {error}"));
                return None;
            }
        };
        let text = cleaning.strip(&document.text);
        let emptied = text.trim().is_empty() && !document.text.trim().is_empty();
        if emptied {
            self.reporter.warn(&format!("{place}: all its text matches templates; nothing of it is left"));
        }
        let count = Cleaned {
            documents: 1,
            bytes_in: document.text.len() as u64,
            bytes_out: text.len() as u64,
            emptied: usize::from(emptied),
            converted: usize::from(document.encoding.is_some()),
        };
        let written = if self.as_spans { spans_line(document, &cleaning) } else { text };
        Some(Outcome { source: source.to_owned(), count, written })
    }

    fn cleaner(&self, source: &str) -> Arc<Cleaner> {
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
        let cleaner = Arc::new(Cleaner::new(&self.library.for_source(source), &self.options));
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
