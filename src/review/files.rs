//! The pattern files of a folder, which other programs may change at the same time.
//!
//! Before a decision is written, its file is read again, and compared once more just before it is replaced. So a
//! version that an editor saved in between is noticed, and the decision is applied to that version. A file that cannot
//! be read any more is not touched until someone repairs it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use dehusk_core::patterns::{self, FileProblem, LexerCache, PatternFile};
use dehusk_corpus::{OutputFile, Reads};
use dehusk_run::library;

use super::decision::{FileChanges, Refusal, Step};

/// Pattern files, by source.
#[derive(Debug, Default)]
pub struct Files {
    /// Code that holds this lock must not wait for another thread, because the survey's threads take the lock, too.
    /// Parsing waits for rayon's threads, so files are parsed before the lock is taken.
    state: Mutex<State>,
    /// Held while looking for changes, so that only one thread looks at a time.
    looking: Mutex<()>,
    cache: LexerCache,
}

/// Everything known about the files.
#[derive(Debug, Default)]
struct State {
    files: BTreeMap<String, OpenFile>,
    /// The files that could not be read, and why.
    unreadable: BTreeMap<PathBuf, String>,
    paths: HashSet<PathBuf>,
    /// The number of changes so far, by anyone.
    revisions: u64,
}

/// One file as last read.
#[derive(Clone, Debug)]
struct OpenFile {
    path: PathBuf,
    yaml: Arc<str>,
    stamp: Stamp,
    file: Arc<PatternFile>,
    /// Why the current version of the file cannot be read.
    problem: Option<String>,
    revision: u64,
}

/// The modification time and the size of a file. If they are different, the file may have changed.
type Stamp = Option<(SystemTime, u64)>;

/// Why a decision was not written.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// There is no such source.
    #[error("there is no pattern file for source '{0}'")]
    NoSuchSource(String),
    /// The pattern or text was changed in the meantime, or the decision is not valid.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The current version of the file cannot be read.
    #[error("{0}; correct the file, then decide again")]
    Broken(String),
    /// The file cannot be read or written.
    #[error("{path}: {error}", path = .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        error: io::Error,
    },
}

impl Files {
    /// Reads the files.
    pub fn open(paths: &[PathBuf]) -> Files {
        let files = Files::default();
        files.add(paths);
        files
    }

    /// Reads the files that are not known yet. A file that cannot be read may be half written, so it is tried again the
    /// next time.
    fn add(&self, paths: &[PathBuf]) {
        for path in paths {
            if self.state().paths.contains(path) {
                continue;
            }
            let open = OpenFile::read(path, &self.cache);
            let mut state = self.state();
            match open {
                Ok(open) => state.add(open),
                Err(problem) => drop(state.unreadable.insert(path.to_owned(), problem)),
            }
        }
    }

    /// The sources, sorted.
    pub fn sources(&self) -> Vec<String> {
        self.state().files.keys().cloned().collect()
    }

    /// A source's patterns as last read.
    pub fn get(&self, source: &str) -> Option<Arc<PatternFile>> {
        self.state().files.get(source).map(|open| Arc::clone(&open.file))
    }

    /// A number that grows whenever the source's patterns change.
    pub fn revision(&self, source: &str) -> u64 {
        self.state().files.get(source).map_or(0, |open| open.revision)
    }

    /// The errors of files that could never be read.
    pub fn unreadable(&self) -> Vec<String> {
        self.state().unreadable.values().cloned().collect()
    }

    /// The revisions of all sources.
    pub fn revisions(&self) -> Vec<u64> {
        self.state().files.values().map(|open| open.revision).collect()
    }

    /// Why the current version of a source's file cannot be read.
    pub fn problem(&self, source: &str) -> Option<String> {
        self.state().files.get(source)?.problem.clone()
    }

    /// Reads the files that changed on disk. `paths` are the files that exist now. Returns whether anything changed.
    pub fn refresh(&self, paths: &[PathBuf]) -> bool {
        let _one_at_a_time = lock(&self.looking);
        let before = self.state().revisions;
        self.state().forget_what_is_gone();
        self.add(paths);
        let has_changed = |open: &&OpenFile| stamp(&open.path) != open.stamp;
        let changed: Vec<OpenFile> = self.state().files.values().filter(has_changed).cloned().collect();
        for open in changed {
            let newer = open.read_again(&self.cache);
            self.state().put(newer);
        }
        self.state().revisions != before
    }

