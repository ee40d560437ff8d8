//! Large-margin nearest neighbours (Weinberger, Blitzer and Saul, NIPS 2005): a metric in which vectors of the same
//! group are near each other, and vectors of other groups are not.
//!
//! The squared distance of x and y is d(x, y) = (x - y)' M (x - y), with a positive semidefinite matrix M. [`learn`] finds
//! M. Each vector pulls its targets, the few vectors of its group that are nearest to it at the start. It pushes its
//! impostors, the vectors of other groups that are not farther away than a target by a margin of 1:
//!
//! ```text
//! sum over i, target j of d(i, j)  +  c * sum over i, target j, other l of max(0, 1 + d(i, j) - d(i, l))
//! ```
//!
//! Each page has its own groups, so targets and impostors are of the same page. The sum is convex in M. It is minimised
//! by projected subgradient descent: a step against the gradient, then the nearest matrix that is positive
//! semidefinite.

use rayon::prelude::*;

use dehusk_core::random::Random;

/// The squared distance of a vector of another group must be greater than that of a target by this margin.
const MARGIN_OF_GROUPS: f64 = 1.0;
/// Number of steps between 2 searches for impostors.
const ROUND: usize = 10;
/// A search also finds vectors that would be impostors if the margin were greater by this. Some become impostors in the
/// round.
const RESERVE: f64 = 0.5;
/// After a good step, the next step is longer by this factor.
const GROWTH: f64 = 1.05;
/// A round that lowers the objective by a smaller share is the last one.
const LEAST_GAIN: f64 = 1e-6;
/// Steps that would move the matrix by a smaller share of the identity are not tried.
const LEAST_STEP: f64 = 1e-9;
/// Maximum number of sweeps of Jacobi's method. It needs about 10.
const MAX_SWEEPS: usize = 60;

/// A metric: a positive semidefinite matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    width: usize,
    /// Row by row.
    matrix: Vec<f64>,
    /// L with L'L = matrix, column by column.
    root: Vec<f64>,
}

impl Metric {
    /// The metric of plain Euclidean distances.
    pub fn identity(width: usize) -> Metric {
        let matrix = identity(width);
        Metric { width, root: matrix.clone(), matrix }
    }

    /// The metric nearest to a symmetric matrix, given row by row (Frobenius). It is the matrix itself if that is a metric.
    ///
    /// # Panics
    /// If the matrix does not have `width` rows and columns.
    pub fn nearest(width: usize, matrix: Vec<f64>) -> Metric {
        assert_eq!(matrix.len(), width * width, "the matrix has as many rows and columns as the metric is wide");
        let mut matrix = symmetric(width, &matrix);
        let Eigen { values, vectors } = Eigen::of(width, matrix.clone());
        if values.iter().any(|&value| value < 0.0) {
            matrix.fill(0.0);
            for (&value, vector) in values.iter().zip(vectors.chunks_exact(width)) {
                add_product(&mut matrix, value.max(0.0), vector, vector);
            }
            matrix = symmetric(width, &matrix);
        }
        let mut root = vec![0.0; width * width];
        for (row, value) in values.iter().enumerate() {
            for column in 0..width {
                root[column * width + row] = value.max(0.0).sqrt() * vectors[row * width + column];
            }
        }
        Metric { width, matrix, root }
    }

    /// The metric of a symmetric matrix that was rounded, given row by row. Rounding can leave a matrix that is not
    /// quite a metric.
    ///
    /// # Panics
    /// If the matrix does not have `width` rows and columns.
    pub fn rounded(width: usize, matrix: Vec<f64>) -> Metric {
        Metric { matrix: matrix.clone(), ..Metric::nearest(width, matrix) }
    }

    /// The length of its vectors.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The matrix M, row by row.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// The vector L x, where M = L'L. The Euclidean distance of transformed vectors is the distance of this metric. The first
    /// numbers matter most: they belong to the greatest eigenvalues.
    ///
    /// # Panics
    /// If the vector is not as wide as the metric.
    pub fn transform(&self, vector: &[f64]) -> Vec<f64> {
        assert_eq!(vector.len(), self.width, "the vector is as wide as the metric");
        let mut transformed = vec![0.0; self.width];
        self.transform_to(vector, &mut transformed);
        transformed
    }

    fn transform_to(&self, vector: &[f64], transformed: &mut [f64]) {
        transformed.fill(0.0);
        // A metric without width has no columns.
        for (&x, column) in vector.iter().zip(self.root.chunks_exact(self.width.max(1))) {
            add_to(transformed, x, column);
        }
    }

    /// The distance of 2 vectors, not squared: it obeys the triangle inequality.
    ///
    /// # Panics
    /// If the vectors are not as wide as the metric.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        assert_eq!(a.len(), b.len(), "the vectors are equally wide");
        let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        self.transform(&difference).iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

/// The vectors of a page and their groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The length of each vector.
    pub width: usize,
    /// The vectors, one after the other. Features should have about the same spread: the metric starts as the identity.
    pub vectors: Vec<f64>,
    /// The group of each vector.
    pub groups: Vec<usize>,
}

