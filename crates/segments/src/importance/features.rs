//! The features of a block: the 42 of Song, Liu, Wen and Ma (WWW 2004, section 2.4), in their order, and the hints that
//! the names of its elements give, which the paper does not have.

use std::iter::successors;

use crate::segmentation::vision::VisionBlock;
use dehusk_core::dom::facts::{Area, Count, Facts};
use dehusk_core::dom::naming::{HINTS, hints_of, nearest_hints};
use dehusk_core::html::{NodeKind, Tree};

/// Number of features of the paper.
const PUBLISHED: usize = 42;
/// Number of features.
pub const IMPORTANCE_WIDTH: usize = PUBLISHED + HINTS;
/// Number of elements around a block whose names count, itself included.
const NAMED_AROUND: usize = 6;
/// The height of the window, in pixels.
const WINDOW_HEIGHT: f64 = 768.0;
/// The height of the head and of the foot of a page, in pixels. Each is half of the page at most.
const HEADER: f64 = 200.0;

/// The features of a block.
pub type Vector = [f64; IMPORTANCE_WIDTH];

/// A feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockFeature {
    /// The name of the feature in model files.
    pub name: &'static str,
    /// Whether it describes the place and the size of the block, and not its content.
    pub is_spatial: bool,
    /// Whether it is a length, a number or an area without a limit. Models can learn from its logarithm.
    pub is_amount: bool,
    /// Whether the paper has it. Only names are not published.
    pub is_published: bool,
}

const fn place(name: &'static str) -> BlockFeature {
    BlockFeature { name, is_spatial: true, is_amount: false, is_published: true }
}

const fn amount(name: &'static str) -> BlockFeature {
    BlockFeature { name, is_spatial: false, is_amount: true, is_published: true }
}

const fn share(name: &'static str) -> BlockFeature {
    BlockFeature { name, is_spatial: false, is_amount: false, is_published: true }
}

const fn hint(name: &'static str) -> BlockFeature {
    BlockFeature { name, is_spatial: false, is_amount: false, is_published: false }
}

/// All features. The first 20 are absolute, the next 20 are relative to the page, and 2 to the window. The last ones are
/// those of names, in the order of the hints.
pub const FEATURES: [BlockFeature; IMPORTANCE_WIDTH] = [
    place("center-x"),
    place("center-y"),
    place("width"),
    place("height"),
    share("font-size"),
    share("font-weight"),
    amount("text-length"),
    amount("html-length"),
    amount("images"),
    amount("image-area"),
    amount("links"),
    amount("link-text-length"),
    amount("fields"),
    amount("field-area"),
    amount("forms"),
    amount("form-area"),
    amount("options"),
    amount("option-text-length"),
    amount("table-parts"),
    amount("paragraphs"),
    place("relative-center-x"),
    place("relative-center-y"),
    place("relative-width"),
    place("relative-height"),
    share("relative-font-size"),
    share("relative-font-weight"),
    share("relative-text-length"),
    share("relative-html-length"),
    share("relative-images"),
    share("relative-image-area"),
    share("relative-links"),
    share("relative-link-text-length"),
    share("relative-fields"),
    share("relative-field-area"),
    share("relative-forms"),
    share("relative-form-area"),
    share("relative-options"),
    share("relative-option-text-length"),
    share("relative-table-parts"),
    share("relative-paragraphs"),
    place("window-height"),
    place("window-center-y"),
    hint("named-comment"),
    hint("named-post"),
    hint("named-navigation"),
    hint("named-related"),
    hint("named-social"),
    hint("named-advert"),
    hint("named-meta"),
    hint("named-caption"),
    hint("named-side"),
    hint("named-tags"),
    hint("named-legal"),
    hint("named-content"),
    hint("named-product"),
    hint("named-title"),
];

/// Number of absolute features, which is also the number of features relative to the page.
const ABSOLUTE: usize = 20;
/// Number of features of the place of a block, which come first.
const PLACE_FEATURES: usize = 4;

/// The facts of a page that the features of all its blocks need.
#[derive(Debug)]
pub struct PageTotals<'f, 'p> {
    facts: &'f Facts<'p>,
    /// Width and height of the page.
    size: [f64; 2],
    /// The features 5 to 20 of the whole page.
    content: [f64; ABSOLUTE - PLACE_FEATURES],
}

impl<'f, 'p> PageTotals<'f, 'p> {
    /// The totals of a page. `html` is the number of its bytes. Without boxes all places are 0.
    pub fn of(facts: &'f Facts<'p>, html: usize) -> PageTotals<'f, 'p> {
        let size = facts.boxes().map_or([0.0; 2], |boxes| [boxes.width, boxes.height].map(f64::from));
        let mut content = content(facts, &[0]);
        content[3] = html as f64;
        PageTotals { facts, size, content }
    }

    /// The features of a block.
    pub fn features(&self, block: &VisionBlock) -> Vector {
        let mut features = self.published_features(block);
        features[PUBLISHED..].copy_from_slice(&names(self.facts.tree(), &block.nodes));
        features
    }

