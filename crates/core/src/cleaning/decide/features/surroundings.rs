//! The text around a segment: prose that does not recur, and text that recurs.

use super::fading::{Fading, Sums};
use super::recurrence::Recurrence;
use super::{Divided, ln_1p};

pub const NAMES: [&str; 24] = [
    "prose-near",
    "prose-near-both-sides",
    "prose-near-before",
    "recurs-near-before",
    "recurs-near-after",
    "prose-around",
    "prose-around-both-sides",
    "prose-around-before",
    "recurs-around-before",
    "recurs-around-after",
    "prose-far",
    "prose-far-both-sides",
    "prose-far-before",
    "recurs-far-before",
    "recurs-far-after",
    "share-2-before",
    "share-1-before",
    "share-1-after",
    "share-2-after",
    "own-prose-1-before",
    "own-prose-1-after",
    "document-share",
    "document-own-prose",
    "own-prose",
];

/// Computes the surroundings of each segment, from front to back.
pub struct Surroundings<'d, F> {
    document: &'d Divided<'d>,
    recurrence: &'d Recurrence,
    fading: Fading<F, 2>,
    of_document: [f32; 2],
    /// The mean shares of 5 segments: from 2 before the current one to 2 after it.
    shares: [f32; 5],
}

impl<'d> Surroundings<'d, ()> {
    pub fn of(
        document: &'d Divided<'d>,
        recurrence: &'d Recurrence,
    ) -> Surroundings<'d, impl Fn(usize) -> (f64, [f32; 2]) + 'd> {
        let value = move |segment: usize| {
            let words = document.mass(segment);
            let recurring = recurrence.mean_share(segment) * words as f32;
            (words, [document.segments.prose[segment] as f32, recurring])
        };
        let words = document.layout.mass(&(0..document.layout.tokens())).max(1.0);
        let (mut prose, mut recurring) = (0.0, 0.0);
        for segment in 0..document.count() {
            prose += document.segments.prose[segment];
            recurring += f64::from(value(segment).1[1]);
        }
        // The size of the document is no feature, because a model could recognise the source by it.
        let of_document = [(recurring / words) as f32, (prose / words) as f32];
        let fading = Fading::of(document.count(), value);
        let shares = [0.0, 0.0, 0.0, recurrence.mean_share(0), recurrence.mean_share(1)];
        Surroundings { document, recurrence, fading, of_document, shares }
    }
}

impl<F: Fn(usize) -> (f64, [f32; 2])> Surroundings<'_, F> {
    pub fn put(&mut self, segment: usize, row: &mut Vec<f32>) {
        let (before, after): (Sums<2>, Sums<2>) = self.fading.logarithms_at(segment);
        for ([prose_before, recurs_before], [prose_after, recurs_after]) in before.into_iter().zip(after) {
            row.extend([prose_before + prose_after, prose_before.min(prose_after), prose_before]);
            row.extend([recurs_before, recurs_after]);
        }
        self.shares.rotate_left(1);
        self.shares[4] = self.recurrence.mean_share(segment + 2);
        let prose = &self.document.segments.prose;
        row.extend([self.shares[0], self.shares[1], self.shares[3], self.shares[4]]);
        let own =
            |segment: Option<usize>| segment.and_then(|at| prose.get(at)).map_or(0.0, |&words| ln_1p(words as f32));
        row.extend([own(segment.checked_sub(1)), own(Some(segment + 1))]);
        row.extend(self.of_document);
        row.push(own(Some(segment)));
    }
}
