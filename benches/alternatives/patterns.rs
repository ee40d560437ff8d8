//! The pattern files of several sites as one.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::Context;
use dehusk_core::patterns::{LexerCache, PatternFile};

/// The pattern file of a source, with the patterns of all other files of the folder.
pub fn joined(folder: &Path, source: &str) -> anyhow::Result<PatternFile> {
    let cache = LexerCache::default();
    let mut files: Vec<PatternFile> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let parsed = PatternFile::parse(&fs::read_to_string(entry?.path())?, &cache);
        files.push(parsed.map_err(|problems| anyhow::anyhow!("{problems:?}"))?);
    }
    files.sort_by_key(|file| (file.source != source, file.source.clone()));
    let (file, others) = files.split_first_mut().context("nothing was mined")?;
    let mut known: HashSet<String> = file.patterns.iter().map(|pattern| pattern.id.clone()).collect();
    let all_others = others.iter().flat_map(|other| &other.patterns);
    file.patterns.extend(all_others.filter(|pattern| known.insert(pattern.id.clone())).cloned());
    file.patterns.sort_by(|a, b| (&a.regex, &a.id).cmp(&(&b.regex, &b.id)));
    Ok(files.swap_remove(0))
}
