//! What the table tells of a document, as evidence for cleaning.
//!
//! Takes a document's segments and what is known of them; gives the stretches that are template, each with how many
//! documents had it, so that they are weighed and smoothed like the matches of mined patterns. Template segments that
//! follow each other are one stretch as well: words of a menu are links of their own, and tell little one by one.

use std::ops::Range;

use super::Detection;
use super::detection::template;
use super::segments::Segment;
use super::table::Seen;
use crate::cleaning::Recurring;
use crate::cleaning::evidence::Weight;
use crate::cleaning::layout::Layout;

/// The stretches of a document that recur in others of its source, by what was seen so far.
pub fn evidence(layout: &Layout, segments: &[Segment], seen: &[Seen], detection: &Detection) -> Vec<Recurring> {
    let is_template = template(segments, seen, detection);
    let known: Vec<Known> = segments.iter().zip(seen).map(Known::of).collect();
    let mut stretches: Vec<Recurring> = Vec::new();
    for run in runs(&is_template) {
        let all = &known[run];
        stretches.extend(all.iter().map(|known| known.recurring(layout)));
        if let [first, .., last] = all {
            let tokens = first.tokens.start..last.tokens.end;
            let rarest = all.iter().min_by(|a, b| a.share().total_cmp(&b.share())).unwrap_or(first);
            stretches.push(Known { tokens, ..rarest.clone() }.recurring(layout));
        }
    }
    stretches
}

/// Some tokens, in how many documents they were seen, and over how many.
#[derive(Clone)]
struct Known {
    tokens: Range<usize>,
    documents: u32,
    pages: u32,
}

impl Known {
    fn of((segment, seen): (&Segment, &Seen)) -> Known {
        Known { tokens: segment.tokens.clone(), documents: seen.documents, pages: seen.pages }
    }

    fn share(&self) -> f64 {
        f64::from(self.documents) / f64::from(self.pages.max(1))
    }

    fn recurring(&self, layout: &Layout) -> Recurring {
        let documents = self.documents as usize;
        let weight = Weight {
            share: self.share(),
            documents,
            // A page counts once.
            occurrences: documents,
            is_certain: false,
            holds_lines: layout.is_lines(&self.tokens),
            has_free: false,
            ends_after: None,
        };
        Recurring { tokens: self.tokens.clone(), weight }
    }
}

/// The stretches of `true`.
fn runs(flags: &[bool]) -> Vec<Range<usize>> {
    let mut start = 0;
    let chunks = flags.chunk_by(|a, b| a == b).map(|chunk| {
        start += chunk.len();
        (chunk[0], start - chunk.len()..start)
    });
    chunks.filter(|(flag, _)| *flag).map(|(_, range)| range).collect()
}
