//! The parts of a page that are put into segments: its leaves, and the elements in which it branches.
//!
//! A leaf is a run of text, or an element that shows something of its own: a picture, a field. Elements without a leaf
//! are left out. Of nested elements with the same leaves, only the innermost is a part.

use dehusk_core::dom::facts::Facts;
use dehusk_core::html::{NodeKind, Rect, Tree};

/// The parts of a page, in preorder.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The node of each part.
    pub nodes: Vec<u32>,
    /// The part around each part; `u32::MAX` for the first.
    pub parents: Vec<u32>,
    /// For each part, the number of the first part after its content.
    pub ends: Vec<u32>,
    /// The parts that are leaves, in order.
    pub leaves: Vec<u32>,
    /// The number of parts around each part.
    pub depths: Vec<u32>,
    /// Where each part is drawn. A node without a box takes the place of the node around it.
    pub rects: Vec<Rect>,
    /// The area of each part, in square pixels.
    pub areas: Vec<f64>,
}

impl Parts {
    /// The parts of a page.
    pub fn of(facts: &Facts) -> Parts {
        let tree = facts.tree();
        // For each node: the number of its leaves, and of its children that have leaves.
        let mut leaves = vec![0u32; tree.len()];
        let mut branches = vec![0u32; tree.len()];
        for node in (0..tree.len()).rev() {
            leaves[node] += u32::from(is_leaf(tree, node));
            if let Some(parent) = tree.parent(node).filter(|_| leaves[node] > 0) {
                leaves[parent] += leaves[node];
                branches[parent] += 1;
            }
        }

        let mut parts = Parts::default();
        let mut part_around = vec![u32::MAX; tree.len()];
        let mut rects: Vec<Rect> = Vec::with_capacity(tree.len());
        let nowhere = Rect { left: 0.0, top: 0.0, width: 0.0, height: 0.0 };
        for node in 0..tree.len() {
            let parent = tree.parent(node);
            let around = parent.map_or(u32::MAX, |parent| part_around[parent]);
            rects.push(facts.rect(node).unwrap_or_else(|| parent.map_or(nowhere, |parent| rects[parent])));
            let is_leaf = is_leaf(tree, node);
            part_around[node] = around;
            if is_leaf || branches[node] > 1 {
                part_around[node] = parts.nodes.len() as u32;
                let depth = parts.depths.get(around as usize).map_or(0, |depth| depth + 1);
                if is_leaf {
                    parts.leaves.push(parts.nodes.len() as u32);
                }
                parts.nodes.push(node as u32);
                parts.parents.push(around);
                parts.ends.push(parts.nodes.len() as u32);
                parts.depths.push(depth);
                parts.rects.push(rects[node]);
                parts.areas.push(facts.area(node));
            }
        }

        for part in (1..parts.len()).rev() {
            let parent = parts.parents[part] as usize;
            parts.ends[parent] = parts.ends[parent].max(parts.ends[part]);
        }
        parts
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the page has no parts.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of a part.
    pub fn node(&self, part: usize) -> usize {
        self.nodes[part] as usize
    }

    /// Whether a part is a leaf.
    pub fn is_leaf(&self, part: usize) -> bool {
        self.ends[part] as usize == part + 1
    }

    /// The nodes that are leaves, in order.
    pub fn leaf_nodes(&self) -> impl ExactSizeIterator<Item = usize> {
        self.leaves.iter().map(|&leaf| self.node(leaf as usize))
    }
}

/// Whether a node shows something of its own.
pub fn is_leaf(tree: &Tree, node: usize) -> bool {
    match tree.kind(node) {
        NodeKind::Text(_) => true,
        NodeKind::Element => {
            let name = tree.name(node);
            let shows = matches!(name, "img" | "input" | "select" | "textarea" | "button" | "hr" | "iframe" | "video")
                || matches!(name, "audio" | "object" | "embed" | "canvas" | "svg");
            shows && tree.end(node) == node + 1
        }
    }
}

/// Finds the nearest part around two parts of a tree, in constant time.
#[derive(Clone, Debug)]
pub struct Ancestors {
    /// For each power of two and each part: of this many parts from this one on, the one with the smallest depth.
    levels: Vec<Vec<u32>>,
}

impl Ancestors {
    /// Prepares the parts of a page. Takes O(n log n) time.
    pub fn of(parts: &Parts) -> Ancestors {
        let mut levels: Vec<Vec<u32>> = vec![(0..parts.len() as u32).collect()];
        let mut width = 1;
        while 2 * width <= parts.len() {
            let last = &levels[levels.len() - 1];
            let least = |at: usize| least_deep(parts, last[at], last[at + width]);
            levels.push((0..=parts.len() - 2 * width).map(least).collect());
            width *= 2;
        }
        Ancestors { levels }
    }

