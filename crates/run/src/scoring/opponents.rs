//! A simple rule to beat: drop the lines that a source repeats.
//!
//! This is what most people would do first. Numbers in a line are ignored, so that "Page 3" and "17 comments" count as
//! repeated.

use rustc_hash::{FxHashMap, FxHashSet};

/// For each line, the number of documents of a source that have it.
///
/// ```
/// use dehusk_run::scoring::opponents::LineCounts;
///
/// let counts = LineCounts::of(["Page 1\nFerry late", "Choir wins\n Page 23"]);
/// assert_eq!(counts.strip("Page 1\nFerry late", 2), "Ferry late");
/// ```
#[derive(Debug, Default)]
pub struct LineCounts {
    documents: usize,
    by_line: FxHashMap<String, usize>,
}

impl LineCounts {
    /// Counts the lines of all documents of a source.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> LineCounts {
        let mut counts = LineCounts::default();
        for text in texts {
            let lines: FxHashSet<String> = text.lines().map(masked).collect();
            lines.into_iter().for_each(|line| *counts.by_line.entry(line).or_default() += 1);
            counts.documents += 1;
        }
        counts
    }

    /// The number of documents in a share of the source, but at least two.
    pub fn documents_of_share(&self, share: f64) -> usize {
        ((share * self.documents as f64).ceil() as usize).max(2)
    }

    /// The number of documents that have this line.
    pub fn count(&self, line: &str) -> usize {
        self.by_line.get(&masked(line)).copied().unwrap_or(0)
    }

    /// The text without the lines that are in at least this many documents.
    pub fn strip(&self, text: &str, min_documents: usize) -> String {
        let is_rare = |line: &&str| self.count(line) < min_documents;
        text.lines().filter(is_rare).collect::<Vec<&str>>().join("\n")
    }
}

/// The line as it is counted: trimmed, with each number replaced by 0.
pub fn masked(line: &str) -> String {
    let mut masked: Vec<char> = line.trim().chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    masked.dedup_by(|b, a| (*a, *b) == ('0', '0'));
    masked.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_once_a_document() {
        let counts = LineCounts::of(["ad\nad\nstory", "other"]);
        assert_eq!(counts.strip("ad\nstory\nad", 2), "ad\nstory\nad");
        assert_eq!(counts.strip("ad\nstory\nnew", 1), "new");
    }

    #[test]
    fn numbers_and_white_space_do_not_count() {
        let counts = LineCounts::of(["  12 March 2024\r\nx", "3 March 1999 \ny"]);
        assert_eq!(counts.strip("100 March 2000\nMarch\n7 7 March 7\nx", 2), "March\n7 7 March 7\nx");
    }

    #[test]
    fn a_share_is_at_least_two_documents() {
        let of = |documents| LineCounts::of(vec![""; documents]).documents_of_share(0.2);
        assert_eq!([1, 5, 10, 11, 100].map(of), [2, 2, 2, 3, 20]);
    }
}
