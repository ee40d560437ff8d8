//! The folder for the unfinished files of a run.
//!
//! Takes an output folder. Creates a folder for the run in it, `.dehusk/run-*`, and removes this at the end of the run.
//! A file in the run folder is locked as long as the run lives; the lock ends with the run, however that ends. So a
//! later run can recognise and remove the folder of a dead run.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use tempfile::{Builder, NamedTempFile};

/// The folder in an output folder for everything that is not a result. It is hidden, so it is never read as a source.
pub(crate) const OWN_FOLDER: &str = ".dehusk";
/// Prefix of the names of run folders.
const PREFIX: &str = "run-";
/// The file in a run folder that is locked.
const LOCK: &str = "lock";

/// The run folders of this process, to remove them if the process ends at once. Creating or removing a folder takes the
/// write lock, creating a file in one takes the read lock. So everything that was created is known when the process
/// ends.
static LIVE: RwLock<BTreeSet<PathBuf>> = RwLock::new(BTreeSet::new());

/// The folder of a living run.
#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    /// Closing the file releases the lock. The operating system does this too when the process ends.
    _lock: File,
}

impl RunFolder {
    /// Creates a run folder below the folder `output`.
    pub(crate) fn make(output: &Path) -> io::Result<RunFolder> {
        const ATTEMPTS: usize = 100;
        for _ in 1..ATTEMPTS {
            match attempt(output) {
                // Another run that cleaned up removed this folder before it was locked, or removed the folder around
                // it. Try again.
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => {}
                made => return made,
            }
        }
        attempt(output)
    }

    /// Creates a temporary file in this folder.
    pub(crate) fn temporary_file(&self, names: &Builder) -> io::Result<NamedTempFile> {
        let _live = LIVE.read().unwrap_or_else(PoisonError::into_inner);
        names.tempfile_in(&self.path)
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        let mut live = live();
        live.remove(&self.path);
        remove(&self.path);
    }
}

/// Removes the run folders that dead runs left below the folder `output`. A lock that cannot be tested, as on some
/// network file systems, counts as held. A folder that cannot be removed is ignored, because it does no harm.
pub(crate) fn remove_dead(output: &Path) {
    let folder = output.join(OWN_FOLDER);
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    // A link is not followed, because it may lead anywhere.
    if !is_folder(&folder) {
        return;
    }
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) && is_folder(&entry.path()) {
            remove_if_dead(&entry.path());
        }
    }
    let _ = fs::remove_dir(folder);
}

/// Removes all unfinished files of this process. Call it only if the process ends at once: the lock is never released,
/// so any thread that starts to write a file waits until the process ends.
pub fn abandon_unfinished() {
    let live = live();
    live.iter().for_each(|folder| remove(folder));
    std::mem::forget(live);
}

/// Creates and locks a run folder. The error is `NotFound` if another run took this folder for that of a dead run and
/// removed it.
fn attempt(output: &Path) -> io::Result<RunFolder> {
    let folder = output.join(OWN_FOLDER);
    let mut live = live();
    fs::create_dir_all(&folder)?;
    let path = Builder::new().prefix(PREFIX).rand_bytes(12).tempdir_in(&folder)?.keep();
    let lock = File::create_new(path.join(LOCK))?;
    // Where locks are not supported, other runs cannot test this one either, so they do not remove the folder.
    let is_taken = matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock));
    if is_taken || !path.join(LOCK).try_exists()? {
        return Err(ErrorKind::NotFound.into());
    }
    live.insert(path.clone());
    Ok(RunFolder { path, _lock: lock })
}

fn remove_if_dead(folder: &Path) {
    match File::options().read(true).write(true).open(folder.join(LOCK)) {
        Ok(lock) if lock.try_lock().is_ok() => remove(folder),
        // Without a lock file, its run is about to create one, or died while it removed the folder. In both cases, the
        // folder can be removed if it is empty.
        Err(error) if error.kind() == ErrorKind::NotFound => drop(fs::remove_dir(folder)),
        _ => {}
    }
}

/// Removes the files in a run's folder, with the lock file last. Then removes the folder, and the folder around it if
/// it is empty.
fn remove(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name() != LOCK {
            let _ = fs::remove_file(entry.path());
        }
    }
    let _ = fs::remove_file(folder.join(LOCK));
    let _ = fs::remove_dir(folder);
    let _ = folder.parent().map(fs::remove_dir);
}

fn live() -> RwLockWriteGuard<'static, BTreeSet<PathBuf>> {
    LIVE.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tree;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_dead_run_left_is_removed_and_what_others_put_there_is_not() {
        let folder = tree(&[
            (".dehusk/run-dead/lock", b""),
            (".dehusk/run-dead/.dehusk-1", b"half"),
            (".dehusk/run-not-ours/notes.txt", b"mine"),
            (".dehusk/manifest.jsonl", b""),
        ]);
        fs::create_dir(folder.path().join(".dehusk/run-empty")).expect("a folder");
        remove_dead(folder.path());
        assert_eq!(names(&folder.path().join(".dehusk")), ["manifest.jsonl", "run-not-ours"]);
    }

    #[test]
    fn runs_do_not_remove_each_other() {
        let folder = tree(&[]);
        let [one, two] = [(); 2].map(|()| RunFolder::make(folder.path()).expect("a folder"));
        fs::write(one.path.join("half"), "").expect("a file");
        remove_dead(folder.path());
        assert_eq!((names(&one.path), names(&two.path)), (vec!["half".into(), LOCK.into()], vec![LOCK.to_owned()]));
        drop(one);
        assert!(two.path.exists());
        drop(two);
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn runs_that_come_and_go_all_at_once_have_a_folder_each() {
        let folder = tree(&[]);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        remove_dead(folder.path());
                        let run = RunFolder::make(folder.path()).expect("a folder");
                        assert!(run.path.join(LOCK).exists());
                        fs::write(run.path.join("half"), "").expect("it is still there");
                    }
                });
            }
        });
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_removed_behind_a_link() {
        let folder = tree(&[("elsewhere/run-dead/lock", b"")]);
        fs::create_dir(folder.path().join("out")).expect("a folder");
        std::os::unix::fs::symlink("../elsewhere", folder.path().join("out/.dehusk")).expect("a link");
        remove_dead(&folder.path().join("out"));
        assert!(folder.path().join("elsewhere/run-dead/lock").exists());
    }
}
