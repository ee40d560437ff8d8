//! Decides which patterns are proposed to people, and which are only evidence.
//!
//! People read a proposed pattern, and may accept it. Then all text that it matches is removed. So a proposed pattern
//! must match text that a person recognises as boilerplate, and no text that documents would keep:
//!
//! - *The documents agree.* Each document decides as a whole, with all patterns of the source. Nearly all matches of
//!   the pattern must be removed. A headline that other pages list is kept in its own document.
//! - *It is not a fragment.* At the edges of nearly all its matches, text can be cut.
//! - *It recurs often enough.* One word in 2 documents is chance. 8 words are not.
//! - *It is not a teaser.* Headlines and first sentences of other articles recur while they are new. A line that looks
//!   like a teaser must be in many documents.
//!
//! The other patterns still count in decisions about whole documents.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::cleaning::reading::Match;
use crate::cleaning::{Method, Reading};
use crate::mining::units::MAX_BLOCK;
use crate::patterns::{Form, Pattern, PatternFile};
use crate::selection::sampling::{Sample, Sampled};
use crate::tokens::joints::Joint;
use crate::tokens::{MutableSet, Piece, Token, TokenKind};

/// Minimum share of a pattern's matches that are removed.
const MIN_GOING: f64 = 0.95;
/// Minimum share of a pattern's matches with edges at which text can be cut.
const MIN_CUTTABLE_MATCHES: f64 = 0.8;
/// Minimum number of repeated words, without those in the first document: 8 words in 2 documents are enough, or 1 word
/// in 9.
const MIN_REPEATED_WORDS: usize = 8;
/// Minimum number of words in a headline or a sentence.
const MIN_TEASER_WORDS: usize = 4;
/// A part of a line with fewer words needs a mark at each edge inside the line: a bar, a bracket, a full stop.
const MIN_UNMARKED_WORDS: usize = 5;
/// A pattern is a teaser if a larger share of its words is in headlines or sentences of other articles.
const MAX_TEASER_WORDS: f64 = 1.0 / 3.0;
/// A headline in many documents is still a teaser if this share of its matches is beside other headlines.
const AMONG_HEADLINES: f64 = 0.5;

/// A pattern needs this many documents to be told from a teaser, which is in all documents of a few days: a minimum
/// share of the documents, or a minimum number that no teaser reaches.
struct Needed {
    share: f64,
    documents: usize,
}

const FOR_LINE: Needed = Needed { share: 0.3, documents: 30 };
const FOR_SENTENCE: Needed = Needed { share: 0.3, documents: 30 };
/// For one line of a few words, such as a name or a subject.
const FOR_FEW_WORDS: Needed = Needed { share: 0.5, documents: 30 };
/// For headlines no share is enough: a list of the most read articles is the same in all documents of a day.
const FOR_HEADLINE: Needed = Needed { share: f64::INFINITY, documents: 100 };

impl Needed {
    fn is_met(&self, pattern: &Pattern) -> bool {
        pattern.share() >= self.share || pattern.documents >= self.documents
    }
}

/// For each pattern, by id: the number of its matches in documents of a source, and how many of these matches are
/// removed, can be cut out, and are among headlines.
#[derive(Clone, Debug, Default)]
pub struct Proposals(HashMap<String, Matches>);

#[derive(Clone, Copy, Debug, Default)]
struct Matches {
    all: usize,
    going: usize,
    cuttable: usize,
    among_headlines: usize,
}

impl Proposals {
    /// Lets each document decide about the matches in it, and counts the results for each pattern.
    pub fn of(sampled: &Sampled) -> Proposals {
        let cleaner = &sampled.cleaner;
        let look = |Sample { text, reading }: &Sample| {
            let goes = cleaner.decide_by(text, reading, &reading.matches, Method::Learned).goes;
            let joints = Joints::of(text, reading);
            let look = |found: &Match| {
                let matches = Matches {
                    all: 1,
                    going: usize::from(is_gone(reading, found, &goes)),
                    cuttable: usize::from(joints.is_cuttable(found)),
                    among_headlines: usize::from(joints.is_among_headlines(found)),
                };
                (found.pattern, matches)
            };
            reading.matches.iter().map(look).collect::<Vec<(usize, Matches)>>()
        };
        let patterns = cleaner.patterns();
        let mut matches = vec![Matches::default(); patterns.len()];
        let looks: Vec<Vec<(usize, Matches)>> = sampled.samples.par_iter().map(look).collect();
        looks.into_iter().flatten().for_each(|(pattern, of_match)| matches[pattern].add(of_match));
        Proposals(patterns.iter().map(|pattern| pattern.id.clone()).zip(matches).collect())
    }

    /// Adds the matches in another source.
    pub fn add(&mut self, other: &Proposals) {
        for (id, matches) in &other.0 {
            self.0.entry(id.clone()).or_default().add(*matches);
        }
    }

