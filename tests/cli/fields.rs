//! `dehusk fields`: what it writes for a whole corpus, and what it refuses.

use super::*;

/// A hand-written pattern for the source `tide`, whose pages [`page`] makes.
fn with_patterns(sandbox: &Sandbox) {
    let head = "dehusk: 1\nsource: tide\nmined: {documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}\npatterns:\n";
    let regex = "desk, (?P<so_far>[0-9]+) so far";
    sandbox.write("patterns/tide.yaml", format!("{head}  - id: 'so-far'\n    regex: '{regex}'\n"));
}

/// The lines of JSON that a run printed.
fn lines(printed: &str) -> Vec<serde_json::Value> {
    printed.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn the_sample_corpus_gives_the_same_lines_whatever_the_number_of_threads() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &format!("mine {} -o patterns --quiet", news()));
    let ran = sandbox.expect(0, &format!("fields {} -p patterns -o out/fields.jsonl --threads 1", news()));
    assert!(ran.stdout.ends_with("wrote out/fields.jsonl\n") && ran.stdout.contains("130 documents of 6 sources"));
    let written = sandbox.read("out/fields.jsonl");
    let printed = sandbox.expect(0, &format!("fields {} -p patterns -o - --threads 2 --json", news()));
    assert_eq!(printed.stdout, written);
    let lines = lines(&written);
    assert_eq!(lines.len(), 130);
    let of = |id: &str| lines.iter().find(|line| line["id"] == id).unwrap_or_else(|| panic!("no line on {id}"));
    let page = of("2024-02-21-letter-gulls.txt");
    assert_eq!(page["source"], "harbor-ledger.example");
    assert_eq!(page["fields"]["by"], "Readers' Letters");
    assert_eq!(page["fields"]["comments"], "41");
    let summary: serde_json::Value = serde_json::from_str(&printed.stderr).expect("the summary");
    assert_eq!(summary["sources"]["harbor-ledger.example"]["fields"]["columns"]["updated"], 27);
}

#[test]
fn documents_come_in_order_and_the_broken_ones_are_named() {
    let sandbox = Sandbox::new();
    with_patterns(&sandbox);
    sandbox.write_pages("tide", 0..600);
    sandbox.write("corpus/tide/00300.txt", "\0\0\0\0");
    let ran = sandbox.expect(3, "fields corpus -p patterns -o - --quiet");
    ran.says("skipped: corpus/tide/00300.txt: ");
    let numbers: Vec<String> =
        lines(&ran.stdout).iter().map(|line| line["fields"]["so_far"].as_str().expect("a value").to_owned()).collect();
    assert_eq!(numbers, (0..600).filter(|&number| number != 300).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_pattern_that_gives_up_costs_the_document() {
    let sandbox = Sandbox::new();
    with_patterns(&sandbox);
    sandbox.edit("patterns/tide.yaml", "desk, (?P<so_far>[0-9]+) so far", r"(?P<x>(?:a|b|ab)*)\1c");
    sandbox.write("corpus/tide/a.txt", "ab".repeat(200));
    sandbox.write("corpus/tide/b.txt", "abc");
    let ran = sandbox.expect(3, "fields corpus -p patterns -o - --quiet");
    ran.says("skipped: corpus/tide/a.txt: pattern so-far: ");
    assert_eq!(lines(&ran.stdout).len(), 1);
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_written() {
    let sandbox = Sandbox::new();
    with_patterns(&sandbox);
    sandbox.write_pages("tide", 0..3);
    fs::create_dir(sandbox.path("empty")).expect("a folder");
    let before = sandbox.tree("");
    let refused = |status, arguments: &str, why: &str| {
        let ran = sandbox.expect(status, &format!("fields {arguments}"));
        ran.says(why);
        assert_eq!(ran.stdout, "");
        assert_eq!(sandbox.tree(""), before, "{arguments}");
    };
    refused(1, "corpsu -p patterns -o x.jsonl", "cannot find \"corpsu\": did you mean \"corpus\"?");
    refused(1, "empty -p patterns -o x.jsonl", "empty");
    refused(1, "corpus -p pattern -o x.jsonl", "cannot read the pattern folder pattern (did you mean patterns?)");
    refused(1, "corpus -p empty -o x.jsonl", "empty: no pattern files (.yaml) in this folder");
    refused(1, "corpus -p patterns -o corpus/x.jsonl", "is inside the input \"corpus\"");
    refused(1, "corpus -p patterns -o patterns/tide.yaml", "is the same as the input");
    refused(1, "corpus -p patterns -o corpus", "it is a folder");
    refused(2, "corpus -p patterns", "--output <FILE>");
    refused(2, "corpus -p patterns -o x.jsonl --only proposed", "[possible values: accepted]");
}
