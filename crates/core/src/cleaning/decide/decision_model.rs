//! Judges how likely each segment of a document is boilerplate. One model serves all sources, languages and kinds of
//! text.
//!
//! A [network](crate::models::network) judges each segment by its [features](super::features). A second network judges
//! the segment again, by the opinions of the first network about the segment, its neighbours and the document. The
//! second network learns only from opinions about sources that the first network had not seen. Such opinions also show
//! how reliable the networks are: the log-odds of both networks are stretched so that they fit unseen sources best.

use std::sync::{Arc, LazyLock, OnceLock};

use rayon::prelude::*;

use super::features::{Divided, GROUPS, NAMES, OPINIONS, Opinions, Seen, SegmentFeatures, WIDTH};
use crate::models::course::{Taught, learned};
use crate::models::file::{ModelFileError, ModelFormat, PART, parts};
use crate::models::network::Network;

/// The `penalty` of [`fit`](crate::models::network::fit) for both networks.
const PENALTY_OF_SEGMENTS: f32 = 0.0005;

const FIRST: ModelFormat = ModelFormat { model: "decision", version: 1, features: &NAMES };
const SECOND: ModelFormat = ModelFormat { model: "decision-in-document", version: 1, features: &OPINIONS };
/// The first line of a model file.
pub const FIRST_LINE: &str = "# A decision model of dehusk: it says which segments of a text are boilerplate.";

/// A model that decides.
#[derive(Clone, Debug)]
pub struct DecisionModel {
    /// Empty until the shipped model is needed for the first time.
    networks: OnceLock<Networks>,
}

#[derive(Clone, Debug, PartialEq)]
struct Networks {
    first: Network,
    second: Network,
}

/// A document to learn from.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The number of the part that its source is in, below [`PARTS`](crate::models::course::PARTS).
    pub part: usize,
    rows: Vec<f32>,
    seen: Vec<Seen>,
    /// For each segment, whether it is boilerplate, and how much it counts.
    pub labels: Vec<(bool, f32)>,
}

impl Lesson {
    /// Makes a lesson of a document. `labels` says for each segment whether it is boilerplate, and how much it counts.
    pub fn of(part: usize, document: Divided, labels: Vec<(bool, f32)>) -> Lesson {
        let mut rows = Vec::with_capacity(labels.len() * WIDTH);
        let features = SegmentFeatures::of(document);
        features.rows(|row| rows.extend(row));
        let seen = features.seen();
        Lesson { part, rows, seen, labels }
    }

    /// Makes a group of features the same for all segments, so that nothing is learned from it.
    pub fn leave_out(&mut self, group: &str) {
        let names = GROUPS.iter().filter(|(name, _)| *name == group).flat_map(|(_, names)| *names);
        for column in names.filter_map(|name| NAMES.iter().position(|other| other == name)) {
            self.rows.chunks_exact_mut(WIDTH).for_each(|row| row[column] = 0.0);
        }
    }

    /// The words of each segment.
    pub fn words(&self) -> impl Iterator<Item = f32> {
        self.seen.iter().map(|seen| seen.words)
    }

    /// The features for the second network, given these opinions of the first one.
    fn opinions(&self, boilerplate: &[f32]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(self.labels.len() * OPINIONS.len());
        Opinions::of(boilerplate, &self.seen).rows(|row| rows.extend(row));
        rows
    }
}

/// A model that was fitted, and its judgements about sources that it had not seen.
#[derive(Debug)]
pub struct Fitted {
    /// The model.
    pub model: DecisionModel,
    /// For each lesson and segment, the probability that the segment is boilerplate, according to a model that has not
    /// seen the source.
    pub judged: Vec<Vec<f32>>,
}

impl DecisionModel {
    /// The model that comes with dehusk.
    pub fn shipped() -> Arc<DecisionModel> {
        static SHIPPED: LazyLock<Arc<DecisionModel>> =
            LazyLock::new(|| Arc::new(DecisionModel { networks: OnceLock::new() }));
        Arc::clone(&SHIPPED)
    }

    fn networks(&self) -> &Networks {
        self.networks.get_or_init(|| {
            let networks = Networks::parse(include_str!("decision_model.yaml"), "decision_model.yaml");
            networks.unwrap_or_else(|error| panic!("the shipped decision model: {error}"))
        })
    }

