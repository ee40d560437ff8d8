//! A [`Cleaner`] joins the modules of cleaning: it compiles patterns once, then reads, weighs, decides about and
//! explains one document after another. Each of these steps has a file of its own. Only this module handles both texts
//! and pages: the other modules of cleaning do not use the tree of a page.

mod compile;
mod decide;
pub mod drift;
mod explain;
mod options;
mod read;
mod weigh;

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::decide::evidence::{PatternIndex, Weight};
use super::reading::Match;
use super::reading::matcher::TokenAutomaton;
use super::reading::regexes::{MatchError, Regexes};
use crate::pages::elements::Selectors;
use crate::patterns::{Loose, Pattern, PatternFile};
use crate::tokens::Lexer;
use crate::tokens::free_positions::FreePositions;
pub(crate) use compile::{Review, Reviewed};
pub use options::{CleanOptions, Method};

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
    patterns: Arc<[Pattern]>,
    rejected: Arc<[Pattern]>,
    origins: Arc<[Option<Origin>]>,
    weights: Arc<[Weight]>,
    reaches_cutoff: Arc<[bool]>,
    /// One reader for each lexer: patterns mined with the same lexer share an automaton. Decisions are about the tokens
    /// of the first lexer.
    readers: Arc<[Reader]>,
    /// The patterns that run on the regex engine, by index. The indices of rejected patterns follow those of the
    /// applied ones. Rejected patterns are matched because their text must be kept.
    regexes: Arc<Regexes>,
    keeps: Arc<Regexes>,
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

#[derive(Debug)]
struct Reader {
    lexer: Lexer,
    automaton: TokenAutomaton,
    /// For each row in the automaton, its pattern and its index in the block.
    rows: Vec<(usize, usize)>,
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
#[derive(Clone, Copy)]
struct Weighed<'a> {
    matches: &'a [Match],
    weights: &'a [Weight],
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
    /// The applied patterns.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The rejected patterns.
    #[doc(hidden)]
    pub fn rejected(&self) -> &[Pattern] {
        &self.rejected
    }

    /// The origin of each pattern: first the applied ones, then the rejected ones. `None` for evidence, which is not
    /// shown to people.
    #[doc(hidden)]
    pub fn origins(&self) -> &[Option<Origin>] {
        &self.origins
    }

    /// Whether a pattern is only evidence.
    fn is_evidence(&self, pattern: usize) -> bool {
        self.origins.get(pattern).is_some_and(Option::is_none)
    }
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

/// The compiled patterns of sources of which nothing was mined. They are the same for all of them, and compiled once: a
/// crawl can have a million such sources.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Bare(OnceLock<(Lexer, Cleaner)>);

impl Bare {
    /// The compiled patterns of the source of this file, together with shared ones. `compile` compiles them, in the same way for each source.
    pub fn cleaner(&self, own: &PatternFile, compile: impl Fn() -> Cleaner) -> Cleaner {
        if !own.says_nothing() {
            return compile();
        }
        let (lexer, bare) = self.0.get_or_init(|| (own.lexer.clone(), compile()));
        if same_lexer(lexer, &own.lexer) { bare.clone() } else { compile() }
    }
}

pub(crate) fn same_lexer(a: &Lexer, b: &Lexer) -> bool {
    Arc::ptr_eq(a.mutable(), b.mutable()) && a.tokenizer().name() == b.tokenizer().name()
}

#[cfg(test)]
mod tests;
