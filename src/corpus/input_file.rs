//! A file to read, its source, and what it is called in the output.
//!
//! The name follows from where a file lies alone: naming sources by another rule moves no output.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::file_kind::text_name;
use super::source_by::Known;
use super::{FileKind, HtmlView, ReadOptions, Reason, SourceId};

/// A file to read: one document, or many, as in JSONL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    root: Arc<Root>,
    /// The path below `root`, with `/` between folders on every system.
    relative: Box<str>,
    /// Where in `relative` the name within the folder begins.
    id_start: u32,
    kind: FileKind,
    folder: Option<SourceId>,
    source: Option<SourceId>,
}

/// A folder that files lie below, shared by all of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Root {
    path: PathBuf,
    /// The folder of documents that lie directly in it.
    folder: Result<SourceId, Reason>,
    /// Whether a person named all of it, and not just files in it.
    is_whole: bool,
}

impl Root {
    /// All that lies below the folder `path`.
    pub(super) fn whole(path: &Path) -> Root {
        Root { path: path.to_owned(), folder: source_named_after(path), is_whole: true }
    }

    /// Some files below the folder `path`.
    pub(super) fn in_part(path: &Path) -> Root {
        Root { is_whole: false, ..Root::whole(path) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl InputFile {
    /// How standard input is called where files are named.
    pub const STDIN: &'static str = "-";

    /// Standard input: JSONL, or what its first bytes say.
    pub(super) fn stdin() -> InputFile {
        let root = Arc::new(Root::in_part(Path::new("")));
        let (relative, kind) = (InputFile::STDIN.into(), FileKind::JsonLines);
        InputFile { root, relative, id_start: 0, kind, folder: None, source: None }
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        &*self.relative == InputFile::STDIN && self.root.path.as_os_str().is_empty()
    }

    /// Whether it holds many documents, or may.
    pub fn holds_many(&self) -> bool {
        self.kind.holds_many()
    }

    /// The path to open.
    pub fn path(&self) -> PathBuf {
        self.root.path.join(&*self.relative)
    }

    /// What the file holds.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// The folder it lies in, directly or deeper: the first one below the root. For a document directly below the root that
    /// is the root itself.
    pub fn folder(&self) -> Option<&SourceId> {
        self.folder.as_ref()
    }

    /// The source of its document; none if it holds many, each of which says its own.
    pub fn source(&self) -> Option<&SourceId> {
        self.source.as_ref()
    }

    /// The name of its document: the path below its folder.
    pub fn id(&self) -> &str {
        &self.relative[self.id_start as usize..]
    }

    /// Where a copy of the file goes, below the output folder: `<folder>/<document>`, whatever its source is called; a file
    /// of many documents keeps the path it has below the folder that was given.
    pub fn name(&self) -> String {
        match &self.folder {
            _ if self.is_stdin() => "stdin.jsonl".to_owned(),
            Some(folder) => format!("{folder}/{}", self.id()),
            None => self.relative.to_string(),
        }
    }

    /// Where the cleaned file goes: the [name](InputFile::name), but a page of which only the visible
    /// text is left ends in `.txt`.
    pub fn output_name(&self, view: HtmlView) -> String {
        let name = self.name();
        if self.kind == FileKind::Html && view.is_written_as_text() { text_name(&name) } else { name }
    }

    /// The file at `relative`, below the folder `root`.
    pub(super) fn below(
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
            // a folder's name is short
            id_start: id_start as u32,
            kind,
            folder,
            source: None,
        };
        file.source = if kind.holds_many() { None } else { Some(file.own_source(options)?) };
        Ok(file)
    }

    /// Whether it lies in a folder of which a person named some files only.
    pub(super) fn is_named_itself(&self) -> bool {
        !self.root.is_whole
    }

    /// Keeps one copy of each name of a source, however many files there are.
    pub(super) fn share_names(&mut self, known: &mut FxHashSet<SourceId>) {
        for name in [&mut self.folder, &mut self.source].into_iter().flatten() {
            match known.get(name) {
                Some(same) => *name = same.clone(),
                None => drop(known.insert(name.clone())),
            }
        }
    }

    /// An order that does not depend on that of arguments or of the file system.
    pub(super) fn sort_key(&self) -> impl Ord + '_ {
        (&self.folder, self.id(), &*self.root.path)
    }

    fn own_source(&self, options: &ReadOptions) -> Result<SourceId, Reason> {
        let path = self.name();
        let known = Known { folder: self.folder.as_ref(), path: &path, is_file: true, ..Known::default() };
        let name = options.source_by.name(known, &options.keys)?;
        match &self.folder {
            Some(folder) if *folder.as_str() == *name => Ok(folder.clone()),
            _ => Ok(SourceId::parse(&name)?),
        }
    }
}

/// What `folder` is called, whatever way leads to it.
fn source_named_after(folder: &Path) -> Result<SourceId, Reason> {
    let named = match folder.file_name() {
        Some(_) => folder.to_owned(),
        None if folder.as_os_str().is_empty() => fs::canonicalize(".")?,
        // `.`, `..` and the like
        None => fs::canonicalize(folder)?,
    };
    let name = named.file_name().unwrap_or_default();
    Ok(SourceId::parse(name.to_str().ok_or(Reason::NameNotUtf8)?)?)
}