    /// Fits a model.
    #[doc(hidden)]
    pub fn fit(lessons: &[Lesson]) -> Fitted {
        let taught = |lesson, rows| -> Taught {
            let Lesson { part, labels, .. }: &Lesson = lesson;
            Taught { part: *part, rows, labels }
        };
        let first: Vec<Taught> = lessons.iter().map(|lesson| taught(lesson, &lesson.rows)).collect();
        let of_first = learned(&NAMES, &first, PENALTY_OF_SEGMENTS);
        let opinions = |(lesson, taught): (&Lesson, &Taught)| lesson.opinions(&of_first.opinions(WIDTH, taught));
        let rows: Vec<Vec<f32>> = lessons.par_iter().zip(&first).map(opinions).collect();
        let second: Vec<Taught> = lessons.iter().zip(&rows).map(|(lesson, rows)| taught(lesson, rows)).collect();
        let of_second = learned(&OPINIONS, &second, PENALTY_OF_SEGMENTS);
        let judged = second.par_iter().map(|taught| of_second.opinions(OPINIONS.len(), taught)).collect();
        let networks = Networks { first: of_first.network, second: of_second.network };
        Fitted { model: DecisionModel { networks: networks.into() }, judged }
    }

    /// The probability that each segment is boilerplate.
    #[doc(hidden)]
    pub fn judge(&self, document: Divided) -> Vec<f32> {
        let mut first = Vec::with_capacity(document.count());
        let judge = self.networks().first.judge(&[]);
        let features = SegmentFeatures::of(document);
        features.rows(|row| first.push(judge(row)));
        self.judge_again(&first, &features.seen())
    }

    /// The probability that each segment of a lesson is boilerplate.
    #[doc(hidden)]
    pub fn judge_lesson(&self, lesson: &Lesson) -> Vec<f32> {
        let first: Vec<f32> = lesson.rows.chunks_exact(WIDTH).map(self.networks().first.judge(&[])).collect();
        self.judge_again(&first, &lesson.seen)
    }

    fn judge_again(&self, first: &[f32], seen: &[Seen]) -> Vec<f32> {
        let mut second = Vec::with_capacity(first.len());
        let judge = self.networks().second.judge(&[]);
        Opinions::of(first, seen).rows(|row| second.push(judge(row)));
        second
    }

    /// A model that gives every segment the same log-odds.
    #[cfg(test)]
    pub fn always(log_odds: f32) -> DecisionModel {
        use crate::models::network::{Input, UNITS};
        let network = |names: &[&str]| Network {
            inputs: (names.iter())
                .map(|name| Input { name: (*name).to_owned(), mean: 0.0, deviation: 1.0, weights: [0.0; UNITS] })
                .collect(),
            unit_intercepts: [0.0; UNITS],
            unit_weights: [0.0; UNITS],
            intercept: log_odds,
        };
        DecisionModel { networks: Networks { first: network(&NAMES), second: network(&OPINIONS) }.into() }
    }

    /// The model as a readable file. `about` says in one line what the model was learned from.
    pub fn to_yaml(&self, about: &str) -> String {
        let Networks { first, second } = self.networks();
        let parts = [(FIRST, first), (SECOND, second)];
        let parts = parts.map(|(format, network)| format.network_to_yaml(network));
        format!("{FIRST_LINE}\n# {about}\n{}", parts.join(PART))
    }

    /// Parses a file that [`to_yaml`](DecisionModel::to_yaml) wrote. `file` is its name in messages.
    ///
    /// # Errors
    /// If `yaml` is not such a file, or is one of another version.
    pub fn parse(yaml: &str, file: &str) -> Result<DecisionModel, ModelFileError> {
        Ok(DecisionModel { networks: Networks::parse(yaml, file)?.into() })
    }
}

impl PartialEq for DecisionModel {
    fn eq(&self, other: &DecisionModel) -> bool {
        std::ptr::eq(self, other) || self.networks() == other.networks()
    }
}

impl Networks {
    fn parse(yaml: &str, file: &str) -> Result<Networks, ModelFileError> {
        let [first, second] = &parts(yaml)[..] else {
            let message = "this is no decision model; train one from a corpus with gold text".to_owned();
            return Err(ModelFileError { file: file.to_owned(), line: 0, message });
        };
        Ok(Networks { first: FIRST.parse_network(first, file)?, second: SECOND.parse_network(second, file)? })
    }
}
