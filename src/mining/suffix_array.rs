//! Sorted suffixes and their common-prefix lengths.
//!
//! Takes symbols, gives the suffix array (Manber and Myers 1990) and the LCP array, both in linear time:
//! induced sorting (Nong, Zhang and Chan 2009, as libsais implements it) over the integers themselves,
//! and LCP by way of the permuted LCP (Kärkkäinen, Manzini and Puglisi 2009, after Kasai and others 2001).
//! 16 bytes a symbol while it is built, 8 after.

use libsais::SuffixArrayConstruction;

/// The suffixes of a sequence in sorted order. Built, never assembled from parts.
#[derive(Debug)]
pub struct SuffixArray {
    suffixes: Vec<i32>,
    common: Vec<i32>,
}

impl SuffixArray {
    /// Sorts the suffixes of `symbols`, each below 2^31. A suffix sorts before those it is a prefix of.
    ///
    /// # Panics
    /// If memory runs out inside the C library.
    pub fn build(symbols: &[u32]) -> SuffixArray {
        let mut text: Vec<i32> = symbols.iter().map(|&symbol| symbol as i32).collect();
        if text.is_empty() {
            return SuffixArray { suffixes: Vec::new(), common: Vec::new() };
        }
        let result = SuffixArrayConstruction::for_text_mut(&mut text)
            .in_owned_buffer32()
            .single_threaded()
            .run()
            .and_then(|sorted| sorted.plcp_construction().single_threaded().run())
            .and_then(|permuted| permuted.lcp_construction().single_threaded().run());
        match result {
            Ok(built) => {
                let (suffixes, common, _, _) = built.into_parts();
                SuffixArray { suffixes, common }
            }
            Err(error) => panic!("not enough memory to sort {} suffixes: {error:?}", symbols.len()),
        }
    }

    /// How many suffixes there are.
    pub fn len(&self) -> usize {
        self.suffixes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.suffixes.is_empty()
    }

    /// Where the suffix of a rank starts.
    #[inline]
    pub fn position(&self, rank: usize) -> usize {
        self.suffixes[rank] as usize
    }

    /// How many symbols the suffixes of `rank` and `rank - 1` have in common; 0 for rank 0.
    #[inline]
    pub fn common(&self, rank: usize) -> usize {
        self.common[rank] as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted_naively(symbols: &[u32]) -> Vec<usize> {
        let mut suffixes: Vec<usize> = (0..symbols.len()).collect();
        suffixes.sort_by_key(|&at| &symbols[at..]);
        suffixes
    }

    fn common_naively(symbols: &[u32], suffixes: &[usize]) -> Vec<usize> {
        let common = |a: usize, b: usize| symbols[a..].iter().zip(&symbols[b..]).take_while(|(x, y)| x == y).count();
        (0..suffixes.len()).map(|rank| if rank == 0 { 0 } else { common(suffixes[rank - 1], suffixes[rank]) }).collect()
    }

    fn positions(array: &SuffixArray) -> Vec<usize> {
        (0..array.len()).map(|rank| array.position(rank)).collect()
    }

    proptest! {
        #[test]
        fn agrees_with_sorting(symbols in prop::collection::vec(0u32..4, 0..200)) {
            let array = SuffixArray::build(&symbols);
            let suffixes = sorted_naively(&symbols);
            prop_assert_eq!(&positions(&array), &suffixes);
            let common: Vec<usize> = (0..array.len()).map(|rank| array.common(rank)).collect();
            prop_assert_eq!(common, common_naively(&symbols, &suffixes));
        }

        #[test]
        fn agrees_with_the_suffix_crate(symbols in prop::collection::vec(0u32..50_000, 0..500)) {
            // Symbols as Unicode scalars, the surrogates left out; UTF-8 keeps their order.
            let text: String = symbols.iter().filter_map(|&symbol| char::from_u32(symbol + 1)).collect();
            let table = suffix::SuffixTable::new(text.as_str());
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let oracle: Vec<usize> =
                table.table().iter().filter_map(|&byte| starts.binary_search(&(byte as usize)).ok()).collect();
            prop_assert_eq!(positions(&SuffixArray::build(&symbols)), oracle);
        }
    }
}
