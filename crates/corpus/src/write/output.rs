//! The folder to which results are written.
//!
//! Takes the path of the folder, and the paths that the run reads. Makes sure that no output replaces any of these.
//! Each file in the folder is written completely or not at all: first to a temporary file in a hidden folder of the
//! run, which then replaces the old file. A run that is stopped leaves no half-written result, and never changes its
//! input. The next run removes the temporary files of a killed run.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use rustc_hash::FxHashSet;

use crate::Reads;
use crate::write::pending_file::{PendingFile, remove_left_over};
use crate::write::run_folder::{OWN_FOLDER, RunFolder, remove_dead};
use crate::write::target::{FileId, Target, folder_of};

/// An output folder that is separate from all input.
#[derive(Debug)]
pub struct OutputRoot {
    path: PathBuf,
    /// `path` with all links resolved.
    real_path: PathBuf,
    reads: RwLock<Reads>,
    /// Folders that exist and are really below the output folder.
    ready: Mutex<FxHashSet<PathBuf>>,
    /// The folder for unfinished files. It is created when the first file is written.
    run_folder: Mutex<Option<Arc<RunFolder>>>,
}

/// Why an output cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The output overlaps with the input.
    #[error("the output {output:?} is {relation} the input {input:?}: choose another one")]
    MeetsInput {
        /// The output folder or file.
        output: PathBuf,
        /// The output's relation to the input: `the same as`, `inside` or `a parent folder of`.
        relation: &'static str,
        /// The input.
        input: PathBuf,
    },
    /// The path of an output file is a folder.
    #[error("cannot write to {0:?}: it is a folder; name a file in it")]
    NotAFile(PathBuf),
    /// The path is a link whose target does not exist. Writing would replace the link by a file.
    #[error("cannot write to {0:?}: it is a link whose target does not exist; remove the link, or create the target")]
    LinkToNothing(PathBuf),
    /// The path of a document is neither a file nor a folder.
    #[error("cannot write to {0:?}: it is neither a file nor a folder; move it away")]
    NoFile(PathBuf),
    /// The path is not below the output folder.
    #[error("cannot write to {0:?}: it is not a path below the output folder")]
    LeadsOut(PathBuf),
    /// The operating system reported an error.
    #[error("cannot write {path:?}: {error}{}", remedy(.error))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
}

impl OutputRoot {
    /// Creates the folder `path` if it does not exist. Fails if it overlaps with something that is read. Removes
    /// temporary files that killed runs left in it.
    pub fn create(path: impl Into<PathBuf>, reads: &Reads) -> Result<OutputRoot, OutputError> {
        let path = path.into();
        let failed = |error| OutputError::Write { path: path.clone(), error };
        reads.refuse(&path)?;
        fs::create_dir_all(&path).map_err(failed)?;
        let real_path = fs::canonicalize(&path).map_err(failed)?;
        remove_dead(&path);
        remove_left_over(&path);
        let (ready, run_folder) = (Mutex::default(), Mutex::default());
        Ok(OutputRoot { path, real_path, reads: RwLock::new(reads.clone()), ready, run_folder })
    }

    /// Adds more paths that the run reads. Fails if the folder overlaps with one of them.
    #[doc(hidden)]
    pub fn also_reads(&self, more: &Reads) -> Result<(), OutputError> {
        more.refuse(&self.path)?;
        let mut reads = self.reads.write().unwrap_or_else(PoisonError::into_inner);
        *reads = reads.clone().and(more);
        Ok(())
    }

    fn reads(&self) -> RwLockReadGuard<'_, Reads> {
        self.reads.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file `relative` and creates the folders on the way to it. If `write` fails, nothing is written, and
    /// an old file is unchanged. Can be called from several threads at once. The file survives a crash of the program,
    /// but not of the machine.
    pub fn write_atomic<T>(
        &self,
        relative: impl AsRef<Path>,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
    ) -> Result<T, OutputError> {
        self.begin(relative)?.write_all_of(write)
    }

    /// Writes the file `relative` if its content is still `old`, or if it is still missing (`None`). Returns whether it
    /// was written.
    #[doc(hidden)]
    pub fn replace(&self, relative: impl AsRef<Path>, old: Option<&[u8]>, new: &[u8]) -> Result<bool, OutputError> {
        self.begin(relative)?.replace(old, new)
    }

