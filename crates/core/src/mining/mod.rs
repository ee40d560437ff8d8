//! Mines the templates of a source from its symbols.
//!
//! Mining does no input or output and cannot fail. [`mine`] uses one source alone and returns [`Candidate`]s that own
//! their text. [`cross_source`] needs the candidates of all sources, but no document. The modules below are the stages,
//! in order.

pub mod sketches;
pub mod suffix_array;
pub mod places;
pub mod repeats;
pub mod near_duplicates;
pub mod snapshots;
pub mod filters;
pub mod cutoff;
pub mod cover;
pub mod units;
mod alike;
mod anchors;
pub mod content_order;
mod skeleton;
mod slots;
pub mod repeat_statistics;
pub mod examples;
pub mod cross_source;

use serde::{Deserialize, Serialize};

use crate::patterns::file::MinedFrom;
use crate::tokens::{Lexer, Piece, SymbolSequence, TokenRun, TooManyTokens};
use alike::AlikeLines;
use content_order::content_order;
use cover::cover;
use cutoff::{Cutoff, Histogram, choose_cutoff};
use examples::{Example, quote_examples};
use filters::filtered_repeats;
use near_duplicates::{Groups, group_near_duplicates};
use places::Places;
use repeat_statistics::{Fingerprint, Fingerprints, RepeatStatistics, repeat_statistics};
use repeats::Interval;
use slots::slotted_templates;
use snapshots::{NEARLY_ALL, are_snapshots};
use suffix_array::SuffixArray;

/// The conditions for a repeat to become a candidate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MineOptions {
    /// Minimum number of word tokens. A repeat of whole lines needs none.
    pub min_words: usize,
    /// Minimum number of documents, near-duplicates counted once. It is raised to
    /// [`LEAST_DOCUMENTS`](Self::LEAST_DOCUMENTS) if it is lower, because text of one document is not a repeat. A
    /// template with slots needs at least 5 documents.
    pub min_documents: usize,
    /// Minimum share of the documents, 0..=1.
    pub min_share: f64,
    /// The cutoff, a share in 0..=1. If it is `None`, it is computed from the repeats.
    pub cutoff: Option<f64>,
    /// Whether to search for templates with free slots.
    pub slots: bool,
    /// Whether near-duplicates count once.
    pub near_duplicates: NearDuplicates,
}

setters!(MineOptions {
    min_words: usize,
    min_documents: usize,
    min_share: f64,
    cutoff: Option<f64>,
    slots: bool,
    near_duplicates: NearDuplicates,
});

/// Which documents count. Identical documents always count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NearDuplicates {
    /// Near-duplicates, such as an article that is stored twice, count once.
    Group,
    /// Each document counts, as for snapshots of one page. Text that comes and goes is not template there, so
    /// candidates need 9/10 of the documents.
    Count,
    /// `Count` if the documents are recognised as snapshots of one page, else `Group`.
    #[default]
    Auto,
}

impl MineOptions {
    /// The smallest value of [`min_documents`](field@Self::min_documents).
    pub const LEAST_DOCUMENTS: usize = 2;
}

impl Default for MineOptions {
    fn default() -> MineOptions {
        MineOptions {
            min_words: 2,
            min_documents: 2,
            min_share: 0.05,
            cutoff: None,
            slots: true,
            near_duplicates: NearDuplicates::Auto,
        }
    }
}

/// A run that may be a template: a unit of a repeat that passed the filters and is needed for the cover, or a run with
/// slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its tokens.
    pub run: TokenRun,
    /// A fingerprint of the run, which is equal for equal runs in all sources.
    pub fingerprint: Fingerprint,
    /// Number of documents it occurs in, near-duplicates counted once.
    pub documents: usize,
    /// Number of occurrences.
    pub occurrences: usize,
    /// One occurrence, as it is written in its document.
    pub example: String,
}

/// The result of mining one source. It owns its text: the source's documents and symbols can be freed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mined {
    /// Number of documents of the source.
    pub documents: usize,
    /// Number of documents that repeat another document and were not counted.
    pub near_duplicates: usize,
    /// Whether the documents were taken for snapshots of one page. If so, each near-duplicate was counted, and only
    /// copies of identical documents were not.
    #[serde(default)]
    pub are_snapshots: bool,
    /// Number of tokens in all documents.
    pub tokens: usize,
    /// Number of repeats for each share.
    #[doc(hidden)]
    pub histogram: Histogram,
    /// The share that divides the repeats into language and template.
    #[doc(hidden)]
    pub cutoff: Cutoff,
    /// The units of the repeats in the cover, in the order of the suffix array. Then the templates with slots.
    #[doc(hidden)]
    pub candidates: Vec<Candidate>,
    /// All repeats that could be candidates in another source: those with up to `repeat_statistics::MAX_COMPARED_TOKENS`
    /// tokens, and the candidates.
    #[doc(hidden)]
    pub repeat_statistics: Vec<RepeatStatistics>,
}

/// The memory in bytes that a token of a candidate takes: its text, and its part of the example.
const BYTES_PER_TOKEN: usize = 50;

