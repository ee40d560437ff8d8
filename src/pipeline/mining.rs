//! Mines all sources of a corpus: pattern files out.
//!
//! Each source is mined alone. Then all are compared, which needs all sources at once, but no document. Then the patterns of
//! each source are tried out on a sample of its documents, and the files are written.

use std::mem;

use rayon::prelude::*;
use unicode_normalization::UnicodeNormalization;

use super::error::{PipelineError, Result};
use super::library::Library;
use super::memory::{self, Budget};
use super::observer::{Observer, Steps, WarningKind};
use super::reading::read_documents;
use super::workers::share_out_and_collect;
use super::writing::write;
use super::{suited, timed};
use crate::cleaning::CleanOptions;
use crate::cleaning::shape::ShapeModel;
use crate::corpus::{DocumentRef, HtmlView, Inventory, OutputRoot, SourceId, SourceListing};
use crate::ends::Ends;
use crate::mining::content_order::content_order;
use crate::mining::cross_source::{self, Templates};
use crate::mining::{MineOptions, Mined, mine_sequence};
use crate::patterns::merge::merge;
use crate::patterns::{PatternFile, SHARED, Trust};
use crate::places::Places;
use crate::sampling::{self, Sampled};
use crate::thinning::thinned;
use crate::tokens::{Lexer, SymbolSequence};
use crate::trust::Tally;
use crate::values::Values;

/// How a corpus is mined.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CorpusMineOptions {
    /// How each source is mined.
    pub source: MineOptions,
    /// Whether a source that needs more memory than there is is mined in part, and not refused.
    pub sample: bool,
    /// Whether patterns are kept that remove nothing beside others.
    pub all_patterns: bool,
    /// Memory for documents, in bytes.
    pub memory: u64,
    /// Sources that are mined at the same time, at most.
    pub threads: usize,
}

impl Default for CorpusMineOptions {
    /// Three quarters of the free memory, and all cores.
    fn default() -> CorpusMineOptions {
        CorpusMineOptions {
            source: MineOptions::default(),
            sample: false,
            all_patterns: false,
            memory: memory::most_of_what_is_free(),
            threads: std::thread::available_parallelism().map_or(1, |cores| cores.get()),
        }
    }
}

/// What mining a corpus gives.
#[derive(Debug)]
pub struct MinedCorpus {
    /// The pattern file of each source, in the order of the sources; then the shared one, if there were enough sources.
    pub files: Vec<PatternFile>,
    /// What was found in each source.
    pub sources: Vec<MinedSource>,
}

/// What is known of a source once all are compared.
#[derive(Debug)]
pub struct MinedSource {
    /// What mining it alone gave.
    pub mined: Mined,
    /// How many of its candidates turned out to be language.
    pub language: usize,
    /// The documents in which its patterns are tried out.
    looked_at: Vec<DocumentRef>,
}

/// Mines all sources of an inventory and writes a pattern file for each. Decisions in the files that are there already
/// are kept.
///
/// # Errors
/// If there is no document, a pattern file that is there cannot be read, a source needs more memory than there is, or
/// nothing can be written.
pub fn mine_corpus(
    inventory: &Inventory,
    output: &OutputRoot,
    lexer: &Lexer,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> Result<MinedCorpus> {
    // What people decided is read first: if it cannot be, nothing of it must be written over.
    let reviewed = Library::load_if_any(output.path())?;
    let listings = list(inventory, observer)?;
    refuse_names_alike(listings.iter().map(|source| &source.id), observer)?;
    let miner = Miner { inventory, options, lexer, observer };
    let (sources, fresh) = miner.mine_files(&listings)?;
    let files = miner.try_out(&sources, with_decisions(fresh, &reviewed))?;
    write(&files, &reviewed, output, observer)?;
    let own_files = files.iter().filter(|file| file.source != SHARED);
    own_files.for_each(|file| tell_of_doubt(&file.source, file.trust.as_ref(), observer));
    Ok(MinedCorpus { files, sources })
}

/// Fresh files, each with what people decided in the one before.
pub fn with_decisions(fresh: Vec<PatternFile>, reviewed: &Library) -> Vec<PatternFile> {
    let merged = fresh.into_iter().map(|fresh| match reviewed.get(&fresh.source) {
        Some(old) => merge(fresh, old.clone()),
        None => fresh,
    });
    merged.collect()
}

/// Which documents there are to mine; there is one at least.
///
/// # Errors
/// If the corpus cannot be listed, or has no document.
pub fn list(inventory: &Inventory, observer: &dyn Observer) -> Result<Vec<SourceListing>> {
    let sources = timed("list", observer, || inventory.sources())?;
    sources.skipped.iter().for_each(|skipped| observer.skip(&skipped.to_string()));
    if sources.listings.is_empty() {
        return Err(PipelineError::NoDocument);
    }
    Ok(sources.listings)
}

/// Two sources whose names differ in upper and lower case only, or in how accents are written, are one more often than not.
/// Where the file system takes both for the same name, one pattern file would be written over the other.
///
/// # Errors
/// On such a file system.
pub fn refuse_names_alike<'s>(sources: impl Iterator<Item = &'s SourceId>, observer: &dyn Observer) -> Result<()> {
    for (one, two) in names_alike(sources) {
        if cfg!(any(windows, target_os = "macos")) {
            return Err(PipelineError::NamesAlike(one.clone(), two.clone()));
        }
        let message = format!(
            "the sources '{one}' and '{two}' differ in upper and lower case only, or in how accents are written; is it one source?"
        );
        observer.warn(WarningKind::Alike, &message);
    }
    Ok(())
}

