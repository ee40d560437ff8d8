//! Decisions on many patterns at once.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use serde::Deserialize;

use super::decision::{Change, Entry, FileChanges, Step};
use super::query::effect;
use dehusk_core::patterns::{Form, Pattern, PatternFile, Status};
use dehusk_core::selection::effects::{Effects, PatternEffect};

/// Patterns that can be decided together.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// The pattern on screen, and the patterns of its source that are nearly the same.
    Alike,
    /// The pattern on screen, and the same pattern in the files of other sources.
    Everywhere,
    /// All listed patterns.
    Listed,
    /// Patterns that at least 90 % of the documents had at mining, and whose matches are all removed now.
    Frequent,
    /// Patterns of whole lines that at least 50 % of the documents had at mining, and whose matches are all removed
    /// now.
    Lines,
    /// Patterns without a match in the documents.
    Idle,
}

/// Patterns of one or more files.
#[derive(Clone, Debug, Default)]
pub struct ChosenPatterns {
    /// The files, with the indices of the patterns in each.
    pub files: Vec<(Arc<PatternFile>, Vec<usize>)>,
}

impl Group {
    /// Whether the group consists of the pattern on screen and others like it.
    pub fn is_about_one(self) -> bool {
        matches!(self, Group::Alike | Group::Everywhere)
    }

    /// The name of the group in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Group::Alike => "alike",
            Group::Everywhere => "everywhere",
            Group::Listed => "listed",
            Group::Frequent => "frequent",
            Group::Lines => "lines",
            Group::Idle => "idle",
        }
    }

    /// Whether a pattern of the list is in this group. False for groups that depend on the pattern on screen.
    fn has(self, pattern: &Pattern, effect: Option<&PatternEffect>) -> bool {
        let does = |what: fn(&PatternEffect) -> bool| effect.is_some_and(what);
        match self {
            Group::Alike | Group::Everywhere => false,
            Group::Listed => true,
            Group::Frequent => pattern.share() >= 0.9 && does(|effect| effect.stay == 0),
            Group::Lines => pattern.share() >= 0.5 && is_whole_line(pattern) && does(|effect| effect.stay == 0),
            Group::Idle => does(|effect| effect.matches == 0),
        }
    }

    /// The proposed patterns of this group among the selected ones.
    pub fn of(self, file: &PatternFile, selected: &[usize], effects: Option<&Effects>) -> Vec<usize> {
        let is_in = |index: &&usize| {
            let pattern = &file.patterns[**index];
            pattern.status == Status::Proposed && self.has(pattern, effects.and_then(|of| effect(of, **index)))
        };
        if self != Group::Listed && !effects.is_some_and(are_of_this_source) {
            return Vec::new();
        }
        selected.iter().filter(is_in).copied().collect()
    }
}

impl ChosenPatterns {
    /// The undecided ones among these patterns.
    pub fn undecided(files: impl IntoIterator<Item = (Arc<PatternFile>, Vec<usize>)>) -> ChosenPatterns {
        let undecided = |(file, mut indices): (Arc<PatternFile>, Vec<usize>)| {
            indices.retain(|&index| file.patterns[index].status == Status::Proposed);
            (!indices.is_empty()).then_some((file, indices))
        };
        ChosenPatterns { files: files.into_iter().filter_map(undecided).collect() }
    }

    /// The patterns, each with its file.
    pub fn patterns(&self) -> impl Iterator<Item = (&PatternFile, &Pattern)> {
        self.files.iter().flat_map(|(file, indices)| indices.iter().map(|&index| (&**file, &file.patterns[index])))
    }

    /// Number of patterns.
    pub fn count(&self) -> usize {
        self.files.iter().map(|(_, indices)| indices.len()).sum()
    }

    /// A hash of the patterns that the person sees: of their ids and their files.
    pub fn version(&self) -> String {
        let mut hasher = FxHasher::default();
        self.patterns().for_each(|(file, pattern)| (&file.source, &pattern.id).hash(&mut hasher));
        format!("{:016x}", hasher.finish())
    }

    /// The decision that gives all chosen patterns this status.
    pub fn step_to(&self, status: Status) -> Step {
        let change = |pattern: &Pattern| {
            let from = Entry::of(pattern);
            Change::Pattern { id: pattern.id.clone(), to: Entry { status, ..from.clone() }, from }
        };
        let of_file = |(file, indices): &(Arc<PatternFile>, Vec<usize>)| FileChanges {
            source: file.source.clone(),
            changes: indices.iter().map(|&index| change(&file.patterns[index])).collect(),
        };
        let what = format!("{}: {} patterns", status.name(), self.count());
        Step { what, files: self.files.iter().map(of_file).collect() }
    }
}

/// Whether any pattern matches. If none does, the documents are missing or from another source, and say nothing about a
/// pattern.
fn are_of_this_source(effects: &Effects) -> bool {
    effects.patterns.first().is_some_and(|own| own.iter().any(|effect| effect.matches > 0))
}

fn is_whole_line(pattern: &Pattern) -> bool {
    match &pattern.form {
        Form::Run(run) => run.has_whole_line(),
        Form::Block(block) => block.rows.iter().all(|row| row.run.has_whole_line()),
        Form::Regex(_) | Form::Elements(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::decision::tests::file;
    use super::*;

    #[test]
    fn only_what_is_undecided_is_decided_together() {
        let mut file = file();
        file.patterns[0].status = Status::Rejected;
        assert_eq!(Group::Listed.of(&file, &[0, 1], None), [1]);
        assert!(Group::Frequent.of(&file, &[0, 1], None).is_empty());
        let chosen = ChosenPatterns::undecided([(Arc::new(file), vec![0, 1])]);
        assert_eq!(chosen.patterns().map(|(_, pattern)| pattern.id.as_str()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(chosen.step_to(Status::Accepted).files[0].changes.len(), 1);
    }
}
