//! Finds the patterns that mark the end of articles.
//!
//! Takes a sample of a source's documents with the matches of its patterns. Finds the patterns before which articles
//! end, by the rule in [`article_end`](crate::cleaning::decide::article_end), and the minimum amount of prose before
//! each.
//!
//! Shared patterns are not used as ends, because different text follows them in each source.

use std::cmp::Reverse;
use std::collections::HashMap;

use rayon::prelude::*;

use crate::cleaning::decide::article_end::{LastPlace, MIN_DOCUMENTS_OF_END, MIN_SHARE_OF_END, least_prose_before};
use crate::patterns::{Form, Pattern, PatternFile};
use crate::selection::sampling::{Sample, Sampled};
use crate::tokens::Piece;

/// The patterns before which articles of a source end.
#[derive(Debug)]
pub struct Ends {
    /// For each pattern id: the minimum number of words of prose before it.
    words: HashMap<String, usize>,
    /// For each pattern of the cleaner: whether some article would end later without it.
    needed: Vec<bool>,
}

impl Ends {
    /// Finds the ends in the documents. A pattern that a person touched keeps its own setting.
    pub fn of(sampled: &Sampled) -> Ends {
        let patterns: Vec<&Pattern> = sampled.cleaner.patterns().collect();
        let own: HashMap<&str, bool> =
            sampled.own().all().map(|pattern| (pattern.id.as_str(), pattern.is_touched())).collect();
        let places_in = |sample: &Sample| sampled.cleaner.last_places(sample.text, &sample.reading);
        let places: Vec<Vec<LastPlace>> = sampled.samples.par_iter().map(places_in).collect();
        let mut of_pattern: Vec<Vec<&LastPlace>> = vec![Vec::new(); patterns.len()];
        places.iter().flatten().for_each(|place| of_pattern[place.pattern].push(place));
        let min_documents = MIN_DOCUMENTS_OF_END.max((MIN_SHARE_OF_END * places.len() as f64).ceil() as usize);
        let end = |pattern: usize| match own.get(patterns[pattern].id.as_str())? {
            true => patterns[pattern].ends_after,
            false if of_pattern[pattern].len() < min_documents || !has_word(patterns[pattern]) => None,
            false => least_prose_before(&of_pattern[pattern]),
        };
        let ends: Vec<Option<usize>> = (0..patterns.len()).map(end).collect();
        let words = patterns.iter().zip(&ends).filter_map(|(pattern, end)| Some((pattern.id.clone(), (*end)?)));
        Ends { words: words.collect(), needed: needed(&places, &ends) }
    }

    /// No ends.
    pub fn none(sampled: &Sampled) -> Ends {
        Ends { words: HashMap::new(), needed: vec![false; sampled.cleaner.count()] }
    }

    /// Sets the ends in the source's file, except in patterns that a person touched.
    pub fn mark(&self, file: &mut PatternFile) {
        for pattern in file.all_mut().filter(|pattern| !pattern.is_touched()) {
            pattern.ends_after = self.words.get(&pattern.id).copied();
        }
    }

    /// For each pattern of the cleaner: whether some article would end later without it.
    pub(crate) fn needed(&self) -> &[bool] {
        &self.needed
    }
}

/// Whether a pattern has a word. A date or a row of dashes alone does not end an article.
fn has_word(pattern: &Pattern) -> bool {
    match &pattern.form {
        Form::Run(run) => run.pieces().iter().any(Piece::is_word),
        Form::Regex(_) => true,
        Form::Block(_) | Form::Elements(_) => false,
    }
}

