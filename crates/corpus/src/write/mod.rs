//! Writes results: files that appear when they are complete, and never over what is read.

pub mod output;
pub mod output_file;
pub mod pending_file;
pub mod reads;
pub mod run_folder;
pub mod target;
