//! The header of an answer (RFC 9112), as it was sent and as it is stored.

use std::borrow::Cow;

/// Status and fields of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The header, with its empty line.
    bytes: Vec<u8>,
    status: u16,
}

impl Head {
    /// The first header in these bytes that does not only announce another one (1xx). `None` if there is none.
    pub fn parse(bytes: &[u8]) -> Option<Head> {
        let mut rest = bytes;
        loop {
            let end = end_of(rest)?;
            let (head, after) = rest.split_at(end);
            let status = status(head)?;
            if !(100..200).contains(&status) {
                return Some(Head { bytes: head.to_owned(), status });
            }
            rest = after;
        }
    }

    /// The status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The value of the first field of this name.
    pub fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        self.values(name).next()
    }

    /// The values of all fields of this name. The case of names does not matter.
    pub fn values(&self, name: &str) -> impl Iterator<Item = Cow<'_, str>> {
        let fields = self.fields();
        fields
            .filter(move |field| field.name.eq_ignore_ascii_case(name.as_bytes()))
            .map(|field| unfolded(String::from_utf8_lossy(field.value)))
    }

    /// The type in `Content-Type`, in small letters and without parameters. Empty if there is none.
    pub fn media_type(&self) -> String {
        let value = self.value("Content-Type").unwrap_or_default();
        value.split([';', ',']).next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// The `charset` of `Content-Type`.
    pub fn charset(&self) -> Option<String> {
        let value = self.value("Content-Type")?;
        let mut parameters = value.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
        let (_, charset) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
        Some(charset.trim().trim_matches(['"', '\'']).to_owned())
    }

    /// The length of the body, if the header has it.
    ///
    /// # Errors
    /// If the length is not a number, or there are two different lengths.
    pub fn length(&self) -> Result<Option<u64>, String> {
        if self.value("Transfer-Encoding").is_some() {
            return Ok(None);
        }
        let mut length = None;
        for value in self.values("Content-Length") {
            for part in value.split(',').map(str::trim) {
                let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
                let number = part.parse().ok().filter(|_| is_number);
                let number: u64 = number.ok_or_else(|| format!("its length is {part:?}"))?;
                if length.is_some_and(|length| length != number) {
                    return Err(format!("it has two lengths, {value}"));
                }
                length = Some(number);
            }
        }
        Ok(length)
    }

    /// Whether an answer with this status has no body, whatever its header says.
    pub fn has_no_body(&self) -> bool {
        matches!(self.status, 204 | 304)
    }

    /// The header for a body of `length` bytes without transfer coding. Original fields that no longer hold get the
    /// name `X-Crawler-<name>`, as in the files of Common Crawl.
    pub fn stored(&self, length: usize) -> Vec<u8> {
        let first = self.bytes.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut stored = self.bytes[..first].trim_ascii_end().to_vec();
        stored.extend_from_slice(b"\r\n");
        for Field { name, value, lines } in self.fields() {
            let is_length = name.eq_ignore_ascii_case(b"content-length");
            if is_length && value == length.to_string().as_bytes() {
                continue; // it is written again below
            }
            if is_length || name.eq_ignore_ascii_case(b"transfer-encoding") {
                stored.extend_from_slice(b"X-Crawler-");
            }
            stored.extend_from_slice(&[lines, b"\r\n"].concat());
        }
        stored.extend_from_slice(format!("Content-Length: {length}\r\n\r\n").as_bytes());
        stored
    }

    /// All fields. A line that begins with a space continues the one before it, and there may be spaces before the colon: servers
    /// send both (RFC 9112, sections 5.1 and 5.2).
    fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        let first = self.bytes.iter().position(|&byte| byte == b'\n').map_or(self.bytes.len(), |at| at + 1);
        let mut rest = &self.bytes[first..];
        let lines = std::iter::from_fn(move || {
            let (lines, after) = rest.split_at_checked(lines_end(rest)?)?;
            rest = after;
            Some(lines.trim_ascii_end())
        });
        lines.filter_map(|lines| {
            let colon = lines.iter().position(|&byte| byte == b':')?;
            let (name, value) = (lines[..colon].trim_ascii_end(), lines[colon + 1..].trim_ascii());
            let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_graphic());
            is_name.then_some(Field { name, value, lines })
        })
    }
}

/// A field of a header.
struct Field<'h> {
    name: &'h [u8],
    /// It may have more than one line.
    value: &'h [u8],
    /// The whole field as it was sent, without the last line end.
    lines: &'h [u8],
}

