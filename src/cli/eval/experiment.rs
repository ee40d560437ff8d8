//! What the experiments share: pages with their articles, and the ways of cleaning that are compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk::cleaning::{CleanOptions, Cleaner, Method, Scratch};
use dehusk::corpus::{DocumentRef, Inventory, SourceListing};
use dehusk::evaluation::random::Random;
use dehusk::evaluation::twins::{Collection, Document, Page};

use super::super::library::Library;
use super::super::mine::{mine_in_memory, scan};
use super::super::options::{CorpusArgs, MineArgs, Only, SummaryArgs};
use super::super::report::{self, Reporter};
use super::super::summary::Summary;
use super::super::{Global, interrupt};

/// Options of every experiment.
#[derive(Args, Debug)]
pub struct ExperimentArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the article of each document: <source>/<document>.txt
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    /// Clean with these pattern files, instead of mining the corpus in memory
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: Option<PathBuf>,
    /// Start for what is left to chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    mining: MineArgs,
    /// For the union of matches: join matches fewer than this many characters apart
    #[arg(long, value_name = "CHARS", default_value_t = 0, help_heading = "Cleaning")]
    merge_gap: usize,
    /// Apply only what a person accepted
    #[arg(long, value_enum, value_name = "STATUS", help_heading = "Cleaning")]
    only: Option<Only>,
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
    /// Pages for which there is no gold text.
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
        let inventory = scan(&self.corpus, reporter, &mut Summary::default())?;
        let sources = inventory.sources();
        sources.skipped.iter().for_each(|skipped| reporter.skip(&skipped.to_string()));
        let (collection, selection) = self.collect(&inventory, &sources.listings, reporter)?;
        let library = match &self.patterns {
            Some(path) => Library::load(path, reporter)?,
            None => {
                let (options, lexer) = (self.mining.options(), self.mining.lexer()?);
                mine_in_memory(&inventory, &sources.listings, &options, &lexer, global, reporter)?
            }
        };
        let cleaners = |method| {
            let options = CleanOptions { method, only_accepted: self.only.is_some() };
            let cleaner = |listing: &SourceListing| Cleaner::new(&library.for_source(listing.id.as_str()), &options);
            sources.listings.par_iter().map(cleaner).collect()
        };
        Ok(Material {
            collection,
            selection,
            smooth: cleaners(Method::Smooth),
            union: cleaners(Method::Union { merge_gap: self.merge_gap }),
        })
    }

    /// Chance, from the seed on.
    pub fn random(&self) -> Random {
        Random::new(self.seed)
    }

    fn collect(
        &self,
        inventory: &Inventory,
        listings: &[SourceListing],
        reporter: &Reporter,
    ) -> anyhow::Result<(Collection, Selection)> {
        let places = listings.iter().enumerate().flat_map(|(source, listing)| {
            listing.documents.iter().map(move |place| (source, listing.id.as_str(), place))
        });
        let places: Vec<(usize, &str, &DocumentRef)> = places.collect();
        let read = |&(source, name, place): &(usize, &str, &DocumentRef)| -> anyhow::Result<Read> {
            interrupt::check()?;
            let document = match inventory.read(place) {
                Ok(document) => document,
                Err(skipped) => {
                    reporter.skip(&skipped.to_string());
                    return Ok(Read::Skipped);
                }
            };
            let Some(gold) = gold_text(&self.gold.join(name), &document.id)? else { return Ok(Read::WithoutGold) };
            let page = Page::new(source, document.text.to_string(), gold);
            Ok(page.map_or(Read::NotAligned, |page| Read::Page(Box::new(page))))
        };
        let read: Vec<Read> = places.par_iter().map(read).collect::<anyhow::Result<_>>()?;
        let (mut pages, mut selection) = (Vec::new(), Selection::default());
        for read in read {
            match read {
                Read::Page(page) => pages.push(*page),
                Read::WithoutGold => selection.without_gold += 1,
                Read::NotAligned => selection.not_aligned += 1,
                Read::Skipped => {}
            }
        }
        if pages.is_empty() {
            bail!("{}: no document's article is there and stands in its document", self.gold.display());
        }
        let collection = Collection::new(pages);
        selection.pages = collection.pages().len();
        selection.sources = collection.sources();
        Ok((collection, selection))
    }
}

/// What became of a document.
enum Read {
    Page(Box<Page>),
    WithoutGold,
    NotAligned,
    Skipped,
}

/// The article of a document: `<document>.txt`, or with `.txt` in place of its extension.
fn gold_text(folder: &Path, id: &str) -> anyhow::Result<Option<String>> {
    let paths = [folder.join(format!("{id}.txt")), folder.join(id).with_extension("txt")];
    for path in paths {
        match std::fs::read(&path) {
            Ok(bytes) => return Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => bail!("cannot read the gold text {}: {error}", path.display()),
        }
    }
    Ok(None)
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
            let clean = |scratches: &mut BTreeMap<usize, Scratch>, document: &Document| -> anyhow::Result<T> {
                interrupt::check()?;
                let cleaner = &cleaners[document.source];
                let scratch = scratches.entry(document.source).or_insert_with(|| cleaner.scratch());
                Ok(of(&cleaner.clean(scratch, &document.text)?.strip(&document.text)))
            };
            documents.par_iter().map_init(BTreeMap::new, clean).collect()
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
            "{pages} pages of {sources} sources; left out: {without_gold} without gold text, {not_aligned} whose gold \
             text is short or not found in them\n"
        )
    }
}

/// Prints an outcome: as JSON, as text, or not at all.
pub fn print(outcome: &impl Serialize, text: &str, json: bool, quiet: bool) -> anyhow::Result<()> {
    match (json, quiet) {
        (true, _) => report::print(&(serde_json::to_string_pretty(outcome)? + "\n")),
        (false, true) => Ok(()),
        (false, false) => report::print(text),
    }
}
