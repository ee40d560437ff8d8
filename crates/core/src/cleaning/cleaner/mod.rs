//! A [`Cleaner`] joins the rooms: it compiles patterns once, then reads, weighs, decides and explains one document
//! after another, each verb in a file of its own. It also joins texts and pages: the other rooms know no tree.

mod compile;
mod decide;
pub mod drift;
mod explain;
mod options;
mod read;
mod weigh;

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::decide::evidence::{PatternIndex, Weight};
use super::reading::Match;
use super::reading::matcher::TokenAutomaton;
use super::reading::regexes::{MatchError, Regexes};
use crate::pages::elements::Selectors;
use crate::patterns::Pattern;
use crate::tokens::Lexer;
use crate::tokens::free_positions::FreePositions;
pub(crate) use compile::{Review, Reviewed};
pub use options::{CleanOptions, Method};

/// The search for a pattern that a person wrote was not finished. So it is not known what to remove.
#[derive(Debug, thiserror::Error)]
#[error("pattern {id}: {source}; make the regex simpler, or reject the pattern")]
pub struct CleanError {
    /// The pattern's id.
    pub id: String,
    /// Why.
    pub source: MatchError,
}

/// Cleans the documents of one source. Clones share the compiled patterns.
#[derive(Clone, Debug)]
pub struct Cleaner {
    patterns: Arc<[Pattern]>,
    rejected: Arc<[Pattern]>,
    origins: Arc<[Option<Origin>]>,
    weights: Arc<[Weight]>,
    reaches_cutoff: Arc<[bool]>,
    /// Patterns mined with the same lexer share an automaton. The tokens of the first lexer get the labels.
    readers: Arc<[Reader]>,
    /// Patterns that run on the regex engine, by index. Rejected patterns come after the applied ones. They are matched
    /// because their text must be kept.
    regexes: Arc<Regexes>,
    keeps: Arc<Regexes>,
    /// The selectors of the applied patterns, and those of rejected patterns.
    selectors: Arc<[Selectors; 2]>,
    /// Whether recurrence alone decides: the source is unlike all that the model has learned from, or its documents are
    /// snapshots of one page.
    recurrence_decides: bool,
    /// Whether a file is of the source itself.
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

#[derive(Debug)]
struct Reader {
    lexer: Lexer,
    automaton: TokenAutomaton,
}

/// A stretch of a text that recurs, as the caller knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurring {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// The facts about it, as for a pattern.
    pub weight: Weight,
}

/// The matches that count, and the weights of their patterns.
#[derive(Clone, Copy)]
struct Weighed<'a> {
    matches: &'a [Match],
    weights: &'a [Weight],
    /// Whether the patterns are of the document's source.
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
    /// The applied patterns.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The rejected patterns.
    #[doc(hidden)]
    pub fn rejected(&self) -> &[Pattern] {
        &self.rejected
    }

    /// The origin of each pattern: first the applied ones, then the rejected ones. `None` for evidence that is no
    /// pattern for people.
    #[doc(hidden)]
    pub fn origins(&self) -> &[Option<Origin>] {
        &self.origins
    }

    /// Whether a pattern is only evidence.
    fn is_evidence(&self, pattern: usize) -> bool {
        self.origins.get(pattern).is_some_and(Option::is_none)
    }
}

/// Calls `explain` once for each token that a match covers. If matches overlap, the longest one says why the text is
/// removed.
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
