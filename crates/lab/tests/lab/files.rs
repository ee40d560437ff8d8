//! What the lab writes, and what it never writes over.

use super::*;

fn source() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..12);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

#[test]
fn what_is_read_is_never_written_over() {
    let sandbox = source();
    sandbox.write("mutable.yaml", "[]\n");
    let before = (sandbox.tree("corpus"), sandbox.tree("patterns"));
    for (written, command) in [
        ("corpus/tide/00001.txt", "lab stream corpus --gold corpus --plot"),
        ("patterns/tide.yaml", "lab stream corpus --gold corpus -p patterns --force --plot"),
        ("mutable.yaml", "lab train --pages corpus --mutable mutable.yaml --force -o"),
    ] {
        let ran = sandbox.run(&format!("{command} {written}"));
        assert_eq!(ran.status, Some(1), "{command}: {}", ran.stderr);
        ran.says("the input");
    }
    assert_eq!((sandbox.tree("corpus"), sandbox.tree("patterns")), before);
    assert_eq!(sandbox.read("mutable.yaml"), "[]\n");
}

#[test]
fn files_of_others_stay_unless_that_is_asked_for() {
    let sandbox = source();
    sandbox.write("mine.svg", "mine");
    let plot = "lab stream corpus --gold corpus --quiet --plot mine.svg";
    sandbox.expect(1, plot).says("--force");
    assert_eq!(sandbox.read("mine.svg"), "mine");
    sandbox.expect(0, &format!("{plot} --force"));
    sandbox.expect(0, plot);
}

#[test]
fn commands_take_lists_and_rules() {
    let sandbox = Sandbox::new();
    (0..8).for_each(|number| sandbox.write(&format!("corpus/www.tide.com/{number:05}.txt"), page(number, 7)));
    sandbox.write("list.txt", "corpus");
    let list = "--files-from list.txt --source-by domain";
    sandbox.expect(1, &format!("lab train --pages {list} -o model.yaml --quiet")).says("give HTML pages");
    sandbox.expect(0, &format!("lab inject {list} --documents 8 --shares 100 --templates 1 --quiet"));
}

#[test]
fn a_source_that_is_too_large_to_learn_from_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("city", 0..200);
    let refused = sandbox.expect(1, "lab train --pages corpus -o pages.yaml --memory 300k");
    refused.says("there is not enough memory: source 'city' may need").says("the limit is 300.0 kB");
}

#[test]
fn wrong_usage_is_told_and_help_names_all_commands() {
    let sandbox = Sandbox::new();
    assert!(sandbox.expect(0, "lab --help").stdout.contains("inject"));
    sandbox.expect(2, "lab injekt").says("inject");
    sandbox.expect(1, "lab nodes nowhere --gold nowhere").says("nowhere");
}

#[test]
fn examples_in_help_work() {
    let sandbox = Sandbox::new();
    copy(&Path::new(REPOSITORY).join("corpora"), &sandbox.path("corpora"));
    let commands = [
        "",
        "train",
        "mine",
        "tree",
        "wang",
        "inject",
        "feeds",
        "nodes",
        "segments",
        "blocks",
        "features",
        "stream",
        "experiment",
        "levels",
    ];
    for command in commands {
        let help = sandbox.expect(0, &format!("lab {command} --help")).stdout;
        let (_, examples) =
            help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{command} has no examples:\n{help}"));
        let lines: Vec<&str> = examples.lines().filter_map(|line| line.strip_prefix("    dehusk-lab ")).collect();
        assert!(!lines.is_empty(), "{help}");
        lines.iter().for_each(|line| _ = sandbox.expect(0, &format!("lab {line} --quiet")));
    }
}
