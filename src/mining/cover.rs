//! The few repeats that cover what the many cover.
//!
//! Mined repeats are highly redundant: where "Read more stories" recurs, so do its parts. Takes all
//! repeats that passed the filters, gives those that are needed so that every token keeps (nearly) the
//! strongest evidence any repeat gives it.
//!
//! Strengths fall into levels, from the strongest down. At each level every position is the start of at
//! most one useful interval, the longest repeat that starts there and is strong enough; intervals inside
//! others are dropped; and of the rest those repeats are taken, the most covering first, that cover a
//! token not covered yet. Linear in the tokens for each level, however redundant the repeats are: which repeats start
//! at a position is sorted out once, the longest with those that it starts with, and each level takes one of them.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::repeats::{Interval, LongestAccepted};
use super::suffix_array::SuffixArray;
use crate::free_positions::FreePositions;

/// From level to level the strength falls by this factor: evidence is kept to within a fifth.
const LEVEL_RATIO: f64 = 0.8;

/// Where a repeat occurs usefully.
struct Occurrence {
    repeat: u32,
    start: u32,
    end: u32,
}

/// The indices of the repeats to keep, ascending. `repeats` come inner before outer, each with its strength (above 0).
pub fn cover(array: &SuffixArray, repeats: &[Interval], strengths: &[f64]) -> Vec<usize> {
    let (strongest, weakest) = strengths.iter().fold((0.0f64, f64::MAX), |(max, min), &s| (max.max(s), min.min(s)));
    let mut longest = LongestAccepted::new(array.len());
    repeats.iter().enumerate().for_each(|(index, repeat)| longest.accept(repeat, index as u32));
    let longest = longest.into_values(array);
    let outer = outer_repeats(repeats);
    let mut uncovered = FreePositions::new(array.len());
    let mut kept = vec![false; repeats.len()];
    let mut level = strongest;
    let mut is_last = repeats.is_empty();
    while !is_last {
        level *= LEVEL_RATIO;
        is_last = level <= weakest;
        let strong = longest_strong(&outer, |index| strengths[index] >= level);
        let occurrences = useful_occurrences(&longest, &strong, repeats, &mut uncovered);
        take_most_covering(occurrences, &mut uncovered, &mut kept);
    }
    (0..repeats.len()).filter(|&index| kept[index]).collect()
}

/// Of each repeat, the longest one that it starts with: the next interval that holds its own.
fn outer_repeats(repeats: &[Interval]) -> Vec<u32> {
    let mut outer = vec![LongestAccepted::NONE; repeats.len()];
    let mut open: Vec<u32> = Vec::new();
    for (index, repeat) in repeats.iter().enumerate() {
        while let Some(inner) = open.pop_if(|inner| repeats[*inner as usize].first >= repeat.first) {
            outer[inner as usize] = index as u32;
        }
        open.push(index as u32);
    }
    outer
}

/// Of each repeat, itself if it is strong, else the longest strong one that it starts with.
fn longest_strong(outer: &[u32], is_strong: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut strong = vec![LongestAccepted::NONE; outer.len()];
    for index in (0..outer.len()).rev() {
        strong[index] = match outer[index] {
            _ if is_strong(index) => index as u32,
            LongestAccepted::NONE => LongestAccepted::NONE,
            outer => strong[outer as usize],
        };
    }
    strong
}

/// The occurrences, from left to right, of the longest strong repeats that reach a token no one has covered. `longest`
/// is the longest repeat that starts at each position, and `strong` which one counts instead of it.
fn useful_occurrences(
    longest: &[u32],
    strong: &[u32],
    repeats: &[Interval],
    uncovered: &mut FreePositions,
) -> Vec<Occurrence> {
    let mut reach = 0;
    let mut occurrences = Vec::new();
    for (start, &longest) in longest.iter().enumerate().filter(|&(_, &longest)| longest != LongestAccepted::NONE) {
        let repeat = strong[longest as usize];
        if repeat == LongestAccepted::NONE {
            continue;
        }
        let end = start + repeats[repeat as usize].len;
        if end > reach {
            reach = end;
            if uncovered.next(start) < end {
                occurrences.push(Occurrence { repeat, start: start as u32, end: end as u32 });
            }
        }
    }
    occurrences
}

fn take_most_covering(occurrences: Vec<Occurrence>, uncovered: &mut FreePositions, kept: &mut [bool]) {
    let mut of_repeat: FxHashMap<u32, Vec<Occurrence>> = FxHashMap::default();
    for occurrence in occurrences {
        of_repeat.entry(occurrence.repeat).or_default().push(occurrence);
    }
    let covering = |occurrences: &[Occurrence]| occurrences.iter().map(|o| u64::from(o.end - o.start)).sum::<u64>();
    let mut ranked: Vec<(u64, u32)> =
        of_repeat.iter().map(|(&repeat, occurrences)| (covering(occurrences), repeat)).collect();
    ranked.sort_unstable_by_key(|&(covered, repeat)| (Reverse(covered), repeat));
    for (_, repeat) in ranked {
        for Occurrence { start, end, .. } in &of_repeat[&repeat] {
            uncovered.take(*start as usize..*end as usize, |_| kept[repeat as usize] = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mining::repeats::select_intervals;

    fn occurrences(symbols: &[u32], array: &SuffixArray, repeat: &Interval) -> Vec<std::ops::Range<usize>> {
        let start = array.position(repeat.first);
        let run = &symbols[start..start + repeat.len];
        let starts = (0..symbols.len()).filter(|&at| symbols[at..].starts_with(run));
        starts.map(|start| start..start + repeat.len).collect()
    }

    proptest! {
        #[test]
        fn every_token_keeps_nearly_its_strongest_repeat(symbols in prop::collection::vec(0u32..4, 1..60)) {
            let array = SuffixArray::build(&symbols);
            let repeats = select_intervals(&symbols, &array, 1, |_| 0, |_| true);
            let strengths: Vec<f64> = repeats.iter().map(|repeat| repeat.occurrences as f64).collect();
            let kept = cover(&array, &repeats, &strengths);
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
