//! One line of a JSONL file: finds the values that matter, and replaces the text.
//!
//! Only the outline of the object is parsed, and every value stays a slice of the line. So everything that is not
//! replaced keeps its bytes: the order of keys, spaces, the digits of numbers, escapes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::find::source_by::SourceHints;
use crate::skipped::excerpt;
use crate::{Keys, ReadOptions, Reason};

/// The `line` with its document's text replaced by `new_text`. All other bytes are unchanged.
///
/// If HTML is written as text ([`HtmlView::Text`](crate::HtmlView::Text), [`HtmlView::Markdown`](crate::HtmlView::Markdown)), the cleaned document is no
/// longer HTML. Then the value of the HTML is replaced, and its key becomes the key of the text. Fails if the line is not a JSON object with a document.
///
/// ```
/// use dehusk_corpus::{ReadOptions, rewrite_line};
///
/// let line = r#"{"id": 1.50, "text": "Rain.\nRead more", "n":[1, 2]}"#;
/// let cleaned = rewrite_line(line, &ReadOptions::default(), "Rain.")?;
/// assert_eq!(cleaned, r#"{"id": 1.50, "text": "Rain.", "n":[1, 2]}"#);
/// # Ok::<(), dehusk_corpus::Reason>(())
/// ```
pub fn rewrite_line(line: &str, options: &ReadOptions, new_text: &str) -> Result<String, Reason> {
    let keys = &options.keys;
    let record = Record::parse(line, keys)?;
    let body = record.body(keys)?;
    if let Some(value) = body.replaced_alone(line, options) {
        return Ok(with_value(line, &value, new_text));
    }
    let (Body::Text(html) | Body::Html(html)) = body;
    let new_value = quoted(new_text);
    let edits = match record.text {
        // The line has a text key with the value null. A second text key would make the line invalid, so text and
        // HTML swap their values.
        Some(null) => vec![(null.value, new_value), (html.value, "null".to_owned())],
        None => vec![(html.key, quoted(&keys.text)), (html.value, new_value)],
    };
    Ok(replaced(line, edits))
}

/// The `line` with the string at `value` replaced by another one.
pub(crate) fn with_value(line: &str, value: &Range<usize>, new: &str) -> String {
    replaced(line, vec![(&line[value.clone()], quoted(new))])
}

/// The values that matter in a line.
#[derive(Debug, Default)]
pub(crate) struct Record<'a> {
    id: Option<Field<'a>>,
    source: Option<Field<'a>>,
    url: Option<Field<'a>>,
    text: Option<Field<'a>>,
    html: Option<Field<'a>>,
    duplicate: Option<&'a str>,
}

/// A key and its value as written in the line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    key: &'a str,
    value: &'a str,
}

/// The document in a line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body<'a> {
    Text(Field<'a>),
    Html(Field<'a>),
}

impl Body<'_> {
    /// The range of the string in its line, if nothing else changes when the document is rewritten.
    pub(crate) fn replaced_alone(&self, line: &str, options: &ReadOptions) -> Option<Range<usize>> {
        match self {
            Body::Html(_) if options.html.is_written_as_text() => None,
            Body::Text(field) | Body::Html(field) => Some(range_within(line, field.value)),
        }
    }
}

