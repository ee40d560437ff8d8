//! The rules that divide an element into pieces.
//!
//! The rules are numbered as in the descriptions of VIPS with 12 rules. The first rule that applies counts. Each kind
//! of element has its own rules.

use super::MOST_COHERENT;
use super::looks::Looks;

/// An element with text of its own is one piece if it covers less than this share of the page (rule 8).
const SMALL_SHARE: f64 = 0.05;
/// An element is one piece if its largest child covers less than this share of the page (rule 9).
const SMALL_CHILD: f64 = 0.1;

/// A piece of an element: a node, and its degree of coherence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub node: usize,
    pub coherence: u8,
}

/// The division of an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// The pieces in the order of the page. They hold each visible leaf of the element once.
    pub pieces: Vec<Piece>,
    /// The horizontal rules (`hr`) between the pieces.
    pub rules: Vec<usize>,
}

/// The decision about an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Its children are judged. With `by_background`, children with another background than the element stay whole.
    Divide { by_background: bool },
    /// It is a piece, with this degree of coherence.
    Piece(u8),
}

const DIVIDE: Verdict = Verdict::Divide { by_background: false };

/// Divides an element that is drawn and is not a leaf (rule 3).
pub fn pieces(looks: &Looks, root: usize) -> Pieces {
    let mut found = Pieces::default();
    let mut open = vec![(root, DIVIDE)];
    while let Some((node, verdict)) = open.pop() {
        match verdict {
            Verdict::Piece(coherence) => found.pieces.push(Piece { node, coherence }),
            Verdict::Divide { by_background } => {
                let first = open.len();
                for child in looks.tree.children(node) {
                    if looks.tree.name(child) == "hr" {
                        found.rules.push(child);
                    }
                    // A child of which nothing is drawn is left out (rule 1).
                    if looks.is_drawn(child) {
                        let stays = by_background && looks.background(child) != looks.background(node);
                        let whole = || Verdict::Piece(by_tag_and_size(looks, child));
                        open.push((child, if stays { whole() } else { judge(looks, child) }));
                    }
                }
                // The last one is taken first, and this must be the first child.
                open[first..].reverse();
            }
        }
    }
    found
}

fn judge(looks: &Looks, node: usize) -> Verdict {
    if looks.is_leaf(node) {
        return Verdict::Piece(if looks.is_text(node) { MOST_COHERENT } else { by_tag_and_size(looks, node) });
    }
    let name = looks.tree.name(node);
    let (is_table, is_cell) = (is_table(looks, node), matches!(name, "td" | "th"));
    let is_line = looks.is_inline(node) || name == "p";
    let mut children = looks.children(node);
    let only_child = match (children.next(), children.next()) {
        (Some(child), None) => Some(child),
        _ => None,
    };
    let largest = || looks.children(node).map(|child| looks.share(child)).fold(0.0, f64::max);
    if only_child.is_some_and(|child| !looks.is_text(child)) {
        return DIVIDE; // 2
    }
    if !is_table && looks.children(node).all(|child| looks.is_text(child)) {
        let is_same = looks.fonts(node).is_none_or(|fonts| fonts.are_same());
        return Verdict::Piece(if is_same { MOST_COHERENT } else { MOST_COHERENT - 1 }); // 4
    }
    if is_line && looks.children(node).any(|child| !looks.is_inline(child)) {
        return DIVIDE; // 5
    }
    if !is_table && !is_cell && looks.tree.children(node).any(|child| looks.tree.name(child) == "hr") {
        return DIVIDE; // 6
    }
    if is_table && has_other_background(looks, node) {
        return Verdict::Divide { by_background: true }; // 7
    }
    if !is_table && looks.share(node) < SMALL_SHARE && looks.children(node).any(|child| looks.is_text(child)) {
        return Verdict::Piece(by_tag_and_size(looks, node)); // 8
    }
    if largest() < SMALL_CHILD {
        return Verdict::Piece(by_tag_and_size(looks, node)); // 9
    }
    if is_table || is_cell {
        return Verdict::Piece(by_tag_and_size(looks, node)); // 10 and 12, which are the same for cells
    }
    DIVIDE // 11
}

