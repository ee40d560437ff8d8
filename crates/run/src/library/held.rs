//! Pattern files in memory. Those for which there is no room are packed, and parsed when they are asked for.

use std::io;
use std::sync::{Arc, OnceLock};

use twox_hash::XxHash3_64;

use crate::room::Room;
use dehusk_core::patterns::index::has_content;
use dehusk_core::patterns::{LexerCache, Pattern, PatternFile};

/// Maximum number of tokens of the patterns in files that are kept parsed. A token takes about 100 bytes: its text, and
/// its part of the regex and of the example.
const MAX_PARSED_TOKENS: usize = 1 << 20;
/// The compression level of Zstandard for packed files.
const LEVEL: i32 = 3;

/// A pattern file in memory.
#[derive(Debug)]
pub(super) struct Held {
    content: Content,
    hash: OnceLock<u64>,
}

#[derive(Debug)]
enum Content {
    Parsed(Arc<PatternFile>),
    /// Its text in a folder, compressed, and the length of the text in bytes.
    Packed(Box<[u8]>, usize),
}

impl Held {
    /// The file, parsed. `lexers` are those with which it was packed.
    pub fn file(&self, lexers: &LexerCache) -> Arc<PatternFile> {
        match &self.content {
            Content::Parsed(file) => Arc::clone(file),
            Content::Packed(..) => {
                let parsed = PatternFile::parse(&self.text(), lexers);
                Arc::new(
                    parsed.unwrap_or_else(|problems| panic!("a file was written that cannot be read: {problems:?}")),
                )
            }
        }
    }

    /// The file, if it is not packed.
    pub fn parsed(&self) -> Option<&Arc<PatternFile>> {
        match &self.content {
            Content::Parsed(file) => Some(file),
            Content::Packed(..) => None,
        }
    }

    /// Whether the source needs a file of its own. A packed file has patterns.
    pub fn has_content(&self) -> bool {
        self.parsed().is_none_or(|file| has_content(file))
    }

    /// A hash of the file as it was read. If it was not read from a folder, of the text that it has there.
    pub fn hash(&self) -> u64 {
        *self.hash.get_or_init(|| hash_of(&self.text()))
    }

    /// The text of the file in a folder.
    pub fn text(&self) -> String {
        match &self.content {
            Content::Parsed(file) => file.to_yaml_in_folder(),
            Content::Packed(packed, length) => {
                let text = zstd::bulk::decompress(packed, *length)
                    .and_then(|text| String::from_utf8(text).map_err(io::Error::other));
                text.unwrap_or_else(|error| panic!("a text was packed that cannot be unpacked: {error}"))
            }
        }
    }
}

fn hash_of(yaml: &str) -> u64 {
    XxHash3_64::oneshot(yaml.as_bytes())
}

/// The room for files that are parsed, in tokens of their patterns.
#[derive(Debug)]
pub(super) struct RoomForFiles(Room);

impl Default for RoomForFiles {
    fn default() -> RoomForFiles {
        RoomForFiles(Room::new(MAX_PARSED_TOKENS))
    }
}

impl RoomForFiles {
    /// Without any room, so that every file with patterns is packed.
    #[cfg(test)]
    pub fn none() -> RoomForFiles {
        RoomForFiles(Room::new(0))
    }

    /// Packs the file, unless there is room for it. There always is room for a file without patterns. If the file was
    /// read from a folder, `yaml` is its text there.
    pub fn hold(&self, file: PatternFile, yaml: Option<&str>, lexers: &LexerCache) -> Held {
        let hash = yaml.map(hash_of).map_or_else(OnceLock::new, OnceLock::from);
        Held { content: self.content(file, lexers), hash }
    }

    fn content(&self, file: PatternFile, lexers: &LexerCache) -> Content {
        if self.0.take(file.all().map(Pattern::tokens).sum()) {
            return Content::Parsed(Arc::new(file));
        }
        lexers.add(file.lexer.mutable());
        let text = file.to_yaml_in_folder();
        match zstd::bulk::compress(text.as_bytes(), LEVEL) {
            Ok(packed) => Content::Packed(packed.into(), text.len()),
            // There is too little memory to compress. Perhaps there is enough for the file.
            Err(_) => Content::Parsed(Arc::new(file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINED: &str = "dehusk: 1\nsource: bay\nmined: {documents: 9, tokens: 90, cutoff: 0.5, tokenizer: words}\n";
    const PATTERNS: &str = r"patterns:
  - {id: a, status: rejected, regex: 'Read (?:it|this)', documents: 8, note: 'not ours'}
evidence:
  - {documents: 9, occurrences: 9, text: '⏎Tide tables⏎'}
";

    fn file(mutable: &str) -> PatternFile {
        let yaml = format!("{MINED}{PATTERNS}{mutable}");
        PatternFile::parse(&yaml, &LexerCache::default()).unwrap_or_else(|problems| panic!("{problems:?}: {yaml}"))
    }

    #[test]
    fn a_packed_file_is_the_file() {
        for mutable in ["mutable: []\n", "mutable:\n  - {name: number, regex: '[0-9]+'}\n"] {
            let (lexers, before) = (LexerCache::default(), file(mutable));
            let held = RoomForFiles::none().hold(before.clone(), None, &lexers);
            assert!(held.parsed().is_none() && held.has_content());
            let after = held.file(&lexers);
            let again = RoomForFiles::none().hold(before.clone(), Some(&held.text()), &lexers);
            assert_eq!(again.hash(), held.hash());
            assert_eq!((after.to_yaml(), held.text()), (before.to_yaml(), before.to_yaml_in_folder()));
            assert!(Arc::ptr_eq(after.lexer.mutable(), before.lexer.mutable()), "texts are read with one lexer");
        }
    }

    #[test]
    fn a_file_without_patterns_is_never_packed() {
        let empty = PatternFile::empty("bay", &file("mutable: []\n").lexer);
        let held = RoomForFiles::none().hold(empty, None, &LexerCache::default());
        assert!(held.parsed().is_some() && !held.has_content());
    }
}
