//! Finds maximal repeats with their term and document frequencies.
//!
//! Takes a suffix array and finds its LCP intervals. Each is a run of symbols that recurs. The width of an interval is
//! the run's term frequency. Its document frequency is the width minus the number of pairs of suffixes in the interval
//! that are of one document, with no suffix of this document between them. Each pair is counted once, at the smallest
//! interval that contains both suffixes (Hui 1992; Yamamoto and Church 2001). This interval is found by binary search
//! on the stack of open intervals, in O(n log n) for all intervals together. A run is a maximal repeat if its
//! occurrences are also preceded by different symbols: then it cannot be extended to the left or right without losing
//! an occurrence.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::places::Places;
use super::suffix_array::SuffixArray;
use crate::tokens::DocumentIndex;
use crate::tokens::free_positions::FreePositions;

/// A run of symbols that occurs more than once and cannot be extended to the right without losing an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The rank of its first suffix.
    pub first: usize,
    /// Number of suffixes that start with it: its term frequency.
    pub occurrences: usize,
    /// Number of symbols.
    pub len: usize,
    /// Number of documents (or groups of documents) it occurs in.
    pub documents: usize,
    /// Whether it cannot be extended to the left either without losing an occurrence.
    pub is_maximal: bool,
}

impl Interval {
    /// Whether all suffixes of the other interval start with this run.
    pub fn holds(&self, other: &Interval) -> bool {
        self.first <= other.first && other.first + other.occurrences <= self.first + self.occurrences
    }
}

/// Minimum length and frequency of an interval. Other intervals are skipped, so larger values are faster.
#[derive(Clone, Copy, Debug)]
pub struct Least {
    /// Number of symbols, at least 1.
    pub len: usize,
    /// Number of occurrences, at least 2.
    pub occurrences: usize,
}

impl Least {
    /// Values that every interval reaches.
    pub const ANY: Least = Least { len: 1, occurrences: 2 };
}

struct Open {
    first: usize,
    len: usize,
    /// Number of pairs of successive suffixes of one document in this interval. A pair in an inner interval is added
    /// when that interval closes.
    repeated: usize,
    is_maximal: bool,
}

/// The selected intervals. Each inner interval comes before those that contain it. `group_of` returns the group of a
/// document, which must be less than `groups`. Uses all cores.
pub fn select_intervals(
    array: &SuffixArray,
    places: &Places,
    groups: usize,
    group_of: impl Fn(DocumentIndex) -> u32 + Sync,
    least: Least,
    is_selected: impl Fn(&Interval) -> bool + Sync,
) -> Vec<Interval> {
    let select = |ranks: Range<usize>| {
        let mut selected = Vec::new();
        let mut visitor = Visitor { array, places, last_rank: vec![NEVER; groups], open: Vec::new() };
        for family in families(array, ranks, least.len).filter(|family| family.len() >= least.occurrences) {
            visitor.visit(family, &group_of, |interval| {
                if interval.occurrences >= least.occurrences && is_selected(&interval) {
                    selected.push(interval);
                }
            });
        }
        selected
    };
    let parts: Vec<Vec<Interval>> = parts(array, least.len).into_par_iter().map(select).collect();
    let mut selected = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    // `for_each` takes each part, so it is freed as soon as it is copied.
    parts.into_iter().for_each(|part| selected.extend(part));
    selected
}

/// A family: the ranks from `start` on, before `end`, whose suffixes start with the same `len` symbols.
fn family(array: &SuffixArray, start: usize, end: usize, len: usize) -> Range<usize> {
    start..(start + 1..end).find(|&rank| array.common(rank) < len).unwrap_or(end)
}

/// Divides ranks into families. No interval of `len` symbols or more crosses the boundary of a family.
fn families(array: &SuffixArray, ranks: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    let family_at = move |start| (start < ranks.end).then(|| family(array, start, ranks.end, len));
    std::iter::successors(family_at(ranks.start), move |before| family_at(before.end))
}

/// Divides all ranks into parts. A family is never split.
fn parts(array: &SuffixArray, len: usize) -> Vec<Range<usize>> {
    let size = array.len() / (8 * rayon::current_num_threads()) + 1;
    let mut parts = Vec::new();
    let mut start = 0;
    while start < array.len() {
        let last = (start + size).min(array.len()) - 1;
        let end = family(array, last, array.len(), len).end;
        parts.push(start..end);
        start = end;
    }
    parts
}

const NEVER: u32 = u32::MAX;

struct Visitor<'a> {
    array: &'a SuffixArray,
    places: &'a Places,
    /// For each group, the last rank at which it was seen.
    last_rank: Vec<u32>,
    open: Vec<Open>,
}

