//! Fields: what stands in the places of a pattern that vary is what its regex has there, if these are groups.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use dehusk_core::cleaning::Scratch;
use dehusk_core::cleaning::reading::matcher::TokenAutomaton;
use dehusk_core::fields::Fields;
use dehusk_core::patterns::regex::{Edges, render};
use dehusk_core::patterns::{Form, PatternFile, Template};
use dehusk_core::tokens::{Lexer, MutablePattern, MutableSet, Piece, TokenRun};
use fancy_regex::Regex;
use proptest::prelude::*;
use proptest::sample::select;

use crate::random::{config, cut_runs, lexer, scissors, slotted_runs};
use crate::reading::{Document, by_automaton};
use crate::samples::SAMPLES;

/// A match, and what its groups have; by bytes.
type Match = ((usize, usize), Vec<(usize, usize)>);

/// The regex of a run, with a group for each place that varies.
fn grouped(run: &TokenRun, lexer: &Lexer, edges: Edges) -> Regex {
    let stand_in = |index: usize| format!("MUTABLE{index}MUTABLE");
    let patterns = lexer.mutable().patterns();
    let others = patterns
        .iter()
        .enumerate()
        .map(|(index, pattern)| MutablePattern { regex: stand_in(index), name: pattern.name.clone() });
    let other = Lexer::new(lexer.tokenizer().clone(), Arc::new(MutableSet::new(others.collect()).unwrap()));
    let free = regex::Regex::new(r"(?:\\S|\[a-z\])\[\^\\n\]\{0,[0-9]+\}\?").unwrap();
    let mut grouped = free.replace_all(&render(run, &other, edges), "($0)").into_owned();
    for (index, pattern) in patterns.iter().enumerate() {
        grouped = grouped.replace(&format!("(?:{})", stand_in(index)), &format!("({})", pattern.regex));
    }
    Regex::new(&grouped).unwrap_or_else(|error| panic!("{grouped}: {error}"))
}

/// All matches of a regex with their groups.
fn by_regex(regex: &Regex, text: &str) -> BTreeSet<Match> {
    let mut all = BTreeSet::new();
    let mut from = 0;
    while let Some(found) = regex.captures_from_pos(text, from).unwrap() {
        let whole = found.get(0).unwrap().range();
        let groups = (1..found.len()).map(|group| pair(found.get(group).unwrap().range()));
        all.insert((trimmed(text, whole.clone()), groups.collect()));
        from = whole.start + text[whole.start..].chars().next().map_or(1, char::len_utf8);
        if from > text.len() {
            break;
        }
    }
    all
}

fn pair(range: Range<usize>) -> (usize, usize) {
    (range.start, range.end)
}

fn trimmed(text: &str, range: Range<usize>) -> (usize, usize) {
    let found = &text[range.clone()];
    (range.start + found.len() - found.trim_start().len(), range.start + found.trim_end().len())
}

/// The groups that overlap none of a longer match; of two matches of one length that counts which has more words.
fn each_once(matches: BTreeSet<Match>) -> Vec<(usize, usize)> {
    let length = |(start, end): &(usize, usize)| end - start;
    let mut matches: Vec<Match> = matches.into_iter().collect();
    matches.sort_by_key(|(whole, groups)| {
        (std::cmp::Reverse(length(whole)), groups.iter().map(length).sum::<usize>(), *whole)
    });
    let mut given: Vec<(usize, usize)> = Vec::new();
    for group in matches.into_iter().flat_map(|(_, groups)| groups) {
        if given.iter().all(|other| other.1 <= group.0 || group.1 <= other.0) {
            given.push(group);
        }
    }
    given.sort_unstable();
    given
}

/// Checks the law for a file of one mined pattern; how many values there were.
fn holds(file: &PatternFile, run: &TokenRun, text: &str) -> Result<usize, TestCaseError> {
    let edges = Edges::written_in(&file.patterns[0].regex);
    let automaton = TokenAutomaton::new([(0, run, edges)], file.lexer.tokenizer());
    let mut expected = by_regex(&grouped(run, &file.lexer, edges), text);
    // What the regex finds besides matches parts of tokens: that is for the laws of matching.
    let known = by_automaton(&automaton, 1, text, &mut file.lexer.clone()).remove(0);
    // Separators at the edges of a match are none of its tokens.
    let document = Document::new(text, &mut file.lexer.clone());
    let of_tokens = |(whole, groups)| Some((document.trimmed(&[whole].into()).pop_first()?, groups));
    expected = expected.into_iter().filter_map(of_tokens).collect();
    expected.retain(|(whole, _)| known.contains(whole));
    prop_assert_eq!(expected.iter().map(|(whole, _)| *whole).collect::<BTreeSet<_>>(), known);
    let fields = Fields::new(&[file], false);
    let values = fields.values(&mut Scratch::default(), text).unwrap();
    let values: Vec<(usize, usize)> = values.into_iter().map(|value| pair(value.bytes)).collect();
    prop_assert_eq!(&values, &each_once(expected), "{} on {:?}", &file.patterns[0].regex, text);
    Ok(values.len())
}

/// Whether it is open what fills a free stretch of the run. If the tokenizer is a class, the regex takes numbers at the end of the
/// stretch for separators, and the automaton for tokens of the stretch. They match the same, and differ in what fills it.
fn is_ambiguous(run: &TokenRun, lexer: &Lexer, text: &str) -> bool {
    let has_free = run.pieces().iter().any(|piece| matches!(piece, Piece::Free { .. }));
    lexer.tokenizer().class().is_some() && has_free && text.contains(|char: char| char.is_ascii_digit())
}

/// A pattern file of this run alone.
fn file_of(run: &TokenRun, lexer: &Lexer) -> PatternFile {
    let mined = PatternFile::empty("s", lexer).mined;
    let (example, ends_after) = (String::new(), None);
    let template =
        Template { run: run.clone(), documents: 1, among: 1, occurrences: 1, sources: 1, example, ends_after };
    PatternFile::of_templates("s", mined, vec![template], lexer)
}

/// Texts of so few pieces that a place can be filled in many ways.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let pieces = select(&["x", "x", "y", "zz", "1", "23", "手", ",", ",", " ", " ", " ", "\u{a0} ", "\n", "\r\n"]);
    let text = prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat());
    prop::collection::vec(text, 1..4)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn values_are_what_the_regex_has_in_its_groups(
        texts in texts(),
        scissors in scissors(1..8),
        tokenizer in select(&["words", "whitespace", "[a-z]+"]),
    ) {
        let lexer = lexer(tokenizer, &[("number", "[0-9]+")]);
        let runs = [cut_runs(&texts, &scissors, &lexer), slotted_runs(&texts, &scissors, &lexer)].concat();
        for run in &runs {
            let file = file_of(run, &lexer);
            for text in texts.iter().filter(|text| !is_ambiguous(run, &lexer, text)) {
                holds(&file, run, text)?;
            }
        }
    }
}

#[test]
fn so_are_those_of_the_sample_corpora() {
    let mut values = 0;
    for sample in &SAMPLES.sources {
        for pattern in &sample.patterns.patterns {
            let Form::Run(run) = &pattern.form else { panic!("{} is as mined", pattern.id) };
            let file = PatternFile { patterns: vec![pattern.clone()], ..sample.patterns.clone() };
            if Fields::new(&[&file], false).columns().next().is_some() {
                let few = sample.source.texts.iter().step_by(8);
                values += few.map(|text| holds(&file, run, text).unwrap()).sum::<usize>();
            }
        }
    }
    assert!(values > 500, "{values} values");
}