/// How a metric is learned.
#[derive(Clone, Copy, Debug)]
pub struct MetricOptions {
    /// Whether the matrix is diagonal: each feature has a weight, and nothing else is learned.
    pub is_diagonal: bool,
    /// Number of targets of a vector; in a smaller group, all other vectors of the group. Targets are found with plain
    /// distances. So a few targets are near in noisy features too, and noise keeps a small weight.
    pub neighbours: usize,
    /// The weight of impostors relative to targets: c.
    pub push: f64,
    /// Maximum number of steps, including those that are taken back.
    pub iterations: usize,
    /// The length of the first step, as a share of the norm of the identity matrix. Later steps adapt.
    pub step: f64,
    /// The penalty is half of this times the squared distance of the matrix from the identity (Frobenius).
    pub prior: f64,
    /// Whether all pages count the same: each by the mean over its vectors. Otherwise, all vectors count the same. A vector
    /// of a large page has more impostors in both cases.
    pub pages_alike: bool,
    /// Maximum number of vectors per page that have targets and impostors. From a page with more vectors, this many are
    /// drawn, and represent all. Any vector of the page can be a target or an impostor.
    pub sample: usize,
    /// The seed of these samples.
    pub seed: u64,
}

impl Default for MetricOptions {
    fn default() -> MetricOptions {
        MetricOptions {
            is_diagonal: false,
            neighbours: 3,
            push: 1.0,
            iterations: 200,
            step: 0.1,
            prior: 0.0,
            pages_alike: true,
            sample: 300,
            seed: 0,
        }
    }
}

/// A learned metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The metric.
    pub metric: Metric,
    /// The minimised objective: at the start, and after each round that was not taken back.
    pub objectives: Vec<f64>,
}

/// Learns a metric from pages. The result is the same for any number of threads.
///
/// # Panics
/// If pages differ in width, or a page does not have a group for each vector.
pub fn learn(pages: &[Page], options: &MetricOptions) -> Learned {
    let problem = Problem::of(pages, options);
    let mut metric = Metric::identity(problem.width);
    let mut active = problem.impostors(&metric);
    let mut point = problem.at(&metric, &active);
    let mut objectives = vec![point.objective];
    let length = norm(metric.matrix());
    let mut step = options.step * length / norm(&point.gradient);
    let mut left = options.iterations;
    // Without a gradient, the step is not finite.
    while left > 0 && step.is_finite() && step * norm(&point.gradient) > LEAST_STEP * length {
        let steps = left.min(ROUND);
        left -= steps;
        let (moved, next_step) = problem.walk(&metric, &point, &active, step, steps);
        let found = problem.impostors(&moved);
        let next = problem.at(&moved, &found);
        if next.objective > point.objective {
            // The round met more impostors than it knew, so it is taken back.
            step /= 2.0;
            continue;
        }
        let gain = point.objective - next.objective;
        (metric, active, point, step) = (moved, found, next, next_step);
        objectives.push(point.objective);
        // A round without any gain took all its steps back, and the next round takes shorter steps.
        if gain > 0.0 && gain < LEAST_GAIN * point.objective {
            break;
        }
    }
    Learned { metric, objectives }
}

/// The objective to minimise over all metrics.
struct Problem<'p> {
    width: usize,
    pages: Vec<Prepared<'p>>,
    options: &'p MetricOptions,
}

/// A page whose targets are known.
struct Prepared<'p> {
    /// The vectors, moved so that their mean is 0. This keeps rounding errors small.
    vectors: Vec<f64>,
    groups: &'p [usize],
    anchors: Vec<Anchor>,
    /// The weight that every anchor of the page has.
    weight: f64,
}

/// A vector with targets and impostors.
struct Anchor {
    vector: usize,
    targets: Vec<usize>,
}

/// The impostors of each anchor of a page.
type Impostors = Vec<Vec<u32>>;

/// The objective at some matrix, and its gradient.
struct Point {
    objective: f64,
    gradient: Vec<f64>,
}

impl<'p> Problem<'p> {
    fn of(pages: &'p [Page], options: &'p MetricOptions) -> Problem<'p> {
        let width = pages.first().map_or(0, |page| page.width);
        assert!(pages.iter().all(|page| page.width == width), "all pages are equally wide");
        let vectors: usize = pages.iter().map(|page| page.groups.len()).sum();
        let of_page = |page| {
            let mut prepared = Prepared::of(page, options);
            let of_all = match options.pages_alike {
                true => 1.0 / pages.len() as f64,
                false => prepared.groups.len() as f64 / vectors.max(1) as f64,
            };
            prepared.weight = of_all / prepared.anchors.len().max(1) as f64;
            prepared
        };
        Problem { width, pages: pages.par_iter().map(of_page).collect(), options }
    }

    /// The impostors of each page, and a reserve of vectors that are almost impostors.
    fn impostors(&self, metric: &Metric) -> Vec<Impostors> {
        self.pages.par_iter().map(|page| page.impostors(metric)).collect()
    }

    /// The objective if there are no other impostors than these.
    fn at(&self, metric: &Metric, active: &[Impostors]) -> Point {
        let mut all = Point { objective: 0.0, gradient: vec![0.0; self.width * self.width] };
        let points = self.pages.par_iter().zip(active).map(|(page, active)| page.at(metric, active, self.options.push));
        // The order of a parallel sum would depend on the number of threads.
        for (point, page) in points.collect::<Vec<Point>>().iter().zip(&self.pages) {
            all.objective += page.weight * point.objective;
            add_to(&mut all.gradient, page.weight, &point.gradient);
        }
        let away = metric.matrix.iter().zip(identity(self.width)).map(|(entry, identity)| entry - identity);
        for (index, (away, slope)) in away.zip(&mut all.gradient).enumerate() {
            all.objective += self.options.prior / 2.0 * away * away;
            *slope += self.options.prior * away;
            if self.options.is_diagonal && index % (self.width + 1) != 0 {
                *slope = 0.0;
            }
        }
        all
    }

    /// Takes some steps from a metric and its point. Returns the new metric, and the length of the next step.
    fn walk(&self, from: &Metric, at: &Point, active: &[Impostors], mut step: f64, steps: usize) -> (Metric, f64) {
        let (mut metric, mut objective, mut gradient) = (from.clone(), at.objective, at.gradient.clone());
        for _ in 0..steps {
            let mut matrix = metric.matrix.clone();
            add_to(&mut matrix, -step, &gradient);
            let moved = Metric::nearest(self.width, matrix);
            let next = self.at(&moved, active);
            if next.objective > objective {
                step /= 2.0;
            } else {
                (metric, objective, gradient) = (moved, next.objective, next.gradient);
                step *= GROWTH;
            }
        }
        (metric, step)
    }
}

