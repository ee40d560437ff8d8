//! A file with many documents: its records in order, some at a time, and how they are written again.
//!
//! Takes an open file; gives [`Batch`]es of records, which can be read and rewritten in any order and from any thread,
//! and a [`RecordWriter`] that takes them in order and gives a file of the same format and compression. Whoever writes
//! all records again, some of them rewritten, has changed nothing else.

use std::borrow::Cow;
use std::fmt;
#[cfg(feature = "parquet")]
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::compression::{Compression, Counted, Encoder, Input, decompressed};
use super::jsonl::{JsonLines, Line};
use super::line_stream::{LineStream, Stretch};
use super::reading::Stored;
use super::source_by::Known;
use super::text::FileBytes;
use super::{Document, FileKind, InputFile, ReadOptions, Reason, Skipped, SourceId, warc};
#[cfg(feature = "parquet")]
use super::{parquet, reading::View};

/// How many bytes of records are one batch, where they are not as many as there are.
const BATCH_BYTES: usize = 8 << 20;

/// What is known of all records of a file before they are read.
#[derive(Debug)]
pub(super) struct Container {
    pub(super) path: Arc<Path>,
    /// What the file is called in the output.
    pub(super) name: String,
    /// The folder the file lies in, by which records may be named.
    pub(super) folder: Option<SourceId>,
    pub(super) options: Arc<ReadOptions>,
}

impl Container {
    pub(super) fn of(file: &InputFile, options: &Arc<ReadOptions>) -> Arc<Container> {
        let (path, folder) = (file.path().into(), file.folder().cloned());
        Arc::new(Container { path, name: file.name(), folder, options: Arc::clone(options) })
    }

    /// The source of a record, which is not yet proven to be a [`SourceId`].
    pub(super) fn source_of<'a>(&'a self, of_record: Known<'a>) -> Result<Cow<'a, str>, Reason> {
        let known = Known { folder: self.folder.as_ref(), path: &self.name, ..of_record };
        self.options.source_by.name(known, &self.options.keys)
    }

    /// The document in a record of this number, if it holds one.
    fn document_in(&self, record: &warc::Record, number: u64) -> Result<Option<Document>, Reason> {
        let options = &self.options;
        let Some(body) = record.document(options.max_document) else { return Ok(None) };
        let warc::Body { bytes, is_html, encoding } = body?;
        let id = record.id().map_or_else(|| number.to_string(), str::to_owned);
        let known = Known { url: record.url().map(Cow::Borrowed), ..Known::default() };
        let source = self.source_of(known).map_err(|reason| match reason {
            Reason::NoSource { .. } | Reason::NoUrl(_) => Reason::NoTargetUri,
            other => other,
        });
        let source = SourceId::parse(&source?)?;
        let stored = Stored { bytes: Arc::new(FileBytes::Read(bytes.into_owned())), is_html, encoding };
        let document = stored.document(id, source, options)?;
        Ok(Some(Document { url: record.url().map(str::to_owned), ..document }))
    }

    /// The document in a row of this number.
    #[cfg(feature = "parquet")]
    fn document_of(&self, row: parquet::Fields, number: u64) -> Result<Document, Reason> {
        let options = &self.options;
        let nowhere = Arc::new(FileBytes::Read(Vec::new()));
        let view = match (row.text, row.html) {
            (Some(text), _) => View::plain(text.into()),
            (None, Some(html)) => View::of(Cow::Borrowed(html), &nowhere, options),
            (None, None) => {
                let (text, html) = (options.keys.text.clone(), options.keys.html.clone());
                return Err(Reason::NoText { text, html });
            }
        };
        let url = row.url.as_deref().map(str::to_owned);
        let known = Known { source: row.source, url: row.url, ..Known::default() };
        let source = SourceId::parse(&self.source_of(known)?)?;
        let id = row.id.map_or_else(|| number.to_string(), Cow::into_owned);
        Ok(Document { url, ..view.document(id, source, options)? })
    }

