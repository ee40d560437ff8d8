//! What people should know of a source before they rely on its patterns.
//!
//! Takes a pattern file and what its patterns do to documents, gives sentences, the gravest first: each says what was
//! counted, what follows from it, and what to do.

use crate::cleaning::{CleanOptions, Method};
use crate::effects::Effects;
use crate::mining::Mined;
use crate::mining::cutoff::{BINS, Histogram, choose_cutoff};
use crate::patterns::{Pattern, PatternFile, SHARED, Status};

/// From so many different documents on, what recurs by chance is rare among patterns.
pub const ENOUGH_DOCUMENTS: usize = 20;

/// Patterns that do less than this share of what they did when they were mined are out of date.
pub const OUTDATED: f64 = 0.5;

/// What to know of a source, which has no file of its own if it is `None`. `effects` are those of the file's patterns
/// first, under these options, on all documents of the source.
pub fn warnings(file: Option<&PatternFile>, options: &CleanOptions, effects: &Effects) -> Vec<String> {
    let Some(file) = file else { return [without_file()].into_iter().chain(unread(effects)).collect() };
    if effects.documents.is_empty() && file.source != SHARED {
        return vec!["the corpus has no document of this source: its patterns do nothing here".to_owned()];
    }
    let all = [unread(effects), too_few_documents(file), drift(file, options, effects), no_second_crowd(file)];
    all.into_iter().flatten().collect()
}

fn without_file() -> String {
    "there is no pattern file for this source: only shared patterns act on it; `dehusk mine` writes one".to_owned()
}

fn unread(effects: &Effects) -> Option<String> {
    let unread = effects.documents.iter().filter(|document| document.is_none()).count();
    let why = effects.failure.as_ref().map(|failure| format!(" ({failure})")).unwrap_or_default();
    let all = effects.documents.len();
    (unread > 0).then(|| {
        format!("{unread} of {all} documents could not be read or cleaned{why}: they count nowhere on this page")
    })
}

fn too_few_documents(file: &PatternFile) -> Option<String> {
    let (mined, counted) = (&file.mined, file.mined.counted());
    if mined.documents == 0 || counted >= ENOUGH_DOCUMENTS {
        return None;
    }
    let documents = format!("mined from {counted} different documents");
    Some(match counted < Mined::MIN_DOCUMENTS {
        true => format!("{documents}, and nothing is from fewer than {}: add documents", Mined::MIN_DOCUMENTS),
        false => format!(
            "{documents}: with fewer than {ENOUGH_DOCUMENTS} much recurs by chance, so look at every pattern, or add \
             documents and mine again"
        ),
    })
}

/// Whether the documents have changed since the patterns were mined.
fn drift(file: &PatternFile, options: &CleanOptions, effects: &Effects) -> Option<String> {
    let signs: Vec<String> =
        [less_removed(file, options, effects), fewer_found(file, options, effects)].into_iter().flatten().collect();
    let remedy = "the source may have changed since its patterns were mined; mine it again";
    (!signs.is_empty()).then(|| format!("{}: {remedy}", signs.join(", and ")))
}

/// A rejected pattern takes nothing, and neither do proposed ones where only accepted ones count: that is no change of
/// the documents.
fn less_removed(file: &PatternFile, options: &CleanOptions, effects: &Effects) -> Option<String> {
    let is_as_mined = options.method == Method::Smooth
        && !options.only_accepted
        && file.patterns.iter().all(|pattern| pattern.status != Status::Rejected);
    let then = file.mined.removed.filter(|_| is_as_mined)?;
    let now = effects.total();
    (now.bytes > 0 && now.share() < OUTDATED * then).then(|| {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        format!("{} of the text goes, and {} went when it was mined", percent(now.share()), percent(then))
    })
}

fn fewer_found(file: &PatternFile, options: &CleanOptions, effects: &Effects) -> Option<String> {
    let documents = effects.documents.iter().flatten().count();
    let is_applied = |status| status == Status::Accepted || status == Status::Proposed && !options.only_accepted;
    let counted = |pattern: &Pattern| pattern.among > 0 && is_applied(pattern.status);
    let both = file.patterns.iter().zip(effects.patterns.first()?).filter(|(pattern, _)| counted(pattern));
    let [then, found] = both
        .fold([0.0, 0.0], |[then, found], (pattern, effect)| [then + pattern.share(), found + effect.documents as f64]);
    let now = found / documents.max(1) as f64;
    (documents > 0 && now < OUTDATED * then)
        .then(|| format!("a document has {now:.1} of the patterns in the mean, and had {then:.1} when they were mined"))
}

fn no_second_crowd(file: &PatternFile) -> Option<String> {
    let histogram = Histogram::of_hundredths(&file.mined.histogram);
    let is_one_crowd = histogram.0.iter().any(|&count| count > 0) && !has_second_crowd(&histogram);
    let cutoff = file.mined.cutoff;
    is_one_crowd.then(|| {
        format!(
            "the repeats do not fall into two crowds, language and template: the cutoff {cutoff} says little; look at \
             patterns of all shares, and leave the union method alone"
        )
    })
}

