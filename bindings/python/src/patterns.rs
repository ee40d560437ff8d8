//! Pattern files in memory, as compressed text.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use dehusk::{
    FileProblem, LexerCache, Library, LibraryError, OutputRoot, Pattern, PatternFile, PipelineError, Reads, SHARED,
    Status, similar_source,
};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyType};
use rayon::prelude::*;

use crate::decided::Decided;
use crate::errors::{Fault, Result, chain};
use crate::process::{in_pool, with_threads};
use crate::running;
use crate::warnings::warn;

/// Patterns of sources, as in a folder of pattern files.
///
/// A mapping from the names of sources to `SourcePatterns`. ``"_shared"`` has the patterns that apply to all sources.
/// `SourcePatterns` has methods to decide on patterns, and `save` writes the decisions.
///
/// Examples
/// --------
/// >>> import dehusk
/// >>> home = "{id: home, status: accepted, regex: The Tide, example: The Tide}"
/// >>> mined = "{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}"
/// >>> patterns = dehusk.Patterns.from_yaml([f"{{dehusk: 1, source: tide, mined: {mined}, patterns: [{home}]}}"])
/// >>> [(pattern.id, pattern.status) for pattern in patterns["tide"].patterns]
/// [('home', 'accepted')]
/// >>> patterns["tide"].reject("home")
/// >>> patterns
/// <dehusk.Patterns: 1 sources>
#[pyclass(frozen, module = "dehusk")]
pub struct Patterns {
    decided: Arc<Decided>,
}

/// The compression level of Zstandard.
const LEVEL: i32 = 3;

/// The patterns of a source: a pattern file.
///
/// It shares the decisions of the `Patterns` that it comes from.
///
/// Examples
/// --------
/// >>> import dehusk
/// >>> home = "{id: home, status: proposed, regex: The Tide, example: The Tide}"
/// >>> mined = "{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}"
/// >>> patterns = dehusk.Patterns.from_yaml([f"{{dehusk: 1, source: tide, mined: {mined}, patterns: [{home}]}}"])
/// >>> patterns["tide"].accept("home")
/// >>> patterns["tide"].patterns[0].status
/// 'accepted'
/// >>> dehusk.Cleaner(patterns, only="accepted").clean("The Tide\nShips are late.\n", "tide")
/// 'Ships are late.\n'
#[pyclass(frozen, module = "dehusk")]
pub struct SourcePatterns {
    decided: Arc<Decided>,
    source: String,
    /// The last version that was parsed.
    parsed: Mutex<Option<(Packed, Arc<PatternFile>)>>,
}

/// Pattern files as compressed text, by source. A worker sees only few of the sources, so a file is parsed only when it
/// is asked for.
#[derive(Clone, Default)]
pub struct Files {
    packed: BTreeMap<String, Packed>,
    lexers: Arc<LexerCache>,
}

/// A pattern file in canonical form, so that equal files are equal texts. Zstandard makes it 3 times smaller.
#[derive(Clone, PartialEq)]
pub struct Packed(Arc<[u8]>);

impl Packed {
    /// The compressed text of a file.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn of(file: &PatternFile) -> Result<Packed> {
        let packed = zstd::bulk::compress(file.to_yaml().as_bytes(), LEVEL);
        packed.map(|packed| Packed(packed.into())).map_err(|error| Fault::io(&error))
    }

    fn text(&self, source: &str) -> Result<String> {
        let text = zstd::decode_all(&*self.0).and_then(|text| String::from_utf8(text).map_err(io::Error::other));
        text.map_err(|error| {
            Fault::Pattern(format!("the patterns of source '{source}' are damaged ({error}): load them again"))
        })
    }
}

impl Files {
    /// Reads a folder of pattern files, or one file.
    ///
    /// # Errors
    /// If a file cannot be used.
    pub fn load(path: &Path) -> Result<Files> {
        let lexers = Arc::new(LexerCache::default());
        let packed = Library::load_each(path, &lexers, |file| Packed::of(&file)).map_err(|error| load_error(&error))?;
        let packed = packed.into_iter().map(|(source, packed)| Ok((source, packed?))).collect::<Result<_>>()?;
        Ok(Files { packed, lexers })
    }

    fn of<F: Borrow<PatternFile>>(files: impl IntoIterator<Item = F>) -> Result<Files> {
        let packed = files.into_iter().map(|file| {
            let file = file.borrow();
            Ok((file.source.clone(), Packed::of(file)?))
        });
        Ok(Files { packed: packed.collect::<Result<_>>()?, ..Files::default() })
    }

