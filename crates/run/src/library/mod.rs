//! A folder of pattern files: `<source>.yaml` for each source with patterns, `_shared.yaml` for all sources,
//! `_mutable.yaml` with the mutable patterns of these files, and `_index.yaml` with the sources without patterns.

mod held;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::error::PipelineError;
use crate::workers::share_out_by_size;
use dehusk_core::patterns::index::{self, INDEX};
use dehusk_core::patterns::lexers::{self, MUTABLE};
use dehusk_core::patterns::{FileProblem, LexerCache, Loose, Pattern, PatternFile, SHARED, open};
use dehusk_core::tokens::MutableSet;
use dehusk_corpus::{Reads, similar_path, similar_source};
use held::{Held, RoomForFiles};

/// Why pattern files cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The folder cannot be read.
    #[error("cannot read the pattern folder {path}{suggestion}", path = .path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// A similar path that exists, in brackets. Empty if there is none.
        suggestion: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The folder has no pattern files.
    #[error("{path}: no pattern files (.yaml) in this folder; mine a corpus to make them", path = .0.display())]
    Empty(PathBuf),
    /// A file whose name ends in `.yml`.
    #[error("{path}: pattern files end in .yaml; rename it, or move it elsewhere", path = .0.display())]
    OtherEnding(PathBuf),
    /// The problem of a file, with its line.
    #[error("{0}")]
    Problem(String),
    /// Two files are for the same source.
    #[error("{path}: there is another file for source '{source_name}'; keep one", path = .path.display())]
    Twice {
        /// The path of the second file.
        path: PathBuf,
        /// The source.
        source_name: String,
    },
    /// A folder and a file cannot be compared.
    #[error("'{folder}' is a folder and '{file}' a file; name two folders, or two files", folder = .folder.display(), file = .file.display())]
    FolderAndFile {
        /// The folder.
        folder: PathBuf,
        /// The file.
        file: PathBuf,
    },
    /// Two files for different sources cannot be compared.
    #[error("'{old}' is for source '{old_source}' and '{new}' for '{new_source}'; name two files for one source", old = .old.display(), new = .new.display())]
    TwoSources {
        /// The first file.
        old: PathBuf,
        /// The source of the first file.
        old_source: String,
        /// The second file.
        new: PathBuf,
        /// The source of the second file.
        new_source: String,
    },
    /// Some of the files cannot be used.
    #[error("{} of {files} pattern files cannot be used; nothing was done", .problems.len())]
    Broken {
        /// The problem of each of these files.
        problems: Vec<LibraryError>,
        /// Number of all files.
        files: usize,
    },
}

type Result<T> = std::result::Result<T, LibraryError>;

impl LibraryError {
    fn folder_and_file(folder: &Path, file: &Path) -> LibraryError {
        LibraryError::FolderAndFile { folder: folder.to_owned(), file: file.to_owned() }
    }
}

/// The pattern files of a folder, by source. Files beyond the first 100 MB or so are packed, and parsed when they are
/// asked for: a crawl can have a hundred thousand sources.
#[derive(Debug, Default)]
pub struct Library {
    files: BTreeMap<String, Held>,
    paths: Vec<PathBuf>,
    lexers: LexerCache,
    /// The folder, if only the files of some sources were read.
    rest: Option<Rest>,
    room: RoomForFiles,
}

/// The pattern files for the documents of a source: its own one, and then the shared one, as far as they exist.
#[derive(Clone, Debug, Default)]
pub struct FilesOfSource(Vec<Arc<PatternFile>>);

impl FilesOfSource {
    /// The files.
    pub fn files(&self) -> Vec<&PatternFile> {
        self.0.iter().map(|file| &**file).collect()
    }
}

/// A folder of which some pattern files were not read.
#[derive(Debug)]
struct Rest {
    folder: PathBuf,
    /// The sources of all its files. They are listed if they are asked for.
    sources: OnceLock<Vec<String>>,
}

impl Library {
    /// Reads all pattern files of a folder, or one file.
    ///
    /// # Errors
    /// If there are no files, or some cannot be used. [`LibraryError::Broken`] names all unusable files.
    pub fn load(path: &Path) -> Result<Library> {
        let (lexers, room) = (LexerCache::default(), RoomForFiles::default());
        let keep = |file, yaml: Option<&str>| room.hold(file, yaml, &lexers);
        let (files, paths) = load_folder(path, &lexers, &keep)?;
        Ok(Library { files, paths, lexers, rest: None, room })
    }

