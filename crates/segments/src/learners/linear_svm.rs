//! Support vector machines with a linear kernel, by an interior-point method.
//!
//! M. C. Ferris, T. S. Munson, "Interior-point methods for massive support vector machines", SIAM Journal on Optimization
//! 13, 2002. [`super::svm`] moves two examples at a time, which can take millions of steps if the kernel is linear and
//! the cost is high. But a linear machine has few unknowns: one weight for each feature. Here, each step solves one
//! equation for each feature, and a few dozen steps are enough for any cost. The problem is
//!
//! ```text
//! minimise 1/2 |w|^2 + C sum_i e_i  with  y_i (w x_i - b) + e_i >= 1  and  e_i >= 0
//! ```
//!
//! Newton's method follows the solutions of `a_i s_i = m` and `(C - a_i) e_i = m` for ever smaller m, where s_i is by how
//! much the first side exceeds 1, and a_i is the multiplier of example i (see [`super::svm`]).

use super::points::{Points, dot};
use super::svm::{Solution, TOLERANCE};

/// Maximum number of steps.
const STEPS_OF_INTERIOR: usize = 200;
/// Each step aims at a product m that is this share of the mean product before.
const NEXT_PRODUCT: f64 = 0.1;
/// A step ends before the bound by this share of the way.
const BEFORE_BOUND: f64 = 0.01;
/// A multiplier this near to 0 or C, as a share of C, is taken for 0 or C.
const NEAR_BOUND: f64 = 1e-6;

/// Trains with labels for these points. The result is as that of [`super::svm::train`].
///
/// # Panics
/// If there is not a label for each point, or `c` is not positive.
pub fn train(points: &Points, labels: &[bool], c: f64) -> Solution {
    assert_eq!(labels.len(), points.len(), "a label for each point");
    assert!(c > 0.0, "costs are positive");
    let signs: Vec<f64> = labels.iter().map(|&label| if label { 1.0 } else { -1.0 }).collect();
    // With a single class there is no margin: all decisions are that class.
    let Some(&first) = signs.first() else {
        return Solution { coefficients: Vec::new(), b: 0.0, steps: 0, is_converged: true };
    };
    if signs.iter().all(|&sign| sign == first) {
        return Solution { coefficients: vec![0.0; signs.len()], b: -first, steps: 0, is_converged: true };
    }

    let mut interior = Interior::new(points, &signs, c);
    for steps in 0..STEPS_OF_INTERIOR {
        let solution = interior.solution(steps);
        if solution.is_converged || !interior.step() {
            return solution;
        }
    }
    interior.solution(STEPS_OF_INTERIOR)
}

/// A point inside all bounds.
struct Interior<'p> {
    points: &'p Points,
    signs: &'p [f64],
    c: f64,
    /// The weights, and then `-b`.
    weights: Vec<f64>,
    /// a_i.
    multipliers: Vec<f64>,
    /// s_i.
    slacks: Vec<f64>,
    /// e_i.
    errors: Vec<f64>,
}

