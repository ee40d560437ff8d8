//! The cleaner of each source. It is compiled when the first document of the source comes. In a crawl of very many
//! sources, those that were not needed for long are dropped, and compiled again when they are needed.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use quick_cache::sync::Cache;

use super::default_lexer;
use crate::Library;
use crate::observer::Observer;
use crate::unknown::UnknownSources;
use dehusk_core::cleaning::cleaner::Compiler;
use dehusk_core::cleaning::cleaner::drift::{Watch, removes_as_mined};
use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::patterns::{Loose, PatternFile, SHARED};
use dehusk_corpus::InputFile;

/// Maximum number of compiled cleaners. That of a site of ten pages takes 40 KB.
const MAX_COMPILED: usize = 1 << 13;

/// The cleaners of a run.
pub struct Cleaners<'a> {
    library: &'a Library,
    compiler: Compiler,
    observer: &'a dyn Observer,
    /// A file without patterns. If there is one, all documents are read with its lexer, not with the lexer of the
    /// patterns.
    reader: Option<PatternFile>,
    /// The cleaners of sources with a pattern file of their own.
    own: Cache<String, Arc<SourceCleaner>>,
    /// How these sources were when they were mined.
    as_mined: Mutex<HashMap<String, AsMined>>,
    /// Whether the shared patterns still remove at least what they removed when they were mined.
    is_shared_as_mined: bool,
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

/// A source when it was mined, as its file tells.
#[derive(Clone, Debug, Default)]
pub struct AsMined {
    /// How the source is unlike all text that the decision model has learned from.
    pub unusual: Option<String>,
    /// Mean number of patterns in a document. `None` if documents are read with another lexer: then the figures of the
    /// run cannot be compared with those of mining.
    pub patterns: Option<f64>,
    /// The share of the text that was removed, 0..=1. `None` if that was not measured.
    pub removed: Option<f64>,
    /// Whether the patterns still remove at least what they removed then.
    pub is_removed_still: bool,
}

