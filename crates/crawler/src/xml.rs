//! XML as it is found: in the wrong encoding, with bare `&`, with the named characters of HTML.

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use quick_xml::Reader;
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// The text of a document. Bytes that are valid UTF-8 are read as UTF-8, whatever encoding the document declares.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let encoding = match bytes {
        [b'<', 0, ..] => UTF_16LE,
        [0, b'<', ..] => UTF_16BE,
        _ => match declared(bytes) {
            Some(encoding) if encoding == ISO_2022_JP || str::from_utf8(bytes).is_err() => encoding,
            _ => UTF_8,
        },
    };
    encoding.decode(bytes).0 // a byte order mark counts more
}

/// The encoding that an XML declaration names, if the declaration itself can be read in it.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(256)];
    let head = String::from_utf8_lossy(head);
    let declaration = head.trim_start().strip_prefix("<?xml")?.split('>').next()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let label = value.trim_start_matches(['"', '\'']).split(['"', '\'']).next()?;
    Encoding::for_label_no_replacement(label.as_bytes()).filter(|&encoding| encoding.output_encoding() == encoding)
}

/// A reader that continues after a bare `&`, and that reads an empty element as a start and an end.
pub(crate) fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    reader.config_mut().expand_empty_elements = true;
    reader
}

/// Adds the text of an event. References to declared entities are not resolved: they are added as they are written.
pub(crate) fn push_text(event: &Event, text: &mut String) {
    match event {
        Event::Text(part) => text.push_str(&part.xml10_content()),
        Event::CData(part) => text.push_str(&part.xml10_content()),
        Event::GeneralRef(reference) => push_reference(reference, text),
        _ => {}
    }
}

fn push_reference(reference: &BytesRef, text: &mut String) {
    let name = reference.xml10_content();
    match (reference.resolve_char_ref(), resolve_html5_entity(&name)) {
        (Ok(Some(char)), _) => text.push(char),
        (Ok(None), Some(characters)) => text.push_str(characters),
        _ => text.extend(["&", &name, ";"]),
    }
}

/// The value of an attribute.
pub(crate) fn attribute(tag: &BytesStart, name: &str) -> Option<String> {
    let found = tag.attributes().with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name)?;
    let value: &str = &found.value;
    let unescaped = quick_xml::escape::unescape_with(value, resolve_html5_entity);
    Some(unescaped.unwrap_or(Cow::Borrowed(value)).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(xml: &str) -> String {
        let mut reader = reader(xml);
        let mut text = String::new();
        loop {
            match reader.read_event() {
                Ok(Event::Eof) => return text,
                Ok(event) => push_text(&event, &mut text),
                Err(error) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn text_of_all_kinds() {
        assert_eq!(text("<a>b &lt;&#233;&#x41;&eacute;&nbsp;<![CDATA[<c> &amp;]]></a>"), "b <éAé\u{a0}<c> &amp;");
        assert_eq!(text("<a>b & c &unknown; &#xFFFFFFFF; R&D</a>"), "b & c &unknown; &#xFFFFFFFF; R&D");
        let bomb = "<!DOCTYPE a [<!ENTITY a \"xx\"><!ENTITY b \"&a;&a;\">]><a>&b;</a>";
        assert_eq!(text(bomb), "&b;");
    }

    #[test]
    fn encodings() {
        let xml = |encoding: &str| format!("<?xml version='1.0' encoding='{encoding}'?><a>é</a>");
        let (latin, ..) = encoding_rs::WINDOWS_1252.encode("é");
        let in_latin = |encoding: &str| {
            xml(encoding).replace('é', "").replace("</a>", "").into_bytes().into_iter().chain(latin.to_vec())
        };
        let read = |bytes: Vec<u8>| decoded(&bytes).ends_with('é') || decoded(&bytes).contains("<a>é");
        assert!(read(in_latin("ISO-8859-1").collect()));
        assert!(read(xml("ISO-8859-1").into_bytes()), "it is UTF-8");
        assert!(read(xml("UTF-16").into_bytes()), "it is no UTF-16");
        assert!(!read(in_latin("UTF-8").collect()));
        let utf16: Vec<u8> = xml("UTF-16").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(read(utf16.clone()));
        assert!(read([b"\xFF\xFE".to_vec(), utf16].concat()));
        assert!(read(xml("UTF-16").encode_utf16().flat_map(u16::to_be_bytes).collect()));
    }

    #[test]
    fn attributes() {
        let value = |tag: &str, name: &str| attribute(&BytesStart::from_content(tag, 1), name);
        assert_eq!(value("a b='1&amp;2' c=\"&eacute;\"", "b").as_deref(), Some("1&2"));
        assert_eq!(value("a b='1&amp;2' c=\"&eacute;\"", "c").as_deref(), Some("é"));
        assert_eq!(value("a b='x?y=1&z=2'", "b").as_deref(), Some("x?y=1&z=2"));
        assert_eq!(value("a b", "b"), None);
    }
}
