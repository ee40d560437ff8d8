//! Judges the removal from a document by means of its gold text.
//!
//! A [score](dehusk_run::scoring::score) judges the text that is left. This module judges the removal: how much of the
//! removed text was boilerplate, and how much of the boilerplate was removed.

use serde::Serialize;

use dehusk_run::scoring::words::Bag;

/// Numbers of words (or of blocks) of one document, or their sums over several documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Removal {
    /// Number of words removed.
    pub removed: usize,
    /// Number of removed words that are not gold.
    pub right: usize,
    /// Number of words of the document that are not gold.
    pub boilerplate: usize,
}

impl Removal {
    /// The removal from a document, given its words, the kept words, and the gold words.
    pub fn of(words: &Bag, kept: &Bag, gold: &Bag) -> Removal {
        let content = words.common(gold).total();
        let lost = content.saturating_sub(kept.common(gold).total());
        let removed = words.without(kept).total();
        Removal { removed, right: removed.saturating_sub(lost), boilerplate: words.total() - content }
    }

    /// The sum of several.
    pub fn sum(removals: impl IntoIterator<Item = Removal>) -> Removal {
        let add = |a: Removal, b: Removal| Removal {
            removed: a.removed + b.removed,
            right: a.right + b.right,
            boilerplate: a.boilerplate + b.boilerplate,
        };
        removals.into_iter().fold(Removal::default(), add)
    }

    /// The share of the removed words that are not gold. `None` if none were removed.
    pub fn precision(&self) -> Option<f64> {
        share(self.right, self.removed)
    }

    /// The share of the boilerplate that was removed. `None` if there is no boilerplate.
    pub fn recall(&self) -> Option<f64> {
        share(self.right, self.boilerplate)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removal(text: &str, kept: &str, gold: &str) -> Removal {
        Removal::of(&Bag::of(text), &Bag::of(kept), &Bag::of(gold))
    }

    #[test]
    fn a_removal_by_hand() {
        // Six of ten words are gold. Five were removed, one of them gold.
        let all = "Home News the ferry is late again today Share Print";
        let hand = removal(all, "ferry is late again today", "the ferry is late again today");
        assert_eq!(hand, Removal { removed: 5, right: 4, boilerplate: 4 });
        assert_eq!((hand.precision(), hand.recall()), (Some(0.8), Some(1.0)));
    }

    #[test]
    fn there_may_be_nothing_to_speak_of() {
        let none = removal("a b", "a b", "a b");
        assert_eq!((none.precision(), none.recall()), (None, None));
        assert_eq!(removal("a b", "a b", "a").recall(), Some(0.0));
    }

    #[test]
    fn gold_words_that_the_document_lacks_do_not_count() {
        assert_eq!(removal("menu a", "a", "a b c"), Removal { removed: 1, right: 1, boilerplate: 1 });
    }

    #[test]
    fn sums_are_those_of_words() {
        let sum = Removal::sum([removal("menu a", "a", "a"), removal("menu a", "menu", "a")]);
        assert_eq!(sum, Removal { removed: 2, right: 1, boilerplate: 2 });
    }
}
