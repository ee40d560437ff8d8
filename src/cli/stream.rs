//! `dehusk stream`: takes documents in order, cleans each with what was learned from earlier documents, and writes
//! lines of JSON.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use dehusk_corpus::{InputFile, Inventory, ReadOptions};
use dehusk_run::left_out::tell_of_skipped;
use dehusk_run::stream::{HELD_SEGMENTS, TableChanges};
use dehusk_run::{Library, StreamMethod, StreamOptions, StreamTarget, stream_corpus};

use super::corpus_paths::{CorpusPaths, ListArgs, tell_of_terminal};
use super::options::{DocumentArgs, LexerArgs, ReadingArgs, SummaryArgs, at_least, share};
use super::reporter::Reporter;
use super::summary::{Cleaned, LearnedSummary, Summary};
use super::{Exit, Global};

/// Options of `dehusk stream`.
#[derive(Args, Debug)]
pub struct StreamCommand {
    /// Files or folders, read one after another; `-` for stdin
    ///
    /// Files with many documents, single documents, folders or quoted globs, read one after another; `-` for stdin. Stdin
    /// is JSONL, an array of JSON, CSV or WARC.
    #[arg(value_name = "INPUT")]
    input: Vec<PathBuf>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    /// File that stores what was learned
    ///
    /// File that stores what was learned. It is created if it does not exist. A run with the same input continues where the
    /// last run stopped.
    #[arg(short, long, value_name = "FILE")]
    state: PathBuf,
    /// JSONL file for the cleaned documents; `-` for stdout
    ///
    /// JSONL file for the cleaned documents, to which later runs append; `-` for stdout.
    #[arg(short, long, value_name = "FILE", help_heading = "Output", display_order = 0, default_value = "-")]
    output: PathBuf,
    /// Patterns that count in addition to what was learned
    ///
    /// Folder with pattern files, or a single file. Their matches count in addition to what was learned.
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: Option<PathBuf>,
    /// Learn, but write no documents
    #[arg(long, conflicts_with = "output", help_heading = "Learning")]
    learn_only: bool,
    /// Clean with what was learned before, but learn nothing
    ///
    /// Clean with what was learned before, but learn nothing. The state does not change.
    #[arg(long, conflicts_with = "learn_only", help_heading = "Learning")]
    no_learn: bool,
    /// Name of the feed that stdin gives from its beginning
    ///
    /// Name of the feed that stdin gives from its beginning. What earlier runs took from this feed is left out.
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = NonEmptyStringValueParser::new(), conflicts_with = "no_learn",
        help_heading = "Learning")]
    feed: Option<String>,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    lexer: LexerArgs,
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// Stop if more documents than this are skipped
    ///
    /// Stop if more documents than this cannot be read or cleaned.
    #[arg(long, value_name = "N")]
    max_errors: Option<usize>,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// What counts as template, and when segments are forgotten. Without a flag, the setting of the state is used.
#[derive(Args, Debug)]
pub struct TableArgs {
    /// Number of documents that must contain a segment before it counts as template [default: 5]
    #[arg(long, value_name = "N", value_parser = at_least(2_u32), help_heading = "Learning", hide_short_help = true)]
    template_documents: Option<u32>,
    /// Number of documents that must contain a segment before it can be removed [default: 2]
    #[arg(long, value_name = "N", value_parser = at_least(2_u32), help_heading = "Learning", hide_short_help = true)]
    evidence_documents: Option<u32>,
    /// Share of a block that must recur before its segments count as template (0 to 1) [default: 0.7]
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Learning", hide_short_help = true)]
    block_share: Option<f64>,
    /// Maximum number of segments of a source to remember. The oldest are forgotten first, those of many documents last
    /// [default: 20000]
    #[arg(long, value_name = "SEGMENTS", value_parser = at_least(1_u32), help_heading = "Learning", hide_short_help = true)]
    max_segments: Option<u32>,
    /// Number of documents of a source after which a segment of only 1 document is forgotten [default: when the
    /// table is full]
    #[arg(long, value_name = "DOCUMENTS", value_parser = at_least(1_u32), help_heading = "Learning", hide_short_help = true)]
    lifetime: Option<u32>,
    /// How many times longer segments of many documents are remembered [default: 2]
    #[arg(long, value_name = "FACTOR", value_parser = factor, help_heading = "Learning", hide_short_help = true)]
    lifetime_factor: Option<f64>,
    /// Maximum number of segments of all sources to keep in memory. Others are read from the state when they are needed
    #[arg(long, value_name = "SEGMENTS", default_value_t = HELD_SEGMENTS, help_heading = "Learning", hide_short_help = true)]
    held_segments: u32,
}

