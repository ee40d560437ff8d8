//! `dehusk stream`: documents in the order they come in.

use std::io::Write;
use std::ops::Range;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use dehusk_core::streaming::ends::EndPlaces;
use dehusk_core::streaming::table::Progress;
use dehusk_corpus::{Compression, SourceId};
use dehusk_run::state::{ListedSegment, State};

use super::streams::compressed;
use super::*;

const SOURCES: [&str; 2] = ["gull", "moor"];

/// A document that its source's others are like, with a key that is none of ours.
fn document(number: usize) -> Value {
    let source = SOURCES[number.count_ones() as usize % SOURCES.len()];
    let mut story = Story(number as u64);
    let mut paragraphs = || [(); 3].map(|()| story.paragraph() + " " + &story.paragraph());
    let document = json!({"id": number, "source": source, "section": {"n": 1.50}});
    let (key, value) = match number % 4 {
        0 => ("text", text(source, &paragraphs())),
        _ => ("html", html(source, &paragraphs())),
    };
    let mut document = document;
    document[key] = value.into();
    document
}

fn share_line(source: &str) -> String {
    format!("Share this page on the notice board of {source}")
}

fn text(source: &str, [first, second, third]: &[String; 3]) -> String {
    format!("Home | News | The sports of {source}\n\n{first}\n{second}\n\n{}\n\n{third}\n", share_line(source))
}

fn html(source: &str, [first, second, third]: &[String; 3]) -> String {
    format!(
        "<ul><li><a>Home</a></li><li><a>The sports of {source}</a></li></ul><p>{first}</p><p>{second}</p>\
         <div>{}</div><p>{third}</p>",
        share_line(source)
    )
}

fn line(number: usize) -> String {
    document(number).to_string() + "\n"
}

fn lines(range: Range<usize>) -> String {
    range.map(line).collect()
}

/// The documents of some lines.
fn documents(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn ids(lines: &str) -> Vec<u64> {
    documents(lines).iter().map(|document| document["id"].as_u64().expect("a number")).collect()
}

/// A folder with `in.jsonl`, which has documents of these numbers.
fn sandbox(range: Range<usize>) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", lines(range));
    sandbox
}

/// What comes of documents with a state of their own.
fn streamed(input: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", input);
    sandbox.expect(0, "stream in.jsonl --state state --quiet").stdout
}

/// Adds to the end of a file.
fn add(sandbox: &Sandbox, name: &str, bytes: impl AsRef<[u8]>) {
    let file = fs::File::options().append(true).create(true).open(sandbox.path(name));
    file.and_then(|mut file| file.write_all(bytes.as_ref())).expect("it is written");
}

fn warc_record(number: usize) -> String {
    let document = document(4 * number);
    let (text, source) = (document["text"].as_str().expect("a text"), document["source"].as_str().expect("a source"));
    format!(
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:n:{number}>\r\n\
         WARC-Target-URI: http://{source}/{number}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
        text.len()
    )
}

/// All that a state knows of a source.
type Table = (Progress, Vec<ListedSegment>);

/// All that a state knows, but where its inputs lie.
fn learned(sandbox: &Sandbox, state: &str) -> Vec<(SourceId, Table)> {
    let state = State::open(&sandbox.path(state)).expect("a state");
    let sources = state.sources().expect("sources");
    let table = |source: &SourceId| {
        let segments = state.segments(source).expect("segments").expect("a source");
        let segments = segments.collect::<Result<Vec<_>, _>>().expect("segments");
        (state.table(source).expect("a table").progress().clone(), segments)
    };
    sources.into_iter().map(|source| (source.clone(), table(&source))).collect()
}

