//! The review: a person looks at what would be removed, and decides.
//!
//! Takes a folder of pattern files and a corpus. Shows in a browser the patterns and what each does to the documents.
//! Writes decisions to the pattern files at once.
//!
//! ```text
//!                 server  <---- requests ----  a browser on this machine
//!                (guard)                        (review.js, style.css)
//!                   |  ^
//!         decisions |  | pages
//!                   v  |
//!    files <----  Session  ----> survey: what patterns do (dehusk_core::selection::effects)
//!      ^                            ^
//!      v                            |
//!   <source>.yaml               documents
//! ```
//!
//! The files on disk are the only state that counts. They are read again before anything is written, so an editor and a
//! review may change the same file ([`files`]). The effects of patterns are computed in the background (`survey.rs`)
//! and may be out of date; no decision depends on them.

mod alike;
pub mod decision;
pub mod documents;
pub mod files;
mod guard;
mod many;
mod pages;
mod preview;
mod query;
pub mod server;
mod sources;
mod survey;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dehusk_core::cleaning::reading::regexes::MatchError;
use dehusk_core::cleaning::reading::search::Watched;
use dehusk_core::cleaning::{CleanOptions, Cleaner};
use dehusk_core::patterns::foreign::compile;
use dehusk_core::patterns::keep::whole_words;
use dehusk_core::patterns::{Keep, Loose, Pattern, PatternFile, SHARED, Status};

use decision::{Change, Entry, Refusal, Step};
use documents::Documents;
use files::{Files, SaveError};
use many::ChosenPatterns;
use query::in_short;
use survey::{Survey, SurveyResult};

/// A running review.
pub struct Session {
    files: Files,
    /// Lists the pattern files. Called repeatedly, because mining may add files.
    list: Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>,
    documents: Documents,
    options: CleanOptions,
    /// Whether documents are cleaned with the same options as when mining tries patterns out.
    as_mined: bool,
    /// The steps that can be undone, the last one last.
    history: Mutex<Vec<Step>>,
    survey: Survey,
}

/// The decision on text without a pattern, as a status: to remove it is to accept a pattern for it.
pub fn status_of(loose: Loose) -> Status {
    match loose {
        Loose::Proposed => Status::Proposed,
        Loose::Remove => Status::Accepted,
        Loose::Keep => Status::Rejected,
    }
}

/// The decision on text without a pattern that a status stands for.
pub fn loose_of(status: Status) -> Loose {
    match status {
        Status::Proposed => Loose::Proposed,
        Status::Accepted => Loose::Remove,
        Status::Rejected => Loose::Keep,
    }
}

/// The revisions of the patterns with which something was computed: of the source's own file, and of the shared file.
pub type Version = (u64, u64);

impl Session {
    /// Reads the pattern files that `list` gives. `as_mined` says whether `options` are those with which mining tries
    /// patterns out.
    pub fn open(
        list: Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>,
        documents: Documents,
        options: CleanOptions,
        as_mined: bool,
    ) -> Session {
        let files = Files::open(&list());
        Session { files, list, documents, options, as_mined, history: Mutex::default(), survey: Survey::default() }
    }

    /// Why some pattern files cannot be read.
    pub fn problems(&self) -> Vec<String> {
        self.files.unreadable()
    }

    /// The pattern files that can be read.
    pub fn files(&self) -> Vec<Arc<PatternFile>> {
        self.files.sources().iter().filter_map(|source| self.files.get(source)).collect()
    }

    /// Number of pattern files that can be read.
    pub fn sources(&self) -> usize {
        self.files.sources().len()
    }

    /// Looks for changes of the pattern files by others.
    fn refresh(&self) {
        if self.files.refresh(&(self.list)()) {
            self.survey.wake();
        }
    }

    /// A source's patterns, and the reason if the current version of its file cannot be read.
    fn patterns(&self, source: &str) -> Option<(Arc<PatternFile>, Option<String>)> {
        Some((self.files.get(source)?, self.files.problem(source)))
    }

    /// A source's patterns for a decision. Fails if there is no such source.
    fn file(&self, source: &str) -> Result<Arc<PatternFile>, SaveError> {
        self.files.get(source).ok_or_else(|| SaveError::NoSuchSource(source.to_owned()))
    }

