//! What the table tells of a document, as evidence for cleaning.
//!
//! Takes a document's segments and what is known of them; gives the stretches that recur, each with how many documents
//! had it, so that they are weighed and smoothed like the matches of mined patterns. Like those they count from the second
//! document on, if nothing else is asked for, and the fewer had them, the less: what is template by the table's own rule
//! is only said more surely. Segments that follow each other are one stretch as well: the words of a menu are links of
//! their own, and tell little one by one. And a text that recurs in other places is evidence too, if one document more had
//! it: pages of a source are built in several ways, and say the same.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Detection;
use super::detection::template;
use super::segments::{Segment, SegmentKey};
use super::table::{Count, Seen};
use crate::cleaning::article_end::LastPlace;
use crate::cleaning::evidence::Weight;
use crate::cleaning::{Cleaner, Reading, Recurring};

/// A share of few documents is told by so many more that do not have it.
const DOUBT: f64 = 2.0;

/// The stretches of a document that recur in others of its source, by what was seen so far.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Each with its weight; segments come first.
    pub recurring: Vec<Recurring>,
    /// The segments among them, and in how many documents each is.
    segments: Vec<(SegmentKey, Count)>,
}

impl Known {
    /// By a document's segments, and what is known of each.
    pub fn of(reading: &Reading, segments: &[Segment], seen: &[Seen], detection: &Detection) -> Known {
        let counts: Vec<Count> = seen.iter().map(|seen| telling(seen, detection)).collect();
        let recurs = template(segments, &counts, &Detection { min_documents: detection.min_evidence, ..*detection });
        let mut known = Known::default();
        let mut runs = Vec::new();
        for run in stretches_of_true(&recurs) {
            let (segments, counts) = (&segments[run.clone()], &counts[run]);
            let rarest = counts.iter().min_by(|a, b| share(a).total_cmp(&share(b)));
            if let ([first, .., last], Some(rarest)) = (segments, rarest) {
                runs.push(recurring(reading, first.tokens.start..last.tokens.end, rarest));
            }
            for (segment, count) in segments.iter().zip(counts) {
                known.recurring.push(recurring(reading, segment.tokens.clone(), count));
                known.segments.push((segment.key, *count));
            }
        }
        known.recurring.extend(runs);
        known
    }

    /// Where segments stand in the document's prose, each for the last time.
    pub fn places(&self, cleaner: &Cleaner, text: &str, reading: &Reading) -> Vec<Placed> {
        let places = cleaner.last_places_with(text, reading, &self.recurring);
        let placed = |place: LastPlace| {
            let index = place.pattern.checked_sub(cleaner.patterns().len())?;
            let &(key, count) = self.segments.get(index)?;
            Some((key, Placed { key, index, count, place }))
        };
        // Segments are in order, so that of those that are the same the last one stays.
        let placed: BTreeMap<SegmentKey, Placed> = places.into_iter().filter_map(placed).collect();
        placed.into_values().collect()
    }

    /// Articles of the source end before these, after so many words of prose.
    pub fn end_at(&mut self, ends: &[(usize, usize)]) {
        for &(index, words) in ends {
            self.recurring[index].weight.ends_after = Some(words);
        }
    }
}

/// A segment stands there in a document's prose.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Which segment.
    pub key: SegmentKey,
    /// Its place among what recurs in the document ([`Known::recurring`]).
    pub index: usize,
    /// In how many documents it is.
    pub count: Count,
    /// Where it stands.
    pub place: LastPlace,
}

/// The share of the pages that have a segment, since it came first: that page has it for sure, and tells nothing.
pub(super) fn share(count: &Count) -> f64 {
    f64::from(count.documents.saturating_sub(1)) / (f64::from(count.pages.max(1)) - 1.0 + DOUBT)
}

/// How often a segment came, or its text in any place, if one document more than is asked for had that.
fn telling(seen: &Seen, detection: &Detection) -> Count {
    let is_known_elsewhere =
        seen.anywhere.documents > seen.here.documents && seen.anywhere.documents > detection.min_evidence;
    if is_known_elsewhere { seen.anywhere } else { seen.here }
}

fn recurring(reading: &Reading, tokens: Range<usize>, count: &Count) -> Recurring {
    let documents = count.documents as usize;
    let weight = Weight {
        share: share(count),
        documents,
        // A page counts once.
        occurrences: documents,
        is_certain: false,
        holds_lines: reading.layout.is_lines(&tokens),
        has_free: false,
        ends_after: None,
    };
    Recurring { tokens, weight }
}