impl<'a> Record<'a> {
    pub(crate) fn parse(line: &'a str, keys: &Keys) -> Result<Record<'a>, Reason> {
        let json = line.strip_prefix('\u{feff}').unwrap_or(line).trim_ascii_end();
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let outline = Outline { keys };
        let record = outline.deserialize(&mut deserializer).and_then(|record| {
            deserializer.end()?;
            Ok(record)
        });
        let record = record.map_err(|error| json_reason(&error))?;
        match record.duplicate {
            Some(key) => Err(Reason::DuplicateKey(excerpt(key.trim_matches('"')))),
            None => Ok(record),
        }
    }

    /// Whether the line has a name, a source and a URL, in this order.
    pub(crate) fn has(&self) -> [bool; 3] {
        [self.id, self.source, self.url].map(|field| field.is_some())
    }

    /// The document's name, if it has one.
    pub(crate) fn id(&self, keys: &Keys) -> Result<Option<Cow<'a, str>>, Reason> {
        match self.id.and_then(present) {
            Some(id) if id.value.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) => {
                Ok(Some(Cow::Borrowed(id.value)))
            }
            Some(id) => string(id, &keys.id, "a string or a number").map(Some),
            None => Ok(None),
        }
    }

    /// The facts in the line that may name the source, as far as the rule needs them.
    pub(crate) fn known(&self, options: &ReadOptions) -> Result<SourceHints<'a>, Reason> {
        let (by, keys) = (&options.source_by, &options.keys);
        let source = self.source.and_then(present).filter(|_| by.asks_for_key());
        let url = self.url.and_then(present).filter(|_| source.is_none() && by.asks_for_url());
        Ok(SourceHints {
            source: source.map(|field| string(field, &keys.source, "a string")).transpose()?,
            url: url.map(|field| string(field, &keys.url, "a string")).transpose()?,
            ..SourceHints::default()
        })
    }

    /// The document's URL, if it has one.
    pub(crate) fn url(&self) -> Option<String> {
        let url = self.url.filter(|url| url.value.starts_with('"'))?;
        url.string().ok().map(Cow::into_owned)
    }

    /// The document: the text if there is one, else the HTML.
    pub(crate) fn body(&self, keys: &Keys) -> Result<Body<'a>, Reason> {
        let text = self.text.and_then(present).map(Body::Text);
        let html = self.html.and_then(present).map(Body::Html);
        let body = text.or(html).ok_or_else(|| no_text(keys))?;
        let (Body::Text(field) | Body::Html(field)) = body;
        if field.value.starts_with('"') { Ok(body) } else { Err(wrong_body_type(&body, keys)) }
    }

    fn slot(&mut self, key: &str, keys: &Keys) -> Option<&mut Option<Field<'a>>> {
        match key {
            _ if key == keys.text => Some(&mut self.text),
            _ if key == keys.html => Some(&mut self.html),
            _ if key == keys.id => Some(&mut self.id),
            _ if key == keys.source => Some(&mut self.source),
            _ if key == keys.url => Some(&mut self.url),
            _ => None,
        }
    }
}

impl<'a> Field<'a> {
    /// The value, which must be a string. It is borrowed from the line unless it contains escapes.
    pub(crate) fn string(self) -> Result<Cow<'a, str>, Reason> {
        // serde_json counts columns from the start of the value. So the message names the key instead.
        unquoted(self.value)
            .map_err(|error| Reason::NotJson(format!("{} in the value of {}", message(&error), self.key)))
    }
}

fn present(field: Field) -> Option<Field> {
    (field.value != "null").then_some(field)
}

fn string<'a>(field: Field<'a>, key: &str, expected: &'static str) -> Result<Cow<'a, str>, Reason> {
    if field.value.starts_with('"') { field.string() } else { Err(wrong_type(key, expected)) }
}

fn wrong_body_type(body: &Body, keys: &Keys) -> Reason {
    match body {
        Body::Text(_) => wrong_type(&keys.text, "a string"),
        Body::Html(_) => wrong_type(&keys.html, "a string"),
    }
}

fn wrong_type(key: &str, expected: &'static str) -> Reason {
    Reason::WrongType { key: key.to_owned(), expected }
}

fn no_text(keys: &Keys) -> Reason {
    Reason::NoText { text: keys.text.clone(), html: keys.html.clone() }
}

fn json_reason(error: &serde_json::Error) -> Reason {
    if error.is_data() {
        return Reason::NotAnObject;
    }
    // For serde_json, the line number is always 1. The line number in the file is in `Skipped`.
    Reason::NotJson(format!("{} at column {}", message(error), error.column()))
}

/// The message of an error, without the position.
fn message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or(&message).to_owned()
}

fn unquoted(value: &str) -> serde_json::Result<Cow<'_, str>> {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) if !inner.contains('\\') => Ok(Cow::Borrowed(inner)),
        _ => serde_json::from_str(value).map(Cow::Owned),
    }
}

fn quoted(text: &str) -> String {
    // This cannot fail: every text can be written as JSON.
    serde_json::to_string(text).unwrap_or_default()
}

/// The `line` with each slice in `edits` replaced by its new text.
fn replaced(line: &str, edits: Vec<(&str, String)>) -> String {
    let mut edits: Vec<_> = edits.into_iter().map(|(part, new)| (range_within(line, part), new)).collect();
    edits.sort_by_key(|(range, _)| range.start);
    let mut rewritten = String::with_capacity(line.len());
    let mut end = 0;
    for (range, new) in edits {
        rewritten.push_str(&line[end..range.start]);
        rewritten.push_str(&new);
        end = range.end;
    }
    rewritten.push_str(&line[end..]);
    rewritten
}

