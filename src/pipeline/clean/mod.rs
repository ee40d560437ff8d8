//! Cleans a corpus: documents out.
//!
//! Takes files and pattern files; writes each document's cleaned text, in a folder or as lines, and counts what went. A
//! manifest in the output folder says which inputs are finished, so that a run that was stopped can go on.

pub mod cleaners;
pub mod document;
mod files;
mod line_output;
pub mod spans;
mod to_folder;
mod to_stdout;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use super::error::{PipelineError, Result};
use super::library::Library;
use super::memory;
use super::observer::{Observer, Steps};
use super::reading::size_of;
use super::workers::all_cores;
use super::{manifest, output_file, suited, timed};
use crate::cleaning::drift::{Drift, Found, Watch, drift, removes_as_mined};
use crate::cleaning::{CleanOptions, Grounds};
use crate::corpus::{InputFile, Inventory, OutputFile, OutputKind, OutputRoot, ReadOptions, folder_of};
use cleaners::Cleaners;
use document::DocumentCleaner;
use files::{FileCleaner, spans_name};
use to_folder::FolderRun;
use to_stdout::clean_to_stdout;

pub use {line_output::BYTE_ORDER_MARK, to_stdout::pieces};

/// The lines of a report: what became of a document, or why it was skipped.
pub const DOCUMENTS: OutputKind = OutputKind::Lines(&[&["file", "bytes_in", "bytes_out"], &["file", "skipped"]]);

/// How a corpus is cleaned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CorpusCleanOptions {
    /// How it is decided what goes.
    pub cleaning: CleanOptions,
    /// What is put in the place of what goes.
    pub replacement: Option<String>,
    /// The largest share of a document that may go, 0..=1; a document that would lose more stays whole.
    pub max_removed: f64,
    /// Write positions of what would go instead of what stays, in this unit.
    pub spans: Option<spans::SpanUnit>,
    /// Whether a document that cannot be read or cleaned is copied as it is, and not left out.
    pub copies_broken: bool,
    /// Leave out the inputs that an earlier run of the same work has finished.
    pub resume: bool,
    /// Tell changed inputs by their content, and not by size and time alone.
    pub verify: bool,
    /// A file for a line on each document.
    pub report: Option<PathBuf>,
    /// Write over files that dehusk did not write.
    pub force: bool,
    /// Memory for documents, in bytes.
    pub memory: u64,
    /// Files that are cleaned at the same time, at most.
    pub threads: usize,
}

setters!(CorpusCleanOptions {
    cleaning: CleanOptions,
    replacement: Option<String>,
    max_removed: f64,
    spans: Option<spans::SpanUnit>,
    copies_broken: bool,
    resume: bool,
    verify: bool,
    report: Option<PathBuf>,
    force: bool,
    memory: u64,
    threads: usize,
});

impl Default for CorpusCleanOptions {
    /// Three quarters of the free memory, and all cores.
    fn default() -> CorpusCleanOptions {
        CorpusCleanOptions {
            cleaning: CleanOptions::default(),
            replacement: None,
            max_removed: 1.0,
            spans: None,
            copies_broken: false,
            resume: false,
            verify: false,
            report: None,
            force: false,
            memory: memory::most_of_what_is_free(),
            threads: all_cores(),
        }
    }
}

/// Where cleaned documents go.
pub enum Target {
    /// To a folder, each file in its place.
    Folder(OutputRoot),
    /// To stdout, a line of JSON each.
    Stdout,
}

/// What became of a source.
#[derive(Clone, Debug)]
pub struct CleanedSource {
    /// What was cleaned.
    pub cleaned: Cleaned,
    /// How much it differs from when it was mined; `None` if too little is known to tell.
    pub drift: Option<Drift>,
}

/// What cleaning took away. Sizes are bytes of text in UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cleaned {
    /// Documents that were cleaned.
    pub documents: usize,
    /// Of the source's own mined patterns, how many stand in each document, summed up.
    #[serde(skip)]
    pub patterns_found: u64,
    /// Their text before.
    pub bytes_in: u64,
    /// Their text after.
    pub bytes_out: u64,
    /// Documents that had text and have none left.
    pub emptied: usize,
    /// Documents kept as they are, for too much of them would have gone.
    pub kept_whole: usize,
    /// Documents in which the shape was not counted, for it would have taken most of what no pattern matches.
    pub cautious: usize,
    /// Of what went, the bytes by what spoke for it.
    pub grounds: Grounds,
    /// Documents that were not UTF-8, and now are.
    pub converted: usize,
}

impl Cleaned {
    /// Adds what another count holds.
    pub fn add(&mut self, other: &Cleaned) {
        self.documents += other.documents;
        self.patterns_found += other.patterns_found;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.emptied += other.emptied;
        self.kept_whole += other.kept_whole;
        self.cautious += other.cautious;
        self.grounds.add(&other.grounds);
        self.converted += other.converted;
    }

    /// How much of the text went.
    pub fn removed_percent(&self) -> f64 {
        if self.bytes_in == 0 { 0.0 } else { 100.0 - 100.0 * self.bytes_out as f64 / self.bytes_in as f64 }
    }
}

