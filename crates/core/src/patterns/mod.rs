//! Patterns: templates as regexes. They are the contract between mining, people and cleaning.
//!
//! Mining gives templates, [`PatternFile::of_templates`] turns them into patterns, [`merge`](merge::merge) adds earlier
//! decisions, and cleaning reads the file. The YAML file is the only thing that passes from mining to cleaning, so a
//! person can review it in between.

pub mod block;
mod canonical;
pub mod difference;
pub mod file;
pub mod foreign;
pub mod index;
pub mod keep;
pub mod lexers;
pub mod merge;
mod opening;
mod problem;
pub mod readable;
mod record;
pub mod regex;
mod scalar;

use std::sync::Arc;

use crate::dom::selector::{Selector, SelectorError};
use crate::tokens::{Lexer, MutableSet, TokenRun};
pub use block::{Block, Open, Row};
pub use file::PatternFile;
pub use foreign::ForeignRegex;
pub use keep::Keep;
pub use lexers::LexerCache;
pub use opening::open;
pub use problem::FileProblem;

/// The name of the pattern file that is applied to every source.
pub const SHARED: &str = "_shared";

/// A person's decision about a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not decided yet. Its matches are weighed as evidence, unless only accepted patterns are applied.
    #[default]
    Proposed,
    /// Applied. Everything it matches is removed.
    Accepted,
    /// Never applied, and never proposed again.
    Rejected,
}

impl Status {
    /// The name in a pattern file.
    pub fn name(self) -> &'static str {
        match self {
            Status::Proposed => "proposed",
            Status::Accepted => "accepted",
            Status::Rejected => "rejected",
        }
    }
}

/// A person's decision about text that is removed although no pattern for people matches it, such as lists of headlines
/// that differ in each document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loose {
    /// Not decided yet. Removed, unless only accepted patterns act.
    #[default]
    Proposed,
    /// Removed, also if only accepted patterns act.
    Remove,
    /// Never removed.
    Keep,
}

/// A template before it is written to a pattern file: a run of tokens and its counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Its tokens.
    #[doc(hidden)]
    pub run: TokenRun,
    /// Number of documents it occurs in, near-duplicates counted once.
    pub documents: usize,
    /// Number of documents of its source, near-duplicates counted once. For a shared template: of all sources it occurs
    /// in.
    pub among: usize,
    /// Number of occurrences.
    pub occurrences: usize,
    /// Number of sources it occurs in.
    pub sources: usize,
    /// One occurrence, as written in its document.
    pub example: String,
    /// If set, it ends articles that have at least this many words of prose before it. `None` if it does not end
    /// articles, or if this was not computed yet.
    #[doc(hidden)]
    pub ends_after: Option<usize>,
}

/// How a pattern is matched.
#[derive(Clone, Debug)]
pub enum Form {
    /// A run of tokens, as mined.
    Run(TokenRun),
    /// A regex that a person wrote or edited.
    Regex(ForeignRegex),
    /// Rows that recur together.
    Block(Arc<Block>),
    /// Elements of pages.
    Elements(Elements),
}

/// Elements of pages that a CSS selector selects, and their role.
#[derive(Clone, Debug)]
pub struct Elements {
    /// The role of the elements.
    pub role: Role,
    /// The compiled selector. Its text is the pattern's `regex`.
    pub selector: Arc<Selector>,
}

/// The role of elements of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// They hold the content, and all text outside of them is boilerplate.
    Content,
    /// They are boilerplate.
    Drop,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 2] = [Role::Content, Role::Drop];

    /// The key of its selectors in a pattern file.
    pub fn key(self) -> &'static str {
        match self {
            Role::Content => "content",
            Role::Drop => "drop",
        }
    }
}

impl Elements {
    /// The elements that a selector selects.
    ///
    /// # Errors
    /// If `css` is not a selector.
    pub fn parse(role: Role, css: &str) -> Result<Elements, SelectorError> {
        Ok(Elements { role, selector: Arc::new(Selector::parse(css)?) })
    }

    /// The id of a pattern that mining proposes for these elements.
    pub fn id(&self, digits: usize) -> String {
        hashed(&format!("{} {}", self.role.key(), self.selector.css()), digits)
    }
}

impl Form {
    /// The new form of a pattern of this form, after a person wrote another regex or selector.
    ///
    /// # Errors
    /// If `written` is not valid. The message says why.
    pub fn edited(&self, id: &str, written: &str, lexer: &Lexer) -> Result<Form, String> {
        match self {
            Form::Elements(elements) => match Elements::parse(elements.role, written) {
                Ok(elements) => Ok(Form::Elements(elements)),
                Err(error) => Err(format!("it is no CSS selector that dehusk knows: {error}")),
            },
            Form::Run(_) | Form::Regex(_) | Form::Block(_) => {
                form(id, written, lexer).map_err(|error| format!("the regex does not compile: {error}"))
            }
        }
    }

    /// The key of the regex or selector in a pattern file.
    pub fn key(&self) -> &'static str {
        match self {
            Form::Elements(elements) => elements.role.key(),
            Form::Block(_) => "rows",
            Form::Run(_) | Form::Regex(_) => "regex",
        }
    }
}

