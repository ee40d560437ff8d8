//! Says what to remove from a document, and which patterns explain it.

use std::ops::Range;

use super::{CleanError, Cleaner, Recurring, Scratch, Weighed, longest_first};
use crate::cleaning::decide::Decision;
use crate::cleaning::decide::evidence::{Evidence, PatternIndex};
use crate::cleaning::reading::{Match, Reading};
use crate::cleaning::spans::{Cleaning, expected, grounds, spans};
use crate::dom::page_parts::PageChoices;
use crate::html::Tree;

impl Cleaner {
    /// Finds what to remove from a text. The time is linear in the text for mined patterns. Fails if the search for a
    /// regex that a person wrote gives up.
    pub fn clean(&self, scratch: &mut Scratch, text: &str) -> Result<Cleaning, CleanError> {
        Ok(self.explain(text, &self.read(scratch, text)?))
    }

    /// Finds what to remove from the visible text of a page. The structure of the page is used as well
    /// ([`CleanOptions::structure`](crate::cleaning::CleanOptions::structure)). `tree` is the tree of this page.
    /// [`read`](crate::html::read) returns both the text and the tree.
    ///
    /// # Errors
    /// As [`Cleaner::clean`](crate::cleaning::Cleaner::clean).
    pub fn clean_page(&self, scratch: &mut Scratch, text: &str, tree: &Tree) -> Result<Cleaning, CleanError> {
        Ok(self.explain(text, &self.read_page(scratch, text, Some(tree), &|| true)?))
    }

    /// Does the same as [`Cleaner::clean_page`], or without `tree` the same as [`Cleaner::clean`], but can be stopped.
    /// `go_on` is called during the search for regexes that people wrote: nothing else takes long.
    ///
    /// # Errors
    /// As [`Cleaner::clean`], and if `go_on` returns false.
    pub fn clean_while(
        &self,
        scratch: &mut Scratch,
        text: &str,
        tree: Option<&Tree>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Cleaning, CleanError> {
        Ok(self.explain(text, &self.read_page(scratch, text, tree, go_on)?))
    }

    /// Removes parts of a text that the caller chose, for example with
    /// [`PageJudge::boilerplate`](crate::dom::page_judge::PageJudge::boilerplate). The parts are ranges of bytes in
    /// order, each with its score. A token belongs to the part that has its first byte. Text that a rejected pattern
    /// matches, or that a person keeps, is not removed.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use dehusk::{BlockModel, CleanOptions, Cleaner, Lexer, MutableSet, PageChoices, PageJudge, Scratch, Tokenizer, Tree};
    /// use dehusk::{MinedFrom, PatternFile, read};
    ///
    /// let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    /// let no_patterns = PatternFile::of_templates("page", MinedFrom::default(), Vec::new(), &lexer);
    /// let cleaner = Cleaner::new(&[&no_patterns], &CleanOptions::default());
    ///
    /// let page = "<nav><a href=/>Home</a></nav><article><p>Ships are late on the quay.</p></article>";
    /// let (text, tree) = read::<Tree>(page);
    /// let judge = PageJudge::Content(BlockModel::shipped(), PageChoices::default());
    /// let parts = judge.boilerplate(&text, &tree, None, None);
    /// let cleaning = cleaner.clean_by(&mut Scratch::default(), &text, &parts)?;
    /// assert_eq!(cleaning.strip(&text), "Ships are late on the quay.");
    /// # Ok::<(), dehusk::CleanError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cleaner::clean`].
    pub fn clean_by(
        &self,
        scratch: &mut Scratch,
        text: &str,
        parts: &[(Range<usize>, f32)],
    ) -> Result<Cleaning, CleanError> {
        Ok(self.explain_by(&self.read(scratch, text)?, parts))
    }

    /// Finds what to remove from a text that was read.
    #[doc(hidden)]
    pub fn explain(&self, text: &str, reading: &Reading) -> Cleaning {
        self.explain_found(text, reading, self.found(&reading.matches))
    }

    /// Like [`Cleaner::explain`](crate::cleaning::Cleaner::explain), with further stretches of the text that recur.
    /// Like unreviewed patterns, these stretches are only evidence. If there are no such stretches and no patterns of
    /// the source, each page is judged by itself.
    #[doc(hidden)]
    pub fn explain_with(&self, text: &str, reading: &Reading, recurring: &[Recurring]) -> Cleaning {
        let (matches, weights) = self.found_with(reading, recurring);
        let is_of_source = self.is_of_source || !recurring.is_empty();
        self.explain_found(text, reading, Weighed { matches: &matches, weights, is_of_source })
    }

    /// Finds what to remove from a text that was read, if the caller chose the parts to remove: ranges of bytes in
    /// order, each with its score. A token belongs to the part that has its first byte. Text that a rejected pattern
    /// matches, or that a person keeps, is not removed.
    #[doc(hidden)]
    pub fn explain_by(&self, reading: &Reading, parts: &[(Range<usize>, f32)]) -> Cleaning {
        let tokens = &reading.tokens.tokens;
        let evidence = self.weigh(reading, &reading.matches);
        let Evidence { pattern: patterns, is_beyond_chance, .. } = evidence;
        let (goes, probabilities) = (vec![false; tokens.len()], vec![0.0; tokens.len()]);
        let mut decision = Decision { goes, probabilities, patterns, is_beyond_chance, dropped: Vec::new() };
        let mut next = 0;
        for (index, token) in tokens.iter().enumerate() {
            let start = token.range().start;
            while parts.get(next).is_some_and(|(range, _)| range.end <= start) {
                next += 1;
            }
            if let Some((_, score)) = parts.get(next).filter(|(range, _)| range.start <= start) {
                (decision.goes[index], decision.probabilities[index]) = (!reading.is_rejected[index], *score);
            }
        }
        reading.kept.iter().for_each(|tokens| decision.goes[tokens.clone()].fill(false));
        let grounds = grounds(&reading.tokens, &decision);
        Cleaning { spans: spans(&reading.tokens, &decision), grounds, ..Cleaning::default() }
    }

    fn explain_found(&self, text: &str, reading: &Reading, found: Weighed) -> Cleaning {
        let matches = found.matches;
        let decision = self.decide_found(text, reading, found, self.options.method);
        self.explain_decided(reading, matches, decision)
    }

    /// What is removed by this decision, which was made with these matches.
    pub(crate) fn explain_decided(&self, reading: &Reading, matches: &[Match], mut decision: Decision) -> Cleaning {
        self.name_patterns(matches, &mut decision.patterns);
        let (grounds, expected) = (grounds(&reading.tokens, &decision), expected(&reading.tokens, &decision));
        let spans = spans(&reading.tokens, &decision);
        // `favor` has an effect on every text, so it is never ignored.
        let of_pages = PageChoices { favor: Default::default(), ..self.options.page };
        let ignores_choices = of_pages != PageChoices::default() && !self.goes_by_blocks(reading);
        Cleaning { spans, grounds, expected, dropped: decision.dropped, ignores_choices }
    }

    /// If evidence explains a token that a pattern for people matches as well, names that pattern instead.
    fn name_patterns(&self, matches: &[Match], patterns: &mut [Option<PatternIndex>]) {
        if !patterns.iter().flatten().any(|named| self.is_evidence(named.get())) {
            return;
        }
        let for_people = matches.iter().filter(|found| !self.is_evidence(found.pattern)).collect();
        longest_first(for_people, patterns.len(), |token, pattern| {
            if patterns[token].is_some_and(|named| self.is_evidence(named.get())) {
                patterns[token] = Some(pattern);
            }
        });
    }
}
