//! Template detection as pages come, as published: a table of segments against cached pages and against a site style
//! tree.
//!
//! Each method gets the pages of a source in order, and finds the boilerplate of each page from this page and the pages
//! before it. Each method is tuned so that its recall is as near as possible to the wanted recall. Then precision and
//! storage can be compared. Removals are judged by words, with gold text.

use std::collections::HashSet;
use std::io::Write as _;
use std::ops::{AddAssign, Range};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_core::cleaning::{CleanOptions, Cleaner, Reading, Scratch};
use dehusk_core::dom::block_model::BlockModel;
use dehusk_core::html::Tree;
use dehusk_core::patterns::PatternFile;
use dehusk_core::shown::size;
use dehusk_core::streaming::Detection;
use dehusk_core::streaming::block_rule::template_blocks;
use dehusk_core::streaming::detection::template;
use dehusk_core::streaming::learner::{Learner, SegmentedDocument};
use dehusk_core::streaming::segments::{TextSegment, segments};
use dehusk_core::streaming::table::{Count, SegmentTable, TableOptions};
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::{Document, HtmlView};
use dehusk_lab::removal::Removal;
use dehusk_run::Observer;
use dehusk_run::scoring::gold_texts::Gold;
use dehusk_run::scoring::words::{Bag, Word, words};
use dehusk_run::stream::MAX_SEGMENTS;

use super::corpus::CorpusArgs;
use super::page_cache::{Counts, recurring_subtrees, recurring_windows, windows};
use super::style_tree::{StyleTree, noise};
use super::treatments::block_model;
use dehusk::cli::table::{Table, decimal};

/// Options of this experiment.
#[derive(Args, Debug)]
pub struct TemplatesArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Judge the blocks of pages with this model, in `stream` [default: the shipped one]
    #[arg(long, value_name = "FILE")]
    block_model: Option<PathBuf>,
    /// Tune each method to a recall as near as possible to this
    #[arg(long, value_name = "SHARE", default_value_t = 0.8)]
    recall: f64,
    /// Score no page of a source before this one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    from_page: u64,
}

/// A segment of a table, in bytes.
const SEGMENT_BYTES: u64 = 24;
/// If several settings are this near to the wanted recall, the one with the best precision is taken.
const NEAR: f64 = 0.02;
/// Precision that must be reached where recall is compared at the same storage.
const PRECISE: f64 = 0.95;
/// The amounts of storage that are compared: so many times the bytes of the table.
const TIMES: [u64; 4] = [1, 4, 16, 64];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Method {
    /// `dehusk stream`.
    Stream,
    /// `dehusk stream --no-structure`.
    StreamAsText,
    /// Template segments, and nothing else.
    Segments,
    /// Whole blocks: Wang et al. Blocks are nested, and parts of segments that vary are compared by their names.
    WholeBlocks,
    /// The same, but a segment is only equal to a segment with the same words, as published.
    LiteralBlocks,
    /// The same, but a block ends where another one begins.
    FlatBlocks,
    /// Whole blocks, and a segment is forgotten if it has not been seen for some pages.
    ForgottenBlocks,
    /// Windows of words that recur on cached pages: Gibson et al., by text.
    Windows,
    /// Subtrees that recur on cached pages: Gibson et al., by elements.
    Subtrees,
    /// The style tree of the pages so far: Yi et al.
    StyleTree,
    /// The style tree of all pages of the source, also later ones, as it was published.
    WholeStyleTree,
}

/// The parameters of a method. Each uses some of them.
#[derive(Clone, Copy, Debug, Serialize)]
struct Setting {
    /// Number of documents from which on something recurs.
    documents: u32,
    /// The share of a block that must be boilerplate, or the importance below which an element is noise.
    share: f64,
    /// Number of words of a window.
    words: usize,
    /// Cached pages, the current one included.
    cached: usize,
    /// Pages after which a segment of one page is forgotten: Tb. 0 if none is forgotten.
    lifetime: u32,
}

/// How many pages are cached when a page comes.
#[derive(Clone, Copy)]
enum Cache<'a> {
    /// As the setting says.
    OfSetting,
    /// As many pages as take at most so many bytes. There is a number of bytes for each page.
    Within(&'a [u64]),
}

