//! Cleans one document: what to write for it, what to count, and what to tell the user.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::CorpusCleanOptions;
use crate::observer::Observer;
use dehusk_core::cleaning::spans::cutting::is_emptied;
use dehusk_core::cleaning::{Cleaner, Cleaning, Expected, Grounds, Reading};
use dehusk_core::cut::{Cut, strip};
use dehusk_core::dom::page_judge::PageJudge;
use dehusk_core::html::{Metadata, Tree, page_markdown};
use dehusk_core::setting::Setting;
use dehusk_corpus::memory::Need;
use dehusk_corpus::{Document, HtmlView, Page, ReadOptions};

use super::Cleaned;
use super::cleaners::{Cleaners, CleaningScratch, SourceCleaner};
use super::spans;
use crate::WarningKind;

/// Cleans documents, from any thread.
pub struct DocumentCleaner<'a> {
    /// The cleaners of the sources.
    pub cleaners: Cleaners<'a>,
    /// Whether the report has a line for each document.
    pub reports: bool,
    observer: &'a dyn Observer,
    /// The judge that decides instead of the patterns, if there is one.
    page_judge: Option<&'a PageJudge>,
    /// Maximum share of a document that may be removed.
    max_removed: f64,
    /// The text that replaces removed text, if there is one.
    replacement: Option<&'a str>,
    /// The form in which pages are written.
    html: HtmlView,
}

/// The form of the output for a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The document, in place of the original.
    InPlace,
    /// The document alone.
    Alone,
    /// A line of JSON with the document's text or page.
    Line,
    /// A line of JSON with the positions of the text that would be removed.
    Spans(spans::SpanUnit),
}

/// The place of a document, as shown to people.
#[derive(Clone, Copy, Debug)]
pub struct DocumentName<'a> {
    /// The file's path.
    pub file: &'a str,
    /// The number of the record in the file, from 1, if the file has many.
    pub record: Option<u64>,
}

/// The result for one document.
#[derive(Debug)]
pub struct Outcome {
    /// The document's source.
    pub source: String,
    /// Its counts.
    pub count: Cleaned,
    /// The output to write.
    pub written: Written,
    /// Its line in the report, if there is a report.
    pub report: Option<String>,
}

/// The output for a document.
#[derive(Debug)]
pub enum Written {
    /// The original bytes, because no boilerplate is known in the document.
    AsRead,
    /// The cleaned text.
    Text(String),
    /// The cleaned page.
    Page(String),
    /// A line of JSON.
    Line(String),
}

