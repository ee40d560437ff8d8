//! Names for columns.
//!
//! Takes the mined patterns of a source as runs of tokens. Gives a name for each [`VaryingPlace`] in them. The name is
//! made of the template's words about the place. These are the words directly before it, such as `isbn-13` in
//! `ISBN-13: {number}`, or else the words after it, such as `responses` in `{number} responses`. Names depend on the
//! patterns only, and mostly on the place's own pattern. So mining again changes few of them.

use std::collections::HashSet;

use crate::tokens::characters::{half_words, has_word, is_word_character};
use crate::tokens::{MutableSet, Piece, TokenRun};

/// Maximum weight of the words of a name, in half words ([`half_words`]): four words.
const HEAVIEST: usize = 8;
/// The kind of a free stretch.
const FREE: &str = "text";

/// A varying place in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaryingPlace {
    /// The words that describe it. Empty if there are none.
    pub label: String,
    /// Whether the words are those before an earlier place. Only signs are between that place and this one.
    pub is_second: bool,
    /// The kind of text at the place: the name of a mutable pattern, or `text` for a free stretch.
    pub kind: String,
    /// Whether it is a free stretch.
    pub is_free: bool,
}

/// The varying places in a run, in order.
pub fn places(run: &TokenRun, mutable: &MutableSet) -> Vec<VaryingPlace> {
    let kind = |piece: &Piece| match piece {
        // A row of marks is not a value.
        Piece::Slot { id, .. } if mutable.has_marks_only(*id) => None,
        Piece::Slot { id, .. } => Some(mutable.pattern(*id).name.clone()),
        Piece::Free { .. } => Some(FREE.to_owned()),
        Piece::Break | Piece::Literal { .. } => None,
    };
    let place = |(index, piece): (usize, &Piece)| {
        let kind = kind(piece)?;
        let (label, is_second) = label(run.pieces(), index);
        Some(VaryingPlace { label, is_second, kind, is_free: piece.is_free() })
    };
    run.pieces().iter().enumerate().filter_map(place).collect()
}

/// The labels that are used both for free stretches and for mutable patterns, and so mean two things.
pub fn ambiguous<'p>(places: impl Iterator<Item = &'p VaryingPlace>) -> HashSet<String> {
    let (free, mutable): (Vec<&VaryingPlace>, Vec<&VaryingPlace>) =
        places.filter(|place| !place.is_second).partition(|p| p.is_free);
    let free: HashSet<&str> = free.into_iter().map(|place| place.label.as_str()).collect();
    mutable.into_iter().map(|place| &place.label).filter(|label| free.contains(label.as_str())).cloned().collect()
}

/// The names of the places of the pattern with this id, in order. All are different.
pub fn names(places: &[VaryingPlace], id: &str, ambiguous: &HashSet<String>) -> Vec<String> {
    let is_first = |label: &str| places.iter().filter(|place| !place.is_second && place.label == label).count() == 1;
    let name = |VaryingPlace { label, is_second, kind, .. }: &VaryingPlace| match label.as_str() {
        "" => format!("{kind}-{id}"),
        label if !is_second && is_first(label) && !ambiguous.contains(label) => label.to_owned(),
        label => format!("{label}-{kind}"),
    };
    numbered(places.iter().map(name).collect())
}

/// Adds a number to names that are already used.
fn numbered(names: Vec<String>) -> Vec<String> {
    let mut taken = HashSet::new();
    let number = |name: String| {
        let others = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.clone()).chain(others).find(|name| taken.insert(name.clone())).unwrap_or(name)
    };
    names.into_iter().map(number).collect()
}

/// The words that describe the piece at this index, and whether they are those of an earlier place. The words are the
/// first of these that are not empty: the words before the piece in its line, the words after it, the words before an
/// earlier place with only signs in between, the end of the line above.
fn label(pieces: &[Piece], index: usize) -> (String, bool) {
    let beside = || Some(words_before(pieces, index)).filter(|words| !words.is_empty());
    let behind = || Some(words_after(&pieces[index + 1..])).filter(|words| !words.is_empty());
    let own = beside().or_else(behind).map(|words| (words, false));
    let second = || words_before_last(pieces, index).map(|words| (words, true));
    own.or_else(second).unwrap_or_else(|| (words_above(pieces, index), false))
}