impl Method {
    const ALL: [Method; 11] = [
        Method::Stream,
        Method::StreamAsText,
        Method::Segments,
        Method::WholeBlocks,
        Method::LiteralBlocks,
        Method::FlatBlocks,
        Method::ForgottenBlocks,
        Method::Windows,
        Method::Subtrees,
        Method::StyleTree,
        Method::WholeStyleTree,
    ];
    /// The methods that also work with less storage.
    const CACHED: [Method; 3] = [Method::Windows, Method::Subtrees, Method::StyleTree];

    fn name(self) -> &'static str {
        match self {
            Method::Stream => "stream",
            Method::StreamAsText => "stream, without structure",
            Method::Segments => "segments alone",
            Method::WholeBlocks => "whole blocks (Wang)",
            Method::LiteralBlocks => "whole blocks, same words",
            Method::FlatBlocks => "whole blocks, flat",
            Method::ForgottenBlocks => "whole blocks, forgotten",
            Method::Windows => "shingles of cached pages (Gibson)",
            Method::Subtrees => "subtrees of cached pages (Gibson)",
            Method::StyleTree => "style tree so far (Yi)",
            Method::WholeStyleTree => "style tree of all pages (Yi)",
        }
    }

    /// The settings that are tried.
    fn settings(self, cache: Cache) -> Vec<Setting> {
        const NONE: Setting = Setting { documents: 0, share: 0.0, words: 0, cached: 0, lifetime: 0 };
        let cached: &[usize] = match cache {
            Cache::OfSetting => &[5, 10, 20, 50],
            Cache::Within(_) => &[0],
        };
        let with_documents = |numbers: &[u32]| -> Vec<Setting> {
            numbers.iter().map(|&documents| Setting { documents, ..NONE }).collect()
        };
        let with_shares = |settings: Vec<Setting>, shares: &[f64]| -> Vec<Setting> {
            settings.iter().flat_map(|&setting| shares.iter().map(move |&share| Setting { share, ..setting })).collect()
        };
        let with_cached = |settings: Vec<Setting>| -> Vec<Setting> {
            settings
                .iter()
                .flat_map(|&setting| cached.iter().map(move |&cached| Setting { cached, ..setting }))
                .collect()
        };
        match self {
            Method::Stream | Method::StreamAsText => with_documents(&[2, 3, 4, 5, 7, 10]),
            Method::Segments => with_shares(with_documents(&[2, 3, 4, 5, 7, 10]), &[0.5, 0.7, 0.9]),
            Method::WholeBlocks | Method::LiteralBlocks | Method::FlatBlocks => {
                with_shares(with_documents(&[2, 3, 4, 5, 7, 10]), &[0.3, 0.5, 0.7, 0.8, 0.9])
            }
            Method::ForgottenBlocks => {
                let settings = Method::WholeBlocks.settings(cache);
                settings.iter().flat_map(|&it| [2, 5, 10].map(|lifetime| Setting { lifetime, ..it })).collect()
            }
            Method::Windows => {
                let settings = with_cached(with_documents(&[2, 3, 5]));
                settings.iter().flat_map(|&it| [1, 2, 4, 8].map(|words| Setting { words, ..it })).collect()
            }
            Method::Subtrees => with_cached(with_documents(&[2, 3, 5])),
            Method::StyleTree | Method::WholeStyleTree => with_shares(
                vec![NONE],
                &[0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0],
            ),
        }
    }

    fn in_words(self, Setting { documents, share, words, cached, lifetime }: Setting) -> String {
        match self {
            Method::Stream | Method::StreamAsText => format!("{documents} documents"),
            Method::Segments | Method::WholeBlocks | Method::LiteralBlocks | Method::FlatBlocks => {
                format!("{documents} documents, share {share}")
            }
            Method::ForgottenBlocks => format!("{documents} documents, share {share}, after {lifetime} pages"),
            Method::Windows => format!("{words} words on {documents} of {cached} pages"),
            Method::Subtrees => format!("on {documents} of {cached} pages"),
            Method::StyleTree | Method::WholeStyleTree => format!("importance below {share}"),
        }
    }
}

