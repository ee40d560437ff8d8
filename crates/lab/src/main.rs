//! The program `dehusk-lab`: trains the models that dehusk ships, and repeats the measurements of the literature.

#![allow(rustdoc::invalid_html_tags, rustdoc::bare_urls)] // comments at flags are help, and no documentation

mod boxes;
mod commands;
mod experiments;
mod help;
mod levels;
mod outputs;
mod same_segments;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::bail;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use dehusk::cli::help::complete;
use dehusk::cli::interrupt::Results;
use dehusk::cli::reads::reads;
use dehusk::cli::reporter::Reporter;
use dehusk::cli::{self, Exit, Global, Plan, mine};
use dehusk_run::StreamMethod;
use dehusk_run::workers::checked_threads;

use commands::{blocks, features, feeds, inject, nodes, segments, stream, train, tree};
use same_segments::same_segments;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Trains the models that dehusk ships, and measures dehusk as the literature does.
#[derive(Parser)]
#[command(name = "dehusk-lab", version, max_term_width = 100)]
struct Lab {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

#[derive(Subcommand)]
enum Command {
    /// Train a model of what boilerplate looks like, or of what the content of a page is
    Train(Box<train::TrainArgs>),
    /// Mine a corpus as `dehusk mine` does. HTML pages with the same largest segment count once
    Mine(Box<mine::MineCommand>),
    /// Clean HTML pages by a model of their trees, without patterns
    Tree(Box<tree::TreeArgs>),
    /// Clean documents as `dehusk stream` does, but whole blocks of which most is boilerplate
    Wang(Box<cli::stream::StreamCommand>),
    /// Inject known templates into clean text, mine and clean it, and measure what is removed
    Inject(Box<inject::InjectArgs>),
    /// Clean the pages of a crawl, and compare with the feeds that carry whole articles
    Feeds(Box<feeds::FeedsArgs>),
    /// Divide single HTML pages into template and content, and compare with gold text
    Nodes(Box<nodes::NodesArgs>),
    /// Divide HTML pages into segments, and compare with segments that people marked
    Segments(Box<segments::SegmentsArgs>),
    /// Find how important blocks of HTML pages are, and compare with levels that people gave
    Blocks(Box<blocks::BlocksArgs>),
    /// Write the features that the models see, for other programs that learn
    Features(Box<features::FeaturesArgs>),
    /// Clean documents as they arrive, and measure what is removed and what must be stored
    Stream(Box<stream::StreamArgs>),
    /// Compare pages before and after cleaning, as the papers on template detection do
    Experiment(Box<experiments::ExperimentArgs>),
    /// Write how important the texts of pages are, for `train --blocks`, from gold text
    Levels(levels::LevelsArgs),
    /// Write where Chromium draws the parts of pages, for `--boxes`
    Boxes(boxes::BoxesArgs),
    /// Run the program itself: `dehusk-lab dehusk run CORPUS -o OUT`
    #[command(disable_help_flag = true)]
    Dehusk {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
}

impl Command {
    fn run(self, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
        match self {
            Command::Train(args) => train::run(&args, global, reporter),
            Command::Mine(args) => mine::run(&args, Some(same_segments), global, reporter),
            Command::Tree(args) => tree::run(&args, global, reporter),
            Command::Wang(args) if !args.documents.method.is_default() => {
                bail!("whole blocks go by their counts alone: leave out the flags that say how text is judged")
            }
            Command::Wang(args) => cli::stream::run(&args, StreamMethod::WholeBlocks, global, reporter),
            Command::Inject(args) => inject::run(&args, global, reporter),
            Command::Feeds(args) => feeds::run(&args, global, reporter),
            Command::Nodes(args) => nodes::run(&args, reporter),
            Command::Segments(args) => segments::run(&args, reporter),
            Command::Blocks(args) => blocks::run(&args, reporter),
            Command::Features(args) => features::run(&args, global, reporter),
            Command::Stream(args) => stream::run(&args, global, reporter),
            Command::Experiment(args) => experiments::run(&args, reporter),
            Command::Levels(args) => levels::run(&args, reporter),
            Command::Boxes(args) => boxes::run(&args),
            Command::Dehusk { .. } => Ok(Exit::Done),
        }
    }

    fn results(&self) -> Results {
        match self {
            Command::Tree(args) => args.results(),
            Command::Features(args) => args.results(),
            Command::Wang(_) => Results::State,
            _ => Results::Files,
        }
    }
}

fn main() -> ExitCode {
    ExitCode::from(exit() as u8)
}

fn exit() -> Exit {
    let mut command = complete(Lab::command(), "dehusk-lab", &help::examples);
    let parsed = command.try_get_matches_from_mut(std::env::args_os()).and_then(|mut matches| {
        let reads = reads(&command, &matches, None);
        let lab = Lab::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))?;
        Ok(Lab { global: lab.global.reading(reads), ..lab })
    });
    let Lab { command, global } = match parsed {
        Ok(lab) => lab,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Done };
        }
    };
    if let Command::Dehusk { arguments } = command {
        return cli::main([OsString::from("dehusk")].into_iter().chain(arguments));
    }
    let cores = checked_threads(global.threads()).map_err(|error| format!("--threads: {error}"));
    let plan = Plan { cores, results: command.results(), reports: matches!(command, Command::Tree(_)) };
    let reporter = global.reporter();
    cli::carry_out(plan, &global, &reporter, || command.run(&global, &reporter))
}
