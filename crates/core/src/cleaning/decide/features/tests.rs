use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;

use super::body::Body;
use super::fading::Fading;
use super::*;
use crate::cleaning::decide::evidence::Weight;
use crate::cleaning::decide::evidence::weigh;
use crate::tokens::{Lexer, MutableSet, Tokenizer};

const PIECES: [&str; 8] = [
    "Home News Sport\n",
    "Page 3 of 9\n",
    "Page 4 of 9\n",
    "We said so then, and we say so now. ",
    "\n",
    "手紙です。",
    "| ",
    "— 2 May 2024 —\n",
];

/// Calls `look` with a text in which runs recur. `found` has for each run its tokens, its documents (out of 40) and its
/// occurrences.
fn divided<T>(text: &str, found: &[(Range<usize>, usize, usize)], look: impl FnOnce(Divided) -> T) -> T {
    let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    let tokens = Tokens::of(text, &mut lexer);
    let layout = Layout::of(text, &tokens);
    let end = layout.tokens();
    let (mut matches, mut weights) = (Vec::new(), Vec::new());
    for (tokens, documents, occurrences) in found {
        let tokens = tokens.start.min(end)..tokens.end.min(end);
        if !tokens.is_empty() {
            matches.push(Match { tokens, pattern: weights.len() });
            let (share, beyond) = (*documents as f64 / 40.0, *documents as f32);
            let (documents, occurrences) = (*documents, *occurrences);
            weights.push(Weight {
                share,
                documents,
                occurrences,
                beyond,
                holds_lines: true,
                once: 0.5,
                ..Weight::default()
            });
        }
    }
    let weights = Weights::from_iter([&*weights]);
    let evidence = weigh(&layout, &matches, &weights);
    let segments = Segments::of(text, &tokens, &layout, &evidence);
    let (layout, matches, weights, evidence) = (&layout, &matches, &weights, &evidence);
    look(Divided { text, tokens: &tokens, layout, matches, weights, evidence, segments: &segments, end: None })
}

fn rows(text: &str, found: &[(Range<usize>, usize, usize)]) -> Vec<Vec<f32>> {
    divided(text, found, |document| {
        let mut rows = Vec::new();
        SegmentFeatures::of(document).rows(|row| rows.push(row.to_vec()));
        rows
    })
}

fn feature(rows: &[Vec<f32>], name: &str) -> Vec<f32> {
    let index = NAMES.iter().position(|other| *other == name).expect(name);
    rows.iter().map(|row| row[index]).collect()
}

fn found() -> impl Strategy<Value = Vec<(Range<usize>, usize, usize)>> {
    let one = (0usize..60, 1usize..20, 2usize..40, 0usize..9);
    prop::collection::vec(
        one.prop_map(|(start, length, documents, more)| (start..start + length, documents, documents + more)),
        0..12,
    )
}

