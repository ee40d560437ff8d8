//! Describes each token of a document, and stores sums over tokens: words, sentences, lines.
//!
//! With the sums, any stretch of tokens can be judged in constant time.

use std::ops::Range;
use std::sync::LazyLock;

use super::matcher::Tokens;
use super::partition::Partition;
use crate::tokens::characters::{has_unspaced, next_beyond_ascii};
use crate::tokens::{Token, TokenKind};

const STOPS: [char; 14] = ['.', '!', '?', '…', '।', '॥', '؟', '۔', '።', '。', '！', '？', '｡', '．'];
const CLOSING: [char; 8] = ['"', '”', '’', '\'', '»', ')', '」', '』'];

/// Minimum number of words in a sentence. Shorter ones are calls to action, such as "Read more."
pub const MIN_SENTENCE_WORDS: f64 = 6.0;

/// The look of a token, as bits.
pub mod look {
    /// A word.
    pub const WORD: u8 = 1;
    /// A word that starts with a capital letter.
    pub const CAPITAL: u8 = 2;
    /// A match of a mutable pattern, or anything else that starts with a number.
    pub const VARYING: u8 = 4;
    /// A character that does not occur in sentences. It separates the items of lists.
    pub const SEPARATOR: u8 = 8;
    /// A match of a mutable pattern.
    pub const MUTABLE: u8 = 16;
    /// Half a word: a character of a script without spaces.
    pub const HALF: u8 = 32;
    /// The end of a sentence.
    pub const SENTENCE_END: u8 = 64;

    /// One more than the largest look, which has all bits.
    pub(in crate::cleaning) const END: usize = 128;
}

/// Sums over a document's tokens. One word is a word of a script with spaces, or two characters of a script without
/// spaces.
#[derive(Debug, Default)]
pub struct Layout {
    /// What each token looks like ([`look`]).
    pub looks: Vec<u8>,
    /// For each token, and for the end: the sums over the tokens before it.
    sums: Sums,
    /// All lines that are not empty.
    pub lines: Partition,
}

/// 4 integers that are added together: the number of half masses, the number of half words, twice the number of mutable
/// tokens, and the number of sentence ends.
type Sum = [u32; SUMS];
const SUMS: usize = 4;
const HALF_MASSES: usize = 0;
const HALF_WORDS: usize = 1;
const HALF_MUTABLE: usize = 2;
const SENTENCE_ENDS: usize = 3;

/// For each look, the numbers that a token with this look adds to the sums: one byte for each sum, packed into one
/// integer.
static OF_LOOKS: LazyLock<[u32; look::END]> = LazyLock::new(|| {
    std::array::from_fn(|look| {
        let has = |bit: u8| look & usize::from(bit) != 0;
        let halves = if has(look::HALF) { 1 } else { 2 };
        let if_has = |bit: u8, sum: u8| if has(bit) { sum } else { 0 };
        let added = [halves, if_has(look::WORD, halves), if_has(look::MUTABLE, 2), if_has(look::SENTENCE_END, 1)];
        u32::from_le_bytes(added)
    })
});

/// Sums over the tokens before each token. Full sums are stored only for the first token of each block. For each token,
/// the difference to them is stored, in one byte for each sum. A byte is enough, because a token adds at most 2 to a
/// sum.
#[derive(Debug, Default)]
struct Sums {
    of_blocks: Vec<Sum>,
    within: Vec<u32>,
}

/// Number of tokens in a block. So a difference is at most 126, and the sum of a whole block at most 128.
const BLOCK_OF_TOKENS: usize = 64;

impl Sums {
    fn of(looks: &[u8]) -> Sums {
        let of_looks = &*OF_LOOKS;
        let (blocks, tokens) = (looks.len() / BLOCK_OF_TOKENS + 1, looks.len() + 1);
        let mut sums = Sums { of_blocks: Vec::with_capacity(blocks), within: Vec::with_capacity(tokens) };
        let mut before: Sum = [0; SUMS];
        let mut add = |sums: &mut Sums, block: &[u8]| {
            sums.of_blocks.push(before);
            let mut within = 0;
            sums.within.extend(block.iter().map(|&look| {
                let here = within;
                within += of_looks[usize::from(look) % look::END];
                here
            }));
            before.iter_mut().zip(within.to_le_bytes()).for_each(|(sum, more)| *sum += u32::from(more));
            within
        };
        let mut blocks = looks.chunks_exact(BLOCK_OF_TOKENS);
        blocks.by_ref().for_each(|block| _ = add(&mut sums, block));
        let at_end = add(&mut sums, blocks.remainder());
        sums.within.push(at_end);
        sums
    }

