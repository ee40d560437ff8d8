//! Outputs at existing places: devices and pipes take the output, links are followed, and files of others are kept.

use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::interruption::{start, wait_until};
use super::*;

/// All commands that write one file. The name of the file is added at their end.
const COMMANDS: [&str; 5] = [
    "clean corpus -p patterns -o out --quiet --report",
    "clean one.jsonl -p patterns -o - --quiet --report",
    "review corpus -p patterns --quiet --report",
    "fields corpus -p patterns --quiet -o",
    "state export state -o",
];

fn sources() -> Sandbox {
    let sandbox = Sandbox::new();
    (0..12).for_each(|number| sandbox.write(&format!("corpus/tide/{number:05}.txt"), page(number, 7)));
    let text = serde_json::to_string(&page(90, 7)).expect("a string");
    sandbox.write("one.jsonl", format!("{{\"source\":\"tide\",\"id\":\"x\",\"text\":{text}}}\n"));
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox.expect(0, "stream corpus --state state -o streamed.jsonl --quiet");
    sandbox
}

#[test]
fn pipes_are_written_to() {
    use std::os::unix::fs::FileTypeExt;
    let sandbox = sources();
    for command in COMMANDS.iter().chain(&["stream corpus --state new-state --quiet -o"]) {
        let _ = fs::remove_file(sandbox.path("new-state"));
        sandbox.expect(0, &format!("{command} plain"));
        let expected = sandbox.read("plain");
        assert!(!expected.is_empty());
        fs::remove_file(sandbox.path("plain")).expect("it is there");
        let _ = fs::remove_file(sandbox.path("new-state"));
        let made = std::process::Command::new("mkfifo").arg(sandbox.path("pipe")).status();
        assert!(made.expect("mkfifo").success());
        let read = read_on(&sandbox.path("pipe"));
        sandbox.expect(0, &format!("{command} pipe"));
        assert!(fs::symlink_metadata(sandbox.path("pipe")).expect("a pipe").file_type().is_fifo(), "{command}");
        let start = Instant::now();
        while read.lock().expect("a reader").len() < expected.len() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(String::from_utf8_lossy(&read.lock().expect("a reader")), expected, "{command}");
        fs::remove_file(sandbox.path("pipe")).expect("it is there");
    }
}

/// Reads what is written to a pipe, until the tests end.
fn read_on(pipe: &Path) -> Arc<Mutex<Vec<u8>>> {
    // A pipe that is also open for writing does not wait for a writer.
    let mut pipe = fs::File::options().read(true).write(true).open(pipe).expect("a pipe");
    let all: Arc<Mutex<Vec<u8>>> = Arc::default();
    let read = Arc::clone(&all);
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut bytes) {
            read.lock().expect("a reader").extend_from_slice(&bytes[..count]);
        }
    });
    all
}

#[test]
fn devices_are_written_to() {
    use std::os::unix::fs::FileTypeExt;
    let sandbox = sources();
    let node = sandbox.path("node");
    // A device node of our own that takes everything and keeps nothing.
    let made = std::process::Command::new("mknod").arg(&node).args(["c", "1", "3"]).output();
    if !made.is_ok_and(|made| made.status.success()) || fs::File::options().write(true).open(&node).is_err() {
        eprintln!("not tested: only some may make devices, and not everywhere");
        return;
    }
    for command in COMMANDS {
        sandbox.expect(0, &format!("{command} node"));
        assert!(fs::symlink_metadata(&node).expect("a device").file_type().is_char_device(), "{command}");
    }
}

#[test]
fn links_lead_to_the_file() {
    use std::os::unix::fs::symlink;
    let sandbox = sources();
    fs::create_dir(sandbox.path("there")).expect("a folder");
    for command in COMMANDS {
        sandbox.write("there/file", "");
        symlink("there/file", sandbox.path("link")).expect("a link");
        sandbox.expect(0, &format!("{command} link"));
        assert!(sandbox.path("link").is_symlink() && !sandbox.read("there/file").is_empty(), "{command}");
        assert_eq!(sandbox.tree("there").len(), 1);
        fs::remove_file(sandbox.path("there/file")).expect("it is there");
        sandbox.expect(1, &format!("{command} link")).says("it is a link whose target does not exist");
        assert!(sandbox.path("link").is_symlink());
        symlink(sandbox.path("corpus/tide/00001.txt"), sandbox.path("there/file")).expect("a link");
        if command.contains(" corpus") {
            let before = sandbox.tree("corpus");
            sandbox.expect(1, &format!("{command} link --force")).says("is inside the input");
            assert_eq!(sandbox.tree("corpus"), before, "{command}");
        }
        fs::remove_file(sandbox.path("there/file")).expect("it is there");
        fs::remove_file(sandbox.path("link")).expect("it is there");
    }
}

