//! Splits a text into tokens in one scan: mutable patterns, words, single characters, line breaks.
//!
//! Takes a text and returns its tokens in order. At each position, the mutable patterns are tried first, in their
//! order, and then the [`Tokenizer`]. White space separates tokens. If the tokenizer is a class, so does every other
//! character outside the class. Every other byte belongs to exactly one token. A separator with at least one `\n` in it
//! is a line break, which is a token. The start and the end of the text count as line breaks.

use std::ops::Range;
use std::sync::Arc;

use super::characters::{ends_in_run, has_word, is_run_character};
use super::clusters::cluster_end;
use super::key::TokenKey;
use super::mutable::{MutableId, MutableMatcher, MutableSet, RememberedWord};
use super::short::{EACH, Short, TOP_BITS, eight_bytes, within};
use super::symbols::{FrozenVocabulary, Symbol, Vocabulary};
use super::token_class::{TokenClass, TokenizerError};

/// How text that no mutable pattern matches is split into tokens. This is the only parameter of the method in the
/// literature.
#[derive(Clone, Debug)]
pub enum Tokenizer {
    /// Runs of letters, marks, digits and `_`; any other character by itself. The default.
    Words,
    /// Anything between white space.
    Whitespace,
    /// The longest runs of the characters of a class. All other characters separate them.
    Class(TokenClass),
}

impl Tokenizer {
    /// Parses `words`, `whitespace`, or a regex. Fails if the regex is not valid or not one repeated class.
    pub fn parse(name: &str) -> Result<Tokenizer, TokenizerError> {
        match name {
            "words" => Ok(Tokenizer::Words),
            "whitespace" => Ok(Tokenizer::Whitespace),
            _ => Ok(Tokenizer::Class(TokenClass::parse(name)?)),
        }
    }

    /// The name that [`Tokenizer::parse`] reads back.
    pub fn name(&self) -> &str {
        match self {
            Tokenizer::Words => "words",
            Tokenizer::Whitespace => "whitespace",
            Tokenizer::Class(class) => class.written(),
        }
    }

    /// The class, if the tokenizer is a class.
    pub fn class(&self) -> Option<&TokenClass> {
        match self {
            Tokenizer::Words | Tokenizer::Whitespace => None,
            Tokenizer::Class(class) => Some(class),
        }
    }
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// One or more line breaks, or an end of the text.
    Break,
    /// A match of a mutable pattern.
    Mutable(MutableId),
    /// A match of a mutable pattern that never matches a letter or digit: a row of dashes. It is not a word.
    Marks(MutableId),
    /// A token with a word character in it.
    Word,
    /// Anything else: punctuation, symbols.
    Character,
}

/// A token: its kind and its range in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// Whether white space, or the start of the text, is before it. Always false for a break. Always true for other
    /// tokens if the tokenizer is a class.
    pub space_before: bool,
    /// The first byte.
    pub start: u32,
    /// One past the last byte. The range of a break is that of the separator between the tokens beside it.
    pub end: u32,
}

impl TokenKind {
    /// The kind of a token that no mutable pattern matches.
    #[inline]
    pub fn of_literal(text: &str) -> TokenKind {
        if has_word(text) { TokenKind::Word } else { TokenKind::Character }
    }

    /// The kind of a match of a mutable pattern.
    #[inline]
    pub fn of_mutable(id: MutableId, set: &MutableSet) -> TokenKind {
        if set.has_marks_only(id) { TokenKind::Marks(id) } else { TokenKind::Mutable(id) }
    }
}

impl Token {
    /// The byte range in the text.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Splits texts into tokens. Cheap to clone. Each thread needs its own, because it contains scratch space.
#[derive(Clone, Debug)]
pub struct Lexer {
    tokenizer: Tokenizer,
    mutable: MutableMatcher,
}

impl Lexer {
    /// A lexer for these mutable patterns.
    pub fn new(tokenizer: Tokenizer, mutable: Arc<MutableSet>) -> Lexer {
        Lexer { tokenizer, mutable: MutableMatcher::new(mutable) }
    }

