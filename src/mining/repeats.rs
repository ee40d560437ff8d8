//! Maximal repeats with term and document frequency.
//!
//! Takes a suffix array, gives its LCP intervals, each a run of symbols that recurs. An interval's width
//! is the run's term frequency. Its document frequency is the width less the pairs of neighbouring
//! suffixes of one document in it; each such pair is counted once, at the smallest interval that holds
//! both (Hui 1992; Yamamoto and Church 2001), found by binary search on the stack of open intervals:
//! O(n log n) for all intervals together. A run is a maximal repeat if, besides, its occurrences are
//! preceded by different symbols: it can be extended neither left nor right without losing one.

use std::ops::Range;

use rayon::prelude::*;

use super::suffix_array::SuffixArray;
use crate::free_positions::FreePositions;

/// A run of symbols that occurs more than once and cannot be extended to the right without losing an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The rank of its first suffix.
    pub first: usize,
    /// How many suffixes start with it: its term frequency.
    pub occurrences: usize,
    /// How many symbols it has.
    pub len: usize,
    /// In how many documents (or groups of documents) it occurs.
    pub documents: usize,
    /// Whether it cannot be extended to the left either.
    pub is_maximal: bool,
}

/// What stands before the occurrences of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    One(u32),
    Several,
}

impl Before {
    fn and(self, other: Before) -> Before {
        if self == other { self } else { Before::Several }
    }
}

struct Open {
    first: usize,
    len: usize,
    /// Pairs of neighbouring suffixes of one document that meet here or below.
    repeated: usize,
    before: Before,
}

/// The intervals that are selected, the inner before those that hold them. `group_of` names the document (or group of
/// documents that count as one) of each position, below `groups`. All cores take part.
pub fn select_intervals(
    symbols: &[u32],
    array: &SuffixArray,
    groups: usize,
    group_of: impl Fn(usize) -> u32 + Sync,
    is_selected: impl Fn(&Interval) -> bool + Sync,
) -> Vec<Interval> {
    let select = |ranks: Range<usize>| {
        let mut selected = Vec::new();
        let visit = |interval| {
            if is_selected(&interval) {
                selected.push(interval);
            }
        };
        visit_intervals(symbols, array, ranks, groups, &group_of, visit);
        selected
    };
    parts(array).into_par_iter().map(select).collect::<Vec<_>>().concat()
}

/// All ranks in parts that no interval reaches out of: what starts with another symbol.
fn parts(array: &SuffixArray) -> Vec<Range<usize>> {
    let size = array.len() / (8 * rayon::current_num_threads()) + 1;
    let mut parts = Vec::new();
    let mut start = 0;
    while start < array.len() {
        let least = (start + size).min(array.len());
        let end = (least..array.len()).find(|&rank| array.common(rank) == 0).unwrap_or(array.len());
        parts.push(start..end);
        start = end;
    }
    parts
}

/// Calls `visit` with every interval of some ranks, the inner before those that hold them.
fn visit_intervals(
    symbols: &[u32],
    array: &SuffixArray,
    ranks: Range<usize>,
    groups: usize,
    group_of: impl Fn(usize) -> u32,
    mut visit: impl FnMut(Interval),
) {
    const NEVER: u32 = u32::MAX;
    let mut last_rank = vec![NEVER; groups];
    let mut open: Vec<Open> = Vec::new();
    for rank in ranks.start..=ranks.end {
        let common = if rank < ranks.end { array.common(rank) } else { 0 };
        close_above(&mut open, common, rank, symbols, array, &mut visit);
        if rank == ranks.end {
            break;
        }
        let position = array.position(rank);
        // Symbols lie anywhere in memory: they are not fetched where they tell nothing new.
        if let Some(top) = open.last_mut().filter(|top| top.before != Before::Several) {
            top.before = top.before.and(symbol_before(symbols, position));
        }
        let group = group_of(position) as usize;
        let previous = std::mem::replace(&mut last_rank[group], rank as u32);
        if previous != NEVER {
            let holding_both = open.partition_point(|interval| interval.first <= previous as usize);
            if let Some(interval) = holding_both.checked_sub(1).map(|index| &mut open[index]) {
                interval.repeated += 1;
            }
        }
    }
}

/// Closes the intervals longer than `common`, and opens the one of that length if it is new.
fn close_above(
    open: &mut Vec<Open>,
    common: usize,
    rank: usize,
    symbols: &[u32],
    array: &SuffixArray,
    visit: &mut impl FnMut(Interval),
) {
    let mut first = rank.saturating_sub(1);
    let mut inner: Option<(usize, Before)> = None;
    while let Some(top) = open.pop_if(|top| top.len > common) {
        let occurrences = rank - top.first;
        visit(Interval {
            first: top.first,
            occurrences,
            len: top.len,
            documents: occurrences - top.repeated,
            is_maximal: top.before == Before::Several,
        });
        first = top.first;
        match open.last_mut().filter(|parent| parent.len >= common) {
            Some(parent) => {
                parent.repeated += top.repeated;
                parent.before = parent.before.and(top.before);
            }
            None => inner = Some((top.repeated, top.before)),
        }
    }
    if common > 0 && open.last().is_none_or(|top| top.len < common) {
        let (repeated, before) = inner.unwrap_or_else(|| (0, symbol_before(symbols, array.position(first))));
        open.push(Open { first, len: common, repeated, before });
    }
}

