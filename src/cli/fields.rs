//! `dehusk fields`: pattern files and a corpus in, what varies in each document out, a line of JSON each.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::RwLockReadGuard;

use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk::cleaning::Scratch;
use dehusk::corpus::{Document, Inventory, PendingFile};
use dehusk::fields::{Fields, Value};

use super::force::{FIELDS, ForceArgs};
use super::mine::scan;
use super::options::{CorpusArgs, Only, SummaryArgs};
use super::progress::Steps;
use super::reporter::Reporter;
use super::summary::{FieldsSummary, Summary};
use super::{Exit, Global, interrupt};
use dehusk::pipeline::Library;
use dehusk::pipeline::WarningKind;
use dehusk::pipeline::library::pattern_files;
use dehusk::pipeline::reading::{size_of, visit_documents};

/// Options of `dehusk fields`.
#[derive(Args, Debug)]
pub struct FieldsCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the pattern files, or one file
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// File for the lines, or - for stdout
    #[arg(short, long, alias = "out", value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Write only what patterns find that a person accepted
    #[arg(long, value_enum, value_name = "STATUS")]
    only: Option<Only>,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Runs the command.
pub fn run(args: &FieldsCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let library = summary.time("load patterns", || Library::load(&args.patterns))?;
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    let mut sink = Sink { output: Output::create(args, inventory.inputs())?, counts: BTreeMap::new() };
    let mut sources = Sources::new(&library, args.only.is_some(), reporter);
    reporter.start("reading fields", Steps::bytes(inventory.files().iter().map(size_of).sum()));
    let read = summary.time("read fields", || write_all(&inventory, &mut sources, &mut sink));
    reporter.finish();
    read?;
    for (source, fields) in sink.counts {
        summary.documents += fields.documents;
        summary.sources.entry(source).or_default().fields = Some(fields);
    }
    summary.skipped = reporter.skipped();
    match sink.output {
        Output::Stdout(_) => summary.print_beside(args.summary.json, global.quiet)?,
        Output::File(FileOutput { file, name, .. }) => {
            file.publish()?;
            summary.wrote.push(name);
            summary.print(args.summary.json, global.quiet)?;
        }
    }
    Ok(reporter.exit())
}

/// Writes a line for each document, in order.
fn write_all(inventory: &Inventory, sources: &mut Sources, sink: &mut Sink) -> anyhow::Result<()> {
    visit_documents(inventory, sources.reporter, |documents| {
        documents.iter().for_each(|(name, document)| sources.meet(name, document));
        let read: Vec<Option<Read>> =
            documents.par_iter().map_init(Scratch::default, |scratch, named| sources.read(scratch, named)).collect();
        sink.write(read.into_iter().flatten().collect())
    })
}

/// Takes what was read, and counts it.
struct Sink {
    output: Output,
    counts: BTreeMap<String, FieldsSummary>,
}

/// Where the lines go.
enum Output {
    Stdout(BufWriter<io::Stdout>),
    File(FileOutput),
}

/// A file that is there when all of it is written.
struct FileOutput {
    file: PendingFile,
    name: String,
    /// With it, whoever stops the run waits until the unfinished file is gone.
    _permission: RwLockReadGuard<'static, ()>,
}

impl Output {
    fn create(args: &FieldsCommand, inputs: Vec<PathBuf>) -> anyhow::Result<Output> {
        if args.output == Path::new("-") {
            return Ok(Output::Stdout(BufWriter::new(io::stdout())));
        }
        let inputs = [inputs, pattern_files(&args.patterns)?].concat();
        let _permission = interrupt::writing()?;
        let file = args.force.file(&args.output, &inputs, FIELDS)?.begin()?;
        Ok(Output::File(FileOutput { file, name: args.output.display().to_string(), _permission }))
    }

    fn write(&mut self, lines: &[String]) -> anyhow::Result<()> {
        let all_to = |sink: &mut dyn Write| lines.iter().try_for_each(|line| sink.write_all(line.as_bytes()));
        match self {
            Output::Stdout(stdout) => all_to(stdout).and_then(|()| stdout.flush()).context("cannot write to stdout"),
            Output::File(FileOutput { file, name, .. }) => all_to(file).with_context(|| format!("cannot write {name}")),
        }
    }
}

