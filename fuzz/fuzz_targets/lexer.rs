//! Any text, by every way of reading: what is no white space lies in exactly one token, and what stands before a line
//! break is read as if nothing came after it.

#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use dehusk_core::tokens::{Lexer, MutablePattern, MutableSet, Token, TokenKind, Tokenizer};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static LEXERS: RefCell<Vec<Lexer>> = RefCell::new(lexers());
}

fuzz_target!(|text: &str| {
    LEXERS.with_borrow_mut(|lexers| lexers.iter_mut().for_each(|lexer| check(lexer, text)));
});

/// Every tokenizer without mutable patterns, with some that get in each other's way, and with the shipped ones.
fn lexers() -> Vec<Lexer> {
    let overlapping = [("minutes", "[0-9]+ min|(?i:x) x"), ("number", "[0-9]+"), ("tag", "#\\w*|-[0-9](?= )")];
    let overlapping = MutableSet::new(overlapping.map(|(name, regex)| mutable(name, regex)).to_vec());
    let empty = MutableSet::new(Vec::new());
    let sets = [empty, overlapping, Ok(MutableSet::shipped())].map(|set| Arc::new(set.expect("they compile")));
    let tokenizers = ["words", "whitespace", "[a-z]+", r"(?s)\w+.?|[^a]{2,3}"];
    let lexer =
        |name: &str, set: &Arc<MutableSet>| Lexer::new(Tokenizer::parse(name).expect("a tokenizer"), Arc::clone(set));
    tokenizers.iter().flat_map(|name| sets.iter().map(|set| lexer(name, set))).collect()
}

fn mutable(name: &str, regex: &str) -> MutablePattern {
    MutablePattern { name: name.into(), regex: regex.into() }
}

fn check(lexer: &mut Lexer, text: &str) {
    let tokens = lexer.tokens(text);
    assert_eq!(lexer.tokens(text), tokens, "what the matcher remembers changes what it finds");
    check_cover(text, &tokens);
    if lexer.mutable().patterns().is_empty() {
        check_prefixes(lexer, text, &tokens);
    }
}

/// Tokens come in order, none cuts a character, and between them is nothing but white space, which is in breaks alone.
fn check_cover(text: &str, tokens: &[Token]) {
    let mut at = 0;
    for token in tokens {
        let range = token.range();
        assert!(at <= range.start && range.start <= range.end, "{token:?} after {at}");
        let gap = &text[at..range.start];
        assert!(gap.trim().is_empty() && !gap.contains('\n'), "{gap:?} is in no token");
        let found = &text[range.clone()];
        match token.kind {
            TokenKind::Break => assert!(found.trim().is_empty() && !token.space_before, "{token:?} is {found:?}"),
            TokenKind::Mutable(_) => assert!(!found.trim().is_empty(), "{token:?} is {found:?}"),
            _ => assert!(!found.is_empty() && !found.contains(char::is_whitespace), "{token:?} is {found:?}"),
        }
        at = range.end;
    }
    assert_eq!(at, text.len(), "the last token ends the text");
    let is_break = |token: Option<&Token>| token.is_some_and(|token| token.kind == TokenKind::Break);
    assert!(is_break(tokens.first()) && is_break(tokens.last()), "a text starts and ends with a break");
    assert!(tokens.windows(2).all(|pair| pair.iter().any(|token| token.kind != TokenKind::Break)), "two breaks");
}

/// At every line break: what stands before it, and what after it, is read as it is in the whole text.
fn check_prefixes(lexer: &mut Lexer, text: &str, tokens: &[Token]) {
    let inner = tokens.iter().enumerate().skip(1).take(tokens.len().saturating_sub(2));
    for (index, cut) in inner.filter(|(_, token)| token.kind == TokenKind::Break).take(4) {
        let (start, end) = (cut.range().start, cut.range().end);
        assert_eq!(lexer.tokens(&text[..end]), &tokens[..=index], "before {start}");
        let shifted = |token: &Token| {
            let (from, to) = (token.start - start as u32, token.end - start as u32);
            Token { start: from, end: to, ..*token }
        };
        let expected: Vec<Token> = tokens[index..].iter().map(shifted).collect();
        assert_eq!(lexer.tokens(&text[start..]), expected, "after {end}");
    }
}
