//! `dehusk mine --from-state`: what streams have learned, as pattern files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dehusk::corpus::{OutputRoot, SourceId};
use dehusk::incremental::segments::Described;
use dehusk::incremental::state::{ListedSegment, State};
use dehusk::incremental::table::Entry;
use dehusk::incremental::templates::{MIN_PAGES, long_lived, take_shared};
use dehusk::mining::MineOptions;
use dehusk::mining::cross_source::MIN_SOURCES;
use dehusk::mining::cutoff::Cutoff;
use dehusk::patterns::file::MinedFrom;
use dehusk::patterns::{PatternFile, SHARED, Template};
use dehusk::tokens::Lexer;

use super::{MineCommand, refuse_names_alike, with_decisions, write};
use crate::cli::library::Library;
use crate::cli::reporter::Reporter;
use crate::cli::state::{lexer_of, open, warn_of_change};
use crate::cli::summary::{MinedSummary, Summary};
use crate::cli::{Exit, Global, interrupt};

/// Writes a pattern file for each source of a state.
pub fn run(path: &Path, args: &MineCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let state = open(path)?;
    let output = OutputRoot::create(&args.output, &[PathBuf::from(path)])?;
    // What people decided is read first: if it cannot be, nothing of it must be written over.
    let mut reviewed = Library::load_if_any(output.path(), reporter)?;
    let lexer = lexer_of(&state)?;
    let options = args.mining.mining.options();
    let mut sources = summary.time("read state", || learned(&state, &lexer, &options, reporter))?;
    refuse_names_alike(sources.iter().map(|source| &source.id))?;
    let shared = shared_of(&mut sources);
    let documents = sources.iter().map(|source| source.pages as usize).sum();
    let cutoff = options.cutoff.unwrap_or(Cutoff::DEFAULT.share);
    let of_templates = |name: &str, documents: usize, templates: Vec<Template>| {
        PatternFile::of_templates(name, facts(documents, cutoff), templates, &lexer)
    };
    let own = sources
        .into_iter()
        .map(|Learned { id, pages, templates }| of_templates(id.as_str(), pages as usize, templates));
    let fresh = own.chain(shared.map(|templates| of_templates(SHARED, documents, templates))).collect();
    let files = with_decisions(fresh, &mut reviewed);
    write(&files, &output)?;
    summary.documents = documents;
    files.iter().for_each(|file| note(file, &mut summary));
    summary.wrote.push(output.path().display().to_string());
    summary.print(args.summary.json, global.quiet)?;
    Ok(reporter.exit())
}

/// What a state knows of a source.
struct Learned {
    id: SourceId,
    pages: u32,
    templates: Vec<Template>,
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
        let templates = long_lived(described(state, &id)?, lexer, options);
        sources.push(Learned { id, pages: progress.pages, templates });
    }
    Ok(sources)
}

/// The segments that are template, with their texts.
fn described(state: &State, source: &SourceId) -> anyhow::Result<Vec<(Entry, Described)>> {
    let detection = state.settings().table.detection;
    let mut all = Vec::new();
    for listed in state.segments(source)?.into_iter().flatten() {
        let ListedSegment { entry, described, .. } = listed?;
        all.extend(described.filter(|_| entry.is_template(&detection)).map(|described| (entry, described)));
    }
    Ok(all)
}

/// What many sources have; `None` where they are too few to tell.
fn shared_of(sources: &mut [Learned]) -> Option<Vec<Template>> {
    let mut own: Vec<Vec<Template>> = sources.iter_mut().map(|source| std::mem::take(&mut source.templates)).collect();
    let shared = (sources.len() >= MIN_SOURCES).then(|| take_shared(&mut own));
    for (source, templates) in sources.iter_mut().zip(own) {
        source.templates = templates;
    }
    shared
}

/// A stream counts neither tokens nor near-duplicates, and forgets what is no template.
fn facts(documents: usize, cutoff: f64) -> MinedFrom {
    MinedFrom { documents, near_duplicates: 0, tokens: 0, cutoff, removed: None, histogram: BTreeMap::new() }
}

fn note(file: &PatternFile, summary: &mut Summary) {
    if file.source == SHARED {
        summary.shared_patterns = Some(file.patterns.len());
        return;
    }
    let mined = MinedSummary {
        documents: file.mined.documents,
        near_duplicates: 0,
        tokens: 0,
        cutoff: file.mined.cutoff,
        patterns: file.patterns.len(),
        language: 0,
    };
    summary.sources.entry(file.source.clone()).or_default().mined = Some(mined);
}
