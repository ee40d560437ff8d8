//! The blocks of the pages of a corpus, how important they are, and the links in them.

use std::iter;

use dehusk_core::dom::facts::Count;
use dehusk_core::html::{Attribute, Tree, link_resolver};
use dehusk_corpus::{Document, Inventory};
use dehusk_run::pages::{PageRecords, visit_pages, with_facts};
use dehusk_run::{Observer, PipelineError};
use dehusk_segments::importance::links::{WeightedLink, weighted_links};
use dehusk_segments::importance::model::{Importance, ImportanceModel};
use dehusk_segments::importance::record::{BlockRecord, LinkRecord, runs_of};
use dehusk_segments::importance::{expected_level, judged_blocks};
use dehusk_segments::segmentation::paths::{Paths, joined};
use dehusk_segments::segmentation::vision::VisionBlock;

/// Finds the blocks of all pages in order, and calls `write` with the blocks of many pages at a time. A page that shows
/// nothing has no blocks. A document that is not an HTML page is left out and named.
///
/// # Errors
/// If `write` fails, or the observer stops the run.
pub fn blocks_of_corpus<E: From<PipelineError>>(
    inventory: &Inventory,
    model: &ImportanceModel,
    observer: &dyn Observer,
    write: impl FnMut(&[PageRecords<BlockRecord>]) -> Result<(), E>,
) -> Result<(), E> {
    visit_pages(inventory, "blocks", observer, |_, document, tree| records(model, document, tree), write)
}

/// Finds the links in the blocks of all pages, as [`blocks_of_corpus`] finds the blocks.
///
/// # Errors
/// If `write` fails, or the observer stops the run.
pub fn links_of_corpus<E: From<PipelineError>>(
    inventory: &Inventory,
    model: &ImportanceModel,
    observer: &dyn Observer,
    write: impl FnMut(&[PageRecords<LinkRecord>]) -> Result<(), E>,
) -> Result<(), E> {
    visit_pages(inventory, "links", observer, |_, document, tree| link_records(model, document, tree), write)
}

/// A length in pixels, rounded to a tenth.
fn tenths(pixels: f32) -> f32 {
    (pixels * 10.0).round() / 10.0
}

/// The blocks of a document with this tree, in the order of the page.
pub fn records(model: &ImportanceModel, document: &Document, tree: &Tree) -> Vec<BlockRecord> {
    with_facts(document, tree, |facts| {
        let html = tree.bytes(0).len();
        let paths = Paths::of(tree);
        let record = |(number, (block, importance)): (usize, (VisionBlock, Importance))| {
            let nodes = || block.nodes.iter().map(|&node| node as usize);
            BlockRecord {
                source: document.source.as_str().to_owned(),
                id: document.id.clone(),
                block: number,
                level: importance.level,
                probability: (importance.probability * 1000.0).round() as f32 / 1000.0,
                importance: (expected_level(model, &importance) * 100.0).round() as f32 / 100.0,
                rect: [block.rect.left, block.rect.top, block.rect.width, block.rect.height].map(tenths),
                coherence: block.coherence,
                bytes: joined(nodes().map(|node| tree.bytes(node))),
                nodes: nodes().map(|node| paths.path(node)).collect(),
                text: joined(runs_of(facts, &block).map(|run| tree.text(run))),
                words: nodes().map(|node| facts.count(node, Count::Words)).sum(),
            }
        };
        judged_blocks(model, facts, html).into_iter().enumerate().map(record).collect()
    })
}

/// The links of a document with this tree, in the order of the page.
pub fn link_records(model: &ImportanceModel, document: &Document, tree: &Tree) -> Vec<LinkRecord> {
    with_facts(document, tree, |facts| {
        let (blocks, judged): (Vec<VisionBlock>, Vec<Importance>) =
            judged_blocks(model, facts, tree.bytes(0).len()).into_iter().unzip();
        let importance: Vec<f64> = judged.iter().map(|importance| expected_level(model, importance)).collect();
        let resolved = link_resolver(tree, document.url.as_deref());
        let record = |WeightedLink { node, block, weight }: WeightedLink| LinkRecord {
            source: document.source.as_str().to_owned(),
            id: document.id.clone(),
            block,
            level: judged[block].level,
            href: resolved(tree.attribute(node, Attribute::Href).unwrap_or_default()),
            text: joined(iter::once(tree.text(node)).filter(|text| !text.is_empty())),
            weight: (weight * 1e6).round() / 1e6,
        };
        weighted_links(facts, &blocks, &importance).into_iter().map(record).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::html::read;
    use dehusk_corpus::SourceId;

    const PAGE: &str = "<body><header><a href=/>Home</a></header><hr><main><p>The ferry came in late.</p>\
                        <p>Nobody knew why.</p></main></body>";

    fn document() -> (Document, Tree) {
        let (text, tree) = read::<Tree>(PAGE);
        (Document::new("i".to_owned(), SourceId::parse("s").unwrap(), text), tree)
    }

    #[test]
    fn a_record_says_what_is_in_a_block_and_where_it_is() {
        let model = ImportanceModel::shipped();
        let (document, tree) = document();
        let records = records(&model, &document, &tree);
        let words: u32 = records.iter().map(|record| record.words).sum();
        assert_eq!(words, 9);
        for (number, record) in records.iter().enumerate() {
            assert_eq!((&record.source[..], &record.id[..], record.block), ("s", "i", number));
            assert!(model.levels.contains(&record.level), "{record:?}");
            assert!(record.probability > 0.0 && record.probability <= 1.0, "{record:?}");
            assert!((1.0..=4.0).contains(&record.importance), "{record:?}");
            assert!((1..=10).contains(&record.coherence) && record.rect[2] > 0.0, "{record:?}");
            let of = |ranges: &[(usize, usize)], of: &str| {
                ranges.iter().map(|&(start, end)| &of[start..end]).collect::<Vec<&str>>().join(" ")
            };
            let (html, text) = (of(&record.bytes, PAGE), of(&record.text, &document.text));
            // The visible text of the block is in its bytes.
            assert!(text.split_whitespace().all(|word| html.contains(word)), "{html} {text}");
            assert_eq!(text.split_whitespace().count(), record.words as usize, "{text}");
        }
        let first = &records[0];
        assert_eq!(first.nodes, ["body/header"]);
        assert_eq!(&PAGE[first.bytes[0].0..first.bytes[0].1], "<header><a href=/>Home</a></header>");
    }

    #[test]
    fn a_link_leads_from_the_address_of_its_page() {
        let model = ImportanceModel::shipped();
        let (mut document, tree) = document();
        let of_block = records(&model, &document, &tree).remove(0);
        let mut link = |url: Option<&str>| {
            document.url = url.map(str::to_owned);
            let mut links = link_records(&model, &document, &tree);
            assert_eq!(links.len(), 1);
            links.remove(0)
        };
        let expected = LinkRecord {
            source: "s".to_owned(),
            id: "i".to_owned(),
            block: 0,
            level: of_block.level,
            href: "/".to_owned(),
            text: vec![(0, 4)],
            weight: 1.0,
        };
        assert_eq!(link(None), expected);
        assert_eq!(link(Some("http://tide.example/news/1")).href, "http://tide.example/");
    }
}
