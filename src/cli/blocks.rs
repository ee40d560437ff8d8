//! `dehusk blocks`: takes HTML pages, and writes the blocks of each, with how important they are, as lines of JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use rayon::prelude::*;

use dehusk::corpus::{BoxesFile, HtmlView};
use dehusk::importance::features::{FEATURES, WIDTH};
use dehusk::importance::model::ImportanceModel;
use dehusk::importance::record::BlockRecord;
use dehusk::pipeline::Steps;
use dehusk::pipeline::importance::{PageBlocks, blocks_of_corpus};
use dehusk::pipeline::reading::size_of;

use super::force::{ForceArgs, PAGE_BLOCKS};
use super::interrupt::Results;
use super::line_output::LineOutput;
use super::mine::scan_paths;
use super::options::{CorpusArgs, SummaryArgs, boxes_file, importance_model};
use super::reporter::Reporter;
use super::summary::{BlocksSummary, Summary};
use super::{Exit, Global};

/// Options of `dehusk blocks`.
#[derive(Args, Debug)]
pub struct BlocksCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// JSONL file for the blocks; `-` for stdout
    #[arg(short, long, alias = "out", value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Write only blocks that are at least this important, 1 to 4
    ///
    /// Write only blocks that are at least this important: 1 is noise, 2 navigation, 3 what belongs to the topic of the page, 4 its
    /// main content.
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=4))]
    min_level: Option<u8>,
    /// Importance model [default: the shipped model]
    ///
    /// Importance model, written by `dehusk train --blocks` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = importance_model, value_hint = ValueHint::FilePath)]
    importance_model: Option<Arc<ImportanceModel>>,
    /// Where the parts of pages are drawn: a JSONL file
    ///
    /// Where the parts of pages are drawn: a JSONL file (see docs/boxes.md). Without it, places are estimated.
    #[arg(long, value_name = "FILE", value_parser = boxes_file, value_hint = ValueHint::FilePath)]
    boxes: Option<Arc<BoxesFile>>,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// A degree of coherence.
pub fn coherence(text: &str) -> Result<u8, String> {
    match text.parse::<u8>() {
        Ok(degree) if (2..=10).contains(&degree) => Ok(degree),
        _ => Err("it is a number from 2 to 10".to_owned()),
    }
}

/// All of the spatial features, and all of the others.
const PARTS: [&str; 2] = ["spatial", "content"];

/// The names of features, and of parts of them.
pub fn feature_names() -> PossibleValuesParser {
    PossibleValuesParser::new(PARTS.into_iter().chain(FEATURES.iter().map(|feature| feature.name)))
}

/// Which features are used if these are left out.
pub fn features_without(names: &[String]) -> [bool; WIDTH] {
    std::array::from_fn(|at| {
        let feature = FEATURES[at];
        let part = PARTS[usize::from(!feature.is_spatial)];
        !names.iter().any(|name| name == feature.name || name == part)
    })
}

impl BlocksCommand {
    /// Where the lines are written.
    pub fn results(&self) -> Results {
        if self.output.as_os_str() == "-" { Results::Stdout } else { Results::Files }
    }
}

/// Runs the command.
pub fn run(args: &BlocksCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let options = args.corpus.reading.options().boxes(args.boxes.clone());
    if options.html == HtmlView::Markup {
        bail!("`blocks` reads pages as trees: leave --html markup out");
    }
    let inventory = scan_paths(&args.corpus.corpus, &args.corpus.list, &options, reporter, &mut summary)?;
    let inventory = inventory.with_html(HtmlView::Page).with_trees();
    let model = args.importance_model.clone().unwrap_or_else(ImportanceModel::shipped);
    let least = args.min_level.unwrap_or(1);
    let mut output = LineOutput::create(&args.output, args.force, &inventory.inputs(), PAGE_BLOCKS)?;
    reporter.start("finding blocks", Steps::Bytes(inventory.files().iter().map(size_of).sum()));
    let mut counts: BTreeMap<String, BlocksSummary> = BTreeMap::new();
    let written = summary.time("find blocks", || {
        blocks_of_corpus(&inventory, &model, reporter, |pages: &[PageBlocks]| {
            let is_wanted = |block: &&BlockRecord| block.level >= least;
            let lines: Vec<String> =
                pages.par_iter().flat_map_iter(|page| page.blocks.iter().filter(is_wanted).map(line)).collect();
            output.write(&lines)?;
            for PageBlocks { source, blocks } in pages {
                let count = counts.entry(source.as_str().to_owned()).or_default();
                count.documents += 1;
                count.blocks += blocks.iter().filter(is_wanted).count();
            }
            anyhow::Ok(())
        })
    });
    reporter.finish();
    written?;
    for (source, blocks) in counts {
        summary.documents += blocks.documents;
        summary.sources.entry(source).or_default().blocks = Some(blocks);
    }
    summary.skipped = reporter.skipped();
    match output.publish()? {
        None => summary.print_beside(args.summary.json, global.quiet)?,
        Some(name) => {
            summary.wrote.push(name);
            summary.print(args.summary.json, global.quiet)?;
        }
    }
    Ok(reporter.exit())
}

fn line(record: &BlockRecord) -> String {
    // Strings and numbers can always be written.
    let mut line = serde_json::to_string(record).unwrap_or_default();
    line.push('\n');
    line
}
