//! CSV and TSV: one document per row.
//!
//! Takes a stretch of whole rows and the [`Header`], the row that names the columns. Gives the [`Fields`] of each row,
//! and the row with another document. All bytes that need not change are kept: quotes, spaces, line ends. Fields are
//! written as RFC 4180 says. The delimiter may be a comma, a tab, a semicolon or a vertical bar.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::ops::Range;
use std::sync::Arc;

use crate::formats::json::Line;
use crate::formats::keys_found::listed;
use crate::formats::records::Fields;
use crate::read::division::Division;
use crate::read::line_stream::StretchBytes;
use crate::read::reading::refuse_too_large;
use crate::skipped::excerpt;
use crate::{Keys, ReadOptions, Reason};

/// The bytes that may stand between two fields. The first one counts that gives a column of documents, else the most
/// frequent one. Of those that are equally frequent, the first one counts.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// The names of the columns, and which of them the keys name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Header {
    names: Vec<String>,
    delimiter: u8,
    id: Option<usize>,
    source: Option<usize>,
    url: Option<usize>,
    text: Option<usize>,
    html: Option<usize>,
}

/// Consecutive rows of a table.
#[derive(Debug, Clone)]
pub(crate) struct CsvRows {
    bytes: Arc<StretchBytes>,
    header: Arc<Header>,
    options: Arc<ReadOptions>,
}

/// A field of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    /// The bytes in the row, with the quotes.
    range: Range<usize>,
    is_quoted: bool,
}

/// Reads the first row of a table. Reads no more than `most` bytes.
pub(crate) fn first_row(input: &mut impl BufRead, most: u64) -> io::Result<Vec<u8>> {
    let (mut row, mut is_quoted, mut input) = (Vec::new(), false, input.by_ref().take(most));
    loop {
        let start = row.len();
        let read = input.read_until(b'\n', &mut row)?;
        // A line break between quotes does not end the row. The delimiter is not known yet, but quotes come in pairs.
        is_quoted ^= row[start..].iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
        if read == 0 || !is_quoted {
            return Ok(row);
        }
    }
}

/// Whether input that begins with `start` is a table: its first line names a column of documents and has more columns.
pub(crate) fn is_table(start: &[u8], keys: &Keys) -> bool {
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let header = Header::of(line, keys);
    header.is_ok_and(|header| header.names.len() > 1 && (header.text.is_some() || header.html.is_some()))
}

impl Header {
    /// The header in the first row of a table. Fails if it is not UTF-8, or has a column of the keys twice.
    pub(crate) fn of(row: &[u8], keys: &Keys) -> Result<Header, Reason> {
        let row = str::from_utf8(row).map_err(|error| Reason::LineNotUtf8(error.valid_up_to() + 1))?;
        let row = row.strip_prefix('\u{feff}').unwrap_or(row);
        let divided = |delimiter: u8| -> Vec<String> {
            fields(row, delimiter).iter().map(|field| value(row, field).trim().to_owned()).collect()
        };
        // Names of columns may contain other delimiters.
        let has_documents =
            |&delimiter: &u8| divided(delimiter).iter().any(|name| *name == keys.text || *name == keys.html);
        let delimiter = DELIMITERS.into_iter().find(has_documents).unwrap_or_else(|| delimiter_of(row));
        let names = divided(delimiter);
        let column = |key: &str| {
            let mut columns = (0..).zip(&names).filter(|(_, name)| *name == key).map(|(column, _)| column);
            match (columns.next(), columns.next()) {
                (_, Some(_)) => Err(Reason::DuplicateKey(excerpt(key))),
                (column, None) => Ok(column),
            }
        };
        let (id, source, url) = (column(&keys.id)?, column(&keys.source)?, column(&keys.url)?);
        let (text, html) = (column(&keys.text)?, column(&keys.html)?);
        Ok(Header { delimiter, id, source, url, text, html, names })
    }

    pub(crate) fn division(&self) -> Division {
        Division::Rows { delimiter: self.delimiter }
    }

    /// Fails if there is no column of documents, and the file is not empty.
    pub(crate) fn check(&self, keys: &Keys) -> Result<(), Reason> {
        match self.text.or(self.html) {
            None if self.names == [""] => Ok(()),
            Some(_) => Ok(()),
            None => {
                let (text, html) = (keys.text.clone(), keys.html.clone());
                Err(Reason::NoTextColumn { text, html, columns: self.columns() })
            }
        }
    }

