//! Tests the browser harness itself: stories see what a page does, and hear of its errors.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// A page without a fault, which does something with keys and clicks.
const PAGE: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A page</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; color: #111; background: #fff }
@media (prefers-color-scheme: dark) { :root { color: #eee; background: #111 } }
@media (max-width: 500px) { .wide { display: none } }
</style>
</head>
<body>
<main>
<h1>A page</h1>
<p class="wide">On wide screens.</p>
<button onclick="setTimeout(() => { document.querySelector('.clicks').textContent += ' click' }, 50)">Do it</button>
<p class="clicks">So far:</p>
<p class="keys">Keys:</p>
<label>Name <input></label>
</main>
<script>
document.addEventListener('keydown', event => {
  const held = event.ctrlKey ? 'with control ' : '';
  document.querySelector('.keys').textContent += ` ${held}${event.key}`;
});
</script>
</body>
</html>
"#;

/// A page with its folder.
struct Page(TempDir);

impl Page {
    /// The page without a fault, with these additions in its head and its body.
    fn with(head: &str, body: &str) -> Page {
        let page = Page(tempfile::tempdir().expect("a folder"));
        let html = PAGE.replace("</head>", &format!("{head}</head>")).replace("</main>", &format!("{body}</main>"));
        fs::write(page.path(), html).expect("the page");
        page
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("a page.html")
    }
}

/// Runs a story on the page with this in its body.
fn on_page_with(body: &str, story: impl FnOnce(&Browser)) {
    on_page(&Page::with("", body), story);
}

/// Runs a story on the page with this in its body, and a policy that forbids something.
fn on_page_that_forbids(policy: &str, body: &str, story: impl FnOnce(&Browser)) {
    let head = format!(r#"<meta http-equiv="Content-Security-Policy" content="{policy}">"#);
    on_page(&Page::with(&head, body), story);
}

fn on_page(page: &Page, story: impl FnOnce(&Browser)) {
    in_browser(|browser| {
        browser.open_file(&page.path());
        story(browser);
    });
}

#[test]
fn clicks_and_keys_arrive() {
    on_page_with("", |browser| {
        assert!(browser.url().ends_with("/a%20page.html"), "{}", browser.url());
        assert_eq!(browser.text(".clicks"), "So far:");
        browser.click("button");
        browser.expect(".clicks", "So far: click");
        browser.expect_focus("button");
        for keys in ["j", "?", "+", "Escape", "Control+k", "Tab"] {
            browser.press(keys);
        }
        browser.expect(".keys", "Keys: j ? + Escape with control Control with control k Tab");
        browser.expect_focus("input");
        browser.reload();
        assert_eq!(browser.texts(".clicks, .keys"), ["So far:", "Keys:"]);
    });
}

#[test]
fn what_is_typed_stands_in_the_field() {
    on_page_with("", |browser| {
        browser.write("input", "Tarn Bay");
        assert_eq!(browser.property("input", "value"), "Tarn Bay");
    });
}

#[test]
fn what_comes_later_is_waited_for() {
    let later = "<ul></ul><script>const add = () => document.querySelector('ul').append(document.createElement('li'));
        setTimeout(add, 50); setTimeout(add, 150)</script>";
    on_page_with(later, |browser| browser.expect_count("li", 2));
}

#[test]
fn the_window_is_as_wide_as_it_is_told() {
    on_page_with("", |browser| {
        let size = || browser.run("return [innerWidth, innerHeight]").to_string();
        browser.resize(1200, 800);
        assert_eq!((size().as_str(), browser.style(".wide", "display").as_str()), ("[1200,800]", "block"));
        browser.resize(320, 600);
        assert_eq!((size().as_str(), browser.style(".wide", "display").as_str()), ("[320,600]", "none"));
    });
}

#[test]
fn the_preferred_colours_last_until_others_are_preferred() {
    on_page_with("", |browser| {
        let ground = || browser.style(":root", "background-color");
        assert_eq!(ground(), "rgb(255, 255, 255)");
        browser.prefer(Scheme::Dark);
        assert_eq!(ground(), "rgb(17, 17, 17)");
        browser.reload();
        assert_eq!(ground(), "rgb(17, 17, 17)");
        browser.prefer(Scheme::Light);
        assert_eq!(ground(), "rgb(255, 255, 255)");
    });
}

#[test]
fn a_picture_is_a_picture() {
    on_page_with("", |browser| {
        let folder = tempfile::tempdir().expect("a folder");
        let picture = folder.path().join("page.png");
        browser.screenshot(&picture);
        assert!(fs::read(picture).expect("the picture").starts_with(b"\x89PNG"));
    });
}

#[test]
fn whatever_the_console_complains_of_is_told_once() {
    let faults = r#"<script>console.log('quiet'); console.warn('odd'); console.error('bad')</script>
        <script>nowhere()</script>
        <script>Promise.reject(new Error('dropped'))</script>
        <script src="missing.js"></script>
        <img src="forbidden.png" alt="">"#;
    on_page_that_forbids("img-src 'none'", faults, |browser| {
        let complaints = browser.complaints();
        let parts = [
            "odd",
            "bad",
            "nowhere is not defined",
            "dropped",
            "missing.js",
            "violates the following Content Security Policy",
        ];
        for part in parts {
            assert!(complaints.iter().any(|line| line.contains(part)), "{part}: {complaints:#?}");
        }
        assert!(!complaints.iter().any(|line| line.contains("quiet")), "{complaints:#?}");
        assert_eq!(browser.complaints(), [""; 0]);
    });
}

#[test]
#[should_panic(expected = "the page complains")]
fn a_story_fails_if_its_page_complains() {
    if tools::found().is_none() {
        panic!("the page complains, or would if there were a browser");
    }
    on_page_with("<script>console.error('bad')</script>", |_| {});
}

#[test]
fn a_page_without_barriers_has_none() {
    on_page_with("", Browser::expect_no_barriers);
}

#[test]
fn barriers_are_found_whatever_the_page_forbids() {
    on_page_that_forbids("default-src 'none'", r#"<img src="data:,">"#, |browser| {
        let barriers = browser.barriers().join("\n");
        for part in ["light scheme, critical: ", "(image-alt)", r#"img: <img src="data:,">"#, "alt attribute"] {
            assert!(barriers.contains(part), "{part}:\n{barriers}");
        }
        assert!(!browser.complaints().is_empty(), "the image is forbidden as well");
    });
}

#[test]
fn barriers_of_one_scheme_are_found_in_the_other() {
    let faint = "<p>Grey</p><style>@media (prefers-color-scheme: dark) { p { color: #333 } }</style>";
    on_page_with(faint, |browser| {
        let barriers = browser.barriers();
        assert_eq!(barriers.len(), 1, "{barriers:#?}");
        assert!(barriers[0].starts_with("dark scheme, serious: ") && barriers[0].contains("(color-contrast)"));
        assert_eq!(browser.scheme(), Scheme::Light);
    });
}

#[test]
fn a_program_tells_where_it_is() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dehusk"));
    let program = process::Process::start(command.arg("--version"));
    let version = |line: &str| line.strip_prefix("dehusk ").map(str::to_owned);
    assert_eq!(program.wait_for("its version", version), env!("CARGO_PKG_VERSION"));
}

#[test]
#[should_panic(expected = "it does not print an address; it printed:\ndehusk ")]
fn a_program_that_says_something_else_is_quoted() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dehusk"));
    process::Process::start(command.arg("--version")).wait_for("an address", |_| None::<String>);
}
