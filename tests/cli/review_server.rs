//! `dehusk review` under load, as its pages and a terminal see it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::interruption::{signal, wait_until};
use super::review::mined_pages;
use super::*;

/// Maximum time to wait. Answers that take seconds on a busy machine must not fail, and an answer that hangs must fail.
const PATIENCE: Duration = Duration::from_secs(60);

const FILE: &str = "patterns/odd.yaml";

/// A review, killed when dropped.
struct Review {
    child: Child,
    /// The address of the server, and the folder of its pages.
    address: (String, String),
}

impl Review {
    fn start(sandbox: &Sandbox) -> Review {
        let mut command = sandbox.command("review corpus -p patterns --no-open --quiet");
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut review = Review { child: child.expect("the program starts"), address: Default::default() };
        let mut url = String::new();
        BufReader::new(review.child.stdout.as_mut().expect("a pipe")).read_line(&mut url).expect("a line");
        let address = url.trim().strip_prefix("http://").and_then(|url| url.split_once('/'));
        review.address = address.map(|(host, path)| (host.to_owned(), path.to_owned())).expect("an address");
        review
    }

    /// Sends a request. Returns the connection for the answer.
    fn send(&self, method: &str, path: &str, json: &str) -> TcpStream {
        let (host, folder) = &self.address;
        let mut stream = TcpStream::connect(host).expect("a server");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let head = format!("{method} /{folder}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
        let content = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{json}", json.len());
        stream.write_all((head + &content).as_bytes()).expect("a request");
        stream
    }

    #[track_caller]
    fn ask(&self, method: &str, path: &str, json: &str) -> String {
        let mut answer = String::new();
        let read = self.send(method, path, json).read_to_string(&mut answer);
        read.unwrap_or_else(|error| panic!("{method} {path} is not answered: {error}"));
        assert!(answer.starts_with("HTTP/1.1 200"), "{method} {path}: {answer}");
        answer
    }

    fn end(mut self) {
        signal(&self.child, "-TERM");
        wait_until(&mut self.child, || false);
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Review {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A pattern file with this number of regexes that a person wrote.
fn pattern_file(regexes: impl Iterator<Item = String>) -> String {
    let entry = |(number, regex)| format!("  - {{id: own-{number}, regex: '{regex}', example: Line 1 of}}\n");
    let entries: String = regexes.enumerate().map(entry).collect();
    format!(
        "dehusk: 1\nsource: odd\nmined: {{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}}\npatterns:\n{entries}"
    )
}

#[test]
fn a_file_that_an_editor_saves_while_documents_are_looked_at() {
    let sandbox = Sandbox::new();
    let regexes = |more: usize| (0..100).map(move |number| format!("Line {number} of(?! {more})"));
    sandbox.write(FILE, pattern_file(regexes(0)));
    for page in 0..100 {
        let lines: String = (0..500).map(|line| format!("Line {line} of {page} says what it has to say.\n")).collect();
        sandbox.write(&format!("corpus/odd/{page}.txt"), lines);
    }
    let review = Review::start(&sandbox);
    for round in 1..8 {
        review.ask("GET", "s/odd/", "");
        sandbox.write(FILE, pattern_file(regexes(round)));
        sleep(Duration::from_millis(50));
        review.ask("GET", "pulse?source=odd", "");
    }
    assert!(review.ask("GET", "s/odd/p/own-0/", "").contains("(?! 7)"), "what was saved last is there");
    review.end();
}

#[test]
fn a_proposed_selector_stands_where_its_share_puts_it() {
    let sandbox = mined_pages();
    let file = sandbox.read("patterns/ferry.example.yaml");
    let share_of = |selector: &str| {
        let entry = file.split("  - ").find(|entry| entry.contains(selector)).expect("a selector");
        let (id, share) =
            (entry.split('\'').nth(1), entry.split("removes: ").nth(1).and_then(|rest| rest.lines().next()));
        (id.expect("an id").to_owned(), share.expect("a share").parse::<f64>().expect("a number"))
    };
    let mut shares = ["drop: 'aside", "content: ", "drop: 'footer", "drop: 'nav"].map(share_of);
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let review = Review::start(&sandbox);
    let page = (0..600).find_map(|_| {
        let page = review.ask("GET", "s/ferry.example/", "");
        let is_known = page.contains(" removed because of it");
        if !is_known {
            sleep(Duration::from_millis(100));
        }
        is_known.then_some(page)
    });
    let page = page.expect("the effects are computed");
    let list = page.split("id=\"list\"").nth(1).and_then(|rest| rest.split("</nav>").next()).expect("a list");
    let places = shares.each_ref().map(|(id, _)| list.find(&format!("data-id=\"{id}\"")).expect("an item"));
    assert!(places.is_sorted(), "{list}");
    let (first, share) = &shares[0];
    assert!(list.contains(&format!("{:.1} %", 100.0 * share)), "{list}");
    let detail = review.ask("GET", &format!("s/ferry.example/p/{first}/"), "");
    assert!(
        detail.contains(&format!("accounts for <b>{:.1}\u{a0}%</b> of the removed words", 100.0 * share)),
        "{detail}"
    );
    review.end();
}

#[test]
fn a_slow_regex_is_given_up_and_does_not_hold_the_review() {
    let sandbox = Sandbox::new();
    sandbox.write(FILE, pattern_file(["Line 1 of".to_owned()].into_iter()));
    sandbox.write("corpus/odd/x.txt", "a".repeat(1_000_000));
    let review = Review::start(&sandbox);
    let slow = r#"{"regex": "a++b", "ends_after": null}"#;
    let tried = review.ask("POST", "s/odd/p/own-0/try", slow);
    assert!(tried.contains("only 0 of 1 documents could be looked at"), "{tried}");
    // One that a file has, too.
    sandbox.write(FILE, pattern_file(["a++b".to_owned()].into_iter()));
    review.ask("GET", "pulse?source=odd", "");
    review.ask("GET", "s/odd/p/own-0/matches", "");
    let _trial = review.send("POST", "s/odd/p/own-0/try", slow);
    sleep(Duration::from_millis(500));
    review.end();
}
