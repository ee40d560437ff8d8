//! A tag while the tokenizer reads it.
//!
//! Keeps only the attributes that affect the visibility of an element or its text.

use std::iter;

use super::look::Look;
use super::map::Origin;
use super::stack::Name;
use super::syntax::Syntax;
use super::tags::Tag;
use super::tree::Attribute;

/// The tag being read.
#[derive(Debug, Default)]
pub(super) struct PendingTag {
    pub(super) is_end: bool,
    pub(super) is_self_closing: bool,
    name: Spelling,
    /// The name of the attribute being read.
    attribute: Spelling,
    /// The value of this attribute, if it matters.
    value: Label,
    value_syntax: Syntax,
    is_value_wanted: bool,
    /// The attributes read before this one.
    attributes: Attributes,
    /// Whether attributes are kept.
    is_keeping: bool,
    kept: Kept,
}

/// The attributes of a start tag that a tree has.
#[derive(Debug, Default)]
pub struct Kept {
    /// The values, one after the other.
    values: Vec<u8>,
    /// Each attribute and the end of its value.
    ends: Vec<(Attribute, usize)>,
}

impl Kept {
    /// The attributes with their values. Of several with the same name, the first counts.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (Attribute, &[u8])> {
        let starts = iter::once(0).chain(self.ends.iter().map(|&(_, end)| end));
        starts.zip(&self.ends).map(|(start, &(attribute, end))| (attribute, &self.values[start..end]))
    }

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

/// The attributes that matter.
#[derive(Debug, Default)]
struct Attributes {
    is_hidden: bool,
    style: Option<Look>,
    is_button: Option<bool>,
    label: Option<Label>,
    is_shadow_root: bool,
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
    /// A tag whose attributes are kept, or only those that affect visibility.
    pub(super) fn keeping(is_keeping: bool) -> PendingTag {
        PendingTag { is_keeping, ..PendingTag::default() }
    }

    /// Keeps the name of an element that HTML does not define.
    pub(super) fn keep_name(&mut self) {
        if self.is_keeping && self.name().tag == Tag::Other {
            self.kept.add(Attribute::Element, self.name.bytes());
        }
    }

    /// The attributes of the start tag that a tree has.
    pub(super) fn kept(&self) -> &Kept {
        &self.kept
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

    /// The visibility of the element by its attributes.
    pub(super) fn look(&self) -> Look {
        match self.attributes.is_hidden {
            true => Look::Gone,
            false => self.attributes.style.unwrap_or_default(),
        }
    }

    /// Whether the element is a template whose content is visible.
    pub(super) fn is_shadow_root(&self) -> bool {
        self.attributes.is_shadow_root
    }

    /// The label, if the tag is a visible button.
    pub(super) fn take_button_label(&mut self) -> Option<Label> {
        let is_seen = self.look() == Look::Shown;
        let label = self.attributes.label.take();
        label.filter(|_| is_seen && self.attributes.is_button == Some(true))
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
        let is_input = self.name.bytes() == b"input";
        self.is_value_wanted = match self.attribute.bytes() {
            b"style" => true,
            b"type" | b"value" => is_input,
            _ => false,
        };
        self.is_value_wanted |= self.is_keeping && Attribute::of(self.attribute.bytes()).is_some();
        self.value.text.clear();
        self.value.pieces.clear();
        self.value_syntax = syntax;
    }

    /// Whether the value of the attribute matters.
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
        let attributes = &mut self.attributes;
        let is_value_wanted = std::mem::take(&mut self.is_value_wanted);
        if self.is_keeping
            && let Some(attribute) = Attribute::of(self.attribute.bytes())
        {
            let value = if is_value_wanted { &*self.value.text } else { b"" };
            self.kept.add(attribute, value);
        }
        let is_value_wanted = is_value_wanted && (self.name.bytes() == b"input" || self.attribute.bytes() == b"style");
        match self.attribute.bytes() {
            b"hidden" => attributes.is_hidden = true,
            b"shadowrootmode" => attributes.is_shadow_root = true,
            b"style" if is_value_wanted => {
                attributes.style.get_or_insert(Look::of_style(&self.value.text));
            }
            b"type" if is_value_wanted => {
                attributes.is_button.get_or_insert(is_button(&self.value.text));
            }
            b"value" if is_value_wanted => {
                attributes.label.get_or_insert_with(|| std::mem::take(&mut self.value));
            }
            _ => {}
        }
        self.attribute.len = 0;
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

/// Whether an `<input>` of this type shows its value as a label.
fn is_button(kind: &[u8]) -> bool {
    let kinds: [&[u8]; 3] = [b"submit", b"button", b"reset"];
    kinds.iter().any(|button| kind.eq_ignore_ascii_case(button))
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
        let label = tag("input", attributes).take_button_label()?;
        String::from_utf8(label.text).ok()
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
        assert_eq!(label(&[("value", "a"), ("type", "reset"), ("hidden", "")]), None);
        assert!(tag("li", &[("type", "reset"), ("value", "a")]).take_button_label().is_none());
    }

    #[test]
    fn names_may_be_of_any_length() {
        let long = "p".repeat(100);
        assert_eq!(tag(&long, &[(&long, &long)]).name(), tag(&long, &[]).name());
        assert_ne!(tag(&long, &[]).name(), tag(&long[1..], &[]).name());
    }
}
