//! The index of a folder of pattern files: the sources for which nothing was mined, which have no files.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Deserialize;

use super::SHARED;
use super::file::{MinedFrom, PatternFile};
use super::lexers::{LexerCache, MutableKey, hash_of};
use super::problem::FileProblem;
use super::record::parse_yaml;

use super::scalar::quoted;
use crate::shown::count;
use crate::tokens::{Lexer, Tokenizer};

/// The name of the index in a folder of pattern files.
pub const INDEX: &str = "_index.yaml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Index {
    sources: Vec<Entry>,
}

/// A source without patterns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    source: String,
    documents: usize,
    near_duplicates: usize,
    #[serde(default)]
    snapshots: bool,
    tokens: usize,
    cutoff: f64,
    removed: Option<f64>,
    tokenizer: String,
    mutable: Option<String>,
    unusual: Option<String>,
    /// For people.
    #[serde(rename = "why")]
    _why: String,
}

/// Whether a source needs a file of its own: something was mined for it, or a person changed its file.
pub fn has_content(file: &PatternFile) -> bool {
    file.is_touched() || !file.patterns.is_empty() || !file.evidence.is_empty()
}

/// The index of these files without content.
pub fn written<'f>(files: impl IntoIterator<Item = &'f PatternFile>) -> String {
    let mut yaml = "# The sources for which nothing was mined. They have no pattern files.\nsources:\n".to_owned();
    for PatternFile { source, mined, unusual, lexer, .. } in files {
        let MinedFrom { documents, near_duplicates, snapshots, tokens, cutoff, removed, .. } = mined;
        let removed = removed.map(|share| format!(", removed: {share}")).unwrap_or_default();
        let snapshots = if *snapshots { ", snapshots: true" } else { "" };
        let mutable = match lexer.mutable().patterns() {
            [] => String::new(),
            _ => format!(", mutable: '{}'", hash_of(lexer.mutable())),
        };
        let unusual = unusual.as_ref().map(|unusual| format!(", unusual: {}", quoted(unusual))).unwrap_or_default();
        let why = match mined.counted() {
            _ if source == SHARED => "no text recurs in several sources".to_owned(),
            few @ 0..=2 => format!("it has only {}", count(few, "document")),
            _ => "no text recurs in it".to_owned(),
        };
        let _ = writeln!(
            yaml,
            "{}, documents: {documents}, near_duplicates: {near_duplicates}{snapshots}, tokens: {tokens}, cutoff: {cutoff}{removed}, tokenizer: {}{mutable}{unusual}, why: {}}}",
            entry_start(source),
            quoted(lexer.tokenizer().name()),
            quoted(&why),
        );
    }
    yaml
}

/// Reads an index. The files of its sources have no patterns.
///
/// # Errors
/// If the text is no index, or if mutable patterns are missing in the cache.
pub fn parse(yaml: &str, cache: &LexerCache) -> Result<Vec<PatternFile>, FileProblem> {
    parse_some(yaml, cache, |_| true)
}

/// Reads the entries of an index that are about these sources. There may be a hundred thousand others.
///
/// # Errors
/// If the text is no index, or if mutable patterns are missing in the cache. A problem of another entry may not be found.
pub fn parse_for(yaml: &str, cache: &LexerCache, sources: &BTreeSet<&str>) -> Result<Vec<PatternFile>, FileProblem> {
    let starts: BTreeSet<String> = sources.iter().map(|source| entry_start(source)).collect();
    // An entry of another form was not written by dehusk.
    let is_entry = |line: &str| line.starts_with(ENTRY);
    let is_known = |line: &str| is_entry(line) || line.starts_with('#') || line == "sources:";
    if !yaml.lines().all(is_known) {
        return parse_some(yaml, cache, |source| sources.contains(source));
    }
    let is_wanted = |line: &&str| line.match_indices(", documents: ").any(|(end, _)| starts.contains(&line[..end]));
    let some: String = yaml.lines().filter(is_wanted).flat_map(|line| [line, "\n"]).collect();
    if some.is_empty() { Ok(Vec::new()) } else { parse(&format!("sources:\n{some}"), cache) }
}

/// How [`written`] begins an entry.
const ENTRY: &str = "  - {source: ";

fn entry_start(source: &str) -> String {
    format!("{ENTRY}{}", quoted(source))
}

fn parse_some(
    yaml: &str,
    cache: &LexerCache,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<PatternFile>, FileProblem> {
    let Index { sources } = parse_yaml(yaml)?;
    let file = |entry: Entry| -> Result<PatternFile, String> {
        let Entry {
            source,
            documents,
            near_duplicates,
            snapshots,
            tokens,
            cutoff,
            removed,
            tokenizer,
            mutable,
            unusual,
            ..
        } = entry;
        let mutable = cache.mutable(mutable.map_or_else(MutableKey::default, MutableKey::Named))?;
        let lexer = Lexer::new(Tokenizer::parse(&tokenizer).map_err(|error| error.to_string())?, mutable);
        let mined =
            MinedFrom { documents, near_duplicates, snapshots, tokens, cutoff, removed, ..MinedFrom::default() };
        Ok(PatternFile { mined, unusual, ..PatternFile::empty(&source, &lexer) })
    };
    let problem = |message: String| FileProblem { line: 0, id: None, message };
    let wanted = sources.into_iter().filter(|entry| is_wanted(&entry.source));
    wanted.map(|entry| file(entry).map_err(problem)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::MutableSet;

    #[test]
    fn an_index_is_read_as_it_is_written() {
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let mined = MinedFrom {
            documents: 5,
            near_duplicates: 1,
            tokens: 77,
            cutoff: 0.5,
            removed: Some(0.25),
            snapshots: true,
            ..MinedFrom::default()
        };
        let bare = Lexer::new(Tokenizer::Whitespace, Arc::new(MutableSet::none()));
        let files = [
            PatternFile { mined, unusual: Some("it's verse".to_owned()), ..PatternFile::empty("a.org", &lexer) },
            PatternFile::empty("no", &bare),
        ];
        let yaml = written(&files);
        assert!(
            yaml.contains("why: 'no text recurs in it'") && yaml.contains("why: 'it has only 0 documents'"),
            "{yaml}"
        );
        let read = parse(&yaml, &LexerCache::default()).unwrap();
        assert_eq!(
            read.iter().map(PatternFile::to_yaml).collect::<Vec<_>>(),
            files.iter().map(PatternFile::to_yaml).collect::<Vec<_>>()
        );
        let of = |yaml: &str, sources: &[&str]| {
            let files = parse_for(yaml, &LexerCache::default(), &sources.iter().copied().collect()).unwrap();
            files.iter().map(PatternFile::to_yaml).collect::<Vec<_>>()
        };
        let edited = yaml.replace("  - {source: 'no',", "  -  {source: no,");
        for yaml in [&yaml, &edited] {
            assert_eq!(of(yaml, &["no", "b.org"]), [files[1].to_yaml()]);
            assert_eq!(of(yaml, &["b.org"]), Vec::<String>::new());
        }
    }
}
