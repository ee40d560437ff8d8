//! Notes which inputs are finished, so that a stopped run can continue.
//!
//! Stores the result for each input, for a later run that does the same work on the same input with the same patterns. The file is
//! `OUT/.dehusk/manifest.jsonl`: a line that names the format, then a line for each output, appended when the output is
//! in its place. A line belongs to an output, not to an input, because two inputs may get the same output. The newest
//! line of an output counts. Before an output with a line is written again, a line without a result is appended. So if
//! a run is killed while it writes, no line describes content that is no longer there. There may be ten million lines,
//! so only a hash of each output and the position of its line are in memory.
//!
//! After a crash of the computer, files that were written shortly before may be empty or incomplete. So their length is
//! noted as well.

pub mod appender;
mod counts;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use dehusk_core::regular;
use dehusk_core::setting::Setting;
use dehusk_corpus::{OutputError, OutputRoot};

use self::appender::Appender;
use crate::clean::Cleaned;
use crate::error::{PipelineError, Result};
use crate::left_out::LeftOut;
use crate::record::hashed::hash;
use crate::record::report_part::{PART_FOLDER, ReportPart, part_file};

const NAME: &str = "manifest.jsonl";
/// The name of the file that all runs lock while they write to the manifest.
const LOCK: &str = "manifest.lock";
/// The first line of a manifest.
const HEADER: &str = "{\"dehusk\":\"manifest\",\"version\":1}\n";

/// Maximum number of skipped documents of an input that are stored with their message.
pub const NAMED_SKIPS: usize = 1000;

/// Number of bytes that are hashed at a time.
const HASHED_BYTES: usize = 256 * 1024;

/// The position of the first line, which belongs to no output. It marks an output whose newest line does not count.
const NOWHERE: u64 = 0;

/// Properties of an input file that normally change when the file changes. Includes a hash of its content, if that is
/// wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp<'a> {
    /// Its path.
    pub input: &'a str,
    /// Its length.
    pub bytes: u64,
    /// When it was changed, in nanoseconds since 1970. 0 if that is unknown.
    pub modified: i64,
    /// A hash of its content, if content is compared.
    pub content: Option<u64>,
    /// A hash of the patterns that clean its documents. Not a property of the file, but it decides as well what is
    /// written.
    pub patterns: u64,
}

/// The result for a finished input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The counts by source.
    #[serde(rename = "s", default, with = "counts", skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, Cleaned>,
    /// The place of each skipped document and the reason, for at most [`NAMED_SKIPS`] documents.
    #[serde(rename = "k", default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<(String, String)>,
    /// Number of further skipped documents.
    #[serde(rename = "n", default, skip_serializing_if = "is_zero")]
    pub more_skipped: usize,
    /// The length of the output, if there is one.
    #[serde(rename = "z", default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    /// Number of bytes of the input that were already shown as progress.
    #[serde(skip)]
    pub shown: u64,
    /// Its part of the report, if there is a report.
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportPart>,
}

/// The finished inputs of an output folder, for a run that does this work.
#[derive(Debug)]
pub struct Manifest {
    folder: PathBuf,
    work: String,
    wants_report: bool,
    appender: Mutex<Appender>,
    reader: Mutex<BufReader<File>>,
    hasher: RandomState,
    /// The position of the newest line of each output, by the hash of its name.
    places: Mutex<FxHashMap<u64, u64>>,
    /// While it is locked, no run empties the file.
    _lock: File,
}

/// A line to write.
#[derive(Serialize)]
struct NewLine<'a> {
    w: &'a str,
    o: &'a str,
    i: &'a str,
    b: u64,
    m: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    h: Option<u64>,
    p: u64,
    #[serde(flatten)]
    done: &'a Done,
}

/// A line that was read.
#[derive(Deserialize)]
struct Line {
    /// The work.
    w: String,
    /// The output.
    o: String,
    /// The input.
    i: String,
    b: u64,
    m: i64,
    /// The hash of the input's content, if it was noted.
    #[serde(default)]
    h: Option<u64>,
    /// The hash of the patterns.
    p: u64,
    #[serde(flatten)]
    done: Done,
}

