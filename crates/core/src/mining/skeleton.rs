//! The skeleton of lines: the tokens that they have in common, and the places where they differ.
//!
//! Takes lines, or parts of lines, that may be one template filled in differently. Returns their skeleton: the tokens
//! that nearly all of them have, in one order, and free stretches between them for other tokens. A line fits a skeleton
//! if the pattern that is made of the skeleton would match the line.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::tokens::characters::{ends_in_run, is_run_character, is_word_character};
use crate::tokens::{Piece, Symbol, SymbolSequence, TokenKind, TokenRun, Vocabulary};

/// The meaning of "nearly all": a common token is in at least this share of the lines, and a skeleton fits at least
/// this share of them.
pub(super) const NEARLY_ALL_LINES: f64 = 0.95;
/// Maximum number of tokens in a line with slots. Two stretches and a sentence between them fit.
pub(super) const MAX_TOKENS: usize = 80;
/// Maximum number of free stretches. Lines with more are sentences with a few words in common.
pub(super) const MAX_STRETCHES: usize = 2;
/// Possible bounds of a stretch: the maximum number of characters after its first character. The smallest bound that
/// leaves [`ROOM`] beyond nearly all fillers seen is taken. The bounds allow names and headlines, but not paragraphs.
const BOUNDS: [u16; 4] = [20, 40, 80, 160];
/// Maximum number of tokens in a stretch with no word before it in the skeleton. A name fits, but not a caption, which
/// is the document's own text.
pub(super) const MAX_NAME_TOKENS: usize = 4;
/// Fillers that were not seen may be longer than those that were seen, by this factor.
const ROOM: f64 = 1.25;

/// Which ends of a stretch of tokens are ends of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) starts_line: bool,
    pub(super) ends_line: bool,
}

impl Ends {
    /// The ends of a whole line.
    pub(super) const LINE: Ends = Ends { starts_line: true, ends_line: true };
}

/// Tokens that lines have in common, with free stretches between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Skeleton {
    bones: Vec<Bone>,
    ends: Ends,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Bone {
    Tokens(Vec<u32>),
    Free { more: u16, space_before: bool },
}

impl Skeleton {
    /// The skeleton of lines or parts of lines. `None` if they have no skeleton, or if it has no stretches or too many.
    pub(super) fn of(sequence: &SymbolSequence, lines: &[Range<usize>], ends: Ends) -> Option<Skeleton> {
        let symbols = |line: &Range<usize>| &sequence.symbols()[line.clone()];
        let common = common_symbols(lines.iter().map(symbols));
        let restricted = |line: &Range<usize>| -> Vec<usize> {
            line.clone().filter(|&at| common.contains(&sequence.symbols()[at])).collect()
        };
        let restricted: Vec<Vec<usize>> = lines.iter().map(restricted).collect();
        let backbone = most_frequent(restricted.iter().map(|places| symbols_at(sequence, places)))?;
        let having: Vec<(&Range<usize>, &Vec<usize>)> =
            lines.iter().zip(&restricted).filter(|(_, places)| symbols_at(sequence, places) == backbone).collect();

        let mut bones = Vec::new();
        for index in 0..=backbone.len() {
            let gaps = having.iter().map(|(line, places)| gap(line, places, index));
            let is_word = |&symbol: &u32| sequence.vocabulary().kind(Symbol(symbol)) == TokenKind::Word;
            let max_tokens = if backbone[..index].iter().any(is_word) { usize::MAX } else { MAX_NAME_TOKENS };
            if let Some(free) = free(sequence, gaps, max_tokens)? {
                bones.push(free);
            }
            match (bones.last_mut(), backbone.get(index)) {
                (_, None) => {}
                (Some(Bone::Tokens(tokens)), Some(&symbol)) => tokens.push(symbol),
                (_, Some(&symbol)) => bones.push(Bone::Tokens(vec![symbol])),
            }
        }

        let stretches = bones.iter().filter(|bone| matches!(bone, Bone::Free { .. })).count();
        (!backbone.is_empty() && (1..=MAX_STRETCHES).contains(&stretches)).then_some(Skeleton { bones, ends })
    }

    /// The tokens that lines have in common.
    pub(super) fn tokens(&self) -> impl Iterator<Item = u32> {
        self.bones
            .iter()
            .flat_map(|bone| match bone {
                Bone::Tokens(tokens) => tokens.as_slice(),
                Bone::Free { .. } => &[],
            })
            .copied()
    }

