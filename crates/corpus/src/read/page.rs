//! A page that is read as its visible text and written as a page.

use std::borrow::Cow;
use std::sync::Arc;

use crate::read::decode::Decoded;
use crate::read::encode::encode_back;
use crate::{Encoded, Warning};
use dehusk_core::cut::Cut;
use dehusk_core::html::{PageMarks, SourceMap, Tree, page_marked, page_pruned};

/// A page, with the map and the tree of its visible text.
#[derive(Debug, Clone)]
pub struct Page {
    pub(crate) markup: String,
    /// Maps the visible text to the markup.
    pub(crate) map: SourceMap,
    pub(crate) tree: Arc<Tree>,
    /// The bytes from which the page was decoded. `None` if they are the same as its markup.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) encoding: Option<&'static str>,
    pub(crate) warning: Option<Warning>,
}

impl Page {
    /// The page as it was read.
    pub fn markup(&self) -> &str {
        &self.markup
    }

    /// The tree of the page.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The page after `cuts` in its visible text, without the elements that this leaves empty and without pictures that
    /// are template. `text` is the whole visible text of the page. See [`page_pruned`].
    pub fn without(&self, text: &str, cuts: &[Cut]) -> String {
        page_pruned(&self.markup, text, &self.map, &self.tree, cuts)
    }

    /// The page with marks on its visible text: see [`page_marked`].
    pub fn marked(&self, marks: &PageMarks) -> String {
        page_marked(&self.markup, &self.map, &self.tree, marks)
    }

    /// Encodes `page`, which was made from this page, in the encoding of this page.
    pub fn encoded(&self, page: &str) -> Encoded {
        let (text, encoding, warning) = (Cow::Borrowed(&*self.markup), self.encoding, self.warning);
        let bytes = self.bytes.as_deref().unwrap_or(self.markup.as_bytes());
        encode_back(bytes, &Decoded { text, encoding, warning }, page)
    }
}
