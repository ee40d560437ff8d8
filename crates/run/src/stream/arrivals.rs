//! Reads documents as they arrive, and splits them into tokens and segments.
//!
//! Takes the files of an inventory. Gives their documents in order, in batches, each with its tokens and segments.
//! These depend on one document alone, so a thread reads ahead, and the documents of a batch are read in parallel.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;

use rayon::prelude::*;

use crate::clean::cleaners::CleaningScratch;
use crate::clean::document::{DocumentCleaner, DocumentName, Written};
use crate::clean::{BYTE_ORDER_MARK, pieces};
use crate::error::PipelineError;
use crate::left_out::LeftOut;
use crate::observer::Observer;
use crate::reading::size_of;
use crate::waves::{in_waves, pass_on};
use crate::workers::{join, spawn};
use dehusk_core::cleaning::Reading;
use dehusk_core::streaming::learner::SegmentedDocument;
use dehusk_core::streaming::segments::{TextSegment, segments};
use dehusk_core::tokens::MutableSet;
use dehusk_corpus::{Batch, Content, Document, InputFile, Inventory, Kept, New, Records, Skipped};

/// Consecutive documents.
pub struct Arrivals {
    /// The result of reading each record or file.
    pub arrived: Vec<Arrived>,
    /// Number of bytes of input that were read for these documents.
    pub bytes: u64,
    /// A message about the last line of a file, if it is not complete yet and may become a document later.
    pub unfinished: Option<LeftOut>,
    origin: Origin,
}

/// A document, nothing, or the reason why it is left out.
pub type Arrived = Result<Option<Box<Arrival>>, LeftOut>;

/// The content of a file or of a record.
type ReadDocument = Result<Option<Document>, Skipped>;

/// A document that was read.
pub struct Arrival {
    pub document: Document,
    pub reading: Reading,
    pub segments: Vec<TextSegment>,
}

/// The origin of documents.
enum Origin {
    /// Records of a file, without those that earlier runs took. `taken` is the number of records of the file that are
    /// taken by now, including these.
    Records { batch: Arc<Batch>, before: usize, taken: u64, is_jsonl: bool },
    /// Files of one document each.
    Files(Vec<PathBuf>),
    /// No document, but the reason why the rest of a file cannot be read.
    Nothing,
}

/// Reads the documents.
pub struct Arriving<'a> {
    pub documents: &'a DocumentCleaner<'a>,
    pub observer: &'a dyn Observer,
    pub mutable: &'a MutableSet,
    /// Number of records of a file that earlier runs took. For a file of one document, more than 0 if they took it.
    /// `None` if this is not stored.
    pub taken: &'a (dyn Fn(&InputFile) -> Option<u64> + Sync),
}

