//! Decides which shared patterns are proposed to people, and which are only evidence.
//!
//! A shared pattern has no block: it applies to sources that nobody has mined. If a person accepts it, all text that it
//! matches is removed. So it must be whole lines that documents remove wherever they have them, as sure rows of blocks
//! are. A headline that other pages list is kept in its own document, and is evidence.

use std::collections::HashMap;

use rayon::prelude::*;

use super::blocks::is_sure;
use crate::cleaning::reading::Match;
use crate::cleaning::{Method, Reading};
use crate::patterns::{Form, Pattern, PatternFile};
use crate::selection::sampling::{Sample, Sampled};
use crate::tokens::Piece;

/// For each pattern, by id: the number of its matches that are kept and removed, in documents of some sources.
#[derive(Clone, Debug, Default)]
pub struct SharedMatches(HashMap<String, [usize; 2]>);

impl SharedMatches {
    /// Lets each document decide about the matches in it.
    pub fn of(sampled: &Sampled) -> SharedMatches {
        let cleaner = &sampled.cleaner;
        let look = |Sample { text, reading }: &Sample| {
            let goes = cleaner.decide_by(text, reading, &reading.matches, Method::Learned).goes;
            let look = |found: &Match| (found.pattern, is_gone(reading, found, &goes));
            reading.matches.iter().map(look).collect::<Vec<(usize, bool)>>()
        };
        let looks: Vec<Vec<(usize, bool)>> = sampled.samples.par_iter().map(look).collect();
        let mut matches: HashMap<String, [usize; 2]> = HashMap::new();
        for (pattern, is_gone) in looks.into_iter().flatten() {
            matches.entry(cleaner.pattern(pattern).id.clone()).or_default()[usize::from(is_gone)] += 1;
        }
        SharedMatches(matches)
    }

    /// Adds the matches in another source.
    pub fn add(&mut self, other: &SharedMatches) {
        for (id, [kept, removed]) in &other.0 {
            let sum = self.0.entry(id.clone()).or_default();
            *sum = [sum[0] + kept, sum[1] + removed];
        }
    }

    /// Moves the patterns that are not proposed to the evidence.
    pub fn mark(&self, file: &mut PatternFile) {
        file.keep_as_patterns(|pattern| {
            let [kept, removed] = self.0.get(&pattern.id).copied().unwrap_or_default();
            removed > 0 && is_sure(kept, removed) && is_whole_lines(pattern)
        });
    }
}

/// Whether every word of a match is removed.
fn is_gone(reading: &Reading, found: &Match, goes: &[bool]) -> bool {
    found.tokens.clone().filter(|&token| reading.layout.says_something(token)).all(|token| goes[token])
}

