//! Random runs in random texts: the token automaton and the regex engine find the same.

use dehusk_core::cleaning::reading::matcher::TokenAutomaton;
use dehusk_core::cleaning::reading::regexes::regex_matches;
use dehusk_core::patterns::regex::{Edges, parse, render};
use dehusk_core::tokens::{Lexer, TokenRun};
use proptest::prelude::*;
use proptest::sample::select;

use crate::engines::{Job, Spans, by_fancy_regex, by_pcre2, by_python};
use crate::random::{
    LEXERS, config, cut_runs, lexer, odd_text, scissors, slotted_runs, text, varying_text, with_overlaps,
    without_mutable,
};
use crate::reading::{Document, Reading, by_automaton, check_law};
use crate::samples;

/// What a regex may find and the automaton not, beside the run itself.
#[derive(Clone, Copy)]
enum Excuse {
    /// Marks that belong to a character, cut off it.
    CutMarks,
    /// Also whatever has to do with a mutable pattern.
    Mutable,
}

impl Excuse {
    fn covers(self, document: &Document, run: &TokenRun, reading: Reading, span: (usize, usize)) -> bool {
        let is_mutable = matches!(self, Excuse::Mutable) && document.is_mutable(run, span);
        is_mutable || reading == Reading::CutMark
    }
}

fn automaton(runs: &[TokenRun], edges: Edges, lexer: &Lexer) -> TokenAutomaton {
    TokenAutomaton::new(runs.iter().enumerate().map(|(index, run)| (index, run, edges)), lexer.tokenizer())
}

/// Checks the law for all runs at once, on all texts.
fn holds(runs: &[TokenRun], texts: &[String], lexer: &Lexer, excuse: Excuse) -> Result<(), TestCaseError> {
    let edges = Edges::of_runs(runs);
    let automaton = automaton(runs, edges, lexer);
    let lexer = &mut lexer.clone();
    for text in texts {
        let by_tokens = by_automaton(&automaton, runs.len(), text, lexer);
        let document = Document::new(text, lexer);
        for (run, found) in runs.iter().zip(&by_tokens) {
            let regex = render(run, lexer, edges);
            let by_regex = &document.trimmed(&by_fancy_regex(&regex, std::slice::from_ref(text))[0]);
            let is_excused = |reading, span| excuse.covers(&document, run, reading, span);
            let outcome = check_law(&document, run, found, by_regex, is_excused);
            prop_assert!(outcome.is_ok(), "{regex} on {text:?}: {}", outcome.unwrap_err());
        }
    }
    Ok(())
}

/// Texts to cut runs out of and look for them in.
fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 1..4)
}

/// Texts of so few pieces that free stretches can be filled in many ways; without marks, which a regex may cut off.
fn dense_texts() -> impl Strategy<Value = Vec<String>> {
    let pieces = select(&["x", "x", "y", "zz", "手", ",", ",", " ", " ", " ", "\u{a0} ", "\n", "\r\n"]);
    let text = prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat());
    prop::collection::vec(text, 1..4)
}

