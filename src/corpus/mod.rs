//! Documents, in and out.
//!
//! Takes the paths a user names: folders with a folder per source and a file per document, JSONL
//! files with a document per line, single documents. Gives an [`Inventory`] of them: by source, for
//! mining ([`Inventory::sources`]), and by file, for cleaning ([`Inventory::files`]). Documents are
//! read one at a time, when they are asked for; what is kept for each is only where it lies.
//!
//! Nothing is dropped in silence. What cannot be read is a [`Skipped`] with its reason and does not
//! stop the rest; files that are no documents are counted in [`Ignored`]; and what would make a whole
//! run meaningless, such as a missing path, is a [`ScanError`].
//!
//! Input files are expected to stay as they are while they are read: large ones are mapped, not copied.

mod decode;
#[cfg_attr(not(test), expect(dead_code, reason = "pages come out as text until `clean` writes them back"))]
mod encode;
mod folder;
pub mod html;
mod input_file;
mod inventory;
mod jsonl;
mod listing;
mod output;
mod output_file;
mod reading;
mod record;
mod scan_error;
mod skipped;
mod source_id;
mod suggest;
#[cfg(test)]
mod testing;
mod text;

pub use decode::Warning;
pub use input_file::{FileKind, InputFile};
pub use inventory::{Content, Inventory};
pub use jsonl::{JsonLines, Line};
pub use listing::{DocumentRef, SourceListing, Sources};
pub use output::{OutputError, OutputRoot};
pub use output_file::OutputFile;
pub use record::rewrite_line;
pub use scan_error::{NothingFound, ScanError};
pub use skipped::{Ignored, Reason, Skipped};
pub use source_id::{SourceId, SourceIdError};
pub use suggest::similar_path;
pub use text::Text;

/// A longer document is refused: positions inside one are 32 bits wide.
pub const MAX_DOCUMENT_BYTES: usize = i32::MAX as usize - 1;

/// One text of a source.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its name within the source: the path below the source's folder, or a JSONL line's id.
    pub id: String,
    /// The source it belongs to.
    pub source: SourceId,
    /// What it says, as UTF-8 without byte order mark.
    pub text: Text,
    /// Whether it is the visible text of a page, and so not what the file or the JSONL line says.
    pub is_view: bool,
    /// The encoding it was converted from; `None` if its bytes were UTF-8 already.
    pub encoding: Option<&'static str>,
    /// What went wrong while it was read, though it could be read.
    pub warning: Option<Warning>,
}

/// How documents are to be read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// What counts as the text of an HTML document.
    pub html: HtmlView,
    /// Which keys of a JSONL line hold what.
    pub keys: Keys,
}

/// What counts as the text of an HTML document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HtmlView {
    /// What a reader of the page sees, one line per block.
    #[default]
    Text,
    /// The markup itself.
    Markup,
}

/// Which keys of a JSONL line hold what. A key that is missing or `null` is as good as absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// The document's name, a string or a number; without it, the line's number. Default: `id`.
    pub id: String,
    /// The source's name. Default: `source`.
    pub source: String,
    /// The document's address, whose host is the source where `source` is absent. Default: `url`.
    pub url: String,
    /// The document's text. Default: `text`.
    pub text: String,
    /// The document as HTML, which is read where `text` is absent. Default: `html`.
    pub html: String,
}

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
