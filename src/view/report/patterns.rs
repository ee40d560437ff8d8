//! The patterns of a file and what they do, as cards and tables.
//!
//! Takes a pattern file and the effects of its patterns, gives HTML: the first patterns in full, the next ones in a
//! table, the rest as a count. The number of patterns in each part, and how much they remove, is always given.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::ranking::Ranking;
use crate::view::charts::strip;
use crate::view::marks::{context, in_context};
use crate::view::rows::reading;
use crate::view::{grouped, percent, size};
use dehusk_core::patterns::{Pattern, PatternFile, SHARED, Status};
use dehusk_core::selection::effects::PatternEffect;
use dehusk_core::shown::shown;

/// Maximum number of patterns in the table.
const PATTERNS_LISTED: usize = 500;

/// The patterns of a file, and what they do.
#[derive(Clone, Copy, Debug)]
pub struct Patterns<'a> {
    /// The prefix of the ids of their elements, such as `s1`.
    pub anchor: &'a str,
    /// The address of the page that shows the patterns in full. Empty if it is this page.
    pub page: &'a str,
    /// The file.
    pub file: &'a PatternFile,
    /// The effect of each pattern, in the order of the file.
    pub effects: &'a [PatternEffect],
    /// Some matches of the patterns that are shown in full.
    pub sights: &'a Sights,
    /// Number of documents that were looked at.
    pub documents: usize,
    /// Maximum number of patterns that are shown in full. The same number of rejected patterns is shown, too.
    pub in_full: usize,
}

/// Matches with their context, by pattern.
pub type Sights = BTreeMap<usize, Vec<Sight>>;

/// A match with its context, and the name of the document.
#[derive(Clone, Debug)]
pub struct Sight {
    document: String,
    context: Markup,
}

impl Sight {
    /// A match in a document's text.
    pub fn new(document: &str, text: &str, bytes: std::ops::Range<usize>) -> Sight {
        Sight { document: document.to_owned(), context: in_context(text, bytes) }
    }
}

/// The id of a pattern's element.
pub fn anchor(prefix: &str, pattern: usize) -> String {
    format!("{prefix}-p{pattern}")
}