    /// Deletes the file `relative`, and the folders on the way to it that this leaves empty. Fails if a link leads out
    /// of the output folder, or if the file is read.
    #[doc(hidden)]
    pub fn delete(&self, relative: impl AsRef<Path>) -> Result<(), OutputError> {
        let relative = relative.as_ref();
        let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        let path = self.path.join(relative);
        let failed = |error| OutputError::Write { path: path.clone(), error };
        let real_folder = fs::canonicalize(folder_of(&path)).map_err(failed)?;
        if !is_plain || !real_folder.starts_with(&self.real_path) {
            return Err(OutputError::LeadsOut(relative.to_owned()));
        }
        if let Some(id) = FileId::of(&path) {
            self.reads().refuse_file(&path, &id)?;
        }
        fs::remove_file(&path).map_err(failed)?;
        // The folders must be created again before something is written there.
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let folders = path.ancestors().skip(1).take_while(|folder| *folder != self.path);
        let _ = folders.map(fs::remove_dir).take_while(Result::is_ok).count();
        Ok(())
    }

    /// Starts the file `relative`, to be written step by step. Creates the folders on the way to it.
    #[doc(hidden)]
    pub fn begin(&self, relative: impl AsRef<Path>) -> Result<PendingFile, OutputError> {
        let relative = relative.as_ref();
        self.folder_of(relative)?;
        let path = self.path.join(relative);
        if relative.starts_with(OWN_FOLDER) {
            // No person puts a link there. If there is one, it is replaced instead of followed.
            return self.begin_at(path);
        }
        let target = Target::of(&path)?;
        self.reads().refuse_target(&path, &target)?;
        match target {
            Target::Stream(path) => Err(OutputError::NoFile(path)),
            Target::File { path, .. } => self.begin_at(path),
        }
    }

    /// Starts a file at any path without links. Until the file is published, its content is in this run's folder.
    pub(crate) fn begin_at(&self, path: PathBuf) -> Result<PendingFile, OutputError> {
        let pending = PendingFile::in_run_folder(self.run_folder()?, path.clone());
        pending.map_err(|error| OutputError::Write { path, error })
    }

    /// The path of the hidden folder in the output folder, for files that are not results but must outlive the run.
    #[doc(hidden)]
    pub fn own_folder(&self) -> Result<PathBuf, OutputError> {
        // A run that has a run folder also removes the hidden folder at its end, if that is empty.
        self.run_folder()?;
        self.folder_of(&Path::new(OWN_FOLDER).join("file"))
    }

    fn run_folder(&self) -> Result<Arc<RunFolder>, OutputError> {
        let mut folder = self.run_folder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*folder {
            return Ok(made.clone());
        }
        let around = self.folder_of(&Path::new(OWN_FOLDER).join("folder"))?;
        let made = RunFolder::make(&self.path).map_err(|error| OutputError::Write { path: around, error })?;
        Ok(folder.insert(Arc::new(made)).clone())
    }

    /// The folder of the file `relative`. It is created if it does not exist.
    fn folder_of(&self, relative: &Path) -> Result<PathBuf, OutputError> {
        let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        let parent = relative.parent().filter(|_| is_plain);
        let parent = parent.ok_or_else(|| OutputError::LeadsOut(relative.to_owned()))?;
        let folder = self.path.join(parent);
        if !self.is_ready(&folder) {
            self.make_ready(&folder, parent)?;
        }
        Ok(folder)
    }

