//! `dehusk-lab train`: takes corpora, and writes a decision model, a page-level model, a block model, a segment model
//! or an importance model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::error::ErrorKind;
use clap::{Args, ValueEnum, ValueHint};

use dehusk_core::cleaning::decide::decision_model::{DecisionModel, Lesson as TextLesson};
use dehusk_core::cleaning::decide::features::GROUPS;
use dehusk_core::dom::block_model::{self, BlockModel};
use dehusk_core::dom::page_level::Lessons;
use dehusk_core::dom::site_level::Labels;
use dehusk_core::mining::Mined;
use dehusk_core::shown;
use dehusk_corpus::{BoxesFile, HtmlView, Inventory, Reads, SourceListing};
use dehusk_lab::block_lessons::block_lessons;
use dehusk_lab::decision_lessons::{SourceLessons, decision_lessons};
use dehusk_lab::decision_table::table;
use dehusk_lab::importance::folds::{Together, Trial, examples, learned};
use dehusk_lab::importance::labelled_pages;
use dehusk_lab::segments::lessons as segment_lessons;
use dehusk_lab::segments::training::train as fit_segments;
use dehusk_run::PipelineError;
use dehusk_run::left_out::tell_of_skipped;
use dehusk_run::mine::page_lessons::page_lessons;
use dehusk_run::scoring::gold_texts::GoldTexts;
use dehusk_segments::importance::features::IMPORTANCE_WIDTH;
use dehusk_segments::importance::model::{Learner, Scaling};
use dehusk_segments::importance::record;
use dehusk_segments::segmentation::model::Lesson;
use dehusk_segments::segmentation::record::Marked;
use dehusk_segments::segmentation::vision::PERMITTED;

use super::block_features::{coherence, feature_names, features_without};
use crate::outputs::{BLOCK_MODEL, DECISION_MODEL, IMPORTANCE_MODEL, PAGE_MODEL, SEGMENT_MODEL};
use dehusk::cli::corpus_paths::{CorpusPaths, ListArgs};
use dehusk::cli::force::ForceArgs;
use dehusk::cli::options::{MineArgs, ReadingArgs, boxes_file};
use dehusk::cli::reporter::{Reporter, print};
use dehusk::cli::{Exit, Global, interrupt};

