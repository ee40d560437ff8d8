//! The pattern files of a folder, which others may change meanwhile.
//!
//! Each file is read anew before anything is written to it, and once more right before the new one takes its place: what
//! an editor saved in between is noticed, and the decision is made on that. A file that no longer is one is left alone
//! until somebody mends it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::corpus::OutputFile;
use crate::patterns::{self, FileProblem, LexerCache, PatternFile};

use super::decision::{Refusal, Step};

/// Pattern files, by source.
#[derive(Debug, Default)]
pub struct Files {
    /// Whoever holds this lock waits for no other thread: the survey's threads take it as well. So files are parsed, which
    /// rayon's threads help with, before it is taken.
    state: Mutex<State>,
    /// Held by whoever looks for changes: one at a time.
    looking: Mutex<()>,
    cache: LexerCache,
}

/// All that is known of them.
#[derive(Debug, Default)]
struct State {
    files: BTreeMap<String, OpenFile>,
    /// Why some cannot be read.
    unreadable: BTreeMap<PathBuf, String>,
    paths: HashSet<PathBuf>,
    /// Grows with every change, whoever made it.
    revisions: u64,
}

/// One file, as it was last seen.
#[derive(Clone, Debug)]
struct OpenFile {
    path: PathBuf,
    yaml: Arc<str>,
    stamp: Stamp,
    file: Arc<PatternFile>,
    /// Why the file, as it now is, cannot be read.
    problem: Option<String>,
    revision: u64,
}

/// What tells whether a file may have changed.
type Stamp = Option<(SystemTime, u64)>;

/// Why a decision was not written down.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// There is no such source.
    #[error("there is no pattern file for source '{0}'")]
    NoSuchSource(String),
    /// What it is about changed meanwhile, or is no decision.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Somebody made the file unreadable.
    #[error("{0}; mend the file, then decide again")]
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

    /// Reads those that are not among them yet. What cannot be read may be half written: it is tried again the next time.
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

    /// A source's patterns, as they were last seen.
    pub fn get(&self, source: &str) -> Option<Arc<PatternFile>> {
        self.state().files.get(source).map(|open| Arc::clone(&open.file))
    }

    /// Grows whenever the source's patterns change.
    pub fn revision(&self, source: &str) -> u64 {
        self.state().files.get(source).map_or(0, |open| open.revision)
    }

    /// Why files that never could be read cannot be.
    pub fn unreadable(&self) -> Vec<String> {
        self.state().unreadable.values().cloned().collect()
    }

    /// Those of all sources.
    pub fn revisions(&self) -> Vec<u64> {
        self.state().files.values().map(|open| open.revision).collect()
    }

    /// Why a source's file, as it now is, cannot be read.
    pub fn problem(&self, source: &str) -> Option<String> {
        self.state().files.get(source)?.problem.clone()
    }

    /// Reads what changed on disk, where these are the files that there are now; says whether anything did.
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

    /// Writes a decision down, whatever else happened to the file meanwhile.
    pub fn save(&self, step: &Step) -> Result<(), SaveError> {
        loop {
            let seen = self.state().files.get(&step.source).cloned();
            let seen = seen.ok_or_else(|| SaveError::NoSuchSource(step.source.clone()))?;
            let newer = seen.read_again(&self.cache);
            // What is decided at the same time is written one after the other.
            let mut state = self.state();
            if state.put(newer) && state.save(step)? {
                return Ok(());
            }
        }
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

    /// Takes note of a file that was read again; not, and says so, if others took note of a change meanwhile.
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

    /// Writes a decision into a file as it was last seen; not, and says so, if it has changed since.
    fn save(&mut self, step: &Step) -> Result<bool, SaveError> {
        let no_such_source = || SaveError::NoSuchSource(step.source.clone());
        let open = self.files.get_mut(&step.source).ok_or_else(no_such_source)?;
        if let Some(problem) = &open.problem {
            return Err(SaveError::Broken(problem.clone()));
        }
        let mut file = PatternFile::clone(&open.file);
        step.apply(&mut file)?;
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

    /// The file as it is now; what it was before, and why, if it cannot be read.
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

    /// Puts a new file in place of the one that was read; not, and says so, if that one is no longer there.
    fn replace(&mut self, file: PatternFile) -> Result<bool, SaveError> {
        let failed = |error| SaveError::Failed { path: self.path.clone(), error: io::Error::other(error) };
        let yaml = file.to_yaml();
        let written = OutputFile::create(&self.path, &[])
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
    let file = PatternFile::parse(yaml, cache).map_err(|problems| FileProblem::display_all(&problems, path))?;
    FileProblem::of_name(path, &file.source).map_or(Ok(file), |problem| Err(problem.display(path)))
}

#[cfg(test)]
mod tests {
    use super::super::decision::tests::{FILE, decide};
    use super::*;
    use crate::patterns::Status;

    fn opened() -> (tempfile::TempDir, PathBuf, Files) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.yaml");
        fs::write(&path, FILE).unwrap();
        let files = Files::open(std::slice::from_ref(&path));
        (folder, path, files)
    }

    fn accept(files: &Files, id: &str) -> Step {
        let change = decide(&files.get("s").unwrap(), id, |entry| entry.status = Status::Accepted);
        Step { what: "accepted".to_owned(), source: "s".to_owned(), changes: vec![change] }
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