/// The range of `part` in `line`. `part` must be a slice of `line`.
fn range_within(line: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - line.as_ptr() as usize;
    start..start + part.len()
}

/// Parses the outline of an object with serde_json.
struct Outline<'k> {
    keys: &'k Keys,
}

impl<'de> DeserializeSeed<'de> for Outline<'_> {
    type Value = Record<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Record<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Outline<'_> {
    type Value = Record<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record<'de>, A::Error> {
        let mut record = Record::default();
        while let Some(key) = map.next_key::<&RawValue>()? {
            let key = key.get();
            let name = unquoted(key).ok();
            let Some(slot) = name.and_then(|name| record.slot(&name, self.keys)) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = map.next_value::<&RawValue>()?.get();
            if slot.replace(Field { key, value }).is_some() {
                record.duplicate = Some(key);
            }
        }
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::HtmlView;
    use crate::SourceBy;

    fn parsed(line: &str) -> Result<Record<'_>, Reason> {
        Record::parse(line, &Keys::default())
    }

    fn text_of(line: &str) -> Result<String, Reason> {
        let record = parsed(line)?;
        let (Body::Text(field) | Body::Html(field)) = record.body(&Keys::default())?;
        field.string().map(Cow::into_owned)
    }

    fn source_of(line: &str) -> Result<String, Reason> {
        let options = ReadOptions::default();
        let known = parsed(line)?.known(&options)?;
        options.source_by.name(known, &options.keys).map(Cow::into_owned)
    }

    fn id_of(line: &str) -> Result<Option<String>, Reason> {
        let record = parsed(line)?;
        Ok(record.id(&Keys::default())?.map(Cow::into_owned))
    }

    #[test]
    fn text_without_escapes_is_borrowed() {
        for (value, is_borrowed) in [(r#""größe""#, true), (r#""gr\u00f6\u00dfe""#, false)] {
            let line = format!(r#"{{"text":{value}}}"#);
            let Ok(Body::Text(field)) = parsed(&line).expect("a record").body(&Keys::default()) else {
                panic!("no text in {line}");
            };
            let text = field.string().expect("a string");
            assert_eq!(text, "größe");
            assert_eq!(matches!(text, Cow::Borrowed(_)), is_borrowed);
        }
    }

    #[test]
    fn text_comes_before_html_and_null_is_absent() {
        assert_eq!(text_of(r#"{"html": "h", "text": "t"}"#), Ok("t".to_owned()));
        assert_eq!(text_of(r#"{"html": "h", "text": null}"#), Ok("h".to_owned()));
        assert_eq!(text_of(r#"{"text": ""}"#), Ok(String::new()));
        assert_eq!(text_of(r#"{"te\u0078t": "t"}"#), Ok("t".to_owned()));
    }

    #[test]
    fn ids_are_strings_or_numbers() {
        assert_eq!(id_of(r#"{"id": "a/b"}"#), Ok(Some("a/b".to_owned())));
        assert_eq!(id_of(r#"{"id": -12.50e3}"#), Ok(Some("-12.50e3".to_owned())));
        assert_eq!(id_of(r#"{"id": null}"#), Ok(None));
        assert_eq!(id_of("{}"), Ok(None));
        assert!(matches!(id_of(r#"{"id": [1]}"#), Err(Reason::WrongType { .. })));
    }

    #[test]
    fn the_source_is_named_or_the_host_of_the_address() {
        let cases = [
            (r#"{"source": "A", "url": "https://b.org"}"#, "A"),
            (r#"{"source": null, "url": "https://WWW.Example.com:8080/a?b"}"#, "example.com"),
            (r#"{"url": "https:\/\/news.example.com\/a@b"}"#, "news.example.com"),
            (r#"{"source": "A", "url": 5}"#, "A"),
        ];
        for (line, source) in cases {
            assert_eq!(source_of(line), Ok(source.to_owned()), "{line}");
        }
    }

    #[test]
    fn what_the_rule_does_not_ask_for_may_be_anything() {
        let by =
            |rule: &str| ReadOptions { source_by: SourceBy::parse(rule).expect("a rule"), ..ReadOptions::default() };
        let record = parsed(r#"{"source": 5, "url": "https://b.org"}"#).expect("a record");
        assert!(matches!(record.known(&by("auto")), Err(Reason::WrongType { .. })));
        assert_eq!(record.known(&by("host")).expect("an address").url.as_deref(), Some("https://b.org"));
        assert!(record.known(&by("folder")).is_ok());
    }

    #[test]
    fn lines_that_are_no_documents_say_why() {
        let message = |line: &str| text_of(line).expect_err(line).to_string();
        assert_eq!(message("[1]"), "is not a JSON object");
        assert_eq!(message(r#""text""#), "is not a JSON object");
        assert_eq!(message(r#"{"text": "a""#), "is not valid JSON: EOF while parsing an object at column 12");
        assert!(message(r#"{"text": "a"} x"#).contains("trailing characters"));
        assert_eq!(message(r#"{"text": 5}"#), r#"the value of "text" is not a string"#);
        assert_eq!(message(r#"{"text": "a", "text": "b"}"#), r#"has the key "text" twice"#);
        assert!(message(r#"{"id": 5}"#).contains(r#"has neither "text" nor "html""#));
        assert!(message(r#"{"text": "\ud800"}"#).starts_with("is not valid JSON"));
    }

    #[test]
    fn other_keys_may_occur_twice_and_be_anything() {
        assert_eq!(text_of(r#"{"a": 1, "a": {"text": 2}, "\ud800": 3, "text": "t"}"#), Ok("t".to_owned()));
    }

    #[test]
    fn deep_nesting_does_no_harm() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(text_of(&format!(r#"{{"a": {deep}, "text": "t"}}"#)), Ok("t".to_owned()));
        assert!(text_of(&format!(r#"{{"text": {deep}}}"#)).is_err());
        assert!(text_of(&deep).is_err());
    }

    #[test]
    fn keys_can_be_chosen() {
        let keys = Keys { text: "body".to_owned(), ..Keys::default() };
        let record = Record::parse(r#"{"text": "t", "body": "b"}"#, &keys).expect("a record");
        assert!(matches!(record.body(&keys), Ok(Body::Text(field)) if field.value == r#""b""#));
    }

    fn rewritten(line: &str, html: HtmlView) -> String {
        let options = ReadOptions { html, ..ReadOptions::default() };
        rewrite_line(line, &options, "new \"text\"").expect(line)
    }

    #[test]
    fn html_becomes_text() {
        let line = "\u{feff}{ \"n\": 1.0e+2 , \"html\" :\"<p>\" }\r\n";
        assert_eq!(rewritten(line, HtmlView::Text), "\u{feff}{ \"n\": 1.0e+2 , \"text\" :\"new \\\"text\\\"\" }\r\n");
        assert_eq!(rewritten(line, HtmlView::Markup), "\u{feff}{ \"n\": 1.0e+2 , \"html\" :\"new \\\"text\\\"\" }\r\n");
    }

    #[test]
    fn html_beside_an_empty_text_takes_its_place() {
        for line in [r#"{"text":null,"html":"<p>"}"#, r#"{"html":"<p>","text":null}"#] {
            let rewritten = rewritten(line, HtmlView::Text);
            assert_eq!(text_of(&rewritten), Ok("new \"text\"".to_owned()));
            assert!(rewritten.contains(r#""html":null"#));
        }
    }

    proptest! {
        #[test]
        fn rewriting_leaves_all_else(
            before in r#"("a[0-9]":[ ]?(-?[1-9][0-9]{0,30}\.[0-9]{1,30}|"[a-zé]*"|null|\[1, 2\]) ,){0,3}"#,
            after in r#"(, "b[0-9]" : (true|\{"text": 1\}|1e5|"\\u00e9")){0,3}"#,
            old in any::<String>(),
            new in any::<String>(),
        ) {
            let (head, tail) = (format!("{{{before} \"text\" : "), format!("{after} }}\n"));
            let line = format!("{head}{}{tail}", quoted(&old));
            let rewritten = rewrite_line(&line, &ReadOptions::default(), &new).expect("a record");
            prop_assert_eq!(&rewritten, &format!("{head}{}{tail}", quoted(&new)));
            prop_assert_eq!(text_of(&rewritten), Ok(new));
        }
    }
}
