//! Documents, in and out.
//!
//! Takes the paths a user names: folders with a folder per source and a file per document, files with
//! many documents, single documents, globs of files, standard input. Gives an [`Inventory`] of them: by source, for
//! mining ([`Inventory::sources`]), and by file, for cleaning ([`Inventory::files`]). Documents are
//! read one at a time, when they are asked for; what is kept for each is only where it lies.
//!
//! Nothing is dropped in silence. What cannot be read is a [`Skipped`] with its reason and does not
//! stop the rest; files that are no documents are counted in [`Ignored`]; and what would make a whole
//! run meaningless, such as a missing path, is a [`ScanError`].
//!
//! Input files may change while they are read: they are read and never mapped, and one that has become shorter is named.

mod compression;
mod decode;
mod encode;
mod file_glob;
mod file_kind;
mod folder;
mod html_view;
mod input_file;
mod inventory;
mod jsonl;
mod line_stream;
mod listing;
mod open_file;
mod output;
mod output_file;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod pending_file;
mod reading;
mod record;
mod records;
mod run_folder;
mod roots;
mod scan_error;
mod skipped;
mod source_by;
mod source_id;
mod spool;
mod stdin;
mod suggest;
mod target;
#[cfg(test)]
mod testing;
mod warc;

pub use compression::{Compression, Encoder};
pub use decode::Warning;
pub use encode::Encoded;
pub use file_kind::FileKind;
pub use html_view::HtmlView;
pub use input_file::InputFile;
pub use inventory::{Content, Inventory};
pub use listing::{DocumentRef, SourceListing, Sources};
pub use output::{OutputError, OutputRoot, refuse_among};
pub use output_file::{OutputFile, OutputKind};
pub use page::Page;
pub use pending_file::PendingFile;
pub use pending_file::remove_left_over;
pub use record::rewrite_line;
pub use records::{Batch, Kept, New, Packing, RecordWriter, Records};
pub use run_folder::abandon_unfinished;
pub use scan_error::{NothingFound, ScanError};
pub use skipped::{Ignored, Reason, Skipped};
pub use source_by::SourceBy;
pub use source_id::{SourceId, SourceIdError};
pub use suggest::{similar_name, similar_path};
pub use target::folder_of;

use crate::html::Outline;

/// A longer document is refused: positions inside one are 32 bits wide.
pub const MAX_DOCUMENT_BYTES: usize = i32::MAX as usize - 1;

/// One text of a source.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its name: the path below its folder, or what its record calls it.
    pub id: String,
    /// The source it belongs to.
    pub source: SourceId,
    /// Its address, if its record has one.
    pub url: Option<String>,
    /// What it says, as UTF-8 without byte order mark.
    pub text: String,
    /// Whether it is the visible text of a page, and so not what the file or the record says.
    pub is_view: bool,
    /// The page that the text is the visible text of, where pages are wanted back ([`HtmlView::Page`]).
    pub page: Option<Box<Page>>,
    /// Which elements the text stands in, if it is the visible text of a page and outlines are wanted
    /// ([`ReadOptions::outline`]).
    pub outline: Option<Box<Outline>>,
    /// The encoding it was converted from; `None` if its bytes were UTF-8 already.
    pub encoding: Option<&'static str>,
    /// What went wrong while it was read, though it could be read.
    pub warning: Option<Warning>,
}

impl Document {
    /// A document of which no more is known than this.
    pub fn new(id: String, source: SourceId, text: String) -> Document {
        let (url, page, outline, encoding, warning) = (None, None, None, None, None);
        Document { id, source, text, url, is_view: false, page, outline, encoding, warning }
    }
}

/// Which files are documents, and how they are to be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReadOptions {
    /// What counts as the text of an HTML document.
    pub html: HtmlView,
    /// Whether the visible text of a page comes with its outline ([`Document::outline`]), unless it was put by for
    /// mining while pages were not wanted back ([`HtmlView::Page`]). Default: false.
    pub outline: bool,
    /// Which keys of a JSONL line, or columns of a table, hold what.
    pub keys: Keys,
    /// What a document's source is called after.
    pub source_by: SourceBy,
    /// Whether symbolic links are followed that lead out of the folder that was given.
    pub follow_links: bool,
    /// A document of more bytes is skipped, whether as it lies in its file, decompressed, or as text; at most
    /// [`MAX_DOCUMENT_BYTES`]. What is read at once of compressed files and archives is bounded by it. Default: 256 MB.
    pub max_document: u64,
}

setters!(ReadOptions {
    html: HtmlView,
    outline: bool,
    keys: Keys,
    source_by: SourceBy,
    follow_links: bool,
    max_document: u64,
});

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            html: HtmlView::default(),
            outline: false,
            keys: Keys::default(),
            source_by: SourceBy::default(),
            follow_links: false,
            max_document: 256_000_000,
        }
    }
}

/// Which keys of a JSONL line hold what. A key that is missing or `null` is as good as absent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Keys {
    /// The document's name, a string or a number; without it, the line's number. Default: `id`.
    pub id: String,
    /// The source's name. Default: `source`.
    pub source: String,
    /// The document's address, by which its source can be named (see [`SourceBy`]). Default: `url`.
    pub url: String,
    /// The document's text. Default: `text`.
    pub text: String,
    /// The document as HTML, which is read where `text` is absent. Default: `html`.
    pub html: String,
}

setters!(Keys { id: String, source: String, url: String, text: String, html: String });

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