    /// The mutable patterns of the lexer.
    pub fn mutable(&self) -> &Arc<MutableSet> {
        self.mutable.set()
    }

    /// The tokenizer for text that no mutable pattern matches.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Calls `visit` with each token of `text` in order, and with its key: a break, tokens, a break. A text of only
    /// white space has a single break. The text must be shorter than 4 GiB. Linear in the text if all patterns run on
    /// the automaton.
    #[doc(hidden)]
    pub fn scan(&mut self, text: &str, visit: impl FnMut(Token, TokenKey)) {
        self.scan_for(text, Keys(visit));
    }

    /// Like [`Lexer::scan`], but calls `visit` with the symbol of each token in a vocabulary, or with the symbol of the
    /// line break if the vocabulary does not have the token. It is faster than a scan and a lookup of each token,
    /// because words seen lately are remembered with their symbols.
    pub(crate) fn scan_known(&mut self, text: &str, known: &FrozenVocabulary, visit: impl FnMut(Token, Symbol)) {
        self.scan_for(text, Symbols { text, known, visit });
    }

    fn scan_for(&mut self, text: &str, mut visitor: impl Visitor) {
        debug_assert!(text.len() <= u32::MAX as usize);
        let Lexer { tokenizer, mutable } = self;
        match tokenizer {
            Tokenizer::Words => scan(text, &Words, mutable, visitor),
            Tokenizer::Whitespace => scan(text, &Whitespace, mutable, visitor),
            Tokenizer::Class(class) => {
                scan_separated(text, class, mutable, |token, key| visitor.token(token, key, None))
            }
        }
    }

    /// All tokens of a text.
    #[doc(hidden)]
    pub fn tokens(&mut self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(text.len() / 4);
        self.scan(text, |token, _| tokens.push(token));
        tokens
    }

    /// The tokens of a text that has no separators and no mutable patterns.
    #[doc(hidden)]
    pub fn split_literal<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let end = self.plain_token_end(text, at);
            tokens.push(&text[at..end]);
            at = end;
        }
        tokens
    }

    fn plain_token_end(&self, text: &str, start: usize) -> usize {
        match &self.tokenizer {
            Tokenizer::Words => word_or_character_end(text, start),
            Tokenizer::Whitespace => non_space_end(text, start),
            Tokenizer::Class(class) => class.end(text, start).max(cluster_end(text, start)),
        }
    }
}

/// How text is split where no mutable pattern matches.
trait Split {
    /// Whether a match of a mutable pattern must be between white space, as every other token is.
    const MATCHES_ARE_WHOLE: bool = false;

    /// The end of the token that starts here.
    fn end(&self, text: &str, start: usize) -> usize;

    /// The end of the token that starts here, and the token as a [`Short`] if it is short.
    #[inline(always)]
    fn token(&self, text: &str, start: usize) -> (usize, Option<Short>) {
        let end = self.end(text, start);
        (end, Short::of(text.as_bytes(), start, end))
    }
}

struct Words;
struct Whitespace;

impl Split for Words {
    fn end(&self, text: &str, start: usize) -> usize {
        word_or_character_end(text, start)
    }

    #[inline(always)]
    fn token(&self, text: &str, start: usize) -> (usize, Option<Short>) {
        let eight = eight_bytes(text.as_bytes(), start);
        // Fast path: most words have fewer than 8 letters, and most other characters are ASCII, which take 1 byte.
        let length = ascii_word_length(eight);
        let taken = length.max(1);
        if length < 8 && eight & 0x80 == 0 && (eight >> (8 * taken)) & 0x80 == 0 {
            return (start + taken, Some(Short::of_eight(eight, taken)));
        }
        let end = self.end(text, start);
        (end, Short::of(text.as_bytes(), start, end))
    }
}

impl Split for Whitespace {
    const MATCHES_ARE_WHOLE: bool = true;

    fn end(&self, text: &str, start: usize) -> usize {
        non_space_end(text, start)
    }
}

