//! Growth: how good is cleaning, by the number of documents that were mined, or by their days?
//!
//! The documents of each source are divided into folds. The documents of a fold are cleaned with patterns mined from
//! some of the other documents: from a number of them, chosen by chance or the first by name, or from those of the
//! first days. So no mined document is scored. All rows have the same sources and score the same documents.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use serde::Serialize;

use dehusk_core::random::Random;
use dehusk_corpus::{DocumentRef, SourceListing};
use dehusk_lab::line_chart::{LineChart, picture};
use dehusk_run::Observer;
use dehusk_run::scoring::figures::{Figures, SourceFigures};
use dehusk_run::scoring::rules::Rule;
use dehusk_run::scoring::score::Score;

use super::scored::{BothScores, Options, ScoredArgs, ScoredCorpus, chosen};
use dehusk::cli::table::{Table, decimal};

/// Options of this experiment.
#[derive(Args, Debug)]
pub struct GrowthArgs {
    #[command(flatten)]
    scored: ScoredArgs,
    /// Numbers of documents to mine. Sources with fewer than the largest are left out
    #[arg(long, value_name = "N,N...", value_delimiter = ',', default_value = "5,10,15,20")]
    documents: Vec<usize>,
    /// Mine the documents of this many first days instead. Names must begin with the date, as in 20000615
    #[arg(long, value_name = "N,N...", value_delimiter = ',', conflicts_with_all = ["documents", "order"])]
    days: Vec<i64>,
    /// Which documents are mined: those that chance picks, or the first by name
    #[arg(long, value_enum, default_value_t = Order::Chance)]
    order: Order,
    /// Number of parts of each source; each is scored with what the others teach
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..))]
    folds: u16,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Draw the figures to this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// In what order documents are mined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    Chance,
    Name,
}

#[derive(Serialize)]
struct Outcome {
    sources: usize,
    documents: usize,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    /// The number of documents, or of days.
    extent: usize,
    /// Number of documents that were mined, as the mean of sources and folds.
    mined: f64,
    #[serde(flatten)]
    scores: BothScores,
}

/// The start of a plot. Only files with this mark are overwritten.
const PLOT_MARK: &str = "<!-- dehusk-lab experiment growth -->";

/// A document of a source: where it is, and its day.
type Dated = (DocumentRef, i64);

/// Runs the experiment, and returns the text to print.
pub fn run(args: &GrowthArgs, observer: &dyn Observer) -> anyhow::Result<String> {
    if let Some(path) = args.plot.as_ref().filter(|path| path.exists()) {
        let is_plot = fs::read_to_string(path).is_ok_and(|text| text.contains(PLOT_MARK));
        ensure!(is_plot, "{} is not overwritten: it is no plot of this experiment", path.display());
    }
    let corpus = ScoredCorpus::read(&args.scored, observer)?;
    let sources = args.sources(&corpus)?;
    let extents: Vec<usize> = match args.days.is_empty() {
        true => args.documents.clone(),
        false => args.days.iter().map(|&days| days.max(0) as usize).collect(),
    };
    // Nothing can be mined from 0 documents, so the row 0 has the scores of documents that are left alone.
    let mut rows = Vec::new();
    for extent in extents {
        let (row, left_alone) = args.row(&corpus, &sources, extent, observer)?;
        if rows.is_empty() {
            rows.push(Row { extent: 0, mined: 0.0, scores: BothScores { union: left_alone, smooth: left_alone } });
        }
        rows.push(row);
    }
    let outcome = Outcome { sources: sources.len(), documents: sources.values().map(Vec::len).sum(), rows };
    if let Some(path) = &args.plot {
        fs::write(path, args.plot(&outcome.rows)).with_context(|| path.display().to_string())?;
    }
    Ok(if args.scored.json { serde_json::to_string_pretty(&outcome)? + "\n" } else { args.table(&outcome) })
}

impl GrowthArgs {
    /// The documents of the sources that have enough of them, in the order in which they are mined.
    fn sources(&self, corpus: &ScoredCorpus) -> anyhow::Result<BTreeMap<String, Vec<Dated>>> {
        let most = self.documents.iter().copied().max().unwrap_or(0);
        let mut sources = BTreeMap::new();
        for listing in &corpus.listings {
            let documents = listing.documents.iter().map(|place| Ok((*place, self.day(corpus, place)?)));
            let mut documents = documents.collect::<anyhow::Result<Vec<Dated>>>()?;
            if self.days.is_empty() && self.order == Order::Chance {
                Random::along(self.seed, &[sources.len() as u64]).shuffle(&mut documents);
            }
            let is_enough = match self.days.is_empty() {
                // The smallest number of documents that are outside of a fold.
                true => documents.len() - documents.len().div_ceil(usize::from(self.folds)) >= most,
                false => documents.iter().all(|(_, day)| *day > 0),
            };
            if is_enough {
                sources.insert(listing.id.as_str().to_owned(), documents);
            }
        }
        ensure!(!sources.is_empty(), "no source has enough documents, or documents with dates");
        Ok(sources)
    }

