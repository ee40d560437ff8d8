//! How documents are found and read.

use std::sync::Arc;

use crate::read::memory::{self, Budget, Need};
use crate::{BoxesFile, HtmlView, MAX_DOCUMENT_BYTES, Reason, SourceBy};

/// Options for finding and reading documents.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Which part of an HTML document is its text.
    pub html: HtmlView,
    /// Whether the `alt` texts of pictures are part of the visible text of a page. Must be the same for mining and for
    /// cleaning. Default: false.
    pub alt_text: bool,
    /// Whether the visible text of a page comes with the page's tree ([`Document::tree`](crate::Document::tree)). A
    /// page that was stored as text for mining has no tree if pages were not requested then ([`HtmlView::Page`]).
    /// Default: false.
    pub tree: bool,
    /// The file that says where the nodes of pages are drawn. Used only for pages that are read with their trees.
    pub boxes: Option<Arc<BoxesFile>>,
    /// The names of JSONL keys, or of table columns.
    pub keys: Keys,
    /// How the source of a document is named.
    pub source_by: SourceBy,
    /// Whether to follow symbolic links that lead out of the given folder.
    pub follow_links: bool,
    /// Maximum size of a document in bytes: in its file, decompressed, and as text. Larger ones are skipped. It also
    /// bounds how much of a compressed file or an archive is in memory at once. At most [`MAX_DOCUMENT_BYTES`].
    /// Default: 256 MB.
    pub max_document: u64,
    /// The memory for documents that are read at the same time. A document that needs more is skipped. Default: 3/4 of the
    /// memory that is free, for the whole process.
    pub memory: Budget,
    /// How much of this memory a document needs. Depends on what the caller does with the document.
    #[doc(hidden)]
    pub need: Need,
}

dehusk_core::setters!(ReadOptions {
    html: HtmlView,
    alt_text: bool,
    tree: bool,
    boxes: Option<Arc<BoxesFile>>,
    keys: Keys,
    source_by: SourceBy,
    follow_links: bool,
    max_document: u64,
    memory: Budget,
});

impl ReadOptions {
    /// Maximum size of a document, in bytes.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.max_document.min(MAX_DOCUMENT_BYTES as u64)
    }

    /// Maximum size, in bytes, of a record that is read at all. A document in a longer record needs more memory than
    /// there is. Some records are in memory in addition to those that have a share of the memory.
    pub(crate) fn most_record_bytes(&self) -> u64 {
        self.max_document.min(self.memory.limit() / memory::LEAST_PER_BYTE)
    }

    /// Why a record or a document of this number of bytes is too large.
    pub(crate) fn too_large(&self, bytes: u64) -> Reason {
        match self.most_bytes() {
            limit if bytes > limit => Reason::TooLarge { bytes: Some(bytes), limit },
            _ => Reason::TooLittleMemory { need: Some(memory::LEAST_PER_BYTE * bytes), limit: self.memory.limit() },
        }
    }
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            html: HtmlView::default(),
            alt_text: false,
            tree: false,
            boxes: None,
            keys: Keys::default(),
            source_by: SourceBy::default(),
            follow_links: false,
            max_document: 256_000_000,
            memory: Budget::default(),
            need: Need::TO_READ,
        }
    }
}

/// The names of the keys in a JSONL line. A value that is `null` counts as missing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Keys {
    /// The document's name: a string or a number. If it is missing, the line number is used. Default: `id`.
    pub id: String,
    /// The source's name. Default: `source`.
    pub source: String,
    /// The document's URL, from which its source can be named (see [`SourceBy`]). Default: `url`.
    pub url: String,
    /// The document's text. Default: `text`.
    pub text: String,
    /// The document as HTML. It is read only if `text` is missing. Default: `html`.
    pub html: String,
}

dehusk_core::setters!(Keys { id: String, source: String, url: String, text: String, html: String });

impl Default for Keys {
    fn default() -> Keys {
        Keys {
            id: "id".to_owned(),
            source: "source".to_owned(),
            url: "url".to_owned(),
            text: "text".to_owned(),
            html: "html".to_owned(),
        }
    }
}