/// Cleans all files of an inventory.
///
/// # Errors
/// If an output would take the place of something else, nothing can be written, or the observer stops the run.
pub fn clean_corpus(
    inventory: &Inventory,
    library: &Library,
    target: &Target,
    options: &CorpusCleanOptions,
    observer: &dyn Observer,
) -> Result<BTreeMap<String, CleanedSource>> {
    if options.spans.is_some() {
        refuse_collisions(inventory.files())?;
    }
    observer.go_on()?;
    let report = options.report.as_deref().map(|path| report_file(path, inventory, library, options)).transpose()?;
    let cleaning = suited(options.cleaning.clone(), inventory.options().html);
    let is_default = options.cleaning == CleanOptions::default() && options.max_removed >= 1.0;
    let work = work(library, &cleaning, inventory.options(), options);
    let cleaners = Cleaners::new(library, cleaning, observer);
    let documents = DocumentCleaner::new(cleaners, options, report.is_some(), observer);
    let (spans, copies_broken) = (options.spans, options.copies_broken);
    let files = FileCleaner { inventory, documents, observer, spans, copies_broken };
    if let (Target::Folder(output), Some(report)) = (target, &options.report) {
        refuse_report_among(&files, output, report)?;
    }
    if let (Target::Folder(output), false) = (target, options.force) {
        refuse_files_of_others(&files, output)?;
    }
    let sizes: Vec<Option<u64>> = inventory.files().par_iter().map(size_of).collect();
    observer.start("cleaning", Steps::Bytes(sizes.iter().copied().sum()));
    let counts = timed("clean", observer, || match target {
        Target::Folder(output) => {
            let run = FolderRun::new(&files, output, &work, options, report)?;
            run.clean(options.threads, &sizes)
        }
        Target::Stdout if options.resume => {
            Err(PipelineError::Refused("--resume needs a folder to write to: name one with -o".to_owned()))
        }
        Target::Stdout => clean_to_stdout(&files, report, &sizes),
    });
    observer.finish();
    let counts = counts?.into_iter().map(|(source, cleaned)| {
        let of = |watch: &Watch| drift_of(&source, &cleaned, watch, library, is_default);
        let drift = files.documents.cleaners.watched(&source, of).flatten();
        (source, CleanedSource { cleaned, drift })
    });
    Ok(counts.collect())
}

/// All that decides what is written for an input, in short.
fn work(library: &Library, cleaning: &CleanOptions, reading: &ReadOptions, options: &CorpusCleanOptions) -> String {
    let CorpusCleanOptions { replacement, max_removed, spans, copies_broken, .. } = options;
    let options = (cleaning, reading, replacement, max_removed, spans, copies_broken);
    let mut all = format!("{} {options:?}", env!("CARGO_PKG_VERSION"));
    library.files().for_each(|file| all.push_str(&file.to_yaml()));
    manifest::hash(&all)
}

/// The file of a report, apart from all input, instead of nothing or of another report.
fn report_file(
    path: &Path,
    inventory: &Inventory,
    library: &Library,
    options: &CorpusCleanOptions,
) -> Result<OutputFile> {
    output_file(path, &[&inventory.inputs(), library.paths()].concat(), DOCUMENTS, options.force)
}

/// What was found in a source's documents, beside what was when it was mined.
fn drift_of(source: &str, cleaned: &Cleaned, watch: &Watch, library: &Library, is_default: bool) -> Option<Drift> {
    let compares = is_default && removes_as_mined(&library.for_source(source));
    let removed = compares.then(|| cleaned.removed_percent() / 100.0);
    let found = Found { documents: cleaned.documents, patterns: cleaned.patterns_found, removed };
    drift(watch.when_mined(), library.get(source)?.mined.removed, &found)
}

/// A report that lay where a document is written would take its place.
fn refuse_report_among(files: &FileCleaner, output: &OutputRoot, report: &Path) -> Result<()> {
    let place = fs::canonicalize(folder_of(report))?.join(report.file_name().unwrap_or_default());
    let real_output = fs::canonicalize(output.path())?;
    let Ok(place) = place.strip_prefix(real_output) else { return Ok(()) };
    let takes = |file: &&InputFile| [files.output_name(file), file.name()].iter().any(|name| Path::new(name) == place);
    match files.inventory.files().iter().find(takes) {
        Some(file) => {
            let path = file.path();
            Err(PipelineError::Refused(format!(
                "the report would take the place of what is written for {path:?}: name another one"
            )))
        }
        None => Ok(()),
    }
}

/// What stands where documents are to be written is ours if there is a manifest, which every run leaves.
fn refuse_files_of_others(files: &FileCleaner, output: &OutputRoot) -> Result<()> {
    if manifest::is_in(output)? || fs::read_dir(output.path())?.next().is_none() {
        return Ok(());
    }
    let is_there = |file: &&InputFile| output.path().join(files.output_name(file)).symlink_metadata().is_ok();
    match files.inventory.files().par_iter().find_first(is_there) {
        // Another run may have begun in the meantime.
        Some(_) if manifest::is_in(output)? => Ok(()),
        Some(file) => {
            let place = output.path().join(files.output_name(file));
            Err(PipelineError::of_others(&place, "folder"))
        }
        None => Ok(()),
    }
}

/// The spans of `a.txt` and of `a.txt.jsonl` would be written to one file.
fn refuse_collisions(files: &[InputFile]) -> Result<()> {
    let mut names: HashMap<String, &InputFile> = HashMap::new();
    for file in files {
        if let Some(other) = names.insert(spans_name(file), file) {
            let (one, two) = (other.path(), file.path());
            return Err(PipelineError::Refused(format!(
                "the spans of {one:?} and {two:?} would be written to one file; clean them in two runs"
            )));
        }
    }
    Ok(())
}
