//! The gold texts, and the document of each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::score::MIN_GOLD_WORDS;
use super::words::Bag;
use crate::Observer;
use crate::left_out::tell_of_skipped;
use dehusk_corpus::{Document, FileKind, Inventory, ReadOptions, ScanError, SourceId, SourceListing};

/// Why gold texts cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldError {
    /// The folder of gold texts cannot be read.
    #[error("gold text")]
    Unreadable(#[source] ScanError),
    /// The documents of the folder cannot be listed.
    #[error(transparent)]
    Listing(ScanError),
    /// No gold text has enough words.
    #[error(
        "gold text: no document in {folder} has {MIN_GOLD_WORDS} words or more; give longer documents",
        folder = .0.display()
    )]
    TooShort(PathBuf),
    /// The gold texts belong to other sources than those of the corpus.
    #[error(
        "no source of the corpus has gold text: the corpus has '{of_corpus}', and {folder} has '{of_gold}'; \
         name the folders in {folder} after the sources",
        folder = .folder.display()
    )]
    OtherSources {
        /// A source of the corpus.
        of_corpus: String,
        /// A source with gold text.
        of_gold: String,
        /// Where the gold texts are.
        folder: PathBuf,
    },
    /// Some sources of the corpus have gold texts, but no document has one.
    #[error(
        "no document to score{note}{advice}",
        advice = name_them_after_documents(.folder)
    )]
    NothingToScore {
        /// Another possible reason, in brackets. Empty if there is none.
        note: &'static str,
        /// Where the gold texts are. Empty if they are not from a folder.
        folder: PathBuf,
    },
}

fn name_them_after_documents(folder: &Path) -> String {
    match folder.display() {
        folder if folder.to_string().is_empty() => String::new(),
        folder => format!(
            ": the gold text of SOURCE/NAME.txt or SOURCE/NAME.html is looked for in {folder}/SOURCE/NAME.txt; \
             name the files there after the documents"
        ),
    }
}

/// The gold texts. The gold text of a document is the text that should be kept of it.
#[derive(Debug)]
pub struct GoldTexts {
    /// Where they are. Empty if they are not from a folder.
    folder: PathBuf,
    /// The gold texts by source and name.
    pub sources: BTreeMap<String, BTreeMap<String, Gold>>,
    /// Number of gold texts that were left out because they have too few words.
    pub too_short: usize,
}

/// The gold text of one document: the text that should be kept of it.
#[derive(Debug)]
pub struct Gold {
    /// The text that a person marked.
    pub text: String,
    /// Its words.
    pub words: Bag,
}

impl GoldTexts {
    /// Reads a folder of gold texts to score with. Like a corpus, it has a folder for each source. Texts with too few
    /// words are left out, because a single word would decide their score.
    ///
    /// # Errors
    /// If the folder cannot be read, or no gold text has enough words.
    pub fn read(folder: &Path, options: &ReadOptions, observer: &dyn Observer) -> Result<GoldTexts, GoldError> {
        GoldTexts::of_least(MIN_GOLD_WORDS, folder, options, observer)
    }

    /// Reads a folder of gold texts to learn from, including short ones.
    ///
    /// # Errors
    /// If the folder cannot be read, or has no gold text.
    pub fn read_all(folder: &Path, options: &ReadOptions, observer: &dyn Observer) -> Result<GoldTexts, GoldError> {
        GoldTexts::of_least(0, folder, options, observer)
    }

    fn of_least(
        least: usize,
        folder: &Path,
        options: &ReadOptions,
        observer: &dyn Observer,
    ) -> Result<GoldTexts, GoldError> {
        let inventory = Inventory::scan(&[folder.to_owned()], options).map_err(GoldError::Unreadable)?;
        let sources = inventory.sources().map_err(GoldError::Listing)?;
        inventory.skipped().iter().chain(&sources.skipped).for_each(|skipped| tell_of_skipped(skipped, observer));
        let mut gold = GoldTexts { folder: folder.to_owned(), sources: BTreeMap::new(), too_short: 0 };
        for place in sources.listings.iter().flat_map(|listing| &listing.documents) {
            match inventory.read(place) {
                Ok(document) => gold.add(document, least),
                Err(skipped) => tell_of_skipped(&skipped, observer),
            }
        }
        if gold.sources.is_empty() {
            return Err(GoldError::TooShort(folder.to_owned()));
        }
        Ok(gold)
    }

