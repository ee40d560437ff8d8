//! The start page: all sources.

use maud::{Markup, html};

use super::{Links, encoded, name};
use crate::review::sources::{Beside, Column, Only, Row, SourcesQuery};
use crate::view::{grouped, percent};

/// The columns, each with its title.
const COLUMNS: [(Column, &str, &str); 7] = [
    (Column::Source, "source", "source"),
    (Column::Documents, "documents", "documents"),
    (Column::Patterns, "patterns", "patterns"),
    (Column::Decided, "decided", "decided"),
    (Column::Removed, "removed", "text removed"),
    (Column::Mined, "mined", "when mined"),
    (Column::Warnings, "warnings", "warnings"),
];

/// If more sources than these have no warning, and others have one, they are folded.
const SHOWN_WITHOUT_WARNING: usize = 20;

const FILTERS: [(Only, &str, &str); 4] = [
    (Only::All, "all", "all"),
    (Only::Undecided, "undecided", "undecided"),
    (Only::Warning, "warning", "with a warning"),
    (Only::Doubted, "doubted", "not fully trusted"),
];

/// The table of sources, and general warnings. `rows` are all sources.
pub fn overview(links: &Links, query: &SourcesQuery, rows: Vec<Row>, warnings: &[String]) -> Markup {
    let [decided, all] = rows.iter().fold([0, 0], |sum, row| [sum[0] + row.decided[0], sum[1] + row.decided[1]]);
    html! {
        h2 { "Sources" }
        div.bar {
            label.search { span.unseen { "Search" } input #search type="search" placeholder="Search ( / )" value=(query.search) autocomplete="off" spellcheck="false"; }
        }
        div #overview {
            (filters(links, query, &rows))
            p.quiet { (grouped(decided as u64)) " of " (grouped(all as u64)) " patterns are decided." }
            @for warning in warnings { p.warning { (warning) } }
            (sources(links, query, query.select(rows)))
        }
    }
}

/// The table. In the order at first, sources with a warning come first; if there are many others, these are folded.
fn sources(links: &Links, query: &SourcesQuery, rows: Vec<Row>) -> Markup {
    let with_warning = rows.iter().take_while(|row| !row.warnings.is_empty()).count();
    let is_first_order = query.sort == Column::Warnings && !query.reverse && query.search.is_empty();
    let is_folded = is_first_order && with_warning > 0 && rows.len() - with_warning > SHOWN_WITHOUT_WARNING;
    let (shown, folded) = rows.split_at(if is_folded { with_warning } else { rows.len() });
    html! {
        table.overview #sources {
            thead { tr { @for (column, value, title) in COLUMNS { (heading(links, query, column, value, title)) } } }
            tbody { @for row in shown { (source(links, row)) } }
        }
        @if is_folded {
            details.others {
                summary { (grouped(folded.len() as u64)) " other sources, without a warning" }
                table.overview {
                    thead.unseen { tr { @for (_, _, title) in COLUMNS { th scope="col" { (title) } } } }
                    tbody { @for row in folded { (source(links, row)) } }
                }
            }
        }
    }
}

/// The address of the overview with another filter or order.
fn address(links: &Links, query: &SourcesQuery) -> String {
    let find = |value: Option<&str>| value.unwrap_or_default().to_owned();
    let sort = find(COLUMNS.iter().find(|(column, ..)| *column == query.sort).map(|(_, value, _)| *value));
    let only = find(FILTERS.iter().find(|(only, ..)| *only == query.only).map(|(_, value, _)| *value));
    let search = encoded(&query.search);
    format!("{}?sort={sort}&reverse={}&only={only}&search={search}", links.home(), query.reverse)
}

fn filters(links: &Links, query: &SourcesQuery, rows: &[Row]) -> Markup {
    html! {
        nav.filters aria-label="Which sources" {
            @for (only, value, title) in FILTERS {
                @let to = SourcesQuery { only, ..query.clone() };
                a.filter id={ "only-" (value) } href=(address(links, &to)) data-do="overview" aria-current=[(only == query.only).then_some("true")] {
                    (title) " " b { (grouped(to.select(rows.to_vec()).len() as u64)) }
                }
            }
        }
    }
}

/// A column's title, as a link that sorts by the column. If that is the order already, the link reverses it.
fn heading(links: &Links, query: &SourcesQuery, column: Column, value: &str, title: &str) -> Markup {
    let is_sorted = column == query.sort;
    let to = SourcesQuery { sort: column, reverse: is_sorted && !query.reverse, ..query.clone() };
    let is_ascending = query.reverse != (column == Column::Source);
    let order = is_sorted.then_some(if is_ascending { "ascending" } else { "descending" });
    html! {
        th.number[!matches!(column, Column::Source | Column::Warnings)] scope="col" aria-sort=[order] {
            a.sort id={ "by-" (value) } href=(address(links, &to)) data-do="overview" { (title) }
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

/// Links to the sources beside a source. When all of its patterns are decided, also a link to the next undecided
/// source.
pub fn beside(links: &Links, beside: &Beside, [decided, all]: [usize; 2]) -> Markup {
    let Beside { before, next, next_undecided } = beside;
    let to = |id: &str, to: &Option<String>, sign: &str, title: &str, key: &str| {
        html! {
            @if let Some(source) = to {
                a id=(id) href=(links.source(source)) title=(name(source)) {
                    span aria-hidden="true" { (sign) } span.unseen { (title) ": " (name(source)) } kbd { (key) }
                }
            }
        }
    };
    html! {
        nav.beside #beside aria-label="Other sources" {
            (to("source-before", before, "‹", "Previous source", "P"))
            (to("source-next", next, "›", "Next source", "N"))
        }
        @if decided == all && all > 0 {
            p.finished #finished role="status" {
                "All " (grouped(all as u64)) " patterns of this source are decided. "
                @if let Some(source) = next_undecided {
                    a #undecided href=(links.source(source)) { "Next undecided source: " (name(source)) } " " kbd { "N" }
                } @else { "All sources are decided." }
            }
        } @else { p.finished #finished role="status" hidden {} }
    }
}
