//! Whole corpora: files in, files out, as the program does it.

use std::path::PathBuf;

use dehusk::{
    Budget, CleanOptions, Cleaned, CleanedSource, CorpusCleanOptions, CorpusMineOptions, Drift, HtmlView, Inventory,
    Keys, Library, MAX_DOCUMENT_BYTES, MinedCorpus, Observer, OutputRoot, PipelineError, ReadOptions, Reads, SourceBy,
    SourceId, SpanUnit, Target, WarningKind, clean_corpus as clean_files, mine_corpus as mine_files, tell_of_skipped,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cleaner::clean_options;
use crate::errors::{Fault, Result};
use crate::mining::{lexer, options};
use crate::patterns::{library_of, load_error};
use crate::process::with_threads;
use crate::running::{self, Run};
use crate::warnings::warn;

/// How files are read: the flags of the program of the same names.
#[derive(Clone, Debug, FromPyObject)]
pub struct Reading {
    html: String,
    source: Option<String>,
    source_by: String,
    text_key: String,
    html_key: String,
    source_key: String,
    url_key: String,
    id_key: String,
    follow_links: bool,
    max_document: Option<u64>,
}

/// The limits of threads and memory.
#[derive(Clone, Copy, Debug, FromPyObject)]
pub struct Limits {
    threads: Option<usize>,
    memory: Option<u64>,
}

/// How sources are mined: the flags of the program of the same names.
#[derive(Clone, Copy, Debug, FromPyObject)]
pub struct Mining {
    sample: bool,
    all_patterns: bool,
    prune: bool,
}

/// How documents are cleaned and written: the flags of the program of the same names.
#[derive(Clone, Debug, FromPyObject)]
pub struct Cleaning {
    learned: bool,
    only: Option<String>,
    max_removed: Option<f64>,
    replacement: Option<String>,
    spans: Option<String>,
    on_error: String,
    resume: bool,
    verify: bool,
    report: Option<PathBuf>,
    prune: bool,
    force: bool,
}

impl Reading {
    fn options(&self, limits: Limits) -> Result<ReadOptions> {
        let html = match self.html.as_str() {
            "text" => HtmlView::Text,
            "page" => HtmlView::Page,
            "markdown" => HtmlView::Markdown,
            "markup" => HtmlView::Markup,
            other => {
                return Err(Fault::Usage(format!("html is {other:?}; give 'text', 'page', 'markdown' or 'markup'")));
            }
        };
        let source_by = match &self.source {
            Some(source) => SourceBy::Name(
                SourceId::parse(source).map_err(|error| Fault::Usage(format!("source {source:?}: {error}")))?,
            ),
            None => SourceBy::parse(&self.source_by).map_err(|error| Fault::Usage(format!("source_by: {error}")))?,
        };
        let keys = Keys::default().id(self.id_key.clone()).source(self.source_key.clone()).url(self.url_key.clone());
        let keys = keys.text(self.text_key.clone()).html(self.html_key.clone());
        let options = ReadOptions::default().html(html).source_by(source_by).keys(keys).follow_links(self.follow_links);
        let options = options.memory(limits.memory.map_or_else(Budget::default, Budget::new));
        Ok(match self.max_document {
            Some(bytes) if bytes > MAX_DOCUMENT_BYTES as u64 => {
                let message = format!("max_document is {bytes}; give at most {MAX_DOCUMENT_BYTES} bytes");
                return Err(Fault::Usage(message));
            }
            Some(bytes) => options.max_document(bytes),
            None => options,
        })
    }
}

impl Limits {
    fn mining(self, mining: Mining) -> Result<CorpusMineOptions> {
        let options = options(self.threads, self.memory)?;
        Ok(options.sample(mining.sample).all_patterns(mining.all_patterns).prune(mining.prune))
    }
}

impl Cleaning {
    fn options(self, limits: Limits) -> Result<CorpusCleanOptions> {
        let cleaning: CleanOptions = clean_options(self.learned, self.only.as_deref())?;
        let copies_broken = match self.on_error.as_str() {
            "skip" => false,
            "copy" => true,
            other => return Err(Fault::Usage(format!("on_error is {other:?}; give 'skip' or 'copy'"))),
        };
        let spans = match self.spans.as_deref() {
            None => None,
            Some("codepoints") => Some(SpanUnit::Codepoints),
            Some("bytes") => Some(SpanUnit::Bytes),
            Some(other) => {
                return Err(Fault::Usage(format!("spans is {other:?}; give 'codepoints', 'bytes' or None")));
            }
        };
        if spans.is_some() && (copies_broken || self.replacement.is_some()) {
            let message = "spans are no documents: leave on_error='copy' and replacement out";
            return Err(Fault::Usage(message.to_owned()));
        }
        if self.max_removed.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            return Err(Fault::Usage("max_removed is a share; give a number from 0 to 1".to_owned()));
        }
        // The limits are checked as for mining.
        let CorpusMineOptions { threads, .. } = options(limits.threads, limits.memory)?;
        let options = CorpusCleanOptions::default().cleaning(cleaning).replacement(self.replacement).spans(spans);
        let options = options.max_removed(self.max_removed.unwrap_or(1.0)).copies_broken(copies_broken);
        let options = options.resume(self.resume).verify(self.verify).report(self.report).prune(self.prune);
        Ok(options.force(self.force).threads(threads))
    }
}

