//! What of a stretch no proven template explains that many more documents have.
//!
//! Runs come by their number of documents, those of most first. Matches may lie over each other by the thousand, as those of
//! a line that a menu repeats do, so no token is looked at for each of them: a token is covered once, by the first proven run
//! over it, and becomes old once, when runs of much fewer documents have come. What old tokens say is summed up in a
//! Fenwick tree.

use std::collections::VecDeque;
use std::ops::{AddAssign, Range, SubAssign};

use super::layout::Layout;
use crate::free_positions::FreePositions;

/// Runs whose numbers of documents differ by less than this factor are parts of one template.
const SAME: f64 = 0.8;

/// See the module.
#[derive(Debug)]
pub(super) struct Explained<'l> {
    layout: &'l Layout,
    /// Tokens that no proven run covers.
    bare: FreePositions,
    /// Covered tokens that are not old yet, with the documents of the run that covers them: the most first.
    recent: VecDeque<(u32, usize)>,
    old: FenwickTree,
}

/// What some tokens say, in halves of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    mass: u32,
    telling_words: u32,
}

impl Said {
    fn by(layout: &Layout, tokens: &Range<usize>) -> Said {
        let halves = |words: f64| (2.0 * words) as u32;
        Said { mass: halves(layout.mass(tokens)), telling_words: halves(layout.telling_words(tokens)) }
    }

    /// What they weigh, in words.
    pub(super) fn mass(self) -> f64 {
        f64::from(self.mass) / 2.0
    }

    /// The words, dates, numbers and such among them.
    pub(super) fn telling_words(self) -> f64 {
        f64::from(self.telling_words) / 2.0
    }
}

impl AddAssign for Said {
    fn add_assign(&mut self, other: Said) {
        self.mass += other.mass;
        self.telling_words += other.telling_words;
    }
}

impl SubAssign for Said {
    fn sub_assign(&mut self, other: Said) {
        self.mass -= other.mass;
        self.telling_words -= other.telling_words;
    }
}

impl<'l> Explained<'l> {
    /// Nothing is.
    pub(super) fn new(layout: &'l Layout) -> Explained<'l> {
        let old = FenwickTree::default();
        Explained { layout, bare: FreePositions::new(layout.tokens()), recent: VecDeque::new(), old }
    }

    /// From now on it is runs of so many documents that are asked for: no more than before.
    pub(super) fn compare_with(&mut self, documents: u32) {
        while let Some(&(covered, token)) = self.recent.front()
            && f64::from(covered) * SAME > f64::from(documents)
        {
            self.old.add(self.layout.tokens(), token, Said::by(self.layout, &(token..token + 1)));
            self.recent.pop_front();
        }
    }

    /// What of this stretch is new.
    pub(super) fn new_of(&self, tokens: &Range<usize>) -> Said {
        let mut new = Said::by(self.layout, tokens);
        new -= self.old.sum(tokens);
        new
    }

    /// A proven run of the documents last compared with covers this stretch. Calls `visit` with each token of it that none
    /// did cover.
    pub(super) fn cover(&mut self, tokens: &Range<usize>, documents: u32, mut visit: impl FnMut(usize)) {
        self.bare.take(tokens.clone(), |token| {
            self.recent.push_back((documents, token));
            visit(token);
        });
    }
}

/// Sums over stretches of positions while single ones grow, in O(log n) each; empty as long as nothing was added.
#[derive(Debug, Default)]
struct FenwickTree(Vec<Said>);

impl FenwickTree {
    /// Adds at one of so many positions.
    fn add(&mut self, positions: usize, position: usize, said: Said) {
        self.0.resize(positions, Said::default());
        let mut at = position;
        while at < positions {
            self.0[at] += said;
            at |= at + 1;
        }
    }

    fn sum(&self, positions: &Range<usize>) -> Said {
        let mut sum = Said::default();
        if self.0.is_empty() {
            return sum;
        }
        let mut end = positions.end;
        while end > 0 {
            sum += self.0[end - 1];
            end &= end - 1;
        }
        let mut end = positions.start;
        while end > 0 {
            sum -= self.0[end - 1];
            end &= end - 1;
        }
        sum
    }
}
