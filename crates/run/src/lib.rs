//! Work on whole corpora, as most commands of `dehusk` do. This crate is for the other crates of the workspace; it
//! promises nothing to other users.
//!
//! Takes files and options, gives files and counts. An [`Observer`] is told about the progress of a run, its warnings,
//! and documents that are left out. It can stop the run at any time. Errors are of type [`PipelineError`].

pub mod clean;
pub mod error;
pub mod explain;
pub mod fields;
pub mod pages;
pub mod left_out;
pub mod library;
pub mod mine;
pub mod observer;
pub mod often;
pub mod pattern_search;
pub mod reading;
mod room;
pub mod record;
pub mod scoring;
#[cfg(feature = "stream")]
pub mod state;
#[cfg(feature = "stream")]
pub mod stream;
mod unknown;
mod waves;
pub mod workers;

pub use clean::spans::{Removed, SpanUnit, removed};
pub use clean::{Cleaned, CleanedSource, CorpusCleanOptions, Target, clean_corpus};
pub use error::{PipelineError, Result};
pub use left_out::tell_of_skipped;
pub use library::{FilesOfSource, Library, LibraryError};
pub use mine::candidates::{candidates_by_source, combine, mine_candidates};
pub use mine::combine::{Combiner, MinedCorpus, MinedSource, Samples};
pub use mine::mining::{Miner, mine_corpus, mine_library};
pub use mine::options::CorpusMineOptions;
pub use observer::{Observer, Permission, Silent, Steps, Stop, WarningKind};
pub use often::Often;
pub use pattern_search::PatternSearch;
#[cfg(feature = "stream")]
pub use stream::{StreamMethod, StreamOptions, StreamTarget, StreamedSource, TableChanges, stream_corpus};
pub use workers::{ThreadsError, checked_threads, in_own_pool};

use std::path::Path;
use std::time::Instant;

use dehusk_core::cleaning::CleanOptions;
use dehusk_corpus::{HtmlView, OutputFile, OutputKind, Reads};

/// Adapts the options to the form in which pages are read: the model was not made for markup, so it does not decide
/// about markup.
pub fn suited(options: CleanOptions, html: HtmlView) -> CleanOptions {
    if html.is_text() { options } else { options.decision(None) }
}

/// Runs a stage, and tells the observer how long it took.
fn timed<T>(stage: &'static str, observer: &dyn Observer, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    observer.took(stage, start.elapsed());
    result
}

/// Creates an output file, which must not be one of the files that the run reads. It may replace a file of the same
/// kind; with `force`, any file.
///
/// # Errors
/// If the run reads the file, or another kind of file exists there.
pub fn output_file(path: &Path, reads: &Reads, kind: OutputKind, force: bool) -> Result<OutputFile> {
    let file = OutputFile::create(path, reads)?;
    if !force && !file.is_of_kind(kind)? {
        return Err(PipelineError::of_others(path, "file"));
    }
    Ok(file)
}
