//! How strongly each token looks like template.
//!
//! Takes the matches in a document, gives the evidence p_t of every token, 0..=1, and the pattern it
//! comes from: that of the strongest match which covers the token. A match is the stronger
//!
//! - the larger its pattern's share of the documents: language and chance recur in few of them,
//! - the longer it is: chance repeats two words, not twenty,
//! - where it holds whole lines: that "a line that says Share" recurs is no chance, however small the share.
//!
//! Length and whole lines tell nothing of a *passage*, sentences that recur in just two documents: a story
//! retold or quoted looks the same. There only the share counts.

use std::ops::Range;

use super::matcher::Tokens;
use crate::free_positions::FreePositions;
use crate::tokens::{Token, TokenKind};

/// A share up to here is no evidence; the floor from which candidates are kept.
const NO_EVIDENCE_SHARE: f64 = 0.05;
/// From [`NO_EVIDENCE_SHARE`] on, evidence grows with the share and is full this much further on.
const FULL_EVIDENCE_RANGE: f64 = 0.25;
/// What each token of a match adds: fifty in a row are full evidence.
const PER_TOKEN: f64 = 0.02;
/// A passage in more documents than this is template: stories are retold, but rarely twice.
const MAX_RETOLD: usize = 2;
/// A passage has at least this many words ...
const MIN_PASSAGE_WORDS: u32 = 15;
/// ... and ends a sentence at least every so many: menus and lists don't.
const MAX_SENTENCE_WORDS: u32 = 40;

/// What the evidence of a pattern's matches depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// The share of the documents that have it, 0..=1.
    pub share: f64,
    /// In how many documents it was seen.
    pub documents: usize,
    /// Whether a person vouches for it: then its matches are template, whatever they look like.
    pub is_certain: bool,
    /// Whether it says that whole lines recur, and not just words that happen to fill one here.
    pub holds_lines: bool,
}

/// The evidence of a document's tokens.
#[derive(Debug)]
pub struct Evidence {
    /// p_t, 0..=1.
    pub of_token: Vec<f32>,
    /// The pattern that the evidence comes from, if any match covers the token.
    pub pattern: Vec<Option<u32>>,
}

/// A match as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The tokens it covers.
    pub tokens: Range<usize>,
    /// Its pattern's index.
    pub pattern: usize,
}

/// Weighs the matches. O(n + m log m) for n tokens and m matches with the lines in them.
pub fn weigh(text: &str, tokens: &Tokens, matches: &[Match], weights: &[Weight]) -> Evidence {
    let layout = Layout::of(text, tokens);
    let mut strokes = Vec::with_capacity(matches.len());
    for Match { tokens, pattern } in matches {
        let weight = &weights[*pattern];
        let pattern = *pattern as u32;
        let whole = layout.strength(tokens, weight);
        strokes.push(Stroke { strength: whole, tokens: tokens.clone(), pattern });
        if whole < 1.0 && weight.holds_lines {
            let telling = layout.lines_within(tokens).filter(|line| !layout.is_retold(line, weight));
            strokes.extend(telling.map(|tokens| Stroke { strength: 1.0, tokens, pattern }));
        }
    }
    paint(strokes, tokens.tokens.len())
}

struct Stroke {
    strength: f32,
    tokens: Range<usize>,
    pattern: u32,
}

/// Gives each token its strongest stroke: strongest first, each token painted once.
fn paint(mut strokes: Vec<Stroke>, tokens: usize) -> Evidence {
    strokes.retain(|stroke| stroke.strength > 0.0);
    strokes.sort_unstable_by(|a, b| {
        let by_place = || (a.tokens.start, a.tokens.end, a.pattern).cmp(&(b.tokens.start, b.tokens.end, b.pattern));
        b.strength.total_cmp(&a.strength).then_with(by_place)
    });
    let mut evidence = Evidence { of_token: vec![0.0; tokens], pattern: vec![None; tokens] };
    let mut bare = FreePositions::new(tokens);
    for Stroke { strength, tokens, pattern } in strokes {
        bare.take(tokens, |token| {
            evidence.of_token[token] = strength;
            evidence.pattern[token] = Some(pattern);
        });
    }
    evidence
}

/// Sums over a document's tokens, so that any stretch is judged in constant time.
struct Layout {
    words: Vec<u32>,
    sentence_ends: Vec<u32>,
    /// The first token of each line, and one past the last token.
    lines: Vec<usize>,
}

