//! What a document's tokens add up to: words, sentences, lines.
//!
//! Takes a document's tokens, gives sums over them, so that any stretch is judged in constant time.

use std::ops::Range;

use super::matcher::Tokens;
use crate::tokens::characters::has_unspaced;
use crate::tokens::{Token, TokenKind};

const STOPS: [char; 14] = ['.', '!', '?', '…', '।', '॥', '؟', '۔', '።', '。', '！', '？', '｡', '．'];
const CLOSING: [char; 8] = ['"', '”', '’', '\'', '»', ')', '」', '』'];

/// Sums over a document's tokens. What counts as one word is a word of a script with spaces, or two characters of a
/// script without.
#[derive(Debug, Default)]
pub struct Layout {
    /// What each token weighs, in words: a character of a script without spaces is half a word.
    pub masses: Vec<f32>,
    half_words: Vec<u32>,
    half_mutable: Vec<u32>,
    sentence_ends: Vec<u32>,
    line_starts: Vec<usize>,
}

impl Layout {
    /// Of a text and its tokens. Linear.
    pub fn of(text: &str, Tokens { tokens, line_starts }: &Tokens) -> Layout {
        let mut layout = Layout {
            masses: Vec::with_capacity(tokens.len()),
            half_words: Vec::with_capacity(tokens.len() + 1),
            half_mutable: Vec::with_capacity(tokens.len() + 1),
            sentence_ends: Vec::with_capacity(tokens.len() + 1),
            line_starts: (0..line_starts.len()).filter(|&token| line_starts[token]).collect(),
        };
        let ends_with_letter =
            |token: &Token| text.as_bytes()[token.range()].last().is_some_and(u8::is_ascii_alphanumeric);
        let ends_sentence = |index: usize| {
            let is_last = line_starts[index + 1] || tokens[index + 1].space_before;
            match &text[tokens[index].range()] {
                "。" | "！" | "？" | "｡" | "．" | "။" => true, // no space follows these
                "." | "!" | "?" | "…" | "।" | "॥" | "؟" | "۔" | "።" => is_last,
                // A tokenizer that splits at white space leaves the stop, and the quotation mark after it, in the word.
                word => {
                    let unquoted = word.trim_end_matches(CLOSING);
                    tokens[index].kind == TokenKind::Word && is_last && unquoted.ends_with(STOPS)
                }
            }
        };
        let ends_quote = |index: usize| {
            matches!(
                &text[tokens[index].range()],
                "\"" | "”" | "“" | "’" | "‘" | "'" | "»" | "«" | "›" | "‹" | ")" | "]" | "」" | "』"
            ) && (line_starts[index + 1] || tokens[index + 1].space_before)
                && index > 0
                && matches!(&text[tokens[index - 1].range()], "." | "!" | "?" | "…" | "。" | "！" | "？")
        };
        let is_spaced = text.is_ascii();
        let (mut half_words, mut half_mutable, mut sentence_ends) = (0, 0, 0);
        for (index, token) in tokens.iter().enumerate() {
            layout.half_words.push(half_words);
            layout.half_mutable.push(half_mutable);
            layout.sentence_ends.push(sentence_ends);
            let is_half = !is_spaced && token.kind == TokenKind::Word && has_unspaced(&text[token.range()]);
            layout.masses.push(if is_half { 0.5 } else { 1.0 });
            match token.kind {
                TokenKind::Word => half_words += if is_half { 1 } else { 2 },
                TokenKind::Mutable(_) => half_mutable += 2,
                _ => {}
            }
            let is_end = !ends_with_letter(token) && (ends_sentence(index) || ends_quote(index));
            sentence_ends += u32::from(is_end);
        }
        layout.half_words.push(half_words);
        layout.half_mutable.push(half_mutable);
        layout.sentence_ends.push(sentence_ends);
        layout
    }

    /// The words in a stretch of tokens.
    pub fn words(&self, tokens: &Range<usize>) -> f64 {
        f64::from(between(&self.half_words, tokens)) / 2.0
    }

    /// The words in a stretch of tokens, and the dates, numbers and such, each as one.
    pub fn telling_words(&self, tokens: &Range<usize>) -> f64 {
        self.words(tokens) + f64::from(between(&self.half_mutable, tokens)) / 2.0
    }

