//! Selects a few patterns that remove the same text as all patterns together.
//!
//! Takes a source's pattern file and texts. Returns the file with only the patterns that are needed. Mined patterns
//! overlap: "Home", "Home | News" and "Home | News | Sport" recur in different documents. 1 of them
//! is enough. The measure is the text for which all patterns together are strong evidence. The patterns that
//! explain most of it are chosen first, until nearly all of it is explained.
//!
//! Two kinds of patterns are always kept: those that a person decided on, and the shared ones, because they are also
//! used for sources that have no others.

mod coverage;
mod greedy;

use std::collections::HashSet;

use rayon::prelude::*;

use crate::patterns::{Pattern, PatternFile};
use crate::selection::ends::Ends;
use crate::selection::sampling::Sampled;
use coverage::Coverage;
use greedy::{Choice, select};

/// The source's own file with only the patterns that are needed. Together with the shared patterns, the needed patterns
/// must explain nearly all text that all patterns explain, and articles must end in the same places. A pattern that a
/// person touched is always kept.
pub fn needed_patterns(sampled: &Sampled, ends: &Ends) -> PatternFile {
    let (own, cleaner) = (sampled.own(), &sampled.cleaner);
    let own_ids: HashSet<&str> = own.all().map(|pattern| pattern.id.as_str()).collect();
    let is_given = |pattern: &Pattern| pattern.is_touched() || !own_ids.contains(pattern.id.as_str());
    let given = cleaner.patterns().zip(ends.needed()).map(|(pattern, is_needed)| *is_needed || is_given(pattern));
    let given: Vec<bool> = given.collect();
    let mut pages: Vec<Coverage> = sampled.samples.par_iter().map(|sample| Coverage::new(cleaner, sample)).collect();
    let chosen = select(cleaner, &mut pages, given, &Choice::BRIEF);
    let chosen = select(cleaner, &mut pages, chosen, &Choice::COMPLETE);
    let chosen = cleaner.patterns().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
    let needed: HashSet<&str> = chosen.map(|(pattern, _)| pattern.id.as_str()).collect();
    let is_needed = |pattern: &Pattern| pattern.is_touched() || needed.contains(pattern.id.as_str());
    let mut file = own.clone();
    file.patterns.retain(is_needed);
    file.evidence.retain(is_needed);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::{LexerCache, Status, id_of, regex};

    /// A file of proposed patterns. Each is a whole line, or a part of a line if it ends in `...`. Each comes with its
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

    /// The examples of the patterns that remain, and those of the evidence that remains.
    fn needed(file: &PatternFile, shared: Option<&PatternFile>, texts: &[&str]) -> [Vec<String>; 2] {
        let sampled = Sampled::new(file, shared, texts);
        let PatternFile { patterns, evidence, .. } = needed_patterns(&sampled, &Ends::of(&sampled));
        [patterns, evidence].map(|list| list.into_iter().map(|pattern| pattern.example).collect())
    }

    /// The examples of the patterns that remain. There must be no evidence.
    fn left(file: &PatternFile, shared: Option<&PatternFile>, texts: &[&str]) -> Vec<String> {
        let [patterns, evidence] = needed(file, shared, texts);
        assert_eq!(evidence, [""; 0]);
        patterns
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
        let pages: Vec<String> = (0..400).map(|page| PAGE.replace("open", &format!("open{page}"))).collect();
        let texts: Vec<&str> = pages.iter().map(String::as_str).chain([rare]).collect();
        let file =
            file(&[("Home and News and Sport", 10), ("All about the Daily Post", 9), ("Pictures of the day", 1)]);
        let patterns = ["All about the Daily Post", "Home and News and Sport", "Pictures of the day"];
        assert_eq!(left(&file, None, &texts), patterns);
    }

    #[test]
    fn what_a_person_decided_stays_and_other_patterns_are_not_needed_beside_it() {
        let halves = ["Home and News...", "News and Sport..."];
        let mut file = file(&[("Home and News and Sport", 10), (halves[0], 10), (halves[1], 10), ("pier is...", 2)]);
        file.patterns.iter_mut().filter(|p| p.example == "pier is...").for_each(|p| p.note = "hm".to_owned());
        halves.iter().for_each(|half| decide(&mut file, half, Status::Accepted));
        assert_eq!(left(&file, None, &[PAGE]), [halves[0], halves[1], "pier is..."]);
    }

    #[test]
    fn evidence_that_patterns_make_needless_goes_and_other_evidence_stays() {
        let mut file = file(&[("Home and News and Sport", 10), ("All about the Daily Post", 10), ("the Daily...", 10)]);
        file.keep_as_patterns(|pattern| pattern.example == "Home and News and Sport");
        let expected = ["Home and News and Sport", "All about the Daily Post"].map(|example| vec![example.to_owned()]);
        assert_eq!(needed(&file, None, &[PAGE, REST]), expected);
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
