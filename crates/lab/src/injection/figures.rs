//! Adds up the tallies of the trials, and compares them with the targets for mining and cleaning.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Insertion, Kind, Tally, Trial};

/// The targets are for corpora with at least this number of documents ...
pub const TARGET_DOCUMENTS: usize = 100;
/// ... and for templates in at least this percentage of them.
pub const TARGET_PERCENT: usize = 20;
/// Maximum share of the original characters that may be lost.
const MAX_LOST: f64 = 0.001;

/// All trials with one seed.
#[derive(Debug, Serialize)]
pub struct Figures {
    /// The seed of the random numbers.
    pub seed: u64,
    /// The percentages of documents that got a template, the largest first.
    pub shares: Vec<usize>,
    /// Corpora without templates, one for each number of documents.
    pub untouched: Vec<Untouched>,
    /// Each trial and its tally.
    pub trials: Vec<Tried>,
}

/// A corpus into which nothing was injected.
#[derive(Debug, Serialize)]
pub struct Untouched {
    /// Number of documents.
    pub documents: usize,
    /// Number of characters.
    pub original: usize,
    /// Number of characters that were removed.
    pub lost: usize,
}

/// A trial that was carried out.
#[derive(Debug, Serialize)]
pub struct Tried {
    /// The trial.
    #[serde(flatten)]
    pub trial: Trial,
    /// Its tally.
    #[serde(flatten)]
    pub tally: Tally,
}

/// Trials that differ only in their templates and shares: documents, kind, place.
pub type Row = (usize, Kind, Insertion);

impl Figures {
    /// The tallies of the trials, by row and percentage.
    pub fn by_row(&self) -> BTreeMap<Row, BTreeMap<usize, Tally>> {
        let mut rows: BTreeMap<Row, BTreeMap<usize, Tally>> = BTreeMap::new();
        for Tried { trial, tally } in &self.trials {
            let row = rows.entry((trial.documents, trial.kind, trial.place)).or_default();
            row.entry(trial.percent).or_default().add(tally);
        }
        rows
    }

    /// The tallies of the trials with targets, by kind and place. `None` stands for all places of a kind.
    pub fn with_targets(&self) -> BTreeMap<(Kind, Option<Insertion>), Tally> {
        let counts = |trial: &Trial| trial.documents >= TARGET_DOCUMENTS && trial.percent >= TARGET_PERCENT;
        let mut rows: BTreeMap<(Kind, Option<Insertion>), Tally> = BTreeMap::new();
        for Tried { trial, tally } in self.trials.iter().filter(|tried| counts(&tried.trial)) {
            for place in [Some(trial.place), None] {
                rows.entry((trial.kind, place)).or_default().add(tally);
            }
        }
        rows
    }
}

impl Untouched {
    /// The counts as a tally without injected text.
    pub fn tally(&self) -> Tally {
        Tally { original: self.original, lost: self.lost, ..Tally::default() }
    }
}

/// Whether the target of this kind is met: enough of the templates was removed, and little enough of the text was lost.
pub fn is_met(kind: Kind, tally: &Tally) -> bool {
    let least = match kind {
        Kind::Constant | Kind::MutableSlots => 0.99,
        Kind::FreeSlots => 0.95,
        Kind::OpenSlots => 0.0,
    };
    tally.removed_share().is_none_or(|share| share >= least) && tally.lost_share().is_none_or(|share| share <= MAX_LOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(removed: usize, lost: usize) -> Tally {
        Tally { carriers: 1, injected: 100, removed, original: 1000, lost }
    }

    #[test]
    fn targets_differ_by_kind() {
        assert!(is_met(Kind::Constant, &tally(99, 1)) && !is_met(Kind::Constant, &tally(98, 1)));
        assert!(is_met(Kind::FreeSlots, &tally(95, 1)) && !is_met(Kind::FreeSlots, &tally(94, 1)));
        assert!(is_met(Kind::OpenSlots, &tally(0, 1)) && !is_met(Kind::OpenSlots, &tally(100, 2)));
    }

    #[test]
    fn trials_are_added_up_by_row_and_held_to_targets_where_these_hold() {
        let trial = |documents, percent| Trial {
            documents,
            kind: Kind::Constant,
            place: Insertion::Line,
            percent,
            template: "Share this",
        };
        let tried = |documents, percent| Tried { trial: trial(documents, percent), tally: tally(90, 0) };
        let trials = vec![tried(100, 20), tried(100, 20), tried(100, 10), tried(30, 100)];
        let figures = Figures { seed: 1, shares: vec![100, 20, 10], untouched: Vec::new(), trials };
        let rows = figures.by_row();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[&(100, Kind::Constant, Insertion::Line)][&20].removed, 180);
        let with_targets = figures.with_targets();
        assert_eq!(with_targets.len(), 2, "the place, and all places");
        assert!(with_targets.values().all(|tally| tally.injected == 200));
    }
}
