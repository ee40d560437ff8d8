//! Cleans all sources of a corpus by every rule, and scores the results against gold text.

pub mod words;
pub mod score;
pub mod opponents;
pub mod losses;
pub mod gold_texts;
pub mod figures;
pub mod rules;

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::clean::document::tell_of_ignored_choices;
use crate::reading::read_documents;
use crate::workers::share_out_and_collect;
use crate::{Library, Observer, Steps, WarningKind};
use dehusk_core::cleaning::Cleaner;
use dehusk_corpus::{Document, Inventory, SourceListing};
use gold_texts::{Gold, GoldTexts, Pair, pairs};
use losses::Losses;
use score::Score;
use words::Bag;

use figures::{DocumentFigures, LostText, PatternFigures, PatternName, Scores, SourceFigures};
use rules::{Methods, Rule, Rules, Scratches};

/// The patterns to clean with.
#[derive(Debug)]
pub struct Libraries {
    /// Patterns from all documents.
    pub all: Library,
    /// Patterns from every second document. If this is given, only the other documents are scored.
    pub half: Option<Library>,
}

impl Libraries {
    /// The rule whose losses are reported: [`Rule::HalfMined`] if half of the documents were mined, else
    /// [`Rule::Dehusk`].
    pub fn judged(&self) -> Rule {
        if self.half.is_some() { Rule::HalfMined } else { Rule::Dehusk }
    }
}

/// All that is needed to score the sources of a corpus.
pub struct Scoring<'a> {
    inventory: &'a Inventory,
    listings: BTreeMap<&'a str, &'a SourceListing>,
    gold: &'a GoldTexts,
    libraries: &'a Libraries,
    methods: &'a Methods,
    observer: &'a dyn Observer,
}

impl<'a> Scoring<'a> {
    /// Scores the documents of this inventory that have gold text.
    pub fn new(
        inventory: &'a Inventory,
        listings: &'a [SourceListing],
        gold: &'a GoldTexts,
        libraries: &'a Libraries,
        methods: &'a Methods,
        observer: &'a dyn Observer,
    ) -> Scoring<'a> {
        let listings = listings.iter().map(|listing| (listing.id.as_str(), listing)).collect();
        Scoring { inventory, listings, gold, libraries, methods, observer }
    }

    /// Scores every source that has gold text, sorted by name.
    ///
    /// # Errors
    /// If the observer stops the run.
    pub fn score_all(&self, threads: usize) -> crate::Result<Vec<SourceFigures>> {
        let sources: Vec<(&String, &BTreeMap<String, Gold>)> = self.gold.sources.iter().collect();
        self.observer.start("scoring", Steps::Things(sources.len() as u64));
        let scored = share_out_and_collect(threads, sources.len(), |index| {
            let (source, gold) = sources[index];
            let figures = self.score_source(source, gold)?;
            self.observer.step(1);
            Ok(figures)
        });
        self.observer.finish();
        scored
    }

    fn score_source(&self, source: &str, gold: &BTreeMap<String, Gold>) -> crate::Result<SourceFigures> {
        let places = self.listings.get(source).map_or(&[][..], |listing| &listing.documents);
        let documents = read_documents(self.inventory, places, self.observer)?;
        if !documents.is_empty() && self.libraries.all.get(source).is_none() {
            self.observer.warn(WarningKind::Rare, &format!("there is no pattern file for source '{source}'"));
        }
        let rules = Rules::new(source, &documents, self.libraries, self.methods);
        let wanted = pairs(gold, &documents).into_par_iter().filter(|pair| self.is_scored(pair));
        let scored = wanted.map_init(
            || rules.scratches(),
            |scratches, Pair { name, gold, document }| match document {
                Some((_, document)) => self.score_document(name, gold, document, &rules, scratches),
                None => (DocumentFigures::missing(name, gold, self.rules()), Vec::new()),
            },
        );
        let (documents, patterns): (Vec<_>, Vec<Vec<PatternFigures>>) = scored.unzip();
        let patterns = patterns.into_iter().flatten().map(|pattern| pattern.of_source(source)).collect();
        Ok(SourceFigures { source: source.to_owned(), documents, patterns })
    }

    /// Whether the document is scored. If half of the documents were mined, only documents of the other half are
    /// scored. Missing documents are not scored then, because they could be of either half.
    fn is_scored(&self, pair: &Pair) -> bool {
        self.libraries.half.is_none() || pair.document.is_some_and(|(index, _)| index % 2 == 1)
    }

    fn rules(&self) -> impl Iterator<Item = Rule> {
        let half = self.libraries.half.is_some();
        Rule::ALL.into_iter().filter(move |rule| half || *rule != Rule::HalfMined)
    }

    fn score_document(
        &self,
        name: &str,
        gold: &Gold,
        document: &Document,
        rules: &Rules,
        scratches: &mut Scratches,
    ) -> (DocumentFigures, Vec<PatternFigures>) {
        let all = match rules.apply(scratches, document) {
            Ok(all) => all,
            Err(error) => {
                self.observer.skip(&format!("{}/{}", document.source, document.id), &error.to_string());
                return (DocumentFigures::missing(name, gold, self.rules()), Vec::new());
            }
        };
        if all.iter().filter_map(|kept| kept.cleaning.as_ref()).any(|cleaning| cleaning.ignores_choices) {
            tell_of_ignored_choices(format!("{}/{}", document.source, document.id), self.observer);
        }

        let words = Bag::of(&document.text);
        let mut scores = Scores::new();
        let mut losses = Losses::default();
        let judged = self.libraries.judged();
        for kept in all {
            let bag = Bag::of(&kept.text);
            let score = Score::of(&words, &bag, &gold.words);
            scores.extend(kept.rules.iter().map(|rule| (*rule, score)));
            if let (Some(cleaning), true) = (kept.cleaning, kept.rules.contains(&judged)) {
                losses = Losses::of(&document.text, &cleaning, &gold.text, &gold.words, &bag);
            }
        }

        let cleaner = rules.judged();
        let patterns = cleaner.map(|cleaner| pattern_figures(&losses, cleaner)).unwrap_or_default();
        let lost = lost_texts(&document.text, &losses, cleaner);
        let figures = DocumentFigures {
            name: document.id.clone(),
            is_missing: false,
            gold_words: gold.words.total(),
            scores,
            lost_words: losses.words,
            lost,
        };
        (figures, patterns)
    }
}

fn lost_texts(text: &str, losses: &Losses, cleaner: Option<&Cleaner>) -> Vec<LostText> {
    let id = |&pattern: &usize| Some(cleaner?.pattern(pattern).id.clone());
    let lost = losses.stretches.iter().map(|stretch| LostText {
        text: text[stretch.range.clone()].split_whitespace().collect::<Vec<_>>().join(" "),
        words: stretch.words,
        patterns: stretch.patterns.iter().filter_map(id).collect(),
    });
    lost.collect()
}

fn pattern_figures(losses: &Losses, cleaner: &Cleaner) -> Vec<PatternFigures> {
    let figures = losses.by_pattern.iter().map(|losses| PatternFigures {
        name: losses.pattern.map(|index| PatternName::of(cleaner.pattern(index))),
        sources: Vec::new(),
        documents: usize::from(losses.lost.total() > 0),
        removed: losses.removed,
        lost: losses.lost.clone(),
    });
    figures.collect()
}