    fn text(&self, source: &str) -> Result<Option<String>> {
        self.packed.get(source).map(|packed| packed.text(source)).transpose()
    }

    /// The compressed text of a source's file.
    pub fn packed(&self, source: &str) -> Option<&Packed> {
        self.packed.get(source)
    }

    /// Replaces a source's file. Returns the old one.
    pub fn put(&mut self, source: &str, file: Packed) -> Option<Packed> {
        self.packed.insert(source.to_owned(), file)
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// Whether there is a file for this source.
    pub fn has(&self, source: &str) -> bool {
        self.packed.contains_key(source)
    }

    /// The source that may be meant by a name for which there is no file.
    pub fn similar(&self, source: &str) -> Option<&str> {
        similar_source(source, self.packed.keys().map(String::as_str).filter(|source| *source != SHARED))
    }

    /// The file of a source.
    ///
    /// # Errors
    /// If the file cannot be used, for example because another version pickled it.
    pub fn parse(&self, source: &str) -> Result<Option<PatternFile>> {
        let text = self.text(source)?;
        text.map(|yaml| parse(&format!("{source}.yaml"), &yaml, &self.lexers)).transpose()
    }

    /// All files, parsed.
    ///
    /// # Errors
    /// If one cannot be used.
    pub fn library(&self) -> Result<Library> {
        let sources: Vec<&String> = self.packed.keys().collect();
        let files: Result<Vec<Option<PatternFile>>> =
            in_pool(|| sources.into_par_iter().map(|source| self.parse(source)).collect())?;
        Ok(Library::of_files(files?.into_iter().flatten()))
    }

    /// Writes the files. A file with other content is replaced only with `overwrite`.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path, overwrite: bool) -> Result<()> {
        let error = |error: PipelineError| Fault::from(error);
        let output = OutputRoot::create(folder, &Reads::nothing()).map_err(|problem| error(problem.into()))?;
        let texts = self.library()?.texts();
        for (name, text) in &texts {
            let path = folder.join(name);
            if !overwrite && fs::read(&path).is_ok_and(|old| old != text.as_bytes()) {
                return Err(Fault::Usage(format!(
                    "{path:?} already exists, and is different: name another folder, or add overwrite=True"
                )));
            }
        }
        for (name, text) in texts {
            let written = output.write_atomic(name, |file| io::Write::write_all(file, text.as_bytes()));
            written.map_err(|problem| error(problem.into()))?;
        }
        Ok(())
    }
}

impl Patterns {
    /// Patterns of these files.
    pub fn of_files<F: Borrow<PatternFile>>(files: impl IntoIterator<Item = F>) -> Result<Patterns> {
        Files::of(files).map(|files| Patterns::sharing(Arc::new(files)))
    }

    /// Patterns that share these files.
    pub fn sharing(files: Arc<Files>) -> Patterns {
        Patterns { decided: Arc::new(Decided::of(files)) }
    }

    /// The files, with the decisions so far.
    pub fn files(&self) -> Arc<Files> {
        self.decided.files()
    }
}

/// The problems of pattern files, each with its line.
pub fn load_error(error: &LibraryError) -> Fault {
    match error {
        LibraryError::Broken { problems, .. } => {
            let problems: Vec<String> = problems.iter().map(|problem| chain(problem)).collect();
            Fault::Pattern(format!("{error}: {}", problems.join("; ")))
        }
        error => Fault::Pattern(chain(error)),
    }
}

#[pymethods]
impl Patterns {
    /// Read a folder of pattern files, or one file.
    ///
    /// Every file is checked, but only its text is kept. A source is parsed when it is asked for.
    ///
    /// Parameters
    /// ----------
    /// folder : path
    ///
    /// Returns
    /// -------
    /// Patterns
    ///
    /// Raises
    /// ------
    /// PatternError
    ///     If there are no files, or one cannot be used. The message names file and line.
    #[classmethod]
    fn load(class: &Bound<'_, PyType>, folder: &Bound<'_, PyAny>) -> Result<Patterns> {
        let folder = folder_of(folder)?;
        let load = move || Decided::load(&folder);
        let decided = running::run(class.py(), None, move |_| with_threads(None, load)?)?;
        Ok(Patterns { decided: Arc::new(decided) })
    }

