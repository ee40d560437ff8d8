//! `dehusk-lab blocks`: takes pages with blocks that people gave levels of importance, and prints how well models
//! find these levels.

use std::collections::{BTreeMap, BTreeSet};
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
use dehusk_lab::importance::agreement::{Agreement, FIFTHS, MERGED};
use dehusk_lab::importance::confusion::Confusion;
use dehusk_lab::importance::folds::{
    Judged, Together, Trial, cross_validated, cross_validated_with_best, examples, learned, ranked_features,
};
use dehusk_lab::importance::{LabelledPage, labelled_pages};
use dehusk_segments::importance::features::{FEATURES, IMPORTANCE_WIDTH};
use dehusk_segments::importance::model::{Example, ImportanceModel, LEARNERS, Learner, Scaling};
use dehusk_segments::importance::record::Labels;
use dehusk_segments::segmentation::vision::PERMITTED;

/// How much rare levels are preferred ([`Trial::balance`]).
const BALANCES: [f64; 3] = [0.0, 0.5, 1.0];
/// The numbers of best features that are learned from (the paper, figure 4). All features are measured too.
const NUMBERS: [usize; 5] = [5, 10, 15, 20, 30];

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
    /// Also rank the features, and learn from fewer blocks and fewer features
    ///
    /// Also rank the features, and learn from fewer blocks and fewer features, with gaussian-svm or the learners of --learner.
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
    let mut figures = Figures {
        head: head(&pages, blocks.len()),
        folds: args.folds.unwrap_or(0),
        agreement: Agreement::of(&pages),
        ..Figures::default()
    };
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
    if let Some(agreement) = &figures.agreement {
        figures.ways.push(("assessors, with most of them".to_owned(), agreement.all.clone()));
        for (assessor, confusion) in &agreement.assessors {
            let name = if assessor.is_empty() { "without a name" } else { assessor };
            figures.ways.push((format!("assessor {name}"), confusion.clone()));
        }
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
        figures.add(name, cross_validated(&blocks, trial, folds, share));
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
        let is_wanted = |(learner, name): &(Learner, &str)| match args.learner.is_empty() {
            true => *learner == Learner::GaussianSvm,
            false => args.learner.iter().any(|of| of == name),
        };
        let of_all = if args.by == By::Sources { "sources" } else { "blocks" };
        let linear = trial(Learner::LinearSvm, Scaling::Logarithms, uses);
        let ranks = ranked_features(&blocks, &linear, folds);
        for (learner, name) in LEARNERS.into_iter().filter(is_wanted) {
            let trial = trial(learner, Scaling::Logarithms, uses);
            for share in [0.1, 0.2, 0.4, 0.7] {
                interrupt::check()?;
                figures.add(format!("{name}, {share} of the {of_all}"), cross_validated(&blocks, &trial, folds, share));
            }
            let all = uses.iter().filter(|&&is_used| is_used).count();
            for number in NUMBERS.into_iter().filter(|&number| number < all).chain([all]) {
                interrupt::check()?;
                let judged = cross_validated_with_best(&blocks, &trial, &ranks, number);
                figures.by_number.push((name, number, judged.confusion.micro_f1()));
                figures.note(&format!("{name}, best {number} features"), judged.unconverged);
            }
        }
        let (linear, is_converged) = learned(&blocks, &linear, permitted);
        figures.is_ranking_converged = is_converged;
        figures.ranking = linear.discriminative().unwrap_or_default();
        figures.ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
    Ok(())
}

