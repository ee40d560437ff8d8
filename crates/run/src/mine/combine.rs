//! Makes pattern files: compares sources that were mined alone, and tests the patterns of each source.
//!
//! Takes the mined patterns of each source, and a sample of its documents. Both may come from other processes
//! (`candidates.rs`).

use std::mem;

use crate::error::{PipelineError, Result};
use crate::library::Library;
use crate::mine::memory;
use crate::mine::options::CorpusMineOptions;
use crate::mine::pattern_files::write;
use crate::observer::{Observer, Steps, WarningKind};
use crate::record::written_files::Prune;
use crate::workers::share_out_and_collect;
use crate::{suited, timed};
use dehusk_core::cleaning::CleanOptions;
use dehusk_core::mining::cross_source::{self, Templates};
use dehusk_core::mining::{MineOptions, Mined, mine_texts};
use dehusk_core::pages::PageText;
use dehusk_core::patterns::merge::merge;
use dehusk_core::patterns::{Pattern, PatternFile, SHARED};
use dehusk_core::selection::sampling::evenly_spread;
use dehusk_core::selection::shared::SharedMatches;
use dehusk_core::selection::warnings::unlike;
use dehusk_core::selection::{SelectOptions, Selector};
use dehusk_core::tokens::Lexer;
use dehusk_corpus::{Budget, HtmlView, OutputRoot, SourceId};

/// Minimum number of small sources that are mined together. A line in a twentieth of them is then in several of them.
const MIN_POOLED: usize = 60;
/// Maximum number of small sources that are mined together, evenly spread. Lines that many sites share are in a
/// twentieth of them or more, so this many show them.
const MAX_POOLED: usize = 4000;
/// Maximum length of the documents that are mined together, in bytes. Documents that do not fit are left out.
const MAX_POOLED_BYTES: usize = 1 << 23;

/// The result of mining a corpus.
#[derive(Debug)]
pub struct MinedCorpus {
    /// The pattern file of each source, in the order of the sources. Then the shared file, if there were enough
    /// sources.
    pub files: Vec<PatternFile>,
    /// The mined sources.
    pub sources: Vec<MinedSource>,
}

/// A mined source.
#[derive(Debug)]
pub struct MinedSource {
    /// Its name.
    pub id: SourceId,
    /// The result of mining it alone.
    pub mined: Mined,
    /// Number of its candidates that are language. 0 before it is compared with other sources.
    pub language: usize,
}

impl MinedSource {
    /// A source that was not compared with others yet.
    #[doc(hidden)]
    pub fn new(id: SourceId, mined: Mined) -> MinedSource {
        MinedSource { id, mined, language: 0 }
    }
}

/// The documents on which patterns are tested. A source is given by its index.
pub trait Samples: Sync {
    /// Number of documents in the sample of a source.
    fn len(&self, source: usize) -> usize;

    /// The texts of `count` documents of the sample, evenly spread over it.
    ///
    /// # Errors
    /// If the documents cannot be read.
    fn texts(&self, source: usize, count: usize) -> Result<Vec<String>>;

    /// The text of one of these `count` documents, with the tree of its page. `None` if the document is not a page, or
    /// cannot be read now.
    fn page(&self, source: usize, count: usize, index: usize) -> Option<PageText<'static>>;
}

/// Makes pattern files from mined sources.
pub struct Combiner<'a> {
    /// The documents of the sources.
    pub samples: &'a dyn Samples,
    /// How pages were read.
    pub html: HtmlView,
    /// How texts were read.
    pub lexer: &'a Lexer,
    /// How patterns are chosen.
    pub options: &'a CorpusMineOptions,
    /// How the documents are cleaned on which patterns are tested.
    pub cleaning: CleanOptions,
    /// The observer of the run.
    pub observer: &'a dyn Observer,
}