/// The first fields of a line, which tell whether the line counts. A line with these fields alone says that an output
/// is being written.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    w: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    o: std::borrow::Cow<'a, str>,
}

impl<'a> Stamp<'a> {
    /// The stamp of the file `input`, without hashes.
    pub fn of(input: &'a str, metadata: &fs::Metadata) -> Stamp<'a> {
        let modified = metadata.modified().ok().map(|time| match time.duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
            Err(error) => i64::try_from(error.duration().as_nanos()).map_or(i64::MIN, |before| -before),
        });
        Stamp { input, bytes: metadata.len(), modified: modified.unwrap_or(0), content: None, patterns: 0 }
    }
}

impl Done {
    /// Notes a skipped document.
    pub fn skip(&mut self, LeftOut { place, reason, .. }: &LeftOut) {
        match self.skipped.len() < NAMED_SKIPS {
            true => self.skipped.push((place.clone(), reason.clone())),
            false => self.more_skipped += 1,
        }
    }
}

impl Manifest {
    /// Opens the manifest of an output folder. `work` describes what decides, for all inputs, what is written: options,
    /// version. Without `resume`, no input counts as finished. The file is then emptied and the parts of
    /// reports are deleted, unless another run is writing to the folder.
    pub fn open(output: &OutputRoot, work: &str, resume: bool) -> Result<Manifest> {
        let folder = output.own_folder()?;
        let path = folder.join(NAME);
        let failed = |error| OutputError::Write { path: path.clone(), error };
        refuse_others(&[&path, &folder.join(LOCK)], "manifest")?;
        let options = || File::options().read(true).write(true).create(true).truncate(false).clone();
        let lock = regular::open_with(&folder.join(LOCK), &mut options()).map_err(failed)?;
        // If the lock cannot be taken, there may be another run.
        let is_alone = lock.try_lock().is_ok();
        prepare(&regular::open_with(&path, &mut options()).map_err(failed)?, &path, resume || !is_alone)?;

        if is_alone {
            if !resume {
                remove_parts(&folder).map_err(failed)?;
            }
            lock.unlock().map_err(failed)?;
        }
        // Another run holds the exclusive lock only for a moment. Where locks do not work, no run deletes anything.
        let _ = lock.lock_shared();

        let manifest = Manifest {
            work: hash([work])[..12].to_owned(),
            wants_report: false,
            appender: Mutex::new(Appender::open(&path).map_err(failed)?),
            reader: Mutex::new(BufReader::new(regular::open(&path).map_err(failed)?)),
            hasher: RandomState::new(),
            places: Mutex::default(),
            folder,
            _lock: lock,
        };
        let unreadable =
            || format!("cannot read {path:?}; without {}, the run starts again from the beginning", Setting::Resume);
        manifest.load(resume).map_err(|error| PipelineError::in_context(unreadable(), error))?;
        Ok(manifest)
    }

    /// From now on, an output only counts as finished if its part of the report exists.
    pub fn want_report(mut self) -> Manifest {
        self.wants_report = true;
        self
    }

    /// The result for the input of an output, if the same work finished it and the input has not changed since. The
    /// caller must check whether the output still exists.
    pub fn done(&self, output: &str, stamp: &Stamp) -> Option<Done> {
        let line = self.newest(output)?;
        // The content only counts if it was hashed both times.
        let content = stamp.content.and(line.h);
        let is_same = *stamp == Stamp { input: &line.i, bytes: line.b, modified: line.m, content, patterns: line.p };
        let has_part = || line.done.report.as_ref().is_some_and(|part| part.is_there(&self.part_file(output)));
        (is_same && (!self.wants_report || has_part())).then_some(line.done)
    }

    /// The part of the report for a finished output.
    pub fn part(&self, output: &str) -> Option<ReportPart> {
        self.newest(output)?.done.report
    }