    #[inline]
    fn before(&self, token: usize, sum: usize) -> u32 {
        self.of_blocks[token / BLOCK_OF_TOKENS][sum] + (self.within[token] >> (8 * sum) & 0xff)
    }
}

impl Layout {
    /// The layout of a text and its tokens. The time is linear.
    pub fn of(text: &str, tokens: &Tokens) -> Layout {
        let line_starts = &tokens.line_starts;
        let looks = looks(text, tokens);
        Layout {
            sums: Sums::of(&looks),
            looks,
            lines: Partition::at((0..line_starts.len()).filter(|&token| line_starts[token])),
        }
    }

    #[inline]
    fn between(&self, tokens: &Range<usize>, sum: usize) -> u32 {
        self.sums.before(tokens.end, sum) - self.sums.before(tokens.start, sum)
    }

    /// Number of words in a stretch of tokens.
    #[inline]
    pub fn words(&self, tokens: &Range<usize>) -> f64 {
        f64::from(self.between(tokens, HALF_WORDS)) / 2.0
    }

    /// Number of words in a stretch of tokens. Each date, number or other match of a mutable pattern counts as one.
    pub fn telling_words(&self, tokens: &Range<usize>) -> f64 {
        self.words(tokens) + f64::from(self.between(tokens, HALF_MUTABLE)) / 2.0
    }

    /// Whether a token is a word or a match of a mutable pattern.
    pub fn says_something(&self, token: usize) -> bool {
        self.looks[token] & (look::WORD | look::MUTABLE) != 0
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.looks.len()
    }

    /// The mass of a stretch of tokens, in words: each mark counts as a word, too.
    #[inline]
    pub fn mass(&self, tokens: &Range<usize>) -> f64 {
        f64::from(self.between(tokens, HALF_MASSES)) / 2.0
    }

    /// Number of sentences that end in a stretch of tokens.
    #[inline]
    pub fn sentence_ends(&self, tokens: &Range<usize>) -> u32 {
        self.between(tokens, SENTENCE_ENDS)
    }

    /// Whether a sentence ends with this token. The token is a full stop or the like, or the quotation mark after it.
    pub fn ends_sentence(&self, token: usize) -> bool {
        self.looks[token] & look::SENTENCE_END != 0
    }

    /// The stretch, without the end of the previous sentence if it begins with one. Articles end with a full stop, so
    /// the full stop recurs with the text that follows.
    pub fn without_stop_before(&self, tokens: &Range<usize>) -> Range<usize> {
        let is_all = tokens.len() == 1 || self.words(tokens) == 0.0;
        let is_stop = self.ends_sentence(tokens.start) && self.words(&(tokens.start..tokens.start + 1)) == 0.0;
        if is_all || !is_stop { tokens.clone() } else { tokens.start + 1..tokens.end }
    }

    /// Whether a stretch of tokens begins at the start of a line and ends at the end of a line.
    pub fn is_lines(&self, tokens: &Range<usize>) -> bool {
        self.lines.has_bound(tokens.start) && self.lines.has_bound(tokens.end)
    }

    /// Number of words in the sentences that end in a stretch: for prose all words, for a list none.
    pub fn words_in_sentences(&self, tokens: &Range<usize>) -> f64 {
        if self.sentence_ends(tokens) == 0 {
            return 0.0;
        }
        let last_end = tokens.clone().rev().find(|&token| self.ends_sentence(token));
        last_end.map_or(0.0, |token| self.words(&(tokens.start..token + 1)))
    }

    /// Whether a sentence of enough words ends in the stretch. "Read more." is too short.
    pub fn has_sentence(&self, tokens: &Range<usize>) -> bool {
        self.words_in_sentences(tokens) >= MIN_SENTENCE_WORDS
    }
}

