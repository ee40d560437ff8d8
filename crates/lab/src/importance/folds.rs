//! Cross-validation: each block is judged by a model that was learned without it.

use rayon::prelude::*;

use super::LabelledPage;
use super::confusion::Confusion;
use dehusk_core::random::Random;
use dehusk_segments::importance::features::{FEATURES, IMPORTANCE_WIDTH};
use dehusk_segments::importance::model::{Example, ImportanceModel, Learner, Scaling};

/// Number of folds with which a learner chooses its options.
const INNER_FOLDS: usize = 5;
/// The blocks of a page together count as this many blocks, for pages with many blocks say no more than others.
const BLOCKS: f64 = 8.0;
/// The seed by which folds are drawn.
const SEED_OF_FOLDS: u64 = 2004;

/// The blocks that are left out together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// All blocks of a source. This is as with a new site.
    Sources,
    /// Any blocks, as in the paper. Other blocks of the same page are learned from, so results look better than for new
    /// sites.
    Blocks,
}

/// The settings of a training.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The learner.
    pub learner: Learner,
    /// How features are scaled.
    pub scaling: Scaling,
    /// The features that are used.
    pub uses: [bool; IMPORTANCE_WIDTH],
    /// Each probability of a level is divided by the share of this level among the examples, to this power, before the
    /// largest one is chosen. With 0, rare levels are hardly ever chosen; with 1, all levels count as equally frequent.
    pub balance: f64,
}

/// Blocks with the level that most assessors gave. Blocks that are left out together have the same number in
/// [`Example::fold`].
pub fn examples(pages: &[LabelledPage], together: Together) -> Vec<Example> {
    let mut sources: Vec<&str> = pages.iter().map(|page| page.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    let mut numbers: Vec<usize> = (0..sources.len()).collect();
    Random::new(SEED_OF_FOLDS).shuffle(&mut numbers);
    let mut examples = Vec::new();
    for page in pages {
        let count = page.blocks.iter().filter(|block| block.level.level.is_some()).count();
        let source = sources.binary_search(&page.source.as_str()).map_or(0, |at| numbers[at]);
        for block in &page.blocks {
            let Some(level) = block.level.level else { continue };
            examples.push(Example { features: block.features, level, fold: source, weight: BLOCKS / count as f64 });
        }
    }
    if together == Together::Blocks {
        let mut numbers: Vec<usize> = (0..examples.len()).collect();
        Random::new(SEED_OF_FOLDS).shuffle(&mut numbers);
        examples.iter_mut().zip(numbers).for_each(|(example, number)| example.fold = number);
    }
    examples
}

/// Learns from all examples. The options of the learner are chosen with folds in which blocks that are left out
/// together stay together. If this would be a single fold, as with a single source, blocks are divided one by one. Also
/// returns whether training came near its optimum.
pub fn learned(examples: &[Example], trial: &Trial, permitted: u8) -> (ImportanceModel, bool) {
    let mut together: Vec<usize> = examples.iter().map(|example| example.fold).collect();
    together.sort_unstable();
    together.dedup();
    let inner = |(number, example): (usize, &Example)| {
        let place = if together.len() > 1 { together.binary_search(&example.fold).unwrap_or(0) } else { number };
        Example { fold: place % INNER_FOLDS, ..example.clone() }
    };
    let examples: Vec<Example> = examples.iter().enumerate().map(inner).collect();
    ImportanceModel::fit(&examples, trial.learner, trial.scaling, &trial.uses, permitted)
}

/// The blocks of all folds, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Their levels, and what was said.
    pub confusion: Confusion,
    /// Number of folds for which training stopped before its optimum.
    pub unconverged: usize,
}

impl Judged {
    /// Both together.
    fn and(self, other: &Judged) -> Judged {
        let unconverged = self.unconverged + other.unconverged;
        Judged { confusion: self.confusion.and(&other.confusion), unconverged }
    }
}

