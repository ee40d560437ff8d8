//! Names and messages as they are shown, on a terminal or a page.
//!
//! A file or a source may have any name. A control character in a name can control a terminal. A character that changes
//! the direction of writing can make the name, and the text beside it, look like something else.

use std::borrow::Cow;

/// Whether the character changes how the text around it is shown: a control character, a line end, or one that changes
/// the direction of writing (Unicode's `Bidi_Control`).
pub fn misleads(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The name, with each character that [`misleads`] written as an escape, such as `\u{202e}`.
pub fn shown(name: &str) -> Cow<'_, str> {
    if !name.contains(misleads) {
        return Cow::Borrowed(name);
    }
    let escaped = |c: char| if misleads(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(name.chars().map(escaped).collect())
}

/// A size for people, such as `12.3 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// The lines of a text as one line.
pub fn in_one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<&str>>().join(" ")
}

/// A number and its noun, such as `1 document` or `2 documents`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_the_text_around_it_is_escaped() {
        assert_eq!(shown("a\u{202e}moc.b\u{2066}\u{200f}\n"), "a\\u{202e}moc.b\\u{2066}\\u{200f}\\n");
        for name in ["Käse", "صحيفة", "עיתון", "می\u{200c}خواهم"] {
            assert!(matches!(shown(name), Cow::Borrowed(_)), "{name}");
        }
    }
}
