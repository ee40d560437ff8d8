//! Finds stretches (ranges of positions) in which flags are set, and the overlap of stretches.

use std::ops::Range;

/// The stretches in which all flags are set, from left to right.
pub(crate) fn stretches_of_true(flags: &[bool]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let stretches = flags.chunk_by(|a, b| a == b).map(move |stretch| {
        start += stretch.len();
        (stretch[0], start - stretch.len()..start)
    });
    stretches.filter(|(flag, _)| *flag).map(|(_, range)| range)
}

/// The stretches that overlap `with`. `sorted` must be sorted and disjoint. O(log n).
pub fn touching<'a, T>(sorted: &'a [T], with: &Range<usize>, range: impl Fn(&T) -> &Range<usize>) -> &'a [T] {
    let first = sorted.partition_point(|of| range(of).end <= with.start);
    let count = sorted[first..].partition_point(|of| range(of).start < with.end);
    &sorted[first..first + count]
}

/// The overlap of two stretches that overlap.
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
