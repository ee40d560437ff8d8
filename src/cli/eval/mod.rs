//! `dehusk eval`: how good mining and cleaning are.

mod gold;
mod inject;
mod patterns;
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

/// What else can be asked than how the corpus scores against gold text.
#[derive(Subcommand, Debug)]
enum Question {
    /// Put known templates into clean text, mine and clean it, and count what goes
    Inject(Box<inject::InjectArgs>),
    /// Find templates while documents come, and count what goes, page by page, and what has to be kept for it
    Stream(Box<stream::StreamArgs>),
}

/// Runs the command.
pub fn run(args: &EvalCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    match &args.question {
        None => gold::run(&args.gold, global, reporter),
        Some(Question::Inject(args)) => inject::run(args, global, reporter),
        Some(Question::Stream(args)) => stream::run(args, global, reporter),
    }
}

/// Prints what was found: for scripts, or for people.
fn tell(args: &SummaryArgs, figures: &impl Serialize, text: &str) -> anyhow::Result<()> {
    match args.json {
        true => print(&(serde_json::to_string_pretty(figures)? + "\n")),
        false => print(text),
    }
}
