//! `dehusk-lab inject`.

use super::*;

const FEW: &str = "lab inject --documents 20 --shares 100,20 --templates 1";

#[test]
fn the_same_seed_gives_the_same_table_whatever_the_threads() {
    let sandbox = Sandbox::new();
    let table = |arguments: &str| sandbox.expect(0, &format!("{FEW} {arguments}"));
    let one = table("--threads 1");
    assert_eq!(one, table("--threads 3"));
    assert_ne!(one.stdout, table("--seed 2").stdout);
    assert_eq!(one.stderr, "");
    let rows = one.stdout.lines().filter(|line| line.starts_with("       20  ")).count();
    assert_eq!(
        rows,
        3 * 5 + 2 + 1,
        "a row for each kind and place, two for open slots, and one for nothing injected:\n{}",
        one.stdout
    );
}

#[test]
fn whole_lines_in_every_document_go() {
    let ran = Sandbox::new().expect(0, &format!("{FEW} --json"));
    let outcome: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON and nothing else");
    let trials = outcome["trials"].as_array().expect("trials");
    assert_eq!(trials.len(), (3 * 5 + 2) * 2);
    let is_line = |trial: &&serde_json::Value| {
        trial["kind"] != "free-slots" && trial["percent"] == 100 && trial["place"].as_str() == Some("line")
    };
    let lines: Vec<_> = trials.iter().filter(is_line).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|trial| trial["removed"] == trial["injected"] && trial["carriers"] == 20), "{lines:?}");
}

#[test]
fn a_corpus_of_ones_own_serves_the_sizes_it_can() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.write_pages("wire", 0..6);
    let ran = sandbox.expect(0, "lab inject corpus --documents 10,30,100 --shares 50 --templates 1");
    ran.says("only 12 documents have text: too few for corpora of 30, 100, which are left out");
    assert!(ran.stdout.contains("\n       10  ") && !ran.stdout.contains("\n       30  "), "{}", ran.stdout);
    let refused = sandbox.expect(1, "lab inject corpus --documents 30");
    refused.says("only 12 documents have text: too few for corpora of 30");
}

#[test]
fn sizes_and_shares_that_make_no_sense_are_wrong_usage() {
    let sandbox = Sandbox::new();
    sandbox.expect(2, "lab inject --documents 1").says("a corpus has 2 documents or more");
    sandbox.expect(2, "lab inject --shares 0").says("a percentage is a whole number from 1 to 100");
}