    /// The features of a block that the paper has. All others are 0.
    pub fn published_features(&self, block: &VisionBlock) -> Vector {
        let [width, height] = self.size;
        let rect = block.rect;
        let [left, top, own_width, own_height] = [rect.left, rect.top, rect.width, rect.height].map(f64::from);
        let places = [left + own_width / 2.0, top + own_height / 2.0, own_width, own_height];
        let content = content(self.facts, &block.nodes);
        let mut features = [0.0; IMPORTANCE_WIDTH];
        features[..PLACE_FEATURES].copy_from_slice(&places);
        features[PLACE_FEATURES..ABSOLUTE].copy_from_slice(&content);
        for (at, of_page) in [width, height, width, height].iter().chain(&self.content).enumerate() {
            features[ABSOLUTE + at] = if *of_page > 0.0 { features[at] / of_page } else { 0.0 };
        }
        features[2 * ABSOLUTE] = own_height / WINDOW_HEIGHT;
        features[2 * ABSOLUTE + 1] = window_center(places[1], height);
        features
    }
}

/// The features 5 to 20 of some nodes: maxima of the fonts, sums of all others.
fn content(facts: &Facts, nodes: &[u32]) -> [f64; ABSOLUTE - PLACE_FEATURES] {
    let nodes = || nodes.iter().map(|&node| node as usize);
    let sum = |of: &dyn Fn(usize) -> f64| nodes().map(of).sum::<f64>();
    let count = |of: Count| sum(&|node| f64::from(facts.count(node, of)));
    let area = |of: Area| sum(&|node| facts.area_of(node, of));
    let [font, weight] = nodes()
        .map(|node| largest_font(facts, node))
        .fold([0.0f64; 2], |[font, weight], other| [font.max(other[0]), weight.max(other[1])]);
    [
        font,
        weight,
        sum(&|node| f64::from(facts.chars(node))),
        sum(&|node| facts.html(node) as f64),
        count(Count::Images),
        area(Area::Images),
        count(Count::Links),
        count(Count::LinkChars),
        count(Count::Inputs),
        area(Area::Inputs),
        count(Count::Forms),
        area(Area::Forms),
        count(Count::Options),
        count(Count::OptionChars),
        count(Count::TableParts),
        count(Count::Paragraphs),
    ]
}

/// For each hint, 1 if one of the nodes gives it, 1/2 if the element around one does, and so on.
fn names(tree: &Tree, nodes: &[u32]) -> [f64; HINTS] {
    let mut nearest = [0.0f64; HINTS];
    for &node in nodes {
        // The page is around everything.
        let around = successors(Some(node as usize), |&node| tree.parent(node)).take_while(|&node| node > 0);
        let of_node = nearest_hints(around.take(NAMED_AROUND).map(|node| hints_of(tree, node)));
        nearest.iter_mut().zip(of_node).for_each(|(nearest, of_node)| *nearest = nearest.max(of_node.into()));
    }
    nearest
}

/// The largest size in pixels and the largest weight of the letters in a node.
fn largest_font(facts: &Facts, node: usize) -> [f64; 2] {
    let Some(boxes) = facts.boxes() else { return [0.0; 2] };
    let tree = facts.tree();
    let runs = (node..tree.end(node)).filter(|&inside| matches!(tree.kind(inside), NodeKind::Text(_)));
    runs.map(|run| boxes.styles[run])
        .fold([0.0f64; 2], |[font, weight], style| [font.max(style.font.into()), weight.max(style.weight.into())])
}

