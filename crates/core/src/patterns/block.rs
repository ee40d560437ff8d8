//! A block: rows of text that recur together, such as the menu of a site, a byline with its share bar, or a foot.
//!
//! A person sees five to fifteen things on a site, and each of them is one block, with one decision. Mining finds blocks in
//! what the decision removes ([`blocks`](crate::selection::blocks)).

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::regex::{Edges, render};
use super::{ID_DIGITS, LONG_ID_DIGITS, hashed};
use crate::tokens::{Lexer, MutableSet, Piece, TokenRun};

/// Rows that recur together, in their usual order.
///
/// A block matches text that begins and ends with a row. After a row comes another row of the block. Open lines may be
/// between the two, and after the last row, as many as the first of the two allows. At least one of the rows must be
/// [sure](Row::is_sure). So a new order of the rows, or a row that is missing, changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The rows. Never empty; one is sure at least.
    pub rows: Vec<Row>,
}

/// A row of a block: a line, or a part of a line, with its mutable parts and slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its tokens. They begin and end with a break where the line does.
    pub run: TokenRun,
    /// Number of documents in which the block has the row.
    pub documents: usize,
    /// How often the block has the row.
    pub occurrences: usize,
    /// Whether the row is boilerplate wherever it is. Others are removed only beside a sure row: "News" in a menu is
    /// boilerplate, and "News" in a text may be a heading.
    pub is_sure: bool,
    /// The lines that may be between this row and the next one.
    pub between: Open,
    /// The lines that may come after this row, if it is the last one.
    pub after: Open,
}

/// Lines with any text, such as headlines in a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Open {
    /// Maximum number of lines. A part of a line counts as a line.
    pub lines: u16,
    /// Maximum number of characters in each.
    pub characters: u16,
}

impl Open {
    /// Whether lines like these fit, where `lines` counts them and `characters` is the length of the longest.
    pub fn has_room_for(self, found: Open) -> bool {
        found.lines == 0 || (found.lines <= self.lines && found.characters <= self.characters)
    }

    /// The regex of these lines before another row. Lazy, because that row ends them. The last one may be the part of a
    /// line before the row.
    fn between(self) -> String {
        let Open { lines, characters } = self;
        match lines {
            0 => String::new(),
            _ => {
                let line = format!(r"[^\S\n]*[^\n]{{1,{characters}}}?[^\S\n]*");
                format!(r"(?:{line}${NEXT_LINE}){{0,{lines}}}?(?:{line})??")
            }
        }
    }

    /// The regex of these lines at the end of a block.
    fn after(self) -> String {
        let Open { lines, characters } = self;
        match lines {
            0 => String::new(),
            _ => format!(r"(?:[^\S\n]*[^\n]{{1,{characters}}}?[^\S\n]*${NEXT_LINE}){{0,{lines}}}"),
        }
    }
}

/// White space up to the start of the next line with text, if only white space follows in this line. It has one way to
/// match: some engines give up other ways too early, if two alternatives begin alike.
const NEXT_LINE: &str = r"(?:\s*\n)?";

impl Block {
    /// The ids that a block may have, the usual one first. Each is a hash of a row, so a menu with a new entry keeps its
    /// id. First come sure rows, those in most documents, and the longest ones. Several blocks may have the same row, so
    /// an id may be taken.
    pub fn ids(&self, lexer: &Lexer) -> impl Iterator<Item = String> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by_key(|row| (!row.is_sure, Reverse(row.documents), Reverse(row.run.half_words()), &row.run));
        let written: Vec<String> = rows.into_iter().map(|row| row.run.written(lexer.mutable())).collect();
        let hash = |digits: usize, written: &str| hashed(&format!("block {written}"), digits);
        let all = written.join("\n");
        let ids: Vec<String> =
            written.iter().map(|row| hash(ID_DIGITS, row)).chain([hash(LONG_ID_DIGITS, &all)]).collect();
        ids.into_iter()
    }

    /// The block as one regex, in the dialect of [`render`]. It matches what the block matches, with the white space
    /// around it.
    pub fn regex(&self, lexer: &Lexer) -> String {
        let edges = Edges::of_runs(self.rows.iter().map(|row| &row.run));
        let mut rows: Vec<(&Row, String)> = self
            .rows
            .iter()
            .map(|row| {
                let regex = render(&row.run, lexer, edges);
                let regex = regex.trim_start_matches("(?m)");
                // White space before a row inside a line.
                let before = if row.run.pieces().first() == Some(&Piece::Break) { "" } else { r"[^\S\n]*" };
                (row, format!("{before}{regex}{NEXT_LINE}"))
            })
            .collect();
        // Of rows that begin alike, the longer one comes first, as in the search for rows.
        rows.sort_by_key(|(row, _)| Reverse(row.run.pieces().len()));
        let any_of = |is_wanted: fn(&Row) -> bool, open: fn(&Row) -> String| {
            let wanted = rows.iter().filter(|(row, _)| is_wanted(row));
            let alternatives: Vec<String> = wanted.map(|(row, regex)| format!("{regex}{}", open(row))).collect();
            format!("(?:{})", alternatives.join("|"))
        };
        let mut regex = "(?m)".to_owned();
        let step = any_of(|_| true, |row| row.between.between());
        let last = any_of(|_| true, |row| row.after.after());
        if self.rows.iter().all(|row| row.is_sure) {
            let _ = write!(regex, "{step}*{last}");
        } else {
            // The rows before the first sure one, then that one, then any.
            let unsure_step = any_of(|row| !row.is_sure, |row| row.between.between());
            let sure_step = any_of(|row| row.is_sure, |row| row.between.between());
            let sure_last = any_of(|row| row.is_sure, |row| row.after.after());
            let _ = write!(regex, "{unsure_step}*(?:{sure_step}{step}*{last}|{sure_last})");
        }
        regex
    }

    /// The same block for another set, with mutable patterns translated by name. `None` if one is missing there.
    pub fn translated(&self, from: &MutableSet, to: &MutableSet) -> Option<Block> {
        let row = |row: &Row| Some(Row { run: row.run.translated(from, to)?, ..row.clone() });
        Some(Block { rows: self.rows.iter().map(row).collect::<Option<_>>()? })
    }
}
