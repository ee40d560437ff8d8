//! The few patterns that remove what the many remove.
//!
//! Takes pattern files and texts of a source, gives the patterns that are needed. Mined patterns overlap: "Home",
//! "Home | News" and "Home | News | Sport" each recur in other documents, and nobody wants to review all three where
//! one will do. What all patterns together remove is the measure: those that remove most of it are taken first, until
//! nearly all of it goes.
//!
//! Stands above mining and cleaning, and uses cleaning to see what goes. What people decided is never thinned out.

mod page;
mod selection;

use std::collections::HashSet;

use rayon::prelude::*;

use crate::cleaning::evidence::Match;
use crate::cleaning::matcher::Tokens;
use crate::cleaning::{CleanOptions, Cleaner, Method, Reading, Scratch};
use crate::patterns::{Pattern, PatternFile, Status};
use page::Page;
use selection::select;

/// Of a source with more documents, only so many are looked at: templates recur in a twentieth of them or more.
pub const MAX_LOOKED_AT: usize = 500;

/// The documents to look at, evenly spread.
pub fn looked_at<T>(documents: &[T]) -> impl Iterator<Item = &T> {
    let looked_at = documents.len().min(MAX_LOOKED_AT);
    (0..looked_at).map(move |index| &documents[index * documents.len() / looked_at])
}

/// The ids of the patterns that are needed to remove from the texts what all patterns of the files remove, by either
/// method of cleaning. Those a person touched are taken for given.
pub fn needed<T: AsRef<str> + Sync>(files: &[&PatternFile], texts: &[T]) -> HashSet<String> {
    let cleaner = Cleaner::new(files, &CleanOptions::default());
    let samples = samples(&cleaner, &cleaner_of_rejected(files), texts);
    let mut chosen: Vec<bool> = cleaner.patterns().iter().map(Pattern::is_touched).collect();
    // The union of matches first: what it needs is strong evidence to the other method as well.
    for method in [Method::Union { merge_gap: 0 }, Method::Smooth] {
        let pages = samples.par_iter().map(|sample| Page::new(&cleaner, sample, method)).collect();
        chosen = select(&cleaner, pages, chosen);
    }
    let chosen = cleaner.patterns().iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
    chosen.map(|(pattern, _)| pattern.id.clone()).collect()
}

/// Leaves out of a file what is neither needed nor touched by a person.
pub fn thin(file: &mut PatternFile, is_needed: impl Fn(&str) -> bool) {
    file.patterns.retain(|pattern| pattern.is_touched() || is_needed(&pattern.id));
}

/// A document that is looked at.
struct Sample<'t> {
    text: &'t str,
    /// Its matches by pattern, then from left to right.
    reading: Reading,
    /// Which tokens a rejected pattern matches: nothing is needed to remove them. Empty if nothing is rejected.
    stays: Vec<bool>,
}

/// Reads the texts. Where a regex that a person wrote gives up, cleaning skips the document, and so does this.
fn samples<'t, T: AsRef<str> + Sync>(cleaner: &Cleaner, rejected: &Cleaner, texts: &'t [T]) -> Vec<Sample<'t>> {
    // A scratch space takes its time to warm up, so each is used for many.
    const TEXTS_PER_SCRATCH: usize = 64;
    let read_chunk = |texts: &'t [T]| {
        let (mut scratch, mut of_rejected) = (cleaner.scratch(), rejected.scratch());
        let read = |text: &'t T| Sample::read(cleaner, &mut scratch, rejected, &mut of_rejected, text.as_ref());
        texts.iter().filter_map(read).collect::<Vec<Sample>>()
    };
    texts.par_chunks(TEXTS_PER_SCRATCH).flat_map_iter(read_chunk).collect()
}

impl<'t> Sample<'t> {
    fn read(
        cleaner: &Cleaner,
        scratch: &mut Scratch,
        rejected: &Cleaner,
        of_rejected: &mut Scratch,
        text: &'t str,
    ) -> Option<Sample<'t>> {
        let mut reading = cleaner.read(scratch, text).ok()?;
        reading.matches.sort_unstable_by_key(|found| (found.pattern, found.tokens.start, found.tokens.end));
        let stays = match rejected.patterns() {
            [] => Vec::new(),
            _ => matched(&rejected.read(of_rejected, text).ok()?, &reading.tokens),
        };
        Some(Sample { text, reading, stays })
    }
}

/// Which tokens lie in a match of another reading of their text.
fn matched(Reading { tokens: read, matches }: &Reading, tokens: &Tokens) -> Vec<bool> {
    let mut matched = vec![false; tokens.tokens.len()];
    for Match { tokens: found, .. } in matches {
        let bytes = read.tokens[found.start].range().start..read.tokens[found.end - 1].range().end;
        matched[tokens.within(&bytes)].fill(true);
    }
    matched
}

/// Matches what people rejected: other patterns that match the same text are not needed for it.
fn cleaner_of_rejected(files: &[&PatternFile]) -> Cleaner {
    let rejected_of = |file: &&PatternFile| {
        let mut rejected = PatternFile::clone(file);
        rejected.patterns.retain(|pattern| pattern.status == Status::Rejected);
        rejected.patterns.iter_mut().for_each(|pattern| pattern.status = Status::Proposed);
        rejected
    };
    let rejected: Vec<PatternFile> = files.iter().map(rejected_of).collect();
    Cleaner::new(&rejected.iter().collect::<Vec<_>>(), &CleanOptions::default())
}