    /// The names of the columns, for a message.
    pub(crate) fn columns(&self) -> String {
        listed(self.names.iter().map(String::as_str))
    }

    /// The values of a row by the names of their columns. Empty if it has another number of fields.
    pub(crate) fn named(&self, row: &str) -> Vec<(&str, String)> {
        let fields = fields(row, self.delimiter);
        let is_whole = fields.len() == self.names.len();
        let named = self.names.iter().zip(&fields).filter(|_| is_whole);
        named.map(|(name, field)| (name.as_str(), value(row, field).into_owned())).collect()
    }

    /// Whether the column of pages becomes the column of texts, because there is none.
    fn makes_text(&self, options: &ReadOptions) -> bool {
        self.text.is_none() && options.html.is_written_as_text()
    }
}

impl CsvRows {
    /// The rows in `bytes`.
    pub(crate) fn new(bytes: impl Into<StretchBytes>, header: Arc<Header>, options: Arc<ReadOptions>) -> CsvRows {
        CsvRows { bytes: Arc::new(bytes.into()), header, options }
    }

    /// Up to `most` rows, from byte `start` of the stretch on. `first` is the number of the first row.
    pub(crate) fn some(&self, start: usize, first: u64, most: usize) -> Vec<Line> {
        Line::some(&self.bytes, self.header.division(), start, first, most)
    }

    /// The bytes of a row, with its line end.
    pub(crate) fn bytes(&self, row: &Line) -> &[u8] {
        self.bytes.get(row.range.clone()).unwrap_or_default()
    }

    /// The bytes of a row as they are written if its document did not change. Only the header may differ.
    pub(crate) fn kept(&self, row: &Line) -> Cow<'_, [u8]> {
        let bytes = self.bytes(row);
        match self.header.html.filter(|_| row.number == 1 && self.header.makes_text(&self.options)) {
            Some(html) => {
                let names = self.text(row).and_then(|text| self.with_field(text, html, &self.options.keys.text));
                names.map_or(Cow::Borrowed(bytes), |names| Cow::Owned(names.into_bytes()))
            }
            None => Cow::Borrowed(bytes),
        }
    }

    /// The fields of a row. `None` for the header and for blank rows.
    pub(crate) fn fields(&self, row: &Line) -> Result<Option<Fields<'_>>, Reason> {
        let text = self.text(row)?;
        if row.number == 1 || text.trim_ascii().is_empty() {
            return Ok(None);
        }
        let fields = self.divided(text)?;
        let header = &self.header;
        let cell = |column: Option<usize>| column.map(|column| value(text, &fields[column]));
        let present = |column| cell(column).filter(|value| !value.is_empty());
        let html = present(header.html);
        // An empty text beside a page is none.
        let body = cell(header.text).filter(|text| html.is_none() || !text.is_empty());
        let (id, source, url) = (present(header.id), present(header.source), present(header.url));
        let html = html.filter(|_| body.is_none()).or_else(|| body.is_none().then_some(Cow::Borrowed("")));
        Ok(Some(Fields { id, source, url, text: body, html }))
    }

    /// The row with a new document.
    pub(crate) fn rewrite(&self, row: &Line, new: &str) -> Result<String, Reason> {
        let text = self.text(row)?;
        let read = self.fields(row)?.ok_or(Reason::Changed)?;
        let (is_page, header) = (read.text.is_none(), &self.header);
        match (header.text, header.html) {
            (Some(column), Some(html)) if is_page && self.options.html.is_written_as_text() => {
                let without_page = self.with_field(text, html, "")?;
                self.with_field(&without_page, column, new)
            }
            (_, Some(html)) if is_page => self.with_field(text, html, new),
            (column, _) => self.with_field(text, column.ok_or(Reason::Changed)?, new),
        }
    }

    /// The names of the columns, for a message.
    pub(crate) fn columns(&self) -> String {
        self.header.columns()
    }

    fn with_field(&self, row: &str, column: usize, new: &str) -> Result<String, Reason> {
        let mark = if row.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let (mark, row) = row.split_at(mark);
        let field = self.divided(row)?.swap_remove(column);
        let delimiter = char::from(self.header.delimiter);
        let is_special = |character| matches!(character, '"' | '\n' | '\r') || character == delimiter;
        let new = match field.is_quoted || new.contains(is_special) || new.trim() != new {
            true => Cow::Owned(format!("\"{}\"", new.replace('"', "\"\""))),
            false => Cow::Borrowed(new),
        };
        Ok([mark, &row[..field.range.start], &*new, &row[field.range.end..]].concat())
    }

    fn divided(&self, row: &str) -> Result<Vec<Field>, Reason> {
        let fields = fields(row, self.header.delimiter);
        match (fields.len(), self.header.names.len()) {
            (found, columns) if found == columns => Ok(fields),
            (found, columns) => Err(Reason::WrongFields { found, columns }),
        }
    }

    fn text(&self, row: &Line) -> Result<&str, Reason> {
        let bytes = self.bytes.get(row.range.clone()).ok_or(Reason::Changed)?;
        refuse_too_large(bytes.trim_ascii_end().len() as u64, &self.options)?;
        str::from_utf8(bytes).map_err(|error| Reason::LineNotUtf8(error.valid_up_to() + 1))
    }
}

