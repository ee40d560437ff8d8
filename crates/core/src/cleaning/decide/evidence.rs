//! Computes how strongly each token looks like template.
//!
//! Takes the matches in a document. Returns for every token the evidence p_t, 0..=1, and the pattern that gives this
//! evidence. Both come from the strongest match that covers the token. A match is stronger
//!
//! - if its pattern is in a larger share of the documents: language and chance recur in few documents,
//! - if it is longer: chance repeats 2 words, but not 20,
//! - if it has whole lines: a whole line does not recur by chance, however small the share is.
//!
//! A run that chance does not explain ([`beyond_chance`](super::chance::beyond_chance)) has full evidence. A long line
//! can be cut at the edges of such a run.
//!
//! Length and whole lines say nothing about a *passage*, that is, sentences that recur in only 2 documents. A story
//! that is retold or quoted looks the same. For a passage, only the share counts.

use std::borrow::Cow;
use std::num::NonZero;
use std::ops::{Index, Range};

use super::chance::BEYOND;
use crate::cleaning::reading::Match;
use crate::cleaning::reading::layout::Layout;
use crate::tokens::free_positions::FreePositions;

/// If a pattern is in this share of the documents or less, the share is not evidence. Mining uses the same value as the
/// default minimum share of its candidates.
const NO_EVIDENCE_SHARE: f64 = 0.05;
/// From [`NO_EVIDENCE_SHARE`] on, evidence grows with the share. Evidence is full at a share that is larger than
/// [`NO_EVIDENCE_SHARE`] by this value.
const FULL_EVIDENCE_RANGE: f64 = 0.25;
/// From this number of words in a match on, the share counts in full. With 1 word, the share does not count at all.
const FULLY_TOLD: f64 = 5.0;
/// Evidence for each word of a match. 50 words in a row are full evidence.
const PER_WORD: f64 = 0.02;
/// A passage in more documents than this is boilerplate. Stories are retold, but rarely twice.
const MAX_RETOLD: usize = 2;
/// Minimum number of words in a passage.
const MIN_PASSAGE_WORDS: f64 = 15.0;
/// Maximum number of words per sentence end in a passage. Menus and lists have more.
const MAX_SENTENCE_WORDS: f64 = 40.0;
/// Minimum number of words in a run beyond chance. Shorter runs are also beyond chance if all documents say the same
/// thing, as all letters end with a greeting.
const MIN_BEYOND_WORDS: f64 = 4.0;

/// The facts about a pattern that determine the evidence of its matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weight {
    /// The share of the documents that have it, 0..=1.
    pub share: f64,
    /// Number of documents that mining found it in.
    pub documents: usize,
    /// Number of occurrences that mining found.
    pub occurrences: usize,
    /// Whether a person confirmed the pattern. Then its matches always count as template.
    pub is_certain: bool,
    /// Whether whole lines are part of the pattern, and not only words that happen to fill a line in this document.
    pub holds_lines: bool,
    /// Whether it has free stretches.
    pub has_free: bool,
    /// If set, the pattern ends articles that have at least this many words of prose before it.
    pub ends_after: Option<usize>,
    /// How improbable the number of its documents is by chance, in nats
    /// ([`beyond_chance`](super::chance::beyond_chance)).
    pub beyond: f32,
    /// How close it is to one occurrence in each of its documents, 0..=1 ([`once`](super::chance::once)).
    pub once: f32,
}

impl Weight {
    /// The part of the share that counts for a match with these tokens. Language also repeats runs in many documents,
    /// but these runs are short, or occur often in one document. Whole lines are not language: for a line, only its
    /// first occurrence in each document counts.
    pub(super) fn told_share(&self, layout: &Layout, tokens: &Range<usize>) -> f32 {
        let of_run = told(layout.mass(tokens)) as f32 * self.once;
        let is_line = self.holds_lines && !layout.lines.within(tokens).is_empty();
        let first = self.documents as f32 / self.occurrences.max(1) as f32;
        self.share as f32 * if is_line { of_run.max(first) } else { of_run }
    }