    /// Read pattern files that are strings.
    ///
    /// Parameters
    /// ----------
    /// files : list of str
    ///
    /// Returns
    /// -------
    /// Patterns
    #[classmethod]
    fn from_yaml(class: &Bound<'_, PyType>, files: &Bound<'_, PyAny>) -> Result<Patterns> {
        let Ok(files) = files.extract::<Vec<String>>() else {
            return Err(Fault::Type(format!("files: {} is no list of str", files.get_type().qualname()?)));
        };
        Ok(Patterns::sharing(Arc::new(class.py().detach(|| checked(&files))?)))
    }

    /// Patterns from the names and texts of the files in a folder.
    #[classmethod]
    fn _of_texts(class: &Bound<'_, PyType>, texts: Vec<(String, String)>) -> Result<Patterns> {
        let library = class.py().detach(|| in_pool(|| Library::of_texts(&texts)))?;
        Patterns::of_files(library.map_err(|error| load_error(&error))?.files())
    }

    /// Patterns from the result of `_packed`, whose files were checked before.
    #[classmethod]
    fn _of_packed(_class: &Bound<'_, PyType>, files: Vec<(String, Bound<'_, PyBytes>)>) -> Patterns {
        let packed = files.into_iter().map(|(source, file)| (source, Packed(file.as_bytes().into()))).collect();
        Patterns::sharing(Arc::new(Files { packed, ..Files::default() }))
    }

    /// Read a folder of pattern files, if it has some.
    #[classmethod]
    fn _load_if_any(class: &Bound<'_, PyType>, folder: PathBuf) -> Result<Option<Patterns>> {
        let load = move || Library::load_if_any(&folder).map_err(|error| load_error(&error));
        let library = running::run(class.py(), None, move |_| with_threads(None, load)?)?;
        let is_empty = library.is_empty();
        if is_empty { Ok(None) } else { Patterns::of_files(library.files()).map(Some) }
    }

    /// Write a pattern file for each source, as mining does. Decisions that people made in the files since they were
    /// `before` are kept.
    fn _merge_into(&self, py: Python<'_>, folder: PathBuf, before: &Bound<'_, Patterns>) -> Result<()> {
        let (files, before) = (self.files(), before.get().files());
        let told = running::run(py, None, move |run| {
            let output = OutputRoot::create(folder, &Reads::nothing()).map_err(PipelineError::from)?;
            let (files, before) = (files.library()?, before.library()?);
            files.write(&before, &output, run).map_err(|error| match run.told().warnings.as_slice() {
                [] => Fault::from(error),
                warnings => Fault::from(error).at(&warnings.join("; ")),
            })?;
            Ok(run.told())
        })?;
        warn(py, &told)
    }

    /// These patterns, with the decisions that people made between the files `before` and the files `now`.
    fn _with_decisions(&self, before: &Bound<'_, Patterns>, now: &Bound<'_, Patterns>) -> Result<Patterns> {
        let (files, before, now) = (self.files(), before.get().files(), now.get().files());
        let merged = files.packed.keys().map(|source| {
            let file = files.parse(source)?.ok_or_else(|| Fault::Internal(format!("no file for '{source}'")))?;
            Ok(match now.parse(source)? {
                Some(now) => file.with_decisions_of(before.parse(source)?.as_ref(), now),
                None => file,
            })
        });
        Patterns::of_files(merged.collect::<Result<Vec<PatternFile>>>()?)
    }

    /// The name and the text of each file in a folder of these patterns.
    fn _texts(&self, py: Python<'_>) -> Result<Vec<(String, String)>> {
        Ok(py.detach(|| self.files().library())?.texts())
    }

    /// The source that may be meant by a name for which there are no patterns.
    fn _similar(&self, source: &str) -> Option<String> {
        self.files().similar(source).map(str::to_owned)
    }

    /// The name of each source, and its compressed file: for pickles, and for engines.
    fn _packed<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        self.files().packed.iter().map(|(source, file)| (source.clone(), PyBytes::new(py, &file.0))).collect()
    }

    /// Write a pattern file for each source, or decisions to the files that were loaded.
    ///
    /// Parameters
    /// ----------
    /// folder : path or None
    ///     The folder is made if it does not exist. For None, or the folder from which the patterns were loaded: only
    ///     the files with new decisions are written, and only the decisions change in them.
    /// overwrite : bool
    ///     Whether existing files with other content are replaced.
    ///
    /// Raises
    /// ------
    /// PatternError
    ///     If decisions are written, and a file of theirs was changed after it was loaded.
    /// UsageError
    ///     If the files exist with other content, or there is no folder: mined patterns have none yet.
    #[pyo3(signature = (folder=None, *, overwrite=false))]
    fn save(&self, py: Python<'_>, folder: Option<&Bound<'_, PyAny>>, overwrite: bool) -> Result<()> {
        let folder = folder.map(folder_of).transpose()?;
        py.detach(|| match folder {
            Some(folder) if overwrite || !self.decided.is_of(&folder) => self.files().write(&folder, overwrite),
            _ => self.decided.save(),
        })
    }

    /// The names of the sources, sorted.
    #[getter]
    fn sources(&self) -> Vec<String> {
        self.files().packed.keys().cloned().collect()
    }

    /// The names of the sources, sorted.
    fn keys(&self) -> Vec<String> {
        self.sources()
    }

    /// The patterns of each source.
    fn values(&self) -> Vec<SourcePatterns> {
        self.sources().into_iter().map(|source| self.of(source)).collect()
    }

    /// The name of each source, and its patterns.
    fn items(&self) -> Vec<(String, SourcePatterns)> {
        self.sources().into_iter().map(|source| (source.clone(), self.of(source))).collect()
    }

    /// The patterns of a source, or `default`.
    #[pyo3(signature = (source, default=None))]
    fn get(&self, py: Python<'_>, source: &str, default: Option<Py<PyAny>>) -> PyResult<Option<Py<PyAny>>> {
        if !self.__contains__(source) {
            return Ok(default);
        }
        Ok(Some(Py::new(py, self.of(source.to_owned()))?.into_any()))
    }

    fn __getitem__(&self, source: &str) -> PyResult<SourcePatterns> {
        if self.__contains__(source) {
            return Ok(self.of(source.to_owned()));
        }
        Err(PyKeyError::new_err(format!("there are no patterns for source '{source}'")))
    }

    fn __contains__(&self, source: &str) -> bool {
        self.files().has(source)
    }

    fn __len__(&self) -> usize {
        self.files().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.sources())?.try_iter()?.into_any())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Patterns>().is_ok_and(|other| self.files().packed == other.get().files().packed)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyList>,))> {
        Ok((py.get_type::<Patterns>().getattr("_of_packed")?, (PyList::new(py, self._packed(py))?,)))
    }

    fn __repr__(&self) -> String {
        format!("<dehusk.Patterns: {} sources>", self.__len__())
    }
}

