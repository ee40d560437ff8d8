//! Joins the segments of patterns that have free stretches into matches.
//!
//! A pattern such as `By {…40} | Staff writer` is found in two steps. The automaton finds its segments. Here, each
//! segment is joined to the nearest place where the rest of the pattern matches, as a lazy quantifier does. This is
//! done from the last segment to the first, so that nothing is tried twice. Each segment that is found costs a binary
//! search, and each possible stretch costs a count of its characters. Few stretches are possible.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::matcher::{Found, Tokens};
use crate::tokens::{Piece, TokenClass, TokenRun};

/// The occurrences of each segment in a document, sorted.
pub(super) type Segments = FxHashMap<u32, Vec<Range<usize>>>;

/// A pattern with free stretches.
#[derive(Debug)]
pub(super) struct Slotted {
    pattern: usize,
    segments: Vec<TemplateSegment>,
    /// The free stretches between the segments.
    stretches: Vec<Stretch>,
}

#[derive(Clone, Copy, Debug)]
enum TemplateSegment {
    /// A segment with tokens, by its number in [`Segments`].
    Tokens(u32),
    /// The start or end of a line, without a token.
    LineEdge,
}

#[derive(Debug)]
struct Stretch {
    max_characters: usize,
    space_before: bool,
    starts_line: bool,
    ends_line: bool,
}

impl Slotted {
    /// Splits a run. `number` gives a number to a segment that has tokens.
    pub(super) fn new(pattern: usize, run: &TokenRun, mut number: impl FnMut(&[Piece]) -> u32) -> Slotted {
        let has_token = |segment: &[Piece]| segment.iter().any(|piece| *piece != Piece::Break);
        let segment = |pieces: &[Piece]| {
            if has_token(pieces) { TemplateSegment::Tokens(number(pieces)) } else { TemplateSegment::LineEdge }
        };
        let is_break = |piece: Option<&Piece>| piece == Some(&Piece::Break);
        let stretch = |(index, piece): (usize, &Piece)| match piece {
            Piece::Free { more, space_before } => Some(Stretch {
                max_characters: usize::from(*more) + 1,
                space_before: *space_before,
                starts_line: is_break(index.checked_sub(1).map(|before| &run.pieces()[before])),
                ends_line: is_break(run.pieces().get(index + 1)),
            }),
            _ => None,
        };
        Slotted {
            pattern,
            segments: run.segments().map(segment).collect(),
            stretches: run.pieces().iter().enumerate().filter_map(stretch).collect(),
        }
    }

    /// Calls `visit` with the shortest match for each start.
    pub(super) fn join(&self, lines: &Lines, segments: &Segments, visit: &mut impl FnMut(Found)) {
        let is_there = |segment: &TemplateSegment| match segment {
            TemplateSegment::Tokens(number) => segments.contains_key(number),
            TemplateSegment::LineEdge => true,
        };
        if !self.segments.iter().all(is_there) {
            return;
        }
        let mut rest = Rest::Anywhere;
        for (index, segment) in self.segments.iter().enumerate().rev() {
            let stretch = self.stretches.get(index);
            rest = match (segment, stretch) {
                (TemplateSegment::LineEdge, None) => Rest::LineEnd,
                (TemplateSegment::Tokens(number), None) => {
                    Rest::At(segments[number].iter().map(Joined::last).collect())
                }
                (TemplateSegment::Tokens(number), Some(stretch)) => {
                    Rest::At(rest.before(&segments[number], stretch, lines))
                }
                (TemplateSegment::LineEdge, Some(stretch)) => Rest::At(rest.after_line_starts(stretch, lines)),
            };
        }
        if let Rest::At(matches) = rest {
            for Joined { tokens, mut fillers } in matches {
                fillers.reverse();
                visit(Found { tokens, pattern: self.pattern, fillers: &fillers });
            }
        }
    }
}

