//! What the experiments share: pages with their articles, and the ways of cleaning that are compared.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk::cleaning::{Cleaner, Scratch};
use dehusk::corpus::{Inventory, SourceListing};
use dehusk::evaluation::random::Random;
use dehusk::evaluation::twins::{Collection, Document, Page};

use super::gold_texts::{Gold, GoldTexts};
use super::patterns::PatternsArgs;
use crate::cli::mine::{list, scan};
use crate::cli::options::{AnyMethodArgs, CorpusArgs, MethodName, SummaryArgs};
use crate::cli::reporter::Reporter;
use crate::cli::summary::{Summary, count};
use crate::cli::{Global, interrupt};
use dehusk::pipeline::reading::read_documents;

/// Options of every experiment.
#[derive(Args, Debug)]
pub struct ExperimentArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the article of each document: DIR/<source>/<document>.txt
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    patterns: PatternsArgs,
    #[command(flatten)]
    cleaning: AnyMethodArgs,
    #[command(flatten)]
    pub summary: SummaryArgs,
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
    pub fn material(&self, global: &Global, reporter: &Reporter) -> anyhow::Result<Material> {
        let mut summary = Summary::default();
        let gold = GoldTexts::read(&self.gold, &self.corpus.reading.gold_options(), reporter)?;
        let inventory = scan(&self.corpus, reporter, &mut summary)?;
        let listings = list(&inventory, reporter, &mut summary)?;
        gold.refuse_other_sources(&listings)?;
        let (collection, selection) = collect(&inventory, &listings, &gold, reporter)?;
        if selection.pages == 0 {
            bail!("{}: no gold text is found in its document", self.gold.display());
        }
        let library = self.patterns.library(&inventory, &listings, global, reporter, &mut summary)?;
        let cleaners = |method| {
            let options = self.cleaning.options(method);
            let cleaner = |listing: &SourceListing| Cleaner::new(&library.for_source(listing.id.as_str()), &options);
            listings.par_iter().map(cleaner).collect()
        };
        Ok(Material { collection, selection, smooth: cleaners(MethodName::Smooth), union: cleaners(MethodName::Union) })
    }

    /// Chance, from the seed on.
    pub fn random(&self) -> Random {
        Random::new(self.seed)
    }
}

/// The pages whose articles can be moved, and how many cannot be.
fn collect(
    inventory: &Inventory,
    listings: &[SourceListing],
    gold: &GoldTexts,
    reporter: &Reporter,
) -> anyhow::Result<(Collection, Selection)> {
    let (mut pages, mut selection) = (Vec::new(), Selection::default());
    for (source, listing) in listings.iter().enumerate() {
        let documents = read_documents(inventory, &listing.documents, reporter)?;
        let with_gold = gold.with_documents(listing.id.as_str(), &documents);
        let page = |(gold, document): &(&Gold, &dehusk::corpus::Document)| -> anyhow::Result<Option<Page>> {
            interrupt::check()?;
            Ok(Page::new(source, document.text.to_string(), gold.text.to_string()))
        };
        let aligned: Vec<Option<Page>> = with_gold.par_iter().map(page).collect::<anyhow::Result<_>>()?;
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
    ) -> anyhow::Result<Vec<T>> {
        let cleaned = |cleaners: &[Cleaner]| {
            let clean = |scratch: &mut Scratch, document: &Document| -> anyhow::Result<T> {
                interrupt::check()?;
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
