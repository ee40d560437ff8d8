//! Records for tests.

use super::{Record, Records};
use crate::Reason;

pub(super) const LIMIT: u64 = 1 << 20;

/// A record with these fields, one per line.
pub(super) fn record(fields: &str, block: &[u8]) -> Vec<u8> {
    let fields: String = fields.lines().map(|field| format!("{field}\r\n")).collect();
    let length = block.len();
    let header = format!("WARC/1.0\r\n{fields}Content-Length: {length}\r\n\r\n");
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A page as a server sends it, with these HTTP fields, one per line.
pub(super) fn response(fields: &str, body: &[u8]) -> Vec<u8> {
    let fields: String = fields.lines().map(|field| format!("{field}\r\n")).collect();
    let block = [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat();
    record("WARC-Type: response\nContent-Type: application/http; msgtype=response", &block)
}

pub(super) fn read(file: &[u8]) -> Vec<Result<Record, Reason>> {
    let mut records = Records::new(file, LIMIT);
    std::iter::from_fn(|| records.next()).collect()
}

/// The only record of a file.
pub(super) fn only(file: &[u8]) -> Record {
    match &read(file)[..] {
        [Ok(record)] => record.clone(),
        other => panic!("not one record: {other:?}"),
    }
}
