//! Consecutive records that were read from a file.
//!
//! Takes the records as they are in the file. Returns the document in each record, and each record with its document
//! replaced. Records must be found in order, but that is cheap. The expensive work needs only one record, so it can be
//! done in any order and on any thread.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::{Container, Fields};
use crate::formats::csv::CsvRows;
use crate::formats::json::{JsonRecords, Line};
use crate::formats::keys_found::{keys_and_text_of, keys_of};
#[cfg(feature = "parquet")]
use crate::formats::parquet;
use crate::formats::warc;
use crate::read::memory::Patience;
use crate::read::open_file::OpenFile;
use crate::{Answer, Document, Reason, Skipped};
use dehusk_core::setting::Setting;

/// Number of bytes of an overlong line that are copied at a time.
const COPIED_BYTES: usize = 1 << 20;

/// Consecutive records.
#[derive(Debug)]
pub struct Batch {
    pub(super) container: Arc<Container>,
    /// The number of the first record.
    pub(super) first: u64,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    /// Lines or values of JSON.
    Json(JsonRecords, Vec<Line>),
    /// Rows of CSV.
    Csv(CsvRows, Vec<Line>),
    /// One line, row or value of this many bytes, which was too long to be kept in memory. `joint` is what stands before
    /// the value. `lies` is its place in the file, if it can be read again.
    TooLong {
        bytes: u64,
        joint: Vec<u8>,
        lies: Option<(Arc<OpenFile>, Range<u64>)>,
    },
    Warc(Vec<Result<warc::Record, Reason>>),
    /// A page that is the whole input.
    Page(Vec<u8>),
    #[cfg(feature = "parquet")]
    Rows(Box<parquet::Rows>),
}

