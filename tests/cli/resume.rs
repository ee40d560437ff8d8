//! `--resume`: a run that is stopped in any way and continued ends with the same result as an undisturbed run.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Child;
use std::time::{Duration, Instant, SystemTime};

use dehusk_corpus::{Compression, Encoder};

use super::interruption::{entries, lines, many_lines, signal, start, wait_until, write_lines};
use super::*;

const CLEAN: &str = "clean corpus -p patterns -o out --report report.jsonl --json";

/// A corpus of files and of all formats with many documents. Each has a document that cannot be read. There are
/// patterns for it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..60);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox.write("corpus/tide/binary.txt", [0; 100]);
    let some = |range| lines(range) + "{broken\n";
    sandbox.write("corpus/a.jsonl", some(60..200));
    sandbox.write("corpus/b.jsonl.gz", compressed(some(200..300).as_bytes(), Compression::Gzip));
    sandbox.write("corpus/deep/c.jsonl.zst", compressed(some(300..400).as_bytes(), Compression::Zstd));
    sandbox.write("corpus/d.warc", warc(400..500));
    let by_record = (500..600).flat_map(|number| compressed(&record(number), Compression::Gzip));
    sandbox.write("corpus/e.warc.gz", by_record.collect::<Vec<u8>>());
    sandbox
}

fn compressed(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new(), compression).expect("an encoder");
    encoder.write_all(bytes).expect("it is compressed");
    encoder.finish().expect("it is compressed")
}

fn warc(range: std::ops::Range<usize>) -> Vec<u8> {
    range.flat_map(record).collect()
}

fn record(number: usize) -> Vec<u8> {
    let text = page(number, 3);
    format!(
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:n:{number}>\r\nWARC-Target-URI: http://tide/{number}\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
        text.len()
    )
    .into_bytes()
}

/// Everything that a run writes and prints, without times.
struct Ended {
    status: Option<i32>,
    summary: serde_json::Value,
    skipped: Vec<String>,
    report: String,
    written: Tree,
}

impl Ended {
    #[track_caller]
    fn is(&self, undisturbed: &Ended, what: &str) {
        assert_eq!(
            (self.status, &self.summary, &self.skipped),
            (undisturbed.status, &undisturbed.summary, &undisturbed.skipped)
        );
        assert!(self.report == undisturbed.report, "{what}: the report differs");
        let names = undisturbed.written.keys().chain(self.written.keys());
        let differs = |name: &&String| self.written.get(*name) != undisturbed.written.get(*name);
        let differing: Vec<&String> = names.filter(differs).collect();
        assert!(differing.is_empty(), "{what}: {differing:?} differ");
    }
}

/// Runs the program to its end. It leaves no temporary files.
fn end(sandbox: &Sandbox, arguments: &str) -> Ended {
    let ran = sandbox.run(arguments);
    let mut summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    summary["seconds"].take();
    let mut skipped: Vec<String> =
        ran.stderr.lines().filter(|line| line.starts_with("skipped: ")).map(str::to_owned).collect();
    skipped.sort();
    assert_tidy(sandbox);
    Ended { status: ran.status, summary, skipped, report: sandbox.read("report.jsonl"), written: sandbox.tree("out") }
}

