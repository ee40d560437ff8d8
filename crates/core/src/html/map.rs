//! The position in the source of each piece of text.

use std::ops::Range;

use super::syntax::Syntax;
use super::tree::Opening;

/// Maps visible text back to the HTML source.
///
/// There is an entry for each run of text that is unchanged in the source, for each character reference, and for each
/// stretch of white space that was collapsed to a space. The `alt` text of a picture has one entry, which leads back to
/// the whole tag. Line breaks, tabs and spaces that stand for markup have no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    pieces: Vec<Piece>,
}

/// A range of the text and the range of the source that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    text: Range<usize>,
    source: Range<usize>,
    /// Whether text and source have the same bytes. A white-space character that became a space also counts.
    aligned: bool,
    syntax: Syntax,
}

/// A range of the source that has text and no markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourcePart {
    pub(super) source: Range<usize>,
    pub(super) syntax: Syntax,
    /// Whether text is directly before it in the source.
    pub(super) follows_text: bool,
}

impl SourceMap {
    /// The range of the source from the first to the last byte of some text, with all markup between them. Empty if the
    /// text is only white space that stands for markup.
    pub fn source_range(&self, text: Range<usize>) -> Range<usize> {
        let pieces = self.overlapping(&text);
        match (pieces.first(), pieces.last()) {
            (Some(first), Some(last)) => first.part(&text).start..last.part(&text).end,
            _ => {
                let at = self.source_before(text.start);
                at..at
            }
        }
    }

    /// The ranges of the source that have some text, in order, without the markup between them.
    pub fn source_ranges(&self, text: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let pieces = self.overlapping(&text);
        pieces.iter().map(move |piece| piece.part(&text))
    }

    /// The ranges of the source that can be removed with some text. A character reference is included only as a whole.
    pub(super) fn parts(&self, text: &Range<usize>) -> impl Iterator<Item = SourcePart> {
        let text = text.clone();
        let pieces = self.overlapping_indices(&text);
        pieces.filter_map(move |at| self.part(at, &text))
    }

    /// An empty range of the source, at which new text for position `text` can be inserted. `None` if the page has no
    /// text.
    pub(super) fn place_of(&self, text: usize) -> Option<SourcePart> {
        let after = self.pieces.partition_point(|p| p.text.start < text);
        let before = after.checked_sub(1).map(|at| (&self.pieces[at], self.pieces[at].source.end));
        let (piece, at) = before.or_else(|| self.pieces.first().map(|first| (first, first.source.start)))?;
        Some(SourcePart { source: at..at, syntax: piece.syntax, follows_text: before.is_some() })
    }

    /// The length of the character reference that starts at a position of the source, if one does.
    pub(super) fn reference_len(&self, source: usize) -> Option<usize> {
        let at = self.pieces.partition_point(|p| p.source.start < source);
        let piece = self.pieces.get(at).filter(|piece| piece.source.start == source && !piece.aligned)?;
        Some(piece.source.len())
    }

    fn part(&self, at: usize, text: &Range<usize>) -> Option<SourcePart> {
        let piece = &self.pieces[at];
        let is_whole = text.start <= piece.text.start && piece.text.end <= text.end;
        let source = piece.part(text);
        let before = at.checked_sub(1).map(|before| self.pieces[before].source.end);
        let follows_text = source.start > piece.source.start || before == Some(source.start);
        (piece.aligned || is_whole).then_some(SourcePart { source, syntax: piece.syntax, follows_text })
    }

    fn overlapping(&self, text: &Range<usize>) -> &[Piece] {
        self.pieces.get(self.overlapping_indices(text)).unwrap_or_default()
    }

    fn overlapping_indices(&self, text: &Range<usize>) -> Range<usize> {
        let start = self.pieces.partition_point(|p| p.text.end <= text.start);
        let end = self.pieces.partition_point(|p| p.text.start < text.end);
        start..end
    }

    fn push(&mut self, piece: Piece) {
        match self.pieces.last_mut() {
            Some(last) if last.runs_into(&piece) => last.append(&piece),
            _ => self.pieces.push(piece),
        }
    }