impl<'p> Interior<'p> {
    fn new(points: &'p Points, signs: &'p [f64], c: f64) -> Interior<'p> {
        // All weights are 0, so an error of 2 exceeds what is needed by 1.
        let [multipliers, slacks, errors] = [c / 2.0, 1.0, 2.0].map(|value| vec![value; signs.len()]);
        Interior { points, signs, c, weights: vec![0.0; points.width() + 1], multipliers, slacks, errors }
    }

    /// Moves by one step of Newton's method. Returns false if rounding leaves no step.
    fn step(&mut self) -> bool {
        let (count, width) = (self.signs.len(), self.points.width());
        let products =
            |at: usize| self.multipliers[at] * self.slacks[at] + (self.c - self.multipliers[at]) * self.errors[at];
        let product = NEXT_PRODUCT * (0..count).map(products).sum::<f64>() / (2 * count) as f64;

        // The change of a_i is (aims[i] - the change of y_i (w x_i - b)) / curvatures[i].
        let (mut curvatures, mut aims) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut system = System::new(width + 1);
        let mut row = vec![1.0; width + 1];
        for (at, point) in self.points.rows().enumerate() {
            let (a, s, e, rest) =
                (self.multipliers[at], self.slacks[at], self.errors[at], self.c - self.multipliers[at]);
            row[..width].copy_from_slice(point);
            let margin = self.signs[at] * dot(&row, &self.weights);
            let missing = s - (margin + e - 1.0);
            let curvature = e / rest + s / a;
            let aim = (product / a - s) - (product / rest - e) + missing;
            // w should be the sum of a_i y_i x_i, and the sum of a_i y_i should be 0.
            system.add(&row, 1.0 / curvature, self.signs[at] * (a + aim / curvature));
            curvatures.push(curvature);
            aims.push(aim);
        }
        for at in 0..width {
            system.rows[at][at] += 1.0;
            system.right[at] -= self.weights[at];
        }
        let Some(change) = system.solve() else { return false };

        let mut changes = Vec::with_capacity(count);
        let mut share = 1.0_f64;
        for (at, point) in self.points.rows().enumerate() {
            let (a, s, e, rest) =
                (self.multipliers[at], self.slacks[at], self.errors[at], self.c - self.multipliers[at]);
            row[..width].copy_from_slice(point);
            let of_a = (aims[at] - self.signs[at] * dot(&row, &change)) / curvatures[at];
            let of_s = product / a - s - s * of_a / a;
            let of_e = product / rest - e + e * of_a / rest;
            for (value, falls) in [(a, -of_a), (rest, of_a), (s, -of_s), (e, -of_e)] {
                if falls > 0.0 {
                    share = share.min((1.0 - BEFORE_BOUND) * value / falls);
                }
            }
            changes.push([of_a, of_s, of_e]);
        }
        if !share.is_finite() || change.iter().any(|value| !value.is_finite()) {
            return false;
        }
        self.weights.iter_mut().zip(&change).for_each(|(weight, of)| *weight += share * of);
        for (at, [of_a, of_s, of_e]) in changes.into_iter().enumerate() {
            self.multipliers[at] += share * of_a;
            self.slacks[at] += share * of_s;
            self.errors[at] += share * of_e;
        }
        let is_inside = |at: usize| {
            let inside = [self.multipliers[at], self.c - self.multipliers[at], self.slacks[at], self.errors[at]];
            inside.iter().all(|&value| value > 0.0)
        };
        (0..count).all(is_inside)
    }

    /// The solution with multipliers that are taken for 0 or C if they are near, and whether it is near the optimum.
    fn solution(&self, steps: usize) -> Solution {
        let snapped = |&a: &f64| match a / self.c {
            share if share < NEAR_BOUND => 0.0,
            share if share > 1.0 - NEAR_BOUND => self.c,
            _ => a,
        };
        let multipliers: Vec<f64> = self.multipliers.iter().map(snapped).collect();
        let coefficients: Vec<f64> = multipliers.iter().zip(self.signs).map(|(a, sign)| a * sign).collect();
        let mut weights = vec![0.0; self.points.width()];
        for (point, coefficient) in self.points.rows().zip(&coefficients) {
            weights.iter_mut().zip(point).for_each(|(weight, value)| *weight += coefficient * value);
        }

        // As in `svm`: no example that can grow has a gap above that of an example that can shrink.
        let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
        for ((point, &a), &sign) in self.points.rows().zip(&multipliers).zip(self.signs) {
            let gap = sign - dot(&weights, point);
            let [is_above_0, is_below_c] = [a > 0.0, a < self.c];
            if if sign > 0.0 { is_below_c } else { is_above_0 } {
                highest = highest.max(gap);
            }
            if if sign > 0.0 { is_above_0 } else { is_below_c } {
                lowest = lowest.min(gap);
            }
        }
        let sum: f64 = coefficients.iter().sum();
        let is_converged = highest - lowest < TOLERANCE && sum.abs() < TOLERANCE * self.c;
        // The gaps of both kinds meet at -b.
        Solution { coefficients, b: -(highest + lowest) / 2.0, steps, is_converged }
    }
}

/// Symmetric linear equations.
struct System {
    /// The lower half.
    rows: Vec<Vec<f64>>,
    right: Vec<f64>,
}

impl System {
    fn new(width: usize) -> System {
        System { rows: (0..width).map(|row| vec![0.0; row + 1]).collect(), right: vec![0.0; width] }
    }

    /// Adds the products of the values of a row with each other, times a factor, and to the right sides the row times
    /// another factor.
    fn add(&mut self, row: &[f64], factor: f64, right: f64) {
        for (at, entries) in self.rows.iter_mut().enumerate() {
            let times = factor * row[at];
            if times != 0.0 {
                entries.iter_mut().zip(row).for_each(|(entry, value)| *entry += times * value);
            }
            self.right[at] += right * row[at];
        }
    }

