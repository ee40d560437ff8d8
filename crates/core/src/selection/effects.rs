//! The effects of patterns on documents.
//!
//! Takes a source's pattern files and texts. Returns how much of each text is removed. For each pattern, also the
//! rejected ones, it returns where the pattern matches and how much removed text it explains. A person looks at this
//! before deciding on a pattern.

use std::ops::Range;

use rayon::prelude::*;

use crate::cleaning::reading::Match;
use crate::cleaning::reading::regexes::MatchError;
use crate::cleaning::{CleanError, CleanOptions, Cleaner, Cleaning, Expected, Origin, Reading, Scratch};
use crate::pages::PageText;
use crate::patterns::PatternFile;
use crate::tokens::{Token, TokenKind};

/// Number of equal parts of a document, from head to tail, in which matches are counted.
pub const PLACES_OF_DOCUMENT: usize = 32;

/// Maximum number of matches kept for each pattern, each from another document.
const MAX_SAMPLE_MATCHES: usize = 3;

/// The effects of a source's patterns on documents.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// For each text, in the order given. `None` if the text cannot be read or cleaned, or if the caller stopped before
    /// it.
    pub documents: Vec<Option<DocumentEffect>>,
    /// For each pattern, in the order of the files and of the patterns in each file.
    pub patterns: Vec<Vec<PatternEffect>>,
    /// Number of removed bytes that no pattern explains.
    pub unmatched: usize,
    /// How much of the documents is content according to the model, and how much of that is removed.
    pub expected: Expected,
    /// The error of the first text that cannot be cleaned.
    pub failure: Option<String>,
    /// All matches of [`Question::watched`].
    pub watched: Vec<SampleMatch>,
}

/// How much of one document is removed, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentEffect {
    /// Size of the document.
    pub bytes: usize,
    /// Size of the removed text, with the white space that is removed with it.
    pub removed: usize,
}

/// The effect of one pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternEffect {
    /// Number of matches.
    pub matches: usize,
    /// Number of documents with a match.
    pub documents: usize,
    /// Number of bytes that are removed because of this pattern. Where several patterns match, the strongest counts.
    pub removed: usize,
    /// Number of matches that start in each part of a document, from head to tail.
    pub places: [u32; PLACES_OF_DOCUMENT],
    /// Number of matches in which a word, or a match of a mutable pattern, is kept. Accepting the pattern would remove
    /// these matches completely. A match in which only punctuation is kept does not count, nor does a match that meets
    /// a text to keep.
    pub stay: usize,
    /// Some of the matches, each the first in its document.
    pub sample_matches: SampleMatches,
    /// Some of the matches that `stay` counts, each the first in its document.
    pub staying: SampleMatches,
}

/// A match and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleMatch {
    /// The index of the text.
    pub text: usize,
    /// The bytes of the match in the text.
    pub bytes: Range<usize>,
    /// Whether a word of it is kept, see [`PatternEffect::stay`].
    pub stays: bool,
}

/// A few matches, evenly spread over all matches seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleMatches {
    kept: Vec<SampleMatch>,
    seen: usize,
    /// 1 of this number of matches is kept.
    every: usize,
}

impl std::ops::Deref for SampleMatches {
    type Target = [SampleMatch];

    fn deref(&self) -> &[SampleMatch] {
        &self.kept
    }
}

/// The input of [`Effects::of`].
#[derive(Debug)]
pub struct Question<'q> {
    /// The pattern files. The source's own file comes first, as for [`Cleaner::new`].
    pub files: &'q [&'q PatternFile],
    /// How documents are cleaned.
    pub options: &'q CleanOptions,
    /// The pattern whose matches are all returned, if any.
    pub watched: Option<Origin>,
}

