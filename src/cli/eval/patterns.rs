//! The patterns whose worth is measured.

use std::path::PathBuf;

use clap::Args;

use dehusk::corpus::{Inventory, SourceListing};

use crate::cli::Global;
use crate::cli::library::Library;
use crate::cli::mine::Miner;
use crate::cli::options::SourceMineArgs;
use crate::cli::reporter::Reporter;
use crate::cli::summary::Summary;

/// The options of mining: those of [`SourceMineArgs`], of which nothing can be had where nothing is mined.
const MINING: [&str; 8] =
    ["cutoff", "min_df", "min_share", "min_tokens", "no_slots", "LexerArgs", "sample", "all_patterns"];

/// Where patterns come from.
#[derive(Args, Debug)]
pub struct PatternsArgs {
    /// Clean with these pattern files (a folder, or one file), instead of mining the corpus
    #[arg(short, long, value_name = "PATTERNS", conflicts_with_all = MINING)]
    patterns: Option<PathBuf>,
    #[command(flatten)]
    mining: SourceMineArgs,
}

impl PatternsArgs {
    /// The patterns of the files, or those that these sources teach; nothing is written.
    pub fn library(
        &self,
        inventory: &Inventory,
        listings: &[SourceListing],
        global: &Global,
        reporter: &Reporter,
        summary: &mut Summary,
    ) -> anyhow::Result<Library> {
        if let Some(path) = &self.patterns {
            return summary.time("load patterns", || Library::load(path, reporter));
        }
        let (options, lexer) = (self.mining.mining.options(), self.mining.mining.lexer.build()?);
        let miner = Miner { inventory, args: &self.mining, options: &options, lexer: &lexer, reporter };
        let (mined, files) = miner.mine_files(listings, global, summary)?;
        let all_patterns = self.mining.all_patterns;
        let files = summary.time("try out", || miner.try_out(&mined, files, all_patterns, global))?;
        Ok(Library::of_files(files))
    }
}
