//! `dehusk extract`: takes a corpus of HTML pages, and writes the content of each. It needs no patterns.

use std::path::PathBuf;

use clap::Args;

use dehusk::pipeline::Library;

use super::clean::{How, clean_documents, print, results_of};
use super::interrupt::Results;
use super::options::{CorpusArgs, ExtractArgs, SummaryArgs, folder_or_stdout};
use super::reporter::Reporter;
use super::summary::Summary;
use super::{Exit, Global};

/// Options of `dehusk extract`.
#[derive(Args, Debug)]
pub struct ExtractCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder for the content of the pages; `-` for JSONL on stdout
    ///
    /// Folder for the content of the pages; `-` for stdout, with a line of JSON for each page.
    #[arg(short, long, alias = "out", value_name = "OUT", value_parser = folder_or_stdout())]
    output: PathBuf,
    #[command(flatten)]
    extraction: ExtractArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

impl ExtractCommand {
    /// Where the documents are written.
    pub fn results(&self) -> Results {
        results_of(&self.output)
    }
}

/// Runs the command.
pub fn run(args: &ExtractCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let ExtractCommand { corpus, output, extraction, summary } = args;
    let library = Library::default();
    let how = How {
        library: &library,
        options: extraction.options(global),
        boxes: None,
        max_errors: extraction.long.max_errors,
    };
    let mut counted = Summary::default();
    clean_documents(corpus, output, &how, &mut counted, reporter)?;
    print(&mut counted, output, summary, global, reporter)
}
