//! `dehusk explain`: one document with what would go marked, and why.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use dehusk::cleaning::cut::is_emptied;
use dehusk::cleaning::{Cleaner, Cleaning, Scratch};
use dehusk::corpus::{Content, Document, Inventory};

use super::Exit;
use super::library::Library;
use super::options::{MethodArgs, ReadingArgs, suited};
use super::reporter::{Reporter, print};

/// Options of `dehusk explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// The document; with --line, the JSONL file it is in
    document: PathBuf,
    /// Folder with the pattern files, or one file
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// The line of a JSONL file, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    line: Option<u64>,
    /// The document's source, if the folder it lies in does not say
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    method: MethodArgs,
}

/// Runs the command.
pub fn run(args: &ExplainArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    let library = Library::load(&args.patterns, reporter)?;
    let document = read(args)?;
    let source = args.source.as_deref().unwrap_or(document.source.as_str());
    if library.get(source).is_none() {
        let remedy = if args.source.is_none() { "; --source names another" } else { "" };
        reporter.warn(&format!("there is no pattern file for source '{source}'{remedy}"));
    }
    let cleaner =
        Cleaner::new(&library.for_source(source), &suited(args.method.options(), args.reading.options().html));
    let cleaning = cleaner.clean(&mut Scratch::default(), &document.text)?;
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let marks = if colour { &COLOURED } else { &PLAIN };
    print(&marked(&document.text, &cleaning, &cleaner, marks))?;
    print(&legend(&document.text, &cleaning, &cleaner))?;
    if is_emptied(&document.text, &cleaning.strip(&document.text)) {
        reporter.warn("nothing of this document would be left");
    }
    Ok(Exit::Done)
}

fn read(args: &ExplainArgs) -> anyhow::Result<Document> {
    let inventory = Inventory::scan(std::slice::from_ref(&args.document), &args.reading.options())?;
    let [file] = inventory.files() else {
        bail!("{} is a folder; name one document in it", args.document.display());
    };
    match (inventory.open(file)?, args.line) {
        (Content::Document(document), None) => Ok(document),
        (Content::Document(_), Some(_)) => bail!("--line is for JSONL files"),
        (Content::Lines(_), None) => {
            bail!("{} has a document per line; say which with --line", args.document.display())
        }
        (Content::Lines(lines), Some(number)) => {
            let line = lines.lines().find(|line| line.number == number);
            let line = line.with_context(|| format!("{} has no line {number}", args.document.display()))?;
            lines.parse(&line)?.with_context(|| format!("line {number} is blank"))
        }
    }
}

/// What stands for an id where no pattern matches.
const BY_SHAPE: &str = "shape";

/// What stands before and after removed text, before and after an id.
struct Marks {
    removed: [&'static str; 2],
    id: [&'static str; 2],
}

const PLAIN: Marks = Marks { removed: ["[-", "-]"], id: ["{", "}"] };
const COLOURED: Marks = Marks { removed: ["\x1b[9;31m", "\x1b[0m"], id: ["\x1b[2m{", "}\x1b[0m"] };

/// The text, each removed span marked and followed by the ids of the patterns that explain it. A mark never
/// runs over a line's end.
fn marked(text: &str, cleaning: &Cleaning, cleaner: &Cleaner, marks: &Marks) -> String {
    let mut marked = String::new();
    let mut at = 0;
    for span in &cleaning.spans {
        marked.push_str(&text[at..span.range.start]);
        let removed = &text[span.range.clone()];
        let mut line_start = span.range.start;
        for line in removed.split_inclusive('\n') {
            let content = line.trim_end();
            let range = line_start..line_start + content.len();
            if !content.trim().is_empty() {
                let indentation = content.len() - content.trim_start().len();
                marked.extend([&content[..indentation], marks.removed[0], content.trim_start(), marks.removed[1]]);
                let mut ids: Vec<&str> = Vec::new();
                for (part, pattern) in &span.because {
                    let id = cleaner.patterns()[*pattern].id.as_str();
                    if part.start < range.end && range.start < part.end && !ids.contains(&id) {
                        ids.push(id);
                    }
                }
                if ids.is_empty() {
                    ids.push(BY_SHAPE);
                }
                marked.extend([marks.id[0], &ids.join(" "), marks.id[1]]);
            }
            marked.push_str(&line[content.len()..]);
            line_start += line.len();
        }
        at = span.range.end;
    }
    marked.push_str(&text[at..]);
    if !marked.ends_with('\n') {
        marked.push('\n');
    }
    marked
}

/// The patterns that acted, by how much of the removed text they explain.
fn legend(text: &str, cleaning: &Cleaning, cleaner: &Cleaner) -> String {
    let mut bytes: BTreeMap<usize, usize> = BTreeMap::new();
    for (range, pattern) in cleaning.spans.iter().flat_map(|span| &span.because) {
        *bytes.entry(*pattern).or_default() += range.len();
    }
    let mut ranked: Vec<(usize, usize)> = bytes.into_iter().collect();
    ranked.sort_by_key(|&(pattern, bytes)| (std::cmp::Reverse(bytes), pattern));
    let removed = text.len() - cleaning.strip(text).len();
    let mut legend = format!("---\n{removed} of {} bytes would be removed", text.len());
    let spans = cleaning.spans.iter().map(|span| span.range.len()).sum::<usize>();
    let explained = ranked.iter().map(|&(_, bytes)| bytes).sum::<usize>();
    legend += if spans == 0 { "\n" } else { ", by these patterns:\n" };
    for (index, bytes) in ranked {
        let pattern = &cleaner.patterns()[index];
        let share = 100.0 * pattern.share();
        legend += &format!(
            "{}  {bytes:>5} bytes  in {share:>5.1} % of documents  {}  {}\n",
            pattern.id,
            pattern.status.name(),
            pattern.regex
        );
    }
    if explained < spans {
        legend += &format!("{BY_SHAPE:8}  {:>5} bytes  amid or like what these match\n", spans - explained);
    }
    legend
}
