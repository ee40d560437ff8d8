//! A cleaned page, opened from disk: it looks as before, without the parts that are removed and without holes.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::*;

/// What is removed. No element of the page has other boilerplate.
const BOILERPLATE: [&str; 14] = [
    "Quay Gazette",
    "Find it",
    "Home page",
    "All ports",
    "Weather today",
    "Share this",
    "Print it",
    "Advertisement",
    "Book now",
    "Most read",
    "Crane falls into dock",
    "Why gulls like chips",
    "Copyright",
    "Imprint and privacy",
];

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/cleaned/page.html")
}

/// A folder with the cleaned page.
fn cleaned() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = |text: &&str| format!(" - {{id: '{text}', status: accepted, regex: '{text}', example: '{text}'}}\n");
    let entries: String = BOILERPLATE.iter().map(entry).collect();
    let head =
        "dehusk: 1\nsource: cleaned\nmined: {documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}\npatterns:\n";
    std::fs::write(folder.path().join("cleaned.yaml"), format!("{head}{entries}")).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .arg("clean")
        .arg(page())
        .args(["--only", "accepted", "--html", "page", "--quiet", "-p"])
        .arg(folder.path().join("cleaned.yaml"))
        .arg("-o")
        .arg(folder.path().join("out"))
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

/// The left and upper edge, the width and the height of an element, in pixels.
fn area(browser: &Browser, selector: &str) -> [f64; 4] {
    let script = format!(
        "const area = document.querySelector('{selector}').getBoundingClientRect(); \
         return [area.left, area.top, area.width, area.height]"
    );
    let area = browser.run(&script);
    [0, 1, 2, 3].map(|side| area[side].as_f64().expect("a number"))
}

/// The elements without text and pictures that are higher than some pixels. A cell of a table is not counted.
const EMPTY_BOXES: &str = "
    const isEmpty = (element) => element.innerText.trim() === '' && !element.matches('img, td, th, :has(img)');
    return [...document.body.querySelectorAll('*')]
        .filter((element) => isEmpty(element) && element.getBoundingClientRect().height > 4)
        .map((element) => element.outerHTML)";

#[test]
fn a_cleaned_page_looks_right() {
    let folder = cleaned();
    in_browser(|browser| {
        browser.resize(1000, 1000);
        browser.prefer(Scheme::Light);
        browser.open_file(&page());
        let before = ["article", "figure img", "table", "footer"].map(|selector| area(browser, selector));
        picture(browser, "page-before.png");
        browser.open_file(&folder.path().join("out/cleaned/page.html"));
        let after = ["article", "figure img", "table"].map(|selector| area(browser, selector));
        assert_eq!(browser.run(EMPTY_BOXES), Value::Array(Vec::new()));
        for gone in ["header", "nav", "aside", "footer", ".share", ".advert", "button", "input"] {
            browser.expect_count(gone, 0);
        }
        browser.expect_count("table tr", 3);
        browser.expect_count("table td, table th", 9);
        // The article stands at the top and takes the place of the list beside it.
        assert!(after[0][1] < 40.0 && after[0][1] < before[0][1] - 80.0, "{after:?} {before:?}");
        assert!(after[0][2] > before[0][2] + 200.0 && after[0][2] <= 960.0, "{after:?} {before:?}");
        // The picture fills the width of the article. The table follows it without a hole.
        assert!(after[1][2] == after[0][2] && after[1][3] > before[1][3], "{after:?} {before:?}");
        assert!(after[2][1] - (after[1][1] + after[1][3]) < 150.0, "{after:?}");
        let [_, _, _, height] = area(browser, "body");
        assert!(height < before[3][1], "{height} {before:?}");
        picture(browser, "page-after.png");
    });
}

/// Takes a picture for the documentation, if it was asked for.
fn picture(browser: &Browser, name: &str) {
    let Some(folder) = std::env::var_os("DEHUSK_PICTURES").map(PathBuf::from) else { return };
    browser.screenshot(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name));
}
