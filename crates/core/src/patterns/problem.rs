//! Problems of pattern files, as messages.

use std::path::Path;

use crate::shown::in_one_line;

/// A problem of a pattern file, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// Line number from 1; 0 for the file as a whole.
    pub line: u64,
    /// The id of the pattern concerned.
    pub id: Option<String>,
    /// What is wrong, and what to do.
    pub message: String,
}

impl FileProblem {
    /// A problem if the file is not named after its source.
    #[doc(hidden)]
    pub fn of_name(path: &Path, source: &str) -> Option<FileProblem> {
        let message = || format!("it says it is for source '{source}'; name it {source}.yaml");
        let is_named = path.file_stem().is_some_and(|stem| stem == source);
        (!is_named).then(|| FileProblem { line: 0, id: None, message: message() })
    }

    /// A problem if the text of a file differs from its canonical form.
    pub fn of_form(yaml: &str, canonical: &str) -> Option<FileProblem> {
        let lines = yaml.split_inclusive('\n').zip(canonical.split_inclusive('\n'));
        let line = || lines.take_while(|(a, b)| a == b).count() as u64 + 1;
        let message = "from here on it is not in canonical form";
        (yaml != canonical).then(|| FileProblem { line: line(), id: None, message: message.to_owned() })
    }

    /// All problems in one line.
    pub fn display_all(problems: &[FileProblem], path: &Path) -> String {
        problems.iter().map(|problem| problem.display(path)).collect::<Vec<String>>().join("; ")
    }

    /// `path:line: pattern id: message`.
    pub fn display(&self, path: &Path) -> String {
        let line = if self.line > 0 { format!(":{}", self.line) } else { String::new() };
        let id = self.id.as_ref().map(|id| format!(" pattern {id}:")).unwrap_or_default();
        let message = in_one_line(&self.message);
        format!("{}{line}:{id} {message}", path.display())
    }
}