/// Options of `dehusk-lab train`.
#[derive(Args, Debug)]
pub struct TrainArgs {
    /// Corpora, each mined separately
    ///
    /// Corpora, such as folders with a folder for each source, or JSONL files. Each is mined separately.
    #[arg(required_unless_present = "files_from", value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    // The listed paths are 1 more corpus.
    #[command(flatten)]
    list: ListArgs,
    /// File for the model
    ///
    /// File for the model: for `--decision-model`; with --pages for `--page-model`, or with --gold for `dehusk extract
    /// --model`; with --segments for `--segment-model`, and with --blocks for `--importance-model`.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Learn the model that decides about texts. Needs --gold
    ///
    /// Learn the model that decides about texts, from the texts of the corpora and their main texts (--gold). Each
    /// corpus is a kind of text, and a corpus with many sources counts less for each of them. Sources made of these
    /// texts are learned from as well. Also prints how well it does on sources that it has not seen.
    #[arg(long, requires = "gold", group = "learned")]
    decision: bool,
    /// With --decision: also print how well each corpus is judged if nothing is learned from it
    #[arg(long, requires = "decision", hide_short_help = true)]
    leave_out_corpora: bool,
    /// With --decision: groups of features that are not learned from, to see what they add. Separate them by commas
    #[arg(long, requires = "decision", value_name = "GROUP", value_delimiter = ',', value_parser = GROUPS.map(|(name, _)| name), hide_short_help = true)]
    without: Vec<String>,
    /// Learn a model of single pages from the HTML pages of the corpora
    ///
    /// Learn a model of single pages from the HTML pages of the corpora: with --gold a block model, for `dehusk
    /// extract`; otherwise a page-level model, for `dehusk-lab tree`.
    #[arg(long, groups = ["trees", "learned"])]
    pages: bool,
    /// Folder with main texts: DIR/<source>/<document>.txt
    ///
    /// Folder with the main texts of documents or pages: DIR/<source>/<document>.txt. Give one for each corpus, in the
    /// same order.
    #[arg(long, value_name = "DIR", group = "described", requires = "learned", conflicts_with = "labels")]
    gold: Vec<PathBuf>,
    /// What the pages are, for the first lines of the block model or the segment model
    #[arg(long, value_name = "TEXT", requires = "described", hide_short_help = true, value_parser = one_line)]
    about: Option<String>,
    /// What tells that a part of a page is boilerplate
    ///
    /// What tells that a part of a page is boilerplate: `hash`, the part recurs on other pages of its source; `text`,
    /// its text is removed by the patterns that are mined; or one of the two.
    #[arg(long, value_enum, value_name = "hash|text|both", hide_possible_values = true, default_value_t = LabelsName::Both, requires = "pages")]
    labels: LabelsName,
    /// Learn a segment model from marked segments: a JSONL file
    ///
    /// Learn a segment model, for `dehusk segment`, from segments that people marked: a JSONL file (see
    /// results/segments-and-blocks.md).
    #[arg(long, value_name = "FILE", groups = ["trees", "described"], conflicts_with = "decision", value_hint = ValueHint::FilePath)]
    segments: Option<PathBuf>,
    /// Marked segments up to this level [default: all levels]
    #[arg(long, value_name = "N", requires = "segments", hide_short_help = true)]
    level: Option<u32>,
    /// Learn how important blocks are, from known levels: a JSONL file
    ///
    /// Learn an importance model, for `dehusk blocks`, from parts of pages whose levels people gave: a JSONL file (see
    /// results/segments-and-blocks.md).
    #[arg(long, value_name = "FILE", groups = ["trees", "described"], conflicts_with_all = ["decision", "pages", "segments"], value_hint = ValueHint::FilePath)]
    blocks: Option<PathBuf>,
    /// What learns
    ///
    /// What learns: logistic regression, support vector machines, or a network of radial basis functions.
    #[arg(long, value_enum, value_name = "LEARNER", hide_possible_values = true, default_value_t = LearnerName::Logistic, requires = "blocks", hide_short_help = true)]
    learner: LearnerName,
    /// Features that are not learned from, by name, or spatial or content. Separate them by commas
    #[arg(long, value_name = "FEATURE", value_delimiter = ',', value_parser = feature_names(), requires = "blocks", hide_short_help = true)]
    leave_out: Vec<String>,
    /// Degree of coherence of blocks, 2 to 10
    #[arg(long, value_name = "DEGREE", value_parser = coherence, default_value_t = PERMITTED, requires = "blocks", hide_short_help = true)]
    coherence: u8,
    /// Where the parts of pages are drawn: a JSONL file
    ///
    /// Where the parts of pages are drawn, for a page-level model, a segment model or an importance model: a JSONL file
    /// (see docs/pages.md).
    #[arg(long, value_name = "FILE", requires = "trees", conflicts_with = "gold", value_parser = boxes_file, value_hint = ValueHint::FilePath, hide_short_help = true)]
    boxes: Option<Arc<BoxesFile>>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    mining: MineArgs,
}

/// See [`Labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LabelsName {
    /// Its subtree recurs
    Hash,
    /// Its text is removed
    Text,
    /// One or the other
    Both,
}

