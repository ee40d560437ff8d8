//! Documents that were skipped.
//!
//! Takes the place and the reason of each skipped document. Says whether the document is printed: only the first
//! documents with the same reason are, because thousands would hide all others. Gives the number of documents, and the
//! first 1000 messages. There may be millions of documents, so of the others only a hash is kept, which shows whether a
//! document was already counted.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};

use dehusk_corpus::skipped::{NAMED_ALIKE, kind};
use dehusk_run::record::manifest::NAMED_SKIPS as KEPT;

/// The skipped documents.
#[derive(Debug, Default)]
pub struct Skips {
    hasher: RandomState,
    hashes: HashSet<u64>,
    /// The first messages in alphabetical order, so that the result does not depend on the order in which threads find
    /// them.
    named: BTreeSet<String>,
    /// The number of documents that an earlier run skipped without keeping their names.
    unnamed: usize,
    /// The counts of documents, by the kind of their reason.
    alike: BTreeMap<String, Alike>,
}

/// Documents that were skipped for the same reason.
#[derive(Debug, Default)]
struct Alike {
    count: usize,
    /// The number of these documents that were printed.
    printed: usize,
    /// The place of the last document that was printed.
    last: String,
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
    /// Adds a document. Returns whether it is printed: only if it is new, and few documents with the same reason were
    /// printed.
    pub fn add(&mut self, place: &str, reason: &str) -> bool {
        let Some(alike) = self.count_in(place, reason) else { return false };
        let is_printed = alike.printed < NAMED_ALIKE;
        if is_printed {
            alike.printed += 1;
            place.clone_into(&mut alike.last);
        }
        is_printed
    }

    /// Adds a document that is not printed.
    pub fn add_unprinted(&mut self, place: &str, reason: &str) {
        self.count_in(place, reason);
    }

    /// Counts a document together with others of the same reason. `None` if it was counted before.
    fn count_in(&mut self, place: &str, reason: &str) -> Option<&mut Alike> {
        let what = format!("{place}: {reason}");
        if !self.hashes.insert(self.hasher.hash_one(&what)) {
            return None;
        }
        let is_kept = self.named.len() < KEPT || self.named.last().is_some_and(|last| what < *last);
        if is_kept {
            self.named.insert(what);
        }
        if self.named.len() > KEPT {
            self.named.pop_last();
        }
        let alike = self.alike.entry(kind(reason)).or_default();
        alike.count += 1;
        Some(alike)
    }

    /// A line for each reason for which some documents were printed and others were not, with the number of the others.
    pub fn others(&self) -> Vec<String> {
        let others = self.alike.values().filter(|alike| alike.printed > 0 && alike.count > alike.printed);
        let line =
            |alike: &Alike| format!("{} more for the same reason as {}", alike.count - alike.printed, alike.last);
        others.map(line).collect()
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
        let found = [("b", "binary"), ("a", "empty"), ("b", "binary")].map(|(place, reason)| skips.add(place, reason));
        assert_eq!(found, [true, true, false]);
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
            for name in names {
                skips.add(name, "empty");
            }
            assert_eq!(skips.count(), 3 * KEPT);
            skips.named().cloned().collect::<Vec<String>>()
        };
        let first: Vec<String> = names[..KEPT].iter().map(|name| format!("{name}: empty")).collect();
        assert_eq!([kept(&names), kept(&backwards)], [&first[..]; 2]);
    }

    #[test]
    fn of_many_with_the_same_reason_the_first_are_printed_and_the_others_counted() {
        let mut skips = Skips::default();
        let mut add = |place: usize, reason: String| skips.add(&format!("x.jsonl:{place}"), &reason);
        let printed = (1..=105).filter(|&at| add(at, format!("is not valid JSON: at column {at}"))).count();
        assert_eq!((printed, add(106, r#"has no "text""#.to_owned())), (3, true));
        let printed = (107..=112).filter(|&at| add(at, format!(r#"{:?} has no host"#, format!("a\"{at}")))).count();
        assert_eq!((printed, add(107, r#""a\"107" has no host"#.to_owned())), (3, false));
        skips.add_unprinted("x.jsonl:113", "is not valid JSON: at column 113");
        skips.add_unprinted("x.jsonl:113", "is not valid JSON: at column 113");
        assert_eq!(
            skips.others(),
            ["3 more for the same reason as x.jsonl:109", "103 more for the same reason as x.jsonl:3"]
        );
        assert_eq!(skips.count(), 113);
    }
}