    /// The path of the file for a large part of the report.
    pub fn part_file(&self, output: &str) -> PathBuf {
        self.folder.join(PART_FOLDER).join(part_file(&self.work, output))
    }

    /// Notes that an output will be written again, if there is a line about its present content.
    pub fn begin(&self, output: &str) -> Result<()> {
        if !lock(&self.places).contains_key(&self.hasher.hash_one(output)) {
            return Ok(());
        }
        self.append(output, &Head { w: self.work.as_str().into(), o: output.into() })
    }

    /// Notes that an output is finished and in its place.
    pub fn add(&self, output: &str, stamp: &Stamp, done: &Done) -> Result<()> {
        let Stamp { input, bytes, modified, content, patterns } = *stamp;
        self.append(
            output,
            &NewLine { w: &self.work, o: output, i: input, b: bytes, m: modified, h: content, p: patterns, done },
        )
    }

    fn append(&self, output: &str, line: &impl Serialize) -> Result<()> {
        let written = lock(&self.appender).append(serde_json::to_vec(line).map_err(io::Error::from)?);
        let place = written.map_err(|error| OutputError::Write { path: self.folder.join(NAME), error })?;
        lock(&self.places).insert(self.hasher.hash_one(output), place);
        Ok(())
    }

    /// Reads the positions of the newest lines into memory: [`NOWHERE`] for lines of other work, and for all lines
    /// without `resume`.
    fn load(&self, resume: bool) -> io::Result<()> {
        let (mut reader, mut places) = (lock(&self.reader), lock(&self.places));
        let (mut line, mut place) = (Vec::new(), 0);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)? as u64;
            if length == 0 {
                return Ok(());
            }
            // The first line and incomplete lines of killed runs belong to no output.
            if let Ok(Head { w, o }) = serde_json::from_slice(&line) {
                let counts = resume && w == self.work;
                places.insert(self.hasher.hash_one(&*o), if counts { place } else { NOWHERE });
            }
            place += length;
        }
    }

    /// The newest line of an output, if it counts.
    fn newest(&self, output: &str) -> Option<Line> {
        let place = *lock(&self.places).get(&self.hasher.hash_one(output))?;
        let line: Line = serde_json::from_slice(&self.line_at(place).ok()?).ok()?;
        (line.w == self.work && line.o == output).then_some(line)
    }

    fn line_at(&self, place: u64) -> io::Result<Vec<u8>> {
        let mut reader = lock(&self.reader);
        let here = reader.stream_position()?;
        // A relative seek keeps the buffer, because most lines are read in their order.
        reader.seek_relative(place.cast_signed() - here.cast_signed())?;
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line)?;
        Ok(line)
    }
}

/// Whether an output folder has a manifest, and so was written by dehusk.
pub fn is_in(output: &OutputRoot) -> Result<bool> {
    Ok(output.own_folder()?.join(NAME).exists())
}

/// Refuses a place where a run writes directly, if there is something other than a regular file. A link could lead to a
/// file of others, and reading a named pipe would never end.
pub fn refuse_others(places: &[&Path], what: &str) -> Result<()> {
    let is_other = |place: &&&Path| place.symlink_metadata().is_ok_and(|metadata| !metadata.is_file());
    match places.iter().find(is_other) {
        Some(place) => Err(PipelineError::Refused(format!("{place:?} is not a {what} of dehusk: move it away"))),
        None => Ok(()),
    }
}

/// Makes sure that the file is a manifest. Empties it, unless it must be kept.
fn prepare(mut file: &File, path: &Path, is_kept: bool) -> Result<()> {
    let mut start = Vec::new();
    file.take(256).read_to_end(&mut start)?;
    let start = String::from_utf8_lossy(&start);
    let line = start.split_inclusive('\n').next().unwrap_or_default();
    if line == HEADER && is_kept {
        return Ok(());
    }
    // An empty file and a file with an incomplete first line are also valid.
    if !HEADER.starts_with(line) {
        let Some(version) = version(line) else {
            return Err(PipelineError::Refused(format!("{path:?} is not a manifest of dehusk: move it away")));
        };
        if is_kept {
            return Err(PipelineError::Refused(format!(
                "{path:?} is from another dehusk, which writes version {version} of it: continue with that \
                 dehusk, or leave out {} to do everything again",
                Setting::Resume
            )));
        }
    }
    let anew = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(HEADER.as_bytes()));
    Ok(anew.map_err(|error| OutputError::Write { path: path.to_owned(), error })?)
}