impl Arriving<'_> {
    /// Reads all documents that no earlier run took, and passes them to `take` in order.
    pub fn each(
        &self,
        inventory: &Inventory,
        mut take: impl FnMut(Arrivals) -> Result<(), PipelineError>,
    ) -> Result<(), PipelineError> {
        let sizes: Vec<Option<u64>> = inventory.files().par_iter().map(size_of).collect();
        for (files, _) in pieces(inventory.files(), &sizes) {
            self.observer.go_on()?;
            match &files[0] {
                file if file.holds_many() => self.each_of_records(inventory, file, &mut take)?,
                _ => {
                    let files: Vec<&InputFile> = files.iter().filter(|file| !self.is_taken(file)).collect();
                    self.each_of_files(inventory, &files, &mut take)?;
                }
            }
        }
        Ok(())
    }

    fn each_of_records(
        &self,
        inventory: &Inventory,
        file: &InputFile,
        take: &mut impl FnMut(Arrivals) -> Result<(), PipelineError>,
    ) -> Result<(), PipelineError> {
        let records = match inventory.open(file) {
            Ok(Content::Records(records)) => records,
            Ok(Content::Document(..)) => return Ok(()),
            Err(skipped) => return take(nothing(skipped.into())),
        };

        let mut rest = Rest { file, records, taken: (self.taken)(file), read: 0 };
        thread::scope(|scope| {
            let (send, ready) = mpsc::sync_channel(0);
            let reader = spawn(scope, 1, move || {
                let mut pass_on = |arrivals| pass_on(&send, self.observer, arrivals);
                while let Some(batch) = rest.next_batch() {
                    let passed_on = match batch {
                        Ok(batch) => self.each_of_batch(Arc::new(batch), &rest, &mut pass_on),
                        Err(left_out) => pass_on(nothing(left_out)),
                    };
                    if passed_on.is_err() {
                        return;
                    }
                }
            })?;

            let mut before = 0;
            for mut arrivals in ready {
                arrivals.bytes = arrivals.bytes.saturating_sub(before);
                before += arrivals.bytes;
                take(arrivals)?;
            }
            join(reader)?;
            Ok(self.observer.go_on()?)
        })
    }

    /// Reads the documents of a batch that no earlier run took, and passes on as many at a time as there is memory for.
    fn each_of_batch(
        &self,
        batch: Arc<Batch>,
        rest: &Rest<'_>,
        pass_on: &mut impl FnMut(Arrivals) -> Result<(), ()>,
    ) -> Result<(), ()> {
        let (bytes, is_jsonl) = (rest.records.bytes_read(), rest.records.is_jsonl());
        let before = (rest.taken.unwrap_or(0) + 1).saturating_sub(batch.number(0)) as usize;
        let file = batch.path().display().to_string();
        let read = |index, patience| batch.read(before + index, patience);
        let arrived = |scratch: &mut CleaningScratch, index, document| {
            let place = DocumentName { file: &file, record: Some(batch.number(before + index)) };
            self.arrived(document, place, scratch)
        };
        let pass_on = |first, mut arrived: Vec<Arrived>| {
            let before = before + first;
            let end = before + arrived.len();
            let mut taken = batch.number(end) - 1;
            let mut unfinished = None;
            let is_whole = matches!(arrived.last(), Some(Ok(Some(_))));
            if end == batch.len() && rest.taken.is_some() && !is_whole && batch.may_be_cut_off() {
                taken -= 1;
                if is_jsonl {
                    unfinished = arrived.pop().and_then(Result::err);
                }
            }
            let origin = Origin::Records { batch: Arc::clone(&batch), before, taken, is_jsonl };
            pass_on(Arrivals { arrived, bytes, unfinished, origin })
        };
        in_waves(batch.len() - before, CleaningScratch::default, read, arrived, pass_on)
    }

    fn is_taken(&self, file: &InputFile) -> bool {
        (self.taken)(file).is_some_and(|taken| taken > 0)
    }

    fn each_of_files(
        &self,
        inventory: &Inventory,
        files: &[&InputFile],
        take: &mut impl FnMut(Arrivals) -> Result<(), PipelineError>,
    ) -> Result<(), PipelineError> {
        let read = |index: usize, patience| match inventory.open_with(files[index], patience)? {
            Content::Document(document, _) => Ok(Some(*document)),
            Content::Records(_) => Ok(None),
        };
        let arrived = |scratch: &mut CleaningScratch, index: usize, document| {
            let name = files[index].path().display().to_string();
            self.arrived(document, DocumentName { file: &name, record: None }, scratch)
        };
        in_waves(files.len(), CleaningScratch::default, read, arrived, |first, arrived: Vec<Arrived>| {
            let paths: Vec<PathBuf> = files[first..first + arrived.len()].iter().map(|file| file.path()).collect();
            let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
            let bytes = paths.iter().map(size).sum();
            take(Arrivals { arrived, bytes, unfinished: None, origin: Origin::Files(paths) })
        })
    }

    fn arrived(&self, document: ReadDocument, place: DocumentName, scratch: &mut CleaningScratch) -> Arrived {
        let Some(document) = document? else { return Ok(None) };
        let (source, scratch) = self.documents.cleaners.of(document.source.as_str(), false, scratch);
        let go_on = || self.observer.go_on().is_ok();
        let reading = source.cleaner.read_while(scratch, &document.text, &go_on);
        let reading = reading.map_err(|error| LeftOut::new(place, error))?;
        let segments = segments(&document.text, &reading.tokens, self.mutable, document.tree.as_deref());
        Ok(Some(Box::new(Arrival { document, reading, segments })))
    }
}

