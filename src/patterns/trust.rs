//! How far what was mined from a source can be relied on.
//!
//! Written into the source's pattern file, where a person can see it and change it. [`trust`](crate::trust) finds it out.

use std::fmt;

/// How far shape and matches can be relied on in the documents of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Trust {
    /// From 0 to 1. So much counts what the shape tells; below [`Trust::LEAST`], of what nobody accepted only that is removed
    /// which stands in its [`Place`](super::Place).
    pub share: f64,
    /// Why it is not 1; empty if it is.
    pub because: String,
}

impl Trust {
    /// In full.
    pub const FULL: Trust = Trust { share: 1.0, because: String::new() };
    /// With less, matches count only where they stand in their place.
    pub const LEAST: f64 = 0.5;

    /// That in what several sources share: the mean of theirs, by their documents.
    pub fn mean<'t>(own: impl Iterator<Item = (&'t Trust, usize)>) -> Option<Trust> {
        let (documents, sum) = own.fold((0.0, 0.0), |(documents, sum), (trust, of_source)| {
            (documents + of_source as f64, sum + trust.share * of_source as f64)
        });
        let share = (100.0 * sum / documents).round() / 100.0;
        let because = if share < 1.0 { "so it is, on the whole, in the sources that were mined" } else { "" };
        (documents > 0.0).then(|| Trust { share, because: because.to_owned() })
    }

    /// Whether nothing speaks against it.
    pub fn is_full(&self) -> bool {
        self.share >= 1.0
    }

    /// What there is to tell of it, if it is not full.
    pub fn doubt(&self) -> Option<String> {
        (!self.is_full()).then(|| self.to_string())
    }

    /// Whether matches count wherever they stand.
    pub fn is_anywhere(&self) -> bool {
        self.share >= Trust::LEAST
    }
}

impl fmt::Display for Trust {
    /// As a person would say it.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.share {
            share if share < Trust::LEAST => write!(f, "only what stands at the ends of its documents is removed"),
            share if share < 1.0 => write!(f, "what its text looks like counts by {share:.2}"),
            _ => write!(f, "matches and shape decide"),
        }?;
        if self.because.is_empty() { Ok(()) } else { write!(f, ", for {}", self.because) }
    }
}
