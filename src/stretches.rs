//! The stretches of flags that are set.

use std::ops::Range;

/// From left to right.
pub(crate) fn stretches_of_true(flags: &[bool]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let stretches = flags.chunk_by(|a, b| a == b).map(move |stretch| {
        start += stretch.len();
        (stretch[0], start - stretch.len()..start)
    });
    stretches.filter(|(flag, _)| *flag).map(|(_, range)| range)
}
