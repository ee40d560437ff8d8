//! Detection with cached pages (D. Gibson, K. Punera, A. Tomkins, "The volume and evolution of web page templates", WWW
//! 2005): text that recurs on enough of the cached pages is boilerplate.
//!
//! Two things are counted, each once per page: *windows*, which are runs of words (shingles), and the subtrees of
//! elements. A word is boilerplate if it is in a window or in a subtree that recurs.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use dehusk_core::html::Tree;
use dehusk_core::random::mix;
use dehusk_run::scoring::words::Word;

/// The number of cached pages that have each hash.
#[derive(Debug, Default)]
pub struct Counts(HashMap<u64, u32>);

impl Counts {
    /// Adds a page to the cache.
    pub fn add(&mut self, hashes: &HashSet<u64>) {
        hashes.iter().for_each(|&hash| *self.0.entry(hash).or_default() += 1);
    }

    /// Drops a page from the cache.
    pub fn drop(&mut self, hashes: &HashSet<u64>) {
        for hash in hashes {
            if let Some(count) = self.0.get_mut(hash) {
                *count -= 1;
            }
        }
        if self.0.len() > 1 << 20 {
            self.0.retain(|_, count| *count > 0);
        }
    }

    fn of(&self, hash: u64) -> u32 {
        self.0.get(&hash).copied().unwrap_or(0)
    }
}

/// A hash for each window of this many words.
pub fn windows(words: &[Word], of_words: usize) -> Vec<u64> {
    let hash = |words: &[Word]| words.iter().fold(0, |hash, word| mix(hash ^ word.hash).wrapping_add(word.hash));
    words.windows(of_words).map(hash).collect()
}

/// The bytes of the words in windows that enough pages have, in order.
pub fn recurring_windows(
    words: &[Word],
    windows: &[u64],
    of_words: usize,
    counts: &Counts,
    pages: u32,
) -> Vec<Range<usize>> {
    let mut goes = vec![false; words.len()];
    for (first, &window) in windows.iter().enumerate() {
        if counts.of(window) >= pages {
            goes[first..first + of_words].fill(true);
        }
    }
    words.iter().zip(goes).filter(|(_, goes)| *goes).map(|(word, _)| word.range.clone()).collect()
}

/// The bytes of the outermost subtrees that enough pages have, in order.
pub fn recurring_subtrees(tree: &Tree, subtrees: &[u64], counts: &Counts, pages: u32) -> Vec<Range<usize>> {
    let (mut found, mut node) = (Vec::new(), 0);
    while node < tree.len() {
        if counts.of(subtrees[node]) >= pages {
            found.push(tree.text(node));
            node = tree.end(node);
        } else {
            node += 1;
        }
    }
    found.retain(|range| !range.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use dehusk_core::html::read;
    use dehusk_run::scoring::words::words;

    use super::*;

    #[test]
    fn words_in_windows_that_recur_go() {
        let pages = ["Read the Tide every day", "Ferry late. Read the Tide", "Tide the read"];
        let of_page = |page: &str| -> Vec<u64> { windows(&words(page).collect::<Vec<_>>(), 3) };
        let mut counts = Counts::default();
        let sets: Vec<HashSet<u64>> = pages.iter().map(|page| of_page(page).into_iter().collect()).collect();
        sets.iter().for_each(|set| counts.add(set));
        let removed = |page: usize, counts: &Counts| -> Vec<&str> {
            let words: Vec<Word> = words(pages[page]).collect();
            let found = recurring_windows(&words, &of_page(pages[page]), 3, counts, 2);
            found.into_iter().map(|range| &pages[page][range]).collect()
        };
        assert_eq!(removed(1, &counts), ["Read", "the", "Tide"]);
        assert_eq!(removed(2, &counts), [""; 0]);
        counts.drop(&sets[0]);
        assert_eq!(removed(1, &counts), [""; 0], "the page is no longer in the cache");
    }

    #[test]
    fn the_outermost_subtrees_that_recur_go() {
        let (text, tree) = read::<Tree>("<ul><li>Home<li>Sport</ul><p>Ferry late</p>");
        let (_, other) = read::<Tree>("<ul><li>Home<li>Sport</ul><p>Choir wins</p>");
        let hashes = tree.subtree_hashes(&text);
        let mut counts = Counts::default();
        counts.add(&hashes.iter().copied().collect());
        counts.add(&other.subtree_hashes("Home\nSport\n\nChoir wins").into_iter().collect());
        let found = recurring_subtrees(&tree, &hashes, &counts, 2);
        assert_eq!(found.len(), 1);
        assert!(text[found[0].clone()].starts_with("Home") && text[found[0].clone()].ends_with("Sport"));
    }
}
