//! Finds the input files in a folder: a subfolder per source, a file per document.
//!
//! Takes a folder, and optionally a glob that selects files below it. Returns the input files, counts of other files,
//! and what could not be read. No file is opened here, except files without an extension in a folder without other
//! documents.
//!
//! A folder that links make reachable by several paths is read once. Folders that need no link are read first. Then the
//! collected links to folders are followed, in the order of their paths. So the path by which a folder is read does not
//! depend on the file system.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::Scope;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::find::content_kind::content_kind;
use crate::find::file_glob::FileGlob;
use crate::find::file_kind::SETTINGS_FILE;
use crate::find::input_file::Root;
use crate::{FileKind, Ignored, InputFile, ReadOptions, Reason, Skipped, SourceId};

/// The result of a search.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) files: Vec<InputFile>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) ignored: Ignored,
    /// Inputs that are not in `files`: folders, targets of links, and paths that a person named and that were skipped.
    pub(crate) inputs: Vec<PathBuf>,
    /// Files that are documents if there are no others.
    perhaps: Vec<Perhaps>,
    names: FxHashSet<SourceId>,
}

/// A file that is a document if its folder has no others: a table, a file of JSON, or a file without an extension.
#[derive(Debug)]
struct Perhaps {
    relative: String,
    extension: Option<String>,
    /// `None` if only its content shows what it is.
    kind: Option<FileKind>,
    /// The target of a link out of the root.
    target: Option<PathBuf>,
}

/// Adds everything below the folder `root` that matches `glob` to `findings`, in no particular order.
pub(crate) fn walk(root: Root, glob: Option<&FileGlob>, options: &ReadOptions, findings: &mut Findings) {
    let real = fs::canonicalize(root.path()).unwrap_or_else(|_| root.path().to_owned());
    let whole = Region { path: root.path().to_owned(), real: real.clone() };
    let root = Arc::new(if options.follow_links { root } else { root.within(real) });
    let mut walker = Walker { root: &root, glob, options, regions: vec![whole] };
    let before = findings.files.len();
    let mut links = walker.walk_last(findings);
    while let Some(FolderLink { path, target }) = links.pop_first() {
        match walker.refusal(&path, &target) {
            Some(reason) => findings.skipped.push(Skipped::file(path, reason)),
            None => {
                if !target.starts_with(&walker.regions[0].real) {
                    findings.inputs.push(target.clone());
                }
                walker.regions.push(Region { path, real: target });
                links.extend(walker.walk_last(findings));
            }
        }
    }
    let (with_kind, without): (Vec<_>, Vec<_>) =
        std::mem::take(&mut findings.perhaps).into_iter().partition(|perhaps| perhaps.kind.is_some());
    for some in [with_kind, without] {
        match findings.files.len() == before {
            true => walker.read_perhaps(some, findings),
            false => some.into_iter().for_each(|perhaps| findings.ignored.count(perhaps.extension)),
        }
    }
}

/// A folder to read, with everything below it except folders that were already read as regions of their own.
struct Region {
    /// The path by which it was found.
    path: PathBuf,
    /// The same path with all links resolved.
    real: PathBuf,
}

/// A link to a folder.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FolderLink {
    path: PathBuf,
    /// The target, with all links resolved.
    target: PathBuf,
}

/// The kinds of entries of a folder.
enum Found {
    File(InputFile),
    /// A link to a file outside of the root, with its target.
    Linked(PathBuf, InputFile),
    FolderLink(FolderLink),
    Skipped(Skipped),
    Hidden,
    Perhaps(Perhaps),
    Other(Option<String>),
    Folder,
    /// An entry that the glob does not match, a file with settings, or the folder of a crawl.
    NotMeant,
}

impl Findings {
    pub(crate) fn add_file(&mut self, mut file: InputFile) {
        match unsupported(&file) {
            Some(reason) if file.is_named_itself() => self.skip_input(Skipped::file(file.path(), reason)),
            Some(reason) => self.skipped.push(Skipped::file(file.path(), reason)),
            None => {
                file.share_names(&mut self.names);
                self.files.push(file);
            }
        }
    }

