//! Merges two tables of one source.
//!
//! Takes the tables of two runs over different documents of the source. It is not known which documents came first. So
//! the number of pages is the sum of both, and a segment is as old as in the run that saw it last. The numbers of
//! documents with the segment are added, and so are the numbers of pages from its first to its last.

use super::drift::Change;
use super::table::{Entry, Progress, SegmentTable, TableOptions};

impl SegmentTable {
    /// Merges the table of another run into this one. Texts are not merged: a segment without a text here will want
    /// one. Candidates for the ends of articles are added for segments that this table does not have.
    pub fn absorb(&mut self, other: &SegmentTable, options: &TableOptions) {
        self.sweep(options);
        let entries = &self.entries;
        self.progress.ends.adopt(&other.progress.ends, |key| entries.contains_key(&key.0));
        let (own, others) = (self.progress.pages, other.progress.pages);
        let pages = own.saturating_add(others);
        for entry in self.entries.values_mut() {
            *entry = entry.later(pages - own);
        }
        for (key, entry) in other.entries.iter().filter(|(_, entry)| !entry.is_gone(others, &options.lifetime)) {
            let entry = Entry { is_described: false, is_changed: false, ..entry.later(pages - others) };
            self.entries.entry(*key).and_modify(|own| *own = own.joined(&entry)).or_insert(entry);
        }
        self.touch_all();
        self.add_progress(other, pages);
        self.sweep_if_due(options);
    }

    fn add_progress(&mut self, other: &SegmentTable, pages: u32) {
        let (own, other) = (&mut self.progress, &other.progress);
        own.change = latest(own.later_change(pages), other.later_change(pages));
        own.pages = pages;
        own.copies += other.copies;
        own.windows.add(&other.windows);
        own.threshold = match (own.threshold, other.threshold) {
            (Some(own), Some(other)) => Some(own.min(other)),
            (own, other) => own.or(other),
        };
    }
}

impl Progress {
    /// The last change, moved to a clock that is now at this number of pages.
    fn later_change(&self, pages: u32) -> Option<Change> {
        self.change.map(|change| Change { page: change.page + (pages - self.pages), ..change })
    }
}

fn latest(one: Option<Change>, other: Option<Change>) -> Option<Change> {
    [one, other].into_iter().flatten().max_by_key(|change| (change.page, change.stayed, change.gone, change.new))
}

impl Entry {
    /// The same entry on a clock that is this many pages ahead.
    fn later(self, pages: u32) -> Entry {
        Entry { first: self.first + pages, last: self.last + pages, ..self }
    }

