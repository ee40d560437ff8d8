//! WARC files, which crawlers write, and WET files, which are WARC files of texts.
//!
//! Takes the unpacked content of such a file. Returns its [`Records`] one after another, the document in each record,
//! and each record with its document replaced. Together, the unchanged records ([`Record::raw`]) are the file. So if
//! some records are rewritten and the others copied, nothing else changes.
//!
//! Documents are pages and plain texts: those in `response` records over HTTP with a status of 2xx, those in `resource`
//! records, and the plain texts in `conversion` records. All other records are kept unchanged.
//!
//! If the text of a page is cleaned, the result is no longer a page. It is written as a `conversion` record, a type
//! that WARC has for this purpose and WET files use. The new record has the fields of the original record in the same
//! order, except those that would be wrong. `WARC-Refers-To` names the original record. The new `WARC-Record-ID` is a
//! hash of the original one, so the same input gives the same bytes. If the markup of a page is cleaned, the record
//! stays a `response`, without encodings.
//!
//! A `response` record that the crawler identified as a feed, a sitemap or a robots.txt
//! (`WARC-Identified-Payload-Type`) is not a document, whatever type the server gave it.
//!
//! A record that is one of several segments of a document is kept unchanged, because the content of the other segments
//! is not known.

mod answer;
mod coding;
mod header;
mod http;
mod media_type;
mod records;
#[cfg(test)]
mod testing;
mod window;

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::Encoding;

use header::Header;

use crate::Reason;
use crate::read::reading::USUAL_RATIO;

pub use answer::Answer;
pub(crate) use records::Records;

/// Checksums of the block, and of the document in it.
const DIGESTS: [&str; 2] = ["WARC-Block-Digest", "WARC-Payload-Digest"];

/// Fields of a downloaded page that a text made from it cannot have.
const OF_CAPTURES: [&str; 3] = ["WARC-Concurrent-To", "WARC-IP-Address", IDENTIFIED_TYPE];

/// The field with the type of the content as the crawler identified it.
const IDENTIFIED_TYPE: &str = "WARC-Identified-Payload-Type";

const UTF_8_TEXT: &str = "text/plain; charset=utf-8";

/// A record as it is in the file: header, block, and the empty lines after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    raw: Vec<u8>,
    /// The range of the block in `raw`, between header and empty lines.
    block: Range<usize>,
    id: Option<String>,
    url: Option<String>,
    kind: String,
}

/// The document in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body<'r> {
    /// Its bytes, unpacked.
    pub(crate) bytes: Cow<'r, [u8]>,
    /// Whether it is an HTML page. Otherwise it is plain text.
    pub(crate) is_html: bool,
    /// The encoding in the header of the response or, without a response, in the header of the record.
    pub(crate) encoding: Option<&'static Encoding>,
}

impl Record {
    fn new(raw: Vec<u8>, header_end: usize, block_end: usize) -> Record {
        let header = Header::new(&raw[..header_end]);
        let id = header.value("WARC-Record-ID").map(|id| without_brackets(&id).to_owned());
        let url = header.value("WARC-Target-URI").map(|url| without_brackets(&url).to_owned());
        let kind = header.value("WARC-Type").unwrap_or_default().into_owned();
        Record { block: header_end..block_end, id, url, kind, raw }
    }

    /// All its bytes.
    pub(crate) fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Its id, `WARC-Record-ID`.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The name of the record's document: the id of the record or, without one, its number in the file.
    pub(crate) fn name(&self, number: u64) -> String {
        self.id().map_or_else(|| number.to_string(), str::to_owned)
    }

    /// The URL of its content, `WARC-Target-URI`.
    pub(crate) fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Its type, `WARC-Type`. Empty if it has none.
    #[cfg(test)]
    fn kind(&self) -> &str {
        &self.kind
    }

