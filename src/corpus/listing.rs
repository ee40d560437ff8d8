//! Which documents there are of each source.
//!
//! Takes the files of an inventory; gives for each source where its documents lie, 24 bytes for each.
//! A document that is a file of its own is not opened; a JSONL file is read once, many lines at a time.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::jsonl::SourceName;
use super::{FileKind, InputFile, Inventory, JsonLines, Line, Reason, Skipped, SourceId};

/// How many lines are parsed in parallel at a time: enough work for many threads, small to hold.
const BATCH_LINES: usize = 4096;

/// Where a document lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentRef {
    file: u32,
    line_bytes: u32,
    line_start: u64,
    /// 0 if the whole file is the document.
    line_number: u64,
}

/// The documents of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceListing {
    /// The source.
    pub id: SourceId,
    /// Its documents, sorted by file, and within a JSONL file in the file's order.
    pub documents: Vec<DocumentRef>,
}

/// The documents of all sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Sorted by source.
    pub listings: Vec<SourceListing>,
    /// The JSONL files and lines that belong to none, sorted by file and line.
    pub skipped: Vec<Skipped>,
}

impl DocumentRef {
    /// The number of its file.
    pub(super) fn file(&self) -> usize {
        self.file as usize
    }

    /// Its line, if it lies in a JSONL file.
    pub(super) fn line(&self) -> Option<Line> {
        // it was a position in memory before, so it fits
        let start = self.line_start as usize;
        (self.line_number > 0)
            .then(|| Line { number: self.line_number, range: start..start + self.line_bytes as usize })
    }

    fn of_file(file: u32) -> DocumentRef {
        DocumentRef { file, line_bytes: 0, line_start: 0, line_number: 0 }
    }

    fn of_line(file: u32, line: &Line) -> Result<DocumentRef, Reason> {
        let bytes = line.range.len();
        Ok(DocumentRef {
            file,
            line_bytes: u32::try_from(bytes).map_err(|_| Reason::TooLarge(bytes as u64))?,
            line_start: line.range.start as u64,
            line_number: line.number,
        })
    }
}

/// Lists the documents of all files in `inventory` by source.
pub(super) fn list_sources(inventory: &Inventory) -> Sources {
    let is_jsonl = |&(_, file): &(u32, &InputFile)| file.kind() == FileKind::JsonLines;
    let jsonl: Vec<(u32, &InputFile)> = (0..).zip(inventory.files()).filter(is_jsonl).collect();
    let listed = jsonl.into_par_iter().map(|(index, _)| (index, list_file(inventory, index)));
    let mut listed_files: FxHashMap<u32, Listed> = listed.collect();
    let mut all = Listed::default();
    for (index, file) in (0..).zip(inventory.files()) {
        match (listed_files.remove(&index), file.source()) {
            (Some(listed), _) => all.append(listed),
            (None, Some(source)) => all.add(source, DocumentRef::of_file(index)),
            (None, None) => {}
        }
    }
    all.sorted()
}

/// Lists the documents of a JSONL file.
fn list_file(inventory: &Inventory, index: u32) -> Listed {
    let mut listed = Listed::default();
    match inventory.shared_lines(index as usize) {
        Ok(lines) => listed.add_lines(index, &lines),
        Err(skipped) => listed.skipped.push(skipped),
    }
    listed
}

/// Documents by source, in the order in which they came.
#[derive(Default)]
struct Listed {
    documents: FxHashMap<SourceId, Vec<DocumentRef>>,
    skipped: Vec<Skipped>,
}

impl Listed {
    fn add_lines(&mut self, file: u32, lines: &JsonLines) {
        let mut all = lines.lines();
        loop {
            let batch: Vec<Line> = all.by_ref().take(BATCH_LINES).collect();
            if batch.is_empty() {
                return;
            }
            let sources: Vec<_> = batch.par_iter().with_min_len(64).map(|line| lines.source(line)).collect();
            for (line, source) in batch.iter().zip(sources) {
                self.add_line(file, lines, line, source);
            }
        }
    }

    fn add_line(&mut self, file: u32, lines: &JsonLines, line: &Line, source: Result<Option<SourceName>, Reason>) {
        let added = source.and_then(|source| match source {
            Some(name) => self.add_named(&name, DocumentRef::of_line(file, line)?),
            None => Ok(()),
        });
        if let Err(reason) = added {
            self.skipped.push(lines.skipped(line, reason));
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
        for (source, mut documents) in later.documents {
            self.documents.entry(source).or_default().append(&mut documents);
        }
    }

    fn sorted(self) -> Sources {
        let documents = self.documents.into_iter();
        let mut listings: Vec<SourceListing> =
            documents.map(|(id, documents)| SourceListing { id, documents }).collect();
        listings.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Sources { listings, skipped: self.skipped }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{inventory, plain, tree};
    use super::*;

    #[test]
    fn documents_are_listed_by_source_and_can_be_read() {
        let folder = tree(&[
            ("c/b/2.txt", b"b 2"),
            ("c/b/1.html", b"<p>b 1</p>"),
            ("c/a/lines.jsonl", b"{\"text\":\"a 1\"}\n\n{\"text\":\"b 3\",\"source\":\"b\"}\n"),
            (
                "c/all.jsonl",
                b"{\"url\":\"http://www.b/\",\"text\":\"b 0\"}\n{\"text\":\"\"}\n{\"source\":\"_\",\"text\":\"\"}",
            ),
        ]);
        let inventory = inventory(&folder, "c");
        let sources = inventory.sources();
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
        assert!(skipped[0].starts_with("c/all.jsonl:2: has neither \"source\""), "{skipped:?}");
        assert!(skipped[1].starts_with("c/all.jsonl:3: the source name \"_\""), "{skipped:?}");
        assert_eq!(skipped.len(), 2);
    }

    #[test]
    fn a_place_takes_24_bytes() {
        assert_eq!(size_of::<DocumentRef>(), 24);
    }

    #[test]
    fn many_batches_keep_their_order() {
        let line = |i: usize| format!("{{\"source\":\"s{}\",\"text\":\"{i}\"}}\n", i % 3);
        let lines: String = (0..3 * BATCH_LINES).map(line).collect();
        let folder = tree(&[("x.jsonl", lines.as_bytes())]);
        let inventory = inventory(&folder, "x.jsonl");
        let sources = inventory.sources();
        assert_eq!(sources.listings.len(), 3);
        for (source, listing) in sources.listings.iter().enumerate() {
            assert_eq!(listing.documents.len(), BATCH_LINES);
            for (i, place) in listing.documents.iter().enumerate() {
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
        let sources = inventory.sources();
        let place = DocumentRef { line_start: 1000, ..sources.listings[0].documents[0] };
        let skipped = inventory.read(&place).expect_err("a reason");
        assert_eq!(plain(&folder, skipped), "x.jsonl:1: changed while it was read");
    }
}
