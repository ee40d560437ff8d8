//! The patterns of a source: a list, and the selected pattern beside it.

use maud::{Markup, html};

use super::{Links, loose};
use crate::review::alike::AlikePatterns;
use crate::review::decision::Entry;
use crate::review::documents::Texts;
use crate::review::query::{Query, Sort, effect};
use crate::review::survey::worth;
use crate::view::{grouped, percent};
use dehusk_core::patterns::{Pattern, PatternFile, Status};
use dehusk_core::selection::effects::{DocumentEffect, Effects};
use dehusk_core::shown::shown;

/// Number of patterns listed at a time, if the query does not ask for more.
pub const PATTERNS_AT_A_TIME: usize = 200;

/// The data of the list.
pub struct Listing<'l> {
    /// The addresses of the review.
    pub links: &'l Links,
    /// The source.
    pub source: &'l str,
    /// Its patterns.
    pub file: &'l PatternFile,
    /// Their effects, if known.
    pub effects: Option<&'l Effects>,
    /// The patterns that the person wants to see, and their order.
    pub query: &'l Query,
    /// The listed patterns, in groups of patterns that are nearly the same.
    pub groups: Vec<AlikePatterns>,
}

/// Links to five documents: from the one of which least is removed to the one of which most is removed.
pub fn five_documents(links: &Links, source: &str, texts: &Texts, effects: &Effects) -> Markup {
    let share = |index: usize| effects.documents.get(index).copied().flatten().map(DocumentEffect::share);
    let mut all: Vec<(usize, f64)> =
        (0..texts.documents.len()).filter_map(|index| Some((index, share(index)?))).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let last = all.len().saturating_sub(1);
    let mut chosen: Vec<(usize, f64)> = (0..5).filter_map(|number| all.get(number * last / 4).copied()).collect();
    chosen.dedup();
    html! {
        @if !chosen.is_empty() {
            p.quiet #five {
                "What is removed of: "
                @for (number, (index, share)) in chosen.into_iter().enumerate() {
                    @if number > 0 { ", " }
                    a href=(links.document(source, index)) { (shown(&texts.documents[index].id)) } " (" (percent(share)) ")"
                }
            }
        }
    }
}

/// Links to documents, the list, and space for the selected pattern.
pub fn patterns(listing: &Listing, five: &Markup, detail: Option<&Markup>) -> Markup {
    html! {
        (five)
        div.bar.sticky #controls {
            (statuses(listing))
            label.search { span.unseen { "Search" } input #search type="search" placeholder="Search ( / )" value=(listing.query.search) autocomplete="off" spellcheck="false"; }
            label { "order " select #sort autocomplete="off" { (sorts(listing.query.sort)) } }
        }
        div.panes {
            nav.list #list aria-label="Patterns" { (list(listing, None)) }
            section.detail #detail aria-label="The selected pattern" {
                @if let Some(detail) = detail { (detail) } @else { p.quiet { "No pattern is chosen." } }
            }
        }
    }
}

/// A filter for the status, with the number of patterns of each.
pub fn statuses(listing: &Listing) -> Markup {
    let count = |status: Option<Status>| {
        let is_it = |pattern: &&Pattern| status.is_none_or(|status| pattern.status == status);
        listing.file.patterns.iter().filter(is_it).count()
    };
    let all = [None, Some(Status::Proposed), Some(Status::Accepted), Some(Status::Rejected)];
    html! {
        fieldset.filters #statuses {
            legend.unseen { "Status" }
            @for status in all {
                @let name = status.map_or("", Status::name);
                label {
                    input type="radio" name="status" autocomplete="off" value=(name) checked[status == listing.query.status];
                    (if name.is_empty() { "all" } else { name }) " " b { (grouped(count(status) as u64)) }
                }
            }
        }
    }
}

fn sorts(chosen: Sort) -> Markup {
    let all = [
        (Sort::Removed, "removed", "most removed first"),
        (Sort::Documents, "documents", "in most documents first"),
        (Sort::Place, "place", "nearest the head first"),
        (Sort::Regex, "regex", "as in the file"),
    ];
    html! { @for (sort, value, title) in all { option value=(value) selected[sort == chosen] { (title) } } }
}

/// A part of the list, with a button for the next part. A group is never divided.
pub fn list(listing: &Listing, current: Option<&str>) -> Markup {
    let Listing { file, effects, query, groups, .. } = listing;
    let removed = effects.map_or(0, |effects| effects.total().removed);
    let all = groups.iter().map(|group| group.all().count()).sum();
    let wanted = query.from.saturating_add(query.count.max(PATTERNS_AT_A_TIME));
    let mut end = 0;
    let is_in_part = |group: &&AlikePatterns| {
        let start = end;
        end += if start < wanted { group.all().count() } else { 0 };
        (query.from..wanted).contains(&start)
    };
    let shown: Vec<&AlikePatterns> = groups.iter().filter(is_in_part).collect();
    html! {
        @if groups.is_empty() { p.quiet.empty { (why_empty(file)) } }
        @for AlikePatterns { first, others } in shown {
            (item(listing, *first, removed, current))
            @if !others.is_empty() {
                details.alike data-of=(file.patterns[*first].id) {
                    summary { (grouped(others.len() as u64)) " more, nearly the same" }
                    @for &index in others { (item(listing, index, removed, current)) }
                }
            }
        }
        @if end >= all && query.lists_loose() && loose::is_listed(file, *effects) {
            (loose::item(listing.links, file, *effects, current == Some("")))
        }
        @if end < all {
            button.more type="button" data-do="more" data-from=(end) { "Show more of " (grouped(all as u64)) }
        }
    }
}

/// A pattern in the list. `all_removed` is the number of bytes that are removed in all.
fn item(listing: &Listing, index: usize, all_removed: usize, current: Option<&str>) -> Markup {
    let Listing { links, source, file, effects, .. } = listing;
    let pattern = &file.patterns[index];
    html! {
        a.item href=(links.pattern(source, &pattern.id)) data-id=(pattern.id) data-version=(Entry::of(pattern).version())
            aria-current=[(current == Some(&pattern.id)).then_some("true")] {
            span.status.(pattern.status.name()) title=(pattern.status.name()) { span.unseen { (pattern.status.name()) } }
            span.text dir="auto" { (on_one_line(&pattern.example)) }
            span.number {
                @match effects.and_then(|effects| effect(effects, index)) {
                    Some(effect) if effect.matches == 0 => "no match",
                    Some(effect) => (share(worth(pattern, effect, all_removed), all_removed)),
                    None => (format!("in {:.0} %", 100.0 * pattern.share())),
                }
            }
        }
    }
}

fn why_empty(file: &PatternFile) -> String {
    match file.patterns.iter().all(|pattern| pattern.status != Status::Proposed) {
        true => {
            let count = grouped(file.patterns.len() as u64);
            format!("All {count} patterns are decided; none has this status and matches this search.")
        }
        false => "No pattern has this status and matches this search.".to_owned(),
    }
}

/// The share of a pattern in everything that is removed.
fn share(removed: usize, of: usize) -> String {
    match 100.0 * removed as f64 / of.max(1) as f64 {
        _ if removed == 0 => "0 %".to_owned(),
        share if share < 0.1 => "< 0.1 %".to_owned(),
        share => format!("{share:.1} %"),
    }
}

/// The first characters of a text, on one line.
fn on_one_line(text: &str) -> String {
    const MOST: usize = 120;
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    line.chars().take(MOST).collect()
}
