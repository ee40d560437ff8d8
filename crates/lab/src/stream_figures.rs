//! The figures from measuring a stream: by page, by source, and over all.

use std::ops::RangeInclusive;

use serde::Serialize;

use super::removal::Removal;

/// The figures of all sources.
#[derive(Debug)]
pub struct Figures {
    /// The sources with at least one document.
    pub sources: Vec<SourceFigures>,
    /// Number of documents from which on a segment is boilerplate.
    pub min_documents: u32,
}

/// The figures of one source.
#[derive(Debug)]
pub struct SourceFigures {
    /// Its name.
    pub source: String,
    /// The figures of each page, in the order in which pages arrive.
    pub pages: Vec<PageFigures>,
    /// How much must be stored for the source.
    pub storage: Storage,
}

/// The figures of one page.
#[derive(Debug)]
pub struct PageFigures {
    /// The removal from the page. `None` if the page has no gold text.
    pub judged: Option<JudgedPage>,
    /// The table after this page.
    pub table: TableFigures,
}

/// The removal from a page by each method, in words and in blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgedPage {
    /// In words.
    pub words: Judged,
    /// In blocks: the stretches of text between the starts and ends of lines that have a word. A block is boilerplate
    /// if less than half of its words are gold, and removed if more than half of them are removed.
    pub blocks: Judged,
}

/// The unit that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Words.
    Words,
    /// Blocks.
    Blocks,
}

/// The removal by each method, from one page or from several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Removed with the table, weighed and smoothed, as `dehusk stream` does.
    pub stream: Removal,
    /// Removed with the table: all segments that are boilerplate, and nothing else.
    pub segments: Removal,
    /// Removed with the table: each block that is mostly boilerplate, as a whole, and nothing else.
    pub whole_blocks: Removal,
    /// Removed with patterns mined from all documents.
    pub batch: Removal,
}

/// The size of a table after a page.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct TableFigures {
    /// Number of segments that are remembered.
    pub segments: usize,
    /// Number of bytes of memory.
    pub bytes: u64,
    /// Its template segments, before and after a redesign. `None` if the user named no redesign.
    #[serde(flatten)]
    pub templates: Option<Templates>,
}

/// Numbers of template segments of a table, by when they were first seen.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Templates {
    /// Segments first seen before the redesign.
    pub old: usize,
    /// Segments first seen on the first page of the redesign or later.
    pub new: usize,
}

/// How much must be stored for a source, in bytes.
#[derive(Debug)]
pub struct Storage {
    /// The table: mean over the last half of the pages.
    pub table: f64,
    /// All pages of the first half.
    pub half: u64,
    /// A cache of pages instead of a table. `None` if nothing is detected.
    pub batch: Option<Batch>,
}

/// The smallest number of cached pages that does nearly as well as the table.
#[derive(Debug)]
pub struct Batch {
    /// Number of pages.
    pub pages: usize,
    /// Their bytes: mean over the last half of the pages.
    pub bytes: f64,
}

/// Precision and recall. `None` if there is nothing to divide by.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Shares {
    /// The share of the removed words that are not gold.
    pub precision: Option<f64>,
    /// The share of the words outside the gold text that was removed.
    pub recall: Option<f64>,
}

impl Judged {
    /// The names of the methods, in order.
    pub const METHODS: [&'static str; 4] = ["stream", "segments", "whole_blocks", "batch"];

    /// The removal by each method, in the order of [`METHODS`](Self::METHODS).
    pub fn methods(&self) -> [Removal; 4] {
        [self.stream, self.segments, self.whole_blocks, self.batch]
    }

    /// Judges the removal by each method. Removals are given in the order of [`METHODS`](Self::METHODS).
    pub fn of<T>(removed: [T; 4], judge: impl FnMut(T) -> Removal) -> Judged {
        let [stream, segments, whole_blocks, batch] = removed.map(judge);
        Judged { stream, segments, whole_blocks, batch }
    }

    fn sum<'j>(judged: impl Iterator<Item = &'j Judged>) -> Judged {
        let judged: Vec<&Judged> = judged.collect();
        Judged::of([0, 1, 2, 3], |method| Removal::sum(judged.iter().map(|judged| judged.methods()[method])))
    }
}

impl Shares {
    /// Precision and recall of a removal.
    pub fn of(removal: &Removal) -> Shares {
        Shares { precision: removal.precision(), recall: removal.recall() }
    }

    /// The mean of the known values of precision, and of those of recall.
    fn mean(shares: &[Shares]) -> Shares {
        let of = |share: fn(&Shares) -> Option<f64>| mean(shares.iter().filter_map(share));
        Shares { precision: of(|it| it.precision), recall: of(|it| it.recall) }
    }
}

impl Figures {
    /// Whether no document has gold text.
    pub fn is_empty(&self) -> bool {
        self.sources.iter().all(|source| source.judged(Unit::Words, 1..=u32::MAX).next().is_none())
    }

    /// Number of pages of the source with most pages.
    pub fn pages(&self) -> u32 {
        self.sources.iter().map(SourceFigures::last).max().unwrap_or(0)
    }

