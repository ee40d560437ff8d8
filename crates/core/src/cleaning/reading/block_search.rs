//! Finds blocks in a document, from the places of their rows.
//!
//! The automaton finds the rows. Here, rows that are close enough are joined from left to right. The time is linear in
//! the number of rows that are found and of the tokens between them.

use std::ops::Range;

use super::layout::Layout;
use super::matcher::Tokens;
use crate::patterns::block::{Block, Open, Row};

/// A row of a block at a place in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// The tokens of the row.
    pub tokens: Range<usize>,
    /// Index of the row.
    pub row: usize,
}

/// A document in which rows are joined.
#[derive(Clone, Copy)]
pub struct Ground<'d> {
    /// The text.
    pub text: &'d str,
    /// Its tokens.
    pub tokens: &'d Tokens,
    /// Its lines.
    pub layout: &'d Layout,
}

/// The rows that count: from left to right, of those that overlap the one that begins first, and of several such rows the
/// longest.
pub fn disjoint(mut places: Vec<RowPlace>) -> Vec<RowPlace> {
    places.sort_by_key(|place| (place.tokens.start, std::cmp::Reverse(place.tokens.end), place.row));
    let mut end = 0;
    places.retain(|place| {
        let is_free = place.tokens.start >= end;
        if is_free {
            end = place.tokens.end;
        }
        is_free
    });
    places
}

impl Ground<'_> {
    /// The lines between two tokens: their number, and the characters of the longest one. A part of a line before
    /// another token of the same line does not count beside whole lines. Stops counting at `most` lines.
    pub fn lines_between(self, tokens: Range<usize>, most: u16) -> Open {
        let mut open = Open::default();
        if tokens.is_empty() {
            return open;
        }
        let ends_inside = !self.tokens.line_starts[tokens.end];
        let mut start = tokens.start;
        let mut pieces = 0_u32;
        while start < tokens.end {
            let end = self.line_end(start).min(tokens.end);
            pieces += 1;
            if pieces > u32::from(most) + 1 {
                break;
            }
            open.characters = open.characters.max(self.characters(start..end));
            start = end;
        }
        open.lines = (pieces - u32::from(ends_inside && pieces > 1)).min(u32::from(u16::MAX)) as u16;
        open
    }

    /// The end of the lines after a row: at most as many whole lines as are allowed.
    pub fn end_after(self, mut end: usize, allowed: Open) -> usize {
        for _ in 0..allowed.lines {
            if end >= self.layout.tokens() {
                break;
            }
            let next = self.line_end(end);
            if self.characters(end..next) > allowed.characters {
                break;
            }
            end = next;
        }
        end
    }

    /// The end of the line of a token.
    fn line_end(self, token: usize) -> usize {
        let line = self.layout.lines.touching(&(token..token + 1)).start;
        self.layout.lines.tokens(line).end
    }

    /// Number of characters of these tokens, which are in one line.
    pub fn characters(self, tokens: Range<usize>) -> u16 {
        let bytes = self.tokens.tokens[tokens.start].range().start..self.tokens.tokens[tokens.end - 1].range().end;
        self.text[bytes].chars().count().min(usize::from(u16::MAX)) as u16
    }
}

/// Joins rows, which are in order and disjoint. Calls `visit` with the rows of each stretch.
pub fn join(ground: Ground, rows: &[Row], places: &[RowPlace], mut visit: impl FnMut(&[RowPlace])) {
    let mut start = 0;
    for next in 1..=places.len() {
        let follows = next < places.len() && {
            let allowed = rows[places[next - 1].row].between;
            let between = places[next - 1].tokens.end..places[next].tokens.start;
            allowed.has_room_for(ground.lines_between(between, allowed.lines))
        };
        if !follows {
            visit(&places[start..next]);
            start = next;
        }
    }
}

