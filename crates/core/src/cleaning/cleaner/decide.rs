//! Decides about each token of a document that was read.

use std::collections::HashSet;
use std::ops::Range;

use super::{Cleaner, Method, Weighed, longest_first};
use crate::cleaning::decide::article_end::LastPlace;
use crate::cleaning::decide::evidence::{Evidence, PatternIndex, weigh};
use crate::cleaning::decide::{Decision, by_recurrence, chosen, edges, with_segments};
use crate::cleaning::reading::matcher::Tokens;
use crate::cleaning::reading::{Match, Reading};
use crate::pages::structure::{self, Structure};
use crate::patterns::Loose;
use crate::tokens::free_positions::FreePositions;

impl Cleaner {
    /// The second half of cleaning: decides about each token with this method. Only these matches count.
    #[doc(hidden)]
    pub fn decide_by(&self, text: &str, reading: &Reading, matches: &[Match], method: Method) -> Decision {
        self.decide_found(text, reading, self.found(matches), method)
    }

    /// Decides about each token of a text that was read. [`Cleaner::explain`] is based on this decision.
    #[doc(hidden)]
    pub fn decide(&self, text: &str, reading: &Reading) -> Decision {
        self.decide_by(text, reading, &reading.matches, self.options.method)
    }

    pub(super) fn decide_found(&self, text: &str, reading: &Reading, found: Weighed, method: Method) -> Decision {
        let mut decision = match method {
            Method::Learned => self.decide_learned(text, reading, &found),
            Method::Union { merge_gap, second_filter } => {
                let of_several = if second_filter { self.of_several(found.matches) } else { HashSet::new() };
                self.decide_union(text, reading, &found, merge_gap, &of_several)
            }
        };
        reading.kept.iter().for_each(|tokens| decision.goes[tokens.clone()].fill(false));
        decision
    }

    /// Decides in four steps: by segments, by the structure of the page, by the patterns that a person confirmed, and
    /// by the edges of the cuts. The last step does not undo a person's decision: a mark that a rejected pattern holds
    /// back is kept, and a confirmed match that consists only of marks is removed.
    fn decide_learned(&self, text: &str, reading: &Reading, found: &Weighed) -> Decision {
        let Reading { tokens, layout, is_rejected, .. } = reading;
        let mut decision = self.decide_segments(text, reading, found);
        if let (Some(page), Some(model)) = (&reading.page, &self.options.structure)
            && self.goes_by_blocks(reading)
        {
            let structure = Structure { model, choices: self.options.page, is_of_source: found.is_of_source };
            structure::decide(structure, text, page, reading, &mut decision);
        }
        // Blocks explain what is removed, and decide nothing until a person accepts them.
        let of_blocks = reading.selected.iter().filter(|found| self.pattern(found.pattern).block().is_some());
        longest_first(of_blocks.collect(), decision.goes.len(), |token, pattern| {
            if decision.goes[token] {
                decision.patterns[token] = Some(pattern);
            }
        });
        self.decide_loose(reading, &mut decision);
        let found_in_page = || found.matches.iter().chain(&reading.selected);
        let certain = || found_in_page().filter(|of| found.weights[of.pattern].is_certain);
        longest_first(certain().collect(), decision.goes.len(), |token, pattern| {
            decision.goes[token] = true;
            decision.probabilities[token] = 1.0;
            decision.patterns[token] = Some(pattern);
        });
        let held_back: Vec<usize> = match reading.rejected.is_empty() {
            true => Vec::new(),
            false => (0..is_rejected.len()).filter(|&token| is_rejected[token] && !decision.goes[token]).collect(),
        };
        edges::adjust(text, tokens, layout, &mut decision.goes);
        held_back.into_iter().for_each(|token| decision.goes[token] = false);
        let of_marks = certain().filter(|found| layout.telling_words(&found.tokens) == 0.0);
        of_marks.for_each(|found| decision.goes[found.tokens.clone()].fill(true));
        decision
    }

