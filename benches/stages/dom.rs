//! Pages as trees.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

use dehusk::dom::isotonic::smooth;
use dehusk::evaluation::random::Random;

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