    /// Writes a decision to all of its files, or to none, even if the files changed in the meantime.
    pub fn save(&self, step: &Step) -> Result<(), SaveError> {
        if let [_, _, ..] = step.files[..] {
            step.files.iter().try_for_each(|changes| self.check(changes))?;
        }
        for (number, changes) in step.files.iter().enumerate() {
            if let Err(error) = self.save_file(changes) {
                // Undoes the changes of files that were already written, as far as possible. Returns the first error.
                let written = step.files[..number].iter().rev();
                written.for_each(|changes| drop(self.save_file(&changes.clone().undone())));
                return Err(error);
            }
        }
        Ok(())
    }

    /// Checks that these changes could be written now.
    fn check(&self, changes: &FileChanges) -> Result<(), SaveError> {
        let mut open = self.read_again(&changes.source)?;
        if let Some(problem) = open.problem {
            return Err(SaveError::Broken(problem));
        }
        Ok(changes.apply(Arc::make_mut(&mut open.file))?)
    }

    fn save_file(&self, changes: &FileChanges) -> Result<(), SaveError> {
        // Tries again if the file has changed after it was read.
        loop {
            let newer = self.read_again(&changes.source)?;
            // The lock serialises decisions that are made at the same time.
            let mut state = self.state();
            if state.put(newer) && state.save(changes)? {
                return Ok(());
            }
        }
    }

    fn read_again(&self, source: &str) -> Result<OpenFile, SaveError> {
        let seen = self.state().files.get(source).cloned();
        Ok(seen.ok_or_else(|| SaveError::NoSuchSource(source.to_owned()))?.read_again(&self.cache))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn add(&mut self, mut open: OpenFile) {
        self.revisions += 1;
        open.revision = self.revisions;
        self.unreadable.remove(&open.path);
        self.paths.insert(open.path.clone());
        self.files.insert(open.file.source.clone(), open);
    }

    fn forget_what_is_gone(&mut self) {
        let is_there = |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        let count = self.paths.len();
        self.paths.retain(|path| is_there(path));
        self.unreadable.retain(|path, _| is_there(path));
        if self.paths.len() < count {
            let paths = &self.paths;
            self.files.retain(|_, open| paths.contains(&open.path));
            self.revisions += 1;
        }
    }

    /// Stores a file that was read again. Returns false and does nothing if another thread stored a change first.
    fn put(&mut self, newer: OpenFile) -> bool {
        let Some(open) = self.files.get_mut(&newer.file.source) else { return false };
        if open.revision != newer.revision {
            return false;
        }
        let is_same = Arc::ptr_eq(&open.file, &newer.file) && open.problem == newer.problem;
        *open = newer;
        if !is_same {
            self.revisions += 1;
            open.revision = self.revisions;
        }
        true
    }

    /// Writes a decision to a file as last read. Returns false and does nothing if the file has changed since.
    fn save(&mut self, changes: &FileChanges) -> Result<bool, SaveError> {
        let no_such_source = || SaveError::NoSuchSource(changes.source.clone());
        let open = self.files.get_mut(&changes.source).ok_or_else(no_such_source)?;
        if let Some(problem) = &open.problem {
            return Err(SaveError::Broken(problem.clone()));
        }
        let mut file = PatternFile::clone(&open.file);
        changes.apply(&mut file)?;
        let is_saved = open.replace(file)?;
        if is_saved {
            self.revisions += 1;
            open.revision = self.revisions;
        }
        Ok(is_saved)
    }
}

impl OpenFile {
    fn read(path: &Path, cache: &LexerCache) -> Result<OpenFile, String> {
        let stamp = stamp(path);
        let yaml = read(path)?;
        let file = Arc::new(parse(path, &yaml, cache)?);
        Ok(OpenFile { path: path.to_owned(), yaml: yaml.into(), stamp, file, problem: None, revision: 0 })
    }

    /// The current version of the file. If it cannot be read, the last version that could be, with the problem.
    fn read_again(&self, cache: &LexerCache) -> OpenFile {
        let stamp = stamp(&self.path);
        let read = read(&self.path);
        if self.problem.is_none() && read.as_ref().is_ok_and(|yaml| **yaml == *self.yaml) {
            return OpenFile { stamp, ..self.clone() };
        }
        match read.and_then(|yaml| Ok((Arc::new(parse(&self.path, &yaml, cache)?), yaml.into()))) {
            Ok((file, yaml)) => OpenFile { file, yaml, stamp, problem: None, ..self.clone() },
            Err(problem) => OpenFile { stamp, problem: Some(problem), ..self.clone() },
        }
    }

