//! `dehusk state merge`: what several streams have learned, in one state.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use dehusk::streaming::state::{Merged, Position, Problem, State, StateError};

use super::open;
use crate::cli::interrupt;
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

/// Runs the command. All that can be refused is refused before anything is written.
pub fn run(args: &MergeArgs, reporter: &Reporter) -> anyhow::Result<()> {
    refuse_twice(args)?;
    let others: Vec<State> = args.from.iter().map(|path| open(path)).collect::<anyhow::Result<_>>()?;
    let first = &others[0];
    let is_new = !args.into.try_exists()?;
    let known = if is_new { None } else { Some(State::open(&args.into)?) };
    refuse_other_lexers(known.as_ref().unwrap_or(first), &others)?;
    let _permission = interrupt::writing()?;
    let mut into = known.map_or_else(|| State::create(&args.into, first.settings()), Ok)?;
    for other in &others {
        warn_of_common_inputs(&into, other, reporter)?;
        if other.settings() != into.settings() {
            reporter.warn(&format!(
                "{} was learned with other settings; those of {} stay",
                other.path().display(),
                into.path().display()
            ));
        }
        let Merged { joined, added } = into.merge(other)?;
        let (other, joined, added) = (other.path().display(), count(joined, "source"), count(added, "source"));
        reporter.note(&format!("{other}: {joined} joined, {added} added"));
    }
    Ok(())
}

/// What is merged twice is counted twice.
fn refuse_twice(args: &MergeArgs) -> anyhow::Result<()> {
    let mut met: BTreeSet<PathBuf> = BTreeSet::new();
    for path in args.from.iter().chain([&args.into]) {
        if let Ok(file) = fs::canonicalize(path)
            && !met.insert(file)
        {
            bail!("{} is named twice, and would be counted twice; name it once", path.display());
        }
    }
    Ok(())
}

fn refuse_other_lexers(into: &State, others: &[State]) -> Result<(), StateError> {
    match others.iter().find(|other| other.settings().lexer != into.settings().lexer) {
        Some(other) => Err(StateError { path: other.path().to_owned(), problem: Problem::OtherLexer }),
        None => Ok(()),
    }
}

/// Of an input that both have read, each document may be counted twice.
fn warn_of_common_inputs(into: &State, other: &State, reporter: &Reporter) -> anyhow::Result<()> {
    let known: BTreeMap<String, Position> = into.inputs()?.into_iter().collect();
    let inputs = other.inputs()?.into_iter().map(|(name, _)| name);
    for name in inputs.filter(|name| known.contains_key(name) && !name.starts_with("output ")) {
        let (into, other) = (into.path().display(), other.path().display());
        reporter.warn(&format!("{into} and {other} have both read '{name}': its documents may be counted twice"));
    }
    Ok(())
}