impl Visitor<'_> {
    /// Calls `visit` with every interval of a family. Each inner interval comes before those that contain it.
    fn visit(
        &mut self,
        family: Range<usize>,
        group_of: impl Fn(DocumentIndex) -> u32,
        mut visit: impl FnMut(Interval),
    ) {
        for rank in family.clone() {
            if rank > family.start {
                self.close_above(self.array.common(rank), rank, &mut visit);
                // The last open interval is the innermost one that contains this rank and the rank before.
                if let Some(top) = self.open.last_mut() {
                    top.is_maximal |= !self.places.is_preceded_alike(rank);
                }
            }
            let group = group_of(self.places.document(rank)) as usize;
            let previous = std::mem::replace(&mut self.last_rank[group], rank as u32);
            if previous != NEVER {
                let holding_both = self.open.partition_point(|interval| interval.first <= previous as usize);
                if let Some(interval) = holding_both.checked_sub(1).map(|index| &mut self.open[index]) {
                    interval.repeated += 1;
                }
            }
        }
        self.close_above(0, family.end, &mut visit);
    }

    /// Closes the intervals longer than `common`. Opens the one of length `common` if it is not open yet.
    fn close_above(&mut self, common: usize, rank: usize, visit: &mut impl FnMut(Interval)) {
        let (mut first, mut repeated, mut is_maximal) = (rank - 1, 0, false);
        while let Some(top) = self.open.pop_if(|top| top.len > common) {
            let occurrences = rank - top.first;
            visit(Interval {
                first: top.first,
                occurrences,
                len: top.len,
                documents: occurrences - top.repeated,
                is_maximal: top.is_maximal,
            });
            match self.open.last_mut().filter(|parent| parent.len >= common) {
                Some(parent) => {
                    parent.repeated += top.repeated;
                    parent.is_maximal |= top.is_maximal;
                }
                None => (first, repeated, is_maximal) = (top.first, top.repeated, top.is_maximal),
            }
        }
        if common > 0 && self.open.last().is_none_or(|top| top.len < common) {
            self.open.push(Open { first, len: common, repeated, is_maximal });
        }
    }
}

/// The value of [`longest_at_positions`] and [`outer_intervals`] where there is no interval.
pub const NONE: u32 = u32::MAX;

/// For each position: the index of the longest selected interval that starts there, or [`NONE`]. Linear in ranks and
/// intervals.
pub fn longest_at_positions(array: &SuffixArray, intervals: &[Interval]) -> Vec<u32> {
    let longest: Vec<AtomicU32> = (0..array.len()).into_par_iter().map(|_| AtomicU32::new(NONE)).collect();
    nests(intervals).into_par_iter().for_each(|nest| {
        let outermost = intervals[nest.end - 1];
        let mut without = FreePositions::new(outermost.occurrences);
        // Inner intervals, which are longer, come first and take their ranks.
        for index in nest {
            let start = intervals[index].first - outermost.first;
            without.take(start..start + intervals[index].occurrences, |rank| {
                longest[array.position(outermost.first + rank)].store(index as u32, Ordering::Relaxed);
            });
        }
    });
    longest.into_iter().map(AtomicU32::into_inner).collect()
}

/// For each selected interval: the smallest other one that contains it, or [`NONE`]. Its run is the longest proper
/// prefix among the selected runs.
pub fn outer_intervals(intervals: &[Interval]) -> Vec<u32> {
    let mut outer = vec![NONE; intervals.len()];
    let mut open: Vec<u32> = Vec::new();
    for (index, interval) in intervals.iter().enumerate() {
        while let Some(inner) = open.pop_if(|inner| intervals[*inner as usize].first >= interval.first) {
            outer[inner as usize] = index as u32;
        }
        open.push(index as u32);
    }
    outer
}

