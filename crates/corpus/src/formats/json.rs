//! JSON: one document per line (JSONL), or per value of an array.
//!
//! Takes a stretch of whole records. Lists them as [`Line`]s in order, which is cheap, and parses each on request, in any
//! order and from any thread. The records make up the whole stretch. So if some are rewritten and the others copied,
//! nothing else changes. A value of an array need not be one line; its record begins with the [`joint`] before it.

use std::ops::Range;
use std::sync::Arc;

use crate::formats::keys_found::keys_of;
use crate::formats::record::{Body, Record, with_value};
use crate::formats::records::Container;
use crate::read::division::{Divider, Division, joint};
use crate::read::line_stream::StretchBytes;
use crate::read::memory::{Claim, Kind, Patience};
use crate::read::reading::{View, refuse_too_large};
use crate::{Document, Reason, SourceId, rewrite_line};

/// Consecutive records of a file of JSON.
#[derive(Debug, Clone)]
pub(crate) struct JsonRecords {
    bytes: Arc<StretchBytes>,
    division: Division,
    /// The position of the first record in the unpacked file.
    start: u64,
    container: Arc<Container>,
}

/// The position of a record of lines, values or rows in its stretch, with its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The number of the record in the file, from 1.
    pub(crate) number: u64,
    /// The bytes in the stretch.
    pub(crate) range: Range<usize>,
}

impl Line {
    /// Up to `most` records in `bytes`, from byte `start` on. `first` is the number of the first one.
    pub(crate) fn some(bytes: &[u8], division: Division, mut start: usize, first: u64, most: usize) -> Vec<Line> {
        let (mut divider, mut lines) = (Divider::new(division), Vec::new());
        for number in (first..).take(most) {
            let rest = bytes.get(start..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            let end = start + divider.end(rest).unwrap_or(rest.len());
            lines.push(Line { number, range: start..end });
            start = end;
        }
        lines
    }
}

impl JsonRecords {
    /// The records in `bytes`, which start at byte `start` of the file. Fails if the file is in UTF-16.
    pub(crate) fn new(
        bytes: impl Into<StretchBytes>,
        division: Division,
        start: u64,
        container: Arc<Container>,
    ) -> Result<JsonRecords, Reason> {
        let bytes = bytes.into();
        // Only the start of the file shows its encoding.
        if start == 0 && is_utf_16(&bytes) {
            return Err(Reason::Utf16);
        }
        Ok(JsonRecords { bytes: Arc::new(bytes), division, start, container })
    }

    /// Up to `most` records, from byte `start` of the stretch on. `first` is the number of the first one.
    pub(crate) fn some(&self, start: usize, first: u64, most: usize) -> Vec<Line> {
        Line::some(&self.bytes, self.division, start, first, most)
    }

    /// The position of a line in the unpacked file.
    pub(crate) fn place(&self, line: &Line) -> u64 {
        self.start + line.range.start as u64
    }

    /// The bytes of `line`, with its line end.
    pub(crate) fn bytes(&self, line: &Line) -> &[u8] {
        self.bytes.get(line.range.clone()).unwrap_or_default()
    }

    /// The bytes of `line` before its value.
    pub(crate) fn joint_of(&self, line: &Line) -> &[u8] {
        if self.division == Division::Values { joint(self.bytes(line)) } else { &[] }
    }

    /// The bytes of `line` without those before its value.
    pub(crate) fn value(&self, line: &Line) -> &[u8] {
        &self.bytes(line)[self.joint_of(line).len()..]
    }

    /// Whether nothing of `line` can be missing, if the file ends with it.
    pub(crate) fn is_whole(&self, line: &Line) -> bool {
        match self.division {
            Division::Values => matches!(self.value(line).last(), None | Some(b'}')),
            _ => self.bytes(line).ends_with(b"\n"),
        }
    }

    /// The document in `line`; `None` if the line is blank.
    pub(crate) fn parse(&self, line: &Line, patience: Patience) -> Result<Option<Document>, Reason> {
        let options = &self.container.options;
        let keys = &options.keys;
        let Some((text, record)) = self.record(line)? else {
            return Ok(None);
        };
        let body = record.body(keys)?;
        // The text or page in a line is never longer than the line.
        let bytes = line.range.len() as u64;
        let claim = |kind| Claim::new(options, patience, kind, bytes);
        let view = match body {
            Body::Html(field) => {
                let claim = claim(Kind::Page)?;
                View::of(field.string()?, options, claim)?
            }
            Body::Text(field) => {
                let claim = claim(Kind::Text)?;
                View::plain(field.string()?.into_owned(), claim)?
            }
        };

        let id = record.id(keys)?.map_or_else(|| line.number.to_string(), |id| id.into_owned());
        let source = SourceId::parse(&self.container.source_of(record.known(options)?)?)?;
        let document = view.document(id, source, options)?;
        let value = body.replaced_alone(text, options);
        Ok(Some(Document { url: record.url(), value, ..document }))
    }

