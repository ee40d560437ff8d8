//! Divides a document's tokens into consecutive stretches, such as lines or segments.

use std::ops::Range;

/// Consecutive stretches of tokens. There may be one for every token, so bounds are stored in 32 bits, like positions
/// in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    /// The start of each stretch, and the end of the last one.
    bounds: Vec<u32>,
}

impl Partition {
    /// The partition with these bounds, ascending: the start of each stretch, then the end of the last one.
    pub fn at(bounds: impl Iterator<Item = usize>) -> Partition {
        Partition { bounds: bounds.map(|bound| bound as u32).collect() }
    }

    /// Number of stretches.
    pub fn len(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    /// Whether there are no stretches.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tokens of the stretch with this number.
    pub fn tokens(&self, number: usize) -> Range<usize> {
        self.bounds[number] as usize..self.bounds[number + 1] as usize
    }

    /// The tokens of each stretch, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + ExactSizeIterator + Clone {
        (0..self.len()).map(|number| self.tokens(number))
    }

    /// The numbers of the stretches that have at least one of these tokens.
    pub fn touching(&self, tokens: &Range<usize>) -> Range<usize> {
        let first = self.bounds.partition_point(|&bound| bound as usize <= tokens.start).saturating_sub(1);
        let next = self.bounds.partition_point(|&bound| (bound as usize) < tokens.end);
        first..next.min(self.len()).max(first)
    }

    /// The numbers of the stretches that lie completely in these tokens.
    pub fn within(&self, tokens: &Range<usize>) -> Range<usize> {
        let first = self.bounds.partition_point(|&bound| (bound as usize) < tokens.start);
        let next = self.bounds.partition_point(|&bound| bound as usize <= tokens.end);
        first..next.saturating_sub(1).max(first)
    }

    /// Whether a stretch begins at this token, or the last stretch ends directly before it.
    pub fn has_bound(&self, token: usize) -> bool {
        self.bounds.binary_search(&(token as u32)).is_ok()
    }

    /// Keeps only the first `stretches` stretches.
    pub fn truncate(&mut self, stretches: usize) {
        self.bounds.truncate(stretches + 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn stretches_are_found_as_if_each_were_looked_at(
            lengths in prop::collection::vec(1usize..4, 0..8),
            start in 0usize..24,
            len in 1usize..9,
        ) {
            let ends = lengths.iter().scan(0, |end, length| {
                *end += length;
                Some(*end)
            });
            let partition = Partition::at(std::iter::once(0).chain(ends));
            let all: Vec<Range<usize>> = partition.iter().collect();
            prop_assert_eq!(all.iter().map(|stretch| stretch.len()).collect::<Vec<_>>(), lengths);
            let tokens = start..start + len;
            let numbers = |is_meant: &dyn Fn(&Range<usize>) -> bool| -> Vec<usize> {
                (0..all.len()).filter(|&number| is_meant(&all[number])).collect()
            };
            let touches = |stretch: &Range<usize>| stretch.start < tokens.end && tokens.start < stretch.end;
            prop_assert_eq!(partition.touching(&tokens).collect::<Vec<_>>(), numbers(&touches));
            let lies_within = |stretch: &Range<usize>| tokens.start <= stretch.start && stretch.end <= tokens.end;
            prop_assert_eq!(partition.within(&tokens).collect::<Vec<_>>(), numbers(&lies_within));
            let is_bound = all.iter().any(|stretch| stretch.start == start || stretch.end == start);
            prop_assert_eq!(partition.has_bound(start), is_bound || start == 0);
        }
    }
}
