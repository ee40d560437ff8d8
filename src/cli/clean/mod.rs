//! `dehusk clean`: takes a corpus and pattern files, and writes cleaned documents.

use std::path::PathBuf;

use clap::Args;

use dehusk::corpus::{Inventory, OutputRoot};
use dehusk::pipeline::combine::tell_of_doubt;
use dehusk::pipeline::{CleanedSource, Library, Target, clean_corpus};

use super::interrupt::Results;
use super::mine::scan_paths;
use super::options::{CleanArgs, CorpusArgs, SummaryArgs};
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
    #[arg(short, long, alias = "out", value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    cleaning: CleanArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

impl CleanCommand {
    /// Where the documents are written.
    pub fn results(&self) -> Results {
        if self.output.as_os_str() == "-" { Results::Stdout } else { Results::Resumed }
    }
}

/// Runs the command.
pub fn run(args: &CleanCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let library = summary.time("load patterns", || Library::load(&args.patterns))?;
    reporter.explain(|| {
        format!("loaded {} from {}", count(library.files().count(), "pattern file"), args.patterns.display())
    });
    let options = args.corpus.reading.options().tree(args.cleaning.is_by_tree());
    let inventory = scan_paths(&args.corpus.corpus, &args.corpus.list, &options, reporter, &mut summary)?;
    let target = match args.output.to_str() {
        Some("-") => Target::Stdout,
        _ => Target::Folder(OutputRoot::create(&args.output, &inventory.inputs())?),
    };
    clean(&inventory, &library, &target, &args.cleaning, global, reporter, &mut summary)?;
    // `dehusk run` does not need this: mining has already printed it.
    library
        .files()
        .filter(|file| summary.sources.contains_key(&file.source))
        .for_each(|file| tell_of_doubt(&file.source, file.trust.as_ref(), reporter));
    summary.documents = summary.cleaned.as_ref().map_or(0, |cleaned| cleaned.documents);
    summary.skipped = reporter.skipped();
    match target {
        Target::Folder(_) => summary.print(args.summary.json, global.quiet)?,
        Target::Stdout => summary.print_beside(args.summary.json, global.quiet)?,
    }
    Ok(reporter.exit())
}

/// Cleans all files of an inventory.
pub fn clean(
    inventory: &Inventory,
    library: &Library,
    target: &Target,
    args: &CleanArgs,
    global: &Global,
    reporter: &Reporter,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    if let Some(allowed) = args.long.max_errors {
        reporter.set_max_errors(allowed, matches!(target, Target::Folder(_)));
    }
    let cleaned = clean_corpus(inventory, library, target, &args.options(global)?, reporter);
    summary.seconds.extend(reporter.times());
    let mut total = Cleaned::default();
    for (source, CleanedSource { cleaned, drift }) in cleaned? {
        total.add(&cleaned);
        if let Some(drift) = drift.as_ref().filter(|drift| drift.has_changed()) {
            reporter.warn(&format!("source '{source}' {}", drift.in_words()));
        }
        let doubt = library.get(&source).and_then(|file| file.trust.as_ref()?.doubt());
        let summary = summary.sources.entry(source).or_default();
        summary.doubt = doubt;
        (summary.cleaned, summary.drift) = (Some(cleaned), drift);
    }
    summary.cleaned = Some(total);
    if let Target::Folder(output) = target {
        summary.wrote.push(output.path().display().to_string());
    }
    Ok(())
}
