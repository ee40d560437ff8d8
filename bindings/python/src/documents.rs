//! Documents for mining, in a temporary file of JSON lines that the pipeline reads.
//!
//! So memory use and results are the same as those of the program for a file with these documents.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use dehusk::{Inventory, PipelineError, ReadOptions, SourceBy};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyList;
use serde::Serialize;
use tempfile::TempDir;

use crate::arrow::{Column, reader_of};
use crate::errors::{Fault, Result};
use crate::naming::Naming;
use crate::text::{Cell, is_missing, source_in, text_of};

/// The names of the columns of documents.
#[derive(Clone, Debug, FromPyObject)]
pub struct Names {
    text: Option<String>,
    source: Naming,
    id: Option<String>,
    html: Option<String>,
}

/// Documents that are collected for mining.
#[pyclass(module = "dehusk._dehusk")]
pub struct Documents {
    folder: TempDir,
    file: BufWriter<File>,
    rows: u64,
    sources: HashSet<String>,
}

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<&'a str>,
}

/// The default name of the column with the names of documents. This column may be missing.
const DEFAULT_ID: &str = "id";
/// The name of the file with the documents.
const FILE: &str = "documents.jsonl";

#[pymethods]
impl Documents {
    #[new]
    fn new() -> Result<Documents> {
        let folder = TempDir::with_prefix("dehusk-").map_err(|error| Fault::io(&error))?;
        let file = File::create_new(folder.path().join(FILE)).map_err(|error| Fault::io(&error))?;
        Ok(Documents { folder, file: BufWriter::with_capacity(1 << 20, file), rows: 0, sources: HashSet::new() })
    }

    /// Adds rows, each a mapping from the names of columns to values. They are named by one column at most.
    fn add_rows(&mut self, rows: &Bound<'_, PyAny>, names: Names) -> Result<()> {
        for row in rows.try_iter()? {
            let row = row?;
            if self.rows.is_multiple_of(1024) {
                row.py().check_signals()?;
            }
            let number = self.rows;
            let value = |name: &str| match row.get_item(name) {
                Ok(value) => Ok(Some(value)),
                Err(error) if error.is_instance_of::<PyKeyError>(row.py()) => Ok(None),
                Err(error) if error.is_instance_of::<PyIndexError>(row.py()) => Err(Fault::Raised(error)),
                Err(_) => {
                    let kind = row.get_type().qualname().map(|name| name.to_string()).unwrap_or_default();
                    Err(Fault::Type(format!("row {number}: {kind} is no row; give a dict with a key for each column")))
                }
            };
            let given = |name: &Option<String>| match name {
                Some(name) => value(name).map(|value| value.filter(|value| !is_missing(value))),
                None => Ok(None),
            };
            let source = match names.source.column() {
                Some(column) => Some(value(column)?.ok_or_else(|| absent(number, column))?),
                None => None,
            };
            let (text, html, id) = (given(&names.text)?, given(&names.html)?, given(&names.id)?);
            if text.is_none() && html.is_none() {
                return Err(match &names.text {
                    Some(name) if names.html.is_none() && value(name)?.is_none() => absent(number, name),
                    _ => self.without_text(&names),
                });
            }
            self.add(&names, source.as_ref(), text.as_ref(), html.as_ref(), id.as_ref())?;
        }
        Ok(())
    }

    /// Adds rows, given as a list for each column. All lists have this number of rows.
    #[pyo3(signature = (names, rows, sources=None, texts=None, htmls=None, ids=None))]
    #[expect(clippy::too_many_arguments, reason = "a list for each column")]
    fn add_columns(
        &mut self,
        py: Python<'_>,
        names: Names,
        rows: usize,
        sources: Option<&Bound<'_, PyList>>,
        texts: Option<&Bound<'_, PyList>>,
        htmls: Option<&Bound<'_, PyList>>,
        ids: Option<&Bound<'_, PyList>>,
    ) -> Result<()> {
        for index in 0..rows {
            if self.rows.is_multiple_of(1024) {
                py.check_signals()?;
            }
            let source = sources.map(|sources| sources.get_item(index)).transpose()?;
            let (text, html, id) = (given(texts, index)?, given(htmls, index)?, given(ids, index)?);
            self.add(&names, source.as_ref(), text.as_ref(), html.as_ref(), id.as_ref())?;
        }
        Ok(())
    }

