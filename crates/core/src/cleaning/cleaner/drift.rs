//! Detects drift: the documents of a source no longer look as they did when it was mined.
//!
//! Sites change their templates, but the patterns do not change. Takes a source's pattern file and the results of a run
//! over documents of this source. Returns whether far fewer patterns match, or far less text is removed, than when the
//! source was mined.
//!
//! The mean number of patterns in a document at mining is the sum of their shares. Rejected patterns count as well,
//! because documents still have their text: a review must not look like drift.

use std::collections::HashMap;

use super::Cleaner;
use crate::cleaning::reading::Reading;
use crate::patterns::{Loose, Pattern, PatternFile, Status};

/// Minimum number of documents of a source in a run. With fewer, the source is not judged.
pub const MIN_DOCUMENTS_OF_RUN: usize = 10;
/// Minimum mean number of patterns in a document at mining. With fewer, documents without any pattern are normal, so
/// the number of patterns is not judged.
pub const MIN_PATTERNS: f64 = 1.0;
/// A source counts as changed if a figure is less than this fraction of its value at mining.
pub const FALLEN: f64 = 0.5;

/// Which of a cleaner's patterns are counted, and how many of them a document had on average at mining.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Whether a pattern is counted: for each applied pattern of the source's own file, and for each rejected one. Shared
    /// patterns come after them in the cleaner, and are not counted: there can be many of them for each source.
    is_counted: [Vec<bool>; 2],
    when_mined: f64,
}

/// What one run found in the documents of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// Number of documents.
    pub documents: usize,
    /// Sum over the documents of the number of patterns in each.
    pub patterns: u64,
    /// The share of the text that was removed, 0..=1. `None` if it cannot be compared with mining.
    pub removed: Option<f64>,
}

/// A figure at mining and in this run.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Figure {
    /// The value when the source was mined.
    pub when_mined: f64,
    /// The value in this run.
    pub now: f64,
    /// Whether it is now so small that the source counts as changed.
    pub has_fallen: bool,
}

/// How much a run differs from mining.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Drift {
    /// The mean number of mined patterns in a document.
    pub patterns: Figure,
    /// The share of the text that is removed. `None` if it cannot be compared with mining.
    pub removed: Option<Figure>,
}

impl Watch {
    /// Selects the patterns to count. The source's own file must be the first file of `cleaner`.
    pub fn new(cleaner: &Cleaner, own: &PatternFile) -> Watch {
        let counted = own.all().filter(|pattern| is_of_last_mining(pattern, own));
        let mut counted: HashMap<&str, &Pattern> = counted.map(|pattern| (pattern.id.as_str(), pattern)).collect();
        let (part, mut when_mined) = (&cleaner.parts[0].part, 0.0);
        let is_counted = [&part.applied, &part.rejected].map(|patterns| {
            let of_own = patterns.iter().map(|pattern| counted.remove(pattern.id.as_str()));
            of_own.map(|own| own.inspect(|own| when_mined += own.share()).is_some()).collect()
        });
        Watch { is_counted, when_mined }
    }

    /// Number of different patterns that match in a document. Only the source's own patterns with counts of the last
    /// mining are counted.
    pub fn found(&self, reading: &Reading) -> u64 {
        let applied = reading.found().chain(&reading.silenced).map(|found| (0, found.pattern));
        let rejected = reading.rejected.iter().map(|found| (1, found.pattern));
        let is_counted = |&(list, pattern): &(usize, usize)| self.is_counted[list].get(pattern) == Some(&true);
        let mut found: Vec<(usize, usize)> = applied.chain(rejected).filter(is_counted).collect();
        found.sort_unstable();
        found.dedup();
        found.len() as u64
    }

    /// Mean number of patterns in a document when the source was mined. The same patterns count as in
    /// [`found`](Self::found).
    pub fn when_mined(&self) -> f64 {
        self.when_mined
    }
}

/// Whether the pattern's counts are from the last mining of its source. A pattern that a person touched stays in the
/// file with its old counts, even if mining no longer finds it. False for selectors, because they match pages and not
/// texts.
pub fn is_of_last_mining(pattern: &Pattern, own: &PatternFile) -> bool {
    let is_counted = pattern.is_as_mined() && pattern.documents > 0 && pattern.among == own.mined.counted();
    is_counted && pattern.elements().is_none()
}

/// Whether these files still remove at least the text that they removed when they were mined: no pattern was rejected
/// or edited, and no text is kept, with a pattern or without one.
pub fn removes_as_mined(files: &[&PatternFile]) -> bool {
    let is_edited = |pattern: &Pattern| !pattern.is_as_mined() && pattern.documents > 0;
    let holds_back = |pattern: &Pattern| pattern.status == Status::Rejected || is_edited(pattern);
    let keeps = |file: &PatternFile| !file.keep.is_empty() || file.loose == Loose::Keep;
    files.iter().all(|file| !keeps(file) && !file.patterns.iter().any(holds_back))
}

