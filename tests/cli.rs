//! The program itself, as its users and their scripts see it.
//!
//! What files can say stands in `tests/cases`, a folder per case (see [`cases`]); what needs code stands here.

#![allow(clippy::print_stderr)] // a test that cannot run where it is says so

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Every file below a folder: its path, with `/`, and its bytes.
type Tree = BTreeMap<String, Vec<u8>>;

/// A folder to work in, gone when dropped.
struct Sandbox(TempDir);

/// What came of running the program.
#[derive(Debug, PartialEq)]
struct Ran {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Sandbox {
    fn new() -> Sandbox {
        Sandbox(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    /// Writes a file, with the folders on the way to it.
    fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        write(&self.path(relative), content.as_ref());
    }

    fn read(&self, relative: &str) -> String {
        let path = self.path(relative);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Replaces text in a file, which has to be there.
    fn edit(&self, relative: &str, from: &str, to: &str) {
        let before = self.read(relative);
        assert!(before.contains(from), "{relative} has no {from:?}:\n{before}");
        self.write(relative, before.replacen(from, to, 1));
    }

    fn tree(&self, relative: &str) -> Tree {
        tree(&self.path(relative))
    }

    /// A source of so many pages below `corpus`.
    fn write_pages(&self, source: &str, pages: std::ops::Range<usize>) {
        pages.for_each(|number| self.write(&format!("corpus/{source}/{number:05}.txt"), page(number, 3)));
    }

    /// The program, about to start in this folder. Arguments are split at white space, but not within `'...'`.
    fn command(&self, arguments: &str) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dehusk"));
        command.current_dir(self.0.path()).args(words(arguments)).env_remove("NO_COLOR");
        command
    }

    fn run(&self, arguments: &str) -> Ran {
        let output = assert_cmd::Command::from_std(self.command(arguments)).output().expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Ran { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Runs the program, which has to end with this status.
    fn expect(&self, status: i32, arguments: &str) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, Some(status), "dehusk {arguments}\n{}\n{}", ran.stdout, ran.stderr);
        ran
    }
}

impl Ran {
    #[track_caller]
    fn says(&self, part: &str) -> &Ran {
        assert!(self.stderr.contains(part), "stderr has no {part:?}:\n{}", self.stderr);
        self
    }
}

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder to be in")).expect("the folder");
    fs::write(path, content).expect("the file");
}

fn tree(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // in a folder that is being written to, a file may be gone by now
            let Ok(bytes) = fs::read(&path) else { continue };
            let parts = path.strip_prefix(folder).expect("it is below").iter().map(|part| part.to_string_lossy());
            tree.insert(parts.collect::<Vec<_>>().join("/"), bytes);
        }
    }
    tree
}

fn copy(from: &Path, to: &Path) {
    tree(from).iter().for_each(|(name, bytes)| write(&to.join(name), bytes));
}

