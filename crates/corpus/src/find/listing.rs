//! Lists the documents of each source.
//!
//! Takes the files of an inventory. Returns for each source the positions of its documents, 24 bytes for each. A file
//! that is one document is not opened. A file with many documents is read once, many records at a time. For lines of
//! uncompressed files, the position in the file is noted. Documents that can only be read from front to back are stored
//! in a temporary file.

use std::io;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::formats::json::{JsonRecords, Line};
use crate::read::spool::Spool;
use crate::skipped::{NAMED_ALIKE, kind};
use crate::{Batch, InputFile, Inventory, Reason, Records, ScanError, Skipped, SourceId};

/// The position of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentRef {
    file: u32,
    bytes: u32,
    start: u64,
    /// The number of its record in the file. 0 if the whole file is the document. [`PUT_BY`] is added if the document
    /// was stored in the temporary file.
    number: u64,
}

const PUT_BY: u64 = 1 << 63;

/// Where to read a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    /// The whole file.
    File,
    /// A line of a file that can be read in any order.
    Line { start: u64, bytes: usize, number: u64 },
    /// The temporary file.
    Spool { start: u64, bytes: usize, number: u64 },
}

/// The documents of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceListing {
    /// The source.
    pub id: SourceId,
    /// Its documents, sorted by file. The documents of one file are in the order of the file.
    pub documents: Vec<DocumentRef>,
}

/// The documents of all sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Sorted by source.
    pub listings: Vec<SourceListing>,
    /// The files and records that belong to no source, sorted by file and number. There may be millions, so only the
    /// first 3 of each file with the same kind of reason are here.
    pub skipped: Vec<Skipped>,
    /// The number of such files and records that are not in `skipped`.
    pub more_skipped: usize,
}

impl DocumentRef {
    /// The index of its file.
    pub(crate) fn file(&self) -> usize {
        self.file as usize
    }

    /// Its position.
    pub(crate) fn place(&self) -> Location {
        let (start, bytes) = (self.start, self.bytes as usize);
        match self.number {
            0 => Location::File,
            number if number & PUT_BY == 0 => Location::Line { start, bytes, number },
            number => Location::Spool { start, bytes, number: number & !PUT_BY },
        }
    }

    fn of_file(file: u32) -> DocumentRef {
        DocumentRef { file, bytes: 0, start: 0, number: 0 }
    }

    fn of_line(file: u32, lines: &JsonRecords, line: &Line) -> DocumentRef {
        // A document whose size does not fit in 32 bits was refused before.
        let bytes = line.range.len() as u32;
        DocumentRef { file, bytes, start: lines.place(line), number: line.number }
    }

    fn put_by(file: u32, start: u64, bytes: usize, number: u64) -> DocumentRef {
        DocumentRef { file, bytes: bytes as u32, start, number: number | PUT_BY }
    }
}

/// Lists the documents of all files in `inventory` by source.
pub(crate) fn list_sources(inventory: &Inventory, tell: &(dyn Fn(&Skipped) + Sync)) -> Result<Sources, ScanError> {
    inventory.keep_stdin().map_err(ScanError::NoRoom)?;
    let has_many = |&(_, file): &(u32, &InputFile)| file.holds_many();
    let files: Vec<(u32, &InputFile)> = (0..).zip(inventory.files()).filter(has_many).collect();
    let list = |(index, file)| Ok((index, list_file(inventory, index, file, tell).map_err(ScanError::NoRoom)?));
    let mut listed_files = files.into_par_iter().map(list).collect::<Result<FxHashMap<u32, Listed>, ScanError>>()?;
    let mut all = Listed::new(tell);
    for (index, file) in (0..).zip(inventory.files()) {
        match (listed_files.remove(&index), file.source()) {
            (Some(listed), _) => all.append(listed),
            (None, Some(source)) => all.add(source, DocumentRef::of_file(index)),
            (None, None) => {}
        }
    }
    Ok(all.sorted())
}

/// Lists the documents of a file that contains many. Fails if documents must be stored temporarily and cannot be.
fn list_file<'t>(
    inventory: &Inventory,
    index: u32,
    file: &InputFile,
    tell: &'t (dyn Fn(&Skipped) + Sync),
) -> io::Result<Listed<'t>> {
    let mut listed = Listed::new(tell);
    match inventory.records(file) {
        Ok(records) => listed.add_records(index, records, inventory.spool())?,
        Err(skipped) => listed.skip(skipped),
    }
    Ok(listed)
}

