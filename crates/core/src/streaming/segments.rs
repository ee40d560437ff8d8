//! Cuts a document into segments, which are counted over the documents of a source.
//!
//! Takes a text, its tokens and, for a page, its tree. Gives segments, each with a key that is the same wherever the
//! same text has the same place. As in Wang et al., section 3.1, a segment is the text between two pieces of markup,
//! and its place is the path of elements to it. In a text without markup, lines are segments. For a part that varies in
//! a template, such as a date or a number, the key has only the name of its pattern, so that its value does not matter.

use std::ops::Range;
use std::{iter, mem};

use twox_hash::XxHash3_64;

use crate::cleaning::decide::segments::sentence_starts;
use crate::cleaning::reading::layout::Layout;
use crate::cleaning::reading::matcher::Tokens;
use crate::html::{NodeKind, Tree};
use crate::tokens::{MutableSet, Token, TokenKind};

/// If a text is a single line with more bytes than this, it is cut into sentences.
const MAX_LINE_BYTES: usize = 300;

/// Number of bytes that the path takes at the start of the bytes that are hashed for a key.
const PATH_BYTES: usize = 8;

/// A byte that no UTF-8 text contains. It encloses the name of a mutable pattern to distinguish it from a word.
const NAME_MARK: u8 = 0xff;

/// The identity of a segment in its source: a hash of its path and its text, with the names of mutable parts. It is the
/// same in every version and on every system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentKey(pub u64);

/// A stretch of a document. It is boilerplate as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSegment {
    /// Its identity.
    pub key: SegmentKey,
    /// The identity of its text in any place. In a text without markup the same as `key`.
    pub text: SegmentKey,
    /// Its tokens: those whose first byte is in it.
    pub tokens: Range<usize>,
    /// The number of its block, from 0. Numbers never decrease along the text.
    pub block: u32,
    /// Length of its text in bytes, without white space around it.
    pub length: u32,
}

/// A segment in readable form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The names of the elements around it, such as `div/ul/li/a`. Empty in a text without markup.
    pub path: String,
    /// Its text, as written in the document.
    pub text: String,
    /// Its position in its line.
    pub standing: Standing,
}

/// The position of a segment in its line, in the document where it was described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A whole line.
    Line,
    /// Part of a line, with white space or the start of the line before it.
    Apart,
    /// Directly after other text, without white space.
    Joined,
}

/// The segments of a document, in order. Segments without a letter or a digit are left out. Takes linear time.
///
/// With a tree, segments are its runs of text and blocks are its blocks. A run of several lines (only preserved white
/// space makes one) is cut into its lines. Without a tree, each line is a segment and a block. A text that is a single
/// line of more than 300 bytes has lost its line breaks, so each sentence is a segment and a block.
pub fn segments(text: &str, tokens: &Tokens, mutable: &MutableSet, tree: Option<&Tree>) -> Vec<TextSegment> {
    let stretches = match tree {
        Some(tree) => runs(tokens, tree),
        None => plain(text, tokens),
    };
    let mut canonical = Vec::new();
    let has_ink = |stretch: &Stretch| text[bytes(tokens, &stretch.tokens)].contains(char::is_alphanumeric);
    stretches
        .into_iter()
        .filter(has_ink)
        .map(|Stretch { tokens: range, path, block }| {
            canonical.clear();
            write_canonical(&mut canonical, path, text, &tokens.tokens[range.clone()], mutable);
            let key = SegmentKey(XxHash3_64::oneshot(&canonical));
            let text = tree.map_or(key, |_| SegmentKey(XxHash3_64::oneshot(&canonical[PATH_BYTES..])));
            TextSegment { key, text, length: bytes(tokens, &range).len() as u32, tokens: range, block }
        })
        .collect()
}

/// A segment of a document in readable form.
pub fn described(text: &str, tokens: &Tokens, tree: Option<&Tree>, segment: &TextSegment) -> Described {
    let range = bytes(tokens, &segment.tokens);
    let path = tree.and_then(|tree| Some(tree.path(tree.run_at(range.start)?))).unwrap_or_default();
    Described { path, text: text[range].to_owned(), standing: standing(tokens, &segment.tokens) }
}

fn standing(tokens: &Tokens, range: &Range<usize>) -> Standing {
    match tokens.tokens[range.start].space_before {
        true if tokens.line_starts[range.start] && tokens.line_starts[range.end] => Standing::Line,
        true => Standing::Apart,
        false => Standing::Joined,
    }
}

/// The tokens between two pieces of markup, or of a line.
struct Stretch {
    tokens: Range<usize>,
    path: u64,
    block: u32,
}

