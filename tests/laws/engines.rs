//! All matches of a regex by three engines, in one form.
//!
//! *All* means also overlapping ones: the search starts again one character after the start of each match.
//! A match is its bytes without the white space at its edges; empty ones are none.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Value, json};

use super::python;

/// Where a regex matches a text, sorted by start and end.
pub type Spans = BTreeSet<(usize, usize)>;

/// Regexes and the texts to look for each of them in.
#[derive(Clone, Copy)]
pub struct Job<'t> {
    pub regexes: &'t [String],
    pub texts: &'t [String],
}

/// The spans of a job: by regex, then by text.
pub type Found = Vec<Vec<Spans>>;

/// By `fancy-regex`.
pub fn by_fancy_regex(regex: &str, texts: &[String]) -> Vec<Spans> {
    let regex = fancy_regex::Regex::new(regex).unwrap_or_else(|error| panic!("{regex}: {error}"));
    let find =
        |text: &str, from| regex.find_from_pos(text, from).unwrap().map(|found: fancy_regex::Match| found.range());
    texts.iter().map(|text| all_spans(text, |from| find(text, from))).collect()
}

/// By PCRE2.
pub fn by_pcre2(regex: &str, texts: &[String]) -> Vec<Spans> {
    by_pcre2_if_it_fits(regex, texts).unwrap_or_else(|| panic!("PCRE2 takes no regex as large as {regex}"))
}

/// By PCRE2. `None` if the regex is too large: PCRE2 compiles to 64 kB at most.
pub fn by_pcre2_if_it_fits(regex: &str, texts: &[String]) -> Option<Vec<Spans>> {
    let compiled = pcre2::bytes::RegexBuilder::new().utf(true).ucp(true).jit_if_available(true).build(regex);
    let compiled = match compiled {
        Err(error) if error.to_string().contains("too large") => return None,
        compiled => compiled.unwrap_or_else(|error| panic!("{regex}: {error}")),
    };
    let find =
        |text: &str, from| compiled.find_at(text.as_bytes(), from).unwrap().map(|found| found.start()..found.end());
    Some(texts.iter().map(|text| all_spans(text, |from| find(text, from))).collect())
}

/// Reads a list of jobs, writes for each job, regex and text the list of matches, in code points.
const PYTHON: &str = r"
import json, re, sys

def spans(regex, text):
    found = regex.search(text)
    while found:
        yield found.span()
        if found.start() >= len(text):
            return
        found = regex.search(text, found.start() + 1)

def run(job):
    return [[list(spans(re.compile(regex), text)) for text in job['texts']] for regex in job['regexes']]

jobs = json.loads(sys.stdin.buffer.read())
sys.stdout.write(json.dumps([run(job) for job in jobs]))
";

/// By Python's `re`: one process for all jobs. `None` if there is no Python here, which is a failure where `CI` is set.
pub fn by_python(jobs: &[Job]) -> Option<Vec<Found>> {
    let request: Vec<Value> = jobs.iter().map(|job| json!({"regexes": job.regexes, "texts": job.texts})).collect();
    let answer = python::by_python("Python's re", PYTHON, &request.into())?;
    let answer: Vec<CodePoints> = serde_json::from_slice(&answer).unwrap();
    Some(jobs.iter().zip(answer).map(|(job, found)| of_code_points(job, found)).collect())
}

/// By regex and text, in code points.
type CodePoints = Vec<Vec<Vec<(usize, usize)>>>;

fn of_code_points(job: &Job, found: CodePoints) -> Found {
    let bytes_of = |text: &String| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let bytes: Vec<Vec<usize>> = job.texts.iter().map(bytes_of).collect();
    let of_text = |(text, spans): (usize, Vec<(usize, usize)>)| {
        let bytes_at = |(start, end): (usize, usize)| bytes[text][start]..bytes[text][end];
        spans.into_iter().filter_map(|span| trimmed(&job.texts[text], bytes_at(span))).collect()
    };
    found.into_iter().map(|of_regex| of_regex.into_iter().enumerate().map(of_text).collect()).collect()
}

fn all_spans(text: &str, mut find: impl FnMut(usize) -> Option<Range<usize>>) -> Spans {
    let mut spans = Spans::new();
    let mut from = 0;
    while let Some(found) = find(from) {
        from = found.start + text[found.start..].chars().next().map_or(1, char::len_utf8);
        spans.extend(trimmed(text, found));
        if from > text.len() {
            break;
        }
    }
    spans
}

fn trimmed(text: &str, range: Range<usize>) -> Option<(usize, usize)> {
    let found = &text[range.clone()];
    let start = range.start + found.len() - found.trim_start().len();
    let end = range.start + found.trim_end().len();
    (start < end).then_some((start, end))
}

#[test]
fn the_engines_tell_self_overlaps_and_trim_alike() {
    let (regexes, texts) = (vec![r"(?m)^\s*é\s+é|é\s+é".to_owned()], vec!["\n é é é".to_owned()]);
    let expected = vec![vec![Spans::from([(2, 7), (5, 10)])]];
    assert_eq!(vec![by_fancy_regex(&regexes[0], &texts)], expected);
    assert_eq!(vec![by_pcre2(&regexes[0], &texts)], expected);
    let python = by_python(&[Job { regexes: &regexes, texts: &texts }]);
    assert!(python.is_none_or(|found| found == [expected]));
}
