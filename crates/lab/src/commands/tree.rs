//! `dehusk-lab tree`: takes HTML pages, and writes them without the text that a page-level model takes for template
//! (Chakrabarti, Kumar and Punera, WWW 2007).

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};

use dehusk::cli::clean::{How, clean_documents, print, results_of};
use dehusk::cli::interrupt::Results;
use dehusk::cli::mine::scan_paths;
use dehusk::cli::options::{
    CorpusArgs, LongRunArgs, SummaryArgs, WrittenArgs, boxes_file, folder_or_stdout, page_model,
};
use dehusk::cli::reporter::Reporter;
use dehusk::cli::summary::Summary;
use dehusk::cli::{Exit, Global};
use dehusk_core::dom::page_judge::PageJudge;
use dehusk_core::dom::page_level::PageModel;
use dehusk_corpus::BoxesFile;
use dehusk_run::Library;

/// Options of `dehusk-lab tree`.
#[derive(Args, Debug)]
pub struct TreeArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder for the cleaned pages; `-` for JSONL on stdout
    #[arg(short, long, value_name = "OUT", value_parser = folder_or_stdout())]
    output: PathBuf,
    /// Pattern files with decisions of people: what they keep or reject is not removed
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: Option<PathBuf>,
    /// Page-level model, written by `dehusk-lab train --pages` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = page_model, value_hint = ValueHint::FilePath)]
    page_model: Option<Arc<PageModel>>,
    /// Where the parts of pages are drawn, for a model that was trained with boxes: a JSONL file
    #[arg(long, value_name = "FILE", value_parser = boxes_file, value_hint = ValueHint::FilePath)]
    boxes: Option<Arc<BoxesFile>>,
    #[command(flatten)]
    written: WrittenArgs,
    #[command(flatten)]
    long: LongRunArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

impl TreeArgs {
    /// Where the documents are written.
    pub fn results(&self) -> Results {
        results_of(Some(&self.output))
    }
}

/// Runs the command.
pub fn run(args: &TreeArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let model = args.page_model.clone().unwrap_or_else(PageModel::shipped);
    let options = args.long.add_to(args.written.options(global).page_judge(Some(PageJudge::Template(model))));
    let library = args.patterns.as_deref().map(Library::load).transpose()?.unwrap_or_default();
    let how = How { library: &library, options, max_errors: args.long.max_errors };
    let mut summary = Summary::default();
    let CorpusArgs { corpus, list, reading } = &args.corpus;
    let inventory = scan_paths(corpus, list, &reading.options().boxes(args.boxes.clone()), reporter, &mut summary)?;
    clean_documents(inventory, Some(&args.output), &how, &mut summary, reporter)?;
    print(&mut summary, Some(&args.output), &args.summary, global, reporter)
}