fn assert_tidy(sandbox: &Sandbox) {
    let hidden = fs::read_dir(sandbox.path("out/.dehusk")).expect("the hidden folder").flatten();
    let known = ["manifest.jsonl", "manifest.lock", "report", "written.jsonl", "written.lock"];
    for entry in hidden {
        assert!(known.iter().any(|name| entry.file_name() == *name), "{:?} is left", entry.path());
    }
    let is_temporary = |name: &String| name.contains(".dehusk-") || name.contains("/run-");
    let left: Vec<String> = sandbox.tree("").into_keys().filter(is_temporary).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Deletes what runs left.
fn start_over(sandbox: &Sandbox) {
    for folder in ["out", "run"] {
        let _ = fs::remove_dir_all(sandbox.path(folder));
    }
    let _ = fs::remove_file(sandbox.path("report.jsonl"));
}

/// Waits for a part of its time, and kills it. Returns whether it was still running.
fn kill_after(mut child: Child, time: Duration) -> bool {
    std::thread::sleep(time);
    child.kill().expect("it is killed");
    !child.wait().expect("it ends").success()
}

#[test]
fn whoever_is_killed_again_and_again_ends_where_an_undisturbed_run_ends() {
    let sandbox = sandbox();
    let begin = Instant::now();
    let undisturbed = end(&sandbox, CLEAN);
    let time = begin.elapsed();
    assert_eq!((undisturbed.status, undisturbed.skipped.len()), (Some(3), 4), "{:?}", undisturbed.skipped);
    assert_eq!(undisturbed.report.lines().count(), 604);
    let mut chance = Story(7);
    let mut killed = 0;
    for round in 0..8 {
        start_over(&sandbox);
        for _ in 0..1 + round % 3 {
            let moment = time.mul_f64((chance.next() % 1000) as f64 / 1000.0);
            let child = start(&sandbox, &format!("{CLEAN} --resume"));
            killed += usize::from(kill_after(child, moment));
        }
        end(&sandbox, &format!("{CLEAN} --resume")).is(&undisturbed, &format!("round {round}"));
    }
    assert!(killed >= 8, "it was killed {killed} times only");
}

#[test]
fn whoever_is_asked_to_stop_can_go_on() {
    let sandbox = sandbox();
    let undisturbed = end(&sandbox, CLEAN);
    let stops = |name: &str| {
        start_over(&sandbox);
        let mut child = start(&sandbox, CLEAN);
        wait_until(&mut child, || entries(sandbox.path("out/tide")) >= 3);
        signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let was_asked = output.status.code() == Some(130);
        assert!(was_asked || output.status.code() == undisturbed.status, "{name}: {stderr}");
        assert_eq!(was_asked, stderr.contains("continue with --resume"), "{name}: {stderr}");
        was_asked && sandbox.tree("out").len() < undisturbed.written.len()
    };
    for name in ["-INT", "-TERM", "-HUP"] {
        // All may be written before the signal arrives.
        assert!((0..20).any(|_| stops(name)), "{name}: it was always done before");
        assert_tidy(&sandbox);
        end(&sandbox, &format!("{CLEAN} --resume")).is(&undisturbed, name);
    }
}

#[test]
fn a_run_that_mines_goes_on_as_well() {
    let sandbox = sandbox();
    let arguments = "run corpus -o run --report report.jsonl --quiet";
    sandbox.expect(3, arguments);
    let undisturbed = (sandbox.tree("run"), sandbox.read("report.jsonl"));
    for files in [3, 40] {
        start_over(&sandbox);
        let mut child = start(&sandbox, arguments);
        wait_until(&mut child, || entries(sandbox.path("run/cleaned/tide")) >= files);
        assert!(kill_after(child, Duration::ZERO), "it was done before it was killed");
        let before = written_at(&sandbox, "run/cleaned");
        sandbox.expect(3, &format!("{arguments} --resume"));
        assert!((sandbox.tree("run"), sandbox.read("report.jsonl")) == undisturbed);
        let after = written_at(&sandbox, "run/cleaned");
        let kept = before.iter().filter(|(name, time)| after.get(*name) == Some(time)).count();
        // The last ones may be written, but not noted yet.
        assert!(kept + 2 >= before.len().min(files), "{kept} of {} files were kept", before.len());
    }
}

/// The number of whole records in a journal of mining. `None` if there is no journal.
fn records(sandbox: &Sandbox, patterns: &str) -> Option<usize> {
    let journal = fs::read(sandbox.path(patterns).join(".dehusk/mining.journal")).ok()?;
    let mut rest = &journal[journal.iter().position(|&byte| byte == b'\n').map_or(journal.len(), |end| end + 1)..];
    let mut records = 0;
    while let Some(length) = rest.get(8..16) {
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
        let Some(behind) = rest.get(3 * 8 + length + 8..) else { break };
        (records, rest) = (records + 1, behind);
    }
    Some(records)
}

#[test]
fn mining_that_is_killed_goes_on_to_the_same_end() {
    let sandbox = Sandbox::new();
    (0..40).for_each(|source| sandbox.write_pages(&format!("s{source:02}"), 100 * source..100 * source + 30));
    sandbox.expect(0, "run corpus -o undisturbed --quiet");
    for (command, out, patterns) in
        [("mine corpus -o mined", "mined", "undisturbed/patterns"), ("run corpus -o run", "run", "undisturbed")]
    {
        let folder = if out == "run" { "run/patterns" } else { out };
        let mut child = start(&sandbox, &format!("{command} --threads 1"));
        wait_until(&mut child, || records(&sandbox, folder).is_some_and(|records| records > 0));
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        let mined = records(&sandbox, folder);
        let ran = sandbox.expect(0, &format!("{command} --resume"));
        // It may have finished with mining before it was killed.
        if let Some(mined @ 1..) = mined {
            ran.says(&format!("{mined} of 40 sources had been mined by the run that was stopped"));
        }
        assert!(sandbox.tree(out) == sandbox.tree(patterns), "{command}");
        assert_eq!(records(&sandbox, folder), None, "{command}");
    }
}

#[test]
fn a_run_that_is_killed_while_it_cleans_does_not_mine_again() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..400);
    sandbox.expect(0, "run corpus -o undisturbed --quiet");
    let mut child = start(&sandbox, "run corpus -o run --threads 1");
    wait_until(&mut child, || sandbox.path("run/cleaned/tide/00000.txt").exists());
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let mined = records(&sandbox, "run/patterns");
    let ran = sandbox.expect(0, "run corpus -o run --resume");
    // It may have ended before it was killed.
    if mined == Some(1) {
        ran.says("1 of 1 source had been mined by the run that was stopped");
    }
    assert!(outputs(&sandbox, "run") == outputs(&sandbox, "undisturbed"));
    assert_eq!(records(&sandbox, "run/patterns"), None);
}

