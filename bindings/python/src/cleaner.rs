//! Cleans texts and pages, one by one or in batches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use dehusk::{
    BlockModel, Budget, CleanOptions, Cleaner as SourceCleaner, Cleaning, Compiler, Declared, Favor,
    MAX_DOCUMENT_BYTES, Metadata, MinedFrom, Observer, PageAspect, PageChoices, PageJudge, PartChoice, PatternFile,
    Removed, SHARED, Scratch, SourceMap, SpanUnit, Tree, page_markdown, page_pruned, read_despite_scripts, removed,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

use crate::batches::{CleanedBatches, Missing, clean_list};
use crate::errors::{Fault, Result};
use crate::mining::lexer;
use crate::naming::Naming;
use crate::patterns::{Files, Patterns, patterns_of};
use crate::running;
use crate::text::{argument, page_argument, source_of};

/// Texts with fewer bytes are cleaned by the calling thread: starting other threads would take longer.
pub const SHORT: usize = 64 << 10;
/// Texts with at least this many bytes, plus blocks of the page, are compared with the available memory.
const LARGE: usize = 1 << 20;

/// Removes the boilerplate of sources.
///
/// Any number of threads can use one cleaner. It can be pickled, and used in processes that were forked.
///
/// Parameters
/// ----------
/// patterns : Patterns or path
///     The patterns, or their folder.
/// learned : bool
///     Whether models decide. If not, only text that recurs beyond chance is removed.
/// only : "accepted" or None
///     ``"accepted"`` uses only patterns that a person accepted.
/// max_removed : float or None
///     A text that would lose a larger share is not changed.
///
/// Examples
/// --------
/// >>> import dehusk
/// >>> home = "{id: home, status: accepted, regex: The Tide, example: The Tide}"
/// >>> mined = "{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}"
/// >>> patterns = dehusk.Patterns.from_yaml([f"{{dehusk: 1, source: tide, mined: {mined}, patterns: [{home}]}}"])
/// >>> cleaner = dehusk.Cleaner(patterns)
/// >>> cleaner.clean("The Tide\nShips are late.\n", "tide")
/// 'Ships are late.\n'
#[pyclass(frozen, module = "dehusk")]
pub struct Cleaner {
    core: Arc<Core>,
    learned: bool,
    only: Option<String>,
    max_removed: Option<f64>,
}

/// The arguments of [`Cleaner::new`].
type Arguments = (Patterns, bool, Option<String>, Option<f64>);

/// The data that all calls share. The cleaner of a source is compiled when its first text comes.
pub struct Core {
    files: Arc<Files>,
    compiler: OnceLock<Compiler>,
    options: CleanOptions,
    max_removed: f64,
    own: Mutex<HashMap<String, Arc<SourceCleaner>>>,
    /// The cleaner of sources without patterns of their own.
    other: OnceLock<Arc<SourceCleaner>>,
    scratches: Mutex<Vec<Scratch>>,
}

/// The form in which a page is written.
#[derive(Clone, Copy)]
enum Output {
    Text,
    Html,
    Markdown,
}

impl Output {
    fn named(name: &str) -> Option<Output> {
        match name {
            "text" => Some(Output::Text),
            "html" => Some(Output::Html),
            "markdown" => Some(Output::Markdown),
            _ => None,
        }
    }

    fn parse(name: &str) -> Result<Output> {
        let unknown = || Fault::Usage(format!("output is {name:?}; give 'text', 'html' or 'markdown'"));
        Output::named(name).ok_or_else(unknown)
    }
}

impl Core {
    fn new(files: Arc<Files>, options: CleanOptions, max_removed: f64) -> Core {
        let (compiler, own, other, scratches) = Default::default();
        Core { files, compiler, options, max_removed, own, other, scratches }
    }

    /// Refuses a source without patterns, unless `missing` says that its texts are kept.
    ///
    /// # Errors
    /// If the source has no patterns. The message names the source that may be meant.
    pub fn check(&self, source: &str, missing: Missing) -> Result<()> {
        if missing == Missing::Keep || self.files.has(source) {
            return Ok(());
        }
        let suggestion =
            self.files.similar(source).map(|similar| format!(" (did you mean '{similar}'?)")).unwrap_or_default();
        Err(Fault::Data(format!(
            "there are no patterns for source '{source}'{suggestion}; mine it, or give missing='keep', and only shared patterns apply"
        )))
    }