/// What each token looks like.
fn looks(text: &str, tokens: &Tokens) -> Vec<u8> {
    let of_ascii = &*ASCII_LOOKS;
    let (bytes, are_separated) = (text.as_bytes(), tokens.are_separated());
    // Most tokens end before the next non-ASCII byte. Their characters need not be checked.
    let mut beyond_ascii = next_beyond_ascii(text, 0);
    let look = |(index, token): (usize, &Token)| {
        let (start, end) = (token.start as usize, token.end as usize);
        if beyond_ascii < start {
            beyond_ascii = next_beyond_ascii(text, start);
        }
        let of_start = match bytes[start] {
            first @ 0..=0x7f => of_ascii[usize::from(first)],
            _ => text[start..end].chars().next().map_or(0, look_of_start),
        };
        let mut look = match token.kind {
            TokenKind::Word => look::WORD | of_start & (look::CAPITAL | look::VARYING),
            TokenKind::Mutable(_) => look::MUTABLE | look::VARYING,
            TokenKind::Marks(_) => look::SEPARATOR,
            _ => of_start & (look::SEPARATOR | look::VARYING),
        };
        if beyond_ascii < end && token.kind == TokenKind::Word && has_unspaced(&text[start..end]) {
            look |= look::HALF;
        }
        if (may_end_sentence(bytes[end - 1]) || are_separated) && ends_sentence(text, tokens, index) {
            look |= look::SENTENCE_END;
        }
        look
    };
    tokens.tokens.iter().enumerate().map(look).collect()
}

/// The bits of a look that depend on the first character of the token. Some of them do not apply to every kind of
/// token.
fn look_of_start(first: char) -> u8 {
    let is = |holds: bool, look: u8| if holds { look } else { 0 };
    is(first.is_uppercase(), look::CAPITAL)
        | is(first.is_numeric(), look::VARYING)
        | is(!PROSE_PUNCTUATION.contains(first), look::SEPARATOR)
}

static ASCII_LOOKS: LazyLock<[u8; 128]> =
    LazyLock::new(|| std::array::from_fn(|code| look_of_start(char::from(code as u8))));

/// Punctuation that occurs in sentences.
const PROSE_PUNCTUATION: &str = ".,;!?…'\"‘’“”„-–()».。、，；！？「」『』।؟۔،؛";

/// Whether a token whose last byte is this one may end a sentence. Faster than [`ends_sentence`].
fn may_end_sentence(last: u8) -> bool {
    matches!(last, b'.' | b'!' | b'?' | b'"' | b'\'' | b')' | b']' | 0x80..)
}

/// Whether a sentence ends with this token. The token is a full stop or the like, or the quotation mark after it.
fn ends_sentence(text: &str, all: &Tokens, index: usize) -> bool {
    let Tokens { tokens, line_starts, .. } = all;
    if all.are_separated() && has_stop_after(text, tokens, index) {
        return true;
    }
    let of = |index: usize| &text[tokens[index].range()];
    let is_last = || line_starts[index + 1] || tokens[index + 1].space_before;
    match of(index) {
        "。" | "！" | "？" | "｡" | "．" | "။" => true, // no space follows these
        "." | "!" | "?" | "…" | "।" | "॥" | "؟" | "۔" | "።" => is_last(),
        "\"" | "”" | "“" | "’" | "‘" | "'" | "»" | "«" | "›" | "‹" | ")" | "]" | "」" | "』" => {
            let is_after_stop = index > 0 && matches!(of(index - 1), "." | "!" | "?" | "…" | "。" | "！" | "？");
            is_after_stop && is_last()
        }
        // With `--tokenizer whitespace` the stop, and the quotation mark after it, are part of the word.
        word => tokens[index].kind == TokenKind::Word && is_last() && word.trim_end_matches(CLOSING).ends_with(STOPS),
    }
}

/// Whether the marks directly after a token end a sentence. Needed if marks are not tokens.
fn has_stop_after(text: &str, tokens: &[Token], index: usize) -> bool {
    let next = tokens.get(index + 1).map_or(text.len(), |token| token.range().start);
    let after = &text[tokens[index].range().end..next];
    let marks = after.split(char::is_whitespace).next().unwrap_or_default();
    let is_last = marks.len() < after.len() || next == text.len();
    marks.contains(['。', '！', '？', '｡', '．']) || is_last && marks.trim_end_matches(CLOSING).ends_with(STOPS)
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
        assert_eq!(layout.mass(&(0..tokens)), 4.0);
        assert_eq!((0..tokens).map(|token| layout.words(&(token..token + 1))).sum::<f64>(), 4.0);
    }

    #[test]
    fn lines_within_a_range_are_whole() {
        let (layout, _) = layout("a b\nc\nd e\n");
        let within = layout.lines.within(&(1..5));
        assert_eq!(within.map(|line| layout.lines.tokens(line)).collect::<Vec<_>>(), [2..3, 3..5]);
        assert_eq!(layout.lines.len(), 3);
    }
}
