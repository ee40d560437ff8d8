//! `dehusk stream`: documents in the order they come in, each cleaned by what those before it told; lines of JSON out.

mod arrivals;
mod held;
mod output;
mod tables;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use dehusk::pipeline::suited;
use rayon::prelude::*;

use dehusk::corpus::{Document, InputFile, Inventory, OutputFile, ReadOptions, SourceId, refuse_among};
use dehusk::patterns::{LexerCache, Trust};
use dehusk::streaming::evidence::Known;

use super::corpus_paths::{CorpusPaths, ListArgs, tell_of_terminal};
use super::options::{DocumentArgs, LexerArgs, ReadingArgs, SummaryArgs};
use super::progress::Steps;
use super::reporter::Reporter;
use super::summary::{Cleaned, Summary};
use super::{Exit, Global, interrupt, state};
use arrivals::{Arrival, Arrivals, Arrived, Arriving};
use dehusk::pipeline::Library;
use dehusk::pipeline::clean::cleaners::{Bench, Cleaners};
use dehusk::pipeline::clean::document::{DocumentCleaner, Form};
use dehusk::pipeline::combine::tell_of_doubt;
use dehusk::pipeline::reading::size_of;
use output::{LineFile, Output};
pub use tables::TableArgs;
use tables::Tables;

/// Options of `dehusk stream`.
#[derive(Args, Debug)]
pub struct StreamCommand {
    /// Files with many documents, single documents, folders or quoted globs, taken one after another; or stdin (-), which is
    /// JSONL or WARC
    #[arg(value_name = "INPUT")]
    input: Vec<PathBuf>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    /// File that keeps what was learned; made if there is none. A run that is given the same input again goes on where the
    /// last one stopped
    #[arg(short, long, value_name = "FILE")]
    state: PathBuf,
    /// JSONL file for the cleaned documents, which later runs add to; `-` writes to stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Folder with pattern files, or one file, whose matches count beside what was learned
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: Option<PathBuf>,
    /// Learn only; write no documents
    #[arg(long, conflicts_with = "out", help_heading = "Learning")]
    learn_only: bool,
    /// Clean by what was learned before; learn nothing, and leave the state as it is
    #[arg(long, conflicts_with = "learn_only", help_heading = "Learning")]
    no_learn: bool,
    /// What comes from stdin is this feed from its beginning: leave out what earlier runs took of it
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new(), conflicts_with = "no_learn",
        help_heading = "Learning")]
    feed: Option<String>,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    lexer: LexerArgs,
    #[command(flatten)]
    documents: DocumentArgs,
    /// Stop if more documents than this cannot be read or cleaned
    #[arg(long, value_name = "N", help_heading = "Long runs")]
    max_errors: Option<usize>,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Runs the command.
pub fn run(args: &StreamCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let cache = LexerCache::default();
    let library = match &args.patterns {
        Some(path) => summary.time("load patterns", || Library::load_with(path, &cache))?,
        None => Library::default(),
    };
    let options = args.reading.options().outline(true);
    let inventories = scan(args, &options, reporter)?;
    args.refuse_output_in(&inventories)?;
    let mut tables = Tables::open(&args.state, &args.table, &args.lexer, !args.no_learn, &cache)?;
    let output = args.output(&mut tables, reporter)?;
    if let Some(allowed) = args.max_errors {
        reporter.set_max_errors(allowed, false);
    }
    let cleaners = Cleaners::new(&library, suited(args.documents.method.options(), options.html), reporter);
    let cleaners = cleaners.reading_by(tables.reader().clone());
    let cleaning = args.documents.options(global);
    let documents = &DocumentCleaner::new(cleaners, &cleaning, false, reporter);
    let mut stream = Stream { args, documents, tables, output, reporter, counts: BTreeMap::new() };
    reporter.start("streaming", Steps::bytes(size_of_all(&inventories)));
    let streamed = summary.time("stream", || inventories.iter().try_for_each(|inventory| stream.take_all(inventory)));
    reporter.finish();
    streamed?;
    stream.summarise(&mut summary)?;
    if summary.documents == 0 && summary.skipped == 0 {
        reporter.note("there is nothing new in the input: earlier runs with this state took all of it");
    }
    match args.out == Path::new("-") && !args.learn_only {
        true => summary.print_beside(args.summary.json, global.quiet)?,
        false => summary.print(args.summary.json, global.quiet)?,
    }
    Ok(reporter.exit())
}

