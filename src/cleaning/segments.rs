//! Divides a document into segments, the units that are judged by their shape.
//!
//! A segment is a line. A long line, as in texts without line breaks, is divided further: at the ends of sentences, and
//! where a longer match begins or ends.

use std::ops::Range;

use super::layout::{Layout, MIN_SENTENCE_WORDS};
use super::matcher::Tokens;
use super::partition::Partition;

/// Maximum number of words in a line that is one segment. Longer lines are divided.
const MAX_LINE_WORDS: f64 = 80.0;
/// Minimum number of tokens in a matched stretch of a long line that becomes a segment. Shorter ones are often only
/// language.
const MIN_MATCHED: usize = 4;

/// Minimum number of words of prose in a paragraph. An article has at least one paragraph.
pub const MIN_PARAGRAPH_WORDS: f64 = 15.0;

/// The segments of a document, in order.
#[derive(Clone, Debug)]
pub struct Segments {
    /// Their tokens. Every token is in exactly one segment.
    pub tokens: Partition,
    /// For each segment that is prose: the number of words in sentences. Prose has at least [`MIN_SENTENCE_WORDS`] of
    /// them and is not matched. 0 for the others.
    pub prose: Vec<f64>,
}

impl Segments {
    /// Divides a document. `evidence` has the evidence of each token. The time is linear.
    pub fn of(text: &str, tokens: &Tokens, layout: &Layout, evidence: &[f32]) -> Segments {
        let segments = cut(text, tokens, layout, evidence);
        let prose = |segment: Range<usize>| {
            let words = layout.words_in_sentences(&segment);
            if words >= MIN_SENTENCE_WORDS && !is_matched(&segment, evidence) { words } else { 0.0 }
        };
        Segments { prose: segments.iter().map(prose).collect(), tokens: segments }
    }

    /// Whether there is a paragraph. Every article has one.
    pub fn has_paragraph(&self) -> bool {
        self.prose.iter().any(|&words| words >= MIN_PARAGRAPH_WORDS)
    }

    /// Drops the segments that start at this token or after it.
    pub fn end_at(&mut self, token: usize) {
        let kept = self.tokens.touching(&(0..token)).end;
        self.tokens.truncate(kept);
        self.prose.truncate(kept);
    }
}

/// Whether a segment is matched: its mean evidence is more than 0.5.
pub fn is_matched(segment: &Range<usize>, evidence: &[f32]) -> bool {
    let evidence = &evidence[segment.clone()];
    // Most segments have no evidence at all. This is faster to check than the sum.
    let is_bare = evidence.iter().fold(0, |bits, p| bits | p.to_bits()) == 0;
    !is_bare && evidence.iter().map(|&p| f64::from(p)).sum::<f64>() / evidence.len() as f64 > 0.5
}

fn cut(text: &str, tokens: &Tokens, layout: &Layout, evidence: &[f32]) -> Partition {
    let starts = layout.lines.iter().flat_map(|line| {
        // A line of few tokens has few words.
        let is_long = line.len() as f64 > MAX_LINE_WORDS && layout.words(&line) > MAX_LINE_WORDS;
        let more = if is_long { starts_within(text, tokens, layout, evidence, &line) } else { Vec::new() };
        std::iter::once(line.start).chain(more)
    });
    Partition::at(starts.chain([layout.tokens()]))
}

/// The tokens of a line where segments start, ascending, except the first token of the line.
fn starts_within(text: &str, tokens: &Tokens, layout: &Layout, evidence: &[f32], line: &Range<usize>) -> Vec<usize> {
    let mut starts = sentence_starts(text, tokens, layout, line);
    starts.extend(matched_edges(evidence, line).into_iter().filter(|&edge| line.start < edge && edge < line.end));
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// The tokens of a line where sentences start, except the first token of the line.
pub(crate) fn sentence_starts(text: &str, tokens: &Tokens, layout: &Layout, line: &Range<usize>) -> Vec<usize> {
    let starts_low = |token: usize| text[tokens.tokens[token].range()].starts_with(char::is_lowercase);
    (line.start + 1..line.end).filter(|&token| layout.ends_sentence(token - 1) && !starts_low(token)).collect()
}

fn matched_edges(evidence: &[f32], line: &Range<usize>) -> Vec<usize> {
    let mut edges = Vec::new();
    let mut start = line.start;
    for stretch in evidence[line.clone()].chunk_by(|a, b| (*a >= 0.5) == (*b >= 0.5)) {
        let end = start + stretch.len();
        if stretch[0] >= 0.5 && stretch.len() >= MIN_MATCHED {
            edges.extend([start, end]);
        }
        start = end;
    }
    edges
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    fn texts(text: &str, matched: Range<usize>) -> Vec<String> {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()));
        let tokens = Tokens::of(text, &mut lexer);
        let layout = Layout::of(text, &tokens);
        let evidence: Vec<f32> = (0..tokens.tokens.len()).map(|t| f32::from(u8::from(matched.contains(&t)))).collect();
        let bytes =
            |range: Range<usize>| tokens.tokens[range.start].range().start..tokens.tokens[range.end - 1].range().end;
        cut(text, &tokens, &layout, &evidence).iter().map(|range| text[bytes(range)].to_owned()).collect()
    }

    #[test]
    fn short_lines_stay_whole() {
        assert_eq!(texts("One. Two.\nThree", 0..0), ["One. Two.", "Three"]);
    }

    #[test]
    fn long_lines_are_cut_at_sentences_and_matches() {
        let long = "word ".repeat(80);
        let text = format!("{long}end. Home News Sport Weather {long}e.g. this. That.");
        let found = texts(&text, 82..86);
        assert_eq!(found[1], "Home News Sport Weather");
        assert_eq!(found[3], "That.");
        assert_eq!(found.len(), 4);
    }
}
