//! Runs the patterns that a person wrote or edited on the regex engine.
//!
//! It would be slow to run every regex on every document. But most regexes match only if the document contains a fixed
//! text (`needed`), such as `Share on Facebook` or `Share on Twitter`. One Aho-Corasick automaton searches for the
//! texts of all regexes in a single pass. Then only the regexes that may match are run.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use fancy_regex::{Expr, LookAround, Regex};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::search::Watched;
use crate::patterns::ForeignRegex;

/// Regexes that are searched together.
#[derive(Debug)]
pub struct Regexes {
    /// The regexes, each with its pattern's index.
    regexes: Vec<(usize, ForeignRegex)>,
    /// Whether each regex must always be run, because it is unknown which texts its matches need.
    needs_nothing: Vec<bool>,
    /// Searches for the texts of the other regexes. A regex can match only if at least one of its texts is found.
    texts: AhoCorasick,
    /// For each text, the index in `regexes` of the regex that needs it.
    needed_by: Vec<usize>,
}

/// The search for a regex was given up.
#[derive(Debug)]
pub struct GaveUp {
    /// Its pattern's index.
    pub pattern: usize,
    /// Why it was given up.
    pub source: MatchError,
}

/// Why not all matches of a regex were found.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The error of the regex engine.
    #[error(transparent)]
    Engine(#[from] Box<fancy_regex::Error>),
    /// Finding all matches would take time quadratic in the text.
    #[error("its matches are so long that a search for all of them would take too much time")]
    TooLong,
    /// The caller stopped the search.
    #[error("the search for its matches was stopped")]
    Stopped,
}

impl Regexes {
    /// Prepares regexes, each given with its pattern's index.
    pub fn new(regexes: Vec<(usize, ForeignRegex)>) -> Regexes {
        let needed: Vec<Option<Texts>> = regexes.iter().map(|(_, regex)| needed(regex.as_str())).collect();
        let of_regex = |(regex, texts): (usize, Texts)| texts.into_iter().map(move |text| (text, regex));
        let needs_nothing = needed.iter().map(Option::is_none).collect();
        let named = needed.into_iter().enumerate().filter_map(|(regex, texts)| Some((regex, texts?)));
        let (texts, needed_by): (Vec<String>, Vec<usize>) = named.flat_map(of_regex).unzip();
        match AhoCorasick::builder().ascii_case_insensitive(true).build(texts) {
            Ok(texts) => Regexes { regexes, needs_nothing, texts, needed_by },
            // There are too many texts for the automaton, so all regexes are always run.
            Err(_) => Regexes { needs_nothing: vec![true; regexes.len()], regexes, ..Regexes::default() },
        }
    }

    /// Calls `visit` with the bytes and the pattern of each match of each regex. Fails if the regex engine gives up, if
    /// finding all matches would take too long, or once `go_on` returns false.
    pub fn find(
        &self,
        text: &str,
        go_on: &dyn Fn() -> bool,
        mut visit: impl FnMut(Range<usize>, usize),
    ) -> Result<(), GaveUp> {
        if self.regexes.is_empty() {
            return Ok(());
        }
        let may_match = self.may_match(text);
        for ((pattern, regex), _) in self.regexes.iter().zip(may_match).filter(|(_, may_match)| *may_match) {
            let gave_up = |source| GaveUp { pattern: *pattern, source };
            let compiled = regex.compiled().map_err(|error| gave_up(error.into()))?;
            let matches = matches_reading(compiled, &Watched::new(text, go_on), most_read(text)).map_err(gave_up)?;
            matches.into_iter().for_each(|range| visit(range, *pattern));
        }
        Ok(())
    }

    fn may_match(&self, text: &str) -> Vec<bool> {
        let mut may_match = self.needs_nothing.clone();
        if !self.needed_by.is_empty() {
            for found in self.texts.find_overlapping_iter(text) {
                may_match[self.needed_by[found.pattern().as_usize()]] = true;
            }
        }
        may_match
    }
}

impl Default for Regexes {
    fn default() -> Regexes {
        Regexes::new(Vec::new())
    }
}

/// All matches of a regex that a person wrote: one for each position at which it can start, without empty ones. Fails
/// if the regex engine gives up, or if the text would have to be read too often.
pub fn regex_matches(regex: &Regex, text: &str) -> Result<Vec<Range<usize>>, MatchError> {
    matches_reading(regex, &Watched::new(text, &|| true), most_read(text))
}

/// Number of bytes that a search may read, however short the text is.
const FREELY_READ: usize = 1 << 28;
/// In addition, a search may read the text this many times. So if a match starts at every position of a long text, the
/// mean length of the matches may be about this number.
const MOST_OFTEN_READ: usize = 1000;

