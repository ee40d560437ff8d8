//! One document by one method of cleaning: what is to go, and how much of it the patterns chosen so far remove.

use std::ops::Range;

use crate::cleaning::evidence::Match;
use crate::cleaning::{Cleaner, Method, Reading};
use crate::sampling::Sample;

/// From here on a token is rather template than not.
const HALF: f32 = 0.5;

/// See the module.
pub struct Page<'t> {
    text: &'t str,
    reading: &'t Reading,
    method: Method,
    /// Which tokens all patterns together remove.
    goes: Vec<bool>,
    /// What each match says of each of its tokens, one match after the other.
    strengths: Vec<f32>,
    /// Where those of each match start.
    strengths_of: Vec<usize>,
    /// What goes, in bytes.
    size: u64,
    /// Which tokens of what goes the chosen patterns do not remove.
    missing: Vec<bool>,
    /// How strongly the chosen patterns say that each token goes.
    reached: Vec<f32>,
    /// What is missing and has no strong match of a chosen pattern, in bytes.
    unmet: u64,
}

impl<'t> Page<'t> {
    /// A page of which no pattern is chosen yet. The matches have to come by pattern.
    pub fn new(cleaner: &Cleaner, Sample { text, reading }: &'t Sample, method: Method) -> Page<'t> {
        let matches = &reading.matches;
        let mut goes = cleaner.decide(text, reading, matches, method).goes;
        // Nothing is needed to remove what a rejected pattern matches.
        goes.iter_mut().zip(&reading.is_rejected).for_each(|(goes, is_rejected)| *goes &= !is_rejected);
        let mut strengths = 0;
        let place_of = |found: &Match| {
            strengths += found.tokens.len();
            strengths - found.tokens.len()
        };
        let strengths_of: Vec<usize> = matches.iter().map(place_of).collect();
        let mut page = Page {
            text,
            reading,
            method,
            size: 0,
            unmet: 0,
            missing: goes.clone(),
            reached: vec![0.0; goes.len()],
            goes,
            strengths: vec![0.0; strengths],
            strengths_of,
        };
        page.size = page.bytes(|token| page.goes[token]);
        page.unmet = page.size;
        page.weigh_matches(cleaner);
        page
    }

    /// What goes, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What goes but for the chosen patterns, in bytes.
    pub fn lost(&self) -> u64 {
        self.bytes(|token| self.missing[token])
    }

    /// What of it has no strong match of a chosen pattern, in bytes.
    pub fn unmet(&self) -> u64 {
        self.unmet
    }

    /// The patterns that match, ascending.
    pub fn patterns(&self) -> impl Iterator<Item = usize> {
        self.reading.matches.chunk_by(|a, b| a.pattern == b.pattern).map(|matches| matches[0].pattern)
    }

    /// Cleans with the chosen patterns, to see what they leave.
    pub fn clean(&mut self, cleaner: &Cleaner, chosen: &[bool]) {
        let matches: Vec<Match> = self.reading.matches.iter().filter(|found| chosen[found.pattern]).cloned().collect();
        let goes = cleaner.decide(self.text, self.reading, &matches, self.method).goes;
        self.missing = self.goes.iter().zip(goes).map(|(all, chosen)| *all && !chosen).collect();
        self.unmet = self.bytes(|token| self.missing[token] && self.reached[token] < HALF);
    }

    /// What a pattern adds to the evidence of what is still missing, in bytes.
    pub fn gain(&self, pattern: usize) -> f64 {
        let gain_of = |(token, strength): (usize, f32)| match self.missing[token] {
            true => f64::from((strength - self.reached[token]).max(0.0)) * self.bytes_of(token) as f64,
            false => 0.0,
        };
        self.strengths_of(pattern).map(gain_of).sum()
    }

    /// Notes that a pattern is chosen.
    pub fn take(&mut self, pattern: usize) {
        let mut reached = std::mem::take(&mut self.reached);
        let mut met = 0;
        for (token, strength) in self.strengths_of(pattern) {
            if self.missing[token] && reached[token] < HALF && strength >= HALF {
                met += self.bytes_of(token);
            }
            reached[token] = reached[token].max(strength);
        }
        self.unmet -= met;
        self.reached = reached;
    }

    /// The tokens that a pattern matches, with how strongly it says that they go.
    fn strengths_of(&self, pattern: usize) -> impl Iterator<Item = (usize, f32)> {
        let matches = &self.reading.matches;
        let first = matches.partition_point(|found| found.pattern < pattern);
        let of_pattern = (first..matches.len()).take_while(move |&index| matches[index].pattern == pattern);
        of_pattern.flat_map(|index| {
            matches[index].tokens.clone().zip(self.strengths[self.strengths_of[index]..].iter().copied())
        })
    }

    fn weigh_matches(&mut self, cleaner: &Cleaner) {
        let matches = &self.reading.matches;
        if self.method != Method::Smooth {
            for (index, found) in matches.iter().enumerate() {
                let strength = if cleaner.reaches_cutoff(found.pattern) { 1.0 } else { 0.0 };
                let range = self.range_of(index);
                self.strengths[range].fill(strength);
            }
            return;
        }
        // Matches that do not overlap are weighed together: none of them sees the others.
        for layer in layers(matches) {
            let of_layer: Vec<Match> = layer.iter().map(|&index| matches[index].clone()).collect();
            let evidence = cleaner.weigh(self.reading, &of_layer).of_token;
            for index in layer {
                let range = self.range_of(index);
                self.strengths[range].copy_from_slice(&evidence[matches[index].tokens.clone()]);
            }
        }
    }

    fn range_of(&self, index: usize) -> Range<usize> {
        let start = self.strengths_of[index];
        start..start + self.reading.matches[index].tokens.len()
    }

    fn bytes(&self, is_counted: impl Fn(usize) -> bool) -> u64 {
        (0..self.goes.len()).filter(|&token| is_counted(token)).map(|token| self.bytes_of(token)).sum()
    }

    fn bytes_of(&self, token: usize) -> u64 {
        self.reading.tokens.tokens[token].range().len() as u64
    }
}

/// The indices of all matches, in as few groups as there are matches over one token, none overlapping in its group.
fn layers(matches: &[Match]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..matches.len()).collect();
    order.sort_unstable_by_key(|&index| (matches[index].tokens.start, matches[index].tokens.end, index));
    let mut layers: Vec<(usize, Vec<usize>)> = Vec::new();
    for index in order {
        let Range { start, end } = matches[index].tokens;
        match layers.iter_mut().find(|(reach, _)| *reach <= start) {
            Some((reach, layer)) => {
                *reach = end;
                layer.push(index);
            }
            None => layers.push((end, vec![index])),
        }
    }
    layers.into_iter().map(|(_, layer)| layer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_of_a_layer_do_not_overlap() {
        let matches: Vec<Match> = [0..5, 1..3, 3..4, 2..6, 5..7, 6..8]
            .into_iter()
            .enumerate()
            .map(|(pattern, tokens)| Match { tokens, pattern })
            .collect();
        assert_eq!(layers(&matches), [vec![0, 4], vec![1, 2, 5], vec![3]]);
    }
}
