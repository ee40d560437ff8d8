//! A sample of a source's documents, with the matches of its patterns.
//!
//! Trying the patterns on the documents they were mined from shows which of them are needed
//! ([`pattern_selection`](crate::selection::pattern_selection)) and which of them end articles
//! ([`ends`](crate::selection::ends)). Both use the same documents.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::cleaning::{CleanOptions, Cleaner, Reading, Scratch};
use crate::patterns::PatternFile;

/// Maximum number of documents that are used. Templates are in 1/20 of the documents or more, so this many documents
/// show them.
pub const MAX_DOCUMENTS_TRIED: usize = 500;
/// Maximum number of documents that are used if they have more than [`MAX_BYTES_TRIED`] together.
const MAX_LARGE_TRIED: usize = 50;
/// From this number of bytes on, fewer documents are used. Trying patterns takes longer than mining them, so without a
/// limit a source of books would take several times as long.
const MAX_BYTES_TRIED: usize = 1 << 23;

/// The documents on which the patterns of a source are tried, evenly spread over all. `bytes` gives the length of a
/// document in bytes.
pub fn sample_of<T>(documents: &[T], bytes: impl Fn(&T) -> usize) -> impl Iterator<Item = &T> {
    let all: usize = documents.iter().map(bytes).sum();
    let that_fit = (MAX_BYTES_TRIED as u128 * documents.len() as u128 / all.max(1) as u128) as usize;
    evenly_spread(documents, that_fit.clamp(MAX_LARGE_TRIED, MAX_DOCUMENTS_TRIED))
}

/// At most `most` elements, evenly spread.
pub fn evenly_spread<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = all.len().min(most);
    (0..count).map(move |index| &all[index * all.len() / count])
}

/// Documents and the matches in them.
#[derive(Debug)]
pub struct Sampled<'t> {
    pub(crate) files: Vec<&'t PatternFile>,
    /// Applies all patterns.
    pub(crate) cleaner: Cleaner,
    pub(crate) samples: Vec<Sample<'t>>,
}

/// One document of the sample.
#[derive(Debug)]
pub(crate) struct Sample<'t> {
    pub(crate) text: &'t str,
    /// Its matches are sorted by pattern, then from left to right.
    pub(crate) reading: Reading,
}

impl<'t> Sampled<'t> {
    /// Reads texts with the patterns of their source and the shared ones. The same text counts once, as in mining. A
    /// text is skipped if the search for a regex that a person wrote gives up. Cleaning skips such documents as well.
    pub fn new<T: AsRef<str> + Sync>(
        own: &'t PatternFile,
        shared: Option<&'t PatternFile>,
        texts: &'t [T],
    ) -> Sampled<'t> {
        let cleaner =
            Cleaner::new(&[own].into_iter().chain(shared).collect::<Vec<&PatternFile>>(), &CleanOptions::default());
        Sampled::read(own, shared, cleaner, texts)
    }

    /// As [`Sampled::new`], with patterns that are compiled already.
    pub(crate) fn read<T: AsRef<str> + Sync>(
        own: &'t PatternFile,
        shared: Option<&'t PatternFile>,
        cleaner: Cleaner,
        texts: &'t [T],
    ) -> Sampled<'t> {
        let files: Vec<&PatternFile> = [own].into_iter().chain(shared).collect();
        let mut seen = FxHashSet::default();
        let texts: Vec<&'t str> = texts.iter().map(AsRef::as_ref).filter(|text| seen.insert(*text)).collect();
        // A new scratch space is slow at first, so each is used for many texts.
        const TEXTS_PER_SCRATCH: usize = 64;
        let read_chunk = |texts: &[&'t str]| {
            let mut scratch = Scratch::default();
            texts.iter().filter_map(|text| Sample::read(&cleaner, &mut scratch, text)).collect::<Vec<Sample>>()
        };
        let samples = texts.par_chunks(TEXTS_PER_SCRATCH).flat_map_iter(read_chunk).collect();
        Sampled { files, cleaner, samples }
    }

    /// The source's own file.
    pub(crate) fn own(&self) -> &'t PatternFile {
        self.files[0]
    }
}

impl<'t> Sample<'t> {
    fn read(cleaner: &Cleaner, scratch: &mut Scratch, text: &'t str) -> Option<Sample<'t>> {
        let mut reading = cleaner.read(scratch, text).ok()?;
        reading.matches.sort_unstable_by_key(|found| (found.pattern, found.tokens.start, found.tokens.end));
        reading.matches.shrink_to_fit();
        Some(Sample { text, reading })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn documents_to_look_at_are_spread_evenly() {
        let all: Vec<usize> = (0..1250).collect();
        let sampled: Vec<usize> = super::sample_of(&all, |_| 1).copied().collect();
        assert_eq!((sampled.len(), sampled[1], sampled[2], sampled[499]), (500, 2, 5, 1247));
        let count = |documents: usize, bytes: usize| super::sample_of(&all[..documents], |_| bytes).count();
        assert_eq!([count(3, 1), count(0, 1), count(3, 1 << 30)], [3, 0, 3]);
        assert_eq!([count(1250, 1 << 14), count(1250, 1 << 15), count(1250, 1 << 20)], [500, 256, 50]);
    }
}
