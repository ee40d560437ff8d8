//! Pages, given back as pages.

use std::io::{Read, Write};

use encoding_rs::{Encoding, SHIFT_JIS, UTF_8, WINDOWS_1251};
use flate2::read::GzDecoder;

use dehusk_core::html::visible_text;
use dehusk_corpus::{Compression, Encoder};

use super::*;

const CLEAN: &str = "clean corpus -p patterns -o out --html page --only accepted";

/// A sandbox that knows one line of boilerplate.
fn sandbox(line: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "patterns/tide.yaml",
        format!(
            "dehusk: 1\nsource: tide\nmined: {{documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}}\npatterns:\n  \
             - {{id: mine, status: accepted, regex: '{line}', example: '{line}'}}\n"
        ),
    );
    sandbox
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new(), Compression::Gzip).expect("an encoder");
    encoder.write_all(bytes).expect("it is compressed");
    encoder.finish().expect("it is compressed")
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut text).expect("gzip");
    text
}

/// A page with these lines in paragraphs, which says what it is encoded in.
fn page_of(lines: &[&str], encoding: &str) -> String {
    let lines: String = lines.iter().map(|line| format!("<p>{line}</p>\r\n")).collect();
    format!("<meta charset={encoding}><title>a  b</title>\r\n{lines}<!-- -->")
}

/// The same page without the paragraph of a line.
fn page_without(line: &str, lines: &[&str], encoding: &str) -> String {
    page_of(lines, encoding).replace(&format!("<p>{line}</p>"), "")
}

/// From a page to its bytes.
type Encode<'e> = &'e dyn Fn(&str) -> Vec<u8>;

fn utf_16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn a_page_stays_in_its_encoding() {
    let russian =
        ["Паром вышел на рассвете, и никто его не видел.", "Поделиться этой страницей", "Вторая новость дня."];
    let japanese = ["船は夜明けに港を出た。誰も見ていなかった。", "このページを共有する", "二番目の話はここに残る。"];
    let encode = |encoding: &'static Encoding| move |text: &str| encoding.encode(text).0.into_owned();
    let cases: [(&str, [&str; 3], Encode); 4] = [
        ("windows-1251", russian, &encode(WINDOWS_1251)),
        ("utf-8", russian, &encode(UTF_8)),
        ("utf-16", russian, &utf_16),
        ("Shift_JIS", japanese, &encode(SHIFT_JIS)),
    ];
    for (name, [first, line, last], encode) in cases {
        let sandbox = sandbox(line);
        let before = encode(&page_of(&[first, line, last], name));
        sandbox.write("corpus/tide/1.html", &before);
        sandbox.write("corpus/tide/2.html.gz", gzip(&before));
        let ran = sandbox.expect(0, &format!("{CLEAN} --json"));
        assert!(ran.stderr.is_empty() && ran.stdout.contains("\"converted\": 0"), "{name}: {ran:?}");
        let written = sandbox.tree("out");
        let after = encode(&page_without(line, &[first, line, last], name));
        assert!(after.len() < before.len() && written["tide/1.html"] == after, "{name}");
        assert!(gunzip(&written["tide/2.html.gz"]) == after, "{name}");
    }
}

#[test]
fn what_an_encoding_lacks_is_written_as_a_reference() {
    let sandbox = sandbox("Поделиться");
    let encode = |line| WINDOWS_1251.encode(&page_of(&["Паром вышел.", line], "windows-1251")).0.into_owned();
    sandbox.write("corpus/tide/1.html", encode("Поделиться"));
    sandbox.expect(0, &format!("{CLEAN} --replacement '日 <b>'"));
    let written = &sandbox.tree("out")["tide/1.html"];
    let expected = encode("&#26085; &lt;b&gt;");
    assert!(*written == expected, "{}", WINDOWS_1251.decode(written).0);
}

#[test]
fn a_page_in_a_line_is_given_back_in_its_line() {
    let sandbox = sandbox("Share this page");
    let line = |share: &str| {
        format!(
            "{{\"n\": 1.0, \"html\":\"<p>The \\u0066erry sailed.<p>{share}<p>&lt;The end\", \"id\":7,\"source\":\"tide\" ,\"é\":\"\\/\"}}\r\n"
        )
    };
    sandbox.write("corpus/a.jsonl", line("Share this page") + "\n" + &line("Nothing"));
    sandbox.expect(0, CLEAN);
    let written = sandbox.read("out/a.jsonl");
    let lines: Vec<&str> = written.split_inclusive('\n').collect();
    assert_eq!(lines[1..], ["\n", &line("Nothing")], "what is untouched stays as it was written");
    assert_eq!(lines[0], line("").replace("\\u0066", "f").replace("<p><p>", "<p>"));
    let ran = sandbox.expect(0, "clean corpus -p patterns -o - --html page --only accepted");
    assert_eq!(ran.stdout, written);
}