    /// Gold texts from these texts, each given with the source and the name of its document. Texts with too few words
    /// are left out.
    pub fn of_texts(texts: impl IntoIterator<Item = (SourceId, String, String)>) -> GoldTexts {
        let mut gold = GoldTexts { folder: PathBuf::new(), sources: BTreeMap::new(), too_short: 0 };
        texts.into_iter().for_each(|(source, name, text)| gold.add(Document::new(name, source, text), MIN_GOLD_WORDS));
        gold
    }

    /// Fails if no source has gold text. Call it before mining, which may take hours.
    ///
    /// # Errors
    /// If no source has gold text.
    pub fn refuse_other_sources(&self, listings: &[SourceListing]) -> Result<(), GoldError> {
        if listings.iter().any(|listing| self.sources.contains_key(listing.id.as_str())) {
            return Ok(());
        }
        let name = |name: Option<&str>| name.unwrap_or_default().to_owned();
        Err(GoldError::OtherSources {
            of_corpus: name(listings.first().map(|listing| listing.id.as_str())),
            of_gold: name(self.sources.keys().next().map(String::as_str)),
            folder: self.folder.clone(),
        })
    }

    /// The error that no document has gold text, although its source has some. `note` is another possible reason.
    pub fn nothing_to_score(&self, note: &'static str) -> GoldError {
        GoldError::NothingToScore { note, folder: self.folder.clone() }
    }

    /// The documents of a source that have gold text, each with its gold text, in the order of the documents.
    pub fn with_documents<'g, 'd>(
        &'g self,
        source: &str,
        documents: &'d [Option<Document>],
    ) -> Vec<(&'g Gold, &'d Document)> {
        self.with_numbered(source, documents).into_iter().map(|(gold, (_, document))| (gold, document)).collect()
    }

    /// The same, with the index of each document among the documents of the source.
    pub fn with_numbered<'g, 'd>(
        &'g self,
        source: &str,
        documents: &'d [Option<Document>],
    ) -> Vec<(&'g Gold, (usize, &'d Document))> {
        let Some(gold) = self.sources.get(source) else { return Vec::new() };
        let found =
            pairs(gold, documents).into_iter().filter_map(|Pair { gold, document, .. }| Some((gold, document?)));
        let mut found: Vec<(&Gold, (usize, &Document))> = found.collect();
        found.sort_by_key(|(_, (index, _))| *index);
        found
    }

    fn add(&mut self, document: Document, least: usize) {
        let words = Bag::of(&document.text);
        if words.total() < least {
            self.too_short += 1;
            return;
        }
        let source = self.sources.entry(document.source.as_str().to_owned()).or_default();
        source.insert(document.id, Gold { text: document.text, words });
    }
}

/// A gold text and its document.
#[derive(Debug)]
pub struct Pair<'g, 'd> {
    /// The name of the gold text.
    pub name: &'g str,
    /// The gold text.
    pub gold: &'g Gold,
    /// The document, with its index among the documents of the source. `None` if there is no such document.
    pub document: Option<(usize, &'d Document)>,
}

/// The document of each gold text of a source. If several documents fit, the one with the most similar name is taken.
pub fn pairs<'g, 'd>(gold: &'g BTreeMap<String, Gold>, documents: &'d [Option<Document>]) -> Vec<Pair<'g, 'd>> {
    let mut found: BTreeMap<&str, (usize, usize, &Document)> = BTreeMap::new();
    for (index, document) in documents.iter().enumerate() {
        let Some(document) = document else { continue };
        for (unlikeness, name) in gold_names(&document.id).into_iter().enumerate() {
            let Some((name, _)) = gold.get_key_value(&name) else { continue };
            let known = found.entry(name).or_insert((unlikeness, index, document));
            if unlikeness < known.0 {
                *known = (unlikeness, index, document);
            }
        }
    }
    let document = |name: &String| found.get(name.as_str()).map(|&(_, index, document)| (index, document));
    gold.iter().map(|(name, gold)| Pair { name, gold, document: document(name) }).collect()
}

/// The possible names of the gold text of a document, the most similar one first.
fn gold_names(id: &str) -> [String; 3] {
    let stem = FileKind::stem(id);
    [id.to_owned(), format!("{stem}.txt"), format!("{id}.txt")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gold_is_named_after_files_and_ids() {
        assert_eq!(gold_names("a/x.html"), ["a/x.html", "a/x.txt", "a/x.html.txt"]);
        assert_eq!(gold_names("x.html.gz"), ["x.html.gz", "x.txt", "x.html.gz.txt"]);
        assert_eq!(gold_names("17"), ["17", "17.txt", "17.txt"]);
        assert_eq!(gold_names("v1.5"), ["v1.5", "v1.5.txt", "v1.5.txt"]);
    }
}
