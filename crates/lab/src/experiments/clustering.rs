//! Clusters texts by their words.

use rustc_hash::FxHashMap;

use dehusk_core::random::Random;
use dehusk_run::scoring::words::word_hashes;

use super::k_means::{Vector, k_means};
use super::logarithm::log2;

/// The cluster of each text: k-means over tf-idf vectors of length 1.
pub fn cluster<T: AsRef<str>>(texts: &[T], clusters: usize, random: &mut Random) -> Vec<usize> {
    k_means(&tf_idf(texts), clusters, random)
}

/// Word counts times the logarithm of the inverse document frequency, scaled to length 1.
pub fn tf_idf<T: AsRef<str>>(texts: &[T]) -> Vec<Vector> {
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

#[cfg(test)]
mod tests {
    use dehusk_lab::agreement::adjusted_rand_index;

    use super::*;

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
