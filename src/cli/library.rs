//! A folder of pattern files: `<source>.yaml` for each source, `_shared.yaml` for all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rayon::prelude::*;

use dehusk::corpus::similar_path;
use dehusk::patterns::{FileProblem, LexerCache, PatternFile, SHARED, open};

use super::reporter::Reporter;

/// The pattern files of a folder, by source.
#[derive(Debug, Default)]
pub struct Library {
    files: BTreeMap<String, PatternFile>,
    paths: Vec<PathBuf>,
}

impl Library {
    /// Reads all pattern files of a folder, or one file. Every problem is reported; any is an error.
    pub fn load(path: &Path, reporter: &Reporter) -> anyhow::Result<Library> {
        Library::load_with(path, &LexerCache::default(), reporter)
    }

    /// The same; lexers that are known already are shared.
    pub fn load_with(path: &Path, cache: &LexerCache, reporter: &Reporter) -> anyhow::Result<Library> {
        let paths = pattern_files(path)?;
        let read: Vec<anyhow::Result<PatternFile>> = paths.par_iter().map(|path| load_file(path, cache)).collect();
        let mut library = Library::default();
        let mut broken = 0;
        for (path, file) in paths.iter().zip(read) {
            match file.and_then(|file| library.add(path, file)) {
                Ok(()) => {}
                Err(error) => {
                    reporter.error(&format!("{error:#}"));
                    broken += 1;
                }
            }
        }
        if broken > 0 {
            bail!("{broken} of {} pattern files cannot be used; nothing was done", paths.len());
        }
        library.paths = paths;
        Ok(library)
    }

    /// One file alone, whatever it is called: a copy, or an older state of it.
    pub fn of_file(path: &Path) -> anyhow::Result<Library> {
        Ok(Library::of_files(vec![parse_file(path, &LexerCache::default())?]))
    }

    /// Pattern files that were just mined.
    pub fn of_files(files: Vec<PatternFile>) -> Library {
        Library { files: files.into_iter().map(|file| (file.source.clone(), file)).collect(), paths: Vec::new() }
    }

    /// As [`Library::load`], but a folder that does not exist yet is an empty library.
    pub fn load_if_any(path: &Path, reporter: &Reporter) -> anyhow::Result<Library> {
        if path.exists() && !pattern_files_in(path)?.is_empty() {
            Library::load(path, reporter)
        } else {
            Ok(Library::default())
        }
    }

    /// Where the files lie, if they were read.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The patterns of a source, or the shared ones.
    pub fn get(&self, source: &str) -> Option<&PatternFile> {
        self.files.get(source)
    }

    /// All files, sorted by source.
    pub fn files(&self) -> impl Iterator<Item = &PatternFile> {
        self.files.values()
    }

    /// The patterns for a source's documents: its own and the shared ones, whichever there are.
    pub fn for_source(&self, source: &str) -> Vec<&PatternFile> {
        [self.get(source), self.get(SHARED)].into_iter().flatten().collect()
    }

    fn add(&mut self, path: &Path, file: PatternFile) -> anyhow::Result<()> {
        if let Some(other) = self.files.insert(file.source.clone(), file) {
            bail!("{}: there is another file for source '{}'; keep one", path.display(), other.source);
        }
        Ok(())
    }
}

/// The pattern files that a path means: itself, or all `.yaml` files right in it. There is at least one.
pub fn pattern_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let paths = pattern_files_in(path)?;
    if paths.is_empty() {
        bail!("{}: no pattern files (.yaml) in this folder; `dehusk mine` makes them", path.display());
    }
    Ok(paths)
}

fn pattern_files_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| {
        let meant = similar_path(folder).filter(|_| !folder.exists());
        let suggestion = meant.map(|path| format!(" (did you mean {}?)", path.display())).unwrap_or_default();
        format!("cannot read the pattern folder {}{suggestion}", folder.display())
    })?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is = |name: &str| path.extension().is_some_and(|extension| extension == name);
        if !is_hidden && is("yml") {
            bail!("{}: pattern files end in .yaml; rename it, or move it elsewhere", path.display());
        }
        if !is_hidden && is("yaml") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn load_file(path: &Path, cache: &LexerCache) -> anyhow::Result<PatternFile> {
    let file = parse_file(path, cache)?;
    match FileProblem::of_name(path, &file.source) {
        Some(problem) => bail!(problem.display(path)),
        None => Ok(file),
    }
}

fn parse_file(path: &Path, cache: &LexerCache) -> anyhow::Result<PatternFile> {
    let yaml = open(path).map_err(|problem| anyhow::anyhow!(problem.display(path)))?;
    parse(path, &yaml, cache)
}

/// What was read from a pattern file; the error names the file.
pub fn parse(path: &Path, yaml: &str, cache: &LexerCache) -> anyhow::Result<PatternFile> {
    PatternFile::parse(yaml, cache).map_err(|problems| anyhow::anyhow!(FileProblem::display_all(&problems, path)))
}
