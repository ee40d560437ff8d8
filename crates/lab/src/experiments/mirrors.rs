//! Mirrors: how far apart are copies of an article under different templates, and different articles
//! under the same template?

use anyhow::Context;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_run::Observer;
use dehusk_run::scoring::words::word_hashes;

use super::edit_distance::relative_distance;
use super::material::{Material, PairsArgs, Selection};
use super::separation::{Distribution, Separation};
use super::treatments::Results;
use dehusk::cli::table::{Table, decimal, percent};

#[derive(Serialize)]
struct Outcome {
    selection: Selection,
    /// Pairs of the same article under two sources' templates.
    mirrors: usize,
    /// Pairs of two articles under one source's template.
    others: usize,
    /// Pairs left out because one article retells the other.
    retold: usize,
    results: Results<Separation>,
}

/// Runs the experiment, and returns the text to print.
pub fn run(args: &PairsArgs, observer: &dyn Observer) -> anyhow::Result<String> {
    let material = Material::read(&args.experiment, observer)?;
    let pairs = material.collection.pairs(args.pairs, &mut args.experiment.random());
    let results = material.compare(|treatment| {
        let words = material.of_each(&pairs.documents, treatment, word_hashes)?;
        let distance = |&(one, other): &(usize, usize)| relative_distance(&words[one], &words[other]);
        let distances = |pairs: &[(usize, usize)]| pairs.par_iter().map(distance).collect::<Vec<f64>>();
        Separation::of(distances(&pairs.same), distances(&pairs.different))
            .context("there are no pairs to compare: it takes pages of two sources, and two pages of one")
    })?;
    let outcome = Outcome {
        selection: material.selection,
        mirrors: pairs.same.len(),
        others: pairs.different.len(),
        retold: pairs.retold,
        results,
    };
    args.experiment.told(&outcome, Outcome::to_text)
}

impl Outcome {
    fn to_text(&self) -> String {
        let mut table = Table::default().words("");
        for what in ["distance of mirrors", "distance of others"] {
            table = table.group(what.to_owned(), ["min", "25 %", "50 %", "75 %", "max"]);
        }
        table = table.figures(["AUC", "threshold", "right"]);
        for (treatment, Separation { mirrors, others, auc, threshold, accuracy }) in &self.results {
            let distances = cells(mirrors).into_iter().chain(cells(others));
            let separation = [decimal(*auc, 3), decimal(*threshold, 2), percent(*accuracy, 1)];
            table.row([treatment.name().to_owned()].into_iter().chain(distances).chain(separation));
        }
        let Outcome { selection, mirrors, others, retold, .. } = self;
        let selection = selection.to_text();
        format!(
            "{table}{selection}{mirrors} mirrors: an article under two templates; {others} others: two articles under \
             one ({retold} retold left out)\n"
        )
    }
}

fn cells(Distribution { min, lower_quartile, median, upper_quartile, max }: &Distribution) -> [String; 5] {
    [min, lower_quartile, median, upper_quartile, max].map(|distance| decimal(*distance, 2))
}
