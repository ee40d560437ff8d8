//! The differences between two versions of pattern files.
//!
//! Takes the old and the new files. Gives for each source the patterns that were added, removed and changed. Two
//! patterns are the same if they have the same id in the same source's file.
//!
//! Counts change whenever a corpus grows, and mining rewrites regexes when a mutable pattern gets a better regex.
//! Neither means much, so both are reported apart from a person's decisions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Keep, Pattern, PatternFile};
use crate::tokens::MutableSet;

/// From this difference on, a change of a pattern's share means something: five percentage points.
pub const TELLING_SHIFT: f64 = 0.05;

/// The differences of one source's pattern file.
#[derive(Debug)]
pub struct SourceDifference<'f> {
    /// The source's name.
    pub source: &'f str,
    /// The old file, if there is one.
    pub old: Option<&'f PatternFile>,
    /// The new file, if there is one.
    pub new: Option<&'f PatternFile>,
    /// The patterns in both files, in the new file's order.
    pub kept: Vec<Kept<'f>>,
    /// The patterns only in the new file, in its order.
    pub came: Vec<&'f Pattern>,
    /// The patterns only in the old file, in its order.
    pub went: Vec<&'f Pattern>,
    /// The texts to keep that were added, removed, or have another note. Sorted by text.
    pub keep: Vec<KeepDifference<'f>>,
}

/// A text to keep that is in one of two files, or in both with different notes.
#[derive(Clone, Copy, Debug)]
pub struct KeepDifference<'f> {
    /// In the old file.
    pub old: Option<&'f Keep>,
    /// In the new file.
    pub new: Option<&'f Keep>,
}

/// A pattern in both files.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'f> {
    /// In the old file.
    pub old: &'f Pattern,
    /// In the new file.
    pub new: &'f Pattern,
}

/// Numbers of patterns (and texts to keep) by kind of difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Totals {
    /// Only in the new files.
    pub came: usize,
    /// Only in the old files.
    pub went: usize,
    /// With a difference in status, regex (not just rewritten), note or `ends_after`.
    pub changed: usize,
    /// With another status.
    pub status: usize,
    /// With a regex that a person edited, or that is as mined again.
    pub regex: usize,
    /// With another note.
    pub note: usize,
    /// With another `ends_after`.
    pub ends_after: usize,
    /// With a regex that is as mined in both files, but written differently.
    pub rewritten: usize,
    /// With other counts.
    pub counts: usize,
    /// Without any difference.
    pub same: usize,
    /// Texts to keep that were added, removed, or have another note.
    pub keep: usize,
}

/// Compares the two files of each source. The result is sorted by source. A source may be in both sets of files or in
/// one.
pub fn differences<'f>(
    old: impl IntoIterator<Item = &'f PatternFile>,
    new: impl IntoIterator<Item = &'f PatternFile>,
) -> Vec<SourceDifference<'f>> {
    let mut sources: BTreeMap<&str, [Option<&PatternFile>; 2]> = BTreeMap::new();
    old.into_iter().for_each(|file| sources.entry(&file.source).or_default()[0] = Some(file));
    new.into_iter().for_each(|file| sources.entry(&file.source).or_default()[1] = Some(file));
    sources.into_iter().map(|(source, [old, new])| SourceDifference::of(source, old, new)).collect()
}

impl<'f> SourceDifference<'f> {
    fn of(source: &'f str, old: Option<&'f PatternFile>, new: Option<&'f PatternFile>) -> SourceDifference<'f> {
        let [before, now] = [old, new].map(|file| file.map_or(&[][..], |file| &file.patterns));
        let mut left: HashMap<&str, &Pattern> = before.iter().map(|pattern| (&*pattern.id, pattern)).collect();
        let (mut kept, mut came) = (Vec::new(), Vec::new());
        for new in now {
            match left.remove(&*new.id) {
                Some(old) => kept.push(Kept { old, new }),
                None => came.push(new),
            }
        }
        let went = before.iter().filter(|pattern| left.contains_key(&*pattern.id)).collect();
        SourceDifference { source, old, new, kept, came, went, keep: keep_differences(old, new) }
    }

    /// Whether there is any difference.
    pub fn differs(&self) -> bool {
        let is_in_both = self.old.is_some() && self.new.is_some();
        let nothing = Totals { same: self.kept.len(), ..Totals::default() };
        !is_in_both || self.totals() != nothing || self.reads_anew()
    }

    /// Whether texts are tokenized differently: by another tokenizer or other mutable patterns.
    pub fn reads_anew(&self) -> bool {
        let (Some(old), Some(new)) = (self.old, self.new) else { return false };
        old.lexer.tokenizer().name() != new.lexer.tokenizer().name() || mutable(old).ne(mutable(new))
    }

    /// The names of the mutable patterns that were added, removed, or have another regex.
    pub fn mutable(&self) -> BTreeSet<&'f str> {
        let (Some(old), Some(new)) = (self.old, self.new) else { return BTreeSet::new() };
        let [old, new] = [old, new].map(|file| mutable(file).collect::<BTreeSet<_>>());
        old.symmetric_difference(&new).map(|(name, _)| *name).collect()
    }

