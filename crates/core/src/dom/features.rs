//! The features by which a page-level model judges a node.

use super::facts::{Area, Count, Facts};

/// Number of features.
pub const FEATURES: usize = 31;

/// Their names, in order.
pub const NAMES: [&str; FEATURES] = [
    "margin-near",
    "margin-left",
    "margin-right",
    "margin-top",
    "margin-bottom",
    "from-center",
    "width",
    "height",
    "area",
    "aspect",
    "first-screen",
    "links-per-word",
    "linked-text",
    "anchor-words",
    "anchor-area",
    "intra-site",
    "visible",
    "title",
    "words",
    "links",
    "nodes",
    "depth",
    "images",
    "image-area",
    "controls",
    "in-sentences",
    "run-words",
    "digits",
    "capitals",
    "items",
    "has-boxes",
];

/// The height of the part of a page that is seen first, in pixels.
const SCREEN: f64 = 768.0;

/// The features of a node, in the order of [`NAMES`]. Features that are unknown without a box are NaN.
pub fn features(facts: &Facts, node: usize) -> [f32; FEATURES] {
    let count = |fact: Count| f64::from(facts.count(node, fact));
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let area = facts.area(node);
    let (words, links) = (count(Count::Words), count(Count::Links));
    let nodes = facts.nodes(node) as f64;
    let [margin_left, margin_right, margin_top, margin_bottom, from_center, width, height, aspect, first_screen] =
        geometry(facts, node);
    let margin_near = [margin_right, margin_top, margin_bottom].into_iter().fold(margin_left, f64::min);
    let all = [
        margin_near,
        margin_left,
        margin_right,
        margin_top,
        margin_bottom,
        from_center,
        width,
        height,
        share(area, facts.area(0)),
        aspect,
        first_screen,
        links / words.max(1.0),
        count(Count::LinkWords) / words.max(1.0),
        share(count(Count::LinkWords), links),
        share(facts.area_of(node, Area::Links), area),
        share(count(Count::IntraLinks), links),
        share(f64::from(facts.chars(node)), facts.html(node) as f64),
        facts.title(node),
        words.ln_1p(),
        links.ln_1p(),
        nodes.ln_1p(),
        f64::from(facts.depth(node)).ln_1p(),
        count(Count::Images).ln_1p(),
        share(facts.area_of(node, Area::Images), area),
        count(Count::Inputs).ln_1p(),
        share(count(Count::SentenceWords), words),
        share(words, count(Count::Runs)),
        share(count(Count::Digits), f64::from(facts.chars(node))),
        share(count(Count::Capitals), words),
        share(count(Count::Items), nodes),
        f64::from(u8::from(facts.rect(node).is_some())),
    ];
    all.map(|value| value as f32)
}

/// Margins, distance from the center, width, height, aspect, and the number of screens above. All are NaN without a
/// box.
fn geometry(facts: &Facts, node: usize) -> [f64; 9] {
    let Some((boxes, rect)) = facts.boxes().zip(facts.rect(node)) else { return [f64::NAN; 9] };
    let [page_width, page_height] = [boxes.width, boxes.height].map(|side| f64::from(side).max(1.0));
    let [left, top, width, height] = [rect.left, rect.top, rect.width, rect.height].map(f64::from);
    let [across, down] = [left + width / 2.0, top + height / 2.0];
    let [across, down] = [across / (page_width / 2.0) - 1.0, down / (page_height / 2.0) - 1.0];
    [
        left / page_width,
        (page_width - left - width) / page_width,
        top / page_height,
        (page_height - top - height) / page_height,
        across.hypot(down) / std::f64::consts::SQRT_2,
        width / page_width,
        (height / page_height).min(1.0),
        (width.max(1.0) / height.max(1.0)).ln(),
        (top / SCREEN).min(3.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{ADDRESS, PAGE, boxes_of, node_of};
    use super::*;
    use crate::html::{Tree, read};

    #[test]
    fn features_of_a_page_by_hand() {
        let (text, tree) = read::<Tree>(PAGE);
        let boxes = boxes_of(&tree);
        let facts = Facts::of(&tree, &text, Some(ADDRESS), Some(&boxes));
        let is = |id: &str, expected: &[(&str, f64)]| {
            let features = features(&facts, node_of(&tree, id));
            for &(name, value) in expected {
                let index = NAMES.iter().position(|other| *other == name).expect("a feature");
                assert!((f64::from(features[index]) - value).abs() < 1e-6, "{id} {name} {}", features[index]);
            }
        };
        is(
            "nav",
            &[
                ("links-per-word", 1.0),
                ("linked-text", 1.0),
                ("anchor-words", 1.0),
                ("intra-site", 0.5),
                ("visible", 10.0 / 73.0),
                ("margin-near", 0.0),
                ("from-center", 0.636_396_1),
                ("area", 0.1),
                ("title", 0.0),
                ("has-boxes", 1.0),
            ],
        );
        is(
            "main",
            &[
                ("links-per-word", 1.0 / 7.0),
                ("linked-text", 1.0 / 7.0),
                ("visible", 40.0 / 121.0),
                ("from-center", 0.141_421_4),
                ("title", 0.75),
                ("images", 2.0f64.ln()),
                ("image-area", 20_000.0 / 640_000.0),
                ("margin-right", 0.2),
                ("first-screen", 100.0 / 768.0),
            ],
        );
    }

    #[test]
    fn without_boxes_only_places_are_unknown() {
        let (text, tree) = read::<Tree>(PAGE);
        let facts = Facts::of(&tree, &text, None, None);
        let unknown: Vec<&str> =
            NAMES.iter().zip(features(&facts, 0)).filter(|(_, value)| value.is_nan()).map(|(name, _)| *name).collect();
        assert_eq!(unknown.len(), 10);
        assert!(!unknown.contains(&"area") && unknown.contains(&"margin-near"));
        // On an empty page, only the features that need boxes are not finite numbers.
        let (text, tree) = read::<Tree>("");
        let features = features(&Facts::of(&tree, &text, None, None), 0);
        assert!(features.iter().zip(NAMES).all(|(value, name)| value.is_finite() || unknown.contains(&name)));
    }
}
