//! Mines all sources of a corpus and makes pattern files.
//!
//! Each source is mined alone. Then all sources are compared, and the patterns of each are tested ([`Combiner`]).

use std::mem;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;
use unicode_normalization::UnicodeNormalization;

use crate::error::{PipelineError, Result};
use crate::left_out::tell_of_skipped;
use crate::library::Library;
use crate::mine::combine::{Combiner, MinedCorpus, MinedSource, Samples};
use crate::mine::journal::Journal;
use crate::mine::memory;
use crate::mine::options::CorpusMineOptions;
use crate::mine::shelf::{Shelf, ShelvedText};
use crate::observer::{Observer, Steps, WarningKind, tell_of_unknown_keys};
use crate::record::written_files::Prune;
use crate::timed;
use crate::workers::share_out_by_size;
use dehusk_core::cleaning::CleanOptions;
use dehusk_core::mining::content_order::content_order;
use dehusk_core::mining::{MineOptions, Mined, mine_sequence};
use dehusk_core::pages::PageText;
use dehusk_core::selection::sampling;
use dehusk_core::tokens::{Lexer, SymbolSequence};
use dehusk_corpus::memory::{Budget, Need};
use dehusk_corpus::{DocumentRef, HtmlView, Inventory, OutputRoot, Skipped, SourceId, SourceListing, Sources};

/// Mines all sources of an inventory and writes a pattern file for each. Decisions in existing pattern files are kept.
///
/// # Errors
/// If there is no document, an existing pattern file cannot be read, a source needs more memory than is available, or
/// nothing can be written.
pub fn mine_corpus(
    inventory: &Inventory,
    output: &OutputRoot,
    lexer: &Lexer,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> Result<MinedCorpus> {
    output.also_reads(&inventory.reads())?;
    // The decisions are read before anything is written: if they cannot be read, they must not be overwritten.
    let reviewed = Library::load_if_any(output.path())?;
    let Sources { listings, skipped, .. } = all_sources(inventory, observer)?;
    let is_all_listed = inventory.is_all_listed() && !skipped.iter().any(|skipped| skipped.reason.is_of_reading());
    refuse_names_alike(listings.iter().map(|source| &source.id), observer)?;
    // The journal does not know which documents count only once by other means than their texts.
    let journal = match options.alike {
        None => Journal::open(output, lexer, options, observer)?,
        Some(_) => None,
    };
    let (sources, samples) =
        Miner { inventory, options, lexer, journal: journal.as_ref(), observer }.mine(&listings)?;
    let (html, prune) = (inventory.options().html, Prune::new(options.prune, is_all_listed));
    let mined = Combiner { samples: &samples, html, lexer, options, cleaning: CleanOptions::default(), observer }
        .write(sources, &reviewed, output, prune)?;
    if let Some(journal) = journal.filter(|_| !options.keeps_journal) {
        journal.remove();
    }
    Ok(mined)
}

/// The pattern files that [`mine_corpus`] makes for these sources if they were not mined before. Nothing is written.
/// `cleaning` says how the documents are cleaned on which patterns are tested.
///
/// # Errors
/// If a source needs more memory than is available.
pub fn mine_library(
    inventory: &Inventory,
    listings: &[SourceListing],
    lexer: &Lexer,
    options: &CorpusMineOptions,
    cleaning: CleanOptions,
    observer: &dyn Observer,
) -> Result<Library> {
    let (mut sources, samples) = Miner { inventory, options, lexer, journal: None, observer }.mine(listings)?;
    let html = inventory.options().html;
    let combiner = Combiner { samples: &samples, html, lexer, options, cleaning, observer };
    combiner.library(&mut sources, &Library::default())
}

/// The documents to mine, by source. There is at least one source.
///
/// # Errors
/// If the corpus cannot be listed, or has no document.
pub fn list(inventory: &Inventory, observer: &dyn Observer) -> Result<Vec<SourceListing>> {
    Ok(all_sources(inventory, observer)?.listings)
}

fn all_sources(inventory: &Inventory, observer: &dyn Observer) -> Result<Sources> {
    let alike = |skipped: &Skipped| observer.skip_alike(&skipped.place(), &skipped.reason.to_string());
    // Pages that must be stored are stored whole, because the decisions that blocks are made of look at their structure.
    let sources = timed("list", observer, || inventory.with_pages().sources_and_tell(&alike))?;
    sources.skipped.iter().for_each(|skipped| tell_of_skipped(skipped, observer));
    tell_of_unknown_keys(inventory, observer);
    if sources.listings.is_empty() {
        return Err(match sources.skipped.len() + sources.more_skipped {
            0 => PipelineError::NoDocument,
            skipped => PipelineError::AllSkipped(skipped),
        });
    }
    Ok(sources)
}

/// Warns of sources whose names differ only in upper and lower case, or in how accents are written: mostly they are one
/// source. It is an error if the file system takes both names for the same, because one pattern file would overwrite
/// the other.
///
/// # Errors
/// If there are such names on such a file system.
pub fn refuse_names_alike<'s>(sources: impl Iterator<Item = &'s SourceId>, observer: &dyn Observer) -> Result<()> {
    for (one, two) in names_alike(sources) {
        if cfg!(any(windows, target_os = "macos")) {
            return Err(PipelineError::NamesAlike(one.clone(), two.clone()));
        }
        let message = format!(
            "the sources '{one}' and '{two}' differ only in upper and lower case, or in how accents are written; are \
             they one source?"
        );
        observer.warn(WarningKind::Alike, &message);
    }
    Ok(())
}

