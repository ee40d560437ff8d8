//! Finds the end of the article in a document.
//!
//! After a line such as "Comments", "Related stories" or "Sponsored links" comes other text: prose that does not recur
//! and looks like the prose of the article. But the line itself recurs. The source's other documents show whether this
//! line ends articles: there is always an article before it, and sometimes nothing after it.
//!
//! The rule has three parts: the place of a pattern in a document ([`last_places`]), whether a pattern with such places
//! ends articles ([`least_prose_before`]), and the end of the article in a document ([`article_end`]). Mining applies
//! the second part to a sample ([`selection::ends`](crate::selection::ends)). Streams apply it to the latest documents
//! ([`streaming::ends`](crate::streaming::ends)).
//!
//! Five signs show that a pattern ends articles, whatever its words are:
//!
//! - an article is before it in every document, and the length of this text varies: a line after the first paragraphs
//!   of each article always has about as much text before it,
//! - in some documents, no text comes directly after it, and no paragraph later: in the middle of an article, text
//!   always follows,
//! - in other documents, a paragraph comes after it: otherwise there would be nothing to remove,
//! - in all documents together, most of the prose is before it,
//! - the amount of text after it does not depend on the amount before it: inside articles, more text before it would
//!   mean less text after it.

use std::ops::Range;

use super::evidence::{Evidence, Weights, without_stop_before};
use super::segments::{Segments, is_matched};
use crate::cleaning::reading::Match;
use crate::cleaning::reading::Reading;

/// The last match of a pattern in a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastPlace {
    /// The pattern.
    pub pattern: usize,
    /// The first token of its match.
    pub start: usize,
    /// Words of prose before it.
    pub before: f64,
    /// Words of prose after it.
    pub after: f64,
    /// Words of the longest paragraph after it.
    pub longest_after: f64,
    /// Whether the segment after it exists and is not matched.
    pub goes_on: bool,
}

impl LastPlace {
    /// Whether an article ends here. At least `words` words must be before the pattern: half of the shortest article
    /// that mining saw. If this article is shorter than that shortest one, the text after the pattern must not be
    /// longer than the text before it.
    pub fn is_end(&self, words: usize) -> bool {
        let words = words as f64;
        self.before >= words && (self.before >= 2.0 * words || self.after <= self.before)
    }
}

/// Minimum number of documents with the pattern. With fewer, the 5 signs above may be chance.
pub(crate) const MIN_DOCUMENTS_OF_END: usize = 6;
/// Minimum share of the documents that have the pattern. Rarer text is not part of the page's frame.
pub(crate) const MIN_SHARE_OF_END: f64 = 0.3;
/// Minimum number of words of prose before the pattern, in every document.
pub(crate) const MIN_ARTICLE_WORDS: f64 = 40.0;
/// Minimum number of words of a paragraph that can continue an article. Headlines of other articles are shorter.
const MIN_MORE_WORDS: f64 = 15.0;
/// Minimum number of documents in which no text comes directly after the pattern, and no paragraph later.
const MIN_LAST: usize = 3;
/// Minimum share of these documents among all documents with the pattern.
const MIN_LAST_SHARE: f64 = 0.1;
/// Minimum number of documents with a paragraph after the pattern.
const MIN_MORE: usize = 2;
/// Maximum share of the prose of all documents that is after the pattern.
const MAX_AFTER: f64 = 0.45;
/// Minimum spread of the prose before the pattern: the 9th decile of the documents divided by the 1st.
const MIN_SPREAD: f64 = 1.5;
/// The rank correlation of the amounts of prose before and after a pattern that is inside articles.
const CORRELATION_IF_IT_GOES_ON: f64 = -0.6;
/// The correlation must be higher than [`CORRELATION_IF_IT_GOES_ON`] by this number of standard errors. By chance, 1 in
/// 15 patterns inside articles passes.
const MIN_STANDARD_ERRORS: f64 = 1.5;

/// The shortest article of the seen documents is multiplied by this, because later articles may be shorter.
const LEAST: f64 = 0.5;

/// Minimum number of words of a pattern that ends articles, if it matches only a part of a line.
const MIN_WORDS_OF_END: f64 = 5.0;

