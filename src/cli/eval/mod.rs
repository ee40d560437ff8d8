//! `dehusk eval`: what cleaning is worth.

mod clusters;
mod duplicates;
mod experiment;
mod mirrors;

use clap::{Args, Subcommand};

use super::report::Reporter;
use super::{Exit, Global};

/// Options of `dehusk eval`.
#[derive(Args, Debug)]
pub struct EvalArgs {
    #[command(subcommand)]
    what: What,
}

/// What is measured.
#[derive(Subcommand, Debug)]
enum What {
    /// Duplicate detection by shingles, before and after cleaning
    Duplicates(duplicates::DuplicatesArgs),
    /// Mirror detection by edit distance, before and after cleaning
    Mirrors(mirrors::MirrorsArgs),
    /// Agreement of clusters with articles, before and after cleaning
    Clusters(clusters::ClustersArgs),
}

/// Runs the command.
pub fn run(args: &EvalArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    match &args.what {
        What::Duplicates(args) => duplicates::run(args, global, reporter),
        What::Mirrors(args) => mirrors::run(args, global, reporter),
        What::Clusters(args) => clusters::run(args, global, reporter),
    }
}