/// A page, read and divided for all methods.
struct Page<'a> {
    document: &'a Document,
    gold: Option<&'a Gold>,
    reading: Reading,
    segments: Vec<TextSegment>,
    /// The page, divided without patterns of what varies.
    literal: (Reading, Vec<TextSegment>),
    bag: Bag,
    words: Vec<Word>,
    subtrees: Vec<u64>,
    /// Bytes of the page in a cache, compressed.
    stored: u64,
}

/// The means to read pages.
struct Readers {
    structured: Cleaner,
    as_text: Cleaner,
    mutable: Arc<MutableSet>,
    /// A reader without patterns of what varies.
    literal: Cleaner,
    nothing: Arc<MutableSet>,
}

impl Readers {
    fn new(model: Arc<BlockModel>) -> Readers {
        let mutable = Arc::new(MutableSet::shipped());
        let file = PatternFile::empty("stream", &Lexer::new(Tokenizer::Words, Arc::clone(&mutable)));
        let options = CleanOptions::default().structure(Some(model));
        let as_text = Cleaner::new(&[&file], &options.clone().structure(None));
        let nothing = Arc::new(MutableSet::none());
        let file_of_words = PatternFile::empty("stream", &Lexer::new(Tokenizer::Words, Arc::clone(&nothing)));
        let literal = Cleaner::new(&[&file_of_words], &options.clone().structure(None));
        Readers { structured: Cleaner::new(&[&file], &options), as_text, mutable, literal, nothing }
    }

    fn page<'a>(&self, document: &'a Document, gold: Option<&'a Gold>) -> anyhow::Result<Page<'a>> {
        let (text, tree): (&str, _) = (&document.text, document.tree.as_deref());
        let reading = self.structured.read_page(&mut Scratch::default(), text, tree, &|| true)?;
        let literal = self.literal.read_page(&mut Scratch::default(), text, tree, &|| true)?;
        let of_words = segments(text, &literal.tokens, &self.nothing, tree);
        let segments = segments(text, &reading.tokens, &self.mutable, tree);
        let markup = document.page.as_ref().map(|page| page.markup().to_owned());
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(markup.as_deref().unwrap_or(text).as_bytes())?;
        let stored = encoder.finish()?.len() as u64;
        let subtrees = tree.map_or_else(Vec::new, |tree| tree.subtree_hashes(text));
        let (bag, words) = (Bag::of(text), words(text).collect());
        let literal = (literal, of_words);
        Ok(Page { document, gold, reading, segments, literal, bag, words, subtrees, stored })
    }
}

impl Page<'_> {
    fn text(&self) -> &str {
        &self.document.text
    }

    fn tree(&self) -> Option<&Tree> {
        self.document.tree.as_deref()
    }

    /// The segments, and the tokens that they consist of.
    fn divided(&self, method: Method) -> (&Reading, &[TextSegment]) {
        match method {
            Method::LiteralBlocks => (&self.literal.0, &self.literal.1),
            _ => (&self.reading, &self.segments),
        }
    }

    fn segmented(&self, method: Method) -> SegmentedDocument<'_> {
        let (reading, segments) = self.divided(method);
        SegmentedDocument { text: self.text(), reading, segments, tree: self.tree() }
    }

    fn bytes_of(&self, segment: &TextSegment) -> Range<usize> {
        let tokens = &self.reading.tokens.tokens[segment.tokens.clone()];
        tokens[0].range().start..tokens[tokens.len() - 1].range().end
    }

    /// Judges a removal of these bytes, which are in order.
    fn judge(&self, gold: &Gold, removed: &[Range<usize>]) -> Removal {
        let (mut kept, mut at) = (String::new(), 0);
        for range in removed {
            kept += &self.text()[at..range.start.max(at)];
            kept.push('\n');
            at = range.end.max(at);
        }
        kept += &self.text()[at..];
        Removal::of(&self.bag, &Bag::of(&kept), &gold.words)
    }
}

