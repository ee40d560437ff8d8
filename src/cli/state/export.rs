//! `dehusk state export`: writes segments, with a line of JSON for each.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use dehusk_corpus::Reads;
use dehusk_run::stream::{open_state, source_named};

use crate::cli::force::{ForceArgs, SEGMENTS};

/// Options of `dehusk state export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// State of `dehusk stream`
    state: PathBuf,
    /// Source whose segments are written [default: all sources]
    source: Option<String>,
    /// JSONL file for the segments; `-` for stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Output", display_order = 0)]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
}

/// Runs the command.
pub fn run(args: &ExportArgs, reads: &Reads) -> anyhow::Result<()> {
    let state = open_state(&args.state)?;
    let sources = match &args.source {
        Some(name) => vec![source_named(name, &state)?],
        None => state.sources()?,
    };
    if args.output == Path::new("-") {
        state.export(&sources, &mut io::BufWriter::new(io::stdout().lock()))?;
    } else {
        let file = args.force.file(&args.output, reads, SEGMENTS)?;
        file.write_atomic(|writer| state.export(&sources, writer))?;
    }
    Ok(())
}
