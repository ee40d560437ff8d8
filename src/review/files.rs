//! The pattern files of a folder, which others may change meanwhile.
//!
//! Each file is read anew before anything is written to it, and once more right before the new one takes its place: what
//! an editor saved in between is noticed, and the decision is made on that. A file that no longer is one is left alone
//! until somebody mends it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::corpus::OutputFile;
use crate::patterns::{FileProblem, LexerCache, PatternFile};

use super::decision::{Refusal, Step};

/// Pattern files, by source.
#[derive(Debug, Default)]
pub struct Files {
    files: BTreeMap<String, OpenFile>,
    /// Why some cannot be read.
    unreadable: BTreeMap<PathBuf, String>,
    paths: HashSet<PathBuf>,
    cache: LexerCache,
    /// Grows with every change, whoever made it.
    revisions: u64,
}

/// One file, as it was last seen.
#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    yaml: String,
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
        let mut files = Files::default();
        for path in paths {
            files.add(path);
        }
        files
    }

    /// Reads a file, if it is not among them yet; says whether it could be, and was not.
    pub fn add(&mut self, path: &Path) -> bool {
        if self.paths.contains(path) {
            return false;
        }
        match self.read_new(path) {
            Ok(()) => drop(self.unreadable.remove(path)),
            Err(problem) => drop(self.unreadable.insert(path.to_owned(), problem)),
        }
        self.paths.contains(path)
    }

    fn read_new(&mut self, path: &Path) -> Result<(), String> {
        let stamp = stamp(path);
        let yaml = read(path)?;
        let file = parse(path, &yaml, &self.cache)?;
        self.revisions += 1;
        let revision = self.revisions;
        let source = file.source.clone();
        let open = OpenFile { path: path.to_owned(), yaml, stamp, file: Arc::new(file), problem: None, revision };
        self.files.insert(source, open);
        self.paths.insert(path.to_owned());
        Ok(())
    }

    /// The sources, sorted.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// A source's patterns, as they were last seen.
    pub fn get(&self, source: &str) -> Option<Arc<PatternFile>> {
        self.files.get(source).map(|open| Arc::clone(&open.file))
    }

    /// Grows whenever the source's patterns change.
    pub fn revision(&self, source: &str) -> u64 {
        self.files.get(source).map_or(0, |open| open.revision)
    }

    /// Why files that never could be read cannot be.
    pub fn unreadable(&self) -> impl Iterator<Item = &str> {
        self.unreadable.values().map(String::as_str)
    }

    /// Those of all sources.
    pub fn revisions(&self) -> impl Iterator<Item = u64> {
        self.files.values().map(|open| open.revision)
    }

    /// Why a source's file, as it now is, cannot be read.
    pub fn problem(&self, source: &str) -> Option<&str> {
        self.files.get(source)?.problem.as_deref()
    }

    /// Reads what changed on disk; says whether anything did.
    pub fn refresh(&mut self) -> bool {
        let before = self.revisions;
        self.forget_what_is_gone();
        for open in self.files.values_mut() {
            if stamp(&open.path) != open.stamp {
                open.read_again(&self.cache, &mut self.revisions);
            }
        }
        self.revisions != before
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

    /// Writes a decision down, whatever else happened to the file meanwhile.
    pub fn save(&mut self, step: &Step) -> Result<(), SaveError> {
        let no_such_source = || SaveError::NoSuchSource(step.source.clone());
        let open = self.files.get_mut(&step.source).ok_or_else(no_such_source)?;
        loop {
            open.read_again(&self.cache, &mut self.revisions);
            if let Some(problem) = &open.problem {
                return Err(SaveError::Broken(problem.clone()));
            }
            let mut file = PatternFile::clone(&open.file);
            step.apply(&mut file)?;
            if open.replace(file)? {
                self.revisions += 1;
                open.revision = self.revisions;
                return Ok(());
            }
        }
    }
}

