//! What `-h`, `--help` and the manual say: examples that work, and lines that fit.

use super::*;

const WIDTH: usize = 100;

/// The names of all commands and their subcommands, in the order of the help. The first is that of the program.
fn commands(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let help = sandbox.expect(0, &format!("{name} -h")).stdout;
    let listed =
        |heading| help.lines().skip_while(move |line| *line != heading).skip(1).take_while(|line| !line.is_empty());
    let below = listed("Commands:")
        .chain(listed("More:"))
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|below| !["help", ""].contains(below));
    let below = below.flat_map(|below| commands(sandbox, format!("{name} {below}").trim()));
    std::iter::once(name.to_owned()).chain(below.collect::<Vec<String>>()).collect()
}

/// The lines for a shell at the end of a help.
fn examples(sandbox: &Sandbox, command: &str) -> Vec<String> {
    let help = sandbox.expect(0, &format!("{command} --help")).stdout;
    let (_, examples) =
        help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{command} has no examples:\n{help}"));
    examples.lines().filter_map(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
}

#[test]
fn every_example_works() {
    let sandbox = Sandbox::new();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora"), &sandbox.path("corpora"));
    let program = Path::new(env!("CARGO_BIN_EXE_dehusk")).parent().expect("its folder").display().to_string();
    let path = format!("{program}:{}", std::env::var("PATH").expect("a PATH"));
    let (run, needs_more): (Vec<String>, Vec<String>) =
        commands(&sandbox, "").into_iter().partition(|command| command != "review" && command != "crawl");
    for command in &run {
        for line in examples(&sandbox, command) {
            let mut shell = std::process::Command::new("sh");
            shell
                .args(["-c", &line])
                .current_dir(sandbox.path(""))
                .env("PATH", &path)
                .env("HOME", sandbox.path("home"));
            let output = shell.output().expect("a shell");
            assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    // A browser, or sites. Without pattern files nothing is shown, and without a list nothing is fetched, but wrong usage would be
    // another status.
    let lines = needs_more.iter().flat_map(|command| examples(&sandbox, command));
    for line in lines.filter(|line| line.starts_with("dehusk review") || line.starts_with("dehusk crawl")) {
        let line =
            line.replace("-p patterns", "-p missing").replace("feeds.txt", "missing").replace("papers.txt", "missing");
        let arguments = line.strip_prefix("dehusk ").expect("the program").trim_end_matches(" |");
        sandbox.expect(1, arguments).says("missing");
    }
    for written in ["home/.zfunc/_dehusk", "home/.local/share/man/man1/dehusk-mine.1", "patterns/_shared.yaml"] {
        assert!(sandbox.path(written).is_file(), "{written}");
    }
}

#[test]
fn short_help_has_a_line_for_each_option() {
    let sandbox = Sandbox::new();
    for command in commands(&sandbox, "") {
        let help = sandbox.expect(0, &format!("{command} -h")).stdout;
        for line in help.lines() {
            assert!(line.chars().count() <= WIDTH, "{command} -h: {line}");
            // A line that continues another one is indented further than any flag.
            let indent = line.len() - line.trim_start().len();
            let is_usage = line.trim_start().starts_with("dehusk ");
            assert!(indent <= 6 || is_usage, "{command} -h: this is more than a line:\n{line}\n{help}");
        }
        assert!(help.lines().count() <= 50, "{command} -h has {} lines", help.lines().count());
        let more = format!("All options, and examples: dehusk {command}").trim_end().to_owned() + " --help\n";
        assert!(help.ends_with(&more), "{help}");
    }
}

#[test]
fn long_help_fits_a_terminal() {
    let sandbox = Sandbox::new();
    for command in commands(&sandbox, "") {
        let help = sandbox.expect(0, &format!("{command} --help")).stdout;
        help.lines().for_each(|line| assert!(line.chars().count() <= WIDTH, "{command} --help: {line}"));
        // Examples are not broken into lines.
        assert!(examples(&sandbox, &command).iter().all(|line| !line.starts_with(' ')), "{help}");
    }
}

#[test]
fn pages_of_the_manual_have_examples_and_exit_statuses() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, "man -o man1");
    let pages = sandbox.tree("man1");
    assert_eq!(pages.len(), commands(&sandbox, "").len());
    for (name, page) in pages {
        let page = String::from_utf8(page).expect("UTF-8");
        for part in [".SH \"EXIT STATUS\"", ".SH EXAMPLES", "stopped by Ctrl\\-C"] {
            assert!(page.contains(part), "{name} has no {part}:\n{page}");
        }
        assert!(!page.contains(".SH EXTRA"), "{name}");
    }
    let all = sandbox.expect(0, "man").stdout;
    assert_eq!(all.matches(".SH EXAMPLES").count(), commands(&sandbox, "").len());
    assert_eq!(all.matches(".SH \"EXIT STATUS\"").count(), 1);
}

#[test]
fn the_documentation_has_the_same_exit_statuses() {
    let page = Sandbox::new().expect(0, "--help").stdout;
    let (_, statuses) = page.split_once("Exit status:\n").expect("exit statuses");
    let statuses = statuses.lines().map_while(|line| line.trim_start().split_once("  "));
    let using = include_str!("../../docs/your-data.md");
    let rows: Vec<String> = statuses.map(|(status, meaning)| format!("| {status} | {} |", meaning.trim())).collect();
    assert_eq!(rows.len(), 5);
    rows.iter().for_each(|row| assert!(using.contains(row), "{row}"));
}
