//! Counts how often blocks of each level are taken for each level.

/// Counts of blocks, by the level that they have and the level that is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    levels: Vec<u8>,
    /// For each level that blocks have, the counts of each level that is said.
    counts: Vec<Vec<u32>>,
}

impl Confusion {
    /// No blocks yet, of these levels.
    pub fn new(levels: &[u8]) -> Confusion {
        Confusion { levels: levels.to_vec(), counts: vec![vec![0; levels.len()]; levels.len()] }
    }

    /// Counts a block.
    ///
    /// # Panics
    /// If a level is not one of those given.
    pub fn add(&mut self, has: u8, said: u8) {
        let [has, said] = [has, said].map(|level| self.levels.iter().position(|&of| of == level).expect("a level"));
        self.counts[has][said] += 1;
    }

    /// Adds the counts of another `Confusion` with the same levels.
    pub fn and(mut self, other: &Confusion) -> Confusion {
        for (counts, others) in self.counts.iter_mut().zip(&other.counts) {
            counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
        }
        self
    }

    /// The levels.
    pub fn levels(&self) -> &[u8] {
        &self.levels
    }

    /// Whether a block has this level, or is said to have it.
    pub fn has(&self, level: u8) -> bool {
        let at = self.levels.iter().position(|&of| of == level);
        at.is_some_and(|at| self.counts[at].iter().any(|&count| count > 0) || self.counts.iter().any(|of| of[at] > 0))
    }

    /// The same blocks, with two levels counted as one: the first of the two stands for both.
    pub fn merged(&self, [into, other]: [u8; 2]) -> Confusion {
        let of = |level: u8| if level == other { into } else { level };
        let mut levels: Vec<u8> = self.levels.iter().map(|&level| of(level)).collect();
        levels.sort_unstable();
        levels.dedup();

        let mut merged = Confusion::new(&levels);
        let places: Vec<usize> =
            self.levels.iter().map(|&level| levels.binary_search(&of(level)).unwrap_or(0)).collect();
        for (&has, counts) in places.iter().zip(&self.counts) {
            places.iter().zip(counts).for_each(|(&said, count)| merged.counts[has][said] += count);
        }
        merged
    }

    /// Number of blocks.
    pub fn len(&self) -> u32 {
        self.counts.iter().flatten().sum()
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Of the blocks that are said to have a level, the share that has it; 0 if there are no such blocks.
    pub fn precision(&self, level: usize) -> f64 {
        share(self.counts[level][level], self.counts.iter().map(|of| of[level]).sum())
    }

    /// Of the blocks that have a level, the share that is said to have it; 0 if there are no such blocks.
    pub fn recall(&self, level: usize) -> f64 {
        share(self.counts[level][level], self.counts[level].iter().sum())
    }

    /// The share of blocks with the right level. This is Micro-F1, because each block has one level, and one level is
    /// said of each.
    pub fn micro_f1(&self) -> f64 {
        share((0..self.levels.len()).map(|level| self.counts[level][level]).sum(), self.len())
    }

    /// The share of right answers if each block and level is a question: does the block have the level?
    pub fn micro_accuracy(&self) -> f64 {
        1.0 - 2.0 * (1.0 - self.micro_f1()) / self.levels.len() as f64
    }
}

fn share(part: u32, of: u32) -> f64 {
    if of == 0 { 0.0 } else { f64::from(part) / f64::from(of) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn figures_by_hand() {
        let mut confusion = Confusion::new(&[1, 3, 4]);
        [(1, 1), (1, 1), (1, 4), (3, 1), (4, 4)].into_iter().for_each(|(has, said)| confusion.add(has, said));
        assert_eq!([0, 1, 2].map(|level| confusion.precision(level)), [2.0 / 3.0, 0.0, 0.5]);
        assert_eq!([0, 1, 2].map(|level| confusion.recall(level)), [2.0 / 3.0, 0.0, 1.0]);
        assert_eq!(confusion.micro_f1(), 0.6);
    }

    #[test]
    fn levels_that_occur_are_known() {
        let mut confusion = Confusion::new(&[1, 2, 3, 4]);
        [(1, 1), (1, 3), (2, 1)].into_iter().for_each(|(has, said)| confusion.add(has, said));
        // Level 3 is said, level 2 is given, and level 4 is neither.
        assert_eq!([1, 2, 3, 4, 5].map(|level| confusion.has(level)), [true, true, true, false, false]);
    }

    proptest! {
        /// Merged figures are those of blocks whose levels were merged before they were counted.
        #[test]
        fn merged_levels_count_as_one(blocks in prop::collection::vec((1u8..5, 1u8..5), 0..200)) {
            let mut confusion = Confusion::new(&[1, 2, 3, 4]);
            blocks.iter().for_each(|&(has, said)| confusion.add(has, said));
            let mut expected = Confusion::new(&[1, 2, 4]);
            let of = |level: u8| if level == 3 { 2 } else { level };
            blocks.iter().for_each(|&(has, said)| expected.add(of(has), of(said)));
            prop_assert_eq!(confusion.merged([2, 3]), expected);
            // A level that does not occur changes nothing.
            prop_assert_eq!(confusion.merged([2, 5]), confusion.clone());
            prop_assert!(confusion.merged([2, 3]).micro_f1() >= confusion.micro_f1());
        }

        /// The paper counts yes-no decisions. Its figures follow from Micro-F1.
        #[test]
        fn micro_accuracy_is_that_of_all_decisions(blocks in prop::collection::vec((1u8..5, 1u8..5), 1..200)) {
            let mut confusion = Confusion::new(&[1, 2, 3, 4]);
            blocks.iter().for_each(|&(has, said)| confusion.add(has, said));
            let right = blocks.iter().flat_map(|&(has, said)| (1..5).map(move |level| (has == level) == (said == level)));
            let right = right.filter(|&is_right| is_right).count() as f64 / (4 * blocks.len()) as f64;
            prop_assert!((confusion.micro_accuracy() - right).abs() < 1e-12);
        }
    }
}
