//! `dehusk blocks`: takes HTML pages, and writes the blocks of each page, with their importance, as lines of JSON. On
//! request, it writes the links in the blocks instead.

use std::sync::Arc;

use clap::{Args, ValueHint};

use dehusk_core::html::Tree;
use dehusk_corpus::{Document, Inventory};
use dehusk_run::explain::drawn::Canvas;
use dehusk_segments::importance::model::ImportanceModel;
use dehusk_segments::importance::record::{BlockRecord, LinkRecord};

use super::force::PAGE_BLOCKS;
use super::interrupt::Results;
use super::options::text_of_model;
use super::page_lines::{PageLines, PageLinesArgs, Write};
use super::reporter::Reporter;
use super::summary::{BlocksSummary, LinksSummary, SourceSummary};
use super::{Exit, Global};
use crate::parts::blocks::{blocks_of_corpus, links_of_corpus, records};
use crate::parts::drawn::drawn_blocks;

/// Options of `dehusk blocks`.
#[derive(Args, Debug)]
pub struct BlocksCommand {
    #[command(flatten)]
    pages: PageLinesArgs,
    /// Write the links in the blocks instead, with weights
    ///
    /// Write the links in the blocks instead of the blocks. Each has a weight, which depends on the importance of its block.
    #[arg(long, help_heading = "Blocks", conflicts_with = "draw")]
    links: bool,
    /// Write only blocks that are at least this important, 1 to 4
    ///
    /// Write only blocks that are at least this important, or links in such blocks: 1 is noise, 2 navigation, 3 what belongs to the topic of the page, 4 its
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
    let is_wanted = |block: &BlockRecord| block.level >= least;
    let draw = |canvas: &Canvas, document: &Document, tree: &Tree| {
        let blocks: Vec<BlockRecord> = records(&model, document, tree).into_iter().filter(is_wanted).collect();
        drawn_blocks(canvas, &blocks)
    };

    if args.links {
        let visit =
            |inventory: &Inventory, write: &mut Write<LinkRecord>| links_of_corpus(inventory, &model, reporter, write);
        let count = |summary: &mut SourceSummary, documents, links| {
            summary.links = Some(LinksSummary { documents, links });
        };
        return lines.run(global, reporter, visit, |link| link.level >= least, count, draw);
    }
    let visit =
        |inventory: &Inventory, write: &mut Write<BlockRecord>| blocks_of_corpus(inventory, &model, reporter, write);
    let count = |summary: &mut SourceSummary, documents, blocks| {
        summary.blocks = Some(BlocksSummary { documents, blocks });
    };
    lines.run(global, reporter, visit, is_wanted, count, draw)
}
