//! Probabilities from decisions (Platt scaling): the log-odds of a label are a line in the decision.
//!
//! J. Platt, "Probabilistic outputs for support vector machines", 1999. The line of the greatest likelihood is found as
//! in H.-T. Lin, C.-J. Lin, R. C. Weng, "A note on Platt's probabilistic outputs for support vector machines", Machine
//! Learning 68, 2007: Newton's method with shorter steps where a whole one goes too far, without overflow.

/// Maximum number of steps.
const MAX_STEPS_OF_PLATT: usize = 100;
/// A step is not made shorter than this share of a whole step.
const LEAST_SHARE: f64 = 1e-10;
/// Added to the second derivatives, so that the step is unique.
const RIDGE_OF_PLATT: f64 = 1e-12;
/// Slopes below this are small enough to stop.
const SMALL_SLOPE: f64 = 1e-5;
/// A step must lower the loss by at least this share of the decrease that its slope promises.
const KEPT: f64 = 1e-4;

/// The line: the log-odds of a decision f are `-(a f + b)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Platt {
    /// Negative if labels get more likely as decisions grow.
    pub a: f64,
    /// The negative log-odds for a decision of 0.
    pub b: f64,
}

impl Platt {
    /// The probability of the label, in 0..=1.
    pub fn probability(&self, decision: f64) -> f64 {
        let z = self.a * decision + self.b;
        // The exponent is never positive: there is no overflow.
        if z >= 0.0 { (-z).exp() / (1.0 + (-z).exp()) } else { 1.0 / (1.0 + z.exp()) }
    }
}

/// The line of the greatest likelihood. The decisions should be those of examples that the machine has not seen.
///
/// A label does not count as certain: its target is near 0 or 1, and nearer if more examples have the label. So
/// separable examples have a line too. If all labels are the same, it gives nearly the same probability for all
/// decisions.
///
/// # Panics
/// If there is not a label for each decision.
pub fn fit(decisions: &[f64], labels: &[bool]) -> Platt {
    assert_eq!(decisions.len(), labels.len(), "a label for each decision");
    let examples = Examples::of(decisions, labels);
    let [negatives, positives] = examples.counts;
    let mut line = Platt { a: 0.0, b: ((negatives + 1.0) / (positives + 1.0)).ln() };
    let mut loss = examples.loss(line);
    for _ in 0..MAX_STEPS_OF_PLATT {
        let Slopes { of: [a, b], curvature: [aa, ab, bb] } = examples.slopes(line);
        if a.abs() < SMALL_SLOPE && b.abs() < SMALL_SLOPE {
            break;
        }
        let determinant = aa * bb - ab * ab;
        let step = [-(bb * a - ab * b) / determinant, -(aa * b - ab * a) / determinant];
        let promised = a * step[0] + b * step[1];
        let mut share = 1.0;
        while share >= LEAST_SHARE {
            let moved = Platt { a: line.a + share * step[0], b: line.b + share * step[1] };
            let next = examples.loss(moved);
            if next < loss + KEPT * share * promised {
                (line, loss) = (moved, next);
                break;
            }
            share /= 2.0;
        }
        if share < LEAST_SHARE {
            break; // No better line can be told apart in floating-point numbers.
        }
    }
    line
}

struct Examples<'e> {
    decisions: &'e [f64],
    labels: &'e [bool],
    /// The numbers of negative and of positive examples.
    counts: [f64; 2],
    /// The probability that a negative and a positive example should get.
    targets: [f64; 2],
}

/// Derivatives of the loss.
struct Slopes {
    of: [f64; 2],
    /// The second derivatives: by a twice, by a and b, by b twice.
    curvature: [f64; 3],
}

