//! The opinions of the first network about a segment, its neighbours and the document, as features for the second
//! network.

use super::body::Body;
use super::fading::{Fading, Sums};
use super::{flag, ln_1p};
use crate::models::network::log_odds;

pub const NAMES: [&str; 39] = [
    "opinion",
    "opinion-3-before",
    "opinion-2-before",
    "opinion-1-before",
    "opinion-1-after",
    "opinion-2-after",
    "opinion-3-after",
    "content-near-before",
    "boilerplate-near-before",
    "content-near-after",
    "boilerplate-near-after",
    "content-around-before",
    "boilerplate-around-before",
    "content-around-after",
    "boilerplate-around-after",
    "content-far-before",
    "boilerplate-far-before",
    "content-far-after",
    "boilerplate-far-after",
    "in-sure-body",
    "sure-body-before",
    "sure-body-after",
    "in-body",
    "body-before",
    "body-after",
    "in-wide-body",
    "wide-body-before",
    "wide-body-after",
    "document-content",
    "words",
    "few-words",
    "strength",
    "beyond-chance",
    "own-prose",
    "after-article",
    "alike",
    "alike-gap-spread",
    "starts-line",
    "position",
];

/// A segment counts in favour of a body if it is more likely content than this: for the sure, the plain and the wide
/// body.
const MARGINS: [f64; 3] = [0.65, 0.5, 0.35];

/// A segment, as the second network sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Number of words, marks included.
    pub mass: f32,
    /// Number of words.
    pub words: f32,
    /// Number of words in sentences if the segment is prose that does not recur, else 0.
    pub prose: f32,
    /// The mean evidence of its tokens.
    pub strength: f32,
    /// The share of its tokens in runs that chance does not explain.
    pub beyond_chance: f32,
    /// ln(1 + x) of the number of segments of the document that are like this one, itself included. 0 if there is no
    /// other.
    pub alike: f32,
    /// How unevenly these segments are spread.
    pub spread: f32,
    /// Whether it is after the end of the article.
    pub is_after_article: bool,
    /// Whether it starts a line.
    pub starts_line: bool,
}

/// The opinions about the segments of a document.
pub struct Opinions<'o> {
    seen: &'o [Seen],
    /// For each segment, the probability that it is boilerplate.
    boilerplate: &'o [f32],
    /// The body for each of the [`MARGINS`].
    bodies: [Body; 3],
}

impl<'o> Opinions<'o> {
    /// `boilerplate` has the first network's probabilities.
    pub fn of(boilerplate: &'o [f32], seen: &'o [Seen]) -> Opinions<'o> {
        let bodies = MARGINS.map(|margin| {
            let score = |(&p, seen): (&f32, &Seen)| (1.0 - f64::from(p) - margin) * f64::from(seen.mass);
            Body::of(boilerplate.iter().zip(seen).map(score))
        });
        Opinions { seen, boilerplate, bodies }
    }

    /// Calls `visit` with the features of each segment, in order.
    pub fn rows(&self, mut visit: impl FnMut(&[f32])) {
        let Opinions { seen, boilerplate, bodies } = self;
        let count = boilerplate.len();
        let mass = |segment: usize| f64::from(seen[segment].mass);
        let value = |segment: usize| {
            let (mass, p) = (mass(segment), boilerplate[segment]);
            (mass, [mass as f32 * (1.0 - p), mass as f32 * p])
        };

        let (mut words, mut content) = (0.0, 0.0);
        for segment in 0..count {
            words += mass(segment);
            content += value(segment).1[0];
        }
        let all = words.max(1.0);

        let mut fading = Fading::of(count, value);
        let mut bodies = bodies.each_ref().map(|body| body.seen(count, mass));
        let opinions: Vec<f32> = boilerplate.iter().map(|&p| log_odds(p)).collect();
        let opinion = |segment: Option<usize>| segment.and_then(|at| opinions.get(at)).copied().unwrap_or(0.0);

        let mut row = Vec::with_capacity(NAMES.len());
        let mut before = 0.0;
        for segment in 0..count {
            row.clear();
            row.push(opinion(Some(segment)));
            row.extend([3, 2, 1].map(|distance| opinion(segment.checked_sub(distance))));
            row.extend([1, 2, 3].map(|distance| opinion(Some(segment + distance))));
            let (sums_before, sums_after): (Sums<2>, Sums<2>) = fading.logarithms_at(segment);
            for (before, after) in sums_before.into_iter().zip(sums_after) {
                row.extend([before, after].as_flattened());
            }
            let here = seen[segment];
            let mass = f64::from(here.mass);
            bodies.iter_mut().for_each(|body| row.extend(body.distances(segment, mass)));
            row.push(content / all as f32);
            row.extend([
                ln_1p(here.words),
                flag(here.words <= 3.0),
                here.strength,
                here.beyond_chance,
                ln_1p(here.prose),
                flag(here.is_after_article),
                here.alike,
                here.spread,
                flag(here.starts_line),
                ((before + mass / 2.0) / all) as f32,
            ]);
            before += mass;
            visit(&row);
        }
    }
}