/// The most frequent delimiter outside of quotes.
fn delimiter_of(row: &str) -> u8 {
    let mut counts = [0; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in row.bytes() {
        is_quoted ^= byte == b'"';
        if let Some(at) = DELIMITERS.iter().position(|&delimiter| delimiter == byte && !is_quoted) {
            counts[at] += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    counts.iter().position(|&count| count == most).map_or(b',', |at| DELIMITERS[at])
}

/// The fields of a row, without its line end.
fn fields(row: &str, delimiter: u8) -> Vec<Field> {
    let row = row.strip_suffix('\n').unwrap_or(row);
    let row = row.strip_suffix('\r').unwrap_or(row);
    let (mut fields, mut start) = (Vec::new(), 0);
    loop {
        let end = start + end_of_field(&row.as_bytes()[start..], delimiter);
        fields.push(Field { range: start..end, is_quoted: row[start..].starts_with('"') });
        if end == row.len() {
            return fields;
        }
        start = end + 1;
    }
}

/// The length of the field at the start of `rest`.
fn end_of_field(rest: &[u8], delimiter: u8) -> usize {
    let mut at = 0;
    if rest.first() == Some(&b'"') {
        let mut quotes =
            rest.iter().enumerate().skip(1).filter(|(_, byte)| **byte == b'"').map(|(at, _)| at).peekable();
        at = loop {
            match quotes.next() {
                None => return rest.len(),
                Some(quote) if quotes.peek() == Some(&(quote + 1)) => drop(quotes.next()),
                Some(quote) => break quote + 1,
            }
        };
    }
    memchr::memchr(delimiter, &rest[at..]).map_or(rest.len(), |end| at + end)
}

/// The value of a field: without its quotes. What follows the closing quote is part of the value.
fn value<'r>(row: &'r str, field: &Field) -> Cow<'r, str> {
    let written = &row[field.range.clone()];
    let Some(inner) = written.strip_prefix('"') else { return Cow::Borrowed(written) };
    let closed = inner.strip_suffix('"').filter(|inner| !inner.contains('"'));
    match closed {
        Some(inner) => Cow::Borrowed(inner),
        None => Cow::Owned(unquoted(inner)),
    }
}

fn unquoted(inner: &str) -> String {
    let (mut value, mut rest) = (String::with_capacity(inner.len()), inner);
    while let Some((before, after)) = rest.split_once('"') {
        value.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                value.push('"');
                rest = after;
            }
            None => return value + after,
        }
    }
    value + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::HtmlView;

    fn table(text: &str, html: HtmlView) -> (CsvRows, Vec<Line>) {
        let options = Arc::new(ReadOptions { html, ..ReadOptions::default() });
        let row = first_row(&mut text.as_bytes(), 1 << 20).expect("a row");
        let header = Header::of(&row, &options.keys).expect("a header");
        let rows = CsvRows::new(text.as_bytes().to_vec(), Arc::new(header), options);
        let lines = rows.some(0, 1, 1000);
        (rows, lines)
    }

    /// The texts or pages of a table's documents.
    fn read(text: &str) -> Vec<Result<Option<String>, String>> {
        let (rows, lines) = table(text, HtmlView::Text);
        let body = |fields: Fields| fields.text.or(fields.html).map(Cow::into_owned).unwrap_or_default();
        lines[1..].iter().map(|line| rows.fields(line).map(|row| row.map(body)).map_err(|e| e.to_string())).collect()
    }

    #[test]
    fn delimiters_and_quotes_are_found() {
        for delimiter in DELIMITERS.map(char::from) {
            let text =
                "\u{feff}id,\"text\"\r\n1,\"a, \"\"b\"\"\r\nc\"\r\n\r\n2,\n".replace(',', &delimiter.to_string());
            let a = format!("a{delimiter} \"b\"\r\nc");
            assert_eq!(read(&text), [Ok(Some(a)), Ok(None), Ok(Some(String::new()))]);
        }
        assert_eq!(read("text\nwithout a delimiter\n"), [Ok(Some("without a delimiter".to_owned()))]);
    }

    #[test]
    fn a_row_with_other_fields_says_so() {
        let rows = read("id,text\n1,a,b\n2\n3,c\n");
        assert!(rows[0].as_ref().is_err_and(|error| error.starts_with("has 3 fields, and the table has 2 columns")));
        assert!(rows[1].is_err());
        assert_eq!(rows[2], Ok(Some("c".to_owned())));
    }

    #[test]
    fn a_table_without_documents_is_refused() {
        let header = |row: &str| Header::of(row.as_bytes(), &Keys::default());
        let error = header("id,body").expect("a header").check(&Keys::default()).expect_err("no text").to_string();
        assert!(error.contains(r#"(its columns: "id", "body")"#), "{error}");
        assert_eq!(header("text,text"), Err(Reason::DuplicateKey("text".to_owned())));
        let is_table = |start: &str| is_table(start.as_bytes(), &Keys::default());
        assert!(is_table("id;text\n1") && is_table("\u{feff}\"html\"\tid"));
        assert!(!is_table("text") && !is_table("a text, and more") && !is_table(r#"{"id": 1, "text": "x"}"#));
    }

    #[test]
    fn a_page_becomes_a_text() {
        let written = |text: &str, html| {
            let (rows, lines) = table(text, html);
            let header = String::from_utf8(rows.kept(&lines[0]).into_owned()).expect("UTF-8");
            header + &rows.rewrite(&lines[1], "new").expect("rewritten")
        };
        let page = "id,\"html\"\r\n1,<p>old</p>\r\n";
        assert_eq!(written(page, HtmlView::Text), "id,\"text\"\r\n1,new\r\n");
        assert_eq!(written(page, HtmlView::Page), "id,\"html\"\r\n1,new\r\n");
        assert_eq!(written("text,html\n,<p>\n", HtmlView::Text), "text,html\nnew,\n");
        assert_eq!(written("text,html\nold,<p>\n", HtmlView::Text), "text,html\nnew,<p>\n");
    }

    proptest! {
        #[test]
        fn rows_are_those_that_were_written(
            rows in prop::collection::vec(prop::collection::vec("[a\"',;\n\r é]{0,6}", 3), 1..6),
            delimiter in prop::sample::select(DELIMITERS.to_vec()),
            new in "[a\"',;|\t\n\r é]{0,6}",
        ) {
            let cell = |value: &String| format!("\"{}\"", value.replace('"', "\"\""));
            let row = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(&char::from(delimiter).to_string());
            let header = ["id", "text", "n"].join(&char::from(delimiter).to_string());
            let text = format!("{header}\n{}\r\n", rows.iter().map(row).collect::<Vec<_>>().join("\r\n"));
            let (table, lines) = table(&text, HtmlView::Text);
            prop_assert_eq!(lines.len(), rows.len() + 1);
            prop_assert_eq!(lines.iter().flat_map(|line| table.bytes(line).to_vec()).collect::<Vec<u8>>(), text.as_bytes());
            for (line, cells) in lines[1..].iter().zip(&rows) {
                let fields = table.fields(line).expect("a row").expect("not blank");
                prop_assert_eq!(fields.text.as_deref(), Some(&*cells[1]));
                let rewritten = table.rewrite(line, &new).expect("rewritten");
                prop_assert_eq!(rewritten, row(&vec![cells[0].clone(), new.clone(), cells[2].clone()]) + "\r\n");
            }
        }

        #[test]
        fn a_new_text_is_read_again(old in "[a b]{0,4}", new in "[a\"',;\n\r é]{0,6}") {
            let (rows, lines) = table(&format!("id,text\n1,{old}\n"), HtmlView::Text);
            let rewritten = rows.rewrite(&lines[1], &new).expect("rewritten");
            prop_assert_eq!(read(&format!("id,text\n{rewritten}")), [Ok(Some(new))]);
        }
    }
}
