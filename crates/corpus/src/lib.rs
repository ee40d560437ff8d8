//! Reads documents and writes results. This crate is for the other crates of the workspace, and it promises nothing to others.
//!
//! Takes the paths that a user names: folders with a folder per source and a file per document, files with many
//! documents, single documents, globs of files, standard input. Returns an [`Inventory`] of them: by source, for mining
//! ([`Inventory::sources`]), and by file, for cleaning ([`Inventory::files`]). Documents are read one at a time, on
//! request. Only the position of each is stored.
//!
//! Nothing is dropped without a message. What cannot be read becomes a [`Skipped`] with a reason and does not stop the
//! rest. Files that are not documents are counted in [`Ignored`]. A problem that makes the whole run useless, such as a
//! missing path, is a [`ScanError`].
//!
//! Input files may change while they are read. They are read and never mapped into memory, and a file that has become
//! shorter is reported.

mod boxes_file;
mod compression;
mod decode;
mod encode;
mod file_glob;
mod file_kind;
mod folder;
pub mod guarded;
mod html_view;
mod input_file;
mod inventory;
mod jsonl;
mod keys_found;
mod line_stream;
mod listing;
pub mod memory;
mod open_file;
mod output;
mod output_file;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod pending_file;
mod reading;
mod reads;
mod record;
mod records;
mod run_folder;
mod roots;
mod scan_error;
#[doc(hidden)]
pub mod skipped;
mod source_by;
mod source_id;
mod spool;
mod stdin;
mod suggest;
mod target;
#[cfg(test)]
mod testing;
mod warc;

pub use boxes_file::{BoxesError, BoxesFile, Color, DrawnPage};
pub use compression::{Compression, Encoder};
pub use decode::Warning;
pub use encode::Encoded;
pub use file_kind::{FileKind, SETTINGS_FILE};
pub use html_view::HtmlView;
pub use input_file::InputFile;
pub use inventory::{Content, Inventory};
pub use listing::{DocumentRef, SourceListing, Sources};
pub use output::{OutputError, OutputRoot};
pub use output_file::{OutputFile, OutputKind};
pub use page::Page;
pub use pending_file::PendingFile;
pub use pending_file::remove_left_over;
pub use pending_file::temporary_beside;
pub use reading::decoded_page;
pub use reads::Reads;
pub use record::rewrite_line;
pub use records::{Batch, Kept, New, Packing, RecordWriter, Records};
pub use run_folder::abandon_unfinished;
pub use scan_error::{NothingFound, ScanError};
pub use skipped::{Ignored, Reason, Skipped};
pub use source_by::SourceBy;
pub use source_id::{SourceId, SourceIdError};
pub use suggest::similar_source;
pub use suggest::{mistakes, similar_name, similar_path};
pub use target::{FileId, folder_of};
#[doc(hidden)]
pub use warc::Answer;

use std::ops::Range;
use std::sync::Arc;

pub use self::memory::Budget;
use self::memory::{Need, Share};
use dehusk_core::html::{Boxes, Declared, Tree};

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
    /// The page with this visible text, if pages are requested ([`HtmlView::Page`]).
    #[doc(hidden)]
    pub page: Option<Box<Page>>,
    /// The tree of the page, if the text is its visible text and trees are requested ([`ReadOptions::tree`]).
    #[doc(hidden)]
    pub tree: Option<Arc<Tree>>,
    /// What the page declares about itself, if that is requested ([`HtmlView::Json`]).
    #[doc(hidden)]
    pub declared: Option<Box<Declared>>,
    /// Where the nodes of the tree are drawn, if that is known ([`ReadOptions::boxes`]).
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

/// Options for finding and reading documents.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Which part of an HTML document is its text.
    pub html: HtmlView,
    /// Whether the `alt` texts of pictures are part of the visible text of a page. They must be for mining and for cleaning, or
    /// for none of them. Default: false.
    pub alt_text: bool,
    /// Whether the visible text of a page comes with the page's tree ([`Document::tree`]). There is none for a page that
    /// was stored as text for mining, because pages were not requested then ([`HtmlView::Page`]). Default: false.
    pub tree: bool,
    /// Where the nodes of pages are drawn. Used for pages that come with their trees.
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
    /// What a document needs of it, which depends on what is done with the document.
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
    /// The most bytes that a document may have.
    fn most_bytes(&self) -> u64 {
        self.max_document.min(MAX_DOCUMENT_BYTES as u64)
    }

    /// The most bytes that a record may have to be read at all. A document in a longer one needs more memory than there is. Some
    /// records are in memory beside those that have their share of it.
    fn most_record_bytes(&self) -> u64 {
        self.max_document.min(self.memory.limit() / memory::LEAST_PER_BYTE)
    }

    /// Why a record or a document of this number of bytes is too large.
    fn too_large(&self, bytes: u64) -> Reason {
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