    /// Reads what is needed for documents of these sources: of a folder, the files of these sources and the shared ones. A
    /// folder may have a hundred thousand others.
    ///
    /// # Errors
    /// The same as for [`Library::load`], but other files of the folder are not looked at.
    pub fn load_for(path: &Path, sources: &BTreeSet<&str>) -> Result<Library> {
        if !path.is_dir() {
            return Library::load(path);
        }
        let names = sources.iter().copied().chain([SHARED]).map(|source| (source, path.join(format!("{source}.yaml"))));
        // What is there but no file, such as a pipe, is refused when it is read.
        let (there, lacking): (Vec<_>, Vec<_>) = names.partition(|(_, path)| path.symlink_metadata().is_ok());
        if there.is_empty() {
            // Perhaps there are no pattern files at all.
            pattern_files(path)?;
        }
        let (lexers, room) = (LexerCache::default(), RoomForFiles::default());
        let mut paths: Vec<PathBuf> = there.into_iter().map(|(_, path)| path).collect();
        let keep = |file, yaml: Option<&str>| room.hold(file, yaml, &lexers);
        let mut files = load_files(&paths, &lexers, &keep)?;
        let (index, lacking) = (path.join(INDEX), lacking.into_iter().map(|(source, _)| source).collect());
        if index.is_file() {
            for file in index_of(&index, &lexers, |yaml, lexers| index::parse_for(yaml, lexers, &lacking))? {
                files.entry(file.source.clone()).or_insert_with(|| keep(file, None));
            }
            paths.push(index);
        }
        let rest = Rest { folder: path.to_owned(), sources: OnceLock::new() };
        Ok(Library { files, paths, lexers, rest: Some(rest), room })
    }

    /// Reads all pattern files of a folder, or one file. Keeps only the result of `keep` for each file, by source, so a
    /// folder may be larger than memory. `keep` is called from several threads. Files that use the same lexer share it
    /// in `lexers`.
    ///
    /// # Errors
    /// The same as for [`Library::load`].
    pub fn load_each<T: Send>(
        path: &Path,
        lexers: &LexerCache,
        keep: impl Fn(PatternFile) -> T + Sync,
    ) -> Result<BTreeMap<String, T>> {
        Ok(load_folder(path, lexers, &|file, _| keep(file))?.0)
    }

    /// The lexers of the files, which other files can share.
    #[doc(hidden)]
    pub fn lexers(&self) -> &LexerCache {
        &self.lexers
    }

    /// Reads two states of pattern files, to compare them: two folders, or two files for the same source. The file
    /// names do not matter.
    ///
    /// # Errors
    /// If one path is a folder and the other a file, the files are for two sources, or some cannot be used.
    #[doc(hidden)]
    pub fn load_states(old: &Path, new: &Path) -> Result<[Library; 2]> {
        match [old, new].map(Path::is_file) {
            [true, true] => {}
            [true, false] if new.is_dir() => return Err(LibraryError::folder_and_file(new, old)),
            [false, true] if old.is_dir() => return Err(LibraryError::folder_and_file(old, new)),
            _ => return Ok([Library::load(old)?, Library::load(new)?]),
        }
        let cache = LexerCache::default();
        let [before, now] = [parse_file(old, &cache)?, parse_file(new, &cache)?];
        if before.source != now.source {
            let [(old, old_source), (new, new_source)] = [(old.into(), before.source), (new.into(), now.source)];
            return Err(LibraryError::TwoSources { old, old_source, new, new_source });
        }
        Ok([before, now].map(|file| Library::of_files(vec![file])))
    }

    /// A library of freshly mined pattern files.
    pub fn of_files(files: impl IntoIterator<Item = PatternFile>) -> Library {
        let mut library = Library::default();
        files.into_iter().for_each(|file| library.add(file));
        library
    }

