//! A single file to write.
//!
//! Takes the path of the file, and the paths that the run reads. The file must not be one of these, or inside one.
//! Unlike an output folder, it may be in a folder that contains the input, because nothing else is written there. For
//! the same reason, its temporary file is in the same folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use crate::Reads;
use crate::write::output::{OutputError, OutputRoot};
use crate::write::pending_file::PendingFile;
use crate::write::target::{Target, folder_of};

/// How an output starts, to distinguish it from files of other programs.
#[derive(Clone, Copy, Debug)]
pub enum OutputKind {
    /// This text is in its first 4 KiB.
    Text(&'static str),
    /// Its first line is a JSON object that has all keys of one of these lists.
    Lines(&'static [&'static [&'static str]]),
}

/// A file to write, separate from all input. If the path is a link, the target is written. Devices and named pipes are
/// written directly.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    reads: Reads,
}

impl OutputFile {
    /// Creates the folder of the file if it does not exist. Fails if the run reads the file or a folder that contains
    /// it.
    pub fn create(path: &Path, reads: &Reads) -> Result<OutputFile, OutputError> {
        Target::of(path)?;
        if path.file_name().is_none() {
            return Err(OutputError::NotAFile(path.to_owned()));
        }
        reads.refuse(path)?;
        let folder = folder_of(path);
        fs::create_dir_all(folder).map_err(|error| OutputError::Write { path: folder.to_owned(), error })?;
        Ok(OutputFile { path: path.to_owned(), reads: reads.clone() })
    }

    /// Whether the current content may be an output of this kind. This is also true for a missing or an empty file, for
    /// a device and for a named pipe.
    pub fn is_of_kind(&self, kind: OutputKind) -> Result<bool, OutputError> {
        let Target::File { path, .. } = Target::of(&self.path)? else { return Ok(true) };
        match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
            file => file
                .and_then(|file| begins_as(file, kind))
                .map_err(|error| OutputError::Write { path: self.path.clone(), error }),
        }
    }

    /// Writes the whole file. If `write` fails, nothing is written, and an old file is unchanged.
    pub fn write_atomic<T>(
        &self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
    ) -> Result<T, OutputError> {
        self.begin()?.write_all_of(write)
    }

    /// Writes the file if its content is still `old`, or if it is still missing (`None`). Returns whether it was
    /// written.
    pub fn replace(&self, old: Option<&[u8]>, new: &[u8]) -> Result<bool, OutputError> {
        self.begin()?.replace(old, new)
    }

    /// Starts the file, to be written step by step.
    pub fn begin(&self) -> Result<PendingFile, OutputError> {
        match self.target()? {
            Target::Stream(path) => PendingFile::through(path),
            Target::File { path, .. } => PendingFile::beside_itself(path),
        }
        .map_err(|error| OutputError::Write { path: self.path.clone(), error })
    }

    /// The error that this file cannot be written.
    pub fn cannot_write(&self, error: io::Error) -> OutputError {
        OutputError::Write { path: self.path.clone(), error }
    }

    /// Like [`begin`](OutputFile::begin), for a run with an output folder. The unfinished file is in this folder. So if
    /// the run is killed, the run that continues it removes the unfinished file.
    pub fn begin_in(&self, folder: &OutputRoot) -> Result<PendingFile, OutputError> {
        match self.target()? {
            Target::Stream(_) => self.begin(),
            Target::File { path, .. } => folder.begin_at(path),
        }
    }

    /// The target of the path. It is determined again, because the path may have become a link since the last time.
    fn target(&self) -> Result<Target, OutputError> {
        let target = Target::of(&self.path)?;
        self.reads.refuse_target(&self.path, &target)?;
        Ok(target)
    }
}

fn begins_as(file: File, kind: OutputKind) -> io::Result<bool> {
    let (mut start, mut file) = (Vec::new(), BufReader::new(file));
    match kind {
        OutputKind::Text(_) => drop(file.take(4096).read_to_end(&mut start)?),
        OutputKind::Lines(_) => drop(file.by_ref().take(1 << 20).read_until(b'\n', &mut start)?),
    }
    let begins = || match kind {
        OutputKind::Text(text) => start.windows(text.len()).any(|part| part == text.as_bytes()),
        OutputKind::Lines(shapes) => {
            let keys: BTreeMap<String, IgnoredAny> = serde_json::from_slice(&start).unwrap_or_default();
            shapes.iter().any(|shape| shape.iter().all(|key| keys.contains_key(*key)))
        }
    };
    Ok(start.is_empty() || begins())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{plain, tree};

    fn error(output: &str) -> String {
        let folder = tree(&[("corpus/a/x.txt", b""), ("one.txt", b"")]);
        let inputs = ["corpus", "one.txt"].map(|input| folder.path().join(input));
        plain(
            &folder,
            OutputFile::create(&folder.path().join(output), &Reads::nothing().corpus(inputs))
                .expect_err("it is refused"),
        )
    }

    #[test]
    fn input_is_not_written_over() {
        assert_eq!(error("one.txt"), r#"the output "one.txt" is the same as the input "one.txt": choose another one"#);
        assert!(error("corpus/a/r.html").contains(r#"is inside the input "corpus""#));
        assert!(error("new/../corpus/r.html").contains(r#"is inside the input "corpus""#));
    }

    #[test]
    fn a_folder_is_no_file() {
        assert_eq!(error("corpus"), r#"cannot write to "corpus": it is a folder; name a file in it"#);
    }

    #[test]
    fn a_file_may_lie_beside_the_input() {
        let folder = tree(&[("corpus/a/x.txt", b"")]);
        let path = folder.path().join("new/r.html");
        let output =
            OutputFile::create(&path, &Reads::nothing().corpus([folder.path().join("corpus")])).expect("it lies apart");
        output.write_atomic(|writer| writer.write_all(b"all")).expect("it can be written");
        assert_eq!(fs::read(&path).expect("it is there"), b"all");
        let entries = fs::read_dir(folder.path().join("new")).expect("a folder");
        assert_eq!(entries.count(), 1, "nothing else appears in the folder");
    }
}
