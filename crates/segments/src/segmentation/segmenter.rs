//! Divides a page by one of several methods.

use std::ops::Range;
use std::sync::Arc;

use super::correlation::{Pivot, cluster};
use super::energy::{Energy, Neighbours, UNIT_OF_COST};
use super::expansion::minimise;
use super::grouping::Grouping;
use super::model::{Scene, SegmentModel};
use super::parts::Parts;
use super::simple::{block_elements, sections, subtrees, whole};
use super::vision::vision_blocks;
use dehusk_core::dom::facts::{Count, Facts};
use dehusk_core::dom::page_level::{LEAST_AREA, PageModel};
use dehusk_core::html::{Boxes, Tree};

/// Maximum number of labels of a page. Each takes a cut.
const LABELS: usize = 300;
/// Maximum product of the numbers of labels and of leaves. A cut of many leaves takes longer.
const LABELS_AND_LEAVES: usize = 500_000;
/// Minimum number of labels.
const FEW_LABELS: usize = 8;
/// Maximum number of leaves that are clustered together. A page with more leaves is clustered in stretches of this
/// many.
const CLUSTERED: usize = 2000;
/// Number of trials of each clustering.
const TRIALS: usize = 25;

/// A method to divide a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By minimum cuts (GCuts).
    Cuts(Knowledge),
    /// By correlation clustering of leaves (CClus).
    Clusters {
        /// Whether anything is learned.
        learned: bool,
        /// Which leaves a cluster is made of.
        pivot: Pivot,
    },
    /// The sections of the page-level model.
    Sections,
    /// The blocks that people see (VIPS), divided up to this degree of coherence.
    Vision(u8),
    /// A segment for each element of this depth.
    Subtrees(usize),
    /// A segment for each block element.
    BlockElements,
    /// The whole page.
    Whole,
}

/// The knowledge that cuts use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knowledge {
    /// Whether it costs something to part children from their parents.
    pub parents: bool,
    /// How the distance of a part from a label is measured.
    pub distance: Distance,
}

/// The distance of a part from a label: another part that may be in the same segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// The probability that they are of different segments.
    Learned,
    /// The distance of their features by the learned metric.
    Metric,
    /// The distance of their features. Nothing learned is used, not even for neighbours.
    Euclidean,
}

impl Knowledge {
    /// All knowledge that cuts can use.
    pub const ALL: Knowledge = Knowledge { parents: true, distance: Distance::Learned };
}

/// A page that is divided.
#[derive(Clone, Debug)]
pub struct Segments {
    /// The nodes that are leaves, in the order of the page.
    pub leaves: Vec<u32>,
    /// The segment of each leaf.
    pub grouping: Grouping,
    /// Whether the page has more labels than are tried, or more leaves than are compared.
    pub is_capped: bool,
}

impl Segments {
    /// The segment whose leaves cover the largest area; of equal ones, the one with the most words. `None` if there are
    /// no segments.
    pub fn largest(&self, facts: &Facts) -> Option<usize> {
        let size = |members: &Vec<usize>| {
            let leaves = || members.iter().map(|&leaf| self.leaves[leaf] as usize);
            (
                leaves().map(|leaf| facts.area(leaf)).sum::<f64>(),
                leaves().map(|leaf| facts.count(leaf, Count::Words)).sum::<u32>(),
            )
        };
        let sizes: Vec<(f64, u32)> = self.grouping.members().iter().map(size).collect();
        // The first of equal ones.
        (0..sizes.len()).rev().max_by(|&a, &b| sizes[a].0.total_cmp(&sizes[b].0).then(sizes[a].1.cmp(&sizes[b].1)))
    }

    /// The texts of a segment, as ranges of the visible text.
    pub fn texts<'a>(&'a self, tree: &'a Tree, segment: usize) -> impl Iterator<Item = Range<usize>> + 'a {
        let is_of = move |(_, group): &(&u32, &u32)| **group as usize == segment;
        let leaves = self.leaves.iter().zip(self.grouping.groups()).filter(is_of);
        leaves.map(|(&leaf, _)| tree.text(leaf as usize)).filter(|range| !range.is_empty())
    }
}

/// Divides pages.
#[derive(Clone, Debug)]
pub struct Segmenter {
    /// The method.
    pub method: Method,
    /// The model for cuts and clusters.
    pub model: Arc<SegmentModel>,
    /// The model for sections.
    pub page_model: Arc<PageModel>,
    /// The weight of the costs of separating parts, relative to the costs of parts in their segments. `None` for that
    /// of the model.
    pub lambda: Option<f64>,
}

