//! What may go, what must go, and that nothing else does.

use std::ops::Range;

use dehusk_core::cleaning::reading::matcher::{TokenAutomaton, Tokens};
use dehusk_core::cleaning::{CleanOptions, Cleaner, Cleaning, Method, Scratch, Span};
use dehusk_core::patterns::file::MinedFrom;
use dehusk_core::patterns::regex::{Edges, render};
use dehusk_core::patterns::{Form, ID_DIGITS, Pattern, PatternFile, SHARED, Status, form, id_of};
use dehusk_core::tokens::characters::{
    ends_in_run, is_letter_or_number, is_run_character, is_unspaced, is_word_character,
};
use dehusk_core::tokens::{Lexer, Token, TokenKind};
use proptest::prelude::*;
use proptest::sample::select;
use rayon::prelude::*;

use crate::engines::by_fancy_regex;
use crate::random::{LEXERS, Scissors, config, cut_runs, odd_text, scissors, text};
use crate::reading::by_automaton;
use crate::samples::{SAMPLES, Sample};

const STATUSES: [Status; 3] = [Status::Proposed, Status::Accepted, Status::Rejected];
const GAPS: [usize; 5] = [0, 1, 4, 20, 1000];

/// A source's pattern file and the shared one.
type Files = [PatternFile; 2];

fn methods() -> impl Iterator<Item = Method> {
    [Method::Learned].into_iter().chain(GAPS.map(|merge_gap| Method::Union { merge_gap, second_filter: false }))
}

fn cleaner(files: &Files, method: Method, only_accepted: bool) -> Cleaner {
    Cleaner::new(&[&files[0], &files[1]], &CleanOptions::default().method(method).only_accepted(only_accepted))
}

/// Asks no model.
fn matching_cleaner(files: &Files, method: Method) -> Cleaner {
    Cleaner::new(&[&files[0], &files[1]], &CleanOptions::default().method(method).decision(None))
}

fn clean(cleaner: &Cleaner, text: &str) -> Cleaning {
    cleaner.clean(&mut Scratch::default(), text).unwrap()
}

/// The files without some patterns.
fn without(files: &Files, mut is_dropped: impl FnMut(&Pattern) -> bool) -> Files {
    let mut files = files.clone();
    files.iter_mut().for_each(|file| file.patterns.retain(|pattern| !is_dropped(pattern)));
    files
}

/// The patterns that are rejected neither in their own file nor in the one before.
fn unrejected(files: &Files) -> Files {
    let mut rejected: Vec<String> = Vec::new();
    let mut files = files.clone();
    for file in &mut files {
        let of_file = file.patterns.iter().filter(|pattern| pattern.status == Status::Rejected);
        rejected.extend(of_file.map(|pattern| pattern.id.clone()));
        file.patterns.retain(|pattern| !rejected.contains(&pattern.id));
    }
    files
}

/// Pattern files, ready to check every law on texts.
struct Subject {
    /// The applied patterns that a person accepted.
    accepted: Files,
    /// The applied patterns.
    unrejected: Files,
    /// The rejected patterns.
    rejected: Files,
    by_method: Vec<Cleaners>,
}

/// One method, with and without the patterns that must not matter, and with and without shape.
struct Cleaners {
    method: Method,
    all: Cleaner,
    matching: Cleaner,
    unrejected_matching: Cleaner,
    only_accepted: Cleaner,
    decided_alone: Cleaner,
}

impl Subject {
    fn new(files: &Files) -> Subject {
        let unrejected = unrejected(files);
        let accepted = without(&unrejected, |pattern| pattern.status != Status::Accepted);
        let rejected = without(files, |pattern| pattern.status != Status::Rejected);
        let decided = without(files, |pattern| pattern.status == Status::Proposed);
        let cleaners = |method| Cleaners {
            method,
            all: cleaner(files, method, false),
            matching: matching_cleaner(files, method),
            unrejected_matching: matching_cleaner(&unrejected, method),
            only_accepted: cleaner(files, method, true),
            decided_alone: cleaner(&decided, method, true),
        };
        Subject { by_method: methods().map(cleaners).collect(), accepted, unrejected, rejected }
    }

