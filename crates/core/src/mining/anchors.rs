//! Finds how far a template reaches inside a line: from its first anchor to its last.
//!
//! Takes the occurrences of a repeat that may be part of a template. Returns for each the stretch of its line that the
//! template covers. An anchor is a token that nearly all occurrences have nearby on the same side. The search goes on
//! from anchor to anchor. A token that may be there by chance is not an anchor: a token that is further away must be
//! rarer elsewhere. The end of the line may be the last anchor of its side.
//!
//! In a text without line breaks, a document's headline may be between two parts of the page's frame. The headline must
//! not become a slot. So a slot has space for a name only, or for more if there is a colon before it.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::skeleton::{Ends, MAX_NAME_TOKENS, MAX_STRETCHES, MAX_TOKENS, is_nearly_all, nearly_largest};
use super::slots::MIN_EXCLUSIVE;
use crate::tokens::{Symbol, SymbolSequence, Vocabulary};

/// A slot after a colon has fewer tokens than this. A headline fits.
const REACH_OF_COLON: usize = 24;
/// A token is not an anchor if chance alone puts it into more than this share of gaps as long as the gap before it.
const MAX_CHANCE: f64 = 0.1;
/// Maximum number of stretches that are examined. They are enough to estimate a share.
const MAX_SAMPLE: usize = 64;

/// The stretches around the occurrences of a repeat, and which ends of the line they reach.
///
/// `occurrences` has the number of occurrences of each symbol in the source, and `repeat` the ranges of the repeat.
/// `each` is the number of occurrences that each of these ranges stands for. Occurrences without one of the anchors are
/// left out. `None` if there is nothing between the anchors, so that all stretches are the same.
pub(super) fn stretches(
    sequence: &SymbolSequence,
    occurrences: &[usize],
    repeat: &[Range<usize>],
    each: f64,
) -> Option<(Vec<Range<usize>>, Ends)> {
    let (all, common, stretches) = (repeat.len(), repeat[0].len(), repeat.to_vec());
    let mut around = Around { sequence, occurrences, all, each, stretches, common, gaps: 0 };
    let ends = Ends { starts_line: around.grow(Side::Before), ends_line: around.grow(Side::After) };
    let is_filled = around.stretches.iter().any(|stretch| stretch.len() > around.common);
    is_filled.then_some((around.stretches, ends))
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

impl Side {
    /// The positions of the line beyond a stretch, the nearest first. The last may be the line break.
    fn beyond<'s>(self, symbols: &'s [u32], stretch: &Range<usize>) -> impl Iterator<Item = usize> + use<'s> {
        let first = match self {
            Side::Before => stretch.start - 1,
            Side::After => stretch.end,
        };
        let next = move |&at: &usize| match self {
            _ if symbols[at] == Vocabulary::BREAK.0 => None,
            Side::Before => Some(at - 1),
            Side::After => Some(at + 1),
        };
        std::iter::successors(Some(first), next).take(REACH_OF_COLON)
    }
}

/// A token that nearly all stretches have beyond one of their ends, at most `away` tokens away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Anchor {
    away: usize,
    occurrences: usize,
    symbol: u32,
}

struct Around<'s> {
    sequence: &'s SymbolSequence,
    /// The number of occurrences of each symbol in the source.
    occurrences: &'s [usize],
    /// Number of stretches before any was left out.
    all: usize,
    /// Number of occurrences that each stretch stands for.
    each: f64,
    stretches: Vec<Range<usize>>,
    /// Number of tokens that all stretches have in common.
    common: usize,
    gaps: usize,
}

