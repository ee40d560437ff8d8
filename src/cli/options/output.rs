//! Flags of all commands that write documents.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use dehusk_run::CorpusCleanOptions;
use dehusk_run::clean::spans;

use super::paths::path_to_write;
use super::share;
use crate::cli::Global;
use crate::cli::force::ForceArgs;

/// How the summary is printed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct SummaryArgs {
    /// Print the summary as JSON
    ///
    /// Print the summary as JSON: on stdout, or on stderr if documents go to stdout.
    #[arg(long)]
    pub json: bool,
}

/// What is written for a document.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct WrittenArgs {
    /// Write this text in place of removed text
    #[arg(long, value_name = "TEXT")]
    pub replacement: Option<String>,
    /// Remove nothing. Write what would be removed, as Dolma attributes
    ///
    /// Remove nothing. Write what would be removed as Dolma attributes, in a .jsonl file for each input file.
    #[arg(long, conflicts_with = "replacement")]
    pub spans: bool,
    /// Unit of the positions of spans
    #[arg(long, value_enum, value_name = "UNIT", default_value_t = SpanUnit::Codepoints, requires = "spans", hide_short_help = true)]
    pub span_units: SpanUnit,
    /// Keep a document if more than this share would be removed
    ///
    /// Keep a document unchanged, and name it, if more than this share of its text would be removed (0 to 1).
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = share)]
    pub max_removed: f64,
}

/// The unit of the positions of spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SpanUnit {
    /// Unicode code points, as in Python and Dolma
    Codepoints,
    /// Bytes of the text in UTF-8
    Bytes,
}

impl WrittenArgs {
    /// The unit of spans, if `--spans` is given.
    pub fn spans(&self) -> Option<spans::SpanUnit> {
        self.spans.then_some(match self.span_units {
            SpanUnit::Codepoints => spans::SpanUnit::Codepoints,
            SpanUnit::Bytes => spans::SpanUnit::Bytes,
        })
    }

    /// The options for writing documents.
    pub fn options(&self, global: &Global) -> CorpusCleanOptions {
        let options = CorpusCleanOptions::default().spans(self.spans());
        let options = options.replacement(self.replacement.clone()).max_removed(self.max_removed);
        options.reads(global.reads.clone()).threads(global.threads())
    }
}

/// What a run does when something goes wrong.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct LongRunArgs {
    /// What happens to documents that cannot be read
    ///
    /// What happens to documents that cannot be read or cleaned. `skip` leaves them out of the output, `copy` copies
    /// them unchanged.
    #[arg(long, value_enum, value_name = "skip|copy", hide_possible_values = true, default_value_t = OnError::Skip, conflicts_with = "spans")]
    pub on_error: OnError,
    /// Stop if more documents than this are skipped
    ///
    /// Stop if more documents than this cannot be read or cleaned.
    #[arg(long, value_name = "N")]
    pub max_errors: Option<usize>,
    /// Continue a run that was stopped
    ///
    /// Continue a run that was stopped, and do not do again what it finished. The patterns and options must be the
    /// same.
    #[arg(long)]
    pub resume: bool,
    /// Detect changed input by a hash of its content
    ///
    /// Detect changed input by a hash of its content, not only by its size and time. The hash is stored, and compared
    /// with --resume. All input is read once more.
    #[arg(long, hide_short_help = true)]
    pub verify: bool,
    /// Write what happened to each document to a JSONL file
    ///
    /// Write what happened to each document to a file, with a line of JSON for each.
    #[arg(long, value_name = "FILE", value_parser = path_to_write())]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub prune: PruneArgs,
    #[command(flatten)]
    pub force: ForceArgs,
}

/// What happens to files of earlier runs.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Output")]
pub struct PruneArgs {
    /// Delete files of earlier runs that this run did not write
    ///
    /// Delete files that earlier runs wrote to the output and this run did not. Files that were changed since are kept.
    #[arg(long)]
    pub prune: bool,
}

/// What happens to documents that cannot be read or cleaned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnError {
    /// Leave them out of the output
    Skip,
    /// Copy them unchanged
    Copy,
}

impl LongRunArgs {
    /// Adds the options of long runs to these options.
    pub fn add_to(&self, options: CorpusCleanOptions) -> CorpusCleanOptions {
        let options = options.copies_broken(self.on_error == OnError::Copy);
        let options = options.resume(self.resume).verify(self.verify).prune(self.prune.prune);
        options.report(self.report.clone()).force(self.force.force)
    }
}
