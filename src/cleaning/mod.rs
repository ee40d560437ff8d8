//! Documents and patterns to cleaned documents.
//!
//! A [`Cleaner`] holds what is needed for the documents of one source: its own patterns and the shared
//! ones, compiled once. [`Cleaner::clean`] looks at one document: match, weigh, smooth, and say which spans
//! go; [`cut`] then removes them. It never sees mining: all it knows is in the pattern files.

pub mod matcher;
pub mod evidence;
pub mod smooth;
pub mod cut;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::patterns::{Form, Pattern, PatternFile, Status};
use crate::tokens::Lexer;
use cut::Cut;
use evidence::{Evidence, Match, Weight, weigh};
use matcher::{TokenAutomaton, Tokens, regex_matches};
use smooth::smooth;

/// What it costs to change one's mind between two tokens of a line: a template in flowing text has sixteen tokens or more.
const COST_INSIDE_LINE: f32 = 8.0;
/// What it costs at a line break, where templates end: a line that no match covers goes with the template around it only
/// if it has one or two tokens.
const COST_AT_LINE_BREAK: f32 = 1.5;

/// How matches become spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// The whole document decides: a two-state chain over the evidence of every match.
    Smooth,
    /// The union of all matches of patterns whose share reaches the cutoff (Foschini, section 3.4); two that are
    /// fewer than this many characters apart become one.
    Union {
        /// In characters.
        merge_gap: usize,
    },
}

/// How to clean.
#[derive(Clone, Debug)]
pub struct CleanOptions {
    /// From matches to spans.
    pub method: Method,
    /// Whether patterns that nobody accepted yet stay out.
    pub only_accepted: bool,
}

impl Default for CleanOptions {
    fn default() -> CleanOptions {
        CleanOptions { method: Method::Smooth, only_accepted: false }
    }
}

/// Text to remove, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The bytes: whole tokens, without white space at the edges.
    pub range: Range<usize>,
    /// The mean evidence of its tokens, 0..=1.
    pub score: f32,
    /// The patterns that matched in it, by what they explain of it: index as in [`Cleaner::patterns`], bytes.
    pub because: Vec<(Range<usize>, usize)>,
}

/// What is to be removed from one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Cleaning {
    /// Sorted, disjoint.
    pub spans: Vec<Span>,
}

impl Cleaning {
    /// The cuts that remove the spans from the text they were found in.
    pub fn cuts(&self, text: &str) -> Vec<Cut> {
        let ranges: Vec<Range<usize>> = self.spans.iter().map(|span| span.range.clone()).collect();
        cut::cuts(text, &ranges)
    }

    /// The cleaned text.
    pub fn strip(&self, text: &str) -> String {
        cut::strip(text, &self.cuts(text))
    }
}

/// The regex engine gave up on a pattern that a person wrote.
#[derive(Debug, thiserror::Error)]
#[error("pattern {id}: {source}; make the regex simpler, or reject the pattern")]
pub struct CleanError {
    /// The pattern's id.
    pub id: String,
    /// What the engine says.
    pub source: Box<fancy_regex::Error>,
}

/// Cleans the documents of one source.
#[derive(Debug)]
pub struct Cleaner {
    patterns: Vec<Pattern>,
    weights: Vec<Weight>,
    reaches_cutoff: Vec<bool>,
    /// Patterns mined with the same lexer share an automaton; the first lexer's tokens are those that are labelled.
    readers: Vec<Reader>,
    method: Method,
}

#[derive(Debug)]
struct Reader {
    lexer: Lexer,
    automaton: TokenAutomaton,
}

/// A text as the patterns see it.
#[derive(Debug, Default)]
pub struct Reading {
    /// Its tokens.
    pub tokens: Tokens,
    /// All matches of all patterns, overlapping ones too.
    pub matches: Vec<Match>,
}

/// What the matches in a text come to.
#[derive(Debug)]
pub struct Decision {
    /// Which tokens are to be removed.
    pub goes: Vec<bool>,
    /// Of each token.
    pub evidence: Evidence,
}

/// One thread's scratch space for a [`Cleaner`].
#[derive(Debug)]
pub struct Scratch {
    lexers: Vec<Lexer>,
}