    /// A library of files that `make` makes in several threads. Each is given by its number. `sizes` says how much work
    /// each is.
    pub(crate) fn of_made(
        threads: usize,
        sizes: &[u64],
        make: impl Fn(usize) -> std::result::Result<PatternFile, PipelineError> + Sync,
    ) -> std::result::Result<Library, PipelineError> {
        let mut library = Library::default();
        let made = share_out_by_size(threads, sizes, |number| {
            let file = make(number)?;
            Ok::<_, PipelineError>((file.source.clone(), library.room.hold(file, None, &library.lexers)))
        });
        library.files = made?.into_iter().collect();
        Ok(library)
    }

    /// The same files, all packed.
    #[cfg(test)]
    pub(crate) fn packed(&self) -> Library {
        let mut library = Library { room: RoomForFiles::none(), ..Library::default() };
        self.files().for_each(|file| library.add(Arc::unwrap_or_clone(file)));
        library
    }

    /// Adds a file. It replaces the file of the same source, if there is one.
    pub fn add(&mut self, file: PatternFile) {
        self.files.insert(file.source.clone(), self.room.hold(file, None, &self.lexers));
    }

    /// The same as [`Library::load`], but a folder that does not exist, or has no pattern files, is an empty library.
    ///
    /// # Errors
    /// If some files cannot be used.
    pub fn load_if_any(path: &Path) -> Result<Library> {
        let has_files = path.exists() && (path.join(INDEX).is_file() || !pattern_files_in(path)?.is_empty());
        if has_files { Library::load(path) } else { Ok(Library::default()) }
    }

    /// The files that were read.
    pub fn reads(&self) -> Reads {
        Reads::nothing().files(&self.paths)
    }

    /// The pattern file of a source. [`SHARED`] gives the shared file.
    pub fn get(&self, source: &str) -> Option<Arc<PatternFile>> {
        self.files.get(source).map(|held| held.file(&self.lexers))
    }

    /// Whether a source has a file that was read.
    #[doc(hidden)]
    pub fn contains(&self, source: &str) -> bool {
        self.files.contains_key(source)
    }

    /// Number of files that were read.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether no file was read.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The files without content, which are in the index of a folder.
    pub(crate) fn without_content(&self) -> Vec<Arc<PatternFile>> {
        self.files.values().filter(|held| !held.has_content()).filter_map(Held::parsed).cloned().collect()
    }

    /// The mutable patterns of the files.
    pub(crate) fn mutable_sets(&self) -> Vec<Arc<MutableSet>> {
        // Those of packed files are in the cache.
        let parsed = self.files.values().filter_map(Held::parsed).map(|file| Arc::clone(file.lexer.mutable()));
        let mut sets: Vec<Arc<MutableSet>> = self.lexers.sets().into_iter().chain(parsed).collect();
        sets.sort_unstable_by_key(Arc::as_ptr);
        sets.dedup_by(|a, b| Arc::ptr_eq(a, b));
        sets
    }

    /// The sources that have a file of their own, sorted, also those whose files were not read.
    #[doc(hidden)]
    pub fn own_sources(&self) -> impl Iterator<Item = &str> + Clone {
        let of_folder = self.rest.as_ref().map(Rest::sources).unwrap_or_default().iter().map(String::as_str);
        let read = self.files.keys().map(String::as_str).filter(|_| self.rest.is_none());
        of_folder.chain(read).filter(|source| *source != SHARED)
    }

    /// Whether there is a pattern file of this source, even if it was not read.
    #[doc(hidden)]
    pub fn has_file(&self, source: &str) -> bool {
        let is_in = |rest: &Rest| rest.folder.join(format!("{source}.yaml")).is_file();
        self.files.contains_key(source) || self.rest.as_ref().is_some_and(is_in)
    }

    /// The message that a source has no file, with the source that may be meant.
    #[doc(hidden)]
    pub fn lacks(&self, source: &str) -> String {
        let similar = similar_source(source, self.own_sources());
        let suggestion = similar.map(|similar| format!(" (did you mean '{similar}'?)")).unwrap_or_default();
        format!("there is no pattern file for source '{source}'{suggestion}")
    }