impl Patterns {
    fn of(&self, source: String) -> SourcePatterns {
        SourcePatterns { decided: Arc::clone(&self.decided), source, parsed: Mutex::default() }
    }
}

impl SourcePatterns {
    fn file(&self) -> Result<Arc<PatternFile>> {
        let files = self.decided.files();
        let none = || Fault::Internal(format!("there are no patterns for source '{}'", self.source));
        let packed = files.packed(&self.source).ok_or_else(none)?;
        let parsed = || self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, file)) = &*parsed()
            && Arc::ptr_eq(&of.0, &packed.0)
        {
            return Ok(Arc::clone(file));
        }
        // The lock is not held while other threads parse.
        let file = Arc::new(files.parse(&self.source)?.ok_or_else(none)?);
        *parsed() = Some((packed.clone(), Arc::clone(&file)));
        Ok(file)
    }
}

#[pymethods]
impl SourcePatterns {
    /// The name of the source.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    /// The patterns that people review, as a list of `Pattern`.
    #[getter]
    fn patterns<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyList>> {
        let file = self.file()?;
        listed(py, &file, &file.patterns)
    }

    /// Patterns that recur but that people do not review, as a list of `Pattern`. They help to decide about documents.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyList>> {
        let file = self.file()?;
        listed(py, &file, &file.evidence)
    }

    /// Number of documents that were mined.
    #[getter]
    fn documents(&self) -> Result<usize> {
        Ok(self.file()?.mined.documents)
    }

    /// The share of documents from which on text counts as template, not as language.
    #[getter]
    fn cutoff(&self) -> Result<f64> {
        Ok(self.file()?.mined.cutoff)
    }

    /// The share of the text that the patterns removed when they were mined. `None` if it is not known.
    #[getter]
    fn removed(&self) -> Result<Option<f64>> {
        Ok(self.file()?.mined.removed)
    }

    /// What is unusual about the source, if recurrence alone decides in it for that reason.
    #[getter]
    fn unusual(&self) -> Result<Option<String>> {
        Ok(self.file()?.unusual.clone())
    }

    /// Accept patterns: all that they match is removed.
    ///
    /// The patterns in memory change. A `Cleaner` that is made afterwards uses the decision. `Patterns.save` writes it.
    ///
    /// Parameters
    /// ----------
    /// *ids : str
    ///     The ids of the patterns.
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     If the source has no pattern with such an id. Nothing changes then.
    #[pyo3(signature = (*ids))]
    fn accept(&self, py: Python<'_>, ids: Vec<String>) -> Result<()> {
        py.detach(|| self.decided.decide(&self.source, &ids, Status::Accepted))
    }

    /// Reject patterns: they remove nothing, and are not proposed again.
    ///
    /// Parameters
    /// ----------
    /// *ids : str
    ///     As for `accept`.
    #[pyo3(signature = (*ids))]
    fn reject(&self, py: Python<'_>, ids: Vec<String>) -> Result<()> {
        py.detach(|| self.decided.decide(&self.source, &ids, Status::Rejected))
    }

    /// Take decisions back: the patterns are proposed, as after mining.
    ///
    /// Parameters
    /// ----------
    /// *ids : str
    ///     As for `accept`.
    #[pyo3(signature = (*ids))]
    fn propose(&self, py: Python<'_>, ids: Vec<String>) -> Result<()> {
        py.detach(|| self.decided.decide(&self.source, &ids, Status::Proposed))
    }

    /// The pattern file as text.
    fn to_yaml(&self) -> Result<String> {
        Ok(self.decided.files().text(&self.source)?.unwrap_or_default())
    }

    fn __repr__(&self) -> Result<String> {
        let (count, source) = (self.file()?.patterns.len(), &self.source);
        Ok(format!("<dehusk.SourcePatterns: {count} patterns of '{source}'>"))
    }
}

