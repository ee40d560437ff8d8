//! Cuts repeats where a person would cut them.
//!
//! A repeat begins and ends wherever its documents happen to agree: with the full stop of the article before it, in the
//! middle of a sentence, with the first words of the next line. Takes the repeats that cover a source. Returns their
//! units:
//!
//! - the whole lines of a repeat, without lines of marks alone at the edges,
//! - the parts of lines before and after these, made shorter until text can be cut at their edges,
//! - the stretches of whole lines that variants of a block have in common, and those that only some variants have,
//! - the pieces of long blocks.
//!
//! Each unit is counted again, because shorter runs occur more often.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::filters::HalfWords;
use super::near_duplicates::Groups;
use super::repeats::Interval;
use super::suffix_array::SuffixArray;
use crate::tokens::joints::Joint;
use crate::tokens::{Symbol, SymbolSequence, TokenKind, Vocabulary};

/// An edge of a run is cuttable if text can be cut there in at least this share of the occurrences.
const MIN_CUTTABLE_EDGES: f64 = 0.9;
/// Language repeats fewer words than this. A part of a line with as many is a unit even if text cannot be cut at its
/// edges.
const MIN_WORDS_OF_UNIT: usize = 5;
/// A part with so many words loses at most this number of tokens at each edge: the end of the sentence before, or the
/// start of the next sentence.
const MAX_FRAGMENT: usize = 3;
/// A part of a line in at least this number of documents, and in at least this share of them, is a unit wherever it
/// begins and ends.
const MIN_DOCUMENTS_OF_UNIT: usize = 5;
const MIN_SHARE_OF_UNIT: f64 = 0.15;
/// Blocks of more tokens are divided at line ends.
pub const MAX_BLOCK: usize = 24;
/// Number of occurrences at which edges are examined, evenly spread.
const MAX_SAMPLE: usize = 64;

/// The units of the repeats, in the order of the suffix array.
/// A part of a line has at least `min_words` words.
pub fn units(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    groups: &Groups,
    repeats: &[Interval],
    min_words: usize,
) -> Vec<Interval> {
    let half_words = HalfWords::of(sequence);
    let cutter = Cutter { sequence, array, groups, min_words, half_words, joints: joints(sequence.vocabulary()) };
    let mut units = cutter.counted(repeats.par_iter().flat_map_iter(|repeat| cutter.cut(repeat)).collect());
    let common = cutter.counted(cutter.common_parts(&units));
    units.extend(common);
    let pieces = cutter.counted(units.par_iter().flat_map_iter(|unit| cutter.pieces(unit)).collect());
    units.extend(pieces);
    units.sort_unstable_by_key(|unit| (unit.first, unit.len));
    units.dedup();
    units
}

/// Positions in the sequence, inside one document.
type Run = Range<usize>;

struct Cutter<'s> {
    sequence: &'s SymbolSequence,
    array: &'s SuffixArray,
    groups: &'s Groups,
    min_words: usize,
    half_words: HalfWords,
    /// The joint of each symbol.
    joints: Vec<Joint>,
}