    /// The files applied to a source's documents, its own first.
    fn files_for(&self, source: &str) -> Vec<Arc<PatternFile>> {
        let names = if source == SHARED { vec![SHARED] } else { vec![source, SHARED] };
        names.into_iter().filter_map(|name| self.files.get(name)).collect()
    }

    fn version(&self, source: &str) -> Version {
        (self.files.revision(source), self.files.revision(SHARED))
    }

    /// A cleaner with these files.
    fn cleaner(&self, files: &[Arc<PatternFile>]) -> Cleaner {
        Cleaner::new(&files.iter().map(Arc::as_ref).collect::<Vec<&PatternFile>>(), &self.options)
    }

    /// The effects of a source's patterns, if known, and whether they are up to date. `file` is the source's file.
    fn effects(&self, source: &str, file: &PatternFile) -> Option<(SurveyResult, bool)> {
        let known = self.survey.get(source).filter(|known| known.is_of(file))?;
        let is_fresh = known.version == self.version(source);
        Some((known, is_fresh))
    }

    /// Writes a decision.
    fn decide(&self, step: Step) -> Result<(), SaveError> {
        if step.is_empty() {
            return Ok(());
        }
        self.files.save(&step)?;
        self.history().push(step);
        self.survey.wake();
        Ok(())
    }

    /// Undoes the last decision and returns it.
    fn undo(&self) -> Result<Option<Step>, SaveError> {
        let mut history = self.history();
        let Some(step) = history.pop() else { return Ok(None) };
        let undone = self.files.save(&step.clone().undone());
        self.survey.wake();
        match undone {
            Ok(()) => Ok(Some(step)),
            // Changes that others made since are kept, so this step is dropped. Earlier decisions can still be undone.
            Err(error @ SaveError::Refused(_)) => Err(error),
            Err(error) => {
                history.push(step);
                Err(error)
            }
        }
    }

    /// Decides on one pattern, which the person saw in version `seen`.
    fn decide_on(
        &self,
        source: &str,
        id: &str,
        seen: &str,
        what: &str,
        decide: impl FnOnce(&mut Entry),
    ) -> Result<String, SaveError> {
        let file = self.file(source)?;
        let pattern = file.patterns.iter().find(|pattern| pattern.id == id);
        let pattern = pattern.ok_or_else(|| Refusal::Gone(id.to_owned()))?;
        let from = Entry::of(pattern);
        if from.version() != seen {
            return Err(Refusal::Changed(id.to_owned()).into());
        }
        let mut to = from.clone();
        decide(&mut to);
        let changes = if from == to { Vec::new() } else { vec![Change::Pattern { id: id.to_owned(), from, to }] };
        let what = format!("{what}: “{}”", in_short(&pattern.example));
        self.decide(Step::in_file(what.clone(), source, changes))?;
        Ok(what)
    }

    /// Changes the regex of a pattern, which the person saw in version `seen`. Returns a message.
    fn edit(
        &self,
        source: &str,
        id: &str,
        seen: &str,
        regex: String,
        ends_after: Option<usize>,
    ) -> Result<String, SaveError> {
        let compiled = compile(&regex);
        let compiled = compiled.map_err(|error| Refusal::Invalid(format!("the regex does not compile: {error}")))?;
        let is_example = |text: &str| compiled.is_match(text).unwrap_or(false);
        let mut more = "";
        let message = self.decide_on(source, id, seen, "edited", |entry| {
            if !is_example(&entry.example) {
                match self.first_match(source, &compiled) {
                    Ok(Some(example)) => entry.example = example,
                    Ok(None) => more = "; it matches neither its example nor anything in these documents",
                    Err(_) => {
                        more = "; it does not match its example, and the search for another example takes too \
                                      long"
                    }
                }
            }
            if entry.regex != regex {
                entry.block = None;
            }
            (entry.regex, entry.ends_after) = (regex, ends_after);
        })?;
        Ok(message + more)
    }

    fn first_match(&self, source: &str, regex: &fancy_regex::Regex) -> Result<Option<String>, MatchError> {
        let texts = self.documents.texts(source);
        let go_on = self.patience();
        for page in &texts.documents {
            let Some(found) = Watched::new(&page.text, &go_on).find(regex, 0)? else { continue };
            let example = page.text[found].trim();
            // Test it alone: without the text around it, it may not match.
            if regex.is_match(example).unwrap_or(false) {
                return Ok(Some(example.to_owned()));
            }
        }
        Ok(None)
    }

