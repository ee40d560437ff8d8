//! Where in the source each piece of text came from.

use std::ops::Range;

use super::stack::Name;
use super::syntax::Syntax;

/// Leads from visible text back to the HTML source.
///
/// One entry per run of text that stands in the source as it is, one per character reference, and one
/// per stretch of white space that became a space with others; the line breaks, tabs and spaces that
/// stand for markup have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    pieces: Vec<Piece>,
}

/// A stretch of text and the stretch of source that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    text: Range<usize>,
    source: Range<usize>,
    /// Byte for byte the same, but for a character of white space that became a space.
    aligned: bool,
    syntax: Syntax,
}

/// A stretch of the source that holds text and no markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) source: Range<usize>,
    pub(super) syntax: Syntax,
    /// Whether text stands right before it in the source.
    pub(super) follows_text: bool,
}

impl SourceMap {
    /// The stretch of source from the first to the last byte of some text, with all markup
    /// between; empty if the text is only white space that stands for markup.
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

    /// The stretches of source that hold some text, without the markup between them, in order.
    pub fn source_ranges(&self, text: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let pieces = self.overlapping(&text);
        pieces.iter().map(move |piece| piece.part(&text))
    }

    /// The stretches of source that can go with some text: of a character reference, all or nothing.
    pub(super) fn parts(&self, text: &Range<usize>) -> impl Iterator<Item = Part> {
        let text = text.clone();
        let pieces = self.overlapping_indices(&text);
        pieces.filter_map(move |at| self.part(at, &text))
    }

    /// An empty stretch of source for what is put into the text at `text`, if there is any text.
    pub(super) fn place_of(&self, text: usize) -> Option<Part> {
        let after = self.pieces.partition_point(|p| p.text.start < text);
        let before = after.checked_sub(1).map(|at| (&self.pieces[at], self.pieces[at].source.end));
        let (piece, at) = before.or_else(|| self.pieces.first().map(|first| (first, first.source.start)))?;
        Some(Part { source: at..at, syntax: piece.syntax, follows_text: before.is_some() })
    }

    /// The length of the character reference that starts at a place in the source.
    pub(super) fn reference_len(&self, source: usize) -> Option<usize> {
        let at = self.pieces.partition_point(|p| p.source.start < source);
        let piece = self.pieces.get(at).filter(|piece| piece.source.start == source && !piece.aligned)?;
        Some(piece.source.len())
    }

    fn part(&self, at: usize, text: &Range<usize>) -> Option<Part> {
        let piece = &self.pieces[at];
        let is_whole = text.start <= piece.text.start && piece.text.end <= text.end;
        let source = piece.part(text);
        let before = at.checked_sub(1).map(|before| self.pieces[before].source.end);
        let follows_text = source.start > piece.source.start || before == Some(source.start);
        (piece.aligned || is_whole).then_some(Part { source, syntax: piece.syntax, follows_text })
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
    /// The source of the piece's part within `text`; a character reference has no parts.
    fn part(&self, text: &Range<usize>) -> Range<usize> {
        if !self.aligned {
            return self.source.clone();
        }
        let cut_start = text.start.saturating_sub(self.text.start);
        let cut_end = self.text.end.saturating_sub(text.end);
        self.source.start + cut_start..self.source.end - cut_end
    }
}

/// Where a piece of text comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    place: Place,
    syntax: Syntax,
}

#[derive(Clone, Debug)]
enum Place {
    /// It stands in the source, from here on.
    Verbatim(usize),
    /// It was written in another way.
    Decoded(Range<usize>),
}

impl Origin {
    /// The origin of text that stands in the markup as it is, from `start` on.
    pub(super) fn verbatim(start: usize) -> Self {
        Origin { place: Place::Verbatim(start), syntax: Syntax::Markup }
    }

    /// The origin of text that is written in another way in the markup.
    pub(super) fn decoded(source: Range<usize>) -> Self {
        Origin { place: Place::Decoded(source), syntax: Syntax::Markup }
    }

    /// The same place, if that is no markup but this.
    pub(super) fn within(self, syntax: Syntax) -> Self {
        Origin { syntax, ..self }
    }

    /// The origin of what is left of the text after its first `skipped` bytes.
    pub(super) fn after(&self, skipped: usize) -> Self {
        let place = match &self.place {
            Place::Verbatim(start) => Place::Verbatim(start + skipped),
            decoded => decoded.clone(),
        };
        Origin { place, ..*self }
    }

    /// The source of the first `len` bytes of the text, and whether these stand there as they are.
    fn source(self, len: usize) -> (Range<usize>, bool) {
        match self.place {
            Place::Verbatim(start) => (start..start + len, true),
            Place::Decoded(source) => (source, false),
        }
    }
}

/// Hears where text comes from and what stands around it, or does not care.
pub trait Trace: Default {
    /// Whether origins have to be found out at all.
    const WANTED: bool;

    /// The text in this range comes from there. Ranges come in order.
    fn add(&mut self, text: Range<usize>, origin: Origin);

    /// The space in this range comes from `len` bytes of white space there, and maybe from others.
    fn add_space(&mut self, text: Range<usize>, origin: Origin, len: usize);

    /// Text from here on was taken back.
    fn truncate(&mut self, text: usize);

    /// Markup of any kind stands between the text so far and what comes.
    fn part(&mut self) {}

    /// The layout parts the text so far from what comes.
    fn part_blocks(&mut self) {}

    /// An element opens within the innermost one.
    fn open(&mut self, _: Name) {}

    /// The innermost element closes.
    fn close(&mut self) {}
}

impl Trace for () {
    const WANTED: bool = false;

    fn add(&mut self, _: Range<usize>, _: Origin) {}

    fn add_space(&mut self, _: Range<usize>, _: Origin, _: usize) {}

    fn truncate(&mut self, _: usize) {}
}

/// Both hear everything.
impl<A: Trace, B: Trace> Trace for (A, B) {
    const WANTED: bool = A::WANTED || B::WANTED;

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

    fn part(&mut self) {
        self.0.part();
        self.1.part();
    }

    fn part_blocks(&mut self) {
        self.0.part_blocks();
        self.1.part_blocks();
    }

    fn open(&mut self, name: Name) {
        self.0.open(name);
        self.1.open(name);
    }

    fn close(&mut self) {
        self.0.close();
        self.1.close();
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

    /// Ends the piece at `text` if it goes further.
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
