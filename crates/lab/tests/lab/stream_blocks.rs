//! `dehusk-lab wang`: blocks of which most is template go as a whole.

use std::ops::Range;

use serde_json::{Value, json};

use super::*;

/// A page with a menu that has a new entry, a heading of the template before new text, and an article with a template line.
fn page(number: usize) -> String {
    let story = &mut Story(number as u64);
    let (article, topic) = (story.paragraph(), story.word());
    let menu: String =
        ["Home", "Politics", "Culture", "Weather"].map(|name| format!("<li><a>{name}</a></li>")).concat();
    format!("<ul>{menu}<li>{topic}</li></ul><div><p>{article}</p><p><b>Background</b> {article}</p><p>Print</p></div>")
}

fn lines(numbers: Range<usize>) -> String {
    numbers.map(|number| json!({"id": number, "source": "tide", "html": page(number)}).to_string() + "\n").collect()
}

fn sandbox(numbers: Range<usize>) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", lines(numbers));
    sandbox
}

/// The texts that were written.
fn texts(lines: &str) -> Vec<String> {
    let text = |line: &str| -> String {
        let document: Value = serde_json::from_str(line).expect("JSON");
        document["text"].as_str().expect("a text").to_owned()
    };
    lines.lines().map(text).collect()
}

/// The new entry of the menu of a page.
fn topic(number: usize) -> String {
    let story = &mut Story(number as u64);
    story.paragraph();
    story.word()
}

fn has_line(text: &str, line: &str) -> bool {
    text.lines().any(|found| found == line)
}

#[test]
fn blocks_go_with_what_is_new_in_them_and_template_in_other_blocks_stays() {
    let cleaned = texts(&sandbox(0..8).expect(0, "lab wang in.jsonl -s state -q").stdout);
    for (number, cleaned) in cleaned.iter().enumerate() {
        if number < 4 {
            let is_whole = has_line(cleaned, "Politics") && has_line(cleaned, "Print");
            assert!(is_whole, "no segment is in enough documents yet: {cleaned}");
            continue;
        }
        let article = Story(number as u64).paragraph();
        assert_eq!(cleaned.matches(&article).count(), 2, "{cleaned}");
        assert!(cleaned.contains("Background"), "it stands in a block that stays: {cleaned}");
        for gone in ["Politics", "Print", &topic(number)] {
            assert!(!has_line(cleaned, gone), "{gone}: {cleaned}");
        }
    }
}

#[test]
fn the_state_is_the_same_as_with_other_methods() {
    let sandbox = sandbox(0..30);
    for (state, command) in [("one", "stream"), ("two", "stream --method union"), ("three", "lab wang")] {
        sandbox.expect(0, &format!("{command} in.jsonl -s {state} -o {state}.jsonl -q"));
    }
    let [one, two, three] = ["one", "two", "three"].map(|state| {
        let shown = sandbox.expect(0, &format!("state show {state} --json")).stdout.replace(state, "");
        sandbox.expect(0, &format!("state export {state} -o {state}.segments.jsonl -q"));
        sandbox.read(&format!("{state}.segments.jsonl")) + shown.split("\"inputs\"").next().expect("text")
    });
    assert_eq!((&one, &one), (&two, &three));
    assert!(sandbox.read("one.jsonl") != sandbox.read("three.jsonl"));
}

#[test]
fn it_does_not_matter_how_documents_are_batched_and_learned() {
    let whole = sandbox(0..20).expect(0, "lab wang in.jsonl -s state -q --threads 3").stdout;
    let sandbox = sandbox(0..20);
    sandbox.write("1.jsonl", lines(0..7));
    sandbox.write("2.jsonl", lines(7..20));
    let parts = ["1.jsonl", "2.jsonl"]
        .map(|part| sandbox.expect(0, &format!("lab wang {part} -s state -q --threads 1")).stdout);
    assert_eq!(whole, parts.concat());
    let again = sandbox.expect(0, "lab wang in.jsonl -s state --no-learn -q").stdout;
    assert_eq!(texts(&again)[19], texts(&whole)[19]);
    assert!(!texts(&again)[0].contains("Politics"), "later documents taught it");
}

#[test]
fn settings_of_the_table_and_what_people_keep_count() {
    let sandbox = sandbox(0..8);
    let run =
        |state: &str, more: &str| texts(&sandbox.expect(0, &format!("lab wang in.jsonl -s {state} -q {more}")).stdout);
    assert!(!run("a", "--template-documents 2")[1].contains("Politics"));
    assert!(has_line(&run("b", "--block-share 0.95")[7], &topic(7)));
    let head = "dehusk: 1\nsource: tide\nmined: {documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}\n";
    sandbox.write("patterns/tide.yaml", format!("{head}patterns: []\nkeep:\n  - text: Politics\n"));
    let kept = &run("c", "-p patterns")[7];
    assert!(kept.contains("Politics") && !kept.contains("Culture"), "{kept}");
}

#[test]
fn without_mutable_patterns_segments_are_equal_only_if_their_words_are() {
    let sandbox = Sandbox::new();
    let dated = |number: usize| {
        let html = format!("<p>Printed on {} March 2007</p>{}", number + 1, page(number));
        json!({"id": number, "source": "tide", "html": html}).to_string() + "\n"
    };
    sandbox.write("in.jsonl", (0..8).map(dated).collect::<String>());
    let last = |state: &str, more: &str| {
        texts(&sandbox.expect(0, &format!("lab wang in.jsonl -s {state} -q {more}")).stdout).remove(7)
    };
    assert!(!last("named", "").contains("Printed on"));
    let literal = last("literal", "--mutable-preset none");
    assert!(literal.contains("Printed on 8 March 2007") && !has_line(&literal, "Politics"), "{literal}");
}

#[test]
fn what_says_how_text_is_judged_is_refused() {
    let sandbox = sandbox(0..8);
    for flag in ["--headline drop", "--byline keep", "--only accepted", "--method union"] {
        sandbox.expect(1, &format!("lab wang in.jsonl -s state {flag}")).says("leave out the flags");
    }
    assert!(!sandbox.path("state").exists());
}
