//! How the text of a page looks: its font and its colors.
//!
//! dehusk does not read style sheets. A program that draws the page can supply the styles of its nodes (see
//! [`Boxes`](super::Boxes)). Otherwise the styles follow from the names of elements, as in browsers without a style
//! sheet.

use super::tree::Tree;

/// The default size of the font, in pixels.
const FONT: f32 = 16.0;
/// The weight of letters that are not bold.
const NORMAL: u16 = 400;
/// The weight of bold letters.
pub const WEIGHT_OF_BOLD: u16 = 700;

/// How a node looks. Text inherits it from the element around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// The size of the font, in pixels.
    pub font: f32,
    /// The weight of the letters, 100 to 1000.
    pub weight: u16,
    /// Whether the letters are slanted.
    pub is_italic: bool,
    /// The color of the text: red, green, blue.
    pub color: [u8; 3],
    /// The color behind the text.
    pub background: [u8; 3],
}

impl Default for Style {
    fn default() -> Style {
        Style { font: FONT, weight: NORMAL, is_italic: false, color: [0; 3], background: [255; 3] }
    }
}

impl Style {
    /// The style of each node according to the names of elements.
    pub fn by_names(tree: &Tree) -> Vec<Style> {
        let mut styles = vec![Style::default()];
        for node in 1..tree.len() {
            let around = tree.parent(node).map_or_else(Style::default, |parent| styles[parent]);
            styles.push(around.inside(tree.name(node)));
        }
        styles
    }

    /// The style of an element of this name, inside an element of this style.
    fn inside(self, name: &str) -> Style {
        let heading = |times: f32| Style { font: FONT * times, weight: WEIGHT_OF_BOLD, ..self };
        match name {
            "h1" => heading(2.0),
            "h2" => heading(1.5),
            "h3" => heading(1.17),
            "h4" => heading(1.0),
            "h5" => heading(0.83),
            "h6" => heading(0.67),
            "b" | "strong" | "th" => Style { weight: WEIGHT_OF_BOLD, ..self },
            "i" | "em" | "cite" | "var" | "dfn" | "address" => Style { is_italic: true, ..self },
            "small" | "sub" | "sup" => Style { font: (self.font / 1.2).max(1.0), ..self },
            "big" => Style { font: (self.font * 1.2).min(FONT * 10.0), ..self },
            "a" => Style { color: [0, 0, 238], ..self },
            "button" | "input" | "select" | "textarea" => {
                Style { font: 13.33, weight: NORMAL, is_italic: false, ..self }
            }
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn names_of_elements_say_how_text_looks() {
        let page =
            "<h2>one <a href=/>two</a> <small>three</small></h2><p>four <b>five <i>six</i></b><table><tr><th>seven";
        let (text, tree) = read::<Tree>(page);
        let styles = Style::by_names(&tree);
        let of = |word: &str| {
            let run = tree.runs().find(|&run| text[tree.text(run)].trim() == word).expect("a run");
            let Style { font, weight, is_italic, color, .. } = styles[run];
            (font, weight, is_italic, color[2])
        };
        assert_eq!(of("one"), (24.0, WEIGHT_OF_BOLD, false, 0));
        assert_eq!(of("two"), (24.0, WEIGHT_OF_BOLD, false, 238));
        assert_eq!(of("three"), (20.0, WEIGHT_OF_BOLD, false, 0));
        assert_eq!(of("four"), (16.0, NORMAL, false, 0));
        assert_eq!(of("five"), (16.0, WEIGHT_OF_BOLD, false, 0));
        assert_eq!(of("six"), (16.0, WEIGHT_OF_BOLD, true, 0));
        assert_eq!(of("seven"), (16.0, WEIGHT_OF_BOLD, false, 0));
    }
}
