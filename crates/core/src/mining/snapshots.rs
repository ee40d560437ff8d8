//! Recognises sources whose documents are snapshots of one page, such as a front page that is fetched every hour.
//!
//! Stories enter such a page, stay for some snapshots and leave. So each snapshot is like some others, these are like
//! further ones, and so on, until nearly all are reached. But no story is on nearly all snapshots. Near-duplicates of
//! articles are small groups in a source whose other documents have nothing to do with them.
//!
//! Takes the suffix array. A run of 12 tokens is *lasting* if nearly all documents have it, else *passing*. Two
//! documents are neighbours if they share most of their passing runs. The documents are snapshots if chains of
//! neighbours connect nearly all of them. No order of the documents is needed. The time is linear.

use super::near_duplicates::{Groups, MIN_OWN, MIN_RUN_OF_COPY, MIN_SHARED_PART};
use super::places::Places;
use super::suffix_array::SuffixArray;
use crate::tokens::{DocumentIndex, SymbolSequence};

/// The share of the documents that counts as nearly all. It is below 1, because a page may fail, or be changed for a
/// day.
///
/// Text of one story cannot connect so many documents, because text in so many documents is lasting. So a group of this
/// size is connected by several stories.
pub const NEARLY_ALL: f64 = 0.9;
/// Minimum number of documents. With fewer, "nearly all" would mean all, and a story is often on all of so few pages.
const MIN_SNAPSHOTS: usize = 10;
/// Number of other occurrences, on either side in the suffix array, to which an occurrence of a run is compared. The
/// nearest ones have the longest text in common with it. This limits the time if a run is in very many documents.
const REACH_OF_RUN: usize = 32;

/// Whether the documents are snapshots of one page. Documents of one group of `copies` count once.
pub fn are_snapshots(sequence: &SymbolSequence, array: &SuffixArray, places: &Places, copies: &Groups) -> bool {
    if copies.len() < MIN_SNAPSHOTS {
        return false;
    }
    let nearly_all = (NEARLY_ALL * copies.len() as f64).ceil() as usize;
    let mut search = Search::new(sequence, array, places, copies, nearly_all);
    let mut unconnected = 0;
    for group in 0..copies.len() {
        if !search.is_reached[group] {
            let connected = search.reach_from(group);
            if connected >= nearly_all {
                return true;
            }
            unconnected += connected;
        }
        // Too few groups are left, however they are connected.
        if unconnected + nearly_all > copies.len() {
            return false;
        }
    }
    false
}

struct Search<'s> {
    sequence: &'s SymbolSequence,
    array: &'s SuffixArray,
    places: &'s Places,
    copies: &'s Groups,
    /// The first document of each group.
    documents: Vec<DocumentIndex>,
    /// For each position: its rank if a passing run starts there, else [`LASTING`].
    ranks: Vec<u32>,
    /// Number of passing runs of each group.
    own: Vec<u32>,
    is_reached: Vec<bool>,
    /// For each group: the last position for which it was noted, and the number of such positions.
    noted: Vec<(usize, u32)>,
}

/// In place of a rank: a lasting run starts here.
const LASTING: u32 = u32::MAX;

impl<'s> Search<'s> {
    fn new(
        sequence: &'s SymbolSequence,
        array: &'s SuffixArray,
        places: &'s Places,
        copies: &'s Groups,
        nearly_all: usize,
    ) -> Search<'s> {
        let mut ranks = vec![LASTING; array.len()];
        let mut last_run = vec![usize::MAX; copies.len()];
        let mut first = 0;
        while first < array.len() {
            let mut end = first + 1;
            while end < array.len() && array.common(end) >= MIN_RUN_OF_COPY {
                end += 1;
            }
            let mut groups = 0;
            for rank in first..end {
                let last = &mut last_run[copies.of(places.document(rank)) as usize];
                groups += usize::from(*last != first);
                *last = first;
            }
            if groups < nearly_all {
                (first..end).for_each(|rank| ranks[array.position(rank)] = rank as u32);
            }
            first = end;
        }

