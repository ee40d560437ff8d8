//! Selects the repeats that have enough documents and words.
//!
//! Takes the LCP intervals of a source. Returns the maximal repeats that recur in several documents and have words or
//! whole lines.

use super::MineOptions;
use super::near_duplicates::Groups;
use super::places::Places;
use super::repeats::{Interval, Least, select_intervals};
use super::suffix_array::SuffixArray;
use crate::tokens::characters::half_words;
use crate::tokens::{Symbol, SymbolSequence, TokenKind, Vocabulary};

/// Minimum length of a whole line: 1 token between 2 breaks.
const MIN_LINE: usize = 3;

/// The maximal repeats that have enough words and documents. Each inner interval comes before those that contain it.
pub fn filtered_repeats(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    places: &Places,
    groups: &Groups,
    options: &MineOptions,
) -> Vec<Interval> {
    let half_words = HalfWords::of(sequence);
    let symbols = sequence.symbols();
    let is_break = |position: usize| symbols[position] == Vocabulary::BREAK.0;
    let says_something = |interval: &Interval| {
        let start = array.position(interval.first);
        let end = start + interval.len;
        let is_whole_line = interval.len >= MIN_LINE && is_break(start) && is_break(end - 1);
        half_words.between(start, end) >= if is_whole_line { 0 } else { 2 * options.min_words }
    };
    let min_documents = options.min_documents.max(MineOptions::LEAST_DOCUMENTS);
    let least = Least { len: options.min_words.clamp(1, MIN_LINE), occurrences: min_documents };
    let is_repeat =
        |interval: &Interval| interval.is_maximal && interval.documents >= min_documents && says_something(interval);
    select_intervals(array, places, groups.len(), |document| groups.of(document), least, is_repeat)
}

/// Counts the half words between two positions in constant time. A word counts 2, a character of a script without
/// spaces counts 1.
pub(super) struct HalfWords(Vec<u32>);

impl HalfWords {
    pub(super) fn of(sequence: &SymbolSequence) -> HalfWords {
        let vocabulary = sequence.vocabulary();
        let half_words = |symbol| match vocabulary.kind(symbol) {
            TokenKind::Word => vocabulary.literal(symbol).map_or(0, half_words) as u32,
            _ => 0,
        };
        let of_symbol: Vec<u32> = (0..vocabulary.len()).map(|symbol| half_words(Symbol(symbol as u32))).collect();
        let mut sum = 0;
        let mut sums = vec![0];
        sums.extend(sequence.symbols().iter().map(|&symbol| {
            sum += of_symbol.get(symbol as usize).copied().unwrap_or(0);
            sum
        }));
        HalfWords(sums)
    }

    pub(super) fn between(&self, start: usize, end: usize) -> usize {
        (self.0[end] - self.0[start]) as usize
    }
}
