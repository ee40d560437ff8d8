//! Errors that prevent the start of a run, because the input as a whole is not usable.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::find::file_kind::KNOWN_EXTENSIONS;
use crate::{Ignored, Reason, Skipped};
use dehusk_core::setting::Setting;
use dehusk_core::shown::count as count_of;

/// Why a run cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The path does not exist.
    #[error("cannot find {path:?}{}", did_you_mean(.suggestion.as_deref()))]
    NotFound {
        /// The path.
        path: PathBuf,
        /// An existing path with a similar name.
        suggestion: Option<PathBuf>,
    },
    /// The path does not exist, and looks like a glob, but is not a valid one.
    #[error("cannot find {path:?}, and it is not a valid glob: {error}")]
    BadGlob {
        /// The path.
        path: PathBuf,
        /// What is wrong with the glob.
        error: String,
    },
    /// The glob matches no file.
    #[error(
        "no file matches the glob {0:?}: `*` stays within a folder, `**` crosses folders, and \"x/**\" is all below x"
    )]
    NoMatch(PathBuf),
    /// The path exists but cannot be read.
    #[error("cannot read {path:?}: {error}")]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The named file is not a document.
    #[error("cannot tell what {0:?} is: give a folder, or a file that ends in {KNOWN_EXTENSIONS}")]
    UnknownKind(PathBuf),
    /// There are no documents.
    #[error("{0}")]
    Nothing(Box<NothingFound>),
    /// There is no space for documents that can only be read from front to back.
    #[error("cannot store documents temporarily to read them again: {0}; set TMPDIR to a folder with more space")]
    NoRoom(io::Error),
    /// Two files have the same output path.
    #[error("{}", collision(.first, .second, .name, *.others))]
    Collision {
        /// One of them.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// The output path of both, below the output folder.
        name: String,
        /// Number of other such pairs.
        others: usize,
    },
}

impl ScanError {
    /// The given path that causes the error, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            ScanError::NotFound { path, .. }
            | ScanError::BadGlob { path, .. }
            | ScanError::Unreadable { path, .. }
            | ScanError::NoMatch(path)
            | ScanError::UnknownKind(path) => Some(path),
            ScanError::Nothing(_) | ScanError::Collision { .. } | ScanError::NoRoom(_) => None,
        }
    }
}

/// The findings of a search without any document.
#[derive(Debug)]
pub struct NothingFound {
    /// The given paths.
    pub roots: Vec<PathBuf>,
    /// The files that are not documents.
    pub ignored: Ignored,
    /// The inputs that could not be read.
    pub skipped: Vec<Skipped>,
}

/// Maximum number of paths in an error message.
const ROOTS_NAMED: usize = 5;

impl fmt::Display for NothingFound {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let roots = self.roots.iter().take(ROOTS_NAMED).map(|root| format!("{root:?}"));
        write!(f, "no documents in {}", roots.collect::<Vec<_>>().join(", "))?;
        if self.roots.len() > ROOTS_NAMED {
            write!(f, " and {} more", self.roots.len() - ROOTS_NAMED)?;
        }
        if let Some((regex, path, count)) = self.without_match() {
            return write!(
                f,
                ": found {}, but the regex {regex:?} of {} matches none of their paths, such as {path:?}: \
                 change the regex",
                count_of(count, "file"),
                Setting::SourceBy
            );
        }
        write!(f, ": looked for files that end in {KNOWN_EXTENSIONS}, found {}", self.ignored)?;
        match self.skipped.as_slice() {
            [] => Ok(()),
            [only] => write!(f, "; {only}"),
            [first, rest @ ..] => write!(f, "; {first} (and {} more skipped)", rest.len()),
        }
    }
}

impl NothingFound {
    /// The regex for sources, the path of the first file that it does not match, and the number of such files. `None`
    /// if there is no such file.
    fn without_match(&self) -> Option<(&str, &str, usize)> {
        let mut files = self.skipped.iter().filter_map(|skipped| match &skipped.reason {
            Reason::NoMatch { regex, text } => Some((regex.as_str(), text.as_str())),
            _ => None,
        });
        let (regex, path) = files.next()?;
        Some((regex, path, 1 + files.count()))
    }
}

fn did_you_mean(suggestion: Option<&Path>) -> String {
    suggestion.map_or_else(String::new, |path| format!(": did you mean {path:?}?"))
}

fn collision(first: &Path, second: &Path, name: &str, others: usize) -> String {
    let more = match others {
        0 => String::new(),
        others => format!(" (and {others} more such pairs)"),
    };
    if first == second {
        return format!("{first:?} is given twice{more}: name it once");
    }
    let remedy = match name.contains('/') {
        true => "rename one, or clean them in two runs",
        // Both contain many documents and were given with different folders.
        false => "give the parent folder of both, or quote the glob, so that their names keep their folders",
    };
    format!("{first:?} and {second:?} would both be written to {name:?}{more}: {remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_path_and_the_remedy() {
        let missing = ScanError::NotFound { path: "corpsu".into(), suggestion: Some("corpus".into()) };
        assert_eq!(missing.to_string(), r#"cannot find "corpsu": did you mean "corpus"?"#);
        let collision = |second: &str, others| ScanError::Collision {
            first: "a/x.html".into(),
            second: second.into(),
            name: "a/x.txt".to_owned(),
            others,
        };
        assert_eq!(
            collision("a/x.txt", 2).to_string(),
            r#""a/x.html" and "a/x.txt" would both be written to "a/x.txt" (and 2 more such pairs): rename one, or clean them in two runs"#
        );
        assert_eq!(collision("a/x.html", 0).to_string(), r#""a/x.html" is given twice: name it once"#);
        let lines = ScanError::Collision {
            first: "one/x.jsonl".into(),
            second: "two/x.jsonl".into(),
            name: "x.jsonl".to_owned(),
            others: 0,
        };
        assert_eq!(
            lines.to_string(),
            r#""one/x.jsonl" and "two/x.jsonl" would both be written to "x.jsonl": give the parent folder of both, or quote the glob, so that their names keep their folders"#
        );
    }

    #[test]
    fn a_regex_for_sources_that_matches_no_path_is_named() {
        let skipped = |path: &str| {
            let reason = Reason::NoMatch { regex: "^x/".to_owned(), text: path.to_owned() };
            Skipped::file(Path::new(path), reason)
        };
        let skipped =
            vec![skipped("a/1.txt"), Skipped::file(Path::new("a/2.txt"), Reason::NotAFile), skipped("b/1.txt")];
        let nothing = NothingFound { roots: vec!["c".into()], ignored: Ignored::default(), skipped };
        assert_eq!(
            nothing.to_string(),
            "no documents in \"c\": found 2 files, but the regex \"^x/\" of `source_by` matches none of their paths, \
             such as \"a/1.txt\": change the regex"
        );
    }

    #[test]
    fn of_many_paths_the_first_are_named() {
        let roots = (1..=7).map(|number| PathBuf::from(number.to_string())).collect();
        let nothing = NothingFound { roots, ignored: Ignored::default(), skipped: Vec::new() };
        assert!(nothing.to_string().starts_with(r#"no documents in "1", "2", "3", "4", "5" and 2 more: looked for"#));
    }
}
