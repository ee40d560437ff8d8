//! Makes pattern files from the templates that streams have learned.

use std::mem;

use crate::state::{ListedSegment, State, StateError};
use dehusk_core::mining::MineOptions;
use dehusk_core::mining::cross_source::MIN_SOURCES;
use dehusk_core::mining::cutoff::Cutoff;
use dehusk_core::patterns::file::MinedFrom;
use dehusk_core::patterns::{PatternFile, SHARED, Template};
use dehusk_core::streaming::drift::Change;
use dehusk_core::streaming::segments::{Described, SegmentKey};
use dehusk_core::streaming::table::Entry;
use dehusk_core::streaming::templates::{MIN_PAGES_OF_TEMPLATE, long_lived, take_shared};
use dehusk_core::tokens::Lexer;
use dehusk_corpus::SourceId;

/// The data of a state about a source.
#[derive(Debug)]
pub struct Learned {
    /// The source.
    pub id: SourceId,
    /// Number of documents that were counted.
    pub pages: usize,
    /// Number of documents that were not counted, because they repeat others.
    pub copies: usize,
    /// The latest change of its template, if there was one.
    pub change: Option<Change>,
    templates: Vec<Template>,
}

impl Learned {
    /// Minimum number of documents that are needed to find the segments that last.
    pub const MIN_PAGES: usize = MIN_PAGES_OF_TEMPLATE as usize;

    /// The data of a source in the state.
    ///
    /// # Errors
    /// If the state cannot be read.
    pub fn of(id: SourceId, state: &State, lexer: &Lexer, options: &MineOptions) -> Result<Learned, StateError> {
        let table = state.table(&id)?;
        let progress = table.progress();
        let templates = long_lived(described(state, &id)?, &progress.ends, lexer, options);
        let (pages, copies) = (progress.pages as usize, progress.copies as usize);
        Ok(Learned { id, pages, copies, change: progress.drift(), templates })
    }

    /// Number of all its documents.
    pub fn documents(&self) -> usize {
        self.pages + self.copies
    }

    /// Whether the source has too few documents, so that only shared patterns will apply.
    pub fn is_too_small(&self) -> bool {
        self.pages < Learned::MIN_PAGES
    }
}

/// The segments that are boilerplate, with their texts.
fn described(state: &State, source: &SourceId) -> Result<Vec<(SegmentKey, Entry, Described)>, StateError> {
    let detection = state.settings().table.detection;
    let mut all = Vec::new();
    for listed in state.segments(source)?.into_iter().flatten() {
        let ListedSegment { key, entry, described } = listed?;
        all.extend(described.filter(|_| entry.is_template(&detection)).map(|described| (key, entry, described)));
    }
    Ok(all)
}

/// The pattern file of each source. Then the shared file, if there are enough sources.
pub fn pattern_files(sources: &mut [Learned], options: &MineOptions, lexer: &Lexer) -> Vec<PatternFile> {
    let cutoff = options.cutoff.unwrap_or(Cutoff::DEFAULT.share);
    let shared = shared_of(sources);
    let documents = sources.iter().map(Learned::documents).sum();
    let copies = sources.iter().map(|source| source.copies).sum();
    let shared =
        shared.map(|templates| PatternFile::of_templates(SHARED, facts(documents, copies, cutoff), templates, lexer));
    let own = sources.iter_mut().map(|source| {
        let (facts, templates) = (facts(source.documents(), source.copies, cutoff), mem::take(&mut source.templates));
        PatternFile::of_templates(source.id.as_str(), facts, templates, lexer)
    });
    let mut files: Vec<PatternFile> = own.collect();
    files.extend(shared);
    files
}

/// The templates that many sources have. `None` if there are too few sources.
fn shared_of(sources: &mut [Learned]) -> Option<Vec<Template>> {
    let mut own: Vec<Vec<Template>> = sources.iter_mut().map(|source| mem::take(&mut source.templates)).collect();
    let shared = (sources.len() >= MIN_SOURCES).then(|| take_shared(&mut own));
    for (source, templates) in sources.iter_mut().zip(own) {
        source.templates = templates;
    }
    shared
}

/// What a pattern file says about its mining. Other figures are unknown: a stream counts no tokens, and forgets
/// segments that are not template.
fn facts(documents: usize, copies: usize, cutoff: f64) -> MinedFrom {
    MinedFrom { documents, near_duplicates: copies, cutoff, ..MinedFrom::default() }
}