/// The place of the middle of a block, on a page of any length: 0 to 1/2 in the head of the page, 1/2 to 1 in its foot,
/// and 1/2 between the two.
fn window_center(y: f64, page: f64) -> f64 {
    let header = HEADER.min(page / 2.0);
    if header <= 0.0 {
        return 0.5;
    }
    let y = y.clamp(0.0, page);
    if y < header {
        y / (2.0 * header)
    } else if y <= page - header {
        0.5
    } else {
        1.0 - (page - y) / (2.0 * header)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use dehusk_core::dom::naming::HINT_NAMES;
    use dehusk_core::html::{Boxes, Rect, Style, Tree, read};

    const PAGE: &str = "<html><head><title>Big bridge opens - Site</title></head><body><div id=nav><a href=/a>Home</a> <a \
                        href=http://o.example/>Other</a></div><div id=main><h1>Big bridge opens</h1><p>The bridge opens <a \
                        href=/b>today</a>.</p><img src=x width=200 height=100></div><div id=foot><form><input \
                        type=text></form></div></body></html>";

    /// The features of the three parts of the page.
    fn parts() -> Vec<Vector> {
        let (text, tree) = read::<Tree>(PAGE);
        let rect = |left: f32, top: f32, width: f32, height: f32| Some(Rect { left, top, width, height });
        let mut boxes =
            Boxes { width: 1000.0, height: 1000.0, of: vec![None; tree.len()], styles: Style::by_names(&tree) };
        boxes.of[0] = rect(0.0, 0.0, 1000.0, 1000.0);
        let divs: Vec<usize> = (0..tree.len()).filter(|&node| tree.name(node) == "div").collect();
        let places = [rect(0.0, 0.0, 1000.0, 100.0), rect(0.0, 100.0, 800.0, 800.0), rect(0.0, 900.0, 1000.0, 100.0)];
        for (&div, place) in divs.iter().zip(places) {
            boxes.of[div] = place;
        }
        let image = (0..tree.len()).find(|&node| tree.name(node) == "img").unwrap();
        boxes.of[image] = rect(0.0, 300.0, 200.0, 100.0);
        let facts = Facts::of(&tree, &text, Some("http://s.example/"), Some(&boxes));
        let totals = PageTotals::of(&facts, PAGE.len());
        let block = |(&div, place): (&usize, Option<Rect>)| VisionBlock {
            nodes: vec![div as u32],
            rect: place.unwrap(),
            coherence: 6,
        };
        divs.iter().zip(places).map(block).map(|block| totals.features(&block)).collect()
    }

    fn named(features: &Vector, name: &str) -> f64 {
        features[FEATURES.iter().position(|feature| feature.name == name).unwrap()]
    }

    #[test]
    fn the_worked_page() {
        assert_eq!(PAGE.len(), 320);
        let [nav, main, foot] = &parts()[..] else { panic!("three parts") };
        assert_eq!(main[..4], [400.0, 500.0, 800.0, 800.0]);
        assert_eq!(named(main, "text-length"), 40.0);
        assert_eq!(named(main, "html-length"), 121.0);
        assert_eq!(named(main, "relative-html-length"), 121.0 / 320.0);
        assert_eq!(named(main, "images"), 1.0);
        assert_eq!(named(main, "image-area"), 20_000.0);
        assert_eq!(named(main, "relative-image-area"), 1.0);
        assert_eq!(named(main, "links"), 1.0);
        assert_eq!(named(main, "link-text-length"), 5.0);
        assert_eq!(named(main, "paragraphs"), 1.0);
        assert_eq!(main[20..24], [0.4, 0.5, 0.8, 0.8]);
        assert_eq!(named(main, "relative-links"), 1.0 / 3.0);
        assert_eq!(named(main, "relative-link-text-length"), 5.0 / 14.0);
        assert_eq!(named(main, "relative-table-parts"), 0.0);
        assert_eq!(named(main, "window-height"), 800.0 / 768.0);
        assert_eq!(named(main, "window-center-y"), 0.5);
        assert_eq!(named(nav, "window-center-y"), 0.125);
        assert_eq!(named(foot, "window-center-y"), 0.875);
        assert_eq!(named(foot, "fields"), 1.0);
        assert_eq!(named(foot, "relative-fields"), 1.0);
        assert_eq!(named(main, "font-size"), 32.0);
        assert_eq!(named(nav, "relative-font-size"), 0.5);
        assert_eq!([nav, main, foot].map(|block| named(block, "named-navigation")), [1.0, 0.0, 1.0]);
        assert_eq!([nav, main, foot].map(|block| named(block, "named-content")), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn each_feature_has_a_name_of_its_own() {
        let mut names: Vec<&str> = FEATURES.iter().map(|feature| feature.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), IMPORTANCE_WIDTH);
        assert_eq!(FEATURES.iter().filter(|feature| feature.is_spatial).count(), 10);
        assert_eq!(FEATURES.iter().position(|feature| !feature.is_published), Some(PUBLISHED));
        let named = FEATURES[PUBLISHED..].iter().map(|feature| feature.name);
        assert!(named.eq(HINT_NAMES.map(|hint| format!("named-{hint}"))), "in the order of the hints");
        // The relative ones are in the order of the absolute ones.
        for at in 0..ABSOLUTE {
            assert_eq!(FEATURES[ABSOLUTE + at].name, format!("relative-{}", FEATURES[at].name));
        }
    }

    #[test]
    fn names_around_a_block_count_less() {
        let (_, tree) = read::<Tree>("<body class=post><div class=comments><div><p id=share>a</p></div></div></body>");
        let share = (0..tree.len()).find(|&node| tree.name(node) == "p").unwrap();
        let all = names(&tree, &[share as u32]);
        let of = |name: &str| all[HINT_NAMES.iter().position(|hint| *hint == name).unwrap()];
        assert_eq!([of("social"), of("comment"), of("post")], [1.0, f64::from(1.0f32 / 3.0), 0.0]);
    }

    proptest! {
        #[test]
        fn the_place_in_the_window_is_continuous_and_a_share(page in 0.0f64..3000.0, share in 0.0f64..1.0) {
            let y = page * share;
            let at = window_center(y, page);
            prop_assert!((0.0..=1.0).contains(&at));
            for near in [y - 1e-6, y + 1e-6] {
                let step = (window_center(near, page) - at).abs();
                // The slope is at most 1 over the height of two heads.
                prop_assert!(step <= 1e-6 / (2.0 * HEADER.min(page / 2.0)).max(1e-9) + 1e-9);
            }
        }
    }
}