/// The places where the rest of a pattern, after some segment, can match.
enum Rest {
    /// There is no rest.
    Anywhere,
    /// At the end of any line.
    LineEnd,
    /// At these places, sorted.
    At(Vec<Joined>),
}

/// A match of the rest of a pattern.
#[derive(Debug)]
struct Joined {
    tokens: Range<usize>,
    /// The tokens in its free stretches, the last stretch first.
    fillers: Vec<Range<usize>>,
}

impl Joined {
    /// A match of the last segment.
    fn last(segment: &Range<usize>) -> Joined {
        Joined { tokens: segment.clone(), fillers: Vec::new() }
    }

    /// A match that starts at this token, has this filler in its first stretch, and then continues like the rest.
    fn before(start: usize, filler: Range<usize>, (end, fillers): (usize, &[Range<usize>])) -> Joined {
        Joined { tokens: start..end, fillers: fillers.iter().cloned().chain([filler]).collect() }
    }
}

impl Rest {
    /// The matches of the segment before the rest, each continued by a match of the rest. `segment` has the occurrences
    /// of that segment.
    fn before(&self, segment: &[Range<usize>], stretch: &Stretch, lines: &Lines) -> Vec<Joined> {
        let joined = |segment: &Range<usize>| {
            let (rest, fillers) = self.first_after(segment.end, lines)?;
            let filler = segment.end..rest.start;
            let fits = lines.fits(stretch, &filler);
            fits.then(|| Joined::before(segment.start, filler, (rest.end, fillers)))
        };
        segment.iter().filter_map(joined).collect()
    }

    /// The tokens of the nearest match of the rest after a token, and the fillers of its stretches.
    fn first_after(&self, token: usize, lines: &Lines) -> Option<(Range<usize>, &[Range<usize>])> {
        match self {
            Rest::Anywhere => None,
            Rest::LineEnd => Some(lines.end_of_line(token)).map(|end| (end..end, [].as_slice())),
            Rest::At(found) => {
                let nearest = found.get(found.partition_point(|rest| rest.tokens.start <= token))?;
                Some((nearest.tokens.clone(), &nearest.fillers))
            }
        }
    }

    /// The matches of the rest, each extended by a stretch before it that begins at the start of its line.
    fn after_line_starts(&self, stretch: &Stretch, lines: &Lines) -> Vec<Joined> {
        let Rest::At(found) = self else { return Vec::new() };
        let mut joined: Vec<Joined> = Vec::new();
        let mut last_start = None;
        for Joined { tokens: rest, fillers } in found {
            // Only the first match on a line is the nearest one.
            let Some(start) = rest.start.checked_sub(1).map(|token| lines.start_of_line(token)) else { continue };
            let filler = start..rest.start;
            if last_start.replace(start) != Some(start) && lines.fits(stretch, &filler) {
                joined.push(Joined::before(start, filler, (rest.end, fillers)));
            }
        }
        joined
    }
}

