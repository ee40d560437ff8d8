//! One file, one document.

use std::borrow::Cow;
use std::fs;
use std::sync::Arc;

use super::decode::{declared_as, decode};
use super::text::FileBytes;
use super::{Document, FileKind, HtmlView, InputFile, MAX_DOCUMENT_BYTES, Reason, Text, html};

/// Reads the document that `file` is.
pub(super) fn read_document(file: &InputFile, view: HtmlView) -> Result<Document, Reason> {
    // only JSONL lies outside of all sources
    let source = file.source().ok_or(Reason::NotAFile)?;
    let path = file.path();
    refuse_too_large(fs::metadata(&path)?.len())?;
    let bytes = Arc::new(FileBytes::open(&path)?);
    let is_html = file.kind() == FileKind::Html;
    let declared = if is_html { html::declared_encoding(&bytes) } else { None };
    let decoded = decode(&bytes, declared.and_then(declared_as))?;
    let is_view = is_html && view == HtmlView::Text;
    let text = match is_view {
        true => html::visible_text(&decoded.text).into(),
        false => text_of(&bytes, decoded.text),
    };
    refuse_too_large(text.len() as u64)?;
    Ok(Document {
        id: file.id().to_owned(),
        source: source.clone(),
        is_view,
        text,
        encoding: decoded.encoding,
        warning: decoded.warning,
    })
}

/// A `text` found in `file`, copied only if it had to be converted.
pub(super) fn text_of(file: &Arc<FileBytes>, text: Cow<str>) -> Text {
    match text {
        Cow::Borrowed(part) => Text::part_of(file, part),
        Cow::Owned(converted) => converted.into(),
    }
}

/// Before a file is read its size says so, and afterwards that of its text, which can be longer.
pub(super) fn refuse_too_large(bytes: u64) -> Result<(), Reason> {
    if bytes > MAX_DOCUMENT_BYTES as u64 { Err(Reason::TooLarge(bytes)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{SHIFT_JIS, WINDOWS_1251};

    use super::super::testing::{inventory, plain, tree};
    use super::super::{Content, ReadOptions, Warning};
    use super::*;

    fn read(name: &str, bytes: &[u8]) -> Result<Document, String> {
        let folder = tree(&[(name, bytes)]);
        let inventory = inventory(&folder, "");
        match inventory.open(&inventory.files()[0]) {
            Ok(Content::Document(document)) => Ok(document),
            Ok(Content::Lines(_)) => panic!("{name} is JSONL"),
            Err(skipped) => Err(plain(&folder, skipped)),
        }
    }

    #[test]
    fn text_is_read_as_it_is() {
        let bytes = b"line\r\n\r\n last line \0 without end";
        let document = read("a/b/x.txt", bytes).expect("a document");
        assert_eq!(document.text.as_bytes(), bytes);
        assert_eq!((document.source.as_str(), document.id.as_str()), ("a", "b/x.txt"));
        assert_eq!((document.encoding, document.warning), (None, None));
    }

    #[test]
    fn an_empty_file_is_an_empty_document() {
        for name in ["a/x.txt", "a/x.html"] {
            assert_eq!(&*read(name, b"").expect("a document").text, "");
        }
    }

    #[test]
    fn large_files_are_read_alike() {
        let text = "größere Datei\n".repeat(10_000);
        let marked = format!("\u{feff}{text}");
        for bytes in [text.as_bytes(), marked.as_bytes()] {
            assert_eq!(&*read("a/x.txt", bytes).expect("a document").text, text);
        }
    }

    #[test]
    fn pages_are_read_as_they_declare() {
        let page = "<meta charset=\"shift_jis\"><p>雨";
        let (bytes, _, _) = SHIFT_JIS.encode(page);
        let document = read("a/x.HTML", &bytes).expect("a document");
        assert_eq!(&*document.text, "雨");
        assert_eq!(document.encoding, Some("Shift_JIS"));
    }

    #[test]
    fn a_wrong_declaration_does_no_harm() {
        let page = "<meta charset=\"utf-8\"><p>Правительство одобрило проект бюджета на следующий год";
        let (bytes, _, _) = WINDOWS_1251.encode(page);
        let document = read("a/x.html", &bytes).expect("a document");
        assert_eq!(&*document.text, "Правительство одобрило проект бюджета на следующий год");
        assert_eq!(document.encoding, Some("windows-1251"));
    }

    #[test]
    fn bad_bytes_carry_a_warning() {
        let document = read("a/x.txt", "größer \u{1F600}".as_bytes().split_last().expect("bytes").1);
        let document = document.expect("a document");
        assert_eq!(&*document.text, "größer \u{fffd}");
        assert_eq!(document.warning, Some(Warning::Malformed { encoding: "UTF-8" }));
    }

    #[test]
    fn binary_files_are_skipped() {
        let message = read("a/x.txt", &[0, 1, 2, 3]).expect_err("a reason");
        assert!(message.starts_with("a/x.txt: looks binary, 100 %"), "{message}");
    }

    #[test]
    fn markup_can_be_the_text() {
        let folder = tree(&[("a/x.html", b"<p>text</p>")]);
        let options = ReadOptions { html: HtmlView::Markup, ..ReadOptions::default() };
        let inventory = super::super::Inventory::scan(&[folder.path().to_owned()], &options).expect("a file");
        let Ok(Content::Document(document)) = inventory.open(&inventory.files()[0]) else {
            panic!("no document");
        };
        assert_eq!(&*document.text, "<p>text</p>");
    }

    #[test]
    fn documents_of_which_positions_would_not_fit_are_refused() {
        let folder = tree(&[("a/x.txt", b"")]);
        let file = fs::OpenOptions::new().write(true).open(folder.path().join("a/x.txt")).expect("a file");
        file.set_len(MAX_DOCUMENT_BYTES as u64 + 1).expect("a sparse file");
        let inventory = inventory(&folder, "");
        let Err(skipped) = inventory.open(&inventory.files()[0]) else {
            panic!("two gigabytes were accepted");
        };
        assert_eq!(
            plain(&folder, skipped),
            "a/x.txt: has 2147483647 bytes, and a document may have 2147483646: split it"
        );
    }
}
