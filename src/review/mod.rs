//! Reviewing: a person looks at what would go, and decides.
//!
//! Takes a folder of pattern files and a corpus; shows the patterns and what each does to the documents, in a browser;
//! writes decisions into the pattern files as soon as they are made.
//!
//! ```text
//!                 server  <---- requests ----  a browser on this machine
//!                (guard)                        (review.js, style.css)
//!                   |  ^
//!         decisions |  | pages
//!                   v  |
//!    files <----  Session  ----> survey: what patterns do (crate::effects)
//!      ^                            ^
//!      v                            |
//!   <source>.yaml               documents
//! ```
//!
//! The files on disk are the only state that counts. They are read again before anything is written, so an editor and
//! a review may work on the same file ([`files`]). What patterns do is looked at in the background (`survey.rs`) and may
//! lag behind; no decision depends on it.

pub mod decision;
pub mod documents;
pub mod files;
mod guard;
mod pages;
mod query;
pub mod server;
mod survey;
mod trial;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cleaning::regexes::MatchError;
use crate::cleaning::search::Watched;
use crate::cleaning::{CleanOptions, Cleaner};
use crate::effects::Effects;
use crate::patterns::foreign::compile;
use crate::patterns::keep::whole_words;
use crate::patterns::{Keep, PatternFile, SHARED, Status};

use decision::{Change, Entry, Refusal, Step};
use documents::Documents;
use files::{Files, SaveError};
use query::in_short;
use survey::Survey;

/// A review under way.
pub struct Session {
    files: Files,
    /// Which pattern files there are; asked again and again, for mining may add some.
    list: Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>,
    documents: Documents,
    options: CleanOptions,
    /// Whether documents are cleaned as mining tries patterns out.
    as_mined: bool,
    /// What can be taken back, the last step last.
    history: Mutex<Vec<Step>>,
    survey: Survey,
}

/// Which state of its patterns something was found out with: the source's own, and the shared ones.
pub type Version = (u64, u64);

impl Session {
    /// Reads the pattern files that `list` names. `as_mined` says whether these options are those that mining tries
    /// patterns out with.
    pub fn open(
        list: Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>,
        documents: Documents,
        options: CleanOptions,
        as_mined: bool,
    ) -> Session {
        let files = Files::open(&list());
        Session { files, list, documents, options, as_mined, history: Mutex::default(), survey: Survey::default() }
    }

    /// Why pattern files cannot be read.
    pub fn problems(&self) -> Vec<String> {
        self.files.unreadable()
    }

    /// How many pattern files can be read.
    pub fn sources(&self) -> usize {
        self.files.sources().len()
    }

    /// Notices what others did to the pattern files.
    fn refresh(&self) {
        if self.files.refresh(&(self.list)()) {
            self.survey.wake();
        }
    }

    /// A source's patterns, and why the file as it now is cannot be read, if so.
    fn patterns(&self, source: &str) -> Option<(Arc<PatternFile>, Option<String>)> {
        Some((self.files.get(source)?, self.files.problem(source)))
    }

    /// A source's patterns, to decide on.
    fn file(&self, source: &str) -> Result<Arc<PatternFile>, SaveError> {
        self.files.get(source).ok_or_else(|| SaveError::NoSuchSource(source.to_owned()))
    }

    /// The files that act on a source's documents, its own first.
    fn files_for(&self, source: &str) -> Vec<Arc<PatternFile>> {
        let names = if source == SHARED { vec![SHARED] } else { vec![source, SHARED] };
        names.into_iter().filter_map(|name| self.files.get(name)).collect()
    }

    fn version(&self, source: &str) -> Version {
        (self.files.revision(source), self.files.revision(SHARED))
    }

    /// What removes text by these files.
    fn cleaner(&self, files: &[Arc<PatternFile>]) -> Cleaner {
        Cleaner::new(&files.iter().map(Arc::as_ref).collect::<Vec<&PatternFile>>(), &self.options)
    }

    /// What the patterns of a source, which are these, do, as far as it is known; the second is whether that is up to date.
    fn effects(&self, source: &str, file: &PatternFile) -> Option<(Arc<Effects>, bool)> {
        let known = self.survey.get(source).filter(|known| known.is_of(file))?;
        Some((known.effects, known.version == self.version(source)))
    }