/// Classes as tokenizers: with and without all characters of words.
fn class() -> impl Strategy<Value = &'static str> {
    select(&["[a-z]+", r"[^\-\s]+", r"\w+", "[^,.x]+"])
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn words_without_mutable_patterns(texts in texts(), scissors in scissors(1..8)) {
        let lexer = without_mutable("words");
        holds(&cut_runs(&texts, &scissors, &lexer), &texts, &lexer, Excuse::CutMarks)?;
    }

    #[test]
    fn words_with_overlapping_mutable_patterns(texts in texts(), scissors in scissors(1..8)) {
        let lexer = with_overlaps("words");
        holds(&cut_runs(&texts, &scissors, &lexer), &texts, &lexer, Excuse::Mutable)?;
    }

    #[test]
    fn whitespace_without_mutable_patterns(texts in texts(), scissors in scissors(1..8)) {
        let lexer = without_mutable("whitespace");
        holds(&cut_runs(&texts, &scissors, &lexer), &texts, &lexer, Excuse::CutMarks)?;
    }

    #[test]
    fn whitespace_with_overlapping_mutable_patterns(texts in texts(), scissors in scissors(1..8)) {
        let lexer = with_overlaps("whitespace");
        holds(&cut_runs(&texts, &scissors, &lexer), &texts, &lexer, Excuse::Mutable)?;
    }

    #[test]
    fn a_class_as_tokenizer_without_mutable_patterns(texts in texts(), scissors in scissors(1..8), class in class()) {
        let lexer = without_mutable(class);
        holds(&cut_runs(&texts, &scissors, &lexer), &texts, &lexer, Excuse::CutMarks)?;
    }

    #[test]
    fn a_class_as_tokenizer_with_overlapping_mutable_patterns(texts in texts(), scissors in scissors(1..8), class in class()) {
        let lexer = with_overlaps(class);
        holds(&cut_runs(&texts, &scissors, &lexer), &texts, &lexer, Excuse::Mutable)?;
    }

    #[test]
    fn words_in_odd_texts(texts in prop::collection::vec(odd_text(), 1..4), scissors in scissors(1..8)) {
        let lexer = with_overlaps("words");
        holds(&cut_runs(&texts, &scissors, &lexer), &texts, &lexer, Excuse::Mutable)?;
    }

    #[test]
    fn words_with_shipped_mutable_patterns(texts in prop::collection::vec(varying_text(), 1..4), scissors in scissors(1..8)) {
        let lexer = samples::lexer();
        holds(&cut_runs(&texts, &scissors, &lexer), &texts, &lexer, Excuse::Mutable)?;
    }

    #[test]
    fn free_stretches_are_filled_alike(texts in dense_texts(), scissors in scissors(1..8), tokenizer in select(&["words", "whitespace", "[a-z]+", r"[^,\s]+", r"\w+"])) {
        let lexer = without_mutable(tokenizer);
        let runs = slotted_runs(&texts, &scissors, &lexer);
        let edges = Edges::of_runs(&runs);
        let automaton = automaton(&runs, edges, &lexer);
        let by_tokens = texts.iter().map(|text| by_automaton(&automaton, runs.len(), text, &mut lexer.clone()));
        for (text, found) in texts.iter().zip(by_tokens) {
            let document = Document::new(text, &mut lexer.clone());
            for (run, found) in runs.iter().zip(found) {
                let regex = render(run, &lexer, edges);
                let read_back = parse(&regex, &lexer);
                prop_assert_eq!(read_back.as_ref(), Some(run), "{} is read back", regex);
                let by_regex = document.trimmed(&by_fancy_regex(&regex, std::slice::from_ref(text))[0]);
                prop_assert_eq!(&found, &by_regex, "{} on {:?}", regex, text);
                let by_pcre2 = document.trimmed(&by_pcre2(&regex, std::slice::from_ref(text))[0]);
                prop_assert_eq!(&found, &by_pcre2, "PCRE2: {} on {:?}", regex, text);
            }
        }
    }

    #[test]
    fn the_library_searches_free_regexes_for_all_matches(texts in texts(), scissors in scissors(1..4)) {
        for run in cut_runs(&texts, &scissors, &LEXERS[0]) {
            let regex = render(&run, &LEXERS[0], Edges::of_runs([&run]));
            let expected = by_fancy_regex(&regex, &texts);
            let compiled = fancy_regex::Regex::new(&regex).unwrap();
            for (text, expected) in texts.iter().zip(expected) {
                let found = regex_matches(&compiled, text).unwrap();
                prop_assert_eq!(found.into_iter().map(|r| (r.start, r.end)).collect::<Spans>(), expected);
            }
        }
    }
}

/// The spans of each pattern, given as a text it matches: by automaton, by regex.
fn both_ways(patterns: &[&str], text: &str) -> Vec<(Spans, Spans)> {
    let lexer = lexer("words", &[("number", "[0-9]+")]);
    let runs: Vec<TokenRun> = patterns.iter().map(|pattern| inner_run(pattern, &lexer)).collect();
    let automaton = automaton(&runs, Edges::Spaced, &lexer);
    let by_tokens = by_automaton(&automaton, runs.len(), text, &mut lexer.clone());
    let by_regex =
        runs.iter().map(|run| by_fancy_regex(&render(run, &lexer, Edges::Spaced), &[text.to_owned()]).remove(0));
    by_tokens.into_iter().zip(by_regex).collect()
}

/// The run of a text's tokens, without the line breaks at its ends.
fn inner_run(text: &str, lexer: &Lexer) -> TokenRun {
    let sequence = dehusk_core::tokens::SymbolSequence::of_texts(&[text], lexer).unwrap();
    sequence.run(1..sequence.tokens() - 1)
}

