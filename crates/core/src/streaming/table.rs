//! The table of one source's segments: in how many documents each was seen, and when last.
//!
//! Takes the segments of one document after another. Gives what is known of them, this document included. Forgets
//! segments that were not seen for their lifetimes. Time is counted in documents of the source, called *pages*.
//!
//! A segment counts as forgotten from exactly the page on which its lifetime has passed. It leaves memory later: the
//! table is swept when so many segments have arrived that a sweep costs little for each. All of this depends only on
//! the pages, and not on when the table was stored and loaded. Memory: 24 bytes for each segment, plus the free part of
//! a hash table. Measured with five million segments: 260 MB, 350 MB while growing; 150 ns for each arriving segment.
//! With ten thousand segments: 20 ns for a known one, 50 ns for a new one. With a limit of five million and half of the
//! segments new: 390 ns including sweeps, of which the longest took a quarter of a second.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::Detection;
use super::copies::is_copy;
use super::drift::Change;
use super::ends::EndPlaces;
use super::evidence::Placed;
use super::lifetime::Lifetime;
use super::segments::{Described, SegmentKey, TextSegment};
use super::windows::{Window, Windows};

/// A sweep is due when the segments since the last one are at least 1/8 of the table.
const SWEPT_AFTER: usize = 8;
/// A sweep over the limit frees 1/8 of it, so that not every page needs a sweep.
const FREED: usize = 8;
/// A text is counted in all places together once a segment with it was seen in this many documents.
const MIN_RETURNED: u32 = 2;

type Entries = HashMap<u64, Entry, FxBuildHasher>;

/// The settings of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TableOptions {
    /// The limits from which segments count as template.
    pub detection: Detection,
    /// How long segments are remembered.
    pub lifetime: Lifetime,
    /// Maximum number of segments after a page. The segments that are youngest, relative to their lifetimes, are kept.
    /// Default: no limit.
    pub max_segments: Option<usize>,
}

/// How often something was seen, this document included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Number of documents with it.
    pub documents: u32,
    /// Number of pages since it was first seen, that page and this one included. At least `documents`.
    pub pages: u32,
}

/// What is known of a segment of a document, this document included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentHistory {
    /// The segment: this text in this place.
    pub here: Count,
    /// Its text in any place, counted since the text first came back to a place. The same as `here` if it never came
    /// back.
    pub anywhere: Count,
    /// Whether it is in enough documents to be boilerplate, and its text is not known yet ([`SegmentTable::describe`]).
    pub wants_text: bool,
}

/// The answer of a table about a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableAnswer {
    /// The history of each of its segments.
    pub seen: Vec<SegmentHistory>,
    /// The number of the page, if the table learned from it. `None` for copies and for documents that were only looked
    /// at.
    pub page: Option<u32>,
}

impl TableAnswer {
    /// Whether the table learned from the document.
    pub fn is_counted(&self) -> bool {
        self.page.is_some()
    }
}

/// A segment of a table, or a text in any place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Number of documents with it.
    pub documents: u32,
    /// The first page with it.
    pub first: u32,
    /// The last page with it.
    pub last: u32,
    /// Whether its text is known.
    pub is_described: bool,
    /// Whether it is a text in any place, and not a segment.
    pub is_anywhere: bool,
    /// Whether it differs from the stored entry.
    pub(super) is_changed: bool,
}

/// The progress of a source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Number of documents so far. It stops at four billion.
    pub pages: u32,
    /// Number of segments since the last sweep.
    pub arrived: u64,
    /// The age ([`Lifetime::age`]) of the youngest segment that was removed by the last sweep for the size limit.
    pub threshold: Option<f64>,
    /// Number of documents that were copies and were not counted.
    pub copies: u64,
    /// The history of templates.
    pub windows: Windows,
    /// The last change of the source's templates.
    pub change: Option<Change>,
    /// Places of segments that may end articles.
    pub ends: EndPlaces,
}

/// The segments of one source.
///
/// ```
/// use dehusk_core::streaming::segments::{TextSegment, SegmentKey};
/// use dehusk_core::streaming::table::{SegmentTable, TableOptions};
///
/// let menu = TextSegment { key: SegmentKey(7), text: SegmentKey(8), tokens: 0..4, block: 0, length: 20 };
/// let mut table = SegmentTable::default();
/// table.arrive(std::slice::from_ref(&menu), &TableOptions::default());
/// table.arrive(&[], &TableOptions::default());
/// let seen = table.arrive(&[menu], &TableOptions::default());
/// assert_eq!((seen[0].here.documents, seen[0].here.pages), (2, 3));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SegmentTable {
    pub(super) entries: Entries,
    pub(super) progress: Progress,
    unsaved: Unsaved,
}