impl Segmenter {
    /// Divides pages by this method, with the models that come with dehusk.
    pub fn shipped(method: Method) -> Segmenter {
        Segmenter { method, model: SegmentModel::shipped(), page_model: PageModel::shipped(), lambda: None }
    }

    /// Divides a page. Without boxes, the places of its nodes are estimated.
    pub fn segments(&self, text: &str, tree: &Tree, url: Option<&str>, boxes: Option<&Boxes>) -> Segments {
        Facts::with_boxes(tree, text, url, boxes, |facts| self.of_facts(facts))
    }

    /// Divides the page with these facts, which must have boxes.
    pub fn of_facts(&self, facts: &Facts) -> Segments {
        let (parts, grouping, is_capped) = match self.method {
            Method::Cuts(knowledge) => {
                let scene = Scene::of(facts);
                let (grouping, is_capped) = cuts(&scene, &self.model, knowledge, self.lambda);
                (scene.parts, grouping, is_capped)
            }
            Method::Clusters { learned, pivot } => {
                let scene = Scene::of(facts);
                let grouping = clusters(&scene, &self.model, learned, pivot, self.lambda);
                let is_capped = scene.parts.leaves.len() > CLUSTERED;
                (scene.parts, grouping, is_capped)
            }
            Method::Sections => with_parts(facts, |parts| sections(facts, parts, &self.page_model)),
            Method::Vision(permitted) => with_parts(facts, |parts| by_blocks(facts, parts, permitted)),
            Method::Subtrees(depth) => with_parts(facts, |parts| subtrees(facts, parts, depth)),
            Method::BlockElements => with_parts(facts, |parts| block_elements(facts, parts)),
            Method::Whole => with_parts(facts, whole),
        };
        Segments { leaves: parts.leaf_nodes().map(|node| node as u32).collect(), grouping, is_capped }
    }
}

/// The segments of a page by minimum cuts, and whether there are more labels than are tried.
pub fn cuts(scene: &Scene, model: &SegmentModel, knowledge: Knowledge, lambda: Option<f64>) -> (Grouping, bool) {
    let parts = &scene.parts;
    if parts.leaves.len() < 2 {
        return (whole(parts), false);
    }
    let lambda = lambda.unwrap_or(model.lambda[0]);
    let price = |probability: f64| (lambda * probability * f64::from(UNIT_OF_COST)).round() as u32;
    let (labels, is_capped) = labels(parts);
    let data = distances(scene, model, &labels, knowledge.distance);
    let edges = edges(scene, model, knowledge).into_iter().map(price).collect();
    let neighbour = |&(a, b): &(u32, u32)| {
        let [p, q] = [a, b].map(|leaf| parts.leaves[leaf as usize]);
        let together = match knowledge.distance {
            Distance::Euclidean => model.alike(scene, p as usize, q as usize),
            _ => model.neighbours_together(scene, p as usize, q as usize),
        };
        Neighbours { p, q, price: price(together) }
    };
    let neighbours = scene.neighbours.iter().map(neighbour).collect();
    let energy = Energy::new(parts.parents.clone(), labels.len(), data, vec![0; parts.len()], edges, neighbours);
    let labels = minimise(&energy, 0).labels;
    (Grouping::of(parts.leaves.iter().map(|&leaf| labels[leaf as usize])), is_capped)
}

/// The distance of each part from each label.
fn distances(scene: &Scene, model: &SegmentModel, labels: &[usize], distance: Distance) -> Vec<u32> {
    let parts = scene.parts.len();
    let units = |distance: f64| (distance * f64::from(UNIT_OF_COST)).round() as u32;
    let mut all = Vec::with_capacity(parts * labels.len());
    if distance == Distance::Learned {
        let comparison = model.comparison(scene);
        for part in 0..parts {
            all.extend(labels.iter().map(|&label| units(1.0 - comparison.is_of(part, label))));
        }
        return all;
    }
    let points = model.points(scene, distance == Distance::Metric);
    for point in &points {
        let of_label = |&label: &usize| {
            let squares: f64 = point.iter().zip(&points[label]).map(|(a, b)| (a - b) * (a - b)).sum();
            units(squares.sqrt())
        };
        all.extend(labels.iter().map(of_label));
    }
    all
}

