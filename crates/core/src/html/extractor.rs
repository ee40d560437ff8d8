//! Receives the tokens of a page, and finds their positions in the source.

use std::convert::Infallible;

use html5gum::{Emitter, Error, State};

use super::Reading;
use super::builder::Builder;
use super::map::{Origin, Trace};
use super::pending::PendingTag;
use super::syntax::Syntax;
use super::tags::Tag;

/// Collects the visible text of a page. `T` receives the origin of each piece.
#[derive(Debug)]
pub(super) struct Extractor<'a, T> {
    source: &'a [u8],
    page: Builder<T>,
    tag: PendingTag,
    /// The tag that was opened last. Its end tag ends raw text.
    last_start: Tag,
    /// The position up to which the tokenizer has read.
    position: usize,
    /// The position up to which the source is assigned to text or markup.
    seen: usize,
    is_in_section: bool,
    /// The start of the tag or comment that the tokenizer reads.
    markup_start: usize,
}

impl<'a, T: Trace> Extractor<'a, T> {
    /// An extractor for the page `source`, read from byte `start` on.
    pub(super) fn new(source: &'a str, start: usize, reading: Reading) -> Self {
        Extractor {
            source: source.as_bytes(),
            page: Builder::new(reading.without_scripts),
            tag: PendingTag::new(T::ATTRIBUTES, reading),
            last_start: Tag::Other,
            position: start,
            seen: start,
            is_in_section: false,
            markup_start: start,
        }
    }

    /// Number of bytes that are not shown and that a script may show.
    pub(super) fn unseen(&self) -> usize {
        self.page.unseen()
    }

    /// The text of the page, and its trace.
    pub(super) fn finish(self) -> (String, T) {
        self.page.finish()
    }

    fn start_tag(&mut self) -> Option<State> {
        self.last_start = self.tag.name().tag;
        self.page.start_tag(&self.tag, self.markup_start..self.position)
    }

    /// The origin of a piece of text that ends at `position`.
    fn origin(&mut self, text: &[u8]) -> Origin {
        if !T::WANTED {
            return Origin::verbatim(0);
        }
        if self.position > self.seen + text.len() {
            self.skip_silent_source();
        }
        let mut source = self.seen..self.position;
        if self.is_late(text) {
            self.seen += text.len();
            return Origin::verbatim(source.start);
        }
        source.end += usize::from(self.is_half_read());
        self.seen = source.end;
        match self.source.get(source.clone()) == Some(text) {
            true => Origin::verbatim(source.start),
            false => Origin::decoded(source),
        }
    }

    /// Whether the tokenizer read further before it emitted this text. It does so for a `</` that turns out not to
    /// start an end tag, and for brackets that turn out not to end a CDATA section.
    fn is_late(&self, text: &[u8]) -> bool {
        let rest = self.source.get(self.seen..).unwrap_or_default();
        matches!(text, b"</" | b"]" | b"]]") && rest.starts_with(text)
    }

    /// Whether the tokenizer has read only the CR of a CR LF. It treats both as 1 character.
    fn is_half_read(&self) -> bool {
        let around = self.source.get(self.position.saturating_sub(1)..=self.position);
        around == Some(b"\r\n")
    }

    /// Skips source that the tokenizer reads without an event: the LF of a CR LF, and the start of a CDATA section.
    fn skip_silent_source(&mut self) {
        const CDATA: &[u8] = b"<![CDATA[";
        let rest = self.source.get(self.seen..).unwrap_or_default();
        let before = self.source.get(..self.seen).unwrap_or_default();
        if rest.starts_with(CDATA) {
            self.seen += CDATA.len();
            self.is_in_section = true;
        } else if rest.starts_with(b"\n") && before.ends_with(b"\r") {
            self.seen += 1;
        }
    }

    /// Notes where markup starts. The tokenizer has read its `<` and a few bytes more.
    #[inline]
    fn start_markup(&mut self) {
        if T::ATTRIBUTES || T::WANTED {
            let read = self.source.get(..self.position).unwrap_or(self.source);
            self.markup_start = read.iter().rposition(|&byte| byte == b'<').unwrap_or(self.position);
        }
    }

    /// The syntax of the text that the tokenizer reads now.
    fn syntax(&self) -> Syntax {
        match self.is_in_section {
            true => Syntax::Section,
            false => self.page.syntax(),
        }
    }
}

impl<T: Trace> Emitter for &mut Extractor<'_, T> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start = Tag::of(name.unwrap_or_default());
    }

    fn emit_eof(&mut self) {}

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    #[inline]
    fn init_string(&mut self) {
        self.seen = self.position;
        self.is_in_section = false;
    }

    #[inline]
    fn emit_string(&mut self, text: &[u8]) {
        let origin = self.origin(text).within(self.syntax());
        self.page.text(text, origin);
    }

    #[inline]
    fn init_start_tag(&mut self) {
        self.start_markup();
        self.tag.start(false);
    }

    #[inline]
    fn init_end_tag(&mut self) {
        self.start_markup();
        self.tag.start(true);
    }

    fn init_comment(&mut self) {
        self.start_markup();
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.seen = self.position;
        if self.tag.is_end {
            self.page.end_tag(self.tag.name(), self.markup_start..self.position);
            return None;
        }
        self.tag.end_attribute();
        self.start_tag()
    }

    fn emit_current_comment(&mut self) {
        self.page.comment(self.markup_start..self.position);
    }

    fn emit_current_doctype(&mut self) {
        self.page.comment(self.markup_start..self.position);
    }

    fn set_self_closing(&mut self) {
        self.tag.is_self_closing = true;
    }

    fn set_force_quirks(&mut self) {}

    #[inline]
    fn push_tag_name(&mut self, piece: &[u8]) {
        self.tag.push_name(piece);
    }

    #[inline]
    fn push_comment(&mut self, _: &[u8]) {}

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {
        self.start_markup();
    }

    #[inline]
    fn init_attribute(&mut self) {
        self.tag.end_attribute();
    }

    #[inline]
    fn init_attribute_value(&mut self) {
        self.seen = self.position;
        let before = self.position.checked_sub(1).and_then(|at| self.source.get(at));
        self.tag.start_value(match before {
            Some(b'"' | b'\'') => Syntax::Quoted,
            _ => Syntax::Unquoted,
        });
    }

    #[inline]
    fn push_attribute_name(&mut self, piece: &[u8]) {
        self.tag.push_attribute(piece);
    }

    #[inline]
    fn push_attribute_value(&mut self, piece: &[u8]) {
        if self.tag.is_value_wanted() {
            let origin = self.origin(piece);
            self.tag.push_value(piece, origin);
        }
    }

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}

    #[inline]
    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.tag.is_end && self.tag.name().tag == self.last_start
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.page.is_foreign()
    }

    #[inline]
    fn move_position(&mut self, offset: isize) {
        self.position = self.position.saturating_add_signed(offset);
    }
}
