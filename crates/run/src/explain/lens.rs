//! Finds the matches of one pattern of any status in a text, and what happens to the matched text.

use std::collections::BTreeMap;
use std::ops::Range;

use super::NO_PATTERN;
use dehusk_core::cleaning::reading::regexes::regex_matches;
use dehusk_core::cleaning::{CleanError, CleanOptions, Cleaner, Cleaning, Scratch};
use dehusk_core::html::Tree;
use dehusk_core::patterns::{Form, Pattern, PatternFile, Status};
use dehusk_core::stretches::{common, touching};

/// One pattern among all patterns of a source.
#[derive(Debug)]
pub struct Lens {
    /// The source of the pattern's file.
    pub file: String,
    /// The pattern.
    pub pattern: Pattern,
    /// The cleaner with all patterns of the source. It decides what is removed.
    pub cleaner: Cleaner,
    alone: Cleaner,
}

/// The matches of a pattern in one text.
#[derive(Debug)]
pub struct Matched {
    /// The byte range of each match, sorted. Matches may overlap, but none lies within another.
    pub ranges: Vec<Range<usize>>,
    /// What would be removed from the text. Empty if there is no match.
    pub cleaning: Cleaning,
}

/// The removed and kept bytes of the matched text, without white space. Text that is matched twice counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// Number of removed bytes, by the id of the pattern that explains them.
    pub goes: BTreeMap<String, usize>,
    /// Number of kept bytes.
    pub stays: usize,
}

impl Lens {
    /// A lens for the first of these files that has the pattern.
    pub fn of(id: &str, files: &[&PatternFile], options: &CleanOptions) -> Option<Lens> {
        let in_file = |file: &&PatternFile| file.all().find(|pattern| pattern.id == id).cloned();
        let (file, pattern) = files.iter().find_map(|file| Some((*file, in_file(file)?)))?;
        let accepted = Pattern { status: Status::Accepted, ..pattern.clone() };
        let alone = file.only(vec![accepted]);
        Some(Lens {
            file: file.source.clone(),
            pattern,
            cleaner: Cleaner::new(files, options),
            alone: Cleaner::new(&[&alone], options),
        })
    }

    /// Finds the matches in a text. `tree` is the tree of its page, if the text is from a page.
    ///
    /// # Errors
    /// If the search for a regex that a person wrote was given up.
    pub fn look(&self, scratch: &mut Scratch, text: &str, tree: Option<&Tree>) -> Result<Matched, CleanError> {
        let mut ranges = match &self.pattern.form {
            Form::Run(_) | Form::Block(_) | Form::Elements(_) => self.runs(scratch, text, tree)?,
            Form::Regex(regex) => {
                let gave_up = |source| CleanError { id: self.pattern.id.clone(), source };
                let compiled = regex.compiled().map_err(|error| gave_up(error.into()))?;
                regex_matches(compiled, text).map_err(gave_up)?
            }
        };
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        // A regex is tried from every position, so it also matches inside its longer matches. Those inner matches are
        // dropped.
        let mut end = 0;
        ranges.retain(|range| {
            let reaches_further = range.end > end;
            end = end.max(range.end);
            reaches_further
        });
        // Documents without a match need not be cleaned. For a rare pattern, these are most documents.
        let cleaning = match ranges.is_empty() {
            true => Cleaning::default(),
            false => self.cleaner.explain(text, &self.cleaner.read_page(scratch, text, tree, &|| true)?),
        };
        Ok(Matched { ranges, cleaning })
    }

    fn runs(&self, scratch: &mut Scratch, text: &str, tree: Option<&Tree>) -> Result<Vec<Range<usize>>, CleanError> {
        let reading = self.alone.read_page(scratch, text, tree, &|| true)?;
        let token = |index: usize| reading.tokens.tokens[index].range();
        let bytes = |tokens: &Range<usize>| token(tokens.start).start..token(tokens.end - 1).end;
        Ok(reading.found().map(|found| bytes(&found.tokens)).collect())
    }
}

impl Matched {
    /// Number of matches that overlap the previous one.
    pub fn overlapping(&self) -> usize {
        self.ranges.windows(2).filter(|pair| pair[1].start < pair[0].end).count()
    }

    /// Number of matches of which every byte is kept.
    pub fn whole(&self) -> usize {
        let is_kept = |range: &&Range<usize>| touching(&self.cleaning.spans, range, |span| &span.range).is_empty();
        self.ranges.iter().filter(is_kept).count()
    }

    /// Counts the removed and kept bytes of the matches.
    pub fn fate(&self, text: &str, cleaner: &Cleaner) -> Fate {
        let mut fate = Fate::default();
        let mut end = 0;
        for range in &self.ranges {
            fate.add(text, &(range.start.max(end)..range.end), &self.cleaning, cleaner);
            end = range.end;
        }
        fate
    }
}

impl Fate {
    fn add(&mut self, text: &str, range: &Range<usize>, cleaning: &Cleaning, cleaner: &Cleaner) {
        let mut left = ink(text, range);
        for span in touching(&cleaning.spans, range, |span| &span.range) {
            let mut unmatched = ink(text, &common(&span.range, range));
            left -= unmatched;
            for (part, pattern) in touching(&span.because, range, |(part, _)| part) {
                let bytes = ink(text, &common(part, range));
                unmatched -= bytes;
                self.count(&cleaner.pattern(*pattern).id, bytes);
            }
            self.count(NO_PATTERN, unmatched);
        }
        self.stays += left;
    }

    fn count(&mut self, id: &str, bytes: usize) {
        if bytes > 0 {
            *self.goes.entry(id.to_owned()).or_default() += bytes;
        }
    }

    /// Number of all matched bytes.
    pub fn bytes(&self) -> usize {
        self.stays + self.goes.values().sum::<usize>()
    }
}

impl std::ops::AddAssign<&Fate> for Fate {
    fn add_assign(&mut self, other: &Fate) {
        other.goes.iter().for_each(|(id, bytes)| self.count(id, *bytes));
        self.stays += other.stays;
    }
}

/// Counts of matches in a number of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of documents.
    pub documents: usize,
    /// Number of documents with a match.
    pub with_matches: usize,
    /// Number of matches.
    pub matches: usize,
    /// Number of matches that overlap the previous one.
    pub overlapping: usize,
    /// Number of matches of which every byte is kept.
    pub whole: usize,
    /// The removed and kept bytes of the matches.
    pub fate: Fate,
}

impl Tally {
    /// The tally of a document that was not searched.
    pub fn unasked() -> Tally {
        Tally { documents: 1, ..Tally::default() }
    }

    /// The tally of one document.
    pub fn of(matched: &Matched, text: &str, cleaner: &Cleaner) -> Tally {
        Tally {
            documents: 1,
            with_matches: usize::from(!matched.ranges.is_empty()),
            matches: matched.ranges.len(),
            overlapping: matched.overlapping(),
            whole: matched.whole(),
            fate: matched.fate(text, cleaner),
        }
    }
}

impl std::ops::AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        self.documents += other.documents;
        self.with_matches += other.with_matches;
        self.matches += other.matches;
        self.overlapping += other.overlapping;
        self.whole += other.whole;
        self.fate += &other.fate;
    }
}

/// Number of bytes that are not white space.
fn ink(text: &str, range: &Range<usize>) -> usize {
    text[range.clone()].split_whitespace().map(str::len).sum()
}