    pub(super) fn skipped(&self, record: Option<u64>, reason: Reason) -> Skipped {
        Skipped { path: Arc::clone(&self.path), line: record, reason }
    }
}

/// The records of a file, from its beginning.
#[derive(Debug)]
pub struct Records {
    container: Arc<Container>,
    format: Format,
    packing: Packing,
    /// How many records were read.
    read: u64,
    /// How many bytes were taken from a stream.
    taken: Arc<AtomicU64>,
    is_over: bool,
}

/// How a file is compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Packing {
    /// In what way.
    pub compression: Compression,
    /// Whether each record is compressed by itself.
    pub is_by_record: bool,
}

enum Format {
    /// Lines that lie open, and how many of their bytes were read.
    Mapped(JsonLines, usize),
    Lines(LineStream),
    Warc(Box<warc::Records<BufReader<Input>>>),
    #[cfg(feature = "parquet")]
    Table(parquet::Table, Box<parquet::Batches>),
}

impl Records {
    /// The lines of a file that lies open.
    pub(super) fn mapped(container: Arc<Container>, bytes: Arc<FileBytes>) -> Result<Records, Skipped> {
        let lines = JsonLines::new(bytes, Arc::clone(&container))?;
        Ok(Records::new(container, Format::Mapped(lines, 0), Packing::default(), Arc::default()))
    }

    /// The records that come out of `input`, compressed or not, of a file of this kind; JSONL, or what the first bytes
    /// say, if that is not known.
    pub(super) fn stream(container: Arc<Container>, input: Input, kind: Option<FileKind>) -> Result<Records, Skipped> {
        let limit = container.options.max_document;
        let taken = Arc::default();
        let input = Box::new(Counted::new(input, Arc::clone(&taken)));
        let open = || {
            let (compression, behind) = decompressed(input)?;
            let mut behind = BufReader::new(behind);
            let is_warc = match kind {
                Some(kind) => kind == FileKind::Warc,
                // What cannot be read is told when it is.
                None => behind.fill_buf().is_ok_and(|start| start.starts_with(b"WARC/")),
            };
            let format = match is_warc {
                true => Format::Warc(Box::new(warc::Records::new(behind, limit))),
                false => Format::Lines(LineStream::new(Box::new(behind), limit)?),
            };
            Ok((compression, format))
        };
        let opened: io::Result<_> = open();
        let (compression, format) = opened.map_err(|error| container.skipped(None, error.into()))?;
        let packing = Packing { compression, is_by_record: false };
        Ok(Records::new(container, format, packing, taken))
    }

    /// The rows of a table.
    #[cfg(feature = "parquet")]
    pub(super) fn table(container: Arc<Container>, file: File) -> Result<Records, Skipped> {
        let table = parquet::Table::open(file, &container.options.keys);
        let table = table.map_err(|reason| container.skipped(None, reason))?;
        let rows = Box::new(table.batches());
        Ok(Records::new(container, Format::Table(table, rows), Packing::default(), Arc::default()))
    }

    fn new(container: Arc<Container>, format: Format, packing: Packing, taken: Arc<AtomicU64>) -> Records {
        Records { container, format, packing, read: 0, taken, is_over: false }
    }

    /// The same records; each is compressed by itself, or all together.
    pub(super) fn packed_by_record(mut self, is_by_record: bool) -> Records {
        self.packing.is_by_record = is_by_record;
        self
    }

    /// The next records, one at least; `None` at the end. An error is the last that comes: nothing after it can be read.
    pub fn next_batch(&mut self) -> Option<Result<Batch, Skipped>> {
        if self.is_over {
            return None;
        }
        let batch = match self.next_content() {
            Some(Ok(content)) => {
                Some(Ok(Batch { container: Arc::clone(&self.container), first: self.read + 1, content }))
            }
            Some(Err(reason)) => Some(Err(self.container.skipped(None, reason))),
            None => None,
        };
        match &batch {
            Some(Ok(batch)) => self.read += batch.len() as u64,
            _ => self.is_over = true,
        }
        batch
    }

