//! Logistic regression: the log-odds of a label are a weighted sum of features.
//!
//! [`fit`] finds the weights of the greatest likelihood with a ridge penalty, by Newton's method (iteratively reweighted
//! least squares). Features are standardised first, so that the penalty treats all of them alike.

use std::ops::Range;

use super::examples::{Examples, add_to};

/// Number of examples that are added to the curvature at once. The curvature of many features is larger than the first
/// cache, so each visit of an entry should add several products.
const ROWS: usize = 8;
/// Maximum number of steps, including those that are taken back. Newton's method needs far fewer.
const MAX_NEWTON_STEPS: usize = 50;
/// A step in which no weight changes by more than this is the last one.
const SMALL_STEP: f64 = 1e-6;
/// A feature with a smaller variance counts as constant.
const LEAST_VARIANCE: f64 = 1e-12;

/// How a model is fitted.
#[derive(Clone, Copy, Debug)]
pub struct FitOptions {
    /// The penalty is half of this times the sum of the squared weights. It keeps the weights of useless features
    /// small. The intercept is not penalised.
    pub ridge: f64,
    /// A feature that is more than this many deviations from its mean counts as if it were that far away.
    pub clip: Option<f64>,
}

/// A feature of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// The gain of the log-odds when the feature grows by a standard deviation.
    pub weight: f64,
    /// Its mean over the examples, each counted once.
    pub mean: f64,
    /// Its standard deviation; 1 if it is constant.
    pub deviation: f64,
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticModel {
    features: Vec<Feature>,
    intercept: f64,
    clip: Option<f64>,
    /// The features again, for values that are not standardised, which is faster.
    terms: Vec<Term>,
    constant: f64,
}

/// The weight and the limits of a feature for values that are not standardised.
#[derive(Clone, Debug, PartialEq)]
struct Term {
    weight: f64,
    least: f64,
    greatest: f64,
}

impl LogisticModel {
    /// A model with this intercept: the log-odds if all features have their means.
    pub fn new(features: Vec<Feature>, intercept: f64, clip: Option<f64>) -> LogisticModel {
        let clip_or_none = clip.unwrap_or(f64::INFINITY);
        let term = |feature: &Feature| Term {
            weight: feature.weight / feature.deviation,
            least: feature.mean - clip_or_none * feature.deviation,
            greatest: feature.mean + clip_or_none * feature.deviation,
        };
        let terms: Vec<Term> = features.iter().map(term).collect();
        let moved: f64 = terms.iter().zip(&features).map(|(term, feature)| term.weight * feature.mean).sum();
        LogisticModel { constant: intercept - moved, features, intercept, clip, terms }
    }

    /// The features, in the order of their values in an example.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// The log-odds if all features have their means.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// The log-odds if all features are 0.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// See [`FitOptions::clip`].
    pub fn clip(&self) -> Option<f64> {
        self.clip
    }

    /// The probability that an example with these features belongs to the class.
    ///
    /// # Panics
    /// If the number of features is not that of the model.
    pub fn probability(&self, features: &[f32]) -> f64 {
        logistic(self.log_odds(features))
    }

