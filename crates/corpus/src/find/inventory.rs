//! All input of a run: by file for cleaning, by source for mining.
//!
//! Takes the paths that a user names. Finds the files at these paths, sorted and without duplicates, and reads them on
//! request, from any thread. For each file, only its path and source are stored, about 100 bytes.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;
use rustc_hash::FxHasher;

use crate::find::folder::Findings;
use crate::find::listing::{self, DocumentRef, Location, Sources};
use crate::find::roots::look_at_all;
use crate::find::scan_error::{NothingFound, ScanError};
use crate::formats::json::{JsonRecords, Line};
use crate::formats::keys_found::KeysFound;
use crate::formats::recognised::{recognised, recognised_on};
use crate::formats::records::Container;
use crate::read::compression::Compression;
use crate::read::division::Division;
use crate::read::memory::{Budget, Need, Patience};
use crate::read::open_file::OpenFile;
use crate::read::reading::read_document;
use crate::read::spool::Spool;
use crate::read::stdin::Stdin;
use crate::{
    Document, FileKind, HtmlView, Ignored, InputFile, ReadOptions, Reads, Reason, Records, Skipped, SourceBy, SourceId,
};

/// Maximum number of JSONL files that are kept open. Otherwise a source whose lines are read one by one would open its
/// file for each line. Systems allow a program some hundred open files.
const KEPT_OPEN: usize = 64;

/// The files of a run.
#[derive(Debug)]
pub struct Inventory {
    found: Arc<Found>,
    options: Arc<ReadOptions>,
}

/// The files, and the facts about them. All views of the same files share this value.
#[derive(Debug)]
struct Found {
    files: Arc<Vec<InputFile>>,
    skipped: Vec<Skipped>,
    ignored: Ignored,
    /// Inputs that are not in `files`: folders, targets of links, and paths that a person named and that were skipped.
    inputs: Vec<PathBuf>,
    reads: OnceLock<Reads>,
    keys_found: Arc<KeysFound>,
    /// The keys that were recognised by their values, in words.
    recognised: Option<String>,
    open: Mutex<OpenFiles>,
    /// The listed documents of files that can only be read from front to back.
    spool: Spool,
    stdin: Stdin,
}

/// The content of a file.
#[derive(Debug)]
pub enum Content {
    /// One document, and the compression of its file.
    Document(Box<Document>, Compression),
    /// Many records.
    Records(Records),
}

impl Inventory {
    /// Finds the files at and below `roots`. Opens only the first one of JSON or CSV, to recognise its keys. If
    /// standard input is the only one, waits for its first document. A root is a glob if it does not exist and has `*`,
    /// `?`, `[` or `{` in it. The matching files are then treated as if the folder at the fixed beginning of the glob had
    /// been given.
    pub fn scan(roots: &[PathBuf], options: &ReadOptions) -> Result<Inventory, ScanError> {
        let Findings { mut files, mut skipped, ignored, mut inputs, .. } = look_at_all(roots, options)?;
        inputs.sort_unstable();
        inputs.dedup();
        skipped.sort_by(|a, b| a.path.cmp(&b.path));
        if files.is_empty() {
            let roots = roots.to_vec();
            let found = NothingFound { roots, ignored, skipped };
            return Err(ScanError::Nothing(Box::new(found)));
        }
        files.par_sort_unstable_by(|a, b| a.sort_key().cmp(&b.sort_key()));
        refuse_collisions(&files, options)?;
        let mut options = options.clone();
        let stdin = Stdin::default();
        let mut with_keys = files.iter().filter(|file| file.kind().has_keys());
        let of_first = match with_keys.clone().find(|file| !file.is_stdin()) {
            Some(file) => recognised(file, &options.keys),
            None => with_keys.next().and_then(|_| recognised_on(&stdin, &options.keys)),
        };
        let recognised = of_first.map(|(keys, told)| {
            options.keys = keys;
            told
        });
        let (files, options) = (Arc::new(files), Arc::new(options));
        let (open, spool) = (Mutex::default(), Spool::default());
        let (keys_found, reads) = (Arc::new(KeysFound::new(&options.keys)), OnceLock::new());
        let found =
            Arc::new(Found { files, skipped, ignored, inputs, reads, keys_found, recognised, open, spool, stdin });
        Ok(Inventory { found, options })
    }

