//! Fits networks to examples of many groups, such as the pages of sites. Each group can be judged by a network that has
//! not seen it.

use rayon::prelude::*;

use super::examples::Examples;
use super::logistic::{self, FitOptions};
use super::network::{Network, fit, log_odds};

/// Number of parts into which groups are divided.
pub const PARTS: usize = 5;
/// The ridge penalty of the stretch. It is too small to matter, but gives a slope even if all opinions are equal.
const RIDGE_OF_STRETCH: f64 = 1e-3;
/// The seed of the networks.
const SEED_OF_NETWORKS: u64 = 1;

/// Examples that belong together, such as the blocks of a page.
#[derive(Clone, Copy, Debug)]
pub struct Taught<'t> {
    /// The number of the part in which their group is, below [`PARTS`].
    pub part: usize,
    /// A row of features for each example.
    pub rows: &'t [f32],
    /// For each example, whether it belongs to the class, and its weight. An example without weight is not learned
    /// from.
    pub labels: &'t [(bool, f32)],
}

/// The networks that were learned.
#[derive(Debug)]
pub struct Learned {
    /// A network that has seen all groups.
    pub network: Network,
    /// For each part, a network that has not seen its groups.
    pub without: Vec<Network>,
}

impl Learned {
    /// The probabilities of these examples, according to a network that has not seen their group. `width` is the number
    /// of features.
    pub fn opinions(&self, width: usize, taught: &Taught) -> Vec<f32> {
        taught.rows.chunks_exact(width).map(self.without[taught.part].judge(&[])).collect()
    }
}

/// Fits networks to examples with these features. `penalty` is that of [`fit`]. The log-odds of all networks are then
/// stretched and shifted alike, so that the opinions about unseen groups fit the labels best.
pub fn learned(names: &'static [&'static str], taught: &[Taught], penalty: f32) -> Learned {
    let fitted = |out: Option<usize>| {
        let seen = taught.iter().filter(|taught| Some(taught.part) != out);
        fit(&examples(names, seen.map(|taught| (taught.rows, taught.labels))), penalty, SEED_OF_NETWORKS)
    };
    let parts: Vec<Option<usize>> = std::iter::once(None).chain((0..PARTS).map(Some)).collect();
    let mut networks: Vec<Network> = parts.into_par_iter().map(fitted).collect();
    let without = networks.split_off(1);
    let odds = |taught: &Taught| -> Vec<f32> {
        taught.rows.chunks_exact(names.len()).map(without[taught.part].judge(&[])).map(log_odds).collect()
    };
    let odds: Vec<Vec<f32>> = taught.par_iter().map(odds).collect();
    let examples = examples(&["log-odds"], odds.iter().zip(taught).map(|(odds, taught)| (&odds[..], taught.labels)));
    let line = logistic::fit(&examples, &FitOptions { ridge: RIDGE_OF_STRETCH, clip: None });
    let slope = line.log_odds(&[1.0]) - line.constant();
    let stretched = |network: Network| network.stretched(slope as f32, line.constant() as f32);
    Learned { network: stretched(networks.swap_remove(0)), without: without.into_iter().map(stretched).collect() }
}

fn examples<'t>(
    names: &'static [&'static str],
    taught: impl Iterator<Item = (&'t [f32], &'t [(bool, f32)])>,
) -> Examples {
    let mut examples = Examples::new(names);
    for (rows, labels) in taught {
        for (row, &(is_of_class, weight)) in rows.chunks_exact(names.len()).zip(labels) {
            if weight > 0.0 {
                examples.push(row, f32::from(u8::from(is_of_class)), weight);
            }
        }
    }
    examples
}
