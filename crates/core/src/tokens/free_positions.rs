//! The free positions among 0..n. Ranges of positions can be taken, and each position is taken once.
//!
//! Each position has a link to the next free one. Links are shortened whenever they are followed (disjoint sets). So
//! all calls together cost little more than n.

use std::ops::Range;

/// The positions that are not taken yet.
#[derive(Debug)]
pub(crate) struct FreePositions {
    next: Vec<u32>,
}

impl FreePositions {
    /// All positions below `positions` are free. One more position marks the end.
    pub(crate) fn new(positions: usize) -> FreePositions {
        FreePositions { next: (0..=positions as u32).collect() }
    }

    /// The first free position at or after this one. The number of positions if there is none.
    pub(crate) fn next(&mut self, position: usize) -> usize {
        let mut at = position;
        while self.next[at] as usize != at {
            self.next[at] = self.next[self.next[at] as usize];
            at = self.next[at] as usize;
        }
        at
    }

    /// Takes the free positions in the range, and calls `visit` with each of them.
    pub(crate) fn take(&mut self, range: Range<usize>, mut visit: impl FnMut(usize)) {
        let mut position = self.next(range.start);
        while position < range.end {
            self.next[position] = position as u32 + 1;
            visit(position);
            position = self.next(position + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_position_is_taken_once(stretches in prop::collection::vec((0usize..40, 0usize..40), 0..30)) {
            let mut free = FreePositions::new(40);
            let mut taken = [false; 40];
            for (a, b) in stretches {
                free.take(a.min(b)..a.max(b), |position| {
                    assert!(!std::mem::replace(&mut taken[position], true));
                });
                prop_assert!(taken[a.min(b)..a.max(b)].iter().all(|&taken| taken));
                let naive = taken.iter().skip(a).position(|&taken| !taken).map_or(40, |ahead| a + ahead);
                prop_assert_eq!(free.next(a), naive);
            }
        }
    }
}