impl Cleaner {
    /// Compiles the patterns of these files, the source's own first. One that is rejected in a file is left out, also
    /// where it stands in a later file.
    pub fn new(files: &[&PatternFile], options: &CleanOptions) -> Cleaner {
        let applied = applied(files, options);
        let mut readers: Vec<Reader> = Vec::new();
        for (_, file) in &applied {
            if readers.iter().any(|reader| same_lexer(&reader.lexer, &file.lexer)) {
                continue;
            }
            let runs = applied.iter().enumerate().filter_map(|(index, (pattern, other))| match &pattern.form {
                Form::Run(run) if same_lexer(&other.lexer, &file.lexer) => Some((index, run)),
                _ => None,
            });
            let automaton = TokenAutomaton::new(runs, file.lexer.tokenizer());
            readers.push(Reader { lexer: file.lexer.clone(), automaton });
        }
        if let (true, Some(file)) = (readers.is_empty(), files.first()) {
            let automaton = TokenAutomaton::new([], file.lexer.tokenizer());
            readers.push(Reader { lexer: file.lexer.clone(), automaton });
        }
        Cleaner {
            weights: applied.iter().map(|(pattern, _)| weight(pattern)).collect(),
            reaches_cutoff: applied.iter().map(|(pattern, file)| reaches_cutoff(pattern, file)).collect(),
            patterns: applied.into_iter().map(|(pattern, _)| pattern.clone()).collect(),
            readers,
            method: options.method,
        }
    }

    /// The patterns that are applied.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Scratch space for one thread.
    pub fn scratch(&self) -> Scratch {
        Scratch { lexers: self.readers.iter().map(|reader| reader.lexer.clone()).collect() }
    }

    /// Says what is to be removed from a text. Linear in the text for mined patterns.
    pub fn clean(&self, scratch: &mut Scratch, text: &str) -> Result<Cleaning, CleanError> {
        let Reading { tokens, matches } = self.read(scratch, text)?;
        let Decision { goes, evidence } = self.decide(text, &tokens, &matches, self.method);
        Ok(Cleaning { spans: spans(&tokens, &goes, &evidence) })
    }

    /// The first half of cleaning: a text as the patterns see it.
    pub fn read(&self, scratch: &mut Scratch, text: &str) -> Result<Reading, CleanError> {
        let Some(lexer) = scratch.lexers.first_mut() else { return Ok(Reading::default()) };
        let tokens = Tokens::of(text, lexer);
        let matches = self.matches(scratch, text, &tokens)?;
        Ok(Reading { tokens, matches })
    }

    /// The second half: what goes by a method, if these are the matches.
    pub fn decide(&self, text: &str, tokens: &Tokens, matches: &[Match], method: Method) -> Decision {
        match method {
            Method::Smooth => self.smoothed(text, tokens, matches),
            Method::Union { merge_gap } => self.united(text, tokens, matches, merge_gap),
        }
    }

    /// The evidence of each token, if these are the matches.
    pub fn weigh(&self, text: &str, tokens: &Tokens, matches: &[Match]) -> Evidence {
        weigh(text, tokens, matches, &self.weights)
    }

    /// Whether the union method takes the matches of a pattern.
    pub fn reaches_cutoff(&self, pattern: usize) -> bool {
        self.reaches_cutoff[pattern]
    }

    /// All matches of all patterns, as the tokens they cover.
    fn matches(&self, scratch: &mut Scratch, text: &str, tokens: &Tokens) -> Result<Vec<Match>, CleanError> {
        let mut matches = Vec::new();
        for (index, reader) in self.readers.iter().enumerate() {
            if index == 0 {
                reader.automaton.find(text, tokens, |tokens, pattern| matches.push(Match { tokens, pattern }));
            } else {
                let own = Tokens::of(text, &mut scratch.lexers[index]);
                reader.automaton.find(text, &own, |found, pattern| {
                    let bytes = own.tokens[found.start].range().start..own.tokens[found.end - 1].range().end;
                    matches.push(Match { tokens: tokens.within(&bytes), pattern });
                });
            }
        }
        for (pattern, Pattern { id, form, .. }) in self.patterns.iter().enumerate() {
            if let Form::Regex(regex) = form {
                let found = regex_matches(regex, text).map_err(|source| CleanError { id: id.clone(), source })?;
                matches.extend(found.iter().map(|bytes| Match { tokens: tokens.within(bytes), pattern }));
            }
        }
        matches.retain(|found| !found.tokens.is_empty());
        Ok(matches)
    }

    fn smoothed(&self, text: &str, tokens: &Tokens, matches: &[Match]) -> Decision {
        let evidence = weigh(text, tokens, matches, &self.weights);
        let cost = |&starts_line: &bool| if starts_line { COST_AT_LINE_BREAK } else { COST_INSIDE_LINE };
        let gaps = tokens.line_starts.get(1..tokens.tokens.len()).unwrap_or_default();
        let mut labels = smooth(&evidence.of_token, &gaps.iter().map(cost).collect::<Vec<f32>>());
        for Match { tokens, pattern } in matches {
            if self.weights[*pattern].is_certain {
                labels[tokens.clone()].fill(true);
            }
        }
        Decision { goes: labels, evidence }
    }

