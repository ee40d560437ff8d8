//! Features of the looks and the text of parts: of a part alone, of two leaves, and of a part in the part around it
//! (Chakrabarti, Kumar, Punera, WWW 2008, section 4.3; the paper names examples, this list is ours).

use super::parts::{Ancestors, Parts};
use dehusk_core::dom::facts::{Area, Count, Facts};
use dehusk_core::html::{NodeKind, Rect, Style, Tree, WEIGHT_OF_BOLD};

/// The classes of elements: the feature of each class, and the names of its elements.
const CLASSES: [(&str, &[&str]); 5] = [
    ("is-heading", &["h1", "h2", "h3", "h4", "h5", "h6"]),
    ("is-paragraph", &["p", "blockquote", "pre"]),
    ("is-list", &["ul", "ol", "dl", "li", "dt", "dd", "menu"]),
    ("is-table", &["table", "tbody", "thead", "tfoot", "tr", "td", "th"]),
    ("is-form", &["form", "input", "select", "textarea", "button", "fieldset"]),
];

/// Number of features that are compared between two parts: the first ones of a part.
pub const COMPARED: usize = 24;
/// Number of features of a part.
pub const PART_WIDTH: usize = 30;

macro_rules! names {
    ($($name:literal)*; $($class:literal)*; $($pair:literal)*; $($edge:literal)*; $($label:literal)*) => {
        /// The names of the features of a part.
        pub const NAMES: [&str; PART_WIDTH] = [$($name,)* $($class,)*];
        /// The names of the features of two leaves.
        pub const PAIR_NAMES: [&str; PAIR_WIDTH] = [$($name,)* $($pair,)*];
        /// The names of the features of a part in the part around it.
        pub const EDGE_NAMES: [&str; EDGE_WIDTH] =
            [$($name,)* $($class,)* $(concat!("child-", $name),)* $($edge,)*];
        /// The names of the features of a part and a label: another part that may be in the same segment.
        pub const LABEL_NAMES: [&str; LABEL_WIDTH] =
            [$($name,)* $($pair,)* $(concat!("label-", $name),)* $(concat!("label-", $class),)* $($label,)*];
    };
}

/// Number of features of two leaves.
pub const PAIR_WIDTH: usize = COMPARED + 9;
/// Number of features of a part and a label.
pub const LABEL_WIDTH: usize = PAIR_WIDTH + PART_WIDTH + 4;
/// Number of features of a part in the part around it.
pub const EDGE_WIDTH: usize = PART_WIDTH + COMPARED + 3;

names! {
    "center-x" "center-y" "width" "height" "aspect" "area" "background-l" "background-a" "background-b" "color-l" "color-a"
    "color-b" "font" "largest-font" "bold" "italic" "sentence-words" "linked-text" "links-per-word" "run-words" "image-area"
    "controls" "items" "depth";
    "is-heading" "is-paragraph" "is-list" "is-table" "is-form" "is-other";
    "same-background" "same-tag" "same-font" "gap-across" "gap-down" "tree-distance" "common-depth" "same-left" "same-top";
    "children" "share-of-leaves" "same-tags";
    "label-holds" "part-holds" "label-leaves" "label-share"
}

/// The features of a part.
pub type Vector = [f32; PART_WIDTH];

/// The features of all parts of a page, and the facts that are needed to compare two parts.
#[derive(Clone, Debug)]
pub struct Described {
    /// The features of each part, in the order of [`NAMES`].
    pub vectors: Vec<Vector>,
    looks: Vec<Look>,
    ancestors: Ancestors,
    deepest: f32,
    rects: Vec<Rect>,
}

/// Looks of a part that are only compared for equality.
#[derive(Clone, Copy, Debug)]
struct Look {
    tag: u32,
    font: f32,
    background: [u8; 3],
}

