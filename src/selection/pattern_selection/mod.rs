//! Selects the few patterns that remove what all patterns remove.
//!
//! Takes a source's pattern file and texts. Returns the file with only the patterns that are needed. Mined patterns
//! overlap: "Home", "Home | News" and "Home | News | Sport" recur in different documents. Nobody wants to review all 3
//! if 1 is enough. The measure is the text that all patterns together remove. The patterns that remove most of it are
//! chosen first, until nearly all of it is removed.
//!
//! This module uses cleaning to see what is removed. Two kinds of patterns are always kept: those that a person decided
//! on, and the shared ones, because they are also used for sources that have no others.

mod coverage;
mod greedy;

use std::collections::HashSet;

use rayon::prelude::*;

use crate::cleaning::Method;
use crate::patterns::{Pattern, PatternFile};
use crate::selection::ends::Ends;
use crate::selection::sampling::Sampled;
use coverage::Coverage;
use greedy::select;

/// The source's own file with only the patterns that are needed. With the shared patterns, they must remove nearly all
/// that all patterns remove, by each method of cleaning, and articles must end in the same places. A pattern that a
/// person touched is always kept.
pub fn needed_patterns(sampled: &Sampled, ends: &Ends) -> PatternFile {
    let (own, cleaner) = (sampled.own(), &sampled.cleaner);
    let with_shape = cleaner.with_shape(Sampled::options().shape);
    let own_ids: HashSet<&str> = own.patterns.iter().map(|pattern| pattern.id.as_str()).collect();
    // A pattern with a value shows which line to keep. It is kept because thinning only measures what is removed.
    let is_given = |pattern: &Pattern| pattern.is_touched() || pattern.value || !own_ids.contains(pattern.id.as_str());
    let given =
        cleaner.patterns().iter().zip(ends.needed()).map(|(pattern, is_needed)| *is_needed || is_given(pattern));
    let mut chosen: Vec<bool> = given.collect();
    // The union comes first: a match that it needs is strong evidence for the other methods as well.
    let (union, smooth) = (Method::Union { merge_gap: 0 }, Method::Smooth);
    let methods = [(cleaner, union), (cleaner, smooth), (&with_shape, smooth)];
    for (cleaner, method) in methods {
        let pages = sampled.samples.par_iter().map(|sample| Coverage::new(cleaner, sample, method)).collect();
        chosen = select(cleaner, pages, chosen);
    }
    let needed = cleaner.patterns().iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
    let needed: HashSet<&str> = needed.map(|(pattern, _)| pattern.id.as_str()).collect();
    let is_left = |pattern: &&Pattern| pattern.is_touched() || needed.contains(pattern.id.as_str());
    own.with_patterns(own.patterns.iter().filter(is_left).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::{LexerCache, Status, id_of, regex};

    /// A file of proposed patterns. Each is a whole line, or a part of a line if it ends in `...`. The number is the
    /// number of documents, out of 10.
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

    /// The examples of the patterns that remain.
    fn left(file: &PatternFile, shared: Option<&PatternFile>, texts: &[&str]) -> Vec<String> {
        let sampled = Sampled::new(file, shared, texts);
        needed_patterns(&sampled, &Ends::of(&sampled)).patterns.into_iter().map(|pattern| pattern.example).collect()
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
}
