//! The target of a path to which an output is written.
//!
//! A regular file is replaced. A link to a file is kept, and its target is replaced. A device or a named pipe is
//! written directly: replacing it by a file would break all programs that use it.

use std::fs::{self, File, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::write::output::OutputError;

/// The folder of a file that may not exist yet.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The identity of a file or folder in the file system, whatever its path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] PathBuf);

impl FileId {
    /// The identity of the file or folder at a path, after all links. `None` if there is none.
    pub fn of(path: &Path) -> Option<FileId> {
        FileId::with(path, &fs::metadata(path).ok()?)
    }

    /// The identity of an open file that was found at this path.
    pub fn of_open(file: &File, path: &Path) -> Option<FileId> {
        FileId::with(path, &file.metadata().ok()?)
    }

    #[cfg(unix)]
    fn with(_: &Path, metadata: &Metadata) -> Option<FileId> {
        use std::os::unix::fs::MetadataExt;
        Some(FileId((metadata.dev(), metadata.ino())))
    }

    #[cfg(not(unix))]
    fn with(path: &Path, _: &Metadata) -> Option<FileId> {
        fs::canonicalize(path).ok().map(FileId)
    }
}

/// Whether a file has other names than this one: hard links.
#[cfg(unix)]
pub(crate) fn has_other_names(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.nlink() > 1)
}

/// Whether a file has other names than this one. This system does not tell.
#[cfg(not(unix))]
pub(crate) fn has_other_names(_: &Path) -> bool {
    false
}

/// Where the bytes that are written to a path end up.
#[derive(Debug, PartialEq)]
pub(crate) enum Target {
    /// A file.
    File {
        /// Its path, with links resolved.
        path: PathBuf,
        /// `None` if it does not exist yet.
        id: Option<FileId>,
    },
    /// The device or named pipe at this path.
    Stream(PathBuf),
}

impl Target {
    /// Finds the target of a path. Fails for a folder and for a link whose target does not exist.
    pub(crate) fn of(path: &Path) -> Result<Target, OutputError> {
        let failed = |error| OutputError::Write { path: path.to_owned(), error };
        let is_link = || fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(OutputError::NotAFile(path.to_owned())),
            Ok(metadata) if !metadata.is_file() => Ok(Target::Stream(path.to_owned())),
            Ok(metadata) => {
                let id = FileId::with(path, &metadata);
                let path = if is_link() { fs::canonicalize(path).map_err(failed)? } else { path.to_owned() };
                Ok(Target::File { path, id })
            }
            Err(error) if error.kind() == ErrorKind::NotFound && is_link() => {
                Err(OutputError::LinkToNothing(path.to_owned()))
            }
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
            Err(_) => Ok(Target::File { path: path.to_owned(), id: None }),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::tree;

    #[test]
    fn links_lead_to_the_file() {
        let folder = tree(&[("a/x.txt", b"x")]);
        let at = |path: &str| folder.path().canonicalize().expect("a folder").join(path);
        symlink("a/x.txt", at("one")).expect("a link");
        symlink("one", at("two")).expect("a link");
        symlink("three", at("three")).expect("a link");
        symlink("a", at("folder")).expect("a link");
        symlink("gone", at("four")).expect("a link");
        let file = |path: &str| Target::File { path: at(path), id: FileId::of(&at(path)) };
        assert_eq!(Target::of(&at("two")).expect("a file"), file("a/x.txt"));
        assert_eq!(Target::of(&at("a/x.txt")).expect("a file"), file("a/x.txt"));
        assert_eq!(Target::of(&at("new")).expect("none yet"), Target::File { path: at("new"), id: None });
        assert!(matches!(Target::of(&at("three")), Err(OutputError::Write { .. })));
        assert!(matches!(Target::of(&at("folder")), Err(OutputError::NotAFile(_))));
        assert!(matches!(Target::of(&at("four")), Err(OutputError::LinkToNothing(_))));
    }
}
