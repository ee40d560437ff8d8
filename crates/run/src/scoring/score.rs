//! Scores one cleaned document against its gold text, and averages scores.

use serde::Serialize;

use super::words::Bag;

/// Minimum number of words of a gold text. A shorter one does not count: the person who marked the document found no
/// article.
pub const MIN_GOLD_WORDS: usize = 20;

/// How well the kept text fits the gold text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// Share of the kept words that are gold. The rest is boilerplate that was kept.
    pub precision: f64,
    /// Share of the gold words that were kept. The rest is lost content.
    pub recall: f64,
    /// The harmonic mean of precision and recall.
    pub f1: f64,
    /// Share of the document's words that were removed.
    pub removed: f64,
}

impl Score {
    /// The score of a document, given its words, the kept words, and the gold words. There must be gold words.
    pub fn of(words: &Bag, kept: &Bag, gold: &Bag) -> Score {
        let both = kept.common(gold).total();
        let precision = share(both, kept.total());
        let recall = share(both, gold.total());
        let f1 = if both == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
        Score { precision, recall, f1, removed: share(words.without(kept).total(), words.total()) }
    }

    /// The mean of each figure. All zero if there are no scores.
    ///
    /// To score a corpus, first average the documents of each source, then the sources. So a source does not weigh more
    /// because it has more documents.
    pub fn mean(scores: impl IntoIterator<Item = Score>) -> Score {
        let (mut sum, mut count) = (Score::default(), 0);
        for score in scores {
            sum.precision += score.precision;
            sum.recall += score.recall;
            sum.f1 += score.f1;
            sum.removed += score.removed;
            count += 1;
        }
        let mean = |sum: f64| if count == 0 { 0.0 } else { sum / f64::from(count) };
        Score { precision: mean(sum.precision), recall: mean(sum.recall), f1: mean(sum.f1), removed: mean(sum.removed) }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score(text: &str, kept: &str, gold: &str) -> Score {
        Score::of(&Bag::of(text), &Bag::of(kept), &Bag::of(gold))
    }

    #[test]
    fn a_score_by_hand() {
        // Kept: 4 words, 3 of them gold. Gold: 6 words. 6 of 10 words were removed.
        let all = "Home News the ferry is late again today Share Print";
        let hand = score(all, "Home the Ferry late", "The ferry is late again today");
        assert_eq!(hand, Score { precision: 0.75, recall: 0.5, f1: 0.6, removed: 0.6 });
    }

    #[test]
    fn the_ends_of_the_scale() {
        assert_eq!(score("a b", "a", "a"), Score { precision: 1.0, recall: 1.0, f1: 1.0, removed: 0.5 });
        assert_eq!(score("a b", "", "a"), Score { removed: 1.0, ..Score::default() });
        assert_eq!(score("a b", "b", "a"), Score { removed: 0.5, ..Score::default() });
        assert_eq!(score("", "", "a"), Score::default());
    }

    #[test]
    fn means() {
        let mean = Score::mean([score("a b", "a", "a"), score("a b", "", "a")]);
        assert_eq!(mean, Score { precision: 0.5, recall: 0.5, f1: 0.5, removed: 0.75 });
        assert_eq!(Score::mean([]), Score::default());
    }

    /// Precision, recall and F1, computed by crossing words off a list.
    fn naive(kept: &[String], gold: &[String]) -> [f64; 3] {
        let mut left = gold.to_vec();
        let mut hits = 0.0;
        for word in kept {
            if let Some(place) = left.iter().position(|other| other.to_lowercase() == word.to_lowercase()) {
                left.remove(place);
                hits += 1.0;
            }
        }
        let (kept, gold) = (kept.len() as f64, gold.len() as f64);
        if hits == 0.0 { [0.0; 3] } else { [hits / kept, hits / gold, 2.0 * hits / (kept + gold)] }
    }

    proptest! {
        #[test]
        fn as_crossing_words_off_a_list(
            kept in prop::collection::vec("[abAB]{1,2}", 0..20),
            gold in prop::collection::vec("[abAB]{1,2}", 1..20),
        ) {
            let scored = score(&kept.join(" "), &kept.join("\n"), &gold.join(", "));
            let expected = naive(&kept, &gold);
            for (figure, expected) in [scored.precision, scored.recall, scored.f1].into_iter().zip(expected) {
                prop_assert!((figure - expected).abs() < 1e-12, "{scored:?} {expected}");
            }
            prop_assert_eq!(scored.removed, 0.0);
        }
    }
}
