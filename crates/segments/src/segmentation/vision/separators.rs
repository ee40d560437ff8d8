//! The stripes between the pieces of a region, and the parts into which they divide the region.
//!
//! A *separator* is a horizontal or vertical stripe that no piece crosses. It weighs more if it is thick, has a
//! horizontal rule in it, or the pieces on its 2 sides look different. The paper starts from the pieces: those with the
//! lightest separator between them are merged first, and a merged block has the degree of coherence 11 less the weight
//! of its heaviest separator. Here, a region is divided at its heaviest separators, and then its parts, with the same
//! result. The paper then checks each piece in a merged block against the permitted degree. So a region is at most as
//! coherent as its least coherent piece that can be divided.
//!
//! The paper looks for separators of a whole round at once. Then a heading over two columns crosses the stripe between
//! the columns. Here, each part of a region has its own separators.

use std::ops::Range;
use std::rc::Rc;

use super::MOST_COHERENT;
use super::VisionBlock;
use super::extraction::Pieces;
use super::looks::{Fonts, Looks};
use dehusk_core::html::Rect;

/// Pieces may overlap by so many pixels and still have a separator between them, because sizes of boxes are rounded.
const OVERLAP_ALLOWED: f32 = 1.0;
/// Font sizes that differ by so many pixels are different.
const OTHER_SIZE: f32 = 2.0;
/// Font weights that differ by so much are different.
const OTHER_WEIGHT: u16 = 200;
/// Maximum depth of regions in regions. A deeper region is divided into all of its pieces at once. People do not draw
/// such pages.
const DEPTH: u32 = 64;

/// A piece, and the facts about it that the weights of separators depend on.
#[derive(Clone, Copy, Debug)]
struct Shape {
    node: usize,
    coherence: u8,
    rect: Rect,
    background: [u8; 3],
    fonts: Option<Fonts>,
    has_only_text: bool,
    is_inline: bool,
    /// Whether nothing is drawn inside, so that it cannot be divided.
    is_leaf: bool,
}

/// Pieces that may be a block together.
#[derive(Clone, Debug)]
pub struct Region {
    /// The pieces, in the order of the page. There is at least one.
    shapes: Vec<Shape>,
    /// The middles of the horizontal rules of the round, from the top down.
    rules: Rc<Vec<f32>>,
    /// Number of regions around this one in this round.
    depth: u32,
    /// Where the region is divided.
    cut: Cut,
    /// Degree of coherence.
    pub coherence: u8,
}

/// Where a region is divided.
#[derive(Clone, Debug)]
enum Cut {
    /// It is a single piece.
    Piece,
    /// Nothing separates its pieces.
    Pieces,
    /// The pieces in their order along an axis, and the range of each part in this order.
    Parts(Vec<usize>, Vec<Range<usize>>),
}

/// The result of dividing a region.
pub enum Divided {
    /// Smaller regions.
    Regions(Vec<Region>),
    /// The region is this single node.
    Piece(usize),
}

/// Horizontal stripes lie between pieces one above the other, vertical ones between pieces side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    Horizontal,
    Vertical,
}

impl Region {
    /// The region of all pieces of a round. `None` if there are no pieces.
    pub fn of(Pieces { pieces, rules }: Pieces, looks: &Looks) -> Option<Region> {
        let shape = |piece: super::extraction::Piece| Shape {
            node: piece.node,
            coherence: piece.coherence,
            rect: looks.rect(piece.node),
            background: looks.background(piece.node),
            fonts: looks.fonts(piece.node),
            has_only_text: looks.has_only_text(piece.node),
            is_inline: looks.is_inline(piece.node),
            is_leaf: looks.is_leaf(piece.node),
        };
        let shapes: Vec<Shape> = pieces.into_iter().map(shape).collect();
        let rects = rules.into_iter().filter_map(|rule| looks.own_rect(rule));
        let rules = sorted(rects.map(|rect| rect.top + rect.height / 2.0).collect());
        (!shapes.is_empty()).then(|| Region::new(shapes, Rc::new(rules), 0))
    }