/// Arguments as a shell would split them, if it knew nothing but white space and `'...'`.
fn words(arguments: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in arguments.chars() {
        match c {
            '\'' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(String::new()),
            c => words.last_mut().expect("at least one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The sample corpus.
fn news() -> String {
    format!("'{}/corpora/news'", env!("CARGO_MANIFEST_DIR"))
}

const SHARE_LINE: &str = "Share this page on the notice board of your village hall before noon";
const COPYRIGHT_LINE: &str = "Copyright The Daily Tide, all rights reserved until the sea comes back";

/// A page with a story of its own: a masthead, the story, three lines of template with stories between them.
fn page(number: usize, paragraphs: usize) -> String {
    let mut story = Story(number as u64);
    let body: Vec<String> = (0..paragraphs).map(|_| story.paragraph()).collect();
    let (middle, last) = (story.paragraph(), story.paragraph());
    format!(
        "The Daily Tide\nHome | News | Sport | Weather and tides\n\n{}\n\n{SHARE_LINE}\n\n{middle}\n\n\
         Read more stories like this one from our harbour desk, {number} so far\n\n{last}\n\n{COPYRIGHT_LINE}\n",
        body.join("\n\n")
    )
}

/// Words that no two pages have in the same order.
struct Story(u64);

impl Story {
    fn paragraph(&mut self) -> String {
        (0..30).map(|_| self.word()).collect::<Vec<_>>().join(" ") + "."
    }

    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 16] =
            ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "wu", "sha", "tre", "pli", "gro", "fu", "dre"];
        let bits = self.next();
        (0..3).map(|place| SYLLABLES[(bits >> (4 * place)) as usize % 16]).collect()
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 20
    }
}

/// The folders of `tests/cases`: each a case, run by the one test here.
///
/// | in the folder | what |
/// |---|---|
/// | `cmd` | the steps, see below |
/// | `in/` | what is there before |
/// | `out/` | what is in `out/` afterwards, to the byte; absent if there must be nothing |
/// | `stdout`, `stderr` | what all commands print; absent if they must print nothing |
///
/// `cmd` has a step a line: `$ dehusk ARGUMENTS`, where the status is 0 unless the next line is `exit N`, or
/// `copy FROM TO`. Lines that start with `#` are for people. Commands run in a folder that holds a copy of `in/`.
///
/// In `stdout` and `stderr`, `[..]` is any text within a line, and a line `...` any lines. Times are written
/// `[TIME] s`. With `DEHUSK_CASES=overwrite` in the environment what is expected is replaced, wherever
/// it differs, by what came: read the difference before you believe it.
mod cases {
    use super::*;

    #[test]
    fn all_cases() {
        let mut names: Vec<PathBuf> = fs::read_dir(folder()).expect("cases").flatten().map(|e| e.path()).collect();
        names.retain(|case| case.join("cmd").is_file());
        names.sort();
        assert!(names.len() > 20, "there are cases: {}", names.len());
        let overwrite = std::env::var("DEHUSK_CASES").is_ok_and(|value| value == "overwrite");
        let failures: Vec<String> = names.iter().filter_map(|case| run_case(case, overwrite).err()).collect();
        assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), names.len(), failures.join("\n"));
    }

    #[test]
    fn placeholders_match_what_they_stand_for_and_no_more() {
        assert!(fits("a [..] c\n", "a b c\n") && !fits("a [..] c\n", "a b\n c\n"));
        assert!(fits("...\nz\n", "z\n") && fits("...\nz\n", "x\ny\nz\n") && !fits("...\nz\n", "x\nyz\n"));
        assert!(fits("a.c\n", "a.c\n") && !fits("a.c\n", "abc\n") && !fits("", "a\n"));
    }

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
    }

    fn run_case(case: &Path, overwrite: bool) -> Result<(), String> {
        let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let sandbox = Sandbox::new();
        copy(&case.join("in"), &sandbox.path("in"));
        let (printed, mut wrong) = run_steps(&sandbox, &fs::read_to_string(case.join("cmd")).expect("a cmd file"));
        for (stream, actual) in [("stdout", &printed.stdout), ("stderr", &printed.stderr)] {
            let expected = fs::read_to_string(case.join(stream)).unwrap_or_default();
            if !fits(&expected, actual) {
                wrong.push(format!("{stream} is\n{actual}--- but should be\n{expected}---"));
                overwrite.then(|| replace_file(&case.join(stream), actual));
            }
        }
        let (expected, actual) = (tree(&case.join("out")), sandbox.tree("out"));
        if expected != actual {
            wrong.push(differences(&expected, &actual));
            overwrite.then(|| replace_tree(&case.join("out"), &sandbox.path("out")));
        }
        if wrong.is_empty() { Ok(()) } else { Err(format!("== {name}\n{}", wrong.join("\n"))) }
    }

    /// What all steps print together, and which ended with the wrong status.
    fn run_steps(sandbox: &Sandbox, steps: &str) -> (Ran, Vec<String>) {
        let mut all = Ran { status: Some(0), stdout: String::new(), stderr: String::new() };
        let mut wrong = Vec::new();
        let mut lines = steps.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).peekable();
        while let Some(line) = lines.next() {
            if let Some(arguments) = line.strip_prefix("$ dehusk ") {
                let status = lines.next_if(|next| next.starts_with("exit ")).unwrap_or("exit 0");
                let ran = sandbox.run(arguments);
                if ran.status.map(|status| format!("exit {status}")).as_deref() != Some(status) {
                    wrong.push(format!("'{line}' ended with {:?}, not {status}", ran.status));
                }
                all.stdout += &without_times(&ran.stdout);
                all.stderr += &without_times(&ran.stderr);
            } else if let ["copy", from, to] = *line.split(' ').collect::<Vec<_>>() {
                copy(&sandbox.path(from), &sandbox.path(to));
            } else {
                wrong.push(format!("'{line}' is no step"));
            }
        }
        (all, wrong)
    }

    fn without_times(text: &str) -> String {
        let time = regex::Regex::new(r"\b[0-9]+\.[0-9]{2} s\b").expect("a regex");
        time.replace_all(text, "[TIME] s").into_owned()
    }

    fn fits(expected: &str, actual: &str) -> bool {
        let line = |line: &str| match line {
            "..." => r"(?:[^\n]*\n)*".to_owned(),
            line => regex::escape(line).replace(r"\[\.\.\]", r"[^\n]*") + r"\n",
        };
        let pattern: String = expected.lines().map(line).collect();
        regex::Regex::new(&format!(r"\A{pattern}\z")).expect("a regex").is_match(actual)
    }

    fn differences(expected: &Tree, actual: &Tree) -> String {
        let show = |bytes: Option<&Vec<u8>>| match bytes {
            Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            None => "absent\n".to_owned(),
        };
        let mut names: Vec<&String> = expected.keys().chain(actual.keys()).collect();
        names.sort();
        names.dedup();
        names.retain(|name| expected.get(*name) != actual.get(*name));
        let difference = |name: &&String| {
            format!("out/{name} is\n{}--- but should be\n{}---", show(actual.get(*name)), show(expected.get(*name)))
        };
        names.iter().map(difference).collect::<Vec<_>>().join("\n")
    }

    fn replace_file(path: &Path, content: &str) {
        match content {
            "" => drop(fs::remove_file(path)),
            content => write(path, content.as_bytes()),
        }
    }

    fn replace_tree(expected: &Path, actual: &Path) {
        let _ = fs::remove_dir_all(expected);
        copy(actual, expected);
    }
}

/// What a person does to pattern files, and what mining and cleaning make of it.
mod review {
    use super::*;

    const FILE: &str = "patterns/tide.yaml";

