//! Duplicate detection by shingles, as search engines do to find pages with the same text.
//!
//! A text's sketch is the [`SKETCH`] smallest hashes of its runs of [`SHINGLE`] words. Two texts count as duplicates if
//! their sketches share [`MIN_SHARED_HASHES`] hashes (Broder and others 1997, as used by Chakrabarti, Kumar and Punera 2007).

use std::collections::BTreeSet;

use dehusk_core::random::mix;
use dehusk_run::scoring::words::word_hashes;

/// Number of words in a shingle.
pub const SHINGLE: usize = 6;
/// Number of hashes in a sketch.
pub const SKETCH: usize = 8;
/// Minimum number of hashes that duplicates share.
pub const MIN_SHARED_HASHES: usize = 4;

/// The smallest hashes of a text's shingles. At most [`SKETCH`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    hashes: Vec<u64>,
}

impl Sketch {
    /// The sketch of a text.
    pub fn of(text: &str) -> Sketch {
        Sketch { hashes: shingles(text).into_iter().take(SKETCH).collect() }
    }

    /// Number of hashes that two sketches share.
    pub fn shared(&self, other: &Sketch) -> usize {
        self.hashes.iter().filter(|hash| other.hashes.contains(hash)).count()
    }

    /// Whether the texts of the 2 sketches are duplicates.
    pub fn is_duplicate(&self, other: &Sketch) -> bool {
        self.shared(other) >= MIN_SHARED_HASHES
    }
}

/// The share of the smaller text's shingles that are also in the other, 0..=1. 0 if it has none.
pub fn containment(a: &str, b: &str) -> f64 {
    let (a, b) = (shingles(a), shingles(b));
    a.intersection(&b).count() as f64 / a.len().min(b.len()).max(1) as f64
}

fn shingles(text: &str) -> BTreeSet<u64> {
    let shingle = |words: &[u64]| words.iter().fold(0, |hash, word| mix(hash ^ word).wrapping_add(*word));
    word_hashes(text).windows(SHINGLE).map(shingle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(words: std::ops::Range<usize>) -> String {
        words.map(|word| format!("w{word} ")).collect()
    }

    #[test]
    fn a_sketch_is_the_smallest_of_all_shingles() {
        let text = numbered(0..40);
        let mut all: Vec<u64> = (0..35).map(|at| Sketch::of(&numbered(at..at + 6)).hashes[0]).collect();
        all.sort_unstable();
        assert_eq!(Sketch::of(&text).hashes, all[..SKETCH]);
    }

    #[test]
    fn a_shingle_told_twice_counts_once_and_short_texts_have_few() {
        assert_eq!(Sketch::of(&numbered(0..10)).hashes.len(), 5);
        assert_eq!(Sketch::of("a a a a a a a a a a a").hashes.len(), 1);
        assert!(Sketch::of("five words are too few").hashes.is_empty());
        assert!(!Sketch::of("").is_duplicate(&Sketch::of("")));
    }

    #[test]
    fn case_and_layout_do_not_matter_but_order_does() {
        let (text, reversed) = (numbered(0..40), (0..40).rev().map(|word| format!("w{word} ")).collect::<String>());
        assert!(Sketch::of(&text).is_duplicate(&Sketch::of(&text.to_uppercase().replace(' ', "\n"))));
        assert_eq!(Sketch::of(&text).shared(&Sketch::of(&reversed)), 0);
    }

    #[test]
    fn containment_is_of_the_smaller() {
        assert_eq!(containment(&numbered(0..40), &numbered(10..20)), 1.0);
        assert_eq!(containment(&numbered(0..10), &numbered(3..40)), 0.4);
        assert_eq!(containment("", "a"), 0.0);
    }
}
