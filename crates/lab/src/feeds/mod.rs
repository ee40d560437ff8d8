//! Gold texts from feeds: where a feed carries the full text of an article, nobody needs to mark the text to keep in
//! its page.
//!
//! [`Crawl`] reads WARC files. `entry_texts` gives the texts of the entries, without the lines that the feed adds.
//! [`FeedGold`] finds the pages of the entries, and keeps the texts that are a whole article.

mod crawl;
mod entry_texts;
pub mod page_test;

pub use crawl::Crawl;
pub use entry_texts::entry_texts;

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use dehusk_corpus::{Document, Inventory, SourceListing};
use dehusk_run::scoring::gold_texts::GoldTexts;
use dehusk_run::scoring::words::word_ranges;
use dehusk_run::{Observer, PipelineError, Result, Steps};
use page_test::{SourceLines, refused_by_page};

/// Why the text of an entry is not a gold text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The entry has no text.
    NoText,
    /// It is a summary of one paragraph.
    Summary,
    /// It ends in an ellipsis.
    Ellipsis,
    /// It has too few words.
    Short,
    /// Most entries of its feed have the same length.
    SameLength,
    /// The crawl has no page for it.
    NoPage,
    /// Too many of its words are not on its page.
    OtherText,
    /// Its page has more of the article.
    Continues,
}

impl Refusal {
    /// All refusals, in the order in which they are checked.
    pub const ALL: [Refusal; 8] = [
        Refusal::NoText,
        Refusal::Ellipsis,
        Refusal::Summary,
        Refusal::Short,
        Refusal::SameLength,
        Refusal::NoPage,
        Refusal::OtherText,
        Refusal::Continues,
    ];

    /// Words for people that describe the refused entries.
    pub fn label(self) -> &'static str {
        match self {
            Refusal::NoText => "no text",
            Refusal::Ellipsis => "a text that ends in an ellipsis",
            Refusal::Summary => "a summary of one paragraph",
            Refusal::Short => "a text of too few words",
            Refusal::SameLength => "a text that is cut: most of the feed have the same length",
            Refusal::NoPage => "no page in the crawl",
            Refusal::OtherText => "another text than their page",
            Refusal::Continues => "a page on which the text goes on",
        }
    }

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Refusal::NoText => "no_text",
            Refusal::Ellipsis => "ellipsis",
            Refusal::Summary => "summary",
            Refusal::Short => "short",
            Refusal::SameLength => "same_length",
            Refusal::NoPage => "no_page",
            Refusal::OtherText => "other_text",
            Refusal::Continues => "continues",
        }
    }
}

/// Gold texts from the feeds of a crawl, and the numbers of entries by outcome.
#[derive(Debug)]
pub struct FeedGold {
    /// The gold texts. A page has one: the longest, if several feeds carry the page.
    pub gold: GoldTexts,
    /// Number of feeds.
    pub feeds: usize,
    /// Number of entries. An entry in several feeds counts once for each feed.
    pub entries: usize,
    /// Number of entries whose page is in the crawl, whatever their text is.
    pub with_page: usize,
    /// Number of entries with the full text of an article.
    pub full: usize,
    /// Number of the other entries, by the first refusal that applies.
    pub refused: BTreeMap<Refusal, usize>,
}

/// The text of an entry that may be full, and the captures of its page.
struct Claim<'c> {
    text: String,
    /// The names of the documents that are captures of the page, the latest last.
    captures: Vec<&'c str>,
}

/// A claim, a document of its page, and the rank of this capture: the latest one has the highest rank.
#[derive(Clone, Copy)]
struct Match {
    claim: usize,
    document: usize,
    rank: usize,
}

