//! A [`Cleaner`] joins the modules of cleaning: it compiles patterns once, then reads, weighs, decides about and
//! explains one document after another. Each of these steps has a file of its own. Only this module handles both texts
//! and pages: the other modules of cleaning do not use the tree of a page.

mod compile;
mod decide;
pub mod drift;
mod explain;
mod options;
mod part;
mod read;
mod weigh;

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::decide::evidence::{PatternIndex, Weight, Weights};
use super::reading::Match;
use super::reading::regexes::MatchError;
use crate::pages::elements::Selectors;
use crate::patterns::{Loose, Pattern, Status};
use crate::tokens::Lexer;
use crate::tokens::free_positions::FreePositions;
pub use compile::Compiler;
pub(crate) use compile::{Review, Reviewed};
pub use options::{CleanOptions, Method};
use part::Part;

/// The search for a pattern that a person wrote did not finish, so it is unknown which text to remove.
#[derive(Debug, thiserror::Error)]
#[error("pattern {id}: {source}; make the regex simpler, or reject the pattern")]
pub struct CleanError {
    /// The pattern's id.
    pub id: String,
    /// Why the search did not finish.
    pub source: MatchError,
}

/// Cleans the documents of one source. Clones share the compiled patterns.
#[derive(Clone, Debug)]
pub struct Cleaner {
    /// The patterns of each file. Decisions are about the tokens of the first one's lexer.
    parts: Arc<[Placed]>,
    /// The selectors of the applied patterns, and those of rejected patterns.
    selectors: Arc<[Selectors; 2]>,
    /// Whether recurrence alone decides: the source is unlike all text that the model has learned from, or its
    /// documents are snapshots of one page.
    recurrence_decides: bool,
    /// What is done with text that no pattern for people matches.
    loose: Loose,
    /// Whether one of the files was mined from documents of the source itself.
    is_of_source: bool,
    options: CleanOptions,
}

/// The origin of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Index of the file in the files of the [`Cleaner`].
    pub file: usize,
    /// Index of the pattern in the file.
    pub index: usize,
}

/// A part, and where its patterns are among those of the cleaner.
#[derive(Debug)]
struct Placed {
    part: Arc<Part>,
    /// The index of its first applied pattern.
    first_applied: usize,
    /// The index of its first rejected pattern among all rejected ones.
    first_rejected: usize,
}

/// A stretch of a text that recurs in its source, according to the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurring {
    /// The tokens of the stretch.
    pub tokens: Range<usize>,
    /// The facts about the stretch, as for a pattern.
    pub weight: Weight,
}

/// The matches that count, and the weights of their patterns.
struct Weighed<'a> {
    matches: &'a [Match],
    weights: Weights<'a>,
    /// Whether some of the evidence comes from the document's own source.
    is_of_source: bool,
}

/// Scratch space of one thread, for any number of [`Cleaner`]s.
#[derive(Debug, Default)]
pub struct Scratch {
    lexers: Vec<Lexer>,
}

impl Scratch {
    /// This thread's copy of a lexer.
    pub(crate) fn lexer(&mut self, lexer: &Lexer) -> &mut Lexer {
        let known = self.lexers.iter().position(|known| same_lexer(known, lexer));
        let index = known.unwrap_or_else(|| {
            self.lexers.push(lexer.clone());
            self.lexers.len() - 1
        });
        &mut self.lexers[index]
    }
}

impl Cleaner {
    /// The applied patterns: those of the first file, then those of the next.
    pub fn patterns(&self) -> impl Iterator<Item = &Pattern> + Clone {
        self.parts.iter().flat_map(|placed| &placed.part.applied)
    }

    /// The rejected patterns.
    #[doc(hidden)]
    pub fn rejected(&self) -> impl Iterator<Item = &Pattern> + Clone {
        self.parts.iter().flat_map(|placed| &placed.part.rejected)
    }

    /// Number of applied patterns.
    pub fn count(&self) -> usize {
        self.parts.last().map_or(0, |placed| placed.first_applied + placed.part.applied.len())
    }

    /// The applied pattern with this index, as matches name it.
    ///
    /// # Panics
    /// If there are not so many patterns.
    pub fn pattern(&self, index: usize) -> &Pattern {
        let (Placed { part, .. }, index) = self.part_of(index);
        &part.applied[index]
    }

    /// The origin of a pattern. The indices of rejected patterns follow those of the applied ones. `None` for evidence,
    /// which is not shown to people.
    #[doc(hidden)]
    pub fn origin(&self, index: usize) -> Option<Origin> {
        let of_part = |file: usize, index: usize| Some(Origin { file, index: self.parts[file].part.indices[index]? });
        match index.checked_sub(self.count()) {
            None => {
                let file = self.parts.partition_point(|placed| placed.first_applied <= index) - 1;
                of_part(file, index - self.parts[file].first_applied)
            }
            Some(rejected) => {
                let file = self.parts.partition_point(|placed| placed.first_rejected <= rejected) - 1;
                let Placed { part, first_rejected, .. } = &self.parts[file];
                of_part(file, part.applied.len() + rejected - first_rejected)
            }
        }
    }

    /// The part that has an applied pattern, and the index of the pattern there.
    fn part_of(&self, index: usize) -> (&Placed, usize) {
        let part = &self.parts[self.parts.partition_point(|placed| placed.first_applied <= index) - 1];
        (part, index - part.first_applied)
    }

    /// Whether a pattern is only evidence. False for a recurring stretch that the caller gave.
    fn is_evidence(&self, pattern: usize) -> bool {
        let (Placed { part, .. }, index) = self.part_of(pattern);
        index < part.applied.len() && part.indices[index].is_none()
    }

    fn weights(&self) -> Weights<'_> {
        self.parts.iter().map(|placed| &*placed.part.weights).collect()
    }
}

/// Whether a person confirmed the pattern: by accepting it, or by writing it without counts.
fn is_certain(pattern: &Pattern) -> bool {
    pattern.status == Status::Accepted || (!pattern.is_as_mined() && pattern.documents == 0)
}

/// Calls `explain` once for each token that a match covers, with the pattern of that match. If matches overlap, the
/// longest one counts.
fn longest_first(mut matches: Vec<&Match>, tokens: usize, mut explain: impl FnMut(usize, PatternIndex)) {
    matches.sort_unstable_by_key(|found| (Reverse(found.tokens.len()), found.tokens.start, found.pattern));
    let mut free = FreePositions::new(tokens);
    for found in matches {
        free.take(found.tokens.clone(), |token| explain(token, PatternIndex::new(found.pattern)));
    }
}

pub(crate) fn same_lexer(a: &Lexer, b: &Lexer) -> bool {
    Arc::ptr_eq(a.mutable(), b.mutable()) && a.tokenizer().name() == b.tokenizer().name()
}

#[cfg(test)]
mod tests;
