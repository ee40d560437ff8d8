//! Divides a page into the blocks that people see (D. Cai, S. Yu, J.-R. Wen, W.-Y. Ma, "VIPS: a vision-based page
//! segmentation algorithm", Microsoft Research, 2003).
//!
//! A round takes an element apart. Rules choose the elements inside it that are *pieces*, and the stripes between
//! pieces show which pieces belong together in a *region*. A region or a piece has a *degree of coherence*, 1 to 10. If
//! the degree is below the *permitted* one, a region is divided at its heaviest stripes, and a piece in another round.
//!
//! The parts of a region or a piece do not depend on the permitted degree. So a higher permitted degree never gives
//! fewer blocks, and each of its blocks is part of a block of any lower permitted degree.

#[cfg(test)]
mod drawn;
mod extraction;
mod looks;
mod separators;

use dehusk_core::dom::facts::Facts;
use dehusk_core::html::Rect;
use extraction::pieces;
use looks::Looks;
pub use looks::is_visible_leaf;
use separators::{Divided, Region};

/// The permitted degree of coherence if nothing else is said: the lowest at which fewer than one page in ten is all in
/// one block. This gives 10 to 16 blocks a page. The paper on block importance (2004) has 7.6.
pub const PERMITTED: u8 = 7;
/// The greatest degree of coherence.
pub const MOST_COHERENT: u8 = 10;

/// A block of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct VisionBlock {
    /// Its nodes, in the order of the page. None is inside of another one.
    pub nodes: Vec<u32>,
    /// The smallest rectangle around the nodes.
    pub rect: Rect,
    /// Its degree of coherence, 1 to 10.
    pub coherence: u8,
}

