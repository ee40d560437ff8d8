//! Reads a document: its tokens, its matches, and the blocks of its page.

use std::ops::Range;

use super::{CleanError, Cleaner, Reader, Scratch};
use crate::cleaning::reading::layout::Layout;
use crate::cleaning::reading::matcher::Tokens;
use crate::cleaning::reading::regexes::GaveUp;
use crate::cleaning::reading::{Match, Reading};
use crate::html::Tree;
use crate::pages::elements::Selectors;
use crate::patterns::Pattern;
use crate::patterns::keep::cuts_word;
use crate::stretches::{stretches_of_true, touching};
use crate::tokens::Symbol;

impl Cleaner {
    /// The first half of cleaning: tokenizes a text and finds its matches. Fails if the search for a regex that a
    /// person wrote gives up.
    #[doc(hidden)]
    pub fn read(&self, scratch: &mut Scratch, text: &str) -> Result<Reading, CleanError> {
        self.read_while(scratch, text, &|| true)
    }

    /// Like [`Cleaner::read`], but can be stopped: when `go_on` returns false, the error is [`MatchError::Stopped`].
    /// `go_on` is called during the search for regexes that people wrote, because nothing else can take long.
    #[doc(hidden)]
    pub fn read_while(
        &self,
        scratch: &mut Scratch,
        text: &str,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Reading, CleanError> {
        let Some(reader) = self.readers.first() else { return Ok(Reading::default()) };
        let (tokens, symbols) = reader.automaton.read(text, scratch.lexer(&reader.lexer));
        let layout = Layout::of(text, &tokens);
        let (mut matches, rejected) = self.read_matches(scratch, text, &tokens, &symbols, go_on)?;
        let mut is_rejected = vec![false; tokens.tokens.len()];
        rejected.iter().for_each(|found| is_rejected[found.tokens.clone()].fill(true));
        if !rejected.is_empty() {
            // People do not see evidence, so evidence must not remove text that they rejected.
            let stretches: Vec<Range<usize>> = stretches_of_true(&is_rejected).collect();
            let meets = |found: &Match| !touching(&stretches, &found.tokens, |stretch| stretch).is_empty();
            matches.retain(|found| !(self.is_evidence(found.pattern) && meets(found)));
        }
        let kept = self.read_kept(text, &tokens, go_on)?;
        Ok(Reading { tokens, layout, matches, rejected, is_rejected, selected: Vec::new(), kept, page: None })
    }

    /// Like [`read_while`](Cleaner::read_while), for the visible text of a page. If the page's tree is given, selectors
    /// are applied as well. The structure of the page is also used, if the options say so.
    #[doc(hidden)]
    pub fn read_page(
        &self,
        scratch: &mut Scratch,
        text: &str,
        tree: Option<&Tree>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Reading, CleanError> {
        Ok(self.read_tree(self.read_while(scratch, text, go_on)?, text, tree))
    }

    /// Adds the blocks of a page, and the matches of selectors in the page, to the reading of its text. Without a tree,
    /// returns the reading unchanged.
    #[doc(hidden)]
    pub fn read_tree(&self, mut reading: Reading, text: &str, tree: Option<&Tree>) -> Reading {
        let Some(tree) = tree else { return reading };
        let [applied, rejected] = &*self.selectors;
        let needs_blocks = self.options.uses_structure() || applied.have_content();
        reading.page = self.options.structure.as_ref().filter(|_| needs_blocks).map(|model| model.judge(text, tree));
        let page = reading.page.as_ref();
        let headline = page.and_then(|page| Some(page.page.blocks[page.headline()?].text.clone()));
        let tokens = &reading.tokens;
        let found = |selectors: &Selectors, headline| -> Vec<Match> {
            let found = selectors.find(tree, text.len(), headline).into_iter();
            let found = found.map(|(bytes, pattern)| Match { tokens: tokens.within(&bytes), pattern });
            found.filter(|found| !found.tokens.is_empty()).collect()
        };
        reading.selected = found(applied, headline);
        let rejected = found(rejected, None);
        rejected.iter().for_each(|found| reading.is_rejected[found.tokens.clone()].fill(true));
        reading.rejected.extend(rejected);
        reading
    }

    /// The matches of the applied patterns, and the matches of the rejected ones, as ranges of tokens.
    fn read_matches(
        &self,
        scratch: &mut Scratch,
        text: &str,
        tokens: &Tokens,
        symbols: &[Symbol],
        go_on: &dyn Fn() -> bool,
    ) -> Result<(Vec<Match>, Vec<Match>), CleanError> {
        let mut matches = Vec::new();
        if let Some((first, others)) = self.readers.split_first() {
            first.automaton.find(text, tokens, symbols, |tokens, pattern| matches.push(Match { tokens, pattern }));
            for Reader { lexer, automaton } in others {
                let (own, symbols) = automaton.read(text, scratch.lexer(lexer));
                automaton.find(text, &own, &symbols, |found, pattern| {
                    let bytes = own.tokens[found.start].range().start..own.tokens[found.end - 1].range().end;
                    matches.push(Match { tokens: tokens.within(&bytes), pattern });
                });
            }
        }
        let found = self.regexes.find(text, go_on, |bytes, pattern| {
            matches.push(Match { tokens: tokens.within(&bytes), pattern });
        });
        found.map_err(|GaveUp { pattern, source }| {
            let id = self.pattern(pattern).id.clone();
            CleanError { id, source }
        })?;
        let applied = self.patterns.len();
        let rejected = matches.extract_if(.., |found| found.pattern >= applied || found.tokens.is_empty());
        let rejected = rejected.filter(|found| found.pattern >= applied && !found.tokens.is_empty());
        let rejected = rejected.map(|Match { tokens, pattern }| Match { tokens, pattern: pattern - applied }).collect();
        Ok((matches, rejected))
    }

    /// The pattern with an index. The indices of the rejected patterns follow those of the applied ones.
    fn pattern(&self, index: usize) -> &Pattern {
        self.patterns.get(index).unwrap_or_else(|| &self.rejected[index - self.patterns.len()])
    }

    /// The tokens of texts to keep. A token that lies in such a text only in part is kept as well.
    fn read_kept(
        &self,
        text: &str,
        tokens: &Tokens,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Range<usize>>, CleanError> {
        let mut kept = Vec::new();
        let found = self.keeps.find(text, go_on, |bytes, _| {
            if !cuts_word(text, &bytes) {
                kept.push(tokens.touching(&bytes));
            }
        });
        found.map_err(|GaveUp { source, .. }| CleanError { id: "keep".to_owned(), source })?;
        Ok(kept)
    }
}
