//! Finds documents: the files that paths, folders and globs name, the source of each document, and lists of all documents by source.

pub(crate) mod content_kind;
pub(crate) mod file_glob;
pub(crate) mod file_kind;
pub(crate) mod folder;
pub(crate) mod input_file;
pub(crate) mod inventory;
pub(crate) mod listing;
pub(crate) mod roots;
pub(crate) mod scan_error;
pub(crate) mod source_by;
