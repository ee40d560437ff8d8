//! Detects whether a source has changed its templates.
//!
//! Takes the table of a source, page by page. Notes a change if the template segments that are gone, and also those
//! that are new, are at least twice as many as those that stayed. The table follows such a change by itself. Patterns
//! that were mined before do not.
//!
//! Only *steady* segments count: those on at least 1/5 of the pages over at least a quarter of the window. A steady
//! segment from before the window that is still there has stayed. One from before the window that is not there any more
//! is gone. One that first came within the window is new. So nothing is reported on a source's first pages, where all
//! segments are new, or for a list of headlines that changes while the template stays.

use super::Detection;
use super::lifetime::Lifetime;
use super::table::{Entry, SegmentTable, TableOptions};

/// Length of the window, in pages.
const WINDOW_OF_PAGES: u32 = 100;
/// A larger table has a longer window, one page for each 1000 segments. So it is examined less often, and the cost per
/// page stays the same.
const SEGMENTS_A_PAGE: usize = 1000;
/// A steady segment is on at least 1/5 of the pages. So its absence from a quarter of the window is not by chance.
const STEADY: u32 = 5;
/// Minimum number of segments that are gone, and of those that are new. With fewer, a change means nothing.
const MIN_SEGMENTS: u32 = 3;
/// A change is reported for this many pages after it, or for a tenth of all pages if that is more.
const NEWS: u32 = 1000;

/// A change of a source's templates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    /// The page on which it was noticed. It happened about 25 to 100 pages before.
    pub page: u32,
    /// Number of steady template segments from before that are still there.
    pub stayed: u32,
    /// Number of steady template segments from before that are gone.
    pub gone: u32,
    /// Number of steady template segments that are new.
    pub new: u32,
}

impl Change {
    /// A message about the change.
    pub fn in_words(&self) -> String {
        let Change { page, stayed, gone, new } = self;
        let before = stayed + gone;
        format!(
            "has changed its template before page {page}: {gone} of its {before} segments are gone, and {new} \
             segments are new"
        )
    }

    /// Whether it is recent enough to be reported.
    pub(super) fn is_news(&self, pages: u32) -> bool {
        pages.saturating_sub(self.page) <= NEWS.max(pages / 10)
    }

    fn is_one(&self) -> bool {
        let both = self.gone.min(self.new);
        both >= 2 * self.stayed && both >= MIN_SEGMENTS
    }
}

impl SegmentTable {
    /// Records a change if there is one now. Must be called for each page. It checks four times per window.
    pub(super) fn notice_change(&mut self, options: &TableOptions) {
        let pages = self.progress.pages;
        let window = WINDOW_OF_PAGES.max((self.len() / SEGMENTS_A_PAGE) as u32);
        if pages > window && pages.is_multiple_of(window / 4) && self.remembers(window, options) {
            let change = Looking { pages, window, detection: &options.detection }.at(self.entries.values());
            let is_known = self.progress.change.is_some_and(|known| pages - known.page <= window);
            if change.is_one() && !is_known {
                self.progress.change = Some(change);
            }
        }
    }

    /// Whether the table still has template segments that were last seen this many pages ago.
    fn remembers(&self, pages: u32, options: &TableOptions) -> bool {
        let base = self.progress.base_in_effect(options);
        Lifetime { base, ..options.lifetime }.of(u32::MAX) >= f64::from(pages)
    }
}

/// Examines the segments as they are on a page.
struct Looking<'a> {
    pages: u32,
    window: u32,
    detection: &'a Detection,
}

impl Looking<'_> {
    fn at<'e>(&self, entries: impl Iterator<Item = &'e Entry>) -> Change {
        let before = self.pages - self.window;
        let mut change = Change { page: self.pages, ..Change::default() };
        for entry in entries.filter(|entry| self.is_steady(entry)) {
            let (is_old, is_there) = (entry.first <= before, self.pages - entry.last < self.window / 4);
            match (is_old, is_there) {
                (true, true) => change.stayed += 1,
                (true, false) if entry.last > before => change.gone += 1,
                (false, true) => change.new += 1,
                _ => {}
            }
        }
        change
    }

    fn is_steady(&self, entry: &Entry) -> bool {
        let pages = entry.pages();
        entry.is_template(self.detection) && pages >= self.window / 4 && entry.documents >= pages / STEADY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streaming::table::tests::{forgetful, segments};

    /// The changes that are noticed over a number of pages.
    fn noticed(pages: u64, options: &TableOptions, page: impl Fn(u64) -> Vec<u64>) -> Vec<Change> {
        let mut table = SegmentTable::default();
        let mut changes: Vec<Change> = Vec::new();
        for number in 1..=pages {
            table.arrive(&segments(&page(number)), options);
            changes.extend(table.progress().change);
        }
        changes.dedup();
        changes
    }

    /// Ten template segments, ten others from page 301 on, and a segment that no other page has.
    fn redesigned(page: u64) -> Vec<u64> {
        let template = if page <= 300 { 1..11 } else { 11..21 };
        template.chain([1000 + page]).collect()
    }

    #[test]
    fn a_new_template_is_noticed_once() {
        for options in [TableOptions::default(), forgetful(50.0, None), forgetful(f64::INFINITY, Some(200))] {
            let change = Change { page: 325, stayed: 0, gone: 10, new: 10 };
            assert_eq!(noticed(900, &options, redesigned), [change], "{options:?}");
        }
    }

    #[test]
    fn what_is_forgotten_too_soon_tells_nothing() {
        assert_eq!(noticed(900, &forgetful(40.0, None), redesigned), []);
    }

    #[test]
    fn a_beginning_is_no_change() {
        let settling = |page: u64| if page <= 60 { vec![1, 2, 3, 4] } else { vec![5, 6, 7, 8] };
        assert_eq!(noticed(90, &TableOptions::default(), settling), []);
        assert_eq!(noticed(900, &TableOptions::default(), |page| vec![page % 4, page % 7, 100 + page]), []);
    }

    #[test]
    fn headlines_come_and_go() {
        // Four lines stay. Every eight pages, one of five headlines is replaced.
        let page = |page: u64| (1..5).chain((page / 8..page / 8 + 5).map(|headline| 100 + headline)).collect();
        assert_eq!(noticed(900, &TableOptions::default(), page), []);
    }

    #[test]
    fn what_only_goes_or_only_comes_is_no_change() {
        let goes = |page: u64| if page <= 300 { (1..11).collect() } else { vec![page + 1000] };
        let comes = |page: u64| if page <= 300 { vec![page + 1000] } else { (1..11).collect() };
        for page in [goes, comes] {
            assert_eq!(noticed(900, &TableOptions::default(), page), []);
        }
    }

    #[test]
    fn news_grow_old() {
        let change = Change { page: 500, ..Change::default() };
        assert!(change.is_news(1500) && !change.is_news(1501));
        let late = Change { page: 90_000, ..Change::default() };
        assert!(late.is_news(100_000) && !late.is_news(100_001));
    }
}
