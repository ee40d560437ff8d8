//! Recognises the keys of a file of JSON or the columns of a table by their values.
//!
//! Takes the first records of a file. If none of them has the usual keys, the key with the longest texts holds the document,
//! and the first key whose values are all web addresses holds its URL. A key that the user named is never replaced.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Cursor, Read};

use serde_json::{Map, Value};

use crate::formats::csv::{self, Header};
use crate::formats::records::{first_byte, kind_of};
use crate::read::compression::{Input, decompressed};
use crate::read::division::{Divider, Division, joint};
use crate::read::stdin::Stdin;
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

/// The keys of the documents on standard input, as [`recognised`]. Waits for no more than the first documents.
pub(crate) fn recognised_on(stdin: &Stdin, keys: &Keys) -> Option<(Keys, String)> {
    let mut records = None;
    stdin.look(|start| {
        records = records_at_start(start, keys);
        records.is_some() || start.len() as u64 >= BYTES
    });
    of_records(&records?, keys)
}

/// The first records of input that begins with these bytes. `None` if more bytes are needed. Nothing if its documents have
/// no keys, or if it is broken. A table needs no column of the keys, but then each row must have the columns of the header,
/// and more than one.
fn records_at_start(start: &[u8], keys: &Keys) -> Option<Vec<Map<String, Value>>> {
    let mut text = Vec::new();
    let (_, input) = decompressed(Box::new(Cursor::new(start.to_vec()))).ok()?;
    // Compressed input that goes on breaks off here.
    let _ = input.take(BYTES).read_to_end(&mut text);
    let kind = match (kind_of(&text, keys), first_byte(&text)?) {
        (FileKind::JsonLines, byte) if byte != b'{' => FileKind::Csv,
        (kind, _) => kind,
    };
    let whole_lines = text.trim_ascii_start().iter().filter(|&&byte| byte == b'\n').count();
    let first = || first_records(Box::new(Cursor::new(text.clone())), kind, keys);
    match kind {
        FileKind::Csv if whole_lines < 2 => None,
        FileKind::Csv => {
            let mut rows = first().unwrap_or_default();
            // The last row may be cut off, also at a line break between quotes.
            let is_whole = text.ends_with(b"\n") && text.iter().filter(|&&byte| byte == b'"').count() % 2 == 0;
            let _cut_off = rows.pop_if(|row| !is_whole && row.is_empty());
            let is_table = rows.iter().all(|row| row.len() > 1);
            (!rows.is_empty()).then(|| if is_table { rows } else { Vec::new() })
        }
        kind if kind.has_keys() => first().filter(|records| !records.is_empty() || whole_lines > 0),
        _ => Some(Vec::new()),
    }
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
    fn the_start_of_input_has_keys_too() {
        let first = |start: &str| records_at_start(start.as_bytes(), &Keys::default()).map(|records| records.len());
        let keys_of = |start: &str| {
            let records = records_at_start(start.as_bytes(), &Keys::default())?;
            of_records(&records, &Keys::default()).map(|(keys, _)| [keys.text, keys.url])
        };
        let found = || Some(["body", "link"].map(str::to_owned));
        let line = r#"{"body": "It rained, all day.", "link": "https://a.example/1"}"#;
        assert_eq!(keys_of(&format!("{line}\n{{\"body\": \"It")), found());
        assert_eq!(keys_of(&format!("[{line},\n{{\"bo")), found());
        assert_eq!(keys_of("n;body;link\n1;\"It rained,\nall day.\";https://a.example/1\n2;It"), found());
        assert_eq!(first(&line[..20]), None, "more is needed");
        assert_eq!(first("n;body;link\n1;\"It rained,\n"), None, "more is needed");
        assert_eq!(first("{broken\n"), Some(0), "nobody waits for what follows");
        assert_eq!(first("A text, with commas\nand more, of, them.\nIt ends"), Some(0), "no table");
        assert_eq!(first("A text, with commas\nand, others\nIt ends\n"), Some(0), "no table");
        assert_eq!(first("one\ntwo\nthree\n"), Some(0), "no table");
        assert_eq!(first("WARC/1.0\r\n"), Some(0));
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, format!("{line}\n").repeat(9).as_bytes()).expect("it fits");
        let packed = packed.finish().expect("it fits");
        assert_eq!(records_at_start(&packed, &Keys::default()).map(|records| records.len()), Some(9));
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