/// The last place of each pattern, sorted by pattern. A match counts only if it is whole lines, or if it has
/// `MIN_WORDS_OF_END` words and both its edges are edges of lines or of runs that chance does not explain.
pub fn last_places(reading: &Reading, matches: &[Match], evidence: &Evidence, segments: &Segments) -> Vec<LastPlace> {
    let is_edge = |gap: usize| reading.tokens.line_starts[gap] || evidence.is_edge[gap];
    let is_set_off = |Match { tokens, .. }: &Match| {
        reading.layout.is_lines(tokens)
            || is_edge(tokens.start) && is_edge(tokens.end) && reading.layout.words(tokens) >= MIN_WORDS_OF_END
    };
    let matches = matches.iter().map(|found| without_stop_before(&reading.layout, found));
    let mut set_off: Vec<Match> = matches.filter(is_set_off).collect();
    set_off.sort_unstable_by_key(|found| (found.pattern, found.tokens.start));

    let mut prose = vec![0.0];
    segments.prose.iter().for_each(|words| prose.push(prose[prose.len() - 1] + words));

    // A paragraph is a line, even if it was cut into several segments.
    let (mut longest_from, mut rest_of_line) = (vec![0.0_f64; segments.prose.len() + 1], 0.0);
    for (index, &words) in segments.prose.iter().enumerate().rev() {
        rest_of_line += words;
        longest_from[index] = longest_from[index + 1].max(rest_of_line);
        if reading.tokens.line_starts[segments.tokens.tokens(index).start] {
            rest_of_line = 0.0;
        }
    }

    let last = |of_pattern: &[Match]| {
        let Match { tokens, pattern } = &of_pattern[of_pattern.len() - 1];
        // Words in the segments of the match count for neither side.
        let Range { start: first, end: next } = segments.tokens.touching(tokens);
        let after = prose[prose.len() - 1] - prose[next];
        let goes_on = next < segments.tokens.len() && !is_matched(&segments.tokens.tokens(next), &evidence.of_token);
        let longest_after = longest_from[next];
        LastPlace { pattern: *pattern, start: tokens.start, before: prose[first], after, longest_after, goes_on }
    };
    set_off.chunk_by(|a, b| a.pattern == b.pattern).map(last).collect()
}

/// The end of the article of a document: of the places of patterns at which [an article ends](LastPlace::is_end), the
/// first one. `None` if there is no such place.
pub fn article_end(
    reading: &Reading,
    matches: &[Match],
    weights: &Weights,
    evidence: &Evidence,
    segments: &Segments,
) -> Option<LastPlace> {
    let words = |pattern: usize| weights[pattern].ends_after;
    let ending: Vec<Match> = matches.iter().filter(|found| words(found.pattern).is_some()).cloned().collect();
    if ending.is_empty() {
        return None;
    }
    let is_end = |place: &LastPlace| words(place.pattern).is_some_and(|words| place.is_end(words));
    last_places(reading, &ending, evidence, segments).into_iter().filter(is_end).min_by_key(|place| place.start)
}

/// The number of words of prose that must be before a pattern with these places so that an article ends there. `None`
/// if the pattern does not end articles.
pub fn least_prose_before(places: &[&LastPlace]) -> Option<usize> {
    let mut before: Vec<f64> = places.iter().map(|place| place.before).collect();
    before.sort_unstable_by(f64::total_cmp);
    let tenth = |tenth: usize| before[(before.len() - 1) * tenth / 10];
    let is_more = |place: &&&LastPlace| place.longest_after >= MIN_MORE_WORDS;
    let more = places.iter().filter(is_more).count();
    let last = places.iter().filter(|place| !is_more(place) && !place.goes_on).count();
    let min_last = MIN_LAST.max((MIN_LAST_SHARE * places.len() as f64).ceil() as usize);
    let (all_before, all_after) = (before.iter().sum::<f64>(), places.iter().map(|place| place.after).sum::<f64>());
    let is_end = before[0] >= MIN_ARTICLE_WORDS
        && tenth(9) >= MIN_SPREAD * tenth(1)
        && last >= min_last
        && more >= MIN_MORE
        && all_after <= MAX_AFTER * (all_before + all_after)
        && correlation(places) >= CORRELATION_IF_IT_GOES_ON + MIN_STANDARD_ERRORS * standard_error(places.len() as f64);
    is_end.then_some((LEAST * before[0]) as usize)
}

/// Kendall's rank correlation of the prose before and after, computed from the pairs that differ in both. This is
/// Goodman and Kruskal's gamma.
fn correlation(places: &[&LastPlace]) -> f64 {
    let (mut with, mut against) = (0, 0);
    for (index, a) in places.iter().enumerate() {
        for b in &places[..index] {
            let product = (a.before - b.before) * (a.after - b.after);
            with += usize::from(product > 0.0);
            against += usize::from(product < 0.0);
        }
    }
    (with as f64 - against as f64) / (with + against).max(1) as f64
}

/// The standard error of Kendall's correlation, if the two values do not depend on each other.
fn standard_error(places: f64) -> f64 {
    (2.0 * (2.0 * places + 5.0) / (9.0 * places * (places - 1.0))).sqrt()
}
