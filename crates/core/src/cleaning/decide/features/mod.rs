//! Computes the features of each segment of a document: numbers that describe it.
//!
//! The first network of the [decision model](super::decision_model) sees [`SegmentFeatures`]: how the segment recurs,
//! how it looks, where it is, and which text is around it. The second network sees [`Opinions`]: the judgements of the
//! first one about the segment, its neighbours and the whole document. No feature depends on the language, and none is
//! about the source as a whole: with few sources to learn from, a model would learn to recognise each source.

mod appearance;
mod body;
mod fading;
mod opinions;
mod place;
mod recurrence;
mod repetition;
mod surroundings;

use std::ops::Range;

use super::article_end::LastPlace;
use super::evidence::{Evidence, Weights};
use super::segments::Segments;
use crate::cleaning::reading::Match;
use crate::cleaning::reading::layout::Layout;
use crate::cleaning::reading::matcher::Tokens;
use crate::models::names::joined;
use appearance::Appearance;
use body::Body;
pub use opinions::{Opinions, Seen};
use place::Place;
use recurrence::Recurrence;
use repetition::Repetition;
use surroundings::Surroundings;

/// Groups of features, each with the names of its features. A group can be left out, to measure how useful it is.
pub const GROUPS: [(&str, &[&str]); 6] = [
    ("recurrence", &recurrence::NAMES),
    ("repetition", &repetition::NAMES),
    ("appearance", &appearance::NAMES),
    ("place", &place::NAMES),
    ("surroundings", &surroundings::NAMES),
    ("body", &body::NAMES),
];
/// Number of features of a segment.
pub const WIDTH: usize = recurrence::NAMES.len()
    + repetition::NAMES.len()
    + appearance::NAMES.len()
    + place::NAMES.len()
    + surroundings::NAMES.len()
    + body::NAMES.len();
/// The names of the features, in order.
pub const NAMES: [&str; WIDTH] =
    joined(&[GROUPS[0].1, GROUPS[1].1, GROUPS[2].1, GROUPS[3].1, GROUPS[4].1, GROUPS[5].1]);
/// The names of the features of the second network, in order.
pub const OPINIONS: [&str; opinions::NAMES.len()] = opinions::NAMES;

/// Distances in words count up to this number, and distances in segments up to [`FAR_SEGMENTS`].
const FAR: f64 = 300.0;
const FAR_SEGMENTS: f64 = 30.0;

/// A document that was read and divided.
#[derive(Clone, Copy, Debug)]
pub struct Divided<'d> {
    /// The text.
    pub text: &'d str,
    /// The tokens of the text.
    pub tokens: &'d Tokens,
    /// Sums over the tokens.
    pub layout: &'d Layout,
    /// The matches of patterns, and other stretches that recur.
    pub matches: &'d [Match],
    /// The weights of the patterns.
    pub weights: &'d Weights<'d>,
    /// The evidence of the matches.
    pub evidence: &'d Evidence,
    /// Its segments.
    pub segments: &'d Segments,
    /// The end of the article, if a pattern marks it.
    pub end: Option<LastPlace>,
}

impl Divided<'_> {
    /// Number of segments.
    pub fn count(&self) -> usize {
        self.segments.tokens.len()
    }

    /// The bytes of a segment in the text.
    pub fn bytes(&self, segment: usize) -> Range<usize> {
        self.tokens.bytes_of(&self.segment(segment))
    }

    fn segment(&self, number: usize) -> Range<usize> {
        self.segments.tokens.tokens(number)
    }

    /// Number of words in a segment, marks included.
    fn mass(&self, number: usize) -> f64 {
        self.layout.mass(&self.segment(number))
    }
}

/// The features of the segments of a document.
pub struct SegmentFeatures<'d> {
    document: Divided<'d>,
    recurrence: Recurrence,
    repetition: Repetition,
    body: Body,
}

