//! The experiments of the literature: does cleaning let pages be compared, found and grouped by their articles, and not by
//! their sites? `docs/evaluation.md` explains them.
//!
//! ```text
//! cargo run --release --example experiments -- duplicates CORPUS... --gold DIR
//! cargo run --release --example experiments -- mirrors CORPUS... --gold DIR
//! cargo run --release --example experiments -- clusters CORPUS... --gold DIR
//! cargo run --release --example experiments -- classify CORPUS... --gold DIR --labels FILE
//! cargo run --release --example experiments -- assign CORPUS... --gold DIR
//! cargo run --release --example experiments -- templates CORPUS... --gold DIR
//! cargo run --release --example experiments -- growth CORPUS... --gold DIR
//! cargo run --release --example experiments -- settings CORPUS... --gold DIR
//! cargo run --release --example experiments -- snapshots
//! ```

// What the texts are, and how they are treated.
mod treatments;
mod corpus;
mod markup;
mod paired_pages;
mod material;

// The experiments, each after what it measures with.
mod sketches;
mod duplicates;
mod edit_distance;
mod separation;
mod mirrors;
mod logarithm;
mod k_means;
mod clustering;
mod clusters;
mod estimate;
mod naive_bayes;
mod labels;
mod classify;
mod assign;
mod style_tree;
mod page_cache;
mod templates;

// Quality by what was mined, and how.
mod scored;
mod growth;
mod settings;
mod snapshots;

#[path = "../../benches/support/mod.rs"]
mod support;
#[path = "../../src/cli/eval/table.rs"]
mod table;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use clap::{Parser, Subcommand};

use dehusk_run::Observer;
use dehusk_run::workers::all_cores;

#[path = "../shared/stderr.rs"]
mod stderr;
use stderr::Stderr;

/// Compares pages before and after cleaning, as the papers on template detection do
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
    /// Use this many threads [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

#[derive(Subcommand)]
enum Experiment {
    /// Detect duplicates by shingles, before and after cleaning
    Duplicates(material::PairsArgs),
    /// Detect mirrors by edit distance, before and after cleaning
    Mirrors(material::PairsArgs),
    /// Cluster articles, before and after cleaning
    Clusters(clusters::ClustersArgs),
    /// Classify pages by their words, before and after cleaning
    Classify(classify::ClassifyArgs),
    /// Assign pages to their articles by their words, before and after cleaning
    Assign(material::PairsArgs),
    /// Detect templates as pages come: a table of segments against cached pages and a site style tree
    Templates(templates::TemplatesArgs),
    /// Score cleaning by the number of documents that were mined, or by their days
    Growth(growth::GrowthArgs),
    /// Score cleaning with other values of the options
    Settings(settings::SettingsArgs),
    /// Count what is lost of an invented front page that is fetched every hour
    Snapshots(snapshots::SnapshotsArgs),
}

fn main() -> anyhow::Result<()> {
    let outcome = run(&Arguments::parse(), &Stderr)?;
    Ok(io::stdout().write_all(outcome.as_bytes())?)
}

/// What an experiment prints.
fn run(arguments: &Arguments, observer: &dyn Observer) -> anyhow::Result<String> {
    let threads = arguments.threads.map_or_else(all_cores, usize::from);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(|| match &arguments.experiment {
        Experiment::Duplicates(args) => duplicates::run(args, observer),
        Experiment::Mirrors(args) => mirrors::run(args, observer),
        Experiment::Clusters(args) => clusters::run(args, observer),
        Experiment::Classify(args) => classify::run(args, observer),
        Experiment::Assign(args) => assign::run(args, observer),
        Experiment::Templates(args) => templates::run(args, observer),
        Experiment::Growth(args) => growth::run(args, observer),
        Experiment::Settings(args) => settings::run(args, observer),
        Experiment::Snapshots(args) => snapshots::run(args),
    })
}