    /// The bytes of `line` with its `document` replaced by `new`: see [`rewrite_line`].
    pub(crate) fn rewrite(&self, line: &Line, document: &Document, new: &str) -> Result<String, Reason> {
        let text = self.text(line)?;
        let (joint, text) = text.split_at(self.joint_of(line).len());
        let is_string = |value: &&Range<usize>| {
            text.get((*value).clone()).is_some_and(|value| value.starts_with('"') && value.ends_with('"'))
        };
        let rewritten = match document.value.as_ref().filter(is_string) {
            Some(value) => with_value(text, value, new),
            None => rewrite_line(text, &self.container.options, new)?,
        };
        Ok(if joint.is_empty() { rewritten } else { joint.to_owned() + &rewritten })
    }

    /// The name of the source of the document in `line`. `None` if the line is blank.
    pub(crate) fn source(&self, line: &Line) -> Result<Option<SourceName<'_>>, Reason> {
        let Some((_, record)) = self.record(line)? else {
            return Ok(None);
        };
        let options = &self.container.options;
        record.body(&options.keys)?;
        self.container.source_of(record.known(options)?).map(Some)
    }

    /// A line and the values in it. `None` if it is blank.
    fn record(&self, line: &Line) -> Result<Option<(&str, Record<'_>)>, Reason> {
        let text = self.text(line)?;
        let text = &text[self.joint_of(line).len()..];
        let is_blank = text.trim_start_matches('\u{feff}').trim_ascii().is_empty();
        if is_blank {
            return Ok(None);
        }
        if self.division == Division::Values && !text.starts_with('{') {
            return Err(Reason::NotAnObject);
        }
        let record = Record::parse(text, &self.container.options.keys)?;
        self.container.note_keys(record.has(), line.number, || keys_of(text));
        Ok(Some((text, record)))
    }

    fn text(&self, line: &Line) -> Result<&str, Reason> {
        let bytes = self.bytes.get(line.range.clone()).ok_or(Reason::Changed)?;
        refuse_too_large(bytes.trim_ascii_end().len() as u64, &self.container.options)?;
        str::from_utf8(bytes).map_err(|error| Reason::LineNotUtf8(error.valid_up_to() + 1))
    }
}

/// Whether a file that starts like this has a UTF-16 byte order mark.
pub(crate) fn is_utf_16(start: &[u8]) -> bool {
    start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff")
}