#[test]
fn pattern_files_that_are_links_stay_links() {
    let sandbox = sources();
    let link = || {
        fs::rename(sandbox.path("patterns/tide.yaml"), sandbox.path("ours.yaml")).expect("a file");
        std::os::unix::fs::symlink("../ours.yaml", sandbox.path("patterns/tide.yaml")).expect("a link");
    };
    link();
    sandbox.edit("ours.yaml", "status: proposed", "status: 'accepted'");
    sandbox.expect(0, "check --fix patterns");
    assert!(sandbox.path("patterns/tide.yaml").is_symlink());
    assert!(sandbox.read("ours.yaml").contains("status: accepted"));
    sandbox.write("corpus/tide/new.txt", page(50, 7));
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    assert!(sandbox.path("patterns/tide.yaml").is_symlink());
    assert!(sandbox.read("ours.yaml").contains("documents: 13"));
}

#[test]
fn documents_do_not_go_through_links_into_the_corpus() {
    let sandbox = sources();
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    for target in ["../../corpus/tide/00003.txt", "gone"] {
        fs::remove_file(sandbox.path("out/tide/00001.txt")).expect("it is there");
        std::os::unix::fs::symlink(target, sandbox.path("out/tide/00001.txt")).expect("a link");
        let before = sandbox.tree("corpus");
        sandbox.expect(1, "clean corpus -p patterns -o out --quiet");
        assert_eq!(sandbox.tree("corpus"), before);
        assert!(sandbox.path("out/tide/00001.txt").is_symlink());
    }
}

#[test]
fn what_others_wrote_stays() {
    let sandbox = sources();
    for command in COMMANDS {
        sandbox.write("there", "Notes of mine.\n");
        sandbox.expect(1, &format!("{command} there")).says("\"there\" already exists, and dehusk did not write it");
        assert_eq!(sandbox.read("there"), "Notes of mine.\n");
        sandbox.expect(0, &format!("{command} there --force"));
        let written = sandbox.read("there");
        assert!(!written.contains("Notes"), "{command}");
        sandbox.expect(0, &format!("{command} there"));
        assert_eq!(sandbox.read("there"), written, "{command}");
        sandbox.write("there", "");
        sandbox.expect(0, &format!("{command} there"));
        assert_eq!(sandbox.read("there"), written, "an empty file is nobody's: {command}");
    }
}

#[test]
fn pages_of_the_manual_are_written_over_no_others() {
    let sandbox = sources();
    sandbox.write("man/dehusk-clean.1", "A page of mine.\n");
    sandbox.expect(1, "man -o man").says("dehusk-clean.1\" already exists, and dehusk did not write it");
    assert_eq!(sandbox.read("man/dehusk-clean.1"), "A page of mine.\n");
    sandbox.expect(0, "man -o man --force");
    sandbox.expect(0, "man -o man");
    assert!(sandbox.read("man/dehusk-clean.1").contains(".TH dehusk-clean"));
}

#[test]
fn what_is_read_is_not_written_over_even_if_that_is_asked_for() {
    let sandbox = sources();
    let before = (sandbox.tree("corpus"), sandbox.tree("patterns"));
    for command in [
        "clean corpus -p patterns -o out --force --report patterns/tide.yaml",
        "fields corpus -p patterns --force -o patterns/tide.yaml",
        "review corpus -p patterns --force --report patterns/tide.yaml",
        "stream corpus --state corpus/state -o streamed-again.jsonl",
    ] {
        sandbox.expect(1, command).says("the input");
    }
    assert_eq!((sandbox.tree("corpus"), sandbox.tree("patterns")), before);
}

