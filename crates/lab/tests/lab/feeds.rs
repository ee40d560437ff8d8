//! `dehusk-lab feeds`: the texts of feeds as gold text.

use std::fmt::Write as _;

use serde_json::Value;

use super::*;

const SOURCE: &str = "orchard-courier.example";

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

/// A WARC record with these fields and this name.
fn record_of(name: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let length = block.len();
    let header = format!("WARC/1.1\r\nWARC-Record-ID: <{name}>\r\n{fields}\r\nContent-Length: {length}\r\n\r\n");
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// The sample pages that are HTML: the name of each, the page, and the lines of its gold text.
fn articles() -> Vec<(String, String, Vec<String>)> {
    let corpora = Path::new(REPOSITORY).join("corpora");
    let page = |(name, page): (&String, &Vec<u8>)| {
        let name = name.trim_end_matches(".html").to_owned();
        let gold = fs::read_to_string(corpora.join(format!("news-gold/{SOURCE}/{name}.txt"))).expect("gold text");
        let page = String::from_utf8(page.clone()).expect("UTF-8");
        (name, page, gold.lines().map(str::to_owned).collect())
    };
    tree(&corpora.join("news").join(SOURCE)).iter().map(page).collect()
}

fn address(name: &str) -> String {
    format!("https://{SOURCE}/{name}")
}

/// A response to a request for this address, in a record of this name.
fn response(name: &str, address: &str, status: &str, fields: &str, body: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 {status}\r\n{fields}\r\n{body}");
    let kind = "Content-Type: application/http; msgtype=response";
    record_of(name, &format!("WARC-Type: response\r\nWARC-Target-URI: {address}\r\n{kind}"), block.as_bytes())
}

fn page(name: &str, page: &str) -> Vec<u8> {
    response(name, &address(name), "200 OK", "Content-Type: text/html; charset=utf-8\r\n", page)
}

/// A feed with an entry for each text, given by the name of its page.
fn feed(entries: &[(String, String)]) -> Vec<u8> {
    let mut items = String::new();
    for (name, html) in entries {
        let link = address(name);
        let _ = write!(
            items,
            "<item><title>Story</title><link>{link}</link><content:encoded><![CDATA[{html}]]></content:encoded></item>"
        );
    }
    let feed = format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\">\
         <channel><title>Courier</title><link>https://{SOURCE}/</link><description>d</description>{items}</channel></rss>"
    );
    response("feed", &address("feed"), "200 OK", "Content-Type: application/xml\r\n", &feed)
}

fn paragraphs<'l>(lines: impl IntoIterator<Item = &'l String>) -> String {
    lines.into_iter().map(|line| format!("<p>{}</p>", line.replace('&', "&amp;").replace('<', "&lt;"))).collect()
}

fn crawl(entries: &[(String, String)]) -> Vec<u8> {
    let pages = articles().into_iter().flat_map(|(name, html, _)| page(&name, &html));
    feed(entries).into_iter().chain(pages).collect()
}

/// All but the headlines, which feeds do not have in their texts.
fn full_texts() -> Vec<(String, String)> {
    articles().into_iter().map(|(name, _, gold)| (name, paragraphs(&gold[1..]))).collect()
}

#[test]
fn the_figures_are_those_of_the_same_texts_as_files() {
    let sandbox = Sandbox::new();
    sandbox.write("crawl.warc", crawl(&full_texts()));
    let by_feed = json(&sandbox.expect(0, "lab feeds crawl.warc --json --documents"));
    let articles = articles();
    let entries = articles.len() as u64;
    let told = &by_feed["feeds"];
    assert_eq!((&told["feeds"], &told["entries"], &told["with_page"]), (&1.into(), &entries.into(), &entries.into()));
    assert!(told["full"].as_u64().expect("a number") >= 20, "{told}");
    for (name, html, gold) in &articles {
        sandbox.write(&format!("corpus/{SOURCE}/{name}.html"), html);
        if by_feed["per_document"].as_array().expect("documents").iter().any(|of| of["document"] == **name) {
            sandbox.write(&format!("gold/{SOURCE}/{name}.txt"), gold[1..].join("\n"));
        }
    }
    let by_files = json(&sandbox.expect(0, "eval corpus --gold gold --json --documents"));
    assert_eq!(by_feed["documents"], told["full"]);
    for figure in ["documents", "gold_words", "lost_words", "scores", "per_source"] {
        assert_eq!(by_feed[figure], by_files[figure], "{figure}");
    }
}

#[test]
fn the_table_says_what_became_of_the_entries() {
    let sandbox = Sandbox::new();
    let mut entries = full_texts();
    entries[0].1 =
        "<p>Saucepan lids and two bugles went into the orchard […] <a href=\"/x\">Read more</a></p>".to_owned();
    entries[1].1 = String::new();
    entries[2].0 = "not-crawled".to_owned();
    sandbox.write("crawl.warc", crawl(&entries));
    let told = sandbox.expect(0, "lab feeds crawl.warc --per-source").stdout;
    assert!(
        told.starts_with(&format!("1 feed: {} entries, {} with a page, ", entries.len(), entries.len() - 1)),
        "{told}"
    );
    for line in
        ["1  no text", "1  a text that ends in an ellipsis", "1  no page in the crawl", "left alone", SOURCE, "dehusk"]
    {
        assert!(told.contains(line), "no {line:?} in\n{told}");
    }
}

#[test]
fn the_page_of_an_entry_is_found_through_redirects() {
    let sandbox = Sandbox::new();
    let entries: Vec<_> = full_texts().into_iter().map(|(name, html)| (format!("?p={name}"), html)).collect();
    let moves = articles().into_iter().flat_map(|(name, _, _)| {
        let location = format!("Location: /{name}\r\n");
        response(&format!("moved-{name}"), &address(&format!("?p={name}")), "301 Moved", &location, "")
    });
    let warc: Vec<u8> = crawl(&entries).into_iter().chain(moves).collect();
    sandbox.write("crawl.warc", warc);
    let told = json(&sandbox.expect(0, "lab feeds crawl.warc --json"));
    assert_eq!(told["feeds"]["with_page"], told["feeds"]["entries"]);
    sandbox.write("direct.warc", crawl(&full_texts()));
    assert_eq!(json(&sandbox.expect(0, "lab feeds direct.warc --json"))["scores"], told["scores"]);
}

#[test]
fn without_feeds_there_is_nothing_to_compare_with() {
    let sandbox = Sandbox::new();
    let pages: Vec<u8> = articles().iter().flat_map(|(name, html, _)| page(name, html)).collect();
    sandbox.write("crawl.warc", pages);
    let ran = sandbox.expect(1, "lab feeds crawl.warc");
    ran.says("there is no feed in what was read").says("give WARC files of a crawl that also fetched feeds");
}

#[test]
fn teasers_alone_are_refused() {
    let sandbox = Sandbox::new();
    let first = |gold: &[String]| paragraphs(&gold[1..gold.len().min(3)]);
    let teasers: Vec<_> = articles().into_iter().map(|(name, _, gold)| (name, first(&gold))).collect();
    sandbox.write("crawl.warc", crawl(&teasers));
    let ran = sandbox.expect(1, "lab feeds crawl.warc");
    ran.says("no entry has the full text of an article").says("a page on which the text goes on");
    ran.says("dehusk eval CORPUS --gold DIR");
}