fn is_whole_lines(pattern: &Pattern) -> bool {
    let Form::Run(run) = &pattern.form else { return false };
    matches!(run.pieces(), [Piece::Break, .., Piece::Break])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::{LexerCache, id_of, regex};

    /// A file of proposed patterns. Each is a whole line, or a part of a line if it ends in `...`. Each comes with its
    /// number of documents, out of 20.
    fn file(patterns: &[(&str, usize)]) -> PatternFile {
        let head =
            "dehusk: 1\nsource: s\nmined: {documents: 20, tokens: 99, cutoff: 0.5, tokenizer: words}\npatterns:\n";
        let lexer = PatternFile::parse(head, &LexerCache::default()).unwrap().lexer;
        let written = patterns.iter().map(|(text, documents)| {
            let escaped = |text: &str| {
                let lines = text.lines().map(|line| {
                    let words = line.split(' ').map(|word| fancy_regex::escape(word).into_owned());
                    words.collect::<Vec<String>>().join(r"\s+")
                });
                lines.collect::<Vec<String>>().join(r"\s*\n\s*")
            };
            let regex = match text.strip_suffix("...") {
                Some(part) => format!(r"(?<!\S){}(?!\w)", escaped(part)),
                None => format!(r"(?m)^\s*{}\s*$", escaped(text)),
            };
            let run = regex::parse(&regex, &lexer).unwrap_or_else(|| panic!("{regex} is not as mined"));
            let id = id_of(&run, lexer.mutable(), 8);
            let example = text.replace('\n', " ");
            format!("  - {{id: '{id}', regex: '{regex}', documents: {documents}, occurrences: {documents}, example: '{example}'}}\n")
        });
        PatternFile::parse(&(head.to_owned() + &written.collect::<String>()), &LexerCache::default()).unwrap()
    }

    /// The examples of the patterns that are proposed, and of those that are evidence.
    fn marked(patterns: &[(&str, usize)], texts: &[String]) -> [Vec<String>; 2] {
        let mut file = file(patterns);
        let read = file.clone();
        SharedMatches::of(&Sampled::new(&read, None, texts)).mark(&mut file);
        let examples = |patterns: Vec<Pattern>| patterns.into_iter().map(|pattern| pattern.example).collect();
        [examples(file.patterns), examples(file.evidence)]
    }

    const MENU: &str = "Home | News | Sport | Weather | Tides";
    const RIGHTS: &str = "All rights reserved by the Daily Post of this harbour.";
    const HEADLINES: [&str; 4] = [
        "Mayor opens the new bridge",
        "Choir wins the cup again",
        "Bakers strike over flour prices",
        "Storm takes the old pier",
    ];

    /// 20 pages. The first 4 have an article with one of the headlines, the others list headlines. All have a menu and
    /// a copyright line.
    fn pages(more: impl Fn(usize) -> String) -> Vec<String> {
        let page = |number: usize| {
            let headline = match HEADLINES.get(number) {
                Some(headline) => (*headline).to_owned(),
                None => format!("Quay{number} Council{number} meets{number} Monday{number}"),
            };
            let word = |word: usize| format!("w{number}x{word}");
            let sentence = |from: usize| (from..from + 20).map(word).collect::<Vec<String>>().join(" ");
            let listed =
                HEADLINES.iter().enumerate().filter(|(index, _)| *index != number).map(|(_, headline)| *headline);
            let listed: Vec<&str> = listed.collect();
            format!(
                "{MENU}\n{headline}\n{}, and {}.\n{}.\n{}\n{}{RIGHTS}\n",
                sentence(0),
                sentence(20),
                sentence(40),
                listed.join("\n"),
                more(number)
            )
        };
        (0..20).map(page).collect()
    }

    #[test]
    fn menus_and_copyright_lines_are_proposed() {
        let [proposed, evidence] = marked(&[(MENU, 20), (RIGHTS, 20)], &pages(|_| String::new()));
        assert_eq!((proposed, evidence), (vec![RIGHTS.to_owned(), MENU.to_owned()], Vec::new()));
    }

    #[test]
    fn a_line_that_some_documents_keep_is_evidence() {
        let is_proposed = |matches: [usize; 2]| {
            let mut file = file(&[(HEADLINES[0], 20)]);
            SharedMatches(HashMap::from([(file.patterns[0].id.clone(), matches)])).mark(&mut file);
            !file.patterns.is_empty()
        };
        assert!(is_proposed([0, 20]) && is_proposed([1, 100]));
        assert!(!is_proposed([1, 19]) && !is_proposed([0, 0]));
    }

    #[test]
    fn a_fragment_is_evidence() {
        let inside = |_| "Here is more of our stories every day\n".to_owned();
        let part = "more of our stories every day...";
        let [proposed, evidence] = marked(&[(part, 20), (MENU, 20)], &pages(inside));
        assert_eq!((proposed, evidence), (vec![MENU.to_owned()], vec![part.to_owned()]));
    }

    #[test]
    fn what_a_person_touched_stays_a_pattern() {
        let texts = pages(|_| String::new());
        let mut file = file(&[(HEADLINES[0], 20)]);
        file.patterns[0].note = "hm".to_owned();
        let read = file.clone();
        SharedMatches::of(&Sampled::new(&read, None, &texts)).mark(&mut file);
        assert_eq!((file.patterns.len(), file.evidence.len()), (1, 0));
    }

    #[test]
    fn a_shared_pattern_is_judged_by_all_sources() {
        let texts = pages(|_| String::new());
        let read = file(&[(MENU, 20)]);
        let here = SharedMatches::of(&Sampled::new(&read, None, &texts));
        let nowhere = SharedMatches(HashMap::from([(read.patterns[0].id.clone(), [99, 0])]));
        let is_proposed = |sources: &[&SharedMatches]| {
            let (mut all, mut file) = (SharedMatches::default(), read.clone());
            sources.iter().for_each(|source| all.add(source));
            all.mark(&mut file);
            file.evidence.is_empty()
        };
        assert!(is_proposed(&[&here]) && !is_proposed(&[&here, &nowhere]));
    }
}
