//! A text and spans of it, any ones and such as cleaning gives: what is left is the text without the spans, but for
//! white space around them and a space where two words would become one, so that its words are read as before.

#![no_main]

use std::ops::Range;
use std::sync::Arc;

use dehusk_core::cleaning::spans::cutting::cuts;
use dehusk_core::cut::{Cut, strip};
use dehusk_core::tokens::characters::{ends_in_run, has_word, is_run_character};
use dehusk_core::tokens::{Lexer, MutableSet, TokenKind, Tokenizer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|case: (Vec<u16>, &str)| {
    let (bounds, text) = case;
    let of_characters: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    check(text, &spans(&bounds, &of_characters));
    let tokens = tokens(text);
    // Spans of cleaning start and end where tokens do.
    let of_tokens = spans(&bounds, &(0..=tokens.len()).collect::<Vec<usize>>());
    let of_tokens: Vec<Range<usize>> = of_tokens.into_iter().filter(|span| !span.is_empty()).collect();
    let bytes = |span: &Range<usize>| tokens[span.start].start..tokens[span.end - 1].end;
    let of_bytes: Vec<Range<usize>> = of_tokens.iter().map(bytes).collect();
    check(text, &of_bytes);
    let stripped = strip(text, &cuts(text, &of_bytes));
    let is_kept = |index: &usize| !of_tokens.iter().any(|span| span.contains(index));
    let kept = (0..tokens.len()).filter(is_kept).map(|index| &text[tokens[index].clone()]);
    let read = self::tokens(&stripped);
    let read = read.iter().map(|token| &stripped[token.clone()]);
    // Two halves of a flag, or of an emoji, may meet and become one character; words may not.
    let words = |word: &&str| has_word(word);
    assert_eq!(read.filter(words).collect::<Vec<&str>>(), kept.filter(words).collect::<Vec<&str>>(), "{stripped:?}");
});

/// Disjoint spans between some of these places.
fn spans(bounds: &[u16], places: &[usize]) -> Vec<Range<usize>> {
    let mut bounds: Vec<usize> = bounds.iter().map(|&bound| places[usize::from(bound) % places.len()]).collect();
    bounds.sort_unstable();
    bounds.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
}

/// What is left and what was cut make up the text, and only white space goes with the spans.
fn check(text: &str, spans: &[Range<usize>]) {
    let cuts = cuts(text, spans);
    let stripped = strip(text, &cuts);
    let (mut rest, mut rebuilt) = (stripped.as_str(), String::new());
    for cut in &cuts {
        assert!(rebuilt.len() <= cut.range.start, "{cut:?} overlaps the one before");
        let (before, after) = rest.split_at(cut.range.start - rebuilt.len());
        rebuilt.extend([before, &text[cut.range.clone()]]);
        rest = after.strip_prefix(cut.replacement).expect("the replacement stands in the place of the cut");
        check_joint(text, cut);
    }
    assert_eq!(rebuilt + rest, text);
    let is_in = |ranges: &[Range<usize>], at: usize| ranges.iter().any(|range| range.contains(&at));
    let cut_ranges: Vec<Range<usize>> = cuts.into_iter().map(|cut| cut.range).collect();
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        assert_eq!(is_in(spans, at), is_in(&cut_ranges, at), "{c:?} at {at}");
    }
}

fn check_joint(text: &str, cut: &Cut) {
    let joins = ends_in_run(&text[..cut.range.start]) && text[cut.range.end..].starts_with(is_run_character);
    assert_eq!(cut.replacement, if joins { " " } else { "" }, "{cut:?}");
}

/// The tokens of a text but for its line breaks.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let empty = Arc::new(MutableSet::new(Vec::new()).expect("nothing to compile"));
    let tokens = Lexer::new(Tokenizer::Words, empty).tokens(text).into_iter();
    tokens.filter(|token| token.kind != TokenKind::Break).map(|token| token.range()).collect()
}
