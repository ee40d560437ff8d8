//! Documents with marks, and matches with their context.
//!
//! Takes a text and ranges of its bytes, gives HTML. Nothing in the text is interpreted as markup. Each line is an
//! element of its own with the direction of its words, and marks end at the ends of lines.

use std::ops::Range;

use maud::{Markup, html};

use dehusk_core::tokens::characters::{is_mark, is_run_character};

/// The meaning of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// Removed because of a pattern.
    Removed,
    /// Removed, although no pattern matches it.
    RemovedUnmatched,
    /// Matched by the selected pattern.
    Matched,
    /// Never removed.
    Kept,
}

/// A marked range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark<'a> {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The meaning.
    pub kind: MarkKind,
    /// The link of the mark, such as `#3742adb3`.
    pub link: Option<&'a str>,
    /// The tooltip of the mark, such as the ids of the patterns. May be empty.
    pub label: &'a str,
}

/// A text with its marks. Only the first `limit` characters are shown, and the number of further characters.
///
/// Marks may have any order. Where two marks overlap, the common part belongs to the mark that starts first, or to the
/// longer mark if both start together. Bounds inside a character are moved to its start.
pub fn document(text: &str, marks: &[Mark], limit: usize) -> Markup {
    let shown = text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end]);
    let marks = disjoint(shown, marks);
    let hidden = text[shown.len()..].chars().count();
    html! {
        div.document {
            @for line in lines(shown) { div.line dir="auto" { (marked_line(shown, line, &marks)) } }
            @if hidden > 0 { p.more { (hidden_in_words(hidden)) } }
        }
    }
}

fn hidden_in_words(count: usize) -> String {
    match count {
        1 => "1 more character is not shown.".to_owned(),
        _ => format!("{} more characters are not shown.", super::grouped(count as u64)),
    }
}

/// A match with the text before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Some words before it.
    pub before: String,
    /// The match. Of a long match, only the start and the end.
    pub matched: String,
    /// Some words after it.
    pub after: String,
}

/// Number of characters shown on either side of a match.
const AROUND: usize = 60;
/// Number of characters shown of a match: half from its start, half from its end.
const MATCHED: usize = 240;

/// A match with its context, on one line: a line break is `⏎`, and omitted text is `…`.
///
/// Words and characters are not cut, except words longer than the shown part.
pub fn context(text: &str, range: Range<usize>) -> Context {
    let (start, end) = (floor(text, range.start), floor(text, range.end.max(range.start)));
    Context { before: end_of(&text[..start]), matched: middle_out(&text[start..end]), after: start_of(&text[end..]) }
}

/// A match with its context. The match is marked.
pub fn in_context(text: &str, range: Range<usize>) -> Markup {
    let Context { before, matched, after } = context(text, range);
    html! {
        span.context dir="auto" { (before) mark.matched { (matched) } (after) }
    }
}

/// A part of a line, with its mark if it has one.
type MarkedPart<'m> = (Range<usize>, Option<&'m Mark<'m>>);

/// The marks, sorted, without the parts that earlier marks cover.
fn disjoint<'m>(text: &str, marks: &'m [Mark<'m>]) -> Vec<(Range<usize>, &'m Mark<'m>)> {
    let mut sorted: Vec<&Mark> = marks.iter().collect();
    sorted.sort_by_key(|mark| (mark.range.start, std::cmp::Reverse(mark.range.end)));
    let mut covered = 0;
    let mut disjoint = Vec::with_capacity(sorted.len());
    for mark in sorted {
        let range = floor(text, mark.range.start).max(covered)..floor(text, mark.range.end);
        if !range.is_empty() {
            covered = range.end;
            disjoint.push((range, mark));
        }
    }
    disjoint
}

/// The start of the character that has this byte, or the end of the text for a byte beyond its end.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The lines of a text, without line ends.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let range = start..start + line.trim_end_matches(['\r', '\n']).len();
        start += line.len();
        range
    })
}

/// One line with its marks. White space at its ends is not marked.
fn marked_line(text: &str, line: Range<usize>, marks: &[(Range<usize>, &Mark)]) -> Markup {
    html! {
        @for (part, mark) in parts(text, line, marks) {
            @if let Some(mark) = mark { (marked(&text[part], mark)) } @else { (text[part]) }
        }
    }
}

