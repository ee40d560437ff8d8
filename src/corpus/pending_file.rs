//! A file that is being written.
//!
//! Takes the path it is to have; gives a writer. What is written lies in a temporary file until it is published, which
//! puts all of it in its place at once; if it never is, nothing is left of it. What goes to a device or a named pipe goes
//! there at once.

use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHasher;
use tempfile::{Builder, NamedTempFile};

use super::output::OutputError;
use super::run_folder::RunFolder;
use super::target::folder_of;

/// How the names of temporary files begin: hidden, so that they are never read as documents.
const TEMPORARY_PREFIX: &str = ".dehusk-";
/// A file that will appear in its place when it is published.
#[derive(Debug)]
pub struct PendingFile {
    sink: BufWriter<Sink>,
    path: PathBuf,
    /// Where the temporary file is, which goes before it.
    _folder: Option<Arc<RunFolder>>,
}

/// Where bytes go until then.
#[derive(Debug)]
enum Sink {
    /// To a file that takes the place of what is there.
    Temporary(NamedTempFile),
    /// To what is there.
    Stream(File),
}

impl PendingFile {
    /// Its temporary file lies in a run's folder.
    pub(super) fn in_run_folder(folder: Arc<RunFolder>, path: PathBuf) -> io::Result<PendingFile> {
        let file = folder.temporary_file(temporary_file().prefix(TEMPORARY_PREFIX))?;
        Ok(PendingFile { sink: BufWriter::new(Sink::Temporary(file)), path, _folder: Some(folder) })
    }

    /// Its temporary file lies beside it.
    pub(super) fn beside_itself(path: PathBuf) -> io::Result<PendingFile> {
        Ok(PendingFile { sink: BufWriter::new(Sink::Temporary(beside(&path)?)), path, _folder: None })
    }

    /// There is no temporary file: what is at `path` takes what is written.
    pub(super) fn through(path: PathBuf) -> io::Result<PendingFile> {
        let stream = File::options().write(true).open(&path)?;
        Ok(PendingFile { sink: BufWriter::new(Sink::Stream(stream)), path, _folder: None })
    }

    /// Puts it in its place, instead of what is there.
    pub fn publish(self) -> Result<(), OutputError> {
        let PendingFile { sink, path, .. } = self;
        let sink = sink.into_inner().map_err(io::IntoInnerError::into_error);
        let published = sink.and_then(|sink| match sink {
            Sink::Stream(_) => Ok(()),
            Sink::Temporary(file) => put(file, &path),
        });
        published.map_err(|error| OutputError::Write { path, error })
    }

    /// Writes all of it, and publishes it if what is there is still `old`, or nothing; whether it was. Looked at as late as
    /// can be: what somebody saves in the moment after that is lost.
    pub(super) fn replace(mut self, old: Option<&[u8]>, new: &[u8]) -> Result<bool, OutputError> {
        let written = self.write_all(new).and_then(|()| self.flush());
        let found = written.and_then(|()| match fs::read(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        });
        match found {
            Ok(found) if found.as_deref() == old => self.publish().map(|()| true),
            Ok(_) => Ok(false),
            Err(error) => Err(OutputError::Write { path: self.path, error }),
        }
    }

    /// Writes all of it and publishes it; nothing of it is left if `write` fails.
    pub(super) fn write_all_of<T>(
        mut self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
    ) -> Result<T, OutputError> {
        match write(&mut self) {
            Ok(written) => self.publish().map(|()| written),
            Err(error) => Err(OutputError::Write { path: self.path, error }),
        }
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            // An error of the temporary file itself would name it, which nobody has asked for.
            Sink::Temporary(file) => file.as_file_mut().write(bytes),
            Sink::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Temporary(file) => file.as_file_mut().flush(),
            Sink::Stream(stream) => stream.flush(),
        }
    }
}

fn put(file: NamedTempFile, path: &Path) -> io::Result<()> {
    // Who may read the file stays as it is. Where that cannot be set, it is as of any new file.
    if let Ok(metadata) = fs::metadata(path) {
        let _ = file.as_file().set_permissions(metadata.permissions());
    }
    match file.persist(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == ErrorKind::CrossesDevices => copy(error.file.path(), path),
        Err(error) => Err(error.error),
    }
}

/// Where `path` lies on another file system than `from`, nothing can be moved there.
fn copy(from: &Path, path: &Path) -> io::Result<()> {
    let mut file = beside(path)?;
    io::copy(&mut File::open(from)?, file.as_file_mut())?;
    file.persist(path)?;
    Ok(())
}

/// A temporary file beside `path`. Its name is that of `path`, hashed, and a number, so that what a killed process left
/// of this very file is met again, and removed; no other file is touched.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut hasher = FxHasher::default();
    path.file_name().hash(&mut hasher);
    let hash = hasher.finish();
    let folder = folder_of(path);
    let mut number: u32 = 0;
    loop {
        let name = format!("{TEMPORARY_PREFIX}{hash:016x}-{number}");
        match temporary_file().prefix(&name).rand_bytes(0).tempfile_in(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Err(_) if remove_if_left_over(&folder.join(name)) => {}
            Err(_) => number += 1,
            Ok(file) => {
                // a lock that cannot be had is no hindrance to writing
                let _ = file.as_file().try_lock();
                // another process may have taken it for left over before it was locked
                if file.path().try_exists()? {
                    return Ok(file);
                }
            }
        }
    }
}

/// Removes what killed processes have left of the files that they were writing in a folder; what a process still writes
/// is locked, and stays.
pub fn remove_left_over(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && entry.file_name().as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes()) {
            remove_if_left_over(&entry.path());
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

/// Removes a temporary file if no process holds it; whether it did. Where no lock can be had, nobody can tell, and it stays.
fn remove_if_left_over(path: &Path) -> bool {
    // removed while it is locked: two that find it at once do not remove each other's next one
    let Ok(file) = File::options().read(true).write(true).open(path) else { return false };
    file.try_lock().is_ok() && fs::remove_file(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::testing::tree;
    use super::*;

    /// The temporary file of a process that was killed.
    fn left_over(path: &Path) -> PathBuf {
        beside(path).expect("a file").keep().expect("it stays").1
    }

    #[test]
    fn what_a_killed_process_left_of_this_file_goes() {
        let folder = tree(&[]);
        let path = folder.path().join("report.html");
        let of_another = left_over(&folder.path().join("other.html"));
        let of_this = left_over(&path);
        PendingFile::beside_itself(path.clone()).expect("a file").publish().expect("written");
        assert!(!of_this.exists() && of_another.exists() && path.exists());
        remove_left_over(folder.path());
        assert!(!of_another.exists() && path.exists());
    }

    #[test]
    fn what_a_process_holds_stays() {
        let folder = tree(&[]);
        let path = folder.path().join("report.html");
        let mut slow = PendingFile::beside_itself(path.clone()).expect("a file");
        slow.write_all(b"slow").expect("written");
        slow.flush().expect("written");
        remove_left_over(folder.path());
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
