//! `dehusk explain`: shows a document with marks on the text that would be removed, and why; or all matches of a
//! pattern.

mod marks;
mod one_pattern;
mod whole;

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use dehusk_core::cleaning::{CleanOptions, Cleaner};
use dehusk_corpus::{Document, HtmlView, Inventory};
use dehusk_run::clean::document::ignored_choices;
use dehusk_run::explain::Explanation;
use dehusk_run::explain::drawn::{Canvas, drawn};
use dehusk_run::{Library, suited};

use super::force::ForceArgs;
use super::one_document::{self, write_page};
use super::options::{PageMethodArgs, ReadingArgs, at_least};
use super::reporter::{Reporter, print};
use super::terminal::{ColorArgs, Screen};
use super::{Exit, Global};
use whole::Shown;

/// Options of `dehusk explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Document to show, or with --line the file that contains it
    ///
    /// Document to show. With --line, the file of many documents that contains it. With --pattern, also a corpus.
    document: PathBuf,
    /// Folder with the pattern files, or a single file
    #[arg(short, long, value_name = "PATTERNS", help_heading = "Input")]
    patterns: PathBuf,
    /// Line, record, value or row of the document in its file, from 1
    ///
    /// Line, record, value or row of the document in its file, from 1. The first row of CSV names the columns.
    #[arg(long, value_name = "N", value_parser = at_least(1_u64), help_heading = "Input")]
    line: Option<u64>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// File for the HTML page with marks drawn on it; `-` for stdout
    ///
    /// File for a page that looks like the HTML document in a browser, with marks drawn on what would be removed, and
    /// why, and on what is kept; `-` for stdout. Its scripts do not run.
    #[arg(short, long, value_name = "FILE", help_heading = "Output", display_order = 0, conflicts_with = "pattern")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
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
    #[command(flatten)]
    color: ColorArgs,
    #[command(flatten)]
    method: PageMethodArgs,
}

/// Runs the command.
pub fn run(args: &ExplainArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let library = Library::load(&args.patterns)?;
    match &args.pattern {
        Some(id) => one_pattern::explain(id, args, &library, reporter),
        None => explain_document(args, &library, global, reporter),
    }
}

fn explain_document(
    args: &ExplainArgs,
    library: &Library,
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<Exit> {
    let document = args.read()?;
    let source = document.source.as_str();
    if !library.contains(source) {
        let remedy = if args.reading.source.is_none() { "; name another source with --source" } else { "" };
        reporter.warn(&format!("{}{remedy}", library.lacks(source)));
    }
    let files = library.for_source(source);
    let files = files.files();
    let cleaner = Cleaner::new(&files, &args.cleaning()?);
    let shown = Shown { files: &files, cleaner: &cleaner, regex: args.regex, screen: Screen::of_stdout(args.color) };
    let explanation = match (&args.output, document.tree.as_deref()) {
        (Some(output), _) => draw(args, output, &document, &shown, global, reporter)?,
        (None, Some(tree)) => tell(&document, &shown, Explanation::of_page(&document.text, tree, &cleaner)?)?,
        (None, None) => tell(&document, &shown, Explanation::of(&document.text, &cleaner)?)?,
    };
    if explanation.ignores_choices {
        reporter.warn(&ignored_choices());
    }
    if explanation.is_emptied {
        reporter.warn("no text of this document would be left");
    }
    Ok(Exit::Done)
}

/// Prints the text of the document with its marks.
fn tell<'t>(document: &'t Document, shown: &Shown, explanation: Explanation<'t>) -> anyhow::Result<Explanation<'t>> {
    print(&shown.told(&document.text, &explanation))?;
    Ok(explanation)
}

/// Writes the page with its marks.
fn draw<'t>(
    args: &ExplainArgs,
    output: &Path,
    document: &'t Document,
    shown: &Shown,
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<Explanation<'t>> {
    let canvas = args.canvas(document)?;
    let (html, explanation) = drawn(&canvas, shown.cleaner, |pattern| shown.words(pattern), &|| true)?;
    write_page(output, &html, args.force, global, reporter)?;
    Ok(explanation)
}

impl ExplainArgs {
    /// The page to draw on. Fails if the document was not read as an HTML page.
    fn canvas<'t>(&self, document: &'t Document) -> anyhow::Result<Canvas<'t>> {
        let Some(page) = &document.page else {
            let remedy = match self.reading.options().html {
                HtmlView::Markup => "leave out --html markup",
                _ => "leave out --output to see its text with marks",
            };
            bail!("{} was not read as an HTML page, so marks cannot be drawn on it; {remedy}", self.document.display());
        };
        Ok(Canvas { page, text: &document.text, address: document.url.as_deref() })
    }

    fn cleaning(&self) -> anyhow::Result<CleanOptions> {
        Ok(suited(self.method.options()?, self.reading.options().html))
    }

    /// Reads the document to show.
    fn read(&self) -> anyhow::Result<Document> {
        let inventory = self.scan()?;
        let [file] = inventory.files() else {
            bail!("{} is a folder; name a document in it, or a pattern with --pattern", self.document.display());
        };
        one_document::read(&inventory, file, self.line)
    }

    fn scan(&self) -> anyhow::Result<Inventory> {
        let options = self.reading.options().tree(true);
        let inventory = Inventory::scan(std::slice::from_ref(&self.document), &options)?;
        Ok(if self.output.is_some() { inventory.with_pages() } else { inventory })
    }
}
