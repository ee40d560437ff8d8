//! A file with many documents: reads its records in order, some at a time, and writes them again.
//!
//! Takes an open file. Returns [`Batch`]es of records, which can be read and rewritten in any order and on any thread.
//! A [`RecordWriter`] takes the batches in order and writes a file of the same format and compression. If some records
//! are rewritten and the others copied, nothing else changes, except that empty lines outside of WARC records are lost.

mod container;
mod batch;
mod lines;
mod writer;

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use self::batch::Content;
pub use self::batch::{Batch, Kept, New};
pub(crate) use self::container::{Container, Fields};
use self::lines::{Lines, MOST_RECORDS, Shape};
pub use self::writer::RecordWriter;
use crate::find::file_kind::text_name;
use crate::formats::csv::{self, Header};
use crate::formats::json::is_utf_16;
#[cfg(feature = "parquet")]
use crate::formats::parquet;
use crate::formats::warc;
use crate::read::compression::{Compression, Counted, Input, decompressed};
use crate::read::division::Division;
use crate::read::line_stream::{LineStream, Pace};
use crate::read::open_file::OpenFile;
use crate::read::reading::read_all;
use crate::{FileKind, Keys, Reason, Skipped};

/// A batch of WARC records with this many bytes is full.
const BATCH_BYTES: usize = 8 << 20;

/// Reads the records of a file from the first one on.
#[derive(Debug)]
pub struct Records {
    container: Arc<Container>,
    format: Format,
    packing: Packing,
    /// Number of records that were read.
    read: u64,
    /// Number of bytes that were read from the input, before decompression.
    taken: Arc<AtomicU64>,
    is_over: bool,
}

/// How a file is compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Packing {
    /// The compression format.
    pub compression: Compression,
    /// Whether each record is compressed by itself.
    pub is_by_record: bool,
}

enum Format {
    Lines(Box<Lines>),
    Warc(Box<WarcRecords>),
    /// A page. `None` after it was read.
    Page(Option<BufReader<Input>>),
    #[cfg(feature = "parquet")]
    Table(parquet::Table, Box<parquet::Batches>),
}

impl Records {
    /// The records of a file of this kind, which may be compressed. Fails if the file cannot be opened as this kind.
    pub(crate) fn file(container: Arc<Container>, file: OpenFile, kind: FileKind) -> Result<Records, Skipped> {
        #[cfg(feature = "parquet")]
        if kind == FileKind::Parquet {
            return Records::table(container, file);
        }
        let file = Arc::new(file);
        let input = Box::new(file.whole());
        Records::new_stream(container, input, Some(kind), Pace::Steady, Some(file))
    }

    /// The records of `input`, which may be compressed, as soon as each is available. The input is JSONL unless its
    /// first bytes show another format: a WARC file, a page, an array of JSON, or a table of CSV.
    pub(crate) fn live(container: Arc<Container>, input: Input) -> Result<Records, Skipped> {
        Records::new_stream(container, input, None, Pace::AtOnce, None)
    }

    fn new_stream(
        container: Arc<Container>,
        input: Input,
        kind: Option<FileKind>,
        pace: Pace,
        file: Option<Arc<OpenFile>>,
    ) -> Result<Records, Skipped> {
        let limit = container.options.most_record_bytes();
        let taken = Arc::default();
        let input = Box::new(Counted::new(input, Arc::clone(&taken)));
        let open = || {
            let (compression, behind) = decompressed(input)?;
            let mut behind = BufReader::new(behind);
            // The reader may not tell of the same error again.
            let broken = |error: io::Error| Reason::BreaksOff { after: 0, error: error.to_string() };
            let start = behind.fill_buf().map_err(broken)?;
            // UTF-16 is refused here, before anything is written for the file.
            let is_utf_16 = is_utf_16(start);
            let kind = kind.unwrap_or_else(|| kind_of(start, &container.options.keys));
            let format = match kind {
                FileKind::Html => Format::Page(Some(behind)),
                FileKind::Warc => {
                    let records = warc::Records::new(behind, limit).live(pace == Pace::AtOnce);
                    Format::Warc(Box::new(WarcRecords { records, held: None }))
                }
                _ if is_utf_16 && pace == Pace::Steady => return Err(Reason::Utf16),
                _ => {
                    let (shape, input): (Shape, Input) = match kind {
                        FileKind::Csv => {
                            let row = csv::first_row(&mut behind, limit.saturating_add(2))?;
                            let header = Header::of(&row, &container.options.keys)?;
                            header.check(&container.options.keys)?;
                            (Shape::Csv(Arc::new(header)), Box::new(io::Cursor::new(row).chain(behind)))
                        }
                        FileKind::Json => (Shape::Json(Division::Values), Box::new(behind)),
                        _ => (Shape::Json(Division::Lines), Box::new(behind)),
                    };
                    let lies_open = file.filter(|_| compression == Compression::None);
                    let stream = LineStream::new(input, shape.division(), limit, pace)?;
                    Format::Lines(Box::new(Lines::new(shape, stream, lies_open)))
                }
            };
            Ok((compression, format))
        };

        let opened: Result<_, Reason> = open();
        let (compression, format) = opened.map_err(|reason| container.skipped(None, reason))?;
        let packing = Packing { compression, is_by_record: false };
        Ok(Records::new(container, format, packing, taken))
    }