/// The pages of a source, and the means to detect their templates.
struct Source<'a> {
    pages: Vec<Page<'a>>,
    readers: &'a Readers,
}

/// Takes the removal from a page by a setting: index of the setting, index of the page, bytes removed, bytes stored.
type Take<'t> = dyn FnMut(usize, usize, Vec<Range<usize>>, u64) + 't;

impl Source<'_> {
    /// Calls `take` with the removal from each page by a method, for each setting.
    fn detect(&self, method: Method, cache: Cache, take: &mut Take) {
        let settings = method.settings(cache);
        match method {
            Method::Stream
            | Method::StreamAsText
            | Method::Segments
            | Method::WholeBlocks
            | Method::LiteralBlocks
            | Method::FlatBlocks
            | Method::ForgottenBlocks => {
                for (number, setting) in settings.iter().enumerate() {
                    self.by_table(method, setting, &mut |page, removed, stored| take(number, page, removed, stored));
                }
            }
            Method::Windows => {
                for (number, setting) in settings.iter().enumerate() {
                    let of_page = |page: &Page| windows(&page.words, setting.words);
                    let hashes: Vec<Vec<u64>> = self.pages.iter().map(of_page).collect();
                    let found = |page: usize, counts: &Counts| {
                        let Setting { words, documents, .. } = *setting;
                        recurring_windows(&self.pages[page].words, &hashes[page], words, counts, documents)
                    };
                    self.by_cache(setting, cache, &hashes, &found, &mut |page, removed, stored| {
                        take(number, page, removed, stored);
                    });
                }
            }
            Method::Subtrees => {
                let hashes: Vec<Vec<u64>> = self.pages.iter().map(|page| page.subtrees.clone()).collect();
                for (number, setting) in settings.iter().enumerate() {
                    let found = |page: usize, counts: &Counts| match self.pages[page].tree() {
                        Some(tree) => recurring_subtrees(tree, &hashes[page], counts, setting.documents),
                        None => Vec::new(),
                    };
                    self.by_cache(setting, cache, &hashes, &found, &mut |page, removed, stored| {
                        take(number, page, removed, stored);
                    });
                }
            }
            Method::StyleTree => self.by_style_tree(&settings, cache, take),
            Method::WholeStyleTree => self.by_whole_style_tree(&settings, take),
        }
    }

    fn by_table(&self, method: Method, setting: &Setting, take: &mut dyn FnMut(usize, Vec<Range<usize>>, u64)) {
        let is_stream = matches!(method, Method::Stream | Method::StreamAsText);
        let detection = match is_stream {
            true => Detection { evidence_documents: setting.documents, ..Detection::default() },
            false => {
                Detection { template_documents: setting.documents, block_share: setting.share, ..Detection::default() }
            }
        };
        let mut options = TableOptions { detection, max_segments: Some(MAX_SEGMENTS), ..TableOptions::default() };
        if setting.lifetime > 0 {
            options.lifetime.base = f64::from(setting.lifetime);
        }
        let mut learner = Learner::new(SegmentTable::default(), options, true);
        let Readers { structured, as_text, literal, .. } = self.readers;
        let reader = if method == Method::LiteralBlocks { literal } else { structured };
        for (number, page) in self.pages.iter().enumerate() {
            let Some(known) = learner.take(&[page.segmented(method)], reader).pop() else { continue };
            let (text, (reading, segments)) = (page.text(), page.divided(method));
            let cleaned = |cleaner: &Cleaner| {
                let cleaning = cleaner.explain_with(text, reading, &known.recurring);
                cleaning.spans.into_iter().map(|span| span.range).collect()
            };
            let removed = match method {
                Method::Stream => cleaned(structured),
                Method::StreamAsText => cleaned(as_text),
                Method::Segments => {
                    let is_template = template(segments, &known.counts, &detection);
                    let going = segments.iter().zip(is_template).filter(|(_, is_template)| *is_template);
                    going.map(|(segment, _)| page.bytes_of(segment)).collect()
                }
                Method::FlatBlocks => flat_blocks(segments, &known.counts, setting)
                    .into_iter()
                    .map(|of_block| {
                        page.bytes_of(&segments[of_block.start]).start..page.bytes_of(&segments[of_block.end - 1]).end
                    })
                    .collect(),
                _ => {
                    let found =
                        template_blocks(text, &reading.tokens, page.tree(), segments, &known.counts, &detection);
                    found.into_iter().map(|(range, _)| range).collect()
                }
            };
            let table = learner.table();
            let texts = table.texts().filter_map(|(_, text)| text).map(|text| text.path.len() + text.text.len());
            let stored = SEGMENT_BYTES * table.len() as u64 + texts.sum::<usize>() as u64;
            take(number, removed, stored);
        }
    }

    /// The first cached page when a page comes: all pages from there to this page fit into the cache. The current page
    /// needs no storage.
    fn first_cached(&self, page: usize, setting: &Setting, cache: Cache) -> usize {
        match cache {
            Cache::OfSetting => (page + 1).saturating_sub(setting.cached),
            Cache::Within(bytes) => {
                let mut room = bytes[page];
                let fits = |before: &usize| match room.checked_sub(self.pages[*before].stored) {
                    Some(rest) => {
                        room = rest;
                        true
                    }
                    None => false,
                };
                page - (0..page).rev().take_while(fits).count()
            }
        }
    }

    fn by_cache(
        &self,
        setting: &Setting,
        cache: Cache,
        hashes: &[Vec<u64>],
        found: &dyn Fn(usize, &Counts) -> Vec<Range<usize>>,
        take: &mut dyn FnMut(usize, Vec<Range<usize>>, u64),
    ) {
        let sets: Vec<HashSet<u64>> = hashes.iter().map(|hashes| hashes.iter().copied().collect()).collect();
        let (mut counts, mut first) = (Counts::default(), 0);
        for page in 0..self.pages.len() {
            counts.add(&sets[page]);
            let wanted = self.first_cached(page, setting, cache);
            while first < wanted {
                counts.drop(&sets[first]);
                first += 1;
            }
            while first > wanted {
                first -= 1;
                counts.add(&sets[first]);
            }
            let stored = self.pages[first..page].iter().map(|page| page.stored).sum();
            take(page, found(page, &counts), stored);
        }
    }

    fn by_style_tree(&self, settings: &[Setting], cache: Cache, take: &mut Take) {
        let mut so_far = StyleTree::default();
        for (number, page) in self.pages.iter().enumerate() {
            let Some(tree) = page.tree() else { continue };
            let own;
            let (site, merged) = match cache {
                Cache::OfSetting => {
                    let merged = so_far.merge(page.text(), tree);
                    (&so_far, merged)
                }
                Cache::Within(bytes) => {
                    let merged;
                    (own, merged) = self.style_tree_within(number, bytes[number]);
                    (&own, merged)
                }
            };
            let greatest = site.greatest(&site.importance());
            for (index, setting) in settings.iter().enumerate() {
                take(index, number, noise(tree, &merged, &greatest, setting.share), site.bytes());
            }
        }
    }

    /// The style tree of the last pages that takes at most these bytes, and the elements of the current page in it.
    fn style_tree_within(&self, page: usize, bytes: u64) -> (StyleTree, Vec<usize>) {
        let (mut site, mut of_current, mut merged) = (StyleTree::default(), Vec::new(), 0);
        for before in self.pages[..=page].iter().rev() {
            let elements = before.tree().map(|tree| site.merge(before.text(), tree)).unwrap_or_default();
            if merged == 0 {
                of_current = elements;
            } else if site.bytes() > bytes {
                // Merging cannot be undone.
                return self.style_tree_of(page + 1 - merged..page + 1);
            }
            merged += 1;
        }
        (site, of_current)
    }

    /// The style tree of some pages, and the elements of the last one in it.
    fn style_tree_of(&self, pages: Range<usize>) -> (StyleTree, Vec<usize>) {
        let (mut site, mut of_last) = (StyleTree::default(), Vec::new());
        for page in &self.pages[pages] {
            of_last = page.tree().map(|tree| site.merge(page.text(), tree)).unwrap_or_default();
        }
        (site, of_last)
    }

    fn by_whole_style_tree(&self, settings: &[Setting], take: &mut Take) {
        let mut site = StyleTree::default();
        let of_page = |page: &Page| page.tree().map(|tree| site.merge(page.text(), tree));
        let merged: Vec<Option<Vec<usize>>> = self.pages.iter().map(of_page).collect();
        let greatest = site.greatest(&site.importance());
        for (number, (page, merged)) in self.pages.iter().zip(merged).enumerate() {
            let (Some(tree), Some(merged)) = (page.tree(), merged) else { continue };
            for (index, setting) in settings.iter().enumerate() {
                take(index, number, noise(tree, &merged, &greatest, setting.share), site.bytes());
            }
        }
    }

    /// The sums of a method over the pages from `from_page` on, for each setting. Each page also adds the bytes that
    /// are stored when it comes.
    fn totals(&self, method: Method, cache: Cache, from_page: usize) -> Vec<Totals> {
        let mut totals = vec![Totals::default(); method.settings(cache).len()];
        self.detect(method, cache, &mut |setting, page, removed, stored| {
            if page + 1 >= from_page
                && let Some(gold) = self.pages[page].gold
            {
                totals[setting].add(&self.pages[page].judge(gold, &removed), stored);
            }
        });
        totals
    }

    /// The bytes of a table when each page comes.
    fn bytes_of_table(&self, setting: &Setting) -> Vec<u64> {
        let mut bytes = Vec::new();
        self.by_table(Method::WholeBlocks, setting, &mut |_, _, stored| bytes.push(stored));
        bytes
    }
}

