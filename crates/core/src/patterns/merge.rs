//! Merges newly mined patterns with reviewed ones. Every human decision is kept.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Form, Pattern, PatternFile, Status, regex};
use crate::tokens::mutable::MutableSet;
use crate::tokens::run::{Piece, TokenRun};

impl PatternFile {
    /// Returns this mined file with people's decisions from the file that it replaces. `now` is that file in its
    /// present state. `before` is its state when this file was merged with it, or `None` if it was not merged.
    pub fn with_decisions_of(&self, before: Option<&PatternFile>, now: PatternFile) -> PatternFile {
        match before {
            Some(before) if before.to_yaml() == now.to_yaml() => self.clone(),
            Some(before) => merge_meanwhile(self.clone(), before, now),
            None => merge(self.clone(), now),
        }
    }
}

/// Returns the new file with the decisions of the reviewed one.
///
/// A pattern that was mined before keeps its status and note, and its regex if a person edited it. The counts are the
/// new ones. Texts to keep and comments at the top are kept. A pattern that was not mined again is kept with its old
/// counts if a person accepted, rejected, noted, edited or wrote it. Otherwise it is dropped. The words of a rejected
/// pattern are not proposed again in another form, or with a few more words.
pub fn merge(fresh: PatternFile, reviewed: PatternFile) -> PatternFile {
    let old_mutable = reviewed.lexer.mutable().clone();
    let rejected = rejected_words(&reviewed, fresh.lexer.mutable());
    let mut before: HashMap<String, Pattern> =
        reviewed.patterns.into_iter().map(|pattern| (pattern.id.clone(), pattern)).collect();
    let PatternFile { heading, source, mined, unusual, patterns, evidence, lexer, .. } = fresh;
    // Evidence that a person has decided on becomes a pattern.
    let (decided_on, evidence): (Vec<Pattern>, Vec<Pattern>) =
        evidence.into_iter().partition(|evidence| before.get(&evidence.id).is_some_and(Pattern::is_touched));

    let mut merged: Vec<Pattern> = patterns
        .into_iter()
        .chain(decided_on)
        .filter_map(|pattern| match before.remove(&pattern.id) {
            Some(old) => Some(decided(pattern, old)),
            None => (!is_among(&rejected, &pattern)).then_some(pattern),
        })
        .collect();

    let kept = before.into_values().filter(Pattern::is_touched).filter_map(|old| {
        // The mutable patterns may have changed. Then the template stays the same, and its regex is rendered again.
        let translated = match &old.form {
            Form::Run(run) => run.translated(&old_mutable, lexer.mutable()),
            Form::Block(block) => {
                let block = block.translated(&old_mutable, lexer.mutable())?;
                return Some(Pattern { regex: block.regex(&lexer), form: Form::Block(Arc::new(block)), ..old });
            }
            Form::Regex(_) | Form::Elements(_) => None,
        };
        let regex = translated
            .map_or_else(|| old.regex.clone(), |run| regex::render(&run, &lexer, regex::Edges::written_in(&old.regex)));
        Some(Pattern { form: old.form.edited(&old.id, &regex, &lexer).ok()?, regex, ..old })
    });
    merged.extend(kept);

    let heading = if reviewed.heading.is_empty() { heading } else { reviewed.heading };
    let evidence = evidence.into_iter().filter(|evidence| !is_among(&rejected, evidence)).collect();
    let PatternFile { keep, loose, .. } = reviewed;
    let mut merged = PatternFile { heading, source, mined, unusual, loose, keep, patterns: merged, evidence, lexer };
    merged.sort();
    merged
}

