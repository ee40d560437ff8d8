//! A pattern file as parsed from YAML, before its contents are checked.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;

use super::lexers::MutableKey;
use super::problem::FileProblem;
use super::{Loose, Role, Status};

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRecord {
    pub(super) dehusk: Lined<u32>,
    pub(super) source: String,
    pub(super) mined: Lined<MinedRecord>,
    pub(super) unusual: Option<String>,
    #[serde(default)]
    pub(super) loose: Loose,
    #[serde(default)]
    pub(super) keep: Vec<KeepRecord>,
    #[serde(default)]
    pub(super) patterns: Vec<PatternRecord>,
    #[serde(default)]
    pub(super) evidence: Vec<EvidenceRecord>,
    #[serde(default)]
    pub(super) mutable: MutableKey,
    #[serde(default)]
    pub(super) histogram: BTreeMap<u8, u64>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct KeepRecord {
    pub(super) text: Lined<String>,
    #[serde(default)]
    pub(super) note: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct MinedRecord {
    pub(super) documents: usize,
    #[serde(default)]
    pub(super) near_duplicates: usize,
    #[serde(default)]
    pub(super) snapshots: bool,
    pub(super) tokens: usize,
    pub(super) cutoff: f64,
    pub(super) removed: Option<f64>,
    pub(super) tokenizer: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternRecord {
    pub(super) id: Lined<String>,
    #[serde(default)]
    pub(super) status: Status,
    /// The pattern in words, which is made from the regex.
    pub(super) text: Option<Lined<String>>,
    pub(super) regex: Option<Lined<String>>,
    pub(super) content: Option<Lined<String>>,
    pub(super) drop: Option<Lined<String>>,
    #[serde(default)]
    pub(super) rows: Vec<RowRecord>,
    #[serde(default)]
    pub(super) documents: usize,
    pub(super) among: Option<usize>,
    #[serde(default)]
    pub(super) occurrences: usize,
    pub(super) sources: Option<usize>,
    pub(super) removes: Option<Lined<f64>>,
    pub(super) ends_after: Option<usize>,
    #[serde(default)]
    pub(super) example: String,
    #[serde(default)]
    pub(super) note: String,
}

/// A row of a block.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct RowRecord {
    pub(super) text: Lined<String>,
    pub(super) documents: usize,
    /// As often as there are documents, if missing.
    pub(super) occurrences: Option<usize>,
    #[serde(default = "yes")]
    pub(super) sure: bool,
    /// Lines, and characters in each.
    #[serde(default)]
    pub(super) between: (u16, u16),
    #[serde(default)]
    pub(super) after: (u16, u16),
}

/// Text that recurs, without a decision of a person.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct EvidenceRecord {
    pub(super) text: Lined<String>,
    pub(super) documents: usize,
    pub(super) among: Option<usize>,
    pub(super) occurrences: usize,
    pub(super) sources: Option<usize>,
    pub(super) ends_after: Option<usize>,
    /// Whether its regex has the edges of scripts without spaces, although the text has none of these characters.
    #[serde(default)]
    pub(super) unspaced: bool,
}

fn yes() -> bool {
    true
}

/// A value and its line number.
#[derive(Debug, PartialEq)]
pub(super) struct Lined<T> {
    pub(super) value: T,
    pub(super) line: u64,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lined<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lined<T>, D::Error> {
        let Spanned { value, referenced, .. } = Spanned::deserialize(deserializer)?;
        Ok(Lined { value, line: referenced.line() })
    }
}

impl MinedRecord {
    /// An error if a share is not in 0..=1.
    pub(super) fn check_shares(&self) -> Result<(), String> {
        check_share("cutoff", self.cutoff)?;
        self.removed.map_or(Ok(()), |removed| check_share("removed", removed))
    }
}

/// An error if the share is not in 0..=1. `name` says which share it is.
fn check_share(name: &str, share: f64) -> Result<(), String> {
    match (0.0..=1.0).contains(&share) {
        true => Ok(()),
        false => Err(format!("{name} is {share}, and a share is a number from 0 to 1")),
    }
}

impl PatternRecord {
    /// The regex, or the selector with the role of its elements. An error if there is not exactly one of them.
    pub(super) fn written(&self) -> Result<(Option<Role>, &Lined<String>), String> {
        let selectors = [(Some(Role::Content), &self.content), (Some(Role::Drop), &self.drop)];
        let all = selectors.into_iter().chain([(None, &self.regex)]);
        let mut written = all.filter_map(|(role, written)| Some((role, written.as_ref()?)));
        match (written.next(), written.next()) {
            (Some(one), None) => Ok(one),
            (None, _) => Err("it has no regex; add one, or a selector as 'drop' or 'content'".to_owned()),
            (Some(_), Some(_)) => Err("it has two of regex, content and drop; remove one of the two".to_owned()),
        }
    }

    /// An error, with its line, if `removes` is not a share, or if the pattern has a regex.
    pub(super) fn check_removes(&self) -> Result<(), (u64, String)> {
        let Some(Lined { value, line }) = &self.removes else { return Ok(()) };
        match self.regex {
            Some(_) => Err("'removes' is only for selectors; remove this key".to_owned()),
            None => check_share("removes", *value),
        }
        .map_err(|problem| (*line, problem))
    }
}

impl FileRecord {
    pub(super) fn parse(yaml: &str) -> Result<FileRecord, Vec<FileProblem>> {
        parse_yaml(yaml).map_err(|problem| vec![problem])
    }
}

/// Reads YAML without aliases: two hundred bytes of them can expand to gigabytes.
pub(super) fn parse_yaml<'de, T: Deserialize<'de>>(yaml: &'de str) -> Result<T, FileProblem> {
    let no_alias = serde_saphyr::alias_limits! { max_alias_expansions_per_anchor: 0 };
    let options = serde_saphyr::options! { budget: None, alias_limits: no_alias };
    serde_saphyr::from_str_with_options(yaml, options).map_err(|error| of_yaml_error(yaml, &error))
}

/// The comments at the top of a file.
pub(super) fn heading(yaml: &str) -> &str {
    // A CR also ends a comment, and the text after it may be something else.
    let is_whole = |line: &str| line.strip_suffix('\n').is_some_and(|line| !line.trim_end_matches('\r').contains('\r'));
    let lines = yaml.split_inclusive('\n').take_while(|line| line.starts_with('#') && is_whole(line));
    &yaml[..lines.map(str::len).sum()]
}

/// All comments of a file, one per line. Those at the top are unchanged.
pub(super) fn comments(yaml: &str) -> String {
    let heading = heading(yaml);
    let mut comments = heading.to_owned();
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    // Lines of a block after `key: |` are indented more than the key. There, `#` is text.
    let mut block: Option<usize> = None;
    for line in yaml[heading.len()..].lines().flat_map(|line| line.split('\r')) {
        if block.is_some_and(|key| line.trim().is_empty() || indentation(line) > key) {
            continue;
        }
        let found = comment(line);
        let content = &line[..line.len() - found.map_or(0, str::len)];
        let last = content.split_whitespace().next_back().unwrap_or_default();
        let opens = matches!(last.trim_end_matches(['+', '-']), "|" | ">");
        block = opens.then(|| indentation(line));
        if let Some(comment) = found {
            comments.extend([comment.trim_end(), "\n"]);
        }
    }
    comments
}

/// The comment at the end of a line: from a `#` outside quotes, at the start or after white space.
fn comment(line: &str) -> Option<&str> {
    let (mut quote, mut before) = (None, ' ');
    let mut rest = line.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => return Some(&line[at..]),
            (None, '\'' | '"') if before.is_whitespace() || "{[,".contains(before) => quote = Some(c),
            // A quote inside is doubled, or escaped by a backslash.
            (Some('"'), '\\') => drop(rest.next()),
            (Some('\''), '\'') if rest.next_if(|&(_, next)| next == '\'').is_some() => {}
            (Some(opened), _) if c == opened => quote = None,
            _ => {}
        }
        before = c;
    }
    None
}

