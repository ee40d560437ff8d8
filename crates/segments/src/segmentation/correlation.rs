//! Groups leaves by the probabilities that 2 of them belong together (N. Ailon, M. Charikar, A. Newman, "Aggregating
//! inconsistent information: ranking and clustering", STOC 2005).
//!
//! ```text
//! sum over pairs apart of lambda v_pq  +  sum over pairs together of 1 - v_pq
//! ```
//!
//! A trial takes a leaf at random, with all remaining leaves that are *near* it ([`Pivot`]). These leaves are a cluster. The trial goes on with the remaining leaves.
//! The cheapest of several trials counts. One cluster of all leaves and a cluster for each leaf are tried too, for a
//! trial can cost more than these. The number of clusters need not be given.
//!
//! Costs are integers, in units of 1 / [`UNIT_OF_COST`], so the result is the same on every machine.

use super::energy::UNIT_OF_COST;
use dehusk_core::random::Random;

/// Number of bits of a word.
const BITS: usize = u64::BITS as usize;

/// A greater lambda counts as this one.
const MOST_LAMBDA: f64 = 16_384.0;

/// Which leaves are near another leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pivot {
    /// Being together costs no more than being apart, so v_pq >= 1 / (1 + lambda).
    Cheaper,
    /// v_pq >= 1/2, as published.
    Half,
}

/// Groups the leaves 0 to `count` - 1. `price` returns the probability that 2 leaves belong together; its first leaf
/// has the smaller number. A value outside of 0 to 1 counts as the nearest value inside, and NaN as 0. Returns the
/// cluster of each leaf, and the cost of all clusters. Clusters are numbered by their first leaves.
///
/// The probability of each pair is computed once, and takes 4 bytes.
pub fn cluster(
    count: usize,
    price: impl Fn(usize, usize) -> f32,
    lambda: f64,
    pivot: Pivot,
    trials: usize,
    seed: u64,
) -> (Vec<u32>, i64) {
    let mut stored = Vec::with_capacity(count * count.saturating_sub(1) / 2);
    let (mut apart, mut together) = (0, 0);
    for q in 0..count {
        for p in 0..q {
            let [of_apart, of_together] = pair_costs(price(p, q), lambda);
            apart += i64::from(of_apart);
            together += i64::from(of_together - of_apart);
            stored.push(of_together - of_apart);
        }
    }
    let cost = |p: usize, q: usize| stored[q * (q - 1) / 2 + p];
    // Being together costs more than being apart by this much if they are just near.
    let most = match pivot {
        Pivot::Cheaper => 0,
        Pivot::Half => {
            let [of_apart, of_together] = pair_costs(0.5, lambda);
            of_together - of_apart
        }
    };
    // A row of bits for each leaf: one bit for each leaf that is near it.
    let words = count.div_ceil(BITS);
    let mut near = vec![0u64; count * words];
    for q in 0..count {
        for p in (0..q).filter(|&p| cost(p, q) <= most) {
            near[p * words + q / BITS] |= 1 << (q % BITS);
            near[q * words + p / BITS] |= 1 << (p % BITS);
        }
    }

    let mut least = together.min(0);
    let mut best: Vec<u32> = if together < 0 { vec![0; count] } else { (0..count as u32).collect() };
    let mut random = Random::new(seed);
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut labels = vec![0; count];
    let mut left = vec![0u64; words];
    let mut members = Vec::new();
    for _ in 0..trials {
        // The first remaining leaf in a random order is a random one of the remaining leaves.
        random.shuffle(&mut order);
        (0..count).for_each(|leaf| left[leaf / BITS] |= 1 << (leaf % BITS));
        let mut sum = 0;
        for &pivot in &order {
            let (own_word, own_bit) = (pivot as usize / BITS, 1 << (pivot as usize % BITS));
            if left[own_word] & own_bit == 0 {
                continue;
            }
            left[own_word] ^= own_bit;
            members.clear();
            for (word, left) in left.iter_mut().enumerate().filter(|(word, left)| **left != 0 || *word == own_word) {
                let near = near[pivot as usize * words + word] & *left;
                *left ^= near;
                let own = if word == own_word { own_bit } else { 0 };
                members.extend(bits(near | own).map(|bit| word * BITS + bit));
            }
            for (index, &leaf) in members.iter().enumerate() {
                labels[leaf] = pivot;
                sum += members[..index].iter().map(|&other| i64::from(cost(other, leaf))).sum::<i64>();
            }
        }
        if sum < least {
            least = sum;
            best.clone_from(&labels);
        }
    }
    (numbered(best), apart + least)
}

/// The cost of a pair apart, and together.
fn pair_costs(probability: f32, lambda: f64) -> [i32; 2] {
    // NaN is not positive, so it counts as 0.
    let probability = if probability > 0.0 { f64::from(probability.min(1.0)) } else { 0.0 };
    let lambda = if lambda > 0.0 { lambda.min(MOST_LAMBDA) } else { 0.0 };
    [lambda * probability, 1.0 - probability].map(|cost| (cost * f64::from(UNIT_OF_COST)).round() as i32)
}

/// The positions of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < BITS).then_some(bit)
    })
}

