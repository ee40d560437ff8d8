//! `dehusk state export`: all segments, a line of JSON each.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use dehusk::corpus::SourceId;
use dehusk::streaming::state::State;

use super::{as_json, open, source_named};
use crate::cli::force::{ForceArgs, SEGMENTS};

/// Options of `dehusk state export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// File that `dehusk stream --state` made
    state: PathBuf,
    /// Only the segments of this source
    source: Option<String>,
    /// JSONL file; `-` writes to stdout
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
}

/// Runs the command.
pub fn run(args: &ExportArgs) -> anyhow::Result<()> {
    let state = open(&args.state)?;
    let sources = match &args.source {
        Some(name) => vec![source_named(name, &state)?],
        None => state.sources()?,
    };
    if args.out == Path::new("-") {
        write(&state, &sources, &mut io::BufWriter::new(io::stdout().lock()))?;
    } else {
        let file = args.force.file(&args.out, std::slice::from_ref(&args.state), SEGMENTS)?;
        file.write_atomic(|writer| write(&state, &sources, writer))?;
    }
    Ok(())
}

/// Sources by name; segments by documents, most first, then by key.
fn write(state: &State, sources: &[SourceId], writer: &mut dyn Write) -> io::Result<()> {
    for source in sources {
        for segment in state.segments(source).map_err(io::Error::other)?.into_iter().flatten() {
            let segment = segment.map_err(io::Error::other)?;
            writeln!(writer, "{}", as_json(source, &segment))?;
        }
    }
    writer.flush()
}