    fn with_options(&self, options: ReadOptions) -> Inventory {
        Inventory { found: Arc::clone(&self.found), options: Arc::new(options) }
    }

    /// The same files, read with another view of HTML. Pages that were already stored as text remain text.
    pub fn with_html(&self, html: HtmlView) -> Inventory {
        self.with_options(ReadOptions { html, ..(*self.options).clone() })
    }

    /// The same files, read with the trees of pages ([`ReadOptions::tree`]).
    pub fn with_trees(&self) -> Inventory {
        self.with_options(ReadOptions { tree: true, ..(*self.options).clone() })
    }

    /// The same files. The text of a page is read together with the page ([`HtmlView::Page`]).
    #[doc(hidden)]
    pub fn with_pages(&self) -> Inventory {
        match self.options.html {
            HtmlView::Text | HtmlView::Markdown | HtmlView::Json => self.with_html(HtmlView::Page),
            html @ (HtmlView::Page | HtmlView::Markup) => self.with_html(html),
        }
    }

    /// The same files, read with this `memory`. Each document needs `need` of it.
    #[doc(hidden)]
    pub fn with_memory(&self, memory: Budget, need: Need) -> Inventory {
        self.with_options(ReadOptions { memory, need, ..(*self.options).clone() })
    }

    /// The same files, read for work that needs this much memory for each document.
    #[doc(hidden)]
    pub fn with_need(&self, need: Need) -> Inventory {
        self.with_memory(self.options.memory.clone(), need)
    }

    /// The files to read, sorted by source and name.
    #[doc(hidden)]
    pub fn files(&self) -> &[InputFile] {
        &self.found.files
    }

    /// The files and folders that the search could not read, sorted by path. Other unreadable files are reported when
    /// they are read.
    pub fn skipped(&self) -> &[Skipped] {
        &self.found.skipped
    }

    /// Whether all folders and files could be looked at. If not, there may be more files than were found.
    #[doc(hidden)]
    pub fn is_all_listed(&self) -> bool {
        !self.found.skipped.iter().any(|skipped| skipped.reason.is_of_reading())
    }

    /// The files that are not documents.
    pub fn ignored(&self) -> &Ignored {
        &self.found.ignored
    }

    /// The paths to which no output may be written: the given folders and single files, and the files that were found.
    pub fn reads(&self) -> Reads {
        let reads = || Reads::nothing().documents(self.inputs(), Arc::clone(&self.found.files));
        self.found.reads.get_or_init(reads).clone()
    }

    pub(crate) fn inputs(&self) -> impl Iterator<Item = PathBuf> {
        let files = self.found.files.iter().filter(|file| file.is_named_itself()).map(InputFile::path);
        self.found.inputs.iter().cloned().chain(files)
    }

    /// A message for each key that the user named and no document had, of those that were read so far. Empty when it
    /// is called again.
    #[doc(hidden)]
    pub fn unknown_keys(&self) -> Vec<String> {
        self.found.keys_found.unknown()
    }

    /// The keys of lines that were recognised by their values, in words, if any were.
    #[doc(hidden)]
    pub fn recognised(&self) -> Option<&str> {
        self.found.recognised.as_deref()
    }

    /// The sources of all documents, if they are known before the files are read: each file is one document, or all
    /// documents have the same source.
    #[doc(hidden)]
    pub fn known_sources(&self) -> Option<BTreeSet<&str>> {
        match &self.options.source_by {
            SourceBy::Name(only) => Some(BTreeSet::from([only.as_str()])),
            _ => self.files().iter().map(|file| file.source().map(SourceId::as_str)).collect(),
        }
    }

    /// How documents are read.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// Lists the documents of each source. All files with many documents are read once, in parallel. Documents in files
    /// that can only be read from front to back are stored in a temporary file. Fails if that file cannot be written.
    pub fn sources(&self) -> Result<Sources, ScanError> {
        self.sources_and_tell(&|_| ())
    }

    /// Like [`sources`](Inventory::sources). Calls `tell`, from any thread, with each skipped item that is only counted
    /// in [`Sources::more_skipped`].
    #[doc(hidden)]
    pub fn sources_and_tell(&self, tell: &(dyn Fn(&Skipped) + Sync)) -> Result<Sources, ScanError> {
        listing::list_sources(self, tell)
    }