    fn new(shapes: Vec<Shape>, rules: Rc<Vec<f32>>, depth: u32) -> Region {
        let (cut, coherence) = cut(&shapes, &rules, depth);
        Region { shapes, rules, depth, cut, coherence }
    }

    /// Divides the region once.
    pub fn divided(&self) -> Divided {
        let region = |shapes: Vec<Shape>| Region::new(shapes, self.rules.clone(), self.depth + 1);
        match &self.cut {
            Cut::Piece => Divided::Piece(self.shapes[0].node),
            Cut::Pieces => Divided::Regions(self.shapes.iter().map(|&shape| region(vec![shape])).collect()),
            Cut::Parts(order, parts) => {
                let part = |range: &Range<usize>| {
                    let mut part = order[range.clone()].to_vec();
                    part.sort_unstable();
                    region(part.into_iter().map(|shape| self.shapes[shape]).collect())
                };
                Divided::Regions(parts.iter().map(part).collect())
            }
        }
    }

    /// The region as a block.
    pub fn into_block(self) -> VisionBlock {
        let rect = self.shapes.iter().map(|shape| shape.rect).reduce(Rect::and);
        VisionBlock {
            nodes: self.shapes.iter().map(|shape| shape.node as u32).collect(),
            rect: rect.unwrap_or(Rect { left: 0.0, top: 0.0, width: 0.0, height: 0.0 }),
            coherence: self.coherence,
        }
    }
}

/// The division of pieces, and the degree of coherence of all of them together.
fn cut(shapes: &[Shape], rules: &[f32], depth: u32) -> (Cut, u8) {
    if let [shape] = shapes {
        return (Cut::Piece, shape.coherence);
    }
    let least = || shapes.iter().map(|shape| shape.coherence).min().unwrap_or(MOST_COHERENT);
    if depth >= DEPTH {
        return (Cut::Pieces, least());
    }
    // The degree of the pieces together, but not more than that of a piece that can be divided.
    let together = |degree: u8| {
        let divisible = shapes.iter().filter(|shape| !shape.is_leaf).map(|shape| shape.coherence);
        divisible.fold(degree, u8::min)
    };
    let [horizontal, vertical] = [Axis::Horizontal, Axis::Vertical].map(|axis| Stripes::of(shapes, rules, axis));
    let stripes = if vertical.heaviest() > horizontal.heaviest() { vertical } else { horizontal };
    match stripes.heaviest() {
        // A line of text with links and pictures in it is one thing.
        0 if shapes.iter().all(|shape| shape.is_inline) => (Cut::Pieces, together(MOST_COHERENT)),
        0 => (Cut::Pieces, least()),
        heaviest => {
            let ends = stripes.separators.iter().filter(|(_, weight)| *weight == heaviest).map(|&(end, _)| end);
            let mut start = 0;
            let parts = ends.chain([shapes.len()]).map(|end| std::mem::replace(&mut start, end)..end).collect();
            (Cut::Parts(stripes.order, parts), together(MOST_COHERENT + 1 - heaviest))
        }
    }
}

/// The separators along an axis.
struct Stripes {
    /// The pieces along the axis.
    order: Vec<usize>,
    /// For each separator, how many pieces are before it, and its weight, 1 to 10.
    separators: Vec<(usize, u8)>,
}

