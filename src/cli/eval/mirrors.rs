//! `dehusk eval mirrors`: how far apart are copies of an article under different templates, and different articles
//! under the same template?

use std::fmt::Write as _;

use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk::evaluation::edit_distance::relative_distance;
use dehusk::evaluation::mirrors::{Distribution, Separation};
use dehusk::evaluation::words::word_hashes;

use super::super::report::Reporter;
use super::super::{Exit, Global, interrupt};
use super::experiment::{ExperimentArgs, Results, Selection, Treatment, print};

/// Options of `dehusk eval mirrors`.
#[derive(Args, Debug)]
pub struct MirrorsArgs {
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
    mirrors: usize,
    /// Pairs of two articles under one source's template.
    others: usize,
    /// Pairs left out because one tells what the other does.
    retold: usize,
    results: Results<Separation>,
}

/// Runs the command.
pub fn run(args: &MirrorsArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let material = args.experiment.material(global, reporter)?;
    let pairs = material.collection.pairs(args.pairs, &mut args.experiment.random());
    let results = material.compare(|treatment| {
        let words = material.of_each(&pairs.documents, treatment, word_hashes)?;
        let distance = |&(one, other): &(usize, usize)| -> anyhow::Result<f64> {
            interrupt::check()?;
            Ok(relative_distance(&words[one], &words[other]))
        };
        let distances = |pairs: &[(usize, usize)]| pairs.par_iter().map(distance).collect::<anyhow::Result<Vec<f64>>>();
        Separation::of(distances(&pairs.same)?, distances(&pairs.different)?)
            .context("there are no pairs to compare: it takes pages of two sources, and two pages of one")
    })?;
    let outcome = Outcome {
        selection: material.selection,
        mirrors: pairs.same.len(),
        others: pairs.different.len(),
        retold: pairs.retold,
        results,
    };
    print(&outcome, &outcome.to_text(), args.experiment.summary.json, global.quiet)?;
    Ok(reporter.exit())
}

impl Outcome {
    fn to_text(&self) -> String {
        let mut text = format!(
            "{:16}  {:28}  {:28}    AUC  threshold    right\n{:16}  {HEADER}  {HEADER}\n",
            "", "distance of mirrors", "distance of others", ""
        );
        for treatment in Treatment::ALL {
            let Some(separation) = self.results.get(&treatment) else { continue };
            let Separation { mirrors, others, auc, threshold, accuracy } = separation;
            let _ = writeln!(
                text,
                "{:16}  {}  {}  {auc:.3}  {threshold:>9.2}  {:>5.1} %",
                treatment.name(),
                quartiles(mirrors),
                quartiles(others),
                100.0 * accuracy
            );
        }
        text + &self.selection.to_text()
            + &format!(
                "{} mirrors: an article under two templates; {} others: two articles under one ({} retold left out)\n",
                self.mirrors, self.others, self.retold
            )
    }
}

const HEADER: &str = " min   25 %  50 %  75 %   max";

fn quartiles(Distribution { min, lower_quartile, median, upper_quartile, max }: &Distribution) -> String {
    format!("{min:.2}  {lower_quartile:.2}  {median:.2}  {upper_quartile:.2}  {max:.2}")
}
