//! Compares sources that were mined alone, and tries the patterns of each out: pattern files out.
//!
//! Takes what mining gave for each source, and a sample of its documents; both may come from other processes
//! (`candidates.rs`).

use std::mem;

use super::error::{PipelineError, Result};
use super::library::Library;
use super::memory::{self, Budget};
use super::mining::CorpusMineOptions;
use super::observer::{Observer, Steps, WarningKind};
use super::workers::share_out_and_collect;
use super::writing::write;
use super::{suited, timed};
use crate::cleaning::CleanOptions;
use crate::corpus::{HtmlView, OutputRoot, SourceId};
use crate::mining::Mined;
use crate::mining::cross_source::{self, Templates};
use crate::patterns::merge::merge;
use crate::patterns::{PatternFile, SHARED, Trust};
use crate::selection::places::Places;
use crate::selection::{Reliance, SelectOptions, tried_out};
use crate::tokens::Lexer;

/// What mining a corpus gives.
#[derive(Debug)]
pub struct MinedCorpus {
    /// The pattern file of each source, in the order of the sources; then the shared one, if there were enough sources.
    pub files: Vec<PatternFile>,
    /// What was found in each source.
    pub sources: Vec<MinedSource>,
}

/// A source that was mined.
#[derive(Debug)]
pub struct MinedSource {
    /// Its name.
    pub id: SourceId,
    /// What mining it alone gave.
    pub mined: Mined,
    /// How many of its candidates turned out to be language; 0 before it is compared with others.
    pub language: usize,
}

impl MinedSource {
    /// A source that was not compared with others yet.
    #[doc(hidden)]
    pub fn new(id: SourceId, mined: Mined) -> MinedSource {
        MinedSource { id, mined, language: 0 }
    }
}

/// The documents of sources that patterns are tried out on. Sources are numbered as they are given.
pub trait Samples: Sync {
    /// The number of documents in the sample of a source.
    fn len(&self, source: usize) -> usize;

    /// The texts of some documents of the sample, evenly spread over it.
    ///
    /// # Errors
    /// If they cannot be read.
    fn texts(&self, source: usize, count: usize) -> Result<Vec<String>>;
}

/// Makes pattern files of sources that were mined.
pub struct Combiner<'a> {
    /// Their documents.
    pub samples: &'a dyn Samples,
    /// How pages were read.
    pub html: HtmlView,
    /// How texts were read.
    pub lexer: &'a Lexer,
    /// How patterns are chosen.
    pub options: &'a CorpusMineOptions,
    /// Who is told.
    pub observer: &'a dyn Observer,
}

