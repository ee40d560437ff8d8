//! Reads a document: its tokens, its matches, and the blocks of its page.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{CleanError, Cleaner, Reader, Scratch};
use crate::cleaning::reading::block_search::{self, Ground, RowPlace};
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

/// What is found in a text.
#[derive(Default)]
struct Found {
    /// Matches of patterns.
    matches: Vec<Match>,
    /// Matches of blocks. They are no evidence for anything else.
    of_blocks: Vec<Match>,
}

/// The same, by status.
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
        let Some(reader) = self.readers.first() else { return Ok(Reading::default()) };
        let (tokens, symbols) = reader.automaton.read(text, scratch.lexer(&reader.lexer));
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

    /// All matches in a text.
    fn read_matches(
        &self,
        scratch: &mut Scratch,
        ground: Ground,
        symbols: &[Symbol],
        go_on: &dyn Fn() -> bool,
    ) -> Result<AllMatches, CleanError> {
        let Ground { text, tokens, .. } = ground;
        let mut found = Found::default();
        if let Some((first, others)) = self.readers.split_first() {
            self.read_with(first, ground, symbols, &mut found);
            for reader in others {
                let (own, symbols) = reader.automaton.read(text, scratch.lexer(&reader.lexer));
                let layout = if reader.rows.is_empty() { Layout::default() } else { Layout::of(text, &own) };
                let mut other = Found::default();
                self.read_with(reader, Ground { text, tokens: &own, layout: &layout }, &symbols, &mut other);
                let moved = |Match { tokens: found, pattern }| {
                    let bytes = own.tokens[found.start].range().start..own.tokens[found.end - 1].range().end;
                    Match { tokens: tokens.within(&bytes), pattern }
                };
                found.matches.extend(other.matches.into_iter().map(moved));
                found.of_blocks.extend(other.of_blocks.into_iter().map(moved));
            }
        }
        let Found { mut matches, mut of_blocks } = found;
        let searched = self.regexes.find(text, go_on, |bytes, pattern| {
            matches.push(Match { tokens: tokens.within(&bytes), pattern });
        });
        searched.map_err(|GaveUp { pattern, source }| {
            let id = self.pattern(pattern).id.clone();
            CleanError { id, source }
        })?;

        matches.retain(|found| !found.tokens.is_empty());
        of_blocks.retain(|found| !found.tokens.is_empty());
        let applied = self.patterns.len();
        let is_rejected = |found: &mut Match| found.pattern >= applied;
        let mut rejected: Vec<Match> = matches.extract_if(.., is_rejected).collect();
        rejected.extend(of_blocks.extract_if(.., is_rejected));
        rejected.iter_mut().for_each(|found| found.pattern -= applied);
        Ok(AllMatches { matches, of_blocks, rejected })
    }

    /// Adds the matches of the patterns and blocks of one lexer.
    fn read_with(
        &self,
        Reader { automaton, rows, .. }: &Reader,
        ground: Ground,
        symbols: &[Symbol],
        found: &mut Found,
    ) {
        let first_row = self.patterns.len() + self.rejected.len();
        let mut places: BTreeMap<usize, Vec<RowPlace>> = BTreeMap::new();
        automaton.find(ground.text, ground.tokens, symbols, |tokens, index| match index.checked_sub(first_row) {
            None => found.matches.push(Match { tokens, pattern: index }),
            Some(number) => {
                let (pattern, row) = rows[number];
                places.entry(pattern).or_default().push(RowPlace { tokens, row });
            }
        });
        for (pattern, places) in places {
            if let Some(block) = self.pattern(pattern).block() {
                let stretches = block_search::matches(ground, block, places);
                found.of_blocks.extend(stretches.into_iter().map(|tokens| Match { tokens, pattern }));
            }
        }
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
