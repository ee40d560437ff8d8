//! Cleans many texts: lists of strings, and Arrow tables.
//!
//! A batch is cleaned in steps of some megabytes. Ctrl-C is checked between two steps. In addition to the input, no
//! more than one step is in memory.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use dehusk::checked_threads;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString};

use crate::arrow::{Column, Reader, Strings, Table, reader_of};
use crate::cleaner::{Core, SHORT, at_once_or_stoppable};
use crate::errors::{Fault, Result};
use crate::naming::Naming;
use crate::process::{cores, share_out};
use crate::text::{Cell, is_missing, source_in, text_of};

/// Bytes of text that a thread cleans in a step.
const BYTES_OF_STEP: usize = 4 << 20;

/// Texts with their sources.
trait Rows: Send + Sync + 'static {
    fn text(&self, index: usize) -> Option<&str>;
    fn source(&self, index: usize) -> Option<&str>;
}

struct Lists {
    texts: Vec<Option<PyBackedStr>>,
    sources: Strings,
}

impl Rows for Lists {
    fn text(&self, index: usize) -> Option<&str> {
        self.texts.get(index)?.as_deref()
    }

    fn source(&self, index: usize) -> Option<&str> {
        self.sources.get(index)
    }
}

struct Columns {
    texts: Strings,
    sources: Strings,
}

impl Rows for Columns {
    fn text(&self, index: usize) -> Option<&str> {
        self.texts.get(index)
    }

    fn source(&self, index: usize) -> Option<&str> {
        self.sources.get(index)
    }
}

/// How rows are cleaned.
struct Batch<'a> {
    core: &'a Arc<Core>,
    /// The name of the column of texts.
    text: &'a str,
    naming: &'a Naming,
    /// The number of the first row in all data.
    first: u64,
    missing: Missing,
    threads: usize,
}

/// Rows that are cleaned together, and about how many bytes they have.
struct Step {
    rows: Range<usize>,
    bytes: usize,
}

/// What happens to a row without text or source, or whose source has no patterns.
#[derive(Clone, Copy, PartialEq)]
pub enum Missing {
    /// It is an error.
    Error,
    /// It is kept. If it has text and source, shared patterns still apply.
    Keep,
}

impl Missing {
    /// The variant with this name in Python.
    ///
    /// # Errors
    /// If no variant has this name.
    pub fn parse(name: &str) -> Result<Missing> {
        match name {
            "error" => Ok(Missing::Error),
            "keep" => Ok(Missing::Keep),
            other => Err(Fault::Usage(format!("missing is {other:?}; give 'error' or 'keep'"))),
        }
    }
}

impl Batch<'_> {
    /// Cleans some of the rows. `None` means that a text is kept as it is.
    fn clean<R: Rows>(&self, py: Python<'_>, rows: &Arc<R>, step: Step) -> Result<Vec<Option<String>>> {
        let Step { rows: range, bytes } = step;
        let (core, rows, first) = (Arc::clone(self.core), Arc::clone(rows), self.first);
        let (missing, threads) = (self.missing, if bytes < SHORT { 1 } else { self.threads });
        let (text_column, naming) = (self.text.to_owned(), self.naming.clone());
        at_once_or_stoppable(py, bytes, move |go_on| {
            let one = |row: usize| -> Result<Option<String>> {
                let number = first + row as u64;
                let (text, source) = (Cell { row: number, column: &text_column }, naming.cell(number));
                let (given, value) = match (rows.text(row), rows.source(row)) {
                    (Some(given), Some(value)) => (given, value),
                    _ if missing == Missing::Keep => return Ok(None),
                    (_, None) => return Err(source.missing()),
                    (None, _) => return Err(text.missing()),
                };
                let cleaned = core.with_scratch(|scratch| core.clean(given, value, scratch, go_on));
                cleaned.map_err(|fault| fault.at(&format!("row {number}")))
            };
            if threads == 1 {
                return range.map(one).collect();
            }
            // The results are in the order of the rows. So the error is that of the first row that has one.
            share_out(threads, range.len(), |index| one(range.start + index)).into_iter().collect()
        })
    }

    /// The rows from `start` on that are cleaned in a step.
    fn step<R: Rows>(&self, rows: &R, start: usize, end: usize) -> Step {
        let mut bytes = 0;
        let mut stop = start;
        while stop < end && bytes < BYTES_OF_STEP * self.threads {
            bytes += rows.text(stop).map_or(0, str::len) + 64;
            stop += 1;
        }
        Step { rows: start..stop, bytes }
    }

    /// Refuses names of sources that cannot be names of files. Also refuses sources without patterns, unless their rows
    /// are to be kept.
    fn check_sources<R: Rows>(&self, rows: &R, count: usize, known: &mut HashSet<String>) -> Result<()> {
        for row in 0..count {
            if let Some(source) = rows.source(row).filter(|source| !known.contains(*source)) {
                let row = self.first + row as u64;
                source_in(source, self.naming.cell(row))?;
                self.core.check(source, self.missing).map_err(|fault| fault.at(&format!("row {row}")))?;
                known.insert(source.to_owned());
            }
        }
        Ok(())
    }
}