    /// A mined source of twelve pages.
    fn mined() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.write_pages("tide", 0..12);
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        sandbox
    }

    /// The entry, a line each key, of the only pattern whose example contains this.
    fn entry(sandbox: &Sandbox, part_of_example: &str) -> String {
        let file = sandbox.read(FILE);
        let patterns = file.split("\nmutable:").next().unwrap_or_default();
        let is_it = |entry: &&str| {
            entry.lines().any(|line| line.trim_start().starts_with("example:") && line.contains(part_of_example))
        };
        let entries: Vec<&str> = patterns.split("\n  - ").skip(1).filter(is_it).collect();
        assert_eq!(entries.len(), 1, "entries with {part_of_example:?} in\n{patterns}");
        format!("  - {}\n", entries[0])
    }

    /// Changes the entry of the only pattern whose example contains this.
    fn edit_entry(sandbox: &Sandbox, part_of_example: &str, from: &str, to: &str) {
        let before = entry(sandbox, part_of_example);
        assert!(before.contains(from), "no {from:?} in\n{before}");
        sandbox.edit(FILE, &before, &before.replacen(from, to, 1));
    }

    fn decide(sandbox: &Sandbox, part_of_example: &str, status: &str) {
        edit_entry(sandbox, part_of_example, "status: proposed", &format!("status: {status}"));
    }

    /// The lines of an entry that a person may have written.
    fn without_counts(entry: &str) -> Vec<&str> {
        let is_count =
            |line: &str| ["documents: ", "among: ", "occurrences: "].iter().any(|count| line.contains(count));
        entry.lines().filter(|line| !is_count(line)).collect()
    }

    #[test]
    fn mining_again_keeps_all_that_a_person_did() {
        let sandbox = mined();
        decide(&sandbox, "The Daily Tide\\n", "rejected");
        decide(&sandbox, COPYRIGHT_LINE, "accepted");
        edit_entry(&sandbox, COPYRIGHT_LINE, "note: ''", "note: 'their footer, it''s dull'");
        edit_entry(&sandbox, "harbour desk", "harbour", "(?:harbour|river)");
        edit_entry(&sandbox, "notice board", "note: ''", "note: 'look again'");
        let written = "  - id: 'by-hand'\n    status: accepted\n    regex: '\\bzebra(?=\\s)'\n    documents: 0\n    \
                       occurrences: 0\n    example: 'zebra crossing'\n    note: 'ours'\n";
        sandbox.edit(FILE, "patterns:\n", &format!("patterns:\n{written}"));
        let parts = ["The Daily Tide\\n", COPYRIGHT_LINE, "harbour desk", "notice board", "zebra"];
        let before = parts.map(|part| entry(&sandbox, part));

        sandbox.write_pages("tide", 12..20);
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        for (part, before) in parts.iter().zip(&before) {
            let after = entry(&sandbox, part);
            assert_eq!(without_counts(before), without_counts(&after));
            assert_eq!(after.contains("documents: 20"), *part != "zebra", "counts are the fresh ones\n{after}");
        }
        sandbox.expect(0, "check patterns");
        let once = sandbox.tree("patterns");
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        assert_eq!(sandbox.tree("patterns"), once, "mining a second time changes nothing");
    }

    #[test]
    fn what_a_person_decided_stays_when_it_is_mined_no_more() {
        let sandbox = mined();
        decide(&sandbox, "notice board", "rejected");
        let rejected = entry(&sandbox, "notice board");
        for number in 0..12 {
            sandbox.edit(&format!("corpus/tide/{number:05}.txt"), SHARE_LINE, "");
        }
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        assert_eq!(entry(&sandbox, "notice board"), rejected);
    }

    #[test]
    fn mining_with_other_mutable_patterns_keeps_decisions() {
        let sandbox = mined();
        decide(&sandbox, "notice board", "rejected");
        edit_entry(&sandbox, "harbour desk", "note: ''", "note: 'numbers'");
        sandbox.expect(0, "mine corpus -o patterns --quiet --no-default-mutable");
        assert!(entry(&sandbox, "notice board").contains("status: rejected"));
        assert!(sandbox.read(FILE).contains("note: 'numbers'"));
        sandbox.expect(0, "check patterns");
    }

    #[test]
    fn a_rejected_pattern_does_not_act_and_the_others_do() {
        let sandbox = mined();
        decide(&sandbox, "notice board", "rejected");
        for method in ["smooth", "union"] {
            sandbox.expect(0, &format!("clean corpus -p patterns -o {method} --method {method} --quiet"));
            for (name, bytes) in sandbox.tree(method) {
                let text = String::from_utf8_lossy(&bytes);
                assert!(text.contains(SHARE_LINE), "{name} has lost what is to stay:\n{text}");
                assert!(!text.contains("Copyright"), "{name} has kept what is to go:\n{text}");
            }
        }
    }

    #[test]
    fn a_pattern_written_by_hand_acts() {
        let sandbox = mined();
        sandbox.write(
            FILE,
            "dehusk: 1\nsource: tide\nmined: {documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}\npatterns:\n- id: mine\n  \
             status: accepted\n  regex: '(?<=board of )your\\b'\n  example: 'board of your'\n",
        );
        sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
        for (name, bytes) in sandbox.tree("out") {
            let text = String::from_utf8_lossy(&bytes);
            let original = sandbox.read(&format!("corpus/{name}"));
            assert_eq!(text, original.replace("board of your village", "board of village"), "{name}");
        }
    }

    #[test]
    fn the_active_mutable_patterns_are_recorded_in_order() {
        let sandbox = mined();
        let own =
            "mutable:\n  - name: so-far\n    regex: '[0-9]+ so far'\n    examples: ['3 so far']\n    not: ['so far']\n";
        sandbox.write("own.yaml", own);
        sandbox.expect(0, "mine corpus -o both --mutable own.yaml --quiet");
        sandbox.expect(0, "mine corpus -o own --mutable own.yaml --no-default-mutable --quiet");
        sandbox.expect(0, "mine corpus -o none --no-default-mutable --quiet");
        let recorded = |folder: &str| {
            let file = sandbox.read(&format!("{folder}/tide.yaml"));
            let mutable = file.split("\nmutable:").nth(1).expect("the key is always there").to_owned();
            mutable
                .lines()
                .filter_map(|line| line.trim().strip_prefix("- name: ").map(str::to_owned))
                .collect::<Vec<_>>()
        };
        let shipped: Vec<String> = dehusk::tokens::mutable::shipped_patterns().into_iter().map(|p| p.name).collect();
        assert_eq!(recorded("patterns"), shipped);
        assert_eq!(recorded("both"), [&["so-far".to_owned()], &shipped[..]].concat());
        assert_eq!((recorded("own"), recorded("none")), (vec!["so-far".to_owned()], vec![]));
    }

    #[test]
    fn a_pattern_file_that_does_not_parse_stops_everything_before_it_begins() {
        let sandbox = mined();
        sandbox.write("patterns/other.yaml", sandbox.read(FILE).replace("source: tide", "source: other"));
        sandbox.edit(FILE, "status: proposed", "status: perhaps");
        let (patterns, corpus) = (sandbox.tree("patterns"), sandbox.tree("corpus"));
        for command in
            ["mine corpus -o patterns", "clean corpus -p patterns -o out", "explain corpus/tide/00001.txt -p patterns"]
        {
            let ran = sandbox.expect(1, command);
            ran.says("tide.yaml:6").says("perhaps").says("nothing was done");
            assert_eq!(ran.stdout, "", "{command}");
            assert_eq!((sandbox.tree("patterns"), sandbox.tree("corpus")), (patterns.clone(), corpus.clone()));
            assert!(!sandbox.path("out").exists(), "{command} made the output folder");
        }
    }
}