    fn source_before(&self, text: usize) -> usize {
        let before = self.pieces.partition_point(|p| p.text.start < text);
        let piece = before.checked_sub(1).and_then(|i| self.pieces.get(i));
        piece.map_or(0, |p| p.source.end)
    }
}

impl Piece {
    /// The source of the part of the piece within `text`. For a character reference it is always the whole reference.
    fn part(&self, text: &Range<usize>) -> Range<usize> {
        if !self.aligned {
            return self.source.clone();
        }
        let cut_start = text.start.saturating_sub(self.text.start);
        let cut_end = self.text.end.saturating_sub(text.end);
        self.source.start + cut_start..self.source.end - cut_end
    }
}

/// The origin of a piece of text.
#[derive(Clone, Debug)]
pub struct Origin {
    place: Spelling,
    syntax: Syntax,
}

#[derive(Clone, Debug)]
enum Spelling {
    /// Text that is unchanged in the source, from this position on.
    Verbatim(usize),
    /// Text that is written differently in the source, such as a character reference.
    Decoded(Range<usize>),
}

impl Origin {
    /// The origin of text that is unchanged in the markup, from `start` on.
    pub(super) fn verbatim(start: usize) -> Self {
        Origin { place: Spelling::Verbatim(start), syntax: Syntax::Markup }
    }

    /// The origin of text that is written differently in the markup.
    pub(super) fn decoded(source: Range<usize>) -> Self {
        Origin { place: Spelling::Decoded(source), syntax: Syntax::Markup }
    }

    /// The same position, with another syntax than markup.
    pub(super) fn within(self, syntax: Syntax) -> Self {
        Origin { syntax, ..self }
    }

    /// The origin of the rest of the text, after its first `skipped` bytes.
    pub(super) fn after(&self, skipped: usize) -> Self {
        let place = match &self.place {
            Spelling::Verbatim(start) => Spelling::Verbatim(start + skipped),
            decoded => decoded.clone(),
        };
        Origin { place, ..*self }
    }

    /// The source of the first `len` bytes of the text, and whether they are unchanged there.
    fn source(self, len: usize) -> (Range<usize>, bool) {
        match self.place {
            Spelling::Verbatim(start) => (start..start + len, true),
            Spelling::Decoded(source) => (source, false),
        }
    }
}

/// Receives the origin of text and the markup around it. `()` ignores both.
pub trait Trace: Default {
    /// Whether origins must be computed.
    const WANTED: bool;
    /// Whether attributes, titles and the positions of markup must be kept.
    const ATTRIBUTES: bool = false;

    /// Text was added in this range. Ranges come in order.
    fn add(&mut self, text: Range<usize>, origin: Origin);

    /// The space in this range stands for `len` bytes of white space at the origin. This is called again for each
    /// further piece of white space that the same space stands for.
    fn add_space(&mut self, text: Range<usize>, origin: Origin, len: usize);

    /// The text from this position on was removed again.
    fn truncate(&mut self, text: usize);

    /// There is markup between the text so far and the text that follows: the bytes of a tag or comment.
    fn markup(&mut self, _: Range<usize>) {}

    /// There is a line end or cell end between the text so far and the text that follows.
    fn part_blocks(&mut self) {}

    /// An element opens inside the innermost one.
    fn open(&mut self, _: Opening) {}

    /// The innermost element closes. It ends at this position.
    fn close(&mut self, _: usize) {}

    /// Text of the page's title.
    fn title(&mut self, _: &[u8]) {}

    /// Text of a script.
    fn script(&mut self, _: &[u8]) {}

    /// The language that the page is declared to be in.
    fn language(&mut self, _: &[u8]) {}
}

impl Trace for () {
    const WANTED: bool = false;

    fn add(&mut self, _: Range<usize>, _: Origin) {}

    fn add_space(&mut self, _: Range<usize>, _: Origin, _: usize) {}

    fn truncate(&mut self, _: usize) {}
}

