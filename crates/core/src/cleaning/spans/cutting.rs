//! Decides which white space is removed together with a span. Nothing else is removed from a text.
//!
//! Takes a document and the spans to remove. Returns the cuts ([`Cut`]). Besides its span, a cut includes only white
//! space that would be left over. A line is removed with its line break. Of the white space on both sides of a cut, the
//! side with more line breaks is kept. If only the span separated two words, it is replaced by a space, except in
//! scripts without spaces.

use std::ops::Range;

use crate::cut::Cut;
use crate::tokens::characters::{ends_in_run, is_run_character};

/// The cuts for some spans. The spans must be sorted, disjoint, and on character boundaries.
pub fn cuts(text: &str, spans: &[Range<usize>]) -> Vec<Cut<'static>> {
    joined(text, spans).iter().map(|span| cut(text, span)).collect()
}

/// The cuts that replace the spans by `replacement`. White space around the spans is kept.
pub fn replacing<'r>(text: &str, spans: &[Range<usize>], replacement: &'r str) -> Vec<Cut<'r>> {
    joined(text, spans).into_iter().map(|range| Cut { range, replacement }).collect()
}

/// Whether a document had text and has none left.
pub fn is_emptied(text: &str, stripped: &str) -> bool {
    stripped.trim().is_empty() && !text.trim().is_empty()
}

/// Joins spans that have only white space between them.
fn joined(text: &str, spans: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans.iter().filter(|span| !span.is_empty()) {
        match joined.last_mut() {
            Some(last) if text[last.end..span.start].trim().is_empty() => last.end = span.end,
            _ => joined.push(span.clone()),
        }
    }
    joined
}

fn cut(text: &str, span: &Range<usize>) -> Cut<'static> {
    let before = &text[text[..span.start].trim_end().len()..span.start];
    let after = &text[span.end..][..text[span.end..].len() - text[span.end..].trim_start().len()];
    let all_before = span.start - before.len()..span.end;
    let (starts_text, ends_text) = (all_before.start == 0, span.end + after.len() == text.len());
    let breaks = |blank: &str| blank.matches('\n').count();
    let range = match (breaks(before), breaks(after)) {
        _ if starts_text && ends_text => 0..text.len(),
        _ if ends_text => all_before,
        // Whole lines: the line breaks of one side and the indentation of the removed line are removed as well.
        (_, 1..) if starts_text => 0..span.end + after_last_break(after),
        (1.., 1..) if breaks(before) >= breaks(after) => {
            let indentation = before.len() - after_last_break(before);
            span.start - indentation..span.end + after_last_break(after)
        }
        (_, 1..) => all_before,
        _ if starts_text || !before.is_empty() => span.start..span.end + after.len(),
        _ => span.clone(),
    };
    let runs_together = ends_in_run(&text[..range.start]) && text[range.end..].starts_with(is_run_character);
    Cut { range, replacement: if runs_together { " " } else { "" } }
}

