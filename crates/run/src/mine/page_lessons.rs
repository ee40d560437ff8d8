//! Labels the pages of a corpus, so that a page-level model can learn from them
//! ([`page_level`](dehusk_core::dom::page_level)).
//!
//! No person labels a page. A node is boilerplate if its subtree recurs on the pages of its source, or if the patterns
//! that are mined from the source remove its text.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{PipelineError, Result};
use crate::left_out::tell_of_skipped;
use crate::library::Library;
use crate::mine::mining::mine_library;
use crate::mine::options::CorpusMineOptions;
use crate::observer::{Observer, WarningKind};
use crate::reading::read_documents;
use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::dom::facts::Facts;
use dehusk_core::dom::page_level::Lessons;
use dehusk_core::dom::site_level::{Labels, SiteLevel, THETA, labels};
use dehusk_core::html::Tree;
use dehusk_core::mining::Mined;
use dehusk_core::selection::sampling::evenly_spread;
use dehusk_core::tokens::Lexer;
use dehusk_corpus::{Document, DocumentRef, HtmlView, Inventory, SourceListing};

/// Maximum number of pages per source. More pages would teach the same.
const MAX_PAGES: usize = 200;

/// The lessons that the pages of a corpus teach, and the number of sources used. A source with fewer pages than mining
/// needs is not used, because nothing can recur in it.
///
/// # Errors
/// If the corpus cannot be listed, or a source cannot be mined.
pub fn page_lessons(
    inventory: Inventory,
    by: Labels,
    lexer: &Lexer,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> Result<(Lessons, usize)> {
    // Input that can be read only once is stored when it is listed. It is stored with its markup, because trees need
    // the markup.
    let inventory = inventory.with_html(HtmlView::Page);
    let mut sources = inventory.sources()?;
    inventory.skipped().iter().chain(&sources.skipped).for_each(|skipped| tell_of_skipped(skipped, observer));
    let all = sources.listings.len();
    sources.listings.retain(|listing| listing.documents.len() >= Mined::MIN_DOCUMENTS);
    let listings = &sources.listings;
    if listings.len() < all {
        let (few, least) = (all - listings.len(), Mined::MIN_DOCUMENTS);
        let message = format!("sources with fewer than {least} documents are not used: {few} of {all}");
        observer.warn(WarningKind::NoLesson, &message);
    }

    let inventory = inventory.with_html(HtmlView::Text);
    let library = match by {
        Labels::Hash => Library::default(),
        Labels::Text | Labels::Both => {
            let cleaning = CleanOptions::default().structure(None);
            mine_library(&inventory, listings, lexer, options, cleaning, observer)?
        }
    };

    let inventory = inventory.with_trees();
    observer.start("labelling", listings.len().into());
    let (mut lessons, mut used) = (Lessons::default(), 0);
    for listing in listings {
        let of_source = lessons_of(&inventory, listing, &library, by, observer)?;
        used += usize::from(of_source.pages > 0);
        lessons.extend(of_source);
        observer.step(1);
    }
    observer.finish();
    Ok((lessons, used))
}

fn lessons_of(
    inventory: &Inventory,
    listing: &SourceListing,
    library: &Library,
    by: Labels,
    observer: &dyn Observer,
) -> Result<Lessons> {
    let places: Vec<DocumentRef> = evenly_spread(&listing.documents, MAX_PAGES).copied().collect();
    let documents = read_documents(inventory, &places, observer)?;
    let pages: Vec<(&Document, &Tree)> =
        documents.iter().flatten().filter_map(|document| Some((document, document.tree.as_deref()?))).collect();
    let hash = |(document, tree): &(&Document, &Tree)| tree.subtree_hashes(&document.text);
    let hashes: Vec<Vec<u64>> = pages.par_iter().map(hash).collect();

    let mut site = SiteLevel::default();
    hashes.iter().for_each(|of_page| site.add(of_page));
    let files = library.for_source(listing.id.as_str());
    let cleaner = Cleaner::new(&files.files(), &CleanOptions::default().decision(None));
    let lesson = |scratch: &mut Scratch, (&(document, tree), hashes): (&(&Document, &Tree), &Vec<u64>)| {
        let recurs: Vec<bool> = hashes.iter().map(|&hash| site.is_template(hash, THETA)).collect();
        let cleaning = cleaner.clean(scratch, &document.text).map_err(PipelineError::from)?;
        let removed: Vec<Range<usize>> = cleaning.spans.into_iter().map(|span| span.range).collect();
        let mut lessons = Lessons::default();
        let facts = Facts::of(tree, &document.text, document.url.as_deref(), document.boxes.as_deref());
        lessons.add(&facts, &labels(tree, &recurs, &removed, by));
        Ok(lessons)
    };

    let of_pages: Vec<Lessons> =
        pages.par_iter().zip(&hashes).map_init(Scratch::default, lesson).collect::<Result<_>>()?;
    let mut lessons = Lessons::default();
    of_pages.into_iter().for_each(|of_page| lessons.extend(of_page));
    Ok(lessons)
}