/// The blocks that go: for each, its segments. A block goes if the recurring segments are more than the wanted share of
/// it, by length.
fn flat_blocks(segments: &[TextSegment], counts: &[Count], setting: &Setting) -> Vec<Range<usize>> {
    let (mut going, mut start) = (Vec::new(), 0);
    for block in segments.chunk_by(|a, b| a.block == b.block) {
        let range = start..start + block.len();
        let length = |of: &dyn Fn(usize) -> bool| -> u64 {
            range.clone().filter(|&at| of(at)).map(|at| u64::from(segments[at].length)).sum()
        };
        let recurring = length(&|at| counts[at].documents >= setting.documents);
        if recurring as f64 > setting.share * length(&|_| true) as f64 {
            going.push(range.clone());
        }
        start = range.end;
    }
    going
}

/// Sums over pages.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    pages: usize,
    precision: f64,
    with_precision: usize,
    recall: f64,
    with_recall: usize,
    stored: f64,
}

impl Totals {
    fn add(&mut self, removal: &Removal, stored: u64) {
        self.pages += 1;
        self.stored += stored as f64;
        if let Some(precision) = removal.precision() {
            (self.precision, self.with_precision) = (self.precision + precision, self.with_precision + 1);
        }
        if let Some(recall) = removal.recall() {
            (self.recall, self.with_recall) = (self.recall + recall, self.with_recall + 1);
        }
    }

