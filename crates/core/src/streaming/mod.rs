//! Finds templates while documents arrive, without mining first.
//!
//! Takes the documents of a source one at a time, in order. Tells for each which of its segments are boilerplate, from
//! all documents so far, this one included. Each source has a table of segments: the number of documents with each, and
//! when it was seen last. Segments that are not seen again are forgotten.
//!
//! After Wang, Fang, Cheng, Guo, Xu, "Incremental Web Page Template Detection", WWW 2008: text segment table, table
//! expansion, template detection, table shrinkage. Boilerplate is chosen more carefully here than in the paper
//! (`detection`); the rule of the paper is in `block_rule`.

pub mod block_rule;
mod copies;
pub mod detection;
pub mod drift;
pub mod ends;
pub mod evidence;
pub mod learner;
pub mod lifetime;
pub mod merge;
pub mod segments;
pub mod table;
pub mod templates;
pub mod windows;

/// When a segment counts as template.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    /// A segment in this many documents is boilerplate. Default: 5.
    pub template_documents: u32,
    /// A segment in this many documents is evidence for cleaning. Default: 2.
    pub evidence_documents: u32,
    /// A block is boilerplate if its template segments are more than this share of its length, 0..=1. Default: 0.7.
    pub block_share: f64,
}

impl Default for Detection {
    fn default() -> Detection {
        Detection { template_documents: 5, evidence_documents: 2, block_share: 0.7 }
    }
}
