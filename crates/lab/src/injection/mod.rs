//! The injection test: templates of known kinds are put into clean text at known places.
//!
//! Takes clean texts, puts one template into some of them ([`Trial`]), and mines and cleans all texts as one source.
//! Counts how much of the inserted text was removed, and how much of the original text was removed with it ([`Tally`]).
//! The inserted bytes are known, so the counts are exact. Characters are counted, without white space. The text in the
//! slots of a template is part of the template.
//!
//! All randomness comes from a seed. The random numbers of a trial depend only on the seed and the trial.

pub mod figures;
mod flowing_text;
mod placing;
mod templates;
mod zipf;

use std::ops::Range;

use serde::Serialize;

use dehusk_core::cleaning::{CleanError, CleanOptions, Cleaner, Scratch};
use dehusk_core::mining::cross_source::cross_source;
use dehusk_core::mining::{MineOptions, mine_texts};
use dehusk_core::patterns::PatternFile;
use dehusk_core::random::Random;
use dehusk_core::tokens::{Lexer, TooManyTokens};

pub use flowing_text::flowing_texts;
pub use placing::Insertion;
pub use templates::{Fillers, Kind};

/// A template in fewer documents does not recur, and cannot be found.
pub const MIN_CARRIERS: usize = 2;
/// Maximum number of words of a headline that fills a slot in other documents.
const MAX_HEADLINE_WORDS: usize = 12;

/// One template, injected in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Trial {
    /// Number of documents.
    pub documents: usize,
    /// The kind of the template.
    pub kind: Kind,
    /// Where it is inserted.
    pub place: Insertion,
    /// The percentage of documents that get the template.
    pub percent: usize,
    /// The template, with slots in braces.
    pub template: &'static str,
}

/// Counts of characters without white space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Number of documents with a template.
    pub carriers: usize,
    /// Number of characters inserted.
    pub injected: usize,
    /// Number of inserted characters that were removed.
    pub removed: usize,
    /// Number of characters of the original texts.
    pub original: usize,
    /// Number of original characters that were removed.
    pub lost: usize,
}

/// A text, perhaps with a template inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// The text, with the template if there is one.
    pub text: String,
    /// The inserted bytes, with the white space around them. Without them the text is the original.
    pub range: Option<Range<usize>>,
}

/// Why a trial failed.
#[derive(Debug, thiserror::Error)]
pub enum InjectionError {
    /// The texts are too large to mine.
    #[error(transparent)]
    Mining(#[from] TooManyTokens),
    /// A pattern could not be applied.
    #[error(transparent)]
    Cleaning(#[from] CleanError),
}

/// Clean texts, and the options for mining and cleaning them.
#[derive(Debug)]
pub struct Experiment {
    texts: Vec<String>,
    headlines: Vec<String>,
    seed: u64,
    lexer: Lexer,
    mining: MineOptions,
    cleaning: CleanOptions,
}

impl Trial {
    /// All trials: every kind of template at every place, for these corpus sizes and percentages, with at most
    /// `templates` templates of each kind. Trials in which the template would not recur are left out.
    pub fn all(documents: &[usize], percents: &[usize], templates: usize) -> Vec<Trial> {
        let mut trials = Vec::new();
        for &documents in documents {
            for kind in Kind::ALL {
                for place in Insertion::ALL {
                    for &percent in percents {
                        let of_kind = kind.templates(place).take(templates);
                        trials.extend(of_kind.map(|template| Trial { documents, kind, place, percent, template }));
                    }
                }
            }
        }
        trials.retain(|trial| trial.carriers() >= MIN_CARRIERS);
        trials
    }

    /// Number of documents that get the template.
    pub fn carriers(&self) -> usize {
        (self.documents * self.percent + 50) / 100
    }

    /// The random numbers of this trial. They do not depend on the percentage: with a larger percentage, the same
    /// documents have the template, and further ones.
    fn random(&self, seed: u64) -> Random {
        let [kind, number] = self.kind.numbers(self.template);
        Random::along(seed, &[3, self.documents as u64, kind, self.place as u64, number])
    }
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: &Tally) {
        self.carriers += other.carriers;
        self.injected += other.injected;
        self.removed += other.removed;
        self.original += other.original;
        self.lost += other.lost;
    }

    /// The share of inserted characters that was removed, 0..=1. `None` if none were inserted.
    pub fn removed_share(&self) -> Option<f64> {
        (self.injected > 0).then(|| self.removed as f64 / self.injected as f64)
    }

    /// The share of original characters that was removed, 0..=1. `None` if there were none.
    pub fn lost_share(&self) -> Option<f64> {
        (self.original > 0).then(|| self.lost as f64 / self.original as f64)
    }
}

impl Experiment {
    /// An experiment with texts without templates, which are shuffled by the seed.
    pub fn new(mut texts: Vec<String>, seed: u64, lexer: Lexer, mining: MineOptions, cleaning: CleanOptions) -> Self {
        texts.retain(|text| !text.trim().is_empty());
        Random::along(seed, &[4]).shuffle(&mut texts);
        let headlines = texts.iter().map(|text| headline(text)).collect();
        Experiment { texts, headlines, seed, lexer, mining, cleaning }
    }

