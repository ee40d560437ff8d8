//! Pages as trees.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};

use dehusk::dom::facts::Facts;
use dehusk::dom::isotonic::smooth;
use dehusk::dom::page_level::PageModel;
use dehusk::html::{Tree, read};
use dehusk::random::Random;

use crate::prepared::pages;
use crate::sizes;

/// Facts, features, scores and smoothing of pages whose trees are known. Speeds are in bytes of the pages.
#[divan::bench(args = sizes())]
fn page_level(bencher: Bencher, megabytes: u64) {
    let pages = pages(megabytes);
    let bytes: usize = pages.iter().map(String::len).sum();
    let pages: Vec<(String, Tree)> = pages.iter().map(|page| read(page)).collect();
    let model = PageModel::shipped();
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        pages.iter().for_each(|(text, tree)| drop(black_box(model.templates(&Facts::of(tree, text, None, None)))));
    });
}

/// The tree of each page.
#[divan::bench(args = sizes())]
fn tree(bencher: Bencher, megabytes: u64) {
    let pages = pages(megabytes);
    let bytes: usize = pages.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| pages.iter().for_each(|page| drop(black_box(read::<Tree>(page)))));
}

/// A path of 60,000 nodes, the deepest tree that can be expected, and a node with 20,000 children. All scores are
/// possible.
#[divan::bench(args = ["path", "star"])]
fn isotonic(bencher: Bencher, shape: &str) {
    let nodes: u32 = if shape == "path" { 60_000 } else { 20_001 };
    let parent = |node: u32| if shape == "path" { node.saturating_sub(1) } else { 0 };
    let parents: Vec<u32> = (0..nodes).map(parent).collect();
    let mut random = Random::new(1);
    let mut draw = || parents.iter().map(|_| random.unit() as f32).collect::<Vec<f32>>();
    let (scores, penalties) = (draw(), draw());
    let weights = vec![1; parents.len()];
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| black_box(smooth(&parents, &scores, &weights, &penalties)));
}
