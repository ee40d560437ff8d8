//! Finds the keys that a user named but no document has.
//!
//! Takes the documents of a run as they are read. Says which named keys all documents lack, and which keys they have
//! instead.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dehusk_core::setting::Setting;
use serde_json::{Map, Value};

use crate::Keys;
use crate::skipped::excerpt;

/// Maximum number of keys that a message names.
const MAX_NAMED: usize = 20;

/// Notes which of the expected keys the documents of a run have. Any thread may add to it.
#[derive(Debug)]
pub(crate) struct KeysFound {
    /// The keys of the name, the source and the URL.
    keys: [NamedKey; 3],
    /// The first document, by file and number, that lacks one of the keys that the user named: its file, its number and
    /// its keys. So the message does not depend on the order in which threads read.
    other: Mutex<Option<Place>>,
    /// The same for a document without a source and a URL.
    sourceless: Mutex<Option<Place>>,
    /// The sources that are named after their files, because nothing else names them.
    named_by_file: Mutex<BTreeSet<String>>,
    is_told: AtomicBool,
}

/// The file of a document, its number, and its keys in words.
type Place = (PathBuf, u64, String);

#[derive(Debug)]
struct NamedKey {
    key: String,
    /// The setting that names this key.
    setting: Setting,
    /// Whether the user named this key. A key that nobody named may be missing.
    is_named: bool,
    is_found: AtomicBool,
}

impl KeysFound {
    pub(crate) fn new(keys: &Keys) -> KeysFound {
        let usual = Keys::default();
        let named = [
            (Setting::IdKey, &keys.id, usual.id),
            (Setting::SourceKey, &keys.source, usual.source),
            (Setting::UrlKey, &keys.url, usual.url),
        ];
        let keys = named.map(|(setting, key, usual)| NamedKey {
            key: key.clone(),
            setting,
            is_named: *key != usual,
            is_found: AtomicBool::new(false),
        });
        KeysFound {
            keys,
            other: Mutex::default(),
            sourceless: Mutex::default(),
            named_by_file: Mutex::default(),
            is_told: AtomicBool::new(false),
        }
    }

    /// Notes whether the document with this number in `file` has a name, a source and a URL. `keys` says which keys the
    /// document has.
    pub(crate) fn note(&self, has: [bool; 3], file: &Path, number: u64, keys: impl Fn() -> String) {
        let mut lacks_any = false;
        for (key, has) in self.keys.iter().zip(has) {
            lacks_any |= key.is_named && !has;
            // It is written once only, because other threads read it all the time.
            if has && !key.is_found.load(Ordering::Relaxed) {
                key.is_found.store(true, Ordering::Relaxed);
            }
        }
        let [_, has_source, has_url] = has;
        for (first, is_one) in [(&self.other, lacks_any), (&self.sourceless, !has_source && !has_url)] {
            if is_one {
                let mut first = lock(first);
                if first.as_ref().is_none_or(|(first, at, _)| (file, number) < (first.as_path(), *at)) {
                    *first = Some((file.to_path_buf(), number, keys()));
                }
            }
        }
    }

    /// Notes that nothing but the name of its file names a source.
    pub(crate) fn note_named_by_file(&self, source: &str) {
        let mut named = lock(&self.named_by_file);
        if !named.contains(source) {
            named.insert(source.to_owned());
        }
    }

