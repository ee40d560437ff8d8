//! Whether each token goes: all evidence there is, weighed against each other, and the whole document considered.
//!
//! Takes the evidence of the matches, the shape of the text and the document's own headline; gives a probability for
//! each token, and by smoothing a label.
//!
//! The log-odds of the two kinds of evidence are added, as naive Bayes adds those of independent witnesses:
//!
//! ```text
//! of matches    p (4 + 2 log2(documents / 5))    p from `evidence`; documents from 5 on; 12 if proven
//! of the shape  z / 2 + logit(matched)           at least -6; halved, for neighbours' shapes depend on each other
//! ```
//!
//! `matched`, the share of the document that matches cover, is taken for the odds that anything in it is boilerplate:
//! where little recurs, little of what does not recur is boilerplate either. Two lines are exempt, for in their own
//! document they are content whatever they look like: the headline, and of the paragraphs that no match covers the
//! longest.

use std::ops::Range;

use super::evidence::{Evidence, Match, Weight};
use super::headline::headline;
use super::layout::Layout;
use super::matcher::Tokens;
use super::segments::segments;
use super::shape::{Features, ShapeModel, features};
use super::smooth::smooth;
use super::{Ingredient, Ingredients, Reading};

/// What it costs to change one's mind between two tokens of a line: a template in flowing text has sixteen tokens or more.
const COST_INSIDE_LINE: f32 = 8.0;
/// What it costs at a line break, where templates end: a line that no match covers goes with the template around it only
/// if it has one or two tokens.
const COST_AT_LINE_BREAK: f32 = 1.5;
/// What it costs where a proven template begins or ends: two words can go.
const COST_AT_PROVEN_EDGE: f32 = 0.75;

/// The log-odds that full evidence of matches adds.
const MATCHED: f64 = 4.0;
/// What each doubling of the documents beyond [`FEW_DOCUMENTS`] adds.
const PER_DOUBLING: f64 = 2.0;
/// So many documents that a pattern was seen in add nothing of their own.
const FEW_DOCUMENTS: f64 = 5.0;
/// What a proven template adds: more than the shape can say against it.
const PROVEN: f64 = 12.0;
/// How much of the shape's log-odds counts.
const TRUST_IN_SHAPE: f64 = 0.5;
/// The share of a document that is matched, as far as it says how much of the rest is boilerplate.
const MATCHED_SHARES: std::ops::RangeInclusive<f64> = 0.01..=0.5;
/// An article has a paragraph of this many words.
const MIN_ARTICLE_WORDS: f64 = 15.0;
/// What the shape can say against a match at most.
const MAX_VETO: f64 = 6.0;

/// A document in segments, as the shape model sees it.
#[derive(Debug)]
pub struct Shaped {
    /// The segments.
    pub segments: Vec<Range<usize>>,
    /// The mean evidence of each.
    pub matched: Vec<f64>,
    /// The features of each.
    pub features: Vec<Features>,
}

impl Shaped {
    /// Segments and features of a document. Linear.
    pub fn of(text: &str, tokens: &Tokens, layout: &Layout, evidence: &[f32]) -> Shaped {
        let segments = segments(text, tokens, layout, evidence);
        let mean =
            |of: &Range<usize>| evidence[of.clone()].iter().map(|&p| f64::from(p)).sum::<f64>() / of.len() as f64;
        let matched: Vec<f64> = segments.iter().map(mean).collect();
        let features = features(text, tokens, layout, &segments, &matched);
        Shaped { segments, matched, features }
    }
}

/// All that is known of a document before it is decided on.
#[derive(Debug)]
pub struct Case<'d> {
    /// The document.
    pub text: &'d str,
    /// As the patterns see it.
    pub reading: &'d Reading,
    /// The matches that count.
    pub matches: &'d [Match],
    /// The weights of the patterns.
    pub weights: &'d [Weight],
    /// What the matches tell.
    pub evidence: &'d Evidence,
}

