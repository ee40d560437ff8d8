//! `dehusk explain --pattern`: all that one pattern matches in a document or a corpus, and what becomes of it.

use std::collections::BTreeMap;

use anyhow::bail;
use rayon::prelude::*;

use dehusk::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk::corpus::{Document, FileKind};
use dehusk::evaluation::edit_distance::edit_distance;
use dehusk::patterns::{Pattern, PatternFile, Status};

use super::excerpts::Excerpts;
use super::marks::{BY_SHAPE, Marks};
use super::matched::{Fate, Lens, Matched};
use super::{ExplainArgs, read};
use crate::cli::Exit;
use crate::cli::reporter::{Reporter, print};
use crate::cli::summary::count;
use crate::cli::terminal::{Screen, Style};
use dehusk::pipeline::Library;
use dehusk::pipeline::reading::visit_documents;

/// More ids than this are no help to whoever mistyped one.
const IDS_SUGGESTED: usize = 3;

/// Runs the command.
pub fn explain(id: &str, args: &ExplainArgs, library: &Library, reporter: &Reporter) -> anyhow::Result<Exit> {
    if !library.files().any(|file| has(file, id)) {
        bail!(unknown(id, library));
    }
    let marks = Marks { screen: Screen::of_stdout(args.color) };
    let options = args.cleaning();
    let mut search = Search { id, args, library, options, marks, lenses: BTreeMap::new(), found: BTreeMap::new() };
    if args.is_one_document() {
        search.look_at(&[(String::new(), read(args)?)], reporter)?;
    } else {
        visit_documents(&args.scan()?, reporter, |documents| search.look_at(&documents, reporter))?;
    }
    if search.lenses.values().all(Option::is_none) && reporter.skipped() == 0 {
        bail!(search.elsewhere());
    }
    print(&search.totals())?;
    Ok(reporter.exit())
}

impl ExplainArgs {
    fn is_one_document(&self) -> bool {
        let has_many = || FileKind::of(&self.document).is_some_and(FileKind::holds_many);
        self.line.is_some() || !(self.document.is_dir() || has_many())
    }
}

fn has(file: &PatternFile, id: &str) -> bool {
    file.patterns.iter().any(|pattern| pattern.id == id)
}

/// That there is no such pattern, and which ids look like it.
fn unknown(id: &str, library: &Library) -> String {
    let letters = |id: &str| id.chars().map(u64::from).collect::<Vec<u64>>();
    let is_start = |other: &str| id.len() >= IDS_SUGGESTED && other.starts_with(id);
    let mistakes = |other: &str| if is_start(other) { 0 } else { edit_distance(&letters(id), &letters(other)) };
    let ids = library.files().flat_map(|file| &file.patterns).map(|pattern| pattern.id.as_str());
    let mut near: Vec<(usize, &str)> = ids.map(|other| (mistakes(other), other)).collect();
    near.retain(|&(mistakes, _)| mistakes <= 2.min(id.chars().count() / 2));
    near.sort_unstable();
    near.dedup();
    let near: Vec<String> = near.iter().take(IDS_SUGGESTED).map(|(_, id)| format!("'{id}'")).collect();
    let remedy = match near.is_empty() {
        true => "without --pattern the ids of those that act in a document are shown".to_owned(),
        false => format!("did you mean {}?", near.join(" or ")),
    };
    format!("no pattern file has a pattern '{id}'; {remedy}")
}

/// The search for all matches of a pattern.
struct Search<'a> {
    id: &'a str,
    args: &'a ExplainArgs,
    library: &'a Library,
    options: CleanOptions,
    marks: Marks,
    /// By source; none if neither its file nor the shared one has the pattern.
    lenses: BTreeMap<String, Option<Lens>>,
    /// By source.
    found: BTreeMap<String, Found>,
}

/// What was found in some documents.
#[derive(Clone, Debug, Default)]
struct Found {
    documents: usize,
    with_matches: usize,
    matches: usize,
    overlapping: usize,
    whole: usize,
    fate: Fate,
}

