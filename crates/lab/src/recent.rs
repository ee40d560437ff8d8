//! Detection with a cache of pages, for comparison with a table of segments.
//!
//! Takes the segments of a source's pages, in order. Counts for each segment of a page how many of the last pages, this
//! one included, have it. These pages have to be stored. A larger cache never finds less, so the smallest cache that is
//! as good as a table can be found by binary search.

use rustc_hash::{FxHashMap, FxHashSet};

use dehusk_core::streaming::segments::TextSegment;
use dehusk_core::streaming::table::Count;

/// For each page, the counts of its segments in the last `cached` pages. At least the page itself is cached.
pub fn seen_in_last<S: AsRef<[TextSegment]>>(cached: usize, pages: &[S]) -> Vec<Vec<Count>> {
    let keys: Vec<FxHashSet<u64>> = pages.iter().map(|page| keys(page.as_ref())).collect();
    let mut documents: FxHashMap<u64, u32> = FxHashMap::default();
    let seen = pages.iter().enumerate().map(|(number, page)| {
        keys[number].iter().for_each(|&key| *documents.entry(key).or_default() += 1);
        if let Some(gone) = number.checked_sub(cached.max(1)) {
            keys[gone].iter().for_each(|key| forget(&mut documents, key));
        }
        let pages = cached.max(1).min(number + 1) as u32;
        let count = |segment: &TextSegment| Count { documents: documents[&segment.key.0], pages };
        page.as_ref().iter().map(count).collect()
    });
    seen.collect()
}

/// The smallest sufficient number of pages, up to `most`. If a number is sufficient, all larger ones must be.
pub fn smallest(most: usize, is_enough: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut low, mut high) = (1, most + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_enough(middle) { high = middle } else { low = middle + 1 }
    }
    (low <= most).then_some(low)
}

fn keys(segments: &[TextSegment]) -> FxHashSet<u64> {
    segments.iter().map(|segment| segment.key.0).collect()
}

fn forget(documents: &mut FxHashMap<u64, u32>, key: &u64) {
    if let Some(count) = documents.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            documents.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::streaming::segments::SegmentKey;

    fn page(keys: &[u64]) -> Vec<TextSegment> {
        keys.iter()
            .map(|&key| TextSegment { key: SegmentKey(key), text: SegmentKey(key), tokens: 0..1, block: 0, length: 1 })
            .collect()
    }

    fn documents(cached: usize, pages: &[&[u64]]) -> Vec<Vec<u32>> {
        let pages: Vec<Vec<TextSegment>> = pages.iter().map(|keys| page(keys)).collect();
        let seen = seen_in_last(cached, &pages);
        seen.iter().map(|page| page.iter().map(|seen| seen.documents).collect()).collect()
    }

    #[test]
    fn pages_count_as_long_as_they_are_cached() {
        let pages: [&[u64]; 4] = [&[1, 1, 2], &[1], &[2, 1], &[2]];
        assert_eq!(documents(2, &pages), [vec![1, 1, 1], vec![2], vec![1, 2], vec![2]]);
        assert_eq!(documents(9, &pages), [vec![1, 1, 1], vec![2], vec![2, 3], vec![3]]);
        assert_eq!(documents(0, &pages), documents(1, &pages));
    }

    #[test]
    fn the_smallest_is_found() {
        for wanted in 1..=9 {
            assert_eq!(smallest(9, |pages| pages >= wanted), Some(wanted));
        }
        assert_eq!(smallest(9, |_| false), None);
        assert_eq!(smallest(0, |_| true), None);
    }
}
