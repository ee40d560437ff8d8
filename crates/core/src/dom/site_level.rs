//! Site-level template detection: subtrees that recur on the pages of a site are boilerplate.
//!
//! The pages of a source are compared by the hashes of their subtrees. The recurring subtrees, together with the text
//! that recurs, label the examples from which a page-level model is learned ([`labels`]).

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::html::{NodeKind, Tree};

/// A subtree on more than this share of the pages is boilerplate.
pub const THETA: f64 = 0.1;
/// A node is boilerplate if more than this share of it is.
const COVERED: f64 = 0.85;

/// Counts, for each subtree, the pages of a site that have it.
#[derive(Clone, Debug, Default)]
pub struct SiteLevel {
    pages: u32,
    /// For each hash, the number of pages that have it, and the last of these pages.
    seen: FxHashMap<u64, (u32, u32)>,
}

impl SiteLevel {
    /// Counts the subtrees of a page, each once.
    pub fn add(&mut self, hashes: &[u64]) {
        self.pages += 1;
        for &hash in hashes {
            let (count, last) = self.seen.entry(hash).or_default();
            if *last != self.pages {
                (*count, *last) = (*count + 1, self.pages);
            }
        }
    }

    /// Whether a subtree is on more than the share `theta` of the pages, and on at least 2 pages.
    pub fn is_template(&self, hash: u64, theta: f64) -> bool {
        let count = self.seen.get(&hash).map_or(0, |&(count, _)| count);
        count >= 2 && f64::from(count) > theta * f64::from(self.pages)
    }
}

/// The evidence by which a node is labelled as boilerplate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// Its subtree recurs on other pages, or most of its markup is in such subtrees.
    Hash,
    /// Most of its text is in the ranges that the caller gives as removed. Nodes without text have no label.
    Text,
    /// Either of the two, or most of its text is removed or in recurring subtrees.
    Both,
}

/// For each node of a page, whether it is boilerplate. `recurs` says for each node whether its subtree recurs.
/// `removed` has the ranges of the visible text that are removed, in order.
pub fn labels(tree: &Tree, recurs: &[bool], removed: &[Range<usize>], by: Labels) -> Vec<Option<bool>> {
    let by_hash = covered(tree, recurs);
    let no_node = vec![false; tree.len()];
    let by_text = removed_shares(tree, if by == Labels::Both { recurs } else { &no_node }, removed);
    let is_of_text = |node: usize| by_text[node].map(|share| share > COVERED);
    let label = |node: usize| match by {
        Labels::Hash => Some(by_hash[node]),
        Labels::Text => is_of_text(node),
        Labels::Both => Some(by_hash[node] || is_of_text(node) == Some(true)),
    };
    (0..tree.len()).map(label).collect()
}

/// For each node, whether it recurs, or recurring nodes inside it cover most of it.
fn covered(tree: &Tree, recurs: &[bool]) -> Vec<bool> {
    let mut bytes = vec![0usize; tree.len()];
    let mut covered = vec![false; tree.len()];
    for node in (0..tree.len()).rev() {
        let all = tree.bytes(node).len();
        covered[node] = recurs[node] || bytes[node] as f64 > COVERED * all as f64;
        if recurs[node] {
            bytes[node] = all;
        }
        if let Some(parent) = tree.parent(node) {
            bytes[parent] += bytes[node];
        }
    }
    covered
}