    /// Skips a path that a person named. The path still counts as input, so that no output is written over it.
    pub(crate) fn skip_input(&mut self, skipped: Skipped) {
        self.inputs.push(skipped.path.to_path_buf());
        self.skipped.push(skipped);
    }

    /// Number of entries of all kinds.
    pub(crate) fn count(&self) -> u64 {
        (self.files.len() + self.skipped.len()) as u64 + self.ignored.total()
    }

    fn add(&mut self, found: Found, links: &mut BTreeSet<FolderLink>) {
        match found {
            Found::File(file) => self.add_file(file),
            Found::Linked(target, file) => {
                self.inputs.push(target);
                self.add_file(file);
            }
            Found::FolderLink(link) => drop(links.insert(link)),
            Found::Skipped(skipped) => self.skipped.push(skipped),
            Found::Hidden => self.ignored.hidden += 1,
            Found::Perhaps(perhaps) => self.perhaps.push(perhaps),
            Found::Other(extension) => self.ignored.count(extension),
            Found::Folder | Found::NotMeant => {}
        }
    }
}

/// Why this build cannot read a file of this kind. `None` if it can.
fn unsupported(file: &InputFile) -> Option<Reason> {
    let is_parquet = file.kind() == FileKind::Parquet && !cfg!(feature = "parquet");
    is_parquet.then_some(Reason::WithoutParquet)
}

struct Walker<'a> {
    root: &'a Arc<Root>,
    /// Selects the files. `None` selects all.
    glob: Option<&'a FileGlob>,
    options: &'a ReadOptions,
    /// The folders to read: the root, and the targets of the links that are followed.
    regions: Vec<Region>,
}

