//! `dehusk clean`: a corpus and pattern files in, cleaned documents out.

mod cleaners;
mod document;
mod files;
mod spans;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;

use dehusk::cleaning::drift::{Drift, Found, Watch, drift, removes_as_mined};
use dehusk::corpus::{InputFile, Inventory, OutputRoot};

use super::library::Library;
use super::mine::scan_paths;
use super::options::{CleanArgs, CorpusArgs, SummaryArgs, suited};
use super::progress::Steps;
use super::reporter::Reporter;
use super::summary::{Cleaned, Summary};
use super::workers::share_out;
use super::{Exit, Global};
use cleaners::{Bench, Cleaners};
use document::DocumentCleaner;
use files::{FileCleaner, Tally, spans_name};

pub use spans::Unit as SpanUnit;

/// Options of `dehusk clean`.
#[derive(Args, Debug)]
pub struct CleanCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the pattern files, or one file
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// Folder for the cleaned documents; `-` writes them to stdout, a line of JSON each
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,
    #[command(flatten)]
    cleaning: CleanArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Where cleaned documents go.
pub enum Target {
    /// To a folder, each file in its place.
    Folder(OutputRoot),
    /// To stdout, a line of JSON each.
    Stdout,
}

/// Runs the command.
pub fn run(args: &CleanCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let library = summary.time("load patterns", || Library::load(&args.patterns, reporter))?;
    let options = args.cleaning.view(&args.corpus.reading)?;
    let inventory = scan_paths(&args.corpus.corpus, &args.corpus.list, &options, reporter, &mut summary)?;
    let target = match args.out.to_str() {
        Some("-") => Target::Stdout,
        _ => Target::Folder(OutputRoot::create(&args.out, &inventory.inputs())?),
    };
    clean(&inventory, &library, &target, &args.cleaning, global, reporter, &mut summary)?;
    summary.documents = summary.cleaned.as_ref().map_or(0, |cleaned| cleaned.documents);
    summary.skipped = reporter.skipped();
    summary.print(args.summary.json, global.quiet)?;
    Ok(reporter.exit())
}

/// Cleans all files of an inventory.
pub fn clean(
    inventory: &Inventory,
    library: &Library,
    target: &Target,
    args: &CleanArgs,
    global: &Global,
    reporter: &Reporter,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    if args.spans {
        refuse_collisions(inventory.files())?;
    }
    let options = suited(args.method.options(), inventory.options().html);
    let documents = DocumentCleaner {
        cleaners: Cleaners::new(library, options, reporter),
        reporter,
        max_removed: args.max_removed,
        replacement: args.replacement.as_deref().filter(|text| !text.is_empty()),
        reports: false,
    };
    let spans = args.spans.then_some(args.span_units);
    let files = FileCleaner { inventory, documents, reporter, spans, copies_broken: args.copies_broken() };
    let tally = summary.time("clean", || clean_files(&files, target, global))?;
    summarise(tally, &files.documents.cleaners, library, args, reporter, summary);
    if let Target::Folder(output) = target {
        summary.wrote.push(output.path().display().to_string());
    }
    Ok(())
}

fn clean_files(cleaner: &FileCleaner, target: &Target, global: &Global) -> anyhow::Result<Tally> {
    let files = cleaner.inventory.files();
    let sizes: Vec<Option<u64>> = files.par_iter().map(size_of).collect();
    cleaner.reporter.start("cleaning", Steps::bytes(sizes.iter().copied().sum()));
    let tally = match target {
        Target::Folder(output) => {
            let all = Mutex::new(Tally::default());
            let clean_file = |bench: &mut Bench, index: usize| {
                let tally = cleaner.to_folder(&files[index], output, bench, &mut io::sink())?;
                all.lock().unwrap_or_else(PoisonError::into_inner).add(tally);
                cleaner.reporter.step(sizes[index].unwrap_or(0) as usize);
                Ok(())
            };
            let outcome = share_out(global.threads(), files.len(), Bench::default, clean_file);
            outcome.map(|()| all.into_inner().unwrap_or_else(PoisonError::into_inner))
        }
        Target::Stdout => clean_to_stdout(cleaner, files),
    };
    cleaner.reporter.finish();
    tally
}

fn clean_to_stdout(cleaner: &FileCleaner, files: &[InputFile]) -> anyhow::Result<Tally> {
    const FILES_AT_A_TIME: usize = 256;
    let mut all = Tally::default();
    let mut stdout = io::stdout();
    for together in files.chunk_by(|one, two| !one.holds_many() && !two.holds_many()) {
        for files in together.chunks(FILES_AT_A_TIME) {
            all.add(cleaner.to_lines(files, &mut stdout, &mut io::sink())?);
        }
    }
    Ok(all)
}

/// `None` if it cannot be told.
fn size_of(file: &InputFile) -> Option<u64> {
    if file.is_stdin() { None } else { std::fs::metadata(file.path()).ok().map(|metadata| metadata.len()) }
}

fn summarise(
    tally: Tally,
    cleaners: &Cleaners,
    library: &Library,
    args: &CleanArgs,
    reporter: &Reporter,
    summary: &mut Summary,
) {
    let mut total = Cleaned::default();
    for (source, cleaned) in tally.counts {
        total.add(&cleaned);
        let drift = cleaners.watched(&source, |watch| drift_of(&source, &cleaned, watch, library, args.is_default()));
        let drift = drift.flatten();
        if let Some(drift) = drift.filter(Drift::has_changed) {
            reporter.warn(&format!("source '{source}' {}", drift.in_words()));
        }
        let summary = summary.sources.entry(source).or_default();
        (summary.cleaned, summary.drift) = (Some(cleaned), drift);
    }
    summary.cleaned = Some(total);
}

/// What was found in a source's documents, beside what was when it was mined.
fn drift_of(source: &str, cleaned: &Cleaned, watch: &Watch, library: &Library, is_default: bool) -> Option<Drift> {
    let compares = is_default && removes_as_mined(&library.for_source(source));
    let removed = compares.then(|| cleaned.removed_percent() / 100.0);
    let found = Found { documents: cleaned.documents, patterns: cleaned.patterns_found, removed };
    drift(watch.when_mined(), library.get(source)?.mined.removed, &found)
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

impl Tally {
    fn add(&mut self, other: Tally) {
        for (source, count) in other.counts {
            self.counts.entry(source).or_default().add(&count);
        }
        self.skipped.extend(other.skipped);
    }
}
