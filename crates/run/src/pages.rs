//! Visits the pages of a corpus, each with its tree, and collects records from them.

use rayon::prelude::*;

use crate::error::PipelineError;
use crate::observer::{Observer, WarningKind};
use crate::reading::visit_documents;
use dehusk_core::dom::facts::Facts;
use dehusk_core::html::Tree;
use dehusk_corpus::memory::Need;
use dehusk_corpus::{Document, Inventory, SourceId};

/// The records of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRecords<R> {
    /// The source of the page.
    pub source: SourceId,
    /// The records, in the order of the page.
    pub records: Vec<R>,
}

/// Calls `records` for each page, with the name of the page for messages. Calls `write` in order, with the records of
/// many pages at a time. A document that is not an HTML page is left out and named; `what` says what such a document
/// does not have.
///
/// # Errors
/// If `write` fails, or the observer stops the run.
pub fn visit_pages<R: Send, E: From<PipelineError>>(
    inventory: &Inventory,
    what: &str,
    observer: &dyn Observer,
    records: impl Fn(&str, &Document, &Tree) -> Vec<R> + Sync,
    mut write: impl FnMut(&[PageRecords<R>]) -> Result<(), E>,
) -> Result<(), E> {
    visit_documents(&inventory.with_need(Need::TO_DIVIDE), observer, |documents| {
        let of = |(name, document): &(String, Document)| {
            observer.go_on().ok()?;
            if let Some(warning) = &document.warning {
                observer.warn(WarningKind::Malformed, &format!("{name}: {warning}"));
            }
            let Some(tree) = document.tree.as_deref() else {
                observer.skip(name, &format!("it is no HTML page, so it has no {what}"));
                return None;
            };
            Some(PageRecords { source: document.source.clone(), records: records(name, document, tree) })
        };
        let all: Vec<PageRecords<R>> = documents.par_iter().filter_map(of).collect();
        observer.go_on().map_err(PipelineError::Stopped)?;
        write(&all)
    })
}

/// Calls `of` with the facts of a document with this tree, including the boxes of its elements. If the document has no
/// boxes, they are estimated.
pub fn with_facts<T>(document: &Document, tree: &Tree, of: impl FnOnce(&Facts) -> T) -> T {
    Facts::with_boxes(tree, &document.text, document.url.as_deref(), document.boxes.as_deref(), of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::html::{Boxes, Rect, Style, estimated_boxes, read};

    #[test]
    fn boxes_of_the_document_count_more_than_estimated_ones() {
        let (text, tree) = read::<Tree>("<body><p>The ferry came in late.</p></body>");
        let mut document = Document::new("i".to_owned(), SourceId::parse("s").unwrap(), text);
        let drawn = |document: &Document| with_facts(document, &tree, |facts| facts.boxes().unwrap().clone());
        assert_eq!(drawn(&document), estimated_boxes(&tree, &document.text));
        let of = vec![Some(Rect { left: 0.0, top: 0.0, width: 7.0, height: 7.0 }); tree.len()];
        let boxes = Boxes { width: 7.0, height: 7.0, of, styles: Style::by_names(&tree) };
        document.boxes = Some(boxes.clone().into());
        assert_eq!(drawn(&document), boxes);
    }
}