    fn check(&self, text: &str) -> Result<(), TestCaseError> {
        let must_go = matches(&self.accepted, text);
        for cleaners in &self.by_method {
            let Cleaners { method, all, matching, unrejected_matching, only_accepted, decided_alone } = cleaners;
            let (cleaning, by_matches) = (clean(all, text), clean(matching, text));
            for cleaning in [&cleaning, &by_matches] {
                check_spans(text, cleaning)?;
                check_cuts(text, cleaning)?;
                check_accepted(&self.accepted, &must_go, text, cleaning)?;
            }
            // A line of marks beside a cut, or a row of a table without a word at an end of the text, goes without a match.
            let is_marks = |span: &Span| !text[span.range.clone()].contains(char::is_alphanumeric);
            let is_explained = |span: &Span| !span.because.is_empty() || *method == Method::Learned && is_marks(span);
            prop_assert!(by_matches.spans.iter().all(is_explained), "{:?}", by_matches);
            if *method == Method::Learned {
                self.check_rejected(text, &cleaning)?;
            }
            self.check_held_back(text, &by_matches, &clean(unrejected_matching, text), *method)?;
            let strict = clean(only_accepted, text);
            let decided = clean(decided_alone, text);
            let ranges = |cleaning: &Cleaning| -> Vec<Range<usize>> {
                cleaning.spans.iter().map(|span| span.range.clone()).collect()
            };
            prop_assert_eq!(ranges(&strict), ranges(&decided), "{:?}: proposed patterns or the model act", method);
            check_accepted(&self.accepted, &must_go, text, &strict)?;
            prop_assert!(
                *method == Method::Learned || cleaning.spans == by_matches.spans,
                "{:?}: the model acts",
                method
            );
        }
        self.check_gaps(text)
    }

    /// Rejected patterns remove nothing. Under the model they keep what they match, and what went only with that.
    fn check_held_back(
        &self,
        text: &str,
        with: &Cleaning,
        without: &Cleaning,
        method: Method,
    ) -> Result<(), TestCaseError> {
        if method != Method::Learned || matches(&self.rejected, text).is_empty() {
            prop_assert_eq!(&with.spans, &without.spans, "{:?}: rejected patterns act", method);
        }
        for span in &with.spans {
            let goes = |outer: &Span| outer.range.start <= span.range.start && span.range.end <= outer.range.end;
            prop_assert!(without.spans.iter().any(goes), "{span:?} goes for what was rejected in {text:?}");
        }
        Ok(())
    }

    /// A line that a rejected pattern matches, and no other, stays, whatever the model says and whatever stands around it.
    fn check_rejected(&self, text: &str, cleaning: &Cleaning) -> Result<(), TestCaseError> {
        let (rejected, applied) = (matches(&self.rejected, text), matches(&self.unrejected, text));
        let covers = |found: &[PatternMatch], start: usize, end: usize| {
            found.iter().any(|(_, (from, to))| *from <= start && end <= *to)
        };
        let touches = |found: &[PatternMatch], start: usize, end: usize| {
            found.iter().any(|(_, (from, to))| *from < end && start < *to)
        };
        let Tokens { tokens, line_starts, .. } = Tokens::of(text, &mut self.unrejected[0].lexer.clone());
        let starts: Vec<usize> = (0..line_starts.len()).filter(|&token| line_starts[token]).collect();
        for line in starts.windows(2) {
            let (start, end) = (tokens[line[0]].range().start, tokens[line[1] - 1].range().end);
            if covers(&rejected, start, end) && !touches(&applied, start, end) {
                let goes = cleaning.spans.iter().any(|span| span.range.start < end && start < span.range.end);
                prop_assert!(!goes, "{:?} is rejected and goes", &text[start..end]);
            }
        }
        Ok(())
    }

    /// A gap joins what lies closer than it, so a larger one only adds to the union.
    fn check_gaps(&self, text: &str) -> Result<(), TestCaseError> {
        let ranges = |all| clean(all, text).spans.into_iter().map(|span| span.range).collect::<Vec<Range<usize>>>();
        let unions = self.by_method.iter().filter_map(|cleaners| match cleaners.method {
            Method::Union { merge_gap, .. } => Some((merge_gap, ranges(&cleaners.all))),
            Method::Learned => None,
        });
        let mut apart: Option<Vec<Range<usize>>> = None;
        for (merge_gap, union) in unions {
            let joined = joined(text, apart.get_or_insert_with(|| union.clone()), merge_gap);
            prop_assert_eq!(union, joined, "gap {} in {:?}", merge_gap, text);
        }
        Ok(())
    }
}

