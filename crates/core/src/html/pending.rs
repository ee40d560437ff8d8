//! A tag while the tokenizer reads it.
//!
//! Keeps the attributes that affect the visibility of an element or its text and, if a tree is built, those of the
//! tree.

use std::iter;

use super::look::Look;
use super::map::Origin;
use super::stack::Name;
use super::syntax::Syntax;
use super::tree::Attribute;
use super::{AltText, Reading};

/// The tag being read.
#[derive(Debug, Default)]
pub(super) struct PendingTag {
    pub(super) is_end: bool,
    pub(super) is_self_closing: bool,
    name: Spelling,
    /// The name of the attribute being read.
    attribute: Spelling,
    /// The value of this attribute, if it is wanted.
    value: Label,
    value_syntax: Syntax,
    is_value_wanted: bool,
    /// The attributes that were read before this one.
    attributes: Attributes,
    /// Whether a tree wants attributes.
    is_keeping: bool,
    /// How the page is read. If no script runs, `hidden` elements count as shown.
    reading: Reading,
    kept: Kept,
}

/// The attributes of a start tag that a tree wants. Of several with the same name, the first counts.
#[derive(Debug, Default)]
struct Kept {
    /// The values, one after the other.
    values: Vec<u8>,
    /// Each attribute and the end of its value.
    ends: Vec<(Attribute, usize)>,
}

impl Kept {
    fn add(&mut self, attribute: Attribute, value: &[u8]) {
        if !self.ends.iter().any(|&(kept, _)| kept == attribute) {
            self.values.extend_from_slice(value);
            self.ends.push((attribute, self.values.len()));
        }
    }

    fn clear(&mut self) {
        self.values.clear();
        self.ends.clear();
    }
}

/// The attributes that affect visibility and text.
#[derive(Debug, Default)]
struct Attributes {
    is_hidden: bool,
    style: Option<Look>,
    field: Option<Field>,
    label: Option<Label>,
    /// The `alt` text of a picture, if such texts are shown.
    alt_text: Option<Vec<u8>>,
    is_shadow_root: bool,
    /// The value of `<html lang>` or of `<time datetime>`.
    fact: Option<Vec<u8>>,
}

/// What an `<input>` shows, by its `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// A button with its value as label.
    Button,
    /// Nothing.
    Hidden,
    /// A field to fill in or to choose.
    Other,
}

/// The text on an `<input>` button.
#[derive(Debug, Default)]
pub(super) struct Label {
    text: Vec<u8>,
    /// The end of each piece of the text, and its origin.
    pieces: Vec<(usize, Origin)>,
}

impl Label {
    /// The pieces of the text and their origins.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (&[u8], Origin)> {
        let starts = iter::once(0).chain(self.pieces.iter().map(|&(end, _)| end));
        starts.zip(&self.pieces).map(|(start, (end, origin))| (&self.text[start..*end], origin.clone()))
    }
}

/// The start of a name. The names that matter fit completely.
#[derive(Debug, Default)]
struct Spelling {
    bytes: [u8; 24],
    len: usize,
}

impl PendingTag {
    /// A tag that keeps all attributes that a tree wants, or only those that affect visibility and text.
    pub(super) fn new(is_keeping: bool, reading: Reading) -> PendingTag {
        PendingTag { is_keeping, reading, ..PendingTag::default() }
    }

    /// Starts a new tag.
    pub(super) fn start(&mut self, is_end: bool) {
        self.kept.clear();
        self.is_end = is_end;
        self.is_self_closing = false;
        self.name.len = 0;
        self.attribute.len = 0;
        self.attributes = Attributes::default();
    }

    /// The name of the tag.
    pub(super) fn name(&self) -> Name {
        Name::new(self.name.bytes(), self.name.len)
    }

    /// The name in lower case, as far as it is kept.
    pub(super) fn spelling(&self) -> &[u8] {
        self.name.bytes()
    }