    /// Counts the differences.
    pub fn totals(&self) -> Totals {
        let [came, went, keep] = [self.came.len(), self.went.len(), self.keep.len()];
        let mut totals = Totals { came, went, keep, ..Totals::default() };
        for kept in &self.kept {
            totals.changed += usize::from(kept.is_changed());
            totals.status += usize::from(kept.status());
            totals.regex += usize::from(kept.regex());
            totals.note += usize::from(kept.note());
            totals.ends_after += usize::from(kept.ends_after());
            totals.rewritten += usize::from(kept.is_rewritten());
            totals.counts += usize::from(kept.counts());
            totals.same += usize::from(!(kept.is_changed() || kept.is_rewritten() || kept.counts()));
        }
        totals
    }
}

fn keep_differences<'f>(old: Option<&'f PatternFile>, new: Option<&'f PatternFile>) -> Vec<KeepDifference<'f>> {
    let mut texts: BTreeMap<&str, KeepDifference> = BTreeMap::new();
    let [old, new] = [old, new].map(|file| file.map_or(&[][..], |file| &file.keep));
    let nothing = KeepDifference { old: None, new: None };
    old.iter().for_each(|keep| texts.entry(keep.text()).or_insert(nothing).old = Some(keep));
    new.iter().for_each(|keep| texts.entry(keep.text()).or_insert(nothing).new = Some(keep));
    let note = |keep: Option<&'f Keep>| keep.map(|keep| &*keep.note);
    texts.into_values().filter(|keep| note(keep.old) != note(keep.new)).collect()
}

/// The name and regex of a file's mutable patterns, in order.
fn mutable(file: &PatternFile) -> impl Iterator<Item = (&str, &str)> {
    let mutable: &MutableSet = file.lexer.mutable();
    mutable.patterns().iter().map(|pattern| (&*pattern.name, &*pattern.regex))
}

impl Kept<'_> {
    /// Whether its status, regex (not just rewritten), note or `ends_after` is different.
    pub fn is_changed(&self) -> bool {
        self.status() || self.regex() || self.note() || self.ends_after()
    }

    /// Whether its status is different.
    pub fn status(&self) -> bool {
        self.old.status != self.new.status
    }

    /// Whether its regex was edited, or is as mined again after an edit.
    pub fn regex(&self) -> bool {
        self.old.regex != self.new.regex && !self.is_rewritten()
    }

    /// Whether its note is different.
    pub fn note(&self) -> bool {
        self.old.note != self.new.note
    }

    /// Whether its `ends_after` is different.
    pub fn ends_after(&self) -> bool {
        self.old.ends_after != self.new.ends_after
    }

    /// Whether its regex is the same template, written differently.
    pub fn is_rewritten(&self) -> bool {
        self.old.regex != self.new.regex && self.old.is_as_mined() && self.new.is_as_mined()
    }

    /// Whether its counts are different.
    pub fn counts(&self) -> bool {
        let counts = |of: &Pattern| (of.documents, of.among, of.occurrences, of.sources, of.removes);
        counts(self.old) != counts(self.new)
    }

    /// Whether its counts are different by a telling shift. With `all_counts`, any difference is enough.
    pub fn has_telling_counts(&self, all_counts: bool) -> bool {
        self.counts() && (all_counts || self.is_telling_shift())
    }

    /// Whether it is changed, or has telling counts.
    pub fn is_telling(&self, all_counts: bool) -> bool {
        self.is_changed() || self.has_telling_counts(all_counts)
    }

    /// Whether its share changed by [`TELLING_SHIFT`] or more.
    pub fn is_telling_shift(&self) -> bool {
        // 0.35 - 0.30 is a little less than 0.05 in binary.
        const ROUNDING: f64 = 1e-9;
        (self.old.share() - self.new.share()).abs() + ROUNDING >= TELLING_SHIFT
    }
}

impl Totals {
    /// The totals of several sources.
    pub fn of(differences: &[SourceDifference]) -> Totals {
        let mut totals = Totals::default();
        differences.iter().for_each(|source| totals += source.totals());
        totals
    }
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.came += other.came;
        self.went += other.went;
        self.changed += other.changed;
        self.status += other.status;
        self.regex += other.regex;
        self.note += other.note;
        self.ends_after += other.ends_after;
        self.rewritten += other.rewritten;
        self.counts += other.counts;
        self.same += other.same;
        self.keep += other.keep;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::LexerCache;

    /// The file of a source with 100 mined documents.
    fn file(source: &str, patterns: &str) -> PatternFile {
        let mined = "{documents: 100, tokens: 9, cutoff: 0.5, tokenizer: words}";
        let yaml = format!("dehusk: 1\nsource: {source}\nmined: {mined}\npatterns:\n{patterns}");
        PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
    }