impl<'a> DocumentCleaner<'a> {
    /// Uses these cleaners and options. `html` is the form in which pages are written.
    pub fn new(
        cleaners: Cleaners<'a>,
        options: &'a CorpusCleanOptions,
        html: HtmlView,
        reports: bool,
        observer: &'a dyn Observer,
    ) -> DocumentCleaner<'a> {
        let replacement = options.replacement.as_deref().filter(|text| !text.is_empty());
        let (max_removed, page_judge) = (options.max_removed, options.page_judge.as_ref());
        DocumentCleaner { cleaners, reports, observer, page_judge, max_removed, replacement, html }
    }

    /// Cleans one document, which must have been read with enough memory for cleaning ([`need_to_clean`]). Fails if a
    /// search for a pattern was given up, or if a judge of pages gets a document that is not a page.
    pub fn clean(
        &self,
        document: &Document,
        place: DocumentName,
        form: Form,
        scratch: &mut CleaningScratch,
    ) -> Result<Outcome, String> {
        let (source, scratch) = self.cleaners.of(document.source.as_str(), document.tree.is_some(), scratch);
        // A run that is stopped must not wait for a slow regex.
        let go_on = || self.observer.go_on().is_ok();
        let tree = document.tree.as_deref().filter(|_| self.page_judge.is_none());
        let reading = source.cleaner.read_page(scratch, &document.text, tree, &go_on);
        let reading = reading.map_err(|error| error.to_string())?;
        let cleaning = match self.page_judge {
            None => source.cleaner.explain(&document.text, &reading),
            Some(judge) => source.cleaner.explain_by(&reading, &judged(document, judge)?),
        };
        Ok(self.outcome(document, place, form, source, &reading, cleaning))
    }

    /// The result for a document with this cleaning.
    pub fn outcome(
        &self,
        document: &Document,
        place: DocumentName,
        form: Form,
        SourceCleaner { cleaner, watch }: &SourceCleaner,
        reading: &Reading,
        cleaning: Cleaning,
    ) -> Outcome {
        if let Some(warning) = &document.warning {
            self.observer.warn(WarningKind::Malformed, &format!("{place}: {warning}"));
        }
        let (grounds, expected) = (cleaning.grounds, cleaning.expected);
        if cleaning.ignores_choices {
            tell_of_ignored_choices(place, self.observer);
        }
        let stripped = self.within_limit(document, cleaning, place);
        let emptied = is_emptied(&document.text, &stripped.text);
        if emptied {
            let message = format!("{place}: all its text is removed as boilerplate; nothing is left");
            self.observer.warn(WarningKind::Emptied, &message);
        }

        let mut count = Cleaned {
            documents: 1,
            patterns_found: watch.as_ref().map_or(0, |watch| watch.found(reading)),
            bytes_in: document.text.len() as u64,
            bytes_out: stripped.text.len() as u64,
            emptied: usize::from(emptied),
            kept_whole: usize::from(stripped.is_kept_whole),
            grounds: if stripped.is_kept_whole { Grounds::default() } else { grounds },
            expected: if stripped.is_kept_whole { Expected { lost: 0, ..expected } } else { expected },
            converted: 0,
        };

        let report = self.reports.then(|| report_line(document, place, cleaner, reading, &count));
        let written = self.written(document, stripped, form, cleaner);
        let is_new = matches!(written, Written::Text(_) | Written::Page(_));
        // A page keeps its encoding.
        count.converted = usize::from(document.encoding.is_some() && is_new && document.page.is_none());
        Outcome { source: document.source.as_str().to_owned(), count, written, report }
    }

    /// Keeps a document unchanged, with a warning, if more of it would be removed than is allowed.
    fn within_limit(&self, document: &Document, cleaning: Cleaning, place: DocumentName) -> Stripped {
        let text = cleaning.strip(&document.text);
        let removed = 1.0 - text.len() as f64 / document.text.len().max(1) as f64;
        if removed <= self.max_removed {
            return Stripped { cleaning, text, is_kept_whole: false };
        }
        let percent = 100.0 * removed;
        let message = format!(
            "{place}: kept whole, because {percent:.1} % of it would be removed, more than {} allows",
            Setting::MaxRemoved
        );
        self.observer.warn(WarningKind::KeptWhole, &message);
        Stripped { cleaning: Cleaning::default(), text: document.text.to_string(), is_kept_whole: true }
    }

    fn written(&self, document: &Document, stripped: Stripped, form: Form, cleaner: &Cleaner) -> Written {
        let Stripped { cleaning, text, .. } = stripped;
        let is_untouched = cleaning.spans.is_empty() && !document.is_view;
        // With patterns, the output is always UTF-8, whether a pattern matched or not. A page keeps its encoding,
        // because its markup declares it.
        let stays_encoded = document.encoding.is_none() || document.page.is_some() || cleaner.count() == 0;
        match form {
            Form::Spans(unit) => Written::Line(spans::line(document, &cleaning, unit)),
            _ if self.html == HtmlView::Json => {
                Written::Line(metadata_line(document, &self.text(document, &cleaning, text), form))
            }
            Form::InPlace | Form::Alone if is_untouched && stays_encoded => Written::AsRead,
            Form::InPlace | Form::Alone => match &document.page {
                Some(page) => Written::Page(self.page(document, page, &cleaning)),
                None => Written::Text(self.text(document, &cleaning, text)),
            },
            Form::Line => Written::Line(match &document.page {
                Some(page) => document_line(document, None, Some(&self.page(document, page, &cleaning))),
                None => document_line(document, Some(&self.text(document, &cleaning, text)), None),
            }),
        }
    }

    fn text(&self, document: &Document, cleaning: &Cleaning, stripped: String) -> String {
        match (&document.tree, self.replacement) {
            (Some(tree), _) if self.html == HtmlView::Markdown && document.is_view => {
                self.markdown(document, tree, cleaning)
            }
            (_, Some(replacement)) => strip(&document.text, &cleaning.replacing(&document.text, replacement)),
            (_, None) => stripped,
        }
    }

    fn markdown(&self, document: &Document, tree: &Tree, cleaning: &Cleaning) -> String {
        let cuts = self.cuts(document, cleaning);
        page_markdown(&document.text, tree, &cuts, document.url.as_deref())
    }

    fn page(&self, document: &Document, page: &Page, cleaning: &Cleaning) -> String {
        page.without(&document.text, &self.cuts(document, cleaning))
    }

    fn cuts(&self, document: &Document, cleaning: &Cleaning) -> Vec<Cut<'_>> {
        match self.replacement {
            Some(replacement) => cleaning.replacing(&document.text, replacement),
            None => cleaning.cuts(&document.text),
        }
    }
}

/// The memory needed to clean documents that are read with these options. With trees, the blocks of pages are judged
/// too.
pub fn need_to_clean(options: &ReadOptions) -> Need {
    if options.tree { Need::TO_JUDGE } else { Need::TO_CLEAN }
}

/// Warns that choices of the user for pages have no effect on a document.
pub fn tell_of_ignored_choices(place: impl fmt::Display, observer: &dyn Observer) {
    observer.warn(WarningKind::IgnoredChoices, &format!("{place}: {}", ignored_choices()));
}

/// The message that choices of the user for pages have no effect. What is favored has an effect on every text.
pub fn ignored_choices() -> String {
    let (headline, byline, comments) = (Setting::Headline, Setting::Byline, Setting::Comments);
    format!("{headline}, {byline} and {comments} do nothing here: it is no HTML page, or it is cleaned as text")
}