    /// The files of a folder of these patterns, with their names and contents: one for each source with patterns, the
    /// table of mutable patterns, and the index of the sources without patterns.
    pub fn texts(&self) -> Vec<(String, String)> {
        let empty = self.without_content();
        let index = (!empty.is_empty()).then(|| (INDEX.to_owned(), index::written(empty.iter().map(|file| &**file))));
        let sets = self.mutable_sets();
        // Without an earlier table, there is nothing that could be wrong.
        let table = lexers::table(sets.iter().map(|set| &**set), "").unwrap_or_default();
        let of_folder = table.map(|table| (MUTABLE.to_owned(), table)).into_iter().chain(index);
        let full = self.files.iter().filter(|(_, held)| held.has_content());
        of_folder.chain(full.map(|(source, held)| (format!("{source}.yaml"), held.text()))).collect()
    }

    /// The patterns in the files of a folder, given by their names and contents.
    ///
    /// # Errors
    /// If one of them cannot be used.
    pub fn of_texts(texts: &[(String, String)]) -> Result<Library> {
        let lexers = LexerCache::default();
        let text_of = |name: &str| texts.iter().find(|(other, _)| other == name).map(|(_, text)| text.as_str());
        let problem = |name: &str, problem: FileProblem| LibraryError::Problem(problem.display(Path::new(name)));
        if let Some(table) = text_of(MUTABLE) {
            lexers.add_table(table).map_err(|found| problem(MUTABLE, found))?;
        }
        let (mut files, room) = (BTreeMap::new(), RoomForFiles::default());
        for (name, yaml) in texts.iter().filter(|(name, _)| ![MUTABLE, INDEX].contains(&name.as_str())) {
            let file = parse(Path::new(name), yaml, &lexers)?;
            let source_name = file.source.clone();
            if files.insert(source_name.clone(), room.hold(file, Some(yaml), &lexers)).is_some() {
                return Err(LibraryError::Twice { path: name.into(), source_name });
            }
        }
        if let Some(yaml) = text_of(INDEX) {
            for file in index::parse(yaml, &lexers).map_err(|found| problem(INDEX, found))? {
                files.entry(file.source.clone()).or_insert_with(|| room.hold(file, None, &lexers));
            }
        }
        Ok(Library { files, lexers, room, ..Library::default() })
    }

    /// All files, sorted by source. Those that are packed are parsed one after the other.
    pub fn files(&self) -> impl Iterator<Item = Arc<PatternFile>> {
        self.files.values().map(|held| held.file(&self.lexers))
    }

    /// A hash of each file, by source.
    pub(crate) fn hashes(&self) -> BTreeMap<&str, u64> {
        self.files.par_iter().map(|(source, held)| (source.as_str(), held.hash())).collect()
    }

    /// Whether a person decided what only the trees of pages show: changed patterns for elements, or had text without a
    /// pattern removed.
    pub fn needs_trees(&self) -> bool {
        let is_reviewed = |pattern: &Pattern| pattern.elements().is_some() && pattern.is_touched();
        self.files().any(|file| file.loose == Loose::Remove || file.patterns.iter().any(is_reviewed))
    }

    /// The pattern files for the documents of a source.
    pub fn for_source(&self, source: &str) -> FilesOfSource {
        FilesOfSource([self.get(source), self.get(SHARED)].into_iter().flatten().collect())
    }
}

impl Rest {
    fn sources(&self) -> &[String] {
        self.sources.get_or_init(|| {
            // The folder was read before. If it cannot be read now, no other source is suggested.
            let paths = pattern_files_in(&self.folder).unwrap_or_default();
            paths.iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
        })
    }
}

/// The result of `keep` for each pattern file at a path, by source, and the paths of the files. `keep` receives the file
/// and its text. A source without patterns has no text.
fn load_folder<T: Send>(
    path: &Path,
    lexers: &LexerCache,
    keep: &(impl Fn(PatternFile, Option<&str>) -> T + Sync),
) -> Result<(BTreeMap<String, T>, Vec<PathBuf>)> {
    let mut paths = pattern_files(path)?;
    let mut files = load_files(&paths, lexers, keep)?;
    let index = path.join(INDEX);
    if index.is_file() {
        for file in index_of(&index, lexers, index::parse)? {
            files.entry(file.source.clone()).or_insert_with(|| keep(file, None));
        }
        paths.push(index);
    }
    Ok((files, paths))
}