/// Learns once for each fold, without the blocks of the fold, and judges these blocks. Of the other blocks, a `share`
/// is learned from; blocks that are left out together are kept or dropped together.
///
/// # Panics
/// Without examples.
pub fn cross_validated(examples: &[Example], trial: &Trial, folds: usize, share: f64) -> Judged {
    judged(examples, folds, share, |_| *trial)
}

/// As [`cross_validated`], but with the best features only. `ranks` has the best features of each fold, the best one
/// first (see [`ranked_features`]).
///
/// # Panics
/// Without examples.
pub fn cross_validated_with_best(examples: &[Example], trial: &Trial, ranks: &[Vec<usize>], number: usize) -> Judged {
    let of_fold = |fold: usize| {
        let best = &ranks[fold][..number.min(ranks[fold].len())];
        Trial { uses: std::array::from_fn(|at| best.contains(&at)), ..*trial }
    };
    judged(examples, ranks.len(), 1.0, of_fold)
}

/// For each fold, the features of the trial, the best one first. The best one has the greatest sum of absolute weights
/// in the linear machines of all levels. These are learned from other folds, so nothing is known of the blocks that are
/// judged.
pub fn ranked_features(examples: &[Example], trial: &Trial, folds: usize) -> Vec<Vec<usize>> {
    let trial = Trial { learner: Learner::LinearSvm, ..*trial };
    let of_fold = |fold: usize| {
        let others = others(examples, folds, fold, 1.0);
        if others.is_empty() {
            return Vec::new();
        }
        let mut weights = learned(&others, &trial, 0).0.discriminative().unwrap_or_default();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        let at = |(name, _): (&str, f64)| FEATURES.iter().position(|feature| feature.name == name);
        weights.into_iter().filter_map(at).collect()
    };
    (0..folds).into_par_iter().map(of_fold).collect()
}

/// The blocks that are learned from to judge a fold.
fn others(examples: &[Example], folds: usize, fold: usize, share: f64) -> Vec<Example> {
    // The numbers are in random order already.
    let is_kept = |number: usize| Random::along(SEED_OF_FOLDS, &[number as u64]).unit() < share;
    examples.iter().filter(|example| example.fold % folds != fold && is_kept(example.fold)).cloned().collect()
}

