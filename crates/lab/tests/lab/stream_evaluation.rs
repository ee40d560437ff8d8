//! `stream`: how soon templates are found, what has to be kept, and that a redesign is noticed.

#[path = "../../../../benches/support/mod.rs"]
mod support;

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::containers::{response, zstd};
use super::news_pages::{self, News, lines};
use super::*;
use support::stream::Stream;

/// The lifetime of a segment seen once; one seen often lives twice as long.
const LIFETIME: u64 = 20;
const REDESIGN: u64 = 71;

fn figures_of(sandbox: &Sandbox, arguments: &str) -> Value {
    let ran = sandbox.expect(0, &format!("lab stream {arguments} --json"));
    assert_eq!(ran.stderr, "");
    serde_json::from_str(&ran.stdout).expect("JSON and nothing else")
}

/// The sample corpus and its articles.
fn with_gold() -> String {
    format!("{} --gold '{}/corpora/news-gold'", news(), REPOSITORY)
}

/// A folder with a stream whose templates are replaced in its middle.
fn redesigned() -> Sandbox {
    let (sandbox, mut pages, mut gold) = (Sandbox::new(), Vec::new(), Vec::new());
    let stream = Stream { seed: 1, sources: 1, pages: 140, redesign_at: Some(REDESIGN as usize) };
    stream.write(&mut pages, &mut gold).expect("written");
    sandbox.write("pages.jsonl", pages);
    sandbox.write("gold.jsonl", gold);
    sandbox
}

/// The mean recall of the stream on these pages.
fn recall(outcome: &Value, pages: RangeInclusive<u64>) -> f64 {
    let count = (pages.end() - pages.start() + 1) as f64;
    let of = |page: u64| outcome["pages"][page as usize - 1]["words"]["stream"]["recall"].as_f64().expect("a recall");
    pages.map(of).sum::<f64>() / count
}

#[test]
fn a_redesign_is_forgotten_and_learned_within_two_lifetimes() {
    let sandbox = redesigned();
    let arguments = format!("pages.jsonl --gold gold.jsonl --lifetime {LIFETIME} --redesign-at {REDESIGN}");
    let outcome = figures_of(&sandbox, &format!("{arguments} --plot plot.svg"));
    let templates = |page: u64| {
        let table = &outcome["pages"][page as usize - 1]["table"];
        ["old", "new"].map(|when| table[when].as_u64().expect("a count"))
    };
    let ([before, none], [gone, learned]) = (templates(REDESIGN - 1), templates(REDESIGN + 2 * LIFETIME));
    assert!(before >= 50 && none == 0, "{before} {none}");
    assert!(gone == 0 && 10 * learned >= 8 * before, "{before} then, {gone} and {learned} now");
    assert!(templates(REDESIGN + LIFETIME)[0] > 0, "they are not forgotten at once");
    let (at_once, later) = (recall(&outcome, REDESIGN..=REDESIGN), recall(&outcome, REDESIGN + 2 * LIFETIME..=140));
    assert!(at_once < later && later > 0.9, "{at_once} {later}");
    let plot = sandbox.read("plot.svg");
    assert!(plot.contains("redesign") && plot.contains("new design") && plot.matches("<polyline").count() == 6);
}

#[test]
fn templates_are_found_soon_and_little_is_kept() {
    let outcome = figures_of(&Sandbox::new(), &with_gold());
    let first = &outcome["windows"][0];
    let removed = |method: &str| first["words"][method]["removed"].as_u64().expect("a count");
    assert_eq!(first["to"], 4);
    assert!(removed("segments") == 0 && removed("stream") > 0, "no template yet, but what recurs is evidence");
    let half = |method: &str, share: &str| outcome["last_half"]["means"][method][share].as_f64().expect("a share");
    assert!(half("stream", "recall") > 0.8 && half("stream", "precision") > 0.95, "{}", outcome["last_half"]);
    assert!(half("segments", "recall") < half("stream", "recall") && half("batch", "recall") > 0.9);
    for (source, figures) in outcome["per_source"].as_object().expect("sources") {
        let storage = &figures["storage"];
        let kept = |what: &Value| what.as_f64().expect("a size");
        assert!(kept(&storage["table"]) < 0.5 * kept(&storage["batch"]["bytes"]), "{source}: {storage}");
    }
}

