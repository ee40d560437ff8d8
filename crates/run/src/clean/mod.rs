//! Cleans a corpus.
//!
//! Takes files and pattern files. Writes the cleaned text of each document, to a folder or as lines, and counts what is
//! removed. A manifest in the output folder says which inputs are finished, so that a stopped run can continue.

pub mod cleaners;
pub mod document;
mod files;
mod line_output;
mod pattern_hashes;
pub mod spans;
mod to_folder;
mod to_stdout;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use crate::error::{PipelineError, Result};
use crate::library::Library;
use crate::observer::{Observer, Steps, tell_of_unknown_keys};
use crate::reading::size_of;
use crate::record::manifest;
use crate::workers::all_cores;
use crate::{output_file, suited, timed};
use cleaners::{AsMined, Cleaners};
use dehusk_core::cleaning::cleaner::drift::{Drift, Found, drift};
use dehusk_core::cleaning::{CleanOptions, Expected, Grounds};
use dehusk_core::dom::page_judge::PageJudge;
use dehusk_core::patterns::{Loose, PatternFile};
use dehusk_core::setting::Setting;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::{HtmlView, InputFile, Inventory, OutputKind, OutputRoot, ReadOptions, Reads, folder_of};
use document::{DocumentCleaner, Form, need_to_clean};
use files::FileCleaner;
use to_folder::FolderRun;
use to_stdout::{clean_alone, clean_to_stdout};

pub use {line_output::BYTE_ORDER_MARK, to_stdout::pieces};

/// The kind of a report. Each line says what happened to a document, or why it was skipped.
pub const DOCUMENTS: OutputKind = OutputKind::Lines(&[&["file", "bytes_in", "bytes_out"], &["file", "skipped"]]);

/// The advice for documents that cannot be written to stdout as they are, because there may be several.
pub const MANY_NEED_OUTPUT: &str = "name a folder with -o OUT, or write lines of JSON to stdout with -o -";

/// How a corpus is cleaned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CorpusCleanOptions {
    /// How cleaning decides which text is removed.
    pub cleaning: CleanOptions,
    /// If given, this judge of pages decides alone. Patterns have no effect, except that text is kept if a person
    /// rejected its pattern or chose to keep it. All documents must be pages that are read with their trees
    /// ([`ReadOptions::tree`]). Others are left out.
    pub page_judge: Option<PageJudge>,
    /// The text that replaces removed text.
    pub replacement: Option<String>,
    /// The maximum share of a document that may be removed, 0..=1. A document that would lose more is kept unchanged.
    pub max_removed: f64,
    /// If given, writes the positions of the text that would be removed, in this unit, instead of the remaining text.
    pub spans: Option<spans::SpanUnit>,
    /// Whether a document that cannot be read or cleaned is copied unchanged, instead of left out.
    pub copies_broken: bool,
    /// Whether the run leaves out inputs that an earlier run of the same work has finished.
    pub resume: bool,
    /// Whether changed inputs are also recognized by their content, not only by size and time.
    pub verify: bool,
    /// The file of the report, with a line for each document.
    pub report: Option<PathBuf>,
    /// Whether the run may overwrite files that dehusk did not write.
    pub force: bool,
    /// Whether the run deletes files in the output folder that earlier runs wrote and this run does not. Files that
    /// were changed since then are kept.
    pub prune: bool,
    /// Other files that the run reads, such as models. No output replaces them.
    pub reads: Reads,
    /// Maximum number of files that are cleaned at the same time: 1 to 8 for each core.
    pub threads: usize,
}

dehusk_core::setters!(CorpusCleanOptions {
    cleaning: CleanOptions,
    page_judge: Option<PageJudge>,
    replacement: Option<String>,
    max_removed: f64,
    spans: Option<spans::SpanUnit>,
    copies_broken: bool,
    resume: bool,
    verify: bool,
    report: Option<PathBuf>,
    force: bool,
    prune: bool,
    reads: Reads,
    threads: usize,
});

impl CorpusCleanOptions {
    /// Whether documents should come with the trees of their pages ([`ReadOptions::tree`]).
    pub fn needs_trees(&self, library: &Library) -> bool {
        self.page_judge.is_some() || self.cleaning.uses_structure(Loose::Proposed) || library.needs_trees()
    }
}