impl Walker<'_> {
    /// Reads everything in the last region. Returns the links to folders in it.
    fn walk_last(&self, findings: &mut Findings) -> BTreeSet<FolderLink> {
        let Some((region, others)) = self.regions.split_last() else { return BTreeSet::new() };
        let inner: Vec<PathBuf> = others.iter().filter_map(|other| region.place_of(&other.real)).collect();
        let above = self.depth_of(&region.path);
        let most = self.glob.and_then(FileGlob::depth).map(|depth| depth.saturating_sub(above));
        let walk = Walk { walker: self, inner, most, found: Mutex::new((findings, BTreeSet::new())) };
        rayon::scope(|scope| walk.read(scope, &region.path, 0));
        walk.found.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }

    /// Why a link to a folder is not followed. `None` if it is followed.
    fn refusal(&self, link: &Path, target: &Path) -> Option<Reason> {
        let place = self.regions.iter().filter(|region| target.starts_with(&region.real));
        let place = place.filter_map(|region| region.place_of(target)).find(|place| self.is_read(place))?;
        let around = link.parent().and_then(|folder| fs::canonicalize(folder).ok());
        Some(match around.is_some_and(|folder| folder.starts_with(target)) {
            true => Reason::LinkLoops(place),
            false => Reason::ReadElsewhere(place),
        })
    }

    /// Whether the folder at `path`, which lies in a region, is read.
    fn is_read(&self, path: &Path) -> bool {
        let below = path.strip_prefix(self.root.path()).unwrap_or(path);
        let names: Option<Vec<&str>> = below.iter().map(OsStr::to_str).collect();
        let Some(names) = names else { return true };
        let is_named = names.first().is_none_or(|source| SourceId::parse(source).is_ok());
        let is_meant = |count: &usize| {
            let folder: PathBuf = names[..*count].iter().collect();
            self.glob.is_none_or(|glob| glob.leads_into(&folder))
        };
        is_named && !names.iter().any(|name| name.starts_with('.')) && (1..=names.len()).all(|count| is_meant(&count))
    }

    /// The depth below the root, in folders.
    fn depth_of(&self, path: &Path) -> usize {
        path.strip_prefix(self.root.path()).map_or(0, |below| below.iter().count())
    }

    /// The kind of an entry.
    fn sort(&self, entry: &Entry, inner: &[PathBuf]) -> Found {
        if !self.is_meant(entry) {
            return Found::NotMeant;
        }
        if inner.contains(&entry.path) {
            return Found::Skipped(Skipped::file(&*entry.path, self.read_elsewhere(&entry.path)));
        }
        self.look_at(entry).unwrap_or_else(|reason| Found::Skipped(Skipped::file(&*entry.path, reason)))
    }

    /// Whether the glob selects an entry. It selects a folder if it can match files below the folder.
    fn is_meant(&self, entry: &Entry) -> bool {
        let Some(glob) = self.glob else { return true };
        let relative = entry.path.strip_prefix(self.root.path()).unwrap_or(&entry.path);
        match entry.kind.is_dir() {
            true => glob.leads_into(relative) && !entry.is_hidden(),
            false => glob.names(relative),
        }
    }

    fn look_at(&self, entry: &Entry) -> Result<Found, Reason> {
        if entry.name() == CRAWL_FOLDER {
            return Ok(Found::NotMeant);
        }
        if entry.is_hidden() {
            return Ok(Found::Hidden);
        }

        let found = match entry.kind {
            kind if kind.is_dir() => self.folder(entry),
            kind if kind.is_file() => self.file(entry),
            _ => Err(Reason::NotAFile),
        };
        if !entry.is_link {
            return found;
        }

        let target = fs::canonicalize(&entry.path)?;
        let is_out = !target.starts_with(&self.regions[0].real);
        if is_out && !self.options.follow_links {
            return Err(Reason::LinkLeadsOut(target));
        }
        Ok(match found? {
            Found::Folder => Found::FolderLink(FolderLink { path: entry.path.clone(), target }),
            Found::File(file) if is_out => Found::Linked(target, file),
            Found::Perhaps(perhaps) if is_out => Found::Perhaps(Perhaps { target: Some(target), ..perhaps }),
            found => found,
        })
    }

    /// The reason to skip a folder that was already read through a link.
    fn read_elsewhere(&self, path: &Path) -> Reason {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let place = self.regions.iter().find_map(|region| (region.real == real).then(|| region.path.clone()));
        Reason::ReadElsewhere(place.unwrap_or(real))
    }

    /// Checks a folder. The folders directly below the root are named after sources, so their names must be valid.
    fn folder(&self, entry: &Entry) -> Result<Found, Reason> {
        if self.depth_of(&entry.path) == 1 {
            SourceId::parse(entry.name().to_str().ok_or(Reason::NameNotUtf8)?)?;
        }
        Ok(Found::Folder)
    }

    fn file(&self, entry: &Entry) -> Result<Found, Reason> {
        if entry.name() == SETTINGS_FILE {
            return Ok(Found::NotMeant);
        }
        let kind = FileKind::of(&entry.path);
        let extension = entry.path.extension().map(|name| name.to_string_lossy().to_lowercase());
        if kind.is_none() && extension.is_some() {
            return Ok(Found::Other(extension));
        }
        let relative = self.relative(&entry.path)?;
        match kind.filter(|kind| !kind.may_be_beside()) {
            Some(kind) => InputFile::below(self.root, &relative, kind, self.options).map(Found::File),
            None => Ok(Found::Perhaps(Perhaps { relative, extension, kind, target: None })),
        }
    }

    /// Adds files that are documents, as there are no others. Looks into those without an extension.
    fn read_perhaps(&self, some: Vec<Perhaps>, findings: &mut Findings) {
        let all: Vec<Found> = some.into_par_iter().map(|perhaps| self.read_one(perhaps)).collect();
        let mut links = BTreeSet::new();
        all.into_iter().for_each(|found| findings.add(found, &mut links));
    }

    fn read_one(&self, perhaps: Perhaps) -> Found {
        let Perhaps { relative, extension, kind, target } = perhaps;
        let below = |kind| InputFile::below(self.root, &relative, kind, self.options);
        // Until its kind is known, it may hold many documents.
        let look = || Ok(content_kind(below(FileKind::JsonLines)?.open()?));
        let file = match kind.map_or_else(look, |kind| Ok(Some(kind))) {
            Ok(None) => return Found::Other(extension),
            Ok(Some(kind)) => below(kind),
            Err(reason) => Err(reason),
        };
        match (file, target) {
            (Ok(file), Some(target)) => Found::Linked(target, file),
            (Ok(file), None) => Found::File(file),
            (Err(reason), _) => Found::Skipped(Skipped::file(self.root.path().join(&relative), reason)),
        }
    }

    fn relative(&self, path: &Path) -> Result<String, Reason> {
        let below = path.strip_prefix(self.root.path()).unwrap_or(path);
        let folders: Option<Vec<&str>> = below.iter().map(OsStr::to_str).collect();
        Ok(folders.ok_or(Reason::NameNotUtf8)?.join("/"))
    }
}

