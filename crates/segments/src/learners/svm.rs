//! Support vector machines for two classes: `f(x) = sum_i a_i y_i K(x_i, x) - b`, and the class is the sign of f.
//!
//! B. E. Boser, I. M. Guyon, V. N. Vapnik, "A training algorithm for optimal margin classifiers", COLT 1992; C.
//! Cortes, V. Vapnik, "Support-vector networks", Machine Learning 20, 1995. The dual problem
//!
//! ```text
//! maximise sum_i a_i - 1/2 sum_ij a_i a_j y_i y_j K(x_i, x_j)  with  0 <= a_i <= C  and  sum_i a_i y_i = 0
//! ```
//!
//! is solved for two examples at a time (SMO). These are chosen as in R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set
//! selection using second order information for training support vector machines", JMLR 6, 2005 (WSS 3).
//!
//! All values of K are computed once and kept as 32-bit numbers, as in LIBSVM: trainings with different labels, costs
//! and parts of the examples share these values.

use super::points::{Points, dot, squared_distance};

/// Training stops when no pair of examples violates the conditions of the optimum by more than this.
pub const TOLERANCE: f64 = 1e-3;
/// Maximum number of steps for each example.
pub const STEPS_PER_EXAMPLE_OF_FIT: usize = 100;
/// Maximum number of steps if there are few examples.
const LEAST_STEPS_OF_FIT: usize = 100_000;
/// A pair of equal examples counts as if it had this squared distance.
const LEAST_CURVATURE: f64 = 1e-12;
/// Number of examples that a loop without branches looks at.
const BLOCK_OF_EXAMPLES: usize = 64;
/// Number of values of a block that are computed independently, so that none waits for another.
const LANES: usize = 8;

/// A measure of how alike two points are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kernel {
    /// The sum of the products of their values.
    Linear,
    /// `exp(-gamma |x - z|^2)`.
    Gaussian {
        /// With a greater gamma, points must be closer to be alike.
        gamma: f64,
    },
}

impl Kernel {
    /// The value for two points with the same number of features.
    pub fn of(self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Kernel::Linear => dot(a, b),
            Kernel::Gaussian { gamma } => (-gamma * squared_distance(a, b)).exp(),
        }
    }
}

/// The squared distances of all pairs of points, from which [`KernelMatrix`] is made for several gammas.
///
/// Takes 4 n (n - 1) bytes: 82 MB for 4,517 points.
#[derive(Clone, Debug)]
pub struct Distances {
    len: usize,
    /// The lower half without the diagonal, row by row.
    squares: Vec<f64>,
}

impl Distances {
    /// The distances of all pairs of these points.
    pub fn of(points: &Points) -> Distances {
        let pairs = (0..points.len()).flat_map(|row| (0..row).map(move |column| (row, column)));
        let squares = pairs.map(|(a, b)| squared_distance(points.row(a), points.row(b))).collect();
        Distances { len: points.len(), squares }
    }

    /// The matrix of the Gaussian kernel.
    pub fn gaussian(&self, gamma: f64) -> KernelMatrix {
        KernelMatrix::symmetric(
            self.len,
            |a, b| {
                if a == b { 1.0 } else { (-gamma * self.squares[a * (a - 1) / 2 + b]).exp() }
            },
        )
    }
}

/// The kernel for all pairs of points.
///
/// Takes 4 n (n + 63) bytes at most: 83 MB for 4,517 points.
#[derive(Clone, Debug)]
pub struct KernelMatrix {
    len: usize,
    /// Length of a row: a whole number of blocks. The rest of the last block is 0.
    stride: usize,
    entries: Vec<f32>,
}

impl KernelMatrix {
    /// The kernel of all pairs of these points.
    pub fn of(kernel: Kernel, points: &Points) -> KernelMatrix {
        KernelMatrix::symmetric(points.len(), |a, b| kernel.of(points.row(a), points.row(b)))
    }

    /// Computes the kernel of each pair once: calls `of` with a second point that does not come after the first.
    fn symmetric(len: usize, of: impl Fn(usize, usize) -> f64) -> KernelMatrix {
        let mut matrix = KernelMatrix::zero(len);
        for row in 0..len {
            for column in 0..=row {
                matrix.entries[row * matrix.stride + column] = of(row, column) as f32;
            }
        }
        matrix.mirror();
        matrix
    }

    fn zero(len: usize) -> KernelMatrix {
        let stride = len.next_multiple_of(BLOCK_OF_EXAMPLES);
        KernelMatrix { len, stride, entries: vec![0.0; len * stride] }
    }

