//! Recognises the keys of a file of JSON or the columns of a table by their values.
//!
//! Takes the first records of a file. If none of them has the usual keys, the key with the longest texts holds the document,
//! and the first key whose values are all web addresses holds its URL. A key that the user named is never replaced.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};

use serde_json::{Map, Value};

use crate::formats::csv::{self, Header};
use crate::read::compression::{Input, decompressed};
use crate::read::division::{Divider, Division, joint};
use crate::{FileKind, InputFile, Keys};

/// Number of records that are looked at.
const RECORDS: usize = 20;
/// Maximum number of bytes in which these records are looked for.
const BYTES: u64 = 16_000_000;

/// The keys of the documents in `file`, and what was recognised in words. `None` if the keys are the usual ones.
pub(crate) fn recognised(file: &InputFile, keys: &Keys) -> Option<(Keys, String)> {
    let (_, input) = decompressed(Box::new(file.open().ok()?)).ok()?;
    of_records(&first_records(input, file.kind(), keys)?, keys)
}

/// The first records of a file of this kind, with the values of their keys.
fn first_records(input: Input, kind: FileKind, keys: &Keys) -> Option<Vec<Map<String, Value>>> {
    let mut input = BufReader::new(input.take(BYTES));
    Some(match kind {
        FileKind::Csv => {
            let header = Header::of(&csv::first_row(&mut input, BYTES).ok()?, keys).ok()?;
            let rows = records(input, header.division(), |row| !row.is_empty());
            let named = rows.iter().map(|row| header.named(row));
            named.map(|row| row.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()).collect()
        }
        FileKind::Json => {
            let values = records(input, Division::Values, |value| value.starts_with('{'));
            values.iter().filter_map(|value| serde_json::from_str(value).ok()).collect()
        }
        _ => {
            let lines = records(input, Division::Lines, |line| !line.is_empty());
            lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
        }
    })
}

/// The first records that count, without what stands around their values.
fn records(mut input: impl BufRead, division: Division, counts: impl Fn(&str) -> bool) -> Vec<String> {
    let (mut divider, mut records, mut record) = (Divider::new(division), Vec::new(), Vec::new());
    while records.len() < RECORDS {
        let Ok(bytes) = input.fill_buf() else { break };
        let is_over = bytes.is_empty();
        let end = divider.end(bytes);
        let taken = end.unwrap_or(bytes.len());
        record.extend_from_slice(&bytes[..taken]);
        input.consume(taken);
        if end.is_some() || is_over {
            let before = if division == Division::Values { joint(&record).len() } else { 0 };
            let value = str::from_utf8(&record[before..]).unwrap_or_default();
            let value = value.trim_start_matches('\u{feff}').trim();
            if counts(value) {
                records.push(value.to_owned());
            }
            record.clear();
        }
        if is_over {
            break;
        }
    }
    records
}

fn of_records(records: &[Map<String, Value>], keys: &Keys) -> Option<(Keys, String)> {
    let usual = Keys::default();
    let has = |key: &str| records.iter().any(|record| record.get(key).is_some_and(|value| !value.is_null()));
    let mut new = keys.clone();
    let mut told = Vec::new();
    if [&keys.text, &keys.html] == [&usual.text, &usual.html] && !has(&usual.text) && !has(&usual.html) {
        let found = longest_text(records)?;
        let is_page = strings(records, found).all(|text| text.trim_start().starts_with('<'));
        told.push(format!("the {} in {found:?}", if is_page { "page is" } else { "text is" }));
        found.clone_into(if is_page { &mut new.html } else { &mut new.text });
    }
    let may_name_url = keys.url == usual.url && !has(&keys.url) && !has(&keys.source);
    if let Some(found) = first_address(records).filter(|_| may_name_url) {
        told.push(format!("its address in {found:?}"));
        found.clone_into(&mut new.url);
    }
    (!told.is_empty()).then(|| (new, told.join(", ")))
}

fn strings<'r>(records: &'r [Map<String, Value>], key: &str) -> impl Iterator<Item = &'r str> {
    records.iter().filter_map(move |record| record.get(key)?.as_str())
}