    /// How many bytes of the file were read so far, as it lies there. There may be some among them of records that are
    /// still to come, and of a table it is only a guess.
    pub fn bytes_read(&self) -> u64 {
        match &self.format {
            Format::Mapped(_, position) => *position as u64,
            Format::Lines(_) | Format::Warc(_) => self.taken.load(Ordering::Relaxed),
            #[cfg(feature = "parquet")]
            Format::Table(table, _) => table.bytes_of(self.read),
        }
    }

    /// Writes records to `sink` in the format of this file.
    pub fn writer<W: Write + Send>(&self, sink: W, packing: Packing) -> io::Result<RecordWriter<W>> {
        let Packing { compression, is_by_record } = packing;
        #[cfg(feature = "parquet")]
        if let Format::Table(table, _) = &self.format {
            let writer = table.writer(sink, self.container.options.html).map_err(io::Error::other)?;
            return Ok(RecordWriter { sink: Sink::Table(Box::new(writer)) });
        }
        let sink = match is_by_record {
            true => Sink::ByRecord(sink, compression),
            false => Sink::Stream(Encoder::new(sink, compression)?),
        };
        Ok(RecordWriter { sink })
    }

    /// Whether a record is a line of JSON.
    pub fn is_jsonl(&self) -> bool {
        matches!(self.format, Format::Mapped(..) | Format::Lines(_))
    }

    /// Whether the file is JSONL that can be read in any order.
    pub(super) fn lies_open(&self) -> bool {
        matches!(self.format, Format::Mapped(..))
    }

    /// How the file is compressed.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    fn next_content(&mut self) -> Option<Result<Content, Reason>> {
        let first = self.read + 1;
        match &mut self.format {
            Format::Mapped(lines, position) => {
                let at = lines.some(*position, first, BATCH_BYTES);
                *position = at.last()?.range.end;
                Some(Ok(Content::Lines(lines.clone(), at)))
            }
            Format::Lines(stream) => Some(match stream.next()? {
                Ok(Stretch::Lines(bytes)) => {
                    let (bytes, container) = (Arc::new(FileBytes::Read(bytes)), Arc::clone(&self.container));
                    let lines = match first {
                        1 => JsonLines::new(bytes, container),
                        _ => Ok(JsonLines::later(bytes, container)),
                    };
                    lines.map(|lines| Content::lines(lines, first)).map_err(|skipped| skipped.reason)
                }
                Ok(Stretch::TooLong(bytes)) => Ok(Content::TooLong(bytes)),
                Err(error) => Err(Reason::BreaksOff { after: self.read, error: error.to_string() }),
            }),
            Format::Warc(records) => {
                let records = some_records(records, self.read);
                (!records.is_empty()).then_some(Ok(Content::Warc(records)))
            }
            #[cfg(feature = "parquet")]
            Format::Table(_, batches) => batches.next().map(|rows| rows.map(Box::new).map(Content::Rows)),
        }
    }
}

/// Some megabytes of records, or what is wrong with them; so many were read `before`.
fn some_records(records: &mut warc::Records<BufReader<Input>>, before: u64) -> Vec<Result<warc::Record, Reason>> {
    let (mut some, mut bytes) = (Vec::new(), 0);
    // an error is never the last of them, unless nothing comes after it
    while bytes < BATCH_BYTES || some.last().is_some_and(Result::is_err) {
        let Some(record) = records.next() else {
            break_off(&mut some, before);
            break;
        };
        bytes += record.as_ref().map_or(0, |record| record.raw().len());
        some.push(record);
    }
    some
}

/// If reading ended for an error, more than a record is lost.
fn break_off(records: &mut [Result<warc::Record, Reason>], before: u64) {
    let after = (before + records.len() as u64).saturating_sub(1);
    if let Some(Err(reason)) = records.last_mut()
        && let Reason::Unreadable(error) = reason
    {
        *reason = Reason::BreaksOff { after, error: std::mem::take(error) };
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Format::Mapped(..) | Format::Lines(_) => "JSONL",
            Format::Warc(_) => "WARC",
            #[cfg(feature = "parquet")]
            Format::Table(..) => "Parquet",
        })
    }
}

