//! `dehusk-lab segments CORPUS --gold FILE`: measures how well pages are divided into segments.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueHint};
use serde_json::{Value, json};

use dehusk_core::dom::page_level::PageModel;
use dehusk_corpus::{BoxesFile, HtmlView};
use dehusk_lab::segments::training::{quarters, train_and_choose};
use dehusk_lab::segments::{Agreement, lessons, measure};
use dehusk_segments::segmentation::correlation::Pivot;
use dehusk_segments::segmentation::model::{Lesson, SegmentModel};
use dehusk_segments::segmentation::record::Marked;
use dehusk_segments::segmentation::segmenter::{Distance, Knowledge, Method, Segmenter};
use dehusk_segments::segmentation::vision::PERMITTED;

use dehusk::cli::Exit;
use dehusk::cli::eval::tell;
use dehusk::cli::mine::{list, scan_paths};
use dehusk::cli::options::{CorpusArgs, SummaryArgs, boxes_file, page_model};
use dehusk::cli::reporter::Reporter;
use dehusk::cli::segment::{lambda, segment_model};
use dehusk::cli::summary::{Summary, count};
use dehusk::cli::table::{Table, decimal};

/// Options of `dehusk-lab segments`.
#[derive(Args, Debug)]
pub struct SegmentsArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// File with the marked segments: a JSONL file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    gold: PathBuf,
    /// Marked segments up to this level [default: all levels]
    #[arg(long, value_name = "N")]
    level: Option<u32>,
    /// Segment model to measure [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = segment_model, value_hint = ValueHint::FilePath)]
    segment_model: Option<Arc<SegmentModel>>,
    /// Learn from a quarter of the marked segments, and measure on half of them
    ///
    /// Learn a model from pages with a quarter of the marked segments, choose lambda by pages with another quarter, and
    /// measure on the others, as in the literature. Each seed divides the pages in another way.
    #[arg(long, value_name = "SEED", conflicts_with_all = ["segment_model", "lambda"])]
    split: Option<u64>,
    /// Page-level model, for its sections [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = page_model, value_hint = ValueHint::FilePath)]
    page_model: Option<Arc<PageModel>>,
    /// Where the parts of pages are drawn: a JSONL file
    #[arg(long, value_name = "FILE", value_parser = boxes_file, value_hint = ValueHint::FilePath)]
    boxes: Option<Arc<BoxesFile>>,
    /// What it costs to be apart [default: what the model says]
    #[arg(long, value_name = "LAMBDA,...", value_delimiter = ',', value_parser = lambda)]
    lambda: Vec<f64>,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// All ways that are measured.
const WAYS: [(&str, Method); 13] = [
    ("gcuts", Method::Cuts(Knowledge::ALL)),
    ("gcuts, no parents", Method::Cuts(Knowledge { parents: false, distance: Distance::Learned })),
    ("gcuts, metric", Method::Cuts(Knowledge { parents: true, distance: Distance::Metric })),
    ("gcuts, metric, no parents", Method::Cuts(Knowledge { parents: false, distance: Distance::Metric })),
    ("gcuts, not learned", Method::Cuts(Knowledge { parents: true, distance: Distance::Euclidean })),
    ("cclus", Method::Clusters { learned: true, pivot: Pivot::Cheaper }),
    ("cclus, pivot 1/2", Method::Clusters { learned: true, pivot: Pivot::Half }),
    ("cclus, not learned", Method::Clusters { learned: false, pivot: Pivot::Cheaper }),
    ("blocks", Method::Vision(PERMITTED)),
    ("sections", Method::Sections),
    ("subtrees of depth 2", Method::Subtrees(2)),
    ("block elements", Method::BlockElements),
    ("the whole page", Method::Whole),
];