    /// Copies the lower half into the upper one, square by square so that both stay in the cache.
    fn mirror(&mut self) {
        let (len, stride) = (self.len, self.stride);
        for (rows, columns) in
            (0..len).step_by(BLOCK_OF_EXAMPLES).flat_map(|a| (0..=a).step_by(BLOCK_OF_EXAMPLES).map(move |b| (a, b)))
        {
            for row in rows..(rows + BLOCK_OF_EXAMPLES).min(len) {
                for column in columns..(columns + BLOCK_OF_EXAMPLES).min(row) {
                    self.entries[column * stride + row] = self.entries[row * stride + column];
                }
            }
        }
    }

    /// The matrix of these points alone, in this order.
    ///
    /// # Panics
    /// If there are not that many points.
    pub fn part(&self, rows: &[usize]) -> KernelMatrix {
        let mut part = KernelMatrix::zero(rows.len());
        for (&row, entries) in rows.iter().zip(part.entries.chunks_exact_mut(part.stride.max(1))) {
            let whole = self.row(row);
            entries.iter_mut().zip(rows).for_each(|(entry, &column)| *entry = whole[column]);
        }
        part
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The kernel of a point with all points.
    ///
    /// # Panics
    /// If there are not that many points.
    pub fn row(&self, point: usize) -> &[f32] {
        &self.padded(point)[..self.len]
    }

    fn padded(&self, point: usize) -> &[f32] {
        &self.entries[point * self.stride..][..self.stride]
    }
}

/// The result of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// `a_i y_i` for each example: positive for positive examples, and 0 if it is not a support vector.
    pub coefficients: Vec<f64>,
    /// The number that is subtracted from the sum.
    pub b: f64,
    /// Number of steps that led here.
    pub steps: usize,
    /// Whether the optimum is near (see [`TOLERANCE`]). If not, the number of steps did not suffice.
    pub is_converged: bool,
}

impl Solution {
    /// `a_i` for each example, from 0 to C.
    pub fn alphas(&self) -> impl Iterator<Item = f64> {
        self.coefficients.iter().map(|coefficient| coefficient.abs())
    }

    /// The decision for a point, given its kernel with each of the examples.
    ///
    /// # Panics
    /// If there is not a value for each example.
    pub fn decision(&self, kernel: impl ExactSizeIterator<Item = f32>) -> f64 {
        assert_eq!(kernel.len(), self.coefficients.len(), "the kernel with each example");
        self.coefficients.iter().zip(kernel).map(|(coefficient, value)| coefficient * f64::from(value)).sum::<f64>()
            - self.b
    }
}

/// Trains with labels for the points of the matrix. With a greater cost `c`, examples on the wrong side are tolerated
/// less.
///
/// If all labels are the same, so are all decisions: 1 or -1.
///
/// # Panics
/// If there is not a label for each point, or `c` is not positive.
pub fn train(kernel: &KernelMatrix, labels: &[bool], c: f64) -> Solution {
    Trainer::new(kernel, labels).train(c)
}

/// Trains with several costs. Each training starts where the one before ended, which is quicker if costs grow.
#[derive(Clone, Debug)]
pub struct Trainer<'k> {
    kernel: &'k KernelMatrix,
    /// The kernel of each point with itself.
    diagonal: Vec<f32>,
    /// The sign of each example, 1 or -1, and 0 after the last example.
    signs: Vec<f64>,
    /// The cost of the training before.
    c: Option<f64>,
    most_steps: usize,
    state: State,
}

#[derive(Clone, Debug)]
struct State {
    /// `a_i y_i`.
    coefficients: Vec<f64>,
    /// The gap between the label and the sum at each example: `y_i - sum_j a_j y_j K_ij`.
    gaps: Vec<f64>,
    /// 0 if the coefficient can grow, otherwise negative infinity.
    up: Vec<f64>,
    /// 0 if the coefficient can shrink, otherwise infinity.
    down: Vec<f64>,
}

/// An example, and the value by which it was chosen.
#[derive(Clone, Copy)]
struct Choice<T> {
    example: usize,
    value: T,
}

