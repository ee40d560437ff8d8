//! The cleaner of each source. It is compiled when the first document of the source comes.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::default_lexer;
use crate::Library;
use crate::observer::Observer;
use crate::unknown::UnknownSources;
use dehusk_core::cleaning::cleaner::Compiler;
use dehusk_core::cleaning::cleaner::drift::Watch;
use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::patterns::{Loose, PatternFile, SHARED};
use dehusk_corpus::InputFile;

/// The cleaners of a run.
pub struct Cleaners<'a> {
    library: &'a Library,
    compiler: Compiler<'a>,
    observer: &'a dyn Observer,
    /// A file without patterns. If there is one, all documents are read with its lexer, not with the lexer of the
    /// patterns.
    reader: Option<PatternFile>,
    /// The cleaners of sources with a pattern file of their own.
    own: Mutex<BTreeMap<String, Arc<OnceLock<Arc<SourceCleaner>>>>>,
    /// The cleaner of sources that no pattern file is about.
    other: OnceLock<Arc<SourceCleaner>>,
    unknown: UnknownSources<'a>,
}

/// The tools to clean the documents of a source.
pub struct SourceCleaner {
    /// Compiled from the source's own patterns and the shared ones.
    pub cleaner: Cleaner,
    /// Counts the patterns that are found, to compare with mining. `None` if the source has no file of its own, or
    /// documents are read with another lexer.
    pub watch: Option<Watch>,
}

/// The working space of a thread: the cleaners that it has used so far, and scratch space.
#[derive(Default)]
pub struct CleaningScratch {
    cleaners: HashMap<String, Arc<SourceCleaner>>,
    scratch: Scratch,
}

impl<'a> Cleaners<'a> {
    /// Starts without compiled cleaners. The documents are in `files`.
    pub fn new(
        library: &'a Library,
        options: CleanOptions,
        files: &'a [InputFile],
        observer: &'a dyn Observer,
    ) -> Cleaners<'a> {
        let (own, unknown) = (Mutex::default(), UnknownSources::new(library, files));
        let compiler = Compiler::new(library.get(SHARED).map(Cow::Borrowed), options);
        Cleaners { library, compiler, observer, reader: None, own, other: OnceLock::new(), unknown }
    }

    /// Reads documents with the lexer of this file, which has no patterns. Then sources need no patterns.
    pub fn reading_by(self, reader: PatternFile) -> Cleaners<'a> {
        Cleaners { reader: Some(reader), ..self }
    }

    /// The cleaner of a source, and scratch space. `is_page` says whether the document is a page whose structure
    /// counts.
    pub fn of<'b>(
        &self,
        source: &str,
        is_page: bool,
        scratch: &'b mut CleaningScratch,
    ) -> (&'b SourceCleaner, &'b mut Scratch) {
        let CleaningScratch { cleaners, scratch } = scratch;
        if !cleaners.contains_key(source) {
            cleaners.insert(source.to_owned(), self.find(source, is_page));
        }
        (&cleaners[source], scratch)
    }

    /// Calls `look` with the watch of a source that has a pattern file of its own. If an earlier run has cleaned all
    /// documents of the source, its cleaner is compiled only now.
    pub fn watched<T>(&self, source: &str, look: impl FnOnce(&Watch) -> T) -> Option<T> {
        let own = self.library.get(source)?;
        let used = lock(&self.own).get(source).and_then(|cleaner| cleaner.get().cloned());
        match used {
            Some(used) => used.watch.as_ref().map(look),
            None => Some(look(&Watch::new(&self.compile(source).cleaner, own))),
        }
    }

    fn find(&self, source: &str, is_page: bool) -> Arc<SourceCleaner> {
        let Some(own) = self.library.get(source) else {
            self.tell_of_none(source, is_page);
            return Arc::clone(self.other.get_or_init(|| Arc::new(self.compile(source))));
        };
        let cleaner = Arc::clone(lock(&self.own).entry(source.to_owned()).or_default());
        // It is compiled without the lock, so that a thread waits only for its own source.
        let compiled = cleaner.get_or_init(|| {
            let mut compiled = self.compile(source);
            // With another lexer, the figures of the run cannot be compared with those of mining.
            compiled.watch = self.reader.is_none().then(|| Watch::new(&compiled.cleaner, own));
            Arc::new(compiled)
        });
        Arc::clone(compiled)
    }

    fn compile(&self, source: &str) -> SourceCleaner {
        let own = self.library.get(source);
        let files: Vec<&PatternFile> = self.reader.iter().chain(own).collect();
        let cleaner = match files.is_empty() && self.compiler.shared().is_none() {
            false => self.compiler.cleaner(&files),
            // If there are no patterns for a source, the structure of a page is the only evidence.
            true => {
                let options = self.compiler.options().clone().decision(None);
                Cleaner::new(&[&PatternFile::empty(source, &default_lexer())], &options)
            }
        };
        SourceCleaner { cleaner, watch: None }
    }

    fn tell_of_none(&self, source: &str, is_page: bool) {
        if self.reader.is_some() {
            return;
        }
        let is_shared = !self.library.for_source(source).is_empty();
        let is_page = is_page && self.compiler.options().uses_structure(Loose::Proposed);
        let what = match (is_shared, is_page) {
            (true, true) => "only shared patterns and the structure of its pages count",
            (true, false) => "only shared patterns apply",
            (false, true) => "only the structure of its pages counts",
            (false, false) => "its documents are copied unchanged",
        };
        self.unknown.tell(source, what, self.observer);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