/// Reads all folders of a region in parallel, on rayon's threads.
struct Walk<'w> {
    walker: &'w Walker<'w>,
    /// Folders in the region that are regions of their own.
    inner: Vec<PathBuf>,
    /// The number of levels below the region that are read. `None` reads all.
    most: Option<usize>,
    found: Mutex<(&'w mut Findings, BTreeSet<FolderLink>)>,
}

impl<'w> Walk<'w> {
    /// Reads a folder and all below it, in no particular order. `depth` is its depth below the region.
    fn read<'s>(&'s self, scope: &Scope<'s>, folder: &Path, depth: usize) {
        if self.most.is_some_and(|most| depth >= most) {
            return;
        }
        let unreadable = |error: io::Error| Found::Skipped(Skipped::file(folder, error));
        let mut all = Vec::new();
        match fs::read_dir(folder) {
            Err(error) => all.push(unreadable(error)),
            Ok(entries) => all.extend(entries.map(|entry| match entry {
                Err(error) => unreadable(error),
                Ok(entry) => self.look_at(scope, &entry, depth),
            })),
        }
        let (findings, links) = &mut *self.found.lock().unwrap_or_else(PoisonError::into_inner);
        all.into_iter().for_each(|found| findings.add(found, links));
    }

    /// Returns the kind of an entry of a folder. If the entry is a folder to read, schedules that for this thread or
    /// another.
    fn look_at<'s>(&'s self, scope: &Scope<'s>, entry: &fs::DirEntry, depth: usize) -> Found {
        let entry = match Entry::of(entry) {
            Ok(entry) => entry,
            Err(error) => return Found::Skipped(Skipped::file(entry.path(), error)),
        };
        let found = self.walker.sort(&entry, &self.inner);
        if matches!(found, Found::Folder) {
            scope.spawn(move |scope| self.read(scope, &entry.path, depth + 1));
        }
        found
    }
}

/// An entry of a folder.
struct Entry {
    path: PathBuf,
    /// The type of the entry; for a link, the type of its target.
    kind: FileType,
    is_link: bool,
}

impl Entry {
    fn of(entry: &fs::DirEntry) -> io::Result<Entry> {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let is_link = kind.is_symlink();
        let kind = if is_link { fs::metadata(&path)?.file_type() } else { kind };
        Ok(Entry { path, kind, is_link })
    }

    fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    fn is_hidden(&self) -> bool {
        self.name().as_encoded_bytes().starts_with(b".")
    }
}

impl Region {
    /// The path of the folder `real` below this region's path. `None` if it is not in this region.
    fn place_of(&self, real: &Path) -> Option<PathBuf> {
        let below = real.strip_prefix(&self.real).ok()?;
        // Joining an empty path would add a separator at the end.
        Some(if below.as_os_str().is_empty() { self.path.clone() } else { self.path.join(below) })
    }
}

