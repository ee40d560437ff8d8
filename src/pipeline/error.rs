//! Why a run over a corpus fails.

use std::io;
use std::path::Path;

use super::library::LibraryError;
use super::observer::Stop;
use crate::corpus::{OutputError, ScanError, SourceId, SourceIdError};
use crate::shown::size;
#[cfg(feature = "stream")]
use crate::streaming::state::StateError;
use crate::tokens::TooManyTokens;

/// Why a run over a corpus fails. What is wrong with a single document does not: the document is left out, and named.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The observer asked for it.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// Nothing was found to mine or to clean.
    #[error("there is no document in the corpus")]
    NoDocument,
    /// Sources that need more memory than there is, with their need in bytes.
    #[error("{}", not_enough_memory(.needs, *.limit))]
    NotEnoughMemory {
        /// Each source, and what it may need, in bytes.
        needs: Vec<(SourceId, u64)>,
        /// What there is, in bytes.
        limit: u64,
    },
    /// Two sources whose pattern files would have one name here.
    #[error("the patterns of '{0}' and '{1}' would be written to one file; rename one, or mine them in two runs")]
    NamesAlike(SourceId, SourceId),
    /// A source with more tokens than can be mined.
    #[error("source '{source_id}'")]
    TooManyTokens {
        /// Which.
        source_id: SourceId,
        /// How many.
        source: TooManyTokens,
    },
    /// Pattern files that were changed while sources were mined, and cannot be read any more.
    #[error("{} not written over: mend, then mine again", crate::shown::count(*.0, "pattern file was"))]
    BrokenMeanwhile(usize),
    /// Something that the user has to change first; the message says what.
    #[error("{0}")]
    Refused(String),
    /// A file cannot be read or written, while this was done.
    #[error("{doing}")]
    During {
        /// What was done, or could not be.
        doing: String,
        /// Why not.
        source: io::Error,
    },
    /// Pattern files cannot be used.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The corpus cannot be listed.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// A source has a name that no file can have.
    #[error(transparent)]
    SourceId(#[from] SourceIdError),
    /// The state of a stream cannot be used.
    #[cfg(feature = "stream")]
    #[error(transparent)]
    State(#[from] StateError),
    /// An output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The result of a step of the pipeline.
pub type Result<T> = std::result::Result<T, PipelineError>;

impl PipelineError {
    /// What stands in a place was not written by dehusk; what to name instead is a file or a folder.
    #[doc(hidden)]
    pub fn of_others(place: &Path, instead: &str) -> PipelineError {
        PipelineError::Refused(format!(
            "{place:?} is there already, and dehusk has not written it: name another {instead}, or add --force"
        ))
    }

    pub(super) fn in_context(doing: String, source: io::Error) -> PipelineError {
        PipelineError::During { doing, source }
    }
}

fn not_enough_memory(needs: &[(SourceId, u64)], limit: u64) -> String {
    let needs: Vec<String> =
        needs.iter().map(|(source, need)| format!("source '{source}' may need {}", size(*need))).collect();
    let (needs, limit) = (needs.join(", "), size(limit));
    format!("there is not enough memory: {needs}, of {limit}; give it more with --memory, or mine a part with --sample")
}
