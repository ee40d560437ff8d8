//! Finds documents: the files that paths, folders and globs name, the source of each document, and lists of all documents by source.

pub mod file_glob;
pub mod file_kind;
pub mod folder;
pub mod input_file;
pub mod inventory;
pub mod listing;
pub mod roots;
pub mod scan_error;
pub mod source_by;
