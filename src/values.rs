//! Which patterns hold what a document has of its own.
//!
//! On the pages of a shop, an archive or a library the same frame stands around a number and a price on each. The line that
//! they stand in recurs, and yet they are what the page is about. Takes a source's documents as its patterns see them, gives
//! the patterns with such values: a number of seven digits or more, as an ISBN or an item's number, that differs in nearly
//! every document, or a price that differs in many. "3 responses" and "Page 2" are told of many documents; dates and times
//! are no values, for pages have them of many kinds.

use std::collections::HashSet;

use crate::patterns::PatternFile;
use crate::sampling::{Sample, Sampled};
use crate::tokens::{Lexer, Token, TokenKind};

/// In fewer documents values differ by chance, ...
const MIN_DOCUMENTS: usize = 10;
/// ... and the frame of a kind of page stands on so large a share of them.
const MIN_SHARE: f64 = 0.5;
/// Shorter numbers count something.
const MIN_DIGITS: usize = 7;
/// So large a share of the numbers differ from all others, ...
const MIN_DIFFERENT: f64 = 0.9;
/// ... and of the prices, for many things cost the same.
const MIN_DIFFERENT_PRICES: f64 = 0.3;

/// The patterns that hold values.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Their ids.
    patterns: HashSet<String>,
    /// The documents that have a value.
    pub documents: u64,
}

/// What one pattern was seen with.
#[derive(Clone, Debug, Default)]
struct Seen<'t> {
    documents: usize,
    numbers: HashSet<Vec<&'t str>>,
    prices: HashSet<Vec<&'t str>>,
}

impl Values {
    /// What the documents show.
    pub fn of(sampled: &Sampled) -> Values {
        let patterns = sampled.cleaner.patterns();
        let mut seen: Vec<Seen> = vec![Seen::default(); patterns.len()];
        sampled.samples.iter().for_each(|sample| look(sample, &sampled.own().lexer, &mut seen));
        let enough = (MIN_SHARE * sampled.samples.len() as f64).max(MIN_DOCUMENTS as f64);
        let holds_value = |seen: &Seen| {
            let differ = |values: &HashSet<_>, share: f64| values.len() as f64 >= share * seen.documents as f64;
            let are_values = differ(&seen.numbers, MIN_DIFFERENT) || differ(&seen.prices, MIN_DIFFERENT_PRICES);
            seen.documents as f64 >= enough && are_values
        };
        let holds: Vec<bool> = seen.iter().map(holds_value).collect();
        let has_value = |sample: &&Sample| sample.reading.matches.iter().any(|found| holds[found.pattern]);
        let documents = sampled.samples.iter().filter(has_value).count() as u64;
        let found = patterns.iter().zip(&holds).filter(|(_, holds)| **holds);
        Values { patterns: found.map(|(pattern, _)| pattern.id.clone()).collect(), documents }
    }

    /// Notes them in the source's file.
    pub fn mark(&self, file: &mut PatternFile) {
        for pattern in file.patterns.iter_mut().filter(|pattern| !pattern.is_touched()) {
            pattern.value = self.patterns.contains(&pattern.id);
        }
    }
}

fn look<'t>(Sample { text, reading }: &Sample<'t>, lexer: &Lexer, seen: &mut [Seen<'t>]) {
    // Matches come by pattern.
    for of_pattern in reading.matches.chunk_by(|a, b| a.pattern == b.pattern) {
        let (found, seen) = (&of_pattern[0], &mut seen[of_pattern[0].pattern]);
        seen.documents += 1;
        let values = |is_value: &dyn Fn(&str, &str) -> bool| -> Vec<&'t str> {
            let here = reading.tokens.tokens[found.tokens.clone()].iter();
            here.filter(|token| kind(token, lexer).is_some_and(|kind| is_value(kind, &text[token.range()])))
                .map(|token| &text[token.range()])
                .collect()
        };
        let digits = |text: &str| text.chars().filter(|c| c.is_numeric()).count();
        let numbers = values(&|kind, text| kind.starts_with("number") && digits(text) >= MIN_DIGITS);
        let prices = values(&|kind, _| kind.starts_with("currency"));
        if !numbers.is_empty() {
            seen.numbers.insert(numbers);
        }
        if !prices.is_empty() {
            seen.prices.insert(prices);
        }
    }
}

/// The name of the mutable pattern that a token matches.
fn kind<'l>(token: &Token, lexer: &'l Lexer) -> Option<&'l str> {
    match token.kind {
        TokenKind::Mutable(id) => Some(lexer.mutable().pattern(id).name.as_str()),
        _ => None,
    }
}