    /// Whether chance does not explain a match with these tokens.
    pub(super) fn is_beyond_chance(&self, layout: &Layout, tokens: &Range<usize>) -> bool {
        self.beyond >= BEYOND && layout.telling_words(tokens) >= MIN_BEYOND_WORDS
    }
}

/// The weights of patterns, by the pattern's index. They come from several compiled files, one after the other, and are
/// not copied: a crawl can have a hundred thousand sources with the same shared patterns.
#[derive(Clone, Debug, Default)]
pub struct Weights<'w>(Vec<Cow<'w, [Weight]>>);

impl<'w> Weights<'w> {
    /// Adds weights after the others.
    pub fn push(&mut self, weights: impl Into<Cow<'w, [Weight]>>) {
        self.0.push(weights.into());
    }
}

impl<'w> FromIterator<&'w [Weight]> for Weights<'w> {
    fn from_iter<I: IntoIterator<Item = &'w [Weight]>>(weights: I) -> Weights<'w> {
        Weights(weights.into_iter().map(Cow::Borrowed).collect())
    }
}

impl Index<usize> for Weights<'_> {
    type Output = Weight;

    fn index(&self, pattern: usize) -> &Weight {
        let mut index = pattern;
        for weights in &self.0 {
            match weights.get(index) {
                Some(weight) => return weight,
                None => index -= weights.len(),
            }
        }
        panic!("there is no pattern {pattern}")
    }
}

/// The evidence of a document's tokens.
#[derive(Debug)]
pub struct Evidence {
    /// The evidence p_t of each token, 0..=1.
    pub of_token: Vec<f32>,
    /// For each token, the pattern that its evidence comes from, if it has evidence.
    pub pattern: Vec<Option<PatternIndex>>,
    /// Whether each token is in a match that chance does not explain.
    pub is_beyond_chance: Vec<bool>,
    /// For each token, and for the end: whether a match that chance does not explain begins or ends directly before it.
    pub is_edge: Vec<bool>,
}

/// The index of a pattern. It is a `NonZero`, so that an `Option` of it takes no more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternIndex(NonZero<u32>);

impl PatternIndex {
    /// From an index.
    pub fn new(index: usize) -> PatternIndex {
        PatternIndex(NonZero::<u32>::MIN.saturating_add(index as u32))
    }

    /// The index.
    pub fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Weighs the matches. The time is O((n + m) log (n + m)) for n tokens and m matches, however long the matches are.
pub fn weigh(layout: &Layout, matches: &[Match], weights: &Weights) -> Evidence {
    let mut strokes = Vec::with_capacity(matches.len());
    let mut holding = Vec::new();
    let (mut is_beyond_chance, mut is_edge) = (vec![false; layout.tokens()], vec![false; layout.tokens() + 1]);
    let mut free = FreePositions::new(layout.tokens());
    for found in matches {
        let Match { tokens, pattern } = without_stop_before(layout, found);
        let weight = &weights[pattern];
        let whole = strength(layout, &tokens, weight);
        if weight.is_beyond_chance(layout, &tokens) {
            (is_edge[tokens.start], is_edge[tokens.end]) = (true, true);
            free.take(tokens.clone(), |token| is_beyond_chance[token] = true);
        }
        if whole < 1.0 && weight.holds_lines {
            let lines = layout.lines.within(&tokens);
            holding.push(Holding { pattern: pattern as u32, lines, is_of_few: is_of_few(weight) });
        }
        strokes.push(Stroke { strength: whole, tokens, pattern: pattern as u32 });
    }
    add_lines(layout, holding, &mut strokes);
    let (of_token, pattern) = paint(strokes, layout.tokens());
    Evidence { of_token, pattern, is_beyond_chance, is_edge }
}

/// The strength of a match if no other overlaps it.
#[derive(Clone, Debug, PartialEq)]
pub struct Alone {
    /// Its tokens, without the end of the previous sentence.
    pub tokens: Range<usize>,
    /// The evidence of the match as a whole.
    pub strength: f32,
    holds_lines: bool,
    is_of_few: bool,
}

impl Alone {
    /// The result of [`weigh`] for one match alone, in O(log n).
    pub fn of(layout: &Layout, found: &Match, weight: &Weight) -> Alone {
        let Match { tokens, .. } = without_stop_before(layout, found);
        let strength = strength(layout, &tokens, weight);
        Alone { tokens, strength, holds_lines: weight.holds_lines, is_of_few: is_of_few(weight) }
    }

