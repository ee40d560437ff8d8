//! `dehusk segment`: takes HTML pages, and writes the segments of each as lines of JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueEnum, ValueHint};
use rayon::prelude::*;

use dehusk::corpus::{BoxesFile, HtmlView};
use dehusk::dom::page_level::PageModel;
use dehusk::pipeline::Steps;
use dehusk::pipeline::reading::size_of;
use dehusk::pipeline::segments::{PageSegments, segment_corpus};
use dehusk::segmentation::model::SegmentModel;
use dehusk::segmentation::record::SegmentRecord;
use dehusk::segmentation::segmenter::{Knowledge, Method, Segmenter};
use dehusk::segmentation::vision::PERMITTED;

use super::force::{ForceArgs, PAGE_SEGMENTS};
use super::interrupt::Results;
use super::line_output::LineOutput;
use super::mine::scan_paths;
use super::options::{CorpusArgs, SummaryArgs, boxes_file, page_model, segment_model};
use super::reporter::Reporter;
use super::summary::{SegmentedSummary, Summary};
use super::{Exit, Global};

/// Options of `dehusk segment`.
#[derive(Args, Debug)]
pub struct SegmentCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// JSONL file for the segments; `-` for stdout
    #[arg(short, long, alias = "out", value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    segmentation: SegmentationArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// How pages are divided into segments.
#[derive(Args, Debug)]
pub struct SegmentationArgs {
    /// How: by gcuts, cclus, blocks, sections or elements
    ///
    /// How pages are divided: `gcuts`, by minimum cuts; `cclus`, by clustering; `blocks`, what people see as blocks;
    /// `sections`, where the page-level model says that
    /// template begins or ends; `elements`, a segment for each block element.
    #[arg(long, value_enum, value_name = "METHOD", hide_possible_values = true, default_value_t = MethodName::Gcuts)]
    method: MethodName,
    /// What it costs to be apart [default: what the model says]
    ///
    /// How much it costs that parts are in different segments, for gcuts and cclus. A larger number gives fewer segments. The
    /// shipped model has 2.2 for gcuts and 2.4 for cclus.
    #[arg(long, value_name = "NUMBER", value_parser = lambda)]
    lambda: Option<f64>,
    /// Segment model [default: the shipped model]
    ///
    /// Segment model, written by `dehusk train --segments` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = segment_model, value_hint = ValueHint::FilePath, hide_short_help = true)]
    segment_model: Option<Arc<SegmentModel>>,
    /// Page-level model, for sections and scores [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = page_model, value_hint = ValueHint::FilePath, hide_short_help = true)]
    page_model: Option<Arc<PageModel>>,
    /// Where the parts of pages are drawn: a JSONL file
    ///
    /// Where the parts of pages are drawn: a JSONL file (see docs/boxes.md). Without it, places are estimated.
    #[arg(long, value_name = "FILE", value_parser = boxes_file, value_hint = ValueHint::FilePath)]
    boxes: Option<Arc<BoxesFile>>,
}

/// See [`Method`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Minimum cuts
    Gcuts,
    /// Correlation clustering
    Cclus,
    /// Blocks that people see
    Blocks,
    /// Sections of the page-level model
    Sections,
    /// Block elements
    Elements,
}

/// A value of lambda.
pub fn lambda(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(lambda) if (0.0..=1000.0).contains(&lambda) => Ok(lambda),
        _ => Err("it is a number from 0 to 1000".to_owned()),
    }
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Method {
        match name {
            MethodName::Gcuts => Method::Cuts(Knowledge::ALL),
            MethodName::Cclus => Method::Clusters { learned: true },
            MethodName::Blocks => Method::Vision(PERMITTED),
            MethodName::Sections => Method::Sections,
            MethodName::Elements => Method::BlockElements,
        }
    }
}

impl SegmentationArgs {
    /// What divides pages in this way.
    fn segmenter(&self) -> Segmenter {
        Segmenter {
            method: self.method.into(),
            model: self.segment_model.clone().unwrap_or_else(SegmentModel::shipped),
            page_model: self.page_model.clone().unwrap_or_else(PageModel::shipped),
            lambda: self.lambda,
        }
    }
}

impl SegmentCommand {
    /// Where the lines are written.
    pub fn results(&self) -> Results {
        if self.output.as_os_str() == "-" { Results::Stdout } else { Results::Files }
    }
}

/// Runs the command.
pub fn run(args: &SegmentCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let options = args.corpus.reading.options().boxes(args.segmentation.boxes.clone());
    if options.html == HtmlView::Markup {
        bail!("`segment` reads pages as trees: leave --html markup out");
    }
    let inventory = scan_paths(&args.corpus.corpus, &args.corpus.list, &options, reporter, &mut summary)?;
    let inventory = inventory.with_html(HtmlView::Page).with_trees();
    let segmenter = args.segmentation.segmenter();
    let mut output = LineOutput::create(&args.output, args.force, &inventory.inputs(), PAGE_SEGMENTS)?;
    reporter.start("dividing pages", Steps::Bytes(inventory.files().iter().map(size_of).sum()));
    let mut counts: BTreeMap<String, SegmentedSummary> = BTreeMap::new();
    let written = summary.time("divide pages", || {
        segment_corpus(&inventory, &segmenter, reporter, |pages: &[PageSegments]| {
            let lines: Vec<String> = pages.par_iter().flat_map_iter(|page| page.segments.iter().map(line)).collect();
            output.write(&lines)?;
            for PageSegments { source, segments } in pages {
                let count = counts.entry(source.as_str().to_owned()).or_default();
                count.documents += 1;
                count.segments += segments.len();
            }
            anyhow::Ok(())
        })
    });
    reporter.finish();
    written?;
    for (source, segmented) in counts {
        summary.documents += segmented.documents;
        summary.sources.entry(source).or_default().segmented = Some(segmented);
    }
    summary.skipped = reporter.skipped();
    match output.publish()? {
        None => summary.print_beside(args.summary.json, global.quiet)?,
        Some(name) => {
            summary.wrote.push(name);
            summary.print(args.summary.json, global.quiet)?;
        }
    }
    Ok(reporter.exit())
}

fn line(record: &SegmentRecord) -> String {
    // Strings and numbers can always be written.
    let mut line = serde_json::to_string(record).unwrap_or_default();
    line.push('\n');
    line
}
