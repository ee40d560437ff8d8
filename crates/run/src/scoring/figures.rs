//! The results of scoring: by document, by source, by pattern, and in total.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::rules::Rule;
use crate::scoring::gold_texts::Gold;
use crate::scoring::score::Score;
use crate::scoring::words::Bag;
use dehusk_core::patterns::Pattern;

/// The score of each rule.
pub type Scores = BTreeMap<Rule, Score>;

/// The figures of a corpus.
#[derive(Debug)]
pub struct Figures {
    /// The rule whose losses are reported.
    pub judged: Rule,
    /// The sources with at least one document, sorted by name.
    pub sources: Vec<SourceFigures>,
    /// The patterns that removed something. The one that removed most gold words comes first.
    pub patterns: Vec<PatternFigures>,
}

/// The figures of one source.
#[derive(Debug)]
pub struct SourceFigures {
    /// Its name.
    pub source: String,
    /// Its documents that have gold text, sorted by name.
    pub documents: Vec<DocumentFigures>,
    /// The figures of each pattern in each document: one item for each of these pairs.
    pub patterns: Vec<PatternFigures>,
}

/// The figures of one document with gold text.
#[derive(Debug)]
pub struct DocumentFigures {
    /// The name of the document. If the document is missing, the name of its gold text.
    pub name: String,
    /// Whether there is a gold text, but no document in the corpus.
    pub is_missing: bool,
    /// Number of words of the gold text. All of them should be kept.
    pub gold_words: usize,
    /// The score of each rule.
    pub scores: Scores,
    /// The gold words that the judged rule removed.
    pub lost_words: Bag,
    /// The passages with the lost words, the longest first.
    pub lost: Vec<LostText>,
}

/// Neighbouring gold words that were removed.
#[derive(Debug)]
pub struct LostText {
    /// The passage in the document, with single spaces between words.
    pub text: String,
    /// Number of words.
    pub words: usize,
    /// Ids of the patterns that removed it.
    pub patterns: Vec<String>,
}

/// The figures of one pattern.
#[derive(Debug)]
pub struct PatternFigures {
    /// The pattern. `None` for text that no pattern matched.
    pub name: Option<PatternName>,
    /// The sources in which it removed something.
    pub sources: Vec<String>,
    /// Number of documents in which it removed gold words.
    pub documents: usize,
    /// Number of words that it removed.
    pub removed: usize,
    /// The gold words among the removed words.
    pub lost: Bag,
}

/// Identifies a pattern across sources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternName {
    /// Its id.
    pub id: String,
    /// Its regex.
    pub regex: String,
}

impl Figures {
    /// Combines the figures of sources.
    pub fn of(mut sources: Vec<SourceFigures>, judged: Rule) -> Figures {
        sources.retain(|source| !source.documents.is_empty());
        let patterns = sources.iter_mut().flat_map(|source| std::mem::take(&mut source.patterns)).collect();
        Figures { judged, patterns: added_up(patterns), sources }
    }

    /// Whether no document was scored.
    pub fn is_empty(&self) -> bool {
        self.documents().all(|(_, document)| document.is_missing)
    }

    /// All documents with their sources.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &DocumentFigures)> {
        self.sources
            .iter()
            .flat_map(|source| source.documents.iter().map(|document| (source.source.as_str(), document)))
    }

    /// The mean scores of the sources.
    pub fn scores(&self) -> Scores {
        mean(&self.sources.iter().map(SourceFigures::scores).collect::<Vec<Scores>>())
    }

    /// The documents that lost gold words. The one that lost the largest share comes first.
    pub fn worst_documents(&self) -> Vec<(&str, &DocumentFigures)> {
        let mut worst: Vec<(&str, &DocumentFigures)> =
            self.documents().filter(|(_, document)| document.lost_words.total() > 0).collect();
        worst.sort_by(|(_, a), (_, b)| b.lost_share().total_cmp(&a.lost_share()));
        worst
    }

    /// The patterns that removed gold words.
    pub fn worst_patterns(&self) -> impl Iterator<Item = &PatternFigures> {
        self.patterns.iter().filter(|pattern| pattern.lost.total() > 0)
    }

    /// Number of gold words, and number of lost words among them.
    pub fn gold_and_lost_words(&self) -> (usize, usize) {
        gold_and_lost_words(self.documents().map(|(_, document)| document))
    }

    /// The names of gold texts that have no document.
    pub fn missing(&self) -> Vec<String> {
        let missing = self.documents().filter(|(_, document)| document.is_missing);
        missing.map(|(source, document)| format!("{source}/{}", document.name)).collect()
    }
}

impl SourceFigures {
    /// The mean scores of the documents.
    pub fn scores(&self) -> Scores {
        mean(&self.documents.iter().map(|document| document.scores.clone()).collect::<Vec<Scores>>())
    }

    /// Number of gold words, and number of lost words among them.
    pub fn gold_and_lost_words(&self) -> (usize, usize) {
        gold_and_lost_words(self.documents.iter())
    }
}

impl DocumentFigures {
    /// The figures of a document that is not in the corpus. It is scored as if no word of it was kept.
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

    /// The share of the gold words that was lost.
    pub fn lost_share(&self) -> f64 {
        self.lost_words.total() as f64 / self.gold_words as f64
    }
}

impl PatternFigures {
    /// These figures, with `source` as their only source.
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
    /// The name of this pattern.
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