    fn of(&self, source: &str) -> Result<Arc<SourceCleaner>> {
        if !self.files.has(source) {
            return get_or_try_init(&self.other, || self.compile(source).map(Arc::new)).map(Arc::clone);
        }
        if let Some(known) = lock(&self.own).get(source) {
            return Ok(Arc::clone(known));
        }
        // The lock is not held while files are parsed in parallel, because this thread may clean another row meanwhile.
        // So two threads may both compile a source.
        let compiled = Arc::new(self.compile(source)?);
        Ok(Arc::clone(lock(&self.own).entry(source.to_owned()).or_insert(compiled)))
    }

    fn compile(&self, source: &str) -> Result<SourceCleaner> {
        let own = self.files.parse(source)?;
        let compiler = || Ok(Compiler::new(self.files.parse(SHARED)?.map(Arc::new), self.options.clone()));
        let compiler = get_or_try_init(&self.compiler, compiler)?;
        Ok(match own.is_none() && compiler.shared().is_none() {
            false => compiler.cleaner(own.as_ref().as_slice()),
            // If there are no patterns for a source, the structure of a page is the only evidence.
            true => SourceCleaner::new(&[&without_patterns(source)], &self.options.clone().decision(None)),
        })
    }

    /// Calls `work` with scratch space that no other thread uses.
    pub fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = lock(&self.scratches).pop().unwrap_or_default();
        let result = work(&mut scratch);
        lock(&self.scratches).push(scratch);
        result
    }

    /// What is removed from a text, and the cleaner that decided so.
    fn cleaning(
        &self,
        text: &str,
        source: &str,
        tree: Option<&Tree>,
        scratch: &mut Scratch,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(Cleaning, Arc<SourceCleaner>)> {
        let cleaner = self.of(source)?;
        check_size(text, tree)?;
        let cleaning = cleaner.clean_while(scratch, text, tree, go_on);
        let cleaning = cleaning.map_err(|error| Fault::Pattern(error.to_string()))?;
        if !go_on() {
            return Err(Fault::Internal("the text was cleaned no further".to_owned()));
        }
        Ok((self.within_limit(text, cleaning), cleaner))
    }

    /// Removes nothing if more would be removed than is allowed.
    fn within_limit(&self, text: &str, cleaning: Cleaning) -> Cleaning {
        if self.max_removed >= 1.0 {
            return cleaning;
        }
        let left = cleaning.strip(text).len();
        let removed = 1.0 - left as f64 / text.len().max(1) as f64;
        if removed <= self.max_removed { cleaning } else { Cleaning::default() }
    }

    /// The cleaned text. `None` if nothing is removed.
    pub fn clean(
        &self,
        text: &str,
        source: &str,
        scratch: &mut Scratch,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Option<String>> {
        let (cleaning, _) = self.cleaning(text, source, None, scratch, go_on)?;
        Ok((!cleaning.spans.is_empty()).then(|| cleaning.strip(text)))
    }
}

/// Refuses a text that needs more memory than there is. The needed memory is computed only for large texts.
fn check_size(text: &str, tree: Option<&Tree>) -> Result<()> {
    let blocks = tree.map_or(0, Tree::blocks);
    if text.len() > MAX_DOCUMENT_BYTES {
        let bytes = text.len();
        return Err(Fault::Data(format!("the text has {bytes} bytes, and may have {MAX_DOCUMENT_BYTES}; divide it")));
    }
    if text.len() + blocks < LARGE {
        return Ok(());
    }
    Budget::default().check(text, tree).map_err(|reason| Fault::Memory(reason.to_string()))
}

fn without_patterns(source: &str) -> PatternFile {
    PatternFile::of_templates(source, MinedFrom::default(), Vec::new(), &lexer())
}

/// A page that was read. `declared` is the further aspect `D` of the page.
struct ReadPage<D> {
    text: String,
    map: SourceMap,
    tree: Tree,
    declared: D,
}

impl<D: PageAspect> ReadPage<D> {
    fn of(html: &str) -> ReadPage<D> {
        let (text, ((map, tree), declared)) = read_despite_scripts::<((SourceMap, Tree), D)>(html);
        ReadPage { text, map, tree, declared }
    }

    /// The page without the removed parts, in the form of `output`.
    fn written(&self, html: &str, url: Option<&str>, output: Output, cleaning: &Cleaning) -> String {
        let ReadPage { text, map, tree, .. } = self;
        let cuts = cleaning.cuts(text);
        match output {
            Output::Text => cleaning.strip(text),
            Output::Html if cuts.is_empty() => html.to_owned(),
            Output::Html => page_pruned(html, text, map, tree, &cuts),
            Output::Markdown => page_markdown(text, tree, &cuts, url),
        }
    }

    /// The content of the page, in the form of `output`.
    fn content(&self, html: &str, url: Option<&str>, output: Output, choices: PageChoices) -> Result<String> {
        static READER: OnceLock<SourceCleaner> = OnceLock::new();
        let reader = READER.get_or_init(|| SourceCleaner::new(&[&without_patterns("page")], &CleanOptions::default()));
        let judge = PageJudge::Content(BlockModel::shipped(), choices);
        let ReadPage { text, tree, .. } = self;
        let mut scratch = Scratch::default();
        check_size(text, Some(tree))?;
        let cleaning = reader.clean_by(&mut scratch, text, &judge.boilerplate(text, tree, url, None));
        let cleaning = cleaning.map_err(|error| Fault::Pattern(error.to_string()))?;
        Ok(self.written(html, url, output, &cleaning))
    }
}

/// The options that say what decides about texts.
pub fn clean_options(learned: bool, only: Option<&str>) -> Result<CleanOptions> {
    let options = CleanOptions::default();
    let options = if learned { options } else { options.decision(None).structure(None) };
    match only {
        None => Ok(options),
        Some("accepted") => Ok(options.only_accepted(true)),
        Some(other) => Err(Fault::Usage(format!("only is {other:?}; give 'accepted', or None for all"))),
    }
}

/// Does work on few bytes on the calling thread, and other work on a thread of its own. Ctrl-C stops both.
pub fn at_once_or_stoppable<T: Send + 'static>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T> + Send + 'static,
) -> Result<T> {
    if bytes < SHORT {
        return running::listening(py, work);
    }
    running::run(py, None, move |run| work(&|| Observer::go_on(run).is_ok()))
}

