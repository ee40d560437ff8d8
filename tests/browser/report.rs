//! The report of the sample corpus, opened from disk.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

use super::*;

/// Made once for all stories.
static REPORT: LazyLock<TempDir> = LazyLock::new(make);

/// Tells a story about the report.
fn on_report(story: impl FnOnce(&Browser)) {
    in_browser(|browser| {
        browser.open_file(&REPORT.path().join("report.html"));
        story(browser);
    });
}

fn make() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (patterns, report) = (folder.path().join("patterns"), folder.path().join("report.html"));
    dehusk(&[Path::new("mine"), &sample_corpus(), Path::new("-o"), &patterns]);
    dehusk(&[Path::new("review"), &sample_corpus(), Path::new("-p"), &patterns, Path::new("--report"), &report]);
    folder
}

fn dehusk(arguments: &[&Path]) {
    let output = Command::new(env!("CARGO_BIN_EXE_dehusk")).args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn sample_corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/news")
}

#[test]
fn nobody_meets_barriers() {
    on_report(|browser| {
        browser.expect("h1", "dehusk report");
        browser.expect_no_barriers();
        unfold_all(browser);
        browser.expect_no_barriers();
    });
}

/// Unfolds all sources, as a person would do one after another.
fn unfold_all(browser: &Browser) {
    browser.run("document.querySelectorAll('details.source').forEach((source) => { source.open = true; })");
}

#[test]
fn it_opens_as_a_table_that_leads_to_folded_sources() {
    on_report(|browser| {
        browser.resize(1200, 800);
        browser.expect_count("details.source", 7);
        browser.expect_count("details.source[open]", 0);
        let height = browser.run("return document.documentElement.scrollHeight");
        assert!(height.as_u64().is_some_and(|height| height < 1600), "{height}");
        browser.click("table.overview a[href='#s3']");
        browser.expect_count("details.source[open]", 1);
        browser.expect("details.source[open] h2", "marsa-press");
        browser.expect_count("section#s3:target", 1);
        browser.click("header.page a[href='#shared']");
        browser.expect_count("details.source[open]", 2);
    });
}

#[test]
fn what_is_folded_is_printed() {
    on_report(|browser| {
        browser.expect_count("details.source[open]", 0);
        let pages = browser.printed().windows(11).filter(|part| part == b"/Type /Page").count();
        assert!(pages > 30, "{pages} pages");
    });
}

#[test]
fn a_folder_has_a_page_for_each_source() {
    let patterns = REPORT.path().join("patterns");
    let folder = tempfile::tempdir().expect("a folder");
    let output = format!("{}/report/", folder.path().display());
    dehusk(&[
        Path::new("review"),
        &sample_corpus(),
        Path::new("-p"),
        &patterns,
        Path::new("--report"),
        Path::new(&output),
    ]);
    in_browser(|browser| {
        browser.open_file(&folder.path().join("report/index.html"));
        browser.expect_count("details.source", 0);
        browser.expect_no_barriers();
        browser.click("table.overview a[href*=harbor]");
        browser.expect("main h2", "harbor-ledger.example");
        browser.expect_no_barriers();
        browser.run("document.querySelector('del a').focus()");
        browser.press("Enter");
        browser.expect_count("article.pattern:target", 1);
        browser.click("a[href='../index.html']");
        browser.expect("h1", "dehusk report");
        browser.click("header.page a[href*=_shared]");
        browser.expect("main h2", "Shared patterns");
        browser.expect_count("article.pattern", 2);
    });
}

#[test]
fn its_own_looks_are_allowed_and_nothing_else() {
    on_report(|browser| {
        assert_eq!(browser.style("header.page", "display"), "flex", "the style sheet applies");
        browser.run("document.body.innerHTML += '<p id=\"x\" style=\"color: red\">x</p>'");
        assert_ne!(browser.style("#x", "color"), "rgb(255, 0, 0)");
        assert!(browser.complaints().iter().any(|complaint| complaint.contains("Content Security Policy")));
    });
}

#[test]
fn nothing_is_wider_than_a_narrow_screen() {
    on_report(|browser| {
        browser.resize(320, 800);
        unfold_all(browser);
        let width = browser.run("return document.documentElement.scrollWidth");
        assert!(width.as_u64().is_some_and(|width| width <= 320), "{width}");
    });
}

#[test]
fn a_key_leads_from_a_mark_to_its_pattern() {
    on_report(|browser| {
        unfold_all(browser);
        browser.run("document.querySelector('del a').focus()");
        browser.press("Enter");
        browser.expect_count("article.pattern:target", 1);
    });
}