impl Cutter<'_> {
    /// The whole lines of a repeat, and its parts of lines before and after them.
    fn cut(&self, repeat: &Interval) -> Vec<Run> {
        let all = self.example(repeat);
        let breaks = || all.clone().filter(|&at| self.is_break(at));
        let Some((first, last)) = breaks().next().zip(breaks().next_back()) else {
            return self.of_line(all);
        };
        let lines = first..last + 1;
        let cut_off = (first < last && self.is_ellipsis(all.start..first)).then_some(all.start..last + 1);
        let mut units = self.of_line(all.start..first + 1);
        units.extend(self.of_line(last..all.end));
        units.extend(self.without_bare_lines(lines.clone()));
        // The lines of marks are also kept, because they show where a block begins and ends.
        units.extend([Some(lines), cut_off].into_iter().flatten().filter(|lines| self.has_word(lines)));
        units
    }

    /// The units of a part of a line: the part made shorter, and the whole part if it is in too many documents to be
    /// language.
    fn of_line(&self, part: Run) -> Vec<Run> {
        let Some(whole) = self.without_adhering_marks(part) else { return Vec::new() };
        let is_frequent = || {
            let documents = self.documents(&self.ranks(&whole)).len();
            documents >= MIN_DOCUMENTS_OF_UNIT && documents as f64 >= MIN_SHARE_OF_UNIT * self.groups.len() as f64
        };
        let units = match self.trimmed(whole.clone()) {
            Some(unit) if unit == whole => vec![unit],
            unit => unit.into_iter().chain(Some(whole.clone()).filter(|_| is_frequent())).collect(),
        };
        units.into_iter().filter(|unit| self.half_words(unit) >= 2 * self.min_words).collect()
    }

    /// Cuts each block of whole lines wherever a block begins or ends inside it. Returns the parts.
    fn common_parts(&self, units: &[Interval]) -> Vec<Run> {
        let blocks: Vec<&Interval> = units.iter().filter(|unit| self.is_block(&self.example(unit))).collect();
        let mut is_edge = vec![false; self.sequence.symbols().len()];
        for unit in &blocks {
            for start in (unit.first..unit.first + unit.occurrences).map(|rank| self.array.position(rank)) {
                is_edge[start] = true;
                is_edge[start + unit.len - 1] = true;
            }
        }
        let parts = |unit: &&Interval| {
            let edges: Vec<usize> = self.example(unit).filter(|&at| is_edge[at]).collect();
            let parts: Vec<Run> = edges.windows(2).map(|pair| pair[0]..pair[1] + 1).collect();
            parts.into_iter().filter_map(|part| self.without_bare_lines(part))
        };
        blocks.par_iter().flat_map_iter(parts).collect()
    }

    /// The pieces of a long block, each of whole lines. Empty if the unit is not a long block.
    fn pieces(&self, unit: &Interval) -> Vec<Run> {
        let block = self.example(unit);
        let mut pieces = Vec::new();
        if !self.is_block(&block) || block.len() <= MAX_BLOCK {
            return pieces;
        }
        let (mut start, mut end) = (block.start, block.start);
        for at in block.start + 1..block.end {
            if !self.is_break(at) {
                continue;
            }
            if at + 1 - start > MAX_BLOCK && end > start {
                pieces.push(start..end + 1);
                start = end;
            }
            end = at;
        }
        pieces.push(start..end + 1);
        pieces.into_iter().filter_map(|piece| self.without_bare_lines(piece)).collect()
    }

    /// The part without marks that belong to the text before or after it. `None` if it has no word.
    fn without_adhering_marks(&self, part: Run) -> Option<Run> {
        let mut unit = self.without_bare_lines(part)?;
        while !self.is_break(unit.start) && self.joint(unit.start).adheres_to_text_before() {
            unit.start += 1;
        }
        while !self.is_break(unit.end - 1) && self.joint(unit.end - 1).adheres_to_text_after() {
            unit.end -= 1;
        }
        Some(unit)
    }

    /// The part made shorter until text can be cut at its edges. `None` if nothing is left.
    fn trimmed(&self, part: Run) -> Option<Run> {
        let mut unit = part;
        if !self.is_cuttable(&unit, Edge::Start) {
            let last = unit.start + 1 + self.reach(&unit);
            match (unit.start + 1..last.min(unit.end)).find(|&at| self.can_cut(at)) {
                Some(at) => unit.start = at,
                None if self.is_long(&unit) => {}
                None => return None,
            }
        }
        if !self.is_cuttable(&unit, Edge::End) {
            let first = unit.end.saturating_sub(self.reach(&unit)).max(unit.start + 1);
            match (first..unit.end).rev().find(|&at| self.can_cut(at)) {
                Some(at) => unit.end = at,
                None if self.is_long(&unit) => {}
                None => return None,
            }
        }
        // The shorter run may have other neighbours.
        let is_cuttable = || [Edge::Start, Edge::End].into_iter().all(|edge| self.is_cuttable(&unit, edge));
        (self.has_word(&unit) && (self.is_long(&unit) || is_cuttable())).then_some(unit)
    }

    /// Number of tokens that a part may lose at an edge.
    fn reach(&self, part: &Run) -> usize {
        if self.is_long(part) { MAX_FRAGMENT } else { part.len() }
    }

    /// The part without the lines at its edges that have only marks. `None` if nothing else is in it.
    fn without_bare_lines(&self, part: Run) -> Option<Run> {
        let is_word = |&at: &usize| self.joint(at).is_word();
        let (first, last) = (part.clone().find(is_word)?, part.clone().rfind(is_word)?);
        let start = (part.start..first).rfind(|&at| self.is_break(at)).unwrap_or(part.start);
        let end = (last..part.end).find(|&at| self.is_break(at)).map_or(part.end, |at| at + 1);
        Some(start..end)
    }

    /// Whether the run is the ellipsis with which programs cut off headlines. The lines after it show that the headline
    /// before it, which differs from document to document, is part of a list.
    fn is_ellipsis(&self, run: Run) -> bool {
        let literal = |at: usize| self.sequence.vocabulary().literal(Symbol(self.sequence.symbols()[at]));
        match run.len() {
            1 => literal(run.start) == Some("…"),
            3 => run.into_iter().all(|at| literal(at) == Some(".")),
            _ => false,
        }
    }

    fn is_block(&self, run: &Run) -> bool {
        self.is_break(run.start) && self.is_break(run.end - 1)
    }

    fn is_break(&self, at: usize) -> bool {
        self.sequence.symbols()[at] == Vocabulary::BREAK.0
    }

    fn is_long(&self, run: &Run) -> bool {
        self.half_words(run) >= 2 * MIN_WORDS_OF_UNIT
    }

    /// Twice the number of words in a run.
    fn half_words(&self, run: &Run) -> usize {
        self.half_words.between(run.start, run.end)
    }

    fn has_word(&self, run: &Run) -> bool {
        run.clone().any(|at| self.joint(at).is_word())
    }

    fn joint(&self, at: usize) -> Joint {
        // The symbols between documents mark the ends of documents and have no joint of their own.
        let end = Joint::of(TokenKind::Break, "", true);
        self.joints.get(self.sequence.symbols()[at] as usize).copied().unwrap_or(end)
    }

    /// Whether text can be cut before this position.
    fn can_cut(&self, at: usize) -> bool {
        self.joint(at - 1).can_cut_before(self.joint(at))
    }

    /// Whether text can be cut at this edge of nearly all occurrences of the run.
    fn is_cuttable(&self, run: &Run, edge: Edge) -> bool {
        let is_line_edge = match edge {
            Edge::Start => self.is_break(run.start),
            Edge::End => self.is_break(run.end - 1),
        };
        let ranks = if is_line_edge { return true } else { self.ranks(run) };
        let sampled = ranks.len().min(MAX_SAMPLE);
        let can_cut = |index: &usize| {
            let start = self.array.position(ranks.start + index * ranks.len() / sampled);
            self.can_cut(if edge == Edge::Start { start } else { start + run.len() })
        };
        (0..sampled).filter(can_cut).count() as f64 >= MIN_CUTTABLE_EDGES * sampled as f64
    }

    /// The first occurrence of a unit.
    fn example(&self, unit: &Interval) -> Run {
        let start = self.array.position(unit.first);
        start..start + unit.len
    }

    /// The ranks of the suffixes that start with this run. O(log n) comparisons.
    fn ranks(&self, run: &Run) -> Range<usize> {
        let symbols = self.sequence.symbols();
        let run = &symbols[run.clone()];
        let prefix = |rank: usize| {
            let at = self.array.position(rank);
            &symbols[at..symbols.len().min(at + run.len())]
        };
        let first = partition_point(0..self.array.len(), |rank| prefix(rank) < run);
        first..partition_point(first..self.array.len(), |rank| prefix(rank) <= run)
    }

    /// The documents, as groups of near-duplicates, in which these suffixes start.
    fn documents(&self, ranks: &Range<usize>) -> FxHashSet<u32> {
        let group = |rank: usize| self.groups.of(self.sequence.document_at(self.array.position(rank)));
        ranks.clone().map(group).collect()
    }

    /// The runs with their counts. Equal runs are counted once.
    fn counted(&self, runs: Vec<Run>) -> Vec<Interval> {
        let mut seen: FxHashSet<&[u32]> = FxHashSet::default();
        let distinct: Vec<Run> =
            runs.into_iter().filter(|run| seen.insert(&self.sequence.symbols()[run.clone()])).collect();
        let count = |run: Run| {
            let ranks = self.ranks(&run);
            let documents = self.documents(&ranks).len();
            Interval { first: ranks.start, occurrences: ranks.len(), len: run.len(), documents, is_maximal: false }
        };
        distinct.into_par_iter().map(count).collect()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Edge {
    Start,
    End,
}

/// The first element of a range for which `is_before` is false.
fn partition_point(range: Range<usize>, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// The joint of each symbol, which decides whether text can be cut beside it.
fn joints(vocabulary: &Vocabulary) -> Vec<Joint> {
    let joint = |symbol: u32| {
        let symbol = Symbol(symbol);
        let text = vocabulary.literal(symbol).unwrap_or_default();
        Joint::of(vocabulary.kind(symbol), text, vocabulary.has_space_before(symbol))
    };
    (0..vocabulary.len() as u32).map(joint).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::mining::near_duplicates::{Groups, group_near_duplicates};
    use crate::mining::places::Places;
    use crate::mining::repeats::{Least, select_intervals};
    use crate::tokens::{Lexer, MutableSet, TokenRun, Tokenizer};

    fn lexer() -> Lexer {
        Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()))
    }

    /// Calls `look` with the units of all maximal repeats of some texts, and with the data from which they were cut.
    fn look<T>(texts: &[String], look: impl FnOnce(&SymbolSequence, &SuffixArray, &Groups, &[Interval]) -> T) -> T {
        let sequence = SymbolSequence::of_texts(texts, &lexer()).unwrap();
        let array = SuffixArray::build(sequence.symbols());
        let places = Places::of(&sequence, &array);
        let (groups, _) = group_near_duplicates(&sequence, &array, &places, &Groups::of_identical(&sequence, None));
        let group = |document| groups.of(document);
        let is_repeat = |repeat: &Interval| repeat.is_maximal && repeat.documents > 1;
        let repeats = select_intervals(&array, &places, groups.len(), group, Least::ANY, is_repeat);
        let units = units(&sequence, &array, &groups, &repeats, 2);
        look(&sequence, &array, &groups, &units)
    }

    /// The units as written, each with the number of documents and of occurrences.
    fn written(texts: &[&str]) -> BTreeMap<String, [usize; 2]> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        look(&texts, |sequence, array, _, units| {
            let run = |unit: &Interval| {
                let start = array.position(unit.first);
                sequence.run(start..start + unit.len)
            };
            let none = MutableSet::new(vec![]).unwrap();
            units.iter().map(|unit| (run(unit).written(&none), [unit.documents, unit.occurrences])).collect()
        })
    }

    #[test]
    fn the_stop_of_the_sentence_before_is_no_part_of_a_unit() {
        let units =
            written(&["A ferry came. Read more of our stories here", "It rained. Read more of our stories here"]);
        assert_eq!(units.into_iter().collect::<Vec<_>>(), [("Read more of our stories here⏎".to_owned(), [2, 2])]);
    }

    #[test]
    fn a_repeat_is_cut_at_its_lines() {
        let units = written(&["one and\nHome\nNews\nthen two", "1 and\nHome\nNews\nthen 2"]);
        assert_eq!(units.into_iter().collect::<Vec<_>>(), [("⏎Home⏎News⏎".to_owned(), [2, 2])]);
    }

    #[test]
    fn what_two_variants_of_a_block_have_in_common_is_a_unit() {
        let units = written(&["Home\nNews\nTides", "Home\nNews\nTides", "Home\nNews\nSport", "a b\nNews\nc d"]);
        for part in ["⏎Home⏎", "⏎News⏎"] {
            assert!(units.contains_key(part), "{units:?}");
        }
        // The first 2 documents are the same, so they count once.
        assert_eq!(units["⏎News⏎"], [3, 4], "{units:?}");
    }

    #[test]
    fn a_fragment_of_language_is_no_unit() {
        let units = written(&["we saw that of the men who left", "they hid much of the men and more"]);
        assert!(units.is_empty(), "{units:?}");
    }

    #[test]
    fn half_a_bracket_is_no_edge() {
        let units = written(&["one (Read more of our stories here) two", "1 (Read more of our stories here) 2"]);
        assert_eq!(units.into_keys().collect::<Vec<_>>(), ["(Read more of our stories here)"]);
    }

    /// Texts of a few words, marks and lines.
    fn texts() -> impl Strategy<Value = Vec<String>> {
        let parts = [
            " a",
            " b",
            " c d e f g",
            ".",
            ". ",
            ",",
            " (",
            ")",
            " |",
            "\n",
            "\nHome",
            "\n...",
            "…\n",
            " \"",
            "\"",
            "!",
        ];
        let text = prop::collection::vec(prop::sample::select(parts.to_vec()), 1..25).prop_map(|parts| parts.concat());
        prop::collection::vec(text, 2..7)
    }

    proptest! {
        #[test]
        fn units_are_counted_as_by_hand_and_begin_with_no_end_of_other_text(texts in texts()) {
            look(&texts, |sequence, array, groups, units| {
                let symbols = sequence.symbols();
                let joints = joints(sequence.vocabulary());
                let mut runs = BTreeSet::new();
                for unit in units {
                    let start = array.position(unit.first);
                    let run = &symbols[start..start + unit.len];
                    let starts: Vec<usize> = (0..symbols.len()).filter(|&at| symbols[at..].starts_with(run)).collect();
                    let documents: BTreeSet<u32> =
                        starts.iter().map(|&at| groups.of(sequence.document_at(at))).collect();
                    let what: TokenRun = sequence.run(start..start + unit.len);
                    prop_assert_eq!((unit.occurrences, unit.documents), (starts.len(), documents.len()), "{:?}", what);
                    let found: BTreeSet<usize> =
                        (unit.first..unit.first + unit.occurrences).map(|rank| array.position(rank)).collect();
                    prop_assert_eq!(found, starts.into_iter().collect::<BTreeSet<usize>>(), "{:?}", what);
                    prop_assert!(runs.insert(run.to_vec()), "{:?} is there twice", what);
                    prop_assert!(run.iter().any(|&symbol| joints[symbol as usize].is_word()), "{:?}", what);
                    let [first, last] = [run[0], run[run.len() - 1]].map(|symbol| joints[symbol as usize]);
                    let is_cut_off = what.written(&MutableSet::new(vec![]).unwrap()).trim_start_matches('…').starts_with(['.', '\\']);
                    prop_assert!(is_cut_off || !first.adheres_to_text_before(), "{:?}", what);
                    prop_assert!(!last.adheres_to_text_after(), "{:?}", what);
                }
                Ok(())
            })?;
        }
    }
}