#[test]
fn what_recurs_goes_and_all_else_stays() {
    let sandbox = sandbox(0..60);
    let ran = sandbox.expect(0, "stream in.jsonl --state state");
    let (before, after) = (documents(&lines(0..60)), documents(&ran.stdout));
    assert_eq!(ids(&ran.stdout), (0..60).collect::<Vec<_>>());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((&before["section"], &before["source"]), (&after["section"], &after["source"]));
        let source = after["source"].as_str().expect("a source");
        let text = after["text"].as_str().expect("a text");
        let mut story = Story(after["id"].as_u64().expect("a number"));
        (0..3).for_each(|_| assert!(text.contains(&story.paragraph()), "{after}"));
        // A quarter of the documents are texts, whose menu stands in no page.
        if after["id"].as_u64() > Some(45) && before["text"].is_null() {
            assert!(!text.contains(&share_line(source)) && !text.contains("The sports of"), "{after}");
        }
    }
    assert!(after[0]["text"].as_str().expect("a text").contains(&share_line("gull")), "nothing is known yet");
    for part in ["gull ", "moor ", "60 documents of 2 sources"] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    let json = sandbox.expect(0, "stream in.jsonl --state other -o out.jsonl --json").stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["documents"], &json["skipped"]), (&60.into(), &0.into()));
}

#[test]
fn an_article_that_comes_again_among_other_headlines_stays() {
    let line = |version: u64| {
        let article = if version.is_multiple_of(3) { 0 } else { version };
        let (mut story, mut others) = (Story(article), Story(1000 + version));
        let paragraphs = [(); 3].map(|()| story.paragraph());
        let headline = |_| format!("<li><a>{}</a></li>", (0..6).map(|_| others.word()).collect::<Vec<_>>().join(" "));
        let headlines: String = (0..8).map(headline).collect();
        let page = format!("{}<ul>{headlines}</ul>", html("gull", &paragraphs));
        json!({"id": version, "source": "gull", "html": page}).to_string() + "\n"
    };
    let cleaned = documents(&streamed(&(0..30).map(line).collect::<String>()));
    let text = |version: usize| cleaned[version]["text"].as_str().expect("a text");
    for version in (0..30).step_by(3) {
        let mut story = Story(0);
        (0..3).for_each(|_| assert!(text(version).contains(&story.paragraph()), "{version}: {}", text(version)));
    }
    assert!(!text(27).contains(&share_line("gull")), "{}", text(27));
}

#[test]
fn spans_are_what_goes() {
    let sandbox = Sandbox::new();
    let of_number = |number: u64| {
        let mut story = Story(number);
        text("gull", &[(); 3].map(|()| story.paragraph()))
    };
    let lines =
        (0..40).map(|number| json!({"id": number, "source": "gull", "text": of_number(number)}).to_string() + "\n");
    sandbox.write("in.jsonl", lines.collect::<String>());
    let cleaned = sandbox.expect(0, "stream in.jsonl --state one --quiet").stdout;
    let spans = sandbox.expect(0, "stream in.jsonl --state two --quiet --spans --span-units bytes").stdout;
    let mut cut = 0;
    for (number, (cleaned, spans)) in documents(&cleaned).iter().zip(documents(&spans)).enumerate() {
        assert_eq!(spans["id"], number.to_string());
        let mut text = of_number(number as u64);
        for span in spans["attributes"]["dehusk"].as_array().expect("spans").iter().rev() {
            let position = |index: usize| span[index].as_u64().expect("a position") as usize;
            text.replace_range(position(0)..position(1), "");
            cut += 1;
        }
        assert_eq!(text, cleaned["text"]);
    }
    assert!(cut > 0);
}

#[test]
fn pages_stay_pages() {
    let sandbox = sandbox(0..60);
    let ran = sandbox.expect(0, "stream in.jsonl --state state --html page --quiet");
    let last = &documents(&ran.stdout)[59];
    let page = last["html"].as_str().expect("a page");
    let paragraph = Story(59).paragraph();
    assert!(page.contains(&format!("<p>{paragraph} ")) && !page.contains("Share this page"), "{page}");
    assert!(last.get("text").is_none());
}

