//! Segments of pages, judged by segments that people marked.

pub mod training;

use std::time::Instant;

use rayon::prelude::*;

use super::agreement::{adjusted_rand_index, normalised_mutual_information};
use dehusk_core::dom::facts::Facts;
use dehusk_corpus::{Document, Inventory, SourceListing};
use dehusk_run::Observer;
use dehusk_run::pages::with_facts;
use dehusk_run::reading::read_documents;
use dehusk_segments::segmentation::model::{Lesson, Scene};
use dehusk_segments::segmentation::record::Marked;
use dehusk_segments::segmentation::segmenter::Segmenter;
use training::agreement;

/// How well the segments of a page agree with the marked ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Adjusted Rand index of the leaves.
    pub rand: f64,
    /// Normalised mutual information of the leaves.
    pub information: f64,
    /// Number of segments.
    pub segments: usize,
    /// Seconds.
    pub seconds: f64,
}

/// The result of `of` for each page that has marked segments, in order. Pages without a result are left out.
fn with_marked<T: Send>(
    inventory: &Inventory,
    listings: &[SourceListing],
    marked: &Marked,
    observer: &dyn Observer,
    of: impl Fn(&Document, &Facts) -> Option<T> + Sync,
) -> dehusk_run::Result<Vec<T>> {
    observer.start("reading pages", listings.len().into());
    let mut all = Vec::new();
    for listing in listings {
        let documents = read_documents(inventory, &listing.documents, observer)?;
        let of_document = |document: &Option<Document>| {
            let document = document.as_ref()?;
            let tree = document.tree.as_deref()?;
            if !marked.has(document.source.as_str(), &document.id) {
                return None;
            }
            with_facts(document, tree, |facts| of(document, facts))
        };
        all.extend(documents.par_iter().filter_map(of_document).collect::<Vec<T>>());
        observer.step(1);
    }
    observer.finish();
    Ok(all)
}

/// The agreement of several ways to divide pages, for each page.
///
/// # Errors
/// If the observer stops it.
pub fn measure(
    inventory: &Inventory,
    listings: &[SourceListing],
    marked: &Marked,
    ways: &[Segmenter],
    observer: &dyn Observer,
) -> dehusk_run::Result<Vec<Vec<Agreement>>> {
    with_marked(inventory, listings, marked, observer, |document, facts| {
        let of_way = |way: &Segmenter| {
            let start = Instant::now();
            let segments = way.of_facts(facts);
            let seconds = start.elapsed().as_secs_f64();
            let leaves = segments.leaves.iter().map(|&node| node as usize);
            let known = marked.groups(document.source.as_str(), &document.id, facts.tree(), leaves)?;
            let groups = segments.grouping.groups();
            Some(Agreement {
                rand: agreement(&known, groups, adjusted_rand_index)?,
                information: agreement(&known, groups, normalised_mutual_information)?,
                segments: segments.grouping.count(),
                seconds,
            })
        };
        ways.iter().map(of_way).collect()
    })
}

/// The pages that have marked segments, to learn from: each with its source and name.
///
/// # Errors
/// If the observer stops it.
pub fn lessons(
    inventory: &Inventory,
    listings: &[SourceListing],
    marked: &Marked,
    observer: &dyn Observer,
) -> dehusk_run::Result<Vec<([String; 2], Lesson)>> {
    with_marked(inventory, listings, marked, observer, |document, facts| {
        let scene = Scene::of(facts);
        let (source, id) = (document.source.as_str().to_owned(), document.id.clone());
        let groups = marked.groups(&source, &id, facts.tree(), scene.parts.leaf_nodes())?;
        let is_marked = groups.iter().any(Option::is_some);
        is_marked.then_some(([source, id], Lesson { scene, groups }))
    })
}
