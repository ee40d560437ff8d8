//! `dehusk crawl`, against a server of the test's own on 127.0.0.0/8.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use super::interruption::{signal, start, wait_until};
use super::*;

#[path = "../../crates/crawler/tests/server/mod.rs"]
mod server;

use server::{PAPERS, Server, Sites};

const CONTACT: &str = "--contact mailto:crawler@tests.example";

/// What makes the program find the hosts of the server.
fn hosts(server: &Server) -> String {
    let given = server.names().into_iter().map(|(host, ip)| format!(" --resolve {host}:{ip}"));
    format!("{CONTACT} --delay 20ms --retry 50ms --timeout 5s{}", given.collect::<String>())
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// The block of each record of a kind, by its URL.
fn blocks(path: &Path, kind: &str) -> Tree {
    let mut warc = Vec::new();
    MultiGzDecoder::new(fs::File::open(path).expect("a file")).read_to_end(&mut warc).expect("a whole file");
    let mut blocks = Tree::new();
    let mut rest = &warc[..];
    while !rest.is_empty() {
        let end = rest.windows(4).position(|end| end == b"\r\n\r\n").expect("a header") + 4;
        let header = String::from_utf8_lossy(&rest[..end]);
        let value = |name: &str| header.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")[..]));
        let length: usize = value("Content-Length").and_then(|length| length.parse().ok()).expect("a length");
        if value("WARC-Type") == Some(kind) {
            let url = value("WARC-Target-URI").expect("a URL").to_owned();
            blocks.insert(url, rest[end..end + length].to_vec());
        }
        rest = &rest[end + length + 4..];
    }
    blocks
}

/// The page in a response, as a server sends it that packs nothing.
fn unpacked(response: &[u8]) -> String {
    let end = response.windows(4).position(|end| end == b"\r\n\r\n").expect("a header") + 4;
    let mut page = response[end..].to_vec();
    if page.starts_with(b"\x1f\x8b") {
        page.clear();
        MultiGzDecoder::new(&response[end..]).read_to_end(&mut page).expect("a page");
    }
    String::from_utf8(page).expect("UTF-8")
}

#[test]
fn from_feeds_to_cleaned_text() {
    let server = Server::start(Sites::news(&PAPERS));
    let sandbox = Sandbox::new();
    let feeds: Vec<String> = PAPERS.iter().map(|paper| server.url(paper, "/feed.xml")).collect();
    let homes: Vec<String> = PAPERS.iter().map(|paper| server.url(paper, "/")).collect();
    sandbox.write("feeds.txt", format!("# feeds\n\n{}\n", feeds.join("\n")));
    sandbox.write("papers.txt", homes.join("\n"));
    let ran = sandbox.run(&format!(
        "crawl --feeds feeds.txt --urls papers.txt --depth 1 --sitemaps -o crawled --json {}",
        hosts(&server)
    ));
    let number = |name: &str| json(&ran)[name].as_u64().expect("a number");
    let pages = number("pages") - number("copies");
    assert!(pages > 60, "{ran:?}");
    sandbox.expect(0, "run crawled -o out --source-by host");
    let cleaned = blocks(&sandbox.path("out/cleaned/crawl-00001.warc.gz"), "conversion");
    assert_eq!(cleaned.len() as u64, pages, "feeds, sitemaps and robots.txt are no documents");

    // The same pages as files.
    let mut lines = String::new();
    for (url, response) in blocks(&sandbox.path("crawled/crawl-00001.warc.gz"), "response") {
        if cleaned.contains_key(&url) {
            let line = serde_json::json!({ "id": url, "url": url, "html": unpacked(&response) });
            lines += &format!("{line}\n");
        }
    }
    sandbox.write("pages.jsonl", lines);
    sandbox.expect(0, "run pages.jsonl -o from-files --source-by host");
    let mut different = Vec::new();
    for line in sandbox.read("from-files/cleaned/pages.jsonl").lines() {
        let document: Value = serde_json::from_str(line).expect("JSON");
        let value = |name: &str| document[name].as_str().unwrap_or_default().to_owned();
        let of_crawl = String::from_utf8(cleaned[&value("id")].clone()).expect("UTF-8");
        if of_crawl != value("text") {
            different.push((value("id"), of_crawl, value("text")));
        }
    }
    assert!(different.is_empty(), "{} {:?}", different.len(), different.first());
}

#[test]
fn what_a_watched_feed_brings_is_cleaned_at_once() {
    let server = Server::start(Sites::news(&["tideline-wire.example"]));
    let sandbox = Sandbox::new();
    sandbox.write("feeds.txt", server.url("tideline-wire.example", "/feed.xml"));
    let mut crawl = sandbox.command(&format!("crawl --feeds feeds.txt --watch --stdout -o crawled {}", hosts(&server)));
    let mut crawl = crawl.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a crawl");
    let mut stream = sandbox.command("stream - -s learned.state --quiet");
    let pages = crawl.stdout.take().expect("a pipe");
    let mut stream = stream.stdin(pages).stdout(Stdio::piped()).spawn().expect("a stream");
    let mut line = String::new();
    BufReader::new(stream.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert!(line.contains("tideline-wire.example"), "{line}");
    assert!(crawl.try_wait().expect("a child").is_none(), "the crawl goes on");
    signal(&crawl, "-INT");
    for child in [&mut crawl, &mut stream] {
        wait_until(child, || false);
    }
}

#[test]
fn patterns_say_which_pages_are_fetched_and_the_report_has_the_others() {
    let mut sites = Sites::new();
    let links = "<a href=/news/1>1</a><a href=/news/1/print>P</a><a href=/about>A</a><a href=/news/secret>S</a>";
    sites.page("a.example", "/", links).page("a.example", "/news/1", links);
    sites.robots("a.example", "User-agent: *\nDisallow: /news/secret\n");
    let server = Server::start(sites);
    let sandbox = Sandbox::new();
    let url = |path: &str| server.url("a.example", path);
    let arguments = format!("crawl {} --depth 2 -o crawled {}", url("/"), hosts(&server));
    let ran =
        sandbox.expect(0, &format!("{arguments} --only /news/ --skip /print$ --skip [?]page= --report out.jsonl"));
    for told in ["2 pages (", "2 URLs left out by --only and --skip", "1 URL forbidden by robots.txt"] {
        assert!(ran.stdout.contains(told), "{told}: {ran:?}");
    }
    let mut report: Vec<String> = sandbox.read("out.jsonl").lines().map(str::to_owned).collect();
    report.sort();
    let line = |path: &str, why: &str| format!("{{\"url\":\"{}\",\"error\":\"{why}\"}}", url(path));
    let expected = [
        line("/about", "--only or --skip leaves it out"),
        line("/news/1/print", "--only or --skip leaves it out"),
        line("/news/secret", "robots.txt forbids it"),
    ];
    assert_eq!(report, expected);
    sandbox.expect(2, &format!("{arguments} --only [")).says("unclosed character class");
}

#[test]
fn a_page_at_many_addresses_is_one_document() {
    let mut sites = Sites::new();
    sites.rule("a.example", |path, _| {
        let same = "<p>The ferry leaves at noon, and comes back before dark.";
        (path != "/robots.txt").then(|| server::Page::html(same))
    });
    let server = Server::start(sites);
    let sandbox = Sandbox::new();
    let urls: Vec<String> = (0..4).map(|number| server.url("a.example", &format!("/{number}"))).collect();
    let ran = sandbox.expect(0, &format!("crawl {} -o crawled --json {}", urls.join(" "), hosts(&server)));
    assert_eq!((&json(&ran)["pages"], &json(&ran)["copies"]), (&4.into(), &3.into()));
    assert_eq!(blocks(&sandbox.path("crawled/crawl-00001.warc.gz"), "revisit").len(), 3);
    let ran = sandbox.expect(0, "extract crawled -o out");
    assert!(ran.stdout.contains("1 document of 1 source"), "{ran:?}");
}

#[test]
fn a_contact_is_needed() {
    let sandbox = Sandbox::new();
    sandbox.expect(2, "crawl http://paper.example/ -o crawled").says("--contact");
    sandbox.expect(2, "crawl http://paper.example/ -o crawled --contact me").says("an e-mail address");
    sandbox.expect(2, &format!("crawl -o crawled {CONTACT}")).says("URL");
    sandbox.expect(1, &format!("crawl --urls missing.txt -o crawled {CONTACT}")).says("missing.txt");
    sandbox.expect(1, &format!("crawl http://paper.example/ -o crawled --resume {CONTACT}")).says("leave --resume out");
    assert!(!sandbox.path("crawled/crawl-00001.warc.gz").exists());
}

#[test]
fn private_addresses_are_not_visited() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&format!("crawl http://127.0.0.1:9/ -o crawled --report failed.jsonl --retry 0s {CONTACT}"));
    assert_eq!(ran.status, Some(3));
    ran.says("--allow-private");
    assert!(sandbox.read("failed.jsonl").contains("private"));
}