#[test]
fn a_second_run_takes_what_is_new() {
    let expected = streamed(&lines(0..90));
    let sandbox = sandbox(0..30);
    for range in [30..60, 60..61, 61..90, 90..90] {
        sandbox.expect(0, "stream in.jsonl --state state -o out.jsonl --quiet");
        sandbox.expect(0, "stream in.jsonl --state state -o out.jsonl --quiet");
        add(&sandbox, "in.jsonl", lines(range));
    }
    assert!(sandbox.read("out.jsonl") == expected);
    let ran = sandbox.expect(0, "stream in.jsonl --state state");
    assert_eq!(ran.stdout, "", "the state keeps count of what was taken, wherever it went");
    let told: Vec<&str> =
        ran.stderr.lines().map(|line| line.split_once(' ').map_or(line, |(first, _)| first)).collect();
    assert_eq!(told, ["nothing", "0", "stream"], "{}", ran.stderr);
}

#[test]
fn a_line_that_is_still_written_is_left_for_the_next_run() {
    let sandbox = Sandbox::new();
    let all = lines(0..12);
    let cuts = [1, 700, 701, 3000, all.len() - 2, all.len() - 1, all.len()];
    let mut start = 0;
    for cut in cuts {
        add(&sandbox, "in.jsonl", &all[start..cut]);
        let ran = sandbox.expect(0, "stream in.jsonl --state state -o out.jsonl");
        let is_whole = cut >= all.len() - 1;
        let is_told = ran.stderr.contains("is left for the next run") && ran.stderr.contains("warning: in.jsonl:");
        assert_eq!(is_told, !is_whole, "{cut}: {}", ran.stderr);
        start = cut;
    }
    assert_eq!(sandbox.read("out.jsonl"), streamed(&all));

    add(&sandbox, "in.jsonl", "  ");
    sandbox.expect(0, "stream in.jsonl --state state -o out.jsonl");
    add(&sandbox, "in.jsonl", line(12));
    sandbox.expect(0, "stream in.jsonl --state state -o out.jsonl");
    assert_eq!(ids(&sandbox.read("out.jsonl")), (0..13).collect::<Vec<_>>());
}

#[test]
fn where_nobody_keeps_count_a_broken_last_line_is_skipped() {
    let sandbox = sandbox(0..10);
    sandbox.expect(0, "stream in.jsonl --state state --learn-only --quiet");
    add(&sandbox, "in.jsonl", "{\"id\": 7");
    sandbox.expect(3, "stream in.jsonl --state state --no-learn -q").says("skipped: in.jsonl:11: is not valid JSON");
    let cut = format!("{}{{\"id\": 7", line(10));
    expect_fed(&sandbox, 3, "stream --state state -q", &cut).says("skipped: -:2: is not valid JSON");
    expect_fed(&sandbox, 0, "stream --state state --feed wire", &cut).says("warning: -:2: is not valid JSON");
    let ran = expect_fed(&sandbox, 0, "stream --state state --feed wire -q", lines(10..12));
    assert_eq!(ids(&ran.stdout), [11]);
}

#[test]
fn an_archive_that_is_still_written_goes_on() {
    let all: String = (0..8).map(warc_record).collect();
    let sandbox = Sandbox::new();
    let half = all.len() * 2 / 3;
    for packed in [false, true] {
        let by_record = |range: Range<usize>| -> Vec<u8> {
            range.flat_map(|number| compressed(warc_record(number).as_bytes(), Compression::Gzip)).collect()
        };
        let (name, bytes) = if packed { ("a.warc.gz", by_record(0..8)) } else { ("a.warc", all.clone().into_bytes()) };
        let half = if packed { bytes.len() * 2 / 3 } else { half };
        sandbox.write(&format!("whole/{name}"), &bytes);
        sandbox.write(&format!("grown/{name}"), &bytes[..half]);
        let stream =
            |folder: &str| format!("stream {folder}/{name} --state {folder}.{name} -o {folder}.{name}.jsonl -q");
        sandbox.expect(0, &stream("whole"));
        sandbox.expect(3, &stream("grown")).says("skipped: ");
        add(&sandbox, &format!("grown/{name}"), &bytes[half..]);
        sandbox.expect(0, &stream("grown"));
        let written = |folder: &str| sandbox.read(&format!("{folder}.{name}.jsonl"));
        assert_eq!(documents(&written("whole")).len(), 8);
        assert!(written("grown") == written("whole"), "{name}");
    }
}

