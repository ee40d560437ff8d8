//! The blocks of the pages of a corpus, and how important they are.

use dehusk_core::dom::facts::Count;
use dehusk_core::html::Tree;
use dehusk_corpus::{Document, Inventory};
use dehusk_run::pages::{PageRecords, visit_pages, with_facts};
use dehusk_run::{Observer, PipelineError};
use dehusk_segments::importance::judged_blocks;
use dehusk_segments::importance::model::{Importance, ImportanceModel};
use dehusk_segments::importance::record::{BlockRecord, runs_of};
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
}