/// The name of a source as it is written in a line. It need not be a valid [`SourceId`].
pub(crate) type SourceName<'a> = std::borrow::Cow<'a, str>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{container, inventory, tree};
    use crate::{HtmlView, Keys, ReadOptions};

    fn lines_with(bytes: &[u8], options: ReadOptions) -> JsonRecords {
        let lines = JsonRecords::new(bytes.to_vec(), Division::Lines, 0, container("x.jsonl", options));
        lines.unwrap_or_else(|reason| panic!("{reason}"))
    }

    fn lines_of(bytes: &[u8]) -> JsonRecords {
        lines_with(bytes, ReadOptions::default())
    }

    fn texts(lines: &JsonRecords) -> Vec<String> {
        let parsed =
            lines.some(0, 1, usize::MAX).into_iter().map(|line| (line.number, lines.parse(&line, Patience::Waits)));
        let texts = parsed.map(|(number, parsed)| match parsed {
            Ok(Some(document)) => {
                format!("{}/{}: {}", document.source, document.id, &*document.text)
            }
            Ok(None) => "blank".to_owned(),
            Err(reason) => format!("{number}: {reason}"),
        });
        texts.collect()
    }

    #[test]
    fn a_document_per_line() {
        let lines = lines_of(
            b"\xef\xbb\xbf{\"id\": \"x\", \"source\": \"a\", \"text\": \"1\\n2\"}\r\n\
            \n  \r\n\
            {\"url\": \"https://www.b.org/\", \"html\": \"<p>3</p>\"}",
        );
        assert_eq!(texts(&lines), ["a/x: 1\n2", "blank", "blank", "b.org/4: 3"]);
    }

    #[test]
    fn bad_lines_say_why_and_the_rest_goes_on() {
        let lines = lines_of(
            b"{\"source\": \"a\", \"text\": \"ok\"}\n\
            {\"source\": \"a\"\n\
            {\"source\": \"../x\", \"text\": \"\"}\n\
            {\"source\": \"\", \"text\": \"\"}\n\
            {\"source\": 5, \"text\": \"\"}\n\
            {\"text\": \"\"}\n\
            {\"source\": \"a\", \"text\": \"\xff\"}\n\
            {\"source\": \"a\", \"text\": \"ok\"}\n",
        );
        let texts = texts(&lines);
        assert_eq!(texts[0], "a/1: ok");
        assert_eq!(texts[1], "2: is not valid JSON: EOF while parsing an object at column 14");
        assert_eq!(texts[2], "3: the source name \"../x\" contains '/': remove this character");
        assert_eq!(texts[3], "4: a source name is empty: give the source a name");
        assert_eq!(texts[4], "5: the value of \"source\" is not a string");
        assert!(texts[5].ends_with("/6: "), "the file names the source: {}", texts[5]);
        assert_eq!(texts[6], "7: is not valid UTF-8 from byte 26 of the line on");
        assert_eq!(texts[7], "a/8: ok");
    }

    #[test]
    fn the_lines_are_the_file() {
        for file in [&b""[..], b"\n", b"a\r\nb", b"\xff\n\n\r\r\n \n", b"\xef\xbb\xbfx\n"] {
            let lines = lines_of(file);
            let joined: Vec<u8> =
                lines.some(0, 1, usize::MAX).iter().flat_map(|line| lines.bytes(line).to_vec()).collect();
            assert_eq!(joined, file);
            let numbers: Vec<u64> = lines.some(0, 1, usize::MAX).into_iter().map(|line| line.number).collect();
            assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_line_is_rewritten_in_place() {
        let lines = lines_of(b"\xef\xbb\xbf{\"source\":\"a\",\"text\":\"old\",\"n\":1.0}\r\n{}\n");
        let all: Vec<Line> = lines.some(0, 1, usize::MAX);
        let document = lines.parse(&all[0], Patience::Waits).expect("a document").expect("no blank line");
        let rewritten = lines.rewrite(&all[0], &document, "new").expect("rewritten");
        assert_eq!(rewritten, "\u{feff}{\"source\":\"a\",\"text\":\"new\",\"n\":1.0}\r\n");
        let without_place = Document { value: None, ..document };
        assert_eq!(lines.rewrite(&all[0], &without_place, "new"), Ok(rewritten));
        assert!(lines.rewrite(&all[1], &without_place, "new").is_err());
    }

    #[test]
    fn in_the_folder_of_a_source_lines_need_not_name_it() {
        let folder = tree(&[("c/a/x.jsonl", b"{\"text\":\"1\"}\n{\"source\":\"b\",\"text\":\"2\"}")]);
        let inventory = inventory(&folder, "c");
        let sources = inventory.sources().expect("sources");
        let named = sources.listings.iter().map(|listing| (listing.id.as_str(), listing.documents.len()));
        assert_eq!(named.collect::<Vec<_>>(), [("a", 1), ("b", 1)]);
    }

    #[test]
    fn a_document_per_value_of_an_array() {
        let array = b"\xef\xbb\xbf[\n {\"source\": \"a\",\n  \"text\": \"1\"},\n {\"source\": \"b\", \"html\": \"<p>2\"}, 3,\n{]\n";
        let container = container("x.json", ReadOptions::default());
        let values = JsonRecords::new(array.to_vec(), Division::Values, 0, container).expect("UTF-8");
        let read = texts(&values);
        assert_eq!(read[..3], ["a/1: 1", "b/2: 2", "3: is not a JSON object"]);
        assert!(read[3].starts_with("4: is not valid JSON"), "{read:?}");
        let all = values.some(0, 1, usize::MAX);
        let rewritten = |index: usize| {
            let document = values.parse(&all[index], Patience::Waits).expect("an object").expect("a document");
            values.rewrite(&all[index], &document, "new").expect("rewritten")
        };
        assert_eq!(rewritten(0), "\u{feff}[\n {\"source\": \"a\",\n  \"text\": \"new\"}");
        assert_eq!(rewritten(1), ",\n {\"source\": \"b\", \"text\": \"new\"}");
    }

    #[test]
    fn utf_16_is_refused_as_a_whole() {
        let container = container("x", ReadOptions::default());
        let utf_16 =
            |start| JsonRecords::new(b"\xff\xfe{\0}\0".to_vec(), Division::Lines, start, Arc::clone(&container));
        assert_eq!(utf_16(0).map(|_| ()), Err(Reason::Utf16));
        assert!(utf_16(1).is_ok());
    }

    #[test]
    fn a_line_that_is_too_long_is_refused() {
        let options = ReadOptions { max_document: 28, ..ReadOptions::default() };
        let lines =
            lines_with(b"{\"source\":\"a\",\"text\":\"1234\"}\n{\"source\":\"a\",\"text\":\"12345\"}\r\n", options);
        let texts = texts(&lines);
        assert_eq!(texts[0], "a/1: 1234");
        assert!(texts[1].starts_with("2: has 29 bytes, more than the 28 that a document may have"), "{texts:?}");
    }

    #[test]
    fn keys_and_view_are_those_of_the_options() {
        let keys = Keys { source: "site".to_owned(), html: "page".to_owned(), ..Keys::default() };
        let options = ReadOptions { html: HtmlView::Markup, keys, ..ReadOptions::default() };
        let lines = lines_with(b"{\"site\":\"a\",\"page\":\"<p>1</p>\"}", options);
        assert_eq!(texts(&lines), ["a/1: <p>1</p>"]);
    }
}