impl Mined {
    /// Minimum number of documents, near-duplicates counted once. With fewer, text may be in two of them by chance. A
    /// source with fewer has no candidates of its own, but its repeats still count when sources are compared.
    pub const MIN_DOCUMENTS: usize = 5;

    /// Whether a candidate has a slot of a mutable pattern that the lexer does not have. Only damaged data has one.
    #[doc(hidden)]
    pub fn has_unknown_slots(&self, lexer: &Lexer) -> bool {
        let patterns = lexer.mutable().patterns().len();
        let is_unknown = |piece: &Piece| matches!(piece, Piece::Slot { id, .. } if usize::from(id.0) >= patterns);
        self.candidates.iter().any(|candidate| candidate.run.pieces().iter().any(is_unknown))
    }

    /// Whether there were too few documents to mine.
    pub fn is_too_small(&self) -> bool {
        self.counted() < Mined::MIN_DOCUMENTS
    }

    /// Number of documents that count, without near-duplicates.
    pub fn counted(&self) -> usize {
        self.documents - self.near_duplicates
    }

    /// About the memory that it takes, in bytes.
    #[doc(hidden)]
    pub fn bytes(&self) -> usize {
        let tokens: usize = self.candidates.iter().map(|candidate| candidate.run.pieces().len()).sum();
        size_of_val(&*self.repeat_statistics) + size_of_val(&*self.candidates) + tokens * BYTES_PER_TOKEN
    }

    /// The facts about mining that are written to the source's pattern file.
    pub fn facts(&self) -> MinedFrom {
        MinedFrom {
            documents: self.documents,
            near_duplicates: self.near_duplicates,
            snapshots: self.are_snapshots,
            tokens: self.tokens,
            cutoff: self.cutoff.share,
            removed: None,
            histogram: self.histogram.by_hundredths(),
        }
    }
}

/// Mines one source: tokenizes the texts, calls `mine` and fills in the examples. The result does not depend on the
/// order of the texts. Fails if the source has too many tokens.
pub fn mine_texts<T: AsRef<str> + Sync>(
    texts: &[T],
    lexer: &Lexer,
    options: &MineOptions,
) -> Result<Mined, TooManyTokens> {
    let texts: Vec<&str> = content_order(texts).into_iter().map(|index| texts[index].as_ref()).collect();
    Ok(mine_sequence(&texts, SymbolSequence::of_texts(&texts, lexer)?, lexer, options, None))
}

/// Like [`mine_texts`], for texts that are tokenized already. `texts` must have the order of `sequence`. Documents with the
/// same number in `alike` count once.
pub fn mine_sequence<T: AsRef<str> + Sync>(
    texts: &[T],
    sequence: SymbolSequence,
    lexer: &Lexer,
    options: &MineOptions,
    alike: Option<&[u32]>,
) -> Mined {
    let (mut mined, examples) = mine_alike(&sequence, options, alike);
    drop(sequence);
    quote_examples(&mut mined.candidates, &examples, texts, lexer);
    mined
}

/// Mines one source from its symbols. Also returns the position of each candidate's example.
pub fn mine(sequence: &SymbolSequence, options: &MineOptions) -> (Mined, Vec<Example>) {
    mine_alike(sequence, options, None)
}

fn mine_alike(sequence: &SymbolSequence, options: &MineOptions, alike: Option<&[u32]>) -> (Mined, Vec<Example>) {
    let (array, lines) =
        rayon::join(|| SuffixArray::build(sequence.symbols()), || options.slots.then(|| AlikeLines::of(sequence)));
    let places = Places::of(sequence, &array);
    let copies = Groups::of_identical(sequence, alike);

    let (groups, own) = group_near_duplicates(sequence, &array, &places, &copies);
    let are_snapshots = match options.near_duplicates {
        NearDuplicates::Group => false,
        NearDuplicates::Count => true,
        NearDuplicates::Auto => are_snapshots(sequence, &array, &places, &copies),
    };
    let (groups, options) = match are_snapshots {
        true => (copies, &options.clone().min_share(options.min_share.max(NEARLY_ALL))),
        false => (groups, options),
    };

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
    let covers: Vec<Interval> = covering.iter().map(|&index| kept[index]).collect();
    let units = units::units(sequence, &array, &groups, &covers, options.min_words);
    let candidates = units.iter().map(|unit| candidate(sequence, &array, &fingerprints, unit));
    let examples = units.iter().map(|unit| Example::of(sequence, &array, unit));
    let slotted = match lines.filter(|_| groups.len() >= Mined::MIN_DOCUMENTS) {
        Some(lines) => slotted_templates(sequence, &array, &groups, &lines, &kept, options),
        None => Vec::new(),
    };
    let (candidates, examples) = candidates.zip(examples).chain(slotted).unzip();

    let mined = Mined {
        documents: sequence.documents(),
        near_duplicates: sequence.documents() - groups.len(),
        are_snapshots,
        tokens: sequence.tokens(),
        histogram,
        cutoff,
        candidates,
        repeat_statistics: repeat_statistics(sequence, &array, &own, &fingerprints, &kept, &units),
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
