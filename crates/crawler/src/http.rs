//! The header of an answer (RFC 9112), as it was sent and as it is stored.

use std::borrow::Cow;

/// Status and fields of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// With its empty line.
    bytes: Vec<u8>,
    status: u16,
}

impl Head {
    /// The header at the beginning of these bytes, but not one that only announces another (1xx). `None` if there is none.
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

    /// The number that tells how it went.
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
            .filter(move |(found, _)| found.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| String::from_utf8_lossy(value.trim_ascii()))
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

    /// How long the body is, if the header tells.
    ///
    /// # Errors
    /// If it tells no number, or two of them.
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

    /// The header for a body of `length` bytes without transfer coding. What is changed of the original gets the name
    /// `X-Crawler-<name>`, as in the files of Common Crawl.
    pub fn stored(&self, length: usize) -> Vec<u8> {
        let first = self.bytes.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut stored = self.bytes[..first].trim_ascii_end().to_vec();
        stored.extend_from_slice(b"\r\n");
        for (name, value) in self.fields() {
            let is_length = name.eq_ignore_ascii_case(b"content-length");
            if is_length && value.trim_ascii() == length.to_string().as_bytes() {
                continue; // it is written again below
            }
            if is_length || name.eq_ignore_ascii_case(b"transfer-encoding") {
                stored.extend_from_slice(b"X-Crawler-");
            }
            stored.extend_from_slice(&[name, b": ", value.trim_ascii(), b"\r\n"].concat());
        }
        stored.extend_from_slice(format!("Content-Length: {length}\r\n\r\n").as_bytes());
        stored
    }

    /// All fields. A line that continues another one counts to it.
    fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let lines = self.bytes.split(|&byte| byte == b'\n').skip(1);
        lines.filter_map(|line| {
            let colon = line.iter().position(|&byte| byte == b':')?;
            let name = &line[..colon];
            let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_graphic());
            is_name.then(|| (name, &line[colon + 1..]))
        })
    }
}

/// Whether something of this type can be text. Without a type it can.
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

/// Where the header at the beginning of these bytes ends.
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