#[derive(Default)]
struct Figures {
    /// Numbers of pages, of their blocks, and of blocks with a level.
    head: [usize; 3],
    /// Number of folds. 0 if a model was measured.
    folds: usize,
    ways: Vec<(String, Confusion)>,
    /// Trainings that stopped before their optimum, and how many of each.
    unconverged: Vec<(String, usize)>,
    agreement: Option<Agreement>,
    /// Micro-F1 of each learner with a number of best features.
    by_number: Vec<(&'static str, usize, f64)>,
    /// How much each feature tells levels apart.
    ranking: Vec<(&'static str, f64)>,
    is_ranking_converged: bool,
}

impl Figures {
    fn add(&mut self, name: String, judged: Judged) {
        self.note(&name, judged.unconverged);
        self.ways.push((name, judged.confusion));
    }

    /// Keeps how many trainings stopped before their optimum, if any did.
    fn note(&mut self, name: &str, unconverged: usize) {
        if unconverged > 0 {
            self.unconverged.push((name.to_owned(), unconverged));
        }
    }

    /// Whether the levels 2 and 3 both occur, so that figures with both as one say something else.
    fn is_mergeable(&self) -> bool {
        MERGED.iter().all(|&level| self.ways.iter().any(|(_, of)| of.has(level)))
    }

    fn to_text(&self) -> String {
        let [pages, all, blocks] = self.head;
        let mean = decimal(all as f64 / pages.max(1) as f64, 1);
        let [pages, blocks] = [count(pages, "page"), count(blocks, "block")];
        let mut text = format!("{pages}, {mean} blocks a page, {blocks} with a level\n\n{}\n", self.ways_table());
        if self.is_mergeable() {
            text += "3 levels: micro F1 with the levels 2 and 3 as one\n";
        }
        if !self.unconverged.is_empty() {
            let of = |(name, number): &(String, usize)| format!("  {name} ({number} of {})\n", self.folds);
            text += "\ntraining took too many steps and stopped before its optimum, in some folds, of:\n";
            text += &self.unconverged.iter().map(of).collect::<String>();
        }
        if let Some(agreement) = &self.agreement {
            text += &self.agreement_text(agreement);
        }
        if !self.by_number.is_empty() {
            let mut table = Table::default().words("learner").figures(["best features", "micro F1"]);
            for (learner, number, f1) in &self.by_number {
                table.row([(*learner).to_owned(), number.to_string(), decimal(*f1, 3)]);
            }
            text +=
                &format!("\n{table}\nthe best features of each fold are those of linear machines of the other folds\n");
        }
        if !self.ranking.is_empty() {
            let mut table = Table::default().words("feature").figures(["weights"]);
            self.ranking.iter().for_each(|(name, weight)| table.row([(*name).to_owned(), decimal(*weight, 2)]));
            text += &format!("\n{table}\nsums of the weights of linear machines, whatever their sign\n");
            if !self.is_ranking_converged {
                text += "the training of these machines stopped before its optimum\n";
            }
        }
        text
    }

    fn ways_table(&self) -> Table {
        // Assessors may give levels that no model has, and the other way round.
        let levels: BTreeSet<u8> = self.ways.iter().flat_map(|(_, of)| of.levels()).copied().collect();
        let of_levels = levels.iter().map(|level| format!("P / R of {level}"));
        let merged = self.is_mergeable().then(|| "3 levels".to_owned());
        let heads: Vec<String> =
            of_levels.chain(["micro F1".to_owned()]).chain(merged).chain(["accuracy".to_owned()]).collect();
        let mut table = Table::default().words("way").figures(heads.iter().map(String::as_str));
        for (name, of) in &self.ways {
            let both = |level: &u8| match of.levels().iter().position(|of| of == level) {
                Some(at) => format!("{} / {}", decimal(of.precision(at), 3), decimal(of.recall(at), 3)),
                None => "-".to_owned(),
            };
            let merged = self.is_mergeable().then(|| of.merged(MERGED).micro_f1());
            let shares = [of.micro_f1()].into_iter().chain(merged).chain([of.micro_accuracy()]);
            let figures = levels.iter().map(both).chain(shares.map(|figure| decimal(figure, 3)));
            table.row([name.clone()].into_iter().chain(figures));
        }
        table
    }

    fn agreement_text(&self, agreement: &Agreement) -> String {
        let heads = FIFTHS.map(|fifths| format!("{fifths}/5"));
        let mut table = Table::default().words("levels").figures(heads.iter().map(String::as_str));
        let mut row = |name: &str, shares: [f64; 3]| {
            table.row([name.to_owned()].into_iter().chain(shares.map(|share| decimal(share, 3))));
        };
        row("all levels", agreement.shares);
        if self.is_mergeable() {
            row("2 and 3 as one", agreement.merged);
        }
        let blocks = count(agreement.blocks, "block");
        format!(
            "\n{table}\nshares of {blocks} for which at least 3/5, 4/5 and 5/5 of the assessors gave the same level\n"
        )
    }

    fn to_json(&self, summary: &Summary) -> Value {
        let is_mergeable = self.is_mergeable();
        let of_way = |(name, of): &(String, Confusion)| {
            let mut figures = figures_of(of, u8::to_string);
            if is_mergeable {
                let name = |level: &u8| if *level == MERGED[0] { "2 or 3".to_owned() } else { level.to_string() };
                figures["merged"] = figures_of(&of.merged(MERGED), name);
            }
            (name.clone(), figures)
        };
        let agreement = self.agreement.as_ref().map(|agreement| {
            let shares = |shares: [f64; 3]| -> Value {
                FIFTHS.iter().zip(shares).map(|(fifths, share)| (format!("{fifths}/5"), json!(share))).collect()
            };
            let merged = is_mergeable.then(|| shares(agreement.merged));
            json!({"blocks": agreement.blocks, "levels": shares(agreement.shares), "merged": merged})
        });
        let by_number = self.by_number.iter();
        let by_number =
            by_number.map(|(learner, features, f1)| json!({"learner": learner, "features": features, "micro_f1": f1}));
        let [pages, all, blocks] = self.head;
        json!({
            "pages": pages,
            "all_blocks": all,
            "blocks": blocks,
            "ways": self.ways.iter().map(of_way).collect::<serde_json::Map<String, Value>>(),
            "unconverged_folds": self.unconverged.iter().cloned().collect::<BTreeMap<String, usize>>(),
            "agreement": agreement,
            "by_number_of_features": by_number.collect::<Vec<Value>>(),
            "features": self.ranking.iter().map(|(name, weight)| ((*name).to_owned(), json!(weight))).collect::<serde_json::Map<String, Value>>(),
            "skipped": summary.skipped,
            "seconds": summary.seconds,
        })
    }
}

fn figures_of(of: &Confusion, name: impl Fn(&u8) -> String) -> Value {
    let level =
        |(at, level): (usize, &u8)| (name(level), json!({"precision": of.precision(at), "recall": of.recall(at)}));
    let levels: serde_json::Map<String, Value> = of.levels().iter().enumerate().map(level).collect();
    json!({"levels": levels, "micro_f1": of.micro_f1(), "micro_accuracy": of.micro_accuracy()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trainings_that_stop_early_are_named() {
        let mut figures = Figures { folds: 5, ..Figures::default() };
        for (name, unconverged) in [("gaussian-svm", 3), ("logistic", 0)] {
            figures.add(name.to_owned(), Judged { confusion: Confusion::new(&[1, 4]), unconverged });
        }
        let text = figures.to_text();
        assert!(text.contains("stopped before its optimum, in some folds, of:\n  gaussian-svm (3 of 5)\n"), "{text}");
        let json = figures.to_json(&Summary::default());
        assert_eq!(json["unconverged_folds"], json!({"gaussian-svm": 3}));
        // Without such trainings, nothing is said.
        assert!(!Figures::default().to_text().contains("optimum"));
    }
}