/// The same input gives the same bytes; and what `run` says about it.
mod sample_corpus {
    use std::sync::LazyLock;

    use super::*;

    /// A run over the sample corpus, and what it printed.
    static RUN: LazyLock<(Sandbox, Ran)> = LazyLock::new(|| {
        let sandbox = Sandbox::new();
        let ran = sandbox.expect(0, &format!("run {} -o out --json", news()));
        (sandbox, ran)
    });

    #[test]
    fn neither_threads_nor_the_order_of_arguments_show() {
        let (run, _) = &*RUN;
        let root = PathBuf::from(news().trim_matches('\''));
        let sources = ["tideline-wire", "bergland-bote", "orchard-courier", "harbor-ledger"];
        let sources: Vec<String> = sources.map(|name| format!("'{}/{name}.example'", root.display())).to_vec();
        let files: Vec<String> =
            tree(&root).keys().rev().map(|name| format!("'{}'", root.join(name).display())).collect();
        let sandbox = Sandbox::new();
        for (name, arguments) in [
            ("one", format!("{} --threads 1", news())),
            ("two", format!("{} --threads 2", sources.join(" "))),
            ("four", format!("{} --threads 4", files.join(" "))),
        ] {
            sandbox.expect(0, &format!("run {arguments} -o {name} --quiet"));
            for part in ["patterns", "cleaned"] {
                let (expected, actual) = (run.tree(&format!("out/{part}")), sandbox.tree(&format!("{name}/{part}")));
                assert!(expected.len() > 4 && expected.keys().eq(actual.keys()), "{part} of {name}");
                let differing: Vec<&String> = expected.keys().filter(|file| expected[*file] != actual[*file]).collect();
                assert!(differing.is_empty(), "{name}: {differing:?}");
            }
        }
    }

    #[test]
    fn the_json_summary_adds_up() {
        let (run, ran) = &*RUN;
        assert_eq!(ran.stderr, "");
        let summary: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON and nothing else");
        assert_eq!((summary["documents"].as_u64(), summary["skipped"].as_u64()), (Some(104), Some(0)));
        assert_eq!(summary["cleaned"]["documents"], 104);
        let sources = summary["sources"].as_object().expect("an entry per source");
        assert_eq!(sources.len(), 4);
        let cleaned: u64 = sources.values().filter_map(|source| source["cleaned"]["bytes_out"].as_u64()).sum();
        let written = run.tree("out/cleaned");
        assert_eq!(cleaned, written.values().map(|bytes| bytes.len() as u64).sum::<u64>());
        assert_eq!(summary["cleaned"]["bytes_out"], cleaned);
        for (name, source) in sources {
            let ids = run.read(&format!("out/patterns/{name}.yaml")).matches("\n  - id: ").count() as u64;
            assert_eq!(source["mined"]["patterns"], ids, "{name}");
        }
        assert!(summary["seconds"].as_array().is_some_and(|stages| stages.len() >= 4));
    }

    #[test]
    fn pages_come_out_as_text_under_their_names() {
        let written = RUN.0.tree("out/cleaned");
        let read = tree(Path::new(news().trim_matches('\'')));
        let expected: Vec<String> = read
            .keys()
            .map(|name| name.strip_suffix(".html").map_or(name.clone(), |stem| format!("{stem}.txt")))
            .collect();
        assert!(read.keys().any(|name| name.ends_with(".html")));
        assert_eq!(written.keys().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
        for (name, bytes) in written.iter().filter(|(name, _)| name.starts_with("orchard")) {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("</") && !text.trim().is_empty(), "{name}:\n{text}");
        }
    }

    #[test]
    fn the_cleaned_text_is_made_of_words_of_the_original() {
        let read = tree(Path::new(news().trim_matches('\'')));
        for (name, bytes) in RUN.0.tree("out/cleaned").iter().filter(|(name, _)| !name.starts_with("orchard")) {
            let (original, cleaned) = (String::from_utf8_lossy(&read[name]), String::from_utf8_lossy(bytes));
            let mut words = original.split_whitespace();
            assert!(
                cleaned.split_whitespace().all(|word| words.any(|other| other.contains(word))),
                "{name}:\n{cleaned}"
            );
            assert!(cleaned.len() < original.len(), "{name}");
        }
    }
}

/// What goes to which stream, and with which status.
mod streams {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn a_summary_goes_to_stdout_and_warnings_to_stderr() {
        let sandbox = Sandbox::new();
        sandbox.write_pages("tide", 0..6);
        sandbox.write("corpus/few/1.txt", "One page only, which tells of the sea.\n");
        let ran = sandbox.expect(0, "run corpus -o out");
        for part in ["few ", "tide ", "7 documents of 2 sources", "% removed", "wrote out/patterns and out/cleaned"] {
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
            "mine x -o y --min-df 1",
            "run x -o y --threads 0",
            "clean x -p y -o z --only rejected",
            "clean x -p y -o z --merge-gap -1",
            "completions tcsh",
            "mine x -o y --tokenizer '('",
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
        for command in ["", "run", "mine", "clean", "check", "explain", "completions", "man"] {
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
            for part in [sign, "explain", "merge-gap", "no-default-mutable", "text-key"] {
                assert!(ran.stdout.contains(part), "{shell}: {part}");
            }
            assert_eq!(ran.stderr, "");
        }
    }

