//! Why a run over a corpus fails.

use std::io;
use std::path::Path;

use crate::library::LibraryError;
use crate::observer::Stop;
#[cfg(feature = "stream")]
use crate::state::StateError;
use crate::workers::ThreadsError;
use dehusk_core::cleaning::CleanError;
use dehusk_core::setting::Setting;
use dehusk_core::shown::size;
use dehusk_core::tokens::TooManyTokens;
use dehusk_corpus::{OutputError, ScanError, SourceId, SourceIdError};

/// Why a run over a corpus fails. A problem of a single document is not such an error: the document is left out and
/// named.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The observer stopped the run.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// Nothing was found to mine or to clean.
    #[error("there is no document in the corpus")]
    NoDocument,
    /// Everything was skipped: this many files, lines or records.
    #[error("there is no document that can be used: {}", all_skipped(*.0))]
    AllSkipped(usize),
    /// Sources that need more memory than is available, with their need in bytes.
    #[error("{}", not_enough_memory(.needs, *.limit))]
    NotEnoughMemory {
        /// Each source, and the bytes that it may need.
        needs: Vec<(SourceId, u64)>,
        /// The available memory, in bytes.
        limit: u64,
    },
    /// Two sources whose pattern files would have the same name on this system.
    #[error("the patterns of '{0}' and '{1}' would be written to one file; rename one, or mine them in two runs")]
    NamesAlike(SourceId, SourceId),
    /// A source with more tokens than can be mined.
    #[error("source '{source_id}'")]
    TooManyTokens {
        /// The source.
        source_id: SourceId,
        /// The number of tokens, and the limit.
        source: TooManyTokens,
    },
    /// Pattern files that were changed while sources were mined, and cannot be read any more.
    #[error("{} not overwritten: correct the errors, then mine again", dehusk_core::shown::count(*.0, "pattern file was"))]
    BrokenMeanwhile(usize),
    /// The user must change something first. The message names it.
    #[error("{0}")]
    Refused(String),
    /// A file cannot be read or written.
    #[error("{doing}")]
    During {
        /// The action that failed, as the start of the message.
        doing: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// More threads were asked for than may be started, or none.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The search for a regex that a person wrote was given up in a document.
    #[error(transparent)]
    Clean(#[from] CleanError),
    /// Pattern files cannot be used.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The corpus cannot be listed.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The name of a source is not a valid file name.
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
    /// The error that dehusk did not write the file or folder at this place. `instead` is the word "file" or "folder",
    /// for the advice to name another one.
    #[doc(hidden)]
    pub fn of_others(place: &Path, instead: &str) -> PipelineError {
        PipelineError::Refused(format!(
            "{place:?} already exists, and dehusk did not write it: name another {instead}, or add {}",
            Setting::Force
        ))
    }

    pub(crate) fn in_context(doing: String, source: io::Error) -> PipelineError {
        PipelineError::During { doing, source }
    }
}

fn all_skipped(count: usize) -> String {
    if count == 1 { "the only one was skipped".to_owned() } else { format!("all {count} were skipped") }
}

fn not_enough_memory(needs: &[(SourceId, u64)], limit: u64) -> String {
    let needs: Vec<String> =
        needs.iter().map(|(source, need)| format!("source '{source}' may need {}", size(*need))).collect();
    let (needs, limit) = (needs.join(", "), size(limit));
    format!(
        "there is not enough memory: {needs}, and the limit is {limit}; allow more with {}, or mine a part with {}",
        Setting::Memory,
        Setting::Sample
    )
}
