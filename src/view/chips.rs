//! A pattern as words and chips.
//!
//! Takes the [`Chip`]s of a pattern, gives HTML: words as text, varying parts as named chips, line edges as small
//! signs. Each sign also has a text for screen readers.

use maud::{Markup, html};

use dehusk_core::patterns::readable::Chip;

/// Draws a pattern.
///
/// The text directions of names and signs are isolated, so that a pattern has the direction of its own words.
pub fn chips(chips: &[Chip]) -> Markup {
    html! {
        span.chips dir="auto" { @for part in chips { (chip(part)) } }
    }
}

fn chip(chip: &Chip) -> Markup {
    match chip {
        Chip::Text(text) => html! { span.words { (text) } },
        Chip::Mutable(name) => html! { bdi.chip.mutable { span.unseen { "any " } (name) } },
        Chip::Free { least, most } => free(*least, *most),
        Chip::Space => html! { " " },
        Chip::Adjoins => sign("adjoins", "right after other text, ", "…"),
        Chip::LineStart => sign("line-start", "line start, ", ""),
        Chip::LineBreak => sign("line-break", ", line break, ", "⏎"),
        Chip::LineEnd => sign("line-end", ", line end", ""),
        Chip::Elements(role, css) => {
            html! { bdi.chip.regex { span.unseen { "elements, " } (role.key()) " " (css) } }
        }
        Chip::Regex(regex) => html! { bdi.chip.regex { span.unseen { "regex " } (regex) } },
    }
}

fn free(least: usize, most: Option<usize>) -> Markup {
    let words = free_in_words(least, most);
    let short = most.map_or_else(|| "…".to_owned(), |most| format!("… {most}"));
    html! {
        bdi.chip.free title=(words) { span.unseen { (words) } span aria-hidden="true" { (short) } }
    }
}

fn free_in_words(least: usize, most: Option<usize>) -> String {
    match (least, most) {
        (0 | 1, None) => "any text".to_owned(),
        (0 | 1, Some(most)) => format!("any text, up to {most} characters"),
        (least, None) => format!("any text, at least {least} characters"),
        (least, Some(most)) => format!("any text, {least} to {most} characters"),
    }
}

/// A drawn sign with its text for screen readers.
fn sign(class: &str, words: &str, drawn: &str) -> Markup {
    let title = words.trim_matches([',', ' ']);
    html! {
        bdi class={ "edge " (class) } title=(title) { span.unseen { (words) } span aria-hidden="true" { (drawn) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::testing::text_of;

    #[test]
    fn words_are_text_and_parts_are_chips() {
        let parts = [
            Chip::LineStart,
            Chip::Text("Share |".into()),
            Chip::Space,
            Chip::Mutable("number".into()),
            Chip::Free { least: 1, most: Some(21) },
        ];
        insta::assert_snapshot!(chips(&parts).into_string().replace("><", ">\n<"), @r#"
        <span class="chips" dir="auto">
        <bdi class="edge line-start" title="line start">
        <span class="unseen">line start, </span>
        <span aria-hidden="true">
        </span>
        </bdi>
        <span class="words">Share |</span> <bdi class="chip mutable">
        <span class="unseen">any </span>number</bdi>
        <bdi class="chip free" title="any text, up to 21 characters">
        <span class="unseen">any text, up to 21 characters</span>
        <span aria-hidden="true">… 21</span>
        </bdi>
        </span>
        "#);
    }

    #[test]
    fn read_aloud_it_says_all() {
        let parts = [
            Chip::LineStart,
            Chip::Mutable("date".into()),
            Chip::LineBreak,
            Chip::Free { least: 2, most: None },
            Chip::Regex(r"\d+".into()),
            Chip::LineEnd,
        ];
        let expected = r"line start, any date, line break, ⏎any text, at least 2 characters…regex \d+, line end";
        assert_eq!(text_of(&chips(&parts).into_string()), expected);
    }

    #[test]
    fn nothing_of_a_pattern_is_markup() {
        let hostile = "<script>alert(\"&\")</script>";
        let drawn = chips(&[Chip::Text(hostile.into()), Chip::Regex(hostile.into()), Chip::Mutable(hostile.into())]);
        let drawn = drawn.into_string();
        assert!(!drawn.contains("<script"), "{drawn}");
        assert_eq!(text_of(&drawn), format!("{hostile}regex {hostile}any {hostile}"));
    }
}
