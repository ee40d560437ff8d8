//! A file that is being written.
//!
//! Takes the path it is to have; gives a writer. What is written lies in a temporary file until it is published, which
//! puts all of it in its place at once; if it never is, nothing is left of it.

use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHasher;
use tempfile::{Builder, NamedTempFile};

use super::output::OutputError;
use super::run_folder::RunFolder;

/// How the names of temporary files begin: hidden, so that they are never read as documents.
const TEMPORARY_PREFIX: &str = ".dehusk-";
/// A temporary file that nobody has written to for so long, nor holds, is left over.
const LEFT_OVER_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// A file that will appear in its place when it is published.
#[derive(Debug)]
pub struct PendingFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    /// Where the temporary file is, which goes before it.
    _folder: Option<Arc<RunFolder>>,
}

impl PendingFile {
    /// Its temporary file lies in a run's folder.
    pub(super) fn in_run_folder(folder: Arc<RunFolder>, path: PathBuf) -> io::Result<PendingFile> {
        let file = BufWriter::new(temporary_file().prefix(TEMPORARY_PREFIX).tempfile_in(folder.path())?);
        Ok(PendingFile { file, path, _folder: Some(folder) })
    }

    /// Its temporary file lies beside it.
    pub(super) fn beside_itself(path: PathBuf) -> io::Result<PendingFile> {
        Ok(PendingFile { file: BufWriter::new(beside(&path)?), path, _folder: None })
    }

    /// Puts it in its place, instead of what is there.
    pub fn publish(self) -> Result<(), OutputError> {
        let PendingFile { file, path, .. } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error);
        let published = file.and_then(|file| match file.persist(&path) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == ErrorKind::CrossesDevices => copy(error.file.path(), &path),
            Err(error) => Err(error.error),
        });
        published.map_err(|error| OutputError::Write { path, error })
    }

    /// What to say of a failure to write to it.
    pub(super) fn failed(self, error: io::Error) -> OutputError {
        OutputError::Write { path: self.path, error }
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Where `path` lies on another file system than `from`, nothing can be moved there.
fn copy(from: &Path, path: &Path) -> io::Result<()> {
    let mut file = beside(path)?;
    io::copy(&mut File::open(from)?, &mut file)?;
    file.persist(path)?;
    Ok(())
}

/// A temporary file beside `path`. Its name is that of `path`, hashed, and a number, so that what a killed process left
/// of this very file is met again, and removed; no other file is touched.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut hasher = FxHasher::default();
    path.file_name().hash(&mut hasher);
    let hash = hasher.finish();
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut number: u32 = 0;
    loop {
        let name = format!("{TEMPORARY_PREFIX}{hash:016x}-{number}");
        match temporary_file().prefix(&name).rand_bytes(0).tempfile_in(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Err(_) if removes_left_over(&folder.join(name)) => {}
            Err(_) => number += 1,
            Ok(file) => {
                // a lock that cannot be had is no hindrance to writing
                let _ = file.as_file().try_lock();
                return Ok(file);
            }
        }
    }
}

fn temporary_file() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    // readable by whom the umask says, like any new file; a temporary file is the owner's alone
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// Removes a temporary file that is left over; whether it did.
fn removes_left_over(path: &Path) -> bool {
    // looked at while it is locked: two that find it at once do not remove each other's next one
    let Ok(file) = File::options().read(true).write(true).open(path) else { return false };
    let is_held = file.try_lock().is_err();
    !is_held && is_old(path) && fs::remove_file(path).is_ok()
}

fn is_old(path: &Path) -> bool {
    let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
    let age = metadata.and_then(|metadata| metadata.modified().ok()?.elapsed().ok());
    age.is_some_and(|age| age > LEFT_OVER_AFTER)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::super::testing::tree;
    use super::*;

    /// The temporary file of a process that was killed so long ago.
    fn left_over(path: &Path, age: Duration) -> PathBuf {
        let (file, name) = beside(path).expect("a file").keep().expect("it stays");
        file.set_modified(SystemTime::now() - age).expect("a time");
        name
    }

    #[test]
    fn what_a_killed_process_left_of_this_file_goes_after_a_day() {
        let folder = tree(&[]);
        let path = folder.path().join("report.html");
        let of_another = left_over(&folder.path().join("other.html"), 2 * LEFT_OVER_AFTER);
        let young = left_over(&path, LEFT_OVER_AFTER / 2);
        PendingFile::beside_itself(path.clone()).expect("a file").publish().expect("written");
        assert!(young.exists() && of_another.exists());
        let old = File::open(&young).expect("a file");
        old.set_modified(SystemTime::now() - 2 * LEFT_OVER_AFTER).expect("a time");
        drop(old);
        PendingFile::beside_itself(path.clone()).expect("a file").publish().expect("written");
        assert!(!young.exists() && of_another.exists() && path.exists());
    }

    #[test]
    fn what_a_slow_process_holds_stays() {
        let folder = tree(&[]);
        let path = folder.path().join("report.html");
        let mut slow = PendingFile::beside_itself(path.clone()).expect("a file");
        slow.write_all(b"slow").expect("written");
        slow.flush().expect("written");
        let file = slow.file.get_ref().as_file();
        file.set_modified(SystemTime::now() - 2 * LEFT_OVER_AFTER).expect("a time");
        PendingFile::beside_itself(path.clone()).expect("a file").publish().expect("written");
        assert_eq!(fs::read(&path).expect("a file"), b"");
        slow.publish().expect("it is still there");
        assert_eq!(fs::read(&path).expect("a file"), b"slow");
    }

    #[test]
    fn where_it_cannot_be_moved_it_is_copied() {
        let folder = tree(&[("unfinished", b"text"), ("out/x.txt", b"old")]);
        let path = folder.path().join("out/x.txt");
        copy(&folder.path().join("unfinished"), &path).expect("copied");
        assert_eq!(fs::read(&path).expect("a file"), b"text");
        assert_eq!(fs::read_dir(folder.path().join("out")).expect("a folder").count(), 1);
    }
}