proptest! {
    #[test]
    fn each_segment_has_a_number_for_each_name(
        text in prop::collection::vec(select(&PIECES), 0..20),
        found in found(),
    ) {
        let text = text.concat();
        let count = divided(&text, &found, |document| document.count());
        let rows = rows(&text, &found);
        prop_assert_eq!(rows.len(), count);
        for row in &rows {
            prop_assert_eq!(row.len(), WIDTH);
            prop_assert!(row.iter().all(|value| value.is_finite()), "{:?}", row);
        }
        let opinions: Vec<f32> = (0..count).map(|segment| (segment % 7) as f32 / 6.0).collect();
        let mut again = 0;
        divided(&text, &found, |document| {
            let features = SegmentFeatures::of(document);
            Opinions::of(&opinions, &features.seen()).rows(|row| {
                assert_eq!(row.len(), OPINIONS.len());
                assert!(row.iter().all(|value| value.is_finite()), "{row:?}");
                again += 1;
            });
        });
        prop_assert_eq!(again, count);
    }

    #[test]
    fn what_recurs_is_what_one_match_after_the_other_says(
        text in prop::collection::vec(select(&PIECES), 1..12),
        found in found(),
    ) {
        let text = text.concat();
        let rows = rows(&text, &found);
        divided(&text, &found, |document| {
            let matches: Vec<(Range<usize>, f32)> = document.matches.iter()
                .map(|found| (document.layout.without_stop_before(&found.tokens), document.weights[found.pattern].told_share(document.layout, &document.layout.without_stop_before(&found.tokens))))
                .collect();
            for (segment, row) in rows.iter().enumerate() {
                let tokens = document.segment(segment);
                let share = |token: usize| {
                    matches.iter().filter(|(range, _)| range.contains(&token)).map(|found| found.1).fold(0.0, f32::max)
                };
                let shares: Vec<f32> = tokens.clone().map(share).collect();
                let whole = matches.iter()
                    .filter(|(range, _)| range.start <= tokens.start && tokens.end <= range.end)
                    .map(|found| found.1).fold(0.0, f32::max);
                let of = |name: &str| feature(std::slice::from_ref(row), name)[0];
                assert!((of("share") - shares.iter().sum::<f32>() / shares.len() as f32).abs() < 1e-5);
                assert_eq!(of("share-most"), shares.iter().copied().fold(0.0, f32::max));
                assert_eq!(of("share-least"), shares.iter().copied().fold(f32::MAX, f32::min));
                assert_eq!(of("whole") > 0.0, whole > 0.0);
            }
        });
    }

    #[test]
    fn the_body_has_the_greatest_sum(scores in prop::collection::vec(-9i32..9, 0..30)) {
        let Range { start, end } = Body::of(scores.iter().map(|&score| f64::from(score))).segments;
        let sum = |range: Range<usize>| scores[range].iter().sum::<i32>();
        let most = (0..scores.len()).flat_map(|start| (start..=scores.len()).map(move |end| start..end)).map(sum).max();
        prop_assert_eq!(sum(start..end), most.unwrap_or(0).max(0));
    }

    #[test]
    fn sums_fade_with_the_words_between(
        segments in prop::collection::vec((0usize..40, 0i32..9), 1..200),
    ) {
        let value = |segment: usize| (segments[segment].0 as f64 / 2.0, [segments[segment].1 as f32]);
        let mut fading = Fading::of(segments.len(), value);
        for segment in 0..segments.len() {
            let (before, after) = fading.at(segment);
            let words = |range: Range<usize>| range.map(|other| value(other).0).sum::<f64>();
            for (reach, distance) in [15.0, 60.0, 250.0].into_iter().enumerate() {
                let faded = |of: &mut dyn Iterator<Item = (usize, f64)>| -> f64 {
                    of.map(|(other, words)| f64::from(value(other).1[0]) * (-words / distance).exp()).sum()
                };
                let naive_before = faded(&mut (0..=segment).map(|other| (other, words(other..segment))));
                let naive_after = faded(&mut (segment..segments.len()).map(|other| (other, words(segment + 1..other + 1))));
                prop_assert!((f64::from(before[reach][0]) - naive_before).abs() < 1e-3 * (1.0 + naive_before));
                prop_assert!((f64::from(after[reach][0]) - naive_after).abs() < 1e-3 * (1.0 + naive_after));
            }
        }
    }
}

#[test]
fn page_heads_are_alike_whatever_their_numbers() {
    let prose = "The bridge over the Elm opened on Monday after three years of work.\n";
    let text = format!("Ada [Page 1]\n{prose}ADA [Page 2]\n{prose}Ada [Page 3]\nA boat came.\n");
    let rows = rows(&text, &[]);
    let count = |name| feature(&rows, name).into_iter().map(|value| value.exp_m1().round()).collect::<Vec<f32>>();
    assert_eq!(count("alike"), [3.0, 2.0, 3.0, 2.0, 3.0, 0.0]);
    assert_eq!(feature(&rows, "alike-gap-spread")[0], 0.0, "they are evenly spread");
}

#[test]
fn the_body_is_the_prose_of_the_document_itself() {
    let prose = "The bridge over the Elm opened on Monday after three years of work.";
    let text = format!("Home\nSport\n{prose}\n{prose}\nShare\n{prose}\nTags\n");
    assert_eq!(feature(&rows(&text, &[]), "in-body"), [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
}

#[test]
fn logarithms_are_those_of_the_system() {
    let numbers = (0..4096).map(|eighth| eighth as f32 / 8.0).chain([1e-7, 1e-4, 1e6, 1e30, f32::MAX]);
    for x in numbers {
        let exact = f64::from(x).ln_1p();
        assert!(
            (f64::from(ln_1p(x)) - exact).abs() < 2e-7 * exact.max(1.0),
            "ln(1 + {x}) is {exact}, not {}",
            ln_1p(x)
        );
    }
    assert_eq!(ln_1p(0.0), 0.0);
}