fn most_read(text: &str) -> usize {
    FREELY_READ + MOST_OFTEN_READ * text.len()
}

/// The matches, without white space at their ends. Fails if all matches and the gaps before them together have more
/// than `most` bytes.
fn matches_reading(regex: &Regex, watched: &Watched, most: usize) -> Result<Vec<Range<usize>>, MatchError> {
    let text = watched.text();
    let mut matches: Vec<Range<usize>> = Vec::new();
    let (mut from, mut read) = (0, 0);
    while from <= text.len() {
        let Some(found) = watched.find(regex, from)? else { break };
        read += found.end.saturating_sub(from);
        if read > most {
            return Err(MatchError::TooLong);
        }
        let range = trim(text, found.clone());
        if !range.is_empty() && matches.last() != Some(&range) {
            matches.push(range);
        }
        // `\K` in a look-around can make a match begin before the position where the search started.
        let start = found.start.max(from);
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    Ok(matches)
}

/// The range without the white space at both ends.
pub(crate) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let found = &text[range.clone()];
    let start = range.start + (found.len() - found.trim_start().len());
    start..start.max(range.start + found.trim_end().len())
}

/// Texts with ASCII letters in lower case. The search ignores case.
type Texts = BTreeSet<String>;

/// Maximum number of texts for an expression. If an expression has more, other parts of the regex are used.
const FEW: usize = 8;
/// Minimum length of a text in bytes. Nearly every document has a shorter one.
const SHORTEST: usize = 2;

/// A set of texts. Every document in which the regex matches contains at least one of them. `None` if no such set is
/// known.
fn needed(regex: &str) -> Option<Texts> {
    // Control verbs such as `(*ACCEPT)` let a regex match without all of its parts.
    if regex.contains("(*") {
        return None;
    }
    let tree = Expr::parse_tree(regex).ok()?;
    needed_by(&tree.expr).filter(|texts| shortest(texts) >= SHORTEST)
}

/// A set of texts. Every document in which the expression matches contains at least one of them. `None` if no such set
/// is known.
fn needed_by(expr: &Expr) -> Option<Texts> {
    match expr {
        Expr::Literal { .. } | Expr::Delegate { .. } => all_of(expr),
        Expr::Group(inner) => needed_by(inner),
        Expr::AtomicGroup(inner) => needed_by(inner),
        Expr::Repeat { child, lo: 1.., .. } => needed_by(child),
        Expr::LookAround(inner, LookAround::LookAhead | LookAround::LookBehind) => needed_by(inner),
        Expr::Alt(branches) => {
            let texts: Option<Vec<Texts>> = branches.iter().map(needed_by).collect();
            Some(texts?.into_iter().flatten().collect())
        }
        Expr::Concat(parts) => {
            let stretches = stretches(parts).into_iter();
            let best_first = |texts: &Texts| (shortest(texts), std::cmp::Reverse(texts.len()));
            stretches.chain(parts.iter().filter_map(needed_by)).max_by_key(best_first)
        }
        _ => None,
    }
}

/// Joins neighbouring parts that have few possible texts. Returns the possible texts of each such stretch.
fn stretches(parts: &[Expr]) -> Vec<Texts> {
    let mut stretches = vec![Texts::from([String::new()])];
    for part in parts {
        let last = stretches.len() - 1;
        match all_of(part) {
            Some(texts) => match joined(&stretches[last], &texts) {
                Some(joined) => stretches[last] = joined,
                None => stretches.push(texts),
            },
            None => stretches.push(Texts::from([String::new()])),
        }
    }
    stretches
}

/// All texts that the expression can match, if they are known and few.
fn all_of(expr: &Expr) -> Option<Texts> {
    let nothing = || Texts::from([String::new()]);
    match expr {
        Expr::Empty | Expr::Assertion(_) | Expr::LookAround(..) | Expr::KeepOut => Some(nothing()),
        Expr::Literal { val, casei } => {
            val.chars().try_fold(nothing(), |texts, c| joined(&texts, &cases_of(c, *casei)?))
        }
        Expr::Delegate { inner, casei } => characters(&if *casei { format!("(?i:{inner})") } else { inner.clone() }),
        Expr::Group(inner) => all_of(inner),
        Expr::AtomicGroup(inner) => all_of(inner),
        Expr::Repeat { child, lo: 0, hi: 1, .. } => few(&all_of(child)? | &nothing()),
        Expr::Concat(parts) => parts.iter().try_fold(nothing(), |texts, part| joined(&texts, &all_of(part)?)),
        Expr::Alt(branches) => branches.iter().try_fold(Texts::new(), |texts, part| few(&texts | &all_of(part)?)),
        _ => None,
    }
}

