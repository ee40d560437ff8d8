//! Computes statistics of a source's repeats, for the comparison with other sources.
//!
//! Takes the repeats of a source. Returns for each a fingerprint that is the same in every source, its counts, and its
//! standing: how often it is by itself, as boilerplate is, and not inside changing text, as language is.

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::near_duplicates::OwnTokens;
use super::repeats::Interval;
use super::suffix_array::SuffixArray;
use crate::tokens::{Piece, Symbol, SymbolSequence, TokenRun, Vocabulary};

/// Maximum number of tokens of a repeat that is compared. Longer repeats are rarely in another source.
pub const MAX_COMPARED_TOKENS: usize = 64;

/// A hash of a run's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of a run: an XXH3 of its pieces, one after the other. It is the same in every version and on
    /// every system.
    pub fn of_run(run: &TokenRun) -> Fingerprint {
        let mut bytes = Vec::new();
        run.pieces().iter().for_each(|piece| write_piece(piece, &mut bytes));
        Fingerprint(XxHash3_64::oneshot(&bytes))
    }
}

fn write_piece(piece: &Piece, bytes: &mut Vec<u8>) {
    let (tag, space_before) = match piece {
        Piece::Break => (0, false),
        Piece::Slot { space_before, .. } => (1, *space_before),
        Piece::Literal { space_before, .. } => (2, *space_before),
        Piece::Free { space_before, .. } => (3, *space_before),
    };
    bytes.extend([tag, u8::from(space_before)]);
    match piece {
        Piece::Break => {}
        Piece::Slot { id, .. } => bytes.extend(id.0.to_le_bytes()),
        Piece::Literal { text, .. } => {
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        Piece::Free { more, .. } => bytes.extend(more.to_le_bytes()),
    }
}

/// The data of a repeat that are compared with other sources.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatStatistics {
    /// The fingerprint of its run.
    pub fingerprint: Fingerprint,
    /// Number of documents it occurs in, near-duplicates counted once.
    pub documents: usize,
    /// Number of occurrences.
    pub occurrences: usize,
    /// The share of its occurrences that are by themselves.
    pub standing: Standing,
}

/// The share of a repeat's occurrences, 0..=1, that are by themselves: between line breaks, or between a line break and
/// another template. Occurrences inside a larger template do not count.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Standing(pub f64);

/// The statistics of all short repeats and of all units, which become candidates.
pub fn repeat_statistics(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    own: &OwnTokens,
    fingerprints: &Fingerprints,
    repeats: &[Interval],
    units: &[Interval],
) -> Vec<RepeatStatistics> {
    let short = repeats.iter().filter(|repeat| repeat.len <= MAX_COMPARED_TOKENS);
    let mut sighted: Vec<&Interval> = short.chain(units).collect();
    sighted.sort_unstable_by_key(|repeat| (repeat.first, repeat.len));
    sighted.dedup_by_key(|repeat| (repeat.first, repeat.len));
    sighted
        .into_iter()
        .map(|repeat| RepeatStatistics {
            fingerprint: fingerprints.of_repeat(repeat),
            documents: repeat.documents,
            occurrences: repeat.occurrences,
            standing: standing(sequence, array, own, repeat),
        })
        .collect()
}

/// The neighbour of an occurrence on one side.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    LineBreak,
    Template,
    Text,
}

/// The standing of a repeat, from up to [`MAX_SAMPLE`] occurrences, evenly spread. They are enough to estimate a
/// share.
fn standing(sequence: &SymbolSequence, array: &SuffixArray, own: &OwnTokens, repeat: &Interval) -> Standing {
    const MAX_SAMPLE: usize = 64;
    let symbols = sequence.symbols();
    let is_break = |position: usize| symbols[position] == Vocabulary::BREAK.0;
    // A document starts and ends with a line break, so every other token has two neighbours.
    let side = |edge: usize, neighbour: fn(usize) -> usize| match edge {
        edge if is_break(edge) || is_break(neighbour(edge)) => Side::LineBreak,
        edge if !own.is_own(neighbour(edge)) => Side::Template,
        _ => Side::Text,
    };
    let sampled = repeat.occurrences.min(MAX_SAMPLE);
    let (mut by_itself, mut amid_text) = (0, 0);
    for index in 0..sampled {
        let start = array.position(repeat.first + index * repeat.occurrences / sampled);
        match (side(start, |at| at - 1), side(start + repeat.len - 1, |at| at + 1)) {
            (Side::Text, _) | (_, Side::Text) => amid_text += 1,
            // Such an occurrence is inside a larger template, which says nothing about this run.
            (Side::Template, Side::Template) => {}
            _ => by_itself += 1,
        }
    }
    match by_itself + amid_text {
        0 => Standing(1.0),
        told => Standing(f64::from(by_itself) / f64::from(told)),
    }
}

/// Hashes runs by their text, because symbols differ between sources.
pub struct Fingerprints<'s> {
    sequence: &'s SymbolSequence,
    array: &'s SuffixArray,
    of_symbol: Vec<u64>,
}

impl<'s> Fingerprints<'s> {
    /// Prepares the fingerprints of a source's repeats.
    pub fn of(sequence: &'s SymbolSequence, array: &'s SuffixArray) -> Fingerprints<'s> {
        let vocabulary = sequence.vocabulary();
        let of_symbol = |symbol| Fingerprint::of_run(&vocabulary.run(&[Symbol(symbol)])).0;
        Fingerprints { sequence, array, of_symbol: (0..vocabulary.len() as u32).map(of_symbol).collect() }
    }

    /// The fingerprint of one repeat.
    pub fn of_repeat(&self, repeat: &Interval) -> Fingerprint {
        let start = self.array.position(repeat.first);
        let symbols = &self.sequence.symbols()[start..start + repeat.len];
        let bytes = symbols.iter().flat_map(|&symbol| self.of_symbol[symbol as usize].to_le_bytes());
        Fingerprint(XxHash3_64::oneshot(&bytes.collect::<Vec<u8>>()))
    }
}
