//! A document's own headline.
//!
//! At the head of its article a headline is content; in every other document's list of links it is boilerplate, and
//! there it recurs. So the line that stands where headlines stand, shortly before the article begins, is kept, unless it
//! recurs in so many documents that it cannot be a headline.

use std::ops::Range;

use super::layout::Layout;
use super::matcher::Tokens;
use crate::tokens::TokenKind;

/// How far from the article its headline may stand, in words: bylines, dates and buttons come between.
const REACH: f64 = 80.0;
/// Headlines have this many words at least and at most.
const WORDS: std::ops::RangeInclusive<f64> = 4.0..=25.0;
/// What recurs in this share of the documents is no headline.
const MAX_SHARE: f64 = 0.4;
/// Dates and scores have this share of mutable tokens, headlines have fewer.
const MAX_MUTABLE: f64 = 0.34;
/// What separates the parts of a byline or a list of links.
const LIST_SEPARATORS: [char; 8] = ['|', '·', '•', '»', '›', '>', '@', '｜'];
/// How many words prose needs.
const MIN_PROSE_WORDS: f64 = 6.0;
/// How far prose counts, in words.
const PROSE_REACH: f64 = 100.0;

/// The segment that is the headline, if any stands where headlines stand. `matched` is the mean evidence of each
/// segment, `shares` the mean share of the documents that its matches have.
pub fn headline(
    text: &str,
    tokens: &Tokens,
    layout: &Layout,
    segments: &[Range<usize>],
    matched: &[f64],
    shares: &[f64],
) -> Option<usize> {
    let is_prose = |index: usize| {
        let segment = &segments[index];
        matched[index] <= 0.5 && layout.words_in_sentences(segment) >= MIN_PROSE_WORDS
    };
    let body = body_start(layout, segments, is_prose)?;
    let mut distance = 0.0;
    for index in (0..body).rev() {
        let segment = &segments[index];
        let words = layout.words(segment);
        distance += words.max(1.0);
        if distance > REACH {
            return None;
        }
        let mutable = segment.clone().filter(|&t| matches!(tokens.tokens[t].kind, TokenKind::Mutable(_))).count();
        let is_dated = mutable as f64 > MAX_MUTABLE * segment.len() as f64;
        let ends_with_stop = text[tokens.tokens[segment.end - 1].range()].ends_with(['.', '。', '।', '۔']);
        let is_joined = segment.clone().any(|token| text[tokens.tokens[token].range()].starts_with(LIST_SEPARATORS));
        if WORDS.contains(&words) && shares[index] < MAX_SHARE && !is_dated && !is_joined && !ends_with_stop {
            // After prose it is no headline, but stands between two paragraphs.
            return (index == 0 || !is_prose(index - 1)).then_some(index);
        }
    }
    None
}

/// Where the article begins: the first prose that is followed by half as much prose as any.
fn body_start(layout: &Layout, segments: &[Range<usize>], is_prose: impl Fn(usize) -> bool) -> Option<usize> {
    let mut following = vec![0.0; segments.len()];
    let mut prose = 0.0;
    for index in (0..segments.len()).rev() {
        let words = layout.words(&segments[index]);
        prose += if is_prose(index) { words } else { 0.0 };
        following[index] = prose;
        prose *= (-words.max(1.0) / PROSE_REACH).exp();
    }
    let most = following.iter().copied().fold(0.0, f64::max);
    (0..segments.len()).find(|&index| is_prose(index) && following[index] >= 0.5 * most)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    fn found(text: &str, shares: &[f64]) -> Option<usize> {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let tokens = Tokens::of(text, &mut lexer);
        let layout = Layout::of(text, &tokens);
        let lines: Vec<Range<usize>> = layout.lines().collect();
        let matched: Vec<f64> = shares.iter().map(|&share| f64::from(u8::from(share > 0.0))).collect();
        headline(text, &tokens, &layout, &lines, &matched, shares)
    }

    const PAGE: &str = "Home News\nMayor opens the new bridge\nBy Ann Bell\n3 March 2024\n\
        The mayor opened the new bridge on Sunday.\nHundreds came to see it in the rain.\nChoir wins the cup again";

    #[test]
    fn it_stands_before_the_article_begins() {
        assert_eq!(found(PAGE, &[0.9, 0.08, 0.0, 0.9, 0.0, 0.0, 0.1]), Some(1));
    }

    #[test]
    fn what_recurs_everywhere_is_no_headline() {
        assert_eq!(found(PAGE, &[0.9, 0.5, 0.0, 0.9, 0.0, 0.0, 0.1]), None);
    }

    #[test]
    fn a_document_without_prose_has_none() {
        assert_eq!(found("Home News\nMayor opens the new bridge", &[0.9, 0.1]), None);
    }
}
