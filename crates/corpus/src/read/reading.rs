//! Makes documents from bytes.
//!
//! Takes the content of a file or record. Returns its text or, for a page, its visible text.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

use encoding_rs::Encoding;

use crate::read::compression::{Compression, Input, decompressed};
use crate::read::decode::{Decoded, declared_as, decode};
use crate::read::memory::{Claim, Kind, Patience, Share, Size, unpacked};
use crate::read::open_file::OpenFile;
use crate::{Document, FileKind, HtmlView, InputFile, Page, ReadOptions, Reason, SourceId};
use dehusk_core::html::{AltText, Declared, PageAspect, SourceMap, Tree, declared_encoding, read_with_alt_text};

/// The usual ratio of the unpacked size of a text to its compressed size.
pub(crate) const USUAL_RATIO: u64 = 8;

/// Reads the document in `file`. Also returns the compression of the file.
pub(crate) fn read_document(
    file: &InputFile,
    options: &ReadOptions,
    patience: Patience,
) -> Result<(Document, Compression), Reason> {
    // Only files with many documents have no source.
    let source = file.source().ok_or(Reason::NotAFile)?;
    let open = Arc::new(OpenFile::of(file.open()?)?);
    refuse_too_large(open.length(), options)?;
    let compression = open.bytes(0, open.length().min(4) as usize).map(|start| Compression::of(&start))?;
    let about = if compression == Compression::None { open.length() } else { USUAL_RATIO * open.length() };
    let is_html = file.kind() == FileKind::Html;
    let kind = if is_html { Kind::Page } else { Kind::Text };
    let (bytes, claim) = unpacked(options, patience, kind, about, |most| match compression {
        Compression::None => read_all(open.whole(), open.length(), most, Reason::from),
        _ => decompress(Box::new(open.whole()), most),
    })?;
    let stored = Stored { bytes, is_html, encoding: None };
    let document = stored.document(file.id().to_owned(), source.clone(), options, claim)?;
    Ok((document, compression))
}

/// A document as it is stored, in any encoding.
pub(crate) struct Stored {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_html: bool,
    /// The encoding that the record declares.
    pub(crate) encoding: Option<&'static Encoding>,
}

impl Stored {
    /// Decodes the document and gives it this name and source. Fails if it is binary or too large.
    pub(crate) fn document(
        self,
        id: String,
        source: SourceId,
        options: &ReadOptions,
        claim: Claim,
    ) -> Result<Document, Reason> {
        let Stored { bytes, is_html, encoding } = self;
        let declared = encoding.or_else(|| if is_html { in_markup(&bytes) } else { None });
        let Decoded { text, encoding, warning } = decode(&bytes, declared)?;
        let text = match text {
            Cow::Borrowed(part) => Text::In(bytes.len() - part.len()),
            Cow::Owned(text) => Text::Converted(text),
        };
        let (text, bytes) = text.taken_from(bytes);
        let view = match is_html {
            true => View::of(text.into(), options, claim)?,
            false => View::plain(text, claim)?,
        };
        let mut document = Document { encoding, warning, ..view.document(id, source, options)? };
        if let Some(page) = &mut document.page {
            (page.bytes, page.encoding, page.warning) = (bytes, encoding, warning);
        }
        Ok(document)
    }
}

/// Decodes the markup of a page from bytes in any encoding, in the same way as for a file. A byte order mark decides
/// the encoding. Without one, it is UTF-8 if the bytes are valid UTF-8, else the encoding that the page declares, else
/// a guess.
///
/// # Errors
/// If the bytes are not text.
pub fn decoded_page(bytes: &[u8]) -> Result<Cow<'_, str>, Reason> {
    Ok(decode(bytes, in_markup(bytes))?.text)
}

/// The encoding that a page declares.
fn in_markup(bytes: &[u8]) -> Option<&'static Encoding> {
    declared_encoding(bytes).and_then(declared_as)
}

