//! Turns the measurements of a page into a line of the file, and marks elements so that they are found again. The
//! layout tool of the lab uses this file too.

use serde::Deserialize;

use dehusk_core::html::{NodeKind, Tree};
use dehusk_corpus::Color;

/// The attribute that numbers the elements of a page.
pub const MARK: &str = "data-dehusk-node";

/// Left, top, width and height.
pub type Sides = [f32; 4];

/// Size and weight of the font, whether it is slanted, color, and background. A transparent background is `None`.
pub type Look = (f32, u16, bool, [u8; 3], Option<[u8; 3]>);

/// A page that is laid out.
#[derive(Debug, Deserialize)]
pub struct Measured {
    /// The width of the page.
    pub width: f32,
    /// The height of the page.
    pub height: f32,
    /// The body, as node 0, and the marked elements, in the order of the page.
    pub nodes: Vec<MeasuredNode>,
}

/// An element: its number, its box, and the boxes of the runs of text that are its children.
#[derive(Debug, Deserialize)]
pub struct MeasuredNode {
    /// Its number in the tree of the page.
    pub node: usize,
    /// Its box. `None` if it is not drawn.
    pub rect: Option<Sides>,
    /// The boxes of its runs of text.
    pub runs: Vec<Option<Sides>>,
    /// How it looks. `None` if it is not drawn.
    pub look: Option<Look>,
}

/// A box with its byte, left, top, width and height.
pub type ToldBox = (usize, f32, f32, f32, f32);

/// A style with its byte, size and weight of the font, whether it is slanted, color and background.
pub type ToldStyle = (usize, f32, u16, bool, Color, Color);

/// The page with the number of each element in its start tag.
pub fn marked(markup: &str, tree: &Tree) -> String {
    let (mut marked, mut at) = (String::with_capacity(markup.len() * 5 / 4), 0);
    for node in 1..tree.len() {
        let start = tree.bytes(node).start;
        let is_tag = matches!(tree.kind(node), NodeKind::Element)
            && markup[start..].starts_with('<')
            && markup
                .get(start + 1..start + 1 + tree.name(node).len())
                .is_some_and(|name| name.eq_ignore_ascii_case(tree.name(node)));
        let end = start + 1 + tree.name(node).len();
        // Elements that the page only implies begin where another one begins.
        if is_tag && end > at {
            marked.push_str(&markup[at..end]);
            marked.push_str(&format!(" {MARK}={node} "));
            at = end;
        }
    }
    marked.push_str(&markup[at..]);
    marked
}

/// The boxes of elements and of their runs of text, by their first bytes in the page.
pub fn boxes(tree: &Tree, nodes: &[MeasuredNode]) -> Vec<ToldBox> {
    let mut boxes = Vec::new();
    let mut add = |node: usize, sides: Option<Sides>| {
        let tenth = |side: f32| (side * 10.0).round() / 10.0;
        let [left, top, width, height] = sides.unwrap_or_default().map(tenth);
        boxes.extend(sides.map(|_| (tree.bytes(node).start, left, top, width, height)));
    };
    for measured in nodes.iter().filter(|measured| measured.node < tree.len()) {
        // Node 0 is the page itself, whose box needs no line.
        if measured.node > 0 {
            add(measured.node, measured.rect);
        }
        let is_run = |&node: &usize| matches!(tree.kind(node), NodeKind::Text(_));
        let runs: Vec<usize> = tree.children(measured.node).filter(is_run).collect();
        // With tags in the wrong place, the browser has other runs here than the tree.
        if runs.len() == measured.runs.len() {
            runs.into_iter().zip(&measured.runs).for_each(|(run, &sides)| add(run, sides));
        }
    }
    boxes
}

/// Size and weight of the font, whether it is slanted, color and background.
type Told = (f32, u16, bool, Color, Color);

/// The styles of elements that look different from the elements around them, by their first bytes in the page.
pub fn styles(tree: &Tree, nodes: &[MeasuredNode]) -> Vec<ToldStyle> {
    let mut of: Vec<Option<Told>> = vec![None; tree.len()];
    let mut styles = Vec::new();
    // Elements are in the order of the page, so an element comes after the elements around it.
    for measured in nodes.iter().filter(|measured| measured.node < tree.len()) {
        let Some((font, weight, is_italic, color, background)) = measured.look else { continue };
        let around = tree.ancestors(measured.node).find_map(|node| of[node]);
        let behind = background.or(around.map(|(.., background)| background.0)).unwrap_or([255; 3]);
        let style = (font, weight, is_italic, Color(color), Color(behind));
        of[measured.node] = Some(style);
        if around != Some(style) {
            let (font, weight, is_italic, color, background) = style;
            styles.push((tree.bytes(measured.node).start, font, weight, is_italic, color, background));
        }
    }
    styles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_marked_where_their_tags_are_and_boxes_are_told_by_byte() {
        let page = "<!doctype html><P class=a>one<br>two</P><ul><li>three<table><tr><td>four</table></ul>";
        let (_, tree) = dehusk_core::html::read::<Tree>(page);
        let marked = marked(page, &tree);
        assert!(marked.starts_with("<!doctype html><P data-dehusk-node=1  class=a>one"), "{marked}");
        // A line break is not a node.
        assert_eq!(marked.matches(MARK).count(), ["<P", "<ul", "<li", "<table", "<tr", "<td"].len());
        let unmarked = (0..tree.len()).fold(marked, |page, node| page.replace(&format!(" {MARK}={node} "), ""));
        assert_eq!(unmarked, page);
        let sides = |left: f32| Some([left, 0.0, 1.04, 2.0]);
        let nodes = [
            MeasuredNode { node: 0, rect: None, runs: Vec::new(), look: Some((16.0, 400, false, [0; 3], None)) },
            MeasuredNode {
                node: 1,
                rect: sides(1.0),
                runs: vec![sides(2.0), None],
                look: Some((16.0, 400, false, [0; 3], None)),
            },
            // The browser has another run here.
            MeasuredNode {
                node: 2,
                rect: None,
                runs: vec![sides(9.0)],
                look: Some((16.0, 700, false, [0; 3], Some([1, 2, 255]))),
            },
        ];
        let one = page.find("one").expect("a run");
        let styles: Vec<usize> = styles(&tree, &nodes).iter().map(|style| style.0).collect();
        assert_eq!(styles, [tree.bytes(0).start, tree.bytes(2).start]);
        assert_eq!(boxes(&tree, &nodes), [(15, 1.0, 0.0, 1.0, 2.0), (one, 2.0, 0.0, 1.0, 2.0)]);
    }
}
