//! One file to write.
//!
//! Takes its path and the input paths; gives an [`OutputFile`] that is none of the input and lies in none of it. Unlike
//! an output folder, it may lie in a folder around the input: nothing else is written there, and so its temporary file
//! lies beside it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::output::{OutputError, OutputRoot, refuse_file_in};
use super::pending_file::PendingFile;

/// A file to write, apart from all input.
#[derive(Debug)]
pub struct OutputFile {
    folder: OutputRoot,
    name: OsString,
}

impl OutputFile {
    /// Makes the folder that the file is to lie in, unless it exists, having checked that the file lies apart from all
    /// `inputs`.
    pub fn create(path: &Path, inputs: &[PathBuf]) -> Result<OutputFile, OutputError> {
        let name = path.file_name().filter(|_| !path.is_dir());
        let name = name.ok_or_else(|| OutputError::NotAFile(path.to_owned()))?.to_owned();
        refuse_file_in(path, inputs)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(OutputFile { folder: OutputRoot::of_others(folder.to_owned())?, name })
    }

    /// Writes all of the file or, if `write` fails, nothing: what was there before stays.
    pub fn write_atomic<T>(
        &self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
    ) -> Result<T, OutputError> {
        self.folder.write_atomic(&self.name, write)
    }

    /// The file, for whoever writes it bit by bit.
    pub fn begin(&self) -> Result<PendingFile, OutputError> {
        self.folder.begin(&self.name)
    }

    /// The same for a run that has an output folder: what is unfinished lies there, so that nothing of it stays if the run
    /// is killed and another one goes on.
    pub fn begin_in(&self, folder: &OutputRoot) -> Result<PendingFile, OutputError> {
        folder.begin_at(self.folder.path().join(&self.name))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
