//! The importance of blocks, judged by blocks whose levels people gave (Song, Liu, Wen, Ma, WWW 2004, section 3).

pub mod agreement;
pub mod confusion;
pub mod folds;

use rayon::prelude::*;

use dehusk_corpus::{Document, Inventory, SourceListing};
use dehusk_run::Observer;
use dehusk_run::pages::with_facts;
use dehusk_run::reading::read_documents;
use dehusk_segments::importance::features::{PageTotals, Vector};
use dehusk_segments::importance::record::{BlockLevel, Labels};
use dehusk_segments::segmentation::vision::vision_blocks;

/// A block, and the levels that people gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledBlock {
    /// Its features.
    pub features: Vector,
    /// Its level.
    pub level: BlockLevel,
}

/// A page with labelled blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPage {
    /// Its source.
    pub source: String,
    /// Its blocks that at least one person gave a level.
    pub blocks: Vec<LabelledBlock>,
    /// Number of all blocks.
    pub all: usize,
}

/// The pages with labels, in order. Blocks are divided up to the degree of coherence `permitted`.
///
/// # Errors
/// If the observer stops it.
pub fn labelled_pages(
    inventory: &Inventory,
    listings: &[SourceListing],
    labels: &Labels,
    permitted: u8,
    observer: &dyn Observer,
) -> dehusk_run::Result<Vec<LabelledPage>> {
    observer.start("reading pages", listings.len().into());
    let mut pages = Vec::new();
    for listing in listings {
        let documents = read_documents(inventory, &listing.documents, observer)?;
        let of_document = |document: &Option<Document>| {
            let document = document.as_ref()?;
            let (source, tree) = (document.source.as_str(), document.tree.as_deref()?);
            labels.has(source, &document.id).then(|| {
                with_facts(document, tree, |facts| {
                    let blocks = vision_blocks(facts, permitted);
                    let levels = labels.levels(source, &document.id, facts, &blocks);
                    let totals = PageTotals::of(facts, tree.bytes(0).len());
                    let labelled = blocks.iter().zip(levels).filter(|(_, level)| !level.votes.is_empty());
                    let labelled =
                        labelled.map(|(block, level)| LabelledBlock { features: totals.features(block), level });
                    LabelledPage { source: source.to_owned(), blocks: labelled.collect(), all: blocks.len() }
                })
            })
        };
        pages.extend(documents.par_iter().filter_map(of_document).collect::<Vec<LabelledPage>>());
        observer.step(1);
    }
    observer.finish();
    Ok(pages)
}