#[pymethods]
impl Cleaner {
    #[new]
    #[pyo3(signature = (patterns, learned=true, only=None, max_removed=None))]
    fn new(
        patterns: &Bound<'_, PyAny>,
        learned: bool,
        only: Option<String>,
        max_removed: Option<f64>,
    ) -> Result<Cleaner> {
        let options = clean_options(learned, only.as_deref())?;
        if max_removed.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            return Err(Fault::Usage("max_removed is a share; give a number from 0 to 1".to_owned()));
        }
        let core = Core::new(patterns_of(patterns)?, options, max_removed.unwrap_or(1.0));
        Ok(Cleaner { core: Arc::new(core), learned, only, max_removed })
    }

    /// Remove the boilerplate of a text.
    ///
    /// Parameters
    /// ----------
    /// text : str
    /// source : str
    ///     The name of its source.
    /// missing : "error" or "keep"
    ///     What happens if the source has no patterns: it is an error, or only shared patterns apply.
    ///
    /// Returns
    /// -------
    /// str
    #[pyo3(signature = (text, source, *, missing="error"))]
    fn clean<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        source: &Bound<'py, PyAny>,
        missing: &str,
    ) -> Result<Bound<'py, PyAny>> {
        let (given, source) = (argument(text, "text")?, self.checked_source(source, missing)?);
        let core = Arc::clone(&self.core);
        let cleaned = at_once_or_stoppable(py, given.len(), move |go_on| {
            core.with_scratch(|scratch| core.clean(&given, &source, scratch, go_on))
        })?;
        Ok(cleaned.map_or_else(|| text.clone(), |cleaned| PyString::new(py, &cleaned).into_any()))
    }

    /// What is removed from a text.
    ///
    /// Parameters
    /// ----------
    /// text, source, missing
    ///     As for `clean`.
    ///
    /// Returns
    /// -------
    /// list of Span
    ///     The spans, in order. The text without them is the result of `clean`.
    ///
    /// Examples
    /// --------
    /// >>> import dehusk
    /// >>> home = "{id: home, status: accepted, regex: The Tide, example: The Tide}"
    /// >>> mined = "{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}"
    /// >>> patterns = dehusk.Patterns.from_yaml([f"{{dehusk: 1, source: tide, mined: {mined}, patterns: [{home}]}}"])
    /// >>> dehusk.Cleaner(patterns).spans("The Tide\nShips are late.\n", "tide")[0].patterns
    /// ('home',)
    #[pyo3(signature = (text, source, *, missing="error"))]
    fn spans<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        source: &Bound<'py, PyAny>,
        missing: &str,
    ) -> Result<Bound<'py, PyList>> {
        let (text, source) = (argument(text, "text")?, self.checked_source(source, missing)?);
        let core = Arc::clone(&self.core);
        let spans = at_once_or_stoppable(py, text.len(), move |go_on| {
            let (cleaning, cleaner) =
                core.with_scratch(|scratch| core.cleaning(&text, &source, None, scratch, go_on))?;
            let removed = removed(&text, &cleaning, SpanUnit::Codepoints);
            Ok(removed.iter().map(|removed| named(removed, &cleaner)).collect::<Vec<_>>())
        })?;
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = CLASS.import(py, "dehusk._types", "Span")?;
        let list = PyList::empty(py);
        for (start, end, score, patterns) in spans {
            list.append(class.call1((start, end, score, PyTuple::new(py, patterns)?))?)?;
        }
        Ok(list)
    }

    /// Remove the boilerplate of an HTML page. Its structure counts too.
    ///
    /// Parameters
    /// ----------
    /// html : str or bytes
    ///     Bytes are decoded as the program decodes files.
    /// source : str
    ///     The name of its source.
    /// output : "text", "html" or "markdown"
    ///     The kept text, the page without the removed parts, or the kept text as Markdown.
    /// url : str or None
    ///     The address of the page, for links in Markdown.
    /// missing : "error" or "keep"
    ///     What happens if the source has no patterns: it is an error, or only shared patterns and the structure of the
    ///     page count.
    ///
    /// Returns
    /// -------
    /// str
    #[pyo3(signature = (html, source, output="text", *, url=None, missing="error"))]
    fn clean_page(
        &self,
        py: Python<'_>,
        html: &Bound<'_, PyAny>,
        source: &Bound<'_, PyAny>,
        output: &str,
        url: Option<&Bound<'_, PyAny>>,
        missing: &str,
    ) -> Result<String> {
        let url = url.map(|url| argument(url, "url")).transpose()?;
        let (html, output) = (page_argument(html, "html")?, Output::parse(output)?);
        let source = self.checked_source(source, missing)?;
        let core = Arc::clone(&self.core);
        at_once_or_stoppable(py, html.len(), move |go_on| {
            let page = ReadPage::<()>::of(&html);
            let cleaning = |scratch: &mut Scratch| core.cleaning(&page.text, &source, Some(&page.tree), scratch, go_on);
            let (cleaning, _) = core.with_scratch(cleaning)?;
            Ok(page.written(&html, url.as_deref(), output, &cleaning))
        })
    }

    /// Remove the boilerplate of many texts.
    ///
    /// Parameters
    /// ----------
    /// data : iterable of str or dict, dict of lists, data frame, Arrow table, or data set
    ///     The texts. All other columns are kept. Strings are texts of one source.
    /// text : str
    ///     The name of the column with texts.
    /// source, url : str or None
    ///     The names of the columns with the names of sources, and with addresses: see `mine`.
    /// name : str or None
    ///     The name of the source of all texts: see `mine`.
    /// missing : "error" or "keep"
    ///     What happens to a row without text or source, or whose source has no patterns: it is an error, or the row is
    ///     kept. Shared patterns still apply to a text whose source has no patterns of its own.
    /// threads : int or None
    ///     Number of threads, at most as many as there are cores. All cores by default.
    ///
    /// Returns
    /// -------
    /// same kind
    ///     The same kind of data, with cleaned texts. Record batch readers, generators and lazy frames of polars are
    ///     cleaned when their rows are asked for; 1,000 rows of a generator are taken at once. Another iterable gives a
    ///     list; another object with an Arrow stream gives a `Table`.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     If a row cannot be used. The message names row and column.
    ///
    /// Examples
    /// --------
    /// >>> import dehusk
    /// >>> home = "{id: home, status: accepted, regex: The Tide, example: The Tide}"
    /// >>> mined = "{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}"
    /// >>> patterns = dehusk.Patterns.from_yaml([f"{{dehusk: 1, source: tide, mined: {mined}, patterns: [{home}]}}"])
    /// >>> dehusk.Cleaner(patterns).clean_batch({"text": ["The Tide\nLate."], "source": ["tide"]})
    /// {'text': ['Late.'], 'source': ['tide']}
    /// >>> data = {"text": ["The Tide\nLate.", None], "source": ["tide"] * 2}
    /// >>> dehusk.Cleaner(patterns).clean_batch(data, missing="keep")
    /// {'text': ['Late.', None], 'source': ['tide', 'tide']}
    #[pyo3(signature = (data, text="text", source=Some("source"), url=Some("url"), *, name=None, missing="error", threads=None))]
    #[expect(clippy::too_many_arguments, reason = "Python has them as keywords")]
    fn clean_batch<'py>(
        this: &Bound<'py, Cleaner>,
        data: &Bound<'py, PyAny>,
        text: &str,
        source: Option<&str>,
        url: Option<&str>,
        name: Option<&str>,
        missing: &str,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLEAN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = this.py();
        let clean =
            CLEAN.get_or_try_init(py, || py.import("dehusk._data")?.getattr("clean_batch").map(Bound::unbind))?;
        let naming = Naming::new(source.map(Into::into), url.map(Into::into), name.map(Into::into), None)?;
        clean.bind(py).call1((this, data, text, naming, missing, threads))
    }

    fn _clean_list<'py>(
        &self,
        texts: &Bound<'py, PyList>,
        sources: Option<&Bound<'py, PyList>>,
        names: (String, Naming),
        first: u64,
        missing: &str,
        threads: Option<usize>,
    ) -> Result<Bound<'py, PyList>> {
        clean_list(&self.core, texts, sources, (&names.0, &names.1), first, Missing::parse(missing)?, threads)
    }

    fn _clean_stream(
        &self,
        stream: &Bound<'_, PyAny>,
        names: (String, Naming),
        missing: &str,
        threads: Option<usize>,
    ) -> Result<CleanedBatches> {
        CleanedBatches::new(Arc::clone(&self.core), stream, names, Missing::parse(missing)?, threads)
    }

    /// The patterns.
    #[getter]
    fn patterns(&self) -> Patterns {
        Patterns::sharing(Arc::clone(&self.core.files))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Arguments) {
        (py.get_type::<Cleaner>(), (self.patterns(), self.learned, self.only.clone(), self.max_removed))
    }

    fn __repr__(&self) -> String {
        format!("<dehusk.Cleaner: {} sources>", self.core.files.len())
    }
}

