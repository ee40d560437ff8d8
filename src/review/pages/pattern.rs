//! One pattern: its words, its effect, and the buttons to decide on it.

use std::ops::Range;

use maud::{Markup, html};

use super::Links;
use crate::patterns::{Pattern, PatternFile, SHARED, Status, readable};
use crate::review::decision::Entry;
use crate::review::documents::Texts;
use crate::review::query::{Group, in_short};
use crate::review::trial::Trial;
use crate::selection::effects::{PatternEffect, SampleMatch};
use crate::shown::shown;
use crate::view::charts::strip;
use crate::view::chips::chips;
use crate::view::marks::in_context;
use crate::view::{grouped, percent, size};

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
    /// For each group, the number of proposed patterns of the list in it.
    pub groups: &'s [(Group, usize)],
}

/// The selected pattern.
pub fn detail(seen: &PatternView) -> Markup {
    let PatternView { links, source, pattern, .. } = seen;
    let page = |page: &str| links.of_pattern(source, &pattern.id, page);
    html! {
        article.pattern #pattern data-id=(pattern.id) data-version=(Entry::of(pattern).version())
            data-status=(pattern.status.name()) data-source=(source) data-page=(page("")) {
            h2.unseen { "Pattern " (pattern.id) }
            (head(seen))
            p.reading { (chips(&readable::chips(pattern, seen.file.lexer.mutable()))) }
            (actions(seen))
            @if let Some(words) = pattern.ends_after {
                p { "Articles end before this pattern if they have " (words) " words of prose before it: all text that follows is removed." }
            }
            @if !pattern.note.is_empty() { p.note { b { "Note: " } (pattern.note) } }
            (note_form(pattern))
            (edit_form(pattern))
            (matches(seen))
            details { summary { "Regex" } code.source { (pattern.regex) } }
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
            @if status != Status::Proposed { button type="button" data-do="status" data-status="proposed" { "Back to proposed" kbd { "p" } } }
            button type="button" data-do="edit" aria-expanded="false" { "Edit" kbd { "e" } }
            button type="button" data-do="note" aria-expanded="false" { "Note" kbd { "n" } }
        }
    }
}

