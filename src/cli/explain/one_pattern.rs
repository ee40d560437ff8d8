//! `dehusk explain --pattern`: shows all matches of a pattern in a document or a corpus, and how much of them is
//! removed.

use anyhow::bail;

use dehusk_core::patterns::{Pattern, PatternFile, Status};
use dehusk_corpus::{Document, FileKind};
use dehusk_run::explain::NO_PATTERN;
use dehusk_run::explain::excerpts::{Content, Excerpt, Line};
use dehusk_run::explain::lens::{Fate, Lens, Tally};
use dehusk_run::reading::visit_documents;
use dehusk_run::{Library, PatternSearch};

use super::ExplainArgs;
use std::sync::Arc;

use crate::cli::Exit;
use crate::cli::reporter::{Reporter, print};
use crate::cli::summary::count;
use crate::cli::terminal::{Screen, Style};

/// Maximum number of ids to suggest after a typing error.
const IDS_SUGGESTED: usize = 3;

/// Runs the command.
pub fn explain(id: &str, args: &ExplainArgs, library: &Library, reporter: &Reporter) -> anyhow::Result<Exit> {
    if !library.files().any(|file| has(&file, id)) {
        bail!(unknown(id, library));
    }
    let screen = Screen::of_stdout(args.color);
    let mut search = PatternSearch::new(id, library, args.cleaning()?, args.context);
    if args.is_one_document() {
        let document = args.read()?;
        let excerpts = search.look_at(&[(&document.id, document.source.as_str(), &document)], reporter);
        print(&excerpts.iter().map(|excerpts| screen.excerpts("", excerpts)).collect::<String>())?;
    } else {
        visit_documents(&args.scan()?, reporter, |documents| look_at(&mut search, &documents, screen, reporter))?;
    }
    if search.lenses().is_empty() && reporter.skipped() == 0 {
        bail!(elsewhere(id, library, &search));
    }
    print(&Totals { id, screen, only_accepted: args.cleaning()?.only_accepted }.told(&search))?;
    Ok(reporter.exit())
}

/// Prints the matches in some documents, with the name of each document.
fn look_at(
    search: &mut PatternSearch,
    documents: &[(String, Document)],
    screen: Screen,
    reporter: &Reporter,
) -> anyhow::Result<()> {
    let named: Vec<(&str, &str, &Document)> =
        documents.iter().map(|(name, document)| (name.as_str(), document.source.as_str(), document)).collect();
    for ((name, ..), excerpts) in named.iter().zip(search.look_at(&named, reporter)) {
        print(&screen.excerpts(&(screen.on_one_line(name) + "\n"), &excerpts))?;
    }
    Ok(())
}

impl ExplainArgs {
    fn is_one_document(&self) -> bool {
        let has_many = || FileKind::of(&self.document).is_some_and(FileKind::holds_many);
        self.line.is_some() || !(self.document.is_dir() || has_many())
    }
}

fn has(file: &PatternFile, id: &str) -> bool {
    file.all().any(|pattern| pattern.id == id)
}

/// The error that there is no pattern with this id. It suggests similar ids.
fn unknown(id: &str, library: &Library) -> String {
    let is_start = |other: &str| id.len() >= IDS_SUGGESTED && other.starts_with(id);
    let mistakes = |other: &str| if is_start(other) { 0 } else { dehusk_corpus::mistakes(id, other) };
    let ids = |file: Arc<PatternFile>| file.all().map(|pattern| pattern.id.clone()).collect::<Vec<String>>();
    let ids = library.files().flat_map(ids);
    let mut near: Vec<(usize, String)> = ids.map(|other| (mistakes(&other), other)).collect();
    near.retain(|(mistakes, _)| *mistakes <= 2.min(id.chars().count() / 2));
    near.sort_unstable();
    near.dedup();
    let near: Vec<String> = near.iter().take(IDS_SUGGESTED).map(|(_, id)| format!("'{id}'")).collect();
    let remedy = match near.is_empty() {
        true => "without --pattern, the ids of the patterns that act in a document are shown".to_owned(),
        false => format!("did you mean {}?", near.join(" or ")),
    };
    format!("no pattern file has a pattern '{id}'; {remedy}")
}

/// The error that the pattern is only in files of other sources, not of the sources of the documents.
fn elsewhere(id: &str, library: &Library, search: &PatternSearch) -> String {
    let files = library.files().filter(|file| has(file, id));
    let files: Vec<String> = files.map(|file| format!("{}.yaml", file.source)).collect();
    let sources: Vec<&str> = search.sources().collect();
    format!(
        "pattern '{id}' is in {}, and not in a file for source {}; use --source NAME to choose another source",
        files.join(", "),
        sources.join(", ")
    )
}

