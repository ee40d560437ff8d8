//! Marks in a text: what would go, what a pattern matches and stays, and the ids behind it.
//!
//! Colours show what goes as struck out. Without them, and so in a file, brackets do. The ids stand there either way.

use std::ops::Range;

use dehusk::cleaning::{Cleaner, Span};

use super::stretches::touching;
use crate::cli::terminal::{Screen, Style};

/// What stands for an id where no pattern matches.
pub const BY_SHAPE: &str = "shape";
/// What stands for an id where nothing goes.
const STAYS: &str = "stays";

/// How text is marked on a screen.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    /// Where it is shown.
    pub screen: Screen,
}

impl Marks {
    /// Text of a line that would be removed, and the ids of the patterns that say so.
    pub fn removed(self, text: &str, ids: &[&str]) -> String {
        self.marked(text, ["[-", "-]"], Style::Removed, &ids.join(" "))
    }

    /// Text of a line that a pattern matches and that stays.
    pub fn kept(self, text: &str) -> String {
        self.marked(text, ["[=", "=]"], Style::Kept, STAYS)
    }

    fn marked(self, text: &str, brackets: [&str; 2], style: Style, why: &str) -> String {
        let content = text.trim();
        if content.is_empty() {
            return self.screen.harmless(text).into_owned();
        }
        let before = text.len() - text.trim_start().len();
        let [before, after] =
            [&text[..before], &text[before + content.len()..]].map(|blank| self.screen.harmless(blank));
        let [open, close] = if self.screen.has_colours() { ["", ""] } else { brackets };
        let content = self.screen.paint(style, &format!("{open}{}{close}", self.screen.harmless(content)));
        let why = self.screen.paint(Style::Faint, &format!("{{{}}}", self.screen.on_one_line(why)));
        format!("{before}{content}{why}{after}")
    }
}

/// The ids of the patterns that explain a part of a span, in the order in which they stand there.
pub fn ids<'c>(span: &Span, part: &Range<usize>, cleaner: &'c Cleaner) -> Vec<&'c str> {
    let mut ids: Vec<&str> = Vec::new();
    for (_, pattern) in touching(&span.because, part, |(range, _)| range) {
        let id = cleaner.patterns()[*pattern].id.as_str();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() {
        ids.push(BY_SHAPE);
    }
    ids
}