/// The text of stored bytes.
enum Text {
    /// The text is the bytes themselves, after a byte order mark of this length.
    In(usize),
    Converted(String),
}

impl Text {
    /// Returns the text, and also the bytes if they differ from the text. Copies no bytes if they are the text.
    fn taken_from(self, bytes: Vec<u8>) -> (String, Option<Vec<u8>>) {
        match self {
            Text::Converted(text) => (text, Some(bytes)),
            Text::In(0) => (string(bytes), None),
            Text::In(mark) => (string(bytes[mark..].to_vec()), Some(bytes)),
        }
    }
}

/// Converts bytes that are valid UTF-8.
fn string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The text of a document, with the page, the tree and the metadata that were requested.
pub(crate) struct View {
    text: String,
    is_view: bool,
    page: Option<Box<Page>>,
    tree: Option<Arc<Tree>>,
    declared: Option<Box<Declared>>,
    memory: Share,
}

impl View {
    /// A plain text. Fails if there is too little memory for it.
    pub(crate) fn plain(text: String, claim: Claim) -> Result<View, Reason> {
        let stored = Size { stored: text.len() as u64, ..Size::default() };
        let memory = claim.settled(stored, &text)?;
        Ok(View { text, is_view: false, page: None, tree: None, declared: None, memory })
    }

    /// The requested view of a page. Fails if there is too little memory for it.
    pub(crate) fn of(html: Cow<str>, options: &ReadOptions, claim: Claim) -> Result<View, Reason> {
        if options.html == HtmlView::Markup {
            return View::plain(html.into_owned(), claim);
        }
        let size = Size::of_page(&html);
        claim.check(size)?;
        let mut declared = None;
        let (text, page, tree) = match options.html {
            HtmlView::Markup | HtmlView::Text => {
                let (text, tree) = read_page(&html, options);
                (text, None, tree)
            }
            HtmlView::Markdown => {
                let (text, tree) = visible_text::<Tree>(&html, options);
                (text, None, Some(Arc::new(tree)))
            }
            HtmlView::Json => {
                let (text, (tree, said)) = visible_text::<(Tree, Declared)>(&html, options);
                declared = Some(Box::new(said));
                (text, None, Some(Arc::new(tree)))
            }
            HtmlView::Page => {
                let (text, (map, tree)) = visible_text::<(SourceMap, Tree)>(&html, options);
                let (tree, markup) = (Arc::new(tree), html.into_owned());
                let wanted = options.tree.then(|| Arc::clone(&tree));
                let page = Page { markup, map, tree, bytes: None, encoding: None, warning: None };
                (text, Some(Box::new(page)), wanted)
            }
        };
        let memory = claim.settled(size, &text)?;
        Ok(View { text, is_view: page.is_none(), page, tree, declared, memory })
    }

    /// The document with this name and source. Fails if the text is too large.
    pub(crate) fn document(self, id: String, source: SourceId, options: &ReadOptions) -> Result<Document, Reason> {
        let View { text, is_view, page, tree, declared, memory } = self;
        refuse_too_large(text.len() as u64, options)?;
        let boxes = match options.boxes.as_ref().zip(tree.as_deref()) {
            Some((file, tree)) => file.boxes(&source, &id, tree)?.map(Arc::new),
            None => None,
        };
        let memory = Some(Arc::new(memory));
        Ok(Document { is_view, page, tree, declared, boxes, memory, ..Document::new(id, source, text) })
    }
}

/// The visible text of a page, and its tree if the options request it.
fn read_page(html: &str, options: &ReadOptions) -> (String, Option<Arc<Tree>>) {
    if !options.tree {
        let (text, ()) = visible_text(html, options);
        return (text, None);
    }
    let (text, tree) = visible_text::<Tree>(html, options);
    (text, Some(Arc::new(tree)))
}

