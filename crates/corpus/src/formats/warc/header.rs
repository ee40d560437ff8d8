//! The header of a WARC record, or of the HTTP response in it.
//!
//! Takes bytes that start with a header: a first line, fields, an empty line. Returns the values of fields, and the
//! header with other values. Crawlers store headers as servers sent them, so no header is refused: lines may end in LF
//! alone, a field may be folded over several lines, and lines that are not fields are kept.

use std::borrow::Cow;
use std::iter;

use dehusk_core::shown::in_one_line;

/// A header, with its empty line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header<'a> {
    bytes: &'a [u8],
}

/// A field as it is written.
#[derive(Debug, Clone, Copy)]
struct Field<'a> {
    /// All lines of the field: the first one, and its continuation lines.
    lines: &'a [u8],
    name: &'a [u8],
    value: &'a [u8],
}

impl<'a> Header<'a> {
    /// A header of exactly these `bytes`.
    pub(super) fn new(bytes: &'a [u8]) -> Header<'a> {
        Header { bytes }
    }

    /// Splits the header at the start of `bytes` from the rest. `None` if there is no empty line.
    pub(super) fn split_from(bytes: &'a [u8]) -> Option<(Header<'a>, &'a [u8])> {
        let mut lines = lines(bytes).scan(0, |end, line| {
            *end += line.len();
            Some((line, *end))
        });
        let (_, end) = lines.find(|(line, _)| is_empty_line(line))?;
        let (header, rest) = bytes.split_at(end);
        Some((Header::new(header), rest))
    }

    /// The first line, with its line end.
    pub(super) fn first_line(self) -> &'a [u8] {
        lines(self.bytes).next().unwrap_or_default()
    }

    /// The line end that the header uses.
    pub(super) fn line_end(self) -> &'static [u8] {
        if self.first_line().ends_with(b"\r\n") { b"\r\n" } else { b"\n" }
    }

    /// The value of the first field of this name. The case of names does not matter.
    pub(super) fn value(self, name: &str) -> Option<Cow<'a, str>> {
        self.values(name).next()
    }

    /// The values of all fields of this name.
    pub(super) fn values(self, name: &str) -> impl Iterator<Item = Cow<'a, str>> {
        self.fields().filter(move |field| field.is(name)).map(Field::text)
    }

    /// The header with changed values. `None` removes a field. Fields that are not in `changes` stay unchanged, and new
    /// ones are added at the end.
    pub(super) fn with(self, changes: &[(&str, Option<&str>)]) -> Vec<u8> {
        let mut open = changes.to_vec();
        let mut written = self.first_line().to_vec();
        for field in self.fields() {
            match open.iter_mut().find(|(name, _)| field.is(name)) {
                None => written.extend_from_slice(field.lines),
                // If several fields have this name, the first gets the new value and the others are removed.
                Some((_, value)) => {
                    written.extend(value.take().map(|value| self.line(field.name, value)).unwrap_or_default())
                }
            }
        }
        let new = open.iter().filter_map(|(name, value)| Some((name.as_bytes(), (*value)?)));
        written.extend(new.flat_map(|(name, value)| self.line(name, value)));
        written.extend_from_slice(self.line_end());
        written
    }

    fn line(self, name: &[u8], value: &str) -> Vec<u8> {
        [name, b": ", value.as_bytes(), self.line_end()].concat()
    }

    fn fields(self) -> impl Iterator<Item = Field<'a>> {
        let mut rest = &self.bytes[self.first_line().len()..];
        iter::from_fn(move || {
            let (lines, after) = rest.split_at(folded_length(rest));
            rest = after;
            (!is_empty_line(lines)).then(|| Field::parse(lines))
        })
    }
}

impl<'a> Field<'a> {
    /// Parses the lines of a field. A line without a colon becomes a field with an empty name.
    fn parse(lines: &'a [u8]) -> Field<'a> {
        let colon = lines.iter().position(|&byte| byte == b':');
        let (name, value) = colon.map_or((&b""[..], lines), |at| (&lines[..at], &lines[at + 1..]));
        Field { lines, name: name.trim_ascii(), value: value.trim_ascii() }
    }

    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }

    /// The value, with a space for each line break in it.
    fn text(self) -> Cow<'a, str> {
        let text = String::from_utf8_lossy(self.value);
        match text.contains('\n') {
            true => in_one_line(&text).into(),
            false => text,
        }
    }
}

/// Whether a line ends a header. The empty slice at the end of the input counts as well.
pub(super) fn is_empty_line(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b'\r' | b'\n'))
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n')
}

/// The length of the first line with its continuation lines.
fn folded_length(bytes: &[u8]) -> usize {
    let mut lines = lines(bytes);
    let first = lines.next().unwrap_or_default();
    let folds = lines.take_while(|line| line.starts_with(b" ") || line.starts_with(b"\t"));
    if is_empty_line(first) { first.len() } else { first.len() + folds.map(<[u8]>::len).sum::<usize>() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"HTTP/1.1 200 OK\r\nServer : a:b\r\nX-Long: one\r\n  two\r\n\tthree\r\nnonsense\r\n\
        Vary: x\r\nvary:y\r\n\r\n";

    fn written(changes: &[(&str, Option<&str>)]) -> String {
        String::from_utf8(Header::new(HEADER).with(changes)).expect("UTF-8")
    }

    #[test]
    fn values_are_found_by_name_in_any_case() {
        let header = Header::new(HEADER);
        assert_eq!(header.value("server").as_deref(), Some("a:b"));
        assert_eq!(header.value("X-LONG").as_deref(), Some("one two three"));
        assert_eq!(header.values("Vary").collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(header.value("X-None"), None);
    }

    #[test]
    fn a_header_ends_with_an_empty_line() {
        let (header, rest) = Header::split_from(b"a\nb: c\n\nrest\n\n").expect("a header");
        assert_eq!((header.bytes, rest), (&b"a\nb: c\n\n"[..], &b"rest\n\n"[..]));
        assert_eq!(header.line_end(), b"\n");
        for endless in [&b""[..], b"a: b", b"a: b\r\n"] {
            assert!(Header::split_from(endless).is_none());
        }
    }

    #[test]
    fn without_changes_it_is_the_same() {
        assert_eq!(written(&[]).as_bytes(), HEADER);
        assert_eq!(Header::new(b"a\nb: c\n\n").with(&[("d", None)]), b"a\nb: c\n\n");
    }

    #[test]
    fn fields_change_in_place_go_and_come_last() {
        assert_eq!(
            written(&[("vary", Some("z")), ("x-long", None), ("New", Some("1"))]),
            "HTTP/1.1 200 OK\r\nServer : a:b\r\nnonsense\r\nVary: z\r\nNew: 1\r\n\r\n"
        );
    }

    #[test]
    fn bytes_of_other_encodings_do_no_harm() {
        let header = Header::new(b"a\r\nTitle: \xe9t\xe9\r\n\r\n");
        assert_eq!(header.value("title").as_deref(), Some("\u{fffd}t\u{fffd}"));
        assert_eq!(header.with(&[]), header.bytes);
    }
}
