//! Ctrl-C.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::*;

/// Maximum time to wait. Work that takes seconds on a busy machine must not fail, and work that hangs must fail.
const PATIENCE: Duration = Duration::from_secs(120);

pub fn start(sandbox: &Sandbox, arguments: &str) -> Child {
    let mut command = sandbox.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Waits until the condition holds, or the program has ended.
pub fn wait_until(child: &mut Child, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() && child.try_wait().expect("a child").is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("it is not so after {PATIENCE:?}");
        }
        sleep(Duration::from_millis(1));
    }
}

pub fn signal(child: &Child, name: &str) {
    let _ = std::process::Command::new("kill").args([name, &child.id().to_string()]).output();
}

/// Presses Ctrl-C. Returns how the program ended.
fn interrupt(mut child: Child) -> Ran {
    signal(&child, "-INT");
    wait_until(&mut child, || false);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let stderr = without_progress(&text(&output.stderr));
    Ran { status: output.status.code(), stdout: text(&output.stdout), stderr }
}

/// Starts the program on larger and larger corpora, until it is interrupted before it has finished.
fn interrupt_at_work(
    arguments: &str,
    prepare: impl Fn(&Sandbox, usize),
    is_at_work: impl Fn(&Sandbox) -> bool,
    expected: &str,
) -> Sandbox {
    for pages in [400, 3200, 25_600] {
        let sandbox = Sandbox::new();
        sandbox.write_pages("tide", 0..8);
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        prepare(&sandbox, pages);
        let mut child = start(&sandbox, arguments);
        wait_until(&mut child, || is_at_work(&sandbox));
        let ran = interrupt(child);
        if ran.status != Some(0) {
            assert_stopped(&ran, expected);
            return sandbox;
        }
    }
    panic!("it was never interrupted");
}

const GO_ON: &str = "all files written so far are complete; continue with --resume";

fn assert_stopped(ran: &Ran, expected: &str) {
    assert_eq!(ran.status, Some(130), "{ran:?}");
    assert_eq!(ran.stdout, "", "no summary of half a run");
    assert_eq!(ran.stderr, format!("error: stopped; {expected}\n"));
}

/// Starts the program on this number of lines, and waits until it is writing.
pub fn write_lines(sandbox: &Sandbox, name: &str) -> Child {
    let mut child = start(sandbox, &format!("clean {name}.jsonl -p patterns -o out"));
    wait_until(&mut child, || unfinished(sandbox).iter().any(|(_, bytes)| !bytes.is_empty()));
    child
}

/// The files that are being written to `out`.
fn unfinished(sandbox: &Sandbox) -> Tree {
    let mut files = sandbox.tree("out");
    files.retain(|name, _| name.starts_with(".dehusk/run-") && !name.ends_with("/lock"));
    files
}

pub fn lines(range: std::ops::Range<usize>) -> String {
    let line = |number| serde_json::json!({"id": number, "source": "tide", "text": page(number, 3)}).to_string() + "\n";
    range.map(line).collect()
}

/// Number of files and folders directly in a folder.
pub fn entries(folder: PathBuf) -> usize {
    fs::read_dir(folder).map_or(0, |entries| entries.count())
}

#[test]
fn cleaning_files_stops_with_whole_files() {
    let sandbox = interrupt_at_work(
        "clean corpus -p patterns -o out",
        |sandbox, pages| sandbox.write_pages("tide", 8..pages),
        |sandbox| entries(sandbox.path("out/tide")) >= 20,
        GO_ON,
    );
    output::assert_whole(&sandbox);
}

#[test]
fn cleaning_lines_stops_without_half_a_file() {
    let sandbox = interrupt_at_work(
        "clean lines.jsonl -p patterns -o out",
        |sandbox, pages| sandbox.write("lines.jsonl", lines(0..15 * pages)),
        |sandbox| !unfinished(sandbox).is_empty(),
        GO_ON,
    );
    let written = sandbox.tree("out");
    sandbox.expect(0, "clean lines.jsonl -p patterns -o undisturbed --quiet");
    // The file is complete if it was just finished.
    assert!(written.is_empty() || written == sandbox.tree("undisturbed"), "{:?}", written.keys());
}