impl Patterns<'_> {
    /// Draws all patterns: first the applied ones, then the rejected ones.
    pub fn draw(&self) -> Markup {
        let Ranking { applied, rejected } = Ranking::of(self.file, self.effects);
        html! {
            h3 id={ (self.anchor) "-patterns" } { "Patterns" }
            @if applied.is_empty() { p.quiet { "There are none." } } @else {
                p.quiet { "Sorted by how much they remove. " (self.removed_in_words(&applied)) }
                (self.some(&applied))
            }
            @if !rejected.is_empty() {
                h3 { "Rejected patterns" }
                p.quiet { "They remove nothing. Sorted by number of matches." }
                (self.some(&rejected))
            }
        }
    }

    /// Whether the page has an element for a pattern, in full or in the table, to which a link can lead. False for
    /// shared patterns if there are too many: which of them have one is not known until all sources are processed.
    pub fn has_element(&self, ranking: &Ranking, pattern: usize) -> bool {
        let shown = self.in_full.saturating_add(PATTERNS_LISTED);
        let is_shown = || self.file.source != SHARED && ranking.in_full(shown).any(|shown| shown == pattern);
        self.file.patterns.len() <= shown || is_shown()
    }

    /// The address of a pattern.
    pub fn link(&self, pattern: usize) -> String {
        format!("{}#{}", self.page, anchor(self.anchor, pattern))
    }

    fn some(&self, patterns: &[usize]) -> Markup {
        let (in_full, rest) = patterns.split_at(self.in_full.min(patterns.len()));
        let (listed, counted) = rest.split_at(PATTERNS_LISTED.min(rest.len()));
        html! {
            @for &index in in_full { (self.card(index)) }
            @if !listed.is_empty() {
                p.quiet { "In short: the next " (self.removed_in_words(listed)) }
                (self.table(listed))
            }
            @if !counted.is_empty() { p.quiet { "Not shown: the last " (self.removed_in_words(counted)) } }
        }
    }

    fn removed_in_words(&self, patterns: &[usize]) -> String {
        let removed = patterns.iter().map(|&index| self.effects[index].removed).sum();
        let count = grouped(patterns.len() as u64);
        match patterns.len() {
            1 => format!("{count} pattern, which removes {}.", size(removed)),
            _ => format!("{count} patterns, which together remove {}.", size(removed)),
        }
    }

    fn card(&self, index: usize) -> Markup {
        let (pattern, effect) = (&self.file.patterns[index], &self.effects[index]);
        html! {
            article.pattern id=(anchor(self.anchor, index)) {
                header {
                    (status(pattern.status))
                    code.id { (pattern.id) }
                    (strip(&effect.places))
                    (self.counts(pattern, effect))
                }
                (reading(pattern, self.file.lexer.mutable()))
                (sights(self.sights.get(&index).map_or(&[], Vec::as_slice)))
                @if !pattern.note.is_empty() { p { "Note: " bdi { (pattern.note) } } }
                details { summary { @if pattern.elements().is_some() { "CSS selector" } @else { "Regex" } } code.source dir="auto" { (pattern.regex) } }
            }
        }
    }

    fn counts(&self, pattern: &Pattern, effect: &PatternEffect) -> Markup {
        html! {
            ul.counts {
                @if pattern.status != Status::Rejected { li { b { (size(effect.removed)) } " removed" } }
                li {
                    b { (grouped(effect.documents as u64)) } " of " (grouped(self.documents as u64)) " documents, "
                    b { (grouped(effect.matches as u64)) } " matches"
                }
                li { (when_mined(pattern)) }
                @if let Some(words) = pattern.ends_after { li { "articles end before it, after " b { (words) } " words" } }
            }
        }
    }

    fn table(&self, patterns: &[usize]) -> Markup {
        table(patterns.iter().map(|&index| Row {
            id: html! { code.id id=(anchor(self.anchor, index)) { (self.file.patterns[index].id) } },
            pattern: &self.file.patterns[index],
            effect: &self.effects[index],
        }))
    }

    /// The patterns that match something here, with links to their elements. For patterns that are shown in full
    /// elsewhere, such as shared patterns.
    pub fn at_work(&self) -> Option<Markup> {
        let mut matching: Vec<usize> =
            (0..self.effects.len()).filter(|&index| self.effects[index].matches > 0).collect();
        let effect = |index: usize| &self.effects[index];
        matching.sort_by_key(|&index| std::cmp::Reverse((effect(index).removed, effect(index).matches)));
        let (listed, counted) = matching.split_at(PATTERNS_LISTED.min(matching.len()));
        let ranking = Ranking::of(self.file, self.effects);
        let id = |index: usize| {
            let id = html! { code.id { (self.file.patterns[index].id) } };
            let has_element = self.has_element(&ranking, index);
            html! { @if has_element { a href=(self.link(index)) { (id) } } @else { (id) } }
        };
        (!matching.is_empty()).then(|| {
            html! {
                p.quiet { (self.removed_in_words(&matching)) }
                (table(listed.iter().map(|&index| Row {
                    id: id(index), pattern: &self.file.patterns[index], effect: effect(index),
                })))
                @if !counted.is_empty() { p.quiet { "Not shown: the last " (self.removed_in_words(counted)) } }
            }
        })
    }
}

/// A row of the table.
struct Row<'a> {
    id: Markup,
    pattern: &'a Pattern,
    effect: &'a PatternEffect,
}

fn table<'a>(rows: impl Iterator<Item = Row<'a>>) -> Markup {
    html! {
        table.overview {
            thead { tr {
                th scope="col" { "pattern" } th scope="col" { "status" } th scope="col" { "example" }
                th.number scope="col" { "documents" } th.number scope="col" { "removed" }
            } }
            tbody { @for row in rows { tr {
                th scope="row" { (row.id) }
                td data-label="status" { (status(row.pattern.status)) }
                td { bdi { (example(row.pattern)) } }
                td.number data-label="documents" { (grouped(row.effect.documents as u64)) }
                td.number data-label="removed" { (size(row.effect.removed)) }
            } } }
        }
    }
}

/// A status, in the same form on all pages.
pub fn status(status: Status) -> Markup {
    html! { span class={ "status " (status.name()) } { (status.name()) } }
}

/// The example of a pattern, or its regex if there is no example. Of a long one, only the start and the end.
fn example(pattern: &Pattern) -> String {
    let text = if pattern.example.trim().is_empty() { &pattern.regex } else { &pattern.example };
    context(text.trim(), 0..text.trim().len()).matched
}