    /// A message for each key that the user named and no document has, and one for sources that are named after their
    /// files. Empty if these messages were returned before.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let (other, named) = (lock(&self.other), lock(&self.named_by_file));
        if (other.is_none() && named.is_empty()) || self.is_told.swap(true, Ordering::Relaxed) {
            return Vec::new();
        }
        let is_unknown = |key: &&NamedKey| key.is_named && !key.is_found.load(Ordering::Relaxed);
        let mut messages = Vec::new();
        if let Some((file, number, has)) = &*other {
            messages.extend(self.keys.iter().filter(is_unknown).map(|NamedKey { key, setting, .. }| {
                format!("no document has the key {key:?} ({setting}): {}:{number} {has}", file.display())
            }));
        }
        if let (false, Some((file, number, has))) = (named.is_empty(), &*lock(&self.sourceless)) {
            messages.push(format!(
                "{}:{number} {has}: none of them names its source, so the name of the file does ({}); name it in another \
                 way with {}, {}, {} or {}",
                file.display(),
                listed(named.iter().map(String::as_str)),
                Setting::Source,
                Setting::SourceKey,
                Setting::UrlKey,
                Setting::SourceBy,
            ));
        }
        messages
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says which keys a line has. A line that is not a JSON object has none.
pub(crate) fn keys_of(line: &str) -> String {
    keys_in(&object(line))
}

/// Says which keys a line has, and which of them has the longest text.
pub(crate) fn keys_and_text_of(line: &str) -> String {
    let object = object(line);
    let texts = object.iter().filter_map(|(key, value)| Some((key, value.as_str()?)));
    let texts = texts.filter(|(_, text)| text.contains(char::is_whitespace));
    let longest = texts.max_by_key(|(_, text)| text.len());
    let longest = longest.map(|(key, _)| format!("; the longest text is in {:?}", excerpt(key))).unwrap_or_default();
    keys_in(&object) + &longest
}

fn object(line: &str) -> Map<String, Value> {
    serde_json::from_str(line.trim_start_matches('\u{feff}')).unwrap_or_default()
}

fn keys_in(object: &Map<String, Value>) -> String {
    match object.is_empty() {
        true => "has no keys".to_owned(),
        false => format!("has the keys {}", listed(object.keys().map(String::as_str))),
    }
}

/// Lists names. If there are many, names only the first ones.
pub(crate) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().checked_sub(MAX_NAMED).filter(|more| *more > 0).map(|more| format!("{more} more"));
    let names: Vec<String> = names.take(MAX_NAMED).map(|name| format!("{:?}", excerpt(name))).chain(more).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_line_are_named_and_the_one_with_the_longest_text() {
        let line =
            "\u{feff}{\"uid\": 7, \"title\": \"Rain again\", \"body\": \"It rained all day.\", \"key\": \"x\"}\n";
        assert_eq!(keys_of(line), r#"has the keys "uid", "title", "body", "key""#);
        assert_eq!(keys_and_text_of(line), keys_of(line) + r#"; the longest text is in "body""#);
        assert_eq!(keys_and_text_of(r#"{"n": 1}"#), r#"has the keys "n""#);
        assert_eq!([keys_of("[1]"), keys_and_text_of("{}")], ["has no keys"; 2]);
        let many: Vec<String> = (0..22).map(|number| number.to_string()).collect();
        assert!(listed(many.iter().map(String::as_str)).ends_with(r#""19", 2 more"#));
    }

    #[test]
    fn only_keys_that_the_user_named_and_nobody_has_are_told_and_only_once() {
        let keys = Keys::default().id("uid".to_owned()).source("site".to_owned());
        let found = KeysFound::new(&keys);
        found.note([false, false, false], Path::new("x"), 2, || "has no keys".to_owned());
        found.note([false, true, false], Path::new("x"), 1, || "has the keys \"site\"".to_owned());
        found.note([false, false, false], Path::new("x"), 3, || unreachable!("the first is kept"));
        assert_eq!(found.unknown(), [r#"no document has the key "uid" (`id_key`): x:1 has the keys "site""#]);
        assert_eq!(found.unknown(), Vec::<String>::new());
        let found = KeysFound::new(&Keys::default());
        found.note([false; 3], Path::new("x"), 1, || "has no keys".to_owned());
        assert_eq!(found.unknown(), Vec::<String>::new(), "these are the usual keys");
        found.note_named_by_file("x");
        let told = found.unknown();
        assert!(told.len() == 1 && told[0].starts_with("x:1 has no keys: none of them names its source"), "{told:?}");
        assert_eq!(found.unknown(), Vec::<String>::new());
    }
}