/// The cost of separating each part from its parent. If the parent is sure to be in one segment, its children cost 1
/// together.
fn edges(scene: &Scene, model: &SegmentModel, knowledge: Knowledge) -> Vec<f64> {
    let parts = &scene.parts;
    let mut children = vec![0.0f64; parts.len()];
    parts.parents.iter().skip(1).for_each(|&parent| children[parent as usize] += 1.0);
    let mut edges = match knowledge {
        Knowledge { parents: false, .. } => vec![0.0; parts.len()],
        Knowledge { distance: Distance::Euclidean, .. } => vec![1.0; parts.len()],
        _ => model.parents_whole(scene),
    };
    for (edge, &parent) in edges.iter_mut().zip(&parts.parents).skip(1) {
        *edge /= children[parent as usize];
    }
    edges
}

/// The segments of a page by correlation clustering of its leaves.
pub fn clusters(scene: &Scene, model: &SegmentModel, learned: bool, pivot: Pivot, lambda: Option<f64>) -> Grouping {
    let stretch = |(number, leaves): (usize, &[u32])| {
        let lambda = lambda.unwrap_or(model.lambda[1]);
        let clusters = cluster_of(scene, leaves, model, learned, pivot, lambda);
        clusters.into_iter().map(move |cluster| (number, cluster)).collect::<Vec<(usize, u32)>>()
    };
    Grouping::of(scene.parts.leaves.chunks(CLUSTERED).enumerate().flat_map(stretch))
}

fn cluster_of(
    scene: &Scene,
    leaves: &[u32],
    model: &SegmentModel,
    learned: bool,
    pivot: Pivot,
    lambda: f64,
) -> Vec<u32> {
    let together = |a: usize, b: usize| {
        let [a, b] = [a, b].map(|leaf| leaves[leaf] as usize);
        let together = match learned {
            true => model.leaves_together(scene, a, b),
            false => model.alike(scene, a, b),
        };
        together as f32
    };
    cluster(leaves.len(), together, lambda, pivot, TRIALS, 0).0
}

/// The block of each leaf. A leaf that is not drawn is in the block of the leaf before it.
fn by_blocks(facts: &Facts, parts: &Parts, permitted: u8) -> Grouping {
    let tree = facts.tree();
    let blocks = vision_blocks(facts, permitted);
    let of_nodes = blocks.iter().zip(0u32..).flat_map(|(block, of)| block.nodes.iter().map(move |&node| (node, of)));
    let mut of_nodes: Vec<(u32, u32)> = of_nodes.collect();
    of_nodes.sort_unstable();
    let mut last = 0;
    let of_leaf = |leaf: usize| {
        // The last node of a block that begins before the leaf or with it.
        let at = of_nodes.partition_point(|&(node, _)| node as usize <= leaf);
        if let Some(&(node, block)) = at.checked_sub(1).map(|at| &of_nodes[at])
            && leaf < tree.end(node as usize)
        {
            last = block;
        }
        last
    };
    Grouping::of(parts.leaf_nodes().map(of_leaf).collect::<Vec<u32>>())
}

fn with_parts(facts: &Facts, group: impl FnOnce(&Parts) -> Grouping) -> (Parts, Grouping, bool) {
    let parts = Parts::of(facts);
    let grouping = group(&parts);
    (parts, grouping, false)
}

