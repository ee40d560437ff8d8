//! Why a run cannot start: the input as a whole makes no sense.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

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

const KNOWN_EXTENSIONS: &str = ".txt, .md, .html, .htm, .jsonl or .ndjson";

impl fmt::Display for NothingFound {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let roots: Vec<String> = self.roots.iter().map(|root| format!("{root:?}")).collect();
        write!(
            f,
            "no documents in {}: looked for files that end in {KNOWN_EXTENSIONS}, found {}",
            roots.join(", "),
            self.ignored
        )?;
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
    format!(
        "{first:?} and {second:?} would both be written to {name:?}{more}: \
         rename one, or clean them in two runs"
    )
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
    }
}
