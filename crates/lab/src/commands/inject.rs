//! `dehusk-lab inject`: injects templates into clean text, and measures how much of them is removed.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use dehusk_lab::injection::figures::{Figures, TARGET_DOCUMENTS, TARGET_PERCENT, Tried, Untouched, is_met};
use dehusk_lab::injection::{Experiment, Insertion, Tally, Trial, flowing_texts};

use dehusk::cli::corpus_paths::ListArgs;
use dehusk::cli::eval::tell;
use dehusk::cli::mine::{list, scan_paths};
use dehusk::cli::options::{MethodArgs, MineArgs, ReadingArgs, SummaryArgs};
use dehusk::cli::reporter::Reporter;
use dehusk::cli::summary::Summary;
use dehusk::cli::table::{Table, percent};
use dehusk::cli::{Exit, Global, interrupt};
use dehusk_run::reading::read_documents;
use dehusk_run::workers::share_out_and_collect;

/// Options of `dehusk-lab inject`.
#[derive(Args, Debug)]
pub struct InjectArgs {
    /// Clean text for the templates [default: generated text]
    ///
    /// Clean text for the templates. The documents of all sources are used together [default: generated text]
    #[arg(value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Numbers of documents in the corpora
    #[arg(long, value_name = "N,N...", value_delimiter = ',', default_values_t = [10, 30, 100, 1000], value_parser = size)]
    documents: Vec<usize>,
    /// Percentages with the template
    ///
    /// Percentages of the documents that have the template.
    #[arg(long, value_name = "PERCENT,...", value_delimiter = ',', default_values_t = [100, 50, 20, 10, 5], value_parser = whole_percent)]
    shares: Vec<usize>,
    /// Number of templates of each kind
    ///
    /// Number of templates of each kind. Each has its own corpora.
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
    text.parse().ok().filter(|&size| size >= 2).ok_or_else(|| "a corpus has 2 documents or more".to_owned())
}

fn whole_percent(text: &str) -> Result<usize, String> {
    let parsed = text.parse().ok().filter(|percent| (1..=100).contains(percent));
    parsed.ok_or_else(|| "a percentage is a whole number from 1 to 100".to_owned())
}

/// Runs the command.
pub fn run(args: &InjectArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let texts = match args.corpus.is_empty() && args.list.files_from.is_none() {
        true => flowing_texts(args.seed, args.documents.iter().copied().max().unwrap_or(0)),
        false => read(args, reporter)?,
    };
    let lexer = args.mining.lexer.build()?;
    let experiment = Experiment::new(texts, args.seed, lexer, args.mining.options(), args.method.options());
    let sizes = sizes_served(&args.documents, &experiment, reporter)?;
    let figures = carry_out(&experiment, args, &sizes, global, reporter)?;
    tell(&args.summary, &figures, &to_text(&figures))?;
    Ok(reporter.exit())
}

fn read(args: &InjectArgs, reporter: &Reporter) -> anyhow::Result<Vec<String>> {
    let mut summary = Summary::default();
    let inventory = scan_paths(&args.corpus, &args.list, &args.reading.options(), reporter, &mut summary)?;
    let mut texts = Vec::new();
    for listing in list(&inventory, reporter, &mut summary)? {
        let documents = read_documents(&inventory, &listing.documents, reporter)?;
        texts.extend(documents.into_iter().flatten().map(|document| document.text.to_string()));
    }
    Ok(texts)
}

/// The sizes for which there are enough documents, sorted.
fn sizes_served(asked: &[usize], experiment: &Experiment, reporter: &Reporter) -> anyhow::Result<Vec<usize>> {
    let (mut served, mut others): (Vec<usize>, Vec<usize>) =
        asked.iter().partition(|&&size| size <= experiment.documents());
    let said = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    served.sort_unstable();
    served.dedup();
    others.sort_unstable();
    if served.is_empty() {
        bail!("only {} documents have text: too few for corpora of {}", experiment.documents(), said(&others));
    }
    if !others.is_empty() {
        reporter.warn(&format!(
            "only {} documents have text: too few for corpora of {}, which are left out",
            experiment.documents(),
            said(&others)
        ));
    }
    Ok(served)
}

fn carry_out(
    experiment: &Experiment,
    args: &InjectArgs,
    sizes: &[usize],
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<Figures> {
    let mut percents = args.shares.clone();
    percents.sort_unstable_by(|a, b| b.cmp(a));
    percents.dedup();
    let trials = Trial::all(sizes, &percents, args.templates);
    reporter.start("injecting", trials.len());
    let tallies = share_out_and_collect(global.threads(), trials.len(), |index| {
        interrupt::check()?;
        let tally = experiment.run(&trials[index])?;
        reporter.step(1);
        anyhow::Ok(tally)
    });
    reporter.finish();
    let untouched = |&documents: &usize| {
        let tally = experiment.run_untouched(documents)?;
        Ok(Untouched { documents, original: tally.original, lost: tally.lost })
    };
    Ok(Figures {
        seed: args.seed,
        shares: percents,
        untouched: sizes.iter().map(untouched).collect::<anyhow::Result<_>>()?,
        trials: trials.into_iter().zip(tallies?).map(|(trial, tally)| Tried { trial, tally }).collect(),
    })
}

/// The figures as text.
fn to_text(figures: &Figures) -> String {
    let mut text = format!("{}\nnothing injected\n{}", by_row(figures), untouched(figures));
    if let Some(targets) = targets(figures) {
        let _ =
            write!(text, "\n{TARGET_DOCUMENTS} documents or more, in {TARGET_PERCENT} % of them or more\n{targets}");
    }
    text
}

/// For each row and share: how much of the injected text was removed, and how much of the original text was lost.
fn by_row(figures: &Figures) -> Table {
    let mut table = Table::default().figures(["documents"]).words("template").words("place");
    for percent in &figures.shares {
        table = table.group(format!("in {percent} %"), HEADS);
    }
    for ((documents, kind, place), row) in figures.by_row() {
        let tally = |percent| row.get(percent).copied().unwrap_or_default();
        let named = [documents.to_string(), kind.name().to_owned(), place.name().to_owned()].into_iter();
        table.row(named.chain(figures.shares.iter().flat_map(|percent| cells(&tally(percent)))));
    }
    table
}

fn untouched(figures: &Figures) -> Table {
    let mut table = Table::default().figures(["documents", "lost"]);
    for untouched in &figures.untouched {
        let [_, lost] = cells(&untouched.tally());
        table.row([untouched.documents.to_string(), lost]);
    }
    table
}

/// The targets by kind and place, and whether they are met. Nothing if no trial counts for a target.
fn targets(figures: &Figures) -> Option<Table> {
    let rows = figures.with_targets();
    let mut table = Table::default().words("template").words("place").figures(HEADS).words("");
    for ((kind, place), tally) in &rows {
        let named = [kind.name(), place.map_or("all", Insertion::name)].map(str::to_owned).into_iter();
        let verdict = if is_met(*kind, tally) { "" } else { "missed" };
        table.row(named.chain(cells(tally)).chain([verdict.to_owned()]));
    }
    (!rows.is_empty()).then_some(table)
}

const HEADS: [&str; 2] = ["characters removed", "characters lost"];

fn cells(tally: &Tally) -> [String; 2] {
    [percent(tally.removed_share(), 1), percent(tally.lost_share(), 3)]
}
