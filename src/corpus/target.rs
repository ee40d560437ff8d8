//! The target of a path that something is written to.
//!
//! A regular file is replaced. A link to a file is kept, and its target is replaced. A device or a named pipe is
//! written directly: replacing it by a file would break all programs that use it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::output::OutputError;

/// The folder of a file that may not exist yet.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where the bytes that are written to a path end up.
#[derive(Debug, PartialEq)]
pub(super) enum Target {
    /// A file at this path, with links resolved. It may not exist yet.
    File(PathBuf),
    /// The device or named pipe at this path.
    Stream(PathBuf),
}

impl Target {
    /// Finds the target of a path. Fails for a folder and for a link whose target does not exist.
    pub(super) fn of(path: &Path) -> Result<Target, OutputError> {
        let failed = |error| OutputError::Write { path: path.to_owned(), error };
        let is_link = || fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(OutputError::NotAFile(path.to_owned())),
            Ok(metadata) if !metadata.is_file() => Ok(Target::Stream(path.to_owned())),
            Ok(_) if is_link() => Ok(Target::File(fs::canonicalize(path).map_err(failed)?)),
            Err(error) if error.kind() == ErrorKind::NotFound && is_link() => {
                Err(OutputError::LinkToNothing(path.to_owned()))
            }
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(Target::File(path.to_owned())),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::testing::tree;
    use super::*;

    #[test]
    fn links_lead_to_the_file() {
        let folder = tree(&[("a/x.txt", b"x")]);
        let at = |path: &str| folder.path().canonicalize().expect("a folder").join(path);
        symlink("a/x.txt", at("one")).expect("a link");
        symlink("one", at("two")).expect("a link");
        symlink("three", at("three")).expect("a link");
        symlink("a", at("folder")).expect("a link");
        symlink("gone", at("four")).expect("a link");
        assert_eq!(Target::of(&at("two")).expect("a file"), Target::File(at("a/x.txt")));
        assert_eq!(Target::of(&at("a/x.txt")).expect("a file"), Target::File(at("a/x.txt")));
        assert_eq!(Target::of(&at("new")).expect("none yet"), Target::File(at("new")));
        assert!(matches!(Target::of(&at("three")), Err(OutputError::Write { .. })));
        assert!(matches!(Target::of(&at("folder")), Err(OutputError::NotAFile(_))));
        assert!(matches!(Target::of(&at("four")), Err(OutputError::LinkToNothing(_))));
    }
}
