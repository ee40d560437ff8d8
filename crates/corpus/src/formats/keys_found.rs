//! Finds the keys that a user named but no document has.
//!
//! Takes the documents of a run as they are read. Says which named keys all documents lack, and which keys they have
//! instead.

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
    other: Mutex<Option<(PathBuf, u64, String)>>,
    is_told: AtomicBool,
}

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
        KeysFound { keys, other: Mutex::new(None), is_told: AtomicBool::new(false) }
    }

    /// Notes whether the document with this number in `file` has a name, a source and a URL. `keys` says which keys the
    /// document has.
    pub(crate) fn note(&self, has: [bool; 3], file: &Path, number: u64, keys: impl FnOnce() -> String) {
        let mut lacks_any = false;
        for (key, has) in self.keys.iter().zip(has) {
            lacks_any |= key.is_named && !has;
            // It is written once only, because other threads read it all the time.
            if has && !key.is_found.load(Ordering::Relaxed) {
                key.is_found.store(true, Ordering::Relaxed);
            }
        }
        if lacks_any {
            let mut other = self.other();
            if other.as_ref().is_none_or(|(first, at, _)| (file, number) < (first.as_path(), *at)) {
                *other = Some((file.to_path_buf(), number, keys()));
            }
        }
    }

    /// A message for each key that the user named and no document has. Empty if these messages were returned before.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let other = self.other();
        let Some((file, number, has)) = &*other else { return Vec::new() };
        if self.is_told.swap(true, Ordering::Relaxed) {
            return Vec::new();
        }
        let unknown = self.keys.iter().filter(|key| key.is_named && !key.is_found.load(Ordering::Relaxed));
        unknown
            .map(|key| {
                format!("no document has the key {:?} ({}): {}:{number} {has}", key.key, key.setting, file.display())
            })
            .collect()
    }

    fn other(&self) -> MutexGuard<'_, Option<(PathBuf, u64, String)>> {
        self.other.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        found.note([false; 3], Path::new("x"), 1, || unreachable!("these are the usual keys"));
        assert_eq!(found.unknown(), Vec::<String>::new());
    }
}
