//! Lays a page out with blitz, and measures where its marked elements and their runs of text are.
//!
//! blitz gives boxes to elements that have one of their own. Inline elements, rows of tables and runs of text have none: their
//! boxes are put together here from the pieces of lines, with the height of the font, as browsers do.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use blitz_dom::node::{ListItemLayoutPosition, Marker, TextBrush, TextLayout};
use blitz_dom::{BaseDocument, DocumentConfig, FontContext, Node, NodeData, NodeId};
use blitz_html::HtmlDocument;
use blitz_traits::shell::{ColorScheme, Viewport};
use parley::{Line, PositionedLayoutItem};
use style::color::AbsoluteColor;
use style::properties::ComputedValues;
use style::values::computed::font::FontStyle;
use style::values::specified::box_::DisplayInside;

use crate::pages::{Look, MARK, Measured, MeasuredNode, Sides};
use crate::sheets;

/// The width of the window without its scroll bar, in pixels.
const DRAWN_WIDTH: u32 = 1024 - 15;
/// The height of the window.
const HEIGHT: u32 = 768;
/// Where a page starts for blitz. Without it, blitz reads pages as XML that say XHTML in their first line; a browser does not.
const START: &str = "<!---->";
/// What addresses in the page are relative to. blitz panics if there is nothing, although it asks nobody for anything.
const ADDRESS: &str = "http://page.invalid/";

/// Lays out a page with marks. Also returns how long blitz took.
pub fn drawn(page: &str, fonts: FontContext) -> (Measured, Duration) {
    let start = Instant::now();
    let config = DocumentConfig {
        viewport: Some(Viewport::new(DRAWN_WIDTH, HEIGHT, 1.0, ColorScheme::Light)),
        font_ctx: Some(fonts),
        ua_stylesheets: sheets::sheets(page),
        base_url: Some(ADDRESS.to_owned()),
        ..DocumentConfig::default()
    };
    let mut document = HtmlDocument::from_html(&format!("{START}{page}"), config);
    let own = sheets::own_attributes(&document);
    document.add_user_agent_stylesheet(own);
    document.resolve(0.0);
    let took = start.elapsed();
    (Drawing::of(&document).measured(), took)
}

/// A page that is laid out.
struct Drawing<'a> {
    document: &'a BaseDocument,
    /// Where elements are that have a box of their own.
    own: HashMap<NodeId, Sides>,
    /// Where inline elements are, and runs of text.
    pieces: HashMap<NodeId, Sides>,
}

