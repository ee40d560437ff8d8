//! Writes results: files that appear only when they are complete, and that never replace a file that is read.

pub(crate) mod output;
pub(crate) mod output_file;
pub(crate) mod pending_file;
pub(crate) mod reads;
pub(crate) mod run_folder;
pub(crate) mod target;