impl<'k> Trainer<'k> {
    /// A trainer that has not trained yet.
    ///
    /// # Panics
    /// If there is not a label for each point.
    pub fn new(kernel: &'k KernelMatrix, labels: &[bool]) -> Trainer<'k> {
        assert_eq!(labels.len(), kernel.len(), "a label for each point");
        let mut diagonal: Vec<f32> = (0..kernel.len()).map(|point| kernel.row(point)[point]).collect();
        let mut signs: Vec<f64> = labels.iter().map(|&label| if label { 1.0 } else { -1.0 }).collect();
        diagonal.resize(kernel.stride, 0.0);
        signs.resize(kernel.stride, 0.0);
        let [coefficients, up, down] = [0.0, f64::NEG_INFINITY, f64::INFINITY].map(|value| vec![value; kernel.stride]);
        let state = State { coefficients, gaps: signs.clone(), up, down };
        let most_steps = (STEPS_PER_EXAMPLE_OF_FIT * kernel.len()).max(LEAST_STEPS_OF_FIT);
        Trainer { kernel, diagonal, signs, c: None, most_steps, state }
    }

    /// Sets the maximum number of steps of a training, instead of [`STEPS_PER_EXAMPLE_OF_FIT`].
    pub fn with_most_steps(self, most_steps: usize) -> Trainer<'k> {
        Trainer { most_steps, ..self }
    }

    /// Trains with this cost. Earlier trainings change the solution only within the tolerance.
    ///
    /// # Panics
    /// If `c` is not positive.
    pub fn train(&mut self, c: f64) -> Solution {
        assert!(c > 0.0, "costs are positive");
        self.start(c);
        let mut steps = 0;
        let mut first = self.state.highest();
        let is_converged = loop {
            // If no coefficient can grow, nothing can be improved.
            if first.value == f64::NEG_INFINITY {
                break true;
            }
            let (second, most_violated) = self.second(first);
            if most_violated < TOLERANCE {
                break true;
            }
            if steps == self.most_steps || second.value <= 0.0 {
                break false;
            }
            first = self.step(first.example, second.example, c);
            steps += 1;
        };
        Solution {
            coefficients: self.state.coefficients[..self.kernel.len()].to_vec(),
            b: self.state.b(&self.signs, c),
            steps,
            is_converged,
        }
    }

    /// Stretches the coefficients from the last cost to this one, so that examples at the bound stay at the bound. If
    /// there are no such examples, a greater cost changes nothing.
    fn start(&mut self, c: f64) {
        let before = self.c.replace(c).unwrap_or(c);
        let is_cut = self.state.coefficients.iter().any(|coefficient| coefficient.abs() >= before);
        let stretch = if is_cut || c < before { c / before } else { 1.0 };
        for example in 0..self.kernel.len() {
            let sign = self.signs[example];
            let alpha = self.state.coefficients[example].abs();
            // Rounding can make a product miss the bound.
            let alpha = if alpha >= before { c } else { (alpha * stretch).min(c) };
            self.state.gaps[example] = sign - stretch * (sign - self.state.gaps[example]);
            self.set(example, sign * alpha, c);
        }
    }

    /// Sets a coefficient, and whether it can grow and shrink from there.
    fn set(&mut self, example: usize, coefficient: f64, c: f64) {
        let [least, most] = self.bounds(example, c);
        self.state.coefficients[example] = coefficient;
        self.state.up[example] = if coefficient < most { 0.0 } else { f64::NEG_INFINITY };
        self.state.down[example] = if coefficient > least { 0.0 } else { f64::INFINITY };
    }

    fn bounds(&self, example: usize, c: f64) -> [f64; 2] {
        if self.signs[example] > 0.0 { [0.0, c] } else { [-c, 0.0] }
    }

    /// Chooses the example whose coefficient should shrink while that of the first grows: the objective gains most by
    /// it, bounds aside. Also returns by how much the worst pair with the first violates the conditions of the optimum.
    fn second(&self, first: Choice<f64>) -> (Choice<f32>, f64) {
        let itself = self.diagonal[first.example];
        let mut best = Choice { example: 0, value: 0.0_f32 };
        let mut violated = [f64::NEG_INFINITY; LANES];
        let rows = self.kernel.padded(first.example).as_chunks::<BLOCK_OF_EXAMPLES>().0.iter();
        let state = self
            .state
            .gaps
            .as_chunks::<BLOCK_OF_EXAMPLES>()
            .0
            .iter()
            .zip(self.state.down.as_chunks::<BLOCK_OF_EXAMPLES>().0);
        let blocks = rows.zip(self.diagonal.as_chunks::<BLOCK_OF_EXAMPLES>().0).zip(state);
        let mut gains = [0.0_f32; BLOCK_OF_EXAMPLES];
        for (block, ((row, diagonal), (gaps, down))) in blocks.enumerate() {
            let mut highest = [0.0_f32; LANES];
            for start in (0..BLOCK_OF_EXAMPLES).step_by(LANES) {
                for lane in 0..LANES {
                    let at = start + lane;
                    let violation = first.value - (gaps[at] + down[at]);
                    violated[lane] = greater(violation, violated[lane]);
                    let violation = if violation > 0.0 { violation as f32 } else { 0.0 };
                    let curvature = itself + diagonal[at] - 2.0 * row[at];
                    let curvature = if curvature > 1e-12 { curvature } else { 1e-12 };
                    gains[at] = violation * violation / curvature;
                    highest[lane] = if gains[at] > highest[lane] { gains[at] } else { highest[lane] };
                }
            }
            let highest = highest.into_iter().fold(0.0, |a, b| if b > a { b } else { a });
            if highest > best.value {
                let at = gains.iter().position(|&gain| gain == highest).unwrap_or_default();
                best = Choice { example: block * BLOCK_OF_EXAMPLES + at, value: highest };
            }
        }
        (best, violated.into_iter().fold(f64::NEG_INFINITY, greater))
    }