/// The sources whose names are the same but for upper and lower case, and for accents that are characters of their own, in
/// pairs.
fn names_alike<'s>(sources: impl Iterator<Item = &'s SourceId>) -> Vec<(&'s SourceId, &'s SourceId)> {
    let mut names: Vec<(String, &SourceId)> =
        sources.map(|source| (source.as_str().to_lowercase().nfc().collect(), source)).collect();
    names.sort_unstable();
    names.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1)).collect()
}

/// Says that less than usual is removed from a source, and why.
pub fn tell_of_doubt(source: &str, trust: Option<&Trust>, observer: &dyn Observer) {
    if let Some(doubt) = trust.and_then(Trust::doubt) {
        observer.warn(WarningKind::Doubt, &format!("source '{source}': {doubt}"));
    }
}

fn warn_of_small_sources(listings: &[SourceListing], mined: &[Mined], observer: &dyn Observer) {
    for (listing, mined) in listings.iter().zip(mined).filter(|(_, mined)| mined.is_too_small()) {
        observer.warn(WarningKind::Rare, &format!(
            "source '{}' is too small to mine: it needs {} different documents and has {}; only shared patterns will apply",
            listing.id,
            Mined::MIN_DOCUMENTS,
            mined.counted(),
        ));
    }
}

/// Mines sources, each alone.
pub struct Miner<'a> {
    /// Their documents.
    pub inventory: &'a Inventory,
    /// How.
    pub options: &'a CorpusMineOptions,
    /// How texts are read.
    pub lexer: &'a Lexer,
    /// Who is told.
    pub observer: &'a dyn Observer,
}