/// The folder that `dehusk crawl` creates for itself beside its WARC files.
const CRAWL_FOLDER: &str = ".crawl";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{inventory, plain, scan, tree};
    use crate::{HtmlView, SourceBy};

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
            .map(|file| (file.folder().map(SourceId::as_str), file.id(), file.output_name(HtmlView::Text)))
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
        assert!(inventory.files().iter().all(|file| match file.kind().holds_many() {
            true => file.source().is_none(),
            false => file.source() == file.folder(),
        }));
    }

    #[test]
    fn what_a_source_is_called_moves_no_file() {
        let folder = tree(&[
            ("c/www.a.com/x.html", b""),
            ("c/News.a.com/x.html", b""),
            ("c/www.nul/x.txt", b""),
            ("c/x.jsonl", b""),
            ("c/y.txt", b""),
        ]);
        let by = |rule: &str| {
            let options = ReadOptions { source_by: SourceBy::parse(rule).expect("a rule"), ..ReadOptions::default() };
            crate::Inventory::scan(&[folder.path().join("c")], &options).expect("files")
        };
        let told =
            |file: &InputFile| format!("{:?} {} {}", file.source().map(SourceId::as_str), file.name(), file.id());
        let inventory = by("domain");
        assert_eq!(
            inventory.files().iter().map(told).collect::<Vec<_>>(),
            [
                r#"None x.jsonl x.jsonl"#,
                r#"Some("a.com") News.a.com/x.html x.html"#,
                r#"Some("c") c/y.txt y.txt"#,
                r#"Some("a.com") www.a.com/x.html x.html"#,
            ]
        );
        let skipped = plain(&folder, &inventory.skipped()[0]);
        assert_eq!(skipped, r#"c/www.nul/x.txt: the source name "nul" is the name of a device on Windows: rename it"#);
        assert_eq!(told(&by("^([a-z]+)/|w[.]").files()[1]), r#"Some("c") c/y.txt y.txt"#);
        assert!(by("key").skipped().len() == 4 && by("key").files().len() == 1);
    }

    #[test]
    fn other_files_are_counted() {
        let folder = tree(&[
            ("a/x.txt", b""),
            ("a/x.PDF", b""),
            ("a/y.pdf", b""),
            ("a/x.txt.bz2", b""),
            ("a/README", b""),
            ("dehusk.toml", b""),
            ("a/.DS_Store", b""),
            (".git/x.txt", b""),
        ]);
        let inventory = inventory(&folder, "");
        assert_eq!(inventory.ignored().to_string(), "1 .bz2, 2 .pdf, 1 without extension, 2 hidden");
        assert_eq!(inventory.ignored().total(), 6);
        assert_eq!(inventory.files().len(), 1);
    }

    #[test]
    fn tables_and_files_without_extension_are_read_if_there_are_no_others() {
        let page: (&str, &[u8]) = ("a/page", b"<p>It rained.");
        let table: (&str, &[u8]) = ("a/labels.csv", b"id,n\n");
        let others: [(&str, &[u8]); 3] = [("settings.json", b"{}"), ("a/binary", b"\0\0\0\0\x01"), ("a/x.pdf", b"")];
        let kinds = |files: &[(&str, &[u8])]| {
            let inventory = inventory(&tree(files), "");
            let found = inventory.files().iter().map(|file| (file.name(), file.kind())).collect::<Vec<_>>();
            (found, inventory.ignored().to_string())
        };
        let document = ("a/1.txt".to_owned(), FileKind::Text);
        assert_eq!(
            kinds(&[&[("a/1.txt", &b""[..]), page, table], &others[..]].concat()),
            (vec![document], "1 .csv, 1 .json, 1 .pdf, 2 without extension".to_owned())
        );
        let tables = [("settings.json", FileKind::Json), ("a/labels.csv", FileKind::Csv)];
        let tables = tables.map(|(name, kind)| (name.to_owned(), kind)).to_vec();
        assert_eq!(kinds(&[&[page, table], &others[..]].concat()), (tables, "1 .pdf, 2 without extension".to_owned()));
        let only = vec![("a/page".to_owned(), FileKind::Html)];
        assert_eq!(kinds(&[page, others[1], others[2]]), (only, "1 .pdf, 1 without extension".to_owned()));
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn without_parquet_its_files_are_skipped_with_a_remedy() {
        let folder = tree(&[("a/z.parquet", b""), ("a/z.txt", b"")]);
        assert_eq!(names(&folder, ""), ["a/z.txt"]);
        let expected = "a/z.parquet: is Parquet, but this dehusk was built without \
            Parquet: install one with it (cargo install --path . --features parquet), or give it as JSONL";
        assert_eq!(skipped(&folder, ""), [expected]);
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
        let expected = ["a/1.txt", "a/2.txt", "a/one.txt"];
        assert_eq!(names(&folder, "c"), expected);
        assert_eq!(names(&folder, "linked"), expected);
        assert_eq!(names(&folder, "c/o"), ["o/3.txt"]);
        let skipped = skipped(&folder, "c");
        assert!(skipped.iter().any(|skipped| skipped.ends_with("c/a\", which was already read")), "{skipped:#?}");
        assert!(skipped.iter().any(|skipped| skipped.starts_with("c/o: is a link to")), "{skipped:#?}");
        assert!(skipped.iter().any(|skipped| skipped.starts_with("c/a/3.txt: is a link to")));
        assert!(skipped.iter().any(|skipped| skipped.starts_with("c/a/4.txt: cannot be read: No such file")));
        assert!(
            skipped
                .iter()
                .any(|skipped| skipped.starts_with("c/a/loop: is a link to") && skipped.ends_with("contains it"))
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_can_be_followed() {
        use std::os::unix::fs::symlink;
        let folder = tree(&[("c/a/1.txt", b""), ("other/deep/3.txt", b"")]);
        let link = |from: &str, to: &str| symlink(folder.path().join(from), folder.path().join(to)).expect("a link");
        link("other", "c/o");
        link("other", "c/p");
        link("other/deep/3.txt", "c/a/3.txt");
        link("c", "other/back");
        link("nowhere", "c/a/4.txt");
        let options = ReadOptions { follow_links: true, ..ReadOptions::default() };
        let inventory = crate::Inventory::scan(&[folder.path().join("c")], &options).expect("files");
        let names: Vec<String> = inventory.files().iter().map(InputFile::name).collect();
        assert_eq!(names, ["a/1.txt", "a/3.txt", "o/deep/3.txt"]);
        let skipped: Vec<String> = inventory.skipped().iter().map(|skipped| plain(&folder, skipped)).collect();
        assert_eq!(skipped.len(), 3, "{skipped:#?}");
        assert!(skipped[0].starts_with("c/a/4.txt: cannot be read"));
        assert!(skipped[1].starts_with("c/o/back: is the same folder as"), "{}", skipped[1]);
        assert!(skipped[2].starts_with("c/p: is the same folder as"), "{}", skipped[2]);
        let inputs: Vec<String> = inventory.inputs().map(|path| plain(&folder, path.display())).collect();
        assert_eq!(inputs, ["c", "other", "other/deep/3.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_read_once_whatever_leads_to_it() {
        use std::os::unix::fs::symlink;
        let folder = tree(&[("out/in/2.txt", b""), ("out/1.txt", b""), ("c/a/.hidden/x/3.txt", b"")]);
        fs::create_dir_all(folder.path().join("c/s")).expect("a folder");
        let link = |from: &str, to: &str| symlink(folder.path().join(from), folder.path().join(to)).expect("a link");
        // The inner link is followed first, so the walk of the outer link must leave the inner folder out.
        link("out/in", "c/s/b");
        link("out", "c/s/c");
        link("c/s", "out/in/up");
        link("c/a/.hidden/x", "c/s/x");
        link("c/a/.hidden", "c/s/y");
        let options = ReadOptions { follow_links: true, ..ReadOptions::default() };
        let inventory = crate::Inventory::scan(&[folder.path().join("c")], &options).expect("files");
        let names: Vec<String> = inventory.files().iter().map(InputFile::name).collect();
        assert_eq!(names, ["s/b/2.txt", "s/c/1.txt", "s/x/3.txt"]);
        let skipped: Vec<String> = inventory.skipped().iter().map(|skipped| plain(&folder, skipped)).collect();
        let same = |path: &str, other: &str| {
            let other = folder.path().join(other);
            format!("{path}: is the same folder as {other:?}, which was already read")
                .replace(&format!("{}/", folder.path().display()), "")
        };
        assert_eq!(skipped, [same("c/s/b/up", "c/s"), same("c/s/c/in", "c/s/b"), same("c/s/y/x", "c/s/x")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_between_folders_are_not_multiplied() {
        use std::os::unix::fs::symlink;
        let names: Vec<String> = (0..40).map(|number| format!("c/s/{number:02}/x.txt")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
        let folder = tree(&files);
        for number in 0..40 {
            for other in [number + 1, number + 2].map(|other| other % 40) {
                let link = folder.path().join(format!("c/s/{number:02}/to-{other:02}"));
                symlink(format!("../{other:02}"), link).expect("a link");
            }
        }
        let inventory = inventory(&folder, "c");
        assert_eq!((inventory.files().len(), inventory.skipped().len()), (40, 80));
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
