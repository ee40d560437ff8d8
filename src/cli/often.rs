//! Warnings that any document may give rise to.
//!
//! Takes the kind of each; says which are still printed, and how many were not. In a run of millions of documents they
//! would bury all else.

use std::collections::BTreeMap;

/// So many of a kind are printed.
const PRINTED: u64 = 20;

/// What such a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
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
    /// Nothing was mined for a source.
    NoPatterns,
    /// Two sources have almost the same name.
    Alike,
}

/// How many there were of each kind.
#[derive(Debug, Default)]
pub struct Often(BTreeMap<Kind, u64>);

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::Emptied => "nothing is left of a document",
            Kind::KeptWhole => "a document is kept whole",
            Kind::Doubt => "less is removed from a source",
            Kind::NoLesson => "nothing is learned from a source",
            Kind::Cautious => "the shape of a document does not count",
            Kind::Malformed => "bytes of a document were replaced",
            Kind::Converted => "a page is written in UTF-8",
            Kind::Copied => "a file is copied with nothing removed",
            Kind::NoPatterns => "a source has no pattern file",
            Kind::Alike => "two sources are called alike",
        }
    }
}

impl Often {
    /// Counts one more; whether it is to be printed.
    pub fn add(&mut self, kind: Kind) -> bool {
        let count = self.0.entry(kind).or_default();
        *count += 1;
        *count <= PRINTED
    }

    /// A line for each kind of which some were not printed.
    pub fn others(&self) -> Vec<String> {
        let others = self.0.iter().map(|(kind, count)| (kind, count.saturating_sub(PRINTED)));
        let others = others.filter(|(_, count)| *count > 0);
        let plural = |count| if count == 1 { "" } else { "s" };
        others.map(|(kind, count)| format!("and {count} more warning{} that {}", plural(count), kind.words())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_kind_are_printed_and_the_others_counted() {
        let mut often = Often::default();
        let mut printed = |kind, times| (0..times).filter(|_| often.add(kind)).count();
        assert_eq!(
            [printed(Kind::Emptied, 3432), printed(Kind::KeptWhole, 20), printed(Kind::NoPatterns, 21)],
            [20; 3]
        );
        assert_eq!(
            often.others(),
            [
                "and 3412 more warnings that nothing is left of a document",
                "and 1 more warning that a source has no pattern file"
            ]
        );
    }
}