impl<'d> SegmentFeatures<'d> {
    /// Computes what the features of a document need. The time is O((n + m) log (n + m)) for n tokens and m matches.
    pub fn of(document: Divided<'d>) -> SegmentFeatures<'d> {
        let own_prose = |segment: usize| match document.segments.prose[segment] {
            words if words > 0.0 => words,
            _ => -document.mass(segment),
        };
        let body = Body::of((0..document.count()).map(own_prose));
        let (recurrence, repetition) = (Recurrence::of(&document), Repetition::of(&document));
        SegmentFeatures { document, recurrence, repetition, body }
    }

    /// The facts about each segment that the second network sees besides opinions.
    pub fn seen(&self) -> Vec<Seen> {
        (0..self.document.count()).map(|segment| self.seen_of(segment)).collect()
    }

    fn seen_of(&self, segment: usize) -> Seen {
        let document = &self.document;
        let (tokens, evidence) = (document.segment(segment), document.evidence);
        let [alike, spread] = self.repetition.seen(segment);
        let length = tokens.len() as f32;
        let beyond_chance = evidence.is_beyond_chance[tokens.clone()].iter().filter(|&&is| is).count();
        Seen {
            mass: document.layout.mass(&tokens) as f32,
            words: document.layout.words(&tokens) as f32,
            prose: document.segments.prose[segment] as f32,
            strength: evidence.of_token[tokens.clone()].iter().sum::<f32>() / length,
            beyond_chance: beyond_chance as f32 / length,
            is_after_article: document.end.is_some_and(|end| tokens.start >= end.start),
            alike,
            spread,
            starts_line: document.tokens.line_starts[tokens.start],
        }
    }

    /// Calls `visit` with the features of each segment, in order. Rows are not stored: there may be a segment for every
    /// 2 bytes.
    pub fn rows(&self, mut visit: impl FnMut(&[f32])) {
        let document = &self.document;
        let mut appearance = Appearance::of(document);
        let mut place = Place::of(document);
        let mut surroundings = Surroundings::of(document, &self.recurrence);
        let mut body = self.body.seen(document.count(), |segment| document.mass(segment));
        let mut row = Vec::with_capacity(WIDTH);
        for segment in 0..document.count() {
            row.clear();
            self.recurrence.put(document, segment, &mut row);
            self.repetition.put(document, segment, &mut row);
            appearance.put(segment, &mut row);
            place.put(segment, &mut row);
            surroundings.put(segment, &mut row);
            row.extend(body.distances(segment, document.mass(segment)));
            row.push(body.share);
            visit(&row);
        }
    }
}

/// ln(1 + x) of a number that is not negative. Each segment needs about forty logarithms, so this is computed without a
/// call of the system's library, by the series of the inverse hyperbolic tangent. The result is also the same on every
/// machine.
fn ln_1p(x: f32) -> f32 {
    /// The bits of the square root of one half: significands lie between this and twice this.
    const LEAST_SIGNIFICAND: u32 = 0x3f35_04f3;
    let bits = (1.0 + x).to_bits();
    let exponent = bits.wrapping_sub(LEAST_SIGNIFICAND).cast_signed() >> 23;
    let significand = f32::from_bits(bits.wrapping_sub((exponent << 23).cast_unsigned()));
    let s = (significand - 1.0) / (significand + 1.0);
    let square = s * s;
    let series = 1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square / 7.0));
    2.0 * s * series + exponent as f32 * std::f32::consts::LN_2
}

/// [`ln_1p`] of each value. It is faster than one after the other, because the compiler computes several at a time.
#[inline(never)]
fn ln_1p_each(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = ln_1p(*value));
}

/// ln(1 + x) of a distance in words or segments. A distance of more than `far` counts as `far`, however long the
/// document is.
fn distance(x: f64, far: f64) -> f32 {
    ln_1p(x.min(far) as f32)
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

#[cfg(test)]
mod tests;