    #[test]
    fn the_manual_page_has_every_command() {
        let ran = Sandbox::new().expect(0, "man");
        assert!(ran.stdout.contains(".TH dehusk 1"), "{}", ran.stdout);
        for part in [".SH RUN", ".SH MINE", ".SH CLEAN", ".SH CHECK", ".SH EXPLAIN", r"\-\-merge\-gap", r"\-\-threads"]
        {
            assert!(ran.stdout.contains(part), "{part}");
        }
        assert_eq!(ran.stderr, "");
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
}

/// Input of all kinds, above all the strange ones.
mod input {
    use super::*;

    /// Patterns for the sources `tide` and `odd`: two lines of [`page`], accepted.
    fn patterns(sandbox: &Sandbox) {
        for source in ["tide", "odd"] {
            let entry = |id: &str, line: &str| {
                format!("- id: {id}\n  status: accepted\n  regex: '{line}'\n  example: '{line}'\n")
            };
            sandbox.write(
                &format!("patterns/{source}.yaml"),
                format!(
                    "dehusk: 1\nsource: {source}\nmined: {{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}}\npatterns:\n{}{}",
                    entry("share", SHARE_LINE),
                    entry("copyright", COPYRIGHT_LINE)
                ),
            );
        }
    }

    const STORY: &str = "The ferry sailed at dawn and came back before the moon stood over Hale.\n";

    /// A document of the source `odd` beside three good ones of `tide`; how cleaning ended, and what it made of it.
    fn clean_beside_good_ones(document: impl AsRef<[u8]>) -> (Ran, Option<Vec<u8>>) {
        let sandbox = Sandbox::new();
        patterns(&sandbox);
        sandbox.write_pages("tide", 0..3);
        sandbox.write("corpus/odd/x.txt", document);
        let ran = sandbox.run("clean corpus -p patterns -o out --quiet");
        let mut written = sandbox.tree("out");
        let odd = written.remove("odd/x.txt");
        assert_eq!(written.len(), 3, "the others are written: {ran:?}");
        (ran, odd)
    }

    #[test]
    fn a_source_without_pattern_file_is_copied_byte_for_byte_with_a_warning() {
        let sandbox = Sandbox::new();
        patterns(&sandbox);
        let strange = "No  pattern\tfile.\r\n\r\n \u{a0} trailing \r\n\u{2028}caf\u{65}\u{301}";
        sandbox.write("corpus/new/a.txt", strange);
        sandbox.write("corpus/new/b.txt", STORY);
        let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
        ran.says("warning: there is no pattern file for source 'new'; its documents are copied as they are");
        assert_eq!(ran.stderr.matches("no pattern file").count(), 1, "{}", ran.stderr);
        assert_eq!(sandbox.tree("out"), sandbox.tree("corpus"));
    }

    #[test]
    fn a_missing_path_is_named_with_the_one_that_may_be_meant() {
        let sandbox = Sandbox::new();
        sandbox.write_pages("tide", 0..6);
        sandbox.expect(1, "mine corpsu -o patterns").says("cannot find \"corpsu\": did you mean \"corpus\"?");
        let ran = sandbox.expect(1, "mine corpus entirely-different -o patterns");
        ran.says("cannot find \"entirely-different\"");
        assert!(!ran.stderr.contains("did you mean"), "{}", ran.stderr);
        sandbox.expect(1, "clean corpus -p pattern -o out").says("pattern");
        sandbox.expect(1, "check pattern").says("cannot read the pattern folder pattern");
        assert_eq!(sandbox.tree("").len(), 6, "nothing was written");
    }

    #[test]
    fn a_folder_without_documents_is_named_with_what_is_in_it() {
        let sandbox = Sandbox::new();
        fs::create_dir_all(sandbox.path("corpus/tide")).expect("a folder");
        let ran = sandbox.expect(1, "mine corpus -o patterns");
        ran.says("no documents in \"corpus\"").says("found nothing");
        sandbox.write("corpus/tide/page.pdf", "x");
        sandbox.write("corpus/tide/.hidden.txt", "x");
        sandbox.expect(1, "run corpus -o out").says("found 1 .pdf, 1 hidden");
        fs::create_dir_all(sandbox.path("patterns")).expect("a folder");
        sandbox.write("other/tide/1.txt", STORY);
        sandbox.expect(1, "clean other -p patterns -o out").says("no pattern files (.yaml) in this folder");
        assert!(!sandbox.path("out").exists());
    }

    #[test]
    fn other_files_are_counted_not_read() {
        let sandbox = Sandbox::new();
        sandbox.write_pages("tide", 0..6);
        sandbox.write("corpus/tide/page.pdf", "x");
        sandbox.write("corpus/tide/LICENCE", "x");
        let ran = sandbox.expect(0, "mine corpus -o patterns");
        ran.says("warning: files that are no documents were left alone: 1 .pdf, 1 without extension");
    }

    #[test]
    fn an_empty_document_comes_out_empty() {
        for document in ["", "\n", " \n\t\n"] {
            let (ran, written) = clean_beside_good_ones(document);
            assert_eq!((ran.status, written.as_deref()), (Some(0), Some(document.as_bytes())), "{ran:?}");
        }
    }

    #[test]
    fn a_document_that_is_nothing_but_template_is_emptied_with_a_warning() {
        let sandbox = Sandbox::new();
        patterns(&sandbox);
        sandbox.write("corpus/odd/x.txt", format!("{SHARE_LINE}\n"));
        let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
        ran.says("corpus/odd/x.txt: all its text matches templates");
        assert!(ran.stdout.contains("1 document with no text left"), "{}", ran.stdout);
        assert_eq!(sandbox.read("out/odd/x.txt").trim(), "");
    }

    #[test]
    fn other_encodings_are_converted() {
        let (ran, written) = clean_beside_good_ones(b"Caf\xe9 an der Stra\xdfe, \x80 5,00 f\xfcr alle G\xe4ste.\n");
        assert_eq!(ran.status, Some(0));
        assert_eq!(written.as_deref(), Some("Café an der Straße, € 5,00 für alle Gäste.\n".as_bytes()));
        let utf16: Vec<u8> = "\u{feff}Zwölf Boote.\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(clean_beside_good_ones(utf16).1.as_deref(), Some("Zwölf Boote.\n".as_bytes()));
    }

