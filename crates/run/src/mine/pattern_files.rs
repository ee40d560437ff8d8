//! Writes pattern files that replace existing ones, which people may have changed while sources were mined.
//!
//! Each file is read again directly before it is written, and new decisions in it are merged. A file that can no longer
//! be read is not changed; the mined patterns are written beside it. A source without patterns gets no new file, but a
//! line in the index of the folder.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{PipelineError, Result};
use crate::library::{self, Library, LibraryError, index_of, parse};
use crate::observer::Observer;
use crate::record::written_files::{Prune, WrittenFiles};
use dehusk_core::patterns::index::{self, INDEX};
use dehusk_core::patterns::lexers::{self, MUTABLE};
use dehusk_core::patterns::{LexerCache, PatternFile};
use dehusk_corpus::OutputRoot;

impl Library {
    /// Writes a pattern file for each source. Keeps the decisions that people made in the existing files after `before`
    /// was read. Warns of files that earlier runs wrote for other sources.
    ///
    /// # Errors
    /// If a file cannot be written, or a file that was changed in the meantime cannot be read. In that second case, the
    /// new patterns are in a file beside it ([`Observer::error`] names both), and all other files are written.
    pub fn write(&self, before: &Library, output: &OutputRoot, observer: &dyn Observer) -> Result<()> {
        write(self, before, output, Prune::No, observer)
    }
}

/// Writes pattern files. `before` has the existing files that were merged into them. `prune` says what happens to the
/// files that earlier runs wrote for other sources. Files that a person decided on, noted or edited are not deleted.
///
/// # Errors
/// If a file cannot be written, or a file that was changed in the meantime cannot be read.
pub fn write(
    library: &Library,
    before: &Library,
    output: &OutputRoot,
    prune: Prune,
    observer: &dyn Observer,
) -> Result<()> {
    let (cache, mut broken) = (LexerCache::default(), 0);
    let written = WrittenFiles::open(output)?;
    let has_file = |source: &str| output.path().join(format!("{source}.yaml")).exists();
    let mut indexed = library.without_content();
    indexed.retain(|file| !has_file(&file.source));
    write_about_folder(&indexed, library, &written, &cache)?;
    let indexed: HashSet<&str> = indexed.iter().map(|file| file.source.as_str()).collect();
    for file in library.files().filter(|file| !indexed.contains(file.source.as_str())) {
        let _permission = observer.writing()?;
        if let Some(problem) = write_one(&file, before.get(&file.source).as_deref(), &written, &cache)? {
            let beside = put_beside(&file, output)?;
            observer.error(&format!(
                "{problem}; it was changed while sources were mined: the mined patterns are in {beside:?}"
            ));
            broken += 1;
        }
    }
    if broken > 0 {
        return Err(PipelineError::BrokenMeanwhile(broken));
    }
    let is_touched = |path: &Path| read(path, &cache).map_or(true, |(_, file)| file.is_touched());
    written.finish(prune, &is_touched, observer)
}

/// Writes the table of mutable patterns, and the index of the sources without patterns. Both also have what other files
/// of the folder need.
fn write_about_folder(
    indexed: &[Arc<PatternFile>],
    library: &Library,
    written: &WrittenFiles,
    cache: &LexerCache,
) -> Result<()> {
    let folder = written.output().path();
    loop {
        let path = folder.join(INDEX);
        let now = read_if_any(&path)?;
        let mut others = if now.is_some() { index_of(&path, cache, index::parse)? } else { Vec::new() };
        others.retain(|other| !library.contains(&other.source));
        let mut all: Vec<&PatternFile> = others.iter().chain(indexed.iter().map(|file| &**file)).collect();
        all.sort_by(|a, b| a.source.cmp(&b.source));
        if now.is_none() && all.is_empty() {
            break;
        }
        if written.replace(INDEX, now.as_deref().map(str::as_bytes), index::written(all).as_bytes())? {
            break;
        }
    }
    let sets = library.mutable_sets();
    loop {
        let path = folder.join(MUTABLE);
        let now = read_if_any(&path)?;
        let table = lexers::table(sets.iter().map(|set| &**set), now.as_deref().unwrap_or_default());
        let Some(table) = table.map_err(|problem| LibraryError::Problem(problem.display(&path)))? else {
            return Ok(());
        };
        if written.replace(MUTABLE, now.as_deref().map(str::as_bytes), table.as_bytes())? {
            return Ok(());
        }
    }
}

/// The text of a file. `None` if there is no such file.
fn read_if_any(path: &Path) -> Result<Option<String>> {
    Ok(if path.try_exists()? { Some(library::read(path)?) } else { None })
}

/// Writes a file beside the existing file of its source, under an unused name. Returns its path.
fn put_beside(file: &PatternFile, output: &OutputRoot) -> Result<PathBuf> {
    let first = format!("{}.yaml.mined", file.source);
    let (mut name, mut number) = (first.clone(), 1);
    loop {
        let path = output.path().join(&name);
        if path.symlink_metadata().is_err() && output.replace(&name, None, file.to_yaml().as_bytes())? {
            return Ok(path);
        }
        number += 1;
        name = format!("{first}-{number}");
    }
}

/// Writes one file. If the existing file must not be replaced, returns what is wrong with it.
fn write_one(
    file: &PatternFile,
    before: Option<&PatternFile>,
    written: &WrittenFiles,
    cache: &LexerCache,
) -> Result<Option<String>> {
    let name = format!("{}.yaml", file.source);
    let path = written.output().path().join(&name);
    loop {
        let now = if path.try_exists()? { Some(read(&path, cache)) } else { None };
        let (old, merged) = match now {
            None => (None, file.clone()),
            Some(Err(problem)) => return Ok(Some(problem.to_string())),
            Some(Ok((yaml, now))) => (Some(yaml), file.with_decisions_of(before, now)),
        };
        if written.replace(&name, old.as_deref().map(str::as_bytes), merged.to_yaml_in_folder().as_bytes())? {
            return Ok(None);
        }
    }
}

fn read(path: &Path, cache: &LexerCache) -> std::result::Result<(String, PatternFile), LibraryError> {
    let yaml = library::read(path)?;
    let file = parse(path, &yaml, cache)?;
    Ok((yaml, file))
}
