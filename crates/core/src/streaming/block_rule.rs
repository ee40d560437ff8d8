//! The plain rule of Wang et al.: a block that is mostly boilerplate is removed as a whole.
//!
//! Takes a document's segments and their counts. Gives the stretches of its text that are boilerplate. A segment is
//! boilerplate if enough documents have it, wherever it is. The *template ratio* of a block is the length of its
//! template segments over the length of all its segments. A block above the threshold is removed with all its text,
//! including text that no other document has. The outermost such block counts. In every other block, the rule looks at
//! the blocks inside it and keeps the text directly in it, even if that is boilerplate.
//!
//! Blocks of a page are the elements that define its layout: those that start and end a line (`div`, `p`, `ul`, `li`,
//! `h1`, `table`, `tr` ...), and cells. The page itself is a block too. A text without markup is a block too, and so
//! are its paragraphs, which blank lines separate. If no blank line separates paragraphs, each segment is a paragraph.

use std::ops::Range;

use super::Detection;
use super::detection::Lengths;
use super::segments::TextSegment;
use super::table::Count;
use crate::cleaning::reading::matcher::Tokens;
use crate::html::Tree;

/// A block. In a list, each block comes before the blocks inside it.
#[derive(Clone, Debug)]
struct Block {
    /// The bytes of its text.
    text: Range<usize>,
    /// The index after the last block inside it.
    end: usize,
}

/// The stretches of a text that are boilerplate, in order, each with its template ratio. `tokens` are the tokens of the
/// text, and `counts` belong to `segments`. If the tree of its page is given, the blocks are elements of the page.
pub fn template_blocks(
    text: &str,
    tokens: &Tokens,
    tree: Option<&Tree>,
    segments: &[TextSegment],
    counts: &[Count],
    detection: &Detection,
) -> Vec<(Range<usize>, f32)> {
    let start = |segment: &TextSegment| tokens.tokens[segment.tokens.start].range().start;
    let starts: Vec<usize> = segments.iter().map(start).collect();
    let blocks = match tree {
        Some(tree) => of_page(tree),
        None => of_text(text, &starts),
    };
    let recurs = |count: &Count| count.documents >= detection.template_documents;
    let lengths: Vec<(u32, bool)> =
        segments.iter().zip(counts).map(|(segment, count)| (segment.length, recurs(count))).collect();
    outermost(&blocks, &starts, &lengths, detection)
}

/// The outermost blocks above the threshold, each with its template ratio. `starts` has the first byte of each segment,
/// and `segments` its length and whether it is boilerplate.
fn outermost(
    blocks: &[Block],
    starts: &[usize],
    segments: &[(u32, bool)],
    detection: &Detection,
) -> Vec<(Range<usize>, f32)> {
    let mut before = vec![Lengths::default()];
    for &(length, recurs) in segments {
        let mut sum = before[before.len() - 1];
        sum.add(length, recurs);
        before.push(sum);
    }
    let sum_before = |limit: usize| before[starts.partition_point(|&start| start < limit)];
    let (mut found, mut next) = (Vec::new(), 0);
    while let Some(Block { text, end }) = blocks.get(next) {
        let inside = sum_before(text.end) - sum_before(text.start);
        if inside.is_template(detection) {
            found.push((text.clone(), inside.share()));
            next = *end;
        } else {
            next += 1;
        }
    }
    found
}

/// The page and its elements that define its layout.
fn of_page(tree: &Tree) -> Vec<Block> {
    let mut blocks = Vec::new();
    // For each node, the number of blocks before it.
    let mut before = Vec::with_capacity(tree.len() + 1);
    for node in 0..tree.len() {
        before.push(blocks.len());
        if node == 0 || tree.is_block(node) {
            blocks.push(Block { text: tree.text(node), end: tree.end(node) });
        }
    }
    before.push(blocks.len());
    blocks.iter_mut().for_each(|block| block.end = before[block.end]);
    blocks
}

