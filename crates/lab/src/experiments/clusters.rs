//! Clusters: do texts with the same article come together, or texts with the same template?

use anyhow::ensure;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_core::random::{Random, mix};
use dehusk_lab::agreement::adjusted_rand_index;
use dehusk_run::Observer;

use super::clustering::cluster;
use super::corpus::ExperimentArgs;
use super::material::{Material, Selection};
use super::paired_pages::Document;
use super::treatments::{Results, Treatment};
use dehusk::cli::table::{Table, decimal};

/// Options of this experiment.
#[derive(Args, Debug)]
pub struct ClustersArgs {
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// Articles, and so clusters, of a round
    #[arg(long, value_name = "N", default_value_t = 30)]
    articles: usize,
    /// Sources under whose templates each article appears
    #[arg(long, value_name = "N", default_value_t = 4)]
    sources: usize,
    /// Rounds, each with articles and sources of its own
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
}

#[derive(Serialize)]
struct Outcome {
    selection: Selection,
    /// Texts of all rounds.
    documents: usize,
    /// Number of clusters of a round, one for each article: the maximum over all rounds.
    clusters: usize,
    rounds: u64,
    results: Results<Agreement>,
}

/// Adjusted Rand indices over the rounds.
#[derive(Serialize)]
struct Agreement {
    /// The mean of the agreement with the articles.
    mean: f64,
    min: f64,
    max: f64,
    /// The mean of the agreement with the sources whose templates the texts have.
    with_sources: f64,
}

/// A round's material.
struct Round {
    seed: u64,
    documents: Vec<Document>,
    articles: Vec<usize>,
    sources: Vec<usize>,
    clusters: usize,
}

/// Runs the experiment, and returns the text to print.
pub fn run(args: &ClustersArgs, observer: &dyn Observer) -> anyhow::Result<String> {
    let material = Material::read(&args.experiment, observer)?;
    let mut random = args.experiment.random();
    let rounds: Vec<Round> = (0..args.rounds).map(|_| Round::new(args, &material, &mut random)).collect();
    let clusters = rounds.iter().map(|round| round.clusters).max().unwrap_or(0);
    ensure!(clusters > 1 && material.selection.sources > 1 && args.sources > 1, TOO_FEW);
    let results = material.compare(|treatment| agreement(&rounds, &material, treatment))?;
    let documents = rounds.iter().map(|round| round.documents.len()).sum();
    let outcome = Outcome { selection: material.selection, documents, clusters, rounds: args.rounds, results };
    args.experiment.told(&outcome, Outcome::to_text)
}

const TOO_FEW: &str = "there is nothing to cluster: it takes two articles, and pages of two sources";

fn agreement(rounds: &[Round], material: &Material, treatment: Treatment) -> anyhow::Result<Agreement> {
    let of_round = |round: &Round| -> anyhow::Result<(f64, f64)> {
        let texts = material.of_each(&round.documents, treatment, str::to_owned)?;
        let found = cluster(&texts, round.clusters, &mut Random::new(round.seed));
        Ok((adjusted_rand_index(&found, &round.articles), adjusted_rand_index(&found, &round.sources)))
    };
    let indices: Vec<(f64, f64)> = rounds.par_iter().map(of_round).collect::<anyhow::Result<_>>()?;
    let articles = || indices.iter().map(|(articles, _)| *articles);
    Ok(Agreement {
        mean: articles().sum::<f64>() / indices.len() as f64,
        min: articles().fold(f64::INFINITY, f64::min),
        max: articles().fold(f64::NEG_INFINITY, f64::max),
        with_sources: indices.iter().map(|(_, sources)| sources).sum::<f64>() / indices.len() as f64,
    })
}

impl Round {
    fn new(args: &ClustersArgs, material: &Material, random: &mut Random) -> Round {
        let seed = mix(random.any());
        let documents = material.collection.sheaf(args.articles, args.sources, random);
        let articles: Vec<usize> = documents.iter().map(|document| document.article).collect();
        let sources = documents.iter().map(|document| document.source).collect();
        let clusters = articles.chunk_by(|a, b| a == b).count();
        Round { seed, documents, articles, sources, clusters }
    }
}

impl Outcome {
    fn to_text(&self) -> String {
        let heads = ["with articles", "lowest", "highest", "with sources"];
        let mut table = Table::default().words("adjusted Rand").figures(heads);
        for (treatment, Agreement { mean, min, max, with_sources }) in &self.results {
            let figures = [mean, min, max, with_sources].map(|figure| decimal(*figure, 3));
            table.row([treatment.name().to_owned()].into_iter().chain(figures));
        }
        let Outcome { selection, documents, clusters, rounds, .. } = self;
        let selection = selection.to_text();
        format!("{table}{selection}{documents} texts in {rounds} rounds, {clusters} clusters each\n")
    }
}