/// Some records that follow each other.
#[derive(Debug)]
pub struct Batch {
    container: Arc<Container>,
    first: u64,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Lines(JsonLines, Vec<Line>),
    /// One line, of which nothing was kept.
    TooLong(u64),
    Warc(Vec<Result<warc::Record, Reason>>),
    #[cfg(feature = "parquet")]
    Rows(Box<parquet::Rows>),
}

impl Content {
    fn lines(lines: JsonLines, first: u64) -> Content {
        let at = lines.some(0, first, usize::MAX);
        Content::Lines(lines, at)
    }
}

/// What is to stand in the place of a document.
#[derive(Debug, Clone, Copy)]
pub enum New<'a> {
    /// A text.
    Text(&'a str),
    /// A page.
    Page(&'a str),
}

/// What is written for a record.
#[derive(Debug)]
pub struct Kept(Form);

#[derive(Debug)]
enum Form {
    AsRead,
    Dropped,
    Bytes(Vec<u8>),
    #[cfg(feature = "parquet")]
    Row(parquet::NewRow),
}

#[cfg(feature = "parquet")]
impl Form {
    fn into_row(self) -> parquet::NewRow {
        match self {
            Form::AsRead => parquet::NewRow::AsRead,
            Form::Row(row) => row,
            Form::Dropped | Form::Bytes(_) => parquet::NewRow::Dropped,
        }
    }
}

impl Kept {
    /// What was read, byte for byte.
    pub fn as_read() -> Kept {
        Kept(Form::AsRead)
    }

    /// Nothing.
    pub fn dropped() -> Kept {
        Kept(Form::Dropped)
    }
}

impl Batch {
    /// How many records there are.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Lines(_, at) => at.len(),
            Content::TooLong(_) => 1,
            Content::Warc(records) => records.len(),
            #[cfg(feature = "parquet")]
            Content::Rows(rows) => rows.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which record of its file a record is, from 1.
    pub fn number(&self, index: usize) -> u64 {
        self.first + index as u64
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.container.path
    }

    /// The document that a record holds; `None` if it holds none, as a blank line.
    pub fn document(&self, index: usize) -> Result<Option<Document>, Skipped> {
        let document = match &self.content {
            Content::Lines(lines, at) => lines.parse(&at[index]),
            &Content::TooLong(bytes) => {
                Err(Reason::TooLarge { bytes: Some(bytes), limit: self.container.options.max_document })
            }
            Content::Warc(records) => match &records[index] {
                Ok(record) => self.container.document_in(record, self.number(index)),
                Err(reason) => Err(reason.clone()),
            },
            #[cfg(feature = "parquet")]
            Content::Rows(rows) => {
                let document = rows.fields(index).and_then(|row| self.container.document_of(row, self.number(index)));
                document.map(Some)
            }
        };
        document.map_err(|reason| self.skipped(index, reason))
    }

    /// The record with something new in the place of its document, and every other byte as it was.
    pub fn rewritten(&self, index: usize, document: &Document, new: New) -> Result<Kept, Skipped> {
        let rewritten = match (&self.content, new) {
            (Content::Lines(lines, at), New::Text(new) | New::Page(new)) => {
                lines.rewrite(&at[index], new).map(String::into_bytes)
            }
            (Content::Warc(records), New::Text(text)) => records[index].clone().map(|record| record.with_text(text)),
            (Content::Warc(records), New::Page(page)) => {
                let page = document.page.as_ref().map(|old| old.encoded(page).bytes).ok_or(Reason::Changed);
                records[index].clone().and_then(|record| Ok(record.with_page(&page?)))
            }
            (Content::TooLong(_), _) => Err(Reason::Changed),
            #[cfg(feature = "parquet")]
            (Content::Rows(_), New::Text(text)) => return Ok(Kept(Form::Row(parquet::NewRow::Text(text.to_owned())))),
            #[cfg(feature = "parquet")]
            (Content::Rows(_), New::Page(page)) => return Ok(Kept(Form::Row(parquet::NewRow::Page(page.to_owned())))),
        };
        rewritten.map(|bytes| Kept(Form::Bytes(bytes))).map_err(|reason| self.skipped(index, reason))
    }

    /// Whether all records can be written as they were read.
    pub fn is_whole(&self) -> bool {
        match &self.content {
            Content::Lines(..) => true,
            Content::TooLong(_) => false,
            Content::Warc(records) => records.iter().all(Result::is_ok),
            #[cfg(feature = "parquet")]
            Content::Rows(_) => true,
        }
    }

    fn skipped(&self, index: usize, reason: Reason) -> Skipped {
        self.container.skipped(Some(self.number(index)), reason)
    }

    fn bytes(&self, index: usize) -> &[u8] {
        match &self.content {
            Content::Lines(lines, at) => lines.bytes(&at[index]),
            Content::TooLong(_) => &[],
            Content::Warc(records) => records[index].as_ref().map_or(&[], |record| record.raw()),
            #[cfg(feature = "parquet")]
            Content::Rows(_) => &[],
        }
    }
}

/// Writes records in order; [`finish`](RecordWriter::finish) has to be called.
pub struct RecordWriter<W: Write + Send> {
    sink: Sink<W>,
}

enum Sink<W: Write + Send> {
    Stream(Encoder<W>),
    /// Each record is compressed by itself.
    ByRecord(W, Compression),
    #[cfg(feature = "parquet")]
    Table(Box<parquet::TableWriter<W>>),
}

impl<W: Write + Send> RecordWriter<W> {
    /// Writes what is kept of the records of a batch.
    pub fn write(&mut self, batch: &Batch, kept: Vec<Kept>) -> io::Result<()> {
        #[cfg(feature = "parquet")]
        if let (Sink::Table(writer), Content::Rows(rows)) = (&mut self.sink, &batch.content) {
            return writer.write(rows, kept.into_iter().map(|Kept(form)| form.into_row()).collect());
        }
        for (index, Kept(form)) in kept.into_iter().enumerate() {
            let bytes = match &form {
                Form::AsRead => batch.bytes(index),
                Form::Bytes(bytes) => bytes,
                _ => continue,
            };
            match &mut self.sink {
                Sink::Stream(encoder) => encoder.write_all(bytes)?,
                Sink::ByRecord(sink, compression) => {
                    let mut encoder = Encoder::new(sink, *compression)?;
                    encoder.write_all(bytes)?;
                    encoder.finish()?;
                }
                #[cfg(feature = "parquet")]
                Sink::Table(_) => {}
            }
        }
        Ok(())
    }

    /// Hands on what is not compressed, for somebody may wait for it.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Stream(encoder) => encoder.flush(),
            Sink::ByRecord(sink, _) => sink.flush(),
            #[cfg(feature = "parquet")]
            Sink::Table(_) => Ok(()),
        }
    }

    /// Writes what is left.
    pub fn finish(self) -> io::Result<()> {
        match self.sink {
            Sink::Stream(encoder) => encoder.finish()?.flush(),
            Sink::ByRecord(mut sink, _) => sink.flush(),
            #[cfg(feature = "parquet")]
            Sink::Table(writer) => writer.finish()?.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::testing::container;
    use super::*;

    const LINES: &str = "{\"source\":\"a\",\"text\":\"one\"}\n\n{\"source\":\"a\",\"text\":\"two\",\"n\": 1.0}\r\n{}";

    fn compressed(text: &[u8], compression: Compression) -> Vec<u8> {
        let mut encoder = Encoder::new(Vec::new(), compression).expect("an encoder");
        encoder.write_all(text).expect("written");
        encoder.finish().expect("finished")
    }

    fn stream(bytes: Vec<u8>, options: ReadOptions) -> Records {
        let records = Records::stream(container("x.jsonl", options), Box::new(Cursor::new(bytes)), None);
        records.unwrap_or_else(|skipped| panic!("{skipped}"))
    }

    fn mapped(text: &str) -> Records {
        let bytes = Arc::new(FileBytes::Read(text.into()));
        Records::mapped(container("x.jsonl", ReadOptions::default()), bytes).expect("lines")
    }

    /// All that is read, and what is written if each text is put in capitals.
    fn read_and_rewritten(mut records: Records) -> (Vec<String>, Vec<u8>) {
        let (mut read, mut written) = (Vec::new(), Vec::new());
        let mut writer = records.writer(&mut written, records.packing()).expect("a writer");
        while let Some(batch) = records.next_batch() {
            let batch = match batch {
                Ok(batch) => batch,
                Err(skipped) => {
                    read.push(skipped.to_string());
                    continue;
                }
            };
            let mut kept = Vec::new();
            for index in 0..batch.len() {
                let (kept_one, said) = match batch.document(index) {
                    Ok(None) => (Kept::as_read(), "nothing".to_owned()),
                    Ok(Some(document)) => {
                        let capitals = document.text.to_uppercase();
                        let rewritten = batch.rewritten(index, &document, New::Text(&capitals));
                        (rewritten.expect("rewritten"), document.text.to_string())
                    }
                    Err(skipped) => (Kept::dropped(), skipped.to_string()),
                };
                kept.push(kept_one);
                read.push(said);
            }
            writer.write(&batch, kept).expect("written");
        }
        writer.finish().expect("finished");
        (read, written)
    }

    #[test]
    fn lines_are_read_and_written_alike_however_they_come() {
        let (read, written) = read_and_rewritten(mapped(LINES));
        assert_eq!(read[..3], ["one", "nothing", "two"]);
        assert!(read[3].starts_with("x.jsonl:4: has neither \"text\""), "{read:?}");
        let expected = LINES.replace("one", "ONE").replace("two", "TWO").replace("{}", "");
        assert_eq!(String::from_utf8_lossy(&written), expected);
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let records = stream(compressed(LINES.as_bytes(), compression), ReadOptions::default());
            assert_eq!(records.packing().compression, compression);
            assert_eq!(read_and_rewritten(records), (read.clone(), compressed(expected.as_bytes(), compression)));
        }
    }

    #[test]
    fn in_the_end_all_bytes_of_the_file_were_read() {
        let read = |mut records: Records| {
            let mut reached = vec![records.bytes_read()];
            while let Some(batch) = records.next_batch() {
                batch.expect("a batch");
                reached.push(records.bytes_read());
            }
            assert!(reached.is_sorted(), "{reached:?}");
            reached.last().copied()
        };
        let text = LINES.repeat(130_000);
        assert_eq!(read(mapped(&text)), Some(text.len() as u64));
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let bytes = compressed(text.as_bytes(), compression);
            assert_eq!(read(stream(bytes.clone(), ReadOptions::default())), Some(bytes.len() as u64));
        }
    }

    #[test]
    fn a_file_that_breaks_off_says_where() {
        let mut bytes = compressed(LINES.as_bytes(), Compression::Gzip);
        bytes.truncate(bytes.len() - 3);
        let (read, _) = read_and_rewritten(stream(bytes, ReadOptions::default()));
        assert_eq!(read[0], "one");
        assert!(read.last().is_some_and(|last| last.starts_with("x.jsonl: cannot be read any further after record")));
    }

    #[test]
    fn a_line_of_which_nothing_could_be_kept_is_named() {
        let long = format!("{{\"source\":\"a\",\"text\":\"{}\"}}\n{LINES}", "x".repeat(1_000_000));
        let options = ReadOptions { max_document: 100, ..ReadOptions::default() };
        let (read, _) = read_and_rewritten(stream(long.into_bytes(), options));
        assert!(read[0].starts_with("x.jsonl:1: has 1000025 bytes, more than the 100"), "{}", read[0]);
        assert_eq!(read[1..4], ["one", "nothing", "two"]);
    }
}
