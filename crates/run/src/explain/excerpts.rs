//! Shows the lines around a match, each with its number, as `grep` does.

use std::ops::Range;

use super::lens::Matched;
use super::{Outcome, TextPart, reasons};
use dehusk_core::cleaning::Cleaner;
use dehusk_core::stretches::{common, touching};

/// Maximum number of characters shown before a match in its line, after a match, and of a line without a match.
const CHARACTERS_SHOWN: usize = 80;

/// The lines of a match and the lines around it.
pub type Excerpt<'t> = Vec<Line<'t>>;

/// A line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'t> {
    /// Its number in the text, from 1.
    pub number: usize,
    /// Its content.
    pub content: Content<'t>,
}

/// The content of a line. Long text is cut off, with an ellipsis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<'t> {
    /// A line before or after the match.
    Around(String),
    /// A line with a match, or a part of one.
    Match {
        /// The text before the match in the line.
        before: String,
        /// The match, divided into removed and kept parts.
        parts: Vec<TextPart<'t>>,
        /// The text after the match in the line.
        after: String,
    },
}

/// Makes the excerpts of a text.
#[derive(Debug)]
pub struct Excerpts<'t, 'c> {
    text: &'t str,
    /// The byte range of each line, without its line break.
    lines: Vec<Range<usize>>,
    matched: &'c Matched,
    cleaner: &'c Cleaner,
}

impl<'t, 'c> Excerpts<'t, 'c> {
    /// Prepares excerpts of a text. `matched` has the matches in the text, and `cleaner` the ids of the patterns.
    pub fn new(text: &'t str, matched: &'c Matched, cleaner: &'c Cleaner) -> Excerpts<'t, 'c> {
        let mut start = 0;
        let line = |line: &str| {
            let range = start..start + line.trim_end_matches(['\n', '\r']).len();
            start += line.len();
            range
        };
        Excerpts { text, lines: text.split_inclusive('\n').map(line).collect(), matched, cleaner }
    }

    /// The lines of a match, with `context` lines before and after them. Blank lines are left out.
    pub fn around(&self, found: &Range<usize>, context: usize) -> Excerpt<'t> {
        let first = self.lines.partition_point(|line| line.end <= found.start);
        let after = self.lines.partition_point(|line| line.start < found.end);
        let is_filled = |&line: &usize| !self.text[self.lines[line].clone()].trim().is_empty();
        let mut before: Vec<usize> = (0..first).rev().filter(is_filled).take(context).collect();
        before.reverse();
        let mut excerpt: Excerpt = before.into_iter().map(|line| self.other_line(line)).collect();
        excerpt.extend((first..after).filter(is_filled).map(|line| self.line_with(found, line)));
        excerpt.extend((after..self.lines.len()).filter(is_filled).take(context).map(|line| self.other_line(line)));
        excerpt
    }

    fn other_line(&self, line: usize) -> Line<'t> {
        let text = self.text[self.lines[line].clone()].trim_end();
        Line { number: line + 1, content: Content::Around(start_of(text)) }
    }

    fn line_with(&self, found: &Range<usize>, line: usize) -> Line<'t> {
        let range = &self.lines[line];
        let part = common(range, found);
        let [before, after] = [&self.text[range.start..part.start], &self.text[part.end..range.end]];
        let (before, after) = (end_of(before), start_of(after.trim_end()));
        Line { number: line + 1, content: Content::Match { before, parts: self.parts(part), after } }
    }

    /// Divides the matched part of a line into removed and kept parts.
    fn parts(&self, part: Range<usize>) -> Vec<TextPart<'t>> {
        let stays = |range: Range<usize>| TextPart { text: &self.text[range], outcome: Outcome::Stays };
        let mut parts = Vec::new();
        let mut at = part.start;
        for span in touching(&self.matched.cleaning.spans, &part, |span| &span.range) {
            let goes = common(&span.range, &part);
            parts.push(stays(at..goes.start));
            parts.push(TextPart {
                text: &self.text[goes.clone()],
                outcome: Outcome::Goes(reasons(span, &goes, &self.matched.cleaning, self.cleaner)),
            });
            at = goes.end;
        }
        parts.push(stays(at..part.end));
        parts
    }
}

/// The first [`CHARACTERS_SHOWN`] characters of a text, with an ellipsis if it is longer.
fn start_of(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The last [`CHARACTERS_SHOWN`] characters of a text, with an ellipsis if it is longer.
fn end_of(text: &str) -> String {
    match text.char_indices().rev().nth(CHARACTERS_SHOWN) {
        Some((cut, character)) => format!("…{}", &text[cut + character.len_utf8()..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_show_it() {
        let text = "ä".repeat(CHARACTERS_SHOWN);
        assert_eq!([start_of(&text), end_of(&text)], [text.clone(), text.clone()]);
        assert_eq!(start_of(&format!("{text}b")), format!("{text}…"));
        assert_eq!(end_of(&format!("b{text}")), format!("…{text}"));
    }
}
