//! Marks in a text: on text that would be removed, with the patterns that remove it, and on text that is kept although
//! a pattern matches it.
//!
//! With colours, removed text is struck out. Without colours, as in a file, it is in brackets. The ids are shown in both
//! cases.

use dehusk_run::explain::{Outcome, TextPart};

use crate::cli::terminal::{Screen, Style};

/// Shown in place of the ids of patterns, for text that is kept.
const KEPT: &str = "kept";

impl Screen {
    /// The text of these parts. Parts that would be removed are marked, and so are parts that are kept although a
    /// pattern matches them. Each marked part is within one line.
    pub fn marked(self, parts: &[TextPart]) -> String {
        let shown = |TextPart { text, outcome }: &TextPart| match outcome {
            Outcome::Goes(ids) => self.mark(text, ["[-", "-]"], Style::Removed, &ids.join(" ")),
            Outcome::Stays => self.mark(text, ["[=", "=]"], Style::Kept, KEPT),
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
