//! `dehusk eval CORPUS --gold DIR`: what cleaning keeps of a corpus, against what it should keep.

mod figures;
mod json;
mod rules;
mod scoring;
mod tables;
mod texts;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use dehusk::corpus::{Inventory, SourceListing};

use crate::cli::library::Library;
use crate::cli::mine::{Miner, list, scan};
use crate::cli::options::{CorpusArgs, MethodArgs, MineArgs, SummaryArgs};
use crate::cli::report::{Reporter, print};
use crate::cli::summary::Summary;
use crate::cli::{Exit, Global};
use figures::Figures;
use scoring::{Libraries, Scoring};
use texts::GoldTexts;

/// Options of scoring against gold text.
#[derive(Args, Debug)]
pub struct GoldArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder of what should be kept: DIR/<source>/<document>.txt
    // Required, but not of the subcommands beside this.
    #[arg(long, required = true, value_name = "DIR")]
    gold: Option<PathBuf>,
    /// Clean with these pattern files (a folder, or one file), instead of mining the corpus
    #[arg(short, long, value_name = "PATTERNS", conflicts_with_all = ["MineArgs", "half"])]
    patterns: Option<PathBuf>,
    /// Also mine every second document alone; score the others, with what this learned and with what all teach
    #[arg(long)]
    half: bool,
    #[command(flatten)]
    telling: TellingArgs,
    #[command(flatten)]
    mining: MineArgs,
    #[command(flatten)]
    cleaning: MethodArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// What is told.
#[derive(Args, Debug)]
struct TellingArgs {
    /// Print the score of every source
    #[arg(long)]
    per_source: bool,
    /// Print the score of every document
    #[arg(long)]
    documents: bool,
    /// Show so many of the documents and patterns that lost most content
    #[arg(long, value_name = "N", default_value_t = 10)]
    worst: usize,
}

/// Runs the command.
pub fn run(args: &GoldArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let folder = args.gold.as_deref().context("--gold DIR says where the gold text is")?;
    let gold = GoldTexts::read(folder, &args.corpus.reading.options(), reporter)?;
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    let listings = list(&inventory, reporter, &mut summary)?;
    gold.refuse_other_sources(&listings)?;
    let libraries = libraries(args, &inventory, &listings, global, reporter, &mut summary)?;
    let options = args.cleaning.options();
    let scoring = Scoring::new(&inventory, &listings, &gold, &libraries, &options, reporter);
    let figures = Figures::of(summary.time("score", || scoring.score_all(global.threads()))?);
    if figures.is_empty() {
        bail!(gold.nothing_to_score(args.half));
    }
    figures.warn_of_missing(reporter);
    summary.skipped = reporter.skipped();
    match args.summary.json {
        true => print(&(serde_json::to_string_pretty(&json::of(&figures, &args.telling, &gold, &summary))? + "\n"))?,
        false => print(&tables::of(&figures, &args.telling, &gold, &summary))?,
    }
    Ok(reporter.exit())
}

/// The patterns to clean with: those given, or those that the corpus teaches, and half of it.
fn libraries(
    args: &GoldArgs,
    inventory: &Inventory,
    listings: &[SourceListing],
    global: &Global,
    reporter: &Reporter,
    summary: &mut Summary,
) -> anyhow::Result<Libraries> {
    if let Some(path) = &args.patterns {
        let all = summary.time("load patterns", || Library::load(path, reporter))?;
        return Ok(Libraries { all, half: None });
    }
    let (options, lexer) = (args.mining.options(), args.mining.lexer()?);
    let miner = Miner { inventory, options: &options, lexer: &lexer, reporter };
    let mut mine = |listings: &[SourceListing]| -> anyhow::Result<Library> {
        let (_, files) = miner.mine_files(listings, global, summary)?;
        Ok(Library::of_files(files))
    };
    let all = mine(listings)?;
    let half = args.half.then(|| mine(&every_second(listings))).transpose()?;
    Ok(Libraries { all, half })
}

/// Of each source the first document, the third, and so on.
fn every_second(listings: &[SourceListing]) -> Vec<SourceListing> {
    let half = |listing: &SourceListing| SourceListing {
        id: listing.id.clone(),
        documents: listing.documents.iter().step_by(2).copied().collect(),
    };
    listings.iter().map(half).collect()
}
