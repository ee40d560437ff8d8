//! `dehusk mine`: takes a corpus, and writes pattern files.

mod from_state;

use std::path::{Path, PathBuf};

use clap::Args;

use dehusk_corpus::{HtmlView, Inventory, OutputRoot, ReadOptions, SourceBy, SourceListing};
use dehusk_run::left_out::tell_of_skipped;
use dehusk_run::mine::candidates::CANDIDATES;
use dehusk_run::mine::mining::{self, mine_corpus};
use dehusk_run::mine::options::Alike;
use dehusk_run::{CorpusMineOptions, MinedCorpus, MinedSource, mine_candidates};

use super::check::warn_of_doubts;
use super::force::ForceArgs;
use super::interrupt::Results;
use dehusk_core::patterns::SHARED;
use dehusk_core::shown::size;
use dehusk_core::tokens::Lexer;

use super::corpus_paths::{CorpusPaths, ListArgs, tell_of_terminal};
use super::options::{CorpusArgs, PruneArgs, SourceMineArgs, SummaryArgs, folder_to_write, path_to_write};
use super::reporter::Reporter;
use super::summary::{MinedSummary, Summary, count};
use super::{Exit, Global};

/// Options for reading and mining documents. They have no meaning with `--from-state`.
const NOT_FROM_STATE: [&str; 9] = [
    "corpus",
    "files_from",
    "ReadingArgs",
    "LexerArgs",
    "no_slots",
    "near_duplicates",
    "sample",
    "all_patterns",
    "resume",
];

/// Options of `dehusk mine`.
#[derive(Args, Debug)]
#[cfg_attr(feature = "stream", command(mut_arg("corpus", |corpus| corpus.required_unless_present("from_state"))))]
pub struct MineCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Write patterns from a state of `dehusk stream`
    ///
    /// Write pattern files from what streams have learned, instead of mining documents. FILE is a state of `dehusk stream`.
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_FROM_STATE)]
    from_state: Option<PathBuf>,
    /// Folder for the pattern files. Decisions in existing files are kept
    #[arg(short, long, value_name = "PATTERNS", help_heading = "Output", display_order = 0, value_parser = folder_to_write(),
        required_unless_present = "candidates")]
    output: Option<PathBuf>,
    /// Write candidates for `dehusk combine`, instead of patterns
    ///
    /// Write candidates to this file, instead of pattern files. `dehusk combine` makes the pattern files of several runs from
    /// such files.
    #[arg(long, value_name = "FILE", value_parser = path_to_write(), help_heading = "Output", conflicts_with_all = ["output", "from_state", "all_patterns", "prune"])]
    candidates: Option<PathBuf>,
    /// Continue a run that was stopped
    ///
    /// Continue a run that was stopped, and do not mine again what it mined. A source is mined again if its documents or the
    /// options have changed.
    #[arg(long, help_heading = "Output", conflicts_with = "candidates")]
    resume: bool,
    #[command(flatten)]
    prune: PruneArgs,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    mining: SourceMineArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Runs the command. `alike` says which documents count only once, besides documents with almost the same text.
pub fn run(args: &MineCommand, alike: Option<Alike>, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    if let Some(state) = &args.from_state {
        return from_state::run(state, args, global, reporter);
    }
    let lexer = args.mining.mining.lexer.build()?;
    let mut summary = Summary::default();
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    if let Some(path) = &args.candidates {
        let output = args.force.file(path, &inventory.reads().and(&global.reads), CANDIDATES)?;
        let sources = mine_candidates(&inventory, &output, &lexer, &args.mining.options(global).alike(alike), reporter);
        summary.seconds.extend(reporter.times());
        sources?.iter().for_each(|source| summary.note(source, source.candidates));
        summary.wrote.push(path.display().to_string());
    } else {
        let output = OutputRoot::create(args.output(), &inventory.reads().and(&global.reads))?;
        let options = args.mining.options(global).alike(alike).prune(args.prune.prune).resume(args.resume);
        mine(&inventory, &output, &options, &lexer, reporter, &mut summary)?;
    }
    summary.skipped = reporter.skipped();
    summary.print(args.summary.json, global.quiet)?;
    Ok(reporter.exit())
}

/// Finds the files of a corpus, and names the files that are skipped.
pub fn scan(args: &CorpusArgs, reporter: &Reporter, summary: &mut Summary) -> anyhow::Result<Inventory> {
    scan_paths(&args.corpus, &args.list, &args.reading.read_only(), reporter, summary)
}