/// Each of `texts` followed by each of `others`. `None` if there are too many results.
fn joined(texts: &Texts, others: &Texts) -> Option<Texts> {
    if texts.len() * others.len() > FEW {
        return None;
    }
    Some(texts.iter().flat_map(|text| others.iter().map(move |other| text.clone() + other)).collect())
}

fn few(texts: Texts) -> Option<Texts> {
    (texts.len() <= FEW).then_some(texts)
}

fn shortest(texts: &Texts) -> usize {
    texts.iter().map(String::len).min().unwrap_or(0)
}

/// The character as a text. If case is ignored, also the characters that differ from it only in case.
fn cases_of(c: char, is_any_case: bool) -> Option<Texts> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    if is_any_case {
        class.try_case_fold_simple().ok()?;
    }
    few_characters(&class)
}

/// The characters of a class as written in a regex, if they are few.
fn characters(class: &str) -> Option<Texts> {
    match regex_syntax::parse(class).ok()?.into_kind() {
        HirKind::Literal(literal) => Some(Texts::from([std::str::from_utf8(&literal.0).ok()?.to_ascii_lowercase()])),
        HirKind::Class(Class::Unicode(class)) => few_characters(&class),
        _ => None,
    }
}

fn few_characters(class: &ClassUnicode) -> Option<Texts> {
    // Twice as many, because both cases of a letter become one text.
    if class.iter().map(ClassUnicodeRange::len).sum::<usize>() > 2 * FEW {
        return None;
    }
    let characters = class.iter().flat_map(|range| range.start()..=range.end());
    few(characters.map(|c| c.to_ascii_lowercase().to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_to_the_end_from_everywhere_is_given_up() {
        let all = Regex::new("(?s).+").unwrap();
        let text = "x".repeat(100);
        let watched = Watched::new(&text, &|| true);
        assert_eq!(matches_reading(&all, &watched, 5050).unwrap().len(), 100);
        assert!(matches!(matches_reading(&all, &watched, 5049), Err(MatchError::TooLong)));
        let each = Regex::new("x").unwrap();
        assert_eq!(matches_reading(&each, &watched, 100).unwrap().len(), 100);
    }

    #[test]
    fn what_no_document_needs_is_not_compiled() {
        let own = ["Share on (?:Facebook|Twitter)", "Read more: .+", r"\d+ (?=Ocean)"];
        let own = own.map(|regex| ForeignRegex::new(regex).unwrap());
        let regexes = Regexes::new(own.iter().cloned().enumerate().collect());
        let mut found = Vec::new();
        regexes.find("SHARE ON us. Read more: now.", &|| true, |range, pattern| found.push((range, pattern))).unwrap();
        assert_eq!(found, [(13..28, 1)]);
        assert_eq!(own.map(|regex| regex.is_compiled()), [false, true, false]);
    }

    fn texts(regex: &str) -> String {
        needed(regex).map_or("?".to_owned(), |texts| texts.into_iter().collect::<Vec<_>>().join("|"))
    }

    #[test]
    fn what_regexes_of_people_need() {
        assert_eq!(texts(r"(?m)^Share on (?:Facebook|Twitter).*$"), "share on facebook|share on twitter");
        assert_eq!(texts(r"Read more:\s+[^\n]{3,80}"), "read more:");
        assert_eq!(texts(r"(?i)copyright ©? \d{4}"), "copyright  |copyright © ");
        assert_eq!(texts(r"Photo(?:graph)? by [A-Z]\w+ [A-Z]\w+"), "photo by |photograph by ");
        assert_eq!(texts(r"(?<!\S)\d+ (comments|replies)(?!\w)"), " comments| replies");
        assert_eq!(texts(r"\b[Bb]y (?=\w+ Reuters)"), " reuters");
        assert_eq!(texts(r"(?:Mon|Tues|Wednes)day|(Sun|Satur)day"), "monday|saturday|sunday|tuesday|wednesday");
    }

    #[test]
    fn letters_have_more_cases_than_two() {
        assert_eq!(texts("(?i)ask"), "ask|as\u{212a}|a\u{17f}k|a\u{17f}\u{212a}");
        assert_eq!(texts("(?i)не"), "НЕ|Не|нЕ|не");
    }

    #[test]
    fn where_nothing_is_certain_nothing_is_needed() {
        for regex in [
            r"\w+@\w+",
            "(?:foo)?",
            "foo|",
            "foo|\\d+",
            "(?!foo)x",
            "(?<!foo)",
            "(foo)?(?(1)bar|baz)",
            "(*ACCEPT)foo",
            "[a-z]{3}",
            "x",
            "(?:foo){0,3}",
        ] {
            assert_eq!(texts(regex), "?", "{regex}");
        }
    }
}
