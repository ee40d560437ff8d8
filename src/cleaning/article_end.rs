//! Where the article ends.
//!
//! After a line such as "Comments", "Related stories" or "Sponsored links" comes other text: prose that recurs nowhere
//! and has the same shape as the article's. But the line before it recurs. The source's other documents show whether it
//! ends articles ([`ends`](crate::ends)): there is always an article before it, and sometimes nothing after it.

use std::ops::Range;

use super::Reading;
use super::evidence::{Evidence, Match, Weight, without_stop_before};
use super::segments::{Segments, is_matched};

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
    /// Words of the longest paragraph among them.
    pub longest_after: f64,
    /// Whether the segment after it exists and is not matched.
    pub goes_on: bool,
}

impl LastPlace {
    /// Whether an article ends here, for a pattern that ends articles of at least `words` words. Mining saw at least
    /// twice that many. A shorter article is accepted only if no more words follow it than stand before.
    pub fn is_end(&self, words: usize) -> bool {
        let words = words as f64;
        self.before >= words && (self.before >= 2.0 * words || self.after <= self.before)
    }
}

/// Minimum number of words of an end inside a line.
const MIN_WORDS: f64 = 5.0;

/// The last place of each pattern whose match is whole lines, or is proven and has `MIN_WORDS`. Sorted by pattern.
pub fn last_places(
    reading: &Reading,
    matches: &[Match],
    weights: &[Weight],
    evidence: &Evidence,
    segments: &Segments,
) -> Vec<LastPlace> {
    let is_edge = |gap: usize| reading.tokens.line_starts[gap] || evidence.is_edge[gap];
    let is_set_off = |Match { tokens, .. }: &Match| {
        reading.layout.is_lines(tokens)
            || is_edge(tokens.start) && is_edge(tokens.end) && reading.layout.words(tokens) >= MIN_WORDS
    };
    let matches = matches.iter().map(|found| without_stop_before(&reading.layout, found, weights));
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
