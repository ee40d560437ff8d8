//! The fields of the documents of a corpus.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::error::PipelineError;
use crate::library::Library;
use crate::observer::{Observer, WarningKind};
use crate::reading::visit_documents;
use crate::unknown::UnknownSources;
use dehusk_core::cleaning::Scratch;
use dehusk_core::fields::{Columns, Fields};
use dehusk_corpus::{Document, Inventory};

/// The fields of a document.
#[derive(Debug)]
pub struct DocumentFields<'a> {
    /// The document.
    pub document: &'a Document,
    /// The values.
    pub columns: Columns<'a>,
}

/// Reads the fields of all documents in order, and calls `write` with the fields of many documents at a time. With
/// `only_accepted`, only accepted patterns count. A document that cannot be read is left out and named.
///
/// # Errors
/// If `write` fails, or the observer stops the run.
pub fn read_fields<E: From<PipelineError>>(
    inventory: &Inventory,
    library: &Library,
    only_accepted: bool,
    observer: &dyn Observer,
    mut write: impl FnMut(Vec<DocumentFields>) -> Result<(), E>,
) -> Result<(), E> {
    let mut sources = Sources::new(inventory, library, only_accepted, observer);
    visit_documents(inventory, observer, |documents| {
        documents.iter().for_each(|(name, document)| sources.meet(name, document));
        let read = |scratch: &mut Scratch, (name, document)| sources.read(scratch, name, document);
        let read: Vec<Option<DocumentFields>> = documents
            .par_iter()
            .map(|(name, document)| (name.as_str(), document))
            .map_init(Scratch::default, read)
            .collect();
        write(read.into_iter().flatten().collect())
    })
}

/// The fields of each source, compiled for the first document of the source.
struct Sources<'a> {
    library: &'a Library,
    only_accepted: bool,
    observer: &'a dyn Observer,
    /// Sources with a pattern file of their own.
    own: HashMap<String, Fields>,
    /// All other sources.
    other: Fields,
    unknown: UnknownSources<'a>,
}

impl<'a> Sources<'a> {
    fn new(
        inventory: &'a Inventory,
        library: &'a Library,
        only_accepted: bool,
        observer: &'a dyn Observer,
    ) -> Sources<'a> {
        let other = Fields::new(&library.for_source("").files(), only_accepted);
        let unknown = UnknownSources::new(library, inventory.files());
        Sources { library, only_accepted, observer, own: HashMap::new(), other, unknown }
    }

    /// Compiles the fields for the source of a document, if they are not compiled yet. Gives the warnings about the
    /// document and its source.
    fn meet(&mut self, name: &str, document: &Document) {
        let source = document.source.as_str();
        if let Some(warning) = &document.warning {
            self.observer.warn(WarningKind::Malformed, &format!("{name}: {warning}"));
        }
        if !self.library.contains(source) {
            self.tell_of_none(source);
        } else if !self.own.contains_key(source) {
            let fields = Fields::new(&self.library.for_source(source).files(), self.only_accepted);
            self.own.insert(source.to_owned(), fields);
        }
    }

    /// The fields of a document. A document that cannot be read is named.
    fn read<'d>(&'d self, scratch: &mut Scratch, name: &str, document: &'d Document) -> Option<DocumentFields<'d>> {
        let fields = self.own.get(document.source.as_str()).unwrap_or(&self.other);
        match fields.values(scratch, &document.text) {
            Ok(values) => Some(DocumentFields { document, columns: Columns::of(&document.text, &values) }),
            Err(error) => {
                self.observer.skip(name, &error.to_string());
                None
            }
        }
    }

    fn tell_of_none(&self, source: &str) {
        let is_shared = !self.library.for_source(source).files().is_empty();
        let what = if is_shared { "only shared patterns apply" } else { "its documents have no fields" };
        self.unknown.tell(source, what, self.observer);
    }
}
