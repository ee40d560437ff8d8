//! Fits a shape model to mined sources: learns the shape of boilerplate without labelled pages.
//!
//! The mined templates are the labels. Segments that cleaning with matches alone would remove are the positive
//! examples, all others the negative ones. Some of these are boilerplate as well, which varies and so was not found
//! (the setting is learning from positive and unlabelled examples; C. Elkan, K. Noto, KDD 2008). Such a segment looks
//! like the positive ones, so the fitted model calls it boilerplate, and in the next round it is a positive example.

use std::ops::Range;

use rayon::prelude::*;

use crate::cleaning::shape::{FEATURES, Features, ShapeModel};
use crate::cleaning::{CleanError, CleanOptions, Cleaner, EvidenceKind, EvidenceKinds, Scratch};
use crate::patterns::PatternFile;

/// Number of rounds: first the model is fitted to what matches remove, then once more to what it removes itself.
pub const ROUNDS: usize = 2;
/// Maximum weight of an example, in words: a long paragraph says no more about shapes.
const MAX_WEIGHT: f64 = 40.0;
/// The ridge penalty. It keeps the weights of useless features small. For features in units of their standard
/// deviation.
const RIDGE: f64 = 1.0;
/// Maximum number of steps. Newton's method needs far fewer.
const MAX_STEPS: usize = 25;

/// A source to learn from.
#[derive(Debug)]
pub struct Lesson {
    /// Its own patterns and the shared ones.
    pub patterns: Vec<PatternFile>,
    /// Its documents.
    pub texts: Vec<String>,
}

/// A segment, and whether it counts as boilerplate.
#[derive(Clone, Debug)]
pub struct Example {
    /// Its features.
    pub features: Features,
    /// Whether it is boilerplate.
    pub is_boilerplate: bool,
    /// Its weight, in words.
    pub weight: f64,
}

/// Fits a model to sources in this many rounds. Calls `learned` for each source in each round.
pub fn train(lessons: &[Lesson], rounds: usize, learned: impl Fn() + Sync) -> Result<ShapeModel, CleanError> {
    let mut model = None;
    for _ in 0..rounds.max(1) {
        let shape = model.take().map(std::sync::Arc::new);
        // Without these, so that the model learns what shape says by itself.
        let evidence_kinds = EvidenceKinds::ALL.without(EvidenceKind::Headline).without(EvidenceKind::Prior);
        let options = CleanOptions { shape, evidence_kinds, ..CleanOptions::default() };
        let examples_of = |lesson| examples(lesson, &options).inspect(|_| learned());
        let examples = lessons.par_iter().map(examples_of).collect::<Result<Vec<_>, _>>()?;
        model = Some(fit(&examples.concat()));
    }
    Ok(model.unwrap_or(ShapeModel { weights: [0.0; FEATURES], intercept: 0.0 }))
}

fn examples(lesson: &Lesson, options: &CleanOptions) -> Result<Vec<Example>, CleanError> {
    let files: Vec<&PatternFile> = lesson.patterns.iter().collect();
    let cleaner = Cleaner::new(&files, options);
    let mut scratch = Scratch::default();
    let mut examples = Vec::new();
    for text in &lesson.texts {
        let of_segment = |(segment, features, going): (Range<usize>, _, f64)| Example {
            features,
            is_boilerplate: going > 0.5,
            weight: (segment.len() as f64).min(MAX_WEIGHT),
        };
        examples.extend(cleaner.examples(&mut scratch, text)?.into_iter().map(of_segment));
    }
    Ok(examples)
}

/// The logistic regression of weighted examples, by Newton's method (iteratively reweighted least squares).
pub fn fit(examples: &[Example]) -> ShapeModel {
    let scale = Scale::of(examples);
    let mut weights = [0.0; FEATURES + 1];
    for _ in 0..MAX_STEPS {
        let (gradient, curvature) = derivatives(examples, &scale, &weights);
        let step = solve(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step);
        if step.iter().all(|step| step.abs() < 1e-6) {
            break;
        }
    }
    scale.undo(&weights)
}

/// Mean and standard deviation of each feature.
struct Scale {
    means: Features,
    deviations: Features,
}

impl Scale {
    fn of(examples: &[Example]) -> Scale {
        let count = examples.len().max(1) as f64;
        let mean = |of: &dyn Fn(&Example) -> f64| examples.iter().map(of).sum::<f64>() / count;
        let means: Features = std::array::from_fn(|index| mean(&|example| example.features[index]));
        let deviations = std::array::from_fn(|index| {
            let variance = mean(&|example| (example.features[index] - means[index]).powi(2));
            if variance > 1e-12 { variance.sqrt() } else { 1.0 }
        });
        Scale { means, deviations }
    }

    /// The features, centred and in units of their deviation, and a 1 for the intercept.
    fn apply(&self, features: &Features) -> [f64; FEATURES + 1] {
        std::array::from_fn(|index| match features.get(index) {
            Some(feature) => (feature - self.means[index]) / self.deviations[index],
            None => 1.0,
        })
    }