/// The ranges, those that fewer than `gap` characters part made one.
fn joined(text: &str, ranges: &[Range<usize>], gap: usize) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if text[last.end..range.start].chars().count() < gap => last.end = range.end,
            _ => joined.push(range.clone()),
        }
    }
    joined
}

/// Spans are sorted, disjoint, whole characters and whole words, and what they say why is in them.
fn check_spans(text: &str, cleaning: &Cleaning) -> Result<(), TestCaseError> {
    let mut last = 0;
    for span in &cleaning.spans {
        let Range { start, end } = span.range;
        prop_assert!(last <= start && start < end && end <= text.len(), "{:?} after {last}", span.range);
        last = end;
        for edge in [start, end] {
            prop_assert!(text.is_char_boundary(edge), "{edge} is inside a character");
            let is_inside = ends_in_run(&text[..edge]) && text[edge..].starts_with(is_run_character);
            prop_assert!(!is_inside, "{edge} is inside a word of {text:?}");
        }
        prop_assert!(text[start..end].trim() == &text[start..end], "white space at the edges of {:?}", span.range);
        prop_assert!((0.0..=1.0).contains(&span.score), "{span:?}");
        prop_assert!(span.because.iter().all(|(part, _)| start <= part.start && part.end <= end), "{span:?}");
    }
    Ok(())
}

/// What is left and what was cut make up the text, byte for byte, and only white space goes with the spans.
fn check_cuts(text: &str, cleaning: &Cleaning) -> Result<(), TestCaseError> {
    let (cuts, stripped) = (cleaning.cuts(text), cleaning.strip(text));
    let (mut rest, mut rebuilt, mut kept) = (stripped.as_str(), String::new(), String::new());
    for cut in &cuts {
        let (before, after) = rest.split_at(cut.range.start - rebuilt.len());
        let after = after.strip_prefix(cut.replacement);
        prop_assert!(after.is_some(), "{cut:?} in {stripped:?}");
        rebuilt.extend([before, &text[cut.range.clone()]]);
        kept.push_str(before);
        let (left, right) = (&text[..cut.range.start], &text[cut.range.end..]);
        let joins = ends_in_run(left) && right.starts_with(is_run_character);
        prop_assert_eq!(cut.replacement, if joins { " " } else { "" }, "{:?} in {:?}", cut, text);
        rest = after.unwrap_or_default();
    }
    prop_assert_eq!(rebuilt + rest, text);
    prop_assert!(is_subsequence(&(kept + rest), text));
    let in_span = |at: usize| cleaning.spans.iter().any(|span| span.range.contains(&at));
    let in_cut = |at: usize| cuts.iter().any(|cut| cut.range.contains(&at));
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        prop_assert_eq!(in_span(at), in_cut(at), "{:?} at {}", c, at);
    }
    Ok(())
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut whole = whole.chars();
    part.chars().all(|c| whole.any(|other| other == c))
}

/// Whatever an accepted pattern matches goes, unless a free regex cuts a token in two. Of a match with words, marks may
/// stay that belong to the text beside it.
fn check_accepted(
    files: &Files,
    must_go: &[PatternMatch],
    text: &str,
    cleaning: &Cleaning,
) -> Result<(), TestCaseError> {
    let read: Vec<Tokens> = files.iter().map(|file| Tokens::of(text, &mut file.lexer.clone())).collect();
    let is_whole = |start: usize, end: usize| {
        read.iter().all(|Tokens { tokens, .. }| {
            let starts = tokens.iter().any(|token| token.start as usize == start);
            starts && tokens.iter().any(|token| token.end as usize == end)
        })
    };
    for (pattern, (start, end)) in must_go.iter().filter(|(_, (start, end))| is_whole(*start, *end)) {
        let found = &text[*start..*end];
        // A match of a mutable pattern is as good as a word, also if it is a mark.
        let is_varying = |token: &Token| {
            let is_in = *start <= token.start as usize && token.end as usize <= *end;
            is_in && matches!(token.kind, TokenKind::Mutable(_))
        };
        let has_words = found.contains(|c| is_word(c) || is_word_character(c))
            || read.iter().any(|Tokens { tokens, .. }| tokens.iter().any(is_varying));
        let stays = |(at, c): &(usize, char)| {
            let must_go = !c.is_whitespace() && (is_word(*c) || !has_words);
            must_go && !cleaning.spans.iter().any(|span| span.range.contains(&(start + at)))
        };
        let staying = found.char_indices().find(stays);
        prop_assert!(staying.is_none(), "{} is accepted, but {staying:?} of {found:?} stays", pattern.regex);
    }
    Ok(())
}

