//! The ways to clean a document that experiments compare.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_core::cleaning::{self, CleanError, CleanOptions, Cleaner, Cleaning, Scratch};
use dehusk_core::dom::block_model::BlockModel;
use dehusk_core::dom::facts::Facts;
use dehusk_core::dom::page_judge::PageJudge;
use dehusk_core::dom::page_level::PageModel;
use dehusk_core::dom::page_parts::PageChoices;
use dehusk_core::html::{Tree, estimated_boxes};
use dehusk_core::patterns::PatternFile;
use dehusk_core::tokens::Lexer;
use dehusk_corpus::SourceListing;
use dehusk_run::Library;
use dehusk_segments::segmentation::correlation::Pivot;
use dehusk_segments::segmentation::segmenter::{Knowledge, Method, Segmenter};

/// Options of the ways to clean.
#[derive(Args, Debug)]
pub struct TreatmentArgs {
    /// Apply only patterns that a person accepted
    #[arg(long)]
    only_accepted: bool,
    /// Judge pages alone with this model of `dehusk-lab tree` [default: the shipped one]
    #[arg(long, value_name = "FILE")]
    page_model: Option<PathBuf>,
    /// Judge the blocks of pages with this model [default: the shipped one]
    #[arg(long, value_name = "FILE")]
    block_model: Option<PathBuf>,
}

/// The treatment of a document before it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Treatment {
    /// Nothing.
    Uncleaned,
    /// A page that is cleaned alone, by `dehusk-lab tree`.
    Tree,
    /// A page that is cleaned alone, by `extract`.
    Extract,
    /// The largest segment of a page, by minimum cuts.
    Cuts,
    /// The largest segment of a page, by clustering.
    Clusters,
    /// Cleaned by the default method, which uses the structure of a page.
    Smooth,
    /// A page that is cleaned by the default method without its structure.
    Text,
    /// Cleaned by the union of matches.
    Union,
    /// Replaced with the gold text: the best possible result.
    Gold,
}

/// A result for each treatment.
pub type Results<T> = BTreeMap<Treatment, T>;

/// A document to treat.
#[derive(Clone, Copy, Debug)]
pub struct Untreated<'a> {
    /// The number of the source that cleans it.
    pub source: usize,
    /// Its text.
    pub text: &'a str,
    /// The tree of the page with this text.
    pub tree: Option<&'a Tree>,
    /// The text of its article.
    pub gold: &'a str,
}

/// Cleans documents in each of the ways.
pub struct Treatments {
    compared: &'static [Treatment],
    /// By source.
    smooth: Vec<Cleaner>,
    text: Vec<Cleaner>,
    union: Vec<Cleaner>,
    tree: PageJudge,
    extract: PageJudge,
}

impl Treatment {
    /// The treatments of texts, from nothing to the best possible.
    const OF_TEXTS: [Treatment; 4] = [Treatment::Uncleaned, Treatment::Smooth, Treatment::Union, Treatment::Gold];
    /// The treatments of HTML pages.
    const OF_PAGES: [Treatment; 9] = [
        Treatment::Uncleaned,
        Treatment::Tree,
        Treatment::Extract,
        Treatment::Cuts,
        Treatment::Clusters,
        Treatment::Smooth,
        Treatment::Text,
        Treatment::Union,
        Treatment::Gold,
    ];

    /// Its name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Treatment::Uncleaned => "uncleaned",
            Treatment::Tree => "tree (page alone)",
            Treatment::Extract => "extract (page alone)",
            Treatment::Cuts => "largest segment (gcuts)",
            Treatment::Clusters => "largest segment (cclus)",
            Treatment::Smooth => "smooth (default)",
            Treatment::Text => "smooth, without structure",
            Treatment::Union => "union",
            Treatment::Gold => "gold text",
        }
    }
}

impl TreatmentArgs {
    /// Compiles the patterns of each source.
    pub fn treatments(
        &self,
        library: &Library,
        lexer: &Lexer,
        listings: &[SourceListing],
        are_pages: bool,
    ) -> anyhow::Result<Treatments> {
        let page_model = match &self.page_model {
            Some(path) => Arc::new(PageModel::parse(&yaml(path)?, &path.display().to_string())?),
            None => PageModel::shipped(),
        };
        let block_model = block_model(self.block_model.as_deref())?;
        let options =
            CleanOptions::default().only_accepted(self.only_accepted).structure(Some(Arc::clone(&block_model)));
        let cleaners = |options: CleanOptions| cleaners(library, lexer, listings, &options);
        Ok(Treatments {
            compared: if are_pages { &Treatment::OF_PAGES } else { &Treatment::OF_TEXTS },
            text: cleaners(options.clone().structure(None)),
            union: cleaners(options.clone().method(cleaning::Method::Union { merge_gap: 0, second_filter: false })),
            smooth: cleaners(options),
            tree: PageJudge::Template(page_model),
            extract: PageJudge::Content(block_model, PageChoices::default()),
        })
    }
}

