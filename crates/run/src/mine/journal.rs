//! Keeps what was mined of each source until the run ends, so that a stopped run can continue.
//!
//! The file is `PATTERNS/.dehusk/mining.journal`. Its first line names the format, and the work: everything that decides
//! what is mined of given texts. A record for each source follows, which is appended in one call as soon as the source
//! is mined. So a run that is stopped or killed loses at most what it is mining, and there is nothing to write when it
//! is stopped.
//!
//! A record has a hash of the source's name and texts, two lengths, what was mined (packed as JSON), and a hash of all
//! these bytes. The first record that is cut off or damaged ends the journal. There may be a million sources, so only
//! the places of records are in memory.

use std::fs::{self, File, TryLockError};
use std::hash::Hasher;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::iter;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use twox_hash::XxHash3_64;

use crate::error::Result;
use crate::mine::options::CorpusMineOptions;
use crate::mine::packed::{packed, unpacked};
use crate::observer::{Observer, WarningKind};
use crate::record::hashed::{Hashed, hash};
use crate::record::manifest::refuse_others;
use dehusk_core::mining::Mined;
use dehusk_core::patterns::PatternFile;
use dehusk_core::regular;
use dehusk_core::setting::Setting;
use dehusk_core::shown::count;
use dehusk_core::tokens::Lexer;
use dehusk_corpus::{OutputError, OutputRoot, SourceId};

const NAME: &str = "mining.journal";
/// Length of a number in a record.
const NUMBER: usize = size_of::<u64>();
/// Length of the numbers before what was mined: the key, the length in the file, and the length of the JSON.
const RECORD_HEAD: usize = 3 * NUMBER;

/// What was mined of sources.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// It is locked, so that no other run writes to it.
    file: Mutex<File>,
    /// The records of an earlier run, by their keys. If a source has several, the newest one counts.
    places: FxHashMap<u64, Place>,
    /// Number of sources whose records were taken.
    taken: AtomicUsize,
    /// Whether the file is kept when the run ends.
    is_kept: AtomicBool,
    /// Whether a record could not be written. No record is written after it, because none would count.
    has_failed: AtomicBool,
}

/// Where the packed part of a record is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    start: u64,
    bytes: u64,
    /// Length of the JSON.
    length: u64,
}

impl Place {
    /// Where the record ends.
    fn end(&self) -> u64 {
        self.start + self.bytes + NUMBER as u64
    }
}