/// Whether the character is a part of a word.
fn is_word(c: char) -> bool {
    is_letter_or_number(c) || is_unspaced(c)
}

/// Accepting patterns removes, in addition, only words that they match. It keeps no word that went before.
fn check_accepting(files: &Files, text: &str) -> Result<(), TestCaseError> {
    let accepting = |status| {
        let mut files = files.clone();
        files.iter_mut().flat_map(|file| &mut file.patterns).for_each(|pattern| pattern.status = status);
        files
    };
    let [proposed, accepted] = [Status::Proposed, Status::Accepted].map(accepting);
    let matches = matches(&accepted, text);
    for options in [CleanOptions::default(), CleanOptions::default().decision(None)] {
        let [before, after] =
            [&proposed, &accepted].map(|[own, shared]| clean(&Cleaner::new(&[own, shared], &options), text));
        let goes = |cleaning: &Cleaning, at: usize| cleaning.spans.iter().any(|span| span.range.contains(&at));
        for (at, c) in text.char_indices().filter(|(_, c)| is_word(*c)) {
            prop_assert!(!goes(&before, at) || goes(&after, at), "{c:?} at {at} of {text:?} stays");
            let is_matched = || matches.iter().any(|(_, (start, end))| (*start..*end).contains(&at));
            prop_assert!(!goes(&after, at) || goes(&before, at) || is_matched(), "{c:?} at {at} of {text:?} goes");
        }
    }
    Ok(())
}

/// A pattern and where it matches.
type PatternMatch<'f> = (&'f Pattern, (usize, usize));

fn matches<'f>(files: &'f Files, text: &str) -> Vec<PatternMatch<'f>> {
    files.iter().flat_map(|file| matches_of_file(file, text)).collect()
}

/// All matches of a file's patterns: of runs by the token automaton, of free regexes by the regex engine.
fn matches_of_file<'f>(file: &'f PatternFile, text: &str) -> Vec<PatternMatch<'f>> {
    let run = |pattern: &'f Pattern| match &pattern.form {
        Form::Run(run) => Some(run),
        Form::Regex(_) | Form::Block(_) | Form::Elements(_) => None,
    };
    let runs = file
        .patterns
        .iter()
        .enumerate()
        .filter_map(|(index, pattern)| Some((index, run(pattern)?, Edges::written_in(&pattern.regex))));
    let automaton = TokenAutomaton::new(runs, file.lexer.tokenizer());
    let mut found = by_automaton(&automaton, file.patterns.len(), text, &mut file.lexer.clone());
    for (pattern, found) in file.patterns.iter().zip(&mut found).filter(|(pattern, _)| !pattern.is_as_mined()) {
        *found = by_fancy_regex(&pattern.regex, &[text.to_owned()]).remove(0);
    }
    let spans = found.into_iter().zip(&file.patterns);
    spans.flat_map(|(found, pattern)| found.into_iter().map(move |span| (pattern, span))).collect()
}

/// A source's files with every pattern's status by turns, beginning with another one each round.
fn reviewed(sample: &Sample, round: usize) -> Files {
    let mut files = [sample.patterns.clone(), SAMPLES.shared.clone()];
    for (index, pattern) in files.iter_mut().flat_map(|file| &mut file.patterns).enumerate() {
        pattern.status = STATUSES[(index + round) % 3];
    }
    files
}