/// Pairs of sources whose names are the same except for upper and lower case, and for how accents are encoded.
fn names_alike<'s>(sources: impl Iterator<Item = &'s SourceId>) -> Vec<(&'s SourceId, &'s SourceId)> {
    let mut names: Vec<(String, &SourceId)> =
        sources.map(|source| (source.as_str().to_lowercase().nfc().collect(), source)).collect();
    names.sort_unstable();
    names.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1)).collect()
}

/// Mines each source alone.
pub struct Miner<'a> {
    /// The documents.
    pub inventory: &'a Inventory,
    /// How sources are mined.
    pub options: &'a CorpusMineOptions,
    /// How texts are read.
    pub lexer: &'a Lexer,
    /// What was mined before, to which what is mined is added. `None` if it is not kept.
    pub journal: Option<&'a Journal>,
    /// The observer of the run.
    pub observer: &'a dyn Observer,
}

/// How far the texts of a source are worked on.
enum Work {
    /// The journal has what was mined.
    Done(Box<Mined>),
    /// They are tokenized.
    Tokenized(SymbolSequence),
}

impl<'a> Miner<'a> {
    /// Mines the sources, as many at a time as threads and memory allow. Returns them in the order of the listings.
    ///
    /// # Errors
    /// If a source needs more memory than is available, or has too many tokens.
    pub fn mine(&self, listings: &[SourceListing]) -> Result<(Vec<MinedSource>, DocumentSamples<'a>)> {
        let mined = timed("mine", self.observer, || self.mine_all(listings))?;
        let (sources, samples) = mined.into_iter().unzip();
        Ok((sources, DocumentSamples { inventory: self.reading(), observer: self.observer, samples }))
    }

    /// The documents, to be read within the part of the memory that is for reading. Whoever reads them holds a share of
    /// the other memory.
    fn reading(&self) -> Inventory {
        let memory = Budget::new(memory::for_reading(self.options.memory));
        self.inventory.with_memory(memory, Need::TO_READ_TEXT)
    }

    fn mine_all(&self, listings: &[SourceListing]) -> Result<Vec<(MinedSource, Vec<SampleDocument>)>> {
        let needs: Vec<u64> = listings.iter().map(|listing| self.need(&listing.documents)).collect();
        let budget = Budget::new(self.options.memory);
        let reading = self.reading();
        self.refuse_what_needs_more(listings, &needs, budget.limit())?;
        let documents: usize = listings.iter().map(|listing| listing.documents.len()).sum::<usize>();
        self.observer.start("mining", Steps::Things(documents as u64));
        let (shelf, room) = (Shelf::new(self.options.memory), MinedSource::room());
        let mined = share_out_by_size(self.options.threads, &needs, |index| -> Result<_> {
            let (mined, sample) = self.mine_one(&listings[index], needs[index], &reading, &budget, &shelf)?;
            Ok((MinedSource::new(listings[index].id.clone(), mined, &room), sample))
        });
        self.observer.finish();
        if let Some(journal) = self.journal {
            journal.tell_of_taken(listings.len(), self.observer);
        }
        mined
    }

