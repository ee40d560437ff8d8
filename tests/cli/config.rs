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
    let mined = sandbox.expect(0, "mine project/corpus");
    mined.says("using project/dehusk.toml: --output=project/patterns (--no-config ignores it)\n");
    sandbox.expect(0, "clean project/corpus");
    assert!(sandbox.read("project/cleaned/tide/1.txt").contains('~'));
    // The nearest file is used, and files inside of the corpus are no documents.
    sandbox.write("project/corpus/dehusk.toml", "output = '../other'\n");
    let mined = sandbox.expect(0, "mine project/corpus/tide");
    assert_eq!(
        told(&mined),
        "using project/corpus/dehusk.toml: --output=project/corpus/../other (--no-config ignores it)\n"
    );
    let mined = sandbox.expect(0, "mine project/corpus");
    assert_eq!(told(&mined).lines().count(), 1, "{}", mined.stderr);
    assert!(sandbox.path("project/other/tide.yaml").is_file());
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
    sandbox.expect(0, "mine project/corpus").says(": --output=project/b (");
    sandbox.expect(0, "mine project/corpus --output c --no-config -q");
    assert_eq!(told(&sandbox.expect(0, "mine project/corpus -o c")), "");
    assert!(sandbox.path("project/b").is_dir() && sandbox.path("c").is_dir() && !sandbox.path("project/a").exists());
}

#[test]
fn a_flag_of_the_command_line_excludes_those_of_the_file_that_it_cannot_be_used_with() {
    let sandbox = sandbox();
    sandbox.write("project/dehusk.toml", "no-shape = true\nquiet = true\nspan-units = 'bytes'\n");
    sandbox.expect(0, "mine project/corpus -o patterns").says("using project/dehusk.toml: --quiet (");
    sandbox.write("shape.yaml", include_str!("../../src/cleaning/shape.yaml"));
    // What another flag is needed for has no effect without it.
    let clean = "clean project/corpus -p patterns -o";
    let ran = sandbox.expect(0, &format!("{clean} cleaned --verbose --shape shape.yaml"));
    ran.says("using project/dehusk.toml: --span-units=bytes (");
    sandbox.expect(0, &format!("{clean} cleaned2")).says(": --no-shape --quiet --span-units=bytes (");
    // A table that is nearer excludes what is further away in the same way.
    sandbox.write("project/dehusk.toml", "no-shape = true\n[clean]\nshape = '../shape.yaml'\n");
    sandbox.expect(0, &format!("{clean} cleaned3")).says(": --shape=project/../shape.yaml (");
}

#[test]
fn only_the_command_line_hides_that_a_file_is_used() {
    let sandbox = sandbox();
    sandbox.write("project/dehusk.toml", "quiet = true\n");
    assert_eq!(sandbox.expect(0, "mine project/corpus -o a").stdout, "");
    sandbox.expect(0, "mine project/corpus -o a").says("using project/dehusk.toml");
    assert_eq!(sandbox.expect(0, "mine project/corpus -o a -q").stderr, "");
    sandbox.expect(0, "mine project/corpus -o a --no-config -v").says("no dehusk.toml is used");
    sandbox.write("project/dehusk.toml", "[clean]\nmax-errors = 1\n");
    sandbox.expect(0, "mine project/corpus -o a -v").says("project/dehusk.toml has no flags for this command");
}

#[test]
fn a_command_is_found_whatever_stands_before_it() {
    let sandbox = sandbox();
    sandbox.write("mine", "output = 'patterns'\n[eval.inject]\ntemplates = 1\n");
    sandbox.expect(0, "--config mine --threads 1 mine -- project/corpus").says("using mine: --output=patterns");
    sandbox.expect(0, "mine project/corpus --config mine --threads 1").says("using mine: --output=patterns");
    // The table of a subcommand is not that of a command of the same name.
    sandbox.write("settings", "[stream]\nlifetime = 7\n[eval.stream]\nlifetime = 8\n");
    let ran = sandbox.run("eval stream project/corpus --gold project/corpus --config settings");
    ran.says("using settings: --lifetime=8 (");
}
