//! Sorts suffixes and computes the lengths of their common prefixes.
//!
//! Takes symbols. Returns the suffix array (Manber and Myers 1990) and the LCP array. Both are computed in linear time.
//! The sort is induced sorting (Nong, Zhang and Chan 2009, as in libsais) over the integers themselves. The LCP array
//! comes from the permuted LCP array (Kärkkäinen, Manzini and Puglisi 2009, after Kasai and others 2001), on all cores.
//! It takes 12 bytes per symbol while it is built, and 8 afterwards.

use std::sync::atomic::{AtomicU32, Ordering};

use libsais::SuffixArrayConstruction;
use libsais::suffix_array::ExtraSpace;
use rayon::prelude::*;

/// The suffixes of a sequence in sorted order. Only [`SuffixArray::build`] makes one, so it is always valid.
#[derive(Debug)]
pub struct SuffixArray {
    suffixes: Vec<i32>,
    common: Vec<u32>,
}

impl SuffixArray {
    /// Sorts the suffixes of `symbols`. Each symbol must be below 2^31. A suffix sorts before those it is a prefix of.
    ///
    /// # Panics
    ///
    /// If memory runs out inside the C library.
    pub fn build(symbols: &[u32]) -> SuffixArray {
        let suffixes = sorted_suffixes(symbols);
        let common = common_prefixes(symbols, &suffixes);
        SuffixArray { suffixes, common }
    }

    /// Number of suffixes.
    pub fn len(&self) -> usize {
        self.suffixes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.suffixes.is_empty()
    }

    /// The start of the suffix of a rank.
    #[inline]
    pub fn position(&self, rank: usize) -> usize {
        self.suffixes[rank] as usize
    }

    /// Number of symbols that the suffixes of `rank` and `rank - 1` have in common; 0 for rank 0.
    #[inline]
    pub fn common(&self, rank: usize) -> usize {
        self.common[rank] as usize
    }
}

fn sorted_suffixes(symbols: &[u32]) -> Vec<i32> {
    /// Extra space for each symbol of the alphabet that makes libsais fastest. A little is added for alignment. By
    /// default the binding gives 6,000 in all, which is enough for an alphabet of 1,000 symbols.
    const PER_SYMBOL: usize = 6;
    const ALIGNMENT: usize = 2048;
    let Some(&largest) = symbols.iter().max() else { return Vec::new() };
    let mut text: Vec<i32> = symbols.iter().map(|&symbol| symbol as i32).collect();
    // Not more than the LCP values need later, and not more than the library can address.
    let most = symbols.len().min(i32::MAX as usize - symbols.len());
    let space = (PER_SYMBOL * (largest as usize + 1) + ALIGNMENT).min(most);
    let sorted = SuffixArrayConstruction::for_text_mut(&mut text)
        .in_owned_buffer32()
        .single_threaded()
        .with_extra_space_in_buffer(ExtraSpace::Fixed { value: space })
        .run();
    match sorted {
        Ok(sorted) => {
            let mut suffixes = sorted.into_vec();
            suffixes.shrink_to_fit();
            suffixes
        }
        Err(error) => panic!("not enough memory to sort {} suffixes: {error:?}", symbols.len()),
    }
}

/// Number of symbols that each suffix and the one sorted before it have in common; 0 for the first.
fn common_prefixes(symbols: &[u32], suffixes: &[i32]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    // In text order. First: the position of the suffix that is sorted before.
    let by_position: Vec<AtomicU32> = symbols.par_iter().map(|_| AtomicU32::new(NONE)).collect();
    suffixes.par_windows(2).for_each(|pair| by_position[pair[1] as usize].store(pair[0] as u32, Ordering::Relaxed));
    let mut by_position: Vec<u32> = by_position.into_iter().map(AtomicU32::into_inner).collect();
    // Then: the length of the common prefix. From one position to the next it falls by 1 at most.
    let part = symbols.len() / rayon::current_num_threads() + 1;
    by_position.par_chunks_mut(part).enumerate().for_each(|(index, values)| {
        let mut common = 0;
        for (position, value) in (index * part..).zip(values) {
            common = match *value {
                NONE => 0,
                before => {
                    let (suffix, before) = (&symbols[position + common..], &symbols[before as usize + common..]);
                    common + suffix.iter().zip(before).take_while(|(a, b)| a == b).count()
                }
            };
            *value = common as u32;
            common = common.saturating_sub(1);
        }
    });
    suffixes.par_iter().map(|&position| by_position[position as usize]).collect()
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
            // Symbols as Unicode scalars without the surrogates. UTF-8 keeps their order.
            let text: String = symbols.iter().filter_map(|&symbol| char::from_u32(symbol + 1)).collect();
            let table = suffix::SuffixTable::new(text.as_str());
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let oracle: Vec<usize> =
                table.table().iter().filter_map(|&byte| starts.binary_search(&(byte as usize)).ok()).collect();
            prop_assert_eq!(positions(&SuffixArray::build(&symbols)), oracle);
        }
    }
}
