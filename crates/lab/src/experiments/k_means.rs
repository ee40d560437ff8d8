//! k-means over directions: vectors of length 1 and the cosine between them.

use dehusk_core::random::Random;

/// Number of random starts. The best result is used.
const RESTARTS: usize = 10;
/// Maximum number of rounds of one run.
const MAX_ROUNDS: usize = 100;

/// A sparse vector: dimensions in ascending order, each with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    entries: Vec<(usize, f64)>,
}

impl Vector {
    /// The vector with these entries, scaled to length 1 if it is not zero.
    pub fn unit(mut entries: Vec<(usize, f64)>) -> Vector {
        entries.retain(|&(_, value)| value != 0.0);
        let length = entries.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
        entries.iter_mut().for_each(|(_, value)| *value /= length);
        Vector { entries }
    }

    /// The cosine with a dense vector of length 1.
    pub fn cosine(&self, dense: &[f64]) -> f64 {
        self.entries.iter().map(|&(dimension, value)| value * dense[dimension]).sum()
    }
}

/// The cluster of each vector, below `clusters`: the best of several runs. Each starts with k-means++ (Arthur and
/// Vassilvitskii 2007).
pub fn k_means(vectors: &[Vector], clusters: usize, random: &mut Random) -> Vec<usize> {
    let runs = (0..RESTARTS).map(|_| Run::new(vectors, clusters, random));
    let best = runs.reduce(|best, run| if run.fit > best.fit { run } else { best });
    best.map(|run| run.labels).unwrap_or_default()
}

struct Run {
    labels: Vec<usize>,
    /// The sum of the cosines between vectors and their centres.
    fit: f64,
}

impl Run {
    fn new(vectors: &[Vector], clusters: usize, random: &mut Random) -> Run {
        let dimensions = dimensions(vectors);
        let seeds = seeds(vectors, clusters, dimensions, random);
        let mut centres: Vec<Vec<f64>> = seeds.iter().map(|&seed| centre([&vectors[seed]], dimensions)).collect();
        let mut run = Run::nearest(vectors, &centres);
        for _ in 0..MAX_ROUNDS {
            for (label, centre_of_label) in centres.iter_mut().enumerate() {
                let members = run.labels.iter().zip(vectors).filter(|(other, _)| **other == label);
                *centre_of_label = centre(members.map(|(_, vector)| vector), dimensions);
            }
            let next = Run::nearest(vectors, &centres);
            let is_settled = next.labels == run.labels;
            run = next;
            if is_settled {
                break;
            }
        }
        run
    }

    fn nearest(vectors: &[Vector], centres: &[Vec<f64>]) -> Run {
        let mut run = Run { labels: Vec::with_capacity(vectors.len()), fit: 0.0 };
        for vector in vectors {
            let mut best = (0, f64::NEG_INFINITY);
            for (label, centre) in centres.iter().enumerate() {
                let cosine = vector.cosine(centre);
                if cosine > best.1 {
                    best = (label, cosine);
                }
            }
            run.labels.push(best.0);
            run.fit += best.1;
        }
        run
    }
}

/// Picks vectors far from each other: the probability grows with the distance from those already picked.
fn seeds(vectors: &[Vector], clusters: usize, dimensions: usize, random: &mut Random) -> Vec<usize> {
    if vectors.is_empty() || clusters == 0 {
        return Vec::new();
    }
    let mut seeds = vec![random.below(vectors.len())];
    // Half of the squared distance. k-means++ uses the squared distance; a constant factor makes no difference.
    let mut distances = vec![f64::INFINITY; vectors.len()];
    while seeds.len() < clusters.min(vectors.len()) {
        let newest = centre([&vectors[seeds[seeds.len() - 1]]], dimensions);
        for (distance, vector) in distances.iter_mut().zip(vectors) {
            *distance = distance.min((1.0 - vector.cosine(&newest)).max(0.0));
        }
        seeds.iter().for_each(|&seed| distances[seed] = 0.0);
        seeds.push(draw(&distances, random));
    }
    seeds
}

/// A random index with probability proportional to its weight.
fn draw(weights: &[f64], random: &mut Random) -> usize {
    let mut rest = random.unit() * weights.iter().sum::<f64>();
    for (index, weight) in weights.iter().enumerate() {
        rest -= weight;
        if rest < 0.0 {
            return index;
        }
    }
    random.below(weights.len()) // all weights are 0, or nearly 0
}

/// Number of dimensions of the space that has all these vectors.
pub fn dimensions(vectors: &[Vector]) -> usize {
    vectors.iter().filter_map(|vector| vector.entries.last()).map(|last| last.0 + 1).max().unwrap_or(0)
}

/// The sum of vectors, scaled to length 1.
pub fn centre<'v>(members: impl IntoIterator<Item = &'v Vector>, dimensions: usize) -> Vec<f64> {
    let mut sum = vec![0.0; dimensions];
    for vector in members {
        vector.entries.iter().for_each(|&(dimension, value)| sum[dimension] += value);
    }
    let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length > 0.0 {
        sum.iter_mut().for_each(|value| *value /= length);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(direction: usize, count: usize) -> Vec<Vector> {
        (0..count).map(|other| Vector::unit(vec![(direction, 9.0), (10 + other, 1.0)])).collect()
    }

    #[test]
    fn clear_clusters_are_found() {
        let vectors: Vec<Vector> = (0..4).flat_map(|direction| around(direction, 5)).collect();
        let labels = k_means(&vectors, 4, &mut Random::new(5));
        let firsts: Vec<usize> = labels.chunks(5).map(|same| same[0]).collect();
        assert!(labels.chunks(5).zip(&firsts).all(|(same, first)| same.iter().all(|label| label == first)));
        assert!((0..4).all(|label| firsts.contains(&label)), "{labels:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_clusters() {
        let vectors: Vec<Vector> = (0..6).flat_map(|direction| around(direction, 3)).collect();
        let run = |seed| k_means(&vectors, 4, &mut Random::new(seed));
        assert_eq!(run(1), run(1));
    }

    #[test]
    fn chances_go_by_weight() {
        let mut random = Random::new(2);
        let drawn = (0..4000).filter(|_| draw(&[1.0, 0.0, 3.0], &mut random) == 2).count();
        assert!((2900..3100).contains(&drawn), "{drawn}");
        assert!(draw(&[0.0, 0.0], &mut random) < 2);
    }

    #[test]
    fn more_clusters_than_vectors_and_none_at_all() {
        assert_eq!(k_means(&around(0, 2), 5, &mut Random::new(1)).len(), 2);
        assert!(k_means(&[], 3, &mut Random::new(1)).is_empty());
    }
}