    /// Calls `visit` with stretches from left to right and the strength of each stretch. It is 1 for whole lines,
    /// unless they are a passage of few documents. Some stretches may be empty.
    pub fn stretches(&self, layout: &Layout, mut visit: impl FnMut(Range<usize>, f32)) {
        let lines = if self.strength < 1.0 && self.holds_lines { layout.lines.within(&self.tokens) } else { 0..0 };
        let mut from = self.tokens.start;
        let mut telling = |tokens: Range<usize>| {
            visit(from..tokens.start, self.strength);
            from = tokens.end;
            visit(tokens, 1.0);
        };
        if self.is_of_few {
            let lines = lines.map(|line| layout.lines.tokens(line));
            lines.filter(|line| !is_passage(layout, line)).for_each(telling);
        } else if !lines.is_empty() {
            telling(layout.lines.tokens(lines.start).start..layout.lines.tokens(lines.end - 1).end);
        }
        visit(from..self.tokens.end, self.strength);
    }
}

/// The whole lines in a match, by number.
struct Holding {
    pattern: u32,
    lines: Range<usize>,
    is_of_few: bool,
}

/// Adds a stroke of full strength for each whole line in a match, unless the line is a passage of few documents. If
/// several patterns have the line, the first one counts. The same line can be in many matches, so each line is added
/// only once.
fn add_lines(layout: &Layout, mut holding: Vec<Holding>, strokes: &mut Vec<Stroke>) {
    holding.sort_unstable_by_key(|holding| holding.pattern);
    for is_of_few in [false, true] {
        let mut of_these = holding.iter().filter(|holding| holding.is_of_few == is_of_few).peekable();
        if of_these.peek().is_none() {
            continue;
        }
        let mut free = FreePositions::new(layout.lines.len());
        for Holding { pattern, lines, .. } in of_these {
            free.take(lines.clone(), |line| {
                let tokens = layout.lines.tokens(line);
                if !(is_of_few && is_passage(layout, &tokens)) {
                    strokes.push(Stroke { strength: 1.0, tokens, pattern: *pattern });
                }
            });
        }
    }
}

/// The match, without the end of the previous sentence if it begins with one. Articles end with a full stop, so the
/// full stop recurs with the text that follows.
pub fn without_stop_before(layout: &Layout, Match { tokens, pattern }: &Match) -> Match {
    Match { tokens: layout.without_stop_before(tokens), pattern: *pattern }
}

struct Stroke {
    strength: f32,
    tokens: Range<usize>,
    pattern: u32,
}

/// Gives each token its strongest stroke. The strongest strokes are painted first, and each token is painted once.
fn paint(mut strokes: Vec<Stroke>, tokens: usize) -> (Vec<f32>, Vec<Option<PatternIndex>>) {
    strokes.retain(|stroke| stroke.strength > 0.0);
    // The sort key as one integer, which is fast to compare. The bits of positive floats have the order of the floats.
    let place = |Stroke { strength, tokens, pattern }: &Stroke| {
        let weak_to_place = [!strength.to_bits(), tokens.start as u32, tokens.end as u32, *pattern];
        weak_to_place.into_iter().fold(0, |place, part| place << 32 | u128::from(part))
    };
    strokes.sort_unstable_by_key(place);
    let (mut of_token, mut of_pattern) = (vec![0.0; tokens], vec![None; tokens]);
    let mut bare = FreePositions::new(tokens);
    for Stroke { strength, tokens, pattern } in strokes {
        bare.take(tokens, |token| {
            of_token[token] = strength;
            of_pattern[token] = Some(PatternIndex::new(pattern as usize));
        });
    }
    (of_token, of_pattern)
}

/// The evidence of a match as a whole.
fn strength(layout: &Layout, tokens: &Range<usize>, weight: &Weight) -> f32 {
    if weight.is_beyond_chance(layout, tokens) {
        return 1.0;
    }
    let size = layout.mass(tokens);
    let of_share = ((weight.share - NO_EVIDENCE_SHARE) / FULL_EVIDENCE_RANGE).clamp(0.0, 1.0)
        * told(size)
        * f64::from(weight.once);
    let is_retold = is_of_few(weight) && is_passage(layout, tokens);
    (of_share + if is_retold { 0.0 } else { PER_WORD * size }).min(1.0) as f32
}

/// The part of the share that counts for a run of this size in words. It is small for short runs, because language
/// repeats pairs of words.
fn told(size: f64) -> f64 {
    ((size - 1.0) / (FULLY_TOLD - 1.0)).clamp(0.0, 1.0)
}

/// Whether the pattern is in so few documents that they may have retold a story.
fn is_of_few(weight: &Weight) -> bool {
    weight.documents <= MAX_RETOLD
}

/// Whether the tokens have the form of a story: many words, in sentences.
fn is_passage(layout: &Layout, tokens: &Range<usize>) -> bool {
    let (words, ends) = (layout.words(tokens), f64::from(layout.sentence_ends(tokens)));
    words >= MIN_PASSAGE_WORDS && ends > 0.0 && ends * MAX_SENTENCE_WORDS >= words
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::cleaning::reading::matcher::Tokens;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    fn layout(text: &str) -> Layout {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()));
        Layout::of(text, &Tokens::of(text, &mut lexer))
    }

    fn matches_and_weights(matches: &[(Range<usize>, f64, usize)]) -> (Vec<Match>, Vec<Weight>) {
        let weighed = |(pattern, (tokens, share, documents)): (usize, &(Range<usize>, f64, usize))| {
            let (share, documents) = (*share, *documents);
            let weight =
                Weight { share, documents, occurrences: documents, holds_lines: true, once: 1.0, ..Weight::default() };
            (Match { tokens: tokens.clone(), pattern }, weight)
        };
        matches.iter().enumerate().map(weighed).unzip()
    }

    fn weighed(text: &str, matches: &[(Range<usize>, f64, usize)]) -> Evidence {
        let (matches, weights) = matches_and_weights(matches);
        weigh(&layout(text), &matches, &Weights::from_iter([&*weights]))
    }

    /// The result of [`weigh`] by brute force: each line of each match is a stroke, and strokes are painted token by
    /// token.
    fn naively_weighed(layout: &Layout, matches: &[Match], weights: &[Weight]) -> (Vec<f32>, Vec<Option<usize>>) {
        let matches: Vec<Match> = matches.iter().map(|found| without_stop_before(layout, found)).collect();
        let mut strokes = Vec::new();
        for Match { tokens, pattern } in &matches {
            let weight = &weights[*pattern];
            let whole = strength(layout, tokens, weight);
            strokes.push((whole, tokens.clone(), *pattern as u32));
            let lines = (0..layout.lines.len()).map(|line| layout.lines.tokens(line));
            let within = lines.filter(|line| tokens.start <= line.start && line.end <= tokens.end);
            let telling = within.filter(|line| whole < 1.0 && !(is_of_few(weight) && is_passage(layout, line)));
            strokes.extend(telling.map(|line| (1.0, line, *pattern as u32)));
        }
        let strongest = |token: usize| {
            let here = strokes.iter().filter(|(strength, tokens, _)| *strength > 0.0 && tokens.contains(&token));
            let order = |(strength, tokens, pattern): &&(f32, Range<usize>, u32)| {
                (std::cmp::Reverse(strength.to_bits()), tokens.start, tokens.end, *pattern)
            };
            here.min_by_key(order)
        };
        (0..layout.tokens())
            .map(|token| {
                strongest(token).map_or((0.0, None), |(strength, _, pattern)| (*strength, Some(*pattern as usize)))
            })
            .unzip()
    }

    fn evidence(text: &str, matches: &[(Range<usize>, f64, usize)]) -> Vec<f32> {
        weighed(text, matches).of_token
    }

    #[test]
    fn the_share_counts_and_so_does_the_length() {
        assert_eq!(evidence("a b c d e f g", &[(1..6, 0.175, 5)]), [0.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.0]);
    }

    #[test]
    fn pairs_are_language() {
        let pair = evidence("a b c d e", &[(1..3, 0.9, 9)]);
        assert!(pair[1] < 0.3, "{pair:?}");
    }

    #[test]
    fn what_chance_does_not_explain_is_full_evidence() {
        let evidence = |beyond| {
            let weight = Weight { share: 0.2, documents: 20, occurrences: 20, beyond, ..Weight::default() };
            weigh(&layout("a b c d e f"), &[Match { tokens: 1..5, pattern: 0 }], &Weights::from_iter([&[weight][..]]))
        };
        let Evidence { of_token, is_beyond_chance, is_edge, .. } = evidence(9.0);
        assert_eq!(of_token, [0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
        assert_eq!(is_beyond_chance, [false, true, true, true, true, false]);
        assert_eq!(is_edge, [false, true, false, false, false, true, false]);
        assert!(evidence(7.0).of_token[1] < 1.0 && evidence(7.0).is_edge == [false; 7]);
    }

    #[test]
    fn the_strongest_match_counts() {
        let evidence = evidence("a b c d e f g", &[(0..6, 0.1, 9), (0..5, 0.9, 9)]);
        assert_eq!(evidence, [1.0, 1.0, 1.0, 1.0, 1.0, 0.32, 0.0]);
    }

    #[test]
    fn whole_lines_are_telling_but_parts_of_lines_are_not() {
        let evidence = evidence("a b\nShare\nc d", &[(1..4, 0.1, 2)]);
        assert_eq!(evidence.map_to_marks(), "-*#*-");
    }

    #[test]
    fn a_passage_in_two_documents_is_no_template() {
        let text = "We said so then, and we say so now, and you may be sure we will again.\nx";
        assert!(evidence(text, &[(0..20, 0.08, 2)])[0] < 0.5);
        assert_eq!(evidence(text, &[(0..20, 0.08, 3)])[0], 1.0);
    }

    const PIECES: [&str; 6] =
        ["a ", "b\n", "手", ". ", "c. ", "we said so then and say so now and will say so again. "];

    proptest! {
        #[test]
        fn evidence_is_that_of_the_strongest_stroke(
            text in prop::collection::vec(select(&PIECES), 1..20),
            found in prop::collection::vec((0usize..60, 1usize..60, select(&[0.0, 0.1, 0.2, 0.5]), select(&[2usize, 3, 20])), 0..25),
        ) {
            let layout = layout(&text.concat());
            let end = layout.tokens();
            let found: Vec<(Range<usize>, f64, usize)> = (found.into_iter())
                .map(|(start, len, share, documents)| (start.min(end)..(start + len).min(end), share, documents))
                .filter(|found| !found.0.is_empty())
                .collect();
            let (mut matches, mut weights) = matches_and_weights(&found);
            for found in &mut matches {
                // So that several matches have the same pattern.
                found.pattern /= 2;
            }
            weights.truncate(matches.len().div_ceil(2));
            // As if they came from several files.
            let in_parts = Weights::from_iter(weights.chunks(3));
            let evidence = weigh(&layout, &matches, &in_parts);
            let patterns = evidence.pattern.into_iter().map(|pattern| pattern.map(PatternIndex::get)).collect();
            prop_assert_eq!((evidence.of_token, patterns), naively_weighed(&layout, &matches, &weights));
            for found in matches {
                let mut of_token = vec![0.0; end];
                let alone = Alone::of(&layout, &found, &weights[found.pattern]);
                alone.stretches(&layout, |tokens, strength| of_token[tokens].fill(strength));
                prop_assert_eq!(weigh(&layout, &[found], &in_parts).of_token, of_token);
            }
        }
    }

    trait Marks {
        fn map_to_marks(&self) -> String;
    }

    impl Marks for Vec<f32> {
        fn map_to_marks(&self) -> String {
            self.iter()
                .map(|&p| {
                    if p == 1.0 {
                        '#'
                    } else if p > 0.0 {
                        '*'
                    } else {
                        '-'
                    }
                })
                .collect()
        }
    }
}