/// Number of threads that clean: at most one per core, because more do not make cleaning faster.
fn threads_of(threads: Option<usize>) -> Result<usize> {
    let asked = threads.map(checked_threads).transpose()?;
    Ok(asked.map_or_else(cores, |threads| threads.min(cores())))
}

/// Cleans texts of lists: the rows from `first` on. `sources` has the values by which their sources are named, if a
/// column names them.
pub fn clean_list<'py>(
    core: &Arc<Core>,
    texts: &Bound<'py, PyList>,
    sources: Option<&Bound<'py, PyList>>,
    (text, naming): (&str, &Naming),
    first: u64,
    missing: Missing,
    threads: Option<usize>,
) -> Result<Bound<'py, PyList>> {
    let py = texts.py();
    let source = naming.column().unwrap_or_default();
    if let Some(sources) = sources
        && texts.len() != sources.len()
    {
        let (one, two) = (texts.len(), sources.len());
        return Err(Fault::Data(format!(
            "column '{text}' has {one} values and column '{source}' has {two}; give as many"
        )));
    }
    let strings = |list: &Bound<'py, PyList>, column: &str| {
        let cell = |(row, value): (usize, Bound<'py, PyAny>)| match missing {
            Missing::Keep if is_missing(&value) => Ok(None),
            _ => text_of(&value, Cell { row: first + row as u64, column }).map(Some),
        };
        list.iter().enumerate().map(cell).collect::<Result<Vec<Option<PyBackedStr>>>>()
    };
    let given = match sources {
        Some(sources) => strings(sources, source)?,
        None => (0..texts.len()).map(|_| None).collect(),
    };
    let sources = naming.sources(given.iter().map(Option::as_deref), first)?;
    let rows = Arc::new(Lists { texts: strings(texts, text)?, sources });
    let batch = Batch { core, text, naming, first, missing, threads: threads_of(threads)? };
    batch.check_sources(&*rows, texts.len(), &mut HashSet::new())?;
    let cleaned = PyList::empty(py);
    let mut start = 0;
    while start < texts.len() {
        let step = batch.step(&*rows, start, texts.len());
        start = step.rows.end;
        for (row, text) in step.rows.clone().zip(batch.clean(py, &rows, step)?) {
            match text {
                Some(text) => cleaned.append(PyString::new(py, &text))?,
                None => cleaned.append(texts.get_item(row)?)?,
            }
        }
    }
    Ok(cleaned)
}

/// The cleaned batches of an Arrow stream, one after another.
#[pyclass(module = "dehusk._dehusk")]
pub struct CleanedBatches {
    core: Arc<Core>,
    reader: Reader,
    text_name: String,
    naming: Naming,
    text: Column,
    source: Option<Column>,
    schema: SchemaRef,
    missing: Missing,
    threads: usize,
    known: HashSet<String>,
    /// Number of rows in earlier batches.
    first: u64,
    /// The batch that is being cleaned, with the next row to clean.
    current: Option<Current>,
}

struct Current {
    batch: RecordBatch,
    rows: Arc<Columns>,
    start: usize,
}

