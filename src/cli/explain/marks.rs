//! Marks in a text: what would be removed, by which patterns, and what a pattern matches but is kept.
//!
//! With colours, removed text is struck out. Without colours, as in a file, it is in brackets. The ids are shown in both
//! cases.

use dehusk_run::explain::{Outcome, TextPart};

use crate::cli::terminal::{Screen, Style};

/// What is shown in place of an id if nothing is removed.
const KEPT: &str = "kept";

impl Screen {
    /// The parts of a text. Those that would be removed are marked, and those that a pattern matches but that are kept. No
    /// marked part continues after the end of a line.
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
