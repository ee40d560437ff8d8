//! Any bytes as a WARC file: each record is a document, none, or skipped with a reason. Written as they were read, the
//! records are the file, but for empty lines before the first; with its own text in the place of each document, they
//! are read as the same documents. So they are if each record is packed by itself.

#![no_main]

use std::fs;
use std::path::Path;

use dehusk_corpus::{
    Compression, Content, Document, Inventory, Kept, New, Packing, ReadOptions, Reason, RecordWriter, Records, Skipped,
};
use libfuzzer_sys::fuzz_target;

const BY_RECORD: Packing = Packing { compression: Compression::Gzip, is_by_record: true };

// The first byte says whether the records are packed as well, the others are the file.
fuzz_target!(|input: &[u8]| {
    let Some((flags, file)) = input.split_first() else { return };
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary folder");
    let folder = folder.path().join("source");
    fs::create_dir(&folder).expect("a folder");
    let Some(read) = read(&folder.join("a.warc"), file) else { return };
    if read.packing == Packing::default() {
        match read.is_whole {
            true => assert_eq!(text(&read.as_read), text(without_empty_lines(file)), "written as it was read"),
            false => assert!(is_subsequence(&read.as_read, file), "something came in: {}", text(&read.as_read)),
        }
        let again = self::read(&folder.join("b.warc"), &read.rewritten).expect("it is not packed");
        check_rewritten(&read, &again);
    }
    if flags & 1 == 1 && read.is_whole {
        let packed = self::read(&folder.join("c.warc.gz"), &read.by_record).expect("it was packed here");
        assert_eq!(packed.found, read.found, "packed by record");
        assert!(packed.packing == BY_RECORD || packed.found.len() < 2, "{:?}", packed.packing);
        assert!(packed.as_read == read.by_record, "packed by record and written as it was read");
    }
});

/// All that comes out of a file.
struct Read {
    found: Vec<Found>,
    packing: Packing,
    /// Whether all of the file is records.
    is_whole: bool,
    /// The records as they were read, packed as they were.
    as_read: Vec<u8>,
    /// The same, each packed by itself.
    by_record: Vec<u8>,
    /// The records with its own text in the place of each document, packed as they were.
    rewritten: Vec<u8>,
}

/// What a record holds.
#[derive(Debug, PartialEq)]
enum Found {
    Nothing,
    Document { id: String, source: String, url: Option<String>, text: String },
    Skipped(Reason),
}

impl Found {
    fn of(document: &Result<Option<Document>, Skipped>) -> Found {
        match document {
            Ok(None) => Found::Nothing,
            Ok(Some(Document { id, source, url, text, .. })) => {
                let (id, source) = (id.clone(), source.to_string());
                Found::Document { id, source, url: url.clone(), text: text.to_string() }
            }
            Err(skipped) => Found::Skipped(skipped.reason.clone()),
        }
    }

    /// Whether there is a record, whatever it holds.
    fn is_record(&self) -> bool {
        let Found::Skipped(reason) = self else { return true };
        !matches!(
            reason,
            Reason::Unreadable(_)
                | Reason::NotARecord(_)
                | Reason::RecordCutOff
                | Reason::NoLength
                | Reason::LengthNotANumber(_)
                | Reason::WrongLength(_)
                | Reason::RecordTooLarge { .. }
        )
    }
}