/// The stretches that a block matches, from the places of its rows in any order.
pub fn matches(ground: Ground, block: &Block, places: Vec<RowPlace>) -> Vec<Range<usize>> {
    let places = disjoint(places);
    let mut found: Vec<Range<usize>> = Vec::new();
    join(ground, &block.rows, &places, |joined| {
        let end_before = found.last().map_or(0, |found| found.end);
        // Lines after the row before may have taken some of these rows.
        let joined = &joined[joined.partition_point(|place| place.tokens.start < end_before)..];
        if joined.iter().any(|place| block.rows[place.row].is_sure)
            && let (Some(first), Some(last)) = (joined.first(), joined.last())
        {
            found.push(first.tokens.start..ground.end_after(last.tokens.end, block.rows[last.row].after));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::cleaning::reading::matcher::TokenAutomaton;
    use crate::patterns::regex::Edges;
    use crate::tokens::{Lexer, MutablePattern, MutableSet, SymbolSequence, Tokenizer};

    fn lexer() -> Lexer {
        let number = MutablePattern { name: "number".into(), regex: r"\d+".into() };
        Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![number]).unwrap()))
    }

    /// A row, such as `Home` for a part of a line, or `|Home|` for a whole line. `?` at its start: it is not sure.
    fn row(written: &str, between: (u16, u16), after: (u16, u16)) -> Row {
        let (is_sure, written) = written.strip_prefix('?').map_or((true, written), |rest| (false, rest));
        let text = written.trim_matches('|');
        let sequence = SymbolSequence::of_texts(&[text], &lexer()).unwrap();
        let cut = usize::from(!written.starts_with('|'));
        let run = sequence.run(cut..sequence.tokens() - cut);
        let open = |(lines, characters)| Open { lines, characters };
        Row { run, documents: 2, occurrences: 2, is_sure, between: open(between), after: open(after) }
    }

    fn found(block: &Block, text: &str) -> Vec<String> {
        let mut lexer = lexer();
        let edges = Edges::of_runs(block.rows.iter().map(|row| &row.run));
        let rows = block.rows.iter().enumerate().map(|(index, row)| (index, &row.run, edges));
        let automaton = TokenAutomaton::new(rows, &Tokenizer::Words);
        let (tokens, symbols) = automaton.read(text, &mut lexer);
        let mut places = Vec::new();
        automaton.find(text, &tokens, &symbols, |tokens, row| places.push(RowPlace { tokens, row }));
        let layout = Layout::of(text, &tokens);
        let ground = Ground { text, tokens: &tokens, layout: &layout };
        matches(ground, block, places).into_iter().map(|range| text[tokens.bytes_of(&range)].to_owned()).collect()
    }

    /// What the regex of the block matches, without white space around it.
    fn by_regex(block: &Block, text: &str) -> Vec<String> {
        let regex = fancy_regex::Regex::new(&block.regex(&lexer())).unwrap();
        regex.find_iter(text).map(|found| found.unwrap().as_str().trim().to_owned()).collect()
    }

    #[test]
    fn rows_are_joined_in_any_order_across_open_lines() {
        let block = Block {
            rows: vec![
                row("|Home|", (0, 0), (0, 0)),
                row("|Related|", (2, 10), (1, 8)),
                row("?|News|", (0, 0), (0, 0)),
            ],
        };
        assert_eq!(found(&block, "News\nHome\nText"), ["News\nHome"]);
        assert_eq!(found(&block, "News\nText"), [""; 0], "a row that is not sure needs another one");
        assert_eq!(found(&block, "Related\nOne\nTwo\nNews\nx"), ["Related\nOne\nTwo\nNews"]);
        assert_eq!(found(&block, "Related\nOne\nTwo\nThree\nNews"), ["Related\nOne"], "three lines are too many");
        assert_eq!(found(&block, "Related\nA line that is long\nNews"), ["Related"]);
        assert_eq!(found(&block, "Home Related\nHome\n\nHome"), ["Home\n\nHome"]);
    }

    proptest! {
        /// The definition: the regex of the block.
        #[test]
        fn a_block_matches_what_its_regex_matches(
            rows in prop::collection::btree_map(
                prop::sample::select(vec!["|A|", "|B|", "?|C|", "|A B|", "D", "?E 1", "|{|", "C D"]),
                ((0_u16..3, 1_u16..6), (0_u16..3, 1_u16..6)), 1..5,
            ),
            text in prop::collection::vec(
                prop::sample::select(vec!["A", "B", "C", "D", "E", "7", " ", " ", "\n", "\n", "\n\n", "xx", "yyyy"]), 0..24,
            ),
        ) {
            let open = |(lines, characters): (u16, u16)| if lines == 0 { (0, 0) } else { (lines, characters) };
            let rows: Vec<Row> = rows.into_iter().map(|(written, (between, after))| row(written, open(between), open(after))).collect();
            prop_assume!(rows.iter().any(|row| row.is_sure));
            let block = Block { rows };
            let text = text.concat();
            prop_assert_eq!(found(&block, &text), by_regex(&block, &text), "{} in {:?}", block.regex(&lexer()), text);
        }
    }
}
