//! The output of a stream: stdout, or a file that a later run extends.
//!
//! Takes lines in order. A file must be as the last run left it: the state has its length, and a hash of its last
//! bytes. The file may be longer only if that run was killed. Text behind the recorded length is kept if it is the same
//! as this run writes there. Any other text is moved to a file of its own, so text that this run did not write is never
//! lost. While a run writes to a file, the file is locked.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use twox_hash::XxHash3_64;

use crate::error::{PipelineError, Result};
use crate::observer::{Observer, WarningKind};
use crate::state::Written;
use dehusk_corpus::{FileId, Reads, temporary_beside};

/// Number of bytes at the end of a file by which it is recognized.
const ENDING: u64 = 64 << 10;

/// The destination of lines.
pub enum Output {
    Nowhere,
    Stdout,
    File(LineFile),
}

/// A file of lines.
pub struct LineFile {
    path: PathBuf,
    file: File,
    length: u64,
    /// The last bytes of the file, at most [`ENDING`].
    ending: Vec<u8>,
    /// Whether it is a regular file. A device or a named pipe keeps nothing.
    is_kept: bool,
    /// The position where the last write began. `None` if all of its lines were in the file already.
    last_write: Option<u64>,
}

impl Output {
    /// Writes lines, and waits until they are stored.
    pub fn write(&mut self, lines: &[u8], observer: &dyn Observer) -> Result<()> {
        match self {
            _ if lines.is_empty() => Ok(()),
            Output::Nowhere => Ok(()),
            Output::Stdout => {
                let mut stdout = io::stdout().lock();
                let written = stdout.write_all(lines).and_then(|()| stdout.flush());
                written.map_err(|error| PipelineError::in_context("cannot write to stdout".to_owned(), error))
            }
            Output::File(file) => file.write(lines, observer),
        }
    }

    /// Removes the lines that were written last. This is for lines of documents whose lessons could not be stored in
    /// the state.
    pub fn take_back(&mut self, bytes: usize) {
        if let Output::File(file) = self
            && file.is_kept
        {
            file.length = file.length.saturating_sub(bytes as u64);
            file.undo_write();
            // If that fails, the next run refuses the file.
            let _ = file.read_ending();
        }
    }

    /// Moves text behind the last line to a file of its own, so that after a run that succeeded, nothing but its lines
    /// is in the file.
    pub fn end(&mut self, observer: &dyn Observer) -> Result<()> {
        match self {
            Output::File(file) if file.is_kept => file.set_rest_aside(observer),
            _ => Ok(()),
        }
    }

    /// The path of the file, and its length and ending, for the state.
    pub fn place(&self) -> Option<(&Path, Written)> {
        let Output::File(file) = self else { return None };
        let written = Written { bytes: file.length, ending: hash(&file.ending), is_open: true };
        file.is_kept.then_some((&file.path, written))
    }

    /// The same as [`Output::place`], at the end of a run. `None` if the file has another length than was written, so
    /// that the next run must look at it.
    pub fn last_place(&self) -> Option<(&Path, Written)> {
        let Output::File(LineFile { file, .. }) = self else { return None };
        let has_length = |written: &Written| file.metadata().is_ok_and(|metadata| metadata.len() == written.bytes);
        self.place().filter(|(_, written)| has_length(written))
    }
}

