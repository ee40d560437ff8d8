//! Regexes of people: those that are not run on a text would not have matched in it.

use std::ops::Range;
use std::sync::Arc;

use dehusk_core::cleaning::reading::regexes::{Regexes, regex_matches};
use dehusk_core::patterns::foreign::{ForeignRegex, compile};
use fancy_regex::{Regex, RegexBuilder};
use proptest::prelude::*;
use proptest::sample::select;

use crate::random::config;

/// Such as people write, and such as nobody should.
const WRITTEN: [&str; 22] = [
    r"(?m)^Share on (?:Facebook|Twitter).*$",
    r"Read more:\s+[^\n]{3,80}",
    r"(?i)copyright ©? \d{4}",
    r"Photo(?:graph)? by [A-Z]\w+ [A-Z]\w+",
    r"(?i)subscribe|ask|sign up",
    r"(?<=by )Ask(?= Me)",
    r"(?<!not )share\b",
    r"(?:Read|read) (?!less)\w+",
    r"(\w+) \1",
    r"(?i)(ask) \1",
    r"(?>Read|Re)ad more",
    r"Read \Kmore",
    r"(?i:поделиться)|Ещё",
    r"(?i)ΣΊΣΥΦΟΣ",
    r"(?i)straße",
    r"[Rr]ead [Mm]ore",
    r"(?x) Share \s on # where",
    r"(Read)?(?(1) more| less)",
    r"(?<a>Read|Ask) \g<a>",
    r"Read(?:(*FAIL)|)",
    r"Sh{1,2}are(?: on){2,}",
    r"\x52ead\u{20}more",
];

/// What is in the texts: parts of what the regexes name, and their odd cases.
const PIECES: [&str; 30] = [
    "Share on ",
    "Facebook",
    "SHARE ",
    "on",
    "Read",
    " more",
    "read ",
    "More",
    ":",
    " 2024",
    "Copyright ",
    "©",
    "ask",
    "a\u{17f}\u{212a}",
    "AS\u{212a}",
    "\u{17f}ubscribe",
    "Photo",
    "graph",
    " by ",
    "Ask",
    " Me",
    "not ",
    "поделитьСЯ",
    "ещё",
    "σίσυφος",
    "STRAẞE",
    "straße",
    "\n",
    " ",
    "Sign up",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&PIECES), 0..12).prop_map(|pieces| pieces.concat())
}

/// A regex of these letters and whatever regexes are made of.
fn regex() -> impl Strategy<Value = String> {
    let leaf = select(&[
        "a",
        "b",
        "k",
        "ab",
        "s",
        "ß",
        "Σ",
        "é",
        "[ab]",
        "[^a]",
        "[k-s]",
        r"\w",
        r"\s",
        ".",
        "(?i)",
        "(?i:aks)",
        "(?-i)",
        "(?s)",
        "(?m)^",
        "$",
        r"\b",
        r"\B",
        r"\K",
        "",
        "[[:alpha:]]",
        r"\R",
        r"\1",
        "(?i:é)",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..5).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => (inner.clone(), select(&["?", "*", "+", "{2}", "{0,2}", "{1,3}?", "{0}", "*?", "++"]))
                .prop_map(|(part, times)| format!("(?:{part}){times}")),
            2 => (inner, select(&["(", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?s:", "(?:"]))
                .prop_map(|(part, group)| format!("{group}{part})")),
        ]
    })
}

fn dense_text() -> impl Strategy<Value = String> {
    let letters =
        select(&["a", "b", "k", "s", "A", "K", "\u{212a}", "\u{17f}", "ß", "ẞ", "σ", "ς", "é", "É", " ", "\n"]);
    prop::collection::vec(letters, 0..10).prop_map(|letters| letters.concat())
}

/// By pattern, in order; `None` where the engine gives up.
fn unfiltered(regexes: &[Arc<Regex>], text: &str) -> Option<Vec<(Range<usize>, usize)>> {
    let found = regexes.iter().enumerate().map(|(pattern, regex)| {
        let ranges = regex_matches(regex, text).ok()?;
        Some(ranges.into_iter().map(move |range| (range, pattern)))
    });
    Some(found.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

fn finds_all(regexes: &[Arc<Regex>], texts: &[String]) -> Result<(), TestCaseError> {
    let own = regexes.iter().cloned().map(ForeignRegex::from);
    let together = Regexes::new(own.enumerate().collect());
    for text in texts {
        let Some(expected) = unfiltered(regexes, text) else { continue };
        let mut found = Vec::new();
        let outcome = together.find(text, &|| true, |range, pattern| found.push((range, pattern)));
        prop_assert!(outcome.is_ok(), "{:?}", outcome);
        prop_assert_eq!(found, expected, "{:?} in {:?}", regexes, text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn as_people_write_them(texts in prop::collection::vec(text(), 1..8)) {
        let regexes: Vec<Arc<Regex>> = WRITTEN.iter().map(|regex| Arc::new(Regex::new(regex).unwrap())).collect();
        finds_all(&regexes, &texts)?;
    }

    #[test]
    fn random_ones(
        regexes in prop::collection::vec(regex(), 1..12),
        texts in prop::collection::vec(dense_text(), 1..8),
    ) {
        // One that backtracks long is given up; with the usual million steps a case could take minutes.
        let built = |regex: &String| RegexBuilder::new(regex).backtrack_limit(10_000).build().ok();
        let trusted = regexes.iter().filter(|regex| compile(regex).is_ok());
        let regexes: Vec<Arc<Regex>> = trusted.filter_map(built).map(Arc::new).collect();
        finds_all(&regexes, &texts)?;
    }
}