/// The blocks of a page, in the order of their first nodes. They hold each drawn leaf once. A block is divided, if it
/// can be, while its degree of coherence is below `permitted`, 2 to 10. Without boxes, there are no blocks.
pub fn vision_blocks(facts: &Facts, permitted: u8) -> Vec<VisionBlock> {
    let Some(looks) = Looks::of(facts) else { return Vec::new() };
    let mut blocks = Vec::new();
    let mut regions: Vec<Region> = Vec::new();
    let mut nodes: Vec<usize> = Vec::from_iter(looks.is_drawn(0).then_some(0));
    loop {
        if let Some(region) = regions.pop() {
            if region.coherence < permitted {
                match region.divided() {
                    Divided::Regions(parts) => regions.extend(parts),
                    Divided::Piece(node) if looks.is_leaf(node) => blocks.push(region.into_block()),
                    Divided::Piece(node) => nodes.push(node),
                }
            } else {
                blocks.push(region.into_block());
            }
        } else if let Some(node) = nodes.pop() {
            regions.extend(Region::of(pieces(&looks, node), &looks));
        } else {
            break;
        }
    }
    blocks.sort_by_key(|block: &VisionBlock| block.nodes[0]);
    blocks
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::laws::{check_blocks, random_boxes};
    use super::drawn::{called, with_drawn};
    use super::*;
    use dehusk_core::html::{Tree, read};
    use dehusk_core::random::Random;

    /// The nodes and the degree of coherence of each block.
    fn blocks(page: &str, permitted: u8) -> Vec<(String, u8)> {
        with_drawn(page, |facts, _, text| {
            check_blocks(facts);
            check_degrees(facts);
            let name = |&node: &u32| called(facts.tree(), text, node as usize);
            let names = |block: &VisionBlock| block.nodes.iter().map(name).collect::<Vec<&str>>().join(" ");
            vision_blocks(facts, permitted).iter().map(|block| (names(block), block.coherence)).collect()
        })
    }

    /// Checks that each piece in a block has at least the permitted degree, or cannot be divided. The pieces and their
    /// degrees come from the rules alone, for all rounds.
    #[track_caller]
    fn check_degrees(facts: &Facts) {
        let Some(looks) = Looks::of(facts) else { return };
        let mut degrees: BTreeMap<usize, u8> = BTreeMap::new();
        let mut open: Vec<usize> = Vec::from_iter(looks.is_drawn(0).then_some(0));
        while let Some(node) = open.pop() {
            for piece in pieces(&looks, node).pieces {
                degrees.insert(piece.node, piece.coherence);
                open.extend(Some(piece.node).filter(|&node| !looks.is_leaf(node)));
            }
        }
        for permitted in 2..=MOST_COHERENT {
            let blocks = vision_blocks(facts, permitted);
            let is_coherent = |&node: &u32| looks.is_leaf(node as usize) || degrees[&(node as usize)] >= permitted;
            assert!(
                blocks.iter().flat_map(|block| &block.nodes).all(is_coherent),
                "{permitted} {blocks:?} {degrees:?}"
            );
        }
    }

    fn named<const N: usize>(expected: [(&str, u8); N]) -> Vec<(String, u8)> {
        expected.map(|(names, coherence)| (names.to_owned(), coherence)).to_vec()
    }

    #[test]
    fn a_heading_over_two_columns_is_parted_first_and_then_the_columns() {
        let page = "<h1 id='0 0 1000 50'>Tides</h1><div id='0 70 480 900'>left</div><p id='520 70 480 900'>right</p>";
        assert_eq!(blocks(page, 2), named([("h1 div p", 6)]));
        assert_eq!(blocks(page, 6), named([("h1 div p", 6)]));
        assert_eq!(blocks(page, 7), named([("h1", 10), ("div p", 7)]));
        assert_eq!(blocks(page, 8), named([("h1", 10), ("div", 10), ("p", 10)]));
    }

    #[test]
    fn columns_over_a_foot_are_in_the_order_of_the_page() {
        // On the screen, the last element of the page is at the left.
        let page = "<div id='500 0 480 500'>right</div><pre id='0 600 1000 50'>foot</pre><p id='0 0 480 500'>left</p>";
        assert_eq!(blocks(page, 8), named([("div p", 8), ("pre", 10)]));
        assert_eq!(blocks(page, 9), named([("div", 10), ("pre", 10), ("p", 10)]));
    }

    #[test]
    fn a_piece_that_is_not_coherent_enough_is_divided_in_another_round() {
        let page = "<table id='0 0 1000 900'><tr id='0 0 1000 400'><td id='0 0 1000 400'>one</td></tr>\
                    <tr id='0 500 1000 400'><td id='0 500 1000 400'>two</td></tr></table>\
                    <p id='0 901 1000 50' class=f18>three</p>";
        // The stripe under the table is thin, and the stripe between the rows is not seen before the round of the
        // table.
        assert_eq!(blocks(page, 3), named([("tbody p", 3)]));
        assert_eq!(blocks(page, 9), named([("td", 10), ("td", 10), ("p", 10)]));
    }

    #[test]
    fn a_menu_beside_an_article_is_a_block_of_its_own() {
        // The stripe between the two is light. But each of the two is less coherent than it must be.
        let list = "<ul id='0 0 190 600'><li id='0 0 190 20'>one</li><li id='0 20 190 20'>two</li></ul>";
        let page = format!("<body>{list}<p id='196 0 800 600'>three</p>");
        assert_eq!(blocks(&page, 6), named([("ul p", 6)]));
        assert_eq!(blocks(&page, 9), named([("li li", 10), ("p", 10)]));
        let table = |left: u32, width: u32| {
            let row =
                |top: u32| format!("<tr><td id='{left} {top} {width} 20'>one <img id='{left} {top} 9 9'></td></tr>");
            format!("<table><tbody id='{left} 0 {width} 600'>{}{}</tbody></table>", row(0), row(20))
        };
        let page = format!("<body>{}{}", table(0, 190), table(194, 800));
        assert_eq!(blocks(&page, 4), named([("tbody tbody", 4)]));
        assert_eq!(blocks(&page, 7), named([("td td", 8), ("td td", 8)]));
    }

    #[test]
    fn horizontal_rules_part_blocks_wherever_they_are_in_the_page() {
        let page = "<h1 id='0 0 900 20'>Tides</h1><p id='0 60 900 20'>one</p><hr id='0 144 900 2'>\
                    <p id='0 90 900 20'>two</p><p id='0 120 900 20'>three</p><hr id='0 84 900 2'><p id='0 150 900 20'>four</p>";
        assert_eq!(blocks(page, 6), named([("h1", 10), ("p p p p", 6)]));
        assert_eq!(blocks(page, 7), named([("h1", 10), ("p", 10), ("p p", 9), ("p", 10)]));
    }

    #[test]
    fn a_block_lies_around_its_nodes() {
        let page = "<h1 id='10 0 500 50'>Tides</h1><div id='0 55 480 900'>left</div>";
        with_drawn(page, |facts, _, _| {
            let [block] = &vision_blocks(facts, 2)[..] else { panic!("one block") };
            assert_eq!(block.rect, Rect { left: 0.0, top: 0.0, width: 510.0, height: 955.0 });
        });
    }

    #[test]
    fn what_is_not_drawn_is_in_no_block() {
        let page = "<p id='0 0 100 20'>one</p><p>none</p><p id='0 30 0 20'>none</p><p id='-200 30 100 20'>none</p>\
                    <p id='0 -90 100 20'>none</p><img><img id='0 60 100 20'><hr id='0 90 100 2'>";
        assert_eq!(blocks(page, 10), named([("p", 10), ("img", 8)]));
        assert_eq!(blocks("<p>none", 9), []);
        assert_eq!(blocks("", 9), []);
    }

    #[test]
    fn without_boxes_there_are_no_blocks() {
        let (text, tree) = read::<Tree>("<p>one<p>two");
        assert_eq!(vision_blocks(&Facts::of(&tree, &text, None, None), PERMITTED), []);
    }

    #[test]
    fn regions_that_are_nested_deeply_are_divided_into_all_pieces() {
        // A spiral: each piece is one side of the rectangle that is left.
        let (mut page, mut rest) = (String::new(), [0, 0, 3000, 3000]);
        for piece in 0..200 {
            let [left, top, width, height] = rest;
            let side;
            (side, rest) = match piece % 4 {
                0 => ([left, top, width, 5], [left, top + 12, width, height - 12]),
                1 => ([left + width - 5, top, 5, height], [left, top, width - 12, height]),
                2 => ([left, top + height - 5, width, 5], [left, top, width, height - 12]),
                _ => ([left, top, 5, height], [left + 12, top, width - 12, height]),
            };
            let [left, top, width, height] = side;
            page += &format!("<img id='{left} {top} {width} {height}'>");
        }
        let alone = blocks(&page, 10);
        assert_eq!(alone.len(), 200);
        assert_eq!(blocks(&page, 9).len(), 1);
    }

    proptest! {
        #[test]
        fn laws_hold_for_all_pages_and_boxes(
            parts in prop::collection::vec(prop::sample::select(vec![
                "<div>", "</div>", "<p>", "<ul><li>", "</ul>", "<a href=/a>link</a>", "One two three. ", "<img>", "<section>",
                "<table><tr><td>", "<td>", "<tr>", "</table>", "<h2>Head</h2>", "<input>", "<hr>", "<b>bold</b>", "<br>", "<a>",
            ]), 0..60),
            seed: u64,
        ) {
            let page = parts.concat();
            let (text, tree) = read::<Tree>(&page);
            let boxes = random_boxes(&tree, &mut Random::new(seed));
            let facts = Facts::of(&tree, &text, None, Some(&boxes));
            check_blocks(&facts);
            check_degrees(&facts);
        }
    }
}