fn when_mined(pattern: &Pattern) -> String {
    let [documents, among, occurrences] =
        [pattern.documents, pattern.among, pattern.occurrences].map(|count| grouped(count as u64));
    let removes =
        pattern.removes.map_or(String::new(), |removes| format!(", {} of the removed words", percent(removes)));
    match pattern.among {
        0 => "without counts: written by hand".to_owned(),
        _ => format!("when mined: {documents} of {among} documents, {occurrences} occurrences{removes}"),
    }
}

fn sights(sights: &[Sight]) -> Markup {
    html! {
        @if !sights.is_empty() {
            ul.contexts { @for Sight { document, context } in sights { li { (context) cite { bdi { (shown(document)) } } } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::testing::text_of;
    use dehusk_core::patterns::LexerCache;

    fn file(patterns: &str) -> PatternFile {
        let yaml = format!(
            "dehusk: 1\nsource: s\nmined: {{documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}}\npatterns:\n{patterns}"
        );
        PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
    }

    /// Draws the patterns of a file, and those at work, if each pattern removes this many bytes.
    fn drawn(file: &PatternFile, removed: usize, in_full: usize) -> (String, String) {
        let effects =
            vec![PatternEffect { removed, matches: 1, documents: 1, ..PatternEffect::default() }; file.patterns.len()];
        let sights = Sights::from([(0, vec![Sight::new("<b>1.txt", "so <i>Read more</i>", 6..15)])]);
        let patterns =
            Patterns { anchor: "s1", page: "", file, effects: &effects, sights: &sights, documents: 2, in_full };
        let at_work = patterns.at_work().map(|table| text_of(&table.into_string()));
        (patterns.draw().into_string(), at_work.unwrap_or_default())
    }

    #[test]
    fn a_card_says_all_there_is_to_know() {
        let entry =
            "  - {id: a, regex: Read more, documents: 8, among: 9, occurrences: 10, ends_after: 30, note: <u>}\n";
        let (html, _) = drawn(&file(entry), 1200, 1);
        assert!(html.contains("<article class=\"pattern\" id=\"s1-p0\">"), "{html}");
        let text = text_of(&html);
        for part in [
            "1 pattern, which removes 1.2\u{a0}kB.",
            "1 of 2 documents, 1 matches",
            "when mined: 8 of 9 documents, 10 occurrences",
            "articles end before it, after 30 words",
            "so <i>Read more</i><b>1.txt",
            "Note: <u>",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!html.contains("<b>1.txt") && !html.contains("<i>") && !html.contains("<u>"), "{html}");
    }

    #[test]
    fn the_card_of_a_selector_has_its_share_of_the_removed_words() {
        let entry = "  - {id: a, drop: aside, documents: 8, among: 9, occurrences: 10, removes: 0.125}\n";
        let text = text_of(&drawn(&file(entry), 0, 1).0);
        assert!(
            text.contains("when mined: 8 of 9 documents, 10 occurrences, 12.5\u{a0}% of the removed words"),
            "{text}"
        );
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let entries: String =
            (0..PATTERNS_LISTED + 3).map(|number| format!("  - {{id: a{number}, regex: a{number}}}\n")).collect();
        let (html, at_work) = drawn(&file(&entries), 10, 1);
        let text = text_of(&html);
        assert_eq!(html.matches("<article").count(), 1);
        assert_eq!(html.matches("<tr><th scope=\"row\"").count(), PATTERNS_LISTED);
        assert!(text.contains("503 patterns, which together remove 5.0\u{a0}kB."), "{text}");
        assert!(text.contains("the next 500 patterns, which together remove 5.0\u{a0}kB."), "{text}");
        assert!(text.contains("Not shown: the last 2 patterns, which together remove 20\u{a0}B."), "{text}");
        assert!(at_work.contains("Not shown: the last 3 patterns, which together remove 30\u{a0}B."), "{at_work}");
    }

    #[test]
    fn rejected_patterns_stand_behind_the_others() {
        let (html, _) = drawn(&file("  - {id: a, regex: a, status: rejected}\n  - {id: b, regex: b}\n"), 0, 9);
        let places =
            ["Patterns</h3>", "id=\"s1-p1\"", "Rejected patterns</h3>", "id=\"s1-p0\""].map(|part| html.find(part));
        assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
    }
}