    fn result(&self, method: Method, setting: Setting) -> Outcome {
        let precision = self.precision / self.with_precision.max(1) as f64;
        let recall = self.recall / self.with_recall.max(1) as f64;
        let f1 = if recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
        let stored = self.stored / self.pages.max(1) as f64;
        Outcome { method, setting, precision, recall, f1, stored }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.pages += other.pages;
        self.precision += other.precision;
        self.with_precision += other.with_precision;
        self.recall += other.recall;
        self.with_recall += other.with_recall;
        self.stored += other.stored;
    }
}

/// The result of a method with a setting, on average over the pages.
#[derive(Clone, Copy, Debug, Serialize)]
struct Outcome {
    method: Method,
    setting: Setting,
    /// The mean over the pages from which the method removes anything.
    precision: f64,
    recall: f64,
    f1: f64,
    /// Bytes for a source.
    stored: f64,
}

/// The output of the experiment.
#[derive(Serialize)]
struct Comparison {
    pages: usize,
    sources: usize,
    wanted_recall: f64,
    /// Each method, tuned.
    tuned: Vec<Outcome>,
    /// Each method, with the setting that has the most recall of those with enough precision.
    precise: Vec<Outcome>,
    /// The same for methods with a cache, at so many times the bytes of the table.
    at_storage: Vec<(u64, Vec<Option<Outcome>>)>,
}