impl Combiner<'_> {
    /// Writes the pattern files of the sources. Decisions in `reviewed`, the files that are there, are kept.
    ///
    /// # Errors
    /// If trying out needs more memory than there is, or nothing can be written.
    pub fn write(&self, mut sources: Vec<MinedSource>, reviewed: &Library, output: &OutputRoot) -> Result<MinedCorpus> {
        let files = self.files(&mut sources, reviewed)?;
        write(&files, reviewed, output, self.observer)?;
        let own_files = files.iter().filter(|file| file.source != SHARED);
        own_files.for_each(|file| tell_of_doubt(&file.source, file.trust.as_ref(), self.observer));
        Ok(MinedCorpus { files, sources })
    }

    /// The pattern file of each source, and then the shared one, if there are enough sources.
    ///
    /// # Errors
    /// If trying out needs more memory than there is.
    pub fn files(&self, sources: &mut [MinedSource], reviewed: &Library) -> Result<Vec<PatternFile>> {
        let mined: Vec<&Mined> = sources.iter().map(|source| &source.mined).collect();
        let mut templates = timed("compare sources", self.observer, || cross_source::cross_source(&mined));
        let language = mem::take(&mut templates.language);
        warn_of_small_sources(sources, self.observer);
        let fresh = pattern_files(sources, templates, self.lexer);
        sources.iter_mut().zip(language).for_each(|(source, language)| source.language = language);
        self.try_out(with_decisions(fresh, reviewed))
    }

    /// Looks at what the patterns do to the documents: notes in the sources' own files, which come before the shared one,
    /// where articles end, and leaves out the patterns that are not needed, or none.
    fn try_out(&self, files: Vec<PatternFile>) -> Result<Vec<PatternFile>> {
        timed("try out", self.observer, || self.tried_out(files))
    }

    fn tried_out(&self, mut files: Vec<PatternFile>) -> Result<Vec<PatternFile>> {
        let own = files.iter().filter(|file| file.source != SHARED).count();
        let mut shared = files.split_off(own);
        let budget = Budget::new(self.options.memory);
        self.test(&mut files, &mut shared, &budget)?;
        let select = SelectOptions {
            has_ends: self.html.has_ends(),
            all_patterns: self.options.all_patterns,
            cleaning: suited(CleanOptions::default(), self.html),
        };
        self.observer.start("trying out", Steps::Things(own as u64));
        let tried = share_out_and_collect(self.options.threads, own, |index| -> Result<_> {
            let (count, need) = self.fitting(index, &files[index], shared.first(), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.samples.texts(index, count)?;
            self.observer.step(1);
            Ok(tried_out(&files[index], shared.first(), &texts, &select))
        });
        self.observer.finish();
        Ok(tried?.into_iter().chain(shared).collect())
    }

    /// Finds out how far what was mined can be relied on, and which patterns have a place; notes both in the files. A source
    /// that is too small to be mined shows nothing of that.
    fn test(&self, own: &mut [PatternFile], shared: &mut [PatternFile], budget: &Budget) -> Result<()> {
        self.observer.start("testing", Steps::Things(own.len() as u64));
        let tested = share_out_and_collect(self.options.threads, own.len(), |index| -> Result<_> {
            let (count, need) = self.fitting(index, &own[index], shared.first(), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.samples.texts(index, count)?;
            self.observer.step(1);
            Ok(Reliance::of(&own[index], shared.first(), &texts))
        });
        self.observer.finish();
        let tested = tested?;
        own.iter_mut().zip(&tested).for_each(|(file, reliance)| reliance.mark(file));
        for file in shared {
            Places::mark_shared(tested.iter().map(Reliance::places), file);
            file.trust = Trust::mean(own.iter().filter_map(|own| Some((own.trust.as_ref()?, own.mined.documents))));
        }
        Ok(())
    }

    /// The number of documents of a source that its patterns are tried out on, and what that takes, in bytes: of a sample as
    /// many as there is memory for.
    fn fitting(
        &self,
        source: usize,
        own: &PatternFile,
        shared: Option<&PatternFile>,
        limit: u64,
    ) -> Result<(usize, u64)> {
        let need = |documents: usize| need_to_try_out(own, shared, documents);
        let most = self.samples.len(source);
        let least = if self.options.sample { most.min(1) } else { most };
        let Some(count) = (least..=most).rev().find(|&documents| need(documents) <= limit) else {
            return Err(PipelineError::NotEnoughMemory {
                needs: vec![(SourceId::parse(&own.source)?, need(least))],
                limit,
            });
        };
        Ok((count, need(count)))
    }
}

/// Fresh files, each with what people decided in the one before.
pub fn with_decisions(fresh: Vec<PatternFile>, reviewed: &Library) -> Vec<PatternFile> {
    let merged = fresh.into_iter().map(|fresh| match reviewed.get(&fresh.source) {
        Some(old) => merge(fresh, old.clone()),
        None => fresh,
    });
    merged.collect()
}

/// Says that less than usual is removed from a source, and why.
pub fn tell_of_doubt(source: &str, trust: Option<&Trust>, observer: &dyn Observer) {
    if let Some(doubt) = trust.and_then(Trust::doubt) {
        observer.warn(WarningKind::Doubt, &format!("source '{source}': {doubt}"));
    }
}

fn warn_of_small_sources(sources: &[MinedSource], observer: &dyn Observer) {
    for MinedSource { id, mined, .. } in sources.iter().filter(|source| source.mined.is_too_small()) {
        observer.warn(WarningKind::Rare, &format!(
            "source '{}' is too small to mine: it needs {} different documents and has {}; only shared patterns will apply",
            id,
            Mined::MIN_DOCUMENTS,
            mined.counted(),
        ));
    }
}

/// What trying patterns out on so many of a source's documents takes, in bytes.
fn need_to_try_out(own: &PatternFile, shared: Option<&PatternFile>, documents: usize) -> u64 {
    let patterns = own.patterns.len() + shared.map_or(0, |shared| shared.patterns.len());
    let matches: usize = own.patterns.iter().map(|pattern| pattern.occurrences).sum();
    let part = |all: usize| (all as u128 * documents as u128 / own.mined.documents.max(1) as u128) as u64;
    memory::need_to_try_out(patterns, part(matches), part(own.mined.tokens))
}

/// The fresh pattern files: one a source, and the shared one if there were enough sources to tell what is shared.
fn pattern_files(sources: &[MinedSource], templates: Templates, lexer: &Lexer) -> Vec<PatternFile> {
    let mined: Vec<&Mined> = sources.iter().map(|source| &source.mined).collect();
    let shared = (sources.len() >= cross_source::MIN_SOURCES)
        .then(|| PatternFile::of_templates(SHARED, cross_source::shared_facts(&mined), templates.shared, lexer));
    let own = sources.iter().zip(templates.own).map(|(MinedSource { id, mined, .. }, templates)| {
        PatternFile::of_templates(id.as_str(), mined.facts(), templates, lexer)
    });
    own.chain(shared).collect()
}
