//! The paths of elements, such as `body/div[2]/ul/li[3]`, and the elements that a group of leaves consists of.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::segmenter::Segments;
use dehusk_core::html::{NodeKind, Tree};

/// Maximum number of steps of a path. Of a longer path, only the last steps are written, after `…`.
const STEPS: usize = 100;

/// The nodes of each segment, in order: the outermost nodes whose leaves are all in the segment.
pub fn outermost(tree: &Tree, segments: &Segments) -> Vec<Vec<usize>> {
    /// The segments of the leaves in a node.
    #[derive(Clone, Copy, PartialEq)]
    enum Of {
        Nothing,
        One(u32),
        Several,
    }
    let mut of = vec![Of::Nothing; tree.len()];
    for (&leaf, &group) in segments.leaves.iter().zip(segments.grouping.groups()) {
        of[leaf as usize] = Of::One(group);
    }
    for node in (1..tree.len()).rev() {
        let parent = tree.parent(node).unwrap_or(0);
        of[parent] = match (of[parent], of[node]) {
            (Of::Nothing, other) | (other, Of::Nothing) => other,
            (one, other) if one == other => one,
            _ => Of::Several,
        };
    }
    let mut nodes = vec![Vec::new(); segments.grouping.count()];
    let mut node = 0;
    while node < tree.len() {
        match of[node] {
            Of::Several => node += 1,
            Of::Nothing => node = tree.end(node),
            Of::One(group) => {
                nodes[group as usize].push(node);
                node = tree.end(node);
            }
        }
    }
    nodes
}

/// The place of each node among the children of its parent that have the same name.
#[derive(Clone, Debug)]
pub struct Paths<'t> {
    tree: &'t Tree,
    /// Counted from 1; 0 if no other child has the name.
    places: Vec<u32>,
}

impl<'t> Paths<'t> {
    /// The paths of a page.
    pub fn of(tree: &'t Tree) -> Paths<'t> {
        let mut counts: FxHashMap<(usize, &str), u32> = FxHashMap::default();
        let mut places = vec![0; tree.len()];
        let key = |node: usize| (tree.parent(node).unwrap_or(0), tree.name(node));
        for (node, place) in places.iter_mut().enumerate().skip(1) {
            let count = counts.entry(key(node)).or_default();
            *count += 1;
            *place = *count;
        }
        for (node, place) in places.iter_mut().enumerate().skip(1) {
            if counts.get(&key(node)) == Some(&1) {
                *place = 0;
            }
        }
        Paths { tree, places }
    }

    /// The path of a node from the page down.
    pub fn path(&self, node: usize) -> String {
        let around = std::iter::once(node).chain(self.tree.ancestors(node));
        let mut steps: Vec<String> = around.take(STEPS + 1).map(|node| self.step(node)).collect();
        if steps.len() > STEPS {
            steps[STEPS] = "…".to_owned();
        }
        steps.reverse();
        steps.join("/")
    }

    fn step(&self, node: usize) -> String {
        let name = match self.tree.kind(node) {
            NodeKind::Text(_) => "text()",
            NodeKind::Element => self.tree.name(node),
        };
        match self.places[node] {
            0 => name.to_owned(),
            place => format!("{name}[{place}]"),
        }
    }
}

/// Joins ranges that touch or overlap. They must be given in order.
pub fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<(usize, usize)> {
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some((_, end)) if range.start <= *end => *end = range.end.max(*end),
            _ => joined.push((range.start, range.end)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::super::grouping::Grouping;
    use super::*;
    use dehusk_core::html::read;

    #[test]
    fn segments_are_told_by_their_outermost_nodes() {
        let (text, tree) = read::<Tree>("<div><p>a<b>b</b></p><p>c</p></div><ul><li>d</ul>e<p></p>");
        let leaves: Vec<u32> = tree.runs().map(|run| run as u32).collect();
        let grouping = Grouping::of([0, 0, 1, 2, 1]);
        let segments = Segments { leaves, grouping, is_capped: false };
        let paths = Paths::of(&tree);
        let of = |nodes: &Vec<usize>| nodes.iter().map(|&node| paths.path(node)).collect::<Vec<String>>();
        let all: Vec<Vec<String>> = outermost(&tree, &segments).iter().map(of).collect();
        assert_eq!(all, [vec!["body/div/p[1]"], vec!["body/div/p[2]", "body/text()"], vec!["body/ul"]]);
        assert_eq!(text.split_whitespace().collect::<String>(), "abcde");
        assert_eq!(joined([0..2, 2..3, 5..6].into_iter()), [(0, 3), (5, 6)]);
    }
}