    /// Joins two entries on the same clock. The pages between first and last are added like the documents, because a
    /// segment cannot be in more documents than there were pages.
    fn joined(self, other: &Entry) -> Entry {
        let last = self.last.max(other.last);
        let pages = (self.last - self.first).saturating_add(other.last - other.first).saturating_add(1);
        let documents = self.documents.saturating_add(other.documents);
        Entry { documents, first: last.saturating_sub(pages), last, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleaning::decide::article_end::LastPlace;
    use crate::streaming::ends::EndPlaces;
    use crate::streaming::evidence::Placed;
    use crate::streaming::segments::SegmentKey;
    use crate::streaming::table::Count;
    use crate::streaming::table::tests::{described, forgetful, learned, segments};

    /// Key, documents, first and last page.
    fn told(table: &SegmentTable) -> Vec<(u64, u32, u32, u32)> {
        table.entries().map(|(key, entry)| (key.0, entry.documents, entry.first, entry.last)).collect()
    }

    #[test]
    fn tables_are_added_by_hand() {
        let options = forgetful(100.0, None);
        // Tables of 5 and of 4 pages. Segment 1 was seen on 3 pages within 5, and on 2 pages within 3.
        let mut own = learned(&[&[1], &[2], &[1], &[]], &options);
        own.arrive(&segments(&[1, 4]), &options);
        let other = learned(&[&[1, 3], &[3], &[1], &[]], &options);
        own.absorb(&other, &options);
        assert_eq!(own.progress.pages, 9);
        assert_eq!(told(&own), [(1, 5, 2, 9), (2, 1, 6, 6), (3, 2, 6, 7), (4, 1, 9, 9)]);
    }

    #[test]
    fn it_does_not_matter_which_takes_in_which() {
        let options = forgetful(3.0, None);
        let one = learned(&[&[1, 2], &[1], &[5], &[1, 3]], &options);
        let other = learned(&[&[2], &[2], &[], &[], &[4]], &options);
        let joined = |one: &SegmentTable, other: &SegmentTable| {
            let mut joined = one.clone();
            joined.absorb(other, &options);
            (told(&joined), joined.progress.pages)
        };
        assert_eq!(joined(&one, &other), joined(&other, &one));
    }

    #[test]
    fn what_one_run_forgot_is_not_revived() {
        let options = forgetful(2.0, None);
        let gone = learned(&[&[1], &[], &[], &[]], &forgetful(9.0, None));
        assert_eq!(gone.len(), 1);
        for (mut own, other) in [(gone.clone(), learned(&[&[1]], &options)), (learned(&[&[1]], &options), gone)] {
            own.absorb(&other, &options);
            assert_eq!(told(&own), [(1, 1, 5, 5)]);
        }
    }

    #[test]
    fn all_is_changed_and_texts_stay_behind() {
        let options = forgetful(9.0, None);
        let mut own = learned(&[&[1][..]; 3], &options);
        own.describe(SegmentKey(1), described("own"));
        own.saved();
        let mut other = learned(&[&[1, 2][..]; 3], &options);
        other.describe(SegmentKey(2), described("other"));
        own.absorb(&other, &options);
        assert_eq!(own.changes().len(), 2);
        let wants_text = |key| own.look(&segments(&[key]), &options).seen[0].wants_text;
        assert_eq!([wants_text(1), wants_text(2)], [false, true]);
    }

    #[test]
    fn where_articles_end_is_taken_over_for_segments_that_are_new() {
        let options = forgetful(9.0, None);
        let with_place = |key: u64, before: f64| {
            let mut table = learned(&[&[key]], &options);
            let place = LastPlace { pattern: 0, start: 0, before, after: 0.0, longest_after: 0.0, goes_on: false };
            let count = Count { documents: 5, pages: 5 };
            table.place(&[Placed { key: SegmentKey(key), index: 0, count, place }]);
            table
        };
        let joined = |mut own: SegmentTable, other: &SegmentTable| {
            own.absorb(other, &options);
            own.progress.ends
        };
        let other = with_place(1, 60.0);
        assert_eq!(joined(SegmentTable::default(), &other), other.progress.ends);
        assert_eq!(joined(with_place(1, 90.0), &other), with_place(1, 90.0).progress.ends);
        assert_eq!(joined(learned(&[&[1]], &options), &other), EndPlaces::default(), "it is no candidate here");
        let both = joined(with_place(2, 70.0), &other);
        assert!(both != other.progress.ends && both != with_place(2, 70.0).progress.ends);
    }

    #[test]
    fn the_later_change_stays() {
        let changed = |pages: u32, page: u32| {
            let change = Some(Change { page, stayed: 0, gone: 3, new: 3 });
            SegmentTable::restored(Progress { pages, change, ..Progress::default() }, 0)
        };
        let mut own = changed(50, 30);
        own.absorb(&changed(70, 60), &forgetful(9.0, None));
        assert_eq!(own.progress.change.map(|change| change.page), Some(110));
    }

    #[test]
    fn the_limit_holds_for_both_together() {
        let options = forgetful(9.0, Some(3));
        let mut own = learned(&[&[1, 2, 3]], &options);
        own.absorb(&learned(&[&[4, 5, 6]], &options), &options);
        assert_eq!(own.len(), 3);
    }
}
