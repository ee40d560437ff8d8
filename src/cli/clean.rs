//! `dehusk clean`: a corpus and pattern files in, cleaned documents out.

pub mod cleaners;
pub mod document;
mod files;
mod line_output;
mod spans;
mod to_folder;
mod to_stdout;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use dehusk::pipeline::suited;
use rayon::prelude::*;

use dehusk::cleaning::CleanOptions;
use dehusk::cleaning::drift::{Drift, Found, Watch, drift, removes_as_mined};
use dehusk::corpus::{InputFile, Inventory, OutputRoot, ReadOptions, folder_of};

use super::force::{DOCUMENTS, of_others};
use super::mine::scan_paths;
use super::options::{CleanArgs, CorpusArgs, DocumentArgs, LongRunArgs, SummaryArgs};
use super::progress::Steps;
use super::reporter::Reporter;
use super::summary::{Cleaned, Summary};
use super::{Exit, Global, manifest};
use cleaners::Cleaners;
use dehusk::pipeline::Library;
use dehusk::pipeline::memory::Budget;
use dehusk::pipeline::mining::tell_of_doubt;
use dehusk::pipeline::reading::size_of;
use document::DocumentCleaner;
use files::{FileCleaner, spans_name};
use to_folder::FolderRun;
use to_stdout::clean_to_stdout;

pub use spans::Unit as SpanUnit;
pub use {line_output::BYTE_ORDER_MARK, to_stdout::pieces};

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
    let library = summary.time("load patterns", || Library::load(&args.patterns))?;
    let options = args.cleaning.documents.view(&args.corpus.reading)?;
    let inventory = scan_paths(&args.corpus.corpus, &args.corpus.list, &options, reporter, &mut summary)?;
    let target = match args.out.to_str() {
        Some("-") => Target::Stdout,
        _ => Target::Folder(OutputRoot::create(&args.out, &inventory.inputs())?),
    };
    clean(&inventory, &library, &target, &args.cleaning, global, reporter, &mut summary)?;
    // Those that mined them were told.
    library
        .files()
        .filter(|file| summary.sources.contains_key(&file.source))
        .for_each(|file| tell_of_doubt(&file.source, file.trust.as_ref(), reporter));
    summary.documents = summary.cleaned.as_ref().map_or(0, |cleaned| cleaned.documents);
    summary.skipped = reporter.skipped();
    match target {
        Target::Folder(_) => summary.print(args.summary.json, global.quiet)?,
        Target::Stdout => summary.print_beside(args.summary.json, global.quiet)?,
    }
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
    if args.documents.spans {
        refuse_collisions(inventory.files())?;
    }
    if let Some(allowed) = args.long.max_errors {
        reporter.set_max_errors(allowed, matches!(target, Target::Folder(_)));
        reporter.check()?;
    }
    let LongRunArgs { report, force, .. } = &args.long;
    let inputs = [&inventory.inputs(), library.paths()].concat();
    let report = report.as_ref().map(|path| force.file(path, &inputs, DOCUMENTS)).transpose()?;
    let options = suited(args.documents.method.options(), inventory.options().html);
    let work = work(library, &options, inventory.options(), args);
    let cleaners = Cleaners::new(library, options, reporter);
    let documents =
        DocumentCleaner::new(cleaners, &args.documents, report.is_some(), Budget::new(global.memory()), reporter);
    let spans = args.documents.spans();
    let files = FileCleaner { inventory, documents, reporter, spans, copies_broken: args.copies_broken() };
    if let (Target::Folder(output), Some(report)) = (target, &args.long.report) {
        refuse_report_among(&files, output, report)?;
    }
    if let (Target::Folder(output), false) = (target, args.long.force.force) {
        refuse_files_of_others(&files, output)?;
    }
    let sizes: Vec<Option<u64>> = inventory.files().par_iter().map(size_of).collect();
    reporter.start("cleaning", Steps::bytes(sizes.iter().copied().sum()));
    let counts = summary.time("clean", || match target {
        Target::Folder(output) => {
            let run = FolderRun::new(&files, output, &work, &args.long, report)?;
            run.clean(global.threads(), &sizes)
        }
        Target::Stdout if args.long.resume => bail!("--resume needs a folder to write to: name one with -o"),
        Target::Stdout => clean_to_stdout(&files, report, &sizes),
    });
    reporter.finish();
    summarise(counts?, &files.documents.cleaners, library, args, reporter, summary);
    if let Target::Folder(output) = target {
        summary.wrote.push(output.path().display().to_string());
    }
    Ok(())
}

/// All that decides what is written for an input, in short.
fn work(library: &Library, cleaning: &CleanOptions, reading: &ReadOptions, args: &CleanArgs) -> String {
    let DocumentArgs { output, replacement, spans, span_units, max_removed, .. } = &args.documents;
    let options = (cleaning, reading, output, replacement, spans, span_units, max_removed, args.long.on_error);
    let mut all = format!("{} {options:?}", env!("CARGO_PKG_VERSION"));
    library.files().for_each(|file| all.push_str(&file.to_yaml()));
    manifest::hash(&all)
}

fn summarise(
    counts: BTreeMap<String, Cleaned>,
    cleaners: &Cleaners,
    library: &Library,
    args: &CleanArgs,
    reporter: &Reporter,
    summary: &mut Summary,
) {
    let mut total = Cleaned::default();
    for (source, cleaned) in counts {
        total.add(&cleaned);
        let drift =
            cleaners.watched(&source, |watch| drift_of(&source, &cleaned, watch, library, args.documents.is_default()));
        let drift = drift.flatten();
        if let Some(drift) = drift.filter(Drift::has_changed) {
            reporter.warn(&format!("source '{source}' {}", drift.in_words()));
        }
        let doubt = library.get(&source).and_then(|file| file.trust.as_ref()?.doubt());
        let summary = summary.sources.entry(source).or_default();
        summary.doubt = doubt;
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

/// A report that lay where a document is written would take its place.
fn refuse_report_among(files: &FileCleaner, output: &OutputRoot, report: &Path) -> anyhow::Result<()> {
    let place = fs::canonicalize(folder_of(report))?.join(report.file_name().unwrap_or_default());
    let real_output = fs::canonicalize(output.path())?;
    let Ok(place) = place.strip_prefix(real_output) else { return Ok(()) };
    let takes = |file: &&InputFile| [files.output_name(file), file.name()].iter().any(|name| Path::new(name) == place);
    match files.inventory.files().iter().find(takes) {
        Some(file) => {
            bail!("the report would take the place of what is written for {:?}: name another one", file.path())
        }
        None => Ok(()),
    }
}

/// What stands where documents are to be written is ours if there is a manifest, which every run leaves.
fn refuse_files_of_others(files: &FileCleaner, output: &OutputRoot) -> anyhow::Result<()> {
    if manifest::is_in(output)? || fs::read_dir(output.path())?.next().is_none() {
        return Ok(());
    }
    let is_there = |file: &&InputFile| output.path().join(files.output_name(file)).symlink_metadata().is_ok();
    match files.inventory.files().par_iter().find_first(is_there) {
        Some(file) => {
            let place = output.path().join(files.output_name(file));
            Err(of_others(&place, "folder"))
        }
        None => Ok(()),
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