/// The file with these bytes; `None` if it is packed in a way that cannot be undone.
fn read(path: &Path, bytes: &[u8]) -> Option<Read> {
    fs::write(path, bytes).expect("written");
    let options = ReadOptions::default().max_document(1 << 20);
    let inventory = Inventory::scan(&[path.to_owned()], &options).expect("a file");
    let [file] = inventory.files() else { panic!("one file") };
    let mut records = match inventory.open(file) {
        Ok(Content::Records(records)) => records,
        Ok(Content::Document(..)) => panic!("a WARC file is no document"),
        Err(skipped) => {
            assert!(!skipped.reason.to_string().is_empty());
            return None;
        }
    };
    let (mut as_read, mut by_record, mut rewritten) = (Vec::new(), Vec::new(), Vec::new());
    let packing = records.packing();
    let mut writers = [
        writer(&records, &mut as_read, packing),
        writer(&records, &mut by_record, BY_RECORD),
        writer(&records, &mut rewritten, packing),
    ];
    let (mut found, mut is_whole) = (Vec::new(), true);
    while let Some(batch) = records.next_batch() {
        let batch = batch.expect("only lines break off");
        assert!(!batch.is_empty());
        is_whole &= batch.is_whole();
        let mut own_texts = Vec::new();
        for index in 0..batch.len() {
            let document = batch.document(index);
            if let Err(skipped) = &document {
                let said = skipped.to_string();
                assert_eq!((&*skipped.path, skipped.line), (path, Some(found.len() as u64 + 1)), "{said}");
            }
            own_texts.push(match &document {
                Ok(Some(document)) => {
                    batch.rewritten(index, document, New::Text(&document.text)).expect("there is a document")
                }
                _ => Kept::as_read(),
            });
            found.push(Found::of(&document));
        }
        let as_read = || (0..batch.len()).map(|_| Kept::as_read()).collect();
        for (writer, kept) in writers.iter_mut().zip([as_read(), as_read(), own_texts]) {
            writer.write(&batch, kept).expect("written");
        }
    }
    assert!(records.next_batch().is_none(), "something comes after the end");
    assert_eq!(found.iter().all(Found::is_record), is_whole, "{found:?}");
    writers.into_iter().for_each(|writer| writer.finish().expect("finished"));
    Some(Read { found, packing, is_whole, as_read, by_record, rewritten })
}

fn writer<'s>(records: &Records, sink: &'s mut Vec<u8>, packing: Packing) -> RecordWriter<&'s mut Vec<u8>> {
    records.writer(sink, packing).expect("a writer")
}

/// With their own texts the records are the same documents, and remain what they are if that is done again.
fn check_rewritten(read: &Read, again: &Read) {
    let written = || text(&read.rewritten);
    assert!(again.is_whole, "{:?} in {}", again.found, written());
    let records: Vec<&Found> = read.found.iter().filter(|found| found.is_record()).collect();
    assert_eq!(records.len(), again.found.len(), "{}", written());
    for (before, after) in records.iter().zip(&again.found) {
        check_same(before, after, read.is_whole);
    }
    // A text that is read otherwise the second time is written otherwise, too.
    if records.into_iter().all(is_read_back) {
        assert_eq!(text(&again.rewritten), written(), "written twice");
    }
}

fn check_same(before: &Found, after: &Found, has_numbers: bool) {
    let Found::Document { id, source, url, text } = before else {
        return assert_eq!(before, after);
    };
    match after {
        _ if !is_read_back(before) => {}
        // An empty text is none.
        Found::Nothing => assert!(text.trim_ascii().is_empty(), "{before:?} is lost"),
        Found::Document { id: new_id, source: new_source, url: new_url, text: new_text } => {
            assert_eq!((new_source, new_url, new_text), (source, url, text));
            // A name is that of the page, made from it, or where the record stands.
            assert!(new_id == id || new_id.starts_with("urn:uuid:") || !has_numbers, "{id} became {new_id}");
        }
        Found::Skipped(reason) => panic!("{before:?} is skipped: {reason}"),
    }
}

/// Whether what a record holds is read again as it was: in UTF-8, a text with control characters may pass for binary or
/// for another encoding, and a byte order mark is no part of it.
fn is_read_back(found: &Found) -> bool {
    let Found::Document { text, .. } = found else { return true };
    !text.starts_with('\u{feff}') && !text.contains(|c: char| c.is_ascii_control() && !c.is_ascii_whitespace())
}

/// Empty lines before the first record belong to none.
fn without_empty_lines(file: &[u8]) -> &[u8] {
    match file {
        [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] => without_empty_lines(rest),
        _ => file,
    }
}

fn is_subsequence(part: &[u8], whole: &[u8]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|byte| rest.any(|other| other == byte))
}

/// Bytes as a message shows them, different if they are.
fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
