//! The cleaner of each source, compiled when the source's first document comes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::cleaning::drift::Watch;
use crate::cleaning::{CleanOptions, Cleaner, Scratch};
use crate::patterns::PatternFile;
use crate::pipeline::observer::Observer;

use crate::pipeline::Library;
use crate::pipeline::WarningKind;

/// The cleaners of a run.
pub struct Cleaners<'a> {
    library: &'a Library,
    options: CleanOptions,
    observer: &'a dyn Observer,
    /// A file without patterns, by whose lexer documents are read whatever the patterns are read by.
    reader: Option<PatternFile>,
    /// Of the sources that have a file of their own.
    own: Mutex<BTreeMap<String, Arc<SourceCleaner>>>,
    /// Of all others, of which a crawl can have a million.
    other: OnceLock<Arc<SourceCleaner>>,
    /// The sources that were told to have none.
    told: Mutex<BTreeSet<String>>,
}

/// What the documents of a source need.
pub struct SourceCleaner {
    /// Compiled from its own and the shared patterns.
    pub cleaner: Cleaner,
    /// If the source has a file of its own.
    pub watch: Option<Watch>,
}

/// What one thread works with: the cleaners that it has used so far, and scratch space.
#[derive(Default)]
pub struct CleaningScratch {
    cleaners: HashMap<String, Arc<SourceCleaner>>,
    scratch: Scratch,
}

impl<'a> Cleaners<'a> {
    /// None is compiled yet.
    pub fn new(library: &'a Library, options: CleanOptions, observer: &'a dyn Observer) -> Cleaners<'a> {
        let (own, other, told) = (Mutex::default(), OnceLock::new(), Mutex::default());
        Cleaners { library, options, observer, reader: None, own, other, told }
    }

    /// Reads documents by the lexer of this file, which has no patterns. Sources may do without patterns then.
    pub fn reading_by(self, reader: PatternFile) -> Cleaners<'a> {
        Cleaners { reader: Some(reader), ..self }
    }

    /// The cleaner of a source, and space to work in.
    pub fn of<'b>(&self, source: &str, scratch: &'b mut CleaningScratch) -> (&'b SourceCleaner, &'b mut Scratch) {
        let CleaningScratch { cleaners, scratch } = scratch;
        if !cleaners.contains_key(source) {
            cleaners.insert(source.to_owned(), self.find(source));
        }
        (&cleaners[source], scratch)
    }

    /// What a source's own patterns were found in when they were mined, if it has any. They need not have been used: all
    /// documents of the source may have been cleaned by an earlier run.
    pub fn watched<T>(&self, source: &str, look: impl FnOnce(&Watch) -> T) -> Option<T> {
        let own = self.library.get(source)?;
        let used = lock(&self.own).get(source).cloned();
        match used {
            Some(used) => used.watch.as_ref().map(look),
            None => Some(look(&Watch::new(&self.compile(source).cleaner, own))),
        }
    }

    fn find(&self, source: &str) -> Arc<SourceCleaner> {
        let Some(own) = self.library.get(source) else {
            self.tell_of_none(source);
            return Arc::clone(self.other.get_or_init(|| Arc::new(self.compile(source))));
        };
        let mut all = lock(&self.own);
        if let Some(known) = all.get(source) {
            return Arc::clone(known);
        }
        let mut compiled = self.compile(source);
        // Those that read by a file of their own have no file of when their sources were mined in its place.
        compiled.watch = self.reader.is_none().then(|| Watch::new(&compiled.cleaner, own));
        let compiled = Arc::new(compiled);
        all.insert(source.to_owned(), Arc::clone(&compiled));
        compiled
    }

    fn compile(&self, source: &str) -> SourceCleaner {
        let files: Vec<&PatternFile> = self.reader.iter().chain(self.library.for_source(source)).collect();
        SourceCleaner { cleaner: Cleaner::new(&files, &self.options), watch: None }
    }

    fn tell_of_none(&self, source: &str) {
        if self.reader.is_some() || !lock(&self.told).insert(source.to_owned()) {
            return;
        }
        let is_shared = !self.library.for_source(source).is_empty();
        let what = if is_shared { "only shared patterns apply" } else { "its documents are copied as they are" };
        let message = format!("there is no pattern file for source '{source}'; {what}");
        self.observer.warn(WarningKind::NoPatterns, &message);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
