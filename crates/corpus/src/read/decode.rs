//! Decodes bytes to text.
//!
//! Takes the bytes of a document. Returns its text and the encoding of the bytes. A byte order mark decides. Without
//! one, the encoding is UTF-8 if the bytes are valid UTF-8, else the one that an HTML page declares, else a guess.
//!
//! UTF-8 comes before the declaration. Most saved pages were converted by the program that saved them, and still have
//! the old declaration. A text in another encoding is hardly ever valid UTF-8 by chance. For the same reason, bytes
//! that are mostly valid UTF-8 are read as UTF-8, and the few others are lost. Any other encoding would make every
//! letter beyond ASCII wrong.

use std::borrow::Cow;
use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

use crate::Reason;

/// Number of bytes at the start of a document that are checked for binary data.
const HEAD_BYTES: usize = 8 * 1024;

/// Minimum percentage of control characters in binary data. Compressed data and images have 10 %, even if read as a
/// one-byte encoding, and programs have more. Text has none.
const BINARY_PERCENT: usize = 5;

/// Minimum number of control characters in binary data. Fewer may be errors in a short text.
const MIN_CONTROLS: usize = 4;

/// Number of bytes, from the first non-ASCII byte on, that are used to guess the encoding.
const GUESSED_BYTES: usize = 1024 * 1024;

/// A problem with a document that could be read nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Some bytes are not valid in the document's encoding and became U+FFFD.
    Malformed {
        /// The encoding.
        encoding: &'static str,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Warning::Malformed { encoding } => {
                write!(f, "some bytes are not valid {encoding} and were replaced by U+FFFD")
            }
        }
    }
}

/// A document's text.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    /// `None` if the bytes are the text itself.
    pub(crate) encoding: Option<&'static str>,
    pub(crate) warning: Option<Warning>,
}

/// Decodes `bytes`. `declared` is the encoding that the document declares. Fails if the bytes are not text.
pub(crate) fn decode<'a>(bytes: &'a [u8], declared: Option<&'static Encoding>) -> Result<Decoded<'a>, Reason> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let decoded = read_as(encoding, &bytes[mark..]);
        refuse_binary(decoded.text.as_bytes())?;
        return Ok(decoded);
    }
    // Control characters are the same in all other encodings. So a large binary file is refused before it is converted.
    refuse_binary(bytes)?;
    Ok(convert(bytes, declared))
}

/// The encoding that a page declares by `label`. `None` if it cannot be decoded.
pub(crate) fn declared_as(label: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label.as_bytes())?;
    // If the declaration was readable as bytes, the page is not in UTF-16, whatever it declares.
    let is_utf_16 = encoding == UTF_16LE || encoding == UTF_16BE;
    (encoding != REPLACEMENT).then_some(if is_utf_16 { UTF_8 } else { encoding })
}

fn convert<'a>(bytes: &'a [u8], declared: Option<&'static Encoding>) -> Decoded<'a> {
    match str::from_utf8(bytes) {
        // ISO-2022-JP has only ASCII bytes and is valid UTF-8 too, so it must be checked first.
        Ok(_) if is_iso_2022_jp(bytes) => read_as(ISO_2022_JP, bytes),
        Ok(text) => Decoded { text: Cow::Borrowed(text), encoding: None, warning: None },
        Err(_) if is_damaged_utf_8(bytes) => read_as(UTF_8, bytes),
        Err(_) => read_legacy(bytes, declared.filter(|&encoding| encoding != UTF_8)),
    }
}

fn read_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, is_malformed) = encoding.decode_without_bom_handling(bytes);
    let name = encoding.name();
    Decoded {
        encoding: (encoding != UTF_8 || is_malformed).then_some(name),
        warning: is_malformed.then_some(Warning::Malformed { encoding: name }),
        text,
    }
}

