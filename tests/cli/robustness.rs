//! Broken input of all kinds. `docs/robustness.md` says what happens to each. A row there is a test here, or in
//! `prune.rs`.

use super::containers::{conversion, gzip, record, record_of_length, response, unpacked, zstd};
#[cfg(unix)]
use super::memory::in_space;
use super::*;
use dehusk_run::state::{State, Written};
#[cfg(unix)]
use std::io::{BufRead, BufReader, Read};
#[cfg(unix)]
use std::process::Stdio;

/// Input that is put beside good documents, how it is read, and the expected result.
#[derive(Default)]
struct Case<'a> {
    name: &'a str,
    bytes: Vec<u8>,
    options: &'a str,
    /// The messages on stderr, without `skipped: corpus/NAME`.
    skipped: Vec<&'a str>,
    out: Option<Vec<u8>>,
    /// The files with `--on-error copy`.
    copied: Option<Vec<u8>>,
    /// The output of `-o -` for it.
    lines: String,
}

const GOOD: std::ops::Range<usize> = 0..3;

/// A document, and its cleaned text.
fn good(number: usize) -> String {
    let cleaned = cleaned(number);
    let middle = cleaned.find('\n').map_or(0, |end| end + 1);
    format!("{}{SHARE_LINE}\n{}", &cleaned[..middle], &cleaned[middle..])
}

fn cleaned(number: usize) -> String {
    format!(
        "Boat {number} sailed at dawn and came back before the moon stood over Hale.\n\
         Nobody saw boat {number} in the fog that lay over the bay until noon.\n"
    )
}

fn write_patterns(sandbox: &Sandbox) {
    for source in ["tide", "odd"] {
        sandbox.write(&format!("patterns/{source}.yaml"), patterns(source, ""));
    }
}

/// A pattern file that removes [`SHARE_LINE`], with more entries.
fn patterns(source: &str, more: &str) -> String {
    format!(
        "dehusk: 1\nsource: {source}\nmined: {{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}}\npatterns:\n\
         - id: share\n  status: accepted\n  regex: '{SHARE_LINE}'\n  example: '{SHARE_LINE}'\n{more}"
    )
}

/// Patterns, and good documents.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    write_patterns(&sandbox);
    GOOD.for_each(|number| sandbox.write(&format!("corpus/tide/{number}.txt"), good(number)));
    sandbox
}

fn good_tree() -> Tree {
    GOOD.map(|number| (format!("tide/{number}.txt"), cleaned(number).into_bytes())).collect()
}

fn good_lines() -> String {
    GOOD.map(|number| line_of(&format!("{number}.txt"), "tide", &cleaned(number))).collect()
}

fn line_of(id: &str, source: &str, text: &str) -> String {
    format!("{{\"id\":\"{id}\",\"source\":\"{source}\",\"text\":{}}}\n", serde_json::Value::from(text))
}

/// A line of JSONL, as other programs write them.
fn json_line(text: &str) -> String {
    format!("{{\"source\": \"tide\", \"text\": {}}}\n", serde_json::Value::from(text))
}

/// A page on the host `tide`.
fn html(number: usize) -> String {
    let lines: String = good(number).lines().map(|line| format!("<p>{line}</p>")).collect();
    format!("<!doctype html><title>Boats</title><body>{lines}</body>")
}

impl Case<'_> {
    /// Cleans it in all ways. The good documents are cleaned correctly in each.
    #[track_caller]
    fn try_out(&self) {
        let sandbox = sandbox();
        sandbox.write(&format!("corpus/{}", self.name), &self.bytes);
        self.try_in(&sandbox);
    }

    /// The same, if the input already exists.
    #[track_caller]
    fn try_in(&self, sandbox: &Sandbox) {
        self.to_folder(sandbox, "out", "", &self.out);
        self.to_folder(sandbox, "copied", "--on-error copy", &self.copied);
        let ran = self.run(sandbox, "-", "");
        assert_eq!(ran.stdout, self.lines.clone() + &good_lines());
    }

    #[track_caller]
    fn to_folder(&self, sandbox: &Sandbox, target: &str, flag: &str, expected: &Option<Vec<u8>>) {
        self.run(sandbox, target, flag);
        let mut tree = sandbox.tree(target);
        let written = tree.remove(self.name);
        assert_eq!(tree, good_tree(), "the others");
        let shown = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert!(written == *expected, "{target}:\n{:?}\n{:?}", shown(&written), shown(expected));
    }

    #[track_caller]
    fn run(&self, sandbox: &Sandbox, target: &str, flag: &str) -> Ran {
        let Case { name, options, skipped, .. } = self;
        let ran = clean(sandbox, &format!("-o {target} {flag} {options}"));
        let named: String = skipped.iter().map(|message| format!("skipped: corpus/{name}{message}\n")).collect();
        let status = if skipped.is_empty() { 0 } else { 3 };
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(status), named.as_str()), "{target} {flag}");
        ran
    }
}

/// Cleans the corpus. A run that waits for input that never comes is stopped.
fn clean(sandbox: &Sandbox, options: &str) -> Ran {
    let command = sandbox.command(&format!("clean corpus -p patterns --quiet {options}"));
    let minute = std::time::Duration::from_secs(60);
    let output = assert_cmd::Command::from_std(command).timeout(minute).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[track_caller]
fn file_is_skipped(name: &str, bytes: Vec<u8>, options: &str, message: &str) {
    let copied = Some(bytes.clone());
    Case { name, bytes, options, skipped: vec![message], copied, ..Case::default() }.try_out();
}

/// The file `odd/x.txt` is read, and comes out as this text.
#[track_caller]
fn file_is_read(bytes: impl Into<Vec<u8>>, text: &str) {
    let (out, lines) = (Some(text.as_bytes().to_vec()), line_of("x.txt", "odd", text));
    Case { name: "odd/x.txt", bytes: bytes.into(), out: out.clone(), copied: out, lines, ..Case::default() }.try_out();
}

/// A broken line between good ones is named and left out, or copied if that is requested.
#[track_caller]
fn line_is_skipped(line: &[u8], options: &str, message: &str) {
    let [before, after] = [1, 2].map(|number| json_line(&good(number)).into_bytes());
    let [first, last] = [1, 2].map(|number| json_line(&cleaned(number)));
    let copied = [first.as_bytes(), line, last.as_bytes()].concat();
    let message = format!(":2: {message}");
    Case {
        name: "x.jsonl",
        bytes: [&before, line, &after].concat(),
        options,
        skipped: vec![&message],
        out: Some((first.clone() + &last).into_bytes()),
        copied: Some(copied),
        lines: first + &last,
    }
    .try_out();
}

/// JSONL that is read completely, and gives these lines.
#[track_caller]
fn lines_are_read(bytes: impl Into<Vec<u8>>, out: &str, lines: &str) {
    let out = Some(out.as_bytes().to_vec());
    let lines = lines.to_owned();
    Case { name: "x.jsonl", bytes: bytes.into(), out: out.clone(), copied: out, lines, ..Case::default() }.try_out();
}

/// The result for a file without errors: in its place, and as lines.
fn well(name: &str, bytes: &[u8]) -> (Vec<u8>, String) {
    let sandbox = sandbox();
    sandbox.write(&format!("corpus/{name}"), bytes);
    assert_eq!(clean(&sandbox, "-o out").stderr, "");
    let lines = clean(&sandbox, "-o -").stdout;
    let lines = lines.strip_suffix(&good_lines()).expect("the good ones come last").to_owned();
    (sandbox.tree("out").remove(name).expect("it is written"), lines)
}

/// Records around a broken part are the same as without it. To copy the broken part, the whole file is copied.
#[track_caller]
fn stretch_is_skipped(name: &str, around: [&[u8]; 2], broken: &[u8], message: &str) {
    let (out, lines) = well(name, &around.concat());
    let bytes = [around[0], broken, around[1]].concat();
    let (out, copied) = (Some(out), Some(bytes.clone()));
    Case { name, bytes, skipped: vec![message], out, copied, lines, options: "" }.try_out();
}

/// A file of many documents that ends too early: the documents before are read. To copy the rest, the whole file is
/// copied.
#[track_caller]
fn file_breaks_off(name: &str, bytes: Vec<u8>, readable: &[u8], message: &str) {
    let (out, lines) = well(name, readable);
    let copied = Some(bytes.clone());
    Case { name, bytes, skipped: vec![message], out: Some(out), copied, lines, options: "" }.try_out();
}

/// A record among others is read without a message: the output is the same as with this other record in its place.
#[track_caller]
fn record_is_read_as(record: Vec<u8>, text: &str) {
    let [before, after] = warc();
    let sandbox = sandbox();
    sandbox.write("corpus/x.warc", [before, record, after].concat());
    let ran = clean(&sandbox, "-o -");
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    let texts: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let texts: Vec<&str> = texts.iter().filter_map(|line| line["text"].as_str()).collect();
    assert_eq!(texts[..3], [cleaned(WARC[0]), text.to_owned(), cleaned(WARC[1])]);
}

/// The good records of a WARC file.
const WARC: [usize; 2] = [7, 8];

fn warc() -> [Vec<u8>; 2] {
    WARC.map(|number| conversion("https://tide/", &good(number)))
}

#[test]
fn every_row_of_the_table_has_its_test() {
    let (tables, _) = include_str!("../../docs/robustness.md").split_once("## Hostile input").expect("two parts");
    let rows = tables.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let mut rows: Vec<String> = rows.filter(|name| *name != "input").map(snake_case).collect();
    let code = concat!(include_str!("robustness.rs"), include_str!("prune.rs")).lines().collect::<Vec<_>>();
    let names = code.iter().filter_map(|line| line.strip_prefix("fn ")?.strip_suffix("() {"));
    let is_test = |name: &&str| {
        let line = code.iter().position(|line| line.starts_with(&format!("fn {name}() {{"))).unwrap_or(0);
        code[..line].iter().rev().take_while(|line| line.starts_with("#[")).any(|line| *line == "#[test]")
    };
    let mut tests: Vec<String> = names.filter(is_test).map(str::to_owned).collect();
    tests.retain(|name| name != "every_row_of_the_table_has_its_test");
    rows.sort_unstable();
    tests.sort_unstable();
    assert_eq!(rows, tests);
    assert!(rows.len() >= 60, "{}", rows.len());
}

fn snake_case(words: &str) -> String {
    let parts = words.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

/// `bytes` with `old` replaced, wherever it stands.
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut rest = bytes;
    let mut replaced = Vec::new();
    while let Some((first, behind)) = rest.split_first() {
        match rest.strip_prefix(old) {
            Some(behind) => {
                replaced.extend(new);
                rest = behind;
            }
            None => {
                replaced.push(*first);
                rest = behind;
            }
        }
    }
    replaced
}

// Files of one document.

#[test]
fn another_encoding() {
    let text = format!("Im Café von Björn Straße 7 gibt es für Gäste Brötchen.\n{}", good(5));
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    file_is_read(latin, &text.replace(&format!("{SHARE_LINE}\n"), ""));
}

#[test]
fn malformed_utf_8() {
    let text = format!("Zoë, Café, Zürich, naïve: they met at the harbour of Hale before noon.\n{}", good(5));
    let bytes = [text.as_bytes(), &cleaned(6).into_bytes()].concat();
    let bytes = replaced(&bytes, b"fog", b"f\xffg");
    let cleaned = text.replace(&format!("{SHARE_LINE}\n"), "") + &cleaned(6);
    let cleaned = cleaned.replace("fog", "f\u{fffd}g");
    file_is_read(bytes.clone(), &cleaned);
    let sandbox = sandbox();
    sandbox.write("corpus/odd/x.txt", bytes);
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
    assert_eq!(ran.stderr, "warning: corpus/odd/x.txt: some bytes are not valid UTF-8 and were replaced by U+FFFD\n");
}

#[test]
fn utf_16_with_a_mark() {
    let bytes: Vec<u8> = format!("\u{feff}{}", good(5)).encode_utf16().flat_map(u16::to_be_bytes).collect();
    file_is_read(bytes, &cleaned(5));
}

#[test]
fn utf_16_without_a_mark() {
    let bytes: Vec<u8> = good(5).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let message = ": looks binary, 50 % of its beginning are control characters: if it is UTF-16, save it with a byte \
                   order mark";
    file_is_skipped("odd/x.txt", bytes, "", message);
}

#[test]
fn a_binary_file_named_txt() {
    let message = ": looks binary, 10 % of its beginning are control characters: if it is UTF-16, save it with a byte \
                   order mark";
    file_is_skipped("odd/x.txt", (0..=255).cycle().take(5120).collect(), "", message);
}

#[test]
fn an_empty_file() {
    file_is_read("", "");
}

#[test]
fn nothing_but_white_space() {
    file_is_read(" \n\t\r\n", " \n\t\r\n");
}

#[test]
fn a_document_that_there_is_no_memory_for() {
    let sandbox = memory::large_and_small();
    let cleaned = sandbox.expect(3, "clean corpus -p daily.yaml -o out --memory 1M");
    cleaned.says("large.txt: may need 6.").says("MB of memory, more than the available 1.0 MB").says("--memory");
    assert_eq!(sandbox.tree("out").len(), 1, "{:?}", sandbox.tree("out"));
    sandbox.expect(3, "clean corpus -p daily.yaml -o copied --memory 1M --on-error copy");
    assert_eq!(sandbox.read("copied/daily/large.txt"), sandbox.read("corpus/daily/large.txt"));
    // Tokens and lines are counted, and language needs less memory.
    sandbox.expect(0, "clean corpus -p daily.yaml -o all --memory 4M");
    assert!(!sandbox.read("all/daily/large.txt").contains(SHARE_LINE));
}

#[test]
#[cfg(unix)]
fn a_page_that_unpacks_to_more_than_there_is_memory_for() {
    let sandbox = memory::bombs();
    for form in ["files", "warc", "lines"] {
        for command in [
            "clean FORM -p daily.org.yaml -o FORM-out",
            "clean FORM -p daily.org.yaml -o -",
            "extract FORM -o FORM-extracted",
            "stream FORM -p daily.org.yaml --state FORM-state -o FORM.jsonl",
            "segment FORM -o FORM-segments.jsonl",
            "blocks FORM -o FORM-blocks.jsonl",
            "fields FORM -p daily.org.yaml -o FORM-fields.jsonl",
            "explain FORM -p daily.org.yaml --pattern x",
        ] {
            let arguments = command.replace("FORM", form) + " --memory 10M --threads 2";
            let (code, stderr) = memory::in_space(&sandbox, 350_000, &arguments);
            let is_named = stderr.contains("than the available 10.0 MB");
            assert!(code == Some(3) && is_named, "{arguments}: {code:?} {stderr}");
        }
    }
}

#[test]
fn a_document_over_the_limit() {
    let message =
        ": has 6000 bytes, more than the 4000 that a document may have: split it, or allow more (--max-document)";
    file_is_skipped("odd/x.txt", b"word ".repeat(1200), "--max-document 4k", message);
}

#[test]
#[cfg(unix)]
fn a_file_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    sandbox.write("corpus/odd/x.txt", good(5));
    let path = sandbox.path("corpus/odd/x.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("the permissions");
    if fs::read(&path).is_ok() {
        eprintln!("notice: this user may read everything; a locked file is not tried");
        return;
    }
    let skipped = vec![": cannot be read: Permission denied (os error 13)"];
    Case { name: "odd/x.txt", skipped, ..Case::default() }.try_in(&sandbox);
}

/// A file that opens but cannot be read, as on a bad disk. Every system has this one.
#[test]
#[cfg(target_os = "linux")]
fn a_file_whose_bytes_cannot_be_read() {
    let sandbox = sandbox();
    fs::create_dir_all(sandbox.path("corpus/odd")).expect("a folder");
    std::os::unix::fs::symlink("/proc/self/mem", sandbox.path("corpus/odd/x.txt")).expect("a link");
    let skipped = vec![": cannot be read: Input/output error (os error 5)"];
    Case { name: "odd/x.txt", skipped, options: "--follow-links", ..Case::default() }.try_in(&sandbox);
}

/// Changes the corpus after the program has looked for files and before it reads them: standard input blocks it. Returns what
/// it says. The document that was changed is skipped.
#[cfg(unix)]
fn changed_before_it_is_read(sandbox: &Sandbox, change: impl FnOnce()) -> String {
    use std::io::Write;
    let mut command = sandbox.command("run corpus - -o out --quiet");
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    // More than fits into a pipe: when everything is written, the program is reading.
    input.write_all(json_line(&good(6)).repeat(2000).as_bytes()).expect("written");
    change();
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    let names: Vec<String> = sandbox.tree("out/cleaned").into_keys().collect();
    assert_eq!(names, ["stdin.jsonl", "tide/0.txt", "tide/1.txt", "tide/2.txt"]);
    stderr
}

#[test]
#[cfg(unix)]
fn a_file_that_vanishes() {
    let sandbox = sandbox();
    sandbox.write("corpus/odd/x.txt", good(5));
    let path = sandbox.path("corpus/odd/x.txt");
    let stderr = changed_before_it_is_read(&sandbox, || fs::remove_file(path).expect("removed"));
    assert_eq!(stderr, "skipped: corpus/odd/x.txt: cannot be read: No such file or directory (os error 2)\n");
}

/// As above. Opening the pipe would wait for ever.
#[test]
#[cfg(unix)]
fn a_file_that_becomes_a_named_pipe() {
    for name in ["odd/x.txt", "x.jsonl"] {
        let sandbox = sandbox();
        let path = sandbox.path(&format!("corpus/{name}"));
        sandbox.write(&format!("corpus/{name}"), "");
        let stderr = changed_before_it_is_read(&sandbox, || {
            fs::remove_file(&path).expect("removed");
            assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        });
        let why = "cannot be read: it is not a regular file, but a named pipe: move it elsewhere";
        assert_eq!(stderr, format!("skipped: corpus/{name}: {why}\n"));
    }
}

/// As above. What is outside of the corpus is not read, whatever part of the path now leads there.
#[test]
#[cfg(unix)]
fn a_file_that_becomes_a_link_out_of_the_corpus() {
    for (name, replaced) in [("odd/x.txt", "odd/x.txt"), ("x.jsonl", "x.jsonl"), ("odd/in/x.txt", "odd/in")] {
        let sandbox = sandbox();
        sandbox.write(&format!("corpus/{name}"), good(5));
        sandbox.write(&format!("outside/{name}"), json_line(&good(6)));
        let path = sandbox.path(&format!("corpus/{replaced}"));
        let stderr = changed_before_it_is_read(&sandbox, || {
            fs::rename(&path, sandbox.path("before")).expect("moved");
            let outside = sandbox.path(&format!("outside/{replaced}"));
            std::os::unix::fs::symlink(outside, &path).expect("a link");
        });
        let real = fs::canonicalize(sandbox.path(&format!("outside/{name}"))).expect("a path");
        let why = format!("is a link to {real:?}, outside the given folder");
        assert_eq!(stderr, format!("skipped: corpus/{name}: {why}: to read it, name that path too, or follow links\n"));
    }
}

#[test]
#[cfg(unix)]
fn a_file_that_becomes_shorter() {
    const LINES: usize = 200_000;
    let line = |number: usize| format!("{{\"source\": \"bare\", \"text\": \"{number:09} {}\"}}\n", "word ".repeat(80));
    let sandbox = sandbox();
    sandbox.write("corpus/x.jsonl", (0..LINES).map(line).collect::<String>());
    let mut command = sandbox.command("clean corpus/x.jsonl -p patterns -o - --quiet");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output"));
    let mut out = String::new();
    lines.read_line(&mut out).expect("a line");
    // If nobody reads the output, it reads only some megabytes ahead.
    let file = fs::File::options().write(true).open(sandbox.path("corpus/x.jsonl")).expect("the file");
    let kept = LINES * 4 / 5 * line(0).len();
    file.set_len(kept as u64).expect("cut");
    lines.read_to_string(&mut out).expect("the rest");
    let ended = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(3), "{stderr}");
    let message = "it became shorter while it was read: give it again when it is complete\n";
    assert!(stderr.starts_with("skipped: corpus/x.jsonl: cannot be read after record "), "{stderr}");
    assert!(stderr.ends_with(message) && stderr.lines().count() == 1, "{stderr}");
    assert!(out.len() > kept / 2, "{}", out.len());
    assert!(out.lines().enumerate().all(|(number, found)| found == line(number).trim_end()));
}

