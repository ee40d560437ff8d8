//! A hostile page with marks: it may look as it does, but it does nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::review::Review;
use super::waiting::eventually;
use super::*;

const SOURCE: &str = "quay.example";

/// All of it tries to reach the server. Only the style sheet and the picture may.
const HOSTILE: &str = r#"<!DOCTYPE html><html lang=en><head><title>The ferry</title>
<meta name=referrer content=unsafe-url>
<meta http-equiv=refresh content="0;url=SERVER/refresh">
<link rel=stylesheet href="SERVER/style.css">
<script>document.title = 'ran'; new Image().src = 'SERVER/script'</script>
<script src="SERVER/script.js"></script></head>
<body onload="new Image().src = 'SERVER/onload'">
<svg onload="new Image().src = 'SERVER/svg'"><xmp><meta http-equiv=refresh content="0;url=SERVER/foreign"></xmp></svg>
<img alt="" src="SERVER/picture" referrerpolicy=unsafe-url>
<img alt="" src="data:," onerror="new Image().src = 'SERVER/onerror'">
<iframe src="SERVER/frame"></iframe><object data="SERVER/object"></object><embed src="SERVER/embed">
<iframe srcdoc="<script>new Image().src = 'SERVER/srcdoc'</script><meta &#104;ttp-equiv=refresh content='0;url=SERVER/inner'>"></iframe>
<h1>The ferry</h1>
<p>The ferry sailed at dawn, and nobody on the quay knew why, or when it would come back to the harbour.</p>
<p><a id=link href="javascript:new Image().src = 'SERVER/link'">A link of the page</a></p>
<p>Share this page</p>
<p><a id=out href="SERVER/out">Out</a> <a id=top target=_top href="SERVER/top">Top</a> <a id=self target=_self href="SERVER/self">Self</a></p>
<form id=form action="SERVER/form"><button>Send it</button></form>
<p>A second ferry sailed at noon, and the harbour office said that it would come back before the evening.</p>
<style onload="new Image().src = 'SERVER/onstyle'">p { color: green }</style>
"#;

/// A server that notes what it is asked for.
struct Outside {
    address: String,
    /// Paths, and headers that say where the request comes from.
    seen: Arc<Mutex<BTreeSet<String>>>,
}

impl Outside {
    fn start() -> Outside {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::default();
        let notes = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let notes = Arc::clone(&notes);
                thread::spawn(move || answer(&stream, &notes));
            }
        });
        Outside { address, seen }
    }

    fn page(&self) -> String {
        HOSTILE.replace("SERVER", &self.address)
    }

    /// Waits until the looks of the page were asked for, and gives all else time to be.
    #[track_caller]
    fn expect_looks_alone(&self) {
        let looks = ["/picture", "/style.css"].map(str::to_owned);
        let seen = || self.seen.lock().expect("no panic").clone();
        eventually("the looks of the page", || if seen().len() < 2 { Err(format!("{:?}", seen())) } else { Ok(()) });
        thread::sleep(Duration::from_millis(500));
        assert_eq!(seen(), BTreeSet::from(looks));
        self.seen.lock().expect("no panic").clear();
    }
}

fn answer(mut stream: &TcpStream, notes: &Mutex<BTreeSet<String>>) -> Option<()> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers = lines.take_while(|line| !line.is_empty());
    let tells = |line: &String| ["referer:", "cookie:"].iter().any(|name| line.to_ascii_lowercase().starts_with(name));
    let told: Vec<String> = headers.filter(tells).collect();
    notes.lock().ok()?.extend([path].into_iter().chain(told));
    let style = "h1 { color: rgb(1, 2, 3) }";
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: {}\r\n", style.len());
    stream.write_all(format!("{head}Connection: close\r\n\r\n{style}").as_bytes()).ok()
}

/// A folder with a corpus of a hostile page and a text, and with patterns.
fn corpus(outside: &Outside) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = folder.path().join("corpus");
    fs::create_dir_all(corpus.join(SOURCE)).expect("a source");
    fs::write(corpus.join(SOURCE).join("a.html"), outside.page()).expect("a page");
    fs::write(corpus.join(SOURCE).join("b.txt"), "The ferry sailed at dawn.\nShare this page\n").expect("a text");
    (folder, corpus)
}