impl FeedGold {
    /// Compares the entries of all feeds with their pages, which are read with their trees if there are any.
    ///
    /// # Errors
    /// If the observer stops it.
    pub fn of(
        crawl: &Crawl,
        inventory: &Inventory,
        listings: &[SourceListing],
        observer: &dyn Observer,
    ) -> Result<FeedGold> {
        let mut found = FeedGold {
            gold: GoldTexts::of_texts([]),
            feeds: crawl.feeds.len(),
            entries: 0,
            with_page: 0,
            full: 0,
            refused: BTreeMap::new(),
        };
        let mut claims = Vec::new();
        for entries in crawl.feeds.values() {
            for (entry, text) in entries.iter().zip(entry_texts(entries)) {
                let captures: Vec<&str> = crawl.captures(&entry.page).collect();
                found.entries += 1;
                found.with_page += usize::from(!captures.is_empty());
                match text {
                    Err(refusal) => found.refuse(refusal, 1),
                    Ok(_) if captures.is_empty() => found.refuse(Refusal::NoPage, 1),
                    Ok(text) => claims.push(Claim { text, captures }),
                }
            }
        }
        found.judge(&claims, inventory, listings, observer)?;
        Ok(found)
    }

    fn refuse(&mut self, refusal: Refusal, entries: usize) {
        if entries > 0 {
            *self.refused.entry(refusal).or_default() += entries;
        }
    }

    /// Compares the claims with their pages, source by source.
    fn judge(
        &mut self,
        claims: &[Claim],
        inventory: &Inventory,
        listings: &[SourceListing],
        observer: &dyn Observer,
    ) -> Result<()> {
        let mut by_name: FxHashMap<&str, Vec<(usize, usize)>> = FxHashMap::default();
        for (index, claim) in claims.iter().enumerate() {
            claim
                .captures
                .iter()
                .enumerate()
                .for_each(|(rank, name)| by_name.entry(name).or_default().push((index, rank)));
        }

        let (mut texts, mut judged) = (Vec::new(), 0);
        observer.start("comparing feeds with pages", Steps::Things(listings.len() as u64));
        for listing in listings {
            let documents = read_with_trees(inventory, listing, observer)?;

            let matches = latest(&documents, &by_name);
            let lines = SourceLines::of(documents.iter().map(|document| document.text.as_str()));
            let refusals: Vec<Option<Refusal>> = matches
                .par_iter()
                .map(|found| refused_by_page(&claims[found.claim].text, &documents[found.document], &lines))
                .collect();
            judged += matches.len();

            let mut longest: BTreeMap<usize, (usize, &str)> = BTreeMap::new();
            for (Match { claim, document, .. }, refusal) in matches.iter().zip(refusals) {
                if let Some(refusal) = refusal {
                    self.refuse(refusal, 1);
                    continue;
                }
                self.full += 1;
                let text = claims[*claim].text.as_str();
                let known = longest.entry(*document).or_default();
                *known = (*known).max((word_ranges(text).count(), text));
            }
            texts.extend(
                longest
                    .into_iter()
                    .map(|(document, (_, text))| (listing.id.clone(), documents[document].id.clone(), text.to_owned())),
            );
            observer.step(1);
        }
        observer.finish();
        // The records of the other claims hold no document, or one that could not be read.
        self.refuse(Refusal::NoPage, claims.len() - judged);
        self.gold = GoldTexts::of_texts(texts);
        Ok(())
    }
}

/// For each claim with captures among these documents, the document with the latest capture.
fn latest(documents: &[Document], by_name: &FxHashMap<&str, Vec<(usize, usize)>>) -> Vec<Match> {
    let mut latest: BTreeMap<usize, Match> = BTreeMap::new();
    for (document, of) in documents.iter().enumerate().filter_map(|(at, of)| Some((at, by_name.get(of.id.as_str())?))) {
        for &(claim, rank) in of {
            let found = Match { claim, document, rank };
            let known = latest.entry(claim).or_insert(found);
            if rank >= known.rank {
                *known = found;
            }
        }
    }
    latest.into_values().collect()
}

/// The documents of a source. Documents that cannot be read are left out here, and named by scoring.
fn read_with_trees(inventory: &Inventory, listing: &SourceListing, observer: &dyn Observer) -> Result<Vec<Document>> {
    let read = |place| {
        observer.go_on().map_err(PipelineError::Stopped)?;
        Ok(inventory.read_with_tree(place).ok().map(Document::to_collect))
    };
    let documents: Result<Vec<Option<Document>>> = listing.documents.par_iter().map(read).collect();
    Ok(documents?.into_iter().flatten().collect())
}
