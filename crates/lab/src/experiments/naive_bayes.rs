//! Classifies texts by their words: multinomial naive Bayes with Laplace smoothing (McCallum and Nigam 1998).
//!
//! The score of a label is the logarithm of its share of the texts, plus the logarithm of the probability of each word.
//! A word's probability is its count in the texts of the label plus 1, divided by the number of their words plus the
//! number of different words. Words that no text had are left out.

use rustc_hash::FxHashMap;

use dehusk_run::scoring::words::word_hashes;

use super::logarithm::log2;

/// How often each word occurs in a text. Words are in a fixed order, so that sums are the same on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordCounts(Vec<(u64, usize)>);

impl WordCounts {
    /// The words of a text.
    pub fn of(text: &str) -> WordCounts {
        let mut words = word_hashes(text);
        words.sort_unstable();
        WordCounts(words.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect())
    }
}

/// How much each word says about each label.
pub struct NaiveBayes {
    labels: Vec<Label>,
    /// For each word, the labels whose texts have it. Each label has the number that an occurrence adds to its score,
    /// compared with a word that its texts do not have.
    words: FxHashMap<u64, Vec<(usize, f64)>>,
}

#[derive(Clone, Default)]
struct Label {
    texts: usize,
    words: usize,
    /// The score of a text without words.
    prior: f64,
    /// The number that a word adds to the score if the texts of the label do not have it.
    unseen: f64,
}

impl NaiveBayes {
    /// Learns from texts with their labels, which are below `labels`.
    pub fn learn<'t>(texts: impl IntoIterator<Item = (&'t WordCounts, usize)>, labels: usize) -> NaiveBayes {
        let mut labels = vec![Label::default(); labels];
        let mut counts: FxHashMap<u64, FxHashMap<usize, usize>> = FxHashMap::default();
        for (WordCounts(words), label) in texts {
            labels[label].texts += 1;
            for &(word, count) in words {
                labels[label].words += count;
                *counts.entry(word).or_default().entry(label).or_default() += count;
            }
        }
        let texts: usize = labels.iter().map(|label| label.texts).sum();
        for label in labels.iter_mut().filter(|label| label.texts > 0) {
            label.prior = -log2(texts as f64 / label.texts as f64);
            label.unseen = -log2((label.words + counts.len()).max(1) as f64);
        }
        let gains = |counts: FxHashMap<usize, usize>| {
            counts.into_iter().map(|(label, count)| (label, log2(count as f64 + 1.0))).collect()
        };
        NaiveBayes { labels, words: counts.into_iter().map(|(word, counts)| (word, gains(counts))).collect() }
    }

    /// The label with the best score. Of several, the first.
    pub fn label_of(&self, text: &WordCounts) -> usize {
        let scores = self.scores(text);
        let better = |best: usize, label: usize| if scores[label] > scores[best] { label } else { best };
        (0..scores.len()).reduce(better).unwrap_or(0)
    }

    /// The score of each label. Minus infinity for a label without texts.
    fn scores(&self, WordCounts(text): &WordCounts) -> Vec<f64> {
        let known = || text.iter().filter_map(|(word, count)| Some((self.words.get(word)?, *count as f64)));
        let length: f64 = known().map(|(_, count)| count).sum();
        let start = |label: &Label| match label.texts {
            0 => f64::NEG_INFINITY,
            _ => label.prior + length * label.unseen,
        };
        let mut scores: Vec<f64> = self.labels.iter().map(start).collect();
        for (gains, count) in known() {
            gains.iter().for_each(|&(label, gain)| scores[label] += count * gain);
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Example 13.1 of Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008).
    #[test]
    fn a_worked_example() {
        let texts = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"];
        let texts = texts.map(WordCounts::of);
        let learned = NaiveBayes::learn(texts.iter().zip([0, 0, 0, 1]), 2);
        let text = WordCounts::of("Chinese Chinese Chinese Tokyo Japan, unheard of");
        let expected = [
            3.0 / 4.0 * f64::powi(3.0 / 7.0, 3) * (1.0 / 14.0) * (1.0 / 14.0),
            1.0 / 4.0 * f64::powi(2.0 / 9.0, 3) * (2.0 / 9.0) * (2.0 / 9.0),
        ];
        for (score, expected) in learned.scores(&text).into_iter().zip(expected) {
            assert!((score - expected.log2()).abs() < 1e-9, "{score} {expected}");
        }
        assert_eq!(learned.label_of(&text), 0);
        assert_eq!(learned.label_of(&WordCounts::of("Tokyo, Japan")), 1);
    }

    #[test]
    fn without_words_the_most_frequent_label_is_taken() {
        let texts = ["a", "b", "c"].map(WordCounts::of);
        let learned = NaiveBayes::learn(texts.iter().zip([1, 2, 2]), 4);
        assert_eq!(learned.label_of(&WordCounts::of("")), 2);
        assert_eq!(learned.scores(&WordCounts::of("a"))[3], f64::NEG_INFINITY);
    }

    #[test]
    fn the_first_of_equal_labels_is_taken() {
        let texts = ["a b", "b a"].map(WordCounts::of);
        assert_eq!(NaiveBayes::learn(texts.iter().zip([1, 0]), 2).label_of(&texts[0]), 0);
    }
}