/// A button for this pattern, with a menu for many patterns.
fn decision(seen: &PatternView, status: Status, verb: &str, key: &str, now: Status) -> Markup {
    html! {
        span.split {
            button type="button" data-do="status" data-status=(status.name()) aria-pressed=(if now == status { "true" } else { "false" }) { (verb) kbd { (key) } }
            details {
                summary aria-label=(format!("{verb} many")) { "▾" }
                div.menu {
                    @for &(group, count) in seen.groups {
                        @if is_offered(group, status) {
                            button type="button" data-do="ask" data-status=(status.name()) data-group=(group_name(group)) disabled[count == 0] {
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
        Group::Listed => true,
        Group::Frequent | Group::Lines => status == Status::Accepted,
        Group::Idle => status == Status::Rejected,
    }
}

fn group_name(group: Group) -> &'static str {
    match group {
        Group::Listed => "listed",
        Group::Frequent => "frequent",
        Group::Lines => "lines",
        Group::Idle => "idle",
    }
}

/// Such as `1 match`, `2 matches`.
pub fn count(number: usize, what: &str) -> String {
    let plural = if what.ends_with("ch") { "es" } else { "s" };
    format!("{} {what}{}", grouped(number as u64), if number == 1 { "" } else { plural })
}

fn in_words(group: Group, count: usize) -> String {
    let count = grouped(count as u64);
    match group {
        Group::Listed => format!("all {count} undecided patterns in the list"),
        Group::Frequent => {
            format!("the {count} of them that were in 90 % of documents and would remove no more text than now")
        }
        Group::Lines => format!(
            "the {count} of them that were whole lines in half of the documents and would remove no more text than now"
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

fn edit_form(pattern: &Pattern) -> Markup {
    let rows = (pattern.regex.len() / 90).clamp(2, 10) + 1;
    html! {
        div.form #edit-form hidden {
            label for="regex" { "Regex" }
            textarea.regex #regex rows=(rows) spellcheck="false" autocapitalize="off" autocomplete="off" { (pattern.regex) }
            label for="ends" { "Number of words of prose after which articles end before this pattern (empty: they do not end before it)" }
            input #ends type="number" min="0" step="1" value=[pattern.ends_after];
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
            @if effect.stay > 0 { (staying(seen, effect)) }
            p { a href=(seen.links.of_pattern(seen.source, &seen.pattern.id, "matches")) data-do="matches" {
                "All " (grouped(effect.matches as u64)) " matches"
            } " " kbd { "m" } }
        }
    }
}

/// The matches to show first. Those that stay are shown separately.
fn shown_first(pattern: &Pattern, effect: &PatternEffect) -> Vec<SampleMatch> {
    let is_rejected = pattern.status == Status::Rejected;
    effect.sample_matches.iter().filter(|sample_match| is_rejected || !sample_match.stays).cloned().collect()
}

/// The matches that stay, which accepting the pattern would remove.
fn staying(seen: &PatternView, effect: &PatternEffect) -> Markup {
    let count = grouped(effect.stay as u64);
    html! {
        p.stay {
            @match seen.pattern.status {
                Status::Rejected => { b { (count) } " of its matches are kept." }
                _ => { b { (count) } " of its matches are kept now, because of the text around them. If you accept the pattern, they are removed as well:" }
            }
        }
        @if seen.pattern.status != Status::Rejected {
            (contexts(seen.links, seen.source, &seen.pattern.id, seen.texts, &effect.staying))
        }
    }
}

/// A question about a decision on many patterns.
pub struct Asked<'s> {
    /// The addresses of the review.
    pub links: &'s Links,
    /// The source of the patterns.
    pub source: &'s str,
    /// The documents that were looked at.
    pub texts: &'s Texts,
    /// The patterns and their effects.
    pub chosen: &'s [(&'s Pattern, &'s PatternEffect)],
    /// The new status.
    pub status: Status,
    /// The group of the patterns.
    pub group: Group,
    /// A hash of the ids of the patterns.
    pub version: &'s str,
}

/// The question before many patterns are decided together.
pub fn ask(asked: &Asked) -> Markup {
    const SHOWN: usize = 8;
    let &Asked { links, source, texts, chosen, status, group, version } = asked;
    let verb = if status == Status::Accepted { "Accept" } else { "Reject" };
    let patterns = count(chosen.len(), "pattern");
    let staying: Vec<&(&Pattern, &PatternEffect)> = chosen.iter().filter(|(_, effect)| effect.stay > 0).collect();
    let places: usize = staying.iter().map(|(_, effect)| effect.stay).sum();
    let removed: usize = chosen.iter().map(|(_, effect)| effect.removed).sum();
    html! {
        h2 #ask-title tabindex="-1" autofocus { (verb) " " (patterns) "?" }
        @if status == Status::Rejected {
            p { "Because of them " b { (size(removed)) } " is removed now. Text that other patterns match is still removed." }
        } @else if places == 0 {
            p { "All their matches are removed already; from now on they are always removed." }
        } @else {
            p.warning { (count(places, "match")) " would be removed in addition to what is removed now, also inside sentences:" }
            @for (pattern, effect) in staying.iter().take(SHOWN) {
                (contexts(links, source, &pattern.id, texts, &effect.staying[..1]))
            }
            @if staying.len() > SHOWN { p.quiet { "… and matches of " (count(staying.len() - SHOWN, "more pattern")) "." } }
        }
        details {
            summary { "List of the patterns" }
            ul.names { @for (pattern, _) in chosen { li dir="auto" { (in_short(&pattern.example)) } } }
        }
        div.bar {
            button.primary type="button" data-do="all" data-status=(status.name()) data-group=(group_name(group)) data-seen=(version) { (verb) " " (patterns) }
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

/// The range, if it is inside the text. What is known may be older than the text.
fn within(text: &str, bytes: &Range<usize>) -> Range<usize> {
    if bytes.end <= text.len() { bytes.clone() } else { 0..0 }
}

/// All matches, 100 at a time.
pub fn all_matches(links: &Links, source: &str, id: &str, texts: &Texts, found: &[SampleMatch], from: usize) -> Markup {
    const AT_A_TIME: usize = 100;
    let end = found.len().min(from + AT_A_TIME);
    html! {
        @if from == 0 { h3 #matches-title tabindex="-1" { "All " (count(found.len(), "match")) } }
        (contexts(links, source, id, texts, found.get(from..end).unwrap_or_default()))
        @if end < found.len() {
            button type="button" data-do="more-matches" data-from=(end) { "Show more" }
        }
    }
}

/// The effect of another regex.
pub fn trial(links: &Links, source: &str, id: &str, texts: &Texts, trial: &Trial) -> Markup {
    let [now, then] = &trial.pattern;
    let [total_now, total_then] = trial.total;
    html! {
        table.trial {
            thead { tr { td {} th scope="col" { "now" } th scope="col" { "with this edit" } } }
            tbody {
                tr { th scope="row" { "matches" } td { (grouped(now.matches as u64)) } td { (grouped(then.matches as u64)) } }
                tr { th scope="row" { "documents" } td { (grouped(now.documents as u64)) } td { (grouped(then.documents as u64)) } }
                tr { th scope="row" { "removed because of it" } td { (size(now.removed)) } td { (size(then.removed)) } }
                tr { th scope="row" { "removed in total" } td { (percent(total_now.share())) } td { (percent(total_then.share())) } }
            }
        }
        @if let Some(failure) = &trial.failure { p.warning { (failure) } }
        @if trial.sampled < trial.of {
            p.warning { "The regex is slow: only " (grouped(trial.sampled as u64)) " of " (grouped(trial.of as u64)) " documents could be looked at." }
        }
        (difference("New matches", &trial.gained, |found| contexts(links, source, id, texts, found)))
        (difference("No longer matched", &trial.lost, |found| contexts(links, source, id, texts, found)))
    }
}

fn difference(title: &str, found: &[SampleMatch], contexts: impl Fn(&[SampleMatch]) -> Markup) -> Markup {
    const SHOWN: usize = 5;
    html! {
        @if !found.is_empty() {
            h3 { (title) ": " (grouped(found.len() as u64)) }
            (contexts(&found[..found.len().min(SHOWN)]))
        }
    }
}
