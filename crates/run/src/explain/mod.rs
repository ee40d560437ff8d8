//! Explains why text is removed, and by which pattern.
//!
//! Takes pattern files and texts. Gives plain data, which the caller shows: the parts of a document, each with its
//! outcome ([`Explanation`]), or all matches of one pattern of any status ([`lens`]). It also draws a page with marks
//! ([`drawn`]).

pub mod drawn;
pub mod excerpts;
pub mod lens;
mod passages;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use dehusk_core::cleaning::decide::chance::expected_documents;
use dehusk_core::cleaning::spans::cutting::is_emptied;
use dehusk_core::cleaning::{CleanError, Cleaner, Cleaning, Expected, Scratch, Span};
use dehusk_core::dom::page_parts::PagePart;
use dehusk_core::html::Tree;
use dehusk_core::patterns::{Pattern, PatternFile};
use dehusk_core::stretches::{common, touching};

/// The name given instead of a pattern's id if no pattern matches the removed text.
pub const NO_PATTERN: &str = "no pattern";

/// A part of a text, and what happens to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPart<'t> {
    /// Its text.
    pub text: &'t str,
    /// What happens to it.
    pub outcome: Outcome,
}

/// What happens to a part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The text is removed, for these reasons: the ids of the responsible patterns, in the order of the text; or the
    /// unwanted parts of the article's head; or [`NO_PATTERN`].
    Goes(Vec<String>),
    /// The text is kept, although the requested pattern matches it.
    Stays,
    /// The text is kept, and there is nothing to say about it.
    Unmarked,
}

/// The explanation of a whole document.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation<'t> {
    /// All of its text, in order. No removed part crosses the end of a line.
    pub parts: Vec<TextPart<'t>>,
    /// Number of removed bytes, including white space that is removed with other text.
    pub removed: usize,
    /// The patterns that explain removed bytes: the index in [`Cleaner::patterns`] and the number of bytes, with the
    /// largest number first.
    pub by_pattern: Vec<(usize, usize)>,
    /// The parts of the article's head that the user does not want, each with the number of bytes removed for this
    /// reason.
    pub by_part: Vec<(PagePart, usize)>,
    /// Number of removed bytes that neither a pattern nor a choice of the user explains.
    pub unmatched: usize,
    /// The mean probability that these unmatched bytes are boilerplate, 0..=1, from the scores of their spans. 0 if
    /// there are none.
    pub probability: f32,
    /// The model's estimate of the content in the document, and of the content that is removed.
    pub expected: Expected,
    /// Whether the document has text, and none of it would be left.
    pub is_emptied: bool,
    /// Whether choices of the user for pages have no effect on this document.
    pub ignores_choices: bool,
}

