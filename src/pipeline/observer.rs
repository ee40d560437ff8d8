//! What a run over a corpus tells whoever started it, and asks.

use std::any::Any;
use std::error::Error;
use std::time::Duration;

/// The amount of work in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Documents, files or sources.
    Things(u64),
    /// Bytes; `None` if the total is unknown, for example for a pipe.
    Bytes(Option<u64>),
}

/// What a warning is about. A run of millions of documents can give millions of warnings of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WarningKind {
    /// Something that happens a few times a run at most.
    Rare,
    /// Nothing is left of a document.
    Emptied,
    /// Too much of a document would have gone.
    KeptWhole,
    /// A source is no news, or not as it was expected to be.
    Doubt,
    /// A source is no news, and so no lesson.
    NoLesson,
    /// The shape of a document's text was not counted.
    Cautious,
    /// Some bytes of a document mean nothing in its encoding.
    Malformed,
    /// A page changed its encoding.
    Converted,
    /// A file with many documents was copied, though some of them could have been cleaned.
    Copied,
    /// There is no pattern file for a source.
    NoPatterns,
    /// Two sources have almost the same name.
    Alike,
}

/// Why a run must stop: whatever the observer says.
pub type Stop = Box<dyn Error + Send + Sync>;

/// Permission to write a file, for as long as it is held.
pub type Permission = Box<dyn Any>;

/// Watches a run. Every method has a default that does nothing, so that an empty implementation runs in silence.
///
/// Methods are called from many threads.
pub trait Observer: Sync {
    /// A stage begins.
    fn start(&self, _stage: &'static str, _steps: Steps) {}

    /// Some steps of the stage are done.
    fn step(&self, _steps: u64) {}

    /// An earlier run did some steps of the stage.
    fn step_done_before(&self, _steps: u64) {}

    /// The stage is over.
    fn finish(&self) {}

    /// How long a stage took.
    fn took(&self, _stage: &'static str, _time: Duration) {}

    /// Something the user should know.
    fn warn(&self, _kind: WarningKind, _message: &str) {}

    /// Something went wrong that does not stop the run at once; an error follows at its end.
    fn error(&self, _message: &str) {}

    /// A document is left out; the message names it and says why. The same message may come more than once.
    fn skip(&self, _message: &str) {}

    /// An earlier run left out more documents of an input than those it named.
    fn skip_unnamed(&self, _input: &str, _count: usize) {}

    /// Asked often: an error stops the run, with no file half written.
    ///
    /// # Errors
    /// If the run has to stop.
    fn go_on(&self) -> Result<(), Stop> {
        Ok(())
    }

    /// Asked before a file is written, and held until it is. Who ends the process waits until nobody holds one.
    ///
    /// # Errors
    /// If the run has to stop.
    fn writing(&self) -> Result<Permission, Stop> {
        self.go_on()?;
        Ok(Box::new(()))
    }
}

/// An observer that ignores all, and never stops a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
