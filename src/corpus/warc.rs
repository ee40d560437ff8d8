//! WARC files, which crawlers write, and WET files, which are WARC files of texts.
//!
//! Takes what is in such a file, unpacked; gives its [`Records`] one after another. The records as they stand,
//! [`Record::raw`], are the file: whoever writes them all out again has changed nothing.

mod header;
mod records;
#[cfg(test)]
mod testing;
mod window;

use std::ops::Range;

use header::Header;

pub(super) use records::Records;

/// A record as it stands in the file: header and block, and the empty lines after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    raw: Vec<u8>,
    /// Where the block lies in `raw`, between header and empty lines.
    block: Range<usize>,
    id: Option<String>,
    url: Option<String>,
    kind: String,
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
    pub(super) fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Its name, `WARC-Record-ID`.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The address of what it holds, `WARC-Target-URI`.
    pub(super) fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Of which kind it is, `WARC-Type`; empty if it does not say so.
    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    fn block(&self) -> &[u8] {
        &self.raw[self.block.clone()]
    }
}

fn without_brackets(uri: &str) -> &str {
    uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')).unwrap_or(uri)
}

#[cfg(test)]
mod tests {
    use super::testing::{only, record};
    use super::*;

    #[test]
    fn names_lose_their_brackets() {
        let fields = "warc-type: response\nWARC-Record-ID: <urn:uuid:1>\nWARC-Target-URI: <http://a.org/>";
        let record = only(&testing::record(fields, b""));
        assert_eq!((record.id(), record.url(), record.kind()), (Some("urn:uuid:1"), Some("http://a.org/"), "response"));
        let record = only(&testing::record("WARC-Target-URI: a<b>", b""));
        assert_eq!((record.id(), record.url(), record.kind()), (None, Some("a<b>"), ""));
    }
}