/// A response of a server, as a crawl keeps it.
fn response(body: &[u8], fields: &str) -> Vec<u8> {
    let http = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=windows-1251\r\nX-Own: a\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let length = http.len() + body.len();
    let header = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:n:1>\r\nWARC-Target-URI: http://tide/1\r\n{fields}\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    );
    [header.as_bytes(), http.as_bytes(), body, b"\r\n\r\n"].concat()
}

#[test]
fn a_page_in_an_archive_is_given_back_in_its_record() {
    let sandbox = sandbox("Поделиться этой страницей");
    let body = |line| WINDOWS_1251.encode(&page_of(&["Паром вышел на рассвете.", line], "x")).0.into_owned();
    let digests = "WARC-Block-Digest: sha1:B\r\nWARC-Payload-Digest: sha1:A\r\n";
    let share = "Поделиться этой страницей";
    let (before, untouched) = (response(&body(share), digests), response(&body("Конец"), digests));
    let after = page_without(share, &["Паром вышел на рассвете.", share], "x");
    let after = response(&WINDOWS_1251.encode(&after).0, "");
    for (name, packed) in
        [("a.warc", &(|bytes: &[u8]| bytes.to_vec()) as &dyn Fn(&[u8]) -> Vec<u8>), ("b.warc.gz", &gzip)]
    {
        sandbox.write(&format!("corpus/{name}"), [packed(&before), packed(&untouched)].concat());
        sandbox.expect(0, CLEAN);
        let written = &sandbox.tree("out")[name];
        let expected = [packed(&after), packed(&untouched)].concat();
        assert!(*written == expected, "{name}: {}", String::from_utf8_lossy(written));
    }
}

#[test]
fn a_page_in_an_archive_becomes_markdown() {
    let sandbox = sandbox("Share this page");
    let body = "<h1>The ferry</h1><p>Share this page<p>It <a href=late>sailed</a>.";
    sandbox.write("corpus/a.warc", response(body.as_bytes(), ""));
    sandbox.expect(0, "clean corpus -p patterns -o out --html markdown --only accepted");
    let written = sandbox.read("out/a.warc");
    let expected = "\r\n\r\n# The ferry\n\nIt [sailed](http://tide/late).\r\n\r\n";
    assert!(written.contains("WARC-Type: conversion\r\n") && written.ends_with(expected), "{written}");
}

#[test]
fn a_stream_writes_markdown() {
    let sandbox = sandbox("Share this page");
    sandbox.write("corpus/tide/1.html", "<h1>The ferry</h1><p>It sailed.");
    let ran = sandbox.expect(0, "stream corpus --state state -o - --html markdown --quiet");
    assert!(ran.stdout.contains("\"text\":\"# The ferry\\n\\nIt sailed.\""), "{}", ran.stdout);
}

/// Of all pages in `corpora`: what is seen of the cleaned page is the cleaned text.
#[test]
fn what_is_seen_of_a_cleaned_page_is_its_cleaned_text() {
    let sandbox = Sandbox::new();
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    let pages = tree(&corpora).into_iter().filter(|(name, _)| name.ends_with(".html") && !name.contains("-gold/"));
    let pages: Tree = pages.collect();
    assert!(pages.len() >= 20, "there are pages");
    for (name, bytes) in &pages {
        let mut parts = name.rsplit('/');
        let (file, source) = (parts.next().expect("a file"), parts.next().expect("a folder"));
        sandbox.write(&format!("corpus/{source}/{file}"), bytes);
    }
    sandbox.expect(0, "run corpus -o run --quiet");
    for options in ["", "--method union", "--replacement '[…]'"] {
        for html in ["text", "page"] {
            let arguments = format!("clean corpus -p run/patterns -o {html} --html {html} --quiet {options}");
            sandbox.expect(0, &arguments);
        }
        let (texts, pages) = (sandbox.tree("text"), sandbox.tree("page"));
        assert_eq!(texts.len(), pages.len());
        for (name, page) in &pages {
            let text = String::from_utf8_lossy(&texts[&name.replace(".html", ".txt")]).into_owned();
            let seen = visible_text(&String::from_utf8_lossy(page));
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
            assert_eq!(words(&seen), words(&text), "{name} {options}");
        }
    }
}
