//! `dehusk eval inject`: templates into clean text, and out again?

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::bail;
use clap::Args;
use serde::Serialize;

use dehusk::corpus::Inventory;
use dehusk::evaluation::injection::{Experiment, Kind, Place, Tally, Trial, flowing_texts};

use crate::cli::interrupt;
use crate::cli::options::{MethodArgs, MineArgs, ReadingArgs, SummaryArgs};
use crate::cli::report::{Reporter, print};
use crate::cli::workers::share_out;
use crate::cli::{Exit, Global};

/// What is asked of templates in so many documents and in such a share of them.
const TARGET_DOCUMENTS: usize = 100;
const TARGET_PERCENT: usize = 20;
const MAX_LOST: f64 = 0.001;

/// Options of `dehusk eval inject`.
#[derive(Args, Debug)]
pub struct InjectArgs {
    /// Clean text to inject into, the documents of all sources together [default: text that nobody wrote]
    #[arg(value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Sizes of the corpora
    #[arg(long, value_name = "N,N...", value_delimiter = ',', default_values_t = [10, 30, 100, 1000], value_parser = size)]
    documents: Vec<usize>,
    /// Percent of the documents that carry the template
    #[arg(long, value_name = "PERCENT,...", value_delimiter = ',', default_values_t = [100, 50, 20, 10, 5], value_parser = percent)]
    shares: Vec<usize>,
    /// Templates of each kind, each with corpora of its own
    #[arg(long, value_name = "N", default_value_t = 8)]
    templates: usize,
    #[command(flatten)]
    mining: MineArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

fn size(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&size| size >= 2).ok_or_else(|| "a corpus has two documents or more".to_owned())
}

fn percent(text: &str) -> Result<usize, String> {
    let parsed = text.parse().ok().filter(|percent| (1..=100).contains(percent));
    parsed.ok_or_else(|| "a share is a whole number of percent from 1 to 100".to_owned())
}

/// Runs the command.
pub fn run(args: &InjectArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let texts = match args.corpus.is_empty() {
        true => flowing_texts(args.seed, args.documents.iter().copied().max().unwrap_or(0)),
        false => read(args, reporter)?,
    };
    let lexer = args.mining.lexer()?;
    let experiment = Experiment::new(texts, args.seed, lexer, args.mining.options(), args.method.options());
    let sizes = sizes_served(&args.documents, &experiment, reporter)?;
    let outcome = carry_out(&experiment, args, &sizes, global, reporter)?;
    match args.summary.json {
        true => print(&(serde_json::to_string_pretty(&outcome)? + "\n"))?,
        false => print(&outcome.to_text())?,
    }
    Ok(reporter.exit())
}

fn read(args: &InjectArgs, reporter: &Reporter) -> anyhow::Result<Vec<String>> {
    let inventory = Inventory::scan(&args.corpus, &args.reading.options())?;
    let sources = inventory.sources();
    inventory.skipped().iter().chain(&sources.skipped).for_each(|skipped| reporter.skip(&skipped.to_string()));
    let mut texts = Vec::new();
    for place in sources.listings.iter().flat_map(|listing| &listing.documents) {
        interrupt::check()?;
        match inventory.read(place) {
            Ok(document) => texts.push(document.text.to_string()),
            Err(skipped) => reporter.skip(&skipped.to_string()),
        }
    }
    Ok(texts)
}

/// The sizes there are enough documents for, sorted.
fn sizes_served(asked: &[usize], experiment: &Experiment, reporter: &Reporter) -> anyhow::Result<Vec<usize>> {
    let (mut served, mut others): (Vec<usize>, Vec<usize>) =
        asked.iter().partition(|&&size| size <= experiment.documents());
    let said = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    served.sort_unstable();
    served.dedup();
    others.sort_unstable();
    if served.is_empty() {
        bail!("there are {} documents with text: too few for corpora of {}", experiment.documents(), said(&others));
    }
    if !others.is_empty() {
        reporter.warn(&format!("only {} documents have text: no corpora of {}", experiment.documents(), said(&others)));
    }
    Ok(served)
}