    /// Moves the patterns that are not proposed to the evidence.
    pub fn mark(&self, file: &mut PatternFile) {
        let mutable = Arc::clone(file.lexer.mutable());
        file.keep_as_patterns(|pattern| {
            let matches = self.0.get(&pattern.id).copied().unwrap_or_default();
            matches.is_proposed() && is_for_people(pattern, matches, &mutable)
        });
    }
}

impl Matches {
    fn add(&mut self, other: Matches) {
        self.all += other.all;
        self.going += other.going;
        self.cuttable += other.cuttable;
        self.among_headlines += other.among_headlines;
    }

    fn is_proposed(self) -> bool {
        let all = self.all as f64;
        self.going as f64 >= MIN_GOING * all && self.cuttable as f64 >= MIN_CUTTABLE_MATCHES * all
    }
}

/// Whether every word of a match is removed.
fn is_gone(reading: &Reading, found: &Match, goes: &[bool]) -> bool {
    found.tokens.clone().filter(|&token| reading.layout.says_something(token)).all(|token| goes[token])
}

/// A text as joints, which tell where it can be cut.
struct Joints<'d> {
    reading: &'d Reading,
    /// The joint of each token.
    joints: Vec<Joint>,
    /// Whether each line looks like a headline.
    is_headline: Vec<bool>,
}

impl Joints<'_> {
    fn of<'d>(text: &str, reading: &'d Reading) -> Joints<'d> {
        let joint = |token: &Token| Joint::of(token.kind, &text[token.range()], token.space_before);
        let joints: Vec<Joint> = reading.tokens.tokens.iter().map(joint).collect();
        let lines = &reading.layout.lines;
        let is_headline = |line: usize| {
            let mut items = items(&joints[lines.tokens(line)]);
            matches!((items.next(), items.next()), (Some(Item { kind: ItemKind::Headline, .. }), None))
        };
        let is_headline = (0..lines.len()).map(is_headline).collect();
        Joints { reading, joints, is_headline }
    }

    /// Whether text can be cut at both edges of a match.
    fn is_cuttable(&self, found: &Match) -> bool {
        let joint = |at: usize| self.joints[at];
        let can_cut = |at: usize| self.reading.tokens.line_starts[at] || joint(at - 1).can_cut_before(joint(at));
        can_cut(found.tokens.start) && can_cut(found.tokens.end)
    }

    /// Whether the line before or after a match looks like a headline.
    fn is_among_headlines(&self, found: &Match) -> bool {
        let touched = self.reading.layout.lines.touching(&found.tokens);
        let before = touched.start.checked_sub(1);
        let after = Some(touched.end);
        [before, after].into_iter().flatten().any(|line| self.is_headline.get(line) == Some(&true))
    }
}