/// Runs the experiment.
pub fn run(args: &TemplatesArgs, observer: &dyn Observer) -> anyhow::Result<String> {
    let corpus = args.corpus.corpus(HtmlView::Page, observer)?;
    let documents: Vec<_> = corpus.sources(observer).collect::<anyhow::Result<_>>()?;
    let readers = Readers::new(block_model(args.block_model.as_deref())?);
    let from_page = args.from_page as usize;
    let read = |source| -> anyhow::Result<Source> {
        let gold = corpus.with_gold(source);
        let gold_of =
            |document: &Document| gold.iter().find(|(_, other)| std::ptr::eq(*other, document)).map(|it| it.0);
        let pages = source.all().map(|document| readers.page(document, gold_of(document)));
        Ok(Source { pages: pages.collect::<anyhow::Result<_>>()?, readers: &readers })
    };
    let sources: Vec<Source> = documents.par_iter().map(read).collect::<anyhow::Result<_>>()?;

    let summed = |method: Method, of: &(dyn Fn(&Source) -> Vec<Totals> + Sync), cache: Cache| -> Vec<Outcome> {
        let by_source: Vec<Vec<Totals>> = sources.par_iter().map(of).collect();
        let settings = method.settings(cache).into_iter().enumerate();
        let sum = |(index, setting)| {
            let mut sum = Totals::default();
            by_source.iter().for_each(|totals| sum += totals[index]);
            sum.result(method, setting)
        };
        settings.map(sum).collect()
    };

    let tried: Vec<Vec<Outcome>> = Method::ALL
        .iter()
        .map(|&method| summed(method, &|source| source.totals(method, Cache::OfSetting, from_page), Cache::OfSetting))
        .collect();
    let tuned: Vec<Outcome> = tried.iter().filter_map(|outcomes| nearest(outcomes, args.recall)).collect();
    let scored = sources.iter().flat_map(|source| source.pages.iter().skip(from_page - 1));
    let pages = scored.filter(|page| page.gold.is_some()).count();
    ensure!(pages > 0, "no page to score: no source has gold text for its page {from_page} or a later one");

    let table = tuned.iter().find(|outcome| outcome.method == Method::WholeBlocks).map(|outcome| outcome.setting);
    let at_storage = TIMES.map(|times| {
        let of_method = |method: Method| {
            let of = |source: &Source| {
                let bytes = table.map_or_else(Vec::new, |setting| source.bytes_of_table(&setting));
                let bytes: Vec<u64> = bytes.into_iter().map(|bytes| times * bytes).collect();
                source.totals(method, Cache::Within(&bytes), from_page)
            };
            most_recall(&summed(method, &of, Cache::Within(&[])))
        };
        (times, Method::CACHED.map(of_method).to_vec())
    });

    let precise = tried.iter().filter_map(|outcomes| most_recall(outcomes)).collect();
    let sources = sources.iter().filter(|source| source.pages.iter().any(|page| page.gold.is_some())).count();
    let comparison =
        Comparison { pages, sources, wanted_recall: args.recall, tuned, precise, at_storage: at_storage.to_vec() };
    args.corpus.told(&comparison, Comparison::to_text)
}

/// The setting with the best precision of those whose recall is near to the wanted one; of equal ones, the one with the
/// least storage. If none is near, the setting with the nearest recall.
fn nearest(outcomes: &[Outcome], wanted: f64) -> Option<Outcome> {
    let distance = |outcome: &Outcome| (outcome.recall - wanted).abs();
    let near = outcomes.iter().filter(|outcome| distance(outcome) <= NEAR);
    let best = near.max_by(|a, b| a.precision.total_cmp(&b.precision).then(b.stored.total_cmp(&a.stored)));
    best.or_else(|| outcomes.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))).copied()
}

