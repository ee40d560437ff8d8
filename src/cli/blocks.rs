//! `dehusk blocks`: takes HTML pages, and writes the blocks of each, with how important they are, as lines of JSON.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};

use crate::parts::blocks::blocks_of_corpus;
use dehusk_corpus::{BoxesFile, Inventory};
use dehusk_segments::importance::model::ImportanceModel;
use dehusk_segments::importance::record::BlockRecord;

use super::force::{ForceArgs, PAGE_BLOCKS};
use super::interrupt::Results;
use super::options::{CorpusArgs, SummaryArgs, boxes_file, importance_model};
use super::page_lines::{PageLines, Write};
use super::reporter::Reporter;
use super::summary::{BlocksSummary, SourceSummary};
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
    /// Importance model, written by `dehusk-lab train --blocks` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = importance_model, value_hint = ValueHint::FilePath)]
    importance_model: Option<Arc<ImportanceModel>>,
    /// Where the parts of pages are drawn: a JSONL file
    ///
    /// Where the parts of pages are drawn: a JSONL file (see docs/pages.md). Without it, places are estimated.
    #[arg(long, value_name = "FILE", value_parser = boxes_file, value_hint = ValueHint::FilePath)]
    boxes: Option<Arc<BoxesFile>>,
    #[command(flatten)]
    summary: SummaryArgs,
}

impl BlocksCommand {
    /// Where the lines are written.
    pub fn results(&self) -> Results {
        if self.output.as_os_str() == "-" { Results::Stdout } else { Results::Files }
    }
}

/// Runs the command.
pub fn run(args: &BlocksCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let model = args.importance_model.clone().unwrap_or_else(ImportanceModel::shipped);
    let least = args.min_level.unwrap_or(1);
    let lines = PageLines {
        command: "blocks",
        doing: "finding blocks",
        step: "find blocks",
        corpus: &args.corpus,
        boxes: &args.boxes,
        output: &args.output,
        force: args.force,
        kind: PAGE_BLOCKS,
        summary: &args.summary,
    };
    let visit =
        |inventory: &Inventory, write: &mut Write<BlockRecord>| blocks_of_corpus(inventory, &model, reporter, write);
    let count = |summary: &mut SourceSummary, documents, blocks| {
        summary.blocks = Some(BlocksSummary { documents, blocks });
    };
    lines.run(global, reporter, visit, |block| block.level >= least, count)
}