    /// What a stretch of tokens weighs, in words.
    pub fn mass(&self, tokens: &Range<usize>) -> f64 {
        self.masses[tokens.clone()].iter().map(|&mass| f64::from(mass)).sum()
    }

    /// How many sentences end in a stretch of tokens.
    pub fn sentence_ends(&self, tokens: &Range<usize>) -> u32 {
        between(&self.sentence_ends, tokens)
    }

    /// Whether a sentence ends with this token: its full stop, or the quotation mark after it.
    pub fn ends_sentence(&self, token: usize) -> bool {
        self.sentence_ends(&(token..token + 1)) > 0
    }

    /// The stretch without the end of the sentence before it: articles end with a full stop, so what follows them
    /// recurs with it.
    pub fn without_stop_before(&self, tokens: &Range<usize>) -> Range<usize> {
        let is_all = tokens.len() == 1 || self.words(tokens) == 0.0;
        let is_stop = self.ends_sentence(tokens.start) && self.words(&(tokens.start..tokens.start + 1)) == 0.0;
        if is_all || !is_stop { tokens.clone() } else { tokens.start + 1..tokens.end }
    }

    /// Whether a stretch of tokens begins and ends as lines do.
    pub fn is_lines(&self, tokens: &Range<usize>) -> bool {
        let is_start = |token| self.line_starts.binary_search(&token).is_ok();
        is_start(tokens.start) && is_start(tokens.end)
    }

    /// The words of a stretch that are in sentences which end in it: all of prose, none of a list.
    pub fn words_in_sentences(&self, tokens: &Range<usize>) -> f64 {
        let last_end = tokens.clone().rev().find(|&token| self.ends_sentence(token));
        last_end.map_or(0.0, |token| self.words(&(tokens.start..token + 1)))
    }

    /// All lines with something in them.
    pub fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        self.line_starts.windows(2).map(|line| line[0]..line[1])
    }

    /// The lines that lie in the range as a whole.
    pub fn lines_within(&self, tokens: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self.line_starts.partition_point(|&start| start < tokens.start);
        let end = tokens.end;
        self.line_starts[first..].windows(2).map(|line| line[0]..line[1]).take_while(move |line| line.end <= end)
    }
}

fn between(sums: &[u32], range: &Range<usize>) -> u32 {
    sums[range.end] - sums[range.start]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    fn layout(text: &str) -> (Layout, usize) {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()));
        let tokens = Tokens::of(text, &mut lexer);
        (Layout::of(text, &tokens), tokens.tokens.len())
    }

    #[test]
    fn sentences_end_at_stops_and_at_the_quotes_after_them() {
        let ends = |text| {
            let (layout, tokens) = layout(text);
            layout.sentence_ends(&(0..tokens))
        };
        assert_eq!(ends("One. Two! A 3.5 b, c"), 2);
        assert_eq!(ends("He said: \"Go.\" They went."), 2);
        assert_eq!(ends("雨です。晴れです。"), 2);
    }

    #[test]
    fn sentences_end_where_words_keep_their_stops() {
        let text = "One two. \"Three four.\" v1.5 five";
        let mut lexer = Lexer::new(Tokenizer::Whitespace, Arc::new(MutableSet::new(vec![]).unwrap()));
        let tokens = Tokens::of(text, &mut lexer);
        let layout = Layout::of(text, &tokens);
        let ends: Vec<usize> = (0..tokens.tokens.len()).filter(|&token| layout.ends_sentence(token)).collect();
        assert_eq!(ends, [1, 3]);
        assert_eq!(layout.without_stop_before(&(1..6)), 1..6, "the stop is part of a word that may be the template's");
    }

    #[test]
    fn two_characters_without_spaces_weigh_a_word() {
        let (layout, tokens) = layout("two words 二文字四");
        assert_eq!(layout.words(&(0..tokens)), 4.0);
        assert_eq!(layout.masses.iter().sum::<f32>(), 4.0);
    }

    #[test]
    fn lines_within_a_range_are_whole() {
        let (layout, _) = layout("a b\nc\nd e\n");
        assert_eq!(layout.lines_within(&(1..5)).collect::<Vec<_>>(), [2..3, 3..5]);
        assert_eq!(layout.lines().count(), 3);
    }
}
