//! A file that is being written.
//!
//! Takes its final path. The content is written to a temporary file. Publishing moves this file to the final path in
//! one step. A file that is not published leaves nothing. Output to a device or a named pipe is written directly.

use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHasher;
use tempfile::{Builder, NamedTempFile};

use crate::write::output::OutputError;
use crate::write::run_folder::RunFolder;
use crate::write::target::folder_of;

/// Prefix of the names of temporary files. They are hidden, so they are never read as documents.
const TEMPORARY_PREFIX: &str = ".dehusk-";

/// A file that appears at its path when it is published.
#[derive(Debug)]
pub struct PendingFile {
    sink: BufWriter<Sink>,
    path: PathBuf,
    /// The run's folder with the temporary file. Fields are dropped in order, so the temporary file is removed first.
    _folder: Option<Arc<RunFolder>>,
}

/// Where bytes are written before the file is published.
#[derive(Debug)]
enum Sink {
    /// A file that will replace the old one.
    Temporary(NamedTempFile),
    /// The device or named pipe itself.
    Stream(File),
}

impl PendingFile {
    /// Starts a file whose temporary file is in a run's folder.
    pub(crate) fn in_run_folder(folder: Arc<RunFolder>, path: PathBuf) -> io::Result<PendingFile> {
        let file = folder.temporary_file(temporary_file(&path).prefix(TEMPORARY_PREFIX))?;
        Ok(PendingFile { sink: BufWriter::new(Sink::Temporary(file)), path, _folder: Some(folder) })
    }

    /// Starts a file whose temporary file is in the folder of its path.
    pub(crate) fn beside_itself(path: PathBuf) -> io::Result<PendingFile> {
        Ok(PendingFile { sink: BufWriter::new(Sink::Temporary(temporary_beside(&path)?)), path, _folder: None })
    }

    /// Writes directly to the device or named pipe at `path`, without a temporary file.
    pub(crate) fn through(path: PathBuf) -> io::Result<PendingFile> {
        let stream = File::options().write(true).open(&path)?;
        Ok(PendingFile { sink: BufWriter::new(Sink::Stream(stream)), path, _folder: None })
    }

    /// Moves the file to its path and replaces an old file.
    pub fn publish(self) -> Result<(), OutputError> {
        let PendingFile { sink, path, .. } = self;
        let sink = sink.into_inner().map_err(io::IntoInnerError::into_error);
        let published = sink.and_then(|sink| match sink {
            Sink::Stream(_) => Ok(()),
            Sink::Temporary(file) => put(file, &path),
        });
        published.map_err(|error| OutputError::Write { path, error })
    }

    /// Writes `new` and publishes it if the file's content is still `old`, or if the file is still missing (`None`).
    /// Returns whether it was published. The old file is read as late as possible. A change between this read and the
    /// move is lost.
    pub(crate) fn replace(mut self, old: Option<&[u8]>, new: &[u8]) -> Result<bool, OutputError> {
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

    /// Writes and publishes the file. If `write` fails, nothing is left.
    pub(crate) fn write_all_of<T>(
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
            // Written through the inner file, because an error of the temporary file would show its path, which means
            // nothing to the user.
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
    keep_permissions(&file, path);
    match file.persist(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == ErrorKind::CrossesDevices => copy(error.file.path(), path),
        Err(error) => Err(error.error),
    }
}

/// Gives a temporary file the permissions of the file that it replaces. If this fails, only people who could read the
/// old file can read it.
fn keep_permissions(file: &NamedTempFile, path: &Path) {
    if let Ok(metadata) = fs::metadata(path) {
        let _ = file.as_file().set_permissions(metadata.permissions());
    }
}

/// Copies a file to `path` on another file system, where it cannot be moved. The copy is a temporary file at first, so
/// the result still appears in one step.
fn copy(from: &Path, path: &Path) -> io::Result<()> {
    let mut file = temporary_beside(path)?;
    io::copy(&mut File::open(from)?, file.as_file_mut())?;
    keep_permissions(&file, path);
    file.persist(path)?;
    Ok(())
}

/// Creates a temporary file in the folder of `path`, which other users can read only if they can read `path`. Its name
/// contains a hash of the file name of `path`, and a number. So a file that a killed process left for the same path is
/// found and removed, and no other file is touched.
pub fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut hasher = FxHasher::default();
    path.file_name().hash(&mut hasher);
    let hash = hasher.finish();
    let folder = folder_of(path);
    let mut number: u32 = 0;
    loop {
        let name = format!("{TEMPORARY_PREFIX}{hash:016x}-{number}");
        match temporary_file(path).prefix(&name).rand_bytes(0).tempfile_in(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Err(_) if remove_if_left_over(&folder.join(name)) => {}
            Err(_) => number += 1,
            Ok(file) => {
                // If locks are not supported, the file is written without one.
                let _ = file.as_file().try_lock();
                // Before it was locked, another process may have removed it as left over.
                if file.path().try_exists()? {
                    return Ok(file);
                }
            }
        }
    }
}

/// Removes the temporary files that killed processes left in a folder. Temporary files that are still being written are
/// locked, and are kept.
pub fn remove_left_over(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && entry.file_name().as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes()) {
            remove_if_left_over(&entry.path());
        }
    }
}

/// A builder of the temporary file for `path`. From its first byte on, only people who can read the current file at
/// `path` can read the temporary file. If there is no current file, it has the permissions that the umask allows for
/// any new file.
#[cfg_attr(not(unix), expect(unused_variables, reason = "permissions are those of the folder"))]
fn temporary_file(path: &Path) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).map_or(0o666, |metadata| metadata.permissions().mode() & 0o777);
        // If a process is killed, the next one must be able to open the temporary file that it left.
        builder.permissions(PermissionsExt::from_mode(mode | 0o600));
    }
    builder
}

/// Removes a temporary file if no process holds its lock. Returns whether it was removed. Where locks are not
/// supported, it is kept, because it may be in use.
fn remove_if_left_over(path: &Path) -> bool {
    // The file is removed while it is locked. So if 2 processes find it, neither removes a new file that the other has
    // created at this path.
    let Ok(file) = File::options().read(true).write(true).open(path) else { return false };
    file.try_lock().is_ok() && fs::remove_file(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tree;

    /// The temporary file that a killed process left.
    fn left_over(path: &Path) -> PathBuf {
        temporary_beside(path).expect("a file").keep().expect("it stays").1
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

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_it_while_it_is_written() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tree(&[("private", b"old"), ("new", b"text")]);
        let (private, new) = (folder.path().join("private"), folder.path().join("new"));
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        let usual = mode(&new);
        fs::set_permissions(&private, fs::Permissions::from_mode(0o600)).expect("a mode");
        assert_eq!(mode(temporary_beside(&private).expect("a file").path()), 0o600);
        let run = Arc::new(RunFolder::make(folder.path()).expect("a folder"));
        let pending = PendingFile::in_run_folder(run, private.clone()).expect("a file");
        let Sink::Temporary(file) = pending.sink.get_ref() else { panic!("it is a file") };
        assert_eq!(mode(file.path()), 0o600);
        pending.publish().expect("written");
        assert_eq!(mode(&private), 0o600);
        copy(&new, &private).expect("copied");
        assert_eq!(mode(&private), 0o600);
        assert_eq!(mode(temporary_beside(&folder.path().join("other")).expect("a file").path()), usual);
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