#[test]
fn sources_whose_documents_have_changed_are_mined_again() {
    let sandbox = Sandbox::new();
    (0..3).for_each(|source| sandbox.write_pages(&format!("s{source}"), 100 * source..100 * source + 8));
    // The pattern files cannot be written, so what was mined is kept.
    sandbox.write("patterns/.dehusk/written.jsonl", "my notes\n");
    sandbox.expect(1, "mine corpus -o patterns");
    fs::remove_file(sandbox.path("patterns/.dehusk/written.jsonl")).expect("notes");
    sandbox.write("corpus/s1/00101.txt", page(999, 3));
    sandbox.expect(0, "mine corpus -o undisturbed --quiet");
    sandbox.expect(0, "mine corpus -o patterns --resume").says("2 of 3 sources had been mined");
    assert!(sandbox.tree("patterns") == sandbox.tree("undisturbed"));
}

/// The files of a folder, without those that the program stores there for itself.
fn outputs(sandbox: &Sandbox, folder: &str) -> Tree {
    let mut files = sandbox.tree(folder);
    files.retain(|name, _| !name.contains(".dehusk/"));
    files
}

/// The times at which the files of a folder were written.
fn written_at(sandbox: &Sandbox, folder: &str) -> BTreeMap<String, SystemTime> {
    let time = |name: &String| fs::metadata(sandbox.path(folder).join(name)).and_then(|file| file.modified());
    outputs(sandbox, folder).into_keys().map(|name| (name.clone(), time(&name).expect("a time"))).collect()
}

/// The files of `out` that a resumed run writes.
fn redone(sandbox: &Sandbox, options: &str) -> Vec<String> {
    let before = written_at(sandbox, "out");
    // Times have steps of some milliseconds.
    std::thread::sleep(Duration::from_millis(20));
    sandbox.expect(0, &format!("clean corpus -p patterns -o out --quiet --resume {options}"));
    let after = written_at(sandbox, "out").into_iter();
    after.filter(|(name, time)| before.get(name) != Some(time)).map(|(name, _)| name).collect()
}

