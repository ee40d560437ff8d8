//! Pages with the same largest segment (Chakrabarti, Kumar and Punera, WWW 2008, section 5.3).

use rayon::prelude::*;

use dehusk_core::html::Tree;
use dehusk_core::mining::sketches::{Sketch, groups};
use dehusk_corpus::{Document, DocumentRef, Inventory};
use dehusk_run::pages::with_facts;
use dehusk_run::{Observer, PipelineError};
use dehusk_segments::segmentation::segmenter::{Knowledge, Method, Segmenter};

/// A number for each document. Documents with the same largest segment have the same number (Chakrabarti, Kumar,
/// Punera, WWW 2008, section 5.3). A document that is not an HTML page has a number of its own.
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
        // If a document cannot be read, the user was told before.
        let Ok(document) = inventory.read_with_tree(place) else { return Ok(None) };
        Ok(document.tree.as_deref().map(|tree| Sketch::of(&largest(&segmenter, &document, tree))))
    };
    let sketches: Vec<Option<Sketch>> = places.par_iter().map(sketch).collect::<Result<_, PipelineError>>()?;
    Ok(groups(&sketches))
}

/// The text of the largest segment of a page.
fn largest(segmenter: &Segmenter, document: &Document, tree: &Tree) -> String {
    with_facts(document, tree, |facts| {
        let segments = segmenter.of_facts(facts);
        let texts =
            segments.largest(facts).map(|largest| segments.texts(tree, largest).map(|range| &document.text[range]));
        texts.into_iter().flatten().collect::<Vec<&str>>().join("\n")
    })
}
