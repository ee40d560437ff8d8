//! Pattern files in memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dehusk::corpus::OutputRoot;
use dehusk::patterns::{FileProblem, LexerCache, Pattern, PatternFile};
use dehusk::pipeline::workers::all_cores;
use dehusk::pipeline::{Library, LibraryError, PipelineError};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyType};

use crate::errors::{Fault, Result, chain};
use crate::process::{pool, with_threads};
use crate::running;

/// Patterns of sources, as in a folder of pattern files.
///
/// A mapping from the names of sources to `SourcePatterns`. ``"_shared"`` has the patterns of all sources. Patterns never change.
/// People decide on them in the files: see ``dehusk review``.
///
/// Examples
/// --------
/// >>> import dehusk
/// >>> home = "{id: home, status: accepted, regex: The Tide, example: The Tide}"
/// >>> mined = "{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}"
/// >>> patterns = dehusk.Patterns.from_yaml([f"{{dehusk: 1, source: tide, mined: {mined}, patterns: [{home}]}}"])
/// >>> [(pattern.id, pattern.status) for pattern in patterns["tide"].patterns]
/// [('home', 'accepted')]
/// >>> patterns
/// <dehusk.Patterns: 1 patterns of 1 sources>
#[pyclass(frozen, module = "dehusk")]
pub struct Patterns {
    library: Arc<Library>,
}

/// The patterns of a source: a pattern file.
#[pyclass(frozen, module = "dehusk")]
pub struct SourcePatterns {
    library: Arc<Library>,
    source: String,
}

impl Patterns {
    /// Patterns of these files.
    pub fn of_files(files: Vec<PatternFile>) -> Patterns {
        Patterns { library: Arc::new(Library::of_files(files)) }
    }

    /// Patterns that are in a library already.
    pub fn of_library(library: Arc<Library>) -> Patterns {
        Patterns { library }
    }

    /// The files.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Writes the files. A file with other content is replaced only if `overwrite`.
    pub fn write(&self, folder: &Path, overwrite: bool) -> Result<()> {
        let error = |error: PipelineError| Fault::from(error);
        let output = OutputRoot::create(folder, &[]).map_err(|problem| error(problem.into()))?;
        let files: Vec<(String, String)> =
            self.library.files().map(|file| (format!("{}.yaml", file.source), file.to_yaml())).collect();
        let differs =
            |(name, yaml): &&(String, String)| fs::read(folder.join(name)).is_ok_and(|old| old != yaml.as_bytes());
        if let (false, Some((name, _))) = (overwrite, files.iter().find(differs)) {
            let path = folder.join(name);
            return Err(Fault::Usage(format!(
                "{path:?} already exists, and is different: name another folder, or add overwrite=True"
            )));
        }
        for (name, yaml) in &files {
            let written = output.write_atomic(name, |file| std::io::Write::write_all(file, yaml.as_bytes()));
            written.map_err(|problem| error(problem.into()))?;
        }
        Ok(())
    }

    fn yaml(&self) -> Vec<String> {
        self.library.files().map(PatternFile::to_yaml).collect()
    }
}

/// What is wrong with pattern files, each with its line.
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
    ///     If there are none, or one cannot be used. The message names file and line.
    #[classmethod]
    fn load(class: &Bound<'_, PyType>, folder: PathBuf) -> Result<Patterns> {
        let load = move || Library::load(&folder).map_err(|error| load_error(&error));
        let library = running::run(class.py(), None, move |_| with_threads(None, load)?)?;
        Ok(Patterns { library: Arc::new(library) })
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
    fn from_yaml(class: &Bound<'_, PyType>, files: Vec<String>) -> Result<Patterns> {
        class.py().detach(|| pool(all_cores())?.install(|| parsed(&files))).map(Patterns::of_files)
    }

    /// Write a pattern file for each source.
    ///
    /// Parameters
    /// ----------
    /// folder : path
    ///     It is made if it does not exist.
    /// overwrite : bool
    ///     Whether files are replaced that are different.
    #[pyo3(signature = (folder, *, overwrite=false))]
    fn save(&self, py: Python<'_>, folder: PathBuf, overwrite: bool) -> Result<()> {
        py.detach(|| self.write(&folder, overwrite))
    }

    /// The names of the sources, sorted.
    #[getter]
    fn sources(&self) -> Vec<String> {
        self.library.files().map(|file| file.source.clone()).collect()
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
        self.library.get(source).is_some()
    }

    fn __len__(&self) -> usize {
        self.library.files().count()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.sources())?.try_iter()?.into_any())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Patterns>().is_ok_and(|other| self.yaml() == other.get().yaml())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Vec<String>,))> {
        Ok((py.get_type::<Patterns>().getattr("from_yaml")?, (self.yaml(),)))
    }

    fn __repr__(&self) -> String {
        let count: usize = self.library.files().map(|file| file.patterns.len()).sum();
        format!("<dehusk.Patterns: {count} patterns of {} sources>", self.__len__())
    }
}