/// Divides the indices of intervals into ranges. The last interval of each range contains all others in the range.
fn nests(intervals: &[Interval]) -> Vec<Range<usize>> {
    let mut nests = Vec::new();
    let mut end = intervals.len();
    while let Some(outermost) = intervals[..end].last() {
        let outside = intervals[..end].iter().rposition(|interval| interval.first < outermost.first);
        let start = outside.map_or(0, |outside| outside + 1);
        nests.push(start..end);
        end = start;
    }
    nests
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// Concatenates documents, each followed by a symbol that occurs nowhere else. Also returns the document of each
    /// position.
    fn joined(documents: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
        let (mut symbols, mut document_of) = (Vec::new(), Vec::new());
        for (index, document) in documents.iter().enumerate() {
            symbols.extend(document);
            symbols.push(1000 + index as u32);
            document_of.resize(symbols.len(), index as u32);
        }
        (symbols, document_of)
    }

    type Counts = BTreeMap<Vec<u32>, (usize, usize)>;

    fn counted(documents: &[Vec<u32>], least: Least) -> Counts {
        let (symbols, document_of) = joined(documents);
        let array = SuffixArray::build(&symbols);
        let places = Places::with(&symbols, &array, |at| DocumentIndex(document_of[at]));
        let mut counts = Counts::new();
        let is_maximal = |interval: &Interval| interval.is_maximal;
        for interval in select_intervals(&array, &places, documents.len(), |document| document.0, least, is_maximal) {
            let start = array.position(interval.first);
            let run = symbols[start..start + interval.len].to_vec();
            let known = counts.insert(run, (interval.occurrences, interval.documents));
            assert!(known.is_none(), "each run is visited once");
        }
        counts
    }

    /// The occurrences and documents of a run, and the symbols on both sides of it.
    #[derive(Default)]
    struct Seen {
        occurrences: usize,
        documents: BTreeSet<usize>,
        before: BTreeSet<i64>,
        after: BTreeSet<i64>,
    }

    fn counted_naively(documents: &[Vec<u32>], least: Least) -> Counts {
        let mut runs: BTreeMap<Vec<u32>, Seen> = BTreeMap::new();
        for (index, document) in documents.iter().enumerate() {
            for start in 0..document.len() {
                for end in start + 1..=document.len() {
                    let run = runs.entry(document[start..end].to_vec()).or_default();
                    let unique = -1 - index as i64;
                    run.occurrences += 1;
                    run.documents.insert(index);
                    run.before.insert(if start == 0 { unique } else { document[start - 1].into() });
                    run.after.insert(if end == document.len() { unique } else { document[end].into() });
                }
            }
        }
        let is_maximal = |run: &Seen| run.before.len() > 1 && run.after.len() > 1;
        let maximal = runs
            .into_iter()
            .filter(|(run, seen)| run.len() >= least.len && seen.occurrences >= least.occurrences && is_maximal(seen));
        maximal.map(|(run, seen)| (run, (seen.occurrences, seen.documents.len()))).collect()
    }

    proptest! {
        #[test]
        fn maximal_repeats_and_their_counts_agree_with_counting_every_run(
            documents in prop::collection::vec(prop::collection::vec(0u32..3, 0..14), 1..6),
            len in 1usize..4,
            occurrences in 2usize..5,
        ) {
            let least = Least { len, occurrences };
            prop_assert_eq!(counted(&documents, least), counted_naively(&documents, least));
        }

        #[test]
        fn document_frequency_counts_groups(
            documents in prop::collection::vec(prop::collection::vec(0u32..3, 0..14), 2..6)
        ) {
            // The last two documents are in one group. So the frequency is lower by 1 for runs that both have.
            let (symbols, document_of) = joined(&documents);
            let array = SuffixArray::build(&symbols);
            let places = Places::with(&symbols, &array, |at| DocumentIndex(document_of[at]));
            let last = documents.len() as u32 - 1;
            let has = |document: &[u32], run: &[u32]| document.windows(run.len()).any(|window| window == run);
            let group_of = |document: DocumentIndex| document.0.min(last - 1);
            for interval in select_intervals(&array, &places, documents.len() - 1, group_of, Least::ANY, |_| true) {
                let start = array.position(interval.first);
                let (run, frequency) = (&symbols[start..start + interval.len], interval.documents);
                let having = documents.iter().filter(|document| has(document, run)).count();
                let both = documents[documents.len() - 2..].iter().all(|document| has(document, run));
                prop_assert_eq!(frequency, having - usize::from(both));
            }
        }

        #[test]
        fn the_longest_interval_at_each_position(symbols in prop::collection::vec(0u32..3, 1..60)) {
            let array = SuffixArray::build(&symbols);
            let places = Places::with(&symbols, &array, |_| DocumentIndex(0));
            let recurs_again = |interval: &Interval| interval.occurrences > 2;
            let intervals = select_intervals(&array, &places, 1, |_| 0, Least::ANY, recurs_again);
            let longest = longest_at_positions(&array, &intervals);
            for rank in 0..array.len() {
                let is_held = |index: &usize| {
                    let Interval { first, occurrences, .. } = intervals[*index];
                    (first..first + occurrences).contains(&rank)
                };
                let holding = (0..intervals.len()).filter(is_held);
                let naive = holding.max_by_key(|&index| intervals[index].len).map_or(NONE, |index| index as u32);
                prop_assert_eq!(longest[array.position(rank)], naive);
            }
        }
    }
}