/// A text and its paragraphs. `starts` are the first bytes of its segments.
fn of_text(text: &str, starts: &[usize]) -> Vec<Block> {
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let (mut at, mut is_open) = (0, false);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match (line.trim().is_empty(), is_open, paragraphs.last_mut()) {
            (true, _, _) => is_open = false,
            (false, true, Some(paragraph)) => paragraph.end = end,
            (false, ..) => {
                paragraphs.push(at..end);
                is_open = true;
            }
        }
        at = end;
    }
    if paragraphs.len() < 2 {
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        paragraphs = starts.iter().zip(ends).map(|(&start, end)| start..end).collect();
    }
    let whole = Block { text: 0..text.len(), end: paragraphs.len() + 1 };
    let paragraphs = paragraphs.into_iter().zip(2..).map(|(text, end)| Block { text, end });
    [whole].into_iter().chain(paragraphs).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::html::read;
    use crate::streaming::segments::segments;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// The stretches that are removed if exactly the segments that begin with a capital are in enough documents.
    fn removed(text: &str, tree: Option<&Tree>) -> Vec<String> {
        let mutable = Arc::new(MutableSet::new(vec![]).unwrap());
        let tokens = Tokens::of(text, &mut Lexer::new(Tokenizer::Words, Arc::clone(&mutable)));
        let segments = segments(text, &tokens, &mutable, tree);
        let is_template =
            |segment: &TextSegment| text[tokens.tokens[segment.tokens.start].range()].starts_with(char::is_uppercase);
        let count = |segment| Count { documents: if is_template(segment) { 5 } else { 4 }, pages: 9 };
        let counts: Vec<Count> = segments.iter().map(count).collect();
        let found = template_blocks(text, &tokens, tree, &segments, &counts, &Detection::default());
        found.into_iter().map(|(range, _)| text[range].split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    fn removed_of_page(html: &str) -> Vec<String> {
        let (text, tree) = read::<Tree>(html);
        removed(&text, Some(&tree))
    }

    /// An article so long that its page is not removed as a whole.
    const ARTICLE: &str = "<p>the ferry to the islands was late on monday and so were all who wanted to go there</p>";

    #[test]
    fn a_block_goes_with_what_is_new_in_it() {
        let page = format!("<ul><li>Home<li>Politics<li>Culture<li>new</ul>{ARTICLE}");
        assert_eq!(removed_of_page(&page), ["Home Politics Culture new"]);
    }

    #[test]
    fn template_alone_in_a_block_that_stays_stays() {
        let page = format!("<div><b>Politics</b> of the sea and the coast <p>Print</p></div>{ARTICLE}");
        assert_eq!(removed_of_page(&page), ["Print"], "the block inside goes");
    }

    #[test]
    fn exactly_the_share_is_too_little() {
        let page = |template: &str| format!("<p><b>{template}</b> abc</p>{ARTICLE}");
        assert_eq!(removed_of_page(&page("Abcdefg")), [""; 0]);
        assert_eq!(removed_of_page(&page("Abcdefgh")), ["Abcdefgh abc"]);
    }

    #[test]
    fn a_page_that_is_nearly_all_template_goes() {
        assert_eq!(removed_of_page("<p>Home</p><p>Politics</p>new<p>Culture</p>"), ["Home Politics new Culture"]);
    }

    #[test]
    fn cells_are_blocks() {
        let page = format!("<table><tr><td>Weather<td>{ARTICLE}<tr><td>Politics<td>sun</table>");
        assert_eq!(removed_of_page(&page), ["Weather", "Politics sun"]);
    }

    #[test]
    fn paragraphs_of_a_text_go_as_a_whole() {
        let article = "the ferry to the islands was late on monday\nPrint\nand so were all who wanted to go there";
        let text = format!("Home\nPolitics\n---\nnew\n\n{article}\n \nTerms of use\n");
        assert_eq!(removed(&text, None), ["Home Politics --- new", "Terms of use"]);
    }

    #[test]
    fn without_blank_lines_each_line_is_a_paragraph() {
        let text = "\nHome\nPolitics\nthe ferry to the islands was late on monday\n";
        assert_eq!(removed(text, None), ["Home", "Politics"]);
        assert_eq!(removed("", None), [""; 0]);
    }

    /// A block as the rule defines it.
    #[derive(Clone, Debug)]
    enum Part {
        Text(u32, bool),
        Block(Vec<Part>),
    }

    impl Part {
        /// Length of all segments, and of those that are boilerplate.
        fn lengths(&self) -> (u32, u32) {
            match self {
                Part::Text(length, recurs) => (*length, if *recurs { *length } else { 0 }),
                Part::Block(parts) => {
                    let lengths = parts.iter().map(Part::lengths);
                    lengths.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
                }
            }
        }

        /// Whether each segment is removed: the definition, word for word.
        fn naively(&self, goes: bool, removed: &mut Vec<bool>) {
            let Part::Block(parts) = self else { return removed.push(goes) };
            let (all, template) = self.lengths();
            let goes = goes || f64::from(template) > 0.7 * f64::from(all);
            parts.iter().for_each(|part| part.naively(goes, removed));
        }

        /// Writes the blocks and segments. Each segment takes 1 byte.
        fn write(&self, blocks: &mut Vec<Block>, segments: &mut Vec<(u32, bool)>) {
            match self {
                Part::Text(length, recurs) => segments.push((*length, *recurs)),
                Part::Block(parts) => {
                    let (block, start) = (blocks.len(), segments.len());
                    blocks.push(Block { text: start..start, end: block + 1 });
                    parts.iter().for_each(|part| part.write(blocks, segments));
                    (blocks[block].text.end, blocks[block].end) = (segments.len(), blocks.len());
                }
            }
        }
    }

    fn page() -> impl Strategy<Value = Part> {
        let text = (1..6_u32, prop::bool::weighted(0.7)).prop_map(|(length, recurs)| Part::Text(length, recurs));
        let part = text.prop_recursive(4, 40, 5, |part| prop::collection::vec(part, 0..5).prop_map(Part::Block));
        prop::collection::vec(part, 0..6).prop_map(Part::Block)
    }

    proptest! {
        #[test]
        fn the_outermost_blocks_are_those_of_the_definition(page in page()) {
            let (mut blocks, mut segments, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            page.write(&mut blocks, &mut segments);
            page.naively(false, &mut expected);
            let starts: Vec<usize> = (0..segments.len()).collect();
            let found = outermost(&blocks, &starts, &segments, &Detection::default());
            prop_assert!(found.is_sorted_by(|(a, _), (b, _)| a.end <= b.start));
            let goes = |segment: &usize| found.iter().any(|(range, _)| range.contains(segment));
            prop_assert_eq!(starts.iter().map(goes).collect::<Vec<bool>>(), expected);
        }
    }
}
