//! Reads the rows of a file.
//!
//! Takes an open file. Returns its [`Rows`] in order, in batches of some thousand rows or some megabytes. A batch never
//! has rows of 2 row groups. It needs memory for its values and for the pages that contain them. The program that wrote
//! the file chose the size of its pages, commonly 1 MB.

use std::borrow::Cow;
use std::fmt;
use std::mem;
use std::str::Utf8Error;
use std::sync::Arc;

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;

use crate::formats::records::Fields;

use super::columns::{ByKey, Column, Holds, names};
use super::{Opened, Parquet, Reason, caught, of_input, reason, rows_of};

/// Maximum number of rows in a batch.
const MAX_ROWS: usize = 4096;

/// A batch with this many bytes of text and HTML is full.
const FULL_BYTES: usize = 8 << 20;

/// Maximum number of rows that are read before their size is checked.
const ROWS_AT_A_TIME: usize = 64;

/// Reads a file from its first row on. After an error, it returns nothing more.
pub(crate) struct Batches {
    table: Arc<Opened>,
    /// The current row group.
    group: usize,
    readers: Option<Readers>,
    /// The number of the next row.
    next: u64,
    is_done: bool,
}

/// Consecutive rows of a file.
pub(crate) struct Rows {
    table: Arc<Opened>,
    first: u64,
    length: usize,
    cells: ByKey<Cells>,
}

impl Batches {
    pub(crate) fn new(table: Arc<Opened>) -> Batches {
        Batches { table, group: 0, readers: None, next: 1, is_done: false }
    }

    fn read(&mut self) -> Parquet<Option<Rows>> {
        while self.group < self.table.metadata.num_row_groups() {
            let readers = match &mut self.readers {
                Some(readers) => readers,
                None => self.readers.insert(Readers::open(&self.table, self.group)?),
            };
            if readers.left > 0 {
                let (length, cells) = readers.read()?;
                let first = self.next;
                self.next += length as u64;
                return Ok(Some(Rows { table: Arc::clone(&self.table), first, length, cells }));
            }
            self.readers = None;
            self.group += 1;
        }
        Ok(None)
    }
}

impl Iterator for Batches {
    type Item = Result<Rows, Reason>;

    fn next(&mut self) -> Option<Result<Rows, Reason>> {
        if self.is_done {
            return None;
        }
        let read = caught(|| self.read()).map_err(reason).transpose();
        self.is_done = !matches!(read, Some(Ok(_)));
        read
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} rows from {} on", self.length, self.first)
    }
}

impl Rows {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The number of the first row in the file, from 1.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// The names of all columns, for a message.
    pub(crate) fn columns(&self) -> String {
        names(self.table.metadata.file_metadata().schema_descr())
    }

    /// The values of a row. The first row of the batch is 0. Fails if a value is not UTF-8.
    pub(crate) fn fields(&self, row: usize) -> Result<Fields<'_>, Reason> {
        let cells = &self.cells;
        let borrowed = |cells| Ok::<_, Reason>(string(cells, row)?.map(Cow::Borrowed));
        let text = borrowed(&cells.text)?;
        let html = if text.is_some() { None } else { borrowed(&cells.html)? };
        Ok(Fields { id: self.id(row)?, source: borrowed(&cells.source)?, url: borrowed(&cells.url)?, text, html })
    }

    /// Whether there is a column of texts, but its value in this row is null.
    pub(crate) fn lacks_text(&self, row: usize) -> bool {
        self.cells.text.as_ref().is_some_and(|cells| cells.bytes(row).is_none())
    }

    fn id(&self, row: usize) -> Result<Option<Cow<'_, str>>, Reason> {
        match &self.cells.id {
            Some(Cells { values: Values::Integers(ids), .. }) => {
                Ok(ids.get(row).copied().flatten().map(|id| Cow::Owned(id.to_string())))
            }
            cells => Ok(string(cells, row)?.map(Cow::Borrowed)),
        }
    }
}

/// The values of a column in some rows.
struct Cells {
    name: String,
    values: Values,
}

enum Values {
    Strings(Vec<Option<ByteArray>>),
    /// Wide enough for all integer types of Parquet.
    Integers(Vec<Option<i128>>),
}

impl Cells {
    fn bytes(&self, row: usize) -> Option<&[u8]> {
        match &self.values {
            Values::Strings(strings) => strings.get(row)?.as_ref().map(ByteArray::data),
            Values::Integers(_) => None,
        }
    }
}

