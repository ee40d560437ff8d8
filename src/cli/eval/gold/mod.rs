//! `dehusk eval CORPUS --gold DIR`: what cleaning keeps of a corpus, against what it should keep.

mod figures;
mod json;
mod rules;
mod scoring;
mod tables;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use dehusk::corpus::{Inventory, SourceListing};

use super::gold_texts::GoldTexts;
use super::patterns::PatternsArgs;
use super::tell;
use crate::cli::mine::{list, scan};
use crate::cli::options::{CorpusArgs, MethodArgs, SummaryArgs};
use crate::cli::reporter::Reporter;
use crate::cli::summary::Summary;
use crate::cli::{Exit, Global};
use figures::Figures;
use rules::Methods;
use scoring::{Libraries, Scoring};

/// Options of scoring against gold text.
#[derive(Args, Debug)]
pub struct GoldArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder of what should be kept: DIR/<source>/<document>.txt
    // Required, but not of the subcommands beside this.
    #[arg(long, required = true, value_name = "DIR")]
    gold: Option<PathBuf>,
    /// Also mine every second document alone; score the others, with what this learned and with what all teach
    #[arg(long, conflicts_with = "patterns")]
    half: bool,
    #[command(flatten)]
    telling: TellingArgs,
    #[command(flatten)]
    patterns: PatternsArgs,
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
    let gold = GoldTexts::read(folder, &args.corpus.reading.gold_options(), reporter)?;
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    let listings = list(&inventory, reporter, &mut summary)?;
    gold.refuse_other_sources(&listings)?;
    let libraries = libraries(args, &inventory, &listings, global, reporter, &mut summary)?;
    let methods = Methods::of(&args.cleaning, inventory.options().html);
    let scoring = Scoring::new(&inventory, &listings, &gold, &libraries, &methods, reporter);
    let scored = summary.time("score", || scoring.score_all(global.threads()))?;
    let figures = Figures::of(scored, libraries.judged());
    if figures.is_empty() {
        bail!(gold.nothing_to_score(args.half));
    }
    figures.warn_of_missing(reporter);
    summary.skipped = reporter.skipped();
    tell(
        &args.summary,
        &json::of(&figures, &args.telling, &gold, &summary),
        &tables::of(&figures, &args.telling, &gold, &summary),
    )?;
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
    let mut library =
        |listings: &[SourceListing]| args.patterns.library(inventory, listings, global, reporter, summary);
    let all = library(listings)?;
    let half = args.half.then(|| library(&every_second(listings))).transpose()?;
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