        let mut documents = vec![None; copies.len()];
        for document in (0..sequence.documents() as u32).map(DocumentIndex) {
            documents[copies.of(document) as usize].get_or_insert(document);
        }

        let (is_reached, noted) = (vec![false; copies.len()], vec![(usize::MAX, 0); copies.len()]);
        let (documents, own) = (documents.into_iter().flatten().collect(), Vec::new());
        let mut search = Search { sequence, array, places, copies, documents, ranks, own, is_reached, noted };
        let own = |group| search.starts(group).filter(|&position| search.passing(position).is_some()).count() as u32;
        search.own = (0..copies.len()).map(own).collect();
        search
    }

    /// Marks this group and all groups that are connected with it as reached. Returns their number.
    fn reach_from(&mut self, group: usize) -> usize {
        self.is_reached[group] = true;
        let mut reached = vec![group];
        let mut next = 0;
        while let Some(&group) = reached.get(next) {
            for neighbour in self.neighbours(group) {
                if !self.is_reached[neighbour] {
                    self.is_reached[neighbour] = true;
                    reached.push(neighbour);
                }
            }
            next += 1;
        }
        reached.len()
    }

    fn neighbours(&mut self, group: usize) -> Vec<usize> {
        let mut met = Vec::new();
        for position in self.starts(group) {
            let Some(rank) = self.passing(position) else { continue };
            let is_same = |rank: usize| rank < self.array.len() && self.array.common(rank) >= MIN_RUN_OF_COPY;
            let before =
                (0..REACH_OF_RUN.min(rank)).map(|step| rank - step).take_while(|&rank| is_same(rank)).map(|at| at - 1);
            let after = (1..=REACH_OF_RUN).map(|step| rank + step).take_while(|&rank| is_same(rank));
            for other in before.chain(after) {
                let other = self.copies.of(self.places.document(other)) as usize;
                let (last, times) = &mut self.noted[other];
                if other != group && *last != position {
                    if *times == 0 {
                        met.push(other);
                    }
                    (*last, *times) = (position, *times + 1);
                }
            }
        }

        let shared: Vec<(usize, u32)> = met.into_iter().map(|other| (other, self.noted[other].1)).collect();
        shared.iter().for_each(|&(other, _)| self.noted[other] = (usize::MAX, 0));
        let is_neighbour = |&(other, shared): &(usize, u32)| {
            let smaller = self.own[group].min(self.own[other]);
            smaller >= MIN_OWN && f64::from(shared) >= MIN_SHARED_PART * f64::from(smaller)
        };
        shared.into_iter().filter(is_neighbour).map(|(other, _)| other).collect()
    }

    /// The positions in the first document of a group where a run can start.
    fn starts(&self, group: usize) -> std::ops::Range<usize> {
        let positions = self.sequence.document(self.documents[group]);
        positions.start..(positions.end + 1).saturating_sub(MIN_RUN_OF_COPY).max(positions.start)
    }

    fn passing(&self, position: usize) -> Option<usize> {
        Some(self.ranks[position]).filter(|&rank| rank != LASTING).map(|rank| rank as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    fn sequence_of(texts: &[String]) -> SymbolSequence {
        SymbolSequence::of_texts(texts, &Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()))).unwrap()
    }

    fn recognised(sequence: &SymbolSequence) -> bool {
        let array = SuffixArray::build(sequence.symbols());
        let places = Places::of(sequence, &array);
        are_snapshots(sequence, &array, &places, &Groups::of_identical(sequence, None))
    }

    /// By the definition, with sets of runs.
    fn recognised_naively(sequence: &SymbolSequence) -> bool {
        let tokens = |document| &sequence.symbols()[sequence.document(DocumentIndex(document))];
        let different: BTreeSet<&[u32]> = (0..sequence.documents() as u32).map(tokens).collect();
        let runs: Vec<Vec<&[u32]>> = different.iter().map(|tokens| tokens.windows(MIN_RUN_OF_COPY).collect()).collect();
        let mut documents: BTreeMap<&[u32], usize> = BTreeMap::new();
        for runs in &runs {
            runs.iter().collect::<BTreeSet<_>>().into_iter().for_each(|run| *documents.entry(run).or_default() += 1);
        }
        let nearly_all = (NEARLY_ALL * runs.len() as f64).ceil() as usize;
        let sets: Vec<BTreeSet<&[u32]>> = runs.iter().map(|runs| runs.iter().copied().collect()).collect();
        let passing = |runs: &Vec<&'_ [u32]>| runs.iter().copied().filter(|run| documents[run] < nearly_all).count();
        let is_neighbour = |a: usize, b: usize| {
            let is_shared = |run: &&&[u32]| documents[**run] < nearly_all && sets[b].contains(**run);
            let shared = runs[a].iter().filter(is_shared).count();
            let smaller = passing(&runs[a]).min(passing(&runs[b]));
            smaller >= MIN_OWN as usize && shared as f64 >= MIN_SHARED_PART * smaller as f64
        };
        let pairs = (0..runs.len()).flat_map(|a| (0..runs.len()).map(move |b| (a, b)));
        let neighbours: Vec<(usize, usize)> = pairs.filter(|&(a, b)| is_neighbour(a, b)).collect();
        let mut component: Vec<usize> = (0..runs.len()).collect();
        for _ in 0..runs.len() {
            for &(a, b) in &neighbours {
                let least = component[a].min(component[b]);
                (component[a], component[b]) = (least, least);
            }
        }
        runs.len() >= MIN_SNAPSHOTS
            && (0..runs.len()).any(|of| component.iter().filter(|&&other| other == of).count() >= nearly_all)
    }

    /// A text that is different for each seed.
    fn story(seed: usize, words: usize) -> String {
        (0..words).map(|word| format!("s{seed}w{word} ")).collect()
    }

    fn page(stories: impl Iterator<Item = usize>) -> String {
        let menu: String = (0..40).map(|word| format!("menu{word}\n")).collect();
        menu + &stories.map(|seed| story(seed, 20) + "\n").collect::<String>()
    }

    fn texts(pages: usize, text: impl Fn(usize) -> String) -> SymbolSequence {
        sequence_of(&(0..pages).map(text).collect::<Vec<String>>())
    }

    #[test]
    fn stories_that_come_and_go_make_snapshots() {
        assert!(recognised(&texts(20, |hour| page(2 * hour..2 * hour + 20))));
        assert!(recognised(&texts(300, |hour| page(hour..hour + 10))));
    }

    #[test]
    fn other_sources_are_no_snapshots() {
        let article = |number: usize| page(std::iter::empty()) + &story(number, 200);
        assert!(!recognised(&texts(20, article)), "articles");
        assert!(!recognised(&texts(20, |number| article(number / 2) + &story(number, 20))), "each is stored twice");
        assert!(!recognised(&texts(20, |number| article(number.min(1)) + &story(number, 20))), "one in 19 versions");
        assert!(!recognised(&texts(20, |number| article(number / 10) + &story(number, 20))), "two in 10 versions");
        assert!(!recognised(&texts(20, |hour| page(20 * hour..20 * hour + 20))), "a page that is new each time");
        assert!(!recognised(&texts(20, |_| page(0..20))), "a page that never changes");
        assert!(!recognised(&texts(9, |hour| page(2 * hour..2 * hour + 20))), "too few");
        assert!(!recognised(&sequence_of(&[])));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Page sizes differ, so it matters which of two pages is the smaller one.
        #[test]
        fn recognised_as_by_definition(
            sizes in vec(1..12_usize, 8..20), pace in 0..4_usize, others in 0..4_usize, menu in any::<bool>()
        ) {
            let text = |number: usize| {
                let stories = pace * number..pace * number + sizes[number];
                match number < others {
                    true => story(1000 + number, 100),
                    false if menu => page(stories),
                    false => stories.map(|seed| story(seed, 20)).collect(),
                }
            };
            let sequence = texts(sizes.len(), text);
            prop_assert_eq!(recognised(&sequence), recognised_naively(&sequence));
        }
    }
}