impl Described {
    /// The features of the parts of a page.
    pub fn of(facts: &Facts, parts: &Parts) -> Described {
        let tree = facts.tree();
        let by_names: Vec<Style>;
        let styles: &[Style] = match facts.boxes() {
            Some(boxes) => &boxes.styles,
            None => {
                by_names = Style::by_names(tree);
                &by_names
            }
        };
        let fonts = Fonts::of(facts, styles);
        let page = parts.rects.first().copied().unwrap_or(Rect { left: 0.0, top: 0.0, width: 1.0, height: 1.0 });
        let [page_width, page_height] = match facts.boxes() {
            Some(boxes) => [boxes.width, boxes.height].map(|side| side.max(1.0)),
            None => [page.width, page.height].map(|side| side.max(1.0)),
        };
        let page_font = fonts.mean(tree, 0);
        let deepest = parts.depths.iter().copied().max().unwrap_or(0).max(1) as f32;

        let mut tags: rustc_hash::FxHashMap<&str, u32> = rustc_hash::FxHashMap::default();
        let mut described = Described {
            vectors: Vec::with_capacity(parts.len()),
            looks: Vec::with_capacity(parts.len()),
            ancestors: Ancestors::of(parts),
            deepest,
            rects: parts.rects.clone(),
        };
        for part in 0..parts.len() {
            let node = parts.node(part);
            let rect = parts.rects[part];
            let count = |fact: Count| facts.count(node, fact) as f32;
            let share = |a: f32, b: f32| if b > 0.0 { a / b } else { 0.0 };
            let (words, chars) = (count(Count::Words), facts.chars(node) as f32);
            let style = styles[node];
            let [background, color] = [style.background, fonts.color(node, style)].map(lab);
            let [font, largest, bold, italic] = fonts.of_node(tree, node);
            let name = tag_of(facts, node);
            let class = CLASSES.iter().position(|(_, names)| names.contains(&name)).unwrap_or(CLASSES.len());

            let mut vector = [0.0; PART_WIDTH];
            vector[..COMPARED].copy_from_slice(&[
                (rect.left + rect.width / 2.0) / page_width,
                (rect.top + rect.height / 2.0) / page_height,
                rect.width / page_width,
                (rect.height / page_height).min(1.0),
                (rect.width.max(1.0) / rect.height.max(1.0)).ln(),
                (rect.area() as f32).ln_1p(),
                background[0],
                background[1],
                background[2],
                color[0],
                color[1],
                color[2],
                share(font, page_font),
                share(largest, fonts.largest),
                share(bold, chars),
                share(italic, chars),
                share(count(Count::SentenceWords), count(Count::Sentences)).ln_1p(),
                share(count(Count::LinkWords), words),
                share(count(Count::Links), words.max(1.0)),
                share(words, count(Count::Runs)).ln_1p(),
                share(facts.area_of(node, Area::Images) as f32, facts.area(node) as f32).min(1.0),
                count(Count::Inputs).ln_1p(),
                share(count(Count::Items), facts.nodes(node) as f32),
                share(parts.depths[part] as f32, deepest),
            ]);

            vector[COMPARED + class] = 1.0;
            let next = tags.len() as u32;
            let tag = *tags.entry(name).or_insert(next);
            described.looks.push(Look { tag, font: fonts.of_node(tree, node)[0], background: style.background });
            described.vectors.push(vector);
        }
        described
    }

    /// The features of two parts together, in the order of [`PAIR_NAMES`].
    pub fn pair(&self, parts: &Parts, a: usize, b: usize) -> [f32; PAIR_WIDTH] {
        let mut pair = [0.0; PAIR_WIDTH];
        for ((difference, a), b) in pair.iter_mut().zip(&self.vectors[a][..COMPARED]).zip(&self.vectors[b]) {
            *difference = (a - b).abs();
        }
        let (one, other) = (self.looks[a], self.looks[b]);
        let (rect, next) = (self.rects[a], self.rects[b]);
        let gap = |low: f32, side: f32, other_low: f32, other_side: f32| {
            (low.max(other_low) - (low + side).min(other_low + other_side)).max(0.0).ln_1p()
        };
        let is = |so: bool| f32::from(u8::from(so));
        let common = parts.depths[self.ancestors.nearest(parts, a, b)];
        let steps = parts.depths[a] + parts.depths[b] - 2 * common;
        pair[COMPARED..].copy_from_slice(&[
            is(one.background == other.background),
            is(one.tag == other.tag),
            is((one.font - other.font).abs() < 0.5),
            gap(rect.left, rect.width, next.left, next.width),
            gap(rect.top, rect.height, next.top, next.height),
            (steps as f32).ln_1p(),
            common as f32 / self.deepest,
            is((rect.left - next.left).abs() <= 2.0),
            is((rect.top - next.top).abs() <= 2.0),
        ]);
        pair
    }