impl Search<'_> {
    /// Prints what matches in some documents, each given with its name.
    fn look_at(&mut self, documents: &[(String, Document)], reporter: &Reporter) -> anyhow::Result<()> {
        for (_, document) in documents {
            let source = self.args.source_of(document);
            if !self.lenses.contains_key(source) {
                let lens = Lens::of(self.id, &self.library.for_source(source), &self.options);
                self.lenses.insert(source.to_owned(), lens);
            }
        }
        let look =
            |scratch: &mut Scratch, (name, document): &(String, Document)| self.look(name, document, scratch, reporter);
        let looked: Vec<(Found, String)> = documents.par_iter().map_init(Scratch::default, look).collect();
        for ((_, document), (found, shown)) in documents.iter().zip(looked) {
            *self.found.entry(self.args.source_of(document).to_owned()).or_default() += &found;
            print(&shown)?;
        }
        Ok(())
    }

    fn look(&self, name: &str, document: &Document, scratch: &mut Scratch, reporter: &Reporter) -> (Found, String) {
        let one = Found { documents: 1, ..Found::default() };
        let Some(Some(lens)) = self.lenses.get(self.args.source_of(document)) else { return (one, String::new()) };
        match lens.look(scratch, &document.text) {
            Ok(matched) => {
                (Found::of(&matched, &document.text, &lens.cleaner), self.shown(name, document, &matched, lens))
            }
            Err(error) => {
                reporter.skip(&format!("{}: {error}", if name.is_empty() { &document.id } else { name }));
                (Found::default(), String::new())
            }
        }
    }

    fn shown(&self, name: &str, document: &Document, matched: &Matched, lens: &Lens) -> String {
        let excerpts = Excerpts::new(&document.text, matched, &lens.cleaner, self.marks);
        let excerpts: Vec<String> =
            matched.ranges.iter().map(|range| excerpts.around(range, self.args.context)).collect();
        let heading = if name.is_empty() { String::new() } else { self.marks.screen.on_one_line(name) + "\n" };
        if excerpts.is_empty() { String::new() } else { format!("{heading}{}\n", excerpts.join("\n")) }
    }

    /// Where the pattern stands, as it does not where the documents are from.
    fn elsewhere(&self) -> String {
        let files = self.library.files().filter(|file| has(file, self.id));
        let files: Vec<String> = files.map(|file| format!("{}.yaml", file.source)).collect();
        let sources: Vec<&str> = self.lenses.keys().map(String::as_str).collect();
        format!(
            "pattern '{}' stands in {} and not in a file for source {}; --source NAME tries it there",
            self.id,
            files.join(", "),
            sources.join(", ")
        )
    }

    fn totals(&self) -> String {
        let mut text = "---\n".to_owned();
        let lenses: BTreeMap<&str, &Lens> = self.lenses.values().flatten().map(|lens| (&*lens.file, lens)).collect();
        lenses.into_values().for_each(|lens| text += &self.pattern(lens));
        let has_it = |source: &&String| self.lenses.get(*source).is_some_and(Option::is_some);
        let (mut all, mut by_source) = (Found::default(), String::new());
        for (source, found) in self.found.iter().filter(|(source, _)| has_it(source)) {
            all += found;
            by_source += &format!("  {}: {}\n", self.marks.screen.on_one_line(source), found.told());
        }
        text += &format!("{}\n", all.told());
        if self.found.keys().filter(has_it).count() > 1 {
            text += &by_source;
        }
        let left_out = self.found.iter().filter(|(source, _)| !has_it(source)).map(|(_, found)| found.documents);
        if left_out.clone().count() > 0 {
            let documents = count(left_out.clone().sum(), "document");
            text += &format!("not looked at: {documents} of {} without it\n", count(left_out.count(), "source"));
        }
        text + &self.fate(&all.fate)
    }

    fn pattern(&self, Lens { file, pattern, .. }: &Lens) -> String {
        let Pattern { id, status, regex, .. } = pattern;
        let screen = self.marks.screen;
        let id = screen.paint(Style::Id, &screen.on_one_line(id));
        let share = 100.0 * pattern.share();
        let painted = screen.paint(Style::of_status(*status), status.name());
        let why_not = match status {
            Status::Rejected => "  it is rejected, so nothing goes by it\n",
            Status::Proposed if self.options.only_accepted => "  nobody accepted it, so nothing goes by it\n",
            _ => "",
        };
        let (file, regex) = (screen.on_one_line(file), screen.on_one_line(regex));
        format!("{id}  in {file}.yaml  mined in {share:.1} % of documents  {painted}  {regex}\n{why_not}")
    }

    /// What goes, by what, and what stays.
    fn fate(&self, fate: &Fate) -> String {
        let all = fate.bytes();
        let figures = all.to_string().len();
        let row = |bytes: usize, what: &str| {
            format!("  {bytes:>figures$} bytes  {:>5.1} %  {what}\n", 100.0 * bytes as f64 / all as f64)
        };
        let mut others: Vec<(&String, &usize)> = fate.goes.iter().filter(|(id, _)| *id != self.id).collect();
        others.sort_by_key(|&(id, bytes)| (std::cmp::Reverse(bytes), id));
        let others = others.into_iter().map(|(id, bytes)| match id.as_str() {
            BY_SHAPE => row(*bytes, "go by shape, or with what is around them"),
            id => row(
                *bytes,
                &format!("go by {}", self.marks.screen.paint(Style::Id, &self.marks.screen.on_one_line(id))),
            ),
        });
        let own = fate.goes.get(self.id).map(|bytes| row(*bytes, "go by it")).unwrap_or_default();
        let others: String = others.collect();
        let stays = if fate.stays > 0 { row(fate.stays, "stay") } else { String::new() };
        match all {
            0 => String::new(),
            _ => format!("what it matches, white space not counted:\n{own}{others}{stays}"),
        }
    }
}

impl Found {
    fn of(matched: &Matched, text: &str, cleaner: &Cleaner) -> Found {
        Found {
            documents: 1,
            with_matches: usize::from(!matched.ranges.is_empty()),
            matches: matched.ranges.len(),
            overlapping: matched.overlapping(),
            whole: matched.whole(),
            fate: matched.fate(text, cleaner),
        }
    }

    fn told(&self) -> String {
        let Found { documents, with_matches, matches, overlapping, whole, .. } = self;
        let overlapping =
            if *overlapping > 0 { format!(", {overlapping} overlapping the one before") } else { String::new() };
        let whole = if *whole > 0 { format!(", {whole} left whole") } else { String::new() };
        let matches = if *matches == 1 { "1 match".to_owned() } else { format!("{matches} matches") };
        format!("{matches} in {with_matches} of {}{overlapping}{whole}", count(*documents, "document"))
    }
}

impl std::ops::AddAssign<&Found> for Found {
    fn add_assign(&mut self, other: &Found) {
        self.documents += other.documents;
        self.with_matches += other.with_matches;
        self.matches += other.matches;
        self.overlapping += other.overlapping;
        self.whole += other.whole;
        self.fate += &other.fate;
    }
}