impl Case<'_> {
    /// The probability of each token that it is boilerplate.
    pub fn probabilities(&self, shape: Option<&ShapeModel>, ingredients: Ingredients) -> Vec<f32> {
        let shaped = Shaped::of(self.text, &self.reading.tokens, &self.reading.layout, &self.evidence.of_token);
        let mut probabilities = match shape {
            Some(model) => self.weighed_with_shape(model, &shaped, ingredients),
            None => self.evidence.of_token.clone(),
        };
        if ingredients.has(Ingredient::Headline)
            && let Some(index) = self.headline(&shaped)
        {
            probabilities[shaped.segments[index].clone()].fill(0.0);
        }
        probabilities
    }

    /// The cheapest labels; true goes.
    pub fn labels(&self, probabilities: &[f32]) -> Vec<bool> {
        let cost = |gap: usize| match (self.evidence.is_edge[gap], self.reading.tokens.line_starts[gap]) {
            (true, _) => COST_AT_PROVEN_EDGE,
            (_, true) => COST_AT_LINE_BREAK,
            _ => COST_INSIDE_LINE,
        };
        let costs: Vec<f32> = (1..probabilities.len()).map(cost).collect();
        let mut labels = smooth(probabilities, &self.reading.layout.masses, &costs);
        for Match { tokens, pattern } in self.matches {
            if self.weights[*pattern].is_certain {
                labels[tokens.clone()].fill(true);
            }
        }
        labels
    }

    fn weighed_with_shape(&self, model: &ShapeModel, shaped: &Shaped, ingredients: Ingredients) -> Vec<f32> {
        let prior = if ingredients.has(Ingredient::Prior) { self.prior() } else { 0.0 };
        let article = if ingredients.has(Ingredient::Article) { self.longest_prose(shaped) } else { None };
        let mut probabilities = self.evidence.of_token.clone();
        for (index, (segment, features)) in shaped.segments.iter().zip(&shaped.features).enumerate() {
            let of_shape = if article == Some(index) {
                -MAX_VETO
            } else {
                (TRUST_IN_SHAPE * model.log_odds(features) + prior).max(-MAX_VETO)
            };
            for token in segment.clone() {
                let is_against = self.reading.is_rejected[token] && probabilities[token] == 0.0;
                let log_odds = self.log_odds_of_match(token, ingredients) + of_shape;
                probabilities[token] = if is_against { 0.0 } else { logistic(log_odds) as f32 };
            }
        }
        probabilities
    }

    fn log_odds_of_match(&self, token: usize, ingredients: Ingredients) -> f64 {
        let Some(pattern) = self.evidence.pattern[token] else { return 0.0 };
        let p = f64::from(self.evidence.of_token[token]);
        let documents = self.weights[pattern as usize].documents as f64;
        if self.evidence.is_proven[token] {
            return PROVEN;
        }
        let of_documents = PER_DOUBLING * (documents / FEW_DOCUMENTS).log2().max(0.0);
        MATCHED * p + if ingredients.has(Ingredient::Documents) { p * of_documents } else { 0.0 }
    }

    /// The log-odds that anything in the document is boilerplate, by what of it is matched.
    fn prior(&self) -> f64 {
        let matched = self.evidence.of_token.iter().filter(|&&p| p >= 0.5).count();
        let share = matched as f64 / self.evidence.of_token.len() as f64;
        let share = share.clamp(*MATCHED_SHARES.start(), *MATCHED_SHARES.end());
        (share / (1.0 - share)).ln()
    }

    /// The segment that reads most like an article: shape alone must not take it.
    fn longest_prose(&self, shaped: &Shaped) -> Option<usize> {
        let words = |index: usize| {
            let segment = &shaped.segments[index];
            if shaped.matched[index] <= 0.5 { self.reading.layout.words_in_sentences(segment) } else { 0.0 }
        };
        let longest = (0..shaped.segments.len()).max_by(|&a, &b| words(a).total_cmp(&words(b)).then(b.cmp(&a)))?;
        (words(longest) >= MIN_ARTICLE_WORDS).then_some(longest)
    }

    fn headline(&self, shaped: &Shaped) -> Option<usize> {
        let share = |token: usize| self.evidence.pattern[token].map_or(0.0, |of| self.weights[of as usize].share);
        let mean = |segment: &Range<usize>| segment.clone().map(share).sum::<f64>() / segment.len() as f64;
        let shares: Vec<f64> = shaped.segments.iter().map(mean).collect();
        headline(self.text, &self.reading.tokens, &self.reading.layout, &shaped.segments, &shaped.matched, &shares)
    }
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}
