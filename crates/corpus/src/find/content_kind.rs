//! Tells from its content what a file without an extension contains.

use std::fs::File;
use std::io::Read;

use serde::de::IgnoredAny;

use crate::FileKind;
use crate::formats::records::first_byte;
use crate::read::compression::decompressed;
use crate::read::decode::decode;

/// Number of bytes that are looked at.
const START_BYTES: u64 = 64 * 1024;

/// What `file` contains. `None` if it is empty, binary or cannot be read.
pub(crate) fn content_kind(file: File) -> Option<FileKind> {
    let (_, input) = decompressed(Box::new(file)).ok()?;
    let mut start = Vec::new();
    // Damaged compressed data are reported when the file is read.
    let _ = input.take(START_BYTES).read_to_end(&mut start);
    of_content(&start)
}

fn of_content(start: &[u8]) -> Option<FileKind> {
    match first_byte(start)? {
        _ if start.starts_with(b"WARC/") => Some(FileKind::Warc),
        _ if start.starts_with(b"PAR1") => Some(FileKind::Parquet),
        _ if decode(start, None).is_err() => None,
        b'<' => Some(FileKind::Html),
        b'{' if is_object(line_of(start)) => Some(FileKind::JsonLines),
        b'{' if follows(start, b'{', b'"') => Some(FileKind::Json),
        b'[' if follows(start, b'[', b'{') => Some(FileKind::Json),
        _ => Some(FileKind::Text),
    }
}

/// The first line that is not blank.
fn line_of(start: &[u8]) -> &[u8] {
    let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start);
    let mut lines = text.split(|&byte| byte == b'\n');
    lines.find(|line| !line.trim_ascii().is_empty()).unwrap_or_default()
}

fn is_object(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// Whether the first `bracket` and white space are followed by `next`.
fn follows(start: &[u8], bracket: u8, next: u8) -> bool {
    let behind = start.iter().position(|&byte| byte == bracket).map_or(start, |at| &start[at + 1..]);
    behind.trim_ascii_start().first() == Some(&next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_shows_its_kind() {
        let cases: [(&[u8], Option<FileKind>); 14] = [
            (b"It rained.", Some(FileKind::Text)),
            (b"[1] It rained.", Some(FileKind::Text)),
            (b"{It rained.}", Some(FileKind::Text)),
            (b"\xff\xfeR\0a\0i\0n\0", Some(FileKind::Text)),
            (b"\xef\xbb\xbf \n<!DOCTYPE html>", Some(FileKind::Html)),
            (b"\xef\xbb\xbf\n{\"text\": \"a\"}\n{\"text", Some(FileKind::JsonLines)),
            (b"{\n \"text\": \"a\"\n}", Some(FileKind::Json)),
            (b" [\n {\"text\": \"a\"}]", Some(FileKind::Json)),
            (b"WARC/1.0\r\n", Some(FileKind::Warc)),
            (b"PAR1\x15\x04", Some(FileKind::Parquet)),
            (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0", None),
            (b"", None),
            (b" \n", None),
            (b"a;b\n1;2\n", Some(FileKind::Text)),
        ];
        for (content, kind) in cases {
            assert_eq!(of_content(content), kind, "{}", String::from_utf8_lossy(content));
        }
    }
}