    /// The log-odds that an example with these features belongs to the class.
    ///
    /// # Panics
    /// If the number of features is not that of the model.
    pub fn log_odds(&self, features: &[f32]) -> f64 {
        /// Number of separate sums. The processor can add to all of them at the same time.
        const LANES: usize = 4;
        assert_eq!(features.len(), self.terms.len(), "a value for each feature of the model");
        let of = |term: &Term, value: f32| term.weight * f64::from(value).max(term.least).min(term.greatest);
        let (values, last_values) = features.as_chunks::<LANES>();
        let (terms, last_terms) = self.terms.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (terms, values) in terms.iter().zip(values) {
            for lane in 0..LANES {
                sums[lane] += of(&terms[lane], values[lane]);
            }
        }
        let last: f64 = last_terms.iter().zip(last_values).map(|(term, &value)| of(term, value)).sum();
        self.constant + (sums[0] + sums[1]) + (sums[2] + sums[3]) + last
    }
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Fits a model to examples.
pub fn fit(examples: &Examples, options: &FitOptions) -> LogisticModel {
    let problem = Problem { examples, scale: Scale::of(examples, options.clip), ridge: options.ridge };
    let mut weights = vec![0.0; problem.size()];
    let Point { mut likelihood, gradient, curvature } = problem.at(&weights);
    let mut step = curvature.solve(gradient);
    for _ in 0..MAX_NEWTON_STEPS {
        let moved: Vec<f64> = weights.iter().zip(&step).map(|(weight, step)| weight + step).collect();
        if step.iter().all(|step| step.abs() < SMALL_STEP) {
            weights = moved;
            break;
        }
        let next = problem.at(&moved);
        if next.likelihood < likelihood {
            // Far from the maximum, a whole step can go too far.
            step.iter_mut().for_each(|step| *step /= 2.0);
        } else {
            (weights, likelihood) = (moved, next.likelihood);
            step = next.curvature.solve(next.gradient);
        }
    }
    problem.scale.model(examples.names(), &weights, options.clip)
}

/// Mean and standard deviation of each feature, and the clip.
struct Scale {
    means: Vec<f64>,
    deviations: Vec<f64>,
    clip: f64,
}

impl Scale {
    fn of(examples: &Examples, clip: Option<f64>) -> Scale {
        let means = examples.means(|sums, features| {
            sums.iter_mut().zip(features).for_each(|(sum, &feature)| *sum += f64::from(feature));
        });
        let variances = examples.means(|sums, features| {
            let squares = features.iter().zip(&means).map(|(&feature, mean)| (f64::from(feature) - mean).powi(2));
            sums.iter_mut().zip(squares).for_each(|(sum, square)| *sum += square);
        });
        let deviation = |variance: f64| if variance > LEAST_VARIANCE { variance.sqrt() } else { 1.0 };
        let deviations = variances.into_iter().map(deviation).collect();
        Scale { means, deviations, clip: clip.unwrap_or(f64::INFINITY) }
    }

    /// Writes the features in units of their deviation from the mean, and a 1 for the intercept.
    fn apply(&self, features: &[f32], scaled: &mut [f64]) {
        let scales = self.means.iter().zip(&self.deviations);
        for ((scaled, &feature), (mean, deviation)) in scaled.iter_mut().zip(features).zip(scales) {
            *scaled = ((f64::from(feature) - mean) / deviation).max(-self.clip).min(self.clip);
        }
        scaled[features.len()] = 1.0;
    }

    fn model(&self, names: &[&str], weights: &[f64], clip: Option<f64>) -> LogisticModel {
        let feature = |(index, name): (usize, &&str)| Feature {
            name: (*name).to_owned(),
            weight: weights[index],
            mean: self.means[index],
            deviation: self.deviations[index],
        };
        LogisticModel::new(names.iter().enumerate().map(feature).collect(), weights[names.len()], clip)
    }
}

/// The function to maximise: the log-likelihood of the examples minus the penalty.
struct Problem<'e> {
    examples: &'e Examples,
    scale: Scale,
    ridge: f64,
}

/// The penalised log-likelihood at some weights, with its derivatives.
struct Point {
    likelihood: f64,
    gradient: Vec<f64>,
    /// The negative second derivatives.
    curvature: Triangle,
}

impl Problem<'_> {
    /// Number of weights; the last one is the intercept.
    fn size(&self) -> usize {
        self.examples.names().len() + 1
    }

    fn at(&self, weights: &[f64]) -> Point {
        let mut all = Point::zero(self.size());
        for block in self.examples.by_block(|block| self.of_block(block, weights)) {
            all.likelihood += block.likelihood;
            add_to(&mut all.gradient, &block.gradient);
            add_to(&mut all.curvature.entries, &block.curvature.entries);
        }
        let intercept = self.size() - 1;
        for (index, weight) in weights[..intercept].iter().enumerate() {
            all.likelihood -= self.ridge / 2.0 * weight * weight;
            all.gradient[index] -= self.ridge * weight;
            all.curvature.row_mut(index)[index] += self.ridge;
        }
        // So there is exactly one solution, even without examples.
        all.curvature.row_mut(intercept)[intercept] += 1e-6;
        all
    }

    fn of_block(&self, block: Range<usize>, weights: &[f64]) -> Point {
        let mut point = Point::zero(self.size());
        let mut scaled = vec![0.0; ROWS * self.size()];
        for first in block.clone().step_by(ROWS) {
            // Rows after the last example have no spread, so they add nothing.
            let mut spreads = [0.0; ROWS];
            let rows = scaled.chunks_exact_mut(self.size()).zip(&mut spreads);
            for (example, (x, spread)) in (first..block.end).zip(rows) {
                self.scale.apply(self.examples.features(example), x);
                let log_odds: f64 = x.iter().zip(weights).map(|(x, weight)| x * weight).sum();
                let p = logistic(log_odds);
                let [label, weight] = [&self.examples.labels, &self.examples.weights].map(|of| f64::from(of[example]));
                // ln(1 + e^z), without overflow.
                let softplus = log_odds.max(0.0) + (-log_odds.abs()).exp().ln_1p();
                point.likelihood += weight * (label * log_odds - softplus);
                let miss = weight * (label - p);
                point.gradient.iter_mut().zip(&*x).for_each(|(gradient, x)| *gradient += miss * x);
                *spread = weight * p * (1.0 - p);
            }
            point.curvature.add_products(&scaled, &spreads);
        }
        point
    }
}

