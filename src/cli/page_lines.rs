//! Commands that write what they find in pages, as lines of JSON.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_corpus::{BoxesFile, HtmlView, Inventory, OutputKind};
use dehusk_run::Steps;
use dehusk_run::pages::PageRecords;
use dehusk_run::reading::size_of;

use super::force::ForceArgs;
use super::line_output::{LineOutput, line};
use super::mine::scan_paths;
use super::options::{CorpusArgs, SummaryArgs};
use super::reporter::Reporter;
use super::summary::{SourceSummary, Summary};
use super::{Exit, Global};

/// What such a command is given, and how it tells of its work.
pub struct PageLines<'a> {
    /// Its name.
    pub command: &'static str,
    /// What it is doing, for the progress.
    pub doing: &'static str,
    /// What it does, for the summary.
    pub step: &'static str,
    /// The pages.
    pub corpus: &'a CorpusArgs,
    /// Where their parts are drawn.
    pub boxes: &'a Option<Arc<BoxesFile>>,
    /// Where the lines go.
    pub output: &'a Path,
    /// What may be overwritten.
    pub force: ForceArgs,
    /// The kind of the lines.
    pub kind: OutputKind,
    /// How the summary is printed.
    pub summary: &'a SummaryArgs,
}

/// Takes what is found in many pages.
pub type Write<'w, R> = dyn FnMut(&[PageRecords<R>]) -> anyhow::Result<()> + 'w;

impl PageLines<'_> {
    /// Runs the command. `visit` calls its argument with what is found in the pages, in order; of that, what `is_wanted` is written.
    /// `count` notes in the summary of a source how many pages it has, and how many lines were written.
    pub fn run<R: Serialize + Sync>(
        &self,
        global: &Global,
        reporter: &Reporter,
        visit: impl FnOnce(&Inventory, &mut Write<R>) -> anyhow::Result<()>,
        is_wanted: impl Fn(&R) -> bool + Sync,
        count: impl Fn(&mut SourceSummary, usize, usize),
    ) -> anyhow::Result<Exit> {
        let mut summary = Summary::default();
        let options = self.corpus.reading.options().boxes(self.boxes.clone());
        if options.html == HtmlView::Markup {
            bail!("`{}` reads pages as trees: leave --html markup out", self.command);
        }
        let inventory = scan_paths(&self.corpus.corpus, &self.corpus.list, &options, reporter, &mut summary)?;
        let inventory = inventory.with_html(HtmlView::Page).with_trees();
        let mut output = LineOutput::create(self.output, self.force, &inventory.reads().and(&global.reads), self.kind)?;
        reporter.start(self.doing, Steps::Bytes(inventory.files().iter().map(size_of).sum()));
        // Of each source, the pages and the lines.
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
        output.finish(summary, self.summary, global)?;
        Ok(reporter.exit())
    }
}