    /// Whether a line is this skeleton with its stretches filled.
    pub(super) fn fits(&self, sequence: &SymbolSequence, line: &Range<usize>) -> bool {
        let symbols = &sequence.symbols()[line.clone()];
        let is_cut = |at: usize| {
            cuts_word(sequence, sequence.symbols()[line.start + at - 1], sequence.symbols()[line.start + at])
        };
        let fills = |filler: Range<usize>, more: u16, space_before: bool| {
            !filler.is_empty()
                && filler.len() <= usize::from(more) + 1
                && (filler.start == 0 || has_space_before(sequence, symbols[filler.start]) == space_before)
                && !is_cut(filler.start)
                && !is_cut(filler.end)
                && characters(sequence, &symbols[filler]) <= usize::from(more) + 1
        };

        // The positions where the bones processed so far can end.
        let mut ends = vec![0];
        let mut free = None;
        for bone in &self.bones {
            match (bone, free.take()) {
                (&Bone::Free { more, space_before }, _) => free = Some((more, space_before)),
                (Bone::Tokens(tokens), None) => {
                    ends.retain(|&end| symbols[end..].starts_with(tokens));
                    ends.iter_mut().for_each(|end| *end += tokens.len());
                }
                (Bone::Tokens(tokens), Some((more, space_before))) => {
                    let starts = (1..symbols.len()).filter(|&start| symbols[start..].starts_with(tokens));
                    let joins =
                        |&start: &usize| ends.iter().any(|&end| end < start && fills(end..start, more, space_before));
                    ends = starts.filter(joins).map(|start| start + tokens.len()).collect();
                }
            }
        }
        let is_whole = ends.into_iter().any(|end| match free {
            Some((more, space_before)) => fills(end..symbols.len(), more, space_before),
            None => end == symbols.len(),
        });
        is_whole && !is_cut(0) && !is_cut(symbols.len())
    }

    /// The skeleton as a run of tokens.
    pub(super) fn run(&self, sequence: &SymbolSequence) -> Option<TokenRun> {
        let mut pieces: Vec<Piece> = self.ends.starts_line.then_some(Piece::Break).into_iter().collect();
        for bone in &self.bones {
            match bone {
                Bone::Tokens(tokens) => {
                    let symbols: Vec<Symbol> = tokens.iter().map(|&symbol| Symbol(symbol)).collect();
                    pieces.extend_from_slice(sequence.vocabulary().run(&symbols).pieces());
                }
                &Bone::Free { more, space_before } => {
                    pieces.push(Piece::Free { more, space_before: space_before || pieces == [Piece::Break] });
                }
            }
        }
        pieces.extend(self.ends.ends_line.then_some(Piece::Break));
        TokenRun::new(pieces)
    }
}

/// The symbols that nearly all lines have.
fn common_symbols<'s>(lines: impl Iterator<Item = &'s [u32]>) -> FxHashSet<u32> {
    let mut lines_with: FxHashMap<u32, usize> = FxHashMap::default();
    let mut all = 0;
    for line in lines {
        all += 1;
        let distinct: FxHashSet<u32> = line.iter().copied().collect();
        distinct.into_iter().for_each(|symbol| *lines_with.entry(symbol).or_default() += 1);
    }
    let is_common = |&(_, lines): &(u32, usize)| is_nearly_all(lines, all);
    lines_with.into_iter().filter(is_common).map(|(symbol, _)| symbol).collect()
}

fn symbols_at(sequence: &SymbolSequence, places: &[usize]) -> Vec<u32> {
    places.iter().map(|&at| sequence.symbols()[at]).collect()
}

fn most_frequent(all: impl Iterator<Item = Vec<u32>>) -> Option<Vec<u32>> {
    let mut counts: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    all.for_each(|symbols| *counts.entry(symbols).or_default() += 1);
    counts.into_iter().max_by(|(a, of_a), (b, of_b)| of_a.cmp(of_b).then_with(|| b.cmp(a))).map(|(symbols, _)| symbols)
}

pub(super) fn is_nearly_all(some: usize, all: usize) -> bool {
    some as f64 >= NEARLY_ALL_LINES * all as f64
}

/// The range between the places at this index and at the index before.
fn gap(line: &Range<usize>, places: &[usize], index: usize) -> Range<usize> {
    let start = index.checked_sub(1).map_or(line.start, |before| places[before] + 1);
    start..places.get(index).copied().unwrap_or(line.end)
}

/// The free stretch for these gaps. `Some(None)` if nearly all gaps are empty. `None` if they are too long; then there
/// is no skeleton.
fn free(
    sequence: &SymbolSequence,
    gaps: impl Iterator<Item = Range<usize>>,
    max_tokens: usize,
) -> Option<Option<Bone>> {
    let gaps: Vec<&[u32]> = gaps.map(|gap| &sequence.symbols()[gap]).collect();
    let filled: Vec<&[u32]> = gaps.iter().copied().filter(|gap| !gap.is_empty()).collect();
    if filled.len() as f64 <= (1.0 - NEARLY_ALL_LINES) * gaps.len() as f64 {
        return Some(None);
    }
    let longest = nearly_largest(filled.iter().map(|filler| characters(sequence, filler)));
    let more = BOUNDS.into_iter().find(|&more| longest as f64 * ROOM <= f64::from(more))?;
    let spaced = filled.iter().filter(|filler| has_space_before(sequence, filler[0])).count();
    let free = Bone::Free { more, space_before: 2 * spaced > filled.len() };
    (nearly_largest(filled.iter().map(|filler| filler.len())) <= max_tokens).then_some(Some(free))
}