fn small_sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox.write("corpus/lines.jsonl", lines(6..20));
    assert_eq!(redone(&sandbox, "").len(), 7);
    sandbox
}

#[test]
fn what_has_changed_is_cleaned_again_and_nothing_else() {
    let sandbox = small_sandbox();
    assert!(redone(&sandbox, "--threads 1").is_empty());
    assert!(redone(&sandbox, "--max-errors 5 --json").is_empty());

    sandbox.write("corpus/tide/00003.txt", page(33, 3));
    assert_eq!(redone(&sandbox, ""), ["tide/00003.txt"]);
    sandbox.write("corpus/lines.jsonl", lines(6..21));
    assert_eq!(redone(&sandbox, ""), ["lines.jsonl"]);
    sandbox.write("corpus/tide/new.txt", page(40, 3));
    assert_eq!(redone(&sandbox, ""), ["tide/new.txt"]);

    fs::remove_file(sandbox.path("out/tide/00001.txt")).expect("it was there");
    sandbox.write("out/tide/00002.txt", "");
    assert_eq!(redone(&sandbox, ""), ["tide/00001.txt", "tide/00002.txt"], "what is gone, or was cut short");
    assert!(redone(&sandbox, "").is_empty());
}

#[test]
fn a_file_that_changes_while_it_is_read_is_named_and_cleaned_again() {
    let sandbox = many_lines(&["a"]);
    let mut child = write_lines(&sandbox, "a");
    signal(&child, "-STOP");
    assert!(child.try_wait().expect("a child").is_none(), "it was done before it was stopped");
    let mut file = fs::File::options().append(true).open(sandbox.path("a.jsonl")).expect("the file");
    file.write_all(lines(10_000..10_001).as_bytes()).expect("it is written");
    signal(&child, "-CONT");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("warning: a.jsonl: has changed while it was read; --resume cleans it again"), "{stderr}");
    sandbox.expect(0, "clean a.jsonl -p patterns -o out --resume --quiet");
    assert_eq!(sandbox.read("out/a.jsonl").lines().count(), 10_001);
}

#[test]
fn other_work_is_done_again() {
    let sandbox = small_sandbox();
    assert_eq!(redone(&sandbox, "--max-removed 0.9").len(), 7);
    assert!(redone(&sandbox, "--max-removed 0.9").is_empty());
    assert_eq!(redone(&sandbox, "").len(), 7, "what is there now is of the other options");
    assert_eq!(redone(&sandbox, "--report report.jsonl").len(), 7, "there was no report");
    assert!(redone(&sandbox, "--report report.jsonl").is_empty() && redone(&sandbox, "").is_empty());

    sandbox.edit("patterns/tide.yaml", "status: proposed", "status: rejected");
    assert_eq!(redone(&sandbox, "").len(), 7);
    sandbox.expect(0, "clean corpus -p patterns -o undisturbed --quiet");
    assert!(outputs(&sandbox, "out") == outputs(&sandbox, "undisturbed"));
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    assert!(redone(&sandbox, "").is_empty(), "a run without --resume can be gone on from as well");
}

#[test]
fn other_patterns_of_a_source_clean_only_its_documents_again() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.write_pages("gale", 6..12);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    assert_eq!(redone(&sandbox, "").len(), 12);
    sandbox.edit("patterns/tide.yaml", "status: proposed", "status: rejected");
    let again = redone(&sandbox, "");
    assert!(again.len() == 6 && again.iter().all(|name| name.starts_with("tide/")), "{again:?}");
    sandbox.write_pages("new", 12..13);
    assert_eq!(redone(&sandbox, ""), ["new/00012.txt"], "another source is read as well now");
    sandbox.expect(0, "clean corpus -p patterns -o undisturbed --quiet");
    assert!(outputs(&sandbox, "out") == outputs(&sandbox, "undisturbed"));
}

#[test]
fn two_corpora_in_one_output_do_not_pass_for_each_other() {
    let sandbox = small_sandbox();
    sandbox.write("other/tide/00002.txt", page(50, 3));
    sandbox.expect(0, "clean other -p patterns -o out --quiet --resume");
    assert_eq!(redone(&sandbox, ""), ["tide/00002.txt"]);
}

