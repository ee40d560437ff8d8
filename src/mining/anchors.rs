//! Inside a line: a template from its first anchor to its last.
//!
//! Takes the occurrences of a repeat that someone thinks is part of a template; gives the stretch of its line that the
//! template takes up at each. What nearly all of them have on one side, not far away, is an anchor, and from there the
//! next is looked for. A token that may be there by chance is none: the further away it is, the less often it may stand
//! elsewhere. An end of the line may be the last anchor of its side.
//!
//! Between two parts of a page's frame stands the document's own headline, where there are no line breaks. So a slot has
//! room for a name, and for more only if a colon announces it.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::skeleton::{Ends, MAX_NAME_TOKENS, MAX_STRETCHES, MAX_TOKENS, is_nearly_all, nearly_largest};
use super::slots::MIN_EXCLUSIVE;
use crate::tokens::{Symbol, SymbolSequence, Vocabulary};

/// An announced slot has fewer tokens: a headline.
const REACH: usize = 24;
/// In more than this share of the stretches of text that are as long as the gap before it, a token stands by chance.
const MAX_CHANCE: f64 = 0.1;
/// A share needs no more occurrences.
const MAX_LOOKED_AT: usize = 64;

/// The stretches around the occurrences of a repeat, but for those that lack an anchor, and where they end.
pub(super) fn stretches(
    sequence: &SymbolSequence,
    occurrences: &[usize],
    repeat: &[Range<usize>],
) -> (Vec<Range<usize>>, Ends) {
    let mut around = Around { sequence, occurrences, all: repeat.len(), stretches: repeat.to_vec(), gaps: 0 };
    let ends = Ends { starts_line: around.grow(Side::Before), ends_line: around.grow(Side::After) };
    (around.stretches, ends)
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

impl Side {
    /// The positions of the line beyond a stretch, the nearest first; the last may be the line break.
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
        std::iter::successors(Some(first), next).take(REACH)
    }
}

/// A token that nearly all stretches have beyond one of their ends, so many tokens away at most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Anchor {
    away: usize,
    occurrences: usize,
    symbol: u32,
}

struct Around<'s> {
    sequence: &'s SymbolSequence,
    /// Of each symbol.
    occurrences: &'s [usize],
    /// How many stretches there were.
    all: usize,
    stretches: Vec<Range<usize>>,
    gaps: usize,
}

impl Around<'_> {
    /// Extends the stretches to the last anchor on one side; whether that is the line's end.
    fn grow(&mut self, side: Side) -> bool {
        while self.stretches[0].len() <= MAX_TOKENS
            && let Some(anchor) = self.next_anchor(side)
        {
            let is_gap = anchor.away > 1;
            let reached: Vec<Range<usize>> =
                self.stretches.iter().filter_map(|stretch| self.reach(stretch, anchor.symbol, side)).collect();
            // What some lack, and what mostly stands elsewhere, happens to be beside the template.
            let is_theirs = reached.len() == self.stretches.len()
                || reached.len() as f64 >= MIN_EXCLUSIVE * anchor.occurrences as f64;
            if !is_theirs || !is_nearly_all(reached.len(), self.all) || (is_gap && self.gaps == MAX_STRETCHES) {
                return false;
            }
            self.stretches = reached;
            self.gaps += usize::from(is_gap);
            if anchor.symbol == Vocabulary::BREAK.0 {
                return true;
            }
        }
        false
    }

    /// The nearest anchor beyond one end of the stretches.
    fn next_anchor(&self, side: Side) -> Option<Anchor> {
        let symbols = self.sequence.symbols();
        let looked_at = self.stretches.len().min(MAX_LOOKED_AT);
        let mut nearest: FxHashMap<u32, Vec<(usize, usize)>> = FxHashMap::default();
        for index in 0..looked_at {
            let stretch = &self.stretches[index * self.stretches.len() / looked_at];
            for (distance, at) in side.beyond(symbols, stretch).enumerate() {
                let nearest = nearest.entry(symbols[at]).or_default();
                if nearest.last().is_none_or(|&(last, _)| last != index) {
                    nearest.push((index, distance + 1));
                }
            }
        }
        let is_common = |(_, nearest): &(u32, Vec<(usize, usize)>)| is_nearly_all(nearest.len(), looked_at);
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

    /// Whether what stands between may be a slot.
    fn is_near(&self, anchor: &Anchor, side: Side) -> bool {
        let before = match side {
            Side::Before => anchor.symbol,
            Side::After => self.sequence.symbols()[self.stretches[0].end - 1],
        };
        let is_announced = matches!(self.sequence.vocabulary().literal(Symbol(before)), Some(":" | "："));
        is_announced || anchor.away <= MAX_NAME_TOKENS + 1
    }

    /// Whether the token, as often as it stands elsewhere (Poisson), may just as well be there by chance.
    fn is_chance(&self, anchor: &Anchor) -> bool {
        let elsewhere = anchor.occurrences.saturating_sub(self.all) as f64 / self.sequence.tokens() as f64;
        anchor.away > 1 && 1.0 - (-elsewhere * anchor.away as f64).exp() > MAX_CHANCE
    }

    /// The stretch with what lies between it and the nearest such token.
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