fn one_line(text: &str) -> Result<String, String> {
    match text.contains(char::is_control) {
        true => Err("it must be one line".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// See [`Learner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LearnerName {
    /// Logistic regression
    Logistic,
    /// Support vector machine, linear
    LinearSvm,
    /// Support vector machine with a Gaussian kernel
    GaussianSvm,
    /// Network of radial basis functions, by least squares
    RbfNetwork,
    /// Network of radial basis functions, by gradient descent
    RbfNetworkByDescent,
}

impl From<LearnerName> for Learner {
    fn from(name: LearnerName) -> Learner {
        match name {
            LearnerName::Logistic => Learner::Logistic,
            LearnerName::LinearSvm => Learner::LinearSvm,
            LearnerName::GaussianSvm => Learner::GaussianSvm,
            LearnerName::RbfNetwork => Learner::RbfNetwork,
            LearnerName::RbfNetworkByDescent => Learner::RbfNetworkByDescent,
        }
    }
}

/// Runs the command.
pub fn run(args: &TrainArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    if !args.decision && !args.pages && args.segments.is_none() && args.blocks.is_none() {
        let message = "error: say what to learn: --decision, --pages, --segments or --blocks\n";
        return Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, message).into());
    }
    let inventories = inventories(args)?;
    let reads = inventories.iter().fold(global.reads().clone(), |reads, inventory| reads.and(&inventory.reads()));
    if args.decision {
        return train_decision(args, inventories, &reads, global, reporter);
    }
    if !args.gold.is_empty() {
        return train_blocks(args, inventories, &reads, global, reporter);
    }
    if let Some(marked) = &args.segments {
        return train_segments(args, marked, inventories, &reads, reporter);
    }
    if let Some(labels) = &args.blocks {
        return train_importance(args, labels, inventories, &reads, reporter);
    }
    train_pages(args, inventories, &reads, global, reporter)
}

