//! Finds, reads and merges states of streams.
//!
//! Takes the paths that a user names. Problems are found before anything is written, and messages say what to do
//! instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{PipelineError, Result};
use crate::observer::{Observer, WarningKind};
use crate::state::{Merged, Problem, State, StateError};
use dehusk_core::setting::Setting;
use dehusk_core::shown::count;
use dehusk_corpus::{SourceId, similar_name, similar_path};

/// Opens an existing state.
///
/// # Errors
/// If the file does not exist or cannot be used.
pub fn open_state(path: &Path) -> Result<State> {
    let cannot_read = |error| PipelineError::in_context(format!("cannot read {}", path.display()), error);
    if !path.try_exists().map_err(cannot_read)? {
        let meant = similar_path(path).map(|path| format!(" (did you mean {}?)", path.display())).unwrap_or_default();
        let path = path.display();
        return Err(PipelineError::Refused(format!(
            "{path}: there is no such file{meant}; a run over a stream makes it, with {}",
            Setting::State
        )));
    }
    Ok(State::open(path)?)
}

/// The source with this name in a state.
///
/// # Errors
/// If there is no such source.
pub fn source_named(name: &str, state: &State) -> Result<SourceId> {
    let sources = state.sources()?;
    if let Some(source) = sources.iter().find(|source| source.as_str() == name) {
        return Ok(source.clone());
    }
    let remedy = match similar_name(name, sources.iter().map(SourceId::as_str)) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => format!("it has {}", count(sources.len(), "source")),
    };
    let path = state.path().display();
    Err(PipelineError::Refused(format!("{path}: there is no source '{name}' in it; {remedy}")))
}

/// Adds what other states have learned to the state at `into`. If that state does not exist, it is created with the
/// settings of the first other state. Calls `merged` for each state that was merged.
///
/// # Errors
/// If a state is named twice or cannot be used, states have different lexers, or the observer stops the run.
pub fn merge_states(
    into: &Path,
    from: &[PathBuf],
    observer: &dyn Observer,
    mut merged: impl FnMut(&State, Merged),
) -> Result<()> {
    refuse_twice(from.iter().map(PathBuf::as_path).chain([into]))?;
    let others: Vec<State> = from.iter().map(|path| open_state(path)).collect::<Result<_>>()?;
    let known = if into.try_exists()? { Some(State::open(into)?) } else { None };
    let Some(settings) = known.as_ref().or(others.first()).map(|state| state.settings().clone()) else { return Ok(()) };
    if let Some(other) = others.iter().find(|other| other.settings().lexer != settings.lexer) {
        return Err(StateError { path: other.path().to_owned(), problem: Problem::OtherLexer }.into());
    }
    let _permission = observer.writing()?;
    let mut into = known.map_or_else(|| State::create(into, &settings), Ok)?;
    for other in &others {
        warn_of_common_inputs(&into, other, observer)?;
        if other.settings() != into.settings() {
            let (into, other) = (into.path().display(), other.path().display());
            let message = format!("{other} was learned with other settings; the settings of {into} are kept");
            observer.warn(WarningKind::Rare, &message);
        }
        merged(other, into.merge(other)?);
    }
    Ok(())
}

/// Refuses a state that is named twice, because it would be counted twice.
fn refuse_twice<'p>(paths: impl Iterator<Item = &'p Path>) -> Result<()> {
    let mut met: BTreeSet<PathBuf> = BTreeSet::new();
    for path in paths {
        if let Ok(file) = fs::canonicalize(path)
            && !met.insert(file)
        {
            let path = path.display();
            let message = format!("{path} is named twice, and would be counted twice; name it once");
            return Err(PipelineError::Refused(message));
        }
    }
    Ok(())
}

/// Warns of an input that both states have read, because its documents may be counted twice.
fn warn_of_common_inputs(into: &State, other: &State, observer: &dyn Observer) -> Result<()> {
    let known: BTreeMap<String, u64> = into.inputs()?.into_iter().collect();
    let inputs = other.inputs()?.into_iter().map(|(name, _)| name);
    for name in inputs.filter(|name| known.contains_key(name)) {
        let (into, other) = (into.path().display(), other.path().display());
        let message = format!("{into} and {other} have both read '{name}': its documents may be counted twice");
        observer.warn(WarningKind::Rare, &message);
    }
    Ok(())
}
