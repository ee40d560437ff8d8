//! `dehusk state merge`: what several streams have learned, in one state.

use std::path::PathBuf;

use clap::Args;

use dehusk::pipeline::stream::merge_states;
use dehusk::streaming::state::Merged;

use crate::cli::reporter::Reporter;
use crate::cli::summary::count;

/// Options of `dehusk state merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// State that takes the others in; made, with the settings of the first of them, if there is none
    into: PathBuf,
    /// States of other documents; they stay as they are
    #[arg(required = true)]
    from: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(args: &MergeArgs, reporter: &Reporter) -> anyhow::Result<()> {
    merge_states(&args.into, &args.from, reporter, |other, Merged { joined, added }| {
        let (other, joined, added) = (other.path().display(), count(joined, "source"), count(added, "source"));
        reporter.note(&format!("{other}: {joined} joined, {added} added"));
    })?;
    Ok(())
}