/// The start of the sequence counts as a symbol that occurs nowhere else.
fn symbol_before(symbols: &[u32], position: usize) -> Before {
    Before::One(position.checked_sub(1).map_or(u32::MAX, |before| symbols[before]))
}

/// Of each rank, the longest accepted interval around it. Linear in ranks and intervals.
pub struct LongestAccepted {
    values: Vec<u32>,
    without: FreePositions,
}

impl LongestAccepted {
    /// What [`LongestAccepted::into_values`] gives for a rank that no accepted interval holds.
    pub const NONE: u32 = u32::MAX;

    /// For intervals to come, inner before outer.
    pub fn new(ranks: usize) -> LongestAccepted {
        LongestAccepted { values: vec![Self::NONE; ranks], without: FreePositions::new(ranks) }
    }

    /// Gives `value` to all ranks of the interval that have none yet.
    pub fn accept(&mut self, interval: &Interval, value: u32) {
        let values = &mut self.values;
        self.without.take(interval.first..interval.first + interval.occurrences, |rank| values[rank] = value);
    }

    /// The values, in the order of the text: that of the suffix which starts at each position.
    pub fn into_values(self, array: &SuffixArray) -> Vec<u32> {
        let LongestAccepted { values, without } = self;
        drop(without);
        let mut by_position = vec![Self::NONE; values.len()];
        for (rank, value) in values.into_iter().enumerate().filter(|&(_, value)| value != Self::NONE) {
            by_position[array.position(rank)] = value;
        }
        by_position
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// Documents one after the other, each closed by a symbol of its own; and the document of each position.
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

    fn counted(documents: &[Vec<u32>], only_maximal: bool) -> Counts {
        let (symbols, document_of) = joined(documents);
        let array = SuffixArray::build(&symbols);
        let mut counts = Counts::new();
        let is_selected = |interval: &Interval| interval.is_maximal || !only_maximal;
        for interval in select_intervals(&symbols, &array, documents.len(), |at| document_of[at], is_selected) {
            let start = array.position(interval.first);
            let run = symbols[start..start + interval.len].to_vec();
            let known = counts.insert(run, (interval.occurrences, interval.documents));
            assert!(known.is_none(), "each run is visited once");
        }
        counts
    }

    /// A run's occurrences, its documents, and the symbols on either side of it.
    #[derive(Default)]
    struct Seen {
        occurrences: usize,
        documents: BTreeSet<usize>,
        before: BTreeSet<i64>,
        after: BTreeSet<i64>,
    }

    fn counted_naively(documents: &[Vec<u32>]) -> Counts {
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
        let is_maximal = |run: &Seen| run.occurrences > 1 && run.before.len() > 1 && run.after.len() > 1;
        let maximal = runs.into_iter().filter(|(_, run)| is_maximal(run));
        maximal.map(|(run, seen)| (run, (seen.occurrences, seen.documents.len()))).collect()
    }

    proptest! {
        #[test]
        fn maximal_repeats_and_their_counts_agree_with_counting_every_run(
            documents in prop::collection::vec(prop::collection::vec(0u32..3, 0..14), 1..6)
        ) {
            prop_assert_eq!(counted(&documents, true), counted_naively(&documents));
        }

        #[test]
        fn document_frequency_counts_groups(
            documents in prop::collection::vec(prop::collection::vec(0u32..3, 0..14), 2..6)
        ) {
            // The last two documents in one group: the frequency falls by one where both have the run.
            let (symbols, document_of) = joined(&documents);
            let array = SuffixArray::build(&symbols);
            let last = documents.len() as u32 - 1;
            let has = |document: &[u32], run: &[u32]| document.windows(run.len()).any(|window| window == run);
            let group_of = |at: usize| document_of[at].min(last - 1);
            for interval in select_intervals(&symbols, &array, documents.len() - 1, group_of, |_| true) {
                let start = array.position(interval.first);
                let (run, frequency) = (&symbols[start..start + interval.len], interval.documents);
                let having = documents.iter().filter(|document| has(document, run)).count();
                let both = documents[documents.len() - 2..].iter().all(|document| has(document, run));
                prop_assert_eq!(frequency, having - usize::from(both));
            }
        }

        #[test]
        fn the_longest_accepted_interval_around_each_rank(symbols in prop::collection::vec(0u32..3, 1..60)) {
            let array = SuffixArray::build(&symbols);
            let accepted = select_intervals(&symbols, &array, 1, |_| 0, |interval| interval.occurrences > 2);
            let mut longest = LongestAccepted::new(array.len());
            accepted.iter().for_each(|interval| longest.accept(interval, interval.len as u32));
            let values = longest.into_values(&array);
            for rank in 0..array.len() {
                let holding = accepted.iter().filter(|i| (i.first..i.first + i.occurrences).contains(&rank));
                let naive = holding.map(|interval| interval.len as u32).max().unwrap_or(LongestAccepted::NONE);
                prop_assert_eq!(values[array.position(rank)], naive);
            }
        }
    }
}
