//! Decides about the tokens of a document: weighs the matches, divides the document into segments, and judges each
//! segment with a model.

pub mod article_end;
pub mod chance;
pub mod decision_model;
pub mod edges;
pub mod evidence;
pub mod features;
pub mod segments;

use std::ops::Range;

use super::reading::{Match, Reading};
use crate::dom::page_parts::{Favor, PagePart};
use article_end::article_end;
use evidence::{Evidence, PatternIndex, Weights};
use features::Divided;
use segments::Segments;

/// The result for the tokens of a text.
#[derive(Debug)]
pub struct Decision {
    /// Whether each token is removed.
    pub goes: Vec<bool>,
    /// The probability that each token is boilerplate, 0..=1.
    pub probabilities: Vec<f32>,
    /// For each token, the pattern of its evidence, if a match covers the token. Otherwise the pattern that ends the
    /// article before it, if any.
    pub patterns: Vec<Option<PatternIndex>>,
    /// Whether each token is in a match that chance does not explain.
    pub is_beyond_chance: Vec<bool>,
    /// The blocks that are removed because the user chose so: their bytes, in order.
    pub dropped: Vec<(Range<usize>, PagePart)>,
}

/// A lost word of content costs this many times as much as a word of boilerplate that is left in. So text is removed
/// only if its probability of being boilerplate is more than 5/9.
const CARE: f32 = 1.25;

/// Whether a segment with this probability of being boilerplate is removed: if the expected cost of removing it is less
/// than that of keeping it.
pub fn goes(p: f32, favor: Favor) -> bool {
    p > CARE * favor.care() * (1.0 - p)
}

/// The probability that each segment is boilerplate, according to recurrence alone: 1 if chance explains no word of the
/// segment, else 0.
pub fn by_recurrence(document: &Divided) -> Vec<f32> {
    let says_something = |token: &usize| document.layout.says_something(*token);
    let is_beyond = |token: usize| document.evidence.is_beyond_chance[token];
    let of_segment = |segment: Range<usize>| f32::from(u8::from(segment.filter(says_something).all(is_beyond)));
    document.segments.tokens.iter().map(of_segment).collect()
}

/// Whether each segment is removed ([`goes`]). A segment without words is kept here: later, the text beside it decides
/// ([`edges`]).
pub fn chosen(document: &Divided, probabilities: &[f32], favor: Favor) -> Vec<bool> {
    let has_words = document.segments.tokens.iter().map(|segment| document.layout.telling_words(&segment) > 0.0);
    probabilities.iter().zip(has_words).map(|(&p, has_words)| has_words && goes(p, favor)).collect()
}

/// Calls `look` with a text that was read, divided into segments.
pub fn with_segments<T>(
    text: &str,
    reading: &Reading,
    matches: &[Match],
    weights: &Weights,
    evidence: &Evidence,
    look: impl FnOnce(Divided) -> T,
) -> T {
    let Reading { tokens, layout, .. } = reading;
    let segments = Segments::of(text, tokens, layout, evidence);
    let end = article_end(reading, matches, weights, evidence, &segments);
    look(Divided { text, tokens, layout, matches, weights, evidence, segments: &segments, end })
}
