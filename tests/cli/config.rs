//! `dehusk.toml`: where it is found, and which flag wins.

use super::*;

/// A sandbox with a corpus of 2 sources below `project`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for source in ["tide", "moon"] {
        (0..8).for_each(|number| {
            sandbox.write(&format!("project/corpus/{source}/{number}.txt"), page(number, 3));
        });
    }
    sandbox
}

/// What is printed about settings.
fn told(ran: &Ran) -> String {
    ran.stderr.split_inclusive('\n').filter(|line| !line.starts_with("warning: ")).collect()
}

const SETTINGS: &str = "output = 'patterns'\n[clean]\npatterns = 'patterns'\noutput = 'cleaned'\nreplacement = '~'\n";

#[test]
fn a_file_above_the_corpus_sets_flags() {
    let sandbox = sandbox();
    sandbox.write("project/dehusk.toml", SETTINGS);
    let mined = sandbox.expect_in("project", 0, "mine corpus");
    mined.says("using dehusk.toml: --output=patterns (--no-config ignores it)\n");
    sandbox.expect_in("project", 0, "clean corpus");
    assert!(sandbox.read("project/cleaned/tide/1.txt").contains('~'));
    // Paths are relative to the file, and files inside of the corpus are no documents.
    let mined = sandbox.expect_in("project/corpus", 0, "mine .");
    mined.says("/project/dehusk.toml: --output=/").says("/project/patterns (--no-config ignores it)\n");
    // The nearest file is used.
    sandbox.write("project/corpus/dehusk.toml", "min-words = 3\n");
    let mined = sandbox.expect_in("project", 0, "mine corpus/tide -o other");
    assert_eq!(told(&mined), "using corpus/dehusk.toml: --min-words=3 (--no-config ignores it)\n");
    let mined = sandbox.expect_in("project", 0, "mine corpus -o other");
    assert_eq!(told(&mined).lines().count(), 1, "{}", mined.stderr);
    assert!(sandbox.path("project/other/tide.yaml").is_file());
}

/// A file that can have come with the corpus says how documents are read, mined and cleaned, and nothing else.
#[test]
fn a_file_of_a_corpus_does_not_decide_which_files_are_read_or_written() {
    let sandbox = sandbox();
    let all = [
        "follow-links = true",
        "files-from = '/etc/passwd'",
        "report = '../report.jsonl'",
        "prune = true",
        "output = '../out'",
        "patterns = '../p'",
        "mutable = 'm.yaml'",
        "decision-model = 's.yaml'",
        "boxes = 'b.jsonl'",
        "resume = true",
        "threads = 1",
        "quiet = true",
    ];
    for setting in all {
        sandbox.write("project/corpus/dehusk.toml", format!("method = 'learned'\n{setting}\n"));
        let key = setting.split(' ').next().expect("a key");
        // Neither from above nor from inside, by whatever path.
        let message = |file: &str| {
            format!(
                "error: {file}:2: {key:?} is more than a file may set that can have come with the corpus: give --{key} on \
                 the command line, or trust this file with --config {file:?}\n"
            )
        };
        let run = |folder: &str, corpus: &str, file: &str| {
            let ran = sandbox.expect_in(folder, 2, &format!("run {corpus} -o out"));
            assert_eq!(ran.stderr, message(file));
        };
        run("project", "corpus", "corpus/dehusk.toml");
        run("project/corpus", ".", "./dehusk.toml");
        run("project/corpus", "'tide/*.txt' .", "dehusk.toml");
        run("project/corpus", "'*/1.txt'", "dehusk.toml");
    }
    assert!(!sandbox.path("project/out").exists() && !sandbox.path("project/corpus/out").exists());
    // A file that is named is trusted, and so is one in the current folder that is not in the corpus.
    sandbox.write("project/corpus/dehusk.toml", "follow-links = true\noutput = '../out'\n");
    sandbox.expect(2, "run project/corpus");
    sandbox.expect(0, "run project/corpus --config project/corpus/dehusk.toml").says("--follow-links");
    sandbox.expect_in("project/corpus", 0, "mine tide").says("using dehusk.toml: --follow-links --output=../out (");
    assert!(sandbox.path("project/out/tide.yaml").is_file());
}

