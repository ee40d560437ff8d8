//! The command line: turns flags into options, runs commands, and prints summaries. Only this module prints.
//!
//! Only programs use this module: `dehusk`, and `dehusk-lab`, which has other commands with the same flags.

// Public items are for the programs of this workspace. Flags are documented by their help.
#![allow(missing_docs, rustdoc::invalid_html_tags, rustdoc::bare_urls)]

#[cfg(feature = "segments")]
pub mod blocks;
mod check;
pub mod clean;
mod combine;
mod config;
pub mod corpus_paths;
#[cfg(feature = "crawl")]
mod crawl;
mod diff;
pub mod eval;
mod explain;
mod export;
mod extract;
mod fields;
pub mod force;
#[cfg(feature = "manual")]
mod generate;
pub mod help;
pub mod interrupt;
pub mod line_output;
pub mod mine;
mod next;
pub mod options;
mod one_document;
#[cfg(feature = "segments")]
mod page_lines;
mod progress;
pub mod reads;
pub mod reporter;
#[cfg(feature = "review")]
mod review;
mod run;
#[cfg(feature = "segments")]
pub mod segment;
mod size;
mod skips;
mod state;
pub mod stream;
pub mod summary;
pub mod table;
mod terminal;

use std::ffi::OsString;
use std::sync::OnceLock;

use anyhow::bail;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, FromArgMatches, Parser, Subcommand};

use dehusk_core::threads::none_left;
use dehusk_corpus::{Budget, Reads, memory};
use dehusk_run::in_own_pool;
use dehusk_run::workers::{all_cores, checked_threads};
use dehusk_run::{LibraryError, PipelineError, StreamMethod};

use config::{Config, ConfigArgs};
use interrupt::Results;
use reporter::Reporter;

/// The exit status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything was done.
    Done = 0,
    /// Nothing could be done (bad input, a bad pattern file), or `check` found problems.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// Done, but some documents were skipped. Of many with the same reason, only the first were named on stderr.
    Skipped = 3,
    /// Stopped by Ctrl-C. All written files are complete.
    Interrupted = 130,
}

/// Learns the boilerplate that a text source repeats, as regexes that people can read, and removes it.
///
/// A corpus is a folder that has a folder for each source, with a file for each document (.txt, .md,
/// .html). It can also be a file with many documents: JSONL, JSON, CSV, WARC or Parquet. `dehusk mine`
/// finds the templates of each source and writes them to a YAML file of regexes, which you can review.
/// `dehusk clean` removes what these regexes match from documents. `dehusk run` does both.
#[derive(Parser)]
#[command(name = "dehusk", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    _config: ConfigArgs,
}

/// The highest number of requests that a crawl makes at the same time. Each has a thread, which mostly waits.
const MOST_REQUESTS: usize = 1000;

/// The options of every command.
#[derive(Args, Clone, Debug)]
pub struct Global {
    /// Number of threads [default: all cores]
    ///
    /// Number of threads, at most 8 for each core. For `crawl`, the number of requests at the same time, at most 1000 [default: all
    /// cores; 16 requests]
    #[arg(long, global = true, value_name = "N", value_parser = options::at_least(1_usize), help_heading = "Global options")]
    threads: Option<usize>,
    /// Maximum memory for documents, such as 4G [default: 3/4 of the free memory]
    ///
    /// Maximum memory for documents that are in memory at the same time, such as 4G [default: 3/4 of the free memory]
    #[arg(long, global = true, value_name = "LIMIT", value_parser = size::parse, help_heading = "Global options")]
    memory: Option<u64>,
    /// Print only errors and skipped documents
    ///
    /// Print no progress, warnings or summary. Errors and skipped documents are still printed.
    #[arg(long, short, global = true, help_heading = "Global options")]
    quiet: bool,
    /// Also print on stderr what is done, and why
    #[arg(long, short, global = true, conflicts_with = "quiet", help_heading = "Global options")]
    verbose: bool,
    /// The files that the command line names to be read. No output may overwrite them.
    #[arg(skip = Reads::nothing())]
    reads: Reads,
}

