//! `eval stream`: how soon templates are found, what has to be kept, and that a redesign is noticed.

#[path = "../../benches/support/mod.rs"]
mod support;

use std::ops::RangeInclusive;

use serde_json::Value;

use super::*;
use support::stream::Stream;

/// The lifetime of a segment seen once; one seen often lives twice as long.
const LIFETIME: u64 = 20;
const REDESIGN: u64 = 71;

fn json(sandbox: &Sandbox, arguments: &str) -> Value {
    let ran = sandbox.expect(0, &format!("eval stream {arguments} --json"));
    assert_eq!(ran.stderr, "");
    serde_json::from_str(&ran.stdout).expect("JSON and nothing else")
}

/// The sample corpus and its articles.
fn with_gold() -> String {
    format!("{} --gold '{}/corpora/news-gold'", news(), env!("CARGO_MANIFEST_DIR"))
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
    let outcome = json(&sandbox, &format!("{arguments} --plot plot.svg"));
    let templates = |page: u64| {
        let table = &outcome["pages"][page as usize - 1]["table"];
        ["old", "new"].map(|when| table[when].as_u64().expect("a count"))
    };
    let ([before, none], [gone, learned]) = (templates(REDESIGN - 1), templates(REDESIGN + 2 * LIFETIME));
    assert!(before >= 50 && none == 0, "{before} {none}");
    assert!(gone == 0 && 10 * learned >= 8 * before, "{before} then, {gone} and {learned} now");
    assert!(templates(REDESIGN + LIFETIME)[0] > 0, "they are not forgotten at once");
    assert!(recall(&outcome, REDESIGN..=REDESIGN) < 0.5);
    assert!(recall(&outcome, REDESIGN + 2 * LIFETIME..=140) > 0.9);
    let plot = sandbox.read("plot.svg");
    assert!(plot.contains("redesign") && plot.contains("from after it") && plot.matches("<polyline").count() == 6);
}

#[test]
fn templates_are_found_soon_and_little_is_kept() {
    let outcome = json(&Sandbox::new(), &with_gold());
    let first = &outcome["windows"][0];
    let removed = |method: &str| first["words"][method]["removed"].as_u64().expect("a count");
    assert_eq!(first["to"], 4);
    assert!(removed("segments") == 0 && removed("stream") > 0, "no template yet, but what recurs is evidence");
    let half = |method: &str, share: &str| outcome["last_half"]["means"][method][share].as_f64().expect("a share");
    assert!(half("stream", "recall") > 0.9 && half("stream", "precision") > 0.95, "{}", outcome["last_half"]);
    assert!(half("segments", "recall") < half("stream", "recall") && half("batch", "recall") > 0.95);
    for (source, figures) in outcome["per_source"].as_object().expect("sources") {
        let storage = &figures["storage"];
        let kept = |what: &Value| what.as_f64().expect("a size");
        assert!(kept(&storage["table"]) < 0.5 * kept(&storage["batch"]["bytes"]), "{source}: {storage}");
        let is_html = source == "orchard-courier.example";
        assert_eq!(storage["batch"]["tree"].is_u64(), is_html, "{source}: there are no trees of plain text");
    }
}

#[test]
fn tables_depend_on_the_corpus_and_options_alone() {
    let figures = |more: &str| {
        let printed = Sandbox::new().expect(0, &format!("eval stream {} {more}", with_gold())).stdout;
        printed.lines().filter(|line| !line.starts_with("scan ")).collect::<Vec<&str>>().join("\n")
    };
    let one = figures("--threads 1");
    assert_eq!(one, figures("--threads 3"));
    assert_ne!(one, figures("--min-df 3"));
    assert!(one.contains("\n11-15 ") && one.contains("\ntable of the stream "), "{one}");
}

#[test]
fn pattern_files_take_the_place_of_mining() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &format!("mine {} -o patterns --quiet", news()));
    let [mined, given] =
        ["", "-p patterns"].map(|patterns| json(&sandbox, &format!("{} {patterns}", with_gold()))["last_half"].take());
    assert_eq!(mined, given);
}
