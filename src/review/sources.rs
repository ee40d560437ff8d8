//! Selects and sorts the sources of the overview.

use std::cmp::Ordering;

use serde::Deserialize;

use dehusk_core::selection::effects::DocumentEffect;

/// A source in the overview.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its name.
    pub source: String,
    /// Number of its documents in the corpus, if already counted.
    pub documents: Option<usize>,
    /// Number of decided patterns, and number of all patterns.
    pub decided: [usize; 2],
    /// How much is removed from its documents, if already known.
    pub removed: Option<DocumentEffect>,
    /// The share that was removed at mining, if known.
    pub removed_when_mined: Option<f64>,
    /// Whether its mined patterns are not fully trusted.
    pub is_unusual: bool,
    /// Warnings about the source.
    pub warnings: Vec<String>,
}

impl Row {
    /// Whether a pattern is undecided.
    pub fn is_undecided(&self) -> bool {
        self.decided[0] < self.decided[1]
    }
}

/// The sources that the person wants to see, and their order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SourcesQuery {
    /// Only sources with this text in their name, ignoring case.
    pub search: String,
    /// The filter.
    pub only: Only,
    /// The column by which they are sorted.
    pub sort: Column,
    /// Whether the order is reversed. Otherwise names go from A to Z, and large numbers come first.
    pub reverse: bool,
}

/// A filter.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// All sources.
    #[default]
    All,
    /// Sources with an undecided pattern.
    Undecided,
    /// Sources with a warning.
    Warning,
    /// Sources that are not fully trusted.
    Doubted,
}

/// A column of the overview.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Column {
    /// The name.
    Source,
    /// Number of documents.
    Documents,
    /// Number of patterns.
    Patterns,
    /// Number of decided patterns.
    Decided,
    /// The share that is removed.
    Removed,
    /// The share that was removed when mined.
    Mined,
    /// Number of warnings. First come the sources that need a person.
    #[default]
    Warnings,
}

/// The sources to which the pages of a source link, in the order of the overview.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The source before it.
    pub before: Option<String>,
    /// The source after it.
    pub next: Option<String>,
    /// The next source with an undecided pattern. After the last source comes the first one.
    pub next_undecided: Option<String>,
}

impl SourcesQuery {
    /// The sources to show, in order.
    pub fn select(&self, mut rows: Vec<Row>) -> Vec<Row> {
        rows.retain(|row| self.shows(row));
        self.sort(&mut rows);
        rows
    }

    /// The sources beside a source. The filter need not show the source itself.
    pub fn beside(&self, mut rows: Vec<Row>, source: &str) -> Beside {
        self.sort(&mut rows);
        let Some(at) = rows.iter().position(|row| row.source == source) else { return Beside::default() };
        let (before, after) = (&rows[..at], &rows[at + 1..]);
        let name = |row: &Row| row.source.clone();
        let undecided = || after.iter().chain(before).filter(|row| row.is_undecided());
        Beside {
            before: before.iter().rev().find(|row| self.shows(row)).map(name),
            next: after.iter().find(|row| self.shows(row)).map(name),
            next_undecided: undecided().find(|row| self.shows(row)).or_else(|| undecided().next()).map(name),
        }
    }

    fn shows(&self, row: &Row) -> bool {
        let is_chosen = match self.only {
            Only::All => true,
            Only::Undecided => row.is_undecided(),
            Only::Warning => !row.warnings.is_empty(),
            Only::Doubted => row.is_unusual,
        };
        is_chosen && row.source.to_lowercase().contains(&self.search.trim().to_lowercase())
    }

    fn sort(&self, rows: &mut [Row]) {
        let share = |row: &Row| row.removed.map_or(-1.0, DocumentEffect::share);
        let mined = |row: &Row| row.removed_when_mined.unwrap_or(-1.0);
        rows.sort_by(|a, b| {
            let order = match self.sort {
                Column::Source => a.source.cmp(&b.source),
                Column::Documents => b.documents.cmp(&a.documents),
                Column::Patterns => b.decided[1].cmp(&a.decided[1]),
                Column::Decided => b.decided[0].cmp(&a.decided[0]),
                Column::Removed => share(b).total_cmp(&share(a)),
                Column::Mined => mined(b).total_cmp(&mined(a)),
                Column::Warnings => b.warnings.len().cmp(&a.warnings.len()),
            };
            let order = if self.reverse { order.reverse() } else { order };
            if order == Ordering::Equal { a.source.cmp(&b.source) } else { order }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, decided patterns, all patterns, share removed in hundredths.
    fn rows() -> Vec<Row> {
        let row = |(source, decided, all, removed): (&str, usize, usize, usize)| Row {
            source: source.to_owned(),
            decided: [decided, all],
            removed: Some(DocumentEffect { bytes: 100, removed }),
            is_unusual: source == "Bee",
            ..Row::default()
        };
        [("ant", 0, 3, 50), ("Bee", 2, 2, 70), ("cat", 1, 9, 10)].map(row).to_vec()
    }

    fn names(query: &SourcesQuery) -> String {
        query.select(rows()).into_iter().map(|row| row.source).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sources_are_sorted_by_a_column() {
        let by = |sort, reverse| names(&SourcesQuery { sort, reverse, ..SourcesQuery::default() });
        assert_eq!(by(Column::Source, false), "Bee ant cat");
        assert_eq!(by(Column::Removed, false), "Bee ant cat");
        assert_eq!(by(Column::Removed, true), "cat ant Bee");
        assert_eq!(by(Column::Patterns, false), "cat ant Bee");
        assert_eq!(by(Column::Warnings, false), "Bee ant cat", "the name decides");
    }

    #[test]
    fn sources_are_filtered() {
        let only = |only| names(&SourcesQuery { only, ..SourcesQuery::default() });
        assert_eq!([Only::Undecided, Only::Warning, Only::Doubted].map(only), ["ant cat", "", "Bee"]);
        assert_eq!(names(&SourcesQuery { search: " A".to_owned(), ..SourcesQuery::default() }), "ant cat");
    }

    #[test]
    fn the_next_source_is_the_next_one_of_the_overview() {
        let beside = |query: &SourcesQuery, source: &str| {
            let Beside { before, next, next_undecided } = query.beside(rows(), source);
            [before, next, next_undecided].map(Option::unwrap_or_default).join(",")
        };
        let all = SourcesQuery { sort: Column::Removed, ..SourcesQuery::default() };
        assert_eq!(beside(&all, "ant"), "Bee,cat,cat");
        assert_eq!(beside(&all, "cat"), "ant,,ant", "after the last one comes the first one");
        let doubted = SourcesQuery { only: Only::Doubted, ..all.clone() };
        assert_eq!(beside(&doubted, "ant"), "Bee,,cat", "what is not shown is undecided nevertheless");
        assert_eq!(beside(&all, "dog"), ",,");
    }
}