    /// Grows one coefficient and shrinks another one by the same amount, as far as it helps. Returns the next example
    /// to grow.
    fn step(&mut self, first: usize, second: usize, c: f64) -> Choice<f64> {
        let (row, other) = (self.kernel.padded(first), self.kernel.padded(second));
        let curvature = f64::from(row[first]) + f64::from(other[second]) - 2.0 * f64::from(row[second]);
        let [grown, shrunk] = [first, second].map(|example| self.state.coefficients[example]);
        let [top, bottom] = [self.bounds(first, c)[1], self.bounds(second, c)[0]];
        let best = (self.state.gaps[first] - self.state.gaps[second]) / curvature.max(LEAST_CURVATURE);
        let length = best.min(top - grown).min(shrunk - bottom);
        // Rounding can make a sum miss the bound.
        let next = [
            if length == top - grown { top } else { grown + length },
            if length == shrunk - bottom { bottom } else { shrunk - length },
        ];
        self.set(first, next[0], c);
        self.set(second, next[1], c);
        self.state.advance(row, other, length)
    }
}

impl State {
    /// The example whose coefficient should grow most: of those that can grow, the one with the greatest gap. Of equal
    /// ones, the first.
    fn highest(&self) -> Choice<f64> {
        let lack = |example: usize| self.gaps[example] + self.up[example];
        (0..self.gaps.len()).fold(Choice { example: 0, value: f64::NEG_INFINITY }, |best, example| {
            if lack(example) > best.value { Choice { example, value: lack(example) } } else { best }
        })
    }

    /// Changes the gaps after a step, and returns the new [`State::highest`].
    fn advance(&mut self, row: &[f32], other: &[f32], length: f64) -> Choice<f64> {
        let mut best = Choice { example: 0, value: f64::NEG_INFINITY };
        let rows = row.as_chunks::<BLOCK_OF_EXAMPLES>().0.iter().zip(other.as_chunks::<BLOCK_OF_EXAMPLES>().0);
        let gaps =
            self.gaps.as_chunks_mut::<BLOCK_OF_EXAMPLES>().0.iter_mut().zip(self.up.as_chunks::<BLOCK_OF_EXAMPLES>().0);
        for (block, ((row, other), (gaps, up))) in rows.zip(gaps).enumerate() {
            let mut highest = [f64::NEG_INFINITY; LANES];
            for start in (0..BLOCK_OF_EXAMPLES).step_by(LANES) {
                for (lane, highest) in highest.iter_mut().enumerate() {
                    let at = start + lane;
                    gaps[at] -= length * (f64::from(row[at]) - f64::from(other[at]));
                    *highest = greater(gaps[at] + up[at], *highest);
                }
            }
            let highest = highest.into_iter().fold(f64::NEG_INFINITY, greater);
            if highest > best.value {
                let at = gaps.iter().zip(up).position(|(gap, up)| gap + up == highest).unwrap_or_default();
                best = Choice { example: block * BLOCK_OF_EXAMPLES + at, value: highest };
            }
        }
        best
    }

    /// The b of the solution: the mean over the examples on the margin. If there are none, the middle of the possible
    /// values.
    fn b(&self, signs: &[f64], c: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0_usize);
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for (example, gap) in self.gaps.iter().enumerate().filter(|(example, _)| signs[*example] != 0.0) {
            if (0.0..c).contains(&self.coefficients[example].abs()) && self.coefficients[example] != 0.0 {
                sum += gap;
                count += 1;
            }
            least = greater(gap + self.up[example], least);
            most = -greater(-(gap + self.down[example]), -most);
        }
        match (count, least.is_finite(), most.is_finite()) {
            (1.., _, _) => -sum / count as f64,
            (_, true, true) => -(least + most) / 2.0,
            (_, true, false) => -least,
            (_, false, true) => -most,
            (_, false, false) => 0.0,
        }
    }
}

