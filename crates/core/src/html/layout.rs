//! Estimates where the nodes of a page are drawn, without a layout engine.
//!
//! Blocks are placed one below the other, text fills lines, the cells of a table are placed side by side. A browser
//! does the same with a page that has no style sheet. The width of a letter is a guess.
//!
//! One pass finds how wide the content of each node would like to be, a second one places the nodes. Both take linear
//! time, and no function calls itself.

use std::collections::BTreeMap;

use super::boxes::{Boxes, Rect};
use super::style::Style;
use super::tree::{Attribute, NodeKind, Tree};

/// The width of the window, in pixels.
const WINDOW_WIDTH: f32 = 1024.0;
/// The space between the page and its edge.
const MARGIN_OF_PAGE: f32 = 8.0;
/// How far a list or a quotation is moved to the right.
const INDENT: f32 = 40.0;
/// The width of a letter, in heights of its font.
const LETTER: f32 = 0.45;
/// The height of a line, in heights of its font.
const LINE: f32 = 1.15;
/// Minimum width for text. Deeper nesting does not make it narrower.
const NARROWEST: f32 = 40.0;
/// Maximum size, in pixels. A page can declare any size.
const LARGEST: f32 = 10_000.0;

/// Where the nodes of a page would be drawn, in a window 1024 pixels wide. `text` is the visible text.
pub fn estimated_boxes(tree: &Tree, text: &str) -> Boxes {
    let styles = Style::by_names(tree);
    let widths = content_widths(tree, text, &styles);
    let mut layout = Layout {
        tree,
        rects: vec![Rect { left: 0.0, top: 0.0, width: 0.0, height: 0.0 }; tree.len()],
        open: vec![Open {
            node: 0,
            end: tree.len(),
            left: MARGIN_OF_PAGE,
            width: WINDOW_WIDTH - 2.0 * MARGIN_OF_PAGE,
            line: Line::at(MARGIN_OF_PAGE),
            columns: None,
        }],
        columns: column_widths(tree, &widths),
        block: 0,
    };
    for node in 1..tree.len() {
        layout.close_before(node);
        match (tree.kind(node), tree.name(node)) {
            (NodeKind::Text(block), _) => {
                layout.start_block(block);
                layout.flow(node, widths[node], styles[node].font * LINE);
            }
            (_, name) => match replaced_size(tree, node, name) {
                Some([width, height]) => layout.flow(node, width, height),
                None => layout.open(node, name, styles[node].font),
            },
        }
    }

    layout.close_before(tree.len());
    let height = layout.open[0].line.bottom() + MARGIN_OF_PAGE;
    let mut rects = layout.rects;
    // An inline element is where its content is.
    for node in (1..tree.len()).rev() {
        let parent = tree.parent(node).unwrap_or(0);
        if parent > 0 && !tree.is_block(parent) {
            rects[parent] = rects[parent].and(rects[node]);
        }
    }
    rects[0] = Rect { left: 0.0, top: 0.0, width: WINDOW_WIDTH, height };
    Boxes { width: WINDOW_WIDTH, height, of: rects.into_iter().map(Some).collect(), styles }
}

/// The size of an element that shows something other than its content. `None` for all others.
fn replaced_size(tree: &Tree, node: usize, name: &str) -> Option<[f32; 2]> {
    let usual = match name {
        "img" => [24.0, 24.0],
        "input" => [154.0, 22.0],
        "select" => [100.0, 22.0],
        "textarea" => [180.0, 40.0],
        "hr" => [WINDOW_WIDTH, 2.0],
        "iframe" | "video" | "object" | "embed" | "canvas" | "svg" => [300.0, 150.0],
        _ => return None,
    };
    let side = |attribute, usual| tree.attribute(node, attribute).and_then(pixels).unwrap_or(usual);
    let is_empty = tree.end(node) == node + 1;
    is_empty.then(|| [side(Attribute::Width, usual[0]), side(Attribute::Height, usual[1])])
}

/// A length in pixels, such as `200` or `200px`.
fn pixels(value: &str) -> Option<f32> {
    let value = value.trim();
    let number = value.strip_suffix("px").unwrap_or(value);
    number.parse::<u32>().ok().map(|number| (number as f32).min(LARGEST))
}

/// How wide each node is if no line is broken.
fn content_widths(tree: &Tree, text: &str, styles: &[Style]) -> Vec<f32> {
    let mut widths = vec![0.0f32; tree.len()];
    // For each element, `widths` has the widest of its finished lines, and `running` the current line. Children come
    // from the last to the first.
    let mut running = vec![0.0f32; tree.len()];
    for node in (1..tree.len()).rev() {
        let name = tree.name(node);
        widths[node] = match tree.kind(node) {
            NodeKind::Text(_) => text[tree.text(node)].chars().count() as f32 * LETTER * styles[node].font,
            NodeKind::Element => match replaced_size(tree, node, name) {
                Some([width, _]) => width,
                None => widths[node].max(running[node]),
            },
        }
        .min(LARGEST);
        let parent = tree.parent(node).unwrap_or(0);
        let is_beside = !tree.is_block(node) || matches!(name, "td" | "th");
        if is_beside {
            running[parent] += widths[node];
        } else {
            widths[parent] = widths[parent].max(running[parent]).max(widths[node]);
            running[parent] = 0.0;
        }
    }
    widths
}

