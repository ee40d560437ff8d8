//! `dehusk fields`: takes pattern files and a corpus, and writes a line of JSON for each document, with the text that
//! varies in its templates.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_core::fields::Columns;
use dehusk_corpus::Document;
use dehusk_run::Library;
use dehusk_run::Steps;
use dehusk_run::fields::{DocumentFields, read_fields};
use dehusk_run::reading::size_of;

use super::force::{FIELDS, ForceArgs};
use super::interrupt::Results;
use super::line_output::{LineOutput, line};
use super::mine::scan;
use super::options::{CorpusArgs, Only, SummaryArgs};
use super::reporter::Reporter;
use super::summary::{FieldsSummary, Summary};
use super::{Exit, Global};

/// Options of `dehusk fields`.
#[derive(Args, Debug)]
pub struct FieldsCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the pattern files, or a single file
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// JSONL file for the fields; `-` for stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Output", display_order = 0)]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Use only patterns that a person accepted
    #[arg(long, value_enum, value_name = "accepted", hide_possible_values = true, help_heading = "Cleaning")]
    only: Option<Only>,
    #[command(flatten)]
    summary: SummaryArgs,
}

impl FieldsCommand {
    /// Where the lines are written.
    pub fn results(&self) -> Results {
        if self.output.as_os_str() == "-" { Results::Stdout } else { Results::Files }
    }
}

/// Runs the command.
pub fn run(args: &FieldsCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let library = summary.time("read patterns", || Library::load(&args.patterns))?;
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    let reads = inventory.reads().and(&global.reads);
    let output = LineOutput::create(&args.output, args.force, &reads, FIELDS)?;
    let mut sink = Sink { output, counts: BTreeMap::new() };
    reporter.start("reading fields", Steps::Bytes(inventory.files().iter().map(size_of).sum()));
    let read = summary.time("read fields", || {
        read_fields(&inventory, &library, args.only.is_some(), reporter, |fields| sink.write(&fields))
    });
    reporter.finish();
    read?;
    for (source, fields) in sink.counts {
        summary.documents += fields.documents;
        summary.sources.entry(source).or_default().fields = Some(fields);
    }
    summary.skipped = reporter.skipped();
    sink.output.finish(summary, &args.summary, global)?;
    Ok(reporter.exit())
}

/// Writes the fields, and counts them.
struct Sink {
    output: LineOutput,
    counts: BTreeMap<String, FieldsSummary>,
}

impl Sink {
    fn write(&mut self, fields: &[DocumentFields]) -> anyhow::Result<()> {
        let lines: Vec<String> = fields.par_iter().map(fields_line).collect();
        self.output.write(&lines)?;
        fields.iter().for_each(|fields| self.count(fields));
        Ok(())
    }

    fn count(&mut self, DocumentFields { document, columns }: &DocumentFields) {
        let count = self.counts.entry(document.source.as_str().to_owned()).or_default();
        count.documents += 1;
        for (name, column) in columns.iter() {
            count.values += column.values();
            *count.columns.entry(name.to_owned()).or_default() += 1;
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    source: &'a str,
    fields: &'a Columns<'a>,
}

fn fields_line(DocumentFields { document, columns }: &DocumentFields) -> String {
    let Document { id, source, .. } = document;
    line(&Line { id, source: source.as_str(), fields: columns })
}