/// Returns the mined file with people's decisions from the meantime. `before` is the reviewed file that `mined` was
/// merged with. `now` is that file as it is now.
///
/// Changes between `before` and `now` count: a pattern's status, note, regex and other fields a person may correct,
/// texts to keep, comments. A pattern that a person removed is not written again, unless it was mined for the first
/// time. The same is true of evidence.
pub fn merge_meanwhile(mut mined: PatternFile, before: &PatternFile, now: PatternFile) -> PatternFile {
    let by_id = |file: &PatternFile| -> HashMap<String, Pattern> {
        file.all().map(|pattern| (pattern.id.clone(), pattern.clone())).collect()
    };
    let (was, is) = (by_id(before), by_id(&now));
    let taken_out = |pattern: &Pattern| was.contains_key(&pattern.id) && !is.contains_key(&pattern.id);
    // Patterns that nobody changed were merged already.
    let decided = |pattern: &Pattern| was.get(&pattern.id).is_none_or(|was| is_decided_otherwise(was, pattern));

    let decisions: Vec<Pattern> = now.patterns.into_iter().filter(decided).collect();
    let is_decided: HashSet<&str> = decisions.iter().map(|pattern| pattern.id.as_str()).collect();
    let (of_these, others): (Vec<Pattern>, Vec<Pattern>) =
        std::mem::take(&mut mined.patterns).into_iter().partition(|pattern| is_decided.contains(pattern.id.as_str()));
    let others: Vec<Pattern> = others.into_iter().filter(|pattern| !taken_out(pattern)).collect();
    mined.evidence.retain(|evidence| !taken_out(evidence));

    // If an edit was undone, the mined regex is in the current file.
    let taken_back = |pattern: Pattern| match (was.get(&pattern.id), is.get(&pattern.id)) {
        (Some(was), Some(is)) if !was.is_as_mined() && is.is_as_mined() => {
            Pattern { regex: is.regex.clone(), form: is.form.clone(), ..pattern }
        }
        _ => pattern,
    };
    let fresh = PatternFile { patterns: of_these.into_iter().map(taken_back).collect(), ..mined };

    let heading = now.heading.clone();
    let mut merged = merge(fresh, PatternFile { patterns: decisions, ..now });
    merged.heading = heading;
    let rejected = rejected_words(&merged, merged.lexer.mutable());
    let is_new = |pattern: &Pattern| !was.contains_key(&pattern.id);
    merged.patterns.extend(others.into_iter().filter(|other| !is_new(other) || !is_among(&rejected, other)));
    merged.sort();
    merged
}

/// Whether a person changed a pattern.
fn is_decided_otherwise(was: &Pattern, is: &Pattern) -> bool {
    let by_people = |pattern: &Pattern| {
        let Pattern { status, ends_after, .. } = *pattern;
        (status, ends_after, pattern.regex.clone(), pattern.note.clone())
    };
    by_people(was) != by_people(is)
}

/// The words of the rejected patterns, translated to these mutable patterns.
fn rejected_words(reviewed: &PatternFile, mutable: &MutableSet) -> HashSet<Vec<Piece>> {
    let rejected = reviewed.patterns.iter().filter(|pattern| pattern.status == Status::Rejected);
    let run = |pattern: &Pattern| match &pattern.form {
        Form::Run(run) => run.translated(reviewed.lexer.mutable(), mutable),
        Form::Regex(_) | Form::Elements(_) | Form::Block(_) => None,
    };
    rejected.filter_map(run).map(|run| words(&run)).collect()
}

/// Whether a pattern contains all words of a rejected one, and fewer other words than those. An example is a rejected
/// masthead together with the text that follows it in some documents. A pattern with mostly other words needs its own
/// decision.
fn is_among(rejected: &HashSet<Vec<Piece>>, pattern: &Pattern) -> bool {
    let Form::Run(run) = &pattern.form else { return false };
    let words = words(run);
    let holds = |length: usize| words.windows(length).any(|part| rejected.contains(part));
    !rejected.is_empty() && (words.len() / 2 + 1..=words.len()).any(holds)
}

/// A run without its line breaks and white space: the same for a line of its own and for the same words inside a line.
fn words(run: &TokenRun) -> Vec<Piece> {
    let pieces = run.pieces().iter().filter(|piece| **piece != Piece::Break).cloned();
    let close = |piece| match piece {
        Piece::Slot { id, .. } => Piece::Slot { id, space_before: false },
        Piece::Literal { text, .. } => Piece::Literal { text, space_before: false },
        Piece::Free { more, .. } => Piece::Free { more, space_before: false },
        Piece::Break => Piece::Break,
    };
    pieces.map(close).collect()
}