/// The widths of the columns of each table, by the node of the table.
fn column_widths(tree: &Tree, widths: &[f32]) -> BTreeMap<usize, Vec<f32>> {
    let mut columns: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
    for row in (1..tree.len()).filter(|&node| tree.name(node) == "tr") {
        let of_table = columns.entry(table_of(tree, row)).or_default();
        for (column, cell) in tree.children(row).filter(|&node| is_cell(tree, node)).enumerate() {
            match of_table.get_mut(column) {
                Some(width) => *width = width.max(widths[cell]),
                None => of_table.push(widths[cell]),
            }
        }
    }
    columns
}

fn is_cell(tree: &Tree, node: usize) -> bool {
    matches!(tree.name(node), "td" | "th")
}

/// The table of a row: its parent, or the parent of that if it is a section of the table.
fn table_of(tree: &Tree, row: usize) -> usize {
    let parent = tree.parent(row).unwrap_or(0);
    match tree.name(parent) {
        "tbody" | "thead" | "tfoot" => tree.parent(parent).unwrap_or(0),
        _ => parent,
    }
}

/// An open element that got its place before its content.
#[derive(Debug)]
struct Open {
    node: usize,
    end: usize,
    left: f32,
    width: f32,
    line: Line,
    /// For a row: the next column, and where it begins.
    columns: Option<(usize, f32)>,
}

/// The line that is being filled.
#[derive(Clone, Copy, Debug)]
struct Line {
    top: f32,
    used: f32,
    height: f32,
}

impl Line {
    fn at(top: f32) -> Line {
        Line { top, used: 0.0, height: 0.0 }
    }

    fn bottom(self) -> f32 {
        self.top + self.height
    }
}

struct Layout<'t> {
    tree: &'t Tree,
    rects: Vec<Rect>,
    /// The open elements, the innermost last. The first is the page.
    open: Vec<Open>,
    columns: BTreeMap<usize, Vec<f32>>,
    /// The block of the last run.
    block: u32,
}

