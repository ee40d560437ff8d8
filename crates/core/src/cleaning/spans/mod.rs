//! Turns decisions about tokens into the bytes to remove, with the patterns that explain the removal.

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
    /// The patterns that explain parts of the span: the bytes of each part, and the index of its pattern in
    /// [`Cleaner::patterns`](crate::cleaning::Cleaner::patterns). Larger indices are those of the recurring stretches
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
    /// How much of the document is content according to the model, and how much of that is removed.
    pub expected: Expected,
    /// The blocks that are removed because the user chose so
    /// ([`CleanOptions::page`](crate::cleaning::CleanOptions::page)), as bytes in order. Decisions about patterns and
    /// texts to keep still apply inside these blocks.
    pub dropped: Vec<(Range<usize>, PagePart)>,
    /// Whether the user made choices for pages ([`CleanOptions::page`](crate::cleaning::CleanOptions::page)) that had
    /// no effect, because the blocks of a page did not decide about this document.
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

/// Number of bytes of the removed tokens, by whether a pattern explains them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Grounds {
    /// Bytes that a pattern matches, or that come after the end of the article.
    pub matched: u64,
    /// The other bytes.
    pub unmatched: u64,
}

impl Grounds {
    /// Adds the bytes of another document.
    pub fn add(&mut self, other: &Grounds) {
        self.matched += other.matched;
        self.unmatched += other.unmatched;
    }
}

/// The expected content of a document, according to the probabilities of its tokens, in bytes. White space does not
/// count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Expected {
    /// The content in the document.
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

/// The stretches to remove as spans, each with the patterns that explain it.
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

/// The expected content of the tokens, and the part of it that is removed.
pub fn expected(Tokens { tokens, .. }: &Tokens, Decision { goes, probabilities, .. }: &Decision) -> Expected {
    let (mut content, mut lost) = (0.0, 0.0);
    for (token, (&goes, &p)) in tokens.iter().zip(goes.iter().zip(probabilities)) {
        let expected = token.range().len() as f64 * f64::from(1.0 - p);
        content += expected;
        lost += if goes { expected } else { 0.0 };
    }
    Expected { content: content.round() as u64, lost: lost.round() as u64 }
}
