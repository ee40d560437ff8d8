//! Mutable patterns of pattern files, by the hash that names them.
//!
//! All files of a folder nearly always use the same mutable patterns. So a file has only their hash, and the folder has
//! one table of them, [`MUTABLE`]. The shipped mutable patterns are known without a table.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

use super::problem::FileProblem;
use super::record::parse_yaml;
use super::scalar::{quoted, scalar};
use super::{LONG_ID_DIGITS, hashed};
use crate::tokens::{MutablePattern, MutableSet, shipped_patterns};

/// The name of the table in a folder of pattern files.
pub const MUTABLE: &str = "_mutable.yaml";

/// The mutable patterns of a file, as written.
#[derive(Debug, PartialEq)]
pub(super) enum MutableKey {
    /// All of them.
    Listed(Vec<MutablePattern>),
    /// Their hash.
    Named(String),
}

impl Default for MutableKey {
    fn default() -> MutableKey {
        MutableKey::Listed(Vec::new())
    }
}

impl<'de> Deserialize<'de> for MutableKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MutableKey, D::Error> {
        struct Key;
        impl<'de> Visitor<'de> for Key {
            type Value = MutableKey;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a hash, or a list of mutable patterns")
            }

            fn visit_str<E: de::Error>(self, hash: &str) -> Result<MutableKey, E> {
                Ok(MutableKey::Named(hash.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<MutableKey, A::Error> {
                Deserialize::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(MutableKey::Listed)
            }
        }
        deserializer.deserialize_any(Key)
    }
}

/// The content of [`MUTABLE`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    mutable: BTreeMap<String, Vec<MutablePattern>>,
}

/// Mutable sets by hash, so that the files of one run share them.
#[derive(Debug, Default)]
pub struct LexerCache {
    known: Mutex<HashMap<String, Arc<MutableSet>>>,
}

impl LexerCache {
    /// Adds the sets of a folder's table, [`MUTABLE`].
    ///
    /// # Errors
    /// If the text is no such table, or if it was changed after it was written.
    pub fn add_table(&self, yaml: &str) -> Result<(), FileProblem> {
        let problem = |message: String| FileProblem { line: 0, id: None, message };
        let table: Table = parse_yaml(yaml)?;
        for (hash, patterns) in table.mutable {
            let set = self.listed(patterns).map_err(problem)?;
            if hash_of(&set) != hash {
                let message = format!(
                    "the mutable patterns '{hash}' are not as they were written; mine again, or restore the file"
                );
                return Err(problem(message));
            }
        }
        Ok(())
    }

    /// Adds the set of a lexer, so that files that name it are read with it.
    #[doc(hidden)]
    pub fn add(&self, set: &Arc<MutableSet>) {
        self.known().entry(hash_of(set).to_owned()).or_insert_with(|| Arc::clone(set));
    }

    /// All sets.
    #[doc(hidden)]
    pub fn sets(&self) -> Vec<Arc<MutableSet>> {
        self.known().values().cloned().collect()
    }

    /// Whether a file names mutable patterns that are neither known nor shipped.
    pub fn lacks(&self, yaml: &str) -> bool {
        let known = self.known();
        let names = yaml.match_indices("mutable: '").filter_map(|(at, key)| yaml[at + key.len()..].split_once('\''));
        names.into_iter().any(|(hash, _)| hash != *SHIPPED && !known.contains_key(hash))
    }

    /// The mutable patterns of a file.
    pub(super) fn mutable(&self, key: MutableKey) -> Result<Arc<MutableSet>, String> {
        let hash = match key {
            MutableKey::Listed(patterns) => return self.listed(patterns),
            MutableKey::Named(hash) => hash,
        };
        if let Some(set) = self.known().get(&hash) {
            return Ok(Arc::clone(set));
        }
        if hash != *SHIPPED {
            return Err(format!(
                "its mutable patterns '{hash}' are missing; copy {MUTABLE} from the folder in which it was written"
            ));
        }
        Ok(Arc::clone(self.known().entry(hash).or_insert_with(|| Arc::new(MutableSet::shipped()))))
    }

    /// The set of these patterns. Compiled once.
    fn listed(&self, patterns: Vec<MutablePattern>) -> Result<Arc<MutableSet>, String> {
        let hash = hash_of_patterns(&patterns);
        let mut known = self.known();
        if let Some(set) = known.get(&hash) {
            return Ok(Arc::clone(set));
        }
        let set = Arc::new(MutableSet::new(patterns).map_err(|error| error.to_string())?);
        known.insert(hash, Arc::clone(&set));
        Ok(set)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<MutableSet>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The hash of the shipped mutable patterns.
static SHIPPED: LazyLock<String> = LazyLock::new(|| hash_of_patterns(&shipped_patterns()));

/// The hash that names these mutable patterns.
pub(super) fn hash_of(set: &MutableSet) -> &str {
    set.hash_by(hash_of_patterns)
}

/// Whether these are the shipped mutable patterns.
pub(super) fn is_shipped(set: &MutableSet) -> bool {
    hash_of(set) == *SHIPPED
}

fn hash_of_patterns(patterns: &[MutablePattern]) -> String {
    hashed(&listed(patterns, ""), LONG_ID_DIGITS)
}

/// Mutable patterns as items of a list.
pub(super) fn listed(patterns: &[MutablePattern], indentation: &str) -> String {
    let mut yaml = String::new();
    for MutablePattern { name, regex } in patterns {
        let _ = writeln!(yaml, "{indentation}  - name: {}", scalar(name));
        let _ = writeln!(yaml, "{indentation}    regex: {}", quoted(regex));
    }
    yaml
}

/// The content of [`MUTABLE`] for files with these sets, and for other files, whose table was `before`. `None` if all of
/// them have no mutable patterns.
///
/// # Errors
/// If `before` is no such table.
pub fn table<'s>(sets: impl IntoIterator<Item = &'s MutableSet>, before: &str) -> Result<Option<String>, FileProblem> {
    let mut lists: BTreeMap<String, String> = BTreeMap::new();
    if !before.is_empty() {
        let table: Table = parse_yaml(before)?;
        let list = |(hash, patterns): (String, Vec<MutablePattern>)| (hash, listed(&patterns, "  "));
        lists.extend(table.mutable.into_iter().map(list));
    }
    let has_patterns = |set: &&MutableSet| !set.patterns().is_empty();
    for set in sets.into_iter().filter(has_patterns) {
        lists.entry(hash_of(set).to_owned()).or_insert_with(|| listed(set.patterns(), "  "));
    }
    if lists.is_empty() {
        return Ok(None);
    }
    let mut yaml =
        "# The mutable patterns of the pattern files in this folder. Each file names its own under `mutable`.\n"
            .to_owned();
    yaml.push_str("mutable:\n");
    lists.into_iter().for_each(|(hash, list)| yaml.extend(["  '", &hash, "':\n", &list]));
    Ok(Some(yaml))
}
