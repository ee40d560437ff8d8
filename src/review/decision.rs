//! Decisions of a person, and how they are undone.
//!
//! A [`Step`] is one decision. It may change many patterns of a file at once, and many files. Each [`Change`] has the
//! old and the new value. So a step is undone by swapping these values, and a change is made only if the old value is
//! still as the person saw it.

use std::sync::Arc;

use dehusk_core::patterns::{Block, Form, Keep, Loose, Pattern, PatternFile, Status, form};

/// The fields of a pattern that a person may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// See [`Pattern::status`].
    pub status: Status,
    /// See [`Pattern::regex`].
    pub regex: String,
    /// The block that the regex was made from, with what it removes. `None` after a person has edited the regex.
    pub block: Option<BlockEntry>,
    /// See [`Pattern::example`].
    pub example: String,
    /// See [`Pattern::ends_after`].
    pub ends_after: Option<usize>,
    /// See [`Pattern::note`].
    pub note: String,
}

/// A block, and the share of removed words that it accounts for, in thousandths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockEntry {
    block: Arc<Block>,
    removes: Option<u32>,
}

impl BlockEntry {
    fn of(pattern: &Pattern) -> Option<BlockEntry> {
        let Form::Block(block) = &pattern.form else { return None };
        let removes = pattern.removes.map(|removes| (1000.0 * removes).round() as u32);
        Some(BlockEntry { block: Arc::clone(block), removes })
    }
}

impl Entry {
    /// The current values.
    pub fn of(pattern: &Pattern) -> Entry {
        Entry {
            status: pattern.status,
            regex: pattern.regex.clone(),
            block: BlockEntry::of(pattern),
            example: pattern.example.clone(),
            ends_after: pattern.ends_after,
            note: pattern.note.clone(),
        }
    }

    /// A hash of the entry. A decision contains it to say which version the person saw.
    pub fn version(&self) -> String {
        use std::hash::{Hash, Hasher};
        let mut hasher = rustc_hash::FxHasher::default();
        (self.status.name(), &self.regex, &self.example, self.ends_after, &self.note).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}

/// One change in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A change of a pattern.
    Pattern {
        /// Its id.
        id: String,
        /// The old values.
        from: Entry,
        /// The new values.
        to: Entry,
    },
    /// A new pattern of a person, or one that is taken back.
    Own {
        /// Its id.
        id: String,
        /// The old values. `None` if the pattern is new.
        from: Option<Entry>,
        /// The new values. `None` if it is taken back.
        to: Option<Entry>,
    },
    /// A change of a text to keep. A note of `None` means that the text is not kept.
    Keep {
        /// The text.
        text: String,
        /// The old note.
        from: Option<String>,
        /// The new note.
        to: Option<String>,
    },
    /// A change of what is done with text that no pattern matches.
    Loose {
        /// The old decision.
        from: Loose,
        /// The new decision.
        to: Loose,
    },
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// A description, such as `accepted: “Home News”`.
    pub what: String,
    /// The changes of this decision, by file.
    pub files: Vec<FileChanges>,
}

/// The changes of one decision in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChanges {
    /// The source of the file.
    pub source: String,
    /// The changes.
    pub changes: Vec<Change>,
}

/// Why a change was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Refusal {
    /// The pattern was changed by someone else.
    #[error("pattern {0} was changed in its file meanwhile; look at it again")]
    Changed(String),
    /// The pattern was removed by someone else.
    #[error("pattern {0} is no longer in its file")]
    Gone(String),
    /// The regex does not compile, or the text cannot be kept.
    #[error("{0}")]
    Invalid(String),
    /// The text to keep was changed by someone else.
    #[error("the text to keep '{0}' was changed in its file meanwhile; look at it again")]
    KeepChanged(String),
    /// The decision on text without a pattern was changed by someone else.
    #[error("the decision on text without a pattern was changed in its file meanwhile; look at it again")]
    LooseChanged,
}