impl Combiner<'_> {
    /// Writes the pattern files of the sources. Keeps the decisions in the existing files, `reviewed`. `prune` says
    /// what happens to files of other sources.
    ///
    /// # Errors
    /// If testing the patterns needs more memory than there is, or nothing can be written.
    pub fn write(
        &self,
        mut sources: Vec<MinedSource>,
        reviewed: &Library,
        output: &OutputRoot,
        prune: Prune,
    ) -> Result<MinedCorpus> {
        let files = self.files(&mut sources, reviewed)?;
        write(&files, reviewed, output, prune, self.observer)?;
        let own_files = files.iter().filter(|file| file.source != SHARED);
        own_files.for_each(|file| tell_of_unusual(&file.source, file.unusual.as_deref(), self.observer));
        Ok(MinedCorpus { files, sources })
    }

    /// The pattern file of each source. Then the shared file, if there are enough sources.
    ///
    /// # Errors
    /// If testing the patterns needs more memory than there is.
    pub fn files(&self, sources: &mut [MinedSource], reviewed: &Library) -> Result<Vec<PatternFile>> {
        let mined: Vec<&Mined> = sources.iter().map(|source| &source.mined).collect();
        let mut templates = timed("compare sources", self.observer, || -> Result<Templates> {
            let mut templates = cross_source::cross_source(&mined);
            self.pool(sources)?.iter().for_each(|pool| templates.add_pool(pool));
            Ok(templates)
        })?;
        let language = mem::take(&mut templates.language);
        warn_of_small_sources(sources, &templates, self.observer);
        let fresh = pattern_files(sources, templates, self.lexer);
        sources.iter_mut().zip(language).for_each(|(source, language)| source.language = language);
        self.try_out(with_decisions(fresh, reviewed))
    }

    /// Mines one document of each small source, as if all of them were one source: in a part of a crawl, no host may have
    /// enough documents. `None` if there are too few such sources.
    fn pool(&self, sources: &[MinedSource]) -> Result<Option<Mined>> {
        let is_small = |&source: &usize| sources[source].mined.is_too_small() && self.samples.len(source) > 0;
        let small: Vec<usize> = (0..sources.len()).filter(is_small).collect();
        let (mut texts, mut bytes) = (Vec::new(), 0);
        for &source in evenly_spread(&small, MAX_POOLED) {
            let text = self.samples.texts(source, 1)?.pop().unwrap_or_default();
            if bytes + text.len() <= MAX_POOLED_BYTES {
                bytes += text.len();
                texts.push(text);
            }
        }
        if texts.len() < MIN_POOLED {
            return Ok(None);
        }
        let pool = mine_texts(&texts, self.lexer, &MineOptions::default());
        Ok(Some(
            pool.map_err(|source| PipelineError::TooManyTokens { source_id: sources[small[0]].id.clone(), source })?,
        ))
    }

    /// Tests the patterns on documents. Notes in each source's own file where articles end. Leaves out the patterns
    /// that are not needed, unless all patterns are wanted. In `files`, the sources' own files come before the shared
    /// file.
    fn try_out(&self, files: Vec<PatternFile>) -> Result<Vec<PatternFile>> {
        timed("choose patterns", self.observer, || self.tried_out(files))
    }

    fn tried_out(&self, mut files: Vec<PatternFile>) -> Result<Vec<PatternFile>> {
        let own = files.iter().filter(|file| file.source != SHARED).count();
        let mut shared = files.split_off(own);
        let budget = Budget::new(self.options.memory);
        self.test(&files, &mut shared, &budget)?;
        let selector = Selector::new(
            shared.first(),
            SelectOptions {
                has_ends: self.html.has_ends(),
                all_patterns: self.options.all_patterns,
                cleaning: suited(self.cleaning.clone(), self.html),
            },
        );

        self.observer.start("choosing patterns", Steps::Things(own as u64));
        let tried = share_out_and_collect(self.options.threads, own, |index| -> Result<_> {
            let (count, need) = self.fitting(index, &files[index], shared.first(), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.samples.texts(index, count)?;
            let page = |text: usize| self.samples.page(index, count, text).filter(|page| page.text == texts[text]);
            let chosen = selector.tried_out(&files[index], &texts, page);
            self.observer.step(1);
            Ok(chosen)
        });
        self.observer.finish();
        Ok(tried?.into_iter().chain(shared).collect())
    }

    /// Finds the shared patterns that can be proposed to people. The others become evidence.
    fn test(&self, own: &[PatternFile], shared: &mut [PatternFile], budget: &Budget) -> Result<()> {
        let [shared] = shared else { return Ok(()) };
        let selector = Selector::new(
            Some(shared),
            SelectOptions { has_ends: false, all_patterns: true, cleaning: CleanOptions::default() },
        );
        self.observer.start("testing", Steps::Things(own.len() as u64));
        let tested = share_out_and_collect(self.options.threads, own.len(), |index| -> Result<_> {
            let (count, need) = self.fitting(index, &own[index], Some(shared), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.samples.texts(index, count)?;
            let matches = selector.matches(&own[index], &texts);
            self.observer.step(1);
            Ok(matches)
        });
        self.observer.finish();

        let mut matches = SharedMatches::default();
        tested?.iter().for_each(|of_source| matches.add(of_source));
        matches.mark(shared);
        Ok(())
    }

    /// The number of documents on which the patterns of a source are tested, and the memory for that in bytes. With the
    /// option `sample`, as many documents as fit into the memory.
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

/// Fresh pattern files with the decisions of the existing ones.
pub fn with_decisions(fresh: Vec<PatternFile>, reviewed: &Library) -> Vec<PatternFile> {
    let merged = fresh.into_iter().map(|fresh| match reviewed.get(&fresh.source) {
        Some(old) => merge(fresh, old.clone()),
        None => fresh,
    });
    merged.collect()
}

/// If the source is unusual, warns that only recurrence decides in it, and why.
pub fn tell_of_unusual(source: &str, unusual: Option<&str>, observer: &dyn Observer) {
    if let Some(unusual) = unusual {
        observer.warn(WarningKind::Unusual, &unlike(&format!("source '{source}'"), unusual));
    }
}

fn warn_of_small_sources(sources: &[MinedSource], templates: &Templates, observer: &dyn Observer) {
    let rest = match templates.shared.is_empty() {
        true => "there are no shared patterns either; give the documents of several sources one source",
        false => "only shared patterns will apply",
    };
    for MinedSource { id, mined, .. } in sources.iter().filter(|source| source.mined.is_too_small()) {
        let (needed, has) = (Mined::MIN_DOCUMENTS, mined.counted());
        let warning =
            format!("source '{id}' is too small to mine: it needs {needed} different documents and has {has}; {rest}");
        observer.warn(WarningKind::TooSmall, &warning);
    }
}

/// The memory in bytes to test patterns on this number of a source's documents.
fn need_to_try_out(own: &PatternFile, shared: Option<&PatternFile>, documents: usize) -> u64 {
    let patterns = own.all().chain(shared.into_iter().flat_map(PatternFile::all)).map(Pattern::tokens);
    let matches: usize = own.all().map(|pattern| pattern.occurrences).sum();
    let part = |all: usize| (all as u128 * documents as u128 / own.mined.documents.max(1) as u128) as u64;
    memory::need_to_try_out(patterns, part(matches), part(own.mined.tokens))
}

/// Fresh pattern files: one for each source, and the shared one if there were enough sources.
fn pattern_files(sources: &[MinedSource], templates: Templates, lexer: &Lexer) -> Vec<PatternFile> {
    let mined: Vec<&Mined> = sources.iter().map(|source| &source.mined).collect();
    let shared = (sources.len() >= cross_source::MIN_SOURCES)
        .then(|| PatternFile::of_templates(SHARED, cross_source::shared_facts(&mined), templates.shared, lexer));
    let own = sources.iter().zip(templates.own).map(|(MinedSource { id, mined, .. }, templates)| {
        PatternFile::of_templates(id.as_str(), mined.facts(), templates, lexer)
    });
    own.chain(shared).collect()
}
