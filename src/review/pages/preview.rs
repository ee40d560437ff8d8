//! What a decision would change: how many documents, which text is removed in addition, and which text comes back.

use maud::{Markup, html};

use super::Links;
use super::pattern::{contexts, count};
use crate::review::preview::{Difference, Excerpt, Preview};
use crate::view::grouped;
use crate::view::marks::{Context, context};
use dehusk_core::patterns::{SHARED, Status};
use dehusk_core::selection::effects::SampleMatch;
use dehusk_core::shown::shown;

/// Maximum number of different texts, or matches, that are shown.
const EXAMPLES_SHOWN: usize = 5;

/// The heading of a preview, such as `If you accept it`.
pub fn if_you(status: Status) -> &'static str {
    match status {
        Status::Accepted => "If you accept it",
        Status::Rejected => "If you reject it",
        Status::Proposed => "If you set it back",
    }
}

/// The changes that a decision for this status would make.
pub fn preview(links: &Links, status: Status, preview: &Preview) -> Markup {
    html! {
        @if preview.documents > 0 { (changes(links, preview)) } @else if status == Status::Accepted && preview.matches[0].matches > 0 {
            p { "No document changes: all that it matches is removed already, or kept by you. From now on it is always removed." }
        } @else {
            p { "No document changes." }
        }
        (gaps(preview))
    }
}

/// The changes that an edited regex would make in the source of its pattern.
pub fn trial(links: &Links, source: &str, id: &str, preview: &Preview) -> Markup {
    let [now, then] = preview.matches;
    let texts = preview.texts.first().map(|(_, texts)| texts);
    let found = |title: &str, matches: &[SampleMatch]| {
        html! {
            @if let (Some(texts), false) = (texts, matches.is_empty()) {
                h3 { (title) ": " (grouped(matches.len() as u64)) }
                (contexts(links, source, id, texts, &matches[..matches.len().min(EXAMPLES_SHOWN)]))
            }
        }
    };
    html! {
        table.trial {
            thead { tr { td {} th scope="col" { "now" } th scope="col" { "with this edit" } } }
            tbody {
                tr { th scope="row" { "matches" } td { (grouped(now.matches as u64)) } td { (grouped(then.matches as u64)) } }
                tr { th scope="row" { "documents with a match" } td { (grouped(now.documents as u64)) } td { (grouped(then.documents as u64)) } }
            }
        }
        @if preview.documents > 0 { (changes(links, preview)) } @else { p { "No document changes." } }
        (gaps(preview))
        (found("New matches", &preview.gained))
        (found("No longer matched", &preview.lost))
    }
}

fn changes(links: &Links, preview: &Preview) -> Markup {
    let Preview { documents, sampled, removed, back, .. } = preview;
    html! {
        p { b { (grouped(*documents as u64)) } " of " (count(*sampled, "document")) (if *documents == 1 { " changes." } else { " change." }) }
        (difference(links, preview, removed, true))
        (difference(links, preview, back, false))
    }
}

fn difference(links: &Links, preview: &Preview, difference: &Difference, is_removed: bool) -> Markup {
    let title = if is_removed { "Removed in addition" } else { "No longer removed" };
    let Difference { words, unmatched, excerpts } = difference;
    html! {
        @if !excerpts.is_empty() {
            p {
                (title) ": " b { (count(*words, "word")) }
                @if *unmatched > 0 && unmatched < words { ", of these " b { (grouped(*unmatched as u64)) } " that no pattern matches" }
            }
            ul.contexts {
                @for shown in excerpts.iter().take(EXAMPLES_SHOWN) { (excerpt(links, preview, shown, is_removed)) }
            }
            @if excerpts.len() > EXAMPLES_SHOWN { p.quiet { "… and " (count(excerpts.len() - EXAMPLES_SHOWN, "other text")) "." } }
        }
    }
}

/// A text that is removed in addition, or comes back, with the text around it.
fn excerpt(links: &Links, preview: &Preview, excerpt: &Excerpt, is_removed: bool) -> Markup {
    let Excerpt { document: (of, number), bytes, is_unmatched, places } = excerpt;
    let (source, texts) = &preview.texts[*of];
    let page = &texts.documents[*number];
    let Context { before, matched, after } = context(&page.text, bytes.clone());
    html! {
        li {
            span.context dir="auto" {
                (before)
                @if !is_removed { ins.kept { (matched) } } @else if *is_unmatched { del.removed.unmatched { (matched) } } @else { del.removed { (matched) } }
                (after)
            }
            cite {
                @if *places > 1 { (grouped(*places as u64)) " times, as in " }
                @if source == SHARED { (shown(&page.source)) " / " }
                a href=(links.document(source, *number)) { (shown(&page.id)) }
            }
        }
    }
}

/// Warnings about documents that were not looked at.
fn gaps(preview: &Preview) -> Markup {
    html! {
        @if let Some(failure) = &preview.failure { p.warning { (failure) } }
        @if preview.sampled < preview.of {
            p.warning { "It takes too long: only " (grouped(preview.sampled as u64)) " of " (grouped(preview.of as u64)) " documents could be looked at." }
        }
    }
}
