//! `dehusk explain`: shows a document with marks on what would be removed, and why; or all that a pattern matches.

mod marks;
mod one_pattern;
mod whole;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use dehusk::cleaning::{CleanOptions, Cleaner};
use dehusk::corpus::{Content, Document, Inventory, Records};
use dehusk::explain::Explanation;
use dehusk::pipeline::{Library, suited};

use super::Exit;
use super::options::{MethodArgs, ReadingArgs};
use super::reporter::{Reporter, print};
use super::terminal::{ColorArgs, Screen};
use whole::Shown;

/// Options of `dehusk explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Document to show, or with --line the file that contains it
    ///
    /// Document to show. With --line, the JSONL file that contains it. With --pattern, also a corpus.
    document: PathBuf,
    /// Folder with the pattern files, or a single file
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// Show all matches of the pattern with this id
    ///
    /// Show all matches of the pattern with this id, whatever its status, and what is removed of them.
    #[arg(long, value_name = "ID")]
    pattern: Option<String>,
    /// Number of lines to show around each match
    ///
    /// Number of lines to show around each match of --pattern. Blank lines are not counted.
    #[arg(long, value_name = "LINES", default_value_t = 1, requires = "pattern")]
    context: usize,
    /// Show the regexes of patterns instead of their words
    #[arg(long, conflicts_with = "pattern")]
    regex: bool,
    /// Line of the document in a JSONL file, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    line: Option<u64>,
    /// Source of the document, if it is not the name of its folder
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    #[command(flatten)]
    color: ColorArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    method: MethodArgs,
}

/// Runs the command.
pub fn run(args: &ExplainArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    let library = Library::load(&args.patterns)?;
    match &args.pattern {
        Some(id) => one_pattern::explain(id, args, &library, reporter),
        None => explain_document(args, &library, reporter),
    }
}

fn explain_document(args: &ExplainArgs, library: &Library, reporter: &Reporter) -> anyhow::Result<Exit> {
    let document = read(args)?;
    let source = args.source_of(&document);
    if library.get(source).is_none() {
        let remedy = if args.source.is_none() { "; name another source with --source" } else { "" };
        reporter.warn(&format!("there is no pattern file for source '{source}'{remedy}"));
    }
    let files = library.for_source(source);
    let cleaner = Cleaner::new(&files, &args.cleaning()?);
    let explanation = match document.tree.as_deref() {
        Some(tree) => Explanation::of_page(&document.text, tree, &cleaner)?,
        None => Explanation::of(&document.text, &cleaner)?,
    };
    let shown = Shown { files: &files, cleaner: &cleaner, regex: args.regex, screen: Screen::of_stdout(args.color) };
    print(&shown.told(&document.text, &explanation))?;
    if explanation.is_emptied {
        reporter.warn("no text of this document would be left");
    }
    Ok(Exit::Done)
}

impl ExplainArgs {
    fn cleaning(&self) -> anyhow::Result<CleanOptions> {
        Ok(suited(self.method.options()?, self.reading.options().html))
    }

    fn source_of<'a>(&'a self, document: &'a Document) -> &'a str {
        self.source.as_deref().unwrap_or(document.source.as_str())
    }

    fn scan(&self) -> anyhow::Result<Inventory> {
        Ok(Inventory::scan(std::slice::from_ref(&self.document), &self.reading.options().tree(true))?)
    }
}

/// Reads the document to show.
fn read(args: &ExplainArgs) -> anyhow::Result<Document> {
    let inventory = args.scan()?;
    let [file] = inventory.files() else {
        bail!("{} is a folder; name a document in it, or a pattern with --pattern", args.document.display());
    };
    match (inventory.open(file)?, args.line) {
        (Content::Document(document, _), None) => Ok(*document),
        (Content::Document(..), Some(_)) => bail!("--line is for files with many documents"),
        (Content::Records(_), None) => {
            bail!("{} has many documents; choose one with --line", args.document.display())
        }
        (Content::Records(records), Some(number)) => {
            let document = record(records, number)?;
            let document = document.with_context(|| format!("{} has no line {number}", args.document.display()))?;
            document.with_context(|| format!("line {number} has no document"))
        }
    }
}

/// The document in the record with this number, from 1. The outer option is empty if there is no such record, the inner one
/// if the record has no document.
fn record(mut records: Records, number: u64) -> anyhow::Result<Option<Option<Document>>> {
    while let Some(batch) = records.next_batch() {
        let batch = batch?;
        let index = number.checked_sub(batch.number(0)).and_then(|index| usize::try_from(index).ok());
        if let Some(index) = index.filter(|&index| index < batch.len()) {
            return Ok(Some(batch.document(index)?));
        }
    }
    Ok(None)
}
