//! Reads files: compression, encodings, the memory that documents need, and the text of one document.

pub mod compression;
pub mod decode;
pub mod encode;
pub mod line_stream;
pub mod memory;
pub mod open_file;
pub mod page;
pub mod reading;
pub mod spool;
pub mod stdin;
