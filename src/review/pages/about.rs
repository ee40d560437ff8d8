//! The page about a source: charts, figures of mining, texts to keep; and the list of its documents.

use maud::{Markup, html};

use super::Links;
use crate::review::documents::Texts;
use crate::view::charts::{DocumentShare, histogram, removed_over_documents};
use crate::view::{grouped, percent, size};
use dehusk_core::mining::cutoff::{Histogram, choose_cutoff};
use dehusk_core::patterns::{Keep, PatternFile};
use dehusk_core::selection::effects::Effects;
use dehusk_core::selection::warnings::{doubtful_cutoff, few_documents};
use dehusk_core::shown::shown;

/// The charts, the figures, and the texts to keep.
pub fn about(file: &PatternFile, texts: &Texts, effects: Option<&Effects>, warnings: &[String]) -> Markup {
    let mined = &file.mined;
    html! {
        h2 { "About " (super::name(&file.source)) }
        dl.figures {
            (figure("documents when mined", &grouped(mined.documents as u64)))
            (figure("near-duplicates when mined", &grouped(mined.near_duplicates as u64)))
            (figure("documents in the corpus", &grouped(texts.of as u64)))
            (figure("documents looked at", &grouped(texts.documents.len() as u64)))
            (figure("patterns", &grouped(file.patterns.len() as u64)))
            @if let Some(removed) = mined.removed { (figure("removed when mined", &percent(removed))) }
            @if let Some(effects) = effects {
                (figure("removed now", &percent(effects.total().share())))
                (figure("of the content may be lost", &percent(effects.expected.loss())))
            }
        }
        @for warning in warnings { p.warning { (warning) } }
        @if let Some(few) = few_documents(file) { p.quiet { (few) } }
        @for problem in &texts.skipped { p.warning { (shown(problem)) } }
        div.charts {
            @if !mined.histogram.is_empty() { (repeats(file)) }
            @if let Some(effects) = effects { (over_documents(texts, effects)) }
        }
        h2 #keep { "Texts to keep" }
        @if file.keep.is_empty() {
            p.quiet { "None yet. Select a text in a document and press " kbd { "x" } ": it will never be removed." }
        } @else { (keeps(&file.keep)) }
    }
}

fn figure(what: &str, value: &str) -> Markup {
    html! { div { dt { (what) } dd { (value) } } }
}

fn repeats(file: &PatternFile) -> Markup {
    let counts = Histogram::of_hundredths(&file.mined.histogram);
    html! {
        div {
            (histogram(&counts.0, file.mined.cutoff, choose_cutoff(&counts).modes))
            @if let Some(doubt) = doubtful_cutoff(file) { p.quiet { (doubt) } }
        }
    }
}

fn over_documents(texts: &Texts, effects: &Effects) -> Markup {
    let shown = texts.documents.iter().zip(&effects.documents);
    let shares: Vec<DocumentShare> = shown
        .filter_map(|(page, effect)| Some(DocumentShare { name: &page.id, share: effect.as_ref()?.share() }))
        .collect();
    removed_over_documents(&shares)
}

/// The texts to keep in a file, each with a button to remove it.
pub fn keeps(keeps: &[Keep]) -> Markup {
    html! {
        ul.keeps {
            @for keep in keeps {
                li {
                    q dir="auto" { (keep.text()) }
                    @if !keep.note.is_empty() { " " span.quiet { (keep.note) } }
                    " " button type="button" data-do="unkeep" data-text=(keep.text()) { "No longer keep" }
                }
            }
        }
    }
}

/// The documents of a source in the given order.
pub fn documents(links: &Links, source: &str, texts: &Texts, effects: Option<&Effects>, order: &str) -> Markup {
    let share = |index: usize| effects.and_then(|effects| Some((*effects.documents.get(index)?)?.share()));
    let mut all: Vec<usize> = (0..texts.documents.len()).collect();
    let by_share = |a: &usize, b: &usize| share(*a).unwrap_or(-1.0).total_cmp(&share(*b).unwrap_or(-1.0));
    match order {
        "most" => all.sort_by(|a, b| by_share(b, a).then(a.cmp(b))),
        "least" => all.sort_by(|a, b| by_share(a, b).then(a.cmp(b))),
        _ => {}
    }
    let orders = [("", "as in the corpus"), ("most", "most removed first"), ("least", "least removed first")];
    html! {
        h2 { "Documents" }
        @if texts.documents.len() < texts.of {
            p.quiet { (grouped(texts.documents.len() as u64)) " of " (grouped(texts.of as u64)) " documents are looked at, evenly spread; "
                "--max-documents N looks at more."
            }
        }
        nav.filters aria-label="Order" {
            @for (value, title) in orders {
                a.filter href=(format!("{}?order={value}", links.about(source, "documents"))) aria-current=[(value == order).then_some("true")] { (title) }
            }
        }
        table.overview #documents {
            thead { tr { th scope="col" { "document" } th.number scope="col" { "text" } th.number scope="col" { "removed" } } }
            tbody {
                @for index in all {
                    @let page = &texts.documents[index];
                    tr {
                        th scope="row" { a href=(links.document(source, index)) { (shown(&page.id)) } }
                        td.number data-label="text" { (size(page.text.len())) }
                        td.number data-label="removed" { @if let Some(share) = share(index) { (percent(share)) } @else { "–" } }
                    }
                }
            }
        }
    }
}