    /// The rows of a table.
    #[cfg(feature = "parquet")]
    fn table(container: Arc<Container>, file: OpenFile) -> Result<Records, Skipped> {
        let (keys, memory) = (&container.options.keys, container.options.memory.limit());
        let table = parquet::Table::open(file, keys, memory);
        let table = table.map_err(|reason| container.skipped(None, reason))?;
        let rows = Box::new(table.batches());
        Ok(Records::new(container, Format::Table(table, rows), Packing::default(), Arc::default()))
    }

    fn new(container: Arc<Container>, format: Format, packing: Packing, taken: Arc<AtomicU64>) -> Records {
        Records { container, format, packing, read: 0, taken, is_over: false }
    }

    /// The same records, with this setting of [`Packing::is_by_record`].
    pub(crate) fn packed_by_record(mut self, is_by_record: bool) -> Records {
        self.packing.is_by_record = is_by_record;
        self
    }

    /// The next records, at least 1. `None` at the end. After an error, nothing more can be read.
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

    /// Number of bytes of the file that were read so far, before decompression. Some of them may belong to later
    /// records. For a table it is only an estimate.
    pub fn bytes_read(&self) -> u64 {
        match &self.format {
            Format::Lines(_) | Format::Warc(_) | Format::Page(_) => self.taken.load(Ordering::Relaxed),
            #[cfg(feature = "parquet")]
            Format::Table(table, _) => table.bytes_of(self.read),
        }
    }

    /// Starts to write records to `sink` in the format of this file. `packing` is ignored for a table.
    pub fn writer<W: Write + Send>(&self, sink: W, packing: Packing) -> io::Result<RecordWriter<W>> {
        #[cfg(feature = "parquet")]
        if let Format::Table(table, _) = &self.format {
            let writer = table.writer(sink, self.container.options.html).map_err(io::Error::other)?;
            return Ok(RecordWriter::of_table(writer));
        }
        RecordWriter::new(sink, packing)
    }

    /// Whether the input is one page, from standard input.
    pub fn is_page(&self) -> bool {
        matches!(self.format, Format::Page(_))
    }

    /// Whether the file is JSONL.
    pub fn is_jsonl(&self) -> bool {
        matches!(&self.format, Format::Lines(lines) if lines.are_json())
    }

    /// Whether the file is JSONL whose lines can be read again in any order.
    pub(crate) fn lies_open(&self) -> bool {
        matches!(&self.format, Format::Lines(lines) if lines.lie_open())
    }

    /// The name of a file with these records that came through standard input.
    pub fn name_of_stdin(&self) -> String {
        let view = self.container.options.html;
        match &self.format {
            Format::Page(_) if view.is_written_as_text() => text_name("stdin.html", view.text_extension()),
            Format::Page(_) => "stdin.html".to_owned(),
            Format::Warc(_) => "stdin.warc".to_owned(),
            Format::Lines(lines) => format!("stdin.{}", lines.extension()),
            #[cfg(feature = "parquet")]
            Format::Table(..) => self.container.name.clone(),
        }
    }

