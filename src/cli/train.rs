//! `dehusk train`: corpora in, a shape model out.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;

use dehusk::cleaning::shape::ShapeModel;
use dehusk::corpus::{Inventory, SourceListing};
use dehusk::mining::Mined;
use dehusk::mining::cross_source::{cross_source, shared_facts};
use dehusk::patterns::{PatternFile, SHARED, Trust};
use dehusk::selection::sampling::{self, Sampled};
use dehusk::selection::trust::Tally;
use dehusk::selection::values::Values;
use dehusk::tokens::Lexer;
use dehusk::training::{Lesson, ROUNDS, train};

use super::corpus_paths::{CorpusPaths, ListArgs};
use super::force::{ForceArgs, MODEL};
use super::options::{MineArgs, ReadingArgs};
use super::reporter::Reporter;
use super::{Exit, Global, interrupt};
use dehusk::pipeline::WarningKind;
use dehusk::pipeline::memory::Budget;
use dehusk::pipeline::mining::mine_within;
use dehusk::pipeline::reading::read_documents;
use dehusk::pipeline::workers::share_out_and_collect;

/// Options of `dehusk train`.
#[derive(Args, Debug)]
pub struct TrainArgs {
    /// Corpora, each mined by itself: a folder with a folder per source, or JSONL
    #[arg(required_unless_present = "files_from", value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    // what it lists is one corpus more
    #[command(flatten)]
    list: ListArgs,
    /// File for the model, to be given to `--shape`
    #[arg(short, long, alias = "out", value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Times to fit: the first to what matches tell, the others with what the model then finds itself
    #[arg(long, value_name = "N", default_value_t = ROUNDS, value_parser = rounds)]
    rounds: usize,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    mining: MineArgs,
}

fn rounds(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(rounds @ 1..=100) => Ok(rounds),
        _ => Err("from 1 to 100 rounds".to_owned()),
    }
}

/// Runs the command.
pub fn run(args: &TrainArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let inventories = inventories(args)?;
    let inputs: Vec<PathBuf> = inventories.iter().flat_map(Inventory::inputs).collect();
    let output = args.force.file(&args.output, &inputs, MODEL)?;
    let (mut lessons, mut sources) = (Vec::new(), 0);
    for inventory in &inventories {
        let (of_corpus, count) = lessons_of(inventory, args, global, reporter)?;
        lessons.extend(of_corpus);
        sources += count;
    }
    if lessons.is_empty() && sources > 0 {
        bail!(
            "no source is left to learn from: what recurs in them is not known to be boilerplate; train with pages of \
             sites, articles with what is put around them"
        );
    }
    if lessons.iter().all(|lesson| lesson.patterns.iter().all(|file| file.patterns.is_empty())) {
        bail!("no source has templates to learn from: a source needs {} different documents", Mined::MIN_DOCUMENTS);
    }
    let model = train(&lessons, args.rounds)?;
    interrupt::check()?;
    output.write_atomic(|writer| writer.write_all(model.to_yaml().as_bytes()))?;
    Ok(reporter.exit())
}

/// In which lessons, each of a source as it is, what recurs is boilerplate, as far as their documents show.
fn relied_on(lessons: &[Lesson], reporter: &Reporter) -> Vec<bool> {
    let shape = ShapeModel::shipped();
    let trust = |lesson: &Lesson| -> Option<Trust> {
        let (own, shared) = lesson.patterns.split_first()?;
        let texts: Vec<&String> = sampling::looked_at(&lesson.texts).collect();
        let is_told = texts.len() >= Mined::MIN_DOCUMENTS;
        let tally = || {
            let sampled = Sampled::new(own, shared.first(), &texts);
            Tally::of(&sampled, &Values::of(&sampled), &shape)
        };
        is_told.then(|| tally().trust())
    };
    let trusts: Vec<Option<Trust>> = lessons.par_iter().map(trust).collect();
    let is_relied_on = |(lesson, trust): (&Lesson, Option<Trust>)| {
        let doubt = trust.filter(|trust| !trust.is_anywhere());
        if let (Some(Trust { because, .. }), Some(own)) = (&doubt, lesson.patterns.first()) {
            let message = format!("nothing is learned from source '{}', for {because}", own.source);
            reporter.warn_often(WarningKind::NoLesson, &message);
        }
        doubt.is_none()
    };
    lessons.iter().zip(trusts).map(is_relied_on).collect()
}

/// Each corpus by itself; what is listed is one.
fn inventories(args: &TrainArgs) -> anyhow::Result<Vec<Inventory>> {
    let options = args.reading.options();
    let no_list = ListArgs { files_from: None };
    let named = args.corpora.iter().map(|corpus| CorpusPaths::read(std::slice::from_ref(corpus), &no_list));
    let listed = args.list.files_from.iter().map(|_| CorpusPaths::read(&[], &args.list));
    named.chain(listed).map(|paths| paths?.scan(&options)).collect()
}

/// The sources of a corpus that can be relied on, as they are and without their line breaks: texts come both ways; and how
/// many sources it has.
fn lessons_of(
    inventory: &Inventory,
    args: &TrainArgs,
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<(Vec<Lesson>, usize)> {
    let lexer = args.mining.lexer.build()?;
    let sources = inventory.sources()?;
    inventory.skipped().iter().for_each(|skipped| reporter.skip(&skipped.to_string()));
    sources.skipped.iter().for_each(|skipped| reporter.skip(&skipped.to_string()));
    let read = |listing: &SourceListing| -> anyhow::Result<Vec<String>> {
        let documents = read_documents(inventory, &listing.documents, reporter)?;
        Ok(documents.into_iter().flatten().map(|document| document.text.to_string()).collect())
    };
    let texts: Vec<Vec<String>> = sources.listings.iter().map(read).collect::<anyhow::Result<_>>()?;
    let flowing = texts.iter().map(|texts| texts.iter().map(|text| text.replace('\n', " ")).collect()).collect();
    let lessons = mined(&sources.listings, texts, &lexer, args, global)?;
    interrupt::check()?;
    let is_relied_on = relied_on(&lessons, reporter);
    let flowing = mined(&sources.listings, flowing, &lexer, args, global)?;
    let all = lessons.into_iter().chain(flowing).zip(is_relied_on.iter().cycle());
    Ok((all.filter(|(_, is_relied_on)| **is_relied_on).map(|(lesson, _)| lesson).collect(), is_relied_on.len()))
}

fn mined(
    listings: &[SourceListing],
    texts: Vec<Vec<String>>,
    lexer: &Lexer,
    args: &TrainArgs,
    global: &Global,
) -> anyhow::Result<Vec<Lesson>> {
    let (options, budget) = (args.mining.options(), Budget::new(global.memory()));
    let mine = |index: usize| mine_within(&budget, &listings[index].id, &texts[index], lexer, &options);
    let mined = share_out_and_collect(global.threads(), texts.len(), mine)?;
    let templates = cross_source(&mined);
    let shared = PatternFile::of_templates(SHARED, shared_facts(&mined), templates.shared, lexer);
    let lesson = |(((listing, mined), own), texts): (((&SourceListing, &Mined), _), Vec<String>)| {
        let own = PatternFile::of_templates(listing.id.as_str(), mined.facts(), own, lexer);
        Lesson { patterns: vec![own, shared.clone()], texts }
    };
    Ok(listings.iter().zip(&mined).zip(templates.own).zip(texts).map(lesson).collect())
}
