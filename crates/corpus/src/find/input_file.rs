//! A file to read, its source, and its name in the output.
//!
//! The output name depends only on the file's path. So another rule for source names changes no output name.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::find::file_kind::text_name;
use crate::find::source_by::SourceHints;
use crate::{FileKind, HtmlView, ReadOptions, Reason, SourceId};
use dehusk_core::regular;

/// Maximum number of attempts to open a file, if its path is changed at the same moment.
const ATTEMPTS: usize = 10;

/// A file to read, with one document or with many (such as JSONL).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    root: Arc<Root>,
    /// The path below `root`, with `/` between folders on every system.
    relative: Box<str>,
    /// The start of the document's name in `relative`, after the folder.
    id_start: u32,
    kind: FileKind,
    folder: Option<SourceId>,
    source: Option<SourceId>,
}

/// A folder with input files. All files below it share this value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Root {
    path: PathBuf,
    /// The folder name that is used for documents directly in this folder.
    folder: Result<SourceId, Reason>,
    /// Whether a person named the whole folder, and not only files in it.
    is_whole: bool,
    /// The folder with all links resolved, if no link may lead out of it.
    bounds: Option<PathBuf>,
}

impl Root {
    /// All files below the folder `path`.
    pub(crate) fn whole(path: &Path) -> Root {
        Root { path: path.to_owned(), folder: source_named_after(path), is_whole: true, bounds: None }
    }

    /// Some files below the folder `path`.
    pub(crate) fn in_part(path: &Path) -> Root {
        Root { is_whole: false, ..Root::whole(path) }
    }