#[test]
fn mining_stops_and_leaves_the_pattern_files_as_they_were() {
    let sandbox = interrupt_at_work(
        "run corpus -o out",
        |sandbox, pages| {
            copy(&sandbox.path("patterns"), &sandbox.path("out/patterns"));
            sandbox.write_pages("tide", 8..pages);
        },
        |sandbox| sandbox.path("out/cleaned").exists(),
        "what was mined so far is stored; give the same command with --resume to continue",
    );
    assert_eq!(sandbox.tree("out"), {
        let before = sandbox.tree("patterns").into_iter();
        before.map(|(name, bytes)| (format!("patterns/{name}"), bytes)).collect::<Tree>()
    });
}

/// A sandbox with more lines than are cleaned in a moment.
pub fn many_lines(names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..8);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    let lines = lines(0..10_000);
    names.iter().for_each(|name| sandbox.write(&format!("{name}.jsonl"), &lines));
    sandbox
}

#[test]
fn what_a_killed_run_left_the_next_one_removes() {
    let sandbox = many_lines(&["a"]);
    let mut child = write_lines(&sandbox, "a");
    child.kill().expect("it is killed");
    assert!(!child.wait().expect("it ends").success(), "it was done before it was killed");
    assert_eq!((unfinished(&sandbox).len(), sandbox.path("out/a.jsonl").exists()), (1, false));
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    assert!(unfinished(&sandbox).is_empty());
    assert!(!sandbox.tree("out").keys().any(|name| name.contains("/run-")));
}

#[test]
fn runs_at_the_same_time_leave_each_other_alone() {
    let sandbox = many_lines(&["a", "b"]);
    let mut slow = write_lines(&sandbox, "a");
    signal(&slow, "-STOP");
    let before = unfinished(&sandbox);
    assert_eq!(before.len(), 1, "it was done before it was stopped");
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    assert_eq!(unfinished(&sandbox).keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    signal(&slow, "-CONT");
    let mut other = write_lines(&sandbox, "b");
    assert!(slow.wait().expect("it ends").success() && other.wait().expect("it ends").success());
    let written = sandbox.tree("out");
    assert_eq!((written.contains_key("a.jsonl"), written.get("a.jsonl")), (true, written.get("b.jsonl")));
    assert!(unfinished(&sandbox).is_empty());
}

#[test]
fn a_slow_regex_stops_as_well() {
    let sandbox = Sandbox::new();
    let entry = "  - {id: slow, status: accepted, regex: 'a++b', example: aab}\n";
    let head = "dehusk: 1\nsource: tide\nmined: {documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}\n";
    sandbox.write("patterns/tide.yaml", format!("{head}patterns:\n{entry}"));
    sandbox.write("a.jsonl", serde_json::json!({"source": "tide", "text": "a".repeat(1_000_000)}).to_string());
    let mut child = start(&sandbox, "clean a.jsonl -p patterns -o out");
    wait_until(&mut child, || !unfinished(&sandbox).is_empty());
    sleep(Duration::from_millis(500));
    assert_stopped(&interrupt(child), GO_ON);
    assert!(unfinished(&sandbox).is_empty() && !sandbox.path("out/a.jsonl").exists());
}

#[test]
fn lines_to_stdout_cannot_be_resumed() {
    let sandbox = many_lines(&["a"]);
    let mut child = start(&sandbox, "clean a.jsonl -p patterns -o -");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut first = [0; 1000];
    std::io::Read::read_exact(&mut stdout, &mut first).expect("lines");
    signal(&child, "-INT");
    std::io::copy(&mut stdout, &mut std::io::sink()).expect("the rest");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    // It may be done by then.
    assert!(output.status.success() || stderr.contains("the output is not complete; start again"), "{stderr}");
}
