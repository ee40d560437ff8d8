//! The report on a corpus: pages that show what the patterns of all sources do to it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use maud::Markup;
use rayon::prelude::*;

use crate::view::report::documents::{ShownDocument, removed_parts};
use crate::view::report::patterns::{Patterns, Sight, Sights};
use crate::view::report::ranking::{Ranking, extremes};
use crate::view::report::source::SourceReport;
use crate::view::report::{Overview, ReportLayout, ReportPage, SHARED_ANCHOR, Section, SourceRow, by_status, pages};
use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::pages::PageText;
use dehusk_core::patterns::{PatternFile, SHARED};
use dehusk_core::selection::effects::{Effects, PatternEffect, Question, SampleMatch};
use dehusk_core::selection::warnings::warnings;
use dehusk_core::shown::shown;
use dehusk_corpus::{Document, DocumentRef, Inventory, SourceListing};
use dehusk_run::error::Result;
use dehusk_run::left_out::tell_of_skipped;
use dehusk_run::library::Library;
use dehusk_run::observer::{Observer, Steps};
use dehusk_run::workers::share_out_and_collect;

/// The options of a report.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The files of the report.
    pub layout: ReportLayout,
    /// How documents are cleaned.
    pub cleaning: CleanOptions,
    /// Whether documents are cleaned with the options with which mining tries out patterns.
    pub as_mined: bool,
    /// Maximum number of patterns of each source that are shown in full. The same number of rejected patterns is shown,
    /// too.
    pub patterns: usize,
    /// Number of documents of each source that are shown because most is removed. The same number is shown because
    /// least is removed.
    pub documents: usize,
    /// Maximum number of sources that are processed at the same time: 1 to 8 for each core.
    pub threads: usize,
}

/// Makes the sections of all sources.
pub struct CorpusReporter<'a> {
    /// The documents.
    pub inventory: &'a Inventory,
    /// The patterns.
    pub library: &'a Library,
    /// The options.
    pub options: &'a ReportOptions,
    /// The observer of the run.
    pub observer: &'a dyn Observer,
}

/// The effects of the patterns of all sources on a corpus.
#[derive(Debug)]
pub struct CorpusReport {
    layout: ReportLayout,
    rows: Vec<SourceRow>,
    sections: Vec<Section>,
    /// Number of documents that were read and cleaned.
    documents: usize,
    shared_file: Option<Arc<PatternFile>>,
    shared: SharedSum,
    in_full: usize,
}

impl CorpusReport {
    /// The pages, the index first. `method` is a sentence on how documents were cleaned, `skipped` the messages for
    /// skipped documents, `unnamed_skips` the number of further skipped documents.
    pub fn pages(self, method: String, skipped: Vec<String>, unnamed_skips: usize) -> Vec<ReportPage> {
        let overview = Overview { layout: self.layout, rows: self.rows, method, skipped, unnamed_skips };
        let shared = self.shared_file.as_deref().map(|file| Patterns {
            anchor: SHARED_ANCHOR,
            page: "",
            file,
            effects: &self.shared.effects,
            sights: &self.shared.sights,
            documents: self.documents,
            in_full: self.in_full,
        });
        pages(&overview, self.sections, shared.as_ref())
    }
}

impl<'a> CorpusReporter<'a> {
    /// Cleans the documents of all sources. A document that cannot be read or cleaned is left out and named.
    ///
    /// # Errors
    /// If the observer stops the run.
    pub fn report(&self, listings: &[SourceListing]) -> Result<CorpusReport> {
        let places: BTreeMap<&str, &[DocumentRef]> =
            listings.iter().map(|listing| (listing.id.as_str(), listing.documents.as_slice())).collect();
        let names: BTreeSet<&str> = places.keys().copied().chain(self.library.own_sources()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let documents: usize = places.values().map(|places| places.len()).sum();
        self.observer.start("reporting", Steps::Things(documents as u64));

        let sections = share_out_and_collect(self.options.threads, names.len(), |index| {
            let places = places.get(names[index]).copied().unwrap_or_default();
            let files = self.library.for_source(names[index]);
            SourceToReport::new(self, names[index], files.files(), places).section(format!("s{}", index + 1))
        });
        self.observer.finish();

        let shared_file = self.library.get(SHARED);
        let mut report = CorpusReport {
            layout: self.options.layout,
            rows: Vec::new(),
            sections: Vec::new(),
            documents: 0,
            shared_file: shared_file.clone(),
            shared: SharedSum::new(shared_file.as_deref()),
            in_full: self.options.patterns,
        };

        for section in sections? {
            report.shared.add(section.shared);
            report.documents += section.sampled;
            report.sections.push(Section {
                anchor: section.row.anchor.clone(),
                name: section.row.name.clone(),
                title: shown(&section.row.name).into_owned(),
                summary: section.row.in_words(),
                body: section.html,
            });
            report.rows.push(section.row);
        }
        Ok(report)
    }
}

/// The result for one source.
struct ReportedSource {
    row: SourceRow,
    html: Markup,
    /// Number of its documents that were read and cleaned.
    sampled: usize,
    /// The effect of each shared pattern on the source, and one of its matches.
    shared: Vec<(PatternEffect, Option<Sight>)>,
}

/// The effects of shared patterns on all sources.
#[derive(Debug)]
struct SharedSum {
    effects: Vec<PatternEffect>,
    sights: Sights,
}

impl SharedSum {
    /// Number of matches shown for a pattern. Each is from another source.
    const SIGHTS: usize = 3;

