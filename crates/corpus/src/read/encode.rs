//! Encodes text to bytes.
//!
//! Takes the bytes of a page, how they were decoded, and a new text for the page. Returns the bytes of this text in the
//! encoding of the page, with a byte order mark if the page had one. So unchanged text has the same bytes as before,
//! and the encoding that the page declares is still right.
//!
//! An encoding may have several byte sequences for one character, and invalid bytes became U+FFFD. So the old text may
//! not encode to the original bytes, and then neither would unchanged parts of the new text. In this case the new text
//! is written as UTF-8 with a byte order mark, which browsers trust more than any declaration.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::read::decode::Decoded;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The bytes of a page.
#[derive(Debug, PartialEq, Eq)]
pub struct Encoded {
    /// All its bytes.
    pub bytes: Vec<u8>,
    /// Whether the bytes are UTF-8, because in the page's own encoding the old text does not give the original bytes
    /// again.
    pub is_converted: bool,
}

/// Encodes `new_text` like the page with the bytes `original`, which were read as `decoded`. A character that the
/// encoding lacks becomes a character reference. That is right only where pages may have references.
pub(crate) fn encode_back(original: &[u8], decoded: &Decoded, new_text: &str) -> Encoded {
    let (encoding, mark) = encoding_of(original, decoded);
    let (mark, rest) = original.split_at(mark);
    if *encoded(encoding, &decoded.text) == *rest {
        let bytes = [mark, &encoded(encoding, new_text)].concat();
        return Encoded { bytes, is_converted: false };
    }
    Encoded { bytes: [BYTE_ORDER_MARK, new_text].concat().into_bytes(), is_converted: true }
}

/// The encoding of the page, and the length of its byte order mark.
fn encoding_of(original: &[u8], decoded: &Decoded) -> (&'static Encoding, usize) {
    let named = decoded.encoding.and_then(|name| Encoding::for_label(name.as_bytes()));
    Encoding::for_bom(original).unwrap_or((named.unwrap_or(UTF_8), 0))
}

/// Encodes a text. UTF-16 is handled here, because `encoding_rs` encodes to UTF-8 instead, as the Encoding Standard
/// demands.
fn encoded<'a>(encoding: &'static Encoding, text: &'a str) -> Cow<'a, [u8]> {
    if encoding == UTF_16LE {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    } else if encoding == UTF_16BE {
        text.encode_utf16().flat_map(u16::to_be_bytes).collect()
    } else {
        encoding.encode(text).0
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_KR, GBK, ISO_2022_JP, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
    use proptest::prelude::*;

    use super::*;
    use crate::read::decode::decode;

    /// The bytes of `new_text` in a page with the bytes `original`.
    fn back(original: &[u8], declared: Option<&'static Encoding>, new_text: &str) -> Encoded {
        encode_back(original, &decode(original, declared).expect("text"), new_text)
    }

    fn kept(bytes: impl Into<Vec<u8>>) -> Encoded {
        Encoded { bytes: bytes.into(), is_converted: false }
    }

    fn converted(bytes: impl Into<Vec<u8>>) -> Encoded {
        Encoded { bytes: bytes.into(), is_converted: true }
    }

    fn utf_16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn pages_keep_their_encoding() {
        let cases =
            [("дождь", WINDOWS_1251), ("pluie à", WINDOWS_1252), ("雨です", SHIFT_JIS), ("비가", EUC_KR), ("雨", GBK)];
        for (text, encoding) in cases {
            let page = encoding.encode(text).0;
            let shorter: String = text.chars().skip(1).collect();
            let expected = encoding.encode(&shorter).0;
            assert_eq!(back(&page, Some(encoding), &shorter), kept(expected), "{text}");
        }
        let page = ISO_2022_JP.encode("東京では今日も雨").0;
        assert_eq!(back(&page, None, "a雨b"), kept(*b"a\x1b$B1+\x1b(Bb"));
    }

    #[test]
    fn byte_order_marks_stay() {
        assert_eq!(back(b"\xef\xbb\xbfab", None, "a"), kept(*b"\xef\xbb\xbfa"));
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let page = utf_16("\u{feff}a𝄞b", to_bytes);
            assert_eq!(back(&page, None, "𝄞b"), kept(utf_16("\u{feff}𝄞b", to_bytes)));
        }
    }

    #[test]
    fn utf_8_needs_no_mark() {
        assert_eq!(back("größer".as_bytes(), Some(WINDOWS_1252), "groß"), kept("groß"));
        assert_eq!(back(b"", None, "a"), kept("a"));
    }

    #[test]
    fn characters_that_the_encoding_lacks_are_references() {
        let page = WINDOWS_1251.encode("дождь").0;
        assert_eq!(back(&page, Some(WINDOWS_1251), "[雨]"), kept("[&#38632;]"));
    }

    #[test]
    fn what_does_not_come_back_is_marked_utf_8() {
        let broken = [b"gr\xc3\xb6\xc3\x9fer \xff".as_slice(), &utf_16("\u{feff}ab", u16::to_le_bytes)[..5]];
        for page in broken {
            assert_eq!(back(page, None, "ö"), converted("\u{feff}ö"));
        }
        // The second pair of bytes is a duplicate code for the same character. It is written as the first code.
        let page = b"\x81\xe6\x87\x9a \x81\xe6\x81\xe6";
        assert_eq!(back(page, Some(SHIFT_JIS), "雨"), converted("\u{feff}雨"));
    }

    proptest! {
        #[test]
        fn any_page_comes_back(bytes: Vec<u8>, declared in 0..5_usize) {
            let declared = [None, Some(WINDOWS_1251), Some(GBK), Some(SHIFT_JIS), Some(ISO_2022_JP)][declared];
            if let Ok(decoded) = decode(&bytes, declared) {
                let again = encode_back(&bytes, &decoded, &decoded.text);
                prop_assert_eq!(again.is_converted, again.bytes != bytes);
                prop_assert!(!again.is_converted || again.bytes.starts_with(BYTE_ORDER_MARK.as_bytes()));
                prop_assert!(decoded.warning.is_none() || again.is_converted);
                if let Ok(read) = decode(&again.bytes, declared) {
                    prop_assert_eq!(read.text, decoded.text);
                }
            }
        }
    }
}