impl Default for CorpusCleanOptions {
    /// Uses all cores.
    fn default() -> CorpusCleanOptions {
        CorpusCleanOptions {
            cleaning: CleanOptions::default(),
            page_judge: None,
            replacement: None,
            max_removed: 1.0,
            spans: None,
            copies_broken: false,
            resume: false,
            verify: false,
            report: None,
            force: false,
            prune: false,
            reads: Reads::nothing(),
            threads: all_cores(),
        }
    }
}

/// Where cleaned documents are written.
pub enum Target {
    /// To a folder, with the structure of the input.
    Folder(OutputRoot),
    /// To stdout, a line of JSON for each document.
    Stdout,
    /// To stdout, as it is. There must be only one document, and it must not be a line or record of a file.
    Alone,
}

/// The result for a source.
#[derive(Clone, Debug)]
pub struct CleanedSource {
    /// The counts of its cleaned documents.
    pub cleaned: Cleaned,
    /// How much the cleaned documents differ from the mined ones. `None` if too little is known.
    pub drift: Option<Drift>,
    /// How the source is unlike all text that the decision model has learned from. If set, recurrence alone decides.
    pub unusual: Option<String>,
}

/// Counts of cleaned documents. Sizes are bytes of text in UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cleaned {
    /// Number of cleaned documents.
    pub documents: usize,
    /// Number of the source's own mined patterns that a document has, summed over all documents.
    #[serde(skip)]
    pub patterns_found: u64,
    /// The size of their text before cleaning.
    pub bytes_in: u64,
    /// The size of their text after cleaning.
    pub bytes_out: u64,
    /// Number of documents that had text and have none left.
    pub emptied: usize,
    /// Number of documents kept unchanged, because too much of them would have been removed.
    pub kept_whole: usize,
    /// Number of removed bytes that patterns explain, and of removed bytes that no pattern explains.
    pub grounds: Grounds,
    /// The model's estimate of the content in the documents, and of the content that is removed.
    pub expected: Expected,
    /// Number of documents that were not UTF-8 before, and now are.
    pub converted: usize,
}

impl Cleaned {
    /// Adds other counts.
    pub fn add(&mut self, other: &Cleaned) {
        self.documents += other.documents;
        self.patterns_found += other.patterns_found;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.emptied += other.emptied;
        self.kept_whole += other.kept_whole;
        self.grounds.add(&other.grounds);
        self.expected.add(&other.expected);
        self.converted += other.converted;
    }

    /// The percentage of the text that was removed.
    pub fn removed_percent(&self) -> f64 {
        if self.bytes_in == 0 { 0.0 } else { 100.0 - 100.0 * self.bytes_out as f64 / self.bytes_in as f64 }
    }
}

/// Cleans all files of an inventory.
///
/// # Errors
/// If an output would overwrite something else, nothing can be written, or the observer stops the run.
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
    if options.page_judge.is_some() && inventory.options().html == HtmlView::Markup {
        let message = format!("pages are judged by what they show, so {} must not be markup", Setting::Html);
        return Err(PipelineError::Refused(message));
    }
    observer.go_on()?;
    let inventory = &inventory.with_need(need_to_clean(inventory.options()));
    let reads = inventory.reads().and(&library.reads()).and(&options.reads);
    if let Target::Folder(output) = target {
        output.also_reads(&reads)?;
    }

    // A report may only replace another report.
    let report = options.report.as_deref();
    let report = report.map(|path| output_file(path, &reads, DOCUMENTS, options.force)).transpose()?;

    let cleaning = suited(options.cleaning.clone(), inventory.options().html);
    let is_default = options.cleaning == CleanOptions::default() && options.max_removed >= 1.0;
    let is_default = is_default && options.page_judge.is_none();
    let work = work(&cleaning, inventory.options(), options);

    let mut cleaners = Cleaners::new(library, cleaning, inventory.files(), observer);
    if options.page_judge.is_some() {
        // A judge of pages needs no patterns and no mutable words, so documents are read with a lexer that has none.
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::none()));
        cleaners = cleaners.reading_by(PatternFile::empty("page", &lexer));
    }

    let documents = DocumentCleaner::new(cleaners, options, inventory.options().html, report.is_some(), observer);
    let metadata = (inventory.options().html == HtmlView::Json).then_some(Form::Line);
    let (lines, copies_broken) = (options.spans.map(Form::Spans).or(metadata), options.copies_broken);
    let files = FileCleaner { inventory, documents, observer, lines, copies_broken };
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
            let run = FolderRun::new(&files, output, &work, library, options, report)?;
            run.clean(options.threads, &sizes)
        }
        Target::Stdout | Target::Alone if options.resume => Err(needs_folder(Setting::Resume)),
        Target::Stdout | Target::Alone if options.prune => Err(needs_folder(Setting::Prune)),
        Target::Stdout => clean_to_stdout(&files, report, &sizes),
        Target::Alone => clean_alone(&files, report),
    });

    observer.finish();
    tell_of_unknown_keys(inventory, observer);
    let counts = counts?.into_iter().map(|(source, cleaned)| {
        let as_mined = files.documents.cleaners.as_mined(&source);
        let drift = as_mined.as_ref().and_then(|as_mined| drift_of(&cleaned, as_mined, is_default));
        (source, CleanedSource { cleaned, drift, unusual: as_mined.and_then(|as_mined| as_mined.unusual) })
    });
    Ok(counts.collect())
}