/// The changes since the table was stored.
#[derive(Clone, Debug, Default)]
struct Unsaved {
    has_progressed: bool,
    /// New, changed and removed segments. Some may be listed twice.
    touched: Vec<u64>,
    /// New texts, and `None` for removed ones.
    texts: BTreeMap<u64, Option<Described>>,
}

impl SegmentTable {
    /// A table with this progress and room for this many segments. [`SegmentTable::restore`] fills it.
    pub fn restored(progress: Progress, segments: usize) -> SegmentTable {
        let entries = Entries::with_capacity_and_hasher(segments, FxBuildHasher);
        SegmentTable { entries, progress, unsaved: Unsaved::default() }
    }

    /// Adds a stored segment, or removes it. Does not count as a change.
    pub fn restore(&mut self, key: SegmentKey, entry: Option<Entry>) {
        match entry {
            Some(entry) => self.entries.insert(key.0, entry),
            None => self.entries.remove(&key.0),
        };
    }

    /// Adds a page, unless it is a copy of what was seen before, such as a page that is crawled again. For a copy it
    /// only returns what is known, because counting copies would make template of an article that comes five times.
    pub fn admit(&mut self, segments: &[TextSegment], options: &TableOptions) -> TableAnswer {
        let is_copy = self.is_copy(segments, options);
        if is_copy {
            self.unsaved.has_progressed = true;
            self.progress.copies += 1;
        }
        let seen = if is_copy { self.recall(segments, options) } else { self.arrive(segments, options) };
        TableAnswer { seen, page: (!is_copy).then_some(self.progress.pages) }
    }

    /// Returns what [`admit`](Self::admit) would return, except for the page, without changing the table.
    pub fn look(&self, segments: &[TextSegment], options: &TableOptions) -> TableAnswer {
        let now = self.progress.pages.saturating_add(1);
        let seen = match self.is_copy(segments, options) {
            true => self.recall(segments, options),
            false => self.known_of(segments, now, options, |entry| entry.after(now)),
        };
        TableAnswer { seen, page: None }
    }

    /// What is known of the segments of a copy. It is not counted, because an earlier page with its segments was.
    fn recall(&self, segments: &[TextSegment], options: &TableOptions) -> Vec<SegmentHistory> {
        self.known_of(segments, self.progress.pages, options, |entry| entry)
    }

    fn known_of(
        &self,
        segments: &[TextSegment],
        page: u32,
        options: &TableOptions,
        with_page: impl Fn(Entry) -> Entry,
    ) -> Vec<SegmentHistory> {
        let known = |segment: &TextSegment| {
            let here = self.known(segment.key, page, options);
            let anywhere = self.known_anywhere(segment, &here, page, options);
            seen(&with_page(here), &with_page(anywhere), page, &options.detection)
        };
        segments.iter().map(known).collect()
    }

    fn is_copy(&self, segments: &[TextSegment], options: &TableOptions) -> bool {
        let now = self.progress.pages.saturating_add(1);
        is_copy(segments, |segment| self.known(segment.key, now, options), &self.progress)
    }

    /// What is known of a segment or text before this page.
    fn known(&self, key: SegmentKey, page: u32, options: &TableOptions) -> Entry {
        match self.entries.get(&key.0) {
            Some(entry) if !entry.is_gone(page, &options.lifetime) => *entry,
            _ => Entry::ABSENT,
        }
    }

    /// What is known of a segment's text in any place, before this page.
    fn known_anywhere(&self, segment: &TextSegment, here: &Entry, page: u32, options: &TableOptions) -> Entry {
        Some(self.known(segment.text, page, options)).filter(|text| text.documents > 0).unwrap_or(*here)
    }

    /// Adds a page. Returns what is known of each of its segments, and forgets segments that are too old. A page counts
    /// once for a segment, however often the segment is in it.
    pub fn arrive(&mut self, segments: &[TextSegment], options: &TableOptions) -> Vec<SegmentHistory> {
        self.unsaved.has_progressed = true;
        self.progress.pages = self.progress.pages.saturating_add(1);
        self.progress.arrived += segments.len() as u64;
        let mut page = Addition {
            number: self.progress.pages,
            window: self.progress.windows.at(self.progress.pages),
            unsaved: &mut self.unsaved,
            options,
        };
        let seen = segments.iter().map(|segment| page.expand(&mut self.entries, segment)).collect();
        self.sweep_if_due(options);
        self.notice_change(options);
        seen
    }

