//! Mines documents in memory: all at once, or in the two steps that engines spread over machines.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use dehusk::{
    CorpusMineOptions, Lexer, MutableSet, OutputRoot, PipelineError, Reads, Tokenizer, candidates_by_source,
    checked_threads, combine, mine_corpus,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use tempfile::TempDir;

use crate::documents::Documents;
use crate::errors::{Fault, Result};
use crate::patterns::{Patterns, patterns_of};
use crate::process::{all_cores, with_threads};
use crate::running;
use crate::warnings::warn;

/// How documents are mined.
pub fn options(threads: Option<usize>, memory: Option<u64>) -> Result<CorpusMineOptions> {
    let options = CorpusMineOptions::default().threads(checked_threads(threads.unwrap_or_else(all_cores))?);
    Ok(match memory {
        Some(memory) => options.memory(memory),
        None => options,
    })
}

/// How texts are read.
pub fn lexer() -> Lexer {
    Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()))
}

#[pyfunction]
#[pyo3(signature = (documents, reviewed=None, threads=None, memory=None, progress=None))]
pub fn mine(
    py: Python<'_>,
    documents: &Bound<'_, Documents>,
    reviewed: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    memory: Option<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Result<Patterns> {
    let options = options(threads, memory)?;
    let spooled = documents.borrow_mut().finish()?;
    let reviewed = reviewed.map(patterns_of).transpose()?;
    let (patterns, told) = running::run(py, progress, move |run| {
        with_threads(threads, || {
            let folder = spooled.path("patterns");
            if let Some(reviewed) = reviewed {
                reviewed.write(&folder, false)?;
            }
            let output = OutputRoot::create(folder, &Reads::nothing()).map_err(PipelineError::from)?;
            let mined = mine_corpus(&spooled.inventory()?, &output, &lexer(), &options, run)?;
            Ok((Patterns::of_files(mined.library.files())?, run.told().renamed(|message| spooled.in_rows(message))))
        })?
    })?;
    warn(py, &told)?;
    Ok(patterns)
}

#[pyfunction]
#[pyo3(signature = (documents, threads=None, memory=None, progress=None))]
pub fn candidates<'py>(
    py: Python<'py>,
    documents: &Bound<'py, Documents>,
    threads: Option<usize>,
    memory: Option<u64>,
    progress: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyDict>> {
    let options = options(threads, memory)?;
    let spooled = documents.borrow_mut().finish()?;
    let (mined, told) = running::run(py, progress, move |run| {
        with_threads(threads, || {
            let mined = candidates_by_source(&spooled.inventory()?, &lexer(), &options, run)?;
            Ok((mined, run.told().renamed(|message| spooled.in_rows(message))))
        })?
    })?;
    warn(py, &told)?;
    let by_source = PyDict::new(py);
    for (source, bytes) in mined {
        by_source.set_item(source.as_str(), PyBytes::new(py, &bytes))?;
    }
    Ok(by_source)
}

/// The candidates that `compare` is given, in files. If they come as bytes, only the bytes of one call are in memory.
#[pyclass(module = "dehusk._dehusk")]
pub struct Candidates {
    folder: TempDir,
    files: Vec<PathBuf>,
}

#[pymethods]
impl Candidates {
    #[new]
    fn new() -> Result<Candidates> {
        let folder = TempDir::with_prefix("dehusk-").map_err(|error| Fault::io(&error))?;
        Ok(Candidates { folder, files: Vec::new() })
    }

    /// Adds the bytes that `candidates` returned for a source.
    fn add(&mut self, py: Python<'_>, bytes: &[u8]) -> Result<()> {
        let path = self.folder.path().join(format!("candidates[{}]", self.files.len()));
        py.detach(|| fs::write(&path, bytes)).map_err(|error| Fault::io(&error))?;
        self.files.push(path);
        Ok(())
    }

    /// Adds a file with such bytes, or a file of ``dehusk mine --candidates``.
    fn add_file(&mut self, path: PathBuf) {
        self.files.push(path);
    }
}

impl Candidates {
    fn finish(&mut self) -> Result<Candidates> {
        if self.files.is_empty() {
            return Err(Fault::Data("there are no candidates to compare; give those of at least 1 source".to_owned()));
        }
        Ok(std::mem::replace(self, Candidates::new()?))
    }
}

#[pyfunction]
#[pyo3(signature = (candidates, reviewed=None, threads=None, memory=None, progress=None))]
pub fn compare(
    py: Python<'_>,
    candidates: &Bound<'_, Candidates>,
    reviewed: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    memory: Option<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Result<Patterns> {
    let options = options(threads, memory)?;
    let Candidates { folder, files } = candidates.borrow_mut().finish()?;
    let reviewed = reviewed.map(patterns_of).transpose()?;
    let (patterns, told) = running::run(py, progress, move |run| {
        with_threads(threads, || {
            let output = folder.path().join("patterns");
            if let Some(reviewed) = reviewed {
                reviewed.write(&output, false)?;
            }
            let output = OutputRoot::create(output, &Reads::nothing()).map_err(PipelineError::from)?;
            let prefix = format!("{}/", folder.path().display());
            let mined = combine(&files, &output, &options, run).map_err(|error| Fault::from(error).without(&prefix))?;
            Ok((Patterns::of_files(mined.library.files())?, run.told().renamed(|message| message.replace(&prefix, ""))))
        })?
    })?;
    warn(py, &told)?;
    Ok(patterns)
}
