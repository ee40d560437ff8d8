//! The frame of a document: the templates that stand one after the other at its head and at its tail.
//!
//! What a site, a list or an archive puts around a text stands at its ends, in every document, however long the text
//! is. What recurs within texts (names, quotations, code, set phrases) stands anywhere. So in sources where recurring
//! text is not always template, only the frame is removed. A frame grows inwards from both ends of the document, from
//! one match to the next, as long as little stands between them.
//!
//! The innermost lines of the frame are uncertain. Content that recurs may stand directly beside the frame: the closing
//! formula of minutes, the opening line of a reply. It has one of two signs: it is a sentence, or what varies in it
//! differs from document to document. Between other lines of the frame, such a line is part of the frame. As the
//! innermost line, it is not.

use std::ops::Range;

use super::evidence::{Match, Weight};
use super::layout::Layout;
use super::segments::Segments;
use crate::patterns::Place;

/// Maximum number of unmatched words between two templates of a frame.
const MAX_GAP: f64 = 3.0;
/// A gap may be wide if most documents have the next template, and no sentence is in the gap. An example is a list in
/// which the entry for this page is open. This is the maximum number of words in the gap for each word of the template.
const WIDE_GAP: f64 = 10.0;
/// Maximum number of words in a wide gap.
const MAX_WIDE_GAP: f64 = 60.0;
/// Minimum number of words of a template after a wide gap, if not [`NEARLY_ALL`] documents have it. A shorter template
/// counts as this long.
const MIN_WORDS_AFTER_GAP: f64 = 4.0;
/// A template is in most documents if its share is at least this.
pub(crate) const MOST: f64 = 0.5;
/// A template is in nearly all documents if its share is at least this.
const NEARLY_ALL: f64 = 0.95;

/// The frame of a document: the tokens before `head`, and those from `tail` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The first token after the head.
    pub head: usize,
    /// The first token of the tail.
    pub tail: usize,
}

impl Frame {
    /// Grows a frame over the matches that have a `place`. The time is O(m log m) for m matches.
    pub fn grown(
        layout: &Layout,
        matches: &[Match],
        weights: &[Weight],
        place: impl Fn(&Match) -> Option<Place>,
    ) -> Frame {
        let is_near = |found: &Match, between: Range<usize>| {
            let words = layout.words(&found.tokens);
            let share = weights[found.pattern].share;
            let is_wide = share >= MOST && words >= MIN_WORDS_AFTER_GAP || share >= NEARLY_ALL;
            let gap = layout.telling_words(&between);
            let widest = (WIDE_GAP * words.max(MIN_WORDS_AFTER_GAP)).min(MAX_WIDE_GAP);
            // If all documents have a sentence there, its full stop belongs to the next match. So that token is checked
            // as well.
            let with_stop = between.start..(between.end + 1).min(layout.tokens());
            gap <= MAX_GAP || is_wide && gap <= widest && !layout.has_sentence(&with_stop)
        };
        let mut at_head: Vec<&Match> =
            matches.iter().filter(|found| place(found).is_some_and(Place::is_head)).collect();
        at_head.sort_unstable_by_key(|found| (found.tokens.start, found.tokens.end));
        let mut head = 0;
        for found in at_head {
            let Range { start, end } = found.tokens;
            if end > head && (start <= head || is_near(found, head..start)) {
                head = end;
            }
        }
        let mut at_tail: Vec<&Match> =
            matches.iter().filter(|found| place(found).is_some_and(Place::is_tail)).collect();
        at_tail.sort_unstable_by_key(|found| std::cmp::Reverse((found.tokens.end, found.tokens.start)));
        let mut tail = layout.tokens();
        for found in at_tail {
            let Range { start, end } = found.tokens;
            if start < tail && (end >= tail || is_near(found, end..tail)) {
                tail = start;
            }
        }
        Frame { head, tail: tail.max(head) }
    }

    /// Whether a match lies in the frame.
    pub fn holds(&self, tokens: &Range<usize>) -> bool {
        tokens.end <= self.head || tokens.start >= self.tail
    }

    /// The frame without its innermost segments that may be content, and without segments that lie in it only in part.
    pub fn trimmed(mut self, layout: &Layout, matches: &[Match], weights: &[Weight], segments: &Segments) -> Frame {
        let whole = self;
        let varies = |segment: &Range<usize>| {
            let is_here = |found: &&Match| found.tokens.start < segment.end && segment.start < found.tokens.end;
            let mut identifying = matches.iter().filter(|found| weights[found.pattern].identifies).filter(is_here);
            identifying.any(|found| {
                whole.holds(&found.tokens) && (weights[found.pattern].has_free || layout.has_mutable(segment))
            })
        };
        let is_doubtful = |segment: &Range<usize>| layout.has_sentence(segment) || varies(segment);
        for segment in segments.tokens.iter().rev() {
            if segment.start < self.head && (segment.end > self.head || is_doubtful(&segment)) {
                self.head = segment.start;
            } else if segment.start < self.head {
                break;
            }
        }
        for segment in segments.tokens.iter() {
            if segment.end > self.tail && (segment.start < self.tail || is_doubtful(&segment)) {
                self.tail = segment.end;
            } else if segment.end > self.tail {
                break;
            }
        }
        self
    }