    /// Mines a source. Also returns the documents on which its patterns will be tested.
    fn mine_one(
        &self,
        listing: &SourceListing,
        mut need: u64,
        reading: &Inventory,
        budget: &Budget,
        shelf: &Shelf,
    ) -> Result<(Mined, Vec<SampleDocument>)> {
        let limit = budget.limit();
        let mut places = if need > limit { self.sample(listing, need, limit) } else { listing.documents.clone() };

        // The numbers of bytes and tokens are known only when the texts are read. If they need more memory, all memory
        // is given back, and the texts are read again with more: a thread that holds memory must not wait for more of
        // it.
        let (places, texts, work, share) = loop {
            let share = budget.take(need);
            let Some((read, texts)) = self.texts(reading, &places, need.min(limit))? else {
                if need < limit {
                    need = need.saturating_mul(4);
                } else if self.options.sample && places.len() > 1 {
                    places = sampling::evenly_spread(&places, places.len() / 2).copied().collect();
                    self.tell_of_sample(listing, places.len());
                } else {
                    return Err(PipelineError::NotEnoughMemory { needs: vec![(listing.id.clone(), need)], limit });
                }
                continue;
            };
            if let Some(mined) = self.journal.and_then(|journal| journal.mined(&listing.id, &texts, self.lexer)) {
                break (read, texts, Work::Done(Box::new(mined)), share);
            }
            let sequence = lexed(&listing.id, &texts, self.lexer)?;
            let need_of_tokens = need_of(&texts, &sequence);
            if need_of_tokens <= need.min(limit) {
                break (read, texts, Work::Tokenized(sequence), share);
            }
            need = need_of_tokens;
            if need > limit && !self.options.sample {
                return Err(PipelineError::NotEnoughMemory { needs: vec![(listing.id.clone(), need)], limit });
            }
            if need <= limit {
                places = read;
            } else if places.len() > 1 {
                let most = (texts.len() as u128 * u128::from(limit) / u128::from(need)) as usize;
                places = sampling::evenly_spread(&read, most.max(1)).copied().collect();
                self.tell_of_sample(listing, places.len());
            } else {
                break (read, texts, Work::Tokenized(sequence), share);
            }
        };

        let steps = listing.documents.len() as u64;
        let mined = match work {
            Work::Done(mined) => {
                self.observer.step_done_before(steps);
                *mined
            }
            Work::Tokenized(sequence) => {
                let alike = self.options.alike.map(|alike| alike(reading, &places, self.observer));
                let alike = alike.transpose()?;
                let mined = mine_sequence(&texts, sequence, self.lexer, &self.options.mining, alike.as_deref());
                if let Some(journal) = self.journal {
                    journal.add(&listing.id, &texts, &mined, self.observer);
                }
                self.observer.step(steps);
                mined
            }
        };
        drop(share);

        let documents: Vec<(DocumentRef, String)> = places.into_iter().zip(texts).collect();
        let sample = sampling::sample_of(&documents, |(_, text)| text.len()).map(|(place, text)| {
            // Only texts of HTML are kept: reading a text file again is as fast.
            let text = if self.inventory.is_html(place) { shelf.put(text) } else { None };
            SampleDocument { place: *place, text }
        });
        Ok((mined, sample.collect()))
    }

    /// The texts of documents, each with its place. Their order does not depend on the order of `places`. `None` if the
    /// texts are too large for this memory. Documents that cannot be read are named.
    fn texts(
        &self,
        reading: &Inventory,
        places: &[DocumentRef],
        memory: u64,
    ) -> Result<Option<(Vec<DocumentRef>, Vec<String>)>> {
        let left = AtomicU64::new(memory / memory::LEAST_PER_BYTE_OF_SOURCE);
        let has_room =
            |text: &String| left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(text.len() as u64)).is_ok();
        let read = |place: &DocumentRef| -> Result<Option<std::result::Result<String, Skipped>>> {
            self.observer.go_on()?;
            Ok(match reading.read(place) {
                Ok(document) => has_room(&document.text).then_some(Ok(document.text)),
                Err(skipped) => Some(Err(skipped)),
            })
        };

        let texts: Result<Option<Vec<std::result::Result<String, Skipped>>>> = places.par_iter().map(read).collect();

