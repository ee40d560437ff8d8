//! `dehusk-lab features CORPUS --of WHAT -o FILE`: writes the features that a model sees, so that other programs can learn
//! from them.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueEnum, ValueHint};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::block_features::coherence;
use dehusk::cli::force::ForceArgs;
use dehusk::cli::interrupt::Results;
use dehusk::cli::line_output::{LineOutput, line};
use dehusk::cli::mine::scan_paths;
use dehusk::cli::options::{CorpusArgs, SummaryArgs, boxes_file};
use dehusk::cli::reporter::Reporter;
use dehusk::cli::summary::Summary;
use dehusk::cli::{Exit, Global};
use dehusk_core::dom::block_features::{self, BlockFeatures};
use dehusk_core::dom::blocks::{Block, Blocks};
use dehusk_core::dom::facts::Facts;
use dehusk_core::dom::features;
use dehusk_core::dom::page_level::Judged;
use dehusk_core::html::Tree;
use dehusk_corpus::{BoxesFile, Document, HtmlView};
use dehusk_run::Steps;
use dehusk_run::pages::{PageRecords, visit_pages, with_facts};
use dehusk_run::reading::size_of;
use dehusk_segments::importance::features::{FEATURES, PageTotals};
use dehusk_segments::segmentation::features as segment_features;
use dehusk_segments::segmentation::model::Scene;
use dehusk_segments::segmentation::paths::{Paths, joined};
use dehusk_segments::segmentation::vision::{PERMITTED, VisionBlock, vision_blocks};

use crate::outputs::FEATURE_ROWS;

/// Options of `dehusk-lab features`.
#[derive(Args, Debug)]
pub struct FeaturesArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Of what: nodes, parts, blocks, importance or segments
    ///
    /// Of what the features are: `nodes`, for the page-level model; `blocks`, of text, for the block model; `importance`,
    /// of visual blocks; `parts`, of pages, and `segments`, of two parts that lie next to each other, for the segment model.
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true)]
    of: Of,
    /// JSONL file; `-` for stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,
    /// Degree of coherence of visual blocks, 2 to 10
    #[arg(long, value_name = "DEGREE", value_parser = coherence, default_value_t = PERMITTED)]
    coherence: u8,
    /// Where the parts of pages are drawn: a JSONL file
    #[arg(long, value_name = "FILE", value_parser = boxes_file, value_hint = ValueHint::FilePath)]
    boxes: Option<Arc<BoxesFile>>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

impl FeaturesArgs {
    /// Where the lines are written.
    pub fn results(&self) -> Results {
        if self.output.as_os_str() == "-" { Results::Stdout } else { Results::Files }
    }
}

/// The things that have features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Of {
    /// Nodes that the page-level model judges
    Nodes,
    /// Parts of pages, leaves and others
    Parts,
    /// Blocks of text
    Blocks,
    /// Visual blocks
    Importance,
    /// Two leaves that lie next to each other
    Segments,
}