fn decided(fresh: Pattern, old: Pattern) -> Pattern {
    // A person may have corrected the value that mining computed.
    let fresh = if old.is_touched() { Pattern { ends_after: old.ends_after, ..fresh } } else { fresh };
    let (status, note) = (old.status, old.note.clone());
    if old.is_as_mined() {
        // A pattern that was evidence before has no example.
        let is_example = old.regex == fresh.regex && !old.example.is_empty();
        let example = if is_example { old.example } else { fresh.example };
        return Pattern { status, note, example, ..fresh };
    }
    let Pattern { regex, form, example, .. } = old;
    Pattern { status, note, regex, form, example, ..fresh }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::{LexerCache, Status};

    fn file(patterns: &[(&str, &str, &str, usize, &str)]) -> PatternFile {
        let mut yaml = String::from(
            "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n",
        );
        for (id, status, regex, documents, note) in patterns {
            yaml += &format!(
                "  - {{id: '{id}', status: {status}, regex: '{regex}', documents: {documents}, note: '{note}'}}\n"
            );
        }
        PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
    }

    const READ: &str = r"(?<!\S)Read\s+more(?!\w)";
    const SHARE: &str = r"(?<!\S)Share\s+it(?!\w)";

    #[test]
    fn the_words_of_a_rejected_pattern_are_not_proposed_in_another_shape() {
        const LINE: &str = r"(?m)^\s*Read\s+more\s*$";
        for (was, is) in [(READ, LINE), (LINE, READ)] {
            let decide = |status| {
                let before = file(&[(&id(was), status, was, 5, "")]);
                let fresh = file(&[(&id(is), "proposed", is, 5, ""), (&id(SHARE), "proposed", SHARE, 5, "")]);
                let merged = merge(fresh, before);
                merged.patterns.iter().map(|pattern| (pattern.id.clone(), pattern.status)).collect::<HashMap<_, _>>()
            };
            assert_eq!(decide("rejected"), HashMap::from([(id(was), Status::Rejected), (id(SHARE), Status::Proposed)]));
            assert!(decide("accepted").contains_key(&id(is)), "it stands elsewhere, too");
        }
    }

    #[test]
    fn nor_with_a_few_words_more() {
        const MORE: &str = r"(?m)^\s*Read\s+more\s+here\s*$";
        const MUCH_MORE: &str = r"(?m)^\s*Read\s+more\s+of\s+us\s*$";
        let before = file(&[(&id(READ), "rejected", READ, 5, "")]);
        let fresh = [MORE, MUCH_MORE].map(|regex| (id(regex), regex));
        let fresh: Vec<_> = fresh.iter().map(|(id, regex)| (id.as_str(), "proposed", *regex, 5, "")).collect();
        let merged = merge(file(&fresh), before);
        let ids: Vec<&str> = merged.patterns.iter().map(|pattern| pattern.id.as_str()).collect();
        assert!(!ids.contains(&id(MORE).as_str()) && ids.contains(&id(MUCH_MORE).as_str()), "{ids:?}");
    }

    fn id(regex: &str) -> String {
        let lexer = file(&[]).lexer;
        let run = crate::patterns::regex::parse(regex, &lexer).unwrap();
        crate::patterns::id_of(&run, lexer.mutable(), 8)
    }

    #[test]
    fn decisions_notes_and_edits_stay_and_counts_are_fresh() {
        let (read, share) = (id(READ), id(SHARE));
        let old = file(&[
            (&read, "rejected", READ, 3, "a column"),
            (&share, "proposed", "Share (?:it|this)", 4, ""),
            ("own", "accepted", "Mine", 0, ""),
            ("gone", "proposed", r"(?<!\S)Gone", 1, ""),
        ]);
        let merged = merge(file(&[(&read, "proposed", READ, 8, ""), (&share, "proposed", SHARE, 7, "")]), old);
        let shown: Vec<(&str, Status, &str, usize, &str)> = merged
            .patterns
            .iter()
            .map(|p| (p.id.as_str(), p.status, p.regex.as_str(), p.documents, p.note.as_str()))
            .collect();
        assert!(shown.contains(&(&read, Status::Rejected, READ, 8, "a column")));
        assert!(shown.contains(&(&share, Status::Proposed, "Share (?:it|this)", 7, "")));
        assert!(shown.contains(&("own", Status::Accepted, "Mine", 0, "")));
    }

    /// A file with one pattern as evidence.
    fn with_evidence(regex: &str, documents: usize) -> PatternFile {
        let mut file = file(&[(&id(regex), "proposed", regex, documents, "")]);
        file.keep_as_patterns(|_| false);
        assert_eq!((file.patterns.len(), file.evidence.len()), (0, 1));
        file
    }

    fn counts(file: &PatternFile) -> (usize, usize) {
        (file.patterns.len(), file.evidence.len())
    }

    #[test]
    fn evidence_is_that_of_the_last_mining() {
        let merged = merge(with_evidence(READ, 8), with_evidence(SHARE, 3));
        assert_eq!((counts(&merged), merged.evidence[0].documents), ((0, 1), 8));
        assert_eq!(counts(&merge(file(&[]), with_evidence(SHARE, 3))), (0, 0));
        let proposed = file(&[(&id(READ), "proposed", READ, 5, "")]);
        assert_eq!(counts(&merge(with_evidence(READ, 8), proposed.clone())), (0, 1), "nobody decided on it");
        assert_eq!(counts(&merge(proposed, with_evidence(READ, 8))), (1, 0));
    }

    #[test]
    fn evidence_with_a_decision_is_a_pattern_and_keeps_it() {
        let id = id(READ);
        for (status, note) in [("accepted", ""), ("rejected", ""), ("proposed", "ours")] {
            let merged = merge(with_evidence(READ, 8), file(&[(&id, status, READ, 5, note)]));
            let read = &merged.patterns[0];
            assert_eq!(counts(&merged), (1, 0), "{status}");
            assert_eq!((read.status.name(), read.note.as_str(), read.documents), (status, note, 8));
        }
        let edited = merge(with_evidence(READ, 8), file(&[(&id, "proposed", "Read (?:it|this)", 5, "")]));
        assert_eq!((counts(&edited), edited.patterns[0].regex.as_str()), ((1, 0), "Read (?:it|this)"));
    }

    #[test]
    fn what_was_evidence_gets_its_example() {
        let mut decided = file(&[(&id(READ), "accepted", READ, 5, "")]);
        decided.patterns[0].example.clear();
        let mut fresh = with_evidence(READ, 8);
        fresh.evidence[0].example = "Read more".to_owned();
        assert_eq!(merge(fresh, decided).patterns[0].example, "Read more");
    }

    #[test]
    fn the_words_of_a_rejected_pattern_are_no_evidence_in_another_shape() {
        const LINE: &str = r"(?m)^\s*Read\s+more\s*$";
        let merged = merge(with_evidence(LINE, 8), file(&[(&id(READ), "rejected", READ, 5, "")]));
        assert_eq!(counts(&merged), (1, 0));
    }

    #[test]
    fn what_was_decided_on_evidence_while_sources_were_mined_stays() {
        let before = with_evidence(READ, 5);
        let mined = merge(with_evidence(READ, 8), before.clone());
        let merged = merge_meanwhile(mined.clone(), &before, before.clone());
        assert_eq!(merged.to_yaml(), mined.to_yaml());
        // A person accepts it.
        let now = file(&[(&id(READ), "accepted", READ, 5, "")]);
        let merged = merge_meanwhile(mined.clone(), &before, now);
        assert_eq!((counts(&merged), merged.patterns[0].status), ((1, 0), Status::Accepted));
        assert_eq!(merged.patterns[0].documents, 8);
        // A person removes it, as evidence or as a pattern.
        assert_eq!(counts(&merge_meanwhile(mined.clone(), &before, file(&[]))), (0, 0));
        let proposed = file(&[(&id(READ), "proposed", READ, 5, "")]);
        assert_eq!(counts(&merge_meanwhile(mined.clone(), &proposed, file(&[]))), (0, 0));
        // Mined for the first time: it was in no file that a person could see.
        assert_eq!(counts(&merge_meanwhile(mined, &file(&[]), file(&[]))), (0, 1));
    }

    #[test]
    fn comments_at_the_top_and_texts_to_keep_stay() {
        let mut old = file(&[]);
        old.heading = "# Ours.\n".to_owned();
        old.keep.push(crate::patterns::Keep::new("By the sea", "a column").unwrap());
        let merged = merge(file(&[]), old);
        assert_eq!((merged.heading.as_str(), merged.keep[0].text()), ("# Ours.\n", "By the sea"));
        assert_eq!(merged.keep[0].note, "a column");
    }

    #[test]
    fn what_was_decided_while_sources_were_mined_stays() {
        let (read, share) = (id(READ), id(SHARE));
        let own = |note| ("own", "accepted", "Mine", 0, note);
        let before = file(&[
            (&read, "accepted", "Read (?:it|this)", 3, ""),
            (&share, "proposed", SHARE, 4, ""),
            ("out", "accepted", "Out", 0, ""),
            own(""),
        ]);
        let fresh = file(&[(&read, "proposed", READ, 8, ""), (&share, "proposed", SHARE, 7, "")]);
        let mined = merge(fresh, before.clone());
        assert_eq!(merge_meanwhile(mined.clone(), &before, before.clone()).to_yaml(), mined.to_yaml());

        let more = r"(?<!\S)Share\s+it\s+now(?!\w)";
        let mut with_more = mined.clone();
        with_more.patterns.extend(file(&[(&id(more), "proposed", more, 2, "")]).patterns);
        // A person undid an edit, rejected a pattern, removed one, noted one and wrote others.
        let mut now = file(&[
            (&read, "proposed", READ, 3, ""),
            (&share, "rejected", SHARE, 4, "a column"),
            own("ours"),
            ("new", "accepted", "New", 0, ""),
        ]);
        now.heading = "# Ours.\n".to_owned();
        now.keep.push(crate::patterns::Keep::new("By the sea", "a column").unwrap());
        let merged = merge_meanwhile(with_more, &before, now);
        let mut expected = file(&[
            (&read, "proposed", READ, 8, ""),
            (&share, "rejected", SHARE, 7, "a column"),
            own("ours"),
            ("new", "accepted", "New", 0, ""),
        ]);
        (expected.heading, expected.keep) = (merged.heading.clone(), merged.keep.clone());
        assert_eq!((merged.heading.as_str(), merged.keep.len()), ("# Ours.\n", 1));
        assert_eq!(merged.to_yaml(), expected.to_yaml());
    }

    #[test]
    fn what_nobody_touched_goes_when_it_is_no_longer_mined() {
        let read = id(READ);
        let merged = merge(file(&[]), file(&[(&read, "proposed", READ, 3, "")]));
        assert!(merged.patterns.is_empty());
    }

    #[test]
    fn a_kept_pattern_follows_its_mutable_patterns() {
        let with_number = |regex: &str, pattern: &str| {
            let yaml = format!(
                "dehusk: 1\nsource: s\nmined: {{documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}}\n\
                 patterns:{pattern}\nmutable:\n  - {{name: number, regex: '{regex}'}}\n"
            );
            PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
        };
        let empty = with_number("[0-9]+", " []");
        let mined = regex::parse(r"(?<!\S)Page\s+(?:[0-9]+)(?!\w)", &empty.lexer).unwrap();
        let id = crate::patterns::id_of(&mined, empty.lexer.mutable(), 8);
        let accepted = format!("\n  - {{id: '{id}', status: accepted, regex: '(?<!\\S)Page\\s+(?:[0-9]+)(?!\\w)'}}");
        let merged = merge(with_number("[0-9.]+", " []"), with_number("[0-9]+", &accepted));
        assert_eq!(merged.patterns[0].regex, r"(?<!\S)Page\s+(?:[0-9.]+)(?!\w)");
        assert!(merged.patterns[0].is_as_mined());
    }

    #[test]
    fn an_end_that_a_person_left_or_took_away_stays_so() {
        let read = id(READ);
        let with_end = |note: &str, end: Option<usize>| {
            let mut file = file(&[(&read, "proposed", READ, 8, note)]);
            file.patterns[0].ends_after = end;
            file
        };
        let merged = |note, end| merge(with_end("", None), with_end(note, end)).patterns.remove(0).ends_after;
        assert_eq!([merged("mine", Some(90)), merged("mine", None)], [Some(90), None]);
        // The value of a pattern that nobody touched is computed again.
        assert_eq!(merged("", Some(90)), None);
        let found = merge(with_end("", Some(70)), with_end("", Some(90)));
        assert_eq!(found.patterns[0].ends_after, Some(70));
    }
}