impl Point {
    fn zero(size: usize) -> Point {
        Point { likelihood: 0.0, gradient: vec![0.0; size], curvature: Triangle::zero(size) }
    }
}

/// The lower half of a symmetric matrix, row by row.
struct Triangle {
    size: usize,
    entries: Vec<f64>,
}

impl Triangle {
    fn zero(size: usize) -> Triangle {
        Triangle { size, entries: vec![0.0; start_of(size)] }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.entries[start_of(row)..start_of(row + 1)]
    }

    fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.entries[start_of(row)..start_of(row + 1)]
    }

    /// Adds `spread * x_i * x_j` to each entry, for each of the vectors x.
    fn add_products(&mut self, vectors: &[f64], spreads: &[f64; ROWS]) {
        let size = self.size;
        for row in 0..size {
            let factors: [f64; ROWS] = std::array::from_fn(|number| spreads[number] * vectors[number * size + row]);
            let columns: [&[f64]; ROWS] = std::array::from_fn(|number| &vectors[number * size..][..=row]);
            for (column, entry) in self.row_mut(row)[..=row].iter_mut().enumerate() {
                for number in 0..ROWS {
                    *entry += factors[number] * columns[number][column];
                }
            }
        }
    }

    /// Solves A x = b for this matrix A, which must be positive definite (Cholesky).
    fn solve(mut self, mut b: Vec<f64>) -> Vec<f64> {
        for row in 0..self.size {
            let (above, from_here) = self.entries.split_at_mut(start_of(row));
            let entries = &mut from_here[..=row];
            for column in 0..row {
                let other = &above[start_of(column)..start_of(column + 1)];
                entries[column] = (entries[column] - dot(&entries[..column], other)) / other[column];
            }
            let rest = entries[row] - dot(&entries[..row], &entries[..row]);
            entries[row] = rest.max(1e-12).sqrt();
        }
        for row in 0..self.size {
            b[row] = (b[row] - dot(self.row(row), &b[..row])) / self.row(row)[row];
        }
        for row in (0..self.size).rev() {
            let below: f64 = (row + 1..self.size).map(|below| self.row(below)[row] * b[below]).sum();
            b[row] = (b[row] - below) / self.row(row)[row];
        }
        b
    }
}

/// Where a row of a [`Triangle`] starts.
fn start_of(row: usize) -> usize {
    row * (row + 1) / 2
}