// In the order of the help.
#[derive(Subcommand)]
enum Command {
    /// Mine a corpus, then clean it: OUT/patterns, OUT/cleaned
    Run(run::RunArgs),
    /// Mine a corpus: write a pattern file for each source
    Mine(mine::MineCommand),
    /// Remove boilerplate from documents, with pattern files
    Clean(clean::CleanCommand),
    /// Accept or reject patterns in a browser, or write a report on what they do
    #[cfg(feature = "review")]
    Review(Box<review::ReviewArgs>),
    /// Accept or reject patterns in a browser. This program was built without it
    #[cfg(not(feature = "review"))]
    #[command(hide = true)]
    Review(BuiltWithout),
    /// Mark in a document what would be removed, and name the patterns that remove it
    Explain(explain::ExplainArgs),
    /// Write the content of HTML pages, each judged alone: no patterns are needed
    Extract(Box<extract::ExtractCommand>),
    /// Clean documents as they arrive, with what was learned from earlier documents
    Stream(Box<stream::StreamCommand>),
    /// Measure how good mining and cleaning are, against gold text
    Eval(Box<eval::gold::GoldArgs>),
    /// Check the form, regexes and examples of pattern files
    Check(check::CheckArgs),
    /// Show what changed between 2 versions of pattern files
    Diff(diff::DiffArgs),
    /// Write CSS selectors that people accepted, for other programs
    Export(export::ExportArgs),
    /// Write what varies in the templates of each document as JSONL, such as names and dates
    Fields(fields::FieldsCommand),
    /// Show, export or merge what streams have learned
    State(state::StateCommand),
    /// Write the pattern files of sources that were mined in several runs
    Combine(combine::CombineCommand),
    /// Fetch pages, feeds and sitemaps politely, and write them as WARC files
    #[cfg(feature = "crawl")]
    Crawl(Box<crawl::CrawlCommand>),
    /// Fetch pages politely. This program was built without it
    #[cfg(not(feature = "crawl"))]
    #[command(hide = true)]
    Crawl(BuiltWithout),
    /// Divide HTML pages into segments, and write them as JSONL
    #[cfg(feature = "segments")]
    Segment(Box<segment::SegmentCommand>),
    /// Divide HTML pages into segments. This program was built without it
    #[cfg(not(feature = "segments"))]
    #[command(hide = true)]
    Segment(BuiltWithout),
    /// Find the blocks of HTML pages and how important each is, and write them as JSONL
    #[cfg(feature = "segments")]
    Blocks(Box<blocks::BlocksCommand>),
    /// Find the blocks of HTML pages. This program was built without it
    #[cfg(not(feature = "segments"))]
    #[command(hide = true)]
    Blocks(BuiltWithout),
    /// Print shell completions
    #[cfg(feature = "manual")]
    Completions(generate::CompletionsArgs),
    /// Print shell completions. This program was built without it
    #[cfg(not(feature = "manual"))]
    #[command(hide = true)]
    Completions(BuiltWithout),
    /// Print the manual page, or write a page for each command
    #[cfg(feature = "manual")]
    Man(generate::ManArgs),
    /// Print the manual page. This program was built without it
    #[cfg(not(feature = "manual"))]
    #[command(hide = true)]
    Man(BuiltWithout),
    /// Print the JSON Schema of pattern files, for editors (see docs/patterns.md)
    Schema,
}

// Arguments of commands that this program was built without. All arguments are accepted, so that the error can name the
// remedy.
#[cfg(not(all(feature = "crawl", feature = "manual", feature = "review", feature = "segments")))]
#[derive(Args, Debug)]
struct BuiltWithout {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}

