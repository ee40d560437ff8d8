//! `dehusk segment`: takes HTML pages, and writes the segments of each as lines of JSON.

use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueEnum, ValueHint};

use dehusk_core::dom::page_level::PageModel;
use dehusk_corpus::Inventory;
use dehusk_segments::segmentation::correlation::Pivot;
use dehusk_segments::segmentation::model::SegmentModel;
use dehusk_segments::segmentation::record::SegmentRecord;
use dehusk_segments::segmentation::segmenter::{Knowledge, Method, Segmenter};
use dehusk_segments::segmentation::vision::PERMITTED;

use super::force::PAGE_SEGMENTS;
use super::interrupt::Results;
use super::options::{page_model, text_of_model};
use super::page_lines::{PageLines, PageLinesArgs, Write};
use super::reporter::Reporter;
use super::summary::{SegmentedSummary, SourceSummary};
use super::{Exit, Global};
use crate::parts::drawn::drawn_segments;
use crate::parts::segments::{records, segment_corpus};

/// Options of `dehusk segment`.
#[derive(Args, Debug)]
pub struct SegmentCommand {
    #[command(flatten)]
    pages: PageLinesArgs,
    #[command(flatten)]
    segmentation: SegmentationArgs,
}

/// How pages are divided into segments.
#[derive(Args, Debug)]
#[command(next_help_heading = "Segments")]
pub struct SegmentationArgs {
    /// How: by sections, gcuts, cclus, blocks or elements
    ///
    /// How pages are divided: `sections`, where the page-level model says that template begins or ends; `gcuts`, by
    /// minimum cuts; `cclus`, by clustering; `blocks`, what people see as blocks; `elements`, a segment for each block
    /// element.
    #[arg(long, value_enum, value_name = "METHOD", hide_possible_values = true, default_value_t = MethodName::Sections)]
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
}

/// See [`Method`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Sections of the page-level model
    Sections,
    /// Minimum cuts
    Gcuts,
    /// Correlation clustering
    Cclus,
    /// Blocks that people see
    Blocks,
    /// Block elements
    Elements,
}

/// Reads a segment model.
pub fn segment_model(path: &str) -> Result<Arc<SegmentModel>, String> {
    let yaml = text_of_model(path)?;
    SegmentModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

/// Parses a value of lambda.
pub fn lambda(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(lambda) if (0.0..=1000.0).contains(&lambda) => Ok(lambda),
        _ => Err("it is a number from 0 to 1000".to_owned()),
    }
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Method {
        match name {
            MethodName::Sections => Method::Sections,
            MethodName::Gcuts => Method::Cuts(Knowledge::ALL),
            MethodName::Cclus => Method::Clusters { learned: true, pivot: Pivot::Cheaper },
            MethodName::Blocks => Method::Vision(PERMITTED),
            MethodName::Elements => Method::BlockElements,
        }
    }
}

impl SegmentationArgs {
    /// The segmenter with these options.
    fn segmenter(&self) -> anyhow::Result<Segmenter> {
        let uses_model = matches!(self.method, MethodName::Gcuts | MethodName::Cclus);
        if !uses_model && (self.lambda.is_some() || self.segment_model.is_some()) {
            bail!("--lambda and --segment-model are for cuts and clusters: add --method gcuts or --method cclus");
        }
        Ok(Segmenter {
            method: self.method.into(),
            model: self.segment_model.clone().unwrap_or_else(SegmentModel::shipped),
            page_model: self.page_model.clone().unwrap_or_else(PageModel::shipped),
            lambda: self.lambda,
        })
    }
}

impl SegmentCommand {
    /// Where the lines are written.
    pub fn results(&self) -> Results {
        self.pages.results()
    }
}

/// Runs the command.
pub fn run(args: &SegmentCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let segmenter = args.segmentation.segmenter()?;
    let lines = PageLines {
        command: "segment",
        doing: "dividing pages",
        step: "divide pages",
        args: &args.pages,
        kind: PAGE_SEGMENTS,
    };
    let visit = |inventory: &Inventory, write: &mut Write<SegmentRecord>| {
        segment_corpus(inventory, &segmenter, reporter, write)
    };
    let count = |summary: &mut SourceSummary, documents, segments| {
        summary.segmented = Some(SegmentedSummary { documents, segments });
    };
    lines.run(
        global,
        reporter,
        visit,
        |_| true,
        count,
        |canvas, document, tree| drawn_segments(canvas, &records(&segmenter, document, tree).0),
    )
}