#[test]
fn what_is_killed_between_an_output_and_its_line_is_not_taken_for_finished() {
    let sandbox = small_sandbox();
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet --resume --max-removed 0.9");
    let manifest = sandbox.read("out/.dehusk/manifest.jsonl");
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet --resume");
    // As if it had been killed before it noted the last one.
    let after = sandbox.read("out/.dehusk/manifest.jsonl");
    let last = after.trim_end().rfind('\n').expect("lines") + 1;
    assert!(last > manifest.len());
    sandbox.write("out/.dehusk/manifest.jsonl", &after[..last]);
    assert_eq!(redone(&sandbox, "--max-removed 0.9").len(), 7);
}

#[test]
fn a_manifest_that_was_cut_short_costs_its_last_line() {
    let sandbox = small_sandbox();
    let manifest = sandbox.read("out/.dehusk/manifest.jsonl");
    let last = manifest.trim_end().rfind('\n').expect("lines") + 1;
    for end in [last, last + 1, (last + manifest.len()) / 2, manifest.len() - 2] {
        sandbox.write("out/.dehusk/manifest.jsonl", &manifest[..end]);
        assert_eq!(redone(&sandbox, "").len(), 1, "cut at {end}");
        assert!(redone(&sandbox, "").is_empty());
    }
}

#[test]
fn a_manifest_of_others_is_left_alone() {
    let sandbox = small_sandbox();
    let (clean, resume) =
        ("clean corpus -p patterns -o out --quiet", "clean corpus -p patterns -o out --quiet --resume");
    let manifest = sandbox.read("out/.dehusk/manifest.jsonl");
    let newer = manifest.replace("\"version\":1", "\"version\":2");
    sandbox.write("out/.dehusk/manifest.jsonl", &newer);
    sandbox.expect(1, resume).says("is from another dehusk, which writes version 2 of it: continue with that dehusk");
    assert_eq!(sandbox.read("out/.dehusk/manifest.jsonl"), newer);
    sandbox.expect(0, clean);
    sandbox.write("out/.dehusk/manifest.jsonl", "my notes\n");
    for arguments in [clean, resume] {
        sandbox.expect(1, arguments).says("is not a manifest of dehusk: move it away");
    }
    assert_eq!(sandbox.read("out/.dehusk/manifest.jsonl"), "my notes\n");
}

#[test]
fn drift_is_told_of_sources_that_an_earlier_run_has_cleaned() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..12);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    (0..12).for_each(|number| sandbox.write(&format!("corpus/tide/{number:05}.txt"), Story(number).paragraph()));
    let told = |arguments: &str| {
        let ran = sandbox.expect(0, &format!("clean corpus -p patterns -o out --json {arguments}"));
        let mut summary: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        summary["seconds"].take();
        (summary, ran.stderr)
    };
    let undisturbed = told("");
    assert!(undisturbed.1.contains("source 'tide' has changed since it was mined"), "{}", undisturbed.1);
    assert_eq!(told("--resume"), undisturbed);
}

#[test]
fn content_that_alone_has_changed_is_noticed_by_whoever_verifies() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..12);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    let path = sandbox.path("corpus/tide/x.txt");
    let time = SystemTime::now() - Duration::from_secs(60);
    let write = |content: &str| {
        fs::write(&path, content).expect("written");
        fs::File::options().write(true).open(&path).expect("opened").set_modified(time).expect("set");
    };
    let run = |flags: &str| sandbox.expect(0, &format!("clean corpus -p patterns -o out --quiet {flags}"));
    let is = |content: &str| assert_eq!(sandbox.read("out/tide/x.txt"), content);
    write("One ferry.\n");
    run("--verify");
    write("Two ferry.\n");
    run("--resume");
    is("One ferry.\n");
    run("--resume --verify");
    is("Two ferry.\n");
    // Nothing was noted about it.
    run("");
    write("Six ferry.\n");
    run("--resume --verify");
    is("Six ferry.\n");
}
