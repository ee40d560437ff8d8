//! The links of a page, weighted by the importance of their blocks.
//!
//! R. Song, H. Liu, J.-R. Wen and W.-Y. Ma ("Learning block importance models for web pages", WWW 2004, section 1) propose
//! to use the importance of blocks in link analysis. The weights are those of D. Cai, X. He, J.-R. Wen and W.-Y. Ma
//! ("Block-level link analysis", SIGIR 2004): the blocks share the weight 1 of the page, and the links of a block share
//! its weight equally. There, the weight of a block depends on its size and place, and here on its importance.

use crate::segmentation::vision::VisionBlock;
use dehusk_core::dom::facts::Facts;
use dehusk_core::html::Attribute;

/// A link of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedLink {
    /// The node.
    pub node: usize,
    /// The index of its block.
    pub block: usize,
    /// Its share of the weight of the page. The weights of all links of a page sum to 1.
    pub weight: f64,
}

/// The links of a page with these blocks, in the order of the page. `importance` has a number above 0 for each block.
/// Only links with visible content that lead to another place than the page itself count.
pub fn weighted_links(facts: &Facts, blocks: &[VisionBlock], importance: &[f64]) -> Vec<WeightedLink> {
    let links = links_of_blocks(facts, blocks);
    let mut counts = vec![0usize; blocks.len()];
    links.iter().for_each(|&(_, block)| counts[block] += 1);
    // Blocks without links have no part of the weight.
    let all: f64 =
        importance.iter().zip(&counts).filter(|&(_, &count)| count > 0).map(|(importance, _)| importance).sum();
    let weight = |block: usize| importance[block] / all / counts[block] as f64;
    links.into_iter().map(|(node, block)| WeightedLink { node, block, weight: weight(block) }).collect()
}

/// Each link with the index of its block. A link around several blocks belongs to the first of them.
fn links_of_blocks(facts: &Facts, blocks: &[VisionBlock]) -> Vec<(usize, usize)> {
    let tree = facts.tree();
    let mut block_of = vec![None; tree.len()];
    for (block, found) in blocks.iter().enumerate() {
        for &node in &found.nodes {
            block_of[node as usize..tree.end(node as usize)].fill(Some(block));
        }
    }

    let mut links = Vec::new();
    // The first node of a block from the current node on.
    let mut next = None;
    for node in (0..tree.len()).rev() {
        next = block_of[node].map(|block| (node, block)).or(next);
        let inside = next.filter(|&(first, _)| first < tree.end(node) && leads_elsewhere(facts, node));
        links.extend(inside.map(|(_, block)| (node, block)));
    }
    links.reverse();
    links
}

fn leads_elsewhere(facts: &Facts, node: usize) -> bool {
    let href = || facts.tree().attribute(node, Attribute::Href).map_or("", str::trim);
    facts.is_link(node) && !href().is_empty() && !href().starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::html::{Rect, Tree, read};

    /// The addresses of the links of a page, each with its block and its weight. The blocks are the elements `section`.
    fn links(page: &str, importance: &[f64]) -> Vec<(String, usize, f64)> {
        let (text, tree) = read::<Tree>(page);
        let facts = Facts::of(&tree, &text, None, None);
        let rect = Rect { left: 0.0, top: 0.0, width: 1.0, height: 1.0 };
        let sections = (0..tree.len()).filter(|&node| tree.name(node) == "section");
        let blocks: Vec<VisionBlock> =
            sections.map(|node| VisionBlock { nodes: vec![node as u32], rect, coherence: 9 }).collect();
        let links = weighted_links(&facts, &blocks, importance).into_iter();
        let href = |node| tree.attribute(node, Attribute::Href).unwrap_or_default().to_owned();
        links.map(|WeightedLink { node, block, weight }| (href(node), block, weight)).collect()
    }

    #[test]
    fn blocks_share_by_importance_and_their_links_share_equally() {
        let page =
            "<section><a href=a>a</a></section><section>b</section><section><a href=c>c</a> <a href=d>d</a></section>";
        let found = links(page, &[1.0, 4.0, 3.0]);
        assert_eq!(found, [("a".to_owned(), 0, 0.25), ("c".to_owned(), 2, 0.375), ("d".to_owned(), 2, 0.375)]);
    }

    #[test]
    fn links_that_lead_nowhere_else_do_not_count() {
        let page = "<section><a>a</a> <a href='#b'>b</a> <a href=' JavaScript:c()'>c</a> <a href=mailto:d>d</a> <a href>e</a> \
                    <a href=f></a> <a href=g>g</a></section><a href=h>h</a>";
        assert_eq!(links(page, &[2.0]), [("g".to_owned(), 0, 1.0)]);
        assert_eq!(links("<section><a>a</a></section>", &[2.0]), []);
    }

    #[test]
    fn a_link_around_blocks_belongs_to_the_first() {
        let page = "<section><a href=a>a</a></section><a href=b><section>b</section><section>c</section></a>";
        assert_eq!(links(page, &[1.0, 1.0, 1.0]), [("a".to_owned(), 0, 0.5), ("b".to_owned(), 1, 0.5)]);
    }
}