    fn totals(old: &str, new: &str) -> Totals {
        differences([&file("s", old)], [&file("s", new)])[0].totals()
    }

    fn ids(patterns: &[&Pattern]) -> String {
        patterns.iter().map(|pattern| pattern.id.as_str()).collect()
    }

    #[test]
    fn sources_and_patterns_come_and_go() {
        let old = [file("a", "  - {id: x, regex: x}\n"), file("b", "  - {id: x, regex: x}\n  - {id: y, regex: y}\n")];
        let new = [file("b", "  - {id: y, regex: y}\n  - {id: z, regex: z}\n"), file("c", "  - {id: x, regex: x}\n")];
        let found = differences(&old, &new);
        let shown = |of: &SourceDifference| format!("{} -{} +{}", of.source, ids(&of.went), ids(&of.came));
        assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), ["a -x +", "b -x +z", "c - +x"]);
        assert!(found.iter().all(SourceDifference::differs));
    }

    #[test]
    fn what_is_the_same_does_not_differ() {
        let file = file("s", "  - {id: x, regex: x, documents: 3, note: mine}\n");
        let found = differences([&file], [&file]);
        assert!(!found[0].differs() && !found[0].reads_anew());
        assert_eq!(found[0].totals(), Totals { same: 1, ..Totals::default() });
    }

    #[test]
    fn each_kind_of_change_is_counted() {
        let old = "  - {id: a, regex: a}\n  - {id: b, regex: b}\n  - {id: c, regex: c}\n  - {id: d, regex: d}\n";
        let new = "  - {id: a, regex: a, status: rejected, note: no}\n  - {id: b, regex: B}\n\
                   \x20 - {id: c, regex: c, ends_after: 90}\n  - {id: d, regex: d, documents: 1}\n";
        let expected =
            Totals { changed: 3, status: 1, note: 1, regex: 1, ends_after: 1, counts: 1, ..Totals::default() };
        assert_eq!(totals(old, new), expected);
    }

    #[test]
    fn another_share_of_the_removed_words_is_a_different_count() {
        let with = |removes: &str| format!("  - {{id: a, drop: aside, documents: 9{removes}}}\n");
        let expected = Totals { counts: 1, ..Totals::default() };
        assert_eq!(totals(&with(""), &with(", removes: 0.5")), expected);
        assert_eq!(totals(&with(", removes: 0.4"), &with(", removes: 0.5")), expected);
    }

    #[test]
    fn texts_to_keep_are_compared_by_text() {
        let with = |keep: &str| {
            let mined = "{documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}";
            let yaml = format!("dehusk: 1\nsource: s\nmined: {mined}\nkeep:\n{keep}");
            PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
        };
        let (old, new) = (
            with("  - text: by the sea\n  - text: noon\n    note: a\n  - text: tide\n"),
            with("  - text: a boat\n  - text: noon\n    note: b\n  - text: tide\n"),
        );
        let text = |keep: Option<&Keep>| keep.map_or("-".to_owned(), |keep| keep.text().to_owned());
        let found = differences([&old], [&new]);
        let texts: Vec<[String; 2]> = found[0].keep.iter().map(|keep| [text(keep.old), text(keep.new)]).collect();
        assert_eq!(texts, [["-", "a boat"], ["by the sea", "-"], ["noon", "noon"]]);
        assert!(found[0].differs() && !differences([&new], [&new])[0].differs());
    }

    #[test]
    fn a_shift_of_five_points_says_something() {
        let is_telling = |old, new| {
            let [old, new] = [old, new].map(|of| file("s", &format!("  - {{id: a, regex: a, documents: {of}}}\n")));
            differences([&old], [&new])[0].kept[0].is_telling_shift()
        };
        assert!(is_telling(30, 35) && is_telling(35, 30) && is_telling(1, 90));
        assert!(!is_telling(30, 34) && !is_telling(30, 30));
    }

    #[test]
    fn another_mutable_pattern_edits_no_regex() {
        let with = |number: &str, id: &str| {
            let pattern = format!("  - {{id: '{id}', regex: '(?<!\\S)Page\\s+(?:{number})(?!\\w)'}}\n");
            file("s", &format!("{pattern}mutable:\n  - {{name: number, regex: '{number}'}}\n"))
        };
        let unnamed = with("[0-9]+", "x");
        let run = crate::patterns::regex::parse(&unnamed.patterns[0].regex, &unnamed.lexer).unwrap();
        let id = crate::patterns::id_of(&run, unnamed.lexer.mutable(), 8);
        let (old, new) = (with("[0-9]+", &id), with("[0-9.]+", &id));
        let found = differences([&old], [&new]);
        assert_eq!(found[0].totals(), Totals { rewritten: 1, ..Totals::default() });
        assert!(found[0].reads_anew() && found[0].differs());
        assert_eq!(Vec::from_iter(found[0].mutable()), ["number"]);
    }
}
