//! Cleans streams: documents are cleaned in the order in which they arrive, with what earlier documents taught.
//!
//! Takes files, a state, and pattern files if there are any. Writes a line of JSON for each document, and counts what
//! is removed. The state stores what was learned, how far each input was read, and the length of the output, in one
//! commit for each batch of documents. So a stopped run continues at the same place, and no document counts twice.

mod arrivals;
mod held;
mod options;
mod output;
mod states;
mod tables;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::mem;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::clean::Cleaned;
use crate::clean::cleaners::{Cleaners, CleaningScratch};
use crate::clean::document::{DocumentCleaner, Form};
use crate::error::Result;
use crate::left_out::LeftOut;
use crate::library::Library;
use crate::observer::{Observer, Steps, WarningKind};
use crate::reading::size_of;
use crate::{suited, timed};
use arrivals::{Arrival, Arrivals, Arrived, Arriving};
use dehusk_core::cleaning::CleanOptions;
use dehusk_core::patterns::Loose;
use dehusk_core::streaming::block_rule::template_blocks;
use dehusk_core::streaming::drift::Change;
use dehusk_core::streaming::evidence::StreamEvidence;
use dehusk_core::streaming::table::Progress;
use dehusk_corpus::memory::Need;
use dehusk_corpus::{Document, HtmlView, InputFile, Inventory, OutputFile, Reads, SourceId};
pub use options::{HELD_SEGMENTS, MAX_SEGMENTS, StreamMethod, StreamOptions, StreamTarget, TableChanges};
use output::{LineFile, Output};
pub use states::{merge_states, open_state, source_named};
use tables::Tables;

/// The result for a source.
#[derive(Clone, Debug)]
pub struct StreamedSource {
    /// The documents that this run cleaned or learned from.
    pub cleaned: Cleaned,
    /// The progress of the source, over all runs.
    pub progress: Progress,
    /// Number of segments that are remembered.
    pub segments: usize,
    /// Number of them in enough documents to be boilerplate.
    pub templates: usize,
}

/// Takes the files of several inventories in order, learns from their documents, and cleans each. The inventories
/// should be read with [`ReadOptions::tree`](dehusk_corpus::ReadOptions::tree), which cuts pages into segments and
/// gives their structure. The state is created if it does not exist.
///
/// # Errors
/// If an output would overwrite something else, the state cannot be used, nothing can be written, or the observer stops
/// the run. The documents of earlier batches stay learned and written.
pub fn stream_corpus(
    inventories: &[Inventory],
    library: &Library,
    state: &Path,
    target: &StreamTarget,
    options: &StreamOptions,
    observer: &dyn Observer,
) -> Result<BTreeMap<String, StreamedSource>> {
    let others = library.reads().and(&options.documents.reads);
    let reads = inventories.iter().fold(others, |reads, inventory| reads.and(&inventory.reads()));
    refuse_outputs(&reads, state, target)?;

    let mut tables = Tables::open(state, options, library.lexers())?;
    let output = open_output(target, &reads.files([state]), &mut tables, options)?;

    let html = inventories.first().map_or_else(HtmlView::default, |inventory| inventory.options().html);
    // A stream needs no patterns, so the cleaners do not warn of sources without patterns.
    let cleaners = Cleaners::new(library, suited(cleaning_options(options), html), &[], observer);
    let cleaners = cleaners.reading_by(tables.reader().clone());
    let documents = &DocumentCleaner::new(cleaners, &options.documents, html, false, observer);

    let mut stream = Stream { options, documents, tables, output, observer, counts: BTreeMap::new() };
    observer.start("streaming", Steps::Bytes(size_of_all(inventories)));
    let streamed =
        timed("stream", observer, || inventories.iter().try_for_each(|inventory| stream.take_all(inventory)));
    observer.finish();
    stream.close_output(streamed.is_ok())?;
    streamed?;
    stream.sources()
}

/// The options of the cleaners. The rule of whole blocks does not use the structure of pages, so pages are not judged
/// by their structure.
fn cleaning_options(options: &StreamOptions) -> CleanOptions {
    let cleaning = options.documents.cleaning.clone();
    match options.method {
        StreamMethod::Weighed => cleaning,
        StreamMethod::WholeBlocks => cleaning.structure(None),
    }
}

