//! Labelled examples, to which models are fitted.

use std::ops::Range;

use rayon::prelude::*;

/// Number of examples that are summed together. It is fixed, so that sums do not depend on the number of threads.
pub(super) const BLOCK_OF_SUM: usize = 4096;

/// Labelled examples with weights.
#[derive(Clone, Debug)]
pub struct Examples {
    names: &'static [&'static str],
    /// The features of all examples, one example after the other.
    values: Vec<f32>,
    pub(super) labels: Vec<f32>,
    pub(super) weights: Vec<f32>,
}

impl Examples {
    /// No examples yet, of features with these names.
    pub fn new(names: &'static [&'static str]) -> Examples {
        Examples { names, values: Vec::new(), labels: Vec::new(), weights: Vec::new() }
    }

    /// Adds an example. Its label, from 0 to 1, is the degree to which it belongs to the class.
    ///
    /// # Panics
    /// If the number of features is not the number of names.
    pub fn push(&mut self, features: &[f32], label: f32, weight: f32) {
        assert_eq!(features.len(), self.names.len(), "a value for each name");
        self.values.extend(features);
        self.labels.push(label);
        self.weights.push(weight);
    }

    /// Adds examples of the same features.
    ///
    /// # Panics
    /// If the features have other names.
    pub fn extend(&mut self, others: Examples) {
        assert_eq!(self.names, others.names, "the examples have the same features");
        self.values.extend(others.values);
        self.labels.extend(others.labels);
        self.weights.extend(others.weights);
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The names of the features.
    pub fn names(&self) -> &'static [&'static str] {
        self.names
    }

    pub(super) fn features(&self, example: usize) -> &[f32] {
        let width = self.names.len();
        &self.values[example * width..(example + 1) * width]
    }

    /// The results of `of_block` for all blocks, in order.
    pub(super) fn by_block<T: Send>(&self, of_block: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        let range = |block: usize| block * BLOCK_OF_SUM..self.len().min((block + 1) * BLOCK_OF_SUM);
        (0..self.len().div_ceil(BLOCK_OF_SUM)).into_par_iter().map(|block| of_block(range(block))).collect()
    }

    /// For each feature, the mean over the examples. `add` adds the values of one example to the sums.
    pub(super) fn means(&self, add: impl Fn(&mut [f64], &[f32]) + Sync) -> Vec<f64> {
        let mut means = vec![0.0; self.names.len()];
        let sums = self.by_block(|block| {
            let mut sums = vec![0.0; self.names.len()];
            block.for_each(|example| add(&mut sums, self.features(example)));
            sums
        });
        sums.iter().for_each(|sums| add_to(&mut means, sums));
        means.iter_mut().for_each(|sum| *sum /= self.len().max(1) as f64);
        means
    }
}

pub(super) fn add_to(sums: &mut [f64], values: &[f64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