    /// Stores the text of a segment for people. Does nothing if the segment is not in the table.
    pub fn describe(&mut self, key: SegmentKey, described: Described) {
        if let Some(entry) = self.entries.get_mut(&key.0) {
            entry.is_described = true;
            self.unsaved.touch(key.0, entry);
            self.unsaved.texts.insert(key.0, Some(described));
        }
    }

    /// Like [`describe`](Self::describe), but does nothing if the text is already known.
    pub fn describe_if_bare(&mut self, key: SegmentKey, described: Described) {
        if self.entries.get(&key.0).is_some_and(|entry| !entry.is_described) {
            self.describe(key, described);
        }
    }

    /// Stores the texts of those segments of a page whose texts are wanted.
    pub fn describe_wanted(
        &mut self,
        segments: &[TextSegment],
        seen: &[SegmentHistory],
        described: impl Fn(&TextSegment) -> Described,
    ) {
        for (segment, _) in segments.iter().zip(seen).filter(|(_, seen)| seen.wants_text) {
            self.describe_if_bare(segment.key, described(segment));
        }
    }

    /// Returns the segments that may end the article of a page: their indices, and the number of words of prose needed
    /// before each. If the page was counted, the table also learns from it ([`place`](Self::place)).
    pub fn learn(&mut self, told: &TableAnswer, placed: &[Placed]) -> Vec<(usize, usize)> {
        if told.is_counted() { self.place(placed) } else { self.progress.ends.look(placed) }
    }

    /// Adds the places of a counted page's segments among its prose. Pages must come in order. Returns the segments
    /// that may end its article ([`EndPlaces::arrive`]).
    pub fn place(&mut self, placed: &[Placed]) -> Vec<(usize, usize)> {
        self.unsaved.has_progressed = true;
        self.progress.ends.arrive(placed)
    }

    /// The progress of the source.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The segments and texts in memory, sorted by key, including those that are too old but not removed yet.
    pub fn entries(&self) -> impl Iterator<Item = (SegmentKey, Entry)> {
        let mut keys: Vec<u64> = self.entries.keys().copied().collect();
        keys.sort_unstable();
        keys.into_iter().filter_map(|key| Some((SegmentKey(key), self.entries.get(&key)?.as_stored())))
    }

    /// The segments that are not too old, most documents first, then by key.
    pub fn ranked(&self, options: &TableOptions) -> Vec<(SegmentKey, Entry)> {
        let is_known = |(_, entry): &(SegmentKey, Entry)| {
            !entry.is_anywhere && !entry.is_gone(self.progress.pages, &options.lifetime)
        };
        let mut entries: Vec<(SegmentKey, Entry)> = self.entries().filter(is_known).collect();
        entries.sort_by_key(|&(_, entry)| std::cmp::Reverse(entry.documents));
        entries
    }

    /// Number of segments that are not too old, and how many of these are in enough documents to be boilerplate.
    pub fn remembered(&self, options: &TableOptions) -> (usize, usize) {
        let segments = self.ranked(options);
        let templates = segments.partition_point(|(_, entry)| entry.is_template(&options.detection));
        (segments.len(), templates)
    }

    /// Number of segments and texts in memory.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no segments or texts are in memory.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the table has not changed since it was stored.
    pub fn is_saved(&self) -> bool {
        !self.unsaved.has_progressed && self.unsaved.touched.is_empty() && self.unsaved.texts.is_empty()
    }

    /// The segments that have changed since the table was stored, sorted by key. `None` for removed ones.
    pub fn changes(&self) -> impl ExactSizeIterator<Item = (SegmentKey, Option<Entry>)> {
        let mut keys = self.unsaved.touched.clone();
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter().map(|key| (SegmentKey(key), self.entries.get(&key).map(Entry::as_stored)))
    }

    /// The texts added since the table was stored, sorted by key. `None` for removed ones.
    pub fn texts(&self) -> impl Iterator<Item = (SegmentKey, Option<&Described>)> {
        self.unsaved.texts.iter().map(|(&key, text)| (SegmentKey(key), text.as_ref()))
    }

    /// Marks all changes as stored.
    pub fn saved(&mut self) {
        for key in std::mem::take(&mut self.unsaved.touched) {
            if let Some(entry) = self.entries.get_mut(&key) {
                entry.is_changed = false;
            }
        }
        self.unsaved = Unsaved::default();
    }

