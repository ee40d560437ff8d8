//! Reads documents and writes results. This crate is for the other crates of the workspace. Its interface is not
//! stable.
//!
//! Takes the paths that a user names: folders with a folder per source and a file per document, files with many
//! documents, single documents, globs of files, standard input. Returns an [`Inventory`] of the documents: by source,
//! for mining ([`Inventory::sources`]), and by file, for cleaning ([`Inventory::files`]). Documents are read one at a
//! time, on request. Only the position of each document is stored.
//!
//! The rooms, in the order in which a document passes through them: `find` names its file and its source, `read` gives
//! its text, `formats` divide files of many documents and put them together again, `write` stores results.
//!
//! Nothing is dropped without a message. An input that cannot be read becomes a [`Skipped`] with a reason, and the run
//! continues. Files that are not documents are counted in [`Ignored`]. A problem that makes the whole run useless, such
//! as a missing path, is a [`ScanError`].
//!
//! Input files may change while a run reads them. So they are never mapped into memory, and a file that has become
//! shorter is reported.

mod find;
mod formats;
mod read;
mod write;

mod document;
pub mod guarded;
mod html_view;
mod options;
pub mod skipped;
mod source_id;
mod suggest;
#[cfg(test)]
mod testing;

pub use document::{Document, MAX_DOCUMENT_BYTES};
pub use find::file_kind::{FileKind, SETTINGS_FILE};
pub use find::input_file::InputFile;
pub use find::inventory::{Content, Inventory};
pub use find::listing::{DocumentRef, SourceListing, Sources};
pub use find::scan_error::{NothingFound, ScanError};
pub use find::source_by::SourceBy;
pub use formats::boxes_file::{BoxesError, BoxesFile, Color, DrawnPage};
pub use formats::record::rewrite_line;
pub use formats::records::{Batch, Kept, New, Packing, RecordWriter, Records};
pub use formats::warc::Answer;
pub use html_view::HtmlView;
pub use options::{Keys, ReadOptions};
pub use read::compression::{Compression, Encoder};
pub use read::decode::Warning;
pub use read::encode::Encoded;
pub use read::memory::{self, Budget};
pub use read::page::Page;
pub use read::reading::decoded_page;
pub use skipped::{Ignored, Reason, Skipped};
pub use source_id::{SourceId, SourceIdError};
pub use suggest::similar_source;
pub use suggest::{mistakes, similar_name, similar_path};
pub use write::output::{OutputError, OutputRoot};
pub use write::output_file::{OutputFile, OutputKind};
pub use write::pending_file::PendingFile;
pub use write::pending_file::remove_left_over;
pub use write::pending_file::temporary_beside;
pub use write::reads::Reads;
pub use write::run_folder::abandon_unfinished;
pub use write::target::{FileId, folder_of};
