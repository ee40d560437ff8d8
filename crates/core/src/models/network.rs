//! A network with one hidden layer: a logistic regression on [`UNITS`] units. Each unit is a weighted sum of the
//! features, or 0 if the sum is negative.
//!
//! So a feature can have different weights in different kinds of examples, unlike in a single logistic regression.
//! [`fit`] finds the weights by stochastic gradient descent (Adam: D. P. Kingma, J. Ba, ICLR 2015) with a penalty on
//! their squares. Each step sees a few examples, drawn by their weights. The draws come from a seed, so a model can be
//! fitted again.

use std::ops::RangeInclusive;

use wide::f32x8;

use super::examples::{Examples, add_to};
use crate::random::Random;

/// Number of hidden units.
pub const UNITS: usize = 32;
/// A feature that is more than this many deviations from its mean counts as if it were that far away.
pub const CLIP: f32 = 5.0;
/// How often each example is seen, on average, unless the number of steps is outside [`STEPS`].
const EPOCHS: usize = 12;
/// Minimum and maximum number of steps.
const STEPS: RangeInclusive<usize> = 2000..=20_000;
/// Maximum number of examples of a step. If there are few examples, a step has a quarter of them.
const BATCH: usize = 512;
/// The length of the first step. From step to step, the length falls linearly to 0.
const RATE: f32 = 4e-3;
/// The part of the old value that a running mean keeps at each step: for means of slopes, and for means of their
/// squares.
const MEMORY: [f32; 2] = [0.9, 0.999];
/// A feature with a smaller variance counts as constant.
const LEAST_VARIANCE: f64 = 1e-12;

/// For log-odds, probabilities are kept this far from 0 and 1.
const LEAST_PROBABILITY: f32 = 0.002;

/// A value for each unit.
pub type Units = [f32; UNITS];

/// A feature of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its mean over the examples, by their weights.
    pub mean: f32,
    /// Its standard deviation; 1 if it is constant.
    pub deviation: f32,
    /// The gain of each unit when the feature grows by a standard deviation.
    pub weights: Units,
}

/// A fitted network.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The features, in the order of their values in an example.
    pub inputs: Vec<Input>,
    /// The sum of each unit if all features have their means.
    pub unit_intercepts: Units,
    /// The gain of the log-odds when a unit grows by 1.
    pub unit_weights: Units,
    /// The log-odds if all units are 0.
    pub intercept: f32,
}

impl Network {
    /// The probability that an example with these features belongs to the class.
    ///
    /// # Panics
    /// If the number of features is not that of the network.
    pub fn probability(&self, features: &[f32]) -> f32 {
        self.judge(&[])(features)
    }

    /// The network whose log-odds are `slope` times those of this one, plus `intercept`.
    pub fn stretched(mut self, slope: f32, intercept: f32) -> Network {
        self.unit_weights.iter_mut().for_each(|weight| *weight *= slope);
        self.intercept = self.intercept * slope + intercept;
        self
    }

    /// [`probability`](Network::probability), for many examples that share their first features. It is faster: the
    /// gains of the units from the shared features are added up only once. So are the gains from features that are 0,
    /// as most other features of an example are.
    pub fn judge(&self, shared: &[f32]) -> impl Fn(&[f32]) -> f32 {
        let mut start = Sums::of(&self.unit_intercepts);
        self.inputs.iter().for_each(|input| start.add(&input.weights, input.scaled(0.0)));
        let (of_shared, of_others) = self.inputs.split_at(shared.len());
        Gains::of(of_shared).add_to(&mut start, shared);
        let gains = Gains::of(of_others);
        move |features| {
            assert_eq!(features.len(), gains.inputs.len(), "a value for each feature of the network");
            let mut sums = start;
            gains.add_to(&mut sums, features);
            let gains = active(&sums.units()).into_iter().zip(self.unit_weights).map(|(unit, weight)| unit * weight);
            logistic(self.intercept + gains.sum::<f32>())
        }
    }
}

/// Number of features that are scaled at a time, and of units that are added up at a time.
const LANES: usize = 8;

/// The sums of the units, as vectors. As an array they are spilled from registers, one number after the other, as soon
/// as the compiler inlines more.
#[derive(Clone, Copy)]
struct Sums([f32x8; UNITS / LANES]);

impl Sums {
    fn of(units: &Units) -> Sums {
        let (units, []) = units.as_chunks::<LANES>() else { unreachable!("UNITS is a multiple of LANES") };
        Sums(std::array::from_fn(|index| f32x8::new(units[index])))
    }