/// The greater number. Faster than `f64::max`, which also looks for NaN.
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// A trained machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Svm {
    kernel: Kernel,
    vectors: Points,
    coefficients: Vec<f64>,
    b: f64,
    /// The weighted sum of the support vectors, if the kernel is linear.
    weights: Option<Vec<f64>>,
}

impl Svm {
    /// The machine of a solution for these points. Keeps only the support vectors.
    ///
    /// # Panics
    /// If the solution is for another number of points.
    pub fn new(kernel: Kernel, points: &Points, solution: &Solution) -> Svm {
        assert_eq!(points.len(), solution.coefficients.len(), "a coefficient for each point");
        let rows: Vec<usize> = (0..points.len()).filter(|&row| solution.coefficients[row] != 0.0).collect();
        let coefficients = rows.iter().map(|&row| solution.coefficients[row]).collect();
        Svm::from_parts(kernel, points.part(&rows), coefficients, solution.b)
    }

    /// The machine with these support vectors, `a_i y_i` for each of them, and b.
    ///
    /// # Panics
    /// If there is not a coefficient for each vector.
    pub fn from_parts(kernel: Kernel, vectors: Points, coefficients: Vec<f64>, b: f64) -> Svm {
        assert_eq!(vectors.len(), coefficients.len(), "a coefficient for each vector");
        let weights = (kernel == Kernel::Linear).then(|| {
            let mut weights = vec![0.0; vectors.width()];
            for (vector, coefficient) in vectors.rows().zip(&coefficients) {
                weights.iter_mut().zip(vector).for_each(|(weight, value)| *weight += coefficient * value);
            }
            weights
        });
        Svm { kernel, vectors, coefficients, b, weights }
    }

    /// f(x): positive for points of the class. For a linear kernel, this needs only the weights.
    ///
    /// # Panics
    /// If the number of features is not that of the machine.
    pub fn decision(&self, point: &[f64]) -> f64 {
        assert_eq!(point.len(), self.vectors.width(), "a value for each feature");
        match &self.weights {
            Some(weights) => dot(weights, point) - self.b,
            None => self.sum(point) - self.b,
        }
    }

    fn sum(&self, point: &[f64]) -> f64 {
        let values = self.vectors.rows().map(|vector| self.kernel.of(vector, point));
        self.coefficients.iter().zip(values).map(|(coefficient, value)| coefficient * value).sum()
    }

    /// The vector w of a linear kernel: f(x) = w x - b. `None` for another kernel.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The support vectors.
    pub fn vectors(&self) -> &Points {
        &self.vectors
    }