fn stretches_of_true(flags: &[bool]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let stretches = flags.chunk_by(|a, b| a == b).map(move |stretch| {
        start += stretch.len();
        (stretch[0], start - stretch.len()..start)
    });
    stretches.filter(|(flag, _)| *flag).map(|(_, range)| range)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cleaning::layout::Layout;
    use crate::cleaning::matcher::Tokens;
    use crate::cleaning::{CleanOptions, Scratch};
    use crate::incremental::segments::segments;
    use crate::patterns::PatternFile;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// What is known of a text whose lines were seen in so many documents over so many pages: tokens, documents, share in
    /// hundredths and whether whole lines are told.
    fn known(text: &str, lines: &[(u32, u32)]) -> Vec<(Range<usize>, usize, usize, bool)> {
        let mutable = Arc::new(MutableSet::new(vec![]).unwrap());
        let tokens = Tokens::of(text, &mut Lexer::new(Tokenizer::Words, Arc::clone(&mutable)));
        let segments = segments(text, &tokens, &mutable, None);
        let layout = Layout::of(text, &tokens);
        let reading = Reading { tokens, layout, ..Reading::default() };
        let seen = |&(documents, pages): &(u32, u32)| {
            let count = Count { documents, pages };
            Seen { here: count, anywhere: count, wants_text: false }
        };
        let seen: Vec<Seen> = lines.iter().map(seen).collect();
        let known = Known::of(&reading, &segments, &seen, &Detection::default());
        let told = |Recurring { tokens, weight }: Recurring| {
            (tokens, weight.documents, (weight.share * 100.0) as usize, weight.holds_lines)
        };
        known.recurring.into_iter().map(told).collect()
    }

    #[test]
    fn what_came_before_is_evidence_and_what_is_new_is_none() {
        assert_eq!(known("Home\nA new bridge", &[(9, 9), (1, 1)]), [(0..1, 9, 80, true)]);
    }

    #[test]
    fn segments_side_by_side_are_a_stretch_as_rare_as_the_rarest() {
        let expected = [(0..1, 9, 80, true), (1..2, 5, 40, true), (0..2, 5, 40, true)];
        assert_eq!(known("Home\nSport\nA new bridge", &[(9, 9), (5, 9), (1, 1)]), expected);
    }

    #[test]
    fn a_text_that_recurs_elsewhere_is_evidence_if_one_document_more_had_it() {
        let counted = |here: u32, anywhere: u32| {
            let of = |documents| Count { documents, pages: 9 };
            let seen = Seen { here: of(here), anywhere: of(anywhere), wants_text: false };
            telling(&seen, &Detection::default()).documents
        };
        assert_eq!([counted(1, 2), counted(1, 3), counted(2, 3), counted(4, 4)], [1, 3, 3, 4]);
    }

    #[test]
    fn of_segments_that_are_the_same_the_last_is_placed() {
        let prose = "The bridge over the Elm opened on Monday after three years of work. ".repeat(4);
        let text = format!("Print\n{prose}\nPrint\nHome");
        let mutable = Arc::new(MutableSet::new(vec![]).unwrap());
        let file = PatternFile::empty("s", &Lexer::new(Tokenizer::Words, Arc::clone(&mutable)));
        let cleaner = Cleaner::new(&[&file], &CleanOptions::default());
        let reading = cleaner.read(&mut Scratch::default(), &text).unwrap();
        let segments = segments(&text, &reading.tokens, &mutable, None);
        let count = |segment: &Segment| Count { documents: if segment.length < 9 { 9 } else { 1 }, pages: 9 };
        let seen = |segment| Seen { here: count(segment), anywhere: count(segment), wants_text: false };
        let seen: Vec<Seen> = segments.iter().map(seen).collect();
        let placed = Known::of(&reading, &segments, &seen, &Detection::default()).places(&cleaner, &text, &reading);
        let mut places: Vec<(usize, f64)> = placed.iter().map(|placed| (placed.index, placed.place.before)).collect();
        places.sort_unstable_by_key(|&(index, _)| index);
        assert_eq!(places, [(1, 52.0), (2, 52.0)]);
    }

    #[test]
    fn a_second_document_tells_little_of_a_source_that_begins_and_nothing_of_one_that_goes_on() {
        assert_eq!(known("Home", &[(2, 2)]), [(0..1, 2, 33, true)]);
        assert_eq!(known("Home", &[(2, 200)]), [(0..1, 2, 0, true)]);
    }
}