    /// Removes the segments that the model takes for boilerplate. If nothing in the document recurs, nothing is
    /// removed. A token of a rejected match is kept.
    fn decide_segments(&self, text: &str, reading: &Reading, Weighed { matches, weights, .. }: &Weighed) -> Decision {
        let evidence = weigh(&reading.layout, matches, weights);
        let count = reading.tokens.tokens.len();
        let (mut goes, mut probabilities) = (vec![false; count], vec![0.0; count]);
        let mut end = None;
        if self.options.decides_loose(self.loose) && !matches.is_empty() {
            with_segments(text, reading, matches, weights, &evidence, |document| {
                let model = self.options.decision.as_deref().filter(|_| !self.recurrence_decides);
                let of_segments = match model {
                    Some(model) => model.judge(document),
                    None => by_recurrence(&document),
                };
                let chosen = chosen(&document, &of_segments, self.options.page.favor);
                for ((segment, p), chosen) in document.segments.tokens.iter().zip(of_segments).zip(chosen) {
                    probabilities[segment.clone()].fill(p);
                    goes[segment].fill(chosen);
                }
                end = document.end;
            });
        }

        for (token, &is_rejected) in reading.is_rejected.iter().enumerate() {
            goes[token] &= !is_rejected;
        }

        let Evidence { pattern: mut patterns, is_beyond_chance, .. } = evidence;
        if let Some(LastPlace { pattern, start, .. }) = end {
            patterns[start..].iter_mut().for_each(|of_token| *of_token = of_token.or(Some(PatternIndex::new(pattern))));
        }
        Decision { goes, probabilities, patterns, is_beyond_chance, dropped: Vec::new() }
    }

    /// What no pattern for people matches, as the files say. In addition, if only accepted patterns act, text of others
    /// is kept.
    fn decide_loose(&self, reading: &Reading, decision: &mut Decision) {
        let (keeps_loose, keeps_proposed) = (self.loose == Loose::Keep, self.options.only_accepted);
        if !keeps_loose && !keeps_proposed {
            return;
        }
        let mut is_matched = vec![false; decision.goes.len()];
        for found in reading.found().filter(|found| !self.is_evidence(found.pattern)) {
            is_matched[found.tokens.clone()].fill(true);
        }
        for (goes, is_matched) in decision.goes.iter_mut().zip(is_matched) {
            *goes &= if is_matched { !keeps_proposed } else { !keeps_loose };
        }
    }

    /// Whether the blocks of the page decide.
    pub(super) fn goes_by_blocks(&self, reading: &Reading) -> bool {
        reading.page.is_some() && self.options.uses_structure(self.loose)
    }

    /// What is matched by a pattern of several sources. A source can have the same pattern once more, as its own.
    fn of_several(&self, matches: &[Match]) -> HashSet<Range<usize>> {
        let is_of_several =
            |found: &&Match| found.pattern < self.count() && self.pattern(found.pattern).sources.is_some();
        matches.iter().filter(is_of_several).map(|found| found.tokens.clone()).collect()
    }

    fn decide_union(
        &self,
        text: &str,
        reading: &Reading,
        Weighed { matches, weights, .. }: &Weighed,
        merge_gap: usize,
        of_several: &HashSet<Range<usize>>,
    ) -> Decision {
        // A recurring stretch that the caller gave has no pattern, so no cutoff applies to it.
        let patterns = self.count();
        let is_united = |found: &&Match| {
            let Match { pattern, tokens } = found;
            *pattern >= patterns
                || weights[*pattern].is_certain
                || self.reaches_cutoff(*pattern) && !of_several.contains(tokens)
        };
        let united: Vec<Match> = matches.iter().filter(is_united).cloned().collect();
        let evidence = weigh(&reading.layout, &united, weights);
        let mut goes = vec![false; reading.tokens.tokens.len()];
        let mut free = FreePositions::new(goes.len());
        united.iter().for_each(|found| free.take(found.tokens.clone(), |token| goes[token] = true));
        close_gaps(text, &reading.tokens, &mut goes, merge_gap);
        let Evidence { of_token, pattern, is_beyond_chance, .. } = evidence;
        Decision { goes, probabilities: of_token, patterns: pattern, is_beyond_chance, dropped: Vec::new() }
    }
}

/// Labels the tokens between two labelled stretches if the stretches are fewer than `merge_gap` characters apart.
fn close_gaps(text: &str, tokens: &Tokens, labels: &mut [bool], merge_gap: usize) {
    let mut last_labelled: Option<usize> = None;
    for token in 0..labels.len() {
        if !labels[token] {
            continue;
        }
        if let Some(last) = last_labelled.filter(|last| last + 1 < token) {
            let between = &text[tokens.tokens[last].range().end..tokens.tokens[token].range().start];
            if between.chars().count() < merge_gap {
                labels[last + 1..token].fill(true);
            }
        }
        last_labelled = Some(token);
    }
}
