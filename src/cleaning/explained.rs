//! Finds the part of a stretch that is not yet explained by a proven template of many more documents.
//!
//! Runs are processed in the order of their number of documents, the largest first. Thousands of matches may overlap,
//! such as those of a line that a menu repeats. So there is no loop over the tokens of a match. Each token is covered
//! once, by the first proven run over it. It becomes old once, when the following runs have far fewer documents. The
//! mass of old tokens is summed in a Fenwick tree.

use std::collections::VecDeque;
use std::ops::{AddAssign, Range, SubAssign};

use super::layout::Layout;
use crate::tokens::free_positions::FreePositions;

/// Two runs are parts of one template if the smaller number of documents is at least this part of the larger one.
const SAME: f64 = 0.8;

/// The covered tokens of a document, while runs are processed. See the module.
#[derive(Debug)]
pub(super) struct Explained<'l> {
    layout: &'l Layout,
    /// Tokens that no proven run covers yet.
    bare: FreePositions,
    /// Covered tokens that are not old yet, with the number of documents of the run that covers them, the largest
    /// first.
    recent: VecDeque<(u32, usize)>,
    old: FenwickTree,
}

/// The mass and the telling words of some tokens, in half words.
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

    fn by_token(layout: &Layout, token: usize) -> Said {
        let [mass, telling_words] = layout.halves_of(token);
        Said { mass, telling_words }
    }

    /// Their mass, in words.
    pub(super) fn mass(self) -> f64 {
        f64::from(self.mass) / 2.0
    }

    /// Number of words, dates, numbers and other matches of mutable patterns among them.
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
    /// A state in which nothing is explained.
    pub(super) fn new(layout: &'l Layout) -> Explained<'l> {
        let old = FenwickTree::default();
        Explained { layout, bare: FreePositions::new(layout.tokens()), recent: VecDeque::new(), old }
    }

    /// Sets the number of documents of the following runs. It must not grow from call to call.
    pub(super) fn compare_with(&mut self, documents: u32) {
        while let Some(&(covered, token)) = self.recent.front()
            && f64::from(covered) * SAME > f64::from(documents)
        {
            self.old.add(self.layout.tokens(), token, Said::by_token(self.layout, token));
            self.recent.pop_front();
        }
    }

    /// The sums over the tokens of the stretch that are not old.
    pub(super) fn new_of(&self, tokens: &Range<usize>) -> Said {
        let mut new = Said::by(self.layout, tokens);
        new -= self.old.sum(tokens);
        new
    }

    /// Marks the stretch as covered by a proven run. `documents` is its number of documents, as in the last call of
    /// `compare_with`. Calls `visit` with each token that was not covered before.
    pub(super) fn cover(&mut self, tokens: &Range<usize>, documents: u32, mut visit: impl FnMut(usize)) {
        self.bare.take(tokens.clone(), |token| {
            self.recent.push_back((documents, token));
            visit(token);
        });
    }
}

/// Prefix sums over positions. Changes and sums take O(log n). Takes no memory until something is added.
#[derive(Debug, Default)]
struct FenwickTree(Vec<Said>);

impl FenwickTree {
    /// Adds at one position out of `positions`.
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
