//! Makes pattern files: compares sources that were mined alone, and tests the patterns of each source.
//!
//! Takes the mined patterns of each source, and a sample of its documents. Both may come from other processes
//! (`candidates.rs`).

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::{PipelineError, Result};
use crate::library::Library;
use crate::mine::memory;
use crate::mine::options::CorpusMineOptions;
use crate::mine::packed::{packed, unpacked};
use crate::mine::pattern_files::write;
use crate::observer::{Observer, Steps, WarningKind};
use crate::record::written_files::Prune;
use crate::room::Room;
use crate::workers::share_out_by_size;
use crate::{suited, timed};
use dehusk_core::cleaning::CleanOptions;
use dehusk_core::mining::cross_source::{Comparison, MIN_SOURCES};
use dehusk_core::mining::{MineOptions, Mined, mine_texts};
use dehusk_core::pages::PageText;
use dehusk_core::patterns::file::MinedFrom;
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
/// Maximum memory in bytes for what is mined of sources. What does not fit is packed.
const MAX_WHOLE_BYTES: usize = 1 << 27;

/// The result of mining a corpus.
#[derive(Debug)]
pub struct MinedCorpus {
    /// The pattern file of each source. Also the shared file, if there were enough sources.
    pub library: Library,
    /// The mined sources.
    pub sources: Vec<MinedSource>,
}

/// A mined source.
#[derive(Debug)]
pub struct MinedSource {
    /// Its name.
    pub id: SourceId,
    /// The facts about mining, without the histogram.
    pub facts: MinedFrom,
    /// Number of candidates.
    pub candidates: usize,
    /// Number of candidates that are language. 0 before the source is compared with others.
    pub language: usize,
    mined: HeldMined,
}

/// The result of mining a source alone, in memory.
#[derive(Debug)]
enum HeldMined {
    Whole(Box<Mined>),
    /// Packed, and its length in bytes before.
    Packed(Box<[u8]>, u64),
}

impl MinedSource {
    /// A source that was not compared with others yet. It is packed, unless there is room for it, in bytes.
    pub(crate) fn new(id: SourceId, mined: Mined, room: &Room) -> MinedSource {
        let (facts, candidates) =
            (MinedFrom { histogram: Default::default(), ..mined.facts() }, mined.candidates.len());
        let packed = if room.take(mined.bytes()) { None } else { packed(&mined).ok() };
        let mined = match packed {
            Some((packed, length)) => HeldMined::Packed(packed.into(), length),
            None => HeldMined::Whole(Box::new(mined)),
        };
        MinedSource { id, facts, candidates, language: 0, mined }
    }

    /// The room for what is mined of all sources.
    pub(crate) fn room() -> Room {
        Room::new(MAX_WHOLE_BYTES)
    }

