//! Inputs that are left out: a reason for each input that cannot be read, and counts of files that are not documents.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{MAX_DOCUMENT_BYTES, SourceIdError};
use dehusk_core::setting::Setting;
use dehusk_core::shown::size;

/// Maximum number of documents that are named for the same [kind] of reason. Thousands would hide all other reasons.
pub const NAMED_ALIKE: usize = 3;

/// A document, file or folder that could not be read. The run continues without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file or folder.
    pub path: Arc<Path>,
    /// The line of a JSONL file, or the number of a record in another file (row, value), from 1. `None` if all of `path` is skipped.
    pub line: Option<u64>,
    /// The reason.
    pub reason: Reason,
    /// Advice for the user, if it is the same for many documents and so should be given only once.
    pub advice: Option<Box<str>>,
}

impl Skipped {
    #[doc(hidden)]
    pub fn file(path: impl Into<Arc<Path>>, reason: impl Into<Reason>) -> Skipped {
        Skipped { path: path.into(), line: None, reason: reason.into(), advice: None }
    }

    /// The path, with the number of the line or record if there is one.
    pub fn place(&self) -> String {
        let path = self.path.to_string_lossy();
        // A line break in a name would look like the end of the message.
        let path = if path.contains(char::is_control) { format!("{path:?}") } else { path.into_owned() };
        match self.line {
            Some(line) => format!("{path}:{line}"),
            None => path,
        }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.reason)
    }
}

impl std::error::Error for Skipped {}

