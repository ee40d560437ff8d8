//! Decides which segments of a document are boilerplate.
//!
//! Takes a document's segments and their counts. A segment in many documents is boilerplate if most text of its block
//! is in many documents. So a sentence that several articles share is not boilerplate. This is more careful than Wang
//! et al., who remove a block with all its text ([`block_rule`](super::block_rule)): here only text that recurs is
//! boilerplate.

use std::ops::Sub;

use rustc_hash::FxHashMap;

use super::Detection;
use super::segments::TextSegment;
use super::table::Count;

/// For each segment, whether it is boilerplate: it is in enough documents, and enough text of its block is in enough
/// documents.
pub fn template(segments: &[TextSegment], counts: &[Count], detection: &Detection) -> Vec<bool> {
    let recurs: Vec<bool> = counts.iter().map(|count| count.documents >= detection.template_documents).collect();
    let mut blocks: FxHashMap<u32, Lengths> = FxHashMap::default();
    for (segment, &recurs) in segments.iter().zip(&recurs) {
        blocks.entry(segment.block).or_default().add(segment.length, recurs);
    }
    let is_template = |(segment, recurs): (&TextSegment, bool)| recurs && blocks[&segment.block].is_template(detection);
    segments.iter().zip(recurs).map(is_template).collect()
}

/// The length of all segments of a block, and of those that recur.
#[derive(Clone, Copy, Default)]
pub(super) struct Lengths {
    all: u64,
    recurring: u64,
}

impl Lengths {
    pub(super) fn add(&mut self, length: u32, recurs: bool) {
        self.all += u64::from(length);
        self.recurring += if recurs { u64::from(length) } else { 0 };
    }

    pub(super) fn is_template(&self, detection: &Detection) -> bool {
        self.recurring as f64 > detection.block_share * self.all as f64
    }

    /// The share that recurs: the template ratio. 0 without segments.
    pub(super) fn share(&self) -> f32 {
        self.recurring as f32 / self.all.max(1) as f32
    }
}

impl Sub for Lengths {
    type Output = Lengths;

    fn sub(self, before: Lengths) -> Lengths {
        Lengths { all: self.all - before.all, recurring: self.recurring - before.recurring }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streaming::segments::SegmentKey;

    /// Segments are given as block, length and documents.
    fn found(segments: &[(u32, u32, u32)]) -> Vec<bool> {
        let of = |&(block, length, _): &(u32, u32, u32)| TextSegment {
            key: SegmentKey(0),
            text: SegmentKey(0),
            tokens: 0..0,
            block,
            length,
        };
        let count = |&(_, _, documents): &(u32, u32, u32)| Count { documents, pages: 9 };
        let (segments, counts): (Vec<TextSegment>, Vec<Count>) =
            segments.iter().map(|given| (of(given), count(given))).unzip();
        template(&segments, &counts, &Detection::default())
    }

    #[test]
    fn what_recurs_is_template() {
        assert_eq!(found(&[(0, 10, 5), (1, 10, 4)]), [true, false]);
    }

    #[test]
    fn a_block_is_template_if_more_than_the_share_of_it_recurs() {
        assert_eq!(found(&[(0, 70, 9), (0, 30, 1)]), [false, false]);
        assert_eq!(found(&[(0, 71, 9), (0, 29, 1)]), [true, false]);
    }

    #[test]
    fn a_block_need_not_lie_in_one_piece() {
        assert_eq!(found(&[(0, 50, 9), (1, 50, 9), (0, 50, 1)]), [false, true, false]);
    }
}
