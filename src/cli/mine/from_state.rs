//! `dehusk mine --from-state`: writes pattern files from what streams have learned.

use std::path::Path;

use dehusk_core::mining::MineOptions;
use dehusk_core::patterns::{LexerCache, PatternFile, SHARED};
use dehusk_core::tokens::Lexer;
use dehusk_corpus::OutputRoot;
use dehusk_run::mine::combine::with_decisions;
use dehusk_run::mine::from_state::{Learned, pattern_files};
use dehusk_run::mine::mining::refuse_names_alike;
use dehusk_run::mine::pattern_files::write;
use dehusk_run::record::written_files::Prune;
use dehusk_run::state::State;
use dehusk_run::stream::{open_state, tell_of_change};
use dehusk_run::{Library, WarningKind};

use super::MineCommand;
use crate::cli::reporter::Reporter;
use crate::cli::summary::{MinedSummary, Summary};
use crate::cli::{Exit, Global, interrupt};

/// Writes a pattern file for each source of a state.
pub fn run(path: &Path, args: &MineCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let state = open_state(path)?;
    let output = OutputRoot::create(args.output(), &global.reads)?;
    // Existing files with decisions of people are read first: if one cannot be read, it must not be overwritten.
    let reviewed = Library::load_if_any(output.path())?;

    let lexer = state.reader(&LexerCache::default())?.lexer;
    let options = args.mining.mining.options();
    let mut sources = summary.time("read state", || learned(&state, &lexer, &options, reporter))?;
    refuse_names_alike(sources.iter().map(|source| &source.id), reporter)?;
    let files = pattern_files(&mut sources, &options, &lexer).into_iter();
    let library = Library::of_files(files.map(|file| with_decisions(file, &reviewed)));

    write(&library, &reviewed, &output, Prune::new(args.prune.prune, true), reporter)?;
    summary.documents = sources.iter().map(Learned::documents).sum();
    library.files().for_each(|file| note(&file, &mut summary));
    summary.wrote.push(output.path().display().to_string());
    summary.print(args.summary.json, global.quiet)?;
    Ok(reporter.exit())
}

/// The sources of a state, sorted by name.
fn learned(state: &State, lexer: &Lexer, options: &MineOptions, reporter: &Reporter) -> anyhow::Result<Vec<Learned>> {
    let mut sources = Vec::new();
    for id in state.sources()? {
        interrupt::check()?;
        let source = Learned::of(id, state, lexer, options)?;
        if source.is_too_small() {
            reporter.warn_often(WarningKind::TooSmall, &format!(
                "source '{}' is too small: {} documents are needed to find the segments that last, and there were {}; only shared patterns will apply",
                source.id,
                Learned::MIN_PAGES,
                source.pages
            ));
        }
        tell_of_change(source.id.as_str(), source.change, reporter);
        sources.push(source);
    }
    Ok(sources)
}

fn note(file: &PatternFile, summary: &mut Summary) {
    if file.source == SHARED {
        summary.shared_patterns = Some(file.patterns.len());
        return;
    }
    let mined = MinedSummary {
        documents: file.mined.documents,
        near_duplicates: file.mined.near_duplicates,
        snapshots: false,
        tokens: 0,
        cutoff: file.mined.cutoff,
        patterns: file.patterns.len(),
        language: 0,
    };
    summary.sources.entry(file.source.clone()).or_default().mined = Some(mined);
}
