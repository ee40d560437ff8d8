//! Decides which separators are removed together with the tokens beside them, if the tokenizer is a class.
//!
//! Takes the text between two tokens. If both tokens are removed, the text between them is removed as well. At an edge
//! of a removed span, marks that touch a kept token are kept with it, as the full stop in `came. Read more`. Other
//! marks are removed, as the bar in `came | Share`. Marks that join both tokens are kept, as the hyphen in `log-in`. At
//! a line break, the marks of a line are removed or kept with the token of that line. A line of marks alone is removed
//! only if the lines on both sides of it are removed.

use std::ops::Range;

/// The text between two tokens, or between a token and an end of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    /// The end of the span, if only the token before the gap is removed.
    end_before: u32,
    /// The start of the span, if only the token after the gap is removed.
    start_after: u32,
}

impl Gap {
    /// The gap between two positions of a text.
    pub(super) fn of(text: &str, range: Range<usize>) -> Gap {
        let between = &text[range.clone()];
        let trimmed_end = |part: &str| range.start + part.trim_end().len();
        let trimmed_start = |part: &str| range.end - part.trim_start().len();
        let (end_before, start_after) = if range.start == 0 || range.end == text.len() {
            (trimmed_end(between), trimmed_start(between))
        } else if let (Some(first), Some(last)) = (between.find('\n'), between.rfind('\n')) {
            (trimmed_end(&between[..first]), trimmed_start(&between[last..]))
        } else if let (Some(first), Some(last)) =
            (between.find(char::is_whitespace), between.rfind(char::is_whitespace))
        {
            (trimmed_end(&between[..last]), trimmed_start(&between[first..]))
        } else {
            (range.start, range.end)
        };
        Gap { end_before: end_before as u32, start_after: start_after as u32 }
    }

    pub(super) fn end_before(self) -> usize {
        self.end_before as usize
    }

    pub(super) fn start_after(self) -> usize {
        self.start_after as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the gap that is removed with the token before it, and the text that is removed with the token after
    /// it. The gap is between brackets.
    fn goes(marked: &str) -> (String, String) {
        let (before, rest) = marked.split_once('[').unwrap();
        let (between, after) = rest.rsplit_once(']').unwrap();
        let text = [before, between, after].concat();
        let range = before.len()..before.len() + between.len();
        let gap = Gap::of(&text, range.clone());
        (text[range.start..gap.end_before()].to_owned(), text[gap.start_after()..range.end].to_owned())
    }

    fn expect(before: &str, after: &str) -> (String, String) {
        (before.to_owned(), after.to_owned())
    }

    #[test]
    fn marks_stay_with_the_word_that_they_touch() {
        assert_eq!(goes("came[. ]Read"), expect(".", ""));
        assert_eq!(goes("came[ (]more"), expect("", "("));
        assert_eq!(goes("came[. (]more"), expect(".", "("));
        assert_eq!(goes("log[-]in"), expect("", ""));
        assert_eq!(goes("a[ ]b"), expect("", ""));
    }

    #[test]
    fn marks_that_touch_no_word_go() {
        assert_eq!(goes("came[ | ]Share"), expect(" |", "| "));
        assert_eq!(goes("came[. -- ]Share"), expect(". --", "-- "));
    }

    #[test]
    fn at_a_line_break_each_line_keeps_its_marks() {
        assert_eq!(goes("came[ |\n- ]Share"), expect(" |", "- "));
        assert_eq!(goes("came[.\n---\n- ]Share"), expect(".", "- "));
    }

    #[test]
    fn at_the_ends_of_the_document_all_marks_go() {
        assert_eq!(goes("[---\n- ]Share"), expect("---\n-", "---\n- "));
        assert_eq!(goes("Share[ |\n---\n]"), expect(" |\n---", "|\n---\n"));
    }
}
