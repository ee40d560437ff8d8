//! `dehusk-lab blocks`: takes pages with blocks that people gave levels of importance, and prints how well models
//! find these levels.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueEnum, ValueHint};
use serde_json::{Value, json};

use super::block_features::{coherence, feature_names, features_without};
use dehusk::cli::blocks::importance_model;
use dehusk::cli::eval::tell;
use dehusk::cli::mine::{list, scan_paths};
use dehusk::cli::options::{CorpusArgs, SummaryArgs, boxes_file};
use dehusk::cli::reporter::Reporter;
use dehusk::cli::summary::{Summary, count};
use dehusk::cli::table::{Table, decimal};
use dehusk::cli::{Exit, interrupt};
use dehusk_corpus::{BoxesFile, HtmlView};
use dehusk_lab::importance::confusion::Confusion;
use dehusk_lab::importance::folds::{Together, Trial, cross_validated, examples, learned};
use dehusk_lab::importance::{LabelledPage, agreement_of_assessors, labelled_pages};
use dehusk_segments::importance::features::{FEATURES, IMPORTANCE_WIDTH};
use dehusk_segments::importance::model::{Example, ImportanceModel, LEARNERS, Learner, Scaling};
use dehusk_segments::importance::record::Labels;
use dehusk_segments::segmentation::vision::PERMITTED;

/// How much rare levels are preferred ([`Trial::balance`]).
const BALANCES: [f64; 3] = [0.0, 0.5, 1.0];

/// Blocks of pages, judged by levels that people gave.
#[derive(Args, Debug)]
pub struct BlocksArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// File with the levels of parts of pages: a JSONL file
    ///
    /// File with the levels of parts of pages: a JSONL file (see results/segments-and-blocks.md).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    gold: PathBuf,
    /// Importance model to measure [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = importance_model, value_hint = ValueHint::FilePath, conflicts_with = "folds")]
    importance_model: Option<Arc<ImportanceModel>>,
    /// Learn from all but one of N parts, and measure learners on it
    ///
    /// Instead of a model, measure learners: learn from all but one of N parts of the blocks, and judge those of that part.
    #[arg(long, value_name = "N", value_parser = folds)]
    folds: Option<usize>,
    /// What is in one part: sources or blocks
    ///
    /// What is in one part: all pages of some sources, as for new sites; or any blocks, as in the literature.
    #[arg(long, value_enum, value_name = "sources|blocks", hide_possible_values = true, default_value_t = By::Sources, requires = "folds")]
    by: By,
    /// Also rank the features, and learn from fewer blocks
    #[arg(long, requires = "folds")]
    details: bool,
    /// Learners to measure [default: all]. Separate them by commas
    #[arg(long, value_name = "LEARNER", value_delimiter = ',', value_parser = LEARNERS.map(|(_, name)| name), hide_possible_values = true, requires = "folds", hide_short_help = true)]
    learner: Vec<String>,
    /// Features that learners do without, by name, or spatial or content. Separate them by commas
    #[arg(long, value_name = "FEATURE", value_delimiter = ',', value_parser = feature_names(), requires = "folds", hide_short_help = true)]
    leave_out: Vec<String>,
    /// Degree of coherence of blocks, 2 to 10 [default: the model's]
    #[arg(long, value_name = "DEGREE", value_parser = coherence)]
    coherence: Option<u8>,
    /// Where the parts of pages are drawn: a JSONL file
    #[arg(long, value_name = "FILE", value_parser = boxes_file, value_hint = ValueHint::FilePath)]
    boxes: Option<Arc<BoxesFile>>,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// See [`Together`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    Sources,
    Blocks,
}

fn folds(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(folds) if (2..=1000).contains(&folds) => Ok(folds),
        _ => Err("it is a number from 2 to 1000".to_owned()),
    }
}

