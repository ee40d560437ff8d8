//! The files behind the paths a user names: a folder per source, a file per document.
//!
//! Takes one path; gives the input files at or below it, what else lay there, and what could not be
//! looked at. No file is opened here.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};
use rustc_hash::FxHashSet;

use super::input_file::source_named_after;
use super::{FileKind, Ignored, InputFile, Reason, Skipped, SourceId};

/// What lay at the paths that were looked at.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) files: Vec<InputFile>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) ignored: Ignored,
    sources: FxHashSet<SourceId>,
}

/// Everything below the folder `root`, in no particular order.
pub(super) fn walk(root: &Path, findings: &mut Findings) {
    let walker = Walker {
        root: root.into(),
        real_root: fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()),
        root_source: source_named_after(root),
    };
    let findings = Mutex::new(findings);
    let walk = WalkBuilder::new(root)
        // a document that some .gitignore names is a document
        .standard_filters(false)
        .follow_links(true)
        .threads(rayon::current_num_threads())
        .build_parallel();
    walk.run(|| {
        Box::new(|entry| {
            let (found, then) = walker.sort(entry);
            findings.lock().unwrap_or_else(PoisonError::into_inner).add(found);
            then
        })
    });
}

/// What an entry of a folder is to us.
enum Found {
    File(InputFile),
    Skipped(Skipped),
    Hidden,
    Other(Option<String>),
    Folder,
}

impl Findings {
    fn add(&mut self, found: Found) {
        match found {
            Found::File(mut file) => {
                file.share_source(&mut self.sources);
                self.files.push(file);
            }
            Found::Skipped(skipped) => self.skipped.push(skipped),
            Found::Hidden => self.ignored.hidden += 1,
            Found::Other(extension) => self.ignored.count(extension),
            Found::Folder => {}
        }
    }
}

struct Walker {
    root: Arc<Path>,
    /// `root` without links.
    real_root: PathBuf,
    /// The source of documents that lie in no folder of their own.
    root_source: Result<SourceId, Reason>,
}

impl Walker {
    /// What `entry` is, and whether to go on below it.
    fn sort(&self, entry: Result<DirEntry, ignore::Error>) -> (Found, WalkState) {
        let found = match &entry {
            Ok(entry) if entry.depth() == 0 => Ok(Found::Folder),
            Ok(entry) => self.look_at(entry).map_err(|reason| Skipped::file(entry.path(), reason)),
            Err(error) => Err(walk_problem(error, &self.root)),
        };
        match found {
            Ok(Found::Hidden) => (Found::Hidden, WalkState::Skip),
            Ok(found) => (found, WalkState::Continue),
            Err(skipped) => (Found::Skipped(skipped), WalkState::Skip),
        }
    }

    fn look_at(&self, entry: &DirEntry) -> Result<Found, Reason> {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            return Ok(Found::Hidden);
        }
        if entry.path_is_symlink() {
            self.refuse_leading_out(entry.path())?;
        }
        match entry.file_type() {
            Some(kind) if kind.is_dir() => self.folder(entry),
            Some(kind) if kind.is_file() => self.file(entry),
            _ => Err(Reason::NotAFile),
        }
    }

    /// The names of the folders directly below the root are those of the sources.
    fn folder(&self, entry: &DirEntry) -> Result<Found, Reason> {
        if entry.depth() == 1 {
            SourceId::parse(entry.file_name().to_str().ok_or(Reason::NameNotUtf8)?)?;
        }
        Ok(Found::Folder)
    }

    fn file(&self, entry: &DirEntry) -> Result<Found, Reason> {
        let Some(kind) = FileKind::of(entry.path()) else {
            let extension = entry.path().extension();
            return Ok(Found::Other(extension.map(|name| name.to_string_lossy().to_lowercase())));
        };
        let relative = self.relative(entry.path())?;
        InputFile::below(&self.root, &relative, kind, &self.root_source).map(Found::File)
    }

    fn relative(&self, path: &Path) -> Result<String, Reason> {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let folders: Option<Vec<&str>> = below.iter().map(OsStr::to_str).collect();
        Ok(folders.ok_or(Reason::NameNotUtf8)?.join("/"))
    }

    fn refuse_leading_out(&self, link: &Path) -> Result<(), Reason> {
        let target = fs::canonicalize(link)?;
        if target.starts_with(&self.real_root) { Ok(()) } else { Err(Reason::LinkLeadsOut(target)) }
    }
}

