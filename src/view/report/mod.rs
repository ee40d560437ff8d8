//! The report: one page that shows what the patterns of all sources do to a corpus.
//!
//! Takes the counts of each source, gives one self-contained HTML page: no script, no network. Links stay within the
//! page, so it can be stored, sent and printed.

pub mod dates;
pub mod documents;
pub mod patterns;
pub mod ranking;
pub mod source;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::patterns::Patterns;
use super::{STYLE, grouped, percent, policy, size};
use crate::patterns::{PatternFile, Status};
use crate::selection::effects::DocumentEffect;
use crate::shown::shown;

/// The prefix of the ids of shared patterns.
pub const SHARED_ANCHOR: &str = "shared";

/// Maximum number of skipped documents that are listed.
const SKIPPED_NAMED: usize = 200;

/// A source in the overview.
#[derive(Clone, Debug, Default)]
pub struct SourceRow {
    /// The id of its section.
    pub anchor: String,
    /// Its name.
    pub name: String,
    /// Number of its documents, including those that could not be read.
    pub documents: usize,
    /// Numbers of its own patterns: proposed, accepted, rejected.
    pub patterns: [usize; 3],
    /// The size of its text, and what is removed.
    pub total: DocumentEffect,
    /// The share that was removed at mining, if known.
    pub when_mined: Option<f64>,
    /// Number of warnings in its section.
    pub warnings: usize,
}

/// The part of the page above the sources.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// All sources, in order.
    pub rows: Vec<SourceRow>,
    /// A sentence on how documents were cleaned.
    pub method: String,
    /// Skipped documents with the reason.
    pub skipped: Vec<String>,
    /// Number of further skipped documents.
    pub unnamed_skips: usize,
}

/// Numbers of patterns in a file: proposed, accepted, rejected.
pub fn by_status(file: &PatternFile) -> [usize; 3] {
    [Status::Proposed, Status::Accepted, Status::Rejected]
        .map(|status| file.patterns.iter().filter(|pattern| pattern.status == status).count())
}

/// The page: the overview, the sections of the sources, and the shared patterns.
pub fn page(overview: &Overview, sections: Vec<Markup>, shared: Option<&Patterns>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head())
            body {
                a.skip href="#main" { "Skip to the sources" }
                (header(overview, shared.is_some()))
                main #main {
                    (overview.draw())
                    @for section in sections { (section) }
                    @if let Some(shared) = shared { (shared_section(shared)) }
                    (skipped(overview))
                }
            }
        }
    }
}

fn head() -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy());
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="generator" content={ "dehusk " (env!("CARGO_PKG_VERSION")) };
            title { "dehusk report" }
            style { (PreEscaped(STYLE)) }
        }
    }
}

fn header(overview: &Overview, has_shared: bool) -> Markup {
    let documents = overview.rows.iter().map(|row| row.documents).sum();
    html! {
        header.page {
            h1 { "dehusk report" }
            p.quiet { (counted(overview.rows.len(), "source")) ", " (counted(documents, "document")) }
            nav aria-label="Parts of this page" {
                a href="#sources" { "Sources" }
                @if has_shared { a href={ "#" (SHARED_ANCHOR) } { "Shared patterns" } }
                @if !overview.skipped.is_empty() { a href="#skipped" { "Skipped documents" } }
            }
        }
    }
}

/// `1 source`, `2 sources`.
fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// The share that is removed. A dash if there is no text.
fn share(effect: DocumentEffect) -> String {
    if effect.bytes == 0 { "–".to_owned() } else { percent(effect.share()) }
}

impl Overview {
    fn draw(&self) -> Markup {
        html! {
            section aria-labelledby="sources" {
                h2 #sources { "Sources" }
                (self.figures())
                p.quiet { (self.method) " Sizes are bytes of text; white space that is removed with other text \
                                         counts." }
                table.overview {
                    thead { tr {
                        th scope="col" { "source" }
                        @for title in ["documents", "patterns", "removed", "share", "when mined", "warnings"] {
                            th.number scope="col" { (title) }
                        }
                    } }
                    tbody { @for row in &self.rows { (row.draw()) } }
                }
            }
        }
    }

    fn figures(&self) -> Markup {
        let sum = |of: fn(&SourceRow) -> usize| self.rows.iter().map(of).sum::<usize>();
        let total = DocumentEffect { bytes: sum(|row| row.total.bytes), removed: sum(|row| row.total.removed) };
        html! {
            dl.figures {
                div { dt { "documents" } dd { (grouped(sum(|row| row.documents) as u64)) } }
                div { dt { "of text" } dd { (size(total.bytes)) } }
                div { dt { "removed" } dd { (share(total)) } }
                div { dt { "patterns of sources" } dd { (grouped(sum(|row| row.patterns.iter().sum()) as u64)) } }
                div { dt { "warnings" } dd { (grouped(sum(|row| row.warnings) as u64)) } }
                @if !self.skipped.is_empty() {
                    @let count = self.skipped.len() + self.unnamed_skips;
                    div { dt { "skipped documents" } dd { (grouped(count as u64)) } }
                }
            }
        }
    }
}

impl SourceRow {
    fn draw(&self) -> Markup {
        let count = |count: usize| grouped(count as u64);
        html! {
            tr {
                th scope="row" { a href={ "#" (self.anchor) } { bdi { (shown(&self.name)) } } }
                td.number data-label="documents" { (count(self.documents)) }
                td.number data-label="patterns" { (self.patterns_in_words()) }
                td.number data-label="removed" { (size(self.total.removed)) }
                td.number data-label="share" { (share(self.total)) }
                td.number data-label="when mined" { (self.when_mined.map_or_else(|| "–".to_owned(), percent)) }
                td.number data-label="warnings" { @if self.warnings > 0 { span.warning { (count(self.warnings)) } } }
            }
        }
    }

    /// The number of patterns by status.
    fn patterns_in_words(&self) -> Markup {
        let [proposed, accepted, rejected] = self.patterns.map(|count| grouped(count as u64));
        html! {
            @if self.patterns[1..] == [0, 0] { (proposed) " proposed" } @else {
                span { (proposed) " proposed, " br; (accepted) " accepted, " br; (rejected) " rejected" }
            }
        }
    }
}

fn shared_section(shared: &Patterns) -> Markup {
    html! {
        section aria-labelledby=(SHARED_ANCHOR) {
            h2 id=(SHARED_ANCHOR) { "Shared patterns" }
            p.quiet { "They act on every source, in addition to its own patterns. Their figures are sums over all \
                       sources." }
            (shared.draw())
            (source::keeps(&shared.file.keep))
        }
    }
}

fn skipped(Overview { skipped, unnamed_skips, .. }: &Overview) -> Markup {
    let named = &skipped[..SKIPPED_NAMED.min(skipped.len())];
    let others = skipped.len() - named.len() + unnamed_skips;
    html! {
        @if !skipped.is_empty() {
            section aria-labelledby="skipped" {
                h2 #skipped { "Skipped documents" }
                ul { @for skipped in named { li dir="auto" { (shown(skipped)) } } }
                @if others > 0 { p.quiet { "Not listed: " (counted(others, "more document")) "." } }
            }
        }
    }
}