    fn is_ready(&self, folder: &Path) -> bool {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).contains(folder)
    }

    /// Creates a folder and checks where it really is. A link in an existing output folder may lead anywhere, even back
    /// into the input. The hidden folder must not be a link at all.
    fn make_ready(&self, folder: &Path, relative: &Path) -> Result<(), OutputError> {
        let failed = |error| OutputError::Write { path: folder.to_owned(), error };
        fs::create_dir_all(folder).map_err(failed)?;
        let real_folder = fs::canonicalize(folder).map_err(failed)?;
        let is_moved = relative.starts_with(OWN_FOLDER) && real_folder != self.real_path.join(relative);
        if is_moved || !real_folder.starts_with(&self.real_path) {
            return Err(OutputError::LeadsOut(folder.to_owned()));
        }
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned());
        Ok(())
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull => ": free some space, or choose an output folder on another disk",
        ErrorKind::QuotaExceeded => ": free some space, or choose an output folder outside this quota",
        ErrorKind::ReadOnlyFilesystem => ": choose an output folder on another disk",
        ErrorKind::PermissionDenied => ": choose an output folder that you may write to",
        ErrorKind::InvalidFilename => ": shorten the name",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists | ErrorKind::IsADirectory => {
            ": move away the file or folder that is in its place"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use tempfile::{TempDir, tempdir};

    use super::*;

    fn folder() -> TempDir {
        tempdir().expect("a temporary folder")
    }

    fn output_in(folder: &TempDir) -> OutputRoot {
        OutputRoot::create(folder.path().join("out"), &Reads::nothing()).expect("an output folder")
    }

    /// All files and folders below `path`, except hidden ones.
    fn listing(path: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(path).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.file_name().is_some_and(|name| name == OWN_FOLDER) {
                continue;
            }
            if path.is_dir() {
                found.extend(listing(&path));
            }
            found.push(path);
        }
        found.sort();
        found
    }

    #[test]
    fn writes_files_and_the_folders_on_the_way() {
        let folder = folder();
        let output = output_in(&folder);
        let written = output.write_atomic("a/b/c.txt", |writer| writer.write(b"text"));
        assert_eq!(written.expect("written"), 4);
        let path = folder.path().join("out/a/b/c.txt");
        assert_eq!(fs::read(&path).expect("a file"), b"text");
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = folder();
        let output = output_in(&folder);
        let fail = |writer: &mut (dyn Write + Send)| -> io::Result<()> {
            writer.write_all(&[b'x'; 100_000])?;
            Err(io::Error::from(ErrorKind::StorageFull))
        };
        let error = output.write_atomic("x.txt", fail).expect_err("a failure").to_string();
        assert!(error.contains("x.txt") && error.contains("free some space"), "{error}");
        assert_eq!(listing(output.path()), Vec::<PathBuf>::new());

        output.write_atomic("x.txt", |writer| writer.write_all(b"old")).expect("written");
        assert!(output.write_atomic("x.txt", fail).is_err());
        let path = output.path().to_owned();
        drop(output);
        assert_eq!(fs::read(path.join("x.txt")).expect("a file"), b"old");
        assert_eq!(fs::read_dir(path).expect("a folder").count(), 1, "nothing is left of the run");
    }

    #[test]
    fn a_file_that_is_never_published_is_not_there() {
        let folder = folder();
        let output = output_in(&folder);
        let mut file = output.begin("a/x.txt").expect("begun");
        file.write_all(b"text").expect("written");
        drop(file);
        assert_eq!(listing(output.path()), [output.path().join("a")]);
        let mut file = output.begin("a/x.txt").expect("begun");
        file.write_all(b"text").expect("written");
        // A file that was started can be finished after the output folder is dropped.
        drop(output);
        file.publish().expect("published");
        assert_eq!(fs::read(folder.path().join("out/a/x.txt")).expect("a file"), b"text");
    }

    #[test]
    fn two_runs_write_to_one_folder() {
        let folder = folder();
        let (one, mut file) = (output_in(&folder), output_in(&folder).begin("x.txt").expect("begun"));
        file.write_all(b"text").expect("written");
        output_in(&folder).write_atomic("y.txt", |_| Ok(())).expect("written");
        file.publish().expect("nobody took it away");
        assert_eq!(listing(one.path()).len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn the_hidden_folder_is_no_link() {
        let folder = folder();
        let output = output_in(&folder);
        fs::create_dir(folder.path().join("elsewhere")).expect("a folder");
        std::os::unix::fs::symlink("../elsewhere", output.path().join(OWN_FOLDER)).expect("a link");
        assert!(matches!(output.write_atomic("x.txt", |_| Ok(())), Err(OutputError::LeadsOut(_))));
        assert!(matches!(output.own_folder(), Err(OutputError::LeadsOut(_))));
    }

    #[test]
    fn a_panic_while_writing_leaves_nothing() {
        let folder = folder();
        let output = output_in(&folder);
        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            output.write_atomic("x.txt", |_| -> io::Result<()> { panic!("as a test") })
        }));
        assert!(written.is_err());
        assert_eq!(listing(output.path()), Vec::<PathBuf>::new());
    }

    #[test]
    fn an_existing_file_is_replaced() {
        let folder = folder();
        let output = output_in(&folder);
        for text in ["first", "second"] {
            output.write_atomic("x.txt", |writer| writer.write_all(text.as_bytes())).expect("written");
        }
        assert_eq!(fs::read(output.path().join("x.txt")).expect("a file"), b"second");
    }

    #[cfg(unix)]
    #[test]
    fn files_have_the_permissions_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder();
        let output = output_in(&folder);
        output.write_atomic("x.txt", |_| Ok(())).expect("written");
        fs::write(folder.path().join("usual"), "").expect("written");
        let mode = |path: &str| {
            let metadata = fs::metadata(folder.path().join(path)).expect("a file");
            metadata.permissions().mode()
        };
        assert_eq!(mode("out/x.txt"), mode("usual"));
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        let folder = folder();
        let output = output_in(&folder);
        for name in ["../x", "a/../../x", "/tmp/x", "", "."] {
            let written = output.write_atomic(name, |_| Ok(()));
            assert!(matches!(written, Err(OutputError::LeadsOut(_))), "{name:?}");
        }
    }

    #[test]
    fn the_output_may_not_meet_an_input() {
        let folder = folder();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("corpus/source")).expect("folders");
        fs::write(at("corpus/a.jsonl"), "").expect("a file");
        let relation =
            |output: &str, input: &str| match OutputRoot::create(at(output), &Reads::nothing().corpus([at(input)])) {
                Ok(_) => "apart",
                Err(OutputError::MeetsInput { relation, .. }) => relation,
                Err(error) => panic!("{error}"),
            };
        assert_eq!(relation("corpus", "corpus"), "the same as");
        assert_eq!(relation("corpus/", "corpus/source/.."), "the same as");
        assert_eq!(relation("corpus/new/deeper", "corpus"), "inside");
        assert_eq!(relation("new/../corpus/new", "corpus"), "inside");
        assert_eq!(relation("corpus", "corpus/source"), "a parent folder of");
        assert_eq!(relation("corpus", "corpus/a.jsonl"), "a parent folder of");
        assert_eq!(relation("new/..", "corpus"), "a parent folder of");
        assert!(!at("corpus/new").exists() && !at("new").exists());
        assert_eq!(relation("corpus-cleaned", "corpus"), "apart");
        assert_eq!(relation("corpus/out", "corpus/a.jsonl"), "apart");
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_hide_that_the_output_meets_an_input() {
        use std::os::unix::fs::symlink;
        let folder = folder();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("corpus/source")).expect("folders");
        symlink(at("corpus"), at("link")).expect("a link");
        for (output, input) in [("link/new", "corpus"), ("corpus/new", "link"), ("link", "corpus")] {
            let output = OutputRoot::create(at(output), &Reads::nothing().corpus([at(input)]));
            assert!(matches!(output, Err(OutputError::MeetsInput { .. })));
        }

        let output = OutputRoot::create(at("out"), &Reads::nothing().corpus([at("corpus")])).expect("an output folder");
        symlink(at("corpus/source"), at("out/source")).expect("a link");
        let written = output.write_atomic("source/x.txt", |_| Ok(()));
        assert!(matches!(written, Err(OutputError::LeadsOut(_))));
        assert_eq!(listing(&at("corpus/source")), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_is_named() {
        let folder = folder();
        let output = output_in(&folder);
        output.write_atomic("a", |_| Ok(())).expect("written");
        let error = output.write_atomic("a/b.txt", |_| Ok(())).expect_err("a failure").to_string();
        assert!(error.contains("move away the file or folder that is in its place"), "{error}");
    }

    #[test]
    fn many_threads_write_at_once() {
        let folder = folder();
        let output = output_in(&folder);
        std::thread::scope(|scope| {
            for i in 0..32 {
                let output = &output;
                scope.spawn(move || {
                    let name = format!("a/{}/x{i}.txt", i % 4);
                    output.write_atomic(name, |writer| writer.write_all(b"text")).expect("written");
                });
            }
        });
        assert_eq!(listing(output.path()).iter().filter(|path| path.is_file()).count(), 32);
    }
}
