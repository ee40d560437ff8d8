//! The mined regexes of the sample corpora mean the same to everyone who reads them.

use std::sync::LazyLock;

use dehusk_core::cleaning::reading::matcher::TokenAutomaton;
use dehusk_core::patterns::regex::Edges;
use dehusk_core::patterns::{Form, Pattern, PatternFile};
use dehusk_core::selection::select;
use dehusk_core::tokens::{Piece, TokenRun};
use rayon::prelude::*;

use crate::engines::{Found, Job, Spans, by_fancy_regex, by_pcre2, by_pcre2_if_it_fits, by_python};
use crate::reading::{Document, Reading, by_automaton, check_law};
use crate::samples::{SAMPLES, Sample, Source};

/// The patterns of a source, or the shared ones, with the documents to look in.
struct Subject {
    name: &'static str,
    file: &'static PatternFile,
    regexes: Vec<String>,
    texts: &'static [String],
    /// What fancy-regex finds, which all others are held against.
    found: Found,
}

/// Each source's own patterns and the shared ones on its documents.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let with_shared = |sample: &'static Sample| [(sample, &sample.patterns), (sample, &SAMPLES.shared)];
    SAMPLES.sources.iter().flat_map(with_shared).map(|(sample, file)| Subject::new(sample.source, file)).collect()
});

/// The blocks of each source on its documents.
static BLOCKS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let of_sample = |sample: &'static Sample| {
        let mut file = select(sample.patterns.clone(), Some(&SAMPLES.shared), &sample.source.texts);
        file.patterns.retain(|pattern| pattern.block().is_some());
        assert!(!file.patterns.is_empty(), "{} has blocks", sample.source.name);
        Subject::new(sample.source, Box::leak(Box::new(file)))
    };
    SAMPLES.sources.iter().map(of_sample).collect()
});

impl Subject {
    fn new(Source { name, texts, .. }: &'static Source, file: &'static PatternFile) -> Subject {
        let regexes: Vec<String> = file.patterns.iter().map(|pattern| pattern.regex.clone()).collect();
        let found = regexes.par_iter().map(|regex| by_fancy_regex(regex, texts)).collect();
        Subject { name, file, regexes, texts, found }
    }

    fn assert_same(&self, engine: &str, found: &Found) {
        for ((regex, expected), found) in self.regexes.iter().zip(&self.found).zip(found) {
            for ((text, expected), found) in self.texts.iter().zip(expected).zip(found) {
                let other = expected.symmetric_difference(found).next();
                let other = other.map(|&(start, end)| &text[start..end]);
                assert!(other.is_none(), "{}: {engine} and fancy-regex differ on {regex} in {other:?}", self.name);
            }
        }
    }
}

fn run(pattern: &Pattern) -> &TokenRun {
    match &pattern.form {
        Form::Run(run) => run,
        Form::Regex(_) | Form::Block(_) | Form::Elements(_) => {
            panic!("{} is not read back as the run it was written from", pattern.regex)
        }
    }
}

/// What an automaton is made of.
fn runs_with_edges<'r>(
    runs: &'r [&TokenRun],
    regexes: &'r [String],
) -> impl Iterator<Item = (usize, &'r TokenRun, Edges)> {
    runs.iter().zip(regexes).enumerate().map(|(index, (run, regex))| (index, *run, Edges::written_in(regex)))
}

#[test]
fn every_pattern_is_read_back_as_the_run_it_was_written_from() {
    for sample in &SAMPLES.sources {
        let mut written: Vec<&TokenRun> = sample.templates.iter().map(|template| &template.run).collect();
        let mut read: Vec<&TokenRun> = sample.patterns.patterns.iter().map(run).collect();
        written.sort_unstable();
        read.sort_unstable();
        assert_eq!(written, read, "{}", sample.source.name);
        assert!(read.len() > 20, "{} has templates", sample.source.name);
    }
}

