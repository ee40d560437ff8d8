//! Sorts texts by their content, so that the order of the input does not matter.
//!
//! Mining often has several equally good choices: the document that stands for its near-duplicates, the example of a
//! pattern, one of two templates that cover a place. Mining takes the first choice. So the order of the texts must not
//! depend on file names or on the order of lines.

use rayon::prelude::*;
use twox_hash::XxHash3_64;

/// The indices of the texts, sorted by a hash of the text. So any part of this order is a random sample.
pub fn content_order<T: AsRef<str> + Sync>(texts: &[T]) -> Vec<usize> {
    let hashes: Vec<u64> = texts.par_iter().map(|text| XxHash3_64::oneshot(text.as_ref().as_bytes())).collect();
    let mut order: Vec<usize> = (0..texts.len()).collect();
    // It does not matter which of two equal texts is first.
    order.sort_by(|&a, &b| (hashes[a], texts[a].as_ref()).cmp(&(hashes[b], texts[b].as_ref())));
    order
}
