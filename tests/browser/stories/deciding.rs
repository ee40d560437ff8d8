//! What a person is told before a decision, and what is true after it.

use std::fs;
use std::path::Path;

use dehusk_core::patterns::{ID_DIGITS, LexerCache, PatternFile, Status, id_of, regex};
use tempfile::TempDir;

use super::*;

/// Sources of which each page has these lines above and below its own sentence.
fn corpus() -> TempDir {
    let corpus = tempfile::tempdir().expect("a folder");
    let sources = ["bay.example", "cliff.example", "dune.example"];
    for (source, town) in sources.into_iter().zip(["Tarn Bay", "High Cliff", "Long Dune"]) {
        let folder = corpus.path().join(source);
        fs::create_dir(&folder).expect("a source");
        for number in 0..8 {
            let text = format!(
                "More from {town} today\nMore from the harbour today\nMore from our readers today\n\n\
                 On day {number} the ferry to {town} was late again, and nobody on the quay knew why or until when.\n\n\
                 Sign up for letters from the sea\n"
            );
            fs::write(folder.join(format!("{number}.txt")), text).expect("a document");
        }
    }
    corpus
}

/// The lines that all sources have, and their names in these stories.
const LETTERS: &str = "Sign up for letters from the sea";
const HARBOUR: &str = "More from the harbour today";
const READERS: &str = "More from our readers today";
/// Of `bay.example`. It only stands in a sentence, where it is kept.
const TOWN: &str = "ferry to Tarn Bay";

/// Files with the lines that all of these sources have, and the words that only stand in a sentence.
fn patterns() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (source, town) in [("bay.example", "Tarn Bay"), ("cliff.example", "High Cliff"), ("dune.example", "Long Dune")]
    {
        let head = format!(
            "dehusk: 1\nsource: {source}\nmined: {{documents: 8, near_duplicates: 0, tokens: 9, cutoff: 0.5, tokenizer: words}}\n"
        );
        let lexer = PatternFile::parse(&head, &LexerCache::default()).expect("a file").lexer;
        let pattern = |regex: &str, example: &str, documents: usize| {
            let run = regex::parse(regex, &lexer).expect("a mined form");
            let id = id_of(&run, lexer.mutable(), ID_DIGITS);
            format!(
                "  - {{id: '{id}', regex: '{regex}', documents: {documents}, occurrences: {documents}, example: '{example}'}}\n"
            )
        };
        let spaced = |words: &str| words.replace(' ', r"\s+");
        let lines =
            [LETTERS, HARBOUR, READERS].map(|words| pattern(&format!(r"(?m)^\s*{}\s*$", spaced(words)), words, 8));
        let words = format!("ferry to {town}");
        let town = pattern(&format!(r"(?<!\S){}(?!\w)", spaced(&words)), &words, 2);
        let yaml = format!("{head}patterns:\n{}{town}mutable: []\n", lines.concat());
        fs::write(folder.path().join(format!("{source}.yaml")), yaml).expect("a pattern file");
    }
    folder
}

/// The id of the pattern of `bay.example` with this example.
fn id(review: &Review, example: &str) -> String {
    review.patterns(BAY).patterns.into_iter().find(|pattern| pattern.example == example).expect("the pattern").id
}

const BAY: &str = "bay.example";

fn in_review_of_bays(story: impl FnOnce(&Browser, &Review)) {
    let corpus = corpus();
    in_review_of(|| Review::of(patterns(), corpus.path()), story);
}

fn statuses(review: &Review, example: &str) -> Vec<Status> {
    let id = &id(review, example);
    ["bay.example", "cliff.example", "dune.example"].map(|source| review.pattern(source, id).status).to_vec()
}

/// Selects a pattern, unfolding its group.
fn go_to(browser: &Browser, review: &Review, example: &str) {
    let id = &id(review, example);
    browser.open(&format!("{}?id={id}", review.page(BAY, "")));
    browser.expect(".counts", "matches in");
    browser.expect_at_hand(id);
}