/// Refuses a command of a feature that this program was built without.
#[cfg(not(all(feature = "crawl", feature = "manual", feature = "review", feature = "segments")))]
fn built_without(command: &str, feature: &str) -> anyhow::Result<Exit> {
    bail!(
        "this program was built without `{command}`: build it with `--features {feature}`, or with `--features dist` for all commands"
    )
}

/// Parses the arguments, runs the command and prints errors. Returns the exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    if let Err(error) = check_limit(memory::limit_of_process(), 1) {
        reporter::print_line(&format!("error: {error}"));
        return Exit::Failed;
    }
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let command = help::command();
    let config = match Config::of(&command, &arguments) {
        Ok(config) => config,
        Err(error) => {
            reporter::print_line(&format!("error: {error}"));
            return Exit::Usage;
        }
    };

    let told = config.as_ref().and_then(Config::told);
    told.iter().for_each(|told| reporter::print_line(told));

    let cli = match parse(command, config.as_ref(), arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let error = with_order(error);
            // clap returns help and version as errors.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            let _ = error.print();
            return exit;
        }
    };

    let reporter = cli.global.reporter();
    if told.is_none() {
        reporter.explain(|| match &config {
            Some(config) => format!("{} has no flags for this command", config.path().display()),
            None => format!("no {} is used", dehusk_corpus::SETTINGS_FILE),
        });
    }

    let plan = Plan { cores: cli.cores_used(), results: cli.command.results(), reports: cli.command.reports() };
    carry_out(plan, &cli.global, &reporter, || cli.command.run(&cli.global, &reporter))
}

/// What is known of a command before it starts.
pub struct Plan {
    /// The number of threads that compute at the same time, or an error about the number that the user asked for.
    pub cores: Result<usize, String>,
    /// Where the command writes its results.
    pub results: Results,
    /// Whether the command has `--report`, which lists all documents that are skipped.
    pub reports: bool,
}

/// Runs a command and prints errors. Returns the exit status.
pub fn carry_out(plan: Plan, global: &Global, reporter: &Reporter, run: impl FnOnce() -> anyhow::Result<Exit>) -> Exit {
    dehusk_corpus::guarded::silence();
    // The budget must be set before any code asks for it.
    global.memory.map(|memory| BUDGET.get_or_init(|| Budget::new(memory)));
    reporter.explain(|| global.in_words());

    let lists_all = if plan.reports { "--report FILE" } else { "`dehusk clean --report FILE`" };
    // With pools of their own, threads that work on different sources do not wait for each other's inner loops.
    let outcome = start(plan).and_then(|threads| in_own_pool(threads, run).map_err(none_left)?);
    reporter.finish();
    reporter.warn_of_others();
    reporter.count_other_skips(lists_all);

    match outcome.map_err(|error| taken_apart(error, reporter)) {
        Ok(exit) => exit,
        Err(error) if is_closed_pipe(&error) => Exit::Done,
        Err(error) if error.is::<interrupt::Interrupted>() => {
            if interrupt::is_first_to_tell() {
                reporter.error(&error.to_string());
            }
            Exit::Interrupted
        }
        Err(error) => {
            if let Some(usage) = error.downcast_ref::<clap::Error>() {
                let _ = usage.print();
                return Exit::Usage;
            }
            reporter.error(&format!("{error:#}"));
            Exit::Failed
        }
    }
}

/// Parses the command line, with the flags of the file added.
fn parse(command: clap::Command, config: Option<&Config>, arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let (mut command, arguments) = match config {
        Some(config) => (config.relax(command), config.extend(arguments)),
        None => (command, arguments),
    };
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    let reads = reads::reads(&command, &matches, config.map(Config::path));
    let cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))?;
    Ok(Cli { global: cli.global.reading(reads), ..cli })
}