fn is_table(looks: &Looks, node: usize) -> bool {
    matches!(looks.tree.name(node), "table" | "thead" | "tbody" | "tfoot" | "tr")
}

fn has_other_background(looks: &Looks, node: usize) -> bool {
    looks.children(node).any(|child| looks.background(child) != looks.background(node))
}

/// The degree of coherence of an element, according to its name.
fn by_tag(name: &str) -> u8 {
    match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" | "pre" => 8,
        "table" | "ul" | "ol" | "form" => 7,
        _ => 6,
    }
}

/// The degree of coherence of an element, according to its name: more for small elements, and less for large ones.
fn by_tag_and_size(looks: &Looks, node: usize) -> u8 {
    let degree = by_tag(looks.tree.name(node));
    match looks.share(node) {
        share if share > 0.6 => degree - 3,
        share if share > 0.3 => degree - 2,
        share if share > 0.1 => degree - 1,
        _ => degree + 2,
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::{called, with_drawn};
    use super::*;

    /// The pieces of a page with their degrees of coherence, and the number of horizontal rules.
    fn of(page: &str) -> (String, usize) {
        with_drawn(page, |facts, looks, text| {
            let Pieces { pieces, rules } = pieces(looks, 0);
            let piece = |piece: &Piece| format!("{} {}", called(facts.tree(), text, piece.node), piece.coherence);
            (pieces.iter().map(piece).collect::<Vec<String>>().join(", "), rules.len())
        })
    }

    #[track_caller]
    fn assert_pieces(page: &str, expected: &str) {
        assert_eq!(of(page).0, expected, "{page}");
    }

    /// Two list items, each a piece of its own, in a box that covers 1 % of the page.
    const ITEMS: &str = "<li id='0 0 100 50'>one</li><li id='0 50 100 50'>two</li>";

    #[test]
    fn rule_1_what_is_not_drawn_goes() {
        assert_pieces("<p id='0 0 99 20'>one</p><p>two</p><div id='0 0 99 99'></div><div><img></div>", "p 10");
    }

    #[test]
    fn rule_2_an_element_with_an_only_child_is_divided() {
        assert_pieces(&format!("<div id='0 0 100 100'><ul id='0 0 100 100'>{ITEMS}</ul></div>"), "ul 9");
        // Only children that are drawn count.
        assert_pieces(&format!("<div id='0 0 100 100'><p></p><ul id='0 0 100 100'>{ITEMS}</ul></div>"), "ul 9");
        // A text does not count as an only child.
        assert_pieces("<div id='0 0 100 100'><a>one</a></div>", "div 10");
    }

    #[test]
    fn rule_4_an_element_with_nothing_but_text_is_a_piece() {
        assert_pieces("<div id='0 0 1000 500'>one <a href=/>two <i>three</i></a></div>", "div 10");
        assert_pieces("<div id='0 0 1000 500'>one <b>two</b> three</div>", "div 9");
        assert_pieces("<div id='0 0 1000 500'>one <a class=f17>two</a> three</div>", "div 9");
        // A link with a picture is not text.
        assert_pieces("<div id='0 0 1000 500'>one <a><img id='0 0 500 500'></a></div>", "one 10, img 5");
        assert_pieces("<table id='0 0 100 100'>one</table>", "table 9");
        // A picture is not text. A large element with a picture is divided.
        assert_pieces("<div id='0 0 1000 500'>one <img id='0 0 500 500'></div>", "one 10, img 5");
    }

    #[test]
    fn rule_5_an_inline_element_around_blocks_is_divided() {
        let two = "<div id='0 0 100 50'>one</div><div id='0 50 100 50'>two</div>";
        assert_pieces(&format!("<a id='0 0 100 100'>{two}</a>"), "div 10, div 10");
        assert_pieces(&format!("<div id='0 0 100 100'>{two}</div>"), "div 8");
        // Text and pictures are not blocks.
        assert_pieces("<p id='0 0 100 100'>one <img id='0 0 50 50'></p>", "p 10");
    }

    #[test]
    fn rule_6_an_element_with_a_horizontal_rule_is_divided() {
        let two = "<p id='0 0 100 40'>one</p><hr id='0 50 100 2'><p id='0 60 100 40'>two</p>";
        assert_eq!(of(&format!("<div id='0 0 100 100'>{two}</div>")), ("p 10, p 10".to_owned(), 1));
        // In a cell, a horizontal rule does not divide.
        assert_eq!(of(&format!("<table><tr><td id='0 0 100 100'>{two}</td></tr></table>")), ("td 8".to_owned(), 0));
    }

    #[test]
    fn rule_7_cells_with_a_background_of_their_own_are_pieces() {
        let row = |class: &str| {
            format!(
                "<table id='0 0 1000 500'><tr id='0 0 1000 500'><td id='0 0 200 500' class={class}>one</td>\
                 <td id='200 0 800 500'>two</td></tr></table>"
            )
        };
        assert_pieces(&row("b200"), "td 8, td 10");
        assert_pieces(&row("b255"), "tr 4");
        // Rule 7 is for tables only.
        let page = "<div id='0 0 100 100'><p id='0 0 100 50' class=b200>one</p><p id='0 50 100 50'>two</p></div>";
        assert_pieces(page, "div 8");
    }

    #[test]
    fn rule_8_a_small_element_with_text_of_its_own_is_a_piece() {
        let page = |height: u32| {
            format!("<div id='0 0 200 {height}'>one<ul id='0 0 1000 100'><li>two</li><li>three</li></ul></div>")
        };
        assert_pieces(&page(249), "div 8");
        assert_pieces(&page(251), "one 10, li 10, li 10");
        // This element has no text of its own.
        let page = "<div id='0 0 200 200'><p id='0 0 1000 100'>one</p><p id='150 0 50 200'>two</p></div>";
        assert_pieces(page, "p 10, p 10");
    }

    #[test]
    fn rule_9_an_element_is_a_piece_if_its_children_are_small() {
        let list = |width: u32| {
            format!("<ul id='0 0 1000 500'><li id='0 0 {width} 200'>one</li><li id='0 100 100 100'>two</li></ul>")
        };
        assert_pieces(&list(499), "ul 5");
        assert_pieces(&list(501), "li 10, li 10");
    }

    #[test]
    fn rules_10_and_12_tables_and_cells_are_pieces() {
        let rows = "<tr id='0 0 1000 250'><td>one</td></tr><tr id='0 250 1000 250'><td>two</td></tr>";
        assert_pieces(&format!("<table id='0 0 1000 500'>{rows}</table>"), "tbody 4");
        assert_pieces(
            &format!("<div id='0 0 1000 500'>{rows}</div>").replace("tr", "ul").replace("td", "li"),
            "li 10, li 10",
        );
        let page = "<table id='0 0 1000 500'><thead><tr><th id='0 0 1000 250'>one</th></tr></thead>\
                    <tr><td id='0 250 1000 250'>two</td></tr></table>";
        assert_pieces(page, "table 5");
        let cells = "<td id='0 0 500 500'><p id='0 0 500 250'>one</p><p id='0 250 500 250'>two</p></td>";
        assert_pieces(&format!("<table><tr>{cells}</tr></table>"), "td 5");
        assert_pieces(&format!("<table><tr>{cells}</tr></table>").replace("td", "th"), "th 5");
    }

    #[test]
    fn rule_11_all_others_are_divided() {
        let page = "<div id='0 0 1000 500'><p id='0 0 1000 250'>one</p><div id='0 250 1000 250'>\
                    <p id='0 250 400 250'>two</p><img id='400 250 300 250'></div></div>";
        assert_pieces(page, "p 10, p 10, img 8");
    }

    #[test]
    fn small_elements_are_more_coherent_and_large_ones_less() {
        let of_height = |height: u32| {
            with_drawn(&format!("<pre id='0 0 1000 {height}'>a"), |_, looks, _| by_tag_and_size(looks, 1))
        };
        assert_eq!([99, 101, 299, 301, 599, 601, 5000].map(of_height), [10, 7, 7, 6, 6, 5, 5]);
        let names = ["p", "h1", "h6", "li", "pre", "table", "ul", "ol", "form", "div", "td", "img", ""];
        assert_eq!(names.map(by_tag), [8, 8, 8, 8, 8, 7, 7, 7, 7, 6, 6, 6, 6]);
    }
}
