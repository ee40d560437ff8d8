//! Simple ways to divide a page, and the sections of the page-level model. Other methods must beat these.

use super::grouping::Grouping;
use super::parts::Parts;
use dehusk_core::dom::facts::Facts;
use dehusk_core::dom::page_level::{Judged, PageModel, sectioned};

/// The whole page as one segment.
pub fn whole(parts: &Parts) -> Grouping {
    Grouping::of(parts.leaves.iter().map(|_| 0))
}

/// Makes a segment of all leaves that have the same nearest block element around them.
pub fn block_elements(facts: &Facts, parts: &Parts) -> Grouping {
    let tree = facts.tree();
    // The block around each node.
    let mut around = vec![0; tree.len()];
    for node in 1..tree.len() {
        let parent = tree.parent(node).unwrap_or(0);
        around[node] = if tree.is_block(parent) { parent } else { around[parent] };
    }
    Grouping::of(parts.leaf_nodes().map(|leaf| around[leaf]))
}

/// Makes a segment of each element of this depth (the page has depth 0), and of each leaf less deep.
pub fn subtrees(facts: &Facts, parts: &Parts, depth: usize) -> Grouping {
    let tree = facts.tree();
    let around = |leaf: usize| {
        let mut node = leaf;
        while facts.depth(node) as usize > depth {
            let Some(parent) = tree.parent(node) else { break };
            node = parent;
        }
        node
    };
    let mut of: Vec<usize> = Vec::with_capacity(parts.leaves.len());
    let mut last: Option<usize> = None;
    for leaf in parts.leaf_nodes() {
        // The leaves of a subtree follow each other.
        let node = last.filter(|&node| leaf < tree.end(node)).unwrap_or_else(|| around(leaf));
        last = (facts.depth(node) as usize == depth).then_some(node);
        of.push(node);
    }
    Grouping::of(of)
}

/// The sections into which the smoothed scores of a page-level model divide the page.
pub fn sections(facts: &Facts, parts: &Parts, model: &PageModel) -> Grouping {
    let judged = Judged::of(facts);
    let sections = sectioned(facts, &judged, &model.scores(facts, &judged), 1.0).sections;
    Grouping::of(parts.leaf_nodes().map(|node| sections[judged.index_of(node)]))
}

#[cfg(test)]
mod tests {
    use super::super::parts::tests::with_facts;
    use super::*;

    #[test]
    fn simple_groups_by_hand() {
        with_facts("<div><p>a <b>b</b><p>c</div><div>d<ul><li>e</ul>f</div>g", |facts, _| {
            let parts = Parts::of(facts);
            assert_eq!(whole(&parts).groups(), [0; 7]);
            assert_eq!(block_elements(facts, &parts).groups(), [0, 0, 1, 2, 3, 2, 4]);
            assert_eq!(subtrees(facts, &parts, 1).groups(), [0, 0, 0, 1, 1, 1, 2]);
            assert_eq!(subtrees(facts, &parts, 2).groups(), [0, 0, 1, 2, 3, 4, 5]);
            assert_eq!(subtrees(facts, &parts, 0).groups(), [0; 7]);
        });
    }
}