/// The dot product. The rest of a longer slice is ignored.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::super::examples::BLOCK_OF_SUM;
    use proptest::prelude::*;

    use super::*;
    use crate::random::Random;

    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    const PLAIN: FitOptions = FitOptions { ridge: 1.0, clip: None };

    fn of(width: usize, rows: &[(Vec<f32>, f32, f32)]) -> Examples {
        let names: &'static [&'static str] = &NAMES;
        let mut examples = Examples::new(&names[..width]);
        rows.iter().for_each(|(features, label, weight)| examples.push(&features[..width], *label, *weight));
        examples
    }

    fn rows(number: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(Vec<f32>, f32, f32)>> {
        let label = prop_oneof![Just(0.0f32), Just(1.0), 0.0f32..1.0];
        prop::collection::vec((prop::collection::vec(-5.0f32..5.0, NAMES.len()), label, 0.1f32..4.0), number)
    }

    fn problem<'e>(examples: &'e Examples, options: &FitOptions) -> Problem<'e> {
        Problem { examples, scale: Scale::of(examples, options.clip), ridge: options.ridge }
    }

    /// The standardised weights and the intercept.
    fn weights_of(model: &LogisticModel) -> Vec<f64> {
        model.features().iter().map(|feature| feature.weight).chain([model.intercept()]).collect()
    }

    /// The penalised log-likelihood, written down again as plainly as possible.
    fn plain_likelihood(model: &LogisticModel, rows: &[(Vec<f32>, f32, f32)], options: &FitOptions) -> f64 {
        let of_row = |(features, label, weight): &(Vec<f32>, f32, f32)| {
            let clip = options.clip.unwrap_or(1e300);
            let standardised = |(feature, value): (&Feature, &f32)| {
                feature.weight * ((f64::from(*value) - feature.mean) / feature.deviation).clamp(-clip, clip)
            };
            let z = model.intercept() + model.features().iter().zip(features).map(standardised).sum::<f64>();
            let p = 1.0 / (1.0 + (-z).exp());
            f64::from(*weight) * (f64::from(*label) * p.ln() + f64::from(1.0 - *label) * (1.0 - p).ln())
        };
        let penalty: f64 = model.features().iter().map(|feature| options.ridge / 2.0 * feature.weight.powi(2)).sum();
        rows.iter().map(of_row).sum::<f64>() - penalty
    }

    fn moved(model: &LogisticModel, index: usize, by: f64) -> LogisticModel {
        let (mut features, mut intercept) = (model.features().to_vec(), model.intercept());
        match features.get_mut(index) {
            Some(feature) => feature.weight += by,
            None => intercept += by,
        }
        LogisticModel::new(features, intercept, model.clip())
    }

    proptest! {
        #[test]
        fn derivatives_are_those_of_finite_differences(
            rows in rows(5..30),
            weights in prop::collection::vec(-1.0f64..1.0, NAMES.len() + 1),
            clip in prop::option::of(0.5f64..3.0),
        ) {
            let (examples, options) = (of(NAMES.len(), &rows), FitOptions { ridge: 0.7, clip });
            let problem = problem(&examples, &options);
            let here = problem.at(&weights);
            for index in 0..weights.len() {
                let near = |by: f64| {
                    let mut near = weights.clone();
                    near[index] += by;
                    problem.at(&near)
                };
                let (before, after) = (near(-1e-5), near(1e-5));
                let slope = (after.likelihood - before.likelihood) / 2e-5;
                prop_assert!((slope - here.gradient[index]).abs() < 1e-5 * (1.0 + slope.abs()));
                for other in 0..=index {
                    // The intercept has 1e-6 of its own.
                    let bend = (before.gradient[other] - after.gradient[other]) / 2e-5;
                    prop_assert!((bend - here.curvature.row(index)[other]).abs() < 1e-5 * (1.0 + bend.abs()));
                }
            }
        }

        #[test]
        fn no_model_nearby_is_better(
            rows in rows(10..60), width in 1..=NAMES.len(), clip in prop::option::of(0.5f64..3.0), nudge in -0.3f64..0.3,
        ) {
            let options = FitOptions { ridge: 1.0, clip };
            let model = fit(&of(width, &rows), &options);
            let best = plain_likelihood(&model, &rows, &options);
            for index in 0..=width {
                prop_assert!(best >= plain_likelihood(&moved(&model, index, nudge), &rows, &options) - 1e-6);
            }
        }

        #[test]
        fn the_order_of_the_examples_means_nothing(rows in rows(10..60), seed in any::<u64>()) {
            let mut shuffled = rows.clone();
            Random::new(seed).shuffle(&mut shuffled);
            let (one, other) = (fit(&of(4, &rows), &PLAIN), fit(&of(4, &shuffled), &PLAIN));
            for (one, other) in weights_of(&one).into_iter().zip(weights_of(&other)) {
                prop_assert!((one - other).abs() < 1e-9 * (1.0 + one.abs()));
            }
        }

        #[test]
        fn log_odds_are_those_of_standardised_features(
            rows in rows(10..30), width in 1..=NAMES.len(), clip in prop::option::of(0.5f64..3.0),
        ) {
            let options = FitOptions { ridge: 1.0, clip };
            let examples = of(width, &rows);
            let (model, scale) = (fit(&examples, &options), Scale::of(&examples, clip));
            for number in 0..examples.len() {
                let mut scaled = vec![0.0; width + 1];
                scale.apply(examples.features(number), &mut scaled);
                let expected = dot(&scaled, &weights_of(&model));
                prop_assert!((model.log_odds(examples.features(number)) - expected).abs() < 1e-9);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn plain_gradient_ascent_comes_to_the_same_model(rows in rows(10..20), width in 1..4usize) {
            let fitted = fit(&of(width, &rows), &PLAIN);
            let mut climbing = fitted.clone();
            (0..=width).for_each(|index| climbing = moved(&climbing, index, -weights_of(&climbing)[index]));
            // No weight is above 4, and squared features are 1 on average, so the curvature is no larger than this.
            let step = 1.0 / (1.0 + (rows.len() * (1 + width)) as f64);
            for _ in 0..1000 {
                let here = plain_likelihood(&climbing, &rows, &PLAIN);
                let slope = |index| (plain_likelihood(&moved(&climbing, index, 1e-6), &rows, &PLAIN) - here) / 1e-6;
                let slopes: Vec<f64> = (0..=width).map(slope).collect();
                (0..=width).for_each(|index| climbing = moved(&climbing, index, step * slopes[index]));
            }
            // The likelihood has one maximum. Where it is flat, climbing soon comes near the height of the maximum, but
            // not near its place.
            let [climbed, reached] = [&climbing, &fitted].map(|model| plain_likelihood(model, &rows, &PLAIN));
            prop_assert!(reached >= climbed - 1e-9 * (1.0 + climbed.abs()), "{climbed} {reached}");
            let is_near = |(one, other): (f64, f64)| (one - other).abs() < 1e-3;
            let is_same = weights_of(&climbing).into_iter().zip(weights_of(&fitted)).all(is_near);
            prop_assert!(is_same || reached - climbed > 1e-6, "{climbing:?} {fitted:?}");
        }
    }

    #[test]
    fn classes_that_can_be_separated_are() {
        let rows: Vec<_> =
            (0..200u8).map(|i| (vec![f32::from(i % 20)], f32::from(u8::from(i % 20 < 8)), 1.0)).collect();
        for ridge in [1.0, 1e-3] {
            let model = fit(&of(1, &rows), &FitOptions { ridge, clip: None });
            assert!(model.features()[0].weight < 0.0);
            for (features, label, _) in &rows {
                assert_eq!(model.log_odds(features) > 0.0, *label > 0.5);
            }
        }
    }

    #[test]
    fn a_constant_feature_has_no_weight() {
        let rows: Vec<_> = (0..50u8).map(|i| (vec![0.1, f32::from(i)], f32::from(i % 2), 1.0)).collect();
        let model = fit(&of(2, &rows), &PLAIN);
        let constant = &model.features()[0];
        assert!(constant.weight.abs() < 1e-9 && constant.deviation == 1.0, "{constant:?}");
    }

    #[test]
    fn without_features_the_intercept_is_the_log_odds_of_the_labels() {
        let rows = [(vec![], 1.0, 3.0), (vec![], 0.0, 1.0)];
        assert!((fit(&of(0, &rows), &PLAIN).log_odds(&[]) - 3f64.ln()).abs() < 1e-5);
        assert_eq!(fit(&of(0, &[]), &PLAIN).log_odds(&[]), 0.0);
    }

    #[test]
    fn an_outlier_counts_as_far_as_the_clip() {
        let rows: Vec<_> = (0..50u8).map(|i| (vec![f32::from(i)], f32::from(u8::from(i > 20)), 1.0)).collect();
        let model = fit(&of(1, &rows), &FitOptions { ridge: 1.0, clip: Some(2.0) });
        assert_eq!(model.log_odds(&[1e6]), model.log_odds(&[1e9]));
        assert!(model.log_odds(&[1e6]) > model.log_odds(&[49.0]));
    }

    /// Random examples whose labels depend on their features.
    fn many(number: usize, names: &'static [&'static str]) -> Examples {
        let (mut examples, mut random) = (Examples::new(names), Random::new(7));
        for _ in 0..number {
            let features: Vec<f32> = names.iter().map(|_| random.below(1000) as f32 / 100.0).collect();
            let label = f32::from(u8::from(features[0] + random.below(5) as f32 > 7.0));
            examples.push(&features, label, 1.0 + random.below(3) as f32);
        }
        examples
    }

    #[test]
    fn the_number_of_threads_means_nothing() {
        let examples = many(3 * BLOCK_OF_SUM + 5, &NAMES);
        let fitted = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&examples, &PLAIN))
        };
        assert_eq!(fitted(1), fitted(3));
    }
}
