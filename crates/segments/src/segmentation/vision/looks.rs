//! The facts about the nodes of a page that the rules need.

use crate::segmentation::parts::is_leaf;
use dehusk_core::dom::facts::Facts;
use dehusk_core::html::{Boxes, NodeKind, Rect, Style, Tree};

/// The looks of the nodes of a page.
pub struct Looks<'p> {
    pub tree: &'p Tree,
    boxes: &'p Boxes,
    /// Where each node is drawn. A node without a box of its own is where its content is. `None` if nothing of the node
    /// is drawn.
    rects: Vec<Option<Rect>>,
    /// The fonts of the text in each node.
    fonts: Vec<Option<Fonts>>,
    /// Whether each node is text, or an inline element with nothing but text in it.
    is_text: Vec<bool>,
    page: f64,
}

/// The fonts of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fonts {
    /// Smallest and largest size, in pixels.
    pub size: [f32; 2],
    /// Smallest and largest weight.
    pub weight: [u16; 2],
}

impl Fonts {
    fn of(style: &Style) -> Fonts {
        Fonts { size: [style.font; 2], weight: [style.weight; 2] }
    }

    fn and(self, other: Fonts) -> Fonts {
        Fonts {
            size: [self.size[0].min(other.size[0]), self.size[1].max(other.size[1])],
            weight: [self.weight[0].min(other.weight[0]), self.weight[1].max(other.weight[1])],
        }
    }

    /// Whether all letters have the same size and weight.
    pub fn are_same(&self) -> bool {
        self.size[0] == self.size[1] && self.weight[0] == self.weight[1]
    }
}

/// Whether a node is a text, a picture or a field that is drawn. A horizontal rule separates blocks, and does not
/// count.
pub fn is_visible_leaf(facts: &Facts, node: usize) -> bool {
    is_leaf(facts.tree(), node) && facts.tree().name(node) != "hr" && leaf_rect(facts, node).is_some()
}

/// Where a leaf is drawn. Text without a box of its own is where the element around it is.
fn leaf_rect(facts: &Facts, node: usize) -> Option<Rect> {
    let around = || match facts.tree().kind(node) {
        NodeKind::Text(_) => facts.tree().parent(node).and_then(|parent| facts.rect(parent)),
        NodeKind::Element => None,
    };
    facts.rect(node).or_else(around).filter(is_on_page)
}

fn is_on_page(rect: &Rect) -> bool {
    rect.width > 0.0 && rect.height > 0.0 && rect.left + rect.width > 0.0 && rect.top + rect.height > 0.0
}

impl<'p> Looks<'p> {
    /// The looks of the nodes of a page; `None` without boxes.
    pub fn of(facts: &Facts<'p>) -> Option<Looks<'p>> {
        let (tree, boxes) = (facts.tree(), facts.boxes()?);
        let mut rects: Vec<Option<Rect>> = vec![None; tree.len()];
        let mut fonts: Vec<Option<Fonts>> = vec![None; tree.len()];
        let mut is_text: Vec<bool> = (0..tree.len()).map(|node| is_inline(tree, node)).collect();
        for node in (0..tree.len()).rev() {
            if is_visible_leaf(facts, node) {
                rects[node] = leaf_rect(facts, node);
                is_text[node] = matches!(tree.kind(node), NodeKind::Text(_));
                fonts[node] = is_text[node].then(|| Fonts::of(&boxes.styles[node]));
            } else if rects[node].is_some() {
                // Until now, this was the rectangle around its content.
                rects[node] = facts.rect(node).filter(is_on_page).or(rects[node]);
            }
            let (Some(parent), Some(rect)) = (tree.parent(node), rects[node]) else { continue };
            rects[parent] = Some(rects[parent].map_or(rect, |of_others| of_others.and(rect)));
            fonts[parent] = match (fonts[parent], fonts[node]) {
                (Some(of_others), Some(own)) => Some(of_others.and(own)),
                (of_others, own) => of_others.or(own),
            };
            is_text[parent] &= is_text[node];
        }
        let page = f64::from(boxes.width) * f64::from(boxes.height);
        Some(Looks { tree, boxes, rects, fonts, is_text, page })
    }

    /// Whether anything of a node is drawn.
    pub fn is_drawn(&self, node: usize) -> bool {
        self.rects[node].is_some()
    }

    /// Where a node is drawn.
    pub fn rect(&self, node: usize) -> Rect {
        self.rects[node].unwrap_or(Rect { left: 0.0, top: 0.0, width: 0.0, height: 0.0 })
    }

    /// The node's own box, whatever its content is. `None` if it is not on the page.
    pub fn own_rect(&self, node: usize) -> Option<Rect> {
        self.boxes.of[node].filter(is_on_page)
    }

    /// The fonts of the text in a node, if it has any.
    pub fn fonts(&self, node: usize) -> Option<Fonts> {
        self.fonts[node]
    }

    /// The color behind a node.
    pub fn background(&self, node: usize) -> [u8; 3] {
        self.boxes.styles[node].background
    }

    /// Whether a node is a leaf.
    pub fn is_leaf(&self, node: usize) -> bool {
        is_leaf(self.tree, node)
    }

    /// Whether a node is text, or an inline element with nothing but text in it. The literature calls the latter a virtual text
    /// node.
    pub fn is_text(&self, node: usize) -> bool {
        self.is_text[node]
    }

    /// Whether nothing but text, and inline elements with nothing but text, is drawn in a node.
    pub fn has_only_text(&self, node: usize) -> bool {
        self.is_text[node] || self.children(node).all(|child| self.is_text[child])
    }

    /// Whether a node is inline: it does not break the line.
    pub fn is_inline(&self, node: usize) -> bool {
        is_inline(self.tree, node)
    }

    /// The drawn children of a node.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.tree.children(node).filter(|&child| self.is_drawn(child))
    }

    /// The share of the page that a node covers.
    pub fn share(&self, node: usize) -> f64 {
        if self.page > 0.0 { self.rect(node).area() / self.page } else { 0.0 }
    }
}

fn is_inline(tree: &Tree, node: usize) -> bool {
    node > 0 && !tree.is_block(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::html::read;

    #[test]
    fn text_without_a_box_is_where_the_element_around_it_is() {
        let (text, tree) = read::<Tree>("<p>one</p><p>two</p>");
        let rect = Rect { left: 10.0, top: 20.0, width: 30.0, height: 40.0 };
        let mut boxes = Boxes { width: 0.0, height: 0.0, of: vec![None; tree.len()], styles: Style::by_names(&tree) };
        boxes.of[1] = Some(rect);
        let facts = Facts::of(&tree, &text, None, Some(&boxes));
        assert_eq!([0, 1, 2, 3, 4].map(|node| is_visible_leaf(&facts, node)), [false, false, true, false, false]);
        let looks = Looks::of(&facts).unwrap();
        assert_eq!([0, 1, 2, 3, 4].map(|node| looks.is_drawn(node)), [true, true, true, false, false]);
        assert_eq!([0, 1, 2].map(|node| looks.rect(node)), [rect; 3]);
        // On a page without an area, each share is 0.
        assert_eq!(looks.share(1), 0.0);
    }
}