    /// Whether the document at `place` is an HTML file.
    #[doc(hidden)]
    pub fn is_html(&self, place: &DocumentRef) -> bool {
        self.found.files[place.file()].kind() == FileKind::Html
    }

    /// The stored size of the document at `place`, in bytes. 0 if it is not known.
    #[doc(hidden)]
    pub fn bytes(&self, place: &DocumentRef) -> u64 {
        match place.place() {
            Location::Line { bytes, .. } | Location::Spool { bytes, .. } => bytes as u64,
            Location::File => fs::metadata(self.found.files[place.file()].path()).map_or(0, |metadata| metadata.len()),
        }
    }

    /// Reads the document at `place`, which must be from this inventory.
    pub fn read(&self, place: &DocumentRef) -> Result<Document, Skipped> {
        self.read_as(place, &self.options)
    }

    /// Like [`read`](Inventory::read), but a page comes with its tree.
    #[doc(hidden)]
    pub fn read_with_tree(&self, place: &DocumentRef) -> Result<Document, Skipped> {
        self.read_as(place, &Arc::new(ReadOptions { tree: true, need: Need::TO_READ, ..(*self.options).clone() }))
    }

    fn read_as(&self, place: &DocumentRef, options: &Arc<ReadOptions>) -> Result<Document, Skipped> {
        let file = &self.found.files[place.file()];
        match place.place() {
            Location::File => read_document(file, options, Patience::Waits)
                .map(|(document, _)| document)
                .map_err(|reason| Skipped::file(file.path(), reason)),
            Location::Line { start, bytes, number } => {
                let container = Container::of(file, options, &self.found.keys_found);
                let document = self.line_of(place.file(), start, bytes, number, &container);
                document.map_err(|reason| container.skipped(Some(number), reason))
            }
            Location::Spool { start, bytes, number } => {
                let document = self.found.spool.read(start, bytes, options);
                document.map_err(|reason| self.container(file).skipped(Some(number), reason))
            }
        }
    }

    /// Opens `file` to read its content in order.
    #[doc(hidden)]
    pub fn open(&self, file: &InputFile) -> Result<Content, Skipped> {
        self.open_with(file, Patience::Waits)
    }

    /// Like [`open`](Inventory::open). `patience` says what happens if the file is one document and its memory is not
    /// free now.
    #[doc(hidden)]
    pub fn open_with(&self, file: &InputFile, patience: Patience) -> Result<Content, Skipped> {
        match file.holds_many() {
            true => self.records(file).map(Content::Records),
            false => self
                .read_file(file, patience)
                .map(|(document, compression)| Content::Document(Box::new(document), compression)),
        }
    }

    /// The records of a file with many documents.
    pub(crate) fn records(&self, file: &InputFile) -> Result<Records, Skipped> {
        let container = self.container(file);
        if file.is_stdin() {
            let input = self.found.stdin.open().map_err(|reason| Skipped::file(file.path(), reason))?;
            return Records::live(container, input);
        }
        let open = file.open().and_then(|open| Ok(OpenFile::of(open)?));
        let open = open.map_err(|reason| Skipped::file(file.path(), reason))?;
        let records = Records::file(container, open, file.kind())?;
        // An error in the compression is reported when the file is read.
        let is_by_record = || file.open().is_ok_and(|open| Compression::is_by_record(open).unwrap_or(false));
        Ok(match file.kind() {
            FileKind::Warc => records.packed_by_record(is_by_record()),
            _ => records,
        })
    }