    /// The features of a part and a label, which has this many leaves, in the order of [`LABEL_NAMES`].
    pub fn label(&self, parts: &Parts, part: usize, label: usize, leaves: u32) -> [f32; LABEL_WIDTH] {
        let mut all = [0.0; LABEL_WIDTH];
        all[..PAIR_WIDTH].copy_from_slice(&self.pair(parts, part, label));
        all[PAIR_WIDTH..][..PART_WIDTH].copy_from_slice(&self.vectors[label]);
        let holds = |outer: usize, inner: usize| outer <= inner && inner < parts.ends[outer] as usize;
        let is = |so: bool| f32::from(u8::from(so));
        all[PAIR_WIDTH + PART_WIDTH..].copy_from_slice(&[
            is(holds(label, part)),
            is(holds(part, label)),
            (leaves as f32).ln_1p(),
            leaves as f32 / parts.leaves.len().max(1) as f32,
        ]);
        all
    }

    /// The features of a part in the part around it, in the order of [`EDGE_NAMES`].
    pub fn edge(&self, parts: &Parts, child: usize, children: u32, leaves: [u32; 2]) -> [f32; EDGE_WIDTH] {
        let parent = parts.parents[child] as usize;
        let mut edge = [0.0; EDGE_WIDTH];
        edge[..PART_WIDTH].copy_from_slice(&self.vectors[parent]);
        let differences = self.vectors[parent].iter().zip(&self.vectors[child]).map(|(a, b)| (a - b).abs());
        edge[PART_WIDTH..].iter_mut().zip(differences.take(COMPARED)).for_each(|(edge, difference)| *edge = difference);
        let is_same = self.looks[parent].tag == self.looks[child].tag;
        edge[PART_WIDTH + COMPARED..].copy_from_slice(&[
            (children as f32).ln_1p(),
            leaves[0] as f32 / leaves[1].max(1) as f32,
            f32::from(u8::from(is_same)),
        ]);
        edge
    }
}

/// The name of a node that is a block element or a control, or of the nearest one around it.
fn tag_of<'t>(facts: &Facts<'t>, node: usize) -> &'t str {
    let tree = facts.tree();
    let is_own = |&node: &usize| {
        matches!(tree.kind(node), NodeKind::Element) && (tree.is_block(node) || is_control(tree.name(node)))
    };
    let around = std::iter::once(node).chain(tree.ancestors(node).take(8)).find(is_own);
    around.map_or("", |node| tree.name(node))
}

fn is_control(name: &str) -> bool {
    matches!(name, "input" | "select" | "textarea" | "button" | "img" | "iframe" | "video")
}

/// The fonts and colors of the text in each node.
struct Fonts {
    /// Sums over the text before each node: characters, their font sizes, bold characters, italic characters.
    before: Vec<[f64; 4]>,
    largest_of: Vec<f32>,
    colors: Vec<Option<[u8; 3]>>,
    largest: f32,
}

impl Fonts {
    fn of(facts: &Facts, styles: &[Style]) -> Fonts {
        let tree = facts.tree();
        let mut sum = [0.0; 4];
        let mut before = vec![sum];
        let mut largest_of = vec![0.0f32; tree.len()];
        // The color of the longest run in each node, and the length of this run.
        let mut colors: Vec<Option<[u8; 3]>> = vec![None; tree.len()];
        let mut longest = vec![0u32; tree.len()];
        for (node, style) in styles.iter().enumerate() {
            if let NodeKind::Text(_) = tree.kind(node) {
                let chars = facts.chars(node);
                let is = |so: bool| f64::from(u8::from(so));
                let of = [1.0, f64::from(style.font), is(style.weight >= WEIGHT_OF_BOLD), is(style.is_italic)];
                sum.iter_mut().zip(of).for_each(|(sum, of)| *sum += f64::from(chars) * of);
                largest_of[node] = style.font;
                (colors[node], longest[node]) = (Some(style.color), chars);
            }
            before.push(sum);
        }
        for node in (1..tree.len()).rev() {
            let parent = tree.parent(node).unwrap_or(0);
            largest_of[parent] = largest_of[parent].max(largest_of[node]);
            if longest[node] >= longest[parent] && colors[node].is_some() {
                (colors[parent], longest[parent]) = (colors[node], longest[node]);
            }
        }
        Fonts { before, largest: largest_of[0], largest_of, colors }
    }