    fn undo(&self, scaled: &[f64; FEATURES + 1]) -> ShapeModel {
        let weights: Features = std::array::from_fn(|index| scaled[index] / self.deviations[index]);
        let moved: f64 = weights.iter().zip(self.means).map(|(weight, mean)| weight * mean).sum();
        ShapeModel { weights, intercept: scaled[FEATURES] - moved }
    }
}

type Vector = [f64; FEATURES + 1];
type Matrix = [Vector; FEATURES + 1];

/// Gradient and (negative) curvature of the penalised log-likelihood. Summed in blocks of fixed size, so that the
/// result does not depend on the number of threads.
fn derivatives(examples: &[Example], scale: &Scale, weights: &Vector) -> (Vector, Matrix) {
    const BLOCK: usize = 4096;
    let of_block = |block: &[Example]| {
        let (mut gradient, mut curvature) = ([0.0; FEATURES + 1], [[0.0; FEATURES + 1]; FEATURES + 1]);
        for example in block {
            let x = scale.apply(&example.features);
            let log_odds: f64 = x.iter().zip(weights).map(|(x, weight)| x * weight).sum();
            let p = 1.0 / (1.0 + (-log_odds).exp());
            let miss = example.weight * (f64::from(u8::from(example.is_boilerplate)) - p);
            let spread = example.weight * p * (1.0 - p);
            for row in 0..=FEATURES {
                gradient[row] += miss * x[row];
                for column in 0..=row {
                    curvature[row][column] += spread * x[row] * x[column];
                }
            }
        }
        (gradient, curvature)
    };
    let blocks: Vec<(Vector, Matrix)> = examples.par_chunks(BLOCK).map(of_block).collect();
    let (mut gradient, mut curvature) = ([0.0; FEATURES + 1], [[0.0; FEATURES + 1]; FEATURES + 1]);
    for (of_block, curvature_of_block) in blocks {
        for row in 0..=FEATURES {
            gradient[row] += of_block[row];
            for column in 0..=row {
                curvature[row][column] += curvature_of_block[row][column];
            }
        }
    }
    for row in 0..FEATURES {
        gradient[row] -= RIDGE * weights[row];
        curvature[row][row] += RIDGE;
    }
    curvature[FEATURES][FEATURES] += 1e-6;
    (gradient, curvature)
}

/// Solves A x = b for a symmetric positive definite A, given by its lower half (Cholesky).
fn solve(mut a: Matrix, mut b: Vector) -> Vector {
    for row in 0..=FEATURES {
        for column in 0..=row {
            let rest = a[row][column] - (0..column).map(|k| a[row][k] * a[column][k]).sum::<f64>();
            a[row][column] = if row == column { rest.max(1e-12).sqrt() } else { rest / a[column][column] };
        }
    }
    for row in 0..=FEATURES {
        b[row] = (b[row] - (0..row).map(|k| a[row][k] * b[k]).sum::<f64>()) / a[row][row];
    }
    for row in (0..=FEATURES).rev() {
        b[row] = (b[row] - (row + 1..=FEATURES).map(|k| a[k][row] * b[k]).sum::<f64>()) / a[row][row];
    }
    b
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn example(word: f64, is_boilerplate: bool, weight: f64) -> Example {
        let mut features = [0.0; FEATURES];
        features[0] = word;
        Example { features, is_boilerplate, weight }
    }

    fn log_likelihood(model: &ShapeModel, examples: &[Example]) -> f64 {
        let of_example = |example: &Example| {
            let log_odds = model.log_odds(&example.features);
            let signed = if example.is_boilerplate { log_odds } else { -log_odds };
            -example.weight * (1.0 + (-signed).exp()).ln()
        };
        examples.iter().map(of_example).sum()
    }

    #[test]
    fn the_model_tells_the_classes_apart() {
        let examples: Vec<Example> = (0..200).map(|i| example(f64::from(i % 20), i % 20 < 8, 1.0)).collect();
        let model = fit(&examples);
        assert!(model.weights[0] < 0.0);
        for example in &examples {
            assert_eq!(model.log_odds(&example.features) > 0.0, example.is_boilerplate);
        }
    }

    #[test]
    fn without_examples_it_says_nothing() {
        assert_eq!(fit(&[]).log_odds(&[3.0; FEATURES]), 0.0);
    }

    proptest! {
        #[test]
        fn no_nearby_model_fits_better(
            drawn in prop::collection::vec((0.0f64..9.0, any::<bool>(), 0.5f64..4.0), 20..60),
            nudge in -0.3f64..0.3,
        ) {
            let examples: Vec<Example> = drawn.into_iter().map(|(word, label, weight)| example(word, label, weight)).collect();
            let model = fit(&examples);
            let deviation = Scale::of(&examples).deviations[0];
            let penalised = |model: &ShapeModel| {
                log_likelihood(model, &examples) - RIDGE / 2.0 * (model.weights[0] * deviation).powi(2)
            };
            let mut nudged = model.clone();
            nudged.weights[0] += nudge;
            prop_assert!(penalised(&model) >= penalised(&nudged) - 1e-6);
            let mut raised = model.clone();
            raised.intercept += nudge;
            prop_assert!(penalised(&model) >= penalised(&raised) - 1e-6);
        }
    }
}