    /// The same files, but a file can be opened only if it is below `real`, which is the folder with all links
    /// resolved.
    pub(crate) fn within(self, real: PathBuf) -> Root {
        Root { bounds: Some(real), ..self }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl InputFile {
    /// The name of standard input in lists of files.
    pub const STDIN: &'static str = "-";

    /// Standard input. It is read as JSONL, unless its first bytes show another format.
    pub(crate) fn stdin() -> InputFile {
        let root = Arc::new(Root::in_part(Path::new("")));
        let (relative, kind) = (InputFile::STDIN.into(), FileKind::JsonLines);
        InputFile { root, relative, id_start: 0, kind, folder: None, source: None }
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        &*self.relative == InputFile::STDIN && self.root.path.as_os_str().is_empty()
    }

    /// Whether it can contain many documents.
    pub fn holds_many(&self) -> bool {
        self.kind.holds_many()
    }

    /// Opens the file. Since the search, a link may have replaced the file or a folder on its path. Such a link is
    /// refused if the search would have refused it.
    #[doc(hidden)]
    pub fn open(&self) -> Result<File, Reason> {
        let path = self.path();
        let Some(bounds) = &self.root.bounds else { return Ok(regular::open(&path)?) };
        for _ in 0..ATTEMPTS {
            let real = fs::canonicalize(&path)?;
            if !real.starts_with(bounds) {
                return Err(Reason::LinkLeadsOut(real));
            }
            let file = regular::open(&real)?;
            // A link may have replaced a part of this path before the file was opened.
            if fs::canonicalize(&real)? == real {
                return Ok(file);
            }
        }
        Err(Reason::Changed)
    }

    /// Its path.
    pub fn path(&self) -> PathBuf {
        self.root.path.join(&*self.relative)
    }

    /// What the file contains.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// The first folder below the root on the path to the file. For a single document directly in the root, the root
    /// itself. `None` for a file of many documents directly in the root.
    pub fn folder(&self) -> Option<&SourceId> {
        self.folder.as_ref()
    }

    /// The source of its document. `None` if it contains many documents, because each has its own source.
    pub fn source(&self) -> Option<&SourceId> {
        self.source.as_ref()
    }

    /// The name of its document: the path below its folder.
    pub fn id(&self) -> &str {
        &self.relative[self.id_start as usize..]
    }

    /// The path of a copy of the file below the output folder: `<folder>/<document>`, whatever its source is called. A
    /// file of many documents keeps its path below the folder that was given.
    pub fn name(&self) -> String {
        match &self.folder {
            _ if self.is_stdin() => "stdin.jsonl".to_owned(),
            Some(folder) => format!("{folder}/{}", self.id()),
            None => self.relative.to_string(),
        }
    }

    /// The path, below the output folder, of a file with a line of JSON for each document of this file.
    pub fn lines_name(&self) -> String {
        match self.kind {
            FileKind::JsonLines => self.name(),
            _ => format!("{}.jsonl", self.name()),
        }
    }

    /// The path of the cleaned file below the output folder. It is the [name](InputFile::name), but it ends in `.txt`
    /// or `.md` if a page is written as text, and in `.jsonl` if documents are written as lines of JSON.
    pub fn output_name(&self, view: HtmlView) -> String {
        if view == HtmlView::Json {
            return self.lines_name();
        }
        let name = self.name();
        let is_written_as_text = self.kind == FileKind::Html && view.is_written_as_text();
        if is_written_as_text { text_name(&name, view.text_extension()) } else { name }
    }

    /// The file at `relative`, below the folder `root`. Fails if no valid source name can be found for it.
    pub(crate) fn below(
        root: &Arc<Root>,
        relative: &str,
        kind: FileKind,
        options: &ReadOptions,
    ) -> Result<InputFile, Reason> {
        let (folder, id_start) = match relative.split_once('/') {
            Some((folder, _)) => (Some(SourceId::parse(folder)?), folder.len() + 1),
            None if kind.holds_many() => (None, 0),
            None => (Some(root.folder.clone()?), 0),
        };
        let mut file = InputFile {
            root: Arc::clone(root),
            relative: relative.into(),
            // A valid folder name is short, so this cannot overflow.
            id_start: id_start as u32,
            kind,
            folder,
            source: None,
        };
        file.source = if kind.holds_many() { None } else { Some(file.own_source(options)?) };
        Ok(file)
    }

    /// Whether a person named this file itself, and not a folder around it.
    pub(crate) fn is_named_itself(&self) -> bool {
        !self.root.is_whole
    }

    /// Whether a person named this single document, and its source is `source` because its folder has this name.
    pub fn is_named_after_its_folder(&self, source: &str) -> bool {
        let is = |name: &Option<SourceId>| name.as_ref().is_some_and(|name| name.as_str() == source);
        self.is_named_itself() && self.id_start == 0 && is(&self.source) && is(&self.folder)
    }

    /// Replaces equal source names by one shared copy, to save memory if there are many files.
    pub(crate) fn share_names(&mut self, known: &mut FxHashSet<SourceId>) {
        for name in [&mut self.folder, &mut self.source].into_iter().flatten() {
            match known.get(name) {
                Some(same) => *name = same.clone(),
                None => drop(known.insert(name.clone())),
            }
        }
    }

    /// A sort key that does not depend on the order of the arguments or on the file system.
    pub(crate) fn sort_key(&self) -> impl Ord + '_ {
        (&self.folder, self.id(), &*self.root.path)
    }

    fn own_source(&self, options: &ReadOptions) -> Result<SourceId, Reason> {
        let path = self.name();
        let known = SourceHints { folder: self.folder.as_ref(), path: &path, is_file: true, ..SourceHints::default() };
        let name = options.source_by.name(known, &options.keys)?;
        match &self.folder {
            Some(folder) if *folder.as_str() == *name => Ok(folder.clone()),
            _ => Ok(SourceId::parse(&name)?),
        }
    }
}

/// The source name for `folder`: the last name in its path, without the dots that hide a folder. A person named this
/// folder, so it is meant. Fails if that is not a valid source name.
fn source_named_after(folder: &Path) -> Result<SourceId, Reason> {
    let named = match folder.file_name() {
        Some(_) => folder.to_owned(),
        None if folder.as_os_str().is_empty() => fs::canonicalize(".")?,
        // Paths such as `.` and `..` have no name of their own, so they are resolved.
        None => fs::canonicalize(folder)?,
    };
    let name = named.file_name().unwrap_or_default();
    let name = name.to_str().ok_or(Reason::NameNotUtf8)?;
    Ok(SourceId::parse(name.trim_start_matches('.'))?)
}
