//! Decodes the body of an HTTP response.
//!
//! Takes the bytes of a body and the codings in its header. Returns the decoded bytes. Crawlers often store a decoded
//! body with its old header. So bytes that do not have the named coding are returned unchanged. Of a body that was cut
//! off, the part that can be decoded is returned, if the first bytes prove that the body was encoded.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read};

use flate2::{Decompress, FlushDecompress, Status};

use crate::Reason;

/// Number of bytes by which the output buffer grows at a time.
const BYTES_ADDED: usize = 32 * 1024;

/// Maximum number of codings. A header with more is not meant seriously and would be slow to decode, so it is ignored.
const MOST_CODINGS: usize = 8;

/// Decodes the `body`. `codings` are in the order in which they were applied. Fails if a step gives more than `limit`
/// bytes.
pub(super) fn unpacked<'b>(body: &'b [u8], codings: &[String], limit: u64) -> Result<Cow<'b, [u8]>, Reason> {
    let mut unpacked = Cow::Borrowed(body);
    if codings.len() > MOST_CODINGS {
        return Ok(unpacked);
    }
    // The coding that was applied last is removed first.
    for coding in codings.iter().rev() {
        let step = match without(coding, &unpacked, limit) {
            Unpacked::Whole(bytes) => bytes,
            Unpacked::NotPacked => continue,
            Unpacked::TooLarge => return Err(Reason::BodyTooLarge { limit }),
        };
        unpacked = Cow::Owned(step);
    }
    Ok(unpacked)
}

/// The result of decoding one coding.
#[derive(Debug, PartialEq, Eq)]
enum Unpacked {
    Whole(Vec<u8>),
    /// The bytes do not have the coding in the header.
    NotPacked,
    TooLarge,
}

fn without(coding: &str, bytes: &[u8], limit: u64) -> Unpacked {
    match coding.to_ascii_lowercase().as_str() {
        "chunked" => dechunked(bytes).map_or(Unpacked::NotPacked, Unpacked::Whole),
        "gzip" | "x-gzip" => ungzipped(bytes, limit),
        "deflate" => inflated(bytes, limit),
        "br" => unbrotlied(bytes, limit),
        "zstd" => unzstded(bytes, limit),
        _ => Unpacked::NotPacked,
    }
}

/// Joins the chunks. `None` if the bytes are not chunked. The last chunk may be cut off, but only if there is another
/// one before it, because a text can start with a number.
fn dechunked(bytes: &[u8]) -> Option<Vec<u8>> {
    const CRLF: &[u8] = b"\r\n";
    let mut joined = Vec::new();
    let mut rest = bytes;
    loop {
        let is_first = joined.is_empty();
        let Some((size, after)) = chunk_size(rest) else {
            let is_cut_off = rest.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'\r');
            return (is_cut_off && !is_first).then_some(joined);
        };
        if size == 0 {
            return Some(joined);
        }
        let Some((chunk, after)) = after.split_at_checked(size) else {
            joined.extend_from_slice(after);
            return (!is_first).then_some(joined);
        };
        joined.extend_from_slice(chunk);
        rest = after.strip_prefix(CRLF).or(CRLF.starts_with(after).then_some(b""))?;
    }
}

/// The size of the next chunk, and the bytes after the line with the size.
fn chunk_size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.iter().take(1024).position(|&byte| byte == b'\n')?;
    let line = str::from_utf8(bytes[..end].strip_suffix(b"\r")?).ok()?;
    let digits = line.split(';').next().unwrap_or_default().trim();
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let size = usize::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
    Some((size, &bytes[end + 1..]))
}

/// Joins all members. Other data after the last member are ignored, as browsers do.
fn ungzipped(bytes: &[u8], limit: u64) -> Unpacked {
    const MAGIC: &[u8] = b"\x1f\x8b";
    let mut unpacked = Vec::new();
    let mut rest = bytes;
    while rest.starts_with(MAGIC) {
        match inflate(Decompress::new_gzip(15), rest, &mut unpacked, limit) {
            Inflated::Until(used) => rest = &rest[used..],
            Inflated::CutOff => break,
            Inflated::Broken => return Unpacked::NotPacked,
            Inflated::TooLarge => return Unpacked::TooLarge,
        }
    }
    if bytes.starts_with(MAGIC) { Unpacked::Whole(unpacked) } else { Unpacked::NotPacked }
}

/// Decodes `deflate`: with the header of zlib, as the standard demands, or without, as some servers send it.
fn inflated(bytes: &[u8], limit: u64) -> Unpacked {
    let mut unpacked = Vec::new();
    if has_zlib_header(bytes) {
        match inflate(Decompress::new(true), bytes, &mut unpacked, limit) {
            Inflated::Until(_) | Inflated::CutOff => return Unpacked::Whole(unpacked),
            Inflated::TooLarge => return Unpacked::TooLarge,
            Inflated::Broken => unpacked.clear(),
        }
    }
    match inflate(Decompress::new(false), bytes, &mut unpacked, limit) {
        // Without a header, the stream must be the whole body. Many texts are the start of such a stream by chance.
        Inflated::Until(used) if used == bytes.len() => Unpacked::Whole(unpacked),
        Inflated::TooLarge => Unpacked::TooLarge,
        _ => Unpacked::NotPacked,
    }
}