    /// The document in the record. `None` if there is none, or only an empty one. Fails if the unpacked document is
    /// larger than `limit` bytes.
    pub(crate) fn document(&self, limit: u64) -> Option<Result<Body<'_>, Reason>> {
        let content_type = self.header().value("Content-Type").unwrap_or_default();
        let essence = media_type::essence(&content_type);
        let is_plain_text = media_type::is_plain_text(essence);
        let holds_it = match &self.kind {
            _ if self.header().value("WARC-Segment-Number").is_some() => false,
            _ if self.is_response() => return self.response(&content_type, limit),
            _ if self.is("resource") => is_plain_text || media_type::is_html(essence),
            _ => self.is("conversion") && is_plain_text,
        };
        holds_it.then(|| Body::new(self.block().into(), &content_type, limit)).flatten()
    }

    /// The approximate size of the record's document, unpacked, in bytes.
    pub(crate) fn about(&self) -> u64 {
        let bytes = self.block().len() as u64;
        if self.is_response() && http::is_packed(self.block()) { USUAL_RATIO * bytes } else { bytes }
    }

    /// The record with its document replaced by the cleaned text: a `conversion` record of plain text in UTF-8.
    pub(crate) fn with_text(&self, text: &str) -> Vec<u8> {
        if self.is("conversion") {
            return self.with_block(&self.as_utf_8(), text.as_bytes());
        }
        let id = format!("<{}>", self.derived_id());
        let origin = self.id().map(|id| format!("<{id}>"));
        let mut changes = vec![
            ("WARC-Type", Some("conversion")),
            ("WARC-Record-ID", Some(id.as_str())),
            ("WARC-Refers-To", origin.as_deref()),
            ("Content-Type", Some(UTF_8_TEXT)),
        ];
        changes.extend(OF_CAPTURES.map(|name| (name, None)));
        self.with_block(&changes, text.as_bytes())
    }

    /// The record with its document replaced by the cleaned page. `page` must be in the encoding of the original page.
    pub(crate) fn with_page(&self, page: &[u8]) -> Vec<u8> {
        match self.is_response() {
            true => self.with_block(&[], &http::with_body(self.block(), page)),
            false => self.with_block(&[], page),
        }
    }

    /// The answer of the server, if the record is a `response` over HTTP.
    pub(crate) fn answer(&self) -> Option<Answer<'_>> {
        let header = self.header();
        let is_whole = header.value("WARC-Segment-Number").is_none();
        let content_type = header.value("Content-Type").unwrap_or_default();
        let holds_it = self.is_response() && is_whole && is_http_response(&content_type);
        let url = self.url().filter(|_| holds_it)?;
        let date = header.value("WARC-Date").unwrap_or_default();
        Answer::new(url, date, header.value(IDENTIFIED_TYPE), self.block())
    }

    fn response(&self, content_type: &str, limit: u64) -> Option<Result<Body<'_>, Reason>> {
        let identified = self.header().value(IDENTIFIED_TYPE).unwrap_or_default();
        let is_no_document = media_type::is_for_crawlers(media_type::essence(&identified));
        let is_response = is_http_response(content_type) && !is_no_document;
        is_response.then(|| http::document(self.block(), limit)).flatten()
    }

    /// The changes in the header if the text is written in UTF-8.
    fn as_utf_8(&self) -> Vec<(&'static str, Option<&'static str>)> {
        let content_type = self.header().value("Content-Type").unwrap_or_default();
        let charset = media_type::parameter(&content_type, "charset");
        let is_true = charset.is_none_or(|charset| charset.eq_ignore_ascii_case("utf-8"));
        if is_true { Vec::new() } else { vec![("Content-Type", Some(UTF_8_TEXT))] }
    }

    fn with_block(&self, changes: &[(&str, Option<&str>)], block: &[u8]) -> Vec<u8> {
        let length = block.len().to_string();
        let mut changes = changes.to_vec();
        changes.push(("Content-Length", Some(&length)));
        changes.extend(DIGESTS.map(|name| (name, None)));
        let header = self.header();
        [&header.with(&changes), block, header.line_end(), header.line_end()].concat()
    }

    /// The id of a record that is made from this one. It depends only on the id of this record or, if it has none, on
    /// all its bytes.
    fn derived_id(&self) -> String {
        uuid_of(self.id().map_or(self.raw(), str::as_bytes))
    }

    fn header(&self) -> Header<'_> {
        Header::new(&self.raw[..self.block.start])
    }

    fn block(&self) -> &[u8] {
        &self.raw[self.block.clone()]
    }

    fn is_response(&self) -> bool {
        self.is("response")
    }

    fn is(&self, kind: &str) -> bool {
        self.kind.eq_ignore_ascii_case(kind)
    }
}

