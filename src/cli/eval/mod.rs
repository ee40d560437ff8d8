//! `dehusk eval`: measures how good mining and cleaning are.

#[cfg(feature = "crawl")]
mod feeds;
mod gold;
mod inject;
mod nodes;
mod patterns;
mod blocks;
mod segments;
mod stream;
pub(super) mod table;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::options::SummaryArgs;
use super::reporter::{Reporter, print};
use super::{Exit, Global};

/// Options of `dehusk eval`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct EvalCommand {
    #[command(subcommand)]
    question: Option<Question>,
    #[command(flatten)]
    gold: gold::GoldArgs,
}

/// What can be measured other than scores against gold text.
#[derive(Subcommand, Debug)]
enum Question {
    /// Inject known templates into clean text, mine and clean it, and measure what is removed
    Inject(Box<inject::InjectArgs>),
    /// Clean the pages of a crawl, and compare with the feeds that carry whole articles
    #[cfg(feature = "crawl")]
    Feeds(Box<feeds::FeedsArgs>),
    #[cfg(not(feature = "crawl"))]
    #[command(hide = true)]
    Feeds(super::BuiltWithout),
    /// Divide single HTML pages into template and content, and compare with gold text
    Nodes(Box<nodes::NodesArgs>),
    /// Divide HTML pages into segments, and compare with segments that people marked
    Segments(Box<segments::SegmentsArgs>),
    /// Find how important blocks of HTML pages are, and compare with levels that people gave
    Blocks(Box<blocks::BlocksArgs>),
    /// Clean documents as they arrive, and measure what is removed and what must be stored
    Stream(Box<stream::StreamArgs>),
}

/// Runs the command.
pub fn run(args: &EvalCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    match &args.question {
        None => gold::run(&args.gold, global, reporter),
        Some(Question::Inject(args)) => inject::run(args, global, reporter),
        #[cfg(feature = "crawl")]
        Some(Question::Feeds(args)) => feeds::run(args, global, reporter),
        #[cfg(not(feature = "crawl"))]
        Some(Question::Feeds(_)) => {
            anyhow::bail!("this program was built without `eval feeds`: build it with `--features crawl`")
        }
        Some(Question::Nodes(args)) => nodes::run(args, reporter),
        Some(Question::Segments(args)) => segments::run(args, reporter),
        Some(Question::Blocks(args)) => blocks::run(args, reporter),
        Some(Question::Stream(args)) => stream::run(args, global, reporter),
    }
}

/// Prints the figures: as JSON for scripts, or as text for people.
fn tell(args: &SummaryArgs, figures: &impl Serialize, text: &str) -> anyhow::Result<()> {
    match args.json {
        true => print(&(serde_json::to_string_pretty(figures)? + "\n")),
        false => print(text),
    }
}
