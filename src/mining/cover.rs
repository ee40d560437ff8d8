//! The few repeats that cover what the many cover.
//!
//! Mined repeats are highly redundant: where "Read more stories" recurs, so do its parts. Takes all
//! repeats that passed the filters, gives those that are needed so that every token keeps (nearly) the
//! strongest evidence any repeat gives it.
//!
//! Strengths fall into levels, from the strongest down. At each level every position is the start of at
//! most one useful interval, the longest repeat that starts there and is strong enough; intervals inside
//! others are dropped; and of the rest those repeats are taken, the most covering first, that cover a
//! token not covered yet. Linear in the tokens for each level, however redundant the repeats are.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::repeats::{Interval, LongestAccepted};
use super::suffix_array::SuffixArray;

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
    let mut uncovered = Uncovered::new(array.len());
    let mut kept = vec![false; repeats.len()];
    let mut level = strongest;
    let mut is_last = repeats.is_empty();
    while !is_last {
        level *= LEVEL_RATIO;
        is_last = level <= weakest;
        let occurrences = useful_occurrences(array, repeats, |index| strengths[index] >= level, &mut uncovered);
        take_most_covering(occurrences, &mut uncovered, &mut kept);
    }
    (0..repeats.len()).filter(|&index| kept[index]).collect()
}

/// The occurrences, from left to right, of the longest strong repeats that reach a token no one has covered.
fn useful_occurrences(
    array: &SuffixArray,
    repeats: &[Interval],
    is_strong: impl Fn(usize) -> bool,
    uncovered: &mut Uncovered,
) -> Vec<Occurrence> {
    let mut longest = LongestAccepted::new(array.len());
    for (index, repeat) in repeats.iter().enumerate().filter(|&(index, _)| is_strong(index)) {
        longest.accept(repeat, index as u32);
    }
    let mut reach = 0;
    let mut occurrences = Vec::new();
    for (start, repeat) in longest.into_values(array).into_iter().enumerate() {
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

fn take_most_covering(occurrences: Vec<Occurrence>, uncovered: &mut Uncovered, kept: &mut [bool]) {
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
            kept[repeat as usize] |= uncovered.cover(*start as usize, *end as usize);
        }
    }
}

/// The positions that no kept repeat covers, as links from each position to the next of them.
struct Uncovered {
    next: Vec<u32>,
}

impl Uncovered {
    fn new(positions: usize) -> Uncovered {
        Uncovered { next: (0..=positions as u32).collect() }
    }

    fn next(&mut self, position: usize) -> usize {
        let mut root = position;
        while self.next[root] as usize != root {
            self.next[root] = self.next[self.next[root] as usize];
            root = self.next[root] as usize;
        }
        root
    }

    /// Covers the positions; whether any of them was uncovered.
    fn cover(&mut self, start: usize, end: usize) -> bool {
        let first = self.next(start);
        let mut position = first;
        while position < end {
            self.next[position] = position as u32 + 1;
            position = self.next(position + 1);
        }
        first < end
    }
}