#[test]
fn ctrl_c_and_resume() {
    let server = Server::start(Sites::many(3, 40));
    let sandbox = Sandbox::new();
    let homes: Vec<String> = server.names().iter().map(|(host, _)| server.url(host, "/")).collect();
    let arguments = format!("crawl {} --depth 1 -o crawled {}", homes.join(" "), hosts(&server));
    let mut child = start(&sandbox, &arguments);
    wait_until(&mut child, || server.log().len() > 12);
    signal(&child, "-INT");
    wait_until(&mut child, || false);
    let stopped = child.wait_with_output().expect("it ends");
    assert_eq!(stopped.status.code(), Some(130), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert!(String::from_utf8_lossy(&stopped.stderr).contains("--resume"));
    sandbox.expect(1, &arguments).says("--resume goes on");
    let ran = sandbox.expect(0, &format!("{arguments} --resume --json"));
    assert_eq!(json(&ran)["left"], 0);
    assert_eq!(blocks(&sandbox.path("crawled/crawl-00001.warc.gz"), "response").len(), 120 + 3);
    sandbox.expect(0, &format!("{arguments} --json"));
}

#[test]
fn pages_on_stdout_are_cleaned_as_they_come() {
    let server = Server::start(Sites::news(&["tideline-wire.example"]));
    let sandbox = Sandbox::new();
    let feed = server.url("tideline-wire.example", "/feed.xml");
    sandbox.write("feeds.txt", feed);
    let ran = sandbox.run(&format!(
        "crawl --feeds feeds.txt --stdout -o crawled {} --delay 1ms",
        hosts(&server).replace(" --delay 20ms", "")
    ));
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let records = ran.stdout.matches("WARC-Type: response").count();
    assert!(records > 3 && ran.stderr.contains("pages"), "{records} {}", ran.stderr);
    sandbox.write("pages.warc", &ran.stdout);
    let ran = sandbox.expect(0, "stream pages.warc -s learned.state");
    assert_eq!(ran.stdout.lines().count(), records);
}