#[test]
fn without_a_path_the_current_folder_counts() {
    let sandbox = sandbox();
    sandbox.write("dehusk.toml", "output = 'patterns'\n");
    sandbox.write("list", "project/corpus\n");
    sandbox.expect(0, "mine --files-from list").says("using dehusk.toml: --output=patterns");
    sandbox.write("here/dehusk.toml", "output = 'patterns'\nfiles-from = '../list'\n");
    sandbox.expect(0, "mine --config here/dehusk.toml").says("using here/dehusk.toml: --output=here/patterns");
    assert!(sandbox.path("here/patterns/tide.yaml").is_file());
    // What is about the program itself uses no file.
    assert!(!sandbox.expect(0, "man").stdout.is_empty());
    sandbox.expect(2, "mine project/corpus --no-config").says("--output <PATTERNS>");
}

#[test]
fn the_command_line_wins_and_then_the_table_of_the_command() {
    let sandbox = sandbox();
    sandbox.write("project/dehusk.toml", "output = 'a'\nno-slots = true\n[mine]\noutput = 'b'\nno-slots = false\n");
    sandbox.expect_in("project", 0, "mine corpus").says(": --output=b (");
    sandbox.expect_in("project", 0, "mine corpus --output c --no-config -q");
    assert_eq!(told(&sandbox.expect_in("project", 0, "mine corpus -o c")), "");
    let is_there = |name: &str| sandbox.path("project").join(name).is_dir();
    assert_eq!(["a", "b", "c"].map(is_there), [false, true, true]);
}

#[test]
fn a_flag_of_the_command_line_excludes_those_of_the_file_that_it_cannot_be_used_with() {
    let sandbox = sandbox();
    sandbox.write("dehusk.toml", "recurrence-alone = true\nquiet = true\nspan-units = 'bytes'\n");
    sandbox.expect(0, "mine project/corpus -o patterns").says("using dehusk.toml: --quiet (");
    sandbox.write("model.yaml", include_str!("../../crates/core/src/cleaning/decide/decision_model.yaml"));
    // What another flag is needed for has no effect without it.
    let clean = "clean project/corpus -p patterns -o";
    let ran = sandbox.expect(0, &format!("{clean} cleaned --verbose --decision-model model.yaml"));
    ran.says("using dehusk.toml: --span-units=bytes (");
    sandbox.expect(0, &format!("{clean} cleaned2")).says(": --recurrence-alone --quiet --span-units=bytes (");
    // A table that is nearer excludes what is further away in the same way.
    sandbox.write("dehusk.toml", "recurrence-alone = true\n[clean]\ndecision-model = 'model.yaml'\n");
    sandbox.expect(0, &format!("{clean} cleaned3")).says(": --decision-model=model.yaml (");
}

#[test]
fn only_the_command_line_hides_that_a_file_is_used() {
    let sandbox = sandbox();
    sandbox.write("dehusk.toml", "quiet = true\n");
    assert_eq!(sandbox.expect(0, "mine project/corpus -o a").stdout, "");
    sandbox.expect(0, "mine project/corpus -o a").says("using dehusk.toml");
    assert_eq!(sandbox.expect(0, "mine project/corpus -o a -q").stderr, "");
    sandbox.expect(0, "mine project/corpus -o a --no-config -v").says("no dehusk.toml is used");
    sandbox.write("dehusk.toml", "[clean]\nmax-errors = 1\n");
    sandbox.expect(0, "mine project/corpus -o a -v").says("dehusk.toml has no flags for this command");
}

#[test]
fn a_command_is_found_whatever_stands_before_it() {
    let sandbox = sandbox();
    sandbox.write("mine", "output = 'patterns'\n[state.show]\njson = true\n");
    sandbox.expect(0, "--config mine --threads 1 mine -- project/corpus").says("using mine: --output=patterns");
    sandbox.expect(0, "mine project/corpus --config mine --threads 1").says("using mine: --output=patterns");
}
