//! Assignment: is a paired page most like the page with the same article, or like a page of the site whose template it
//! has?

use anyhow::ensure;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_run::Observer;

use super::clustering::tf_idf;
use super::estimate::Estimate;
use super::k_means::{Vector, centre, dimensions};
use super::material::{Material, PairsArgs, Selection};
use super::paired_pages::{Collection, Document};
use super::treatments::Results;
use dehusk::cli::table::Table;

#[derive(Serialize)]
struct Outcome {
    selection: Selection,
    /// Pages that are assigned.
    paired: usize,
    /// Sources whose templates they have.
    sources: usize,
    results: Results<Shares>,
}

/// Shares of the paired pages of a source: means of the sources.
#[derive(Serialize)]
struct Shares {
    /// Assigned to the page with their article.
    to_article: Option<Estimate>,
    /// Assigned to a page of the site whose template they have.
    to_site: Option<Estimate>,
}

/// Runs the experiment, and returns the text to print.
pub fn run(args: &PairsArgs, observer: &dyn Observer) -> anyhow::Result<String> {
    let material = Material::read(&args.experiment, observer)?;
    let pages = material.collection.pages().len();
    let documents = material.collection.pairs(args.pairs, &mut args.experiment.random()).documents;
    let paired = &documents[pages..];
    ensure!(!paired.is_empty(), "there is nothing to assign: it takes pages of two sources");
    let results = material.compare(|treatment| {
        let vectors = tf_idf(&material.of_each(&documents, treatment, str::to_owned)?);
        let (pages, paired_pages) = vectors.split_at(pages);
        let dimensions = dimensions(&vectors);
        let assigned: Vec<usize> = paired_pages.par_iter().map(|page| nearest(page, pages, dimensions)).collect();
        Ok(Shares::of(paired, &assigned, &material.collection))
    })?;
    let sources = by_source(paired).len();
    let outcome = Outcome { selection: material.selection, paired: paired.len(), sources, results };
    args.experiment.told(&outcome, Outcome::to_text)
}

/// The vector with the smallest angle. Of several, the first.
fn nearest(vector: &Vector, vectors: &[Vector], dimensions: usize) -> usize {
    let dense = centre([vector], dimensions);
    let cosines: Vec<f64> = vectors.iter().map(|other| other.cosine(&dense)).collect();
    let nearer = |best: usize, other: usize| if cosines[other] > cosines[best] { other } else { best };
    (0..cosines.len()).reduce(nearer).unwrap_or(0)
}

impl Shares {
    fn of(paired: &[Document], assigned: &[usize], collection: &Collection) -> Shares {
        let sources = by_source(paired);
        let share = |is_so: &dyn Fn(&Document, usize) -> bool| {
            let of_source = |indices: &Vec<usize>| {
                let so = indices.iter().filter(|&&index| is_so(&paired[index], assigned[index])).count();
                so as f64 / indices.len() as f64
            };
            Estimate::of(&sources.iter().map(of_source).collect::<Vec<f64>>())
        };
        Shares {
            to_article: share(&|document, page| page == document.article),
            to_site: share(&|document, page| collection.pages()[page].source == document.source),
        }
    }
}

/// The documents in the template of each source, as indices.
fn by_source(documents: &[Document]) -> Vec<Vec<usize>> {
    let mut indices: Vec<usize> = (0..documents.len()).collect();
    indices.sort_by_key(|&index| documents[index].source);
    indices.chunk_by(|&a, &b| documents[a].source == documents[b].source).map(<[usize]>::to_vec).collect()
}

impl Outcome {
    fn to_text(&self) -> String {
        let mut table = Table::default().words("assigned").figures(["to its article", "+-", "to its site", "+-"]);
        for (treatment, Shares { to_article, to_site }) in &self.results {
            let figures = [*to_article, *to_site].into_iter().flat_map(Estimate::cells);
            table.row([treatment.name().to_owned()].into_iter().chain(figures));
        }
        let Outcome { selection, paired, sources, .. } = self;
        let (pages, selection) = (selection.pages, selection.to_text());
        format!(
            "{table}{selection}{paired} paired pages of {sources} sources, each assigned to one of {pages} pages; means of \
             the sources and standard errors\n"
        )
    }
}