/// The files of each path, in the order of the paths: what comes first teaches what comes later.
fn scan(args: &StreamCommand, options: &ReadOptions, reporter: &Reporter) -> anyhow::Result<Vec<Inventory>> {
    let mut input = args.input.clone();
    if input.is_empty() && args.list.files_from.is_none() {
        input.push(InputFile::STDIN.into());
    }
    tell_of_terminal(&input, &args.list, reporter);
    let inventories = CorpusPaths::read(&input, &args.list)?.scan_each(options)?;
    for inventory in &inventories {
        inventory.skipped().iter().for_each(|skipped| reporter.skip(&skipped.to_string()));
    }
    Ok(inventories)
}

/// `None` if it cannot be told.
fn size_of_all(inventories: &[Inventory]) -> Option<u64> {
    let files = inventories.iter().flat_map(Inventory::files);
    files.map(size_of).sum()
}

impl StreamCommand {
    /// An output or a state among the input would be taken for input by the next run.
    fn refuse_output_in(&self, inventories: &[Inventory]) -> anyhow::Result<()> {
        let inputs: Vec<PathBuf> = inventories.iter().flat_map(Inventory::inputs).collect();
        if !self.learn_only && self.out != Path::new("-") {
            OutputFile::create(&self.out, &inputs)?;
        }
        Ok(refuse_among(&self.state, &inputs)?)
    }

    /// Where lines go; if it is a file, the state knows it from now on.
    fn output(&self, tables: &mut Tables, reporter: &Reporter) -> anyhow::Result<Output> {
        let file = match &self.out {
            _ if self.learn_only => return Ok(Output::Nowhere),
            out if out == Path::new("-") => return Ok(Output::Stdout),
            out => LineFile::open(out, tables.written(out)?)?,
        };
        if file.cut > 0 {
            let (path, cut) = (self.out.display(), file.cut);
            reporter
                .warn(&format!("{path}: {cut} bytes at its end are of a run that was killed; they are written anew"));
        }
        let output = Output::File(file);
        tables.commit(&[], output.place())?;
        Ok(output)
    }

    /// What the state knows an input by; `None` if it does not know it.
    fn name_of(&self, path: &Path) -> Option<String> {
        match path == Path::new(InputFile::STDIN) {
            true => self.feed.clone().map(|feed| format!("feed {feed}")),
            false => fs::canonicalize(path).ok().map(|path| format!("file {}", path.display())),
        }
    }
}

/// A run.
struct Stream<'a> {
    args: &'a StreamCommand,
    documents: &'a DocumentCleaner<'a>,
    tables: Tables,
    output: Output,
    reporter: &'a Reporter,
    counts: BTreeMap<String, Cleaned>,
}

/// What became of a document.
#[derive(Default)]
struct Cleared {
    line: Vec<u8>,
    count: Option<(String, Cleaned)>,
    skipped: Option<String>,
}