impl OpenFile {
    /// Reads the file, and takes note if it is another than it was.
    fn read_again(&mut self, cache: &LexerCache, revisions: &mut u64) {
        self.stamp = stamp(&self.path);
        let read = read(&self.path);
        if self.problem.is_none() && read.as_ref().is_ok_and(|yaml| *yaml == self.yaml) {
            return;
        }
        let parsed = read.and_then(|yaml| Ok((parse(&self.path, &yaml, cache)?, yaml)));
        let problem = parsed.as_ref().err().cloned();
        if problem.is_some() && problem == self.problem {
            return;
        }
        if let Ok((file, yaml)) = parsed {
            (self.file, self.yaml) = (Arc::new(file), yaml);
        }
        self.problem = problem;
        *revisions += 1;
        self.revision = *revisions;
    }

    /// Puts a new file in place of the one that was read; not, and says so, if that one is no longer there.
    fn replace(&mut self, file: PatternFile) -> Result<bool, SaveError> {
        let failed = |error| SaveError::Failed { path: self.path.clone(), error };
        let yaml = file.to_yaml();
        let output = OutputFile::create(&self.path, &[]).map_err(|error| failed(io::Error::other(error)))?;
        let mut changed = false;
        let written = output.write_atomic(|writer| {
            writer.write_all(yaml.as_bytes())?;
            changed = fs::read(&self.path)? != self.yaml.as_bytes();
            if changed { Err(io::Error::other("changed meanwhile")) } else { Ok(()) }
        });
        match written {
            Err(_) if changed => Ok(false),
            Err(error) => Err(failed(io::Error::other(error))),
            Ok(()) => {
                self.stamp = stamp(&self.path);
                (self.file, self.yaml) = (Arc::new(file), yaml);
                Ok(true)
            }
        }
    }
}

fn stamp(path: &Path) -> Stamp {
    let changed = |metadata: Metadata| Some((metadata.modified().ok()?, metadata.len()));
    fs::metadata(path).ok().and_then(changed)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn parse(path: &Path, yaml: &str, cache: &LexerCache) -> Result<PatternFile, String> {
    let all = |problems: Vec<FileProblem>| {
        problems.iter().map(|problem| problem.display(path)).collect::<Vec<String>>().join("; ")
    };
    let file = PatternFile::parse(yaml, cache).map_err(all)?;
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
        let (_folder, path, mut files) = opened();
        let step = accept(&files, "a");
        fs::write(&path, FILE.replace("example: 'Share'\n    note: ''", "example: 'Share'\n    note: 'ours'")).unwrap();
        files.save(&step).unwrap();
        let yaml = fs::read_to_string(&path).unwrap();
        assert!(yaml.contains("status: accepted") && yaml.contains("note: 'ours'"), "{yaml}");
        assert_eq!(files.get("s").unwrap().to_yaml(), yaml);
    }

    #[test]
    fn what_an_editor_decided_meanwhile_is_not_decided_again() {
        let (_folder, path, mut files) = opened();
        let step = accept(&files, "a");
        let theirs = FILE.replacen("proposed", "rejected", 1);
        fs::write(&path, &theirs).unwrap();
        assert!(matches!(files.save(&step), Err(SaveError::Refused(Refusal::Changed(id))) if id == "a"));
        assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
        assert_eq!(files.get("s").unwrap().patterns[0].status, Status::Rejected);
    }

    #[test]
    fn a_broken_file_is_left_alone_until_it_is_mended() {
        let (_folder, path, mut files) = opened();
        let step = accept(&files, "a");
        fs::write(&path, "patterns: ]").unwrap();
        assert!(files.refresh());
        assert!(files.problem("s").is_some_and(|problem| problem.contains("s.yaml:1")));
        assert!(matches!(files.save(&step), Err(SaveError::Broken(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "patterns: ]");
        fs::write(&path, FILE).unwrap();
        files.save(&step).unwrap();
        assert!(files.problem("s").is_none());
    }

    #[test]
    fn a_revision_is_a_change() {
        let (_folder, path, mut files) = opened();
        let first = files.revision("s");
        assert!(!files.refresh());
        fs::write(&path, FILE.replace("'Share'", "'Shares'")).unwrap();
        assert!(files.refresh());
        assert!(files.revision("s") > first);
    }
}
