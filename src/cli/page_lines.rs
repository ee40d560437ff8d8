//! Code that `dehusk segment` and `dehusk blocks` share. Both find parts of pages, and write the parts as lines of JSON
//! or draw them on a page.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueHint};
use rayon::prelude::*;
use serde::Serialize;

use dehusk_core::html::Tree;
use dehusk_corpus::{BoxesFile, Document, HtmlView, Inventory, OutputKind};
use dehusk_run::Steps;
use dehusk_run::explain::drawn::Canvas;
use dehusk_run::pages::PageRecords;
use dehusk_run::reading::size_of;

use super::force::ForceArgs;
use super::interrupt::Results;
use super::line_output::{LineOutput, line};
use super::mine::scan_paths;
use super::one_document::{read, write_page};
use super::options::{CorpusArgs, SummaryArgs, boxes_file};
use super::reporter::Reporter;
use super::summary::{SourceSummary, Summary};
use super::{Exit, Global};

/// Which pages are read, and where their parts are written.
#[derive(Args, Debug)]
#[command(mut_arg("html", |html| html.hide(true)))] // no page is written
pub struct PageLinesArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Where the parts of pages are drawn: a JSONL file
    ///
    /// Where the parts of pages are drawn: a JSONL file (see docs/pages.md). Without it, places are estimated.
    #[arg(long, value_name = "FILE", value_parser = boxes_file, value_hint = ValueHint::FilePath, help_heading = "Input")]
    boxes: Option<Arc<BoxesFile>>,
    /// JSONL file; `-` for stdout
    #[arg(
        short,
        long,
        value_name = "FILE",
        help_heading = "Output",
        display_order = 0,
        required_unless_present = "draw"
    )]
    output: Option<PathBuf>,
    /// Draw the parts of one page on it, instead of writing lines
    ///
    /// Draw the parts of one page on it, instead of writing lines: an HTML file, or `-` for stdout. Scripts of the page do not run.
    #[arg(long, value_name = "FILE", help_heading = "Output", conflicts_with = "output")]
    draw: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// The arguments of such a command, and the words with which it tells of its work.
pub struct PageLines<'a> {
    /// The name of the command.
    pub command: &'static str,
    /// What the command is doing, for the progress.
    pub doing: &'static str,
    /// What the command does, for the summary.
    pub step: &'static str,
    /// Which pages are read, and where the lines are written.
    pub args: &'a PageLinesArgs,
    /// The kind of the lines.
    pub kind: OutputKind,
}

impl PageLinesArgs {
    /// Where the lines are written.
    pub fn results(&self) -> Results {
        if self.output.as_ref().is_some_and(|output| output.as_os_str() == "-") {
            Results::Stdout
        } else {
            Results::Files
        }
    }
}

/// A function that takes the parts found in several pages.
pub type Write<'w, R> = dyn FnMut(&[PageRecords<R>]) -> anyhow::Result<()> + 'w;

impl PageLines<'_> {
    /// Writes the parts as lines, or draws them on a page, as the flags say. `visit` finds the parts of all pages, in
    /// order, and calls its second argument with them. Parts for which `is_wanted` is true are written. `count` notes
    /// the numbers of pages and of written lines in the summary of a source.
    pub fn run<R: Serialize + Sync>(
        &self,
        global: &Global,
        reporter: &Reporter,
        visit: impl FnOnce(&Inventory, &mut Write<R>) -> anyhow::Result<()>,
        is_wanted: impl Fn(&R) -> bool + Sync,
        count: impl Fn(&mut SourceSummary, usize, usize),
        draw: impl FnOnce(&Canvas, &Document, &Tree) -> String,
    ) -> anyhow::Result<Exit> {
        let Some(output) = &self.args.output else { return self.draw(global, reporter, draw) };
        let mut summary = Summary::default();
        let inventory = self.scan(reporter, &mut summary)?;
        let reads = inventory.reads().and(&global.reads);
        let mut output = LineOutput::create(output, self.args.force, &reads, self.kind)?;
        reporter.start(self.doing, Steps::Bytes(inventory.files().iter().map(size_of).sum()));
        // The numbers of pages and of lines of each source.
        let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();

        let written = summary.time(self.step, || {
            visit(&inventory, &mut |pages: &[PageRecords<R>]| {
                let wanted = |page: &PageRecords<R>| -> Vec<String> {
                    page.records.iter().filter(|&record| is_wanted(record)).map(line).collect()
                };
                let lines: Vec<Vec<String>> = pages.par_iter().map(wanted).collect();
                for (page, lines) in pages.iter().zip(&lines) {
                    output.write(lines)?;
                    let count = counts.entry(page.source.as_str().to_owned()).or_default();
                    count[0] += 1;
                    count[1] += lines.len();
                }
                Ok(())
            })
        });
        reporter.finish();
        written?;

        for (source, [pages, lines]) in counts {
            summary.documents += pages;
            count(summary.sources.entry(source).or_default(), pages, lines);
        }
        summary.skipped = reporter.skipped();
        output.finish(summary, &self.args.summary, global)?;
        Ok(reporter.exit())
    }

    /// Draws the parts of the only page on it.
    fn draw(
        &self,
        global: &Global,
        reporter: &Reporter,
        draw: impl FnOnce(&Canvas, &Document, &Tree) -> String,
    ) -> anyhow::Result<Exit> {
        let Some(output) = &self.args.draw else { bail!("name a file with --output or with --draw") };
        let inventory = self.scan(reporter, &mut Summary::default())?.with_pages();
        let [file] = inventory.files() else {
            bail!("--draw draws on one page, and there are {}: name one", inventory.files().len())
        };
        let document = read(&inventory, file, None)?;
        let Document { page: Some(page), text, url, .. } = &document else {
            bail!("{} was not read as an HTML page, so nothing can be drawn on it", file.path().display())
        };
        let canvas = Canvas { page, text, address: url.as_deref() };
        write_page(output, &draw(&canvas, &document, page.tree()), self.args.force, global, reporter)?;
        Ok(Exit::Done)
    }

    fn scan(&self, reporter: &Reporter, summary: &mut Summary) -> anyhow::Result<Inventory> {
        let CorpusArgs { corpus, list, reading } = &self.args.corpus;
        let options = reading.options().boxes(self.args.boxes.clone());
        if options.html == HtmlView::Markup {
            bail!("`{}` reads pages as trees: leave --html markup out", self.command);
        }
        let inventory = scan_paths(corpus, list, &options, reporter, summary)?;
        Ok(inventory.with_html(HtmlView::Page).with_trees())
    }
}
