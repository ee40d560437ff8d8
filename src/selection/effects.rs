//! What patterns do to documents.
//!
//! Takes a source's pattern files and texts, gives what goes of each text, and of each pattern, also the rejected ones,
//! where it matches and how much of what goes it explains: what a person wants to see before deciding on it.

use std::ops::Range;

use rayon::prelude::*;

use crate::cleaning::evidence::Match;
use crate::cleaning::regexes::MatchError;
use crate::cleaning::{CleanError, CleanOptions, Cleaner, Cleaning, Origin, Reading, Scratch};
use crate::patterns::PatternFile;

/// A document has so many places, from head to tail.
pub const PLACES: usize = 32;

/// So many of a pattern's matches are kept, each of another document.
const SIGHTINGS: usize = 3;

/// What the patterns of a source do to documents.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Of each text, in the order given. `None` for one that cannot be cleaned, or that was not come to.
    pub documents: Vec<Option<DocumentEffect>>,
    /// Of each pattern, in the order of the files and of the patterns in them.
    pub patterns: Vec<Vec<PatternEffect>>,
    /// Bytes that go though no pattern explains them.
    pub by_shape: usize,
    /// Why the first text that cannot be cleaned cannot be.
    pub failure: Option<String>,
    /// All matches of the pattern that was to be watched.
    pub watched: Vec<Sighting>,
}

/// What goes of one document. In bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentEffect {
    /// All there is.
    pub bytes: usize,
    /// What of it goes, white space that goes with it included.
    pub removed: usize,
}

/// What one pattern does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternEffect {
    /// How often it matches.
    pub matches: usize,
    /// In how many documents.
    pub documents: usize,
    /// Bytes that go because of it: where several patterns match, the strongest counts.
    pub removed: usize,
    /// How many of its matches start in each part of the document, from head to tail.
    pub places: [u32; PLACES],
    /// How many of its matches stay, in whole or in part: what would go as well if a person accepted it. Texts that are
    /// to be kept do not count.
    pub stay: usize,
    /// Some of its matches, each the first in its document.
    pub sightings: Sightings,
    /// Some of those that stay, each the first in its document.
    pub staying: Sightings,
}

/// A match, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// By its number.
    pub text: usize,
    /// Where in it.
    pub bytes: Range<usize>,
    /// Whether it stays, in whole or in part.
    pub stays: bool,
}

/// A few sightings, evenly spread over all there were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sightings {
    kept: Vec<Sighting>,
    seen: usize,
    /// One in so many is kept.
    every: usize,
}

impl std::ops::Deref for Sightings {
    type Target = [Sighting];

    fn deref(&self) -> &[Sighting] {
        &self.kept
    }
}

/// What is looked at.
#[derive(Debug)]
pub struct Question<'q> {
    /// The source's own file first, as for [`Cleaner::new`].
    pub files: &'q [&'q PatternFile],
    /// How documents are cleaned.
    pub options: &'q CleanOptions,
    /// The pattern of which all matches are wanted.
    pub watched: Option<Origin>,
}

impl Effects {
    /// Cleans so many texts, which `read` gives. One that it does not give is `None`, and when `go_on` says no, so are
    /// the one in hand and all that are left.
    pub fn of<T: AsRef<str>>(
        question: &Question,
        texts: usize,
        read: impl Fn(usize) -> Option<T> + Sync,
        go_on: impl Fn() -> bool + Sync,
    ) -> Effects {
        /// What is seen in so many texts is in memory at a time.
        const AT_A_TIME: usize = 256;
        let cleaner = Cleaner::new(question.files, question.options);
        let look = |scratch: &mut Scratch, index: usize| {
            let text = if go_on() { read(index) } else { None };
            let look = Look::at(&cleaner, scratch, text?.as_ref(), &go_on);
            (!is_stopped(&look)).then_some(look)
        };
        let mut effects = Effects {
            patterns: question.files.iter().map(|file| vec![PatternEffect::default(); file.patterns.len()]).collect(),
            ..Effects::default()
        };
        for start in (0..texts).step_by(AT_A_TIME) {
            let chunk = start..(start + AT_A_TIME).min(texts);
            let looks: Vec<_> = chunk.into_par_iter().map_init(Scratch::default, look).collect();
            looks.into_iter().for_each(|look| effects.add(look, cleaner.origins(), question.watched));
        }
        for pattern in effects.patterns.iter_mut().flatten() {
            pattern.sightings.thin_to(SIGHTINGS);
            pattern.staying.thin_to(SIGHTINGS);
        }
        effects
    }

    /// All text that was looked at, and what of it goes. In bytes.
    pub fn total(&self) -> DocumentEffect {
        self.documents.iter().flatten().fold(DocumentEffect::default(), |sum, &document| sum.and(document))
    }