impl<'r> Body<'r> {
    /// The document with these bytes. `None` if it is empty. Fails if it is larger than `limit`.
    fn new(bytes: Cow<'r, [u8]>, content_type: &str, limit: u64) -> Option<Result<Body<'r>, Reason>> {
        if bytes.trim_ascii().is_empty() {
            return None;
        }
        if bytes.len() as u64 > limit {
            return Some(Err(Reason::BodyTooLarge { limit }));
        }
        let is_html = media_type::is_html(media_type::essence(content_type));
        Some(Ok(Body { bytes, is_html, encoding: media_type::encoding(content_type) }))
    }
}

/// Whether a record with this content type holds the answer of a server over HTTP.
fn is_http_response(content_type: &str) -> bool {
    let is_http = media_type::essence(content_type).eq_ignore_ascii_case("application/http");
    let kind = media_type::parameter(content_type, "msgtype");
    let is_answer = kind.is_none_or(|kind| kind.eq_ignore_ascii_case("response"));
    content_type.is_empty() || is_http && is_answer
}

fn without_brackets(uri: &str) -> &str {
    uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')).unwrap_or(uri)
}

/// A UUID of version 8, which is for custom methods: the 128-bit FNV-1a hash of the bytes.
fn uuid_of(bytes: &[u8]) -> String {
    let fnv =
        |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    let hash = bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, fnv);
    let (version, variant) = (0x8000_u128 << 64, 0x8000_u128 << 48);
    let marked = hash & !(0xf000 << 64) & !(0xc000 << 48) | version | variant;
    let digits = format!("{marked:032x}");
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    format!("urn:uuid:{}", parts.join("-"))
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use encoding_rs::{UTF_8, WINDOWS_1251};
    use proptest::prelude::*;

    use super::testing::{LIMIT, only, read, record, response};
    use super::*;

    const PAGE: &str = "Content-Type: text/html; charset=windows-1251\nContent-Encoding: br\nX-A: b";

    fn document_of(record: &Record) -> Option<(String, bool)> {
        let body = record.document(LIMIT)?.expect("a document");
        Some((String::from_utf8_lossy(&body.bytes).into_owned(), body.is_html))
    }

    /// The lines of a record, also of its block.
    fn lines(record: &[u8]) -> Vec<String> {
        String::from_utf8_lossy(record).split("\r\n").map(str::to_owned).collect()
    }

    #[test]
    fn names_lose_their_brackets() {
        let fields = "warc-type: response\nWARC-Record-ID: <urn:uuid:1>\nWARC-Target-URI: <http://a.org/>";
        let record = only(&testing::record(fields, b""));
        assert_eq!((record.id(), record.url(), record.kind()), (Some("urn:uuid:1"), Some("http://a.org/"), "response"));
        let record = only(&testing::record("WARC-Target-URI: a<b>", b""));
        assert_eq!((record.id(), record.url(), record.kind()), (None, Some("a<b>"), ""));
    }

    #[test]
    fn responses_hold_pages() {
        let record = only(&response("Content-Type: text/html; charset=cp1251", b"<p>"));
        let body = record.document(LIMIT).expect("a document").expect("its body");
        assert_eq!((&body.bytes[..], body.is_html, body.encoding), (&b"<p>"[..], true, Some(WINDOWS_1251)));
        assert!(matches!(body.bytes, Cow::Borrowed(_)));
    }

