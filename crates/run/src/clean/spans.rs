//! The positions of the text that would be removed, as a line of JSON in the form of Dolma's attributes.

use std::ops::Range;

use serde_json::json;

use dehusk_core::cleaning::{Cleaning, Span};
use dehusk_core::cut::Cut;
use dehusk_corpus::Document;

/// The unit of positions in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanUnit {
    /// Unicode code points, as Python and Dolma count.
    Codepoints,
    /// Bytes of the text in UTF-8.
    Bytes,
}

/// A stretch that is removed from a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed<'c> {
    /// Where it starts, and where it ends (exclusive), in the unit that was asked for.
    pub range: Range<usize>,
    /// Mean probability that it is boilerplate, 0..=1, rounded to thousandths.
    pub score: f64,
    /// The spans of the cleaning that are in the stretch.
    pub spans: &'c [Span],
}

/// The stretches that are removed from a text, in order. A cut that is replaced by a space gives two stretches, with a
/// kept space between them. The text without the stretches is the cleaned text, [`Cleaning::strip`].
pub fn removed<'c>(text: &str, cleaning: &'c Cleaning, unit: SpanUnit) -> Vec<Removed<'c>> {
    let mut position = Positions { text, unit, byte: 0, points: 0 };
    let mut rest = cleaning.spans.as_slice();
    let mut removed = Vec::new();
    for cut in cleaning.cuts(text) {
        let spans = rest.split_off(..rest.partition_point(|span| span.range.end <= cut.range.end)).unwrap_or_default();
        let (weighed, bytes) = spans.iter().fold((0.0, 0), |(weighed, bytes), span| {
            (weighed + f64::from(span.score) * span.range.len() as f64, bytes + span.range.len())
        });
        let score = (weighed / bytes.max(1) as f64 * 1000.0).round() / 1000.0;
        removed.extend(pieces(text, &cut).map(|piece| {
            let range = position.of(piece.start)..position.of(piece.end);
            Removed { range, score, spans }
        }));
    }
    removed
}

/// One line: `[start, end, score]` for each stretch that is removed, with an exclusive end.
pub fn line(document: &Document, cleaning: &Cleaning, unit: SpanUnit) -> String {
    let spans: Vec<serde_json::Value> = removed(&document.text, cleaning, unit)
        .iter()
        .map(|removed| json!([removed.range.start, removed.range.end, removed.score]))
        .collect();
    format!("{}\n", json!({"id": document.id, "attributes": {"dehusk": spans}}))
}

/// The pieces of a cut. If the cut is replaced by a space, one space in it is kept, so that a program that applies the
/// spans also leaves a space. A cut without a space is one piece.
fn pieces(text: &str, cut: &Cut) -> impl Iterator<Item = Range<usize>> + use<> {
    let Range { start, end } = cut.range;
    let space = if cut.replacement == " " { text[start..end].find(' ') } else { None };
    let (first, second) = space.map_or((start..end, None), |at| (start..start + at, Some(start + at + 1..end)));
    std::iter::once(first).chain(second)
}

/// Converts byte positions to positions in `unit`. Each byte position must be at least as large as the one before.
struct Positions<'t> {
    text: &'t str,
    unit: SpanUnit,
    byte: usize,
    points: usize,
}

impl Positions<'_> {
    fn of(&mut self, byte: usize) -> usize {
        if self.unit == SpanUnit::Bytes {
            return byte;
        }
        self.points += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str, range: Range<usize>, replacement: &str) -> String {
        let mut left = text.to_owned();
        let pieces: Vec<_> = pieces(text, &Cut { range, replacement }).collect();
        pieces.into_iter().rev().for_each(|piece| left.replace_range(piece, ""));
        left
    }

    #[test]
    fn a_cut_that_leaves_a_space_is_two_spans_around_one() {
        assert_eq!(left("late(read  more now)again", 4..20, " "), "late again");
        assert_eq!(left("late[1]again", 4..7, " "), "lateagain");
        assert_eq!(left("late read more again", 4..14, ""), "late again");
    }
}
