//! Templates found while documents come in, without looking back.
//!
//! Takes the documents of a source one after the other; knows of each segment of text in how many of them it stood. What
//! has stood in enough of them is template. After Wang, Fang, Cheng, Guo, Xu, "Incremental Web Page Template Detection",
//! WWW 2008.

pub mod segments;

/// What counts as template.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    /// A segment that stood in this many documents. Default: 5.
    pub min_documents: u32,
    /// A block of whose length more than this share is in such segments. Default: 0.7.
    pub block_share: f64,
}

impl Default for Detection {
    fn default() -> Detection {
        Detection { min_documents: 5, block_share: 0.7 }
    }
}
