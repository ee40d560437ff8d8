//! The files that dehusk wrote to an output folder, in this run and in earlier ones.
//!
//! Takes each file that a run writes. At the end of the run, names the files that an earlier run wrote and this run did
//! not, and deletes them if the user wants that. A file is deleted only if dehusk wrote its present content.
//!
//! The record is `OUT/.dehusk/written.jsonl`: a line that names the format, then a line for each file, with its length
//! and a hash of its content. A line is appended before the file is put in its place. So if a run is killed at any
//! point, no file is in the output without a line. A line may then describe content that was never put in place: the
//! file there is taken for a changed one, and is kept. A file whose line was lost in a crash of the computer is kept
//! too. The newest line of a file counts. A run that ends removes the lines that no longer count. There may be ten
//! million lines, so only a hash of each name is in memory.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::error::{PipelineError, Result};
use crate::observer::{Observer, WarningKind};
use crate::record::hashed::Hashed;
use crate::record::manifest::appender::Appender;
use crate::record::manifest::{content_of, refuse_others};
use dehusk_core::regular;
use dehusk_core::setting::Setting;
use dehusk_core::shown::count;
use dehusk_corpus::{OutputError, OutputRoot};

/// The folder of the record, below the output folder.
const FOLDER: &str = ".dehusk";
const NAME: &str = "written.jsonl";
/// The name of the file that all runs lock while they write to the folder.
const LOCK: &str = "written.lock";
/// The first line of a record.
const HEADER: &str = "{\"dehusk\":\"written\",\"version\":1}\n";

/// Maximum number of files that a message names.
const FILES_NAMED: usize = 3;
/// Number of files that are looked at in parallel.
const FILES_COMPARED: usize = 4096;

/// The files of an output folder, for a run that writes to it.
#[derive(Debug)]
pub struct WrittenFiles<'o> {
    output: &'o OutputRoot,
    path: PathBuf,
    appender: Mutex<Appender>,
    hasher: RandomState,
    /// The position in the record where the lines of this run begin.
    start: u64,
    names: Mutex<Names>,
    /// Whether no other run was writing to the folder when this one began.
    was_alone: bool,
    lock: File,
}

/// Hashes of names.
#[derive(Debug, Default)]
struct Names {
    /// The files that this run wrote, or that it need not write again.
    current: Vec<u64>,
    /// Files that must not be deleted, whoever wrote them.
    spared: Vec<u64>,
}

/// What happens to files of earlier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prune {
    /// They are named.
    No,
    /// They are deleted, unless they were changed.
    Yes,
    /// They should be deleted, but are kept: some of the input could not be read, and may be readable in a later run.
    NotNow,
}

/// A file as it was written.
#[derive(Serialize, Deserialize)]
struct Line {
    /// Its path below the output folder.
    o: String,
    /// Its length.
    z: u64,
    /// A hash of its content.
    h: u64,
}

/// The files of earlier runs that are found at the end of a run.
#[derive(Default)]
struct Found {
    /// Files that were deleted, or could be deleted.
    stale: Few,
    /// Files that must not be deleted.
    kept: Few,
}

/// A number of files, and the first few of their names.
#[derive(Default)]
struct Few {
    count: usize,
    first: BTreeSet<String>,
}

impl Prune {
    /// The choice that follows from the wish of the user and from `is_all_read`: whether all of the input could be
    /// read.
    pub fn new(is_wanted: bool, is_all_read: bool) -> Prune {
        match (is_wanted, is_all_read) {
            (false, _) => Prune::No,
            (true, true) => Prune::Yes,
            (true, false) => Prune::NotNow,
        }
    }
}

impl<'o> WrittenFiles<'o> {
    /// Opens the record of an output folder.
    ///
    /// # Errors
    /// If the file at the place of the record is another one, or cannot be written.
    pub fn open(output: &'o OutputRoot) -> Result<WrittenFiles<'o>> {
        let folder = output.own_folder()?;
        let path = folder.join(NAME);
        let failed = |error| OutputError::Write { path: path.clone(), error };
        refuse_others(&[&path, &folder.join(LOCK)], "record")?;
        let options = || File::options().read(true).write(true).create(true).truncate(false).clone();
        let lock = regular::open_with(&folder.join(LOCK), &mut options()).map_err(failed)?;
        // Where locks do not work, there may always be another run.
        let was_alone = lock.try_lock().is_ok();
        let file = regular::open_with(&path, &mut options()).map_err(failed)?;
        let begun = begin(file).map_err(failed)?;
        if was_alone {
            lock.unlock().map_err(failed)?;
        }

        if !begun {
            return Err(PipelineError::Refused(format!("{path:?} is not a record of dehusk: move it away")));
        }
        // A run that ends holds the exclusive lock for a moment, to replace the file.
        let _ = lock.lock_shared();
        let appender = Appender::open(&path).map_err(failed)?;
        let start = fs::metadata(&path).map_err(failed)?.len();
        let (hasher, names) = (RandomState::new(), Mutex::default());
        Ok(WrittenFiles { output, appender: Mutex::new(appender), path, hasher, start, names, was_alone, lock })
    }

    /// The output folder.
    pub fn output(&self) -> &OutputRoot {
        self.output
    }

    /// Writes a file of the output. If `write` fails, nothing is written, and an old file is unchanged.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write<T>(&self, name: &str, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>) -> Result<T> {
        let mut file = Hashed::new(self.output.begin(name)?);
        let failed = |error| OutputError::Write { path: self.output.path().join(name), error };
        let written = write(&mut file).map_err(failed)?;
        self.add(name, file.length(), file.hash())?;
        file.inner.publish()?;
        Ok(written)
    }