/// Numbers clusters in the order of their first leaves.
fn numbered(mut clusters: Vec<u32>) -> Vec<u32> {
    let mut numbers = vec![u32::MAX; clusters.len()];
    let mut next = 0;
    for cluster in &mut clusters {
        let number = &mut numbers[*cluster as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        *cluster = *number;
    }
    clusters
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    /// A random probability for each pair.
    fn probabilities(seed: u64) -> impl Fn(usize, usize) -> f32 {
        move |p, q| Random::along(seed, &[p as u64, q as u64]).unit() as f32
    }

    fn cost_of(labels: &[u32], price: impl Fn(usize, usize) -> f32, lambda: f64) -> i64 {
        let pairs = (0..labels.len()).flat_map(|q| (0..q).map(move |p| (p, q)));
        pairs.map(|(p, q)| i64::from(pair_costs(price(p, q), lambda)[usize::from(labels[p] == labels[q])])).sum()
    }

    /// All partitions, numbered by first leaves.
    fn partitions(count: usize) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new()];
        for _ in 0..count {
            all = all
                .iter()
                .flat_map(|labels: &Vec<u32>| {
                    let next = labels.iter().max().map_or(0, |most| most + 1);
                    (0..=next).map(|label| [&labels[..], &[label]].concat())
                })
                .collect();
        }
        all
    }

    proptest! {
        #[test]
        fn an_equivalence_gives_its_classes(
            classes in prop::collection::vec(0u32..8, 0..60), lambda in 0.01f64..5.0, half: bool, seed: u64,
        ) {
            let pivot = if half { Pivot::Half } else { Pivot::Cheaper };
            let price = |p: usize, q: usize| f32::from(classes[p] == classes[q]);
            let (labels, cost) = cluster(classes.len(), price, lambda, pivot, 1, seed);
            prop_assert_eq!(cost, 0);
            let mut numbers = Vec::new();
            let number = |class: &u32| {
                let known = numbers.iter().position(|other| other == class);
                known.unwrap_or_else(|| { numbers.push(*class); numbers.len() - 1 }) as u32
            };
            prop_assert_eq!(labels, classes.iter().map(number).collect::<Vec<u32>>());
        }

        #[test]
        fn it_costs_no_more_than_one_cluster_or_all_singletons(
            seed: u64, count in 0usize..40, lambda in 0.0f64..5.0, trials in 0usize..6, half: bool,
        ) {
            let pivot = if half { Pivot::Half } else { Pivot::Cheaper };
            let price = probabilities(seed);
            let (labels, cost) = cluster(count, &price, lambda, pivot, trials, seed);
            prop_assert_eq!(cost, cost_of(&labels, &price, lambda));
            prop_assert!(cost <= cost_of(&vec![0; count], &price, lambda));
            prop_assert!(cost <= cost_of(&(0..count as u32).collect::<Vec<_>>(), &price, lambda));
            // More trials are never worse.
            prop_assert!(cluster(count, &price, lambda, pivot, trials + 3, seed).1 <= cost);
        }

        #[test]
        fn clusters_are_numbered_by_their_first_leaves(seed: u64, count in 0usize..40) {
            let (labels, _) = cluster(count, probabilities(seed), 1.0, Pivot::Cheaper, 5, seed);
            let mut next = 0;
            for label in labels {
                prop_assert!(label <= next);
                next = next.max(label + 1);
            }
        }
    }

    #[test]
    fn it_is_near_the_cheapest_partition() {
        let partitions = partitions(6);
        assert_eq!(partitions.len(), 203);
        let (mut cheapest, mut worst, mut sum) = (0, 1.0f64, 0.0);
        let rounds = 500;
        for seed in 0..rounds {
            let price = probabilities(seed);
            let least = partitions.iter().map(|labels| cost_of(labels, &price, 1.0)).min().unwrap();
            let (_, cost) = cluster(6, &price, 1.0, Pivot::Cheaper, 25, seed);
            assert!(cost >= least);
            let ratio = cost as f64 / least as f64;
            cheapest += usize::from(cost == least);
            (worst, sum) = (worst.max(ratio), sum + ratio);
            // A single trial is within a factor of 5 only on average. The best of many trials always is, here.
            assert!(ratio <= 5.0);
        }
        let mean = sum / rounds as f64;
        assert!(cheapest > 300 && worst < 1.5 && mean < 1.05, "{cheapest} {worst} {mean}");
    }

    #[test]
    fn the_published_pivot_takes_what_is_together_more_often_than_not() {
        // Being apart costs 2 * .45, and being together .55.
        let price = |p: usize, q: usize| if (p, q) == (0, 1) { 0.45 } else { 0.0 };
        let of = |pivot: Pivot| cluster(3, price, 2.0, pivot, 5, 1).0;
        assert_eq!([of(Pivot::Cheaper), of(Pivot::Half)], [[0, 0, 1], [0, 1, 2]]);
        let price = |p: usize, q: usize| if (p, q) == (0, 1) { 0.5 } else { 0.0 };
        assert_eq!(cluster(3, price, 2.0, Pivot::Half, 5, 1).0, [0, 0, 1]);
    }

    #[test]
    fn extreme_lambdas() {
        let price = probabilities(1);
        assert_eq!(cluster(30, &price, 1e9, Pivot::Cheaper, 5, 1).0, [0; 30]);
        assert_eq!(cluster(30, &price, 0.0, Pivot::Cheaper, 5, 1), ((0..30).collect(), 0));
        assert_eq!(cluster(3, |_, _| f32::NAN, 1.0, Pivot::Cheaper, 5, 1), (vec![0, 1, 2], 0));
        assert_eq!(cluster(0, &price, 1.0, Pivot::Cheaper, 5, 1), (Vec::new(), 0));
    }

    #[test]
    fn a_probability_is_computed_once() {
        let calls = Cell::new(0);
        let price = |p: usize, q: usize| {
            assert!(p < q);
            calls.set(calls.get() + 1);
            probabilities(1)(p, q)
        };
        cluster(100, price, 1.0, Pivot::Cheaper, 25, 1);
        assert_eq!(calls.get(), 100 * 99 / 2);
    }
}