/// Reads bytes in the declared encoding. The guessed encoding is used if none is declared, or if some bytes are invalid
/// in the declared encoding and all are valid in the guessed one.
fn read_legacy<'a>(bytes: &'a [u8], declared: Option<&'static Encoding>) -> Decoded<'a> {
    let as_declared = declared.map(|encoding| read_as(encoding, bytes));
    if let Some(decoded) = as_declared {
        if decoded.warning.is_none() {
            return decoded;
        }
        let as_guessed = read_as(guess(bytes), bytes);
        return if as_guessed.warning.is_none() { as_guessed } else { decoded };
    }
    read_as(guess(bytes), bytes)
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let start = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let end = bytes.len().min(start + GUESSED_BYTES);
    // UTF-8 and ISO-2022-JP were excluded before.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[start..end], end == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether the bytes are ISO-2022-JP, which is common in Japanese mail. It has only ASCII bytes, with escape sequences
/// to change the character set.
fn is_iso_2022_jp(bytes: &[u8]) -> bool {
    const ESCAPE: u8 = 0x1b;
    if !bytes.contains(&ESCAPE) || !bytes.is_ascii() {
        return false;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow) == ISO_2022_JP
}

/// Whether most non-ASCII sequences are valid UTF-8. In text of other encodings, at most 1/3 is valid by chance.
fn is_damaged_utf_8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid > invalid
}

