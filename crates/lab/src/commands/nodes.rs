//! `dehusk-lab nodes CORPUS --gold DIR`: measures how well single pages are divided into template and content.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueHint};
use serde_json::{Value, json};

use dehusk_core::dom::page_level::PageModel;
use dehusk_corpus::{BoxesFile, HtmlView};
use dehusk_lab::nodes::figures::{Detected, PENALTIES, PageFigures, Way};
use dehusk_lab::nodes::{Measuring, best_delta};
use dehusk_run::scoring::gold_texts::GoldTexts;

use dehusk::cli::Exit;
use dehusk::cli::eval::tell;
use dehusk::cli::mine::{list, scan_paths};
use dehusk::cli::options::{CorpusArgs, SummaryArgs, boxes_file, page_model};
use dehusk::cli::reporter::Reporter;
use dehusk::cli::summary::Summary;
use dehusk::cli::table::{Table, decimal};

/// Options of `dehusk-lab nodes`.
#[derive(Args, Debug)]
pub struct NodesArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the text to keep: DIR/<source>/<document>.txt
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    /// Page-level model to measure [default: the shipped model]
    ///
    /// Page-level model to measure, written by `dehusk-lab train --pages` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = page_model, value_hint = ValueHint::FilePath)]
    page_model: Option<Arc<PageModel>>,
    /// Where the parts of pages are drawn: a JSONL file
    #[arg(long, value_name = "FILE", value_parser = boxes_file, value_hint = ValueHint::FilePath)]
    boxes: Option<Arc<BoxesFile>>,
    /// Factors of the penalties of sections
    ///
    /// Factors of the penalties of sections. With a larger factor, a page has fewer sections.
    #[arg(long, value_name = "FACTOR,...", value_delimiter = ',', default_values_t = [1.0], value_parser = factor)]
    penalty: Vec<f64>,
    /// Also measure the other penalties of the paper, and their means
    #[arg(long)]
    penalties: bool,
    #[command(flatten)]
    summary: SummaryArgs,
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor >= 0.0 && factor.is_finite() => Ok(factor),
        _ => Err("a factor is a number of 0 or more".to_owned()),
    }
}

/// Runs the command.
pub fn run(args: &NodesArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let options = args.corpus.reading.options().boxes(args.boxes.clone());
    if options.html == HtmlView::Markup {
        bail!("`nodes` reads pages as trees: leave --html markup out");
    }
    let gold = GoldTexts::read(&args.gold, &args.corpus.reading.gold_options(), reporter)?;
    // Input that can be read only once is stored when it is listed. Without its markup it would have no trees.
    let inventory = scan_paths(&args.corpus.corpus, &args.corpus.list, &options, reporter, &mut summary)?;
    let inventory = inventory.with_html(HtmlView::Page).with_trees();
    let listings = list(&inventory, reporter, &mut summary)?;
    gold.refuse_other_sources(&listings)?;
    let model = args.page_model.clone().unwrap_or_else(PageModel::shipped);
    let measuring = Measuring {
        inventory: &inventory,
        gold: &gold,
        model: &model,
        factors: &args.penalty,
        penalties: args.penalties,
        observer: reporter,
    };
    let pages = summary.time("measure", || measuring.measure_all(&listings))?;
    if pages.is_empty() {
        bail!(gold.nothing_to_score(", or no document is an HTML page"));
    }
    summary.skipped = reporter.skipped();
    let ways: Vec<(String, Detected)> =
        ways(&pages).into_iter().map(|way| (name(way), Detected::of(&pages, way))).collect();
    tell(&args.summary, &json_of(&pages, &ways, &summary), &to_text(pages.len(), &ways))?;
    Ok(reporter.exit())
}

/// All ways, but of the merged ones only the best.
fn ways(pages: &[PageFigures]) -> Vec<Way> {
    let best = best_delta(pages);
    let is_told = |way: &Way| !matches!(way, Way::Merged(delta) if Some(*delta) != best);
    pages[0].ways.iter().map(|&(way, _)| way).filter(is_told).collect()
}

fn name(way: Way) -> String {
    match way {
        Way::SiteLevel => "site level".to_owned(),
        Way::Basic => "basic".to_owned(),
        Way::Merged(delta) => format!("basic, merged within {delta}"),
        Way::Smooth(1.0) => "smooth".to_owned(),
        Way::Smooth(factor) => format!("smooth, penalty x {factor}"),
        Way::Other(number, 1.0) => format!("smooth, {}", PENALTIES[number].0),
        Way::Other(number, factor) => format!("smooth, {} x {factor}", PENALTIES[number].0),
    }
}

const KINDS: [&str; 3] = ["words", "anchor words", "links"];

fn to_text(pages: usize, ways: &[(String, Detected)]) -> String {
    let mut table = Table::default().words("way").group("f of all".to_owned(), KINDS);
    table = table.group("mean f of pages".to_owned(), KINDS).figures(["precision", "recall", "sections"]);
    for (name, Detected { sums, means, sections }) in ways {
        let sums_of_f = sums.map(|counts| counts.f().unwrap_or(0.0));
        let others = [sums[0].precision(), sums[0].recall(), *sections];
        let figures = sums_of_f.into_iter().chain(*means).chain(others).map(|figure| decimal(figure, 3));
        table.row([name.clone()].into_iter().chain(figures));
    }
    format!(
        "{pages} pages with gold text\n\n{table}\nprecision and recall of words; sections: adjusted Rand index, mean of pages\n"
    )
}

fn json_of(pages: &[PageFigures], ways: &[(String, Detected)], summary: &Summary) -> Value {
    let of_way = |(name, detected): &(String, Detected)| {
        let of_kind = |(index, kind): (usize, &str)| {
            let counts = detected.sums[index];
            let figures = json!({"counts": counts, "precision": counts.precision(), "recall": counts.recall(),
                "f": counts.f(), "mean_f": detected.means[index]});
            (kind.replace(' ', "_"), figures)
        };
        let mut all: serde_json::Map<String, Value> = KINDS.into_iter().enumerate().map(of_kind).collect();
        all.insert("sections".to_owned(), json!(detected.sections));
        (name.clone(), Value::Object(all))
    };
    json!({
        "pages": pages.len(),
        "ways": ways.iter().map(of_way).collect::<serde_json::Map<String, Value>>(),
        "skipped": summary.skipped,
        "seconds": summary.seconds,
    })
}