impl CleanedBatches {
    /// Prepares to read the batches of a stream, each when it is asked for.
    pub fn new(
        core: Arc<Core>,
        stream: &Bound<'_, PyAny>,
        (text_name, naming): (String, Naming),
        missing: Missing,
        threads: Option<usize>,
    ) -> Result<CleanedBatches> {
        let threads = threads_of(threads)?;
        let reader = reader_of(stream)?;
        let schema = reader.schema();
        let naming = naming.among_names(|name| Column::is_in(&schema, name))?;
        let text = Column::find(&schema, &text_name)?;
        let source = naming.column().map(|column| Column::find(&schema, column)).transpose()?;
        let schema = with_text(&schema, text)?;
        let known = HashSet::new();
        let current = None;
        let first = 0;
        Ok(CleanedBatches {
            core,
            reader,
            text_name,
            naming,
            text,
            source,
            schema,
            missing,
            threads,
            known,
            first,
            current,
        })
    }

    fn next(&mut self, py: Python<'_>) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(Current { batch, rows, start }) = &mut self.current {
                let (text, naming, missing, threads) = (&self.text_name, &self.naming, self.missing, self.threads);
                let how = Batch { core: &self.core, text, naming, first: self.first, missing, threads };
                if *start < batch.num_rows() {
                    let step = how.step(&**rows, *start, batch.num_rows());
                    let range = step.rows.clone();
                    *start = range.end;
                    let cleaned = how.clean(py, rows, step)?;
                    return replaced(batch, rows, range, &cleaned, self.text, &self.schema).map(Some);
                }
                self.first += batch.num_rows() as u64;
            }
            let Some(batch) = self.reader.next(py)? else { return Ok(None) };
            let given = self.source.map(|source| source.strings(&batch)).transpose()?;
            let given = (0..batch.num_rows()).map(|row| given.as_ref().and_then(|given| given.get(row)));
            let rows = Columns { texts: self.text.strings(&batch)?, sources: self.naming.sources(given, self.first)? };
            let (text, naming, missing, threads) = (&self.text_name, &self.naming, self.missing, self.threads);
            let how = Batch { core: &self.core, text, naming, first: self.first, missing, threads };
            how.check_sources(&rows, batch.num_rows(), &mut self.known)?;
            self.current = Some(Current { batch, rows: Arc::new(rows), start: 0 });
        }
    }
}

/// The columns after cleaning: texts that come as a dictionary become plain strings.
fn with_text(schema: &SchemaRef, text: Column) -> Result<SchemaRef> {
    use arrow_schema::DataType::{Dictionary, LargeUtf8, Null};
    let field = schema.field(text.index());
    if !matches!(field.data_type(), Dictionary(..) | Null) {
        return Ok(Arc::clone(schema));
    }
    let fields = schema.fields().iter().enumerate().map(|(index, field)| match index == text.index() {
        true => Arc::new(Field::clone(field).with_data_type(LargeUtf8)),
        false => Arc::clone(field),
    });
    Ok(Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())))
}

/// The rows of a step with their cleaned texts.
fn replaced(
    batch: &RecordBatch,
    rows: &Columns,
    step: Range<usize>,
    cleaned: &[Option<String>],
    text: Column,
    schema: &SchemaRef,
) -> Result<RecordBatch> {
    let texts: Vec<Option<&str>> =
        step.clone().zip(cleaned).map(|(row, new)| new.as_deref().or_else(|| rows.text(row))).collect();
    let mut columns = batch.slice(step.start, step.len()).columns().to_vec();
    columns[text.index()] = rows.texts.with(&texts)?;
    let batch = RecordBatch::try_new(Arc::clone(schema), columns);
    batch.map_err(|error| Fault::Internal(error.to_string()))
}

#[pymethods]
impl CleanedBatches {
    fn __iter__(this: PyRef<'_, CleanedBatches>) -> PyRef<'_, CleanedBatches> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> Result<Option<Table>> {
        Ok(self.next(py)?.map(|batch| Table::new(Arc::clone(&self.schema), vec![batch])))
    }

    /// A table without rows, for its columns.
    fn empty(&self) -> Table {
        Table::new(Arc::clone(&self.schema), vec![])
    }

    /// Cleans all batches that are left, and returns them as one table.
    fn table(&mut self, py: Python<'_>) -> Result<Table> {
        let mut batches = Vec::new();
        while let Some(batch) = self.next(py)? {
            batches.push(batch);
        }
        Ok(Table::new(Arc::clone(&self.schema), batches))
    }
}
