//! A file to read, and what it is called in the output.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{HtmlView, Reason, SourceId};

/// A file to read: one document, or JSONL with many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    root: Arc<Path>,
    /// The path below `root`, with `/` between folders on every system.
    relative: Box<str>,
    /// Where in `relative` the name within the source begins.
    id_start: u32,
    kind: FileKind,
    source: Option<SourceId>,
}

/// What a file holds, by its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// `.txt`: a document.
    Text,
    /// `.md`: a document, whose markup counts as text.
    Markdown,
    /// `.html`, `.htm`: a document.
    Html,
    /// `.jsonl`, `.ndjson`: a document per line.
    JsonLines,
}

impl FileKind {
    /// What a file of this name holds, if it is any of ours.
    pub fn of(path: &Path) -> Option<FileKind> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "txt" => Some(FileKind::Text),
            "md" => Some(FileKind::Markdown),
            "html" | "htm" => Some(FileKind::Html),
            "jsonl" | "ndjson" => Some(FileKind::JsonLines),
            _ => None,
        }
    }

    /// Whether it is many documents in one file.
    pub fn has_many(self) -> bool {
        self == FileKind::JsonLines
    }
}

impl InputFile {
    /// How standard input is called where files are named.
    pub const STDIN: &'static str = "-";

    /// Standard input: JSONL, or what its first bytes say.
    pub(super) fn stdin() -> InputFile {
        let root = Path::new("").into();
        InputFile { root, relative: InputFile::STDIN.into(), id_start: 0, kind: FileKind::JsonLines, source: None }
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        &*self.relative == InputFile::STDIN && self.root.as_os_str().is_empty()
    }

    /// Whether it holds many documents, or may.
    pub fn has_many(&self) -> bool {
        self.kind.has_many()
    }

    /// The path to open.
    pub fn path(&self) -> PathBuf {
        self.root.join(&*self.relative)
    }

    /// What the file holds.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// The source of its document; for JSONL, of the lines that name none, if it lies in a source's folder.
    pub fn source(&self) -> Option<&SourceId> {
        self.source.as_ref()
    }

    /// The name of its document within the source.
    pub fn id(&self) -> &str {
        &self.relative[self.id_start as usize..]
    }

    /// Where a copy of the file goes, below the output folder: `<source>/<document>`; JSONL keeps the
    /// path it has below the folder that was given.
    pub fn name(&self) -> String {
        match &self.source {
            _ if self.is_stdin() => "stdin.jsonl".to_owned(),
            Some(source) => format!("{source}/{}", self.id()),
            None => self.relative.to_string(),
        }
    }

    /// Where the cleaned file goes: the [name](InputFile::name), but a page of which only the visible
    /// text is left ends in `.txt`.
    pub fn output_name(&self, view: HtmlView) -> String {
        let name = self.name();
        match (self.kind, view, name.rsplit_once('.')) {
            (FileKind::Html, HtmlView::Text, Some((stem, _))) => format!("{stem}.txt"),
            _ => name,
        }
    }

    /// The file at `relative`, below the folder `root`, whose documents are of `root_source` if they lie
    /// in no folder of their own.
    pub(super) fn below(
        root: &Arc<Path>,
        relative: &str,
        kind: FileKind,
        root_source: &Result<SourceId, Reason>,
    ) -> Result<InputFile, Reason> {
        let (source, id_start) = match relative.split_once('/') {
            Some((folder, _)) => (Some(SourceId::parse(folder)?), folder.len() + 1),
            None if kind == FileKind::JsonLines => (None, 0),
            None => (Some(root_source.clone()?), 0),
        };
        Ok(InputFile {
            root: Arc::clone(root),
            relative: relative.into(),
            // a source's name is short
            id_start: id_start as u32,
            kind,
            source,
        })
    }

    /// The single file at `path`, whose source is named after the folder it lies in.
    pub(super) fn single(path: &Path, kind: FileKind) -> Result<InputFile, Reason> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = path.file_name().and_then(OsStr::to_str);
        let name = name.ok_or(Reason::NameNotUtf8)?;
        InputFile::below(&folder.into(), name, kind, &source_named_after(folder))
    }

    /// Keeps one copy of each name of a source, however many files there are.
    pub(super) fn share_source(&mut self, known: &mut FxHashSet<SourceId>) {
        if let Some(source) = &mut self.source {
            match known.get(source) {
                Some(same) => *source = same.clone(),
                None => drop(known.insert(source.clone())),
            }
        }
    }

    /// An order that does not depend on that of arguments or of the file system.
    pub(super) fn sort_key(&self) -> impl Ord + '_ {
        (self.source(), self.id(), &*self.root)
    }
}

/// The source that documents lying directly in `folder` are of.
pub(super) fn source_named_after(folder: &Path) -> Result<SourceId, Reason> {
    let named = match folder.file_name() {
        Some(_) => folder.to_owned(),
        None if folder.as_os_str().is_empty() => fs::canonicalize(".")?,
        // `.`, `..` and the like
        None => fs::canonicalize(folder)?,
    };
    let name = named.file_name().unwrap_or_default();
    Ok(SourceId::parse(name.to_str().ok_or(Reason::NameNotUtf8)?)?)
}