    /// Adds the gains of the units from a scaled value of a feature.
    #[inline(always)]
    fn add(&mut self, weights: &Units, value: f32) {
        let value = f32x8::splat(value);
        for (sum, weights) in self.0.iter_mut().zip(weights.as_chunks::<LANES>().0) {
            *sum += f32x8::new(*weights) * value;
        }
    }

    fn units(&self) -> Units {
        let mut units = [0.0; UNITS];
        units.as_chunks_mut::<LANES>().0.iter_mut().zip(self.0).for_each(|(of, sum)| *of = sum.to_array());
        units
    }
}

/// The gains of the units from some features, in comparison with features that are 0.
struct Gains<'n> {
    inputs: &'n [Input],
    scales: Vec<Scale>,
}

/// The scale of [`LANES`] features: their means and deviations, and what 0 is on this scale.
struct Scale {
    mean: f32x8,
    deviation: f32x8,
    at_zero: f32x8,
}

impl Scale {
    fn of(inputs: &[Input]) -> Scale {
        let [mut mean, mut deviation, mut at_zero] = [[0.0; LANES], [1.0; LANES], [0.0; LANES]];
        for (index, input) in inputs.iter().enumerate() {
            (mean[index], deviation[index], at_zero[index]) = (input.mean, input.deviation, input.scaled(0.0));
        }
        Scale { mean: f32x8::new(mean), deviation: f32x8::new(deviation), at_zero: f32x8::new(at_zero) }
    }
}

impl<'n> Gains<'n> {
    fn of(inputs: &'n [Input]) -> Gains<'n> {
        Gains { inputs, scales: inputs.chunks(LANES).map(Scale::of).collect() }
    }

    /// Adds the gains from features that are not 0.
    #[inline(always)]
    fn add_to(&self, sums: &mut Sums, features: &[f32]) {
        let (whole, rest) = features.as_chunks::<LANES>();
        let mut last = [0.0; LANES];
        last[..rest.len()].copy_from_slice(rest);
        let inputs = self.inputs.chunks(LANES);
        for ((features, scale), inputs) in whole.iter().chain([&last]).zip(&self.scales).zip(inputs) {
            let scaled = (f32x8::new(*features) - scale.mean) / scale.deviation;
            let gains = scaled.max(f32x8::splat(-CLIP)).min(f32x8::splat(CLIP)) - scale.at_zero;
            for ((input, &feature), gain) in inputs.iter().zip(features).zip(gains.to_array()) {
                if feature != 0.0 {
                    sums.add(&input.weights, gain);
                }
            }
        }
    }
}

/// The log-odds of a probability.
pub fn log_odds(p: f32) -> f32 {
    let p = p.clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY);
    (p / (1.0 - p)).ln()
}

impl Input {
    fn scaled(&self, feature: f32) -> f32 {
        scaled(feature, self.mean, self.deviation)
    }
}

/// Fits a network to examples. It minimises the mean loss of the examples plus half of `penalty` per squared weight;
/// intercepts are not penalised. Another seed gives a network that is about as good. Without examples, all weights are
/// 0.
pub fn fit(examples: &Examples, penalty: f32, seed: u64) -> Network {
    let mut random = Random::new(seed);
    let mut weights = Weights::at_random(examples.names().len(), &mut random);
    let Some(draw) = Draw::of(examples) else {
        weights.0.fill(0.0);
        return weights.network(examples.names(), &vec![(0.0, 1.0); examples.names().len()]);
    };

    let scale = scale(examples);
    let mut adam = Adam::of(weights.0.len());
    let mut slopes = vec![0.0; weights.0.len()];
    let mut values = vec![0.0; scale.len()];
    let count = examples.weights.iter().filter(|&&weight| weight > 0.0).count();
    let batch = count.div_ceil(4).min(BATCH);
    let steps = (EPOCHS * count / batch).clamp(*STEPS.start(), *STEPS.end());

    for step in 0..steps {
        slopes.fill(0.0);
        for _ in 0..batch {
            let example = draw.next(&mut random);
            let features = examples.features(example).iter().zip(&scale);
            values.iter_mut().zip(features).for_each(|(value, (&feature, &(mean, deviation)))| {
                *value = scaled(feature, mean, deviation);
            });
            weights.add_slopes(&values, examples.labels[example], &mut slopes);
        }
        slopes.iter_mut().for_each(|slope| *slope /= batch as f32);
        weights.add_penalty(penalty, &mut slopes);
        adam.step(RATE * (steps - step) as f32 / steps as f32, &slopes, &mut weights.0);
    }
    weights.network(examples.names(), &scale)
}