/// The settings with which a user chooses parts of pages (`PageChoices`), for messages.
pub fn settings_of_choices() -> String {
    format!("{}, {}, {} and {}", Setting::Favor, Setting::Headline, Setting::Byline, Setting::Comments)
}

/// The parts of a page to remove, each with its score.
fn judged(document: &Document, judge: &PageJudge) -> Result<Vec<(Range<usize>, f32)>, String> {
    let tree = document.tree.as_deref().ok_or("it is no HTML page, and other texts need patterns")?;
    Ok(judge.boilerplate(&document.text, tree, document.url.as_deref(), document.boxes.as_deref()))
}

/// A text without the removed parts.
struct Stripped {
    cleaning: Cleaning,
    text: String,
    is_kept_whole: bool,
}

/// The line of the report for a document that was not cleaned.
pub fn skip_line(DocumentName { file, record }: DocumentName, reason: &str) -> String {
    line(&SkipLine { file, record, skipped: reason })
}

/// The line of the report for a cleaned document. It counts the matches of each pattern. Rejected patterns count too,
/// because they keep the text that they match.
fn report_line(
    document: &Document,
    place: DocumentName,
    cleaner: &Cleaner,
    reading: &Reading,
    count: &Cleaned,
) -> String {
    let mut patterns: BTreeMap<&str, u64> = BTreeMap::new();
    for found in &reading.matches {
        *patterns.entry(&cleaner.pattern(found.pattern).id).or_default() += 1;
    }
    let DocumentName { file, record } = place;
    let (id, source) = (&document.id, document.source.as_str());
    let Cleaned { bytes_in, bytes_out, grounds, expected, .. } = *count;
    line(&ReportLine { file, record, id, source, bytes_in, bytes_out, removed: grounds, expected, patterns })
}

fn document_line(document: &Document, text: Option<&str>, html: Option<&str>) -> String {
    let (source, url) = (document.source.as_str(), document.url.as_deref());
    line(&DocumentLine { id: &document.id, source, url, text, html })
}

/// A line with the metadata that a page declares, and its text. A page that is written alone needs no id and no source.
fn metadata_line(document: &Document, text: &str, form: Form) -> String {
    let metadata = document.declared.as_deref().zip(document.tree.as_deref());
    let metadata = metadata.map(|(declared, tree)| declared.metadata(&document.text, tree, document.url.as_deref()));
    let name = (form != Form::Alone).then_some((document.id.as_str(), document.source.as_str())).unzip();
    line(&MetadataLine { id: name.0, source: name.1, metadata: metadata.unwrap_or_default(), text })
}

/// A JSON object as a line.
fn line(object: &impl Serialize) -> String {
    // Strings and numbers can always be written.
    let mut line = serde_json::to_string(object).unwrap_or_default();
    line.push('\n');
    line
}

#[derive(Serialize)]
struct SkipLine<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
    skipped: &'a str,
}

#[derive(Serialize)]
struct ReportLine<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
    id: &'a str,
    source: &'a str,
    bytes_in: u64,
    bytes_out: u64,
    removed: Grounds,
    expected: Expected,
    patterns: BTreeMap<&'a str, u64>,
}

/// A line with a document: its text, or its page.
#[derive(Serialize)]
struct DocumentLine<'a> {
    id: &'a str,
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<&'a str>,
}

/// A line with the metadata that a page declares, and its text.
#[derive(Serialize)]
struct MetadataLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(flatten)]
    metadata: Metadata,
    text: &'a str,
}

impl fmt::Display for DocumentName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.record {
            Some(record) => write!(f, "{}:{record}", self.file),
            None => f.write_str(self.file),
        }
    }
}

#[cfg(test)]
mod tests {
    use dehusk_corpus::SourceId;

    use super::*;

    #[test]
    fn a_line_has_no_keys_without_value() {
        let place = DocumentName { file: "a.html", record: None };
        assert_eq!(
            skip_line(place, "an \"odd\" one"),
            concat!(r#"{"file":"a.html","skipped":"an \"odd\" one"}"#, "\n")
        );
        let place = DocumentName { record: Some(3), ..place };
        assert_eq!(skip_line(place, "odd"), concat!(r#"{"file":"a.html","record":3,"skipped":"odd"}"#, "\n"));
        let source = SourceId::parse("tide").expect("a source");
        let document = Document::new("1".to_owned(), source, String::new());
        assert_eq!(
            document_line(&document, Some("a\nb"), None),
            concat!(r#"{"id":"1","source":"tide","text":"a\nb"}"#, "\n")
        );
        let document = Document { url: Some("http://tide/".to_owned()), ..document };
        assert_eq!(
            document_line(&document, None, Some("<p>")),
            concat!(r#"{"id":"1","source":"tide","url":"http://tide/","html":"<p>"}"#, "\n")
        );
    }
}