impl Effects {
    /// Cleans `texts` texts and collects the effects. `read` returns the text of an index, or `None` if it cannot be
    /// read. Once `go_on` returns false, texts that are not finished are `None` as well.
    pub fn of<'t>(
        question: &Question,
        texts: usize,
        read: impl Fn(usize) -> Option<PageText<'t>> + Sync,
        go_on: impl Fn() -> bool + Sync,
    ) -> Effects {
        /// Number of texts whose effects are in memory at the same time.
        const TEXTS_AT_A_TIME: usize = 256;
        let cleaner = Cleaner::new(question.files, question.options);
        let look = |scratch: &mut Scratch, index: usize| {
            let text = if go_on() { read(index) } else { None };
            let look = Look::at(&cleaner, scratch, &text?, &go_on);
            (!is_stopped(&look)).then_some(look)
        };
        let mut effects = Effects {
            patterns: question.files.iter().map(|file| vec![PatternEffect::default(); file.patterns.len()]).collect(),
            ..Effects::default()
        };
        for start in (0..texts).step_by(TEXTS_AT_A_TIME) {
            let chunk = start..(start + TEXTS_AT_A_TIME).min(texts);
            let looks: Vec<_> = chunk.into_par_iter().map_init(Scratch::default, look).collect();
            looks.into_iter().for_each(|look| effects.add(look, &cleaner, question.watched));
        }
        for pattern in effects.patterns.iter_mut().flatten() {
            pattern.sample_matches.thin_to(MAX_SAMPLE_MATCHES);
            pattern.staying.thin_to(MAX_SAMPLE_MATCHES);
        }
        effects
    }

    /// The sum over all cleaned texts.
    pub fn total(&self) -> DocumentEffect {
        self.documents.iter().flatten().fold(DocumentEffect::default(), |sum, &document| sum.and(document))
    }

    fn add(&mut self, look: Option<Result<Look, CleanError>>, cleaner: &Cleaner, watched: Option<Origin>) {
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
        self.unmatched += look.unmatched;
        self.expected.add(&look.expected);
        for (pattern, removed) in look.removed {
            match cleaner.origin(pattern) {
                Some(origin) => self.pattern_mut(origin).removed += removed,
                None => self.unmatched += removed,
            }
        }
        for (pattern, found) in look.patterns {
            let Some(origin) = cleaner.origin(pattern) else { continue };
            if watched == Some(origin) {
                self.watched.extend(found.iter().map(|found| found.sample_match(index)));
            }
            self.pattern_mut(origin).add(index, &found);
        }
    }

    /// The effect of one pattern.
    pub fn pattern(&self, Origin { file, index }: Origin) -> &PatternEffect {
        &self.patterns[file][index]
    }

    fn pattern_mut(&mut self, Origin { file, index }: Origin) -> &mut PatternEffect {
        &mut self.patterns[file][index]
    }
}

impl DocumentEffect {
    /// The sum of both effects.
    pub fn and(self, other: DocumentEffect) -> DocumentEffect {
        DocumentEffect { bytes: self.bytes + other.bytes, removed: self.removed + other.removed }
    }

    /// The share that is removed, 0..=1.
    pub fn share(self) -> f64 {
        self.removed as f64 / self.bytes.max(1) as f64
    }
}

impl PatternEffect {
    /// Adds the counts of another effect, such as that in another source. The sample matches are not changed.
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
            self.sample_matches.add(first.sample_match(text));
        }
        if let Some(first) = found.iter().find(|found| found.stays) {
            self.staying.add(first.sample_match(text));
        }
    }
}

impl SampleMatches {
    /// Maximum number of matches kept while they are collected. If there are more, every second one is dropped.
    const MOST_SAMPLES: usize = 32;

