//! Laws that hold for every page and every method. Tests and fuzzing check them.
//!
//! Functions panic if a law is broken. Panics are the result that proptest and libFuzzer expect.

use super::paths::outermost;
use super::segmenter::{Distance, Knowledge, Method, Segmenter, Segments};
use crate::html::{Tree, read};

/// All methods.
pub const METHODS: [Method; 12] = [
    Method::Cuts(Knowledge::ALL),
    Method::Cuts(Knowledge { parents: false, distance: Distance::Learned }),
    Method::Cuts(Knowledge { parents: true, distance: Distance::Metric }),
    Method::Cuts(Knowledge { parents: false, distance: Distance::Metric }),
    Method::Cuts(Knowledge { parents: true, distance: Distance::Euclidean }),
    Method::Clusters { learned: true },
    Method::Clusters { learned: false },
    Method::Sections,
    Method::Subtrees(0),
    Method::Subtrees(2),
    Method::BlockElements,
    Method::Whole,
];

/// Checks how a page is divided by all methods.
#[track_caller]
pub fn check(html: &str) {
    METHODS.iter().for_each(|&method| check_method(html, method));
}

/// Checks how a page is divided by one method.
#[track_caller]
pub fn check_method(html: &str, method: Method) {
    let divided = || {
        let (text, tree) = read::<Tree>(html);
        (Segmenter::shipped(method).segments(&text, &tree, None, None), tree)
    };
    let (segments, tree) = divided();
    check_groups(html, &tree, &segments);
    check_nodes(html, &tree, &segments);
    assert_eq!(divided().0.grouping, segments.grouping, "{method:?} {html:?}");
}

/// Each text is a leaf, each leaf has a group, and groups are numbered by their first leaves.
#[track_caller]
fn check_groups(html: &str, tree: &Tree, segments: &Segments) {
    let Segments { leaves, grouping, .. } = segments;
    assert!(leaves.is_sorted_by(|a, b| a < b), "{html:?} {leaves:?}");
    assert_eq!(leaves.len(), grouping.groups().len(), "{html:?}");
    assert!(tree.runs().all(|run| leaves.binary_search(&(run as u32)).is_ok()), "{html:?} {leaves:?}");
    let mut next = 0;
    for &group in grouping.groups() {
        assert!(group <= next, "{html:?} {grouping:?}");
        next = next.max(group + 1);
    }
    assert_eq!(next as usize, grouping.count(), "{html:?} {grouping:?}");
}

/// The outermost nodes of the segments follow each other in the page, and hold each leaf once: in its own segment.
#[track_caller]
fn check_nodes(html: &str, tree: &Tree, segments: &Segments) {
    let Segments { leaves, grouping, .. } = segments;
    let mut nodes: Vec<(usize, u32)> = Vec::new();
    for (group, of_group) in (0..).zip(outermost(tree, segments)) {
        assert!(!of_group.is_empty() && of_group.is_sorted(), "{html:?} {group} {of_group:?}");
        nodes.extend(of_group.into_iter().map(|node| (node, group)));
    }
    nodes.sort_unstable();
    assert!(nodes.is_sorted_by(|a, b| tree.end(a.0) <= b.0), "{html:?} {nodes:?}");
    let mut held = Vec::new();
    for &(node, group) in &nodes {
        let [first, end] = [node, tree.end(node)].map(|at| leaves.partition_point(|&leaf| (leaf as usize) < at));
        assert!(grouping.groups()[first..end].iter().all(|&of_leaf| of_leaf == group), "{html:?} {node} {nodes:?}");
        held.extend(first..end);
    }
    assert!(held.iter().copied().eq(0..leaves.len()), "{html:?} {nodes:?} {held:?}");
}
