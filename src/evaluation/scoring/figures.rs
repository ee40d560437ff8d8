//! What scoring found: by document, by source, by pattern, in all.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::rules::Rule;
use crate::evaluation::gold_texts::Gold;
use crate::evaluation::score::Score;
use crate::evaluation::words::Bag;
use crate::patterns::Pattern;

/// How well each rule did.
pub type Scores = BTreeMap<Rule, Score>;

/// All of it.
#[derive(Debug)]
pub struct Figures {
    /// Whose losses are told.
    pub judged: Rule,
    /// Sorted by name; each has a document.
    pub sources: Vec<SourceFigures>,
    /// That removed something, the one that lost most first.
    pub patterns: Vec<PatternFigures>,
}

/// One source.
#[derive(Debug)]
pub struct SourceFigures {
    /// Its name.
    pub source: String,
    /// Sorted by name.
    pub documents: Vec<DocumentFigures>,
    /// A figure for each document.
    pub patterns: Vec<PatternFigures>,
}

/// One document with gold text.
#[derive(Debug)]
pub struct DocumentFigures {
    /// Its name, or that of its gold text if it is missing.
    pub name: String,
    /// The corpus has only its gold text.
    pub is_missing: bool,
    /// How many words should be kept.
    pub gold_words: usize,
    /// By rule.
    pub scores: Scores,
    /// The gold words that the judged rule removed.
    pub lost_words: Bag,
    /// Where they stood, the longest first.
    pub lost: Vec<LostText>,
}

/// Neighbouring gold words that were removed.
#[derive(Debug)]
pub struct LostText {
    /// As it stood there, with single spaces.
    pub text: String,
    /// How many they are.
    pub words: usize,
    /// Ids of those that removed it.
    pub patterns: Vec<String>,
}

/// What one pattern removed.
#[derive(Debug)]
pub struct PatternFigures {
    /// `None` for what no pattern matched.
    pub name: Option<PatternName>,
    /// Where it did.
    pub sources: Vec<String>,
    /// In how many documents it lost gold words.
    pub documents: usize,
    /// Words.
    pub removed: usize,
    /// The gold words among them.
    pub lost: Bag,
}

/// What tells patterns apart over sources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternName {
    /// Its id.
    pub id: String,
    /// Its regex.
    pub regex: String,
}

impl Figures {
    /// Puts together what is known of the sources.
    pub fn of(mut sources: Vec<SourceFigures>, judged: Rule) -> Figures {
        sources.retain(|source| !source.documents.is_empty());
        let patterns = sources.iter_mut().flat_map(|source| std::mem::take(&mut source.patterns)).collect();
        Figures { judged, patterns: added_up(patterns), sources }
    }

    /// Whether there is no document to speak of.
    pub fn is_empty(&self) -> bool {
        self.documents().all(|(_, document)| document.is_missing)
    }

    /// All documents with their sources.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &DocumentFigures)> {
        self.sources
            .iter()
            .flat_map(|source| source.documents.iter().map(|document| (source.source.as_str(), document)))
    }

    /// The means over the sources.
    pub fn scores(&self) -> Scores {
        mean(&self.sources.iter().map(SourceFigures::scores).collect::<Vec<Scores>>())
    }

    /// The documents that lost the greatest share of their gold words first, and none that lost nothing.
    pub fn worst_documents(&self) -> Vec<(&str, &DocumentFigures)> {
        let mut worst: Vec<(&str, &DocumentFigures)> =
            self.documents().filter(|(_, document)| document.lost_words.total() > 0).collect();
        worst.sort_by(|(_, a), (_, b)| b.lost_share().total_cmp(&a.lost_share()));
        worst
    }

    /// The patterns that lost something.
    pub fn worst_patterns(&self) -> impl Iterator<Item = &PatternFigures> {
        self.patterns.iter().filter(|pattern| pattern.lost.total() > 0)
    }

    /// How many gold words there are, and how many of them were lost.
    pub fn gold_and_lost_words(&self) -> (usize, usize) {
        gold_and_lost_words(self.documents().map(|(_, document)| document))
    }

    /// The names of gold texts that are of no document.
    pub fn missing(&self) -> Vec<String> {
        let missing = self.documents().filter(|(_, document)| document.is_missing);
        missing.map(|(source, document)| format!("{source}/{}", document.name)).collect()
    }
}

impl SourceFigures {
    /// The means over the documents.
    pub fn scores(&self) -> Scores {
        mean(&self.documents.iter().map(|document| document.scores.clone()).collect::<Vec<Scores>>())
    }

    /// How many gold words there are, and how many of them were lost.
    pub fn gold_and_lost_words(&self) -> (usize, usize) {
        gold_and_lost_words(self.documents.iter())
    }
}

impl DocumentFigures {
    /// A document of which nothing is left, because it is not there.
    pub fn missing(name: &str, gold: &Gold, rules: impl Iterator<Item = Rule>) -> DocumentFigures {
        DocumentFigures {
            name: name.to_owned(),
            is_missing: true,
            gold_words: gold.words.total(),
            scores: rules.map(|rule| (rule, Score::default())).collect(),
            lost_words: Bag::default(),
            lost: Vec::new(),
        }
    }

    /// Of the gold words.
    pub fn lost_share(&self) -> f64 {
        self.lost_words.total() as f64 / self.gold_words as f64
    }
}

impl PatternFigures {
    /// The same, of a source.
    pub fn of_source(self, source: &str) -> PatternFigures {
        PatternFigures { sources: vec![source.to_owned()], ..self }
    }

    fn add(&mut self, other: PatternFigures) {
        self.sources.extend(other.sources);
        self.sources.dedup();
        self.documents += other.documents;
        self.removed += other.removed;
        other.lost.ranked().into_iter().for_each(|(word, times)| self.lost.add(word.to_owned(), times));
    }
}

impl PatternName {
    /// Of this pattern.
    pub fn of(pattern: &Pattern) -> PatternName {
        PatternName { id: pattern.id.clone(), regex: pattern.regex.clone() }
    }
}

fn added_up(patterns: Vec<PatternFigures>) -> Vec<PatternFigures> {
    let mut by_name: BTreeMap<Option<PatternName>, PatternFigures> = BTreeMap::new();
    for pattern in patterns {
        match by_name.get_mut(&pattern.name) {
            Some(known) => known.add(pattern),
            None => drop(by_name.insert(pattern.name.clone(), pattern)),
        }
    }
    let mut patterns: Vec<PatternFigures> = by_name.into_values().collect();
    patterns.sort_by_key(|pattern| Reverse(pattern.lost.total()));
    patterns
}

fn mean(scores: &[Scores]) -> Scores {
    let of_rule = |rule: &Rule| Score::mean(scores.iter().filter_map(|scores| scores.get(rule).copied()));
    let rules = scores.first().into_iter().flat_map(Scores::keys);
    rules.map(|rule| (*rule, of_rule(rule))).collect()
}

fn gold_and_lost_words<'d>(documents: impl Iterator<Item = &'d DocumentFigures>) -> (usize, usize) {
    documents.fold((0, 0), |(gold, lost), document| (gold + document.gold_words, lost + document.lost_words.total()))
}
