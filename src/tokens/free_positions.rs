//! Positions 0..n of which stretches are taken, each once.
//!
//! From every position a link leads to the next free one, shortened whenever it is followed (disjoint sets): all takes
//! together cost little more than n.

use std::ops::Range;

/// Which of a number of positions nobody has taken.
#[derive(Debug)]
pub(crate) struct FreePositions {
    next: Vec<u32>,
}

impl FreePositions {
    /// All of them are free.
    pub(crate) fn new(positions: usize) -> FreePositions {
        FreePositions { next: (0..=positions as u32).collect() }
    }

    /// The first free position from here on; the number of positions if there is none.
    pub(crate) fn next(&mut self, position: usize) -> usize {
        let mut at = position;
        while self.next[at] as usize != at {
            self.next[at] = self.next[self.next[at] as usize];
            at = self.next[at] as usize;
        }
        at
    }

    /// Takes what is free in the range, and calls `visit` with each position taken.
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
