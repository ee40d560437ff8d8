//! The start page: all sources.

use maud::{Markup, html};

use super::{Links, name};
use crate::selection::effects::DocumentEffect;
use crate::view::{grouped, percent};

/// The data of a source.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub source: String,
    /// Number of its documents in the corpus, if already counted.
    pub documents: Option<usize>,
    /// Number of decided patterns, and of all.
    pub decided: [usize; 2],
    /// What is removed from its documents, if already known.
    pub removed: Option<DocumentEffect>,
    /// The share that was removed at mining, if known.
    pub removed_when_mined: Option<f64>,
    /// Warnings about the source.
    pub warnings: Vec<String>,
}

/// The table of sources, and general warnings.
pub fn overview(links: &Links, rows: &[Row], warnings: &[String]) -> Markup {
    let [decided, all] = rows.iter().fold([0, 0], |sum, row| [sum[0] + row.decided[0], sum[1] + row.decided[1]]);
    html! {
        h2 { "Sources" }
        p.quiet { (grouped(decided as u64)) " of " (grouped(all as u64)) " patterns are decided." }
        @for warning in warnings { p.warning { (warning) } }
        table.overview #sources {
            thead { tr {
                th scope="col" { "source" }
                th.number scope="col" { "documents" }
                th.number scope="col" { "patterns" }
                th.number scope="col" { "decided" }
                th.number scope="col" { "text removed" }
                th.number scope="col" { "when mined" }
                th scope="col" { "warnings" }
            } }
            tbody { @for row in rows { (source(links, row)) } }
        }
    }
}

fn source(links: &Links, row: &Row) -> Markup {
    let [decided, all] = row.decided;
    html! {
        tr {
            th scope="row" { a href=(links.source(&row.source)) { (name(&row.source)) } }
            td.number data-label="documents" { @if let Some(documents) = row.documents { (grouped(documents as u64)) } }
            td.number data-label="patterns" { (grouped(all as u64)) }
            td.number data-label="decided" { (grouped(decided as u64)) }
            td.number data-label="text removed" {
                @if let Some(removed) = row.removed { (percent(removed.share())) } @else { span.quiet { "looking …" } }
            }
            td.number data-label="when mined" { @if let Some(share) = row.removed_when_mined { (percent(share)) } }
            td { @for warning in &row.warnings { p.warning { (warning) } } }
        }
    }
}
