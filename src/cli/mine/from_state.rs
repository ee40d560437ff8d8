//! `dehusk mine --from-state`: what streams have learned, as pattern files.

use std::collections::BTreeMap;
use std::mem;
use std::path::{Path, PathBuf};

use dehusk::corpus::{OutputRoot, SourceId};
use dehusk::mining::MineOptions;
use dehusk::mining::cross_source::MIN_SOURCES;
use dehusk::mining::cutoff::Cutoff;
use dehusk::patterns::file::MinedFrom;
use dehusk::patterns::{PatternFile, SHARED, Template, Trust};
use dehusk::streaming::segments::{Described, SegmentKey};
use dehusk::streaming::state::{ListedSegment, State};
use dehusk::streaming::table::Entry;
use dehusk::streaming::templates::{MIN_PAGES, long_lived, take_shared};
use dehusk::tokens::Lexer;

use super::MineCommand;
use crate::cli::reporter::Reporter;
use crate::cli::state::{lexer_of, open, warn_of_change};
use crate::cli::summary::{MinedSummary, Summary};
use crate::cli::{Exit, Global, interrupt};
use dehusk::pipeline::Library;
use dehusk::pipeline::combine::{tell_of_doubt, with_decisions};
use dehusk::pipeline::mining::refuse_names_alike;
use dehusk::pipeline::writing::write;

/// Writes a pattern file for each source of a state.
pub fn run(path: &Path, args: &MineCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let state = open(path)?;
    let output = OutputRoot::create(args.output(), &[PathBuf::from(path)])?;
    // What people decided is read first: if it cannot be, nothing of it must be written over.
    let reviewed = Library::load_if_any(output.path())?;
    let lexer = lexer_of(&state)?;
    let options = args.mining.mining.options();
    let mut sources = summary.time("read state", || learned(&state, &lexer, &options, reporter))?;
    refuse_names_alike(sources.iter().map(|source| &source.id), reporter)?;
    let fresh = fresh_files(&mut sources, options.cutoff.unwrap_or(Cutoff::DEFAULT.share), &lexer);
    let files = with_decisions(fresh, &reviewed);
    write(&files, &reviewed, &output, reporter)?;
    summary.documents = sources.iter().map(Learned::documents).sum();
    files.iter().for_each(|file| note(file, &mut summary));
    summary.wrote.push(output.path().display().to_string());
    summary.print(args.summary.json, global.quiet)?;
    Ok(reporter.exit())
}

/// What a state knows of a source.
struct Learned {
    id: SourceId,
    /// Documents that were counted.
    pages: usize,
    /// Those that were not, for they repeat others.
    copies: usize,
    /// How far that can be relied on, if enough documents came to tell.
    trust: Option<Trust>,
    templates: Vec<Template>,
}

impl Learned {
    fn documents(&self) -> usize {
        self.pages + self.copies
    }
}

/// A file for each source, and then the shared one, if there are enough sources to tell what is shared.
fn fresh_files(sources: &mut [Learned], cutoff: f64, lexer: &Lexer) -> Vec<PatternFile> {
    let shared = shared_of(sources);
    let documents = sources.iter().map(Learned::documents).sum();
    let copies = sources.iter().map(|source| source.copies).sum();
    let shared =
        shared.map(|templates| PatternFile::of_templates(SHARED, facts(documents, copies, cutoff), templates, lexer));
    let own = sources.iter_mut().map(|source| {
        let (facts, templates) = (facts(source.documents(), source.copies, cutoff), mem::take(&mut source.templates));
        let mut file = PatternFile::of_templates(source.id.as_str(), facts, templates, lexer);
        file.trust = source.trust.clone();
        file
    });
    let mut files: Vec<PatternFile> = own.collect();
    files.extend(shared.map(|mut shared| {
        shared.trust = Trust::mean(sources.iter().filter_map(|source| Some((source.trust.as_ref()?, source.pages))));
        shared
    }));
    files
}

/// The sources of a state, sorted by name.
fn learned(state: &State, lexer: &Lexer, options: &MineOptions, reporter: &Reporter) -> anyhow::Result<Vec<Learned>> {
    let mut sources = Vec::new();
    for id in state.sources()? {
        interrupt::check()?;
        let progress = state.table(&id)?.progress().clone();
        if progress.pages < MIN_PAGES {
            reporter.warn(&format!(
                "source '{id}' is too small: {MIN_PAGES} documents tell what lasts, and there were {}; only shared \
                 patterns will apply",
                progress.pages
            ));
        }
        warn_of_change(id.as_str(), progress.drift(), reporter);
        let templates = long_lived(described(state, &id)?, &progress.ends, lexer, options);
        let (pages, copies) = (progress.pages as usize, progress.copies as usize);
        let trust = progress.trust();
        tell_of_doubt(id.as_str(), trust.as_ref(), reporter);
        sources.push(Learned { id, pages, copies, trust, templates });
    }
    Ok(sources)
}

/// The segments that are template, with their texts.
fn described(state: &State, source: &SourceId) -> anyhow::Result<Vec<(SegmentKey, Entry, Described)>> {
    let detection = state.settings().table.detection;
    let mut all = Vec::new();
    for listed in state.segments(source)?.into_iter().flatten() {
        let ListedSegment { key, entry, described } = listed?;
        all.extend(described.filter(|_| entry.is_template(&detection)).map(|described| (key, entry, described)));
    }
    Ok(all)
}

/// What many sources have; `None` where they are too few to tell.
fn shared_of(sources: &mut [Learned]) -> Option<Vec<Template>> {
    let mut own: Vec<Vec<Template>> = sources.iter_mut().map(|source| mem::take(&mut source.templates)).collect();
    let shared = (sources.len() >= MIN_SOURCES).then(|| take_shared(&mut own));
    for (source, templates) in sources.iter_mut().zip(own) {
        source.templates = templates;
    }
    shared
}

/// A stream counts no tokens, and forgets what is no template.
fn facts(documents: usize, copies: usize, cutoff: f64) -> MinedFrom {
    MinedFrom { documents, near_duplicates: copies, tokens: 0, cutoff, removed: None, histogram: BTreeMap::new() }
}

fn note(file: &PatternFile, summary: &mut Summary) {
    if file.source == SHARED {
        summary.shared_patterns = Some(file.patterns.len());
        return;
    }
    let mined = MinedSummary {
        documents: file.mined.documents,
        near_duplicates: file.mined.near_duplicates,
        tokens: 0,
        cutoff: file.mined.cutoff,
        patterns: file.patterns.len(),
        language: 0,
    };
    summary.sources.entry(file.source.clone()).or_default().mined = Some(mined);
}
