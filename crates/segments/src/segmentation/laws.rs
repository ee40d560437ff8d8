//! Laws that hold for every page and every method. Tests and fuzzing check them.
//!
//! Functions panic if a law is broken. Panics are the result that proptest and libFuzzer expect.

use super::correlation::Pivot;
use super::paths::outermost;
use super::segmenter::{Distance, Knowledge, Method, Segmenter, Segments};
use super::vision::{MOST_COHERENT, is_visible_leaf, vision_blocks};
use dehusk_core::dom::facts::Facts;
use dehusk_core::html::{Boxes, Rect, Style, Tree, estimated_boxes, read};
use dehusk_core::random::Random;

/// All methods.
pub const METHODS: [Method; 16] = [
    Method::Cuts(Knowledge::ALL),
    Method::Cuts(Knowledge { parents: false, distance: Distance::Learned }),
    Method::Cuts(Knowledge { parents: true, distance: Distance::Metric }),
    Method::Cuts(Knowledge { parents: false, distance: Distance::Metric }),
    Method::Cuts(Knowledge { parents: true, distance: Distance::Euclidean }),
    Method::Clusters { learned: true, pivot: Pivot::Cheaper },
    Method::Clusters { learned: true, pivot: Pivot::Half },
    Method::Clusters { learned: false, pivot: Pivot::Cheaper },
    Method::Sections,
    Method::Vision(2),
    Method::Vision(6),
    Method::Vision(10),
    Method::Subtrees(0),
    Method::Subtrees(2),
    Method::BlockElements,
    Method::Whole,
];

/// Checks the segments of a page by all methods, and its blocks with estimated and with random boxes.
#[track_caller]
pub fn check(html: &str) {
    METHODS.iter().for_each(|&method| check_method(html, method));
    let (text, tree) = read::<Tree>(html);
    for boxes in [estimated_boxes(&tree, &text), random_boxes(&tree, &mut Random::new(html.len() as u64))] {
        check_blocks(&Facts::of(&tree, &text, None, Some(&boxes)));
    }
}

/// Checks the segments of a page by one method.
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

/// Checks that each text is a leaf, each leaf has a group, and groups are numbered by their first leaves.
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

/// Checks that the outermost nodes of the segments do not overlap, and hold each leaf once: in its own segment.
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

/// Random boxes. Some have no area, lie outside of the page, or overlap.
pub fn random_boxes(tree: &Tree, random: &mut Random) -> Boxes {
    // Places are on a grid, so that some boxes begin or end at the same place.
    let step = random.between(1, 40);
    let rect = |_| {
        let mut places = |least: i32, most: usize| (least + random.below(most) as i32) as f32 * step as f32 / 2.0;
        let [left, top, width, height] = [places(-20, 100), places(-20, 100), places(-3, 60), places(-3, 60)];
        random.percent(80).then_some(Rect { left, top, width, height })
    };
    let of = (0..tree.len()).map(rect).collect();
    let mut styles = Style::by_names(tree);
    for style in &mut styles {
        style.background = *random.pick(&[[255; 3], [255; 3], [200; 3]]);
    }
    Boxes { width: random.below(2000) as f32, height: random.below(2000) as f32, of, styles }
}

/// Checks for each degree of coherence that the blocks hold each drawn leaf once, and are in the order of their first
/// nodes; and that blocks of a higher degree are parts of blocks of a lower degree.
///
/// The facts may have any boxes.
#[track_caller]
pub fn check_blocks(facts: &Facts) {
    let tree = facts.tree();
    let leaves: Vec<usize> = (0..tree.len()).filter(|&node| is_visible_leaf(facts, node)).collect();
    // For the degree before: the number of blocks, and the block of each leaf.
    let mut coarser: Option<(usize, Vec<usize>)> = None;
    for permitted in 2..=MOST_COHERENT {
        let blocks = vision_blocks(facts, permitted);
        assert_eq!(blocks, vision_blocks(facts, permitted), "{permitted}");
        assert!(blocks.is_sorted_by(|a, b| a.nodes[0] < b.nodes[0]), "{permitted} {blocks:?}");
        let mut nodes: Vec<(usize, usize)> = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            assert!(block.nodes.is_sorted_by(|a, b| a < b), "{permitted} {block:?}");
            assert!((1..=MOST_COHERENT).contains(&block.coherence), "{permitted} {block:?}");
            // A block below the permitted degree is a leaf, which cannot be divided.
            let is_leaf = || block.nodes.len() == 1 && leaves.binary_search(&(block.nodes[0] as usize)).is_ok();
            assert!(block.coherence >= permitted || is_leaf(), "{permitted} {block:?}");
            nodes.extend(block.nodes.iter().map(|&node| (node as usize, number)));
        }
        nodes.sort_unstable();
        assert!(nodes.is_sorted_by(|a, b| tree.end(a.0) <= b.0), "{permitted} {blocks:?}");
        let (mut held, mut of_leaves) = (Vec::new(), Vec::new());
        for &(node, number) in &nodes {
            let [first, end] = [node, tree.end(node)].map(|at| leaves.partition_point(|&leaf| leaf < at));
            assert!(first < end, "{permitted} {node} {blocks:?}");
            held.extend(first..end);
            of_leaves.resize(held.len(), number);
        }
        assert!(held.iter().copied().eq(0..leaves.len()), "{permitted} {leaves:?} {blocks:?}");
        if let Some((count, of_coarser)) = &coarser {
            let mut pairs: Vec<(usize, usize)> = of_leaves.iter().copied().zip(of_coarser.iter().copied()).collect();
            pairs.sort_unstable();
            pairs.dedup();
            assert!(*count <= blocks.len() && pairs.len() == blocks.len(), "{permitted} {pairs:?}");
        }
        coarser = Some((blocks.len(), of_leaves));
    }
}
