//! Selects and sorts the patterns of the list.

use serde::Deserialize;

use super::survey::FirstRemoved;
use dehusk_core::patterns::{Pattern, PatternFile, Status};
use dehusk_core::selection::effects::{Effects, PatternEffect};

/// The patterns that the person wants to see, and their order.
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
    /// By the bytes that the pattern accounted for when it was first tried. This number does not change later, so the
    /// order is stable while the person decides.
    #[default]
    Removed,
    /// By the number of documents at mining.
    Documents,
    /// By the mean distance of the matches from the head of documents.
    Place,
    /// As in the file.
    Regex,
}

impl Query {
    /// Whether the list has the text without a pattern, which has no status and no words to search for.
    pub fn lists_loose(&self) -> bool {
        self.status.is_none() && self.search.trim().is_empty()
    }

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

/// The first words of a text, as a short name for a pattern.
pub fn in_short(text: &str) -> String {
    const MOST_LENGTH: usize = 48;
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    match line.char_indices().nth(MOST_LENGTH) {
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

/// The mean place of the pattern's matches, in thousandths of the unit of `places`.
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
}
