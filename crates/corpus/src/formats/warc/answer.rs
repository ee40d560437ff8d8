//! The answers of servers in a crawl: pages, and also feeds and redirects.

use std::borrow::Cow;

use super::header::Header;
use super::{http, media_type};
use crate::Reason;

/// The answer of a server in a `response` record.
#[derive(Debug, Clone)]
pub struct Answer<'r> {
    /// The URL that was asked for.
    pub url: &'r str,
    /// The date of the answer, as the crawler wrote it (`WARC-Date`). Empty if the crawler wrote none.
    pub date: Cow<'r, str>,
    /// The HTTP status.
    pub status: u16,
    /// The address to which the server redirects.
    pub location: Option<Cow<'r, str>>,
    /// The type of the content in lower case, without parameters: as the crawler identified it, or else as the server
    /// declared it. Empty if neither did.
    pub content_type: String,
    /// Whether the crawler identified the content as a feed.
    pub is_feed: bool,
    header: Header<'r>,
    body: &'r [u8],
}

impl<'r> Answer<'r> {
    /// The answer in the block of a record. `None` if the block has no HTTP header.
    pub(super) fn new(
        url: &'r str,
        date: Cow<'r, str>,
        identified: Option<Cow<'r, str>>,
        block: &'r [u8],
    ) -> Option<Answer<'r>> {
        let (header, body) = Header::split_from(block)?;
        let essence = |value: Cow<str>| media_type::essence(&value).to_ascii_lowercase();
        let identified = identified.map(essence).filter(|essence| !essence.is_empty());
        let is_feed = identified.as_deref().is_some_and(media_type::is_feed);
        let content_type = identified.or_else(|| header.value("Content-Type").map(essence)).unwrap_or_default();
        let location = header.value("Location").filter(|location| !location.is_empty());
        Some(Answer { url, date, status: http::status(header)?, location, content_type, is_feed, header, body })
    }

    /// Its content, unpacked.
    ///
    /// # Errors
    /// If it is larger than `limit` bytes.
    pub fn body(&self, limit: u64) -> Result<Cow<'r, [u8]>, Reason> {
        http::unpacked_body(self.header, self.body, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{LIMIT, only, record};

    const FIELDS: &str = "WARC-Type: response\nWARC-Target-URI: <http://a.org/x>\nWARC-Date: 2024-01-01T00:00:00Z";

    #[test]
    fn it_has_what_the_server_said() {
        let block = b"HTTP/1.1 301 Moved\r\nlocation: /y\r\nContent-Type: Text/HTML; charset=x\r\n\r\ngone";
        let record = only(&record(FIELDS, block));
        let answer = record.answer().expect("an answer");
        assert_eq!((answer.url, &*answer.date), ("http://a.org/x", "2024-01-01T00:00:00Z"));
        assert_eq!((answer.status, answer.location.as_deref()), (301, Some("/y")));
        assert_eq!((answer.content_type.as_str(), answer.is_feed), ("text/html", false));
        assert_eq!(answer.body(LIMIT).as_deref(), Ok(&b"gone"[..]));
        assert!(answer.body(3).is_err());
    }

    #[test]
    fn the_crawler_knows_better_what_it_is() {
        let fields = format!("{FIELDS}\nWARC-Identified-Payload-Type: application/RSS+xml");
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<rss>";
        let record = only(&record(&fields, block));
        let answer = record.answer().expect("an answer");
        assert_eq!((answer.content_type.as_str(), answer.is_feed), ("application/rss+xml", true));
    }

    #[test]
    fn other_records_are_no_answers() {
        let has_answer = |fields: &str, block: &[u8]| only(&record(fields, block)).answer().is_some();
        let block = b"HTTP/1.1 200 OK\r\n\r\na";
        assert!(has_answer(FIELDS, block));
        assert!(!has_answer(&FIELDS.replace("response", "resource"), block));
        assert!(!has_answer("WARC-Type: response", block));
        assert!(!has_answer(&format!("{FIELDS}\nWARC-Segment-Number: 1"), block));
        assert!(!has_answer(FIELDS, b"no header"));
        assert!(!has_answer(FIELDS, b"GET / HTTP/1.1\r\n\r\n"));
    }
}