/// Whatever is read, by whatever name it is written to.
#[test]
fn links_to_what_is_read_are_not_written_to() {
    let sandbox = sources();
    sandbox.write("model.yaml", include_str!("../../crates/core/src/cleaning/decide/decision_model.yaml"));
    sandbox.write("settings.toml", "");
    sandbox.write("page/tide/1.html", "<p>Rain again.");
    sandbox.write("list", "corpus\n");
    sandbox.write("mutable.yaml", include_str!("../../patterns/time.yaml"));
    let before = || {
        let files = ["model.yaml", "settings.toml", "list", "mutable.yaml"].map(|name| fs::read(sandbox.path(name)));
        (files.map(|file| file.expect("a file")), sandbox.tree("corpus"), sandbox.tree("patterns"))
    };
    let all = before();
    for (read, command) in [
        ("patterns/tide.yaml", "clean corpus -p patterns -o out --force --report"),
        ("patterns/tide.yaml", "explain page/tide/1.html -p patterns --force -o"),
        ("model.yaml", "clean corpus -p patterns -o out --decision-model model.yaml --force --report"),
        ("model.yaml", "review corpus -p patterns --decision-model model.yaml --force --report"),
        ("settings.toml", "fields corpus -p patterns --config settings.toml --force -o"),
        ("list", "mine --files-from list --force --candidates"),
        ("state", "state export state --force -o"),
    ] {
        for is_hard in [false, true] {
            let (from, to) = (sandbox.path(read), sandbox.path("link"));
            let linked = if is_hard { fs::hard_link(from, to) } else { std::os::unix::fs::symlink(from, to) };
            linked.expect("a link");
            sandbox.expect(1, &format!("{command} link")).says("\"link\" is the same as the input");
            assert!(before() == all, "{command}");
            fs::remove_file(sandbox.path("link")).expect("a link");
        }
    }
    sandbox.expect(0, "state show state");
    sandbox.expect(1, "stream corpus --state state -o state").says("\"state\" is the same as the input");
    sandbox.expect(1, "stream corpus -p patterns --state patterns/tide.yaml").says("is the same as the input");
    assert!(before() == all);
}

/// A document in a folder has no name on the command line.
#[test]
fn other_names_of_documents_are_not_written_to() {
    let sandbox = sources();
    sandbox.write("corpus/tide/empty.txt", "");
    sandbox.write("page/tide/1.html", "<p>Rain again.");
    let all = || (sandbox.tree("corpus"), sandbox.tree("page"));
    let before = all();
    let refused = |document: &str, command: &str| {
        fs::hard_link(sandbox.path(document), sandbox.path("link")).expect("a link");
        let message =
            format!("error: the output \"link\" is the same as the input \"{document}\": choose another one\n");
        sandbox.expect(1, command).says(&message);
        assert!(all() == before && sandbox.read("link") == sandbox.read(document), "{command}");
        fs::remove_file(sandbox.path("link")).expect("a link");
    };
    for command in [
        "mine corpus --force --candidates link",
        "clean corpus -p patterns -o out --force --report link",
        "clean one.jsonl corpus -p patterns -o - --force --report link",
        "review corpus -p patterns --force --report link",
        "fields corpus -p patterns --force -o link",
        "stream corpus --state new -o link",
        "stream corpus --state link -o new.jsonl",
    ] {
        refused("corpus/tide/00001.txt", command);
        refused("corpus/tide/empty.txt", command);
    }
    for command in ["segment page --force -o link", "blocks page --force -o link"] {
        refused("page/tide/1.html", command);
    }
    // In an output folder as well.
    let out = sandbox.path("out/tide/00001.txt");
    fs::create_dir_all(out.parent().expect("a folder")).expect("a folder");
    fs::hard_link(sandbox.path("corpus/tide/00001.txt"), &out).expect("a link");
    sandbox
        .expect(1, "clean corpus -p patterns -o out --force")
        .says("is the same as the input \"corpus/tide/00001.txt\"");
    assert!(all() == before);
    // A copy is another file.
    fs::remove_file(&out).expect("a link");
    fs::copy(sandbox.path("corpus/tide/00001.txt"), &out).expect("a copy");
    fs::hard_link(&out, sandbox.path("elsewhere")).expect("a link");
    sandbox.expect(0, "clean corpus -p patterns -o out --force --quiet");
}

#[test]
fn the_output_of_a_stream_is_no_document_of_it() {
    let sandbox = sources();
    sandbox.expect(0, "stream corpus --state new -o out.jsonl --quiet");
    let written = sandbox.read("out.jsonl");
    fs::hard_link(sandbox.path("out.jsonl"), sandbox.path("corpus/tide/other.jsonl")).expect("a link");
    sandbox
        .expect(1, "stream corpus --state new -o out.jsonl")
        .says("\"out.jsonl\" is the same as the input \"corpus/tide/other");
    assert_eq!(sandbox.read("out.jsonl"), written);
    fs::remove_file(sandbox.path("corpus/tide/other.jsonl")).expect("a link");
    sandbox.expect(0, "stream corpus --state new -o out.jsonl --quiet");
}

