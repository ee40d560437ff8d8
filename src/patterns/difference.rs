//! What changed between two states of pattern files.
//!
//! Takes the files of before and after; gives, source by source, the patterns that came, went and changed. A pattern is
//! the same as before if it has the same id in the same source's file.
//!
//! Counts shift whenever a corpus grows, and regexes as mined are written anew when a mutable pattern gets a better
//! regex. Neither says much, so both are told apart from what a person decides.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Keep, Pattern, PatternFile};
use crate::tokens::MutableSet;

/// From so much on, a change of a pattern's share of the documents says something: five percentage points.
pub const TELLING_SHIFT: f64 = 0.05;

/// What became of the pattern file of one source.
#[derive(Debug)]
pub struct SourceDifference<'f> {
    /// The source's name.
    pub source: &'f str,
    /// The file as it was, if there was one.
    pub old: Option<&'f PatternFile>,
    /// The file as it is, if there is one.
    pub new: Option<&'f PatternFile>,
    /// The patterns that stand in both files, in the new one's order.
    pub kept: Vec<Kept<'f>>,
    /// The patterns of the new file alone, in its order.
    pub came: Vec<&'f Pattern>,
    /// The patterns of the old file alone, in its order.
    pub went: Vec<&'f Pattern>,
    /// The texts to keep that came, went or have another note, sorted by text.
    pub keep: Vec<KeepDifference<'f>>,
}

/// A text to keep that stands in one of two files, or in both with other notes.
#[derive(Clone, Copy, Debug)]
pub struct KeepDifference<'f> {
    /// As it was.
    pub old: Option<&'f Keep>,
    /// As it is.
    pub new: Option<&'f Keep>,
}

/// A pattern that stands in both files.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'f> {
    /// As it was.
    pub old: &'f Pattern,
    /// As it is.
    pub new: &'f Pattern,
}

/// How many patterns came, went and changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Totals {
    /// That stand in the new files alone.
    pub came: usize,
    /// That stand in the old files alone.
    pub went: usize,
    /// That differ in more than counts and how mining writes a regex.
    pub changed: usize,
    /// With another status.
    pub status: usize,
    /// Whose regex a person edited, or mining put back.
    pub regex: usize,
    /// With another note.
    pub note: usize,
    /// With another `ends_after`.
    pub ends_after: usize,
    /// Whose regex is as mined, before and now, but written in another way.
    pub rewritten: usize,
    /// With other counts.
    pub counts: usize,
    /// That did not change at all.
    pub same: usize,
    /// Texts to keep that came, went or have another note.
    pub keep: usize,
}

/// Compares files by source: those that stand in both, in the old ones alone, in the new ones alone; sorted by source.
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

    /// Whether anything differs that is compared.
    pub fn differs(&self) -> bool {
        let is_in_both = self.old.is_some() && self.new.is_some();
        let nothing = Totals { same: self.kept.len(), ..Totals::default() };
        !is_in_both || self.totals() != nothing || self.reads_anew()
    }

    /// Whether texts are read with another tokenizer or other mutable patterns.
    pub fn reads_anew(&self) -> bool {
        let (Some(old), Some(new)) = (self.old, self.new) else { return false };
        old.lexer.tokenizer().name() != new.lexer.tokenizer().name() || mutable(old).ne(mutable(new))
    }

    /// The mutable patterns that came, went or have another regex, by name.
    pub fn mutable(&self) -> BTreeSet<&'f str> {
        let (Some(old), Some(new)) = (self.old, self.new) else { return BTreeSet::new() };
        let [old, new] = [old, new].map(|file| mutable(file).collect::<BTreeSet<_>>());
        old.symmetric_difference(&new).map(|(name, _)| *name).collect()
    }

    /// How much changed.
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

/// The mutable patterns of a file: name and regex, in order.
fn mutable(file: &PatternFile) -> impl Iterator<Item = (&str, &str)> {
    let mutable: &MutableSet = file.lexer.mutable();
    mutable.patterns().iter().map(|pattern| (&*pattern.name, &*pattern.regex))
}

impl Kept<'_> {
    /// Whether it differs in more than counts and how mining writes its regex.
    pub fn is_changed(&self) -> bool {
        self.status() || self.regex() || self.note() || self.ends_after()
    }

    /// Whether it has another status.
    pub fn status(&self) -> bool {
        self.old.status != self.new.status
    }

    /// Whether a person edited its regex, or it is as mined again.
    pub fn regex(&self) -> bool {
        self.old.regex != self.new.regex && !self.is_rewritten()
    }

    /// Whether it has another note.
    pub fn note(&self) -> bool {
        self.old.note != self.new.note
    }

    /// Whether articles end before it now, or no longer, or after another number of words.
    pub fn ends_after(&self) -> bool {
        self.old.ends_after != self.new.ends_after
    }

    /// Whether its regex is the same template, written in another way.
    pub fn is_rewritten(&self) -> bool {
        self.old.regex != self.new.regex && self.old.is_as_mined() && self.new.is_as_mined()
    }

    /// Whether it has other counts.
    pub fn counts(&self) -> bool {
        let counts = |of: &Pattern| (of.documents, of.among, of.occurrences, of.sources);
        counts(self.old) != counts(self.new)
    }

    /// Whether its share of the documents shifted so far that it says something.
    pub fn is_telling_shift(&self) -> bool {
        // 35 % less 30 % is 5 points to people, and a trifle less in binary.
        const ROUNDING: f64 = 1e-9;
        (self.old.share() - self.new.share()).abs() + ROUNDING >= TELLING_SHIFT
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

    /// A file of a source mined from 100 documents.
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
