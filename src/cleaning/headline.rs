//! Finds a document's own headline.
//!
//! A headline is content in its own document. In the link lists of other documents it is boilerplate, and there it
//! recurs. So the line that stands where headlines stand, before the article begins, is kept, unless it is in too many
//! documents to be a headline. The first choice is a line that the document's title (its first line) contains as well.
//! The second choice is the nearest line that looks like a headline.

use super::layout::Layout;
use super::matcher::Tokens;
use super::segments::Segments;
use crate::tokens::TokenKind;

/// Maximum distance between headline and article, in words. Bylines, dates and buttons may stand between.
const REACH: f64 = 80.0;
/// Minimum number of words in a headline.
const MIN_WORDS: f64 = 4.0;
/// Minimum number of words in a headline that the title contains.
const MIN_TITLED_WORDS: f64 = 2.0;
/// Maximum number of words in a headline.
const MAX_WORDS: f64 = 25.0;
/// A line is not a headline if this share of the documents, or more, has it.
const MAX_SHARE: f64 = 0.4;
/// A line that the title contains is not a headline if this share of the documents, or more, has it. Then it is the
/// site's name.
const MAX_TITLED_SHARE: f64 = 0.8;
/// A line with a larger share of tokens that are matches of mutable patterns is a date or a score, not a headline.
const MAX_MUTABLE: f64 = 0.34;
/// Separators of the parts of a byline or a list of links.
const LIST_SEPARATORS: [char; 8] = ['|', '·', '•', '»', '›', '>', '@', '｜'];
/// Maximum number of tokens in a title, because each line before the article is searched for in it.
const MAX_TITLE_TOKENS: usize = 500;
/// The distance, in words, over which prose counts less by a factor of e.
const PROSE_REACH: f64 = 100.0;

/// The input for finding a headline: a document in segments.
pub struct Heading<'d> {
    /// The document.
    pub text: &'d str,
    /// Its tokens.
    pub tokens: &'d Tokens,
    /// Sums over its tokens.
    pub layout: &'d Layout,
    /// Its segments.
    pub segments: &'d Segments,
    /// Takes a number n. Returns for each of the first n segments the mean share of the documents over its tokens.
    pub shares: &'d dyn Fn(usize) -> Vec<f64>,
}

impl Heading<'_> {
    /// The headline's segment, if there is one where headlines stand.
    pub fn headline(&self) -> Option<usize> {
        let body = body_start(self.layout, self.segments)?;
        let shares = (self.shares)(body);
        self.titled(&shares).or_else(|| self.nearest(&shares))
    }

    /// The longest segment before the article that the title contains. Of equally long ones, the nearest to the
    /// article.
    fn titled(&self, shares: &[f64]) -> Option<usize> {
        if self.segments.tokens.tokens(0).len() > MAX_TITLE_TOKENS {
            return None;
        }
        let title = self.folded(0);
        let is_titled = |&index: &usize| {
            let may_be_said = self.segments.tokens.tokens(index).len() <= title.len();
            may_be_said && self.is_like_headline(index, MIN_TITLED_WORDS, shares[index] < MAX_TITLED_SHARE) && {
                let words = self.folded(index);
                title.windows(words.len()).any(|window| window == words)
            }
        };
        (1..shares.len()).filter(is_titled).max_by(|&a, &b| self.words(a).total_cmp(&self.words(b)))
    }

    /// The segment nearest to the article that looks like a headline. `None` if prose precedes it: then it stands
    /// between two paragraphs.
    fn nearest(&self, shares: &[f64]) -> Option<usize> {
        let mut distance = 0.0;
        let is_near = |&index: &usize| {
            distance += self.words(index).max(1.0);
            distance <= REACH
        };
        let is_headline = |&index: &usize| self.is_like_headline(index, MIN_WORDS, shares[index] < MAX_SHARE);
        let nearest = (0..shares.len()).rev().take_while(is_near).find(is_headline)?;
        (nearest == 0 || self.segments.prose[nearest - 1] == 0.0).then_some(nearest)
    }

    fn is_like_headline(&self, index: usize, min_words: f64, is_rare: bool) -> bool {
        if !is_rare || !(min_words..=MAX_WORDS).contains(&self.words(index)) {
            return false;
        }
        let segment = self.segments.tokens.tokens(index);
        let is_word =
            |token: &usize| matches!(self.tokens.tokens[*token].kind, TokenKind::Word | TokenKind::Mutable(_));
        let is_mutable = |token: &usize| matches!(self.tokens.tokens[*token].kind, TokenKind::Mutable(_));
        let is_dated = segment.clone().filter(is_mutable).count() as f64 > MAX_MUTABLE * segment.len() as f64;
        let ends_with_stop = self.token(segment.end - 1).ends_with(['.', '。', '।', '۔']);
        // Separators at the ends do not count, because a row of a table has them.
        let words = segment.clone().find(is_word).zip(segment.clone().rfind(is_word));
        let is_joined = words
            .is_some_and(|(first, last)| (first..last).any(|token| self.token(token).starts_with(LIST_SEPARATORS)));
        !is_dated && !is_joined && !ends_with_stop
    }

    fn words(&self, index: usize) -> f64 {
        self.layout.words(&self.segments.tokens.tokens(index))
    }

    fn token(&self, token: usize) -> &str {
        &self.text[self.tokens.tokens[token].range()]
    }

    /// The tokens of a segment in lower case.
    fn folded(&self, index: usize) -> Vec<String> {
        self.segments.tokens.tokens(index).map(|token| self.token(token).to_lowercase()).collect()
    }
}