    #[test]
    fn other_records_hold_what_their_type_says() {
        let cases = [
            ("resource", "text/html", Some(true)),
            ("resource", "text/plain; charset=utf-8", Some(false)),
            ("Conversion", "Text/Plain", Some(false)),
            ("conversion", "text/html", None),
            ("resource", "image/png", None),
            ("response", "text/html", None),
            ("metadata", "text/plain", None),
            ("warcinfo", "text/plain", None),
            ("", "text/plain", None),
        ];
        for (kind, content_type, expected) in cases {
            let record = only(&record(&format!("WARC-Type: {kind}\nContent-Type: {content_type}"), b"a"));
            let expected = expected.map(|is_html| ("a".to_owned(), is_html));
            assert_eq!(document_of(&record), expected, "{kind} {content_type}");
        }
    }

    #[test]
    fn requests_revisits_and_segments_hold_nothing() {
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\na";
        let has_document = |fields: &str| document_of(&only(&record(fields, block))).is_some();
        assert!(has_document("WARC-Type: response\nContent-Type: application/http"));
        assert!(has_document("WARC-Type: response\nContent-Type: application/http;msgtype=Response"));
        assert!(has_document("WARC-Type: response"));
        assert!(!has_document("WARC-Type: response\nContent-Type: application/http; msgtype=request"));
        assert!(!has_document("WARC-Type: response\nWARC-Segment-Number: 1"));
        assert!(!has_document("WARC-Type: revisit\nContent-Type: application/http; msgtype=response"));
        assert!(!has_document("WARC-Type: request\nContent-Type: application/http"));
    }

    #[test]
    fn what_the_crawler_takes_for_a_feed_or_robots_is_no_document() {
        let has_document = |identified: &str| {
            let fields = format!("WARC-Type: response\nWARC-Identified-Payload-Type: {identified}");
            let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<rss><p>a";
            document_of(&only(&record(&fields, block))).is_some()
        };
        for identified in [
            "application/rss+xml",
            "Application/Atom+XML",
            "application/rdf+xml",
            "application/feed+json; charset=utf-8",
            "application/x-sitemap+xml",
            "text/x-robots",
        ] {
            assert!(!has_document(identified), "{identified}");
        }
        // For all other types, the type that the server gave decides.
        for identified in ["text/html", "application/xml", "text/plain", "image/png", "application/octet-stream", ""] {
            assert!(has_document(identified), "{identified}");
        }
    }

    #[test]
    fn only_a_response_is_told_what_it_is() {
        let fields = "WARC-Type: resource\nWARC-Identified-Payload-Type: text/x-robots\nContent-Type: text/plain";
        assert_eq!(document_of(&only(&record(fields, b"a"))), Some(("a".to_owned(), false)));
    }

    #[test]
    fn a_record_of_white_space_holds_nothing() {
        assert_eq!(document_of(&only(&record("WARC-Type: conversion\nContent-Type: text/plain", b" \n"))), None);
    }

