//! Cuts in a text. Cleaning makes them, and pages are written with them.

use std::ops::Range;

/// A stretch of a text to remove, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut<'r> {
    /// The bytes to remove.
    pub range: Range<usize>,
    /// The text to insert instead.
    pub replacement: &'r str,
}

/// The text with the cuts made. They must be sorted, disjoint, and on character boundaries.
pub fn strip(text: &str, cuts: &[Cut]) -> String {
    let mut stripped = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        stripped.push_str(&text[at..cut.range.start]);
        stripped.push_str(cut.replacement);
        at = cut.range.end;
    }
    stripped.push_str(&text[at..]);
    stripped
}