fn runs(tokens: &Tokens, tree: &Tree) -> Vec<Stretch> {
    let paths = tree.path_hashes();
    let mut stretches = Vec::with_capacity(tree.runs().len());
    let end_bytes = tree.runs().skip(1).map(|next| tree.text(next).start).chain([usize::MAX]);
    let (mut end, mut block, mut last_block) = (0, 0, None);
    for (run, end_byte) in tree.runs().zip(end_bytes) {
        let start = end;
        end += tokens.tokens[start..].iter().take_while(|token| (token.start as usize) < end_byte).count();
        for tokens_of_line in lines(tokens, start..end) {
            let starts_block = |last: NodeKind| last != tree.kind(run) || tokens.line_starts[tokens_of_line.start];
            block += u32::from(last_block.replace(tree.kind(run)).is_some_and(starts_block));
            stretches.push(Stretch { tokens: tokens_of_line, path: paths[run], block });
        }
    }
    stretches
}

/// A stretch of tokens, cut into lines.
fn lines(tokens: &Tokens, stretch: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end_of_line = move |start: usize| (start + 1..stretch.end).find(|&token| tokens.line_starts[token]);
    let mut start = stretch.start;
    iter::from_fn(move || {
        let end = end_of_line(start).unwrap_or(stretch.end);
        (start < end).then(|| mem::replace(&mut start, end)..end)
    })
}

fn plain(text: &str, tokens: &Tokens) -> Vec<Stretch> {
    let line_starts = (0..tokens.line_starts.len()).filter(|&token| tokens.line_starts[token]);
    let mut cuts: Vec<usize> = line_starts.collect();
    let all = 0..tokens.tokens.len();
    if cuts.len() == 2 && bytes(tokens, &all).len() > MAX_LINE_BYTES {
        let layout = Layout::of(text, tokens);
        cuts.splice(1..1, sentence_starts(text, tokens, &layout, &all));
    }
    let stretch = |(cut, block): (&[usize], u32)| Stretch { tokens: cut[0]..cut[1], path: 0, block };
    cuts.windows(2).zip(0..).map(stretch).collect()
}

/// The bytes of a stretch of tokens that is not empty.
fn bytes(tokens: &Tokens, range: &Range<usize>) -> Range<usize> {
    tokens.tokens[range.start].range().start..tokens.tokens[range.end - 1].range().end
}

