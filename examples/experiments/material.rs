//! What the experiments share: pages with their articles, and the ways of cleaning that are compared.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk::cleaning::{CleanError, CleanOptions, Cleaner, Method, Scratch};
use dehusk::corpus::{self, Inventory, ReadOptions, SourceListing};
use dehusk::evaluation::gold_texts::{Gold, GoldTexts};
use dehusk::pipeline::left_out::tell_of_skipped;
use dehusk::pipeline::mining::list;
use dehusk::pipeline::reading::read_documents;
use dehusk::pipeline::{CorpusMineOptions, Library, Observer, mine_library};
use dehusk::random::Random;
use dehusk::shown::count;
use dehusk::tokens::{Lexer, MutableSet, Tokenizer};

use crate::paired_pages::{Collection, Document, Page};

/// Options of every experiment.
#[derive(Args, Debug)]
pub struct ExperimentArgs {
    /// The pages: what `dehusk mine` takes
    #[arg(required = true, value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    /// Folder with the article of each document: DIR/<source>/<document>.txt
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Clean with these pattern files (a folder, or one file), instead of mining the corpus
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: Option<PathBuf>,
    /// Apply only patterns that a person accepted
    #[arg(long)]
    only_accepted: bool,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

/// Options of the experiments that compare pairs of documents.
#[derive(Args, Debug)]
pub struct PairsArgs {
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    /// Maximum number of pairs of either kind
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub pairs: usize,
}

/// What is done to a document before it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Treatment {
    /// Nothing.
    Uncleaned,
    /// Cleaned by the default method.
    Smooth,
    /// Cleaned by the union of matches.
    Union,
    /// Replaced by the gold text: the best that can be had.
    Gold,
}

/// The pages of a corpus, and how each source is cleaned.
pub struct Material {
    /// The pages that can be used.
    pub collection: Collection,
    /// Which those are.
    pub selection: Selection,
    smooth: Vec<Cleaner>,
    union: Vec<Cleaner>,
}

/// Which pages of a corpus can be used.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Selection {
    /// Pages that are used.
    pub pages: usize,
    /// Their sources.
    pub sources: usize,
    /// Pages for which there is no gold text, or next to none.
    pub without_gold: usize,
    /// Pages whose article is too short, or is not found in them as the gold text has it.
    pub not_aligned: usize,
}

/// A result for each treatment.
pub type Results<T> = BTreeMap<Treatment, T>;

impl Treatment {
    /// All, from nothing to the best.
    pub const ALL: [Treatment; 4] = [Treatment::Uncleaned, Treatment::Smooth, Treatment::Union, Treatment::Gold];

    /// How it is called in a table.
    pub fn name(self) -> &'static str {
        match self {
            Treatment::Uncleaned => "uncleaned",
            Treatment::Smooth => "smooth (default)",
            Treatment::Union => "union",
            Treatment::Gold => "gold text",
        }
    }
}

impl ExperimentArgs {
    /// Reads the corpus and its gold text, and mines it unless there are pattern files.
    pub fn material(&self, observer: &dyn Observer) -> anyhow::Result<Material> {
        let gold = GoldTexts::read(&self.gold, &ReadOptions::default(), observer)?;
        let inventory = Inventory::scan(&self.corpus, &ReadOptions::default())?;
        inventory.skipped().iter().for_each(|skipped| tell_of_skipped(skipped, observer));
        let listings = list(&inventory, observer)?;
        gold.refuse_other_sources(&listings)?;
        let (collection, selection) = collect(&inventory, &listings, &gold, observer)?;
        if selection.pages == 0 {
            bail!("{}: no gold text is found in its document", self.gold.display());
        }
        let library = self.library(&inventory, &listings, observer)?;
        let cleaners = |method| {
            let options = CleanOptions::default().method(method).only_accepted(self.only_accepted);
            let cleaner = |listing: &SourceListing| Cleaner::new(&library.for_source(listing.id.as_str()), &options);
            listings.par_iter().map(cleaner).collect()
        };
        let (smooth, union) = (cleaners(Method::Smooth), cleaners(Method::Union { merge_gap: 0 }));
        Ok(Material { collection, selection, smooth, union })
    }