impl Stream<'_> {
    fn take_all(&mut self, inventory: &Inventory) -> anyhow::Result<()> {
        let (documents, mutable) = (self.documents, Arc::clone(self.tables.reader().lexer.mutable()));
        let mut taken = HashMap::new();
        for file in inventory.files() {
            let name = self.args.name_of(&file.path());
            taken.insert(file.path(), name.map_or(Ok(None), |name| self.tables.taken(&name))?);
        }
        let taken = |file: &InputFile| taken.get(&file.path()).copied().flatten();
        let arriving = Arriving { documents, mutable: &mutable, taken: &taken };
        arriving.each(inventory, |arrivals| self.take(&arrivals))
    }

    /// Learns from some documents and cleans them; what is written is kept count of last.
    fn take(&mut self, arrivals: &Arrivals) -> anyhow::Result<()> {
        let _permission = interrupt::writing()?;
        let known = self.tables.arrive(&arrivals.arrived, &self.documents.cleaners)?;
        let cleared = self.clear(arrivals, &known);
        let mut lines = Vec::new();
        for Cleared { line, count, skipped } in cleared {
            lines.extend(line);
            if let Some((source, count)) = count {
                self.counts.entry(source).or_default().add(&count);
            }
            skipped.iter().for_each(|message| self.reporter.skip(message));
        }
        if let Some(message) = &arrivals.unfinished {
            self.reporter.warn(&format!("{message}; the line has no end yet, so it is left for the next run"));
        }
        self.reporter.check()?;
        self.output.write(&lines)?;
        let committed = self.tables.commit(&self.taken(arrivals), self.output.place());
        committed.inspect_err(|_| self.output.take_back(lines.len()))?;
        self.reporter.step(arrivals.bytes as usize);
        Ok(())
    }

    /// How far each file is taken now, by the name that the state knows it by.
    fn taken(&self, arrivals: &Arrivals) -> Vec<(String, u64)> {
        arrivals.taken().into_iter().filter_map(|(path, records)| Some((self.args.name_of(&path)?, records))).collect()
    }

    fn clear(&self, arrivals: &Arrivals, known: &[Known]) -> Vec<Cleared> {
        let one = |bench: &mut Bench, (index, arrived): (usize, &Arrived)| match arrived {
            Ok(None) => Cleared::default(),
            Ok(Some(arrival)) if self.args.learn_only => learned(&arrival.document),
            Ok(Some(arrival)) => self.cleaned(arrivals, index, arrival, &known[index], bench),
            Err(message) => skipped(message.clone()),
        };
        arrivals.arrived.par_iter().enumerate().map_init(Bench::default, |bench, item| one(bench, item)).collect()
    }

    fn cleaned(
        &self,
        arrivals: &Arrivals,
        index: usize,
        Arrival { document, reading, .. }: &Arrival,
        known: &Known,
        bench: &mut Bench,
    ) -> Cleared {
        let form = match self.args.documents.spans() {
            Some(unit) => Form::Spans(unit),
            None if arrivals.are_lines() => Form::InPlace,
            None => Form::Line,
        };
        let (source, _) = self.documents.cleaners.of(document.source.as_str(), bench);
        let cleaning = source.cleaner.cleaning_with(&document.text, reading, &known.recurring, known.trust.as_ref());
        let outcome = arrivals
            .with_place(index, |place| self.documents.outcome(document, place, form, source, reading, cleaning));
        match arrivals.line(index, document, outcome.written) {
            Ok(line) => Cleared { line, count: Some((outcome.source, outcome.count)), skipped: None },
            Err(reason) => skipped(reason.to_string()),
        }
    }

    fn summarise(&self, summary: &mut Summary) -> anyhow::Result<()> {
        let mut total = Cleaned::default();
        for (source, cleaned) in &self.counts {
            total.add(cleaned);
            let summary = summary.sources.entry(source.clone()).or_default();
            summary.cleaned = Some(cleaned.clone());
            let (learned, trust) = self.tables.learned(&SourceId::parse(source)?)?;
            summary.doubt = trust.as_ref().and_then(Trust::doubt);
            tell_of_doubt(source, trust.as_ref(), self.reporter);
            state::warn_of_change(source, learned.change, self.reporter);
            summary.learned = Some(learned);
        }
        summary.documents = total.documents;
        summary.cleaned = Some(total);
        summary.skipped = self.reporter.skipped();
        Ok(())
    }
}

/// A document of which nothing is written.
fn learned(document: &Document) -> Cleared {
    let bytes = document.text.len() as u64;
    let count = Cleaned { documents: 1, bytes_in: bytes, bytes_out: bytes, ..Cleaned::default() };
    Cleared { count: Some((document.source.as_str().to_owned(), count)), ..Cleared::default() }
}

fn skipped(message: String) -> Cleared {
    Cleared { skipped: Some(message), ..Cleared::default() }
}
