//! Marks in a text: what would go, what a pattern matches and stays, and the ids behind it.
//!
//! Colours show what goes as struck out. Without them, and so in a file, brackets do. The ids stand there either way.

use dehusk::explain::{Outcome, TextPart};

use crate::cli::terminal::{Screen, Style};

/// What stands for an id where nothing goes.
const STAYS: &str = "stays";

impl Screen {
    /// Parts of a text, those that would go marked, and those that a pattern matches and that stay. No part that is marked
    /// runs over a line's end.
    pub fn marked(self, parts: &[TextPart]) -> String {
        let shown = |TextPart { text, outcome }: &TextPart| match outcome {
            Outcome::Goes(ids) => self.mark(text, ["[-", "-]"], Style::Removed, &ids.join(" ")),
            Outcome::Stays => self.mark(text, ["[=", "=]"], Style::Kept, STAYS),
            Outcome::Unmarked => self.harmless(text).into_owned(),
        };
        parts.iter().map(shown).collect()
    }

    fn mark(self, text: &str, brackets: [&str; 2], style: Style, why: &str) -> String {
        let content = text.trim();
        if content.is_empty() {
            return self.harmless(text).into_owned();
        }
        let before = text.len() - text.trim_start().len();
        let [before, after] = [&text[..before], &text[before + content.len()..]].map(|blank| self.harmless(blank));
        let [open, close] = if self.has_colours() { ["", ""] } else { brackets };
        let content = self.paint(style, &format!("{open}{}{close}", self.harmless(content)));
        let why = self.paint(Style::Faint, &format!("{{{}}}", self.on_one_line(why)));
        format!("{before}{content}{why}{after}")
    }
}
