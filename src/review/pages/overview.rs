//! The first page: all sources.

use maud::{Markup, html};

use super::{Links, name};
use crate::effects::DocumentEffect;
use crate::pages::{grouped, percent};

/// What is told of a source.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub source: String,
    /// How many documents it has in the corpus, if they are counted yet.
    pub documents: Option<usize>,
    /// How many patterns are decided, and how many there are.
    pub decided: [usize; 2],
    /// What is removed of its documents, if that is known already.
    pub removed: Option<DocumentEffect>,
    /// What was removed when it was mined.
    pub removed_when_mined: Option<f64>,
    /// What a person should know first.
    pub warnings: Vec<String>,
}

/// The sources, a row each, and what else a person should know.
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
                th scope="col" { "to know" }
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