    /// Writes a decision down.
    fn decide(&self, step: Step) -> Result<(), SaveError> {
        if step.changes.is_empty() {
            return Ok(());
        }
        self.files.save(&step)?;
        self.history().push(step);
        self.survey.wake();
        Ok(())
    }

    /// Takes the last decision back; says which it was.
    fn undo(&self) -> Result<Option<Step>, SaveError> {
        let mut history = self.history();
        let Some(step) = history.pop() else { return Ok(None) };
        let undone = self.files.save(&step.clone().undone());
        self.survey.wake();
        match undone {
            Ok(()) => Ok(Some(step)),
            // What others changed since stays as they want it; the decisions before this one can still be undone.
            Err(error @ SaveError::Refused(_)) => Err(error),
            Err(error) => {
                history.push(step);
                Err(error)
            }
        }
    }

    /// A decision on one pattern that was looked at as `seen`.
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
        self.decide(Step { what: what.clone(), source: source.to_owned(), changes })?;
        Ok(what)
    }

    /// Another regex for a pattern that was looked at as `seen`; says what became of it.
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
                    Err(_) => more = "; it does not match its example, and takes too long to look for another",
                }
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
            // By itself it may not match: what stands around it in the document is not there.
            if regex.is_match(example).unwrap_or(false) {
                return Ok(Some(example.to_owned()));
            }
        }
        Ok(None)
    }

    /// The same decision on many of a file's patterns; those that have been decided are left as they are.
    fn decide_on_all(
        &self,
        source: &str,
        file: &PatternFile,
        chosen: &[usize],
        status: Status,
    ) -> Result<usize, SaveError> {
        let change = |index: &usize| {
            let pattern = file.patterns.get(*index).filter(|pattern| pattern.status == Status::Proposed)?;
            let from = Entry::of(pattern);
            let to = Entry { status, ..from.clone() };
            Some(Change::Pattern { id: pattern.id.clone(), from, to })
        };
        let changes: Vec<Change> = chosen.iter().filter_map(change).collect();
        let count = changes.len();
        let what = format!("{}: {count} patterns", status.name());
        self.decide(Step { what, source: source.to_owned(), changes })?;
        Ok(count)
    }

    /// A text that a person selected in a document, with whole words, and a note that says where it stands.
    fn as_it_stands(&self, source: &str, text: &str, document: Option<usize>) -> Result<(String, String), String> {
        let keep = Keep::new(text, "").map_err(|error| error.to_string())?;
        let texts = self.documents.texts(source);
        let Some(page) = document.and_then(|number| texts.documents.get(number)) else {
            return Ok((keep.text().to_owned(), String::new()));
        };
        let found = keep.regex().find(&page.text).map_err(|error| error.to_string())?;
        let found = found.ok_or("this text does not stand in the document as it is; select one stretch of it")?;
        let whole = whole_words(&page.text, found.range());
        let words: Vec<&str> = page.text[whole].split_whitespace().collect();
        Ok((words.join(" "), format!("in {}", page.id)))
    }

    /// From now on a text is kept, with this note; or no longer, without one.
    fn keep(&self, source: &str, text: &str, note: Option<&str>) -> Result<(), SaveError> {
        let file = self.file(source)?;
        let text = text.trim();
        let from = file.keep.iter().find(|keep| keep.text() == text).map(|keep| keep.note.clone());
        let to = note.map(str::to_owned);
        let what = if note.is_some() { "never removed" } else { "no longer kept" };
        let changes = if from == to { Vec::new() } else { vec![Change::Keep { text: text.to_owned(), from, to }] };
        self.decide(Step { what: format!("{what}: “{}”", in_short(text)), source: source.to_owned(), changes })
    }

    /// In how many of the documents that are looked at a text stands.
    fn documents_with(&self, source: &str, text: &str) -> usize {
        let Ok(keep) = Keep::new(text, "") else { return 0 };
        let holds = |page: &&documents::Page| keep.regex().is_match(&page.text).unwrap_or(false);
        self.documents.texts(source).documents.iter().filter(holds).count()
    }

    fn history(&self) -> MutexGuard<'_, Vec<Step>> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