    /// The innermost part that holds both parts; it may be one of the two.
    pub fn nearest(&self, parts: &Parts, a: usize, b: usize) -> usize {
        let (first, last) = (a.min(b), a.max(b));
        if (last as u32) < parts.ends[first] {
            return first;
        }
        // Of the parts after the first up to the last, the one with the smallest depth is a child of the part around
        // both.
        let level = (last - first).ilog2() as usize;
        let (low, high) = (self.levels[level][first + 1], self.levels[level][last + 1 - (1 << level)]);
        parts.parents[least_deep(parts, low, high) as usize] as usize
    }
}

fn least_deep(parts: &Parts, a: u32, b: u32) -> u32 {
    if parts.depths[b as usize] < parts.depths[a as usize] { b } else { a }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use dehusk_core::html::{estimated_boxes, read};
    use dehusk_core::random::Random;

    /// Calls a function with the facts of a page whose boxes are estimated.
    pub(in crate::segmentation) fn with_facts<T>(page: &str, use_them: impl FnOnce(&Facts, &str) -> T) -> T {
        let (text, tree) = read::<Tree>(page);
        let boxes = estimated_boxes(&tree, &text);
        use_them(&Facts::of(&tree, &text, None, Some(&boxes)), &text)
    }

    #[test]
    fn elements_around_the_same_leaves_count_once() {
        let page = "<div><ul><li><a href=/>one</a></li><li><b></b>two<img></li></ul></div><div></div><p>three";
        with_facts(page, |facts, text| {
            let parts = Parts::of(facts);
            let tree = facts.tree();
            let name = |part: usize| match tree.name(parts.node(part)) {
                "" => text[tree.text(parts.node(part))].trim(),
                name => name,
            };
            let names: Vec<&str> = (0..parts.len()).map(name).collect();
            assert_eq!(names, ["body", "ul", "one", "li", "two", "img", "three"]);
            assert_eq!(parts.parents, [u32::MAX, 0, 1, 1, 3, 3, 0]);
            assert_eq!(parts.ends, [7, 6, 3, 6, 5, 6, 7]);
            assert_eq!(parts.leaves, [2, 4, 5, 6]);
            assert_eq!(parts.depths, [0, 1, 2, 2, 3, 3, 1]);
        });
    }

    #[test]
    fn the_nearest_part_around_two_is_that_of_a_walk_upwards() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let mut page = String::new();
            for _ in 0..random.below(40) {
                page += ["<div>", "</div>", "<ul><li>", "word ", "<img>", "<p>"][random.below(6)];
            }
            with_facts(&page, |facts, _| {
                let parts = Parts::of(facts);
                let ancestors = Ancestors::of(&parts);
                let holds = |outer: usize, inner: usize| outer <= inner && inner < parts.ends[outer] as usize;
                for a in 0..parts.len() {
                    for b in 0..parts.len() {
                        let expected = (0..parts.len()).rev().find(|&outer| holds(outer, a) && holds(outer, b));
                        assert_eq!(Some(ancestors.nearest(&parts, a, b)), expected, "{page} {a} {b}");
                    }
                }
            });
        }
    }
}
