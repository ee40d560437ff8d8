//! Mines corpora: each source alone, then the comparison of all sources, then the pattern files, which keep what people decided.

pub mod candidates;
pub mod combine;
#[cfg(feature = "stream")]
pub mod from_state;
pub mod memory;
pub mod mining;
pub mod options;
pub mod page_lessons;
pub mod pattern_files;
pub mod shelf;
