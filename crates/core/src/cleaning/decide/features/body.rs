//! The body of a document: the stretch of segments with the greatest sum of scores. For example, prose has positive
//! scores and other text negative ones (J. Pasternack, D. Roth, WWW 2009).

use std::ops::Range;

use super::{FAR, distance, flag};

pub const NAMES: [&str; 4] = ["in-body", "body-before", "body-after", "body-share"];

/// The stretch with the greatest sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The numbers of its segments.
    pub segments: Range<usize>,
}

impl Body {
    /// The first stretch with the greatest sum of these scores. Empty if no score is positive. The time is linear.
    pub fn of(scores: impl Iterator<Item = f64>) -> Body {
        let (mut best, mut segments) = (0.0, 0..0);
        let (mut sum, mut start) = (0.0, 0);
        for (segment, score) in scores.enumerate() {
            if sum <= 0.0 {
                (sum, start) = (0.0, segment);
            }
            sum += score;
            if sum > best {
                (best, segments) = (sum, start..segment + 1);
            }
        }
        Body { segments }
    }

    /// Prepares the distances of the body from each of `count` segments. `words` gives the number of words in a
    /// segment.
    pub fn seen(&self, count: usize, words: impl Fn(usize) -> f64) -> SeenBody {
        let (mut start, mut end, mut all) = (0.0, 0.0, 0.0);
        for segment in 0..count {
            if segment == self.segments.start {
                start = all;
            }
            all += words(segment);
            if segment + 1 == self.segments.end {
                end = all;
            }
        }
        let share = ((end - start) / all.max(1.0)) as f32;
        SeenBody { segments: self.segments.clone(), words: start..end, share, before: 0.0 }
    }
}

/// A body, and how far away it is from each segment.
pub struct SeenBody {
    segments: Range<usize>,
    /// Its position, in words from the start of the document.
    words: Range<f64>,
    /// Its share of the document's words.
    pub share: f32,
    before: f64,
}

impl SeenBody {
    /// For the next segment, which has this number of words: 1 if it is in the body, else 0; the words from the start
    /// of the body to the segment; and the words from the segment to the end of the body. A distance is negative if the
    /// segment is before the start, or after the end.
    pub fn distances(&mut self, segment: usize, words: f64) -> [f32; 3] {
        let here = self.before;
        self.before += words;
        if self.segments.is_empty() {
            return [0.0; 3];
        }
        let is_in = flag(self.segments.contains(&segment));
        [is_in, signed(here - self.words.start), signed(self.words.end - self.before)]
    }
}

fn signed(words: f64) -> f32 {
    if words < 0.0 { -distance(-words, FAR) } else { distance(words, FAR) }
}