/// Passes everything to both.
impl<A: Trace, B: Trace> Trace for (A, B) {
    const WANTED: bool = A::WANTED || B::WANTED;
    const ATTRIBUTES: bool = A::ATTRIBUTES || B::ATTRIBUTES;

    fn add(&mut self, text: Range<usize>, origin: Origin) {
        self.0.add(text.clone(), origin.clone());
        self.1.add(text, origin);
    }

    fn add_space(&mut self, text: Range<usize>, origin: Origin, len: usize) {
        self.0.add_space(text.clone(), origin.clone(), len);
        self.1.add_space(text, origin, len);
    }

    fn truncate(&mut self, text: usize) {
        self.0.truncate(text);
        self.1.truncate(text);
    }

    fn markup(&mut self, bytes: Range<usize>) {
        self.0.markup(bytes.clone());
        self.1.markup(bytes);
    }

    fn part_blocks(&mut self) {
        self.0.part_blocks();
        self.1.part_blocks();
    }

    fn open(&mut self, element: Opening) {
        self.0.open(element);
        self.1.open(element);
    }

    fn close(&mut self, end: usize) {
        self.0.close(end);
        self.1.close(end);
    }

    fn title(&mut self, text: &[u8]) {
        self.0.title(text);
        self.1.title(text);
    }

    fn script(&mut self, text: &[u8]) {
        self.0.script(text);
        self.1.script(text);
    }

    fn language(&mut self, language: &[u8]) {
        self.0.language(language);
        self.1.language(language);
    }
}

impl Trace for SourceMap {
    const WANTED: bool = true;

    fn add(&mut self, text: Range<usize>, origin: Origin) {
        let syntax = origin.syntax;
        let (source, aligned) = origin.source(text.len());
        self.push(Piece { text, source, aligned, syntax });
    }

    fn add_space(&mut self, text: Range<usize>, origin: Origin, len: usize) {
        let syntax = origin.syntax;
        let (source, verbatim) = origin.source(len);
        self.push(Piece { text, source, aligned: verbatim && len == 1, syntax });
    }

    fn truncate(&mut self, text: usize) {
        while self.pieces.pop_if(|p| p.text.start >= text).is_some() {}
        if let Some(last) = self.pieces.last_mut() {
            last.shorten(text);
        }
    }
}

impl Piece {
    fn runs_into(&self, next: &Piece) -> bool {
        let meet = self.text.end == next.text.start && self.source.end == next.source.start;
        meet && self.aligned && next.aligned && self.syntax == next.syntax
    }

    fn append(&mut self, next: &Piece) {
        self.text.end = next.text.end;
        self.source.end = next.source.end;
    }

    /// Ends the piece at `text`, if it reaches beyond.
    fn shorten(&mut self, text: usize) {
        let cut = self.text.end.saturating_sub(text);
        self.text.end -= cut;
        if self.aligned {
            self.source.end -= cut;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "ab" at 10, "&" from 20 to 25, "c" at 25.
    fn sample() -> SourceMap {
        let mut map = SourceMap::default();
        map.add(0..1, Origin::verbatim(10));
        map.add(1..2, Origin::verbatim(11));
        map.add(3..4, Origin::decoded(20..25));
        map.add(4..5, Origin::verbatim(25));
        map
    }

    #[test]
    fn runs_of_text_are_one_entry() {
        assert_eq!(sample().pieces.len(), 3);
    }

    #[test]
    fn ranges_lead_back() {
        let map = sample();
        assert_eq!(map.source_range(1..5), 11..26);
        assert_eq!(map.source_ranges(1..5).collect::<Vec<_>>(), [11..12, 20..25, 25..26]);
    }

    #[test]
    fn white_space_for_markup_has_no_source() {
        assert_eq!(sample().source_range(2..3), 12..12);
        assert_eq!(sample().source_range(0..0), 0..0);
        assert_eq!(sample().source_range(9..12), 26..26);
    }

    #[test]
    fn text_can_be_taken_back() {
        let mut map = sample();
        map.truncate(4);
        assert_eq!(map.source_range(0..9), 10..25);
        map.truncate(1);
        assert_eq!(map.source_range(0..9), 10..11);
    }
}