fn has_zlib_header(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..] if first & 15 == 8 && u16::from_be_bytes([*first, *second]) % 31 == 0)
}

/// The result of inflating a stream.
enum Inflated {
    /// The stream ends after this many bytes.
    Until(usize),
    CutOff,
    Broken,
    TooLarge,
}

/// Decodes the stream at the start of `bytes` and appends the result to `unpacked`.
fn inflate(mut stream: Decompress, bytes: &[u8], unpacked: &mut Vec<u8>, limit: u64) -> Inflated {
    loop {
        let before = (stream.total_in(), stream.total_out());
        unpacked.reserve(BYTES_ADDED);
        let rest = &bytes[stream.total_in() as usize..];
        let status = stream.decompress_vec(rest, unpacked, FlushDecompress::None);
        match status {
            _ if unpacked.len() as u64 > limit => return Inflated::TooLarge,
            Err(_) => return Inflated::Broken,
            Ok(Status::StreamEnd) => return Inflated::Until(stream.total_in() as usize),
            Ok(_) if before == (stream.total_in(), stream.total_out()) => return Inflated::CutOff,
            Ok(_) => {}
        }
    }
}

/// Decodes Brotli. A body that was cut off counts as not packed, because no first bytes prove that it is Brotli.
fn unbrotlied(bytes: &[u8], limit: u64) -> Unpacked {
    let mut stream = brotli_decompressor::Decompressor::new(bytes, 4096);
    let (unpacked, end) = read_up_to(limit, &mut stream);
    if unpacked.len() as u64 > limit {
        return Unpacked::TooLarge;
    }
    // The decoder reports bytes after the end of the stream only if it is read beyond the end.
    let is_whole = end.is_ok() && matches!(stream.read(&mut [0]), Ok(0)) && stream.get_ref().is_empty();
    if is_whole { Unpacked::Whole(unpacked) } else { Unpacked::NotPacked }
}

fn unzstded(bytes: &[u8], limit: u64) -> Unpacked {
    let Ok(mut stream) = zstd::stream::read::Decoder::with_buffer(bytes) else {
        return Unpacked::NotPacked;
    };
    match read_up_to(limit, &mut stream) {
        (unpacked, _) if unpacked.len() as u64 > limit => Unpacked::TooLarge,
        (unpacked, Ok(())) => Unpacked::Whole(unpacked),
        (unpacked, Err(error)) if error.kind() == ErrorKind::UnexpectedEof && !unpacked.is_empty() => {
            Unpacked::Whole(unpacked)
        }
        (_, Err(_)) => Unpacked::NotPacked,
    }
}