    /// Marks all segments as changed.
    pub(super) fn touch_all(&mut self) {
        self.unsaved.has_progressed = true;
        for (&key, entry) in &mut self.entries {
            self.unsaved.touch(key, entry);
        }
    }

    pub(super) fn sweep_if_due(&mut self, options: &TableOptions) {
        let is_full = options.max_segments.is_some_and(|max| self.entries.len() > max);
        let may_be_old = options.lifetime.base.is_finite();
        if is_full || may_be_old && self.progress.arrived >= (self.entries.len() / SWEPT_AFTER) as u64 {
            self.sweep(options);
        }
    }

    /// Removes segments that are too old. If there are still too many, also removes the oldest of the rest.
    pub(super) fn sweep(&mut self, options: &TableOptions) {
        self.progress.arrived = 0;
        let (pages, lifetime) = (self.progress.pages, options.lifetime);
        self.remove(&options.detection, |_, entry| entry.is_gone(pages, &lifetime));
        if let Some(max) = options.max_segments.filter(|&max| self.entries.len() > max) {
            self.keep_youngest(max - max / FREED, options);
        }
    }

    fn keep_youngest(&mut self, count: usize, options: &TableOptions) {
        let (pages, lifetime) = (self.progress.pages, options.lifetime);
        let mut ages: Vec<(f64, u64)> =
            self.entries.iter().map(|(&key, entry)| (entry.age(pages, &lifetime), key)).collect();
        let by_age = |a: &(f64, u64), b: &(f64, u64)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let (_, &mut youngest_to_go, _) = ages.select_nth_unstable_by(count, by_age);
        self.progress.threshold = Some(youngest_to_go.0);
        self.remove(&options.detection, |key, entry| {
            by_age(&(entry.age(pages, &lifetime), key), &youngest_to_go).is_ge()
        });
        // Otherwise, after one page with a million segments, every sweep would walk the empty space.
        self.entries.shrink_to(2 * count);
    }

    fn remove(&mut self, detection: &Detection, goes: impl Fn(u64, &Entry) -> bool) {
        let window = self.progress.windows.at(self.progress.pages);
        let unsaved = &mut self.unsaved;
        self.entries.retain(|&key, entry| {
            let goes = goes(key, entry);
            if goes {
                unsaved.touch(key, entry);
                unsaved.forget(key, entry, detection, window);
            }
            !goes
        });
    }
}

impl Progress {
    /// The lifetime in effect for a segment seen once, in pages: that of the options, or less if the size limit removed
    /// younger segments. Infinite if nothing was ever removed.
    pub fn base_in_effect(&self, options: &TableOptions) -> f64 {
        self.threshold.map_or(options.lifetime.base, |threshold| threshold.min(options.lifetime.base))
    }

    /// The last change of the source, if it is recent.
    pub fn drift(&self) -> Option<Change> {
        self.change.filter(|change| change.is_news(self.pages))
    }
}

impl Entry {
    const ABSENT: Entry = Entry::stored(0, 0, 0, false);

    /// A segment as it was stored.
    pub const fn stored(documents: u32, first: u32, last: u32, is_described: bool) -> Entry {
        Entry { documents, first, last, is_described, is_anywhere: false, is_changed: false }
    }

    /// The same entry, marked as a text in any place or as a segment.
    pub const fn anywhere(self, is_anywhere: bool) -> Entry {
        Entry { is_anywhere, ..self }
    }

    fn as_stored(&self) -> Entry {
        Entry { is_changed: false, ..*self }
    }

    /// Number of pages from its first to its last, both included.
    pub fn pages(&self) -> u32 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }

    /// Whether its lifetime has passed on this page. If the page has the segment, this must be asked before the page is
    /// added.
    pub fn is_gone(&self, page: u32, lifetime: &Lifetime) -> bool {
        lifetime.has_passed(page.saturating_sub(self.last), self.documents)
    }

    fn age(&self, page: u32, lifetime: &Lifetime) -> f64 {
        lifetime.age(page.saturating_sub(self.last), self.documents)
    }

    /// The entry after a page that has it.
    fn after(self, page: u32) -> Entry {
        let first = if self.documents == 0 { page } else { self.first };
        Entry { documents: self.documents.saturating_add(1), first, last: page, ..self }
    }

    fn count(&self, page: u32) -> Count {
        Count { documents: self.documents, pages: page.saturating_sub(self.first).saturating_add(1) }
    }

    /// Whether it is a segment in enough documents to be boilerplate.
    pub fn is_template(&self, detection: &Detection) -> bool {
        self.documents >= detection.template_documents && !self.is_anywhere
    }
}