    /// The attributes that a tree wants, with their values.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (Attribute, &[u8])> {
        let Kept { values, ends } = &self.kept;
        let starts = iter::once(0).chain(ends.iter().map(|&(_, end)| end));
        starts.zip(ends).map(|(start, &(attribute, end))| (attribute, &values[start..end]))
    }

    /// The visibility of the element by its attributes.
    pub(super) fn look(&self) -> Look {
        match (self.attributes.style.unwrap_or_default(), self.reading.without_scripts) {
            // A blank element already has its place on the page, so a script probably shows it later.
            (Look::Blank, true) => Look::Shown,
            (_, false) if self.attributes.is_hidden => Look::Gone,
            (look, _) => look,
        }
    }

    /// Whether the element is a template whose content is visible.
    pub(super) fn is_shadow_root(&self) -> bool {
        self.attributes.is_shadow_root
    }

    /// The label, if the tag is a button that has one.
    pub(super) fn button_label(&self) -> Option<&Label> {
        let is_button = self.attributes.field == Some(Field::Button);
        self.attributes.label.as_ref().filter(|_| is_button)
    }

    /// The `alt` text, if the tag is a picture and such texts are shown.
    pub(super) fn alt_text(&self) -> Option<&[u8]> {
        self.attributes.alt_text.as_deref()
    }

    /// The language, if the tag is `<html>`, or the date, if it is `<time>`.
    pub(super) fn fact(&self) -> Option<&[u8]> {
        self.attributes.fact.as_deref()
    }

    /// Whether the tag is a field that nobody sees.
    pub(super) fn is_hidden_field(&self) -> bool {
        self.attributes.field == Some(Field::Hidden)
    }

    /// Adds to the name of the tag.
    pub(super) fn push_name(&mut self, piece: &[u8]) {
        self.name.push(piece);
    }

    /// Adds to the name of the attribute.
    pub(super) fn push_attribute(&mut self, piece: &[u8]) {
        self.attribute.push(piece);
    }

    /// Starts the value of the attribute. `syntax` says how it is written.
    pub(super) fn start_value(&mut self, syntax: Syntax) {
        self.is_value_wanted = match self.attribute.bytes() {
            b"style" => true,
            b"type" | b"value" if self.is_input() => true,
            b"alt" if self.shows_alt_text() => true,
            b"lang" | b"datetime" => self.is_fact(),
            name => self.is_keeping && Attribute::of(name).is_some(),
        };
        self.value.text.clear();
        self.value.pieces.clear();
        self.value_syntax = syntax;
    }

    /// Whether the value of the attribute is wanted.
    pub(super) fn is_value_wanted(&self) -> bool {
        self.is_value_wanted
    }

    /// Adds to the value of the attribute.
    pub(super) fn push_value(&mut self, piece: &[u8], origin: Origin) {
        self.value.text.extend_from_slice(piece);
        self.value.pieces.push((self.value.text.len(), origin.within(self.value_syntax)));
    }

    /// Ends the attribute and keeps its value. Of several attributes with the same name, the first counts.
    pub(super) fn end_attribute(&mut self) {
        let has_value = std::mem::take(&mut self.is_value_wanted);
        let (is_input, shows_alt_text) = (self.is_input(), self.shows_alt_text());
        let is_fact = has_value && self.is_fact();
        if self.is_keeping
            && let Some(attribute) = Attribute::of(self.attribute.bytes())
        {
            self.kept.add(attribute, if has_value { &self.value.text } else { b"" });
        }

        let attributes = &mut self.attributes;
        match self.attribute.bytes() {
            b"hidden" => attributes.is_hidden = true,
            b"shadowrootmode" => attributes.is_shadow_root = true,
            b"style" if has_value => {
                attributes.style.get_or_insert(Look::of_style(&self.value.text));
            }
            b"type" if has_value && is_input => {
                attributes.field.get_or_insert(Field::of(&self.value.text));
            }
            b"value" if has_value && is_input => {
                attributes.label.get_or_insert_with(|| std::mem::take(&mut self.value));
            }
            _ if is_fact => {
                attributes.fact.get_or_insert_with(|| std::mem::take(&mut self.value.text));
            }
            b"alt" if shows_alt_text => {
                let text = if has_value { std::mem::take(&mut self.value.text) } else { Vec::new() };
                attributes.alt_text.get_or_insert(text);
            }
            _ => {}
        }
        self.attribute.len = 0;
    }

    /// Whether the tag is a picture whose `alt` text is shown. Browsers take `<image>` for `<img>`.
    fn shows_alt_text(&self) -> bool {
        self.reading.alt_text == AltText::Shown && matches!(self.name.bytes(), b"img" | b"image")
    }

    /// Whether the attribute is `<html lang>` or `<time datetime>`, and is wanted.
    fn is_fact(&self) -> bool {
        match self.attribute.bytes() {
            b"lang" => self.is_keeping && self.name.bytes() == b"html",
            b"datetime" => self.is_keeping && self.name.bytes() == b"time",
            _ => false,
        }
    }

    fn is_input(&self) -> bool {
        self.name.bytes() == b"input"
    }
}

impl Spelling {
    fn push(&mut self, piece: &[u8]) {
        let room = self.bytes.get_mut(self.len..).unwrap_or_default();
        let fitting = piece.len().min(room.len());
        room[..fitting].copy_from_slice(&piece[..fitting]);
        self.len += piece.len();
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len.min(self.bytes.len())]
    }
}

impl Field {
    /// The field that a `type` makes.
    fn of(kind: &[u8]) -> Field {
        let buttons: [&[u8]; 3] = [b"submit", b"button", b"reset"];
        if buttons.iter().any(|button| kind.eq_ignore_ascii_case(button)) {
            Field::Button
        } else if kind.eq_ignore_ascii_case(b"hidden") {
            Field::Hidden
        } else {
            Field::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(name: &str, attributes: &[(&str, &str)]) -> PendingTag {
        let mut tag = PendingTag::default();
        tag.start(false);
        tag.push_name(name.as_bytes());
        for (name, value) in attributes {
            tag.push_attribute(name.as_bytes());
            tag.start_value(Syntax::Quoted);
            tag.push_value(value.as_bytes(), Origin::verbatim(0));
            tag.end_attribute();
        }
        tag
    }

    fn label(attributes: &[(&str, &str)]) -> Option<String> {
        let tag = tag("input", attributes);
        String::from_utf8(tag.button_label()?.text.clone()).ok()
    }

    #[test]
    fn the_first_of_a_name_counts() {
        let twice = [("style", "display:none"), ("style", "")];
        assert_eq!(tag("p", &twice).look(), Look::Gone);
        let twice = [("type", "submit"), ("value", "a"), ("type", ""), ("value", "b")];
        assert_eq!(label(&twice).as_deref(), Some("a"));
    }

    #[test]
    fn only_buttons_have_labels() {
        assert_eq!(label(&[("value", "a"), ("type", "text")]), None);
        assert_eq!(label(&[("value", "a"), ("type", "reset")]).as_deref(), Some("a"));
        assert!(tag("li", &[("type", "reset"), ("value", "a")]).button_label().is_none());
    }

    #[test]
    fn names_may_be_of_any_length() {
        let long = "p".repeat(100);
        assert_eq!(tag(&long, &[(&long, &long)]).name(), tag(&long, &[]).name());
        assert_ne!(tag(&long, &[]).name(), tag(&long[1..], &[]).name());
    }
}
