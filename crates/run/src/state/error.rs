//! Errors of a state.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::FORMAT;

/// A state that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct StateError {
    /// The file.
    pub path: PathBuf,
    /// The problem.
    pub problem: Problem,
}

/// A problem of a state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file is not a state.
    #[error("is not a state of a stream: name another file, or one that does not exist yet")]
    NoState,
    /// A new state would overwrite a file.
    #[error("already exists: use it unchanged, or name another file")]
    Exists,
    /// The format version is not known.
    #[error(
        "is a state of format {0}, but this dehusk reads format {FORMAT}: use a version that reads it, or begin a new \
         state"
    )]
    OtherFormat(u32),
    /// Another run has it open.
    #[error("is in use by another run: wait until that run has ended, or give this run its own state")]
    InUse,
    /// Its segments were made with another lexer.
    #[error(
        "was learned with another tokenizer or other mutable patterns, which give other segments: use those, or begin \
         a new state"
    )]
    OtherLexer,
    /// The lexer of its segments cannot be used.
    #[error("its mutable patterns cannot be read")]
    BrokenLexer,
    /// Its contents are inconsistent.
    #[error("is damaged ({0}): restore it from a backup, or begin a new one")]
    Damaged(String),
    /// An error of the system.
    #[error("{0}")]
    Io(io::Error),
    /// An error of the database.
    #[error("{0}")]
    Database(Box<redb::Error>),
}

impl Problem {
    pub(super) fn at(self, path: &Path) -> StateError {
        StateError { path: path.to_owned(), problem: self }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            ErrorKind::AlreadyExists => Problem::Exists,
            _ => Problem::Io(error),
        }
    }
}

impl From<redb::Error> for Problem {
    fn from(error: redb::Error) -> Problem {
        match error {
            redb::Error::DatabaseAlreadyOpen => Problem::InUse,
            redb::Error::Corrupted(what) => Problem::Damaged(what),
            redb::Error::Io(error) if is_invalid(&error) => Problem::NoState,
            redb::Error::Io(error) => Problem::Io(error),
            error => Problem::Database(Box::new(error)),
        }
    }
}

/// Whether redb's error means that the file does not start like a redb file.
fn is_invalid(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof)
}

/// redb has one error type per call. All are converted through `redb::Error`.
macro_rules! from_redb {
    ($($error:ident),*) => {
        $(impl From<redb::$error> for Problem {
            fn from(error: redb::$error) -> Problem {
                redb::Error::from(error).into()
            }
        })*
    };
}

from_redb!(DatabaseError, TransactionError, TableError, StorageError, CommitError);