    fn add(&mut self, look: Option<Result<Look, CleanError>>, origins: &[Origin], watched: Option<Origin>) {
        let index = self.documents.len();
        let look = match look {
            Some(Ok(look)) => look,
            Some(Err(error)) => {
                self.failure.get_or_insert_with(|| error.to_string());
                return self.documents.push(None);
            }
            None => return self.documents.push(None),
        };
        self.documents.push(Some(look.document));
        self.by_shape += look.by_shape;
        for (pattern, removed) in look.removed {
            self.pattern_mut(origins[pattern]).removed += removed;
        }
        for (pattern, found) in look.patterns {
            if watched == Some(origins[pattern]) {
                self.watched.extend(found.iter().map(|found| found.sighting(index)));
            }
            self.pattern_mut(origins[pattern]).add(index, &found);
        }
    }

    /// What one pattern does.
    pub fn pattern(&self, Origin { file, index }: Origin) -> &PatternEffect {
        &self.patterns[file][index]
    }

    fn pattern_mut(&mut self, Origin { file, index }: Origin) -> &mut PatternEffect {
        &mut self.patterns[file][index]
    }
}

impl DocumentEffect {
    /// Both together.
    pub fn and(self, other: DocumentEffect) -> DocumentEffect {
        DocumentEffect { bytes: self.bytes + other.bytes, removed: self.removed + other.removed }
    }

    /// The share that goes, 0..=1.
    pub fn share(self) -> f64 {
        self.removed as f64 / self.bytes.max(1) as f64
    }
}

impl PatternEffect {
    /// Adds what the pattern does elsewhere; the sightings stay those of here.
    pub fn add_counts(&mut self, other: &PatternEffect) {
        self.matches += other.matches;
        self.documents += other.documents;
        self.removed += other.removed;
        self.places.iter_mut().zip(other.places).for_each(|(sum, count)| *sum += count);
    }

    fn add(&mut self, text: usize, found: &[Found]) {
        self.matches += found.len();
        self.documents += 1;
        found.iter().for_each(|found| self.places[found.place] += 1);
        self.stay += found.iter().filter(|found| found.stays).count();
        if let Some(first) = found.first() {
            self.sightings.add(first.sighting(text));
        }
        if let Some(first) = found.iter().find(|found| found.stays) {
            self.staying.add(first.sighting(text));
        }
    }
}

impl Sightings {
    /// While they are gathered there may be so many.
    const MOST: usize = 32;

    fn add(&mut self, sighting: Sighting) {
        if self.seen.is_multiple_of(self.every.max(1)) {
            self.kept.push(sighting);
        }
        self.seen += 1;
        if self.kept.len() > Sightings::MOST {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.every = 2 * self.every.max(1);
        }
    }

    fn thin_to(&mut self, few: usize) {
        let all = std::mem::take(&mut self.kept);
        let few = all.len().min(few);
        self.kept = (0..few).map(|index| all[(2 * index + 1) * all.len() / (2 * few)].clone()).collect();
    }
}

/// What is seen in one text.
struct Look {
    document: DocumentEffect,
    by_shape: usize,
    /// Bytes that go by pattern.
    removed: Vec<(usize, usize)>,
    /// By pattern, in the order of the text.
    patterns: Vec<(usize, Vec<Found>)>,
}

struct Found {
    bytes: Range<usize>,
    place: usize,
    stays: bool,
}

impl Found {
    fn sighting(&self, text: usize) -> Sighting {
        Sighting { text, bytes: self.bytes.clone(), stays: self.stays }
    }
}

impl Look {
    fn at(cleaner: &Cleaner, scratch: &mut Scratch, text: &str, go_on: &dyn Fn() -> bool) -> Result<Look, CleanError> {
        let reading = cleaner.read_while(scratch, text, go_on)?;
        let cleaning = cleaner.cleaning(text, &reading);
        let because = cleaning.spans.iter().flat_map(|span| &span.because);
        let removed: Vec<(usize, usize)> = because.map(|(bytes, pattern)| (*pattern, bytes.len())).collect();
        let in_spans: usize = cleaning.spans.iter().map(|span| span.range.len()).sum();
        let left = cleaning.strip(text).len();
        Ok(Look {
            document: DocumentEffect { bytes: text.len(), removed: text.len().saturating_sub(left) },
            by_shape: in_spans - removed.iter().map(|(_, bytes)| bytes).sum::<usize>(),
            removed,
            patterns: found(cleaner.patterns().len(), &reading, &cleaning),
        })
    }
}

fn is_stopped(look: &Result<Look, CleanError>) -> bool {
    matches!(look, Err(CleanError { source: MatchError::Stopped, .. }))
}