#[test]
#[cfg(unix)]
fn a_second_link_to_a_folder() {
    let sandbox = sandbox();
    let link = |target: &str, link: &str| {
        std::os::unix::fs::symlink(target, sandbox.path(&format!("corpus/{link}"))).expect("a link");
    };
    // Each of them would double the number of files, if it were followed.
    (0..30).for_each(|number| sandbox.write(&format!("corpus/odd/{number}/x.txt"), good(number)));
    for number in 0..30 {
        (1..=2).for_each(|step| link(&format!("../{}", (number + step) % 30), &format!("odd/{number}/{step}")));
    }
    let ran = clean(&sandbox, "-o out");
    assert_eq!((ran.status, ran.skipped()), (Some(3), 60), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("skipped: corpus/odd/0/1: is the same folder as \"corpus/odd/1\", which was already read\n")
    );
    assert_eq!(sandbox.tree("out").len(), 30 + GOOD.len());
}

#[test]
#[cfg(unix)]
fn a_link_to_nothing() {
    link_is_skipped("nowhere.txt", ": cannot be read: No such file or directory (os error 2)");
}

#[test]
#[cfg(unix)]
fn a_link_to_itself() {
    link_is_skipped("x.txt", &format!(": cannot be read: {}", too_many_links()));
}

#[test]
#[cfg(unix)]
fn a_link_to_a_folder_around_it() {
    link_is_skipped("..", ": is a link to \"corpus\", which contains it");
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_corpus() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = fs::canonicalize(folder.path()).expect("its path").join("secret.txt");
    write(&target, good(5).as_bytes());
    let target = target.to_str().expect("UTF-8");
    let message =
        format!(": is a link to {target:?}, outside the given folder: to read it, name that path too, or follow links");
    link_is_skipped(target, &message);
}

#[cfg(unix)]
#[track_caller]
fn link_is_skipped(target: &str, message: &str) {
    let sandbox = sandbox();
    fs::create_dir_all(sandbox.path("corpus/odd")).expect("a folder");
    std::os::unix::fs::symlink(target, sandbox.path("corpus/odd/x.txt")).expect("a link");
    Case { name: "odd/x.txt", skipped: vec![message], ..Case::default() }.try_in(&sandbox);
}

#[cfg(unix)]
fn too_many_links() -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink("x", folder.path().join("x")).expect("a link");
    fs::read(folder.path().join("x")).expect_err("it leads nowhere").to_string()
}

const NO_FILE: &str = ": is neither a file nor a folder: read it as standard input (-), if it is a pipe";

#[test]
#[cfg(unix)]
fn a_named_pipe() {
    for name in ["odd/x.txt", "x.jsonl"] {
        let sandbox = sandbox();
        fs::create_dir_all(sandbox.path("corpus/odd")).expect("a folder");
        let made = std::process::Command::new("mkfifo").arg(sandbox.path(&format!("corpus/{name}"))).status();
        assert!(made.expect("mkfifo").success());
        Case { name, skipped: vec![NO_FILE], ..Case::default() }.try_in(&sandbox);
    }
}

#[test]
#[cfg(unix)]
fn a_socket() {
    let sandbox = sandbox();
    fs::create_dir_all(sandbox.path("corpus/odd")).expect("a folder");
    let _listener = std::os::unix::net::UnixListener::bind(sandbox.path("corpus/odd/x.txt")).expect("a socket");
    Case { name: "odd/x.txt", skipped: vec![NO_FILE], ..Case::default() }.try_in(&sandbox);
}

#[test]
fn a_folder_named_like_a_document() {
    let sandbox = sandbox();
    fs::create_dir_all(sandbox.path("corpus/odd/x.txt")).expect("a folder");
    fs::create_dir_all(sandbox.path("corpus/x.jsonl")).expect("a folder");
    Case { name: "odd/x.txt", ..Case::default() }.try_in(&sandbox);
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_that_is_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = sandbox();
    fs::create_dir_all(sandbox.path("corpus/odd")).expect("a folder");
    let name = std::ffi::OsStr::from_bytes(b"corpus/odd/\xff.txt");
    fs::write(sandbox.path("").join(name), good(5)).expect("written");
    let skipped = vec![": the file name is not valid UTF-8: rename it"];
    Case { name: "odd/\u{fffd}.txt", skipped, ..Case::default() }.try_in(&sandbox);
}

// Lines of JSON.

/// Streams a page with this markup before and after its text. The text stays.
#[track_caller]
fn page_is_streamed(before: &str, after: &str, flags: &str) {
    let sandbox = Sandbox::new();
    sandbox.write("corpus/tide/x.html", format!("<p>{}</p>{before}<p>{}</p>{after}", cleaned(1), cleaned(2)));
    let ran = sandbox.run(&format!("stream corpus --state state -o - --quiet {flags}"));
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    let line: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let text: String = [1, 2].map(|number| cleaned(number).replace('\n', " ")).join("\n");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(line["text"].as_str().expect("a text")), words(&text));
}

#[test]
fn a_page_a_hundred_thousand_elements_deep() {
    for name in ["div", "b", "x-a"] {
        page_is_streamed(&format!("<{name}>").repeat(100_000), &format!("</{name}>").repeat(100_000), "");
    }
}

#[test]
fn a_page_with_a_million_elements_side_by_side() {
    for piece in ["<img>", "<i></i>", "<td></td>"] {
        page_is_streamed(&piece.repeat(1_000_000), "", "");
    }
}

#[test]
fn an_element_with_a_million_attributes() {
    for attribute in ["class=x ", "data-x "] {
        page_is_streamed(&format!("<div {}>", attribute.repeat(1_000_000)), "</div>", "");
    }
    let different: String = (0..1_000_000).map(|number| format!("a{number}=b ")).collect();
    page_is_streamed(&format!("<div {different}>"), "</div>", "");
}

#[test]
fn an_element_with_a_million_classes() {
    let classes: String = (0..1_000_000).map(|number| format!("c{number} ")).collect();
    page_is_streamed(&format!("<div class='{classes}'>"), "</div>", "");
}

#[test]
fn a_page_on_which_nothing_is_closed() {
    for pieces in ["<div><p><b><a href=x>", "<table><tr><td>", "<i><u><x-a>"] {
        page_is_streamed(&pieces.repeat(50_000), "", "");
    }
    // A paragraph in an option of a form is no content.
    page_is_streamed(&"<ul><li><form><select><option>".repeat(50_000), "", "--no-structure");
}