/// The replacement of a document.
#[derive(Debug, Clone, Copy)]
pub enum New<'a> {
    /// A text.
    Text(&'a str),
    /// A page.
    Page(&'a str),
}

/// The output for a record.
#[derive(Debug)]
pub struct Kept(pub(super) Form);

#[derive(Debug)]
pub(super) enum Form {
    AsRead,
    Dropped,
    Bytes(Vec<u8>),
    #[cfg(feature = "parquet")]
    Row(parquet::NewRow),
}

#[cfg(feature = "parquet")]
impl Form {
    pub(super) fn into_row(self) -> parquet::NewRow {
        match self {
            Form::AsRead => parquet::NewRow::AsRead,
            Form::Row(row) => row,
            Form::Dropped | Form::Bytes(_) => parquet::NewRow::Dropped,
        }
    }
}

impl Kept {
    /// The record unchanged, byte for byte.
    pub fn as_read() -> Kept {
        Kept(Form::AsRead)
    }

    /// Nothing: the record is left out.
    pub fn dropped() -> Kept {
        Kept(Form::Dropped)
    }
}

impl Batch {
    /// Number of records.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Json(_, at) | Content::Csv(_, at) => at.len(),
            Content::TooLong { .. } | Content::Page(_) => 1,
            Content::Warc(records) => records.len(),
            #[cfg(feature = "parquet")]
            Content::Rows(rows) => rows.len(),
        }
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a record in its file, from 1.
    pub fn number(&self, index: usize) -> u64 {
        self.first + index as u64
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.container.path
    }

    /// The document in a record. `None` if there is none, as in a blank line.
    pub fn document(&self, index: usize) -> Result<Option<Document>, Skipped> {
        self.read(index, Patience::Waits)
    }

    /// Like [`document`](Batch::document). `patience` says what happens if the memory for the document is not free now.
    #[doc(hidden)]
    pub fn read(&self, index: usize, patience: Patience) -> Result<Option<Document>, Skipped> {
        let document = match &self.content {
            Content::Json(records, at) => records.parse(&at[index], patience),
            Content::Csv(rows, at) => rows.fields(&at[index]).and_then(|row| {
                let document = |row| self.document_of_row(row, index, || rows.columns(), patience);
                row.map(document).transpose()
            }),
            &Content::TooLong { bytes, .. } => Err(self.container.options.too_large(bytes)),
            Content::Warc(records) => match &records[index] {
                Ok(record) => self.container.document_in(record, self.number(index), patience),
                Err(Reason::RecordTooLarge { bytes, .. }) if *bytes <= self.container.options.max_document => {
                    Err(self.container.options.too_large(*bytes))
                }
                Err(reason) => Err(reason.clone()),
            },
            Content::Page(bytes) => self.container.document_of_page(bytes, patience).map(Some),
            #[cfg(feature = "parquet")]
            Content::Rows(rows) => {
                let document = |row| self.document_of_row(row, index, || rows.columns(), patience);
                rows.fields(index).and_then(document).map(Some)
            }
        };
        document.map_err(|reason| self.skipped(index, reason))
    }

    fn document_of_row(
        &self,
        row: Fields,
        index: usize,
        columns: impl Fn() -> String,
        patience: Patience,
    ) -> Result<Document, Reason> {
        let has = [row.id.is_some(), row.source.is_some(), row.url.is_some()];
        self.container.note_keys(has, self.number(index), || format!("has the columns {}", columns()));
        self.container.document_of(row, self.number(index), patience)
    }

    /// The name of the record's document, and the answer of the server. `None` if the record has no answer; only WARC
    /// records can have one.
    #[doc(hidden)]
    pub fn answer(&self, index: usize) -> Option<(String, Answer<'_>)> {
        let Content::Warc(records) = &self.content else { return None };
        let record = records[index].as_ref().ok()?;
        Some((record.name(self.number(index)), record.answer()?))
    }

    /// The record with its document replaced, and all other bytes unchanged. Fails if the record cannot be read or is
    /// too long.
    pub fn rewritten(&self, index: usize, document: &Document, new: New) -> Result<Kept, Skipped> {
        let rewritten = match (&self.content, new) {
            (Content::Json(records, at), New::Text(new) | New::Page(new)) => {
                records.rewrite(&at[index], document, new).map(String::into_bytes)
            }
            (Content::Csv(rows, at), New::Text(new) | New::Page(new)) => {
                rows.rewrite(&at[index], new).map(String::into_bytes)
            }
            (Content::Warc(records), New::Text(text)) => {
                records[index].as_ref().map(|record| record.with_text(text)).map_err(Reason::clone)
            }
            (Content::Warc(records), New::Page(page)) => {
                let page = document.page.as_ref().map(|old| old.encoded(page).bytes).ok_or(Reason::Changed);
                records[index].as_ref().map_err(Reason::clone).and_then(|record| Ok(record.with_page(&page?)))
            }
            (Content::Page(_), New::Text(text)) => Ok(text.as_bytes().to_vec()),
            (Content::Page(_), New::Page(page)) => {
                document.page.as_ref().map(|old| old.encoded(page).bytes).ok_or(Reason::Changed)
            }
            (Content::TooLong { .. }, _) => Err(Reason::Changed),
            #[cfg(feature = "parquet")]
            (Content::Rows(_), New::Text(text)) => return Ok(Kept(Form::Row(parquet::NewRow::Text(text.to_owned())))),
            #[cfg(feature = "parquet")]
            (Content::Rows(_), New::Page(page)) => return Ok(Kept(Form::Row(parquet::NewRow::Page(page.to_owned())))),
        };
        rewritten.map(|bytes| Kept(Form::Bytes(bytes))).map_err(|reason| self.skipped(index, reason))
    }

    /// The bytes that are written for a record. Empty if the record is dropped, is a row of a table, or was too long to
    /// be kept.
    pub fn written<'a>(&'a self, index: usize, kept: &'a Kept) -> &'a [u8] {
        match &kept.0 {
            Form::AsRead => self.bytes(index),
            Form::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// The bytes before a JSON value, if the record is one. Without them the other values would be no array.
    pub(super) fn joint(&self, index: usize) -> &[u8] {
        match &self.content {
            Content::Json(records, at) => records.joint_of(&at[index]),
            Content::TooLong { joint, .. } => joint,
            _ => &[],
        }
    }

    /// Writes a value of JSON with the `joint` before it. Keeps the brackets of the array even if the value is dropped.
    /// The first value that `is_first` in its array has no comma before it. Returns whether the next value is the first.
    pub(super) fn write_value(
        &self,
        index: usize,
        kept: &Kept,
        joint: &[u8],
        is_first: bool,
        sink: &mut impl Write,
    ) -> io::Result<bool> {
        let bracket = joint.iter().rposition(|byte| matches!(byte, b'[' | b']'));
        if matches!(kept.0, Form::Dropped) {
            let brackets = bracket.map_or(0, |at| at + 1);
            sink.write_all(&joint[..brackets])?;
            return Ok(bracket.map_or(is_first, |at| joint[at] == b'['));
        }
        let mark = joint.iter().position(|byte| matches!(byte, b',' | b'[' | b']'));
        match mark.filter(|&at| is_first && joint[at] == b',') {
            Some(comma) => self.write(index, kept, &mut Without { sink, at: Some(comma) })?,
            None => self.write(index, kept, sink)?,
        }
        Ok(false)
    }

    /// Writes the bytes for a record.
    pub(super) fn write(&self, index: usize, kept: &Kept, sink: &mut impl Write) -> io::Result<()> {
        match (&self.content, &kept.0) {
            // The first row may name the columns in another way.
            (Content::Csv(rows, at), Form::AsRead) => sink.write_all(&rows.kept(&at[index])),
            (Content::TooLong { lies: Some((file, range)), .. }, Form::AsRead) => {
                // A reading error here is an error of the input, not of the output.
                let changed = |_| io::Error::other(Reason::Changed);
                for start in range.clone().step_by(COPIED_BYTES) {
                    let length = COPIED_BYTES.min((range.end - start) as usize);
                    sink.write_all(&file.bytes(start, length).map_err(changed)?)?;
                }
                Ok(())
            }
            _ => sink.write_all(self.written(index, kept)),
        }
    }

    /// The records, if they are JSON and all of them were kept in memory.
    pub(crate) fn json(&self) -> Option<(&JsonRecords, &[Line])> {
        match &self.content {
            Content::Json(records, at) => Some((records, at)),
            _ => None,
        }
    }

    /// Whether all records can be written unchanged.
    pub fn is_whole(&self) -> bool {
        match &self.content {
            Content::Json(..) | Content::Csv(..) => true,
            Content::TooLong { lies, .. } => lies.is_some(),
            Content::Warc(records) => records.iter().all(Result::is_ok),
            Content::Page(_) => true,
            #[cfg(feature = "parquet")]
            Content::Rows(_) => true,
        }
    }

    /// Whether the last record may be incomplete because the file ends within it. The rest of the record may come when
    /// the file grows.
    pub fn may_be_cut_off(&self) -> bool {
        match &self.content {
            Content::Json(records, at) => at.last().is_some_and(|last| !records.is_whole(last)),
            Content::Csv(rows, at) => at.last().is_some_and(|last| !rows.bytes(last).ends_with(b"\n")),
            Content::TooLong { .. } | Content::Page(_) => false,
            // An error is the last record of a batch only if nothing follows it in the file.
            Content::Warc(records) => records.last().is_some_and(Result::is_err),
            #[cfg(feature = "parquet")]
            Content::Rows(_) => false,
        }
    }

    pub(crate) fn skipped(&self, index: usize, reason: Reason) -> Skipped {
        let (settings, lacks_text) = (reason.settings_of_keys(), matches!(reason, Reason::NoText { .. }));
        let mut skipped = self.container.skipped(Some(self.number(index)), reason);
        let keys = if settings.is_empty() { None } else { self.keys(index, lacks_text) };
        skipped.advice = keys.map(|keys| {
            let settings: Vec<String> = settings.iter().map(Setting::to_string).collect();
            format!("{} {keys}: name the right one with {}", skipped.place(), settings.join(" or ")).into()
        });
        skipped
    }

    /// Says which keys a record has, if records of this format have keys. If a line `lacks_text`, also says which key
    /// has the longest text.
    fn keys(&self, index: usize, lacks_text: bool) -> Option<String> {
        match &self.content {
            Content::Json(records, at) => {
                let line = String::from_utf8_lossy(records.value(&at[index]));
                Some(if lacks_text { keys_and_text_of(&line) } else { keys_of(&line) })
            }
            Content::Csv(rows, _) => Some(format!("has the columns {}", rows.columns())),
            #[cfg(feature = "parquet")]
            Content::Rows(rows) => Some(format!("has the columns {}", rows.columns())),
            _ => None,
        }
    }

    fn bytes(&self, index: usize) -> &[u8] {
        match &self.content {
            Content::Json(records, at) => records.bytes(&at[index]),
            Content::Csv(rows, at) => rows.bytes(&at[index]),
            Content::TooLong { .. } => &[],
            Content::Page(bytes) => bytes,
            Content::Warc(records) => records[index].as_ref().map_or(&[], |record| record.raw()),
            #[cfg(feature = "parquet")]
            Content::Rows(_) => &[],
        }
    }
}

/// Writes all bytes but one.
struct Without<'s, W> {
    sink: &'s mut W,
    /// The number of bytes before it. `None` if it was left out already.
    at: Option<usize>,
}

impl<W: Write> Write for Without<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.at {
            Some(at) if at < bytes.len() => {
                self.sink.write_all(&bytes[..at])?;
                self.sink.write_all(&bytes[at + 1..])?;
                self.at = None;
            }
            at => {
                self.sink.write_all(bytes)?;
                self.at = at.map(|at| at - bytes.len());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
