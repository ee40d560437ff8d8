//! Learns from the documents of one source as they come, and gives the evidence about each.
//!
//! Takes documents in order, each with its tokens and segments. Gives [`StreamEvidence`] for each of them. First, the
//! table admits a document's segments. This shows which stretches of the document recur. Then the places of these
//! stretches among the prose are found. From the places, the table learns where articles end.

use rayon::prelude::*;

use super::evidence::{Placed, StreamEvidence};
use super::segments::{TextSegment, described};
use super::table::{SegmentTable, TableAnswer, TableOptions};
use crate::cleaning::{Cleaner, Reading};
use crate::html::Tree;

/// Learns from the documents of one source.
#[derive(Clone, Debug)]
pub struct Learner {
    table: SegmentTable,
    options: TableOptions,
    learns: bool,
}

/// A document, read and cut into segments.
#[derive(Clone, Copy)]
pub struct SegmentedDocument<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its tokens and matches, as read by the cleaner that is given to [`Learner::take`].
    pub reading: &'a Reading,
    /// Its segments.
    pub segments: &'a [TextSegment],
    /// Its tree, if it was a page of HTML.
    pub tree: Option<&'a Tree>,
}

impl Learner {
    /// Goes on with a table. If `learns` is false, the table is only read and does not change.
    pub fn new(table: SegmentTable, options: TableOptions, learns: bool) -> Learner {
        Learner { table, options, learns }
    }

    /// Takes documents in order. Returns the evidence about each. The result does not depend on how many documents are
    /// taken at once. Taking many at once is faster, because their places are found in parallel.
    pub fn take(&mut self, pages: &[SegmentedDocument], cleaner: &Cleaner) -> Vec<StreamEvidence> {
        let told: Vec<TableAnswer> = pages.iter().map(|page| self.admit(page)).collect();
        let detection = &self.options.detection;
        let show = |(page, told): (&SegmentedDocument, &TableAnswer)| {
            let known = StreamEvidence::of(page.reading, page.segments, &told.seen, detection);
            let placed = known.places(cleaner, page.text, page.reading);
            (known, placed)
        };
        let shown: Vec<(StreamEvidence, Vec<Placed>)> = pages.par_iter().zip(&told).map(show).collect();
        let learn = |(told, (mut known, placed)): (&TableAnswer, (StreamEvidence, Vec<Placed>))| {
            known.learn(self.table.learn(told, &placed));
            known
        };
        told.iter().zip(shown).map(learn).collect()
    }

    fn admit(&mut self, &SegmentedDocument { text, reading, segments, tree }: &SegmentedDocument) -> TableAnswer {
        if !self.learns {
            return self.table.look(segments, &self.options);
        }
        let told = self.table.admit(segments, &self.options);
        self.table.describe_wanted(segments, &told.seen, |segment| described(text, &reading.tokens, tree, segment));
        told
    }

    /// The table, with all that was learned.
    pub fn table(&self) -> &SegmentTable {
        &self.table
    }

    /// Ends the learner and returns its table.
    pub fn into_table(self) -> SegmentTable {
        self.table
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cleaning::{CleanOptions, Scratch};
    use crate::patterns::PatternFile;
    use crate::streaming::segments::segments;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// A document that was read.
    struct Read {
        text: String,
        reading: Reading,
        segments: Vec<TextSegment>,
    }

    impl Read {
        fn page(&self) -> SegmentedDocument<'_> {
            SegmentedDocument { text: &self.text, reading: &self.reading, segments: &self.segments, tree: None }
        }
    }

    fn cleaner() -> (Cleaner, Arc<MutableSet>) {
        let mutable = Arc::new(MutableSet::shipped());
        let file = PatternFile::empty("s", &Lexer::new(Tokenizer::Words, Arc::clone(&mutable)));
        (Cleaner::new(&[&file], &CleanOptions::default()), mutable)
    }