    fn new(file: Option<&PatternFile>) -> SharedSum {
        let patterns = file.map_or(0, |file| file.patterns.len());
        SharedSum { effects: vec![PatternEffect::default(); patterns], sights: Sights::new() }
    }

    fn add(&mut self, of_source: Vec<(PatternEffect, Option<Sight>)>) {
        for (index, (effect, sight)) in of_source.into_iter().enumerate() {
            self.effects[index].add_counts(&effect);
            let sights = self.sights.entry(index).or_default();
            sights.extend(sight.filter(|_| sights.len() < SharedSum::SIGHTS));
        }
    }
}

/// A source while its section is made.
struct SourceToReport<'a> {
    report: &'a CorpusReporter<'a>,
    name: &'a str,
    files: Vec<&'a PatternFile>,
    places: &'a [DocumentRef],
    /// The names of the documents that were read.
    names: Vec<OnceLock<String>>,
}

impl<'a> SourceToReport<'a> {
    fn new(
        report: &'a CorpusReporter,
        name: &'a str,
        files: Vec<&'a PatternFile>,
        places: &'a [DocumentRef],
    ) -> SourceToReport<'a> {
        let names = places.iter().map(|_| OnceLock::new()).collect();
        SourceToReport { report, name, files, places, names }
    }

    fn section(self, anchor: String) -> Result<ReportedSource> {
        let effects = self.effects()?;
        let own = self.own().map(|own| Ranking::of(own, &effects.patterns[0]));
        let in_full = own.iter().flat_map(|ranking| ranking.in_full(self.report.options.patterns));
        let sample_matches =
            in_full.flat_map(|index| effects.patterns[0][index].sample_matches.iter().map(move |at| (index, at)));
        let sights = self.sights(sample_matches.collect(), "");

        let shared = self.shared(&effects);
        let extremes =
            extremes(&effects.documents, self.report.options.documents).map(|shown| self.show(&effects, &shown));
        let warnings = warnings(&self.question(), self.report.options.as_mined, &effects);

        let row = self.row(&anchor, &effects, warnings.len());
        let names: Vec<String> = self.names.iter().map(|name| name.get().cloned().unwrap_or_default()).collect();
        let report = SourceReport {
            layout: self.report.options.layout,
            anchor: &anchor,
            name: self.name,
            files: &self.files,
            effects: &effects,
            names: &names,
            sights: &sights,
            extremes: &extremes,
            warnings: &warnings,
            in_full: self.report.options.patterns,
        };
        let html = report.draw();
        Ok(ReportedSource { row, html, sampled: effects.documents.iter().flatten().count(), shared })
    }

    fn question(&self) -> Question<'_> {
        Question { files: &self.files, options: &self.report.options.cleaning, watched: None }
    }

    fn own(&self) -> Option<&'a PatternFile> {
        self.files.iter().copied().find(|file| file.source == self.name)
    }

    fn row(&self, anchor: &str, effects: &Effects, warnings: usize) -> SourceRow {
        let own = self.own();
        SourceRow {
            anchor: anchor.to_owned(),
            name: self.name.to_owned(),
            documents: self.places.len(),
            patterns: own.map(by_status).unwrap_or_default(),
            total: effects.total(),
            when_mined: own.and_then(|own| own.mined.removed),
            warnings,
        }
    }

    /// Cleans all documents, and names the documents that cannot be cleaned.
    fn effects(&self) -> Result<Effects> {
        let read = |index: usize| {
            self.report.observer.step(1);
            let document = self.read(index)?;
            self.names[index].get_or_init(|| document.id);
            Some(PageText { text: document.text.into(), tree: document.tree })
        };
        let effects = Effects::of(&self.question(), self.places.len(), read, || self.report.observer.go_on().is_ok());
        self.report.observer.go_on()?;
        let failed = (0..self.places.len())
            .filter(|&index| effects.documents[index].is_none() && self.names[index].get().is_some());
        self.name_failures(&failed.collect::<Vec<_>>());
        Ok(effects)
    }

    fn name_failures(&self, failed: &[usize]) {
        let cleaner = OnceLock::new();
        for &index in failed {
            let cleaner = cleaner.get_or_init(|| self.cleaner());
            let Some(document) = self.read(index) else { continue };
            if let Err(error) = cleaner.clean(&mut Scratch::default(), &document.text) {
                self.report.observer.skip(&format!("{}/{}", self.name, document.id), &error.to_string());
            }
        }
    }

    fn read(&self, index: usize) -> Option<Document> {
        let document = self.report.inventory.read(&self.places[index]);
        document.map_err(|skipped| tell_of_skipped(&skipped, self.report.observer)).ok()
    }

    fn cleaner(&self) -> Cleaner {
        Cleaner::new(&self.files, &self.report.options.cleaning)
    }

    /// The wanted matches, with their context and the names of their documents, which begin with `folder`. Each
    /// document is read once.
    fn sights(&self, mut wanted: Vec<(usize, &SampleMatch)>, folder: &str) -> Sights {
        wanted.sort_by_key(|&(pattern, sample_match)| (sample_match.text, pattern));
        let by_text: Vec<&[(usize, &SampleMatch)]> = wanted.chunk_by(|a, b| a.1.text == b.1.text).collect();
        let see = |wanted: &&[(usize, &SampleMatch)]| -> Vec<(usize, Sight)> {
            let Some(document) = self.read(wanted[0].1.text) else { return Vec::new() };
            let name = format!("{folder}{}", document.id);
            let sight = |at: &SampleMatch| Sight::new(&name, &document.text, at.bytes.clone());
            wanted.iter().map(|&(pattern, at)| (pattern, sight(at))).collect()
        };
        let mut sights = Sights::new();
        for (pattern, sight) in by_text.par_iter().map(see).collect::<Vec<_>>().into_iter().flatten() {
            sights.entry(pattern).or_default().push(sight);
        }
        sights
    }

    /// The effects of the shared patterns on this source, and a match of each.
    fn shared(&self, effects: &Effects) -> Vec<(PatternEffect, Option<Sight>)> {
        let Some(file) = self.files.iter().position(|file| file.source == SHARED) else { return Vec::new() };
        let patterns = &effects.patterns[file];
        let first = |(index, effect): (usize, &'_ PatternEffect)| Some((index, effect.sample_matches.first()?.clone()));
        let firsts: Vec<(usize, SampleMatch)> = patterns.iter().enumerate().filter_map(first).collect();
        let folder = format!("{}/", self.name);
        let mut sights = self.sights(firsts.iter().map(|(index, at)| (*index, at)).collect(), &folder);
        let sight = |index: usize, sights: &mut Sights| sights.remove(&index).and_then(|mut few| few.pop());
        patterns.iter().enumerate().map(|(index, effect)| (effect.clone(), sight(index, &mut sights))).collect()
    }

    fn show(&self, effects: &Effects, documents: &[usize]) -> Vec<ShownDocument> {
        if documents.is_empty() {
            return Vec::new();
        }
        let (cleaner, mut scratch) = (self.cleaner(), Scratch::default());
        let shown = documents.iter().filter_map(|&index| {
            let document = self.read(index)?;
            let tree = document.tree.as_deref();
            let reading = cleaner.read_page(&mut scratch, &document.text, tree, &|| true).ok()?;
            let cleaning = cleaner.explain(&document.text, &reading);
            let parts = removed_parts(&document.text, &cleaner, &cleaning);
            let effect = effects.documents[index].unwrap_or_default();
            Some(ShownDocument { name: document.id, text: document.text.to_string(), effect, parts })
        });
        shown.collect()
    }
}
