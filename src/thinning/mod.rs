//! The few patterns that remove what the many remove.
//!
//! Takes a source's pattern file and texts, gives the file with the patterns that are needed. Mined patterns overlap: "Home",
//! "Home | News" and "Home | News | Sport" each recur in other documents, and nobody wants to review all three where
//! one will do. What all patterns together remove is the measure: those that remove most of it are taken first, until
//! nearly all of it goes.
//!
//! Stands above mining and cleaning, and uses cleaning to see what goes. What people decided is never thinned out, and
//! neither are the shared patterns: they also serve sources that have no others.

mod page;
mod selection;

use std::collections::HashSet;

use rayon::prelude::*;

use crate::cleaning::{CleanOptions, Cleaner, Method, Reading, Scratch};
use crate::patterns::{Pattern, PatternFile};
use page::Page;
use selection::select;

/// Of a source with more documents, only so many are looked at: templates recur in a twentieth of them or more.
pub const MAX_LOOKED_AT: usize = 500;

/// The documents to look at, evenly spread.
pub fn looked_at<T>(documents: &[T]) -> impl Iterator<Item = &T> {
    let looked_at = documents.len().min(MAX_LOOKED_AT);
    (0..looked_at).map(move |index| &documents[index * documents.len() / looked_at])
}

/// A source's file with only the patterns that are needed to remove from the texts what all of them remove together
/// with the shared ones, by any method of cleaning. What a person touched stays in any case.
pub fn thinned<T: AsRef<str> + Sync>(own: &PatternFile, shared: Option<&PatternFile>, texts: &[T]) -> PatternFile {
    let files: Vec<&PatternFile> = [own].into_iter().chain(shared).collect();
    let cleaner = Cleaner::new(&files, &CleanOptions { shape: None, ..CleanOptions::default() });
    let with_shape = Cleaner::new(&files, &CleanOptions::default());
    let samples = samples(&cleaner, texts);
    let own_ids: HashSet<&str> = own.patterns.iter().map(|pattern| pattern.id.as_str()).collect();
    let is_given = |pattern: &Pattern| pattern.is_touched() || !own_ids.contains(pattern.id.as_str());
    let mut chosen: Vec<bool> = cleaner.patterns().iter().map(is_given).collect();
    // The union of matches first: what it needs is strong evidence to the other methods as well.
    let (union, smooth) = (Method::Union { merge_gap: 0 }, Method::Smooth);
    let methods = [(&cleaner, union), (&cleaner, smooth), (&with_shape, smooth)];
    for (cleaner, method) in methods {
        let pages = samples.par_iter().map(|sample| Page::new(cleaner, sample, method)).collect();
        chosen = select(cleaner, pages, chosen);
    }
    let needed = cleaner.patterns().iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
    let needed: HashSet<&str> = needed.map(|(pattern, _)| pattern.id.as_str()).collect();
    let mut thinned = own.clone();
    thinned.patterns.retain(|pattern| pattern.is_touched() || needed.contains(pattern.id.as_str()));
    thinned
}

/// A document that is looked at.
struct Sample<'t> {
    text: &'t str,
    /// Its matches by pattern, then from left to right.
    reading: Reading,
}

/// Reads the texts. Where a regex that a person wrote gives up, cleaning skips the document, and so does this.
fn samples<'t, T: AsRef<str> + Sync>(cleaner: &Cleaner, texts: &'t [T]) -> Vec<Sample<'t>> {
    // A scratch space takes its time to warm up, so each is used for many.
    const TEXTS_PER_SCRATCH: usize = 64;
    let read_chunk = |texts: &'t [T]| {
        let mut scratch = cleaner.scratch();
        let read = |text: &'t T| Sample::read(cleaner, &mut scratch, text.as_ref());
        texts.iter().filter_map(read).collect::<Vec<Sample>>()
    };
    texts.par_chunks(TEXTS_PER_SCRATCH).flat_map_iter(read_chunk).collect()
}

