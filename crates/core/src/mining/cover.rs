//! Selects a few repeats that together cover the same text as all repeats.
//!
//! Mined repeats are highly redundant: where "Read more stories" recurs, its parts recur too. Takes all repeats that
//! passed the filters. Returns a selection of them. For every token, the strongest selected repeat that covers it is
//! nearly as strong as the strongest of all.
//!
//! The repeats are processed by levels of strength, from the strongest down. At each level, at most 1 repeat that
//! starts at a position is useful: the longest one that is strong enough. Occurrences inside others are dropped. The
//! other repeats come in order of the number of tokens that they cover, the largest first. A repeat is taken if it
//! covers a token that is not covered yet.
//!
//! Each level is linear in the tokens, however redundant the repeats are. The reason is that the repeats at a position
//! are the longest one and its prefixes. They are computed once, and each level uses one of them.
//!
//! If a line occurs many times in a row, each number of copies of the line is a repeat, which matches at each line. So
//! a repeat that consists of many copies of a part is left out. Shorter repeats cover the same text.
//!
//! Documents are covered in parallel: each core takes a part of them. Only the ranking of the repeats is computed for
//! all parts together.

use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::repeats::{Interval, NONE, longest_at_positions, outer_intervals};
use super::suffix_array::SuffixArray;
use crate::tokens::SymbolSequence;
use crate::tokens::free_positions::FreePositions;

/// The strength falls by this factor from level to level. So the evidence of a token loses at most 1/5.
const LEVEL_RATIO: f64 = 0.8;

/// A repeat that consists of more copies of one part is not used.
const MAX_TIMES: usize = 8;

/// Some whole documents. No repeat crosses their boundary.
struct DocumentGroup<'a> {
    /// For each position: the longest repeat that starts there, or [`NONE`] if it is no longer useful.
    longest: &'a mut [u32],
    uncovered: FreePositions,
}

/// The indices of the repeats to keep, ascending.
///
/// In `repeats`, each inner interval must come before those that contain it. `strengths` must be above 0, and no repeat
/// may be stronger than its prefixes.
pub fn cover(sequence: &SymbolSequence, array: &SuffixArray, repeats: &[Interval], strengths: &[f64]) -> Vec<usize> {
    let mut longest = longest_at_positions(array, repeats);
    let choices = Choices::of(array, repeats, &longest);
    cover_parts(sequence.in_parts(&mut longest), repeats, &choices, strengths)
}

fn cover_parts(longest: Vec<&mut [u32]>, repeats: &[Interval], choices: &Choices, strengths: &[f64]) -> Vec<usize> {
    let (strongest, weakest) = strengths.iter().fold((0.0f64, f64::MAX), |(max, min), &s| (max.max(s), min.min(s)));
    let mut parts: Vec<DocumentGroup> = longest.into_par_iter().map(DocumentGroup::new).collect();
    let mut kept = vec![false; repeats.len()];
    let mut level = strongest;
    let mut is_last = repeats.is_empty();
    while !is_last {
        level *= LEVEL_RATIO;
        is_last = level <= weakest;
        let strong = choices.longest_strong(|index| strengths[index] >= level);
        let useful: Vec<Occurrences> =
            parts.par_iter_mut().map(|part| part.useful_occurrences(&strong, repeats)).collect();
        let ranked = most_covering_first(&useful);
        let take = |(part, occurrences): (&mut DocumentGroup, Occurrences)| part.take(&ranked, &occurrences);
        let taken: Vec<Vec<u32>> = parts.par_iter_mut().zip(useful).map(take).collect();
        taken.into_iter().flatten().for_each(|repeat| kept[repeat as usize] = true);
    }
    (0..repeats.len()).filter(|&index| kept[index]).collect()
}

/// The data that determine which repeat is used at a position.
struct Choices {
    /// For each repeat: the longest other one that is a prefix of it, or [`NONE`].
    outer: Vec<u32>,
    /// For each repeat: whether it consists of more than [`MAX_TIMES`] copies of a part. Shorter repeats cover the same
    /// text.
    is_tiled: Vec<bool>,
}

impl Choices {
    /// Computes the choices. `longest` is the longest repeat at each position.
    fn of(array: &SuffixArray, repeats: &[Interval], longest: &[u32]) -> Choices {
        let outer = outer_intervals(repeats);
        let mut is_tiled = vec![false; repeats.len()];
        let mut periods: Vec<u32> = repeats.iter().map(|repeat| repeat.len as u32).collect();
        for index in (0..repeats.len()).rev() {
            let Interval { first, len, .. } = repeats[index];
            let shorter = |index: u32| Some(outer[index as usize]).filter(|&outer| outer != NONE);
            let mut shorter = std::iter::successors(shorter(index as u32), |&index| shorter(index))
                .map(|shorter| shorter as usize)
                .take_while(|&shorter| 2 * repeats[shorter].len >= len);
            // Is the prefix also a suffix of the repeat? Then the repeat is periodic.
            let is_end = |shorter: &usize| match longest[array.position(first) + len - repeats[*shorter].len] {
                NONE => false,
                longest => repeats[*shorter].holds(&repeats[longest as usize]),
            };
            if let Some(shorter) = shorter.find(is_end) {
                let (rest, period) = ((len - repeats[shorter].len) as u32, periods[shorter]);
                periods[index] = if rest.is_multiple_of(period) { period } else { rest };
                is_tiled[index] = len > MAX_TIMES * periods[index] as usize;
            }
        }
        Choices { outer, is_tiled }
    }

