//! Mines corpora: mines each source alone, compares all sources, and writes pattern files, in which the decisions of
//! people are kept.

pub mod candidates;
pub mod combine;
#[cfg(feature = "stream")]
pub mod from_state;
pub mod journal;
pub mod memory;
pub mod mining;
pub mod options;
mod packed;
pub mod page_lessons;
pub mod pattern_files;
pub mod shelf;
