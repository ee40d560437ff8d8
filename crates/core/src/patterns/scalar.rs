//! Strings in a pattern file.

use std::fmt::Write as _;

/// Writes a string: plain if YAML reads the plain text back as this string, else quoted.
pub(super) fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_keyword =
        ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_lowercase().as_str());
    let starts_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts_plain && text.chars().all(is_plain) && !is_keyword { text.to_owned() } else { quoted(text) }
}

/// Writes a string in single quotes if every character is printable, else in double quotes with escapes.
pub(super) fn quoted(text: &str) -> String {
    if text.chars().all(prints) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if prints(c) => quoted.push(c),
            _ if (c as u32) <= 0xffff => drop(write!(quoted, "\\u{:04x}", c as u32)),
            _ => drop(write!(quoted, "\\U{:08x}", c as u32)),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether the character is visible and editors do not change it: it is not a control character, and not invisible
/// white space or an invisible mark.
pub(super) fn prints(c: char) -> bool {
    let is_invisible = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    matches!(c, ' '..='~')
        || !(c.is_control() || c.is_whitespace() || is_invisible || ('\u{fff0}'..='\u{ffff}').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_need_quotes_get_them() {
        assert_eq!(scalar("example.com"), "example.com");
        assert_eq!(scalar("2024"), "'2024'");
        assert_eq!(scalar("No"), "'No'");
        assert_eq!(quoted("a\u{a0}\u{200b}\"\n"), "\"a\\u00a0\\u200b\\\"\\n\"");
    }
}
