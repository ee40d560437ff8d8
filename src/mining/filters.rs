//! The repeats worth looking at: enough documents, enough words.
//!
//! Takes the LCP intervals of a source, gives the maximal repeats among them that recur in several documents and say
//! something: words, or whole lines.

use super::MineOptions;
use super::near_duplicates::Groups;
use super::repeats::{Interval, visit_intervals};
use super::suffix_array::SuffixArray;
use crate::tokens::{Symbol, SymbolSequence, TokenKind, Vocabulary};

/// The maximal repeats that have enough words and documents, the inner before those that hold them.
pub fn filtered_repeats(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    groups: &Groups,
    options: &MineOptions,
) -> Vec<Interval> {
    let words = WordCounts::of(sequence);
    let symbols = sequence.symbols();
    let mut repeats = Vec::new();
    visit_intervals(
        symbols,
        array,
        groups.len(),
        |at| groups.at(at),
        |interval| {
            if interval.is_maximal && interval.documents >= options.min_documents.max(2) {
                let start = array.position(interval.first);
                let end = start + interval.len;
                let is_break = |position: usize| symbols[position] == Vocabulary::BREAK.0;
                let is_whole_line = interval.len > 2 && is_break(start) && is_break(end - 1);
                let needed = if is_whole_line { 0 } else { options.min_words };
                if words.between(start, end) >= needed {
                    repeats.push(interval);
                }
            }
        },
    );
    repeats
}

/// How many word tokens lie between two positions, in constant time.
struct WordCounts(Vec<u32>);

impl WordCounts {
    fn of(sequence: &SymbolSequence) -> WordCounts {
        let vocabulary = sequence.vocabulary();
        let is_word: Vec<bool> =
            (0..vocabulary.len()).map(|symbol| vocabulary.kind(Symbol(symbol as u32)) == TokenKind::Word).collect();
        let mut words = 0;
        let mut counts = vec![0];
        counts.extend(sequence.symbols().iter().map(|&symbol| {
            words += u32::from(is_word.get(symbol as usize) == Some(&true));
            words
        }));
        WordCounts(counts)
    }

    fn between(&self, start: usize, end: usize) -> usize {
        (self.0[end] - self.0[start]) as usize
    }
}
