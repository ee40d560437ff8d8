//! The patterns that are measured.

use std::path::PathBuf;

use clap::Args;

use dehusk_core::cleaning::CleanOptions;
use dehusk_corpus::{Inventory, SourceListing};

use crate::cli::Global;
use crate::cli::options::SourceMineArgs;
use crate::cli::reporter::Reporter;
use crate::cli::summary::Summary;
use dehusk_run::{Library, mine_library};

/// The options of [`SourceMineArgs`]. They cannot be used with `--patterns`, because then nothing is mined.
const MINING: [&str; 9] = [
    "cutoff",
    "min_documents",
    "min_share",
    "min_words",
    "no_slots",
    "near_duplicates",
    "LexerArgs",
    "sample",
    "all_patterns",
];

/// Where patterns come from.
#[derive(Args, Debug)]
pub struct PatternsArgs {
    /// Pattern files to clean with; without them, the corpus is mined
    ///
    /// Folder with pattern files, or a single file, to clean with. Without it, the corpus is mined.
    #[arg(short, long, value_name = "PATTERNS", conflicts_with_all = MINING)]
    patterns: Option<PathBuf>,
    #[command(flatten)]
    mining: SourceMineArgs,
}

impl PatternsArgs {
    /// The patterns of the files, or those that are mined from these sources. Nothing is written.
    pub fn library(
        &self,
        inventory: &Inventory,
        listings: &[SourceListing],
        global: &Global,
        reporter: &Reporter,
        summary: &mut Summary,
    ) -> anyhow::Result<Library> {
        if let Some(path) = &self.patterns {
            return Ok(summary.time("read patterns", || Library::load(path))?);
        }
        let (options, lexer) = (self.mining.options(global), self.mining.mining.lexer.build()?);
        let library = mine_library(inventory, listings, &lexer, &options, CleanOptions::default(), reporter);
        summary.seconds.extend(reporter.times());
        Ok(library?)
    }
}
