//! Copies a column of a row group from one file to another.
//!
//! If all rows are kept unchanged, the bytes of the column are copied. Otherwise its values are copied as Parquet
//! stores them, with their levels. In nested columns, the levels say which values belong to a row. So whole rows can be
//! left out, however deep the nesting is.

use std::io::Write;

use ::parquet::bloom_filter::Sbbf;
use ::parquet::column::page::PageReader;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::column::writer::{ColumnCloseResult, ColumnWriterImpl};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedRowGroupWriter};

use super::rows::values;
use super::{Opened, Parquet, of_input, rows_of};

/// Number of rows that are copied at a time.
const ROWS_AT_A_TIME: usize = 64;

/// The change of a value.
#[derive(Debug)]
pub(super) enum Change {
    Keep,
    /// The whole row is removed.
    Drop,
    Replace(ByteArray),
    /// The value becomes null or, in a column without nulls, empty.
    Clear,
}

/// Copies the bytes of a column of a row group.
pub(super) fn copy_bytes<W: Write + Send>(
    table: &Opened,
    group: usize,
    leaf: usize,
    to: &mut SerializedRowGroupWriter<'_, W>,
) -> Parquet<()> {
    let rows = rows_of(table.metadata.row_group(group));
    let column = table.metadata.row_group(group).column(leaf);
    check_pages(table, group, leaf).map_err(of_input)?;
    let index = table.metadata.page_index();
    to.append_column(
        &*table.input,
        ColumnCloseResult {
            bytes_written: u64::try_from(column.compressed_size())?,
            rows_written: rows,
            metadata: without_old_statistics(column)?,
            bloom_filter: Sbbf::read_from_column_chunk(column, &*table.input).map_err(of_input)?,
            column_index: index.and_then(|index| index.column_index(group, leaf)).cloned(),
            offset_index: index.and_then(|index| index.offset_index(group, leaf)).cloned(),
        },
    )
}

/// Reads all page headers, so that bytes that are not the pages of this column, such as encrypted ones, are refused and
/// not copied.
fn check_pages(table: &Opened, group: usize, leaf: usize) -> Parquet<()> {
    let mut pages = table.pages(group, leaf)?;
    let mut values = 0;
    while let Some(page) = pages.peek_next_page()? {
        values += page.num_levels.unwrap_or(0);
        pages.skip_next_page()?;
    }
    let expected = table.metadata.row_group(group).column(leaf).num_values();
    match i64::try_from(values) == Ok(expected) {
        true => Ok(()),
        false => Err(ParquetError::General(format!("a column has {values} values instead of {expected}"))),
    }
}

/// Removes the statistics of old writers, which ordered strings wrongly. Readers recognise these writers by a name in
/// the file. The new file has another name, so readers would trust the wrong statistics.
fn without_old_statistics(column: &ColumnChunkMetaData) -> Parquet<ColumnChunkMetaData> {
    let is_old = column.statistics().is_some_and(|statistics| statistics.is_min_max_deprecated());
    match is_old {
        true => column.clone().into_builder().clear_statistics().build(),
        false => Ok(column.clone()),
    }
}

/// Copies the values of a column in the rows that are kept.
pub(super) fn copy_rows(from: ColumnReader, to: &mut SerializedColumnWriter, stays: &[bool]) -> Parquet<()> {
    match from {
        ColumnReader::BoolColumnReader(from) => copy_runs(from, to.typed(), stays),
        ColumnReader::Int32ColumnReader(from) => copy_runs(from, to.typed(), stays),
        ColumnReader::Int64ColumnReader(from) => copy_runs(from, to.typed(), stays),
        ColumnReader::Int96ColumnReader(from) => copy_runs(from, to.typed(), stays),
        ColumnReader::FloatColumnReader(from) => copy_runs(from, to.typed(), stays),
        ColumnReader::DoubleColumnReader(from) => copy_runs(from, to.typed(), stays),
        ColumnReader::ByteArrayColumnReader(from) => copy_runs(from, to.typed(), stays),
        ColumnReader::FixedLenByteArrayColumnReader(from) => copy_runs(from, to.typed(), stays),
    }
}

fn copy_runs<T: DataType>(
    mut from: ColumnReaderImpl<T>,
    to: &mut ColumnWriterImpl<'_, T>,
    stays: &[bool],
) -> Parquet<()> {
    for run in stays.chunk_by(|a, b| a == b) {
        match run[0] {
            true => run.chunks(ROWS_AT_A_TIME).try_for_each(|step| copy_values(&mut from, to, step.len()))?,
            false => complete(from.skip_records(run.len()).map_err(of_input)?, run.len())?,
        }
    }
    Ok(())
}

fn copy_values<T: DataType>(
    from: &mut ColumnReaderImpl<T>,
    to: &mut ColumnWriterImpl<'_, T>,
    rows: usize,
) -> Parquet<()> {
    let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    let read = from.read_records(rows, Some(&mut definitions), Some(&mut repetitions), &mut values);
    complete(read.map_err(of_input)?.0, rows)?;
    // A column without nulls has no definition levels. A column without lists has no repetition levels.
    let given = |levels: Vec<i16>| (!levels.is_empty()).then_some(levels);
    to.write_batch(&values, given(definitions).as_deref(), given(repetitions).as_deref())?;
    Ok(())
}

fn complete(read: usize, expected: usize) -> Parquet<()> {
    match read == expected {
        true => Ok(()),
        false => Err(ParquetError::EOF("a column has fewer values than rows".to_owned())),
    }
}

/// Copies a column of strings that is not nested. `changes` has a change for each row.
pub(super) fn copy_changed(
    from: ColumnReader,
    to: &mut SerializedColumnWriter,
    is_nullable: bool,
    mut changes: impl Iterator<Item = Parquet<Change>>,
) -> Parquet<()> {
    let ColumnReader::ByteArrayColumnReader(mut from) = from else {
        return Err(ParquetError::General("a column of strings has no strings".to_owned()));
    };
    loop {
        let step = changes.by_ref().take(ROWS_AT_A_TIME).collect::<Parquet<Vec<Change>>>()?;
        if step.is_empty() {
            return Ok(());
        }
        let old = values(&mut from, step.len(), is_nullable)?;
        let new = old.into_iter().zip(step).filter_map(|(old, change)| changed(old, change, is_nullable));
        write_strings(to.typed(), new.collect(), is_nullable)?;
    }
}

/// The new value. `None` if its row is removed.
fn changed(old: Option<ByteArray>, change: Change, is_nullable: bool) -> Option<Option<ByteArray>> {
    match change {
        Change::Keep => Some(old),
        Change::Drop => None,
        Change::Replace(text) => Some(Some(text)),
        Change::Clear => Some((!is_nullable).then(|| ByteArray::from(Vec::new()))),
    }
}

fn write_strings(
    to: &mut ColumnWriterImpl<'_, ByteArrayType>,
    strings: Vec<Option<ByteArray>>,
    is_nullable: bool,
) -> Parquet<()> {
    let levels: Vec<i16> = strings.iter().map(|string| i16::from(string.is_some())).collect();
    let values: Vec<ByteArray> = strings.into_iter().flatten().collect();
    to.write_batch(&values, is_nullable.then_some(&levels), None)?;
    Ok(())
}