/// Cleans a page with this markup before and after a line of boilerplate, and writes it as a page and as Markdown. Both have
/// the text that stays, and not the line.
#[track_caller]
fn page_is_written(before: &str, after: &str) {
    let sandbox = Sandbox::new();
    write_patterns(&sandbox);
    let [first, last] = [1, 2].map(|number| format!("<p>{}</p>", cleaned(number)));
    sandbox.write("corpus/tide/x.html", format!("{first}{before}<p>{SHARE_LINE}</p>{after}{last}"));
    let parts = |text: &str| text.split(|char: char| !char.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>();
    let words = |text: &str| parts(text).into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
    let expected = words(&[1, 2].map(cleaned).concat());
    for (html, name) in [("page", "x.html"), ("markdown", "x.md")] {
        sandbox.expect(0, &format!("clean corpus -p patterns -o {html} --only accepted --html {html} --quiet"));
        let written = sandbox.read(&format!("{html}/tide/{name}"));
        let text = if html == "page" { dehusk_core::html::visible_text(&written) } else { written };
        assert_eq!(words(&text), expected, "{html}");
    }
}

#[test]
fn a_deep_page_that_is_written_as_a_page_or_as_markdown() {
    for name in ["div", "b", "blockquote", "ul><li"] {
        page_is_written(&format!("<{name}>").repeat(100_000), "");
    }
}

#[test]
fn a_wide_page_that_is_written_as_a_page_or_as_markdown() {
    let share = format!("<div><img src=x><p>{SHARE_LINE}</p></div>");
    for piece in [share.as_str(), "<i></i>", "<table><tr><td></table>"] {
        page_is_written(&piece.repeat(50_000), "");
    }
}

#[test]
fn an_unclosed_page_that_is_written_as_a_page_or_as_markdown() {
    for pieces in ["<div><p><b><a href=''>", "<ul><li><form><select><option>", "<i><u><x-a>", "<section><pre>"] {
        page_is_written(&pieces.repeat(20_000), "");
    }
    let open = "<div><section><p>";
    page_is_written(&format!("{open}{SHARE_LINE}").repeat(20_000), "");
}

#[test]
fn selectors_on_deep_and_wide_pages() {
    let sandbox = Sandbox::new();
    let deep = "<div class='deep x'>".repeat(100_000);
    let wide = format!("<ul class=wide>{}</ul>", "<li class='a b'>Share</li>".repeat(10_000));
    let stories: Vec<String> = (0..5).map(|number| cleaned(number).replace('\n', " ")).collect();
    for (number, story) in stories.iter().enumerate() {
        sandbox.write(
            &format!("corpus/tide/{number}.html"),
            format!("<p class=story>{story}</p>{wide}{deep}<b>Print</b>"),
        );
    }
    sandbox.expect(0, "mine corpus -o mined --quiet");
    let entry = |status: &str, written: &str| {
        format!("  - {{id: '{}', status: {status}, {written}}}\n", written.replace(['\'', ' '], ""))
    };
    let entries =
        [("accepted", "drop: 'ul > li.a, li li'"), ("accepted", "drop: 'div div b'"), ("rejected", "drop: .deep")];
    let entries: String = entries.iter().map(|(status, written)| entry(status, written)).collect();
    let mined = "mined: {documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}";
    sandbox.write("patterns/tide.yaml", format!("dehusk: 1\nsource: tide\n{mined}\npatterns:\n{entries}"));
    sandbox.expect(0, "clean corpus -p patterns -o out --only accepted --quiet");
    for (number, story) in stories.iter().enumerate() {
        assert_eq!(sandbox.read(&format!("out/tide/{number}.txt")).trim(), story.trim());
    }
}

#[test]
fn jsonl_without_a_byte() {
    lines_are_read("", "", "");
}

#[test]
fn blank_lines() {
    let out = format!("\n  \n{}\n", json_line(&cleaned(5)));
    lines_are_read(format!("\n  \n{}\n", json_line(&good(5))), &out, &out);
}

#[test]
#[cfg(unix)]
fn millions_of_blank_lines() {
    let sandbox = sandbox();
    let lines = |text: String| [vec![b'\n'; 10_000_000], json_line(&text).into_bytes()].concat();
    sandbox.write("corpus/x.jsonl.gz", gzip(&lines(good(5))));
    let clean = "clean corpus/x.jsonl.gz -p patterns -o out --quiet --threads 2";
    let limited = "ulimit -v 3000000; exec \"$0\" \"$@\"";
    for arguments in [clean, "stream corpus/x.jsonl.gz --state state -o out.jsonl --quiet --threads 2"] {
        let mut command = std::process::Command::new("sh");
        command
            .current_dir(sandbox.path(""))
            .args(["-c", limited, env!("CARGO_BIN_EXE_dehusk")])
            .args(words(arguments));
        let ended = command.output().expect("a shell");
        assert_eq!(ended.status.code(), Some(0), "{arguments}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    assert!(unpacked(&sandbox.tree("out")["x.jsonl.gz"]) == lines(cleaned(5)));
    assert_eq!(sandbox.read("out.jsonl").lines().count(), 1);
}

#[test]
fn jsonl_with_a_byte_order_mark() {
    let out = json_line(&cleaned(5));
    lines_are_read(format!("\u{feff}{}", json_line(&good(5))), &format!("\u{feff}{out}"), &out);
}

#[test]
fn jsonl_with_the_line_ends_of_windows() {
    let out = json_line(&cleaned(5)).replace('\n', "\r\n");
    lines_are_read(json_line(&good(5)).replace('\n', "\r\n"), &out, &out);
}

#[test]
fn jsonl_whose_last_line_does_not_end() {
    let out = json_line(&cleaned(5));
    lines_are_read(json_line(&good(5)).trim_end(), out.trim_end(), &out);
}

#[test]
fn a_line_that_was_cut_off() {
    let line = br#"{"source": "tide", "text": "The ferry"#;
    line_is_skipped(&[line, &b"\n"[..]].concat(), "", "is not valid JSON: EOF while parsing a string at column 37");
}

#[test]
fn a_line_that_is_no_object() {
    line_is_skipped(b"[1, 2]\n", "", "is not a JSON object");
    line_is_skipped(b"\"text\"\n", "", "is not a JSON object");
}

#[test]
fn a_key_that_stands_twice() {
    let line = br#"{"source": "tide", "text": "a", "text": "b"}"#;
    line_is_skipped(&[line, &b"\n"[..]].concat(), "", "has the key \"text\" twice");
}

#[test]
fn a_text_that_is_no_string() {
    for text in ["5", "[\"a\"]", "{}", "true"] {
        let line = format!("{{\"source\": \"tide\", \"text\": {text}}}\n");
        line_is_skipped(line.as_bytes(), "", "the value of \"text\" is not a string");
    }
}

#[test]
fn a_line_without_text() {
    let message = "has neither \"text\" nor \"html\": are these the right keys?";
    line_is_skipped(b"{\"source\": \"tide\"}\n", "", message);
    line_is_skipped(b"{\"source\": \"tide\", \"text\": null}\n", "", message);
}

#[test]
fn a_line_without_source() {
    for line in ["{\"text\": \"a\"}\n", "{\"source\": null, \"text\": \"a\"}\n"] {
        lines_are_read(line, line, line);
    }
}

#[test]
fn a_source_that_is_no_safe_name() {
    let long = "x".repeat(201);
    for (source, message) in [
        ("../x", "the source name \"../x\" contains '/': remove this character"),
        ("/x", "the source name \"/x\" contains '/': remove this character"),
        ("a\\u0000b", "the source name \"a\\0b\" contains '\\0': remove this character"),
        (&long, &format!("the source name \"{}...\" is too long: shorten it to 200 bytes", "x".repeat(80))),
        ("CON", "the source name \"CON\" is the name of a device on Windows: rename it"),
        ("", "a source name is empty: give the source a name"),
    ] {
        line_is_skipped(format!("{{\"source\": \"{source}\", \"text\": \"a\"}}\n").as_bytes(), "", message);
    }
}

#[test]
fn jsonl_in_utf_16() {
    let bytes: Vec<u8> = format!("\u{feff}{}", json_line(&good(5))).encode_utf16().flat_map(u16::to_le_bytes).collect();
    file_is_skipped("x.jsonl", bytes, "", ": is UTF-16, and JSON and CSV have to be UTF-8: convert it");
}

#[test]
fn a_line_that_is_not_utf_8() {
    let line = b"{\"source\": \"tide\", \"text\": \"a\xff\"}\n";
    line_is_skipped(line, "", "is not valid UTF-8 from byte 30 of the line on");
}

#[test]
fn half_a_surrogate_pair() {
    let line = br#"{"source": "tide", "text": "a \ud800 b"}"#;
    let message = "is not valid JSON: unexpected end of hex escape in the value of \"text\"";
    line_is_skipped(&[line, &b"\n"[..]].concat(), "", message);
}

#[test]
fn a_line_over_the_limit() {
    let line = json_line(&"word ".repeat(1200));
    let message =
        "has 6031 bytes, more than the 4000 that a document may have: split it, or allow more (--max-document)";
    line_is_skipped(line.as_bytes(), "--max-document 4k", message);
}

#[test]
fn json_nested_a_hundred_thousand_times() {
    let nested = |text: &str| {
        let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
        format!("{{\"deep\": {open}{close}, {}", &json_line(text)[1..])
    };
    let out = nested(&cleaned(5));
    lines_are_read(nested(&good(5)), &out, &out);
    let deep_text = format!("{{\"source\": \"tide\", \"text\": {}}}\n", "[".repeat(100_000));
    line_is_skipped(deep_text.as_bytes(), "", "is not valid JSON: expected value at column 100028");
}

// Arrays of JSON and CSV.

/// Cleans a folder with nothing but this file of many documents. Checks the messages, the output, and the output with
/// skipped documents.
#[track_caller]
fn alone(name: &str, bytes: &[u8], options: &str, skipped: &[&str], out: Option<&[u8]>, copied: &[u8]) {
    let sandbox = sandbox();
    sandbox.write(&format!("table/{name}"), bytes);
    for (target, flag, expected) in [("out", "", out), ("copied", "--on-error copy", Some(copied))] {
        let ran = sandbox.run(&format!("clean table -p patterns --quiet -o {target} {flag} {options}"));
        let named: String = skipped.iter().map(|message| format!("skipped: table/{name}{message}\n")).collect();
        let status = if skipped.is_empty() { 0 } else { 3 };
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(status), named.as_str()), "{target}");
        let shown = |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let written = sandbox.tree(target).remove(name);
        assert_eq!(shown(written.as_deref()), shown(expected), "{target}");
    }
}

/// An array with these values.
fn array(values: &[&str]) -> Vec<u8> {
    format!("[\n  {}\n]\n", values.join(",\n  ")).into_bytes()
}

/// A value of an array with a good document, and the cleaned one.
fn value(number: usize) -> [String; 2] {
    [good(number), cleaned(number)].map(|text| json_line(&text).trim_end().to_owned())
}

const HEAD: &str = "id,source,text\r\n";

/// A row with a good document, and the cleaned one.
fn row(number: usize) -> [String; 2] {
    [good(number), cleaned(number)].map(|text| format!("{number},tide,\"{text}\"\r\n"))
}

#[test]
fn tables_and_files_without_an_extension_beside_documents() {
    let sandbox = sandbox();
    for name in ["labels.csv", "settings.json", "README"] {
        sandbox.write(&format!("corpus/{name}"), "[]");
    }
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
    assert!(ran.stderr.contains("1 .csv, 1 .json, 1 without extension"), "{}", ran.stderr);
    assert_eq!(sandbox.tree("out"), good_tree());
}

#[test]
fn a_value_of_an_array_that_is_no_object() {
    let [[first, cleaned], [last, last_cleaned]] = [value(1), value(2)];
    for broken in ["5", "null", "\"a, b]\"", "[1, 2]"] {
        // The values of an array in the array are values too.
        let messages: Vec<String> = match broken {
            "[1, 2]" => [2, 3].map(|number| format!(":{number}: is not a JSON object")).into(),
            _ => vec![":2: is not a JSON object".to_owned()],
        };
        let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
        let copied = array(&[&cleaned, broken, &last_cleaned]);
        let out = match broken {
            "[1, 2]" => format!("[\n  {cleaned},\n  [],\n  {last_cleaned}\n]\n").into_bytes(),
            _ => array(&[&cleaned, &last_cleaned]),
        };
        alone("x.json", &array(&[&first, broken, &last]), "", &messages, Some(&out), &copied);
    }
}

#[test]
fn an_array_that_was_cut_off() {
    let [[first, cleaned], [last, _]] = [value(1), value(2)];
    let whole = array(&[&first, &last]);
    let cut = &whole[..whole.len() - 30];
    let [column, before] = [last.len() - 27, first.len() + 6];
    let message = format!(":2: is not valid JSON: EOF while parsing a string at column {column}");
    let out = format!("[\n  {cleaned}");
    let copied = [out.as_bytes(), &cut[before - 2..]].concat();
    alone("x.json", cut, "", &[&message], Some(out.as_bytes()), &copied);
}

#[test]
fn a_value_over_the_limit() {
    let [[first, cleaned], [last, last_cleaned]] = [value(1), value(2)];
    let long = json_line(&"far ".repeat(1000));
    let long = long.trim_end();
    let message = |number| {
        format!(
            ":{number}: has {} bytes, more than the 1000 that a document may have: split it, or allow more (--max-document)",
            long.len() + 4
        )
    };
    let (middle, start) = (message(2), message(1));
    let options = "--max-document 1000";
    let copied = array(&[&cleaned, long, &last_cleaned]);
    let out = array(&[&cleaned, &last_cleaned]);
    alone("x.json", &array(&[&first, long, &last]), options, &[&middle], Some(&out), &copied);
    let out = format!("[\n  {last_cleaned}\n]\n");
    alone("x.json", &array(&[long, &last]), options, &[&start], Some(out.as_bytes()), &array(&[long, &last_cleaned]));
}

#[test]
fn an_array_in_utf_16() {
    let bytes: Vec<u8> = "\u{feff}[]".encode_utf16().flat_map(u16::to_le_bytes).collect();
    alone("x.json", &bytes, "", &[": is UTF-16, and JSON and CSV have to be UTF-8: convert it"], None, &bytes);
}

#[test]
fn csv_without_a_byte() {
    alone("x.csv", b"", "", &[], Some(b""), b"");
}

#[test]
fn csv_with_a_byte_order_mark_and_the_line_ends_of_windows() {
    let [read, written] = row(1).map(|row| format!("\u{feff}{HEAD}{row}\r\n").into_bytes());
    alone("x.csv", &read, "", &[], Some(&written), &written);
}

#[test]
fn csv_without_a_column_of_texts() {
    let message = ": has neither a column \"text\" nor a column \"html\" (its columns: \"id\", \"n\"): name the right one with \
                   --text-key or --html-key";
    alone("x.csv", b"id,n\n1,2\n", "", &[message], None, b"id,n\n1,2\n");
}

#[test]
fn a_column_that_csv_has_twice() {
    alone("x.csv", b"text,text\na,b\n", "", &[": has the key \"text\" twice"], None, b"text,text\na,b\n");
}

/// A broken row between good ones is named and left out, or copied if that is requested.
#[track_caller]
fn row_is_skipped(broken: &[u8], message: &str) {
    let [[first, cleaned], [last, last_cleaned]] = [row(1), row(2)];
    let read = [HEAD.as_bytes(), first.as_bytes(), broken, last.as_bytes()].concat();
    let out = [HEAD, &cleaned, &last_cleaned].concat();
    let copied = [HEAD.as_bytes(), cleaned.as_bytes(), broken, last_cleaned.as_bytes()].concat();
    alone("x.csv", &read, "", &[&format!(":3: {message}")], Some(out.as_bytes()), &copied);
}

#[test]
fn a_row_with_more_or_fewer_fields() {
    let remedy = "put values with the delimiter or a line break into double quotes";
    row_is_skipped(b"a,b,c,d\r\n", &format!("has 4 fields, and the table has 3 columns: {remedy}"));
    row_is_skipped(b"a\n", &format!("has 1 fields, and the table has 3 columns: {remedy}"));
}

#[test]
fn a_row_that_is_not_utf_8() {
    row_is_skipped(b"a,tide,\xff\n", "is not valid UTF-8 from byte 8 of the line on");
}

#[test]
fn a_quote_that_is_never_closed() {
    let [first, cleaned] = row(1);
    let rest = format!("2,tide,\"{SHARE_LINE}\n3,tide,a\n");
    let [read, out] = [first + &rest, format!("{cleaned}2,tide,\"3,tide,a\"\n")].map(|rows| format!("{HEAD}{rows}"));
    alone("x.csv", read.as_bytes(), "", &[], Some(out.as_bytes()), out.as_bytes());
}

// Compressed files.

/// Lines that are longer than the buffer of a decompressor.
fn many_lines() -> String {
    let mut story = Story(1);
    (0..3000).map(|_| json_line(&format!("{}\n{SHARE_LINE}\n", story.paragraph()))).collect()
}

/// A file that is cut in the middle of its compressed data ends after some lines.
#[track_caller]
fn lines_break_off(name: &str, packed: &[u8], error: &str) {
    let sandbox = sandbox();
    let bytes = &packed[..packed.len() * 2 / 3];
    sandbox.write(&format!("corpus/{name}"), bytes);
    let ran = clean(&sandbox, "-o out");
    let out = unpacked(&sandbox.tree("out")[name]);
    let lines: Vec<&[u8]> = out.split_inclusive(|&byte| byte == b'\n').collect();
    assert!(lines.len() > 500 && !String::from_utf8_lossy(&out).contains(SHARE_LINE), "{} lines", lines.len());
    let message = format!("cannot be read after record {}: {error}", lines.len());
    assert_eq!((ran.status, ran.stderr), (Some(3), format!("skipped: corpus/{name}: {message}\n")));
    let readable: String = many_lines().split_inclusive('\n').take(lines.len()).collect();
    let packed = if name.ends_with("gz") { gzip(readable.as_bytes()) } else { zstd(readable.as_bytes()) };
    file_breaks_off(name, bytes.to_vec(), &packed, &format!(": {message}"));
}

#[test]
fn a_document_in_gzip_that_was_cut_off() {
    let bytes = gzip(good(5).as_bytes())[..60].to_vec();
    file_is_skipped("odd/x.txt.gz", bytes, "", ": its compressed data are damaged: incomplete deflate stream");
}

#[test]
fn jsonl_in_gzip_that_was_cut_off() {
    let packed = gzip(many_lines().as_bytes());
    lines_break_off("x.jsonl.gz", &packed, "incomplete deflate stream");
    let message = ": cannot be read after record 0: unexpected end of file";
    file_is_skipped("x.jsonl.gz", packed[..5].to_vec(), "", message);
}

#[test]
fn gzip_with_a_wrong_checksum() {
    let wrong = |bytes: &[u8]| {
        let mut packed = gzip(bytes);
        let place = packed.len() - 6;
        packed[place] ^= 1;
        packed
    };
    let what = "corrupt gzip stream does not have a matching checksum";
    let message = format!(": its compressed data are damaged: {what}");
    file_is_skipped("odd/x.txt.gz", wrong(good(5).as_bytes()), "", &message);
    let lines = json_line(&good(5));
    let message = format!(": cannot be read after record 1: {what}");
    file_breaks_off("x.jsonl.gz", wrong(lines.as_bytes()), &gzip(lines.as_bytes()), &message);
}

#[test]
fn gzip_with_something_else_behind() {
    let behind = |bytes: &[u8]| [gzip(bytes), b"garbage".to_vec()].concat();
    let what = "the data after the gzip data are not gzip";
    let message = format!(": its compressed data are damaged: {what}");
    file_is_skipped("odd/x.txt.gz", behind(good(5).as_bytes()), "", &message);
    let lines = json_line(&good(5));
    let message = format!(": cannot be read after record 1: {what}");
    file_breaks_off("x.jsonl.gz", behind(lines.as_bytes()), &gzip(lines.as_bytes()), &message);
}

#[test]
fn zeros_behind_gzip() {
    let (before, after) = (json_line(&good(5)), json_line(&cleaned(5)));
    let bytes = [gzip(before.as_bytes()), vec![0; 100]].concat();
    let out = Some(well("x.jsonl.gz", &gzip(before.as_bytes())).0);
    Case { name: "x.jsonl.gz", bytes, out: out.clone(), copied: out, lines: after, ..Case::default() }.try_out();
}

#[test]
fn a_gz_file_that_is_plain() {
    let (before, after) = (json_line(&good(5)), json_line(&cleaned(5)));
    let out = Some(after.clone().into_bytes());
    let bytes = before.into_bytes();
    Case { name: "x.jsonl.gz", bytes, out: out.clone(), copied: out, lines: after, ..Case::default() }.try_out();
}

#[test]
fn a_plain_name_that_holds_gzip() {
    for pack in [gzip, zstd] {
        let (out, lines) = well("x.jsonl", &pack(json_line(&good(5)).as_bytes()));
        assert_eq!((unpacked(&out), lines.as_str()), (json_line(&cleaned(5)).into_bytes(), &*json_line(&cleaned(5))));
        assert_eq!(out[..2], pack(b"")[..2], "it is compressed as before");
        let (out, _) = well("odd/x.txt", &pack(good(5).as_bytes()));
        assert_eq!(unpacked(&out), cleaned(5).into_bytes());
    }
}

#[test]
fn zstandard_that_was_cut_off() {
    let packed = zstd(good(5).as_bytes());
    let bytes = packed[..packed.len() - 10].to_vec();
    file_is_skipped("odd/x.txt.zst", bytes, "", ": its compressed data are damaged: incomplete frame");
    lines_break_off("x.jsonl.zst", &zstd(many_lines().as_bytes()), "incomplete frame");
}

const BOMB: &str =
    ": has more bytes than the 1000000 that a document may have: split it, or allow more (--max-document)";

#[test]
fn a_gzip_bomb() {
    file_is_skipped("odd/x.txt.gz", gzip(&vec![b'a'; 20_000_000]), "--max-document 1M", BOMB);
}

#[test]
fn a_zstandard_bomb() {
    file_is_skipped("odd/x.txt.zst", zstd(&vec![b'a'; 20_000_000]), "--max-document 1M", BOMB);
}

#[test]
fn zstandard_with_a_long_window() {
    let packed = |text: String| {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("an encoder");
        encoder.window_log(31).expect("a window");
        std::io::Write::write_all(&mut encoder, text.as_bytes()).expect("written");
        encoder.finish().expect("finished")
    };
    let sandbox = sandbox();
    sandbox.write("corpus/odd/x.txt", packed(good(5)));
    sandbox.write("corpus/x.jsonl", packed(json_line(&good(5))));
    assert_eq!(clean(&sandbox, "-o out").stderr, "");
    let out = sandbox.tree("out");
    assert_eq!(unpacked(&out["odd/x.txt"]), cleaned(5).into_bytes());
    assert_eq!(unpacked(&out["x.jsonl"]), json_line(&cleaned(5)).into_bytes());
}

#[test]
fn a_bomb_in_a_line() {
    let [before, after] = [1, 2].map(|number| json_line(&good(number)).into_bytes());
    let bytes = gzip(&[before, vec![b'a'; 20_000_000], b"\n".to_vec(), after].concat());
    let lines = json_line(&cleaned(1)) + &json_line(&cleaned(2));
    let around = gzip((json_line(&good(1)) + &json_line(&good(2))).as_bytes());
    let message = ":2: has 20000001 bytes, more than the 1000000 that a document may have: split it, or allow more \
                   (--max-document)";
    Case {
        name: "x.jsonl.gz",
        options: "--max-document 1M",
        skipped: vec![message],
        out: Some(well("x.jsonl.gz", &around).0),
        copied: Some(bytes.clone()),
        bytes,
        lines,
    }
    .try_out();
    let sandbox = sandbox();
    sandbox.write("corpus/x.jsonl.gz", gzip(&[vec![b'a'; 2000], b"\n".to_vec()].concat()));
    let ran = sandbox.expect(3, "clean corpus -p patterns -o out --max-document 1k --on-error copy");
    ran.says("warning: corpus/x.jsonl.gz: copied unchanged, because its broken part cannot");
}

#[test]
fn broken_input_on_stdin() {
    let [before, after] = [1, 2].map(|number| json_line(&good(number)));
    let broken = [gzip((before + &after).as_bytes()), b"garbage".to_vec()].concat();
    let sandbox = sandbox();
    for flag in ["", "--on-error copy"] {
        let command = sandbox.command(&format!("clean - -p patterns -o out --quiet {flag}"));
        let output = assert_cmd::Command::from_std(command).write_stdin(broken.clone()).output().expect("it starts");
        assert_eq!(output.status.code(), Some(3));
        let message = "skipped: -: cannot be read after record 2: the data after the gzip data are not gzip\n";
        assert_eq!(String::from_utf8_lossy(&output.stderr), message);
        assert_eq!(sandbox.read("out/stdin.jsonl"), json_line(&cleaned(1)) + &json_line(&cleaned(2)));
        fs::remove_dir_all(sandbox.path("out")).expect("removed");
    }
}

// WARC.

#[test]
fn garbage_between_warc_records() {
    let [before, after] = warc();
    let message = ":2: a WARC record must start here, but there is \"some garbage\": get the file again if it \
                   is damaged";
    stretch_is_skipped("x.warc", [&before, &after], b"some garbage\r\n\r\n", message);
}

#[test]
fn garbage_without_a_line_end_in_warc() {
    let [before, after] = warc();
    let message = ":2: a WARC record must start here, but there is \"xWARC/1.0\": get the file again if it is damaged";
    stretch_is_skipped("x.warc", [&before, &after], b"x", message);
}

#[test]
fn a_warc_record_of_a_wrong_length() {
    let [before, after] = warc();
    let fields = "WARC-Type: conversion\r\nWARC-Target-URI: https://tide/\r\nContent-Type: text/plain";
    let wrong = |length: &str| record_of_length(fields, &format!("Content-Length: {length}\r\n"), good(5).as_bytes());
    let damaged = "of its Content-Length: get the file again if it is damaged";
    for length in ["50", "300"] {
        let message = format!(":2: the WARC record does not end after the {length} bytes {damaged}");
        stretch_is_skipped("x.warc", [&before, &after], &wrong(length), &message);
    }
    let message = ":2: the WARC record has the Content-Length \"-5\": set it to a number of bytes";
    stretch_is_skipped("x.warc", [&before, &after], &wrong("-5"), message);
    let message = ":2: the WARC record has no Content-Length: write the file with a tool that sets it";
    stretch_is_skipped("x.warc", [&before, &after], &record_of_length(fields, "", good(5).as_bytes()), message);
}

#[test]
fn a_last_warc_record_that_was_cut_off() {
    let [before, after] = warc();
    let message = ":2: the WARC record is cut off: get the file again if it should be complete";
    for end in [40, after.len() - 60] {
        let bytes = [&before, &after[..end]].concat();
        file_breaks_off("x.warc", bytes, &before, message);
    }
}

#[test]
fn compressed_warc_that_was_cut_off() {
    let [before, after] = warc().map(|record| gzip(&record));
    let sandbox = sandbox();
    sandbox.write("corpus/x.warc.gz", [&before, &after[..after.len() - 20]].concat());
    let ran = clean(&sandbox, "-o out");
    let message = "cannot be read after record 1: incomplete deflate stream";
    assert_eq!((ran.status, ran.stderr), (Some(3), format!("skipped: corpus/x.warc.gz:2: {message}\n")));
    let [first, _] = WARC.map(|number| conversion("https://tide/", &cleaned(number)));
    let (out, first) = (unpacked(&sandbox.tree("out")["x.warc.gz"]), first.len());
    assert!(out.len() >= first && String::from_utf8_lossy(&out).contains(&cleaned(WARC[0])));
}

#[test]
fn a_page_in_warc_with_bad_chunks() {
    let fields = "Transfer-Encoding: chunked\r\n";
    // A body that is not chunked is read unchanged, whatever its header says.
    record_is_read_as(response("https://tide/", fields, html(5).as_bytes()), cleaned(5).trim_end());
    let body = html(5);
    let (first, rest) = body.split_at(40);
    // A body that was cut off in a chunk is read up to there.
    let cut = format!("28\r\n{first}\r\nffff\r\n{rest}");
    record_is_read_as(response("https://tide/", fields, cut.as_bytes()), cleaned(5).trim_end());
}

#[test]
fn a_page_in_warc_that_is_not_packed_as_it_says() {
    for coding in ["gzip", "br", "deflate", "zstd", "nonsense"] {
        let fields = format!("Content-Encoding: {coding}\r\n");
        record_is_read_as(response("https://tide/", &fields, html(5).as_bytes()), cleaned(5).trim_end());
    }
}

#[test]
fn a_page_in_warc_of_an_unknown_charset() {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=klingon\r\n\r\n{}", html(5));
    let fields = "WARC-Type: response\r\nWARC-Target-URI: https://tide/\r\nContent-Type: application/http";
    record_is_read_as(record(fields, block.as_bytes()), cleaned(5).trim_end());
}

#[test]
fn a_page_in_warc_of_another_charset_than_it_says() {
    let mut page = html(5).into_bytes();
    page.extend(b"<p>Caf\xe9</p>");
    let block = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".as_slice(), &page].concat();
    let fields = "WARC-Type: response\r\nWARC-Target-URI: https://tide/\r\nContent-Type: application/http";
    record_is_read_as(record(fields, &block), &format!("{}Café", cleaned(5)));
}

#[test]
fn a_warc_record_without_address() {
    let [before, after] = warc();
    let broken = record("WARC-Type: conversion\r\nContent-Type: text/plain", good(5).as_bytes());
    let (out, lines) = well("x.warc", &[&before[..], &after].concat());
    let copied = [&well("x.warc", &before).0, &broken, &well("x.warc", &after).0].map(Vec::as_slice).concat();
    let bytes = [before, broken, after].concat();
    let message = ":2: has no WARC-Target-URI to name its source: put the file into a folder named after its source, or \
                   remove the record";
    let (out, copied) = (Some(out), Some(copied));
    Case { name: "x.warc", bytes, skipped: vec![message], out, copied, lines, options: "" }.try_out();
}

#[test]
fn a_file_named_warc_that_is_none() {
    let bytes = good(5).into_bytes();
    let message = ":1: a WARC record must start here, but there is \"Boat 5 sailed at dawn and came b\": get the \
                   file again if it is damaged";
    let (out, copied) = (Some(Vec::new()), Some(bytes.clone()));
    Case { name: "x.warc", bytes, skipped: vec![message], out, copied, ..Case::default() }.try_out();
}

// Parquet.

#[cfg(feature = "parquet")]
fn good_table() -> Vec<u8> {
    let row = |number| vec![Some("tide".to_owned()), Some(good(number))];
    super::tables::table(&["source", "text"], &[row(7), row(8)])
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_that_was_cut_off() {
    let table = good_table();
    let message = ": is not Parquet, or is damaged (Invalid Parquet file. Corrupt footer): get it again";
    file_is_skipped("x.parquet", table[..table.len() - 20].to_vec(), "", message);
    let message = ": is not Parquet, or is damaged (it does not have 4 bytes from byte 0 on): get it again";
    file_is_skipped("x.parquet", Vec::new(), "", message);
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_that_is_none() {
    let message = ": is not Parquet, or is damaged (Invalid Parquet file. Corrupt footer): get it again";
    file_is_skipped("x.parquet", good(5).into_bytes(), "", message);
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_with_damaged_data() {
    let text = good_table().windows(4).position(|bytes| bytes == b"Boat").expect("a text");
    // The header of the first page, and the header of the texts.
    for damaged in [4..60, text - 24..text - 4] {
        let mut table = good_table();
        table[damaged].fill(0xff);
        let sandbox = sandbox();
        sandbox.write("corpus/x.parquet", &table);
        for (flag, copied) in [("", None), ("--on-error copy", Some(table))] {
            let ran = clean(&sandbox, &format!("-o out {flag}"));
            assert_eq!((ran.status, ran.stderr.lines().count()), (Some(3), 1), "{}", ran.stderr);
            let message = "skipped: corpus/x.parquet: is not Parquet, or is damaged (";
            assert!(ran.stderr.starts_with(message), "{}", ran.stderr);
            let mut tree = sandbox.tree("out");
            assert!(tree.remove("x.parquet") == copied);
            assert_eq!(tree, good_tree());
        }
    }
}

#[test]
#[cfg(feature = "parquet")]
fn a_parquet_column_of_another_type() {
    let table =
        super::tables::table_of("required int32 text; required binary source (UTF8);", |writer, column| match column {
            0 => drop(writer.typed::<parquet::data_type::Int32Type>().write_batch(&[1, 2], None, None)),
            _ => {
                let sources = ["tide".into(), "tide".into()];
                drop(writer.typed::<parquet::data_type::ByteArrayType>().write_batch(&sources, None, None));
            }
        });
    file_is_skipped(
        "x.parquet",
        table,
        "",
        ": the column \"text\" is a column of type INT32, not a column of strings: name another column",
    );
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_without_a_column_of_texts() {
    let table = super::tables::table(&["source", "body"], &[vec![Some("tide".into()), Some(good(5))]]);
    let message = ": has neither a column \"text\" nor a column \"html\" (its columns: \"source\", \"body\"): name \
                   the right one with --text-key or --html-key";
    file_is_skipped("x.parquet", table, "", message);
}

#[test]
#[cfg(feature = "parquet")]
fn a_parquet_row_without_text() {
    use super::tables::{column, table};
    let row = |text: Option<String>| vec![Some("tide".to_owned()), text];
    let bytes = table(&["source", "text"], &[row(Some(good(7))), row(None), row(Some(good(8)))]);
    let sandbox = sandbox();
    sandbox.write("corpus/x.parquet", bytes);
    let cleaned = |number| Some(cleaned(number));
    for (flag, texts) in [("", vec![cleaned(7), cleaned(8)]), ("--on-error copy", vec![cleaned(7), None, cleaned(8)])] {
        let ran = clean(&sandbox, &format!("-o out {flag}"));
        let message = ":2: has neither \"text\" nor \"html\": are these the right keys?";
        assert_eq!((ran.status, ran.stderr), (Some(3), format!("skipped: corpus/x.parquet{message}\n")));
        assert_eq!(column(&sandbox.tree("out")["x.parquet"], "text"), texts);
    }
}

// Pattern files.

#[test]
fn a_broken_pattern_file() {
    let good_one = patterns("tide", "");
    for (broken, message) in [
        (good_one.replace("status", "statsu"), "patterns/tide.yaml:6: pattern share: unknown field `statsu`"),
        (good_one.replace("Share this", "(Share this"), "pattern share: its regex does not compile"),
        (format!("{good_one}  : :\n["), "patterns/tide.yaml:"),
        (String::new(), "patterns/tide.yaml:1: unexpected end of input"),
    ] {
        let sandbox = sandbox();
        sandbox.write("patterns/tide.yaml", broken);
        for target in ["out", "-"] {
            let ran = sandbox.expect(1, &format!("clean corpus -p patterns -o {target} --on-error copy"));
            ran.says(message).says("error: 1 of 1 pattern files cannot be used; nothing was done");
            assert_eq!(ran.stdout, "");
        }
        assert!(!sandbox.path("out").exists());
    }
}

#[test]
fn a_broken_pattern_file_of_another_source() {
    let sandbox = sandbox();
    sandbox.write("patterns/odd.yaml", "none");
    sandbox.expect(0, "clean corpus -p patterns -o out");
    assert_eq!(sandbox.tree("out"), good_tree());
    sandbox.write("x.jsonl", json_line(&good(5)));
    let ran = sandbox.expect(1, "clean x.jsonl -p patterns -o -");
    ran.says("patterns/odd.yaml:1: ").says("error: 1 of 2 pattern files cannot be used; nothing was done");
}

/// Every command that reads pattern files refuses this one, without waiting.
#[track_caller]
fn assert_refused_by_all(sandbox: &Sandbox, message: &str) {
    for arguments in [
        "clean corpus -p patterns -o out",
        "mine corpus -o patterns",
        "diff patterns patterns",
        "review corpus -p patterns --report report.html",
        "explain corpus/tide/0.txt -p patterns",
        "fields corpus -p patterns -o fields.jsonl",
    ] {
        sandbox.expect(1, arguments).says(message);
    }
    let checked = sandbox.expect(1, "check patterns");
    assert!(checked.stdout.contains(message), "{checked:?}");
}

#[test]
fn a_pattern_file_with_aliases() {
    let sandbox = sandbox();
    let bomb = (1..9).fold("- &a0 x".to_owned(), |bomb, n| bomb + &format!("\n- &a{n} [{}]", ["*a0"; 9].join(",")));
    for (aliased, line) in [
        (patterns("tide", "  note: &a dull\n- {id: b, regex: b, example: b, note: *a}\n"), 10),
        (patterns("tide", "- &a {id: b, regex: b, example: b}\n- *a\n"), 10),
        (format!("{bomb}\n"), 1),
    ] {
        sandbox.write("patterns/tide.yaml", aliased);
        let message =
            if line == 1 { "patterns/tide.yaml:1" } else { "there is an alias (*name) here, and pattern files" };
        assert_refused_by_all(&sandbox, message);
        sandbox.expect(1, "clean corpus -p patterns -o out").says(&format!("patterns/tide.yaml:{line}"));
    }
}

#[test]
#[cfg(unix)]
fn a_named_pipe_among_pattern_files() {
    for is_linked in [false, true] {
        let sandbox = sandbox();
        sandbox.write("corpus/x/1.txt", good(5));
        let pipe = sandbox.path(if is_linked { "pipe" } else { "patterns/x.yaml" });
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        if is_linked {
            std::os::unix::fs::symlink(pipe, sandbox.path("patterns/x.yaml")).expect("a link");
        }
        assert_refused_by_all(
            &sandbox,
            "patterns/x.yaml: it cannot be read: it is not a regular file, but a named pipe: move it elsewhere",
        );
    }
}

#[test]
fn a_source_without_pattern_file() {
    let sandbox = sandbox();
    let other = good(5).replace('\n', "\r\n");
    sandbox.write("corpus/other/x.txt", &other);
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
    let message = "there is no pattern file for source 'other'; its documents are copied unchanged";
    assert_eq!(ran.stderr, format!("warning: {message}\n"));
    assert_eq!(sandbox.read("out/other/x.txt"), other);
}

#[test]
fn a_file_that_is_named_alone() {
    let sandbox = Sandbox::new();
    let write = |source: &str| sandbox.write(&format!("patterns/{source}.yaml"), patterns(source, ""));
    write("tide.example");
    sandbox.write("corpus/downloads/a.txt", good(0));
    sandbox.write("corpus/tide.example/2024/a.txt", good(1));
    let clean = |path: &str| sandbox.expect(0, &format!("clean {path} -p patterns -o out --force"));
    let alone = "; \"corpus/downloads/a.txt\" was named alone, so its folder names its source: ";
    let ran = clean("corpus/downloads/a.txt");
    ran.says(&format!("no pattern file for source 'downloads'; its documents are copied unchanged{alone}"));
    ran.says("if it is of 'tide.example', the only source with patterns, put it into a folder of this name");
    let ran = clean("corpus/tide.example/2024/a.txt");
    ran.says("no pattern file for source '2024'");
    ran.says("/corpus\" instead, where its source is 'tide.example'");
    assert!(!clean("corpus").stderr.contains("named alone"));
    write("gale.example");
    clean("corpus/downloads/a.txt").says(&format!("{alone}put it into a folder that is named after its source"));
}

#[test]
fn a_regex_that_gives_up() {
    let slow = "- id: slow\n  status: accepted\n  regex: '(?:(?=a)a|aa)+$x'\n  example: 'x'\n";
    let sandbox = sandbox();
    sandbox.write("patterns/odd.yaml", patterns("odd", slow));
    let bytes = format!("{}!\n", "a".repeat(5000));
    sandbox.write("corpus/odd/x.txt", &bytes);
    let message = ": pattern slow: Error executing regex: Max limit for backtracking count exceeded; make the regex \
                   simpler, or reject the pattern";
    let copied = Some(bytes.into_bytes());
    Case { name: "odd/x.txt", skipped: vec![message], copied, ..Case::default() }.try_in(&sandbox);
}

// Output.

#[test]
#[cfg(unix)]
fn a_file_larger_than_allowed() {
    let sandbox = sandbox();
    sandbox.write("corpus/odd/x.txt", good(5).repeat(2000));
    let mut command = std::process::Command::new("sh");
    let limited = "ulimit -f 64; exec \"$0\" \"$@\"";
    command.current_dir(sandbox.path("")).args(["-c", limited, env!("CARGO_BIN_EXE_dehusk")]);
    let ended = command.args(words("clean corpus -p patterns -o out --quiet")).output().expect("a shell");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot write \"out/odd/x.txt\": File too large"), "{stderr}");
    sandbox.write("all.jsonl", json_line(&good(5).repeat(2000)));
    let mut command = std::process::Command::new("sh");
    command.current_dir(sandbox.path("")).args(["-c", limited, env!("CARGO_BIN_EXE_dehusk")]);
    let ended = command.args(words("clean all.jsonl -p patterns -o lines --quiet")).output().expect("a shell");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot write \"lines/all.jsonl\": File too large"), "{stderr}");
}

#[test]
#[cfg(unix)]
fn an_output_name_that_is_too_long() {
    let sandbox = sandbox();
    let name = format!("{}.txt", "x".repeat(246));
    sandbox.write(&format!("corpus/odd/{name}"), good(5));
    let ran = clean(&sandbox, "-o out --spans");
    assert_eq!(ran.status, Some(3));
    let message = format!(
        "skipped: corpus/odd/{name}: would be written to \"odd/{name}.jsonl\", and this name is too long there"
    );
    assert!(ran.stderr.starts_with(&message), "{}", ran.stderr);
    assert_eq!(sandbox.tree("out").len(), GOOD.len());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let sandbox = sandbox();
    let Some(_disk) = super::output::SmallDisk::mount(sandbox.path("out")) else {
        eprintln!("notice: no file system can be mounted here; a full disk is not tried");
        return;
    };
    let before = sandbox.tree("corpus");
    (0..60).for_each(|number| sandbox.write(&format!("corpus/odd/{number}.txt"), good(number).repeat(40)));
    let ran = sandbox.expect(1, "clean corpus -p patterns -o out");
    ran.says("error: cannot write \"out/").says("No space left on device");
    assert!(!ran.stderr.contains(".dehusk"), "a temporary file is nobody's: {}", ran.stderr);
    let cleaned_odd = |name: &str| {
        let number = name.strip_prefix("odd/").and_then(|name| name.strip_suffix(".txt"));
        cleaned(number.and_then(|number| number.parse().ok()).expect("a number")).repeat(40)
    };
    for (name, bytes) in sandbox.tree("out") {
        let expected = good_tree().remove(&name).unwrap_or_else(|| cleaned_odd(&name).into_bytes());
        assert!(bytes == expected, "{name} is whole");
    }
    assert!(before.iter().all(|(name, bytes)| sandbox.tree("corpus")[name] == *bytes));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_stdout() {
    let full = fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let sandbox = sandbox();
    let mut command = sandbox.command("clean corpus -p patterns -o - --quiet");
    let output = command.stdout(full).output().expect("it starts");
    let message = "error: cannot write to stdout: No space left on device (os error 28)\n";
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(1), message));
}

