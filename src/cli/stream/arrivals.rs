//! Documents as they arrive: read, and split into what the table of their source can know of.
//!
//! Takes the files of an inventory; gives their documents in order, some at a time, each with its tokens and segments. All
//! of that depends on the one document alone, so a thread reads ahead, and the documents of a batch are read in parallel.

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use rayon::prelude::*;

use dehusk::cleaning::Reading;
use dehusk::corpus::{Batch, Content, Document, InputFile, Inventory, Kept, New, Records, Skipped};
use dehusk::incremental::segments::{Segment, segments};
use dehusk::tokens::MutableSet;

use crate::cli::clean::cleaners::{Bench, Cleaners};
use crate::cli::clean::document::{Place, Written};
use crate::cli::clean::{BYTE_ORDER_MARK, pieces};
use crate::cli::interrupt;

/// Some documents that follow each other.
pub struct Arrivals {
    /// What was read of each record, or file.
    pub arrived: Vec<Arrived>,
    /// How many bytes of the input were read for them.
    pub bytes: u64,
    origin: Origin,
}

/// A document, nothing, or why it is left out.
pub type Arrived = Result<Option<Arrival>, String>;

/// A document that was read.
pub struct Arrival {
    pub document: Document,
    pub reading: Reading,
    pub segments: Vec<Segment>,
}

/// Where documents come from.
enum Origin {
    /// Records of a file, but for the first few.
    Records { batch: Batch, taken: usize, is_jsonl: bool },
    /// A file each.
    Files(Vec<PathBuf>),
    /// Why nothing more can be read of a file.
    Nothing,
}

/// Reads documents.
pub struct Arriving<'a> {
    pub cleaners: &'a Cleaners<'a>,
    pub mutable: &'a MutableSet,
    /// How many records of a file earlier runs took, or whether they took the file that is a document.
    pub taken: &'a (dyn Fn(&InputFile) -> u64 + Sync),
}