fn string(cells: &Option<Cells>, row: usize) -> Result<Option<&str>, Reason> {
    let Some((cells, bytes)) = cells.as_ref().and_then(|cells| Some((cells, cells.bytes(row)?))) else {
        return Ok(None);
    };
    let not_utf8 =
        |error: Utf8Error| Reason::ValueNotUtf8 { column: cells.name.clone(), byte: error.valid_up_to() + 1 };
    str::from_utf8(bytes).map(Some).map_err(not_utf8)
}

/// Reads the columns of one row group, the same number of rows from each at a time.
struct Readers {
    columns: ByKey<Reader>,
    /// Number of rows of the group that are not read yet.
    left: u64,
}

impl Readers {
    fn open(table: &Opened, group: usize) -> Parquet<Readers> {
        let columns = table.columns.try_map(|column| Reader::open(table, group, column))?;
        Ok(Readers { columns, left: rows_of(table.metadata.row_group(group)) })
    }

    /// Reads the next batch: some rows at a time, until it is full.
    fn read(&mut self) -> Parquet<(usize, ByKey<Cells>)> {
        let (mut rows, mut bytes) = (0, 0);
        while rows < MAX_ROWS && bytes < FULL_BYTES && self.left > 0 {
            // The next step has as many rows as still fit into the batch, if they have the mean size of the rows so
            // far.
            let of_that_size = match rows {
                0 => 1,
                _ => ((FULL_BYTES - bytes) / (bytes / rows).max(1)).clamp(1, ROWS_AT_A_TIME),
            };
            let step = self.left.min(of_that_size.min(MAX_ROWS - rows) as u64);
            for reader in self.columns.iter_mut() {
                bytes += reader.read(step as usize)?;
            }
            rows += step as usize;
            self.left -= step;
        }
        Ok((rows, self.columns.map_mut(Reader::take)))
    }
}

/// Reads one column of one row group.
struct Reader {
    column: Column,
    source: ColumnReader,
    /// The values read since the last call of `take`.
    values: Values,
}

impl Reader {
    fn open(table: &Opened, group: usize, column: &Column) -> Parquet<Reader> {
        let source = table.reader(group, column.leaf)?;
        Ok(Reader { column: column.clone(), source, values: Values::of(column.holds) })
    }

    /// Reads the next `rows` rows, which must exist. Returns the size of their strings, in bytes.
    fn read(&mut self, rows: usize) -> Parquet<usize> {
        let is_nullable = self.column.is_nullable;
        let is_unsigned = self.column.holds == Holds::Unsigned;
        match (&mut self.source, &mut self.values) {
            (ColumnReader::ByteArrayColumnReader(source), Values::Strings(strings)) => {
                let read = values(source, rows, is_nullable)?;
                let bytes = read.iter().flatten().map(ByteArray::len).sum();
                strings.extend(read);
                return Ok(bytes);
            }
            (ColumnReader::Int32ColumnReader(source), Values::Integers(integers)) => {
                let wide = |value: i32| if is_unsigned { i128::from(value.cast_unsigned()) } else { i128::from(value) };
                integers.extend(values(source, rows, is_nullable)?.into_iter().map(|value| value.map(wide)));
            }
            (ColumnReader::Int64ColumnReader(source), Values::Integers(integers)) => {
                let wide = |value: i64| if is_unsigned { i128::from(value.cast_unsigned()) } else { i128::from(value) };
                integers.extend(values(source, rows, is_nullable)?.into_iter().map(|value| value.map(wide)));
            }
            _ => return Err(ParquetError::General("a column is not of the type it has in the schema".to_owned())),
        }
        Ok(0)
    }

    fn take(&mut self) -> Cells {
        let values = mem::replace(&mut self.values, Values::of(self.column.holds));
        Cells { name: self.column.name.clone(), values }
    }
}

impl Values {
    fn of(holds: Holds) -> Values {
        match holds {
            Holds::Strings => Values::Strings(Vec::new()),
            Holds::Integers | Holds::Unsigned => Values::Integers(Vec::new()),
        }
    }
}

/// The next `rows` values of a column that is not nested. Fails if there are fewer.
pub(crate) fn values<T: DataType>(
    source: &mut ColumnReaderImpl<T>,
    rows: usize,
    is_nullable: bool,
) -> Parquet<Vec<Option<T::T>>> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (records, ..) = source.read_records(rows, Some(&mut levels), None, &mut values).map_err(of_input)?;
    if records < rows {
        return Err(ParquetError::EOF("a column has fewer values than rows".to_owned()));
    }
    let mut values = values.into_iter();
    match is_nullable {
        true => Ok(levels.into_iter().map(|level| if level > 0 { values.next() } else { None }).collect()),
        false => Ok(values.map(Some).collect()),
    }
}