    /// Windows of pages. The first window has the pages on which nothing can be boilerplate yet. The second has the
    /// next page only. Later windows are wider and wider.
    pub fn windows(&self) -> Vec<RangeInclusive<u32>> {
        let (first, last) = (self.min_documents, self.pages());
        let round = (0..)
            .flat_map(|power| [10, 15, 20, 25, 50].map(|end: u32| end.saturating_mul(10_u32.saturating_pow(power))));
        let ends = [first - 1, first].into_iter().chain(round.filter(|&end| end > first));
        let mut start = 1;
        let windows = ends.map_while(|end| {
            let window = start..=end.min(last);
            start = end.saturating_add(1);
            (window.start() <= window.end()).then_some(window)
        });
        windows.collect()
    }

    /// Number of judged documents on these pages, and the sum of the removals from them.
    pub fn within(&self, unit: Unit, pages: &RangeInclusive<u32>) -> (usize, Judged) {
        let judged = || self.sources.iter().flat_map(|source| source.judged(unit, pages.clone()));
        (judged().count(), Judged::sum(judged()))
    }

    /// Number of judged documents in the last half of each source's pages, and the sum of the removals from them.
    pub fn in_last_half(&self, unit: Unit) -> (usize, Judged) {
        let judged = || self.sources.iter().flat_map(|source| source.judged(unit, source.last_half()));
        (judged().count(), Judged::sum(judged()))
    }

    /// Mean precision and recall of the sources for each method, in the last half of their pages.
    pub fn means_of_last_half(&self, unit: Unit) -> [Shares; 4] {
        let of_source =
            |source: &SourceFigures| source.in_last_half(unit).methods().map(|removal| Shares::of(&removal));
        let sources: Vec<[Shares; 4]> = self.sources.iter().map(of_source).collect();
        [0, 1, 2, 3].map(|method| Shares::mean(&sources.iter().map(|shares| shares[method]).collect::<Vec<Shares>>()))
    }

    /// The sum of the tables of all sources at this page. Sources with fewer pages are left out.
    pub fn table_at(&self, page: u32) -> TableFigures {
        let tables = self.sources.iter().filter_map(|source| source.pages.get(page as usize - 1));
        tables.fold(TableFigures::default(), |sum, PageFigures { table, .. }| TableFigures {
            segments: sum.segments + table.segments,
            bytes: sum.bytes + table.bytes,
            templates: table.templates.map(|templates| {
                let before = sum.templates.unwrap_or_default();
                Templates { old: before.old + templates.old, new: before.new + templates.new }
            }),
        })
    }
}

impl SourceFigures {
    /// The sum of the removals from the last half of the pages.
    pub fn in_last_half(&self, unit: Unit) -> Judged {
        Judged::sum(self.judged(unit, self.last_half()))
    }

    fn judged(&self, unit: Unit, pages: RangeInclusive<u32>) -> impl Iterator<Item = &Judged> {
        let end = self.pages.len().min(*pages.end() as usize);
        let pages = self.pages.get(*pages.start() as usize - 1..end).unwrap_or_default();
        pages.iter().filter_map(|page| page.judged.as_ref()).map(move |judged| match unit {
            Unit::Words => &judged.words,
            Unit::Blocks => &judged.blocks,
        })
    }

    fn last(&self) -> u32 {
        self.pages.len() as u32
    }

    fn last_half(&self) -> RangeInclusive<u32> {
        self.last() / 2 + 1..=self.last()
    }
}

/// The mean. `None` if there are no figures.
pub fn mean(figures: impl Iterator<Item = f64>) -> Option<f64> {
    let figures: Vec<f64> = figures.collect();
    (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(pages: &[&[usize]]) -> Figures {
        let page = |&right: &usize| {
            let removal = Removal { removed: 10, right, boilerplate: 20 };
            let judged =
                Some(JudgedPage { words: Judged { stream: removal, ..Judged::default() }, ..JudgedPage::default() });
            PageFigures { judged, table: TableFigures { segments: 1, bytes: 24, templates: None } }
        };
        let source = |pages: &&[usize]| SourceFigures {
            source: "a".to_owned(),
            pages: pages.iter().map(page).collect(),
            storage: Storage { table: 0.0, half: 0, batch: None },
        };
        Figures { sources: pages.iter().map(source).collect(), min_documents: 5 }
    }

    #[test]
    fn windows_begin_where_something_can_be_found() {
        let windows = |pages: usize| figures(&[&vec![0; pages]]).windows();
        assert_eq!(windows(12), [1..=4, 5..=5, 6..=10, 11..=12]);
        assert_eq!(windows(120)[5..], [21..=25, 26..=50, 51..=100, 101..=120]);
        assert_eq!(windows(3), [1..=3]);
    }

    #[test]
    fn words_are_added_up_and_sources_averaged() {
        let figures = figures(&[&[0, 0, 10, 10], &[0, 4]]);
        let (documents, judged) = figures.in_last_half(Unit::Words);
        assert_eq!((documents, judged.stream.right, judged.stream.removed), (3, 24, 30));
        let [stream, segments, ..] = figures.means_of_last_half(Unit::Words);
        assert_eq!((stream.precision, stream.recall), (Some(0.7), Some(0.35)));
        assert_eq!(segments.recall, None);
        assert_eq!(figures.within(Unit::Words, &(2..=3)).0, 3);
        assert_eq!((figures.table_at(2).bytes, figures.table_at(3).bytes), (48, 24));
    }
}
