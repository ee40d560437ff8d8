//! Selects and sorts the patterns of the list.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use serde::Deserialize;

use super::survey::FirstRemoved;
use crate::patterns::{Form, Pattern, PatternFile, Status};
use crate::selection::effects::{Effects, PatternEffect};

/// What the person wants to see.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Query {
    /// Only patterns with this status, if given.
    pub status: Option<Status>,
    /// Only patterns with this text in their regex, example, note or id, ignoring case.
    pub search: String,
    /// The order.
    pub sort: Sort,
    /// Index of the first pattern to list.
    pub from: usize,
    /// Minimum number of patterns to list, if there are that many.
    pub count: usize,
}

/// The order of the list.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// By the amount removed when the pattern was first tried. It does not change later, so the order stays stable
    /// while the person decides.
    #[default]
    Removed,
    /// By the number of documents at mining.
    Documents,
    /// By distance from the head of documents.
    Place,
    /// As in the file.
    Regex,
}

/// Patterns that can be decided together.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// All listed patterns.
    Listed,
    /// Patterns that 90 % of the documents had at mining, and of which every match is removed now.
    Frequent,
    /// Patterns of whole lines that 50 % of the documents had at mining, and of which every match is removed now.
    Lines,
    /// Patterns without a match in the documents.
    Idle,
}

impl Query {
    /// The listed patterns of a file, in order. `effects` are those of the file, if known.
    pub fn select(&self, file: &PatternFile, effects: Option<&Effects>, first: &FirstRemoved) -> Vec<usize> {
        let search = self.search.trim().to_lowercase();
        let is_listed = |pattern: &Pattern| {
            self.status.is_none_or(|status| pattern.status == status) && (search.is_empty() || holds(pattern, &search))
        };
        let mut selected: Vec<usize> =
            (0..file.patterns.len()).filter(|&index| is_listed(&file.patterns[index])).collect();
        let effect = |index: usize| effects.and_then(|effects| effect(effects, index));
        let documents = |index: usize| std::cmp::Reverse(file.patterns[index].documents);
        match self.sort {
            Sort::Regex => {}
            Sort::Documents => selected.sort_by_key(|&index| (documents(index), index)),
            Sort::Place => selected.sort_by_key(|&index| (effect(index).map_or(usize::MAX, mean_place), index)),
            Sort::Removed => selected.sort_by_key(|&index| {
                let removed = first.get(&file.patterns[index].id).copied();
                (std::cmp::Reverse(removed.unwrap_or(0)), documents(index), index)
            }),
        }
        selected
    }
}

impl Group {
    /// The proposed patterns of this group among the selected ones.
    pub fn of(self, file: &PatternFile, selected: &[usize], effects: Option<&Effects>) -> Vec<usize> {
        let is_in = |index: &&usize| {
            let pattern = &file.patterns[**index];
            let does = |what: fn(&PatternEffect) -> bool| effects.and_then(|of| effect(of, **index)).is_some_and(what);
            let is_group = match self {
                Group::Listed => true,
                Group::Frequent => pattern.share() >= 0.9 && does(|effect| effect.stay == 0),
                Group::Lines => pattern.share() >= 0.5 && is_whole_line(pattern) && does(|effect| effect.stay == 0),
                Group::Idle => does(|effect| effect.matches == 0),
            };
            let is_known = self == Group::Listed || effects.is_some_and(are_of_this_source);
            pattern.status == Status::Proposed && is_group && is_known
        };
        selected.iter().filter(is_in).copied().collect()
    }
}

/// Whether anything matches at all. If not, the documents are missing or from another source, and say nothing about a
/// pattern.
fn are_of_this_source(effects: &Effects) -> bool {
    effects.patterns.first().is_some_and(|own| own.iter().any(|effect| effect.matches > 0))
}

/// A hash of the ids of these patterns.
pub fn version_of(file: &PatternFile, chosen: &[usize]) -> String {
    let mut hasher = FxHasher::default();
    chosen.iter().for_each(|&index| file.patterns[index].id.hash(&mut hasher));
    format!("{:016x}", hasher.finish())
}

/// The first words of a text, as a short name for a pattern.
pub fn in_short(text: &str) -> String {
    const MOST: usize = 48;
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// The effect of a pattern of the first file, if it existed when the effects were computed.
pub fn effect(effects: &Effects, index: usize) -> Option<&PatternEffect> {
    effects.patterns.first()?.get(index)
}

fn holds(pattern: &Pattern, search: &str) -> bool {
    [&pattern.example, &pattern.regex, &pattern.note, &pattern.id]
        .iter()
        .any(|text| text.to_lowercase().contains(search))
}

fn is_whole_line(pattern: &Pattern) -> bool {
    matches!(&pattern.form, Form::Run(run) if run.has_whole_line())
}

/// The mean place of its matches, in thousandths of the unit of `places`.
fn mean_place(effect: &PatternEffect) -> usize {
    let sum: usize = effect.places.iter().zip(0..).map(|(&count, place)| count as usize * place).sum();
    (1000 * sum).checked_div(effect.matches).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::decision::tests::file;
    use super::*;

    fn ids(query: &Query) -> Vec<String> {
        let file = file();
        query
            .select(&file, None, &FirstRemoved::default())
            .into_iter()
            .map(|index| file.patterns[index].id.clone())
            .collect()
    }

    #[test]
    fn what_is_searched_for_is_found_in_either_case() {
        assert_eq!(ids(&Query { search: "HOME".to_owned(), ..Query::default() }), ["a"]);
        assert_eq!(ids(&Query { search: " ".to_owned(), ..Query::default() }), ["a", "b"]);
        assert!(ids(&Query { status: Some(Status::Accepted), ..Query::default() }).is_empty());
    }

    #[test]
    fn what_removed_most_at_first_comes_first() {
        let removed = |a, b| FirstRemoved::from([("a".to_owned(), a), ("b".to_owned(), b)]);
        assert_eq!(Query::default().select(&file(), None, &removed(1, 2)), [1, 0]);
        assert_eq!(Query::default().select(&file(), None, &removed(2, 1)), [0, 1]);
    }

    #[test]
    fn only_what_is_undecided_is_decided_together() {
        let mut file = file();
        file.patterns[0].status = Status::Rejected;
        assert_eq!(Group::Listed.of(&file, &[0, 1], None), [1]);
        assert!(Group::Frequent.of(&file, &[0, 1], None).is_empty());
    }
}