    /// Adds the rows of an Arrow stream: an object with `__arrow_c_stream__`.
    fn add_stream(&mut self, stream: &Bound<'_, PyAny>, names: Names) -> Result<()> {
        let mut reader = reader_of(stream)?;
        let schema = reader.schema();
        let names = Names { source: names.source.among_names(|name| Column::is_in(&schema, name))?, ..names };
        let find = |name: &Option<String>, may_be_missing: bool| match name {
            None => Ok(None),
            Some(name) if may_be_missing => Column::find_if_any(&schema, name),
            Some(name) => Column::find(&schema, name).map(Some),
        };
        let source = names.source.column().map(|column| Column::find(&schema, column)).transpose()?;
        let (text, html) = (find(&names.text, names.html.is_some())?, find(&names.html, false)?);
        let id = find(&names.id, names.id.as_deref() == Some(DEFAULT_ID))?;
        while let Some(batch) = reader.next(stream.py())? {
            stream.py().check_signals()?;
            let strings = |column: Option<Column>| column.map(|column| column.strings(&batch)).transpose();
            let (sources, texts, htmls) = (strings(source)?, strings(text)?, strings(html)?);
            let ids = id.map(|id| id.names(&batch)).transpose()?;
            let this = &mut *self;
            let names = &names;
            stream.py().detach(|| -> Result<()> {
                for index in 0..batch.num_rows() {
                    let source = sources.as_ref().and_then(|sources| sources.get(index));
                    let text = texts.as_ref().and_then(|texts| texts.get(index));
                    let html = htmls.as_ref().and_then(|htmls| htmls.get(index));
                    let id = ids.as_ref().and_then(|ids| ids.get(index));
                    this.write(names, source, text, html, id.as_deref())?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Number of rows so far.
    fn __len__(&self) -> usize {
        self.rows as usize
    }
}

/// The value of a row, if there is one.
fn given<'py>(list: Option<&Bound<'py, PyList>>, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(list.map(|list| list.get_item(index)).transpose()?.filter(|value| !is_missing(value)))
}

fn absent(row: u64, column: &str) -> Fault {
    Fault::Data(format!("row {row}: there is no column '{column}'; name the column that you have"))
}

impl Documents {
    fn without_text(&self, names: &Names) -> Fault {
        let column = names.text.as_deref().or(names.html.as_deref()).unwrap_or("text");
        Cell { row: self.rows, column }.missing()
    }

    fn add(
        &mut self,
        names: &Names,
        source: Option<&Bound<'_, PyAny>>,
        text: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        id: Option<&Bound<'_, PyAny>>,
    ) -> Result<()> {
        let cell = |column: &Option<String>, value: Option<&Bound<'_, PyAny>>| -> Result<Option<PyBackedStr>> {
            let cell = Cell { row: self.rows, column: column.as_deref().unwrap_or_default() };
            value.map(|value| text_of(value, cell)).transpose()
        };
        let source = source.map(|source| text_of(source, names.source.cell(self.rows))).transpose()?;
        let (text, html) = (cell(&names.text, text)?, cell(&names.html, html)?);
        let id = match id {
            // Names may be numbers.
            Some(id) => cell(&names.id, Some(id.str()?.as_any()))?,
            None => None,
        };
        self.write(names, source.as_deref(), text.as_deref(), html.as_deref(), id.as_deref())
    }

    /// Writes a row. `source` is the value of the column by which its source is named.
    fn write(
        &mut self,
        names: &Names,
        source: Option<&str>,
        text: Option<&str>,
        html: Option<&str>,
        id: Option<&str>,
    ) -> Result<()> {
        if text.is_none() && html.is_none() {
            return Err(self.without_text(names));
        }
        let cell = names.source.cell(self.rows);
        let source = &*names.source.source(source, self.rows)?.ok_or_else(|| cell.missing())?;
        if !self.sources.contains(source) {
            source_in(source, cell)?;
            self.sources.insert(source.to_owned());
        }
        let number = self.rows.to_string();
        // As in the program, the page counts only if there is no text.
        let html = html.filter(|_| text.is_none());
        let line = Line { id: id.unwrap_or(&number), source, text, html };
        serde_json::to_writer(&mut self.file, &line).map_err(|error| Fault::File(error.to_string()))?;
        self.file.write_all(b"\n").map_err(|error| Fault::io(&error))?;
        self.rows += 1;
        Ok(())
    }

    /// Number of rows so far.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Takes the documents so far. Returns their folder, which is deleted when the result is dropped.
    pub fn finish(&mut self) -> Result<Spooled> {
        if self.rows == 0 {
            return Err(Fault::Data("there is no document: the data has no rows".to_owned()));
        }
        let Documents { folder, mut file, .. } = std::mem::replace(self, Documents::new()?);
        file.flush().map_err(|error| Fault::io(&error))?;
        Ok(Spooled { folder })
    }
}

/// Documents in a folder of their own.
pub struct Spooled {
    folder: TempDir,
}

impl Spooled {
    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The documents.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn inventory(&self) -> Result<Inventory> {
        let options = ReadOptions::default().source_by(SourceBy::Key);
        Inventory::scan(&[self.path(FILE)], &options).map_err(|error| Fault::from(PipelineError::from(error)))
    }

    /// The message with row numbers. It may name a document by a line of the temporary file, which the user never sees.
    pub fn in_rows(&self, message: &str) -> String {
        let path = self.path(FILE).display().to_string();
        let Some((before, rest)) = message.split_once(&path) else { return message.to_owned() };
        let digits = rest
            .strip_prefix(':')
            .map(|rest| &rest[..rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len()]);
        match digits.and_then(|digits| Some((digits, digits.parse::<u64>().ok()?))) {
            Some((digits, line)) => format!("{before}row {}{}", line.saturating_sub(1), &rest[1 + digits.len()..]),
            None => format!("{before}the data{rest}"),
        }
    }
}
