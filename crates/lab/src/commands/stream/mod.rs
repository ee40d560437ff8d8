//! `dehusk-lab stream`: measures how soon templates are found while documents arrive, and how much must be stored for it.

mod json;
mod plot;
mod tables;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, Parser};
use dehusk_run::suited;

use dehusk_core::cleaning::Cleaner;
use dehusk_core::patterns::PatternFile;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::HtmlView;
use dehusk_lab::stream_figures::Figures;
use dehusk_lab::stream_measuring::Measuring;
use dehusk_run::scoring::gold_texts::GoldTexts;

use crate::outputs::PLOT;
use dehusk::cli::eval::patterns::PatternsArgs;
use dehusk::cli::eval::tell;
use dehusk::cli::force::ForceArgs;
use dehusk::cli::mine::{list, scan_paths};
use dehusk::cli::options::{CorpusArgs, MethodArgs, SummaryArgs, path_to_write};
use dehusk::cli::reporter::Reporter;
use dehusk::cli::stream::TableArgs;
use dehusk::cli::summary::Summary;
use dehusk::cli::{Exit, Global};

/// Options of `dehusk-lab stream`.
#[derive(Args, Debug)]
pub struct StreamArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the text to keep: DIR/<source>/<document>.txt
    ///
    /// Folder with the text that should be kept: DIR/<source>/<document>.txt, or JSONL files.
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    /// Pattern files to compare with; without them, the corpus is mined
    ///
    /// Folder with pattern files, or a single file, to compare with. Without it, the corpus is mined.
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: Option<PathBuf>,
    /// Page of each source at which a new design begins
    ///
    /// Page of each source at which a new design begins. Older and newer template segments are counted separately.
    #[arg(long, value_name = "PAGE", value_parser = clap::value_parser!(u32).range(2..))]
    redesign_at: Option<u32>,
    /// SVG file for a plot of precision and recall by page
    ///
    /// SVG file for a plot of precision and recall by page, and of template segments if --redesign-at is given.
    #[arg(long, value_name = "FILE", value_parser = path_to_write())]
    plot: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    cleaning: MethodArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Runs the command.
pub fn run(args: &StreamArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let gold = GoldTexts::read(&args.gold, &args.corpus.reading.gold_options(), reporter)?;
    let options = args.corpus.reading.options().tree(true);
    let inventory = scan_paths(&args.corpus.corpus, &args.corpus.list, &options, reporter, &mut summary)?;
    let reads = inventory.reads().and(global.reads());
    let plot = args.plot.as_ref().map(|path| args.force.file(path, &reads, PLOT)).transpose()?;
    // Whole pages are needed, for their size. Input that can be read only once is stored when it is listed.
    let view = if options.html == HtmlView::Markup { HtmlView::Markup } else { HtmlView::Page };
    let inventory = inventory.with_html(view);
    let listings = list(&inventory, reporter, &mut summary)?;
    gold.refuse_other_sources(&listings)?;
    // Mining does not need whole pages.
    let inventory = inventory.with_html(options.html);
    let library = args.mining()?.library(&inventory, &listings, global, reporter, &mut summary)?;
    let inventory = inventory.with_html(view);

    let mutable = Arc::new(MutableSet::shipped());
    let reader = PatternFile::empty("stream", &Lexer::new(Tokenizer::Words, Arc::clone(&mutable)));
    let cleaning = suited(args.cleaning.options(), options.html);
    let measuring = Measuring {
        inventory: &inventory,
        gold: &gold,
        library: &library,
        streaming: Cleaner::new(&[&reader], &cleaning),
        cleaning,
        mutable: &mutable,
        table: args.table.changes().of_new_state(),
        redesign_at: args.redesign_at,
        observer: reporter,
    };

    let sources = summary.time("measure", || measuring.measure_all(&listings, global.threads()))?;
    let figures = Figures { sources, min_documents: measuring.table.detection.template_documents };
    if figures.is_empty() {
        bail!(gold.nothing_to_score(""));
    }
    summary.skipped = reporter.skipped();
    if let Some(plot) = plot {
        let picture = plot::of(&figures, args.redesign_at);
        plot.write_atomic(|writer| writer.write_all(picture.as_bytes()))?;
    }
    tell(&args.summary, &json::of(&figures, &summary), &tables::of(&figures, &summary))?;
    Ok(reporter.exit())
}

/// The default options of mining. They have no flags here, because the options of streams have the same names.
#[derive(Parser)]
struct Mining {
    #[command(flatten)]
    patterns: PatternsArgs,
}

impl StreamArgs {
    /// Where the patterns to compare with come from.
    fn mining(&self) -> anyhow::Result<PatternsArgs> {
        let given = self.patterns.iter().flat_map(|path| ["-p".into(), path.clone().into_os_string()]);
        Ok(Mining::try_parse_from([OsString::from("mining")].into_iter().chain(given))?.patterns)
    }
}
