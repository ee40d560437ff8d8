//! Writes levels of importance for the texts of pages, for `train --blocks`, where no person gave the blocks levels.
//!
//! ```text
//! dehusk-lab levels CORPUS --gold DIR -o levels.jsonl
//! ```
//!
//! Text in the gold text has level 4, and so has the headline, even if the gold text lacks it. Of the other text, the
//! parts that the page-level model takes for template have level 1, and the rest level 3. Pages that have less than
//! half of their gold text are left out.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use rayon::prelude::*;

use dehusk::cli::Exit;
use dehusk::cli::reporter::Reporter;
use dehusk_core::dom::facts::Facts;
use dehusk_core::dom::page_level::PageModel;
use dehusk_corpus::{Document, HtmlView, Inventory, ReadOptions};
use dehusk_lab::alignment::matched;
use dehusk_run::scoring::gold_texts::GoldTexts;
use dehusk_run::scoring::words::{Word, word_hashes, words};
use dehusk_segments::importance::record::LabelRecord;

/// A page with a smaller share of its gold text was read in another way than the gold text.
const LEAST_FOUND_IN_PAGE: f64 = 0.5;
/// A heading of the first order with at least this share of the words of the title is the headline.
const HEADLINE: f64 = 0.5;

/// Options of `dehusk-lab levels`.
#[derive(Args, Debug)]
pub struct LevelsArgs {
    /// Folders with a folder of pages for each source, or files of pages
    #[arg(required = true)]
    corpus: Vec<PathBuf>,
    /// Folder with the main texts of the pages: DIR/<source>/<document>.txt
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    /// JSONL file for the levels
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &LevelsArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    let gold = GoldTexts::read(&arguments.gold, &ReadOptions::default(), reporter)?;
    let options = ReadOptions::default().html(HtmlView::Page).tree(true);
    let inventory = Inventory::scan(&arguments.corpus, &options)?;
    let model = PageModel::shipped();
    let mut output = BufWriter::new(fs::File::create(&arguments.output)?);
    for listing in inventory.sources()?.listings {
        let documents: Vec<Option<Document>> =
            listing.documents.par_iter().map(|place| inventory.read(place).ok().map(Document::to_collect)).collect();
        for (gold, document) in gold.with_documents(listing.id.as_str(), &documents) {
            for record in levels(document, &gold.text, &model) {
                serde_json::to_writer(&mut output, &record)?;
                output.write_all(b"\n")?;
            }
        }
    }
    output.flush()?;
    Ok(reporter.exit())
}

/// The levels of the runs of text of a page.
fn levels(document: &Document, gold: &str, model: &PageModel) -> Vec<LabelRecord> {
    let Some(tree) = document.tree.as_deref() else { return Vec::new() };
    let page: Vec<Word> = words(&document.text).collect();
    let hashes: Vec<u64> = page.iter().map(|word| word.hash).collect();
    let gold = word_hashes(gold);
    let found = matched(&hashes, &gold);
    if (found.len() as f64) < LEAST_FOUND_IN_PAGE * gold.len() as f64 {
        return Vec::new();
    }
    let places: Vec<usize> = found.into_iter().map(|word| page[word].range.start).collect();
    let facts = Facts::of(tree, &document.text, document.url.as_deref(), None);
    let template = model.values(&facts);
    let is_headline = |run: usize| {
        let heading = tree.ancestors(run).find(|&node| tree.name(node) == "h1");
        heading.is_some_and(|heading| facts.title(heading) >= HEADLINE)
    };
    let record = |run: usize| {
        let text = tree.text(run);
        let before = |limit: usize| page.partition_point(|word| word.range.start < limit);
        let words = before(text.end) - before(text.start);
        let place = |limit: usize| places.partition_point(|&place| place < limit);
        let found = place(text.end) - place(text.start);
        let bytes = tree.bytes(run);
        let level = match template[run] {
            _ if 2 * found >= words || is_headline(run) => 4,
            template if template >= 0.5 => 1,
            _ => 3,
        };
        (words > 0 && !bytes.is_empty()).then(|| LabelRecord {
            source: document.source.as_str().to_owned(),
            id: document.id.clone(),
            bytes: vec![(bytes.start, bytes.end)],
            level,
            assessor: String::new(),
        })
    };
    tree.runs().filter_map(record).collect()
}
