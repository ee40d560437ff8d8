//! Writes a file again with other texts.
//!
//! Takes the [`Rows`] of an open file in order, and the change of each row. The new file has the same schema, row
//! groups, key-value metadata and settings. A row group is written as soon as its last row is known. Until then its new
//! texts wait, compressed.

use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

use ::parquet::errors::ParquetError;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::SchemaDescriptor;

use super::copying::{copy_bytes, copy_changed, copy_rows};
use super::edits::Edits;
use super::plan::{Plan, Role};
use super::settings::settings;
use super::{HtmlView, Opened, Parquet, Reason, Rows, caught, io_error, reason, rows_of};

/// The change of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NewRow {
    /// The row is unchanged. Do not use it for a row with HTML if the column of HTML becomes the column of texts: its
    /// HTML would become the text. Give the text instead.
    AsRead,
    /// The row is left out.
    Dropped,
    /// The row gets this text, which may be the visible text of its HTML.
    Text(String),
    /// The row gets this HTML.
    Page(String),
}

/// Writes a file again. It cannot be used after an error.
pub(crate) struct TableWriter<W: Write + Send> {
    table: Arc<Opened>,
    file: SerializedFileWriter<W>,
    plan: Plan,
    /// The row group of the next row.
    group: usize,
    edits: Edits,
    /// The number of the next row.
    next: u64,
}

impl<W: Write + Send> TableWriter<W> {
    pub(crate) fn new(table: Arc<Opened>, sink: W, html: HtmlView) -> Result<TableWriter<W>, Reason> {
        let plan = Plan::of(&table, html);
        let schema = plan.schema(&table)?;
        let descriptor = SchemaDescriptor::new(Arc::clone(&schema));
        let (notes, sorting) = (plan.notes(&table)?, plan.sorting(&table));
        let file = caught(|| {
            let settings = settings(&table, &descriptor, notes, sorting)?;
            SerializedFileWriter::new(sink, schema, Arc::new(settings))
        });
        let file = file.map_err(reason)?;
        let mut writer = TableWriter { table, file, plan, group: 0, edits: Edits::default(), next: 1 };
        writer.skip_empty_groups();
        Ok(writer)
    }

    /// Adds the changes `new` of some of `rows`, from the row with index `first` on. Fails if these are not the next
    /// rows of the file, or if writing fails.
    pub(crate) fn write(&mut self, rows: &Rows, first: usize, new: Vec<NewRow>) -> io::Result<()> {
        if rows.first() + first as u64 != self.next || rows.len() < first + new.len() {
            return Err(misuse("rows must be written in order, and none may be left out"));
        }
        self.next += new.len() as u64;
        for (row, new) in (first..).zip(new) {
            self.edits.push(new, rows.lacks_text(row), &self.plan)?;
        }
        if self.edits.rows() as u64 == self.rows_in_group() {
            let edits = mem::take(&mut self.edits);
            caught(|| self.write_group(&edits)).map_err(io_error)?;
            self.group += 1;
            self.skip_empty_groups();
        }
        Ok(())
    }

    /// Finishes the file and returns the sink. Fails if not all rows were written.
    pub(crate) fn finish(self) -> io::Result<W> {
        if self.group < self.table.metadata.num_row_groups() {
            let reason = Reason::DamagedParquet("not all of its rows could be read".to_owned());
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        let file = self.file;
        caught(|| file.into_inner()).map_err(io_error)
    }

    fn rows_in_group(&self) -> u64 {
        self.table.metadata.row_groups().get(self.group).map_or(0, rows_of)
    }

    fn skip_empty_groups(&mut self) {
        while self.group < self.table.metadata.num_row_groups() && self.rows_in_group() == 0 {
            self.group += 1;
        }
    }

    fn write_group(&mut self, edits: &Edits) -> Parquet<()> {
        if !edits.stays().contains(&true) {
            return Ok(());
        }
        let (table, group) = (&self.table, self.group);
        let mut to = self.file.next_row_group()?;
        for leaf in 0..table.metadata.row_group(group).num_columns() {
            match edits.leave(self.plan.role(leaf)) {
                true => copy_bytes(table, group, leaf, &mut to)?,
                false => write_column(table, group, leaf, &self.plan, edits, &mut to)?,
            }
        }
        to.close()?;
        Ok(())
    }
}

fn write_column<W: Write + Send>(
    table: &Opened,
    group: usize,
    leaf: usize,
    plan: &Plan,
    edits: &Edits,
    to: &mut SerializedRowGroupWriter<'_, W>,
) -> Parquet<()> {
    let from = table.reader(group, leaf)?;
    let no_column = || ParquetError::General("a row group has more columns than the schema".to_owned());
    let mut column = to.next_column()?.ok_or_else(no_column)?;
    match plan.role(leaf) {
        Role::Other => copy_rows(from, &mut column, &edits.stays())?,
        role => copy_changed(from, &mut column, plan.is_nullable(role), edits.changes(role))?,
    }
    column.close()
}

fn misuse(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