/// A weight, or 0 if it is a subnormal number. The penalty shrinks weights to such numbers where no example needs a
/// unit. They change no result, and processors are slow with them.
pub(super) fn without_tiny(weight: f32) -> f32 {
    if weight.is_subnormal() { 0.0 } else { weight }
}

fn scaled(feature: f32, mean: f32, deviation: f32) -> f32 {
    ((feature - mean) / deviation).clamp(-CLIP, CLIP)
}

fn active(units: &Units) -> Units {
    units.map(|unit| unit.max(0.0))
}

fn logistic(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Mean and standard deviation of each feature, by the weights of the examples.
fn scale(examples: &Examples) -> Vec<(f32, f32)> {
    let sum = |of: &(dyn Fn(&mut [f64], usize) + Sync)| {
        let mut all = vec![0.0; examples.names().len()];
        let blocks = examples.by_block(|block| {
            let mut sums = vec![0.0; examples.names().len()];
            block.for_each(|example| of(&mut sums, example));
            sums
        });
        blocks.iter().for_each(|sums| add_to(&mut all, sums));
        let total: f64 = examples.weights.iter().map(|&weight| f64::from(weight)).sum();
        all.iter_mut().for_each(|sum| *sum /= total);
        all
    };
    let weight = |example: usize| f64::from(examples.weights[example]);
    let means = sum(&|sums, example| {
        let values = examples.features(example);
        sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += weight(example) * f64::from(value));
    });
    let variances = sum(&|sums, example| {
        let values = examples.features(example).iter().zip(&means);
        sums.iter_mut().zip(values).for_each(|(sum, (&value, mean))| {
            *sum += weight(example) * (f64::from(value) - mean).powi(2);
        });
    });
    let deviation = |variance: f64| if variance > LEAST_VARIANCE { variance.sqrt() as f32 } else { 1.0 };
    means.iter().zip(variances).map(|(&mean, variance)| (mean as f32, deviation(variance))).collect()
}

/// Draws examples by their weights.
struct Draw {
    /// For each example, the sum of the weights up to it, itself included.
    sums: Vec<f64>,
}

impl Draw {
    /// `None` if no example has weight.
    fn of(examples: &Examples) -> Option<Draw> {
        let mut sum = 0.0;
        let add = |&weight: &f32| {
            sum += f64::from(weight);
            sum
        };
        let sums: Vec<f64> = examples.weights.iter().map(add).collect();
        (sum > 0.0).then_some(Draw { sums })
    }

    fn next(&self, random: &mut Random) -> usize {
        let at = random.unit() * self.sums[self.sums.len() - 1];
        self.sums.partition_point(|&sum| sum <= at)
    }
}

/// All weights in a row: those of each feature, the intercepts of the units, the weights of the units, the intercept.
struct Weights(Vec<f32>);

impl Weights {
    /// Small weights, so that units neither start all the same nor all at 0 (X. Glorot, Y. Bengio, AISTATS 2010).
    fn at_random(features: usize, random: &mut Random) -> Weights {
        let mut below = |limit: f32| (2.0 * random.unit() as f32 - 1.0) * limit;
        let limit = (6.0 / (features + UNITS) as f32).sqrt();
        let mut weights: Vec<f32> = (0..features * UNITS).map(|_| below(limit)).collect();
        weights.extend([0.0; UNITS]);
        let limit = (6.0 / (UNITS + 1) as f32).sqrt();
        weights.extend((0..UNITS).map(|_| below(limit)));
        weights.push(0.0);
        Weights(weights)
    }

