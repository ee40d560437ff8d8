//! `dehusk state merge`: adds what several streams have learned to a state.

use std::path::PathBuf;

use clap::Args;

use dehusk_run::state::Merged;
use dehusk_run::stream::merge_states;

use crate::cli::reporter::Reporter;
use crate::cli::summary::count;

/// Options of `dehusk state merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// State to which the others are added
    ///
    /// State to which the others are added. If it does not exist, it is created with the settings of the first of them.
    into: PathBuf,
    /// States of other documents. They do not change
    #[arg(required = true)]
    from: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(args: &MergeArgs, reporter: &Reporter) -> anyhow::Result<()> {
    merge_states(&args.into, &args.from, reporter, |other, Merged { joined, added }| {
        let (other, joined, added) = (other.path().display(), count(joined, "source"), count(added, "source"));
        reporter.note(&format!("{other}: {joined} merged, {added} added"));
    })?;
    Ok(())
}
