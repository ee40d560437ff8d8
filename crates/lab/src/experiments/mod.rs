//! The experiments of the literature: does cleaning let pages be compared, found and grouped by their articles, and not by
//! their sites? `results/evaluation.md` explains them.
//!
//! ```text
//! dehusk-lab experiment duplicates CORPUS... --gold DIR
//! dehusk-lab experiment mirrors CORPUS... --gold DIR
//! dehusk-lab experiment clusters CORPUS... --gold DIR
//! dehusk-lab experiment classify CORPUS... --gold DIR --labels FILE
//! dehusk-lab experiment assign CORPUS... --gold DIR
//! dehusk-lab experiment templates CORPUS... --gold DIR
//! dehusk-lab experiment growth CORPUS... --gold DIR
//! dehusk-lab experiment settings CORPUS... --gold DIR
//! dehusk-lab experiment snapshots
//! ```

// The texts, and how they are treated.
mod treatments;
mod corpus;
mod markup;
mod paired_pages;
mod material;

// The experiments, each after the modules that it measures with.
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

// Quality by the documents that were mined, and by the options of mining.
mod scored;
mod growth;
mod settings;
mod snapshots;

#[path = "../../../../benches/support/mod.rs"]
mod support;
#[cfg(test)]
mod tests;

use clap::{Args, Subcommand};

use dehusk::cli::Exit;
use dehusk::cli::reporter::{Reporter, print};
use dehusk_run::Observer;

/// Options of `dehusk-lab experiment`.
#[derive(Args, Debug)]
pub struct ExperimentArgs {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand, Debug)]
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

/// Runs the command.
pub fn run(args: &ExperimentArgs, observer: &Reporter) -> anyhow::Result<Exit> {
    print(&outcome(&args.experiment, observer)?)?;
    Ok(observer.exit())
}

/// Runs an experiment, and returns the text to print.
fn outcome(experiment: &Experiment, observer: &dyn Observer) -> anyhow::Result<String> {
    match experiment {
        Experiment::Duplicates(args) => duplicates::run(args, observer),
        Experiment::Mirrors(args) => mirrors::run(args, observer),
        Experiment::Clusters(args) => clusters::run(args, observer),
        Experiment::Classify(args) => classify::run(args, observer),
        Experiment::Assign(args) => assign::run(args, observer),
        Experiment::Templates(args) => templates::run(args, observer),
        Experiment::Growth(args) => growth::run(args, observer),
        Experiment::Settings(args) => settings::run(args, observer),
        Experiment::Snapshots(args) => snapshots::run(args),
    }
}