#[test]
fn a_closed_pipe() {
    use std::process::Stdio;
    let sandbox = sandbox();
    sandbox.write("corpus/x.jsonl", json_line(&good(5)).repeat(5000));
    let mut command = sandbox.command("clean corpus -p patterns -o - --quiet");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
}

// States of streams.

const FIRST: std::ops::Range<usize> = 0..6;

/// A stream that has learned from some lines: `in.jsonl`, `state` and `out.jsonl`.
fn learned() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", stream_lines(FIRST));
    sandbox.expect(0, STREAM);
    sandbox
}

const STREAM: &str = "stream in.jsonl --state state -o out.jsonl --quiet";

fn stream_lines(numbers: std::ops::Range<usize>) -> String {
    numbers.map(|number| json_line(&page(number, 1))).collect()
}

/// More input comes, and the run is refused with this message. After the old state is restored, the run continues
/// normally.
#[track_caller]
fn state_is_refused(spoil: impl Fn(&Sandbox), message: &str) {
    let all = stream_lines(FIRST.start..FIRST.end + 6);
    let [spoilt, undisturbed] = [learned(), learned()];
    for sandbox in [&spoilt, &undisturbed] {
        sandbox.write("in.jsonl", &all);
    }
    let (state, before) = (fs::read(spoilt.path("state")).expect("a state"), spoilt.tree(""));
    spoil(&spoilt);
    let ran = spoilt.expect(1, STREAM);
    assert!(ran.stderr.starts_with(message) && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    assert!(spoilt.read("out.jsonl").as_bytes() == before["out.jsonl"], "nothing is written");
    spoilt.write("state", state);
    for sandbox in [&spoilt, &undisturbed] {
        sandbox.expect(0, STREAM);
    }
    assert!(spoilt.read("out.jsonl") == undisturbed.read("out.jsonl"));
}

#[test]
fn a_state_that_is_something_else() {
    for other in [&b"harbour"[..], &[0; 100_000], stream_lines(0..90).as_bytes()] {
        state_is_refused(
            |sandbox| sandbox.write("state", other),
            "error: state: is not a state of a stream: name another",
        );
    }
}

#[test]
fn a_state_that_was_cut_off() {
    let cut = |sandbox: &Sandbox| {
        let state = fs::read(sandbox.path("state")).expect("a state");
        sandbox.write("state", &state[..state.len() / 2]);
    };
    state_is_refused(cut, "error: state: is damaged (its parts do not fit together): restore it from a backup");
}

#[test]
fn a_state_with_bytes_that_are_not_its_own() {
    let damage = |sandbox: &Sandbox| {
        let mut state = fs::read(sandbox.path("state")).expect("a state");
        state[4096..16384].fill(0xa5);
        sandbox.write("state", state);
    };
    state_is_refused(damage, "error: state: is damaged (");
}

/// The database never panics, not even with a panic that is caught and printed.
#[test]
fn a_state_with_a_flipped_bit() {
    let sandbox = sandbox();
    sandbox.expect(0, "stream corpus -s whole -o out.jsonl");
    let whole = fs::read(sandbox.path("whole")).expect("a state");
    let places = (0..320).step_by(8).chain((4096..whole.len().min(200_000)).step_by(4093));
    for place in places {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        sandbox.write("state", damaged);
        for command in ["state show state", "mine --from-state state -o mined --quiet"] {
            let ran = sandbox.run(command);
            assert!(matches!(ran.status, Some(0 | 1)), "{place}: {ran:?}");
            assert!(!ran.stderr.contains("panicked"), "{place}: {ran:?}");
        }
        fs::remove_file(sandbox.path("state")).expect("a state");
    }
}

#[test]
#[cfg(unix)]
fn a_named_pipe_in_place_of_a_manifest() {
    let sandbox = sandbox();
    sandbox.expect(0, "clean corpus -p patterns -o out");
    let manifest = sandbox.path("out/.dehusk/manifest.jsonl");
    fs::remove_file(&manifest).expect("a manifest");
    assert!(std::process::Command::new("mkfifo").arg(&manifest).status().expect("mkfifo").success());
    sandbox.expect(1, "clean corpus -p patterns -o out --resume").says("is not a manifest of dehusk: move it away");
}

/// Runs that continue from other content of a journal end like an undisturbed run.
fn continued_from(others: impl Fn(&[u8]) -> Vec<Vec<u8>>) {
    let sandbox = Sandbox::new();
    (0..3).for_each(|source| sandbox.write_pages(&format!("s{source}"), 100 * source..100 * source + 8));
    sandbox.expect(0, "mine corpus -o undisturbed --quiet");
    // The pattern files cannot be written, so what was mined is kept.
    sandbox.write("patterns/.dehusk/written.jsonl", "my notes\n");
    sandbox.expect(1, "mine corpus -o patterns --quiet");
    let journal = fs::read(sandbox.path("patterns/.dehusk/mining.journal")).expect("a journal");
    for (number, other) in others(&journal).into_iter().enumerate() {
        fs::remove_dir_all(sandbox.path("patterns")).expect("a folder");
        sandbox.write("patterns/.dehusk/mining.journal", other);
        let ran = sandbox.expect(0, "mine corpus -o patterns --resume --quiet");
        assert_eq!(ran.stderr, "", "{number}");
        assert!(sandbox.tree("patterns") == sandbox.tree("undisturbed"), "{number}");
        assert!(!sandbox.path("patterns/.dehusk/mining.journal").exists(), "{number}");
    }
}

#[test]
fn a_journal_of_mining_that_is_cut_off() {
    continued_from(|journal| (0..8).map(|part| journal[..journal.len() * part / 8].to_vec()).collect());
}

#[test]
fn a_journal_of_mining_that_is_damaged() {
    continued_from(|journal| {
        let damaged = |part: usize| {
            let mut damaged = journal.to_vec();
            damaged[journal.len() * part / 8] ^= 1;
            damaged
        };
        (0..8).map(damaged).collect()
    });
}

#[test]
#[cfg(unix)]
fn a_named_pipe_in_place_of_a_journal_of_mining() {
    let sandbox = sandbox();
    let journal = sandbox.path("mined/.dehusk/mining.journal");
    fs::create_dir_all(sandbox.path("mined/.dehusk")).expect("a folder");
    assert!(std::process::Command::new("mkfifo").arg(&journal).status().expect("mkfifo").success());
    for resume in ["", "--resume"] {
        let ran = sandbox.expect(1, &format!("mine corpus -o mined {resume}"));
        ran.says("is not a journal of dehusk: move it away");
    }
}

#[test]
#[cfg(unix)]
fn a_link_in_place_of_a_manifest_or_a_record() {
    let sandbox = sandbox();
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    for (name, what) in [("manifest.jsonl", "manifest"), ("manifest.lock", "manifest"), ("written.jsonl", "record")] {
        let (place, kept) = (sandbox.path(&format!("out/.dehusk/{name}")), sandbox.path("kept"));
        fs::rename(&place, &kept).expect("a file");
        sandbox.write("theirs", "");
        std::os::unix::fs::symlink(sandbox.path("theirs"), &place).expect("a link");
        let ran = sandbox.expect(1, "clean corpus -p patterns -o out");
        ran.says(&format!("{name}\" is not a {what} of dehusk: move it away"));
        assert_eq!(sandbox.read("theirs"), "");
        fs::rename(&kept, &place).expect("a file");
    }
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    // The hidden folder is no link at all, not even to a folder beside it.
    fs::rename(sandbox.path("out/.dehusk"), sandbox.path("out/elsewhere")).expect("a folder");
    std::os::unix::fs::symlink("elsewhere", sandbox.path("out/.dehusk")).expect("a link");
    sandbox
        .expect(1, "clean corpus -p patterns -o out")
        .says("out/.dehusk\": it is not a path below the output folder");
}

#[test]
fn a_state_of_another_format() {
    let age = |sandbox: &Sandbox| {
        let meta = redb::TableDefinition::<&str, &str>::new("meta");
        let database = redb::Database::open(sandbox.path("state")).expect("a state");
        let writing = database.begin_write().expect("a transaction");
        writing.open_table(meta).expect("a table").insert("format", "1").expect("a row");
        writing.commit().expect("it is written");
    };
    let message = "error: state: is a state of format 1, but this dehusk reads format 5: use a version that reads it";
    state_is_refused(age, message);
}

#[test]
#[cfg(unix)]
fn a_state_that_may_not_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = learned();
    fs::set_permissions(sandbox.path("state"), fs::Permissions::from_mode(0o400)).expect("the permissions");
    if fs::File::options().append(true).open(sandbox.path("state")).is_ok() {
        eprintln!("notice: this user may write everything; a locked state is not tried");
        return;
    }
    sandbox.expect(1, STREAM).says("error: state: Permission denied");
}

