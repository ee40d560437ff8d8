//! Selects the patterns that some pages need. Greedy: the pattern that adds most comes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use rayon::prelude::*;

use super::coverage::Coverage;
use crate::cleaning::Cleaner;

/// Which patterns are preferred, and when enough are chosen.
pub struct Choice {
    /// The chosen patterns explain at least this share of what all patterns explain.
    kept: f64,
    /// On each single page, they explain at least this share, so that patterns of a rare kind of page are kept.
    kept_of_page: f64,
    /// Whether short patterns are preferred.
    is_brief: bool,
}

impl Choice {
    /// Short patterns, which other documents have more often than long ones.
    pub const BRIEF: Choice = Choice { kept: 0.95, kept_of_page: 0.0, is_brief: true };

    /// All needed patterns. On unseen documents, the chosen patterns explain a little less: at least 0.99 is promised
    /// for these.
    pub const COMPLETE: Choice = Choice { kept: 0.999, kept_of_page: 0.98, is_brief: false };
}

/// The cost of each pattern in characters, in addition to its own characters.
const PER_PATTERN: f64 = 200.0;

/// Selects the given patterns, and those that the pages need in addition. Returns for each of the cleaner's patterns
/// whether it is selected. The pages may have been used before, with some of the given patterns.
pub fn select(cleaner: &Cleaner, pages: &mut [Coverage], given: Vec<bool>, choice: &Choice) -> Vec<bool> {
    let mut pages_of = vec![Vec::new(); given.len()];
    for (index, page) in pages.iter().enumerate() {
        page.patterns().for_each(|(pattern, matches)| pages_of[pattern].push((index, matches)));
    }
    let mut selection = Selection { pages, pages_of, chosen: vec![false; given.len()], choice };
    (0..given.len()).filter(|&pattern| given[pattern]).for_each(|pattern| selection.choose(pattern));
    if !selection.is_enough() {
        selection.choose_most_adding(cleaner);
    }
    selection.chosen
}

struct Selection<'s, 't> {
    pages: &'s mut [Coverage<'t>],
    /// For each pattern: the pages on which it matches, with the range of its matches there.
    pages_of: Vec<Vec<(usize, Range<usize>)>>,
    chosen: Vec<bool>,
    choice: &'s Choice,
}

impl<'t> Selection<'_, 't> {
    fn choose(&mut self, pattern: usize) {
        self.chosen[pattern] = true;
        self.pages_of[pattern].iter().for_each(|(page, matches)| self.pages[*page].take(matches.clone()));
    }

    /// Whether little enough is left unexplained of all pages together, and of each page.
    fn is_enough(&self) -> bool {
        let is_little = |left: u64, of: u64, kept: f64| left as f64 <= (1.0 - kept) * of as f64;
        let (mut all_left, mut all) = (0, 0);
        for page in self.pages.iter() {
            let left = page.unmet();
            if !is_little(left, page.size(), self.choice.kept_of_page) {
                return false;
            }
            (all_left, all) = (all_left + left, all + page.size());
        }
        is_little(all_left, all, self.choice.kept)
    }

    /// Chooses patterns, first those that add most. The amount that a pattern adds never grows, so it is computed again
    /// only when the pattern is first in the queue.
    fn choose_most_adding(&mut self, cleaner: &Cleaner) {
        let patterns = (0..self.chosen.len()).into_par_iter().filter(|&pattern| !self.chosen[pattern]);
        let ranked = patterns.map(|pattern| (self.worth(cleaner, pattern), Reverse(pattern)));
        let mut queue: BinaryHeap<(u64, Reverse<usize>)> = ranked.collect::<Vec<_>>().into();
        while let Some((_, Reverse(pattern))) = queue.pop() {
            let worth = (self.worth(cleaner, pattern), Reverse(pattern));
            if worth.0 == 0 {
                continue;
            }
            if queue.peek().is_some_and(|next| worth < *next) {
                queue.push(worth);
                continue;
            }
            self.choose(pattern);
            if self.is_enough() {
                return;
            }
        }
    }

    /// The amount that a pattern adds, in thousandths, times its share. The share counts because a frequent pattern is
    /// also useful for other documents.
    fn worth(&self, cleaner: &Cleaner, pattern: usize) -> u64 {
        let gain: f64 =
            self.pages_of[pattern].iter().map(|(page, matches)| self.pages[*page].gain(matches.clone())).sum();
        let pattern = cleaner.pattern(pattern);
        let cost = if self.choice.is_brief { PER_PATTERN + pattern.example.len() as f64 } else { PER_PATTERN };
        (gain * pattern.share() * 1000.0 * PER_PATTERN / cost) as u64
    }
}
