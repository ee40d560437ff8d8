//! Classification: do the words of a page say more about its label when its boilerplate is removed?
//!
//! The sources are divided into folds. A classifier learns from the pages of all other folds, so it has never seen the site
//! of the page that it classifies.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_core::html::Tree;
use dehusk_core::random::Random;
use dehusk_core::shown::count;
use dehusk_corpus::HtmlView;
use dehusk_run::Observer;

use super::corpus::{Corpus, ExperimentArgs};
use super::estimate::Estimate;
use super::labels::Labels;
use super::naive_bayes::{NaiveBayes, WordCounts};
use super::treatments::{Results, Untreated};
use dehusk::cli::table::{Table, percent};

/// Options of this experiment.
#[derive(Args, Debug)]
pub struct ClassifyArgs {
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// File with the label of each document: a line `file<TAB>label`, then lines SOURCE/DOCUMENT<TAB>LABEL
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,
    /// Number of parts of the sources; each is classified by what the others teach
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(2..))]
    folds: u16,
}

/// A document with its label.
struct Labelled {
    source: usize,
    text: String,
    tree: Option<Arc<Tree>>,
    gold: String,
    label: usize,
    fold: usize,
}

#[derive(Serialize)]
struct Outcome {
    documents: usize,
    sources: usize,
    /// Documents without gold text, or without a label.
    left_out: usize,
    /// Number of documents by label.
    labels: Vec<(String, usize)>,
    folds: u16,
    /// Share of the most frequent label.
    most_frequent: f64,
    results: Results<Accuracy>,
}

#[derive(Serialize)]
struct Accuracy {
    /// Share of the documents that get their right label: mean of folds.
    accuracy: Option<Estimate>,
    /// The share for the documents of each label: mean of labels.
    of_labels: f64,
}

/// Runs the experiment, and returns the text to print.
pub fn run(args: &ClassifyArgs, observer: &dyn Observer) -> anyhow::Result<String> {
    let labels = Labels::read(&args.labels)?;
    let corpus = args.experiment.corpus(HtmlView::Text, observer)?;
    let (mut documents, left_out) = labelled(&corpus, &labels, observer)?;
    let sources = divide(&mut documents, usize::from(args.folds), &mut args.experiment.random());
    ensure!(sources > 1, "there is nothing to classify: it takes documents of two sources with labels and gold text");
    let are_pages = documents.iter().all(|document| document.tree.is_some());
    let treatments = args.experiment.treatments(corpus, are_pages, observer)?;
    let untreated: Vec<Untreated> = documents.iter().map(Labelled::untreated).collect();
    let results = treatments.compare(|treatment| {
        let words = treatments.of_each(&untreated, treatment, WordCounts::of)?;
        Ok(Accuracy::of(&documents, &found(&documents, &words, labels.names.len())))
    })?;
    let of_label = |label: usize| documents.iter().filter(|document| document.label == label).count();
    let labels: Vec<(String, usize)> = labels.names.into_iter().zip((0..).map(of_label)).collect();
    let most = labels.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let outcome = Outcome {
        documents: documents.len(),
        sources,
        left_out,
        labels,
        folds: args.folds,
        most_frequent: most as f64 / documents.len() as f64,
        results,
    };
    args.experiment.told(&outcome, Outcome::to_text)
}

/// The documents with gold text and label, and the number of others.
fn labelled(corpus: &Corpus, labels: &Labels, observer: &dyn Observer) -> anyhow::Result<(Vec<Labelled>, usize)> {
    let (mut found, mut all) = (Vec::new(), 0);
    for (source, documents) in corpus.sources(observer).enumerate() {
        let documents = documents?;
        all += documents.count();
        for (gold, document) in corpus.with_gold(&documents) {
            let Some(label) = labels.of(&documents.source, &document.id) else { continue };
            let (text, tree, gold) = (document.text.clone(), document.tree.clone(), gold.text.clone());
            found.push(Labelled { source, text, tree, gold, label, fold: 0 });
        }
    }
    let left_out = all - found.len();
    Ok((found, left_out))
}

/// Gives each source a random fold. Folds have the same number of sources, or one more. Returns the number of sources.
fn divide(documents: &mut [Labelled], folds: usize, random: &mut Random) -> usize {
    let mut sources: Vec<&mut [Labelled]> = documents.chunk_by_mut(|a, b| a.source == b.source).collect();
    random.shuffle(&mut sources);
    for (at, source) in sources.iter_mut().enumerate() {
        source.iter_mut().for_each(|document| document.fold = at % folds);
    }
    sources.len()
}