/// The setting with the most recall of those that are precise enough.
fn most_recall(outcomes: &[Outcome]) -> Option<Outcome> {
    let precise = outcomes.iter().filter(|outcome| outcome.precision >= PRECISE && outcome.recall > 0.0);
    precise.max_by(|a, b| a.recall.total_cmp(&b.recall).then(b.stored.total_cmp(&a.stored))).copied()
}

impl Comparison {
    fn to_text(&self) -> String {
        let heads = ["precision", "recall", "F1", "stored"];
        let of = |title: String, outcomes: &[Outcome]| {
            let mut table = Table::default().words(&title).words("parameters").figures(heads);
            for Outcome { method, setting, precision, recall, f1, stored } in outcomes {
                let figures = [precision, recall, f1].map(|figure| decimal(*figure, 3));
                let words = [method.name().to_owned(), method.in_words(*setting)];
                table.row(words.into_iter().chain(figures).chain([size(*stored as u64)]));
            }
            table
        };
        let tuned = of(format!("recall nearest to {}", self.wanted_recall), &self.tuned);
        let precise = of(format!("most recall at precision {PRECISE}"), &self.precise);
        let heads: Vec<String> = TIMES.iter().map(|times| format!("{times} x")).collect();
        let mut storage =
            Table::default().words("recall at so many times the table").figures(heads.iter().map(String::as_str));
        for (index, method) in Method::CACHED.iter().enumerate() {
            let recall = |(_, outcomes): &(u64, Vec<Option<Outcome>>)| {
                outcomes[index].map_or("-".to_owned(), |outcome| decimal(outcome.recall, 3))
            };
            storage.row([method.name().to_owned()].into_iter().chain(self.at_storage.iter().map(recall)));
        }
        format!("{tuned}\n{precise}\n{storage}\n{} pages of {} sources\n", self.pages, self.sources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::streaming::segments::SegmentKey;

    fn outcome(recall: f64, precision: f64) -> Outcome {
        let setting = Setting { documents: 2, share: 0.0, words: 0, cached: 0, lifetime: 0 };
        Outcome { method: Method::Segments, setting, precision, recall, f1: 0.0, stored: 0.0 }
    }

    #[test]
    fn of_settings_that_are_near_the_most_precise_is_taken() {
        let outcomes = [outcome(0.5, 1.0), outcome(0.8, 0.9), outcome(0.81, 0.95), outcome(0.83, 0.99)];
        assert_eq!(nearest(&outcomes, 0.8).map(|outcome| outcome.recall), Some(0.81));
        assert_eq!(nearest(&outcomes, 0.6).map(|outcome| outcome.recall), Some(0.5), "none is near");
        assert_eq!(most_recall(&outcomes).map(|outcome| outcome.recall), Some(0.83));
        assert!(most_recall(&[outcome(0.9, 0.5)]).is_none());
    }

    #[test]
    fn a_flat_block_goes_if_more_than_the_share_of_it_recurs() {
        let segment = |block: u32, length: u32| TextSegment {
            key: SegmentKey(0),
            text: SegmentKey(0),
            tokens: 0..1,
            block,
            length,
        };
        let segments = [segment(0, 7), segment(0, 3), segment(2, 8), segment(2, 2), segment(3, 1)];
        let counts = [5, 1, 5, 4, 1].map(|documents| Count { documents, pages: 9 });
        let setting = Setting { documents: 5, share: 0.7, ..outcome(0.0, 0.0).setting };
        assert_eq!(
            flat_blocks(&segments, &counts, &setting),
            std::slice::from_ref(&(2..4)),
            "exactly the share is too little"
        );
        assert!(flat_blocks(&[], &[], &setting).is_empty());
    }

    #[test]
    fn pages_count_alike_however_long_they_are() {
        let mut totals = Totals::default();
        totals.add(&Removal { removed: 10, right: 10, boilerplate: 20 }, 100);
        totals.add(&Removal { removed: 0, right: 0, boilerplate: 200 }, 300);
        let Outcome { precision, recall, stored, .. } = totals.result(Method::Segments, outcome(0.0, 0.0).setting);
        assert_eq!((precision, recall, stored), (1.0, 0.25, 200.0));
    }
}