    /// Articles with a menu and a footer. One of the articles comes twice.
    fn documents(cleaner: &Cleaner, mutable: &MutableSet) -> Vec<Read> {
        let document = |number: usize| {
            // No number: it would be the same in all keys.
            let name = [number / 6, number % 6].map(|digit| ["ka", "lo", "mi", "tu", "re", "so"][digit]).concat();
            let sentence = |part| format!("The {name} has a {part}, which is told of nothing but the {name}. ");
            let story: String = ["door", "roof", "wall", "yard", "gate"].map(sentence).concat();
            let text = format!(
                "Daily Post | Home | Sport\n\nNews of {name}\n\n{story}\n\nMore stories\n\nWhat else became of \
                 {name}.\n\n{number} comments | Permanent link\n"
            );
            let reading = cleaner.read(&mut Scratch::default(), &text).unwrap();
            let segments = segments(&text, &reading.tokens, mutable, None);
            Read { text, reading, segments }
        };
        (0..24).chain([7]).chain(24..30).map(document).collect()
    }

    fn options() -> TableOptions {
        TableOptions { max_segments: Some(60), ..TableOptions::default() }
    }

    /// All that can be told of a table.
    fn told(table: &SegmentTable) -> String {
        let entries: Vec<_> = table.entries().collect();
        let texts: Vec<_> = table.texts().collect();
        format!("{entries:?} {texts:?} {:?}", table.progress())
    }

    /// The protocol, one document after the other, without a learner.
    fn naively(documents: &[Read], cleaner: &Cleaner, table: &mut SegmentTable, learns: bool) -> Vec<StreamEvidence> {
        let options = options();
        let one = |Read { text, reading, segments }: &Read| {
            let told = if learns { table.admit(segments, &options) } else { table.look(segments, &options) };
            for (segment, seen) in segments.iter().zip(&told.seen) {
                if learns && seen.wants_text {
                    table.describe_if_bare(segment.key, described(text, &reading.tokens, None, segment));
                }
            }
            let mut known = StreamEvidence::of(reading, segments, &told.seen, &options.detection);
            let placed = known.places(cleaner, text, reading);
            known.learn(table.learn(&told, &placed));
            known
        };
        documents.iter().map(one).collect()
    }

    #[test]
    fn a_learner_does_what_the_table_does_document_by_document_whatever_comes_at_once() {
        let (cleaner, mutable) = cleaner();
        let documents = documents(&cleaner, &mutable);
        let mut table = SegmentTable::default();
        let wanted = naively(&documents, &cleaner, &mut table, true);
        assert!(table.progress().copies == 1 && table.texts().any(|(_, text)| text.is_some()));
        assert!(wanted.iter().any(|known| !known.recurring.is_empty()));
        for at_once in [1, 4, documents.len()] {
            let mut learner = Learner::new(SegmentTable::default(), options(), true);
            let take = |some: &[Read]| learner.take(&some.iter().map(Read::page).collect::<Vec<_>>(), &cleaner);
            let known: Vec<StreamEvidence> = documents.chunks(at_once).flat_map(take).collect();
            assert_eq!(format!("{known:?}"), format!("{wanted:?}"));
            assert_eq!(told(&learner.into_table()), told(&table));
        }
    }

    #[test]
    fn a_learner_that_only_looks_leaves_the_table_as_it_is() {
        let (cleaner, mutable) = cleaner();
        let documents = documents(&cleaner, &mutable);
        let (before, after) = documents.split_at(20);
        let mut table = SegmentTable::default();
        naively(before, &cleaner, &mut table, true);
        let mut learner = Learner::new(table.clone(), options(), false);
        let known = learner.take(&after.iter().map(Read::page).collect::<Vec<_>>(), &cleaner);
        assert_eq!(format!("{known:?}"), format!("{:?}", naively(after, &cleaner, &mut table.clone(), false)));
        assert_eq!(told(learner.table()), told(&table));
    }
}
