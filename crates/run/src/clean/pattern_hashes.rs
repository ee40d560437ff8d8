//! Hashes of the patterns that clean a file, which tell whether an earlier run did the same to it.
//!
//! Other patterns of one source change nothing for the documents of the others. So `--resume` cleans only the documents
//! of this source again.

use std::collections::BTreeMap;

use twox_hash::XxHash3_64;

use crate::Library;
use dehusk_core::patterns::SHARED;
use dehusk_corpus::InputFile;

/// A hash of each pattern file.
pub struct PatternHashes<'l> {
    by_source: BTreeMap<&'l str, u64>,
    /// Of all files.
    all: u64,
}

impl<'l> PatternHashes<'l> {
    pub fn of(library: &'l Library) -> PatternHashes<'l> {
        let by_source = library.hashes();
        let all = joined(by_source.iter().map(|(source, hash)| Some((*source, *hash))));
        PatternHashes { by_source, all }
    }

    /// A hash of the patterns for the documents of `file`. The sources of a file with many documents are not known, so all
    /// patterns count.
    pub fn for_file(&self, file: &InputFile) -> u64 {
        file.source().map_or(self.all, |source| {
            let of = |source| self.by_source.get(source).map(|hash| ("", *hash));
            joined([of(source.as_str()), of(SHARED)])
        })
    }
}

/// One hash of several.
fn joined<'a>(hashes: impl IntoIterator<Item = Option<(&'a str, u64)>>) -> u64 {
    let parts = hashes.into_iter().map(|part| format!("{part:?}\n")).collect::<String>();
    XxHash3_64::oneshot(parts.as_bytes())
}
