//! The records that a run leaves beside its output, so that later runs can continue, report and delete: the manifest,
//! the parts of the report, and the list of written files.

pub mod document_report;
pub mod hashed;
pub mod manifest;
pub mod report_part;
pub mod written_files;