/// A line cut into parts with and without a mark. The marks must be disjoint and sorted.
fn parts<'m>(text: &str, line: Range<usize>, marks: &[(Range<usize>, &'m Mark<'m>)]) -> Vec<MarkedPart<'m>> {
    let words = trimmed(text, line.clone());
    let first = marks.partition_point(|(range, _)| range.end <= words.start);
    let in_words =
        |(range, mark): &(Range<usize>, &'m Mark<'m>)| (range.start.max(words.start)..range.end.min(words.end), *mark);
    let marked = marks[first..].iter().map(in_words).take_while(|(part, _)| !part.is_empty());
    let mut parts = Vec::new();
    let mut at = line.start;
    for (part, mark) in marked {
        parts.push((at..part.start, None));
        at = part.end;
        parts.push((part, Some(mark)));
    }
    parts.push((at..line.end, None));
    parts
}

/// A range without the white space at its ends.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let end = range.start + text[range.clone()].trim_end().len();
    end - text[range.start..end].trim_start().len()..end
}

fn marked(text: &str, mark: &Mark) -> Markup {
    let label = Some(mark.label).filter(|label| !label.is_empty());
    let inner = html! { @if let Some(link) = mark.link { a href=(link) { (text) } } @else { (text) } };
    match mark.kind {
        MarkKind::Removed => html! { del.removed title=[label] { (inner) } },
        MarkKind::RemovedUnmatched => html! { del.removed.unmatched title=[label] { (inner) } },
        MarkKind::Matched => html! { mark.matched title=[label] { (inner) } },
        MarkKind::Kept => html! { ins.kept title=[label] { (inner) } },
    }
}

/// The last words of the text before a match.
fn end_of(text: &str) -> String {
    let cut = text.char_indices().rev().nth(AROUND - 1).filter(|&(at, _)| at > 0);
    let Some((cut, _)) = cut else { return on_one_line(text) };
    format!("…{}", on_one_line(text[whole_from(text, cut)..].trim_start()))
}

/// The first words of the text after a match.
fn start_of(text: &str) -> String {
    let Some((cut, _)) = text.char_indices().nth(AROUND) else { return on_one_line(text) };
    format!("{}…", on_one_line(text[..whole_until(text, cut)].trim_end()))
}

/// A match on one line. Of a long match, only the first and the last words.
fn middle_out(text: &str) -> String {
    let head = text.char_indices().nth(MATCHED / 2);
    let tail = text.char_indices().rev().nth(MATCHED / 2 - 1);
    let (Some((head, _)), Some((tail, _))) = (head, tail) else { return on_one_line(text) };
    if tail <= head {
        return on_one_line(text);
    }
    let (head, tail) = (&text[..whole_until(text, head)], &text[whole_from(text, tail)..]);
    format!("{} … {}", on_one_line(head.trim_end()), on_one_line(tail.trim_start()))
}

/// The first position from a cut on that is not inside a word. The cut itself if it is in the last word.
fn whole_from(text: &str, cut: usize) -> usize {
    (cut..text.len()).find(|&at| !is_inside(text, at)).unwrap_or(cut)
}

/// The last position up to a cut that is not inside a word. The cut itself if it is in the first word.
fn whole_until(text: &str, cut: usize) -> usize {
    (1..=cut).rev().find(|&at| !is_inside(text, at)).unwrap_or(cut)
}

/// Whether this position is inside a word or a character.
fn is_inside(text: &str, at: usize) -> bool {
    if !text.is_char_boundary(at) {
        return true;
    }
    let (Some(before), Some(after)) = (text[..at].chars().next_back(), text[at..].chars().next()) else { return false };
    is_mark(after) || before == '\u{200d}' || (is_run_character(before) && is_run_character(after))
}