/// Positions, score, and the ids of the patterns.
fn named(removed: &Removed<'_>, cleaner: &SourceCleaner) -> (usize, usize, f64, Vec<String>) {
    let mut ids: Vec<String> = Vec::new();
    for (_, index) in removed.spans.iter().flat_map(|span| &span.because) {
        let id = &cleaner.pattern(*index).id;
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    (removed.range.start, removed.range.end, removed.score, ids)
}

impl Cleaner {
    fn checked_source(&self, source: &Bound<'_, PyAny>, missing: &str) -> Result<PyBackedStr> {
        let (source, missing) = (argument(source, "source")?, Missing::parse(missing)?);
        source_of(&source)?;
        self.core.check(&source, missing)?;
        Ok(source)
    }
}

/// The content of an HTML page, judged alone: ``dehusk extract``.
///
/// Parameters
/// ----------
/// html : str or bytes
///     Bytes are decoded as the program decodes files.
/// url : str or None
///     The address of the page.
/// format : "text", "html", "markdown" or "json"
///     The visible text of the content, the page with the content only, or Markdown. ``"json"`` is text with
///     ``metadata=True``.
/// favor : "precision", "recall" or None
///     What counts more: that no boilerplate is left in, or that no content is lost. None: both count the same.
/// comments : "keep", "drop" or "auto"
///     What happens to comments of readers. "auto" keeps them where they are the content of the page, as in a forum.
/// metadata : bool
///     Whether to return a dict that also has what the page says about itself.
///
/// Returns
/// -------
/// str, or dict
///     With metadata: ``title``, ``author``, ``date``, ``language``, ``site_name``, ``url``, ``description`` and
///     ``image``, each a str or None, and the content as ``text``.
///
/// Examples
/// --------
/// >>> import dehusk
/// >>> page = "<title>Late</title><nav><a href=/>Home</a></nav><article><p>Ships are late on the quay.</p></article>"
/// >>> dehusk.extract(page)
/// 'Ships are late on the quay.'
/// >>> dehusk.extract(page, metadata=True)["title"]
/// 'Late'
#[pyfunction]
#[pyo3(signature = (html, url=None, *, format="text", favor=None, comments="auto", metadata=false))]
pub fn extract<'py>(
    py: Python<'py>,
    html: &Bound<'py, PyAny>,
    url: Option<&Bound<'py, PyAny>>,
    format: &str,
    favor: Option<&str>,
    comments: &str,
    metadata: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let url = url.map(|url| argument(url, "url")).transpose()?;
    let choices = PageChoices::default().favor(favored(favor)?).comments(choice(comments, "comments")?);
    let (output, metadata) = match format {
        "json" => (Output::Text, true),
        format => (Output::named(format).ok_or_else(|| unknown_format(format))?, metadata),
    };
    let html = page_argument(html, "html")?;
    if !metadata {
        let content = at_once_or_stoppable(py, html.len(), move |_| {
            ReadPage::<()>::of(&html).content(&html, url.as_deref(), output, choices)
        })?;
        return Ok(PyString::new(py, &content).into_any());
    }
    let (said, content) = at_once_or_stoppable(py, html.len(), move |_| {
        let (page, url) = (ReadPage::<Declared>::of(&html), url.as_deref());
        let content = page.content(&html, url, output, choices)?;
        Ok((page.declared.metadata(&page.text, &page.tree, url), content))
    })?;
    Ok(said_and_text(py, said, &content)?.into_any())
}

