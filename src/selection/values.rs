//! Decides which patterns hold values: what a document has of its own.
//!
//! Pages of a shop, an archive or a library have the same frame around a different number and price. The line with them
//! recurs, but the page is about these values. Takes a source's documents as its patterns see them. Finds the patterns
//! with a number of 7 digits or more that differs in nearly every document, such as an ISBN or an item's number, or
//! with a price that differs in many. "3 responses" and "Page 2" are in many documents. Dates and times are not values,
//! because pages have them for many reasons.

use std::collections::HashSet;

use crate::patterns::PatternFile;
use crate::selection::sampling::{Sample, Sampled};
use crate::tokens::{Lexer, Token, TokenKind};

/// With fewer documents, different values may be chance. So a pattern needs this many documents ...
const MIN_DOCUMENTS: usize = 10;
/// ... and this share of them. The frame of a kind of page has it.
const MIN_SHARE: f64 = 0.5;
/// Minimum number of digits of a value. A shorter number is a count of something.
const MIN_DIGITS: usize = 7;
/// At least this share of a pattern's numbers must be different ...
const MIN_DIFFERENT: f64 = 0.9;
/// ... and this share of its prices. Lower, because many things cost the same.
const MIN_DIFFERENT_PRICES: f64 = 0.3;

/// The patterns that hold values.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// The ids of the patterns.
    patterns: HashSet<String>,
    /// Number of documents with a value.
    pub documents: u64,
}

/// The values seen with one pattern.
#[derive(Clone, Debug, Default)]
struct SeenValues<'t> {
    documents: usize,
    numbers: HashSet<Vec<&'t str>>,
    prices: HashSet<Vec<&'t str>>,
}

impl Values {
    /// Finds the values in the documents.
    pub fn of(sampled: &Sampled) -> Values {
        let patterns = sampled.cleaner.patterns();
        let mut seen: Vec<SeenValues> = vec![SeenValues::default(); patterns.len()];
        sampled.samples.iter().for_each(|sample| look(sample, &sampled.own().lexer, &mut seen));
        let enough = (MIN_SHARE * sampled.samples.len() as f64).max(MIN_DOCUMENTS as f64);
        let holds_value = |seen: &SeenValues| {
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

    /// Marks the patterns in the source's file.
    pub fn mark(&self, file: &mut PatternFile) {
        for pattern in file.all_mut().filter(|pattern| !pattern.is_touched()) {
            pattern.value = self.patterns.contains(&pattern.id);
        }
    }
}

fn look<'t>(Sample { text, reading }: &Sample<'t>, lexer: &Lexer, seen: &mut [SeenValues<'t>]) {
    // Matches are grouped by pattern.
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
