//! Weighs the matches of a document that was read.

use std::borrow::Cow;

use super::{Cleaner, Placed, Recurring, Weighed};
use crate::cleaning::decide::article_end::{LastPlace, last_places};
use crate::cleaning::decide::evidence::{Alone, Evidence, Weight, Weights, weigh};
use crate::cleaning::decide::features::Divided;
use crate::cleaning::decide::segments::Segments;
use crate::cleaning::decide::with_segments;
use crate::cleaning::reading::{Match, Reading};

impl Cleaner {
    /// Computes the evidence of each token from these matches alone.
    #[doc(hidden)]
    pub fn weigh(&self, reading: &Reading, matches: &[Match]) -> Evidence {
        weigh(&reading.layout, matches, &self.weights())
    }

    /// The matches of patterns, with their weights.
    pub(super) fn found<'a>(&'a self, matches: &'a [Match]) -> Weighed<'a> {
        Weighed { matches, weights: self.weights(), is_of_source: self.is_of_source }
    }

    /// Matches and recurring stretches together, with their weights.
    pub(super) fn found_with<'a>(
        &'a self,
        reading: &'a Reading,
        recurring: &[Recurring],
    ) -> (Cow<'a, [Match]>, Weights<'a>) {
        let mut matches = Cow::Borrowed(&*reading.matches);
        let mut weights = self.weights();
        if !recurring.is_empty() && !self.options.only_accepted {
            let of_recurring = (self.count()..).zip(recurring);
            matches.to_mut().extend(
                of_recurring.map(|(pattern, Recurring { tokens, .. })| Match { tokens: tokens.clone(), pattern }),
            );
            weights.push(recurring.iter().map(|recurring| recurring.weight).collect::<Vec<Weight>>());
        }
        (matches, weights)
    }

    /// The strength of a match by itself, without the other matches.
    pub(crate) fn weigh_alone(&self, reading: &Reading, found: &Match) -> Alone {
        let (Placed { part, .. }, index) = self.part_of(found.pattern);
        Alone::of(&reading.layout, found, &part.weights[index])
    }

    /// The last place of each pattern in a text.
    #[doc(hidden)]
    pub fn last_places(&self, text: &str, reading: &Reading) -> Vec<LastPlace> {
        self.last_places_with(text, reading, &[])
    }

    /// Like [`Cleaner::last_places`], also for stretches that recur. Their indices follow those of the patterns.
    #[doc(hidden)]
    pub fn last_places_with(&self, text: &str, reading: &Reading, recurring: &[Recurring]) -> Vec<LastPlace> {
        let (matches, weights) = self.found_with(reading, recurring);
        let evidence = weigh(&reading.layout, &matches, &weights);
        let segments = Segments::of(text, &reading.tokens, &reading.layout, &evidence);
        last_places(reading, &matches, &evidence, &segments)
    }

    /// Whether the union method uses the pattern: its share reaches the cutoff of its file, or a person confirmed it.
    #[doc(hidden)]
    pub fn reaches_cutoff(&self, pattern: usize) -> bool {
        let (Placed { part, .. }, index) = self.part_of(pattern);
        part.reaches_cutoff[index]
    }

    /// Calls `look` with a text that was read, divided into segments.
    #[doc(hidden)]
    pub fn weigh_segments<T>(&self, text: &str, reading: &Reading, look: impl FnOnce(Divided) -> T) -> T {
        let evidence = self.weigh(reading, &reading.matches);
        with_segments(text, reading, &reading.matches, &self.weights(), &evidence, look)
    }
}