/// The block model in a file, or the shipped one.
pub fn block_model(path: Option<&Path>) -> anyhow::Result<Arc<BlockModel>> {
    Ok(match path {
        Some(path) => Arc::new(BlockModel::parse(&yaml(path)?, &path.display().to_string())?),
        None => BlockModel::shipped(),
    })
}

/// The text of a model's file.
fn yaml(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// The cleaner of each source.
fn cleaners(library: &Library, lexer: &Lexer, listings: &[SourceListing], options: &CleanOptions) -> Vec<Cleaner> {
    let shared = library.for_source("");
    let shared = shared.files();
    // Where no patterns are known, only the structure of a page decides, as in the program.
    let other = match shared.is_empty() {
        false => Cleaner::new(&shared, options),
        true => Cleaner::new(&[&PatternFile::empty("", lexer)], &options.clone().decision(None)),
    };
    let cleaner = |listing: &SourceListing| match library.contains(listing.id.as_str()) {
        true => Cleaner::new(&library.for_source(listing.id.as_str()).files(), options),
        false => other.clone(),
    };
    listings.par_iter().map(cleaner).collect()
}

impl Treatments {
    /// The result of `of` for each document after the treatment, in order. Works on many documents at a time.
    pub fn of_each<T: Send>(
        &self,
        documents: &[Untreated],
        treatment: Treatment,
        of: impl Fn(&str) -> T + Sync,
    ) -> Result<Vec<T>, CleanError> {
        let treated = |scratch: &mut Scratch, &document: &Untreated| Ok(of(&self.treat(scratch, treatment, document)?));
        documents.par_iter().map_init(Scratch::default, treated).collect()
    }

    /// A result for each treatment.
    pub fn compare<T>(&self, of: impl Fn(Treatment) -> anyhow::Result<T>) -> anyhow::Result<Results<T>> {
        self.compared.iter().map(|&treatment| Ok((treatment, of(treatment)?))).collect()
    }

    fn treat<'a>(
        &self,
        scratch: &mut Scratch,
        treatment: Treatment,
        document: Untreated<'a>,
    ) -> Result<Cow<'a, str>, CleanError> {
        let Untreated { source, text, tree, gold } = document;
        let cleaning = match treatment {
            Treatment::Uncleaned => return Ok(text.into()),
            Treatment::Gold => return Ok(gold.into()),
            Treatment::Tree => self.judged(scratch, &self.tree, document)?,
            Treatment::Extract => self.judged(scratch, &self.extract, document)?,
            Treatment::Cuts => return Ok(largest_segment(Method::Cuts(Knowledge::ALL), document).into()),
            Treatment::Clusters => {
                return Ok(largest_segment(Method::Clusters { learned: true, pivot: Pivot::Cheaper }, document).into());
            }
            Treatment::Text => self.text[source].clean(scratch, text)?,
            Treatment::Union => self.union[source].clean(scratch, text)?,
            Treatment::Smooth => match tree {
                Some(tree) => self.smooth[source].clean_page(scratch, text, tree)?,
                None => self.smooth[source].clean(scratch, text)?,
            },
        };
        Ok(cleaning.strip(text).into())
    }

    /// The cleaning of a page by a judge that sees this page alone.
    fn judged(&self, scratch: &mut Scratch, judge: &PageJudge, document: Untreated) -> Result<Cleaning, CleanError> {
        let Untreated { source, text, tree, .. } = document;
        let cleaner = &self.text[source];
        let parts = tree.map(|tree| judge.boilerplate(text, tree, None, None)).unwrap_or_default();
        Ok(cleaner.explain_by(&cleaner.read_page(scratch, text, None, &|| true)?, &parts))
    }
}

/// The text of the largest segment of a page, a line for each of its texts.
fn largest_segment(method: Method, document: Untreated) -> String {
    let Untreated { text, tree: Some(tree), .. } = document else { return document.text.to_owned() };
    let boxes = estimated_boxes(tree, text);
    let facts = Facts::of(tree, text, None, Some(&boxes));
    let segments = Segmenter::shipped(method).of_facts(&facts);
    let texts = segments.largest(&facts).map(|largest| segments.texts(tree, largest).map(|range| &text[range]));
    texts.into_iter().flatten().collect::<Vec<&str>>().join("\n")
}
