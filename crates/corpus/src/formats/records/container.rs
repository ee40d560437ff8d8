//! The data that all records of a file share: its path, and how it is read.
//!
//! Takes a file and the [`ReadOptions`]. Returns the source of a record, whatever its format, and the document in a
//! WARC record or in a row of a table (`json.rs` does this for a line). These data exist once for all records of a
//! file, and are never changed, so that any thread can use them.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use crate::find::source_by::SourceHints;
use crate::formats::keys_found::KeysFound;
use crate::formats::warc;
use crate::read::memory::{Claim, Kind, Patience, unpacked};
use crate::read::reading::{Stored, View};
use crate::{Document, InputFile, ReadOptions, Reason, Skipped, SourceBy, SourceId};

/// The name of a page that came through standard input, and of its source.
const STDIN: &str = "stdin";

/// The facts about all records of a file that are known before the records are read.
#[derive(Debug)]
pub(crate) struct Container {
    pub(crate) path: Arc<Path>,
    /// The path of the file in the output.
    pub(crate) name: String,
    /// The folder of the file. Sources may be named after it.
    pub(crate) folder: Option<SourceId>,
    pub(crate) options: Arc<ReadOptions>,
    pub(crate) keys_found: Arc<KeysFound>,
}

/// The values of a row of a table in the columns that the keys name. A missing value counts as none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields<'a> {
    /// A string, or an integer as decimal digits.
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) source: Option<Cow<'a, str>>,
    pub(crate) url: Option<Cow<'a, str>>,
    pub(crate) text: Option<Cow<'a, str>>,
    /// Set only if there is no text, because it is not needed otherwise.
    pub(crate) html: Option<Cow<'a, str>>,
}

impl Container {
    pub(crate) fn of(file: &InputFile, options: &Arc<ReadOptions>, keys_found: &Arc<KeysFound>) -> Arc<Container> {
        let (path, folder) = (file.path().into(), file.folder().cloned());
        let (options, keys_found) = (Arc::clone(options), Arc::clone(keys_found));
        Arc::new(Container { path, name: file.name(), folder, options, keys_found })
    }

    /// Notes whether a record has a name, a source and a URL. `keys` says which keys it has.
    pub(crate) fn note_keys(&self, has: [bool; 3], number: u64, keys: impl Fn() -> String) {
        self.keys_found.note(has, &self.path, number, keys);
    }

    /// The name of a record's source. It need not be a valid [`SourceId`].
    pub(crate) fn source_of<'a>(&'a self, of_record: SourceHints<'a>) -> Result<Cow<'a, str>, Reason> {
        let is_named_by_file = self.names_by_file(&of_record);
        let known = SourceHints { folder: self.folder.as_ref(), path: &self.name, ..of_record };
        let named = self.options.source_by.name(known, &self.options.keys)?;
        if is_named_by_file {
            self.keys_found.note_named_by_file(&named);
        }
        Ok(named)
    }

    /// Whether nothing but the name of the file names the source of a record.
    fn names_by_file(&self, of_record: &SourceHints) -> bool {
        let is_named = self.folder.is_some() || of_record.source.is_some() || of_record.url.is_some();
        matches!(self.options.source_by, SourceBy::Auto) && !is_named
    }

    /// The document in the WARC record with this number. `None` if the record has no document.
    pub(super) fn document_in(
        &self,
        record: &warc::Record,
        number: u64,
        patience: Patience,
    ) -> Result<Option<Document>, Reason> {
        let options = &self.options;
        // Only the unpacked body shows whether it is a page. Until then it is treated as one.
        let body = unpacked(options, patience, Kind::Page, record.about(), |most| record.document(most).transpose())?;
        let (Some(warc::Body { bytes, is_html, encoding }), claim) = body else { return Ok(None) };
        let id = record.name(number);
        let known = SourceHints { url: record.url().map(Cow::Borrowed), ..SourceHints::default() };
        // An archive of many websites is no source.
        if self.names_by_file(&known) {
            return Err(Reason::NoTargetUri);
        }
        let source = self.source_of(known).map_err(|reason| match reason {
            Reason::NoUrl(_) => Reason::NoTargetUri,
            other => other,
        });
        let source = SourceId::parse(&source?)?;
        let stored = Stored { bytes: bytes.into_owned(), is_html, encoding };
        let document = stored.document(id, source, options, claim)?;
        Ok(Some(Document { url: record.url().map(str::to_owned), ..document }))
    }

    /// The document of a page that came through standard input.
    pub(super) fn document_of_page(&self, bytes: &[u8], patience: Patience) -> Result<Document, Reason> {
        let folder = SourceId::parse(STDIN)?;
        let known = SourceHints { folder: Some(&folder), path: STDIN, is_file: true, ..SourceHints::default() };
        let source = SourceId::parse(&self.options.source_by.name(known, &self.options.keys)?)?;
        let stored = Stored { bytes: bytes.to_vec(), is_html: true, encoding: None };
        let claim = Claim::new(&self.options, patience, Kind::Page, bytes.len() as u64)?;
        stored.document(STDIN.to_owned(), source, &self.options, claim)
    }

    /// The document in the row with this number.
    pub(super) fn document_of(&self, row: Fields, number: u64, patience: Patience) -> Result<Document, Reason> {
        let options = &self.options;
        let claim = |kind, document: &str| Claim::new(options, patience, kind, document.len() as u64);
        let view = match (row.text, row.html) {
            (Some(text), _) => {
                let claim = claim(Kind::Text, &text)?;
                View::plain(text.into_owned(), claim)?
            }
            (None, Some(html)) => {
                let claim = claim(Kind::Page, &html)?;
                View::of(html, options, claim)?
            }
            (None, None) => {
                let (text, html) = (options.keys.text.clone(), options.keys.html.clone());
                return Err(Reason::NoText { text, html });
            }
        };
        let url = row.url.as_deref().map(str::to_owned);
        let known = SourceHints { source: row.source, url: row.url, ..SourceHints::default() };
        let source = SourceId::parse(&self.source_of(known)?)?;
        let id = row.id.map_or_else(|| number.to_string(), Cow::into_owned);
        Ok(Document { url, ..view.document(id, source, options)? })
    }

    pub(crate) fn skipped(&self, record: Option<u64>, reason: Reason) -> Skipped {
        Skipped { line: record, ..Skipped::file(Arc::clone(&self.path), reason) }
    }
}
