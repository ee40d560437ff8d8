//! The documents on which decisions are tried.
//!
//! If a source has more documents than wanted, only some are used, evenly spread. The texts of the most recently used
//! sources stay in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use dehusk_core::html::Tree;
use dehusk_core::pages::PageText;
use dehusk_core::patterns::SHARED;
use dehusk_core::selection::effects::{Effects, Question};
use dehusk_core::selection::sampling::evenly_spread;
use dehusk_corpus::{Document, DocumentRef, Inventory};

/// Number of sources whose texts stay in memory.
const IN_MEMORY: usize = 4;

/// Documents by source.
#[derive(Debug)]
pub struct Documents {
    inventory: Inventory,
    most: usize,
    /// The documents of each source, once they are listed. `Err` is the reason why they could not be listed.
    listings: OnceLock<Result<BTreeMap<String, Vec<DocumentRef>>, String>>,
    recent: Mutex<Vec<(String, Arc<Texts>)>>,
}

/// The documents of a source that are looked at.
#[derive(Debug, Default)]
pub struct Texts {
    /// The documents that could be read, in the order of the corpus.
    pub documents: Vec<LoadedDocument>,
    /// Number of all documents of the source.
    pub of: usize,
    /// The reasons why other documents could not be read.
    pub skipped: Vec<String>,
}

/// One document.
#[derive(Debug)]
pub struct LoadedDocument {
    /// The name of its source.
    pub source: String,
    /// Its id within the source.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The tree of the page, if the document is a page.
    pub tree: Option<Arc<Tree>>,
    /// Where it is in the corpus.
    place: DocumentRef,
}

impl Texts {
    /// The effects of patterns on these documents. Stops when `go_on` returns false.
    pub fn effects(&self, question: &Question, go_on: impl Fn() -> bool + Sync) -> Effects {
        let read = |index: usize| {
            let LoadedDocument { text, tree, .. } = self.documents.get(index)?;
            Some(PageText { text: Cow::Borrowed(text.as_str()), tree: tree.clone() })
        };
        Effects::of(question, self.documents.len(), read, go_on)
    }
}

impl Documents {
    /// At most `most` documents for each source of an inventory.
    pub fn new(inventory: Inventory, most: usize) -> Documents {
        let inventory = inventory.with_trees().with_pages();
        Documents { inventory, most, listings: OnceLock::new(), recent: Mutex::default() }
    }

    /// The number of documents of each source in the corpus. `None` while they are being listed, which takes time for
    /// files with many documents.
    pub fn counts(&self) -> Option<BTreeMap<&str, usize>> {
        let listings = self.listings.get()?.as_ref().ok()?;
        Some(listings.iter().map(|(source, documents)| (source.as_str(), documents.len())).collect())
    }

    /// The texts of a source. For [`SHARED`], texts of all sources, evenly spread.
    pub fn texts(&self, source: &str) -> Arc<Texts> {
        let lock = || self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().iter().find(|(known, _)| known == source).map(|(_, texts)| Arc::clone(texts));
        // Reads without the lock, so that other threads can continue.
        let texts = known.unwrap_or_else(|| Arc::new(self.read(source)));
        let mut recent = lock();
        recent.retain(|(known, _)| known != source);
        recent.push((source.to_owned(), Arc::clone(&texts)));
        if recent.len() > IN_MEMORY {
            recent.remove(0);
        }
        texts
    }

    /// Reads a document again, as it is now. If it is a page, it comes with its markup, which is not kept in memory.
    ///
    /// # Errors
    /// If the document cannot be read any more: the reason.
    pub fn read_again(&self, document: &LoadedDocument) -> Result<Document, String> {
        self.inventory.read(&document.place).map_err(|skipped| skipped.to_string())
    }

    fn read(&self, source: &str) -> Texts {
        let places = self.places(source);
        let chosen: Vec<&DocumentRef> = evenly_spread(&places, self.most).collect();
        let read: Vec<Result<LoadedDocument, String>> = chosen
            .par_iter()
            .map(|&place| {
                let document = self.inventory.read(place).map_err(|skipped| skipped.to_string())?;
                // The text is kept, because the file may change in the meantime.
                Ok(LoadedDocument {
                    source: document.source.as_str().to_owned(),
                    id: document.id,
                    text: document.text,
                    tree: document.tree,
                    place: *place,
                })
            })
            .collect();
        let mut texts = Texts { of: places.len(), ..Texts::default() };
        texts.skipped.extend(self.listings().as_ref().err().cloned());
        for page in read {
            match page {
                Ok(page) => texts.documents.push(page),
                Err(problem) => texts.skipped.push(problem),
            }
        }
        texts
    }

    fn places(&self, source: &str) -> Vec<DocumentRef> {
        match (self.listings(), source) {
            (Ok(listings), SHARED) => listings.values().flatten().copied().collect(),
            (Ok(listings), _) => listings.get(source).cloned().unwrap_or_default(),
            (Err(_), _) => Vec::new(),
        }
    }

    fn listings(&self) -> &Result<BTreeMap<String, Vec<DocumentRef>>, String> {
        self.listings.get_or_init(|| {
            let listings = self.inventory.sources().map_err(|error| error.to_string())?.listings.into_iter();
            Ok(listings.map(|listing| (listing.id.as_str().to_owned(), listing.documents)).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use dehusk_corpus::{HtmlView, ReadOptions};

    #[test]
    fn pages_are_read_again_wherever_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let line = r#"{"source": "s", "id": "1", "url": "https://quay.example/", "html": "<p>A ferry"}"#;
        let packed = zstd::encode_all(line.as_bytes(), 1).expect("packed");
        fs::create_dir(folder.path().join("s")).expect("a source");
        fs::write(folder.path().join("a.jsonl.zst"), packed).expect("a file");
        fs::write(folder.path().join("s/2.html"), "<p>A gull").expect("a page");
        fs::write(folder.path().join("s/3.txt"), "A mast").expect("a text");
        for html in [HtmlView::Text, HtmlView::Markdown, HtmlView::Page] {
            let options = ReadOptions::default().html(html);
            let inventory = Inventory::scan(&[folder.path().to_owned()], &options).expect("files");
            let documents = Documents::new(inventory, 9);
            let texts = documents.texts("s");
            let told = texts.documents.iter().map(|document| {
                let page = documents.read_again(document).expect("it is there").page;
                assert_eq!(page.is_some(), document.tree.is_some());
                (document.text.as_str(), page.map(|page| page.markup().to_owned()).unwrap_or_default())
            });
            let mut told: Vec<(&str, String)> = told.collect();
            told.sort_unstable();
            let expected = [("A ferry", "<p>A ferry"), ("A gull", "<p>A gull"), ("A mast", "")];
            assert_eq!(told, expected.map(|(text, page)| (text, page.to_owned())));
        }
    }
}