fn seen(here: &Entry, anywhere: &Entry, page: u32, detection: &Detection) -> SegmentHistory {
    let wants_text = here.is_template(detection) && !here.is_described;
    SegmentHistory { here: here.count(page), anywhere: anywhere.count(page), wants_text }
}

/// A page that is being added.
struct Addition<'a> {
    number: u32,
    window: &'a mut Window,
    unsaved: &'a mut Unsaved,
    options: &'a TableOptions,
}

impl Addition<'_> {
    fn expand(&mut self, entries: &mut Entries, segment: &TextSegment) -> SegmentHistory {
        let here = entries.entry(segment.key.0).or_insert(Entry::ABSENT);
        self.add(here, segment);
        let here = *here;
        let anywhere = self.expand_text(entries, segment, &here);
        seen(&here, &anywhere, self.number, &self.options.detection)
    }

    /// Counts the text of a segment in any place, once it has come back to a place. Most texts never do.
    fn expand_text(&mut self, entries: &mut Entries, segment: &TextSegment, here: &Entry) -> Entry {
        let key = segment.text.0;
        if segment.text == segment.key {
            return *here;
        }
        let known = entries.get(&key).copied().filter(|text| !text.is_gone(self.number, &self.options.lifetime));
        let text = match known {
            Some(text) if text.last == self.number => return text,
            Some(text) => text.after(self.number),
            None if here.documents < MIN_RETURNED => return *here,
            None => Entry { is_described: false, is_anywhere: true, is_changed: false, ..*here },
        };
        let entry = entries.entry(key).insert(text).into_mut();
        self.unsaved.touch(key, entry);
        *entry
    }

    fn add(&mut self, entry: &mut Entry, segment: &TextSegment) {
        let detection = &self.options.detection;
        if entry.documents > 0 && entry.is_gone(self.number, &self.options.lifetime) {
            self.unsaved.forget(segment.key.0, entry, detection, self.window);
            *entry = Entry { is_changed: entry.is_changed, ..Entry::ABSENT };
        }
        if entry.last < self.number {
            let was_template = entry.is_template(detection);
            *entry = entry.after(self.number);
            self.unsaved.touch(segment.key.0, entry);
            if entry.is_template(detection) && !was_template {
                self.window.born += 1;
                self.window.missed += u64::from(segment.length) * u64::from(entry.documents - 1);
            }
        }
        if entry.is_template(detection) {
            self.window.caught += u64::from(segment.length);
        }
    }
}

impl Unsaved {
    fn touch(&mut self, key: u64, entry: &mut Entry) {
        if !entry.is_changed {
            entry.is_changed = true;
            self.touched.push(key);
        }
    }

    /// Records the removal of a segment in the window and among the texts.
    fn forget(&mut self, key: u64, entry: &Entry, detection: &Detection, window: &mut Window) {
        if entry.is_template(detection) {
            window.died += 1;
        }
        if entry.is_described {
            self.texts.insert(key, None);
        }
    }
}