fn default_lexer() -> Lexer {
    Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()))
}

/// Everything but the patterns that decides what is written for an input.
fn work(cleaning: &CleanOptions, reading: &ReadOptions, options: &CorpusCleanOptions) -> String {
    let CorpusCleanOptions { page_judge, replacement, max_removed, spans, copies_broken, .. } = options;
    let options = (cleaning, page_judge, reading, replacement, max_removed, spans, copies_broken);
    format!("{} {options:?}", env!("CARGO_PKG_VERSION"))
}

/// Compares the cleaned documents of a source with the mined ones.
fn drift_of(cleaned: &Cleaned, as_mined: &AsMined, is_default: bool) -> Option<Drift> {
    let compares = is_default && as_mined.is_removed_still;
    let removed = compares.then(|| cleaned.removed_percent() / 100.0);
    let found = Found { documents: cleaned.documents, patterns: cleaned.patterns_found, removed };
    drift(as_mined.patterns?, as_mined.removed, &found)
}

/// Refuses a report that has the path of an output file, because the output would overwrite it.
fn refuse_report_among(files: &FileCleaner, output: &OutputRoot, report: &Path) -> Result<()> {
    let place = fs::canonicalize(folder_of(report))?.join(report.file_name().unwrap_or_default());
    let real_output = fs::canonicalize(output.path())?;
    let Ok(place) = place.strip_prefix(real_output) else { return Ok(()) };
    let takes = |file: &&InputFile| [files.output_name(file), file.name()].iter().any(|name| Path::new(name) == place);
    match files.inventory.files().iter().find(takes) {
        Some(file) => {
            let path = file.path();
            Err(PipelineError::Refused(format!(
                "the report would overwrite the output of {path:?}: name another report"
            )))
        }
        None => Ok(()),
    }
}

/// The error that an option needs an output folder.
fn needs_folder(setting: Setting) -> PipelineError {
    PipelineError::Refused(format!("{setting} needs a folder to write to: name one with {}", Setting::Output))
}

/// Refuses to overwrite files in a folder without a manifest. Each run leaves a manifest, so dehusk did not write these
/// files.
fn refuse_files_of_others(files: &FileCleaner, output: &OutputRoot) -> Result<()> {
    if manifest::is_in(output)? || fs::read_dir(output.path())?.next().is_none() {
        return Ok(());
    }
    let is_there = |file: &&InputFile| output.path().join(files.output_name(file)).symlink_metadata().is_ok();
    match files.inventory.files().par_iter().find_first(is_there) {
        // Another run may have started in the meantime.
        Some(_) if manifest::is_in(output)? => Ok(()),
        Some(file) => {
            let place = output.path().join(files.output_name(file));
            Err(PipelineError::of_others(&place, "folder"))
        }
        None => Ok(()),
    }
}

/// Refuses files with the same output name, such as the spans of `a.txt` and `a.txt.jsonl`.
fn refuse_collisions(files: &[InputFile]) -> Result<()> {
    let mut names: HashMap<String, &InputFile> = HashMap::new();
    for file in files {
        if let Some(other) = names.insert(file.lines_name(), file) {
            let (one, two) = (other.path(), file.path());
            return Err(PipelineError::Refused(format!(
                "the spans of {one:?} and {two:?} would be written to one file; clean them in two runs"
            )));
        }
    }
    Ok(())
}