fn carry_out(
    experiment: &Experiment,
    args: &InjectArgs,
    sizes: &[usize],
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<Outcome> {
    let mut percents = args.shares.clone();
    percents.sort_unstable_by(|a, b| b.cmp(a));
    percents.dedup();
    let trials = Trial::all(sizes, &percents, args.templates);
    let tallies: Vec<Mutex<Tally>> = trials.iter().map(|_| Mutex::default()).collect();
    reporter.start("injecting", trials.len());
    let outcome = share_out(
        global.threads(),
        trials.len(),
        || (),
        |(), index| {
            interrupt::check()?;
            *tallies[index].lock().unwrap_or_else(PoisonError::into_inner) = experiment.run(&trials[index])?;
            reporter.step(1);
            Ok(())
        },
    );
    reporter.finish();
    outcome?;
    let tallies = tallies.into_iter().map(|tally| tally.into_inner().unwrap_or_else(PoisonError::into_inner));
    let untouched = |&documents: &usize| {
        let tally = experiment.run_untouched(documents)?;
        Ok(Untouched { documents, original: tally.original, lost: tally.lost })
    };
    Ok(Outcome {
        seed: args.seed,
        shares: percents,
        untouched: sizes.iter().map(untouched).collect::<anyhow::Result<_>>()?,
        trials: trials.into_iter().zip(tallies).map(|(trial, tally)| Tried { trial, tally }).collect(),
    })
}

#[derive(Debug, Serialize)]
struct Outcome {
    seed: u64,
    shares: Vec<usize>,
    untouched: Vec<Untouched>,
    trials: Vec<Tried>,
}

/// A corpus into which nothing was injected.
#[derive(Debug, Serialize)]
struct Untouched {
    documents: usize,
    original: usize,
    lost: usize,
}

#[derive(Debug, Serialize)]
struct Tried {
    #[serde(flatten)]
    trial: Trial,
    #[serde(flatten)]
    tally: Tally,
}

/// A row of the table: documents, kind, place.
type Row = (usize, Kind, Place);

impl Outcome {
    fn to_text(&self) -> String {
        let mut text = self.table();
        text += "\nnothing injected:\n";
        for &Untouched { documents, original, lost } in &self.untouched {
            let tally = Tally { original, lost, ..Tally::default() };
            let _ = writeln!(text, "{documents:>9}  lost {} %", lost_percent(&tally));
        }
        text + &self.target()
    }

    /// Of each row and share: what was removed of the injected and lost of the original, in percent.
    fn table(&self) -> String {
        let mut cells: BTreeMap<Row, BTreeMap<usize, Tally>> = BTreeMap::new();
        for Tried { trial, tally } in &self.trials {
            let row = cells.entry((trial.documents, trial.kind, trial.place)).or_default();
            row.entry(trial.percent).or_default().add(tally);
        }
        let mut text = format!("{:>9}  {:13}  {:17}", "documents", "template", "place");
        for percent in &self.shares {
            let _ = write!(text, "  {:>15}", format!("in {percent} %"));
        }
        text += &format!("\n{:43}{}\n", "", "  removed    lost".repeat(self.shares.len()));
        for ((documents, kind, place), row) in cells {
            let _ = write!(text, "{documents:>9}  {:13}  {:17}", kind.name(), place.name());
            for percent in &self.shares {
                let cell = row.get(percent).copied().unwrap_or_default();
                let _ = write!(text, "  {:>7}  {:>6}", removed_percent(&cell), lost_percent(&cell));
            }
            text.push('\n');
        }
        text
    }

    /// What is asked for, by kind and place, and what there is of it.
    fn target(&self) -> String {
        let counts = |trial: &Trial| trial.documents >= TARGET_DOCUMENTS && trial.percent >= TARGET_PERCENT;
        let mut rows: BTreeMap<(Kind, Option<Place>), Tally> = BTreeMap::new();
        for Tried { trial, tally } in self.trials.iter().filter(|tried| counts(&tried.trial)) {
            for place in [Some(trial.place), None] {
                rows.entry((trial.kind, place)).or_default().add(tally);
            }
        }
        if rows.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "\n{TARGET_DOCUMENTS} documents or more, in {TARGET_PERCENT} % of them or more:\ntemplate       place              removed    lost\n"
        );
        for ((kind, place), tally) in rows {
            let place = place.map_or("all", Place::name);
            let verdict = if is_met(kind, &tally) { "" } else { "  missed" };
            let (removed, lost) = (removed_percent(&tally), lost_percent(&tally));
            let _ = writeln!(text, "{:13}  {place:17}  {removed:>7}  {lost:>6}{verdict}", kind.name());
        }
        text
    }
}

fn is_met(kind: Kind, tally: &Tally) -> bool {
    let least = if kind == Kind::FreeSlots { 0.95 } else { 0.99 };
    tally.removed_share().is_none_or(|share| share >= least) && tally.lost_share().is_none_or(|share| share <= MAX_LOST)
}

fn removed_percent(tally: &Tally) -> String {
    tally.removed_share().map_or("-".to_owned(), |share| format!("{:.1}", 100.0 * share))
}

fn lost_percent(tally: &Tally) -> String {
    tally.lost_share().map_or("-".to_owned(), |share| format!("{:.3}", 100.0 * share))
}
