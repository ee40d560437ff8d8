//! The look of a segment, and the looks of the segments beside it.
//!
//! No word lists are used, and a character of a script without spaces counts as half a word.

use std::sync::LazyLock;

use super::{Divided, flag, ln_1p};
use crate::cleaning::reading::layout::look;

pub const NAMES: [&str; 16] = [
    "words",
    "few-words",
    "in-sentences",
    "sentences",
    "mutable",
    "capitals",
    "separators",
    "characters-a-word",
    "ends-sentence",
    "starts-low",
    "starts-with-mark",
    "words-before",
    "words-after",
    "sentences-before",
    "sentences-after",
    "is-bare",
];

/// A segment with at most this many words has few words.
const FEW_WORDS: f64 = 3.0;

/// Computes the looks of segments, from front to back.
pub struct Appearance<'d> {
    document: &'d Divided<'d>,
    previous: Words,
    here: Words,
}

impl<'d> Appearance<'d> {
    pub fn of(document: &'d Divided<'d>) -> Appearance<'d> {
        Appearance { document, previous: Words::default(), here: Words::of(document, 0) }
    }

    pub fn put(&mut self, segment: usize, row: &mut Vec<f32>) {
        let Divided { text, tokens, layout, .. } = *self.document;
        let range = self.document.segment(segment);
        let next = Words::of(self.document, segment + 1);
        let [varying, capitals, words, separators] = counts(&layout.looks[range.clone()]);
        let length = range.len() as f32;
        let bytes = tokens.bytes_of(&range);
        let first = text[bytes.clone()].chars().next().unwrap_or(' ');
        let here = self.here;
        row.extend([
            here.telling,
            flag(here.count <= FEW_WORDS),
            here.in_sentences,
            ln_1p(layout.sentence_ends(&range) as f32),
            varying / length,
            capitals / words.max(1.0),
            separators / length,
            ln_1p(bytes.len() as f32 / length),
            flag(layout.ends_sentence(range.end - 1)),
            flag(first.is_lowercase()),
            flag(!first.is_alphanumeric()),
            self.previous.telling,
            next.telling,
            self.previous.in_sentences,
            next.in_sentences,
            flag(here.count == 0.0),
        ]);
        (self.previous, self.here) = (here, next);
    }
}

/// The words of a segment. All values are 0 if there is no such segment.
#[derive(Clone, Copy, Default)]
struct Words {
    count: f64,
    /// ln(1 + count).
    telling: f32,
    /// The share of the words that are in sentences.
    in_sentences: f32,
}

impl Words {
    fn of(document: &Divided, segment: usize) -> Words {
        if segment >= document.count() {
            return Words::default();
        }
        let (layout, segment) = (document.layout, document.segment(segment));
        let count = layout.words(&segment);
        let in_sentences = layout.words_in_sentences(&segment) / count.max(1.0);
        Words { count, telling: ln_1p(count as f32), in_sentences: in_sentences as f32 }
    }
}

/// The numbers of tokens that vary, that start with a capital letter, that are words, and that are separators.
fn counts(looks: &[u8]) -> [f32; 4] {
    /// For each look: one byte for each of the 4 numbers.
    static OF_LOOKS: LazyLock<[u32; look::END]> = LazyLock::new(|| {
        let counted = [look::VARYING, look::CAPITAL, look::WORD, look::SEPARATOR];
        std::array::from_fn(|look| u32::from_le_bytes(counted.map(|bit| u8::from(look as u8 & bit != 0))))
    });
    let of_looks = &*OF_LOOKS;
    let mut counts = [0; 4];
    // Sums over up to 255 tokens fit in bytes.
    for some in looks.chunks(255) {
        let sums: u32 = some.iter().map(|&look| of_looks[usize::from(look) % look::END]).sum();
        counts.iter_mut().zip(sums.to_le_bytes()).for_each(|(count, sum)| *count += u32::from(sum));
    }
    counts.map(|count| count as f32)
}
