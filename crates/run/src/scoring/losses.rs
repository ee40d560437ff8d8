//! Finds the content that cleaning removed, its place, and the pattern that removed it.
//!
//! The bags of words tell which words were lost: gold words of the text that were not kept. If "the" was removed in
//! several places, the bags do not tell in which of them it was gold. So the most likely places are taken: those
//! between words that have the same order in the gold text.

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::words::{Bag, fold, word_ranges};
use dehusk_core::cleaning::{Cleaning, Span};

/// The gold words of a document that were removed.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// The lost words: gold words of the text that were not kept.
    pub words: Bag,
    /// The lost words as stretches of neighbours, the longest stretch first.
    pub stretches: Vec<Stretch>,
    /// The losses by each pattern. The pattern with the most lost words comes first.
    pub by_pattern: Vec<PatternLosses>,
}

/// Consecutive lost words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Number of words.
    pub words: usize,
    /// The patterns that removed the words, each once, as indices in
    /// [`Cleaner::patterns`](dehusk_core::cleaning::Cleaner::patterns).
    pub patterns: Vec<usize>,
}

/// The words that one pattern removed from a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternLosses {
    /// Index in [`Cleaner::patterns`](dehusk_core::cleaning::Cleaner::patterns). `None` for words that no pattern
    /// matched, but that were removed with their neighbours.
    pub pattern: Option<usize>,
    /// Number of words it removed.
    pub removed: usize,
    /// The lost words among them.
    pub lost: Bag,
}

impl Losses {
    /// The losses of a cleaned text, given its gold text and the bags of the gold text and of the kept text.
    pub fn of(text: &str, cleaning: &Cleaning, gold_text: &str, gold: &Bag, kept: &Bag) -> Losses {
        let words = Bag::of(text).common(gold).without(kept);
        let removed = removed_words(text, cleaning);
        let is_lost = lost_among(text, &removed, &words, gold_text);
        Losses { stretches: stretches(&removed, &is_lost), by_pattern: by_pattern(&removed, &is_lost), words }
    }
}

/// A word inside a span.
struct RemovedWord {
    /// Its index among the words of the text.
    place: usize,
    range: Range<usize>,
    word: String,
    pattern: Option<usize>,
}

fn removed_words(text: &str, cleaning: &Cleaning) -> Vec<RemovedWord> {
    let mut spans = cleaning.spans.iter().peekable();
    let mut removed = Vec::new();
    for (place, range) in word_ranges(text).enumerate() {
        while spans.next_if(|span| span.range.end <= range.start).is_some() {}
        if let Some(span) = spans.peek().filter(|span| span.range.start < range.end) {
            let word = fold(&text[range.clone()]);
            removed.push(RemovedWord { place, word, pattern: pattern_at(span, &range), range });
        }
    }
    removed
}

fn pattern_at(span: &Span, word: &Range<usize>) -> Option<usize> {
    let overlaps = |part: &Range<usize>| part.start < word.end && word.start < part.end;
    // The parts of a span are sorted.
    let first = span.because.partition_point(|(part, _)| part.end <= word.start);
    span.because.get(first).filter(|(part, _)| overlaps(part)).map(|&(_, pattern)| pattern)
}

/// Whether each removed word counts as lost. A word counts as often as it is in `lost`.
fn lost_among(text: &str, removed: &[RemovedWord], lost: &Bag, gold_text: &str) -> Vec<bool> {
    let company = gold_company(text, gold_text);
    let mut likeliest: Vec<usize> = (0..removed.len()).collect();
    likeliest.sort_by_key(|&index| Reverse(company[removed[index].place]));
    let mut left: FxHashMap<&str, usize> = lost.ranked().into_iter().collect();
    let mut is_lost = vec![false; removed.len()];
    for index in likeliest {
        if let Some(count) = left.get_mut(removed[index].word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            is_lost[index] = true;
        }
    }
    is_lost
}

/// For each word of the text, the length of the longest run around it that agrees with the gold text: any three
/// consecutive words of the run are also consecutive in the gold text. The length is the number of such triples.
fn gold_company(text: &str, gold_text: &str) -> Vec<usize> {
    let folded = |text: &str| -> Vec<String> { word_ranges(text).map(|range| fold(&text[range])).collect() };
    let (words, gold) = (folded(text), folded(gold_text));
    let threes: FxHashSet<&[String]> = gold.windows(3).collect();
    let is_gold: Vec<bool> = words.windows(3).map(|three| threes.contains(three)).collect();
    let mut company = vec![0; words.len()];
    let mut start = 0;
    for run in is_gold.chunk_by(|a, b| a == b) {
        if run[0] {
            let around = &mut company[start..start + run.len() + 2];
            around.iter_mut().for_each(|length| *length = (*length).max(run.len()));
        }
        start += run.len();
    }
    company
}

