//! From decisions about tokens to the bytes that are removed, and why.

pub mod cutting;

use std::ops::Range;

use super::decide::Decision;
use super::decide::evidence::PatternIndex;
use super::reading::matcher::Tokens;
use crate::cut::{Cut, strip};
use crate::dom::page_parts::PagePart;
use crate::tokens::Token;

/// A stretch of text to remove, and the patterns behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The bytes: whole tokens, without white space at the edges.
    pub range: Range<usize>,
    /// Mean probability that its tokens are boilerplate, 0..=1.
    pub score: f32,
    /// The patterns that explain parts of it: bytes, and index as in
    /// [`Cleaner::patterns`](crate::cleaning::Cleaner::patterns). Larger indices stand for the recurring stretches
    /// given to [`Cleaner::explain_with`](crate::cleaning::Cleaner::explain_with).
    pub because: Vec<(Range<usize>, usize)>,
}

/// What to remove from one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cleaning {
    /// The spans, sorted and disjoint.
    pub spans: Vec<Span>,
    /// Number of removed bytes, by whether a pattern explains them.
    pub grounds: Grounds,
    /// How much of it is content, as far as the model knows.
    pub expected: Expected,
    /// The bytes of blocks that are removed because the user chose so
    /// ([`CleanOptions::page`](crate::cleaning::CleanOptions::page)), in order. What a person decided about patterns
    /// and texts stays in force.
    pub dropped: Vec<(Range<usize>, PagePart)>,
    /// Whether the user chose something for pages ([`CleanOptions::page`](crate::cleaning::CleanOptions::page)), but
    /// the document was not decided by the blocks of a page.
    pub ignores_choices: bool,
}

impl Cleaning {
    /// The cuts that remove the spans from the text they were found in, sorted and disjoint.
    /// [`page_pruned`](crate::html::page_pruned) and [`page_markdown`](crate::html::page_markdown) write a page with
    /// them.
    pub fn cuts(&self, text: &str) -> Vec<Cut<'static>> {
        cutting::cuts(text, &self.ranges())
    }

    /// The cuts that replace the spans by a text.
    pub fn replacing<'r>(&self, text: &str, replacement: &'r str) -> Vec<Cut<'r>> {
        cutting::replacing(text, &self.ranges(), replacement)
    }

    /// The cleaned text.
    pub fn strip(&self, text: &str) -> String {
        strip(text, &self.cuts(text))
    }

    fn ranges(&self) -> Vec<Range<usize>> {
        self.spans.iter().map(|span| span.range.clone()).collect()
    }
}

/// Bytes of the removed tokens, by whether a pattern explains them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Grounds {
    /// A pattern matches them, or the article ends before them.
    pub matched: u64,
    /// No pattern matches them.
    pub unmatched: u64,
}

impl Grounds {
    /// Adds the bytes of another one.
    pub fn add(&mut self, other: &Grounds) {
        self.matched += other.matched;
        self.unmatched += other.unmatched;
    }
}

/// What is expected of a document, by the probabilities of its tokens, in bytes. White space does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Expected {
    /// The content in it.
    pub content: u64,
    /// The part of the content that is removed.
    pub lost: u64,
}

impl Expected {
    /// Adds another document.
    pub fn add(&mut self, other: &Expected) {
        self.content += other.content;
        self.lost += other.lost;
    }

    /// The share of the content that is lost, 0..=1.
    pub fn loss(&self) -> f64 {
        self.lost as f64 / self.content.max(1) as f64
    }
}

/// The labelled stretches as spans, each with the patterns that explain it.
pub fn spans(tokens: &Tokens, decision: &Decision) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    for stretch in decision.goes.chunk_by(|a, b| a == b) {
        let end = start + stretch.len();
        if stretch[0] {
            spans.push(Span {
                range: tokens.bytes_of(&(start..end)),
                score: decision.probabilities[start..end].iter().sum::<f32>() / stretch.len() as f32,
                because: because(&tokens.tokens, start..end, &decision.patterns),
            });
        }
        start = end;
    }
    spans
}

fn because(tokens: &[Token], span: Range<usize>, patterns: &[Option<PatternIndex>]) -> Vec<(Range<usize>, usize)> {
    let mut because: Vec<(Range<usize>, usize)> = Vec::new();
    let mut before = None;
    for index in span {
        let pattern = patterns[index];
        if let Some(pattern) = pattern {
            match because.last_mut().filter(|_| before == Some(pattern)) {
                Some((range, _)) => range.end = tokens[index].range().end,
                None => because.push((tokens[index].range(), pattern.get())),
            }
        }
        before = pattern;
    }
    because
}

/// Number of removed bytes, by whether a pattern explains them.
pub fn grounds(Tokens { tokens, .. }: &Tokens, Decision { goes, patterns, .. }: &Decision) -> Grounds {
    let mut by_kind = [0; 2];
    for (token, (&goes, pattern)) in tokens.iter().zip(goes.iter().zip(patterns)) {
        by_kind[usize::from(pattern.is_some())] += if goes { token.range().len() as u64 } else { 0 };
    }
    let [unmatched, matched] = by_kind;
    Grounds { matched, unmatched }
}

/// What is expected of the tokens.
pub fn expected(Tokens { tokens, .. }: &Tokens, Decision { goes, probabilities, .. }: &Decision) -> Expected {
    let (mut content, mut lost) = (0.0, 0.0);
    for (token, (&goes, &p)) in tokens.iter().zip(goes.iter().zip(probabilities)) {
        let expected = token.range().len() as f64 * f64::from(1.0 - p);
        content += expected;
        lost += if goes { expected } else { 0.0 };
    }
    Expected { content: content.round() as u64, lost: lost.round() as u64 }
}