    #[test]
    fn no_bytes_at_all_make_it_fail() {
        for document in
            [&b"\xff\xfe\xff"[..], b"\xc3", b"a\xc3\x28b\xa0\xa1\xe2\x28\xa1", b"\xef\xbb\xbf", b"\x80\x80\x80\n"]
        {
            let (ran, written) = clean_beside_good_ones(document);
            assert!(matches!(ran.status, Some(0 | 3)), "{document:?}: {ran:?}");
            assert_eq!(written.is_some(), ran.status == Some(0), "written or named as skipped: {ran:?}");
        }
    }

    #[test]
    fn a_nul_byte_stays_and_many_make_a_document_binary() {
        let document = format!("{STORY}A nul\0byte.\n{SHARE_LINE}\n{STORY}");
        let (ran, written) = clean_beside_good_ones(&document);
        assert_eq!(ran.status, Some(0));
        assert_eq!(written.as_deref(), Some(format!("{STORY}A nul\0byte.\n{STORY}").as_bytes()));
        let (ran, written) = clean_beside_good_ones([0; 100]);
        assert_eq!((ran.status, written), (Some(3), None));
        ran.says("skipped: corpus/odd/x.txt: looks binary");
    }

    #[test]
    fn line_ends_stay_what_they_are() {
        let document = format!("{STORY}{SHARE_LINE}\n{STORY}").replace('\n', "\r\n");
        let (_, written) = clean_beside_good_ones(document);
        let expected = format!("{STORY}{STORY}").replace('\n', "\r\n");
        assert_eq!(String::from_utf8(written.expect("it is written")), Ok(expected));
    }

    #[test]
    fn windows_line_ends_are_mined_like_others() {
        let sandbox = Sandbox::new();
        sandbox.write_pages("tide", 0..8);
        sandbox.expect(0, "mine corpus -o unix --quiet");
        for number in 0..8 {
            let name = format!("corpus/tide/{number:05}.txt");
            sandbox.write(&name, sandbox.read(&name).replace('\n', "\r\n"));
        }
        sandbox.expect(0, "mine corpus -o windows --quiet");
        let without_examples = |folder: &str| {
            let file = sandbox.read(&format!("{folder}/tide.yaml"));
            file.lines().filter(|line| !line.contains("example: ")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(without_examples("unix"), without_examples("windows"));
    }

    #[test]
    fn a_source_of_one_document_is_left_alone() {
        let sandbox = Sandbox::new();
        sandbox.write_pages("tide", 0..1);
        let ran = sandbox.expect(0, "run corpus -o out");
        ran.says("source 'tide' is too small to mine: it needs 5 different documents and has 1");
        assert!(sandbox.read("out/patterns/tide.yaml").contains("patterns: []"));
        assert_eq!(sandbox.tree("out/cleaned"), sandbox.tree("corpus"));
    }

    #[test]
    fn a_thousand_identical_documents_are_one() {
        let sandbox = Sandbox::new();
        let page = page(1, 1);
        (0..1000).for_each(|number| sandbox.write(&format!("corpus/tide/{number:04}.txt"), &page));
        let ran = sandbox.expect(0, "run corpus -o out");
        ran.says("it needs 5 different documents and has 1");
        assert!(sandbox.read("out/patterns/tide.yaml").contains("documents: 1000, near_duplicates: 999"));
        assert_eq!(sandbox.tree("out/cleaned"), sandbox.tree("corpus"));
    }

    #[test]
    fn names_of_documents_may_be_anything_that_is_utf_8() {
        let sandbox = Sandbox::new();
        patterns(&sandbox);
        let mut names =
            vec!["a b.txt", "ünï – 船🚢.txt", "-o.txt", "quote'\"s.txt", "deep/er/still.txt", "two.txt.txt"];
        names.extend(cfg!(unix).then_some("line\nbreak\t*?.txt"));
        names.iter().for_each(|name| sandbox.write(&format!("corpus/odd/{name}"), format!("{STORY}{SHARE_LINE}\n")));
        sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
        let written = sandbox.tree("out");
        assert_eq!(written.len(), names.len());
        assert!(names.iter().all(|name| written[&format!("odd/{name}")] == STORY.as_bytes()));
    }

    /// Whether a file that nobody may read can be read: so it is for root.
    #[cfg(unix)]
    fn reads_everything(path: &Path) -> bool {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("the permissions");
        fs::read(path).is_ok()
    }

    #[test]
    #[cfg(unix)]
    fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
        let sandbox = Sandbox::new();
        patterns(&sandbox);
        sandbox.write_pages("tide", 0..6);
        std::os::unix::fs::symlink("nowhere.txt", sandbox.path("corpus/tide/link.txt")).expect("a link");
        fs::create_dir(sandbox.path("corpus/tide/folder.txt")).expect("a folder");
        sandbox.write("corpus/tide/locked.txt", STORY);
        let skipped = if reads_everything(&sandbox.path("corpus/tide/locked.txt")) {
            eprintln!("notice: whoever runs this may read everything; a locked file is not tried");
            1
        } else {
            2
        };
        for command in ["clean corpus -p patterns -o out --quiet", "mine corpus -o mined --quiet"] {
            let ran = sandbox.expect(3, command);
            ran.says("skipped: corpus/tide/link.txt: cannot be read: No such file");
            assert_eq!(ran.stderr.lines().count(), skipped, "{}", ran.stderr);
            assert!(skipped == 1 || ran.stderr.contains("locked.txt: cannot be read: Permission denied"));
        }
        assert_eq!(sandbox.tree("out").len(), 6 + 2 - skipped);
        assert!(sandbox.path("mined/tide.yaml").exists());
    }

    #[test]
    fn lines_of_jsonl_cannot_lead_out_of_the_output() {
        let sandbox = Sandbox::new();
        patterns(&sandbox);
        let sources = ["a/b", "..", "../out", "/etc", "a\\\\b", ".", "c:", "_shared", "", "nul"];
        let line = |source: &str| format!("{{\"id\":\"../../x\",\"source\":\"{source}\",\"text\":\"Some text.\"}}\n");
        let lines: String = sources.iter().map(|source| line(source)).chain([line("tide")]).collect();
        sandbox.write("in/lines.jsonl", lines);
        for command in ["clean in -p patterns -o out/deep --quiet", "mine in -o out/mined --quiet"] {
            let ran = sandbox.expect(3, command);
            for number in 1..=sources.len() {
                ran.says(&format!("skipped: in/lines.jsonl:{number}: "));
            }
            assert_eq!(ran.stderr.lines().count(), sources.len(), "{}", ran.stderr);
        }
        assert_eq!(sandbox.read("out/deep/lines.jsonl"), line("tide"));
        let names: Vec<String> = sandbox.tree("").into_keys().filter(|name| !name.starts_with("patterns/")).collect();
        assert_eq!(names, ["in/lines.jsonl", "out/deep/lines.jsonl", "out/mined/tide.yaml"]);
    }

    #[test]
    fn a_line_that_is_not_json_is_named_and_the_others_come_out() {
        let sandbox = Sandbox::new();
        patterns(&sandbox);
        let line = |number: usize| {
            format!("{{\"id\":{number},\"source\":\"tide\",\"text\":\"Line {number} of the file.\"}}\n")
        };
        let (before, after): (String, String) = ((1..500).map(line).collect(), (501..1000).map(line).collect());
        sandbox.write("lines.jsonl", format!("{before}{{\"id\":500,\n{after}"));
        let ran = sandbox.expect(3, "run lines.jsonl -o out");
        ran.says("skipped: lines.jsonl:500: is not valid JSON");
        assert_eq!(ran.stderr.matches("skipped").count(), 1, "named once, though read twice: {}", ran.stderr);
        assert!(ran.stdout.contains("1 skipped"), "{}", ran.stdout);
        assert_eq!(sandbox.read("out/cleaned/lines.jsonl").lines().count(), 998);
    }

    #[test]
    fn two_files_of_one_name_are_refused() {
        let sandbox = Sandbox::new();
        patterns(&sandbox);
        sandbox.write("corpus/odd/x.txt", STORY);
        sandbox.write("corpus/odd/x.html", STORY);
        sandbox.write("more/odd/y.txt", STORY);
        sandbox.expect(1, "clean corpus -p patterns -o out").says("would both be written to \"odd/x.txt\"");
        sandbox.expect(1, "clean more more -p patterns -o out").says("is given twice: name it once");
        sandbox.expect(1, "clean more more/odd -p patterns -o out").says("y.txt");
        sandbox.expect(0, "clean corpus more -p patterns -o out --html markup --quiet");
        assert_eq!(sandbox.tree("out").len(), 3);
    }
}

/// Where results go: nowhere but where they should, and whole.
mod output {
    use super::*;

