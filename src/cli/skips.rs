//! Documents that were skipped.
//!
//! Takes the message about each. Gives their number, and the first 1000 messages. There may be millions, so only a hash is
//! kept of the others. It shows whether a document was already counted.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};

use dehusk::pipeline::manifest::NAMED_SKIPS as KEPT;

/// The skipped documents.
#[derive(Debug, Default)]
pub struct Skips {
    hasher: RandomState,
    hashes: HashSet<u64>,
    /// The first in alphabetical order, so that the result does not depend on the order in which threads find them.
    named: BTreeSet<String>,
    /// The number of those that an earlier run skipped without keeping their names.
    unnamed: usize,
}

/// More documents were skipped than allowed.
#[derive(Debug, thiserror::Error)]
#[error("stopped: {}, and --max-errors allows {allowed}; {}", were_skipped(*.skipped), remedy(*.is_kept))]
pub struct TooManySkipped {
    pub skipped: usize,
    pub allowed: usize,
    /// Whether the run can be continued from what it has written.
    pub is_kept: bool,
}

fn were_skipped(count: usize) -> String {
    if count == 1 { "1 document was skipped".to_owned() } else { format!("{count} documents were skipped") }
}

fn remedy(is_kept: bool) -> &'static str {
    match is_kept {
        true => {
            "all files written so far are complete; repair the documents and continue with --resume, or allow more with --max-errors"
        }
        false => "repair the documents, or allow more with --max-errors, and start again",
    }
}

impl Skips {
    /// Adds a document. Returns whether it is new.
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

    /// Adds documents whose names are unknown.
    pub fn add_unnamed(&mut self, count: usize) {
        self.unnamed += count;
    }

    /// The number of skipped documents.
    pub fn count(&self) -> usize {
        self.hashes.len() + self.unnamed
    }

    /// The first messages, sorted.
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
