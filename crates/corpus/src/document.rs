//! A document of a source, with what was found out while it was read.

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
    /// Whether the text is the visible text of a page. Then the file or record contains something else.
    #[doc(hidden)]
    pub is_view: bool,
    /// The page with this visible text, if pages are requested ([`HtmlView::Page`](crate::HtmlView::Page)).
    #[doc(hidden)]
    pub page: Option<Box<Page>>,
    /// The tree of the page, if the text is its visible text and trees are requested ([`ReadOptions::tree`](crate::ReadOptions::tree)).
    #[doc(hidden)]
    pub tree: Option<Arc<Tree>>,
    /// What the page declares about itself, if that is requested ([`HtmlView::Json`](crate::HtmlView::Json)).
    #[doc(hidden)]
    pub declared: Option<Box<Declared>>,
    /// Where the nodes of the tree are drawn, if that is known ([`ReadOptions::boxes`](crate::ReadOptions::boxes)).
    #[doc(hidden)]
    pub boxes: Option<Arc<Boxes>>,
    /// The encoding it was converted from. `None` if its bytes are UTF-8.
    pub encoding: Option<&'static str>,
    /// A problem that was found while it was read.
    #[doc(hidden)]
    pub warning: Option<Warning>,
    /// The memory for it, if it was read from a file.
    #[doc(hidden)]
    pub memory: Option<Arc<Share>>,
    /// Where it stands in its line of JSON, with its quotation marks, if only this changes when it is rewritten.
    #[doc(hidden)]
    pub value: Option<Range<usize>>,
}

impl Document {
    /// A document with only these facts.
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

    /// The document, without its part of the memory for documents. Who collects documents has to know that they fit: the next
    /// one would wait for ever for the memory of those before it.
    #[doc(hidden)]
    pub fn to_collect(self) -> Document {
        Document { memory: None, ..self }
    }
}
