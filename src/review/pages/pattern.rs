//! One pattern: its words, its effect, and the buttons to decide on it.

use std::ops::Range;
use std::sync::Arc;

use maud::{Markup, html};

use super::{Links, name};
use crate::review::decision::Entry;
use crate::review::documents::Texts;
use crate::review::many::{ChosenPatterns, Group};
use crate::review::query::in_short;
use crate::view::charts::strip;
use crate::view::marks::in_context;
use crate::view::rows::reading;
use crate::view::{grouped, percent, size};
use dehusk_core::patterns::{Pattern, PatternFile, SHARED, Status};
use dehusk_core::selection::effects::{PatternEffect, SampleMatch};
use dehusk_core::shown::shown;

/// What is shown until a preview is there.
pub const COMPUTED: &str = "What would change is being computed …";

/// A pattern and the data to show it.
pub struct PatternView<'s> {
    /// The addresses of the review.
    pub links: &'s Links,
    /// The source of its file.
    pub source: &'s str,
    /// The file.
    pub file: &'s PatternFile,
    /// The pattern.
    pub pattern: &'s Pattern,
    /// Its effect, if known.
    pub effect: Option<&'s PatternEffect>,
    /// Whether the effect was computed with the current patterns.
    pub is_fresh: bool,
    /// The documents that were looked at.
    pub texts: &'s Texts,
    /// The decisions on many patterns that the menus offer.
    pub offers: &'s [Offer],
    /// The files that have the same pattern, with its indices. This file is among them.
    pub elsewhere: &'s [(Arc<PatternFile>, Vec<usize>)],
    /// A version that changes when the preview of a decision may be different.
    pub state: &'s str,
}

/// A decision on many patterns.
pub struct Offer {
    /// The patterns.
    pub group: Group,
    /// The number of undecided patterns among them.
    pub count: usize,
}

/// The selected pattern.
pub fn detail(seen: &PatternView) -> Markup {
    let PatternView { links, source, pattern, .. } = seen;
    let page = |page: &str| links.of_pattern(source, &pattern.id, page);
    html! {
        article.pattern #pattern data-id=(pattern.id) data-version=(Entry::of(pattern).version())
            data-status=(pattern.status.name()) data-source=(source) data-page=(page("")) data-state=(seen.state) {
            h2.unseen { "Pattern " (pattern.id) }
            (actions(seen))
            (head(seen))
            (reading(pattern, seen.file.lexer.mutable()))
            @if let Some(words) = pattern.ends_after {
                p { "Articles end before this pattern if they have " (words) " words of prose before it: all text that follows is removed." }
            }
            @if !pattern.note.is_empty() { p.note { b { "Note: " } (pattern.note) } }
            (note_form(pattern))
            (edit_form(pattern))
            (elsewhere(seen))
            (matches(seen))
            div.preview data-preview=(page("preview")) { p.quiet { (COMPUTED) } }
            details { summary { (written(pattern)) } code.source { (pattern.regex) } }
        }
    }
}

fn head(seen: &PatternView) -> Markup {
    let PatternView { pattern, effect, .. } = seen;
    html! {
        header {
            span.status.(pattern.status.name()) { (pattern.status.name()) }
            code.id { (pattern.id) }
            @if seen.source == SHARED { span.quiet { "shared by all sources" } }
            @if let Some(effect) = effect { (strip(&effect.places)) }
            ul.counts aria-busy=[(!seen.is_fresh).then_some("true")] {
                @if pattern.among > 0 {
                    li { "when mined: in " b { (percent(pattern.share())) } " of " (grouped(pattern.among as u64)) " documents" }
                }
                @if let Some(removes) = pattern.removes { li { "accounts for " b { (percent(removes)) } " of the removed words" } }
                @if let Some(sources) = pattern.sources { li { "in " b { (sources) } " sources" } }
                @if !pattern.is_as_mined() { li { "edited or written by hand" } }
                @match effect {
                    Some(effect) => {
                        li { "here: " b { (grouped(effect.matches as u64)) } " matches in " b { (grouped(effect.documents as u64)) } " documents" }
                        li { b { (size(effect.removed)) } " removed because of it" }
                    }
                    None => li { "looking at the documents …" },
                }
            }
        }
    }
}

fn actions(seen: &PatternView) -> Markup {
    let status = seen.pattern.status;
    html! {
        div.bar {
            (decision(seen, Status::Accepted, "Accept", "a", status))
            (decision(seen, Status::Rejected, "Reject", "r", status))
            @if status != Status::Proposed { (back_to_proposed()) }
            button type="button" data-do="edit" aria-expanded="false" { "Edit" kbd { "e" } }
            button type="button" data-do="note" aria-expanded="false" { "Note" kbd { "n" } }
        }
    }
}