impl Screen {
    /// The matches in a document, each with the numbered lines around it, in the form of `grep`.
    fn excerpts(self, heading: &str, excerpts: &[Excerpt]) -> String {
        let line = |Line { number, content }: &Line| match content {
            Content::Around(text) => format!("{number:>5}- {}\n", self.harmless(text)),
            Content::Match { before, parts, after } => {
                let [before, after] = [before, after].map(|text| self.harmless(text));
                format!("{number:>5}: {before}{}{after}\n", self.marked(parts))
            }
        };
        let excerpts: Vec<String> = excerpts.iter().map(|lines| lines.iter().map(line).collect()).collect();
        if excerpts.is_empty() { String::new() } else { format!("{heading}{}\n", excerpts.join("\n")) }
    }
}

/// The summary of what was found.
struct Totals<'a> {
    id: &'a str,
    screen: Screen,
    only_accepted: bool,
}

impl Totals<'_> {
    fn told(&self, search: &PatternSearch) -> String {
        let mut text = "---\n".to_owned();
        search.lenses().into_values().for_each(|lens| text += &self.pattern(lens));
        let (mut all, mut by_source) = (Tally::default(), String::new());
        for (source, tally) in search.found() {
            all += tally;
            by_source += &format!("  {}: {}\n", self.screen.on_one_line(source), told(tally));
        }
        text += &format!("{}\n", told(&all));
        if search.found().count() > 1 {
            text += &by_source;
        }
        let left_out: Vec<usize> = search.left_out().map(|(_, tally)| tally.documents).collect();
        if !left_out.is_empty() {
            let documents = count(left_out.iter().sum(), "document");
            text += &format!("not searched: {documents} of {} without this pattern\n", count(left_out.len(), "source"));
        }
        text + &self.fate(&all.fate)
    }

    fn pattern(&self, Lens { file, pattern, .. }: &Lens) -> String {
        let Pattern { id, status, regex, removes, .. } = pattern;
        let screen = self.screen;
        let id = screen.paint(Style::Id, &screen.on_one_line(id));
        let share = 100.0 * pattern.share();
        let removes = removes
            .map_or(String::new(), |removes| format!("  accounts for {:.1} % of the removed words", 100.0 * removes));
        let painted = screen.paint(Style::of_status(*status), status.name());
        let why_not = match status {
            Status::Rejected => "  it is rejected, so it removes nothing\n",
            Status::Proposed if self.only_accepted => "  nobody accepted it, so it removes nothing\n",
            _ => "",
        };
        let (file, regex) = (screen.on_one_line(file), screen.on_one_line(regex));
        format!("{id}  in {file}.yaml  mined in {share:.1} % of documents{removes}  {painted}  {regex}\n{why_not}")
    }

    /// How much of the matched text is removed, by which patterns, and how much is kept.
    fn fate(&self, fate: &Fate) -> String {
        let all = fate.bytes();
        let figures = all.to_string().len();
        let row = |bytes: usize, what: &str| {
            format!("  {bytes:>figures$} bytes  {:>5.1} %  {what}\n", 100.0 * bytes as f64 / all as f64)
        };
        let mut others: Vec<(&String, &usize)> = fate.goes.iter().filter(|(id, _)| *id != self.id).collect();
        others.sort_by_key(|&(id, bytes)| (std::cmp::Reverse(bytes), id));
        let others = others.into_iter().map(|(id, bytes)| match id.as_str() {
            NO_PATTERN => row(*bytes, "removed without a pattern"),
            id => row(*bytes, &format!("removed by {}", self.screen.paint(Style::Id, &self.screen.on_one_line(id)))),
        });
        let own = fate.goes.get(self.id).map(|bytes| row(*bytes, "removed by it")).unwrap_or_default();
        let others: String = others.collect();
        let stays = if fate.stays > 0 { row(fate.stays, "kept") } else { String::new() };
        match all {
            0 => String::new(),
            _ => format!("what it matches, white space not counted:\n{own}{others}{stays}"),
        }
    }
}

fn told(tally: &Tally) -> String {
    let Tally { documents, with_matches, matches, overlapping, whole, .. } = tally;
    let overlapping =
        if *overlapping > 0 { format!(", {overlapping} overlapping the previous one") } else { String::new() };
    let whole = if *whole > 0 { format!(", {whole} kept whole") } else { String::new() };
    let matches = if *matches == 1 { "1 match".to_owned() } else { format!("{matches} matches") };
    format!("{matches} in {with_matches} of {}{overlapping}{whole}", count(*documents, "document"))
}
