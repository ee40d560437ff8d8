//! The position of a segment in its document.

use super::{Divided, FAR, FAR_SEGMENTS, distance, flag};

pub const NAMES: [&str; 10] = [
    "position",
    "position-from-middle",
    "words-to-start",
    "words-to-end",
    "segments-to-start",
    "segments-to-end",
    "starts-line",
    "ends-line",
    "after-article",
    "words-after-article",
];

/// Computes the places of segments, from front to back.
pub struct Place<'d> {
    document: &'d Divided<'d>,
    all: f64,
    before: f64,
    /// The number of words before the end of the article, if a pattern marks this end.
    end: Option<f64>,
}

impl<'d> Place<'d> {
    pub fn of(document: &'d Divided<'d>) -> Place<'d> {
        let layout = document.layout;
        let end = document.end.map(|end| layout.mass(&(0..end.start)));
        Place { document, all: layout.mass(&(0..layout.tokens())), before: 0.0, end }
    }

    pub fn put(&mut self, segment: usize, row: &mut Vec<f32>) {
        let tokens = self.document.segment(segment);
        let mass = self.document.mass(segment);
        let position = (self.before + mass / 2.0) / self.all.max(1.0);
        let after_end = self.end.map(|end| self.before - end).filter(|after| *after >= 0.0);
        let starts_line = |token: usize| flag(self.document.tokens.line_starts[token]);
        row.extend([
            position as f32,
            (position - 0.5).powi(2) as f32,
            distance(self.before, FAR),
            distance(self.all - self.before - mass, FAR),
            distance(segment as f64, FAR_SEGMENTS),
            distance((self.document.count() - 1 - segment) as f64, FAR_SEGMENTS),
            starts_line(tokens.start),
            starts_line(tokens.end),
            flag(after_end.is_some()),
            after_end.map_or(0.0, |words| 1.0 + distance(words, FAR)),
        ]);
        self.before += mass;
    }
}