/// The ends that are needed so that each article ends where it would end with all of them. Greedy: the pattern that
/// ends the most articles comes first.
fn needed(places: &[Vec<LastPlace>], ends: &[Option<usize>]) -> Vec<bool> {
    let mut ended_by: Vec<Vec<usize>> = vec![Vec::new(); ends.len()];
    for (document, places) in places.iter().enumerate() {
        let is_end = |place: &&LastPlace| ends[place.pattern].is_some_and(|words| place.is_end(words));
        let first = places.iter().filter(is_end).map(|place| place.before).fold(f64::INFINITY, f64::min);
        for place in places.iter().filter(is_end).filter(|place| place.before == first && place.after > 0.0) {
            ended_by[place.pattern].push(document);
        }
    }
    let mut needed = vec![false; ends.len()];
    let mut is_ended = vec![false; places.len()];
    loop {
        let adds = |pattern: &usize| ended_by[*pattern].iter().filter(|&&document| !is_ended[document]).count();
        let Some(best) = (0..ends.len()).max_by_key(|pattern| (adds(pattern), Reverse(*pattern))) else { break };
        if adds(&best) == 0 {
            break;
        }
        needed[best] = true;
        ended_by[best].iter().for_each(|&document| is_ended[document] = true);
    }
    needed
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::mining::{MineOptions, cross_source::cross_source, mine_texts};
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// A sentence whose words occur nowhere else.
    fn prose(document: usize, place: usize, words: usize) -> String {
        let word = |word| {
            let number = format!("{document}x{place}x{word}");
            number.chars().map(|c| if c == 'x' { c } else { char::from(c as u8 + 49) }).collect::<String>()
        };
        (0..words).map(word).collect::<Vec<_>>().join(" ") + ".\n"
    }

    /// The ends found in 20 documents, each with the minimum number of words of prose before it.
    fn ends(text: impl Fn(usize) -> String) -> Vec<(String, usize)> {
        let texts: Vec<String> = (0..20).map(text).collect();
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let mined = [mine_texts(&texts, &lexer, &MineOptions::default()).unwrap()];
        let own = cross_source(&mined).own.remove(0);
        let mut file = PatternFile::of_templates("s", mined[0].facts(), own, &lexer);
        let sampled = Sampled::new(&file, None, &texts);
        let ends = Ends::of(&sampled);
        ends.mark(&mut file);
        file.patterns.into_iter().filter_map(|pattern| Some((pattern.example, pattern.ends_after?))).collect()
    }

    /// A page with an article of 50 to 145 words in two paragraphs. Every other page also has comments.
    fn page(document: usize, between: &str, before_comments: &str) -> String {
        let comments =
            if document.is_multiple_of(2) { prose(document, 3, 30) + &prose(document, 4, 20) } else { String::new() };
        let article = [prose(document, 1, 30), between.to_owned(), prose(document, 2, 20 + 5 * document)].concat();
        format!("Daily Post | Home | Sport\n{article}{before_comments}{comments}All rights reserved by the Post\n")
    }

    #[test]
    fn comments_come_after_the_article() {
        assert_eq!(ends(|at| page(at, "", "Write a comment\n")), [("Write a comment".to_owned(), 25)]);
    }

    #[test]
    fn headlines_of_other_articles_are_no_rest_of_one() {
        let page = |at| [page(at, "", "Write a comment\n"), prose(at, 7, 8), prose(at, 8, 8), prose(at, 9, 8)].concat();
        assert_eq!(ends(page), [("Write a comment".to_owned(), 25)]);
    }

    #[test]
    fn a_paragraph_of_short_sentences_is_a_rest() {
        let sentence = |at, place| format!("The {}", prose(at, place, 10).replace('\n', " "));
        let paragraph = |at| (5..15).map(|place| sentence(at, place)).collect::<String>();
        let more = |at: usize| if at.is_multiple_of(2) { paragraph(at) + "\n" } else { String::new() };
        let page = |at| format!("{}Write a comment\n{}", prose(at, 1, 150 + 9 * at), more(at));
        assert!(!ends(page).is_empty());
    }

    #[test]
    fn an_article_goes_on_after_what_interrupts_it() {
        assert!(ends(|at| page(at, "Story continues below\n", "")).is_empty());
    }

    #[test]
    fn an_article_goes_on_after_what_interrupts_it_wherever_that_is() {
        let page = |at: usize| {
            let paragraphs: Vec<String> =
                (0..4 + at % 2).map(|place| prose(at, place, 20 + (7 * at + 3 * place) % 30)).collect();
            let (before, after) = paragraphs.split_at(2 + at % 3);
            format!("{}Story continues below\n{}", before.concat(), after.concat())
        };
        assert!(ends(page).is_empty());
    }

    #[test]
    fn a_line_that_stands_after_as_much_in_every_article_is_no_end() {
        let page = |at: usize| {
            let rest = if at.is_multiple_of(4) { String::new() } else { prose(at, 2, 8 + 2 * at) };
            format!("{}Advertisement here\n{rest}", prose(at, 1, 60 + at % 3))
        };
        assert!(ends(page).is_empty());
    }

    #[test]
    fn where_something_follows_always_or_never_nothing_tells_the_two_apart() {
        let always = |at| format!("{}Write a comment\n{}", prose(at, 1, 50 + 5 * at), prose(at, 2, 30));
        let never = |at| format!("{}Write a comment\n", prose(at, 1, 50 + 5 * at));
        assert!(ends(always).is_empty() && ends(never).is_empty());
    }

    #[test]
    fn what_stands_before_an_article_too_is_no_end() {
        let line = |at| format!("{}\nWrite a comment\n", prose(at, 9, 2).trim_end_matches(".\n"));
        assert_eq!(ends(|at| page(at, "", &line(at))), [("Write a comment".to_owned(), 25)]);
        let first = |at| if at == 3 { line(at) + &prose(at, 1, 90) } else { page(at, "", &line(at)) };
        assert!(ends(first).is_empty());
    }

    #[test]
    fn a_date_alone_ends_nothing() {
        assert!(ends(|at| page(at, "", &format!("{} March 2024\n", 1 + at % 28))).is_empty());
    }

    #[test]
    fn too_few_documents_tell_nothing() {
        assert!(ends(|at| page(at, "", if at < 5 { "Write a comment\n" } else { "" })).is_empty());
    }
}
