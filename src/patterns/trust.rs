//! Trust: how far mined patterns and shape can be relied on in a source.
//!
//! It is written to the source's pattern file, where a person can see and change it. [`trust`](crate::selection::trust) computes
//! it.

use std::fmt;

/// How far shape and matches can be relied on in the documents of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Trust {
    /// From 0 to 1: the weight of the shape. Below [`Trust::LEAST`], patterns that nobody accepted are only applied at
    /// their [`Place`](super::Place).
    pub share: f64,
    /// Why it is not 1; empty if it is.
    pub because: String,
}

impl Trust {
    /// Full trust.
    pub const FULL: Trust = Trust { share: 1.0, because: String::new() };
    /// With less, matches count only at their place.
    pub const LEAST: f64 = 0.5;

    /// The trust for shared patterns: the mean of the sources' trust, weighted by their documents.
    #[doc(hidden)]
    pub fn mean<'t>(own: impl Iterator<Item = (&'t Trust, usize)>) -> Option<Trust> {
        let (documents, sum) = own.fold((0.0, 0.0), |(documents, sum), (trust, of_source)| {
            (documents + of_source as f64, sum + trust.share * of_source as f64)
        });
        let share = (100.0 * sum / documents).round() / 100.0;
        let because = if share < 1.0 { "this is the average of the sources that were mined" } else { "" };
        (documents > 0.0).then(|| Trust { share, because: because.to_owned() })
    }

    /// Whether there is no doubt.
    pub fn is_full(&self) -> bool {
        self.share >= 1.0
    }

    /// A message about it, if it is not full.
    pub fn doubt(&self) -> Option<String> {
        (!self.is_full()).then(|| self.to_string())
    }

    /// Whether matches count everywhere in a document.
    #[doc(hidden)]
    pub fn is_anywhere(&self) -> bool {
        self.share >= Trust::LEAST
    }
}

impl fmt::Display for Trust {
    /// As text for people.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.share {
            share if share < Trust::LEAST => write!(f, "only text at the ends of its documents is removed"),
            share if share < 1.0 => write!(f, "the shape of its text counts by {share:.2}"),
            _ => write!(f, "matches and shape decide"),
        }?;
        if self.because.is_empty() { Ok(()) } else { write!(f, ", because {}", self.because) }
    }
}
