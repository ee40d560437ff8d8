//! A JSONL file: a document per line.
//!
//! Takes the bytes of a file; gives its [`Line`]s in order, cheaply, and parses each when asked to,
//! in any order and from any thread. The lines with their line ends are the file: whoever writes them
//! all out again, some of them rewritten, has changed nothing else.

use std::io::BufRead;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::reading::{refuse_too_large, text_of};
use super::record::{Body, Record};
use super::source_by::Known;
use super::text::FileBytes;
use super::{Document, HtmlView, InputFile, ReadOptions, Reason, Skipped, SourceId, html, rewrite_line};

/// The lines of a JSONL file.
#[derive(Debug, Clone)]
pub struct JsonLines {
    bytes: Arc<FileBytes>,
    path: Arc<Path>,
    /// The folder the file lies in, by which lines may be named.
    folder: Option<SourceId>,
    /// What the file is called in the output.
    name: Arc<str>,
    options: Arc<ReadOptions>,
}

/// Where a line lies in its file, its line end included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Counted from 1.
    pub number: u64,
    /// Bytes of the file.
    pub range: Range<usize>,
}

impl JsonLines {
    pub(super) fn new(
        bytes: Arc<FileBytes>,
        file: &InputFile,
        options: Arc<ReadOptions>,
    ) -> Result<JsonLines, Skipped> {
        let path: Arc<Path> = file.path().into();
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(Skipped::file(path, Reason::JsonlInUtf16));
        }
        let (folder, name) = (file.folder().cloned(), file.name().into());
        Ok(JsonLines { bytes, path, folder, name, options })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The lines, in order.
    pub fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        let mut rest: &[u8] = &self.bytes;
        let mut start = 0;
        (1..).map_while(move |number| {
            // reading from a slice cannot fail
            let length = rest.skip_until(b'\n').unwrap_or(0);
            let range = start..start + length;
            start = range.end;
            (length > 0).then_some(Line { number, range })
        })
    }

    /// The bytes of `line`, its line end included.
    pub fn bytes(&self, line: &Line) -> &[u8] {
        self.bytes.get(line.range.clone()).unwrap_or_default()
    }

    /// The document in `line`; `None` if the line is blank.
    pub fn parse(&self, line: &Line) -> Result<Option<Document>, Skipped> {
        self.document(line).map_err(|reason| self.skipped(line, reason))
    }

    /// The bytes of `line`, with `new_text` in the place of its document's text: see [`rewrite_line`].
    pub fn rewrite(&self, line: &Line, new_text: &str) -> Result<String, Skipped> {
        let rewritten = self.text(line).and_then(|text| rewrite_line(text, &self.options, new_text));
        rewritten.map_err(|reason| self.skipped(line, reason))
    }

    pub(super) fn skipped(&self, line: &Line, reason: Reason) -> Skipped {
        Skipped { path: Arc::clone(&self.path), line: Some(line.number), reason }
    }

    /// What the document in `line` calls its source; `None` if the line is blank.
    pub(super) fn source(&self, line: &Line) -> Result<Option<SourceName<'_>>, Reason> {
        let Some(record) = self.record(line)? else {
            return Ok(None);
        };
        record.body(&self.options.keys)?;
        self.source_of(&record).map(Some)
    }

    fn source_of<'a>(&'a self, record: &Record<'a>) -> Result<SourceName<'a>, Reason> {
        let known = Known { folder: self.folder.as_ref(), path: &self.name, ..record.known(&self.options)? };
        self.options.source_by.name(known, &self.options.keys)
    }

    fn document(&self, line: &Line) -> Result<Option<Document>, Reason> {
        let keys = &self.options.keys;
        let Some(record) = self.record(line)? else {
            return Ok(None);
        };
        let body = record.body(keys)?;
        let is_view = matches!(body, Body::Html(_)) && self.options.html == HtmlView::Text;
        let (Body::Html(field) | Body::Text(field)) = body;
        let text = match is_view {
            true => html::visible_text(&field.string()?).into(),
            false => text_of(&self.bytes, field.string()?),
        };
        refuse_too_large(text.len() as u64)?;
        let id = record.id(keys)?.map_or_else(|| line.number.to_string(), |id| id.into_owned());
        let source = SourceId::parse(&self.source_of(&record)?)?;
        Ok(Some(Document { id, source, text, is_view, encoding: None, warning: None }))
    }

    fn record(&self, line: &Line) -> Result<Option<Record<'_>>, Reason> {
        let text = self.text(line)?;
        let is_blank = text.trim_start_matches('\u{feff}').trim_ascii().is_empty();
        if is_blank { Ok(None) } else { Record::parse(text, &self.options.keys).map(Some) }
    }

    fn text(&self, line: &Line) -> Result<&str, Reason> {
        let bytes = self.bytes.get(line.range.clone()).ok_or(Reason::Changed)?;
        str::from_utf8(bytes).map_err(|error| Reason::LineNotUtf8(error.valid_up_to() + 1))
    }
}

