//! The command line: flags to options, options to runs, runs to summaries. Only this module prints.

mod check;
mod clean;
mod combine;
mod corpus_paths;
mod diff;
mod eval;
mod explain;
mod fields;
mod force;
mod generate;
mod interrupt;
mod mine;
mod often;
mod options;
mod progress;
#[cfg(feature = "review")]
mod report;
mod reporter;
#[cfg(feature = "review")]
mod review;
mod run;
mod size;
mod skips;
mod state;
mod stream;
mod summary;
mod terminal;
mod train;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand};

use dehusk::pipeline::workers::all_cores;
use dehusk::pipeline::{LibraryError, PipelineError};

use reporter::Reporter;

/// How a run ended, as scripts see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All done.
    Done = 0,
    /// Nothing could be done, or `check` found something: bad input, a bad pattern file.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// Done, but some documents were skipped; each was named on stderr.
    Skipped = 3,
    /// Stopped by Ctrl-C; what was written is whole.
    Interrupted = 130,
}

/// Learns the boilerplate that a text source repeats, as regexes a person can read, and strips it.
///
/// A corpus is a folder with a folder per source and a file per document (.txt, .md, .html), or
/// JSONL, WARC or Parquet with many. dehusk mines the templates of each source into a YAML file of
/// regexes (`mine`), which you may review, and strips documents with them (`clean`); `run` does both.
#[derive(Parser)]
#[command(name = "dehusk", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

/// What every command understands.
#[derive(Args, Clone, Debug)]
pub struct Global {
    /// Use this many threads [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Global options")]
    threads: Option<u16>,
    /// Memory for documents that are mined or cleaned, such as 4G; commands that only show something do not go by it [default:
    /// three quarters of what is free]
    #[arg(long, global = true, value_name = "LIMIT", value_parser = size::parse, help_heading = "Global options")]
    memory: Option<u64>,
    /// Print no progress, warnings or summary; errors and skipped documents are still named
    #[arg(long, short, global = true, help_heading = "Global options")]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Mine, then clean: OUT/patterns, OUT/cleaned
    Run(run::RunArgs),
    /// Mine pattern files, one a source
    Mine(mine::MineCommand),
    /// Make pattern files of sources that were mined by several runs
    Combine(combine::CombineCommand),
    /// Strip documents with pattern files
    Clean(clean::CleanCommand),
    /// Clean documents as they come, by what those before them taught
    Stream(Box<stream::StreamCommand>),
    /// Look at what streams have learned, take it out, or join it
    State(state::StateCommand),
    /// Check pattern files: form, regexes, examples
    Check(check::CheckArgs),
    /// Tell what changed between two states of pattern files
    Diff(diff::DiffArgs),
    /// Show a document with what would be removed marked, and by which pattern
    Explain(explain::ExplainArgs),
    /// Write what varies in the templates of each document, such as names and dates, as JSONL
    Fields(fields::FieldsCommand),
    /// Write a page that shows what patterns do to a corpus, to read, keep and send on
    #[cfg(feature = "review")]
    Report(Box<report::ReportCommand>),
    /// Decide on patterns in a browser, and see what they do
    #[cfg(feature = "review")]
    Review(review::ReviewArgs),
    /// Measure how good mining and cleaning are: against gold text, or as the subcommands do
    Eval(Box<eval::EvalCommand>),
    /// Learn from corpora what boilerplate looks like: a model for `--shape`
    Train(train::TrainArgs),
    /// Print shell completions
    Completions(generate::CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(generate::ManArgs),
    /// Print the JSON Schema of pattern files, for editors (see docs/editing.md)
    Schema,
}

/// Parses the arguments, runs the command, prints what went wrong; gives the exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let error = with_order(error);
            // Help and version are errors to clap, but not to us.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            let _ = error.print();
            return exit;
        }
    };
    dehusk::guarded::silence();
    let reporter = Reporter::new(cli.global.quiet);
    let outcome = start(&cli).and_then(|()| cli.command.run(&cli.global, &reporter));
    reporter.finish();
    reporter.warn_of_others();
    match outcome.map_err(|error| taken_apart(error, &reporter)) {
        Ok(exit) => exit,
        Err(error) if is_closed_pipe(&error) => Exit::Done,
        Err(error) if error.is::<interrupt::Interrupted>() => {
            reporter.error(&error.to_string());
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

/// Adds a tip to the error about missing patterns: `report` and `review` once had them before the corpus.
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

/// What the pipeline says went wrong. What stopped it comes from here; if several files are broken, each is told.
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
    /// Whether it knows `--resume`.
    fn resumes(&self) -> bool {
        matches!(self, Command::Run(_) | Command::Clean(_))
    }

    fn run(self, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
        match self {
            Command::Run(args) => run::run(&args, global, reporter),
            Command::Mine(args) => mine::run(&args, global, reporter),
            Command::Combine(args) => combine::run(&args, global, reporter),
            Command::Clean(args) => clean::run(&args, global, reporter),
            Command::Stream(args) => stream::run(&args, global, reporter),
            Command::State(args) => state::run(&args, reporter),
            Command::Check(args) => check::run(&args, reporter),
            Command::Diff(args) => diff::run(&args),
            Command::Explain(args) => explain::run(&args, reporter),
            Command::Fields(args) => fields::run(&args, global, reporter),
            #[cfg(feature = "review")]
            Command::Report(args) => report::run(&args, global, reporter),
            #[cfg(feature = "review")]
            Command::Review(args) => review::run(&args, reporter),
            Command::Eval(args) => eval::run(&args, global, reporter),
            Command::Train(args) => train::run(&args, global, reporter),
            Command::Completions(args) => generate::completions(&args),
            Command::Man(args) => generate::man(&args),
            Command::Schema => generate::schema(),
        }
    }
}

fn start(cli: &Cli) -> anyhow::Result<()> {
    interrupt::listen(cli.command.resumes())?;
    interrupt::survive_large_files()?;
    rayon::ThreadPoolBuilder::new().num_threads(cli.global.threads()).build_global()?;
    Ok(())
}

impl Global {
    /// How many threads work.
    fn threads(&self) -> usize {
        self.threads.map_or_else(all_cores, usize::from)
    }

    /// The memory that there is for documents.
    fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(dehusk::pipeline::memory::most_of_what_is_free)
    }
}

/// Whoever read our output has had enough: that is no error.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind =
        |cause: &(dyn std::error::Error + 'static)| cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}
