//! `dehusk eval CORPUS --gold DIR`: compares the text that cleaning keeps with the text that it should keep.

mod json;
mod tables;

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde_json::Value;

use dehusk_corpus::{Inventory, SourceListing};
use dehusk_run::scoring::figures::Figures;
use dehusk_run::scoring::gold_texts::GoldTexts;
use dehusk_run::scoring::rules::Methods;
use dehusk_run::scoring::{Libraries, Scoring};
use dehusk_run::suited;

use super::patterns::PatternsArgs;
use super::tell;
use crate::cli::mine::{list, scan};
use crate::cli::options::{CorpusArgs, PageMethodArgs, SummaryArgs};
use crate::cli::reporter::Reporter;
use crate::cli::summary::Summary;
use crate::cli::{Exit, Global};

/// Maximum number of names in a warning. Three dots stand for the others.
const NAMES_TOLD: usize = 3;

/// Options of `dehusk eval`.
#[derive(Args, Debug)]
pub struct GoldArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the text to keep: DIR/<source>/<document>.txt
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    #[command(flatten)]
    scoring: ScoringArgs,
}

/// Options of scoring against gold text.
#[derive(Args, Debug)]
pub struct ScoringArgs {
    /// Also mine only every second document, and score the others
    ///
    /// Also mine only every second document. Score the other documents with these patterns, and with those of all documents.
    #[arg(long, conflicts_with = "patterns", help_heading = "Mining")]
    half: bool,
    #[command(flatten)]
    telling: TellingArgs,
    #[command(flatten)]
    patterns: PatternsArgs,
    #[command(flatten)]
    cleaning: PageMethodArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// What is printed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
struct TellingArgs {
    /// Print the score of every source
    #[arg(long)]
    per_source: bool,
    /// Print the score of every document
    #[arg(long)]
    documents: bool,
    /// Number of documents and patterns to show
    ///
    /// Number of documents and patterns to show, beginning with those that lost most content.
    #[arg(long, value_name = "N", default_value_t = 10)]
    worst: usize,
}

/// Runs the command.
pub fn run(args: &GoldArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let gold = GoldTexts::read(&args.gold, &args.corpus.reading.gold_options(), reporter)?;
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    let listings = list(&inventory, reporter, &mut summary)?;
    gold.refuse_other_sources(&listings)?;
    let scored = args.scoring.score(inventory, &listings, &gold, global, reporter, &mut summary)?;
    scored.tell("", None)?;
    Ok(reporter.exit())
}

/// Figures, and how they are printed.
pub struct Scored<'a> {
    figures: Figures,
    args: &'a ScoringArgs,
    gold: &'a GoldTexts,
    summary: &'a Summary,
}

impl Scored<'_> {
    /// Prints the figures: as text below a heading, or as JSON, to which `more` adds a key.
    pub fn tell(&self, heading: &str, more: Option<(&str, Value)>) -> anyhow::Result<()> {
        let Scored { figures, args, gold, summary } = self;
        let mut json = json::of(figures, &args.telling, gold, summary);
        if let Some((key, value)) = more {
            json[key] = value;
        }
        tell(&args.summary, &json, &(heading.to_owned() + &tables::of(figures, &args.telling, gold, summary)))
    }
}

impl ScoringArgs {
    /// Mines the corpus, or loads patterns, and scores the documents that have gold text.
    pub fn score<'a>(
        &'a self,
        inventory: Inventory,
        listings: &[SourceListing],
        gold: &'a GoldTexts,
        global: &Global,
        reporter: &Reporter,
        summary: &'a mut Summary,
    ) -> anyhow::Result<Scored<'a>> {
        let libraries = libraries(self, &inventory, listings, global, reporter, summary)?;
        let methods = Methods {
            asked: suited(self.cleaning.options()?, inventory.options().html),
            union: self.cleaning.text.union_options(),
        };
        let inventory = inventory.with_trees();
        let scoring = Scoring::new(&inventory, listings, gold, &libraries, &methods, reporter);
        let scored = summary.time("score", || scoring.score_all(global.threads()))?;
        let figures = Figures::of(scored, libraries.judged());
        if figures.is_empty() {
            bail!(gold.nothing_to_score(if self.half { " (--half scores every second document only)" } else { "" }));
        }
        warn_of_missing(&figures.missing(), reporter);
        summary.skipped = reporter.skipped();
        Ok(Scored { figures, args: self, gold, summary })
    }
}

/// Warns of gold texts that have no document in the corpus.
fn warn_of_missing(names: &[String], reporter: &Reporter) {
    if !names.is_empty() {
        let told = names[..names.len().min(NAMES_TOLD)].join(", ");
        let others = if names.len() > NAMES_TOLD { " ..." } else { "" };
        reporter.warn(&format!(
            "{} gold documents are not in the corpus and score as empty; \
             remove them from the gold folder to leave them out: {told}{others}",
            names.len()
        ));
    }
}

/// The patterns to clean with: those in the given files, or those mined from the corpus. With `--half`, also those
/// mined from every second document.
fn libraries(
    args: &ScoringArgs,
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

/// The first document of each source, the third, and so on.
fn every_second(listings: &[SourceListing]) -> Vec<SourceListing> {
    let half = |listing: &SourceListing| SourceListing {
        id: listing.id.clone(),
        documents: listing.documents.iter().step_by(2).copied().collect(),
    };
    listings.iter().map(half).collect()
}