    fn united(&self, text: &str, tokens: &Tokens, matches: &[Match], merge_gap: usize) -> Decision {
        let united: Vec<Match> = matches.iter().filter(|found| self.reaches_cutoff[found.pattern]).cloned().collect();
        let evidence = weigh(text, tokens, &united, &self.weights);
        let mut labels = vec![false; tokens.tokens.len()];
        united.iter().for_each(|found| labels[found.tokens.clone()].fill(true));
        close_gaps(text, tokens, &mut labels, merge_gap);
        Decision { goes: labels, evidence }
    }
}

fn applied<'f>(files: &[&'f PatternFile], options: &CleanOptions) -> Vec<(&'f Pattern, &'f PatternFile)> {
    let mut rejected: HashSet<&str> = HashSet::new();
    let mut applied = Vec::new();
    for &file in files {
        let of_status = |status| file.patterns.iter().filter(move |pattern| pattern.status == status);
        rejected.extend(of_status(Status::Rejected).map(|pattern| pattern.id.as_str()));
        let is_applied = |pattern: &&Pattern| match pattern.status {
            Status::Accepted => !rejected.contains(pattern.id.as_str()),
            Status::Proposed => !options.only_accepted && !rejected.contains(pattern.id.as_str()),
            Status::Rejected => false,
        };
        applied.extend(file.patterns.iter().filter(is_applied).map(|pattern| (pattern, file)));
    }
    applied
}

fn same_lexer(a: &Lexer, b: &Lexer) -> bool {
    Arc::ptr_eq(a.mutable(), b.mutable()) && a.tokenizer().name() == b.tokenizer().name()
}

fn weight(pattern: &Pattern) -> Weight {
    Weight {
        share: pattern.share(),
        documents: pattern.documents,
        is_certain: is_certain(pattern),
        holds_lines: match &pattern.form {
            Form::Run(run) => run.has_whole_line(),
            Form::Regex(_) => true,
        },
    }
}

/// Whether a person vouches for the pattern: by accepting it, or by writing it, when there are no counts to go by.
fn is_certain(pattern: &Pattern) -> bool {
    pattern.status == Status::Accepted || (!pattern.is_as_mined() && pattern.documents == 0)
}

fn reaches_cutoff(pattern: &Pattern, file: &PatternFile) -> bool {
    is_certain(pattern) || pattern.share() >= file.mined.cutoff
}

/// Labels the tokens between two labelled stretches if fewer than `merge_gap` characters lie between them.
fn close_gaps(text: &str, tokens: &Tokens, labels: &mut [bool], merge_gap: usize) {
    let mut last_labelled: Option<usize> = None;
    for token in 0..labels.len() {
        if !labels[token] {
            continue;
        }
        if let Some(last) = last_labelled.filter(|last| last + 1 < token) {
            let between = &text[tokens.tokens[last].range().end..tokens.tokens[token].range().start];
            if between.chars().count() < merge_gap {
                labels[last + 1..token].fill(true);
            }
        }
        last_labelled = Some(token);
    }
}

/// The labelled stretches as spans, each with what it is made of.
fn spans(Tokens { tokens, .. }: &Tokens, labels: &[bool], evidence: &Evidence) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    for stretch in labels.chunk_by(|a, b| a == b) {
        let end = start + stretch.len();
        if stretch[0] {
            spans.push(Span {
                range: tokens[start].range().start..tokens[end - 1].range().end,
                score: evidence.of_token[start..end].iter().sum::<f32>() / stretch.len() as f32,
                because: because(tokens, start..end, evidence),
            });
        }
        start = end;
    }
    spans
}

fn because(tokens: &[crate::tokens::Token], span: Range<usize>, evidence: &Evidence) -> Vec<(Range<usize>, usize)> {
    let mut because: Vec<(Range<usize>, usize)> = Vec::new();
    let mut before = None;
    for index in span {
        let pattern = evidence.pattern[index];
        if let Some(pattern) = pattern {
            match because.last_mut().filter(|_| before == Some(pattern)) {
                Some((range, _)) => range.end = tokens[index].range().end,
                None => because.push((tokens[index].range(), pattern as usize)),
            }
        }
        before = pattern;
    }
    because
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::LexerCache;

    fn cleaned(patterns: &str, text: &str) -> String {
        let yaml = format!(
            "dehusk: 1\nsource: s\nmined: {{documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}}\npatterns:\n{patterns}"
        );
        let file = PatternFile::parse(&yaml, &LexerCache::default()).unwrap();
        let cleaner = Cleaner::new(&[&file], &CleanOptions::default());
        cleaner.clean(&mut cleaner.scratch(), text).unwrap().strip(text)
    }

    #[test]
    fn what_a_person_wrote_acts_and_cuts_no_word() {
        let foo = "  - {id: mine, regex: foo}\n";
        assert_eq!(cleaned(foo, "a foo, foobar and foo."), "a , foobar and .");
    }

    #[test]
    fn what_a_person_rejected_does_not() {
        assert_eq!(cleaned("  - {id: mine, status: rejected, regex: foo}\n", "a foo"), "a foo");
    }
}