    /// The solution, by the square root of A.-L. Cholesky. `None` if the equations are not those of a minimum.
    fn solve(mut self) -> Option<Vec<f64>> {
        let width = self.right.len();
        for row in 0..width {
            let (done, rest) = self.rows.split_at_mut(row);
            let entries = &mut rest[0];
            for column in 0..row {
                let known = dot(&entries[..column], &done[column][..column]);
                entries[column] = (entries[column] - known) / done[column][column];
            }
            let square = entries[row] - dot(&entries[..row], &entries[..row]);
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            entries[row] = square.sqrt();
            self.right[row] = (self.right[row] - dot(&entries[..row], &self.right[..row])) / entries[row];
        }
        for row in (0..width).rev() {
            self.right[row] /= self.rows[row][row];
            let solved = self.right[row];
            self.right[..row].iter_mut().zip(&self.rows[row]).for_each(|(above, entry)| *above -= solved * entry);
        }
        Some(self.right)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::learners::svm::{self, Kernel, KernelMatrix, Svm};
    use dehusk_core::random::Random;

    fn examples(seed: u64, count: usize, width: usize, noise: f64) -> (Points, Vec<bool>) {
        let mut random = Random::new(seed);
        let mut points = Points::new(width);
        let mut labels = Vec::new();
        for _ in 0..count {
            let point: Vec<f64> = (0..width).map(|_| 2.0 * random.unit() - 1.0).collect();
            labels.push(point.iter().sum::<f64>() + noise * (random.unit() - 0.5) > 0.0);
            points.push(&point);
        }
        (points, labels)
    }

    /// The objective, as plainly as possible.
    fn objective(machine: &Svm, points: &Points, labels: &[bool], c: f64) -> f64 {
        let weights = machine.weights().unwrap();
        let error = |(point, &label): (&[f64], &bool)| {
            (1.0 - machine.decision(point) * if label { 1.0 } else { -1.0 }).max(0.0)
        };
        dot(weights, weights) / 2.0 + c * points.rows().zip(labels).map(error).sum::<f64>()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Both solve the same problem, by ways that have nothing in common.
        #[test]
        fn the_machine_is_that_of_pairs_of_examples(
            seed: u64, count in 2_usize..60, width in 1_usize..6, noise in 0.0..4.0, power in -3..5,
        ) {
            let (points, labels) = examples(seed, count, width, noise);
            let c = 2.0_f64.powi(power);
            let [ours, theirs] = [
                train(&points, &labels, c),
                svm::train(&KernelMatrix::of(Kernel::Linear, &points), &labels, c),
            ];
            prop_assert!(ours.is_converged);
            prop_assert!(ours.alphas().all(|a| (0.0..=c).contains(&a)));
            let [ours, theirs] = [ours, theirs].map(|solution| {
                objective(&Svm::new(Kernel::Linear, &points, &solution), &points, &labels, c)
            });
            // Both are near the minimum.
            let count = count as f64;
            prop_assert!((ours - theirs).abs() < 2.0 * TOLERANCE * c * count + 1e-6, "{} {}", ours, theirs);
        }
    }

    #[test]
    fn labels_that_nothing_explains_need_few_steps_at_any_cost() {
        let mut random = Random::new(7);
        let (points, _) = examples(7, 400, 20, 0.0);
        let labels: Vec<bool> = (0..400).map(|_| random.below(2) == 0).collect();
        for c in [0.5, 256.0, 1e5] {
            let solution = train(&points, &labels, c);
            assert!(solution.is_converged && solution.steps < 100, "{c} {}", solution.steps);
        }
    }

    #[test]
    fn one_class_and_no_examples_are_fine() {
        let (points, _) = examples(1, 5, 2, 0.0);
        for (label, decision) in [(true, 1.0), (false, -1.0)] {
            let solution = train(&points, &[label; 5], 4.0);
            assert_eq!(Svm::new(Kernel::Linear, &points, &solution).decision(&[9.0, 9.0]), decision);
        }
        assert!(train(&Points::new(2), &[], 1.0).is_converged);
        // Equal points with different labels cancel out.
        let mut equal = Points::new(1);
        (0..2).for_each(|_| equal.push(&[1.0]));
        let solution = train(&equal, &[true, false], 5.0);
        assert!(solution.is_converged, "{solution:?}");
        assert!(Svm::new(Kernel::Linear, &equal, &solution).decision(&[1.0]).abs() < 1e-6);
    }

    #[test]
    fn equations_are_solved() {
        let mut system = System::new(2);
        system.add(&[1.0, 0.0], 2.0, 3.0);
        system.add(&[1.0, 1.0], 1.0, 4.0);
        // 3 x + y = 7, x + y = 4.
        let solved = system.solve().unwrap();
        assert!((solved[0] - 1.5).abs() < 1e-12 && (solved[1] - 2.5).abs() < 1e-12, "{solved:?}");
        assert_eq!(System::new(1).solve(), None);
    }
}