/// The lines of a document.
pub(super) struct Lines<'t> {
    text: &'t str,
    tokens: &'t Tokens,
    class: Option<&'t TokenClass>,
    /// The first token of each line, and one past the last token.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str, tokens: &'t Tokens, class: Option<&'t TokenClass>) -> Lines<'t> {
        let starts = (0..tokens.line_starts.len()).filter(|&token| tokens.line_starts[token]).collect();
        Lines { text, tokens, class, starts }
    }

    fn start_of_line(&self, token: usize) -> usize {
        self.starts[self.starts.partition_point(|&start| start <= token) - 1]
    }

    /// One past the last token of this token's line.
    fn end_of_line(&self, token: usize) -> usize {
        self.starts.get(self.starts.partition_point(|&start| start <= token)).copied().unwrap_or(token)
    }

    /// Whether these tokens can fill the stretch.
    fn fits(&self, stretch: &Stretch, filler: &Range<usize>) -> bool {
        let Tokens { tokens, line_starts, .. } = self.tokens;
        if filler.is_empty() || filler.len() > stretch.max_characters {
            return false;
        }
        let is_one_line = line_starts[filler.start] == stretch.starts_line
            && line_starts[filler.end] == stretch.ends_line
            && self.end_of_line(filler.start) >= filler.end;
        let is_set_off = stretch.starts_line || tokens[filler.start].space_before == stretch.space_before;
        let text = &self.text[tokens[filler.start].range().start..tokens[filler.end - 1].range().end];
        // A match of a mutable pattern may start with a separator.
        let starts_well = self.class.is_none_or(|class| text.starts_with(|c| class.contains(c)));
        is_one_line && is_set_off && starts_well && text.chars().nth(stretch.max_characters).is_none()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::cleaning::reading::matcher::TokenAutomaton;
    use crate::patterns::regex::{Edges, parse};
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    fn found<'t>(regex: &str, text: &'t str) -> Vec<&'t str> {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()));
        let run = parse(regex, &lexer).unwrap();
        let automaton = TokenAutomaton::new([(0, &run, Edges::written_in(regex))], lexer.tokenizer());
        let (tokens, symbols) = automaton.read(text, &mut lexer);
        let mut found = Vec::new();
        automaton.find(text, &tokens, &symbols, |range, _| {
            found.push(&text[tokens.tokens[range.start].range().start..tokens.tokens[range.end - 1].range().end]);
        });
        found
    }

    const BY_LINE: &str = r"(?m)^\s*By[^\S\n]+\S[^\n]{0,12}?[^\S\n]+\|\s+Staff\s*$";

    #[test]
    fn from_anchor_to_anchor() {
        assert_eq!(found(BY_LINE, "a\nBy Anna Keller | Staff\nb By C | Staff"), ["By Anna Keller | Staff"]);
    }

    #[test]
    fn neither_empty_nor_too_long_nor_over_a_line_break() {
        for text in ["By | Staff", "By Anna Maria Keller | Staff", "By Anna\n| Staff", "By\nAnna | Staff", "By Anna"] {
            assert_eq!(found(BY_LINE, text), [""; 0], "{text}");
        }
    }

    #[test]
    fn as_little_as_will_do() {
        let regex = r"(?<!\S)a[^\S\n]+\S[^\n]{0,9}?[^\S\n]+b(?!\w)";
        assert_eq!(found(regex, "a a x b y b a b"), ["a a x b", "a x b"]);
    }

    #[test]
    fn at_the_end_of_a_line() {
        let regex = r"(?m)^\s*Related:[^\S\n]+\S[^\n]{0,12}?\s*$";
        assert_eq!(found(regex, "Related: a b\n\nx\nRelated:\ny\nRelated: c"), ["Related: a b", "Related: c"]);
    }

    #[test]
    fn at_the_start_of_a_line() {
        let regex = r"(?m)^\s*\S[^\n]{0,12}?[^\S\n]+wrote\s+this(?!\w)";
        assert_eq!(found(regex, "wrote this\nAnna wrote this and Bo wrote this\nwrote this"), ["Anna wrote this"]);
    }

    #[test]
    fn two_stretches_look_ahead_to_the_last_anchor() {
        let regex = r"(?m)^\s*a[^\S\n]+\S[^\n]{0,20}?[^\S\n]+b[^\S\n]+\S[^\n]{0,3}?[^\S\n]+c\s*$";
        // From the first `b` on, `c` is too far away.
        assert_eq!(found(regex, "a x b y y y b z c"), ["a x b y y y b z c"]);
    }

    #[test]
    fn many_starts_without_an_end_take_no_time() {
        let text = "By x ".repeat(200_000);
        assert!(found(BY_LINE, &text).is_empty());
        let text = "By x ".repeat(200_000) + "| Staff";
        assert!(found(BY_LINE, &text).is_empty());
    }
}