/// Why a document was skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The operating system reported an error.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The name is not UTF-8, so a pattern file or a summary cannot contain it.
    #[error("the file name is not valid UTF-8: rename it")]
    NameNotUtf8,
    /// It is a pipe, a socket or a device.
    #[error("is neither a file nor a folder: read it as standard input (-), if it is a pipe")]
    NotAFile,
    /// It is a symbolic link out of the given folder.
    #[error("is a link to {0:?}, outside the given folder: to read it, name that path too, or follow links")]
    LinkLeadsOut(PathBuf),
    /// It is a symbolic link to a folder that contains it.
    #[error("is a link to {0:?}, which contains it")]
    LinkLoops(PathBuf),
    /// The folder was already read through another path. Each folder is read once.
    #[error("is the same folder as {0:?}, which was already read")]
    ReadElsewhere(PathBuf),
    /// It is a Parquet file, and dehusk was built without the feature `parquet`.
    #[error(
        "is Parquet, but this dehusk was built without \
         Parquet: install one with it (cargo install --path . --features parquet), or give it as JSONL"
    )]
    WithoutParquet,
    /// It is not text in any encoding.
    #[error(
        "looks binary, {control_percent} % of its beginning are control characters: \
         if it is UTF-16, save it with a byte order mark"
    )]
    Binary {
        /// Percentage of control characters at the start of the document.
        control_percent: usize,
    },
    /// The boxes of the page cannot be used.
    #[error("its boxes cannot be used: {path:?}, line {line}: {problem}; take the boxes of the page again")]
    Boxes {
        /// The file with the boxes.
        path: PathBuf,
        /// The line of the page, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// It is larger than [`max_document`](crate::ReadOptions::max_document).
    #[error("{}", too_large(*.bytes, *.limit))]
    TooLarge {
        /// Its size. `None` if it was not read to its end.
        bytes: Option<u64>,
        /// The limit.
        limit: u64,
    },
    /// It may need more memory than there is.
    #[error("{} than the available {}: split it, or allow more ({})", needs_more(*.need), size(*.limit), Setting::Memory)]
    TooLittleMemory {
        /// The memory that it may need, in bytes. `None` if it was not read to its end.
        need: Option<u64>,
        /// The available memory, in bytes.
        limit: u64,
    },
    /// The memory is large enough for it, but not free now.
    #[doc(hidden)]
    #[error("must wait for memory")]
    NoMemoryNow,
    /// The compressed data end too early or are not valid.
    #[error("its compressed data are damaged: {0}")]
    Damaged(String),
    /// Reading a file with many documents failed before its end.
    #[error("cannot be read after record {after}: {error}")]
    BreaksOff {
        /// Number of records that could be read.
        after: u64,
        /// The error.
        error: String,
    },
    /// Standard input was already read. It can be read only once.
    #[error("standard input was read already: put it into a file first")]
    ReadAlready,
    /// The source name of a folder or a JSONL line is not valid.
    #[error(transparent)]
    UnsafeSource(#[from] SourceIdError),
    /// The file of JSON or CSV starts with a UTF-16 byte order mark.
    #[error("is UTF-16, and JSON and CSV have to be UTF-8: convert it")]
    Utf16,
    /// The line is not UTF-8.
    #[error("is not valid UTF-8 from byte {0} of the line on")]
    LineNotUtf8(usize),
    /// The line is not JSON.
    #[error("is not valid JSON: {0}")]
    NotJson(String),
    /// The line is JSON, but not an object.
    #[error("is not a JSON object")]
    NotAnObject,
    /// A key occurs twice.
    #[error("has the key {0:?} twice")]
    DuplicateKey(String),
    /// A value has the wrong type.
    #[error("the value of {key:?} is not {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// The expected type.
        expected: &'static str,
    },
    /// The line has no document.
    #[error("has neither {text:?} nor {html:?}: are these the right keys?")]
    NoText {
        /// The key that is tried first.
        text: String,
        /// The key that is tried second.
        html: String,
    },
    /// The document does not name its source, and the rule for sources uses only a name in the document.
    #[error(
        "has no {0:?} to name its source: is this the right key? (its host or folder may name its source: see {setting})",
        setting = Setting::SourceBy
    )]
    NoSourceKey(String),
    /// The document has no URL, but the rule for sources uses the URL.
    #[error("has no {0:?} whose host could name its source: is this the right key?")]
    NoUrl(String),
    /// The file of many documents is directly in the given folder, but the rule for sources uses the subfolder.
    #[error(
        "is not in a subfolder of the given folder that could name its source: put it into one, or give the parent \
         folder"
    )]
    NoFolder,
    /// The WARC record has no URL, and the URL names the source.
    #[error(
        "has no WARC-Target-URI to name its source: put the file into a folder named after its source, or \
             remove the record"
    )]
    NoTargetUri,
    /// The regex for sources does not match the URL or path.
    #[error("the regex {regex:?} for sources finds nothing in {text:?}: change the regex so that it matches")]
    NoMatch {
        /// The regex.
        regex: String,
        /// The URL or path.
        text: String,
    },
    /// The URL has no host.
    #[error("{0:?} has no host that could name the source: write it as https://host/path")]
    NoHost(String),
    /// Some bytes of the WARC file belong to no record.
    #[error("a WARC record must start here, but there is {0:?}: get the file again if it is damaged")]
    NotARecord(String),
    /// The WARC record ends in its header or block.
    #[error("the WARC record is cut off: get the file again if it should be complete")]
    RecordCutOff,
    /// The WARC record has no length.
    #[error("the WARC record has no Content-Length: write the file with a tool that sets it")]
    NoLength,
    /// The length of the WARC record is not a number.
    #[error("the WARC record has the Content-Length {0:?}: set it to a number of bytes")]
    LengthNotANumber(String),
    /// The WARC record is followed by something other than a record, 2 empty lines or the end of the file.
    #[error(
        "the WARC record does not end after the {0} bytes of its Content-Length: get the file again if it is damaged"
    )]
    WrongLength(u64),
    /// The WARC record is larger than a document may be.
    #[error(
        "the WARC record has {bytes} bytes or more, and the limit is {limit}: set the crawler to cut off longer \
             records"
    )]
    RecordTooLarge {
        /// Its size according to its header, or the number of bytes that were read until it was refused.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The unpacked page in a WARC record is larger than a document may be.
    #[error("the page in the WARC record has more than {limit} bytes, after decompression: remove the record")]
    BodyTooLarge {
        /// The limit.
        limit: u64,
    },
    /// The file is not Parquet, is incomplete, or contradicts its own metadata.
    #[error("is not Parquet, or is damaged ({0}): get it again")]
    DamagedParquet(String),
    /// The Parquet file has encrypted columns or an encrypted footer.
    #[error("is encrypted Parquet: decrypt it first")]
    EncryptedParquet,
    /// The Parquet file has something that dehusk cannot read, such as a rare compression.
    #[error("is Parquet that cannot be read ({0}): write it again, for example with Zstandard")]
    UnsupportedParquet(String),
    /// A column has another type than its key needs.
    #[error("the column {column:?} is {found}, not {expected}: name another column")]
    WrongColumn {
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// The expected type.
        expected: &'static str,
    },
    /// The table has no column of documents.
    #[error(
        "has neither a column {text:?} nor a column {html:?} (its columns: {columns}): name the right one with {} or {}",
        Setting::TextKey,
        Setting::HtmlKey
    )]
    NoTextColumn {
        /// The column that is tried first.
        text: String,
        /// The column that is tried second.
        html: String,
        /// The columns of the table.
        columns: String,
    },
    /// The row has more or fewer fields than the first row of the table.
    #[error(
        "has {found} fields, and the table has {columns} columns: put values with the delimiter or a line break into \
         double quotes"
    )]
    WrongFields {
        /// The fields of the row.
        found: usize,
        /// The columns that the first row names.
        columns: usize,
    },
    /// A value in a table is not UTF-8.
    #[error("the value of {column:?} is not valid UTF-8 from byte {byte} on")]
    ValueNotUtf8 {
        /// The column of the value.
        column: String,
        /// The position in the value, in bytes from 1.
        byte: usize,
    },
    /// The output name cannot be a file name.
    #[error("would be written to {0:?}, and this name is too long there: shorten it")]
    OutputName(PathBuf),
    /// The file was changed while it was read.
    #[error("changed while it was read")]
    Changed,
}

