//! Computes the bimodal cutoff.
//!
//! Takes, for each repeat of a source, its share of the documents. Returns the share from which a repeat counts as
//! template. Shares have two clusters: language near 0 and template near 1. The modes x < y of the histogram minimise
//! the sum of the squared distances of all repeats to their nearer mode,
//!
//! ```text
//! E(x, y) = sum_{i < b} (i - x)^2 h_i + sum_{i >= b} (i - y)^2 h_i,    b = (x + y) / 2
//! ```
//!
//! All pairs are tried, each in constant time. The cutoff is b (Foschini, section 3.2, equation 3.1).

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Number of bins of the histogram.
pub const BINS: usize = 100;

/// Number of repeats for each hundredth of the share. A share of 1 counts in the last bin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct Histogram(pub [u64; BINS]);

impl TryFrom<Vec<u64>> for Histogram {
    type Error = &'static str;

    fn try_from(bins: Vec<u64>) -> Result<Histogram, &'static str> {
        bins.try_into().map(Histogram).map_err(|_| "a histogram has a hundred bins")
    }
}

impl From<Histogram> for Vec<u64> {
    fn from(histogram: Histogram) -> Vec<u64> {
        histogram.0.to_vec()
    }
}

impl Histogram {
    /// Counts shares. Each must be in 0..=1.
    pub fn of(shares: impl Iterator<Item = f64>) -> Histogram {
        let mut bins = [0; BINS];
        for share in shares {
            bins[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
        }
        Histogram(bins)
    }

    /// The histogram with these counts. Bins that are not in the map are empty.
    pub fn of_hundredths(counts: &BTreeMap<u8, u64>) -> Histogram {
        let mut bins = [0; BINS];
        counts.iter().for_each(|(&share, &count)| bins[usize::from(share).min(BINS - 1)] += count);
        Histogram(bins)
    }

    /// The bins that are not empty.
    pub fn by_hundredths(&self) -> BTreeMap<u8, u64> {
        (0..).zip(self.0).filter(|&(_, count)| count > 0).collect()
    }
}

/// A share, 0..=1, and the two modes between which it lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cutoff {
    /// A repeat with this share or more counts as template.
    pub share: f64,
    /// The two modes, as shares. `None` if the cutoff was given by a person or there are too few repeats.
    pub modes: Option<(f64, f64)>,
}

impl Cutoff {
    /// The cutoff if it cannot be computed: half of the documents.
    pub const DEFAULT: Cutoff = Cutoff { share: 0.5, modes: None };

    /// A cutoff that a person chose.
    pub fn given(share: f64) -> Cutoff {
        Cutoff { share, modes: None }
    }
}

/// Computes the cutoff of a histogram. It is [`Cutoff::DEFAULT`] if fewer than 2 bins are used.
pub fn choose_cutoff(histogram: &Histogram) -> Cutoff {
    if histogram.0.iter().filter(|&&count| count > 0).count() < 2 {
        return Cutoff::DEFAULT;
    }
    let moments = Moments::of(histogram);
    let pairs = (0..BINS).flat_map(|x| (x + 1..BINS).map(move |y| (x, y)));
    let best = pairs.min_by_key(|&pair| moments.error(pair));
    best.map_or(Cutoff::DEFAULT, |(x, y)| Cutoff {
        share: (x + y) as f64 / 2.0 / BINS as f64,
        modes: Some((x as f64 / BINS as f64, y as f64 / BINS as f64)),
    })
}

/// Prefix sums: for each bin, and for the end, the sums over the repeats in the bins before. With them, the error of a
/// pair of modes is computed in constant time.
struct Moments(Vec<[i128; 3]>);

impl Moments {
    /// Over the repeats, the sums of 1, of the bin number and of its square.
    fn of(histogram: &Histogram) -> Moments {
        let mut sums = vec![[0; 3]];
        for (bin, &count) in (0..).zip(&histogram.0) {
            let [ones, bins, squares] = sums[sums.len() - 1];
            let count = i128::from(count);
            sums.push([ones + count, bins + count * bin, squares + count * bin * bin]);
        }
        Moments(sums)
    }

    /// The sum of the squared distances of all repeats to the nearer one of two modes.
    fn error(&self, (x, y): (usize, usize)) -> i128 {
        // The first bin that is at least as near to y.
        let middle = (x + y).div_ceil(2);
        self.distances(x, 0..middle) + self.distances(y, middle..BINS)
    }

    /// The sum of the squared distances of the repeats in some bins to a mode.
    fn distances(&self, mode: usize, bins: Range<usize>) -> i128 {
        let [ones, sum, squares] = std::array::from_fn(|at| self.0[bins.end][at] - self.0[bins.start][at]);
        let mode = mode as i128;
        squares - 2 * mode * sum + mode * mode * ones
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of a pair of modes by its definition.
    fn naive_error(histogram: &Histogram, (x, y): (usize, usize)) -> i128 {
        let distance = |bin: usize| if 2 * bin < x + y { bin.abs_diff(x) } else { bin.abs_diff(y) };
        histogram.0.iter().enumerate().map(|(bin, &count)| (distance(bin).pow(2) as i128) * i128::from(count)).sum()
    }

    #[test]
    fn errors_are_those_of_the_definition() {
        let histogram = Histogram(std::array::from_fn(|bin| (bin as u64 * 7919 + 13) % 101));
        let moments = Moments::of(&histogram);
        for pair in (0..BINS).flat_map(|x| (x + 1..BINS).map(move |y| (x, y))) {
            assert_eq!(moments.error(pair), naive_error(&histogram, pair), "{pair:?}");
        }
        let full = Histogram([u64::MAX; BINS]);
        assert_eq!(Moments::of(&full).error((3, 50)), naive_error(&full, (3, 50)));
    }

    fn histogram(counts: &[(usize, u64)]) -> Histogram {
        let mut bins = [0; BINS];
        counts.iter().for_each(|&(bin, count)| bins[bin] = count);
        Histogram(bins)
    }

    #[test]
    fn lies_halfway_between_two_crowds() {
        let cutoff = choose_cutoff(&histogram(&[(3, 500), (4, 800), (5, 500), (93, 20), (94, 30), (95, 20)]));
        assert_eq!(cutoff, Cutoff { share: 0.49, modes: Some((0.04, 0.94)) });
    }

    #[test]
    fn the_heavier_a_crowd_the_closer_its_mode() {
        let lopsided = choose_cutoff(&histogram(&[(2, 1000), (60, 10), (98, 10)]));
        assert_eq!(lopsided.modes, Some((0.02, 0.79)), "a mode is its crowd's mean");
    }

    #[test]
    fn one_crowd_has_no_modes() {
        assert_eq!(choose_cutoff(&histogram(&[(7, 12)])), Cutoff::DEFAULT);
        assert_eq!(choose_cutoff(&histogram(&[])), Cutoff::DEFAULT);
    }

    #[test]
    fn shares_fall_into_hundredths() {
        let histogram = Histogram::of([0.0, 0.019, 0.5, 1.0].into_iter());
        assert_eq!((histogram.0[0], histogram.0[1], histogram.0[50], histogram.0[99]), (1, 1, 1, 1));
        assert_eq!(Histogram::of_hundredths(&histogram.by_hundredths()), histogram);
    }
}
