//! What the table tells of a document, as evidence for cleaning.
//!
//! Takes a document's segments and what is known of them; gives the stretches that recur, each with how many documents
//! had it, so that they are weighed and smoothed like the matches of mined patterns. Like those they count from the second
//! document on, if nothing else is asked for, and the fewer had them, the less: what is template by the table's own rule is only said more surely.
//! Segments that follow each other are one stretch as well: the words of a menu are links of their own, and tell little
//! one by one.

use std::ops::Range;

use super::Detection;
use super::detection::template;
use super::segments::{Segment, SegmentKey};
use super::table::Seen;
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
    segments: Vec<(SegmentKey, Seen)>,
}

impl Known {
    /// By a document's segments, and what is known of each.
    pub fn of(reading: &Reading, segments: &[Segment], seen: &[Seen], detection: &Detection) -> Known {
        let recurs = template(segments, seen, &Detection { min_documents: detection.min_evidence, ..*detection });
        let mut known = Known::default();
        let mut runs = Vec::new();
        for run in stretches_of_true(&recurs) {
            let (segments, seen) = (&segments[run.clone()], &seen[run]);
            let rarest = seen.iter().min_by(|a, b| share(a).total_cmp(&share(b)));
            if let ([first, .., last], Some(rarest)) = (segments, rarest) {
                runs.push(recurring(reading, first.tokens.start..last.tokens.end, rarest));
            }
            for (segment, seen) in segments.iter().zip(seen) {
                known.recurring.push(recurring(reading, segment.tokens.clone(), seen));
                known.segments.push((segment.key, *seen));
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
            let &(key, seen) = self.segments.get(index)?;
            Some(Placed { key, index, seen, place })
        };
        places.into_iter().filter_map(placed).collect()
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
    pub seen: Seen,
    /// Where it stands.
    pub place: LastPlace,
}

/// The share of the pages that have a segment, since it came first: that page has it for sure, and tells nothing.
pub(super) fn share(seen: &Seen) -> f64 {
    f64::from(seen.documents.saturating_sub(1)) / (f64::from(seen.pages.max(1)) - 1.0 + DOUBT)
}

fn recurring(reading: &Reading, tokens: Range<usize>, seen: &Seen) -> Recurring {
    let documents = seen.documents as usize;
    let weight = Weight {
        share: share(seen),
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
    use crate::incremental::segments::segments;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// What is known of a text whose lines were seen in so many documents over so many pages: tokens, documents, share in
    /// hundredths and whether whole lines are told.
    fn known(text: &str, lines: &[(u32, u32)]) -> Vec<(Range<usize>, usize, usize, bool)> {
        let mutable = Arc::new(MutableSet::new(vec![]).unwrap());
        let tokens = Tokens::of(text, &mut Lexer::new(Tokenizer::Words, Arc::clone(&mutable)));
        let segments = segments(text, &tokens, &mutable, None);
        let layout = Layout::of(text, &tokens);
        let reading = Reading { tokens, layout, ..Reading::default() };
        let seen = |&(documents, pages): &(u32, u32)| Seen { documents, pages, wants_text: false };
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
    fn a_second_document_tells_little_of_a_source_that_begins_and_nothing_of_one_that_goes_on() {
        assert_eq!(known("Home", &[(2, 2)]), [(0..1, 2, 33, true)]);
        assert_eq!(known("Home", &[(2, 200)]), [(0..1, 2, 0, true)]);
    }
}