fn parse(name: &str, yaml: &str, lexers: &LexerCache) -> Result<PatternFile> {
    let problem = |problems: Vec<FileProblem>| Fault::Pattern(FileProblem::display_all(&problems, Path::new(name)));
    in_pool(|| PatternFile::parse(yaml, lexers))?.map_err(problem)
}

fn checked(files: &[String]) -> Result<Files> {
    let mut checked = Files::default();
    for (index, yaml) in files.iter().enumerate() {
        let file = parse(&format!("files[{index}]"), yaml, &checked.lexers)?;
        if checked.has(&file.source) {
            let message = format!("files[{index}]: there is another file for source '{}'; keep one", file.source);
            return Err(Fault::Pattern(message));
        }
        checked.packed.insert(file.source.clone(), Packed::of(&file)?);
    }
    Ok(checked)
}

fn listed<'py>(py: Python<'py>, file: &PatternFile, patterns: &[Pattern]) -> Result<Bound<'py, PyList>> {
    let class = class_of_patterns(py)?;
    let list = PyList::empty(py);
    for pattern in patterns {
        let text = ["regex", "rows"].contains(&pattern.key()).then(|| file.in_words(pattern));
        let identity = (&pattern.id, pattern.key(), &pattern.regex, text, pattern.status.name());
        let counts = (pattern.documents, pattern.among, pattern.occurrences, pattern.sources);
        let facts = (&pattern.example, pattern.ends_after, &pattern.note);
        let [identity, counts, facts] =
            [identity.into_pyobject(py)?, counts.into_pyobject(py)?, facts.into_pyobject(py)?];
        let all = identity.as_sequence().concat(counts.as_sequence())?.concat(facts.as_sequence())?.to_tuple()?;
        list.append(class.call1(all)?)?;
    }
    Ok(list)
}

fn class_of_patterns(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "dehusk._types", "Pattern")
}

/// The same as [`patterns_of`], but all files are parsed: for runs that need all sources.
pub fn library_of(given: &Bound<'_, PyAny>) -> Result<Library> {
    let files = patterns_of(given)?;
    given.py().detach(|| files.library())
}

/// Patterns that were given as `Patterns`, or as the path of their folder.
pub fn patterns_of(given: &Bound<'_, PyAny>) -> Result<Arc<Files>> {
    if let Ok(patterns) = given.cast::<Patterns>() {
        return Ok(patterns.get().files());
    }
    match given.extract::<PathBuf>() {
        Ok(_) => Ok(Patterns::load(&given.py().get_type::<Patterns>(), given)?.files()),
        Err(_) => {
            let kind = given.get_type().qualname()?;
            Err(Fault::Type(format!(
                "patterns: {kind} is neither Patterns nor the path of a folder with pattern files"
            )))
        }
    }
}

fn folder_of(given: &Bound<'_, PyAny>) -> Result<PathBuf> {
    given.extract().or_else(|_| Err(Fault::Type(format!("folder: {} is no path", given.get_type().qualname()?))))
}