/// Warns if a source has changed.
pub fn tell_of_change(source: &str, change: Option<Change>, observer: &dyn Observer) {
    if let Some(change) = change {
        let message = format!("source '{source}' {}; mine its patterns again", change.in_words());
        observer.warn(WarningKind::Rare, &message);
    }
}

/// Refuses an output or a state that would replace a file that the run reads, or that the next run would read as input.
fn refuse_outputs(reads: &Reads, state: &Path, target: &StreamTarget) -> Result<()> {
    if let StreamTarget::File(path) = target {
        OutputFile::create(path, reads)?;
    }
    Ok(reads.refuse(state)?)
}

/// Opens the output for lines. If it is a file, the state notes it.
fn open_output(target: &StreamTarget, reads: &Reads, tables: &mut Tables, options: &StreamOptions) -> Result<Output> {
    let path = match target {
        StreamTarget::Nowhere => return Ok(Output::Nowhere),
        StreamTarget::Stdout => return Ok(Output::Stdout),
        StreamTarget::File(path) => path,
    };
    let output = Output::File(LineFile::open(path, tables.written(path)?, reads)?);
    tables.commit(&[], output.place().filter(|_| options.notes_inputs))?;
    Ok(output)
}

/// The size of all files in bytes. `None` if it is unknown.
fn size_of_all(inventories: &[Inventory]) -> Option<u64> {
    let files = inventories.iter().flat_map(Inventory::files);
    files.map(size_of).sum()
}

/// A run of `dehusk stream`: cleans the documents of all inputs, and writes lines and what was learned.
struct Stream<'a> {
    options: &'a StreamOptions,
    documents: &'a DocumentCleaner<'a>,
    tables: Tables,
    output: Output,
    observer: &'a dyn Observer,
    counts: BTreeMap<SourceId, Cleaned>,
}

/// The result for a document: its line in the output with its source and counts, or why it was skipped.
#[derive(Default)]
struct Cleared {
    line: Vec<u8>,
    count: Option<(SourceId, Cleaned)>,
    skipped: Option<LeftOut>,
}

