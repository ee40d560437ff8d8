//! The files and folders that a run reads, so that none of its outputs replaces them.
//!
//! Takes the paths of all that is read: corpora, pattern files, lists, models, settings, states. Each output is checked
//! against them before it is written. Files are compared by their identity in the file system, not by their paths: a
//! link, another mount or another spelling leads to the same file.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::InputFile;
use crate::write::output::OutputError;
use crate::write::target::{FileId, Target, folder_of, has_other_names};

/// The files and folders that a run reads. No output can be opened without this value, because it must not replace any
/// of them.
#[derive(Clone, Debug)]
pub struct Reads(Vec<Arc<Part>>);

/// Some of the files and folders that are read.
#[derive(Debug, Default)]
struct Part {
    /// The files and folders, each with its path.
    read: FxHashMap<FileId, PathBuf>,
    /// The folders that contain a corpus, each with the path of one such corpus.
    around: FxHashMap<FileId, PathBuf>,
    documents: Documents,
    /// A folder of which only files with one extension are read.
    folder: Option<Folder>,
}

/// The files of a corpus. Files in its folders can have other names elsewhere.
#[derive(Debug, Default)]
struct Documents {
    files: Arc<Vec<InputFile>>,
    /// The index of each file. Computed only if an output is a file with several names, because all files are looked
    /// at.
    known: OnceLock<FxHashMap<FileId, usize>>,
}

/// The files of a folder that have an extension. There may be a hundred thousand, so they are looked at only if an
/// output may be one of them.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    id: FileId,
    extension: &'static str,
    known: OnceLock<FxHashMap<FileId, PathBuf>>,
}

impl Reads {
    /// For a run that reads only the files that it rewrites.
    pub fn nothing() -> Reads {
        Reads(Vec::new())
    }

    /// Adds folders and files with documents. An output must not be one of them, be inside one, or be a folder that
    /// contains one: the next run would read the output as input. A missing path is reported when it is read.
    pub fn corpus(self, paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Reads {
        self.documents(paths, Arc::default())
    }

    /// Like [`corpus`](Reads::corpus), with the files that were found there. An output must not be another name of one
    /// of these files.
    pub(crate) fn documents(
        mut self,
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
        files: Arc<Vec<InputFile>>,
    ) -> Reads {
        let documents = Documents { files, known: OnceLock::new() };
        let (mut part, mut seen) = (Part { documents, ..Part::default() }, FxHashSet::default());
        paths.into_iter().for_each(|path| part.add_corpus(path.as_ref(), &mut seen));
        self.0.push(Arc::new(part));
        self
    }

    /// Adds files that are not documents. Outputs may be beside these files. If a path is a folder, nothing may be
    /// written in it.
    pub fn files(mut self, paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Reads {
        let mut part = Part::default();
        paths.into_iter().for_each(|path| drop(part.add(path.as_ref())));
        self.0.push(Arc::new(part));
        self
    }

    /// Adds the files directly in a folder whose names end in `.` and `extension`, as they are when the first output may
    /// be one of them. Outputs may be beside these files.
    #[doc(hidden)]
    pub fn files_in(mut self, folder: &Path, extension: &'static str) -> Reads {
        let mut part = Part::default();
        // What a link leads to has no other name that would show it.
        let links = entries(folder, extension).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        links.for_each(|link| drop(part.add(&link.path())));
        part.folder =
            FileId::of(folder).map(|id| Folder { path: folder.into(), id, extension, known: OnceLock::new() });
        self.0.push(Arc::new(part));
        self
    }

    /// Adds the files and folders of `others`.
    #[must_use]
    pub fn and(mut self, others: &Reads) -> Reads {
        self.0.extend(others.0.iter().cloned());
        self
    }

    /// Fails if an output at `path` would be something that is read, be inside it, or be a folder that contains a
    /// corpus. The path need not exist.
    #[doc(hidden)]
    pub fn refuse(&self, path: &Path) -> Result<(), OutputError> {
        let planned = without_links(path).map_err(|error| OutputError::Write { path: path.to_owned(), error })?;
        for place in planned.ancestors() {
            let Some(id) = FileId::of(place) else { continue };
            if place == planned {
                self.refuse_file(path, &id)?;
                self.refuse_if(path, "a parent folder of", |part| part.around.get(&id).cloned())?;
            } else {
                self.refuse_if(path, "inside", |part| part.read.get(&id).cloned())?;
            }
        }
        Ok(())
    }

    /// Fails if this file is read.
    #[doc(hidden)]
    pub fn refuse_file(&self, path: &Path, id: &FileId) -> Result<(), OutputError> {
        let has_other_names = has_other_names(path);
        let folder = || fs::canonicalize(path).ok().and_then(|path| FileId::of(path.parent()?));
        let folder = if self.0.iter().any(|part| part.folder.is_some()) { folder() } else { None };
        self.refuse_if(path, "the same as", |part| {
            let listed = part.folder.as_ref().filter(|listed| has_other_names || folder.as_ref() == Some(&listed.id));
            let document = || if has_other_names { part.documents.path_of(id) } else { None };
            part.read.get(id).cloned().or_else(|| listed?.path_of(id)).or_else(document)
        })
    }

    /// Fails if writing to `path` would replace something that is read. The folder of `path` was checked before.
    pub(crate) fn refuse_target(&self, path: &Path, target: &Target) -> Result<(), OutputError> {
        match target {
            // A link may lead into a corpus.
            Target::File { path: target, .. } if target != path => self.refuse(path),
            Target::File { id: Some(id), .. } => self.refuse_file(path, id),
            _ => Ok(()),
        }
    }

    fn refuse_if(
        &self,
        output: &Path,
        relation: &'static str,
        find: impl Fn(&Part) -> Option<PathBuf>,
    ) -> Result<(), OutputError> {
        match self.0.iter().find_map(|part| find(part)) {
            Some(input) => Err(OutputError::MeetsInput { output: output.to_owned(), relation, input }),
            None => Ok(()),
        }
    }
}

impl Documents {
    /// The path of the document with this identity, if there is one.
    fn path_of(&self, id: &FileId) -> Option<PathBuf> {
        let known = self.known.get_or_init(|| {
            let files = self.files.iter().enumerate().filter(|(_, file)| !file.is_stdin());
            files.filter_map(|(index, file)| Some((FileId::of(&file.path())?, index))).collect()
        });
        Some(self.files.get(*known.get(id)?)?.path())
    }
}

impl Folder {
    /// The path of the file with this identity, if there is one.
    fn path_of(&self, id: &FileId) -> Option<PathBuf> {
        let known = self.known.get_or_init(|| {
            let paths = entries(&self.path, self.extension).map(|entry| entry.path());
            paths.filter_map(|path| Some((FileId::of(&path)?, path))).collect()
        });
        known.get(id).cloned()
    }
}

/// What is directly in a folder and has an extension. Nothing if the folder cannot be read, which is reported when its
/// files are read.
fn entries(folder: &Path, extension: &'static str) -> impl Iterator<Item = DirEntry> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter(move |entry| Path::new(&entry.file_name()).extension().is_some_and(|found| found == extension))
}

impl Part {
    /// Adds a file or a folder, and returns its real path. A device or a pipe is not added, because it stores nothing
    /// that could be replaced.
    fn add(&mut self, path: &Path) -> Option<PathBuf> {
        // Standard input may be a file that the shell opened.
        let is_stdin = path == Path::new(InputFile::STDIN);
        let real = if is_stdin { Path::new("/dev/stdin") } else { path };
        let real = fs::canonicalize(real).ok()?;
        let kind = fs::metadata(&real).ok()?.file_type();
        if kind.is_file() || kind.is_dir() && !is_stdin {
            self.read.insert(FileId::of(&real)?, path.to_owned());
        }
        Some(real)
    }

    /// Adds a file or a folder with documents, and the folders around it. `seen` has the folders that were added.
    fn add_corpus(&mut self, path: &Path, seen: &mut FxHashSet<PathBuf>) {
        let Some(real) = self.add(path).filter(|_| path != Path::new(InputFile::STDIN)) else { return };
        let mut folder = folder_of(&real);
        while seen.insert(folder.to_owned()) {
            if let Some(id) = FileId::of(folder) {
                self.around.insert(id, path.to_owned());
            }
            folder = folder.parent().unwrap_or(folder);
        }
    }
}

/// The absolute path of a file that may not exist yet. Links are resolved as far as the path exists.
fn without_links(path: &Path) -> io::Result<PathBuf> {
    let mut resolved = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            // All links before this part are resolved, so removing the last folder gives the real parent.
            Component::ParentDir => drop(resolved.pop()),
            part => resolved.push(part),
        }
        if let Ok(real) = fs::canonicalize(&resolved) {
            resolved = real;
        }
    }
    Ok(resolved)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::tree;