/// A value in one line.
fn unfolded(value: Cow<'_, str>) -> Cow<'_, str> {
    match value.contains('\n') {
        true => value.lines().map(str::trim).collect::<Vec<_>>().join(" ").into(),
        false => value,
    }
}

/// The end of the first line and its continuation lines. `None` if more bytes are needed to know it.
fn lines_end(bytes: &[u8]) -> Option<usize> {
    let blank = [&b"\n"[..], b"\r\n"].into_iter().find(|blank| bytes.starts_with(blank));
    blank.map(<[u8]>::len).or_else(|| {
        let ends = bytes.windows(2).position(|pair| pair[0] == b'\n' && !matches!(pair[1], b' ' | b'\t'));
        ends.map(|at| at + 1)
    })
}

/// Changes headers while they are received, so that a strict parser can read them: continued lines become one line, and
/// spaces before a colon are moved after it. All lengths stay the same.
#[derive(Debug, Default)]
pub(crate) struct Mender {
    /// Received bytes of a field that may continue in the next bytes.
    held: Vec<u8>,
    /// Whether the current header only announces another one (1xx). `None` before its first line.
    is_interim: Option<bool>,
    is_in_body: bool,
}

impl Mender {
    /// Whether the next bytes are those of the body, which are not changed.
    pub(crate) fn is_in_body(&self) -> bool {
        self.is_in_body && self.held.is_empty()
    }

    /// Takes received bytes. Returns the mended bytes that are complete.
    pub(crate) fn push(&mut self, received: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(received);
        let mut readable = Vec::new();
        let mut begin = 0;
        while !self.is_in_body
            && let Some(length) = lines_end(&self.held[begin..])
        {
            let lines = &self.held[begin..begin + length];
            begin += length;
            match self.is_interim {
                None if !lines.trim_ascii().is_empty() => {
                    self.is_interim = Some(status(lines).is_some_and(|status| (100..200).contains(&status)));
                }
                Some(is_interim) if lines.trim_ascii().is_empty() => {
                    self.is_in_body = !is_interim;
                    self.is_interim = None;
                }
                _ => {
                    readable.extend(mended(lines));
                    continue;
                }
            }
            readable.extend_from_slice(lines);
        }

        match self.is_in_body {
            true => readable.extend_from_slice(&self.held[begin..]),
            false => self.held.drain(..begin).for_each(drop),
        }
        if self.is_in_body {
            self.held.clear();
        }
        readable
    }

    /// Ends the input. Returns the bytes that were held back.
    pub(crate) fn end(&mut self) -> Vec<u8> {
        mended(&std::mem::take(&mut self.held))
    }
}

/// A field in one line, with its colon directly after its name.
fn mended(lines: &[u8]) -> Vec<u8> {
    let mut lines = lines.to_vec();
    let last = lines.len().saturating_sub(1);
    for at in 0..last {
        if lines[at] == b'\n' || lines[at] == b'\r' && lines[at + 1] == b'\n' && at + 1 < last {
            lines[at] = b' ';
        }
    }
    if let Some(colon) = lines.iter().position(|&byte| byte == b':') {
        let name = lines[..colon].trim_ascii_end().len();
        lines[name..=colon].rotate_right(1);
    }
    lines
}

/// Whether content of this media type can be text. Content without a type can.
pub fn is_text(media_type: &str) -> bool {
    let (kind, subtype) = media_type.split_once('/').unwrap_or((media_type, ""));
    match kind {
        "image" => subtype == "svg+xml",
        "audio" | "video" | "font" | "model" => false,
        "application" => {
            subtype.ends_with("xml")
                || subtype.ends_with("json")
                || matches!(subtype, "gzip" | "x-gzip" | "octet-stream" | "x-unknown" | "force-download")
        }
        _ => true,
    }
}

/// The end of the header at the beginning of these bytes.
fn end_of(bytes: &[u8]) -> Option<usize> {
    let mut end = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        end += line.len();
        if matches!(line, b"\n" | b"\r\n") {
            return Some(end);
        }
    }
    None
}

fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|&byte| byte == b'\n').next()?;
    let line = str::from_utf8(line.get(..line.len().min(64))?.trim_ascii()).unwrap_or_default();
    let rest = line.strip_prefix("HTTP/1.")?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok().filter(|status| (100..1000).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        Head::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_announces_another_header_is_left_out() {
        let bytes =
            b"HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 404 No\r\nETag: \"b\"\r\n\r\nHTTP/1.1 200 OK\r\n\r\n";
        let head = Head::parse(bytes).unwrap();
        assert_eq!((head.status(), head.value("etag").as_deref()), (404, Some("\"b\"")));
        assert_eq!(head.value("Link"), None);
    }

    #[test]
    fn without_an_end_or_a_status_there_is_none() {
        for bytes in ["", "HTTP/1.1 200 OK\r\n", "<html>\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 99999 A\r\n\r\n"] {
            assert_eq!(Head::parse(bytes.as_bytes()), None, "{bytes}");
        }
    }

    #[test]
    fn types() {
        let of = |value: &str| head(&format!("HTTP/1.1 200 OK\r\ncontent-type: {value}\r\n\r\n"));
        let html = of("Text/HTML; a=b; CharSet=\"koi8-r\"");
        assert_eq!((html.media_type().as_str(), html.charset().as_deref()), ("text/html", Some("koi8-r")));
        assert_eq!((of("").media_type().as_str(), of("text/html").charset()), ("", None));
        for (media_type, expected) in [
            ("text/css", true),
            ("", true),
            ("image/png", false),
            ("application/pdf", false),
            ("application/rss+xml", true),
        ] {
            assert_eq!(is_text(media_type), expected, "{media_type}");
        }
    }

    #[test]
    fn lengths() {
        let of = |fields: &str| head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n")).length();
        assert_eq!(of("Content-Length: 7\r\ncontent-length: 7, 7\r\n"), Ok(Some(7)));
        assert_eq!(of(""), Ok(None));
        assert_eq!(of("Content-Length: 7\r\nTransfer-Encoding: chunked\r\n"), Ok(None));
        for wrong in ["-1", "+1", "a", "", "7, 8", "99999999999999999999999"] {
            assert!(of(&format!("Content-Length: {wrong}\r\n")).is_err(), "{wrong}");
        }
    }

    const ODD: &str = "HTTP/1.1 103 Early\r\nLink : a\r\n\r\nHTTP/1.1 200 OK: fine\r\nContent-Type : text/html;\r\n\t charset=koi8-r\n\
        Content-Length\t: 5\r\nX: 1\r\n\r\n a : b\r\n c";

    #[test]
    fn headers_that_browsers_take_are_read() {
        let head = Head::parse(ODD.as_bytes()).unwrap();
        assert_eq!((head.media_type().as_str(), head.charset().as_deref()), ("text/html", Some("koi8-r")));
        assert_eq!(head.value("Content-Type").as_deref(), Some("text/html; charset=koi8-r"));
        assert_eq!((head.length(), head.value("x").as_deref()), (Ok(Some(5)), Some("1")));
        let stored = "HTTP/1.1 200 OK: fine\r\nContent-Type : text/html;\r\n\t charset=koi8-r\r\nX: 1\r\nContent-Length: 5\r\n\r\n";
        assert_eq!(String::from_utf8(head.stored(5)).unwrap(), stored, "as they came");
    }

    #[test]
    fn headers_are_mended_wherever_they_are_cut() {
        let expected = "HTTP/1.1 103 Early\r\nLink:  a\r\n\r\nHTTP/1.1 200 OK: fine\r\nContent-Type:  text/html;  \t charset=koi8-r\n\
            Content-Length:\t 5\r\nX: 1\r\n\r\n a : b\r\n c";
        for cut in 0..=ODD.len() {
            for step in [1, ODD.len()] {
                let mut mender = Mender::default();
                let mut mended = mender.push(&ODD.as_bytes()[..cut]);
                ODD.as_bytes()[cut..].chunks(step).for_each(|part| mended.extend(mender.push(part)));
                mended.extend(mender.end());
                assert_eq!(String::from_utf8(mended).unwrap(), expected, "{cut} {step}");
            }
        }
        let mut mender = Mender::default();
        assert_eq!(mender.push(b"HTTP/1.1 200 OK\r\nX : 1\r\n"), b"HTTP/1.1 200 OK\r\n");
        assert_eq!(mender.end(), b"X:  1\r\n", "what was cut off");
    }

    #[test]
    fn a_stored_header_fits_the_body() {
        let stored = |fields: &str| {
            let head = head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n"));
            String::from_utf8(head.stored(5)).unwrap()
        };
        assert_eq!(
            stored("Transfer-Encoding: chunked\nContent-Encoding: gzip\r\n"),
            "HTTP/1.1 200 OK\r\nX-Crawler-Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n"
        );
        assert_eq!(stored("Content-Length: 5\r\n"), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
        assert_eq!(
            stored("content-length: 9\r\n"),
            "HTTP/1.1 200 OK\r\nX-Crawler-content-length: 9\r\nContent-Length: 5\r\n\r\n"
        );
    }
}