impl<'e> Examples<'e> {
    fn of(decisions: &'e [f64], labels: &'e [bool]) -> Examples<'e> {
        let positives = labels.iter().filter(|&&label| label).count();
        let counts = [(labels.len() - positives) as f64, positives as f64];
        let targets = [1.0 / (counts[0] + 2.0), (counts[1] + 1.0) / (counts[1] + 2.0)];
        Examples { decisions, labels, counts, targets }
    }

    fn pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        self.decisions.iter().zip(self.labels).map(|(&decision, &label)| (decision, self.targets[usize::from(label)]))
    }

    /// The negative log-likelihood.
    fn loss(&self, line: Platt) -> f64 {
        let of = |(decision, target): (f64, f64)| {
            let z = line.a * decision + line.b;
            // Both branches are t z + ln(1 + e^-z), without overflow.
            if z >= 0.0 { target * z + (-z).exp().ln_1p() } else { (target - 1.0) * z + z.exp().ln_1p() }
        };
        self.pairs().map(of).sum()
    }

    fn slopes(&self, line: Platt) -> Slopes {
        let mut slopes = Slopes { of: [0.0; 2], curvature: [RIDGE_OF_PLATT, 0.0, RIDGE_OF_PLATT] };
        for (decision, target) in self.pairs() {
            let p = line.probability(decision);
            let spread = p * (1.0 - p);
            slopes.curvature[0] += decision * decision * spread;
            slopes.curvature[1] += decision * spread;
            slopes.curvature[2] += spread;
            slopes.of[0] += decision * (target - p);
            slopes.of[1] += target - p;
        }
        slopes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use dehusk_core::random::Random;

    /// The loss, written down again as plainly as possible.
    fn plain_loss(decisions: &[f64], labels: &[bool], a: f64, b: f64) -> f64 {
        let positives = labels.iter().filter(|&&label| label).count() as f64;
        let negatives = labels.len() as f64 - positives;
        let of = |(f, label): (&f64, &bool)| {
            let t = if *label { (positives + 1.0) / (positives + 2.0) } else { 1.0 / (negatives + 2.0) };
            let p = 1.0 / (1.0 + (a * f + b).exp());
            -(t * p.ln() + (1.0 - t) * (1.0 - p).ln())
        };
        decisions.iter().zip(labels).map(of).sum()
    }

    /// The best line of a grid that gets finer around the best line so far.
    fn brute_force(decisions: &[f64], labels: &[bool]) -> Platt {
        let (mut best, mut least, mut reach) = (Platt { a: 0.0, b: 0.0 }, f64::INFINITY, 8.0);
        while reach > 1e-5 {
            let middle = best;
            for (x, y) in (-20..=20).flat_map(|x| (-20..=20).map(move |y| (x, y))) {
                let [a, b] = [middle.a + reach * f64::from(x) / 20.0, middle.b + reach * f64::from(y) / 20.0];
                let loss = plain_loss(decisions, labels, a, b);
                if loss < least {
                    (best, least) = (Platt { a, b }, loss);
                }
            }
            reach *= 0.6;
        }
        best
    }

    fn noisy(seed: u64, count: usize) -> (Vec<f64>, Vec<bool>) {
        let mut random = Random::new(seed);
        let decisions: Vec<f64> = (0..count).map(|_| random.unit() * 4.0 - 2.0).collect();
        let labels = decisions.iter().map(|f| f + 2.0 * random.unit() - 1.0 > 0.3).collect();
        (decisions, labels)
    }

    #[test]
    fn no_line_of_a_grid_is_better() {
        for seed in 0..8 {
            let (decisions, labels) = noisy(seed, 20 + 30 * seed as usize);
            let (line, best) = (fit(&decisions, &labels), brute_force(&decisions, &labels));
            let [loss, least] = [line, best].map(|line| plain_loss(&decisions, &labels, line.a, line.b));
            assert!(loss <= least + 1e-7, "{seed}: {line:?} {loss}, {best:?} {least}");
            assert!((line.a - best.a).abs() < 1e-2 && (line.b - best.b).abs() < 1e-2, "{seed}: {line:?} {best:?}");
        }
    }

    proptest! {
        #[test]
        fn probabilities_are_monotone_numbers(
            examples in prop::collection::vec((-50.0..50.0, any::<bool>()), 0..40),
            at in prop::collection::vec(-1e4..1e4, 2..20),
        ) {
            let (decisions, labels): (Vec<f64>, Vec<bool>) = examples.into_iter().unzip();
            let line = fit(&decisions, &labels);
            prop_assert!(line.a.is_finite() && line.b.is_finite());
            let mut at = at;
            at.sort_by(f64::total_cmp);
            let probabilities: Vec<f64> = at.iter().map(|&f| line.probability(f)).collect();
            prop_assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)));
            let rises = |pair: &[f64]| if line.a <= 0.0 { pair[0] <= pair[1] } else { pair[0] >= pair[1] };
            prop_assert!(probabilities.windows(2).all(rises));
        }
    }

    #[test]
    fn a_label_with_higher_decisions_gets_more_likely() {
        let line = fit(&[-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], &[false, false, false, true, true, true]);
        assert!(line.a < 0.0);
        assert!(line.probability(2.0) > 0.7 && line.probability(-2.0) < 0.3);
    }

    #[test]
    fn one_class_and_no_examples_are_fine() {
        let decisions = [0.5, 1.0, -2.0, 1e6];
        let [none, all] = [false, true].map(|label| fit(&decisions, &[label; 4]));
        for decision in [-1e9, -1.0, 0.0, 1.0, 1e9] {
            assert!((none.probability(decision) - 1.0 / 6.0).abs() < 1e-3, "{none:?}");
            assert!((all.probability(decision) - 5.0 / 6.0).abs() < 1e-3, "{all:?}");
        }
        assert_eq!(fit(&[], &[]).probability(3.0), 0.5);
        let steep = Platt { a: -1.0, b: 0.0 };
        assert_eq!([-1e6, 1e6].map(|decision| steep.probability(decision)), [0.0, 1.0]);
        assert!(fit(&[0.0; 5], &[true, false, true, false, false]).probability(0.0) < 0.5);
    }
}