impl<'a> Drawing<'a> {
    fn of(document: &'a BaseDocument) -> Drawing<'a> {
        let mut drawing = Drawing { document, own: HashMap::new(), pieces: HashMap::new() };
        let Some(root) = document.try_root_element() else { return drawing };
        // What is around a box comes before it.
        let mut open = vec![root.id];
        let mut lines = Vec::new();
        while let Some(id) = open.pop() {
            let Some(node) = document.get_node(id) else { continue };
            if !matches!(node.data, NodeData::Element(_) | NodeData::AnonymousBlock(_)) {
                continue;
            }
            let layout = node.unrounded_layout();
            let around =
                node.containing_block().and_then(|around| drawing.own.get(&around)).copied().unwrap_or_default();
            let (left, top) = (around[0] + layout.location.x, around[1] + layout.location.y);
            drawing.own.insert(id, [left, top, layout.size.width, layout.size.height]);
            if node.flags.is_inline_root() {
                lines.push(id);
            }
            if let Some(children) = &*node.layout_children.borrow() {
                open.extend(children.iter().rev());
            }
            open.extend([node.after(), node.before()].into_iter().flatten());
        }
        for root in lines {
            drawing.add_lines(root);
        }
        drawing
    }

    /// Adds the pieces of inline elements and of text in the lines of a block.
    fn add_lines(&mut self, root: NodeId) {
        let Some(node) = self.document.get_node(root) else { return };
        let Some(text) = node.element_data().and_then(|element| element.inline_layout_data.as_deref()) else { return };
        let layout = node.unrounded_layout();
        let [left, top, ..] = self.own.get(&root).copied().unwrap_or_default();
        let left = left + layout.padding.left + layout.border.left;
        let top = top + layout.padding.top + layout.border.top + text.block_offset;
        let owners = self.owners(node, text);
        for line in text.layout.lines() {
            self.add_line(&line, text, &owners, [left, top]);
        }
    }

    fn add_line(
        &mut self,
        line: &Line<TextBrush>,
        text: &TextLayout,
        owners: &[(usize, NodeId)],
        [left, top]: [f32; 2],
    ) {
        let mut shaped = None;
        let mut clusters = None;
        for item in line.items() {
            match item {
                PositionedLayoutItem::GlyphRun(glyphs) => {
                    let metrics = glyphs.run().font_metrics();
                    let height = metrics.ascent + metrics.descent;
                    let above = top + glyphs.baseline() - metrics.ascent;
                    // Pieces of one style of the same run come one after the other.
                    if shaped != Some(glyphs.run().text_range()) {
                        shaped = Some(glyphs.run().text_range());
                        clusters = Some(glyphs.run().visual_clusters().collect::<VecDeque<_>>());
                    }
                    let Some(clusters) = &mut clusters else { continue };
                    let mut at = left + glyphs.offset();
                    while let Some(cluster) =
                        clusters.pop_front_if(|cluster| cluster.style_index() == glyphs.style_index())
                    {
                        let (range, width) = (cluster.text_range(), cluster.advance());
                        let is_seen = text.text.get(range.clone()).is_some_and(|text| !is_blank(text));
                        if is_seen {
                            let sides = [at, above, width, height];
                            if let Ok(owner) = owners.binary_search_by_key(&range.start, |&(byte, _)| byte) {
                                self.add(owners[owner].1, sides);
                            }
                            self.add_around(Some(glyphs.style().brush.id), sides);
                        }
                        at += width;
                    }
                }
                PositionedLayoutItem::InlineBox(inline) => {
                    let around = self.document.get_node(NodeId::from_u64(inline.id)).and_then(|node| node.parent);
                    // An inline element is as high as its font, whatever is inside it.
                    let metrics = text.layout.root_span_metrics();
                    let [ascent, descent] = metrics.map_or([0.0; 2], |metrics| [metrics.ascent, metrics.descent]);
                    let above = top + line.metrics().baseline - ascent;
                    if inline.width > 0.0 && inline.height > 0.0 {
                        let sides = [left + inline.x, above, inline.width, ascent + descent];
                        self.add_around(around, sides);
                    }
                }
            }
        }
    }

    /// Adds a piece to an inline element and to the inline elements around it.
    fn add_around(&mut self, mut inside: Option<NodeId>, sides: Sides) {
        while let Some(id) = inside.filter(|id| !self.own.contains_key(id)) {
            self.add(id, sides);
            inside = self.document.get_node(id).and_then(|node| node.parent);
        }
    }

    fn add(&mut self, id: NodeId, sides: Sides) {
        self.pieces.entry(id).and_modify(|before| *before = around(*before, sides)).or_insert(sides);
    }

    /// The text node of each letter in the lines of a block, by the byte at which it begins there. blitz tells the element of
    /// each letter, so the letters of an element are dealt out to its text nodes in order. Blanks do not count, because lines
    /// have fewer of them than the page.
    fn owners(&self, root: &Node, text: &TextLayout) -> Vec<(usize, NodeId)> {
        let mut letters = Vec::new();
        for line in text.layout.lines() {
            for run in line.runs() {
                letters.extend(run.clusters().map(|cluster| (cluster.text_range(), cluster.style().brush.id)));
            }
        }
        letters.sort_by_key(|(range, _)| range.start);
        let mut waiting = self.text_nodes(root);
        let mut owners = Vec::new();
        for (range, element) in letters {
            let Some(count) = text.text.get(range.clone()).map(seen).filter(|&count| count > 0) else { continue };
            let Some(nodes) = waiting.get_mut(&element) else { continue };
            let Some((node, left)) = nodes.front_mut() else { continue };
            owners.extend(node.map(|node| (range.start, node)));
            *left = left.saturating_sub(count);
            if *left == 0 {
                nodes.pop_front();
            }
        }
        owners
    }

    /// The text nodes in the lines of a block and their numbers of letters, by the element that gives them their style. The
    /// marker of a list item is no node.
    fn text_nodes(&self, root: &Node) -> HashMap<NodeId, VecDeque<(Option<NodeId>, usize)>> {
        let mut found: HashMap<NodeId, VecDeque<_>> = HashMap::new();
        if let Some(item) = root.element_data().and_then(|element| element.list_item_data.as_deref())
            && let (ListItemLayoutPosition::Inside, Marker::String(marker)) = (&item.position, &item.marker)
            && !is_blank(marker)
        {
            found.entry(root.id).or_default().push_back((None, seen(marker)));
        }
        let children =
            |node: &'a Node| node.before().into_iter().chain(node.children.iter().copied()).chain(node.after());
        let open = |node: &Node, style: NodeId| {
            let Some(node) = self.document.get_node(node.id) else { return Vec::new() };
            let mut inside: Vec<_> = children(node).map(|child| (child, style)).collect();
            inside.reverse();
            inside
        };
        let mut stack = open(root, root.id);
        while let Some((id, style)) = stack.pop() {
            let Some(node) = self.document.get_node(id) else { continue };
            match &node.data {
                NodeData::Text(data) if !is_blank(&data.content) => {
                    found.entry(style).or_default().push_back((Some(id), seen(&data.content)));
                }
                NodeData::Element(_) if !self.own.contains_key(&id) => match display(node) {
                    Some(DisplayInside::None) => {}
                    Some(DisplayInside::Contents) => stack.extend(open(node, style)),
                    _ => stack.extend(open(node, id)),
                },
                _ => {}
            }
        }
        found
    }

    fn measured(&self) -> Measured {
        let Some(root) = self.document.try_root_element() else {
            return Measured { width: DRAWN_WIDTH as f32, height: HEIGHT as f32, nodes: Vec::new() };
        };
        let body = self.document.find_body_node().unwrap_or(root);
        let (mut order, mut open) = (Vec::new(), vec![root]);
        while let Some(node) = open.pop() {
            order.push(node);
            open.extend(node.children.iter().rev().filter_map(|&child| self.document.get_node(child)));
        }
        let united = self.united(&order);
        let mut nodes = vec![self.node(body, 0, None)];
        for node in order {
            if let Some(number) = marked_number(node) {
                nodes.push(self.node(node, number, united.get(&node.id).copied()));
            }
        }
        Measured {
            width: root.scroll_width().max(DRAWN_WIDTH as f32),
            height: root.scroll_height().max(HEIGHT as f32),
            nodes,
        }
    }

    /// Where nodes are. What has no box and no piece, as rows of tables, is where its children are. `order` has what is around
    /// a node before it.
    fn united(&self, order: &[&Node]) -> HashMap<NodeId, Sides> {
        let mut united: HashMap<NodeId, Sides> = HashMap::new();
        for node in order.iter().rev() {
            let id = node.id;
            let own = self.own.get(&id).or_else(|| self.pieces.get(&id)).copied().filter(is_drawn);
            let inside = || {
                let is_hidden =
                    display(node).is_none_or(|inside| matches!(inside, DisplayInside::None | DisplayInside::Contents));
                let parts = node.children.iter().filter_map(|child| united.get(child)).copied();
                if is_hidden || self.own.contains_key(&id) && !is_part_of_table(node) {
                    None
                } else {
                    parts.reduce(around)
                }
            };
            if let Some(sides) = own.or_else(inside) {
                united.insert(id, sides);
            }
        }
        united
    }

    fn node(&self, node: &Node, number: usize, rect: Option<Sides>) -> MeasuredNode {
        let is_text = |child: &&NodeId| {
            let data = self.document.get_node(**child).map(|child| &child.data);
            matches!(data, Some(NodeData::Text(text)) if !is_blank(&text.content))
        };
        let runs = node.children.iter().filter(is_text).map(|run| self.pieces.get(run).copied().filter(is_drawn));
        let look = node.primary_styles().map(|style| look(&style));
        MeasuredNode { node: number, rect, runs: runs.collect(), look }
    }
}

/// The number of an element of the page.
fn marked_number(node: &Node) -> Option<usize> {
    let mark = node.attrs()?.iter().find(|attribute| &*attribute.name.local == MARK)?;
    mark.value.parse().ok()
}

fn display(node: &Node) -> Option<DisplayInside> {
    node.primary_styles().map(|style| style.clone_display().inside())
}

/// Whether an element is a row of a table or a group of rows. blitz places only tables and cells.
fn is_part_of_table(node: &Node) -> bool {
    use DisplayInside::{TableFooterGroup, TableHeaderGroup, TableRow, TableRowGroup};
    matches!(display(node), Some(TableFooterGroup | TableHeaderGroup | TableRow | TableRowGroup))
}

fn look(style: &ComputedValues) -> Look {
    let color = style.clone_color();
    let background = style.clone_background_color().resolve_to_absolute(&color);
    let is_italic = style.clone_font_style() != FontStyle::NORMAL;
    let weight = style.clone_font_weight().value().round() as u16;
    let font = style.clone_font_size().used_size().px();
    (font, weight, is_italic, red_green_blue(color), (background.alpha > 0.5).then(|| red_green_blue(background)))
}

fn red_green_blue(color: AbsoluteColor) -> [u8; 3] {
    let components = color.into_srgb_legacy().components;
    [components.0, components.1, components.2].map(|part| (part * 255.0).round() as u8)
}

fn is_blank(text: &str) -> bool {
    seen(text) == 0
}

/// The number of characters that are no blanks.
fn seen(text: &str) -> usize {
    text.chars().filter(|char| !char.is_whitespace() && *char != '\u{feff}').count()
}

fn is_drawn(&[.., width, height]: &Sides) -> bool {
    width > 0.0 || height > 0.0
}

/// The smallest box around two.
fn around(a: Sides, b: Sides) -> Sides {
    let (left, top) = (a[0].min(b[0]), a[1].min(b[1]));
    let (right, bottom) = ((a[0] + a[2]).max(b[0] + b[2]), (a[1] + a[3]).max(b[1] + b[3]));
    [left, top, right - left, bottom - top]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::{boxes, marked};
    use dehusk_core::html::Tree;

    const PAGE: &str = "<!doctype html><style>body { margin: 0 } p { margin: 0; height: 30px; width: 200px }</style>\
        <p>one <!-- no text --> two<b>three</b> four</p><table cellspacing=0><tr><td style='width: 50px; height: 20px'>five\
        <td>six</table><div style='display: none'>seven</div>";

    #[test]
    fn elements_and_runs_have_boxes() {
        let (_, tree) = dehusk_core::html::read::<Tree>(PAGE);
        // A machine without fonts has no letters.
        let Ok(fonts) = crate::fonts::fonts() else { return };
        let (measured, _) = drawn(&marked(PAGE, &tree), fonts);
        let boxes = boxes(&tree, &measured.nodes);
        let at = |part: &str| {
            let byte = PAGE.find(part).expect("a part");
            boxes.iter().find(|found| found.0 == byte).map(|&(_, left, top, width, height)| [left, top, width, height])
        };
        assert_eq!(at("<p>"), Some([0.0, 0.0, 200.0, 30.0]));
        let row = at("<tr>").expect("a row");
        assert_eq!((row[0], row[1]), (0.0, 30.0));
        assert!(row[2] > 50.0 && row[3] >= 20.0, "{row:?}");
        assert_eq!((at("<div"), at("seven")), (None, None));
        let three = at("three").expect("a run");
        assert_eq!(at("<b>"), Some(three));
        let four = at(" four").or(at("four")).expect("a run");
        assert!(four[0] >= three[0] + three[2] && four[1] == three[1], "{three:?} {four:?}");
        assert!(at("six").expect("a run")[0] >= 50.0);
    }
}
