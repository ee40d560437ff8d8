//! `dehusk run`: mines a corpus, then cleans it.

use std::path::PathBuf;

use clap::Args;

use dehusk_corpus::OutputRoot;
use dehusk_run::Library;

use dehusk_run::Target;
use dehusk_run::mine::journal::remove_journal;

use super::clean::{How, clean};
use super::mine::{mine, scan};
use super::options::{CleanArgs, CorpusArgs, LongRunArgs, SourceMineArgs, SummaryArgs, folder_to_write};
use super::reporter::Reporter;
use super::summary::Summary;
use super::{Exit, Global, next};

/// Options of `dehusk run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder for the results: OUT/patterns and OUT/cleaned
    #[arg(short, long, value_name = "OUT", help_heading = "Output", display_order = 0, value_parser = folder_to_write())]
    output: PathBuf,
    #[command(flatten)]
    mining: SourceMineArgs,
    #[command(flatten)]
    cleaning: CleanArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Runs the command.
pub fn run(args: &RunArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let lexer = args.mining.mining.lexer.build()?;
    let mut summary = Summary::default();
    let view = args.corpus.reading.options().html;
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    // All of OUT is checked before any of it is created.
    let reads = inventory.reads().and(&global.reads);
    OutputRoot::create(&args.output, &reads)?;
    let patterns = OutputRoot::create(args.output.join("patterns"), &reads)?;
    let cleaned = Target::Folder(OutputRoot::create(args.output.join("cleaned"), &reads)?);
    let LongRunArgs { prune, resume, .. } = &args.cleaning.long;
    let options = args.mining.options(global).prune(prune.prune).resume(*resume).keeps_journal(true);
    mine(&inventory, &patterns, &options, &lexer, reporter, &mut summary)?;
    let library = summary.time("read patterns", || Library::load(patterns.path()))?;
    let inventory = inventory.with_html(view);
    let options = args.cleaning.options(global)?;
    let inventory = if options.needs_trees(&library) { inventory.with_trees() } else { inventory };
    let how = How { library: &library, options, max_errors: args.cleaning.long.max_errors };
    clean(&inventory, &cleaned, &how, reporter, &mut summary)?;
    remove_journal(&patterns)?;
    summary.skipped = reporter.skipped();
    summary.next = next::commands(&args.corpus, patterns.path(), &inventory, &summary);
    summary.print(args.summary.json, global.quiet)?;
    Ok(reporter.exit())
}
