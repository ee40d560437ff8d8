//! The output of a stream: stdout, or a file that a later run extends.
//!
//! Takes lines in order. Before anything is added to a file, it is cut back to the length in the state, because a run
//! that was killed may have written more.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::pipeline::error::{PipelineError, Result};

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
            let _ = file.file.set_len(file.length);
        }
    }

    /// The path of the file, and its length.
    pub fn place(&self) -> Option<(&Path, u64)> {
        match self {
            Output::File(file) if file.is_kept => Some((&file.path, file.length)),
            _ => None,
        }
    }
}

impl LineFile {
    /// The file at `path`, to which earlier runs have written this number of bytes. `None` if the state does not know
    /// the file.
    pub fn open(path: &Path, written: Option<u64>) -> Result<LineFile> {
        let naming = |error| cannot_write(path, error);
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(naming)?;
        let metadata = file.metadata().map_err(naming)?;
        let (is_kept, found) = (metadata.is_file(), metadata.len());
        let length = written.unwrap_or(0);
        if written.is_none() && found > 0 {
            return Err(PipelineError::Refused(format!(
                "{}: it has text that no stream with this state has written; name another file",
                path.display()
            )));
        }
        if found < length {
            return Err(PipelineError::Refused(format!(
                "{}: it has {found} bytes, but {length} bytes were written; restore it, or name another file",
                path.display()
            )));
        }
        if is_kept {
            file.set_len(length).map_err(naming)?;
            file.seek(SeekFrom::End(0)).map_err(naming)?;
        }
        let path = fs::canonicalize(path).map_err(naming)?;
        Ok(LineFile { path, file, length, is_kept, cut: found - length })
    }

    fn write(&mut self, lines: &[u8]) -> Result<()> {
        let written = self.file.write_all(lines);
        let written = written.and_then(|()| if self.is_kept { self.file.sync_data() } else { Ok(()) });
        written.map_err(|error| cannot_write(&self.path, error))?;
        self.length += lines.len() as u64;
        Ok(())
    }
}

fn cannot_write(path: &Path, error: io::Error) -> PipelineError {
    PipelineError::in_context(format!("cannot write {}", path.display()), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_kept_count_of_is_cut_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        let mut file = LineFile::open(&path, None).expect("a new file");
        file.write(b"one\n").expect("written");
        file.write(b"two\n").expect("written");
        drop(file);
        let mut file = LineFile::open(&path, Some(4)).expect("the same file");
        file.write(b"TWO\n").expect("written");
        assert_eq!((file.length, file.cut), (8, 4));
        assert_eq!(fs::read(&path).expect("a file"), b"one\nTWO\n");
    }

    #[test]
    fn files_of_others_and_files_that_lost_something_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        fs::write(&path, "theirs").expect("written");
        let message = |written| LineFile::open(&path, written).map(drop).expect_err("refused").to_string();
        assert!(message(None).ends_with("name another file"), "{}", message(None));
        assert!(message(Some(7)).contains("it has 6 bytes, but 7 bytes were written"), "{}", message(Some(7)));
        assert_eq!(fs::read(&path).expect("a file"), b"theirs");
    }
}