/// The last words before a piece, back to the next sign. Signs directly before the piece are skipped.
fn words_before(pieces: &[Piece], index: usize) -> String {
    let start = index - signs_before(pieces, index);
    let words = (0..start).rev().take_while(|&at| is_of_words(&pieces[at], &pieces[at + 1]));
    let mut words = lightest(words.map(|at| &pieces[at]));
    words.reverse();
    written(&words)
}

/// Number of signs directly before a piece, back to a sign that separates it from the text before.
fn signs_before(pieces: &[Piece], index: usize) -> usize {
    let is_beside = |&at: &usize| is_sign(&pieces[at]) && !is_apart(&pieces[at], &pieces[at + 1]);
    (0..index).rev().take_while(is_beside).count()
}

/// The first words after a piece.
fn words_after(pieces: &[Piece]) -> String {
    let next = |at: usize| pieces.get(at + 1).unwrap_or(&Piece::Break);
    let start = (0..pieces.len()).take_while(|&at| is_sign(&pieces[at]) && !is_apart(&pieces[at], next(at))).count();
    let words = (start..pieces.len()).take_while(|&at| is_of_words(&pieces[at], next(at)));
    written(&lightest(words.map(|at| &pieces[at])))
}

/// The words before the preceding place, if only signs are between the two places.
fn words_before_last(pieces: &[Piece], index: usize) -> Option<String> {
    let last = (index - signs_before(pieces, index)).checked_sub(1)?;
    let is_place = matches!(pieces[last], Piece::Slot { .. } | Piece::Free { .. });
    let words = is_place.then(|| words_before(pieces, last))?;
    if words.is_empty() { words_before_last(pieces, last) } else { Some(words) }
}

/// The last words of the line above, if the piece is the first in its line.
fn words_above(pieces: &[Piece], index: usize) -> String {
    let signs = (0..index).rev().take_while(|&at| is_sign(&pieces[at])).count();
    match (index - signs).checked_sub(1) {
        Some(line) if pieces[line] == Piece::Break => words_before(pieces, line),
        _ => String::new(),
    }
}

fn is_sign(piece: &Piece) -> bool {
    matches!(piece, Piece::Literal { .. }) && !piece.is_word()
}

/// Whether it is a word, or a sign inside one, as in `ISBN-13`.
fn is_of_words(piece: &Piece, next: &Piece) -> bool {
    piece.is_word() || (is_sign(piece) && !has_space_before(piece) && !has_space_before(next))
}

/// Whether a sign separates the text around it, as `|` mostly does: there is white space on both sides.
fn is_apart(sign: &Piece, next: &Piece) -> bool {
    has_space_before(sign) && has_space_before(next)
}

fn has_space_before(piece: &Piece) -> bool {
    match piece {
        Piece::Break => true,
        Piece::Slot { space_before, .. } | Piece::Literal { space_before, .. } | Piece::Free { space_before, .. } => {
            *space_before
        }
    }
}

/// The first of these pieces, up to the maximum weight.
fn lightest<'p>(pieces: impl Iterator<Item = &'p Piece>) -> Vec<&'p Piece> {
    let weight = |piece: &Piece| match piece {
        Piece::Literal { text, .. } if has_word(text) => half_words(text),
        _ => 0,
    };
    let within = |sum: &mut usize, piece: &'p Piece| {
        *sum += weight(piece);
        (*sum <= HEAVIEST).then_some(piece)
    };
    pieces.scan(0, within).collect()
}

