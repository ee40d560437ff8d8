//! Warnings about a source, for people who want to rely on its patterns.
//!
//! Takes a pattern file and the effects of its patterns. Returns sentences, the most serious first. Each says what was
//! counted, what follows from it, and what to do.

use crate::cleaning::cleaner::drift::{Drift, Found, drift, is_of_last_mining, removes_as_mined};
use crate::mining::Mined;
use crate::mining::cutoff::{BINS, Histogram, choose_cutoff};
use crate::patterns::{PatternFile, SHARED, Status};
use crate::selection::effects::{Effects, Question};

/// With this many different documents or more, few patterns recur by chance.
pub const ENOUGH_DOCUMENTS: usize = 20;

/// The warnings about a source. `effects` is the result for this `question`. `as_mined` says whether the documents were
/// cleaned as mining does when it tries patterns; only then can the removed share be compared.
pub fn warnings(question: &Question, as_mined: bool, effects: &Effects) -> Vec<String> {
    let own = question.files.first().filter(|file| file.source != SHARED);
    let Some(own) = own else { return [without_file()].into_iter().chain(unread(effects)).collect() };
    if effects.documents.is_empty() {
        return vec!["the corpus has no document of this source: its patterns do nothing here".to_owned()];
    }
    let change = change(question, own, as_mined, effects);
    let all = [unread(effects), unusual(own), change];
    all.into_iter().flatten().collect()
}

fn without_file() -> String {
    "there is no pattern file for this source: only shared patterns act on it; mine the source to get one".to_owned()
}

fn unread(effects: &Effects) -> Option<String> {
    let unread = effects.documents.iter().filter(|document| document.is_none()).count();
    let why = effects.failure.as_ref().map(|failure| format!(" ({failure})")).unwrap_or_default();
    let all = effects.documents.len();
    (unread > 0).then(|| {
        format!("{unread} of {all} documents could not be read or cleaned{why}: this page does not count them")
    })
}

/// Why recurrence alone decides in this source.
fn unusual(file: &PatternFile) -> Option<String> {
    Some(unlike("this source", file.unusual.as_ref()?))
}

/// The warning that a source is unlike all text that the model has learned from. `unusual` says in what way.
pub fn unlike(source: &str, unusual: &str) -> String {
    format!(
        "{source} is unlike all text that dehusk has learned from: {unusual}; only text that recurs beyond chance is removed"
    )
}

/// A note if the source has few documents. It is no warning, because nobody can do anything about most small sources.
pub fn few_documents(file: &PatternFile) -> Option<String> {
    let (mined, counted) = (&file.mined, file.mined.counted());
    if mined.documents == 0 || counted >= ENOUGH_DOCUMENTS {
        return None;
    }
    let documents = format!("mined from {counted} different documents");
    Some(match counted < Mined::MIN_DOCUMENTS {
        true => format!("{documents}, but mining needs {}: add documents", Mined::MIN_DOCUMENTS),
        false => format!(
            "{documents}: with fewer than {ENOUGH_DOCUMENTS}, much text recurs by chance; look at every pattern, or \
             add documents and mine again"
        ),
    })
}

/// A warning if the documents differ from those that were mined.
fn change(question: &Question, own: &PatternFile, as_mined: bool, effects: &Effects) -> Option<String> {
    let is_looked_for = |status| status != Status::Proposed || !question.options.only_accepted;
    let of_own = own.patterns.iter().zip(effects.patterns.first()?);
    let watched = of_own.filter(|(pattern, _)| is_looked_for(pattern.status) && is_of_last_mining(pattern, own));
    let (when_mined, patterns) = watched.fold((0.0, 0), |(when_mined, found), (pattern, effect)| {
        (when_mined + pattern.share(), found + effect.documents as u64)
    });
    let removed = (as_mined && removes_as_mined(question.files)).then(|| effects.total().share());
    let found = Found { documents: effects.documents.iter().flatten().count(), patterns, removed };
    let changed = drift(when_mined, own.mined.removed, &found).filter(Drift::has_changed)?;
    Some(format!("the source {}", changed.in_words()))
}

/// Says why the cutoff of a file is unreliable, or returns `None`. Only the union method uses the cutoff, and many good
/// sources have such a histogram, so this is not a warning about the source.
pub fn doubtful_cutoff(file: &PatternFile) -> Option<String> {
    let histogram = Histogram::of_hundredths(&file.mined.histogram);
    let is_one_crowd = histogram.0.iter().any(|&count| count > 0) && !has_second_crowd(&histogram);
    let cutoff = file.mined.cutoff;
    is_one_crowd.then(|| {
        format!(
            "The repeats do not form 2 groups, language and templates. So the cutoff {cutoff} is not reliable: do not \
             use the union method here."
        )
    })
}

