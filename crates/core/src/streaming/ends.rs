//! Learns which segments end the articles of a source, document by document.
//!
//! Takes the places of a document's segments among its prose. Decides, by their places in the last documents, which of
//! them end articles ([`article_end`](crate::cleaning::decide::article_end) has the rule). Few segments are candidates:
//! most have too little prose before them in some document, and are dropped at once.

use std::collections::BTreeMap;

use super::evidence::{Placed, share};
use super::segments::SegmentKey;
use crate::cleaning::decide::article_end::{
    LastPlace, MIN_ARTICLE_WORDS, MIN_DOCUMENTS_OF_END, MIN_SHARE_OF_END, least_prose_before,
};

/// Number of last places that are kept for each candidate.
const MOST_PLACES: usize = 25;
/// A candidate that is missing in this many documents in a row is dropped. It was in many documents before.
const MOST_MISSED: u32 = 100;

/// The candidates of a source, by segment. They depend on the documents only, and not on what the table has forgotten
/// since: the table may be ahead and already know later documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndPlaces(BTreeMap<u64, Candidate>);

/// A segment that may end articles.
#[derive(Clone, Debug, Default, PartialEq)]
struct Candidate {
    /// Its places in the last documents that had it.
    places: Vec<LastPlace>,
    /// Number of documents since the last one that had it.
    missed: u32,
}

impl EndPlaces {
    /// Adds the places of the segments in one more document. Returns, for each segment that may end its article, the
    /// [index](Placed::index) and the number of words of prose that must be before it.
    pub fn arrive(&mut self, placed: &[Placed]) -> Vec<(usize, usize)> {
        self.0.values_mut().for_each(|candidate| candidate.missed += 1);
        let mut ends = Vec::new();
        for Placed { key, index, count, place } in placed {
            if place.before < MIN_ARTICLE_WORDS || share(count) < MIN_SHARE_OF_END {
                self.0.remove(&key.0);
                continue;
            }
            let candidate = self.0.entry(key.0).or_default();
            candidate.add(LastPlace { pattern: 0, start: 0, ..*place });
            ends.extend(candidate.end().map(|words| (*index, words)));
        }
        self.0.retain(|_, candidate| candidate.missed < MOST_MISSED);
        ends
    }

    /// Returns the same as [`arrive`](Self::arrive), but learns nothing.
    pub fn look(&self, placed: &[Placed]) -> Vec<(usize, usize)> {
        let end = |placed: &Placed| Some((placed.index, self.words(placed.key)?));
        placed.iter().filter_map(end).collect()
    }

    /// The number of words of prose that must be before a segment, if it ends articles.
    pub fn words(&self, key: SegmentKey) -> Option<usize> {
        self.0.get(&key.0)?.end()
    }

    /// Adds the candidates of another run whose segments this run has not seen.
    pub(super) fn adopt(&mut self, others: &EndPlaces, is_met: impl Fn(SegmentKey) -> bool) {
        let new = others.0.iter().filter(|(key, _)| !is_met(SegmentKey(**key)));
        self.0.extend(new.map(|(key, candidate)| (*key, candidate.clone())));
    }
}

impl Candidate {
    fn add(&mut self, place: LastPlace) {
        if self.places.len() == MOST_PLACES {
            self.places.remove(0);
        }
        self.places.push(place);
        self.missed = 0;
    }

    fn end(&self) -> Option<usize> {
        if self.places.len() < MIN_DOCUMENTS_OF_END {
            None
        } else {
            least_prose_before(&self.places.iter().collect::<Vec<_>>())
        }
    }
}

/// Candidates in stored form: key, number of documents since the last one that had it, and for each place: twice the
/// words before, twice the words after, twice the words of the longest paragraph after, and whether an unmatched
/// segment follows.
pub type StoredPlaces = Vec<(u64, u32, Vec<(u32, u32, u32, bool)>)>;

impl EndPlaces {
    /// Reads the stored form.
    pub fn stored(places: &StoredPlaces) -> EndPlaces {
        let place = |&(before, after, longest_after, goes_on): &(u32, u32, u32, bool)| {
            let [before, after, longest_after] = [before, after, longest_after].map(|twice| f64::from(twice) / 2.0);
            LastPlace { pattern: 0, start: 0, before, after, longest_after, goes_on }
        };
        let candidate = |(key, missed, places): &(u64, u32, Vec<_>)| {
            (*key, Candidate { places: places.iter().map(place).collect(), missed: *missed })
        };
        EndPlaces(places.iter().map(candidate).collect())
    }

    /// Returns the stored form.
    pub fn to_store(&self) -> StoredPlaces {
        let place = |place: &LastPlace| {
            let [before, after, longest] = [place.before, place.after, place.longest_after].map(|words| 2.0 * words);
            (before as u32, after as u32, longest as u32, place.goes_on)
        };
        let stored = |(&key, Candidate { places, missed }): (&u64, &Candidate)| {
            (key, *missed, places.iter().map(place).collect())
        };
        self.0.iter().map(stored).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streaming::table::Count;

    /// One segment that is in every document, with this much prose before and after it.
    fn ends(documents: &[(f64, f64)]) -> Vec<Option<usize>> {
        let mut places = EndPlaces::default();
        let place = |(number, &(before, after)): (u32, &(f64, f64))| {
            let place = LastPlace { pattern: 3, start: 7, before, after, longest_after: after, goes_on: after > 0.0 };
            let count = Count { documents: number + 1, pages: number + 1 };
            let placed = [Placed { key: SegmentKey(9), index: 2, count, place }];
            let looked = places.look(&placed);
            let ends = places.arrive(&placed);
            assert!(looked.is_empty() || looked[0].0 == 2);
            assert_eq!(EndPlaces::stored(&places.to_store()), places);
            ends.first().map(|&(_, words)| words)
        };
        (1..).zip(documents).map(place).collect()
    }

    const COMMENTED: [(f64, f64); 10] = [
        (90.0, 40.0),
        (60.0, 0.0),
        (200.0, 20.5),
        (150.0, 0.0),
        (75.0, 0.0),
        (130.0, 0.0),
        (300.0, 60.0),
        (110.0, 0.0),
        (85.0, 0.0),
        (240.0, 30.0),
    ];

    #[test]
    fn what_comments_follow_is_learned_to_be_an_end() {
        let ends = ends(&COMMENTED);
        assert_eq!((ends[4], ends[9]), (None, Some(30)));
    }

    #[test]
    fn what_is_not_met_for_long_is_no_candidate_any_more() {
        let place = LastPlace { pattern: 0, start: 0, before: 90.0, after: 0.0, longest_after: 0.0, goes_on: false };
        let placed = [Placed { key: SegmentKey(9), index: 0, count: Count { documents: 5, pages: 5 }, place }];
        let mut places = EndPlaces::default();
        places.arrive(&placed);
        (1..MOST_MISSED).for_each(|_| drop(places.arrive(&[])));
        places.arrive(&placed);
        assert_eq!(places.0[&9].places.len(), 2);
        (0..MOST_MISSED).for_each(|_| drop(places.arrive(&[])));
        assert_eq!(places, EndPlaces::default());
    }

    #[test]
    fn what_once_stood_before_an_article_has_to_be_learned_anew() {
        let mut documents = COMMENTED.to_vec();
        documents.push((0.0, 200.0));
        documents.push((90.0, 0.0));
        assert_eq!(ends(&documents)[9..], [Some(30), None, None]);
    }
}
