//! Streams: documents are cleaned as they come, with what earlier documents taught.
//!
//! Each call takes some documents, and stores what it learned in the state. The documents go through a temporary file.
//! So each call does the same as `dehusk stream` for that file, but the state does not note the file.

use std::path::PathBuf;

use dehusk::{CorpusCleanOptions, StreamOptions, StreamTarget, TableChanges, stream_corpus};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::cleaner::clean_options;
use crate::documents::Documents;
use crate::errors::{Fault, Result};
use crate::patterns::library_of;
use crate::process::with_threads;
use crate::running;
use crate::warnings::warn;

/// How a stream handles documents.
#[derive(Clone, Debug, FromPyObject)]
pub struct Streaming {
    learns: bool,
    cleans: bool,
    learned: bool,
    max_segments: Option<usize>,
    lifetime: Option<f64>,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    text: Option<String>,
    html: Option<String>,
}

/// The cleaned text of each document, in order. `None` for a document that was left out.
#[pyfunction]
pub fn stream(
    py: Python<'_>,
    state: PathBuf,
    documents: &Bound<'_, Documents>,
    patterns: Option<&Bound<'_, PyAny>>,
    how: Streaming,
) -> Result<Vec<Option<String>>> {
    let library = patterns.map(library_of).transpose()?.unwrap_or_default();
    let table = TableChanges::default().max_segments(how.max_segments).lifetime(how.lifetime);
    let cleaning = CorpusCleanOptions::default().cleaning(clean_options(how.learned, None)?);

    let options = StreamOptions::default().documents(cleaning).table(table).learns(how.learns).notes_inputs(false);
    let rows = documents.borrow().rows();
    let spooled = documents.borrow_mut().finish()?;
    let (texts, told) = running::run(py, None, move |run| {
        with_threads(None, || {
            let out = spooled.path("cleaned.jsonl");
            let target = if how.cleans { StreamTarget::File(out.clone()) } else { StreamTarget::Nowhere };
            let inventory = spooled.inventory()?.with_trees();
            stream_corpus(&[inventory], &library, &state, &target, &options, run)?;
            let mut texts = vec![None; rows];
            if how.cleans {
                let lines = std::fs::read_to_string(out).map_err(|error| Fault::io(&error))?;
                for line in lines.lines() {
                    let line: Line = serde_json::from_str(line).map_err(|error| Fault::Internal(error.to_string()))?;
                    let row = line.id.parse::<usize>().ok().and_then(|row| texts.get_mut(row));
                    let row = row.ok_or_else(|| Fault::Internal(format!("there is no document {}", line.id)))?;
                    *row = line.text.or(line.html);
                }
            }
            Ok((texts, run.told().renamed(|message| spooled.in_rows(message))))
        })?
    })?;
    warn(py, &told)?;
    Ok(texts)
}
