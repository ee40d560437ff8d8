//! The places at which the nodes of a page are drawn.
//!
//! dehusk does not lay out pages. A program that does, such as a browser, can supply the boxes.

use super::style::Style;
use super::tree::Tree;

/// The place at which a node is drawn, in pixels from the upper left corner of the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Distance from the left edge.
    pub left: f32,
    /// Distance from the top.
    pub top: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl Rect {
    /// Its area, in square pixels.
    pub fn area(&self) -> f64 {
        f64::from(self.width.max(0.0)) * f64::from(self.height.max(0.0))
    }

    /// The smallest rectangle around two. One without width and height is ignored.
    #[doc(hidden)]
    pub fn and(self, other: Rect) -> Rect {
        let is_empty = |rect: Rect| rect.width <= 0.0 && rect.height <= 0.0;
        if is_empty(self) || is_empty(other) {
            return if is_empty(self) { other } else { self };
        }
        let (left, top) = (self.left.min(other.left), self.top.min(other.top));
        let right = (self.left + self.width).max(other.left + other.width);
        let bottom = (self.top + self.height).max(other.top + other.height);
        Rect { left, top, width: right - left, height: bottom - top }
    }
}

/// The boxes of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Boxes {
    /// The width of the page.
    pub width: f32,
    /// The height of the page.
    pub height: f32,
    /// The box of each node. `None` if it is not drawn.
    pub of: Vec<Option<Rect>>,
    /// How each node looks.
    pub styles: Vec<Style>,
}

impl Boxes {
    /// Assigns boxes to the nodes of a page of this width and height. Also returns the number of boxes that belong to
    /// no node. `drawn` has the boxes of all start tags and runs of text that are drawn, each with the byte of the page
    /// at which the tag or run begins, in any order. `styles` has, with the same byte, the style of each that looks
    /// different from the node around it. If `styles` is empty, the names of elements say how nodes look.
    pub fn of_nodes(
        tree: &Tree,
        [width, height]: [f32; 2],
        mut drawn: Vec<(usize, Rect)>,
        mut styles: Vec<(usize, Style)>,
    ) -> (Boxes, usize) {
        drawn.sort_by_key(|&(byte, _)| byte);
        let mut found = vec![false; drawn.len()];
        // The page may begin at the same byte as its first element, so the page is not looked up.
        let page = Some(Rect { left: 0.0, top: 0.0, width, height });
        let of = (1..tree.len()).map(|node| {
            let at = drawn.binary_search_by_key(&tree.bytes(node).start, |&(byte, _)| byte).ok()?;
            found[at] = true;
            Some(drawn[at].1)
        });
        let of = std::iter::once(page).chain(of).collect();
        styles.sort_by_key(|&(byte, _)| byte);
        let styles = if styles.is_empty() { Style::by_names(tree) } else { inherited(tree, &styles) };
        let boxes = Boxes { width, height, of, styles };
        (boxes, found.iter().filter(|&&found| !found).count())
    }
}

/// The style of each node: its own, or that of the node around it.
fn inherited(tree: &Tree, own: &[(usize, Style)]) -> Vec<Style> {
    let mut styles: Vec<Style> = Vec::with_capacity(tree.len());
    for node in 0..tree.len() {
        let found = own.binary_search_by_key(&tree.bytes(node).start, |&(byte, _)| byte).ok().map(|at| own[at].1);
        let around = || tree.parent(node).map_or_else(Style::default, |parent| styles[parent]);
        let style = found.unwrap_or_else(around);
        styles.push(style);
    }
    styles
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn boxes_are_found_by_where_nodes_begin() {
        let page = "<div><p>one<b>two</b></p></div>";
        let (_, tree) = read::<Tree>(page);
        let rect = |left: u8| Rect { left: left.into(), top: 0.0, width: 2.0, height: 3.0 };
        let at = |part: &str| page.find(part).expect("a part");
        let drawn = vec![(at("two"), rect(3)), (at("<p>"), rect(1)), (at("<b>"), rect(2)), (at("</b>"), rect(9))];
        let (boxes, strange) = Boxes::of_nodes(&tree, [100.0, 50.0], drawn, Vec::new());
        assert_eq!(strange, 1);
        assert_eq!(boxes.styles, Style::by_names(&tree));
        assert_eq!(boxes.of[0], Some(Rect { left: 0.0, top: 0.0, width: 100.0, height: 50.0 }));
        for (node, rect) in boxes.of.iter().enumerate().skip(1) {
            let left = rect.map(|rect| rect.left);
            let expected = [("<p>", 1.0), ("<b>", 2.0), ("two", 3.0)];
            let expected = expected.iter().find(|(part, _)| tree.bytes(node).start == at(part)).map(|&(_, left)| left);
            assert_eq!(left, expected, "{node}");
        }
    }
    #[test]
    fn what_looks_as_nobody_says_looks_as_what_is_around_it() {
        let page = "<div><p>one<b>two</b></p><p>three</p></div>";
        let (_, tree) = read::<Tree>(page);
        let style = |font: f32| Style { font, ..Style::default() };
        let at = |part: &str| page.find(part).expect("a part");
        let styles = vec![(at("<b>"), style(30.0)), (at("<div>"), style(20.0))];
        let (boxes, _) = Boxes::of_nodes(&tree, [100.0, 50.0], Vec::new(), styles);
        let fonts: Vec<f32> = boxes.styles.iter().map(|style| style.font).collect();
        let expected = |node: usize| match tree.bytes(node).start {
            start if start == at("<b>") || start == at("two") => 30.0,
            _ => 20.0,
        };
        assert_eq!(fonts[1..], (1..tree.len()).map(expected).collect::<Vec<f32>>());
    }
}
