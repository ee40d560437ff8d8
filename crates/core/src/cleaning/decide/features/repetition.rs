//! How a segment repeats inside its document: page heads, numbered lines, entries of a log.
//!
//! Two segments are alike if they differ only in case, numbers, dates and other matches of mutable patterns.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::{Divided, flag, ln_1p};
use crate::cleaning::reading::layout::look;
use crate::tokens::short::Short;

pub const NAMES: [&str; 6] = ["alike", "alike-share", "alike-gap", "alike-gap-spread", "alike-next", "alike-words"];

/// The segments of a document, divided into kinds that are alike.
pub struct Repetition {
    /// For each segment, the index of its kind.
    kinds: Vec<u32>,
    of_kinds: Vec<Kind>,
}

/// A kind: segments that are alike.
#[derive(Clone, Copy, Default)]
struct Kind {
    count: u32,
    /// Number of words before the last of these segments.
    last: f32,
    /// The sum of the numbers of words from one of these segments to the next, and the sum of their squares.
    gaps: f32,
    squares: f32,
}

impl Kind {
    /// The mean number of words from one segment to the next. There must be two or more.
    fn mean_gap(&self) -> f32 {
        self.gaps / (self.count - 1) as f32
    }

    /// How much the numbers of words from one segment to the next differ: their standard deviation, divided by the
    /// mean.
    fn spread(&self) -> f32 {
        let mean = self.mean_gap();
        (self.squares / (self.count - 1) as f32 - mean * mean).max(0.0).sqrt() / mean.max(1.0)
    }
}

impl Repetition {
    pub fn of(document: &Divided) -> Repetition {
        let mut numbers: HashMap<u64, u32, FxBuildHasher> = HashMap::default();
        let (mut kinds, mut of_kinds) = (Vec::with_capacity(document.count()), Vec::<Kind>::new());
        let mut before = 0.0;
        let mut word = String::new();
        for segment in 0..document.count() {
            let number = *numbers.entry(hash(document, segment, &mut word)).or_insert(of_kinds.len() as u32);
            if number as usize == of_kinds.len() {
                of_kinds.push(Kind::default());
            }
            let kind = &mut of_kinds[number as usize];
            if kind.count > 0 {
                let gap = before - kind.last;
                kind.gaps += gap;
                kind.squares += gap * gap;
            }
            kind.count += 1;
            kind.last = before;
            before += document.mass(segment) as f32;
            kinds.push(number);
        }
        Repetition { kinds, of_kinds }
    }

    /// The number of segments of the same kind as ln(1 + x), and how unevenly they are spread. Both are 0 if the
    /// segment is the only one.
    pub fn seen(&self, segment: usize) -> [f32; 2] {
        let kind = self.of_kinds[self.kinds[segment] as usize];
        if kind.count < 2 { [0.0; 2] } else { [ln_1p(kind.count as f32), kind.spread()] }
    }

    pub fn put(&self, document: &Divided, segment: usize, row: &mut Vec<f32>) {
        let number = self.kinds[segment];
        let kind = self.of_kinds[number as usize];
        if kind.count < 2 {
            row.extend([0.0; NAMES.len()]);
            return;
        }
        let is_next = |other: Option<usize>| other.and_then(|at| self.kinds.get(at)) == Some(&number);
        row.extend([
            ln_1p(kind.count as f32),
            kind.count as f32 / self.kinds.len() as f32,
            ln_1p(kind.mean_gap()),
            kind.spread(),
            flag(is_next(segment.checked_sub(1)) || is_next(Some(segment + 1))),
            ln_1p(kind.count as f32 * document.layout.words(&document.segment(segment)) as f32),
        ]);
    }
}

/// A hash that is the same for segments that are alike. `word` is scratch space.
fn hash(document: &Divided, segment: usize, word: &mut String) -> u64 {
    let Divided { text, tokens, layout, .. } = *document;
    let mut hasher = FxBuildHasher.build_hasher();
    for token in document.segment(segment) {
        let look = layout.looks[token];
        if look & look::VARYING != 0 {
            hasher.write_u8(0);
            continue;
        }
        let range = tokens.tokens[token].range();
        let is_capital = look & look::CAPITAL != 0;
        // Fast path: nearly all words are short and ASCII.
        let short = Short::of(text.as_bytes(), range.start, range.end);
        let lower = short.and_then(|short| if is_capital { short.to_ascii_lowercase() } else { Some(short) });
        let lower = lower.or_else(|| {
            word.clear();
            match is_capital {
                true => word.extend(text[range].chars().flat_map(char::to_lowercase)),
                false => word.push_str(&text[range]),
            }
            Short::of(word.as_bytes(), 0, word.len())
        });
        match lower {
            Some(short) => {
                hasher.write_u64(short.low);
                hasher.write_u64(short.high);
            }
            None => {
                hasher.write(word.as_bytes());
                hasher.write_u8(1);
            }
        }
    }
    hasher.finish()
}