    fn sources() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.write_pages("tide", 0..6);
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        sandbox
    }

    #[test]
    fn output_that_meets_input_is_refused() {
        let sandbox = sources();
        let before = sandbox.tree("");
        for (output, relation) in [
            ("corpus", "the same as"),
            ("./corpus/../corpus", "the same as"),
            ("corpus/new/deep", "inside"),
            ("corpus/tide", "inside"),
            (".", "a folder around"),
        ] {
            for command in ["mine corpus", "clean corpus -p patterns", "clean corpus -p patterns --spans"] {
                let ran = sandbox.expect(1, &format!("{command} -o {output}"));
                ran.says(&format!("is {relation} the input \"corpus\": choose another one"));
            }
        }
        sandbox.expect(1, "run corpus -o corpus").says("is the same as the input");
        sandbox.expect(1, "clean corpus/tide/00001.txt -p patterns -o corpus/tide").says("a folder around");
        assert_eq!(sandbox.tree(""), before);
        assert!(!sandbox.path("corpus/new").exists());
    }

    #[test]
    #[cfg(unix)]
    fn links_do_not_hide_that_output_meets_input() {
        let sandbox = sources();
        std::os::unix::fs::symlink("corpus", sandbox.path("link")).expect("a link");
        sandbox.expect(1, "clean corpus -p patterns -o link/new").says("is inside the input");
        fs::create_dir(sandbox.path("out")).expect("a folder");
        std::os::unix::fs::symlink("../corpus/tide", sandbox.path("out/tide")).expect("a link");
        let before = sandbox.tree("corpus");
        sandbox.expect(1, "clean corpus -p patterns -o out").says("not a path below the output folder");
        assert_eq!(sandbox.tree("corpus"), before);
    }

    #[test]
    fn cleaning_again_replaces_what_is_there_and_leaves_the_rest() {
        let sandbox = sources();
        sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
        let first = sandbox.tree("out");
        sandbox.write("out/tide/00001.txt", "old");
        sandbox.write("out/mine.txt", "mine");
        sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
        let mut second = sandbox.tree("out");
        assert_eq!(second.remove("mine.txt").as_deref(), Some(&b"mine"[..]));
        assert_eq!(first, second);
    }

    #[test]
    fn what_is_in_the_way_of_the_output_is_named() {
        let sandbox = sources();
        sandbox.write("file", "in the way");
        fs::create_dir_all(sandbox.path("out/tide/00003.txt")).expect("a folder");
        sandbox.expect(1, "clean corpus -p patterns -o file").says("cannot write \"file\"");
        sandbox.expect(1, "clean corpus -p patterns -o out").says("00003.txt");
        assert_eq!(sandbox.read("file"), "in the way");
        assert!(!sandbox.tree("out").keys().any(|name| name.contains(".dehusk-")));
    }

    #[test]
    #[cfg(unix)]
    fn an_output_folder_that_nobody_may_write_to_is_named() {
        use std::os::unix::fs::PermissionsExt;
        let sandbox = sources();
        fs::create_dir(sandbox.path("out")).expect("a folder");
        fs::set_permissions(sandbox.path("out"), fs::Permissions::from_mode(0o555)).expect("the permissions");
        if fs::write(sandbox.path("out/try"), "").is_ok() {
            eprintln!("notice: whoever runs this may write everywhere; not tried");
            return;
        }
        let ran = sandbox.expect(1, "clean corpus -p patterns -o out");
        ran.says("Permission denied").says("choose an output folder that you may write to");
    }

