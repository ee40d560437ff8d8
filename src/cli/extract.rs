//! `dehusk extract`: takes HTML pages, and writes the content of each. It needs no patterns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Args, ValueHint};

use dehusk_core::dom::block_model::BlockModel;
use dehusk_core::dom::page_judge::PageJudge;
use dehusk_corpus::FileKind;
use dehusk_run::clean::MANY_NEED_OUTPUT;
use dehusk_run::{CorpusCleanOptions, Library};

use super::clean::{How, clean_documents, print, results_of, scan};
use super::interrupt::Results;
use super::options::{
    CorpusArgs, Html, LongRunArgs, OnError, PageArgs, SummaryArgs, WrittenArgs, block_model, folder_or_stdout,
};
use super::reporter::Reporter;
use super::summary::Summary;
use super::{Exit, Global};

/// Options of `dehusk extract`.
#[derive(Args, Debug)]
#[command(mut_arg("html", format_of))]
pub struct ExtractCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder; `-` for JSONL on stdout [default: one page, on stdout]
    ///
    /// Folder for the content of the pages; `-` for stdout, with a line of JSON for each page. Without it, the content of one page,
    /// from a file or from stdin (`-`), is written to stdout as it is.
    #[arg(short, long, value_name = "OUT", help_heading = "Output", display_order = 0, value_parser = folder_or_stdout())]
    output: Option<PathBuf>,
    /// Model of the content of pages [default: the shipped model]
    ///
    /// Model of the content of pages, written by `dehusk-lab train --pages --gold` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = block_model, value_hint = ValueHint::FilePath, help_heading = "Cleaning")]
    model: Option<Arc<BlockModel>>,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    written: WrittenArgs,
    #[command(flatten)]
    long: LongRunArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Turns `--html` into `--format`. In other commands, `--html` says how HTML is read and written. `extract` only needs
/// to know how pages are written.
fn format_of(html: Arg) -> Arg {
    let known = PossibleValuesParser::new(["text", "markdown", "html", "json"]).map(|name| match name.as_str() {
        "markdown" => Html::Markdown,
        "html" => Html::Page,
        "json" => Html::Json,
        _ => Html::Text,
    });
    html.long("format").value_parser(known).help("Write the content as text, markdown, html or json").long_help(
        "How the content is written: `text` as the text that a visitor sees, with a line for each block, `markdown` as \
             Markdown, `html` as the page without all else, `json` as an object with the text and what the page says about itself: \
             title, author, date, language, site_name, url, description and image.",
    )
}

impl ExtractCommand {
    /// Where the documents are written.
    pub fn results(&self) -> Results {
        results_of(self.output.as_deref())
    }

    /// How the content is extracted and written.
    fn options(&self, global: &Global) -> CorpusCleanOptions {
        let model = self.model.clone().unwrap_or_else(BlockModel::shipped);
        self.long.add_to(self.written.options(global).page_judge(Some(PageJudge::Content(model, self.page.choices()))))
    }

    /// Refuses input that can have more than one document if there is no `--output`.
    fn check_output(&self) -> Result<(), clap::Error> {
        let CorpusArgs { corpus, list, .. } = &self.corpus;
        let many = match corpus.as_slice() {
            _ if self.output.is_some() => None,
            _ if list.files_from.is_some() => Some("there is a list of paths".to_owned()),
            [path] => holds_many(path).map(|what| format!("{path:?} is {what}")),
            paths => Some(format!("there are {} paths", paths.len())),
        };
        many.map_or(Ok(()), |many| {
            let message = format!("without -o, the content of one page is written, but {many}: {MANY_NEED_OUTPUT}\n");
            Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, message))
        })
    }
}

/// Refuses options that do not fit lines of JSON.
fn check_json(args: &ExtractCommand) -> anyhow::Result<()> {
    let ExtractCommand { written, long, .. } = args;
    match args.corpus.reading.html {
        Html::Json if written.spans => bail!("--spans writes positions and no text: leave out --format json"),
        Html::Json if long.on_error == OnError::Copy => {
            bail!("--on-error copy writes pages as they are, among lines of JSON: leave it out, or --format json")
        }
        _ => Ok(()),
    }
}

/// What a path is, if it can have many documents. Otherwise `None`.
fn holds_many(path: &Path) -> Option<&'static str> {
    match FileKind::of(path) {
        _ if path.is_dir() => Some("a folder"),
        Some(kind) if kind.holds_many() => Some("a file of many documents"),
        _ if !path.exists() && path.as_os_str() != "-" && path.to_string_lossy().contains(['*', '?', '[', '{']) => {
            Some("a glob")
        }
        _ => None,
    }
}

/// Runs the command.
pub fn run(args: &ExtractCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    args.check_output()?;
    check_json(args)?;
    let output = args.output.as_deref();
    let library = Library::default();
    let how = How { library: &library, options: args.options(global), max_errors: args.long.max_errors };
    let mut counted = Summary::default();
    let inventory = scan(&args.corpus, reporter, &mut counted)?;
    clean_documents(inventory, output, &how, &mut counted, reporter)?;
    print(&mut counted, output, &args.summary, global, reporter)
}
