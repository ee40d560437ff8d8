//! Turns the table's knowledge of a document into evidence for cleaning.
//!
//! Takes a document's segments and their histories. Gives the stretches that recur, each with its number of documents,
//! so that they count like matches of mined patterns. By default they count from the second document on, and less if
//! fewer documents have them. So segments that are template by the table's own rule just have stronger evidence.
//! Consecutive segments are also one stretch together: each word of a menu is a link of its own and says little alone.
//! A text that recurs in other places is evidence too, if one more document than otherwise needed has it, because a
//! source builds its pages in several ways with the same texts.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Detection;
use super::detection::template;
use super::segments::{SegmentKey, TextSegment};
use super::table::{Count, SegmentHistory};
use crate::cleaning::decide::article_end::LastPlace;
use crate::cleaning::decide::chance::beyond_chance;
use crate::cleaning::decide::evidence::Weight;
use crate::cleaning::{Cleaner, Reading, Recurring};
use crate::stretches::stretches_of_true;

/// Number of imagined further documents without the segment. So a share of few documents counts less.
const DOUBT: f64 = 2.0;

/// The stretches of a document that recur in the documents of its source so far.
#[derive(Clone, Debug, Default)]
pub struct StreamEvidence {
    /// How often each of its segments was seen.
    pub counts: Vec<Count>,
    /// The stretches that recur, each with its weight: first single segments, then runs of them.
    pub recurring: Vec<Recurring>,
    /// The keys and counts of the segments that recur.
    segments: Vec<(SegmentKey, Count)>,
}

impl StreamEvidence {
    /// The evidence from a document's segments and the history of each.
    pub fn of(
        reading: &Reading,
        segments: &[TextSegment],
        seen: &[SegmentHistory],
        detection: &Detection,
    ) -> StreamEvidence {
        let counts: Vec<Count> = seen.iter().map(|seen| telling(seen, detection)).collect();
        let recurs =
            template(segments, &counts, &Detection { template_documents: detection.evidence_documents, ..*detection });
        let mut known =
            StreamEvidence { counts: seen.iter().map(|seen| seen.here).collect(), ..StreamEvidence::default() };
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

    /// The last place of each segment in the document's prose.
    pub fn places(&self, cleaner: &Cleaner, text: &str, reading: &Reading) -> Vec<Placed> {
        let places = cleaner.last_places_with(text, reading, &self.recurring);
        let placed = |place: LastPlace| {
            let index = place.pattern.checked_sub(cleaner.count())?;
            let &(key, count) = self.segments.get(index)?;
            Some((key, Placed { key, index, count, place }))
        };
        // Segments are in order, so for equal ones the map keeps the last.
        let placed: BTreeMap<SegmentKey, Placed> = places.into_iter().filter_map(placed).collect();
        placed.into_values().collect()
    }

    /// Marks the segments that end the source's articles. `ends` has the index in `recurring` of each, and the number
    /// of words of prose that must be before it.
    pub fn learn(&mut self, ends: Vec<(usize, usize)>) {
        for (index, words) in ends {
            self.recurring[index].weight.ends_after = Some(words);
        }
    }
}

/// The place of a segment among a document's prose.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The segment.
    pub key: SegmentKey,
    /// Its index in [`StreamEvidence::recurring`].
    pub index: usize,
    /// Its counts.
    pub count: Count,
    /// Its place.
    pub place: LastPlace,
}

/// The share of pages with a segment since its first page. That page is left out, because it has the segment for
/// certain.
pub(super) fn share(count: &Count) -> f64 {
    f64::from(count.documents.saturating_sub(1)) / (f64::from(count.pages.max(1)) - 1.0 + DOUBT)
}

/// The counts of a segment, or those of its text in any place. The latter are used if more documents have the text than
/// the segment, and at least one more than evidence needs.
fn telling(seen: &SegmentHistory, detection: &Detection) -> Count {
    let is_known_elsewhere =
        seen.anywhere.documents > seen.here.documents && seen.anywhere.documents > detection.evidence_documents;
    if is_known_elsewhere { seen.anywhere } else { seen.here }
}

fn recurring(reading: &Reading, tokens: Range<usize>, count: &Count) -> Recurring {
    let documents = count.documents as usize;
    let weight = Weight {
        share: share(count),
        documents,
        // A page counts once, however often it has the segment.
        occurrences: documents,
        is_certain: false,
        holds_lines: reading.layout.is_lines(&tokens),
        has_free: false,
        ends_after: None,
        beyond: beyond_chance(documents, documents, count.pages as usize),
        once: 1.0,
    };
    Recurring { tokens, weight }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cleaning::reading::layout::Layout;
    use crate::cleaning::reading::matcher::Tokens;
    use crate::cleaning::{CleanOptions, Scratch};
    use crate::patterns::PatternFile;
    use crate::streaming::segments::segments;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// The evidence in a text, given the documents and pages of each of its lines. Result: tokens, documents, share in
    /// hundredths, and whether it holds lines.
    fn known(text: &str, lines: &[(u32, u32)]) -> Vec<(Range<usize>, usize, usize, bool)> {
        let mutable = Arc::new(MutableSet::new(vec![]).unwrap());
        let tokens = Tokens::of(text, &mut Lexer::new(Tokenizer::Words, Arc::clone(&mutable)));
        let segments = segments(text, &tokens, &mutable, None);
        let layout = Layout::of(text, &tokens);
        let reading = Reading { tokens, layout, ..Reading::default() };
        let seen = |&(documents, pages): &(u32, u32)| {
            let count = Count { documents, pages };
            SegmentHistory { here: count, anywhere: count, wants_text: false }
        };
        let seen: Vec<SegmentHistory> = lines.iter().map(seen).collect();
        let known = StreamEvidence::of(&reading, &segments, &seen, &Detection::default());
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
            let seen = SegmentHistory { here: of(here), anywhere: of(anywhere), wants_text: false };
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
        let count = |segment: &TextSegment| Count { documents: if segment.length < 9 { 9 } else { 1 }, pages: 9 };
        let seen = |segment| SegmentHistory { here: count(segment), anywhere: count(segment), wants_text: false };
        let seen: Vec<SegmentHistory> = segments.iter().map(seen).collect();
        let placed =
            StreamEvidence::of(&reading, &segments, &seen, &Detection::default()).places(&cleaner, &text, &reading);
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