impl Layout {
    fn of(text: &str, Tokens { tokens, line_starts }: &Tokens) -> Layout {
        let ends_sentence = |(index, token): (usize, &Token)| {
            let is_last = line_starts[index + 1] || tokens[index + 1].space_before;
            match &text[token.range()] {
                "。" | "！" | "？" | "｡" | "．" | "။" => true, // no space follows these
                "." | "!" | "?" | "…" | "।" | "॥" | "؟" | "۔" | "።" => is_last,
                _ => false,
            }
        };
        Layout {
            words: sums(tokens.iter().map(|token| token.kind == TokenKind::Word)),
            sentence_ends: sums(tokens.iter().enumerate().map(ends_sentence)),
            lines: (0..line_starts.len()).filter(|&token| line_starts[token]).collect(),
        }
    }

    fn strength(&self, tokens: &Range<usize>, weight: &Weight) -> f32 {
        if weight.is_certain {
            return 1.0;
        }
        let of_share = (weight.share - NO_EVIDENCE_SHARE) / FULL_EVIDENCE_RANGE;
        let of_length = if self.is_retold(tokens, weight) { 0.0 } else { PER_TOKEN * tokens.len() as f64 };
        (of_share.clamp(0.0, 1.0) + of_length).min(1.0) as f32
    }

    /// Whether the tokens read like a story that two documents tell.
    fn is_retold(&self, tokens: &Range<usize>, weight: &Weight) -> bool {
        let (words, ends) = (between(&self.words, tokens), between(&self.sentence_ends, tokens));
        let is_passage = words >= MIN_PASSAGE_WORDS && ends > 0 && ends * MAX_SENTENCE_WORDS >= words;
        is_passage && weight.documents <= MAX_RETOLD
    }

    /// The lines that lie in the range as a whole.
    fn lines_within(&self, tokens: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self.lines.partition_point(|&start| start < tokens.start);
        let end = tokens.end;
        self.lines[first..].windows(2).map(|line| line[0]..line[1]).take_while(move |line| line.end <= end)
    }
}

fn sums(flags: impl Iterator<Item = bool>) -> Vec<u32> {
    let mut sum = 0;
    let add = |flag| {
        sum += u32::from(flag);
        sum
    };
    std::iter::once(0).chain(flags.map(add)).collect()
}

fn between(sums: &[u32], range: &Range<usize>) -> u32 {
    sums[range.end] - sums[range.start]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    fn evidence(text: &str, matches: &[(Range<usize>, f64, usize)]) -> Vec<f32> {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()));
        let tokens = Tokens::of(text, &mut lexer);
        let (matches, weights): (Vec<Match>, Vec<Weight>) = matches
            .iter()
            .enumerate()
            .map(|(pattern, (tokens, share, documents))| {
                let weight = Weight { share: *share, documents: *documents, is_certain: false, holds_lines: true };
                (Match { tokens: tokens.clone(), pattern }, weight)
            })
            .unzip();
        weigh(text, &tokens, &matches, &weights).of_token
    }

    #[test]
    fn the_share_counts_and_so_does_the_length() {
        let evidence = evidence("a b c d e", &[(1..3, 0.175, 5)]);
        assert_eq!(evidence, [0.0, 0.54, 0.54, 0.0, 0.0]);
    }

    #[test]
    fn the_strongest_match_counts() {
        let evidence = evidence("a b c d", &[(0..3, 0.1, 9), (1..2, 0.9, 90)]);
        assert_eq!(evidence, [0.26, 1.0, 0.26, 0.0]);
    }

    #[test]
    fn whole_lines_are_telling_but_parts_of_lines_are_not() {
        let evidence = evidence("a b\nShare\nc d", &[(1..4, 0.1, 2)]);
        assert_eq!(evidence.map_to_marks(), "-*#*-");
    }

    #[test]
    fn a_passage_in_two_documents_is_no_template() {
        let text = "We said so then, and we say so now, and you may be sure we will again.\nx";
        assert!(evidence(text, &[(0..20, 0.08, 2)])[0] < 0.5);
        assert_eq!(evidence(text, &[(0..20, 0.08, 3)])[0], 1.0);
    }

    trait Marks {
        fn map_to_marks(&self) -> String;
    }

    impl Marks for Vec<f32> {
        fn map_to_marks(&self) -> String {
            self.iter()
                .map(|&p| {
                    if p == 1.0 {
                        '#'
                    } else if p > 0.0 {
                        '*'
                    } else {
                        '-'
                    }
                })
                .collect()
        }
    }
}