/// A thing in a page, and its features.
struct Row {
    source: String,
    id: String,
    /// The paths of its nodes.
    paths: Vec<String>,
    /// Its bytes in the page, as UTF-8.
    bytes: Vec<(usize, usize)>,
    /// Its bytes in the visible text.
    text: Vec<(usize, usize)>,
    features: Vec<(&'static str, f32)>,
}

impl Serialize for Row {
    /// Each feature is a key of its own. A feature that is not known is `null`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("source", &self.source)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("paths", &self.paths)?;
        map.serialize_entry("bytes", &self.bytes)?;
        map.serialize_entry("text", &self.text)?;
        self.features.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

/// Runs the command.
pub fn run(args: &FeaturesArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let CorpusArgs { corpus, list, reading } = &args.corpus;
    let options = reading.options().boxes(args.boxes.clone());
    if options.html == HtmlView::Markup {
        bail!("`features` reads pages as trees: leave --html markup out");
    }
    let inventory = scan_paths(corpus, list, &options, reporter, &mut summary)?;
    let inventory = inventory.with_html(HtmlView::Page).with_trees();
    let reads = inventory.reads().and(global.reads());
    let mut output = LineOutput::create(&args.output, args.force, &reads, FEATURE_ROWS)?;
    reporter.start("finding features", Steps::Bytes(inventory.files().iter().map(size_of).sum()));
    let lines = |_: &str, document: &Document, tree: &Tree| -> Vec<String> {
        rows(args.of, args.coherence, document, tree).iter().map(line).collect()
    };
    let written = summary.time("find features", || {
        visit_pages(&inventory, "features", reporter, lines, |pages: &[PageRecords<String>]| {
            pages.iter().try_for_each(|page| output.write(&page.records))
        })
    });
    reporter.finish();
    written?;
    summary.skipped = reporter.skipped();
    output.finish(summary, &args.summary, global)?;
    Ok(reporter.exit())
}

/// The things in a page with their features, in the order of the page.
fn rows(of: Of, permitted: u8, document: &Document, tree: &Tree) -> Vec<Row> {
    let paths = Paths::of(tree);
    let row = |nodes: &[usize], features: Vec<(&'static str, f32)>| Row {
        source: document.source.as_str().to_owned(),
        id: document.id.clone(),
        paths: nodes.iter().map(|&node| paths.path(node)).collect(),
        bytes: joined(nodes.iter().map(|&node| tree.bytes(node)).filter(|bytes| !bytes.is_empty())),
        text: joined(nodes.iter().map(|&node| tree.text(node)).filter(|text| !text.is_empty())),
        features,
    };
    with_facts(document, tree, |facts| match of {
        Of::Nodes => {
            // The page-level model uses no boxes that are only estimated.
            let (boxes, url) = (document.boxes.as_deref(), document.url.as_deref());
            let facts = Facts::of(tree, &document.text, url, boxes);
            let of_node = |node| row(&[node], named(&features::NAMES, &features::features(&facts, node)));
            Judged::of(&facts).nodes().map(of_node).collect()
        }
        Of::Parts => {
            let Scene { parts, described, .. } = Scene::of(facts);
            let all = described.vectors.iter().enumerate();
            all.map(|(part, vector)| row(&[parts.node(part)], named(&segment_features::NAMES, vector))).collect()
        }
        Of::Segments => {
            let Scene { parts, described, neighbours } = Scene::of(facts);
            let of_pair = |&(a, b): &(u32, u32)| {
                let [a, b] = [a, b].map(|leaf| parts.leaves[leaf as usize] as usize);
                let pair = described.pair(&parts, a, b);
                row(&[parts.node(a), parts.node(b)], named(&segment_features::PAIR_NAMES, &pair))
            };
            neighbours.iter().map(of_pair).collect()
        }
        Of::Blocks => {
            let blocks = Blocks::of(&document.text, tree);
            let features = BlockFeatures::of(&blocks, tree);
            let runs: Vec<usize> = tree.runs().collect();
            let of_block = |(block, own): (&Block, &[f32])| {
                let before = |limit: usize| runs.partition_point(|&run| tree.text(run).start < limit);
                let runs = &runs[before(block.text.start)..before(block.text.end)];
                row(runs, named(block_features::FEATURES, &[&features.of_page, own].concat()))
            };
            blocks.blocks.iter().zip(features.rows()).map(of_block).collect()
        }
        Of::Importance => {
            let totals = PageTotals::of(facts, tree.bytes(0).len());
            let names = FEATURES.map(|feature| feature.name);
            let of_block = |block: VisionBlock| {
                let nodes: Vec<usize> = block.nodes.iter().map(|&node| node as usize).collect();
                row(&nodes, named(&names, &totals.features(&block).map(|value| value as f32)))
            };
            vision_blocks(facts, permitted).into_iter().map(of_block).collect()
        }
    })
}

fn named(names: &[&'static str], values: &[f32]) -> Vec<(&'static str, f32)> {
    assert_eq!(names.len(), values.len());
    names.iter().copied().zip(values.iter().copied()).collect()
}
