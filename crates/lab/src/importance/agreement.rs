//! How far assessors agree about the levels of blocks (Song, Liu, Wen, Ma, WWW 2004, tables 1 to 3).
//!
//! In the paper, 5 people gave a level to each block. Here, any number of people may have done so.

use std::collections::BTreeMap;

use super::LabelledPage;
use super::confusion::Confusion;

/// The shares of the assessors of a block, in fifths.
pub const FIFTHS: [usize; 3] = [3, 4, 5];
/// The levels that the paper also counts as one.
pub const MERGED: [u8; 2] = [2, 3];

/// The agreement of assessors about the blocks that several of them gave a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// Number of these blocks.
    pub blocks: usize,
    /// For each of [`FIFTHS`], the share of blocks for which at least so many of the assessors gave the same level.
    pub shares: [f64; 3],
    /// The same with the levels 2 and 3 counted as one.
    pub merged: [f64; 3],
    /// The levels by all assessors, beside the level that more than half of the assessors of a block gave.
    pub all: Confusion,
    /// The same for each assessor, in the order of their names.
    pub assessors: Vec<(String, Confusion)>,
}

impl Agreement {
    /// The agreement about the blocks of these pages. `None` if no block has several assessors.
    pub fn of(pages: &[LabelledPage]) -> Option<Agreement> {
        let blocks = || pages.iter().flat_map(|page| &page.blocks).filter(|block| block.level.votes.len() > 1);
        let votes: Vec<Vec<u8>> =
            blocks().map(|block| block.level.votes.iter().map(|(_, vote)| *vote).collect()).collect();
        if votes.is_empty() {
            return None;
        }

        let mut of_assessors: BTreeMap<&str, Confusion> = BTreeMap::new();
        for block in blocks() {
            let Some(level) = block.level.level else { continue };
            for (assessor, vote) in &block.level.votes {
                let of_assessor = of_assessors.entry(assessor).or_insert_with(|| Confusion::new(&[1, 2, 3, 4]));
                of_assessor.add(level, *vote);
            }
        }
        let all = of_assessors.values().fold(Confusion::new(&[1, 2, 3, 4]), Confusion::and);
        let merge = |vote: &u8| if *vote == MERGED[1] { MERGED[0] } else { *vote };
        let merged: Vec<Vec<u8>> = votes.iter().map(|votes| votes.iter().map(merge).collect()).collect();
        Some(Agreement {
            blocks: votes.len(),
            shares: FIFTHS.map(|fifths| share_with(&votes, fifths)),
            merged: FIFTHS.map(|fifths| share_with(&merged, fifths)),
            all,
            assessors: of_assessors.into_iter().map(|(assessor, of)| (assessor.to_owned(), of)).collect(),
        })
    }
}

/// The share of blocks whose most frequent vote has at least this many fifths of the votes.
fn share_with(blocks: &[Vec<u8>], fifths: usize) -> f64 {
    let is_agreed = |votes: &&Vec<u8>| {
        let most = votes.iter().map(|level| votes.iter().filter(|vote| *vote == level).count()).max().unwrap_or(0);
        5 * most >= fifths * votes.len()
    };
    blocks.iter().filter(is_agreed).count() as f64 / blocks.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::importance::LabelledBlock;
    use dehusk_segments::importance::features::IMPORTANCE_WIDTH;
    use dehusk_segments::importance::record::BlockLevel;

    /// A page with these votes for its blocks. The assessors are named by letters.
    fn page(votes: &[&[u8]]) -> LabelledPage {
        let block = |votes: &&[u8]| {
            let of = |of: u8| votes.iter().filter(|&&vote| vote == of).count();
            let level = BlockLevel {
                votes: ["a", "b", "c", "d", "e"].map(str::to_owned).into_iter().zip(votes.iter().copied()).collect(),
                level: (1..=4).find(|&level| 2 * of(level) > votes.len()),
            };
            LabelledBlock { features: [0.0; IMPORTANCE_WIDTH], level }
        };
        LabelledPage { source: "s".to_owned(), blocks: votes.iter().map(block).collect(), all: votes.len() }
    }

    #[test]
    fn one_assessor_cannot_agree_with_others() {
        assert_eq!(Agreement::of(&[]), None);
        assert_eq!(Agreement::of(&[page(&[&[1], &[2]])]), None);
    }

    #[test]
    fn assessors_are_compared_with_what_most_of_them_say() {
        // The block with one assessor does not count, nor the last block, about which assessors disagree.
        let agreement = Agreement::of(&[page(&[&[4, 4, 3]]), page(&[&[1, 1], &[2], &[1, 2]])]).unwrap();
        assert_eq!((agreement.all.len(), agreement.all.micro_f1()), (5, 4.0 / 5.0));
        assert_eq!((agreement.all.recall(3), agreement.all.precision(2)), (2.0 / 3.0, 0.0));
        let of_each: Vec<(&str, u32, f64)> =
            agreement.assessors.iter().map(|(name, of)| (name.as_str(), of.len(), of.micro_f1())).collect();
        assert_eq!(of_each, [("a", 2, 1.0), ("b", 2, 1.0), ("c", 1, 0.0)]);
    }

    #[test]
    fn blocks_count_from_the_share_of_equal_votes() {
        let five: [&[u8]; 4] = [&[1, 1, 1, 1, 1], &[2, 3, 2, 2, 2], &[1, 4, 1, 4, 4], &[2, 3, 2, 3, 4]];
        let agreement = Agreement::of(&[page(&five)]).unwrap();
        assert_eq!(agreement.blocks, 4);
        assert_eq!(agreement.shares, [0.75, 0.5, 0.25]);
        // With 2 and 3 as one, the second block has 5 equal votes, and the last one 4.
        assert_eq!(agreement.merged, [1.0, 0.75, 0.5]);
        // 2 of 3 votes are more than 3/5, and fewer than 4/5.
        let three: [&[u8]; 2] = [&[1, 1, 4], &[1, 4]];
        assert_eq!(Agreement::of(&[page(&three)]).unwrap().shares, [0.5, 0.0, 0.0]);
    }
}