impl<'p> Prepared<'p> {
    /// Prepares a page, with the weight 0 for now.
    fn of(page: &'p Page, options: &MetricOptions) -> Prepared<'p> {
        let (width, groups) = (page.width, page.groups.as_slice());
        assert_eq!(page.vectors.len(), width * groups.len(), "a page has a group for each vector");
        let mut mean = vec![0.0; width];
        let share = 1.0 / groups.len() as f64;
        (0..groups.len()).for_each(|vector| add_to(&mut mean, share, row(&page.vectors, width, vector)));
        let vectors: Vec<f64> = (0..groups.len())
            .flat_map(|vector| row(&page.vectors, width, vector).iter().zip(&mean).map(|(x, mean)| x - mean))
            .collect();
        let targets = |vector: usize| {
            let others = (0..groups.len()).filter(|&other| other != vector && groups[other] == groups[vector]);
            let distance = |other| squared_distance(row(&vectors, width, vector), row(&vectors, width, other));
            let mut others: Vec<(f64, usize)> = others.map(|other| (distance(other), other)).collect();
            others.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            others.into_iter().take(options.neighbours).map(|(_, other)| other).collect()
        };
        // The random numbers depend on the size of the page, not on its place, so the order of the pages means nothing.
        let mut random = Random::along(options.seed, &[groups.len() as u64]);
        let sample = random.sample(groups.len(), options.sample);
        let anchors = sample.into_iter().map(|vector| Anchor { vector, targets: targets(vector) }).collect();
        Prepared { vectors, groups, anchors, weight: 0.0 }
    }

    /// The vectors, transformed so that their Euclidean distances are those of the metric.
    fn transformed(&self, metric: &Metric) -> Vec<f64> {
        let mut transformed = vec![0.0; self.vectors.len()];
        let width = metric.width.max(1);
        for (vector, transformed) in self.vectors.chunks_exact(width).zip(transformed.chunks_exact_mut(width)) {
            metric.transform_to(vector, transformed);
        }
        transformed
    }

    fn impostors(&self, metric: &Metric) -> Impostors {
        let moved = self.transformed(metric);
        let distance = |a, b| squared_distance(row(&moved, metric.width, a), row(&moved, metric.width, b));
        let of_anchor = |&Anchor { vector, ref targets }: &Anchor| {
            let farthest = targets.iter().map(|&target| distance(vector, target)).reduce(f64::max);
            let reach = farthest.map_or(0.0, |farthest| farthest + MARGIN_OF_GROUPS + RESERVE);
            let others = (0..self.groups.len()).filter(|&other| self.groups[other] != self.groups[vector]);
            others.filter(|&other| distance(vector, other) < reach).map(|other| other as u32).collect()
        };
        self.anchors.iter().map(of_anchor).collect()
    }

    /// The sum over the anchors, and its gradient.
    fn at(&self, metric: &Metric, active: &Impostors, push: f64) -> Point {
        let width = metric.width;
        let moved = self.transformed(metric);
        let distance = |a, b| squared_distance(row(&moved, width, a), row(&moved, width, b));
        let mut objective = 0.0;
        // The gradient is the sum over pairs of w (x - y)(x - y)' = w (xx' + yy' - xy' - yx'). For each vector x, all
        // weights are summed before they multiply xx', and for each anchor x, all w y are summed before the product
        // with x.
        let mut weights = vec![0.0; self.groups.len()];
        let mut mixed = vec![0.0; width * width];
        for (&Anchor { vector, ref targets }, impostors) in self.anchors.iter().zip(active) {
            let mut others = vec![0.0; width];
            let mut add_pair = |other, weight| {
                weights[vector] += weight;
                weights[other] += weight;
                add_to(&mut others, weight, row(&self.vectors, width, other));
            };
            let mut pulls: Vec<(f64, f64)> = targets.iter().map(|&target| (distance(vector, target), 1.0)).collect();
            for &impostor in impostors {
                let far = distance(vector, impostor as usize);
                let mut pushed = 0.0;
                for (near, pull) in &mut pulls {
                    let miss = MARGIN_OF_GROUPS + *near - far;
                    if miss > 0.0 {
                        objective += push * miss;
                        *pull += push;
                        pushed += push;
                    }
                }
                if pushed > 0.0 {
                    add_pair(impostor as usize, -pushed);
                }
            }
            for (&target, (near, pull)) in targets.iter().zip(pulls) {
                objective += near;
                add_pair(target, pull);
            }
            add_product(&mut mixed, 1.0, row(&self.vectors, width, vector), &others);
        }
        let mut gradient = vec![0.0; width * width];
        for (vector, &weight) in weights.iter().enumerate().filter(|&(_, &weight)| weight != 0.0) {
            let vector = row(&self.vectors, width, vector);
            add_product(&mut gradient, weight, vector, vector);
        }
        for (index, slope) in gradient.iter_mut().enumerate() {
            *slope -= mixed[index] + mixed[index % width * width + index / width];
        }
        Point { objective, gradient }
    }
}

/// The eigenvalues of a symmetric matrix, the greatest first, and their eigenvectors.
struct Eigen {
    values: Vec<f64>,
    /// The eigenvectors, one after the other. In each, the number that is farthest from 0 is positive.
    vectors: Vec<f64>,
}

impl Eigen {
    /// Jacobi's method: each rotation turns 2 entries off the diagonal into 0, until all such entries are 0.
    fn of(width: usize, mut matrix: Vec<f64>) -> Eigen {
        let mut vectors = identity(width);
        let smallest = norm(&matrix) * f64::EPSILON / 16.0;
        for _ in 0..MAX_SWEEPS {
            let mut is_diagonal = true;
            for p in 0..width {
                for q in p + 1..width {
                    let entry = matrix[p * width + q];
                    if entry.abs() <= smallest {
                        continue;
                    }
                    is_diagonal = false;
                    let ratio = (matrix[q * width + q] - matrix[p * width + p]) / (2.0 * entry);
                    let tangent = 1.0_f64.copysign(ratio) / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
                    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                    let rotated = |p: f64, q: f64| (cosine * (p - tangent * q), cosine * (q + tangent * p));
                    for index in 0..width {
                        let (p, q) = (index * width + p, index * width + q);
                        (matrix[p], matrix[q]) = rotated(matrix[p], matrix[q]);
                    }
                    for index in 0..width {
                        let (p, q) = (p * width + index, q * width + index);
                        (matrix[p], matrix[q]) = rotated(matrix[p], matrix[q]);
                        (vectors[p], vectors[q]) = rotated(vectors[p], vectors[q]);
                    }
                    // Without rounding errors, these entries would be 0 already.
                    (matrix[p * width + q], matrix[q * width + p]) = (0.0, 0.0);
                }
            }
            if is_diagonal {
                break;
            }
        }
        let value = |index: usize| matrix[index * width + index];
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
        let with_sign = |&index: &usize| {
            let vector = row(&vectors, width, index);
            let farthest = vector.iter().fold(0.0, |most: f64, &x| if x.abs() > most.abs() { x } else { most });
            vector.iter().map(move |x| x * 1.0_f64.copysign(farthest))
        };
        Eigen {
            values: order.iter().map(|&index| value(index)).collect(),
            vectors: order.iter().flat_map(with_sign).collect(),
        }
    }
}

fn identity(width: usize) -> Vec<f64> {
    (0..width * width).map(|index| f64::from(index % (width + 1) == 0)).collect()
}

/// The mean of a matrix and its transpose, which removes differences by rounding.
fn symmetric(width: usize, matrix: &[f64]) -> Vec<f64> {
    let transposed = |index: usize| matrix[index % width * width + index / width];
    matrix.iter().enumerate().map(|(index, entry)| f64::midpoint(*entry, transposed(index))).collect()
}

/// A row of a matrix, or one of several vectors.
fn row(matrix: &[f64], width: usize, row: usize) -> &[f64] {
    &matrix[row * width..(row + 1) * width]
}

/// Adds `factor` * `vector`.
fn add_to(sum: &mut [f64], factor: f64, vector: &[f64]) {
    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += factor * x);
}