impl<'t> Explanation<'t> {
    /// The explanation of a text, as it would be cleaned.
    ///
    /// # Errors
    /// If the search for a regex that a person wrote was given up.
    pub fn of(text: &'t str, cleaner: &Cleaner) -> Result<Explanation<'t>, CleanError> {
        Ok(Explanation::of_cleaning(text, cleaner, &cleaner.clean(&mut Scratch::default(), text)?))
    }

    /// The explanation of the visible text of a page, as it would be cleaned. `tree` is the page's tree.
    ///
    /// # Errors
    /// As [`Explanation::of`].
    pub fn of_page(text: &'t str, tree: &Tree, cleaner: &Cleaner) -> Result<Explanation<'t>, CleanError> {
        Ok(Explanation::of_cleaning(text, cleaner, &cleaner.clean_page(&mut Scratch::default(), text, tree)?))
    }

    fn of_cleaning(text: &'t str, cleaner: &Cleaner, cleaning: &Cleaning) -> Explanation<'t> {
        let stripped = cleaning.strip(text);
        let (unmatched, probability) = unmatched(cleaning);
        Explanation {
            parts: parts(text, cleaning, cleaner),
            removed: text.len() - stripped.len(),
            unmatched,
            probability,
            expected: cleaning.expected,
            by_pattern: by_pattern(cleaning),
            by_part: by_part(cleaning),
            is_emptied: is_emptied(text, &stripped),
            ignores_choices: cleaning.ignores_choices,
        }
    }
}

/// The words of a pattern in one of these files. If no file has the pattern, its regex.
pub fn in_words(files: &[&PatternFile], pattern: &Pattern) -> String {
    let is_of = |file: &&&PatternFile| file.all().any(|other| other.id == pattern.id && other.regex == pattern.regex);
    files.iter().find(is_of).map_or_else(|| pattern.regex.clone(), |file| file.in_words(pattern))
}

/// The expected number of documents with the pattern, if its occurrences were spread by chance.
pub fn documents_by_chance(pattern: &Pattern) -> f64 {
    expected_documents(pattern.occurrences.max(pattern.documents) as f64, pattern.among as f64)
}

fn parts<'t>(text: &'t str, cleaning: &Cleaning, cleaner: &Cleaner) -> Vec<TextPart<'t>> {
    let unmarked = |range: Range<usize>| TextPart { text: &text[range], outcome: Outcome::Unmarked };
    let mut parts = Vec::new();
    let mut at = 0;
    for span in &cleaning.spans {
        parts.push(unmarked(at..span.range.start));
        at = span.range.start;
        for line in text[span.range.clone()].split_inclusive('\n') {
            let range = at..at + line.len();
            at = range.end;
            parts.push(TextPart { text: line, outcome: Outcome::Goes(reasons(span, &range, cleaning, cleaner)) });
        }
    }
    parts.push(unmarked(at..text.len()));
    parts
}

/// The ids of the patterns that explain a part of a span, in the order of the text. If there are none, another reason.
fn reasons(span: &Span, part: &Range<usize>, cleaning: &Cleaning, cleaner: &Cleaner) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for (_, pattern) in touching(&span.because, part, |(range, _)| range) {
        let id = &cleaner.pattern(*pattern).id;
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    if !ids.is_empty() {
        return ids;
    }
    let mut parts: Vec<PagePart> =
        touching(&cleaning.dropped, part, |(range, _)| range).iter().map(|of| of.1).collect();
    parts.dedup();
    match parts.is_empty() {
        true => vec![NO_PATTERN.to_owned()],
        false => parts.into_iter().map(|part| part.name().to_owned()).collect(),
    }
}

/// Number of removed bytes that neither a pattern nor a choice of the user explains, and the mean probability that they
/// are boilerplate, from the scores of their spans.
fn unmatched(cleaning: &Cleaning) -> (usize, f32) {
    let (mut unmatched, mut sum) = (0, 0.0);
    for span in &cleaning.spans {
        let dropped = touching(&cleaning.dropped, &span.range, |(block, _)| block).iter();
        let dropped: usize = dropped.map(|(block, _)| without_pattern(span, block)).sum();
        let bytes = without_pattern(span, &span.range) - dropped;
        unmatched += bytes;
        sum += bytes as f32 * span.score;
    }
    (unmatched, sum / unmatched.max(1) as f32)
}

/// Number of bytes that are in both the span and the range, and that no pattern explains.
fn without_pattern(span: &Span, range: &Range<usize>) -> usize {
    let explained = touching(&span.because, range, |(range, _)| range).iter();
    let explained: usize = explained.map(|(explained, _)| common(explained, range).len()).sum();
    common(&span.range, range).len() - explained
}

/// Number of removed bytes of each part of the article's head that the user does not want. Bytes that a pattern
/// explains do not count.
fn by_part(cleaning: &Cleaning) -> Vec<(PagePart, usize)> {
    let mut bytes: BTreeMap<PagePart, usize> = BTreeMap::new();
    for (block, part) in &cleaning.dropped {
        let of_part = bytes.entry(*part).or_default();
        for span in touching(&cleaning.spans, block, |span| &span.range) {
            *of_part += without_pattern(span, block);
        }
    }
    bytes.into_iter().filter(|&(_, bytes)| bytes > 0).collect()
}

fn by_pattern(cleaning: &Cleaning) -> Vec<(usize, usize)> {
    let mut bytes: BTreeMap<usize, usize> = BTreeMap::new();
    for (range, pattern) in cleaning.spans.iter().flat_map(|span| &span.because) {
        *bytes.entry(*pattern).or_default() += range.len();
    }
    let mut ranked: Vec<(usize, usize)> = bytes.into_iter().collect();
    ranked.sort_by_key(|&(pattern, bytes)| (Reverse(bytes), pattern));
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::cleaning::CleanOptions;
    use dehusk_core::patterns::LexerCache;

    #[test]
    fn the_parts_are_the_text_line_by_line_with_what_takes_them() {
        let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
                    - {id: a, status: accepted, regex: 'Home\\s+News'}\n  - {id: b, status: accepted, regex: News}\n";
        let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
        let cleaner = Cleaner::new(&[&file], &CleanOptions::default().decision(None));
        let text = "The ferry sailed at dawn, and nobody knew why or until when.\nHome\nNews\n";
        let explained = Explanation::of(text, &cleaner).unwrap();
        assert_eq!(explained.parts.iter().map(|part| part.text).collect::<String>(), text);
        let goes: Vec<(&str, &Outcome)> = explained.parts.iter().map(|part| (part.text, &part.outcome)).collect();
        let by_a = Outcome::Goes(vec!["a".to_owned()]);
        assert_eq!(goes[1..3], [("Home\n", &by_a), ("News", &by_a)]);
        let index = cleaner.patterns().position(|pattern| pattern.id == "a").unwrap();
        assert_eq!((explained.by_pattern, explained.unmatched), (vec![(index, 9)], 0));
        assert!(!explained.is_emptied && explained.removed >= 9);
    }
}
