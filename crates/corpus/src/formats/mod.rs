//! Formats that hold many documents in one file, and how their records are written back: JSONL, WARC, Parquet.

pub mod boxes_file;
pub mod jsonl;
pub mod keys_found;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod record;
pub mod records;
pub mod warc;
