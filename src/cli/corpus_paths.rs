//! The paths of a corpus: those on the command line, and those in a list.
//!
//! Takes the arguments. Gives all paths, and the files that they lead to. An error about a path in a list names its line.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use clap::error::ErrorKind;

use dehusk_core::whole;
use dehusk_corpus::{Inventory, ReadOptions, ScanError};

use super::reporter::Reporter;

/// Maximum number of paths in a list. Even a short path takes some 60 bytes of memory.
const MOST_PATHS: usize = 10_000_000;

/// A list with more paths of a corpus.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub struct ListArgs {
    /// File with more paths, one on each line; `-` for stdin
    ///
    /// File with more paths of the corpus, with a path on each line; `-` for stdin.
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
}

/// All paths of a corpus.
pub struct CorpusPaths {
    paths: Vec<PathBuf>,
    /// The number of paths from the command line. They come before those of the list.
    arguments: usize,
    list: PathBuf,
    /// The line of each path in the list.
    lines: Vec<usize>,
}

/// Prints a note if input is read from a terminal. Without it, a person who gave `-` but no pipe would see a program
/// that waits silently.
pub fn tell_of_terminal(arguments: &[PathBuf], list: &ListArgs, reporter: &Reporter) {
    let mut paths = arguments.iter().chain(&list.files_from);
    if paths.any(|path| is_stdin(path)) && io::stdin().is_terminal() {
        reporter.note("reading from the terminal; Ctrl-D at the start of a line ends the input");
    }
}

impl CorpusPaths {
    /// Reads the list, if there is one. Its paths come after those in `arguments`.
    pub fn read(arguments: &[PathBuf], list: &ListArgs) -> anyhow::Result<CorpusPaths> {
        let paths = arguments.to_vec();
        let mut all = CorpusPaths { paths, arguments: arguments.len(), list: PathBuf::new(), lines: Vec::new() };
        if let Some(list) = &list.files_from {
            refuse_stdin_twice(arguments, list)?;
            all.list = if is_stdin(list) { "stdin".into() } else { list.clone() };
            let naming = || format!("cannot read the list {}", all.list.display());
            let bytes = match is_stdin(list) {
                true => whole::bytes(io::stdin().lock(), whole::MOST_BYTES_OF_FILE),
                false => whole::open_named(list).and_then(|file| whole::bytes(file, whole::MOST_BYTES_OF_FILE)),
            };
            all.add_lines(&bytes.with_context(naming)?)?;
        }
        Ok(all)
    }

    /// Finds the files.
    pub fn scan(&self, options: &ReadOptions) -> anyhow::Result<Inventory> {
        self.scan_some(&self.paths, options)
    }

    /// Finds the files of each path separately, in the order of the paths.
    pub fn scan_each(&self, options: &ReadOptions) -> anyhow::Result<Vec<Inventory>> {
        self.paths.chunks(1).map(|path| self.scan_some(path, options)).collect()
    }

    fn scan_some(&self, paths: &[PathBuf], options: &ReadOptions) -> anyhow::Result<Inventory> {
        Inventory::scan(paths, options).map_err(|error| match self.line_of(&error) {
            Some(line) => anyhow::Error::from(error).context(self.place(line)),
            None => error.into(),
        })
    }

    fn add_lines(&mut self, list: &[u8]) -> anyhow::Result<()> {
        let list = without_mark(list).with_context(|| self.list.display().to_string())?;
        for (line, bytes) in (1..).zip(list.split(|&byte| byte == b'\n')) {
            let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            if !bytes.trim_ascii().is_empty() {
                self.paths.push(path_of(bytes).with_context(|| self.place(line))?);
                self.lines.push(line);
            }
            if self.lines.len() > MOST_PATHS {
                bail!("{} lists more than {MOST_PATHS} paths: list folders or globs", self.list.display());
            }
        }
        if self.paths.is_empty() {
            bail!("{} lists no paths: write a path on each line", self.list.display());
        }
        Ok(())
    }

    fn line_of(&self, error: &ScanError) -> Option<usize> {
        let at = self.paths.iter().position(|path| Some(path.as_path()) == error.path())?;
        self.lines.get(at.checked_sub(self.arguments)?).copied()
    }

    fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.list.display())
    }
}

fn refuse_stdin_twice(arguments: &[PathBuf], list: &Path) -> Result<(), clap::Error> {
    if is_stdin(list) && arguments.iter().any(|path| is_stdin(path)) {
        let message =
            "stdin cannot be both the documents (-) and their list (--files-from -): give one of them as a file\n";
        return Err(clap::Error::raw(ErrorKind::ArgumentConflict, message));
    }
    Ok(())
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Removes the byte order mark of a list. Fails if the list is UTF-16.
fn without_mark(list: &[u8]) -> anyhow::Result<&[u8]> {
    if list.starts_with(b"\xff\xfe") || list.starts_with(b"\xfe\xff") {
        bail!("is UTF-16: save the list as UTF-8");
    }
    Ok(list.strip_prefix(b"\xef\xbb\xbf").unwrap_or(list))
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not all bytes are paths")]
fn path_of(bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    Ok(path.into())
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let path = str::from_utf8(bytes).context("is not valid UTF-8: save the list as UTF-8")?;
    Ok(path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(list: &[u8]) -> anyhow::Result<CorpusPaths> {
        let (paths, arguments) = (vec!["a".into()], 1);
        let mut all = CorpusPaths { paths, arguments, list: "list".into(), lines: Vec::new() };
        all.add_lines(list)?;
        Ok(all)
    }

    #[test]
    fn a_path_a_line() {
        let all = listed(b"\xef\xbb\xbfb\r\n\n \r\n c d \nb/\xc3\xa9").expect("a list");
        assert_eq!(all.paths, ["a", "b", " c d ", "b/é"].map(PathBuf::from));
        assert_eq!(all.lines, [1, 4, 5]);
    }

    #[test]
    fn what_is_wrong_with_a_listed_path_is_told_with_its_line() {
        let all = listed(b"b\n\nc\n").expect("a list");
        let line = |path: &str| all.line_of(&ScanError::UnknownKind(path.into()));
        assert_eq!((line("a"), line("b"), line("c"), line("d")), (None, Some(1), Some(3), None));
    }

    #[test]
    fn a_list_in_another_encoding_is_refused() {
        let error = listed(b"\xff\xfea\0\n\0").err().expect("it is refused");
        assert_eq!(format!("{error:#}"), "list: is UTF-16: save the list as UTF-8");
    }
}
