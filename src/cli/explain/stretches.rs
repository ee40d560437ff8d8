//! Stretches of a text, and what they have in common.

use std::ops::Range;

/// Of sorted and disjoint stretches, those that have anything in common with one. O(log n).
pub fn touching<'a, T>(sorted: &'a [T], with: &Range<usize>, range: impl Fn(&T) -> &Range<usize>) -> &'a [T] {
    let first = sorted.partition_point(|of| range(of).end <= with.start);
    let count = sorted[first..].partition_point(|of| range(of).start < with.end);
    &sorted[first..first + count]
}

/// What two stretches that overlap have in common.
pub fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
        a.start < b.end && b.start < a.end
    }

    #[test]
    fn what_touches_a_stretch_is_what_overlaps_it() {
        let sorted = [1..3, 3..4, 6..9, 12..13];
        for start in 0..14 {
            for end in start + 1..15 {
                let naive: Vec<&Range<usize>> = sorted.iter().filter(|of| overlap(of, &(start..end))).collect();
                assert_eq!(touching(&sorted, &(start..end), |of| of).iter().collect::<Vec<_>>(), naive);
            }
        }
    }
}