    /// Writing stops at so many bytes a file, as on a full disk, but for anybody.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_write_that_fails_leaves_no_half_file() {
        let sandbox = sources();
        sandbox.write("corpus/tide/long.txt", page(7, 500));
        let limited = format!(
            "trap '' XFSZ; ulimit -f 16; exec '{}' clean corpus -p patterns -o out --threads 1",
            env!("CARGO_BIN_EXE_dehusk")
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &limited])
            .current_dir(sandbox.path(""))
            .output()
            .expect("a shell");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("cannot write \"out/tide/long.txt\"") && stderr.contains("too large"), "{stderr}");
        assert_whole(&sandbox);
    }

    /// A small file system of its own, if whoever runs this may make one.
    #[cfg(target_os = "linux")]
    struct SmallDisk(PathBuf);

    #[cfg(target_os = "linux")]
    impl SmallDisk {
        fn mount(path: PathBuf) -> Option<SmallDisk> {
            fs::create_dir_all(&path).expect("a folder");
            let mount = std::process::Command::new("mount")
                .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
                .arg(&path)
                .output();
            mount.is_ok_and(|output| output.status.success()).then_some(SmallDisk(path))
        }
    }

    #[cfg(target_os = "linux")]
    impl Drop for SmallDisk {
        fn drop(&mut self) {
            let _ = std::process::Command::new("umount").arg(&self.0).status();
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_named_and_leaves_whole_files() {
        let sandbox = sources();
        sandbox.write_pages("tide", 6..100);
        let Some(disk) = SmallDisk::mount(sandbox.path("out")) else {
            eprintln!("notice: no file system can be mounted here; a full disk is not tried");
            return;
        };
        let ran = sandbox.expect(1, "clean corpus -p patterns -o out");
        ran.says("No space left on device").says("free some space, or choose an output folder on another disk");
        assert_whole(&sandbox);
        drop(disk);
    }

    /// Every file of `out` is as in an undisturbed run, and there are some, but not all.
    #[cfg(unix)]
    pub fn assert_whole(sandbox: &Sandbox) {
        let written = sandbox.tree("out");
        sandbox.expect(0, "clean corpus -p patterns -o undisturbed --quiet");
        let undisturbed = sandbox.tree("undisturbed");
        assert!(!written.is_empty() && written.len() < undisturbed.len(), "{} files", written.len());
        for (name, bytes) in &written {
            assert!(!name.contains(".dehusk-"), "{name} is left");
            assert!(undisturbed.get(name) == Some(bytes), "{name} is not what it should be");
        }
    }
}

/// Ctrl-C.
#[cfg(unix)]
mod interruption {
    use std::process::{Child, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use super::*;

    /// How long stopping may take, on a busy machine.
    const PROMPTLY: Duration = Duration::from_secs(5);

    fn start(sandbox: &Sandbox, arguments: &str) -> Child {
        let mut command = sandbox.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// Waits until it is so, or the program has ended.
    fn wait_until(child: &mut Child, mut is_so: impl FnMut() -> bool) {
        let start = Instant::now();
        while !is_so() && child.try_wait().expect("a child").is_none() {
            assert!(start.elapsed() < Duration::from_secs(60), "it is not so in a minute");
            sleep(Duration::from_millis(1));
        }
    }

    /// Presses Ctrl-C; gives how it ended.
    fn interrupt(child: Child) -> Ran {
        let sent = Instant::now();
        let _ = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).output();
        let output = child.wait_with_output().expect("it ends");
        assert!(sent.elapsed() < PROMPTLY, "it took {:?} to stop", sent.elapsed());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// Starts the program on ever larger corpora, until it is interrupted before it is done.
    fn interrupt_at_work(
        arguments: &str,
        prepare: impl Fn(&Sandbox, usize),
        is_at_work: impl Fn(&Sandbox) -> bool,
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
                assert_stopped(&ran);
                return sandbox;
            }
        }
        panic!("it was never interrupted");
    }

    fn assert_stopped(ran: &Ran) {
        assert_eq!(ran.status, Some(130), "{ran:?}");
        assert_eq!(ran.stdout, "", "no summary of half a run");
        assert_eq!(ran.stderr, "error: stopped; every file written so far is whole, start again to do the rest\n");
    }

    /// How many files and folders are right in a folder.
    fn entries(folder: PathBuf) -> usize {
        fs::read_dir(folder).map_or(0, |entries| entries.count())
    }

    #[test]
    fn cleaning_files_stops_with_whole_files() {
        let sandbox = interrupt_at_work(
            "clean corpus -p patterns -o out",
            |sandbox, pages| sandbox.write_pages("tide", 8..pages),
            |sandbox| entries(sandbox.path("out/tide")) >= 20,
        );
        output::assert_whole(&sandbox);
    }

    #[test]
    fn cleaning_lines_stops_without_half_a_file() {
        let line =
            |number| serde_json::json!({"id": number, "source": "tide", "text": page(number, 3)}).to_string() + "\n";
        let sandbox = interrupt_at_work(
            "clean lines.jsonl -p patterns -o out",
            |sandbox, pages| sandbox.write("lines.jsonl", (0..15 * pages).map(line).collect::<String>()),
            |sandbox| entries(sandbox.path("out")) > 0,
        );
        let written = sandbox.tree("out");
        sandbox.expect(0, "clean lines.jsonl -p patterns -o undisturbed --quiet");
        // whole if it was just done
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
        );
        assert_eq!(sandbox.tree("out"), {
            let before = sandbox.tree("patterns").into_iter();
            before.map(|(name, bytes)| (format!("patterns/{name}"), bytes)).collect::<Tree>()
        });
    }
}
