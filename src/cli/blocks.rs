//! `dehusk blocks`: takes HTML pages, and writes the blocks of each page, with their importance, as lines of JSON.

use std::sync::Arc;

use clap::{Args, ValueHint};

use dehusk_corpus::Inventory;
use dehusk_segments::importance::model::ImportanceModel;
use dehusk_segments::importance::record::BlockRecord;

use super::force::PAGE_BLOCKS;
use super::interrupt::Results;
use super::options::text_of_model;
use super::page_lines::{PageLines, PageLinesArgs, Write};
use super::reporter::Reporter;
use super::summary::{BlocksSummary, SourceSummary};
use super::{Exit, Global};
use crate::parts::blocks::{blocks_of_corpus, records};
use crate::parts::drawn::drawn_blocks;

/// Options of `dehusk blocks`.
#[derive(Args, Debug)]
pub struct BlocksCommand {
    #[command(flatten)]
    pages: PageLinesArgs,
    /// Write only blocks that are at least this important, 1 to 4
    ///
    /// Write only blocks that are at least this important: 1 is noise, 2 navigation, 3 what belongs to the topic of the page, 4 its
    /// main content.
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=4), help_heading = "Blocks")]
    min_level: Option<u8>,
    /// Importance model [default: the shipped model]
    ///
    /// Importance model, written by `dehusk-lab train --blocks` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = importance_model, value_hint = ValueHint::FilePath, help_heading = "Blocks")]
    importance_model: Option<Arc<ImportanceModel>>,
}

/// Reads an importance model.
pub fn importance_model(path: &str) -> Result<Arc<ImportanceModel>, String> {
    let yaml = text_of_model(path)?;
    ImportanceModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

impl BlocksCommand {
    /// Where the lines are written.
    pub fn results(&self) -> Results {
        self.pages.results()
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
        args: &args.pages,
        kind: PAGE_BLOCKS,
    };
    let visit =
        |inventory: &Inventory, write: &mut Write<BlockRecord>| blocks_of_corpus(inventory, &model, reporter, write);
    let count = |summary: &mut SourceSummary, documents, blocks| {
        summary.blocks = Some(BlocksSummary { documents, blocks });
    };
    let is_wanted = |block: &BlockRecord| block.level >= least;
    lines.run(global, reporter, visit, is_wanted, count, |canvas, document, tree| {
        let blocks: Vec<BlockRecord> = records(&model, document, tree).into_iter().filter(is_wanted).collect();
        drawn_blocks(canvas, &blocks)
    })
}
