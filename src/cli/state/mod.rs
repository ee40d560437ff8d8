//! `dehusk state`: what streams have learned, looked at, taken out and joined.

mod export;
mod merge;
mod show;

use std::path::Path;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};

use dehusk::corpus::{SourceId, similar_name, similar_path};
use dehusk::streaming::state::{ListedSegment, State};

use super::Exit;
use super::reporter::Reporter;

/// Options of `dehusk state`.
#[derive(Args, Debug)]
pub struct StateCommand {
    #[command(subcommand)]
    what: What,
}

/// What is to be done with a state.
#[derive(Subcommand, Debug)]
enum What {
    /// Show what a state knows: its sources, inputs and outputs; or the segments of one source
    Show(show::ShowArgs),
    /// Write segments as JSONL
    Export(export::ExportArgs),
    /// Add what other states have learned to a state
    Merge(merge::MergeArgs),
}

/// Runs the command.
pub fn run(args: &StateCommand, reporter: &Reporter) -> anyhow::Result<Exit> {
    match &args.what {
        What::Show(args) => show::run(args, reporter)?,
        What::Export(args) => export::run(args)?,
        What::Merge(args) => merge::run(args, reporter)?,
    }
    Ok(Exit::Done)
}

/// Opens a state that is there.
pub fn open(path: &Path) -> anyhow::Result<State> {
    if !path.try_exists().with_context(|| format!("cannot read {}", path.display()))? {
        let meant = similar_path(path).map(|path| format!(" (did you mean {}?)", path.display())).unwrap_or_default();
        bail!("{}: there is no such file{meant}; `dehusk stream --state` makes a state", path.display());
    }
    Ok(State::open(path)?)
}

/// The source of this name.
fn source_named(name: &str, state: &State) -> anyhow::Result<SourceId> {
    let sources = state.sources()?;
    if let Some(source) = sources.iter().find(|source| source.as_str() == name) {
        return Ok(source.clone());
    }
    let meant = similar_name(name, sources.iter().map(SourceId::as_str));
    let remedy = match meant {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => "`dehusk state show` lists them".to_owned(),
    };
    bail!("{}: there is no source '{name}' in it; {remedy}", state.path().display())
}

/// A segment for scripts. Path and text are null if nobody knows them, for it never was template.
fn as_json(source: &SourceId, ListedSegment { key, entry, described }: &ListedSegment) -> serde_json::Value {
    serde_json::json!({
        "source": source.as_str(),
        "key": format!("{:016x}", key.0),
        "documents": entry.documents,
        "first": entry.first,
        "last": entry.last,
        "path": described.as_ref().map(|described| &described.path),
        "text": described.as_ref().map(|described| &described.text),
    })
}