/// Finds the files, and tells of those that cannot be read.
fn scan(paths: &[PathBuf], options: &ReadOptions, run: &Run) -> Result<Inventory> {
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Fault::Usage("standard input belongs to Python; give the path of a file".to_owned()));
    }
    let inventory = Inventory::scan(paths, options).map_err(PipelineError::from)?;
    inventory.skipped().iter().for_each(|skipped| tell_of_skipped(skipped, run));
    if inventory.ignored().total() > 0 {
        let message = format!("files that are not documents were ignored: {}", inventory.ignored());
        run.warn(WarningKind::Rare, &message);
    }
    Ok(inventory)
}

fn root(path: PathBuf, reads: &Reads) -> Result<OutputRoot> {
    Ok(OutputRoot::create(path, reads).map_err(PipelineError::from)?)
}

/// The figures of a run.
#[derive(Default)]
struct Figures {
    mined: Vec<MinedFigures>,
    cleaned: Vec<(String, Cleaned, bool)>,
}

struct MinedFigures {
    source: String,
    documents: usize,
    near_duplicates: usize,
    patterns: usize,
    cutoff: f64,
}

impl Figures {
    fn of_mining(MinedCorpus { library, sources }: &MinedCorpus) -> Vec<MinedFigures> {
        let figures = sources.iter().map(|source| MinedFigures {
            source: source.id.to_string(),
            documents: source.facts.documents,
            near_duplicates: source.facts.near_duplicates,
            patterns: library.get(source.id.as_str()).map_or(0, |file| file.patterns.len()),
            cutoff: source.facts.cutoff,
        });
        figures.collect()
    }

    fn as_dict<'py>(&self, py: Python<'py>, skipped: usize) -> PyResult<Bound<'py, PyDict>> {
        let (all, sources) = (PyDict::new(py), PyDict::new(py));
        let of_source = |name: &str| -> PyResult<Bound<'py, PyDict>> {
            if let Some(known) = sources.get_item(name)? {
                return Ok(known.cast_into::<PyDict>()?);
            }
            let new = PyDict::new(py);
            sources.set_item(name, &new)?;
            Ok(new)
        };
        let mut documents = 0;
        for mined in &self.mined {
            let figures = of_source(&mined.source)?;
            documents += mined.documents;
            figures.set_item("documents", mined.documents)?;
            figures.set_item("near_duplicates", mined.near_duplicates)?;
            figures.set_item("patterns", mined.patterns)?;
            figures.set_item("cutoff", mined.cutoff)?;
        }
        let mut total = Cleaned::default();
        for (source, cleaned, changed) in &self.cleaned {
            total.add(cleaned);
            let figures = of_source(source)?;
            figures.set_item("documents", cleaned.documents)?;
            set_cleaned(&figures, cleaned)?;
            figures.set_item("has_changed", changed)?;
        }
        if !self.cleaned.is_empty() {
            documents = total.documents;
            set_cleaned(&all, &total)?;
        }
        all.set_item("documents", documents)?;
        all.set_item("skipped", skipped)?;
        all.set_item("sources", sources)?;
        Ok(all)
    }
}