    /// The day in the name of a document, or 0. It is only needed if days are counted.
    fn day(&self, corpus: &ScoredCorpus, place: &DocumentRef) -> anyhow::Result<i64> {
        if self.days.is_empty() {
            return Ok(0);
        }
        let name = corpus.inventory.read(place).map(|document| document.id).ok();
        Ok(name.and_then(|name| day(name.rsplit('/').next().unwrap_or_default())).unwrap_or(0))
    }

    /// A row, and the score of the documents that are left alone.
    fn row(
        &self,
        corpus: &ScoredCorpus,
        sources: &BTreeMap<String, Vec<Dated>>,
        extent: usize,
        observer: &dyn Observer,
    ) -> anyhow::Result<(Row, Score)> {
        let (mut all, mut mined_documents, mut parts) = (BTreeMap::<String, SourceFigures>::new(), 0, 0);
        for fold in 0..usize::from(self.folds) {
            let is_of_fold = |index: usize| index % usize::from(self.folds) == fold;
            let documents = |listing: &SourceListing| sources.get(listing.id.as_str()).map_or(&[][..], Vec::as_slice);
            let mined = chosen(&corpus.listings, |listing| {
                let documents = documents(listing);
                let others = documents.iter().enumerate().filter(|(index, _)| !is_of_fold(*index));
                let first = documents.iter().map(|(_, day)| *day).min().unwrap_or(0);
                let is_mined = |day: i64| self.days.is_empty() || day < first + extent as i64;
                let others = others.map(|(_, document)| document).filter(|(_, day)| is_mined(*day));
                let most = if self.days.is_empty() { extent } else { usize::MAX };
                others.take(most).map(|(place, _)| *place).collect()
            });

            let scored = chosen(&corpus.listings, |listing| {
                let documents = documents(listing).iter().enumerate().filter(|(index, _)| is_of_fold(*index));
                documents.map(|(_, (place, _))| *place).collect()
            });

            mined_documents += mined.iter().map(|listing| listing.documents.len()).sum::<usize>();
            parts += scored.len();
            for source in corpus.figures(&mined, &scored, &Options::default(), observer)?.sources {
                match all.get_mut(&source.source) {
                    Some(known) => known.documents.extend(source.documents),
                    None => drop(all.insert(source.source.clone(), source)),
                }
            }
        }
        let figures = Figures::of(all.into_values().collect(), Rule::Dehusk);
        let left_alone = figures.scores().get(&Rule::LeftAlone).copied().unwrap_or_default();
        let mined = mined_documents as f64 / parts.max(1) as f64;
        Ok((Row { extent, mined, scores: BothScores::of(&figures) }, left_alone))
    }

    fn unit(&self) -> &'static str {
        if self.days.is_empty() { "documents" } else { "days" }
    }

    fn table(&self, outcome: &Outcome) -> String {
        let mut table = Table::default().figures([self.unit(), "mined"]);
        for method in ["default", "union"] {
            table = table.group(method.to_owned(), ["precision", "recall", "F1"]);
        }
        for Row { extent, mined, scores } in &outcome.rows {
            let figures = |score: &Score| [score.precision, score.recall, score.f1].map(|figure| decimal(figure, 3));
            let cells = [extent.to_string(), decimal(*mined, 1)].into_iter();
            table.row(cells.chain(figures(&scores.smooth)).chain(figures(&scores.union)));
        }
        format!("{} documents of {} sources\n{table}", outcome.documents, outcome.sources)
    }

    fn plot(&self, rows: &[Row]) -> String {
        let line = |figure: &dyn Fn(&Row) -> f64| rows.iter().map(|row| (row.extent as f64, figure(row))).collect();
        let title = format!("F1 and recall of words, by the number of {} that were mined", self.unit());
        let lines = vec![
            ("F1", line(&|row: &Row| row.scores.smooth.f1)),
            ("recall", line(&|row: &Row| row.scores.smooth.recall)),
            ("F1 of union", line(&|row: &Row| row.scores.union.f1)),
            ("recall of union", line(&|row: &Row| row.scores.union.recall)),
        ];
        let chart = LineChart { title: &title, axis: self.unit(), top: 1.0, lines, mark: None };
        let last = rows.iter().map(|row| row.extent).max().unwrap_or(0);
        picture(&[chart], last as f64, PLOT_MARK)
    }
}

/// The number of the day that a name begins with, as in 20000615. The difference of two such numbers is the number of
/// days between the dates.
fn day(name: &str) -> Option<i64> {
    let digits = name.get(..8).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let number = |range: std::ops::Range<usize>| digits[range].parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(4..6)?, number(6..8)?);
    // Years begin in March here, so that a leap day is the last day of a year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn days_between_dates() {
        let between = |a, b| day(b).unwrap() - day(a).unwrap();
        assert_eq!(between("20000228x", "20000301"), 2);
        assert_eq!(between("20010228", "20010301"), 1);
        assert_eq!(between("19991231", "20010101"), 367);
        assert_eq!((day("2000-01-01"), day("2000")), (None, None));
    }
}