/// Compares a run with mining: the mean number of patterns in a document and, if both values are known, the share of
/// the text that is removed. `None` if the run has too few documents.
pub fn drift(patterns_when_mined: f64, removed_when_mined: Option<f64>, found: &Found) -> Option<Drift> {
    if found.documents < MIN_DOCUMENTS_OF_RUN {
        return None;
    }
    let patterns = Figure::new(patterns_when_mined, found.patterns as f64 / found.documents as f64);
    let patterns = Figure { has_fallen: patterns.has_fallen && patterns_when_mined >= MIN_PATTERNS, ..patterns };
    let removed = removed_when_mined.zip(found.removed).map(|(when_mined, now)| Figure::new(when_mined, now));
    Some(Drift { patterns, removed })
}

impl Figure {
    fn new(when_mined: f64, now: f64) -> Figure {
        Figure { when_mined, now, has_fallen: now < FALLEN * when_mined }
    }
}

impl Drift {
    /// Whether the source has changed.
    pub fn has_changed(&self) -> bool {
        self.patterns.has_fallen || self.removed.is_some_and(|removed| removed.has_fallen)
    }

    /// A sentence for the user: the source has changed, why, and what to do.
    pub fn in_words(&self) -> String {
        let patterns = self.patterns.has_fallen.then(|| {
            let [then, now] = [self.patterns.when_mined, self.patterns.now].map(|mean| format!("{mean:.1}"));
            format!("a document had {then} of the mined patterns on average, and now has {now}")
        });
        let removed = self.removed.filter(|removed| removed.has_fallen).map(|removed| {
            let [then, now] = [removed.when_mined, removed.now].map(|share| format!("{:.1} %", 100.0 * share));
            format!("{then} of the text was removed, and now it is {now}")
        });
        let told: Vec<String> = patterns.into_iter().chain(removed).collect();
        format!("has changed since it was mined: {}; mine it again", told.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleaning::{CleanOptions, Scratch};
    use crate::patterns::LexerCache;

    fn has_changed(documents: usize, patterns: u64, removed: f64) -> Option<bool> {
        let found = Found { documents, patterns, removed: Some(removed) };
        drift(8.0, Some(0.6), &found).map(|drift| drift.has_changed())
    }

    #[test]
    fn less_than_half_is_drift() {
        assert_eq!(has_changed(10, 40, 0.3), Some(false));
        assert_eq!(has_changed(10, 39, 0.3), Some(true));
        assert_eq!(has_changed(10, 40, 0.29), Some(true));
    }

    #[test]
    fn few_documents_tell_nothing() {
        assert_eq!(has_changed(9, 0, 0.0), None);
    }

    #[test]
    fn few_patterns_tell_nothing() {
        let nothing = Found { documents: 10, patterns: 0, removed: None };
        let has_changed = |when_mined| drift(when_mined, None, &nothing).map(|drift| drift.has_changed());
        assert_eq!([has_changed(0.9), has_changed(1.0)], [Some(false), Some(true)]);
    }

    fn file(source: &str, patterns: &[(&str, &str, usize)]) -> PatternFile {
        let mined = "{documents: 100, tokens: 9, cutoff: 0.5, tokenizer: words}";
        let mut yaml = format!("dehusk: 1\nsource: {source}\nmined: {mined}\npatterns:\n");
        for (regex, status, documents) in patterns {
            let lexer = &PatternFile::parse(&format!("{yaml}mutable: []\n"), &LexerCache::default()).unwrap().lexer;
            let run = crate::patterns::regex::parse(regex, lexer).unwrap();
            let id = crate::patterns::id_of(&run, lexer.mutable(), 8);
            yaml += &format!("  - {{id: '{id}', status: {status}, regex: '{regex}', documents: {documents}}}\n");
        }
        PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
    }

    const READ: &str = r"(?<!\S)Read\s+more(?!\w)";
    const SHARE: &str = r"(?<!\S)Share\s+it(?!\w)";
    const TIDES: &str = r"(?<!\S)Tide\s+tables(?!\w)";

    fn watched(own: &PatternFile, text: &str) -> (f64, u64) {
        let shared = file("_shared", &[(TIDES, "proposed", 90)]);
        let cleaner = Cleaner::new(&[own, &shared], &CleanOptions::default());
        let watch = Watch::new(&cleaner, own);
        assert_eq!(
            watch.is_counted.iter().map(Vec::len).sum::<usize>(),
            own.all().count(),
            "shared ones take no memory"
        );
        (watch.when_mined(), watch.found(&cleaner.read(&mut Scratch::default(), text).unwrap()))
    }

    #[test]
    fn own_patterns_count_once_and_whatever_their_status() {
        for status in ["proposed", "accepted", "rejected"] {
            let own = file("s", &[(READ, status, 50), (SHARE, "proposed", 25)]);
            assert_eq!(watched(&own, "Read more, Read more. Tide tables"), (0.75, 1));
            assert_eq!(watched(&own, "Read more. Share it"), (0.75, 2));
            assert_eq!(removes_as_mined(&[&own]), status != "rejected");
        }
    }

    #[test]
    fn what_was_not_mined_again_is_not_missed() {
        let mut own = file("s", &[(READ, "accepted", 50), (SHARE, "proposed", 25)]);
        own.patterns[0].among = 99;
        assert_eq!(watched(&own, "Read more. Share it"), (0.25, 1));
    }
}
