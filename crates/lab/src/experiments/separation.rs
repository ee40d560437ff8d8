//! Measures how well the distances between copies are separated from the distances between other texts.

use serde::Serialize;

/// The distances of mirrors and of other pairs, and how well they can be separated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Separation {
    /// The distances of mirrors.
    pub mirrors: Distribution,
    /// The distances of other pairs.
    pub others: Distribution,
    /// The probability that a mirror has a smaller distance than another pair. Ties count half (area under the ROC
    /// curve).
    pub auc: f64,
    /// The threshold that separates best: pairs up to this distance count as mirrors.
    pub threshold: f64,
    /// The accuracy with it: the mean of the share of mirrors found and the share of others recognised.
    pub accuracy: f64,
}

/// Five figures of a distribution of distances.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Distribution {
    pub min: f64,
    pub lower_quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub max: f64,
}

impl Separation {
    /// Measures how well these distances are separated. `None` if one kind has no distances.
    pub fn of(mut mirrors: Vec<f64>, mut others: Vec<f64>) -> Option<Separation> {
        mirrors.sort_by(f64::total_cmp);
        others.sort_by(f64::total_cmp);
        let (threshold, accuracy) = best_threshold(&mirrors, &others);
        Some(Separation {
            mirrors: Distribution::of(&mirrors)?,
            others: Distribution::of(&others)?,
            auc: auc(&mirrors, &others),
            threshold,
            accuracy,
        })
    }
}

impl Distribution {
    /// The distribution of sorted distances. `None` if there are none.
    fn of(sorted: &[f64]) -> Option<Distribution> {
        let last = sorted.len().checked_sub(1)?;
        let at = |quarter: usize| sorted[(last * quarter + 2) / 4];
        Some(Distribution { min: at(0), lower_quartile: at(1), median: at(2), upper_quartile: at(3), max: at(4) })
    }
}

fn auc(mirrors: &[f64], others: &[f64]) -> f64 {
    let wins = |&mirror: &f64| {
        let farther = others.len() - others.partition_point(|&other| other <= mirror);
        let equal = others.len() - others.partition_point(|&other| other < mirror) - farther;
        2 * farther + equal
    };
    mirrors.iter().map(wins).sum::<usize>() as f64 / (2 * mirrors.len() * others.len()).max(1) as f64
}

/// The threshold with the best accuracy, half way to the next distance. Of several, the smallest.
fn best_threshold(mirrors: &[f64], others: &[f64]) -> (f64, f64) {
    let mut distances: Vec<f64> = mirrors.iter().chain(others).copied().collect();
    distances.sort_by(f64::total_cmp);
    distances.dedup();
    let up_to = |sorted: &[f64], threshold: f64| {
        sorted.partition_point(|&distance| distance <= threshold) as f64 / sorted.len().max(1) as f64
    };
    let accuracy = |threshold: f64| (up_to(mirrors, threshold) + 1.0 - up_to(others, threshold)) / 2.0;
    let mut best = (0.0, accuracy(-1.0));
    for (at, &distance) in distances.iter().enumerate() {
        if accuracy(distance) > best.1 {
            let next = distances.get(at + 1).copied().unwrap_or(distance);
            best = ((distance + next) / 2.0, accuracy(distance));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_apart_is_told_apart() {
        let found = Separation::of(vec![0.3, 0.1, 0.2], vec![0.9, 0.5]).expect("distances");
        assert_eq!((found.auc, found.threshold, found.accuracy), (1.0, 0.4, 1.0));
        assert_eq!((found.mirrors.min, found.mirrors.median, found.others.max), (0.1, 0.2, 0.9));
    }

    #[test]
    fn auc_is_the_share_of_pairs_in_order() {
        let (mirrors, others) = ([0.1, 0.4, 0.4, 0.8], [0.2, 0.4, 0.9]);
        let wins = |a: f64, b: f64| if a < b { 1.0 } else { f64::from(u8::from(a == b)) / 2.0 };
        let naive: f64 = mirrors.iter().flat_map(|&a| others.map(|b| wins(a, b))).sum();
        assert!((auc(&mirrors, &others) - naive / 12.0).abs() < 1e-12);
    }

    #[test]
    fn where_nothing_can_be_told_half_is_right() {
        let found = Separation::of(vec![1.0; 4], vec![1.0; 2]).expect("distances");
        assert_eq!((found.auc, found.accuracy), (0.5, 0.5));
        assert_eq!(Separation::of(vec![], vec![1.0]), None);
    }
}