impl Stripes {
    fn of(shapes: &[Shape], rules: &[f32], axis: Axis) -> Stripes {
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        order.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|shape| start(shapes[shape].rect, axis));
            a.total_cmp(&b)
        });
        let mut separators = Vec::new();
        // Of the pieces so far, the one that reaches furthest.
        let mut last = order[0];
        for (at, &next) in order.iter().enumerate().skip(1) {
            let [before, after] = [shapes[last], shapes[next]];
            let stripe = end(before.rect, axis)..start(after.rect, axis);
            if stripe.start <= stripe.end + OVERLAP_ALLOWED {
                separators.push((at, weight(&before, &after, stripe, rules, axis)));
            }
            if end(after.rect, axis) > end(before.rect, axis) {
                last = next;
            }
        }
        Stripes { order, separators }
    }

    /// The weight of the heaviest separator; 0 if there is none.
    fn heaviest(&self) -> u8 {
        self.separators.iter().map(|&(_, weight)| weight).max().unwrap_or(0)
    }
}

fn sorted(mut places: Vec<f32>) -> Vec<f32> {
    places.sort_by(f32::total_cmp);
    places
}

fn start(rect: Rect, axis: Axis) -> f32 {
    if axis == Axis::Horizontal { rect.top } else { rect.left }
}

fn end(rect: Rect, axis: Axis) -> f32 {
    if axis == Axis::Horizontal { rect.top + rect.height } else { rect.left + rect.width }
}

