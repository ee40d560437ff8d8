//! How well two groupings of the same things agree.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

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

/// The mutual information of two labellings of the same items, as a share of the geometric mean of their entropies (Strehl and
/// Ghosh 2002): 1 if they agree, 0 if one says nothing about the other.
pub fn normalised_mutual_information(a: &[usize], b: &[usize]) -> f64 {
    let all = a.len() as f64;
    let counts = |labels: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut counts: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        labels.for_each(|label| *counts.entry(label).or_default() += 1.0);
        counts
    };
    let both = counts(&mut a.iter().copied().zip(b.iter().copied()));
    let [in_a, in_b] = [a, b].map(|labels| counts(&mut labels.iter().map(|&label| (label, 0))));
    let entropy = |counts: &BTreeMap<(usize, usize), f64>| {
        -counts.values().map(|count| count / all * (count / all).ln()).sum::<f64>()
    };
    let of =
        |(&(a, b), count): (&(usize, usize), &f64)| count / all * (count * all / (in_a[&(a, 0)] * in_b[&(b, 0)])).ln();
    match (entropy(&in_a), entropy(&in_b)) {
        (0.0, 0.0) => 1.0,
        (of_a, of_b) if of_a <= 0.0 || of_b <= 0.0 => 0.0,
        (of_a, of_b) => (both.iter().map(of).sum::<f64>() / (of_a * of_b).sqrt()).clamp(0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::random::Random;

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
    fn known_values_of_the_information() {
        let (one, other) = ([0, 0, 0, 1, 1], [5, 5, 2, 2, 2]);
        assert!((adjusted_rand_index(&one, &other) - 1.0 / 6.0).abs() < 1e-12);
        assert!((normalised_mutual_information(&one, &other) - 0.432_538).abs() < 1e-6);
        assert!((normalised_mutual_information(&one, &one) - 1.0).abs() < 1e-12);
        assert_eq!(normalised_mutual_information(&[1, 1], &[2, 2]), 1.0);
        assert_eq!(normalised_mutual_information(&[1, 1], &[1, 2]), 0.0);
        assert!(normalised_mutual_information(&[0, 0, 1, 1], &[0, 1, 0, 1]).abs() < 1e-12);
    }

    #[test]
    fn known_values_of_the_index() {
        assert_eq!(adjusted_rand_index(&[0, 0, 1, 1], &[7, 7, 3, 3]), 1.0);
        assert!((adjusted_rand_index(&[0, 0, 1, 2], &[0, 0, 1, 1]) - 4.0 / 7.0).abs() < 1e-12);
        assert!((adjusted_rand_index(&[0, 0, 1, 1], &[0, 1, 0, 1]) + 0.5).abs() < 1e-12);
        assert_eq!(adjusted_rand_index(&[0, 1, 2], &[2, 1, 0]), 1.0);
    }
}