fn walk_problem(error: &ignore::Error, near: &Path) -> Skipped {
    use ignore::Error::{Io, Loop, WithDepth, WithPath};
    match error {
        WithPath { path, err } => walk_problem(err, path),
        WithDepth { err, .. } => walk_problem(err, near),
        Loop { ancestor, child } => Skipped::file(child.as_path(), Reason::LinkLoops(ancestor.clone())),
        Io(error) => Skipped::file(near, Reason::Unreadable(error.to_string())),
        other => Skipped::file(near, Reason::Unreadable(other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::HtmlView;
    use super::super::testing::{inventory, plain, scan, tree};
    use super::*;

    fn names(folder: &tempfile::TempDir, root: &str) -> Vec<String> {
        inventory(folder, root).files().iter().map(InputFile::name).collect()
    }

    fn skipped(folder: &tempfile::TempDir, root: &str) -> Vec<String> {
        let inventory = inventory(folder, root);
        inventory.skipped().iter().map(|skipped| plain(folder, skipped)).collect()
    }

    #[test]
    fn a_folder_per_source_and_a_file_per_document() {
        let folder = tree(&[
            ("corpus/b.org/2.txt", b""),
            ("corpus/b.org/1.TXT", b""),
            ("corpus/a.com/2024/05/x.html", b""),
            ("corpus/a.com/y.HTM", b""),
            ("corpus/a.com/lines.ndjson", b""),
            ("corpus/top.md", b""),
            ("corpus/all.jsonl", b""),
        ]);
        let inventory = inventory(&folder, "corpus");
        let found: Vec<_> = inventory
            .files()
            .iter()
            .map(|file| (file.source().map(SourceId::as_str), file.id(), file.output_name(HtmlView::Text)))
            .collect();
        let expected = [
            (None, "all.jsonl", "all.jsonl"),
            (Some("a.com"), "2024/05/x.html", "a.com/2024/05/x.txt"),
            (Some("a.com"), "lines.ndjson", "a.com/lines.ndjson"),
            (Some("a.com"), "y.HTM", "a.com/y.txt"),
            (Some("b.org"), "1.TXT", "b.org/1.TXT"),
            (Some("b.org"), "2.txt", "b.org/2.txt"),
            (Some("corpus"), "top.md", "corpus/top.md"),
        ];
        assert_eq!(found, expected.map(|(source, id, output)| (source, id, output.to_owned())));
        assert_eq!(inventory.files()[3].output_name(HtmlView::Markup), "a.com/y.HTM");
        assert!(inventory.files().iter().all(|file| file.path().is_file()));
    }

    #[test]
    fn other_files_are_counted() {
        let folder = tree(&[
            ("a/x.txt", b""),
            ("a/x.PDF", b""),
            ("a/y.pdf", b""),
            ("a/x.txt.gz", b""),
            ("a/README", b""),
            ("a/.DS_Store", b""),
            (".git/x.txt", b""),
        ]);
        let inventory = inventory(&folder, "");
        assert_eq!(inventory.ignored().to_string(), "1 .gz, 2 .pdf, 1 without extension, 2 hidden");
        assert_eq!(inventory.ignored().total(), 6);
        assert_eq!(inventory.files().len(), 1);
    }

    #[test]
    fn ignore_files_hide_no_documents() {
        let folder = tree(&[
            (".gitignore", b"*.txt"),
            (".ignore", b"*"),
            (".git/config", b""),
            ("a/.gitignore", b"x.*"),
            ("a/x.txt", b""),
        ]);
        assert_eq!(names(&folder, ""), ["a/x.txt"]);
    }

    #[test]
    fn single_files_belong_to_the_folder_they_lie_in() {
        let folder = tree(&[("a.com/x.html", b""), ("a.com/y.txt", b""), ("a.com/z.jsonl", b"")]);
        assert_eq!(names(&folder, "a.com/x.html"), ["a.com/x.html"]);
        assert_eq!(names(&folder, "a.com/z.jsonl"), ["z.jsonl"]);
        assert_eq!(names(&folder, "a.com/../a.com/./y.txt"), ["a.com/y.txt"]);
        let all = ["z.jsonl", "a.com/x.html", "a.com/y.txt"];
        assert_eq!(names(&folder, "a.com/../a.com/"), all);
    }

    #[test]
    fn folders_without_a_usable_name_are_skipped() {
        let folder = tree(&[("c/_x/1.txt", b""), ("c/nul/1.txt", b""), ("c/a/_x/1.txt", b"")]);
        assert_eq!(names(&folder, "c"), ["a/_x/1.txt"]);
        let skipped = skipped(&folder, "c");
        assert_eq!(skipped.len(), 2);
        assert!(skipped[0].starts_with("c/_x: the source name \"_x\" begins with an underscore"));
    }

    #[test]
    fn documents_in_a_folder_without_a_usable_name_are_skipped() {
        let folder = tree(&[("_c/1.txt", b""), ("_c/a/1.txt", b"")]);
        assert_eq!(names(&folder, "_c"), ["a/1.txt"]);
        assert!(skipped(&folder, "_c")[0].starts_with("_c/1.txt: the source name"));
        assert!(scan(&folder, &["_c/1.txt"]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_unless_they_lead_out() {
        use std::os::unix::fs::symlink;
        let folder = tree(&[("c/a/1.txt", b""), ("c/a/2.txt", b""), ("other/3.txt", b"")]);
        let link = |from: &str, to: &str| symlink(folder.path().join(from), folder.path().join(to)).expect("a link");
        link("c/a", "c/b");
        link("c/a/1.txt", "c/a/one.txt");
        link("other", "c/o");
        link("other/3.txt", "c/a/3.txt");
        link("nowhere", "c/a/4.txt");
        link("c", "c/a/loop");
        link("c", "linked");
        let expected = ["a/1.txt", "a/2.txt", "a/one.txt", "b/1.txt", "b/2.txt", "b/one.txt"];
        assert_eq!(names(&folder, "c"), expected);
        assert_eq!(names(&folder, "linked"), expected);
        assert_eq!(names(&folder, "c/o"), ["o/3.txt"]);
        let skipped = skipped(&folder, "c");
        assert!(skipped.iter().any(|skipped| skipped.starts_with("c/o: is a link to")), "{skipped:#?}");
        assert!(skipped.iter().any(|skipped| skipped.starts_with("c/a/3.txt: is a link to")));
        assert!(skipped.iter().any(|skipped| skipped.starts_with("c/a/4.txt: cannot be read: No such file")));
        assert!(
            skipped
                .iter()
                .any(|skipped| skipped.starts_with("c/a/loop: is a link to") && skipped.ends_with("contains it"))
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_are_not_utf_8_are_skipped() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tree(&[("a/1.txt", b"")]);
        fs::write(folder.path().join("a").join(OsStr::from_bytes(b"\xff.txt")), "").expect("a file");
        assert_eq!(names(&folder, ""), ["a/1.txt"]);
        assert!(skipped(&folder, "")[0].contains("not valid UTF-8"));
    }
}