/// Runs the command.
pub fn run(args: &SegmentsArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let options = args.corpus.reading.options().boxes(args.boxes.clone());
    if options.html == HtmlView::Markup {
        bail!("`segments` reads pages as trees: leave --html markup out");
    }
    let mut marked = Marked::read(&args.gold, args.level)?;
    let inventory = scan_paths(&args.corpus.corpus, &args.corpus.list, &options, reporter, &mut summary)?;
    let inventory = inventory.with_html(HtmlView::Page).with_trees();
    let listings = list(&inventory, reporter, &mut summary)?;
    let model = match (args.split, &args.segment_model) {
        (Some(seed), _) => {
            let (keys, pages): (Vec<[String; 2]>, Vec<Lesson>) =
                lessons(&inventory, &listings, &marked, reporter)?.into_iter().unzip();
            let segments: Vec<usize> = pages.iter().map(Lesson::segments).collect();
            let [first, second, rest] = quarters(&segments, seed);
            if rest.is_empty() {
                bail!("--split needs 4 pages or more with marked segments, and there are {}", keys.len());
            }
            let of = |side: Vec<usize>| side.into_iter().map(|page| pages[page].clone()).collect::<Vec<Lesson>>();
            let measured: BTreeSet<&[String; 2]> = rest.iter().map(|&page| &keys[page]).collect();
            marked.retain(|source, id| measured.contains(&[source.to_owned(), id.to_owned()]));
            Arc::new(summary.time("train", || train_and_choose(&of(first), &of(second))))
        }
        (None, model) => model.clone().unwrap_or_else(SegmentModel::shipped),
    };
    let page_model = args.page_model.clone().unwrap_or_else(PageModel::shipped);
    let lambdas: Vec<Option<f64>> =
        if args.lambda.is_empty() { vec![None] } else { args.lambda.iter().copied().map(Some).collect() };

    let mut names = Vec::new();
    let mut ways = Vec::new();
    for (name, method) in WAYS {
        let uses_lambda = matches!(method, Method::Cuts(_) | Method::Clusters { .. });
        for &lambda in if uses_lambda { &lambdas[..] } else { &[None] } {
            names.push(lambda.map_or(name.to_owned(), |lambda| format!("{name}, lambda {lambda}")));
            ways.push(Segmenter { method, model: Arc::clone(&model), page_model: Arc::clone(&page_model), lambda });
        }
    }

    let pages = summary.time("measure", || measure(&inventory, &listings, &marked, &ways, reporter))?;
    if pages.is_empty() {
        let example = marked.example().map(|(source, id)| format!(": it has {id:?} of source {source:?}"));
        bail!("no page has marked segments in {}{}", args.gold.display(), example.unwrap_or_default());
    }
    summary.skipped = reporter.skipped();
    let figures: Vec<(String, Figures)> =
        names.into_iter().enumerate().map(|(way, name)| (name, Figures::of(&pages, way))).collect();
    tell(&args.summary, &json_of(pages.len(), &figures, &summary), &to_text(pages.len(), &figures))?;
    Ok(reporter.exit())
}

/// Means over pages.
struct Figures {
    rand: f64,
    information: f64,
    low: f64,
    high: f64,
    segments: f64,
    median_ms: f64,
    slow_ms: f64,
}

impl Figures {
    fn of(pages: &[Vec<Agreement>], way: usize) -> Figures {
        let mean =
            |of: &dyn Fn(&Agreement) -> f64| pages.iter().map(|page| of(&page[way])).sum::<f64>() / pages.len() as f64;
        let mut times: Vec<f64> = pages.iter().map(|page| page[way].seconds * 1000.0).collect();
        times.sort_by(f64::total_cmp);
        Figures {
            rand: mean(&|page| page.rand),
            information: mean(&|page| page.information),
            low: mean(&|page| f64::from(u8::from(page.rand < 0.3))),
            high: mean(&|page| f64::from(u8::from(page.rand > 0.6))),
            segments: mean(&|page| page.segments as f64),
            median_ms: times[times.len() / 2],
            slow_ms: times[times.len() * 95 / 100],
        }
    }
}

fn to_text(pages: usize, ways: &[(String, Figures)]) -> String {
    let mut table =
        Table::default().words("way").figures(["AdjRAND", "NMI", "below .3", "above .6", "segments", "ms", "ms 95%"]);
    for (name, of) in ways {
        let figures = [of.rand, of.information, of.low, of.high].map(|figure| decimal(figure, 3));
        let others = [decimal(of.segments, 1), decimal(of.median_ms, 1), decimal(of.slow_ms, 1)];
        table.row([name.clone()].into_iter().chain(figures).chain(others));
    }
    format!(
        "{} with marked segments\n\n{table}\nmeans over pages; of leaves in marked segments\n",
        count(pages, "page")
    )
}

fn json_of(pages: usize, ways: &[(String, Figures)], summary: &Summary) -> Value {
    let of_way = |(name, of): &(String, Figures)| {
        let figures = json!({"adjusted_rand": of.rand, "mutual_information": of.information, "below_0.3": of.low,
            "above_0.6": of.high, "segments": of.segments});
        (name.clone(), figures)
    };
    json!({
        "pages": pages,
        "ways": ways.iter().map(of_way).collect::<serde_json::Map<String, Value>>(),
        "skipped": summary.skipped,
        "seconds": summary.seconds,
    })
}
