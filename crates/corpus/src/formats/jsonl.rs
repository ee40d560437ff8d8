//! JSONL: one document per line.
//!
//! Takes a stretch of whole lines. Lists its [`Line`]s in order, which is cheap, and parses each on request, in any
//! order and from any thread. The lines with their line ends make up the whole stretch. So if some lines are rewritten
//! and the others copied, nothing else changes.

use std::io::BufRead;
use std::ops::Range;
use std::sync::Arc;

use crate::formats::keys_found::keys_of;
use crate::formats::record::{Body, Record, with_value};
use crate::formats::records::Container;
use crate::read::memory::{Claim, Kind, Patience};
use crate::read::reading::{View, refuse_too_large};
use crate::{Document, Reason, SourceId, rewrite_line};

/// Consecutive lines of a JSONL file.
#[derive(Debug, Clone)]
pub(crate) struct JsonLines {
    bytes: Arc<Vec<u8>>,
    /// The position of the first line in the unpacked file.
    start: u64,
    container: Arc<Container>,
}

/// The position of a line in its stretch, with its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The number of the line in the file, from 1.
    pub(crate) number: u64,
    /// The bytes in the stretch.
    pub(crate) range: Range<usize>,
}

impl JsonLines {
    /// The lines in `bytes`, which start at byte `start` of the file. Fails if the file is in UTF-16.
    pub(crate) fn new(bytes: Vec<u8>, start: u64, container: Arc<Container>) -> Result<JsonLines, Reason> {
        // Only the start of the file shows its encoding.
        if start == 0 && is_utf_16(&bytes) {
            return Err(Reason::JsonlInUtf16);
        }
        Ok(JsonLines { bytes: Arc::new(bytes), start, container })
    }

    /// Up to `most` lines, from byte `start` of the stretch on. `first` is the number of the first line.
    pub(crate) fn some(&self, start: usize, first: u64, most: usize) -> Vec<Line> {
        self.lines_from(start, first).take(most).collect()
    }

    /// The position of a line in the unpacked file.
    pub(crate) fn place(&self, line: &Line) -> u64 {
        self.start + line.range.start as u64
    }

    /// The bytes of `line`, with its line end.
    pub(crate) fn bytes(&self, line: &Line) -> &[u8] {
        self.bytes.get(line.range.clone()).unwrap_or_default()
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
        let is_string = |value: &&Range<usize>| {
            text.get((*value).clone()).is_some_and(|value| value.starts_with('"') && value.ends_with('"'))
        };
        match document.value.as_ref().filter(is_string) {
            Some(value) => Ok(with_value(text, value, new)),
            None => rewrite_line(text, &self.container.options, new),
        }
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

    fn lines_from(&self, mut start: usize, first: u64) -> impl Iterator<Item = Line> + '_ {
        let mut rest: &[u8] = self.bytes.get(start..).unwrap_or_default();
        (first..).map_while(move |number| {
            // Reading from a slice cannot fail.
            let length = rest.skip_until(b'\n').unwrap_or(0);
            let range = start..start + length;
            start = range.end;
            (length > 0).then_some(Line { number, range })
        })
    }

    /// A line and the values in it. `None` if it is blank.
    fn record(&self, line: &Line) -> Result<Option<(&str, Record<'_>)>, Reason> {
        let text = self.text(line)?;
        let is_blank = text.trim_start_matches('\u{feff}').trim_ascii().is_empty();
        if is_blank {
            return Ok(None);
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

    fn lines_with(bytes: &[u8], options: ReadOptions) -> JsonLines {
        let lines = JsonLines::new(bytes.to_vec(), 0, container("x.jsonl", options));
        lines.unwrap_or_else(|reason| panic!("{reason}"))
    }

    fn lines_of(bytes: &[u8]) -> JsonLines {
        lines_with(bytes, ReadOptions::default())
    }

    fn texts(lines: &JsonLines) -> Vec<String> {
        let parsed = lines.lines_from(0, 1).map(|line| (line.number, lines.parse(&line, Patience::Waits)));
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
            let joined: Vec<u8> = lines.lines_from(0, 1).flat_map(|line| lines.bytes(&line).to_vec()).collect();
            assert_eq!(joined, file);
            let numbers: Vec<u64> = lines.lines_from(0, 1).map(|line| line.number).collect();
            assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_line_is_rewritten_in_place() {
        let lines = lines_of(b"\xef\xbb\xbf{\"source\":\"a\",\"text\":\"old\",\"n\":1.0}\r\n{}\n");
        let all: Vec<Line> = lines.lines_from(0, 1).collect();
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
    fn utf_16_is_refused_as_a_whole() {
        let utf_16 = |start| JsonLines::new(b"\xff\xfe{\0}\0".to_vec(), start, container("x", ReadOptions::default()));
        assert_eq!(utf_16(0).map(|_| ()), Err(Reason::JsonlInUtf16));
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