    /// How the file is compressed.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    fn next_content(&mut self) -> Option<Result<Content, Reason>> {
        match &mut self.format {
            Format::Lines(lines) => lines.next(self.read, &self.container),
            Format::Warc(records) => {
                let records = records.some(self.read);
                (!records.is_empty()).then_some(Ok(Content::Warc(records)))
            }
            Format::Page(page) => {
                let broken = |error: io::Error| Reason::BreaksOff { after: 0, error: error.to_string() };
                let options = &self.container.options;
                let all = |page| match read_all(page, 0, options.most_record_bytes(), broken) {
                    Err(Reason::TooLarge { limit, .. }) if limit < options.max_document => {
                        Err(Reason::TooLittleMemory { need: None, limit: options.memory.limit() })
                    }
                    page => page.map(Content::Page),
                };
                page.take().map(all)
            }
            #[cfg(feature = "parquet")]
            Format::Table(_, batches) => batches.next().map(|rows| rows.map(Box::new).map(Content::Rows)),
        }
    }
}

/// What standard input is that begins like this: a page if a tag begins after a byte order mark and white space.
pub(crate) fn kind_of(start: &[u8], keys: &Keys) -> FileKind {
    match first_byte(start) {
        _ if start.starts_with(b"WARC/") => FileKind::Warc,
        Some(b'<') => FileKind::Html,
        Some(b'[') => FileKind::Json,
        _ if csv::is_table(start, keys) => FileKind::Csv,
        _ => FileKind::JsonLines,
    }
}

/// The first byte of a text, after a byte order mark and white space. The text may be UTF-16.
pub(crate) fn first_byte(start: &[u8]) -> Option<u8> {
    let marks: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
    let text = marks.iter().find_map(|mark| start.strip_prefix(*mark)).unwrap_or(start);
    text.iter().copied().find(|byte| !byte.is_ascii_whitespace() && *byte != 0)
}

struct WarcRecords {
    records: warc::Records<BufReader<Input>>,
    /// A record that was read but not returned yet.
    held: Option<Result<warc::Record, Reason>>,
}

impl WarcRecords {
    /// Reads some megabytes of records. A record that cannot be read has an error in its place. `before` is the number
    /// of records that were read earlier. The last item is an error only if nothing follows it in the file.
    fn some(&mut self, before: u64) -> Vec<Result<warc::Record, Reason>> {
        let (mut some, mut bytes) = (Vec::new(), 0);
        loop {
            let is_full = bytes >= BATCH_BYTES
                || some.len() >= MOST_RECORDS
                || !some.is_empty() && self.held.is_none() && self.records.must_wait();
            if is_full && some.last().is_some_and(Result::is_ok) {
                return some;
            }
            let Some(record) = self.held.take().or_else(|| self.records.next()) else {
                break_off(&mut some, before);
                return some;
            };
            if is_full {
                self.held = Some(record);
                return some;
            }
            bytes += record.as_ref().map_or(0, |record| record.raw().len());
            some.push(record);
        }
    }
}