    /// For each repeat: itself if it is strong, else its longest strong prefix.
    fn longest_strong(&self, is_strong: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut strong = vec![NONE; self.outer.len()];
        for index in (0..self.outer.len()).rev() {
            strong[index] = match self.outer[index] {
                _ if is_strong(index) && !self.is_tiled[index] => index as u32,
                NONE => NONE,
                outer => strong[outer as usize],
            };
        }
        strong
    }
}

/// The useful occurrences of each repeat.
type Occurrences = FxHashMap<u32, Vec<Range<u32>>>;

impl<'a> DocumentGroup<'a> {
    fn new(longest: &'a mut [u32]) -> DocumentGroup<'a> {
        DocumentGroup { uncovered: FreePositions::new(longest.len()), longest }
    }

    /// The occurrences of the longest strong repeats, from left to right, without those inside others and those without
    /// an uncovered token. `strong` maps the longest repeat at a position to the repeat to use.
    fn useful_occurrences(&mut self, strong: &[u32], repeats: &[Interval]) -> Occurrences {
        let mut reach = 0;
        let mut occurrences = Occurrences::default();
        for (start, longest) in self.longest.iter_mut().enumerate().filter(|(_, longest)| **longest != NONE) {
            let uncovered = self.uncovered.next(start);
            if uncovered >= start + repeats[*longest as usize].len {
                *longest = NONE;
                continue;
            }
            let repeat = strong[*longest as usize];
            if repeat == NONE {
                continue;
            }
            let end = start + repeats[repeat as usize].len;
            if end > reach {
                reach = end;
                if uncovered < end {
                    occurrences.entry(repeat).or_default().push(start as u32..end as u32);
                }
            }
        }
        occurrences
    }

    /// Covers the uncovered tokens, repeat by repeat. Returns the repeats that covered something.
    fn take(&mut self, ranked: &[u32], occurrences: &Occurrences) -> Vec<u32> {
        let mut needed = Vec::new();
        for repeat in ranked {
            let mut is_needed = false;
            for range in occurrences.get(repeat).into_iter().flatten() {
                self.uncovered.take(range.start as usize..range.end as usize, |_| is_needed = true);
            }
            needed.extend(is_needed.then_some(*repeat));
        }
        needed
    }
}

fn most_covering_first(parts: &[Occurrences]) -> Vec<u32> {
    let mut covered: FxHashMap<u32, u64> = FxHashMap::default();
    for (&repeat, occurrences) in parts.iter().flatten() {
        *covered.entry(repeat).or_default() += occurrences.iter().map(|range| range.len() as u64).sum::<u64>();
    }
    let mut ranked: Vec<(u64, u32)> = covered.into_iter().map(|(repeat, covered)| (covered, repeat)).collect();
    ranked.sort_unstable_by_key(|&(covered, repeat)| (Reverse(covered), repeat));
    ranked.into_iter().map(|(_, repeat)| repeat).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mining::places::Places;
    use crate::mining::repeats::{Least, select_intervals};
    use crate::tokens::DocumentIndex;

    fn occurrences(symbols: &[u32], array: &SuffixArray, repeat: &Interval) -> Vec<Range<usize>> {
        let start = array.position(repeat.first);
        let run = &symbols[start..start + repeat.len];
        let starts = (0..symbols.len()).filter(|&at| symbols[at..].starts_with(run));
        starts.map(|start| start..start + repeat.len).collect()
    }

    /// All repeats of these symbols, their strengths (number of occurrences), and the indices of those that are kept.
    fn covering(symbols: &[u32]) -> (SuffixArray, Vec<Interval>, Vec<f64>, Vec<usize>) {
        let array = SuffixArray::build(symbols);
        let places = Places::with(symbols, &array, |_| DocumentIndex(0));
        let repeats = select_intervals(&array, &places, 1, |_| 0, Least::ANY, |_| true);
        let strengths: Vec<f64> = repeats.iter().map(|repeat| repeat.occurrences as f64).collect();
        let mut longest = longest_at_positions(&array, &repeats);
        let choices = Choices::of(&array, &repeats, &longest);
        let kept = cover_parts(vec![&mut longest], &repeats, &choices, &strengths);
        (array, repeats, strengths, kept)
    }

    #[test]
    fn of_the_same_in_a_row_only_short_repeats_are_kept() {
        // Rows of 1, 2, 3 ... 40 copies of the same pair, each followed by a symbol that occurs nowhere else.
        let symbols: Vec<u32> =
            (1..=40).flat_map(|row| [0, 1].repeat(row).into_iter().chain([row as u32 + 1])).collect();
        let (_, repeats, _, kept) = covering(&symbols);
        let longest = kept.iter().map(|&index| repeats[index].len).max().unwrap();
        assert!(repeats.iter().any(|repeat| repeat.len > 70) && longest <= 2 * MAX_TIMES + 1, "{longest}");
    }

    proptest! {
        #[test]
        fn every_token_keeps_nearly_its_strongest_repeat(
            rows in prop::collection::vec((prop::collection::vec(0u32..4, 1..4), 1usize..14), 1..12),
        ) {
            let symbols: Vec<u32> = rows.into_iter().flat_map(|(row, times)| row.repeat(times)).collect();
            let (array, repeats, strengths, kept) = covering(&symbols);
            let strongest = |position: usize, indices: &[usize]| {
                let covers = |index: &&usize| {
                    occurrences(&symbols, &array, &repeats[**index]).iter().any(|range| range.contains(&position))
                };
                indices.iter().filter(covers).map(|&index| strengths[index]).fold(0.0, f64::max)
            };
            let all: Vec<usize> = (0..repeats.len()).collect();
            for position in 0..symbols.len() {
                prop_assert!(strongest(position, &kept) >= LEVEL_RATIO * strongest(position, &all) - 1e-9);
            }
        }
    }
}