/// For each node, the share of its text that is removed or in a recurring node. `None` if it has no text.
fn removed_shares(tree: &Tree, recurs: &[bool], removed: &[Range<usize>]) -> Vec<Option<f64>> {
    let mut all = vec![0usize; tree.len()];
    let mut gone = vec![0usize; tree.len()];
    let (mut template_end, mut first) = (0, 0);
    for node in 0..tree.len() {
        if recurs[node] {
            template_end = template_end.max(tree.end(node));
        }
        let NodeKind::Text(_) = tree.kind(node) else { continue };
        let run = tree.text(node);
        while removed.get(first).is_some_and(|range| range.end <= run.start) {
            first += 1;
        }
        let inside = removed[first..].iter().take_while(|range| range.start < run.end);
        let bytes: usize = inside.map(|range| range.end.min(run.end) - range.start.max(run.start)).sum();
        all[node] = run.len();
        gone[node] = if node < template_end { run.len() } else { bytes };
    }
    for node in (1..tree.len()).rev() {
        if let Some(parent) = tree.parent(node) {
            all[parent] += all[node];
            gone[parent] += gone[node];
        }
    }
    let share = |(gone, all): (usize, usize)| (all > 0).then(|| gone as f64 / all as f64);
    gone.into_iter().zip(all).map(share).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::html::{Attribute, read};

    #[test]
    fn exactly_the_share_is_too_little() {
        let site = |with: u32| {
            let mut site = SiteLevel::default();
            (0..100).for_each(|page| site.add(&[if page < with { 1 } else { 2 + u64::from(page) }, 1000]));
            site
        };
        assert!(!site(10).is_template(1, THETA));
        assert!(site(11).is_template(1, THETA));
        let mut small = SiteLevel::default();
        small.add(&[1, 1, 1]);
        assert!(!small.is_template(1, THETA), "a page counts once, and one page is not enough");
        small.add(&[1]);
        assert!(small.is_template(1, THETA));
        assert!(!small.is_template(9, THETA));
    }

    fn labelled(page: &str, recurring: &str, removed: &str, by: Labels) -> Vec<String> {
        let (text, tree) = read::<Tree>(page);
        let starts: Vec<Range<usize>> =
            removed.split_whitespace().filter_map(|part| text.find(part).map(|at| at..at + part.len())).collect();
        let recurs: Vec<bool> = (0..tree.len())
            .map(|node| tree.attribute(node, Attribute::Id).is_some_and(|id| recurring.contains(id)))
            .collect();
        let labels = labels(&tree, &recurs, &starts, by);
        let named = |node: usize| tree.attribute(node, Attribute::Id).map(str::to_owned);
        (0..tree.len()).filter(|&node| labels[node] == Some(true)).filter_map(named).collect()
    }

    #[test]
    fn a_node_that_is_covered_is_template() {
        let page = "<div id=a><p id=b>one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen</p></div><div id=c><p id=d>xx</p>yy</div>";
        assert_eq!(labelled(page, "b d", "", Labels::Hash), ["a", "b", "d"]);
        assert_eq!(labelled(page, "d", "", Labels::Hash), ["d"]);
        assert_eq!(labelled(page, "", "xx yy", Labels::Text), ["c", "d"]);
        assert_eq!(labelled(page, "", "xx yy", Labels::Hash), [""; 0]);
        // One half is found by hash, the other half by text.
        assert_eq!(labelled(page, "d", "yy", Labels::Both), ["c", "d"]);
    }

    #[test]
    fn what_has_no_text_has_no_label_by_text() {
        let (_, tree) = read::<Tree>("<p>x<img>");
        let labels = labels(&tree, &vec![false; tree.len()], &[], Labels::Text);
        assert_eq!(labels.iter().filter(|label| label.is_none()).count(), 1);
    }

    /// A subtree as text.
    fn serialised(tree: &Tree, text: &str, node: usize) -> String {
        let mut all = format!("<{}", tree.name(node));
        let shown = [Attribute::Href, Attribute::Src, Attribute::Alt, Attribute::Action, Attribute::Value];
        tree.attributes(node)
            .filter(|(attribute, _)| shown.contains(attribute))
            .for_each(|(attribute, value)| all += &format!(" {attribute:?}={value:?}"));
        if let NodeKind::Text(_) = tree.kind(node) {
            all += &format!(" text={:?}", text[tree.text(node)].split_whitespace().collect::<Vec<_>>());
        }
        let mut child = node + 1;
        while child < tree.end(node) {
            all += &serialised(tree, text, child);
            child = tree.end(child);
        }
        all + ">"
    }

    const PIECES: &[&str] = &[
        "<p>",
        "<div>",
        "</div>",
        "<a href=x>",
        "<a href=y>",
        "</a>",
        "<img alt=x>",
        "x",
        "y",
        "x y",
        "<ul>",
        "<li>",
        "</ul>",
    ];

    proptest! {
        #[test]
        fn it_is_what_a_comparison_of_all_subtrees_finds(
            pages in prop::collection::vec(prop::collection::vec(prop::sample::select(PIECES), 0..12), 1..8),
            theta in 0.0f64..0.9,
        ) {
            let pages: Vec<(String, Tree)> = pages.iter().map(|pieces| read::<Tree>(&pieces.concat())).collect();
            let mut site = SiteLevel::default();
            pages.iter().for_each(|(text, tree)| site.add(&tree.subtree_hashes(text)));
            let subtrees = |(text, tree): &(String, Tree)| -> Vec<String> {
                (0..tree.len()).map(|node| serialised(tree, text, node)).collect()
            };
            let all: Vec<Vec<String>> = pages.iter().map(subtrees).collect();
            for ((text, tree), of_page) in pages.iter().zip(&all) {
                for (hash, subtree) in tree.subtree_hashes(text).into_iter().zip(of_page) {
                    let on = all.iter().filter(|others| others.contains(subtree)).count();
                    prop_assert_eq!(site.is_template(hash, theta), on >= 2 && on as f64 > theta * all.len() as f64);
                }
            }
        }
    }
}
