//! A new text and a line: the line is refused, or rewritten into JSON that says the same but for its text, as written.

#![no_main]

use std::fmt;

use dehusk_corpus::{HtmlView, ReadOptions, rewrite_line};
use libfuzzer_sys::fuzz_target;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

// The first line is the new text, the others are the line.
fuzz_target!(|input: &str| {
    let (new_text, line) = input.split_once('\n').unwrap_or(("", input));
    check(line, new_text, HtmlView::Text);
    check(line, new_text, HtmlView::Markup);
});

fn check(line: &str, new_text: &str, html: HtmlView) {
    let options = ReadOptions::default().html(html);
    let Ok(rewritten) = rewrite_line(line, &options, new_text) else { return };
    let before = fields(line).expect("what is rewritten is an object");
    let after = fields(&rewritten).unwrap_or_else(|error| panic!("{rewritten}: {error}"));
    assert_eq!(before.len(), after.len(), "{rewritten}");
    let changed: Vec<_> = before.iter().zip(&after).filter(|(before, after)| before != after).collect();
    assert!(changed.len() <= 2, "{changed:?}");
    for ((key, _), (new_key, value)) in &changed {
        let is_of_document = |key: &str| ["text", "html"].contains(&name(key).as_str());
        assert!(is_of_document(key) && is_of_document(new_key), "{key} became {new_key}");
        assert!(value == "null" || name(value) == new_text, "{value}");
    }
    let texts = || after.iter().filter(|(key, value)| value.starts_with('"') && is_text(key, html));
    assert!(texts().any(|(_, value)| name(value) == new_text), "{rewritten} does not say {new_text:?}");
    let again = rewrite_line(&rewritten, &options, new_text).expect("it was rewritten before");
    assert_eq!(again, rewritten, "reading it gives another text");
    let other = |line: &str| rewrite_line(line, &options, "another").ok();
    assert_eq!(other(&rewritten), other(line), "it was changed beside its text");
}

fn is_text(key: &str, html: HtmlView) -> bool {
    name(key) == "text" || (html == HtmlView::Markup && name(key) == "html")
}

/// What a JSON string says; nothing if it has half a character in it.
fn name(string: &str) -> String {
    serde_json::from_str(string).unwrap_or_default()
}

/// Keys and values of an object, as they are written.
fn fields(line: &str) -> serde_json::Result<Vec<(String, String)>> {
    let json = line.strip_prefix('\u{feff}').unwrap_or(line).trim_ascii_end();
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let fields = deserializer.deserialize_map(Fields)?;
    deserializer.end()?;
    Ok(fields)
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, String)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            fields.push((key.get().to_owned(), value.get().to_owned()));
        }
        Ok(fields)
    }
}