/// Whether the repeats, which get fewer from the lower mode on, get more again. Counted by fifths, so that the few
/// shares that a small source can have do not look like crowds; by more than one standard deviation of such counts.
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
    use crate::effects::{DocumentEffect, PatternEffect};
    use crate::patterns::LexerCache;

    fn file(mined: &str, rest: &str) -> PatternFile {
        let yaml = format!("dehusk: 1\nsource: s\nmined: {{{mined}, tokens: 9, tokenizer: words}}\n{rest}");
        PatternFile::parse(&yaml, &LexerCache::default()).unwrap()
    }

    /// Of so many documents, each of 100 bytes; `found` says in how many of them each pattern is.
    fn effects(documents: usize, removed: usize, found: &[usize]) -> Effects {
        let pattern = |&documents: &usize| PatternEffect { documents, ..PatternEffect::default() };
        Effects {
            documents: vec![Some(DocumentEffect { bytes: 100, removed }); documents],
            patterns: vec![found.iter().map(pattern).collect()],
            ..Effects::default()
        }
    }

    fn told(file: &PatternFile, effects: &Effects) -> Vec<String> {
        warnings(Some(file), &CleanOptions::default(), effects)
    }

    const TWO_PATTERNS: &str = "patterns:\n  - {id: a, regex: a, documents: 9, among: 10}\n  \
                                - {id: b, regex: b, documents: 5, among: 10}\n";

    #[test]
    fn nothing_is_said_of_a_source_as_it_should_be() {
        let histogram = "histogram: {5: 900, 30: 20, 96: 40}\n";
        let file = file("documents: 30, cutoff: 0.5, removed: 0.6", &format!("{TWO_PATTERNS}{histogram}"));
        assert_eq!(told(&file, &effects(30, 50, &[27, 15])), [""; 0]);
    }

    #[test]
    fn few_documents_are_numbered() {
        let told = |mined: &str| told(&file(mined, ""), &effects(9, 0, &[])).concat();
        assert!(
            told("documents: 20, near_duplicates: 1, cutoff: 0.5").starts_with("mined from 19 different documents: ")
        );
        assert!(told("documents: 4, cutoff: 0.5").contains("nothing is from fewer than 5"));
        assert_eq!(told("documents: 20, cutoff: 0.5"), "");
        assert_eq!(told("documents: 0, cutoff: 0.5"), "", "it was written by hand");
    }

    #[test]
    fn a_source_that_changed_is_told_by_what_goes() {
        let mined = "documents: 30, cutoff: 0.5, removed: 0.6";
        let less = told(&file(mined, ""), &effects(30, 29, &[])).concat();
        assert!(less.starts_with("29 % of the text goes, and 60 % went when it was mined: the source may"), "{less}");
        assert_eq!(told(&file(mined, ""), &effects(30, 30, &[])), [""; 0]);
        let rejected = file(mined, "patterns:\n  - {id: a, regex: a, status: rejected}\n");
        assert_eq!(told(&rejected, &effects(30, 1, &[0])), [""; 0]);
        let accepted = CleanOptions { only_accepted: true, ..CleanOptions::default() };
        assert_eq!(warnings(Some(&file(mined, "")), &accepted, &effects(30, 1, &[])), [""; 0]);
    }

    #[test]
    fn a_source_that_changed_is_told_by_its_patterns() {
        let file = file("documents: 30, cutoff: 0.5", TWO_PATTERNS);
        let fewer = told(&file, &effects(10, 50, &[5, 1])).concat();
        assert!(fewer.starts_with("a document has 0.6 of the patterns in the mean, and had 1.4 when"), "{fewer}");
        assert_eq!(told(&file, &effects(10, 50, &[6, 1])), [""; 0]);
        let accepted = CleanOptions { only_accepted: true, ..CleanOptions::default() };
        assert_eq!(warnings(Some(&file), &accepted, &effects(10, 0, &[0, 0])), [""; 0], "nobody asked for them");
    }

    #[test]
    fn two_crowds_are_told_from_one() {
        let told = |histogram: &str| told(&file("documents: 30, cutoff: 0.5", histogram), &effects(9, 0, &[])).concat();
        for one in ["5: 900, 25: 300, 45: 100, 65: 30, 85: 10", "5: 900, 95: 1", "40: 9"] {
            assert!(told(&format!("histogram: {{{one}}}\n")).contains("do not fall into two crowds"), "{one}");
        }
        for two in ["5: 900, 25: 300, 95: 10", "21: 40, 50: 11, 60: 1, 99: 5", "5: 900, 50: 8, 65: 40"] {
            assert_eq!(told(&format!("histogram: {{{two}}}\n")), "", "{two}");
        }
        assert_eq!(told(""), "", "nothing is known");
    }

    #[test]
    fn missing_files_and_documents_are_named() {
        let options = CleanOptions::default();
        assert!(warnings(None, &options, &effects(3, 0, &[])).concat().contains("no pattern file"));
        let alone = told(&file("documents: 4, cutoff: 0.5", ""), &Effects::default());
        assert_eq!(alone, ["the corpus has no document of this source: its patterns do nothing here"]);
        let mut unread = effects(3, 0, &[]);
        unread.documents[1] = None;
        unread.failure = Some("pattern a: too slow".to_owned());
        let told = warnings(None, &options, &unread);
        assert!(told[1].starts_with("1 of 3 documents could not be read or cleaned (pattern a: too slow)"), "{told:?}");
    }
}