    /// Writes a file if its content is still `old`, or if it is still missing (`None`). Returns whether it was written.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn replace(&self, name: &str, old: Option<&[u8]>, new: &[u8]) -> Result<bool> {
        let mut hashed = Hashed::new(io::sink());
        hashed.write_all(new).map_err(|error| OutputError::Write { path: self.path.clone(), error })?;
        self.add(name, hashed.length(), hashed.hash())?;
        Ok(self.output.replace(name, old, new)?)
    }

    /// Notes a file of an earlier run that this run need not write again.
    pub fn keep(&self, name: &str) {
        let hash = self.hash(name);
        lock(&self.names).current.push(hash);
    }

    /// Notes a file that must not be deleted, even if this run does not write it.
    pub fn spare(&self, name: &str) {
        let hash = self.hash(name);
        lock(&self.names).spared.push(hash);
    }

    fn add(&self, name: &str, length: u64, hash: u64) -> Result<()> {
        let failed = |error| OutputError::Write { path: self.path.clone(), error };
        let line = serde_json::to_vec(&Line { o: name.to_owned(), z: length, h: hash });
        let appended = line.map_err(io::Error::from).and_then(|line| lock(&self.appender).append(line));
        appended.map_err(failed)?;
        self.keep(name);
        Ok(())
    }

    /// Ends a run that has written all its files. Names or deletes the files of earlier runs. A file for which
    /// `is_touched` is true is not deleted.
    ///
    /// # Errors
    /// If the record cannot be read or written.
    pub fn finish(
        self,
        prune: Prune,
        is_touched: &(dyn Fn(&Path) -> bool + Sync),
        observer: &dyn Observer,
    ) -> Result<()> {
        let folder = self.output.path().display();

        // Another run has not ended, so its files are not files of earlier runs.
        if !self.was_alone || self.lock.try_lock().is_err() {
            if prune != Prune::No {
                let message = format!("{folder}: nothing is deleted, because another run writes to this folder");
                observer.warn(WarningKind::Rare, &message);
            }
            return Ok(());
        }
        let failed = |error| OutputError::Write { path: self.path.clone(), error };

        let Names { mut current, mut spared } = std::mem::take(&mut *lock(&self.names));
        current.sort_unstable();
        spared.sort_unstable();
        let (newest, lines) = self.newest().map_err(failed)?;
        let is_current = |hash: &u64| current.binary_search(hash).is_ok();
        let (mut earlier, mut counting): (Vec<Place>, Vec<Place>) =
            newest.into_iter().partition(|place| place.start < self.start && !is_current(&place.hash));
        earlier.sort_unstable_by_key(|place| place.start);
        let is_spared = |place: &Place| spared.binary_search(&place.hash).is_ok();

        let mut found = Found::default();
        let mut reader = BufReader::new(regular::open(&self.path).map_err(failed)?);
        for places in earlier.chunks(FILES_COMPARED) {
            let read = |place: &Place| Some((*place, line_at(&mut reader, place.start).ok()?));
            let files: Vec<(Place, Line)> = places.iter().filter_map(read).collect();
            let end = |(place, line): (Place, Line)| {
                let path = self.output.path().join(&line.o);
                let is_there = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
                let is_kept = || is_spared(&place) || is_touched(&path);
                is_there.then(|| (place, self.end(&line, prune, is_kept), line.o))
            };
            let ended: Vec<(Place, End, String)> = files.into_par_iter().filter_map(end).collect();
            for (place, end, name) in ended {
                match end {
                    End::Kept => found.kept.add(name),
                    End::Deleted | End::Stale => found.stale.add(name),
                }
                if end != End::Deleted {
                    counting.push(place);
                }
            }
        }

        found.tell(&folder.to_string(), prune, observer);
        if counting.len() < lines { self.rewrite(counting) } else { Ok(()) }
    }

    /// Decides what becomes of an existing file of an earlier run, and deletes it if that is the decision.
    fn end(&self, line: &Line, prune: Prune, is_kept: impl FnOnce() -> bool) -> End {
        match prune {
            Prune::No | Prune::NotNow => End::Stale,
            Prune::Yes if is_kept() || !self.is_as_written(line) => End::Kept,
            Prune::Yes if self.output.delete(&line.o).is_ok() => End::Deleted,
            Prune::Yes => End::Kept,
        }
    }

    fn is_as_written(&self, line: &Line) -> bool {
        let path = self.output.path().join(&line.o);
        let has_length = || fs::metadata(&path).is_ok_and(|metadata| metadata.len() == line.z);
        !line.o.starts_with(FOLDER)
            && has_length()
            && regular::open(&path).and_then(content_of).is_ok_and(|hash| hash == line.h)
    }

    /// The newest line of each file, and the number of all lines.
    fn newest(&self) -> io::Result<(Vec<Place>, usize)> {
        let mut reader = BufReader::new(regular::open(&self.path)?);
        let (mut line, mut start, mut places, mut lines) = (Vec::new(), 0, Vec::new(), 0);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)? as u64;
            if length == 0 {
                break;
            }
            // The first line and incomplete lines of killed runs belong to no file.
            if start > 0 {
                lines += 1;
                if let Ok(Line { o, .. }) = serde_json::from_slice(&line) {
                    places.push(Place { hash: self.hash(&o), start });
                }
            }
            start += length;
        }
        // The newest line of a name comes first, and the others are dropped.
        places.par_sort_unstable_by(|a, b| a.hash.cmp(&b.hash).then(b.start.cmp(&a.start)));
        places.dedup_by_key(|place| place.hash);
        Ok((places, lines))
    }

    /// Writes the record again with these lines only.
    fn rewrite(&self, mut places: Vec<Place>) -> Result<()> {
        places.sort_unstable_by_key(|place| place.start);
        let mut reader = BufReader::new(regular::open(&self.path)?);
        self.output.write_atomic(Path::new(FOLDER).join(NAME), |writer| {
            writer.write_all(HEADER.as_bytes())?;
            places.iter().try_for_each(|place| {
                serde_json::to_writer(&mut *writer, &line_at(&mut reader, place.start)?)?;
                writer.write_all(b"\n")
            })
        })?;
        Ok(())
    }

    fn hash(&self, name: &str) -> u64 {
        // On these systems, file names that differ only in case or in how accents are encoded are mostly the same name.
        // A file that this run wrote must not be taken for a file of an earlier run.
        match cfg!(any(windows, target_os = "macos")) {
            true => self.hasher.hash_one(name.to_lowercase().nfc().collect::<String>()),
            false => self.hasher.hash_one(name),
        }
    }
}

