//! The output of a stream: stdout, or a file that a later run extends.
//!
//! Takes lines in order. A file must be as the last run left it: the state has its length, and a hash of its last bytes.
//! Only if that run was killed, the file may be longer, and is cut back. While a run writes to a file, it is locked.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use crate::corpus::{FileId, Reads};
use crate::pipeline::error::{PipelineError, Result};
use crate::streaming::state::Written;

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
    /// The last bytes.
    ending: Vec<u8>,
    /// Whether it is a regular file. A device or a named pipe keeps nothing.
    is_kept: bool,
    /// Number of bytes that were cut off, because the state does not know them.
    pub cut: u64,
}

impl Output {
    /// Writes lines, and waits until they are stored.
    pub fn write(&mut self, lines: &[u8]) -> Result<()> {
        match self {
            _ if lines.is_empty() => Ok(()),
            Output::Nowhere => Ok(()),
            Output::Stdout => {
                let mut stdout = io::stdout().lock();
                let written = stdout.write_all(lines).and_then(|()| stdout.flush());
                written.map_err(|error| PipelineError::in_context("cannot write to stdout".to_owned(), error))
            }
            Output::File(file) => file.write(lines),
        }
    }

    /// Removes the lines that were written last, because what was learned from their documents is not stored.
    pub fn take_back(&mut self, bytes: usize) {
        if let Output::File(file) = self
            && file.is_kept
        {
            file.length = file.length.saturating_sub(bytes as u64);
            // If that fails, the next run cuts them off.
            let _ = file.cut_back();
        }
    }

    /// The path of the file, and what was written to it.
    pub fn place(&self) -> Option<(&Path, Written)> {
        let Output::File(file) = self else { return None };
        let written = Written { bytes: file.length, ending: hash(&file.ending), is_open: true };
        file.is_kept.then_some((&file.path, written))
    }

    /// The same at the end of a run. `None` if there is more in the file, which the next run must cut off.
    pub fn last_place(&self) -> Option<(&Path, Written)> {
        let Output::File(LineFile { file, .. }) = self else { return None };
        let has_length = |written: &Written| file.metadata().is_ok_and(|metadata| metadata.len() == written.bytes);
        self.place().filter(|(_, written)| has_length(written))
    }
}

impl LineFile {
    /// Opens and locks the file at `path`, to which earlier runs have written this. `None` if the state does not know the
    /// file. It must be nothing that the run reads.
    pub fn open(path: &Path, written: Option<Written>, reads: &Reads) -> Result<LineFile> {
        let naming = |error| cannot_write(path, error);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(naming)?;
        let is_kept = file.metadata().map_err(naming)?.is_file();
        if is_kept {
            FileId::of_open(&file, path).map_or(Ok(()), |id| reads.refuse_file(path, &id))?;
            // Where locks are not supported, it is written without one.
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
        let mut opened = LineFile { path: real_path, file, length, ending: Vec::new(), is_kept, cut: 0 };
        if is_kept {
            opened.cut = found.saturating_sub(length);
            opened.refuse_changed(path, found, written)?;
            opened.cut_back().map_err(naming)?;
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

    fn write(&mut self, lines: &[u8]) -> Result<()> {
        let written = self.file.write_all(lines);
        let written = written.and_then(|()| if self.is_kept { self.file.sync_data() } else { Ok(()) });
        written.map_err(|error| {
            if self.is_kept {
                // If that fails, the next run cuts them off.
                let _ = self.cut_back();
            }
            cannot_write(&self.path, error)
        })?;
        self.length += lines.len() as u64;
        self.ending.extend_from_slice(lines);
        let more = self.ending.len().saturating_sub(ENDING as usize);
        self.ending.drain(..more);
        Ok(())
    }

    /// Cuts off what is not part of the output, and goes to its end.
    fn cut_back(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() > self.length {
            self.file.set_len(self.length)?;
        }
        self.read_ending()
    }

    /// Reads the last bytes. The file is then at the end of the output.
    fn read_ending(&mut self) -> io::Result<()> {
        let start = self.length.saturating_sub(ENDING);
        self.file.seek(SeekFrom::Start(start))?;
        self.ending.clear();
        (&self.file).take(self.length - start).read_to_end(&mut self.ending).map(drop)
    }
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

    fn open(path: &Path, written: Option<Written>) -> Result<LineFile> {
        LineFile::open(path, written, &Reads::nothing())
    }

    fn message(path: &Path, written: Option<Written>) -> String {
        open(path, written).map(drop).expect_err("refused").to_string()
    }

    /// A file with some lines, and what the state knows of it.
    fn lines(path: &Path, lines: &[u8]) -> Written {
        let mut file = open(path, None).expect("a new file");
        file.write(lines).expect("written");
        Output::File(file).place().expect("a file").1
    }

    #[test]
    fn what_a_killed_run_wrote_after_its_last_commit_is_cut_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let written = lines(&path, b"one\n");
        fs::write(&path, "one\ntwo\n").expect("written");
        let mut file = open(&path, Some(written)).expect("the same file");
        file.write(b"TWO\n").expect("written");
        assert_eq!((file.length, file.cut), (8, 4));
        assert_eq!(fs::read(&path).expect("a file"), b"one\nTWO\n");
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
            file.write(format!("{number:060}\n").as_bytes()).expect("written");
        }
        assert_eq!(file.ending.len() as u64, ENDING);
        let (ending, length) = (file.ending.clone(), file.length);
        file.read_ending().expect("read");
        assert_eq!((file.ending, length), (ending, 3000 * 61));
    }
}