    /// The parts of the matches that lie in the frame. At the head, only matches of patterns with a place count,
    /// because the document's own title stands there, and other documents list it. At the tail, all matches count.
    pub fn within(&self, matches: &[Match], weights: &[Weight]) -> Vec<Match> {
        let part = |Match { tokens, pattern }: &Match, side: Range<usize>| {
            let tokens = tokens.start.max(side.start)..tokens.end.min(side.end);
            (!tokens.is_empty()).then_some(Match { tokens, pattern: *pattern })
        };
        let at_head = matches.iter().filter(|found| weights[found.pattern].place.is_some());
        let at_head = at_head.filter_map(|found| part(found, 0..self.head));
        at_head.chain(matches.iter().filter_map(|found| part(found, self.tail..usize::MAX))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cleaning::matcher::Tokens;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// The text of a line, and the share of its pattern if that has a place.
    type Line = (&'static str, Option<f64>);

    /// The lines of the frame, before and after it is trimmed.
    fn framed(lines: &[Line], identifies: &str) -> [Vec<&'static str>; 2] {
        let text = lines.iter().map(|line| line.0).collect::<Vec<_>>().join("\n");
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let tokens = Tokens::of(&text, &mut lexer);
        let layout = Layout::of(&text, &tokens);
        let (mut matches, mut weights) = (Vec::new(), Vec::new());
        let ranges: Vec<Range<usize>> = layout.lines.iter().collect();
        for ((text, share), tokens) in lines.iter().zip(&ranges) {
            let Some(share) = *share else { continue };
            matches.push(Match { tokens: tokens.clone(), pattern: weights.len() });
            weights.push(Weight {
                share,
                documents: 20,
                occurrences: 20,
                holds_lines: true,
                place: Some(Place::Ends),
                identifies: *text == identifies,
                ..Weight::default()
            });
        }
        let segments = Segments::of(&text, &tokens, &layout, &vec![0.0; tokens.tokens.len()]);
        let frame = Frame::grown(&layout, &matches, &weights, |found| weights[found.pattern].place);
        let inside = |frame: Frame| {
            let held = lines.iter().zip(&ranges).filter(|(line, range)| line.1.is_some() && frame.holds(range));
            held.map(|(line, _)| line.0).collect()
        };
        [inside(frame), inside(frame.trimmed(&layout, &matches, &weights, &segments))]
    }

    const MENU: Line = ("Home News Boats Weather", Some(0.3));
    const PRINT: Line = ("Print this page", Some(0.3));
    const TEXT: Line = ("The boats came in late last night and nobody was there to see them.", None);
    const FORMULA: Line = ("There being no further business the meeting closed.", Some(0.9));
    const PRICE: Line = ("Price: 14.50 EUR", Some(0.9));
    const INDEX: Line = ("Index of all the pages by name", Some(0.9));

    #[test]
    fn it_goes_from_match_to_match_as_far_as_little_stands_between() {
        assert_eq!(framed(&[MENU, ("Of boats", None), PRINT, TEXT, INDEX], "")[0], [MENU.0, PRINT.0, INDEX.0]);
        assert_eq!(framed(&[MENU, TEXT, PRINT, TEXT, INDEX], "")[0], [MENU.0, INDEX.0]);
        assert_eq!(framed(&[TEXT, PRINT, TEXT], "")[0], [""; 0]);
    }

    #[test]
    fn before_what_most_have_a_list_may_be_open_but_no_text() {
        let lines = [MENU, ("Boats, small boats and large boats of the marsh", None), INDEX, TEXT];
        assert_eq!(framed(&lines, "")[0], [MENU.0, INDEX.0]);
        assert_eq!(
            framed(&[MENU, ("Boats, small boats and large boats of the marsh.", None), INDEX, TEXT], "")[0],
            [MENU.0]
        );
    }

    #[test]
    fn a_sentence_at_its_edge_is_given_back_and_one_amid_it_is_not() {
        assert_eq!(framed(&[MENU, TEXT, FORMULA, PRINT], "")[1], [MENU.0, PRINT.0]);
        assert_eq!(framed(&[MENU, TEXT, INDEX, FORMULA, PRINT], "")[1], [MENU.0, INDEX.0, FORMULA.0, PRINT.0]);
    }

    #[test]
    fn a_value_at_its_edge_is_given_back_if_it_tells_documents_apart() {
        let lines = [MENU, TEXT, PRICE, PRINT];
        assert_eq!(framed(&lines, PRICE.0)[1], [MENU.0, PRINT.0]);
        assert_eq!(framed(&lines, "")[1], [MENU.0, PRICE.0, PRINT.0]);
    }

    #[test]
    fn a_document_that_is_all_frame_is_held_once() {
        assert_eq!(framed(&[MENU, PRINT], "")[0], [MENU.0, PRINT.0]);
    }
}