        let Some(texts) = texts? else { return Ok(None) };
        // Documents are named only now that all texts fit. If the texts had to be read again, they would be named
        // twice.
        texts.iter().filter_map(|text| text.as_ref().err()).for_each(|skipped| tell_of_skipped(skipped, self.observer));
        let read = places.iter().zip(texts).filter_map(|(&place, text)| Some((place, text.ok()?)));
        let (places, texts): (Vec<DocumentRef>, Vec<String>) = read.unzip();
        // The order of the documents in the input must not influence the result.
        let order = content_order(&texts);
        Ok(Some(picked(&order, &places, texts)))
    }

    /// The maximum memory in bytes to mine these documents of a source.
    fn need(&self, documents: &[DocumentRef]) -> u64 {
        documents.par_iter().map(|place| self.need_of(place)).sum()
    }

    fn need_of(&self, place: &DocumentRef) -> u64 {
        let is_stripped = self.inventory.is_html(place) && self.inventory.options().html == HtmlView::Text;
        let factor = if is_stripped { memory::BYTES_PER_BYTE_OF_HTML } else { memory::BYTES_PER_BYTE };
        memory::with_reading(factor * self.inventory.bytes(place))
    }

    fn refuse_what_needs_more(&self, listings: &[SourceListing], needs: &[u64], limit: u64) -> Result<()> {
        if self.options.sample {
            return Ok(());
        }
        let needs = listings.iter().map(|listing| listing.id.clone()).zip(needs.iter().copied());
        let needs: Vec<(SourceId, u64)> = needs.filter(|(_, need)| *need > limit).collect();
        if needs.is_empty() { Ok(()) } else { Err(PipelineError::NotEnoughMemory { needs, limit }) }
    }

    /// As many documents of a source as fit into the memory, evenly spread.
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
            &format!("source '{source}' needs more memory than is available: {count} of its {of} documents are mined"),
        );
    }
}

/// A document on which patterns will be tested.
struct SampleDocument {
    place: DocumentRef,
    text: Option<ShelvedText>,
}

impl SampleDocument {
    fn text(&self, inventory: &Inventory) -> Option<String> {
        // If a document cannot be read, that was already said when it was mined.
        self.text.as_ref().and_then(ShelvedText::get).or_else(|| Some(inventory.read(&self.place).ok()?.text))
    }
}

/// The samples of sources, read from the corpus.
pub struct DocumentSamples<'a> {
    inventory: Inventory,
    observer: &'a dyn Observer,
    /// The documents of each source.
    samples: Vec<Vec<SampleDocument>>,
}

impl Samples for DocumentSamples<'_> {
    fn len(&self, source: usize) -> usize {
        self.samples[source].len()
    }

    fn texts(&self, source: usize, count: usize) -> Result<Vec<String>> {
        let read = |document: &SampleDocument| {
            self.observer.go_on()?;
            Ok(document.text(&self.inventory))
        };
        sampling::evenly_spread(&self.samples[source], count)
            .filter_map(|document| read(document).transpose())
            .collect()
    }

    fn page(&self, source: usize, count: usize, index: usize) -> Option<PageText<'static>> {
        let SampleDocument { place, .. } = sampling::evenly_spread(&self.samples[source], count).nth(index)?;
        let document = self.inventory.read_with_tree(place).ok()?;
        Some(PageText { tree: Some(document.tree?), text: document.text.into() })
    }
}

/// Mines texts of a source. Waits until there is memory. The result does not depend on the order of the texts.
///
/// # Errors
/// If the texts need more memory than is available, or have more tokens than can be mined.
pub fn mine_within(
    budget: &Budget,
    source: &SourceId,
    texts: &[String],
    lexer: &Lexer,
    options: &MineOptions,
) -> Result<Mined> {
    let texts: Vec<&str> = content_order(texts).into_iter().map(|index| texts[index].as_str()).collect();
    let sequence = lexed(source, &texts, lexer)?;
    let need = need_of(&texts, &sequence);
    if need > budget.limit() {
        return Err(PipelineError::NotEnoughMemory { needs: vec![(source.clone(), need)], limit: budget.limit() });
    }
    let _share = budget.take(need);
    Ok(mine_sequence(&texts, sequence, lexer, options, None))
}

fn lexed<T: AsRef<str> + Sync>(source_id: &SourceId, texts: &[T], lexer: &Lexer) -> Result<SymbolSequence> {
    let sequence = SymbolSequence::of_texts(texts, lexer);
    sequence.map_err(|source| PipelineError::TooManyTokens { source_id: source_id.clone(), source })
}

/// The maximum memory in bytes to mine these texts.
fn need_of<T: AsRef<str>>(texts: &[T], sequence: &SymbolSequence) -> u64 {
    let bytes: u64 = texts.iter().map(|text| text.as_ref().len() as u64).sum();
    memory::with_reading(bytes + memory::need_of_tokens(sequence.tokens(), sequence.vocabulary().len()))
}

/// The documents with these indices. No index occurs twice.
fn picked<'i>(
    indices: impl IntoIterator<Item = &'i usize>,
    places: &[DocumentRef],
    mut texts: Vec<String>,
) -> (Vec<DocumentRef>, Vec<String>) {
    indices.into_iter().map(|&index| (places[index], mem::take(&mut texts[index]))).unzip()
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