#[test]
fn documents_do_not_go_through_links_into_pattern_files() {
    let sandbox = sources();
    let before = sandbox.tree("patterns");
    fs::create_dir_all(sandbox.path("out/tide")).expect("a folder");
    let link = sandbox.path("out/tide/00001.txt");
    std::os::unix::fs::symlink(sandbox.path("patterns/tide.yaml"), &link).expect("a link");
    sandbox
        .expect(1, "clean corpus -p patterns -o out --force")
        .says("00001.txt\" is the same as the input \"patterns");
    assert_eq!(sandbox.tree("patterns"), before);
    assert!(link.is_symlink());
    // Nor is a file deleted that an earlier run wrote, and that this one reads.
    sandbox.expect(0, "clean corpus -p patterns -o patterns --force --prune --quiet");
    assert_eq!(sandbox.read("patterns/tide.yaml").as_bytes(), before["tide.yaml"]);
    // A run reads what it mined itself.
    fs::create_dir_all(sandbox.path("run/cleaned/tide")).expect("a folder");
    sandbox.expect(0, "mine corpus -o run/patterns --quiet");
    let link = sandbox.path("run/cleaned/tide/00001.txt");
    std::os::unix::fs::symlink(sandbox.path("run/patterns/tide.yaml"), link).expect("a link");
    sandbox.expect(1, "run corpus -o run --force").says("is the same as the input");
    assert!(sandbox.read("run/patterns/tide.yaml").starts_with("dehusk: 1"));
}

#[test]
fn a_file_that_the_shell_opens_is_read_too() {
    let sandbox = sources();
    let before = sandbox.read("one.jsonl");
    let mut command = sandbox.command("clean - -p patterns -o - --force --report one.jsonl");
    command.stdin(fs::File::open(sandbox.path("one.jsonl")).expect("a file"));
    let ended = command.output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("\"one.jsonl\" is the same as the input \"-\""), "{stderr}");
    assert_eq!(sandbox.read("one.jsonl"), before);
}

#[test]
fn a_folder_is_no_device() {
    let sandbox = sources();
    for command in ["clean one.jsonl -p patterns -o /dev/null", "extract corpus -o /dev/null"] {
        sandbox.expect(2, command).says("this is a device or a pipe, and a folder is written").says("`-o - > FILE`");
    }
}

#[test]
fn a_folder_that_the_shell_opens_is_named() {
    let sandbox = sources();
    for arguments in ["mine - -o mined", "clean - -p patterns -o -", "stream - -s state -o streamed.jsonl"] {
        let mut command = sandbox.command(arguments);
        command.stdin(fs::File::open(sandbox.path("")).expect("a folder"));
        let ended = command.output().expect("the program starts");
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{arguments}: {stderr}");
        assert_eq!(stderr, "error: cannot read \"-\": it is a folder: give its path\n", "{arguments}");
    }
}

#[test]
fn a_folder_is_not_named_like_a_file() {
    let sandbox = sources();
    for command in ["clean one.jsonl -p patterns -o out.txt", "extract corpus -o a/out.jsonl.gz"] {
        sandbox.expect(2, command).says("this is the name of a file, and a folder is written").says("`-o - > FILE`");
    }
    for command in ["mine corpus -o out.yaml", "run corpus -o out.html"] {
        sandbox.expect(2, command).says("name a folder, or end it with /");
    }
    assert!(!sandbox.path("out.txt").exists() && !sandbox.path("out.yaml").exists());
    sandbox.expect(0, "clean corpus -p patterns -o out.txt/ --quiet");
    sandbox.expect(0, "clean corpus -p patterns -o out.txt --quiet");
    sandbox.expect(0, "clean corpus -p patterns -o tide.example --quiet");
    assert_eq!(sandbox.tree("out.txt"), sandbox.tree("tide.example"));
}

#[test]
fn who_may_read_a_file_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sources();
    let file = sandbox.path("patterns/tide.yaml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode");
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
}

