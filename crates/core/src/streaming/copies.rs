//! Detects copies: pages that were seen before, such as an article that is crawled again.
//!
//! Takes a page's segments and what is known of each. A page is a copy if hardly any of its text is new, or if hardly
//! any text in its paragraphs is new: an article may come again with other headlines around it.

use super::segments::TextSegment;
use super::table::{Entry, Progress};

/// A page is a copy if at most 1/50 of its text is new.
const COPY: u64 = 50;
/// It is also a copy if at most 1/20 of the text of its paragraphs is new (not 0, because people correct articles) ...
const COPIED_ARTICLE: u64 = 20;
/// ... and at most 1/2 of all its text is new.
const AROUND_IT: u64 = 2;
/// A segment of this many bytes, some 25 words, is a paragraph. Headlines are shorter.
const PARAGRAPH_BYTES: u32 = 150;
/// With fewer paragraphs, all of them may be boilerplate, such as terms of use, and the new part of the page may be
/// shorter than a paragraph.
const MIN_PARAGRAPHS: u32 = 3;
/// Pages may share paragraphs because these are boilerplate. With fewer counted pages this is not known yet, so pages
/// with shared paragraphs are copies ...
const MIN_PAGES_COUNTED: u32 = 5;
/// ... unless there are already this many copies for each counted page. Otherwise no further page would ever be
/// counted.
const MOST_COPIES: u64 = 10;

/// Whether a page is a copy. `known` returns the entry of a segment. `progress` is the progress of the source.
pub(super) fn is_copy(segments: &[TextSegment], known: impl Fn(&TextSegment) -> Entry, progress: &Progress) -> bool {
    let (mut text, mut paragraphs) = (Novelty::default(), Novelty::default());
    for segment in segments {
        let known = known(segment);
        let is_new = known.documents == 0;
        text.add(segment, is_new);
        if segment.length >= PARAGRAPH_BYTES && !is_on_most(&known, progress.pages) {
            paragraphs.add(segment, is_new);
        }
    }
    let Progress { pages, copies, .. } = *progress;
    let may_be_template = pages < MIN_PAGES_COUNTED && copies >= MOST_COPIES * u64::from(pages);
    let is_article = paragraphs.segments >= MIN_PARAGRAPHS && !may_be_template;
    text.is_at_most(COPY) || is_article && paragraphs.is_at_most(COPIED_ARTICLE) && text.is_at_most(AROUND_IT)
}

/// Whether a segment came back, and more than half of the pages since its first one have it.
fn is_on_most(known: &Entry, pages: u32) -> bool {
    let since = u64::from(pages.saturating_sub(known.first)) + 1;
    known.documents > 1 && u64::from(known.documents) * 2 > since
}

/// How much of a text is new, in bytes.
#[derive(Default)]
struct Novelty {
    segments: u32,
    all: u64,
    new: u64,
}

impl Novelty {
    fn add(&mut self, segment: &TextSegment, is_new: bool) {
        self.segments += 1;
        self.all += u64::from(segment.length);
        self.new += if is_new { u64::from(segment.length) } else { 0 };
    }

    /// Whether there is text, and at most 1/`part` of it is new.
    fn is_at_most(&self, part: u64) -> bool {
        self.all > 0 && self.new * part <= self.all
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::streaming::table::tests::segment;
    use crate::streaming::table::{SegmentTable, TableOptions};

    fn paragraphs(keys: Range<u64>) -> impl Iterator<Item = TextSegment> {
        keys.map(|key| TextSegment { length: PARAGRAPH_BYTES, ..segment(key) })
    }

    #[test]
    fn an_article_that_comes_again_among_other_headlines_is_a_copy() {
        let options = TableOptions::default();
        let is_counted = |first: Vec<TextSegment>, second: Vec<TextSegment>| {
            let mut table = SegmentTable::default();
            table.admit(&first, &options);
            table.admit(&second, &options).is_counted()
        };
        let page = |article: Range<u64>, others: Range<u64>| paragraphs(article).chain(others.map(segment)).collect();
        assert!(!is_counted(page(0..3, 10..40), page(0..3, 40..70)));
        assert!(is_counted(page(0..3, 10..40), page(1..4, 10..40)), "a new article");
        assert!(is_counted(page(0..3, 10..40), page(0..3, 40..100)), "more than half of the page is new");
        assert!(is_counted(page(0..2, 10..40), page(0..2, 40..70)), "terms of use");
    }

    #[test]
    fn paragraphs_of_a_template_do_not_make_copies_for_ever() {
        let options = TableOptions::default();
        let mut table = SegmentTable::default();
        let mut is_counted = |number: u64| {
            let short_texts = (100 * number..100 * number + 30).map(segment);
            let page: Vec<TextSegment> = paragraphs(0..4).chain(short_texts).collect();
            table.admit(&page, &options).is_counted()
        };
        let counted: Vec<u64> = (1..50).filter(|&number| is_counted(number)).collect();
        assert_eq!(counted, [1].into_iter().chain(12..50).collect::<Vec<_>>());
    }
}
