//! The segments of the pages of a corpus.

use rayon::prelude::*;

use super::error::PipelineError;
use super::observer::{Observer, WarningKind};
use super::reading::visit_documents;
use crate::corpus::{Document, DocumentRef, Inventory, SourceId};
use crate::dom::facts::{Count, Facts};
use crate::dom::page_level::{Judged, sectioned};
use crate::html::{Boxes, Tree, estimated_boxes};
use crate::mining::sketches::{Sketch, groups};
use crate::segmentation::paths::{Paths, joined, outermost};
use crate::segmentation::record::SegmentRecord;
use crate::segmentation::segmenter::{Knowledge, Method, Segmenter};

/// The segments of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageSegments {
    /// The source of the page.
    pub source: SourceId,
    /// Its segments, in the order of their first leaves. A page that shows nothing has none.
    pub segments: Vec<SegmentRecord>,
}

/// Divides all pages in order, and calls `write` with the segments of many pages at a time. What is no HTML page is left out
/// and named.
///
/// # Errors
/// If `write` fails, or the observer stops the run.
pub fn segment_corpus<E: From<PipelineError>>(
    inventory: &Inventory,
    segmenter: &Segmenter,
    observer: &dyn Observer,
    mut write: impl FnMut(&[PageSegments]) -> Result<(), E>,
) -> Result<(), E> {
    visit_documents(inventory, observer, |documents| {
        let of = |(name, document): &(String, Document)| {
            observer.go_on().ok()?;
            if let Some(warning) = &document.warning {
                observer.warn(WarningKind::Malformed, &format!("{name}: {warning}"));
            }
            let Some(tree) = document.tree.as_deref() else {
                observer.skip(name, "it is no HTML page, so it has no segments");
                return None;
            };
            let (segments, is_capped) = records(segmenter, document, tree);
            if is_capped {
                let message = format!("{name}: it has so many parts that not all of them were compared");
                observer.warn(WarningKind::Capped, &message);
            }
            Some(PageSegments { source: document.source.clone(), segments })
        };
        let all: Vec<PageSegments> = documents.par_iter().filter_map(of).collect();
        observer.go_on().map_err(PipelineError::Stopped)?;
        write(&all)
    })
}

/// For each document a number that it shares with the documents that have the same largest segment (Chakrabarti, Kumar, Punera,
/// WWW 2008, section 5.3). What is no HTML page shares its number with none.
///
/// # Errors
/// If the observer stops it.
pub fn same_segments(
    inventory: &Inventory,
    places: &[DocumentRef],
    observer: &dyn Observer,
) -> Result<Vec<u32>, PipelineError> {
    let segmenter = Segmenter::shipped(Method::Cuts(Knowledge::ALL));
    let sketch = |place: &DocumentRef| {
        observer.go_on().map_err(PipelineError::Stopped)?;
        // If a document cannot be read, that was said before.
        let Ok(document) = inventory.read_with_tree(place) else { return Ok(None) };
        Ok(document.tree.as_deref().map(|tree| Sketch::of(&largest(&segmenter, &document, tree))))
    };
    let sketches: Vec<Option<Sketch>> = places.par_iter().map(sketch).collect::<Result<_, PipelineError>>()?;
    Ok(groups(&sketches))
}

/// The text of the largest segment of a page.
fn largest(segmenter: &Segmenter, document: &Document, tree: &Tree) -> String {
    let boxes = estimated_boxes(tree, &document.text);
    let facts = Facts::of(tree, &document.text, document.url.as_deref(), Some(&boxes));
    let segments = segmenter.of_facts(&facts);
    let texts =
        segments.largest(&facts).map(|largest| segments.texts(tree, largest).map(|range| &document.text[range]));
    texts.into_iter().flatten().collect::<Vec<&str>>().join("\n")
}

/// The segments of a document with this tree, in the order of their first leaves, and whether there are more candidates than
/// are tried.
pub fn records(segmenter: &Segmenter, document: &Document, tree: &Tree) -> (Vec<SegmentRecord>, bool) {
    let estimated: Boxes;
    let boxes = match document.boxes.as_deref() {
        Some(boxes) => boxes,
        None => {
            estimated = estimated_boxes(tree, &document.text);
            &estimated
        }
    };
    let facts = Facts::of(tree, &document.text, document.url.as_deref(), Some(boxes));
    let segments = segmenter.of_facts(&facts);
    let values = values(segmenter, tree, document);
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
}

/// How much each node is template, as the page-level model says. It knows no boxes.
fn values(segmenter: &Segmenter, tree: &Tree, document: &Document) -> Vec<f32> {
    let facts = Facts::of(tree, &document.text, document.url.as_deref(), None);
    let judged = Judged::of(&facts);
    let values = sectioned(&facts, &judged, &segmenter.page_model.scores(&facts, &judged), 1.0).values;
    (0..tree.len()).map(|node| values[judged.index_of(node)]).collect()
}
