//! One file to write.
//!
//! Takes its path and the input paths; gives an [`OutputFile`] that is none of the input and lies in none of it. Unlike
//! an output folder, it may lie in a folder around the input: nothing else is written there, and so its temporary file
//! lies beside it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::output::{OutputError, OutputRoot, refuse_among};
use super::pending_file::PendingFile;
use super::target::{Target, folder_of};

/// How a kind of output begins, by which it is told from what others wrote.
#[derive(Clone, Copy, Debug)]
pub enum OutputKind {
    /// This stands in its first four kilobytes.
    Text(&'static str),
    /// Its first line is a JSON object with all keys of one of these lists.
    Lines(&'static [&'static [&'static str]]),
}

/// A file to write, apart from all input. A link leads to the file that is written; a device or a named pipe takes what is
/// written as it comes.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
}

impl OutputFile {
    /// Makes the folder that the file is to lie in, unless it exists, having checked that the file lies apart from all
    /// `inputs`.
    pub fn create(path: &Path, inputs: &[PathBuf]) -> Result<OutputFile, OutputError> {
        Target::of(path)?;
        if path.file_name().is_none() {
            return Err(OutputError::NotAFile(path.to_owned()));
        }
        refuse_among(path, inputs)?;
        let folder = folder_of(path);
        fs::create_dir_all(folder).map_err(|error| OutputError::Write { path: folder.to_owned(), error })?;
        Ok(OutputFile { path: path.to_owned() })
    }

    /// Whether what is there may be an output of this kind: it begins so, or there is nothing. A device and a named pipe
    /// keep nothing.
    pub fn is_of_kind(&self, kind: OutputKind) -> Result<bool, OutputError> {
        let Target::File(path) = Target::of(&self.path)? else { return Ok(true) };
        match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
            file => file
                .and_then(|file| begins_as(file, kind))
                .map_err(|error| OutputError::Write { path: self.path.clone(), error }),
        }
    }

    /// Writes all of the file or, if `write` fails, nothing: what was there before stays.
    pub fn write_atomic<T>(
        &self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
    ) -> Result<T, OutputError> {
        self.begin()?.write_all_of(write)
    }

    /// Writes the file, if what is there is still `old`, or nothing; whether it was.
    pub fn replace(&self, old: Option<&[u8]>, new: &[u8]) -> Result<bool, OutputError> {
        self.begin()?.replace(old, new)
    }

    /// The file, for whoever writes it bit by bit.
    pub fn begin(&self) -> Result<PendingFile, OutputError> {
        match Target::of(&self.path)? {
            Target::Stream(path) => PendingFile::through(path),
            Target::File(path) => PendingFile::beside_itself(path),
        }
        .map_err(|error| OutputError::Write { path: self.path.clone(), error })
    }

    /// The same for a run that has an output folder: what is unfinished lies there, so that nothing of it stays if the run
    /// is killed and another one goes on.
    pub fn begin_in(&self, folder: &OutputRoot) -> Result<PendingFile, OutputError> {
        match Target::of(&self.path)? {
            Target::Stream(_) => self.begin(),
            Target::File(path) => folder.begin_at(path),
        }
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
    use super::super::testing::{plain, tree};
    use super::*;

    fn error(output: &str) -> String {
        let folder = tree(&[("corpus/a/x.txt", b""), ("one.txt", b"")]);
        let inputs = ["corpus", "one.txt"].map(|input| folder.path().join(input));
        plain(&folder, OutputFile::create(&folder.path().join(output), &inputs).expect_err("it is refused"))
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
        let output = OutputFile::create(&path, &[folder.path().join("corpus")]).expect("it lies apart");
        output.write_atomic(|writer| writer.write_all(b"all")).expect("it can be written");
        assert_eq!(fs::read(&path).expect("it is there"), b"all");
        let entries = fs::read_dir(folder.path().join("new")).expect("a folder");
        assert_eq!(entries.count(), 1, "nothing else appears in the folder");
    }
}
