//! What goes to which stream, and with which status.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use dehusk_corpus::{Compression, Encoder};

use super::*;

#[test]
fn a_summary_goes_to_stdout_and_warnings_to_stderr() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.write("corpus/few/1.txt", "One page only, which tells of the sea.\n");
    let ran = sandbox.expect(0, "run corpus -o out");
    for part in
        ["few ", "tide ", "7 documents of 2 sources", "% of bytes removed", "wrote out/patterns and out/cleaned"]
    {
        assert!(ran.stdout.contains(part), "{part:?} is not in\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("warning"), "{}", ran.stdout);
    ran.says("warning: source 'few' is too small to mine: it needs 5 different documents and has 1");
    assert!(ran.stderr.lines().all(|line| line.starts_with("warning: ")), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\x1b'), "no progress bar where there is no terminal");
}

#[test]
fn quiet_leaves_nothing_but_errors_and_skipped_documents() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.write("corpus/few/1.txt", "One page only, which tells of the sea.\n");
    let ran = sandbox.expect(0, "run corpus -o out --quiet");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    sandbox.write("corpus/few/2.txt", [0; 100]);
    let ran = sandbox.expect(3, "clean corpus -p out/patterns -o again -q");
    assert_eq!((ran.stdout.as_str(), ran.stderr.lines().count()), ("", 1));
    ran.says("skipped: corpus/few/2.txt: looks binary");
    sandbox.expect(1, "clean nowhere -p out/patterns -o again -q").says("error: cannot find \"nowhere\"");
}

#[test]
fn wrong_usage_is_told_from_bad_input() {
    let sandbox = Sandbox::new();
    for arguments in [
        "",
        "clean",
        "--wrong",
        "run corpus",
        "mine x -o y --cutoff 2",
        "mine x -o y --min-documents 1",
        "run x -o y --threads 0",
        "clean x -p y -o z --only rejected",
        "clean x -p y -o z --merge-gap -1",
        "completions tcsh",
        "mine x -o y --tokenizer '('",
        "clean x -p y -o z --report -",
        "clean x -p y -o z --max-document 3G",
        "clean x -p y -o z --spans --on-error copy",
    ] {
        let ran = sandbox.expect(2, arguments);
        assert_eq!(ran.stdout, "", "dehusk {arguments}");
        assert!(ran.stderr.contains("Usage") || ran.stderr.contains("--help"), "{}", ran.stderr);
    }
    assert!(sandbox.tree("").is_empty());
}

#[test]
fn help_and_version_are_no_errors() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.expect(0, "--version").stdout, format!("dehusk {}\n", env!("CARGO_PKG_VERSION")));
    for command in ["", "run", "mine", "clean", "check", "diff", "explain", "completions", "man", "schema"] {
        let ran = sandbox.expect(0, &format!("{command} --help"));
        assert!(ran.stdout.contains(&format!("Usage: dehusk {command}").trim_end().to_owned()), "{}", ran.stdout);
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn completions_know_every_command_and_flag() {
    let sandbox = Sandbox::new();
    for (shell, sign) in [("bash", "complete -F"), ("zsh", "#compdef dehusk"), ("fish", "complete -c dehusk")] {
        let ran = sandbox.expect(0, &format!("completions {shell}"));
        for part in [sign, "explain", "merge-gap", "mutable-preset", "text-key"] {
            assert!(ran.stdout.contains(part), "{shell}: {part}");
        }
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn the_manual_page_has_every_command() {
    let ran = Sandbox::new().expect(0, "man");
    assert!(ran.stdout.contains(".TH dehusk 1"), "{}", ran.stdout);
    for part in
        [".SH \"RUN\"", ".SH \"DIFF\"", ".SH \"STATE\"", ".SH \"STATE SHOW\"", r"\-\-merge\-gap", r"\-\-threads"]
    {
        assert!(ran.stdout.contains(part), "{part}");
    }
    assert_eq!(ran.stderr, "");
}

#[test]
fn every_command_has_a_page_of_its_own_that_its_parent_names() {
    let sandbox = Sandbox::new();
    let ran = sandbox.expect(0, "man -o man1");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    let mut pages: Vec<String> = sandbox.tree("man1").into_keys().collect();
    pages.retain(|page| page.starts_with("dehusk-state"));
    assert_eq!(
        pages,
        ["export", "merge", "show"]
            .map(|sub| format!("dehusk-state-{sub}.1"))
            .into_iter()
            .chain(["dehusk-state.1".to_owned()])
            .collect::<Vec<_>>()
    );
    let version = env!("CARGO_PKG_VERSION");
    let page = sandbox.read("man1/dehusk-state-show.1");
    assert!(page.contains(&format!(".TH dehusk-state-show 1  \"dehusk {version}\"")), "{page}");
    assert!(page.contains(r"dehusk state show") && page.contains(r"\-\-limit"), "{page}");
    for (parent, page) in [("dehusk", r"dehusk\-state(1)"), ("dehusk-state", r"dehusk\-state\-show(1)")] {
        let parent = sandbox.read(&format!("man1/{parent}.1"));
        assert!(parent.contains(page), "{parent}");
    }
}

/// Starts the program with nobody to read its output; gives its status and what it has to say on stderr.
fn unread(sandbox: &Sandbox, arguments: &str) -> Ran {
    let mut child =
        sandbox.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ran { status: output.status.code(), stdout: String::new(), stderr }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    for arguments in [
        "explain corpus/tide/00001.txt -p patterns",
        "man",
        "schema",
        "completions zsh",
        "--help",
        "check patterns",
        "clean corpus -p patterns -o out",
        "run corpus -o run --json",
    ] {
        let ran = unread(&sandbox, arguments);
        assert_eq!(ran.status, Some(0), "dehusk {arguments}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked") && !ran.stderr.contains("error"), "{}", ran.stderr);
    }
    assert_eq!(sandbox.tree("out").len(), 6, "all is written");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_output_is_an_error() {
    let full = fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let output = Sandbox::new().command("man").stdout(full).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"));
}

fn patterns() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

fn line(number: usize) -> String {
    serde_json::json!({"id": number, "source": "tide", "text": page(number, 3)}).to_string() + "\n"
}

fn all_lines(range: std::ops::Range<usize>) -> String {
    range.map(line).collect()
}

pub fn compressed(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new(), compression).expect("an encoder");
    encoder.write_all(bytes).expect("it is compressed");
    encoder.finish().expect("it is compressed")
}

/// What is written to stdout of these lines, if they are in a file.
fn cleaned(sandbox: &Sandbox, lines: &str) -> String {
    sandbox.write("lines.jsonl", lines);
    sandbox.expect(0, "clean lines.jsonl -p patterns -o cleaned --quiet");
    sandbox.read("cleaned/lines.jsonl")
}

const PIPE: &str = "clean - -p patterns -o - --quiet";

/// The program with pipes on both sides. Its allocator gives freed memory back at once. Else what it holds for reuse would count as
/// memory in use, and how much that is depends on the clock.
fn piped(sandbox: &Sandbox, arguments: &str) -> Child {
    let mut command = sandbox.command(arguments);
    command.env("MIMALLOC_PURGE_DELAY", "0");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

#[test]
fn each_line_comes_back_before_the_next_is_written() {
    let sandbox = patterns();
    let expected = cleaned(&sandbox, &all_lines(10..30));
    let mut child = piped(&sandbox, PIPE);
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for (number, expected) in (10..30).zip(expected.split_inclusive('\n')) {
        stdin.write_all(line(number).as_bytes()).expect("it reads");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("it answers");
        assert_eq!(answer, expected);
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_line_in_another_encoding_costs_no_other() {
    let sandbox = patterns();
    let mut child = piped(&sandbox, PIPE);
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut answer = String::new();
    stdin.write_all(line(10).as_bytes()).expect("it reads");
    stdout.read_line(&mut answer).expect("it answers");
    stdin.write_all(b"\xff\xfe{\n").and_then(|()| stdin.write_all(line(11).as_bytes())).expect("it reads");
    drop(stdin);
    stdout.read_line(&mut answer).expect("it answers");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && stderr.starts_with("skipped: -:2: "), "{stderr}");
    assert_eq!(answer, cleaned(&sandbox, &all_lines(10..12)));
}

#[test]
fn who_reads_no_more_ends_an_endless_stream() {
    let sandbox = patterns();
    let mut child = piped(&sandbox, PIPE);
    let mut stdin = child.stdin.take().expect("a pipe");
    let feed = std::thread::spawn(move || while stdin.write_all(line(10).as_bytes()).is_ok() {});
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut String::new()).expect("it answers");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    feed.join().expect("nobody reads it any more");
}

#[test]
fn every_document_has_a_line_of_its_own_on_stdout() {
    let sandbox = patterns();
    sandbox.write("two/a.jsonl", line(10).trim_end());
    sandbox.write("two/b.jsonl", format!("{}\r\n{}", line(11).trim_end(), line(12).trim_end()));
    sandbox.write("two/c.jsonl", "");
    sandbox.write("two/tide/x.txt", page(13, 3));
    sandbox.write("two/z.jsonl.gz", compressed(line(14).trim_end().as_bytes(), Compression::Gzip));
    let ran = sandbox.expect(0, "clean two -p patterns -o - --quiet");
    let ids = ran.stdout.lines().map(|line| {
        let document: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        document["id"].to_string()
    });
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    assert_eq!(ids, ["\"x.txt\"", "10", "11", "12", "14"]);
    assert!(ran.stdout.ends_with('\n'));
}

#[test]
fn lines_of_a_stream_fare_as_those_of_a_file() {
    let sandbox = patterns();
    let lines = format!("\n{}   \n{}{{broken\n[]\n\u{feff}\n{}", line(10), line(11), line(12).trim_end());
    sandbox.write("lines.jsonl", &lines);
    let of_file = sandbox.expect(3, "clean lines.jsonl -p patterns -o cleaned --quiet");
    let of_stream = expect_fed(&sandbox, 3, PIPE, &lines);
    assert_eq!(of_stream.stdout.trim_end(), sandbox.read("cleaned/lines.jsonl"));
    let skipped = |ran: &Ran| ran.stderr.replace("lines.jsonl:", "-:");
    assert_eq!(of_stream.stderr, skipped(&of_file));
    of_stream.says("skipped: -:5: ").says("skipped: -:6: ");
    expect_fed(&sandbox, 3, "clean - -p patterns -o out --quiet", &lines);
    assert_eq!(sandbox.read("out/stdin.jsonl"), sandbox.read("cleaned/lines.jsonl"));
}

#[test]
fn a_stream_may_be_compressed() {
    let sandbox = patterns();
    let lines = all_lines(10..40);
    let expected = cleaned(&sandbox, &lines);
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let input = compressed(lines.as_bytes(), compression);
        assert!(expect_fed(&sandbox, 0, PIPE, &input).stdout == expected, "{compression:?}");
        expect_fed(&sandbox, 0, "clean - -p patterns -o out --quiet", &input);
        assert!(sandbox.read("out/stdin.jsonl") == expected, "{compression:?}");
    }
    let half = compressed(lines.as_bytes(), Compression::Gzip);
    let ran = expect_fed(&sandbox, 3, PIPE, &half[..half.len() / 2]);
    ran.says("skipped: -: cannot be read after record");
    assert!(expected.starts_with(&ran.stdout) && !ran.stdout.is_empty(), "what came before it broke off");
}

#[test]
fn an_archive_may_come_through_a_pipe() {
    let sandbox = patterns();
    let record = |number: usize| {
        let text = page(number, 3);
        let length = text.len();
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:n:{number}>\r\nWARC-Target-URI: http://tide/{number}\r\n\
             Content-Type: text/plain\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n"
        )
    };
    let archive: String = (10..20).map(record).collect();
    let texts = |ran: &Ran| -> Vec<String> {
        let documents = ran.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        documents.map(|document| document["text"].as_str().expect("a text").to_owned()).collect()
    };
    let of_archive = expect_fed(&sandbox, 0, PIPE, &archive);
    let of_lines = expect_fed(&sandbox, 0, PIPE, all_lines(10..20));
    assert_eq!(texts(&of_archive), texts(&of_lines));
    expect_fed(&sandbox, 0, "clean - -p patterns -o out --quiet", &archive);
    sandbox.write("file/a.warc", &archive);
    sandbox.expect(0, "clean file -p patterns -o out --quiet");
    let written = sandbox.tree("out");
    assert!(written["a.warc"] == written["stdin.warc"]);
}

#[test]
fn a_stream_is_mined_as_a_file_is() {
    let sandbox = Sandbox::new();
    let lines = all_lines(0..20);
    sandbox.write("lines.jsonl", &lines);
    sandbox.expect(0, "run lines.jsonl -o file --quiet");
    expect_fed(&sandbox, 0, "mine - -o mined --quiet", &lines);
    assert_eq!(sandbox.tree("mined"), sandbox.tree("file/patterns"));
    expect_fed(&sandbox, 0, "run - -o run --quiet", compressed(lines.as_bytes(), Compression::Zstd));
    assert_eq!(sandbox.tree("run/patterns"), sandbox.tree("file/patterns"));
    assert!(sandbox.read("run/cleaned/stdin.jsonl") == sandbox.read("file/cleaned/lines.jsonl"));
    for arguments in ["mine - -o -", "run - -o -"] {
        expect_fed(&sandbox, 2, arguments, &lines).says("this output cannot go to stdout");
        assert!(!sandbox.path("-").exists());
    }
}

/// However much comes through, no more than some batches of it are in memory.
#[test]
#[cfg(target_os = "linux")]
fn a_long_stream_takes_little_memory() {
    let sandbox = patterns();
    let mut child = piped(&sandbox, PIPE);
    let mut stdin = child.stdin.take().expect("a pipe");
    let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let feed = std::thread::spawn(move || {
        let padded = line(10).replacen('{', &format!("{{\"pad\":\"{}\",", "x".repeat(1 << 20)), 1);
        (0..400).for_each(|_| stdin.write_all(padded.as_bytes()).expect("it reads"));
        stdin
    });
    assert_eq!(stdout.lines().take(400).filter(Result::is_ok).count(), 400);
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("what the system says");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    let peak: u64 = peak.expect("a peak");
    assert!(peak < 150_000, "{peak} kB of a stream of 400 MB were in memory");
    drop(feed.join().expect("all was read"));
    assert!(child.wait().expect("it ends").success());
}

/// Progress comes after ten seconds.
#[test]
fn what_has_come_through_a_pipe_is_shown() {
    let sandbox = patterns();
    let mut child = piped(&sandbox, "clean - -p patterns -o -");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(line(10).as_bytes()).expect("it reads");
    let mut shown = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut shown).expect("it says something");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    assert!(shown.starts_with("cleaning: ") && shown.contains(" kB, ") && !shown.contains('%'), "{shown}");
}
