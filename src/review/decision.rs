//! What a person decides, and how it is taken back.
//!
//! A [`Step`] is one decision: it may change many patterns at once, in several files. Each [`Change`] says what stood
//! there before and what is to stand there, so a step that is turned round undoes itself, and a change is made only
//! where things still are as they were when the person decided.

use crate::patterns::{Keep, Pattern, PatternFile, Status, form};

/// What a person may change of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// See [`Pattern::status`].
    pub status: Status,
    /// See [`Pattern::regex`].
    pub regex: String,
    /// See [`Pattern::example`].
    pub example: String,
    /// See [`Pattern::ends_after`].
    pub ends_after: Option<usize>,
    /// See [`Pattern::note`].
    pub note: String,
}

impl Entry {
    /// As it stands.
    pub fn of(pattern: &Pattern) -> Entry {
        Entry {
            status: pattern.status,
            regex: pattern.regex.clone(),
            example: pattern.example.clone(),
            ends_after: pattern.ends_after,
            note: pattern.note.clone(),
        }
    }

    /// Tells entries apart, so that who decides can say which one was looked at.
    pub fn version(&self) -> String {
        use std::hash::{Hash, Hasher};
        let mut hasher = rustc_hash::FxHasher::default();
        (self.status.name(), &self.regex, &self.example, self.ends_after, &self.note).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}

/// One thing that is to be different in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Of a pattern.
    Pattern {
        /// Its id.
        id: String,
        /// As it was.
        from: Entry,
        /// As it is to be.
        to: Entry,
    },
    /// Of a text to keep, with its note; `None` is no such text.
    Keep {
        /// The text.
        text: String,
        /// The note it had.
        from: Option<String>,
        /// The note it is to have.
        to: Option<String>,
    },
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// In words: "accepted 3742adb3".
    pub what: String,
    /// The source whose file it changes.
    pub source: String,
    /// What it changes.
    pub changes: Vec<Change>,
}

/// Why a change cannot be made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Refusal {
    /// Somebody else changed it.
    #[error("pattern {0} was changed in its file meanwhile; look at it again")]
    Changed(String),
    /// Somebody else took it out.
    #[error("pattern {0} is no longer in its file")]
    Gone(String),
    /// Its regex does not compile, or its text cannot be kept.
    #[error("{0}")]
    Invalid(String),
    /// Somebody else kept the text, or no longer keeps it.
    #[error("'{0}' was changed among the texts to keep meanwhile; look again")]
    KeepChanged(String),
}

impl Step {
    /// What takes it back.
    pub fn undone(self) -> Step {
        let back = |change| match change {
            Change::Pattern { id, from, to } => Change::Pattern { id, from: to, to: from },
            Change::Keep { text, from, to } => Change::Keep { text, from: to, to: from },
        };
        Step { what: self.what, source: self.source, changes: self.changes.into_iter().rev().map(back).collect() }
    }

    /// The id of the pattern that it is about, if it is about one.
    pub fn only_pattern(&self) -> Option<&str> {
        match &self.changes[..] {
            [Change::Pattern { id, .. }] => Some(id),
            _ => None,
        }
    }

    /// Makes the changes, all or none.
    pub fn apply(&self, file: &mut PatternFile) -> Result<(), Refusal> {
        let mut changed = file.clone();
        let at: std::collections::HashMap<String, usize> =
            file.patterns.iter().enumerate().map(|(index, pattern)| (pattern.id.clone(), index)).collect();
        for change in &self.changes {
            match change {
                Change::Pattern { id, from, to } => {
                    let index = at.get(id).ok_or_else(|| Refusal::Gone(id.clone()))?;
                    write(&mut changed, *index, from, to)?;
                }
                Change::Keep { text, from, to } => keep(&mut changed, text, from.as_deref(), to.as_deref())?,
            }
        }
        changed.sort();
        *file = changed;
        Ok(())
    }
}