impl Stream<'_> {
    fn take_all(&mut self, inventory: &Inventory) -> Result<()> {
        let (documents, mutable) = (self.documents, Arc::clone(self.tables.reader().lexer.mutable()));
        let mut taken = HashMap::new();
        for file in inventory.files() {
            let name = self.name_of(&file.path());
            taken.insert(file.path(), name.map_or(Ok(None), |name| self.tables.taken(&name))?);
        }
        let taken = |file: &InputFile| taken.get(&file.path()).copied().flatten();
        let arriving = Arriving { documents, observer: self.observer, mutable: &mutable, taken: &taken };
        let is_judged = cleaning_options(self.options).uses_structure(Loose::Proposed);
        let need = if is_judged { Need::TO_STREAM_JUDGED } else { Need::TO_STREAM };
        arriving.each(&inventory.with_need(need), |arrivals| self.take(arrivals))
    }

    /// Learns from documents and cleans them. Writes their lines, then stores in the state what was learned and how
    /// long the output is.
    fn take(&mut self, mut arrivals: Arrivals) -> Result<()> {
        let _permission = self.observer.writing()?;
        let arrived = mem::take(&mut arrivals.arrived);
        let known = self.tables.arrive(&arrived, &self.documents.cleaners)?;
        let mut lines = Vec::new();
        for Cleared { line, count, skipped } in self.clear(&arrivals, arrived, &known) {
            lines.extend(line);
            if let Some((source, count)) = count {
                self.counts.entry(source).or_default().add(&count);
            }
            skipped.iter().for_each(|left_out| left_out.tell(self.observer));
        }
        if let Some(left_out) = &arrivals.unfinished {
            let message = format!("{left_out}; the line has no end yet, so it is left for the next run");
            self.observer.warn(WarningKind::Rare, &message);
        }

        self.observer.go_on()?;
        self.output.write(&lines, self.observer)?;
        let place = self.output.place().filter(|_| self.options.notes_inputs);
        let committed = self.tables.commit(&self.taken(&arrivals), place);
        committed.inspect_err(|_| self.output.take_back(lines.len()))?;
        self.observer.step(arrivals.bytes);
        Ok(())
    }

    /// Notes in the state that the output ends here. `is_told` is false after another error: then an error here is not
    /// reported, and text behind the last line is left for the next run.
    fn close_output(&mut self, is_told: bool) -> Result<()> {
        if is_told {
            self.output.end(self.observer)?;
        }
        let place = self.output.last_place().filter(|_| self.options.notes_inputs);
        let closed = place.map_or(Ok(()), |(path, written)| self.tables.close(path, written));
        closed.or_else(|error| if is_told { Err(error) } else { Ok(()) })
    }

    /// How far each file is read now, by its name in the state.
    fn taken(&self, arrivals: &Arrivals) -> Vec<(String, u64)> {
        arrivals.taken().into_iter().filter_map(|(path, records)| Some((self.name_of(&path)?, records))).collect()
    }

    /// The name of an input in the state. `None` if the state does not store it.
    fn name_of(&self, path: &Path) -> Option<String> {
        if !self.options.notes_inputs {
            return None;
        }
        match path == Path::new(InputFile::STDIN) {
            true => self.options.feed.as_ref().map(|feed| format!("feed {feed}")),
            false => fs::canonicalize(path).ok().map(|path| format!("file {}", path.display())),
        }
    }

    /// Cleans documents. Each document is dropped as soon as it is cleaned.
    fn clear(&self, arrivals: &Arrivals, arrived: Vec<Arrived>, known: &[StreamEvidence]) -> Vec<Cleared> {
        let one = |scratch: &mut CleaningScratch, (index, arrived): (usize, Arrived)| match arrived {
            Ok(None) => Cleared::default(),
            Ok(Some(arrival)) if matches!(self.output, Output::Nowhere) => learned(arrival.document),
            Ok(Some(arrival)) => self.cleaned(arrivals, index, *arrival, &known[index], scratch),
            Err(left_out) => skipped(left_out),
        };
        arrived
            .into_par_iter()
            .enumerate()
            .map_init(CleaningScratch::default, |scratch, item| one(scratch, item))
            .collect()
    }

    fn cleaned(
        &self,
        arrivals: &Arrivals,
        index: usize,
        Arrival { document, reading, segments }: Arrival,
        known: &StreamEvidence,
        scratch: &mut CleaningScratch,
    ) -> Cleared {
        let form = match self.options.documents.spans {
            Some(unit) => Form::Spans(unit),
            None if arrivals.are_lines() => Form::InPlace,
            None => Form::Line,
        };
        let (source, _) = self.documents.cleaners.of(document.source.as_str(), false, scratch);
        // Learning needs no blocks of pages. So the blocks are in memory only while the page is cleaned.
        let reading = source.cleaner.read_tree(reading, &document.text, document.tree.as_deref());
        let cleaning = match self.options.method {
            StreamMethod::Weighed => source.cleaner.explain_with(&document.text, &reading, &known.recurring),
            StreamMethod::WholeBlocks => {
                let tree = document.tree.as_deref();
                let detection = &self.tables.options().detection;
                let going = template_blocks(&document.text, &reading.tokens, tree, &segments, &known.counts, detection);
                source.cleaner.explain_by(&reading, &going)
            }
        };
        let outcome = arrivals
            .with_place(index, |place| self.documents.outcome(&document, place, form, source, &reading, cleaning));
        match arrivals.line(index, &document, outcome.written) {
            Ok(line) => Cleared { line, count: Some((document.source, outcome.count)), skipped: None },
            Err(reason) => skipped(reason.into()),
        }
    }

    /// The result for each source, by name. Warns of changes.
    fn sources(self) -> Result<BTreeMap<String, StreamedSource>> {
        let mut sources = BTreeMap::new();
        for (source, cleaned) in self.counts {
            let streamed = self.tables.look(&source, |table, options| {
                let (segments, templates) = table.remembered(options);
                StreamedSource { cleaned, progress: table.progress().clone(), segments, templates }
            })?;
            tell_of_change(source.as_str(), streamed.progress.drift(), self.observer);
            sources.insert(source.as_str().to_owned(), streamed);
        }
        Ok(sources)
    }
}

/// The result for a document that gives no output.
fn learned(document: Document) -> Cleared {
    let bytes = document.text.len() as u64;
    let count = Cleaned { documents: 1, bytes_in: bytes, bytes_out: bytes, ..Cleaned::default() };
    Cleared { count: Some((document.source, count)), ..Cleared::default() }
}

fn skipped(left_out: LeftOut) -> Cleared {
    Cleared { skipped: Some(left_out), ..Cleared::default() }
}