impl Reason {
    /// The settings that change the expected keys, if the reason is that a document lacks these keys.
    pub(crate) fn settings_of_keys(&self) -> &'static [Setting] {
        match self {
            Reason::NoText { .. } => &[Setting::TextKey, Setting::HtmlKey],
            Reason::NoSourceKey(_) => &[Setting::SourceKey],
            Reason::NoUrl(_) => &[Setting::UrlKey],
            _ => &[],
        }
    }

    /// Whether the input exists but could not be read, perhaps only this time.
    pub fn is_of_reading(&self) -> bool {
        matches!(self, Reason::Unreadable(_) | Reason::BreaksOff { .. } | Reason::Changed)
    }
}

fn needs_more(need: Option<u64>) -> String {
    need.map_or_else(|| "needs more memory".to_owned(), |need| format!("may need {} of memory, more", size(need)))
}

fn too_large(bytes: Option<u64>, limit: u64) -> String {
    let has = match bytes {
        Some(bytes) => format!("has {bytes} bytes, more than"),
        None => "has more bytes than".to_owned(),
    };
    let remedy = match limit < MAX_DOCUMENT_BYTES as u64 {
        true => format!("split it, or allow more ({})", Setting::MaxDocument),
        false => "split it".to_owned(),
    };
    format!("{has} the {limit} that a document may have: {remedy}")
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Reason {
        Reason::Unreadable(error.to_string())
    }
}

/// The reason without the details of one document: numbers become `#`, and quoted text, such as URLs, is left out.
pub fn kind(reason: &str) -> String {
    let (mut kind, mut is_quoted, mut is_escaped) = (String::new(), false, false);
    for character in reason.chars() {
        match character {
            '"' if !is_escaped => {
                is_quoted = !is_quoted;
                kind.push('"');
            }
            _ if is_quoted => is_escaped = character == '\\' && !is_escaped,
            '0'..='9' if kind.ends_with('#') => {}
            '0'..='9' => kind.push('#'),
            other => kind.push(other),
        }
    }
    kind
}

/// Counts of files that were not opened, because their names show that they are not documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ignored {
    /// Number of files and folders whose names start with a dot.
    pub hidden: u64,
    /// Number of files without an extension.
    pub without_extension: u64,
    /// Number of files with each extension, in lower case and without the dot.
    pub extensions: BTreeMap<String, u64>,
}

impl Ignored {
    /// Number of all files.
    pub fn total(&self) -> u64 {
        self.hidden + self.without_extension + self.extensions.values().sum::<u64>()
    }

    pub(crate) fn count(&mut self, extension: Option<String>) {
        match extension {
            Some(extension) => *self.extensions.entry(extension).or_default() += 1,
            None => self.without_extension += 1,
        }
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let extensions = self.extensions.iter();
        let mut parts: Vec<String> = extensions.map(|(name, count)| format!("{count} .{name}")).collect();
        for (count, what) in [(self.without_extension, "without extension"), (self.hidden, "hidden")] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        match parts.as_slice() {
            [] => f.write_str("nothing"),
            parts => f.write_str(&parts.join(", ")),
        }
    }
}

/// A value for an error message, shortened if it is long.
pub(crate) fn excerpt(value: &str) -> String {
    const LONGEST: usize = 80;
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_path_and_line() {
        let mut skipped = Skipped::file(Path::new("a.jsonl"), Reason::NotAnObject);
        assert_eq!(skipped.to_string(), "a.jsonl: is not a JSON object");
        skipped.line = Some(7);
        assert_eq!(skipped.to_string(), "a.jsonl:7: is not a JSON object");
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        assert_eq!(excerpt("short"), "short");
        assert_eq!(excerpt(&"é".repeat(81)), "é".repeat(80) + "...");
    }
}
