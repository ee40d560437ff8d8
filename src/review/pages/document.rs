//! One document, with what goes of it marked, and beside it the pattern that a mark leads to.

use maud::{Markup, html};

use super::Links;
use super::overview::percent;
use crate::cleaning::{Cleaner, Cleaning, Reading};
use crate::pages::marks::{self, Mark, MarkKind};
use crate::patterns::SHARED;
use crate::review::documents::Texts;

/// Longer documents are shown in parts: so many characters at first, and as many more each time.
pub const SHOWN: usize = 100_000;

/// A document and what is known of it.
pub struct Shown<'s> {
    /// The addresses.
    pub links: &'s Links,
    /// The source, or [`SHARED`] if its documents are looked at together.
    pub source: &'s str,
    /// The documents.
    pub texts: &'s Texts,
    /// Which one.
    pub number: usize,
    /// What removes text from it.
    pub cleaner: &'s Cleaner,
    /// What it matches.
    pub reading: &'s Reading,
    /// What goes.
    pub cleaning: &'s Cleaning,
    /// So many characters are shown.
    pub limit: usize,
}

/// The document, with room for a pattern.
pub fn document(shown: &Shown) -> Markup {
    let Shown { links, source, texts, number, .. } = shown;
    let to = |number: usize| (number < texts.documents.len()).then(|| links.document(source, number));
    html! {
        div.bar {
            h2 #title { (texts.documents[*number].id) }
            nav.filters aria-label="Other documents" {
                @if let Some(before) = number.checked_sub(1).and_then(to) { a.filter #before href=(before) { "before " kbd { "[" } } }
                @if let Some(next) = to(number + 1) { a.filter #next href=(next) { "next " kbd { "]" } } }
            }
        }
        div.panes.reading {
            section #document aria-label="The document" data-number=(number) { (text(shown)) }
            section.detail #detail aria-label="The pattern at hand" {
                p.quiet { "Click on a removal, or press " kbd { "j" } ", to see the pattern behind it. Select a text and press " kbd { "x" } " to keep it for ever." }
            }
        }
        div.bar.floating #selection hidden {
            button.primary type="button" data-do="keep" { "Never remove this" kbd { "x" } }
        }
    }
}

/// The text alone.
pub fn text(shown: &Shown) -> Markup {
    let text = &shown.texts.documents[shown.number].text;
    let marks = owned_marks(shown);
    let marks: Vec<Mark> = marks.iter().map(OwnedMark::borrow).collect();
    let removed = text.len() - shown.cleaning.strip(text).len();
    let is_long = text.len() > shown.limit;
    html! {
        p.quiet { (percent(removed as f64 / text.len().max(1) as f64)) " of it would be removed." }
        (marks::document(text, &marks, shown.limit))
        @if is_long { button type="button" data-do="more-text" data-limit=(shown.limit + SHOWN) { "Show more" } }
    }
}

struct OwnedMark {
    range: std::ops::Range<usize>,
    kind: MarkKind,
    link: Option<String>,
    label: String,
}

impl OwnedMark {
    fn borrow(&self) -> Mark<'_> {
        Mark { range: self.range.clone(), kind: self.kind, link: self.link.as_deref(), label: &self.label }
    }
}

/// What goes, by the patterns behind it; and what is kept.
fn owned_marks(shown: &Shown) -> Vec<OwnedMark> {
    let text = &shown.texts.documents[shown.number].text;
    let mut marks = Vec::new();
    for span in &shown.cleaning.spans {
        let mut at = span.range.start;
        for (range, pattern) in &span.because {
            marks.extend(by_shape(text, at..range.start));
            marks.push(by_pattern(shown, range.clone(), *pattern));
            at = range.end;
        }
        marks.extend(by_shape(text, at..span.range.end));
    }
    let tokens = &shown.reading.tokens.tokens;
    let kept = shown.reading.kept.iter().filter(|kept| !kept.is_empty());
    marks.extend(kept.map(|kept| OwnedMark {
        range: tokens[kept.start].range().start..tokens[kept.end - 1].range().end,
        kind: MarkKind::Kept,
        link: None,
        label: "never removed: it is among the texts to keep".to_owned(),
    }));
    marks
}

fn by_pattern(shown: &Shown, range: std::ops::Range<usize>, pattern: usize) -> OwnedMark {
    let is_own = shown.cleaner.origins()[pattern].file == 0;
    let source = if is_own { shown.source } else { SHARED };
    let id = &shown.cleaner.patterns()[pattern].id;
    let label = if is_own { id.clone() } else { format!("{id}, shared") };
    OwnedMark { range, kind: MarkKind::Removed, link: Some(shown.links.pattern(source, id)), label }
}

/// What no pattern explains, unless it is only the space between what patterns do.
fn by_shape(text: &str, range: std::ops::Range<usize>) -> Option<OwnedMark> {
    let is_something = !text[range.clone()].trim().is_empty();
    let label = "removed for its shape, or with what stands around it".to_owned();
    is_something.then_some(OwnedMark { range, kind: MarkKind::RemovedByShape, link: None, label })
}