#[test]
fn a_file_that_lost_records_is_named() {
    let sandbox = sandbox(0..10);
    sandbox.expect(0, "stream in.jsonl --state state -q");
    sandbox.write("in.jsonl", lines(20..23));
    let ran = sandbox.expect(3, "stream in.jsonl --state state -q");
    ran.says("skipped: in.jsonl: has 3 records, but earlier runs read 10").says("give it another name");
}

#[test]
fn inputs_are_taken_in_the_order_in_which_they_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("z.jsonl", lines(0..9));
    sandbox.write("days/b.jsonl.zst", compressed(lines(20..30).as_bytes(), Compression::Zstd));
    sandbox.write("days/a.jsonl.gz", compressed(lines(9..20).as_bytes(), Compression::Gzip));
    sandbox.write("a.jsonl", lines(30..33));
    sandbox.write("list", "a.jsonl\n");
    let ran = sandbox.expect(0, "stream z.jsonl days --files-from list --state state -q");
    assert_eq!(ran.stdout, streamed(&lines(0..33)));
    let again = sandbox.expect(0, "stream a.jsonl days z.jsonl days/a.jsonl.gz --state state -q");
    assert_eq!(again.stdout, "");
}

#[test]
fn documents_of_all_formats_teach_each_other() {
    let sandbox = Sandbox::new();
    sandbox.write("a.warc", (0..8).map(warc_record).collect::<String>());
    for number in (32..60).step_by(4) {
        let document = document(number);
        let name = format!("files/{}/{number}.txt", document["source"].as_str().expect("a source"));
        sandbox.write(&name, document["text"].as_str().expect("a text"));
    }
    let ran = sandbox.expect(0, "stream a.warc files --state state -q");
    let documents = documents(&ran.stdout);
    assert_eq!(documents.len(), 15);
    for document in &documents[13..] {
        let source = document["source"].as_str().expect("a source");
        assert!(!document["text"].as_str().expect("a text").contains(&share_line(source)), "{document}");
    }
    sandbox.write("files/gull/99.txt", text("gull", &[1, 2, 3].map(|number| Story(number).paragraph())));
    let ran = sandbox.expect(0, "stream a.warc files --state state -q");
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
}

#[test]
fn a_feed_goes_on_and_other_pipes_do_not() {
    let sandbox = Sandbox::new();
    let fed = |arguments: &str, range| ids(&expect_fed(&sandbox, 0, arguments, lines(range)).stdout);
    assert_eq!(fed("stream - --state state -q", 0..5), (0..5).collect::<Vec<_>>());
    assert_eq!(fed("stream --state state -q", 0..5), (0..5).collect::<Vec<_>>());
    assert_eq!(fed("stream --state state --feed wire -q", 0..5), (0..5).collect::<Vec<_>>());
    assert_eq!(fed("stream --state state --feed wire -q", 0..8), (5..8).collect::<Vec<_>>());
    assert_eq!(fed("stream --state state --feed other -q", 0..2), (0..2).collect::<Vec<_>>());
    let state = State::open(&sandbox.path("state")).expect("a state");
    assert_eq!(state.input("feed wire").expect("a position"), Some(8));
}

#[test]
fn the_summary_has_the_columns_of_a_stream() {
    let sandbox = sandbox(0..40);
    let ran = sandbox.expect(0, "stream in.jsonl --state state -o out.jsonl");
    let rows: Vec<Vec<&str>> = ran.stdout.lines().take(2).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["source", "documents", "pages", "copies", "segments", "templates", "bytes", "removed"]);
    sandbox.write("again.jsonl", lines(0..10));
    let json = sandbox.expect(0, "stream again.jsonl --state state -o out.jsonl --json").stdout;
    let learned = &serde_json::from_str::<Value>(&json).expect("JSON")["sources"]["gull"]["learned"];
    let cells = ["segments", "templates"].map(|key| learned[key].to_string());
    assert_eq!(rows[1][..6], ["gull", "20", "20", "0", &cells[0], &cells[1]], "{}", ran.stdout);
    assert_eq!((&learned["pages"], &learned["copies"]), (&20.into(), &5.into()));
}