#[test]
fn what_separates_tokens_is_the_same_to_every_engine() {
    let lexer = lexer(r"[^\-\s]+", &[("number", "[0-9]+"), ("row", "-(?: ?-){2,}")]);
    let texts =
        ["- log-in -\nlog -- in 12-3", "log in\n--- 5 ---\n-log-", "log---in log --- in", "5 - 6-log\u{a0}-in."]
            .map(str::to_owned);
    let runs: Vec<TokenRun> =
        texts.iter().map(|text| inner_run(text, &lexer)).chain([inner_run("log in", &lexer)]).collect();
    let regexes: Vec<String> = runs.iter().map(|run| render(run, &lexer, Edges::of_runs(&runs))).collect();
    assert_eq!(regexes[4], r"(?<![^\-\s])log[\-\s]+in(?![^\-\s])");
    let automaton = automaton(&runs, Edges::Spaced, &lexer);
    let python = by_python(&[Job { regexes: &regexes, texts: &texts }]);
    for (text, index) in texts.iter().zip(0..) {
        let document = Document::new(text, &mut lexer.clone());
        let by_tokens = by_automaton(&automaton, runs.len(), text, &mut lexer.clone());
        for (number, (regex, found)) in regexes.iter().zip(by_tokens).enumerate() {
            let of = |engine: &[Spans]| document.trimmed(&engine[index]);
            let expected = of(&by_fancy_regex(regex, &texts));
            assert!(found.is_subset(&expected), "{regex} on {text:?}");
            assert_eq!(of(&by_pcre2(regex, &texts)), expected, "{regex} on {text:?}");
            assert!(python.iter().all(|python| of(&python[0][number]) == expected), "{regex} on {text:?}");
        }
    }
}

#[test]
fn overlapping_and_self_overlapping_matches_are_all_found() {
    let found = both_ways(&["x x", "x x x", "x", "x 1"], "x x\nx x 12");
    let expected =
        [vec![(0, 3), (2, 5), (4, 7)], vec![(0, 5), (2, 7)], vec![(0, 1), (2, 3), (4, 5), (6, 7)], vec![(6, 10)]];
    for ((by_tokens, by_regex), expected) in found.into_iter().zip(expected) {
        assert_eq!(by_tokens, by_regex);
        assert_eq!(by_tokens, Spans::from_iter(expected));
    }
}

#[test]
fn the_engines_fill_free_stretches_alike() {
    let regexes = [
        r"(?m)^\s*By[^\S\n]+\S[^\n]{0,40}?[^\S\n]+\|\s+Staff\s*$",
        r"(?m)^\s*Related:[^\S\n]+\S[^\n]{0,12}?\s*$",
        r"(?m)^\s*\S[^\n]{0,12}?[^\S\n]+wrote\s+this(?!\w)",
        r"(?m)^\s*作者：\S[^\n]{0,2}?(?<=\S)，\S[^\n]{0,9}?\s*$",
        r"(?<!\S)\(Reporting\s+by[^\S\n]+\S[^\n]{0,9}?(?<=\S);\s+Editing\s+by[^\S\n]+\S[^\n]{0,9}?(?<=\S)\)",
        r"(?<!\S)a(?!\w)\S[^\n]{0,5}?(?<=[^\w\s])b[^\S\n]+\S[^\n]{0,5}?[^\S\n]+c(?!\w)",
    ]
    .map(str::to_owned);
    let texts = [
        "\n \nBy Anna  Keller \u{a0}| Staff \n\nBy By x\t| Staff\r\nBy | Staff\nBy x |\nStaff\nBy x\n| Staff",
        "Related: a\nRelated: é and 手\r\n\nRelated:\nx Related: y\nRelated: thirteen and more",
        "Anna wrote this\nwrote this wrote this. Bo wrote this wrote thistle\nC\nwrote this",
        "作者：张三，北京\n作者：，，北京\n作者：张三李，北 京\n作者：张三李四，北京",
        "He left. (Reporting by Bo; Editing by A. C.) She (Reporting by Bo\n; Editing by A) (Reporting by B; Editing by )",
        "a-b x c a-x-b b c c a - b x c a.b x cc",
    ]
    .map(str::to_owned);
    let lexer = without_mutable("words");
    let runs: Vec<TokenRun> = regexes.iter().map(|regex| parse(regex, &lexer).unwrap()).collect();
    let automaton = automaton(&runs, Edges::Spaced, &lexer);
    let python = by_python(&[Job { regexes: &regexes, texts: &texts }]);
    for (index, regex) in regexes.iter().enumerate() {
        let expected = by_fancy_regex(regex, &texts);
        assert!(expected.iter().any(|spans| !spans.is_empty()), "{regex} is found");
        assert_eq!(by_pcre2(regex, &texts), expected, "{regex}");
        assert!(python.iter().all(|found| found[0][index] == expected), "{regex}: {python:?}");
        for (text, expected) in texts.iter().zip(expected) {
            assert_eq!(by_automaton(&automaton, runs.len(), text, &mut lexer.clone())[index], expected, "{regex}");
        }
    }
}
