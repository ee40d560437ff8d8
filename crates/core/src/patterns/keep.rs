//! Texts that are never removed, whatever matches them.
//!
//! A person marks a text that was removed by mistake. The text is written to the pattern file of its source, and is
//! kept in all documents of the source. All white space counts as the same, and a match must not start or end inside a
//! word.

use std::ops::Range;
use std::sync::Arc;

use crate::tokens::characters::is_run_character;

/// A text to keep. Its regex always compiles.
#[derive(Clone, Debug)]
pub struct Keep {
    text: String,
    /// A person's note.
    pub note: String,
    regex: Arc<fancy_regex::Regex>,
}

/// Why a text cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// The text has nothing but white space.
    #[error("the text to keep is empty; write the text, or remove the entry")]
    Empty,
    /// The text is too long for the regex engine.
    #[error("the text to keep is too long to look for ({length} characters); keep parts of it")]
    TooLong {
        /// The length of the text in characters.
        length: usize,
    },
}

impl Keep {
    /// A text with a note.
    pub fn new(text: &str, note: &str) -> Result<Keep, KeepError> {
        let words: Vec<_> = text.split_whitespace().map(fancy_regex::escape).collect();
        if words.is_empty() {
            return Err(KeepError::Empty);
        }
        let too_long = |_| KeepError::TooLong { length: text.chars().count() };
        let regex = Arc::new(fancy_regex::Regex::new(&words.join(r"\s+")).map_err(too_long)?);
        Ok(Keep { text: text.trim().to_owned(), note: note.to_owned(), regex })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The regex that finds it. Check the matches with [`cuts_word`].
    #[doc(hidden)]
    pub fn regex(&self) -> &Arc<fancy_regex::Regex> {
        &self.regex
    }
}

/// Whether a match would start or end inside a word.
pub fn cuts_word(text: &str, found: &Range<usize>) -> bool {
    is_inside_word(text, found.start) || is_inside_word(text, found.end)
}

/// The range, extended to whole words at both ends.
pub fn whole_words(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text[..range.start].chars().rev().take_while(|&c| is_run_character(c)).map(char::len_utf8);
    let after = text[range.end..].chars().take_while(|&c| is_run_character(c)).map(char::len_utf8);
    let start = if is_inside_word(text, range.start) { range.start - before.sum::<usize>() } else { range.start };
    let end = if is_inside_word(text, range.end) { range.end + after.sum::<usize>() } else { range.end };
    start..end
}

fn is_inside_word(text: &str, at: usize) -> bool {
    text[..at].ends_with(is_run_character) && text[at..].starts_with(is_run_character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(keep: &str, text: &str) -> bool {
        let keep = Keep::new(keep, "").unwrap();
        let found = keep.regex().find(text).unwrap();
        found.is_some_and(|found| !cuts_word(text, &found.range()))
    }

    #[test]
    fn white_space_is_all_the_same_and_nothing_else_is() {
        assert!(found(" By the\nsea ", "Read: By  the sea."));
        assert!(found("(a+b)*", "so (a+b)* it is"));
        assert!(!found("By the sea", "by the sea"));
    }

    #[test]
    fn no_word_is_cut() {
        assert!(!found("art", "a party"));
        assert!(found("art", "an art, a party"));
        assert!(found("新聞", "今日新聞社"));
    }

    #[test]
    fn words_are_taken_as_a_whole() {
        assert_eq!(whole_words("a party, today", 4..11), 2..14);
        assert_eq!(whole_words("a party, today", 2..8), 2..8);
    }

    #[test]
    fn a_text_has_something_to_keep() {
        assert!(matches!(Keep::new(" \n", ""), Err(KeepError::Empty)));
    }
}