impl LineFile {
    /// Opens and locks the file at `path`. `written` is what earlier runs have written to it, or `None` if the state
    /// does not know the file. The run must not read the file.
    pub fn open(path: &Path, written: Option<Written>, reads: &Reads) -> Result<LineFile> {
        let naming = |error| cannot_write(path, error);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(naming)?;
        let is_kept = file.metadata().map_err(naming)?.is_file();
        if is_kept {
            FileId::of_open(&file, path).map_or(Ok(()), |id| reads.refuse_file(path, &id))?;
            // Where locks are not supported, the file is written without one.
            if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(refused(
                    path,
                    "another run writes to it: wait until that run has ended, or name another file",
                ));
            }
        }
        let found = file.metadata().map_err(naming)?.len();
        let Written { bytes: length, .. } = written.unwrap_or_default();
        let real_path = fs::canonicalize(path).map_err(naming)?;
        let mut opened = LineFile { path: real_path, file, length, ending: Vec::new(), is_kept, last_write: None };
        if is_kept {
            opened.refuse_changed(path, found, written)?;
        }
        Ok(opened)
    }

    /// Refuses a file that is not as the last run left it.
    fn refuse_changed(&mut self, path: &Path, found: u64, written: Option<Written>) -> Result<()> {
        let Some(Written { bytes, ending, is_open }) = written else {
            return match found {
                0 => Ok(()),
                _ => Err(refused(path, "it has text that no stream with this state has written; name another file")),
            };
        };
        if found < bytes {
            let message =
                format!("it has {found} bytes, but {bytes} bytes were written; restore it, or name another file");
            return Err(refused(path, &message));
        }
        self.read_ending().map_err(|error| cannot_write(path, error))?;
        if hash(&self.ending) != ending {
            let message = "it was changed or replaced since the last run: restore it, move it away to begin a new file, \
                           or name another file";
            return Err(refused(path, message));
        }
        if found > bytes && !is_open {
            let message = format!(
                "it has {found} bytes, but only {bytes} bytes were written: move what was added elsewhere, or name \
                 another file"
            );
            return Err(refused(path, &message));
        }
        Ok(())
    }

    fn write(&mut self, lines: &[u8], observer: &dyn Observer) -> Result<()> {
        if !self.is_kept {
            return self.file.write_all(lines).map_err(|error| cannot_write(&self.path, error));
        }
        self.last_write = None;
        let there = self.already_there(lines, observer)?;
        self.append(lines.get(there..).unwrap_or_default(), self.length + there as u64).map_err(|error| {
            self.undo_write();
            cannot_write(&self.path, error)
        })?;
        self.length += lines.len() as u64;
        self.ending.extend_from_slice(lines);
        let more = self.ending.len().saturating_sub(ENDING as usize);
        self.ending.drain(..more);
        Ok(())
    }

    /// Number of bytes of these lines that a killed run has already written. If something else is there, it is set
    /// aside.
    fn already_there(&mut self, lines: &[u8], observer: &dyn Observer) -> Result<usize> {
        let mut there = Vec::new();
        let read = self.file.seek(SeekFrom::Start(self.length));
        let read = read.and_then(|_| (&self.file).take(lines.len() as u64).read_to_end(&mut there));
        read.map_err(|error| cannot_write(&self.path, error))?;
        // The last line of a killed run may be cut off.
        if lines.starts_with(&there) {
            return Ok(there.len());
        }
        self.set_rest_aside(observer).map(|()| 0)
    }

    /// Writes bytes at the end of the file, which is at `start`, and waits until all is stored.
    fn append(&mut self, bytes: &[u8], start: u64) -> io::Result<()> {
        if !bytes.is_empty() {
            self.file.seek(SeekFrom::Start(start))?;
            self.last_write = Some(start);
            self.file.write_all(bytes)?;
        }
        self.file.sync_data()
    }

    /// Removes the bytes that the last write has added.
    fn undo_write(&mut self) {
        if let Some(start) = self.last_write.take() {
            // If that fails, the bytes stay, and the next run finds there the same bytes that it writes.
            let _ = self.file.set_len(start);
        }
    }

    /// Moves text behind the last line to a file of its own, because nobody knows who has written it.
    fn set_rest_aside(&mut self, observer: &dyn Observer) -> Result<()> {
        let naming = |error| cannot_write(&self.path, error);
        let rest = self.file.metadata().map_err(naming)?.len().saturating_sub(self.length);
        if rest == 0 {
            return Ok(());
        }
        let aside = self.copy_of_rest().map_err(|error| {
            PipelineError::in_context(format!("cannot keep the end of {} in another file", self.path.display()), error)
        })?;
        self.file.set_len(self.length).map_err(naming)?;
        let (path, aside) = (self.path.display(), aside.display());
        let message = format!(
            "{path}: its last {rest} bytes are from a run that was killed or from another program, and not what this run \
             writes there: they are in {aside} now"
        );
        observer.warn(WarningKind::Rare, &message);
        Ok(())
    }

    /// Copies the text behind the last line to a new file, and returns the path of the copy.
    fn copy_of_rest(&self) -> io::Result<PathBuf> {
        let mut copy = temporary_beside(&self.path)?;
        let mut file = &self.file;
        file.seek(SeekFrom::Start(self.length))?;
        io::copy(&mut file, copy.as_file_mut())?;
        copy.as_file().sync_all()?;
        put_beside(copy, &self.path)
    }

    /// Reads the last bytes.
    fn read_ending(&mut self) -> io::Result<()> {
        let start = self.length.saturating_sub(ENDING);
        self.file.seek(SeekFrom::Start(start))?;
        self.ending.clear();
        (&self.file).take(self.length - start).read_to_end(&mut self.ending).map(drop)
    }
}

/// Gives a file a free name beside `path`: `FILE.rest`, `FILE.rest.2` and so on.
fn put_beside(mut file: NamedTempFile, path: &Path) -> io::Result<PathBuf> {
    for number in 1_u32.. {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { ".rest".to_owned() } else { format!(".rest.{number}") });
        file = match file.persist_noclobber(&name) {
            Ok(_) => return Ok(name.into()),
            Err(taken) if taken.error.kind() == ErrorKind::AlreadyExists => taken.file,
            Err(failed) => return Err(failed.error),
        };
    }
    Err(ErrorKind::AlreadyExists.into())
}

fn hash(ending: &[u8]) -> u64 {
    XxHash3_64::oneshot(ending)
}

fn refused(path: &Path, why: &str) -> PipelineError {
    PipelineError::Refused(format!("{}: {why}", path.display()))
}