impl TableArgs {
    pub fn changes(&self) -> TableChanges {
        let changes = TableChanges::default().template_documents(self.template_documents);
        let changes = changes.evidence_documents(self.evidence_documents).block_share(self.block_share);
        let changes = changes.lifetime(self.lifetime.map(f64::from)).lifetime_factor(self.lifetime_factor);
        changes.max_segments(self.max_segments.map(|segments| segments as usize))
    }
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor >= 1.0 && factor.is_finite() => Ok(factor),
        _ => Err("a factor is a number of 1 or more".to_owned()),
    }
}

/// Runs the command. `method` is how the text to remove is chosen.
pub fn run(args: &StreamCommand, method: StreamMethod, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let library = match &args.patterns {
        Some(path) => summary.time("read patterns", || Library::load(path))?,
        None => Library::default(),
    };

    let read_options = args.reading.options().tree(true);
    let inventories = scan(args, &read_options, reporter)?;
    if let Some(allowed) = args.max_errors {
        reporter.set_max_errors(allowed, false);
    }

    let (target, options) = (args.target(), args.options(global)?.method(method));
    let streamed = stream_corpus(&inventories, &library, &args.state, &target, &options, reporter);
    summary.seconds.extend(reporter.times());

    let mut total = Cleaned::default();
    for (source, streamed) in streamed? {
        total.add(&streamed.cleaned);
        let summary = summary.sources.entry(source).or_default();
        summary.learned = Some(LearnedSummary::of(&streamed));
        summary.cleaned = Some(streamed.cleaned);
    }

    summary.documents = total.documents;
    summary.cleaned = Some(total);
    summary.skipped = reporter.skipped();
    if summary.documents == 0 && summary.skipped == 0 {
        reporter.note("nothing new in the input: earlier runs with this state have read all of it");
    }

    match target {
        StreamTarget::Stdout => summary.print_beside(args.summary.json, global.quiet)?,
        StreamTarget::File(_) | StreamTarget::Nowhere => summary.print(args.summary.json, global.quiet)?,
    }
    Ok(reporter.exit())
}

/// Finds the files of each path. They keep the order of the paths, because a stream learns from earlier documents how
/// to clean later ones.
fn scan(args: &StreamCommand, options: &ReadOptions, reporter: &Reporter) -> anyhow::Result<Vec<Inventory>> {
    let mut input = args.input.clone();
    if input.is_empty() && args.list.files_from.is_none() {
        input.push(InputFile::STDIN.into());
    }
    tell_of_terminal(&input, &args.list, reporter);
    let inventories = CorpusPaths::read(&input, &args.list)?.scan_each(options)?;
    for inventory in &inventories {
        inventory.skipped().iter().for_each(|skipped| tell_of_skipped(skipped, reporter));
    }
    Ok(inventories)
}

impl StreamCommand {
    fn target(&self) -> StreamTarget {
        match &self.output {
            _ if self.learn_only => StreamTarget::Nowhere,
            out if out == Path::new("-") => StreamTarget::Stdout,
            out => StreamTarget::File(out.clone()),
        }
    }

    fn options(&self, global: &Global) -> anyhow::Result<StreamOptions> {
        let lexer = if self.lexer.is_default() { None } else { Some(self.lexer.build()?) };
        let documents = self.documents.options(global)?;
        let options = StreamOptions::default().documents(documents).table(self.table.changes());
        let options = options.lexer(lexer).learns(!self.no_learn).feed(self.feed.clone());
        Ok(options.held_segments(self.table.held_segments as usize))
    }
}