impl Journal {
    /// Opens the journal of a folder for pattern files. With the option `resume`, it has what an earlier run mined in
    /// the same way. Otherwise it is emptied. `None` if another run is mining into the folder.
    ///
    /// # Errors
    /// If the file cannot be written, or something else is in its place.
    pub fn open(
        output: &OutputRoot,
        lexer: &Lexer,
        options: &CorpusMineOptions,
        observer: &dyn Observer,
    ) -> Result<Option<Journal>> {
        let path = output.own_folder()?.join(NAME);
        let failed = |error| OutputError::Write { path: path.clone(), error };
        refuse_others(&[&path], "journal")?;
        let file = regular::open_with(&path, File::options().read(true).write(true).create(true).truncate(false));
        let file = file.map_err(failed)?;
        // Where locks do not work, the hashes show if two runs wrote at the same time.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let message = format!(
                "another run is mining into {:?}: if this run is stopped, {} cannot continue it",
                output.path(),
                Setting::Resume
            );
            observer.warn(WarningKind::Rare, &message);
            return Ok(None);
        }

        let header = header(lexer, options);
        let mut places = FxHashMap::default();
        if options.resume {
            places.extend(records(&file, &header).map_err(failed)?);
        } else if records(&file, &header).map_err(failed)?.next().is_some() {
            let message =
                format!("starts from the beginning: {} would continue a run that was stopped", Setting::Resume);
            observer.note(&message);
        }
        match places.values().map(Place::end).max() {
            Some(end) => file.set_len(end),
            None => begin(&file, &header),
        }
        .map_err(failed)?;

        let (taken, is_kept, has_failed) = (AtomicUsize::new(0), AtomicBool::new(!places.is_empty()), false.into());
        Ok(Some(Journal { file: Mutex::new(file), places, taken, is_kept, has_failed, path }))
    }

    /// What an earlier run mined of these texts of a source, if it did.
    pub fn mined(&self, source: &SourceId, texts: &[String], lexer: &Lexer) -> Option<Mined> {
        if self.places.is_empty() {
            return None;
        }
        let &Place { start, bytes, length } = self.places.get(&key(source, texts))?;
        let mut packed = vec![0; bytes as usize];
        let mut file = self.file();
        file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut packed)).ok()?;
        drop(file);
        let mined: Mined = unpacked(&mut &*packed, bytes, length).ok()?.ok()?;
        let is_usable = !mined.has_unknown_slots(lexer);
        self.taken.fetch_add(usize::from(is_usable), Ordering::Relaxed);
        is_usable.then_some(mined)
    }

    /// Adds what was mined of these texts of a source. If it cannot be written, mining goes on: only a stopped run needs
    /// the journal.
    pub fn add(&self, source: &SourceId, texts: &[String], mined: &Mined, observer: &dyn Observer) {
        if self.has_failed.load(Ordering::Relaxed) {
            return;
        }
        let append = |record: Vec<u8>| {
            let mut file = self.file();
            file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(&record))
        };
        match record(key(source, texts), mined).and_then(append) {
            Ok(()) => self.is_kept.store(true, Ordering::Relaxed),
            Err(_) if self.has_failed.swap(true, Ordering::Relaxed) => {}
            Err(error) => {
                let failed = OutputError::Write { path: self.path.clone(), error };
                let message = format!("{failed}; if this run is stopped, {} mines the rest again", Setting::Resume);
                observer.warn(WarningKind::Rare, &message);
            }
        }
    }

    /// Tells how many of all sources were not mined again.
    pub fn tell_of_taken(&self, sources: usize, observer: &dyn Observer) {
        let taken = self.taken.load(Ordering::Relaxed);
        if taken > 0 {
            observer
                .note(&format!("{taken} of {} had been mined by the run that was stopped", count(sources, "source")));
        }
    }

    /// Deletes the file: the run ends.
    pub fn remove(mut self) {
        *self.is_kept.get_mut() = false;
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Deletes the journal of a folder for pattern files, if no other run is mining into it.
///
/// # Errors
/// If it cannot be deleted.
#[doc(hidden)]
pub fn remove_journal(output: &OutputRoot) -> Result<()> {
    let path = output.own_folder()?.join(NAME);
    match regular::open(&path) {
        Ok(file) if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        _ => Ok(fs::remove_file(&path).map_err(|error| OutputError::Write { path, error })?),
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if !*self.is_kept.get_mut() {
            // A file that is left does no harm: the next run empties it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The first line. Records after another line are of another version, or of other options.
fn header(lexer: &Lexer, options: &CorpusMineOptions) -> String {
    let (lexer, options) = (PatternFile::empty("journal", lexer).to_yaml(), format!("{:?}", options.mining));
    let work = hash([env!("CARGO_PKG_VERSION"), &lexer, &options]);
    format!("{{\"dehusk\":\"mining\",\"version\":1,\"work\":\"{}\"}}\n", &work[..12])
}

fn begin(mut file: &File, header: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(header.as_bytes())
}

/// The keys of the records after this first line, and their places, up to the first record that is cut off or damaged.
fn records<'f>(file: &'f File, header: &str) -> io::Result<impl Iterator<Item = (u64, Place)> + 'f> {
    let mut file = BufReader::new(file);
    let (mut first, mut position) = (Vec::new(), header.len() as u64);
    file.by_ref().take(position).read_to_end(&mut first)?;
    let is_alike = first == header.as_bytes();
    Ok(iter::from_fn(move || {
        let [key, bytes, length] = if is_alike { checked(&mut file).ok()?? } else { return None };
        let place = Place { start: position + RECORD_HEAD as u64, bytes, length };
        position = place.end();
        Some((key, place))
    }))
}

/// The numbers at the head of the next record. `None` if the record is damaged.
fn checked(file: &mut impl Read) -> io::Result<Option<[u64; 3]>> {
    let (mut head, mut tail) = ([[0; NUMBER]; 3], [0; NUMBER]);
    file.read_exact(head.as_flattened_mut())?;
    let numbers = head.map(u64::from_le_bytes);
    let mut hashed = Hashed::new(io::sink());
    hashed.write_all(head.as_flattened())?;
    io::copy(&mut file.by_ref().take(numbers[1]), &mut hashed)?;
    file.read_exact(&mut tail)?;
    Ok((u64::from_le_bytes(tail) == hashed.hash()).then_some(numbers))
}

fn record(key: u64, mined: &Mined) -> io::Result<Vec<u8>> {
    let (packed, length) = packed(mined)?;
    let mut record = Hashed::new(Vec::with_capacity(RECORD_HEAD + packed.len() + NUMBER));
    [key, packed.len() as u64, length].iter().try_for_each(|number| record.write_all(&number.to_le_bytes()))?;
    record.write_all(&packed)?;
    let hash = record.hash();
    record.inner.extend(hash.to_le_bytes());
    Ok(record.inner)
}

/// A hash of the name of a source and its texts.
fn key(source: &SourceId, texts: &[String]) -> u64 {
    let mut hasher = XxHash3_64::new();
    for part in iter::once(source.as_str()).chain(texts.iter().map(String::as_str)) {
        // With its length, text cannot move from one document to the next.
        hasher.write_u64(part.len() as u64);
        hasher.write(part.as_bytes());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tempfile::TempDir;

    use super::*;
    use crate::mine::mining::mine_within;
    use crate::observer::Silent;
    use dehusk_core::mining::MineOptions;
    use dehusk_core::tokens::{MutableSet, Tokenizer};
    use dehusk_corpus::{Budget, Reads};

    const SOURCES: [&str; 3] = ["bay", "gate", "tide"];

    fn lexer() -> Lexer {
        Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(Vec::new()).expect("a set")))
    }

    fn texts(source: &str) -> Vec<String> {
        let text = |number| format!("The {source} news | Sport | Weather\nBoat {number} left {source} at noon.\n");
        (0..6).map(text).collect()
    }

    fn id(source: &str) -> SourceId {
        SourceId::parse(source).expect("a source")
    }

    fn mine(source: &str) -> Mined {
        let options = MineOptions::default();
        mine_within(&Budget::new(1 << 30), &id(source), &texts(source), &lexer(), &options).expect("it is mined")
    }

    /// A folder for pattern files.
    struct Place(TempDir);

    impl Place {
        fn new() -> Place {
            Place(tempfile::tempdir().expect("a temporary folder"))
        }

        fn file(&self) -> PathBuf {
            self.0.path().join(".dehusk").join(NAME)
        }

        fn open_with(&self, options: &CorpusMineOptions, observer: &dyn Observer) -> Result<Option<Journal>> {
            let output = OutputRoot::create(self.0.path(), &Reads::nothing())?;
            Journal::open(&output, &lexer(), options, observer)
        }

        fn open(&self, resume: bool) -> Journal {
            let options = CorpusMineOptions::default().resume(resume);
            self.open_with(&options, &Silent).expect("a journal").expect("no other run")
        }

        /// The content of a journal of all sources, and where its first line and each record end.
        fn fill(&self) -> (Vec<u8>, Vec<usize>) {
            let journal = self.open(false);
            let length = || fs::metadata(self.file()).expect("a journal").len() as usize;
            let mut ends = vec![length()];
            for source in SOURCES {
                journal.add(&id(source), &texts(source), &mine(source), &Silent);
                ends.push(length());
            }
            drop(journal);
            (fs::read(self.file()).expect("a journal"), ends)
        }
    }

    /// The sources that a journal has. They are as they were mined.
    fn found(journal: &Journal) -> Vec<&'static str> {
        let is_found = |source: &&str| {
            let found = journal.mined(&id(source), &texts(source), &lexer());
            found.is_some_and(|mined| {
                assert_eq!(format!("{mined:?}"), format!("{:?}", mine(source)));
                true
            })
        };
        SOURCES.into_iter().filter(is_found).collect()
    }

    /// Keeps the warnings and notes that it gets.
    #[derive(Default)]
    struct Listener(Mutex<Vec<String>>);

    impl Listener {
        fn heard(&self) -> Vec<String> {
            std::mem::take(&mut self.0.lock().expect("a lock"))
        }
    }

    impl Observer for Listener {
        fn warn(&self, _: WarningKind, message: &str) {
            self.note(message);
        }

        fn note(&self, message: &str) {
            self.0.lock().expect("a lock").push(message.to_owned());
        }
    }

    #[test]
    fn what_stands_before_a_cut_counts_and_the_rest_can_be_added_again() {
        let place = Place::new();
        let (whole, ends) = place.fill();
        for cut in (0..whole.len()).step_by(7).chain(ends.iter().copied()) {
            fs::write(place.file(), &whole[..cut]).expect("written");
            let journal = place.open(true);
            let left = ends[1..].iter().filter(|&&end| end <= cut).count();
            assert_eq!(found(&journal), SOURCES[..left], "cut at {cut}");
            SOURCES[left..].iter().for_each(|source| journal.add(&id(source), &texts(source), &mine(source), &Silent));
            drop(journal);
            assert!(fs::read(place.file()).expect("a journal") == whole, "cut at {cut}");
        }
    }

    #[test]
    fn nothing_counts_from_the_record_on_that_has_a_changed_byte() {
        let place = Place::new();
        let (whole, ends) = place.fill();
        for changed in (0..whole.len()).step_by(5) {
            let mut bytes = whole.clone();
            bytes[changed] ^= 1 << (changed % 8);
            fs::write(place.file(), bytes).expect("written");
            let left = ends[1..].iter().filter(|&&end| end <= changed).count();
            assert_eq!(found(&place.open(true)), SOURCES[..left], "changed at {changed}");
        }
    }

    #[test]
    fn only_the_same_work_on_the_same_texts_is_taken() {
        let place = Place::new();
        place.fill();
        let journal = place.open(true);
        let [mut fewer, mut moved] = [texts("bay"), texts("bay")];
        fewer.pop();
        moved[1] = moved[0].split_off(3) + &moved[1];
        assert!([fewer, moved].iter().all(|texts| journal.mined(&id("bay"), texts, &lexer()).is_none()));
        assert!(journal.mined(&id("gate"), &texts("bay"), &lexer()).is_none());
        assert_eq!(found(&journal), SOURCES);
        drop(journal);

        let same = CorpusMineOptions::default().resume(true).threads(1).memory(1 << 30).sample(true);
        let journal = place.open_with(&same, &Silent).expect("a journal").expect("no other run");
        assert_eq!(found(&journal), SOURCES);
        drop(journal);
        let other = CorpusMineOptions::default().resume(true).mining(MineOptions::default().min_words(5));
        let journal = place.open_with(&other, &Silent).expect("a journal").expect("no other run");
        assert!(found(&journal).is_empty());
        drop(journal);
        assert!(!place.file().exists(), "there is nothing in it");
    }

    #[test]
    fn the_newest_record_of_a_source_counts() {
        let place = Place::new();
        place.fill();
        let journal = place.open(true);
        let newer = Mined { near_duplicates: 77, ..mine("bay") };
        journal.add(&id("bay"), &texts("bay"), &newer, &Silent);
        drop(journal);
        let found = place.open(true).mined(&id("bay"), &texts("bay"), &lexer());
        assert_eq!(found.map(|mined| mined.near_duplicates), Some(77));
    }

    #[test]
    fn who_does_not_continue_hears_that_it_was_possible() {
        let place = Place::new();
        let listener = Listener::default();
        let open = || place.open_with(&CorpusMineOptions::default(), &listener).expect("a journal");
        drop(open());
        assert!(listener.heard().is_empty() && !place.file().exists());
        place.fill();
        let journal = open().expect("no other run");
        assert_eq!(listener.heard(), ["starts from the beginning: `resume` would continue a run that was stopped"]);
        assert!(found(&journal).is_empty());
        journal.remove();
        assert!(!place.file().exists());
    }

    #[test]
    fn two_runs_do_not_write_to_one_journal() {
        let place = Place::new();
        let first = place.open(false);
        let listener = Listener::default();
        for resume in [false, true] {
            let options = CorpusMineOptions::default().resume(resume);
            assert!(place.open_with(&options, &listener).expect("no error").is_none());
            let heard = listener.heard();
            assert!(heard.len() == 1 && heard[0].starts_with("another run is mining into "), "{heard:?}");
        }
        first.add(&id("bay"), &texts("bay"), &mine("bay"), &Silent);
        drop(first);
        assert_eq!(found(&place.open(true)), ["bay"]);
    }
}
