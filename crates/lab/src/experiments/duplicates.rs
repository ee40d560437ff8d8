//! Duplicates: are the same articles found under different templates, and different ones under the same
//! template told apart?

use serde::Serialize;

use dehusk_run::Observer;

use super::material::{Material, PairsArgs, Selection};
use super::sketches::Sketch;
use super::treatments::Results;
use dehusk::cli::table::{Table, percent};

#[derive(Serialize)]
struct Outcome {
    selection: Selection,
    /// Pairs of the same article under two sources' templates.
    same: usize,
    /// Pairs of two articles under one source's template.
    different: usize,
    /// Pairs left out because one article retells the other.
    retold: usize,
    results: Results<Shares>,
}

#[derive(Serialize)]
struct Shares {
    /// The share of pairs of the same article that are taken for duplicates; `None` if there are no such pairs.
    found: Option<f64>,
    /// The share of pairs of two articles that are not taken for duplicates.
    told_apart: Option<f64>,
}

/// Runs the experiment, and returns the text to print.
pub fn run(args: &PairsArgs, observer: &dyn Observer) -> anyhow::Result<String> {
    let material = Material::read(&args.experiment, observer)?;
    let pairs = material.collection.pairs(args.pairs, &mut args.experiment.random());
    let results = material.compare(|treatment| {
        let sketches = material.of_each(&pairs.documents, treatment, Sketch::of)?;
        let share = |pairs: &[(usize, usize)]| {
            let taken = pairs.iter().filter(|&&(one, other)| sketches[one].is_duplicate(&sketches[other])).count();
            (!pairs.is_empty()).then(|| taken as f64 / pairs.len() as f64)
        };
        Ok(Shares { found: share(&pairs.same), told_apart: share(&pairs.different).map(|taken| 1.0 - taken) })
    })?;
    let outcome = Outcome {
        selection: material.selection,
        same: pairs.same.len(),
        different: pairs.different.len(),
        retold: pairs.retold,
        results,
    };
    args.experiment.told(&outcome, Outcome::to_text)
}

impl Outcome {
    fn to_text(&self) -> String {
        let mut table = Table::default().words("").figures(["duplicates found", "others told apart"]);
        for (treatment, Shares { found, told_apart }) in &self.results {
            let [found, told_apart] = [found, told_apart].map(|share| percent(*share, 1));
            table.row([treatment.name().to_owned(), found, told_apart]);
        }
        let Outcome { selection, same, different, retold, .. } = self;
        let selection = selection.to_text();
        format!(
            "{table}{selection}{same} pairs of the same article under two templates, {different} of two articles under \
             one ({retold} retold left out)\n"
        )
    }
}