/// Where the article begins: the first prose that is followed by at least half as much prose as the maximum.
fn body_start(layout: &Layout, Segments { tokens, prose }: &Segments) -> Option<usize> {
    let mut following = vec![0.0; prose.len()];
    let mut sum = 0.0;
    for index in (0..prose.len()).rev() {
        let words = layout.words(&tokens.tokens(index));
        sum += if prose[index] > 0.0 { words } else { 0.0 };
        following[index] = sum;
        sum *= (-words.max(1.0) / PROSE_REACH).exp();
    }
    let most = following.iter().copied().fold(0.0, f64::max);
    (0..prose.len()).find(|&index| prose[index] > 0.0 && following[index] >= 0.5 * most)
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
        let lines = layout.lines.iter().zip(shares);
        let evidence: Vec<f32> = lines.flat_map(|(line, &share)| line.map(move |_| f32::from(share > 0.0))).collect();
        let segments = Segments::of(text, &tokens, &layout, &evidence);
        let shares = |first: usize| shares[..first].to_vec();
        Heading { text, tokens: &tokens, layout: &layout, segments: &segments, shares: &shares }.headline()
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
    fn the_title_tells_it_however_far_it_is_and_however_many_list_it() {
        let rest = PAGE.split_once('\n').unwrap().1.replace("Ann Bell", "Ann Bell, our own reporter").replace('|', "");
        let page = format!("Mayor opens the new bridge - Daily Post\nDaily Post\n{rest}");
        assert_eq!(found(&page, &[0.0, 0.9, 0.6, 0.0, 0.9, 0.0, 0.0, 0.1]), Some(2));
        // A name that is in all documents is the site's name.
        assert_eq!(found(&page, &[0.0, 0.9, 0.9, 0.0, 0.9, 0.0, 0.0, 0.1]), Some(3));
    }

    #[test]
    fn a_first_line_that_goes_on_and_on_is_no_title() {
        let rest = PAGE.split_once('\n').unwrap().1.replace("Ann Bell", "Ann Bell, our own reporter");
        let page = |words| format!("Mayor opens the new bridge{}\nDaily Post\n{rest}", " and".repeat(words - 5));
        let shares = [0.0, 0.9, 0.6, 0.0, 0.9, 0.0, 0.0, 0.1];
        assert_eq!(found(&page(MAX_TITLE_TOKENS), &shares), Some(2));
        assert_eq!(found(&page(MAX_TITLE_TOKENS + 1), &shares), Some(3));
    }

    #[test]
    fn a_row_of_a_table_may_hold_it_and_a_list_does_not() {
        assert_eq!(
            found("| Mayor opens the bridge | |\nThe mayor opened the bridge for all of us.", &[0.0; 2]),
            Some(0)
        );
        assert_eq!(found("Mayor opens | the bridge\nThe mayor opened the bridge for all of us.", &[0.0; 2]), None);
    }

    #[test]
    fn a_document_without_prose_has_none() {
        assert_eq!(found("Home News\nMayor opens the new bridge", &[0.9, 0.1]), None);
    }
}