#[test]
fn laws_hold_on_the_sample_corpora() {
    for (round, sample) in SAMPLES.sources.iter().enumerate() {
        let subject = Subject::new(&reviewed(sample, round));
        let texts = || sample.source.texts.par_iter().step_by(4);
        texts().for_each(|text| subject.check(text).unwrap_or_else(|why| panic!("{}: {why}", sample.source.name)));
        let removed: usize = texts().map(|text| clean(&subject.by_method[0].all, text).spans.len()).sum();
        assert!(removed > 0, "something goes from {}", sample.source.name);
    }
}

#[test]
fn accepting_all_removes_nothing_that_no_pattern_matches() {
    for sample in &SAMPLES.sources {
        let files = [sample.patterns.clone(), SAMPLES.shared.clone()];
        let check =
            |text: &String| check_accepting(&files, text).unwrap_or_else(|why| panic!("{}: {why}", sample.source.name));
        sample.source.texts.par_iter().step_by(2).for_each(check);
    }
}

#[test]
fn nothing_goes_without_a_pattern() {
    for sample in &SAMPLES.sources {
        let none = without(&[sample.patterns.clone(), SAMPLES.shared.clone()], |_| true);
        for method in methods() {
            let cleaner = cleaner(&none, method, false);
            let kept = |text: &&String| clean(&cleaner, text).strip(text) == **text;
            assert!(sample.source.texts.iter().step_by(8).all(|text| kept(&text)), "{method:?}");
        }
    }
}

/// A pattern of a random file.
#[derive(Clone, Debug)]
struct Entry {
    origin: Origin,
    status: Status,
    documents: usize,
}

#[derive(Clone, Debug)]
enum Origin {
    Mined(Scissors),
    Own(&'static str),
}

/// What a person may write.
const OWN: [&str; 6] = ["[a-z]+", "x +x", "x|é", r"(?m)^\s*[Rr]ead.*$", r"(?s)\(.*", r"\d"];

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let mined = scissors(1..2).prop_map(|mut one| Origin::Mined(one.remove(0)));
    let origin = prop_oneof![4 => mined, 1 => select(&OWN[..]).prop_map(Origin::Own)];
    let entry = (origin, select(&STATUSES[..]), 0usize..20);
    prop::collection::vec(entry.prop_map(|(origin, status, documents)| Entry { origin, status, documents }), 0..8)
}

fn file(source: &str, entries: Vec<Entry>, texts: &[String], lexer: &Lexer) -> PatternFile {
    let mined = MinedFrom { documents: 20, tokens: 100, cutoff: 0.4, ..MinedFrom::default() };
    let mut file = PatternFile::of_templates(source, mined, Vec::new(), lexer);
    for Entry { origin, status, documents } in entries {
        let (id, regex) = match origin {
            Origin::Own(regex) => (regex.to_owned(), regex.to_owned()),
            Origin::Mined(scissors) => {
                let Some(run) = cut_runs(texts, &[scissors], lexer).pop() else { continue };
                (id_of(&run, lexer.mutable(), ID_DIGITS), render(&run, lexer, Edges::of_runs([&run])))
            }
        };
        if file.patterns.iter().any(|pattern| pattern.id == id) {
            continue;
        }
        let form = form(&id, &regex, lexer).unwrap();
        file.patterns.push(Pattern {
            id,
            status,
            regex,
            form,
            documents,
            among: 20,
            occurrences: documents,
            sources: None,
            removes: None,
            ends_after: (documents % 3 == 0).then_some(documents),
            example: String::new(),
            note: String::new(),
        });
    }
    file
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn laws_hold_on_random_texts(
        texts in prop::collection::vec(prop_oneof![3 => text(), 1 => odd_text()], 1..3),
        own in entries(),
        shared in entries(),
    ) {
        let lexer = &LEXERS[1];
        let files = [file("own", own, &texts, lexer), file(SHARED, shared, &texts, lexer)];
        let subject = Subject::new(&files);
        for text in &texts {
            subject.check(text)?;
        }
    }

    #[test]
    fn laws_hold_where_the_shared_patterns_read_otherwise(
        texts in prop::collection::vec(text(), 1..3),
        own in entries(),
        shared in entries(),
    ) {
        let files = [file("own", own, &texts, &LEXERS[1]), file(SHARED, shared, &texts, &LEXERS[0])];
        let subject = Subject::new(&files);
        for text in &texts {
            subject.check(text)?;
        }
    }
}
