//! What goes to which stream, and with which status.

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
    for command in ["", "run", "mine", "clean", "check", "diff", "explain", "completions", "man", "schema"] {
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
    for part in
        [".SH RUN", ".SH MINE", ".SH CLEAN", ".SH CHECK", ".SH DIFF", ".SH EXPLAIN", r"\-\-merge\-gap", r"\-\-threads"]
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
        "schema",
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