/// The weight of the stripe between the pieces before and after it.
fn weight(before: &Shape, after: &Shape, stripe: Range<f32>, rules: &[f32], axis: Axis) -> u8 {
    let mut weight: i8 = match stripe.end - stripe.start {
        ..5.0 => 1,
        ..10.0 => 2,
        ..20.0 => 3,
        ..35.0 => 4,
        _ => 5,
    };
    let below = rules.partition_point(|&middle| middle < stripe.start);
    if axis == Axis::Horizontal && rules.get(below).is_some_and(|&middle| middle <= stripe.end) {
        weight += 3;
    }
    if before.background != after.background {
        weight += 2;
    }
    if let (Some(above), Some(below)) = (before.fonts, after.fonts) {
        let [[_, size], [_, next_size]] = [above.size, below.size];
        let [[_, boldness], [_, next_boldness]] = [above.weight, below.weight];
        if axis == Axis::Horizontal {
            let is_other = (size - next_size).abs() >= OTHER_SIZE || boldness.abs_diff(next_boldness) >= OTHER_WEIGHT;
            weight += i8::from(is_other) + i8::from(size < next_size);
        }
        if before.has_only_text && after.has_only_text && above == below && above.are_same() {
            weight -= 1;
        }
    }
    weight.clamp(1, 10) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A piece with this rectangle and usual looks.
    fn shape(left: f32, top: f32, width: f32, height: f32) -> Shape {
        let rect = Rect { left, top, width, height };
        let (background, coherence) = ([255; 3], 6);
        Shape {
            node: 1,
            coherence,
            rect,
            background,
            fonts: None,
            has_only_text: false,
            is_inline: false,
            is_leaf: true,
        }
    }

    fn letters(size: f32, weight: u16) -> Shape {
        let fonts = Some(Fonts { size: [size; 2], weight: [weight; 2] });
        Shape { fonts, has_only_text: true, ..shape(0.0, 0.0, 100.0, 100.0) }
    }

    /// The weight of a stripe of 12 pixels between 2 pieces. The thickness alone gives 3.
    fn between(before: &Shape, after: &Shape, rules: &[f32], axis: Axis) -> u8 {
        weight(before, after, 100.0..112.0, rules, axis)
    }

    fn above(before: &Shape, after: &Shape) -> u8 {
        between(before, after, &[], Axis::Horizontal)
    }

    fn beside(before: &Shape, after: &Shape) -> u8 {
        between(before, after, &[], Axis::Vertical)
    }

    /// The pieces of each part, and the degree of coherence of all pieces together.
    fn parts(shapes: &[Shape], rules: &[f32]) -> (Vec<Vec<usize>>, u8) {
        let (cut, coherence) = cut(shapes, rules, 0);
        let parts = match cut {
            Cut::Parts(order, parts) => parts.into_iter().map(|part| order[part].to_vec()).collect(),
            Cut::Pieces | Cut::Piece => Vec::new(),
        };
        (parts, coherence)
    }

    #[test]
    fn thick_stripes_weigh_more() {
        let piece = shape(0.0, 0.0, 100.0, 100.0);
        let of_thickness = |thickness: f32| weight(&piece, &piece, 50.0..50.0 + thickness, &[], Axis::Vertical);
        let thickness = [-1.0, 0.0, 4.9, 5.0, 9.9, 10.0, 19.9, 20.0, 34.9, 35.0, 900.0];
        assert_eq!(thickness.map(of_thickness), [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }

    #[test]
    fn a_horizontal_rule_makes_a_stripe_heavy() {
        let piece = shape(0.0, 0.0, 100.0, 100.0);
        assert_eq!(between(&piece, &piece, &[105.0], Axis::Horizontal), 6);
        assert_eq!(between(&piece, &piece, &[20.0, 105.0, 107.0], Axis::Horizontal), 6);
        assert_eq!(
            [99.9, 100.0, 112.0, 112.1].map(|rule| between(&piece, &piece, &[rule], Axis::Horizontal)),
            [3, 6, 6, 3]
        );
        assert_eq!(between(&piece, &piece, &[105.0], Axis::Vertical), 3);
    }

    #[test]
    fn another_background_makes_a_stripe_heavy() {
        let piece = shape(0.0, 0.0, 100.0, 100.0);
        let other = Shape { background: [255, 255, 0], ..piece };
        assert_eq!([above(&piece, &other), beside(&piece, &other)], [5, 5]);
    }

    #[test]
    fn other_fonts_make_a_horizontal_stripe_heavy() {
        let text = letters(16.0, 400);
        // A larger font below begins something new.
        assert_eq!([17.0, 17.9, 18.0, 32.0].map(|size| above(&text, &letters(size, 400))), [4, 4, 5, 5]);
        assert_eq!([15.0, 14.0, 8.0].map(|size| above(&text, &letters(size, 400))), [3, 4, 4]);
        assert_eq!([500, 599, 600, 700].map(|weight| above(&text, &letters(16.0, weight))), [3, 3, 4, 4]);
        assert_eq!([above(&letters(16.0, 700), &text), above(&letters(18.0, 700), &text)], [4, 4]);
        assert_eq!(beside(&text, &letters(32.0, 700)), 3);
        // The largest letters of each piece count.
        let mixed = Shape { fonts: Some(Fonts { size: [8.0, 16.0], weight: [100, 400] }), ..text };
        assert_eq!([above(&mixed, &text), above(&text, &mixed)], [3, 3]);
        // A picture has no letters.
        assert_eq!(above(&letters(32.0, 700), &shape(0.0, 0.0, 1.0, 1.0)), 3);
    }

    #[test]
    fn texts_that_look_the_same_belong_together() {
        let text = letters(16.0, 400);
        assert_eq!([above(&text, &text), beside(&text, &text)], [2, 2]);
        let with_picture = Shape { has_only_text: false, ..text };
        assert_eq!([above(&text, &with_picture), beside(&with_picture, &text)], [3, 3]);
        let mixed = Shape { fonts: Some(Fonts { size: [16.0; 2], weight: [400, 700] }), ..text };
        assert_eq!([above(&mixed, &mixed), beside(&mixed, &mixed)], [3, 3]);
    }

    #[test]
    fn weights_are_1_to_10() {
        let other = Shape { background: [0; 3], ..letters(32.0, 700) };
        let text = letters(16.0, 400);
        assert_eq!(weight(&text, &other, 0.0..40.0, &[20.0], Axis::Horizontal), 10);
        assert_eq!(weight(&text, &text, 0.0..1.0, &[], Axis::Horizontal), 1);
    }

    #[test]
    fn pieces_that_overlap_have_nothing_between_them() {
        let below = |top: f32| parts(&[shape(0.0, 0.0, 100.0, 100.0), shape(0.0, top, 100.0, 100.0)], &[]);
        assert_eq!(below(99.0), (vec![vec![0], vec![1]], 10));
        assert_eq!(below(98.9), (vec![], 6));
        // The first piece reaches further than the next ones.
        let tall = [shape(0.0, 0.0, 50.0, 100.0), shape(40.0, 5.0, 50.0, 10.0), shape(30.0, 50.0, 50.0, 10.0)];
        assert_eq!(parts(&tall, &[]), (vec![], 6));
        let after = [tall[0], tall[1], tall[2], shape(0.0, 107.0, 50.0, 10.0)];
        assert_eq!(parts(&after, &[]), (vec![vec![0, 1, 2], vec![3]], 9));
    }

    #[test]
    fn what_overlaps_is_as_coherent_as_its_least_coherent_piece() {
        let over = |coherence: u8, is_inline: bool| Shape { coherence, is_inline, ..shape(0.0, 0.0, 9.0, 9.0) };
        assert_eq!(parts(&[over(7, false), over(5, true), over(8, true)], &[]), (vec![], 5));
        // A line of text is one thing.
        assert_eq!(parts(&[over(7, true), over(5, true)], &[]), (vec![], 10));
    }

    #[test]
    fn a_region_is_as_coherent_as_its_least_coherent_piece_that_can_be_divided() {
        let below = |is_leaf: bool| Shape { coherence: 4, is_leaf, ..shape(0.0, 112.0, 100.0, 100.0) };
        let of = |is_leaf: bool| parts(&[shape(0.0, 0.0, 100.0, 100.0), below(is_leaf)], &[]).1;
        assert_eq!([of(true), of(false)], [8, 4]);
        let inline = |is_leaf: bool| Shape { coherence: 6, is_inline: true, is_leaf, ..shape(0.0, 0.0, 9.0, 9.0) };
        assert_eq!([true, false].map(|is_leaf| parts(&[inline(true), inline(is_leaf)], &[]).1), [10, 6]);
    }

    #[test]
    fn a_region_is_divided_at_its_heaviest_stripes() {
        // Stripes of 5, 30, 10 and 30 pixels.
        let tops = [0.0, 15.0, 55.0, 75.0, 115.0];
        let shapes = tops.map(|top| shape(0.0, top, 100.0, 10.0));
        assert_eq!(parts(&shapes, &[]), (vec![vec![0, 1], vec![2, 3], vec![4]], 7));
        let turned = tops.map(|left| shape(left, 0.0, 10.0, 100.0));
        assert_eq!(parts(&turned, &[]), (vec![vec![0, 1], vec![2, 3], vec![4]], 7));
        // A horizontal rule makes the third stripe the heaviest.
        assert_eq!(parts(&shapes, &[70.0]), (vec![vec![0, 1, 2], vec![3, 4]], 5));
    }

    #[test]
    fn of_equally_heavy_stripes_the_horizontal_ones_come_first() {
        // A grid of four.
        let at = |left: f32, top: f32| shape(left, top, 100.0, 100.0);
        let grid = |right: f32| [at(0.0, 0.0), at(right, 0.0), at(0.0, 110.0), at(right, 110.0)];
        assert_eq!(parts(&grid(110.0), &[]), (vec![vec![0, 1], vec![2, 3]], 8));
        assert_eq!(parts(&grid(120.0), &[]), (vec![vec![0, 2], vec![1, 3]], 7));
    }

    #[test]
    fn too_deep_regions_are_divided_into_their_pieces() {
        let shapes = [0.0, 50.0].map(|top| shape(0.0, top, 10.0, 10.0));
        assert!(matches!(cut(&shapes, &[], DEPTH - 1), (Cut::Parts(..), 6)));
        let (cut, coherence) = cut(&shapes.map(|shape| Shape { coherence: 7, ..shape }), &[], DEPTH);
        assert!(matches!(cut, Cut::Pieces) && coherence == 7);
    }
}
