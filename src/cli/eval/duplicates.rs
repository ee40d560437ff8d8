//! `dehusk eval duplicates`: are the same articles found under different templates, and different ones under the same
//! template told apart?

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;

use dehusk::evaluation::duplicates::Sketch;

use super::super::report::Reporter;
use super::super::{Exit, Global};
use super::experiment::{ExperimentArgs, Results, Selection, Treatment, print};

/// Options of `dehusk eval duplicates`.
#[derive(Args, Debug)]
pub struct DuplicatesArgs {
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// Compare at most so many pairs of either kind
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pairs: usize,
}

#[derive(Serialize)]
struct Outcome {
    selection: Selection,
    /// Pairs of the same article under two sources' templates.
    same: usize,
    /// Pairs of two articles under one source's template.
    different: usize,
    /// Pairs left out because one tells what the other does.
    retold: usize,
    results: Results<Shares>,
}

#[derive(Serialize)]
struct Shares {
    /// Of the pairs of the same article: taken for duplicates.
    found: f64,
    /// Of the pairs of two articles: not taken for duplicates.
    told_apart: f64,
}

/// Runs the command.
pub fn run(args: &DuplicatesArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let material = args.experiment.material(global, reporter)?;
    let pairs = material.collection.pairs(args.pairs, &mut args.experiment.random());
    let results = material.compare(|treatment| {
        let sketches = material.of_each(&pairs.documents, treatment, Sketch::of)?;
        let share = |pairs: &[(usize, usize)]| {
            let taken = pairs.iter().filter(|&&(one, other)| sketches[one].is_duplicate(&sketches[other])).count();
            taken as f64 / pairs.len().max(1) as f64
        };
        Ok(Shares { found: share(&pairs.same), told_apart: 1.0 - share(&pairs.different) })
    })?;
    let outcome = Outcome {
        selection: material.selection,
        same: pairs.same.len(),
        different: pairs.different.len(),
        retold: pairs.retold,
        results,
    };
    print(&outcome, &outcome.to_text(), args.experiment.summary.json, global.quiet)?;
    Ok(reporter.exit())
}

impl Outcome {
    fn to_text(&self) -> String {
        let mut text = format!("{:16}  duplicates found  others told apart\n", "");
        for treatment in Treatment::ALL {
            let Some(Shares { found, told_apart }) = self.results.get(&treatment) else { continue };
            let (found, told_apart) = (100.0 * found, 100.0 * told_apart);
            let _ = writeln!(text, "{:16}  {found:>14.1} %  {told_apart:>15.1} %", treatment.name());
        }
        text + &self.selection.to_text()
            + &format!(
                "{} pairs of the same article under two templates, {} of two articles under one ({} retold left out)\n",
                self.same, self.different, self.retold
            )
    }
}
