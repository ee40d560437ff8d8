//! (tests) Pages whose HTML says where the elements are drawn.

use super::looks::Looks;
use dehusk_core::dom::facts::Facts;
use dehusk_core::html::{Attribute, Boxes, NodeKind, Rect, Style, Tree, read};

/// Calls a function with the facts and the looks of a page of 1000 by 1000 pixels. The `id` of an element is its box:
/// left, top, width, height. Text is drawn in the nearest box around it. In the `class` of an element, `b200` is a grey
/// background, `f20` the size of the font, and `w600` the weight of the font.
pub fn with_drawn<T>(page: &str, use_them: impl FnOnce(&Facts, &Looks, &str) -> T) -> T {
    let (text, tree) = read::<Tree>(page);
    let mut styles = Style::by_names(&tree);
    for node in 0..tree.len() {
        if let Some(parent) = tree.parent(node) {
            styles[node].background = styles[parent].background;
            if matches!(tree.kind(node), NodeKind::Text(_)) {
                styles[node] = styles[parent];
            }
        }
        for word in tree.attribute(node, Attribute::Class).unwrap_or("").split_whitespace() {
            let (kind, value) = word.split_at(1);
            match kind {
                "b" => styles[node].background = [value.parse().unwrap(); 3],
                "f" => styles[node].font = value.parse().unwrap(),
                "w" => styles[node].weight = value.parse().unwrap(),
                _ => panic!("{word}"),
            }
        }
    }
    let place = |node: usize| {
        let place: Vec<f32> =
            tree.attribute(node, Attribute::Id)?.split(' ').map(|number| number.parse().unwrap()).collect();
        Some(Rect { left: place[0], top: place[1], width: place[2], height: place[3] })
    };
    let rect = |node: usize| match tree.kind(node) {
        NodeKind::Text(_) => tree.ancestors(node).find_map(place),
        NodeKind::Element => place(node),
    };
    let of = (0..tree.len()).map(rect).collect();
    let boxes = Boxes { width: 1000.0, height: 1000.0, of, styles };
    let facts = Facts::of(&tree, &text, None, Some(&boxes));
    use_them(&facts, &Looks::of(&facts).unwrap(), &text)
}

/// The name of an element, or the words of a text.
pub fn called<'t>(tree: &'t Tree, text: &'t str, node: usize) -> &'t str {
    match tree.kind(node) {
        NodeKind::Text(_) => text[tree.text(node)].trim(),
        NodeKind::Element => tree.name(node),
    }
}
