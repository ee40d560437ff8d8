//! One document, cleaned: what is to be written for it, and what there is to count and to tell.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::json;

use dehusk::cleaning::cut::{Cut, is_emptied, strip};
use dehusk::cleaning::{Cleaner, Cleaning, Reading};
use dehusk::corpus::{Document, Page};

use super::cleaners::{Bench, Cleaners, SourceCleaner};
use super::spans;
use crate::cli::often::Kind;
use crate::cli::reporter::Reporter;
use crate::cli::summary::Cleaned;

/// Cleans documents one by one, from any thread.
pub struct DocumentCleaner<'a> {
    pub cleaners: Cleaners<'a>,
    pub reporter: &'a Reporter,
    /// The share of a document that may go.
    pub max_removed: f64,
    /// What is put in the place of what goes, if anything.
    pub replacement: Option<&'a str>,
    /// Whether a line is wanted on each document.
    pub reports: bool,
}

/// What is to be written for a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The document, in its place.
    InPlace,
    /// A line of JSON with its text, or its page.
    Line,
    /// A line of JSON that says what would go.
    Spans(spans::Unit),
}

/// Where a document stands, as people write it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub file: &'a str,
    /// Which record of the file, from 1, if it has many.
    pub record: Option<u64>,
}

/// What became of one document.
#[derive(Debug)]
pub struct Outcome {
    pub source: String,
    pub count: Cleaned,
    pub written: Written,
    /// The line on it, if one is wanted.
    pub report: Option<String>,
}

/// What is to be written for a document.
#[derive(Debug)]
pub enum Written {
    /// What was read, byte for byte: nothing is known to be boilerplate in it.
    AsRead,
    /// The cleaned text.
    Text(String),
    /// The cleaned page.
    Page(String),
    /// A line of its own.
    Line(String),
}

impl DocumentCleaner<'_> {
    /// Cleans one document; an error if a pattern gave up on it.
    pub fn clean(&self, document: &Document, place: Place, form: Form, bench: &mut Bench) -> Result<Outcome, String> {
        if let Some(warning) = &document.warning {
            self.reporter.warn_often(Kind::Malformed, &format!("{place}: {warning}"));
        }
        let (SourceCleaner { cleaner, watch }, scratch) = self.cleaners.of(document.source.as_str(), bench);
        let reading = cleaner.read(scratch, &document.text).map_err(|error| error.to_string())?;
        let stripped = self.within_limit(document, cleaner.cleaning(&document.text, &reading), place);
        let emptied = is_emptied(&document.text, &stripped.text);
        if emptied {
            let message = format!("{place}: all its text is taken for boilerplate; nothing of it is left");
            self.reporter.warn_often(Kind::Emptied, &message);
        }
        let mut count = Cleaned {
            documents: 1,
            patterns_found: watch.as_ref().map_or(0, |watch| watch.found(&reading)),
            bytes_in: document.text.len() as u64,
            bytes_out: stripped.text.len() as u64,
            emptied: usize::from(emptied),
            kept_whole: usize::from(stripped.is_kept_whole),
            converted: 0,
        };
        let report = self.reports.then(|| report_line(document, place, cleaner, &reading, &count));
        let written = self.written(document, stripped, form, cleaner);
        let is_new = matches!(written, Written::Text(_) | Written::Page(_));
        // a page stays in its encoding
        count.converted = usize::from(document.encoding.is_some() && is_new && document.page.is_none());
        Ok(Outcome { source: document.source.as_str().to_owned(), count, written, report })
    }

    /// A document of which more would go than is allowed stays as it is, and that is said.
    fn within_limit(&self, document: &Document, cleaning: Cleaning, place: Place) -> Stripped {
        let text = cleaning.strip(&document.text);
        let removed = 1.0 - text.len() as f64 / document.text.len().max(1) as f64;
        if removed <= self.max_removed {
            return Stripped { cleaning, text, is_kept_whole: false };
        }
        let percent = 100.0 * removed;
        let message =
            format!("{place}: kept whole, for {percent:.1} % of it would be removed, more than --max-removed allows");
        self.reporter.warn_often(Kind::KeptWhole, &message);
        Stripped { cleaning: Cleaning { spans: Vec::new() }, text: document.text.to_string(), is_kept_whole: true }
    }

    fn written(&self, document: &Document, stripped: Stripped, form: Form, cleaner: &Cleaner) -> Written {
        let Stripped { cleaning, text, .. } = stripped;
        let is_untouched = cleaning.spans.is_empty() && !document.is_view;
        // Where there are patterns, what comes out is UTF-8 throughout, whether or not any of them matched; pages say
        // themselves what they are in.
        let stays_encoded = document.encoding.is_none() || document.page.is_some() || cleaner.patterns().is_empty();
        match form {
            Form::Spans(unit) => Written::Line(spans::line(document, &cleaning, unit)),
            Form::InPlace if is_untouched && stays_encoded => Written::AsRead,
            Form::InPlace => match &document.page {
                Some(page) => Written::Page(self.page(document, page, &cleaning)),
                None => Written::Text(self.text(document, &cleaning, text)),
            },
            Form::Line => Written::Line(match &document.page {
                Some(page) => document_line(document, "html", &self.page(document, page, &cleaning)),
                None => document_line(document, "text", &self.text(document, &cleaning, text)),
            }),
        }
    }

    fn text(&self, document: &Document, cleaning: &Cleaning, stripped: String) -> String {
        match self.replacement {
            Some(replacement) => strip(&document.text, &cleaning.replacing(&document.text, replacement)),
            None => stripped,
        }
    }

    fn page(&self, document: &Document, page: &Page, cleaning: &Cleaning) -> String {
        let cuts: Vec<Cut> = match self.replacement {
            Some(replacement) => cleaning.replacing(&document.text, replacement),
            None => cleaning.cuts(&document.text),
        };
        page.without(cuts.into_iter().map(|cut| (cut.range, cut.replacement)))
    }
}

/// A text without what goes.
struct Stripped {
    cleaning: Cleaning,
    text: String,
    is_kept_whole: bool,
}

/// A line on a document that was not cleaned.
pub fn skip_line(place: Place, reason: &str) -> String {
    line(&json!({"file": place.file, "record": place.record, "skipped": reason}))
}

/// A line on a document that was cleaned: which patterns stand in it, and how often. Those of what people rejected act as
/// well, by keeping what they match.
fn report_line(document: &Document, place: Place, cleaner: &Cleaner, reading: &Reading, count: &Cleaned) -> String {
    let mut patterns: BTreeMap<&str, u64> = BTreeMap::new();
    for found in &reading.matches {
        *patterns.entry(&cleaner.patterns()[found.pattern].id).or_default() += 1;
    }
    line(&json!({
        "file": place.file,
        "record": place.record,
        "id": document.id,
        "source": document.source.as_str(),
        "bytes_in": count.bytes_in,
        "bytes_out": count.bytes_out,
        "patterns": patterns,
    }))
}

fn document_line(document: &Document, key: &str, text: &str) -> String {
    line(&json!({"id": document.id, "source": document.source.as_str(), "url": document.url, key: text}))
}

/// An object as a line, without the keys that have no value.
fn line(object: &serde_json::Value) -> String {
    let fields = object.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let object: serde_json::Map<_, _> = fields.map(|(key, value)| (key.clone(), value.clone())).collect();
    format!("{}\n", serde_json::Value::Object(object))
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.record {
            Some(record) => write!(f, "{}:{record}", self.file),
            None => f.write_str(self.file),
        }
    }
}
