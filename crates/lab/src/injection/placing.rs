//! The places where a template can be inserted in a text, and the insertion.

use std::ops::Range;

use serde::Serialize;

/// Where a template is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Insertion {
    /// The first line.
    Head,
    /// The last line.
    Tail,
    /// A line between two lines of the text.
    Line,
    /// Inside a line, between two sentences.
    BetweenSentences,
    /// Inside a line, between two words of a sentence.
    MidSentence,
}

impl Insertion {
    /// All places.
    pub const ALL: [Insertion; 5] =
        [Insertion::Head, Insertion::Tail, Insertion::Line, Insertion::BetweenSentences, Insertion::MidSentence];

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Insertion::Head => "head",
            Insertion::Tail => "tail",
            Insertion::Line => "line",
            Insertion::BetweenSentences => "between sentences",
            Insertion::MidSentence => "mid-sentence",
        }
    }

    /// The byte positions before which a template can be inserted.
    pub fn positions(self, text: &str) -> Vec<usize> {
        match self {
            Insertion::Head => line_starts(text).take(1).collect(),
            Insertion::Tail => (!text.trim().is_empty()).then(|| text.trim_end().len()).into_iter().collect(),
            Insertion::Line => line_starts(text).skip(1).collect(),
            Insertion::BetweenSentences => word_starts(text).filter(|&at| ends_sentence(&text[..at])).collect(),
            Insertion::MidSentence => {
                word_starts(text).filter(|&at| text[..at].trim_end().ends_with(char::is_alphabetic)).collect()
            }
        }
    }

    /// Inserts a template at one of these positions. Returns the text and the inserted bytes: the template with the
    /// white space that separates it.
    pub fn insert(self, text: &str, at: usize, template: &str) -> (String, Range<usize>) {
        let break_ = line_break(text);
        let inserted = match self {
            Insertion::Head | Insertion::Line => format!("{template}{break_}"),
            Insertion::Tail => format!("{break_}{template}"),
            Insertion::BetweenSentences | Insertion::MidSentence => format!("{template} "),
        };
        let range = at..at + inserted.len();
        ([&text[..at], &inserted, &text[at..]].concat(), range)
    }
}

/// The starts of lines that are not blank.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.filter(|&at| text[at..].lines().next().is_some_and(|line| !line.trim().is_empty()))
}

/// The starts of words (letters, digits, quotes) with a single space before them.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let is_start = |at: usize| {
        let starts_word = text[at..].starts_with(|c: char| c.is_alphanumeric() || "“\"'‘(".contains(c));
        starts_word && text[..at - 1].ends_with(|c: char| !c.is_whitespace())
    };
    text.match_indices(' ').map(|(at, _)| at + 1).filter(move |&at| is_start(at))
}

fn ends_sentence(before: &str) -> bool {
    let before = before.trim_end().trim_end_matches(['”', '"', '’', '\'', ')']);
    // An initial or "Mr." does not end a sentence. Four lower-case letters before the full stop most likely do.
    let last_word = before.trim_end_matches(['.', '!', '?']);
    last_word.len() < before.len() && last_word.chars().rev().take(4).all(char::is_lowercase)
}

/// The separator of lines in the text: a blank line if it has any.
fn line_break(text: &str) -> &'static str {
    if text.trim().contains("\n\n") { "\n\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "A title\n\nThe first sentence. The second by Mr. Bean.\nThe third one.\n";

    fn inserted(place: Insertion) -> Vec<String> {
        place.positions(TEXT).into_iter().map(|at| place.insert(TEXT, at, "#").0).collect()
    }

    #[test]
    fn templates_stand_where_they_should() {
        assert_eq!(inserted(Insertion::Head), [format!("#\n\n{TEXT}")]);
        assert_eq!(inserted(Insertion::Tail), [TEXT.trim_end().to_owned() + "\n\n#\n"]);
        assert_eq!(
            inserted(Insertion::Line),
            [TEXT.replacen("The first", "#\n\nThe first", 1), TEXT.replacen("The third", "#\n\nThe third", 1)]
        );
        assert_eq!(inserted(Insertion::BetweenSentences), [TEXT.replacen("The second", "# The second", 1)]);
        assert_eq!(inserted(Insertion::MidSentence).len(), 8);
    }

    #[test]
    fn what_was_put_in_and_the_text_are_the_whole() {
        for place in Insertion::ALL {
            for at in place.positions(TEXT) {
                let (text, range) = place.insert(TEXT, at, "Follow us");
                assert_eq!(text[range.clone()].trim(), "Follow us");
                assert_eq!([&text[..range.start], &text[range.end..]].concat(), TEXT);
            }
        }
    }
}
