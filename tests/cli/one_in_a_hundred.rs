//! A corpus of which one document in a hundred is broken, each in one of ten ways.

use super::containers::gzip;
use super::*;

/// The documents that are well, in folders and as lines.
const WELL: std::ops::Range<usize> = 0..990;

/// Lines of JSON of which three are broken.
const LINES: std::ops::Range<usize> = 500..990;

fn line(number: usize) -> String {
    format!("{{\"id\":\"{number}\",\"source\":\"tide\",\"text\":{}}}\n", serde_json::Value::from(page(number, 1)))
}

/// What is broken, and how it is named.
fn broken_files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let mut wrong_sum = gzip(page(1, 1).as_bytes());
    let place = wrong_sum.len() - 6;
    wrong_sum[place] ^= 1;
    vec![
        ("tide/binary.txt", vec![0; 500], "looks binary"),
        ("tide/cut.txt.gz", gzip(page(2, 1).as_bytes())[..200].to_vec(), "its compressed data are damaged: incomplete"),
        ("tide/sum.txt.gz", wrong_sum, "its compressed data are damaged: corrupt"),
        ("tide/behind.txt.gz", [gzip(b"x"), b"y".to_vec()].concat(), "the data after the gzip data are not gzip"),
        ("tide/utf-16.txt", page(3, 1).encode_utf16().flat_map(u16::to_be_bytes).collect(), "looks binary"),
        ("tide/long.txt", b"word ".repeat(40_000), "has 200000 bytes, more than the 100000"),
        ("tide/cut.html.zst", super::containers::zstd(page(4, 1).as_bytes())[..100].to_vec(), "incomplete frame"),
    ]
}

const BROKEN_LINES: [(usize, &str, &str); 3] = [
    (2, "{\"source\":\"tide\",\"text\":\"cut o\n", "is not valid JSON"),
    (101, "{\"source\":\"../tide\",\"text\":\"x\"}\n", "contains '/'"),
    (493, "{\"source\":\"tide\",\"body\":\"x\"}\n", "has neither \"text\" nor \"html\""),
];

/// Writes the corpus, with what is broken or without.
fn write_corpus(sandbox: &Sandbox, folder: &str, is_broken: bool) {
    for number in WELL.start..LINES.start {
        sandbox.write(&format!("{folder}/tide/{number:04}.txt"), page(number, 1));
    }
    let mut lines: Vec<String> = LINES.map(line).collect();
    if is_broken {
        BROKEN_LINES.iter().for_each(|(number, line, _)| lines.insert(number - 1, (*line).to_owned()));
        broken_files().iter().for_each(|(name, bytes, _)| sandbox.write(&format!("{folder}/{name}"), bytes));
    }
    sandbox.write(&format!("{folder}/lines.jsonl"), lines.concat());
}

/// Both corpora, with patterns that were mined from what is well.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    write_corpus(&sandbox, "well", false);
    write_corpus(&sandbox, "corpus", true);
    sandbox.expect(0, "run well -o expected --quiet");
    sandbox
}

const CLEAN: &str = "clean corpus -p expected/patterns --max-document 100k --quiet";

/// Every broken document is named, with its reason, and once.
#[track_caller]
fn assert_named(ran: &Ran) {
    let files = broken_files().into_iter().map(|(name, _, reason)| (format!("corpus/{name}: "), reason));
    let lines = BROKEN_LINES.iter().map(|(number, _, reason)| (format!("corpus/lines.jsonl:{number}: "), *reason));
    let all: Vec<(String, &str)> = files.chain(lines).collect();
    assert_eq!(ran.stderr.lines().count(), all.len(), "{}", ran.stderr);
    for (place, reason) in all {
        let is_this = |line: &&str| line.starts_with(&format!("skipped: {place}")) && line.contains(reason);
        assert_eq!(ran.stderr.lines().filter(is_this).count(), 1, "{place}{reason}:\n{}", ran.stderr);
    }
}