#[test]
fn it_does_not_matter_what_pages_come_in() {
    let sandbox = redesigned();
    let pages = sandbox.read("pages.jsonl");
    let records = pages.lines().flat_map(|line| {
        let page: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| page[key].as_str().expect("a text").to_owned();
        response(&format!("https://{}/{}", text("source"), text("id")), "", text("html").as_bytes())
    });
    sandbox.write("pages.warc", records.collect::<Vec<u8>>());
    sandbox.write("pages.jsonl.zst", zstd(pages.as_bytes()));
    let figures = |ran: Ran| {
        let mut outcome: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
        outcome["seconds"].take();
        outcome
    };
    let measured = |arguments: &str| figures(sandbox.expect(0, &format!("lab stream {arguments} --json")));
    let open = measured("pages.jsonl --gold gold.jsonl");
    let markup = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["html"].as_str().map_or(0, str::len);
    let first_half: usize = pages.lines().take(70).map(markup).sum();
    assert_eq!(open["per_source"]["site0000.example"]["storage"]["half"], first_half, "pages count with their markup");
    assert_eq!(open, measured("pages.jsonl.zst --gold gold.jsonl"));
    assert_eq!(open, figures(expect_fed(&sandbox, 0, "lab stream - --gold gold.jsonl --json", &pages)));
    // the documents of an archive are called after its records
    let named = sandbox.expect(0, "stream pages.warc --state state --quiet").stdout;
    let called = |(named, gold): (&str, &str)| {
        let [named, mut gold]: [Value; 2] = [named, gold].map(|line| serde_json::from_str(line).expect("JSON"));
        gold["id"] = named["id"].clone();
        gold.to_string() + "\n"
    };
    sandbox.write("gold.jsonl", named.lines().zip(sandbox.read("gold.jsonl").lines()).map(called).collect::<String>());
    assert_eq!(open, measured("pages.warc --gold gold.jsonl"));
}

#[test]
fn tables_depend_on_the_corpus_and_options_alone() {
    let figures = |more: &str| {
        let printed = Sandbox::new().expect(0, &format!("lab stream {} {more}", with_gold())).stdout;
        printed.lines().filter(|line| !line.starts_with("scan ")).collect::<Vec<&str>>().join("\n")
    };
    let one = figures("--threads 1");
    assert_eq!(one, figures("--threads 3"));
    assert_ne!(one, figures("--template-documents 3"));
    assert!(one.contains("\n11-15 ") && one.contains("\ntable of the stream "), "{one}");
}

#[test]
fn pattern_files_take_the_place_of_mining() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &format!("mine {} -o patterns --quiet", news()));
    let [mined, given] = ["", "-p patterns"]
        .map(|patterns| figures_of(&sandbox, &format!("{} {patterns}", with_gold()))["last_half"].take());
    assert_eq!(mined, given);
}

#[test]
fn structure_tells_template_from_text() {
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", lines(0..20));
    let gold = |News { number, title, paragraphs, .. }: News| {
        let text = [vec![title], paragraphs].concat().join("\n");
        json!({"id": number, "source": "tide", "text": text}).to_string() + "\n"
    };
    sandbox.write("gold.jsonl", news_pages::news(0..20).into_iter().map(gold).collect::<String>());
    let recall = |options: &str| {
        let ran = sandbox.expect(0, &format!("lab stream in.jsonl --gold gold.jsonl --json {options}"));
        let outcome: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        ["stream", "batch"].map(|method| outcome["last_half"]["means"][method]["recall"].as_f64().expect("a recall"))
    };
    let (structured, as_text) = (recall(""), recall("--no-structure"));
    assert!(structured.iter().all(|&recall| recall > 0.9), "{structured:?}");
    assert!(as_text.iter().all(|&recall| recall < 0.5), "{as_text:?}");
}
