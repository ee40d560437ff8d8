//! Mutable pattern files: mutable patterns, each with texts that it must match and texts that it must not match.
//!
//! `patterns/README.md` describes their form.

use std::sync::Arc;

use serde::Deserialize;

use super::mutable::{
    MutableError, MutableId, MutableMatcher, MutablePattern, MutableSet, exact, matched_end, refuse, shipped_patterns,
};

/// A pattern of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "EntryRecord")]
pub struct MutableEntry {
    /// The pattern.
    pub pattern: MutablePattern,
    /// Texts that the pattern matches as a whole, and no earlier pattern matches.
    pub examples: Vec<String>,
    /// Texts that the pattern does not match as a whole.
    pub not: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecord {
    mutable: Vec<MutableEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryRecord {
    name: String,
    regex: String,
    examples: Vec<String>,
    not: Vec<String>,
}

impl From<EntryRecord> for MutableEntry {
    fn from(EntryRecord { name, regex, examples, not }: EntryRecord) -> MutableEntry {
        MutableEntry { pattern: MutablePattern { name, regex }, examples, not }
    }
}

/// The files of [`MutablePreset::Default`], in the order in which their patterns are tried.
pub const SHIPPED: [(&str, &str); 5] = [
    ("web.yaml", include_str!("../../patterns/web.yaml")),
    ("time.yaml", include_str!("../../patterns/time.yaml")),
    ("numbers.yaml", include_str!("../../patterns/numbers.yaml")),
    ("names.yaml", include_str!("../../patterns/names.yaml")),
    ("marks.yaml", include_str!("../../patterns/marks.yaml")),
];

/// Parses a mutable pattern file. Its patterns are checked later, by [`MutableSet::new`] and [`check_examples`].
///
/// # Errors
/// If it is not YAML, or not of this form.
pub fn parse(yaml: &str) -> Result<Vec<MutableEntry>, MutableError> {
    let file: FileRecord =
        serde_saphyr::from_str(yaml).map_err(|error| MutableError::Yaml(error.without_snippet().to_string()))?;
    Ok(file.mutable)
}

/// The patterns of entries, in order.
pub fn patterns_of(entries: &[MutableEntry]) -> Vec<MutablePattern> {
    entries.iter().map(|entry| entry.pattern.clone()).collect()
}

/// Compiles the patterns of entries as one set, and checks their examples.
///
/// # Errors
/// If the patterns cannot be compiled. If an example is not matched as it must be, or if a `not` text is matched. The
/// error names the first such text.
pub fn check_examples(entries: &[MutableEntry]) -> Result<(), MutableError> {
    let set = Arc::new(MutableSet::new(patterns_of(entries))?);
    let mut matcher = MutableMatcher::new(Arc::clone(&set));
    for (index, MutableEntry { pattern, examples, not }) in entries.iter().enumerate() {
        let own = MutableId(index as u16);
        for example in examples {
            match matcher.match_at(example, 0) {
                Some((id, end)) if id == own && end == example.len() => {}
                Some((id, end)) => {
                    let (winner, part) = (&set.pattern(id).name, &example[..end]);
                    let message = format!("its example '{example}' is matched by '{winner}' as '{part}'");
                    return Err(refuse(pattern, message));
                }
                None => return Err(refuse(pattern, format!("it does not match its example '{example}'"))),
            }
        }
        let alone = exact(pattern).map_err(|error| refuse(pattern, error))?;
        if let Some(text) = not.iter().find(|text| matched_end(&alone, text, 0) == Some(text.len())) {
            return Err(refuse(pattern, format!("it matches '{text}', which is in its 'not' list")));
        }
    }
    Ok(())
}

/// The sets of mutable patterns inside the binary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MutablePreset {
    /// Dates, times, numbers, addresses, initials and titles of names, in many languages, and rows of marks.
    #[default]
    Default,
    /// 17 patterns that follow the description in Foschini's thesis (chapter 3). They also match runs of upper-case
    /// words, rows of two dashes, bare units of time, abbreviations and `by`.
    Foschini,
    /// No patterns.
    None,
}

impl MutablePreset {
    /// The files of the preset with their names, in the order in which their patterns are tried.
    pub fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            MutablePreset::Default => &SHIPPED,
            MutablePreset::Foschini => &[("foschini.yaml", include_str!("../../patterns/presets/foschini.yaml"))],
            MutablePreset::None => &[],
        }
    }

    /// What its files have, in the order in which the patterns are tried.
    pub fn entries(self) -> Vec<MutableEntry> {
        let entries = |(name, yaml): &(&str, &str)| {
            parse(yaml).unwrap_or_else(|error| panic!("a test reads the shipped patterns, {name}: {error}"))
        };
        self.files().iter().flat_map(entries).collect()
    }

    /// The patterns, in the order in which they are tried.
    pub fn patterns(self) -> Vec<MutablePattern> {
        match self {
            // Compiled already, so that no file needs to be parsed.
            MutablePreset::Default => shipped_patterns(),
            MutablePreset::Foschini | MutablePreset::None => patterns_of(&self.entries()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_example_is_a_complaint() {
        let pattern = MutablePattern { name: "x".into(), regex: "a".into() };
        let entry = MutableEntry { pattern, examples: vec![String::new()], not: vec![] };
        assert!(check_examples(&[entry]).is_err());
    }

    #[test]
    fn unknown_keys_are_refused() {
        assert!(parse("mutable:\n  - nmae: x\n").unwrap_err().to_string().contains("nmae"));
    }
}