fn after_last_break(blank: &str) -> usize {
    blank.rfind('\n').map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cut::strip;

    /// The text with `[...]` removed.
    fn cleaned(marked: &str) -> String {
        let (mut text, mut spans, mut start) = (String::new(), Vec::new(), 0);
        for c in marked.chars() {
            match c {
                '[' => start = text.len(),
                ']' => spans.push(start..text.len()),
                _ => text.push(c),
            }
        }
        strip(&text, &cuts(&text, &spans))
    }

    #[test]
    fn a_line_goes_with_its_line_break() {
        assert_eq!(cleaned("one\n[Share]\ntwo\n"), "one\ntwo\n");
        assert_eq!(cleaned("one\n  [Share]\n  two\n"), "one\n  two\n");
        assert_eq!(cleaned("one\r\n[Share]\r\ntwo\r\n"), "one\r\ntwo\r\n");
    }

    #[test]
    fn a_replacement_stands_in_the_place_of_what_goes() {
        let text = "one\n\nShare\n Tweet\ntwo Read more";
        let cuts = replacing(text, &[5..10, 12..17, 22..31], "[...]");
        assert_eq!(strip(text, &cuts), "one\n\n[...]\ntwo [...]");
    }

    #[test]
    fn a_paragraph_break_stays() {
        assert_eq!(cleaned("one\n\n[Share]\n\ntwo\n"), "one\n\ntwo\n");
        assert_eq!(cleaned("one\n[Share]\n\ntwo\n"), "one\n\ntwo\n");
        assert_eq!(cleaned("one\n\n[Share]\ntwo\n"), "one\n\ntwo\n");
        assert_eq!(cleaned("one\n\n[Share]\n\n[Tweet]\n\ntwo\n"), "one\n\ntwo\n");
    }

    #[test]
    fn head_and_tail() {
        assert_eq!(cleaned("  [Menu]\n\n  one\n"), "  one\n");
        assert_eq!(cleaned("one\n\n[Copyright]\n"), "one\n");
        assert_eq!(cleaned("one\n\n[Copyright]"), "one");
        assert_eq!(cleaned("[all] [of it]\n"), "");
    }

    #[test]
    fn inside_a_line() {
        assert_eq!(cleaned("one [(more)] two"), "one two");
        assert_eq!(cleaned("one [(more)]\ntwo"), "one\ntwo");
        assert_eq!(cleaned("zero\n[BOSTON --] one"), "zero\none");
        assert_eq!(cleaned("one [more]."), "one .");
        assert_eq!(cleaned("one[—more—]two"), "one two");
        assert_eq!(cleaned("one \u{301}[—more—]two"), "one \u{301} two");
    }

    #[test]
    fn no_space_comes_into_a_script_without_spaces() {
        assert_eq!(cleaned("记者[（责任编辑）]报道"), "记者报道");
        assert_eq!(cleaned("ข่าว[|อ่านต่อ|]ใหม่"), "ข่าวใหม่");
        assert_eq!(cleaned("记者[（编辑）]ABC[（编辑）]报道"), "记者ABC报道");
        assert_eq!(cleaned("か\u{3099}[（続く）]く"), "か\u{3099}く");
        assert_eq!(cleaned("한[(끝)]국"), "한 국");
        assert_eq!(cleaned("cafe\u{301}[—more—]two"), "cafe\u{301} two");
        assert_eq!(cleaned("خبر[|]جديد"), "خبر جديد");
        assert_eq!(cleaned("12[—]34"), "12 34");
        assert_eq!(cleaned("❤\u{fe0f}[—]two"), "❤\u{fe0f}two");
    }

    proptest! {
        #[test]
        fn cut_and_kept_together_are_the_document(text in "[ab \n\t.é日กש1\u{301}\u{fe0f}]{0,40}", bounds in prop::collection::vec(0usize..41, 0..6)) {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let mut bounds: Vec<usize> = bounds.into_iter().map(|bound| places[bound.min(places.len() - 1)]).collect();
            bounds.sort_unstable();
            let spans: Vec<Range<usize>> = bounds.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect();
            let cuts = cuts(&text, &spans);
            let (mut rebuilt, mut rest, mut at) = (String::new(), strip(&text, &cuts), 0);
            for cut in &cuts {
                let kept = rest.split_off(cut.range.start - at);
                rebuilt.push_str(&rest);
                rebuilt.push_str(&text[cut.range.clone()]);
                prop_assert!(kept.starts_with(cut.replacement));
                rest = kept[cut.replacement.len()..].to_owned();
                at = cut.range.end;
            }
            rebuilt.push_str(&rest);
            prop_assert_eq!(&rebuilt, &text);
            for span in spans {
                prop_assert!(span.is_empty() || cuts.iter().any(|cut| cut.range.start <= span.start && span.end <= cut.range.end));
            }
            for cut in &cuts {
                let blank = |range: Range<usize>| text[range].trim().is_empty();
                let inside = bounds.chunks_exact(2).map(|pair| pair[0]..pair[1]).filter(|s| cut.range.start <= s.start && s.end <= cut.range.end);
                let mut at = cut.range.start;
                for span in inside {
                    prop_assert!(blank(at..span.start.max(at)), "nothing but white space goes besides the spans");
                    at = span.end.max(at);
                }
                prop_assert!(blank(at..cut.range.end));
            }
        }
    }
}