impl Patterns {
    fn of(&self, source: String) -> SourcePatterns {
        SourcePatterns { library: Arc::clone(&self.library), source }
    }
}

impl SourcePatterns {
    fn file(&self) -> Result<&PatternFile> {
        let none = || Fault::Internal(format!("there are no patterns for source '{}'", self.source));
        self.library.get(&self.source).ok_or_else(none)
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
        listed(py, file, &file.patterns)
    }

    /// What recurs and is no pattern for people, as a list of `Pattern`. It helps to decide about documents.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyList>> {
        let file = self.file()?;
        listed(py, file, &file.evidence)
    }

    /// Number of documents that were mined.
    #[getter]
    fn documents(&self) -> Result<usize> {
        Ok(self.file()?.mined.documents)
    }

    /// The share of documents that divides template from language.
    #[getter]
    fn cutoff(&self) -> Result<f64> {
        Ok(self.file()?.mined.cutoff)
    }

    /// The share of the text that the patterns removed when they were mined. `None` if it is not known.
    #[getter]
    fn removed(&self) -> Result<Option<f64>> {
        Ok(self.file()?.mined.removed)
    }

    /// How far the patterns can be relied on, from 0 to 1. `None` if it is not known.
    #[getter]
    fn trust(&self) -> Result<Option<f64>> {
        Ok(self.file()?.trust.as_ref().map(|trust| trust.share))
    }

    /// The pattern file as text.
    fn to_yaml(&self) -> Result<String> {
        Ok(self.file()?.to_yaml())
    }

    fn __repr__(&self) -> Result<String> {
        let (count, source) = (self.file()?.patterns.len(), &self.source);
        Ok(format!("<dehusk.SourcePatterns: {count} patterns of '{source}'>"))
    }
}

fn parsed(files: &[String]) -> Result<Vec<PatternFile>> {
    let cache = LexerCache::default();
    let mut parsed: Vec<PatternFile> = Vec::new();
    for (index, yaml) in files.iter().enumerate() {
        let path = PathBuf::from(format!("files[{index}]"));
        let problem = |problems: Vec<FileProblem>| Fault::Pattern(FileProblem::display_all(&problems, &path));
        let file = PatternFile::parse(yaml, &cache).map_err(problem)?;
        if parsed.iter().any(|other| other.source == file.source) {
            let message = format!("files[{index}]: there is another file for source '{}'; keep one", file.source);
            return Err(Fault::Pattern(message));
        }
        parsed.push(file);
    }
    Ok(parsed)
}

fn listed<'py>(py: Python<'py>, file: &PatternFile, patterns: &[Pattern]) -> Result<Bound<'py, PyList>> {
    let class = class_of_patterns(py)?;
    let list = PyList::empty(py);
    for pattern in patterns {
        let text = pattern.elements().is_none().then(|| file.in_words(pattern));
        let identity = (&pattern.id, pattern.form.key(), &pattern.regex, text, pattern.status.name());
        let counts = (pattern.documents, pattern.among, pattern.occurrences, pattern.sources);
        let facts = (
            &pattern.example,
            pattern.place.map(dehusk::patterns::Place::name),
            pattern.ends_after,
            pattern.identifies,
            pattern.value,
            &pattern.note,
        );
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

/// Patterns that were given as such, or as the path of their folder.
pub fn patterns_of(given: &Bound<'_, PyAny>) -> Result<Arc<Library>> {
    if let Ok(patterns) = given.cast::<Patterns>() {
        return Ok(Arc::clone(&patterns.get().library));
    }
    match given.extract::<PathBuf>() {
        Ok(folder) => Ok(Patterns::load(&given.py().get_type::<Patterns>(), folder)?.library),
        Err(_) => {
            let kind = given.get_type().qualname()?;
            Err(Fault::Type(format!(
                "patterns: {kind} is neither Patterns nor the path of a folder with pattern files"
            )))
        }
    }
}
