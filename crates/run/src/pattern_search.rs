//! Finds all matches of one pattern in documents of many sources, and what happens to the matched text.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::explain::excerpts::{Excerpt, Excerpts};
use crate::explain::lens::{Lens, Tally};
use crate::library::Library;
use crate::observer::Observer;
use dehusk_core::cleaning::{CleanOptions, Scratch};
use dehusk_corpus::Document;

/// The search for all matches of a pattern of any status.
#[derive(Debug)]
pub struct PatternSearch<'a> {
    id: &'a str,
    library: &'a Library,
    options: CleanOptions,
    /// Number of lines shown around each match. Blank lines do not count.
    context: usize,
    /// The lens of each source. `None` if neither its file nor the shared one has the pattern.
    lenses: BTreeMap<String, Option<Lens>>,
    /// The results by source.
    found: BTreeMap<String, Tally>,
}

impl<'a> PatternSearch<'a> {
    /// A search for the pattern with this id.
    pub fn new(id: &'a str, library: &'a Library, options: CleanOptions, context: usize) -> PatternSearch<'a> {
        PatternSearch { id, library, options, context, lenses: BTreeMap::new(), found: BTreeMap::new() }
    }

    /// Searches documents, each given with its name and source. Returns an excerpt for each match. A document in which
    /// the search for a regex was given up is left out and named.
    pub fn look_at<'d>(
        &mut self,
        documents: &[(&str, &str, &'d Document)],
        observer: &dyn Observer,
    ) -> Vec<Vec<Excerpt<'d>>> {
        for &(_, source, _) in documents {
            if !self.lenses.contains_key(source) {
                let lens = Lens::of(self.id, &self.library.for_source(source).files(), &self.options);
                self.lenses.insert(source.to_owned(), lens);
            }
        }
        let look = |scratch: &mut Scratch, named: &(&str, &str, &'d Document)| self.look(*named, scratch, observer);
        let looked: Vec<(Tally, Vec<Excerpt>)> = documents.par_iter().map_init(Scratch::default, look).collect();
        let mut excerpts = Vec::with_capacity(documents.len());
        for ((_, source, _), (tally, of_document)) in documents.iter().zip(looked) {
            *self.found.entry((*source).to_owned()).or_default() += &tally;
            excerpts.push(of_document);
        }
        excerpts
    }

    fn look<'d>(
        &self,
        (name, source, document): (&str, &str, &'d Document),
        scratch: &mut Scratch,
        observer: &dyn Observer,
    ) -> (Tally, Vec<Excerpt<'d>>) {
        let Some(Some(lens)) = self.lenses.get(source) else { return (Tally::unasked(), Vec::new()) };
        match lens.look(scratch, &document.text, document.tree.as_deref()) {
            Ok(matched) => {
                let excerpts = Excerpts::new(&document.text, &matched, &lens.cleaner);
                let around = matched.ranges.iter().map(|range| excerpts.around(range, self.context)).collect();
                (Tally::of(&matched, &document.text, &lens.cleaner), around)
            }
            Err(error) => {
                observer.skip(name, &error.to_string());
                (Tally::default(), Vec::new())
            }
        }
    }

    /// The sources of the searched documents.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.lenses.keys().map(String::as_str)
    }

    /// The lens of the pattern for each file that was used, by the source of the file.
    pub fn lenses(&self) -> BTreeMap<&str, &Lens> {
        self.lenses.values().flatten().map(|lens| (&*lens.file, lens)).collect()
    }

    /// The results of each source that has the pattern.
    pub fn found(&self) -> impl Iterator<Item = (&str, &Tally)> {
        self.tallies(true)
    }

    /// The tally of each source that does not have the pattern.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &Tally)> {
        self.tallies(false)
    }

    fn tallies(&self, with_pattern: bool) -> impl Iterator<Item = (&str, &Tally)> {
        let has_it = |source: &str| self.lenses.get(source).is_some_and(Option::is_some);
        let all = self.found.iter().map(|(source, tally)| (source.as_str(), tally));
        all.filter(move |(source, _)| has_it(source) == with_pattern)
    }
}
