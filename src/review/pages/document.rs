//! One document with marks on the removed text: either its text, with the pattern of the selected mark beside it, or
//! the document as a page.

use std::ops::Range;
use std::sync::Arc;

use maud::{Markup, html};
use serde::Deserialize;

use super::Links;
use crate::review::Version;
use crate::review::documents::Texts;
use crate::review::query::in_short;
use crate::view::marks::{self, Mark, MarkKind};
use crate::view::percent;
use crate::view::report::documents::removed_parts;
use dehusk_core::cleaning::{Cleaner, Cleaning, Origin, Reading};
use dehusk_core::patterns::{PatternFile, SHARED};
use dehusk_core::shown;

/// Number of characters shown at first. For a longer document, "Show more" adds the same number.
pub const CHARACTERS_AT_FIRST: usize = 100_000;

/// How a document is shown.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// Its text.
    #[default]
    Text,
    /// The page, if the document is one. Other documents are shown as text.
    Page,
}

/// A document among others.
#[derive(Clone, Copy)]
pub struct Located<'s> {
    /// The addresses of the review.
    pub links: &'s Links,
    /// The source. [`SHARED`] for documents of all sources.
    pub source: &'s str,
    /// The documents.
    pub texts: &'s Texts,
    /// The index of the document.
    pub number: usize,
}

impl<'s> Located<'s> {
    fn text(&self) -> &'s str {
        &self.texts.documents[self.number].text
    }
}

/// The text of a document and the data to show it.
pub struct Shown<'s> {
    /// The document.
    pub at: Located<'s>,
    /// The pattern files, the source's own first.
    pub files: &'s [Arc<PatternFile>],
    /// The compiled patterns.
    pub cleaner: &'s Cleaner,
    /// The document as the compiled patterns read it.
    pub reading: &'s Reading,
    /// What the patterns remove.
    pub cleaning: &'s Cleaning,
    /// Maximum number of characters shown.
    pub limit: usize,
    /// A match to mark, in bytes.
    pub match_at: Option<Range<usize>>,
}

/// The name of the document, and links to its other view, and to other documents in the same view.
fn bar(at: Located, wanted: View) -> Markup {
    let Located { links, source, texts, number } = at;
    let document = &texts.documents[number];
    let views = [(View::Text, "Text"), (View::Page, "Page")];
    let to = |number: usize| (number < texts.documents.len()).then(|| links.document_as(source, number, wanted));
    html! {
        div.bar {
            h2 #title { (shown::shown(&document.id)) }
            @if document.tree.is_some() {
                nav.filters aria-label="Views of this document" {
                    @for (view, title) in views {
                        a.filter href=(links.document_as(source, number, view)) aria-current=[(view == wanted).then_some("true")] { (title) }
                    }
                }
            }
            nav.filters aria-label="Other documents" {
                @if let Some(before) = number.checked_sub(1).and_then(to) { a.filter #before href=(before) { "previous " kbd { "[" } } }
                @if let Some(next) = to(number + 1) { a.filter #next href=(next) { "next " kbd { "]" } } }
            }
        }
    }
}

/// The three answers to the question whether the right text is removed. "Right" leads to the next document, after the last
/// one to the source.
fn judgement(Located { links, source, texts, number }: Located, wanted: View) -> Markup {
    let next = match number + 1 < texts.documents.len() {
        true => links.document_as(source, number + 1, wanted),
        false => links.source(source),
    };
    html! {
        div.bar role="group" aria-label="Is the right text removed?" {
            a.button href=(next) { "Right " kbd { "]" } }
            button type="button" data-do="too-much" { "Too much " kbd { "j" } }
            button type="button" data-do="remove" { "Too little " kbd { "d" } }
        }
    }
}

/// The document as a page with marks, in a frame in which it cannot act. `version` is that of the patterns.
pub fn framed(at: Located, version: Version) -> Markup {
    let Located { links, source, number, .. } = at;
    html! {
        (bar(at, View::Page))
        iframe.framed title="The document as a page" sandbox="" referrerpolicy="no-referrer" src=(links.drawn(source, number, version)) {}
    }
}

/// The text of the document, and space for a pattern. `wanted` is the view in which links open other documents.
pub fn document(shown: &Shown, wanted: View) -> Markup {
    html! {
        (bar(shown.at, wanted))
        div.panes.reading {
            section #document aria-label="The document" data-number=(shown.at.number) { (text(shown)) }
            section.detail #detail aria-label="The selected pattern" {
                (judgement(shown.at, wanted))
                p { "Too much: click on removed text to see the pattern that removes it, and reject it. "
                    "Or select a text and press " kbd { "x" } ": it is never removed." }
                p { "Too little: select the text and press " kbd { "d" } ": it is always removed." }
            }
        }
        div.bar.floating #selection hidden {
            button.primary type="button" data-do="keep" { "Never remove this" kbd { "x" } }
            button type="button" data-do="remove" { "Always remove this" kbd { "d" } }
        }
    }
}

/// Only the text.
pub fn text(shown: &Shown) -> Markup {
    let text = shown.at.text();
    let marks = owned_marks(shown);
    let marks: Vec<Mark> = marks.iter().map(OwnedMark::borrow).collect();
    let removed = text.len() - shown.cleaning.strip(text).len();
    let is_long = text.len() > shown.limit;
    html! {
        p.quiet { (percent(removed as f64 / text.len().max(1) as f64)) " of this document would be removed." }
        (marks::document(text, &marks, shown.limit))
        @if is_long { button type="button" data-do="more-text" data-limit=(shown.limit + CHARACTERS_AT_FIRST) { "Show more" } }
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

/// Marks for removed text, with the pattern responsible, and for text that is kept.
fn owned_marks(shown: &Shown) -> Vec<OwnedMark> {
    let text = shown.at.text();
    let parts = removed_parts(text, shown.cleaner, shown.cleaning).into_iter();
    let mut marks: Vec<OwnedMark> = parts.map(|(range, origin)| removed(shown, range, origin)).collect();
    let is_in_text = |at: &Range<usize>| text.get(at.clone()).is_some();
    marks.extend(shown.match_at.clone().filter(is_in_text).map(|range| OwnedMark {
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
        let label = "removed without a pattern, because of what it is and what stands around it".to_owned();
        let link = (shown.at.source != SHARED).then(|| shown.at.links.loose(shown.at.source));
        return OwnedMark { range, kind: MarkKind::RemovedUnmatched, link, label };
    };
    let source = if file == 0 { shown.at.source } else { SHARED };
    let pattern = &shown.files[file].patterns[index];
    let shared = if file == 0 { "" } else { "shared pattern: " };
    let label = format!("{shared}{}", in_short(&pattern.example));
    OwnedMark { range, kind: MarkKind::Removed, link: Some(shown.at.links.pattern(source, &pattern.id)), label }
}