    #[test]
    fn a_text_in_the_place_of_a_page_is_a_conversion() {
        let fields = "WARC-Type: response\nWARC-Target-URI: http://a.org/\nWARC-Date: 2024-01-01T00:00:00Z\n\
            WARC-Record-ID: <urn:uuid:1>\nWARC-IP-Address: 1.2.3.4\nWARC-Payload-Digest: sha1:A\nX-Own: é\n\
            WARC-Concurrent-To: <urn:uuid:2>\nWARC-Concurrent-To: <urn:uuid:3>\nWARC-Block-Digest: sha1:B\n\
            WARC-Identified-Payload-Type: text/html\nContent-Type: application/http; msgtype=response";
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Rain";
        let cleaned = only(&record(fields, block)).with_text("Größe");
        let expected = [
            "WARC/1.0",
            "WARC-Type: conversion",
            "WARC-Target-URI: http://a.org/",
            "WARC-Date: 2024-01-01T00:00:00Z",
            "WARC-Record-ID: <urn:uuid:c36241e1-fee3-8654-87b2-3e4b92ae8640>",
            "X-Own: é",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Length: 7",
            "WARC-Refers-To: <urn:uuid:1>",
            "",
            "Größe",
            "",
            "",
        ];
        assert_eq!(lines(&cleaned), expected);
        let cleaned = only(&cleaned);
        assert_eq!(document_of(&cleaned), Some(("Größe".to_owned(), false)));
        assert_eq!(cleaned.document(LIMIT).and_then(Result::ok).and_then(|body| body.encoding), Some(UTF_8));
    }

    #[test]
    fn names_of_texts_are_made_from_those_of_pages() {
        let id = |fields: &str, block: &[u8]| only(&only(&record(fields, block)).with_text("")).id().map(str::to_owned);
        let (first, second) = (id("WARC-Record-ID: <a>", b"1"), id("WARC-Record-ID: <b>", b"1"));
        assert_ne!(first, second);
        assert_eq!(first, id("WARC-Record-ID: <a>", b"2"));
        // Without an id, the new id depends on all bytes of the record.
        assert_ne!(id("", b"1"), id("", b"2"));
        assert!(!only(&only(&record("", b"1")).with_text("")).raw().windows(6).any(|place| place == b"Refers"));
    }

    #[test]
    fn a_text_in_the_place_of_a_text_leaves_the_record_as_it_is() {
        let wet = |content_type: &str, digest: &str, block: &str| {
            let fields = format!(
                "WARC-Type: conversion\nWARC-Record-ID: <a>\nWARC-Refers-To: <b>{digest}\nContent-Type: {content_type}"
            );
            record(&fields, block.as_bytes())
        };
        let digest = "\nWARC-Block-Digest: sha1:A";
        for content_type in ["text/plain", "text/plain; charset=UTF-8"] {
            assert_eq!(only(&wet(content_type, digest, "old")).with_text("é"), wet(content_type, "", "é"));
        }
        assert_eq!(only(&wet("text/plain;charset=latin1", "", "old")).with_text("é"), wet(UTF_8_TEXT, "", "é"));
    }

    #[test]
    fn a_page_in_the_place_of_a_page_is_a_response_that_is_not_packed() {
        let packed = only(&response(PAGE, b"old"));
        let cleaned = packed.with_page(b"<p>\xff");
        assert_eq!(
            String::from_utf8_lossy(&cleaned),
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n\
            Content-Length: 97\r\n\r\n\
            HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=windows-1251\r\nX-A: b\r\nContent-Length: 4\r\n\r\n\
            <p>\u{fffd}\r\n\r\n"
        );
        let cleaned = only(&cleaned);
        let body = cleaned.document(LIMIT).expect("a document").expect("its body");
        assert_eq!((&body.bytes[..], body.encoding), (&b"<p>\xff"[..], Some(WINDOWS_1251)));
        let resource = |block: &[u8]| record("WARC-Type: resource\nContent-Type: text/html", block);
        assert_eq!(only(&resource(b"old")).with_page(b"<p>"), resource(b"<p>"));
    }

    #[test]
    fn line_ends_are_those_of_the_record() {
        let record = only(b"WARC/1.0\nWARC-Type: conversion\nContent-Type: text/plain\nContent-Length: 1\n\na");
        let cleaned = "WARC/1.0\nWARC-Type: conversion\nContent-Type: text/plain\nContent-Length: 2\n\nbc\n\n";
        assert_eq!(String::from_utf8_lossy(&record.with_text("bc")), cleaned);
    }