/// Adds a tip to the error about missing patterns: people tend to give them as the first or the second path, without
/// `-p`.
fn with_order(mut error: clap::Error) -> clap::Error {
    let is_of_patterns = |value: &ContextValue| match value {
        ContextValue::Strings(missing) => missing.iter().any(|argument| argument.starts_with("--patterns")),
        _ => false,
    };
    if error.kind() == ErrorKind::MissingRequiredArgument
        && error.get(ContextKind::InvalidArg).is_some_and(is_of_patterns)
    {
        let tip = "the corpus comes first, then the patterns: CORPUS... -p PATTERNS".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

/// The error to print, taken out of the error of the pipeline. If pattern files are broken, also prints the problems of
/// each file.
fn taken_apart(error: anyhow::Error, reporter: &Reporter) -> anyhow::Error {
    let library = match error.downcast::<PipelineError>() {
        Ok(PipelineError::Stopped(stop)) => {
            return match stop.downcast::<interrupt::Interrupted>() {
                Ok(interrupted) => (*interrupted).into(),
                Err(stop) => anyhow::Error::from_boxed(stop),
            };
        }
        Ok(PipelineError::Io(error)) => return error.into(),
        Ok(PipelineError::Output(error)) => return error.into(),
        Ok(PipelineError::Library(error)) => error,
        Ok(error) => return error.into(),
        Err(error) => match error.downcast::<LibraryError>() {
            Ok(error) => error,
            Err(error) => return error,
        },
    };
    if let LibraryError::Broken { problems, .. } = &library {
        problems.iter().for_each(|problem| reporter.error(&problem.to_string()));
    }
    library.into()
}

impl Command {
    /// Whether the command has `--report`.
    fn reports(&self) -> bool {
        matches!(self, Command::Run(_) | Command::Clean(_) | Command::Extract(_))
    }

    /// Where the command writes its results.
    fn results(&self) -> Results {
        match self {
            Command::Run(_) => Results::Mined,
            Command::Mine(args) => args.results(),
            Command::Crawl(_) => Results::Resumed,
            Command::Clean(args) => args.results(),
            Command::Extract(args) => args.results(),
            Command::Fields(args) => args.results(),
            #[cfg(feature = "segments")]
            Command::Segment(args) => args.results(),
            #[cfg(feature = "segments")]
            Command::Blocks(args) => args.results(),
            Command::Stream(_) => Results::State,
            _ => Results::Files,
        }
    }

    fn run(self, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
        match self {
            Command::Run(args) => run::run(&args, global, reporter),
            Command::Mine(args) => mine::run(&args, None, global, reporter),
            Command::Combine(args) => combine::run(&args, global, reporter),
            #[cfg(feature = "crawl")]
            Command::Crawl(args) => crawl::run(&args, global, reporter),
            #[cfg(not(feature = "crawl"))]
            Command::Crawl(_) => built_without("crawl", "crawl"),
            Command::Clean(args) => clean::run(&args, global, reporter),
            Command::Extract(args) => extract::run(&args, global, reporter),
            Command::Stream(args) => stream::run(&args, StreamMethod::Weighed, global, reporter),
            Command::State(args) => state::run(&args, global, reporter),
            Command::Check(args) => check::run(&args, reporter),
            Command::Diff(args) => diff::run(&args),
            Command::Explain(args) => explain::run(&args, global, reporter),
            Command::Fields(args) => fields::run(&args, global, reporter),
            #[cfg(feature = "segments")]
            Command::Segment(args) => segment::run(&args, global, reporter),
            #[cfg(not(feature = "segments"))]
            Command::Segment(_) => built_without("segment", "segments"),
            #[cfg(feature = "segments")]
            Command::Blocks(args) => blocks::run(&args, global, reporter),
            #[cfg(not(feature = "segments"))]
            Command::Blocks(_) => built_without("blocks", "segments"),
            Command::Export(args) => export::run(&args, global, reporter),
            #[cfg(feature = "review")]
            Command::Review(args) => review::run(&args, global, reporter),
            #[cfg(not(feature = "review"))]
            Command::Review(_) => built_without("review", "review"),
            Command::Eval(args) => eval::gold::run(&args, global, reporter),
            #[cfg(feature = "manual")]
            Command::Completions(args) => generate::completions(&args, reporter),
            #[cfg(not(feature = "manual"))]
            Command::Completions(_) => built_without("completions", "manual"),
            #[cfg(feature = "manual")]
            Command::Man(args) => generate::man(&args, global),
            #[cfg(not(feature = "manual"))]
            Command::Man(_) => built_without("man", "manual"),
            Command::Schema => {
                reporter::print(include_str!("../../docs/pattern-file.schema.json"))?;
                Ok(Exit::Done)
            }
        }
    }
}

/// The memory for documents, which `--memory` limits.
static BUDGET: OnceLock<Budget> = OnceLock::new();

/// The memory for documents. All code that reads documents takes its memory from this budget.
pub fn budget() -> Budget {
    BUDGET.get_or_init(Budget::default).clone()
}

/// Memory for the program, its models and its allocator, in bytes. With less, an allocation could fail, which would end the
/// process without a word.
const LEAST_MEMORY: u64 = 180_000_000;
/// Memory for each thread: its stack, and what it allocates beside documents.
const LEAST_MEMORY_OF_THREAD: u64 = 10_000_000;

/// Fails if the limit of the process is too small for this number of threads.
fn check_limit(limit: Option<u64>, threads: usize) -> anyhow::Result<()> {
    let need = LEAST_MEMORY + LEAST_MEMORY_OF_THREAD * threads as u64;
    if let Some(limit) = limit.filter(|limit| *limit < need) {
        let [limit, need] = [limit, need].map(dehusk_core::shown::size);
        let threads = dehusk_core::shown::count(threads, "thread");
        bail!(
            "the memory of this process is limited to {limit} (ulimit -v or -d), and it needs {need} with {threads}: allow more"
        );
    }
    Ok(())
}

/// Prepares the process. Returns the number of threads that compute.
fn start(plan: Plan) -> anyhow::Result<usize> {
    let threads = plan.cores.map_err(|message| clap::Error::raw(ErrorKind::ValueValidation, message + "\n"))?;
    check_limit(memory::limit_of_process(), threads)?;
    interrupt::listen(plan.results)?;
    interrupt::survive_large_files()?;
    // The threads of the review's server have no pool of their own.
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(none_left)?;
    Ok(threads)
}

impl Cli {
    /// The number of threads that compute at the same time. The threads of a crawl mostly wait for answers, so it has
    /// one computing thread for each core.
    fn cores_used(&self) -> Result<usize, String> {
        let threads = self.global.threads();
        let is_crawl = matches!(self.command, Command::Crawl(_));
        if is_crawl && threads > MOST_REQUESTS {
            return Err(format!(
                "--threads {threads}: a crawl makes at most {MOST_REQUESTS} requests at the same time"
            ));
        }
        if is_crawl { Ok(all_cores()) } else { checked_threads(threads).map_err(|error| format!("--threads: {error}")) }
    }
}

impl Global {
    /// These options, with the files that the command line names to be read.
    pub fn reading(self, reads: Reads) -> Global {
        Global { reads, ..self }
    }

    /// The reporter that prints messages, as `--quiet` and `--verbose` say.
    pub fn reporter(&self) -> Reporter {
        Reporter::new(self.quiet).verbose(self.verbose)
    }

    /// The files that are read.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// The number of threads to use.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(all_cores)
    }

    /// The number of threads and the memory that may be used, in words.
    fn in_words(&self) -> String {
        let memory = dehusk_core::shown::size(self.memory());
        let why = if self.memory.is_none() { ", 3/4 of what is free" } else { "" };
        format!("threads: {}; memory for documents: {memory}{why}", self.threads())
    }

    /// The memory for documents, in bytes.
    fn memory(&self) -> u64 {
        budget().limit()
    }
}

/// Whether the error is that the reader of the output closed it. This does not count as a failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind =
        |cause: &(dyn std::error::Error + 'static)| cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_fit_together() {
        help::command().debug_assert();
    }
}
