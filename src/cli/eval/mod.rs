//! `dehusk eval`: how good cleaning is.

mod gold;

use clap::{Args, Subcommand};

use super::report::Reporter;
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
enum Question {}

/// Runs the command.
pub fn run(args: &EvalCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    match &args.question {
        Some(question) => match *question {},
        None => gold::run(&args.gold, global, reporter),
    }
}