/// If the matcher remembers a token as a word: the matcher and the word.
type Remembered<'m> = Option<(&'m mut MutableMatcher, RememberedWord)>;

/// Receives the tokens of a text. This is not a closure, because it must be inlined into the loop over tokens.
trait Visitor {
    fn token(&mut self, token: Token, key: TokenKey, remembered: Remembered);
}

/// Receives tokens with their keys.
struct Keys<F>(F);

impl<F: FnMut(Token, TokenKey)> Visitor for Keys<F> {
    #[inline(always)]
    fn token(&mut self, token: Token, key: TokenKey, _: Remembered) {
        (self.0)(token, key);
    }
}

/// Receives tokens with their symbols in a vocabulary.
struct Symbols<'t, F> {
    text: &'t str,
    known: &'t FrozenVocabulary,
    visit: F,
}

impl<F: FnMut(Token, Symbol)> Visitor for Symbols<'_, F> {
    #[inline(always)]
    fn token(&mut self, token: Token, key: TokenKey, remembered: Remembered) {
        let find = || self.look_up(token, key);
        let symbol = match remembered {
            Some((mutable, word)) => mutable.symbol(word, token.space_before, self.known.id(), find),
            None => find(),
        };
        (self.visit)(token, symbol);
    }
}

impl<F> Symbols<'_, F> {
    /// Looks a token up in the vocabulary. This is rare, and inlined it would make the loop long.
    #[inline(never)]
    fn look_up(&self, token: Token, key: TokenKey) -> Symbol {
        self.known.find(key, || &self.text[token.range()]).unwrap_or(Vocabulary::BREAK)
    }
}

/// Tokenizes a text. `visitor` is called in one place only.
#[inline]
fn scan<S: Split>(text: &str, split: &S, mutable: &mut MutableMatcher, mut visitor: impl Visitor) {
    let mut at = 0;
    let mut is_after_break = false;
    loop {
        let Blank { end: start, has_break } = Blank::at(text, at);
        let ends_text = start == text.len();
        let is_break = !is_after_break && (has_break || at == 0 || ends_text);
        let space_before = !is_break && (is_after_break || start > at);
        let (kind, range, key, word) = if is_break {
            (TokenKind::Break, at..start, TokenKey::line_break(), None)
        } else {
            let (kind, end, key, word) = token_at(text, start, space_before, split, mutable);
            (kind, start..end, key, word)
        };
        let token = Token { kind, space_before, start: range.start as u32, end: range.end as u32 };
        at = range.end;
        is_after_break = is_break;
        visitor.token(token, key, word.map(|word| (&mut *mutable, word)));
        if ends_text {
            return;
        }
    }
}

#[inline(always)]
fn token_at<S: Split>(
    text: &str,
    start: usize,
    space_before: bool,
    split: &S,
    mutable: &mut MutableMatcher,
) -> (TokenKind, usize, TokenKey, Option<RememberedWord>) {
    let (end, short) = split.token(text, start);
    let word = short.and_then(|short| mutable.remembered(short));
    if space_before || (!S::MATCHES_ARE_WHOLE && !ends_in_run(&text[..start])) {
        let ends_whole = |end: usize| text[end..].chars().next().is_none_or(char::is_whitespace);
        let varying = mutable.match_at_word(text, start, end, word);
        if let Some((id, end)) = varying.filter(|&(_, end)| !S::MATCHES_ARE_WHOLE || ends_whole(end)) {
            return (TokenKind::of_mutable(id, mutable.set()), end, TokenKey::mutable(id, space_before), None);
        }
    }
    match short {
        Some(short) => (kind_at(text, start, end), end, TokenKey::short(short, space_before), word),
        None => {
            let literal = &text[start..end];
            (TokenKind::of_literal(literal), end, TokenKey::long(literal, space_before), None)
        }
    }
}

/// The white space from a position on.
struct Blank {
    end: usize,
    has_break: bool,
}