fn visible_text<R: PageAspect>(html: &str, options: &ReadOptions) -> (String, R) {
    read_with_alt_text(html, if options.alt_text { AltText::Shown } else { AltText::LeftOut })
}

/// Fails if a size exceeds the limit. It is called for the size of the file before it is read, and for the size of the
/// text, which can be larger.
pub(crate) fn refuse_too_large(bytes: u64, options: &ReadOptions) -> Result<(), Reason> {
    let limit = options.most_bytes();
    if bytes > limit { Err(Reason::TooLarge { bytes: Some(bytes), limit }) } else { Ok(()) }
}

/// The unpacked bytes of a file. Unpacking stops at the limit.
fn decompress(packed: Input, limit: u64) -> Result<Vec<u8>, Reason> {
    let (_, behind) = decompressed(packed)?;
    read_all(behind, 0, limit, |error| match error.kind() {
        ErrorKind::OutOfMemory => error.into(),
        _ => Reason::Damaged(error.to_string()),
    })
}

/// Reads all bytes. `about` is the expected number. Fails if there are more than the limit.
pub(crate) fn read_all(
    from: impl Read,
    about: u64,
    limit: u64,
    reason: impl Fn(io::Error) -> Reason,
) -> Result<Vec<u8>, Reason> {
    // With 1 extra byte, reading notices the end without growing the buffer.
    let mut bytes = Vec::with_capacity(about as usize + 1);
    from.take(limit + 1).read_to_end(&mut bytes).map_err(reason)?;
    match bytes.len() as u64 > limit {
        true => Err(Reason::TooLarge { bytes: None, limit }),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{SHIFT_JIS, WINDOWS_1251};

    use super::*;
    use crate::MAX_DOCUMENT_BYTES;
    use crate::testing::{inventory, plain, tree};
    use crate::{Content, ReadOptions, Warning};

    fn read(name: &str, bytes: &[u8]) -> Result<Document, String> {
        let folder = tree(&[(name, bytes)]);
        let inventory = inventory(&folder, "");
        match inventory.open(&inventory.files()[0]) {
            Ok(Content::Document(document, _)) => Ok(*document),
            Ok(Content::Records(_)) => panic!("{name} is JSONL"),
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
        let inventory = crate::Inventory::scan(&[folder.path().to_owned()], &options).expect("a file");
        let Ok(Content::Document(document, _)) = inventory.open(&inventory.files()[0]) else {
            panic!("no document");
        };
        assert_eq!(&*document.text, "<p>text</p>");
    }

    fn path_of_text(tree: &Tree) -> String {
        tree.run_at(0).map_or_else(String::new, |run| tree.path(run))
    }

    #[test]
    fn pages_have_trees_if_these_are_wanted() {
        let pages =
            [("a/x.html", "<div>text"), ("b.jsonl", r#"{"source": "b", "html": "<div>text"}"#), ("a/y.txt", "<div>")];
        let folder = tree(&pages.map(|(name, page)| (name, page.as_bytes())));
        let paths = |html: HtmlView, wanted: bool| -> Vec<Option<String>> {
            let options = ReadOptions { html, tree: wanted, ..ReadOptions::default() };
            let inventory = crate::Inventory::scan(&[folder.path().to_owned()], &options).expect("files");
            let sources = inventory.sources().expect("sources");
            let documents = sources.listings.iter().flat_map(|listing| &listing.documents);
            let read = |place| inventory.read(place).unwrap_or_else(|skipped| panic!("{}", plain(&folder, skipped)));
            documents.map(|place| read(place).tree.map(|tree| path_of_text(&tree))).collect()
        };
        let div = || Some("div".to_owned());
        for view in [HtmlView::Text, HtmlView::Page] {
            assert_eq!(paths(view, true), [div(), None, div()]);
            assert_eq!(paths(view, false), [None, None, None]);
        }
        assert_eq!(paths(HtmlView::Markup, true), [None, None, None]);
    }

    #[test]
    fn pages_that_were_put_by_are_read_as_they_are_wanted() {
        let packed = zstd::encode_all(&br#"{"source": "b", "html": "<div>text"}"#[..], 1).expect("packed");
        let folder = tree(&[("b.jsonl.zst", &packed)]);
        let read = |listed: HtmlView, wanted: HtmlView| {
            let options = ReadOptions { html: listed, tree: true, ..ReadOptions::default() };
            let inventory = crate::Inventory::scan(&[folder.path().to_owned()], &options).expect("files");
            let place = inventory.sources().expect("sources").listings[0].documents[0];
            let document = inventory.with_html(wanted).read(&place).expect("a document");
            let path = document.tree.map(|tree| path_of_text(&tree));
            let page = document.page.map(|page| page.markup().to_owned());
            (document.text.to_string(), document.is_view, path.unwrap_or_default(), page)
        };
        let [text, page] = ["text", "<div>text"].map(str::to_owned);
        let div = || "div".to_owned();
        assert_eq!(read(HtmlView::Page, HtmlView::Page), (text.clone(), false, div(), Some(page.clone())));
        assert_eq!(read(HtmlView::Page, HtmlView::Text), (text.clone(), true, div(), None));
        assert_eq!(read(HtmlView::Page, HtmlView::Markup), (page, false, String::new(), None));
        assert_eq!(read(HtmlView::Text, HtmlView::Page), (text, true, String::new(), None));
    }

    #[test]
    fn documents_that_are_too_large_are_refused() {
        let folder = tree(&[("a/x.txt", b"")]);
        let file = std::fs::OpenOptions::new().write(true).open(folder.path().join("a/x.txt")).expect("a file");
        file.set_len(MAX_DOCUMENT_BYTES as u64 + 1).expect("a sparse file");
        for (max_document, allowed) in [(1 << 20, 1 << 20), (1 << 40, MAX_DOCUMENT_BYTES)] {
            let options = ReadOptions { max_document, ..ReadOptions::default() };
            let inventory = crate::Inventory::scan(&[folder.path().to_owned()], &options).expect("a file");
            let Err(skipped) = inventory.open(&inventory.files()[0]) else {
                panic!("two gigabytes were accepted");
            };
            let expected = format!("a/x.txt: has 2147483647 bytes, more than the {allowed} that a document may have");
            assert!(plain(&folder, &skipped).starts_with(&expected), "{skipped}");
        }
    }

    #[test]
    fn compressed_files_are_told_by_their_bytes() {
        use std::io::Write;
        for compression in [Compression::Gzip, Compression::Zstd] {
            let mut encoder = crate::Encoder::new(Vec::new(), compression).expect("an encoder");
            encoder.write_all("größe".as_bytes()).expect("written");
            let mut bytes = encoder.finish().expect("finished");
            assert_eq!(&*read("a/x.txt", &bytes).expect("a document").text, "größe");
            bytes.pop();
            let message = read("a/x.txt", &bytes).expect_err("a reason");
            assert!(message.starts_with("a/x.txt: its compressed data are damaged: "), "{message}");
        }
    }

    #[test]
    fn no_more_is_unpacked_than_a_document_may_have() {
        use std::io::Write;
        let mut encoder = crate::Encoder::new(Vec::new(), Compression::Zstd).expect("an encoder");
        encoder.write_all(&vec![b'x'; 10_000_000]).expect("written");
        let folder = tree(&[("a/x.txt", &encoder.finish().expect("finished"))]);
        let options = ReadOptions { max_document: 1 << 20, ..ReadOptions::default() };
        let inventory = crate::Inventory::scan(&[folder.path().to_owned()], &options).expect("a file");
        let skipped = inventory.open(&inventory.files()[0]).expect_err("ten megabytes were accepted");
        let expected = "a/x.txt: has more bytes than the 1048576 that a document may have";
        assert!(plain(&folder, &skipped).starts_with(expected), "{skipped}");
    }
}