/// The version of the format, if this is the first line of a manifest.
fn version(line: &str) -> Option<u64> {
    let header: serde_json::Value = serde_json::from_str(line).ok()?;
    if header.get("dehusk")? == "manifest" { header.get("version")?.as_u64() } else { None }
}

fn remove_parts(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder.join(PART_FOLDER)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A hash of the content of a file.
pub fn content_of(file: File) -> io::Result<u64> {
    let mut hasher = XxHash3_64::new();
    let mut file = BufReader::with_capacity(HASHED_BYTES, file);
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(hasher.finish());
        }
        hasher.write(bytes);
        let length = bytes.len();
        file.consume(length);
    }
}

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use dehusk_corpus::Reads;

    const STAMP: Stamp =
        Stamp { input: "news/a.html", bytes: 5120, modified: 1_732_147_200_123_456_789, content: None, patterns: 9 };

    /// An output folder, and the manifest in it.
    struct Place(TempDir);

    impl Place {
        fn new() -> Place {
            Place(tempfile::tempdir().expect("a temporary folder"))
        }

        fn try_open(&self, work: &str, resume: bool) -> Result<Manifest> {
            Manifest::open(&OutputRoot::create(self.0.path(), &Reads::nothing()).expect("a folder"), work, resume)
        }

        fn open(&self, resume: bool) -> Manifest {
            self.try_open("work", resume).expect("a manifest")
        }

        fn file(&self) -> PathBuf {
            self.0.path().join(".dehusk").join(NAME)
        }

        fn text(&self) -> String {
            fs::read_to_string(self.file()).expect("a file")
        }
    }

    fn done(documents: usize) -> Done {
        let cleaned = Cleaned { documents, patterns_found: 7, bytes_in: 5000, bytes_out: 1900, ..Cleaned::default() };
        Done { sources: BTreeMap::from([("tide.example".to_owned(), cleaned)]), ..Done::default() }
    }

    fn documents(manifest: &Manifest, output: &str) -> Option<usize> {
        manifest.done(output, &STAMP).map(|done| done.sources["tide.example"].documents)
    }

    #[test]
    fn what_is_finished_stays_so_for_whoever_resumes() {
        let place = Place::new();
        let manifest = place.open(false);
        manifest.add("news/a.txt", &STAMP, &done(1)).expect("added");
        assert_eq!(manifest.done("news/a.txt", &STAMP), Some(done(1)));
        drop(manifest);
        assert_eq!(
            place.text(),
            format!(
                "{HEADER}{{\"w\":\"00ddb7b5a7a5\",\"o\":\"news/a.txt\",\"i\":\"news/a.html\",\"b\":5120,\
                 \"m\":1732147200123456789,\"p\":9,\"s\":{{\"tide.example\":{{\"d\":1,\"p\":7,\"i\":5000,\"o\":1900}}}}}}\n"
            )
            .replace("00ddb7b5a7a5", &hash(["work"])[..12])
        );
        assert_eq!(place.open(true).done("news/a.txt", &STAMP), Some(done(1)));
        assert_eq!(place.open(true).done("news/b.txt", &STAMP), None);
        assert_eq!(place.open(false).done("news/a.txt", &STAMP), None);
        assert_eq!(place.text(), HEADER, "it starts anew");
        assert_eq!(place.open(true).done("news/a.txt", &STAMP), None);
    }

    #[test]
    fn an_input_that_changed_and_another_work_are_not_finished() {
        let place = Place::new();
        place.open(false).add("a", &STAMP, &done(1)).expect("added");
        let manifest = place.open(true);
        assert_eq!(manifest.done("a", &Stamp { bytes: 1, ..STAMP }), None);
        assert_eq!(manifest.done("a", &Stamp { modified: 1, ..STAMP }), None);
        assert_eq!(manifest.done("a", &Stamp { input: "other/a.html", ..STAMP }), None);
        assert_eq!(manifest.done("a", &Stamp { patterns: 1, ..STAMP }), None);
        assert_eq!(place.try_open("other work", true).expect("a manifest").done("a", &STAMP), None);
    }

    #[test]
    fn a_stamp_tells_a_file_from_what_it_was() {
        let place = Place::new();
        let path = place.0.path().join("a");
        fs::write(&path, "text").expect("written");
        let file = File::options().write(true).open(&path).expect("a file");
        let stamp = |nanoseconds| {
            file.set_modified(UNIX_EPOCH + std::time::Duration::from_nanos(nanoseconds)).expect("a time");
            Stamp::of("a", &file.metadata().expect("metadata"))
        };
        let modified = 1_732_147_200_000_000_100;
        let expected = Stamp { input: "a", bytes: 4, modified, content: None, patterns: 0 };
        assert_eq!(stamp(1_732_147_200_000_000_100), expected);
        assert_ne!(stamp(1_732_147_200_000_000_100), stamp(1_732_147_200_000_000_200));
        file.set_modified(UNIX_EPOCH - std::time::Duration::from_secs(1)).expect("a time");
        assert_eq!(Stamp::of("a", &file.metadata().expect("metadata")).modified, -1_000_000_000);
    }

    #[test]
    fn the_newest_line_counts_whoever_wrote_it() {
        let place = Place::new();
        let manifest = place.open(false);
        (1..=2).for_each(|number| manifest.add("a", &STAMP, &done(number)).expect("added"));
        assert_eq!((documents(&manifest, "a"), documents(&place.open(true), "a")), (Some(2), Some(2)));
        place.try_open("other work", true).expect("a manifest").add("a", &STAMP, &done(3)).expect("added");
        assert_eq!(documents(&place.open(true), "a"), None, "its output is that of the other work now");
    }

    #[test]
    fn whoever_is_killed_while_an_output_is_written_leaves_no_line_on_what_it_was() {
        let place = Place::new();
        place.open(false).add("a", &STAMP, &done(1)).expect("added");
        let begin_other = |resume| {
            let other = place.try_open("other work", resume).expect("a manifest");
            ["a", "unknown"].iter().for_each(|output| other.begin(output).expect("noted"));
        };
        begin_other(true);
        assert_eq!((documents(&place.open(true), "a"), place.text().contains("unknown")), (None, false));
        let manifest = place.open(true);
        manifest.add("a", &STAMP, &done(2)).expect("added");
        begin_other(false);
        assert_eq!(documents(&place.open(true), "a"), None, "the other one kept the lines, for it was not alone");
        manifest.add("a", &STAMP, &done(3)).expect("added");
        manifest.begin("a").expect("noted");
        assert_eq!([documents(&manifest, "a"), documents(&place.open(true), "a")], [None; 2]);
    }

    #[test]
    fn a_line_that_was_cut_short_is_as_good_as_none() {
        let place = Place::new();
        place.open(false).add("a", &STAMP, &done(1)).expect("added");
        let whole = place.text();
        for end in HEADER.len()..whole.len() - 1 {
            fs::write(place.file(), &whole[..end]).expect("written");
            let manifest = place.open(true);
            assert_eq!(documents(&manifest, "a"), None, "{end}");
            manifest.add("b", &STAMP, &done(2)).expect("added");
            assert_eq!(documents(&manifest, "b"), Some(2));
            drop(manifest);
            assert_eq!(documents(&place.open(true), "b"), Some(2), "{end}");
        }
        for end in 0..HEADER.len() {
            fs::write(place.file(), &whole[..end]).expect("written");
            drop(place.open(true));
            assert_eq!(place.text(), HEADER);
        }
        fs::write(place.file(), whole.trim_end()).expect("written");
        let manifest = place.open(true);
        manifest.add("b", &STAMP, &done(2)).expect("added");
        assert_eq!([documents(&manifest, "a"), documents(&manifest, "b")], [Some(1), Some(2)]);
    }

    #[test]
    fn content_counts_for_whoever_wants_to_be_sure() {
        let place = Place::new();
        let manifest = place.open(false);
        let of = |content| Stamp { content, ..STAMP };
        manifest.add("a", &STAMP, &done(1)).expect("added");
        manifest.add("b", &of(Some(7)), &done(2)).expect("added");
        for manifest in [&manifest, &place.open(true)] {
            let is_done = |output: &str, content| manifest.done(output, &of(content)).is_some();
            assert_eq!([is_done("a", None), is_done("a", Some(7))], [true, false]);
            assert_eq!([is_done("b", None), is_done("b", Some(7)), is_done("b", Some(8))], [true, true, false]);
        }
    }

    #[test]
    fn another_run_that_writes_is_not_disturbed() {
        let place = Place::new();
        let one = place.open(false);
        one.add("a", &STAMP, &done(1)).expect("added");
        let two = place.open(false);
        assert_eq!(documents(&two, "a"), None);
        two.add("b", &STAMP, &done(2)).expect("added");
        one.add("c", &STAMP, &done(3)).expect("added");
        assert_eq!([documents(&one, "a"), documents(&two, "b"), documents(&one, "c")], [Some(1), Some(2), Some(3)]);
        let three = place.open(true);
        assert_eq!(["a", "b", "c"].map(|input| documents(&three, input)), [Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn names_may_have_any_characters() {
        let place = Place::new();
        let names = ["a\"b\\c", "line\nbreak", "tab\t\u{0}\u{1b}", "Käse/日本.txt", "", "\u{fffd}\u{2028}"];
        let manifest = place.open(false);
        names.iter().enumerate().for_each(|(at, name)| manifest.add(name, &STAMP, &done(at + 1)).expect("added"));
        let manifest = place.open(true);
        names.iter().enumerate().for_each(|(at, name)| assert_eq!(documents(&manifest, name), Some(at + 1)));
    }

    #[test]
    fn many_threads_add_at_once() {
        let place = Place::new();
        let manifest = place.open(false);
        let add = |thread: usize| {
            (1..100).for_each(|n| manifest.add(&format!("{thread}/{n}"), &STAMP, &done(n)).expect("added"));
        };
        std::thread::scope(|scope| (0..8).for_each(|thread| drop(scope.spawn(move || add(thread)))));
        for manifest in [&manifest, &place.open(true)] {
            let all = (0..8).flat_map(|thread| (1..100).map(move |n| (format!("{thread}/{n}"), n)));
            all.for_each(|(name, n)| assert_eq!(documents(manifest, &name), Some(n)));
        }
    }

    #[test]
    fn what_is_no_manifest_is_left_alone() {
        let place = Place::new();
        drop(place.open(true));
        fs::write(place.file(), "notes of mine\n").expect("written");
        for resume in [false, true] {
            let error = format!("{:#}", place.try_open("work", resume).expect_err("refused"));
            assert!(error.ends_with("manifest.jsonl\" is not a manifest of dehusk: move it away"), "{error}");
        }
        fs::write(place.file(), HEADER.replace('1', "2")).expect("written");
        let error = place.try_open("work", true).expect_err("refused").to_string();
        assert!(error.contains("writes version 2 of it: continue with that dehusk, or leave out `resume`"), "{error}");
        drop(place.open(false));
        assert_eq!(place.text(), HEADER);
    }

    #[test]
    fn of_many_skipped_documents_the_first_are_named() {
        let mut done = Done::default();
        (0..NAMED_SKIPS + 3).for_each(|number| done.skip(&LeftOut::new(number, "is empty")));
        assert_eq!((done.skipped.len(), done.more_skipped), (NAMED_SKIPS, 3));
        let place = Place::new();
        place.open(false).add("a", &STAMP, &done).expect("added");
        assert_eq!(place.open(true).done("a", &STAMP), Some(done));
    }
}