#[test]
fn copies_teach_nothing() {
    let sandbox = sandbox(0..40);
    sandbox.expect(0, "stream in.jsonl --state state --learn-only");
    let before = learned(&sandbox, "state");
    sandbox.write("again.jsonl", lines(0..40));
    sandbox.expect(0, "stream again.jsonl --state state --learn-only");
    for ((source, (mut progress, segments)), (_, before)) in learned(&sandbox, "state").into_iter().zip(before) {
        assert!(progress.copies >= 19 && progress.ends != EndPlaces::default(), "{source}: {progress:?}");
        progress.copies = before.0.copies;
        assert_eq!((progress, segments), before);
    }
}

#[test]
fn who_learns_first_cleans_all() {
    // A quarter of the documents are texts, whose menu stands in no page.
    const OF_TEXTS: usize = 20;
    let sandbox = sandbox(0..80);
    let ran = sandbox.expect(0, "stream in.jsonl --state state --learn-only");
    assert!(ran.stdout.starts_with("source") && ran.stdout.contains("80 documents"), "{}", ran.stdout);
    let before = learned(&sandbox, "state");
    for _ in 0..2 {
        sandbox.expect(0, "stream in.jsonl --state state --no-learn -o out.jsonl -q");
        let cleaned = sandbox.read("out.jsonl");
        assert_eq!(ids(&cleaned), (0..80).collect::<Vec<_>>());
        assert!(cleaned.matches("Share this page").count() <= OF_TEXTS, "what recurs stays");
        for document in documents(&cleaned) {
            let mut story = Story(document["id"].as_u64().expect("a number"));
            let text = document["text"].as_str().expect("a text");
            (0..3).for_each(|_| {
                assert!(text.contains(&story.paragraph()), "what was learned from is a copy: {document}")
            });
        }
        fs::remove_file(sandbox.path("out.jsonl")).expect("it is there");
    }
    assert_eq!(learned(&sandbox, "state"), before);
    let strict = sandbox.expect(0, "stream in.jsonl --state state --no-learn --evidence-documents 1000 -q").stdout;
    assert!(strict.matches("Share this page").count() > OF_TEXTS, "options count, though the state does not keep them");
    assert!(
        sandbox.expect(0, "stream in.jsonl --state state --no-learn -q").stdout.matches("Share this").count()
            <= OF_TEXTS
    );
}

#[test]
fn patterns_count_beside_what_was_learned() {
    let sandbox = sandbox(0..2);
    sandbox.write(
        "patterns/gull.yaml",
        "dehusk: 1\nsource: gull\nmined: {documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
         - {id: share, status: accepted, regex: 'Share this page on the notice board of gull', example: x}\n",
    );
    let ran = sandbox.expect(0, "stream in.jsonl --state state -p patterns -q");
    let documents = documents(&ran.stdout);
    assert!(!documents[0]["text"].as_str().expect("a text").contains("Share this page"), "{}", documents[0]);
    assert!(documents[1]["text"].as_str().expect("a text").contains("Share this page"), "{}", documents[1]);
}

#[test]
fn broken_lines_are_named_and_cost_no_other() {
    let broken = format!("{}{{broken\n{}[]\n\n{}", lines(0..3), lines(3..5), lines(5..20));
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", &broken);
    let ran = sandbox.expect(3, "stream in.jsonl --state state -o out.jsonl");
    ran.says("skipped: in.jsonl:4: is not valid JSON").says("skipped: in.jsonl:7: ");
    assert!(ran.stdout.contains("2 skipped"), "{}", ran.stdout);
    assert_eq!(sandbox.read("out.jsonl"), streamed(&lines(0..20)));
    let again = sandbox.expect(0, "stream in.jsonl --state state -o out.jsonl");
    assert!(
        again.stderr.starts_with("nothing new in the input") && !again.stderr.contains("skipped"),
        "{}",
        again.stderr
    );
}