/// Turns an error of the YAML library into a problem, with the pattern that the line belongs to.
fn of_yaml_error(yaml: &str, error: &serde_saphyr::Error) -> FileProblem {
    let line = error.location().map_or(0, |location| location.line());
    let before = yaml.lines().take(line as usize).collect::<Vec<_>>();
    let id = before.iter().rev().find_map(|text| id_in(text));
    let in_patterns = before.iter().rev().find(|text| text.starts_with(|c: char| c.is_alphabetic()));
    let id = id.filter(|_| in_patterns.is_some_and(|key| key.starts_with("patterns")));
    let message = match error.without_snippet() {
        serde_saphyr::Error::AliasExpansionLimitExceeded { .. } => {
            "there is an alias (*name) here, and pattern files have no aliases; write its value instead".to_owned()
        }
        error => in_plain_words(error.to_string().split(" at line ").next().unwrap_or_default()),
    };
    FileProblem { line, id: id.map(str::to_owned), message }
}

/// The message of the YAML library, in the words of a person who edits a file.
fn in_plain_words(message: &str) -> String {
    let variant = message.strip_prefix("unknown variant `").and_then(|rest| rest.split_once("`, expected one of "));
    if let Some((written, known)) = variant {
        return format!("'{written}' is not known here; write one of {known}");
    }
    match message {
        "invalid u64" => "a whole number of 0 or more is needed here".to_owned(),
        "externally tagged enum expected scalar or mapping" => "one word is needed here".to_owned(),
        message if message.ends_with("expected a tuple of size 2") => {
            "two numbers are needed here, of lines and of characters, such as [3, 90]".to_owned()
        }
        message => message.to_owned(),
    }
}

/// The id in a line of a pattern file.
pub(super) fn id_in(line: &str) -> Option<&str> {
    let id = line.trim_start().trim_start_matches(['-', '{', ' ']).strip_prefix("id:")?;
    Some(id.split(',').next().unwrap_or(id).trim().trim_matches(['\'', '"']))
}
