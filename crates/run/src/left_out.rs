//! A document that is left out of a run: its place, the reason, and what the user can do about it.

use std::fmt;

use crate::observer::{Observer, WarningKind};
use dehusk_corpus::Skipped;

/// A document that is left out.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The place of the document: a path, with the number of the line or record if there is one.
    pub place: String,
    /// The reason.
    pub reason: String,
    /// Advice for the user that is worth giving only once, if there is any.
    pub advice: Option<Box<str>>,
}

impl LeftOut {
    /// The document at this place, left out for this reason.
    pub fn new(place: impl fmt::Display, reason: impl fmt::Display) -> LeftOut {
        LeftOut { place: place.to_string(), reason: reason.to_string(), advice: None }
    }

    /// Reports the document to the observer, with the advice as a warning.
    pub fn tell(&self, observer: &dyn Observer) {
        observer.skip(&self.place, &self.reason);
        if let Some(advice) = &self.advice {
            observer.warn(WarningKind::Keys, advice);
        }
    }
}

impl From<&Skipped> for LeftOut {
    fn from(skipped: &Skipped) -> LeftOut {
        LeftOut { advice: skipped.advice.clone(), ..LeftOut::new(skipped.place(), &skipped.reason) }
    }
}

impl From<Skipped> for LeftOut {
    fn from(skipped: Skipped) -> LeftOut {
        LeftOut::from(&skipped)
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// Tells the observer of an input that could not be read, such as one of
/// [`Inventory::skipped`](dehusk_corpus::Inventory::skipped).
pub fn tell_of_skipped(skipped: &Skipped, observer: &dyn Observer) {
    LeftOut::from(skipped).tell(observer);
}