/// Documents by source, in the order in which they were found.
struct Listed<'t> {
    documents: FxHashMap<SourceId, Vec<DocumentRef>>,
    skipped: Vec<Skipped>,
    more_skipped: usize,
    /// The number of skipped documents for each kind of reason.
    kinds: FxHashMap<String, usize>,
    /// Called with each skipped document that `skipped` does not name.
    tell: &'t (dyn Fn(&Skipped) + Sync),
}

impl<'t> Listed<'t> {
    fn new(tell: &'t (dyn Fn(&Skipped) + Sync)) -> Listed<'t> {
        let (documents, kinds) = (FxHashMap::default(), FxHashMap::default());
        Listed { documents, skipped: Vec::new(), more_skipped: 0, kinds, tell }
    }

    /// Adds all documents of a file. Documents that cannot be read again from the file are stored.
    fn add_records(&mut self, file: u32, mut records: Records, spool: &Spool) -> io::Result<()> {
        let lies_open = records.lies_open();
        while let Some(batch) = records.next_batch() {
            match batch {
                Ok(batch) => match batch.json().filter(|_| lies_open) {
                    Some((lines, at)) => self.add_lines(file, &batch, lines, at),
                    None => self.put_batch_by(file, &batch, spool)?,
                },
                Err(skipped) => self.skip(skipped),
            }
        }
        Ok(())
    }

    fn add_lines(&mut self, file: u32, batch: &Batch, lines: &JsonRecords, at: &[Line]) {
        let sources: Vec<_> = at.par_iter().with_min_len(64).map(|line| lines.source(line)).collect();
        for (index, (line, source)) in at.iter().zip(sources).enumerate() {
            let added = source.and_then(|source| match source {
                Some(name) => self.add_named(&name, DocumentRef::of_line(file, lines, line)),
                None => Ok(()),
            });
            if let Err(reason) = added {
                self.skip(batch.skipped(index, reason));
            }
        }
    }

    fn put_batch_by(&mut self, file: u32, batch: &Batch, spool: &Spool) -> io::Result<()> {
        // A document is stored as soon as it is read, so that few of them are in memory.
        let put = |index| match batch.document(index) {
            Ok(Some(document)) => {
                let (start, bytes) = spool.put(&document)?;
                Ok(Some(Ok((document.source, DocumentRef::put_by(file, start, bytes, batch.number(index))))))
            }
            Ok(None) => Ok(None),
            Err(skipped) => Ok(Some(Err(skipped))),
        };
        let all: Vec<Option<Result<(SourceId, DocumentRef), Skipped>>> =
            (0..batch.len()).into_par_iter().map(put).collect::<io::Result<_>>()?;
        for put in all.into_iter().flatten() {
            match put {
                Ok((source, document)) => self.add(&source, document),
                Err(skipped) => self.skip(skipped),
            }
        }
        Ok(())
    }

    fn skip(&mut self, skipped: Skipped) {
        let alike = self.kinds.entry(kind(&skipped.reason.to_string())).or_default();
        *alike += 1;
        if *alike <= NAMED_ALIKE {
            self.skipped.push(skipped);
        } else {
            self.more_skipped += 1;
            (self.tell)(&skipped);
        }
    }

    fn add_named(&mut self, name: &str, document: DocumentRef) -> Result<(), Reason> {
        match self.documents.get_mut(name) {
            Some(documents) => documents.push(document),
            None => self.add(&SourceId::parse(name)?, document),
        }
        Ok(())
    }

    fn add(&mut self, source: &SourceId, document: DocumentRef) {
        match self.documents.get_mut(source) {
            Some(documents) => documents.push(document),
            None => drop(self.documents.insert(source.clone(), vec![document])),
        }
    }

    fn append(&mut self, later: Listed) {
        self.skipped.extend(later.skipped);
        self.more_skipped += later.more_skipped;
        for (source, mut documents) in later.documents {
            self.documents.entry(source).or_default().append(&mut documents);
        }
    }

    fn sorted(self) -> Sources {
        let documents = self.documents.into_iter();
        let mut listings: Vec<SourceListing> =
            documents.map(|(id, documents)| SourceListing { id, documents }).collect();
        listings.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Sources { listings, skipped: self.skipped, more_skipped: self.more_skipped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{inventory, plain, scan, tree};

    #[test]
    fn documents_are_listed_by_source_and_can_be_read() {
        let folder = tree(&[
            ("c/b/2.txt", b"b 2"),
            ("c/b/1.html", b"<p>b 1</p>"),
            ("c/a/lines.jsonl", b"{\"text\":\"a 1\"}\n\n{\"text\":\"b 3\",\"source\":\"b\"}\n"),
            (
                "c/all.jsonl",
                b"{\"url\":\"http://www.b/\",\"text\":\"b 0\"}\n{\"source\":5,\"text\":\"\"}\n{\"source\":\"_\",\"text\":\"\"}",
            ),
        ]);
        let inventory = inventory(&folder, "c");
        let sources = inventory.sources().expect("sources");
        let texts: Vec<(&str, Vec<String>)> = sources
            .listings
            .iter()
            .map(|listing| {
                let read = |place| inventory.read(place).expect("a document").text.to_string();
                (listing.id.as_str(), listing.documents.iter().map(read).collect())
            })
            .collect();
        let expected: [(&str, &[&str]); 2] = [("a", &["a 1"]), ("b", &["b 0", "b 3", "b 1", "b 2"])];
        assert_eq!(texts, expected.map(|(id, texts)| (id, texts.iter().map(ToString::to_string).collect())));
        let skipped: Vec<String> = sources.skipped.iter().map(|skipped| plain(&folder, skipped)).collect();
        assert!(skipped[0].starts_with("c/all.jsonl:2: the value of \"source\""), "{skipped:?}");
        assert!(skipped[1].starts_with("c/all.jsonl:3: the source name \"_\""), "{skipped:?}");
        assert_eq!(skipped.len(), 2);
    }

    #[test]
    fn of_many_that_are_skipped_few_are_kept() {
        let line = |i: usize| {
            if i.is_multiple_of(2) { "no JSON\n".to_owned() } else { format!("{{\"source\":5,\"text\":\"{i}\"}}\n") }
        };
        let lines: String = (0..200).map(line).collect();
        let folder = tree(&[("x.jsonl", lines.as_bytes()), ("y.jsonl", lines.as_bytes())]);
        let inventory = scan(&folder, &["x.jsonl", "y.jsonl"]).expect("files");
        let told = std::sync::Mutex::new(Vec::new());
        let tell = |skipped: &Skipped| told.lock().expect("a list").push(plain(&folder, skipped.place()));
        let sources = inventory.sources_and_tell(&tell).expect("no sources");
        let kept: Vec<String> = sources.skipped.iter().map(|skipped| plain(&folder, skipped.place())).collect();
        let expected = |file: &'static str| (1..=6).map(move |line| format!("{file}.jsonl:{line}"));
        assert_eq!(kept, expected("x").chain(expected("y")).collect::<Vec<_>>());
        let told = told.into_inner().expect("a list");
        assert_eq!((told.len(), sources.more_skipped), (2 * 194, 2 * 194));
        assert!(!told.iter().any(|place| kept.contains(place)));
    }

    #[test]
    fn a_place_takes_24_bytes() {
        assert_eq!(size_of::<DocumentRef>(), 24);
    }

    #[test]
    fn many_batches_keep_their_order() {
        let line = |i: usize| format!("{{\"source\":\"s{}\",\"text\":\"{i}\"}}\n", i % 3);
        const LINES: usize = 90_000;
        let lines: String = (0..3 * LINES).map(line).collect();
        let folder = tree(&[("x.jsonl", lines.as_bytes())]);
        let inventory = inventory(&folder, "x.jsonl");
        let sources = inventory.sources().expect("sources");
        assert_eq!(sources.listings.len(), 3);
        for (source, listing) in sources.listings.iter().enumerate() {
            assert_eq!(listing.documents.len(), LINES);
            for (i, place) in listing.documents.iter().enumerate().step_by(97) {
                let document = inventory.read(place).expect("a document");
                assert_eq!(*document.text, (3 * i + source).to_string());
                assert_eq!(document.id, (3 * i + source + 1).to_string());
            }
        }
    }

    #[test]
    fn a_file_that_was_changed_is_noticed() {
        let folder = tree(&[("x.jsonl", b"{\"source\":\"a\",\"text\":\"1\"}")]);
        let inventory = inventory(&folder, "x.jsonl");
        let sources = inventory.sources().expect("sources");
        let place = DocumentRef { start: 1000, ..sources.listings[0].documents[0] };
        let skipped = inventory.read(&place).expect_err("a reason");
        assert_eq!(plain(&folder, skipped), "x.jsonl:1: changed while it was read");
    }
}