    #[test]
    fn files_are_known_by_any_name() {
        let folder = tree(&[("p/a.yaml", b"a"), ("p/b.txt", b"b"), ("corpus/s/1.txt", b"1"), ("other/x.txt", b"x")]);
        let at = |path: &str| folder.path().join(path);
        symlink("../p/a.yaml", at("other/link")).expect("a link");
        symlink("p", at("folder")).expect("a link");
        fs::hard_link(at("p/a.yaml"), at("other/hard")).expect("a link");
        symlink("../corpus/s/new.txt", at("other/new")).expect("a link");
        fs::write(at("other/led"), "led").expect("a file");
        symlink("../other/led", at("p/link.yaml")).expect("a link");
        let corpus = Reads::nothing().corpus([at("corpus")]);
        let named = Reads::nothing().files(["a.yaml", "link.yaml"].map(|name| at("folder").join(name)));
        for reads in [named, Reads::nothing().files_in(&at("folder"), "yaml")] {
            let reads = reads.and(&corpus);
            let relation = |path: &str| match reads.refuse(&at(path)) {
                Ok(()) => "apart",
                Err(OutputError::MeetsInput { relation, .. }) => relation,
                Err(error) => panic!("{error}"),
            };
            let linked = ["other/link", "other/hard", "other/led", "p/link.yaml"];
            for path in ["p/a.yaml", "folder/a.yaml", "other/../p/a.yaml", "corpus"].iter().chain(&linked) {
                assert_eq!(relation(path), "the same as", "{path}");
            }
            for path in ["corpus/s/1.txt", "corpus/new/deeper", "other/../corpus/s"] {
                assert_eq!(relation(path), "inside", "{path}");
            }
            for path in ["p", "p/b.yaml", "p/b.txt", "folder/b.txt", "other", "other/x.txt", "new/x.txt"] {
                assert_eq!(relation(path), "apart", "{path}");
            }
            assert_eq!(relation(""), "a parent folder of");
        }
    }
}