    /// The result of mining the source alone.
    pub fn mined(&self) -> Cow<'_, Mined> {
        match &self.mined {
            HeldMined::Whole(mined) => Cow::Borrowed(mined),
            HeldMined::Packed(packed, length) => {
                let mined = unpacked(&mut &**packed, packed.len() as u64, *length).and_then(|mined| Ok(mined?));
                Cow::Owned(mined.unwrap_or_else(|error| panic!("what was packed cannot be unpacked: {error}")))
            }
        }
    }

    /// Whether there were too few documents to mine.
    fn is_too_small(&self) -> bool {
        self.facts.counted() < Mined::MIN_DOCUMENTS
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
        let library = self.library(&mut sources, reviewed)?;
        write(&library, reviewed, output, prune, self.observer)?;
        let own_files = library.files().filter(|file| file.source != SHARED);
        own_files.for_each(|file| tell_of_unusual(&file.source, file.unusual.as_deref(), self.observer));
        Ok(MinedCorpus { library, sources })
    }

    /// The pattern file of each source. Also the shared file, if there are enough sources.
    ///
    /// # Errors
    /// If testing the patterns needs more memory than there is.
    pub fn library(&self, sources: &mut [MinedSource], reviewed: &Library) -> Result<Library> {
        let compared = timed("compare sources", self.observer, || -> Result<Comparison> {
            let mut compared = Comparison::of(|| sources.iter().map(MinedSource::mined));
            self.pool(sources)?.iter().for_each(|pool| compared.add_pool(pool));
            Ok(compared)
        })?;
        sources.iter_mut().zip(&compared.language).for_each(|(source, language)| source.language = *language);
        warn_of_small_sources(sources, &compared, self.observer);
        let sources = &*sources;
        let fresh = Library::of_made(self.options.threads, &sizes(sources), |index| {
            let mined = sources[index].mined();
            let (source, facts, own) = (sources[index].id.as_str(), mined.facts(), compared.own(&mined));
            Ok(with_decisions(PatternFile::of_templates(source, facts, own, self.lexer), reviewed))
        })?;
        let shared = (sources.len() >= MIN_SOURCES).then(|| {
            let file = PatternFile::of_templates(SHARED, compared.facts, compared.shared, self.lexer);
            with_decisions(file, reviewed)
        });
        self.try_out(sources, &fresh, shared)
    }

    /// Mines one document of each small source, as if all of them were one source: in a part of a crawl, no host may have
    /// enough documents. `None` if there are too few such sources.
    fn pool(&self, sources: &[MinedSource]) -> Result<Option<Mined>> {
        let is_small = |&source: &usize| sources[source].is_too_small() && self.samples.len(source) > 0;
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

    /// Tests the patterns of the fresh files on documents. Notes in each source's own file where articles end. Leaves out
    /// the patterns that are not needed, unless all patterns are wanted.
    fn try_out(&self, sources: &[MinedSource], fresh: &Library, shared: Option<PatternFile>) -> Result<Library> {
        timed("choose patterns", self.observer, || self.tried_out(sources, fresh, shared))
    }

    fn tried_out(&self, sources: &[MinedSource], fresh: &Library, shared: Option<PatternFile>) -> Result<Library> {
        let budget = Budget::new(self.options.memory);
        let shared = shared.map(|shared| self.tested(sources, fresh, shared, &budget)).transpose()?.map(Arc::new);
        let options = SelectOptions {
            has_ends: self.html.has_ends(),
            all_patterns: self.options.all_patterns,
            cleaning: suited(self.cleaning.clone(), self.html),
        };
        let selector = Selector::new(shared.clone(), options);

        self.observer.start("choosing patterns", Steps::Things(sources.len() as u64));
        let tried = Library::of_made(self.options.threads, &sizes(sources), |index| {
            let own = fresh_file(fresh, &sources[index]);
            let (count, need) = self.fitting(index, &own, shared.as_deref(), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.samples.texts(index, count)?;
            let page = |text: usize| self.samples.page(index, count, text).filter(|page| page.text == texts[text]);
            let chosen = selector.tried_out(&own, &texts, page);
            self.observer.step(1);
            Ok(chosen)
        });
        self.observer.finish();
        drop(selector);
        let mut library = tried?;
        shared.into_iter().for_each(|shared| library.add(Arc::unwrap_or_clone(shared)));
        Ok(library)
    }

    /// The shared file, with the patterns that can be proposed to people. The others become evidence.
    fn tested(
        &self,
        sources: &[MinedSource],
        fresh: &Library,
        shared: PatternFile,
        budget: &Budget,
    ) -> Result<PatternFile> {
        let shared = Arc::new(shared);
        let options = SelectOptions { has_ends: false, all_patterns: true, cleaning: CleanOptions::default() };
        let selector = Selector::new(Some(Arc::clone(&shared)), options);
        self.observer.start("testing", Steps::Things(sources.len() as u64));
        let tested = share_out_by_size(self.options.threads, &sizes(sources), |index| -> Result<_> {
            let own = fresh_file(fresh, &sources[index]);
            let (count, need) = self.fitting(index, &own, Some(&shared), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.samples.texts(index, count)?;
            let matches = selector.matches(&own, &texts);
            self.observer.step(1);
            Ok(matches)
        });
        self.observer.finish();
        drop(selector);

        let mut matches = SharedMatches::default();
        tested?.iter().for_each(|of_source| matches.add(of_source));
        let mut shared = Arc::unwrap_or_clone(shared);
        matches.mark(&mut shared);
        Ok(shared)
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

/// The sizes of sources, in tokens.
fn sizes(sources: &[MinedSource]) -> Vec<u64> {
    sources.iter().map(|source| source.facts.tokens as u64).collect()
}

/// A fresh pattern file with the decisions of the existing one of its source.
pub fn with_decisions(fresh: PatternFile, reviewed: &Library) -> PatternFile {
    match reviewed.get(&fresh.source) {
        Some(old) => merge(fresh, Arc::unwrap_or_clone(old)),
        None => fresh,
    }
}

/// The file of a mined source, which it always has.
fn fresh_file(fresh: &Library, source: &MinedSource) -> Arc<PatternFile> {
    fresh.get(source.id.as_str()).unwrap_or_else(|| panic!("source '{}' has a file", source.id))
}

/// If the source is unusual, warns that only recurrence decides in it, and why.
pub fn tell_of_unusual(source: &str, unusual: Option<&str>, observer: &dyn Observer) {
    if let Some(unusual) = unusual {
        observer.warn(WarningKind::Unusual, &unlike(&format!("source '{source}'"), unusual));
    }
}

fn warn_of_small_sources(sources: &[MinedSource], compared: &Comparison, observer: &dyn Observer) {
    let rest = match compared.shared.is_empty() {
        true => "there are no shared patterns either; give the documents of several sources one source",
        false => "only shared patterns will apply",
    };
    for MinedSource { id, facts, .. } in sources.iter().filter(|source| source.is_too_small()) {
        let (needed, has) = (Mined::MIN_DOCUMENTS, facts.counted());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mine::mining::mine_within;
    use crate::observer::Silent;
    use dehusk_core::tokens::{MutableSet, Tokenizer};

    const TOWNS: [&str; 4] = ["ash", "elm", "fir", "oak"];

    /// Texts of each town. Each has a line of its own, and all share one.
    struct Texts(Vec<Vec<String>>);

    impl Texts {
        fn new() -> Texts {
            let text = |town: &str, day: usize| {
                let story = (0..20).map(|word| format!("{town}{day}w{word} ")).collect::<String>();
                format!("News from {town} | Harbour | Weather\n{story}\nAll rights reserved worldwide.\n")
            };
            Texts(TOWNS.iter().map(|town| (0..8).map(|day| text(town, day)).collect()).collect())
        }

        fn mined(&self, lexer: &Lexer, room: &Room) -> Vec<MinedSource> {
            let mine = |(town, texts): (&&str, &Vec<String>)| {
                let id = SourceId::parse(town).expect("a source");
                let budget = Budget::new(1 << 30);
                let mined = mine_within(&budget, &id, texts, lexer, &MineOptions::default()).expect("it is mined");
                MinedSource::new(id, mined, room)
            };
            TOWNS.iter().zip(&self.0).map(mine).collect()
        }
    }

    impl Samples for Texts {
        fn len(&self, source: usize) -> usize {
            self.0[source].len()
        }

        fn texts(&self, source: usize, count: usize) -> Result<Vec<String>> {
            Ok(evenly_spread(&self.0[source], count).cloned().collect())
        }

        fn page(&self, _source: usize, _count: usize, _index: usize) -> Option<PageText<'static>> {
            None
        }
    }

    #[test]
    fn what_is_packed_does_not_show() {
        let (texts, lexer) = (Texts::new(), Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped())));
        let options = CorpusMineOptions::default();
        let (html, cleaning) = (HtmlView::Text, CleanOptions::default());
        let combiner =
            Combiner { samples: &texts, html, lexer: &lexer, options: &options, cleaning, observer: &Silent };
        let written = |room: usize| {
            let mut sources = texts.mined(&lexer, &Room::new(room));
            let are_packed = sources.iter().all(|source| matches!(source.mined, HeldMined::Packed(..)));
            assert_eq!(are_packed, room == 0);
            combiner.library(&mut sources, &Library::default()).expect("pattern files").texts()
        };
        let whole = written(usize::MAX);
        assert!(whole.iter().any(|(name, yaml)| name == "_shared.yaml" && yaml.contains("All rights reserved")));
        assert_eq!(written(0), whole);
    }
}