impl<'t> Sample<'t> {
    fn read(cleaner: &Cleaner, scratch: &mut Scratch, text: &'t str) -> Option<Sample<'t>> {
        let mut reading = cleaner.read(scratch, text).ok()?;
        reading.matches.sort_unstable_by_key(|found| (found.pattern, found.tokens.start, found.tokens.end));
        Some(Sample { text, reading })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::{LexerCache, Status, id_of, regex};

    /// A file of patterns for these lines, each whole, or part of a line if it ends in `...`; proposed, and in so many
    /// of ten documents.
    fn file(patterns: &[(&str, usize)]) -> PatternFile {
        let head =
            "dehusk: 1\nsource: s\nmined: {documents: 10, tokens: 99, cutoff: 0.5, tokenizer: words}\npatterns:\n";
        let lexer = PatternFile::parse(head, &LexerCache::default()).unwrap().lexer;
        let written = patterns.iter().map(|(text, documents)| {
            let regex = match text.strip_suffix("...") {
                Some(part) => format!(r"(?<!\S){}(?!\w)", part.replace(' ', r"\s+")),
                None => format!(r"(?m)^\s*{}\s*$", text.replace('\n', r"\s*\n\s*").replace(' ', r"\s+")),
            };
            let id = id_of(&regex::parse(&regex, &lexer).unwrap(), lexer.mutable(), 8);
            format!(
                "  - {{id: '{id}', regex: '{regex}', documents: {documents}, example: '{}'}}\n",
                text.replace('\n', " ")
            )
        });
        PatternFile::parse(&(head.to_owned() + &written.collect::<String>()), &LexerCache::default()).unwrap()
    }

    /// What is left of the file: the examples.
    fn left(file: &PatternFile, shared: Option<&PatternFile>, texts: &[&str]) -> Vec<String> {
        thinned(file, shared, texts).patterns.into_iter().map(|pattern| pattern.example).collect()
    }

    fn decide(file: &mut PatternFile, example: &str, status: Status) {
        file.patterns.iter_mut().filter(|pattern| pattern.example == example).for_each(|found| found.status = status);
    }

    const PAGE: &str = "Home and News and Sport\n\nThe pier is open again.\n\nAll about the Daily Post\n";
    const REST: &str = "Home and News and Sport\n\nA ferry came.\n\nAll about the Daily Post\n";

    #[test]
    fn what_others_remove_is_not_needed() {
        let file = file(&[
            ("Home and News and Sport", 10),
            ("News and Sport...", 10),
            ("Home and News...", 10),
            ("All about the Daily Post", 10),
            ("the Daily...", 10),
            ("pier is...", 2),
        ]);
        assert_eq!(left(&file, None, &[PAGE, REST]), ["All about the Daily Post", "Home and News and Sport"]);
    }

    #[test]
    fn a_rare_kind_of_page_keeps_its_patterns() {
        let rare = "Home and News and Sport\n\nPictures of the day\n\nA boat.\n";
        let mut texts = vec![PAGE; 400];
        texts.push(rare);
        let file =
            file(&[("Home and News and Sport", 10), ("All about the Daily Post", 9), ("Pictures of the day", 1)]);
        assert_eq!(left(&file, None, &texts).len(), 3);
    }

    #[test]
    fn what_a_person_decided_stays_and_other_patterns_are_not_needed_beside_it() {
        let mut file = file(&[("Home and News and Sport", 10), ("News and Sport...", 10), ("Home and News...", 10)]);
        file.patterns.iter_mut().filter(|p| p.example == "Home and News...").for_each(|p| p.note = "hm".to_owned());
        decide(&mut file, "News and Sport...", Status::Accepted);
        assert_eq!(left(&file, None, &[PAGE]), ["Home and News...", "News and Sport..."]);
    }

    #[test]
    fn nothing_is_needed_for_what_a_person_rejected() {
        let patterns = [("Home and News and Sport", 10), ("Home and News...", 10), ("All about the Daily Post", 10)];
        let mut file = file(&patterns);
        decide(&mut file, "Home and News and Sport", Status::Rejected);
        assert_eq!(left(&file, None, &[PAGE]), ["All about the Daily Post", "Home and News and Sport"]);
    }

    #[test]
    fn what_shared_patterns_remove_is_not_needed() {
        let own = file(&[("Home and News and Sport", 10), ("All about the Daily Post", 10)]);
        let shared = file(&[("Home and News and Sport...", 10), ("Home and News...", 10)]);
        assert_eq!(left(&own, Some(&shared), &[PAGE]), ["All about the Daily Post"]);
    }

    #[test]
    fn without_texts_nothing_is_needed() {
        assert!(left(&file(&[("Home and News", 10)]), None, &[]).is_empty());
        assert!(left(&file(&[]), None, &[PAGE]).is_empty());
    }

    #[test]
    fn documents_to_look_at_are_spread_evenly() {
        let all: Vec<usize> = (0..1250).collect();
        let looked_at: Vec<usize> = looked_at(&all).copied().collect();
        assert_eq!((looked_at.len(), looked_at[1], looked_at[2], looked_at[499]), (500, 2, 5, 1247));
        assert_eq!(super::looked_at(&all[..3]).count(), 3);
        assert_eq!(super::looked_at(&all[..0]).count(), 0);
    }
}