fn patterns() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for patterns");
    let yaml = format!(
        "dehusk: 1\nsource: {SOURCE}\nmined: {{documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}}\npatterns:\n  \
         - {{id: share, status: accepted, regex: 'Share\\s+this\\s+page', example: Share this page}}\n"
    );
    fs::write(folder.path().join(format!("{SOURCE}.yaml")), yaml).expect("a pattern file");
    folder
}

/// The page in front shows its marks. What a person can click on does nothing.
#[track_caller]
fn expect_marks_and_no_acts(browser: &Browser) {
    browser.expect_count(".dehusk-legend", 1);
    assert!(browser.texts(".dehusk-goes").contains(&"Share this page".to_owned()));
    assert_eq!(browser.property("span.dehusk-goes[title]", "title"), "share 1.00");
    assert_eq!(browser.style("h1", "color"), "rgb(1, 2, 3)");
    assert_eq!(browser.run("return document.title"), "The ferry");
    browser.click("#link");
    browser.click("#form button");
}

#[test]
fn a_hostile_page_with_marks_does_nothing() {
    let outside = Outside::start();
    let (folder, corpus) = corpus(&outside);
    let (drawn, patterns) = (folder.path().join("drawn.html"), patterns());
    let mut explain = Command::new(env!("CARGO_BIN_EXE_dehusk"));
    explain.arg("explain").arg(corpus.join(SOURCE).join("a.html"));
    let output = explain.arg("-p").arg(patterns.path()).arg("-o").arg(&drawn).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    in_browser(|browser| {
        browser.open_file(&drawn);
        let address = browser.url();
        expect_marks_and_no_acts(browser);
        outside.expect_looks_alone();
        assert_eq!(browser.url(), address);
        browser.complaints();
    });
}

#[test]
fn the_review_shows_pages_as_pages_which_do_nothing() {
    if tools::found().is_none() {
        return;
    }
    let outside = Outside::start();
    let (_folder, corpus) = corpus(&outside);
    let review = Review::of(patterns(), &corpus);
    in_browser(|browser| {
        browser.resize(1440, 900);
        browser.open(&review.page(SOURCE, "d/0"));
        browser.expect_count("#document", 1);
        browser.click("nav a[href$='?view=page']");
        browser.expect_count("iframe[sandbox='']", 1);
        let address = browser.url();
        browser.in_frame(|| {
            expect_marks_and_no_acts(browser);
            ["#out", "#top", "#self"].iter().for_each(|link| browser.click(link));
        });
        outside.expect_looks_alone();
        assert_eq!(browser.url(), address);
        for width in [1440, 320] {
            browser.resize(width, 900);
            browser.expect_no_barriers();
        }
        // A text is no page. The view is kept for the documents beside it.
        browser.click("#next");
        browser.expect("#document", "Share this page");
        browser.expect_count("nav[aria-label='Views of this document']", 0);
        browser.click("#before");
        browser.expect_count("iframe", 1);
        review.edit(SOURCE, "accepted", "rejected");
        let kept = "return [...document.querySelectorAll('.dehusk-stays')].map(mark => mark.textContent)";
        eventually("a page with new marks", || match browser.run_in_frame(kept) {
            Some(kept) if kept.to_string().contains("\"Share this page\"") => Ok(()),
            kept => Err(format!("{kept:?}")),
        });
        browser.click("nav[aria-label='Views of this document'] a:not([aria-current])");
        browser.expect_count("#document", 1);
        browser.complaints();
    });
}

#[test]
fn a_page_of_the_review_does_nothing_without_its_frame() {
    if tools::found().is_none() {
        return;
    }
    let outside = Outside::start();
    let (_folder, corpus) = corpus(&outside);
    let review = Review::of(patterns(), &corpus);
    in_browser(|browser| {
        browser.open(&review.page(SOURCE, "d/0/page"));
        let address = browser.url();
        expect_marks_and_no_acts(browser);
        outside.expect_looks_alone();
        assert_eq!(browser.url(), address);
        browser.complaints();
    });
}
