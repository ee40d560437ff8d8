//! Which segments articles of a source end before, learned as documents come.
//!
//! Takes where a document's segments stand in its prose; gives those that articles end before, told by the places that
//! they had in the last documents ([`crate::ends`] says by what). Few segments are candidates: before most, sometimes
//! no article stands, and these are left out at once.

use std::collections::BTreeMap;

use super::evidence::{Placed, share};
use super::segments::SegmentKey;
use crate::cleaning::article_end::LastPlace;
use crate::ends::{MIN_ARTICLE_WORDS, MIN_DOCUMENTS, MIN_SHARE, end};

/// The last documents that are looked at.
const MOST_PLACES: usize = 25;

/// Where candidates stood in the last documents that had them, by segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndPlaces(BTreeMap<u64, Vec<LastPlace>>);

impl EndPlaces {
    /// Takes in where segments stand in one more document; gives those that its article may end before, with how much
    /// prose has to stand before each: their indices among what recurs in the document, and words.
    pub fn arrive(&mut self, placed: &[Placed]) -> Vec<(usize, usize)> {
        let mut ends = Vec::new();
        for Placed { key, index, count, place } in placed {
            if place.before < MIN_ARTICLE_WORDS || share(count) < MIN_SHARE {
                self.0.remove(&key.0);
                continue;
            }
            let places = self.0.entry(key.0).or_default();
            if places.len() == MOST_PLACES {
                places.remove(0);
            }
            places.push(LastPlace { pattern: 0, start: 0, ..*place });
            ends.extend(end_of(places).map(|words| (*index, words)));
        }
        ends
    }

    /// What [`arrive`](Self::arrive) gives, but nothing is learned.
    pub fn look(&self, placed: &[Placed]) -> Vec<(usize, usize)> {
        let end = |placed: &Placed| Some((placed.index, self.words(placed.key)?));
        placed.iter().filter_map(end).collect()
    }

    /// How much prose has to stand before a segment, in words, if articles end before it.
    pub fn words(&self, key: SegmentKey) -> Option<usize> {
        end_of(self.0.get(&key.0)?)
    }

    /// Leaves out the segments that are not remembered.
    pub fn retain(&mut self, is_remembered: impl Fn(SegmentKey) -> bool) {
        self.0.retain(|&key, _| is_remembered(SegmentKey(key)));
    }
}

/// Where segments stood, as it is stored: by key, twice the words before, after, and in the longest paragraph after it, and
/// whether it goes on.
#[cfg(feature = "stream")]
pub(super) type StoredPlaces = Vec<(u64, Vec<(u32, u32, u32, bool)>)>;

#[cfg(feature = "stream")]
impl EndPlaces {
    pub(super) fn stored(places: &StoredPlaces) -> EndPlaces {
        let place = |&(before, after, longest_after, goes_on): &(u32, u32, u32, bool)| {
            let [before, after, longest_after] = [before, after, longest_after].map(|twice| f64::from(twice) / 2.0);
            LastPlace { pattern: 0, start: 0, before, after, longest_after, goes_on }
        };
        EndPlaces(places.iter().map(|(key, places)| (*key, places.iter().map(place).collect())).collect())
    }

    pub(super) fn to_store(&self) -> StoredPlaces {
        let place = |place: &LastPlace| {
            let [before, after, longest] = [place.before, place.after, place.longest_after].map(|words| 2.0 * words);
            (before as u32, after as u32, longest as u32, place.goes_on)
        };
        self.0.iter().map(|(key, places)| (*key, places.iter().map(place).collect())).collect()
    }
}

fn end_of(places: &[LastPlace]) -> Option<usize> {
    if places.len() < MIN_DOCUMENTS { None } else { end(&places.iter().collect::<Vec<_>>()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incremental::table::Count;

    /// One segment that stands in every document, with so much prose before and after it.
    fn ends(documents: &[(f64, f64)]) -> Vec<Option<usize>> {
        let mut places = EndPlaces::default();
        let place = |(number, &(before, after)): (u32, &(f64, f64))| {
            let place = LastPlace { pattern: 3, start: 7, before, after, longest_after: after, goes_on: after > 0.0 };
            let count = Count { documents: number + 1, pages: number + 1 };
            let placed = [Placed { key: SegmentKey(9), index: 2, count, place }];
            let looked = places.look(&placed);
            let ends = places.arrive(&placed);
            assert!(looked.is_empty() || looked[0].0 == 2);
            #[cfg(feature = "stream")]
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
    fn what_once_stood_before_an_article_has_to_be_learned_anew() {
        let mut documents = COMMENTED.to_vec();
        documents.push((0.0, 200.0));
        documents.push((90.0, 0.0));
        assert_eq!(ends(&documents)[9..], [Some(30), None, None]);
    }
}
