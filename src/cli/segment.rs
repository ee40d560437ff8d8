//! `dehusk segment`: takes HTML pages, and writes the segments of each as lines of JSON.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};

use crate::parts::segments::segment_corpus;
use dehusk_core::dom::page_level::PageModel;
use dehusk_corpus::{BoxesFile, Inventory};
use dehusk_segments::segmentation::model::SegmentModel;
use dehusk_segments::segmentation::record::SegmentRecord;
use dehusk_segments::segmentation::segmenter::{Knowledge, Method, Segmenter};
use dehusk_segments::segmentation::vision::PERMITTED;

use super::force::{ForceArgs, PAGE_SEGMENTS};
use super::interrupt::Results;
use super::options::{CorpusArgs, SummaryArgs, boxes_file, page_model, segment_model};
use super::page_lines::{PageLines, Write};
use super::reporter::Reporter;
use super::summary::{SegmentedSummary, SourceSummary};
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
    /// Segment model, written by `dehusk-lab train --segments` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = segment_model, value_hint = ValueHint::FilePath, hide_short_help = true)]
    segment_model: Option<Arc<SegmentModel>>,
    /// Page-level model, for sections and scores [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = page_model, value_hint = ValueHint::FilePath, hide_short_help = true)]
    page_model: Option<Arc<PageModel>>,
    /// Where the parts of pages are drawn: a JSONL file
    ///
    /// Where the parts of pages are drawn: a JSONL file (see docs/pages.md). Without it, places are estimated.
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
    let segmenter = args.segmentation.segmenter();
    let lines = PageLines {
        command: "segment",
        doing: "dividing pages",
        step: "divide pages",
        corpus: &args.corpus,
        boxes: &args.segmentation.boxes,
        output: &args.output,
        force: args.force,
        kind: PAGE_SEGMENTS,
        summary: &args.summary,
    };
    let visit = |inventory: &Inventory, write: &mut Write<SegmentRecord>| {
        segment_corpus(inventory, &segmenter, reporter, write)
    };
    let count = |summary: &mut SourceSummary, documents, segments| {
        summary.segmented = Some(SegmentedSummary { documents, segments });
    };
    lines.run(global, reporter, visit, |_| true, count)
}
