//! The tables of a stream: what the documents of each source have taught so far, stored in a state.
//!
//! Takes documents in order, and gives what is known of each. Sources are independent, so they learn in parallel. The
//! documents of one source are processed one after another.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::StreamOptions;
use super::arrivals::Arrived;
use super::held::HeldTables;
use crate::clean::cleaners::{Cleaners, CleaningScratch};
use crate::error::{PipelineError, Result};
use crate::state::{Settings, State, Written};
use dehusk_core::patterns::{LexerCache, PatternFile};
use dehusk_core::setting::Setting;
use dehusk_core::streaming::evidence::StreamEvidence;
use dehusk_core::streaming::learner::{Learner, SegmentedDocument};
use dehusk_core::streaming::table::{SegmentTable, TableOptions};
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::SourceId;

/// The tables of all sources.
pub struct Tables {
    state: State,
    /// The settings of this run. If it learns, the state stores them.
    options: TableOptions,
    reader: PatternFile,
    learns: bool,
    held: HeldTables,
}

impl Tables {
    /// Opens the tables of the state at `path`, or makes new ones.
    pub fn open(path: &Path, options: &StreamOptions, lexers: &LexerCache) -> Result<Tables> {
        let mut state = match path.try_exists()? {
            true => State::open(path)?,
            false if !options.learns => {
                let path = path.display();
                let message = format!("{path}: does not exist: first let a run learn it, without {}", Setting::NoLearn);
                return Err(PipelineError::Refused(message));
            }
            false => State::create(path, &new_settings(options))?,
        };

        let mut settings = state.settings().clone();
        settings.table = options.table.over(settings.table);
        if let Some(lexer) = &options.lexer {
            settings = settings.with_lexer(lexer);
        }
        let table = settings.table;
        match options.learns {
            true if settings != *state.settings() => state.set_settings(settings)?,
            _ => state.check_settings(&settings)?,
        }
        let reader = state.reader(lexers)?;
        let held = HeldTables::new(options.held_segments);
        Ok(Tables { state, options: table, reader, learns: options.learns, held })
    }

    /// The settings of this run.
    pub fn options(&self) -> &TableOptions {
        &self.options
    }

    /// A file without patterns, with the lexer of the segments.
    pub fn reader(&self) -> &PatternFile {
        &self.reader
    }

    /// Number of records of an input that were taken. `None` if this is not stored.
    pub fn taken(&self, input: &str) -> Result<Option<u64>> {
        if !self.learns {
            return Ok(None);
        }
        Ok(Some(self.state.input(input)?.unwrap_or(0)))
    }

    /// The recorded length and ending of the file at `path`. `None` if they are unknown, or this run does not extend
    /// the output.
    pub fn written(&self, path: &Path) -> Result<Option<Written>> {
        if !self.learns {
            return Ok(None);
        }
        let Ok(path) = fs::canonicalize(path) else { return Ok(None) };
        Ok(self.state.output(&path.to_string_lossy())?)
    }

    /// Learns from documents in order. Returns what is known of each. Where there is no document, the result is empty.
    pub fn arrive(&mut self, arrived: &[Arrived], cleaners: &Cleaners) -> Result<Vec<StreamEvidence>> {
        let mut classes = self.classes(arrived)?;
        let learn = |scratch: &mut CleaningScratch, Class { source, learner, pages, .. }: &mut Class| {
            let (source, _) = cleaners.of(source.as_str(), false, scratch);
            learner.take(pages, &source.cleaner)
        };
        let learned: Vec<Vec<StreamEvidence>> =
            classes.par_iter_mut().map_init(CleaningScratch::default, learn).collect();
        let mut all = vec![StreamEvidence::default(); arrived.len()];
        for (Class { places, .. }, known) in classes.iter().zip(learned) {
            places.iter().zip(known).for_each(|(&place, known)| all[place] = known);
        }
        let tables = classes.into_iter().map(|Class { source, learner, .. }| (source.clone(), learner.into_table()));
        self.held.put_back(tables.collect());
        Ok(all)
    }

    /// The documents by source, each with its table.
    fn classes<'a>(&mut self, arrived: &'a [Arrived]) -> Result<Vec<Class<'a>>> {
        let mut of_source: BTreeMap<&SourceId, (Vec<usize>, Vec<SegmentedDocument>)> = BTreeMap::new();
        for (place, arrival) in arrived.iter().enumerate() {
            if let Ok(Some(arrival)) = arrival {
                let (places, pages) = of_source.entry(&arrival.document.source).or_default();
                places.push(place);
                pages.push(arrival.page());
            }
        }
        let class = |(source, (places, pages))| {
            let table = self.held.take(source).map_or_else(|| self.state.table(source), Ok)?;
            Ok(Class { source, learner: Learner::new(table, self.options, self.learns), places, pages })
        };
        of_source.into_iter().map(class).collect()
    }

    /// Stores what was learned, how far inputs were read, and what was written.
    pub fn commit(&mut self, taken: &[(String, u64)], output: Option<(&Path, Written)>) -> Result<()> {
        if !self.learns {
            self.held.make_room();
            return Ok(());
        }
        let taken: Vec<(&str, u64)> = taken.iter().map(|(name, records)| (name.as_str(), *records)).collect();
        let output = output.map(|(path, written)| (path.to_string_lossy(), written));
        let output = output.as_ref().map(|(path, written)| (&**path, *written));
        self.state.commit(&mut self.held.changed(), &taken, output)?;
        self.held.make_room();
        Ok(())
    }

    /// Stores that the run no longer writes to its output. What was learned since the last commit is not stored.
    pub fn close(&mut self, path: &Path, written: Written) -> Result<()> {
        if self.learns {
            let closed = Written { is_open: false, ..written };
            self.state.commit(&mut [], &[], Some((&path.to_string_lossy(), closed)))?;
        }
        Ok(())
    }

    /// Calls `look` with the table of a source, and returns its result.
    pub fn look<T>(&self, source: &SourceId, look: impl FnOnce(&SegmentTable, &TableOptions) -> T) -> Result<T> {
        Ok(match self.held.get(source) {
            Some(table) => look(table, &self.options),
            None => look(&self.state.table(source)?, &self.options),
        })
    }
}

fn new_settings(options: &StreamOptions) -> Settings {
    let table = options.table.of_new_state();
    match &options.lexer {
        Some(lexer) => Settings::new(table, lexer),
        None => Settings::new(table, &Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()))),
    }
}

/// The documents of one source, and their learner.
struct Class<'a> {
    source: &'a SourceId,
    learner: Learner,
    /// The index of each document in the batch.
    places: Vec<usize>,
    pages: Vec<SegmentedDocument<'a>>,
}
