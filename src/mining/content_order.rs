//! Texts in an order of their own, whatever order they came in.
//!
//! Much of mining has to take one of several that are equally good: the document that stands for its near-duplicates, the
//! example of a pattern, which of two templates covers a place. What comes first is taken, so what comes first must not
//! depend on how files are called or lines are sorted.

use rayon::prelude::*;
use twox_hash::XxHash3_64;

/// The positions of texts, ordered by a hash of what they say. So any part of them is a sample of all.
pub fn content_order<T: AsRef<str> + Sync>(texts: &[T]) -> Vec<usize> {
    let hashes: Vec<u64> = texts.par_iter().map(|text| XxHash3_64::oneshot(text.as_ref().as_bytes())).collect();
    let mut order: Vec<usize> = (0..texts.len()).collect();
    // Of equal texts it does not matter which is first.
    order.sort_by(|&a, &b| (hashes[a], texts[a].as_ref()).cmp(&(hashes[b], texts[b].as_ref())));
    order
}
