//! Pages as trees.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};

use dehusk_core::dom::facts::Facts;
use dehusk_core::dom::isotonic::smooth;
use dehusk_core::dom::page_level::PageModel;
use dehusk_core::html::{Tree, estimated_boxes, read};
use dehusk_core::random::Random;
use dehusk_segments::importance::judged_blocks;
use dehusk_segments::importance::model::ImportanceModel;
use dehusk_segments::segmentation::correlation::Pivot;
use dehusk_segments::segmentation::max_flow::{FlowGraph, INFINITE};
use dehusk_segments::segmentation::model::SegmentModel;
use dehusk_segments::segmentation::segmenter::{Knowledge, Method, Segmenter};

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

/// The segments of one page, whose tree is known.
#[divan::bench(args = ["gcuts", "cclus"])]
fn segments(bencher: Bencher, method: &str) {
    let pages: Vec<(String, Tree)> = pages(1).iter().map(|page| read(page)).collect();
    let method = if method == "gcuts" {
        Method::Cuts(Knowledge::ALL)
    } else {
        Method::Clusters { learned: true, pivot: Pivot::Cheaper }
    };
    let (model, page_model) = (SegmentModel::shipped(), PageModel::shipped());
    let segmenter = Segmenter { method, model, page_model, lambda: None };
    let mut next = pages.iter().cycle();
    let page = || next.next().expect("a page");
    bencher.with_inputs(page).bench_local_values(|(text, tree)| segmenter.segments(text, tree, None, None));
}

/// The blocks of one page, whose tree is known, and how important they are.
#[divan::bench]
fn blocks(bencher: Bencher) {
    let pages: Vec<(String, Tree)> = pages(1).iter().map(|page| read(page)).collect();
    let model = ImportanceModel::shipped();
    let mut next = pages.iter().cycle();
    let page = || next.next().expect("a page");
    bencher.with_inputs(page).bench_local_values(|(text, tree)| {
        let boxes = estimated_boxes(tree, text);
        let facts = Facts::of(tree, text, None, Some(&boxes));
        judged_blocks(&model, &facts, tree.bytes(0).len())
    });
}

/// The minimum cut of a graph as an expansion has it: a tree in which who takes the label takes it with all inside, and leaves
/// that gain by it or lose, next to each other.
#[divan::bench(args = [1000, 10_000, 100_000])]
fn max_flow(bencher: Bencher, nodes: u32) {
    let mut random = Random::new(1);
    let graph = || {
        let mut graph = FlowGraph::new();
        for node in 0..nodes {
            graph.add_node();
            let [gain, loss] = [random.below(1 << 16), random.below(1 << 16)];
            graph.add_terminals(node, gain as i64, loss as i64);
            if node > 0 {
                let parent = node - 1 - random.below(node.min(10) as usize) as u32;
                graph.add_edge(parent, node, 0, INFINITE);
                let price = random.below(1 << 15) as i64;
                graph.add_edge(node - 1, node, price, price);
            }
        }
        graph
    };
    bencher.counter(ItemsCount::new(nodes)).with_inputs(graph).bench_local_values(|mut graph| graph.solve());
}