/// Reads up to 1 byte more than `limit` from `stream`. Also returns the result of reading.
fn read_up_to(limit: u64, stream: &mut impl Read) -> (Vec<u8>, io::Result<()>) {
    let mut bytes = Vec::new();
    let read = stream.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    (bytes, read.map(drop))
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const PAGE: &str = "<html><p>Rain, and rain, and more rain again and again until the evening.";

    /// An empty stream and "Rain.\n" in Brotli, as stored blocks.
    const BROTLI: [&[u8]; 2] = [b"\x3b", b"\x0b\x02\x80Rain.\x03"];

    fn written<W: Write>(mut encoder: W, text: &str, finish: fn(W) -> io::Result<Vec<u8>>) -> Vec<u8> {
        encoder.write_all(text.as_bytes()).and_then(|()| finish(encoder)).expect("packed")
    }

    pub(in crate::formats::warc) fn gzip(text: &str) -> Vec<u8> {
        written(GzEncoder::new(Vec::new(), Compression::best()), text, GzEncoder::finish)
    }

    fn zlib(text: &str) -> Vec<u8> {
        written(ZlibEncoder::new(Vec::new(), Compression::best()), text, ZlibEncoder::finish)
    }

    fn raw_deflate(text: &str) -> Vec<u8> {
        written(DeflateEncoder::new(Vec::new(), Compression::best()), text, DeflateEncoder::finish)
    }

    fn zstd(text: &str) -> Vec<u8> {
        zstd::encode_all(text.as_bytes(), 3).expect("packed")
    }

    fn read(body: &[u8], codings: &[&str]) -> String {
        let codings: Vec<String> = codings.iter().map(|&coding| coding.to_owned()).collect();
        let unpacked = unpacked(body, &codings, 9999).expect("unpacked");
        String::from_utf8_lossy(&unpacked).into_owned()
    }

    #[test]
    fn bodies_are_unpacked_as_their_headers_say() {
        let packed = [
            ("gzip", gzip(PAGE)),
            ("X-GZIP", gzip(PAGE)),
            ("deflate", zlib(PAGE)),
            ("deflate", raw_deflate(PAGE)),
            ("zstd", zstd(PAGE)),
            ("identity", PAGE.into()),
        ];
        for (coding, bytes) in packed {
            assert_eq!(read(&bytes, &[coding]), PAGE, "{coding}");
        }
        assert_eq!(read(BROTLI[1], &["br"]), "Rain.");
    }

    #[test]
    fn several_codings_are_undone_in_reverse() {
        let both = zstd::encode_all(&gzip(PAGE)[..], 3).expect("packed");
        assert_eq!(read(&both, &["gzip", "zstd"]), PAGE);
    }

    #[test]
    fn too_many_codings_are_none() {
        let codings = |count| [vec!["identity"; count - 1], vec!["gzip"]].concat();
        assert_eq!(read(&gzip(PAGE), &codings(MOST_CODINGS)), PAGE);
        assert_ne!(read(&gzip(PAGE), &codings(MOST_CODINGS + 1)), PAGE);
    }

    #[test]
    fn members_and_frames_follow_one_another() {
        assert_eq!(read(&[gzip("a"), gzip("b"), b"junk".into()].concat(), &["gzip"]), "ab");
        assert_eq!(read(&[zstd("a"), zstd("b")].concat(), &["zstd"]), "ab");
    }

    #[test]
    fn bytes_that_are_not_packed_are_taken_as_they_are() {
        let texts = [PAGE, "b, read as deflate, is a beginning", "; in Brotli, this is the end", "2024\r\nA year.", ""];
        for text in texts {
            for coding in ["gzip", "deflate", "br", "zstd", "chunked", "utf-8"] {
                assert_eq!(read(text.as_bytes(), &[coding]), text, "{coding}");
            }
        }
        assert!(BROTLI.iter().all(|bytes| matches!(without("br", bytes, 9), Unpacked::Whole(_))));
    }

    #[test]
    fn of_a_body_that_is_cut_off_the_beginning_counts() {
        let page: String = (0..60_000).map(|number| format!("{number} ")).collect();
        for (coding, bytes) in [("gzip", gzip(&page)), ("deflate", zlib(&page)), ("zstd", zstd(&page))] {
            let Unpacked::Whole(unpacked) = without(coding, &bytes[..bytes.len() - 9], 999_999) else {
                panic!("{coding} was not read");
            };
            assert!(unpacked.len() > 999 && page.as_bytes().starts_with(&unpacked), "{coding}");
        }
    }

    #[test]
    fn what_is_damaged_is_not_unpacked() {
        let mut bytes = gzip(PAGE);
        bytes[20] ^= 0xff;
        assert_eq!(without("gzip", &bytes, 9999), Unpacked::NotPacked);
        // Without a header, the stream must be the whole body.
        assert_eq!(without("deflate", &[&raw_deflate(PAGE)[..], b"junk"].concat(), 9999), Unpacked::NotPacked);
    }

    #[test]
    fn bombs_are_refused() {
        let zeros = "0".repeat(1_000_000);
        let packed = [
            ("gzip", gzip(&zeros)),
            ("deflate", zlib(&zeros)),
            ("deflate", raw_deflate(&zeros)),
            ("zstd", zstd(&zeros)),
        ];
        for (coding, bytes) in packed {
            let reason = unpacked(&bytes, &[coding.to_owned()], 999_999).expect_err(coding);
            assert_eq!(reason, Reason::BodyTooLarge { limit: 999_999 });
            assert!(matches!(without(coding, &bytes, 1_000_000), Unpacked::Whole(_)));
        }
        assert_eq!(without("br", BROTLI[1], 4), Unpacked::TooLarge);
    }

    #[test]
    fn chunks_are_joined() {
        assert_eq!(
            read(b"3\r\none\r\n0A;name=value\r\n, two\r\n...\r\n0\r\nTrailer: x\r\n\r\n", &["Chunked"]),
            "one, two\r\n..."
        );
        for end in ["", "\r", "\r\n", "\r\n4", "\r\n4\r", "\r\n4\r\n", "\r\n0\r\n"] {
            assert_eq!(read(format!("3\r\none{end}").as_bytes(), &["chunked"]), "one", "{end:?}");
        }
        assert_eq!(read(b"3\r\none\r\n9\r\n, two", &["chunked"]), "one, two");
    }

    #[test]
    fn what_only_begins_like_chunks_is_taken_as_it_is() {
        for text in [
            "3\none\n0\n\n",
            "3\r\nfour\r\n",
            "3\r\none\r\nmore",
            "+3\r\none\r\n0\r\n\r\n",
            "9\r\none",
            "fffffffffffffffff\r\n",
        ] {
            assert_eq!(read(text.as_bytes(), &["chunked"]), text);
        }
    }
}