/// The smallest of these numbers such that nearly all of them are at most as large; 0 if there are none.
pub(super) fn nearly_largest(numbers: impl Iterator<Item = usize>) -> usize {
    let mut sorted: Vec<usize> = numbers.collect();
    sorted.sort_unstable();
    let nearly_all = (NEARLY_ALL_LINES * sorted.len() as f64).ceil() as usize;
    nearly_all.checked_sub(1).map_or(0, |last| sorted[last])
}

fn has_space_before(sequence: &SymbolSequence, symbol: u32) -> bool {
    sequence.vocabulary().has_space_before(Symbol(symbol))
}

/// Whether a word continues from one token to the next. Then no pattern can end or start between them. A match of a
/// mutable pattern may be a word.
fn cuts_word(sequence: &SymbolSequence, before: u32, after: u32) -> bool {
    let vocabulary = sequence.vocabulary();
    if before == Vocabulary::BREAK.0 || after == Vocabulary::BREAK.0 {
        return false;
    }
    let (Some(before), Some(text)) = (vocabulary.literal(Symbol(before)), vocabulary.literal(Symbol(after))) else {
        return !has_space_before(sequence, after);
    };
    let runs_on = ends_in_run(before) && text.starts_with(is_word_character)
        || before.ends_with(is_word_character) && text.starts_with(is_run_character);
    runs_on && !has_space_before(sequence, after)
}

/// Approximate length of tokens as text. The length of a match of a mutable pattern is not known.
fn characters(sequence: &SymbolSequence, symbols: &[u32]) -> usize {
    const OF_MUTABLE: usize = 16;
    let vocabulary: &Vocabulary = sequence.vocabulary();
    let of_token = |(index, &symbol): (usize, &u32)| {
        let symbol = Symbol(symbol);
        let space = usize::from(index > 0 && vocabulary.has_space_before(symbol));
        space + vocabulary.literal(symbol).map_or(OF_MUTABLE, |text| text.chars().count())
    };
    symbols.iter().enumerate().map(of_token).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::cleaning::reading::matcher::TokenAutomaton;
    use crate::patterns::regex::Edges;
    use crate::tokens::{DocumentIndex, Lexer, MutableSet, Tokenizer};

    fn lexer() -> Lexer {
        Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()))
    }

    /// The documents' symbols and lines. Each document is one line.
    fn read(texts: &[String]) -> (SymbolSequence, Vec<Range<usize>>) {
        let sequence = SymbolSequence::of_texts(texts, &lexer()).unwrap();
        let line = |document| {
            let positions = sequence.document(DocumentIndex(document));
            positions.start + 1..positions.end - 1
        };
        let lines = (0..texts.len() as u32).map(line).collect();
        (sequence, lines)
    }

    /// Whether the pattern matches this whole range of tokens, and whether it matches the range or a part at its start.
    fn is_found(run: &TokenRun, text: &str, range: &Range<usize>) -> (bool, bool) {
        let mut lexer = lexer();
        let automaton = TokenAutomaton::new([(0, run, Edges::of_runs([run]))], lexer.tokenizer());
        let (mut as_long, mut within) = (false, false);
        let (tokens, symbols) = automaton.read(text, &mut lexer);
        automaton.find(text, &tokens, &symbols, |found, _| {
            as_long |= found == *range;
            within |= found.start == range.start && found.end <= range.end;
        });
        (as_long, within)
    }

    proptest! {
        #[test]
        fn a_stretch_fits_if_the_pattern_finds_it(
            texts in prop::collection::vec(prop::collection::vec(select(&["a ", "b ", "c", ", ", "dd ", "手"]), 1..8), 2..6),
            before in prop::collection::vec(select(&["x ", "手"]), 6),
            after in prop::collection::vec(select(&[" y", "手"]), 6),
            (starts_line, ends_line) in (any::<bool>(), any::<bool>()),
        ) {
            let around = before.iter().zip(&after);
            let texts: Vec<String> =
                texts.iter().zip(around).map(|(pieces, (before, after))| format!("{before}{}{after}", pieces.concat())).collect();
            let (sequence, mut lines) = read(&texts);
            for line in &mut lines {
                line.start += usize::from(!starts_line);
                line.end -= usize::from(!ends_line);
            }
            let Some(skeleton) = Skeleton::of(&sequence, &lines, Ends { starts_line, ends_line }) else { return Ok(()) };
            let Some(run) = skeleton.run(&sequence) else { return Ok(()) };
            for (text, line) in texts.iter().zip(&lines) {
                let start = usize::from(!starts_line);
                let (as_long, within) = is_found(&run, text, &(start..start + line.len()));
                // `fits` is stricter in one case: for it, a word after a character of a script without spaces continues
                // that character.
                let is_fit = skeleton.fits(&sequence, line);
                prop_assert!(within || !is_fit, "{:?} on {:?}", run, text);
                prop_assert!(!as_long || is_fit || text.contains('手'), "{:?} on {:?}", run, text);
            }
        }
    }
}