    /// Number of texts.
    pub fn documents(&self) -> usize {
        self.texts.len()
    }

    /// The texts of a trial, some with the template. A text without a suitable place gets none, so there may be fewer
    /// carriers than wanted.
    ///
    /// # Panics
    /// If the trial wants more documents than there are.
    pub fn inject(&self, trial: &Trial) -> Vec<Injected> {
        let texts = &self.texts[..trial.documents];
        let positions: Vec<Vec<usize>> = texts.iter().map(|text| trial.place.positions(text)).collect();
        let mut random = trial.random(self.seed);
        let fillers = Fillers::new(&self.headlines[..trial.documents], &mut random);
        let mut order: Vec<usize> = (0..texts.len()).filter(|&document| !positions[document].is_empty()).collect();
        random.shuffle(&mut order);
        let mut injected: Vec<Injected> =
            texts.iter().map(|text| Injected { text: text.clone(), range: None }).collect();
        for &document in order.iter().take(trial.carriers()) {
            let template = fillers.fill(trial.template, document, &mut random);
            let at = *random.pick(&positions[document]);
            let (text, range) = trial.place.insert(&texts[document], at, &template);
            injected[document] = Injected { text, range: Some(range) };
        }
        injected
    }

    /// Inserts, mines, cleans and counts.
    pub fn run(&self, trial: &Trial) -> Result<Tally, InjectionError> {
        self.tally(&self.inject(trial))
    }

    /// Mines and cleans the first texts unchanged. All removed text is lost, without any injection.
    pub fn run_untouched(&self, documents: usize) -> Result<Tally, InjectionError> {
        let untouched = |text: &String| Injected { text: text.clone(), range: None };
        self.tally(&self.texts[..documents].iter().map(untouched).collect::<Vec<_>>())
    }

    fn tally(&self, documents: &[Injected]) -> Result<Tally, InjectionError> {
        let patterns = self.patterns(documents)?;
        let cleaner = Cleaner::new(&[&patterns], &self.cleaning);
        let mut scratch = Scratch::default();
        let mut tally = Tally::default();
        for document in documents {
            let cleaning = cleaner.clean(&mut scratch, &document.text)?;
            let cuts = cleaning.cuts(&document.text).into_iter().map(|cut| cut.range);
            tally.add(&count(document, cuts));
        }
        Ok(tally)
    }