/// The working space of a thread: the cleaner that it used last, and scratch space.
#[derive(Default)]
pub struct CleaningScratch {
    last: Option<(String, Arc<SourceCleaner>)>,
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
        let compiler = Compiler::new(library.get(SHARED), options);
        let (own, unknown) = (Cache::new(MAX_COMPILED), UnknownSources::new(library, files));
        let (as_mined, other) = (Mutex::default(), OnceLock::new());
        let is_shared_as_mined = removes_as_mined(compiler.shared().as_slice());
        Cleaners { library, compiler, observer, reader: None, own, as_mined, is_shared_as_mined, other, unknown }
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
        let CleaningScratch { last, scratch } = scratch;
        let known = last.take().filter(|(known, _)| known == source);
        let (_, cleaner) = last.insert(known.unwrap_or_else(|| (source.to_owned(), self.find(source, is_page))));
        (cleaner, scratch)
    }

    /// How a source with a pattern file of its own was when it was mined.
    pub fn as_mined(&self, source: &str) -> Option<AsMined> {
        if !self.library.contains(source) {
            return None;
        }
        let known = || lock(&self.as_mined).get(source).cloned();
        known().or_else(|| {
            // An earlier run has cleaned all documents of the source, so it was not compiled yet.
            self.compile(source, self.library.get(source));
            known()
        })
    }

    fn find(&self, source: &str, is_page: bool) -> Arc<SourceCleaner> {
        if !self.library.contains(source) {
            self.tell_of_none(source, is_page);
            return Arc::clone(self.other.get_or_init(|| Arc::new(self.compile(source, None))));
        }
        if let Some(known) = self.own.get(source) {
            return known;
        }
        // A file is parsed in parallel. Meanwhile this thread may clean another document of the source, so others must
        // not have to wait for it.
        let own = self.library.get(source);
        // While a cleaner is compiled, only those wait that need it too.
        let compile = || Ok::<_, Infallible>(Arc::new(self.compile(source, own)));
        let Ok(cleaner) = self.own.get_or_insert_with(source, compile);
        cleaner
    }

    fn compile(&self, source: &str, own: Option<Arc<PatternFile>>) -> SourceCleaner {
        let files: Vec<&PatternFile> = self.reader.iter().chain(own.as_deref()).collect();
        let cleaner = match files.is_empty() && self.compiler.shared().is_none() {
            false => self.compiler.cleaner(&files),
            // If there are no patterns for a source, the structure of a page is the only evidence.
            true => {
                let options = self.compiler.options().clone().decision(None);
                Cleaner::new(&[&PatternFile::empty(source, &default_lexer())], &options)
            }
        };
        let Some(own) = own else { return SourceCleaner { cleaner, watch: None } };
        let watch = self.reader.is_none().then(|| Watch::new(&cleaner, &own));
        // A source whose cleaner was dropped is known already.
        lock(&self.as_mined).entry(source.to_owned()).or_insert_with(|| AsMined {
            unusual: own.unusual.clone(),
            patterns: watch.as_ref().map(Watch::when_mined),
            removed: own.mined.removed,
            is_removed_still: self.is_shared_as_mined && removes_as_mined(&[&own]),
        });
        SourceCleaner { cleaner, watch }
    }

    fn tell_of_none(&self, source: &str, is_page: bool) {
        if self.reader.is_some() {
            return;
        }
        let is_shared = !self.library.for_source(source).files().is_empty();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Silent;
    use dehusk_core::patterns::LexerCache;

    const TOWNS: [&str; 4] = ["ash", "elm", "fir", "oak"];

    fn library() -> Library {
        let file = |town: &str| {
            let yaml = format!(
                "dehusk: 1\nsource: {town}\nmined: {{documents: 9, tokens: 90, cutoff: 0.5, removed: 0.2, tokenizer: words}}\n\
                 patterns: []\nevidence:\n  - {{documents: 9, occurrences: 9, text: '⏎News from {town} and the harbour⏎'}}\n\
                 mutable: []\n"
            );
            PatternFile::parse(&yaml, &LexerCache::default()).unwrap_or_else(|problems| panic!("{problems:?}"))
        };
        Library::of_files(TOWNS.map(file))
    }

    #[test]
    fn a_cleaner_that_was_dropped_cleans_as_before() {
        let library = library();
        let packed = library.packed();
        let of = |library, most: usize| Cleaners {
            own: Cache::new(most),
            ..Cleaners::new(library, CleanOptions::default(), &[], &Silent)
        };
        let (all, few) = (of(&library, MAX_COMPILED), of(&packed, 1));
        let text =
            |town: &str| format!("News from {town} and the harbour\nA boat left {town} at noon, and came back.\n");
        let cleaned = |cleaners: &Cleaners, town: &str, scratch: &mut CleaningScratch| {
            let (source, scratch) = cleaners.of(town, false, scratch);
            let cleaned = source.cleaner.clean(scratch, &text(town)).expect("it is cleaned").strip(&text(town));
            (cleaned, source.watch.as_ref().map(Watch::when_mined))
        };
        let (mut one, mut other) = (CleaningScratch::default(), CleaningScratch::default());
        for round in 0..3 {
            for town in TOWNS {
                let kept = cleaned(&all, town, &mut one);
                assert!(!kept.0.contains("News") && kept.0.contains("boat"), "{kept:?}");
                assert_eq!(cleaned(&few, town, &mut other), kept, "round {round}");
            }
        }
        assert!(few.own.len() <= 1 && all.own.len() == TOWNS.len());
        for town in TOWNS {
            let [kept, dropped] = [&all, &few].map(|cleaners| cleaners.as_mined(town).expect("it has a file"));
            assert_eq!((dropped.patterns, dropped.removed), (kept.patterns, Some(0.2)));
            assert!(kept.is_removed_still && dropped.is_removed_still);
        }
        assert!(few.as_mined("yew").is_none());
    }
}
