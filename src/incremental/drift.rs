//! Whether a source has changed its templates.
//!
//! Takes the table of a source as pages come; notes in its progress when twice as much of the template went as stayed, and
//! twice as much came. A table follows such a change by itself. Patterns that were mined before it do not.
//!
//! Only *steady* segments are asked: those on at least one of five pages, over a quarter of the window at least. What came
//! before the window and is still there has stayed; what came before and is not has gone; what came within it is new. So
//! nothing is said of a source's first pages, which all came within, nor of a list of headlines whose entries come and go
//! amid a template that stays.

use super::Detection;
use super::lifetime::Lifetime;
use super::table::{Entry, SegmentTable, TableOptions};

/// How many pages are looked at to tell before from now.
const WINDOW: u32 = 100;
/// A larger table has a page more for each so many segments, and is looked at less often: a page costs no more.
const SEGMENTS_A_PAGE: usize = 1000;
/// A steady segment is on one of so many pages. That one is missing on a quarter of a window is no chance then.
const STEADY: u32 = 5;
/// Fewer segments tell nothing.
const MIN_SEGMENTS: u32 = 3;
/// A change is news for so many pages, and for a tenth of all.
const NEWS: u32 = 1000;

/// A source that has changed its templates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    /// The page on which it was noticed: it happened some 25 to 100 pages before.
    pub page: u32,
    /// How many steady segments of template were there before and still are.
    pub stayed: u32,
    /// How many were there before and are not any more.
    pub gone: u32,
    /// How many are there that were not before.
    pub new: u32,
}

impl Change {
    /// What happened.
    pub fn in_words(&self) -> String {
        let Change { page, stayed, gone, new } = self;
        let before = stayed + gone;
        format!(
            "has changed its template before page {page}: of {before} segments of it, {gone} are gone, and {new} are new"
        )
    }

    /// Whether it is so recent that people should be told.
    pub(super) fn is_news(&self, pages: u32) -> bool {
        pages.saturating_sub(self.page) <= NEWS.max(pages / 10)
    }

    fn is_one(&self) -> bool {
        let both = self.gone.min(self.new);
        both >= 2 * self.stayed && both >= MIN_SEGMENTS
    }
}

impl SegmentTable {
    /// Notes it if the source has changed by now. To be called for each page; it looks now and then.
    pub(super) fn notice_change(&mut self, options: &TableOptions) {
        let pages = self.progress.pages;
        let window = WINDOW.max((self.len() / SEGMENTS_A_PAGE) as u32);
        if pages > window && pages.is_multiple_of(window / 4) && self.remembers(window, options) {
            let change = Looking { pages, window, detection: &options.detection }.at(self.entries.values());
            let is_known = self.progress.change.is_some_and(|known| pages - known.page <= window);
            if change.is_one() && !is_known {
                self.progress.change = Some(change);
            }
        }
    }

    /// Whether segments of template that went so many pages ago are still in the table.
    fn remembers(&self, pages: u32, options: &TableOptions) -> bool {
        let base = self.progress.base_in_effect(options);
        Lifetime { base, ..options.lifetime }.of(u32::MAX) >= f64::from(pages)
    }
}

/// A look at the segments on a page.
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
    use crate::incremental::table::tests::{forgetful, segments};

    /// The changes that are noticed over so many pages.
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

    /// Ten segments of template, another ten from page 301 on, and a segment that no other page has.
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
        // four lines stay; of five headlines one is another every eight pages
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