    /// Reads the document in a line of the file with this index.
    fn line_of(
        &self,
        index: usize,
        start: u64,
        bytes: usize,
        number: u64,
        container: &Arc<Container>,
    ) -> Result<Document, Reason> {
        let bytes = self.shared_file(index)?.bytes(start, bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => Reason::Changed,
            _ => error.into(),
        })?;
        let line = Line { number, range: 0..bytes.len() };
        let line_alone = JsonRecords::new(bytes, Division::Lines, start, Arc::clone(container))?;
        line_alone.parse(&line, Patience::Waits)?.ok_or(Reason::Changed)
    }

    /// The open file with this index, shared between all readers.
    fn shared_file(&self, index: usize) -> Result<Arc<OpenFile>, Reason> {
        if let Some(file) = self.open_files().get(index) {
            return Ok(file);
        }
        // The file is opened without the lock, so that a slow disk does not block other threads.
        let file = Arc::new(OpenFile::of(self.found.files[index].open()?)?);
        self.open_files().insert(index, &file);
        Ok(file)
    }

    /// The storage for documents that can only be read from front to back.
    pub(crate) fn spool(&self) -> &Spool {
        &self.found.spool
    }

    /// If standard input is part of the input, stores it, so that it can be read several times.
    pub(crate) fn keep_stdin(&self) -> io::Result<()> {
        if self.found.files.iter().any(InputFile::is_stdin) { self.found.stdin.keep() } else { Ok(()) }
    }

    fn read_file(&self, file: &InputFile, patience: Patience) -> Result<(Document, Compression), Skipped> {
        let document = read_document(file, &self.options, patience);
        document.map_err(|reason| Skipped::file(file.path(), reason))
    }

    fn container(&self, file: &InputFile) -> Arc<Container> {
        Container::of(file, &self.options, &self.found.keys_found)
    }

    fn open_files(&self) -> std::sync::MutexGuard<'_, OpenFiles> {
        // No code that holds the lock can leave the data half changed. So a poisoned lock is used as well.
        self.found.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fails if two files would have the same output path.
fn refuse_collisions(files: &[InputFile], options: &ReadOptions) -> Result<(), ScanError> {
    // Only hashes are stored, because the names of 10 million files would need 1 GB.
    let hasher = BuildHasherDefault::<FxHasher>::default();
    let name_of = |file: &InputFile| comparable(file.output_name(options.html));
    let mut hashes: Vec<(u64, usize)> =
        files.par_iter().enumerate().map(|(index, file)| (hasher.hash_one(name_of(file)), index)).collect();
    hashes.par_sort_unstable();
    let alike = hashes.chunk_by(|a, b| a.0 == b.0).flat_map(pairs);
    let mut collisions: Vec<(usize, usize)> =
        alike.filter(|&(first, second)| name_of(&files[first]) == name_of(&files[second])).collect();
    collisions.sort_unstable();
    match collisions.first() {
        Some(&(first, second)) => Err(ScanError::Collision {
            first: files[first].path(),
            second: files[second].path(),
            name: files[second].output_name(options.html),
            others: collisions.len() - 1,
        }),
        None => Ok(()),
    }
}

/// Pairs the first index of the same hash with each of the other indices.
fn pairs(alike: &[(u64, usize)]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let first = alike[0].1;
    alike[1..].iter().map(move |&(_, index)| (first, index))
}

/// The form of a name that file systems compare. Some of them ignore case.
fn comparable(name: String) -> String {
    if cfg!(any(windows, target_os = "macos")) { name.to_lowercase() } else { name }
}

/// The JSONL files that were opened last.
#[derive(Debug, Default)]
struct OpenFiles(VecDeque<(usize, Arc<OpenFile>)>);

impl OpenFiles {
    fn get(&self, index: usize) -> Option<Arc<OpenFile>> {
        // The search starts at the end, because the newest files are requested most often.
        self.0.iter().rev().find(|(known, _)| *known == index).map(|(_, file)| Arc::clone(file))
    }

