//! The common material of the experiments on paired pages: pages with their articles, and the ways of cleaning that are
//! compared.

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_core::cleaning::CleanError;
use dehusk_core::shown::count;
use dehusk_corpus::HtmlView;
use dehusk_run::Observer;
use dehusk_run::scoring::gold_texts::Gold;

use super::corpus::{Corpus, ExperimentArgs};
use super::markup::Markup;
use super::paired_pages::{Collection, Document, Page};
use super::treatments::{Results, Treatment, Treatments, Untreated};

/// Options of the experiments that compare pairs of documents.
#[derive(Args, Debug)]
pub struct PairsArgs {
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    /// Maximum number of pairs of either kind
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub pairs: usize,
}

/// The pages of a corpus, and how each source is cleaned.
pub struct Material {
    /// The pages that can be used.
    pub collection: Collection,
    /// The numbers of pages that can and cannot be used.
    pub selection: Selection,
    treatments: Treatments,
}

/// The numbers of pages of a corpus that can and cannot be used.
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

impl Material {
    /// Reads the corpus and its gold text, and mines it unless there are pattern files.
    pub fn read(args: &ExperimentArgs, observer: &dyn Observer) -> anyhow::Result<Material> {
        let corpus = args.corpus(HtmlView::Page, observer)?;
        let (collection, selection) = collect(&corpus, observer)?;
        if selection.pages == 0 {
            bail!("{}: no gold text is found in its document", args.gold().display());
        }
        let treatments = args.treatments(corpus, collection.is_html(), observer)?;
        Ok(Material { collection, selection, treatments })
    }

    /// The result of `of` for each document after the treatment, in order. Works on many documents at a time.
    pub fn of_each<T: Send>(
        &self,
        documents: &[Document],
        treatment: Treatment,
        of: impl Fn(&str) -> T + Sync,
    ) -> Result<Vec<T>, CleanError> {
        let untreated: Vec<Untreated> = documents.iter().map(|document| self.untreated(document)).collect();
        self.treatments.of_each(&untreated, treatment, of)
    }

    /// A result for each treatment.
    pub fn compare<T>(&self, of: impl Fn(Treatment) -> anyhow::Result<T>) -> anyhow::Result<Results<T>> {
        self.treatments.compare(of)
    }

    fn untreated<'a>(&'a self, document: &'a Document) -> Untreated<'a> {
        let Document { source, article, text, tree } = document;
        Untreated { source: *source, text, tree: tree.as_deref(), gold: &self.collection.pages()[*article].gold }
    }
}

/// The pages whose articles can be moved, and the numbers of other pages.
fn collect(corpus: &Corpus, observer: &dyn Observer) -> anyhow::Result<(Collection, Selection)> {
    let (mut pages, mut selection) = (Vec::new(), Selection::default());
    for (source, documents) in corpus.sources(observer).enumerate() {
        let documents = documents?;
        let with_gold = corpus.with_gold(&documents);
        let page = |(gold, document): &(&Gold, &dehusk_corpus::Document)| {
            let markup = document.page.as_ref().map(|page| Markup::read(page.markup().to_owned()).1);
            Page::new(source, document.text.clone(), markup, gold.text.clone())
        };
        let aligned: Vec<Option<Page>> = with_gold.par_iter().map(page).collect();
        selection.without_gold += documents.count() - with_gold.len();
        selection.not_aligned += aligned.iter().filter(|page| page.is_none()).count();
        pages.extend(aligned.into_iter().flatten());
    }
    let collection = Collection::new(pages);
    selection.pages = collection.pages().len();
    selection.sources = collection.sources();
    Ok((collection, selection))
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