#[cfg(test)]
pub(in crate::streaming) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cleaning::decide::article_end::LastPlace;
    use crate::streaming::segments::Standing;

    /// A segment with this key and a length of ten.
    pub fn segment(key: u64) -> TextSegment {
        TextSegment { key: SegmentKey(key), text: SegmentKey(key), tokens: 0..1, block: 0, length: 10 }
    }

    pub fn segments(keys: &[u64]) -> Vec<TextSegment> {
        keys.iter().copied().map(segment).collect()
    }

    pub fn described(text: &str) -> Described {
        Described { path: "div/p".to_owned(), text: text.to_owned(), standing: Standing::Line }
    }

    /// Lifetimes of `base` to twice as many pages. A segment in three documents is boilerplate.
    pub fn forgetful(base: f64, max_segments: Option<usize>) -> TableOptions {
        let detection = Detection { template_documents: 3, ..Detection::default() };
        TableOptions { detection, lifetime: Lifetime { base, factor: 2.0 }, max_segments }
    }

    pub fn learned(pages: &[&[u64]], options: &TableOptions) -> SegmentTable {
        let mut table = SegmentTable::default();
        for page in pages {
            table.arrive(&segments(page), options);
        }
        table
    }

    fn documents(table: &mut SegmentTable, keys: &[u64], options: &TableOptions) -> Vec<u32> {
        table.arrive(&segments(keys), options).iter().map(|seen| seen.here.documents).collect()
    }

    /// Documents and pages of a segment on the last page, computed from the whole history with the formula.
    fn by_history(pages: &[Vec<u64>], key: u64, base: f64) -> (u32, u32) {
        let (mut documents, mut first, mut last) = (0, 0, 0);
        for (page, _) in pages.iter().enumerate().filter(|(_, keys)| keys.contains(&key)) {
            let lifetime = 2.0 * base / (1.0 + (1.0 - f64::from(documents)).exp());
            if documents == 0 || (page - last) as f64 > lifetime {
                (documents, first) = (0, page);
            }
            (documents, last) = (documents + 1, page);
        }
        (documents as u32, (last - first + 1) as u32)
    }

    fn streams() -> impl Strategy<Value = Vec<Vec<u64>>> {
        let page = prop::collection::vec(prop_oneof![0..6_u64, 0..40_u64], 0..5);
        prop::collection::vec(page, 0..60)
    }

    proptest! {
        #[test]
        fn a_table_knows_what_the_history_says(pages in streams(), base in 1..12_u32) {
            let base = f64::from(base);
            let options = forgetful(base, None);
            let mut table = SegmentTable::default();
            for now in 1..=pages.len() {
                let page = segments(&pages[now - 1]);
                let looked = table.look(&page, &options);
                prop_assert_eq!(looked.seen, table.clone().admit(&page, &options).seen);
                let seen = table.arrive(&page, &options);
                for (segment, seen) in page.iter().zip(&seen) {
                    let expected = by_history(&pages[..now], segment.key.0, base);
                    prop_assert_eq!((seen.here.documents, seen.here.pages), expected, "{} on page {}", segment.key.0, now);
                }
            }
        }

        #[test]
        fn a_limit_keeps_the_youngest(pages in streams(), max in 0..12_usize) {
            let options = forgetful(f64::INFINITY, Some(max));
            let mut table = SegmentTable::default();
            for page in &pages {
                let mut unlimited = table.clone();
                unlimited.arrive(&segments(page), &forgetful(f64::INFINITY, None));
                table.arrive(&segments(page), &options);
                let pages = table.progress.pages;
                let mut by_age: Vec<(SegmentKey, Entry)> = unlimited.entries().collect();
                if by_age.len() > max {
                    let age = |entry: &Entry| options.lifetime.age(pages - entry.last, entry.documents);
                    by_age.sort_by(|(k, a), (l, b)| age(a).total_cmp(&age(b)).then(k.cmp(l)));
                    prop_assert_eq!(table.progress.threshold, Some(age(&by_age[max - max / FREED].1)));
                    by_age.truncate(max - max / FREED);
                    by_age.sort_by_key(|&(key, _)| key);
                }
                prop_assert_eq!(table.entries().collect::<Vec<_>>(), by_age);
                prop_assert!(table.len() <= max);
            }
        }

        #[test]
        fn what_is_stored_is_the_table(pages in streams(), base in 1..12_u32, max in 1..40_usize, every in 1..6_usize) {
            let options = forgetful(f64::from(base), Some(max));
            let (mut table, mut kept) = (SegmentTable::default(), SegmentTable::default());
            let mut stored = SegmentTable::default();
            for (number, page) in pages.iter().enumerate() {
                let page: Vec<TextSegment> = page.iter().map(|key| placed(key / 3, key % 3)).collect();
                prop_assert_eq!(table.arrive(&page, &options), kept.arrive(&page, &options));
                if number % every == 0 {
                    table.changes().for_each(|(key, entry)| stored.restore(key, entry));
                    table = SegmentTable { progress: table.progress.clone(), ..stored.clone() };
                }
            }
            prop_assert!(table.entries().eq(kept.entries()));
            prop_assert_eq!(&table.progress, &kept.progress);
        }
    }

    /// A segment with this text in this place.
    fn placed(text: u64, place: u64) -> TextSegment {
        TextSegment { text: SegmentKey(1000 + text), ..segment(10 * text + place) }
    }

    /// Documents and pages of a text in any place, computed from the whole history: since one of its places came back.
    fn anywhere_by_history(pages: &[Vec<(u64, u64)>], text: u64) -> Option<(u32, u32)> {
        let (mut seen, mut known) = (BTreeMap::new(), None);
        for (number, page) in pages.iter().enumerate() {
            if let Some((_, last, documents)) = known.as_mut().filter(|_| page.iter().any(|&(of, _)| of == text)) {
                (*last, *documents) = (number, *documents + 1);
            }
            for &(_, place) in page.iter().filter(|&&(of, _)| of == text) {
                let first = *seen.entry(place).or_insert(number);
                known = known.or((first < number).then_some((first, number, 2)));
            }
        }
        known.map(|(first, last, documents): (usize, usize, u32)| (documents, (last - first + 1) as u32))
    }

    proptest! {
        #[test]
        fn texts_are_known_anywhere_as_the_history_says(
            pages in prop::collection::vec(prop::collection::vec((0..4_u64, 0..3_u64), 0..5), 0..40),
        ) {
            let options = TableOptions::default();
            let mut table = SegmentTable::default();
            for now in 1..=pages.len() {
                let page: Vec<TextSegment> = pages[now - 1].iter().map(|&(text, place)| placed(text, place)).collect();
                let looked = table.look(&page, &options).seen;
                let admitted = table.clone().admit(&page, &options).seen;
                let seen = table.arrive(&page, &options);
                let told = seen.iter().zip(looked.iter().zip(admitted));
                for (&(text, place), (seen, (looked, admitted))) in pages[now - 1].iter().zip(told) {
                    let anywhere = anywhere_by_history(&pages[..now], text);
                    let told = (seen.anywhere.documents, seen.anywhere.pages);
                    // On the page where the text first becomes known, segments before the one that came back do not
                    // show it yet.
                    let is_new = anywhere_by_history(&pages[..now - 1], text).is_none();
                    prop_assert!(Some(told) == anywhere || is_new && seen.anywhere == seen.here, "{text} {place} {now}");
                    prop_assert_eq!(looked.here, admitted.here);
                    prop_assert!(is_new || *looked == admitted);
                }
            }
            let ranked = table.ranked(&options);
            prop_assert!(ranked.iter().all(|(key, _)| key.0 < 1000), "texts are no segments");
        }
    }

    #[test]
    fn a_text_is_known_anywhere_once_a_place_has_it_again() {
        let options = TableOptions::default();
        let mut table = SegmentTable::default();
        let mut told = |text, place| table.arrive(&[placed(text, place)], &options)[0].anywhere.documents;
        assert_eq!([told(1, 1), told(1, 2), told(1, 3)], [1, 1, 1]);
        assert_eq!([told(1, 1), told(1, 4), told(1, 2)], [2, 3, 4]);
    }

    #[test]
    fn a_text_that_was_forgotten_is_not_known_anywhere() {
        let options = forgetful(2.0, None);
        // Many other segments, so that no sweep is due.
        let mut table = learned(&[&(2000..2100).collect::<Vec<u64>>()], &options);
        table.arrive(&[placed(1, 1)], &options);
        table.arrive(&[placed(1, 1)], &options);
        let mut swept = table.clone();
        for _ in 0..4 {
            table.arrive(&[], &options);
            swept.arrive(&[], &options);
            swept.sweep(&options);
        }
        assert_eq!((table.len(), swept.len()), (102, 0));
        for mut table in [table, swept] {
            assert_eq!(table.arrive(&[placed(1, 2)], &options)[0].anywhere.documents, 1);
            assert_eq!(table.arrive(&[placed(1, 2)], &options)[0].anywhere.documents, 2);
        }
    }

    #[test]
    fn a_page_counts_once() {
        let options = TableOptions::default();
        let mut table = SegmentTable::default();
        assert_eq!(documents(&mut table, &[1, 1, 2], &options), [1, 1, 1]);
        assert_eq!(documents(&mut table, &[1, 3, 1], &options), [2, 1, 2]);
    }

    #[test]
    fn a_page_that_comes_again_is_not_counted() {
        let options = TableOptions::default();
        let mut table = learned(&[&[1, 2, 3], &[1, 4, 5]], &options);
        let told = |told: TableAnswer| -> Vec<(u32, u32)> {
            told.seen.iter().map(|seen| (seen.here.documents, seen.here.pages)).collect()
        };
        for _ in 0..2 {
            assert_eq!(told(table.look(&segments(&[1, 4, 5]), &options)), [(2, 2), (1, 1), (1, 1)]);
        }
        assert_eq!(told(table.admit(&segments(&[1, 4, 5]), &options)), [(2, 2), (1, 1), (1, 1)]);
        assert_eq!((table.progress.pages, table.progress.copies), (2, 1));
        assert_eq!(told(table.admit(&segments(&[1, 4, 6]), &options)), [(3, 3), (2, 2), (1, 1)]);
        assert_eq!((table.progress.pages, table.progress.copies), (3, 1));
    }

    #[test]
    fn what_was_forgotten_begins_anew() {
        let options = forgetful(2.0, None);
        let mut table = learned(&[&[1], &[], &[]], &options);
        assert_eq!(documents(&mut table, &[1], &options), [1]);
        let mut table = learned(&[&[1], &[]], &options);
        assert_eq!(documents(&mut table, &[1], &options), [2]);
    }

    #[test]
    fn what_is_too_old_leaves_memory() {
        let mut table = learned(&[&[1, 2, 3]], &forgetful(2.0, None));
        for key in 10..40 {
            table.arrive(&segments(&[key]), &forgetful(2.0, None));
        }
        assert!(table.len() < 6, "{}", table.len());
        assert!(learned(&[&[1, 2, 3][..]; 9], &TableOptions::default()).len() == 3);
    }

    #[test]
    fn windows_tell_what_was_caught_and_missed() {
        let options = forgetful(4.0, None);
        let mut table = learned(&[&[1, 2], &[1], &[1, 1], &[1]], &options);
        let first = |table: &SegmentTable| *table.progress.windows.iter().next().unwrap().1;
        // Missed on the first two pages, caught on the third (twice) and on the fourth.
        assert_eq!(first(&table), Window { caught: 30, missed: 20, born: 1, died: 0 });
        for _ in 0..12 {
            table.arrive(&segments(&[9]), &options);
        }
        table.arrive(&segments(&[1]), &options);
        let died: u64 = table.progress.windows.iter().map(|(_, window)| window.died).sum();
        assert_eq!(died, 1);
    }

    #[test]
    fn where_articles_end_does_not_depend_on_how_many_pages_arrive_before_they_are_placed() {
        let options = forgetful(f64::INFINITY, Some(8));
        let pages = [segments(&[1]), segments(&(10..30).collect::<Vec<u64>>())];
        let place = LastPlace { pattern: 0, start: 0, before: 90.0, after: 0.0, longest_after: 0.0, goes_on: false };
        let placed = [Placed { key: SegmentKey(1), index: 0, count: Count { documents: 5, pages: 5 }, place }];
        let (mut one_by_one, mut together) = (SegmentTable::default(), SegmentTable::default());
        for (page, placed) in pages.iter().zip([&placed[..], &[]]) {
            one_by_one.arrive(page, &options);
            one_by_one.place(placed);
            together.arrive(page, &options);
        }
        together.place(&placed);
        together.place(&[]);
        assert!(!together.entries.contains_key(&1), "the second page took its place");
        assert_eq!(one_by_one.progress, together.progress);
    }

    #[test]
    fn the_room_that_a_huge_page_took_is_given_back() {
        let options = forgetful(9.0, Some(8));
        let table = learned(&[&(0..10_000).collect::<Vec<u64>>()], &options);
        assert!(table.len() <= 8 && table.entries.capacity() < 100, "{}", table.entries.capacity());
    }

    #[test]
    fn texts_are_wanted_once_and_go_with_their_segments() {
        let options = forgetful(2.0, None);
        let mut table = learned(&[&[1], &[1]], &options);
        assert!(table.arrive(&segments(&[1]), &options)[0].wants_text);
        table.describe(SegmentKey(1), described("Read more"));
        assert!(!table.arrive(&segments(&[1]), &options)[0].wants_text);
        assert_eq!(table.texts().collect::<Vec<_>>(), [(SegmentKey(1), Some(&described("Read more")))]);
        for _ in 0..9 {
            table.arrive(&[], &options);
        }
        assert_eq!(documents(&mut table, &[1], &options), [1]);
        assert_eq!(table.texts().collect::<Vec<_>>(), [(SegmentKey(1), None)]);
    }

    #[test]
    fn changes_are_told_until_they_are_saved() {
        let options = forgetful(2.0, None);
        let mut table = learned(&[&[1, 2], &[1]], &options);
        let told = |table: &SegmentTable| -> Vec<(u64, Option<u32>)> {
            table.changes().map(|(key, entry)| (key.0, entry.map(|entry| entry.documents))).collect()
        };
        assert_eq!(told(&table), [(1, Some(2)), (2, Some(1))]);
        assert!(!table.is_saved());
        table.saved();
        assert!(table.is_saved() && told(&table).is_empty());
        table.arrive(&segments(&[3]), &options);
        table.arrive(&segments(&[3]), &options);
        assert_eq!(told(&table), [(2, None), (3, Some(2))]);
    }

    #[test]
    fn ranked_by_documents_and_then_key() {
        let options = forgetful(2.0, None);
        let table = learned(&[&[8], &[5, 3, 7], &[7], &[2]], &options);
        let keys: Vec<u64> = table.ranked(&options).iter().map(|(key, _)| key.0).collect();
        assert_eq!(keys, [7, 2, 3, 5]);
    }
}
