//! Fits a shape model to mined sources: learns the shape of boilerplate without labelled pages.
//!
//! The mined templates are the labels. Segments that cleaning with matches alone would remove are the positive
//! examples, all others the negative ones. Some of these are boilerplate as well, which varies and so was not found
//! (the setting is learning from positive and unlabelled examples; C. Elkan, K. Noto, KDD 2008). Such a segment looks
//! like the positive ones, so the fitted model calls it boilerplate, and in the next round it is a positive example.

use rayon::prelude::*;

use crate::cleaning::shape::{FEATURES, NAMES, ShapeModel};
use crate::cleaning::{CleanError, CleanOptions, Cleaner, EvidenceKind, EvidenceKinds, Scratch};
use crate::models::examples::Examples;
use crate::models::logistic::{FitOptions, LogisticModel, fit};
use crate::patterns::PatternFile;

/// Number of rounds: first the model is fitted to what matches remove, then once more to what it removes itself.
pub const ROUNDS: usize = 2;
/// Maximum weight of an example, in words: a long paragraph says no more about shapes.
const MAX_WEIGHT: usize = 40;
/// The ridge penalty. It keeps the weights of useless features small. For features in units of their standard
/// deviation.
const RIDGE: f64 = 1.0;

/// A source to learn from.
#[derive(Debug)]
pub struct Lesson {
    /// Its own patterns and the shared ones.
    pub patterns: Vec<PatternFile>,
    /// Its documents.
    pub texts: Vec<String>,
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
        let of_lessons = lessons.par_iter().map(examples_of).collect::<Result<Vec<_>, _>>()?;
        let mut examples = Examples::new(&NAMES);
        of_lessons.into_iter().for_each(|of_lesson| examples.extend(of_lesson));
        model = Some(unscaled(&fit(&examples, &FitOptions { ridge: RIDGE, clip: None })));
    }
    Ok(model.unwrap_or(ShapeModel { weights: [0.0; FEATURES], intercept: 0.0 }))
}

/// The segments of a source. A segment is a positive example if more than half of it is removed.
fn examples(lesson: &Lesson, options: &CleanOptions) -> Result<Examples, CleanError> {
    let files: Vec<&PatternFile> = lesson.patterns.iter().collect();
    let cleaner = Cleaner::new(&files, options);
    let mut scratch = Scratch::default();
    let mut examples = Examples::new(&NAMES);
    for text in &lesson.texts {
        for (segment, features, going) in cleaner.examples(&mut scratch, text)? {
            let label = f32::from(u8::from(going > 0.5));
            let features = features.map(|feature| feature as f32);
            examples.push(&features, label, segment.len().min(MAX_WEIGHT) as f32);
        }
    }
    Ok(examples)
}

/// The same model for features as they are.
fn unscaled(model: &LogisticModel) -> ShapeModel {
    let features = model.features();
    let weights = std::array::from_fn(|index| features[index].weight / features[index].deviation);
    let moved: f64 = features.iter().zip(weights).map(|(feature, weight)| weight * feature.mean).sum();
    ShapeModel { weights, intercept: model.intercept() - moved }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_model_says_what_the_fitted_model_says() {
        let mut examples = Examples::new(&NAMES);
        for number in 0..200u8 {
            let features: [f32; FEATURES] =
                std::array::from_fn(|index| f32::from(number.wrapping_mul(index as u8 + 3) % 17) / 4.0);
            examples.push(&features, f32::from(u8::from(number % 20 < 8)), 1.0 + f32::from(number % 3));
        }
        let fitted = fit(&examples, &FitOptions { ridge: RIDGE, clip: None });
        let shape = unscaled(&fitted);
        for value in [0.0f32, 0.5, 3.0] {
            let difference = shape.log_odds(&[value.into(); FEATURES]) - fitted.log_odds(&[value; FEATURES]);
            assert!(difference.abs() < 1e-9, "{difference}");
        }
    }

    #[test]
    fn without_examples_it_says_nothing() {
        let fitted = fit(&Examples::new(&NAMES), &FitOptions { ridge: RIDGE, clip: None });
        assert_eq!(unscaled(&fitted).log_odds(&[3.0; FEATURES]), 0.0);
    }
}