fn write(file: &mut PatternFile, index: usize, from: &Entry, to: &Entry) -> Result<(), Refusal> {
    let pattern = &mut file.patterns[index];
    if Entry::of(pattern) != *from {
        return Err(Refusal::Changed(pattern.id.clone()));
    }
    if from.regex != to.regex {
        let invalid = |error| Refusal::Invalid(format!("the regex does not compile: {error}"));
        pattern.form = form(&pattern.id, &to.regex, &file.lexer).map_err(invalid)?;
    }
    let Entry { status, regex, example, ends_after, note } = to.clone();
    *pattern = Pattern { status, regex, example, ends_after, note, ..pattern.clone() };
    Ok(())
}

fn keep(file: &mut PatternFile, text: &str, from: Option<&str>, to: Option<&str>) -> Result<(), Refusal> {
    let found = file.keep.iter().position(|keep| keep.text() == text);
    if found.map(|index| file.keep[index].note.as_str()) != from {
        return Err(Refusal::KeepChanged(text.to_owned()));
    }
    if let Some(index) = found {
        file.keep.remove(index);
    }
    if let Some(note) = to {
        file.keep.push(Keep::new(text, note).map_err(|error| Refusal::Invalid(error.to_string()))?);
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::patterns::LexerCache;

    pub(in crate::review) const FILE: &str = "dehusk: 1\nsource: s\n\
        mined: {documents: 9, near_duplicates: 0, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n\
        \x20 - id: 'a'\n    status: proposed\n    regex: 'Home News'\n    documents: 9\n    occurrences: 9\n    example: 'Home News'\n    note: ''\n\
        \x20 - id: 'b'\n    status: proposed\n    regex: 'Share'\n    documents: 3\n    occurrences: 3\n    example: 'Share'\n    note: ''\n\
        mutable: []\n";

    pub(in crate::review) fn file() -> PatternFile {
        PatternFile::parse(FILE, &LexerCache::default()).unwrap()
    }

    pub(in crate::review) fn decide(file: &PatternFile, id: &str, decide: impl Fn(&mut Entry)) -> Change {
        let from = file.patterns.iter().find(|pattern| pattern.id == id).map(Entry::of).unwrap();
        let mut to = from.clone();
        decide(&mut to);
        Change::Pattern { id: id.to_owned(), from, to }
    }

    fn step(changes: Vec<Change>) -> Step {
        Step { what: "accepted".to_owned(), source: "s".to_owned(), changes }
    }

    #[test]
    fn what_is_undone_is_as_it_was() {
        let mut file = file();
        let keep = Change::Keep { text: "Share the bread".to_owned(), from: None, to: Some("verse".to_owned()) };
        let edited = decide(&file, "b", |entry| {
            entry.regex = "Sh[ae]re".to_owned();
            entry.note = "?".to_owned();
        });
        let step = step(vec![decide(&file, "a", |entry| entry.status = Status::Accepted), edited, keep]);
        step.apply(&mut file).unwrap();
        let yaml = file.to_yaml();
        assert!(["status: accepted", "Sh[ae]re", "note: 'verse'"].iter().all(|part| yaml.contains(part)), "{yaml}");
        step.undone().apply(&mut file).unwrap();
        assert_eq!(file.to_yaml(), FILE);
    }

    #[test]
    fn a_decision_on_what_is_no_longer_so_changes_nothing() {
        let mut file = file();
        let rejected = step(vec![decide(&file, "a", |entry| entry.status = Status::Rejected)]);
        let both = step(vec![
            decide(&file, "b", |entry| entry.status = Status::Accepted),
            decide(&file, "a", |entry| entry.status = Status::Accepted),
        ]);
        rejected.apply(&mut file).unwrap();
        assert_eq!(both.apply(&mut file), Err(Refusal::Changed("a".to_owned())));
        assert!(!file.to_yaml().contains("accepted"));
        file.patterns.clear();
        assert_eq!(both.apply(&mut file), Err(Refusal::Gone("b".to_owned())));
    }

    #[test]
    fn what_does_not_compile_is_refused() {
        let mut file = file();
        let broken = step(vec![decide(&file, "a", |entry| entry.regex = "(".to_owned())]);
        assert!(matches!(broken.apply(&mut file), Err(Refusal::Invalid(_))));
        let empty = step(vec![Change::Keep { text: " ".to_owned(), from: None, to: Some(String::new()) }]);
        assert!(matches!(empty.apply(&mut file), Err(Refusal::Invalid(_))));
    }
}
