//! The HTTP response in the block of a `response` record.
//!
//! The header of the response is read with [`Header`], like a WARC header. A library for servers or browsers is not
//! used, because the header must be written again with its original lines, and crawls have status lines such as `HTTP/2
//! 200`.

use std::borrow::Cow;

use super::header::Header;
use super::{Body, coding, media_type};
use crate::Reason;

/// Fields that are wrong for a new body: encodings and checksums of the old one.
const OUTDATED: [&str; 7] =
    ["Content-Encoding", "Transfer-Encoding", "Trailer", "Content-MD5", "Digest", "Content-Digest", "Repr-Digest"];

/// Number of bytes of a body without a type that are searched for signs of HTML.
const BYTES_SCANNED_FOR_HTML: usize = 1024;

/// The page or text in the response. `None` if the response has neither.
pub(super) fn document(block: &[u8], limit: u64) -> Option<Result<Body<'_>, Reason>> {
    let (header, body) = Header::split_from(block).filter(|(header, _)| is_success(*header))?;
    let content_type = header.value("Content-Type");
    if content_type.as_deref().is_some_and(|content_type| !is_document(content_type)) {
        return None;
    }
    let bytes = match unpacked_body(header, body, limit) {
        Ok(bytes) => bytes,
        Err(reason) => return Some(Err(reason)),
    };
    let content_type = content_type.as_deref().or_else(|| looks_like_html(&bytes).then_some("text/html"))?;
    Body::new(bytes, content_type, limit)
}

/// Whether the body of a response has a coding that makes it shorter.
pub(super) fn is_packed(block: &[u8]) -> bool {
    Header::split_from(block).is_some_and(|(header, _)| header.value("Content-Encoding").is_some())
}

/// The body of a response with this header, without its codings. Fails if it is larger than `limit` bytes.
pub(super) fn unpacked_body<'b>(header: Header, body: &'b [u8], limit: u64) -> Result<Cow<'b, [u8]>, Reason> {
    let bytes = coding::unpacked(body, &codings(header), limit)?;
    if bytes.len() as u64 > limit { Err(Reason::BodyTooLarge { limit }) } else { Ok(bytes) }
}

/// The response with another body, which is not encoded.
pub(super) fn with_body(block: &[u8], body: &[u8]) -> Vec<u8> {
    let Some((header, _)) = Header::split_from(block) else {
        return body.to_vec();
    };
    let length = body.len().to_string();
    let mut changes = OUTDATED.map(|name| (name, None)).to_vec();
    changes.push(("Content-Length", Some(length.as_str())));
    let mut written = header.with(&changes);
    written.extend_from_slice(body);
    written
}

/// Whether the status is 2xx.
fn is_success(header: Header) -> bool {
    status(header).is_some_and(|status| status / 100 == 2)
}

/// The status of a response. `None` if the header is not that of a response.
pub(super) fn status(header: Header) -> Option<u16> {
    let line = String::from_utf8_lossy(header.first_line());
    let mut words = line.split_ascii_whitespace();
    let is_http =
        words.next().is_some_and(|word| word.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("HTTP/")));
    let is_status = |word: &&str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    words.next().filter(|_| is_http).filter(is_status)?.parse().ok()
}

fn is_document(content_type: &str) -> bool {
    let essence = media_type::essence(content_type);
    media_type::is_html(essence) || media_type::is_plain_text(essence)
}

/// All codings of the body, in the order in which they were applied.
fn codings(header: Header) -> Vec<String> {
    let fields = header.values("Content-Encoding").chain(header.values("Transfer-Encoding"));
    let codings = fields.flat_map(|field| field.split(',').map(|coding| coding.trim().to_owned()).collect::<Vec<_>>());
    codings.collect()
}