    /// `a_i y_i` for each support vector.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The number that is subtracted from the sum.
    pub fn b(&self) -> f64 {
        self.b
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use dehusk_core::random::Random;

    const GAUSSIAN: Kernel = Kernel::Gaussian { gamma: 0.7 };

    fn of(rows: &[&[f64]]) -> Points {
        let mut points = Points::new(rows[0].len());
        rows.iter().for_each(|row| points.push(row));
        points
    }

    fn random_points(random: &mut Random, count: usize, width: usize) -> Points {
        let mut points = Points::new(width);
        (0..count).for_each(|_| points.push(&(0..width).map(|_| 2.0 * random.unit() - 1.0).collect::<Vec<_>>()));
        points
    }

    fn random_labels(random: &mut Random, count: usize) -> Vec<bool> {
        (0..count).map(|_| random.percent(50)).collect()
    }

    fn machine(kernel: Kernel, points: &Points, labels: &[bool], c: f64) -> Svm {
        let solution = train(&KernelMatrix::of(kernel, points), labels, c);
        assert!(solution.is_converged);
        Svm::new(kernel, points, &solution)
    }

    fn plain_kernel(kernel: Kernel, a: &[f64], b: &[f64]) -> f64 {
        match kernel {
            Kernel::Linear => a.iter().zip(b).map(|(a, b)| a * b).sum(),
            Kernel::Gaussian { gamma } => (-gamma * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp(),
        }
    }

    /// The worst violation of the conditions of the optimum (Karush, Kuhn and Tucker).
    fn violation(kernel: Kernel, points: &Points, labels: &[bool], c: f64, solution: &Solution) -> f64 {
        let mut worst = solution.coefficients.iter().sum::<f64>().abs();
        for (at, (point, &label)) in points.rows().zip(labels).enumerate() {
            let values = points.rows().map(|other| plain_kernel(kernel, other, point));
            let f = solution.coefficients.iter().zip(values).map(|(a, k)| a * k).sum::<f64>() - solution.b;
            let margin = if label { f - 1.0 } else { -f - 1.0 };
            let alpha = if label { solution.coefficients[at] } else { -solution.coefficients[at] };
            assert!((0.0..=c).contains(&alpha), "{alpha} {c}");
            worst = worst.max(match alpha {
                0.0 => -margin,
                _ if alpha == c => margin,
                _ => margin.abs(),
            });
        }
        worst
    }

    fn objective(kernel: Kernel, points: &Points, labels: &[bool], coefficients: &[f64]) -> f64 {
        let mut sum = coefficients.iter().map(|coefficient| coefficient.abs()).sum::<f64>();
        for (a, x) in coefficients.iter().zip(points.rows()) {
            for (b, z) in coefficients.iter().zip(points.rows()) {
                sum -= a * b * plain_kernel(kernel, x, z) / 2.0;
            }
        }
        assert_eq!(labels.len(), coefficients.len());
        sum
    }

    /// The nearest point of the box whose coefficients sum to 0: all coefficients move by the same amount, found by
    /// bisection.
    fn project(coefficients: &[f64], labels: &[bool], c: f64) -> Vec<f64> {
        let moved = |by: f64| -> Vec<f64> {
            let pairs = coefficients.iter().zip(labels);
            pairs.map(|(x, &label)| if label { (x - by).clamp(0.0, c) } else { (x - by).clamp(-c, 0.0) }).collect()
        };
        let [mut low, mut high] = [-100.0 * (1.0 + c), 100.0 * (1.0 + c)];
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if moved(middle).iter().sum::<f64>() > 0.0 { low = middle } else { high = middle }
        }
        moved(high)
    }

    /// Projected gradient: slow, and nothing like SMO.
    fn projected_gradient(kernel: Kernel, points: &Points, labels: &[bool], c: f64) -> Vec<f64> {
        let matrix: Vec<Vec<f64>> =
            points.rows().map(|x| points.rows().map(|z| plain_kernel(kernel, x, z)).collect()).collect();
        let mut coefficients = vec![0.0; points.len()];
        for _ in 0..3000 {
            let slope = |(row, &label): (&Vec<f64>, &bool)| {
                let f: f64 = coefficients.iter().zip(row).map(|(a, k)| a * k).sum();
                (if label { 1.0 } else { -1.0 }) - f
            };
            let slopes: Vec<f64> = matrix.iter().zip(labels).map(slope).collect();
            let moved: Vec<f64> = coefficients.iter().zip(slopes).map(|(a, slope)| a + 0.1 * slope).collect();
            coefficients = project(&moved, labels, c);
        }
        coefficients
    }

    fn kernels() -> impl Strategy<Value = Kernel> {
        prop_oneof![Just(Kernel::Linear), (0.05..8.0).prop_map(|gamma| Kernel::Gaussian { gamma })]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn conditions_of_the_optimum_hold(
            seed: u64, kernel in kernels(), count in 1_usize..150, power in -4..6,
        ) {
            let mut random = Random::new(seed);
            let (points, c) = (random_points(&mut random, count, 3), 2.0_f64.powi(power));
            let labels = random_labels(&mut random, count);
            let solution = train(&KernelMatrix::of(kernel, &points), &labels, c);
            prop_assert!(solution.is_converged);
            let worst = violation(kernel, &points, &labels, c, &solution);
            // Kernels are kept as 32-bit numbers.
            prop_assert!(worst < TOLERANCE * 1.1 + 1e-6 * c * count as f64, "{worst}");
            let machine = Svm::new(kernel, &points, &solution);
            prop_assert_eq!(machine.vectors().len(), solution.alphas().filter(|&alpha| alpha > 0.0).count());
            let matrix = KernelMatrix::of(kernel, &points);
            for (row, point) in points.rows().enumerate() {
                let decision = solution.decision(matrix.row(row).iter().copied());
                prop_assert!((machine.decision(point) - decision).abs() < 1e-3);
            }
        }

        #[test]
        fn the_order_of_examples_does_not_matter(seed: u64, kernel in kernels()) {
            let mut random = Random::new(seed);
            let points = random_points(&mut random, 60, 3);
            let labels = random_labels(&mut random, 60);
            let mut order: Vec<usize> = (0..60).collect();
            random.shuffle(&mut order);
            let shuffled: Vec<bool> = order.iter().map(|&row| labels[row]).collect();
            let [one, other] = [
                train(&KernelMatrix::of(kernel, &points), &labels, 1.0),
                train(&KernelMatrix::of(kernel, &points).part(&order), &shuffled, 1.0),
            ];
            let objectives = [
                objective(kernel, &points, &labels, &one.coefficients),
                objective(kernel, &points.part(&order), &shuffled, &other.coefficients),
            ];
            prop_assert!((objectives[0] - objectives[1]).abs() < 60.0 * TOLERANCE, "{objectives:?}");
            // The objective is flat near its optimum, so decisions are less certain: |f - g|^2 is below twice the loss.
            let certain = (2.0 * 60.0 * TOLERANCE).sqrt();
            let machines = [Svm::new(kernel, &points, &one), Svm::new(kernel, &points.part(&order), &other)];
            for point in points.rows() {
                let [a, b] = [0, 1].map(|number: usize| machines[number].decision(point));
                prop_assert!((a - b).abs() < certain, "{a} {b}");
            }
        }

        #[test]
        fn a_start_from_another_cost_ends_at_the_same_optimum(
            seed: u64, kernel in kernels(), powers in prop::collection::vec(-3..5, 2..5),
        ) {
            let mut random = Random::new(seed);
            let points = random_points(&mut random, 50, 2);
            let labels = random_labels(&mut random, 50);
            let matrix = KernelMatrix::of(kernel, &points);
            let mut trainer = Trainer::new(&matrix, &labels);
            for power in powers {
                let c = 2.0_f64.powi(power);
                let [warm, cold] = [trainer.train(c), train(&matrix, &labels, c)];
                prop_assert!(warm.is_converged);
                let worst = violation(kernel, &points, &labels, c, &warm);
                prop_assert!(worst < TOLERANCE * 1.1 + 5e-5 * c, "{worst}");
                let of = |solution: Solution| objective(kernel, &points, &labels, &solution.coefficients);
                let objectives = [warm, cold].map(of);
                prop_assert!((objectives[0] - objectives[1]).abs() < 50.0 * c * TOLERANCE, "{objectives:?}");
            }
        }
    }

    #[test]
    fn the_objective_is_that_of_projected_gradient() {
        for seed in 0..10 {
            let mut random = Random::new(seed);
            let points = random_points(&mut random, 6, 2);
            let labels = [true, false, true, false, seed % 2 == 0, true];
            for (kernel, c) in [(Kernel::Linear, 0.5), (Kernel::Linear, 4.0), (GAUSSIAN, 0.5), (GAUSSIAN, 4.0)] {
                let solution = train(&KernelMatrix::of(kernel, &points), &labels, c);
                let best = projected_gradient(kernel, &points, &labels, c);
                let [ours, best] =
                    [&solution.coefficients, &best].map(|found| objective(kernel, &points, &labels, found));
                assert!((ours - best).abs() < 2e-3 * best.max(1.0), "{seed} {kernel:?} {c}: {ours} {best}");
            }
        }
    }

    /// With a distance d in the space of the kernel, both alphas are 2 / d^2, but not more than C.
    #[test]
    fn two_points_have_a_closed_form() {
        let points = of(&[&[1.0, 2.0], &[4.0, -2.0]]);
        for (kernel, square) in
            [(Kernel::Linear, 25.0), (Kernel::Gaussian { gamma: 0.01 }, 2.0 - 2.0 * (-0.25_f64).exp())]
        {
            for c in [100.0, 0.03] {
                let machine = machine(kernel, &points, &[true, false], c);
                let alpha = (2.0 / square).min(c);
                let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{kernel:?} {c}: {a} {b}");
                close(machine.coefficients()[0], alpha);
                close(machine.coefficients()[1], -alpha);
                let [f, g] = [0, 1].map(|row| machine.decision(points.row(row)));
                // Half of alpha d^2 on each side of b.
                close(f, alpha * square / 2.0);
                close(g, -alpha * square / 2.0);
            }
        }
        let machine = machine(Kernel::Linear, &points, &[true, false], 100.0);
        let expected = [-3.0 * 2.0 / 25.0, 4.0 * 2.0 / 25.0];
        let weights = machine.weights().unwrap();
        assert!(weights.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{weights:?}");
    }

    #[test]
    fn either_or_needs_the_gaussian_kernel() {
        let points = of(&[&[0.0, 0.0], &[1.0, 1.0], &[0.0, 1.0], &[1.0, 0.0]]);
        let labels = [true, true, false, false];
        let right = |kernel| {
            let machine = machine(kernel, &points, &labels, 100.0);
            points.rows().zip(labels).filter(|(point, label)| (machine.decision(point) > 0.0) == *label).count()
        };
        assert_eq!(right(Kernel::Gaussian { gamma: 1.0 }), 4);
        assert!(right(Kernel::Linear) < 4);
    }

    #[test]
    fn separable_examples_are_separated_if_costs_are_high() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let points = random_points(&mut random, 80, 4);
            let side = |point: &[f64]| point[0] - 2.0 * point[1] + 0.5 * point[2] - 0.1;
            let rows: Vec<usize> = (0..80).filter(|&row| side(points.row(row)).abs() > 0.05).collect();
            let points = points.part(&rows);
            let labels: Vec<bool> = points.rows().map(|point| side(point) > 0.0).collect();
            for kernel in [Kernel::Linear, GAUSSIAN] {
                let machine = machine(kernel, &points, &labels, 1e4);
                let is_right = |(point, label): (&[f64], &bool)| (machine.decision(point) > 0.0) == *label;
                assert!(points.rows().zip(&labels).all(is_right));
            }
        }
    }

