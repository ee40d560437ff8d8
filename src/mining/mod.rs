//! Symbols to templates: what a source repeats.
//!
//! Pure: no input or output, and it cannot fail. [`mine`] looks at one source alone and gives
//! [`Candidate`]s that own their text; [`cross_source`] needs the candidates of all sources,
//! but no document. The stages, in order:

pub mod suffix_array;
pub mod places;
pub mod repeats;
pub mod near_duplicates;
pub mod filters;
pub mod cutoff;
pub mod cover;
mod alike;
mod anchors;
pub mod content_order;
mod skeleton;
mod slots;
pub mod sightings;
pub mod examples;
pub mod cross_source;

use crate::patterns::file::MinedFrom;
use crate::tokens::{Lexer, SymbolSequence, TokenRun, TooManyTokens};
use alike::AlikeLines;
use content_order::content_order;
use cover::cover;
use cutoff::{Cutoff, Histogram, choose_cutoff};
use examples::{Example, quote_examples};
use filters::filtered_repeats;
use near_duplicates::group_near_duplicates;
use places::Places;
use repeats::Interval;
use sightings::{Fingerprint, Fingerprints, Sighting, sightings};
use slots::slotted_templates;
use suffix_array::SuffixArray;

/// What a repeat must be to become a candidate.
#[derive(Clone, Debug)]
pub struct MineOptions {
    /// Word tokens it needs, unless it is whole lines.
    pub min_words: usize,
    /// Documents it needs, near-duplicates counted once.
    pub min_documents: usize,
    /// Share of the documents it needs, 0..=1.
    pub min_share: f64,
    /// The cutoff, if it is not to be read off the repeats: a share, 0..=1.
    pub cutoff: Option<f64>,
    /// Whether to look for templates with slots that anything may fill.
    pub slots: bool,
}

impl Default for MineOptions {
    fn default() -> MineOptions {
        MineOptions { min_words: 2, min_documents: 2, min_share: 0.05, cutoff: None, slots: true }
    }
}

/// A repeat that passed the filters and is needed to cover what the repeats cover; with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its tokens.
    pub run: TokenRun,
    /// Equal for equal runs, whatever the source.
    pub fingerprint: Fingerprint,
    /// In how many documents it occurs, near-duplicates counted once.
    pub documents: usize,
    /// How often it occurs.
    pub occurrences: usize,
    /// One occurrence, as it stands in its document.
    pub example: String,
}

/// What mining one source gives. It owns its text: the source's documents and symbols can be freed.
#[derive(Debug)]
pub struct Mined {
    /// All documents of the source.
    pub documents: usize,
    /// How many of them repeat another document and were not counted.
    pub near_duplicates: usize,
    /// Tokens in all documents.
    pub tokens: usize,
    /// The repeats by share.
    pub histogram: Histogram,
    /// Where it falls in two.
    pub cutoff: Cutoff,
    /// The repeats that cover what all repeats cover, in the order of the suffix array; then templates with slots.
    pub candidates: Vec<Candidate>,
    /// All repeats that could be candidates of another source: those of up to [`sightings::MAX_SIGHTED_TOKENS`] and the candidates.
    pub sightings: Vec<Sighting>,
}

impl Mined {
    /// With fewer documents, near-duplicates counted once, what two of them share is as likely chance as template:
    /// such a source has no candidates of its own, but counts when sources are compared.
    pub const MIN_DOCUMENTS: usize = 5;

    /// Whether there were too few documents to mine.
    pub fn is_too_small(&self) -> bool {
        self.counted() < Mined::MIN_DOCUMENTS
    }

    /// The documents that document frequencies count.
    pub fn counted(&self) -> usize {
        self.documents - self.near_duplicates
    }

    /// What the source's pattern file says of it.
    pub fn facts(&self) -> MinedFrom {
        MinedFrom {
            documents: self.documents,
            near_duplicates: self.near_duplicates,
            tokens: self.tokens,
            cutoff: self.cutoff.share,
            removed: None,
            histogram: self.histogram.by_hundredths(),
        }
    }
}

/// Mines one source: [`mine`], with the texts read and the examples filled in. The order of the texts does not show in what
/// comes of them.
pub fn mine_texts<T: AsRef<str> + Sync>(
    texts: &[T],
    lexer: &Lexer,
    options: &MineOptions,
) -> Result<Mined, TooManyTokens> {
    let texts: Vec<&str> = content_order(texts).into_iter().map(|index| texts[index].as_ref()).collect();
    Ok(mine_sequence(&texts, SymbolSequence::of_texts(&texts, lexer)?, lexer, options))
}

/// The same for texts that were read, in the order in which they were.
pub fn mine_sequence<T: AsRef<str> + Sync>(
    texts: &[T],
    sequence: SymbolSequence,
    lexer: &Lexer,
    options: &MineOptions,
) -> Mined {
    let (mut mined, examples) = mine(&sequence, options);
    drop(sequence);
    quote_examples(&mut mined.candidates, &examples, texts, lexer);
    mined
}

/// Mines one source from its symbols; beside the candidates, where an example of each is.
pub fn mine(sequence: &SymbolSequence, options: &MineOptions) -> (Mined, Vec<Example>) {
    let (array, lines) =
        rayon::join(|| SuffixArray::build(sequence.symbols()), || options.slots.then(|| AlikeLines::of(sequence)));
    let places = Places::of(sequence, &array);
    let (groups, own) = group_near_duplicates(sequence, &array, &places);
    let repeats = filtered_repeats(sequence, &array, &places, &groups, options);
    drop(places);
    let share = |repeat: &Interval| repeat.documents as f64 / groups.len() as f64;
    let histogram = Histogram::of(repeats.iter().map(share));
    let cutoff = options.cutoff.map_or_else(|| choose_cutoff(&histogram), Cutoff::given);
    let kept: Vec<Interval> = repeats.into_iter().filter(|repeat| share(repeat) >= options.min_share).collect();
    let covering = match groups.len() {
        0..Mined::MIN_DOCUMENTS => Vec::new(),
        _ => cover(sequence, &array, &kept, &kept.iter().map(share).collect::<Vec<f64>>()),
    };
    let fingerprints = Fingerprints::of(sequence, &array);
    let candidates = covering.iter().map(|&index| candidate(sequence, &array, &fingerprints, &kept[index]));
    let examples = covering.iter().map(|&index| Example::of(sequence, &array, &kept[index]));
    let slotted = match lines.filter(|_| groups.len() >= Mined::MIN_DOCUMENTS) {
        Some(lines) => slotted_templates(sequence, &array, &groups, &lines, &kept, options),
        None => Vec::new(),
    };
    let (candidates, examples) = candidates.zip(examples).chain(slotted).unzip();
    let mined = Mined {
        documents: sequence.documents(),
        near_duplicates: sequence.documents() - groups.len(),
        tokens: sequence.tokens(),
        histogram,
        cutoff,
        candidates,
        sightings: sightings(sequence, &array, &own, &fingerprints, &kept, &covering),
    };
    (mined, examples)
}

fn candidate(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    fingerprints: &Fingerprints,
    repeat: &Interval,
) -> Candidate {
    let start = array.position(repeat.first);
    Candidate {
        run: sequence.run(start..start + repeat.len),
        fingerprint: fingerprints.of_repeat(repeat),
        documents: repeat.documents,
        occurrences: repeat.occurrences,
        example: String::new(),
    }
}
