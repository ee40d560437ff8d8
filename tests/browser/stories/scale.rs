//! More patterns than anybody wants to see at once.

use std::fmt::Write;
use std::fs;

use tempfile::TempDir;

use super::*;

/// A test build needs half a minute to read the maximum number of patterns of a source.
const PATTERNS: usize = if cfg!(debug_assertions) { 5_000 } else { 20_000 };
const LARGE: &str = "large.example";

fn corpus() -> TempDir {
    let corpus = tempfile::tempdir().expect("a folder");
    let folder = corpus.path().join(LARGE);
    fs::create_dir(&folder).expect("a source");
    for number in 0..6 {
        let text = format!("Line {number:05}\n\nA few words that are no line of its kind.\n\nLine 03456\n");
        fs::write(folder.join(format!("{number}.txt")), text).expect("a document");
    }
    corpus
}

/// In the order of mining: first the patterns that most documents had.
fn patterns() -> TempDir {
    let mut yaml = format!(
        "dehusk: 1\nsource: {LARGE}\nmined: {{documents: {PATTERNS}, near_duplicates: 0, tokens: 9, cutoff: 0.5, tokenizer: words}}\npatterns:\n"
    );
    for number in 0..PATTERNS {
        let documents = PATTERNS - number;
        let _ = write!(
            yaml,
            "  - id: 'p{number:05}'\n    status: proposed\n    regex: '(?m)^\\s*Line\\s+{number:05}\\s*$'\n    documents: {documents}\n    \
             occurrences: {documents}\n    example: 'Line {number:05}'\n    note: ''\n"
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(format!("{LARGE}.yaml")), yaml + "mutable: []\n").expect("the pattern file");
    folder
}

#[test]
fn thousands_of_patterns_are_at_hand() {
    let corpus = corpus();
    in_review_of(
        || Review::of(patterns(), corpus.path()),
        |browser, review| {
            browser.open(&review.page(LARGE, ""));
            browser.expect(".counts", "matches in");
            // Patterns that remove something come first, then those that most documents had.
            browser.expect("a.item", "Line 03456");
            assert_eq!(browser.count("a.item"), 200);
            let ids = browser.listed();

            browser.run("document.querySelector('#list').scrollTop = 1e9");
            browser.expect_count("a.item", 400);
            browser.click(&format!("a.item[data-id='{}']", ids[198]));
            for _ in 0..4 {
                browser.press("j");
            }
            let ids = browser.listed();
            browser.expect_at_hand(&ids[202]);
            browser.press("r");
            browser.expect("#toast", "rejected: “Line ");
            browser.expect_count("a.item .status.rejected", 1);
            assert_eq!(browser.listed(), ids, "as many are listed as before");

            browser.press("/");
            browser.type_in("line 0499");
            browser.expect_count("a.item", 10);
            browser.expect("a.item[aria-current]", "Line 04990");
            browser.press("Escape");
            browser.press("4");
            browser.expect("#list", "No pattern has this status and matches this search");
            browser.press("/");
            browser.type_over("");
            browser.expect_count("a.item", 1);
            browser.expect_at_hand(&ids[202]);
        },
    );
}