fn looks_like_html(bytes: &[u8]) -> bool {
    let head = bytes[..bytes.len().min(BYTES_SCANNED_FOR_HTML)].to_ascii_lowercase();
    let has = |tag: &[u8]| head.windows(tag.len()).any(|place| place == tag);
    has(b"<!doctype html") || has(b"<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_of(block: &[u8]) -> Option<(String, bool)> {
        let body = document(block, 99)?.expect("a body");
        Some((String::from_utf8_lossy(&body.bytes).into_owned(), body.is_html))
    }

    fn has_document(status: &str, fields: &str, body: &str) -> bool {
        document(format!("{status}\r\n{fields}\r\n{body}").as_bytes(), 99).is_some()
    }

    #[test]
    fn status_lines() {
        for status in ["HTTP/1.1 200 OK", "HTTP/1.0 203", "http/2 200 ", "HTTP/1.1  200 \u{fffd}"] {
            assert!(has_document(status, "Content-Type: text/plain\r\n", "a"), "{status}");
        }
        for status in
            ["HTTP/1.1 404 Not Found", "HTTP/1.1 301 200", "HTTP/1.1 2000", "HTTP/1.1", "ICY 200 OK", "", "é 200"]
        {
            assert!(!has_document(status, "Content-Type: text/plain\r\n", "a"), "{status}");
        }
    }

    #[test]
    fn types() {
        for (content_type, is_html) in [
            ("text/html", true),
            ("TEXT/HTML; charset=x", true),
            ("application/xhtml+xml", true),
            ("text/plain", false),
        ] {
            let block = format!("HTTP/1.1 200 OK\ncontent-type: {content_type}\n\na");
            assert_eq!(body_of(block.as_bytes()), Some(("a".to_owned(), is_html)), "{content_type}");
        }
        assert!(!has_document("HTTP/1.1 200 OK", "Content-Type: image/png\r\n", "<html>"));
        assert!(!has_document("HTTP/1.1 200 OK", "Content-Type:\r\n", "<html>"));
    }

    #[test]
    fn without_a_type_the_beginning_decides() {
        for (body, is_document) in
            [("\n<!DOCTYPE HTML><p>", true), ("<!-- x --><HTML lang=x>", true), ("<rss>", false), ("", false)]
        {
            assert_eq!(has_document("HTTP/1.1 200 OK", "", body), is_document, "{body}");
        }
    }

    #[test]
    fn a_body_with_nothing_in_it_is_no_document() {
        for body in ["", " \r\n"] {
            assert!(!has_document("HTTP/1.1 200 OK", "Content-Type: text/html\r\n", body));
        }
        // A header without an end has no body.
        assert!(document(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", 99).is_none());
    }

    #[test]
    fn codings_of_both_fields_are_undone() {
        let fields = "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\nContent-Encoding: identity , gzip\r\n";
        let packed = super::super::coding::tests::gzip("Rain.");
        let chunk = format!("{:x}\r\n", packed.len());
        let block = [format!("HTTP/1.1 200 OK\r\n{fields}\r\n{chunk}").as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
        assert_eq!(body_of(&block), Some(("Rain.".to_owned(), false)));
    }

    #[test]
    fn a_body_longer_than_the_limit_is_refused() {
        let block = [&b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n"[..], &[b'a'; 100]].concat();
        assert_eq!(document(&block, 99), Some(Err(Reason::BodyTooLarge { limit: 99 })));
        assert!(document(&block, 100).is_some_and(|body| body.is_ok()));
    }

    #[test]
    fn another_body_changes_what_is_said_of_it() {
        let fields = "Server: x\r\nCONTENT-LENGTH: 7\r\nContent-Encoding: gzip\r\nSet-Cookie: a\r\n\
            Transfer-Encoding: chunked\r\nContent-MD5: y\r\nSet-Cookie: b\r\n";
        let block = format!("HTTP/1.1 200 OK\r\n{fields}\r\nold");
        assert_eq!(
            String::from_utf8_lossy(&with_body(block.as_bytes(), b"<p>")),
            "HTTP/1.1 200 OK\r\nServer: x\r\nCONTENT-LENGTH: 3\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n<p>"
        );
        assert_eq!(with_body(b"HTTP/1.1 200 OK\n\n", b"a"), b"HTTP/1.1 200 OK\nContent-Length: 1\n\na");
        assert_eq!(with_body(b"HTTP", b"<p>"), b"<p>");
    }
}
