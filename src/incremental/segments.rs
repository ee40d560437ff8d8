//! Segments: what a table counts.

use std::ops::Range;

/// What tells segments apart: a hash of path and text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentKey(pub u64);

/// A stretch of a document's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// What tells it from others.
    pub key: SegmentKey,
    /// The tokens it covers.
    pub tokens: Range<usize>,
    /// The block it stands in.
    pub block: u32,
    /// How long its text is, without white space at the edges.
    pub length: u32,
}

/// A segment as people read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Described {
    /// Where it stands in its page.
    pub path: String,
    /// What it says, mutable parts by name.
    pub text: String,
}