/// The result of `keep` for each of these pattern files, by source. All of them have a text.
fn load_files<T: Send>(
    paths: &[PathBuf],
    lexers: &LexerCache,
    keep: &(impl Fn(PatternFile, Option<&str>) -> T + Sync),
) -> Result<BTreeMap<String, T>> {
    let load = |path: &PathBuf| {
        let yaml = read(path)?;
        let file = parse(path, &yaml, lexers)?;
        match FileProblem::of_name(path, &file.source) {
            Some(problem) => Err(LibraryError::Problem(problem.display(path).to_string())),
            None => Ok((file.source.clone(), keep(file, Some(&yaml)))),
        }
    };
    let read: Vec<Result<(String, T)>> = paths.par_iter().map(load).collect();
    let mut files = BTreeMap::new();
    let mut problems = Vec::new();
    for (path, file) in paths.iter().zip(read) {
        match file {
            Ok((source, file)) => {
                if files.insert(source.clone(), file).is_some() {
                    problems.push(LibraryError::Twice { path: path.clone(), source_name: source });
                }
            }
            Err(problem) => problems.push(problem),
        }
    }
    match problems.is_empty() {
        true => Ok(files),
        false => Err(LibraryError::Broken { problems, files: paths.len() }),
    }
}

/// The sources of an index that `parse` finds, as files without patterns.
pub(crate) fn index_of(
    path: &Path,
    cache: &LexerCache,
    parse: impl Fn(&str, &LexerCache) -> std::result::Result<Vec<PatternFile>, FileProblem>,
) -> Result<Vec<PatternFile>> {
    let yaml = read(path)?;
    let parsed = with_table_beside(path, &yaml, cache).and_then(|()| parse(&yaml, cache));
    parsed.map_err(|problem| LibraryError::Problem(problem.display(path).to_string()))
}

/// The pattern files at a path: the file itself, or all `.yaml` files of sources directly in the folder. None only if the
/// folder has an index, which says that its sources have no patterns.
///
/// # Errors
/// If there are neither pattern files nor an index, or the folder cannot be read.
pub fn pattern_files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let paths = pattern_files_in(path)?;
    if paths.is_empty() && !path.join(INDEX).is_file() {
        return Err(LibraryError::Empty(path.to_owned()));
    }
    Ok(paths)
}

fn pattern_files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |source| {
        let meant = similar_path(folder).filter(|_| !folder.exists());
        let suggestion = meant.map(|path| format!(" (did you mean {}?)", path.display())).unwrap_or_default();
        LibraryError::Unreadable { path: folder.to_owned(), suggestion, source }
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is = |name: &str| path.extension().is_some_and(|extension| extension == name);
        if !is_hidden && is("yml") {
            return Err(LibraryError::OtherEnding(path));
        }
        let is_about_folder = [MUTABLE, INDEX].iter().any(|name| path.file_name().is_some_and(|file| file == *name));
        if !is_hidden && !is_about_folder && is("yaml") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn parse_file(path: &Path, cache: &LexerCache) -> Result<PatternFile> {
    parse(path, &read(path)?, cache)
}

/// The text of a pattern file. An error names the file.
pub(crate) fn read(path: &Path) -> Result<String> {
    open(path).map_err(|problem| LibraryError::Problem(problem.display(path).to_string()))
}

/// The content of a pattern file. Its mutable patterns may be in the table beside it. An error names the file.
pub fn parse(path: &Path, yaml: &str, cache: &LexerCache) -> Result<PatternFile> {
    let problem = |problems: Vec<_>| LibraryError::Problem(FileProblem::display_all(&problems, path).to_string());
    parse_beside(path, yaml, cache).map_err(problem)
}

/// The same as [`parse`], with all problems of the file.
pub fn parse_beside(path: &Path, yaml: &str, cache: &LexerCache) -> std::result::Result<PatternFile, Vec<FileProblem>> {
    with_table_beside(path, yaml, cache).map_err(|problem| vec![problem])?;
    PatternFile::parse(yaml, cache)
}

/// Reads the table of mutable patterns beside a file, if the file needs it and it is there.
fn with_table_beside(path: &Path, yaml: &str, cache: &LexerCache) -> std::result::Result<(), FileProblem> {
    let table = path.with_file_name(MUTABLE);
    if !cache.lacks(yaml) || !table.is_file() {
        return Ok(());
    }
    let in_table = |problem: FileProblem| FileProblem { line: 0, id: None, message: problem.display(&table) };
    open(&table).and_then(|yaml| cache.add_table(&yaml)).map_err(in_table)
}