#[test]
fn a_state_in_a_folder_that_is_not_there() {
    let sandbox = learned();
    sandbox.expect(1, "stream in.jsonl --state no/state --quiet").says("error: no/state: No such file or directory");
}

#[test]
fn a_state_held_by_another_run() {
    let sandbox = learned();
    let state = dehusk_run::state::State::open(&sandbox.path("state")).expect("a state");
    for command in [STREAM, "state show state", "mine --from-state state -o patterns", "state merge both state"] {
        let ran = sandbox.expect(1, command);
        assert!(ran.stderr.starts_with("error: state: is in use by another run: wait"), "{}", ran.stderr);
    }
    drop(state);
    sandbox.expect(0, STREAM);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_under_a_state() {
    let sandbox = learned();
    let Some(_disk) = super::output::SmallDisk::mount(sandbox.path("disk")) else {
        eprintln!("notice: no file system can be mounted here; a full disk is not tried");
        return;
    };
    let stream = |state: &str| format!("stream in.jsonl --state {state} -o other.jsonl --quiet");
    let ran = sandbox.expect(1, &stream("disk/state"));
    assert_eq!(ran.stderr, "error: disk/state: No space left on device (os error 28)\n");
    fs::copy(sandbox.path("disk/state"), sandbox.path("moved")).expect("a state");
    sandbox.expect(0, &stream("moved"));
    assert!(sandbox.read("other.jsonl") == sandbox.read("out.jsonl"));
}

#[test]
fn an_input_that_shrank() {
    let sandbox = learned();
    sandbox.write("in.jsonl", stream_lines(10..13));
    let ran = sandbox.expect(3, STREAM);
    ran.says("skipped: in.jsonl: has 3 records, but earlier runs read 6: if it is another file now, give it another");
    sandbox.write("in.jsonl", stream_lines(0..7));
    let before = sandbox.read("out.jsonl").lines().count();
    sandbox.expect(0, STREAM);
    assert_eq!(sandbox.read("out.jsonl").lines().count(), before + 1);
}

#[test]
fn an_input_that_was_replaced() {
    let sandbox = learned();
    sandbox.write("in.jsonl", stream_lines(20..28));
    sandbox.expect(0, STREAM);
    let documents = sandbox.expect(0, "state show state --json").stdout;
    assert!(documents.contains("\"documents\": 8,"), "{documents}");
    sandbox.write("other.jsonl", stream_lines(20..28));
    sandbox.expect(0, "stream other.jsonl --state state -o out.jsonl --quiet");
    assert_eq!(sandbox.read("out.jsonl").lines().count(), 16);
}

#[test]
fn an_output_that_shrank() {
    let sandbox = learned();
    let written = sandbox.read("out.jsonl");
    sandbox.write("out.jsonl", &written[..30]);
    sandbox.write("in.jsonl", stream_lines(0..7));
    let ran = sandbox.expect(1, STREAM);
    let message = format!("error: out.jsonl: it has 30 bytes, but {} bytes were written; restore it", written.len());
    ran.says(&message);
    sandbox.write("out.jsonl", &written);
    sandbox.expect(0, STREAM);
    assert_eq!(sandbox.read("out.jsonl").lines().count(), 7);
}

/// The run is refused, whether there is more input or not, and the output stays as it was made.
#[track_caller]
fn output_is_refused(spoil: impl Fn(&Sandbox), message: &str) {
    for input in [FIRST, 0..7] {
        let sandbox = learned();
        let written = sandbox.read("out.jsonl");
        sandbox.write("in.jsonl", stream_lines(input));
        spoil(&sandbox);
        let spoilt = sandbox.read("out.jsonl");
        let ran = sandbox.expect(1, STREAM);
        assert!(ran.stderr.starts_with(&format!("error: out.jsonl: {message}")), "{}", ran.stderr);
        assert_eq!(sandbox.read("out.jsonl"), spoilt);
        let _ = fs::remove_file(sandbox.path("out.jsonl"));
        sandbox.write("out.jsonl", &written);
        sandbox.expect(0, STREAM);
    }
}

#[test]
fn an_output_that_was_edited() {
    let edit = |sandbox: &Sandbox| sandbox.write("out.jsonl", sandbox.read("out.jsonl").replace("tide", "tiDE"));
    output_is_refused(
        edit,
        "it was changed or replaced since the last run: restore it, move it away to begin a new file",
    );
}

#[test]
fn an_output_that_was_added_to() {
    let add = |sandbox: &Sandbox| sandbox.write("out.jsonl", sandbox.read("out.jsonl") + "{\"text\":\"Ours.\"}\n");
    output_is_refused(add, "it has ");
}

#[test]
fn an_output_that_was_replaced() {
    let changed = "it was changed or replaced since the last run";
    output_is_refused(|sandbox| sandbox.write("out.jsonl", "Notes of ours, from long ago.\n".repeat(999)), changed);
    let link = |sandbox: &Sandbox| {
        sandbox.write("notes.txt", "Notes of ours, from long ago.\n".repeat(999));
        fs::remove_file(sandbox.path("out.jsonl")).expect("an output");
        fs::hard_link(sandbox.path("notes.txt"), sandbox.path("out.jsonl")).expect("a link");
    };
    output_is_refused(link, changed);
}

/// A run that was killed when it had stored what it learned from [`FIRST`] and had written more. All it would have written is
/// in `whole.jsonl`.
fn killed() -> Sandbox {
    let sandbox = learned();
    sandbox.write("in.jsonl", stream_lines(FIRST.start..FIRST.end + 6));
    sandbox.expect(0, "stream in.jsonl --state whole --output whole.jsonl --quiet");
    let mut state = State::open(&sandbox.path("state")).expect("a state");
    for (path, written) in state.outputs().expect("outputs") {
        let written = Written { is_open: true, ..written };
        state.commit(&mut [], &[], Some((&path, written))).expect("it is stored");
    }
    sandbox
}

#[test]
fn an_output_that_was_added_to_after_a_kill() {
    const LOUD: &str = "stream in.jsonl --state state -o out.jsonl";
    let [theirs, fresh] = ["{\"text\":\"Theirs.\"}\n", "out.new"];
    for (part, behind) in [(0, ""), (3, ""), (10, ""), (0, theirs), (3, theirs), (10, theirs)] {
        for is_replaced in [false, true] {
            let sandbox = killed();
            let (begun, whole) = (sandbox.read("out.jsonl"), sandbox.read("whole.jsonl"));
            let more = &whole[begun.len()..];
            let rest = more[..more.len() * part / 10].to_owned() + behind;
            sandbox.write(fresh, begun + &rest);
            match is_replaced {
                true => fs::rename(sandbox.path(fresh), sandbox.path("out.jsonl")).expect("it moves"),
                false => sandbox.write("out.jsonl", sandbox.read(fresh)),
            }
            let ran = sandbox.expect(0, LOUD);
            assert!(sandbox.read("out.jsonl") == whole);
            if behind.is_empty() {
                assert!(!ran.stderr.contains("killed") && !sandbox.path("out.jsonl.rest").exists(), "{}", ran.stderr);
            } else {
                ran.says("from a run that was killed or from another program").says("out.jsonl.rest now\n");
                assert!(sandbox.read("out.jsonl.rest").ends_with(theirs));
            }
            sandbox.expect(0, STREAM);
            assert!(sandbox.read("out.jsonl") == whole && !sandbox.path("out.jsonl.rest.2").exists());
        }
    }
    // Another run than the one that was killed: nothing of the old one is lost.
    let sandbox = killed();
    let whole = sandbox.read("whole.jsonl");
    sandbox.write("out.jsonl", &whole[..whole.len() - 20]);
    let written = learned().read("out.jsonl");
    sandbox.write("in.jsonl", stream_lines(FIRST));
    sandbox.expect(0, LOUD).says("out.jsonl.rest now");
    assert_eq!(sandbox.read("out.jsonl"), written);
    assert_eq!(written + &sandbox.read("out.jsonl.rest"), whole[..whole.len() - 20]);
}

#[test]
fn an_output_that_was_moved_away() {
    let sandbox = learned();
    fs::rename(sandbox.path("out.jsonl"), sandbox.path("old.jsonl")).expect("an output");
    let old = sandbox.read("old.jsonl");
    sandbox.write("in.jsonl", stream_lines(0..7));
    sandbox.expect(0, STREAM);
    assert_eq!((sandbox.read("out.jsonl").lines().count(), sandbox.read("old.jsonl")), (1, old));
    sandbox.expect(0, STREAM);
}

#[test]
fn an_output_that_another_run_writes() {
    let sandbox = learned();
    let held = fs::File::options().write(true).open(sandbox.path("out.jsonl")).expect("an output");
    held.lock().expect("nobody else holds it");
    let before = sandbox.read("out.jsonl");
    sandbox.write("in.jsonl", stream_lines(0..7));
    sandbox.expect(1, STREAM).says("error: out.jsonl: another run writes to it: wait until that run has ended");
    assert_eq!(sandbox.read("out.jsonl"), before);
    drop(held);
    sandbox.expect(0, STREAM);
}

/// Lines with other keys than dehusk expects.
fn other_lines(count: usize) -> String {
    let line =
        |number| serde_json::json!({"uid": number, "site": "tide", "title": "Boats again", "body": good(number)});
    (0..count).map(|number| line(number).to_string() + "\n").collect()
}

const OTHER_KEYS: &str = " has the keys \"uid\", \"site\", \"title\", \"body\"";

#[test]
fn lines_with_other_keys() {
    let sandbox = sandbox();
    sandbox.write("other.jsonl", other_lines(105));
    for (command, lists_all) in [
        ("mine other.jsonl -o mined --text-key content", "`dehusk clean --report FILE`"),
        ("run other.jsonl -o out --text-key content", "--report FILE"),
    ] {
        let ran = sandbox.expect(1, command);
        ran.says("skipped: other.jsonl:3: has neither \"content\" nor \"html\": are these the right keys?\n");
        ran.says(&format!("skipped: 102 more for the same reason as other.jsonl:3; {lists_all} lists all\n"));
        ran.says("error: there is no document that can be used: all 105 were skipped\n");
        let text = "the longest text is in \"body\"";
        let advice = format!("{OTHER_KEYS}; {text}: name the right one with --text-key or --html-key\n");
        assert_eq!(ran.stderr.matches(&advice).count(), 1, "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 6, "{}", ran.stderr);
    }
    let ran = sandbox.expect(0, "mine other.jsonl -o mined");
    ran.says(
        "keys recognised by their values: the text is in \"body\"; --text-key, --html-key and --url-key name others\n",
    );
    ran.says(&format!(
        "warning: other.jsonl:1{OTHER_KEYS}: none of them names its source, so the name of the file does (\"other\")"
    ));
    let ran = sandbox.expect(0, "mine other.jsonl -o mined --source-key site");
    assert!(ran.stdout.contains("tide") && !ran.stderr.contains("none of them names"), "{}", ran.stderr);
}

#[test]
fn lines_of_one_source() {
    let sandbox = sandbox();
    sandbox.write("other.jsonl", other_lines(20));
    for (flags, source) in [("", "other"), ("--source harbour", "harbour"), ("--source-key site", "tide")] {
        let ran = sandbox.expect(0, &format!("run other.jsonl -o out {flags}"));
        assert!(ran.stdout.contains(&format!("\n{source} ")), "{}", ran.stdout);
        assert_eq!(sandbox.read("out/cleaned/other.jsonl").lines().count(), 20);
    }
    sandbox.expect(2, "run other.jsonl -o out --source a/b").says("the source name \"a/b\" contains '/'");
    sandbox.expect(2, "run other.jsonl -o out --source a --source-by host").says("cannot be used with");
}

#[test]
fn a_key_that_no_line_has() {
    let sandbox = sandbox();
    sandbox.write("corpus/tide/other.jsonl", other_lines(20));
    let run = "run corpus -o out --text-key body";
    let ran = sandbox.expect(0, &format!("{run} --source-key host --id-key uid"));
    let warning =
        format!("warning: no document has the key \"host\" (--source-key): corpus/tide/other.jsonl:1{OTHER_KEYS}\n");
    assert_eq!(ran.stderr.matches(&warning).count(), 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("--id-key"), "{}", ran.stderr);
    sandbox
        .expect(0, &format!("{run} --source-key site --id-key key"))
        .says("warning: no document has the key \"key\" (--id-key): corpus/tide/other.jsonl:1 has the keys");
    let ran = sandbox.expect(0, run);
    assert!(!ran.stderr.contains("no document has"), "a key that nobody named may be missing: {}", ran.stderr);
}

#[test]
#[cfg(feature = "parquet")]
fn a_column_that_no_table_has() {
    let sandbox = sandbox();
    let row = |number| vec![Some("tide".to_owned()), Some(good(number))];
    let bytes = super::tables::table(&["site", "text"], &(0..9).map(row).collect::<Vec<_>>());
    sandbox.write("x.parquet", &bytes);
    sandbox.expect(0, "mine x.parquet -o mined").says(
        "warning: x.parquet:1 has the columns \"site\", \"text\": none of them names its source, so the name of the file \
         does (\"x\"); name it in another way with --source, --source-key, --url-key or --source-by\n",
    );
    sandbox
        .expect(0, "mine x.parquet -o mined --source-key site --id-key uid")
        .says("warning: no document has the key \"uid\" (--id-key): x.parquet:1 has the columns \"site\", \"text\"\n");
}

#[test]
fn many_inputs_with_the_same_problem() {
    let sandbox = sandbox();
    (10..30).for_each(|number| sandbox.write(&format!("corpus/odd/{number}.txt"), [0; 100]));
    sandbox.write("corpus/odd/a.jsonl", "{broken\n".repeat(5) + &json_line(&good(5)));
    let ran = clean(&sandbox, "-o out --report report.jsonl");
    assert_eq!((ran.status, ran.skipped(), ran.stderr.lines().count()), (Some(3), 25, 8), "{}", ran.stderr);
    ran.says("skipped: 17 more for the same reason as corpus/odd/");
    ran.says("skipped: 2 more for the same reason as corpus/odd/a.jsonl:3; --report FILE lists all\n");
    assert_eq!(sandbox.read("report.jsonl").matches("\"skipped\":").count(), 25);
}

#[test]
fn a_regex_for_sources_that_finds_nothing() {
    let sandbox = sandbox();
    sandbox.expect(1, "mine corpus -o mined --source-by ^news/").says(
        "error: no documents in \"corpus\": found 3 files, but the regex \"^news/\" of --source-by matches none of their \
         paths, such as \"tide/0.txt\": change the regex\n",
    );
    sandbox.write("all.jsonl", GOOD.map(|number| json_line(&good(number))).collect::<String>());
    let ran = sandbox.expect(1, "mine all.jsonl -o mined --source-by ^news/");
    ran.says("the regex \"^news/\" for sources finds nothing in \"all.jsonl\": change the regex so that it matches\n");
    ran.says("error: there is no document that can be used: all 3 were skipped\n");
}

#[test]
#[cfg(unix)]
fn inputs_that_are_not_opened() {
    let sandbox = sandbox();
    let link = |number| {
        let link = sandbox.path(&format!("corpus/tide/{number}.html"));
        std::os::unix::fs::symlink("nowhere.html", link).expect("a link");
    };
    (10..15).for_each(link);
    for target in ["-o out", "-o -"] {
        let ran = clean(&sandbox, &format!("{target} --report report.jsonl"));
        assert_eq!((ran.status, ran.skipped(), ran.stderr.lines().count()), (Some(3), 5, 4), "{}", ran.stderr);
        let report = sandbox.read("report.jsonl");
        let first = "{\"file\":\"corpus/tide/10.html\",\"skipped\":\"cannot be read: No such file";
        assert!(report.starts_with(first) && report.lines().count() == 8, "{report}");
    }
}

/// Cleans the good documents with these settings. Nothing may be written.
#[track_caller]
fn settings_are_refused(settings: impl AsRef<[u8]>, message: &str) {
    let sandbox = sandbox();
    sandbox.write("dehusk.toml", settings);
    let ran = sandbox.expect(2, "clean corpus -p patterns -o out");
    assert_eq!(ran.stderr, format!("error: dehusk.toml{message}\n"));
    assert!(!sandbox.path("out").exists());
    sandbox.expect(0, "clean corpus -p patterns -o out --no-config");
}

#[test]
fn settings_with_an_unknown_key() {
    settings_are_refused(
        "quiet = true\nrecurence-alone = true\n",
        ":2: unknown key \"recurence-alone\": did you mean \"recurrence-alone\"?",
    );
    settings_are_refused("no_structure = true\n", ":1: unknown key \"no_structure\": did you mean \"no-structure\"?");
    settings_are_refused("[claen]\n", ":1: unknown key \"claen\": did you mean \"clean\"?");
    settings_are_refused(
        "[clean]\nsample = true\n",
        ":2: unknown key \"sample\": keys are the flags of `dehusk clean` without dashes, and tables are its commands",
    );
}

#[test]
fn settings_with_a_wrong_value() {
    settings_are_refused("max-errors = true\n", ":1: \"max-errors\" takes 1 value");
    settings_are_refused("\nno-structure = 'yes'\n", ":2: \"no-structure\" takes true or false");
    settings_are_refused("max-errors = [1, 2]\n", ":1: \"max-errors\" takes 1 value");
    settings_are_refused("mutable = false\n", ":1: \"mutable\" takes a value, or a list of values");
    settings_are_refused(
        "[clean]\nmax-removed = 1.5\n",
        ":2: invalid value '1.5' for '--max-removed <SHARE>': a share is a number from 0 to 1",
    );
    settings_are_refused(
        "max-errors = 2024-03-05\n",
        ":1: a value is a text in quotes, a decimal number, true or false, or a list of texts or numbers",
    );
}

#[test]
fn settings_that_exclude_each_other() {
    let settings = "recurrence-alone = true\nmethod = 'learned'\ndecision-model = 'model.yaml'\n";
    settings_are_refused(settings, ":3: \"decision-model\" cannot be used with \"recurrence-alone\" (line 1)");
}

#[test]
fn settings_that_are_not_toml() {
    settings_are_refused("method = 'union'\nmax-errors: 3\n", ":2: is not valid TOML: key with no value, expected `=`");
    settings_are_refused("quiet = true\nquiet = true\n", ":2: is not valid TOML: duplicate key");
    settings_are_refused(b"\xff\xfea\0", ": cannot be read: it is not valid UTF-8: save it as UTF-8");
    let message =
        ": cannot be read: it has more than the 1000000 bytes that such a file may have: is it the right one?";
    settings_are_refused("#".repeat(1_000_001), message);
}

#[test]
#[cfg(unix)]
fn settings_lists_and_models_without_end() {
    let sandbox = sandbox();
    let clean = "clean corpus -p patterns -o out";
    for command in [
        format!("{clean} --config /dev/zero"),
        "clean -p patterns -o out --files-from /dev/zero".to_owned(),
        format!("{clean} --decision-model /dev/zero"),
        format!("{clean} --block-model /dev/zero"),
        "segment corpus -o out --page-model /dev/zero".to_owned(),
        "mine corpus -o out --mutable /dev/zero".to_owned(),
        "segment corpus -o out --segment-model /dev/zero".to_owned(),
        "blocks corpus -o out --importance-model /dev/zero".to_owned(),
    ] {
        let (status, stderr) = in_space(&sandbox, 3_000_000, &command);
        let message = "bytes that such a file may have: is it the right one?";
        assert!(matches!(status, Some(1 | 2)) && stderr.contains(message), "{command}: {status:?} {stderr}");
        assert!(stderr.contains("/dev/zero") && !sandbox.path("out").exists(), "{command}: {stderr}");
    }
    sandbox.write("list", "corpus/tide/1.txt\n");
    sandbox.write("settings", "threads = 1\n");
    for (flag, written) in [("--files-from", "list"), ("corpus/tide --config", "settings")] {
        let piped = format!("cat {written} | \"$0\" clean {flag} /dev/stdin -p patterns -o {written}-out");
        let arguments = ["-c", &piped, env!("CARGO_BIN_EXE_dehusk")];
        let ran = std::process::Command::new("sh").current_dir(sandbox.path("")).args(arguments).output();
        assert_eq!(ran.expect("a shell").status.code(), Some(0), "{flag}");
        assert!(sandbox.path(&format!("{written}-out/tide/1.txt")).exists());
    }
}

#[test]
fn settings_that_allow_overwriting() {
    let message = ":1: \"force\" counts only on the command line, or in a file that --config names";
    settings_are_refused("force = true\n", message);
    let sandbox = sandbox();
    sandbox.write("named.toml", "force = true\n");
    sandbox.write("out/tide/1.txt", "of another program");
    sandbox.expect(1, "clean corpus -p patterns -o out");
    sandbox.expect(0, "clean corpus -p patterns -o out --config named.toml");
}

#[test]
fn settings_that_came_with_a_corpus() {
    let sandbox = sandbox();
    sandbox.write("corpus/dehusk.toml", "replacement = \"\\u001b[2J\"\n");
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
    assert_eq!(ran.stderr, "using corpus/dehusk.toml: --replacement=\\u{1b}[2J (--no-config ignores it)\n");
    assert!(!sandbox.path("out/dehusk.toml").exists());
}

#[test]
fn settings_of_a_corpus_that_are_about_files() {
    let sandbox = sandbox();
    sandbox.write("secret.txt", good(7));
    sandbox.write("corpus/dehusk.toml", "files-from = '../list'\nreport = '../report'\nprune = true\n");
    sandbox.write("list", "secret.txt\n");
    for target in ["-o out", "-o -"] {
        let ran = clean(&sandbox, target);
        let message = "error: corpus/dehusk.toml:1: \"files-from\" is more than a file may set that can have come with the \
                       corpus: give --files-from on the command line, or trust this file with --config \
                       \"corpus/dehusk.toml\"\n";
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (Some(2), "", message));
    }
    assert!(!sandbox.path("out").exists() && !sandbox.path("report").exists());
}

#[cfg(unix)]
#[test]
fn a_named_pipe_in_place_of_settings() {
    let sandbox = sandbox();
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("dehusk.toml")).status().expect("mkfifo runs");
    assert!(made.success());
    clean(&sandbox, "-o out");
    assert_eq!(sandbox.tree("out"), good_tree());
}