#[test]
fn the_others_come_out_as_if_it_were_not_there() {
    let sandbox = sandbox();
    let expected = sandbox.tree("expected/cleaned");
    assert_eq!(expected.len(), LINES.start + 1);
    assert_named(&sandbox.expect(3, &format!("{CLEAN} -o out")));
    assert!(sandbox.tree("out") == expected);
    assert_named(&sandbox.expect(3, "run corpus -o mined --max-document 100k --quiet"));
    assert!(sandbox.tree("mined") == sandbox.tree("expected"), "mining too");
    let well = sandbox.expect(0, "clean well -p expected/patterns -o - --quiet").stdout;
    assert!(sandbox.expect(3, &format!("{CLEAN} -o -")).stdout == well);
}

#[test]
fn a_report_has_a_line_for_every_document() {
    let sandbox = sandbox();
    for target in ["out", "-"] {
        assert_named(&sandbox.expect(3, &format!("{CLEAN} -o {target} --report report.jsonl")));
        let report = sandbox.read("report.jsonl");
        let lines: Vec<serde_json::Value> =
            report.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let place = |line: &serde_json::Value| (line["file"].to_string(), line["record"].as_u64());
        let places: std::collections::BTreeSet<_> = lines.iter().map(place).collect();
        assert_eq!((lines.len(), places.len()), (1000, 1000));
        assert_eq!(lines.iter().filter(|line| line["skipped"].is_string()).count(), 10);
        let of_line = |number: u64| lines.iter().find(|line| line["record"] == number).expect("it is there");
        assert!(of_line(101)["skipped"].as_str().is_some_and(|reason| reason.contains("contains '/'")));
        assert!(of_line(100)["bytes_out"].as_u64() < of_line(100)["bytes_in"].as_u64());
    }
}

#[test]
fn more_broken_documents_than_allowed_stop_it() {
    let sandbox = sandbox();
    let ran = sandbox.expect(1, &format!("{CLEAN} -o out --max-errors 5 --threads 1"));
    let message = "error: stopped: 6 documents were skipped, and --max-errors allows 5; all files written so far are \
                   complete; repair the documents and continue with --resume, or allow more with --max-errors";
    assert_eq!(ran.stderr.lines().last(), Some(message));
    assert_eq!(ran.stderr.matches("skipped: ").count(), 6);
    let (written, expected) = (sandbox.tree("out"), sandbox.tree("expected/cleaned"));
    assert!(written.iter().all(|(name, bytes)| expected[name] == *bytes), "what is there is whole");
    assert_named(&sandbox.expect(3, &format!("{CLEAN} -o out --max-errors 10 --resume")));
    assert!(sandbox.tree("out") == expected);
    let ran = sandbox.expect(1, &format!("{CLEAN} -o - --max-errors 5"));
    ran.says("--max-errors allows 5; repair the documents, or allow more with --max-errors, and start again");
}

#[test]
#[cfg(unix)]
fn links_that_lead_nowhere_count_as_errors_too() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    std::os::unix::fs::symlink("nowhere", sandbox.path("corpus/tide/x.txt")).expect("a link");
    sandbox.expect(1, "clean corpus -p patterns -o out --max-errors 0").says("stopped: 1 document was skipped");
    sandbox.expect(3, "clean corpus -p patterns -o out --max-errors 1");
}

#[test]
fn what_is_broken_is_copied_if_that_is_asked_for() {
    let sandbox = sandbox();
    assert_named(&sandbox.expect(3, &format!("{CLEAN} -o out --on-error copy")));
    let (mut written, mut expected) = (sandbox.tree("out"), sandbox.tree("expected/cleaned"));
    for (name, bytes, _) in broken_files() {
        assert!(written.remove(name) == Some(bytes), "{name}");
    }
    let cleaned = String::from_utf8(expected.remove("lines.jsonl").expect("lines")).expect("UTF-8");
    let mut lines: Vec<&str> = cleaned.split_inclusive('\n').collect();
    BROKEN_LINES.iter().for_each(|(number, line, _)| lines.insert(number - 1, line));
    assert!(written.remove("lines.jsonl") == Some(lines.concat().into_bytes()));
    assert!(written == expected);
    // to stdout no files are copied, but lines are
    let stdout = sandbox.expect(3, &format!("{CLEAN} -o - --on-error copy")).stdout;
    assert_eq!(stdout.lines().count(), WELL.len() + BROKEN_LINES.len());
    assert!(BROKEN_LINES.iter().all(|(_, line, _)| stdout.contains(line)));
}
