//! What the other blocks of a page say about a block, once all have a probability.
//!
//! Takes the blocks of a page and for each the probability that it is content, from its [features](super::block_features). Returns
//! a row of numbers for each block: how sure its containers are, its path, its neighbours and the page. No block counts for
//! itself there.

use rustc_hash::FxHashMap;

use super::block_features::{Sums, Way};
use super::blocks::Blocks;

/// No probability is surer than this.
const MAX_SURE: f32 = 0.998;
/// Words beyond this count no more in a block.
const MAX_WEIGHT: f32 = 60.0;
/// The levels of the containers that are asked.
const LEVELS: [usize; 5] = [0, 1, 2, 3, 5];
/// The words over which neighbours fade.
const FADES: [f32; 2] = [15.0, 60.0];
/// A mean starts with this number of words of the block's own opinion.
const PRIOR: f32 = 5.0;

/// The log-odds of a probability.
pub fn log_odds(p: f32) -> f32 {
    let p = p.clamp(1.0 - MAX_SURE, MAX_SURE);
    (p / (1.0 - p)).ln()
}

/// The names of the features.
pub const CONTEXT: &[&str] = &[
    "own",
    "around-0",
    "around-1",
    "around-2",
    "around-3",
    "around-5",
    "kept-in-1",
    "kept-in-3",
    "on-path",
    "on-outer-path",
    "same-text",
    "kept-before-15",
    "kept-after-15",
    "kept-before-60",
    "kept-after-60",
    "up-from-best",
    "down-from-best",
    "best-fit",
    "in-kept",
    "page-kept",
    "page-kept-share",
];

/// The features of all blocks, a row of [`CONTEXT`] for each.
pub fn block_context(page: &Blocks, probabilities: &[f32]) -> Vec<f32> {
    let Blocks { blocks, containers, .. } = page;
    let mut rows = Vec::with_capacity(blocks.len() * CONTEXT.len());
    if blocks.is_empty() {
        return rows;
    }
    let p: Vec<f32> = probabilities.iter().map(|&p| p.clamp(1.0 - MAX_SURE, MAX_SURE)).collect();
    let weight: Vec<f32> = blocks.iter().map(|block| block.words.clamp(1.0, MAX_WEIGHT)).collect();
    let weights = Sums::of(weight.iter().copied());
    let kept_weights = Sums::of(weight.iter().zip(&p).map(|(weight, p)| weight * p));
    let words = Sums::of(blocks.iter().map(|block| block.words));
    let kept_words = Sums::of(blocks.iter().zip(&p).map(|(block, p)| block.words * p));
    let all_kept = kept_words.all().max(1.0);
    // How well the container would do as the content.
    let fit = |container: usize| {
        let range = &containers[container].blocks;
        let (recall, precision) =
            (kept_words.over(range) / all_kept, kept_words.over(range) / words.over(range).max(1.0));
        2.0 * recall * precision / (recall + precision).max(1e-6)
    };
    let best = (0..containers.len()).rev().max_by(|&a, &b| fit(a).total_cmp(&fit(b))).unwrap_or(0);
    let best_fit = fit(best);
    let mut of_path: FxHashMap<u64, (f32, f32)> = FxHashMap::default();
    let mut of_content: FxHashMap<u64, (f32, f32)> = FxHashMap::default();
    for (index, block) in blocks.iter().enumerate() {
        let own = &containers[block.container];
        let add = |sums: &mut (f32, f32)| {
            sums.0 += weight[index];
            sums.1 += weight[index] * p[index];
        };
        add(of_path.entry(own.path).or_default());
        add(of_path.entry(!containers[own.parent].path).or_default());
        add(of_content.entry(block.content).or_default());
    }
    let faded = FADES.map(|fade| neighbours(page, &p, &weight, fade));
    for (index, block) in blocks.iter().enumerate() {
        let mut put = |value: f32| rows.push(value);
        // The others' mean, with the own opinion as a start.
        let others = |sum: f32, of: f32| {
            let (sum, of) = ((sum - weight[index] * p[index]).max(0.0), (of - weight[index]).max(0.0));
            log_odds((sum + PRIOR * p[index]) / (of + PRIOR))
        };
        put(log_odds(p[index]));
        let around: Vec<usize> = page.around(index).take(LEVELS[LEVELS.len() - 1] + 1).collect();
        for level in LEVELS {
            let range = &containers[around[level.min(around.len() - 1)]].blocks;
            put(others(kept_weights.over(range), weights.over(range)));
        }
        for level in [1, 3] {
            let range = &containers[around[level.min(around.len() - 1)]].blocks;
            put(kept_words.over(range).ln_1p());
        }
        let own = &containers[block.container];
        for (map, key) in [(&of_path, own.path), (&of_path, !containers[own.parent].path), (&of_content, block.content)]
        {
            let (of, sum) = map[&key];
            put(others(sum, of));
        }
        for faded in &faded {
            put(faded[index].0);
            put(faded[index].1);
        }
        let Way { up, down } = page.way(best, index);
        put(up as f32);
        put(down as f32);
        put(best_fit);
        put({
            let before = kept_words.over(&(0..index)) / all_kept;
            f32::from(u8::from((0.02..0.98).contains(&before)))
        });
        put(all_kept.ln_1p());
        put(kept_words.all() / words.all().max(1.0));
    }
    rows
}

/// For each block, how sure the blocks before it and after it are, in -1..=1. They fade with the words between.
fn neighbours(page: &Blocks, p: &[f32], weight: &[f32], fade: f32) -> Vec<(f32, f32)> {
    let blocks = &page.blocks;
    let mut means = vec![(0.0, 0.0); blocks.len()];
    let mut walk = |indices: &mut dyn Iterator<Item = usize>, is_before: bool| {
        let (mut sum, mut of) = (0.0_f32, 0.0_f32);
        for index in indices {
            let mean = sum / (of + PRIOR);
            if is_before {
                means[index].0 = mean
            } else {
                means[index].1 = mean
            }
            let rest = (-blocks[index].words.max(1.0) / fade).exp();
            sum = (sum + weight[index] * (2.0 * p[index] - 1.0)) * rest;
            of = (of + weight[index]) * rest;
        }
    };
    walk(&mut (0..blocks.len()), true);
    walk(&mut (0..blocks.len()).rev(), false);
    means
}
