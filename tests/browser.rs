//! Opens pages of dehusk in a real browser, and uses them as people do.
//!
//! Headless Chromium, controlled over WebDriver. A test is a story that [`in_browser`] runs with a [`Browser`] of its
//! own. Any error that the page reports fails the test. Without the needed tools ([`tools`]), a test is skipped with a
//! message.

#![allow(clippy::print_stderr)] // A failed story says where its picture is.

#[path = "browser/accessibility.rs"]
mod accessibility;
#[path = "browser/cleaned.rs"]
mod cleaned;
#[path = "browser/complaints.rs"]
mod complaints;
#[path = "browser/input.rs"]
mod input;
#[path = "browser/keys.rs"]
mod keys;
#[path = "browser/marked.rs"]
mod marked;
#[path = "browser/pictures.rs"]
mod pictures;
#[path = "browser/process.rs"]
mod process;
#[path = "browser/report.rs"]
mod report;
#[path = "browser/review.rs"]
mod review;
#[path = "browser/session.rs"]
mod session;
#[path = "browser/sight.rs"]
mod sight;
#[path = "browser/tools.rs"]
mod tools;
#[path = "browser/waiting.rs"]
mod waiting;

#[path = "browser/harness.rs"]
mod harness;
#[path = "browser/stories/mod.rs"]
mod stories;

use std::path::Path;

use session::{Browser, Scheme};

/// Runs a story with a browser of its own. Errors, warnings and violations that its pages report on the console fail
/// it, unless the story asked for them with [`Browser::complaints`].
fn in_browser(story: impl FnOnce(&Browser)) {
    let Some(tools) = tools::found() else { return };
    let browser = Browser::start(tools);
    story(&browser);
    let complaints = browser.complaints();
    drop(browser);
    assert!(complaints.is_empty(), "the page complains:\n{}", complaints.join("\n"));
}

/// A path in the target folder. The file or folder may be from earlier tests, and is kept.
fn in_target(relative: &str) -> std::path::PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    temporary.parent().unwrap_or(temporary).join(relative)
}
