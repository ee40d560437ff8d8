//! Files that hold many documents, and compressed ones, as other programs write them.

use std::io::{Read, Write};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("compressed")
}

/// The uncompressed content, if it is compressed and complete.
pub fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut behind = Vec::new();
    match bytes {
        [0x1f, 0x8b, ..] => flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut behind).expect("whole gzip"),
        [0x28, 0xb5, ..] => zstd::stream::copy_decode(bytes, &mut behind).map(|()| 0).expect("whole zstd"),
        _ => return bytes.to_vec(),
    };
    behind
}

/// A WARC record of a text, as WET files have them.
pub fn conversion(url: &str, text: &str) -> Vec<u8> {
    record(&format!("WARC-Type: conversion\r\nWARC-Target-URI: {url}\r\nContent-Type: text/plain"), text.as_bytes())
}

/// A WARC record of a page as a server sent it, with the fields of its header.
pub fn response(url: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n").as_bytes(), body].concat();
    let kind = "Content-Type: application/http; msgtype=response";
    record(&format!("WARC-Type: response\r\nWARC-Target-URI: {url}\r\n{kind}"), &block)
}

/// A WARC record with these fields.
pub fn record(fields: &str, block: &[u8]) -> Vec<u8> {
    record_of_length(fields, &format!("Content-Length: {}\r\n", block.len()), block)
}

/// A WARC record with this value as its length.
pub fn record_of_length(fields: &str, length: &str, block: &[u8]) -> Vec<u8> {
    let id = block.iter().fold(block.len() as u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    let id = format!("WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{:012x}>", id & 0xffff_ffff_ffff);
    let header = format!("WARC/1.0\r\n{fields}\r\n{id}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n{length}\r\n");
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}