#[test]
fn no_pattern_is_nothing_but_line_breaks() {
    let files = SAMPLES.sources.iter().map(|sample| &sample.patterns).chain([&SAMPLES.shared]);
    for pattern in files.flat_map(|file| &file.patterns) {
        let has_text = run(pattern).pieces().iter().any(|piece| *piece != Piece::Break);
        assert!(has_text, "'{}'", pattern.regex);
    }
}

#[test]
fn every_pattern_matches_its_example_and_as_often_as_it_says() {
    for subject in SUBJECTS.iter().filter(|subject| subject.file.source == subject.name) {
        for (pattern, found) in subject.file.patterns.iter().zip(&subject.found) {
            // Look-behinds may need something before it.
            let is_all = |before: &&str| {
                let text = format!("{before}{}", pattern.example);
                let found = by_fancy_regex(&pattern.regex, std::slice::from_ref(&text));
                found[0].iter().any(|&(start, end)| text[start..end].trim() == pattern.example)
            };
            assert!(["", ".", "a"].iter().any(is_all), "{} does not match {:?}", pattern.regex, pattern.example);
            let documents = found.iter().filter(|spans| !spans.is_empty()).count();
            let occurrences: usize = found.iter().map(Spans::len).sum();
            assert!(documents >= pattern.documents, "{} is in {documents} documents", pattern.regex);
            assert!(occurrences >= pattern.occurrences, "{} occurs {occurrences} times", pattern.regex);
        }
    }
}

#[test]
fn pcre2_finds_the_same() {
    for subject in SUBJECTS.iter() {
        let found = subject.regexes.par_iter().map(|regex| by_pcre2(regex, subject.texts)).collect();
        subject.assert_same("PCRE2", &found);
    }
    let mut compared = 0;
    for subject in BLOCKS.iter() {
        for (regex, expected) in subject.regexes.iter().zip(&subject.found) {
            let Some(found) = by_pcre2_if_it_fits(regex, subject.texts) else { continue };
            assert!(found == *expected, "{}: PCRE2 and fancy-regex differ on {regex}", subject.name);
            compared += 1;
        }
    }
    let all: usize = BLOCKS.iter().map(|subject| subject.regexes.len()).sum();
    assert!(compared * 10 >= all * 9, "{compared} of {all} blocks fit PCRE2");
}

#[test]
fn python_finds_the_same() {
    let subjects: Vec<&Subject> = SUBJECTS.iter().chain(&*BLOCKS).collect();
    let jobs: Vec<Job> = subjects.iter().map(|Subject { regexes, texts, .. }| Job { regexes, texts }).collect();
    for (subject, found) in subjects.into_iter().zip(by_python(&jobs).iter().flatten()) {
        subject.assert_same("Python", found);
    }
}

#[test]
fn the_token_automaton_finds_the_same_but_for_cut_mutable_patterns() {
    for subject in SUBJECTS.iter() {
        let runs: Vec<&TokenRun> = subject.file.patterns.iter().map(run).collect();
        let automaton = TokenAutomaton::new(runs_with_edges(&runs, &subject.regexes), subject.file.lexer.tokenizer());
        let (mut matches, mut regex_alone) = (0, 0);
        for (index, text) in subject.texts.iter().enumerate() {
            let lexer = &mut subject.file.lexer.clone();
            let by_tokens = by_automaton(&automaton, runs.len(), text, lexer);
            let document = Document::new(text, lexer);
            for (run, found) in by_tokens.iter().enumerate() {
                let is_excused = |reading, span| match reading {
                    Reading::CutMutable => true,
                    Reading::Others => document.is_mutable(runs[run], span),
                    _ => false,
                };
                let outcome = check_law(&document, runs[run], found, &subject.found[run][index], is_excused);
                regex_alone +=
                    outcome.unwrap_or_else(|why| panic!("{}: {}: {why}", subject.name, subject.regexes[run]));
                matches += found.len();
            }
        }
        assert!(regex_alone * 100 <= matches, "{}: {regex_alone} exceptions, {matches} matches", subject.name);
    }
}