/// If reading ended with an error, changes the error to say that all records after it are lost.
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
            Format::Lines(lines) => lines.extension(),
            Format::Warc(_) => "WARC",
            Format::Page(_) => "a page",
            #[cfg(feature = "parquet")]
            Format::Table(..) => "Parquet",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::ReadOptions;
    use crate::read::compression::Encoder;
    use crate::testing::container;

    const LINES: &str = "{\"source\":\"a\",\"text\":\"one\"}\n\n{\"source\":\"a\",\"text\":\"two\",\"n\": 1.0}\r\n{}";

    fn compressed(text: &[u8], compression: Compression) -> Vec<u8> {
        let mut encoder = Encoder::new(Vec::new(), compression).expect("an encoder");
        encoder.write_all(text).expect("written");
        encoder.finish().expect("finished")
    }

    fn stream(bytes: Vec<u8>, options: ReadOptions) -> Records {
        let records = Records::live(container("x.jsonl", options), Box::new(Cursor::new(bytes)));
        records.unwrap_or_else(|skipped| panic!("{skipped}"))
    }

    fn file(bytes: &[u8]) -> Records {
        opened(bytes, FileKind::JsonLines).expect("lines")
    }

    fn opened(bytes: &[u8], kind: FileKind) -> Result<Records, Skipped> {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(bytes).expect("written");
        let file = OpenFile::of(file).expect("opened");
        Records::file(container("x.jsonl", ReadOptions::default()), file, kind)
    }

    /// Everything that is read, and the output if each text is written in capitals.
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
            writer.write(&batch, 0, kept).expect("written");
        }
        writer.finish().expect("finished");
        (read, written)
    }

    #[test]
    fn lines_are_read_and_written_alike_however_they_come() {
        let (read, written) = read_and_rewritten(file(LINES.as_bytes()));
        assert_eq!(read[..3], ["one", "nothing", "two"]);
        assert!(read[3].starts_with("x.jsonl:4: has neither \"text\""), "{read:?}");
        let expected = LINES.replace("one", "ONE").replace("two", "TWO").replace("{}", "");
        assert_eq!(String::from_utf8_lossy(&written), expected);
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let bytes = compressed(LINES.as_bytes(), compression);
            for records in [file(&bytes), stream(bytes, ReadOptions::default())] {
                assert_eq!(records.packing().compression, compression);
                assert_eq!(read_and_rewritten(records), (read.clone(), compressed(expected.as_bytes(), compression)));
            }
        }
    }

    /// Arrays with all the values of a list but those that are dropped.
    #[test]
    fn an_array_without_some_values_is_an_array() {
        let value = |number: u32| format!("{{\"source\": \"a\", \"text\": \"t{number}\"}}");
        for separator in [", ", ",\n", "\n,"] {
            let text = format!("[\n{}\n]\n", (0..4).map(value).collect::<Vec<_>>().join(separator));
            for dropped in 0..1u32 << 4 {
                let mut records = opened(text.as_bytes(), FileKind::Json).expect("values");
                let mut written = Vec::new();
                let mut writer = records.writer(&mut written, Packing::default()).expect("a writer");
                while let Some(batch) = records.next_batch() {
                    let batch = batch.expect("a batch");
                    let kept = |index: usize| match dropped >> index & 1 {
                        1 if index < 4 => Kept::dropped(),
                        _ => Kept::as_read(),
                    };
                    writer.write(&batch, 0, (0..batch.len()).map(kept).collect()).expect("written");
                }
                writer.finish().expect("finished");
                let read: Vec<serde_json::Value> = serde_json::from_slice(&written).expect("an array");
                let expected = (0..4).filter(|index| dropped >> index & 1 == 0).map(value);
                let expected: Vec<serde_json::Value> =
                    expected.map(|value| serde_json::from_str(&value).expect("a value")).collect();
                assert_eq!(read, expected, "{dropped:b} {}", String::from_utf8_lossy(&written));
            }
        }
    }

    #[test]
    fn tables_and_arrays_are_read_and_written_alike_however_they_come() {
        let csv = "id,source,text\r\n1,a,\"one\n\"\"two\"\"\"\r\n\r\n2,a,three\r\n";
        let (read, written) = read_and_rewritten(opened(csv.as_bytes(), FileKind::Csv).expect("rows"));
        assert_eq!(read, ["nothing", "one\n\"two\"", "nothing", "three"]);
        let capitals = csv.replace("one", "ONE").replace("two", "TWO").replace("three", "THREE");
        assert_eq!(String::from_utf8_lossy(&written), capitals);
        let json = "[{\"source\": \"a\", \"text\": \"one\"},\n 5, {}]";
        let (values, _) = read_and_rewritten(opened(json.as_bytes(), FileKind::Json).expect("values"));
        assert_eq!((&*values[0], &*values[1], &*values[3]), ("one", "x.jsonl:2: is not a JSON object", "nothing"));
        for (text, name, read) in [(csv, "stdin.csv", read), (json, "stdin.json", values)] {
            for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
                let records = stream(compressed(text.as_bytes(), compression), ReadOptions::default());
                assert_eq!(records.name_of_stdin(), name);
                assert_eq!(read_and_rewritten(records).0, read);
            }
        }
        let refused = opened(b"id,body\n", FileKind::Csv).expect_err("no text").to_string();
        assert!(refused.starts_with("x.jsonl: has neither a column \"text\""), "{refused}");
        let empty = read_and_rewritten(opened(b"", FileKind::Csv).expect("no row"));
        assert_eq!(empty, (Vec::new(), Vec::new()));
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
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let bytes = compressed(text.as_bytes(), compression);
            assert_eq!(read(file(&bytes)), Some(bytes.len() as u64));
            assert_eq!(read(stream(bytes.clone(), ReadOptions::default())), Some(bytes.len() as u64));
        }
    }

    #[test]
    fn a_file_that_breaks_off_says_where() {
        let mut bytes = compressed(LINES.as_bytes(), Compression::Gzip);
        bytes.truncate(bytes.len() - 3);
        let (read, _) = read_and_rewritten(stream(bytes, ReadOptions::default()));
        assert_eq!(read[0], "one");
        assert!(read.last().is_some_and(|last| last.starts_with("x.jsonl: cannot be read after record")));
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
