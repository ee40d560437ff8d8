//! Lessons about blocks, from pages with gold text ([`block_model`](dehusk_core::dom::block_model)).
//!
//! A block is content if at least half of its words are in the gold text. Gold texts disagree whether headline, author and
//! date belong to them, so these blocks have no label.

use rayon::prelude::*;

use super::alignment::matched;
use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::dom::block_model::Lesson;
use dehusk_core::dom::blocks::Blocks;
use dehusk_core::dom::page_parts::{PagePart, PageParts};
use dehusk_core::mining::Mined;
use dehusk_core::tokens::Lexer;
use dehusk_corpus::{Document, HtmlView, Inventory, SourceListing};
use dehusk_run::CorpusMineOptions;
use dehusk_run::left_out::tell_of_skipped;
use dehusk_run::mine::mining::mine_library;
use dehusk_run::reading::read_documents;
use dehusk_run::scoring::gold_texts::{Gold, GoldTexts};
use dehusk_run::scoring::score::MIN_GOLD_WORDS;
use dehusk_run::scoring::words::{Word, word_hashes, words};
use dehusk_run::{Observer, WarningKind};

/// A page with a smaller share of its gold text was read in another way than the gold text.
const LEAST_FOUND_IN_PAGE: f64 = 0.5;
/// A block is content if at least this share of its words is in the gold text.
const CONTENT: f32 = 0.5;

/// Makes lessons from the pages of a corpus that have gold text. The source of a page is its site. Sources with enough
/// pages are mined, so that the model also learns how far to trust patterns.
///
/// # Errors
/// If the corpus cannot be listed, no page has gold text, or the observer stops it.
pub fn block_lessons(
    inventory: Inventory,
    gold: &GoldTexts,
    lexer: &Lexer,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> dehusk_run::Result<Vec<Lesson>> {
    // Input that can be read only once is stored when it is listed. Without its markup it would have no trees.
    let inventory = inventory.with_html(HtmlView::Page);
    let sources = inventory.sources()?;
    inventory.skipped().iter().chain(&sources.skipped).for_each(|skipped| tell_of_skipped(skipped, observer));
    let listings = sources.listings;
    let (mined, few): (Vec<SourceListing>, Vec<SourceListing>) =
        listings.into_iter().partition(|listing| listing.documents.len() >= Mined::MIN_DOCUMENTS);
    let inventory = inventory.with_html(HtmlView::Text);
    // Without structure, for the block model is yet to be learned.
    let cleaning = CleanOptions::default().structure(None);
    let library = mine_library(&inventory, &mined, lexer, options, cleaning.clone(), observer)?;
    let inventory = inventory.with_trees();

    observer.start("labelling", (mined.len() + few.len()).into());
    let of_source = |listing: &SourceListing| -> dehusk_run::Result<Vec<Option<Lesson>>> {
        let documents = read_documents(&inventory, &listing.documents, observer)?;
        let pairs = gold.with_documents(listing.id.as_str(), &documents);
        let source = listing.id.as_str();
        let has_patterns = library.contains(source);
        let cleaner = has_patterns.then(|| Cleaner::new(&library.for_source(source).files(), &cleaning));
        observer.step(1);
        Ok(pairs.par_iter().map(|(gold, document)| lesson(gold, document, cleaner.as_ref())).collect())
    };
    let pages: Vec<Option<Lesson>> = [mined, few]
        .concat()
        .par_iter()
        .map(of_source)
        .collect::<dehusk_run::Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    observer.finish();

    let all = pages.len();
    let lessons: Vec<Lesson> = pages.into_iter().flatten().collect();
    if lessons.len() < all {
        let message = format!(
            "pages are left out that are no HTML or have less than half of their gold text: {} of {all}",
            all - lessons.len()
        );
        observer.warn(WarningKind::NoLesson, &message);
    }
    if gold.too_short > 0 {
        let message = format!("gold texts of fewer than {MIN_GOLD_WORDS} words are left out: {}", gold.too_short);
        observer.warn(WarningKind::NoLesson, &message);
    }
    Ok(lessons)
}

/// The lesson of a page. `None` if the document is not a page, or has too little of the gold text.
fn lesson(gold: &Gold, document: &Document, cleaner: Option<&Cleaner>) -> Option<Lesson> {
    let tree = document.tree.as_deref()?;
    let cleaning = |cleaner: &Cleaner| cleaner.clean(&mut Scratch::default(), &document.text).ok();
    let spans = cleaner.and_then(cleaning).map(|cleaning| cleaning.spans);
    let removed: Option<Vec<_>> = spans.map(|spans| spans.into_iter().map(|span| (span.range, span.score)).collect());
    let page: Vec<Word> = words(&document.text).collect();
    let hashes: Vec<u64> = page.iter().map(|word| word.hash).collect();
    let gold = word_hashes(&gold.text);
    let found = matched(&hashes, &gold);
    if (found.len() as f64) < LEAST_FOUND_IN_PAGE * gold.len() as f64 {
        return None;
    }
    let places: Vec<usize> = found.into_iter().map(|word| page[word].range.start).collect();
    let shares = |blocks: &Blocks, feature: &dyn Fn(usize, &str) -> f32| {
        let share = |block: &dehusk_core::dom::blocks::Block| {
            let in_block = |starts: &dyn Fn(usize) -> usize| starts(block.text.end) - starts(block.text.start);
            let words = in_block(&|limit| page.partition_point(|word| word.range.start < limit));
            let found = in_block(&|limit| places.partition_point(|&place| place < limit));
            if words > 0 { found as f32 / words as f32 } else { 0.0 }
        };
        let shares: Vec<f32> = blocks.blocks.iter().map(share).collect();
        let parts = PageParts::of(&document.text, blocks, feature, &|block| shares[block] >= CONTENT);
        // Comments have labels: they are main text on pages that are there for comments, and the model can learn this.
        let is_head = |block: usize| matches!(parts.part(block), Some(PagePart::Headline | PagePart::Byline));
        let is_unsure = |block: usize| is_head(block) || feature(block, "is-heading-1") > 0.0;
        shares.iter().enumerate().map(|(block, &share)| (!is_unsure(block)).then_some(share)).collect()
    };
    Some(Lesson::of(document.source.as_str(), &document.text, tree, removed.as_deref(), shares))
}