/// The newest line of a file.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The hash of the file's name.
    hash: u64,
    /// Where the line begins.
    start: u64,
}

/// What became of a file of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Stale,
    Deleted,
    Kept,
}

impl Found {
    fn tell(&self, folder: &str, prune: Prune, observer: &dyn Observer) {
        let Found { stale, kept } = self;
        let files = |few: &Few| count(few.count, "file");
        let warn = |message: &str| observer.warn(WarningKind::Rare, &format!("{folder}: {message}"));
        if stale.count > 0 {
            let are_there = format!("{} of earlier runs, which this run did not write: {stale}", files(stale));
            match prune {
                Prune::No => warn(&format!("{are_there}; {} deletes what nobody changed since", Setting::Prune)),
                Prune::NotNow => warn(&format!("{are_there}; not deleted, because some input could not be read")),
                Prune::Yes => observer.note(&format!("{folder}: deleted {} of earlier runs: {stale}", files(stale))),
            }
        }
        if kept.count > 0 {
            warn(&format!(
                "{} of earlier runs, not deleted, because of changes since then or because the document was skipped: \
                 {kept}",
                files(kept)
            ));
        }
    }
}

impl Few {
    fn add(&mut self, name: String) {
        self.count += 1;
        self.first.insert(name);
        if self.first.len() > FILES_NAMED {
            self.first.pop_last();
        }
    }
}

impl std::fmt::Display for Few {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.first.iter().map(String::as_str).collect::<Vec<_>>().join(", "))?;
        match self.count - self.first.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Writes the first line of an empty record. Returns whether the file is a record.
fn begin(mut file: File) -> io::Result<bool> {
    let mut start = Vec::new();
    (&file).take(HEADER.len() as u64).read_to_end(&mut start)?;
    if start == HEADER.as_bytes() {
        return Ok(true);
    }
    // A run that was killed may have written a part of the first line.
    let is_begun = HEADER.as_bytes().starts_with(&start);
    if is_begun {
        file.rewind()?;
        file.write_all(HEADER.as_bytes())?;
    }
    Ok(is_begun)
}

fn line_at(reader: &mut BufReader<File>, start: u64) -> io::Result<Line> {
    let here = reader.stream_position()?;
    // A relative seek keeps the buffer, because lines are read in their order.
    reader.seek_relative(start.cast_signed() - here.cast_signed())?;
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    serde_json::from_slice(&line).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
