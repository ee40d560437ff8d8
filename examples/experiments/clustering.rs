//! Clusters texts, and measures how well two clusterings agree.

use rustc_hash::FxHashMap;

use dehusk::evaluation::random::Random;
use dehusk::evaluation::words::word_hashes;

use crate::k_means::{Vector, k_means};

/// The cluster of each text: k-means over tf-idf vectors of length 1.
pub fn cluster<T: AsRef<str>>(texts: &[T], clusters: usize, random: &mut Random) -> Vec<usize> {
    k_means(&tf_idf(texts), clusters, random)
}

/// The adjusted Rand index of two labellings of the same items (Hubert and Arabie 1985): 1 if they agree, 0 on average
/// if one is random.
pub fn adjusted_rand_index(a: &[usize], b: &[usize]) -> f64 {
    let pairs = |count: u64| count * count.saturating_sub(1) / 2;
    let together = |labels: Vec<(usize, usize)>| {
        let mut counts: FxHashMap<(usize, usize), u64> = FxHashMap::default();
        labels.into_iter().for_each(|label| *counts.entry(label).or_default() += 1);
        counts.into_values().map(pairs).sum::<u64>() as f64
    };
    let both = together(a.iter().copied().zip(b.iter().copied()).collect());
    let in_a = together(a.iter().map(|&label| (label, 0)).collect());
    let in_b = together(b.iter().map(|&label| (label, 0)).collect());
    let by_chance = in_a * in_b / (pairs(a.len() as u64) as f64).max(1.0);
    let at_best = (in_a + in_b) / 2.0;
    if at_best == by_chance { 1.0 } else { (both - by_chance) / (at_best - by_chance) }
}

/// Word counts times the logarithm of the inverse document frequency, scaled to length 1.
fn tf_idf<T: AsRef<str>>(texts: &[T]) -> Vec<Vector> {
    let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
    let mut documents: Vec<usize> = Vec::new();
    let mut counts: Vec<Vec<(usize, usize)>> = Vec::new();
    for text in texts {
        let mut words: Vec<usize> = Vec::new();
        for word in word_hashes(text.as_ref()) {
            let next = numbers.len();
            words.push(*numbers.entry(word).or_insert(next));
        }
        words.sort_unstable();
        documents.resize(numbers.len(), 0);
        let counted: Vec<(usize, usize)> = words.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
        counted.iter().for_each(|&(word, _)| documents[word] += 1);
        counts.push(counted);
    }
    let rarity: Vec<f64> = documents.iter().map(|&count| log2(texts.len() as f64 / count as f64)).collect();
    let weighed = |counted: Vec<(usize, usize)>| counted.into_iter().map(|(word, n)| (word, n as f64 * rarity[word]));
    counts.into_iter().map(|counted| Vector::unit(weighed(counted).collect())).collect()
}

/// The binary logarithm of a number of at least 1. Uses basic arithmetic only, which is the same on every machine; the
/// mathematical library is not.
fn log2(mut number: f64) -> f64 {
    let mut logarithm = 0.0;
    while number >= 2.0 {
        number /= 2.0;
        logarithm += 1.0;
    }
    let mut bit = 0.5;
    for _ in 0..40 {
        number *= number;
        if number >= 2.0 {
            number /= 2.0;
            logarithm += bit;
        }
        bit /= 2.0;
    }
    logarithm
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index by its definition over pairs.
    fn naive(a: &[usize], b: &[usize]) -> f64 {
        let pairs: Vec<(usize, usize)> = (0..a.len()).flat_map(|i| (i + 1..a.len()).map(move |j| (i, j))).collect();
        let count = |is: &dyn Fn(usize, usize) -> bool| pairs.iter().filter(|&&(i, j)| is(i, j)).count() as f64;
        let (in_a, in_b) = (count(&|i, j| a[i] == a[j]), count(&|i, j| b[i] == b[j]));
        let both = count(&|i, j| a[i] == a[j] && b[i] == b[j]);
        let chance = in_a * in_b / pairs.len() as f64;
        (both - chance) / ((in_a + in_b) / 2.0 - chance)
    }

    #[test]
    fn the_index_is_that_of_its_definition() {
        let mut random = Random::new(3);
        for _ in 0..100 {
            let length = 4 + random.below(30);
            let mut labels = || (0..length).map(|at| if at < 2 { at } else { random.below(5) }).collect();
            let (a, b): (Vec<usize>, Vec<usize>) = (labels(), labels());
            assert!((adjusted_rand_index(&a, &b) - naive(&a, &b)).abs() < 1e-12, "{a:?} {b:?}");
        }
    }

    #[test]
    fn known_values_of_the_index() {
        assert_eq!(adjusted_rand_index(&[0, 0, 1, 1], &[7, 7, 3, 3]), 1.0);
        assert!((adjusted_rand_index(&[0, 0, 1, 2], &[0, 0, 1, 1]) - 4.0 / 7.0).abs() < 1e-12);
        assert!((adjusted_rand_index(&[0, 0, 1, 1], &[0, 1, 0, 1]) + 0.5).abs() < 1e-12);
        assert_eq!(adjusted_rand_index(&[0, 1, 2], &[2, 1, 0]), 1.0);
    }

    #[test]
    fn the_logarithm_is_one() {
        for number in [1.0, 1.5, 2.0, 3.0, 7.25, 1000.0] {
            assert!((log2(number) - f64::log2(number)).abs() < 1e-9, "{number}");
        }
    }

    #[test]
    fn texts_about_the_same_come_together() {
        let texts =
            ["the boat sank", "the boat sank fast", "the choir sang", "a choir sang", "the bees swarm", "bees swarm"];
        let found = cluster(&texts, 3, &mut Random::new(1));
        assert_eq!(adjusted_rand_index(&found, &[0, 0, 1, 1, 2, 2]), 1.0);
    }

    #[test]
    fn words_of_every_text_count_nothing_and_empty_texts_do_no_harm() {
        let vectors = tf_idf(&["the boat", "the choir", "the", ""]);
        assert_eq!(vectors[2], Vector::unit(vec![(0, 1.0)]), "three of four have it");
        assert_eq!(vectors[3], Vector::unit(vec![]));
        assert_eq!(cluster(&["", ""], 2, &mut Random::new(1)).len(), 2);
    }
}