    /// Chance, from the seed on.
    pub fn random(&self) -> Random {
        Random::new(self.seed)
    }

    /// What is printed: for scripts, or for people.
    pub fn told<T: Serialize>(&self, outcome: &T, to_text: impl Fn(&T) -> String) -> anyhow::Result<String> {
        Ok(if self.json { serde_json::to_string_pretty(outcome)? + "\n" } else { to_text(outcome) })
    }

    /// The patterns of the files, or those that the corpus teaches.
    fn library(
        &self,
        inventory: &Inventory,
        listings: &[SourceListing],
        observer: &dyn Observer,
    ) -> anyhow::Result<Library> {
        if let Some(path) = &self.patterns {
            return Ok(Library::load(path)?);
        }
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let options = CorpusMineOptions::default().threads(rayon::current_num_threads());
        Ok(mine_library(inventory, listings, &lexer, &options, observer)?)
    }
}

/// The pages whose articles can be moved, and how many cannot be.
fn collect(
    inventory: &Inventory,
    listings: &[SourceListing],
    gold: &GoldTexts,
    observer: &dyn Observer,
) -> anyhow::Result<(Collection, Selection)> {
    let (mut pages, mut selection) = (Vec::new(), Selection::default());
    for (source, listing) in listings.iter().enumerate() {
        let documents = read_documents(inventory, &listing.documents, observer)?;
        let with_gold = gold.with_documents(listing.id.as_str(), &documents);
        let page = |(gold, document): &(&Gold, &corpus::Document)| {
            Page::new(source, document.text.to_string(), gold.text.to_string())
        };
        let aligned: Vec<Option<Page>> = with_gold.par_iter().map(page).collect();
        selection.without_gold += documents.iter().flatten().count() - with_gold.len();
        selection.not_aligned += aligned.iter().filter(|page| page.is_none()).count();
        pages.extend(aligned.into_iter().flatten());
    }
    let collection = Collection::new(pages);
    selection.pages = collection.pages().len();
    selection.sources = collection.sources();
    Ok((collection, selection))
}

impl Material {
    /// Something of each document, treated; many at a time, in order.
    pub fn of_each<T: Send>(
        &self,
        documents: &[Document],
        treatment: Treatment,
        of: impl Fn(&str) -> T + Sync,
    ) -> Result<Vec<T>, CleanError> {
        let cleaned = |cleaners: &[Cleaner]| {
            let clean = |scratch: &mut Scratch, document: &Document| {
                let cleaner = &cleaners[document.source];
                Ok(of(&cleaner.clean(scratch, &document.text)?.strip(&document.text)))
            };
            documents.par_iter().map_init(Scratch::default, clean).collect()
        };
        match treatment {
            Treatment::Uncleaned => Ok(documents.par_iter().map(|document| of(&document.text)).collect()),
            Treatment::Smooth => cleaned(&self.smooth),
            Treatment::Union => cleaned(&self.union),
            Treatment::Gold => {
                let gold = |document: &Document| of(&self.collection.pages()[document.article].gold);
                Ok(documents.par_iter().map(gold).collect())
            }
        }
    }

    /// A result for each treatment.
    pub fn compare<T>(&self, of: impl Fn(Treatment) -> anyhow::Result<T>) -> anyhow::Result<Results<T>> {
        Treatment::ALL.into_iter().map(|treatment| Ok((treatment, of(treatment)?))).collect()
    }
}

impl Selection {
    /// A line for people.
    pub fn to_text(&self) -> String {
        let Selection { pages, sources, without_gold, not_aligned } = self;
        format!(
            "{} of {}; left out: {without_gold} without gold text, {not_aligned} whose gold text is short or not \
             found in them\n",
            count(*pages, "page"),
            count(*sources, "source"),
        )
    }
}
