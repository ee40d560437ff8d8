//! Warnings that many documents can cause.
//!
//! Takes the kind of each warning. Says whether the warning is shown, and counts the warnings that are not. In a run
//! with millions of documents, these would hide all other messages.

use std::collections::BTreeMap;

use crate::observer::WarningKind;
use dehusk_corpus::skipped::NAMED_ALIKE;

/// Maximum number of warnings of this kind that are shown.
fn shown(kind: WarningKind) -> u64 {
    match kind {
        WarningKind::Rare => u64::MAX,
        WarningKind::Keys => 1,
        _ => NAMED_ALIKE as u64,
    }
}

/// The number of warnings of each kind.
#[derive(Clone, Debug, Default)]
pub struct Often(BTreeMap<WarningKind, u64>);

/// What the warning is about, in words.
fn words(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::Emptied => "nothing is left of a document",
        WarningKind::KeptWhole => "a document is kept whole",
        WarningKind::TooSmall => "a source is too small to mine",
        WarningKind::Unusual => "a source is unlike all text that dehusk has learned from",
        WarningKind::NoLesson => "nothing is learned from a document",
        WarningKind::IgnoredChoices => "options for pages have no effect on a document",
        WarningKind::Malformed => "bytes of a document were replaced",
        WarningKind::Converted => "a page is written in UTF-8",
        WarningKind::Copied => "a file is copied with nothing removed",
        WarningKind::Capped => "a page has very many elements",
        WarningKind::NoPatterns => "a source has no pattern file",
        WarningKind::Alike => "2 sources have names that are nearly equal",
        _ => "something happened",
    }
}

impl Often {
    /// Counts a warning. Returns whether it is shown: only the first ones of each kind are.
    pub fn add(&mut self, kind: WarningKind) -> bool {
        let count = self.0.entry(kind).or_default();
        *count += 1;
        *count <= shown(kind)
    }

    /// A line for each kind with warnings that were not shown, with their number.
    pub fn others(&self) -> Vec<String> {
        let others = self.0.iter().map(|(kind, count)| (kind, count.saturating_sub(shown(*kind))));
        // One warning about unexpected keys is enough, so the number of the others is not told.
        let others = others.filter(|(kind, count)| *count > 0 && **kind != WarningKind::Keys);
        let plural = |count| if count == 1 { "" } else { "s" };
        others.map(|(kind, count)| format!("and {count} more warning{} that {}", plural(count), words(*kind))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_kind_are_shown_and_the_others_counted() {
        let mut often = Often::default();
        let mut shown = |kind, times| (0..times).filter(|_| often.add(kind)).count();
        assert_eq!(
            [
                shown(WarningKind::Emptied, 3432),
                shown(WarningKind::KeptWhole, 20),
                shown(WarningKind::NoPatterns, 21),
                shown(WarningKind::Rare, 9)
            ],
            [3, 3, 3, 9]
        );
        assert_eq!(
            often.others(),
            [
                "and 3429 more warnings that nothing is left of a document",
                "and 17 more warnings that a document is kept whole",
                "and 18 more warnings that a source has no pattern file"
            ]
        );
    }
}