#[test]
fn a_decision_is_previewed_and_then_true() {
    in_review_of_bays(|browser, review| {
        go_to(browser, review, TOWN);
        browser.expect(".stay", "8 of its matches are kept now");
        browser.expect(".preview", "8 of 8 documents change");
        let preview = browser.text(".preview");
        for part in ["If you accept it", "Removed in addition", "If you reject it", "No document changes"] {
            assert!(preview.contains(part), "{part}: {preview}");
        }
        assert!(browser.texts(".preview del.removed").iter().any(|cut| cut.contains("ferry to Tarn Bay")));
        browser.expect("cite", "8 times, as in ");
        browser.expect_no_barriers();

        browser.press("a");
        browser.expect("#toast", "accepted: “ferry to");
        go_to(browser, review, TOWN);
        browser.expect(".counts", "136\u{a0}B removed because of it");
        browser.expect_count(".stay", 0);
        browser.expect(".preview", "If you reject it");
        assert!(!browser.text(".preview").contains("If you accept it"), "it is accepted");
        browser.expect(".preview", "No longer removed");
        assert!(browser.texts(".preview ins.kept").iter().any(|cut| cut.contains("ferry to Tarn Bay")));
    });
}

#[test]
fn numbers_of_before_a_decision_are_not_shown_after_it() {
    in_review_of_bays(|browser, review| {
        go_to(browser, review, TOWN);
        // What the page shows of the pattern from now on.
        browser.run(
            "window.seen = []; new MutationObserver(() => {
                const status = document.querySelector('#pattern .status').textContent;
                seen.push(`${status}: ${document.querySelector('.counts').textContent}`);
             }).observe(document.querySelector('#detail'), {childList: true})",
        );
        browser.press("r");
        browser.expect("#toast", "rejected: “ferry to");
        browser.press("u");
        browser.expect("#toast", "undone: rejected");
        browser.expect_at_hand(&id(review, TOWN));
        browser.press("a");
        browser.expect("#toast", "accepted: “ferry to");
        // The row for text without a pattern comes after it.
        browser.press("k");
        browser.expect_at_hand(&id(review, TOWN));
        browser.expect(".counts", "136\u{a0}B removed because of it");
        let seen: Vec<String> = serde_json::from_value(browser.run("return seen")).expect("texts");
        let accepted: Vec<&String> = seen.iter().filter(|text| text.starts_with("accepted")).collect();
        let is_true = |text: &&&String| text.contains("looking at the documents") || text.contains("136\u{a0}B");
        assert!(!accepted.is_empty() && accepted.iter().all(|text| is_true(&text)), "{seen:#?}");
    });
}

#[test]
fn the_same_pattern_is_decided_in_all_files() {
    in_review_of_bays(|browser, review| {
        let before: Vec<String> = ["bay.example", "cliff.example"].map(|source| review.file(source)).to_vec();
        go_to(browser, review, LETTERS);
        browser.expect(
            ".elsewhere",
            "The same pattern is in 2 other files: cliff.example (proposed), dune.example (proposed)",
        );
        browser.click("summary[aria-label='Reject many']");
        browser.click(".menu [data-group=everywhere][data-status=rejected]");
        browser.expect("#ask h2", "Reject 3 patterns in 3 files?");
        browser.expect("#ask .preview", "24 of 24 documents change");
        browser.expect("#ask .preview", "No longer removed");
        browser.expect_no_barriers();
        browser.click("#ask [data-do=all]");
        browser.expect("#toast", "rejected: 3 patterns");
        assert_eq!(statuses(review, LETTERS), [Status::Rejected; 3]);
        assert_eq!(statuses(review, HARBOUR), [Status::Proposed; 3]);
        browser.expect(".elsewhere", "cliff.example (rejected)");
        browser.press("u");
        browser.expect("#toast", "undone: rejected: 3 patterns");
        assert_eq!(
            ["bay.example", "cliff.example"].map(|source| without_form(&review.file(source))),
            [0, 1].map(|at| without_form(&before[at]))
        );
    });
}