    fn patterns(&self, documents: &[Injected]) -> Result<PatternFile, InjectionError> {
        let texts: Vec<&str> = documents.iter().map(|document| document.text.as_str()).collect();
        let mined = [mine_texts(&texts, &self.lexer, &self.mining)?];
        let own = cross_source(&mined).own.into_iter().next().unwrap_or_default();
        Ok(PatternFile::of_templates("injection", mined[0].facts(), own, &self.lexer))
    }
}

/// Counts how much injected and original text of one document `cuts` remove.
fn count(Injected { text, range }: &Injected, cuts: impl Iterator<Item = Range<usize>>) -> Tally {
    let range = range.clone().unwrap_or_default();
    let within = |cut: &Range<usize>| cut.start.max(range.start)..cut.end.min(range.end);
    let (mut removed, mut gone) = (0, 0);
    for cut in cuts {
        removed += text.get(within(&cut)).map_or(0, characters);
        gone += characters(&text[cut]);
    }
    let injected = characters(&text[range.clone()]);
    let original = characters(text) - injected;
    Tally { carriers: usize::from(!range.is_empty()), injected, removed, original, lost: gone - removed }
}

fn characters(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// The headline by which other documents refer to this one: its first line, or the start of that line.
fn headline(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.split_whitespace().take(MAX_HEADLINE_WORDS).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use dehusk_core::tokens::{MutableSet, Tokenizer};

    fn experiment(documents: usize) -> Experiment {
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        Experiment::new(flowing_texts(1, documents), 1, lexer, MineOptions::default(), CleanOptions::default())
    }

    fn trial(kind: Kind, place: Insertion, percent: usize) -> Trial {
        let template = kind.templates(place).next().unwrap();
        Trial { documents: 20, kind, place, percent, template }
    }

    #[test]
    fn without_what_was_put_in_the_texts_are_what_they_were() {
        let experiment = experiment(20);
        for trial in Trial::all(&[20], &[100, 20], 8) {
            let injected = experiment.inject(&trial);
            let eligible = experiment.texts.iter().filter(|text| !trial.place.positions(text).is_empty()).count();
            let carriers = injected.iter().filter(|document| document.range.is_some()).count();
            assert_eq!(carriers, trial.carriers().min(eligible), "{trial:?}");
            for (Injected { text, range }, original) in injected.iter().zip(&experiment.texts) {
                let range = range.clone().unwrap_or_default();
                assert_eq!([&text[..range.start], &text[range.end..]].concat(), *original, "{trial:?}");
            }
        }
    }

    #[test]
    fn what_carries_a_template_carries_it_with_every_larger_share() {
        let experiment = experiment(20);
        let few = experiment.inject(&trial(Kind::FreeSlots, Insertion::MidSentence, 20));
        let many = experiment.inject(&trial(Kind::FreeSlots, Insertion::MidSentence, 50));
        assert!(few.iter().zip(&many).all(|(few, many)| few.range.is_none() || few == many));
    }

    #[test]
    fn the_same_seed_gives_the_same_counts() {
        let trial = trial(Kind::MutableSlots, Insertion::Line, 50);
        assert_eq!(experiment(20).run(&trial).unwrap(), experiment(20).run(&trial).unwrap());
    }

    #[test]
    fn what_every_document_begins_or_ends_with_goes_and_nothing_else() {
        let experiment = experiment(20);
        for place in [Insertion::Head, Insertion::Tail] {
            let tally = experiment.run(&trial(Kind::Constant, place, 100)).unwrap();
            assert_eq!((tally.carriers, tally.removed), (20, tally.injected), "{place:?}");
            assert!(tally.lost_share() < Some(0.001), "{place:?}: {tally:?}");
        }
    }

    #[test]
    fn characters_on_both_sides_of_the_injected_are_lost() {
        let document = Injected { text: "one two\nthree four\n".to_owned(), range: Some(4..14) };
        let tally = count(&document, [1..6, 12..17].into_iter());
        assert_eq!(tally, Tally { carriers: 1, injected: 8, removed: 3, original: 7, lost: 5 });
        let untouched = Injected { range: None, ..document };
        assert_eq!(count(&untouched, std::iter::once(0..3)), Tally { original: 15, lost: 3, ..Tally::default() });
    }
}
