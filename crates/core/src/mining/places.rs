//! The documents and preceding symbols of the sorted suffixes.
//!
//! Neighbours in the suffix array are far apart in memory. So the data that the search for repeats needs are computed
//! once, for all ranks and on all cores, and stored in the order of the array.

use rayon::prelude::*;

use super::suffix_array::SuffixArray;
use crate::tokens::{DocumentIndex, SymbolSequence};

/// For each rank: the document in which its suffix starts, and whether the same symbol precedes this suffix and the
/// suffix of the rank before. 4 bytes per symbol.
#[derive(Debug)]
pub struct Places(Vec<u32>);

impl Places {
    /// The places of a source.
    pub fn of(sequence: &SymbolSequence, array: &SuffixArray) -> Places {
        Places::with(sequence.symbols(), array, |position| sequence.document_at(position))
    }

    /// The places of symbols. `document_at` gives the document of a position.
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

    /// The document in which the suffix of a rank starts.
    #[inline]
    pub fn document(&self, rank: usize) -> DocumentIndex {
        DocumentIndex(self.0[rank] >> 1)
    }

    /// Whether the same symbol precedes the suffixes of `rank` and `rank - 1`. Position 0 counts as preceded by a
    /// symbol that occurs nowhere else.
    #[inline]
    pub fn is_preceded_alike(&self, rank: usize) -> bool {
        self.0[rank] & 1 == 1
    }
}
