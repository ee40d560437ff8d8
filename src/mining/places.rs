//! Where the sorted suffixes stand.
//!
//! Symbols and documents lie anywhere in memory for suffixes that are neighbours in the suffix array. What the search
//! for repeats asks of them is looked up once, for all ranks and by all cores, and kept in the order of the array.

use rayon::prelude::*;

use super::suffix_array::SuffixArray;
use crate::tokens::{DocumentIndex, SymbolSequence};

/// Of each rank, the document its suffix starts in, and whether it is preceded by another symbol than the suffix of the
/// rank before. 4 bytes a symbol.
#[derive(Debug)]
pub struct Places(Vec<u32>);

impl Places {
    /// Those of a source.
    pub fn of(sequence: &SymbolSequence, array: &SuffixArray) -> Places {
        Places::with(sequence.symbols(), array, |position| sequence.document_at(position))
    }

    /// Those of symbols, where `document_at` names the document of a position.
    pub(super) fn with(
        symbols: &[u32],
        array: &SuffixArray,
        document_at: impl Fn(usize) -> DocumentIndex + Sync,
    ) -> Places {
        let before = |rank: usize| array.position(rank).checked_sub(1).map(|before| symbols[before]);
        let place = |rank: usize| {
            let is_preceded_alike = rank > 0 && before(rank - 1) == before(rank);
            document_at(array.position(rank)).0 << 1 | u32::from(is_preceded_alike)
        };
        Places((0..array.len()).into_par_iter().map(place).collect())
    }

    /// The document that the suffix of a rank starts in.
    #[inline]
    pub fn document(&self, rank: usize) -> DocumentIndex {
        DocumentIndex(self.0[rank] >> 1)
    }

    /// Whether the same symbol stands before the suffixes of `rank` and `rank - 1`. Before the first of all positions
    /// stands a symbol that occurs nowhere else.
    #[inline]
    pub fn is_preceded_alike(&self, rank: usize) -> bool {
        self.0[rank] & 1 == 1
    }
}
