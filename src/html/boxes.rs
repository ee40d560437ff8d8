//! Where the nodes of a page are drawn.
//!
//! dehusk lays out no page. What does, such as a browser, can tell it.

use super::tree::Tree;

/// Where a node is drawn, in pixels from the left upper corner of the page.
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
}

impl Boxes {
    /// The boxes of the nodes of a page of this width and height, and the number of them that belong to no node. `drawn` has the
    /// byte of the page at which each start tag or run of text begins that is drawn, in any order.
    pub fn of_nodes(tree: &Tree, [width, height]: [f32; 2], mut drawn: Vec<(usize, Rect)>) -> (Boxes, usize) {
        drawn.sort_by_key(|&(byte, _)| byte);
        let mut found = vec![false; drawn.len()];
        // The page begins where its first element does.
        let page = Some(Rect { left: 0.0, top: 0.0, width, height });
        let of = (1..tree.len()).map(|node| {
            let at = drawn.binary_search_by_key(&tree.bytes(node).start, |&(byte, _)| byte).ok()?;
            found[at] = true;
            Some(drawn[at].1)
        });
        let boxes = Boxes { width, height, of: std::iter::once(page).chain(of).collect() };
        (boxes, found.iter().filter(|&&found| !found).count())
    }
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
        let (boxes, strange) = Boxes::of_nodes(&tree, [100.0, 50.0], drawn);
        assert_eq!(strange, 1);
        assert_eq!(boxes.of[0], Some(Rect { left: 0.0, top: 0.0, width: 100.0, height: 50.0 }));
        for (node, rect) in boxes.of.iter().enumerate().skip(1) {
            let left = rect.map(|rect| rect.left);
            let expected = [("<p>", 1.0), ("<b>", 2.0), ("two", 3.0)];
            let expected = expected.iter().find(|(part, _)| tree.bytes(node).start == at(part)).map(|&(_, left)| left);
            assert_eq!(left, expected, "{node}");
        }
    }
}
