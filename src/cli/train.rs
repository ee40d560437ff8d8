//! `dehusk train`: corpora in, a shape model out.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;

use dehusk::corpus::{Inventory, OutputFile, SourceListing};
use dehusk::mining::cross_source::{cross_source, shared_facts};
use dehusk::mining::{Mined, mine_texts};
use dehusk::patterns::{PatternFile, SHARED};
use dehusk::tokens::Lexer;
use dehusk::training::{Lesson, ROUNDS, train};

use super::corpus_paths::{CorpusPaths, ListArgs};
use super::options::{MineArgs, ReadingArgs};
use super::reading::read_documents;
use super::reporter::Reporter;
use super::{Exit, interrupt};

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
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: PathBuf,
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
pub fn run(args: &TrainArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    let (mut lessons, mut inputs) = (Vec::new(), Vec::new());
    for inventory in inventories(args)? {
        inputs.extend(inventory.inputs());
        lessons.extend(lessons_of(&inventory, args, reporter)?);
    }
    if lessons.iter().all(|lesson| lesson.patterns.iter().all(|file| file.patterns.is_empty())) {
        bail!("no source has templates to learn from: a source needs {} different documents", Mined::MIN_DOCUMENTS);
    }
    let model = train(&lessons, args.rounds)?;
    interrupt::check()?;
    let output = OutputFile::create(&args.output, &inputs)?;
    output.write_atomic(|writer| writer.write_all(model.to_yaml().as_bytes()))?;
    Ok(reporter.exit())
}

/// Each corpus by itself; what is listed is one.
fn inventories(args: &TrainArgs) -> anyhow::Result<Vec<Inventory>> {
    let options = args.reading.options();
    let no_list = ListArgs { files_from: None };
    let named = args.corpora.iter().map(|corpus| CorpusPaths::read(std::slice::from_ref(corpus), &no_list));
    let listed = args.list.files_from.iter().map(|_| CorpusPaths::read(&[], &args.list));
    named.chain(listed).map(|paths| paths?.scan(&options)).collect()
}

/// All sources of a corpus, as they are and without their line breaks: texts come both ways.
fn lessons_of(inventory: &Inventory, args: &TrainArgs, reporter: &Reporter) -> anyhow::Result<Vec<Lesson>> {
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
    let mut lessons = Vec::new();
    for texts in [texts, flowing] {
        interrupt::check()?;
        lessons.extend(mined(&sources.listings, texts, &lexer, args)?);
    }
    Ok(lessons)
}

fn mined(
    listings: &[SourceListing],
    texts: Vec<Vec<String>>,
    lexer: &Lexer,
    args: &TrainArgs,
) -> anyhow::Result<Vec<Lesson>> {
    let options = args.mining.options();
    let mined: Vec<Mined> =
        texts.par_iter().map(|texts| mine_texts(texts, lexer, &options)).collect::<Result<_, _>>()?;
    let templates = cross_source(&mined);
    let shared = PatternFile::of_templates(SHARED, shared_facts(&mined), templates.shared, lexer);
    let lesson = |(((listing, mined), own), texts): (((&SourceListing, &Mined), _), Vec<String>)| {
        let own = PatternFile::of_templates(listing.id.as_str(), mined.facts(), own, lexer);
        Lesson { patterns: vec![own, shared.clone()], texts }
    };
    Ok(listings.iter().zip(&mined).zip(templates.own).zip(texts).map(lesson).collect())
}