/// Replaces each stretch of white space by one space, or by `⏎` between spaces if the stretch contains a line break.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(char::is_whitespace) {
        let space = rest[at..].len() - rest[at..].trim_start().len();
        line.push_str(&rest[..at]);
        line.push_str(if rest[at..at + space].contains('\n') { " ⏎ " } else { " " });
        rest = &rest[at + space..];
    }
    line + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::view::testing::text_of;

    fn mark(range: Range<usize>) -> Mark<'static> {
        Mark { range, kind: MarkKind::Removed, link: None, label: "" }
    }

    fn drawn(text: &str, marks: &[Mark]) -> String {
        document(text, marks, usize::MAX).into_string().replace("</div><div", "</div>\n<div")
    }

    #[test]
    fn a_mark_never_crosses_a_line() {
        insta::assert_snapshot!(drawn("Share now\nTweet\n\nStory", &[mark(6..15)]), @r#"
        <div class="document"><div class="line" dir="auto">Share <del class="removed">now</del></div>
        <div class="line" dir="auto"><del class="removed">Tweet</del></div>
        <div class="line" dir="auto"></div>
        <div class="line" dir="auto">Story</div></div>
        "#);
    }

    #[test]
    fn the_white_space_around_a_line_is_not_marked() {
        let html = drawn("  a b \n \nc", &[mark(0..9)]);
        insta::assert_snapshot!(html, @r#"
        <div class="document"><div class="line" dir="auto">  <del class="removed">a b</del> </div>
        <div class="line" dir="auto"> </div>
        <div class="line" dir="auto">c</div></div>
        "#);
    }

    #[test]
    fn a_mark_says_what_it_is_and_where_it_leads() {
        let marks = [
            Mark { link: Some("#3742"), label: "3742", ..mark(0..2) },
            Mark { kind: MarkKind::RemovedUnmatched, ..mark(3..5) },
            Mark { kind: MarkKind::Matched, ..mark(6..8) },
        ];
        insta::assert_snapshot!(drawn("ab cd ef", &marks).replace("> <", "> \n<"), @r##"
        <div class="document"><div class="line" dir="auto"><del class="removed" title="3742"><a href="#3742">ab</a></del> 
        <del class="removed unmatched">cd</del> 
        <mark class="matched">ef</mark></div></div>
        "##);
    }

    #[test]
    fn text_is_never_markup() {
        let text = "<script>\"x\" & 'y'</script></div>";
        let hostile = Mark { link: Some("\"><b>"), label: "\"><b>", ..mark(3..12) };
        let html = document(text, &[hostile], usize::MAX).into_string();
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
        assert_eq!(text_of(&html), text);
    }

    #[test]
    fn overlapping_marks_share_nothing() {
        let html = drawn("abcdef", &[mark(2..5), mark(0..3), mark(0..2), mark(9..12)]);
        assert_eq!(html, drawn("abcdef", &[mark(0..3), mark(3..5)]));
    }

    #[test]
    fn beyond_the_limit_it_says_how_much_more_there_is() {
        let html = document("éé\nabc", &[mark(2..8)], 4).into_string();
        assert_eq!(text_of(&html), "ééa2 more characters are not shown.");
        let html = document("éé\nabc", &[], 6).into_string();
        assert_eq!(text_of(&html), "ééabc");
    }

    #[test]
    fn context_keeps_words_whole() {
        let text = format!("{} Share this {}", "unbelievable ".repeat(9), "improbably ".repeat(9));
        let start = text.find("Share").unwrap();
        let context = context(&text, start..start + 10);
        insta::assert_snapshot!(format!("{}\n{}\n{}", context.before, context.matched, context.after), @r#"
        …unbelievable unbelievable unbelievable unbelievable 
        Share this
         improbably improbably improbably improbably improbably…
        "#);
    }

    #[test]
    fn context_is_one_line() {
        let Context { before, matched, after } = context("Home\n\n  Share\tnow\n", 8..17);
        assert_eq!([before, matched, after], ["Home ⏎ ", "Share now", " ⏎ "].map(String::from));
    }

    #[test]
    fn context_cuts_between_any_two_characters_of_scripts_without_spaces() {
        let text = format!("{}共有{}", "新".repeat(80), "か\u{3099}".repeat(80));
        let context = context(&text, 240..246);
        assert_eq!(context.before.chars().count(), AROUND + 1);
        assert_eq!(context.after, format!("{}…", "か\u{3099}".repeat(AROUND / 2)));
    }

    #[test]
    fn of_a_long_match_start_and_end_are_shown() {
        let text = format!("First {} last", "word ".repeat(100));
        let matched = context(&text, 0..text.len()).matched;
        assert!(
            matched.starts_with("First word") && matched.ends_with("word last") && matched.contains(" word … word ")
        );
        let endless = "x".repeat(1000);
        assert_eq!(context(&endless, 500..501).before, format!("…{}", "x".repeat(AROUND)));
        assert!(context(&endless, 0..1000).matched.chars().count() <= MATCHED + 3);
    }

    proptest! {
        #[test]
        fn the_text_of_marks_is_the_text(
            text in "[a-c<>&\"' éا手\u{301}\n]{0,40}",
            ranges in prop::collection::vec((0usize..90, 0usize..90), 0..6),
        ) {
            let marks: Vec<Mark> = ranges.iter().map(|&(start, end)| mark(start..end)).collect();
            let html = document(&text, &marks, usize::MAX).into_string();
            let lines = html.split("<div class=\"line\"").skip(1).map(|line| text_of(&format!("<{line}")));
            let lines: Vec<String> = lines.collect();
            prop_assert_eq!(lines, text.lines().map(String::from).collect::<Vec<String>>());
        }

        #[test]
        fn context_is_found_for_any_range(
            text in "[a-c é手\u{301}\n]{0,300}",
            start in 0usize..400,
            end in 0usize..400,
        ) {
            let whole = context(&text, start..end);
            prop_assert!(on_one_line(&text).contains(whole.before.trim_start_matches('…').trim()));
            prop_assert!(on_one_line(&text).contains(whole.after.trim_end_matches('…').trim()));
        }
    }
}
