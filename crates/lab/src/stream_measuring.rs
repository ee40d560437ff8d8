//! Measures a single source: its documents are cleaned one after another, as `dehusk stream` does, and also with
//! patterns of all documents.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::alignment::matched;
use crate::recent::{seen_in_last, smallest};
use crate::removal::Removal;
use crate::stream_figures::{
    Batch, Judged, JudgedPage, PageFigures, SourceFigures, Storage, TableFigures, Templates, mean,
};
use dehusk_core::cleaning::{CleanOptions, Cleaner, Cleaning, Reading, Scratch};
use dehusk_core::streaming::block_rule::template_blocks;
use dehusk_core::streaming::detection::template;
use dehusk_core::streaming::evidence::StreamEvidence;
use dehusk_core::streaming::learner::{self, Learner};
use dehusk_core::streaming::segments::{TextSegment, segments};
use dehusk_core::streaming::table::{Count, SegmentTable, TableOptions};
use dehusk_core::tokens::MutableSet;
use dehusk_corpus::{Document, Inventory, SourceListing};
use dehusk_run::scoring::gold_texts::{Gold, GoldTexts, pairs};
use dehusk_run::scoring::words::{Bag, Word, word_hashes, words};

use dehusk_run::reading::read_documents;
use dehusk_run::workers::share_out_and_collect;
use dehusk_run::{Library, Observer, Result};

/// The memory that a segment takes, in bytes.
const SEGMENT_BYTES: u64 = 24;
/// A cache is as good as the table if it finds this share of what the table finds. The last few segments are far apart,
/// and can need twice as many pages.
const AS_MUCH: f64 = 0.99;

/// The means to measure each source.
pub struct Measuring<'a> {
    /// The documents, as whole pages.
    pub inventory: &'a Inventory,
    /// Their main texts.
    pub gold: &'a GoldTexts,
    /// The patterns that streaming is compared with.
    pub library: &'a Library,
    /// A cleaner without patterns.
    pub streaming: Cleaner,
    /// How documents are cleaned with patterns.
    pub cleaning: CleanOptions,
    /// The mutable patterns of segments.
    pub mutable: &'a MutableSet,
    /// The options of the table of segments.
    pub table: TableOptions,
    /// The first document after a redesign.
    pub redesign_at: Option<u32>,
    /// Who is told of progress.
    pub observer: &'a dyn Observer,
}

/// A document of a source.
struct MeasuredDocument<'a> {
    document: Document,
    reading: Reading,
    segments: Vec<TextSegment>,
    gold: Option<&'a Gold>,
    /// Its size in a cache.
    bytes: u64,
}

impl MeasuredDocument<'_> {
    /// The bytes of one of its segments.
    fn bytes_of(&self, segment: &TextSegment) -> Range<usize> {
        let tokens = &self.reading.tokens.tokens[segment.tokens.clone()];
        tokens[0].range().start..tokens[tokens.len() - 1].range().end
    }
}

impl AsRef<[TextSegment]> for MeasuredDocument<'_> {
    fn as_ref(&self) -> &[TextSegment] {
        &self.segments
    }
}

