//! Where text can be cut between two tokens.
//!
//! A person cuts text between sentences, at separators and before brackets, but not inside a sentence, and not between a
//! word and its full stop. No word list is used, only the characters and the white space between them.

use super::TokenKind;

/// The properties of a token that decide about a cut before or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joint {
    kind: JointKind,
    space_before: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JointKind {
    /// A line break, or an end of the document.
    Break,
    /// A word, or a match of a mutable pattern.
    Word,
    /// Ends a statement.
    FullStop,
    /// Ends a sentence in another way.
    Stop,
    /// A closing bracket or quotation mark.
    Closing,
    /// An opening bracket or quotation mark.
    Opening,
    /// A quotation mark that can open or close, or an apostrophe.
    Quote,
    /// Joins the words on both sides, as a comma does.
    Joining,
    /// Any other character, or a row of them: a bar, a dash, a bullet.
    Separator,
}

use JointKind::{Break, Closing, FullStop, Joining, Opening, Quote, Separator, Stop, Word};

impl Joint {
    /// The joint of a token with this text. The text of a line break or a match of a mutable pattern is ignored.
    pub fn of(kind: TokenKind, text: &str, space_before: bool) -> Joint {
        let kind = match kind {
            TokenKind::Break => Break,
            TokenKind::Word | TokenKind::Mutable(_) => Word,
            TokenKind::Marks(_) => Separator,
            TokenKind::Character => match text {
                "." | "।" | "॥" | "۔" | "។" | "。" | "｡" | "．" | "။" => FullStop,
                "!" | "?" | "…" | "؟" | "！" | "？" => Stop,
                ")" | "]" | "}" | "”" | "»" | "」" | "』" | "）" | "】" => Closing,
                "(" | "[" | "{" | "“" | "«" | "「" | "『" | "（" | "【" => Opening,
                "\"" | "'" | "’" | "‘" => Quote,
                "," | ";" | "&" | "/" | "@" | "、" | "，" | "；" | "،" | "؛" => Joining,
                _ => Separator,
            },
        };
        Joint { kind, space_before }
    }

    /// Whether it is a word or a match of a mutable pattern.
    pub fn is_word(self) -> bool {
        self.kind == Word
    }

    /// Whether it ends a statement.
    pub fn is_full_stop(self) -> bool {
        self.kind == FullStop
    }

    /// Whether a text that starts with this token is set off from the text before.
    pub fn opens(self) -> bool {
        matches!(self.kind, Break | Opening | Separator)
    }

    /// Whether a text that ends with this token is set off from the text after.
    pub fn closes(self) -> bool {
        matches!(self.kind, Break | Closing | Separator | FullStop | Stop)
    }

    /// Whether it separates the parts of a list.
    pub fn is_separator(self) -> bool {
        self.kind == Separator && self.space_before
    }

    /// Whether text can be cut between this token and the next one.
    pub fn can_cut_before(self, next: Joint) -> bool {
        match (self.kind, next.kind) {
            (Break, _) | (_, Break) => true,
            (_, FullStop | Stop | Closing) | (Opening, _) => false,
            // A quotation mark closes if white space is only after it, and opens if it is only before it.
            (Quote, _) => next.space_before && !self.space_before,
            (_, Quote) => next.space_before,
            (FullStop | Stop | Closing, _) | (_, Opening) => next.space_before,
            (Joining, _) | (_, Joining) => false,
            (Separator, _) | (_, Separator) => next.space_before,
            (Word, Word) => false,
        }
    }

    /// Whether this token always belongs to the text before it.
    pub fn adheres_to_text_before(self) -> bool {
        matches!(self.kind, FullStop | Stop | Closing) || !self.space_before && matches!(self.kind, Joining | Quote)
    }

    /// Whether this token always belongs to the text after it.
    pub fn adheres_to_text_after(self) -> bool {
        self.kind == Opening || self.space_before && self.kind == Quote
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// The joints of a text, the line breaks at its ends included.
    fn joints(text: &str) -> Vec<(Joint, String)> {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let joint = |token: &crate::tokens::Token| {
            let written = &text[token.range()];
            (Joint::of(token.kind, written, token.space_before), written.trim().to_owned())
        };
        lexer.tokens(text).iter().map(joint).collect()
    }

    /// The parts of a text, cut wherever it can be cut.
    fn cut(text: &str) -> Vec<String> {
        let joints = joints(text);
        let mut parts: Vec<String> = vec![String::new()];
        for (at, (joint, written)) in joints.iter().enumerate() {
            if at > 0 && joints[at - 1].0.can_cut_before(*joint) {
                parts.push(String::new());
            }
            if let Some(part) = parts.last_mut() {
                part.push_str(if joint.space_before && !part.is_empty() { " " } else { "" });
                part.push_str(written);
            }
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    #[test]
    fn sentences_are_cut_after_their_stops_and_not_inside() {
        assert_eq!(cut("The ferry came, late. Who knew? Nobody!"), ["The ferry came, late.", "Who knew?", "Nobody!"]);
        assert_eq!(cut("雨です。 晴れです。"), ["雨です。", "晴れです。"]);
        assert_eq!(cut("v1.5 of it"), ["v1.5 of it"]);
    }

    #[test]
    fn lists_are_cut_at_their_separators() {
        assert_eq!(cut("Home | News | Sport"), ["Home", "|", "News", "|", "Sport"]);
        assert_eq!(cut("well-known and/or R&D"), ["well-known and/or R&D"]);
    }

    #[test]
    fn brackets_stay_with_what_they_enclose() {
        assert_eq!(cut("The ferry (a boat) came."), ["The ferry", "(a boat)", "came."]);
        assert_eq!(cut("call(it)"), ["call(it)"]);
    }

    #[test]
    fn a_quotation_mark_opens_or_closes_by_the_white_space_beside_it() {
        assert_eq!(cut("He said: \"Go.\" They went."), ["He said:", "\"Go.\"", "They went."]);
        assert_eq!(cut("the ferry's men"), ["the ferry's men"]);
    }

    #[test]
    fn lines_are_cut_everywhere() {
        assert_eq!(cut("Home\n, News\n"), ["Home", ", News"]);
    }

    #[test]
    fn marks_adhere_to_the_text_that_they_belong_to() {
        let adhering = |text: &str, adheres: fn(Joint) -> bool| {
            let joints = joints(text);
            joints.into_iter().filter(|(joint, _)| adheres(*joint)).map(|(_, written)| written).collect::<Vec<String>>()
        };
        let text = "a, b. c | d (e) \"f\" g!";
        assert_eq!(adhering(text, Joint::adheres_to_text_before), [",", ".", ")", "\"", "!"]);
        assert_eq!(adhering(text, Joint::adheres_to_text_after), ["(", "\""]);
    }

    #[test]
    fn what_opens_and_closes_is_set_off() {
        let set_off = |text: &str| {
            let joints = joints(text);
            let (joint, _) = joints[1];
            [joint.opens(), joint.closes(), joint.is_separator(), joint.is_full_stop(), joint.is_word()]
        };
        assert_eq!(set_off(" | "), [true, true, true, false, false]);
        assert_eq!(set_off("("), [true, false, false, false, false]);
        assert_eq!(set_off("."), [false, true, false, true, false]);
        assert_eq!(set_off("?"), [false, true, false, false, false]);
        assert_eq!(set_off("word"), [false, false, false, false, true]);
        assert_eq!(set_off("2024-03-05"), [false, false, false, false, true]);
    }
}
