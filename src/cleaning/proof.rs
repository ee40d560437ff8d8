//! Finds the matches that are proven template: neither chance nor language can explain them.
//!
//! Language repeats short runs. Some of them are in many documents, and then often more than once in a document. A run
//! that is in many documents and longer than what language repeats is certainly template. A shorter run is template if
//! it stands once in each document. Text that stands beside a template by chance recurs with it. So if a run contains a
//! proven one of more documents, only the rest of it counts.

use std::ops::Range;

use super::evidence::{Match, Weight};
use super::explained::Explained;
use super::layout::Layout;

/// Minimum number of documents of a proven run.
const MIN_DOCUMENTS: usize = 15;
/// Minimum share of the documents of a proven run.
const MIN_SHARE: f64 = 0.15;
/// Minimum number of words of a proven run. Language repeats shorter ones. Fewer are enough in the cases below.
const WORDS: f64 = 5.0;
/// Minimum number of words of a proven run that stands once in a document.
const WORDS_ONCE: f64 = 3.0;
/// A run stands once in a document if it has at most this many occurrences for each document ...
const ONCE: f64 = 1.02;
/// ... and if at least this many of the repetitions that chance would give are missing.
const MISSING_REPETITIONS: f64 = 2.0;
/// Minimum number of words of such a run if at least [`MANY_MISSING_REPETITIONS`] repetitions are missing.
const WORDS_BEYOND_CHANCE: f64 = 2.0;
const MANY_MISSING_REPETITIONS: f64 = 10.0;
/// Minimum number of words of a proven run of whole lines.
const WORDS_OF_LINES: f64 = 2.0;

/// What is proven in a document.
#[derive(Debug)]
pub struct Proof {
    /// For each match: the mass, in words, that no proven template of more documents explains.
    pub telling_words: Vec<f64>,
    /// Whether each match is proven.
    pub is_proven: Vec<bool>,
    /// Whether each token is part of a proven template.
    pub covers: Vec<bool>,
    /// Whether a proven template begins or ends before each token, and after the last.
    pub is_edge: Vec<bool>,
}

impl Proof {
    /// A proof in which nothing is proven and all words count.
    pub fn none(layout: &Layout, matches: &[Match]) -> Proof {
        Proof {
            telling_words: matches.iter().map(|found| layout.mass(&found.tokens)).collect(),
            is_proven: vec![false; matches.len()],
            covers: vec![false; layout.tokens()],
            is_edge: vec![false; layout.tokens() + 1],
        }
    }

    /// Proves what can be proven. Runs of the most documents come first. The time is O((n + m) log n) for n tokens and
    /// m matches, however long the matches are.
    pub fn of(layout: &Layout, matches: &[Match], weights: &[Weight]) -> Proof {
        let mut proof = Proof::none(layout, matches);
        let documents_of = |pattern: usize| u32::try_from(weights[pattern].documents).unwrap_or(u32::MAX);
        // As one integer, which is fast to sort by: many documents, many tokens, the index.
        let place = |(index, Match { tokens, pattern }): (usize, &Match)| {
            let (few, short) = (!documents_of(*pattern), !(tokens.len() as u32));
            u128::from(few) << 96 | u128::from(short) << 64 | index as u128
        };
        let mut order: Vec<u128> = matches.iter().enumerate().map(place).collect();
        order.sort_unstable();
        let mut explained = Explained::new(layout);
        for index in order.into_iter().map(|place| place as u64 as usize) {
            let Match { tokens, pattern } = &matches[index];
            let (weight, documents) = (&weights[*pattern], documents_of(*pattern));
            explained.compare_with(documents);
            let new = explained.new_of(tokens);
            let is_part = new.mass() < proof.telling_words[index];
            proof.telling_words[index] = new.mass();
            if weight.is_proven(new.telling_words(), weight.holds_lines && layout.is_lines(tokens) && !is_part) {
                proof.is_proven[index] = true;
                proof.is_edge[tokens.start] = true;
                proof.is_edge[tokens.end] = true;
                explained.cover(tokens, documents, |token| proof.covers[token] = true);
            }
        }
        proof
    }
}

impl Weight {
    /// Number of missing repetitions. The comparison is a run that is spread over the documents by chance (Poisson):
    /// some documents would have it twice.
    fn missing_repetitions(&self) -> f64 {
        let share = self.share.min(0.99);
        let per_document = -(1.0 - share).ln() / share.max(1e-9);
        self.documents as f64 * per_document - self.occurrences as f64
    }

    /// Whether a match is proven if no other overlaps it.
    pub(super) fn is_proven_alone(&self, layout: &Layout, tokens: &Range<usize>) -> bool {
        self.is_proven(layout.telling_words(tokens), self.holds_lines && layout.is_lines(tokens))
    }

    /// Whether a run with this many words can be neither chance nor language.
    fn is_proven(&self, words: f64, is_lines: bool) -> bool {
        // Mining has already tested whole lines with free stretches. Matches inside a line are tested like any other
        // run.
        if self.has_free && is_lines {
            return true;
        }
        let is_once = self.occurrences as f64 <= ONCE * self.documents as f64;
        let missing = if is_once { self.missing_repetitions() } else { 0.0 };
        let enough = if is_lines {
            WORDS_OF_LINES
        } else if missing >= MANY_MISSING_REPETITIONS {
            WORDS_BEYOND_CHANCE
        } else if missing >= MISSING_REPETITIONS {
            WORDS_ONCE
        } else {
            WORDS
        };
        self.documents >= MIN_DOCUMENTS && self.share >= MIN_SHARE && words >= enough
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::sync::{Arc, LazyLock};

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::cleaning::matcher::Tokens;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// Tests matches among 100 documents. `runs` has the tokens, documents and occurrences of each.
    fn proof(text: &str, runs: &[(Range<usize>, usize, usize)]) -> Proof {
        Proof::of(&layout(text), &matches(runs), &weights(runs))
    }

    fn layout(text: &str) -> Layout {
        static MUTABLE: LazyLock<Arc<MutableSet>> = LazyLock::new(|| Arc::new(MutableSet::shipped()));
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::clone(&MUTABLE));
        Layout::of(text, &Tokens::of(text, &mut lexer))
    }