/// The label of each document, found by a classifier that learned from the other folds.
fn found(documents: &[Labelled], words: &[WordCounts], labels: usize) -> Vec<usize> {
    let folds = documents.iter().map(|document| document.fold + 1).max().unwrap_or(0);
    let all = || documents.iter().zip(words);
    let learn = |fold: usize| {
        let others = all().filter(|(document, _)| document.fold != fold);
        NaiveBayes::learn(others.map(|(document, words)| (words, document.label)), labels)
    };
    let learned: Vec<NaiveBayes> = (0..folds).into_par_iter().map(learn).collect();
    all().map(|(document, words)| learned[document.fold].label_of(words)).collect()
}

impl Labelled {
    fn untreated(&self) -> Untreated<'_> {
        let Labelled { source, text, tree, gold, .. } = self;
        Untreated { source: *source, text, tree: tree.as_deref(), gold }
    }
}

impl Accuracy {
    fn of(documents: &[Labelled], found: &[usize]) -> Accuracy {
        let shares = |group: fn(&Labelled) -> usize| {
            let groups = documents.iter().map(|document| group(document) + 1).max().unwrap_or(0);
            let share = |number: usize| {
                let of_group = || documents.iter().zip(found).filter(|(document, _)| group(document) == number);
                let right = of_group().filter(|(document, found)| document.label == **found).count();
                (of_group().count() > 0).then(|| right as f64 / of_group().count() as f64)
            };
            (0..groups).filter_map(share).collect::<Vec<f64>>()
        };
        let of_labels = shares(|document| document.label);
        Accuracy {
            accuracy: Estimate::of(&shares(|document| document.fold)),
            of_labels: of_labels.iter().sum::<f64>() / of_labels.len().max(1) as f64,
        }
    }
}

impl Outcome {
    fn to_text(&self) -> String {
        let mut table = Table::default().words("").figures(["accuracy", "+-", "mean of labels"]);
        for (treatment, Accuracy { accuracy, of_labels }) in &self.results {
            let [accuracy, error] = Estimate::cells(*accuracy);
            table.row([treatment.name().to_owned(), accuracy, error, percent(*of_labels, 1)]);
        }
        let Outcome { documents, sources, left_out, labels, folds, most_frequent, .. } = self;
        let labels: Vec<String> = labels.iter().map(|(name, count)| format!("{name} {count}")).collect();
        format!(
            "{table}{} of {} in {folds} folds; left out: {left_out} without gold text or label\n{}; always the most \
             frequent label: {}\n",
            count(*documents, "document"),
            count(*sources, "source"),
            labels.join(", "),
            percent(*most_frequent, 1)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(sources: &[usize]) -> Vec<Labelled> {
        let document = |&source: &usize| {
            let (text, gold) = (String::new(), String::new());
            Labelled { source, text, tree: None, gold, label: source % 2, fold: 0 }
        };
        sources.iter().map(document).collect()
    }

    #[test]
    fn a_source_is_in_one_fold_and_folds_are_equal() {
        let mut all = documents(&[0, 0, 1, 2, 2, 2, 4, 5, 6, 8]);
        assert_eq!(divide(&mut all, 3, &mut Random::new(1)), 7);
        assert!(all.windows(2).all(|two| two[0].source != two[1].source || two[0].fold == two[1].fold));
        let mut folds: Vec<usize> = all.chunk_by(|a, b| a.source == b.source).map(|same| same[0].fold).collect();
        folds.sort_unstable();
        assert_eq!(folds, [0, 0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn nothing_is_learned_from_the_fold_itself() {
        let mut all = documents(&[0, 1, 2, 3]);
        all.iter_mut().zip([0, 0, 1, 1]).for_each(|(document, fold)| document.fold = fold);
        // In one fold, `red` and `blue` stand for the labels; in the other one, they are swapped.
        let words = ["red", "blue", "blue", "red"].map(WordCounts::of);
        assert_eq!(found(&all, &words, 2), [1, 0, 1, 0]);
    }

    #[test]
    fn accuracy_by_folds_and_labels() {
        let mut all = documents(&[0, 0, 0, 1]);
        all[3].fold = 1;
        let Accuracy { accuracy, of_labels } = Accuracy::of(&all, &[0, 0, 1, 0]);
        assert!((accuracy.expect("folds").mean - (2.0 / 3.0) / 2.0).abs() < 1e-12);
        assert!((of_labels - (2.0 / 3.0) / 2.0).abs() < 1e-12);
    }
}
