//! `dehusk review --report`: writes HTML pages about pattern files and a corpus.

use std::path::{Path, PathBuf, is_separator};

use clap::Args;

use crate::report::{CorpusReporter, ReportOptions};
use crate::view::report::{ReportLayout, ReportPage};
use dehusk_core::shown::size;
use dehusk_corpus::{OutputFile, Reads};
use dehusk_run::{Library, suited};

use super::ReviewArgs;
use crate::cli::check::warn_of_doubts;
use crate::cli::force::{ForceArgs, PAGE};
use crate::cli::mine::{list, scan};
use crate::cli::options::{Choice, FavorName, MethodName, PageMethodArgs};
use crate::cli::reporter::{Reporter, print};
use crate::cli::summary::Summary;
use crate::cli::{Exit, Global, interrupt};

/// Options of the report.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct ReportArgs {
    /// Write an HTML page about all sources, and start no review
    ///
    /// Write an HTML page about all sources to this file, and start no review; `-` for stdout. With a slash at its end, a
    /// folder: an index, and a page for each source
    #[arg(long, value_name = "FILE", conflicts_with_all = ["port", "no_open", "max_documents"])]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Maximum number of patterns of each source in the report
    ///
    /// Maximum number of patterns of each source that the report shows in full, and of rejected ones. The others are summed up.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "report", hide_short_help = true)]
    report_patterns: usize,
    /// Number of documents of each source in the report
    ///
    /// Number of documents of each source that the report shows from which most is removed, and from which least is removed.
    #[arg(long, value_name = "N", default_value_t = 2, requires = "report", hide_short_help = true)]
    report_documents: usize,
}

/// Writes the report to this path.
pub fn write(path: &Path, args: &ReviewArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let library = Library::load(&args.patterns)?;
    warn_of_doubts(library.files(), reporter);
    let mut summary = Summary::default();
    let inventory = scan(&args.corpus, reporter, &mut summary)?.with_trees();
    let output = Output::create(path, args.report.force, inventory.reads().and(&global.reads))?;
    let listings = list(&inventory, reporter, &mut summary)?;

    let options = ReportOptions {
        layout: output.layout(),
        cleaning: suited(args.method.options()?, inventory.options().html),
        as_mined: args.method.is_default(),
        patterns: args.report.report_patterns,
        documents: args.report.report_documents,
        threads: global.threads(),
    };
    let corpus = CorpusReporter { inventory: &inventory, library: &library, options: &options, observer: reporter };
    let report = corpus.report(&listings)?;

    let skipped = reporter.skips();
    let unnamed_skips = reporter.skipped() - skipped.len();
    let has_model = options.cleaning.decision.is_some();

    let pages = report.pages(args.method.in_words(has_model), skipped, unnamed_skips);
    let bytes = output.write(pages)?;
    if !matches!(output, Output::Stdout) {
        reporter.note(&format!("wrote {}: {}", path.display(), size(bytes)));
    }
    Ok(reporter.exit())
}

/// Where the report is written.
enum Output {
    Stdout,
    File(OutputFile),
    Folder { path: PathBuf, reads: Reads, force: ForceArgs },
}

impl Output {
    fn create(path: &Path, force: ForceArgs, reads: Reads) -> anyhow::Result<Output> {
        if path == Path::new("-") {
            return Ok(Output::Stdout);
        }
        let is_folder = path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| is_separator(last.into()));
        if !is_folder {
            return Ok(Output::File(force.file(path, &reads, PAGE)?));
        }
        // This reports an index that cannot be written before the long work begins.
        force.file(&path.join("index.html"), &reads, PAGE)?;
        Ok(Output::Folder { path: path.to_owned(), reads, force })
    }

    fn layout(&self) -> ReportLayout {
        match self {
            Output::Stdout | Output::File(_) => ReportLayout::OnePage,
            Output::Folder { .. } => ReportLayout::Folder,
        }
    }

    /// Writes the pages. Returns their size.
    fn write(&self, pages: Vec<ReportPage>) -> anyhow::Result<u64> {
        let _permission = interrupt::writing()?;
        let mut bytes = 0;
        for ReportPage { path, html } in pages {
            let html = html.into_string();
            bytes += html.len() as u64;
            let write = |file: &OutputFile| file.write_atomic(|writer| writer.write_all(html.as_bytes()));
            match self {
                Output::Stdout => print(&html)?,
                Output::File(file) => write(file)?,
                Output::Folder { path: folder, reads, force } => {
                    write(&force.file(&folder.join(path), reads, PAGE)?)?;
                }
            }
        }
        Ok(bytes)
    }
}

impl Choice {
    /// The words for this choice: the first for keeping, the second for dropping.
    fn in_words(self, [kept, dropped]: [&'static str; 2]) -> Option<&'static str> {
        match self {
            Choice::Keep => Some(kept),
            Choice::Drop => Some(dropped),
            Choice::Auto => None,
        }
    }
}

impl PageMethodArgs {
    /// How documents were cleaned, in words.
    fn in_words(&self, has_model: bool) -> String {
        let PageMethodArgs { text, page } = self;
        let mut parts = vec![match text.method {
            MethodName::Learned => "Cleaned with the learned method",
            MethodName::Union => "Cleaned with the union method",
        }];
        let own_model = text.decision_model.is_some().then_some("with a decision model of your own");
        let no_model = (!has_model).then_some("by recurrence alone");
        let no_structure = text.no_structure.then_some("without the structure of pages");
        let only = text.only.map(|_| "with accepted patterns only, so that proposed ones do nothing here");
        let headline = page.headline.in_words(["with all headlines", "without headlines"]);
        let byline = page.byline.in_words(["with all bylines", "without bylines"]);
        let comments = page.comments.in_words(["with all comments", "without comments"]);
        let favor = page.favor.map(|favor| match favor {
            FavorName::Precision => "with more weight on boilerplate that is left in",
            FavorName::Recall => "with more weight on content that is lost",
        });
        parts
            .extend([own_model, no_model, no_structure, only, favor, headline, byline, comments].into_iter().flatten());
        format!("{}.", parts.join(", "))
    }
}