/// What a line calls its source: not yet proven to be a [`SourceId`].
pub(super) type SourceName<'a> = std::borrow::Cow<'a, str>;

#[cfg(test)]
mod tests {
    use super::super::testing::{inventory, plain, tree};
    use super::super::{Content, Keys};
    use super::*;

    fn lines_of(bytes: &[u8]) -> JsonLines {
        let folder = tree(&[("x.jsonl", bytes)]);
        let inventory = inventory(&folder, "x.jsonl");
        match inventory.open(&inventory.files()[0]) {
            Ok(Content::Lines(lines)) => lines,
            _ => panic!("no JSONL"),
        }
    }

    fn texts(lines: &JsonLines) -> Vec<String> {
        let parsed = lines.lines().map(|line| lines.parse(&line));
        let texts = parsed.map(|parsed| match parsed {
            Ok(Some(document)) => {
                format!("{}/{}: {}", document.source, document.id, &*document.text)
            }
            Ok(None) => "blank".to_owned(),
            Err(skipped) => format!("{}: {}", skipped.line.unwrap_or(0), skipped.reason),
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
        assert_eq!(texts[2], "3: the source name \"../x\" contains '/': rename it without");
        assert_eq!(texts[3], "4: a source's name is empty: give it one");
        assert_eq!(texts[4], "5: the value of \"source\" is not a string");
        assert!(texts[5].starts_with("6: has neither \"source\" nor \"url\""));
        assert_eq!(texts[6], "7: is not valid UTF-8 from byte 26 of the line on");
        assert_eq!(texts[7], "a/8: ok");
    }

    #[test]
    fn the_lines_are_the_file() {
        for file in [&b""[..], b"\n", b"a\r\nb", b"\xff\n\n\r\r\n \n", b"\xef\xbb\xbfx\n"] {
            let lines = lines_of(file);
            let joined: Vec<u8> = lines.lines().flat_map(|line| lines.bytes(&line).to_vec()).collect();
            assert_eq!(joined, file);
            let numbers: Vec<u64> = lines.lines().map(|line| line.number).collect();
            assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_line_is_rewritten_in_place() {
        let lines = lines_of(b"\xef\xbb\xbf{\"source\":\"a\",\"text\":\"old\",\"n\":1.0}\r\n{}\n");
        let all: Vec<Line> = lines.lines().collect();
        let rewritten = lines.rewrite(&all[0], "new").expect("rewritten");
        assert_eq!(rewritten, "\u{feff}{\"source\":\"a\",\"text\":\"new\",\"n\":1.0}\r\n");
        assert!(lines.rewrite(&all[1], "new").is_err());
    }

    #[test]
    fn in_the_folder_of_a_source_lines_need_not_name_it() {
        let folder = tree(&[("c/a/x.jsonl", b"{\"text\":\"1\"}\n{\"source\":\"b\",\"text\":\"2\"}")]);
        let inventory = inventory(&folder, "c");
        let Ok(Content::Lines(lines)) = inventory.open(&inventory.files()[0]) else {
            panic!("no JSONL");
        };
        assert_eq!(texts(&lines), ["a/1: 1", "b/2: 2"]);
    }

    #[test]
    fn utf_16_is_refused_as_a_whole() {
        let folder = tree(&[("x.jsonl", b"\xff\xfe{\0}\0")]);
        let inventory = inventory(&folder, "x.jsonl");
        let Err(skipped) = inventory.open(&inventory.files()[0]) else {
            panic!("UTF-16 was accepted");
        };
        assert_eq!(plain(&folder, skipped), "x.jsonl: is UTF-16, and JSONL has to be UTF-8: convert it");
    }

    #[test]
    fn keys_and_view_are_those_of_the_options() {
        let folder = tree(&[("x.jsonl", b"{\"site\":\"a\",\"page\":\"<p>1</p>\"}")]);
        let keys = Keys { source: "site".to_owned(), html: "page".to_owned(), ..Keys::default() };
        let options = ReadOptions { html: HtmlView::Markup, keys, ..ReadOptions::default() };
        let inventory = super::super::Inventory::scan(&[folder.path().join("x.jsonl")], &options).expect("a file");
        let Ok(Content::Lines(lines)) = inventory.open(&inventory.files()[0]) else {
            panic!("no JSONL");
        };
        assert_eq!(texts(&lines), ["a/1: <p>1</p>"]);
    }
}
