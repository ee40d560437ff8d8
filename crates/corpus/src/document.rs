//! A document of a source, with the facts that were found while the document was read.

use std::ops::Range;
use std::sync::Arc;

use dehusk_core::html::{Boxes, Declared, Tree};

use crate::read::memory::Share;
use crate::{Page, SourceId, Warning};

/// Maximum size of a document. Positions in a document have 32 bits.
pub const MAX_DOCUMENT_BYTES: usize = i32::MAX as usize - 1;

/// One document of a source.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its name: the path below its folder, or the id in its record.
    pub id: String,
    /// The source it belongs to.
    pub source: SourceId,
    /// Its URL, if its record has one.
    pub url: Option<String>,
    /// Its text, as UTF-8 without byte order mark.
    pub text: String,
    /// Whether the text is the visible text of a page, and `page` is `None`. The file or record contains the markup
    /// instead.
    #[doc(hidden)]
    pub is_view: bool,
    /// The page with this visible text, if pages are requested ([`HtmlView::Page`](crate::HtmlView::Page)).
    #[doc(hidden)]
    pub page: Option<Box<Page>>,
    /// The tree of the page, if the text is its visible text and trees are requested ([`ReadOptions::tree`](crate::ReadOptions::tree)).
    #[doc(hidden)]
    pub tree: Option<Arc<Tree>>,
    /// The metadata that the page declares, if they are requested ([`HtmlView::Json`](crate::HtmlView::Json)).
    #[doc(hidden)]
    pub declared: Option<Box<Declared>>,
    /// The boxes in which the nodes of the tree are drawn, if they are known
    /// ([`ReadOptions::boxes`](crate::ReadOptions::boxes)).
    #[doc(hidden)]
    pub boxes: Option<Arc<Boxes>>,
    /// The encoding from which the text was converted. `None` if the bytes were UTF-8.
    pub encoding: Option<&'static str>,
    /// A problem that was found while the document was read.
    #[doc(hidden)]
    pub warning: Option<Warning>,
    /// The memory that is reserved for the document, if it was read from a file.
    #[doc(hidden)]
    pub memory: Option<Arc<Share>>,
    /// The range of the text in its line of JSON, with the quotation marks, if nothing else changes when the line is
    /// rewritten.
    #[doc(hidden)]
    pub value: Option<Range<usize>>,
}

impl Document {
    /// Creates a document with only these facts.
    pub fn new(id: String, source: SourceId, text: String) -> Document {
        let (url, page, tree, declared, boxes, encoding) = (None, None, None, None, None, None);
        let (warning, memory, value) = (None, None, None);
        Document {
            id,
            source,
            text,
            url,
            is_view: false,
            page,
            tree,
            declared,
            boxes,
            encoding,
            warning,
            memory,
            value,
        }
    }

    /// Returns the document without its share of the memory for documents. For callers that collect documents and know
    /// that all of them fit into memory. Otherwise the next document could wait forever for the shares of the collected
    /// ones.
    #[doc(hidden)]
    pub fn to_collect(self) -> Document {
        Document { memory: None, ..self }
    }
}