/// The decisions in a file, as they are read.
fn without_form(yaml: &str) -> Vec<String> {
    let file = PatternFile::parse(yaml, &LexerCache::default()).expect("a file");
    file.patterns.iter().map(|pattern| format!("{} {}", pattern.id, pattern.status.name())).collect()
}

#[test]
fn a_file_that_changed_meanwhile_stops_the_decision_in_all_files() {
    in_review_of_bays(|browser, review| {
        go_to(browser, review, LETTERS);
        browser.click("summary[aria-label='Accept many']");
        browser.click(".menu [data-group=everywhere][data-status=accepted]");
        browser.expect("#ask .preview", "No document changes");
        // The broken file is the last one.
        fs::write(Path::new(&review.path("dune.example")), "patterns: ]").expect("the file");
        browser.click("#ask [data-do=all]");
        browser.expect("#toast.bad", "correct the file");
        assert_eq!(review.pattern(BAY, &id(review, LETTERS)).status, Status::Proposed);
        assert_eq!(review.pattern("cliff.example", &id(review, LETTERS)).status, Status::Proposed);
        browser.expect_complaints(&["status of 409"]);
    });
}

#[test]
fn like_patterns_are_one_row_and_one_decision() {
    in_review_of_bays(|browser, review| {
        browser.open(&review.page(BAY, ""));
        browser.expect(".counts", "matches in");
        browser.expect(".alike summary", "1 more, nearly the same");
        browser.expect_listed(3);
        assert_eq!(browser.count("a.item:not(.loose)"), 4);
        browser.expect_no_barriers();
        // Keys pass over what is folded.
        let before = browser.listed();
        for id in &before[1..] {
            browser.press("j");
            browser.expect_at_hand(id);
        }
        browser.click(".alike summary");
        browser.expect_listed(4);
        browser.expect_no_barriers();
        let group: Vec<String> = [HARBOUR, READERS].map(|words| id(review, words)).to_vec();
        let folded = browser.property(".alike a.item", "dataset.id");
        assert!(group.contains(&folded) && !before.contains(&folded), "{folded}: {before:?}");
        browser.click(".alike a.item");
        browser.expect_at_hand(&folded);
        browser.click("summary[aria-label='Accept many']");
        browser.click(".menu [data-group=alike][data-status=accepted]");
        browser.expect("#ask h2", "Accept 2 patterns?");
        assert!(browser.property("#ask .names", "textContent").contains(HARBOUR));
        browser.click("#ask [data-do=all]");
        browser.expect("#toast", "accepted: 2 patterns");
        assert!(group.iter().all(|id| review.pattern(BAY, id).status == Status::Accepted));
        assert_eq!(review.pattern(BAY, &id(review, LETTERS)).status, Status::Proposed);
        browser.expect_listed(4);
        browser.press("u");
        browser.expect("#toast", "undone: accepted: 2 patterns");
        assert!(group.iter().all(|id| review.pattern(BAY, id).status == Status::Proposed));
    });
}

#[test]
fn who_is_done_with_a_source_is_led_to_the_next() {
    in_review_of_bays(|browser, review| {
        browser.open(&review.page(BAY, ""));
        browser.expect(".counts", "matches in");
        browser.expect_count("#source-next", 1);
        assert_eq!(browser.count("#source-before"), 0, "it is the first one");
        browser.click("summary[aria-label='Accept many']");
        browser.click(".menu [data-group=listed][data-status=accepted]");
        browser.click("#ask [data-do=all]");
        browser.expect("#progress", "4 of 4 decided");
        browser.expect("#finished", "All 4 patterns of this source are decided. Next undecided source: cliff.example");
        browser.expect_no_barriers();
        browser.press("N");
        browser.expect("h1", "cliff.example");
        browser.expect_count("#finished[hidden]", 1);
        browser.expect_count("#source-before", 1);
        browser.press("N");
        browser.expect("h1", "dune.example");
        browser.expect_count("#source-before", 1);
        browser.press("P");
        browser.expect("h1", "cliff.example");
    });
}