/// Runs the command.
pub fn run(args: &BlocksArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let options = args.corpus.reading.options().boxes(args.boxes.clone());
    if options.html == HtmlView::Markup {
        bail!("`blocks` reads pages as trees: leave --html markup out");
    }
    let labels = Labels::read(&args.gold)?;
    let inventory = scan_paths(&args.corpus.corpus, &args.corpus.list, &options, reporter, &mut summary)?;
    let inventory = inventory.with_html(HtmlView::Page).with_trees();
    let listings = list(&inventory, reporter, &mut summary)?;
    let model = args.folds.is_none().then(|| args.importance_model.clone().unwrap_or_else(ImportanceModel::shipped));
    let permitted = args.coherence.unwrap_or(model.as_ref().map_or(PERMITTED, |model| model.permitted));
    let pages = labelled_pages(&inventory, &listings, &labels, permitted, reporter)?;
    let blocks = examples(&pages, Together::Sources);
    if blocks.is_empty() {
        let example = labels.example().map(|(source, id)| format!(": it has {id:?} of source {source:?}"));
        bail!("no page has blocks with a level in {}{}", args.gold.display(), example.unwrap_or_default());
    }
    summary.skipped = reporter.skipped();
    let mut figures = Figures { head: head(&pages, blocks.len()), ways: Vec::new(), ranking: Vec::new() };
    match (&model, args.folds) {
        (Some(model), _) => {
            let mut levels = model.levels.clone();
            levels.extend(blocks.iter().map(|block| block.level));
            levels.sort_unstable();
            levels.dedup();
            let mut confusion = Confusion::new(&levels);
            blocks.iter().for_each(|block| confusion.add(block.level, model.importance(&block.features).level));
            figures.ways.push((model.learner().name().to_owned(), confusion));
        }
        (None, folds) => cross_validate(args, &pages, folds.unwrap_or(2), permitted, &mut figures)?,
    }
    figures.ways.push(always(&blocks));
    if let Some(confusion) = agreement_of_assessors(&pages) {
        figures.ways.push(("assessors, with most of them".to_owned(), confusion));
    }
    tell(&args.summary, &figures.to_json(&summary), &figures.to_text())?;
    Ok(reporter.exit())
}

fn head(pages: &[LabelledPage], blocks: usize) -> [usize; 3] {
    [pages.len(), pages.iter().map(|page| page.all).sum(), blocks]
}

/// What it gives to say the most frequent level of each block.
fn always(blocks: &[Example]) -> (String, Confusion) {
    let count = |level: u8| blocks.iter().filter(|block| block.level == level).count();
    let levels: BTreeSet<u8> = blocks.iter().map(|block| block.level).collect();
    let most = levels.iter().copied().max_by_key(|&level| count(level)).unwrap_or(1);
    let mut confusion = Confusion::new(&levels.into_iter().collect::<Vec<u8>>());
    blocks.iter().for_each(|block| confusion.add(block.level, most));
    (format!("always {most}"), confusion)
}