fn favored(favor: Option<&str>) -> Result<Favor> {
    match favor {
        None => Ok(Favor::Balance),
        Some("precision") => Ok(Favor::Precision),
        Some("recall") => Ok(Favor::Recall),
        Some(other) => Err(Fault::Usage(format!("favor is {other:?}; give 'precision' or 'recall', or None for both"))),
    }
}

fn choice(choice: &str, name: &str) -> Result<PartChoice> {
    match choice {
        "keep" => Ok(PartChoice::Keep),
        "drop" => Ok(PartChoice::Drop),
        "auto" => Ok(PartChoice::Auto),
        other => Err(Fault::Usage(format!("{name} is {other:?}; give 'keep', 'drop' or 'auto'"))),
    }
}

fn unknown_format(format: &str) -> Fault {
    Fault::Usage(format!("format is {format:?}; give 'text', 'html', 'markdown' or 'json'"))
}

/// A dict with what a page says about itself, and its content.
fn said_and_text<'py>(py: Python<'py>, said: Metadata, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let Metadata { title, author, date, language, site_name, url, description, image, .. } = said;
    all.set_item("title", title)?;
    all.set_item("author", author)?;
    all.set_item("date", date)?;
    all.set_item("language", language)?;
    all.set_item("site_name", site_name)?;
    all.set_item("url", url)?;
    all.set_item("description", description)?;
    all.set_item("image", image)?;
    all.set_item("text", text)?;
    Ok(all)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value of a cell, which is computed once. (Two threads may both compute it.)
fn get_or_try_init<T>(cell: &OnceLock<T>, value: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let value = value()?;
    Ok(cell.get_or_init(|| value))
}