    /// Adds the slopes of the loss of an example to `slopes`.
    fn add_slopes(&self, values: &[f32], label: f32, slopes: &mut [f32]) {
        let (of_features, rest) = self.0.split_at(values.len() * UNITS);
        let (of_features, of_rest) = (of_features.as_chunks::<UNITS>().0, rest.as_chunks::<UNITS>().0);
        let mut units = of_rest[0];
        for (weights, value) in of_features.iter().zip(values) {
            units.iter_mut().zip(weights).for_each(|(unit, weight)| *unit += weight * value);
        }
        let (units, to_output) = (active(&units), of_rest[1]);
        let log_odds = rest[2 * UNITS] + units.iter().zip(&to_output).map(|(unit, weight)| unit * weight).sum::<f32>();

        let miss = logistic(log_odds) - label;
        let (slopes_of_features, slopes_of_rest) = slopes.split_at_mut(values.len() * UNITS);
        let mut back: Units = [0.0; UNITS];
        for unit in 0..UNITS {
            slopes_of_rest[UNITS + unit] += miss * units[unit];
            back[unit] = if units[unit] > 0.0 { miss * to_output[unit] } else { 0.0 };
            slopes_of_rest[unit] += back[unit];
        }
        slopes_of_rest[2 * UNITS] += miss;
        for (slopes, value) in slopes_of_features.as_chunks_mut::<UNITS>().0.iter_mut().zip(values) {
            slopes.iter_mut().zip(&back).for_each(|(slope, back)| *slope += back * value);
        }
    }

    fn add_penalty(&self, penalty: f32, slopes: &mut [f32]) {
        let of_features = self.0.len() - 2 * UNITS - 1;
        let is_penalised = |index: &usize| *index < of_features || (UNITS..2 * UNITS).contains(&(index - of_features));
        (0..self.0.len()).filter(is_penalised).for_each(|index| slopes[index] += penalty * self.0[index]);
    }

    fn network(&self, names: &[&str], scale: &[(f32, f32)]) -> Network {
        let rows: Vec<Units> = self.0.as_chunks::<UNITS>().0.iter().map(|row| row.map(without_tiny)).collect();
        let inputs = names.iter().zip(scale).zip(&rows);
        let input = |((name, &(mean, deviation)), &weights): ((&&str, &(f32, f32)), &Units)| Input {
            name: (*name).to_owned(),
            mean,
            deviation,
            weights,
        };
        Network {
            inputs: inputs.map(input).collect(),
            unit_intercepts: rows[names.len()],
            unit_weights: rows[names.len() + 1],
            intercept: self.0[self.0.len() - 1],
        }
    }
}

/// Steps against the slopes, longer where slopes are small and steady.
struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
    /// The part that the start at 0 still has in the means of slopes, and in those of squares.
    starts: [f32; 2],
}

impl Adam {
    fn of(weights: usize) -> Adam {
        Adam { means: vec![0.0; weights], squares: vec![0.0; weights], starts: [1.0; 2] }
    }

    fn step(&mut self, rate: f32, slopes: &[f32], weights: &mut [f32]) {
        let [of_means, of_squares] = MEMORY;
        self.starts = [self.starts[0] * of_means, self.starts[1] * of_squares];
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((weight, &slope), (mean, square)) in weights.iter_mut().zip(slopes).zip(moments) {
            *mean = of_means * *mean + (1.0 - of_means) * slope;
            *square = of_squares * *square + (1.0 - of_squares) * slope * slope;
            let (mean, square) = (*mean / (1.0 - self.starts[0]), *square / (1.0 - self.starts[1]));
            *weight -= rate * mean / (square.sqrt() + 1e-8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["one", "other", "noise"];

    /// Examples whose label is whether exactly one of two features is above 2, which no weighted sum can tell.
    fn either_or(count: usize) -> Examples {
        let (mut examples, mut random) = (Examples::new(&NAMES), Random::new(3));
        for _ in 0..count {
            let values: [f32; 3] = std::array::from_fn(|_| random.unit() as f32 * 20.0 - 8.0);
            let label = f32::from(u8::from((values[0] > 2.0) != (values[1] > 2.0)));
            examples.push(&values, label, 1.0);
        }
        examples
    }

    #[test]
    fn what_no_weighted_sum_can_tell_is_learned() {
        let network = fit(&either_or(2000), 1e-4, 1);
        for (values, is_one) in [([8.0, -4.0], true), ([-4.0, 8.0], true), ([8.0, 8.0], false), ([-4.0, -4.0], false)] {
            let p = network.probability(&[values[0], values[1], 1.0]);
            assert_eq!(p > 0.5, is_one, "{values:?}: {p}");
            assert!(!(0.1..0.9).contains(&p), "{values:?}: {p}");
        }
    }

    #[test]
    fn the_seed_decides_and_threads_do_not() {
        let examples = either_or(500);
        let fitted = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&examples, 0.01, seed))
        };
        assert_eq!(fitted(1, 7), fitted(3, 7));
        assert_ne!(fitted(1, 7), fitted(1, 8));
    }