// Threads.

/// Nothing is started, read or written. A crawl has another limit, because its threads wait for answers.
#[test]
fn too_many_threads() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    let cores = std::thread::available_parallelism().expect("a number of cores").get();
    let most = format!("and 8 threads for each; give at most {}\n", cores * 8);
    for command in ["mine corpus -o p", "run corpus -o p", "extract corpus -o p", "eval corpus --gold corpus"] {
        for threads in [cores * 8 + 1, 1_000_000_000] {
            let ran = sandbox.expect(2, &format!("{command} --threads {threads}"));
            assert!(
                ran.stderr.starts_with(&format!("error: --threads: {threads} threads are too many: ")),
                "{}",
                ran.stderr
            );
            assert!(ran.stderr.ends_with(&most), "{}", ran.stderr);
        }
    }
    if cfg!(feature = "crawl") {
        let ran = sandbox.expect(2, "crawl https://paper.example/ -o p --contact a@b.example --threads 1001");
        assert_eq!(ran.stderr, "error: --threads 1001: a crawl makes at most 1000 requests at the same time\n");
    }
    assert!(!sandbox.path("p").exists());
    sandbox.expect(0, &format!("mine corpus -o p --threads {}", cores * 8));
}

/// Runs the program for a user who may have no more processes and threads than this. `None` if that is not possible here.
#[cfg(target_os = "linux")]
fn run_with_processes(sandbox: &Sandbox, most: usize, arguments: &str) -> Option<Ran> {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    // No other process has this user, and root has no limit.
    const USER: u32 = 61_234;
    let is_root = fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0);
    let limited = |most: usize, words: &[&str]| {
        // What hangs is killed.
        let mut command = std::process::Command::new("timeout");
        command.args(["300", "prlimit", &format!("--nproc={most}:{most}")]).args(words).current_dir(sandbox.path(""));
        if is_root {
            command.uid(USER).gid(USER);
        }
        command
    };
    let own = |path: &Path| std::os::unix::fs::chown(path, Some(USER), Some(USER));
    let all = |folder: &Path| -> std::io::Result<()> {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            own(&folder)?;
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                own(&path)?;
                folders.extend(path.is_dir().then_some(path));
            }
        }
        Ok(())
    };
    if is_root {
        all(&sandbox.path("")).ok()?;
    }
    let program = env!("CARGO_BIN_EXE_dehusk");
    let can_run = limited(100_000, &[program, "--version"]).output().is_ok_and(|output| output.status.success());
    let words = words(arguments);
    let words: Vec<&str> = std::iter::once(program).chain(words.iter().map(String::as_str)).collect();
    // Other processes of a user who is not root count too. So only a limit below their number is certain.
    let most = if is_root { most } else { 1 };
    can_run.then(|| Ran::of(limited(most, &words)))
}

