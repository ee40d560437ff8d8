//! Why a run cannot start: the input as a whole makes no sense.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::file_kind::KNOWN_EXTENSIONS;
use super::{Ignored, Skipped};

/// Why there is nothing to start from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// A path that does not exist.
    #[error("cannot find {path:?}{}", did_you_mean(.suggestion.as_deref()))]
    NotFound {
        /// The path.
        path: PathBuf,
        /// A path that does exist and is written much like it.
        suggestion: Option<PathBuf>,
    },
    /// A path that does not exist, looks like a glob, and is none.
    #[error("cannot find {path:?}, which is no glob: {error}")]
    BadGlob {
        /// The path.
        path: PathBuf,
        /// What is wrong with it as a glob.
        error: String,
    },
    /// A glob that matches nothing.
    #[error(
        "no file matches the glob {0:?}: `*` stays within a folder, `**` crosses folders, and \"x/**\" is all below x"
    )]
    NoMatch(PathBuf),
    /// A path that exists and cannot be read.
    #[error("cannot read {path:?}: {error}")]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// What the operating system said.
        error: io::Error,
    },
    /// A file that was named and is no document.
    #[error("cannot tell what {0:?} is: give a folder, or a file that ends in {KNOWN_EXTENSIONS}")]
    UnknownKind(PathBuf),
    /// No documents at all.
    #[error("{0}")]
    Nothing(Box<NothingFound>),
    /// No place for what can only be read from front to back.
    #[error("cannot put documents by to read them again: {0}; name a folder with more room in TMPDIR")]
    NoRoom(io::Error),
    /// Two files that would be written to the same place.
    #[error("{}", collision(.first, .second, .name, *.others))]
    Collision {
        /// One of them.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// Where both would be written, below the output folder.
        name: String,
        /// How many more such pairs there are.
        others: usize,
    },
}

impl ScanError {
    /// The path that is to blame, if it is one that was given.
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

/// What was found in place of documents.
#[derive(Debug)]
pub struct NothingFound {
    /// The paths that were looked at.
    pub roots: Vec<PathBuf>,
    /// The files that are no documents.
    pub ignored: Ignored,
    /// What could not be read.
    pub skipped: Vec<Skipped>,
}

/// More paths than these are no help in an error.
const ROOTS_NAMED: usize = 5;

impl fmt::Display for NothingFound {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let roots = self.roots.iter().take(ROOTS_NAMED).map(|root| format!("{root:?}"));
        write!(f, "no documents in {}", roots.collect::<Vec<_>>().join(", "))?;
        if self.roots.len() > ROOTS_NAMED {
            write!(f, " and {} more", self.roots.len() - ROOTS_NAMED)?;
        }
        write!(f, ": looked for files that end in {KNOWN_EXTENSIONS}, found {}", self.ignored)?;
        match self.skipped.as_slice() {
            [] => Ok(()),
            [only] => write!(f, "; {only}"),
            [first, rest @ ..] => write!(f, "; {first} (and {} more skipped)", rest.len()),
        }
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
        // files of many documents, each given with another root
        false => "give the folder around both, or quote the glob, for their names to keep their folders",
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
            r#""one/x.jsonl" and "two/x.jsonl" would both be written to "x.jsonl": give the folder around both, or quote the glob, for their names to keep their folders"#
        );
    }

    #[test]
    fn of_many_paths_the_first_are_named() {
        let roots = (1..=7).map(|number| PathBuf::from(number.to_string())).collect();
        let nothing = NothingFound { roots, ignored: Ignored::default(), skipped: Vec::new() };
        assert!(nothing.to_string().starts_with(r#"no documents in "1", "2", "3", "4", "5" and 2 more: looked for"#));
    }
}