/// Judges each fold with a model that was learned without it.
fn judged(examples: &[Example], folds: usize, share: f64, trial: impl Fn(usize) -> Trial + Sync) -> Judged {
    let mut levels: Vec<u8> = examples.iter().map(|example| example.level).collect();
    levels.sort_unstable();
    levels.dedup();
    let of_fold = |fold: usize| {
        let mut confusion = Confusion::new(&levels);
        let (trial, others) = (trial(fold), others(examples, folds, fold, share));
        if others.is_empty() {
            return Judged { confusion, unconverged: 0 };
        }
        let (model, is_converged) = learned(&others, &trial, 0);
        let count = |level: u8| others.iter().filter(|example| example.level == level).count() as f64;
        let shares: Vec<f64> = model.levels.iter().map(|&level| count(level) / others.len() as f64).collect();
        for example in examples.iter().filter(|example| example.fold % folds == fold) {
            let importance = model.importance(&example.features);
            let level = match trial.balance {
                // The class of a machine need not be the one with the largest probability.
                0.0 => importance.level,
                balance => {
                    let balanced =
                        importance.probabilities.iter().zip(&shares).map(|(p, share)| p / share.powf(balance));
                    let of_levels = balanced.zip(&model.levels);
                    of_levels.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(importance.level, |(_, &level)| level)
                }
            };
            confusion.add(example.level, level);
        }
        Judged { confusion, unconverged: usize::from(!is_converged) }
    };
    let all: Vec<Judged> = (0..folds).into_par_iter().map(of_fold).collect();
    all.iter().fold(Judged { confusion: Confusion::new(&levels), unconverged: 0 }, Judged::and)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::importance::LabelledBlock;
    use dehusk_segments::importance::model;
    use dehusk_segments::importance::record::BlockLevel;

    /// Two pages of each source. The features of a block tell its level, and the last feature tells its source.
    fn pages(sources: usize, level: impl Fn(usize, usize) -> Option<u8>) -> Vec<LabelledPage> {
        let mut random = Random::new(1);
        let mut page = |source: usize, count: usize| {
            let block = |number: usize| {
                let level = level(source, number);
                let mut features = FEATURES.map(|feature| if feature.is_published { random.unit() } else { 0.0 });
                (0..5).for_each(|at| features[at] = 9.0 * f64::from(u8::from(level == Some(at as u8))) + random.unit());
                features[IMPORTANCE_WIDTH - 1] = source as f64;
                LabelledBlock { features, level: BlockLevel { votes: Vec::new(), level } }
            };
            LabelledPage { source: format!("s{source:02}"), blocks: (0..count).map(block).collect(), all: count }
        };
        (0..sources).flat_map(|source| [page(source, 4), page(source, 6)]).collect()
    }

    fn any_level(source: usize, number: usize) -> Option<u8> {
        Some((1 + (source + number) % 4) as u8)
    }

    const TRIAL: Trial =
        Trial { learner: Learner::Logistic, scaling: Scaling::Range, uses: [true; IMPORTANCE_WIDTH], balance: 0.0 };

    /// A learner that is linear, and one that is not. Both are quick.
    const LEARNERS: [Learner; 2] = [Learner::Logistic, Learner::RbfNetwork];

    fn source_of(example: &Example) -> usize {
        example.features[IMPORTANCE_WIDTH - 1] as usize
    }

    #[test]
    fn the_blocks_of_a_source_are_left_out_together() {
        let examples = examples(&pages(30, any_level), Together::Sources);
        assert_eq!(examples.len(), 300);
        let pairs: BTreeSet<(usize, usize)> =
            examples.iter().map(|example| (source_of(example), example.fold)).collect();
        assert_eq!(pairs.len(), 30);
        assert_eq!(pairs.iter().map(|(_, fold)| fold).collect::<BTreeSet<&usize>>().len(), 30);
        // The numbers are drawn: otherwise sources with alike names would be learned from together.
        assert!(pairs.iter().any(|(source, fold)| source != fold));
        // All folds have the same number of sources.
        for fold in 0..10 {
            assert_eq!(pairs.iter().filter(|(_, of_source)| of_source % 10 == fold).count(), 3);
        }
    }

    #[test]
    fn blocks_alone_are_left_out_alone() {
        let examples = examples(&pages(30, any_level), Together::Blocks);
        let folds: BTreeSet<usize> = examples.iter().map(|example| example.fold).collect();
        assert!(folds.into_iter().eq(0..300));
        // The blocks of a source are in several folds.
        let of_first = examples.iter().filter(|example| source_of(example) == 0);
        assert!(of_first.map(|example| example.fold % 10).collect::<BTreeSet<usize>>().len() > 3);
    }

    #[test]
    fn pages_count_the_same() {
        let pages = pages(3, |source, number| any_level(source, number).filter(|_| number != 1));
        for together in [Together::Sources, Together::Blocks] {
            let examples = examples(&pages, together);
            // Blocks without a level are left out: 3 and 5 remain.
            let weights: Vec<f64> = examples.iter().map(|example| example.weight).collect();
            let of_source = [[8.0 / 3.0; 3].as_slice(), &[8.0 / 5.0; 5]].concat();
            assert_eq!(weights, of_source.repeat(3));
        }
        assert_eq!(examples(&[], Together::Sources), []);
    }

    #[test]
    fn blocks_that_are_easily_told_apart_are_all_right() {
        let pages = pages(12, any_level);
        for together in [Together::Sources, Together::Blocks] {
            let examples = examples(&pages, together);
            for learner in LEARNERS {
                let confusion = cross_validated(&examples, &Trial { learner, ..TRIAL }, 4, 1.0).confusion;
                assert_eq!(confusion.levels(), [1, 2, 3, 4]);
                // Each block is judged once.
                assert_eq!(confusion.len(), 120);
                assert_eq!(confusion.micro_f1(), 1.0, "{learner:?} {together:?}");
            }
        }
    }

    #[test]
    fn nothing_is_learned_from_the_source_that_is_judged() {
        // Each source has a level that no other has. So nobody can know it, unless blocks of the source are learned from.
        let pages = pages(4, |source, _| Some((1 + source) as u8));
        for learner in LEARNERS {
            let trial = Trial { learner, ..TRIAL };
            let share = |together| cross_validated(&examples(&pages, together), &trial, 4, 1.0).confusion.micro_f1();
            assert_eq!(share(Together::Sources), 0.0, "{learner:?}");
            assert!(share(Together::Blocks) > 0.9, "{learner:?}");
        }
    }

    #[test]
    fn a_share_of_the_sources_is_learned_from() {
        let examples = examples(&pages(20, any_level), Together::Sources);
        let share = |share: f64| cross_validated(&examples, &TRIAL, 5, share).confusion;
        // Nothing to learn from: nothing is judged.
        assert!(share(0.0).is_empty());
        assert_eq!(share(0.5).len(), 200);
        assert_eq!(share(0.5), share(0.5));
    }

    #[test]
    fn the_best_features_are_those_of_other_folds() {
        // In each source, another feature tells the level. The linear machines of a fold must not see its own feature.
        let mut random = Random::new(3);
        let mut examples = Vec::new();
        for (source, number) in (0..4).flat_map(|source| (0..60).map(move |number| (source, number))) {
            let level = 1 + 3 * (number % 2) as u8;
            let mut features = [0.0; IMPORTANCE_WIDTH];
            (0..6).for_each(|at| features[at] = random.unit());
            features[source] = f64::from(level);
            examples.push(Example { features, level, fold: source, weight: 1.0 });
        }
        let ranks = ranked_features(&examples, &TRIAL, 4);
        for (fold, ranks) in ranks.iter().enumerate() {
            assert_eq!(ranks.len(), IMPORTANCE_WIDTH);
            assert!(!ranks[..3].contains(&fold) && ranks[..3].iter().all(|&at| at < 4), "{fold} {ranks:?}");
        }

        let f1 = |number| cross_validated_with_best(&examples, &TRIAL, &ranks, number).confusion.micro_f1();
        // The best 3 features of other folds say nothing about a fold.
        assert!(f1(3) < 0.7 && f1(IMPORTANCE_WIDTH) == cross_validated(&examples, &TRIAL, 4, 1.0).confusion.micro_f1());
        // A feature that is not used has no rank.
        let uses = std::array::from_fn(|at| at != 1);
        let ranks = ranked_features(&examples, &Trial { uses, ..TRIAL }, 4);
        assert!(ranks.iter().all(|ranks| ranks.len() == IMPORTANCE_WIDTH - 1 && !ranks.contains(&1)));
    }

    #[test]
    fn folds_whose_training_stops_early_are_counted() {
        let of_fold = |unconverged| {
            let mut confusion = Confusion::new(&[1, 2]);
            confusion.add(1, 2);
            Judged { confusion, unconverged }
        };
        let both = of_fold(1).and(&of_fold(0)).and(&of_fold(1));
        assert_eq!((both.confusion.len(), both.unconverged), (3, 2));
        // Linear machines converge, even if no feature explains the levels.
        let mut drawn = pages(12, any_level);
        let mut random = Random::new(5);
        for block in drawn.iter_mut().flat_map(|page| &mut page.blocks) {
            block.level.level = Some(1 + 3 * random.below(2) as u8);
        }
        let trial = Trial { learner: Learner::LinearSvm, ..TRIAL };
        assert_eq!(cross_validated(&examples(&drawn, Together::Sources), &trial, 3, 1.0).unconverged, 0);
    }

    #[test]
    fn one_source_cannot_be_left_out() {
        let examples = examples(&pages(1, any_level), Together::Sources);
        assert!(cross_validated(&examples, &TRIAL, 10, 1.0).confusion.is_empty());
        // But any learner can learn from it.
        for (learner, _) in model::LEARNERS {
            assert_eq!(learned(&examples, &Trial { learner, ..TRIAL }, 9).0.permitted, 9);
        }
    }
}