/// Measures all learners, and some learners with a part of the features.
fn cross_validate(
    args: &BlocksArgs,
    pages: &[LabelledPage],
    folds: usize,
    permitted: u8,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let together = if args.by == By::Sources { Together::Sources } else { Together::Blocks };
    let blocks = examples(pages, together);
    let uses = features_without(&args.leave_out);
    let features = |of: &dyn Fn(usize) -> bool| -> [bool; IMPORTANCE_WIDTH] { std::array::from_fn(of) };
    let mut measure = |name: String, trial: &Trial, share: f64| -> anyhow::Result<()> {
        interrupt::check()?;
        figures.ways.push((name, cross_validated(&blocks, trial, folds, share)));
        Ok(())
    };
    let is_wanted = |(_, name): &(Learner, &str)| args.learner.is_empty() || args.learner.iter().any(|of| of == name);
    let trial = |learner, scaling, uses| Trial { learner, scaling, uses, balance: 0.0 };
    for (learner, name) in LEARNERS.into_iter().filter(is_wanted) {
        measure(name.to_owned(), &trial(learner, Scaling::Logarithms, uses), 1.0)?;
    }
    for (learner, name) in LEARNERS.into_iter().filter(is_wanted) {
        measure(format!("{name}, range"), &trial(learner, Scaling::Range, uses), 1.0)?;
    }
    let parts = [
        ("spatial", features(&|at| uses[at] && FEATURES[at].is_spatial)),
        ("content", features(&|at| uses[at] && !FEATURES[at].is_spatial)),
    ];
    for (learner, name) in [LEARNERS[0], LEARNERS[2]].into_iter().filter(is_wanted) {
        for (part, uses) in parts {
            measure(format!("{name}, {part} only"), &trial(learner, Scaling::Logarithms, uses), 1.0)?;
        }
    }
    let with_names = features(&|at| uses[at] || !FEATURES[at].is_published);
    for (learner, name) in [LEARNERS[0]].into_iter().filter(is_wanted) {
        for (features, uses) in [("", uses), (" and names", with_names)] {
            for balance in BALANCES.into_iter().filter(|&balance| balance > 0.0 || !features.is_empty()) {
                let trial = Trial { balance, ..trial(learner, Scaling::Logarithms, uses) };
                measure(format!("{name}{features}, balance {balance}"), &trial, 1.0)?;
            }
        }
    }
    if args.details {
        for share in [0.1, 0.2, 0.4, 0.7] {
            measure(
                format!("gaussian-svm, {share} of the {}", if args.by == By::Sources { "sources" } else { "blocks" }),
                &trial(Learner::GaussianSvm, Scaling::Logarithms, uses),
                share,
            )?;
        }
        let (linear, _) = learned(&blocks, &trial(Learner::LinearSvm, Scaling::Logarithms, uses), permitted);
        figures.ranking = linear.discriminative().unwrap_or_default();
        figures.ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
    Ok(())
}

struct Figures {
    /// Numbers of pages, of their blocks, and of blocks with a level.
    head: [usize; 3],
    ways: Vec<(String, Confusion)>,
    /// How much each feature tells levels apart.
    ranking: Vec<(&'static str, f64)>,
}

impl Figures {
    fn to_text(&self) -> String {
        let [pages, all, blocks] = self.head;
        // Assessors may give levels that no model has, and the other way round.
        let levels: BTreeSet<u8> = self.ways.iter().flat_map(|(_, of)| of.levels()).copied().collect();
        let of_levels = levels.iter().map(|level| format!("P / R of {level}"));
        let heads: Vec<String> = of_levels.chain(["micro F1".to_owned(), "accuracy".to_owned()]).collect();
        let mut table = Table::default().words("way").figures(heads.iter().map(String::as_str));
        for (name, of) in &self.ways {
            let both = |level: &u8| match of.levels().iter().position(|of| of == level) {
                Some(at) => format!("{} / {}", decimal(of.precision(at), 3), decimal(of.recall(at), 3)),
                None => "-".to_owned(),
            };
            let figures =
                levels.iter().map(both).chain([of.micro_f1(), of.micro_accuracy()].map(|figure| decimal(figure, 3)));
            table.row([name.clone()].into_iter().chain(figures));
        }
        let mean = decimal(all as f64 / pages.max(1) as f64, 1);
        let mut text = format!(
            "{}, {mean} blocks a page, {} with a level\n\n{table}\n",
            count(pages, "page"),
            count(blocks, "block")
        );
        if !self.ranking.is_empty() {
            let mut table = Table::default().words("feature").figures(["weights"]);
            self.ranking.iter().for_each(|(name, weight)| table.row([(*name).to_owned(), decimal(*weight, 2)]));
            text += &format!("\n{table}\nsums of the weights of linear machines, whatever their sign\n");
        }
        text
    }

    fn to_json(&self, summary: &Summary) -> Value {
        let of_way = |(name, of): &(String, Confusion)| {
            let level = |at: usize| {
                (of.levels()[at].to_string(), json!({"precision": of.precision(at), "recall": of.recall(at)}))
            };
            let levels: serde_json::Map<String, Value> = (0..of.levels().len()).map(level).collect();
            (name.clone(), json!({"levels": levels, "micro_f1": of.micro_f1(), "micro_accuracy": of.micro_accuracy()}))
        };
        let [pages, all, blocks] = self.head;
        json!({
            "pages": pages,
            "all_blocks": all,
            "blocks": blocks,
            "ways": self.ways.iter().map(of_way).collect::<serde_json::Map<String, Value>>(),
            "features": self.ranking.iter().map(|(name, weight)| ((*name).to_owned(), json!(weight))).collect::<serde_json::Map<String, Value>>(),
            "skipped": summary.skipped,
            "seconds": summary.seconds,
        })
    }
}