/// One regex or selector, for a person to review. It always compiles.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Unique in its file. For a mined pattern, a hash of the template, so that mining again gives the same id.
    pub id: String,
    /// What a person decided.
    pub status: Status,
    /// In the dialect that `fancy-regex`, Python's `re` and PCRE2 (UTF and UCP) share. If the pattern selects elements
    /// of pages, this is a CSS selector.
    pub regex: String,
    /// How it is matched. Follows from the id and the regex.
    #[doc(hidden)]
    pub form: Form,
    /// Number of documents it was seen in, near-duplicates counted once.
    pub documents: usize,
    /// Number of documents of its source or sources, near-duplicates counted once.
    pub among: usize,
    /// Number of times it was seen.
    pub occurrences: usize,
    /// Number of sources it was seen in, if it is shared.
    pub sources: Option<usize>,
    /// Only of a selector: the share of the removed words that it accounts for, 0..=1, in thousandths. It accounts for
    /// the removed words inside its elements, or outside of them if they hold the content. Several selectors can
    /// account for the same word, so the sum of these shares may be more than 1. `None` if the share was not measured.
    pub removes: Option<f64>,
    /// A text it matches.
    pub example: String,
    /// If set, it ends articles that have at least this many words of prose before it.
    pub ends_after: Option<usize>,
    /// A person's note.
    pub note: String,
}

impl Pattern {
    /// The share of the documents that have it, 0..=1.
    pub fn share(&self) -> f64 {
        if self.among == 0 { 0.0 } else { (self.documents as f64 / self.among as f64).min(1.0) }
    }

    /// The key of its regex or selector in its file: `regex` if it matches text, `content` or `drop` if it is a
    /// selector.
    pub fn key(&self) -> &'static str {
        self.form.key()
    }

    /// Whether the regex is the one that mining wrote.
    #[doc(hidden)]
    pub fn is_as_mined(&self) -> bool {
        match &self.form {
            Form::Run(_) | Form::Block(_) => true,
            Form::Regex(_) => false,
            Form::Elements(elements) => elements.id(self.id.len()) == self.id,
        }
    }

    /// The elements that it selects. `None` if it matches text.
    #[doc(hidden)]
    pub fn elements(&self) -> Option<&Elements> {
        match &self.form {
            Form::Elements(elements) => Some(elements),
            Form::Run(_) | Form::Regex(_) | Form::Block(_) => None,
        }
    }

    /// The rows that it matches. `None` if it is no block.
    #[doc(hidden)]
    pub fn block(&self) -> Option<&Block> {
        match &self.form {
            Form::Block(block) => Some(block),
            Form::Run(_) | Form::Regex(_) | Form::Elements(_) => None,
        }
    }

    /// Its compiled regex. `None` if it selects elements.
    #[doc(hidden)]
    pub fn compiled(&self) -> Result<Option<Arc<fancy_regex::Regex>>, Box<fancy_regex::Error>> {
        Ok(match &self.form {
            Form::Regex(regex) => Some(regex.compiled()?.clone()),
            Form::Run(_) | Form::Block(_) => Some(Arc::new(fancy_regex::Regex::new(&self.regex)?)),
            Form::Elements(_) => None,
        })
    }

    /// Whether the regex matches in the example. The regex may require text before a match, which the example does not
    /// have. So the example is also tried after a full stop and after a letter. True for a selector, because an example
    /// without its page says nothing about it.
    fn matches_example(&self) -> Result<bool, Box<fancy_regex::Error>> {
        let Some(regex) = self.compiled()? else { return Ok(true) };
        for before in ["", ".", "a"] {
            if regex.is_match(&format!("{before}{}", self.example))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn matches_all_of(&self, text: &str) -> bool {
        let Ok(Some(regex)) = self.compiled() else { return false };
        regex.find(text).is_ok_and(|found| found.is_some_and(|found| found.range() == (0..text.len())))
    }

    /// Number of its tokens, if it is a run of tokens.
    #[doc(hidden)]
    pub fn tokens(&self) -> usize {
        match &self.form {
            Form::Run(run) => run.pieces().len(),
            Form::Block(block) => block.rows.iter().map(|row| row.run.pieces().len()).sum(),
            Form::Regex(_) | Form::Elements(_) => 0,
        }
    }

    /// Whether a person changed it.
    pub fn is_touched(&self) -> bool {
        self.status != Status::Proposed || !self.note.is_empty() || !self.is_as_mined()
    }
}

/// A share, rounded to 3 decimal places.
pub(crate) fn thousandths(share: f64) -> f64 {
    // By way of a whole number, so that there is no negative zero.
    f64::from((1000.0 * share).round() as u32) / 1000.0
}

/// The form of a regex: a run of tokens if the id shows that mining wrote it, else compiled.
pub fn form(id: &str, regex: &str, lexer: &Lexer) -> Result<Form, Box<fancy_regex::Error>> {
    if [ID_DIGITS, LONG_ID_DIGITS].contains(&id.len())
        && let Some(run) = self::regex::parse(regex, lexer)
        && id_of(&run, lexer.mutable(), id.len()) == id
    {
        return Ok(Form::Run(run));
    }
    Ok(Form::Regex(ForeignRegex::new(regex)?))
}

/// Number of hexadecimal digits of an id, and of an id whose short form is already used in its file.
pub const ID_DIGITS: usize = 8;
/// See [`ID_DIGITS`].
pub const LONG_ID_DIGITS: usize = 16;

/// The first digits of the template's hash. Only the names of mutable patterns are hashed, so a better regex for
/// numbers does not change the ids of templates with numbers.
pub fn id_of(run: &TokenRun, mutable: &MutableSet, digits: usize) -> String {
    hashed(&run.written(mutable), digits)
}

/// The first digits of a text's hash (64-bit FNV-1a, finished as in MurmurHash3).
fn hashed(text: &str, digits: usize) -> String {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, fnv);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    let mut id = format!("{:016x}", hash ^ (hash >> 33));
    id.truncate(digits);
    id
}
