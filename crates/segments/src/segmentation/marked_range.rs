//! Parts of a page that people marked, as ranges of bytes.

use std::cmp::Reverse;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use dehusk_core::html::Tree;

/// Why a file of marked parts cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarkedError {
    /// The file cannot be read.
    #[error("{path:?}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The error.
        error: std::io::Error,
    },
    /// A line is not as it should be.
    #[error("{path:?}, line {line}: {problem}; a line is such as {example}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// The problem.
        problem: String,
        /// A line as it should be.
        example: &'static str,
    },
}

/// A line of a file of marked parts.
pub trait MarkedLine: DeserializeOwned {
    /// A line as it should be.
    const EXAMPLE: &'static str;

    /// The bytes that are marked.
    fn bytes(&self) -> &[(usize, usize)];
}

/// Reads the lines of a file, and calls `take` with each line. If a line is wrong, `take` returns the problem.
///
/// # Errors
/// If the file cannot be read, or a line is not valid.
pub fn read_marked<L: MarkedLine>(
    path: &Path,
    mut take: impl FnMut(L) -> Result<(), String>,
) -> Result<(), MarkedError> {
    let unread = |error| MarkedError::Read { path: path.to_owned(), error };
    let reader = BufReader::new(std::fs::File::open(path).map_err(unread)?);
    for (number, line) in (1..).zip(reader.lines()) {
        let line = line.map_err(unread)?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |problem| MarkedError::Line { path: path.to_owned(), line: number, problem, example: L::EXAMPLE };
        let record: L = serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
        if let Some((start, end)) = record.bytes().iter().find(|(start, end)| start >= end) {
            return Err(wrong(format!("the bytes {start} to {end} are no range")));
        }
        take(record).map_err(wrong)?;
    }
    Ok(())
}

/// A range of bytes of something marked.
#[derive(Clone, Debug)]
pub struct MarkedRange<T> {
    /// The bytes.
    pub bytes: Range<usize>,
    /// The value that the mark gives them.
    pub value: T,
    /// Number of bytes in all ranges of the same marked thing.
    size: usize,
}

/// The ranges of one marked thing.
pub fn marked_ranges<T: Clone>(bytes: &[(usize, usize)], value: T) -> impl Iterator<Item = MarkedRange<T>> {
    let size = bytes.iter().map(|(start, end)| end - start).sum();
    bytes.iter().map(move |&(start, end)| MarkedRange { bytes: start..end, value: value.clone(), size })
}

/// For each leaf, the value of the smallest marked thing around it, or `None` without one. The leaves must be in the
/// order of the page.
pub fn smallest_around<T: Clone>(
    ranges: &[MarkedRange<T>],
    tree: &Tree,
    leaves: impl Iterator<Item = usize>,
) -> Vec<Option<T>> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.sort_by_key(|&at| (ranges[at].bytes.start, Reverse(ranges[at].bytes.end)));
    // The ranges that are open at a leaf.
    let (mut open, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
    let of_leaf = |leaf: usize| {
        let at = tree.bytes(leaf).start;
        while next < order.len() && ranges[order[next]].bytes.start <= at {
            open.push(order[next]);
            next += 1;
        }
        open.retain(|&range| ranges[range].bytes.end > at);
        open.iter().map(|&range| &ranges[range]).min_by_key(|range| range.size).map(|range| range.value.clone())
    };
    leaves.map(of_leaf).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use dehusk_core::html::read;

    fn values(page: &str, things: &[Vec<(usize, usize)>]) -> Vec<Option<usize>> {
        let (_, tree) = read::<Tree>(page);
        let ranges: Vec<MarkedRange<usize>> =
            (0..).zip(things).flat_map(|(thing, bytes)| marked_ranges(bytes, thing)).collect();
        smallest_around(&ranges, &tree, tree.runs())
    }

    const PAGE: &str = "<p>a</p><p>b</p><p>c</p><p>d</p>";

    #[test]
    fn the_smallest_thing_around_a_leaf_counts() {
        assert_eq!(values(PAGE, &[]), [None; 4]);
        assert_eq!(values(PAGE, &[vec![(0, 24)], vec![(8, 16)]]), [Some(0), Some(1), Some(0), None]);
        // The byte at the end of a range is not in the range.
        assert_eq!(values(PAGE, &[vec![(3, 11)]]), [Some(0), None, None, None]);
        assert_eq!(values(PAGE, &[vec![(3, 12)]]), [Some(0), Some(0), None, None]);
        assert_eq!(values(PAGE, &[vec![(4, 12)]]), [None, Some(0), None, None]);
    }

    #[test]
    fn the_size_of_a_thing_is_that_of_all_its_ranges() {
        // The second thing has the smallest range, and is larger than the first.
        assert_eq!(
            values(PAGE, &[vec![(0, 16)], vec![(0, 8), (16, 24), (24, 32)]]),
            [Some(0), Some(0), Some(1), Some(1)]
        );
        // They overlap without one being in the other.
        assert_eq!(values(PAGE, &[vec![(0, 24)], vec![(8, 24)], vec![(16, 32)]]), [Some(0), Some(1), Some(1), Some(2)]);
    }

    proptest! {
        #[test]
        fn each_leaf_has_the_smallest_range_around_it(
            bytes in prop::collection::vec((0usize..40, 1usize..20), 0..12),
        ) {
            let page = PAGE.repeat(2);
            let things: Vec<Vec<(usize, usize)>> = bytes.iter().map(|&(start, size)| vec![(start, start + size)]).collect();
            let (_, tree) = read::<Tree>(&page);
            for (run, found) in tree.runs().zip(values(&page, &things)) {
                let at = tree.bytes(run).start;
                let sizes = bytes.iter().filter(|(start, size)| (*start..start + size).contains(&at)).map(|(_, size)| *size);
                prop_assert_eq!(found.map(|thing| bytes[thing].1), sizes.min());
            }
        }
    }
}