#[test]
fn too_many_broken_lines_stop_a_run_that_can_go_on() {
    let sandbox = sandbox(0..10);
    sandbox.expect(0, "stream in.jsonl --state state -o out.jsonl -q");
    add(&sandbox, "in.jsonl", format!("{}{{broken\n[]\n{}", line(10), line(11)));
    let ran = sandbox.expect(1, "stream in.jsonl --state state -o out.jsonl -q --max-errors 1");
    ran.says("error: stopped: 2 documents were skipped, and --max-errors allows 1").says("start again");
    assert_eq!(ids(&sandbox.read("out.jsonl")), (0..10).collect::<Vec<_>>(), "as it was");
    sandbox.write("in.jsonl", lines(0..12));
    sandbox.expect(0, "stream in.jsonl --state state -o out.jsonl -q --max-errors 1");
    assert_eq!(sandbox.read("out.jsonl"), streamed(&lines(0..12)));
}

#[test]
fn wrong_usage_and_wrong_files_leave_all_as_it_is() {
    let sandbox = sandbox(0..3);
    sandbox.write("other", "no state");
    for arguments in [
        "stream in.jsonl",
        "stream in.jsonl --state s --learn-only --no-learn",
        "stream in.jsonl --state s --learn-only -o out.jsonl",
        "stream in.jsonl --state s --no-learn --feed x",
        "stream in.jsonl --state s --feed=",
        "stream in.jsonl --state s --template-documents 1",
        "stream in.jsonl --state s --block-share 1.5",
        "stream in.jsonl --state s --lifetime 0",
        "stream in.jsonl --state s --lifetime-factor 0.5",
        "stream in.jsonl --state s --max-segments 0",
        "stream in.jsonl --state s --method sum",
    ] {
        sandbox.expect(2, arguments);
    }
    for (arguments, message) in [
        ("stream im.jsonl --state s", "error: cannot find \"im.jsonl\": did you mean \"in.jsonl\"?"),
        (
            "stream in.jsonl --state s --no-learn",
            "error: s: does not exist: first let a run learn it, without --no-learn\n",
        ),
        (
            "stream in.jsonl --state in.jsonl",
            "error: the output \"in.jsonl\" is the same as the input \"in.jsonl\": choose another one",
        ),
        (
            "stream in.jsonl --state other",
            "error: other: is not a state of a stream: name another file, or one that does",
        ),
        ("stream in.jsonl --state no/s", "error: no/s: No such file or directory (os error 2)\n"),
        ("stream in.jsonl --state s -p none", "error: "),
        ("stream . --state s -o out.jsonl", "error: the output \"out.jsonl\" is inside the input \".\""),
        ("stream in.jsonl --state s -o in.jsonl", "error: the output \"in.jsonl\" is the same as the input"),
    ] {
        sandbox.expect(1, arguments).says(message);
    }
    let left: Vec<String> = sandbox.tree("").into_keys().collect();
    assert_eq!((left, sandbox.read("in.jsonl")), (vec!["in.jsonl".to_owned(), "other".to_owned()], lines(0..3)));
}

#[test]
fn a_state_of_another_lexer_is_refused() {
    let sandbox = sandbox(0..9);
    sandbox.expect(0, r"stream in.jsonl --state s --tokenizer \w+ -q");
    for way in ["", "--no-learn"] {
        sandbox.expect(1, &format!(r"stream in.jsonl --state s --tokenizer \S+ -q {way}")).says("another tokenizer");
        sandbox
            .expect(1, &format!("stream in.jsonl --state s --mutable-preset none -q {way}"))
            .says("begin a new state");
    }
    sandbox.expect(0, r"stream in.jsonl --state s --tokenizer \w+ -q");
    sandbox.expect(0, "stream in.jsonl --state s -q");
}

