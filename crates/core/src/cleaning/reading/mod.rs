//! Reads a document: its tokens, their layout, and the matches of patterns. Nothing is weighed here.

pub mod block_search;
pub mod layout;
pub mod matcher;
pub mod partition;
pub mod regexes;
pub mod search;

mod gaps;
mod slotted;

use std::ops::Range;

use crate::dom::block_model::JudgedPage;
use layout::Layout;
use matcher::Tokens;

/// A match as a range of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The tokens that the match covers.
    pub tokens: Range<usize>,
    /// Its pattern's index.
    pub pattern: usize,
}

/// A tokenized text with its matches.
#[derive(Debug, Default)]
pub struct Reading {
    /// The tokens of the text.
    pub tokens: Tokens,
    /// Sums over the tokens.
    pub layout: Layout,
    /// All matches of all applied patterns, including overlapping ones.
    pub matches: Vec<Match>,
    /// All matches of rejected patterns. Indices are as in [`Cleaner::rejected`](crate::cleaning::Cleaner::rejected).
    pub rejected: Vec<Match>,
    /// Matches of evidence that meet a rejected match, and so do not count as evidence.
    pub silenced: Vec<Match>,
    /// Whether each token is covered by a rejected match.
    pub is_rejected: Vec<bool>,
    /// The matches of blocks, and of selectors: the text that they would remove from the page. These matches are not
    /// evidence about other text.
    pub selected: Vec<Match>,
    /// The tokens of texts to keep.
    pub kept: Vec<Range<usize>>,
    /// The blocks of the page that has this text, if they were read
    /// ([`Cleaner::read_page`](crate::cleaning::Cleaner::read_page),
    /// [`Cleaner::read_tree`](crate::cleaning::Cleaner::read_tree)).
    pub page: Option<JudgedPage>,
}

impl Reading {
    /// The matches of the applied patterns: first those in the text, then those in the page.
    pub fn found(&self) -> impl Iterator<Item = &Match> {
        self.matches.iter().chain(&self.selected)
    }
}