impl Arrival {
    /// The document in the form that a learner takes.
    pub fn page(&self) -> SegmentedDocument<'_> {
        let Arrival { document, reading, segments } = self;
        SegmentedDocument { text: &document.text, reading, segments, tree: document.tree.as_deref() }
    }
}

impl Arrivals {
    /// Calls `tell` with the place of one of the documents.
    pub fn with_place<T>(&self, index: usize, tell: impl FnOnce(DocumentName) -> T) -> T {
        match &self.origin {
            Origin::Records { batch, before, .. } => tell(DocumentName {
                file: &batch.path().display().to_string(),
                record: Some(batch.number(before + index)),
            }),
            Origin::Files(paths) => tell(DocumentName { file: &paths[index].display().to_string(), record: None }),
            Origin::Nothing => tell(DocumentName { file: "", record: None }),
        }
    }

    /// Whether the documents are lines of JSON already.
    pub fn are_lines(&self) -> bool {
        matches!(self.origin, Origin::Records { is_jsonl: true, .. })
    }

    /// The files of these documents, each with the number of its records that are taken by now, including these.
    pub fn taken(&self) -> Vec<(PathBuf, u64)> {
        match &self.origin {
            Origin::Records { batch, taken, .. } => vec![(batch.path().to_owned(), *taken)],
            Origin::Files(paths) => paths.iter().map(|path| (path.clone(), 1)).collect(),
            Origin::Nothing => Vec::new(),
        }
    }

    /// The output line for one of the documents, with its line end.
    pub fn line(&self, index: usize, document: &Document, written: Written) -> Result<Vec<u8>, Skipped> {
        let kept = |new| match &self.origin {
            Origin::Records { batch, before, .. } => {
                let kept = new_or_old(batch, before + index, document, new)?;
                Ok(batch.written(before + index, &kept).to_vec())
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

/// A line with a line end, and without the byte order mark that a file may begin with.
fn whole(mut line: Vec<u8>) -> Vec<u8> {
    if line.starts_with(BYTE_ORDER_MARK) {
        line.drain(..BYTE_ORDER_MARK.len());
    }
    if !line.ends_with(b"\n") {
        line.push(b'\n');
    }
    line
}

fn nothing(left_out: LeftOut) -> Arrivals {
    Arrivals { arrived: vec![Err(left_out)], bytes: 0, unfinished: None, origin: Origin::Nothing }
}

/// The rest of a file with many documents.
struct Rest<'a> {
    file: &'a InputFile,
    records: Records,
    /// Number of its records that earlier runs took, if this is stored.
    taken: Option<u64>,
    /// Number of records that are read so far.
    read: u64,
}

impl Rest<'_> {
    /// The next batch with records that were not taken before, or the problem that prevents reading it.
    fn next_batch(&mut self) -> Option<Result<Batch, LeftOut>> {
        let taken = self.taken.unwrap_or(0);
        loop {
            match self.records.next_batch() {
                Some(Ok(batch)) => {
                    self.read = batch.number(batch.len()) - 1;
                    if self.read > taken {
                        return Some(Ok(batch));
                    }
                }
                Some(Err(skipped)) => return Some(Err(skipped.into())),
                None => return self.shorter().map(Err),
            }
        }
    }

    /// The problem, given once, if a file has fewer records than earlier runs took.
    fn shorter(&mut self) -> Option<LeftOut> {
        let (taken, read) = (self.taken.take()?, self.read);
        let file = self.file.path().display().to_string();
        (read < taken).then(|| {
            let reason = format!(
                "has {read} records, but earlier runs read {taken}: if it is another file now, give it another name"
            );
            LeftOut::new(file, reason)
        })
    }
}
