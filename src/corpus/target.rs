//! What stands where something is to be written.
//!
//! A regular file is replaced, and a link to one stays a link. A device or a named pipe is written to as it is: whoever
//! replaced it by a file would break all that use it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::output::OutputError;

/// The folder in which a file lies, or is to lie.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where bytes go that are written to a path.
#[derive(Debug, PartialEq)]
pub(super) enum Target {
    /// To a file here, to which links may have led. There may be none yet.
    File(PathBuf),
    /// Into what stands there: a device or a named pipe.
    Stream(PathBuf),
}

impl Target {
    /// That of a path, by what stands there now.
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
