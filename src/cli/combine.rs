//! `dehusk combine`: makes pattern files from sources that were mined in several runs.

use std::path::PathBuf;

use clap::Args;

use dehusk_corpus::OutputRoot;
use dehusk_run::{CorpusMineOptions, combine};

use super::options::{PruneArgs, SummaryArgs, folder_to_write};
use super::reporter::Reporter;
use super::summary::Summary;
use super::{Exit, Global};

/// Options of `dehusk combine`.
#[derive(Args, Debug)]
pub struct CombineCommand {
    /// Files that `dehusk mine --candidates` wrote
    ///
    /// Files that `dehusk mine --candidates` wrote, all with the same options. Each source must be in only one of them.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for the pattern files. Decisions in existing files are kept
    #[arg(short, long, value_name = "PATTERNS", help_heading = "Output", display_order = 0, value_parser = folder_to_write())]
    output: PathBuf,
    /// Keep all patterns, even those that remove hardly anything beyond what others remove
    #[arg(long, hide_short_help = true)]
    all_patterns: bool,
    #[command(flatten)]
    prune: PruneArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Runs the command.
pub fn run(args: &CombineCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let output = OutputRoot::create(&args.output, &global.reads)?;
    let options = CorpusMineOptions::default().all_patterns(args.all_patterns).prune(args.prune.prune);
    let options = options.memory(global.memory()).threads(global.threads());
    let mined = combine(&args.files, &output, &options, reporter);
    summary.seconds.extend(reporter.times());
    summary.note_all(&mined?);
    summary.wrote.push(output.path().display().to_string());
    summary.print(args.summary.json, global.quiet)?;
    Ok(reporter.exit())
}