fn cannot_write(path: &Path, error: io::Error) -> PipelineError {
    PipelineError::in_context(format!("cannot write {}", path.display()), error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Silent;

    fn open(path: &Path, written: Option<Written>) -> Result<LineFile> {
        LineFile::open(path, written, &Reads::nothing())
    }

    fn message(path: &Path, written: Option<Written>) -> String {
        open(path, written).map(drop).expect_err("refused").to_string()
    }

    fn write(file: &mut LineFile, lines: &[u8]) {
        file.write(lines, &Silent).expect("written");
    }

    /// Writes a file with some lines. Returns the record of it for the state.
    fn lines(path: &Path, lines: &[u8]) -> Written {
        let mut file = open(path, None).expect("a new file");
        write(&mut file, lines);
        Output::File(file).place().expect("a file").1
    }

    /// A file `out.jsonl` in a new folder, as a killed run left it: the state says that the run wrote `one`, and
    /// `behind` follows in the file.
    fn killed(behind: &str) -> (tempfile::TempDir, LineFile, Written) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let written = lines(&path, b"one\n");
        fs::write(&path, format!("one\n{behind}")).expect("written");
        let file = open(&path, Some(written)).expect("the same file");
        (folder, file, written)
    }

    /// The content of the files after the next run has written two and three, and has ended.
    fn after_a_kill(behind: &str) -> Vec<String> {
        let (folder, mut file, _) = killed(behind);
        write(&mut file, b"two\n");
        write(&mut file, b"three\n");
        Output::File(file).end(&Silent).expect("it ends");
        let read = |name: &&str| fs::read_to_string(folder.path().join(name)).ok();
        ["out.jsonl", "out.jsonl.rest", "out.jsonl.rest.2"].iter().filter_map(read).collect()
    }

    #[test]
    fn what_a_killed_run_wrote_after_its_last_commit_is_written_once() {
        let all = "two\nthree\n";
        for cut in 0..=all.len() {
            assert_eq!(after_a_kill(&all[..cut]), ["one\ntwo\nthree\n"], "{cut}");
        }
    }

    #[test]
    fn what_is_not_written_again_is_set_aside() {
        for behind in ["TWO\n", "tw\n", "twothree\n", "three\n", "\n", "two three", "two\0"] {
            assert_eq!(after_a_kill(behind), ["one\ntwo\nthree\n", behind]);
        }
        for behind in ["THREE", "threeFOUR\n"] {
            assert_eq!(after_a_kill(&format!("two\n{behind}")), ["one\ntwo\nthree\n", behind]);
        }
        assert_eq!(after_a_kill("two\nthree\nfour\n"), ["one\ntwo\nthree\n", "four\n"]);
    }

    #[test]
    fn files_that_were_set_aside_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let mut file = open(&path, None).expect("a new file");
        for line in ["one\n", "two\n", "three\n"] {
            let mut other = File::options().append(true).open(&path).expect("a file");
            other.write_all(format!("before {line}").as_bytes()).expect("written");
            write(&mut file, line.as_bytes());
        }
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
        assert_eq!(read("out.jsonl"), "one\ntwo\nthree\n");
        for (name, line) in [("rest", "one"), ("rest.2", "two"), ("rest.3", "three")] {
            assert_eq!(read(&format!("out.jsonl.{name}")), format!("before {line}\n"));
        }
    }

    #[test]
    fn only_what_the_run_wrote_is_taken_back() {
        for (behind, left) in
            [("", "one\n"), ("tw", "one\ntw"), ("two\n", "one\ntwo\n"), ("two\nmore", "one\ntwo\nmore")]
        {
            let (folder, mut file, written) = killed(behind);
            write(&mut file, b"two\n");
            let mut output = Output::File(file);
            output.take_back(4);
            assert_eq!(output.place().expect("a file").1, written);
            assert_eq!(output.last_place().is_some(), behind.is_empty());
            assert_eq!(fs::read_to_string(folder.path().join("out.jsonl")).expect("a file"), left);
        }
    }

    #[test]
    fn files_of_others_and_files_that_were_changed_are_refused_and_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let written = Written { is_open: false, ..lines(&path, b"one\n") };
        assert!(open(&path, Some(written)).is_ok());
        assert!(message(&path, None).ends_with("name another file"));
        for (content, expected) in [
            ("one", "it has 3 bytes, but 4 bytes were written"),
            ("two\n", "it was changed or replaced since the last run"),
            ("another line\n", "it was changed or replaced since the last run"),
            ("one\ntwo\n", "it has 8 bytes, but only 4 bytes were written"),
        ] {
            fs::write(&path, content).expect("written");
            let message = message(&path, Some(written));
            assert!(message.contains(expected), "{content:?}: {message}");
            assert_eq!(fs::read_to_string(&path).expect("a file"), content);
        }
    }

    #[test]
    fn one_run_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let first = open(&path, None).expect("a new file");
        assert!(message(&path, None).contains("another run writes to it"));
        drop(first);
        assert!(open(&path, None).is_ok());
    }

    #[test]
    fn only_the_last_bytes_are_kept_in_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let mut file = open(&path, None).expect("a new file");
        for number in 0..3000 {
            write(&mut file, format!("{number:060}\n").as_bytes());
        }
        assert_eq!(file.ending.len() as u64, ENDING);
        let (ending, length) = (file.ending.clone(), file.length);
        file.read_ending().expect("read");
        assert_eq!((file.ending, length), (ending, 3000 * 61));
    }
}
