//! The parts of pages as lines of JSON, and drawn on the page: segments, and blocks with their importance.

pub mod blocks;
pub mod drawn;
pub mod segments;