#[test]
fn no_output_is_a_pattern_file_or_a_list() {
    let sandbox = sources();
    sandbox.write("list", "corpus\n");
    let before = (sandbox.tree("corpus"), sandbox.tree("patterns"));
    sandbox.expect(1, "clean corpus -p patterns -o out --report patterns/tide.yaml").says("is the same as the input");
    sandbox.expect(1, "clean --files-from list -p patterns -o out --report list").says("is the same as the input");
    assert_eq!((sandbox.tree("corpus"), sandbox.tree("patterns")), before);
    assert_eq!(sandbox.read("list"), "corpus\n");
}

#[test]
fn documents_of_others_stay() {
    let sandbox = sources();
    sandbox.write("out/tide/00003.txt", "Notes of mine.\n");
    let ran = sandbox.expect(1, "clean corpus -p patterns -o out");
    ran.says("out/tide/00003.txt\" already exists, and dehusk did not write it: name another folder");
    assert_eq!(sandbox.tree("out").len(), 1);
    assert_eq!(sandbox.read("out/tide/00003.txt"), "Notes of mine.\n");
    sandbox.expect(0, "clean corpus -p patterns -o out --force --quiet");
    assert!(!sandbox.read("out/tide/00003.txt").contains("Notes"));
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    // If no document has the path of one of their files, their files and ours are side by side.
    sandbox.write("other/notes.txt", "Notes of mine.\n");
    sandbox.expect(0, "clean corpus -p patterns -o other --quiet");
    assert_eq!(sandbox.read("other/notes.txt"), "Notes of mine.\n");
}

#[test]
fn what_is_decided_while_sources_are_mined_stays() {
    let sandbox = sources();
    sandbox.edit("patterns/tide.yaml", "status: proposed", "status: accepted");
    let decided = sandbox.read("patterns/tide.yaml");
    let documents: String = (20..32)
        .map(|number| serde_json::json!({"source": "tide", "id": number, "text": page(number, 7)}).to_string() + "\n")
        .collect();
    let mine = |meanwhile: &str| {
        sandbox.write("patterns/tide.yaml", &decided);
        let mut command = sandbox.command("mine - -o patterns --quiet");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(documents.as_bytes()).expect("it is read");
        // By now the old patterns are read. If they are not, this tests nothing, and does not fail.
        std::thread::sleep(Duration::from_secs(2));
        sandbox.write("patterns/tide.yaml", meanwhile);
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let meanwhile = decided.replacen("status: proposed", "status: rejected", 1).replacen("note: ''", "note: 'ours'", 1);
    assert_eq!(mine(&meanwhile), (Some(0), String::new()));
    let mined = sandbox.read("patterns/tide.yaml");
    for decision in ["status: accepted", "status: rejected", "note: ours"] {
        let decision = decision.replace("ours", "'ours'");
        assert!(mined.contains(&decision), "{decision}:\n{mined}");
    }
    assert!(mined.contains("among: 12") || mined.contains("documents: 12"), "{mined}");

    let (status, stderr) = mine("patterns: ]");
    assert_eq!(status, Some(1));
    assert!(stderr.contains("tide.yaml:1") && stderr.contains("tide.yaml.mined"), "{stderr}");
    assert_eq!(sandbox.read("patterns/tide.yaml"), "patterns: ]");
    let beside = sandbox.read("patterns/tide.yaml.mined");
    assert!(beside.contains("status: accepted"));
    sandbox.write("patterns/tide.yaml.mined", "Notes of mine.\n");
    assert_eq!(mine("patterns: ]").0, Some(1));
    assert_eq!(sandbox.read("patterns/tide.yaml.mined"), "Notes of mine.\n");
    assert_eq!(sandbox.read("patterns/tide.yaml.mined-2"), beside);
}

#[test]
fn what_a_killed_process_left_goes() {
    let sandbox = sources();
    let stray = |path: &str| sandbox.write(path, "half");
    stray(".dehusk-1234");
    sandbox.expect(0, "stream corpus --state another --learn-only --quiet");
    assert!(!sandbox.path(".dehusk-1234").exists());
    stray("patterns/.dehusk-1234");
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    assert!(!sandbox.path("patterns/.dehusk-1234").exists());
    sandbox.write("patterns/.dehusk-5678", "half");
    let mut review = start(&sandbox, "review corpus -p patterns --no-open");
    wait_until(&mut review, || !sandbox.path("patterns/.dehusk-5678").exists());
    let _ = review.kill();
    let _ = review.wait();
    assert!(!sandbox.path("patterns/.dehusk-5678").exists());
}