impl Measuring<'_> {
    /// Measures all sources that have gold text and documents, in the order of the listings.
    pub fn measure_all(&self, listings: &[SourceListing], threads: usize) -> Result<Vec<SourceFigures>> {
        let has_gold = |listing: &&SourceListing| self.gold.sources.contains_key(listing.id.as_str());
        let listings: Vec<&SourceListing> = listings.iter().filter(has_gold).collect();
        self.observer.start("measuring", listings.len().into());
        let measured = share_out_and_collect(threads, listings.len(), |index| {
            let figures = self.measure(listings[index])?;
            self.observer.step(1);
            Ok(figures)
        });
        self.observer.finish();
        measured
    }

    fn measure(&self, listing: &SourceListing) -> Result<SourceFigures> {
        let pages = self.pages(listing)?;
        let (known, table): (Vec<StreamEvidence>, Vec<TableFigures>) = self.learn(&pages).into_iter().unzip();
        let counts: Vec<Vec<Count>> = known.iter().map(|known| known.counts.clone()).collect();
        let mined = Cleaner::new(&self.library.for_source(listing.id.as_str()).files(), &self.cleaning);
        let judge = |scratch: &mut Scratch, index: usize| -> Result<Option<JudgedPage>> {
            self.observer.go_on()?;
            let page = &pages[index];
            page.gold.map(|gold| self.judge(page, &known[index], gold, &mined, scratch)).transpose()
        };
        let judged: Vec<Option<JudgedPage>> =
            (0..pages.len()).into_par_iter().map_init(Scratch::default, judge).collect::<Result<_>>()?;
        let storage = self.storage(&pages, &counts, &table);
        let figures = judged.into_iter().zip(table).map(|(judged, table)| PageFigures { judged, table });
        Ok(SourceFigures { source: listing.id.as_str().to_owned(), pages: figures.collect(), storage })
    }

    /// The documents of a source, in order.
    fn pages(&self, listing: &SourceListing) -> Result<Vec<MeasuredDocument<'_>>> {
        let documents = read_documents(self.inventory, &listing.documents, self.observer)?;
        let gold: BTreeMap<usize, &Gold> = (self.gold.sources.get(listing.id.as_str()).into_iter())
            .flat_map(|gold| pairs(gold, &documents))
            .filter_map(|pair| pair.document.map(|(index, _)| (index, pair.gold)))
            .collect();
        let read = |scratch: &mut Scratch, (index, document): (usize, Option<Document>)| {
            document.map(|document| self.page(document, gold.get(&index).copied(), scratch))
        };
        documents.into_par_iter().enumerate().map_init(Scratch::default, read).flatten().collect()
    }

    fn page<'g>(
        &self,
        document: Document,
        gold: Option<&'g Gold>,
        scratch: &mut Scratch,
    ) -> Result<MeasuredDocument<'g>> {
        let tree = document.tree.as_deref();
        let reading = self.streaming.read_page(scratch, &document.text, tree, &|| true)?;
        let segments = segments(&document.text, &reading.tokens, self.mutable, tree);
        let bytes = markup(&document).map_or(document.text.len(), |page| page.len()) as u64;
        Ok(MeasuredDocument { document, reading, segments, gold, bytes })
    }

    /// The evidence about each page when it arrives, and the size of the table at that time.
    fn learn(&self, pages: &[MeasuredDocument]) -> Vec<(StreamEvidence, TableFigures)> {
        let mut learner = Learner::new(SegmentTable::default(), self.table, true);
        let learn = |MeasuredDocument { document, reading, segments, .. }: &MeasuredDocument| {
            let tree = document.tree.as_deref();
            let known = learner
                .take(&[learner::SegmentedDocument { text: &document.text, reading, segments, tree }], &self.streaming);
            known.into_iter().zip([self.table_figures(learner.table())])
        };
        pages.iter().flat_map(learn).collect()
    }

    fn table_figures(&self, table: &SegmentTable) -> TableFigures {
        let texts = table.texts().filter_map(|(_, text)| text);
        let bytes_of_texts: usize = texts.map(|text| text.path.len() + text.text.len()).sum();
        TableFigures {
            segments: table.len(),
            bytes: table.len() as u64 * SEGMENT_BYTES + bytes_of_texts as u64,
            templates: self.redesign_at.map(|redesign| self.templates(table, redesign)),
        }
    }

    fn templates(&self, table: &SegmentTable, redesign: u32) -> Templates {
        let templates = table.ranked(&self.table).into_iter().map(|(_, entry)| entry);
        let mut templates = templates.filter(|entry| entry.is_template(&self.table.detection)).peekable();
        let (old, new): (Vec<_>, Vec<_>) = templates.by_ref().partition(|entry| entry.first < redesign);
        Templates { old: old.len(), new: new.len() }
    }

    /// Judges what each method removes from a document.
    fn judge(
        &self,
        page: &MeasuredDocument,
        known: &StreamEvidence,
        gold: &Gold,
        mined: &Cleaner,
        scratch: &mut Scratch,
    ) -> Result<JudgedPage> {
        let MeasuredDocument { document, reading, .. } = page;
        let text: &str = &document.text;
        let bag = Bag::of(text);
        let streamed = self.streaming.explain_with(text, reading, &known.recurring);
        let as_mined = mined.read_page(scratch, text, document.tree.as_deref(), &|| true)?;
        let batch = mined.explain(text, &as_mined);
        let whole_blocks = self.whole_blocks(page, &known.counts);
        let segments = self.template_segments(page, &known.counts);
        let texts = [
            streamed.strip(text),
            without(text, &segments),
            self.streaming.explain_by(reading, &whole_blocks).strip(text),
            batch.strip(text),
        ];
        let bytes = |cleaning: Cleaning| cleaning.spans.into_iter().map(|span| span.range).collect();
        let whole_blocks = whole_blocks.into_iter().map(|(range, _)| range).collect();
        let ranges: [Vec<Range<usize>>; 4] = [bytes(streamed), segments, whole_blocks, bytes(batch)];
        let blocks = JudgedBlocks::of(page, gold);
        Ok(JudgedPage {
            words: Judged::of(texts, |kept| Removal::of(&bag, &Bag::of(&kept), &gold.words)),
            blocks: Judged::of(ranges, |removed| blocks.judge(&removed)),
        })
    }

    /// The bytes of the template segments of a document, in order.
    fn template_segments(&self, page: &MeasuredDocument, counts: &[Count]) -> Vec<Range<usize>> {
        let is_template = template(&page.segments, counts, &self.table.detection);
        let going = page.segments.iter().zip(is_template).filter(|(_, is_template)| *is_template);
        going.map(|(segment, _)| page.bytes_of(segment)).collect()
    }

    /// The blocks that are removed by the plain rule.
    fn whole_blocks(&self, page: &MeasuredDocument, counts: &[Count]) -> Vec<(Range<usize>, f32)> {
        let MeasuredDocument { document, reading, segments, .. } = page;
        let tree = document.tree.as_deref();
        template_blocks(&document.text, &reading.tokens, tree, segments, counts, &self.table.detection)
    }

    /// The result of removing template segments and nothing else.
    fn detected(&self, page: &MeasuredDocument, counts: &[Count], words: &Bag, gold: &Gold) -> Removal {
        let kept = without(&page.document.text, &self.template_segments(page, counts));
        Removal::of(words, &Bag::of(&kept), &gold.words)
    }

    /// How much must be stored, by the stream and by other methods.
    fn storage(&self, pages: &[MeasuredDocument], counts: &[Vec<Count>], table: &[TableFigures]) -> Storage {
        let half = pages.len() / 2;
        Storage {
            table: mean(table[half..].iter().map(|table| table.bytes as f64)).unwrap_or(0.0),
            half: pages[..half].iter().map(|page| page.bytes).sum(),
            batch: self.batch(pages, &counts[half..], half),
        }
    }

    /// The smallest cache of pages that detects nearly as much of the last half as the table does.
    fn batch(&self, pages: &[MeasuredDocument], counts: &[Vec<Count>], half: usize) -> Option<Batch> {
        let words: Vec<Bag> = pages[half..].par_iter().map(|page| Bag::of(&page.document.text)).collect();
        let right = |counts: &[Vec<Count>]| -> usize {
            let last = pages[half..].par_iter().zip(counts).zip(&words);
            let right = |((page, counts), words): ((&MeasuredDocument, &Vec<Count>), &Bag)| {
                page.gold.map_or(0, |gold| self.detected(page, counts, words, gold).right)
            };
            last.map(right).sum()
        };
        let wanted = right(counts);
        let is_enough = |cached| right(&seen_in_last(cached, pages)[half..]) as f64 >= AS_MUCH * wanted as f64;
        let cached = smallest(pages.len(), is_enough).filter(|_| wanted > 0)?;
        let windows = (half + 1..=pages.len()).map(|end| &pages[end.saturating_sub(cached)..end]);
        let bytes = mean(windows.map(|window| window.iter().map(|page| page.bytes as f64).sum()))?;
        Some(Batch { pages: cached, bytes })
    }
}

