//! Reads a document: its tokens, its matches, and the blocks of its page.

use std::cmp::Reverse;
use std::ops::Range;

use super::part::Found;
use super::{CleanError, Cleaner, Placed, Scratch, same_lexer};
use crate::cleaning::reading::block_search::Ground;
use crate::cleaning::reading::layout::Layout;
use crate::cleaning::reading::matcher::Tokens;
use crate::cleaning::reading::regexes::GaveUp;
use crate::cleaning::reading::{Match, Reading};
use crate::html::Tree;
use crate::pages::elements::Selectors;
use crate::patterns::keep::cuts_word;
use crate::stretches::{stretches_of_true, touching};
use crate::tokens::{Lexer, Symbol};

/// What is found in a text, by status.
#[derive(Default)]
struct AllMatches {
    matches: Vec<Match>,
    of_blocks: Vec<Match>,
    /// Of rejected patterns and blocks.
    rejected: Vec<Match>,
}

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
        let Some(Placed { part, .. }) = self.parts.first() else { return Ok(Reading::default()) };
        let (tokens, symbols) = part.automaton.read(text, scratch.lexer(&part.lexer));
        let layout = Layout::of(text, &tokens);
        let ground = Ground { text, tokens: &tokens, layout: &layout };
        let AllMatches { mut matches, of_blocks, rejected } = self.read_matches(scratch, ground, &symbols, go_on)?;
        let mut is_rejected = vec![false; tokens.tokens.len()];
        rejected.iter().for_each(|found| is_rejected[found.tokens.clone()].fill(true));
        let mut silenced = Vec::new();
        if !rejected.is_empty() {
            // People do not see evidence, so evidence must not remove text that they rejected.
            let stretches: Vec<Range<usize>> = stretches_of_true(&is_rejected).collect();
            let meets = |found: &Match| !touching(&stretches, &found.tokens, |stretch| stretch).is_empty();
            silenced.extend(matches.extract_if(.., |found| self.is_evidence(found.pattern) && meets(found)));
        }
        let kept = self.read_kept(text, &tokens, go_on)?;
        Ok(Reading { tokens, layout, matches, rejected, silenced, is_rejected, selected: of_blocks, kept, page: None })
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
        let needs_blocks = self.options.uses_structure(self.loose) || applied.have_content();
        reading.page = self.options.structure.as_ref().filter(|_| needs_blocks).map(|model| model.judge(text, tree));
        let page = reading.page.as_ref();
        let headline = page.and_then(|page| Some(page.page.blocks[page.headline()?].text.clone()));
        let tokens = &reading.tokens;
        let found = |selectors: &Selectors, headline| -> Vec<Match> {
            let found = selectors.find(tree, text.len(), headline).into_iter();
            let found = found.map(|(bytes, pattern)| Match { tokens: tokens.within(&bytes), pattern });
            found.filter(|found| !found.tokens.is_empty()).collect()
        };
        reading.selected.extend(found(applied, headline));
        let rejected = found(rejected, None);
        rejected.iter().for_each(|found| reading.is_rejected[found.tokens.clone()].fill(true));
        reading.rejected.extend(rejected);
        reading
    }

    /// All matches in a text. `symbols` are those of the first part.
    fn read_matches(
        &self,
        scratch: &mut Scratch,
        ground: Ground,
        symbols: &[Symbol],
        go_on: &dyn Fn() -> bool,
    ) -> Result<AllMatches, CleanError> {
        let mut all = AllMatches::default();
        let Some(Placed { part: first, .. }) = self.parts.first() else { return Ok(all) };
        let mut others: Vec<(&Lexer, Tokens, Layout)> = Vec::new();
        let mut of_first = 0;
        for (number, placed) in self.parts.iter().enumerate() {
            let Placed { part, .. } = placed;
            if number == 0 {
                all.add(placed, part.find(ground, symbols));
                of_first = all.matches.len();
            } else if part.automaton.is_empty() {
                // Nothing can be found.
            } else if same_lexer(&part.lexer, &first.lexer) {
                all.add(placed, part.find(ground, &part.automaton.symbols(ground.text, ground.tokens)));
            } else {
                all.add(placed, part.find_apart(ground, scratch, &mut others));
            }
        }
        if all.matches.len() > of_first {
            // As if one automaton had found them. Of matches that say the same, the first one counts.
            all.matches.sort_by_key(|found| match self.part_of(found.pattern) {
                (Placed { part, .. }, index) if part.weights[index].has_free => (true, 0, Reverse(0)),
                _ => (false, found.tokens.end, Reverse(found.tokens.len())),
            });
        }
        for placed in self.parts.iter() {
            let mut matches = Vec::new();
            let searched = placed.part.regexes.find(ground.text, go_on, |bytes, pattern| {
                matches.push(Match { tokens: ground.tokens.within(&bytes), pattern });
            });
            searched.map_err(|GaveUp { pattern, source }| {
                let id = placed.part.pattern(pattern).id.clone();
                CleanError { id, source }
            })?;
            all.add(placed, Found { matches, of_blocks: Vec::new() });
        }
        Ok(all)
    }

    /// The tokens of texts to keep. A token that lies in such a text only in part is kept as well.
    fn read_kept(
        &self,
        text: &str,
        tokens: &Tokens,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Range<usize>>, CleanError> {
        let mut kept = Vec::new();
        for Placed { part, .. } in self.parts.iter() {
            let found = part.keeps.find(text, go_on, |bytes, _| {
                if !cuts_word(text, &bytes) {
                    kept.push(tokens.touching(&bytes));
                }
            });
            found.map_err(|GaveUp { source, .. }| CleanError { id: "keep".to_owned(), source })?;
        }
        Ok(kept)
    }
}

impl AllMatches {
    /// Adds the matches of a part, with the indices of the cleaner.
    fn add(&mut self, Placed { part, first_applied, first_rejected }: &Placed, found: Found) {
        let applied = part.applied.len();
        let AllMatches { matches, of_blocks, rejected } = self;
        let mut add = |to: &mut Vec<Match>, found: Vec<Match>| {
            for Match { tokens, pattern } in found.into_iter().filter(|found| !found.tokens.is_empty()) {
                match pattern.checked_sub(applied) {
                    None => to.push(Match { tokens, pattern: first_applied + pattern }),
                    Some(pattern) => rejected.push(Match { tokens, pattern: first_rejected + pattern }),
                }
            }
        };
        add(matches, found.matches);
        add(of_blocks, found.of_blocks);
    }
}