impl Blank {
    #[inline]
    fn at(text: &str, at: usize) -> Blank {
        let bytes = text.as_bytes();
        // Fast path: nearly always there is one space or none, and then a visible ASCII character.
        let end = at + usize::from(bytes.get(at) == Some(&b' '));
        match bytes.get(end) {
            Some(b'!'..=0x7e) => Blank { end, has_break: false },
            _ => Blank::longer(text, end),
        }
    }

    fn longer(text: &str, at: usize) -> Blank {
        let mut blank = Blank { end: at, has_break: false };
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(blank.end) {
            match byte {
                b'\n' => blank.has_break = true,
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
                0..=0x7f => break,
                _ => match text[blank.end..].chars().next() {
                    Some(c) if c.is_whitespace() => blank.end += c.len_utf8() - 1,
                    _ => break,
                },
            }
            blank.end += 1;
        }
        blank
    }
}

/// The same as [`TokenKind::of_literal`], but faster: nearly always the first byte is enough.
#[inline(always)]
fn kind_at(text: &str, start: usize, end: usize) -> TokenKind {
    match text.as_bytes()[start] {
        byte if byte.is_ascii_alphanumeric() => TokenKind::Word,
        _ => TokenKind::of_literal(&text[start..end]),
    }
}

fn word_or_character_end(text: &str, start: usize) -> usize {
    let mut end = start;
    loop {
        end = ascii_word_end(text.as_bytes(), end);
        match text.as_bytes().get(end) {
            None | Some(0..=0x7f) => break,
            Some(_) => match text[end..].chars().next() {
                Some(c) if is_run_character(c) => end += c.len_utf8(),
                _ => break,
            },
        }
    }
    if end > start { end } else { cluster_end(text, start) }
}

/// The end of the ASCII letters, digits and `_` from `start` on.
#[inline]
fn ascii_word_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    loop {
        let length = ascii_word_length(eight_bytes(bytes, end));
        end += length;
        if length < 8 {
            return end;
        }
    }
}

/// Number of ASCII letters, digits and `_` at the start of 8 bytes, the lowest byte first. All bytes are tested at once
/// and without branches, because the lengths of words cannot be predicted.
#[inline]
fn ascii_word_length(eight: u64) -> usize {
    let low = eight & !TOP_BITS;
    let is_word = within(low | (0x20 * EACH), b'a', b'z') | within(low, b'0', b'9') | within(low, b'_', b'_');
    (!(is_word & !eight) & TOP_BITS).trailing_zeros() as usize / 8
}

fn non_space_end(text: &str, start: usize) -> usize {
    text[start..].find(char::is_whitespace).map_or(text.len(), |length| start + length)
}

/// Tokenizes a text in which all characters outside a class separate tokens.
fn scan_separated(
    text: &str,
    class: &TokenClass,
    mutable: &mut MutableMatcher,
    mut visit: impl FnMut(Token, TokenKey),
) {
    let mut at = 0;
    loop {
        let Gap { start, has_break, varying } = Gap::at(text, at, class, mutable);
        let ends_text = start == text.len();
        let token = |kind, space_before, from: usize, end: usize| Token {
            kind,
            space_before,
            start: from as u32,
            end: end as u32,
        };
        if has_break || at == 0 || ends_text {
            visit(token(TokenKind::Break, false, at, start), TokenKey::line_break());
        }
        if ends_text {
            return;
        }

        let (kind, end, key) = match varying {
            Some((id, end)) => (TokenKind::of_mutable(id, mutable.set()), end, TokenKey::mutable(id, true)),
            None => {
                let end = class.end(text, start);
                let literal = &text[start..end];
                (TokenKind::of_literal(literal), end, TokenKey::literal(text, start..end, true))
            }
        };
        visit(token(kind, true, start, end), key);
        at = end;
    }
}

/// The separators from a position on, and the match of a mutable pattern at their end, if there is one.
struct Gap {
    start: usize,
    has_break: bool,
    varying: Option<(MutableId, usize)>,
}

