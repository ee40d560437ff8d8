//! Finds the characters of a text as a reader sees them.
//!
//! Such a character is a base with its marks, an emoji with everything that joiners connect to it, or a flag, which is
//! 2 letters. This is a simple form of Unicode's grapheme clusters (UAX 29). Words and Hangul do not need it, because
//! they are tokenized as runs.

use super::characters::is_mark;

const JOINER: char = '\u{200d}';

/// The end of the character that starts at byte `start`.
pub fn cluster_end(text: &str, start: usize) -> usize {
    let mut end = marked_end(text, start);
    while text[start..end].ends_with(JOINER) && text[end..].starts_with(is_pictograph) {
        end = marked_end(text, end);
    }
    let is_half_flag = |at: usize| text[at..].starts_with(is_flag_letter);
    if is_half_flag(start) && is_half_flag(end) { marked_end(text, end) } else { end }
}

/// The end of one character and the marks on it.
fn marked_end(text: &str, start: usize) -> usize {
    let mut rest = text[start..].chars();
    let first = rest.next().map_or(0, char::len_utf8);
    let marks: usize = rest.take_while(|&c| is_mark(c)).map(char::len_utf8).sum();
    start + first + marks
}

fn is_flag_letter(c: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&c)
}

/// Whether joiners can connect this symbol. This includes old symbols: hearts, gender signs, arrows.
fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> &str {
        &text[..cluster_end(text, 0)]
    }

    #[test]
    fn marks_joiners_and_flags() {
        assert_eq!(first("か\u{3099}く"), "か\u{3099}");
        assert_eq!(first("น้ำมัน"), "น้ำ");
        assert_eq!(first("👩\u{200d}❤\u{fe0f}\u{200d}👩!"), "👩\u{200d}❤\u{fe0f}\u{200d}👩");
        assert_eq!(first("🇯🇵🇫🇷"), "🇯🇵");
        assert_eq!(first("👍🏽👍"), "👍🏽");
        assert_eq!(first("手\u{200d}x"), "手\u{200d}");
        assert_eq!(first(""), "");
    }
}
