//! Reads files: compression, encodings, the memory that documents need, and the text of one document.

pub(crate) mod compression;
pub(crate) mod decode;
pub(crate) mod division;
pub(crate) mod encode;
pub(crate) mod line_stream;
pub mod memory;
pub(crate) mod open_file;
pub(crate) mod page;
pub(crate) mod reading;
pub(crate) mod spool;
pub(crate) mod stdin;
