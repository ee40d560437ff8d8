//! One document with what is removed marked, and beside it the pattern of the selected mark.

use std::ops::Range;
use std::sync::Arc;

use maud::{Markup, html};

use super::Links;
use crate::cleaning::{Cleaner, Cleaning, Origin, Reading};
use crate::patterns::{PatternFile, SHARED};
use crate::review::documents::Texts;
use crate::review::query::in_short;
use crate::shown;
use crate::view::marks::{self, Mark, MarkKind};
use crate::view::percent;
use crate::view::report::documents::removed_parts;

/// Number of characters shown at first. For a longer document, "Show more" adds the same number.
pub const SHOWN: usize = 100_000;

/// A document and the data to show it.
pub struct Shown<'s> {
    /// The addresses of the review.
    pub links: &'s Links,
    /// The source. [`SHARED`] for documents of all sources.
    pub source: &'s str,
    /// The documents.
    pub texts: &'s Texts,
    /// The index of the document.
    pub number: usize,
    /// The pattern files, the source's own first.
    pub files: &'s [Arc<PatternFile>],
    /// The compiled patterns.
    pub cleaner: &'s Cleaner,
    /// The document as they read it.
    pub reading: &'s Reading,
    /// What is removed.
    pub cleaning: &'s Cleaning,
    /// Maximum number of characters shown.
    pub limit: usize,
    /// A match to mark, in bytes.
    pub at: Option<Range<usize>>,
}

/// The document, and space for a pattern.
pub fn document(shown: &Shown) -> Markup {
    let Shown { links, source, texts, number, .. } = shown;
    let to = |number: usize| (number < texts.documents.len()).then(|| links.document(source, number));
    html! {
        div.bar {
            h2 #title { (shown::shown(&texts.documents[*number].id)) }
            nav.filters aria-label="Other documents" {
                @if let Some(before) = number.checked_sub(1).and_then(to) { a.filter #before href=(before) { "previous " kbd { "[" } } }
                @if let Some(next) = to(number + 1) { a.filter #next href=(next) { "next " kbd { "]" } } }
            }
        }
        div.panes.reading {
            section #document aria-label="The document" data-number=(number) { (text(shown)) }
            section.detail #detail aria-label="The selected pattern" {
                p.quiet { "Click on removed text, or press " kbd { "j" } ", to see the pattern that removes it. Select a text and press " kbd { "x" } " to keep it always." }
            }
        }
        div.bar.floating #selection hidden {
            button.primary type="button" data-do="keep" { "Never remove this" kbd { "x" } }
        }
    }
}

/// Only the text.
pub fn text(shown: &Shown) -> Markup {
    let text = &shown.texts.documents[shown.number].text;
    let marks = owned_marks(shown);
    let marks: Vec<Mark> = marks.iter().map(OwnedMark::borrow).collect();
    let removed = text.len() - shown.cleaning.strip(text).len();
    let is_long = text.len() > shown.limit;
    html! {
        p.quiet { (percent(removed as f64 / text.len().max(1) as f64)) " of this document would be removed." }
        (marks::document(text, &marks, shown.limit))
        @if is_long { button type="button" data-do="more-text" data-limit=(shown.limit + SHOWN) { "Show more" } }
    }
}

struct OwnedMark {
    range: Range<usize>,
    kind: MarkKind,
    link: Option<String>,
    label: String,
}

impl OwnedMark {
    fn borrow(&self) -> Mark<'_> {
        Mark { range: self.range.clone(), kind: self.kind, link: self.link.as_deref(), label: &self.label }
    }
}

/// Marks for what is removed, with the pattern responsible, and for what is kept.
fn owned_marks(shown: &Shown) -> Vec<OwnedMark> {
    let text = &shown.texts.documents[shown.number].text;
    let parts = removed_parts(text, shown.cleaner, shown.cleaning).into_iter();
    let mut marks: Vec<OwnedMark> = parts.map(|(range, origin)| removed(shown, range, origin)).collect();
    let is_in_text = |at: &Range<usize>| text.get(at.clone()).is_some();
    marks.extend(shown.at.clone().filter(is_in_text).map(|range| OwnedMark {
        range,
        kind: MarkKind::Matched,
        link: None,
        label: "the pattern matches here, but the text is kept".to_owned(),
    }));
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

fn removed(shown: &Shown, range: Range<usize>, origin: Option<Origin>) -> OwnedMark {
    let Some(Origin { file, index }) = origin else {
        let label = "removed because of its shape, or with the text around it".to_owned();
        return OwnedMark { range, kind: MarkKind::RemovedByShape, link: None, label };
    };
    let source = if file == 0 { shown.source } else { SHARED };
    let pattern = &shown.files[file].patterns[index];
    let shared = if file == 0 { "" } else { "shared pattern: " };
    let label = format!("{shared}{}", in_short(&pattern.example));
    OwnedMark { range, kind: MarkKind::Removed, link: Some(shown.links.pattern(source, &pattern.id)), label }
}