    fn add(&mut self, sample_match: SampleMatch) {
        if self.seen.is_multiple_of(self.every.max(1)) {
            self.kept.push(sample_match);
        }
        self.seen += 1;
        if self.kept.len() > SampleMatches::MOST_SAMPLES {
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

/// The effects in one text.
struct Look {
    document: DocumentEffect,
    unmatched: usize,
    expected: Expected,
    /// Pattern index and number of removed bytes.
    removed: Vec<(usize, usize)>,
    /// Pattern index and its matches, in the order of the text.
    patterns: Vec<(usize, Vec<Found>)>,
}

/// A match in a text.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its bytes.
    pub bytes: Range<usize>,
    place: usize,
    stays: bool,
}

impl Found {
    /// The match in the text of this index.
    pub fn sample_match(&self, text: usize) -> SampleMatch {
        SampleMatch { text, bytes: self.bytes.clone(), stays: self.stays }
    }
}

impl Look {
    fn at(
        cleaner: &Cleaner,
        scratch: &mut Scratch,
        PageText { text, tree }: &PageText,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Look, CleanError> {
        let reading = cleaner.read_page(scratch, text, tree.as_deref(), go_on)?;
        let cleaning = cleaner.explain(text, &reading);
        let because = cleaning.spans.iter().flat_map(|span| &span.because);
        let removed: Vec<(usize, usize)> = because.map(|(bytes, pattern)| (*pattern, bytes.len())).collect();
        let in_spans: usize = cleaning.spans.iter().map(|span| span.range.len()).sum();
        let left = cleaning.strip(text).len();
        Ok(Look {
            document: DocumentEffect { bytes: text.len(), removed: text.len().saturating_sub(left) },
            unmatched: in_spans - removed.iter().map(|(_, bytes)| bytes).sum::<usize>(),
            expected: cleaning.expected,
            removed,
            patterns: found(cleaner.count(), &reading, &cleaning),
        })
    }
}

fn is_stopped(look: &Result<Look, CleanError>) -> bool {
    matches!(look, Err(CleanError { source: MatchError::Stopped, .. }))
}

/// The matches of each pattern. The indices of rejected patterns follow those of the `applied` ones.
pub fn found(applied: usize, reading: &Reading, cleaning: &Cleaning) -> Vec<(usize, Vec<Found>)> {
    let rejected = reading.rejected.iter().map(|found| (applied + found.pattern, found));
    let mut all: Vec<(usize, &Match)> = reading.found().map(|found| (found.pattern, found)).chain(rejected).collect();
    all.sort_by_key(|(pattern, found)| (*pattern, found.tokens.start, found.tokens.end));
    let tokens = &reading.tokens.tokens;
    let is_kept = |found: &Match| {
        let meets = |kept: &Range<usize>| kept.start < found.tokens.end && found.tokens.start < kept.end;
        reading.kept.iter().any(meets)
    };
    let show = |(_, found): &(usize, &Match)| {
        let bytes = tokens[found.tokens.start].range().start..tokens[found.tokens.end - 1].range().end;
        let place = found.tokens.start * PLACES_OF_DOCUMENT / tokens.len();
        let says_something = |token: &&Token| matches!(token.kind, TokenKind::Word | TokenKind::Mutable(_));
        let words = tokens[found.tokens.clone()].iter().filter(says_something);
        let stays = !is_kept(found) && words.map(Token::range).any(|word| !goes(cleaning, &word));
        Found { place, stays, bytes }
    };
    all.chunk_by(|a, b| a.0 == b.0).map(|found| (found[0].0, found.iter().map(show).collect())).collect()
}

/// Whether the whole range is removed.
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
        let options = CleanOptions { decision: None, ..CleanOptions::default() };
        let question = Question { files: &[&file], options: &options, watched };
        Effects::of(&question, texts.len(), |index| Some(texts[index].into()), || true)
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
        // A person wrote the first 2 patterns, so their matches are removed. The third is rare and is kept inside a
        // sentence.
        let seldom = "  - {id: c, regex: the quay, documents: 1, among: 9}\n";
        let effects = effects(&format!("  - {{id: a, regex: on Monday}}\n{seldom}"), &[STORY], None);
        let told = |index: usize| (effects.patterns[0][index].stay, effects.patterns[0][index].staying.len());
        assert_eq!([told(0), told(1)], [(0, 0), (1, 1)]);
        assert!(effects.patterns[0][1].sample_matches[0].stays);
    }

    #[test]
    fn a_match_of_which_only_punctuation_stays_does_not_stay() {
        // A person wrote the pattern of the words, so these words are removed. The rare pattern matches more than them.
        let stays = |rare: &str| {
            let patterns = format!(
                "  - {{id: a, regex: was late again}}\n  - {{id: c, regex: '{rare}', documents: 1, among: 9}}\n"
            );
            let text = "The ferry was late again. Nobody on the quay knew why or until when.";
            let effects = effects(&patterns, &[text], None);
            (effects.patterns[0][1].matches, effects.patterns[0][1].stay)
        };
        assert_eq!(stays(r"was late again\."), (1, 0));
        assert_eq!(stays(r"was late again\. Nobody"), (1, 1));
    }

    #[test]
    fn a_few_matches_are_kept_from_all_over_the_corpus() {
        let texts = vec!["Home News"; 1000];
        let effects = effects("  - {id: a, regex: Home}\n", &texts, None);
        let kept: Vec<usize> = effects.patterns[0][0].sample_matches.iter().map(|found| found.text).collect();
        assert!(matches!(kept[..], [100..200, 450..550, 800..900]), "{kept:?}");
        assert_eq!(effects.total().bytes, 9000);
    }

    #[test]
    fn who_is_told_to_stop_does() {
        let file = PatternFile::parse(HEAD, &LexerCache::default()).unwrap();
        let question = Question { files: &[&file], options: &CleanOptions::default(), watched: None };
        assert_eq!(Effects::of(&question, 2, |_| Some(STORY.into()), || false).documents, [None, None]);
    }
}