impl Gap {
    fn at(text: &str, at: usize, class: &TokenClass, mutable: &mut MutableMatcher) -> Gap {
        let mut gap = Gap { start: text.len(), has_break: false, varying: None };
        let mut before = text[..at].chars().next_back();
        // No search starts inside a match that was refused, so that a long row of marks is read once.
        let mut refused_end = at;
        for (offset, c) in text[at..].char_indices() {
            let start = at + offset;
            // A match is between separators, as every other token is.
            let may_start = !c.is_whitespace() && !before.is_some_and(|c| class.contains(c) || is_run_character(c));
            if may_start && start >= refused_end {
                let found = mutable.match_at(text, start);
                gap.varying = found.filter(|&(_, end)| !text[end..].starts_with(|c| class.contains(c)));
                refused_end = found.map_or(start, |(_, end)| end);
            }
            if gap.varying.is_some() || class.contains(c) {
                return Gap { start, ..gap };
            }
            gap.has_break |= c == '\n';
            before = Some(c);
        }
        gap
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::MutablePattern;

    fn lex(tokenizer: &str, text: &str) -> Vec<String> {
        let mut lexer = Lexer::new(Tokenizer::parse(tokenizer).unwrap(), Arc::new(MutableSet::shipped()));
        let show = |token: Token| match token.kind {
            TokenKind::Break => "/".to_owned(),
            TokenKind::Mutable(_) => format!("<{}>", &text[token.range()]),
            TokenKind::Marks(_) => format!("={}=", &text[token.range()]),
            _ => text[token.range()].to_owned(),
        };
        let mut shown = Vec::new();
        lexer
            .scan(text, |token, _| shown.push(format!("{}{}", if token.space_before { " " } else { "" }, show(token))));
        shown
    }

    #[test]
    fn words_characters_breaks_and_spaces() {
        assert_eq!(
            lex("words", "Share this, now!\n\n  Tweet"),
            ["/", " Share", " this", ",", " now", "!", "/", " Tweet", "/"]
        );
    }

    proptest! {
        #[test]
        fn eight_bytes_are_read_as_one_by_one(bytes in prop::collection::vec(any::<u8>(), 0..40), start in 0usize..40) {
            let start = start.min(bytes.len());
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let length = bytes[start..].iter().take_while(|byte| is_word(byte)).count();
            prop_assert_eq!(ascii_word_end(&bytes, start), start + length);
        }

        #[test]
        fn the_quick_way_to_a_word_leads_where_the_long_way_does(text in "[a_9 .é手❤\u{fe0f}\u{301}\0]{1,20}", at in 0usize..20) {
            let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
            let start = starts[at % starts.len()];
            let end = word_or_character_end(&text, start);
            prop_assert_eq!(Words.token(&text, start), (end, Short::of(text.as_bytes(), start, end)));
        }
    }

    proptest! {
        #[test]
        fn what_is_remembered_is_what_would_be_read(
            texts in prop::collection::vec(
                prop::collection::vec(prop::sample::select(&["Share", "a 12 b", "12", "", " ", "\r", "手a", "\"", "it said.", "3 March", "2024", "www.a.com/b."]), 0..9),
                1..5,
            ),
            tokenizer in prop::sample::select(&["words", "whitespace", "[a-z]+"]),
            mutable in prop::sample::select(&[r"[0-9]+", r"[0-9]+\s+[a-z]", "March(?=\n2024)"]),
        ) {
            let pattern = MutablePattern { name: "x".into(), regex: mutable.into() };
            let mut lexer = Lexer::new(Tokenizer::parse(tokenizer).unwrap(), Arc::new(MutableSet::new(vec![pattern]).unwrap()));
            let mut vocabulary = Vocabulary::new();
            for word in ["Share", "a", "said", "\""] {
                vocabulary.intern(TokenKind::of_literal(word), true, word);
            }
            vocabulary.intern(TokenKind::Mutable(MutableId(0)), true, "");
            let known = FrozenVocabulary::new(vocabulary);
            for text in texts {
                let text = text.join("\n");
                let (mut read, mut remembered) = (Vec::new(), Vec::new());
                lexer.scan(&text, |token, key| {
                    read.push((token, known.find(key, || &text[token.range()]).unwrap_or(Vocabulary::BREAK)));
                });
                lexer.scan_known(&text, &known, |token, symbol| remembered.push((token, symbol)));
                prop_assert_eq!(read, remembered);
            }
        }
    }

    #[test]
    fn an_empty_text_is_one_break() {
        assert_eq!(lex("words", ""), ["/"]);
        assert_eq!(lex("words", " \n "), ["/"]);
    }

    #[test]
    fn mutable_patterns_never_start_or_end_inside_a_word() {
        assert_eq!(lex("words", "covid-19 x5 5x 42"), ["/", " covid", "-", "<19>", " x5", " 5x", " <42>", "/"]);
    }

    #[test]
    fn unspaced_scripts_are_a_token_a_character() {
        assert_eq!(lex("words", "共12条 iPhone手机"), ["/", " 共", "<12>", "条", " iPhone", "手", "机", "/"]);
    }

    #[test]
    fn marks_stay_with_their_letter() {
        assert_eq!(lex("words", "e\u{301}te\u{301} ก\u{e34}น"), ["/", " e\u{301}te\u{301}", " ก\u{e34}", "น", "/"]);
    }

    #[test]
    fn an_emoji_is_one_token_and_no_word() {
        assert_eq!(
            lex("words", "❤\u{fe0f}5 👨\u{200d}👩\u{200d}👧 👍🏽x"),
            ["/", " ❤\u{fe0f}", "<5>", " 👨\u{200d}👩\u{200d}👧", " 👍🏽", "x", "/"]
        );
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        assert_eq!(lexer.tokens("❤\u{fe0f}")[1].kind, TokenKind::Character);
    }

    #[test]
    fn direction_marks_are_tokens_of_their_own_and_joiners_part_of_their_word() {
        assert_eq!(
            lex("words", "\u{200f}תגובות: 12\u{200e} می\u{200c}خواهم"),
            ["/", " \u{200f}", "תגובות", ":", " <12>", "\u{200e}", " می\u{200c}خواهم", "/"]
        );
    }

    #[test]
    fn a_word_is_whole_composed_or_not() {
        assert_eq!(
            lex("words", "caf\u{e9}s cafe\u{301}s हिन्दी שָׁלוֹם が か\u{3099}"),
            ["/", " caf\u{e9}s", " cafe\u{301}s", " हिन्दी", " שָׁלוֹם", " が", " か\u{3099}", "/"]
        );
    }

    #[test]
    fn the_other_tokenizers() {
        assert_eq!(lex("whitespace", "read-more, 12 (12)"), ["/", " read-more,", " <12>", " (12)", "/"]);
        assert_eq!(lex("[a-z-]+", "read-more, 12"), ["/", " read-more", " <12>", "/"]);
        assert!(matches!(Tokenizer::parse("a*"), Err(TokenizerError::NoClass(_))));
    }

    #[test]
    fn what_is_in_no_class_separates_tokens_as_white_space_does() {
        assert_eq!(lex(r"[^\-\s]+", "log-in, log - in"), ["/", " log", " in,", " log", " in", "/"]);
        assert_eq!(lex(r"[^\-\s]+", "- a -\n- b -"), ["/", " a", "/", " b", "/"]);
        assert_eq!(lex(r"[^\-\s]+", "a---b --- c"), ["/", " a", " b", " =---=", " c", "/"]);
        assert_eq!(lex(r"[^\-\s]+", "12 12, (12) -12"), ["/", " <12>", " 12,", " (12)", " <-12>", "/"]);
        assert_eq!(lex(r"\w+", "$5, «5» x5"), ["/", " <$5>", " <5>", " x5", "/"]);
        assert_eq!(lex("[a-z]+", "Read 5x X5 moreX"), ["/", " ead", " x", " more", "/"]);
        assert_eq!(lex(r"\w+", "--"), ["/"]);
    }
}
