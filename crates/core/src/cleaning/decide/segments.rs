//! Divides a document into segments, the units that are kept or removed.
//!
//! Most segments are lines. A line is divided further at the edges of a run that chance does not explain, if text can
//! be cut there: at the end of a sentence, or at a separator. A long line, as in texts without line breaks, is divided
//! at the ends of all sentences, and at the edges of such runs wherever they are.

use std::ops::Range;

use super::evidence::Evidence;
use crate::cleaning::reading::layout::{Layout, MIN_SENTENCE_WORDS};
use crate::cleaning::reading::matcher::Tokens;
use crate::cleaning::reading::partition::Partition;
use crate::tokens::joints::Joint;

/// Maximum number of words in a line that is one segment. Longer lines are divided at sentences.
const MAX_LINE_WORDS: f64 = 80.0;

/// The segments of a document, in order.
#[derive(Clone, Debug)]
pub struct Segments {
    /// Their tokens. Every token is in exactly one segment.
    pub tokens: Partition,
    /// For each segment: the number of its words in sentences if it is prose, else 0. Prose has at least
    /// [`MIN_SENTENCE_WORDS`] such words and is not matched.
    pub prose: Vec<f64>,
}

impl Segments {
    /// Divides a document. The time is linear.
    pub fn of(text: &str, tokens: &Tokens, layout: &Layout, evidence: &Evidence) -> Segments {
        let segments = cut(text, tokens, layout, &evidence.is_edge);
        let prose = |segment: Range<usize>| {
            let words = layout.words_in_sentences(&segment);
            if words >= MIN_SENTENCE_WORDS && !is_matched(&segment, &evidence.of_token) { words } else { 0.0 }
        };
        Segments { prose: segments.iter().map(prose).collect(), tokens: segments }
    }
}

/// Whether a segment is matched: its mean evidence is more than 0.5.
pub fn is_matched(segment: &Range<usize>, evidence: &[f32]) -> bool {
    let evidence = &evidence[segment.clone()];
    // Most segments have no evidence at all. This is faster to check than the sum.
    let is_bare = evidence.iter().fold(0, |bits, p| bits | p.to_bits()) == 0;
    !is_bare && evidence.iter().map(|&p| f64::from(p)).sum::<f64>() / evidence.len() as f64 > 0.5
}

fn cut(text: &str, tokens: &Tokens, layout: &Layout, is_edge: &[bool]) -> Partition {
    let joint = |token: usize| {
        let token = tokens.tokens[token];
        Joint::of(token.kind, &text[token.range()], token.space_before)
    };
    let starts = layout.lines.iter().flat_map(|line| {
        // A line of few tokens has few words, so they need not be counted.
        let is_long = line.len() as f64 > MAX_LINE_WORDS && layout.words(&line) > MAX_LINE_WORDS;
        let edges = (line.start + 1..line.end).filter(|&edge| is_edge[edge]);
        let mut more: Vec<usize> =
            edges.filter(|&edge| is_long || joint(edge - 1).can_cut_before(joint(edge))).collect();
        if is_long {
            more.extend(sentence_starts(text, tokens, layout, &line));
            more.sort_unstable();
            more.dedup();
        }
        std::iter::once(line.start).chain(more)
    });
    Partition::at(starts.chain([layout.tokens()]))
}

/// The tokens of a line where sentences start, except the first token of the line.
pub(crate) fn sentence_starts(text: &str, tokens: &Tokens, layout: &Layout, line: &Range<usize>) -> Vec<usize> {
    let starts_low = |token: usize| text[tokens.tokens[token].range()].starts_with(char::is_lowercase);
    (line.start + 1..line.end).filter(|&token| layout.ends_sentence(token - 1) && !starts_low(token)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// The segments of a text in which chance does not explain these tokens.
    fn texts(text: &str, matched: Range<usize>) -> Vec<String> {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()));
        let tokens = Tokens::of(text, &mut lexer);
        let layout = Layout::of(text, &tokens);
        let is_edge: Vec<bool> = (0..=tokens.tokens.len())
            .map(|at| !matched.is_empty() && (at == matched.start || at == matched.end))
            .collect();
        let bytes =
            |range: Range<usize>| tokens.tokens[range.start].range().start..tokens.tokens[range.end - 1].range().end;
        cut(text, &tokens, &layout, &is_edge).iter().map(|range| text[bytes(range)].to_owned()).collect()
    }

    #[test]
    fn short_lines_stay_whole() {
        assert_eq!(texts("One. Two.\nThree", 0..0), ["One. Two.", "Three"]);
    }

    #[test]
    fn short_lines_are_cut_where_text_can_be_cut() {
        assert_eq!(texts("He said no. Home News Sport Weather", 4..8), ["He said no.", "Home News Sport Weather"]);
        assert_eq!(texts("Ferries | Home News Sport Weather", 2..6), ["Ferries |", "Home News Sport Weather"]);
        assert_eq!(texts("He said that we all know this well", 2..7), ["He said that we all know this well"]);
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
