//! The segments of the pages of a corpus.

use dehusk_core::dom::facts::{Count, Facts};
use dehusk_core::html::Tree;
use dehusk_corpus::{Document, Inventory};
use dehusk_run::pages::{PageRecords, visit_pages, with_facts};
use dehusk_run::{Observer, PipelineError, WarningKind};
use dehusk_segments::segmentation::paths::{Paths, joined, outermost};
use dehusk_segments::segmentation::record::SegmentRecord;
use dehusk_segments::segmentation::segmenter::Segmenter;

/// Divides all pages in order, and calls `write` with the segments of many pages at a time, in the order of their first
/// leaves. A page that shows nothing has no segments. A document that is not an HTML page is left out and named.
///
/// # Errors
/// If `write` fails, or the observer stops the run.
pub fn segment_corpus<E: From<PipelineError>>(
    inventory: &Inventory,
    segmenter: &Segmenter,
    observer: &dyn Observer,
    write: impl FnMut(&[PageRecords<SegmentRecord>]) -> Result<(), E>,
) -> Result<(), E> {
    let of_page = |name: &str, document: &Document, tree: &Tree| {
        let (segments, is_capped) = records(segmenter, document, tree);
        if is_capped {
            let message = format!("{name}: it has so many parts that not all of them were compared");
            observer.warn(WarningKind::Capped, &message);
        }
        segments
    };
    visit_pages(inventory, "segments", observer, of_page, write)
}

/// The segments of a document with this tree, in the order of their first leaves, and whether the page is so large that
/// not all parts were tried or compared.
pub fn records(segmenter: &Segmenter, document: &Document, tree: &Tree) -> (Vec<SegmentRecord>, bool) {
    with_facts(document, tree, |facts| {
        let segments = segmenter.of_facts(facts);
        // The page-level model uses no boxes.
        let values = segmenter.page_model.values(&Facts::of(tree, &document.text, document.url.as_deref(), None));
        let (paths, nodes) = (Paths::of(tree), outermost(tree, &segments));
        let members = segments.grouping.members();
        let record = |(segment, (nodes, members)): (usize, (&Vec<usize>, &Vec<usize>))| {
            let leaves = || members.iter().map(|&leaf| segments.leaves[leaf] as usize);
            let chars = |leaf: usize| f64::from(facts.chars(leaf)).max(1.0);
            let (sum, all) = leaves()
                .fold((0.0, 0.0), |(sum, all), leaf| (sum + f64::from(values[leaf]) * chars(leaf), all + chars(leaf)));
            SegmentRecord {
                source: document.source.as_str().to_owned(),
                id: document.id.clone(),
                segment,
                bytes: joined(nodes.iter().map(|&node| tree.bytes(node))),
                nodes: nodes.iter().map(|&node| paths.path(node)).collect(),
                text: joined(leaves().map(|leaf| tree.text(leaf)).filter(|range| !range.is_empty())),
                words: leaves().map(|leaf| facts.count(leaf, Count::Words)).sum(),
                score: Some((sum / all * 1000.0).round() as f32 / 1000.0),
                level: None,
                kind: None,
            }
        };
        (nodes.iter().zip(&members).enumerate().map(record).collect(), segments.is_capped)
    })
}