impl Miner<'_> {
    /// Mines sources and compares them; gives a fresh pattern file for each, and then the shared one, if any.
    pub fn mine_files(&self, listings: &[SourceListing]) -> Result<(Vec<MinedSource>, Vec<PatternFile>)> {
        let (mined, looked_at): (Vec<Mined>, Vec<Vec<DocumentRef>>) =
            timed("mine", self.observer, || self.mine_all(listings))?.into_iter().unzip();
        let mut templates = timed("compare sources", self.observer, || cross_source::cross_source(&mined));
        let language = mem::take(&mut templates.language);
        warn_of_small_sources(listings, &mined, self.observer);
        let files = pattern_files(listings, &mined, templates, self.lexer);
        let sources = mined.into_iter().zip(language).zip(looked_at);
        let sources = sources.map(|((mined, language), looked_at)| MinedSource { mined, language, looked_at });
        Ok((sources.collect(), files))
    }

    /// Looks at what the patterns do to the documents: notes in the sources' own files, which come before the shared one,
    /// where articles end, and leaves out the patterns that are not needed, or none.
    pub fn try_out(&self, sources: &[MinedSource], files: Vec<PatternFile>) -> Result<Vec<PatternFile>> {
        timed("try out", self.observer, || self.tried_out(sources, files))
    }

    fn tried_out(&self, sources: &[MinedSource], mut files: Vec<PatternFile>) -> Result<Vec<PatternFile>> {
        let mut shared = files.split_off(sources.len());
        let budget = Budget::new(self.options.memory);
        self.test(sources, &mut files, &mut shared, &budget)?;
        // Elements that are open when an article ends are closed after it.
        let html = self.inventory.options().html;
        let has_ends = html == HtmlView::Text;
        let cleaning = suited(CleanOptions::default(), html);
        self.observer.start("trying out", Steps::Things(sources.len() as u64));
        let tried = share_out_and_collect(self.options.threads, sources.len(), |index| -> Result<_> {
            let (documents, need) = self.fitting(&sources[index], &files[index], shared.first(), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.texts(documents)?;
            self.observer.step(1);
            let sampled = Sampled::new(&files[index], shared.first(), &texts);
            let ends = if has_ends { Ends::of(&sampled) } else { Ends::none(&sampled) };
            let mut file = if self.options.all_patterns { files[index].clone() } else { thinned(&sampled, &ends) };
            drop(sampled);
            ends.mark(&mut file);
            file.mined.removed = sampling::removed_share(&file, shared.first(), &texts, &cleaning);
            Ok(file)
        });
        self.observer.finish();
        Ok(tried?.into_iter().chain(shared).collect())
    }

    /// Finds out how far what was mined can be relied on, and which patterns have a place; notes both in the files. A source
    /// that is too small to be mined shows nothing of that.
    fn test(
        &self,
        sources: &[MinedSource],
        own: &mut [PatternFile],
        shared: &mut [PatternFile],
        budget: &Budget,
    ) -> Result<()> {
        self.observer.start("testing", Steps::Things(sources.len() as u64));
        let shape = ShapeModel::shipped();
        let tested = share_out_and_collect(self.options.threads, sources.len(), |index| -> Result<_> {
            let (documents, need) = self.fitting(&sources[index], &own[index], shared.first(), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.texts(documents)?;
            self.observer.step(1);
            let sampled = Sampled::new(&own[index], shared.first(), &texts);
            let values = Values::of(&sampled);
            let tally = Tally::of(&sampled, &values, &shape);
            Ok((Places::of(&sampled), values, tally))
        });
        self.observer.finish();
        let tested = tested?;
        for (file, (places, values, tally)) in own.iter_mut().zip(&tested) {
            places.mark(file);
            values.mark(file);
            file.trust = (file.mined.counted() >= Mined::MIN_DOCUMENTS).then(|| tally.trust());
        }
        for file in shared {
            Places::mark_shared(tested.iter().map(|(places, ..)| places), file);
            file.trust = Trust::mean(own.iter().filter_map(|own| Some((own.trust.as_ref()?, own.mined.documents))));
        }
        Ok(())
    }

    /// The documents of a source that its patterns are tried out on, and what that takes, in bytes: of a sample as many as
    /// there is memory for.
    fn fitting<'s>(
        &self,
        source: &'s MinedSource,
        own: &PatternFile,
        shared: Option<&PatternFile>,
        limit: u64,
    ) -> Result<(impl Iterator<Item = &'s DocumentRef>, u64)> {
        let need = |documents: usize| need_to_try_out(own, shared, documents);
        let most = source.looked_at.len();
        let least = if self.options.sample { most.min(1) } else { most };
        let Some(count) = (least..=most).rev().find(|&documents| need(documents) <= limit) else {
            return Err(PipelineError::NotEnoughMemory {
                needs: vec![(SourceId::parse(&own.source)?, need(least))],
                limit,
            });
        };
        Ok((sampling::evenly_spread(&source.looked_at, count), need(count)))
    }

    /// The texts of documents that could be mined.
    fn texts<'d>(&self, documents: impl Iterator<Item = &'d DocumentRef>) -> Result<Vec<String>> {
        let read = |place| {
            self.observer.go_on().map_err(PipelineError::Stopped)?;
            // What cannot be read was said when it was to be mined.
            Ok(self.inventory.read(place).ok().map(|document| document.text))
        };
        documents.filter_map(|place| read(place).transpose()).collect()
    }

    /// Mines the sources, as many at a time as there are threads and memory for; in the order of the listings.
    fn mine_all(&self, listings: &[SourceListing]) -> Result<Vec<(Mined, Vec<DocumentRef>)>> {
        let needs: Vec<u64> = listings.iter().map(|listing| self.need(&listing.documents)).collect();
        let budget = Budget::new(self.options.memory);
        self.refuse_what_needs_more(listings, &needs, budget.limit())?;
        let documents: usize = listings.iter().map(|listing| listing.documents.len()).sum::<usize>();
        self.observer.start("mining", Steps::Things(documents as u64));
        let mined = share_out_and_collect(self.options.threads, listings.len(), |index| {
            self.mine(&listings[index], needs[index], &budget)
        });
        self.observer.finish();
        mined
    }

    /// Mines a source; gives the documents to look at as well.
    fn mine(&self, listing: &SourceListing, need: u64, budget: &Budget) -> Result<(Mined, Vec<DocumentRef>)> {
        let limit = budget.limit();
        let mut share = budget.take(need);
        let places = if need > limit { self.sample(listing, need, limit) } else { listing.documents.clone() };
        let documents = read_documents(self.inventory, &places, self.observer)?;
        let read = places.into_iter().zip(documents).filter_map(|(place, document)| Some((place, document?.text)));
        let (places, texts): (Vec<DocumentRef>, Vec<String>) = read.unzip();
        // In no order that people gave them.
        let order = content_order(&texts);
        let (mut places, mut texts) = picked(&order, &places, texts);
        // Only now it shows of how many tokens the text is.
        let mut sequence = self.lexed(listing, &texts)?;
        let mut need_of_tokens = need_of(&texts, &sequence);
        if need_of_tokens > limit && !self.options.sample {
            return Err(PipelineError::NotEnoughMemory { needs: vec![(listing.id.clone(), need_of_tokens)], limit });
        }
        while need_of_tokens > limit && texts.len() > 1 {
            let most = (texts.len() as u128 * u128::from(limit) / u128::from(need_of_tokens)) as usize;
            let all: Vec<usize> = (0..texts.len()).collect();
            (places, texts) = picked(sampling::evenly_spread(&all, most.max(1)), &places, texts);
            self.tell_of_sample(listing, texts.len());
            sequence = self.lexed(listing, &texts)?;
            need_of_tokens = need_of(&texts, &sequence);
        }
        if need_of_tokens > need {
            drop(share);
            share = budget.take(need_of_tokens);
        }
        let mined = mine_sequence(&texts, sequence, self.lexer, &self.options.source);
        drop(share);
        self.observer.step(listing.documents.len() as u64);
        Ok((mined, sampling::looked_at(&places).copied().collect()))
    }

    fn lexed(&self, listing: &SourceListing, texts: &[String]) -> Result<SymbolSequence> {
        let sequence = SymbolSequence::of_texts(texts, self.lexer);
        sequence.map_err(|source| PipelineError::TooManyTokens { source_id: listing.id.clone(), source })
    }

    /// How much memory these documents of a source need at most while they are mined, in bytes.
    fn need(&self, documents: &[DocumentRef]) -> u64 {
        documents.par_iter().map(|place| self.need_of(place)).sum()
    }

    fn need_of(&self, place: &DocumentRef) -> u64 {
        let is_stripped = self.inventory.is_html(place) && self.inventory.options().html == HtmlView::Text;
        let factor = if is_stripped { memory::BYTES_PER_BYTE_OF_HTML } else { memory::BYTES_PER_BYTE };
        factor * self.inventory.bytes(place)
    }

    fn refuse_what_needs_more(&self, listings: &[SourceListing], needs: &[u64], limit: u64) -> Result<()> {
        if self.options.sample {
            return Ok(());
        }
        let needs = listings.iter().map(|listing| listing.id.clone()).zip(needs.iter().copied());
        let needs: Vec<(SourceId, u64)> = needs.filter(|(_, need)| *need > limit).collect();
        if needs.is_empty() { Ok(()) } else { Err(PipelineError::NotEnoughMemory { needs, limit }) }
    }

    /// As many documents of a source as there is memory for, evenly spread.
    fn sample(&self, listing: &SourceListing, need: u64, limit: u64) -> Vec<DocumentRef> {
        let all = &listing.documents;
        let needs: Vec<u64> = all.par_iter().map(|place| self.need_of(place)).collect();
        let mut count = (all.len() as u128 * u128::from(limit) / u128::from(need.max(1))) as usize;
        loop {
            let sample = (0..count).map(|index| index * all.len() / count);
            if sample.clone().map(|index| needs[index]).sum::<u64>() <= limit {
                self.tell_of_sample(listing, count);
                return sample.map(|index| all[index]).collect();
            }
            count -= 1 + count / 100;
        }
    }

    fn tell_of_sample(&self, listing: &SourceListing, count: usize) {
        let (source, of) = (&listing.id, listing.documents.len());
        self.observer.warn(
            WarningKind::Rare,
            &format!("source '{source}' needs more memory than there is: {count} of its {of} documents are mined"),
        );
    }
}

