//! Files in the output that an earlier run wrote and this run did not: they are named, and `--prune` deletes those that
//! are still what dehusk wrote.

use super::*;

const CLEAN: &str = "clean corpus -p patterns -o out --quiet";

/// Two sources, and patterns.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    write_pages(&sandbox, "tide", 0..6);
    write_pages(&sandbox, "moor", 6..12);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

/// Pages with a line that only this source has.
fn write_pages(sandbox: &Sandbox, source: &str, pages: std::ops::Range<usize>) {
    for number in pages {
        let page = page(number, 3).replace("village", &format!("{source} village"));
        sandbox.write(&format!("corpus/{source}/{number:05}.txt"), page);
    }
}

fn remove(sandbox: &Sandbox, path: &str) {
    let path = sandbox.path(path);
    let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    removed.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn exists(sandbox: &Sandbox, path: &str) -> bool {
    sandbox.path(path).exists()
}

/// Runs without `--quiet`, so that warnings are printed.
fn clean(sandbox: &Sandbox, options: &str) -> Ran {
    sandbox.expect(0, &format!("clean corpus -p patterns -o out {options}"))
}

#[test]
fn a_document_that_is_gone() {
    for resume in ["", "--resume"] {
        let sandbox = sandbox();
        assert!(!clean(&sandbox, resume).stderr.contains("earlier run"));
        remove(&sandbox, "corpus/tide/00002.txt");
        for _ in 0..2 {
            clean(&sandbox, resume).says(
                "warning: out: 1 file of earlier runs, which this run did not write: tide/00002.txt; --prune deletes what \
                 nobody changed since\n",
            );
        }
        assert!(exists(&sandbox, "out/tide/00002.txt"));
        clean(&sandbox, &format!("{resume} --prune")).says("out: deleted 1 file of earlier runs: tide/00002.txt\n");
        assert!(!exists(&sandbox, "out/tide/00002.txt"));
        assert_eq!(sandbox.tree("out").len(), 11);
        assert!(!clean(&sandbox, resume).stderr.contains("earlier run"));
        write_pages(&sandbox, "tide", 2..3);
        clean(&sandbox, resume);
        assert_eq!(sandbox.tree("out").len(), 12, "it is cleaned again when it is back");
    }
}

#[test]
fn a_source_that_is_gone() {
    let sandbox = sandbox();
    sandbox.expect(0, "run corpus -o out --quiet");
    remove(&sandbox, "corpus/moor");
    let ran = sandbox.expect(0, "run corpus -o out");
    ran.says("out/patterns: 1 file of earlier runs, which this run did not write: moor.yaml;");
    ran.says("out/cleaned: 6 files of earlier runs, which this run did not write: moor/00006.txt, moor/00007.txt, moor/00008.txt and 3 more;");
    sandbox.expect(0, "run corpus -o out --prune --quiet");
    assert!(!exists(&sandbox, "out/cleaned/moor"), "the folder goes with its files");
    sandbox.expect(0, "run corpus -o fresh --quiet");
    assert_eq!(sandbox.tree("out"), sandbox.tree("fresh"));
}

#[test]
fn a_reviewed_pattern_file_of_a_source_that_is_gone() {
    let sandbox = sandbox();
    write_pages(&sandbox, "dune", 12..18);
    write_pages(&sandbox, "reef", 18..24);
    write_pages(&sandbox, "dale", 24..30);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    // The decision and the note are in what dehusk itself writes next.
    sandbox.edit("patterns/moor.yaml", "status: proposed", "status: accepted");
    sandbox.edit("patterns/dune.yaml", "note: ''", "note: 'see below'");
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox.edit("patterns/reef.yaml", "dehusk: 1\n", "# ours\ndehusk: 1\n");
    sandbox.write("patterns/notes.txt", "mine");
    for source in ["moor", "dune", "reef", "dale"] {
        remove(&sandbox, &format!("corpus/{source}"));
    }
    let ran = sandbox.expect(0, "mine corpus -o patterns --prune");
    ran.says("patterns: deleted 2 files of earlier runs: _shared.yaml, dale.yaml\n");
    ran.says("patterns: 3 files of earlier runs, not deleted, because of changes since then");
    ran.says(": dune.yaml, moor.yaml, reef.yaml\n");
    let names: Vec<String> = sandbox.tree("patterns").into_keys().collect();
    assert_eq!(names, ["_mutable.yaml", "dune.yaml", "moor.yaml", "notes.txt", "reef.yaml", "tide.yaml"]);
}

#[test]
fn outputs_of_another_format() {
    let sandbox = sandbox();
    let line = |number| serde_json::json!({"id": number, "source": "tide", "text": page(number, 3)}).to_string() + "\n";
    sandbox.write("all.jsonl", (0..6).map(line).collect::<String>());
    sandbox.expect(0, "clean all.jsonl -p patterns -o out --quiet");
    clean(&sandbox, "").says("out: 1 file of earlier runs, which this run did not write: all.jsonl;");
    clean(&sandbox, "--spans --prune").says("out: deleted 13 files of earlier runs: all.jsonl, moor/00006.txt,");
    assert!(sandbox.tree("out").keys().all(|name| name.ends_with(".txt.jsonl")));
}

#[test]
fn a_foreign_file_in_the_output() {
    let sandbox = sandbox();
    sandbox.expect(0, CLEAN);
    sandbox.write("out/tide/notes.txt", "mine");
    remove(&sandbox, "corpus/tide");
    let ran = clean(&sandbox, "--prune");
    assert!(!ran.stderr.contains("notes"), "{}", ran.stderr);
    assert_eq!(sandbox.read("out/tide/notes.txt"), "mine");
    assert_eq!(sandbox.tree("out").len(), 7);
}

#[test]
fn an_output_that_was_edited() {
    let sandbox = sandbox();
    sandbox.expect(0, CLEAN);
    let text = sandbox.read("out/tide/00001.txt");
    // One has the same length and the same time as before.
    let path = sandbox.path("out/tide/00001.txt");
    let time = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    sandbox.write("out/tide/00001.txt", text.replacen('a', "e", 1));
    fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("a time");
    sandbox.write("out/tide/00002.txt", "mine");
    remove(&sandbox, "corpus/tide");
    let ran = clean(&sandbox, "--prune");
    ran.says("out: deleted 4 files of earlier runs: tide/00000.txt, tide/00003.txt, tide/00004.txt and 1 more\n");
    ran.says("out: 2 files of earlier runs, not deleted, because of changes since then");
    ran.says(": tide/00001.txt, tide/00002.txt\n");
    assert_eq!(sandbox.tree("out/tide").into_keys().collect::<Vec<_>>(), ["00001.txt", "00002.txt"]);
}

#[test]
fn the_old_output_of_a_skipped_document() {
    let sandbox = sandbox();
    sandbox.expect(0, CLEAN);
    sandbox.write("corpus/tide/00001.txt", [0; 100]);
    let ran = sandbox.expect(3, "clean corpus -p patterns -o out --prune");
    ran.says("not deleted, because of changes since then or because the document was skipped: tide/00001.txt\n");
    assert!(exists(&sandbox, "out/tide/00001.txt"));
}

#[cfg(unix)]
#[test]
fn outputs_of_killed_runs() {
    use super::interruption::{entries, start, wait_until};
    let sandbox = sandbox();
    write_pages(&sandbox, "tide", 12..300);
    for round in 0..6 {
        let resume = if round % 2 == 0 { "" } else { " --resume" };
        let mut child = start(&sandbox, &format!("{CLEAN}{resume}"));
        wait_until(&mut child, || entries(sandbox.path("out/tide")) >= 20 + 30 * round);
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
    }
    // As if the machine had stopped in the middle of a line.
    let record = sandbox.read("out/.dehusk/written.jsonl");
    let torn = format!("{record}{{\"o\":\"tide/000");
    sandbox.write("out/.dehusk/written.jsonl", torn);
    let killed = sandbox.tree("out").len();
    assert!(killed >= 20, "{killed}");
    remove(&sandbox, "corpus/tide");
    write_pages(&sandbox, "tide", 300..302);
    clean(&sandbox, "--prune").says("out: deleted");
    sandbox.expect(0, "clean corpus -p patterns -o fresh --quiet");
    assert_eq!(sandbox.tree("out"), sandbox.tree("fresh"));
    assert_eq!(sandbox.read("out/.dehusk/written.jsonl").lines().count(), 1 + 8, "lines that do not count are gone");
}

#[test]
fn a_run_that_fails() {
    let sandbox = sandbox();
    sandbox.expect(0, CLEAN);
    remove(&sandbox, "corpus/tide/00000.txt");
    sandbox.write("corpus/tide/00001.txt", [0; 100]);
    sandbox.expect(1, &format!("{CLEAN} --prune --max-errors 0"));
    assert!(exists(&sandbox, "out/tide/00000.txt"));
}

#[test]
fn another_run_at_the_same_time() {
    let sandbox = sandbox();
    sandbox.expect(0, CLEAN);
    remove(&sandbox, "corpus/tide");
    let lock = fs::File::open(sandbox.path("out/.dehusk/written.lock")).expect("a lock");
    lock.lock_shared().expect("it is locked");
    clean(&sandbox, "--prune").says("out: nothing is deleted, because another run writes to this folder\n");
    assert!(!clean(&sandbox, "").stderr.contains("earlier run"));
    drop(lock);
    clean(&sandbox, "--prune").says("out: deleted 6 files");
}

#[cfg(unix)]
#[test]
fn outputs_behind_a_link() {
    let sandbox = sandbox();
    sandbox.expect(0, CLEAN);
    remove(&sandbox, "corpus/tide");
    fs::rename(sandbox.path("out/tide"), sandbox.path("elsewhere")).expect("it is moved");
    std::os::unix::fs::symlink("../elsewhere", sandbox.path("out/tide")).expect("a link");
    clean(&sandbox, "--prune").says("out: 6 files of earlier runs, not deleted");
    assert_eq!(sandbox.tree("elsewhere").len(), 6);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    sandbox.expect(0, "run corpus -o out --quiet");
    let close = |mode| {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(sandbox.path("corpus/moor"), permissions).expect("permissions");
    };
    close(0);
    if fs::read_dir(sandbox.path("corpus/moor")).is_ok() {
        eprintln!("notice: the superuser reads everything; not tried");
        return;
    }
    let ran = sandbox.expect(3, "run corpus -o out --prune");
    close(0o755);
    ran.says("not deleted, because some input could not be read");
    assert!(exists(&sandbox, "out/patterns/moor.yaml") && exists(&sandbox, "out/cleaned/moor/00006.txt"));
}

#[test]
fn something_else_in_place_of_the_record() {
    let sandbox = sandbox();
    sandbox.expect(1, "clean corpus -p patterns -o - --prune").says("--prune needs a folder to write to");
    sandbox.write("out/.dehusk/written.jsonl", "notes of mine\n");
    sandbox.expect(1, CLEAN).says("written.jsonl\" is not a record of dehusk: move it away");
    assert_eq!(sandbox.read("out/.dehusk/written.jsonl"), "notes of mine\n");
}
