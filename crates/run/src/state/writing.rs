//! One write transaction. If it is dropped before the commit, nothing is written.

use redb::{Database, Durability, ReadableTable, ReadableTableMetadata, WriteTransaction};

use super::error::Problem;
use super::settings::Settings;
use super::source_row::SourceRow;
use super::{FORMAT, INPUTS, META, OUTPUTS, SEGMENTS, SOURCES, TEXTS, Written, records, texts};
use dehusk_core::streaming::segments::SegmentKey;
use dehusk_core::streaming::table::{Entry, SegmentTable};
use dehusk_corpus::SourceId;

/// A write transaction.
pub struct Writing(WriteTransaction);

impl Writing {
    pub fn begin(database: &Database) -> Result<Writing, Problem> {
        let mut transaction = database.begin_write()?;
        transaction.set_durability(Durability::Immediate).map_err(|error| Problem::Database(Box::new(error.into())))?;
        Ok(Writing(transaction))
    }

    /// Commits the transaction. When this returns, everything is on disk.
    pub fn commit(self) -> Result<(), Problem> {
        self.0.open_table(META)?.insert("format", FORMAT.to_string().as_str())?;
        Ok(self.0.commit()?)
    }

    /// Creates all tables, empty, because readers expect them.
    pub fn make_tables(&self) -> Result<(), Problem> {
        self.0.open_table(SOURCES)?;
        self.0.open_table(SEGMENTS)?;
        self.0.open_table(TEXTS)?;
        self.0.open_table(INPUTS)?;
        self.0.open_table(OUTPUTS)?;
        Ok(())
    }

    pub fn set_settings(&self, settings: &Settings) -> Result<(), Problem> {
        let mut meta = self.0.open_table(META)?;
        meta.insert("settings", settings.to_json().as_str())?;
        meta.insert("lexer", settings.lexer.as_str())?;
        Ok(())
    }

    pub fn put_input(&self, name: &str, records: u64) -> Result<(), Problem> {
        self.0.open_table(INPUTS)?.insert(name, records)?;
        Ok(())
    }

    pub fn put_output(&self, path: &str, written: Written) -> Result<(), Problem> {
        let Written { bytes, ending, is_open } = written;
        self.0.open_table(OUTPUTS)?.insert(path, (bytes, ending, is_open))?;
        Ok(())
    }

    /// Adds the inputs that are not known yet.
    pub fn add_inputs(&self, inputs: &[(String, u64)]) -> Result<(), Problem> {
        let mut table = self.0.open_table(INPUTS)?;
        for (name, records) in inputs {
            if table.get(name.as_str())?.is_none() {
                table.insert(name.as_str(), *records)?;
            }
        }
        Ok(())
    }

    /// Writes the changes of a table. Rewrites the whole table if many changes have accumulated.
    pub fn put_table(&self, source: &SourceId, table: &SegmentTable) -> Result<(), Problem> {
        let mut row = self.source_row(source)?;
        let changes = table.changes();
        row.changes += changes.len();
        if row.changes > row.whole / 2 {
            self.remove_segments(&mut row)?;
            row.whole = table.len();
            self.add_segments(&mut row, table.entries().map(|(key, entry)| (key, Some(entry))))?;
        } else {
            self.add_segments(&mut row, changes)?;
        }
        self.put_texts(row.number, table)?;
        row.set_progress(table.progress());
        self.0.open_table(SOURCES)?.insert(source.as_str(), row.to_json().as_str())?;
        Ok(())
    }

    /// The row of a source, or a new row. Sources are numbered in the order in which they arrive, and never removed.
    fn source_row(&self, source: &SourceId) -> Result<SourceRow, Problem> {
        let sources = self.0.open_table(SOURCES)?;
        let row = match sources.get(source.as_str())? {
            Some(row) => SourceRow::parse(row.value())?,
            None => SourceRow::new(sources.len()? as u32),
        };
        Ok(row)
    }

    fn remove_segments(&self, row: &mut SourceRow) -> Result<(), Problem> {
        let all = (row.number, 0)..=(row.number, u32::MAX);
        self.0.open_table(SEGMENTS)?.retain_in(all, |_, _| false)?;
        (row.rows, row.whole, row.changes) = (0, 0, 0);
        Ok(())
    }

    fn add_segments(
        &self,
        row: &mut SourceRow,
        entries: impl Iterator<Item = (SegmentKey, Option<Entry>)>,
    ) -> Result<(), Problem> {
        let mut segments = self.0.open_table(SEGMENTS)?;
        for bytes in records::rows(entries) {
            segments.insert((row.number, row.rows), bytes.as_slice())?;
            row.rows += 1;
        }
        Ok(())
    }

    fn put_texts(&self, number: u32, table: &SegmentTable) -> Result<(), Problem> {
        let mut rows = self.0.open_table(TEXTS)?;
        for (SegmentKey(key), described) in table.texts() {
            match described {
                Some(described) => {
                    rows.insert((number, key), texts::stored(described))?;
                }
                None => {
                    rows.remove((number, key))?;
                }
            }
        }
        Ok(())
    }
}