    #[test]
    fn weights_decide_as_the_support_vectors_do() {
        let mut random = Random::new(2);
        let points = random_points(&mut random, 40, 5);
        let labels = random_labels(&mut random, 40);
        let machine = machine(Kernel::Linear, &points, &labels, 3.0);
        for point in points.rows() {
            assert!((machine.decision(point) - (machine.sum(point) - machine.b())).abs() < 1e-9);
        }
        assert_eq!(self::machine(GAUSSIAN, &points, &labels, 3.0).weights(), None);
    }

    #[test]
    fn a_matrix_has_all_pairs() {
        let mut random = Random::new(9);
        for count in [0, 1, 63, 64, 65, 200] {
            let points = random_points(&mut random, count, 3);
            let rows: Vec<usize> = (0..count).filter(|row| row % 3 != 1).rev().collect();
            let from_distances = Distances::of(&points).gaussian(0.7);
            for (kernel, matrix) in
                [(Kernel::Linear, KernelMatrix::of(Kernel::Linear, &points)), (GAUSSIAN, from_distances)]
            {
                let part = matrix.part(&rows);
                assert_eq!((matrix.len(), part.len(), matrix.is_empty()), (count, rows.len(), count == 0));
                for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
                    let expected = plain_kernel(kernel, points.row(a), points.row(b));
                    assert!((f64::from(matrix.row(a)[b]) - expected).abs() < 1e-6);
                }
                for (a, b) in (0..rows.len()).flat_map(|a| (0..rows.len()).map(move |b| (a, b))) {
                    assert_eq!(part.row(a)[b], matrix.row(rows[a])[rows[b]]);
                }
            }
        }
    }

    #[test]
    fn little_to_learn_from_is_fine() {
        let empty = train(&KernelMatrix::of(GAUSSIAN, &Points::new(2)), &[], 1.0);
        assert_eq!(Svm::new(GAUSSIAN, &Points::new(2), &empty).decision(&[1.0, 2.0]), 0.0);
        let points = of(&[&[0.0], &[1.0], &[2.0]]);
        for label in [true, false] {
            let machine = machine(GAUSSIAN, &points, &[label; 3], 1.0);
            assert_eq!(machine.decision(&[5.0]), if label { 1.0 } else { -1.0 });
            assert!(machine.vectors().is_empty());
        }
        // Equal points with different labels cancel out.
        let equal = of(&[&[1.0], &[1.0]]);
        for kernel in [Kernel::Linear, GAUSSIAN] {
            assert!(machine(kernel, &equal, &[true, false], 5.0).decision(&[1.0]).abs() < 1e-9);
        }
    }

    #[test]
    fn too_many_steps_are_said() {
        // Huge numbers and costs: no margin can be reached.
        let mut random = Random::new(1);
        let mut points = Points::new(3);
        (0..100).for_each(|_| points.push(&[(); 3].map(|()| 1e4 * random.unit())));
        let solution = train(&KernelMatrix::of(Kernel::Linear, &points), &random_labels(&mut random, 100), 1e6);
        assert!(!solution.is_converged && solution.steps == LEAST_STEPS_OF_FIT, "{}", solution.steps);
        assert!(solution.alphas().all(|alpha| alpha.is_finite()) && solution.b.is_finite());
        let matrix = KernelMatrix::of(GAUSSIAN, &points);
        let labels = random_labels(&mut random, 100);
        let few = Trainer::new(&matrix, &labels).with_most_steps(7).train(1.0);
        assert_eq!((few.steps, few.is_converged), (7, false));
    }
}
