//! `dehusk state`: shows, exports and merges what streams have learned.

mod export;
mod merge;
mod show;

use clap::{Args, Subcommand};

use super::reporter::Reporter;
use super::{Exit, Global};

/// Options of `dehusk state`.
#[derive(Args, Debug)]
pub struct StateCommand {
    #[command(subcommand)]
    what: What,
}

/// What is done with a state.
#[derive(Subcommand, Debug)]
enum What {
    /// Show the sources, inputs and outputs of a state, or the segments of a source
    Show(show::ShowArgs),
    /// Write the segments of a state as JSONL
    Export(export::ExportArgs),
    /// Add what other states have learned to a state
    Merge(merge::MergeArgs),
}

/// Runs the command.
pub fn run(args: &StateCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    match &args.what {
        What::Show(args) => show::run(args, reporter)?,
        What::Export(args) => export::run(args, &global.reads)?,
        What::Merge(args) => merge::run(args, reporter)?,
    }
    Ok(Exit::Done)
}