/// How documents are read, in words.
fn in_words(options: &ReadOptions) -> String {
    let html = match options.html {
        HtmlView::Markup => "HTML is read as markup",
        _ if options.alt_text => "HTML is read as its visible text, with the alt texts of pictures",
        _ => "HTML is read as its visible text",
    };
    let source = match &options.source_by {
        SourceBy::Auto => "its source key, else the host of its address, else its folder".to_owned(),
        SourceBy::Key => "its source key".to_owned(),
        SourceBy::Host => "the host of its address".to_owned(),
        SourceBy::Domain => "the registered domain of its address".to_owned(),
        SourceBy::Folder => "its folder".to_owned(),
        SourceBy::Match(regex) => format!("what {regex} finds in its address or path"),
        SourceBy::Name(source) => format!("'{source}'"),
    };
    format!("{html}; the source of a document is {source}; a document may have {}", size(options.max_document))
}

/// As [`scan`], for commands that do not require a corpus.
pub fn scan_paths(
    paths: &[PathBuf],
    list: &ListArgs,
    options: &ReadOptions,
    reporter: &Reporter,
    summary: &mut Summary,
) -> anyhow::Result<Inventory> {
    tell_of_terminal(paths, list, reporter);
    let inventory = summary.time("scan", || CorpusPaths::read(paths, list)?.scan(options))?;
    reporter.explain(|| {
        let files = count(inventory.files().len(), "file");
        format!("found {files}: {}", in_words(options))
    });
    if let Some(keys) = inventory.recognised() {
        reporter.note(&format!(
            "keys recognised by their values: {keys}; --text-key, --html-key and --url-key name others"
        ));
    }
    inventory.skipped().iter().for_each(|skipped| tell_of_skipped(skipped, reporter));
    if inventory.ignored().total() > 0 {
        reporter.warn(&format!("files that are not documents were ignored: {}", inventory.ignored()));
    }
    Ok(inventory)
}

/// Lists the documents to mine, by source. Fails if there are none.
pub fn list(inventory: &Inventory, reporter: &Reporter, summary: &mut Summary) -> anyhow::Result<Vec<SourceListing>> {
    let listings = mining::list(inventory, reporter);
    summary.seconds.extend(reporter.times());
    Ok(listings?)
}

/// Mines all sources of an inventory and writes a pattern file for each.
pub fn mine(
    inventory: &Inventory,
    output: &OutputRoot,
    options: &CorpusMineOptions,
    lexer: &Lexer,
    reporter: &Reporter,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let mined = mine_corpus(inventory, output, lexer, options, reporter);
    summary.seconds.extend(reporter.times());
    let mined = mined?;
    warn_of_doubts(mined.library.files(), reporter);
    summary.note_all(&mined);
    summary.explain_mined(reporter);
    summary.wrote.push(output.path().display().to_string());
    Ok(())
}

impl MineCommand {
    /// What is left when the command is stopped.
    pub fn results(&self) -> Results {
        match (&self.candidates, &self.from_state) {
            (None, None) => Results::Mined,
            _ => Results::Files,
        }
    }

    /// The folder for pattern files. It is always given unless candidates are written.
    fn output(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new(""))
    }
}

impl Summary {
    /// Explains for each source what was mined.
    fn explain_mined(&self, reporter: &Reporter) {
        for (name, source) in &self.sources {
            let Some(MinedSummary { documents, near_duplicates, snapshots, patterns, .. }) = source.mined else {
                continue;
            };
            reporter.explain(|| {
                let (documents, patterns) = (count(documents, "document"), count(patterns, "pattern"));
                let kind = if snapshots { " that are snapshots of one page" } else { "" };
                let copies = if snapshots { "copies" } else { "near-duplicates" };
                format!("source '{name}': {patterns} from {documents}{kind}, {near_duplicates} of them {copies}")
            });
        }
    }

    /// Adds the results of mining a corpus.
    pub fn note_all(&mut self, MinedCorpus { library, sources }: &MinedCorpus) {
        for source in sources {
            let Some(file) = library.get(source.id.as_str()) else { continue };
            self.note(source, file.patterns.len());
            self.sources.entry(file.source.clone()).or_default().unusual.clone_from(&file.unusual);
        }
        self.shared_patterns = library.get(SHARED).map(|file| file.patterns.len());
    }

    /// Adds the results of mining a source, with the number of its patterns.
    fn note(&mut self, MinedSource { id, facts, language, .. }: &MinedSource, patterns: usize) {
        self.documents += facts.documents;
        self.sources.entry(id.to_string()).or_default().mined = Some(MinedSummary {
            documents: facts.documents,
            near_duplicates: facts.near_duplicates,
            snapshots: facts.snapshots,
            tokens: facts.tokens,
            cutoff: facts.cutoff,
            patterns,
            language: *language,
        });
    }
}

impl SourceMineArgs {
    /// The options for mining a corpus.
    pub fn options(&self, global: &Global) -> CorpusMineOptions {
        self.mining.of_corpus(global).sample(self.sample).all_patterns(self.all_patterns)
    }
}