/// Mines texts of a source, as soon as there is memory for that. The order of the texts does not show.
///
/// # Errors
/// If they need more memory than there is, or have more tokens than can be mined.
pub fn mine_within(
    budget: &Budget,
    source: &SourceId,
    texts: &[String],
    lexer: &Lexer,
    options: &MineOptions,
) -> Result<Mined> {
    let texts: Vec<&str> = content_order(texts).into_iter().map(|index| texts[index].as_str()).collect();
    let sequence = SymbolSequence::of_texts(&texts, lexer);
    let sequence =
        sequence.map_err(|error| PipelineError::TooManyTokens { source_id: source.clone(), source: error })?;
    let need = need_of(&texts, &sequence);
    if need > budget.limit() {
        return Err(PipelineError::NotEnoughMemory { needs: vec![(source.clone(), need)], limit: budget.limit() });
    }
    let _share = budget.take(need);
    Ok(mine_sequence(&texts, sequence, lexer, options))
}

/// What these texts need at most while they are mined, in bytes.
fn need_of<T: AsRef<str>>(texts: &[T], sequence: &SymbolSequence) -> u64 {
    let bytes: u64 = texts.iter().map(|text| text.as_ref().len() as u64).sum();
    bytes + memory::need_of_tokens(sequence.tokens(), sequence.vocabulary().len())
}

