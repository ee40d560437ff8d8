//! The corpus of an experiment: its documents with their gold text, and the means to clean them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use dehusk_core::cleaning::CleanOptions;
use dehusk_core::random::Random;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::{Document, HtmlView, Inventory, ReadOptions, SourceListing};
use dehusk_run::left_out::tell_of_skipped;
use dehusk_run::mine::mining::list;
use dehusk_run::reading::read_documents;
use dehusk_run::scoring::gold_texts::{Gold, GoldTexts};
use dehusk_run::{CorpusMineOptions, Library, Observer, mine_library};

use super::treatments::{TreatmentArgs, Treatments};

/// Options of every experiment.
#[derive(Args, Debug)]
pub struct CorpusArgs {
    /// The pages: what `dehusk mine` takes
    #[arg(required = true, value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    /// Folder with the article of each document: DIR/<source>/<document>.txt
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

/// Options of every experiment that cleans in several ways.
#[derive(Args, Debug)]
pub struct ExperimentArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Clean with these pattern files (a folder, or one file), instead of mining the corpus
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: Option<PathBuf>,
    #[command(flatten)]
    treatment: TreatmentArgs,
}

/// A corpus and its gold texts.
pub struct Corpus {
    inventory: Inventory,
    listings: Vec<SourceListing>,
    gold: GoldTexts,
}

/// The documents of a source.
pub struct SourceDocuments {
    /// The name of the source.
    pub source: String,
    documents: Vec<Option<Document>>,
}

impl CorpusArgs {
    /// Lists the corpus and reads its gold text. Pages are read as `html` says, with their trees.
    pub fn corpus(&self, html: HtmlView, observer: &dyn Observer) -> anyhow::Result<Corpus> {
        let gold = GoldTexts::read(&self.gold, &ReadOptions::default(), observer)?;
        let inventory = Inventory::scan(&self.corpus, &ReadOptions::default())?;
        inventory.skipped().iter().for_each(|skipped| tell_of_skipped(skipped, observer));
        let listings = list(&inventory, observer)?;
        gold.refuse_other_sources(&listings)?;
        Ok(Corpus { inventory: inventory.with_html(html).with_trees(), listings, gold })
    }

    /// The outcome as it is printed: as JSON for scripts, or as text for people.
    pub fn told<T: Serialize>(&self, outcome: &T, to_text: impl Fn(&T) -> String) -> anyhow::Result<String> {
        Ok(if self.json { serde_json::to_string_pretty(outcome)? + "\n" } else { to_text(outcome) })
    }
}

impl ExperimentArgs {
    /// See [`CorpusArgs::corpus`].
    pub fn corpus(&self, html: HtmlView, observer: &dyn Observer) -> anyhow::Result<Corpus> {
        self.corpus.corpus(html, observer)
    }

    /// The ways to clean the documents of a corpus. It is mined unless there are pattern files.
    pub fn treatments(&self, corpus: Corpus, are_pages: bool, observer: &dyn Observer) -> anyhow::Result<Treatments> {
        let Corpus { inventory, listings, .. } = corpus;
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let library = match &self.patterns {
            Some(path) => Library::load(path)?,
            None => {
                let options = CorpusMineOptions::default().threads(rayon::current_num_threads());
                mine_library(
                    &inventory.with_html(HtmlView::Text),
                    &listings,
                    &lexer,
                    &options,
                    CleanOptions::default(),
                    observer,
                )?
            }
        };
        self.treatment.treatments(&library, &lexer, &listings, are_pages)
    }

    /// Where the gold text is.
    pub fn gold(&self) -> &Path {
        &self.corpus.gold
    }

    /// The random numbers that start from the seed.
    pub fn random(&self) -> Random {
        Random::new(self.seed)
    }

    /// See [`CorpusArgs::told`].
    pub fn told<T: Serialize>(&self, outcome: &T, to_text: impl Fn(&T) -> String) -> anyhow::Result<String> {
        self.corpus.told(outcome, to_text)
    }
}

impl Corpus {
    /// The documents of each source, one source after another.
    pub fn sources<'a>(
        &'a self,
        observer: &'a dyn Observer,
    ) -> impl Iterator<Item = anyhow::Result<SourceDocuments>> + 'a {
        self.listings.iter().map(move |listing| {
            let documents = read_documents(&self.inventory, &listing.documents, observer)?;
            Ok(SourceDocuments { source: listing.id.as_str().to_owned(), documents })
        })
    }

    /// The documents of a source that have gold text, and the gold text.
    pub fn with_gold<'a>(&'a self, source: &'a SourceDocuments) -> Vec<(&'a Gold, &'a Document)> {
        self.gold.with_documents(&source.source, &source.documents)
    }
}

impl SourceDocuments {
    /// The documents that could be read, in order.
    pub fn all(&self) -> impl Iterator<Item = &Document> {
        self.documents.iter().flatten()
    }

    /// Number of documents that could be read.
    pub fn count(&self) -> usize {
        self.all().count()
    }
}
