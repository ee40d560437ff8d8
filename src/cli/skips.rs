//! Documents that were left out.
//!
//! Takes each as it is named on stderr; gives how many there are, and the first thousand by name. There may be millions,
//! so of the others only a hash is kept, which tells whether one was named already.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};

use dehusk::pipeline::manifest::NAMED_SKIPS as KEPT;

/// What was left out.
#[derive(Debug, Default)]
pub struct Skips {
    hasher: RandomState,
    hashes: HashSet<u64>,
    /// Those that come first in the alphabet: which, must not depend on the order in which threads meet them.
    named: BTreeSet<String>,
    /// Counted by an earlier run that did not keep their names.
    unnamed: usize,
}

/// More were left out than the user puts up with.
#[derive(Debug, thiserror::Error)]
#[error("stopped, for {} and --max-errors allows {allowed}; {}", were_skipped(*.skipped), remedy(*.is_kept))]
pub struct TooManySkipped {
    pub skipped: usize,
    pub allowed: usize,
    /// Whether what was written so far is there to go on from.
    pub is_kept: bool,
}

fn were_skipped(count: usize) -> String {
    if count == 1 { "1 document was skipped".to_owned() } else { format!("{count} documents were skipped") }
}

fn remedy(is_kept: bool) -> &'static str {
    match is_kept {
        true => {
            "every file written so far is whole: see to them and go on with --resume, or allow more with --max-errors"
        }
        false => "see to them, or allow more with --max-errors, and start again",
    }
}

impl Skips {
    /// Adds one; whether it is new.
    pub fn add(&mut self, what: &str) -> bool {
        if !self.hashes.insert(self.hasher.hash_one(what)) {
            return false;
        }
        let is_kept = self.named.len() < KEPT || self.named.last().is_some_and(|last| what < last.as_str());
        if is_kept {
            self.named.insert(what.to_owned());
        }
        if self.named.len() > KEPT {
            self.named.pop_last();
        }
        true
    }

    /// Adds some that nobody can name any more.
    pub fn add_unnamed(&mut self, count: usize) {
        self.unnamed += count;
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.hashes.len() + self.unnamed
    }

    /// The first of them, sorted.
    #[cfg(any(feature = "review", test))]
    pub fn named(&self) -> impl Iterator<Item = &String> {
        self.named.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counts_once() {
        let mut skips = Skips::default();
        assert_eq!(["b: binary", "a: empty", "b: binary"].map(|what| skips.add(what)), [true, true, false]);
        skips.add_unnamed(5);
        assert_eq!(skips.count(), 7);
        assert_eq!(skips.named().collect::<Vec<_>>(), ["a: empty", "b: binary"]);
    }

    #[test]
    fn the_same_are_kept_in_whatever_order_they_come() {
        let names: Vec<String> = (0..3 * KEPT).map(|number| format!("{number:05}")).collect();
        let backwards: Vec<String> = names.iter().rev().cloned().collect();
        let kept = |names: &[String]| {
            let mut skips = Skips::default();
            assert!(names.iter().all(|name| skips.add(name)));
            assert_eq!(skips.count(), 3 * KEPT);
            skips.named().cloned().collect::<Vec<String>>()
        };
        assert_eq!(kept(&names), names[..KEPT]);
        assert_eq!(kept(&backwards), names[..KEPT]);
    }
}
