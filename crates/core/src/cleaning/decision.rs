//! Chooses which segments of a document go.

use super::features::Divided;
use crate::dom::page_parts::Favor;

/// By how much more a lost word of content costs than a word of boilerplate that is left in. So only text goes that is
/// boilerplate in 5 of 9 cases.
const CARE: f32 = 1.25;

/// Whether a segment goes that is boilerplate with this probability: if less is to be expected lost than left in.
pub fn goes(p: f32, favor: Favor) -> bool {
    p > CARE * favor.care() * (1.0 - p)
}

/// The probability that each segment is boilerplate, by recurrence alone: whether chance explains no part of it.
pub fn by_recurrence(document: &Divided) -> Vec<f32> {
    let says_something = |token: &usize| document.layout.says_something(*token);
    let is_beyond = |token: usize| document.evidence.is_beyond_chance[token];
    let of_segment =
        |segment: std::ops::Range<usize>| f32::from(u8::from(segment.filter(says_something).all(is_beyond)));
    document.segments.tokens.iter().map(of_segment).collect()
}

/// Whether each segment [`goes`]. One without words stays; what becomes of it depends on the text beside it.
pub fn chosen(document: &Divided, probabilities: &[f32], favor: Favor) -> Vec<bool> {
    let has_words = document.segments.tokens.iter().map(|segment| document.layout.telling_words(&segment) > 0.0);
    probabilities.iter().zip(has_words).map(|(&p, has_words)| has_words && goes(p, favor)).collect()
}
