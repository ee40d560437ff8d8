//! `dehusk check`: finds problems in pattern files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use dehusk_core::patterns::{FileProblem, LexerCache, PatternFile, open};
use dehusk_core::shown::in_one_line;
use dehusk_corpus::{OutputFile, Reads};

use super::Exit;
use super::reporter::{Reporter, print};
use super::summary::count;
use dehusk_run::library::{parse_beside, pattern_files};

/// Options of `dehusk check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Folders with pattern files, or single pattern files
    #[arg(required = true, value_name = "PATTERNS")]
    patterns: Vec<PathBuf>,
    /// Rewrite files that are valid but not in canonical form
    #[arg(long)]
    fix: bool,
    /// Print the problems as JSON, with an object on each line
    #[arg(long)]
    json: bool,
}

/// Runs the command. Problems are its result, so each problem is printed on stdout, on a line of its own.
pub fn run(args: &CheckArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    let cache = LexerCache::default();
    let (mut files, mut problems) = (0, 0);
    for path in &args.patterns {
        for path in pattern_files(path)? {
            let found = check_file(&path, args.fix, &cache, reporter)?;
            files += 1;
            problems += found.len();
            for problem in found {
                print(&line(&problem, &path, args.json))?;
            }
        }
    }
    reporter.note(&format!("{} checked, {}", count(files, "pattern file"), count(problems, "problem")));
    Ok(if problems > 0 { Exit::Failed } else { Exit::Done })
}

fn line(problem: &FileProblem, path: &Path, json: bool) -> String {
    if !json {
        return format!("{}\n", problem.display(path));
    }
    let FileProblem { line, id, message } = problem;
    format!(
        "{}\n",
        serde_json::json!({"file": path.to_string_lossy(), "line": line, "pattern": id, "message": message})
    )
}

/// Warns of doubtful patterns in the pattern files that a command uses, so that a person looks at them.
pub fn warn_of_doubts(files: impl IntoIterator<Item = Arc<PatternFile>>, reporter: &Reporter) {
    for file in files {
        // A doubt may quote an example with several lines.
        let warn = |doubt: &String| reporter.warn(&format!("source '{}': {}", file.source, in_one_line(doubt)));
        file.doubts().iter().for_each(warn);
    }
}

fn check_file(path: &Path, fix: bool, cache: &LexerCache, reporter: &Reporter) -> anyhow::Result<Vec<FileProblem>> {
    let yaml = match open(path) {
        Ok(yaml) => yaml,
        Err(problem) => return Ok(vec![problem]),
    };
    let file = match parse_beside(path, &yaml, cache) {
        Ok(file) => file,
        Err(problems) => return Ok(problems),
    };
    let warn = |contradiction: String| reporter.warn(&format!("{}: {contradiction}", path.display()));
    file.contradictions().into_iter().for_each(warn);
    let mut problems = file.check_examples(&yaml);
    problems.extend(FileProblem::of_name(path, &file.source));
    if problems.is_empty() {
        let canonical = file.to_yaml_like(&yaml);
        let problem = FileProblem::of_form(&yaml, &canonical);
        if problem.is_some() && fix {
            OutputFile::create(path, &Reads::nothing())?
                .write_atomic(|writer| writer.write_all(canonical.as_bytes()))?;
        } else {
            problems.extend(problem.map(|problem| FileProblem {
                message: format!("{}; `dehusk check --fix` rewrites it", problem.message),
                ..problem
            }));
        }
    }
    Ok(problems)
}