    fn matches(runs: &[(Range<usize>, usize, usize)]) -> Vec<Match> {
        runs.iter().enumerate().map(|(pattern, run)| Match { tokens: run.0.clone(), pattern }).collect()
    }

    fn weights(runs: &[(Range<usize>, usize, usize)]) -> Vec<Weight> {
        let weight = |&(_, documents, occurrences): &(Range<usize>, usize, usize)| Weight {
            share: documents as f64 / 100.0,
            documents,
            occurrences,
            holds_lines: true,
            ..Weight::default()
        };
        runs.iter().map(weight).collect()
    }

    #[test]
    fn three_words_once_or_five_at_any_rate() {
        assert!(proof("a b c d e f g", &[(1..4, 20, 20)]).is_proven[0]);
        assert!(!proof("a b c d e f g", &[(1..4, 20, 21)]).is_proven[0], "chance makes two repetitions");
        assert!(!proof("a b c d e f g", &[(1..4, 15, 15)]).is_proven[0], "too few documents to tell");
        assert!(proof("a b c d e f g", &[(1..6, 15, 20)]).is_proven[0]);
        assert_eq!(proof("a b c d", &[(0..3, 50, 50)]).is_edge, [true, false, false, true, false]);
    }

    #[test]
    fn two_words_that_chance_would_have_repeated_ten_times() {
        // By chance, a run in 50 of 100 documents occurs 69 times, and one in 37 occurs 46 times.
        assert!(proof("a b c d", &[(1..3, 50, 50)]).is_proven[0]);
        assert!(!proof("a b c d", &[(1..3, 37, 37)]).is_proven[0] && !proof("a b c d", &[(1..3, 50, 60)]).is_proven[0]);
        assert!(!proof("a b c d", &[(1..2, 100, 100)]).is_proven[0], "one word is language");
    }

    #[test]
    fn a_date_tells_as_much_as_a_word() {
        assert!(proof("x Last updated 2024-03-05 y", &[(1..4, 90, 90)]).is_proven[0]);
    }

    #[test]
    fn lines_need_two_words() {
        assert!(proof("x\nShare this\ny", &[(1..3, 20, 40)]).is_proven[0]);
        assert!(!proof("x Share this y", &[(1..3, 20, 20)]).is_proven[0]);
    }

    #[test]
    fn what_stands_beside_a_template_is_not_proven_with_it() {
        let proof = proof("a b c d e f g", &[(0..5, 90, 90), (0..6, 20, 20), (0..5, 85, 85)]);
        assert_eq!(proof.is_proven, [true, false, true]);
        assert_eq!(proof.telling_words, [5.0, 1.0, 5.0]);
        assert!(!proof.is_edge[6]);
    }

    /// The same by brute force: for each token, the documents of the proven run over it.
    fn naively_proven(layout: &Layout, matches: &[Match], weights: &[Weight]) -> (Vec<bool>, Vec<f64>) {
        let mut order: Vec<usize> = (0..matches.len()).collect();
        order.sort_by_key(|&at| (Reverse(weights[at].documents), Reverse(matches[at].tokens.len()), at));
        let mut covered = vec![0; layout.tokens()];
        let (mut is_proven, mut telling) = (vec![false; matches.len()], vec![0.0; matches.len()]);
        for at in order {
            let (weight, tokens) = (&weights[at], &matches[at].tokens);
            let is_new = |token: &usize| f64::from(covered[*token]) * 0.8 <= weight.documents as f64;
            let new: Vec<usize> = tokens.clone().filter(is_new).collect();
            telling[at] = new.iter().map(|&token| layout.mass_of(token)).sum();
            let words = new.iter().map(|&token| layout.telling_words(&(token..token + 1))).sum();
            let is_part = telling[at] < layout.mass(tokens);
            is_proven[at] = weight.is_proven(words, weight.holds_lines && layout.is_lines(tokens) && !is_part);
            if is_proven[at] {
                covered[tokens.clone()].iter_mut().for_each(|of| *of = weight.documents.max(*of as usize) as u32);
            }
        }
        (is_proven, telling)
    }

    proptest! {
        #[test]
        fn what_is_proven_is_what_a_look_at_each_token_proves(
            text in prop::collection::vec(select(&["a ", "b\n", "12 ", "手", ". ", "c. "]), 1..30),
            runs in prop::collection::vec((0usize..30, 1usize..30, select(&[15usize, 16, 18, 20, 30, 60, 90]), 0usize..3), 0..25),
        ) {
            let text = text.concat();
            let layout = layout(&text);
            let end = layout.tokens();
            let runs: Vec<(Range<usize>, usize, usize)> = (runs.into_iter())
                .map(|(start, len, documents, more)| (start.min(end)..(start + len).min(end), documents, documents + more))
                .filter(|run| !run.0.is_empty())
                .collect();
            let (proof, matches, weights) = (proof(&text, &runs), matches(&runs), weights(&runs));
            prop_assert_eq!((proof.is_proven, proof.telling_words), naively_proven(&layout, &matches, &weights));
        }
    }
}
