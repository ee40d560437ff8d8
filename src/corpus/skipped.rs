//! What is left out: what could not be read, and why; and how many files are no documents.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{MAX_DOCUMENT_BYTES, SourceIdError};

/// A document, or a whole file or folder, that could not be read. The rest goes on without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file or folder.
    pub path: Arc<Path>,
    /// The line of a JSONL file, or which record of another, from 1; `None` where all of `path` is skipped.
    pub line: Option<u64>,
    /// Why.
    pub reason: Reason,
}

impl Skipped {
    pub(super) fn file(path: impl Into<Arc<Path>>, reason: impl Into<Reason>) -> Skipped {
        Skipped { path: path.into(), line: None, reason: reason.into() }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let path = self.path.to_string_lossy();
        // A line break in a name would pass for the end of the message.
        match path.contains(char::is_control) {
            true => write!(f, "{path:?}:")?,
            false => write!(f, "{path}:")?,
        }
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.reason)
    }
}

impl std::error::Error for Skipped {}

/// Why a document was skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The operating system would not let us.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// A name that cannot be repeated in a pattern file or a summary.
    #[error("the file name is not valid UTF-8: rename it")]
    NameNotUtf8,
    /// A pipe, a socket, a device.
    #[error("is neither a file nor a folder: read it as standard input (-), if it is a pipe")]
    NotAFile,
    /// A symbolic link out of the folder that was given.
    #[error("is a link to {0:?}, outside the given folder: name that path too, or follow links, to have it read")]
    LinkLeadsOut(PathBuf),
    /// A symbolic link to a folder around it.
    #[error("is a link to {0:?}, which contains it")]
    LinkLoops(PathBuf),
    /// A folder that another path led to before: each is read once.
    #[error("is the same folder as {0:?}, which is read already")]
    ReadElsewhere(PathBuf),
    /// A Parquet file, where the feature `parquet` is missing.
    #[error(
        "is Parquet, which this dehusk was built without: \
         install one that can (cargo install dehusk --features parquet), or give it as JSONL"
    )]
    WithoutParquet,
    /// Not a text in any encoding.
    #[error(
        "looks binary, {control_percent} % of its beginning are control characters: \
         if it is UTF-16, save it with a byte order mark"
    )]
    Binary {
        /// How much of the document's beginning are control characters.
        control_percent: usize,
    },
    /// More than [`max_document`](super::ReadOptions::max_document).
    #[error("{}", too_large(*.bytes, *.limit))]
    TooLarge {
        /// How large it is; `None` if it was not read to its end.
        bytes: Option<u64>,
        /// How large it may be.
        limit: u64,
    },
    /// Compressed data that end too early, or are not what they should be.
    #[error("its compressed data are damaged: {0}")]
    Damaged(String),
    /// A file with many documents that breaks off.
    #[error("cannot be read any further after record {after}: {error}")]
    BreaksOff {
        /// How many records could be read.
        after: u64,
        /// What is wrong.
        error: String,
    },
    /// Standard input, which comes only once.
    #[error("standard input was read already: put it into a file first")]
    ReadAlready,
    /// A folder or a JSONL line whose source has no usable name.
    #[error(transparent)]
    UnsafeSource(#[from] SourceIdError),
    /// A JSONL file that starts with a UTF-16 byte order mark.
    #[error("is UTF-16, and JSONL has to be UTF-8: convert it")]
    JsonlInUtf16,
    /// A line that is not UTF-8.
    #[error("is not valid UTF-8 from byte {0} of the line on")]
    LineNotUtf8(usize),
    /// A line that is not JSON.
    #[error("is not valid JSON: {0}")]
    NotJson(String),
    /// A line that holds JSON, but not an object.
    #[error("is not a JSON object")]
    NotAnObject,
    /// A key that occurs twice.
    #[error("has the key {0:?} twice")]
    DuplicateKey(String),
    /// A value of the wrong type.
    #[error("the value of {key:?} is not {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// What its value should have been.
        expected: &'static str,
    },
    /// A line without a document.
    #[error("has neither {text:?} nor {html:?}: are these the right keys?")]
    NoText {
        /// The key looked for first.
        text: String,
        /// The key looked for then.
        html: String,
    },
    /// A line that does not say which source it is of.
    #[error(
        "has neither {source_key:?} nor {url:?}: are these the right keys? \
         (in a folder named after its source a file needs neither)"
    )]
    NoSource {
        /// The key looked for first.
        source_key: String,
        /// The key looked for then.
        url: String,
    },
    /// A document that does not name its source, where that alone counts.
    #[error("has no {0:?} to name its source: is this the right key? (by host or folder it may have one)")]
    NoSourceKey(String),
    /// A document without address, where the address names the source.
    #[error("has no {0:?} whose host could name its source: is this the right key?")]
    NoUrl(String),
    /// A file of many documents that lies in the given folder itself, where the folder names the source.
    #[error(
        "lies in no folder below the given one that could name its source: put it into one, or give the one around"
    )]
    NoFolder,
    /// A WARC record without address, where the address names the source.
    #[error(
        "has no WARC-Target-URI to name its source: put the file into a folder named after its source, or take \
             the record out"
    )]
    NoTargetUri,
    /// An address, or a path, in which the regex for sources finds nothing.
    #[error("the regex {regex:?} for sources finds nothing in {text:?}: change it so that it does")]
    NoMatch {
        /// The regex.
        regex: String,
        /// The address or path.
        text: String,
    },
    /// An address without a host.
    #[error("{0:?} has no host to take for the source: write it as https://host/path")]
    NoHost(String),
    /// Bytes of a WARC file that belong to no record.
    #[error("no WARC record starts here, but {0:?}: get the file again if it is damaged")]
    NotARecord(String),
    /// A WARC record that ends in its header or block.
    #[error("the WARC record is cut off: get the file again if it should be whole")]
    RecordCutOff,
    /// A WARC record that does not say how long it is.
    #[error("the WARC record has no Content-Length: write the file with a tool that sets it")]
    NoLength,
    /// A WARC record that says it in another way than by a number.
    #[error("the WARC record has the Content-Length {0:?}: set it to a number of bytes")]
    LengthNotANumber(String),
    /// A WARC record after which neither another one comes, nor two empty lines, nor the end.
    #[error(
        "the WARC record does not end after the {0} bytes of its Content-Length: get the file again if it is damaged"
    )]
    WrongLength(u64),
    /// A WARC record that is longer than a document may be.
    #[error("the WARC record has {bytes} bytes or more, and may have {limit}: have the crawler cut off what is longer")]
    RecordTooLarge {
        /// What it says, or what was read until it was refused.
        bytes: u64,
        /// How long one may be.
        limit: u64,
    },
    /// A page in a WARC record that is longer, unpacked, than a document may be.
    #[error("the page in the WARC record has more than {limit} bytes, unpacked: take the record out")]
    BodyTooLarge {
        /// How long one may be.
        limit: u64,
    },
    /// A file that is no Parquet, or not all of one, or says of itself what is not so.
    #[error("is not Parquet, or is damaged ({0}): get it anew")]
    DamagedParquet(String),
    /// Parquet with encrypted columns or an encrypted footer.
    #[error("is encrypted Parquet: decrypt it first")]
    EncryptedParquet,
    /// Parquet with something in it that cannot be read here, such as a rare compression.
    #[error("is Parquet that cannot be read ({0}): write it anew, as with Zstandard")]
    UnsupportedParquet(String),
    /// A column that holds something else than its key promises.
    #[error("the column {column:?} is {found}, and not {expected}: name another one")]
    WrongColumn {
        /// The column.
        column: String,
        /// What it holds.
        found: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// A table without documents.
    #[error("has neither a column {text:?} nor {html:?}, but {columns}: are these the right keys?")]
    NoTextColumn {
        /// The column looked for first.
        text: String,
        /// The column looked for then.
        html: String,
        /// The columns that there are.
        columns: String,
    },
    /// A value in a table that is not UTF-8.
    #[error("the value of {column:?} is not valid UTF-8 from byte {byte} on")]
    ValueNotUtf8 {
        /// The value's column.
        column: String,
        /// Where in the value, from 1.
        byte: usize,
    },
    /// An output whose name no file can have.
    #[error("would be written to {0:?}, which is too long a name there: shorten it")]
    OutputName(PathBuf),
    /// A file that was changed under us.
    #[error("changed while it was read")]
    Changed,
}

fn too_large(bytes: Option<u64>, limit: u64) -> String {
    let has = match bytes {
        Some(bytes) => format!("has {bytes} bytes, more than"),
        None => "has more bytes than".to_owned(),
    };
    let remedy = match limit < MAX_DOCUMENT_BYTES as u64 {
        true => "split it, or allow more (--max-document)",
        false => "split it",
    };
    format!("{has} the {limit} that a document may have: {remedy}")
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Reason {
        Reason::Unreadable(error.to_string())
    }
}

/// Files that were not looked into, because their names say that they are no documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ignored {
    /// Files and folders whose names begin with a dot.
    pub hidden: u64,
    /// Files without any extension.
    pub without_extension: u64,
    /// How many files have which extension; in lower case, without the dot.
    pub extensions: BTreeMap<String, u64>,
}

impl Ignored {
    /// How many there are.
    pub fn total(&self) -> u64 {
        self.hidden + self.without_extension + self.extensions.values().sum::<u64>()
    }

    pub(super) fn count(&mut self, extension: Option<String>) {
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

/// A value as an error quotes it: its beginning, if it is long.
pub(super) fn excerpt(value: &str) -> String {
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