/// The markup of a page as it was read.
fn markup(document: &Document) -> Option<String> {
    document.page.as_ref().map(|page| page.markup().to_owned())
}

/// The blocks of a document, and which of them are boilerplate by its gold text.
struct JudgedBlocks {
    /// The first bytes of the words of each block, and whether it is boilerplate.
    blocks: Vec<(Vec<usize>, bool)>,
}

impl JudgedBlocks {
    /// A word of the document is gold if it is in the longest common subsequence of both texts. A word counts for the
    /// block in which it begins.
    fn of(page: &MeasuredDocument, gold: &Gold) -> JudgedBlocks {
        let words: Vec<Word> = words(&page.document.text).collect();
        let hashes: Vec<u64> = words.iter().map(|word| word.hash).collect();
        let mut is_gold = vec![false; words.len()];
        matched(&hashes, &word_hashes(&gold.text)).into_iter().for_each(|word| is_gold[word] = true);
        let before = |limit: usize| words.partition_point(|word| word.range.start < limit);
        let block = |segments: &[TextSegment]| {
            let (first, last) = (page.bytes_of(&segments[0]), page.bytes_of(&segments[segments.len() - 1]));
            let inside = before(first.start)..before(last.end);
            let gold = is_gold[inside.clone()].iter().filter(|&&is_gold| is_gold).count();
            let starts: Vec<usize> = words[inside].iter().map(|word| word.range.start).collect();
            let is_template = 2 * gold < starts.len();
            (!starts.is_empty()).then_some((starts, is_template))
        };
        JudgedBlocks { blocks: page.segments.chunk_by(|a, b| a.block == b.block).filter_map(block).collect() }
    }

    /// Counts the blocks that are removed with these bytes, which are in order.
    fn judge(&self, removed: &[Range<usize>]) -> Removal {
        let goes = |start: &&usize| {
            let after = removed.partition_point(|range| range.end <= **start);
            removed.get(after).is_some_and(|range| range.contains(*start))
        };
        let of_block = |(starts, is_template): &(Vec<usize>, bool)| {
            let is_removed = 2 * starts.iter().filter(goes).count() > starts.len();
            Removal {
                removed: usize::from(is_removed),
                right: usize::from(is_removed && *is_template),
                boilerplate: usize::from(*is_template),
            }
        };
        Removal::sum(self.blocks.iter().map(of_block))
    }
}

/// The text without some stretches, which are given in order.
fn without(text: &str, stretches: &[Range<usize>]) -> String {
    let (mut kept, mut at) = (String::with_capacity(text.len()), 0);
    for &Range { start, end } in stretches {
        kept += &text[at..start.max(at)];
        kept.push('\n');
        at = end.max(at);
    }
    kept + &text[at..]
}