#[test]
#[cfg(target_os = "linux")]
fn too_little_memory_for_the_process() {
    let sandbox = sandbox();
    for kilobytes in [110_000, 150_000, 180_000, 195_000] {
        for more in ["", "--memory 8M"] {
            let arguments = format!("clean corpus -p patterns -o out --threads 2 {more}");
            let (status, stderr) = in_space(&sandbox, kilobytes, &arguments);
            assert_eq!(status, Some(1), "{kilobytes}: {stderr}");
            assert!(stderr.starts_with("error: the memory of this process is limited to "), "{kilobytes}: {stderr}");
            assert!(stderr.ends_with(": allow more\n") && stderr.lines().count() == 1, "{kilobytes}: {stderr}");
        }
    }
    let (_, stderr) = in_space(&sandbox, 210_000, "clean corpus -p patterns -o out --threads 8");
    assert!(stderr.ends_with("it needs 260.0 MB with 8 threads: allow more\n"), "{stderr}");
    assert!(!sandbox.path("out").exists());
}

/// At each number of processes, a run is complete or says what to do. Nothing hangs or panics.
#[test]
#[cfg(target_os = "linux")]
fn a_system_that_starts_no_more_threads() {
    let sandbox = sandbox();
    (0..6).for_each(|number| sandbox.write(&format!("corpus/moon/{number}.html"), format!("<p>{}", page(number, 3))));
    sandbox.write("lines.jsonl", (0..9).map(|number| json_line(&good(number))).collect::<String>());
    let commands = [
        "mine corpus -o mined",
        "clean corpus -p patterns -o out --force",
        "clean corpus lines.jsonl -p patterns -o -",
        "stream lines.jsonl -s state -o streamed.jsonl",
        "review corpus -p patterns --no-open",
    ];
    let mut done = [0; 2];
    for (command, most) in commands.iter().flat_map(|command| (1..=9).map(move |most| (command, most))) {
        // A review that starts does not end.
        if command.starts_with("review") && most > 4 {
            continue;
        }
        let arguments = format!("{command} --threads 2 --quiet");
        let Some(ran) = run_with_processes(&sandbox, most, &arguments) else {
            eprintln!("skipped: processes cannot be limited here");
            return;
        };
        let told = format!("dehusk {arguments}, {most} processes: {:?}\n{}", ran.status, ran.stderr);
        let is_complete = ran.status == Some(0) && ran.stderr.is_empty();
        let is_said = matches!(ran.status, Some(1 | 3)) && ran.stderr.contains("no thread can be started (");
        assert!(is_complete || (is_said && !ran.stderr.contains("panicked")), "{told}");
        done[usize::from(is_complete)] += 1;
    }
    assert!(done[0] >= commands.len(), "nothing was limited: {done:?}");
}