/// A button that takes a decision back.
pub fn back_to_proposed() -> Markup {
    html! { button type="button" data-do="status" data-status="proposed" { "Back to proposed" kbd { "p" } } }
}

/// A button that gives the selected pattern a status. `now` is the one that it has.
pub fn status_button(status: Status, verb: &str, key: &str, now: Status) -> Markup {
    html! {
        button type="button" data-do="status" data-status=(status.name()) aria-pressed=(if now == status { "true" } else { "false" }) { (verb) kbd { (key) } }
    }
}

/// A button for this pattern, with a menu for many patterns.
fn decision(seen: &PatternView, status: Status, verb: &str, key: &str, now: Status) -> Markup {
    html! {
        span.split {
            (status_button(status, verb, key, now))
            details {
                summary aria-label=(format!("{verb} many")) { "▾" }
                div.menu {
                    @for &Offer { group, count } in seen.offers {
                        @if is_offered(group, status) && (count > 0 || !group.is_about_one()) {
                            button type="button" data-do="ask" data-status=(status.name()) data-group=(group.name()) disabled[count == 0] {
                                (verb) " " (in_words(group, count))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Patterns without a match cannot be accepted in bulk, and frequent ones cannot be rejected in bulk.
fn is_offered(group: Group, status: Status) -> bool {
    match group {
        Group::Alike | Group::Everywhere | Group::Listed => true,
        Group::Frequent | Group::Lines => status == Status::Accepted,
        Group::Idle => status == Status::Rejected,
    }
}

/// A number with its noun, such as `1 match`, `2 matches`.
pub fn count(number: usize, what: &str) -> String {
    let plural = if what.ends_with("ch") { "es" } else { "s" };
    format!("{} {what}{}", grouped(number as u64), if number == 1 { "" } else { plural })
}

fn in_words(group: Group, count: usize) -> String {
    let count = grouped(count as u64);
    match group {
        Group::Alike => format!("it and the patterns that are nearly the same, {count} in all"),
        Group::Everywhere => format!("it in all {count} files that have it undecided"),
        Group::Listed => format!("all {count} undecided patterns in the list"),
        Group::Frequent => {
            format!("the {count} of them that were in 90 % of documents and would remove no more words than now")
        }
        Group::Lines => format!(
            "the {count} of them that were whole lines in half of the documents and would remove no more words than now"
        ),
        Group::Idle => format!("the {count} of them that match nothing here"),
    }
}

fn note_form(pattern: &Pattern) -> Markup {
    html! {
        div.form #note-form hidden {
            label for="note" { "Note" }
            textarea #note rows="2" { (pattern.note) }
            div.bar {
                button.primary type="button" data-do="save-note" { "Save" kbd { "Ctrl ⏎" } }
                button type="button" data-do="cancel" { "Cancel" kbd { "Esc" } }
            }
        }
    }
}

/// The name of the language in which a pattern is written.
fn written(pattern: &Pattern) -> &'static str {
    if pattern.elements().is_some() { "CSS selector" } else { "Regex" }
}

fn edit_form(pattern: &Pattern) -> Markup {
    let rows = (pattern.regex.len() / 90).clamp(2, 10) + 1;
    html! {
        div.form #edit-form hidden {
            label for="regex" { (written(pattern)) }
            textarea.regex #regex rows=(rows) spellcheck="false" autocapitalize="off" autocomplete="off" { (pattern.regex) }
            div hidden[pattern.elements().is_some()] {
                label for="ends" { "Number of words of prose after which articles end before this pattern (empty: they do not end before it)" }
                input #ends type="number" min="0" step="1" value=[pattern.ends_after];
            }
            div.bar {
                button.primary type="button" data-do="save-regex" { "Save" kbd { "Ctrl ⏎" } }
                button type="button" data-do="cancel" { "Cancel" kbd { "Esc" } }
            }
            div.trial #trial role="status" {}
        }
    }
}

fn matches(seen: &PatternView) -> Markup {
    let Some(effect) = seen.effect else { return html! {} };
    html! {
        @if effect.matches == 0 {
            p.quiet { "It matches nowhere in the " (grouped(seen.texts.documents.len() as u64)) " documents that are looked at." }
        } @else {
            (contexts(seen.links, seen.source, &seen.pattern.id, seen.texts, &shown_first(seen.pattern, effect)))
            @if effect.stay > 0 { p.stay { (staying(seen.pattern.status, effect.stay)) } }
            p { a href=(seen.links.of_pattern(seen.source, &seen.pattern.id, "matches")) data-do="matches" {
                "All " (grouped(effect.matches as u64)) " matches"
            } " " kbd { "m" } }
        }
    }
}

/// The matches to show first: those that are removed, or all if the pattern is rejected.
fn shown_first(pattern: &Pattern, effect: &PatternEffect) -> Vec<SampleMatch> {
    let is_rejected = pattern.status == Status::Rejected;
    effect.sample_matches.iter().filter(|sample_match| is_rejected || !sample_match.stays).cloned().collect()
}

/// How many matches are kept, in words.
fn staying(status: Status, stay: usize) -> Markup {
    html! {
        b { (grouped(stay as u64)) } " of its matches "
        @match status {
            Status::Proposed => "are kept now, because of the text around them. If you accept the pattern, they are removed as well.",
            Status::Accepted | Status::Rejected => "are kept.",
        }
    }
}

/// The other files that have the same pattern.
fn elsewhere(seen: &PatternView) -> Markup {
    const DOCUMENTS_NAMED: usize = 8;
    let others = seen.elsewhere.iter().filter(|(file, _)| file.source != seen.source);
    let others: Vec<(&str, &Pattern)> =
        others.map(|(file, indices)| (file.source.as_str(), &file.patterns[indices[0]])).collect();
    html! {
        @if !others.is_empty() {
            p.quiet.elsewhere {
                "The same pattern is in " (count(others.len(), "other file")) ": "
                @for (number, (source, pattern)) in others.iter().take(DOCUMENTS_NAMED).enumerate() {
                    @if number > 0 { ", " }
                    a href=(seen.links.pattern(source, &pattern.id)) { (name(source)) } " (" (pattern.status.name()) ")"
                }
                @if others.len() > DOCUMENTS_NAMED { ", …" }
                ". The arrows beside Accept and Reject decide in all of them."
            }
        }
    }
}

/// The question before many patterns are decided together. The preview of the changes is filled in later.
pub fn ask(chosen: &ChosenPatterns, status: Status, group: Group) -> Markup {
    let verb = if status == Status::Accepted { "Accept" } else { "Reject" };
    let patterns = count(chosen.count(), "pattern");
    let is_in_many = chosen.files.len() > 1;
    html! {
        h2 #ask-title tabindex="-1" autofocus {
            (verb) " " (patterns) @if is_in_many { " in " (count(chosen.files.len(), "file")) } "?"
        }
        div.preview data-preview="" { p.quiet { (COMPUTED) } }
        details {
            summary { "List of the patterns" }
            ul.names {
                @for (file, pattern) in chosen.patterns() {
                    li dir="auto" { @if is_in_many { (name(&file.source)) ": " } (in_short(&pattern.example)) }
                }
            }
        }
        div.bar {
            button.primary type="button" data-do="all" data-status=(status.name()) data-group=(group.name()) data-seen=(chosen.version()) { (verb) " " (patterns) }
            button type="button" data-do="close-ask" { "Cancel" kbd { "Esc" } }
        }
    }
}

/// Matches with their context and their document.
pub fn contexts(links: &Links, source: &str, id: &str, texts: &Texts, sample_matches: &[SampleMatch]) -> Markup {
    html! {
        ul.contexts {
            @for SampleMatch { text, bytes, stays } in sample_matches {
                @if let Some(page) = texts.documents.get(*text) {
                    li {
                        (in_context(&page.text, within(&page.text, bytes)))
                        cite {
                            @if *stays { span.stays { "kept" } " " }
                            @if source == SHARED { (page.source) " / " }
                            a href=(links.match_in(source, *text, id, stays.then_some(bytes))) { (shown(&page.id)) }
                        }
                    }
                }
            }
        }
    }
}

/// The range, or an empty one if it is not inside the text: known matches may be older than the text.
fn within(text: &str, bytes: &Range<usize>) -> Range<usize> {
    if bytes.end <= text.len() { bytes.clone() } else { 0..0 }
}

/// All matches, 100 at a time.
pub fn all_matches(links: &Links, source: &str, id: &str, texts: &Texts, found: &[SampleMatch], from: usize) -> Markup {
    const MATCHES_AT_A_TIME: usize = 100;
    let end = found.len().min(from + MATCHES_AT_A_TIME);
    html! {
        @if from == 0 { h3 #matches-title tabindex="-1" { "All " (count(found.len(), "match")) } }
        (contexts(links, source, id, texts, found.get(from..end).unwrap_or_default()))
        @if end < found.len() {
            button type="button" data-do="more-matches" data-from=(end) { "Show more" }
        }
    }
}