impl Arriving<'_> {
    /// Reads all documents that no earlier run took, and hands them to `take` in order.
    pub fn each(
        &self,
        inventory: &Inventory,
        mut take: impl FnMut(Arrivals) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for files in pieces(inventory.files()) {
            interrupt::check()?;
            match &files[0] {
                file if file.holds_many() => self.each_of_records(inventory, file, &mut take)?,
                _ => {
                    let files: Vec<&InputFile> = files.iter().filter(|file| (self.taken)(file) == 0).collect();
                    if !files.is_empty() {
                        take(self.of_files(inventory, &files))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn each_of_records(
        &self,
        inventory: &Inventory,
        file: &InputFile,
        take: &mut impl FnMut(Arrivals) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut records = match inventory.open(file) {
            Ok(Content::Records(records)) => records,
            Ok(Content::Document(..)) => return Ok(()),
            Err(skipped) => return take(nothing(skipped)),
        };
        let taken = (self.taken)(file);
        thread::scope(|scope| {
            let (send, ready) = mpsc::sync_channel(0);
            scope.spawn(move || {
                while let Some(arrivals) = self.next(&mut records, taken) {
                    // If nobody takes them any more, something has failed, and that error tells.
                    if interrupt::check().is_err() || send.send(arrivals).is_err() {
                        return;
                    }
                }
            });
            let mut before = 0;
            for mut arrivals in ready {
                arrivals.bytes = arrivals.bytes.saturating_sub(before);
                before += arrivals.bytes;
                take(arrivals)?;
            }
            Ok(interrupt::check()?)
        })
    }

    fn next(&self, records: &mut Records, taken: u64) -> Option<Arrivals> {
        let batch = loop {
            match records.next_batch()? {
                Ok(batch) if batch.number(batch.len()) <= taken + 1 => {}
                Ok(batch) => break batch,
                Err(skipped) => return Some(nothing(skipped)),
            }
        };
        let taken = (taken + 1).saturating_sub(batch.number(0)) as usize;
        let file = batch.path().display().to_string();
        let read = |bench: &mut Bench, index| {
            let place = Place { file: &file, record: Some(batch.number(index)) };
            self.arrived(batch.document(index), place, bench)
        };
        let arrived = (taken..batch.len()).into_par_iter().map_init(Bench::default, read).collect();
        let origin = Origin::Records { batch, taken, is_jsonl: records.is_jsonl() };
        Some(Arrivals { arrived, bytes: records.bytes_read(), origin })
    }

    fn of_files(&self, inventory: &Inventory, files: &[&InputFile]) -> Arrivals {
        let read = |bench: &mut Bench, file: &&InputFile| {
            let document = match inventory.open(file) {
                Ok(Content::Document(document, _)) => Ok(Some(*document)),
                Ok(Content::Records(_)) => Ok(None),
                Err(skipped) => Err(skipped),
            };
            let name = file.path().display().to_string();
            self.arrived(document, Place { file: &name, record: None }, bench)
        };
        let arrived = files.par_iter().map_init(Bench::default, read).collect();
        let paths: Vec<PathBuf> = files.iter().map(|file| file.path()).collect();
        let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let bytes = paths.iter().map(size).sum();
        Arrivals { arrived, bytes, origin: Origin::Files(paths) }
    }

    fn arrived(&self, document: Result<Option<Document>, Skipped>, place: Place, bench: &mut Bench) -> Arrived {
        let Some(document) = document.map_err(|skipped| skipped.to_string())? else { return Ok(None) };
        let (source, scratch) = self.cleaners.of(document.source.as_str(), bench);
        let reading = source.cleaner.read(scratch, &document.text).map_err(|error| format!("{place}: {error}"))?;
        let segments = segments(&document.text, &reading.tokens, self.mutable, document.outline.as_deref());
        Ok(Some(Arrival { document, reading, segments }))
    }
}

impl Arrivals {
    /// Where one of them stands.
    pub fn with_place<T>(&self, index: usize, tell: impl FnOnce(Place) -> T) -> T {
        match &self.origin {
            Origin::Records { batch, taken, .. } => {
                tell(Place { file: &batch.path().display().to_string(), record: Some(batch.number(taken + index)) })
            }
            Origin::Files(paths) => tell(Place { file: &paths[index].display().to_string(), record: None }),
            Origin::Nothing => tell(Place { file: "", record: None }),
        }
    }

    /// Whether each is a line of JSON already.
    pub fn are_lines(&self) -> bool {
        matches!(self.origin, Origin::Records { is_jsonl: true, .. })
    }

    /// How many records of which file are taken with these.
    pub fn taken(&self) -> Vec<(PathBuf, u64)> {
        match &self.origin {
            Origin::Records { batch, .. } => vec![(batch.path().to_owned(), batch.number(batch.len()) - 1)],
            Origin::Files(paths) => paths.iter().map(|path| (path.clone(), 1)).collect(),
            Origin::Nothing => Vec::new(),
        }
    }

    /// The line that is written for one of them, with its line end.
    pub fn line(&self, index: usize, document: &Document, written: Written) -> Result<Vec<u8>, Skipped> {
        let kept = |new| match &self.origin {
            Origin::Records { batch, taken, .. } => {
                let kept = new_or_old(batch, taken + index, document, new)?;
                Ok(batch.written(taken + index, &kept).to_vec())
            }
            Origin::Files(_) | Origin::Nothing => Ok(Vec::new()),
        };
        let line = match &written {
            Written::Line(line) => Ok(line.clone().into_bytes()),
            Written::AsRead => kept(None),
            Written::Text(text) => kept(Some(New::Text(text))),
            Written::Page(page) => kept(Some(New::Page(page))),
        };
        line.map(whole)
    }
}

fn new_or_old(batch: &Batch, index: usize, document: &Document, new: Option<New>) -> Result<Kept, Skipped> {
    new.map_or_else(|| Ok(Kept::as_read()), |new| batch.rewritten(index, document, new))
}

/// A line as it can stand among others: it ends, and does not begin with the mark that a file may begin with.
fn whole(mut line: Vec<u8>) -> Vec<u8> {
    if line.starts_with(BYTE_ORDER_MARK) {
        line.drain(..BYTE_ORDER_MARK.len());
    }
    if !line.ends_with(b"\n") {
        line.push(b'\n');
    }
    line
}

fn nothing(skipped: Skipped) -> Arrivals {
    Arrivals { arrived: vec![Err(skipped.to_string())], bytes: 0, origin: Origin::Nothing }
}