/// Whether the histogram has a second crowd: from the lower mode on, the counts fall and then rise again. Bins are
/// joined to fifths, because a small source has few possible shares, and these would look like crowds. The rise must be
/// larger than 1 standard deviation of such counts.
fn has_second_crowd(histogram: &Histogram) -> bool {
    const FIFTH: usize = BINS / 5;
    let Some((low, _)) = choose_cutoff(histogram).modes else { return false };
    let fifths: Vec<u64> = histogram.0.chunks(FIFTH).map(|bins| bins.iter().sum()).collect();
    let mut least = u64::MAX;
    fifths[(low * BINS as f64) as usize / FIFTH..].iter().any(|&count| {
        least = least.min(count);
        (count - least) as f64 > ((count + least) as f64).sqrt()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleaning::CleanOptions;
    use crate::patterns::{ID_DIGITS, LexerCache, id_of, regex};
    use crate::selection::effects::{DocumentEffect, PatternEffect};

    fn file(mined: &str, rest: &str) -> PatternFile {
        let yaml = format!("dehusk: 1\nsource: s\nmined: {{{mined}, tokens: 9, tokenizer: words}}\n{rest}");
        PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
    }

    /// The effects on `documents` documents of 100 bytes each. `found` has the number of documents with each pattern.
    fn effects(documents: usize, removed: usize, found: &[usize]) -> Effects {
        let pattern = |&documents: &usize| PatternEffect { documents, ..PatternEffect::default() };
        Effects {
            documents: vec![Some(DocumentEffect { bytes: 100, removed }); documents],
            patterns: vec![found.iter().map(pattern).collect()],
            ..Effects::default()
        }
    }

    fn told_of(files: &[&PatternFile], only_accepted: bool, effects: &Effects) -> String {
        let options = CleanOptions { only_accepted, ..CleanOptions::default() };
        warnings(&Question { files, options: &options, watched: None }, !only_accepted, effects).join("\n")
    }

    fn told(file: &PatternFile, effects: &Effects) -> String {
        told_of(&[file], false, effects)
    }

    /// Patterns that were in 27 and 15 of 30 documents when they were mined.
    fn two_patterns() -> String {
        let lexer = file("documents: 0, cutoff: 0.5", "").lexer;
        let pattern = |(words, documents): (&str, usize)| {
            let regex = format!(r"(?<!\S){words}(?!\w)");
            let run = regex::parse(&regex, &lexer).unwrap();
            let id = id_of(&run, lexer.mutable(), ID_DIGITS);
            format!("  - {{id: '{id}', regex: '{regex}', documents: {documents}}}\n")
        };
        format!("patterns:\n{}", [(r"Read\s+more", 27), (r"Share\s+it", 15)].map(pattern).concat())
    }

    #[test]
    fn nothing_is_said_of_a_source_as_it_should_be() {
        let histogram = "histogram: {5: 900, 30: 20, 96: 40}\n";
        let file = file("documents: 30, cutoff: 0.5, removed: 0.6", &format!("{}{histogram}", two_patterns()));
        assert_eq!(told(&file, &effects(30, 50, &[27, 15])), "");
    }

    #[test]
    fn few_documents_are_numbered() {
        let told = |mined: &str| few_documents(&file(mined, "")).unwrap_or_default();
        assert!(told("documents: 20, near_duplicates: 1, cutoff: 0.5").starts_with("mined from 19 different"));
        assert!(told("documents: 4, cutoff: 0.5").contains("but mining needs 5"));
        assert_eq!(told("documents: 20, cutoff: 0.5"), "");
        assert_eq!(told("documents: 0, cutoff: 0.5"), "", "it was written by hand");
    }

    #[test]
    fn a_source_that_changed_is_told_by_what_goes() {
        let mined = file("documents: 30, cutoff: 0.5, removed: 0.6", "");
        let less = told(&mined, &effects(30, 29, &[]));
        assert_eq!(
            less,
            "the source has changed since it was mined: 60.0 % of the text was removed, and now it is 29.0 %; mine it \
             again"
        );
        assert_eq!(told(&mined, &effects(30, 30, &[])), "");
        assert_eq!(told_of(&[&mined], true, &effects(30, 1, &[])), "", "less was asked for");
    }

    #[test]
    fn a_source_that_changed_is_told_by_its_patterns() {
        let file = file("documents: 30, cutoff: 0.5", &two_patterns());
        let fewer = told(&file, &effects(10, 50, &[5, 1]));
        assert!(fewer.contains("a document had 1.4 of the mined patterns on average, and now has 0.6"), "{fewer}");
        assert_eq!(told(&file, &effects(10, 50, &[6, 1])), "");
        assert_eq!(told_of(&[&file], true, &effects(10, 0, &[0, 0])), "", "nobody asked for them");
    }

    #[test]
    fn two_crowds_are_told_from_one() {
        let of = |histogram: &str| file("documents: 30, cutoff: 0.5", histogram);
        for one in ["5: 900, 25: 300, 45: 100, 65: 30, 85: 10", "5: 900, 95: 1", "40: 9"] {
            let file = of(&format!("histogram: {{{one}}}\n"));
            assert!(doubtful_cutoff(&file).is_some_and(|said| said.contains("do not form 2 groups")), "{one}");
            assert_eq!(told(&file, &effects(9, 0, &[])), "", "the cutoff is no matter of the source");
        }
        for two in ["5: 900, 25: 300, 95: 10", "21: 40, 50: 11, 60: 1, 99: 5", "5: 900, 50: 8, 65: 40"] {
            assert_eq!(doubtful_cutoff(&of(&format!("histogram: {{{two}}}\n"))), None, "{two}");
        }
        assert_eq!(doubtful_cutoff(&of("")), None, "nothing is known");
    }

    #[test]
    fn missing_files_and_documents_are_named() {
        assert!(told_of(&[], false, &effects(3, 0, &[])).contains("no pattern file"));
        let alone = told(&file("documents: 4, cutoff: 0.5", ""), &Effects::default());
        assert_eq!(alone, "the corpus has no document of this source: its patterns do nothing here");
        let mut unread = effects(3, 0, &[]);
        unread.documents[1] = None;
        unread.failure = Some("pattern a: too slow".to_owned());
        let told = told_of(&[], false, &unread);
        assert!(told.contains("1 of 3 documents could not be read or cleaned (pattern a: too slow)"), "{told}");
    }
}
