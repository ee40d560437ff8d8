//! `dehusk eval`: how well mining and cleaning do.

mod inject;

use clap::{Args, Subcommand};

use super::report::Reporter;
use super::{Exit, Global};

/// Options of `dehusk eval`.
#[derive(Args, Debug)]
pub struct EvalArgs {
    #[command(subcommand)]
    command: EvalCommand,
}

#[derive(Subcommand, Debug)]
enum EvalCommand {
    /// Put known templates into clean text, mine and clean it, and count what goes
    Inject(inject::InjectArgs),
}

/// Runs the command.
pub fn run(args: &EvalArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    match &args.command {
        EvalCommand::Inject(args) => inject::run(args, global, reporter),
    }
}