impl Step {
    /// A decision on one file.
    pub fn in_file(what: String, source: &str, changes: Vec<Change>) -> Step {
        Step { what, files: vec![FileChanges { source: source.to_owned(), changes }] }
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.changes.is_empty())
    }

    /// The step that undoes this one.
    pub fn undone(self) -> Step {
        Step { what: self.what, files: self.files.into_iter().rev().map(FileChanges::undone).collect() }
    }

    /// If the step changes exactly one pattern and nothing else: its source and its id.
    pub fn only_pattern(&self) -> Option<(&str, &str)> {
        let [FileChanges { source, changes }] = &self.files[..] else { return None };
        match &changes[..] {
            [Change::Pattern { id, .. }] => Some((source, id)),
            _ => None,
        }
    }
}

impl FileChanges {
    /// The changes that undo these.
    pub fn undone(self) -> FileChanges {
        let back = |change| match change {
            Change::Pattern { id, from, to } => Change::Pattern { id, from: to, to: from },
            Change::Own { id, from, to } => Change::Own { id, from: to, to: from },
            Change::Keep { text, from, to } => Change::Keep { text, from: to, to: from },
            Change::Loose { from, to } => Change::Loose { from: to, to: from },
        };
        FileChanges { source: self.source, changes: self.changes.into_iter().rev().map(back).collect() }
    }

    /// Makes all changes, or none.
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
                Change::Own { id, from, to } => own(&mut changed, id, from.as_ref(), to.as_ref())?,
                Change::Keep { text, from, to } => keep(&mut changed, text, from.as_deref(), to.as_deref())?,
                Change::Loose { from, .. } if *from != changed.loose => return Err(Refusal::LooseChanged),
                Change::Loose { to, .. } => changed.loose = *to,
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
        match &to.block {
            Some(BlockEntry { block, removes }) => {
                pattern.form = Form::Block(Arc::clone(block));
                pattern.removes = removes.map(|removes| f64::from(removes) / 1000.0);
            }
            None => {
                if from.block.is_some() {
                    pattern.removes = None;
                }
                pattern.form = pattern.form.edited(&pattern.id, &to.regex, &file.lexer).map_err(Refusal::Invalid)?;
            }
        }
    }
    let Entry { status, regex, example, ends_after, note, .. } = to.clone();
    *pattern = Pattern { status, regex, example, ends_after, note, ..pattern.clone() };
    Ok(())
}

fn own(file: &mut PatternFile, id: &str, from: Option<&Entry>, to: Option<&Entry>) -> Result<(), Refusal> {
    let at = file.patterns.iter().position(|pattern| pattern.id == id);
    if at.map(|at| Entry::of(&file.patterns[at])).as_ref() != from {
        return Err(Refusal::Changed(id.to_owned()));
    }
    if let Some(at) = at {
        file.patterns.remove(at);
    }
    if let Some(Entry { status, regex, example, ends_after, note, .. }) = to.cloned() {
        let form = form(id, &regex, &file.lexer).map_err(|error| Refusal::Invalid(error.to_string()))?;
        file.patterns.push(Pattern {
            id: id.to_owned(),
            status,
            regex,
            form,
            documents: 0,
            among: file.mined.counted(),
            occurrences: 0,
            sources: None,
            removes: None,
            example,
            ends_after,
            note,
        });
    }
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
    use dehusk_core::patterns::LexerCache;

    pub(in crate::review) const FILE: &str = "dehusk: 1\nsource: s\n\
        mined: {documents: 9, near_duplicates: 0, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n\
        \x20 - id: 'a'\n    status: proposed\n    documents: 9\n    occurrences: 9\n    example: 'Home News'\n    note: ''\n    regex: 'Home News'\n\
        \x20 - id: 'b'\n    status: proposed\n    documents: 3\n    occurrences: 3\n    example: 'Share'\n    note: ''\n    regex: 'Share'\n\
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

    fn step(changes: Vec<Change>) -> FileChanges {
        FileChanges { source: "s".to_owned(), changes }
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
