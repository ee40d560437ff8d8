//! Where a run keeps what it has not finished.
//!
//! Takes an output folder; gives the run a folder of its own in it, `.dehusk/run-*`, which goes when it is dropped. A file
//! in it is locked as long as the run lives, however it ends, so that a later run can tell what a dead one has left
//! behind, and removes that.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use tempfile::{Builder, NamedTempFile};

/// In an output folder, the folder of all that is no result: hidden, so that it is never read as a source.
pub(super) const OWN_FOLDER: &str = ".dehusk";
/// How the names of the runs' folders begin.
const PREFIX: &str = "run-";
/// The file that is locked.
const LOCK: &str = "lock";

/// Those of this process, for when it ends on the spot. Locked for writing by who makes or removes a folder, for reading by
/// who makes a file in one: nothing comes into being that the end of the process does not see.
static LIVE: RwLock<BTreeSet<PathBuf>> = RwLock::new(BTreeSet::new());

/// The folder of a run that lives.
#[derive(Debug)]
pub(super) struct RunFolder {
    path: PathBuf,
    /// Unlocked when it is closed, by us or by the operating system.
    _lock: File,
}

impl RunFolder {
    /// Makes one below the folder `output`.
    pub(super) fn make(output: &Path) -> io::Result<RunFolder> {
        const ATTEMPTS: usize = 100;
        for _ in 1..ATTEMPTS {
            match attempt(output) {
                // another run that tidied up took it away before it was locked, or the folder around it while it was made
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => {}
                made => return made,
            }
        }
        attempt(output)
    }

    /// A new temporary file in it.
    pub(super) fn temporary_file(&self, names: &Builder) -> io::Result<NamedTempFile> {
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

/// Removes what dead runs have left below the folder `output`. A lock that cannot be tested, as on some network file
/// systems, counts as held; what cannot be removed stays, and harms nobody.
pub(super) fn remove_dead(output: &Path) {
    let folder = output.join(OWN_FOLDER);
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    // a link may lead anywhere
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

/// Removes all that runs of this process have not finished. For a process that is about to end on the spot: what is
/// being written is lost, and whoever begins to write anything more waits for that end.
pub fn abandon_unfinished() {
    let live = live();
    live.iter().for_each(|folder| remove(folder));
    std::mem::forget(live);
}

/// `NotFound` if another run took it for a dead one's.
fn attempt(output: &Path) -> io::Result<RunFolder> {
    let folder = output.join(OWN_FOLDER);
    let mut live = live();
    fs::create_dir_all(&folder)?;
    let path = Builder::new().prefix(PREFIX).rand_bytes(12).tempdir_in(&folder)?.keep();
    let lock = File::create_new(path.join(LOCK))?;
    // where no lock can be had, nobody can test it either, and everybody leaves the folder alone
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
        // its run is about to lock it, or died as it tidied up: if it is empty, it may go in both cases
        Err(error) if error.kind() == ErrorKind::NotFound => drop(fs::remove_dir(folder)),
        _ => {}
    }
}

/// Removes the files in a run's folder, the lock last, and the folder, and the one around it if it is empty.
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
    use super::super::testing::tree;
    use super::*;

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
