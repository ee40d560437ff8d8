//! Which patterns are listed, and in which order.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use serde::Deserialize;

use super::survey::FirstRemoved;
use crate::effects::{Effects, PatternEffect};
use crate::patterns::{Form, Pattern, PatternFile, Status};

/// What a person wants to see.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Query {
    /// Only these, if any is named.
    pub status: Option<Status>,
    /// Only those with this in their regex, example, note or id, in either case.
    pub search: String,
    /// What comes first.
    pub sort: Sort,
    /// The first to be listed.
    pub from: usize,
    /// At least so many are listed from there on, if there are so many.
    pub count: usize,
}

/// What comes first.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// What removed most when it was looked at for the first time: while one decides, all stays in its place.
    #[default]
    Removed,
    /// What most documents had when it was mined.
    Documents,
    /// What stands nearest the head of documents.
    Place,
    /// As in the file.
    Regex,
}

/// Patterns that may be decided on together.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// All that are listed.
    Listed,
    /// Those that nine documents in ten had when they were mined, and of which no match stays now.
    Frequent,
    /// Those of whole lines that half of the documents had, and of which no match stays now.
    Lines,
    /// Those that match in none of the documents.
    Idle,
}

impl Query {
    /// Which patterns of a file are to be listed, in order. `effects` are those of the file, if they are known.
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
    /// Those of the selected patterns that are undecided and of this group.
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

/// Where nothing matches at all, the documents are none, or others': they say nothing of a pattern.
fn are_of_this_source(effects: &Effects) -> bool {
    effects.patterns.first().is_some_and(|own| own.iter().any(|effect| effect.matches > 0))
}

/// Tells these patterns of a file from others.
pub fn version_of(file: &PatternFile, chosen: &[usize]) -> String {
    let mut hasher = FxHasher::default();
    chosen.iter().for_each(|&index| file.patterns[index].id.hash(&mut hasher));
    format!("{:016x}", hasher.finish())
}

/// The first words of a text, as people name a pattern.
pub fn in_short(text: &str) -> String {
    const MOST: usize = 48;
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// What a pattern of the first file does, if it was there when that was found out.
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

/// In thousandths of a document.
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