/// Learns the model that decides about texts.
fn train_decision(
    args: &TrainArgs,
    inventories: Vec<Inventory>,
    reads: &Reads,
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<Exit> {
    let corpora = with_gold(args, inventories, reporter)?;
    let output = args.force.file(&args.output, reads, DECISION_MODEL)?;
    let lexer = args.mining.lexer.build()?;
    let mut sources = decision_lessons(&corpora, &lexer, &args.mining.of_corpus(global), reporter)?;
    for (_, lesson) in sources.iter_mut().flat_map(|source| &mut source.lessons) {
        args.without.iter().for_each(|group| lesson.leave_out(group));
    }
    let real: Vec<&SourceLessons> = sources.iter().filter(|source| !source.is_made).collect();
    if real.len() < 2 {
        bail!(
            "a decision model is learned from 2 sources or more with gold text, and there are {}; see --source-by",
            real.len()
        );
    }
    let documents: usize = real.iter().map(|source| source.documents()).sum();
    let made = sources.len() - real.len();
    let about = format!(
        "Learned from {documents} documents of {}, and {} made of their texts",
        shown::count(real.len(), "source"),
        shown::count(made, "source")
    );
    let names: Vec<String> = args.corpora.iter().map(|path| path.display().to_string()).collect();
    let lessons = |is_in: &dyn Fn(usize) -> bool| -> Vec<TextLesson> {
        let of_corpora = sources.iter().filter(|source| is_in(source.corpus));
        of_corpora.flat_map(|source| source.lessons.iter().map(|(_, lesson)| lesson.clone())).collect()
    };

    reporter.start("fitting", 1);
    let fitted = DecisionModel::fit(&lessons(&|_| true));
    reporter.finish();
    interrupt::check()?;
    output.write_atomic(|writer| writer.write_all(fitted.model.to_yaml(&args.told(about)).as_bytes()))?;

    let mut text = format!("sources left out\n{}", table(&sources, &fitted.judged, &names));
    if args.leave_out_corpora {
        let mut judged = Vec::new();
        for corpus in 0..=corpora.len() {
            interrupt::check()?;
            let model = DecisionModel::fit(&lessons(&|other| other != corpus)).model;
            judged.extend(lessons(&|other| other == corpus).iter().map(|lesson| model.judge_lesson(lesson)));
        }
        text += &format!("\ncorpora left out\n{}", table(&sources, &judged, &names));
    }
    print(&text)?;
    Ok(reporter.exit())
}

/// The corpora, each with its gold texts.
fn with_gold(
    args: &TrainArgs,
    inventories: Vec<Inventory>,
    reporter: &Reporter,
) -> anyhow::Result<Vec<(Inventory, GoldTexts)>> {
    let (corpora, folders) = (inventories.len(), args.gold.len());
    if corpora != folders {
        bail!(
            "the number of corpora is {corpora}, and that of --gold is {folders}: give a folder of main texts for each corpus, in \
             the same order"
        );
    }
    let options = args.reading.gold_options();
    let gold = |folder| match args.decision {
        true => GoldTexts::read_all(folder, &options, reporter),
        false => GoldTexts::read(folder, &options, reporter),
    };
    inventories.into_iter().zip(&args.gold).map(|(inventory, folder)| Ok((inventory, gold(folder)?))).collect()
}

/// Learns a page-level model.
fn train_pages(
    args: &TrainArgs,
    inventories: Vec<Inventory>,
    reads: &Reads,
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<Exit> {
    refuse_markup(args, "--pages")?;
    let output = args.force.file(&args.output, reads, PAGE_MODEL)?;
    let lexer = args.mining.lexer.build()?;
    let options = args.mining.of_corpus(global);
    let (by, in_words) = match args.labels {
        LabelsName::Hash => (Labels::Hash, "parts that recur"),
        LabelsName::Text => (Labels::Text, "text that patterns remove"),
        LabelsName::Both => (Labels::Both, "parts that recur, and text that patterns remove"),
    };
    let (mut all, mut sources) = (Lessons::default(), 0);
    for inventory in inventories {
        let (of_corpus, count) = page_lessons(inventory, by, &lexer, &options, reporter)?;
        all.extend(of_corpus);
        sources += count;
    }
    let (nodes, template) = all.counts();
    if template == 0 || template == nodes {
        bail!(
            "there is nothing to learn from: of {nodes} parts of {} pages, {template} are template; give HTML pages of sources \
             with {} different pages or more",
            all.pages,
            Mined::MIN_DOCUMENTS
        );
    }
    let model = all.fit();
    interrupt::check()?;
    let about = format!(
        "Learned from {} pages of {sources} sources. Of {nodes} nodes, {template} count as template: {in_words}.",
        all.pages
    );
    output.write_atomic(|writer| writer.write_all(model.to_yaml(&about).as_bytes()))?;
    Ok(reporter.exit())
}

/// Learns a block model.
fn train_blocks(
    args: &TrainArgs,
    inventories: Vec<Inventory>,
    reads: &Reads,
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<Exit> {
    refuse_markup(args, "--pages")?;
    let corpora = with_gold(args, inventories, reporter)?;
    let output = args.force.file(&args.output, reads, BLOCK_MODEL)?;
    let lexer = args.mining.lexer.build()?;
    let options = args.mining.of_corpus(global);
    let mut lessons: Vec<block_model::Lesson> = Vec::new();
    for (inventory, gold) in corpora {
        let of_corpus = block_lessons(inventory, &gold, &lexer, &options, reporter)?;
        if of_corpus.is_empty() {
            bail!(gold.nothing_to_score(", or no page has half of its gold text"));
        }
        lessons.extend(of_corpus);
    }
    let sites: BTreeSet<&str> = lessons.iter().map(|lesson| lesson.site.as_str()).collect();
    if sites.len() < 2 {
        bail!(
            "a block model is learned from the pages of 2 sources or more, and all pages here are of one; see --source-by"
        );
    }
    if !lessons.iter().any(|lesson| lesson.content().any(|is_content| is_content))
        || !lessons.iter().any(|lesson| lesson.content().any(|is_content| !is_content))
    {
        bail!("there is nothing to learn from: in {} pages, all blocks are content, or none is", lessons.len());
    }
    let about = format!("Learned from {} pages of {} sources", lessons.len(), sites.len());
    interrupt::check()?;
    let model = BlockModel::fit(&lessons);
    interrupt::check()?;
    output.write_atomic(|writer| writer.write_all(model.to_yaml(&args.told(about)).as_bytes()))?;
    Ok(reporter.exit())
}

/// Learns a segment model.
fn train_segments(
    args: &TrainArgs,
    marked: &Path,
    inventories: Vec<Inventory>,
    reads: &Reads,
    reporter: &Reporter,
) -> anyhow::Result<Exit> {
    refuse_markup(args, "--segments")?;
    let output = args.force.file(&args.output, reads, SEGMENT_MODEL)?;
    let marked = Marked::read(marked, args.level)?;
    let pages = pages_with_trees(inventories, reporter, |inventory, listings| {
        segment_lessons(inventory, listings, &marked, reporter)
    })?;
    if pages.len() < 4 {
        bail!(
            "a segment model is learned from 4 pages or more with marked segments, and there are {}; a page is found by its \
             'source' and 'id'",
            pages.len()
        );
    }
    interrupt::check()?;
    let (keys, lessons): (Vec<[String; 2]>, Vec<Lesson>) = pages.into_iter().unzip();
    let model = fit_segments(&keys, &lessons);
    interrupt::check()?;
    let segments: usize = lessons.iter().map(Lesson::segments).sum();
    let about = format!("Learned from {} pages with {segments} marked segments", lessons.len());
    output.write_atomic(|writer| writer.write_all(model.to_yaml(&args.told(about)).as_bytes()))?;
    Ok(reporter.exit())
}

/// Learns an importance model.
fn train_importance(
    args: &TrainArgs,
    labels: &Path,
    inventories: Vec<Inventory>,
    reads: &Reads,
    reporter: &Reporter,
) -> anyhow::Result<Exit> {
    refuse_markup(args, "--blocks")?;
    let uses = features_without(&args.leave_out);
    if uses == [false; IMPORTANCE_WIDTH] {
        bail!("all features are left out");
    }
    let output = args.force.file(&args.output, reads, IMPORTANCE_MODEL)?;
    let labels = record::Labels::read(labels)?;
    let pages = pages_with_trees(inventories, reporter, |inventory, listings| {
        labelled_pages(inventory, listings, &labels, args.coherence, reporter)
    })?;
    let blocks = examples(&pages, Together::Sources);
    if blocks.iter().all(|block| block.level == blocks[0].level) {
        bail!(
            "an importance model is learned from blocks of 2 levels or more, and there are {} of at most one; a page is found by \
             its 'source' and 'id'",
            shown::count(blocks.len(), "block")
        );
    }
    interrupt::check()?;
    let trial = Trial { learner: args.learner.into(), scaling: Scaling::Logarithms, uses, balance: 0.0 };
    let (model, is_converged) = learned(&blocks, &trial, args.coherence);
    if !is_converged {
        reporter.warn(
            "training took too many steps and stopped before its optimum, so the model may judge badly: train with --learner \
             logistic, or with fewer features (--leave-out)",
        );
    }
    interrupt::check()?;
    let about = format!("Learned from {} blocks of {} pages", blocks.len(), pages.len());
    output.write_atomic(|writer| writer.write_all(model.to_yaml(&args.told(about)).as_bytes()))?;
    Ok(reporter.exit())
}

/// The results of `of_corpus` for all corpora, whose pages are read as trees.
fn pages_with_trees<T>(
    inventories: Vec<Inventory>,
    reporter: &Reporter,
    of_corpus: impl Fn(&Inventory, &[SourceListing]) -> Result<Vec<T>, PipelineError>,
) -> anyhow::Result<Vec<T>> {
    let mut pages = Vec::new();
    for inventory in inventories {
        let inventory = inventory.with_html(HtmlView::Page).with_trees();
        let sources = inventory.sources()?;
        let skipped = inventory.skipped().iter().chain(&sources.skipped);
        skipped.for_each(|skipped| tell_of_skipped(skipped, reporter));
        pages.extend(of_corpus(&inventory, &sources.listings)?);
    }
    Ok(pages)
}

impl TrainArgs {
    /// A description of the training data of a model, with the words of the user (`--about`).
    fn told(&self, learned: String) -> String {
        self.about.iter().fold(learned, |learned, about| format!("{learned}: {about}"))
    }
}

/// Refuses pages that are read as markup, for `option` needs trees.
fn refuse_markup(args: &TrainArgs, option: &str) -> anyhow::Result<()> {
    if args.reading.options().html == HtmlView::Markup {
        bail!("{option} reads pages as trees: leave --html markup out");
    }
    Ok(())
}

/// The files of each corpus. The paths of a list are 1 corpus.
fn inventories(args: &TrainArgs) -> anyhow::Result<Vec<Inventory>> {
    let options = args.reading.options().boxes(args.boxes.clone());
    let no_list = ListArgs { files_from: None };
    let named = args.corpora.iter().map(|corpus| CorpusPaths::read(std::slice::from_ref(corpus), &no_list));
    let listed = args.list.files_from.iter().map(|_| CorpusPaths::read(&[], &args.list));
    named.chain(listed).map(|paths| paths?.scan(&options)).collect()
}