impl Layout<'_> {
    /// Begins a new line if a run is of another block than the last run. This includes line breaks, which are not
    /// nodes.
    fn start_block(&mut self, block: u32) {
        let is_other = std::mem::replace(&mut self.block, block) != block;
        let line = &mut self.innermost().line;
        if is_other && line.used > 0.0 {
            *line = Line::at(line.bottom());
        }
    }

    fn innermost(&mut self) -> &mut Open {
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Puts a run or an element into the current line.
    fn flow(&mut self, node: usize, width: f32, height: f32) {
        let Open { left, width: room, line, .. } = self.innermost();
        if line.used > 0.0 && line.used + width.min(*room) > *room {
            // A browser begins long text in the rest of this line. But that part is not worth a box of its own.
            *line = Line::at(line.bottom());
        }

        let lines = (width / *room).ceil().max(1.0);
        line.height = line.height.max(height);
        let rect = Rect { left: *left + line.used, top: line.top, width: width.min(*room), height: height * lines };
        if lines > 1.0 {
            *line = Line { top: line.top + height * (lines - 1.0), used: width - *room * (lines - 1.0), height };
        } else {
            line.used += width;
        }
        self.rects[node] = rect;
    }

    /// Gives an element its place, if it is a block or a cell.
    fn open(&mut self, node: usize, name: &str, font: f32) {
        let tree = self.tree;
        if !tree.is_block(node) {
            return;
        }
        let space = match name {
            "p" | "ul" | "ol" | "dl" | "blockquote" | "pre" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => font,
            _ => 0.0,
        };
        let indent = if matches!(name, "ul" | "ol" | "dd" | "blockquote" | "menu" | "dir") { INDENT } else { 0.0 };

        let table = self.open.last().filter(|_| is_cell(tree, node)).map(|row| table_of(tree, row.node));
        let widths = table.and_then(|table| self.columns.get(&table));
        let around = self.open.len() - 1;
        let around = &mut self.open[around];
        let (left, top, width) = match (&mut around.columns, widths) {
            (Some((column, at)), Some(widths)) => {
                let all: f32 = widths.iter().sum();
                let wanted = widths.get(*column).copied().unwrap_or(NARROWEST).max(1.0);
                let width = if all > around.width { wanted * around.width / all } else { wanted };
                let left = *at;
                *column += 1;
                *at += width;
                (left, around.line.top, width)
            }
            _ => {
                around.line = Line::at(around.line.bottom() + space);
                (around.left, around.line.top, around.width)
            }
        };

        let (left, width) = (left + indent, (width - indent).max(NARROWEST));
        let columns = (name == "tr").then_some((0, left));
        self.open.push(Open { node, end: tree.end(node), left, width, line: Line::at(top), columns });
        self.rects[node] = Rect { left, top, width, height: 0.0 };
    }

    /// Closes the elements that end before a node.
    fn close_before(&mut self, node: usize) {
        while self.open.len() > 1 && self.open.last().is_some_and(|open| open.end <= node) {
            let Some(Open { node, line, columns, .. }) = self.open.pop() else { return };
            let mut bottom = line.bottom();
            if columns.is_some() {
                // A row is as high as its highest cell.
                let below = |cell: usize| self.rects[cell].top + self.rects[cell].height;
                bottom = self.tree.children(node).map(below).fold(bottom, f32::max);
            }
            let rect = &mut self.rects[node];
            rect.height = (bottom - rect.top).max(0.0);
            let is_beside = self.open.last().is_some_and(|open| open.columns.is_some()) && is_cell(self.tree, node);
            if !is_beside {
                self.innermost().line = Line::at(bottom);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    fn boxes(page: &str) -> (String, Tree, Boxes) {
        let (text, tree) = read::<Tree>(page);
        let boxes = estimated_boxes(&tree, &text);
        (text, tree, boxes)
    }

    /// The box of the first run that begins with a text.
    fn rect_of((text, tree, boxes): &(String, Tree, Boxes), start: &str) -> Rect {
        let run = tree.runs().find(|&run| text[tree.text(run)].starts_with(start)).expect("a run");
        boxes.of[run].expect("a box")
    }

    #[test]
    fn blocks_stand_below_each_other_and_cells_side_by_side() {
        let page = boxes(
            "<h1>Title</h1><p>one <b>two</b></p><table><tr><td>left<p>more</p></td><td>right</td></tr><tr><td>l2<td>r2</table><p>end",
        );
        let of = |start: &str| rect_of(&page, start);
        assert!(of("Title").top + of("Title").height <= of("one").top);
        assert_eq!(of("one").top, of("two").top);
        assert!(of("two").left >= of("one").left + of("one").width);
        assert_eq!(of("left").top, of("right").top);
        assert!(of("right").left > of("left").left);
        assert_eq!(of("right").left, of("r2").left);
        assert!(of("more").top > of("left").top);
        assert!(of("l2").top >= of("more").top + of("more").height);
        assert!(of("end").top >= of("l2").top + of("l2").height);
    }

    #[test]
    fn long_text_takes_several_lines_and_lists_are_moved() {
        let page = boxes(&format!("<p>{}</p><ul><li>item</ul>", "word ".repeat(200)));
        let text = rect_of(&page, "word");
        assert!(text.height > 3.0 * 16.0 && text.width <= WINDOW_WIDTH);
        assert_eq!(rect_of(&page, "item").left, MARGIN_OF_PAGE + INDENT);
    }

    #[test]
    fn a_line_break_starts_a_line() {
        let page = boxes("<p>one<br>two");
        assert!(rect_of(&page, "two").top > rect_of(&page, "one").top);
        assert_eq!(rect_of(&page, "two").left, rect_of(&page, "one").left);
    }

    #[test]
    fn an_inline_element_is_where_its_content_is() {
        let page = boxes("<p>one <a href=/><b>two</b> <img width=50 height=70></a></p>");
        let (_, tree, boxes) = &page;
        let node = (0..tree.len()).find(|&node| tree.name(node) == "a").expect("a link");
        let (link, two) = (boxes.of[node].expect("a box"), rect_of(&page, "two"));
        assert_eq!((link.left, link.height), (two.left, 70.0));
        assert!(link.width > 50.0);
    }

    #[test]
    fn deep_and_wide_pages_end() {
        let deep = boxes(&format!("{}x{}", "<div><blockquote>".repeat(5000), "</blockquote></div>".repeat(5000)));
        assert!(rect_of(&deep, "x").width >= 0.0);
        let wide = boxes(&format!("<table><tr>{}</table>", "<td>x</td>".repeat(20_000)));
        let right = |rect: &Rect| rect.left + rect.width;
        assert!(wide.2.of.iter().flatten().all(|rect| right(rect).is_finite() && rect.height.is_finite()));
        let hostile = boxes("<img width=4294967295 height=99999999><table><tr><td><table><td><tr></table><tr>");
        assert!(hostile.2.of.iter().flatten().all(|rect| right(rect) <= 2.0 * LARGEST));
    }
}