    #[test]
    fn examples_without_weight_do_not_count() {
        let mut examples = either_or(300);
        (0..300).for_each(|_| examples.push(&[1e6, -1e6, 5.0], 1.0, 0.0));
        assert_eq!(fit(&examples, 0.01, 7), fit(&either_or(300), 0.01, 7));
    }

    #[test]
    fn without_examples_nothing_is_known() {
        assert_eq!(fit(&Examples::new(&NAMES), 0.01, 7).probability(&[1.0, 2.0, 3.0]), 0.5);
    }

    #[test]
    fn a_penalty_makes_weights_small_but_not_intercepts() {
        let mut examples = either_or(300);
        (0..2700).for_each(|_| examples.push(&[0.0; 3], 1.0, 1.0));
        let network = fit(&examples, 10.0, 7);
        assert!(network.inputs.iter().flat_map(|input| &input.weights).all(|weight| weight.abs() < 0.05));
        assert!((network.probability(&[0.0; 3]) - 0.95).abs() < 0.05, "{}", network.probability(&[0.0; 3]));
    }

    #[test]
    fn slopes_are_those_of_the_loss() {
        let weights = Weights::at_random(3, &mut Random::new(6));
        let loss = |weights: &Weights| {
            let network = weights.network(&NAMES, &[(0.0, 1.0); 3]);
            -f64::from(1.0 - network.probability(&[0.3, -1.2, 2.0])).ln()
        };
        let mut slopes = vec![0.0; weights.0.len()];
        weights.add_slopes(&[0.3, -1.2, 2.0], 0.0, &mut slopes);
        assert!(slopes.iter().any(|slope| slope.abs() > 0.01));
        for (index, &slope) in slopes.iter().enumerate() {
            let moved = |by: f32| {
                let mut moved = Weights(weights.0.clone());
                moved.0[index] += by;
                loss(&moved)
            };
            // A longer way could pass the place where a unit becomes 0.
            let expected = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!((f64::from(slope) - expected).abs() < 1e-3, "{index}: {slope} {expected}");
        }
    }

    #[test]
    fn a_probability_is_that_of_the_formula() {
        let mut random = Random::new(5);
        for features in [1, 7, 70] {
            let mut number = || if random.unit() < 0.4 { 0.0 } else { random.unit() as f32 * 4.0 - 2.0 };
            let input = |_| Input {
                name: String::new(),
                mean: number(),
                deviation: number().abs() + 0.1,
                weights: std::array::from_fn(|_| number()),
            };
            let inputs: Vec<Input> = (0..features).map(input).collect();
            let [unit_intercepts, unit_weights] = [(); 2].map(|()| std::array::from_fn(|_| number()));
            let network = Network { inputs, unit_intercepts, unit_weights, intercept: number() };
            let values: Vec<f32> = (0..features).map(|_| number()).collect();
            let unit = |unit: usize| {
                let scaled = |input: &Input, value: f32| ((value - input.mean) / input.deviation).clamp(-CLIP, CLIP);
                let gains = network.inputs.iter().zip(&values).map(|(of, &value)| of.weights[unit] * scaled(of, value));
                f64::from((unit_intercepts[unit] + gains.sum::<f32>()).max(0.0) * unit_weights[unit])
            };
            let log_odds = f64::from(network.intercept) + (0..UNITS).map(unit).sum::<f64>();
            let expected = 1.0 / (1.0 + (-log_odds).exp());
            let p = f64::from(network.probability(&values));
            assert!((p - expected).abs() < 1e-3, "{features}: {p} {expected}");
        }
    }

    #[test]
    fn features_that_examples_share_are_added_up_once() {
        let network = fit(&either_or(300), 0.01, 7);
        let values = [8.0, -4.0, 1.0];
        for shared in 0..=values.len() {
            let (shared, own) = values.split_at(shared);
            assert_eq!(network.judge(shared)(own), network.probability(&values), "{shared:?}");
        }
    }

    #[test]
    fn an_outlier_counts_as_far_as_the_clip() {
        let network = fit(&either_or(300), 0.01, 7);
        assert_eq!(network.probability(&[1e6, 0.0, 0.0]), network.probability(&[1e9, 0.0, 0.0]));
        assert!(network.probability(&[f32::MAX, f32::MIN, 0.0]).is_finite());
    }
}
