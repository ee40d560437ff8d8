//! Finds near-duplicates by sketches of their texts, as search engines do (Broder and others 1997).
//!
//! A sketch consists of the 8 smallest hashes of all runs of 6 words in a text. Two texts are near-duplicates if their
//! sketches share 4 hashes. Words are runs of letters and numbers; a character of a script without spaces is a word of
//! its own.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::random::mix;
use crate::tokens::characters::{is_letter_or_number, is_unspaced};

/// Number of words in a run.
const SHINGLE: usize = 6;
/// Number of hashes in a sketch.
const SKETCH: usize = 8;
/// Number of hashes that near-duplicates share.
const SHARED: usize = 4;

/// The hashes in the sketch of a text, ascending. Short texts have fewer hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch(Vec<u64>);

impl Sketch {
    /// The sketch of a text.
    pub fn of(text: &str) -> Sketch {
        let run = |words: &[u64]| words.iter().fold(0, |hash, word| mix(hash ^ word).wrapping_add(*word));
        let runs: BTreeSet<u64> = words(text).windows(SHINGLE).map(run).collect();
        Sketch(runs.into_iter().take(SKETCH).collect())
    }

    /// All choices of [`SHARED`] hashes. Two sketches are of near-duplicates if they have a choice in common.
    fn choices(&self) -> impl Iterator<Item = [u64; SHARED]> + '_ {
        let count = self.0.len();
        let chosen = (0..1u32 << count).filter(|choice| choice.count_ones() as usize == SHARED);
        chosen.map(move |choice| {
            let mut hashes = (0..count).filter(|bit| choice >> bit & 1 == 1).map(|bit| self.0[bit]);
            std::array::from_fn(|_| hashes.next().unwrap_or_default())
        })
    }
}

/// The hashes of the words of a text, without case.
fn words(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    let mut word: Option<u64> = None;
    for c in text.chars() {
        if !is_letter_or_number(c) || is_unspaced(c) {
            words.extend(word.take());
        }
        if is_letter_or_number(c) {
            let before = word.unwrap_or_default();
            let hash = c.to_lowercase().fold(before, |hash, c| mix(hash ^ u64::from(u32::from(c))).wrapping_add(1));
            word = Some(hash);
            if is_unspaced(c) {
                words.extend(word.take());
            }
        }
    }
    words.extend(word);
    words
}

/// The group of each document. Documents are in one group if a chain of near-duplicates connects them. A document
/// without a sketch is a group of its own. Takes linear time.
pub fn groups(sketches: &[Option<Sketch>]) -> Vec<u32> {
    let mut group: Vec<u32> = (0..sketches.len() as u32).collect();
    let root = |group: &mut Vec<u32>, mut at: u32| {
        while group[at as usize] != at {
            group[at as usize] = group[group[at as usize] as usize];
            at = group[at as usize];
        }
        at
    };
    let mut first_with: FxHashMap<[u64; SHARED], u32> = FxHashMap::default();
    for (document, sketch) in (0..).zip(sketches) {
        for choice in sketch.iter().flat_map(Sketch::choices) {
            let first = *first_with.entry(choice).or_insert(document);
            let (a, b) = (root(&mut group, first), root(&mut group, document));
            group[a.max(b) as usize] = a.min(b);
        }
    }
    (0..sketches.len() as u32).map(|document| root(&mut group, document)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn numbered(words: std::ops::Range<usize>) -> String {
        words.map(|word| format!("w{word} ")).collect()
    }

    #[test]
    fn case_and_layout_do_not_matter_and_short_texts_have_few_hashes() {
        assert_eq!(Sketch::of("One two, three\nfour FIVE six"), Sketch::of("one Two three four five six."));
        assert_eq!(Sketch::of(&numbered(0..10)).0.len(), 5);
        assert_eq!(Sketch::of(&numbered(0..100)).0.len(), SKETCH);
        assert_eq!(Sketch::of("five words are too few"), Sketch::default());
        assert_eq!(words("日本語 and").len(), 4);
    }

    #[test]
    fn groups_are_those_of_all_pairs() {
        let mut random = Random::new(3);
        for _ in 0..50 {
            let sketch = |random: &mut Random| {
                let hashes: BTreeSet<u64> = (0..random.below(9)).map(|_| random.below(12) as u64).collect();
                (random.below(8) > 0).then_some(Sketch(hashes.into_iter().collect()))
            };
            let sketches: Vec<Option<Sketch>> = (0..20).map(|_| sketch(&mut random)).collect();
            let is_duplicate = |a: usize, b: usize| match (&sketches[a], &sketches[b]) {
                (Some(a), Some(b)) => a.0.iter().filter(|hash| b.0.contains(hash)).count() >= SHARED,
                _ => false,
            };
            let mut expected: Vec<u32> = (0..20).collect();
            for _ in 0..20 {
                for (a, b) in (0..20).flat_map(|a| (0..20).map(move |b| (a, b))) {
                    if is_duplicate(a, b) {
                        let least = expected[a].min(expected[b]);
                        (expected[a], expected[b]) = (least, least);
                    }
                }
            }
            assert_eq!(groups(&sketches), expected);
        }
    }

    #[test]
    fn many_equal_documents_end_in_time() {
        let one = Some(Sketch::of(&numbered(0..50)));
        assert!(groups(&vec![one; 20_000]).iter().all(|&group| group == 0));
    }
}
