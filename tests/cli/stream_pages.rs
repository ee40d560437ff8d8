//! Pages in a stream: what is decided by the structure of a page.

use std::ops::Range;

use serde_json::{Value, json};

use super::news_pages::{News, lines, news, sentence};
use super::*;

/// Pages of verses, which are no news: they have no paragraphs.
fn verses(numbers: Range<usize>) -> String {
    let page = |number: usize| {
        let story = &mut Story(1000 + number as u64);
        let verses: String = (0..30).map(|_| format!("<p>{}</p>", sentence(story, 5))).collect();
        let others: String = (0..9).map(|_| format!("<li><a href=/more>{}</a></li>", sentence(story, 3))).collect();
        let html =
            format!("<title>Verses</title><article>{verses}</article><aside class=related><ul>{others}</ul></aside>");
        json!({"id": number, "source": "verses", "html": html}).to_string() + "\n"
    };
    numbers.map(page).collect()
}

fn texts(lines: &str) -> Vec<String> {
    let text = |line: &str| -> String {
        let document: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        document["text"].as_str().expect("a text").to_owned()
    };
    lines.lines().map(text).collect()
}

/// What comes of lines, with these options and a new state.
fn streamed(input: &str, options: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", input);
    sandbox.expect(0, &format!("stream in.jsonl --state state --quiet {options}")).stdout
}

/// Number of teasers in a text.
fn teasers_in(text: &str, News { teasers, .. }: &News) -> usize {
    teasers.iter().filter(|teaser| text.contains(*teaser)).count()
}

#[test]
fn teasers_that_never_recur_go_and_articles_stay_whole() {
    let cleaned = texts(&streamed(&lines(0..12), ""));
    for (text, news) in cleaned.iter().zip(news(0..12)) {
        for part in news.paragraphs.iter().chain([&news.title]) {
            assert!(text.contains(part), "{}: {part:?} is lost: {text}", news.number);
        }
        assert_eq!(teasers_in(text, &news), 0, "{}: {text}", news.number);
        assert!(!text.contains("Weather") && !text.contains("Terms of use"), "{}: {text}", news.number);
    }
}

#[test]
fn what_leaves_structure_out_of_clean_leaves_it_out_of_a_stream() {
    let (input, news) = (lines(0..12), news(0..12));
    for options in ["--no-structure", "--recurrence-alone", "--only accepted", "--method union"] {
        let left: usize =
            texts(&streamed(&input, options)).iter().zip(&news).map(|(text, news)| teasers_in(text, news)).sum();
        assert!(left > 0, "{options}");
    }
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/core/src/dom/block_model.yaml");
    assert_eq!(streamed(&input, &format!("--block-model '{shipped}'")), streamed(&input, ""));
}

#[test]
fn only_pages_have_structure() {
    let story = |News { number, title, paragraphs, teasers }: News| {
        let text = [vec![title], paragraphs, teasers].concat().join("\n\n");
        json!({"id": number, "source": "tide", "text": format!("Home | Sport\n\n{text}\n")}).to_string() + "\n"
    };
    let pages_and_texts: String = news(0..20)
        .into_iter()
        .map(|news| if news.number.is_multiple_of(2) { news.line() } else { story(news) })
        .collect();
    let (structured, as_text) = (streamed(&pages_and_texts, ""), streamed(&pages_and_texts, "--no-structure"));
    for (number, (one, other)) in structured.lines().zip(as_text.lines()).enumerate() {
        assert_eq!(one == other, number % 2 == 1, "{number}: {one}");
    }
}

/// Batches, threads, and runs that stop and go on change nothing. What is learned has nothing to do with structure.
#[test]
fn pages_are_cleaned_alike_however_they_come() {
    let all = lines(0..30) + &verses(0..10);
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", &all);
    sandbox.expect(0, "stream in.jsonl --state one -o one.jsonl --threads 1 -q");
    let mut written = 0;
    for end in [1, 2, 17, 31, 40] {
        let part: String = all.lines().take(end).skip(written).map(|line| format!("{line}\n")).collect();
        sandbox.write(&format!("parts/{end:02}.jsonl"), part);
        sandbox.expect(0, "stream parts --state parts.state -o parts.jsonl --threads 3 -q");
        written = end;
    }
    assert_eq!(sandbox.read("parts.jsonl"), sandbox.read("one.jsonl"));
    sandbox.expect(0, "stream in.jsonl --state text -o text.jsonl --no-structure -q");
    sandbox.expect(0, "stream in.jsonl --state learned --learn-only -q");
    assert_ne!(sandbox.read("text.jsonl"), sandbox.read("one.jsonl"));
    let learned = |state: &str| sandbox.expect(0, &format!("state export {state} -o -")).stdout;
    for other in ["parts.state", "text", "learned"] {
        assert_eq!(learned(other), learned("one"), "{other}");
    }
}

#[test]
fn a_page_of_too_many_blocks_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("corpus/tide/many.html", format!("<title>Many</title>{}", "<p>a b</p>".repeat(5000)));
    sandbox.write("corpus/tide/one.html", News::of(1).html());
    let stream = |more: &str| format!("stream corpus --memory 6M {more}");
    sandbox.expect(3, &stream("--state one -o one.jsonl")).says("many.html: may need");
    assert_eq!(sandbox.read("one.jsonl").lines().count(), 1);
    sandbox.expect(0, &stream("--state other -o other.jsonl --no-structure"));
    assert_eq!(sandbox.read("other.jsonl").lines().count(), 2);
}