    /// Replaces the file. Returns false and does nothing if it is not the version that was read.
    fn replace(&mut self, file: PatternFile) -> Result<bool, SaveError> {
        let failed = |error| SaveError::Failed { path: self.path.clone(), error: io::Error::other(error) };
        let yaml = file.to_yaml_like(&self.yaml);
        let written = OutputFile::create(&self.path, &Reads::nothing())
            .and_then(|output| output.replace(Some(self.yaml.as_bytes()), yaml.as_bytes()))
            .map_err(failed)?;
        if written {
            self.stamp = stamp(&self.path);
            (self.file, self.yaml) = (Arc::new(file), yaml.into());
        }
        Ok(written)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stamp(path: &Path) -> Stamp {
    let changed = |metadata: Metadata| Some((metadata.modified().ok()?, metadata.len()));
    fs::metadata(path).ok().and_then(changed)
}

fn read(path: &Path) -> Result<String, String> {
    patterns::open(path).map_err(|problem| problem.display(path))
}

fn parse(path: &Path, yaml: &str, cache: &LexerCache) -> Result<PatternFile, String> {
    let file = library::parse(path, yaml, cache).map_err(|problem| problem.to_string())?;
    FileProblem::of_name(path, &file.source).map_or(Ok(file), |problem| Err(problem.display(path)))
}

#[cfg(test)]
mod tests {
    use super::super::decision::tests::{FILE, decide};
    use super::*;
    use dehusk_core::patterns::Status;

    fn opened() -> (tempfile::TempDir, PathBuf, Files) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.yaml");
        fs::write(&path, FILE).unwrap();
        let files = Files::open(std::slice::from_ref(&path));
        (folder, path, files)
    }

    fn accept(files: &Files, id: &str) -> Step {
        let change = decide(&files.get("s").unwrap(), id, |entry| entry.status = Status::Accepted);
        Step::in_file("accepted".to_owned(), "s", vec![change])
    }

    #[test]
    fn a_decision_on_many_files_is_written_to_all_or_none() {
        let (folder, path, _) = opened();
        let other = folder.path().join("t.yaml");
        fs::write(&other, FILE.replace("source: s", "source: t")).unwrap();
        let files = Files::open(&[path.clone(), other.clone()]);
        let mut step = accept(&files, "a");
        step.files.push(FileChanges { source: "t".to_owned(), ..step.files[0].clone() });
        let read = || [&path, &other].map(|path| fs::read_to_string(path).unwrap());
        let before = read();

        fs::write(&other, before[1].replacen("proposed", "rejected", 1)).unwrap();
        assert!(matches!(files.save(&step), Err(SaveError::Refused(Refusal::Changed(_)))));
        assert_eq!(read()[0], before[0], "the first file is not written if the second refuses");
        fs::write(&other, &before[1]).unwrap();
        files.save(&step).unwrap();
        assert!(read().iter().all(|yaml| yaml.contains("status: accepted")));
        files.save(&step.undone()).unwrap();
        assert_eq!(read(), before);
    }

    #[test]
    fn what_an_editor_saved_meanwhile_is_there_still() {
        let (_folder, path, files) = opened();
        let step = accept(&files, "a");
        fs::write(&path, FILE.replace("example: 'Share'\n    note: ''", "example: 'Share'\n    note: 'ours'")).unwrap();
        files.save(&step).unwrap();
        let yaml = fs::read_to_string(&path).unwrap();
        assert!(yaml.contains("status: accepted") && yaml.contains("note: 'ours'"), "{yaml}");
        assert_eq!(files.get("s").unwrap().to_yaml(), yaml);
    }

    #[test]
    fn what_an_editor_decided_meanwhile_is_not_decided_again() {
        let (_folder, path, files) = opened();
        let step = accept(&files, "a");
        let theirs = FILE.replacen("proposed", "rejected", 1);
        fs::write(&path, &theirs).unwrap();
        assert!(matches!(files.save(&step), Err(SaveError::Refused(Refusal::Changed(id))) if id == "a"));
        assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
        assert_eq!(files.get("s").unwrap().patterns[0].status, Status::Rejected);
    }

    #[test]
    fn a_broken_file_is_left_alone_until_it_is_mended() {
        let (_folder, path, files) = opened();
        let step = accept(&files, "a");
        fs::write(&path, "patterns: ]").unwrap();
        assert!(files.refresh(&[]));
        assert!(files.problem("s").is_some_and(|problem| problem.contains("s.yaml:1")));
        assert!(matches!(files.save(&step), Err(SaveError::Broken(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "patterns: ]");
        fs::write(&path, FILE).unwrap();
        files.save(&step).unwrap();
        assert!(files.problem("s").is_none());
    }

    #[test]
    fn a_revision_is_a_change() {
        let (_folder, path, files) = opened();
        let first = files.revision("s");
        assert!(!files.refresh(&[]));
        fs::write(&path, FILE.replace("'Share'", "'Shares'")).unwrap();
        assert!(files.refresh(&[]));
        assert!(files.revision("s") > first);
    }
}