/// The words in lower case, with `-` for everything between them.
fn written(pieces: &[&Piece]) -> String {
    let mut words = String::new();
    for piece in pieces {
        let Piece::Literal { text, space_before } = piece else { continue };
        if *space_before || !piece.is_word() {
            words.push('-');
        }
        if piece.is_word() {
            words.extend(text.to_lowercase().chars().map(|c| if is_word_character(c) { c } else { '-' }));
        }
    }
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{Lexer, MutablePattern, SymbolSequence, Tokenizer};

    fn lexer() -> Lexer {
        let pattern = |name: &str, regex: &str| MutablePattern { name: name.into(), regex: regex.into() };
        let patterns = vec![pattern("date", "[0-9]{4}-[0-9]{2}"), pattern("number", "[0-9]+")];
        Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(patterns).unwrap()))
    }

    /// The names of a text's places. There is a line break at both ends.
    fn named(text: &str) -> Vec<String> {
        let places = places_in(text);
        names(&places, "1a2b", &ambiguous(places.iter()))
    }

    /// The places in a text. The word `FREE` in it stands for a free stretch.
    fn places_in(text: &str) -> Vec<VaryingPlace> {
        let lexer = lexer();
        let sequence = SymbolSequence::of_texts(&[text], &lexer).unwrap();
        let pieces = sequence.run(0..sequence.tokens()).pieces().to_vec();
        let free = |piece: Piece| match piece {
            Piece::Literal { text, space_before } if &*text == "FREE" => Piece::Free { more: 20, space_before },
            piece => piece,
        };
        places(&TokenRun::new(pieces.into_iter().map(free).collect()).unwrap(), lexer.mutable())
    }

    #[test]
    fn words_before_a_place_name_it() {
        assert_eq!(named("By FREE | Staff writer"), ["by"]);
        assert_eq!(named("Best-of list: 3"), ["best-of-list"]);
        assert_eq!(named("Posted on (2024-05)"), ["posted-on"]);
        assert_eq!(named("Größe ÜBER: 5"), ["größe-über"]);
    }

    #[test]
    fn up_to_the_next_sign() {
        assert_eq!(named("12 Pier Street, Harbour City. Telephone: 555"), ["pier-street", "telephone"]);
        assert_eq!(named("3 responses, and more"), ["responses"]);
        assert_eq!(named("« 3 » replies"), ["number-1a2b"]);
    }

    #[test]
    fn else_words_after_it() {
        assert_eq!(named("3 responses"), ["responses"]);
        assert_eq!(named("Permanent link | 3 responses"), ["responses"]);
        assert_eq!(named("FREE | Staff"), ["text-1a2b"]);
    }

    #[test]
    fn else_those_before_the_place_that_it_follows() {
        assert_eq!(named("Published: 3, 2024-05 (7)"), ["published", "published-date", "published-number"]);
        assert_eq!(named("Published: 3 | 2024-05"), ["published", "date-1a2b"]);
    }

    #[test]
    fn else_the_line_above() {
        assert_eq!(named("ISBN\n5\nPages in all:\n- 7"), ["isbn", "pages-in-all"]);
        assert_eq!(named("News | Sport |\n5"), ["number-1a2b"]);
        assert_eq!(named("Share\n3 likes"), ["likes"]);
    }

    #[test]
    fn four_words_are_enough() {
        assert_eq!(named("All rights have been reserved since 2024"), ["have-been-reserved-since"]);
        assert_eq!(named("5 people have read this story"), ["people-have-read-this"]);
        assert_eq!(named("本報記者張三於香港島報導：FREE"), ["張三於香港島報導"]);
    }

    #[test]
    fn no_two_names_of_a_pattern_are_the_same() {
        assert_eq!(named("3 | 4 | FREE"), ["number-1a2b", "number-1a2b-2", "text-1a2b"]);
        assert_eq!(named("Page 3 of 4 | page 5"), ["page-number", "of", "page-number-2"]);
        assert_eq!(named("Updated 2024-05 | Updated 3"), ["updated-date", "updated-number"]);
        let numbers = |names: &[&str]| numbered(names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(numbers(&["a", "a-2", "a"]), ["a", "a-2", "a-3"]);
    }

    #[test]
    fn names_that_say_two_things_say_which() {
        let (by_line, pages, dated) = (places_in("Von FREE"), places_in("Seite 1 von 2"), places_in("Von 2024-05"));
        let two = ambiguous(by_line.iter().chain(&pages));
        assert_eq!(names(&by_line, "a", &two), ["von-text"]);
        assert_eq!(names(&pages, "b", &two), ["seite", "von-number"]);
        let same = ambiguous(pages.iter().chain(&dated));
        assert_eq!((names(&pages, "b", &same), names(&dated, "c", &same)), (named("Seite 1 von 2"), named("Von 3")));
    }
}
