//! The folders of `tests/cases`: each a case, run by the one test here.
//!
//! | in the folder | what |
//! |---|---|
//! | `cmd` | the steps, see below |
//! | `in/` | what is there before |
//! | `out/` | what is in `out/` afterwards, to the byte; absent if there must be nothing |
//! | `stdout`, `stderr` | what all commands print; absent if they must print nothing |
//!
//! `cmd` has a step a line: `$ dehusk ARGUMENTS` (also `$ dehusk-lab ARGUMENTS` in the lab), where the status is 0 unless the next line is `exit N`, or
//! `copy FROM TO`. Lines that start with `#` are for people. Commands run in a folder that holds a copy of `in/`.
//!
//! In `stdout` and `stderr`, `[..]` is any text within a line, and a line `...` any lines. Times are written
//! `[TIME] s`. With `DEHUSK_CASES=overwrite` in the environment what is expected is replaced, wherever
//! it differs, by what came: read the difference before you believe it.

use super::*;

#[test]
fn all_cases() {
    let mut names: Vec<PathBuf> = fs::read_dir(folder()).expect("cases").flatten().map(|e| e.path()).collect();
    names.retain(|case| case.join("cmd").is_file());
    names.sort();
    assert!(!names.is_empty(), "there are cases");
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
    PathBuf::from(CASES)
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
        let of_lab = line.strip_prefix("$ dehusk-lab ").map(|arguments| format!("lab {arguments}"));
        if let Some(arguments) = of_lab.or_else(|| line.strip_prefix("$ dehusk ").map(str::to_owned)) {
            let status = lines.next_if(|next| next.starts_with("exit ")).unwrap_or("exit 0");
            let ran = sandbox.run(&arguments);
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