/// The key whose texts of several words are the longest ones in sum. Of two, the one that comes first in the alphabet.
fn longest_text(records: &[Map<String, Value>]) -> Option<&str> {
    let mut lengths: HashMap<&str, usize> = HashMap::new();
    for (key, value) in records.iter().flatten() {
        let text = value.as_str().filter(|text| text.contains(char::is_whitespace));
        *lengths.entry(key).or_default() += text.map_or(0, str::len);
    }
    let longest = lengths.into_iter().filter(|(_, length)| *length > 0);
    longest.max_by(|(a, x), (b, y)| x.cmp(y).then(b.cmp(a))).map(|(key, _)| key)
}

/// The first key whose values are web addresses in all records.
fn first_address(records: &[Map<String, Value>]) -> Option<&str> {
    let is_address = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str).unwrap_or_default();
        (text.starts_with("https://") || text.starts_with("http://")) && !text.contains(char::is_whitespace)
    };
    let is_in_all = |key: &&String| records.iter().all(|record| is_address(record.get(*key)));
    records.first()?.keys().find(is_in_all).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str], keys: &Keys) -> Option<([String; 3], String)> {
        let records: Vec<Map<String, Value>> =
            lines.iter().map(|line| serde_json::from_str(line).expect("an object")).collect();
        of_records(&records, keys).map(|(keys, told)| ([keys.text, keys.html, keys.url], told))
    }

    fn keys(text: &str, html: &str, url: &str) -> [String; 3] {
        [text, html, url].map(str::to_owned)
    }

    #[test]
    fn keys_are_recognised_by_their_values() {
        let lines = [
            r#"{"n": 1, "title": "Rain again", "body": "It rained all day, and all night.", "link": "https://a.example/1"}"#,
            r#"{"n": 2, "title": "A long title of a short story", "body": "No rain. None at all.", "link": "http://b.example/2"}"#,
        ];
        let found = told(&lines, &Keys::default());
        assert_eq!(
            found,
            Some((keys("body", "html", "link"), r#"the text is in "body", its address in "link""#.to_owned()))
        );
        let page = r#"{"content": "<html> <p>Rain</p>", "uri": "a b"}"#;
        assert_eq!(
            told(&[page], &Keys::default()),
            Some((keys("text", "content", "url"), r#"the page is in "content""#.to_owned()))
        );
    }

    #[test]
    fn tables_and_arrays_have_keys_too() {
        let line = r#"{"n": 1, "body": "It rained, all day.", "link": "https://a.example/1"}"#;
        let array = format!("[\n{line}, 5,\n{line}]");
        let table = "n;body;link\n1;\"It rained, all day.\";https://a.example/1\n".to_owned();
        for (kind, text) in [
            (FileKind::JsonLines, format!("\u{feff}{line}\n\n{line}")),
            (FileKind::Json, array),
            (FileKind::Csv, table),
        ] {
            let records = first_records(Box::new(std::io::Cursor::new(text)), kind, &Keys::default()).expect("records");
            let found = of_records(&records, &Keys::default()).map(|(keys, _)| [keys.text, keys.html, keys.url]);
            assert_eq!(found, Some(keys("body", "html", "link")), "{kind:?}");
        }
    }

    #[test]
    fn usual_and_named_keys_are_not_replaced() {
        let usual = r#"{"text": "It rained.", "more": "It rained for a long time.", "url": "https://a.example"}"#;
        assert_eq!(told(&[usual], &Keys::default()), None);
        let other = r#"{"body": "It rained.", "link": "https://a.example/1"}"#;
        assert_eq!(told(&[other], &Keys::default().text("t".to_owned()).url("u".to_owned())), None);
        let of_source = r#"{"text": "It rained.", "source": "s", "link": "https://a.example/1"}"#;
        assert_eq!(told(&[of_source], &Keys::default()), None, "the source is named already");
        assert_eq!(told(&[r#"{"n": 1}"#], &Keys::default()), None);
        assert_eq!(told(&[], &Keys::default()), None);
    }
}
