//! Groups lines that start, or end, with the same tokens.
//!
//! Takes the lines of a source. Returns groups of lines that have tokens in common at one end. The grouping needs only
//! the symbols, so it runs while the suffix array is sorted, which uses 1 core only.

use std::num::NonZero;
use std::ops::Range;

use rayon::prelude::*;

use crate::tokens::{DocumentIndex, SymbolSequence, Vocabulary};

/// Maximum number of tokens that are compared at an end.
const MAX_SHARED: usize = 8;

/// The lines of a source, sorted twice: by the tokens nearest to their start, and by the tokens nearest to their end.
pub(super) struct AlikeLines([(End, Vec<Line>); 2]);

/// The positions of a line, without its line breaks.
pub(super) struct Line {
    start: u32,
    end: u32,
    /// Number of tokens in common with the line before it in the sorted order, at most [`MAX_SHARED`].
    shared: u8,
}

impl Line {
    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl AlikeLines {
    pub(super) fn of(sequence: &SymbolSequence) -> AlikeLines {
        let lines = lines(sequence);
        AlikeLines([End::Start, End::End].map(|end| (end, sorted(sequence, &lines, end))))
    }

    /// Groups of at least `min_lines` lines with the same tokens at one end. A group is listed once per end: for the
    /// largest number of tokens that all its lines share.
    pub(super) fn groups(&self, sequence: &SymbolSequence, min_lines: usize) -> Vec<&[Line]> {
        let mut groups = Vec::new();
        for (end, lines) in &self.0 {
            for shared in 1..=MAX_SHARED {
                let goes_on = |line: &Line| end.symbol(&sequence.symbols()[line.range()], shared);
                let branches =
                    |lines: &&[Line]| shared == MAX_SHARED || goes_on(&lines[0]) != goes_on(&lines[lines.len() - 1]);
                let is_enough = |lines: &&[Line]| lines.len() >= min_lines;
                let alike = lines.chunk_by(|_, line| usize::from(line.shared) >= shared);
                groups.extend(alike.filter(is_enough).filter(branches));
            }
        }
        groups
    }
}

/// The end at which lines are compared.
#[derive(Clone, Copy)]
enum End {
    Start,
    End,
}

impl End {
    /// The token of a line at this distance from this end.
    fn symbol(self, line: &[u32], distance: usize) -> Option<u32> {
        match self {
            End::Start => line.get(distance).copied(),
            End::End => line.len().checked_sub(distance + 1).map(|at| line[at]),
        }
    }
}

/// The tokens nearest to an end of a line, adjacent in memory for fast sorting. A line sorts before longer lines that
/// start with it.
type Key = [Option<NonZero<u32>>; MAX_SHARED];

fn sorted(sequence: &SymbolSequence, lines: &[Range<u32>], end: End) -> Vec<Line> {
    let key = |line: &Range<u32>| -> Key {
        let line = &sequence.symbols()[line.start as usize..line.end as usize];
        std::array::from_fn(|distance| end.symbol(line, distance).and_then(|symbol| NonZero::new(symbol + 1)))
    };
    let mut sorted: Vec<(Key, u32)> =
        lines.par_iter().zip(0..lines.len() as u32).map(|(line, index)| (key(line), index)).collect();
    sorted.par_sort_unstable();
    let mut before = Key::default();
    let line = |(key, index): (Key, u32)| {
        let shared = key.iter().zip(&before).take_while(|(a, b)| a.is_some() && a == b).count() as u8;
        before = key;
        let Range { start, end } = lines[index as usize];
        Line { start, end, shared }
    };
    sorted.into_iter().map(line).collect()
}

/// The lines of all documents, without the empty lines.
fn lines(sequence: &SymbolSequence) -> Vec<Range<u32>> {
    let mut lines = Vec::new();
    for document in 0..sequence.documents() as u32 {
        let positions = sequence.document(DocumentIndex(document));
        let mut start = positions.start;
        for at in positions {
            if sequence.symbols()[at] == Vocabulary::BREAK.0 {
                if at > start {
                    lines.push(start as u32..at as u32);
                }
                start = at + 1;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// By brute force: the groups of lines that share tokens at one end and differ in the next token, or share the
    /// maximum. Each group is given by the starts of its lines.
    fn groups_naively(sequence: &SymbolSequence, min_lines: usize) -> BTreeSet<Vec<u32>> {
        let lines = lines(sequence);
        let symbol = |end: End, line: &Range<u32>, distance| {
            end.symbol(&sequence.symbols()[line.start as usize..line.end as usize], distance)
        };
        let mut groups = BTreeSet::new();
        for (end, line) in [End::Start, End::End].into_iter().flat_map(|end| lines.iter().map(move |line| (end, line)))
        {
            for shared in 1..=MAX_SHARED.min(line.len()) {
                let has = |other: &&Range<u32>| (0..shared).all(|at| symbol(end, other, at) == symbol(end, line, at));
                let group: Vec<&Range<u32>> = lines.iter().filter(has).collect();
                let next: BTreeSet<Option<u32>> = group.iter().map(|line| symbol(end, line, shared)).collect();
                if group.len() >= min_lines && (shared == MAX_SHARED || next.len() > 1) {
                    groups.insert(group.iter().map(|line| line.start).collect());
                }
            }
        }
        groups
    }

    proptest! {
        #[test]
        fn groups_agree_with_looking_for_each(
            lines in prop::collection::vec(prop::collection::vec(prop::sample::select(&["a", "b", "c"]), 0..11), 0..12)
        ) {
            let text = |lines: &[Vec<&str>]| lines.iter().map(|line| line.join(" ") + "\n").collect::<String>();
            let texts: Vec<String> = lines.chunks(5).map(text).collect();
            let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
            let sequence = SymbolSequence::of_texts(&texts, &lexer).unwrap();
            let alike = AlikeLines::of(&sequence);
            let starts = |group: &[Line]| group.iter().map(|line| line.start).collect::<BTreeSet<u32>>();
            let groups = alike.groups(&sequence, 2).into_iter().map(|group| starts(group).into_iter().collect());
            prop_assert_eq!(groups.collect::<BTreeSet<_>>(), groups_naively(&sequence, 2));
        }
    }
}