fn set_cleaned(figures: &Bound<'_, PyDict>, cleaned: &Cleaned) -> PyResult<()> {
    figures.set_item("bytes_in", cleaned.bytes_in)?;
    figures.set_item("bytes_out", cleaned.bytes_out)?;
    figures.set_item("emptied", cleaned.emptied)?;
    figures.set_item("kept_whole", cleaned.kept_whole)
}

fn cleaned(
    inventory: &Inventory,
    library: &Library,
    target: OutputRoot,
    options: &CorpusCleanOptions,
    run: &Run,
) -> Result<Vec<(String, Cleaned, bool)>> {
    let sources = clean_files(inventory, library, &Target::Folder(target), options, run)?;
    let figures = sources.into_iter().map(|(source, CleanedSource { cleaned, drift, .. })| {
        let changed = drift.filter(Drift::has_changed);
        if let Some(drift) = &changed {
            run.warn(WarningKind::Rare, &format!("source '{source}' {}", drift.in_words()));
        }
        (source, cleaned, changed.is_some())
    });
    Ok(figures.collect())
}

/// Does the work of a run, gives its warnings, and returns its figures.
fn figures_of<'py>(
    py: Python<'py>,
    limits: Limits,
    progress: Option<&Bound<'py, PyAny>>,
    work: impl FnOnce(&Run) -> Result<Figures> + Send + 'static,
) -> Result<Bound<'py, PyDict>> {
    let (figures, told) = running::run(py, progress, move |run| {
        let figures = with_threads(limits.threads, || work(run))??;
        Ok((figures, run.told()))
    })?;
    warn(py, &told)?;
    Ok(figures.as_dict(py, told.skips)?)
}

#[pyfunction]
pub fn mine_corpus<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    reading: Reading,
    mining: Mining,
    limits: Limits,
    progress: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyDict>> {
    let (reading, options) = (reading.options(limits)?, limits.mining(mining)?);
    let reading = reading.clone().html(reading.html.read_only());
    figures_of(py, limits, progress, move |run| {
        let inventory = scan(&paths, &reading, run)?;
        let output = root(out, &inventory.reads())?;
        let mined = mine_files(&inventory, &output, &lexer(), &options, run)?;
        Ok(Figures { mined: Figures::of_mining(&mined), cleaned: Vec::new() })
    })
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of the Python function, in groups")]
pub fn clean_corpus<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    patterns: &Bound<'py, PyAny>,
    reading: Reading,
    cleaning: Cleaning,
    limits: Limits,
    progress: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyDict>> {
    let (reading, options, library) = (reading.options(limits)?, cleaning.options(limits)?, library_of(patterns)?);
    figures_of(py, limits, progress, move |run| {
        let inventory = scan(&paths, &reading.tree(options.needs_trees(&library)), run)?;
        let output = root(out, &inventory.reads())?;
        let cleaned = cleaned(&inventory, &library, output, &options, run)?;
        Ok(Figures { mined: Vec::new(), cleaned })
    })
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of the Python function, in groups")]
pub fn run_corpus<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    reading: Reading,
    mining: Mining,
    cleaning: Cleaning,
    limits: Limits,
    progress: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyDict>> {
    let reading = reading.options(limits)?;
    let (view, mine_options) = (reading.html, limits.mining(mining)?);
    let options = cleaning.options(limits)?;
    figures_of(py, limits, progress, move |run| {
        let inventory = scan(&paths, &reading.html(view.read_only()), run)?;
        // All of `out` is checked before any of it is created.
        let reads = inventory.reads();
        root(out.clone(), &reads)?;
        let patterns = root(out.join("patterns"), &reads)?;
        let target = root(out.join("cleaned"), &reads)?;
        let mined = mine_files(&inventory, &patterns, &lexer(), &mine_options, run)?;
        let library = Library::load(patterns.path()).map_err(|error| load_error(&error))?;
        let inventory = inventory.with_html(view);
        let inventory = if options.needs_trees(&library) { inventory.with_trees() } else { inventory };
        let cleaned = cleaned(&inventory, &library, target, &options, run)?;
        Ok(Figures { mined: Figures::of_mining(&mined), cleaned })
    })
}
