//! Learns a segment model: weights from one half of the pages, and lambda, the cost of separating parts, from the other
//! half.

use rayon::prelude::*;
use twox_hash::XxHash3_64;

use crate::agreement::adjusted_rand_index;
use dehusk_core::random::Random;
use dehusk_segments::learners::metric::MetricOptions;
use dehusk_segments::segmentation::correlation::Pivot;
use dehusk_segments::segmentation::grouping::Grouping;
use dehusk_segments::segmentation::model::{Lesson, SegmentModel};
use dehusk_segments::segmentation::segmenter::{Knowledge, clusters, cuts};

/// The values of lambda that are tried.
pub fn lambdas() -> impl Iterator<Item = f64> {
    (1..=40).map(|tenths| f64::from(tenths) / 10.0)
}

/// Learns from pages, each with its source and name. Some pages are held out to choose lambda. In the end, the weights
/// are learned from all pages.
pub fn train(keys: &[[String; 2]], lessons: &[Lesson]) -> SegmentModel {
    let held_out = held_out(keys);
    let side = |side: bool| -> Vec<Lesson> {
        lessons
            .iter()
            .zip(&held_out)
            .filter(|(_, held_out)| **held_out == side)
            .map(|(lesson, _)| lesson.clone())
            .collect()
    };
    let mut model = SegmentModel::fit(lessons, &MetricOptions::default());
    model.lambda = train_and_choose(&side(false), &side(true)).lambda;
    model
}

/// Learns the weights from some pages, and chooses lambda by others.
pub fn train_and_choose(learned_from: &[Lesson], others: &[Lesson]) -> SegmentModel {
    let mut model = SegmentModel::fit(learned_from, &MetricOptions::default());
    model.lambda = [
        best(others, |lesson, lambda| cuts(&lesson.scene, &model, Knowledge::ALL, Some(lambda)).0),
        best(others, |lesson, lambda| clusters(&lesson.scene, &model, true, Pivot::Cheaper, Some(lambda))),
    ];
    model
}

/// Divides pages as in the paper: pages with a quarter of the marked segments to learn from, pages with a quarter to
/// choose lambda by, and the others to measure. `segments` has the number of marked segments of each page.
pub fn quarters(segments: &[usize], seed: u64) -> [Vec<usize>; 3] {
    let mut order: Vec<usize> = (0..segments.len()).collect();
    Random::new(seed).shuffle(&mut order);
    let all: usize = segments.iter().sum();
    let (mut sides, mut before) = ([const { Vec::new() }; 3], 0);
    for page in order {
        sides[(4 * before / all.max(1)).min(2)].push(page);
        before += segments[page];
    }
    sides
}

/// For each page, whether it is held out. The pages of about half of the sources are. If this would be all pages or
/// none, as with a single source, every second page is held out.
fn held_out(keys: &[[String; 2]]) -> Vec<bool> {
    let by_source: Vec<bool> = keys.iter().map(|[source, _]| XxHash3_64::oneshot(source.as_bytes()) % 2 == 1).collect();
    match by_source.contains(&true) && by_source.contains(&false) {
        true => by_source,
        false => (0..keys.len()).map(|page| page % 2 == 1).collect(),
    }
}

/// The lambda of the best mean agreement.
pub fn best(lessons: &[Lesson], group: impl Fn(&Lesson, f64) -> Grouping + Sync) -> f64 {
    let mean = |lambda: f64| {
        let agreement =
            |lesson: &Lesson| agreement(&lesson.groups, group(lesson, lambda).groups(), adjusted_rand_index);
        let all: Vec<f64> = lessons.par_iter().filter_map(agreement).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    };
    let scored: Vec<(f64, f64)> = lambdas().map(|lambda| (lambda, mean(lambda))).collect();
    scored.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(1.0, |(lambda, _)| lambda)
}

/// The agreement of found groups with known ones, over the leaves whose group is known. `None` if there are no such
/// leaves.
pub fn agreement(known: &[Option<u32>], found: &[u32], measure: fn(&[usize], &[usize]) -> f64) -> Option<f64> {
    let pairs = known.iter().zip(found).filter_map(|(known, &found)| Some(((*known)? as usize, found as usize)));
    let (known, found): (Vec<usize>, Vec<usize>) = pairs.unzip();
    (!known.is_empty()).then(|| measure(&known, &found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_segments_is_learned_from_and_half_is_measured() {
        let segments: Vec<usize> = (0..60).map(|page| 1 + page % 9).collect();
        let all: usize = segments.iter().sum();
        for seed in 0..20 {
            let sides = quarters(&segments, seed);
            let mut pages = sides.concat();
            pages.sort_unstable();
            assert_eq!(pages, (0..60).collect::<Vec<usize>>(), "each page is on one side");
            let of_side = sides.map(|side| side.into_iter().map(|page| segments[page]).sum::<usize>());
            // A page is not divided, so a side can have a page too many or too few.
            let is_right = |(share, of_side): (usize, usize)| of_side.abs_diff(share * all / 4) <= 9;
            assert!([1, 1, 2].into_iter().zip(of_side).all(is_right), "{of_side:?} of {all}");
        }
        assert!(quarters(&[], 1).iter().all(Vec::is_empty));
    }

    #[test]
    fn sources_are_held_out_as_a_whole_and_never_all_pages_or_none() {
        let keys = |sources: &[&str]| -> Vec<[String; 2]> {
            let key = |(number, source): (usize, &&str)| [(*source).to_owned(), number.to_string()];
            sources.iter().enumerate().map(key).collect()
        };
        for count in 2..40 {
            let names: Vec<String> = (0..count).flat_map(|number| [number, number]).map(|n| n.to_string()).collect();
            let sources: Vec<&str> = names.iter().map(String::as_str).collect();
            let held_out = held_out(&keys(&sources));
            let of_sources = held_out.chunks(2).filter(|of_source| of_source[0] == of_source[1]).count();
            assert!(of_sources == count || of_sources == 0, "{held_out:?}");
            assert!(held_out.contains(&true) && held_out.contains(&false), "{held_out:?}");
        }
        assert_eq!(held_out(&keys(&["a"; 5])), [false, true, false, true, false]);
    }
}