/// The labels of a page: the page, and all parts that are large enough and not leaves, in the order of the page. Of too
/// many, only the largest are kept. Also returns whether there were too many.
pub fn labels(parts: &Parts) -> (Vec<usize>, bool) {
    let is_label = |&part: &usize| part > 0 && !parts.is_leaf(part) && parts.areas[part] >= LEAST_AREA;
    let mut labels: Vec<usize> = (0..parts.len()).filter(is_label).collect();
    let most = (LABELS_AND_LEAVES / parts.leaves.len().max(1)).clamp(FEW_LABELS, LABELS) - 1;
    let is_capped = labels.len() > most;
    if is_capped {
        labels.sort_by(|&a, &b| parts.areas[b].total_cmp(&parts.areas[a]).then(a.cmp(&b)));
        labels.truncate(most);
        labels.sort_unstable();
    }
    labels.insert(0, 0);
    (labels, is_capped)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::laws::{METHODS, check_method};
    use super::*;
    use dehusk_core::html::{estimated_boxes, read};

    fn groups(page: &str, segmenter: &Segmenter) -> Vec<u32> {
        let (text, tree) = read::<Tree>(page);
        segmenter.segments(&text, &tree, None, None).grouping.groups().to_vec()
    }

    fn story() -> String {
        let link = |number: usize| format!("<li><a href=/{number}>Section {number}</a></li>");
        let menu: String = (0..12).map(link).collect();
        let paragraph =
            "<p>The ferry came in late on Tuesday, and nobody on the quay knew why it had taken so long.</p>";
        format!(
            "<nav><ul>{menu}</ul></nav><article><h1>A late ferry</h1>{}</article><footer><p>Terms of use</p></footer>",
            paragraph.repeat(6)
        )
    }

    #[test]
    fn a_menu_and_an_article_are_different_segments() {
        for method in [Method::Cuts(Knowledge::ALL), Method::Clusters { learned: true, pivot: Pivot::Cheaper }] {
            let groups = groups(&story(), &Segmenter::shipped(method));
            let (menu, article) = (&groups[..12], &groups[13..19]);
            assert!(menu.iter().all(|group| *group == menu[0]), "{method:?} {groups:?}");
            assert!(article.iter().all(|group| *group == article[0]), "{method:?} {groups:?}");
            assert_ne!(menu[0], article[0], "{method:?}");
        }
    }

    #[test]
    fn the_largest_segment_is_the_article() {
        let page = story();
        let (text, tree) = read::<Tree>(&page);
        let boxes = estimated_boxes(&tree, &text);
        let facts = Facts::of(&tree, &text, None, Some(&boxes));
        let segments = Segmenter::shipped(Method::Cuts(Knowledge::ALL)).of_facts(&facts);
        let largest = segments.largest(&facts).unwrap();
        let told: String = segments.texts(&tree, largest).map(|range| &text[range]).collect();
        assert_eq!(told.matches("nobody on the quay").count(), 6, "{told}");
        assert!(!told.contains("Section 3"), "{told}");
    }

    #[test]
    fn a_great_lambda_gives_one_segment() {
        for method in [Method::Cuts(Knowledge::ALL), Method::Clusters { learned: true, pivot: Pivot::Cheaper }] {
            let segmenter = Segmenter { lambda: Some(1000.0), ..Segmenter::shipped(method) };
            assert!(groups(&story(), &segmenter).iter().all(|&group| group == 0), "{method:?}");
        }
    }

    #[test]
    fn a_page_without_leaves_has_no_segments() {
        for method in METHODS {
            assert!(groups("", &Segmenter::shipped(method)).is_empty());
            assert_eq!(groups("one", &Segmenter::shipped(method)), [0]);
            assert!(groups("<div></div><p><b></b>", &Segmenter::shipped(method)).is_empty());
        }
    }

    /// Without optimisation, tests divide the sizes in this module by this number.
    const PART: usize = if cfg!(debug_assertions) { 128 } else { 1 };

    fn all_end(pages: &[String]) {
        for method in METHODS {
            for page in pages {
                assert!(!groups(page, &Segmenter::shipped(method)).is_empty());
            }
        }
    }

    #[test]
    fn deep_pages_end() {
        let depth = 65_536 / PART;
        let pages = ["<div>", "<div>a", "<div>a<p>b</p>"]
            .map(|open| format!("{}x{}", open.repeat(depth), "</div>".repeat(depth)));
        all_end(&pages);
    }

    #[test]
    fn wide_pages_end() {
        let items = 20_000 / PART;
        let linked: String = (0..items).map(|item| format!("<li><a href=/{item}>Section {item}</a> more")).collect();
        all_end(&[format!("<ul>{}</ul>", "<li>x y</li>".repeat(items)), format!("<ul>{linked}</ul>")]);
    }

    #[test]
    fn pages_of_many_leaves_end() {
        let part =
            "<div><h2>Head</h2><ul><li><a href=/a>one</a><li><a href=/b>two</a></ul><p>It came late.</p><img></div>";
        let table = "<table><tr><td>a<td>b<td><ul><li>c<li>d</ul><p>e</table>";
        all_end(&[
            part.repeat(2000 / PART),
            table.repeat(2000 / PART),
            format!("<table>{}", table.repeat(2000 / PART)),
        ]);
    }

    proptest! {
        #[test]
        fn laws_hold_for_all_pages_and_methods(
            parts in prop::collection::vec(prop::sample::select(vec![
                "<div>", "</div>", "<p>", "<ul><li>", "</ul>", "<a href=/a>link</a>", "One two three. ", "<img width=300 height=200>",
                "<table><tr><td>", "<td>", "<tr>", "</table>", "<h2>Head</h2>", "<input>", "<hr>", "<b>bold</b>", "<br>",
            ]), 0..60),
            method in 0..METHODS.len(),
        ) {
            check_method(&parts.concat(), METHODS[method]);
        }
    }
}