#[test]
fn a_state_serves_one_run_at_a_time() {
    let sandbox = sandbox(0..9);
    let mut command = sandbox.command("stream - --state s -q");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(line(0).as_bytes()).expect("it reads");
    wait_for(&mut child, || sandbox.path("s").exists());
    let ran = sandbox.expect(1, "stream in.jsonl --state s -q");
    assert!(ran.stderr.contains("s: is in use by another run"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1);
    drop(input);
    assert!(child.wait().expect("it ends").success());
    sandbox.expect(0, "stream in.jsonl --state s -q");
}

#[test]
fn a_damaged_state_is_told_as_such() {
    let sandbox = sandbox(0..60);
    sandbox.expect(0, "stream in.jsonl --state s -q");
    let state = fs::read(sandbox.path("s")).expect("a state");
    for length in [0, 10, 5000, state.len() / 2] {
        sandbox.write("cut", &state[..length]);
        let ran = sandbox.expect(1, "stream in.jsonl --state cut -q");
        assert!(ran.stderr.starts_with("error: cut: is ") && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    }
}

#[test]
fn files_of_others_are_not_written_to() {
    let sandbox = sandbox(0..9);
    sandbox.write("theirs", "all they have");
    let ran = sandbox.expect(1, "stream in.jsonl --state s -o theirs -q");
    ran.says("error: theirs: it has text that no stream with this state has written");
    assert_eq!(sandbox.read("theirs"), "all they have");
    sandbox.expect(0, "stream in.jsonl --state s -o ours -q");
    let ours = sandbox.read("ours");
    for other in ["--state t", "--state s --no-learn"] {
        sandbox.expect(1, &format!("stream in.jsonl {other} -o ours -q")).says("name another file");
    }
    sandbox.write("ours", &ours[..20]);
    sandbox.expect(1, "stream in.jsonl --state s -o ours -q").says("restore it");
    fs::rename(sandbox.path("ours"), sandbox.path("old")).expect("it moves");
    add(&sandbox, "in.jsonl", line(9));
    sandbox.expect(0, "stream in.jsonl --state s -o ours -q");
    assert_eq!(ids(&sandbox.read("ours")), [9], "who puts a file away gets a new one");
}

/// Each source alone gives the same lines, in whatever files, batches and threads its documents come.
#[test]
fn nothing_counts_but_the_documents_of_a_source_in_order() {
    let all = lines(0..150);
    let expected = streamed(&all);
    let of_source = |lines: &str, source: &str| -> String {
        let named = format!("\"source\":\"{source}\"");
        lines.split_inclusive('\n').filter(|line| line.contains(&named)).collect()
    };
    for source in SOURCES {
        assert_eq!(streamed(&of_source(&all, source)), of_source(&expected, source));
    }
    let sorted: String = SOURCES.map(|source| of_source(&all, source)).concat();
    assert_eq!(streamed(&sorted), SOURCES.map(|source| of_source(&expected, source)).concat());

    let sandbox = sandbox(0..150);
    sandbox.expect(0, "stream in.jsonl --state one --threads 1 -o one.jsonl -q");
    assert_eq!(sandbox.read("one.jsonl"), expected);
    let sizes = [1, 2, 47, 100, 150];
    for (number, (start, end)) in [0].iter().chain(&sizes).zip(&sizes).enumerate() {
        sandbox.write(&format!("cut/{number}.jsonl"), lines(*start..*end));
    }
    sandbox.expect(0, "stream cut --state cut.state --threads 7 -o cut.jsonl -q");
    assert_eq!(sandbox.read("cut.jsonl"), expected);
    let apart = SOURCES.map(|source| of_source(&all, source));
    sandbox.write("apart/1.jsonl", &apart[0]);
    sandbox.write("apart/2.jsonl", &apart[1]);
    sandbox.write("apart/3.jsonl", lines(150..200));
    let held = sandbox.expect(0, "stream apart --state held --held-segments 1 -o held.jsonl");
    let all_held = sandbox.expect(0, "stream apart --state all.held -o all.held.jsonl");
    assert_eq!(sandbox.read("held.jsonl"), sandbox.read("all.held.jsonl"));
    assert_eq!(learned(&sandbox, "held"), learned(&sandbox, "all.held"));
    let table_of = |ran: &Ran| ran.stderr.lines().take(5).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(table_of(&held), table_of(&all_held), "sources that were let go are summed up, too");
    let table = "--max-segments 40 --lifetime 9 --template-documents 3";
    sandbox.expect(0, &format!("stream in.jsonl --state small.one {table} -o small.one.jsonl -q"));
    sandbox.expect(0, &format!("stream cut --state small.cut {table} -o small.cut.jsonl -q"));
    assert_eq!(sandbox.read("small.cut.jsonl"), sandbox.read("small.one.jsonl"));
    assert_eq!(learned(&sandbox, "one"), learned(&sandbox, "cut.state"));
    assert_eq!(learned(&sandbox, "small.one"), learned(&sandbox, "small.cut"));
}

/// Waits until it is so, or the program has ended.
fn wait_for(child: &mut Child, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() && child.try_wait().expect("a child").is_none() {
        assert!(start.elapsed() < Duration::from_secs(120), "it is not so");
        sleep(Duration::from_millis(1));
    }
}

/// As a machine that loses power would, but for what the system had not written yet.
#[test]
fn who_is_killed_goes_on() {
    let (pages, stream) = (400, "stream cut --state s -o out.jsonl --max-segments 300 -q");
    let sandbox = Sandbox::new();
    (0..pages / 5).for_each(|day| sandbox.write(&format!("cut/{day:03}.jsonl"), lines(day * 5..day * 5 + 5)));
    sandbox.expect(0, "stream cut --state undisturbed -o undisturbed.jsonl --max-segments 300 -q");
    let expected = sandbox.read("undisturbed.jsonl");
    for part in [0, 1, 3, 8, 20, 60] {
        let length = || fs::metadata(sandbox.path("out.jsonl")).map_or(0, |found| found.len() as usize);
        let enough = length().max(expected.len() * part / 100 + 1);
        let mut child = sandbox.command(stream).stdout(Stdio::null()).spawn().expect("it starts");
        wait_for(&mut child, || length() >= enough);
        child.kill().and_then(|()| child.wait()).expect("it is dead");
    }
    sandbox.expect(0, stream);
    assert!(sandbox.read("out.jsonl") == expected);
    assert_eq!(learned(&sandbox, "s"), learned(&sandbox, "undisturbed"));
}

/// Messages of a mailing list, which are no news though much in them recurs.
fn list() -> String {
    format!("'{}/corpora/kinds/mailing-list'", env!("CARGO_MANIFEST_DIR"))
}

/// Words, however often each, of which not all are there.
fn lost(wanted: &str, text: &str) -> usize {
    let count = |text: &str| {
        let mut words: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        let of_text = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        of_text.for_each(|word| *words.entry(word.to_owned()).or_default() += 1);
        words
    };
    let there = count(text);
    count(wanted).into_iter().map(|(word, times)| times.saturating_sub(*there.get(&word).unwrap_or(&0))).sum()
}

#[test]
fn what_is_no_news_loses_almost_nothing() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &format!("stream {} --state state -o out.jsonl", list()));
    let (mut all, mut gone, mut before, mut after) = (0, 0, 0, 0);
    for document in documents(&sandbox.read("out.jsonl")) {
        let name = Path::new(document["path"].as_str().or(document["id"].as_str()).expect("a name"));
        let name = name.file_stem().expect("a name").to_string_lossy();
        let of_list = |folder: &str| {
            let path = format!("{}/corpora/{folder}/mailing-list/{name}.txt", env!("CARGO_MANIFEST_DIR"));
            fs::read_to_string(path).expect("a text")
        };
        let (gold, text) = (of_list("kinds-gold"), document["text"].as_str().expect("a text").to_owned());
        (all, gone) = (all + lost(&gold, ""), gone + lost(&gold, &text));
        (before, after) = (before + lost(&of_list("kinds"), &gold), after + lost(&text, &gold));
    }
    assert!(all > 1000 && gone * 100 <= all, "{gone} of {all} words of the messages are lost");
    assert!(after * 2 < before, "{after} of {before} words of footers are left");
}
