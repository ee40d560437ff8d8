//! `dehusk eval`: how good mining and cleaning are.

mod gold;
mod inject;

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
enum Question {
    /// Put known templates into clean text, mine and clean it, and count what goes
    Inject(inject::InjectArgs),
}

/// Runs the command.
pub fn run(args: &EvalCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    match &args.question {
        None => gold::run(&args.gold, global, reporter),
        Some(Question::Inject(args)) => inject::run(args, global, reporter),
    }
}
