//! The few patterns that are needed remove what all of them remove.

use dehusk_core::cleaning::{CleanOptions, Cleaner, Method, Scratch};
use dehusk_core::mining::cross_source::{cross_source, shared_facts};
use dehusk_core::patterns::{PatternFile, SHARED};
use dehusk_core::selection::ends::Ends;
use dehusk_core::selection::pattern_selection::needed_patterns;
use dehusk_core::selection::sampling::Sampled;

use crate::samples::{SAMPLES, SOURCES, mine, written};

/// A source's pattern file and the shared one.
type Files = [PatternFile; 2];

/// What is removed from texts, in bytes.
#[derive(Default)]
struct Removed {
    by_all: usize,
    by_needed: usize,
    /// Of what all remove.
    by_both: usize,
    /// Of any text, the least share of what all remove from it.
    least: f64,
}

fn thinned_files([own, shared]: &Files, texts: &[&String]) -> Files {
    let sampled = Sampled::new(own, Some(shared), texts);
    [needed_patterns(&sampled, &Ends::of(&sampled)), shared.clone()]
}

fn options() -> [CleanOptions; 2] {
    [CleanOptions::default().method(Method::Union { merge_gap: 0, second_filter: false }), CleanOptions::default()]
}

fn removed(all: &Files, needed: &Files, options: &CleanOptions, texts: &[&String]) -> Removed {
    let cleaners = [all, needed].map(|files| Cleaner::new(&[&files[0], &files[1]], options));
    let mut removed = Removed { least: 1.0, ..Removed::default() };
    for text in texts {
        let [all, needed] = cleaners.each_ref().map(|cleaner| {
            let mut goes = vec![false; text.len()];
            let cleaning = cleaner.clean(&mut Scratch::default(), text).unwrap();
            cleaning.spans.iter().for_each(|span| goes[span.range.clone()].fill(true));
            text.bytes().zip(goes).map(|(byte, goes)| goes && !byte.is_ascii_whitespace()).collect::<Vec<bool>>()
        });
        let count = |goes: &[bool]| goes.iter().filter(|&&goes| goes).count();
        let both: Vec<bool> = all.iter().zip(&needed).map(|(all, needed)| *all && *needed).collect();
        removed.by_all += count(&all);
        removed.by_needed += count(&needed);
        removed.by_both += count(&both);
        removed.least = removed.least.min(count(&both) as f64 / count(&all).max(1) as f64);
    }
    removed
}

#[test]
fn the_needed_remove_nearly_all_and_nothing_else() {
    for sample in &SAMPLES.sources {
        let all = [sample.patterns.clone(), SAMPLES.shared.clone()];
        let texts: Vec<&String> = sample.source.texts.iter().collect();
        let needed = thinned_files(&all, &texts);
        let name = &sample.source.name;
        assert!(needed[0].patterns.len() <= 100, "{name}: {} patterns", needed[0].patterns.len());
        for options in options() {
            let what = format!("{name}, {:?}, model: {}", options.method, options.decision.is_some());
            let Removed { by_all, by_needed, by_both, least } = removed(&all, &needed, &options, &texts);
            // Patterns are selected by what they explain. What the model and the union remove only follows from that.
            let least_of_all = if options.method == Method::Learned { 0.97 } else { 0.95 };
            assert!(by_both as f64 >= least_of_all * by_all as f64, "{what}: {by_both} of {by_all} bytes");
            assert!(by_needed as f64 <= 1.02 * by_both as f64, "{what}: {by_needed}, but {by_both}");
            assert!(least >= 0.9, "{what}: of one text only {least}");
        }
    }
}

#[test]
fn from_unseen_documents_the_needed_remove_nearly_all_too() {
    let half = |part: usize| -> Vec<Vec<String>> {
        let every_second = |texts: &[String]| texts.iter().skip(part).step_by(2).cloned().collect();
        SOURCES.iter().map(|source| every_second(&source.texts)).collect()
    };
    let (seen, unseen) = (half(0), half(1));
    let mined: Vec<_> = seen.iter().map(|texts| mine(texts)).collect();
    let templates = cross_source(&mined);
    let shared = written(SHARED, shared_facts(&mined), templates.shared);
    let (mut kept, mut of) = (0, 0);
    for (index, own) in templates.own.into_iter().enumerate() {
        let all = [written(&SOURCES[index].name, mined[index].facts(), own), shared.clone()];
        let needed = thinned_files(&all, &seen[index].iter().collect::<Vec<_>>());
        let removed = removed(&all, &needed, &CleanOptions::default(), &unseen[index].iter().collect::<Vec<_>>());
        (kept, of) = (kept + removed.by_both, of + removed.by_all);
    }
    assert!(kept as f64 >= 0.99 * of as f64, "{kept} of {of} bytes");
}