/// Adds `factor` * a b'.
fn add_product(matrix: &mut [f64], factor: f64, a: &[f64], b: &[f64]) {
    // A matrix without width has no rows.
    for (row, x) in matrix.chunks_exact_mut(b.len().max(1)).zip(a) {
        add_to(row, factor * x, b);
    }
}

/// The root of the sum of squares.
fn norm(matrix: &[f64]) -> f64 {
    matrix.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    /// Number of sums that are computed independently, so that none waits for another.
    const LANES: usize = 4;
    let (a, last_a) = a.as_chunks::<LANES>();
    let (b, last_b) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            let difference = a[lane] - b[lane];
            sums[lane] += difference * difference;
        }
    }
    let last: f64 = last_a.iter().zip(last_b).map(|(a, b)| (a - b) * (a - b)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + last
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLAIN: MetricOptions = MetricOptions {
        is_diagonal: false,
        neighbours: 3,
        push: 1.0,
        iterations: 200,
        step: 0.1,
        prior: 0.0,
        pages_alike: true,
        sample: usize::MAX,
        seed: 0,
    };

    fn page(width: usize, groups: &[usize], mut value: impl FnMut(usize, usize) -> f64) -> Page {
        let of_vector = |&group: &usize| (0..width).map(|feature| value(group, feature)).collect::<Vec<f64>>();
        Page { width, vectors: groups.iter().flat_map(of_vector).collect(), groups: groups.to_vec() }
    }

    /// A number from a nearly normal distribution.
    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    /// Feature 0 tells the groups apart, and feature 1 is noise that hides the groups.
    fn noisy_pages(seed: u64) -> Vec<Page> {
        let mut random = Random::new(seed);
        let groups: Vec<usize> = (0..60).map(|vector| vector % 4).collect();
        let value = |random: &mut Random, group: usize, feature| match feature {
            0 => group as f64 + 0.2 * normal(random),
            _ => 3.0 * normal(random),
        };
        (0..5).map(|_| page(2, &groups, |group, feature| value(&mut random, group, feature))).collect()
    }

    /// The share of vectors that have the same group as most of their 3 nearest neighbours.
    fn accuracy(metric: &Metric, pages: &[Page]) -> f64 {
        let (mut right, mut all) = (0, 0);
        for page in pages {
            let vector = |vector| row(&page.vectors, page.width, vector);
            for one in 0..page.groups.len() {
                let mut others: Vec<usize> = (0..page.groups.len()).filter(|&other| other != one).collect();
                let distance = |other: &usize| metric.distance(vector(one), vector(*other));
                others.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
                let same = others[..3].iter().filter(|&&other| page.groups[other] == page.groups[one]).count();
                (right, all) = (right + usize::from(same > 1), all + 1);
            }
        }
        right as f64 / all as f64
    }

    /// The objective, written down again as plainly as possible.
    fn plain_objective(pages: &[Page], matrix: &[f64], options: &MetricOptions) -> f64 {
        let all: usize = pages.iter().map(|page| page.groups.len()).sum();
        let mut objective = 0.0;
        for page in pages {
            let (width, count) = (page.width, page.groups.len());
            let weight = match options.pages_alike {
                true => 1.0 / (pages.len() * count) as f64,
                false => 1.0 / all as f64,
            };
            let distance = |matrix: &[f64], i: usize, j: usize| {
                let away: Vec<f64> =
                    (0..width).map(|x| page.vectors[i * width + x] - page.vectors[j * width + x]).collect();
                let entry = |index: usize| away[index / width] * matrix[index] * away[index % width];
                (0..width * width).map(entry).sum::<f64>()
            };
            for i in 0..count {
                let mut targets: Vec<usize> =
                    (0..count).filter(|&j| j != i && page.groups[j] == page.groups[i]).collect();
                let plain = identity(width);
                targets.sort_by(|&a, &b| distance(&plain, i, a).total_cmp(&distance(&plain, i, b)));
                for &j in targets.iter().take(options.neighbours) {
                    let near = distance(matrix, i, j);
                    objective += weight * near;
                    for l in (0..count).filter(|&l| page.groups[l] != page.groups[i]) {
                        objective += weight * options.push * (1.0 + near - distance(matrix, i, l)).max(0.0);
                    }
                }
            }
        }
        let away: f64 = matrix.iter().zip(identity(pages[0].width)).map(|(a, b)| (a - b) * (a - b)).sum();
        objective + options.prior / 2.0 * away
    }

    fn least_eigenvalue(metric: &Metric) -> f64 {
        Eigen::of(metric.width, metric.matrix.clone()).values.last().copied().unwrap_or_default()
    }

    fn assert_near(a: &[f64], b: &[f64], tolerance: f64) {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance), "{a:?} {b:?}");
    }

    /// Some pages of 3 features with up to 3 groups.
    fn pages() -> impl Strategy<Value = Vec<Page>> {
        let vector = (prop::collection::vec(-2.0f64..2.0, 3), 0usize..3);
        let page = prop::collection::vec(vector, 1..14).prop_map(|vectors| {
            let (vectors, groups): (Vec<Vec<f64>>, Vec<usize>) = vectors.into_iter().unzip();
            Page { width: 3, vectors: vectors.concat(), groups }
        });
        prop::collection::vec(page, 1..4)
    }

    fn options() -> impl Strategy<Value = MetricOptions> {
        (any::<bool>(), 0usize..4, 0.0f64..3.0, prop_oneof![Just(0.0), 0.0f64..1.0], any::<bool>(), 0.01f64..2.0)
            .prop_map(|(is_diagonal, neighbours, push, prior, pages_alike, step)| MetricOptions {
                is_diagonal,
                neighbours,
                push,
                prior,
                pages_alike,
                step,
                iterations: 60,
                ..PLAIN
            })
    }

    /// A symmetric matrix of this width.
    fn matrix(width: usize) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-1.0f64..1.0, width * width).prop_map(move |matrix| symmetric(width, &matrix))
    }

    fn any_matrix() -> impl Strategy<Value = (usize, Vec<f64>)> {
        (0usize..9).prop_flat_map(|width| (Just(width), matrix(width)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_gradient_is_that_of_finite_differences(pages in pages(), options in options(), away in matrix(3)) {
            let mut matrix = identity(3);
            add_to(&mut matrix, 0.3, &away);
            let problem = Problem::of(&pages, &options);
            let metric = Metric::nearest(3, matrix);
            prop_assume!(least_eigenvalue(&metric) > 0.01);
            let here = problem.at(&metric, &problem.impostors(&metric));
            let value = plain_objective(&pages, metric.matrix(), &options);
            prop_assert!((here.objective - value).abs() < 1e-9 * (1.0 + value));
            for index in 0..9 {
                if options.is_diagonal && index % 4 != 0 {
                    prop_assert_eq!(here.gradient[index], 0.0);
                    continue;
                }
                let near = |by: f64| {
                    let mut near = metric.matrix().to_vec();
                    near[index] += by;
                    (plain_objective(&pages, &near, &options) - value) / by
                };
                // The objective has kinks. At a kink, the slopes on the 2 sides differ.
                let (before, after) = (near(-1e-6), near(1e-6));
                let slope = here.gradient[index];
                let tolerance = 1e-6 * (1.0 + value);
                prop_assert!(before - tolerance < slope && slope < after + tolerance, "{before} {slope} {after}");
            }
        }

        #[test]
        fn the_objective_never_rises_and_is_that_of_the_metric(pages in pages(), options in options()) {
            let Learned { metric, objectives } = learn(&pages, &options);
            prop_assert!(objectives.is_sorted_by(|a, b| a >= b), "{objectives:?}");
            let last = plain_objective(&pages, metric.matrix(), &options);
            prop_assert!((last - objectives[objectives.len() - 1]).abs() < 1e-9 * (1.0 + last));
            prop_assert!(metric.matrix().iter().all(|entry| entry.is_finite()));
        }

        #[test]
        fn every_step_keeps_a_metric(pages in pages(), options in options()) {
            let problem = Problem::of(&pages, &options);
            let mut metric = Metric::identity(3);
            let mut step = 0.3;
            for _ in 0..20 {
                let active = problem.impostors(&metric);
                let point = problem.at(&metric, &active);
                let (moved, next) = problem.walk(&metric, &point, &active, step, 1);
                prop_assert!(least_eigenvalue(&moved) > -1e-12);
                prop_assert!(problem.at(&moved, &active).objective <= point.objective);
                let is_adapted = next == step / 2.0 && moved == metric || next == step * GROWTH;
                prop_assert!(is_adapted);
                prop_assert_eq!(&symmetric(3, moved.matrix()), moved.matrix());
                if options.is_diagonal {
                    prop_assert!((0..9).all(|index| index % 4 == 0 || moved.matrix()[index] == 0.0));
                }
                (metric, step) = (moved, next);
            }
        }

        #[test]
        fn no_metric_nearby_is_much_better(pages in pages(), away in matrix(3), share in 0.0f64..0.5) {
            let options = MetricOptions { prior: 0.2, iterations: 2000, ..PLAIN };
            let Learned { metric, objectives } = learn(&pages, &options);
            let mut near = metric.matrix().to_vec();
            add_to(&mut near, share, &away);
            let near = plain_objective(&pages, Metric::nearest(3, near).matrix(), &options);
            let best = objectives[objectives.len() - 1];
            // Few vectors make sharp kinks, where a subgradient need not lead downwards: there, learning stops early.
            prop_assert!(best <= near + 0.15 * best, "{best} {near}");
        }

        #[test]
        fn the_order_of_pages_means_nothing(mut pages in pages(), options in options()) {
            let options = MetricOptions { iterations: 20, sample: 8, ..options };
            let first = learn(&pages, &options);
            pages.reverse();
            let second = learn(&pages, &options);
            assert_near(first.metric.matrix(), second.metric.matrix(), 1e-6);
        }

        #[test]
        fn eigenvalues_and_eigenvectors_give_the_matrix((width, matrix) in any_matrix()) {
            let Eigen { values, vectors } = Eigen::of(width, matrix.clone());
            prop_assert!(values.is_sorted_by(|a, b| a >= b));
            let (mut again, mut products) = (vec![0.0; width * width], vec![0.0; width * width]);
            for (index, &value) in values.iter().enumerate() {
                let vector = row(&vectors, width, index);
                add_product(&mut again, value, vector, vector);
                for other in 0..width {
                    products[index * width + other] =
                        vector.iter().zip(row(&vectors, width, other)).map(|(a, b)| a * b).sum();
                }
                let farthest = vector.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
                prop_assert!(farthest > 0.0);
            }
            assert_near(&again, &matrix, 1e-13);
            assert_near(&products, &identity(width), 1e-13);
        }

        #[test]
        fn the_nearest_metric_is_nearest((width, matrix) in any_matrix(), roots in prop::collection::vec(-1.0f64..1.0, 81)) {
            let metric = Metric::nearest(width, matrix.clone());
            prop_assert!(least_eigenvalue(&metric) > -1e-13);
            assert_near(Metric::nearest(width, metric.matrix.clone()).matrix(), metric.matrix(), 1e-13);
            // Seen from the matrix, any other metric, A'A, is behind the nearest one.
            let mut other = vec![0.0; width * width];
            (0..width).for_each(|index| add_product(&mut other, 1.0, row(&roots, width, index), row(&roots, width, index)));
            let back = matrix.iter().zip(metric.matrix()).map(|(a, b)| a - b);
            let on = other.iter().zip(metric.matrix()).map(|(a, b)| a - b);
            prop_assert!(back.zip(on).map(|(back, on)| back * on).sum::<f64>() < 1e-12);
        }

        #[test]
        fn transformed_vectors_have_euclidean_distances(
            matrix in matrix(4), a in prop::collection::vec(-3.0f64..3.0, 4), b in prop::collection::vec(-3.0f64..3.0, 4),
        ) {
            let metric = Metric::nearest(4, matrix);
            let [moved_a, moved_b] = [&a, &b].map(|vector| metric.transform(vector));
            let away: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            let squared: f64 = (0..16).map(|index| away[index / 4] * metric.matrix()[index] * away[index % 4]).sum();
            prop_assert!((squared_distance(&moved_a, &moved_b) - squared).abs() < 1e-11);
            prop_assert!((metric.distance(&a, &b).powi(2) - squared).abs() < 1e-11);
        }
    }

    #[test]
    fn a_known_matrix_has_its_known_eigenvalues() {
        const WIDTH: usize = 30;
        // The second difference: its eigenvectors are sines.
        let entry = |index: usize| match (index / WIDTH).abs_diff(index % WIDTH) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let Eigen { values, vectors } = Eigen::of(WIDTH, (0..WIDTH * WIDTH).map(entry).collect());
        for (index, value) in values.iter().enumerate() {
            let angle = (WIDTH - index) as f64 * std::f64::consts::PI / (WIDTH + 1) as f64;
            assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-13);
            let sines: Vec<f64> = (1..=WIDTH).map(|place| (place as f64 * angle).sin()).collect();
            let length = norm(&sines);
            let cosine: f64 = row(&vectors, WIDTH, index).iter().zip(&sines).map(|(a, b)| a * b / length).sum();
            assert!((cosine.abs() - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn negative_eigenvalues_become_0() {
        // The eigenvalues of [1 2; 2 1] are 3 for (1, 1) and -1 for (1, -1).
        assert_near(Metric::nearest(2, vec![1.0, 2.0, 2.0, 1.0]).matrix(), &[1.5; 4], 1e-14);
        assert_eq!(Metric::nearest(2, vec![2.0, 1.0, 1.0, 2.0]).matrix(), [2.0, 1.0, 1.0, 2.0]);
    }

    #[test]
    fn noise_loses_its_weight_and_neighbours_get_better() {
        for is_diagonal in [false, true] {
            let noise_of = |neighbours| {
                let Learned { metric, .. } =
                    learn(&noisy_pages(1), &MetricOptions { is_diagonal, neighbours, ..PLAIN });
                // These pages were not learned from.
                let pages = noisy_pages(2);
                let [before, after] = [&Metric::identity(2), &metric].map(|metric| accuracy(metric, &pages));
                assert!(before < 0.75 && after > 0.95, "{before} {after}");
                metric.matrix()[3] / metric.matrix()[0]
            };
            // With all vectors of a group as targets, noise does not decide which vectors are targets.
            let [few, all] = [3, 14].map(noise_of);
            assert!(few < 0.05 && all < 1e-3, "{few} {all}");
        }
    }

    #[test]
    fn noise_along_a_diagonal_is_removed_by_a_full_matrix_alone() {
        let turned = |mut page: Page| {
            for vector in page.vectors.chunks_exact_mut(2) {
                (vector[0], vector[1]) = (vector[0] + vector[1], vector[1] - vector[0]);
            }
            page
        };
        let [train, test] = [1, 2].map(|seed| noisy_pages(seed).into_iter().map(turned).collect::<Vec<Page>>());
        let of = |is_diagonal| accuracy(&learn(&train, &MetricOptions { is_diagonal, ..PLAIN }).metric, &test);
        assert!(of(true) < 0.8 && of(false) > 0.95, "{} {}", of(true), of(false));
    }

    /// Pages that are the same if features are exchanged or change their sign: no feature is better than another.
    fn symmetric_pages() -> Vec<Page> {
        let mut random = Random::new(5);
        let groups: Vec<usize> = (0..24).map(|vector| vector % 3).collect();
        let one = page(3, &groups, |group, feature| f64::from(group == feature) + 0.7 * normal(&mut random));
        let image = |number: usize| {
            let mut image = one.clone();
            for vector in image.vectors.chunks_exact_mut(3) {
                vector.rotate_left(number / 8);
                vector.iter_mut().enumerate().filter(|(index, _)| number >> index & 1 == 1).for_each(|(_, x)| *x = -*x);
            }
            image
        };
        (0..24).map(image).collect()
    }

    #[test]
    fn where_nothing_can_be_gained_the_matrix_stays_along_the_identity() {
        for options in [PLAIN, MetricOptions { is_diagonal: true, prior: 0.1, ..PLAIN }] {
            let Learned { metric, objectives } = learn(&symmetric_pages(), &options);
            assert!(objectives.len() > 1);
            let scale = metric.matrix()[0];
            assert!(scale > 0.05, "{scale}");
            let scaled: Vec<f64> = identity(3).iter().map(|entry| scale * entry).collect();
            assert_near(metric.matrix(), &scaled, 1e-9);
        }
    }

    #[test]
    fn random_groups_of_whitened_vectors_leave_the_matrix_near_the_identity() {
        let mut random = Random::new(8);
        let pages: Vec<Page> = (0..20)
            .map(|_| {
                let groups: Vec<usize> = (0..60).map(|_| random.below(3)).collect();
                page(3, &groups, |_, _| normal(&mut random))
            })
            .collect();
        let metric = learn(&pages, &MetricOptions { prior: 1.0, ..PLAIN }).metric;
        let scale = (0..3).map(|index| metric.matrix()[index * 4]).sum::<f64>() / 3.0;
        let scaled: Vec<f64> = identity(3).iter().map(|entry| scale * entry).collect();
        assert_near(metric.matrix(), &scaled, 0.15 * scale);
    }

    #[test]
    fn a_round_that_meets_many_unknown_impostors_is_taken_back() {
        let mut random = Random::new(9);
        let groups: Vec<usize> = (0..60).map(|vector| vector % 12).collect();
        let centres: Vec<f64> = (0..12 * 8).map(|_| 3.0 * normal(&mut random)).collect();
        let pages = [page(8, &groups, |group, feature| centres[group * 8 + feature] + 0.3 * normal(&mut random))];
        // There is no impostor at the start, so the first round makes all distances small.
        let options = MetricOptions { step: 0.2, ..PLAIN };
        let problem = Problem::of(&pages, &options);
        let metric = Metric::identity(8);
        let active = problem.impostors(&metric);
        let point = problem.at(&metric, &active);
        let step = options.step * norm(metric.matrix()) / norm(&point.gradient);
        let (moved, _) = problem.walk(&metric, &point, &active, step, ROUND);
        let found = problem.at(&moved, &problem.impostors(&moved)).objective;
        assert!(problem.at(&moved, &active).objective < point.objective && point.objective < found);
        let objectives = learn(&pages, &options).objectives;
        assert!(objectives.len() > 3 && objectives.is_sorted_by(|a, b| a >= b), "{objectives:?}");
    }

    #[test]
    fn a_strong_prior_keeps_the_identity() {
        let metric = learn(&noisy_pages(1), &MetricOptions { prior: 1e7, ..PLAIN }).metric;
        assert_near(metric.matrix(), &identity(2), 1e-3);
    }

    #[test]
    fn pages_alike_count_the_same_whatever_their_size() {
        let large = noisy_pages(3).swap_remove(0);
        let small = Page { width: 2, vectors: large.vectors[..40].to_vec(), groups: large.groups[..20].to_vec() };
        let of = |pages: &[Page], pages_alike| {
            learn(pages, &MetricOptions { pages_alike, iterations: 0, ..PLAIN }).objectives[0]
        };
        let [a, b] = [&large, &small].map(|page| of(std::slice::from_ref(page), true));
        let both = [large, small];
        assert_near(&[of(&both, true), of(&both, false)], &[(a + b) / 2.0, (60.0 * a + 20.0 * b) / 80.0], 1e-9);
    }

    #[test]
    fn a_sample_stands_for_its_page() {
        let mut random = Random::new(6);
        let groups: Vec<usize> = (0..600).map(|vector| vector % 4).collect();
        let value = |random: &mut Random, group: usize, feature| match feature {
            0 => group as f64 + 0.3 * normal(random),
            _ => 3.0 * normal(random),
        };
        let pages = [page(2, &groups, |group, feature| value(&mut random, group, feature))];
        let whole = learn(&pages, &PLAIN);
        let part = learn(&pages, &MetricOptions { sample: 200, ..PLAIN });
        let other = learn(&pages, &MetricOptions { sample: 200, seed: 1, ..PLAIN });
        assert_ne!(part, other);
        let starts = [&whole, &part].map(|learned| learned.objectives[0]);
        assert!(starts[0] != starts[1] && (starts[0] / starts[1] - 1.0).abs() < 0.1, "{starts:?}");
        let signals = [whole, part].map(|learned| learned.metric.matrix()[0]);
        assert!((signals[0] / signals[1] - 1.0).abs() < 0.3, "{signals:?}");
    }

    #[test]
    fn any_number_of_threads_gives_the_same() {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learn(&noisy_pages(7), &MetricOptions { sample: 40, ..PLAIN }))
        };
        assert_eq!(on(1), on(4));
    }

    #[test]
    fn pages_that_teach_nothing_are_fine() {
        let empty = Page { width: 2, vectors: Vec::new(), groups: Vec::new() };
        let single = Page { width: 2, vectors: vec![1.0, 2.0], groups: vec![7] };
        let apart = Page { width: 2, vectors: vec![1.0, 2.0, 3.0, 4.0], groups: vec![7, 8] };
        let equal = Page { width: 2, vectors: vec![1.0; 8], groups: vec![1, 1, 2, 2] };
        let one_group = Page { width: 2, vectors: vec![0.0, 0.0, 1.0, 0.0, 2.0, 1.0], groups: vec![0; 3] };
        for pages_alike in [true, false] {
            let options = MetricOptions { pages_alike, ..PLAIN };
            let lessons =
                [vec![empty.clone()], vec![single.clone()], vec![apart.clone(), single.clone()], vec![equal.clone()]];
            for pages in lessons {
                assert_eq!(learn(&pages, &options).metric, Metric::identity(2));
            }
            // There are no impostors, so nothing keeps the targets from coming close.
            let metric = learn(std::slice::from_ref(&one_group), &options).metric;
            assert_near(metric.matrix(), &[0.0; 4], 1e-6);
            let kept = learn(std::slice::from_ref(&one_group), &MetricOptions { prior: 1.0, ..options }).metric;
            assert!(least_eigenvalue(&kept) >= 0.0 && kept.matrix()[3] > 0.1);
            // Beside other pages, the pages that teach nothing do no harm.
            let mut pages = noisy_pages(1);
            pages.extend([empty.clone(), single.clone(), apart.clone(), equal.clone()]);
            assert!(accuracy(&learn(&pages, &options).metric, &noisy_pages(2)) > 0.95);
        }
        assert_eq!(learn(&[], &PLAIN).metric, Metric::identity(0));
        let flat = Page { width: 0, vectors: Vec::new(), groups: vec![1, 1, 2] };
        assert_eq!(learn(&[flat], &PLAIN).metric, Metric::identity(0));
        assert!(Metric::identity(0).transform(&[]).is_empty());
    }
}
