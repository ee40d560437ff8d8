//! The interface between a run over a corpus and the program that started it.

use std::any::Any;
use std::error::Error;
use std::time::Duration;

use dehusk_corpus::Inventory;

/// The amount of work in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Documents, files or sources.
    Things(u64),
    /// Bytes; `None` if the total is unknown, for example for a pipe.
    Bytes(Option<u64>),
}

impl From<usize> for Steps {
    fn from(things: usize) -> Steps {
        Steps::Things(things as u64)
    }
}

/// The kind of a warning. A run of millions of documents can give millions of warnings of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WarningKind {
    /// Something that happens at most a few times in a run.
    Rare,
    /// Nothing of a document is left.
    Emptied,
    /// Too much of a document would have been removed.
    KeptWhole,
    /// A source has too few documents to be mined.
    TooSmall,
    /// A source is unlike all that the model has learned from.
    Unusual,
    /// A document or a source is not used as a lesson.
    NoLesson,
    /// Choices of the user for pages have no effect on a document.
    IgnoredChoices,
    /// Some bytes of a document are not valid in its encoding.
    Malformed,
    /// A page changed its encoding.
    Converted,
    /// A file with many documents was copied, although some of them could have been cleaned.
    Copied,
    /// A page has more elements than are tried.
    Capped,
    /// There is no pattern file for a source.
    NoPatterns,
    /// Two sources have almost the same name.
    Alike,
    /// Documents have other keys than expected. It is enough to say it once.
    Keys,
}

/// The reason why a run must stop, as the observer gives it.
pub type Stop = Box<dyn Error + Send + Sync>;

/// Permission to write a file, valid while it is held.
pub type Permission = Box<dyn Any>;

/// Watches a run. Every method has a default that does nothing, so an empty implementation runs silently.
///
/// Methods are called from many threads.
pub trait Observer: Sync {
    /// A stage begins.
    fn start(&self, _stage: &'static str, _steps: Steps) {}

    /// Some steps of the stage are done.
    fn step(&self, _steps: u64) {}

    /// An earlier run already did some steps of the stage.
    fn step_done_before(&self, _steps: u64) {}

    /// The stage is over.
    fn finish(&self) {}

    /// A stage is over, and took this time.
    fn took(&self, _stage: &'static str, _time: Duration) {}

    /// Something the user should know.
    fn warn(&self, _kind: WarningKind, _message: &str) {}

    /// Something went wrong that does not stop the run at once. An error follows at its end.
    fn error(&self, _message: &str) {}

    /// A document is left out: its place, and the reason. The same document may come several times.
    fn skip(&self, _place: &str, _reason: &str) {}

    /// A document is left out, and several others of its file are left out for the same kind of reason. The others are
    /// given to [`skip`](Observer::skip), perhaps later, so this one need not be named.
    fn skip_alike(&self, place: &str, reason: &str) {
        self.skip(place, reason);
    }

    /// Something was done that the user asked for.
    fn note(&self, _message: &str) {}

    /// An earlier run left out more documents of an input than it named.
    fn skip_unnamed(&self, _input: &str, _count: usize) {}

    /// Called often, to ask whether the run may go on. An error stops the run, and leaves no incomplete file.
    ///
    /// # Errors
    /// If the run must stop.
    fn go_on(&self) -> Result<(), Stop> {
        Ok(())
    }

    /// Called before a file is written. The permission is held until the file is written. A program that ends the
    /// process waits until no permission is held.
    ///
    /// # Errors
    /// If the run must stop.
    fn writing(&self) -> Result<Permission, Stop> {
        self.go_on()?;
        Ok(Box::new(()))
    }
}

/// Warns of keys that the user named and that no document has.
pub fn tell_of_unknown_keys(inventory: &Inventory, observer: &dyn Observer) {
    inventory.unknown_keys().iter().for_each(|message| observer.warn(WarningKind::Rare, message));
}

/// An observer that ignores everything and never stops a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