/// What trying patterns out on so many of a source's documents takes, in bytes.
fn need_to_try_out(own: &PatternFile, shared: Option<&PatternFile>, documents: usize) -> u64 {
    let patterns = own.patterns.len() + shared.map_or(0, |shared| shared.patterns.len());
    let matches: usize = own.patterns.iter().map(|pattern| pattern.occurrences).sum();
    let part = |all: usize| (all as u128 * documents as u128 / own.mined.documents.max(1) as u128) as u64;
    memory::need_to_try_out(patterns, part(matches), part(own.mined.tokens))
}

/// The documents with these indices, each of which comes once.
fn picked<'i>(
    indices: impl IntoIterator<Item = &'i usize>,
    places: &[DocumentRef],
    mut texts: Vec<String>,
) -> (Vec<DocumentRef>, Vec<String>) {
    indices.into_iter().map(|&index| (places[index], mem::take(&mut texts[index]))).unzip()
}

/// The fresh pattern files: one a source, and the shared one if there were enough sources to tell what is shared.
fn pattern_files(listings: &[SourceListing], mined: &[Mined], templates: Templates, lexer: &Lexer) -> Vec<PatternFile> {
    let shared = (listings.len() >= cross_source::MIN_SOURCES)
        .then(|| PatternFile::of_templates(SHARED, cross_source::shared_facts(mined), templates.shared, lexer));
    let own = listings.iter().zip(mined).zip(templates.own).map(|((listing, mined), templates)| {
        PatternFile::of_templates(listing.id.as_str(), mined.facts(), templates, lexer)
    });
    own.chain(shared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_or_accents_only_are_alike() {
        let sources =
            |names: &[&str]| -> Vec<SourceId> { names.iter().map(|name| SourceId::parse(name).expect(name)).collect() };
        assert_eq!(names_alike(sources(&["a", "ab", "b"]).iter()), []);
        let alike = sources(&["TIDE", "hale", "Ähre", "tide", "a\u{308}hre"]);
        let found = names_alike(alike.iter()).into_iter().map(|(one, two)| (one.as_str(), two.as_str()));
        assert_eq!(found.collect::<Vec<_>>(), [("TIDE", "tide"), ("a\u{308}hre", "Ähre")]);
    }
}