/// The matches of each pattern, those that are rejected behind the `applied` ones.
fn found(applied: usize, reading: &Reading, cleaning: &Cleaning) -> Vec<(usize, Vec<Found>)> {
    let rejected = reading.rejected.iter().map(|found| (applied + found.pattern, found));
    let mut all: Vec<(usize, &Match)> =
        reading.matches.iter().map(|found| (found.pattern, found)).chain(rejected).collect();
    all.sort_by_key(|(pattern, found)| (*pattern, found.tokens.start, found.tokens.end));
    let tokens = &reading.tokens.tokens;
    let is_kept = |found: &Match| {
        let meets = |kept: &Range<usize>| kept.start < found.tokens.end && found.tokens.start < kept.end;
        reading.kept.iter().any(meets)
    };
    let show = |(_, found): &(usize, &Match)| {
        let bytes = tokens[found.tokens.start].range().start..tokens[found.tokens.end - 1].range().end;
        let place = found.tokens.start * PLACES / tokens.len();
        Found { place, stays: !goes(cleaning, &bytes) && !is_kept(found), bytes }
    };
    all.chunk_by(|a, b| a.0 == b.0).map(|found| (found[0].0, found.iter().map(show).collect())).collect()
}

/// Whether all of a range is removed.
fn goes(cleaning: &Cleaning, bytes: &Range<usize>) -> bool {
    let after = cleaning.spans.partition_point(|span| span.range.start <= bytes.start);
    after.checked_sub(1).is_some_and(|index| bytes.end <= cleaning.spans[index].range.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::LexerCache;

    const HEAD: &str = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\n";
    const STORY: &str = "The ferry was late again on Monday, and nobody on the quay knew why or until when.";

    fn effects(patterns: &str, texts: &[&str], watched: Option<Origin>) -> Effects {
        let file = PatternFile::parse(&format!("{HEAD}patterns:\n{patterns}"), &LexerCache::default()).unwrap();
        let options = CleanOptions { shape: None, ..CleanOptions::default() };
        let question = Question { files: &[&file], options: &options, watched };
        Effects::of(&question, texts.len(), |index| Some(texts[index]), || true)
    }

    #[test]
    fn each_pattern_is_told_what_it_does_also_a_rejected_one() {
        let home = format!("Home News\n{STORY}\n");
        let patterns = "  - {id: a, regex: Home News}\n  - {id: b, regex: News}\n  \
                        - {id: c, status: rejected, regex: ferry}\n  - {id: d, regex: Sport}\n";
        let effects = effects(patterns, &[&home, STORY], Some(Origin { file: 0, index: 3 }));
        let told = |index: usize| {
            let PatternEffect { matches, documents, removed, .. } = effects.patterns[0][index];
            [matches, documents, removed]
        };
        // Sorted by regex: Home News, News, Sport, ferry.
        assert_eq!([told(0), told(1), told(2), told(3)], [[1, 1, 9], [1, 1, 0], [0, 0, 0], [2, 2, 0]]);
        assert_eq!(
            effects.watched.iter().map(|found| (found.text, found.bytes.start)).collect::<Vec<_>>(),
            [(0, 14), (1, 4)]
        );
        assert_eq!(effects.documents[0], Some(DocumentEffect { bytes: home.len(), removed: 10 }));
        assert_eq!(effects.patterns[0][0].places[0], 1);
    }

    #[test]
    fn what_stays_is_told_apart() {
        // A person wrote the first two: what they match goes. The third is seldom, and stays within a sentence.
        let seldom = "  - {id: c, regex: the quay, documents: 1, among: 9}\n";
        let effects = effects(&format!("  - {{id: a, regex: on Monday}}\n{seldom}"), &[STORY], None);
        let told = |index: usize| (effects.patterns[0][index].stay, effects.patterns[0][index].staying.len());
        assert_eq!([told(0), told(1)], [(0, 0), (1, 1)]);
        assert!(effects.patterns[0][1].sightings[0].stays);
    }

    #[test]
    fn a_few_matches_are_kept_from_all_over_the_corpus() {
        let texts = vec!["Home News"; 1000];
        let effects = effects("  - {id: a, regex: Home}\n", &texts, None);
        let kept: Vec<usize> = effects.patterns[0][0].sightings.iter().map(|found| found.text).collect();
        assert!(matches!(kept[..], [100..200, 450..550, 800..900]), "{kept:?}");
        assert_eq!(effects.total().bytes, 9000);
    }

    #[test]
    fn who_is_told_to_stop_does() {
        let file = PatternFile::parse(HEAD, &LexerCache::default()).unwrap();
        let question = Question { files: &[&file], options: &CleanOptions::default(), watched: None };
        assert_eq!(Effects::of(&question, 2, |_| Some(STORY), || false).documents, [None, None]);
    }
}