    /// Makes the same decision on many patterns. Returns a message.
    fn decide_on_all(&self, chosen: &ChosenPatterns, status: Status) -> Result<String, SaveError> {
        let step = chosen.step_to(status);
        let what = step.what.clone();
        self.decide(step)?;
        Ok(what)
    }

    /// The files that have a pattern with the same id or the same regex, with the indices of these patterns. This file
    /// is among them, with this pattern only.
    fn with_same_pattern(&self, file: &PatternFile, pattern: &Pattern) -> Vec<(Arc<PatternFile>, Vec<usize>)> {
        let is_same = |other: &Pattern| other.id == pattern.id || other.regex == pattern.regex;
        let indices = |other: &PatternFile| {
            let is_it = |index: &usize| match other.source == file.source {
                true => other.patterns[*index].id == pattern.id,
                false => is_same(&other.patterns[*index]),
            };
            (0..other.patterns.len()).filter(is_it).collect::<Vec<usize>>()
        };
        let files = self.files.sources().into_iter().filter_map(|source| self.files.get(&source));
        files.map(|other| (Arc::clone(&other), indices(&other))).filter(|(_, indices)| !indices.is_empty()).collect()
    }

    /// Extends a text that a person selected in a document to whole words. Also returns a note that names the document.
    fn as_it_stands(&self, source: &str, text: &str, document: Option<usize>) -> Result<(String, String), String> {
        let keep = Keep::new(text, "").map_err(|error| error.to_string())?;
        let texts = self.documents.texts(source);
        let Some(page) = document.and_then(|number| texts.documents.get(number)) else {
            return Ok((keep.text().to_owned(), String::new()));
        };
        let found = keep.regex().find(&page.text).map_err(|error| error.to_string())?;
        let found = found.ok_or(
            "the document does not contain exactly this text; select one continuous part of the \
                                 document",
        )?;
        let whole = whole_words(&page.text, found.range());
        let words: Vec<&str> = page.text[whole].split_whitespace().collect();
        Ok((words.join(" "), format!("in {}", page.id)))
    }

    /// Keeps a text from now on, with this note. If the note is `None`, no longer keeps the text.
    fn keep(&self, source: &str, text: &str, note: Option<&str>) -> Result<(), SaveError> {
        let file = self.file(source)?;
        let text = text.trim();
        let from = file.keep.iter().find(|keep| keep.text() == text).map(|keep| keep.note.clone());
        let to = note.map(str::to_owned);
        let what = if note.is_some() { "never removed" } else { "no longer kept" };
        let changes = if from == to { Vec::new() } else { vec![Change::Keep { text: text.to_owned(), from, to }] };
        self.decide(Step::in_file(format!("{what}: “{}”", in_short(text)), source, changes))
    }

    /// Removes a text from now on, with this note: adds an accepted pattern for it. Its id follows from the text.
    fn remove(&self, source: &str, text: &str, note: &str) -> Result<(), SaveError> {
        let keep = Keep::new(text, "").map_err(|error| Refusal::Invalid(error.to_string()))?;
        let regex = keep.regex().as_str().to_owned();
        let to = Entry {
            status: Status::Accepted,
            regex,
            block: None,
            example: text.to_owned(),
            ends_after: None,
            note: note.to_owned(),
        };
        let id = format!("own-{}", to.version());
        let changes = vec![Change::Own { id, from: None, to: Some(to) }];
        self.decide(Step::in_file(format!("always removed: “{}”", in_short(text)), source, changes))
    }

    /// Decides what is done with text of a source that no pattern matches. The person saw the decision `from`.
    fn decide_on_loose(&self, source: &str, from: Loose, to: Loose) -> Result<String, SaveError> {
        let what = format!("{}: text without a pattern", status_of(to).name());
        let changes = if from == to { Vec::new() } else { vec![Change::Loose { from, to }] };
        self.decide(Step::in_file(what.clone(), source, changes))?;
        Ok(what)
    }

    /// Number of documents (of those looked at) that contain a text.
    fn documents_with(&self, source: &str, text: &str) -> usize {
        let Ok(keep) = Keep::new(text, "") else { return 0 };
        let holds = |page: &&documents::LoadedDocument| keep.regex().is_match(&page.text).unwrap_or(false);
        self.documents.texts(source).documents.iter().filter(holds).count()
    }

    fn history(&self) -> MutexGuard<'_, Vec<Step>> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