impl Around<'_> {
    /// Extends the stretches to the last anchor on one side. Returns whether this is the end of the line.
    fn grow(&mut self, side: Side) -> bool {
        while self.stretches[0].len() <= MAX_TOKENS
            && let Some(anchor) = self.next_anchor(side)
        {
            let is_gap = anchor.away > 1;
            let reached: Vec<Range<usize>> =
                self.stretches.iter().filter_map(|stretch| self.reach(stretch, anchor.symbol, side)).collect();
            // If some stretches lack a token and most of its occurrences are elsewhere, it is next to the template only
            // by chance.
            let is_theirs = reached.len() == self.stretches.len()
                || self.each * reached.len() as f64 >= MIN_EXCLUSIVE * anchor.occurrences as f64;
            if !is_theirs || !is_nearly_all(reached.len(), self.all) || (is_gap && self.gaps == MAX_STRETCHES) {
                return false;
            }
            self.stretches = reached;
            self.gaps += usize::from(is_gap);
            if anchor.symbol == Vocabulary::BREAK.0 {
                return true;
            }
            self.common += 1;
        }
        false
    }

    /// The nearest anchor beyond one end of the stretches.
    fn next_anchor(&self, side: Side) -> Option<Anchor> {
        let sampled = self.stretches.len().min(MAX_SAMPLE);
        self.neighbour(side, sampled).or_else(|| self.nearest(side, sampled))
    }

    /// The nearest anchor at any distance.
    fn nearest(&self, side: Side, sampled: usize) -> Option<Anchor> {
        let symbols = self.sequence.symbols();
        let mut nearest: FxHashMap<u32, Vec<(usize, usize)>> = FxHashMap::default();
        for index in 0..sampled {
            let stretch = &self.stretches[index * self.stretches.len() / sampled];
            for (distance, at) in side.beyond(symbols, stretch).enumerate() {
                let nearest = nearest.entry(symbols[at]).or_default();
                if nearest.last().is_none_or(|&(last, _)| last != index) {
                    nearest.push((index, distance + 1));
                }
            }
        }
        let is_common = |(_, nearest): &(u32, Vec<(usize, usize)>)| is_nearly_all(nearest.len(), sampled);
        let anchor = |(symbol, nearest): (u32, Vec<(usize, usize)>)| {
            let away = nearly_largest(nearest.into_iter().map(|(_, distance)| distance));
            Anchor { away, occurrences: self.occurrences[symbol as usize], symbol }
        };
        nearest
            .into_iter()
            .filter(is_common)
            .map(anchor)
            .filter(|anchor| self.is_near(anchor, side) && !self.is_chance(anchor))
            .min()
    }

    /// The anchor directly beside nearly all stretches. This case is common and fast to check, and no other anchor can
    /// be nearer.
    fn neighbour(&self, side: Side, sampled: usize) -> Option<Anchor> {
        let symbols = self.sequence.symbols();
        let beside = |index: usize| {
            let stretch = &self.stretches[index * self.stretches.len() / sampled];
            side.beyond(symbols, stretch).next().map(|at| symbols[at])
        };
        let most_missing = sampled - (0..=sampled).find(|&some| is_nearly_all(some, sampled))?;
        // If nearly all stretches have the token, at least one of any `most_missing` + 1 stretches has it.
        let is_nearly_everywhere = |symbol: &u32| {
            let others = (0..sampled).filter(|&index| beside(index) != Some(*symbol));
            others.take(most_missing + 1).count() <= most_missing
        };
        let symbol = (0..=most_missing.min(sampled - 1)).filter_map(beside).find(is_nearly_everywhere)?;
        Some(Anchor { away: 1, occurrences: self.occurrences[symbol as usize], symbol })
    }

    /// Whether the gap before the anchor may be a slot.
    fn is_near(&self, anchor: &Anchor, side: Side) -> bool {
        let before = match side {
            Side::Before => anchor.symbol,
            Side::After => self.sequence.symbols()[self.stretches[0].end - 1],
        };
        let is_announced = matches!(self.sequence.vocabulary().literal(Symbol(before)), Some(":" | "："));
        is_announced || anchor.away <= MAX_NAME_TOKENS + 1
    }

    /// Whether the token may be there by chance, given its frequency elsewhere (Poisson).
    fn is_chance(&self, anchor: &Anchor) -> bool {
        let elsewhere =
            (anchor.occurrences as f64 - self.each * self.all as f64).max(0.0) / self.sequence.tokens() as f64;
        anchor.away > 1 && 1.0 - (-elsewhere * anchor.away as f64).exp() > MAX_CHANCE
    }

    /// The stretch, extended to the nearest occurrence of this symbol on one side. `None` if none is within reach.
    fn reach(&self, stretch: &Range<usize>, symbol: u32, side: Side) -> Option<Range<usize>> {
        let symbols = self.sequence.symbols();
        let at = side.beyond(symbols, stretch).find(|&at| symbols[at] == symbol)?;
        let is_token = usize::from(symbol != Vocabulary::BREAK.0);
        Some(match side {
            Side::Before => at + 1 - is_token..stretch.end,
            Side::After => stretch.start..at + is_token,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::mining::skeleton::Skeleton;
    use crate::tokens::{DocumentIndex, Lexer, MutableSet, Tokenizer};

    proptest! {
        #[test]
        fn a_neighbour_is_the_nearest_anchor_and_stretches_that_are_all_the_same_are_no_template(
            lines in prop::collection::vec((select(&["", "a ", "b a ", "a b "]), select(&["", "c", "d c", "c a d"])), 5..40),
            common in (select(&["", "e ", "f e "]), select(&["", "g ", "g , h "])),
        ) {
            let line = |(before, after): &(&str, &str)| format!("{before}{}x {}{after}\n", common.0, common.1);
            let texts: Vec<String> = lines.iter().map(line).collect();
            let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()));
            let sequence = SymbolSequence::of_texts(&texts, &lexer).unwrap();
            let mut occurrences = vec![0; sequence.alphabet()];
            sequence.symbols().iter().for_each(|&symbol| occurrences[symbol as usize] += 1);
            let is_seed = |at: &usize| sequence.vocabulary().literal(Symbol(sequence.symbols()[*at])) == Some("x");
            let documents = (0..texts.len() as u32).flat_map(|document| sequence.document(DocumentIndex(document)));
            let places: Vec<Range<usize>> = documents.filter(is_seed).map(|at| at..at + 1).collect();
            let all = places.len();
            let around = |stretches| {
                Around { sequence: &sequence, occurrences: &occurrences, all, each: 1.0, stretches, common: 1, gaps: 0 }
            };
            let mut grown = around(places.clone());
            for side in [Side::Before, Side::After] {
                let sampled = grown.stretches.len().min(MAX_SAMPLE);
                let neighbour = grown.neighbour(side, sampled);
                prop_assert!(neighbour.is_none() || neighbour == grown.nearest(side, sampled));
                grown.grow(side);
            }
            if stretches(&sequence, &occurrences, &places, 1.0).is_none() {
                let ends = Ends { starts_line: false, ends_line: false };
                prop_assert_eq!(Skeleton::of(&sequence, &grown.stretches, ends), None);
            }
        }
    }
}
