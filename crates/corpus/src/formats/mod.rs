//! Formats that hold many documents in one file, and how their records are written back: JSONL and JSON, CSV, WARC, Parquet.

pub(crate) mod boxes_file;
pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod keys_found;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod recognised;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod warc;