    fn insert(&mut self, index: usize, file: &Arc<OpenFile>) {
        self.0.push_back((index, Arc::clone(file)));
        if self.0.len() > KEPT_OPEN {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{inventory, plain, scan, tree};

    fn scan_error(files: &[&str], roots: &[&str]) -> String {
        let files: Vec<(&str, &[u8])> = files.iter().map(|&path| (path, &b""[..])).collect();
        let folder = tree(&files);
        match scan(&folder, roots) {
            Ok(_) => panic!("no error"),
            Err(error) => plain(&folder, error),
        }
    }

    #[test]
    fn a_missing_path_is_named() {
        assert_eq!(scan_error(&["corpus/a/x.txt"], &["corpsu"]), r#"cannot find "corpsu": did you mean "corpus"?"#);
        assert_eq!(scan_error(&["corpus/a/x.txt"], &["corpus", "b"]), r#"cannot find "b""#);
    }

    #[test]
    fn a_file_of_an_unknown_kind_is_named() {
        let error = scan_error(&["a/x.pdf"], &["a/x.pdf"]);
        assert_eq!(
            error,
            format!(
                r#"cannot tell what "a/x.pdf" is: give a folder, or a file that ends in {}"#,
                crate::find::file_kind::KNOWN_EXTENSIONS
            )
        );
    }

    #[test]
    fn nothing_found_says_what_there_was() {
        let error = scan_error(&["c/a/x.pdf", "c/a/y.pdf", "c/_a/x.txt", "c/_b/x.txt"], &["c"]);
        assert_eq!(
            error,
            format!(
                "no documents in \"c\": looked for files that end in {}, \
                 found 2 .pdf; c/_a: the source name \"_a\" begins with an underscore, which is reserved \
                 (as in _shared): remove the underscore (and 1 more skipped)",
                crate::find::file_kind::KNOWN_EXTENSIONS
            )
        );
    }

    #[test]
    fn two_inputs_with_one_output_are_named() {
        assert_eq!(
            scan_error(&["1/a/x.txt", "1/a/y.txt", "2/a/x.txt", "2/a/y.txt"], &["2", "1"]),
            r#""1/a/x.txt" and "2/a/x.txt" would both be written to "a/x.txt" (and 1 more such pairs): rename one, or clean them in two runs"#
        );
        assert!(scan_error(&["c/a/x.html", "c/a/x.htm", "c/a/x.txt"], &["c"]).contains("and 1 more"));
        assert!(scan_error(&["1/x.jsonl", "2/x.jsonl"], &["1", "2/x.jsonl"]).contains(r#"to "x.jsonl""#));
        assert_eq!(scan_error(&["c/a/x.txt"], &["c", "c"]), r#""c/a/x.txt" is given twice: name it once"#);
        assert!(scan_error(&["c/a/x.txt"], &["c", "c/a"]).contains("given twice"));
    }

    #[test]
    fn a_page_read_as_markup_collides_with_no_text() {
        let folder = tree(&[("c/a/x.html", b""), ("c/a/x.txt", b"")]);
        let options = ReadOptions { html: crate::HtmlView::Markup, ..ReadOptions::default() };
        assert!(Inventory::scan(&[folder.path().join("c")], &options).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn an_unreadable_folder_is_an_error_or_skipped() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tree(&[("c/a/x.txt", b""), ("c/b/x.txt", b"")]);
        let close = |path: &str, mode| {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.path().join(path), permissions).expect("permissions");
        };
        close("c/b", 0);
        // The superuser can read everything, so this test would fail.
        if fs::read_dir(folder.path().join("c/b")).is_err() {
            assert!(inventory(&folder, "c").skipped()[0].to_string().contains("cannot be read"));
            assert!(matches!(scan(&folder, &["c/b"]), Err(ScanError::Unreadable { .. })));
        }
        close("c/b", 0o755);
    }

    #[test]
    fn the_order_of_paths_does_not_show() {
        let folder = tree(&[("1/b/x.txt", b""), ("1/a/y.txt", b""), ("2/a/x.txt", b""), ("2/z.jsonl", b"")]);
        let names = |roots: &[&str]| match scan(&folder, roots) {
            Ok(inventory) => inventory.files().iter().map(InputFile::name).collect::<Vec<_>>(),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(names(&["1", "2"]), ["z.jsonl", "a/x.txt", "a/y.txt", "b/x.txt"]);
        assert_eq!(names(&["2", "1"]), names(&["1", "2"]));
    }

    #[test]
    fn the_files_opened_last_stay_open() {
        let folder = tree(&[("x.jsonl", b"{}")]);
        let mut open = OpenFiles::default();
        for index in 0..=KEPT_OPEN {
            let file = OpenFile::of(fs::File::open(folder.path().join("x.jsonl")).expect("a file")).expect("a length");
            open.insert(index, &Arc::new(file));
        }
        assert!(open.get(0).is_none() && open.get(1).is_some() && open.get(KEPT_OPEN).is_some());
    }
}
