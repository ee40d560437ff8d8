//! Stores documents in a temporary file, to read them again in any order.
//!
//! Mining reads one source at a time, whatever files its documents are in. Compressed files, archives and standard
//! input can only be read from front to back. So their documents are written to a temporary file. This file has no
//! name, and the system removes it when the program ends, in whatever way. It is in the system's folder for temporary
//! files (`TMPDIR`).
//!
//! A document is stored as its text. If pages are requested, it is stored as its page. Then its text, tree and other
//! parts are computed again whenever it is read.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::read::memory::{Claim, Kind, Patience};
use crate::read::open_file::OpenFile;
use crate::read::reading::View;
use crate::{Document, ReadOptions, Reason, SourceId};

/// Size of a record's header: 3 lengths of 4 bytes, and the kind of content.
const HEADER_BYTES: usize = 13;

const TEXT: u8 = 0;
const VIEW: u8 = 1;
const PAGE: u8 = 2;

/// Documents in a temporary file.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    /// `None` until a document is stored.
    file: Mutex<Option<SpoolFile>>,
}

#[derive(Debug)]
struct SpoolFile {
    file: File,
    end: u64,
    /// The file, opened for reading. Its length may be older than `end`, from before the last documents were stored.
    readable: Arc<OpenFile>,
}

impl Spool {
    /// Stores a document. Returns its position and its length in bytes.
    pub(crate) fn put(&self, document: &Document) -> io::Result<(u64, usize)> {
        let mut bytes = Vec::new();
        write(document, &mut bytes);
        let mut spool = self.lock();
        let SpoolFile { file, end, .. } = match &mut *spool {
            Some(spool) => spool,
            none => {
                let file = tempfile::tempfile()?;
                let readable = Arc::new(OpenFile::of(file.try_clone()?)?);
                none.insert(SpoolFile { file, end: 0, readable })
            }
        };
        file.write_all(&bytes)?;
        let start = *end;
        *end += bytes.len() as u64;
        Ok((start, bytes.len()))
    }

    /// The document of `length` bytes at `start`. If its page was stored, the page is read with these options.
    pub(crate) fn read(&self, start: u64, length: usize, options: &ReadOptions) -> Result<Document, Reason> {
        let end = start.checked_add(length as u64).ok_or(Reason::Changed)?;
        let record = self.until(end)?.bytes(start, length)?;
        read(&record, options).unwrap_or(Err(Reason::Changed))
    }

    fn until(&self, end: u64) -> Result<Arc<OpenFile>, Reason> {
        let mut spool = self.lock();
        let spool = spool.as_mut().ok_or(Reason::Changed)?;
        if spool.readable.length() < end {
            spool.readable = Arc::new(OpenFile::of(spool.file.try_clone()?)?);
        }
        Ok(Arc::clone(&spool.readable))
    }

    fn lock(&self) -> MutexGuard<'_, Option<SpoolFile>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write(document: &Document, bytes: &mut Vec<u8>) {
    let (kind, content) = match &document.page {
        Some(page) => (PAGE, page.markup.as_str()),
        None => (if document.is_view { VIEW } else { TEXT }, document.text.as_str()),
    };
    let parts = [document.id.as_str(), document.source.as_str(), content];
    for part in parts {
        // The size fits, because larger documents were refused.
        bytes.extend((part.len() as u32).to_le_bytes());
    }
    bytes.push(kind);
    parts.iter().for_each(|part| bytes.extend(part.as_bytes()));
}

/// Reads a record. `None` if it does not contain a document.
fn read(record: &[u8], options: &ReadOptions) -> Option<Result<Document, Reason>> {
    let (header, mut rest) = record.split_at_checked(HEADER_BYTES)?;
    let mut part = |index: usize| {
        let length = header[4 * index..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes))?;
        let (part, after) = rest.split_at_checked(length as usize)?;
        rest = after;
        str::from_utf8(part).ok()
    };
    let (id, source, content) = (part(0)?.to_owned(), SourceId::parse(part(1)?).ok()?, part(2)?);
    let kind = header[HEADER_BYTES - 1];
    let claim = |kind| Claim::new(options, Patience::Waits, kind, content.len() as u64);
    let view = || match kind {
        PAGE => View::of(content.into(), options, claim(Kind::Page)?),
        _ => View::plain(content.to_owned(), claim(Kind::Text)?),
    };
    let document = view().and_then(|view| view.document(id, source, options));
    Some(document.map(|document| Document { is_view: kind == VIEW || document.is_view, ..document }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: &str, text: &str) -> Document {
        let source = SourceId::parse("a.com").expect("a name");
        Document { is_view: true, ..Document::new(id.to_owned(), source, text.into()) }
    }

    #[test]
    fn what_is_put_by_is_read_in_any_order() {
        let spool = Spool::default();
        let put = |id, text| spool.put(&document(id, text)).expect("put by");
        let (first, second) = (put("1", "größe"), put("2", ""));
        let options = ReadOptions::default();
        assert!(spool.read(first.0, first.1, &options).is_ok());
        let third = put("3", "x");
        let text = |(start, length)| {
            let read = spool.read(start, length, &options).expect("read");
            format!("{} {} {} {}", read.source, read.id, read.text, read.is_view)
        };
        assert_eq!(text(third), "a.com 3 x true");
        assert_eq!(text(second), "a.com 2  true");
        assert_eq!(text(first), "a.com 1 größe true");
    }

    #[test]
    fn a_wrong_place_is_noticed() {
        let spool = Spool::default();
        assert_eq!(spool.read(0, 20, &ReadOptions::default()).map(|_| ()), Err(Reason::Changed));
    }
}