/// A part of a line between separators.
struct Item {
    kind: ItemKind,
    words: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum ItemKind {
    Headline,
    Sentence,
    Short,
}

/// The items of a line that have words.
fn items(line: &[Joint]) -> impl Iterator<Item = Item> {
    let items = line.split(|joint| joint.is_separator()).map(|item| {
        let words = item.iter().filter(|joint| joint.is_word()).count();
        let last = item.iter().rposition(|joint| joint.is_word()).unwrap_or(0);
        let ends = item[last..].iter().any(|joint| joint.is_full_stop());
        let kind = match words >= MIN_TEASER_WORDS {
            true if ends => ItemKind::Sentence,
            true => ItemKind::Headline,
            false => ItemKind::Short,
        };
        Item { kind, words }
    });
    items.filter(|item| item.words > 0)
}

/// Whether a pattern is more than chance and is not a teaser.
fn is_for_people(pattern: &Pattern, matches: Matches, mutable: &MutableSet) -> bool {
    let joint = |piece: &Piece| joint(piece, mutable);
    let Form::Run(run) = &pattern.form else { return true };
    if run.has_free() {
        return true;
    }
    let lines = run.pieces().split(|piece| *piece == Piece::Break);
    let lines: Vec<Vec<Item>> =
        lines.map(|line| items(&line.iter().map(joint).collect::<Vec<Joint>>()).collect()).collect();

    let has_bare_edge = match &lines[..] {
        // The parts before the first line break and after the last one are empty.
        [first, second, .., before, last] => {
            first.is_empty() && second.is_empty() || last.is_empty() && before.is_empty()
        }
        _ => false,
    };

    let lines: Vec<&Vec<Item>> = lines.iter().filter(|items| !items.is_empty()).collect();
    let words: usize = lines.iter().copied().flatten().map(|item| item.words).sum();
    let is_few_words = run.pieces().iter().all(|piece| *piece == Piece::Break || piece.is_word());
    let is_enough = match lines[..] {
        [_] if is_few_words => FOR_FEW_WORDS.is_met(pattern),
        [_] => FOR_LINE.is_met(pattern),
        _ => run.pieces().len() <= MAX_BLOCK,
    };

    let pieces: Vec<Joint> = run.pieces().iter().map(joint).collect();
    let is_marked =
        pieces.first().is_some_and(|first| first.opens()) && pieces.last().is_some_and(|last| last.closes());
    let is_enough = is_enough && (is_marked || words >= MIN_UNMARKED_WORDS);

    let is_among_headlines = matches.among_headlines as f64 >= AMONG_HEADLINES * matches.all as f64;
    let is_teaser = |item: &&Item| match item.kind {
        ItemKind::Headline => is_among_headlines || !FOR_HEADLINE.is_met(pattern),
        ItemKind::Sentence => !FOR_SENTENCE.is_met(pattern),
        ItemKind::Short => false,
    };
    let in_teasers: usize = lines.iter().copied().flatten().filter(is_teaser).map(|item| item.words).sum();

    let repeated = pattern.documents.saturating_sub(1) * words;
    is_enough
        && !has_bare_edge
        && repeated >= MIN_REPEATED_WORDS
        && in_teasers as f64 <= MAX_TEASER_WORDS * words as f64
}

fn joint(piece: &Piece, mutable: &MutableSet) -> Joint {
    match piece {
        Piece::Break => Joint::of(TokenKind::Break, "", false),
        Piece::Literal { text, space_before } if !piece.is_word() => {
            Joint::of(TokenKind::Character, text, *space_before)
        }
        Piece::Slot { id, space_before } => Joint::of(TokenKind::of_mutable(*id, mutable), "", *space_before),
        _ => Joint::of(TokenKind::Word, "", true),
    }
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
        Proposals::of(&Sampled::new(&read, None, texts)).mark(&mut file);
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
    fn a_headline_that_stays_in_its_own_document_is_evidence() {
        // The headlines are counted in all documents, so that the number of documents is not the reason.
        let patterns: Vec<(&str, usize)> =
            HEADLINES.iter().map(|&headline| (headline, 20)).chain([(MENU, 20)]).collect();
        let [proposed, evidence] = marked(&patterns, &pages(|_| String::new()));
        assert_eq!((proposed, evidence.len()), (vec![MENU.to_owned()], HEADLINES.len()));
    }

    #[test]
    fn a_teaser_is_evidence() {
        let teaser = "Ferry men want more of the sea";
        let sentence = "The men of the ferry want more of the sea today.";
        let some = |page: usize| if page.is_multiple_of(5) { format!("{teaser}\n{sentence}\n") } else { String::new() };
        let [proposed, mut evidence] = marked(&[(teaser, 4), (sentence, 4), (MENU, 20)], &pages(some));
        evidence.sort();
        assert_eq!((proposed, evidence), (vec![MENU.to_owned()], vec![teaser.to_owned(), sentence.to_owned()]));
    }

    #[test]
    fn a_fragment_is_evidence() {
        let inside = |page: usize| format!("Here{page} is more of our stories every day about boats{page}\n");
        let part = "more of our stories every day...";
        let [proposed, evidence] = marked(&[(part, 20), (MENU, 20)], &pages(inside));
        assert_eq!((proposed, evidence), (vec![MENU.to_owned()], vec![part.to_owned()]));
    }

    #[test]
    fn one_word_in_two_documents_is_evidence() {
        let some = |page: usize| if page < 2 { "Advertisement\n".to_owned() } else { String::new() };
        let [proposed, evidence] = marked(&[("Advertisement", 2), (MENU, 20)], &pages(some));
        assert_eq!((proposed, evidence), (vec![MENU.to_owned()], vec!["Advertisement".to_owned()]));
        let [proposed, evidence] =
            marked(&[("Advertisement", 20), (RIGHTS, 20)], &pages(|_| "Advertisement\n".to_owned()));
        assert_eq!((proposed.len(), evidence.len()), (2, 0), "one word in all documents is not chance");
    }

    #[test]
    fn what_a_person_touched_stays_a_pattern() {
        let texts = pages(|_| String::new());
        let mut file = file(&[(HEADLINES[0], 20)]);
        file.patterns[0].note = "hm".to_owned();
        let read = file.clone();
        Proposals::of(&Sampled::new(&read, None, &texts)).mark(&mut file);
        assert_eq!((file.patterns.len(), file.evidence.len()), (1, 0));
    }

    #[test]
    fn a_shared_pattern_is_judged_by_all_sources() {
        let texts = pages(|_| String::new());
        let read = file(&[(MENU, 20)]);
        let here = Proposals::of(&Sampled::new(&read, None, &texts));
        let nowhere =
            Proposals(HashMap::from([(read.patterns[0].id.clone(), Matches { all: 99, ..Matches::default() })]));
        let is_proposed = |sources: &[&Proposals]| {
            let (mut all, mut file) = (Proposals::default(), read.clone());
            sources.iter().for_each(|source| all.add(source));
            all.mark(&mut file);
            file.evidence.is_empty()
        };
        assert!(is_proposed(&[&here]) && !is_proposed(&[&here, &nowhere]));
    }
}
