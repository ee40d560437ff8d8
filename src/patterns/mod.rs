//! The contract between mining, people and cleaning: templates written down as regexes.
//!
//! Mining gives templates, [`PatternFile::of_templates`] writes them down, [`merge`](merge::merge) brings
//! them together with what people decided before, and cleaning reads them back. The YAML file is the
//! only thing that passes between mining and cleaning, so that a person can stand between them.

mod canonical;
pub mod difference;
pub mod file;
pub mod foreign;
pub mod keep;
pub mod merge;
mod opening;
mod problem;
pub mod readable;
mod record;
pub mod regex;
mod scalar;
pub mod place;
pub mod trust;

use std::sync::Arc;

use crate::tokens::{Lexer, MutableSet, TokenRun};
pub use file::{LexerCache, PatternFile};
pub use foreign::ForeignRegex;
pub use keep::Keep;
pub use opening::open;
pub use place::Place;
pub use problem::FileProblem;
pub use trust::Trust;

/// The name of the pattern file that is applied to every source.
pub const SHARED: &str = "_shared";

/// What a person decided about a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nobody decided yet: applied, unless only accepted patterns are, and weighed like any evidence.
    #[default]
    Proposed,
    /// Applied; whatever it matches goes.
    Accepted,
    /// Never applied, and never proposed again.
    Rejected,
}

impl Status {
    /// As it stands in a pattern file.
    pub fn name(self) -> &'static str {
        match self {
            Status::Proposed => "proposed",
            Status::Accepted => "accepted",
            Status::Rejected => "rejected",
        }
    }
}

/// A template on its way into a pattern file: a run of tokens and its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Its tokens.
    pub run: TokenRun,
    /// In how many documents it occurs, near-duplicates counted once.
    pub documents: usize,
    /// Of how many documents; those of all sources it occurs in, if it is shared.
    pub among: usize,
    /// How often it occurs.
    pub occurrences: usize,
    /// In how many sources it occurs.
    pub sources: usize,
    /// One occurrence, as it stands in its document.
    pub example: String,
    /// Articles end before it, if they had so many words of prose; `None` if nobody looked yet.
    pub ends_after: Option<usize>,
}

/// How a pattern is matched.
#[derive(Clone, Debug)]
pub enum Form {
    /// As mined: a run of tokens.
    Run(TokenRun),
    /// As a person wrote or edited it.
    Regex(ForeignRegex),
}

/// One regex that a person may judge. Always one that compiles.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Unique in its file; of a mined pattern, a hash of the template, so that mining again finds it again.
    pub id: String,
    /// What a person decided.
    pub status: Status,
    /// In the dialect that `fancy-regex`, Python's `re` and PCRE2 (UTF and UCP) share.
    pub regex: String,
    /// How it is matched; follows from id and regex.
    pub form: Form,
    /// In how many documents it was seen, near-duplicates counted once.
    pub documents: usize,
    /// Of how many documents.
    pub among: usize,
    /// How often it was seen.
    pub occurrences: usize,
    /// In how many sources it was seen, if it is shared.
    pub sources: Option<usize>,
    /// A text it matches.
    pub example: String,
    /// Articles are over before it, once they have had so many words of prose.
    pub ends_after: Option<usize>,
    /// Where it has its place in documents, if it has one.
    pub place: Option<Place>,
    /// Whether what varies in it differs in so many documents that it tells them apart, as a price or an author does.
    pub identifies: bool,
    /// Whether a number or a price in it is the document's own, such as an ISBN.
    pub value: bool,
    /// Whatever a person wants to remember.
    pub note: String,
}

impl Pattern {
    /// The share of the documents that have it, 0..=1.
    pub fn share(&self) -> f64 {
        if self.among == 0 { 0.0 } else { (self.documents as f64 / self.among as f64).min(1.0) }
    }

    /// Whether the regex is the one that mining wrote.
    pub fn is_as_mined(&self) -> bool {
        matches!(self.form, Form::Run(_))
    }

    /// Its regex, for the engine.
    pub fn compiled(&self) -> Result<Arc<fancy_regex::Regex>, Box<fancy_regex::Error>> {
        match &self.form {
            Form::Regex(regex) => regex.compiled().cloned(),
            Form::Run(_) => Ok(Arc::new(fancy_regex::Regex::new(&self.regex)?)),
        }
    }

    fn matches_all_of(&self, text: &str) -> bool {
        let found = self.compiled().and_then(|regex| Ok(regex.find(text)?.map(|found| found.range())));
        found.is_ok_and(|found| found == Some(0..text.len()))
    }

    /// Whether a person left a mark on it.
    pub fn is_touched(&self) -> bool {
        self.status != Status::Proposed || !self.note.is_empty() || !self.is_as_mined()
    }
}

/// A regex as a run of tokens if it is, by its id, the one that mining wrote; else compiled.
pub fn form(id: &str, regex: &str, lexer: &Lexer) -> Result<Form, Box<fancy_regex::Error>> {
    if [ID_DIGITS, LONG_ID_DIGITS].contains(&id.len())
        && let Some(run) = self::regex::parse(regex, lexer)
        && id_of(&run, lexer.mutable(), id.len()) == id
    {
        return Ok(Form::Run(run));
    }
    Ok(Form::Regex(ForeignRegex::new(regex)?))
}

/// Hexadecimal digits of an id, and of one whose short form is taken in its file.
pub const ID_DIGITS: usize = 8;
/// See [`ID_DIGITS`].
pub const LONG_ID_DIGITS: usize = 16;

/// The first digits of the template's hash (64-bit FNV-1a over the run as written, finished as in MurmurHash3). Mutable
/// patterns count by name: a better regex for a number leaves the ids of the templates with numbers alone.
pub fn id_of(run: &TokenRun, mutable: &MutableSet, digits: usize) -> String {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut hash = run.written(mutable).bytes().fold(0xcbf2_9ce4_8422_2325, fnv);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    let mut id = format!("{:016x}", hash ^ (hash >> 33));
    id.truncate(digits);
    id
}