/// Refuses bytes with too many control characters. Those that occur in texts do not count: tab, line and page breaks,
/// the backspace of overstruck print, the escape of coloured terminals.
fn refuse_binary(bytes: &[u8]) -> Result<(), Reason> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    // Without branches, and with sums in single bytes, the processor can check many bytes at once.
    let is_odd = |byte: u8| (byte < 0x20) & !(0x08..=0x0d).contains(&byte) & (byte != 0x1b) | (byte == 0x7f);
    let count = |few: &[u8]| few.iter().map(|&byte| u8::from(is_odd(byte))).sum::<u8>();
    let controls: usize = head.chunks(128).map(|few| usize::from(count(few))).sum();
    let control_percent = 100 * controls / head.len().max(1);
    if controls >= MIN_CONTROLS && control_percent >= BINARY_PERCENT {
        return Err(Reason::Binary { control_percent });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_JP, EUC_KR, GBK, ISO_8859_7, KOI8_U, SHIFT_JIS, WINDOWS_874, WINDOWS_1251, WINDOWS_1252};
    use proptest::prelude::*;

    use super::*;

    const RUSSIAN: &str = "Правительство одобрило проект бюджета на следующий год, сообщает наш корреспондент.";
    const JAPANESE: &str = "東京では今日も雨が降っています。明日は晴れるでしょう。";
    const FRENCH: &str = "L’été dernier, la forêt brûlait près de là ; « c’était à prévoir », dit le préfet.";

    fn decoded<'a>(bytes: &'a [u8]) -> Decoded<'a> {
        decode(bytes, None).expect("text")
    }

    fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    fn utf_16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn utf_8_is_borrowed() {
        let decoded = decoded(FRENCH.as_bytes());
        assert!(matches!(decoded.text, Cow::Borrowed(FRENCH)));
        assert_eq!((decoded.encoding, decoded.warning), (None, None));
    }

    #[test]
    fn a_utf_8_byte_order_mark_is_removed() {
        let decoded = decoded(b"\xef\xbb\xbftext");
        assert!(matches!(decoded.text, Cow::Borrowed("text")));
        assert_eq!(decoded.encoding, None);
    }

    #[test]
    fn utf_16_is_known_by_its_byte_order_mark() {
        let marked = format!("\u{feff}{RUSSIAN}");
        for (bytes, name) in
            [(utf_16(&marked, u16::to_le_bytes), "UTF-16LE"), (utf_16(&marked, u16::to_be_bytes), "UTF-16BE")]
        {
            let decoded = decoded(&bytes);
            assert_eq!(decoded.text, RUSSIAN);
            assert_eq!((decoded.encoding, decoded.warning), (Some(name), None));
        }
    }

    #[test]
    fn utf_16_cut_within_a_character_carries_a_warning() {
        let mut bytes = utf_16("\u{feff}abc", u16::to_le_bytes);
        bytes.pop();
        assert_eq!(decoded(&bytes).text, "ab\u{fffd}");
        assert!(decoded(&bytes).warning.is_some());
    }

    #[test]
    fn other_encodings_are_guessed() {
        let cases = [(RUSSIAN, WINDOWS_1251), (FRENCH, WINDOWS_1252), (JAPANESE, SHIFT_JIS), (JAPANESE, ISO_2022_JP)];
        for (text, encoding) in cases {
            let bytes = encoded(text, encoding);
            let decoded = decoded(&bytes);
            assert_eq!(decoded.text, text);
            assert_eq!((decoded.encoding, decoded.warning), (Some(encoding.name()), None));
        }
    }

    #[test]
    fn other_encodings_do_not_pass_for_damaged_utf_8() {
        let thai = "ประเทศไทยมีประชากรมากกว่าหกสิบล้านคน และเมืองหลวงคือกรุงเทพมหานคร";
        let korean = "정부는 내년도 예산안을 국회에 제출했다고 밝혔다. 날씨는 맑겠습니다.";
        let chinese = "政府批准了明年的预算草案，本报记者从北京报道。联通";
        let greek = "Η κυβέρνηση ενέκρινε το σχέδιο του προϋπολογισμού για το επόμενο έτος.";
        let cases = [
            (thai, WINDOWS_874),
            (korean, EUC_KR),
            (chinese, GBK),
            (greek, ISO_8859_7),
            (RUSSIAN, KOI8_U),
            (JAPANESE, EUC_JP),
        ];
        for (text, encoding) in cases {
            let bytes = encoded(text, encoding);
            assert!(!is_damaged_utf_8(&bytes), "{text}");
            assert_eq!(decoded(&bytes).text, text);
        }
    }

    #[test]
    fn a_declaration_spares_the_guess() {
        for (text, encoding) in [("я", WINDOWS_1251), ("雨", SHIFT_JIS), ("비", EUC_KR), ("雨", GBK)] {
            let bytes = encoded(text, encoding);
            assert_eq!(decode(&bytes, Some(encoding)).expect("text").text, text);
        }
    }

    #[test]
    fn utf_8_comes_before_a_stale_declaration() {
        let decoded = decode(FRENCH.as_bytes(), Some(WINDOWS_1252)).expect("text");
        assert_eq!(decoded.text, FRENCH);
        assert_eq!(decoded.encoding, None);
    }

    #[test]
    fn a_declaration_that_cannot_be_true_is_not_believed() {
        let bytes = encoded(RUSSIAN, WINDOWS_1251);
        for declared in [UTF_8, SHIFT_JIS] {
            assert_eq!(decode(&bytes, Some(declared)).expect("text").text, RUSSIAN);
        }
    }

    #[test]
    fn one_bad_byte_does_not_garble_utf_8() {
        for declared in [None, Some(UTF_8), Some(WINDOWS_1252)] {
            let bytes = [FRENCH.as_bytes(), b" \xff end"].concat();
            let decoded = decode(&bytes, declared).expect("text");
            assert_eq!(decoded.text, format!("{FRENCH} \u{fffd} end"));
            assert_eq!(decoded.warning, Some(Warning::Malformed { encoding: "UTF-8" }));
        }
    }

    #[test]
    fn nothing_is_text() {
        assert_eq!(decoded(b"").text, "");
    }

    #[test]
    fn stray_nul_bytes_and_line_ends_stay() {
        let bytes = [b"a\0b\r\n".as_slice(), &[b'x'; 100]].concat();
        assert_eq!(decoded(&bytes).text.as_bytes(), bytes);
    }

    #[test]
    fn a_stray_nul_in_a_short_text_makes_it_no_binary() {
        assert_eq!(decoded(b"a\0b").text, "a\0b");
    }

    #[test]
    fn binary_data_is_refused() {
        let image: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        let unmarked_utf_16 = utf_16("plain words", u16::to_le_bytes);
        for bytes in [image, unmarked_utf_16] {
            assert!(matches!(decode(&bytes, None), Err(Reason::Binary { .. })));
        }
    }

    #[test]
    fn labels_of_pages() {
        assert_eq!(declared_as("latin1"), Some(WINDOWS_1252));
        assert_eq!(declared_as("x-sjis"), Some(SHIFT_JIS));
        assert_eq!(declared_as("utf-16"), Some(UTF_8));
        assert_eq!(declared_as("iso-2022-kr"), None);
        assert_eq!(declared_as("no such thing"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, declared in 0..5_usize) {
            let declared = [None, Some(UTF_8), Some(GBK), Some(SHIFT_JIS), Some(ISO_2022_JP)][declared];
            match decode(&bytes, declared) {
                Ok(decoded) if decoded.encoding.is_none() => {
                    prop_assert!(bytes.ends_with(decoded.text.as_bytes()));
                }
                Ok(_) | Err(Reason::Binary { .. }) => {}
                Err(reason) => prop_assert!(false, "{reason}"),
            }
        }
    }
}