/// Writes the bytes that are hashed for a key: the path as a little-endian number, literal tokens as written, mutable
/// ones by name, and one space where white space is before a token that is not the first.
fn write_canonical(canonical: &mut Vec<u8>, path: u64, text: &str, tokens: &[Token], mutable: &MutableSet) {
    canonical.extend(path.to_le_bytes());
    for (number, token) in tokens.iter().enumerate() {
        if number > 0 && token.space_before {
            canonical.push(b' ');
        }
        match token.kind {
            TokenKind::Mutable(id) | TokenKind::Marks(id) => {
                canonical.push(NAME_MARK);
                canonical.extend(mutable.pattern(id).name.as_bytes());
                canonical.push(NAME_MARK);
            }
            _ => canonical.extend(text[token.range()].as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, LazyLock};

    use proptest::prelude::*;

    use super::*;
    use crate::html::read;
    use crate::tokens::{Lexer, Tokenizer};

    /// Compiled once, because it takes long.
    static SHIPPED: LazyLock<Arc<MutableSet>> = LazyLock::new(|| Arc::new(MutableSet::shipped()));

    /// The segments of a text, each with its description.
    fn described_segments(text: &str, tree: Option<&Tree>) -> Vec<(TextSegment, Described)> {
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::clone(&SHIPPED));
        let tokens = Tokens::of(text, &mut lexer);
        let found = segments(text, &tokens, lexer.mutable(), tree);
        check(text, &tokens, &found);
        let describe = |segment: TextSegment| (segment.clone(), described(text, &tokens, tree, &segment));
        found.into_iter().map(describe).collect()
    }

    /// Checks that segments are in order, disjoint, and have the right length.
    fn check(text: &str, tokens: &Tokens, found: &[TextSegment]) {
        assert!(found.is_sorted_by(|a, b| a.tokens.end <= b.tokens.start && a.block <= b.block), "{text:?} {found:?}");
        for segment in found {
            let said = &text[bytes(tokens, &segment.tokens)];
            assert_eq!((said.trim(), said.len()), (said, segment.length as usize), "{text:?}");
        }
    }

    fn of_page(html: &str) -> Vec<(TextSegment, Described)> {
        let (text, tree) = read::<Tree>(html);
        described_segments(&text, Some(&tree))
    }

    /// The segments as `path:text`, with a bar between blocks.
    fn shown(segments: &[(TextSegment, Described)]) -> String {
        let mut shown = String::new();
        for blocks in segments.chunk_by(|(a, _), (b, _)| a.block == b.block) {
            let texts: Vec<String> =
                blocks.iter().map(|(_, Described { path, text, .. })| format!("{path}:{text}")).collect();
            shown += if shown.is_empty() { "" } else { " | " };
            shown += &texts.join(" ");
        }
        shown
    }

    #[test]
    fn a_page_has_segments_between_its_tags() {
        let page = "<div><a>Home</a> - <a>Sport <b>live</b></a></div><p>Ferry late.</p><p>* * *</p>";
        assert_eq!(shown(&of_page(page)), "div/a:Home div/a:Sport div/a/b:live | p:Ferry late.");
    }

    #[test]
    fn segments_are_told_by_what_they_stand_among() {
        let page = "<p>Home</p><p>Sport <b>live</b>!</p><p>(<a>more</a>)</p>";
        let told: Vec<(String, Standing)> =
            of_page(page).into_iter().map(|(_, described)| (described.text, described.standing)).collect();
        let expected = [
            ("Home", Standing::Line),
            ("Sport", Standing::Apart),
            ("live", Standing::Apart),
            ("more", Standing::Joined),
        ];
        assert_eq!(told, expected.map(|(text, standing)| (text.to_owned(), standing)));
    }

    #[test]
    fn kept_lines_are_segments() {
        let page = "<pre>One\n  two <b>three\nfour</b></pre>";
        assert_eq!(shown(&of_page(page)), "pre:One | pre:two pre/b:three | pre/b:four");
    }

    #[test]
    fn a_token_is_where_its_first_byte_is() {
        let page = "<p>Posted March <b>3, 2024</b> by Ann</p>";
        assert_eq!(shown(&of_page(page)), "p:Posted March 3, 2024 p:by Ann");
    }

    #[test]
    fn text_without_markup_has_lines() {
        let lines = described_segments("Home | Sport\n\n  --\n Ferry late. Choir wins.\n", None);
        assert_eq!(shown(&lines), ":Home | Sport | :Ferry late. Choir wins.");
        assert_eq!(lines[1].0.block, 2, "the line between has no segment but is a block");
        assert!(described_segments("", None).is_empty());
    }

    #[test]
    fn a_long_text_in_a_single_line_has_sentences() {
        let long = "The ferry was late again. ".repeat(12);
        let sentences = described_segments(&format!("{long}Who knows e.g. why? End"), None);
        assert_eq!(sentences.len(), 14);
        assert_eq!(sentences[12].1.text, "Who knows e.g. why?");
        assert!(sentences.iter().map(|(segment, _)| segment.block).eq(0..14));
        assert_eq!(described_segments(&format!("{long}\nEnd"), None).len(), 2);
    }

    fn segment(html: &str) -> TextSegment {
        let segments = of_page(html);
        assert_eq!(segments.len(), 1, "{html}");
        segments[0].0.clone()
    }

    fn key(html: &str) -> SegmentKey {
        segment(html).key
    }

    #[test]
    fn keys_are_equal_where_text_and_path_are() {
        let first = key("<ul><li>Posted March 3, 2024 | 3 comments</li></ul>");
        assert_eq!(first, key("<body><ul><li>Posted  May 12, 2011 |\n 41 comments"));
        assert_ne!(first, key("<ol><li>Posted March 3, 2024 | 3 comments</li></ol>"));
        assert_ne!(first, key("<ul><li>Posted March 3, 2024 | 3 comment</li></ul>"));
        assert_ne!(first, key("<ul><li>Posted March 3, 2024 |3 comments</li></ul>"));
        assert_ne!(key("<p>3 a"), key("<p>number a"));
    }

    #[test]
    fn a_text_is_the_same_in_every_place() {
        let [item, paragraph, bare] = ["<ul><li>Page 3", "<p>Page 4", "Page 5"].map(segment);
        assert!(item.key != paragraph.key && item.text == paragraph.text && item.text == bare.text);
        assert_ne!(item.text, segment("<p>Pages 4").text);
        let line = &described_segments("Page 3", None)[0].0;
        assert_eq!(line.text, line.key, "a text without markup has no places");
    }

    #[test]
    fn keys_are_the_same_forever() {
        let keys = ["<p>Home", "<div><a>Posted on March 3 | 3 responses", "<x-share>Teilen für später"].map(key);
        let (home, posted, share) = (0xd325_719d_0f2d_7f07, 0x66f9_cf1f_9419_4f62, 0x4380_1ee4_e404_4da9);
        assert_eq!(keys, [home, posted, share].map(SegmentKey));
        assert_eq!(described_segments("Home", None)[0].0.key, SegmentKey(0x741d_dba2_554b_1891));
    }

    proptest! {
        #[test]
        fn a_line_has_one_key_wherever_it_stands(
            lines in prop::collection::vec("[a-c.| 0-9]{0,12}", 0..6), before in "[a-z]{1,5}"
        ) {
            let text = lines.join("\n");
            let keys = |text: &str| -> Vec<SegmentKey> {
                described_segments(text, None).into_iter().map(|(segment, _)| segment.key).collect()
            };
            let apart: Vec<SegmentKey> = lines.iter().flat_map(|line| keys(line)).collect();
            prop_assert_eq!(&keys(&text), &apart);
            prop_assert_eq!(&keys(&format!("{before}\n{text}"))[1..], &apart[..]);
            let page: String = lines.iter().map(|line| format!("<div>{line}</div>")).collect();
            prop_assert_eq!(of_page(&page).len(), apart.len());
        }
    }
}