    #[test]
    fn uuids_are_well_formed() {
        for bytes in [&b""[..], b"a", b"urn:uuid:1"] {
            let uuid = uuid_of(bytes);
            let parts: Vec<&str> = uuid.strip_prefix("urn:uuid:").expect("a URN").split('-').collect();
            assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
            assert!(parts[2].starts_with('8') && parts[3].starts_with(['8', '9', 'a', 'b']), "{uuid}");
        }
    }

    /// A small file with records of many kinds.
    static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let packed = coding::tests::gzip("<html><p>Rain in the afternoon.");
        let chunked = [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
        [
            record("WARC-Type: warcinfo\nContent-Type: application/warc-fields", b"software: x\r\n"),
            response("Content-Type: text/html\nContent-Encoding: gzip\nTransfer-Encoding: chunked", &chunked),
            response("Content-Type: text/html; charset=\"latin1\"\nContent-Encoding: deflate, br", b"<p>Rain"),
            response("Content-Encoding: zstd", &zstd::encode_all(&b"<html>Rain"[..], 1).expect("packed")),
            record(
                "WARC-Type: conversion\nWARC-Record-ID: <urn:uuid:1>\nContent-Type: text/plain",
                b"Rain\r\n\r\nRain",
            ),
        ]
        .concat()
    });

    #[derive(Debug, Clone)]
    enum Damage {
        Byte(prop::sample::Index, u8),
        Cut(prop::sample::Index, usize),
        Copy(prop::sample::Index, prop::sample::Index, usize),
        Text(prop::sample::Index, &'static str),
    }

    fn damage() -> impl Strategy<Value = Damage> {
        let texts =
            ["WARC/1.0\r\n", "\r\n\r\n", "Content-Length: ", "99999999999", "-", "gzip, ", "br, ", "deflate, ", "\n "];
        prop_oneof![
            any::<(prop::sample::Index, u8)>().prop_map(|(at, byte)| Damage::Byte(at, byte)),
            (any::<prop::sample::Index>(), 0..99_usize).prop_map(|(at, length)| Damage::Cut(at, length)),
            (any::<(prop::sample::Index, prop::sample::Index)>(), 0..99_usize)
                .prop_map(|((from, to), length)| Damage::Copy(from, to, length)),
            (any::<prop::sample::Index>(), prop::sample::select(texts.to_vec()))
                .prop_map(|(at, text)| Damage::Text(at, text)),
        ]
    }

    fn damaged(mut file: Vec<u8>, damages: Vec<Damage>) -> Vec<u8> {
        for damage in damages {
            // Makes sure that there is at least 1 byte to damage.
            file.push(b'.');
            let size = file.len();
            let stretch = |at: prop::sample::Index, length: usize| at.index(size)..size.min(at.index(size) + length);
            match damage {
                Damage::Byte(at, byte) => file[at.index(size)] = byte,
                Damage::Cut(at, length) => drop(file.drain(stretch(at, length))),
                Damage::Copy(from, to, length) => {
                    let copy = file[stretch(from, length)].to_vec();
                    file.splice(to.index(size)..to.index(size), copy);
                }
                Damage::Text(at, text) => drop(file.splice(at.index(size)..at.index(size), text.bytes())),
            }
        }
        file
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn no_damage_does_harm(damages in prop::collection::vec(damage(), 1..6)) {
            let file = damaged(FILE.clone(), damages);
            let start = std::time::Instant::now();
            let mut rest = &file[..];
            for record in read(&file).iter().flatten() {
                let place = rest.windows(record.raw().len()).position(|place| place == record.raw());
                prop_assert!(place.is_some());
                rest = &rest[place.unwrap_or_default() + record.raw().len()..];
                let _ = record.document(LIMIT);
                for written in [record.with_text("new"), record.with_page(b"<p>new")] {
                    prop_assert!(matches!(&read(&written)[..], [Ok(_)]), "{}", String::from_utf8_lossy(&written));
                }
            }
            prop_assert!(start.elapsed().as_secs() < 5);
        }
    }
}