fn stretches(removed: &[RemovedWord], is_lost: &[bool]) -> Vec<Stretch> {
    let lost = removed.iter().zip(is_lost).filter(|(_, is_lost)| **is_lost);
    let lost: Vec<&RemovedWord> = lost.map(|(word, _)| word).collect();
    let mut stretches: Vec<Stretch> = lost.chunk_by(|a, b| a.place + 1 == b.place).map(stretch).collect();
    stretches.sort_by_key(|stretch| Reverse(stretch.words));
    stretches
}

fn stretch(words: &[&RemovedWord]) -> Stretch {
    let mut patterns: Vec<usize> = words.iter().filter_map(|word| word.pattern).collect();
    patterns.sort_unstable();
    patterns.dedup();
    Stretch { range: words[0].range.start..words[words.len() - 1].range.end, words: words.len(), patterns }
}

fn by_pattern(removed: &[RemovedWord], is_lost: &[bool]) -> Vec<PatternLosses> {
    let mut by_pattern: FxHashMap<Option<usize>, PatternLosses> = FxHashMap::default();
    for (word, is_lost) in removed.iter().zip(is_lost) {
        let losses = by_pattern.entry(word.pattern).or_default();
        losses.pattern = word.pattern;
        losses.removed += 1;
        losses.lost.add(word.word.clone(), usize::from(*is_lost));
    }
    let mut by_pattern: Vec<PatternLosses> = by_pattern.into_values().collect();
    by_pattern.sort_by_key(|losses| (Reverse(losses.lost.total()), losses.pattern));
    by_pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The losses when these parts are removed, part n by pattern n.
    fn losses(text: &str, parts: &[&str], gold: &str) -> Losses {
        let range = |part: &str| text.find(part).map(|start| start..start + part.len()).unwrap();
        let mut spans: Vec<Span> = parts
            .iter()
            .enumerate()
            .map(|(pattern, part)| Span { range: range(part), score: 1.0, because: vec![(range(part), pattern)] })
            .collect();
        spans.sort_by_key(|span| span.range.start);
        let cleaning = Cleaning { spans, ..Cleaning::default() };
        Losses::of(text, &cleaning, gold, &Bag::of(gold), &Bag::of(&cleaning.strip(text)))
    }

    fn shown(text: &str, losses: &Losses) -> Vec<String> {
        losses.stretches.iter().map(|stretch| text[stretch.range.clone()].to_owned()).collect()
    }

    #[test]
    fn the_removed_headline_is_lost_to_its_pattern() {
        let text = "Home | News\nFerry late again\nThe ferry was late.\nMost read: Ferry late again";
        let lost = losses(
            text,
            &["Home | News", "Ferry late again", "Most read: Ferry late again"],
            "Ferry late again. The ferry was late.",
        );
        assert_eq!(lost.words, Bag::of("ferry late again"));
        assert_eq!(shown(text, &lost), ["Ferry late again"]);
        assert_eq!(lost.stretches[0].patterns, [1]);
        let of = |pattern, removed, lost| PatternLosses { pattern: Some(pattern), removed, lost: Bag::of(lost) };
        assert_eq!(lost.by_pattern, [of(1, 3, "ferry late again"), of(0, 2, ""), of(2, 5, "")]);
    }

    #[test]
    fn of_equal_words_those_in_the_right_company_are_lost() {
        let text = "See the shop\nIn the end the boat sank";
        let lost = losses(text, &["See the shop", "In the end the boat"], "In the end the boat sank");
        assert_eq!(shown(text, &lost), ["In the end the boat"]);
        assert_eq!(lost.by_pattern[0].pattern, Some(1));
    }

    #[test]
    fn a_word_that_is_kept_elsewhere_is_not_lost() {
        let lost = losses("boat\nboat", &["boat"], "boat");
        assert_eq!((lost.words.total(), lost.stretches.len(), lost.by_pattern[0].removed), (0, 0, 1));
    }

    #[test]
    fn words_between_matches_belong_to_no_pattern() {
        let text = "one two three";
        let because = vec![(0..3, 4), (8..13, 4)];
        let cleaning = Cleaning { spans: vec![Span { range: 0..13, score: 1.0, because }], ..Cleaning::default() };
        let lost = Losses::of(text, &cleaning, text, &Bag::of(text), &Bag::default());
        let patterns: Vec<_> = lost.by_pattern.iter().map(|losses| (losses.pattern, losses.lost.total())).collect();
        assert_eq!(patterns, [(Some(4), 2), (None, 1)]);
        assert_eq!(shown(text, &lost), ["one two three"]);
    }
}