impl Sink {
    fn write(&mut self, read: Vec<Read>) -> anyhow::Result<()> {
        let lines: Vec<String> = read.par_iter().map(Read::line).collect();
        self.output.write(&lines)?;
        read.iter().for_each(|read| self.count(read));
        Ok(())
    }

    fn count(&mut self, Read { document, columns }: &Read) {
        let count = self.counts.entry(document.source.as_str().to_owned()).or_default();
        count.documents += 1;
        for (&column, values) in columns {
            count.values += values.len();
            *count.columns.entry(column.to_owned()).or_default() += 1;
        }
    }
}

/// The fields of each source, compiled when the source's first document comes.
struct Sources<'a> {
    library: &'a Library,
    only_accepted: bool,
    reporter: &'a Reporter,
    /// Of the sources that have a file of their own.
    own: HashMap<String, Fields>,
    /// Of all others.
    other: Fields,
    /// The sources that were told to have none.
    told: BTreeSet<String>,
}

impl<'a> Sources<'a> {
    fn new(library: &'a Library, only_accepted: bool, reporter: &'a Reporter) -> Sources<'a> {
        let other = Fields::new(&library.for_source(""), only_accepted);
        Sources { library, only_accepted, reporter, own: HashMap::new(), other, told: BTreeSet::new() }
    }

    /// Makes ready for a document.
    fn meet(&mut self, name: &str, document: &Document) {
        let source = document.source.as_str();
        if let Some(warning) = &document.warning {
            self.reporter.warn_often(WarningKind::Malformed, &format!("{name}: {warning}"));
        }
        if self.library.get(source).is_none() {
            self.tell_of_none(source);
        } else if !self.own.contains_key(source) {
            let fields = Fields::new(&self.library.for_source(source), self.only_accepted);
            self.own.insert(source.to_owned(), fields);
        }
    }

    /// What varies in a document. One that cannot be read is named.
    fn read<'d>(&'d self, scratch: &mut Scratch, (name, document): &'d (String, Document)) -> Option<Read<'d>> {
        let fields = self.own.get(document.source.as_str()).unwrap_or(&self.other);
        match fields.values(scratch, &document.text) {
            Ok(values) => Some(Read { document, columns: columns(&document.text, &values) }),
            Err(error) => {
                self.reporter.skip(&format!("{name}: {error}"));
                None
            }
        }
    }

    fn tell_of_none(&mut self, source: &str) {
        if self.told.insert(source.to_owned()) {
            let is_shared = !self.library.for_source(source).is_empty();
            let what = if is_shared { "only shared patterns apply" } else { "its documents have no fields" };
            let message = format!("there is no pattern file for source '{source}'; {what}");
            self.reporter.warn_often(WarningKind::NoPatterns, &message);
        }
    }
}

/// What varies in a document.
struct Read<'a> {
    document: &'a Document,
    columns: Columns<'a>,
}

type Columns<'a> = BTreeMap<&'a str, Column<'a>>;

/// What stands in a document in the places of one name.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Column<'a> {
    One(&'a str),
    Many(Vec<&'a str>),
}

impl Column<'_> {
    fn len(&self) -> usize {
        match self {
            Column::One(_) => 1,
            Column::Many(values) => values.len(),
        }
    }
}

fn columns<'a>(text: &'a str, values: &[Value<'a>]) -> Columns<'a> {
    let mut columns: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Value { column, bytes } in values {
        columns.entry(column).or_default().push(&text[bytes.clone()]);
    }
    let column = |values: Vec<&'a str>| match *values {
        [value] => Column::One(value),
        _ => Column::Many(values),
    };
    columns.into_iter().map(|(name, values)| (name, column(values))).collect()
}

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    source: &'a str,
    fields: &'a Columns<'a>,
}

impl Read<'_> {
    fn line(&self) -> String {
        let Document { id, source, .. } = self.document;
        let line = Line { id, source: source.as_str(), fields: &self.columns };
        // strings can always be written
        let mut line = serde_json::to_string(&line).unwrap_or_default();
        line.push('\n');
        line
    }
}
