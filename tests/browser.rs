//! Pages that dehusk makes, in a real browser, as its users see and operate them.
//!
//! Headless Chromium, driven over WebDriver. A test is a story that [`in_browser`] tells to a [`Browser`] of its own;
//! what the page complains of meanwhile fails it. Without the tools it takes ([`tools`]) a test is skipped, and says so.

#![allow(clippy::print_stderr)] // a story that fails says where its picture is

#[path = "browser/accessibility.rs"]
mod accessibility;
#[path = "browser/complaints.rs"]
mod complaints;
#[path = "browser/input.rs"]
mod input;
#[path = "browser/keys.rs"]
mod keys;
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

/// Tells a story to a browser of its own. Errors, warnings and forbidden things that its pages report on the console
/// fail it, unless the story asked for them with [`Browser::complaints`].
fn in_browser(story: impl FnOnce(&Browser)) {
    let Some(tools) = tools::found() else { return };
    let browser = Browser::start(tools);
    story(&browser);
    let complaints = browser.complaints();
    drop(browser);
    assert!(complaints.is_empty(), "the page complains:\n{}", complaints.join("\n"));
}

/// A file or folder of this target folder that outlives the tests, or was there before.
fn in_target(relative: &str) -> std::path::PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    temporary.parent().unwrap_or(temporary).join(relative)
}
