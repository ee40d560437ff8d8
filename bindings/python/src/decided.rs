//! Decisions on patterns in memory, and how they are written to the files that the patterns were loaded from.
//!
//! A decision makes a new version of [`Files`], so a cleaner that has the old version does not change under its user.
//! Only files with decisions are written. Such a file is read again, and compared with what was loaded: what someone
//! else wrote meanwhile is never replaced.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf, absolute};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dehusk::{Library, OutputRoot, PipelineError, Reads, Status};

use crate::errors::{Fault, Result};
use crate::patterns::{Files, Packed, load_error};
use crate::process::in_pool;

/// Pattern files that a person decides on.
#[derive(Default)]
pub struct Decided {
    /// Held only by threads of Python. A thread of the pool could begin other work that needs the lock, too.
    state: Mutex<State>,
    origin: Option<Origin>,
}

#[derive(Default)]
struct State {
    files: Arc<Files>,
    /// The files with decisions that are not saved, as they were before these decisions.
    before: BTreeMap<String, Packed>,
}

/// Where patterns were loaded from.
struct Origin {
    path: PathBuf,
    is_file: bool,
}

/// A file, and what it will be.
struct Rewrite {
    source: String,
    path: PathBuf,
    old: String,
    new: String,
}

impl Decided {
    /// Files that were not loaded from a place to which they can be written.
    pub fn of(files: Arc<Files>) -> Decided {
        Decided { state: Mutex::new(State { files, ..State::default() }), origin: None }
    }

    /// Loads a folder of pattern files, or one file.
    ///
    /// # Errors
    /// If a file cannot be used.
    pub fn load(path: &Path) -> Result<Decided> {
        let files = Arc::new(Files::load(path)?);
        let path = absolute(path).map_err(|error| Fault::io(&error))?;
        let origin = Some(Origin { is_file: path.is_file(), path });
        Ok(Decided { origin, ..Decided::of(files) })
    }

    /// The files with all decisions so far.
    pub fn files(&self) -> Arc<Files> {
        Arc::clone(&self.state().files)
    }

    /// Whether the files were loaded from this folder.
    pub fn is_of(&self, folder: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        self.origin.as_ref().is_some_and(|origin| real(folder).is_some_and(|path| Some(path) == real(&origin.path)))
    }

    /// Gives patterns of a source this status: all of them, or none.
    ///
    /// # Errors
    /// If the source has no pattern with such an id.
    pub fn decide(&self, source: &str, ids: &[String], status: Status) -> Result<()> {
        let mut state = self.state();
        let none = || Fault::Internal(format!("there are no patterns for source '{source}'"));
        let mut file = state.files.parse(source)?.ok_or_else(none)?;
        for id in ids {
            let Some(pattern) = file.patterns.iter_mut().find(|pattern| pattern.id == *id) else {
                return Err(Fault::Usage(format!(
                    "source '{source}' has no pattern {id:?}; give the id of one of its patterns"
                )));
            };
            pattern.status = status;
        }
        let packed = Packed::of(&file)?;
        let State { files, before } = &mut *state;
        if let Some(old) = Arc::make_mut(files).put(source, packed) {
            before.entry(source.to_owned()).or_insert(old);
        }
        Ok(())
    }

    /// Writes the decisions to the files that were loaded.
    ///
    /// # Errors
    /// If the patterns were not loaded, or if a file was changed meanwhile. Nothing is written then, unless the file was
    /// changed while other files were written.
    pub fn save(&self) -> Result<()> {
        let origin = self.origin.as_ref().ok_or_else(|| {
            Fault::Usage("these patterns were not loaded from a folder; give save() the folder for them".to_owned())
        })?;
        let mut state = self.state();
        let State { files, before } = &mut *state;
        before.retain(|source, old| files.packed(source) != Some(old));
        let rewrites = before.iter().map(|(source, old)| Rewrite::of(source, origin.path_of(source), old, files));
        for rewrite in rewrites.collect::<Result<Vec<Rewrite>>>()? {
            rewrite.write()?;
            before.remove(&rewrite.source);
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Origin {
    fn path_of(&self, source: &str) -> PathBuf {
        if self.is_file { self.path.clone() } else { self.path.join(format!("{source}.yaml")) }
    }
}

impl Rewrite {
    fn of(source: &str, path: PathBuf, before: &Packed, files: &Files) -> Result<Rewrite> {
        let old = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(changed(&path)),
            read => read.map_err(|error| Fault::io(&error).at(&format!("{path:?}")))?,
        };
        let now = in_pool(|| Library::load(&path))?.map_err(|error| load_error(&error))?;
        let is_same = now.get(source).map(|file| Packed::of(&file)).transpose()?.is_some_and(|now| now == *before);
        let (true, Some(mut file)) = (is_same, files.parse(source)?) else { return Err(changed(&path)) };
        file.sort();
        let new = file.to_yaml_like(&old);
        Ok(Rewrite { source: source.to_owned(), path, old, new })
    }

    fn write(&self) -> Result<()> {
        let Rewrite { path, old, new, .. } = self;
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Err(changed(path)) };
        let written = OutputRoot::create(folder, &Reads::nothing())
            .and_then(|output| output.replace(name, Some(old.as_bytes()), new.as_bytes()));
        if written.map_err(PipelineError::from)? { Ok(()) } else { Err(changed(path)) }
    }
}

fn changed(path: &Path) -> Fault {
    Fault::Pattern(format!("{path:?} was changed after it was loaded; load the patterns again, and decide again"))
}