    /// Mean and largest font size in a node, and its numbers of bold and of italic characters.
    fn of_node(&self, tree: &Tree, node: usize) -> [f32; 4] {
        let [_, _, bold, italic] = self.sums(tree, node);
        [self.mean(tree, node), self.largest_of[node], bold as f32, italic as f32]
    }

    fn mean(&self, tree: &Tree, node: usize) -> f32 {
        let [chars, sizes, ..] = self.sums(tree, node);
        if chars > 0.0 { (sizes / chars) as f32 } else { 0.0 }
    }

    fn sums(&self, tree: &Tree, node: usize) -> [f64; 4] {
        let (start, end) = (self.before[node], self.before[tree.end(node)]);
        std::array::from_fn(|at| end[at] - start[at])
    }

    /// The color of the longest run in a node.
    fn color(&self, node: usize, style: Style) -> [u8; 3] {
        self.colors[node].unwrap_or(style.color)
    }
}

/// A color as lightness and two opponent colors (CIE Lab), divided by 100.
fn lab(color: [u8; 3]) -> [f32; 3] {
    let linear = color.map(|part| {
        let part = f32::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    let [red, green, blue] = linear;
    let x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505;
    let y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    let z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089;
    let [x, y, z] = [x, y, z].map(|part| if part > 0.008856 { part.cbrt() } else { 7.787 * part + 16.0 / 116.0 });
    [1.16 * y - 0.16, 5.0 * (x - y), 2.0 * (y - z)]
}

#[cfg(test)]
mod tests {
    use super::super::parts::tests::with_facts;
    use super::*;

    #[test]
    fn colors_are_known_values() {
        let near = |color, expected: [f32; 3]| {
            assert!(lab(color).iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01), "{color:?} {:?}", lab(color));
        };
        near([255, 255, 255], [1.0, 0.0, 0.0]);
        near([0, 0, 0], [0.0, 0.0, 0.0]);
        near([255, 0, 0], [0.5324, 0.8009, 0.6720]);
    }

    #[test]
    fn features_of_a_page_by_hand() {
        let page = "<h1>Big <i>title</i></h1><ul><li><a href=/>one two</a></li><li><b>three</b></li></ul><p>A sentence here.</p><p>Two more words.</p>";
        with_facts(page, |facts, text| {
            let parts = Parts::of(facts);
            let described = Described::of(facts, &parts);
            let find = |start: &str| {
                (0..parts.len())
                    .rev()
                    .find(|&part| text[facts.tree().text(parts.node(part))].trim().starts_with(start))
                    .unwrap()
            };
            let value =
                |part: usize, name: &str| described.vectors[part][NAMES.iter().position(|n| *n == name).unwrap()];
            let [title, one, three, sentence, more] = ["title", "one", "three", "A", "Two"].map(find);
            assert_eq!([value(title, "italic"), value(title, "bold"), value(title, "is-heading")], [1.0; 3]);
            assert_eq!(
                [value(one, "linked-text"), value(one, "is-list"), value(one, "links-per-word")],
                [1.0, 1.0, 0.0]
            );
            assert_eq!([value(three, "bold"), value(three, "linked-text")], [1.0, 0.0]);
            assert_eq!(value(title, "largest-font"), 1.0);
            assert!((value(sentence, "sentence-words") - 4.0f32.ln()).abs() < 1e-6);
            let pair = described.pair(&parts, sentence, more);
            let of = |name: &str| pair[PAIR_NAMES.iter().position(|n| *n == name).unwrap()];
            assert_eq!([of("same-tag"), of("same-font"), of("same-left"), of("same-top")], [1.0, 1.0, 1.0, 0.0]);
            assert!((of("tree-distance") - 3.0f32.ln()).abs() < 1e-6);
            assert_eq!(of("common-depth"), 0.0);
            assert_eq!(pair, described.pair(&parts, more, sentence));
        });
    }
}
