//! `dehusk clean`: takes a corpus and pattern files, and writes cleaned documents.

use std::path::{Path, PathBuf};

use clap::Args;

use dehusk_corpus::{Inventory, OutputRoot};
use dehusk_run::mine::combine::tell_of_unusual;
use dehusk_run::{CleanedSource, CorpusCleanOptions, Library, Target, clean_corpus};

use super::check::warn_of_doubts;
use super::interrupt::Results;
use super::mine::scan_paths;
use super::options::{CleanArgs, CorpusArgs, SummaryArgs, folder_or_stdout};
use super::reporter::Reporter;
use super::summary::{Cleaned, Summary, count};
use super::{Exit, Global};

/// Options of `dehusk clean`.
#[derive(Args, Debug)]
pub struct CleanCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the pattern files, or a single file
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// Folder for the cleaned documents; `-` for JSONL on stdout
    ///
    /// Folder for the cleaned documents; `-` for stdout, with a line of JSON for each document.
    #[arg(short, long, value_name = "OUT", help_heading = "Output", display_order = 0, value_parser = folder_or_stdout())]
    output: PathBuf,
    #[command(flatten)]
    cleaning: CleanArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

impl CleanCommand {
    /// Where the documents are written.
    pub fn results(&self) -> Results {
        results_of(Some(&self.output))
    }
}

/// Where documents are written for this value of `--output`. Without a value, the only document is written to stdout,
/// not as JSON.
pub fn results_of(output: Option<&Path>) -> Results {
    match output {
        Some(folder) if folder.as_os_str() != "-" => Results::Resumed,
        _ => Results::Stdout,
    }
}

/// Runs the command.
pub fn run(args: &CleanCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let options = args.cleaning.options(global)?;
    if !args.patterns.exists() {
        // A wrong path is told before a large corpus is looked at.
        Library::load(&args.patterns)?;
    }
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    let library = load(&args.patterns, &inventory, &mut summary, reporter)?;
    let how = How { library: &library, options, max_errors: args.cleaning.long.max_errors };
    clean_documents(inventory, Some(&args.output), &how, &mut summary, reporter)?;
    // Not in `clean`, because in `dehusk run` mining has already printed these warnings.
    summary.sources.iter().for_each(|(name, source)| tell_of_unusual(name, source.unusual.as_deref(), reporter));
    print(&mut summary, Some(&args.output), &args.summary, global, reporter)
}

/// Reads the pattern files: only those of the sources of the documents, if these are known.
fn load(path: &Path, inventory: &Inventory, summary: &mut Summary, reporter: &Reporter) -> anyhow::Result<Library> {
    let library = summary.time("read patterns", || match inventory.known_sources() {
        Some(sources) => Library::load_for(path, &sources),
        None => Library::load(path),
    })?;
    reporter.explain(|| format!("loaded {} from {}", count(library.len(), "pattern file"), path.display()));
    warn_of_doubts(library.files(), reporter);
    Ok(library)
}

/// How documents are cleaned.
pub struct How<'a> {
    /// The patterns.
    pub library: &'a Library,
    /// All other options.
    pub options: CorpusCleanOptions,
    /// Maximum number of documents that may be skipped, if there is one.
    pub max_errors: Option<usize>,
}

/// Finds the documents of a corpus, to clean them.
pub fn scan(corpus: &CorpusArgs, reporter: &Reporter, summary: &mut Summary) -> anyhow::Result<Inventory> {
    scan_paths(&corpus.corpus, &corpus.list, &corpus.reading.options(), reporter, summary)
}

/// Cleans documents, and writes them to `output`. Without `output`, the only document is written to stdout.
pub fn clean_documents(
    inventory: Inventory,
    output: Option<&Path>,
    how: &How,
    summary: &mut Summary,
    reporter: &Reporter,
) -> anyhow::Result<()> {
    let inventory = if how.options.needs_trees(how.library) { inventory.with_trees() } else { inventory };
    let target = match output {
        None => Target::Alone,
        Some(output) if results_of(Some(output)) == Results::Stdout => Target::Stdout,
        Some(folder) => Target::Folder(OutputRoot::create(folder, &inventory.reads().and(&how.options.reads))?),
    };
    clean(&inventory, &target, how, reporter, summary)
}

/// Prints the summary: on stderr if the documents are on stdout. Without `output`, it is printed only if JSON is
/// wanted.
pub fn print(
    summary: &mut Summary,
    output: Option<&Path>,
    args: &SummaryArgs,
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<Exit> {
    summary.documents = summary.cleaned.as_ref().map_or(0, |cleaned| cleaned.documents);
    summary.skipped = reporter.skipped();
    match results_of(output) {
        Results::Stdout => summary.print_beside(args.json, global.quiet || output.is_none())?,
        _ => summary.print(args.json, global.quiet)?,
    }
    Ok(reporter.exit())
}

/// Cleans all files of an inventory.
pub fn clean(
    inventory: &Inventory,
    target: &Target,
    How { library, options, max_errors, .. }: &How,
    reporter: &Reporter,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    if let Some(allowed) = *max_errors {
        reporter.set_max_errors(allowed, matches!(target, Target::Folder(_)));
    }
    let cleaned = clean_corpus(inventory, library, target, options, reporter);
    summary.seconds.extend(reporter.times());
    let mut total = Cleaned::default();
    for (source, CleanedSource { cleaned, drift, unusual }) in cleaned? {
        total.add(&cleaned);
        if options.page_judge.is_none() && !library.contains(&source) {
            summary.without_patterns += cleaned.documents;
        }
        if let Some(drift) = drift.as_ref().filter(|drift| drift.has_changed()) {
            reporter.warn(&format!("source '{source}' {}", drift.in_words()));
        }
        let summary = summary.sources.entry(source).or_default();
        summary.unusual = unusual;
        (summary.cleaned, summary.drift) = (Some(cleaned), drift);
    }
    summary.cleaned = Some(total);
    if let Target::Folder(output) = target {
        summary.wrote.push(output.path().display().to_string());
    }
    Ok(())
}
